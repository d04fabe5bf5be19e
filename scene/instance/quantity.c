/* Outputs read from an instance. */
#include "scene/description/names.h"
#include "scene/instance/instance.h"

#include "ashlar/contact.h"
#include "ashlar/query.h"
#include "math/quat.h"

/* The motion of a point relative to another body: in its frame, which moves and turns. */
static ash_vec3 seen_vector(const ash_world *world, ash_body body, ash_body by, const ashi_scene_output *output)
{
    ash_quat turn = ash_body_get_transform(world, by).rotation;
    ash_vec3 point = ash_body_point_to_world(world, body, output->point);
    switch (output->quantity) {
    case ASHI_BODY_POSITION:
        return ash_body_point_to_local(world, by, point);
    case ASHI_BODY_VELOCITY:
        return q_unrotate(turn, v3_sub(ash_body_get_point_velocity(world, body, point),
                                       ash_body_get_point_velocity(world, by, point)));
    case ASHI_BODY_ROTATION_VECTOR:
        return q_log(q_mul(q_conjugate(turn), ash_body_get_transform(world, body).rotation));
    default:
        return q_unrotate(turn,
                          v3_sub(ash_body_get_angular_velocity(world, body), ash_body_get_angular_velocity(world, by)));
    }
}

static ash_vec3 body_vector(const ash_world *world, ash_body body, ash_body beside, const ashi_scene_output *output)
{
    if (beside.id != 0 && ashi_quantity_is_relative(output->quantity))
        return seen_vector(world, body, beside, output);
    switch (output->quantity) {
    case ASHI_BODY_POSITION:
        return ash_body_point_to_world(world, body, output->point);
    case ASHI_BODY_VELOCITY:
        return ash_body_get_point_velocity(world, body, ash_body_point_to_world(world, body, output->point));
    case ASHI_BODY_ROTATION_VECTOR:
        return q_log(ash_body_get_transform(world, body).rotation);
    case ASHI_BODY_ANGULAR_VELOCITY:
        return ash_body_get_angular_velocity(world, body);
    case ASHI_BODY_MOMENTUM:
        return ash_body_get_momentum(world, body);
    case ASHI_BODY_CONTACT_FORCE:
        return beside.id != 0 ? ash_body_get_pair_reaction(world, body, beside).force
                              : ash_body_get_reaction(world, body).force;
    case ASHI_BODY_ACCELEROMETER:
        return ash_body_get_proper_acceleration(world, body, output->point);
    case ASHI_BODY_GYROSCOPE:
        return ash_body_get_turn_rate(world, body);
    default:
        return ash_body_get_angular_momentum(world, body);
    }
}

static double component_of(ash_vec3 v, const ashi_scene_output *output)
{
    switch (output->component) {
    case ASHI_X:
        return v.x;
    case ASHI_Y:
        return v.y;
    case ASHI_Z:
        return v.z;
    case ASHI_ALONG:
        return v3_dot(v, v3_unit(output->direction));
    default:
        return v3_norm(v);
    }
}

/* The body whose own shapes the ray ignores. */
typedef struct ray_owner {
    const ash_world *world;
    ash_body body;
} ray_owner;

static bool is_other(ash_shape shape, void *user)
{
    const ray_owner *owner = user;
    return ash_shape_get_body(owner->world, shape).id != owner->body.id;
}

/* The distance to the next surface of another body, at most the reach. */
static double range(const ash_world *world, ash_body body, const ashi_scene_output *output)
{
    ray_owner owner = {world, body};
    ash_query_filter filter = ash_default_query_filter();
    filter.accept = is_other;
    filter.user = &owner;
    ash_vec3 way = q_rotate(ash_body_get_transform(world, body).rotation, v3_unit(output->direction));
    ash_ray ray = {ash_body_point_to_world(world, body, output->point), way, output->reach};
    ash_cast_hit hit;
    return ash_world_cast_ray(world, ray, &filter, &hit) ? hit.t : output->reach;
}

static double body_value(const ash_world *world, ash_body body, ash_body beside, const ashi_scene_output *output)
{
    if (!ash_body_is_valid(world, body) || (output->beside != 0 && !ash_body_is_valid(world, beside)))
        return (double)NAN;
    if (output->quantity == ASHI_BODY_RANGE)
        return range(world, body, output);
    if (output->quantity == ASHI_BODY_KINETIC_ENERGY)
        return ash_body_get_kinetic_energy(world, body);
    ash_vec3 vector = body_vector(world, body, beside, output);
    bool own_axes = output->quantity == ASHI_BODY_ACCELEROMETER || output->quantity == ASHI_BODY_GYROSCOPE ||
                    (beside.id != 0 && ashi_quantity_is_relative(output->quantity));
    if (output->component == ASHI_ALONG && !own_axes)
        vector = q_unrotate(ash_body_get_transform(world, body).rotation, vector);
    return component_of(vector, output);
}

static double force_value(const ash_world *world, ash_force force, const ashi_scene_output *output)
{
    if (!ash_force_is_valid(world, force))
        return (double)NAN;
    switch (output->quantity) {
    case ASHI_FORCE_LENGTH:
        return ash_spring_get_length(world, force);
    case ASHI_FORCE_TENSION:
        return ash_spring_get_tension(world, force);
    case ASHI_FORCE_ANGLE:
        return ash_force_get_kind(world, force) == ASH_FORCE_BENDING_SPRING
                   ? ash_bending_spring_get_angle(world, force)
                   : ash_angular_spring_get_angle(world, force);
    default:
        return ash_force_get_energy(world, force);
    }
}

static double joint_value(const ash_world *world, ash_joint joint, const ashi_scene_output *output)
{
    if (!ash_joint_is_valid(world, joint))
        return (double)NAN;
    switch (output->quantity) {
    case ASHI_JOINT_POSITION:
        return ash_joint_get_position(world, joint, output->freedom);
    case ASHI_JOINT_RATE:
        return ash_joint_get_rate(world, joint, output->freedom);
    case ASHI_JOINT_DRIVE:
        return ash_joint_get_reaction(world, joint, ASH_FRAME_WORLD).drive[output->freedom];
    case ASHI_JOINT_LINE_FORCE:
        return ash_joint_get_line_force(world, joint);
    case ASHI_JOINT_FORCE:
        return component_of(ash_joint_get_reaction(world, joint, output->frame).force, output);
    case ASHI_JOINT_TORQUE:
        return component_of(ash_joint_get_reaction(world, joint, output->frame).torque, output);
    case ASHI_JOINT_ERROR:
        return ash_joint_get_error(world, joint).distance;
    default:
        return ash_joint_get_error(world, joint).angle;
    }
}

double ashi_instance_joint_error(const ashi_instance *instance)
{
    double largest = 0;
    for (uint32_t i = 0; i < instance->joint_count; i++) {
        ash_joint joint = instance->joints[i];
        if (!ash_joint_is_valid(instance->world, joint) || !ash_joint_get_enabled(instance->world, joint))
            continue;
        double error = ash_joint_get_error(instance->world, joint).distance;
        if (!(error <= largest)) /* NaN counts */
            largest = error;
    }
    return largest;
}

static double ledger_value(const ash_ledger *ledger, ashi_quantity quantity)
{
    switch (quantity) {
    case ASHI_WORLD_KINETIC:
        return ledger->kinetic;
    case ASHI_WORLD_GRAVITY:
        return ledger->gravity;
    case ASHI_WORLD_SPRINGS:
        return ledger->springs;
    case ASHI_WORLD_TOTAL:
        return ledger->total;
    case ASHI_WORLD_DAMPERS:
        return ledger->dampers;
    case ASHI_WORLD_DRAG:
        return ledger->drag;
    case ASHI_WORLD_LOADS:
        return ledger->loads;
    case ASHI_WORLD_CALLBACKS:
        return ledger->callbacks;
    case ASHI_WORLD_IMPACTS:
        return ledger->impacts;
    case ASHI_WORLD_FRICTION:
        return ledger->friction;
    case ASHI_WORLD_STABILIZATION:
        return ledger->stabilization;
    case ASHI_WORLD_SLEEP:
        return ledger->sleep;
    case ASHI_WORLD_EXTERNAL:
        return ledger->external;
    default:
        return ledger->remainder;
    }
}

static double world_value(const ash_world *world, const ashi_scene_output *output, const ash_ledger *known)
{
    if (output->quantity == ASHI_WORLD_MOMENTUM)
        return component_of(ash_world_get_momentum(world), output);
    if (output->quantity == ASHI_WORLD_ANGULAR_MOMENTUM)
        return component_of(ash_world_get_angular_momentum(world), output);
    if (output->quantity == ASHI_WORLD_CONTACTS)
        return ash_world_get_contacts(world, NULL, 0);
    if (output->quantity == ASHI_WORLD_CONTACT_POINTS)
        return ash_world_get_report(world).contact_points;
    if (output->quantity == ASHI_WORLD_PAIRS)
        return ash_world_get_report(world).pairs;
    if (output->quantity == ASHI_WORLD_PAIR_TESTS)
        return ash_world_get_report(world).pair_tests;
    if (output->quantity == ASHI_WORLD_JOINT_CORRECTIONS)
        return ash_world_get_report(world).joint_corrections;
    if (output->quantity == ASHI_WORLD_VELOCITY_CORRECTIONS)
        return ash_world_get_report(world).velocity_corrections;
    if (output->quantity == ASHI_WORLD_PENETRATION)
        return ash_world_get_report(world).penetration;
    if (output->quantity == ASHI_WORLD_RESIDUAL)
        return ash_world_get_report(world).error.largest;
    ash_ledger ledger = known != NULL ? *known : ash_world_get_ledger(world);
    return ledger_value(&ledger, output->quantity);
}

double ashi_instance_read_output(const ashi_instance *instance, const ash_scene *scene, uint32_t number)
{
    return ashi_instance_read_output_by(instance, scene, number, NULL);
}

double ashi_instance_read_output_by(const ashi_instance *instance, const ash_scene *scene, uint32_t number,
                                    const ash_ledger *known)
{
    const ashi_scene_output *output = &scene->outputs.data[number];
    switch (ashi_quantity_owner(output->quantity)) {
    case ASHI_OF_BODY:
        return body_value(instance->world, instance->bodies[output->object],
                          output->beside != 0 ? instance->bodies[output->beside - 1] : (ash_body){0}, output);
    case ASHI_OF_JOINT:
        return joint_value(instance->world, instance->joints[output->object], output);
    case ASHI_OF_FORCE:
        return force_value(instance->world, instance->forces[output->object], output);
    default:
        if (output->quantity == ASHI_WORLD_JOINT_ERROR)
            return ashi_instance_joint_error(instance);
        return world_value(instance->world, output, known);
    }
}

bool ashi_output_is_indeterminate(const ashi_instance *instance, const ash_scene *scene, uint32_t number)
{
    const ashi_scene_output *output = &scene->outputs.data[number];
    if (output->quantity != ASHI_JOINT_FORCE && output->quantity != ASHI_JOINT_TORQUE)
        return false;
    ash_joint joint = instance->joints[output->object];
    return ash_joint_is_valid(instance->world, joint) && ash_joint_get_enabled(instance->world, joint) &&
           ash_joint_get_reaction(instance->world, joint, ASH_FRAME_WORLD).indeterminate;
}
