/* Redundancy: which rows depend on others, and which impulses are not determined.
 *
 * With E = epsilon times the rows' diagonals and B = (A + E)^-1 of the factor, (B E)^n tends to the projection P onto
 * the impulses that move nothing, A x = 0. A row with a small pivot is a suspect; the vectors P e_r of all suspects r
 * span that space (the last row of each dependency is one). A row takes part in a dependency when one of them is not
 * zero there: its impulse is not determined. How many are independent is the rank of their products, found by
 * Cholesky's method from the last suspect to the first, so that a row counts as redundant when it depends on rows
 * before it in the order of elimination. */
#include "solve/direct/direct_parts.h"

#include <math.h>
#include <string.h>

#define APPLICATIONS 3     /* n: parts that move something lose a factor of epsilon by each */
#define LASTING      0.5   /* of a vector, in the last application: less, and it moves something after all */
#define PRESENT      1e-10 /* the square of a row's part in a dependency that is worth mention */
#define INVOLVED     1e-5  /* a row's part in a dependency of unit length, in the norm of E */
#define INDEPENDENT  1e-6  /* of a product: what is left of it after those of other suspects */

/* d->held = P e_row with impulses in units of 1 / sqrt(scale). Returns the square of its length, 0 if it is none. */
static double project(ashi_direct *d, uint32_t row)
{
    double before = 1, after = 1, unit = sqrt(d->scale[row]);
    memset(d->held, 0, d->row_count * sizeof *d->held);
    d->held[row] = 1 / unit;
    for (int i = 0; i < APPLICATIONS; i++) {
        for (uint32_t r = 0; r < d->row_count; r++)
            d->guess[r] = d->epsilon * d->scale[r] * d->held[r];
        ashi_direct_substitute(d, d->guess, d->held);
        before = after;
        after = d->held[row] * unit;
    }
    for (uint32_t r = 0; r < d->row_count; r++)
        d->held[r] *= sqrt(d->scale[r]);
    return after > PRESENT && after > LASTING * before ? after : 0;
}

/* The next row of Cholesky's factor of the products, if it is not a sum of those before it. */
static bool is_independent(double *products, uint32_t count)
{
    double *row = &products[(size_t)count * (count + 1) / 2], whole = row[count];
    for (uint32_t i = 0; i < count; i++) {
        const double *other = &products[(size_t)i * (i + 1) / 2];
        for (uint32_t k = 0; k < i; k++)
            row[i] -= row[k] * other[k];
        row[i] /= other[i];
        row[count] -= row[i] * row[i];
    }
    if (!(row[count] > INDEPENDENT * whole))
        return false;
    row[count] = sqrt(row[count]);
    return true;
}

/* `found` lists the redundant rows so far; false when memory ran out. */
static bool try_suspect(ashi_direct *d, uint32_t row, uint32_t *found)
{
    uint32_t count = d->redundant_count;
    uint64_t room = ((uint64_t)count + 1) * ((uint64_t)count + 2) / 2;
    d->products.count = count * (count + 1) / 2; /* what growing keeps */
    if (!ashi_array_reserve(&d->products, room))
        return false;
    double whole = project(d, row);
    if (whole == 0)
        return true;
    double *products = &d->products.data[(size_t)count * (count + 1) / 2];
    for (uint32_t i = 0; i < count; i++)
        products[i] = d->held[found[i]];
    products[count] = whole;
    if (!is_independent(d->products.data, count))
        return true;
    found[d->redundant_count++] = row;
    d->redundant[row] = true;
    for (uint32_t r = 0; r < d->row_count; r++)
        if (fabs(d->held[r]) > INVOLVED * sqrt(whole))
            d->undetermined[r] = true;
    return true;
}

/* Rows that move nothing. */
static uint32_t find_dead(ashi_direct *d)
{
    uint32_t dead = 0;
    for (uint32_t r = 0; r < d->row_count; r++) {
        d->redundant[r] = d->undetermined[r] = d->scale[r] == 0;
        dead += d->scale[r] == 0;
    }
    return dead;
}

void ashi_direct_analyse(ashi_direct *direct)
{
    if (direct->analysed || direct->plan == NULL)
        return;
    const ashi_direct_pattern *p = &direct->plan->pattern;
    uint32_t dead = find_dead(direct);
    bool good = true;
    direct->analysed = true;
    direct->redundant_count = 0;
    for (uint32_t at = p->node_count; direct->suspect_count > dead && at-- > 0;) {
        if (p->order[at] < direct->body_count)
            continue;
        uint32_t first = ashi_direct_unit_row(direct, direct->plan, p->order[at] - direct->body_count);
        for (uint32_t i = direct->plan->size[at]; i-- > 0;)
            if (direct->suspect[first + i] && direct->scale[first + i] > 0)
                good = good && try_suspect(direct, first + i, direct->listed);
    }
    if (!good) /* no memory to distinguish suspects: none is trusted */
        for (uint32_t r = 0; r < direct->row_count; r++)
            direct->redundant[r] = direct->undetermined[r] = direct->suspect[r];
    direct->redundant_count = 0;
    for (uint32_t r = 0; r < direct->row_count; r++)
        direct->redundant_count += direct->redundant[r];
}

/* ---- questions ---- */

/* Number of a row of the problem among those of the factor, or none. */
static uint32_t find_row(const ashi_direct *d, uint32_t row)
{
    uint32_t low = 0, high = d->row_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d->source.data[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->row_count && d->source.data[low] == row ? low : ASHI_DIRECT_NONE;
}

uint32_t ashi_direct_rows(const ashi_direct *direct)
{
    return direct->row_count;
}

uint32_t ashi_direct_rank(ashi_direct *direct)
{
    ashi_direct_analyse(direct);
    return direct->row_count - direct->redundant_count;
}

bool ashi_direct_is_redundant(ashi_direct *direct, uint32_t row)
{
    uint32_t r = find_row(direct, row);
    ashi_direct_analyse(direct);
    return r != ASHI_DIRECT_NONE && direct->redundant[r];
}

bool ashi_direct_is_determined(ashi_direct *direct, uint32_t row)
{
    uint32_t r = find_row(direct, row);
    ashi_direct_analyse(direct);
    return r != ASHI_DIRECT_NONE && !direct->undetermined[r];
}

uint32_t ashi_direct_patterns(const ashi_direct *direct)
{
    return direct->pattern_count;
}

size_t ashi_direct_size(const ashi_direct *direct)
{
    if (direct == NULL)
        return 0;
    size_t size = ashi_arena_taken(direct->memory);
    for (int rule = 0; rule < ASHI_DIRECT_RULES; rule++)
        size += direct->plans[rule].memory != NULL ? ashi_arena_taken(direct->plans[rule].memory) : 0;
    return size;
}

uint64_t ashi_direct_operations(const ashi_direct *direct)
{
    return direct != NULL ? direct->operations : 0;
}
