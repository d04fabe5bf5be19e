/* Plane links, pins, and runs of reference mechanisms. */
#include "experiments/builtin/mechanism.h"

#include "math/elementary.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <math.h>

static ash_quat about_z(double angle)
{
    double sine, cosine;
    ashi_sincos(angle / 2, &sine, &cosine);
    return (ash_quat){cosine, 0, 0, sine};
}

ash_status ashi_add_link(ash_scene *scene, const ashi_linkage_link *link, uint32_t *body, ash_diagnostic *diagnostic)
{
    ash_body_def def = ash_default_body_def();
    def.name = link->name;
    def.mass = link->mass;
    def.inertia = (ash_sym3){.xx = link->inertia, .yy = link->inertia, .zz = link->inertia};
    def.position = link->centre;
    def.rotation = about_z(link->angle);
    def.velocity = link->velocity;
    def.angular_velocity = v3(0, 0, link->spin);
    *body = ashi_scene_add_body(scene, &def);
    if (v3_distance(link->from, link->to) == 0)
        return ASH_OK;
    ash_vec3 from = q_unrotate(def.rotation, v3_sub(link->from, link->centre));
    ash_vec3 to = q_unrotate(def.rotation, v3_sub(link->to, link->centre)), along = v3_sub(to, from);
    ash_geometry_def seen = ash_default_geometry_def(ASH_GEOMETRY_FLAT_CAPSULE);
    seen.height = v3_norm(along);
    seen.radius = link->radius;
    ash_geometry *geometry = NULL;
    ash_status status = ash_geometry_create(&seen, &geometry, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_scene_shape shape = ashi_default_scene_shape();
    shape.geometry = ashi_scene_add_geometry(scene, link->name, geometry);
    shape.density = 0;
    shape.mask = 0; /* only seen */
    shape.pose = (ash_transform){v3_scale(v3_add(from, to), 0.5), about_z(ashi_atan2(along.y, along.x))};
    if (shape.geometry != ASHI_NONE && *body != ASHI_NONE)
        ashi_scene_add_shape(scene, *body, &shape);
    return ASH_OK;
}

static ash_vec3 seen_from(const ash_scene *scene, uint32_t body, ash_vec3 point)
{
    if (body == ASHI_NONE)
        return point;
    const ash_body_def *def = &scene->bodies.data[body].def;
    return q_unrotate(def->rotation, v3_sub(point, def->position));
}

uint32_t ashi_pin(ash_scene *scene, const char *name, uint32_t body_a, uint32_t body_b, ash_vec3 point)
{
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_HINGE);
    def.name = name;
    def.body_a = body_a != ASHI_NONE ? ashi_scene_body_ref(body_a) : (ash_body){0};
    def.body_b = body_b != ASHI_NONE ? ashi_scene_body_ref(body_b) : (ash_body){0};
    def.frame_a.position = seen_from(scene, body_a, point);
    def.frame_b.position = seen_from(scene, body_b, point);
    return ashi_scene_add_joint(scene, &def);
}

typedef struct watch {
    const ashi_experiment *experiment;
    double h, start;
    const double *times;
    uint32_t count, done;
    ashi_outcome *outcomes;
    ashi_outcome now;
} watch;

static bool observe(const ash_world *world, uint32_t step, void *data)
{
    watch *w = data;
    const ash_scene *scene = w->experiment->scene;
    double total = ash_world_get_ledger(world).total;
    if (step == 0)
        w->start = total;
    w->now.energy = fmax(w->now.energy, fabs(total - w->start));
    w->now.joint_error = fmax(w->now.joint_error, ash_world_get_report(world).joint_error);
    if (w->done < w->count && step == (uint32_t)lround(w->times[w->done] / w->h)) {
        for (uint32_t i = 0; i < scene->outputs.count && i < 8; i++)
            w->now.outputs[i] = ashi_instance_read_output(&w->experiment->instance, scene, i);
        w->now.finished = true;
        w->outcomes[w->done++] = w->now;
    }
    return isfinite(total);
}

ash_status ashi_run_mechanism(const char *scene, const char *method, double h, const double *times, uint32_t count,
                              ashi_outcome *outcomes, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, scene, "method=%s", method);
    if (status != ASH_OK)
        return status;
    for (uint32_t i = 0; i < count; i++)
        outcomes[i] = (ashi_outcome){.energy = HUGE_VAL, .joint_error = HUGE_VAL};
    watch w = {.experiment = &experiment, .h = h, .times = times, .count = count, .outcomes = outcomes};
    uint32_t taken, steps = (uint32_t)lround(times[count - 1] / h);
    status = ashi_experiment_run(&experiment, h, steps, observe, &w, &taken, diagnostic);
    ashi_experiment_close(&experiment);
    return status;
}
