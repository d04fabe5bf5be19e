/* The convergence of the Gauss-Seidel iteration on a problem with every row as an equality (Erleben 2007, 3.1).
 *
 * A = J M^-1 J^T + softness = L + D + U; a sweep without projections is lambda <- T lambda + c with
 * T = -(L + D)^-1 U (the minus sign is missing in Erleben's (35)). A is positive semidefinite: T x = x exactly where
 * A x = 0, so that every redundant row is an eigenvalue 1 of T; all others are below 1 in modulus (Keller 1965). Those
 * in the null space move no body: speeds converge by the largest of the others, whatever the redundancy.
 *
 * diag(A) = D scales rows: D^-1/2 A D^-1/2 has other eigenvalues than A, its T is similar to that of A. */
#include "base/alloc.h"
#include "base/diagnostic.h"
#include "math/eigenvalues.h"
#include "problem/problem.h"
#include "solve/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NEGLIGIBLE 16 /* rounding errors per row: smaller pivots, with a diagonal of ones, belong to redundant rows */

/* ---- the matrix ---- */

/* A row, and the effect of its unit impulse on its bodies. */
typedef struct dense_row {
    uint32_t body[2];
    ash_vec3 linear[2], angular[2], push[2], turn[2];
    double softness;
} dense_row;

static dense_row dense_row_of(const ashi_system *p, const ashi_block *block, const ashi_row *row)
{
    dense_row d = {.body = {block->body_a, block->body_b},
                   .linear = {row->linear_a, row->linear_b},
                   .angular = {row->angular_a, row->angular_b},
                   .softness = row->softness};
    for (int i = 0; i < 2; i++) {
        const ash_problem_body *body = &p->bodies[d.body[i]];
        d.push[i] = v3_mul(body->inverse_mass, d.linear[i]);
        d.turn[i] = s3_apply(body->inverse_inertia, d.angular[i]);
    }
    return d;
}

static double response_of(const dense_row *to, const dense_row *from)
{
    double sum = 0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (to->body[i] == from->body[k])
                sum += v3_dot(to->linear[i], from->push[k]) + v3_dot(to->angular[i], from->turn[k]);
    return sum;
}

/* All rows with a response. */
static uint32_t gather_rows(const ashi_system *p, dense_row *rows)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = 0; i < p->blocks[k].row_count; i++) {
            const ashi_row *row = &p->rows[p->blocks[k].first_row + i];
            if (ashi_row_response(p, &p->blocks[k], row, row) + row->softness > 0)
                rows[count++] = dense_row_of(p, &p->blocks[k], row);
        }
    return count;
}

static void fill_matrix(const dense_row *rows, uint32_t count, double *matrix)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= i; k++) {
            double response = response_of(&rows[i], &rows[k]) + (i == k ? rows[i].softness : 0);
            matrix[(size_t)i * count + k] = matrix[(size_t)k * count + i] = response;
        }
}

/* D^-1/2 A D^-1/2; `root` receives the diagonal of D^1/2. */
static void scale(uint32_t count, double *matrix, double *root)
{
    for (uint32_t i = 0; i < count; i++)
        root[i] = sqrt(matrix[(size_t)i * count + i]);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            matrix[(size_t)i * count + k] = i == k ? 1 : matrix[(size_t)i * count + k] / (root[i] * root[k]);
}

/* ---- rank ---- */

/* Cholesky's factor of a positive semidefinite matrix with a diagonal of ones, in place, largest pivot first, until the
 * rest is rounding: this gives the number of independent rows. `left` has count entries: the part of a row's diagonal
 * that other rows do not explain; -1 for rows that were taken. */
static uint32_t count_pivots(uint32_t count, double *matrix, double *left)
{
    double negligible = NEGLIGIBLE * DBL_EPSILON * count;
    uint32_t rank = 0;
    for (uint32_t i = 0; i < count; i++)
        left[i] = 1;
    for (; rank < count; rank++) {
        uint32_t pivot = 0;
        for (uint32_t i = 1; i < count; i++)
            pivot = left[i] > left[pivot] ? i : pivot;
        if (!(left[pivot] > negligible))
            break;
        double root = sqrt(left[pivot]), *from = matrix + (size_t)pivot * count;
        left[pivot] = -1;
        for (uint32_t i = 0; i < count; i++)
            from[i] = left[i] >= 0 ? from[i] / root : 0;
        for (uint32_t i = 0; i < count; i++) {
            double *row = matrix + (size_t)i * count, share = from[i];
            for (uint32_t k = 0; share != 0 && k < count; k++)
                row[k] -= share * from[k];
            if (left[i] >= 0)
                left[i] = row[i] > 0 ? row[i] : 0;
        }
    }
    return rank;
}

/* ---- Gauss and Seidel ---- */

/* T = -(L + D)^-1 U, row by row from the earlier ones. */
static void make_iteration(uint32_t count, const double *matrix, double *iteration)
{
    for (uint32_t i = 0; i < count; i++) {
        const double *a = matrix + (size_t)i * count;
        double *t = iteration + (size_t)i * count;
        for (uint32_t k = 0; k < count; k++)
            t[k] = k > i ? -a[k] : 0;
        for (uint32_t j = 0; j < i; j++)
            for (uint32_t k = 0; a[j] != 0 && k < count; k++)
                t[k] -= a[j] * iteration[(size_t)j * count + k];
        for (uint32_t k = 0; k < count; k++)
            t[k] /= a[i];
    }
}

static double modulus(double real, double imaginary)
{
    return sqrt(real * real + imaginary * imaginary);
}

/* Sorts by descending modulus; conjugate pairs, the upper one first, stay together. */
static void sort_falling(uint32_t count, double *real, double *imaginary)
{
    for (uint32_t i = 1; i < count; i++) {
        double x = real[i], y = imaginary[i], size = modulus(x, y);
        uint32_t at = i;
        for (; at > 0 && modulus(real[at - 1], imaginary[at - 1]) < size; at--) {
            real[at] = real[at - 1];
            imaginary[at] = imaginary[at - 1];
        }
        real[at] = x;
        imaginary[at] = y;
    }
}

/* The largest modulus without the `ones` values nearest to 1. `distance` is overwritten. */
static double rate_without(uint32_t count, const double *real, const double *imaginary, uint32_t ones, double *distance)
{
    double rate = 0;
    for (uint32_t i = 0; i < count; i++)
        distance[i] = modulus(real[i] - 1, imaginary[i]);
    for (uint32_t taken = 0; taken < ones; taken++) {
        uint32_t nearest = 0;
        for (uint32_t i = 1; i < count; i++)
            nearest = distance[i] < distance[nearest] ? i : nearest;
        distance[nearest] = HUGE_VAL;
    }
    for (uint32_t i = 0; i < count; i++)
        if (distance[i] < HUGE_VAL && modulus(real[i], imaginary[i]) > rate)
            rate = modulus(real[i], imaginary[i]);
    return rate;
}

/* ---- all of it ---- */

/* `work` has room for a matrix and two rows. False when an iteration did not end. */
static bool analyse(ash_spectrum *s, double *work)
{
    uint32_t n = s->row_count;
    size_t entries = (size_t)n * n;
    double *rows = work + entries;
    memcpy(work, s->matrix, entries * sizeof *work);
    scale(n, work, rows);
    s->rank = count_pivots(n, work, rows);
    memcpy(work, s->matrix, entries * sizeof *work);
    if (!ashi_eigenvalues_symmetric(n, work, s->values, rows))
        return false;
    make_iteration(n, s->matrix, work);
    if (!ashi_eigenvalues_general(n, work, s->real, s->imaginary, rows))
        return false;
    sort_falling(n, s->real, s->imaginary);
    s->radius = n > 0 ? modulus(s->real[0], s->imaginary[0]) : 0;
    s->rate = rate_without(n, s->real, s->imaginary, n - s->rank, rows);
    return true;
}

static ash_status begin(const ashi_system *problem, ash_spectrum *s, ash_diagnostic *diagnostic)
{
    dense_row *rows = ashi_alloc_array(problem->row_count, sizeof *rows);
    if (rows == NULL)
        return ashi_out_of_memory(diagnostic);
    s->row_count = gather_rows(problem, rows);
    s->left_out = problem->row_count - s->row_count;
    s->matrix = ashi_alloc_array((size_t)s->row_count * s->row_count, sizeof *s->matrix);
    s->values = ashi_alloc_array(s->row_count, sizeof *s->values);
    s->real = ashi_alloc_array(s->row_count, sizeof *s->real);
    s->imaginary = ashi_alloc_array(s->row_count, sizeof *s->imaginary);
    bool good = s->matrix != NULL && s->values != NULL && s->real != NULL && s->imaginary != NULL;
    if (good)
        fill_matrix(rows, s->row_count, s->matrix);
    ashi_dealloc(rows);
    return good ? ASH_OK : ashi_out_of_memory(diagnostic);
}

static ash_status check(double regularization, ash_diagnostic *diagnostic)
{
    if (!(isfinite(regularization) && regularization >= 0)) {
        ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "spectrum.value", "the regularization is %g", regularization);
        ashi_expect(diagnostic, "a finite number of at least 0");
        return ASH_BAD_ARGUMENT;
    }
    return ASH_OK;
}

static ash_status check_size(const ashi_system *problem, ash_diagnostic *diagnostic)
{
    if (problem->row_count > ASH_SPECTRUM_ROWS) {
        ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "spectrum.size", "the problem has %u rows: too many for a dense matrix",
                  problem->row_count);
        ashi_expect(diagnostic, "at most %d", ASH_SPECTRUM_ROWS);
        return ASH_BAD_ARGUMENT;
    }
    return ASH_OK;
}

ash_status ashi_system_spectrum(const ashi_system *expanded, double regularization, bool diagonal_scaling,
                                ash_spectrum *spectrum, ash_diagnostic *diagnostic)
{
    ash_spectrum s = {0};
    *spectrum = s;
    ash_status status = check(regularization, diagnostic);
    if (status == ASH_OK)
        status = check_size(expanded, diagnostic);
    if (status == ASH_OK)
        status = begin(expanded, &s, diagnostic);
    double *work = NULL;
    if (status == ASH_OK) {
        work = ashi_alloc_array((size_t)s.row_count * s.row_count + 2u * (size_t)s.row_count, sizeof *work);
        status = work != NULL ? ASH_OK : ashi_out_of_memory(diagnostic);
    }
    if (status == ASH_OK) {
        if (diagonal_scaling)
            scale(s.row_count, s.matrix, work);
        for (uint32_t i = 0; i < s.row_count; i++)
            s.matrix[(size_t)i * s.row_count + i] += regularization;
        if (!analyse(&s, work))
            status = ashi_fail(diagnostic, ASH_NUMERICS, "spectrum.numerics",
                               "the eigenvalues of %u rows could not be found", s.row_count);
    }
    ashi_dealloc(work);
    if (status == ASH_OK)
        *spectrum = s;
    else
        ash_spectrum_release(&s);
    return status;
}

ash_status ash_problem_spectrum(const ash_problem *problem, double regularization, bool diagonal_scaling,
                                ash_spectrum *spectrum, ash_diagnostic *diagnostic)
{
    if (problem == NULL || spectrum == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "spectrum.null",
                         "the problem or the place for the spectrum is null");
    *spectrum = (ash_spectrum){0};
    ashi_system expanded = {0};
    ash_status status = ash_problem_check(problem, diagnostic);
    if (status == ASH_OK && !ashi_system_by_rows(&expanded, problem))
        status = ashi_out_of_memory(diagnostic);
    if (status == ASH_OK)
        status = ashi_system_spectrum(&expanded, regularization, diagonal_scaling, spectrum, diagnostic);
    ashi_system_release(&expanded);
    return status;
}

void ash_spectrum_release(ash_spectrum *spectrum)
{
    if (spectrum == NULL)
        return;
    ashi_dealloc(spectrum->matrix);
    ashi_dealloc(spectrum->values);
    ashi_dealloc(spectrum->real);
    ashi_dealloc(spectrum->imaginary);
    *spectrum = (ash_spectrum){0};
}
