/* See lanes.h. Applies the solution of contacts in lanes. */
#include "step/lanes_inside.h"

#include "base/groups.h"
#include "math/quad.h"
#include "model/method.h"
#include "problem/assembling.h"
#include "solve/soft/soft_law.h"
#include "step/hold.h"
#include "step/scheme.h"
#include "step/solver_alarms.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define BODIES  256 /* in a piece, ... */
#define ENTRIES 512 /* ... and contacts */

ashi_lanes *ashi_lanes_create(void)
{
    ashi_lanes *lanes = ashi_alloc_zeroed(sizeof *lanes);
    if (lanes == NULL)
        return NULL;
    lanes->arena = ashi_arena_create(0);
    if (lanes->arena != NULL)
        return lanes;
    ashi_dealloc(lanes);
    return NULL;
}

void ashi_lanes_destroy(ashi_lanes *lanes)
{
    if (lanes != NULL)
        ashi_arena_destroy(lanes->arena);
    ashi_dealloc(lanes);
}

size_t ashi_lanes_size(const ashi_lanes *lanes)
{
    return ashi_arena_size(lanes->arena);
}

void ashi_lanes_clear(ashi_lanes *lanes)
{
    lanes->acts = lanes->any_unheld = false;
    lanes->unheld = NULL;
    lanes->point_count = lanes->active_count = lanes->islands = 0;
    for (int i = 0; i < ASHI_WIDTHS; i++)
        lanes->task[i].entry_count = lanes->task[i].active_count = 0;
}

bool ashi_lanes_act(const ashi_lanes *lanes)
{
    return lanes->acts;
}

const bool *ashi_lanes_unheld(const ashi_lanes *lanes)
{
    return lanes->any_unheld ? lanes->unheld : NULL;
}

uint32_t ashi_lanes_point_count(const ashi_lanes *lanes)
{
    return lanes->point_count;
}

/* ---- the solution ---- */

static void note(ashi_step *step, int w)
{
    const ashi_wide_task *task = &step->lanes->task[w];
    const ashi_wide_solution *s = &step->lanes->solution[w];
    uint64_t visits = (uint64_t)step->lanes->point_count * task->substeps * (ASHI_SOFT_SWEEPS + 1);
    step->held = true;
    step->operations += visits * ASHI_OF_A_VISIT;
    if (!isfinite(s->largest)) {
        step->solve_flags |= ASH_SOLVE_FAILED;
        step->flags |= ASH_FLAG_SOLVER_FAILED;
    }
    if (step->method.solver.tolerance > 0 && !(s->largest <= step->method.solver.tolerance))
        step->flags |= ASH_FLAG_NOT_CONVERGED;
    step->error.theta = fmax(step->error.theta, s->theta);
    if (s->judged > 0 && s->largest >= step->error.largest) {
        const ashi_contact_pair *pair = ashi_pair_of_point(&step->collision->now, s->worst_point);
        step->error.largest = s->largest;
        step->worst_a = pair->handle_a;
        step->worst_b = pair->handle_b;
        step->worst_row = 0;
    }
}

bool ashi_lanes_solve(ashi_step *step)
{
    ashi_lanes *lanes = step->lanes;
    double sum = 0;
    uint32_t judged = 0, substeps = 0;
    if (!lanes->acts)
        return true;
    for (int w = 0; w < ASHI_WIDTHS; w++) {
        const ashi_wide_task *task = &lanes->task[w];
        lanes->solution[w] = (ashi_wide_solution){0};
        if (task->entry_count == 0)
            continue;
        if (!task->form->solve(task, &lanes->solution[w]))
            return false;
        note(step, w);
        sum += lanes->solution[w].sum;
        judged += lanes->solution[w].judged;
        substeps = task->substeps > substeps ? task->substeps : substeps;
    }
    step->solver_iterations += substeps * ASHI_SOFT_SWEEPS;
    step->islands += lanes->islands;
    step->error.mean = fmax(step->error.mean, judged > 0 ? sum / judged : 0);
    return true;
}

/* ---- momentum ---- */

/* Finds the islands that are supported by immovable bodies. */
typedef struct leaning {
    const ashi_lanes *lanes;
    const ashi_wide_task *task;
    const bool *pushes; /* by entry */
    ashi_kept_momentum *kept;
    atomic_bool any_free; /* some island is not supported */
} leaning;

static uint32_t root_of(const ashi_lanes *lanes, const ashi_wide_entry *e)
{
    return lanes->parent[e->a != 0 ? e->a : e->b]; /* all lead to the first body of their island */
}

static void find_leaning(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const leaning *l = data;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        const ashi_wide_entry *e = &l->task->entries[i];
        if ((e->a == 0 || e->b == 0) && l->pushes[i])
            __atomic_store_n(&l->lanes->leans[root_of(l->lanes, e)], true, __ATOMIC_RELAXED);
    }
}

static void note_leaning(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    leaning *l = data;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t slot = l->task->active[i];
        if (l->lanes->leans[l->lanes->parent[slot]])
            ashi_momentum_note_support(l->kept, slot);
        else
            atomic_store(&l->any_free, true);
    }
}

void ashi_lanes_join(ashi_step *step, ashi_kept_momentum *kept)
{
    ashi_lanes *lanes = step->lanes;
    if (!lanes->acts)
        return;
    lanes->leans = ashi_arena_take_array(lanes->arena, ashi_body_slots(&step->model->bodies), sizeof *lanes->leans);
    lanes->any_free = false;
    for (int w = 0; w < ASHI_WIDTHS && lanes->leans != NULL; w++) {
        const ashi_wide_task *task = &lanes->task[w];
        leaning l = {lanes, task, lanes->solution[w].pushes, kept, false};
        for (uint32_t i = 0; i < task->active_count; i++)
            lanes->leans[task->active[i]] = false;
        ashi_parallel_for(step->tasks, task->entry_count, ENTRIES, find_leaning, &l);
        ashi_parallel_for(step->tasks, task->active_count, BODIES, note_leaning, &l);
        lanes->any_free = lanes->any_free || atomic_load(&l.any_free);
        for (uint32_t i = 0; i < task->entry_count && atomic_load(&l.any_free); i++)
            if (l.pushes[i] && !lanes->leans[root_of(lanes, &task->entries[i])])
                ashi_momentum_join(kept, task->entries[i].a, task->entries[i].b);
    }
}

/* The displacements of unsupported bodies are rounded: bodies that pushed each other would move their common centre of
 * mass, which only external forces can. This error is removed from the displacements of these bodies alone: others have
 * no part in the conservation of their angular momentum (momentum.h). False when memory ran out. */
static bool keep_centres(const ashi_step *step, int w)
{
    ashi_lanes *lanes = step->lanes;
    const ashi_wide_task *task = &lanes->task[w];
    const ashi_wide_solution *s = &lanes->solution[w];
    if (!lanes->any_free)
        return true;
    double *mass = ashi_arena_take_array(lanes->arena, task->slots, sizeof *mass);
    ash_vec3 *off = ashi_arena_take_array(lanes->arena, task->slots, sizeof *off);
    uint32_t *group = ashi_arena_take_array(lanes->arena, task->slots, sizeof *group);
    if (mass == NULL || off == NULL || group == NULL)
        return false;
    for (uint32_t i = 0; i < task->active_count; i++) {
        group[task->active[i]] = task->active[i];
        mass[task->active[i]] = 0;
        off[task->active[i]] = v3(0, 0, 0);
    }
    for (uint32_t i = 0; i < task->entry_count; i++)
        if (s->pushes[i] && task->entries[i].a != 0 && task->entries[i].b != 0)
            ashi_groups_join(group, task->entries[i].a, task->entries[i].b);
    double share = 0.5 * task->h * (1 + 1.0 / task->substeps); /* of the change by forces, whose parts move bodies in
                                                                  the sub-steps */
    for (uint32_t i = 0; i < task->active_count; i++) {
        uint32_t slot = task->active[i], root = ashi_group_of(group, slot);
        const ashi_wide_body *body = &lanes->bodies[slot];
        double own = step->model->bodies.inertial[slot].mass;
        ash_vec3 way =
            v3_add_scaled(v3_scale(body->start.linear, task->h), v3_sub(body->free.linear, body->start.linear), share);
        mass[root] += own;
        off[root] = v3_add_scaled(off[root], v3_sub(way, s->shift[slot].linear), own);
    }
    for (uint32_t i = 0; i < task->active_count; i++) {
        uint32_t slot = task->active[i], root = ashi_group_of(group, slot);
        if (!lanes->leans[lanes->parent[slot]])
            s->shift[slot].linear = v3_add_scaled(s->shift[slot].linear, off[root], 1 / mass[root]);
    }
    return true;
}

/* Gives the bodies of a task their new state. */
typedef struct correcting {
    ashi_step *step;
    const ashi_wide_task *task;
    const ashi_wide_solution *solution;
    const bool *elastic; /* by slot; null: there are none */
    ashi_kept_momentum *kept;
    double (*works)[2]; /* by piece: of the impulses, and of removing overlap */
} correcting;

/* The kinetic energy gained by a body, minus the part from forces, is the work of impulses. The displacements that
 * remove overlap do work against forces. */
static void add_work(const correcting *c, uint32_t slot, double works[2])
{
    const ashi_bodies *b = &c->step->model->bodies;
    const ashi_wide_body *body = &c->task->bodies[slot];
    const ash_motion *now = &c->solution->velocity[slot], *shift = &c->solution->shift[slot];
    const ash_motion *placed = &c->solution->placed[slot];
    double mass = b->inertial[slot].mass, share = 1.0 / c->task->substeps, part = c->task->h * share;
    ash_vec3 change = v3_sub(now->linear, body->start.linear);
    ash_vec3 push = v3_scale(v3_sub(body->free.linear, body->start.linear), share);
    /* sums of the mean velocities of sub-steps */
    ash_vec3 way = v3_sub(v3_sub(shift->linear, placed->linear), v3_scale(change, 0.5 * part));
    works[0] += mass * (0.5 * v3_dot(change, v3_add(now->linear, body->start.linear)) - v3_dot(push, way) / part);
    works[1] -= mass * v3_dot(push, placed->linear) / part;
    if (!(b->motion[slot] & ASHI_ROTATES))
        return;
    ash_vec3 turn = v3_sub(now->angular, body->start.angular);
    ash_vec3 twist = v3_scale(v3_sub(body->free.angular, body->start.angular), share);
    ash_vec3 angle = v3_sub(shift->angular, v3_add(placed->angular, v3_scale(turn, 0.5 * part)));
    ash_vec3 mean = v3_scale(v3_add(now->angular, body->start.angular), 0.5);
    if (c->task->planar) {
        works[0] += b->rotor[slot].inertia.zz * (turn.z * mean.z - twist.z * angle.z / part);
        return;
    }
    ash_sym3 inertia = s3_rotated(b->rotor[slot].inertia, b->now.rotation[slot]);
    works[0] += v3_dot(s3_apply(inertia, turn), mean) - v3_dot(s3_apply(inertia, twist), angle) / part;
}

/* The displacement that sub-steps leave out (hold.c). */
static ash_motion shift_of(const correcting *c, uint32_t slot)
{
    const ashi_wide_body *of = &c->task->bodies[slot];
    ash_motion shift = c->solution->shift[slot];
    if (c->elastic == NULL || !c->elastic[slot])
        return shift;
    const ash_problem_body body = {.start_velocity = of->start.linear, .start_spin = of->start.angular};
    ash_motion delay = ashi_hold_elastic_delay(&body, &c->solution->velocity[slot], c->task->h, c->task->substeps);
    return (ash_motion){v3_add(shift.linear, delay.linear), v3_add(shift.angular, delay.angular)};
}

/* A body of a planar world, whose spin needs no correction. */
static void correct_flat(const correcting *c, uint32_t slot, const ash_motion *v, const ash_motion *shift)
{
    const ashi_bodies *b = &c->step->model->bodies;
    ash_vec3 at = b->now.position[slot];
    ashi_step_store(c->step, slot, v3(at.x + shift->linear.x, at.y + shift->linear.y, at.z),
                    q_turned_flat(shift->angular.z, b->now.rotation[slot]), v->linear, v->angular);
}

static void correct_some(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const correcting *c = data;
    const ashi_bodies *b = &c->step->model->bodies;
    double works[2] = {0, 0};
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t slot = c->task->active[i];
        const ash_motion *free = &c->task->bodies[slot].free, *v = &c->solution->velocity[slot];
        const ash_problem_body body = {.velocity = free->linear, .spin = free->angular};
        ash_vec3 momentum = ashi_momentum_keep_body(c->kept, slot, &body), gained = v3_sub(v->angular, free->angular);
        ash_motion shift = shift_of(c, slot);
        add_work(c, slot, works);
        if (c->task->planar) {
            correct_flat(c, slot, v, &shift);
            continue;
        }
        b->next.position[slot] = b->now.position[slot];
        b->next.rotation[slot] = b->now.rotation[slot];
        b->next.velocity[slot] = v->linear;
        b->next.spin[slot] = v->angular;
        ashi_displace(c->step, slot, shift.linear, shift.angular);
        b->next.spin[slot] = ashi_momentum_spin(b, slot, momentum, gained, v->angular);
    }
    memcpy(c->works[begin / BODIES], works, sizeof works);
}

bool ashi_lanes_correct(ashi_step *step, const bool *elastic, ashi_kept_momentum *kept)
{
    ashi_lanes *lanes = step->lanes;
    for (int w = 0; w < ASHI_WIDTHS && lanes->acts; w++) {
        const ashi_wide_task *task = &lanes->task[w];
        uint32_t pieces = task->active_count / BODIES + 1;
        if (task->entry_count == 0)
            continue;
        correcting c = {step,    task, &lanes->solution[w],
                        elastic, kept, ashi_arena_take_array(lanes->arena, pieces, sizeof *c.works)};
        if (lanes->leans == NULL || c.works == NULL || !keep_centres(step, w))
            return false;
        ashi_parallel_for(step->tasks, task->active_count, BODIES, correct_some, &c);
        step->work.impacts -= lanes->solution[w].friction_work;
        step->work.friction += lanes->solution[w].friction_work;
        for (uint32_t i = 0; i * BODIES < task->active_count; i++) {
            step->work.impacts += c.works[i][0];
            step->work.stabilization += c.works[i][1];
        }
    }
    return true;
}

/* ---- forces ---- */

void ashi_lanes_store(const ashi_replaced_forces *replaced, ashi_point_record *points, void *data)
{
    const ashi_lanes *lanes = data;
    for (int w = 0; w < ASHI_WIDTHS; w++)
        if (lanes->acts && lanes->task[w].entry_count > 0)
            lanes->task[w].form->store(&lanes->task[w], &lanes->solution[w], points, replaced);
}

/* ---- rest ---- */

void ashi_lanes_lay(ashi_step *step, bool (*rests)(const ashi_step *step, uint32_t slot),
                    void (*lay)(ashi_step *step, uint32_t slot, uint64_t group))
{
    ashi_lanes *lanes = step->lanes;
    ashi_bodies *b = &step->model->bodies;
    uint32_t *parent = lanes->parent;
    if (!lanes->acts)
        return;
    uint64_t *group = ashi_arena_take_array(lanes->arena, ashi_body_slots(&step->model->bodies), sizeof *group);
    if (group == NULL)
        return; /* without memory they only stay awake for longer */
    for (uint32_t i = 0; i < lanes->active_count; i++)
        group[lanes->active[i]] = 1;
    for (uint32_t i = 0; i < lanes->active_count; i++)
        if (!rests(step, lanes->active[i]))
            group[ashi_group_of(parent, lanes->active[i])] = 0;
    for (uint32_t i = 0; i < lanes->active_count; i++) {
        uint32_t slot = lanes->active[i], root = ashi_group_of(parent, slot); /* roots are the lowest */
        if (root == slot && group[root] != 0)
            group[root] = ++b->last_group;
        if (group[root] != 0)
            lay(step, slot, group[root]);
    }
}

void ashi_lanes_mark(const ashi_lanes *lanes, bool *marks)
{
    for (uint32_t i = 0; i < lanes->active_count; i++)
        marks[lanes->active[i]] = true;
}
