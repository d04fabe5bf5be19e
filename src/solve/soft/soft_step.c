/* The real-time solver: sub-steps with soft removal of overlap (docs/soft-step.md).
 *
 * With fixed Jacobians, n times: forces change the velocities and the impulses of the last sub-step act again (the warm
 * start, in body space, with a little lead); two sweeps over all blocks, there and back, for the velocities, each
 * followed by one exact solution of the equalities if that is wanted; positions move; one pass removes overlap by soft
 * contacts, by moving positions only. Last, contacts that should rebound do. Bodies come out with a displacement
 * (`shift`) as well as a velocity.
 *
 * Overlap is removed beside the velocities, not through them: an error of position in a warm-started velocity row is
 * summed twice, and every mode of a pile that the sweeps reduce by less than rate times h a sub-step then oscillates
 * with growing amplitude. For the same reason a gap is closed at no more than the forces' own pace (`slack`).
 *
 * Impulses in the rows are totals of the step: velocity = v* + M^-1 J^T impulse holds. By these the solution is judged,
 * as they are stored. */
#include "solve/soft/soft_step.h"

#define WILD   10   /* times as fast as before, or as TRIFLE: more than any sensible warm start makes bodies */
#define TRIFLE 1.0  /* units of length and time */
#define JOLT   0.02 /* of the kinetic energy at the start, by what blocks do differently than in the last sub-step */

/* ---- velocities ---- */

/* Patches by one function, contacts that are in none by another, in their order. */
static void go_through(ashi_soft_step *s, void (*patches)(ashi_soft_step *s, const ashi_soft_run *run),
                       void (*rows)(ashi_soft_step *s, const ashi_soft_run *run))
{
    for (uint32_t i = 0; i < s->run_count; i++)
        (s->runs[i].patches ? patches : rows)(s, &s->runs[i]);
}

/* The first sub-step begins with the problem's impulses; later ones with what blocks did in the last, body by body. */
static void warm_start(ashi_soft_step *s)
{
    go_through(s, ashi_soft_patches_warm_start, ashi_soft_rows_warm_start);
    ashi_soft_plain_warm_start(s);
}

static double energy_of(const ashi_soft_forces *body, ash_vec3 velocity, ash_vec3 spin)
{
    return 0.5 * (v3_dot(velocity, v3_mul(body->mass, velocity)) + v3_dot(spin, s3_apply(body->inertia, spin)));
}

/* Joints that contradict each other may carry any load as long as it cancels; where they have turned since, it does
 * not. Whether the warm start so makes the island absurdly fast, or the numbers broke down. */
static bool is_wild(const ashi_soft_step *s)
{
    double won = 0, most = 0;
    for (uint32_t i = 0; i < s->body_count; i++) {
        const ashi_soft_forces *f = &s->forces[i];
        double trifle = TRIFLE * s->settings->unit_length / s->settings->unit_time;
        const ash_vec3 slow = {trifle, trifle, trifle};
        won += energy_of(f, s->bodies[i].change.linear, s->bodies[i].change.angular);
        most += energy_of(f, f->start_velocity, f->start_spin) + energy_of(f, slow, v3(0, 0, 0));
    }
    return !(won <= WILD * WILD * most);
}

/* After the first sub-step, `before` is the last step's; after the last there is none to come. */
static double lead_of(const ashi_soft_step *s, uint32_t number)
{
    return number > 0 && number + 1 < s->substeps ? ASHI_SOFT_LEAD : 0;
}

static void forget_impulses(ashi_soft_step *s)
{
    for (uint32_t i = 0; i < s->row_count; i++)
        s->impulse[i] = 0;
    for (uint32_t i = 0; i < s->patches.count; i++)
        for (uint32_t k = 0; k < s->patches.list[i].count; k++)
            s->touches[s->patches.list[i].first - s->island->first_point + k].impulse = v3(0, 0, 0);
    for (uint32_t i = 0; i < s->plain_count; i++)
        s->plains[i].impulse = 0;
}

static ash_vec3 led3(ash_vec3 now, ash_vec3 before, double lead)
{
    return v3_add_scaled(now, v3_sub(now, before), lead);
}

static void push_body(const ashi_soft_forces *f, ash_motion *change)
{
    *change = (ash_motion){v3_add(f->begin.linear, v3_add(f->push.linear, f->held.linear)),
                           v3_add(f->begin.angular, v3_add(f->push.angular, f->held.angular))};
}

/* Forces act, and what blocks did in the last sub-step acts again: it goes on a little in the way it has changed. */
static void push_bodies(ashi_soft_step *s, double lead)
{
    for (uint32_t i = 0; i < s->body_count; i++) {
        ashi_soft_forces *f = &s->forces[i];
        ash_motion now = f->held;
        f->held = (ash_motion){led3(now.linear, f->before.linear, lead), led3(now.angular, f->before.angular, lead)};
        f->before = now;
        f->begin = s->bodies[i].change;
        push_body(f, &s->bodies[i].change);
    }
}

static void act(ashi_soft_step *s, uint32_t number)
{
    push_bodies(s, number > 0 ? lead_of(s, number - 1) : 0);
    if (number > 0)
        return;
    warm_start(s);
    if (s->plain_count > 0 && is_wild(s)) {
        forget_impulses(s);
        for (uint32_t i = 0; i < s->body_count; i++)
            push_body(&s->forces[i], &s->bodies[i].change);
    }
}

/* Rows that follow their turning J ask for speeds by the motion at the start of the step (soft_step_plain.c). Where an
 * impact, or a chain that goes taut, has changed that motion, these speeds are wrong, and joints that carry the impact
 * would do work at them. Whether blocks have just changed the motion by that much. */
static bool is_jolted(const ashi_soft_step *s)
{
    double change = 0, before = 0;
    for (uint32_t i = 0; i < s->body_count; i++) {
        const ashi_soft_forces *f = &s->forces[i];
        const ash_motion *now = &s->bodies[i].change;
        ash_vec3 linear = v3_sub(v3_sub(now->linear, f->begin.linear), v3_add(f->push.linear, f->before.linear));
        ash_vec3 angular = v3_sub(v3_sub(now->angular, f->begin.angular), v3_add(f->push.angular, f->before.angular));
        change += energy_of(f, linear, angular);
        before += energy_of(f, f->start_velocity, f->start_spin);
    }
    return change > JOLT * before;
}

static void sweep_contacts(ashi_soft_step *s, const ashi_soft_pass *place)
{
    for (uint32_t i = 0; i < s->run_count; i++) {
        const ashi_soft_run *run = &s->runs[place->back ? s->run_count - 1 - i : i];
        if (run->patches)
            ashi_soft_patches_sweep(s, run, place);
        else
            ashi_soft_rows_sweep(s, run, place);
    }
}

static void sweep(ashi_soft_step *s, ashi_soft_time time, const ashi_soft_pass *place)
{
    bool knows_reach = ashi_soft_plain_knows_reach(s);
    if (knows_reach)
        ashi_soft_plain_hold(s, time, false);
    ashi_soft_plain_sweep(s, place->back, time);
    sweep_contacts(s, place);
    if (!knows_reach || s->run_count > 0)
        ashi_soft_plain_hold(s, time, false);
}

/* ---- the end of a sub-step ---- */

/* The blocks' work on a body in what has changed since `begin` but by forces: their impulses on mean velocities,
 * exactly. What they changed is held. */
static inline double hold_body(ashi_soft_forces *f, const ash_motion *change, const ash_motion *push)
{
    const ash_motion *begin = &f->begin;
    ash_motion held = {v3_sub(v3_sub(change->linear, begin->linear), push->linear),
                       v3_sub(v3_sub(change->angular, begin->angular), push->angular)};
    ash_vec3 velocity = v3_add_scaled(f->start_velocity, v3_add(change->linear, begin->linear), 0.5);
    ash_vec3 spin = v3_add_scaled(f->start_spin, v3_add(change->angular, begin->angular), 0.5);
    f->held = held;
    return v3_dot(v3_mul(f->mass, held.linear), velocity) + v3_dot(s3_apply(f->inertia, held.angular), spin);
}

/* Positions move. Returns the work of all blocks in the sub-step. */
static double move_bodies(ashi_soft_step *s)
{
    double work = 0;
    for (uint32_t i = 0; i < s->body_count; i++) {
        ashi_soft_body *body = &s->bodies[i];
        ashi_soft_forces *f = &s->forces[i];
        f->way = v3_add_scaled(f->way, body->change.linear, s->h);
        body->shift.linear = v3_add_scaled(body->shift.linear, body->change.linear, s->h);
        body->shift.angular = v3_add_scaled(body->shift.angular, body->change.angular, s->h);
        work += hold_body(f, &body->change, &f->push);
    }
    return work;
}

/* What the placing of contacts did against the forces: the stored energy that it added. */
static double work_of_placing(const ashi_soft_step *s)
{
    double work = 0;
    for (uint32_t i = 0; i < s->body_count && s->h > 0; i++) {
        const ashi_soft_forces *f = &s->forces[i];
        ash_vec3 placed = v3_sub(s->bodies[i].shift.linear, f->way);
        work -= v3_dot(v3_mul(f->mass, f->push.linear), placed) / s->h;
    }
    return work;
}

/* ---- the next sub-step's start ---- */

static double led(double now, double before, double lead)
{
    return now + lead * (now - before);
}

/* Returns the work of friction in the sub-step. */
static double end_contacts(ashi_soft_step *s, double elapsed, double lead)
{
    double work = 0;
    for (uint32_t i = 0; i < s->run_count; i++) {
        const ashi_soft_run *run = &s->runs[i];
        work += run->patches ? ashi_soft_patches_end(s, run, elapsed, lead) : ashi_soft_rows_end(s, run, elapsed, lead);
    }
    return work;
}

static void end_plains(ashi_soft_step *s, double lead)
{
    for (uint32_t i = 0; i < s->plain_count; i++) {
        ashi_soft_plain *plain = &s->plains[i];
        double now = plain->impulse;
        plain->total += now;
        plain->impulse = led(now, plain->before, lead);
        plain->before = now;
    }
}

/* ---- the whole ---- */

static void store_bodies(const ashi_soft_step *s, ashi_system *p)
{
    for (uint32_t i = 0; i < s->body_count; i++) {
        const ashi_soft_body *body = &s->bodies[i];
        const ashi_soft_forces *f = &s->forces[i];
        uint32_t number = s->island->first_body + i;
        p->velocity[number] =
            (ash_motion){v3_add(f->start_velocity, body->change.linear), v3_add(f->start_spin, body->change.angular)};
        p->shift[number] = (ash_motion){v3_add_scaled(body->shift.linear, f->start_velocity, p->h),
                                        v3_add_scaled(body->shift.angular, f->start_spin, p->h)};
    }
}

static void store_plains(const ashi_soft_step *s, ashi_system *p)
{
    for (uint32_t i = 0; i < s->plain_count; i++) {
        p->rows[s->plains[i].source].impulse = s->plains[i].total;
        p->rows[s->plains[i].source].work = s->plains[i].work;
    }
}

/* The first pass of the judgement goes along, while rows are in the cache. */
static void store(ashi_soft_step *s, ashi_system *p)
{
    store_bodies(s, p);
    store_plains(s, p);
    for (uint32_t i = 0; i < s->run_count; i++)
        for (uint32_t k = s->runs[i].first; k < s->runs[i].first + s->runs[i].count; k++)
            if (s->runs[i].patches)
                ashi_soft_patches_store(s, p, k);
            else
                ashi_soft_rows_store(s, p, k);
}

/* Nothing carries any load yet, and a guess is wanted. */
static bool is_cold(const ashi_system *p, const ash_problem_island *island)
{
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++)
        if (p->rows[p->blocks[k].first_row].impulse != 0)
            return false;
    for (uint32_t k = island->first_point; k < island->first_point + island->point_count && !p->expanded; k++)
        if (p->points[k].impulse.x != 0)
            return false;
    return true;
}

static void sweep_all(ashi_soft_step *s, ashi_soft_time begin, uint32_t number, uint32_t sweeps)
{
    for (uint32_t i = 0; i < sweeps; i++) {
        ashi_soft_pass place = {i == 0, (number + i) & 1, begin.elapsed, s->h > 0 ? 1 / s->h : 0};
        sweep(s, begin, &place);
    }
}

static void substep(ashi_soft_step *s, uint32_t number)
{
    if (s->rebounds)
        go_through(s, ashi_soft_patches_watch, ashi_soft_rows_watch);
    act(s, number);
    ashi_soft_time begin = {s->h * number, s->h * (number + 0.5)};
    uint32_t sweeps = s->run_count > 0 || s->exact_count < s->plain_count
                          ? ASHI_SOFT_SWEEPS * s->settings->substeps / s->substeps
                          : 1;
    sweep_all(s, begin, number, sweeps);
    if (s->follows && is_jolted(s)) {
        s->follows = false;
        for (uint32_t i = 0; i < s->plain_count; i++)
            s->plains[i].drift = 0;
        sweep_all(s, begin, number, sweeps);
    }
}

/* Positions move, their errors go, impulses are added up, and their works: `work` of all blocks, `friction` what it did
 * of that, from its slips before and after, as the sweeps saw them. */
static void end_substep(ashi_soft_step *s, uint32_t number, double *work, double *friction)
{
    double lead = lead_of(s, number);
    ashi_soft_time end = {s->h * (number + 1), s->h * (number + 1)};
    *work -= ashi_soft_plain_work(s);
    *work += move_bodies(s);
    *friction += end_contacts(s, end.elapsed, lead);
    ashi_soft_plain_mend(s, end);
    end_plains(s, lead);
}

bool ashi_solve_soft_step(ashi_solve *solve)
{
    ashi_soft_step s;
    if (solve->settings->warm_start && is_cold(solve->problem, solve->island)) {
        if (!ashi_soft_step_load(solve->problem, solve->island, solve->scratch))
            return false;
        ashi_arena_reset(solve->scratch); /* of what it took nothing is needed */
    }
    if (!ashi_soft_step_prepare(&s, solve))
        return false;
    double work = 0, friction_work = 0;
    s.follows = s.exact_count > 0;
    for (uint32_t i = 0; i < s.substeps; i++) {
        substep(&s, i);
        end_substep(&s, i, &work, &friction_work);
    }
    if (s.rebounds)
        work += ashi_soft_rebound_all(&s, work - friction_work);
    store(&s, solve->problem);
    solve->iterations = s.substeps * ASHI_SOFT_SWEEPS;
    solve->contact_work = work - friction_work;
    solve->friction_work = friction_work;
    solve->placing_work = work_of_placing(&s);
    if (solve->settings->unjudged)
        return true;
    if (solve->problem->expanded) /* its patches were not the solver's */
        ashi_yardstick_read(&s.measuring);
    solve->judged_blocks = ashi_yardstick_end(&s.measuring, &solve->error);
    return true;
}
