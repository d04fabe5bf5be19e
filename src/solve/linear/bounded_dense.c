/* Block principal pivoting (Judice & Pires 1994) for a quadratic problem within bounds.
 *
 * Rows are free or at one of their bounds. The equations of the free ones are solved; all that then contradict their
 * place (a free one beyond a bound, one at a bound that is drawn inwards) change it at once. That may cycle: when the
 * number of contradictions has not become smaller for a few rounds, only the last of them changes its place (Murty
 * 1974), which is sure to end, until the number falls below the least so far. */
#include "solve/linear/bounded_dense.h"

#include "solve/linear/dense_factor.h"

#include <math.h>

#define REGULAR  1e-9  /* of the diagonal, added to it */
#define PATIENCE 4     /* rounds of many exchanges without progress */
#define ROUNDING 1e-14 /* of the largest: contradictions below are none */
#define ROUNDS   100

typedef enum place { PLACE_FREE, PLACE_LOWER, PLACE_UPPER } place;

typedef struct pivoting {
    const ashi_bounded_dense *p;
    place *places;
    uint32_t *members; /* the free rows */
    uint32_t count;    /* of them */
    ashi_dense_factor factor;
    double *right, *answer, *slope; /* by free row, by free row, by row: g + S d */
    double least_way, least_slope;  /* rounding */
} pivoting;

static bool take_memory(pivoting *q, ashi_arena *scratch)
{
    size_t n = q->p->count;
    q->places = ashi_arena_take_array(scratch, n, sizeof *q->places);
    q->members = ashi_arena_take_array(scratch, 2 * n, sizeof *q->members);
    q->right = ashi_arena_take_array(scratch, 3 * n, sizeof *q->right);
    q->factor.lower_upper = ashi_arena_take_array(scratch, n * n, sizeof *q->factor.lower_upper);
    if (q->places == NULL || q->members == NULL || q->right == NULL || q->factor.lower_upper == NULL)
        return false;
    q->factor.order = q->members + n;
    q->answer = q->right + n;
    q->slope = q->answer + n;
    return true;
}

/* Where rows are at the start; those at a bound that want to leave it are free. */
static void begin(pivoting *q)
{
    const ashi_bounded_dense *p = q->p;
    double way = 0, slope = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        bool low = p->x[i] <= p->lower[i], high = p->x[i] >= p->upper[i];
        q->places[i] = low && (high || p->gradient[i] >= 0) ? PLACE_LOWER
                       : high && p->gradient[i] <= 0        ? PLACE_UPPER
                                                            : PLACE_FREE;
        way = fmax(way, fabs(p->x[i]));
        slope = fmax(slope, fabs(p->gradient[i]));
    }
    q->least_slope = ROUNDING * slope;
    q->least_way = ROUNDING * fmax(way, slope);
}

/* d for the places as they are. False when the factor is singular. */
static bool solve(pivoting *q)
{
    const ashi_bounded_dense *p = q->p;
    uint32_t n = p->count;
    q->count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (q->places[i] == PLACE_FREE)
            q->members[q->count++] = i;
        p->step[i] = q->places[i] == PLACE_LOWER   ? p->lower[i] - p->x[i]
                     : q->places[i] == PLACE_UPPER ? p->upper[i] - p->x[i]
                                                   : 0;
    }
    for (uint32_t i = 0; i < q->count; i++) {
        const double *row = &p->matrix[(size_t)q->members[i] * n];
        q->right[i] = -p->gradient[q->members[i]];
        for (uint32_t k = 0; k < n; k++)
            q->right[i] -= row[k] * p->step[k]; /* free ones are 0 */
        for (uint32_t k = 0; k < q->count; k++)
            q->factor.lower_upper[(size_t)i * q->count + k] = row[q->members[k]];
        q->factor.lower_upper[(size_t)i * q->count + i] *= 1 + REGULAR;
    }
    q->factor.count = q->count;
    if (q->count > 0 && !ashi_dense_factor_make(&q->factor))
        return false;
    if (q->count > 0)
        ashi_dense_factor_solve(&q->factor, q->right, q->answer);
    for (uint32_t i = 0; i < q->count; i++)
        p->step[q->members[i]] = q->answer[i];
    for (uint32_t i = 0; i < n; i++) {
        q->slope[i] = p->gradient[i];
        for (uint32_t k = 0; k < n; k++)
            q->slope[i] += p->matrix[(size_t)i * n + k] * p->step[k];
    }
    return true;
}

/* Where a row should be; its place, where nothing contradicts it. */
static place wanted(const pivoting *q, uint32_t i)
{
    const ashi_bounded_dense *p = q->p;
    if (p->lower[i] == p->upper[i])
        return PLACE_LOWER;
    double to = p->x[i] + p->step[i];
    switch (q->places[i]) {
    case PLACE_FREE:
        return to < p->lower[i] - q->least_way   ? PLACE_LOWER
               : to > p->upper[i] + q->least_way ? PLACE_UPPER
                                                 : PLACE_FREE;
    case PLACE_LOWER:
        return q->slope[i] < -q->least_slope ? PLACE_FREE : PLACE_LOWER;
    default:
        return q->slope[i] > q->least_slope ? PLACE_FREE : PLACE_UPPER;
    }
}

/* Changes the places of all rows that contradict theirs, or of the last alone. */
static void exchange(pivoting *q, bool all)
{
    for (uint32_t i = q->p->count; i-- > 0;) {
        place to = wanted(q, i);
        bool changes = to != q->places[i];
        q->places[i] = to;
        if (changes && !all)
            return;
    }
}

static uint32_t count_contradictions(const pivoting *q)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < q->p->count; i++)
        count += wanted(q, i) != q->places[i];
    return count;
}

void ashi_bounded_dense_solve(ashi_bounded_dense *p, ashi_arena *scratch)
{
    pivoting q = {.p = p};
    p->end = ASHI_BOUNDED_NO_MEMORY;
    p->factors = 0;
    if (!take_memory(&q, scratch))
        return;
    p->end = ASHI_BOUNDED_LOST;
    begin(&q);
    uint32_t least = UINT32_MAX, left = PATIENCE;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        p->factors++;
        if (!solve(&q))
            return;
        uint32_t wrong = count_contradictions(&q);
        if (wrong == 0) {
            p->end = ASHI_BOUNDED_SOLVED;
            return;
        }
        bool fell = wrong < least;
        least = fell ? wrong : least;
        left = fell ? PATIENCE : left > 0 ? left - 1 : 0;
        exchange(&q, left > 0);
    }
}
