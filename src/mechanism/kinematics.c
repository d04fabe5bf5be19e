/* From the world's state to coordinates, and from coordinates to poses, velocities and motion vectors. */
#include "math/elementary.h"
#include "mechanism/mechanism.h"
#include "model/joint_class.h"

#include <string.h>

static ash_vec3 unit(int axis)
{
    return v3(axis == 0, axis == 1, axis == 2);
}

/* The rotation by an angle about an axis of a frame. */
static ash_quat turned(int axis, double angle)
{
    double sine, cosine;
    ashi_sincos(0.5 * angle, &sine, &cosine);
    return (ash_quat){cosine, axis == 0 ? sine : 0, axis == 1 ? sine : 0, axis == 2 ? sine : 0};
}

static ash_quat *quaternion(double *positions, const ashi_motion_axis *axis)
{
    return (ash_quat *)(void *)(positions + axis->position); /* w x y z, as in the list */
}

/* ---- the world's state in coordinates ---- */

/* The pose of frame b seen from frame a, at the model's present state. */
static ash_transform relative_pose(const ashi_linkage *m, const ashi_tree_link *link)
{
    const ashi_bodies *b = &m->model->bodies;
    uint32_t a = link->reversed ? link->body : link->parent_body,
             other = link->reversed ? link->parent_body : link->body;
    ash_transform frame_a = t_mul(ashi_body_frame(b, &b->now, a), link->frame_a);
    return t_mul(t_inverse(frame_a), t_mul(ashi_body_frame(b, &b->now, other), link->frame_b));
}

/* A floating body: moves along the world's axes, and turns. */
static void look_at_floating(ashi_linkage *m, const ashi_tree_link *link)
{
    const ashi_bodies *b = &m->model->bodies;
    ash_transform seen = relative_pose(m, link);
    ash_vec3 arm = v3_sub(ashi_body_frame(b, &b->now, link->body).position, b->now.position[link->body]);
    ash_vec3 spin = b->now.spin[link->body], velocity = v3_add(b->now.velocity[link->body], v3_cross(spin, arm));
    ash_vec3 own = q_unrotate(b->now.rotation[link->body], spin);
    double at[] = {seen.position.x, seen.position.y, seen.position.z}, rate[] = {velocity.x, velocity.y, velocity.z};
    double turning[] = {spin.x, spin.y, spin.z}, own_turning[] = {own.x, own.y, own.z};
    double parts[] = {seen.rotation.x, seen.rotation.y, seen.rotation.z};
    for (uint32_t i = link->first; i < link->first + link->count; i++) {
        const ashi_motion_axis *axis = &m->axes[i];
        double *position = &m->positions[axis->position];
        if (axis->form == ASHI_MOTION_MOVE) {
            *position = at[axis->axis];
            m->rates[i] = rate[axis->axis];
        } else if (axis->form == ASHI_MOTION_TURN) {
            *position = ashi_count_turns(2 * ashi_atan2(parts[axis->axis], seen.rotation.w), *position);
            m->rates[i] = turning[axis->axis];
        } else {
            *quaternion(m->positions, axis) = seen.rotation;
            m->rates[i] = own_turning[axis->axis];
        }
    }
}

static void look_at_jointed(ashi_linkage *m, const ashi_tree_link *link)
{
    const ashi_joint_entry *joint = &m->model->joints.entries.data[link->joint];
    ashi_joint_frames frames = ashi_joint_frames_at(m->model, joint, &m->model->bodies.now);
    ash_vec3 spin = v3_sub(frames.spin_b, frames.spin_a);
    for (uint32_t i = link->first; i < link->first + link->count; i++) {
        const ashi_motion_axis *axis = &m->axes[i];
        if (axis->form == ASHI_MOTION_BALL) {
            *quaternion(m->positions, axis) = frames.turn;
            m->rates[i] = v3_dot(spin, frames.axes_b[axis->axis]);
            continue;
        }
        ashi_joint_row row = ashi_joint_coordinate(joint, &frames, axis->freedom);
        m->positions[axis->position] = row.error;
        m->rates[i] = ashi_joint_row_rate(&frames, &row);
    }
}

void ashi_linkage_look(ashi_linkage *m)
{
    for (uint32_t i = 0; i < m->link_count; i++)
        if (m->links[i].joint == ASHI_NO_SLOT)
            look_at_floating(m, &m->links[i]);
        else
            look_at_jointed(m, &m->links[i]);
}

bool ashi_linkage_normalize(double *positions, const ashi_linkage *m)
{
    for (uint32_t i = 0; i < m->position_count; i++)
        if (!isfinite(positions[i]))
            return false;
    for (uint32_t i = 0; i < m->rate_count; i++) {
        ash_quat *q = quaternion(positions, &m->axes[i]);
        if (m->axes[i].form != ASHI_MOTION_BALL || m->axes[i].axis != 0)
            continue;
        if (!(q_norm2(*q) > 1e-12 && q_norm2(*q) < 1e12))
            return false;
        *q = q_unit(*q);
    }
    return true;
}

/* ---- poses ---- */

/* The pose of frame b seen from frame a, by the coordinates. */
static ash_transform chain_pose(const ashi_linkage *m, const ashi_tree_link *link)
{
    ash_transform t = {v3(0, 0, 0), q_identity()};
    for (uint32_t i = link->first; i < link->first + link->count; i++) {
        const ashi_motion_axis *axis = &m->axes[i];
        double at = m->positions[axis->position];
        if (axis->form == ASHI_MOTION_MOVE)
            t.position = v3_add_scaled(t.position, unit(axis->axis), at);
        else if (axis->form == ASHI_MOTION_SCREW)
            t.position = v3_scale(unit(axis->axis), at * link->travel);
        if (axis->form == ASHI_MOTION_TURN || axis->form == ASHI_MOTION_SCREW)
            t.rotation = q_mul(t.rotation, turned(axis->axis, at));
        else if (axis->form == ASHI_MOTION_BALL && axis->axis == 0)
            t.rotation = *quaternion(m->positions, axis);
    }
    return t;
}

static ash_transform parent_pose(const ashi_linkage *m, const ashi_tree_link *link)
{
    const ashi_bodies *b = &m->model->bodies;
    return link->parent != ASHI_NO_LINK ? m->pose[link->parent] : ashi_body_frame(b, &b->now, link->parent_body);
}

static void place_links(ashi_linkage *m)
{
    const ashi_bodies *b = &m->model->bodies;
    ash_vec3 sum = v3(0, 0, 0);
    for (uint32_t i = 0; i < m->link_count; i++) {
        const ashi_tree_link *link = &m->links[i];
        ash_transform chain = chain_pose(m, link), parent = parent_pose(m, link);
        m->pose[i] = link->reversed
                         ? t_mul(t_mul(t_mul(parent, link->frame_b), t_inverse(chain)), t_inverse(link->frame_a))
                         : t_mul(t_mul(t_mul(parent, link->frame_a), chain), t_inverse(link->frame_b));
        m->pose[i].rotation = q_unit(m->pose[i].rotation);
        m->state.rotation[link->body] = m->pose[i].rotation;
        m->state.position[link->body] = t_point(m->pose[i], b->info[link->body].mass.centre);
        sum = v3_add(sum, m->state.position[link->body]);
    }
    m->point = v3_scale(sum, 1.0 / (m->link_count > 0 ? m->link_count : 1));
}

/* ---- velocities and motion vectors ---- */

static ashi_spatial parent_velocity(const ashi_linkage *m, const ashi_tree_link *link)
{
    if (link->parent != ASHI_NO_LINK)
        return m->velocity[link->parent];
    const ashi_state *now = &m->model->bodies.now;
    uint32_t body = link->parent_body;
    ash_vec3 from = v3_sub(m->point, now->position[body]);
    return (ashi_spatial){now->spin[body], v3_add(now->velocity[body], v3_cross(now->spin[body], from))};
}

/* S of a link's motions, along the growing coordinate: b against a. */
static void find_motions(ashi_linkage *m, uint32_t number)
{
    const ashi_tree_link *link = &m->links[number];
    ash_transform parent = parent_pose(m, link), own = m->pose[number];
    ash_transform frame_a = t_mul(link->reversed ? own : parent, link->frame_a);
    ash_transform frame_b = t_mul(link->reversed ? parent : own, link->frame_b);
    ash_vec3 from = v3_sub(m->point, frame_b.position);
    ash_quat running = frame_a.rotation;
    for (uint32_t i = link->first; i < link->first + link->count; i++) {
        const ashi_motion_axis *axis = &m->axes[i];
        ash_vec3 along = q_rotate(axis->form == ASHI_MOTION_BALL ? frame_b.rotation : running, unit(axis->axis));
        m->s[i] = axis->form == ASHI_MOTION_MOVE ? (ashi_spatial){v3(0, 0, 0), along} : sp_turn(along, from);
        if (axis->form == ASHI_MOTION_SCREW)
            m->s[i].linear = v3_add_scaled(m->s[i].linear, along, link->travel);
        if (axis->form == ASHI_MOTION_TURN)
            running = q_mul(running, turned(axis->axis, m->positions[axis->position]));
    }
}

/* The link's velocity and dS/dt; then both along the way from the parent to the link. */
static void find_rates(ashi_linkage *m, uint32_t number)
{
    const ashi_tree_link *link = &m->links[number];
    double sign = link->reversed ? -1 : 1;
    ashi_spatial parent = parent_velocity(m, link), own = parent;
    for (uint32_t i = link->first; i < link->first + link->count; i++)
        own = sp_add_scaled(own, m->s[i], sign * m->rates[i]);
    m->velocity[number] = own;
    ashi_spatial running = link->reversed ? own : parent, b = link->reversed ? parent : own;
    for (uint32_t i = link->first; i < link->first + link->count; i++) {
        m->s_rate[i] = sp_scale(sp_cross_motion(m->axes[i].form == ASHI_MOTION_BALL ? b : running, m->s[i]), sign);
        running = sp_add_scaled(running, m->s[i], m->rates[i]);
        m->s[i] = sp_scale(m->s[i], sign);
    }
}

static void find_inertia(ashi_linkage *m, uint32_t number)
{
    const ashi_bodies *b = &m->model->bodies;
    uint32_t body = m->links[number].body;
    const ash_mass_properties *mass = &b->info[body].mass;
    ash_vec3 centre = v3_sub(m->state.position[body], m->point);
    m->inertia[number] = (ashi_spatial_inertia){
        mass->mass, v3_scale(centre, mass->mass),
        s3_add(s3_rotated(mass->inertia, m->pose[number].rotation), s3_point_inertia(mass->mass, centre))};
    m->state.spin[body] = m->velocity[number].angular;
    m->state.velocity[body] = v3_add(m->velocity[number].linear, v3_cross(m->velocity[number].angular, centre));
}

void ashi_linkage_update(ashi_linkage *m)
{
    const ashi_state *now = &m->model->bodies.now;
    for (uint32_t i = 0; i < m->slot_count; i++)
        if (m->link_of[i] == ASHI_NO_LINK) {
            m->state.position[i] = now->position[i];
            m->state.rotation[i] = now->rotation[i];
            m->state.velocity[i] = now->velocity[i];
            m->state.spin[i] = now->spin[i];
        }
    place_links(m);
    for (uint32_t i = 0; i < m->link_count; i++) {
        find_motions(m, i);
        find_rates(m, i);
        find_inertia(m, i);
    }
}
