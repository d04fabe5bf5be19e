/* Solving the joints' system: all at once, tree and loops in turn, or joint by joint.
 *
 * With loops cut, the tree's rows 1 and the marked rows 2 ask for
 *   A11 l1 + A12 l2 = w1,   A21 l1 + A22 l2 = w2,   A = J M^-1 J^T,
 * and there is a factor of A11 and one of A22 (Bender & Schmitt 2006, 4.6). Solving both in turn until all joints hold
 * converges slowly where loops are tight; the same two solves a turn are the steps of conjugate gradients on
 * S l2 = w2 - A21 A11^-1 w1, S = A22 - A21 A11^-1 A12, with A22 as its preconditioner, which ends after as many turns
 * as there are marked rows, at most. They are taken in the form of conjugate residuals (Stiefel 1955), whose residual
 * never grows: rows that depend on each other and disagree, if only by rounding, leave what they disagree by, where
 * plain gradients would follow it without bounds. Without the factor of A22, by its diagonal
 * alone, this is Faure's structured solution: linear memory, and time a + a l + l^2 for a rows of the tree and l of
 * loops. */
#include "step/joints/joint_system.h"

#include "base/clock.h"

#include <math.h>

#define LEAST_BEND 1e-9 /* of what marked rows would move without the tree */

/* J times velocities by body, of the rows of a part of the problem, added `times` to `rates`. */
static void add_rates(const ashi_system *part, const ash_motion *motion, double times, double *rates)
{
    for (uint32_t k = 0; k < part->block_count; k++) {
        const ashi_block *block = &part->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++)
            rates[i] += times * ashi_row_speed(&part->rows[i], &motion[block->body_a], &motion[block->body_b]);
    }
}

static double dot(const ashi_system *part, const double *a, const double *b)
{
    double sum = 0;
    for (uint32_t k = 0; k < part->block_count; k++) {
        const ashi_block *block = &part->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++)
            sum += a[i] * b[i];
    }
    return sum;
}

static double largest(const ashi_system *part, const double *a)
{
    double most = 0;
    for (uint32_t k = 0; k < part->block_count; k++) {
        const ashi_block *block = &part->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++)
            most = fmax(most, fabs(a[i]));
    }
    return most;
}

static void clear(const ashi_system *part, double *a)
{
    for (uint32_t k = 0; k < part->block_count; k++)
        for (uint32_t i = 0; i < part->blocks[k].row_count; i++)
            a[part->blocks[k].first_row + i] = 0;
}

static void add_scaled(const ashi_system *part, double *a, const double *b, double times)
{
    for (uint32_t k = 0; k < part->block_count; k++) {
        const ashi_block *block = &part->blocks[k];
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
static void solve_part(ashi_direct *factor, const ashi_system *part, const double *wanted, double *impulse,
                       ash_motion *change)
{
    for (uint32_t i = 0; i < part->fixed_count; i++)
        change[i] = (ash_motion){{0, 0, 0}, {0, 0, 0}};
    ashi_direct_solve_quickly(factor, wanted, impulse, change);
}

/* The loops' rows by themselves: through their factor or, structured, row by row. */
static void solve_loops(ashi_joint_system *s, const double *wanted, double *impulse, ash_motion *change)
{
    const ashi_system *loops = &s->loops;
    if (!s->structured) {
        solve_part(s->loop_factor, loops, wanted, impulse, change);
        return;
    }
    for (uint32_t i = 0; i < loops->body_count; i++)
        change[i] = (ash_motion){{0, 0, 0}, {0, 0, 0}};
    for (uint32_t k = 0; k < loops->block_count; k++) {
        s->operations += 36ull * loops->blocks[k].row_count;
        const ashi_block *block = &loops->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
            double response = ashi_row_response(loops, block, &loops->rows[i], &loops->rows[i]);
            impulse[i] = response > 0 ? wanted[i] / response : 0;
            ashi_row_push(loops, block, &loops->rows[i], impulse[i], change);
        }
    }
}

/* Conjugate residuals under way. Arrays by row: those of the tree have what it does about the loops'. */
typedef struct residuals {
    ashi_joint_system *s;
    double *left, *answer, *direction, *gain, *reply, *next; /* r, z, p, S p, S z (tree: its impulses), A22^-1 S p */
    ash_motion *push, *next_push;                            /* of the loops' impulses z, and of A22^-1 S p, ... */
    ash_motion *moved;                                       /* ... of z with the tree's, ... */
    ash_motion *along;                                       /* ... and of p */
} residuals;

static residuals take_memory(ashi_joint_system *s)
{
    uint32_t rows = s->problem.row_count, bodies = s->problem.body_count;
    double *n = s->numbers.data;
    ash_motion *m = s->motions.data;
    return (residuals){s, n,          n + rows,       n + 2 * rows,  n + 3 * rows, n + 4 * rows, n + 5 * rows,
                       m, m + bodies, m + 2 * bodies, m + 3 * bodies};
}

/* S z and what the tree does about z. Returns z . A22 z, without the tree. */
static double find_reply(residuals *c)
{
    const ashi_system *tree = &c->s->tree, *loops = &c->s->loops;
    uint32_t bodies = c->s->problem.body_count;
    clear(tree, c->left);
    add_rates(tree, c->push, -1, c->left);
    solve_part(c->s->tree_factor, tree, c->left, c->reply, c->moved);
    clear(loops, c->reply);
    add_rates(loops, c->push, 1, c->reply);
    double alone = dot(loops, c->answer, c->reply);
    c->s->operations += 12ull * (c->s->problem.row_count + bodies); /* rates, and those of the loops again below */
    add_motion(c->moved, c->push, 1, bodies);
    clear(loops, c->reply);
    add_rates(loops, c->moved, 1, c->reply);
    return alone;
}

/* p = z + again p, and what belongs to it. */
static void turn_direction(residuals *c, double again)
{
    const ashi_system *p = &c->s->problem, *tree = &c->s->tree, *loops = &c->s->loops;
    add_scaled(p, c->direction, c->direction, again - 1);
    add_scaled(loops, c->direction, c->answer, 1);
    add_scaled(tree, c->direction, c->reply, 1);
    add_scaled(loops, c->gain, c->gain, again - 1);
    add_scaled(loops, c->gain, c->reply, 1);
    blend_motion(c->along, c->moved, again, p->body_count);
}

/* Tree and loops in turn, each with what the other has done, as the paper has it: without the acceleration below. */
static uint32_t solve_in_turn(ashi_joint_system *s, const double *wanted, double tolerance, double *impulse,
                              ash_motion *change)
{
    const ashi_system *p = &s->problem, *tree = &s->tree, *loops = &s->loops;
    residuals c = take_memory(s);
    uint32_t uses = 1;
    solve_part(s->tree_factor, tree, wanted, impulse, change);
    clear(loops, impulse);
    for (uint32_t turn = 0; turn < s->plain_turns; turn++, uses += 2) {
        clear(loops, c.left);
        add_scaled(loops, c.left, wanted, 1);
        add_rates(loops, change, -1, c.left);
        if (!(largest(loops, c.left) > tolerance))
            break;
        solve_loops(s, c.left, c.answer, c.push);
        add_scaled(loops, impulse, c.answer, 1);
        add_motion(change, c.push, 1, p->body_count);
        clear(tree, c.left);
        add_rates(tree, c.push, -1, c.left); /* what the tree had, the loops have changed */
        solve_part(s->tree_factor, tree, c.left, c.answer, c.moved);
        add_scaled(tree, impulse, c.answer, 1);
        add_motion(change, c.moved, 1, p->body_count);
        s->operations += 12ull * (p->row_count + p->body_count);
    }
    return uses;
}

/* Tree and loops. */
static uint32_t solve_both(ashi_joint_system *s, const double *wanted, double tolerance, double *impulse,
                           ash_motion *change)
{
    const ashi_system *p = &s->problem, *tree = &s->tree, *loops = &s->loops;
    residuals c = take_memory(s);
    uint32_t uses = 1, most = 8;
    for (uint32_t k = 0; k < loops->block_count; k++)
        most += loops->blocks[k].row_count;
    bool limited = s->most_turns > 0 && s->most_turns < most;
    most = limited ? s->most_turns : most;
    solve_part(s->tree_factor, tree, wanted, impulse, change);
    clear(loops, impulse);
    clear(loops, c.left);
    add_scaled(loops, c.left, wanted, 1);
    add_rates(loops, change, -1, c.left);
    if (!(largest(loops, c.left) > tolerance))
        return uses;
    solve_loops(s, c.left, c.answer, c.push);
    double alone = find_reply(&c), size = dot(loops, c.answer, c.reply);
    uses += 2;
    clear(p, c.direction);
    clear(loops, c.gain);
    for (uint32_t i = 0; i < p->body_count; i++)
        c.along[i] = (ash_motion){{0, 0, 0}, {0, 0, 0}};
    turn_direction(&c, 0);
    for (uint32_t turn = 0; largest(loops, c.left) > tolerance; turn++) {
        /* One turn at least: it costs as much as the tree that is solved anyway, and holds loops to some extent. */
        if (turn == most || (turn > 0 && s->deadline > 0 && ashi_seconds() > s->deadline)) {
            s->late = s->late || turn < most || limited;
            break;
        }
        if (!(size > LEAST_BEND * alone))
            break; /* the tree undoes it: these rows depend on the others, or contradict them */
        solve_loops(s, c.gain, c.next, c.next_push);
        double length = size / dot(loops, c.gain, c.next), before = size;
        add_scaled(p, impulse, c.direction, length);
        add_motion(change, c.along, length, p->body_count);
        add_scaled(loops, c.left, c.gain, -length);
        add_scaled(loops, c.answer, c.next, -length);
        add_motion(c.push, c.next_push, -length, p->body_count);
        alone = find_reply(&c);
        size = dot(loops, c.answer, c.reply);
        turn_direction(&c, size / before);
        uses += 2;
    }
    return uses;
}

void ashi_joint_system_limit(ashi_joint_system *s, const ash_method *method)
{
    s->deadline = method->joint_budget > 0 ? ashi_seconds() + method->joint_budget : 0;
    s->most_turns = s->structured ? method->solver.iterations : 0;
    s->plain_turns = method->plain_turns ? method->joint_iterations : 0;
    s->late = false;
}

bool ashi_joint_system_is_late(const ashi_joint_system *s, ashi_step *step)
{
    bool late = s->late || (s->deadline > 0 && ashi_seconds() > s->deadline);
    if (late) {
        step->flags |= ASH_FLAG_NOT_CONVERGED;
        step->solve_flags |= ASH_SOLVE_BUDGET;
    }
    return late;
}

uint32_t ashi_joint_system_solve(ashi_joint_system *s, const double *wanted, double tolerance, double *impulse,
                                 ash_motion *change)
{
    if (s->solver > ASH_JOINT_SOLVER_STRUCTURED)
        return ashi_joint_system_solve_by_faure(s, wanted, tolerance, impulse, change);
    if (s->cuts_loops && s->loops.block_count > 0 && s->plain_turns > 0 && !s->structured)
        return solve_in_turn(s, wanted, tolerance, impulse, change);
    if (s->cuts_loops && s->loops.block_count > 0)
        return solve_both(s, wanted, tolerance, impulse, change);
    solve_part(s->tree_factor, &s->problem, wanted, impulse, change);
    return 1;
}
