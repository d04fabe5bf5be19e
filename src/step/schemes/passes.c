/* Impulse-based shock propagation (Guendelman, Bridson & Fedkiw 2003; Erleben 2007, section 5.2). A step is
 *
 *   1. collision: bodies are moved ahead by v + h a; pairs that overlap there and approach by v get impulses with
 *      restitution, which change v, pair by pair, in up to `collision-passes` passes over all pairs;
 *   2. velocities: v + h a;
 *   3. contact: bodies are moved ahead by the new velocities; pairs that overlap there get impulses with a restitution
 *      of -0.9, -0.8 ... 0 in `iterations` passes, so that they stop gradually, layer by layer of the contact graph
 * from the ground up;
 *   4. shock propagation: one pass more, in which each layer is stopped in `shock-rounds` rounds in the same gradual
 * way, and then has infinite mass for what is above;
 *   5. positions: those that were foreseen last.
 *
 * Since restitution acts on velocities without the forces of the step, what rests does not bounce, without any
 * threshold of speed. Overlap that is there stays: nothing in the scheme removes it.
 *
 * Differences to the paper: stack heights are counted from the ground through whatever touches (Erleben 2007) instead
 * of finding out which body rests on which by moving each by itself; pairs of shapes are collided by their own
 * functions, not by sample points in distance fields; joints, which the paper has not, are visited in their layers, and
 * closed in the end by one factor (closure.c). In shock propagation the momentum of what is held is lost: the impulses
 * in the problem are measured by the yardstick as if they had acted on both bodies. */
#include "problem/assemble.h"
#include "problem/yardstick.h"
#include "step/foresight.h"
#include "step/hold.h"
#include "step/joints/closure.h"
#include "step/momentum.h"
#include "step/pass_joints.h"
#include "step/schemes/velocity.h"

#include <string.h>

#define MOST_QUERIES 4000000u /* of two shapes in a phase: far more than any but crowds need, ... */
#define CROWDED      1000000u /* ... and where there is a large one */

#define AT_THE_BOUND 0.99 /* of the bound: friction of more is at it */

/* The phases with layers. */
typedef struct passes {
    ashi_foresight foresight;
    const ashi_contact_graph *graph;
    ashi_pass_joints joints;
    uint32_t *first_pair, *order; /* numbers of pairs by layers, and where each layer's begin */
    uint32_t order_room;
    uint32_t done; /* passes of contact */
    bool *slides;  /* by the world's contact points: static friction gave way */
} passes;

static bool is_spent(const ashi_foresight *f)
{
    return f->queries > (f->crowded ? CROWDED : MOST_QUERIES) || ashi_interrupt_asks(f->step->interrupt);
}

/* The work of all impulses of a kind: times the mean of velocities before and after, as in hold.c. What they do on
 * kinematic bodies is `driven`. */
static double work_of(const ashi_foresight *f, ashi_impulse_kind kind, double *driven)
{
    const ashi_bodies *b = &f->step->model->bodies;
    double work = 0;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        const ash_motion *impulse = &f->bodies[i].impulse[kind];
        ash_vec3 velocity = v3_scale(v3_add(b->now.velocity[i], f->state.velocity[i]), 0.5);
        ash_vec3 spin = v3_scale(v3_add(b->now.spin[i], f->state.spin[i]), 0.5);
        double own = v3_dot(impulse->linear, velocity) + v3_dot(impulse->angular, spin);
        work += own;
        *driven += b->motion[i] & ASHI_KINEMATIC ? own : 0;
    }
    return work;
}

static void record(const ashi_foresight *f, ashi_work *work)
{
    double driven = 0;
    work->impacts += work_of(f, ASHI_IMPULSE_NORMAL, &driven);
    work->friction += work_of(f, ASHI_IMPULSE_FRICTION, &driven) + f->run;
    work->loads -= driven + f->run; /* drives make it good */
}

/* ---- collision ---- */

/* Collisions: impulses with restitution at the velocities of `now`, which they change, wherever bodies will overlap
 * that move by these and by the forces of the step, whose free motion over h is in `next`. Works are added to `work`.
 * `collided`: there were some, and free motion must be found again. False when memory ran out. */
static bool collide(ashi_step *step, double h, ashi_work *work, bool *collided)
{
    ash_stage before = ashi_step_enter(step, ASH_STAGE_SOLVE);
    const ashi_bodies *b = &step->model->bodies;
    uint32_t slots = ashi_body_slots(b);
    ashi_foresight f;
    ashi_visit visit = {.elastic = true};
    bool good = ashi_foresight_begin(&f, step, &b->now, h), changed = true;
    f.moving = &b->now;
    if (good && step->method.continuous)
        ashi_foresight_stop_fast(&f, visit);
    for (uint32_t pass = 0; good && changed && pass < step->method.collision_passes && !is_spent(&f); pass++) {
        uint64_t impulses = f.impulses;
        good = ashi_foresight_look(&f);
        for (uint32_t i = 0; good && i < f.pair_count; i++)
            good = ashi_foresight_visit(&f, &f.pairs[i], visit);
        changed = f.impulses > impulses;
    }
    *collided = good && f.impulses > 1;
    if (*collided) {
        record(&f, work);
        memcpy(b->now.velocity, f.state.velocity, slots * sizeof *b->now.velocity);
        memcpy(b->now.spin, f.state.spin, slots * sizeof *b->now.spin);
    }
    step->solve_flags |= good && is_spent(&f) ? ASH_SOLVE_BUDGET : 0;
    ashi_step_enter(step, before);
    return good;
}

/* ---- layers ---- */

static uint32_t layer_of(const passes *p, uint32_t number)
{
    const ashi_foreseen_pair *pair = &p->foresight.pairs[number];
    return ashi_contact_graph_layer(p->graph, pair->body_a, pair->body_b);
}

/* Sorts the candidates by layers, each layer's in the order of pairs. False when memory ran out. */
static bool sort_pairs(passes *p)
{
    const ashi_foresight *f = &p->foresight;
    uint32_t layers = p->graph->layer_count;
    if (f->pair_count > p->order_room) {
        p->order = ashi_arena_take_array(f->step->scratch, f->pair_room, sizeof *p->order);
        p->order_room = p->order != NULL ? f->pair_room : 0;
        if (p->order == NULL)
            return false;
    }
    memset(p->first_pair, 0, (layers + 2) * sizeof *p->first_pair);
    for (uint32_t i = 0; i < f->pair_count; i++)
        p->first_pair[layer_of(p, i) + 2]++;
    for (uint32_t i = 2; i < layers + 2; i++)
        p->first_pair[i] += p->first_pair[i - 1];
    for (uint32_t i = 0; i < f->pair_count; i++)
        p->order[p->first_pair[layer_of(p, i) + 1]++] = i;
    return true;
}

static bool visit_layer(passes *p, uint32_t layer, double restitution)
{
    ashi_foresight *f = &p->foresight;
    ashi_visit visit = {.restitution = restitution};
    bool good = true;
    ashi_pass_joints_visit(&p->joints, f, layer);
    for (uint32_t i = p->first_pair[layer]; good && i < p->first_pair[layer + 1]; i++)
        good = ashi_foresight_visit(f, &f->pairs[p->order[i]], visit);
    return good;
}

/* From here on bodies above cannot move these. Those with joints are left out: what one end of a chain carries is not
 * to be lost on the way to the other. */
static void hold_layer(passes *p, uint32_t layer)
{
    const ashi_contact_graph *g = p->graph;
    for (uint32_t i = g->first_upper.data[layer]; i < g->first_upper.data[layer + 1]; i++) {
        ashi_foreseen_body *body = &p->foresight.bodies[g->upper.data[i]];
        body->held = !body->joined;
    }
}

/* The restitution of one of so many rounds, so that what approaches stops gradually: from -1 excluded to 0. */
static double gradual(uint32_t round, uint32_t rounds)
{
    return (round + 1.0) / rounds - 1;
}

/* One pass from the ground up. False when memory ran out. */
static bool touch(passes *p, double restitution)
{
    bool good = ashi_foresight_look(&p->foresight) && sort_pairs(p);
    for (uint32_t layer = 0; good && layer < p->graph->layer_count; layer++)
        good = visit_layer(p, layer, restitution);
    return good;
}

/* One pass in which each layer comes to rest on those below, which do not give way any more. */
static bool propagate(passes *p)
{
    const ashi_foresight *f = &p->foresight;
    uint32_t rounds = f->step->method.shock_rounds;
    bool good = ashi_foresight_look(&p->foresight) && sort_pairs(p);
    for (uint32_t layer = 0; good && layer < p->graph->layer_count; layer++) {
        bool changed = true;
        for (uint32_t i = 0; good && changed && i < rounds && !is_spent(f); i++) {
            uint64_t before = f->impulses;
            good = visit_layer(p, layer, gradual(i, rounds));
            changed = f->impulses > before;
        }
        hold_layer(p, layer);
    }
    return good;
}

static bool pass_all(passes *p)
{
    const ashi_foresight *f = &p->foresight;
    uint32_t most = f->step->method.solver.iterations;
    bool good = true, changed = true;
    for (; good && changed && p->done < most && !is_spent(f); p->done++) {
        uint64_t before = f->impulses;
        good = touch(p, gradual(p->done, most));
        changed = f->impulses > before;
    }
    return good && propagate(p);
}

/* ---- before and after ---- */

/* Nothing has acted yet; and bodies under tension of joints turn as heavily as in the problem. */
static void begin_problem(passes *p)
{
    ashi_foresight *f = &p->foresight;
    ashi_system *problem = f->step->problem;
    for (uint32_t i = 0; i < problem->row_count; i++)
        problem->rows[i].impulse = 0;
    for (uint32_t i = problem->fixed_count; i < problem->body_count; i++) {
        const ash_problem_body *body = &problem->bodies[i];
        uint32_t slot = ashi_pool_slot_of(&f->step->model->bodies.pool, body->label);
        f->bodies[slot].inverse_inertia = body->inverse_inertia;
        f->state.spin[slot] = body->spin;
        f->bodies[slot].moved = true;
    }
}

static bool begin(passes *p, ashi_step *step, double h)
{
    ashi_foresight *f = &p->foresight;
    const ashi_contact_set *contacts = &step->collision->now;
    double lever = h * ashi_hold_share(step->method.integrator);
    *p = (passes){.graph = step->graph, .slides = p->slides};
    if (!ashi_contact_graph_of_world(step->graph, step->model, contacts) ||
        !ashi_foresight_begin(f, step, &step->model->bodies.next, lever))
        return false;
    uint32_t points = contacts->points.count;
    p->first_pair = ashi_arena_take_array(step->scratch, p->graph->layer_count + 2, sizeof *p->first_pair);
    f->borne = ashi_arena_take_array(step->scratch, points, sizeof *f->borne);
    if (p->first_pair == NULL || f->borne == NULL)
        return false;
    for (uint32_t i = 0; i < points; i++)
        f->borne[i] = (ash_motion){0};
    f->slides = p->slides;
    begin_problem(p);
    return ashi_pass_joints_begin(&p->joints, f, p->graph);
}

/* The impulses that contacts carried, to the rows of the problem. */
static void store_impulses(const passes *p)
{
    ashi_system *problem = p->foresight.step->problem;
    for (uint32_t k = 0; k < problem->block_count; k++) {
        const ashi_block *block = &problem->blocks[k];
        if (block->kind != ASHI_CONTACT_BLOCK)
            continue;
        const ash_motion *borne = &p->foresight.borne[block->label];
        for (uint32_t i = 0; i < block->row_count; i++) {
            ashi_row *row = &problem->rows[block->first_row + i];
            row->impulse =
                i <= block->tangents ? v3_dot(row->linear_b, borne->linear) : v3_dot(row->angular_b, borne->angular);
        }
    }
}

/* The problem gets the velocities that bodies really have. */
static void store_velocities(const passes *p)
{
    const ashi_step *step = p->foresight.step;
    ashi_system *problem = step->problem;
    for (uint32_t i = 0; i < problem->body_count; i++) {
        uint32_t slot = ashi_pool_slot_of(&step->model->bodies.pool, problem->bodies[i].label);
        problem->velocity[i] = (ash_motion){p->foresight.state.velocity[slot], p->foresight.state.spin[slot]};
    }
}

/* ---- two coefficients ---- */

static bool follows(const ashi_system *problem, uint32_t block, uint32_t first)
{
    const ashi_block *b = &problem->blocks[block], *f = &problem->blocks[first];
    return b->kind == ASHI_CONTACT_BLOCK && b->body_a == f->body_a && b->body_b == f->body_b;
}

/* The contacts of two bodies together. */
typedef struct together {
    double load, friction, bound;
    ash_vec3 slip; /* the sum over points of their speeds times their loads */
} together;

/* Adds up blocks from `first` to `end`; `two`: only those whose sliding friction is lower. */
static together add_up(const passes *p, uint32_t first, uint32_t end, bool two)
{
    const ashi_system *problem = p->foresight.step->problem;
    together t = {.slip = v3(0, 0, 0)};
    for (uint32_t k = first; k < end; k++) {
        const ashi_block *block = &problem->blocks[k];
        const ashi_row *row = &problem->rows[block->first_row];
        ash_vec3 along = v3(0, 0, 0);
        if (!(row->impulse > 0) || (two && !(block->sliding_friction < block->friction)))
            continue;
        for (uint32_t i = 1; i <= block->tangents; i++) {
            double speed =
                ashi_row_speed(&row[i], &problem->velocity[block->body_a], &problem->velocity[block->body_b]);
            t.slip = v3_add_scaled(t.slip, row[i].linear_b, row->impulse * (speed + row[i].bias));
            along = v3_add_scaled(along, row[i].linear_b, row[i].impulse);
        }
        t.load += row->impulse;
        t.friction += v3_norm(along);
        t.bound += (p->slides[block->label] ? block->sliding_friction : block->friction) * row->impulse;
    }
    return t;
}

/* Whether static friction of two bodies is at its bound, and they slip faster than the stick speed. Single points slip
 * as a body rocks: the mean by their loads counts. */
static bool gives_way(const passes *p, uint32_t first, uint32_t end)
{
    together t = add_up(p, first, end, true);
    return t.friction >= AT_THE_BOUND * t.bound && v3_norm(t.slip) > t.load * p->foresight.step->problem->stick_speed;
}

/* The end of the contacts of the two bodies of block `first`. */
static uint32_t end_of(const ashi_system *problem, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < problem->block_count && follows(problem, end, first))
        end++;
    return end;
}

/* The fastest slip of two bodies whose friction could hold them: each impulse is bounded by itself, so that together
 * they may hold less. Beyond the stick speed they slide. */
static ash_vec3 fastest_creep(const passes *p)
{
    const ashi_system *problem = p->foresight.step->problem;
    ash_vec3 fastest = p->foresight.step->creep;
    for (uint32_t first = 0, end; first < problem->block_count; first = end) {
        end = end_of(problem, first);
        if (problem->blocks[first].kind != ASHI_CONTACT_BLOCK)
            continue;
        together t = add_up(p, first, end, false);
        if (!(t.friction < AT_THE_BOUND * t.bound))
            continue;
        ash_vec3 slip = v3_scale(t.slip, 1 / t.load);
        if (v3_norm(slip) <= problem->stick_speed && v3_norm2(slip) > v3_norm2(fastest))
            fastest = slip;
    }
    return fastest;
}

/* Marks contacts whose static friction gives way. */
static bool some_give_way(passes *p)
{
    const ashi_system *problem = p->foresight.step->problem;
    bool some = false;
    store_impulses(p);
    store_velocities(p);
    for (uint32_t first = 0, end; first < problem->block_count; first = end) {
        end = end_of(problem, first);
        if (problem->blocks[first].kind != ASHI_CONTACT_BLOCK || !gives_way(p, first, end))
            continue;
        for (uint32_t k = first; k < end; k++)
            p->slides[problem->blocks[k].label] = true;
        some = true;
    }
    return some;
}

/* All passes; and where static friction gives way, all once more with sliding friction there. */
static bool pass_by_both_laws(passes *p, double h)
{
    ashi_step *step = p->foresight.step;
    ashi_kept_momentum *kept = p->foresight.kept;
    uint32_t points = step->collision->now.points.count, done;
    if (!pass_all(p))
        return false;
    p->slides = ashi_arena_take_array(step->scratch, points, sizeof *p->slides);
    if (p->slides == NULL)
        return false;
    for (uint32_t i = 0; i < points; i++)
        p->slides[i] = false;
    if (!some_give_way(p))
        return true;
    done = p->done;
    if (!begin(p, step, h))
        return false;
    p->foresight.kept = kept;
    if (!pass_all(p))
        return false;
    p->done += done;
    return true;
}

/* ---- the end ---- */

/* The yardstick's error of these impulses. Then the problem gets the velocities that bodies really have. */
static bool measure(passes *p)
{
    ashi_step *step = p->foresight.step;
    ashi_system *problem = step->problem;
    ashi_law law = ashi_law_of(problem);
    ash_solve_result result = {.iterations = p->done, .flags = is_spent(&p->foresight) ? ASH_SOLVE_BUDGET : 0};
    void *work = ashi_arena_take(step->scratch, ashi_yardstick_room(problem, NULL));
    if (work == NULL)
        return false;
    ashi_system_velocities(problem, NULL);
    ashi_yardstick_measure(problem, NULL, &law, work, &result.error);
    ashi_hold_note(step, &result);
    store_velocities(p);
    step->creep = fastest_creep(p);
    return true;
}

/* Bodies that were pushed are where they were foreseen. */
static void correct(ashi_foresight *f)
{
    ashi_step *step = f->step;
    const ashi_bodies *b = &step->model->bodies;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        const ashi_foreseen_body *body = &f->bodies[i];
        ash_vec3 velocity = f->state.velocity[i], spin = f->state.spin[i];
        ash_vec3 gain = v3_sub(velocity, body->velocity), gained = v3_sub(spin, body->spin);
        if (!(b->motion[i] & ASHI_DYNAMIC) || v3_norm2(gain) + v3_norm2(gained) == 0)
            continue;
        ash_vec3 momentum = b->motion[i] & ASHI_ROTATES
                                ? ashi_angular_momentum(&b->rotor[i], b->next.rotation[i], body->spin)
                                : v3(0, 0, 0);
        ashi_displace(step, i, v3_scale(gain, f->lever), v3_scale(gained, f->lever));
        spin = ashi_momentum_spin(b, i, momentum, gained, spin);
        ashi_step_store(step, i, b->next.position[i], b->next.rotation[i], velocity, spin);
    }
}

/* Contact and shock propagation at the velocities of `next`, after free motion over h: `next` is corrected. The problem
 * of the contacts within `reach` is assembled, gets the impulses, and is measured. False when memory ran out. */
static bool hold(ashi_step *step, double h, double reach)
{
    ash_stage before = ashi_step_enter(step, ASH_STAGE_SOLVE);
    passes p = {0};
    bool good = ashi_hold_assemble(step, h, reach, false) && begin(&p, step, h);
    ashi_kept_momentum *kept = good ? ashi_momentum_keep_free_motion(step) : NULL;
    p.foresight.kept = kept;
    good = kept != NULL && pass_by_both_laws(&p, h);
    if (good) {
        store_impulses(&p);
        ashi_momentum_join_blocks(kept, step->problem);
        good = measure(&p);
    }
    if (good) {
        ashi_hold_record_joints(step);
        record(&p.foresight, &step->work);
        correct(&p.foresight);
        good = (!ashi_hold_closes(step) || ashi_step_close_joints(step)) &&
               ashi_momentum_return(kept, &step->model->bodies.next, &step->work.stabilization);
    }
    ashi_step_enter(step, before);
    return good;
}

/* ---- the scheme ---- */

/* Collisions at the start, and then free motion from the velocities that they left. */
static bool collide_and_move(ashi_step *step, double h)
{
    ashi_work work = step->work;
    bool collided;
    if (!ashi_velocity_move(step))
        return false;
    if (!ashi_step_solves_contacts(step))
        return true;
    if (!collide(step, h, &work, &collided))
        return false;
    if (!collided)
        return true;
    step->work = work;
    return ashi_velocity_move(step);
}

static bool take(ashi_step *step, double h, double reach)
{
    step->h = h;
    bool moved = collide_and_move(step, h);
    if (!moved || !ashi_velocity_holds(step)) {
        ashi_system_clear(step->problem);
        return moved;
    }
    return ashi_scheme_hold(step, h, reach, hold) && ashi_project_positions(step);
}

const ashi_scheme_class ashi_scheme_passes = {
    .name = "passes",
    .take = take,
    .move = ashi_velocity_move,
    .holds = ashi_velocity_holds,
    .order = 1,
    .foresees = true,
    .no_projection = true,
};
