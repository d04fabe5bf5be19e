/* Non-smooth nonlinear conjugate gradients (Silcowitz, Niebe, Erleben 2010) around a Gauss-Seidel sweep.
 *
 * A sweep that takes lambda to lambda + d is read as a gradient step of a merit function whose gradient is -d, and
 * Fletcher-Reeves directions are formed from these:
 *
 *   beta = |d_k|^2 / |d_(k-1)|^2,   p_k = d_k + beta p_(k-1),   the next sweep starts at lambda + beta p_(k-1).
 *
 * beta > 1 means that the merit function grew: the direction is dropped, and one plain sweep comes before the next one
 * begins. Lengths are measured in energy, each row's change weighted by its own response, so that rows in N s and in N
 * m s can be combined. The result is always that of a sweep, inside the law's bounds; the best judged is kept. */
#include "solve/sweeps/sweep.h"

#define JUDGE_EVERY 10

typedef struct conjugate {
    double *before;    /* impulses at the start of the sweep */
    double *direction; /* p */
    double length;     /* |d|^2 of the last sweep; 0: none yet */
    bool follows;      /* beta > 0 */
} conjugate;

/* Starts the next sweep at lambda + beta p_(k-1), which is lambda + p_k - d_k. */
static void extrapolate(ashi_sweep_state *sweep, conjugate *c)
{
    for (uint32_t k = 0; c->follows && k < sweep->block_count; k++) {
        const ashi_sweep_block *block = &sweep->blocks[k];
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            double change = c->direction[i] - (sweep->impulse[i] - c->before[i]);
            sweep->impulse[i] += change;
            ashi_sweep_push(&sweep->rows[i], &sweep->motion[block->a], &sweep->motion[block->b], change);
        }
    }
    memcpy(c->before, sweep->impulse, sweep->row_count * sizeof *c->before);
}

/* The direction after a sweep. */
static void turn(const ashi_sweep_state *sweep, conjugate *c)
{
    double length = 0;
    for (uint32_t i = 0; i < sweep->row_count; i++) {
        double change = sweep->impulse[i] - c->before[i];
        if (sweep->rows[i].inverse_diagonal > 0)
            length += change * change / sweep->rows[i].inverse_diagonal;
    }
    bool grew = c->length > 0 && !(length <= c->length);
    double beta = c->length > 0 && !grew ? length / c->length : 0;
    for (uint32_t i = 0; i < sweep->row_count; i++)
        c->direction[i] = grew ? 0 : beta * c->direction[i] + (sweep->impulse[i] - c->before[i]);
    c->follows = beta > 0;
    c->length = length;
}

bool ashi_sweep_conjugate(ashi_sweep_state *sweep, void (*once)(ashi_sweep_state *sweep, void *data), void *data,
                          uint32_t judge_every)
{
    ashi_arena *scratch = sweep->solve->scratch;
    conjugate c = {.before = ashi_arena_take_array(scratch, sweep->row_count, sizeof *c.before),
                   .direction = ashi_arena_take_array(scratch, sweep->row_count, sizeof *c.direction)};
    if (!ashi_sweep_keep_best(sweep) || c.before == NULL || c.direction == NULL)
        return false;
    memset(c.direction, 0, sweep->row_count * sizeof *c.direction);
    while (ashi_sweep_goes_on(sweep, judge_every)) {
        extrapolate(sweep, &c);
        once(sweep, data);
        turn(sweep, &c);
    }
    return true;
}

static void sweep_once(ashi_sweep_state *sweep, void *data)
{
    (void)data;
    ashi_sweep_once(sweep);
}

bool ashi_solve_nncg(ashi_solve *solve)
{
    ashi_sweep_state sweep;
    return ashi_sweep_prepare(&sweep, solve, 1, solve->settings->regularization, false) &&
           ashi_sweep_conjugate(&sweep, sweep_once, NULL, JUDGE_EVERY);
}
