/* Reading a recording for other programs. */
#include "app/export/motion.h"

#include <math.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/message.h"
#include "ashlar/vector.h"
#include "base/alloc.h"
#include "math/vec3.h"
#include "scene/instance/object.h"

static int no_memory(void)
{
    cli_error("out of memory");
    return CLI_BAD_INPUT;
}

/* The samples nearest to even instants; none twice. */
static bool choose_frames(cli_motion *motion, double rate)
{
    uint64_t count = ashi_replay_summary(motion->replay).samples;
    const double *times = ashi_replay_times(motion->replay);
    for (uint64_t i = 0; i < count; i++) {
        double last = motion->frames.count > 0 ? times[motion->frames.data[motion->frames.count - 1]] : 0;
        /* The time from the first sample decides, so that frames do not drift; the last sample is always one. */
        bool due = i == 0 || i + 1 == count || rate <= 0 ||
                   floor((times[i] - times[0]) * rate + 1e-6) > floor((last - times[0]) * rate + 1e-6);
        if (!due)
            continue;
        if (!ashi_array_extend(&motion->frames))
            return false;
        motion->frames.data[motion->frames.count - 1] = i;
    }
    return true;
}

static int read_frames(cli_motion *motion)
{
    size_t bodies = motion->scene->bodies.count, frames = motion->frames.count;
    motion->times = ashi_alloc_array(frames, sizeof *motion->times);
    motion->positions = ashi_alloc_array(frames * bodies, sizeof *motion->positions);
    motion->velocities = ashi_alloc_array(frames * bodies, sizeof *motion->velocities);
    motion->spins = ashi_alloc_array(frames * bodies, sizeof *motion->spins);
    motion->rotations = ashi_alloc_array(frames * bodies, sizeof *motion->rotations);
    if (motion->times == NULL || motion->positions == NULL || motion->velocities == NULL || motion->spins == NULL ||
        motion->rotations == NULL)
        return no_memory();
    for (uint32_t f = 0; f < frames; f++) {
        ashi_replay_bodies now;
        ash_diagnostic diagnostic = {0};
        if (ashi_replay_read(motion->replay, motion->frames.data[f], &now, &diagnostic) != ASH_OK)
            return cli_report(&diagnostic);
        motion->times[f] = ashi_replay_times(motion->replay)[motion->frames.data[f]];
        for (uint32_t b = 0; b < bodies; b++) {
            uint64_t at = cli_motion_at(motion, f, b);
            motion->positions[at] = now.positions[b];
            motion->velocities[at] = now.velocities[b];
            motion->spins[at] = now.angular_velocities[b];
            ash_quat q = now.rotations[b], before = f > 0 ? motion->rotations[at - bodies] : q;
            double same = q.w * before.w + q.x * before.x + q.y * before.y + q.z * before.z;
            motion->rotations[at] = same < 0 ? (ash_quat){-q.w, -q.x, -q.y, -q.z} : q;
            if (isfinite(now.positions[b].x))
                motion->reach = fmax(motion->reach, v3_norm(now.positions[b]));
        }
    }
    return CLI_DONE;
}

/* Centres of mass, from a world in which all bodies are, also those that an event adds. */
static int find_centres(cli_motion *motion)
{
    const ash_scene *scene = motion->scene;
    ashi_instance instance = {0};
    ash_diagnostic diagnostic = {0};
    motion->centres = ashi_alloc_zeroed(scene->bodies.count * sizeof *motion->centres);
    if (motion->centres == NULL)
        return no_memory();
    ash_status status = ashi_scene_build(scene, 1, &instance, &diagnostic);
    for (uint32_t i = 0; i < scene->bodies.count && status == ASH_OK; i++) {
        if (!ash_body_is_valid(instance.world, instance.bodies[i]))
            status =
                ashi_instantiate_body(instance.world, instance.materials, scene, i, &instance.bodies[i], &diagnostic);
        if (status == ASH_OK)
            motion->centres[i] =
                ash_transform_point_to_local(ash_body_get_transform(instance.world, instance.bodies[i]),
                                             ash_body_get_centre(instance.world, instance.bodies[i]));
    }
    ashi_instance_release(&instance);
    return status == ASH_OK ? CLI_DONE : cli_report(&diagnostic);
}

static int make_surfaces(cli_motion *motion)
{
    const ash_scene *scene = motion->scene;
    motion->surfaces = ashi_alloc_zeroed(scene->geometries.count * sizeof *motion->surfaces);
    if (motion->surfaces == NULL)
        return no_memory();
    for (uint32_t i = 0; i < scene->geometries.count; i++) {
        ash_bounds box = ash_geometry_bounds(scene->geometries.data[i].geometry, ash_identity());
        double size = v3_norm(v3_sub(box.upper, box.lower));
        if (isfinite(size))
            motion->reach = fmax(motion->reach, size);
    }
    motion->reach = motion->reach > 0 ? motion->reach : 1;
    for (uint32_t i = 0; i < scene->geometries.count; i++) {
        ash_diagnostic diagnostic = {0};
        if (ash_geometry_triangulate(scene->geometries.data[i].geometry, 2 * motion->reach, 0.002 * motion->reach,
                                     &motion->surfaces[i].triangles, &diagnostic) != ASH_OK)
            return cli_report(&diagnostic);
        motion->surfaces[i].made = true;
    }
    return CLI_DONE;
}

int cli_motion_open(const char *path, double rate, cli_motion *motion)
{
    ash_diagnostic diagnostic = {0};
    *motion = (cli_motion){0};
    if (ashi_replay_open(path, &motion->replay, &diagnostic) != ASH_OK)
        return cli_report(&diagnostic);
    motion->scene = ashi_replay_scene(motion->replay);
    if (ashi_replay_summary(motion->replay).samples == 0) {
        cli_error("%s: the recording has no samples", path);
        return CLI_BAD_INPUT;
    }
    if (!choose_frames(motion, rate))
        return no_memory();
    int status = read_frames(motion);
    if (status == CLI_DONE)
        status = find_centres(motion);
    return status == CLI_DONE ? make_surfaces(motion) : status;
}

void cli_motion_close(cli_motion *motion)
{
    for (uint32_t i = 0; motion->surfaces != NULL && i < motion->scene->geometries.count; i++)
        if (motion->surfaces[i].made)
            ash_triangulation_release(&motion->surfaces[i].triangles);
    ashi_dealloc(motion->surfaces);
    ashi_dealloc(motion->centres);
    ashi_dealloc(motion->times);
    ashi_dealloc(motion->positions);
    ashi_dealloc(motion->velocities);
    ashi_dealloc(motion->spins);
    ashi_dealloc(motion->rotations);
    ashi_array_release(&motion->frames);
    if (motion->replay != NULL)
        ashi_replay_close(motion->replay);
    *motion = (cli_motion){0};
}

bool cli_motion_stays(const cli_motion *motion, uint32_t body)
{
    for (uint32_t f = 0; f < motion->frames.count; f++)
        if (isnan(motion->positions[cli_motion_at(motion, f, body)].x))
            return false;
    return true;
}

bool cli_motion_rests(const cli_motion *motion, uint32_t body)
{
    for (uint32_t f = 1; f < motion->frames.count; f++) {
        uint64_t at = cli_motion_at(motion, f, body), first = cli_motion_at(motion, 0, body);
        if (memcmp(&motion->positions[at], &motion->positions[first], sizeof(ash_vec3)) != 0 ||
            memcmp(&motion->rotations[at], &motion->rotations[first], sizeof(ash_quat)) != 0)
            return false;
    }
    return true;
}
