/* The first guess of a solution in the loop: contacts and all else with the joints eliminated.
 *
 * With u the speeds of the rows that are not held, l their impulses and H the held rows,
 *   A = J W J^T,   W = M^-1 - M^-1 H^T (H M^-1 H^T)^-1 H M^-1,
 * says how u answers l while the joints keep their speeds: each wheel is as heavy as the car that it carries. A is
 * dense and small, a solution by the joints' factor for each row, and that of the start serves for a whole part. Sweeps
 * over its blocks, with u found again from the velocities where A was that of the start, lead to a guess that leaves
 * little to the method's solver. Where the guess that is there is good, or rows are many, nothing is done. */
#include "step/joints/joint_loop.h"

#include "problem/assembling.h"
#include "problem/yardstick.h"
#include "solve/newton/newton.h"
#include "step/joints/joint_correction.h"

#include <math.h>
#include <string.h>

#define MOST_ROWS   96   /* of A */
#define MOST_WORK   2e5  /* multiplications for A: as much as some rounds of the solver */
#define MOST_SWEEPS 200  /* over its blocks, looked at after ... */
#define SWEEPS      10   /* ... as many */
#define STALL       0.9  /* of what was left before: sweeps that leave more are useless */
#define PASSES      3    /* with u found again */
#define GOOD_GUESS  1e-4 /* units of length and time: by the yardstick, not worth the work */
#define FINE        0.1  /* of that: the rest is left to the solver */
#define SHARE       0.25 /* of the tolerance: what is left */
#define BETTER      0.5  /* of the error: else the guess stays as it was */
#define EXACT       1e-4 /* of the speeds that joints take away: columns of A */
#define TURNS       3    /* of friction in a visit of a contact */

/* ---- the joints' part ---- */

/* Held rows of the problem keep the speeds of `before` by the joints' own system; velocities and impulses follow. */
static void keep_joints(const ashi_joint_loop *loop, ashi_joint_system *s, ashi_system *p, const ash_motion *before,
                        double tolerance)
{
    ashi_joint_impulses *m = loop->step->joint_impulses;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        for (uint32_t i = 0; i < block->row_count && loop->held.data[k] != UINT32_MAX; i++) {
            const ashi_row *row = &p->rows[block->first_row + i];
            double change = ashi_row_speed(row, &p->velocity[block->body_a], &p->velocity[block->body_b]) -
                            ashi_row_speed(row, &before[block->body_a], &before[block->body_b]);
            m->wanted.data[loop->held.data[k] + i] = loop->rows.data[block->first_row + i].rigid ? -change : 0;
        }
    }
    ashi_joint_impulses_solve(loop->step, s, tolerance);
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = 0; i < p->blocks[k].row_count && loop->held.data[k] != UINT32_MAX; i++)
            p->rows[p->blocks[k].first_row + i].impulse += m->impulse.data[loop->held.data[k] + i];
    for (uint32_t i = 0; i < s->slots.count; i++) {
        ash_motion *v = &p->velocity[loop->movers.data[i]];
        const ash_motion *change = &m->change.data[s->problem.fixed_count + i];
        *v = (ash_motion){v3_add(v->linear, change->linear), v3_add(v->angular, change->angular)};
    }
}

/* ---- the matrix ---- */

/* A column: what an impulse of one along a row does to the speeds of all. */
static void make_column(ashi_joint_loop *loop, ashi_joint_system *s, const ashi_system *p, uint32_t column)
{
    ashi_joint_impulses *m = loop->step->joint_impulses;
    ashi_loop_guess *g = &loop->guess;
    const ashi_block *of = &p->blocks[g->blocks.data[column]];
    uint32_t row = g->rows.data[column], n = g->rows.count;
    ash_motion *motion = g->motion.data;
    double largest = 0;
    memset(motion, 0, p->body_count * sizeof *motion);
    ashi_row_push(p, of, &p->rows[row], 1, motion);
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = 0; i < p->blocks[k].row_count && loop->held.data[k] != UINT32_MAX; i++) {
            const ashi_block *block = &p->blocks[k];
            uint32_t r = block->first_row + i;
            double speed = ashi_row_speed(&p->rows[r], &motion[block->body_a], &motion[block->body_b]);
            m->wanted.data[loop->held.data[k] + i] = loop->rows.data[r].rigid ? -speed : 0;
            largest = fmax(largest, fabs(speed));
        }
    if (largest > 0)
        ashi_joint_impulses_solve(loop->step, s, EXACT * largest);
    for (uint32_t i = 0; i < s->slots.count && largest > 0; i++) {
        ash_motion *v = &motion[loop->movers.data[i]];
        const ash_motion *change = &m->change.data[s->problem.fixed_count + i];
        *v = (ash_motion){v3_add(v->linear, change->linear), v3_add(v->angular, change->angular)};
    }
    for (uint32_t i = 0; i < n; i++) {
        const ashi_block *block = &p->blocks[g->blocks.data[i]];
        g->matrix.data[(size_t)column * n + i] =
            ashi_row_speed(&p->rows[g->rows.data[i]], &motion[block->body_a], &motion[block->body_b]);
    }
    s->operations += 12ull * n;
}

/* Which rows, and A. False: none, too many, or joints that take too much work for each. */
static bool make_matrix(ashi_joint_loop *loop, ashi_joint_system *s, const ashi_system *p)
{
    ashi_loop_guess *g = &loop->guess;
    g->rows.count = g->blocks.count = 0;
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t r = p->blocks[k].first_row; r < p->blocks[k].first_row + p->blocks[k].row_count; r++)
            if (!loop->rows.data[r].rigid) {
                if (g->rows.count == MOST_ROWS)
                    return false;
                g->rows.data[g->rows.count++] = r;
                g->blocks.data[g->blocks.count++] = k;
            }
    uint64_t start = ashi_joint_system_operations(s);
    for (uint32_t i = 0; i < g->rows.count; i++) {
        make_column(loop, s, p, i);
        if (i == 0 && (ashi_joint_system_operations(s) - start) * g->rows.count > MOST_WORK)
            return false;
    }
    return g->rows.count > 0;
}

/* ---- sweeps ---- */

/* What the speed of a row, softness included, answers to its own impulse. */
static double own_response(const ashi_loop_guess *g, const ashi_system *p, uint32_t i)
{
    return g->matrix.data[(size_t)i * (g->rows.count + 1)] + p->rows[g->rows.data[i]].softness;
}

/* A row's impulse changes, and with it the speeds of all. */
static void change_impulse(const ashi_loop_guess *g, ashi_system *p, uint32_t i, double to)
{
    ashi_row *row = &p->rows[g->rows.data[i]];
    double change = to - row->impulse;
    const double *column = &g->matrix.data[(size_t)i * g->rows.count];
    if (change == 0)
        return;
    row->impulse = to;
    for (uint32_t k = 0; k < g->rows.count; k++)
        g->speeds.data[k] += change * column[k];
    g->speeds.data[i] += change * row->softness;
}

/* Rows first to first + count of A are a contact: its normal impulse for itself, then friction within its bound, some
 * short ways along its slip with all else as it is. */
static void visit_contact(const ashi_loop_guess *g, ashi_system *p, const ashi_law *law, uint32_t first, uint32_t count)
{
    const ashi_block *block = &p->blocks[g->blocks.data[first]];
    double point[ASHI_NEWTON_ROWS], weight[ASHI_NEWTON_ROWS] = {1}, now[ASHI_NEWTON_ROWS], across = 0;
    uint32_t n = g->rows.count;
    const double *corner = &g->matrix.data[(size_t)first * n + first];
    if (corner[0] > 0)
        change_impulse(g, p, first, fmax(0, p->rows[g->rows.data[first]].impulse - g->speeds.data[first] / corner[0]));
    for (uint32_t i = 1; i <= block->tangents; i++)
        across += corner[i * (n + 1)]; /* at least the larger eigenvalue */
    for (uint32_t i = 0; i < count; i++) {
        double response = i <= block->tangents ? across : corner[i * (n + 1)];
        now[i] = p->rows[g->rows.data[first + i]].impulse;
        weight[i] = i > 0 && response > 0 ? 1 / response : 1;
    }
    for (int turn = 0; turn < TURNS && count > 1; turn++) {
        point[0] = now[0];
        for (uint32_t i = 1; i < count; i++) {
            double speed = g->speeds.data[first + i];
            for (uint32_t k = 1; k < count; k++)
                speed += corner[k * n + i] * (now[k] - p->rows[g->rows.data[first + k]].impulse);
            point[i] = now[i] - weight[i] * speed;
        }
        ashi_newton_answer(law, ASHI_NEWTON_COULOMB, block, weight, point, NULL);
        memcpy(now, point, count * sizeof *now);
    }
    for (uint32_t i = 1; i < count; i++)
        change_impulse(g, p, first + i, now[i]);
}

static void visit_row(const ashi_loop_guess *g, ashi_system *p, uint32_t i)
{
    const ashi_row *row = &p->rows[g->rows.data[i]];
    double own = own_response(g, p, i);
    if (own > 0)
        change_impulse(g, p, i, fmin(fmax(row->impulse - g->speeds.data[i] / own, row->lower), row->upper));
}

static uint32_t rows_of(const ashi_loop_guess *g, const ashi_system *p, uint32_t i)
{
    const ashi_block *block = &p->blocks[g->blocks.data[i]];
    return block->kind == ASHI_CONTACT_BLOCK ? block->row_count : 1;
}

static void sweep(const ashi_loop_guess *g, ashi_system *p, const ashi_law *law)
{
    for (uint32_t i = 0, count = 1; i < g->rows.count; i += count) {
        count = rows_of(g, p, i);
        if (p->blocks[g->blocks.data[i]].kind == ASHI_CONTACT_BLOCK)
            visit_contact(g, p, law, i, count);
        else
            visit_row(g, p, i);
    }
}

/* What is left to do, as speeds: the largest change that another visit would make. */
static double look(const ashi_loop_guess *g, const ashi_system *p, const ashi_law *law)
{
    double largest = 0, point[ASHI_NEWTON_ROWS], weight[ASHI_NEWTON_ROWS];
    for (uint32_t first = 0, count = 1; first < g->rows.count; first += count) {
        const ashi_block *block = &p->blocks[g->blocks.data[first]];
        count = rows_of(g, p, first);
        double tangents = block->tangents == 2 ? fmax(own_response(g, p, first + 1), own_response(g, p, first + 2)) : 0;
        for (uint32_t i = 0; i < count; i++) {
            double own = block->tangents == 2 && (i == 1 || i == 2) ? tangents : own_response(g, p, first + i);
            weight[i] = own > 0 ? 1 / own : 0;
            point[i] = p->rows[g->rows.data[first + i]].impulse - weight[i] * g->speeds.data[first + i];
        }
        const ashi_row *row = &p->rows[g->rows.data[first]];
        if (block->kind == ASHI_CONTACT_BLOCK)
            ashi_newton_answer(law, ASHI_NEWTON_COULOMB, block, weight, point, NULL);
        else
            point[0] = fmin(fmax(point[0], row->lower), row->upper);
        for (uint32_t i = 0; i < count; i++)
            if (weight[i] > 0)
                largest = fmax(largest, fabs(point[i] - p->rows[g->rows.data[first + i]].impulse) / weight[i]);
    }
    return largest;
}

/* ---- all of it ---- */

static double good_guess(const ashi_joint_loop *loop)
{
    const ash_solver_settings *settings = &loop->step->method.solver;
    return GOOD_GUESS * settings->unit_length / settings->unit_time;
}

static double error_of(const ashi_joint_loop *loop, const ashi_system *p, const ashi_law *law)
{
    ash_yardstick yardstick;
    ashi_yardstick_measure(p, NULL, law, loop->work.data, &yardstick);
    return yardstick.largest;
}

/* Sweeps, with the speeds that the velocities have now. True: there is nothing to do. */
static bool pass(const ashi_loop_guess *g, ashi_system *p, const ashi_law *law, double enough, uint64_t *operations)
{
    uint32_t n = g->rows.count, sweeps = 0;
    for (uint32_t i = 0; i < n; i++) {
        const ashi_block *block = &p->blocks[g->blocks.data[i]];
        const ashi_row *row = &p->rows[g->rows.data[i]];
        g->speeds.data[i] = ashi_row_speed(row, &p->velocity[block->body_a], &p->velocity[block->body_b]) + row->bias +
                            row->softness * row->impulse;
    }
    double left = look(g, p, law), before = INFINITY;
    for (; sweeps < MOST_SWEEPS && left > SHARE * enough && left < STALL * before; sweeps += SWEEPS) {
        for (int i = 0; i < SWEEPS; i++)
            sweep(g, p, law);
        before = sweeps == 0 ? HUGE_VAL : left; /* the first ones find who touches, and may make it worse */
        left = look(g, p, law);
    }
    *operations += (uint64_t)sweeps * n * n + 12ull * n;
    return sweeps == 0;
}

bool ashi_loop_guess_reserve(ashi_joint_loop *loop)
{
    ashi_loop_guess *g = &loop->guess;
    const ashi_system *p = loop->problem;
    return ashi_array_reserve(&g->rows, MOST_ROWS) && ashi_array_reserve(&g->blocks, MOST_ROWS) &&
           ashi_array_reserve(&g->speeds, MOST_ROWS) && ashi_array_reserve(&g->matrix, MOST_ROWS * MOST_ROWS) &&
           ashi_array_reserve(&g->impulses, p->row_room) && ashi_array_reserve(&g->before, p->body_room) &&
           ashi_array_reserve(&g->motion, p->body_room) &&
           ashi_array_reserve(&loop->work, ashi_yardstick_room(p, NULL) / sizeof(double) + 1);
}

/* At the end the guess of the start is not yet in the velocities, and joints have none: they get one. */
static void begin_at_end(ashi_joint_loop *loop, ashi_joint_system *s, ashi_system *p, double enough)
{
    ashi_system_velocities(p, NULL);
    keep_joints(loop, s, p, loop->guess.before.data, SHARE * enough);
}

void ashi_loop_guess_take_back(ashi_joint_loop *loop, ashi_system *p)
{
    for (uint32_t i = 0; i < p->row_count; i++)
        p->rows[i].impulse = loop->guess.impulses.data[i];
    memcpy(p->velocity, loop->guess.before.data, p->body_count * sizeof *p->velocity);
    loop->guess.few = false;
}

bool ashi_loop_guess_solution(ashi_joint_loop *loop, ashi_system *p, bool ends, double enough)
{
    ashi_joint_impulses *m = loop->step->joint_impulses;
    ashi_joint_system *s = ashi_joint_system_at(m, ends ? ASHI_AT_END : ASHI_AT_START);
    ashi_loop_guess *g = &loop->guess;
    ashi_law law = ashi_law_of(p);
    enough = fmax(enough, FINE * good_guess(loop));
    memcpy(g->before.data, p->velocity, p->body_count * sizeof *p->velocity);
    for (uint32_t i = 0; i < p->row_count; i++)
        g->impulses.data[i] = p->rows[i].impulse;
    if (ends)
        begin_at_end(loop, s, p, enough);
    double error = error_of(loop, p, &law);
    bool bad = error > good_guess(loop);
    if (bad && !g->made)
        g->few = make_matrix(loop, s, p);
    g->made = g->made || bad;
    for (int i = 0; i < PASSES && bad && g->few && !pass(g, p, &law, enough, &s->operations); i++) {
        ashi_system_velocities(p, NULL);
        keep_joints(loop, s, p, g->before.data, SHARE * enough);
    }
    bool tried = bad && g->few, better = tried && error_of(loop, p, &law) <= BETTER * error;
    if (!better) {
        bool few = g->few && !tried;
        ashi_loop_guess_take_back(loop, p);
        g->few = few;
    }
    return better;
}
