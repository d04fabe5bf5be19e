/* Plane links, pins, and runs of reference mechanisms. */
#include "scene/builtin/mechanism.h"

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

ash_status ashi_add_link(ash_scene *scene, const ashi_link *link, uint32_t *body, ash_diagnostic *diagnostic)
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
    ashi_outcome *outcome;
    double start;
} watch;

static bool observe(const ash_world *world, uint32_t step, void *data)
{
    watch *w = data;
    double total = ash_world_ledger(world).total;
    if (step == 0)
        w->start = total;
    w->outcome->energy = fmax(w->outcome->energy, fabs(total - w->start));
    w->outcome->joint_error = fmax(w->outcome->joint_error, ash_world_report(world).joint_error);
    return isfinite(total);
}

ash_status ashi_run_mechanism(const char *scene, const char *method, double h, double time, ashi_outcome *outcome,
                              ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, scene, "method=%s", method);
    if (status != ASH_OK)
        return status;
    *outcome = (ashi_outcome){0};
    watch w = {outcome, 0};
    uint32_t taken = 0, steps = (uint32_t)lround(time / h);
    status = ashi_experiment_run(&experiment, h, steps, observe, &w, &taken, diagnostic);
    outcome->finished = taken == steps;
    uint32_t count = experiment.scene->outputs.count < 8 ? experiment.scene->outputs.count : 8;
    for (uint32_t i = 0; i < count; i++)
        outcome->outputs[i] = ashi_instance_read_output(&experiment.instance, experiment.scene, i);
    ashi_experiment_close(&experiment);
    return status;
}
