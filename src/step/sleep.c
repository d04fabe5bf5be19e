/* Sleeping, in two ways.
 *
 * `velocity` (Gribel 2009, 4.3.1): a body whose every point has been slower than sleep_speed for sleep_time keeps its
 * position while it stays slow; its velocity is still solved. The work that its weight would have done is recorded as
 * sleep.
 *
 * `islands`: when that holds for all bodies of an island of the problem, or for a body without contacts, they lose
 * their velocities (recorded) and fall asleep together: ASHI_ASLEEP is then their only motion flag, so that integrators
 * do not move them, the assembly leaves out contacts among them and detection keeps these unchanged, impulses included.
 * A group wakes when a moving body touches one of its bodies or is joined to it, when the forces on one of them change
 * enough to make it faster than sleep_speed within sleep_time, and when the user changes one of them. All of this is
 * done by one thread in the order of bodies and pairs. */
#include "step/sleep.h"

#include "problem/assemble.h"
#include "step/lanes.h"

#include <math.h>

#define GAINED 0.04 /* of the sleep speed, within the sleep time: more than the jitter of piles at rest */

/* ---- waking ---- */

static bool is_asleep(const ashi_bodies *b, uint32_t slot)
{
    return (b->motion[slot] & ASHI_ASLEEP) != 0;
}

void ashi_sleep_wake_group(ashi_bodies *b, uint32_t slot)
{
    if (!is_asleep(b, slot)) {
        b->rest[slot].still = 0;
        return;
    }
    uint64_t group = b->rest[slot].group;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++)
        if (is_asleep(b, i) && b->rest[i].group == group)
            ashi_bodies_classify(b, i);
}

void ashi_sleep_wake_all(ashi_bodies *b)
{
    for (uint32_t i = 0; i < ashi_body_slots(b) && b->asleep_count > 0; i++)
        if (is_asleep(b, i))
            ashi_bodies_classify(b, i);
}

/* The body of a contact's shape, or ASHI_NO_SLOT if the shape was removed. */
static uint32_t body_of(const ashi_model *model, uint64_t shape)
{
    uint32_t slot = ashi_pool_slot_of(&model->shapes.pool, shape);
    return slot == ASHI_NO_SLOT ? ASHI_NO_SLOT : model->shapes.entries.data[slot].body;
}

/* Whether a joint connects its two bodies: static bodies such as the background transmit nothing.
 */
static bool is_link(const ashi_model *model, uint32_t slot)
{
    return ashi_pool_in_use(&model->joints.pool, slot) && model->joints.entries.data[slot].enabled;
}

static void disturb_joined(ashi_model *model, uint32_t slot)
{
    for (uint32_t i = 0; i < model->joints.entries.count && model->bodies.asleep_count > 0; i++) {
        const ashi_joint_entry *joint = &model->joints.entries.data[i];
        if (is_link(model, i) && ashi_joint_uses(joint, slot))
            ashi_sleep_wake_group(&model->bodies, joint->body_a == slot ? joint->body_b : joint->body_a);
    }
}

void ashi_sleep_disturb(const ashi_collision *collision, ashi_model *model, uint32_t slot)
{
    ashi_bodies *b = &model->bodies;
    ashi_sleep_wake_group(b, slot);
    disturb_joined(model, slot);
    for (uint32_t i = 0; i < collision->now.pairs.count && b->asleep_count > 0; i++) {
        const ashi_contact_pair *pair = &collision->now.pairs.data[i];
        uint32_t a = body_of(model, pair->handle_a), other = body_of(model, pair->handle_b);
        if (pair->contact_count == 0 || a == ASHI_NO_SLOT || other == ASHI_NO_SLOT || (a != slot && other != slot))
            continue;
        ashi_sleep_wake_group(b, a == slot ? other : a);
    }
}

/* Whether a body moves and so wakes the bodies that it touches. */
static bool disturbs(const ashi_bodies *b, uint32_t slot)
{
    bool driven =
        (b->motion[slot] & ASHI_KINEMATIC) && (v3_norm2(b->now.velocity[slot]) > 0 || v3_norm2(b->now.spin[slot]) > 0);
    return driven || (b->motion[slot] & ASHI_DYNAMIC);
}

static bool wake_by_contacts(ashi_step *step)
{
    ashi_bodies *b = &step->model->bodies;
    const ashi_contact_set *set = &step->collision->now;
    bool any = false;
    for (uint32_t i = 0; i < set->pairs.count; i++) {
        const ashi_contact_pair *pair = &set->pairs.data[i];
        if (pair->contact_count == 0 || pair->sensor)
            continue;
        uint32_t bodies[2] = {step->model->shapes.entries.data[pair->a].body,
                              step->model->shapes.entries.data[pair->b].body};
        for (int k = 0; k < 2; k++)
            if (is_asleep(b, bodies[k]) && disturbs(b, bodies[1 - k])) {
                ashi_sleep_wake_group(b, bodies[k]);
                any = true;
            }
    }
    return any;
}

static bool wake_by_joints(ashi_step *step)
{
    ashi_bodies *b = &step->model->bodies;
    const ashi_joints *joints = &step->model->joints;
    bool any = false;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        if (!is_link(step->model, i))
            continue;
        uint32_t bodies[2] = {joints->entries.data[i].body_a, joints->entries.data[i].body_b};
        for (int k = 0; k < 2; k++)
            if (is_asleep(b, bodies[k]) && disturbs(b, bodies[1 - k])) {
                ashi_sleep_wake_group(b, bodies[k]);
                any = true;
            }
    }
    return any;
}

static bool wake_neighbours(ashi_step *step)
{
    bool by_contacts = wake_by_contacts(step);
    return wake_by_joints(step) || by_contacts;
}

void ashi_sleep_wake(ashi_step *step)
{
    ashi_bodies *b = &step->model->bodies;
    if (b->asleep_count == 0)
        return;
    if (step->method.sleeping != ASH_SLEEP_ISLANDS || step->method.contacts != ASH_CONTACTS_SOLVE) {
        ashi_sleep_wake_all(b);
        return;
    }
    while (b->asleep_count > 0 && wake_neighbours(step)) /* groups that touch wake each other */
        ;
}

/* ---- a sleeping world ---- */

bool ashi_sleep_is_all(const ashi_step *step)
{
    const ashi_model *model = step->model;
    const ashi_bodies *b = &model->bodies;
    return b->asleep_count > 0 && b->dynamic_count == 0 && b->kinematic_count == 0 && !b->any_applied &&
           model->forces.pool.used == 0 && step->detected;
}

void ashi_sleep_through(ashi_step *step)
{
    ashi_collision *c = step->collision;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->events.count; i++) {
        if (c->events.data[i].kind == ASH_CONTACT_ENDED)
            continue;
        c->events.data[kept] = c->events.data[i];
        c->events.data[kept++].kind = ASH_CONTACT_LASTING;
    }
    c->events.count = kept;
    c->impacts.count = 0;
    c->tests = 0;
    c->recycled = c->now.pairs.count;
    step->time += step->h;
}

/* ---- how long bodies have been slow ---- */

/* The largest distance of a body's shapes from its centre. */
static double radius_of(const ashi_step *step, uint32_t slot)
{
    const ashi_model *model = step->model;
    const ashi_body_info *info = &model->bodies.info[slot];
    double radius = 0;
    for (uint32_t i = info->first_shape; i != ASHI_NO_SLOT; i = model->shapes.entries.data[i].next) {
        const ashi_shape_entry *shape = &model->shapes.entries.data[i];
        double reach = ashi_collision_reach(step->collision, model, i);
        radius = fmax(radius, reach + v3_distance(shape->pose.position, info->mass.centre));
    }
    return radius;
}

/* An upper bound of the speed of a body's points (with a threshold for spins: of its centre, or infinity); not computed
 * if its centre is as fast as `limit`. Infinity without shapes: such a body rests on nothing, and the speed of its
 * points by spin is unknown. */
static double speed_of(const ashi_step *step, const ashi_state *state, uint32_t slot, double limit)
{
    if (!(step->method.sleep_spin > 0) && step->model->bodies.info[slot].first_shape == ASHI_NO_SLOT)
        return HUGE_VAL;
    double speed = v3_norm(state->velocity[slot]), spin = v3_norm(state->spin[slot]);
    if (step->method.sleep_spin > 0) /* two thresholds (Gribel 2009, 4.3.1) */
        return spin < step->method.sleep_spin ? speed : HUGE_VAL;
    return !(speed < limit) || spin == 0 ? speed : speed + spin * radius_of(step, slot);
}

static bool is_slow(const ashi_step *step, const ashi_state *state, uint32_t slot)
{
    return speed_of(step, state, slot, step->method.sleep_speed) < step->method.sleep_speed;
}

static bool has_rested(const ashi_bodies *b, const ash_method *method, uint32_t slot)
{
    return (b->motion[slot] & ASHI_DYNAMIC) && b->rest[slot].still >= method->sleep_time;
}

bool ashi_sleep_is_awake(const ashi_bodies *b, const ash_method *method, uint32_t slot)
{
    return !is_asleep(b, slot) && !(method->sleeping == ASH_SLEEP_VELOCITY && has_rested(b, method, slot));
}

uint32_t ashi_sleep_count(const ashi_bodies *b, const ash_method *method)
{
    uint32_t count = b->asleep_count;
    for (uint32_t i = 0; i < ashi_body_slots(b) && method->sleeping == ASH_SLEEP_VELOCITY; i++)
        count += has_rested(b, method, i);
    return count;
}

/* A body that became faster while it was slow is not at rest: it has just started to slide or fall. The time then
 * starts again. */
static void measure_rest(ashi_step *step)
{
    ashi_bodies *b = &step->model->bodies;
    double limit = step->method.sleep_speed;
    bool islands = step->method.sleeping == ASH_SLEEP_ISLANDS;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        if (!(b->motion[i] & ASHI_DYNAMIC))
            continue;
        ashi_rest *rest = &b->rest[i];
        if (v3_norm2(b->now.velocity[i]) >= limit * limit) { /* most bodies are: no square root needed */
            rest->still = 0;
            continue;
        }
        double speed = speed_of(step, &b->now, i, limit);
        if (rest->still == 0)
            rest->speed = speed;
        rest->still = speed < limit ? rest->still + step->h : 0;
        if (islands && rest->still >= step->method.sleep_time && speed > rest->speed + GAINED * limit)
            rest->still = 0;
    }
}

/* ---- Gribel's threshold ---- */

void ashi_sleep_suspend(ashi_step *step)
{
    ashi_bodies *b = &step->model->bodies;
    if (step->method.sleeping != ASH_SLEEP_VELOCITY)
        return;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        if (!has_rested(b, &step->method, i) || !is_slow(step, &b->next, i))
            continue;
        ash_vec3 way = v3_sub(b->next.position[i], b->now.position[i]);
        step->work.sleep += b->inertial[i].mass * b->inertial[i].gravity_scale * v3_dot(step->model->gravity, way);
        b->next.position[i] = b->now.position[i];
        b->next.rotation[i] = b->now.rotation[i];
    }
}

/* ---- islands ---- */

static double kinetic_energy(const ashi_bodies *b, uint32_t i)
{
    double energy = 0.5 * b->inertial[i].mass * v3_norm2(b->now.velocity[i]);
    if (b->motion[i] & ASHI_ROTATES)
        energy += 0.5 * v3_dot(b->now.spin[i], ashi_angular_momentum(&b->rotor[i], b->now.rotation[i], b->now.spin[i]));
    return energy;
}

static void lay(ashi_step *step, uint32_t slot, uint64_t group)
{
    ashi_bodies *b = &step->model->bodies;
    step->work.sleep -= kinetic_energy(b, slot);
    ashi_bodies_lay(b, slot, group);
}

/* Active motors keep their islands awake: those with a speed, with a target that changes in time or is not reached, and
 * moving pistons. */
static bool wants_to_move(const ashi_step *step, const ashi_joint_entry *joint)
{
    if (joint->piston != ASH_PISTON_HOLD)
        return true;
    for (uint32_t i = 0; i < ASH_FREEDOMS && joint->axes != NULL; i++) {
        const ash_joint_motor *motor = &joint->axes[i].motor;
        if (motor->drive == ASH_DRIVE_OFF || !(joint->kept & ASH_FREEDOM_BIT(i)))
            continue;
        if (motor->target != 0 && (motor->drive == ASH_DRIVE_VELOCITY || motor->signal.kind != ASH_SIGNAL_CONSTANT))
            return true;
        double way = motor->drive == ASH_DRIVE_VELOCITY ? 0 : joint->turn[i] - motor->target;
        if (fabs(way) > step->method.sleep_speed * step->method.sleep_time)
            return true;
    }
    return false;
}

static bool is_restless(const ashi_step *step, const ash_problem_island *island)
{
    const ashi_system *p = step->problem;
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++)
        if (p->blocks[k].kind == ASHI_PLAIN_BLOCK &&
            wants_to_move(step, &step->model->joints.entries.data[ashi_block_joint(&p->blocks[k])]))
            return true;
    return false;
}

static void lay_islands(ashi_step *step)
{
    ashi_bodies *b = &step->model->bodies;
    const ashi_system *p = step->problem;
    for (uint32_t k = 0; k < p->island_count; k++) {
        const ash_problem_island *island = &p->islands[k];
        uint32_t first = island->first_body, end = first + island->body_count;
        bool rest = !is_restless(step, island);
        for (uint32_t i = first; i < end && rest; i++)
            rest = has_rested(b, &step->method, ashi_pool_slot_of(&b->pool, p->bodies[i].label));
        if (!rest)
            continue;
        b->last_group++;
        for (uint32_t i = first; i < end; i++)
            lay(step, ashi_pool_slot_of(&b->pool, p->bodies[i].label), b->last_group);
    }
}

static bool rests(const ashi_step *step, uint32_t slot)
{
    return has_rested(&step->model->bodies, &step->method, slot);
}

/* Bodies without contacts, which are not in the problem. */
static bool lay_loners(ashi_step *step)
{
    ashi_bodies *b = &step->model->bodies;
    const ashi_system *p = step->problem;
    bool *touches = ashi_arena_take_array(step->scratch, ashi_body_slots(b), sizeof *touches);
    if (touches == NULL)
        return false;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++)
        touches[i] = false;
    for (uint32_t i = 0; i < p->body_count; i++)
        touches[ashi_pool_slot_of(&b->pool, p->bodies[i].label)] = true;
    ashi_lanes_mark(step->lanes, touches);
    for (uint32_t i = 0; i < ashi_body_slots(b); i++)
        if (!touches[i] && has_rested(b, &step->method, i))
            lay(step, i, ++b->last_group);
    return true;
}

/* ---- forces on sleeping bodies ---- */

/* Whether the forces on a sleeping body differ from those when it fell asleep by enough to make it fast. */
static bool is_pulled(const ashi_step *step, uint32_t slot)
{
    const ashi_bodies *b = &step->model->bodies;
    const ashi_rest *rest = &b->rest[slot];
    ash_vec3 force = v3_sub(b->force[slot], rest->force), torque = v3_sub(b->torque[slot], rest->torque);
    ash_vec3 moments = b->rotor[slot].principal; /* the first is the least */
    double gain = v3_norm(force) * b->inertial[slot].inverse_mass;
    if (moments.x > 0)
        gain += v3_norm(torque) / moments.x * sqrt(moments.z * b->inertial[slot].inverse_mass);
    return gain * step->method.sleep_time > step->method.sleep_speed;
}

static void wake_by_forces(ashi_step *step)
{
    ashi_bodies *b = &step->model->bodies;
    for (uint32_t i = 0; i < ashi_body_slots(b) && b->asleep_count > 0; i++) {
        ashi_rest *rest = &b->rest[i];
        if (!is_asleep(b, i))
            continue;
        if (!rest->weighed) {
            rest->force = b->force[i];
            rest->torque = b->torque[i];
            rest->weighed = true;
        } else if (is_pulled(step, i)) {
            ashi_sleep_wake_group(b, i);
        }
    }
}

void ashi_sleep_settle(ashi_step *step)
{
    if (step->method.sleeping == ASH_SLEEP_OFF)
        return;
    if (step->evaluations > 0) /* else nothing was evaluated: the world was asleep */
        wake_by_forces(step);
    measure_rest(step);
    if (step->method.sleeping == ASH_SLEEP_ISLANDS && step->method.contacts == ASH_CONTACTS_SOLVE) {
        lay_islands(step);
        ashi_lanes_lay(step, rests, lay);
        if (!lay_loners(step)) /* without memory they just stay awake longer */
            return;
    }
}
