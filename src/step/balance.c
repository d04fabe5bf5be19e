/* The balance of a part, by groups of bodies that joints and contacts connect.
 *
 * The kinetic energy of a group, its potential in gravity and the energy in its joints change by the work of other
 * forces and by joints and contacts, which can only remove energy: any gain beyond that work is an error of the step.
 * The work of other forces is that of their sum on the mean velocity, as they were evaluated last; a share of it counts
 * as uncertain. Driven groups are left out: by a motor, a moving surface, a kinematic body, a load that changes.
 *
 * A group that gains can be slowed. Velocities v = r + w, r the motion as one rigid body with the group's momenta (none
 * for a group that holds on to what cannot move): kinetic energies of r and w add up, and joints and contacts within
 * the group do not see r. So w times a share is a motion that joints and contacts allow if v is, with these momenta. */
#include "step/balance.h"

#include "base/groups.h"
#include "model/joint_class.h"
#include "model/signal.h"
#include "problem/assemble.h"
#include "step/joints/joint_correction.h"
#include "step/joints/joint_impulses.h"
#include "step/scheme.h"

#include <math.h>

#define UNCERTAIN   0.2   /* of the work of other forces */
#define ROUNDING    1e-12 /* of the energies */
#define FIRST_ORDER 4     /* times the fall: what a step of order one may lose */

typedef struct group {
    double before, after; /* kinetic energies */
    double gain;          /* of all energy, J */
    double work;          /* of other forces, sizes added up */
    double size;          /* of the potential energies that are subtracted */
    double fall;          /* kinetic energy of a fall from rest in this part */
    double load;          /* forces and torques, sizes added up: N, N m */
    double mass;
    ash_vec3 middle, momentum; /* times mass */
    bool jointed, driven, leans;
    bool loses; /* contacts, limits, friction or dampers may take energy away */
} group;

struct ashi_balance {
    ashi_step *step;
    uint32_t *parent; /* by slot */
    group *groups;    /* by slot of the root */
    double floor;     /* of the fall: allowed as well */
    double placed;    /* likewise, J */
};

/* ---- groups ---- */

static bool moves(const ashi_bodies *b, uint32_t slot)
{
    return (b->motion[slot] & ASHI_DYNAMIC) != 0;
}

static bool is_carried(const ashi_bodies *b, uint32_t slot)
{
    return (b->motion[slot] & ASHI_KINEMATIC) && v3_norm2(b->now.velocity[slot]) + v3_norm2(b->now.spin[slot]) > 0;
}

/* Connects two bodies, and notes what else follows from it for their group. */
static void connect(ashi_balance *balance, uint32_t a, uint32_t b, bool jointed, bool driven, bool loses)
{
    const ashi_bodies *bodies = &balance->step->model->bodies;
    bool both = moves(bodies, a) && moves(bodies, b);
    if (!moves(bodies, a) && !moves(bodies, b))
        return;
    uint32_t root = ashi_group_of(balance->parent, moves(bodies, a) ? a : b),
             other = both ? ashi_group_of(balance->parent, b) : root;
    if (other < root) {
        uint32_t least = other;
        other = root;
        root = least;
    }
    group *g = &balance->groups[root], *o = &balance->groups[other];
    balance->parent[other] = root;
    g->jointed |= o->jointed || jointed;
    g->driven |= o->driven || driven || is_carried(bodies, a) || is_carried(bodies, b);
    g->leans |= o->leans || !both;
    g->loses |= o->loses || loses;
}

static bool is_driven(const ashi_joint_entry *joint)
{
    bool driven = ashi_joint_class_of(joint->kind)->drives;
    for (int i = 0; i < ASH_FREEDOMS && joint->axes != NULL; i++)
        driven |= joint->axes[i].motor.drive != ASH_DRIVE_OFF;
    return driven;
}

bool ashi_joint_may_lose(const ashi_joint_entry *joint)
{
    return ashi_joint_may_act(joint) || joint->axes != NULL || joint->compliance > 0 || joint->angular_compliance > 0;
}

static bool has_moving_surface(const ashi_shape_entry *shape)
{
    return v3_norm2(shape->surface_velocity) > 0;
}

static void connect_all(ashi_balance *balance)
{
    const ashi_step *step = balance->step;
    const ashi_joints *joints = &step->model->joints;
    const ashi_shape_entry *shapes = step->model->shapes.entries.data;
    const ashi_contact_set *set = &step->collision->now;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        const ashi_joint_entry *joint = &joints->entries.data[i];
        if (ashi_pool_in_use(&joints->pool, i) && ashi_joint_acts(step->model, joint))
            connect(balance, joint->body_a, joint->body_b, true, is_driven(joint), ashi_joint_may_lose(joint));
    }
    for (uint32_t i = 0; i < set->pairs.count && ashi_step_solves_contacts(step); i++) {
        const ashi_contact_pair *pair = &set->pairs.data[i];
        if (!pair->sensor && pair->contact_count > 0)
            connect(balance, shapes[pair->a].body, shapes[pair->b].body, false,
                    has_moving_surface(&shapes[pair->a]) || has_moving_surface(&shapes[pair->b]), true);
    }
}

static double factor_of(const ashi_load *load, double time)
{
    return time >= load->start && time < load->stop ? ashi_signal_value(&load->signal, time) : 0;
}

/* A load that begins, ends or changes within the part does work that no single evaluation knows: it counts as a drive.
 */
static void note_changing_loads(ashi_balance *balance)
{
    const ashi_step *step = balance->step;
    const ashi_forces *f = &step->model->forces;
    for (uint32_t i = 0; i < f->loads.count; i++) {
        const ashi_load *load = &f->loads.data[i];
        if (load->head.enabled && factor_of(load, step->time) != factor_of(load, step->time + step->h))
            balance->groups[ashi_group_of(balance->parent, load->body)].driven = true;
    }
}

/* ---- energies ---- */

static double kinetic_energy(const ashi_bodies *b, const ashi_state *state, uint32_t slot)
{
    ash_vec3 spin = state->spin[slot];
    double energy = 0.5 * b->inertial[slot].mass * v3_norm2(state->velocity[slot]);
    if (b->motion[slot] & ASHI_ROTATES)
        energy += 0.5 * v3_dot(spin, ashi_angular_momentum(&b->rotor[slot], state->rotation[slot], spin));
    return energy;
}

static void count_body(ashi_balance *balance, uint32_t slot)
{
    const ashi_step *step = balance->step;
    const ashi_bodies *b = &step->model->bodies;
    group *g = &balance->groups[ashi_group_of(balance->parent, slot)];
    double mass = b->inertial[slot].mass, h = step->h;
    ash_vec3 weight = v3_scale(step->model->gravity, mass * b->inertial[slot].gravity_scale);
    ash_vec3 way = v3_sub(b->next.position[slot], b->now.position[slot]);
    ash_vec3 force = v3_sub(b->force[slot], weight);
    double before = kinetic_energy(b, &b->now, slot), after = kinetic_energy(b, &b->next, slot);
    double work = 0.5 * h * v3_dot(force, v3_add(b->now.velocity[slot], b->next.velocity[slot]));
    if (b->motion[slot] & ASHI_ROTATES)
        work += 0.5 * h * v3_dot(b->torque[slot], v3_add(b->now.spin[slot], b->next.spin[slot]));
    g->before += before;
    g->after += after;
    g->gain += after - before - v3_dot(weight, way) - work;
    g->work += fabs(work);
    g->size += fabs(v3_dot(weight, b->next.position[slot]));
    g->fall += 0.5 * h * h * v3_norm2(weight) / mass;
    g->load += v3_norm(b->force[slot]) + v3_norm(b->torque[slot]);
    g->mass += mass;
    g->middle = v3_add_scaled(g->middle, b->next.position[slot], mass);
    g->momentum = v3_add_scaled(g->momentum, b->next.velocity[slot], mass);
    g->leans |=
        b->planar ? b->locks[slot] != (ASH_LOCK_Z | ASH_LOCK_ROTATION_X | ASH_LOCK_ROTATION_Y) : b->locks[slot] != 0;
}

static void count_joints(ashi_balance *balance)
{
    const ashi_model *model = balance->step->model;
    const ashi_joints *joints = &model->joints;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        const ashi_joint_entry *joint = &joints->entries.data[i];
        bool stores = joint->axes != NULL || joint->compliance > 0 || joint->angular_compliance > 0;
        if (!ashi_pool_in_use(&joints->pool, i) || !stores || !ashi_joint_acts(model, joint))
            continue;
        uint32_t slot = moves(&model->bodies, joint->body_a) ? joint->body_a : joint->body_b;
        group *g = &balance->groups[ashi_group_of(balance->parent, slot)];
        double before = ashi_joint_energy(model, joint, &model->bodies.now);
        double after = ashi_joint_energy(model, joint, &model->bodies.next);
        g->gain += after - before;
        g->work += fabs(after - before);
        g->size += before + after;
    }
}

ashi_balance *ashi_balance_draw(ashi_step *step, double placed)
{
    const ashi_bodies *b = &step->model->bodies;
    uint32_t slots = ashi_body_slots(b);
    ashi_balance *balance = ashi_arena_take(step->scratch, sizeof *balance);
    if (balance == NULL)
        return NULL;
    *balance = (ashi_balance){.step = step,
                              .parent = ashi_arena_take_array(step->scratch, slots, sizeof *balance->parent),
                              .groups = ashi_arena_take_array(step->scratch, slots, sizeof *balance->groups),
                              .placed = placed};
    if (balance->parent == NULL || balance->groups == NULL)
        return NULL;
    /* Methods of order one lose contacts and find them again within such a fall. */
    balance->floor = step->scheme->joins ? 1e-3 : 0.1;
    for (uint32_t i = 0; i < slots; i++) {
        balance->parent[i] = i;
        balance->groups[i] = (group){0};
    }
    if (step->scheme->accelerate != NULL) /* which add forces of their own */
        ashi_forces_evaluate(step->model, &(ashi_force_instant){&b->now, step->time, step->tasks});
    connect_all(balance);
    note_changing_loads(balance);
    for (uint32_t i = 0; i < slots; i++)
        if (moves(b, i) && balance->groups[ashi_group_of(balance->parent, i)].jointed)
            count_body(balance, i);
    count_joints(balance);
    return balance;
}

/* ---- judgement ---- */

static bool is_judged(const ashi_balance *balance, uint32_t slot)
{
    const group *g = &balance->groups[slot];
    return balance->parent[slot] == slot && g->jointed && !g->driven;
}

/* What joints may be off by, in position and in velocity, is work of the forces on them. */
static double left_open(const ashi_balance *balance, const group *g)
{
    const ashi_step *step = balance->step;
    double open = step->scheme->joins ? ashi_joint_tolerance(step) * g->load : 0;
    return 2 * open + 2 * step->method.joint_velocity_tolerance * sqrt(2 * g->mass * fmax(g->before, g->after));
}

static double tolerance_of(const ashi_balance *balance, const group *g, double share)
{
    return share * (g->before + g->after) + UNCERTAIN * g->work + balance->floor * g->fall + balance->placed +
           ROUNDING * (g->size + g->before + g->after) + left_open(balance, g);
}

static double worst_of(const ashi_balance *balance, double share, bool both)
{
    double worst = 0;
    for (uint32_t i = 0; i < ashi_body_slots(&balance->step->model->bodies); i++) {
        if (!is_judged(balance, i))
            continue;
        const group *g = &balance->groups[i];
        double tolerance = tolerance_of(balance, g, share), error = both && !g->loses ? fabs(g->gain) : g->gain;
        worst = error > worst * tolerance ? error / tolerance : worst;
    }
    return worst;
}

double ashi_balance_gain(const ashi_balance *balance, double share)
{
    return worst_of(balance, share, false);
}

double ashi_balance_error(const ashi_balance *balance, double share)
{
    return worst_of(balance, share, true);
}

double ashi_balance_loss(const ashi_balance *balance, double share)
{
    double worst = 0;
    for (uint32_t i = 0; i < ashi_body_slots(&balance->step->model->bodies); i++) {
        const group *g = &balance->groups[i];
        if (!is_judged(balance, i) || g->loses)
            continue;
        double tolerance = tolerance_of(balance, g, share) + FIRST_ORDER * g->fall;
        worst = fmax(worst, -g->gain / tolerance);
    }
    return worst;
}

/* ---- settlement ---- */

/* The group's motion as one: of its centre, and its spin. */
typedef struct rigid {
    ash_vec3 middle, velocity, spin;
    double energy;
} rigid;

static rigid motion_of(const ashi_balance *balance, uint32_t root)
{
    const ashi_bodies *b = &balance->step->model->bodies;
    const group *g = &balance->groups[root];
    rigid r = {0};
    if (g->leans)
        return r;
    ash_vec3 turning = {0, 0, 0};
    ash_sym3 inertia = {0};
    r.middle = v3_scale(g->middle, 1 / g->mass);
    r.velocity = v3_scale(g->momentum, 1 / g->mass);
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        if (!moves(b, i) || ashi_group_of(balance->parent, i) != root)
            continue;
        double mass = b->inertial[i].mass;
        ash_vec3 arm = v3_sub(b->next.position[i], r.middle);
        ash_vec3 momentum = v3_scale(v3_cross(arm, b->next.velocity[i]), mass);
        turning = v3_add(turning, momentum);
        double square = mass * v3_norm2(arm);
        inertia = s3_add(s3_add(inertia, s3_diagonal(square, square, square)), s3_outer(arm, -mass));
        if (!(b->motion[i] & ASHI_ROTATES))
            continue;
        turning = v3_add(turning, ashi_angular_momentum(&b->rotor[i], b->next.rotation[i], b->next.spin[i]));
        inertia = s3_add(inertia, s3_rotated(b->rotor[i].inertia, b->next.rotation[i]));
    }
    if (b->planar)
        r.spin = v3(0, 0, inertia.zz > 0 ? turning.z / inertia.zz : 0);
    else if (s3_determinant(inertia) > 0)
        r.spin = s3_apply(s3_inverse(inertia), turning);
    r.energy = 0.5 * g->mass * v3_norm2(r.velocity) + 0.5 * v3_dot(r.spin, s3_apply(inertia, r.spin));
    return r;
}

static void slow(const ashi_balance *balance, uint32_t root, const rigid *r, double share)
{
    ashi_bodies *b = &balance->step->model->bodies;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        if (!moves(b, i) || ashi_group_of(balance->parent, i) != root)
            continue;
        ash_vec3 one = v3_add(r->velocity, v3_cross(r->spin, v3_sub(b->next.position[i], r->middle)));
        b->next.velocity[i] = v3_add_scaled(one, v3_sub(b->next.velocity[i], one), share);
        if (b->motion[i] & ASHI_ROTATES)
            b->next.spin[i] = v3_add_scaled(r->spin, v3_sub(b->next.spin[i], r->spin), share);
    }
}

bool ashi_balance_settle(ashi_balance *balance, double allowed)
{
    bool slowed = false;
    for (uint32_t i = 0; i < ashi_body_slots(&balance->step->model->bodies); i++) {
        group *g = &balance->groups[i];
        if (!is_judged(balance, i) || !(g->gain > tolerance_of(balance, g, allowed)))
            continue;
        rigid r = motion_of(balance, i);
        double own = g->after - r.energy;
        if (!(own > 0))
            continue;
        double share = sqrt(fmax(own - (g->gain - balance->placed), 0) / own);
        slow(balance, i, &r, share);
        balance->step->work.stabilization -= (1 - share * share) * own;
        slowed = true;
    }
    return slowed;
}
