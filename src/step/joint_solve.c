/* Solving the joints' system: all at once, tree and loops in turn, or joint by joint.
 *
 * With loops cut, the tree's rows 1 and the marked rows 2 ask for
 *   A11 l1 + A12 l2 = w1,   A21 l1 + A22 l2 = w2,   A = J M^-1 J^T,
 * and there is a factor of A11 and one of A22 (Bender & Schmitt 2006, 4.6). Solving both in turn until all joints hold
 * converges slowly where loops are tight; the same two solves a turn are the steps of conjugate gradients on
 * (A22 - A21 A11^-1 A12) l2 = w2 - A21 A11^-1 w1 with A22 as its preconditioner, which ends after as many turns as
 * there are marked rows, at most, and takes rows that depend on each other. Without the factor of A22, by its diagonal
 * alone, this is Faure's structured solution: linear memory, and time a + a l + l^2 for a rows of the tree and l of
 * loops. */
#include "step/joint_system.h"

#include "base/clock.h"

#include <math.h>

#define LEAST_BEND 1e-9 /* of what marked rows would move without the tree */

/* J times velocities by body, of the rows of a part of the problem, added `times` to `rates`. */
static void add_rates(const ash_problem *part, const ash_motion *motion, double times, double *rates)
{
    for (uint32_t k = 0; k < part->block_count; k++) {
        const ash_problem_block *block = &part->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++)
            rates[i] += times * ashi_row_speed(&part->rows[i], &motion[block->body_a], &motion[block->body_b]);
    }
}

static double dot(const ash_problem *part, const double *a, const double *b)
{
    double sum = 0;
    for (uint32_t k = 0; k < part->block_count; k++) {
        const ash_problem_block *block = &part->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++)
            sum += a[i] * b[i];
    }
    return sum;
}

static double largest(const ash_problem *part, const double *a)
{
    double most = 0;
    for (uint32_t k = 0; k < part->block_count; k++) {
        const ash_problem_block *block = &part->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++)
            most = fmax(most, fabs(a[i]));
    }
    return most;
}

static void clear(const ash_problem *part, double *a)
{
    for (uint32_t k = 0; k < part->block_count; k++)
        for (uint32_t i = 0; i < part->blocks[k].row_count; i++)
            a[part->blocks[k].first_row + i] = 0;
}

static void add_scaled(const ash_problem *part, double *a, const double *b, double times)
{
    for (uint32_t k = 0; k < part->block_count; k++) {
        const ash_problem_block *block = &part->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++)
            a[i] += times * b[i];
    }
}

/* a = times a + b */
static void blend_motion(ash_motion *a, const ash_motion *b, double times, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        a[i].linear = v3_add_scaled(b[i].linear, a[i].linear, times);
        a[i].angular = v3_add_scaled(b[i].angular, a[i].angular, times);
    }
}

static void add_motion(ash_motion *a, const ash_motion *b, double times, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        a[i].linear = v3_add_scaled(a[i].linear, b[i].linear, times);
        a[i].angular = v3_add_scaled(a[i].angular, b[i].angular, times);
    }
}

/* A factor's solution; `change` is that of all bodies. */
static void solve_part(ashi_direct *factor, const ash_problem *part, const double *wanted, double *impulse,
                       ash_motion *change)
{
    for (uint32_t i = 0; i < part->fixed_count; i++)
        change[i] = (ash_motion){{0, 0, 0}, {0, 0, 0}};
    ashi_direct_solve_quickly(factor, wanted, impulse, change);
}

/* The loops' rows by themselves: through their factor or, structured, row by row. */
static void solve_loops(ashi_joint_system *s, const double *wanted, double *impulse, ash_motion *change)
{
    const ash_problem *loops = &s->loops;
    if (!s->structured) {
        solve_part(s->loop_factor, loops, wanted, impulse, change);
        return;
    }
    for (uint32_t i = 0; i < loops->body_count; i++)
        change[i] = (ash_motion){{0, 0, 0}, {0, 0, 0}};
    for (uint32_t k = 0; k < loops->block_count; k++) {
        const ash_problem_block *block = &loops->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
            double response = ashi_row_response(loops, block, &loops->rows[i], &loops->rows[i]);
            impulse[i] = response > 0 ? wanted[i] / response : 0;
            ashi_row_push(loops, block, &loops->rows[i], impulse[i], change);
        }
    }
}

/* Tree and loops. Arrays by row serve both, since their rows are not the same. */
static uint32_t solve_both(ashi_joint_system *s, const double *wanted, double tolerance, double *impulse,
                           ash_motion *change)
{
    const ash_problem *p = &s->problem, *tree = &s->tree, *loops = &s->loops;
    uint32_t rows = p->row_count, uses = 1, most = 8;
    double *left = s->numbers.data, *guess = left + rows, *way = left + 2 * rows, *gain = left + 3 * rows;
    ash_motion *push = s->motions.data, *reply = push + p->body_count;
    for (uint32_t k = 0; k < loops->block_count; k++)
        most += loops->blocks[k].row_count;
    solve_part(s->tree_factor, tree, wanted, impulse, change);
    for (uint32_t i = 0; i < p->body_count; i++)
        push[i] = (ash_motion){{0, 0, 0}, {0, 0, 0}};
    clear(loops, impulse);
    clear(loops, way);
    clear(loops, left);
    add_scaled(loops, left, wanted, 1);
    add_rates(loops, change, -1, left);
    double before = 0;
    for (uint32_t turn = 0; turn < most && largest(loops, left) > tolerance; turn++) {
        if (s->deadline > 0 && ashi_seconds() > s->deadline)
            break;
        solve_loops(s, left, guess, reply);
        double size = dot(loops, left, guess), again = turn == 0 ? 0 : size / before;
        blend_motion(push, reply, again, p->body_count);
        add_scaled(loops, way, way, again - 1);
        add_scaled(loops, way, guess, 1);
        before = size;

        /* What the tree does about it. */
        clear(tree, left);
        add_rates(tree, push, -1, left);
        solve_part(s->tree_factor, tree, left, way, reply);
        uses += 2;
        clear(loops, gain);
        add_rates(loops, push, 1, gain);
        double alone = dot(loops, way, gain);
        add_rates(loops, reply, 1, gain);
        double bend = dot(loops, way, gain);
        if (!(bend > LEAST_BEND * alone))
            break; /* the tree undoes it: these rows depend on the others, or contradict them */
        double length = size / bend;
        add_scaled(p, impulse, way, length);
        add_motion(change, push, length, p->body_count);
        add_motion(change, reply, length, p->body_count);
        add_scaled(loops, left, gain, -length);
    }
    return uses;
}

uint32_t ashi_joint_system_solve(ashi_joint_system *s, const double *wanted, double tolerance, double *impulse,
                                 ash_motion *change)
{
    if (s->cuts_loops && s->loops.block_count > 0)
        return solve_both(s, wanted, tolerance, impulse, change);
    solve_part(s->tree_factor, &s->problem, wanted, impulse, change);
    return 1;
}
