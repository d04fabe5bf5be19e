/* Forces as they act: springs as coils or lines, pulls as lines, loads as arrows; and joints that are lines: rods,
 * ropes, springs, cylinders, and ropes over pulleys. */
#include <math.h>

#include "app/picture/subject.h"
#include "math/transform.h"
#include "world/world.h"

static const double load_of_size = 0.12; /* the longest load's arrow, of the subject's size */

static ash_vec3 point_of(const ash_world *world, uint32_t body, ash_vec3 point)
{
    const ashi_bodies *bodies = &world->model.bodies;
    return t_point(ashi_body_frame(bodies, &bodies->now, body), point);
}

static void add_springs(cli_subject *subject, double point_radius, double line_radius)
{
    const ash_world *world = subject->world;
    const ashi_forces *forces = &world->model.forces;
    for (uint32_t i = 0; i < forces->springs.count; i++) {
        const ashi_spring *spring = &forces->springs.data[i];
        if (!spring->head.enabled)
            continue;
        ash_vec3 a = point_of(world, spring->body_a, spring->point_a),
                 b = point_of(world, spring->body_b, spring->point_b);
        bool slack = spring->tension_only && v3_distance(a, b) < spring->rest_length;
        cli_subject_add_spring(subject, a, b, line_radius, slack ? subject->theme.slack : subject->theme.spring);
        /* What holds a spring in the world is seen too. */
        if (spring->body_a == 0)
            cli_items_add_ball(&subject->solids, a, 0.8 * point_radius, subject->theme.fixed);
        if (spring->body_b == 0)
            cli_items_add_ball(&subject->solids, b, 0.8 * point_radius, subject->theme.fixed);
    }
    for (uint32_t i = 0; i < forces->angular_springs.count; i++) {
        const ashi_angular_spring *spring = &forces->angular_springs.data[i];
        const ash_vec3 *position = world->model.bodies.now.position;
        if (spring->head.enabled && spring->body_a != 0 && spring->body_b != 0)
            cli_items_add_line(&subject->solids, position[spring->body_a], position[spring->body_b], line_radius,
                               subject->theme.driven);
    }
}

static void add_pulls(cli_subject *subject, double point_radius, double line_radius)
{
    const ashi_forces *forces = &subject->world->model.forces;
    for (uint32_t i = 0; i < forces->pulls.count; i++) {
        const ashi_pull *pull = &forces->pulls.data[i];
        if (!pull->head.enabled)
            continue;
        cli_items_add_line(&subject->solids, point_of(subject->world, pull->body, pull->point), pull->target,
                           line_radius, subject->theme.pull);
        cli_items_add_ball(&subject->solids, pull->target, point_radius, subject->theme.pull);
    }
}

/* As they were applied last; the longest arrow belongs to the largest force. */
static void add_loads(cli_subject *subject, double line_radius)
{
    const ashi_forces *forces = &subject->world->model.forces;
    double largest = 0;
    for (uint32_t i = 0; i < forces->loads.count; i++)
        largest = fmax(largest, v3_norm(forces->loads.data[i].applied_force));
    for (uint32_t i = 0; largest > 0 && i < forces->loads.count; i++) {
        const ashi_load *load = &forces->loads.data[i];
        ash_vec3 at = point_of(subject->world, load->body, load->point);
        double scale = load_of_size * subject->size / largest;
        if (load->head.enabled)
            cli_items_add_arrow(&subject->solids, v3_add_scaled(at, load->applied_force, -scale), at, 1.4 * line_radius,
                                subject->theme.pull);
    }
}

static ash_vec3 joint_end(const ash_world *world, uint32_t body, ash_transform frame)
{
    return point_of(world, body, frame.position);
}

static void add_joints(cli_subject *subject, double line_radius)
{
    const ash_world *world = subject->world;
    const ashi_joints *joints = &world->model.joints;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        const ashi_joint_entry *joint = &joints->entries.data[i];
        if (!ashi_pool_in_use(&joints->pool, i) || !joint->enabled)
            continue;
        ash_vec3 a = joint_end(world, joint->body_a, joint->frame_a),
                 b = joint_end(world, joint->body_b, joint->frame_b);
        bool rope = joint->kind == ASH_JOINT_ROPE && v3_distance(a, b) < joint->length * (1 - 1e-6);
        cli_colour colour = rope ? subject->theme.slack : subject->theme.spring;
        if (joint->kind == ASH_JOINT_HYDRAULIC)
            cli_subject_add_telescope(subject, a, b, joint->min_length, line_radius);
        else if (joint->axes != NULL && joint->axes[ASH_MOVE_X].stiffness > 0)
            cli_subject_add_spring(subject, a, b, line_radius, subject->theme.spring);
        else if (joint->kind == ASH_JOINT_DISTANCE || joint->kind == ASH_JOINT_ROPE)
            cli_items_add_line(&subject->solids, a, b, line_radius, colour);
        else if (joint->kind == ASH_JOINT_PULLEY) {
            cli_items_add_line(&subject->solids, a, joint->hang_a, line_radius, colour);
            cli_items_add_line(&subject->solids, joint->hang_a, joint->hang_b, line_radius, colour);
            cli_items_add_line(&subject->solids, joint->hang_b, b, line_radius, colour);
        }
    }
}

void cli_subject_add_forces(cli_subject *subject, double point_radius, double line_radius)
{
    add_springs(subject, point_radius, line_radius);
    add_pulls(subject, point_radius, line_radius);
    add_loads(subject, line_radius);
    add_joints(subject, line_radius);
}
