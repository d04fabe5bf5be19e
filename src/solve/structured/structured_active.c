/* The solver `biconjugate`: Faure's own loop over the rows that a forest leaves, with the inequalities checked inside.
 *
 *   1. compute a search direction            p, and its shadow, by biconjugate gradients (biconjugate.h)
 *   2. compute a step length                 alpha
 *   3. perform the step                      f <- f + alpha p,  r <- filter(A f + b)
 *   4. check the inequalities                a clamped row whose force is beyond its bound vanishes, its force is the
 *                                            bound; a row at its bound that accelerates the wrong way is clamped;
 *                                            r is found again
 *   5. check termination
 *
 * `filter` leaves of a vector the clamped rows only. Directions that are conjugate for one set of clamped rows are not
 * for another, so that a new set begins with its own residual. Nothing says that the sets come to an end, nor that the
 * equations of clamped rows have a solution, where these are more than bodies can move. Where it takes many turns more
 * than there are rows, or nothing is to be gained by a step, `structured` solves the problem from the first guess, and
 * ASH_SOLVE_REPLACED says so. */
#include "solve/linear/biconjugate.h"
#include "solve/structured/structured.h"

typedef struct active {
    ashi_structured *s;
    ashi_biconjugate pair;
    bool *clamped;       /* by loose row */
    double *shadow_gain; /* A^T of the shadow's way */
    double *first;       /* guess */
    bool begun;
} active;

#define TURNS_A_ROW 4 /* beyond these, and ... */
#define TURNS_MORE  64
#define MOST_IDLE   2 /* times that there is nothing to be gained: another gives up */

static bool take_memory(active *a)
{
    uint32_t n = a->s->count;
    ashi_arena *scratch = a->s->solve->scratch;
    double *memory = ashi_arena_take_array(scratch, (ASHI_BICONJUGATE_VECTORS + 2) * (size_t)n, sizeof *memory);
    a->clamped = ashi_arena_take_array(scratch, n, sizeof *a->clamped);
    if (memory == NULL || a->clamped == NULL)
        return false;
    ashi_biconjugate_init(&a->pair, memory, n);
    a->shadow_gain = memory + ASHI_BICONJUGATE_VECTORS * (size_t)n;
    a->first = a->shadow_gain + n;
    for (uint32_t i = 0; i < n; i++)
        a->first[i] = a->s->x[i];
    return true;
}

static void filter(const active *a, double *x)
{
    for (uint32_t i = 0; i < a->s->count; i++)
        if (!a->clamped[i])
            x[i] = 0;
}

/* product = filter(A x). A is symmetric: A^T x as well. */
static void multiply(const active *a, const double *x, double *product)
{
    ashi_structured_multiply(a->s, x, product);
    filter(a, product);
}

static void find_residual(active *a)
{
    ashi_structured_gradient(a->s);
    for (uint32_t i = 0; i < a->s->count; i++)
        a->pair.left[i] = -a->s->gradient[i];
    filter(a, a->pair.left);
}

/* Forces beyond their bounds become these. */
static void put_back(active *a)
{
    ashi_structured *s = a->s;
    bool any = false;
    for (uint32_t i = 0; i < s->count; i++) {
        double x = s->x[i], low = s->loose[i].lower, high = s->loose[i].upper, to = x < low ? low : x > high ? high : x;
        s->direction[i] = to - x;
        any = any || to != x;
        a->clamped[i] = a->clamped[i] && to == x;
    }
    if (!any)
        return;
    ashi_structured_multiply(s, s->direction, s->product);
    ashi_structured_go(s, s->direction, 1);
    a->begun = false;
    find_residual(a);
}

static void check_inequalities(active *a)
{
    bool changed = false;
    put_back(a);
    for (uint32_t i = 0; i < a->s->count; i++)
        if (!a->clamped[i] && ashi_structured_release(a->s, i) != 0)
            a->clamped[i] = changed = true;
    if (changed) {
        a->begun = false;
        find_residual(a);
    }
}

/* A step. False: there is nothing to be gained by one. */
static bool go(active *a)
{
    ashi_structured *s = a->s;
    if (!a->begun) {
        multiply(a, a->pair.left, s->product);
        ashi_biconjugate_begin(&a->pair, s->product);
    }
    s->solve->visits += s->solve->island->block_count; /* of the second product */
    multiply(a, a->pair.shadow_direction, a->shadow_gain);
    multiply(a, a->pair.direction, s->product);
    double length = ashi_biconjugate_length(&a->pair, s->product);
    a->begun = length > 0;
    if (!a->begun)
        return false;
    ashi_structured_go_freely(s, a->pair.direction, length);
    find_residual(a);
    ashi_biconjugate_turn(&a->pair, length, a->shadow_gain);
    return true;
}

/* By projected gradients from the first guess. */
static bool replace(active *a)
{
    ashi_structured *s = a->s;
    s->solve->flags |= ASH_SOLVE_REPLACED;
    for (uint32_t k = 0; k < s->tree.block_count; k++)
        for (uint32_t i = 0; i < s->tree.blocks[k].row_count; i++)
            s->problem->rows[s->tree.blocks[k].first_row + i].impulse = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        s->x[i] = a->first[i];
        s->problem->rows[s->loose[i].row].impulse = s->loose[i].scale * s->x[i];
    }
    ashi_system_velocities(s->problem, s->solve->island);
    ashi_structured_hold(s);
    return ashi_structured_by_gradients(s);
}

bool ashi_structured_by_biconjugates(ashi_structured *s)
{
    active a = {.s = s};
    if (!take_memory(&a))
        return false;
    ashi_structured_gradient(s);
    for (uint32_t i = 0; i < s->count; i++)
        a.clamped[i] = ashi_structured_is_free(s, i) || ashi_structured_release(s, i) != 0;
    find_residual(&a);
    uint64_t most = TURNS_MORE + TURNS_A_ROW * (uint64_t)s->count, idle = 0;
    for (uint64_t turn = 0; idle < MOST_IDLE && turn < most; turn++) {
        if (!ashi_structured_goes_on(s, idle > 0))
            return true;
        idle = go(&a) ? 0 : idle + 1;
        if (idle > 0) { /* what rounding left of the forest's rows, and of the residual */
            ashi_structured_hold(s);
            find_residual(&a);
        }
        check_inequalities(&a);
    }
    return replace(&a);
}
