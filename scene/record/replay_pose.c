/* A recorded sample as a world. Events up to the sample's instant are executed as in the run, so that everything that
 * they changed besides bodies' states (forces, joints, types of bodies) is restored; then bodies get their recorded
 * states, which also decide which bodies are in the world. */
#include "scene/record/replay.h"

#include "base/diagnostic.h"
#include "scene/instance/object.h"

#include <math.h>
#include <string.h>

/* The instant up to which events were done at this sample. After the last step of a run there are none. */
static double events_until(const ashi_replay *replay, uint64_t sample)
{
    ashi_recording_summary summary = ashi_replay_summary(replay);
    double time = ashi_replay_times(replay)[sample];
    return summary.complete && sample + 1 == summary.samples && sample > 0 ? time - summary.step : time;
}

/* Whether an event was done that had not been at that time. */
static bool is_ahead(const ashi_instance *instance, const ash_scene *scene, double time)
{
    return instance->next_turn > 0 && instance->turns[instance->next_turn - 1].time > time + 1e-6 * scene->step;
}

static ash_status fail_in_world(const ash_world *world, ash_status status, ash_diagnostic *diagnostic)
{
    if (status != ASH_OK && diagnostic != NULL)
        *diagnostic = ash_world_get_last_diagnostic(world);
    return status;
}

/* Gives a body that is in the world the recorded state; one that has it already is not touched, so that static bodies
 * wake nobody. */
static ash_status move(ash_world *world, ash_body body, const ashi_replay_bodies *recorded, uint32_t number)
{
    ash_transform now = ash_body_get_transform(world, body);
    ash_transform pose = {recorded->positions[number], recorded->rotations[number]};
    ash_vec3 velocity = ash_body_get_velocity(world, body), spin = ash_body_get_angular_velocity(world, body);
    ash_status status = ASH_OK;
    if (memcmp(&now, &pose, sizeof now) != 0)
        status = ash_body_set_transform(world, body, pose);
    if (status == ASH_OK && memcmp(&velocity, &recorded->velocities[number], sizeof velocity) != 0)
        status = ash_body_set_velocity(world, body, recorded->velocities[number]);
    if (status == ASH_OK && memcmp(&spin, &recorded->angular_velocities[number], sizeof spin) != 0)
        status = ash_body_set_angular_velocity(world, body, recorded->angular_velocities[number]);
    return status;
}

static ash_status place_body(ashi_instance *instance, const ash_scene *scene, const ashi_replay_bodies *recorded,
                             uint32_t number, ash_diagnostic *diagnostic)
{
    ash_world *world = instance->world;
    bool was_there = !isnan(recorded->positions[number].x),
         is_there = ash_body_is_valid(world, instance->bodies[number]);
    if (!was_there)
        return is_there ? fail_in_world(world, ash_body_destroy(world, instance->bodies[number]), diagnostic) : ASH_OK;
    if (!is_there) {
        ash_status status =
            ashi_instantiate_body(world, instance->materials, scene, number, &instance->bodies[number], diagnostic);
        if (status != ASH_OK)
            return status;
    }
    return fail_in_world(world, move(world, instance->bodies[number], recorded, number), diagnostic);
}

ash_status ashi_replay_pose(ashi_replay *replay, uint64_t sample, uint32_t threads, ashi_instance *instance,
                            ash_diagnostic *diagnostic)
{
    const ash_scene *scene = ashi_replay_scene(replay);
    ashi_replay_bodies recorded;
    ash_status status = ashi_replay_read(replay, sample, &recorded, diagnostic);
    if (status != ASH_OK)
        return status;
    double time = events_until(replay, sample);
    if (instance->world != NULL && is_ahead(instance, scene, time))
        ashi_instance_release(instance);
    if (instance->world == NULL)
        status = ashi_scene_build(scene, threads, instance, diagnostic);
    if (status == ASH_OK)
        status = ashi_instance_apply_events(instance, scene, time, diagnostic);
    for (uint32_t i = 0; status == ASH_OK && i < recorded.count; i++)
        status = ashi_at_object(diagnostic, place_body(instance, scene, &recorded, i, diagnostic), "bodies", i);
    if (status == ASH_OK)
        status = fail_in_world(instance->world, ash_world_detect(instance->world), diagnostic);
    return status;
}
