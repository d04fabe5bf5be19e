/* The numeric phase: the matrix, its elimination place by place, and substitution (equations: direct_parts.h).
 *
 * Inverses of the small diagonal blocks are kept, not their triangular factors: products have no chain of divisions.
 * They come by Gauss and Jordan's elimination in the order of rows, without exchanges: all pivots of bodies are
 * positive, those of rows negative, whatever the order. Sums run in a fixed order. */
#include "math/pair.h"
#include "math/quad.h"
#include "solve/direct/direct_parts.h"

#include <math.h>
#include <string.h>

#define N           ASHI_DIRECT_SIZE
#define SMALL_PIVOT 1e-10 /* of the row's own diagonal: perhaps it depends on others */
#define SUSPECT     1e7   /* times epsilon: the sum of a dependency's squared coefficients makes its pivot larger */

/* ---- small matrices ---- */

/* c = sum of the coefficients' products with the rows of u: c_i = sum over r of a_ir u_r, `columns` numbers each. */
ASHI_MERGED void combine_rows(uint32_t rows, uint32_t inner, uint32_t columns, const double *restrict a,
                              const double *restrict u, double *restrict c)
{
    for (uint32_t i = 0; i < rows; i++) {
        double sum[N];
        for (uint32_t k = 0; k < columns; k++)
            sum[k] = a[i * inner] * u[k];
        for (uint32_t r = 1; r < inner; r++)
            for (uint32_t k = 0; k < columns; k++)
                sum[k] += a[i * inner + r] * u[r * columns + k];
        for (uint32_t k = 0; k < columns; k++)
            c[i * columns + k] = sum[k];
    }
}

/* c -= v^T u: v has `inner` rows of `rows` numbers. */
ASHI_MERGED void subtract_rows(uint32_t rows, uint32_t inner, uint32_t columns, const double *restrict v,
                               const double *restrict u, double *restrict c)
{
    for (uint32_t i = 0; i < rows; i++) {
        double sum[N];
        for (uint32_t k = 0; k < columns; k++)
            sum[k] = c[i * columns + k];
        for (uint32_t r = 0; r < inner; r++)
            for (uint32_t k = 0; k < columns; k++)
                sum[k] -= v[r * rows + i] * u[r * columns + k];
        for (uint32_t k = 0; k < columns; k++)
            c[i * columns + k] = sum[k];
    }
}

/* Sizes as constants, so that loops over them vanish. */
typedef void multiply(uint32_t rows, uint32_t inner, uint32_t columns, const double *restrict a,
                      const double *restrict u, double *restrict c);

ASHI_MERGED void by_columns(multiply *of, uint32_t rows, uint32_t inner, uint32_t columns, const double *a,
                            const double *u, double *c)
{
    switch (columns) {
    case 1:
        of(rows, inner, 1, a, u, c);
        break;
    case 2:
        of(rows, inner, 2, a, u, c);
        break;
    case 3:
        of(rows, inner, 3, a, u, c);
        break;
    case 4:
        of(rows, inner, 4, a, u, c);
        break;
    case 5:
        of(rows, inner, 5, a, u, c);
        break;
    default:
        of(rows, inner, 6, a, u, c);
    }
}

ASHI_MERGED void by_sizes(multiply *of, uint32_t rows, uint32_t inner, uint32_t columns, const double *a,
                          const double *u, double *c)
{
    switch (inner) {
    case 1:
        by_columns(of, rows, 1, columns, a, u, c);
        break;
    case 3:
        by_columns(of, rows, 3, columns, a, u, c);
        break;
    case 5:
        by_columns(of, rows, 5, columns, a, u, c);
        break;
    case 6:
        by_columns(of, rows, 6, columns, a, u, c);
        break;
    default:
        by_columns(of, rows, inner, columns, a, u, c);
    }
}

static void combine(uint32_t inner, uint32_t columns, const double *a, const double *u, double *c)
{
    by_sizes(combine_rows, inner, inner, columns, a, u, c);
}

static void subtract(uint32_t rows, uint32_t inner, uint32_t columns, const double *v, const double *u, double *c)
{
    by_sizes(subtract_rows, rows, inner, columns, v, u, c);
}

/* One step of Gauss and Jordan's elimination. */
static inline void sweep_pivot(uint32_t n, uint32_t p, double *a)
{
    double inverse = 1 / a[p * n + p], row[N];
    for (uint32_t k = 0; k < n; k++)
        row[k] = a[p * n + k] * inverse;
    row[p] = inverse;
    for (uint32_t i = 0; i < n; i++) {
        if (i == p)
            continue;
        double factor = a[i * n + p];
        a[i * n + p] = 0;
        for (uint32_t k = 0; k < n; k++)
            a[i * n + k] -= factor * row[k];
    }
    for (uint32_t k = 0; k < n; k++)
        a[p * n + k] = row[k];
}

static void invert_body(double *a)
{
    for (uint32_t p = 0; p < N; p++)
        sweep_pivot(N, p, a);
}

/* ---- the matrix ---- */

static void place_side(const ashi_direct *d, const ashi_direct_plan *plan, uint32_t unit, int side)
{
    ashi_direct_target target = plan->target[unit][side];
    if (target.at == ASHI_DIRECT_NONE)
        return;
    uint32_t first = ashi_direct_unit_row(d, plan, unit), count = ashi_direct_unit_row(d, plan, unit + 1) - first;
    double *to = &plan->upper[target.at];
    for (uint32_t i = 0; i < count; i++) {
        const double *row = &d->jacobian[first + i][N * side];
        for (uint32_t k = 0; k < N; k++)
            to[target.transposed ? k * count + i : i * N + k] = row[k];
    }
}

static inline double dot(const double *row, const double *other)
{
    ashi_double_pair sum = pair_load(row) * pair_load(other) + pair_load(row + 2) * pair_load(other + 2);
    return pair_sum(sum + pair_load(row + 4) * pair_load(other + 4));
}

/* What a light body leaves between two units. */
static inline void set_product(const ashi_direct *d, const ashi_direct_product *product, uint32_t rows,
                               uint32_t columns, double *to)
{
    const double *row = d->jacobian[product->row] + N * product->side;
    const double *other = d->jacobian[product->other_row] + N * product->other_side;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < columns; k++)
            to[i * columns + k] = -dot(row + 2 * N * i, other + 2 * N * k);
}

static void add_products(const ashi_direct *d, const ashi_direct_plan *plan)
{
    for (uint32_t i = 0; i < plan->product_count; i++) {
        const ashi_direct_product *product = &plan->products[i];
        uint32_t rows = product->size, columns = product->other_size;
        double *to = &plan->upper[product->at], more[N * N];
        double *here = product->first ? to : more;
        if (rows == 3 && columns == 3)
            set_product(d, product, 3, 3, here);
        else
            set_product(d, product, rows, columns, here);
        for (uint32_t k = 0; !product->first && k < rows * columns; k++)
            to[k] += more[k];
    }
}

/* A unit's own block: minus softness, epsilon and what light bodies leave. */
static inline void set_unit(const ashi_direct *d, const ashi_direct_plan *plan, uint32_t unit, uint32_t size,
                            double epsilon, double *to)
{
    uint32_t first = ashi_direct_unit_row(d, plan, unit);
    bool with_a = plan->target[unit][0].at == ASHI_DIRECT_NONE, with_b = plan->target[unit][1].at == ASHI_DIRECT_NONE;
    for (uint32_t i = 0; i < size; i++) {
        const double *row = d->jacobian[first + i], scale = d->scale[first + i];
        double own = with_a && with_b ? scale : d->softness[first + i];
        own += with_a && !with_b ? dot(row, row) : 0;
        own += with_b && !with_a ? dot(row + N, row + N) : 0;
        to[i * size + i] = scale > 0 ? -(own + epsilon * scale) : -1;
        for (uint32_t k = 0; k < i; k++) {
            const double *other = d->jacobian[first + k];
            double on_a = with_a ? dot(row, other) : 0, on_b = with_b ? dot(row + N, other + N) : 0;
            to[i * size + k] = to[k * size + i] = -(on_a + on_b);
        }
    }
}

static void set_diagonal(const ashi_direct *d, const ashi_direct_plan *plan, uint32_t at, double epsilon)
{
    uint32_t node = plan->pattern.order[at], size = plan->size[at];
    double *to = &plan->diagonal[plan->diagonal_at[at]];
    if (node >= d->body_count && size == 3) {
        set_unit(d, plan, node - d->body_count, 3, epsilon, to);
    } else if (node >= d->body_count) {
        set_unit(d, plan, node - d->body_count, size, epsilon, to);
    } else {
        for (uint32_t i = 0; i < N * N; i++)
            to[i] = i % (N + 1) == 0;
    }
}

static void set_matrix(const ashi_direct *d, const ashi_direct_plan *plan, double epsilon)
{
    const ashi_direct_pattern *p = &plan->pattern;
    for (uint32_t i = 0; i < plan->filled_count; i++) {
        uint32_t from = plan->upper_at[plan->filled[i]], to = plan->upper_at[plan->filled[i] + 1];
        memset(&plan->upper[from], 0, (to - from) * sizeof *plan->upper);
    }
    for (uint32_t at = 0; at < p->node_count; at++)
        set_diagonal(d, plan, at, epsilon);
    for (uint32_t unit = 0; plan->hub_count > 0 && unit < plan->unit_count; unit++) {
        place_side(d, plan, unit, 0);
        place_side(d, plan, unit, 1);
    }
    add_products(d, plan);
}

/* ---- elimination ---- */

/* False: stopped at a small pivot. */
static inline bool invert_rows(ashi_direct *d, uint32_t n, uint32_t first, double *a, double epsilon)
{
    for (uint32_t p = 0; p < n; p++) {
        double scale = d->scale[first + p] > 0 ? d->scale[first + p] : 1;
        double least = epsilon == 0 ? SMALL_PIVOT : SUSPECT * epsilon;
        bool small = !(-a[p * n + p] > least * scale) || d->scale[first + p] == 0;
        if (small && epsilon == 0)
            return false;
        if (small && !d->suspect[first + p]) {
            d->suspect[first + p] = true;
            d->suspect_count++;
        }
        if (!(-a[p * n + p] >= epsilon * scale / 2)) /* rounding took more than epsilon gave */
            a[p * n + p] = -epsilon * scale;
        sweep_pivot(n, p, a);
    }
    return true;
}

static bool invert_unit(ashi_direct *d, const ashi_direct_plan *plan, uint32_t at, double epsilon)
{
    uint32_t first = ashi_direct_unit_row(d, plan, plan->pattern.order[at] - d->body_count);
    double *a = &plan->diagonal[plan->diagonal_at[at]];
    switch (plan->size[at]) {
    case 1:
        return invert_rows(d, 1, first, a, epsilon);
    case 2:
        return invert_rows(d, 2, first, a, epsilon);
    case 3:
        return invert_rows(d, 3, first, a, epsilon);
    case 5:
        return invert_rows(d, 5, first, a, epsilon);
    default:
        return invert_rows(d, plan->size[at], first, a, epsilon);
    }
}

/* Takes place `at` out: V, and what is left for later places. */
static void reduce_any(const ashi_direct_plan *plan, uint32_t at)
{
    const ashi_direct_pattern *p = &plan->pattern;
    uint32_t begin = p->begin[at], end = p->begin[at + 1], inner = plan->size[at];
    const double *inverse = &plan->diagonal[plan->diagonal_at[at]];
    double *base = &plan->upper[plan->upper_at[begin]];
    memcpy(plan->column, base, (plan->upper_at[end] - plan->upper_at[begin]) * sizeof *base);
    for (uint32_t i = begin; i < end; i++)
        combine(inner, plan->size[p->right[i]], inverse, &plan->column[plan->upper_at[i] - plan->upper_at[begin]],
                &plan->upper[plan->upper_at[i]]);
    for (uint32_t i = begin; i < end; i++) {
        uint32_t left = p->right[i], rows = plan->size[left], target = p->begin[left];
        const double *v = &plan->upper[plan->upper_at[i]];
        subtract(rows, inner, rows, v, &plan->column[plan->upper_at[i] - plan->upper_at[begin]],
                 &plan->diagonal[plan->diagonal_at[left]]);
        for (uint32_t k = i + 1; k < end; k++) {
            while (p->right[target] != p->right[k])
                target++;
            subtract(rows, inner, plan->size[p->right[k]], v, &plan->column[plan->upper_at[k] - plan->upper_at[begin]],
                     &plan->upper[plan->upper_at[target]]);
        }
    }
}

/* The same where all neighbours are of one size, n. */
static inline void reduce_equal(const ashi_direct_plan *plan, uint32_t at, uint32_t n)
{
    const ashi_direct_pattern *p = &plan->pattern;
    const uint32_t *right = &p->right[p->begin[at]];
    const double *inverse = &plan->diagonal[plan->diagonal_at[at]];
    uint32_t count = p->begin[at + 1] - p->begin[at];
    double *v = &plan->upper[plan->upper_at[p->begin[at]]], *u = plan->column;
    for (uint32_t i = 0; i < count * n * n; i++)
        u[i] = v[i];
    for (uint32_t i = 0; i < count; i++)
        combine_rows(n, n, n, inverse, &u[i * n * n], &v[i * n * n]);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *target = &p->right[p->begin[right[i]]];
        subtract_rows(n, n, n, &v[i * n * n], &u[i * n * n], &plan->diagonal[plan->diagonal_at[right[i]]]);
        for (uint32_t k = i + 1; k < count; k++) {
            while (*target != right[k])
                target++;
            subtract_rows(n, n, n, &v[i * n * n], &u[k * n * n], &plan->upper[plan->upper_at[target - p->right]]);
        }
    }
}

static void reduce(const ashi_direct_plan *plan, uint32_t at)
{
    switch (plan->equal[at]) {
    case 1:
        reduce_equal(plan, at, 1);
        break;
    case 2:
        reduce_equal(plan, at, 2);
        break;
    case 3:
        reduce_equal(plan, at, 3);
        break;
    case 5:
        reduce_equal(plan, at, 5);
        break;
    default:
        reduce_any(plan, at);
    }
}

bool ashi_direct_eliminate(ashi_direct *direct, ashi_direct_plan *plan, double epsilon)
{
    direct->plan = plan;
    memset(direct->suspect, 0, direct->row_count * sizeof *direct->suspect);
    direct->suspect_count = 0;
    direct->epsilon = epsilon;
    direct->operations += (uint64_t)plan->pattern.cost + 4ull * N * direct->row_count;
    set_matrix(direct, plan, epsilon);
    for (uint32_t at = 0; at < plan->pattern.node_count; at++) {
        if (plan->pattern.order[at] < direct->body_count)
            invert_body(&plan->diagonal[plan->diagonal_at[at]]);
        else if (!invert_unit(direct, plan, at, epsilon))
            return false;
        reduce(plan, at);
    }
    return true;
}

/* ---- substitution ---- */

/* y -= v^T x */
static inline void subtract_transposed(uint32_t rows, uint32_t columns, const double *restrict v,
                                       const double *restrict x, double *restrict y)
{
    double sum[N];
    for (uint32_t k = 0; k < columns; k++)
        sum[k] = y[k];
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < columns; k++)
            sum[k] -= v[i * columns + k] * x[i];
    for (uint32_t k = 0; k < columns; k++)
        y[k] = sum[k];
}

/* y -= v x */
static inline void subtract_image(uint32_t rows, uint32_t columns, const double *restrict v, const double *restrict x,
                                  double *restrict y)
{
    for (uint32_t i = 0; i < rows; i++) {
        double sum = 0;
        for (uint32_t k = 0; k < columns; k++)
            sum += v[i * columns + k] * x[k];
        y[i] -= sum;
    }
}

/* y = a y; a is symmetric. */
static inline void replace(uint32_t n, const double *restrict a, double *restrict y)
{
    double image[N];
    for (uint32_t k = 0; k < n; k++)
        image[k] = a[k] * y[0];
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            image[k] += a[i * n + k] * y[i];
    for (uint32_t i = 0; i < n; i++)
        y[i] = image[i];
}

/* The later node's size, 1 to N, as a constant. */
static inline void push(uint32_t size, uint32_t other, const double *v, const double *x, double *y)
{
    switch (other) {
    case 1:
        subtract_transposed(size, 1, v, x, y);
        break;
    case 2:
        subtract_transposed(size, 2, v, x, y);
        break;
    case 3:
        subtract_transposed(size, 3, v, x, y);
        break;
    case 4:
        subtract_transposed(size, 4, v, x, y);
        break;
    case 5:
        subtract_transposed(size, 5, v, x, y);
        break;
    default:
        subtract_transposed(size, 6, v, x, y);
    }
}

static inline void pull(uint32_t size, uint32_t other, const double *v, const double *x, double *y)
{
    switch (other) {
    case 1:
        subtract_image(size, 1, v, x, y);
        break;
    case 2:
        subtract_image(size, 2, v, x, y);
        break;
    case 3:
        subtract_image(size, 3, v, x, y);
        break;
    case 4:
        subtract_image(size, 4, v, x, y);
        break;
    case 5:
        subtract_image(size, 5, v, x, y);
        break;
    default:
        subtract_image(size, 6, v, x, y);
    }
}

/* Where redundant rows are looked for every row is a place of its own: most entries are single numbers. */
static void go_forward_single(const ashi_direct_plan *plan, uint32_t at, double *x)
{
    const ashi_direct_pattern *p = &plan->pattern;
    double here = x[plan->start[at]];
    for (uint32_t i = p->begin[at]; i < p->begin[at + 1]; i++) {
        const double *v = &plan->upper[plan->upper_at[i]];
        double *there = &x[plan->start[p->right[i]]];
        if (plan->size[p->right[i]] == 1)
            there[0] -= v[0] * here;
        else
            push(1, plan->size[p->right[i]], v, &here, there);
    }
    x[plan->start[at]] = plan->diagonal[plan->diagonal_at[at]] * here;
}

static void go_back_single(const ashi_direct_plan *plan, uint32_t at, double *x)
{
    const ashi_direct_pattern *p = &plan->pattern;
    double here = x[plan->start[at]];
    for (uint32_t i = p->begin[at]; i < p->begin[at + 1]; i++) {
        const double *v = &plan->upper[plan->upper_at[i]], *there = &x[plan->start[p->right[i]]];
        if (plan->size[p->right[i]] == 1)
            here -= v[0] * there[0];
        else
            pull(1, plan->size[p->right[i]], v, there, &here);
    }
    x[plan->start[at]] = here;
}

/* From a place of that size to later places, then D^-1. */
static inline void go_forward(const ashi_direct_plan *plan, uint32_t at, uint32_t size, double *x)
{
    const ashi_direct_pattern *p = &plan->pattern;
    double *here = &x[plan->start[at]];
    for (uint32_t i = p->begin[at]; i < p->begin[at + 1]; i++)
        push(size, plan->size[p->right[i]], &plan->upper[plan->upper_at[i]], here, &x[plan->start[p->right[i]]]);
    replace(size, &plan->diagonal[plan->diagonal_at[at]], here);
}

static inline void go_back(const ashi_direct_plan *plan, uint32_t at, uint32_t size, double *x)
{
    const ashi_direct_pattern *p = &plan->pattern;
    for (uint32_t i = p->begin[at]; i < p->begin[at + 1]; i++)
        pull(size, plan->size[p->right[i]], &plan->upper[plan->upper_at[i]], &x[plan->start[p->right[i]]],
             &x[plan->start[at]]);
}

static void solve_triangles(const ashi_direct_plan *plan, double *x)
{
    for (uint32_t at = 0; at < plan->pattern.node_count; at++)
        switch (plan->size[at]) {
        case 1:
            go_forward_single(plan, at, x);
            break;
        case 2:
            go_forward(plan, at, 2, x);
            break;
        case 3:
            go_forward(plan, at, 3, x);
            break;
        case 4:
            go_forward(plan, at, 4, x);
            break;
        case 5:
            go_forward(plan, at, 5, x);
            break;
        default:
            go_forward(plan, at, 6, x);
        }
    for (uint32_t at = plan->pattern.node_count; at-- > 0;)
        switch (plan->size[at]) {
        case 1:
            go_back_single(plan, at, x);
            break;
        case 2:
            go_back(plan, at, 2, x);
            break;
        case 3:
            go_back(plan, at, 3, x);
            break;
        case 4:
            go_back(plan, at, 4, x);
            break;
        case 5:
            go_back(plan, at, 5, x);
            break;
        default:
            go_back(plan, at, 6, x);
        }
}

void ashi_direct_substitute(ashi_direct *direct, const double *wanted, double *impulse)
{
    const ashi_direct_plan *plan = direct->plan;
    double *x = plan->unknown;
    direct->operations += 2ull * plan->upper_at[plan->pattern.begin[plan->pattern.node_count]] + N * plan->unknowns;
    if (plan->hub_count > 0)
        memset(x, 0, plan->unknowns * sizeof *x);
    for (uint32_t i = 0; i < direct->row_count; i++)
        x[plan->row_place[i]] = direct->scale[i] > 0 ? wanted[i] : 0;
    solve_triangles(plan, x);
    for (uint32_t i = 0; i < direct->row_count; i++)
        impulse[i] = -x[plan->row_place[i]];
}
