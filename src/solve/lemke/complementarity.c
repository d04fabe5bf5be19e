/* Lemke's algorithm with lexicographic order against cycling (Cottle, Pang & Stone 1992, 4.4 and 4.9).
 *
 * Free variables are first pivoted into the basis for good. What is left is a dictionary
 *
 *   x_basic = constant + T x_nonbasic
 *
 * over the pairs w, z and the artificial z0, which enters every row with a positive factor. Stacks of equal blocks tie
 * in most of their ratios, and rounding must not decide them. Factors of z0 drawn between 1 and 2 keep ratios apart as
 * long as z0 is not zero. Where they tie all the same, the rows of the inverse basis decide: they are the columns of
 * the w that are not basic, with their signs turned, and unit rows else. The tableau collects rounding, so that in the
 * end only the basis is believed: its equations are solved again from the matrix given, with refinement. If that is no
 * solution, other factors lead along another path. */
#include "solve/lemke/complementarity.h"

#include "base/clock.h"
#include "base/random.h"
#include "solve/linear/dense_factor.h"

#include <math.h>
#include <string.h>

#define REDUNDANT   1e-10 /* of a free variable's own diagonal: what elimination leaves of it is rounding */
#define NO_PIVOT    1e-11 /* of the column's largest entry */
#define TIE         1e-13 /* ratios this near are equal */
#define GONE        1e-9  /* of its first value: z0 this small is zero, whatever rounding says */
#define PATHS       4     /* tried at most */
#define REFINEMENTS 3
#define GOOD        1e-11 /* violations below this, of the largest |q|: no other path is tried */
#define ACCEPTED    1e-7  /* violations above this are no solution */
#define NONE        UINT32_MAX

typedef struct tableau {
    uint32_t count;     /* rows: pairs of w and z */
    size_t stride;      /* columns: count of z, one of z0, the constants */
    double *entries;    /* by rows */
    uint32_t *basic;    /* variable by row: i is w_i, count + i is z_i, 2 count is z0 */
    uint32_t *nonbasic; /* variable by column */
    uint32_t *place;    /* by variable: its row, or its column */
    bool *is_basic;     /* by variable */
    uint32_t *tied;     /* rows in question */
    uint32_t *number;   /* of the pair in the problem */
} tableau;

static double *row_of(const tableau *t, uint32_t row)
{
    return &t->entries[row * t->stride];
}

/* The dictionary after row's variable and column's have changed places. */
static void exchange(double *entries, uint32_t rows, size_t stride, uint32_t row, uint32_t column)
{
    double *restrict own = &entries[row * stride];
    double inverse = 1 / own[column];
    for (size_t j = 0; j < stride; j++)
        own[j] *= -inverse;
    own[column] = inverse;
    for (uint32_t i = 0; i < rows; i++) {
        double *restrict other = &entries[i * stride], factor = other[column];
        if (i == row || factor == 0)
            continue;
        other[column] = 0;
        for (size_t j = 0; j < stride; j++)
            other[j] += factor * own[j];
    }
}

/* ---- free variables ---- */

/* The free variable with the largest part of its diagonal left. */
static uint32_t next_free(const ashi_complementarity *p, const double *entries, size_t stride, const bool *kept)
{
    uint32_t best = NONE;
    double most = REDUNDANT;
    for (uint32_t i = 0; i < p->count; i++) {
        double whole = p->matrix[(size_t)i * p->count + i];
        if (!p->free[i] || kept[i] || !(entries[i * stride + i] > most * whole))
            continue;
        best = i;
        most = entries[i * stride + i] / whole;
    }
    return best;
}

/* Pivots free variables in; `kept` says which were not redundant. */
static void eliminate_free(const ashi_complementarity *p, double *entries, size_t stride, bool *kept)
{
    memset(kept, 0, p->count * sizeof *kept);
    for (uint32_t i = next_free(p, entries, stride, kept); i != NONE; i = next_free(p, entries, stride, kept)) {
        exchange(entries, p->count, stride, i, i);
        kept[i] = true;
    }
}

/* Rows and columns of free variables have done their work. */
static void compact(const ashi_complementarity *p, tableau *t)
{
    size_t wide = p->count + 2u, narrow = t->count + 2u;
    for (uint32_t i = 0; i < t->count; i++) {
        const double *from = &t->entries[t->number[i] * wide];
        double *to = &t->entries[i * narrow];
        for (uint32_t j = 0; j < t->count; j++)
            to[j] = from[t->number[j]];
        to[t->count] = from[p->count];
        to[t->count + 1] = from[p->count + 1];
    }
    t->stride = narrow;
}

/* ---- the tableau ---- */

static bool take_memory(const ashi_complementarity *p, ashi_arena *scratch, tableau *t)
{
    size_t n = p->count;
    t->entries = ashi_arena_take_array(scratch, n * (n + 2), sizeof *t->entries);
    t->basic = ashi_arena_take_array(scratch, n, sizeof *t->basic);
    t->nonbasic = ashi_arena_take_array(scratch, n + 1, sizeof *t->nonbasic);
    t->place = ashi_arena_take_array(scratch, 2 * n + 1, sizeof *t->place);
    t->is_basic = ashi_arena_take_array(scratch, 2 * n + 1, sizeof *t->is_basic);
    t->tied = ashi_arena_take_array(scratch, n, sizeof *t->tied);
    t->number = ashi_arena_take_array(scratch, n, sizeof *t->number);
    return t->entries != NULL && t->basic != NULL && t->nonbasic != NULL && t->place != NULL && t->is_basic != NULL &&
           t->tied != NULL && t->number != NULL;
}

static void fill(const ashi_complementarity *p, double scale, uint32_t path, tableau *t)
{
    size_t n = p->count, stride = n + 2;
    ashi_random random = {path};
    for (size_t i = 0; i < n; i++) {
        double *row = &t->entries[i * stride];
        memcpy(row, &p->matrix[i * n], n * sizeof *row);
        row[n] = p->free[i] ? 0 : p->cover[i] * ashi_random_range(&random, 1, 2);
        row[n + 1] = p->constant[i] / scale;
    }
    t->count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!p->free[i])
            t->number[t->count++] = i;
}

static void name_variables(tableau *t)
{
    uint32_t n = t->count;
    for (uint32_t i = 0; i < n; i++) {
        t->basic[i] = i;
        t->nonbasic[i] = n + i;
        t->place[i] = t->place[n + i] = i;
        t->is_basic[i] = true;
        t->is_basic[n + i] = false;
    }
    t->nonbasic[n] = 2 * n;
    t->place[2 * n] = n;
    t->is_basic[2 * n] = false;
}

/* Returns the variable that left. */
static uint32_t pivot(tableau *t, uint32_t row, uint32_t column)
{
    uint32_t leaving = t->basic[row], entering = t->nonbasic[column];
    exchange(t->entries, t->count, t->stride, row, column);
    t->basic[row] = entering;
    t->nonbasic[column] = leaving;
    t->place[entering] = row;
    t->place[leaving] = column;
    t->is_basic[entering] = true;
    t->is_basic[leaving] = false;
    return leaving;
}

/* ---- the ratio test ---- */

/* Entry k of a row of the inverse basis. */
static double inverse_entry(const tableau *t, uint32_t row, uint32_t k)
{
    if (t->is_basic[k])
        return t->place[k] == row ? 1 : 0;
    return -row_of(t, row)[t->place[k]];
}

/* Rows that reach zero first when the column's variable grows, in `tied`. */
static uint32_t first_rows(tableau *t, uint32_t column)
{
    uint32_t last = t->count + 1;
    double largest = 0, least = INFINITY;
    for (uint32_t i = 0; i < t->count; i++)
        largest = fabs(row_of(t, i)[column]) > largest ? fabs(row_of(t, i)[column]) : largest;
    uint32_t count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < t->count; i++) {
            const double *row = row_of(t, i);
            if (!(row[column] < -NO_PIVOT * largest))
                continue;
            double ratio = (row[last] > 0 ? row[last] : 0) / -row[column];
            if (pass == 0)
                least = ratio < least ? ratio : least;
            else if (ratio <= least + TIE * (1 + least))
                t->tied[count++] = i;
        }
    return count;
}

/* The row that leaves for the column's variable: NONE on a ray. */
static uint32_t leaving_row(tableau *t, uint32_t column)
{
    uint32_t count = first_rows(t, column);
    for (uint32_t i = 0; i < count; i++)
        if (t->basic[t->tied[i]] == 2 * t->count)
            return t->tied[i]; /* z0 may leave: the end */
    for (uint32_t k = 0; k < t->count && count > 1; k++) {
        double least = INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            double ratio = inverse_entry(t, t->tied[i], k) / -row_of(t, t->tied[i])[column];
            least = ratio < least ? ratio : least;
        }
        uint32_t left = 0;
        for (uint32_t i = 0; i < count; i++) {
            double ratio = inverse_entry(t, t->tied[i], k) / -row_of(t, t->tied[i])[column];
            if (ratio <= least + TIE * (1 + fabs(least)))
                t->tied[left++] = t->tied[i];
        }
        count = left;
    }
    return count > 0 ? t->tied[0] : NONE;
}

/* The row in which z0 enters: where it must be largest; of equals the last, as the lexicographic order says. */
static uint32_t first_row(const tableau *t)
{
    uint32_t best = NONE;
    double least = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        double ratio = row_of(t, i)[t->count + 1] / row_of(t, i)[t->count];
        if (ratio > least || ratio == 0)
            continue;
        best = i;
        least = ratio;
    }
    return best;
}

static bool is_spent(const ashi_complementarity *p, const ashi_pivoting_result *so_far)
{
    return p->most_work > 0 && so_far->work >= p->most_work;
}

static ashi_pivoting_end walk(const ashi_complementarity *p, tableau *t, ashi_pivoting_result *so_far)
{
    uint32_t n = t->count, row = first_row(t), column = n, most = so_far->pivots + 20 * n + 100;
    if (row == NONE)
        return ASHI_PIVOTING_SOLVED;
    double whole = -row_of(t, row)[n + 1] / row_of(t, row)[n];
    while (so_far->pivots < most) {
        uint32_t leaving = pivot(t, row, column);
        so_far->pivots++;
        so_far->work += (uint64_t)n * n;
        if (leaving == 2 * n)
            return ASHI_PIVOTING_SOLVED;
        if ((p->deadline > 0 && ashi_seconds() >= p->deadline) || is_spent(p, so_far))
            return ASHI_PIVOTING_LATE;
        column = t->place[leaving < n ? leaving + n : leaving - n];
        row = leaving_row(t, column);
        if (row == NONE)
            return row_of(t, t->place[2 * n])[n + 1] <= GONE * whole ? ASHI_PIVOTING_SOLVED : ASHI_PIVOTING_RAY;
    }
    return ASHI_PIVOTING_LOST;
}

/* ---- what the basis says ---- */

typedef struct basis {
    uint32_t count;
    uint32_t *member; /* numbers of the variables that may differ from zero */
    bool *kept;       /* free variables that were not redundant */
    double *value, *remainder, *correction;
} basis;

static bool take_basis(const ashi_complementarity *p, ashi_arena *scratch, basis *b)
{
    b->member = ashi_arena_take_array(scratch, p->count, sizeof *b->member);
    b->kept = ashi_arena_take_array(scratch, p->count, sizeof *b->kept);
    b->value = ashi_arena_take_array(scratch, p->count, sizeof *b->value);
    b->remainder = ashi_arena_take_array(scratch, p->count, sizeof *b->remainder);
    b->correction = ashi_arena_take_array(scratch, p->count, sizeof *b->correction);
    return b->member != NULL && b->kept != NULL && b->value != NULL && b->remainder != NULL && b->correction != NULL;
}

static void gather(const ashi_complementarity *p, const tableau *t, basis *b)
{
    b->count = 0;
    for (uint32_t i = 0, pair = 0; i < p->count; i++) {
        bool inside = p->free[i] ? b->kept[i] : t->is_basic[t->count + pair];
        if (inside)
            b->member[b->count++] = i;
        pair += !p->free[i];
    }
}

/* M_bb z_b = -q_b, with the tableau's memory for the factor. False when it is singular. */
static bool solve_basis(const ashi_complementarity *p, tableau *t, basis *b)
{
    uint32_t n = b->count;
    ashi_dense_factor factor = {n, t->entries, t->tied};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            t->entries[(size_t)i * n + j] = p->matrix[(size_t)b->member[i] * p->count + b->member[j]];
    if (!ashi_dense_factor_make(&factor))
        return false;
    for (uint32_t i = 0; i < n; i++)
        b->value[i] = 0;
    for (uint32_t round = 0; round <= REFINEMENTS; round++) {
        for (uint32_t i = 0; i < n; i++) {
            const double *row = &p->matrix[(size_t)b->member[i] * p->count];
            b->remainder[i] = ashi_exact_remainder(n, row, b->member, b->value, -p->constant[b->member[i]]);
        }
        ashi_dense_factor_solve(&factor, b->remainder, b->correction);
        for (uint32_t i = 0; i < n; i++)
            b->value[i] += b->correction[i];
    }
    return true;
}

/* Sets z and says by how much any condition is broken, those of redundant rows apart. */
static double give(const ashi_complementarity *p, const basis *b, double scale, double *z)
{
    double worst = 0;
    for (uint32_t i = 0; i < p->count; i++)
        z[i] = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        bool sign_wrong = !p->free[b->member[i]] && !(b->value[i] >= 0);
        if (sign_wrong && !(-b->value[i] <= worst))
            worst = -b->value[i];
        z[b->member[i]] = sign_wrong ? 0 : b->value[i];
    }
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->free[i] && !b->kept[i])
            continue;
        double w = -ashi_exact_remainder(p->count, &p->matrix[(size_t)i * p->count], NULL, z, -p->constant[i]);
        double broken = p->free[i] || z[i] > 0 ? fabs(w) : -w;
        if (!(broken <= worst))
            worst = broken;
    }
    return worst / scale;
}

static double largest_of(const double *values, uint32_t count)
{
    double largest = 0;
    for (uint32_t i = 0; i < count; i++)
        largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
    return largest;
}

/* One way from z0 to a basis, and what that basis says. */
static ashi_pivoting_end follow(const ashi_complementarity *p, uint32_t path, tableau *t, basis *b, double *z,
                                ashi_pivoting_result *so_far, double *error)
{
    so_far->work += (uint64_t)p->count * p->count * p->count / 3; /* of what is eliminated before and solved after */
    if (is_spent(p, so_far))
        return ASHI_PIVOTING_LATE;
    double scale = largest_of(p->constant, p->count);
    scale = scale > 0 ? scale : 1;
    fill(p, scale, path, t);
    eliminate_free(p, t->entries, p->count + 2u, b->kept);
    compact(p, t);
    name_variables(t);
    ashi_pivoting_end end = walk(p, t, so_far);
    if (end != ASHI_PIVOTING_SOLVED)
        return end;
    gather(p, t, b);
    if (!solve_basis(p, t, b))
        return ASHI_PIVOTING_LOST;
    *error = give(p, b, scale, z);
    return *error <= ACCEPTED ? ASHI_PIVOTING_SOLVED : ASHI_PIVOTING_LOST;
}

ashi_pivoting_result ashi_complementarity_solve(const ashi_complementarity *p, ashi_arena *scratch, double *z)
{
    ashi_pivoting_result result = {.end = ASHI_PIVOTING_NO_MEMORY};
    tableau t;
    basis b;
    double *found = ashi_arena_take_array(scratch, p->count, sizeof *found);
    if (found == NULL || !take_memory(p, scratch, &t) || !take_basis(p, scratch, &b))
        return result;
    result = (ashi_pivoting_result){.end = ASHI_PIVOTING_RAY, .error = INFINITY};
    for (uint32_t path = 0; path < PATHS && result.error > GOOD; path++) {
        double error = INFINITY;
        ashi_pivoting_end end = follow(p, path, &t, &b, found, &result, &error);
        if (end == ASHI_PIVOTING_SOLVED && error < result.error) {
            result.end = end;
            result.error = error;
            memcpy(z, found, p->count * sizeof *z);
        } else if (result.end == ASHI_PIVOTING_SOLVED) {
            break; /* what was found stands */
        } else if (end != ASHI_PIVOTING_RAY) {
            result.end = end; /* a ray is believed when all paths end on one */
        }
        if (end == ASHI_PIVOTING_LATE)
            break;
    }
    return result;
}
