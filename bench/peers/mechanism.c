/* Mechanisms from worlds, and the error of their joints, which is measured from bodies' places in the same way for
 * every engine. Bodies have the order of the scene. */
#include "mechanism.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "math/quat.h"
#include "math/transform.h"
#include "math/vec3.h"

#include <math.h>

static ash_status not_suitable(ash_diagnostic *diagnostic, const char *what)
{
    return ashi_fail(diagnostic, ASH_BAD_DATA, "bench.peers", "other engines are given %s only", what);
}

static ash_vec3 point_in(const peer_body *body, ash_vec3 point)
{
    return q_unrotate(body->rotation, v3_sub(point, body->position));
}

static ash_status take_bodies(const ash_world *world, const ash_body *bodies, peer_mechanism *mechanism,
                              ash_diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < mechanism->body_count; ++i) {
        ash_mass_properties mass = ash_body_get_mass(world, bodies[i]);
        ash_quat rotation = q_mul(ash_body_get_transform(world, bodies[i]).rotation, mass.principal_axes);
        if (ash_body_get_type(world, bodies[i]) != ASH_BODY_DYNAMIC ||
            ash_body_get_kinetic_energy(world, bodies[i]) > 0)
            return not_suitable(diagnostic, "dynamic bodies that start at rest");
        mechanism->bodies[i] = (peer_body){mass.mass, mass.principal, ash_body_get_centre(world, bodies[i]), rotation};
    }
    return ASH_OK;
}

static uint32_t number_of(const ash_body *bodies, uint32_t count, ash_body body)
{
    for (uint32_t i = 0; i < count; ++i)
        if (bodies[i].id == body.id)
            return i;
    return PEER_WORLD;
}

static ash_status take_joints(const ash_world *world, const ash_body *bodies, const ash_joint *joints,
                              peer_mechanism *mechanism, ash_diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < mechanism->joint_count; ++i) {
        uint32_t a = number_of(bodies, mechanism->body_count, ash_joint_get_body_a(world, joints[i]));
        uint32_t b = number_of(bodies, mechanism->body_count, ash_joint_get_body_b(world, joints[i]));
        ash_vec3 at_a = ash_joint_get_frame_a(world, joints[i]).position;
        ash_vec3 at_b = ash_joint_get_frame_b(world, joints[i]).position;
        if (ash_joint_get_kind(world, joints[i]) != ASH_JOINT_BALL || b == PEER_WORLD)
            return not_suitable(diagnostic, "ball joints whose second body can move");
        mechanism->joints[i] = (peer_joint){a, b, a == PEER_WORLD ? at_a : point_in(&mechanism->bodies[a], at_a),
                                            point_in(&mechanism->bodies[b], at_b)};
    }
    return ASH_OK;
}

/* Torques come from the description: a reference there is the body's number plus one. */
static ash_status take_torques(const ash_scene *scene, peer_mechanism *mechanism, ash_diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < mechanism->torque_count; ++i) {
        const ashi_scene_force *force = &scene->forces.data[i];
        const ash_load_def *load = &force->def.load;
        if (force->kind != ASH_FORCE_LOAD || force->disabled || load->body_axes || v3_norm(load->force) > 0 ||
            load->signal.kind != ASH_SIGNAL_CONSTANT)
            return not_suitable(diagnostic, "constant torques along the world's axes");
        mechanism->torques[i] = (peer_torque){(uint32_t)load->body.id - 1, load->torque, load->start, load->stop};
    }
    return ASH_OK;
}

void peer_mechanism_release(peer_mechanism *mechanism)
{
    ashi_free(mechanism->bodies);
    ashi_free(mechanism->joints);
    ashi_free(mechanism->torques);
    *mechanism = (peer_mechanism){0};
}

ash_status peer_mechanism_make(const ashi_experiment *experiment, peer_mechanism *mechanism, ash_diagnostic *diagnostic)
{
    const ash_world *world = experiment->world;
    uint32_t bodies_here = ash_world_bodies(world, NULL, 0), joints_here = ash_world_joints(world, NULL, 0);
    ash_body *bodies = ashi_alloc_array(bodies_here, sizeof *bodies);
    ash_joint *joints = ashi_alloc_array(joints_here, sizeof *joints);
    *mechanism = (peer_mechanism){.gravity = ash_world_get_gravity(world),
                                  .body_count = bodies_here,
                                  .joint_count = joints_here,
                                  .torque_count = experiment->scene->forces.count};
    mechanism->bodies = ashi_alloc_array(bodies_here, sizeof *mechanism->bodies);
    mechanism->joints = ashi_alloc_array(joints_here, sizeof *mechanism->joints);
    mechanism->torques = ashi_alloc_array(mechanism->torque_count + 1, sizeof *mechanism->torques);
    bool good = bodies && joints && mechanism->bodies && mechanism->joints && mechanism->torques;
    ash_status status = good ? ASH_OK : ashi_out_of_memory(diagnostic);
    if (status == ASH_OK) {
        ash_world_bodies(world, bodies, bodies_here);
        ash_world_joints(world, joints, joints_here);
        status = take_bodies(world, bodies, mechanism, diagnostic);
    }
    if (status == ASH_OK)
        status = take_joints(world, bodies, joints, mechanism, diagnostic);
    if (status == ASH_OK)
        status = take_torques(experiment->scene, mechanism, diagnostic);
    ashi_free(joints);
    ashi_free(bodies);
    if (status != ASH_OK)
        peer_mechanism_release(mechanism);
    return status;
}

double peer_joint_error(const peer_mechanism *mechanism, const ash_transform *places)
{
    double most = 0;
    for (uint32_t i = 0; i < mechanism->joint_count; ++i) {
        const peer_joint *joint = &mechanism->joints[i];
        ash_vec3 a = joint->a == PEER_WORLD ? joint->point_a : t_point(places[joint->a], joint->point_a);
        double apart = v3_norm(v3_sub(t_point(places[joint->b], joint->point_b), a));
        most = isfinite(apart) ? fmax(most, apart) : HUGE_VAL;
    }
    return most;
}
