/* Joints that follow others, as machines do it: by gears.
 *
 * A gear is a force at the point where two pitch circles meet, so that it needs only the two wheels and holds wherever
 * their bearings go. Two joints can be geared when one body has the bearings of both: the other bodies of the joints
 * are then the wheels. Joints that follow the same leader follow each other, too, so that each looks for a partner
 * among all of them. */
#include "math/transform.h"
#include "scene/import/urdf.h"

#include <math.h>

/* A joint as seen from the body that has its bearing. */
typedef struct bearing {
    uint32_t wheel;       /* group */
    double sense;         /* 1: the wheel is the child, -1: the parent */
    ash_vec3 point, axis; /* in the world */
} bearing;

static bearing bearing_of(const urdf *u, const urdf_joint *joint, bool at_parent)
{
    const urdf_link *child = &u->links[joint->child];
    uint32_t parent_group = u->links[joint->parent].group, child_group = child->group;
    return (bearing){at_parent ? child_group : parent_group, at_parent ? 1 : -1, child->pose.position,
                     q_rotate(child->pose.rotation, joint->axis)};
}

/* A frame at a point of the world with x along an axis, on a group's body. */
static ash_transform frame_on(const urdf *u, uint32_t group, ash_vec3 point, ash_vec3 axis)
{
    ash_transform frame = {point, ashi_turn_x_along(axis)};
    frame = t_mul(t_inverse(u->links[group].pose), frame);
    frame.rotation = q_unit(frame.rotation);
    return frame;
}

static bool turns(const urdf_joint *joint)
{
    return joint->kind == URDF_REVOLUTE || joint->kind == URDF_CONTINUOUS;
}

/* Wheels on parallel axes, apart from each other: b turns `ratio` times as far as a. */
static bool gear_wheels(const bearing *a, const bearing *b, double ratio, const urdf *u, ash_joint_def *def)
{
    double along = v3_dot(a->axis, b->axis), sense = along < 0 ? -1 : 1;
    ash_vec3 between = v3_sub(b->point, a->point);
    between = v3_add_scaled(between, a->axis, -v3_dot(between, a->axis));
    double apart = v3_norm(between);
    if (v3_norm(v3_cross(a->axis, b->axis)) > 1e-6 || !(apart > 1e-6) || ratio == 0)
        return false;
    *def = ash_default_joint_def(ASH_JOINT_GEAR);
    def->radius_a = apart * fabs(ratio) / (1 + fabs(ratio));
    def->radius_b = -def->radius_a * sense * a->sense * b->sense / ratio;
    def->frame_a = frame_on(u, a->wheel, a->point, a->axis);
    def->frame_b = frame_on(u, b->wheel, v3_add(a->point, between), b->axis);
    return true;
}

/* A slider along a line across the axis of a wheel: the slider moves by `travel` for a radian of the wheel. */
static bool gear_rack(const bearing *slider, const bearing *wheel, double travel, const urdf *u, ash_joint_def *def)
{
    if (fabs(v3_dot(slider->axis, wheel->axis)) > 1e-6 || travel == 0)
        return false;
    *def = ash_default_joint_def(ASH_JOINT_RACK);
    /* At the pitch point, on the side where the wheel's turning moves it the way the slider goes. */
    ash_vec3 side = v3_cross(slider->axis, wheel->axis);
    double signed_radius = -travel * slider->sense * wheel->sense;
    ash_vec3 pitch = v3_add_scaled(wheel->point, side, -signed_radius);
    def->radius_b = fabs(travel);
    def->frame_a = frame_on(u, slider->wheel, pitch, slider->axis);
    def->frame_b = frame_on(u, wheel->wheel, wheel->point, wheel->axis);
    return true;
}

/* Gears `follower` to `leader`, where a body has both bearings. */
static bool gear(const urdf *u, const urdf_joint *leader, const urdf_joint *follower, double ratio, ash_joint_def *def)
{
    for (int i = 0; i < 4; i++) {
        bool a_at_parent = (i & 1) == 0, b_at_parent = (i & 2) == 0;
        uint32_t carrier_a = u->links[a_at_parent ? leader->parent : leader->child].group;
        uint32_t carrier_b = u->links[b_at_parent ? follower->parent : follower->child].group;
        bearing a = bearing_of(u, leader, a_at_parent), b = bearing_of(u, follower, b_at_parent);
        if (carrier_a != carrier_b || a.wheel == b.wheel)
            continue;
        bool made = false, swapped = false;
        if (turns(leader) && turns(follower))
            made = gear_wheels(&a, &b, ratio, u, def);
        else if (!turns(leader) && turns(follower))
            made = gear_rack(&a, &b, 1 / ratio, u, def);
        else if (turns(leader)) {
            made = gear_rack(&b, &a, ratio, u, def);
            swapped = true;
        }
        if (!made)
            continue;
        def->body_a = ashi_scene_body_ref(u->links[swapped ? b.wheel : a.wheel].body);
        def->body_b = ashi_scene_body_ref(u->links[swapped ? a.wheel : b.wheel].body);
        return true;
    }
    return false;
}

/* The joint that is followed in the end, and by what factor. */
static const urdf_joint *root_of(const urdf *u, const urdf_joint *joint, double *factor)
{
    *factor = 1;
    while (joint->leader != ASHI_NONE && urdf_moves(joint)) {
        *factor *= joint->multiplier;
        joint = &u->joints[joint->leader];
    }
    return joint;
}

static bool add(urdf *u, const urdf_joint *follower, ash_joint_def *def)
{
    def->name = ashi_scene_text(u->draft->scene, "%s mimic", follower->name);
    def->collide = true;
    return ashi_scene_add_joint(u->draft->scene, def) != ASHI_NONE || ashi_draft_no_memory(u->draft);
}

/* Joins it with one that already moves as it should: the leader, or another that follows the same root. */
static bool add_mimic(urdf *u, const urdf_joint *follower, const bool *joined, bool *done)
{
    double own, other;
    const urdf_joint *root = root_of(u, follower, &own);
    ash_joint_def def;
    *done = true;
    for (uint32_t i = 0; i < u->joint_count; i++) {
        const urdf_joint *partner = &u->joints[i];
        if (!joined[i] || !urdf_moves(partner) || root_of(u, partner, &other) != root || other == 0)
            continue;
        if (gear(u, partner, follower, own / other, &def))
            return add(u, follower, &def);
    }
    *done = false;
    return true;
}

bool urdf_add_mimics(urdf *u)
{
    bool *joined = ashi_arena_take_array(u->draft->arena, u->joint_count + 1, sizeof *joined);
    if (joined == NULL)
        return ashi_draft_no_memory(u->draft);
    for (uint32_t i = 0; i < u->joint_count; i++)
        joined[i] = u->joints[i].leader == ASHI_NONE || !urdf_moves(&u->joints[i]);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < u->joint_count; i++) {
            bool done = false;
            if (!joined[i] && !add_mimic(u, &u->joints[i], joined, &done))
                return false;
            if (done)
                joined[i] = more = true;
        }
    }
    for (uint32_t i = 0; i < u->joint_count; i++)
        if (!joined[i])
            ashi_draft_note(u->draft, u->joints[i].mimic,
                            "the joint moves on its own: no gear can make \"%.60s\" follow \"%.60s\" (no body has the "
                            "bearings of both, or their axes are on one line or askew)",
                            u->joints[i].name, u->joints[u->joints[i].leader].name);
    return true;
}
