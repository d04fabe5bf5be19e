/* Plain rows in the real-time solver: joints, limits, motors (docs/soft-step.md).
 *
 * Rows are visited by the sweeps or, equalities if that is wanted, solved all together by one factor of the step's rows
 * (direct.h), which serves every sub-step. Since J turns with the bodies, what a row asks of J v changes by -drift in a
 * second; with the value in the middle of each sub-step positions keep the row to second order:
 * C + h sum J v + h2 drift / 2 = 0 (the midpoint rule of SHAKE). Positions are mended beside the velocities. */
#include "solve/soft_step.h"

#define CLOSED 1e-10 /* m or rad: smaller errors are left alone */

static inline double plain_speed(const ashi_soft_plain *plain, const ash_motion *a, const ash_motion *b)
{
    const ashi_soft_row *row = &plain->row;
    return v3_dot(plain->linear_a, a->linear) + v3_dot(row->linear, b->linear) + v3_dot(row->angular_a, a->angular) +
           v3_dot(row->angular_b, b->angular);
}

static void push_plain(const ashi_soft_plain *plain, const ashi_soft_body *a, const ashi_soft_body *b, double impulse,
                       ash_motion *motion_a, ash_motion *motion_b)
{
    const ashi_soft_row *row = &plain->row;
    motion_a->linear = v3_add_scaled(motion_a->linear, v3_mul(a->inverse_mass, plain->linear_a), impulse);
    motion_a->angular = v3_add_scaled(motion_a->angular, row->turn_a, impulse);
    motion_b->linear = v3_add_scaled(motion_b->linear, v3_mul(b->inverse_mass, row->linear), impulse);
    motion_b->angular = v3_add_scaled(motion_b->angular, row->turn_b, impulse);
}

/* J v now. */
static double speed_now(const ashi_soft_step *s, const ashi_soft_plain *plain)
{
    return plain->row.speed + plain_speed(plain, &s->bodies[plain->a].change, &s->bodies[plain->b].change);
}

/* How far a limit is open, with its sign; 0 for other rows. */
static double opening_of(const ashi_soft_plain *plain, double error)
{
    if (!plain->holds)
        return 0;
    if (plain->lower == 0)
        return error > 0 ? error : 0;
    return plain->upper == 0 && error < 0 ? error : 0;
}

static double plain_error(const ashi_soft_step *s, const ashi_soft_plain *plain, double elapsed)
{
    return plain->error + (plain->row.speed + 0.5 * plain->drift * elapsed) * elapsed +
           plain_speed(plain, &s->bodies[plain->a].shift, &s->bodies[plain->b].shift);
}

/* ---- velocities ---- */

void ashi_soft_plain_warm_start(ashi_soft_step *s)
{
    for (uint32_t i = 0; i < s->plain_count; i++) {
        const ashi_soft_plain *plain = &s->plains[i];
        ashi_soft_body *a = &s->bodies[plain->a], *b = &s->bodies[plain->b];
        push_plain(plain, a, b, plain->row.impulse, &a->change, &b->change);
    }
}

static void judge(ashi_soft_verdict *v, const ashi_soft_plain *plain, double change)
{
    if (v->wanted && (!(change <= v->largest) || v->worst == UINT32_MAX)) {
        v->largest = change >= 0 ? change : HUGE_VAL; /* what is not a number is infinitely wrong */
        v->worst = plain->block;
    }
}

/* How far the row's speed is from what it asks for. */
static double excess(const ashi_soft_step *s, const ashi_soft_plain *plain, double moment)
{
    return speed_now(s, plain) + plain->bias + plain->drift * moment + plain->softness * plain->row.impulse;
}

static void visit(const ashi_soft_step *s, ashi_soft_plain *plain, ashi_soft_time time, double inverse_h,
                  ashi_soft_verdict *v)
{
    ashi_soft_body *a = &s->bodies[plain->a], *b = &s->bodies[plain->b];
    ashi_soft_row *row = &plain->row;
    double speed = excess(s, plain, time.moment) + opening_of(plain, plain_error(s, plain, time.elapsed)) * inverse_h;
    double impulse = row->impulse - row->mass * speed;
    impulse = impulse < plain->lower ? plain->lower : impulse > plain->upper ? plain->upper : impulse;
    double more = impulse - row->impulse;
    row->impulse = impulse;
    push_plain(plain, a, b, more, &a->change, &b->change);
    judge(v, plain, row->mass > 0 ? fabs(more / row->mass) : 0);
}

void ashi_soft_plain_sweep(ashi_soft_step *s, bool back, ashi_soft_time time, ashi_soft_verdict *v)
{
    double inverse_h = s->h > 0 ? 1 / s->h : 0;
    for (uint32_t i = 0; i < s->plain_count; i++) {
        ashi_soft_plain *plain = &s->plains[back ? s->plain_count - 1 - i : i];
        if (!plain->exact)
            visit(s, plain, time, inverse_h, v);
    }
}

/* ---- exact rows ---- */

/* The factor has the softness that rows have in a sub-step. */
static bool factor(ashi_soft_step *s, ash_problem *problem)
{
    for (uint32_t i = 0; i < s->plain_count; i++) {
        const ashi_soft_plain *plain = &s->plains[i];
        s->answer[plain->source] = problem->rows[plain->source].softness;
        problem->rows[plain->source].softness = plain->softness;
    }
    bool good = ashi_direct_factor(s->direct, problem, s->island);
    for (uint32_t i = 0; i < s->plain_count; i++)
        problem->rows[s->plains[i].source].softness = s->answer[s->plains[i].source];
    return good;
}

bool ashi_soft_plain_prepare(ashi_soft_step *s, ashi_solve *solve)
{
    if (s->exact_count == 0)
        return true;
    s->direct = ashi_solver_factor(solve);
    s->wanted = ashi_arena_take_array(solve->scratch, s->problem->row_count, sizeof *s->wanted);
    s->answer = ashi_arena_take_array(solve->scratch, s->problem->row_count, sizeof *s->answer);
    s->answers = ashi_arena_take_array(solve->scratch, s->problem->body_count, sizeof *s->answers);
    return s->direct != NULL && s->wanted != NULL && s->answer != NULL && s->answers != NULL &&
           factor(s, solve->problem);
}

double ashi_soft_plain_hold(ashi_soft_step *s, ashi_soft_time time, bool into_total, ashi_soft_verdict *v)
{
    double work = 0;
    if (s->exact_count == 0)
        return 0;
    for (uint32_t i = 0; i < s->plain_count; i++) {
        const ashi_soft_plain *plain = &s->plains[i];
        if (!plain->exact)
            continue;
        double speed = excess(s, plain, time.moment);
        s->wanted[plain->source] = -speed;
        judge(v, plain, fabs(speed));
    }
    ashi_direct_solve(s->direct, s->wanted, s->answer, s->answers);
    for (uint32_t i = 0; i < s->plain_count; i++) {
        ashi_soft_plain *plain = &s->plains[i];
        if (!plain->exact)
            continue;
        double more = s->answer[plain->source];
        if (into_total) {
            double before = speed_now(s, plain);
            const ash_motion *first = s->answers + s->island->first_body;
            static const ash_motion still = {0};
            double change = plain_speed(plain, plain->a < s->body_count ? &first[plain->a] : &still,
                                        plain->b < s->body_count ? &first[plain->b] : &still);
            plain->total += more;
            plain->work += more * (before + 0.5 * change);
            work += more * (before + 0.5 * change - plain->given);
        } else {
            plain->row.impulse += more;
        }
    }
    for (uint32_t i = 0; i < s->body_count; i++) {
        const ash_motion *answer = &s->answers[s->island->first_body + i];
        ash_motion *change = &s->bodies[i].change;
        change->linear = v3_add(change->linear, answer->linear);
        change->angular = v3_add(change->angular, answer->angular);
    }
    return work;
}

/* ---- positions ---- */

/* Exact rows close at no more than the push-out speed. */
static void mend_exactly(ashi_soft_step *s, double elapsed)
{
    double most = s->settings->push_out * s->h, largest = 0;
    for (uint32_t i = 0; i < s->plain_count; i++) {
        const ashi_soft_plain *plain = &s->plains[i];
        if (!plain->exact)
            continue;
        double way = plain->holds ? -plain_error(s, plain, elapsed) : 0;
        s->wanted[plain->source] = way > most ? most : way < -most ? -most : way;
        largest = fabs(way) > largest ? fabs(way) : largest;
    }
    if (!(largest > CLOSED))
        return;
    ashi_direct_solve(s->direct, s->wanted, s->answer, s->answers);
    for (uint32_t i = 0; i < s->body_count; i++) {
        const ash_motion *answer = &s->answers[s->island->first_body + i];
        ash_motion *shift = &s->bodies[i].shift;
        shift->linear = v3_add(shift->linear, answer->linear);
        shift->angular = v3_add(shift->angular, answer->angular);
    }
}

void ashi_soft_plain_mend(ashi_soft_step *s, ashi_soft_time time)
{
    for (uint32_t i = 0; i < s->plain_count; i++) {
        const ashi_soft_plain *plain = &s->plains[i];
        if (!plain->holds || plain->exact)
            continue;
        ashi_soft_body *a = &s->bodies[plain->a], *b = &s->bodies[plain->b];
        double error = plain_error(s, plain, time.elapsed);
        double way = (opening_of(plain, error) - error) * s->stiff.rate * s->h * s->stiff.mass_scale;
        push_plain(plain, a, b, way * plain->row.mass, &a->shift, &b->shift);
    }
    if (s->exact_count > 0)
        mend_exactly(s, time.elapsed);
}

/* ---- works ---- */

double ashi_soft_plain_work(ashi_soft_step *s)
{
    double work = 0;
    for (uint32_t i = 0; i < s->plain_count; i++) {
        ashi_soft_plain *plain = &s->plains[i];
        const ash_motion *a = &s->forces[plain->a].begin, *b = &s->forces[plain->b].begin;
        double mean = 0.5 * (plain->row.speed + plain_speed(plain, a, b) + speed_now(s, plain));
        plain->work += plain->row.impulse * mean;
        work += plain->row.impulse * (mean - plain->given);
    }
    return work;
}
