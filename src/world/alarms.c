/* Alarms of a step: the watch over energies, the bound of explicit springs, and where an alarm is worst. */
#include "world/world.h"

#include "measure/alarm.h"
#include "model/method.h"
#include "step/balance.h"

#include <math.h>
#include <stdio.h>

#define NOTHING 1e-9 /* of the energy that could have been in motion: rounding */

#define OPEN 0.05 /* of the smaller body, or rad: a joint with a larger error does not hold */

/* The length of the parts that integrate springs. */
static double part_of(const ash_method *method, double h)
{
    return method->step_control == ASH_STEP_SUBSTEPS ? h / method->substeps : h;
}

/* False when memory ran out: the old bound is kept. */
static bool find_bound(ash_world *world, double h)
{
    ash_integrator integrator = world->method.integrator;
    if (world->bound_step == h && world->bound_integrator == integrator && !world->model.forces.changed)
        return true;
    ashi_arena_reset(world->scratch);
    if (!ashi_find_spring_bound(&world->model, integrator, h, world->scratch, &world->spring_bound))
        return false;
    world->bound_step = h;
    world->bound_integrator = integrator;
    return true;
}

void ashi_world_watch(ash_world *world, double h)
{
    if (!world->watch.begun)
        ashi_watch_begin(&world->watch, &world->model, &world->account);
    find_bound(world, part_of(&world->method, h));
}

/* The energy stored in penalty contacts at the present state, J. */
static double energy_of_contacts(const ash_world *world)
{
    const ash_solver_settings *s = &world->method.solver;
    const ashi_contact_set *set = &world->collision.now;
    double energy = 0;
    if (!ashi_method_has_springs(&world->method) || world->method.contacts != ASH_CONTACTS_SOLVE)
        return 0;
    for (uint32_t i = 0; i < set->contacts.count; i++) {
        const ashi_contact_record *contact = &set->contacts.data[i];
        for (uint32_t k = 0; k < contact->point_count && !set->pairs.data[contact->pair].sensor; k++) {
            double depth = fmax(0, set->points.data[contact->first_point + k].depth);
            energy += s->hertz ? 0.4 * s->stiffness * depth * depth * sqrt(depth) : 0.5 * s->stiffness * depth * depth;
        }
    }
    return energy;
}

/* Whether all contacts of a set conserve energy: no friction, and a coefficient of restitution of 1. */
static bool give_back(const ash_world *world, const ashi_contact_set *set)
{
    const ashi_model *model = &world->model;
    for (uint32_t i = 0; i < set->pairs.count; i++) {
        const ashi_contact_pair *pair = &set->pairs.data[i];
        const ashi_shape_entry *shapes = model->shapes.entries.data;
        ash_surface s = ashi_materials_combine(&model->materials, shapes[pair->a].material, shapes[pair->b].material);
        if (!pair->sensor && pair->contact_count > 0 &&
            (s.restitution != 1 || s.friction != 0 || s.rolling != 0 || s.spinning != 0))
            return false;
    }
    return true;
}

static bool contacts_give_back(const ash_world *world)
{
    return give_back(world, &world->collision.now) && give_back(world, &world->collision.before);
}

static bool forces_act(const ash_world *world)
{
    for (ash_force_kind kind = 0; kind < ASH_FORCE_KINDS; kind++)
        if (ashi_forces_count(&world->model.forces, kind) > 0)
            return true;
    return false;
}

/* The energy removed in a step by everything except rigid joints and conservative contacts, J, according to the works;
 * plus, with joints and without such contacts, the loss of an integrator of order one in free fall, m (g h)^2 / 2. */
static double taken_by_others(const ash_world *world, const ashi_step *step)
{
    const ashi_work *w = &step->work;
    bool joined = world->model.joints.pool.used > 0;
    bool some = world->collision.now.pairs.count > 0 || world->collision.before.pairs.count > 0;
    bool kept = some && contacts_give_back(world);
    const double works[] = {w->dampers,
                            w->drag,
                            w->callbacks,
                            w->sleep,
                            joined ? w->stabilization : 0,
                            kept ? 0 : w->impacts,
                            kept ? 0 : w->friction};
    bool falls = joined && !kept;
    double taken = 0, mass = 0, fall = falls ? v3_norm(world->model.gravity) * step->length : 0;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        taken += fmax(-works[i], 0);
    for (uint32_t i = 0; i < ashi_body_slots(&world->model.bodies); i++)
        mass += world->model.bodies.inertial[i].mass;
    return taken + 0.5 * mass * fall * fall;
}

/* Whether something removes energy without a known work, or there are neither rigid joints nor conservative contacts.
 * Joints by penalty are springs with unknown energy. */
static bool may_lose(const ash_world *world, const ashi_step *step)
{
    const ashi_joints *joints = &world->model.joints;
    bool loses = fabs(step->work.motors) > NOTHING * world->watch.budget ||
                 (joints->pool.used == 0 && (forces_act(world) || !contacts_give_back(world))) ||
                 world->model.bodies.kinematic_count > 0 || world->method.integrator == ASH_IMPLICIT_EULER ||
                 world->method.integrator == ASH_SDIRK2 || ashi_method_has_springs(&world->method);
    for (uint32_t i = 0; i < joints->entries.count && !loses; i++)
        loses = ashi_pool_in_use(&joints->pool, i) && ashi_joint_may_lose(&joints->entries.data[i]);
    return loses;
}

void ashi_world_judge(ash_world *world, ashi_step *step)
{
    double part = part_of(&world->method, step->length);
    bool stable = part <= world->spring_bound.step;
    ashi_watched_step watched = {.number = step->number,
                                 .h = step->length,
                                 .work = step->work,
                                 .held = step->held || world->model.joints.pool.used > 0,
                                 .loses = may_lose(world, step),
                                 .taken = taken_by_others(world, step),
                                 .slop = step->method.slop,
                                 .swing = stable ? part * world->spring_bound.fastest : 0,
                                 .contacts = energy_of_contacts(world)};
    world->sinking = step->sinking;
    world->mean_creep = step->mean_creep;
    ashi_watch_step(&world->watch, &world->model, &world->account, &watched);
    step->flags |= world->watch.flags;
    step->flags |= stable ? 0 : ASH_FLAG_SPRING_BOUND;
}

/* The size of a body at a joint: distance of its centre plus its radius of gyration, m; infinity for immovable
 * bodies. */
static double size_at(const ashi_model *model, uint32_t slot, ash_vec3 arm)
{
    const ashi_bodies *b = &model->bodies;
    if (!(b->motion[slot] & ASHI_DYNAMIC) || !(b->inertial[slot].mass > 0))
        return HUGE_VAL;
    const ash_sym3 *inertia = &b->rotor[slot].inertia;
    double trace = b->planar ? inertia->zz : (inertia->xx + inertia->yy + inertia->zz) / 2;
    return v3_norm(arm) + (b->motion[slot] & ASHI_ROTATES ? sqrt(trace / b->inertial[slot].mass) : 0);
}

bool ashi_world_joint_is_open(const ash_world *world, const ashi_joint_entry *joint, ash_joint_error error)
{
    double size =
        fmin(size_at(&world->model, joint->body_a, joint->arm_a), size_at(&world->model, joint->body_b, joint->arm_b));
    bool rigid = joint->compliance == 0, stiff = joint->angular_compliance == 0;
    return size > 0 && ((rigid && error.distance > OPEN * size) || (stiff && error.angle > OPEN));
}

void ashi_world_locate_alarms(const ash_world *world, const ashi_step *step, ash_step_report *report)
{
    uint32_t worst = atomic_load(&step->worst_slot), force = world->spring_bound.force;
    if (worst == ASHI_NO_SLOT && world->watch.flags != 0)
        worst = world->watch.body;
    if (worst != ASHI_NO_SLOT)
        report->worst_body.id = ashi_pool_handle(&world->model.bodies.pool, worst);
    report->flagged_a.id = step->flagged_a;
    report->flagged_b.id = step->flagged_b;
    if ((report->flags & ASH_FLAG_SPRING_BOUND) && step->flagged_a == 0 && force != ASHI_NO_SLOT)
        report->worst_force.id = ashi_pool_handle(&world->model.forces.pool, force);
}

ash_status ash_world_find_step_bound(ash_world *world, double h, ash_step_bound *bound)
{
    if (!(h > 0) || !isfinite(h))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "world.step", "ash_world_find_step_bound: the step is %g s",
                                 h);
    double part = part_of(&world->method, h);
    world->bound_step = 0; /* bodies may have moved */
    if (!find_bound(world, part))
        return ashi_world_misuse(world, ASH_OUT_OF_MEMORY, "memory", "ash_world_find_step_bound: out of memory");
    uint32_t slot = world->spring_bound.force;
    bound->step = world->spring_bound.step * (h / part);
    bound->worst.id = slot != ASHI_NO_SLOT ? ashi_pool_handle(&world->model.forces.pool, slot) : 0;
    return ASH_OK;
}

/* ---- places in words ---- */

static const char *put_body(const ash_world *world, uint32_t slot, char *text, size_t size)
{
    const char *name = slot != ASHI_NO_SLOT ? world->model.bodies.info[slot].name : NULL;
    if (slot == ASHI_NO_SLOT)
        return text;
    if (name != NULL)
        snprintf(text, size, "body \"%s\"", name);
    else
        snprintf(text, size, "body %u", slot);
    return text;
}

static uint32_t body_of_shape(const ash_world *world, ash_shape shape)
{
    uint32_t slot = ashi_pool_slot_of(&world->model.shapes.pool, shape.id);
    return slot == ASHI_NO_SLOT ? ASHI_NO_SLOT : world->model.shapes.entries.data[slot].body;
}

static const char *put_shapes(const ash_world *world, ash_shape a, ash_shape b, char *text, size_t size)
{
    char first[160] = "", second[160] = "";
    put_body(world, body_of_shape(world, a), first, sizeof first);
    put_body(world, body_of_shape(world, b), second, sizeof second);
    snprintf(text, size, "%s%s%s", first, first[0] != 0 && second[0] != 0 ? " and " : "", second);
    return text;
}

static const char *put_named(const char *kind, const char *name, uint32_t slot, char *text, size_t size)
{
    if (slot == ASHI_NO_SLOT)
        return text;
    if (name != NULL)
        snprintf(text, size, "%s \"%s\"", kind, name);
    else
        snprintf(text, size, "%s %u", kind, slot);
    return text;
}

static const char *put_joint(const ash_world *world, ash_joint joint, char *text, size_t size)
{
    uint32_t slot = ashi_pool_slot_of(&world->model.joints.pool, joint.id);
    const char *name = slot != ASHI_NO_SLOT ? world->model.joints.entries.data[slot].name : NULL;
    return put_named("joint", name, slot, text, size);
}

static const char *put_spring(const ash_world *world, const ash_step_report *report, char *text, size_t size)
{
    uint32_t slot = ashi_pool_slot_of(&world->model.forces.pool, report->worst_force.id);
    const char *name = slot != ASHI_NO_SLOT ? world->model.forces.entries.data[slot].name : NULL;
    if (slot == ASHI_NO_SLOT)
        return put_shapes(world, report->flagged_a, report->flagged_b, text, size);
    return put_named("spring", name, slot, text, size);
}

const char *ash_world_get_flag_place(const ash_world *world, ash_flag flag, char *text, size_t size)
{
    const ashi_alarm *alarm = ashi_alarm_of(flag);
    const ash_step_report *report = &world->report;
    if (size > 0)
        text[0] = 0;
    if (alarm == NULL || size == 0 || !(report->flags & flag))
        return text;
    switch (alarm->place) {
    case ASHI_SUBJECT_BODY:
        return put_body(world, ashi_pool_slot_of(&world->model.bodies.pool, report->worst_body.id), text, size);
    case ASHI_SUBJECT_SOLVE:
        if (report->worst_a.id != 0)
            return put_shapes(world, report->worst_a, report->worst_b, text, size);
        return put_joint(world, report->worst_row.id != 0 ? report->worst_row : report->worst_joint, text, size);
    case ASHI_SUBJECT_JOINT:
        return put_joint(world, report->worst_joint, text, size);
    case ASHI_SUBJECT_CONTACT:
        if (report->flagged_a.id == 0)
            return put_shapes(world, report->worst_a, report->worst_b, text, size);
        return put_shapes(world, report->flagged_a, report->flagged_b, text, size);
    case ASHI_SUBJECT_SPRING:
        return put_spring(world, report, text, size);
    case ASHI_SUBJECT_NONE:
        break;
    }
    return text;
}
