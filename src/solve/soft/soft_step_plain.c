/* Plain rows in the real-time solver: joints, limits, motors (docs/soft-step.md).
 *
 * Rows are visited by the sweeps or, equalities if that is wanted, solved all together by one factor of the step's rows
 * (direct.h), which serves every sub-step. Since J turns with the bodies, what a row asks of J v changes by -drift in a
 * second; with the value in the middle of each sub-step positions keep the row to second order:
 * C + h sum J v + h2 drift / 2 = 0 (the midpoint rule of SHAKE). Positions are mended beside the velocities.
 *
 * Rows beside exact ones (limits, motors, friction) are visited with what they do while these hold, found by one
 * solution each: a limit at the end of a long arm or a train of gears is as heavy as all of it. */
#include "solve/soft/soft_step.h"

#define CLOSED     1e-10   /* m or rad: smaller errors are left alone */
#define MOST_REACH 100000u /* bodies times rows: beyond, rows are visited without knowing their reach */
#define RIGID      1e-9    /* of its own response: a row that exact rows leave no more is not moved */

static inline double plain_speed(const ashi_soft_plain *plain, const ash_motion *a, const ash_motion *b)
{
    return v3_dot(plain->linear_a, a->linear) + v3_dot(plain->linear_b, b->linear) +
           v3_dot(plain->angular_a, a->angular) + v3_dot(plain->angular_b, b->angular);
}

static void push_plain(const ashi_soft_plain *plain, const ashi_soft_body *a, const ashi_soft_body *b, double impulse,
                       ash_motion *motion_a, ash_motion *motion_b)
{
    motion_a->linear = v3_add_scaled(motion_a->linear, v3_mul(a->inverse_mass, plain->linear_a), impulse);
    motion_a->angular = v3_add_scaled(motion_a->angular, plain->turn_a, impulse);
    motion_b->linear = v3_add_scaled(motion_b->linear, v3_mul(b->inverse_mass, plain->linear_b), impulse);
    motion_b->angular = v3_add_scaled(motion_b->angular, plain->turn_b, impulse);
}

/* J v now. */
static double speed_now(const ashi_soft_step *s, const ashi_soft_plain *plain)
{
    return plain->speed + plain_speed(plain, &s->bodies[plain->a].change, &s->bodies[plain->b].change);
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
    return plain->error + (plain->speed + 0.5 * plain->drift * elapsed) * elapsed +
           plain_speed(plain, &s->bodies[plain->a].shift, &s->bodies[plain->b].shift);
}

/* ---- velocities ---- */

void ashi_soft_plain_warm_start(ashi_soft_step *s)
{
    for (uint32_t i = 0; i < s->plain_count; i++) {
        const ashi_soft_plain *plain = &s->plains[i];
        ashi_soft_body *a = &s->bodies[plain->a], *b = &s->bodies[plain->b];
        push_plain(plain, a, b, plain->impulse, &a->change, &b->change);
    }
}

/* How far the row's speed is from what it asks for. */
static double excess(const ashi_soft_step *s, const ashi_soft_plain *plain, double moment)
{
    return speed_now(s, plain) + plain->bias + plain->drift * moment + plain->softness * plain->impulse;
}

/* Pushes velocities, or positions, with an impulse of a row that is not exact; those that are hold on, if its reach is
 * known. */
static void act_on(const ashi_soft_step *s, const ashi_soft_plain *plain, double impulse, bool positions)
{
    ashi_soft_body *a = &s->bodies[plain->a], *b = &s->bodies[plain->b];
    if (plain->reach == NULL) {
        push_plain(plain, a, b, impulse, positions ? &a->shift : &a->change, positions ? &b->shift : &b->change);
        return;
    }
    for (uint32_t i = 0; i < s->body_count; i++) {
        ash_motion *motion = positions ? &s->bodies[i].shift : &s->bodies[i].change;
        motion->linear = v3_add_scaled(motion->linear, plain->reach[i].linear, impulse);
        motion->angular = v3_add_scaled(motion->angular, plain->reach[i].angular, impulse);
    }
    for (uint32_t i = 0; i < s->plain_count && !positions; i++)
        if (s->plains[i].exact)
            s->plains[i].impulse += plain->share[i] * impulse;
}

static void visit(const ashi_soft_step *s, ashi_soft_plain *plain, ashi_soft_time time, double inverse_h)
{
    double speed = excess(s, plain, time.moment) + opening_of(plain, plain_error(s, plain, time.elapsed)) * inverse_h;
    double impulse = plain->impulse - plain->mass * speed;
    impulse = impulse < plain->lower ? plain->lower : impulse > plain->upper ? plain->upper : impulse;
    double more = impulse - plain->impulse;
    plain->impulse = impulse;
    act_on(s, plain, more, false);
}

void ashi_soft_plain_sweep(ashi_soft_step *s, bool back, ashi_soft_time time)
{
    double inverse_h = s->h > 0 ? 1 / s->h : 0;
    for (uint32_t i = 0; i < s->plain_count; i++) {
        ashi_soft_plain *plain = &s->plains[back ? s->plain_count - 1 - i : i];
        if (!plain->exact)
            visit(s, plain, time, inverse_h);
    }
}

/* ---- exact rows ---- */

/* The factor has the softness that rows have in a sub-step. */
static bool factor(ashi_soft_step *s, ashi_system *problem)
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

/* What a unit impulse of a row does, with the exact rows' answer to it. */
static void find_reach(ashi_soft_step *s, ashi_soft_plain *plain)
{
    ash_motion alone_a = {0}, alone_b = {0};
    static const ash_motion still = {0};
    push_plain(plain, &s->bodies[plain->a], &s->bodies[plain->b], 1, &alone_a, &alone_b);
    for (uint32_t i = 0; i < s->plain_count; i++) {
        const ashi_soft_plain *held = &s->plains[i];
        if (!held->exact)
            continue;
        const ash_motion *a = held->a == plain->a ? &alone_a : held->a == plain->b ? &alone_b : &still;
        const ash_motion *b = held->b == plain->a ? &alone_a : held->b == plain->b ? &alone_b : &still;
        s->wanted[held->source] = -plain_speed(held, a, b);
    }
    ashi_direct_solve(s->direct, s->wanted, s->answer, s->answers);
    for (uint32_t i = 0; i < s->plain_count; i++)
        plain->share[i] = s->plains[i].exact ? s->answer[s->plains[i].source] : 0;
    for (uint32_t i = 0; i < s->body_count; i++) {
        ash_motion alone = i == plain->a ? alone_a : i == plain->b ? alone_b : still;
        const ash_motion *answer = &s->answers[s->island->first_body + i];
        plain->reach[i] = (ash_motion){v3_add(alone.linear, answer->linear), v3_add(alone.angular, answer->angular)};
    }
    plain->reach[s->body_count] = still; /* the idle body */
    double response = plain_speed(plain, &plain->reach[plain->a], &plain->reach[plain->b]);
    double own = plain_speed(plain, &alone_a, &alone_b);
    plain->mass = response > RIGID * own ? 1 / (response + plain->softness) : 0;
}

bool ashi_soft_plain_knows_reach(const ashi_soft_step *s)
{
    uint64_t others = s->plain_count - s->exact_count;
    return s->exact_count > 0 && others * (s->body_count + 1) <= MOST_REACH;
}

static bool prepare_reach(ashi_soft_step *s, ashi_arena *scratch)
{
    for (uint32_t i = 0; i < s->plain_count && ashi_soft_plain_knows_reach(s); i++) {
        ashi_soft_plain *plain = &s->plains[i];
        if (plain->exact)
            continue;
        plain->reach = ashi_arena_take_array(scratch, s->body_count + (size_t)1, sizeof *plain->reach);
        plain->share = ashi_arena_take_array(scratch, s->plain_count, sizeof *plain->share);
        if (plain->reach == NULL || plain->share == NULL)
            return false;
        find_reach(s, plain);
    }
    return true;
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
           factor(s, solve->problem) && prepare_reach(s, solve->scratch);
}

double ashi_soft_plain_hold(ashi_soft_step *s, ashi_soft_time time, bool into_total)
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
            plain->impulse += more;
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

static bool is_angular(const ashi_soft_plain *plain)
{
    return v3_norm2(plain->linear_a) == 0 && v3_norm2(plain->linear_b) == 0;
}

/* Exact rows close at no more than the push-out speed. */
static void mend_exactly(ashi_soft_step *s, double elapsed)
{
    double fastest = s->settings->push_out * s->h, largest = 0;
    for (uint32_t i = 0; i < s->plain_count; i++) {
        const ashi_soft_plain *plain = &s->plains[i];
        if (!plain->exact)
            continue;
        double way = plain->holds ? -plain_error(s, plain, elapsed) : 0;
        double most = is_angular(plain) ? fastest / s->settings->unit_length : fastest;
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
        double error = plain_error(s, plain, time.elapsed);
        double way = (opening_of(plain, error) - error) * s->stiff.rate * s->h * s->stiff.mass_scale;
        act_on(s, plain, way * plain->mass, true);
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
        double mean = 0.5 * (plain->speed + plain_speed(plain, a, b) + speed_now(s, plain));
        plain->work += plain->impulse * mean;
        work += plain->impulse * (mean - plain->given);
    }
    return work;
}
