/* Eigenvalues of dense matrices against closed forms (second differences, roots of unity, companion matrices), against
 * matrices made from their eigenvalues by orthogonal similarity, defective ones within what rounding allows, and, where
 * LAPACK is installed, against that. */
#include "check.h"

#include "base/random.h"
#include "math/eigenvalues.h"

#include <complex.h>
#include <float.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 80 };

/* CMPLX, which clang's headers lack: without products of i and infinities or zeros. */
static double complex complex_of(double real, double imaginary)
{
    double parts[2] = {real, imaginary};
    double complex number;
    memcpy(&number, parts, sizeof number);
    return number;
}

static double *new_matrix(uint32_t count)
{
    double *matrix = calloc((size_t)count * count + 1, sizeof *matrix);
    assert_non_null(matrix);
    return matrix;
}

static void symmetric_values(uint32_t count, const double *matrix, double *values)
{
    double *copy = new_matrix(count), work[MOST];
    memcpy(copy, matrix, (size_t)count * count * sizeof *copy);
    assert_true(ashi_eigenvalues_symmetric(count, copy, values, work));
    free(copy);
}

static void general_values(uint32_t count, const double *matrix, double complex *values)
{
    double *copy = new_matrix(count), real[MOST], imaginary[MOST], work[2 * MOST];
    memcpy(copy, matrix, (size_t)count * count * sizeof *copy);
    assert_true(ashi_eigenvalues_general(count, copy, real, imaginary, work));
    for (uint32_t i = 0; i < count; i++) {
        values[i] = complex_of(real[i], imaginary[i]);
        if (imaginary[i] > 0) /* pairs are side by side and exact conjugates */
            assert_true(i + 1 < count && real[i + 1] == real[i] && imaginary[i + 1] == -imaginary[i]);
    }
    free(copy);
}

/* The largest distance when each expected value takes the nearest one that is left. */
static double distance(uint32_t count, const double complex *found, const double complex *expected)
{
    bool taken[MOST] = {false};
    double largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t best = count;
        for (uint32_t k = 0; k < count; k++)
            if (!taken[k] && (best == count || cabs(found[k] - expected[i]) < cabs(found[best] - expected[i])))
                best = k;
        taken[best] = true;
        largest = fmax(largest, cabs(found[best] - expected[i]));
    }
    return largest;
}

/* matrix <- Q matrix Q^T, Q a product of random reflections. */
static void turn(uint32_t count, double *matrix, ashi_random *random)
{
    double v[MOST], sums[MOST];
    for (int times = 0; times < 4; times++) {
        double length = 0;
        for (uint32_t i = 0; i < count; i++) {
            v[i] = ashi_random_range(random, -1, 1);
            length += v[i] * v[i];
        }
        for (int side = 0; side < 2; side++) {
            for (uint32_t j = 0; j < count; j++) {
                sums[j] = 0;
                for (uint32_t i = 0; i < count; i++)
                    sums[j] += v[i] * (side == 0 ? matrix[i * count + j] : matrix[j * count + i]);
            }
            for (uint32_t i = 0; i < count; i++)
                for (uint32_t j = 0; j < count; j++) {
                    double *entry = side == 0 ? &matrix[i * count + j] : &matrix[j * count + i];
                    *entry -= 2 / length * v[i] * sums[j];
                }
        }
    }
}

static void second_differences(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= 60; count++) {
        double *matrix = new_matrix(count), values[MOST];
        double complex any[MOST], expected[MOST];
        for (uint32_t i = 0; i < count; i++) {
            matrix[i * count + i] = 2;
            if (i > 0)
                matrix[i * count + i - 1] = matrix[(i - 1) * count + i] = -1;
        }
        symmetric_values(count, matrix, values);
        general_values(count, matrix, any);
        for (uint32_t i = 0; i < count; i++) {
            expected[i] = 2 - 2 * cos((i + 1) * acos(-1) / (count + 1));
            assert_near(values[i], creal(expected[i]), 1e-14 * count);
        }
        assert_below(distance(count, any, expected), 1e-13 * count);
        free(matrix);
    }
}

/* Repeated and zero values among them, as in systems with redundant rows. */
static void symmetric_matrices_from_their_values(void **state)
{
    (void)state;
    ashi_random random = {7};
    for (int trial = 0; trial < TRIALS(200) + 20; trial++) {
        uint32_t count = 1 + (uint32_t)(trial % 50);
        double *matrix = new_matrix(count), values[MOST], size = pow(10, ashi_random_range(&random, -8, 8));
        double complex any[MOST], expected[MOST];
        for (uint32_t i = 0; i < count; i++) {
            double value = i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : ashi_random_range(&random, -1, 1);
            matrix[i * count + i] = size * value;
            expected[i] = size * value;
        }
        turn(count, matrix, &random);
        for (uint32_t i = 0; i < count; i++) /* exactly symmetric: the general way sees both triangles */
            for (uint32_t k = 0; k < i; k++)
                matrix[k * count + i] = matrix[i * count + k];
        symmetric_values(count, matrix, values);
        general_values(count, matrix, any);
        assert_below(distance(count, any, expected), 1e-12 * size);
        for (uint32_t i = 0; i < count; i++) {
            any[i] = values[i];
            assert_true(i == 0 || values[i] >= values[i - 1]);
        }
        assert_below(distance(count, any, expected), 2e-14 * size * (10 + count));
        free(matrix);
    }
}

/* Turned blocks [a b; -b a] and real values. */
static void general_matrices_from_their_values(void **state)
{
    (void)state;
    ashi_random random = {8};
    for (int trial = 0; trial < TRIALS(200) + 20; trial++) {
        uint32_t count = 2 + (uint32_t)(trial % 50);
        double *matrix = new_matrix(count), size = pow(10, ashi_random_range(&random, -8, 8));
        double complex any[MOST], expected[MOST];
        uint32_t i = 0;
        for (; i + 1 < count; i += 2) {
            double a = size * ashi_random_range(&random, -1, 1), b = size * ashi_random_range(&random, 0.1, 1);
            matrix[i * count + i] = matrix[(i + 1) * count + i + 1] = a;
            matrix[i * count + i + 1] = b;
            matrix[(i + 1) * count + i] = -b;
            expected[i] = complex_of(a, b);
            expected[i + 1] = complex_of(a, -b);
        }
        if (i < count)
            expected[i] = matrix[i * count + i] = size * 0.5;
        turn(count, matrix, &random);
        general_values(count, matrix, any);
        assert_below(distance(count, any, expected), 1e-13 * size * (10 + count));
        free(matrix);
    }
}

/* Few values, each many times over: what is left when some are found is rounding, and must come apart all the same. */
static void repeated_values(void **state)
{
    (void)state;
    ashi_random random = {12};
    for (int trial = 0; trial < TRIALS(300) + 30; trial++) {
        uint32_t count = 1 + (uint32_t)(trial % MOST), distinct = 1 + (uint32_t)trial % 5;
        double *matrix = new_matrix(count), few[5] = {0, 1};
        double complex any[MOST], expected[MOST];
        for (int i = 2; i < 5; i++)
            few[i] = ashi_random_range(&random, -1, 1);
        for (uint32_t i = 0; i < count; i++)
            expected[i] = matrix[i * count + i] = few[i % distinct];
        turn(count, matrix, &random);
        general_values(count, matrix, any);
        assert_below(distance(count, any, expected), 1e-12);
        free(matrix);
    }
}

/* Wilkinson's polynomials of moderate degree: roots 1 to n, ill-conditioned as they are. */
static void companion_matrices(void **state)
{
    (void)state;
    for (uint32_t count = 2; count <= 9; count++) {
        double *matrix = new_matrix(count), polynomial[MOST] = {1}; /* from the constant term */
        double complex any[MOST], expected[MOST];
        for (uint32_t root = 1; root <= count; root++) {
            for (uint32_t i = root; i > 0; i--)
                polynomial[i] = polynomial[i - 1] - root * polynomial[i];
            polynomial[0] *= -(double)root;
            expected[root - 1] = root;
        }
        for (uint32_t i = 0; i < count; i++) {
            matrix[i * count + count - 1] = -polynomial[i];
            if (i > 0)
                matrix[i * count + i - 1] = 1;
        }
        general_values(count, matrix, any);
        assert_below(distance(count, any, expected), 1e-7);
        if (count <= 5)
            assert_below(distance(count, any, expected), 1e-11);
        free(matrix);
    }
}

/* A cyclic shift: all shifts of the usual kind are zero, and nothing moves without others. */
static void roots_of_unity(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= 40; count++) {
        double *matrix = new_matrix(count);
        double complex any[MOST], expected[MOST];
        for (uint32_t i = 0; i < count; i++) {
            matrix[((i + 1) % count) * count + i] = 1;
            expected[i] = cexp(complex_of(0, 2 * acos(-1) * i / count));
        }
        general_values(count, matrix, any);
        assert_below(distance(count, any, expected), 1e-13);
        free(matrix);
    }
}

/* Jordan's blocks: rounding of size e moves an n-fold value by up to about e^(1/n), and no more. */
static void defective_matrices(void **state)
{
    (void)state;
    ashi_random random = {9};
    for (uint32_t count = 2; count <= 8; count++)
        for (int turned = 0; turned < 2; turned++) {
            double *matrix = new_matrix(count);
            double complex any[MOST], expected[MOST];
            for (uint32_t i = 0; i < count; i++) {
                matrix[i * count + i] = 0.75;
                if (i > 0)
                    matrix[i * count + i - 1] = 1; /* below the diagonal: nothing is solved beforehand */
                expected[i] = 0.75;
            }
            if (turned)
                turn(count, matrix, &random);
            general_values(count, matrix, any);
            assert_below(distance(count, any, expected), 4 * pow(100 * DBL_EPSILON, 1.0 / count));
            double complex sum = 0;
            for (uint32_t i = 0; i < count; i++)
                sum += any[i];
            assert_near(creal(sum), 0.75 * count, 1e-13); /* their mean is well conditioned */
            free(matrix);
        }
}

/* All values are zero, however the ones lie. */
static void nilpotent_matrices(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= 30; count++)
        for (int below = 0; below < 2; below++) {
            double *matrix = new_matrix(count);
            double complex any[MOST];
            for (uint32_t i = 1; i < count; i++)
                matrix[below ? i * count + i - 1 : (i - 1) * count + i] = 1;
            general_values(count, matrix, any);
            double complex sum = 0;
            for (uint32_t i = 0; i < count; i++)
                sum += any[i];
            assert_below(cabs(sum), 1e-14 * count);
            for (uint32_t i = 0; i < count && !below; i++)
                assert_true(any[i] == 0);
            free(matrix);
        }
}

/* Powers of two change exponents, nothing else; so do they of rows against columns. */
static void sizes_do_not_matter(void **state)
{
    (void)state;
    ashi_random random = {10};
    enum { COUNT = 12 };
    static const double sizes[] = {0x1p-1000, 0x1p-400, 0x1p400, 0x1p1000};
    double *matrix = new_matrix(COUNT), *scaled = new_matrix(COUNT), values[MOST], other[MOST];
    double complex any[MOST], again[MOST];
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t k = 0; k <= i; k++)
            matrix[i * COUNT + k] = matrix[k * COUNT + i] = ashi_random_range(&random, -1, 1);
    symmetric_values(COUNT, matrix, values);
    general_values(COUNT, matrix, any);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (uint32_t i = 0; i < COUNT * COUNT; i++)
            scaled[i] = matrix[i] * sizes[s];
        symmetric_values(COUNT, scaled, other);
        general_values(COUNT, scaled, again);
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_true(other[i] == values[i] * sizes[s]);
            assert_true(again[i] == any[i] * sizes[s]);
        }
    }
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t k = 0; k < COUNT; k++)
            scaled[i * COUNT + k] = ldexp(matrix[i * COUNT + k], 20 * ((int)i - (int)k));
    general_values(COUNT, scaled, again);
    assert_below(distance(COUNT, again, any), 1e-12);
    free(matrix);
    free(scaled);
}

static void what_is_not_finite_is_refused(void **state)
{
    (void)state;
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 3; i++) {
        double matrix[4] = {1, bad[i], bad[i], 2}, real[2], imaginary[2], work[4];
        assert_false(ashi_eigenvalues_symmetric(2, matrix, real, work));
        assert_false(ashi_eigenvalues_general(2, matrix, real, imaginary, work));
    }
    double none[1], zero[9] = {0}, real[3], imaginary[3], work[6];
    assert_true(ashi_eigenvalues_symmetric(0, none, none, none));
    assert_true(ashi_eigenvalues_general(0, none, none, none, none));
    assert_true(ashi_eigenvalues_symmetric(3, zero, real, work));
    assert_true(real[0] == 0 && real[2] == 0);
    assert_true(ashi_eigenvalues_general(3, zero, real, imaginary, work));
    assert_true(real[0] == 0 && real[2] == 0 && imaginary[1] == 0);
}

#ifdef TEST_LAPACK
/* Fortran's names and conventions: everything by address, lengths of texts at the end. */
void dgeev_(const char *left, const char *right, const int *n, double *a, const int *lda, double *wr, double *wi,
            double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, int *info,
            size_t left_length, size_t right_length);
void dsyev_(const char *job, const char *part, const int *n, double *a, const int *lda, double *w, double *work,
            const int *lwork, int *info, size_t job_length, size_t part_length);

static void lapack_agrees(void **state)
{
    (void)state;
    ashi_random random = {11};
    for (int trial = 0; trial < TRIALS(200) + 20; trial++) {
        int count = 1 + trial % MOST, one = 1, room = 8 * MOST, info = -1;
        double *matrix = new_matrix((uint32_t)count), *copy = new_matrix((uint32_t)count);
        double real[MOST], imaginary[MOST], values[MOST], theirs[MOST], work[8 * MOST], size = 0;
        double complex any[MOST], expected[MOST];
        double filled = trial % 2 == 0 ? 1 : 0.3; /* or many zeros: blocks, and rows that do nothing */
        for (int i = 0; i < count * count; i++)
            matrix[i] = ashi_random_range(&random, 0, 1) < filled ? ashi_random_range(&random, -1, 1) : 0;
        for (int i = 0; i < count; i++)
            for (int k = 0; k < count; k++)
                copy[k * count + i] = matrix[i * count + k];
        dgeev_("N", "N", &count, copy, &count, real, imaginary, NULL, &one, NULL, &one, work, &room, &info, 1, 1);
        assert_int_equal(info, 0);
        for (int i = 0; i < count; i++)
            expected[i] = complex_of(real[i], imaginary[i]);
        general_values((uint32_t)count, matrix, any);
        /* Those with many zeros have values that are defective, above all 0: sums are not. */
        double complex ours = 0, other = 0;
        for (int i = 0; i < count; i++) {
            ours += any[i] * any[i];
            other += expected[i] * expected[i];
        }
        assert_below(cabs(ours - other), 1e-11);
        if (filled == 1)
            assert_below(distance((uint32_t)count, any, expected), 1e-11);

        for (int i = 0; i < count; i++)
            for (int k = 0; k <= i; k++)
                copy[i * count + k] = copy[k * count + i] = matrix[i * count + k];
        symmetric_values((uint32_t)count, copy, values);
        dsyev_("N", "U", &count, copy, &count, theirs, work, &room, &info, 1, 1);
        assert_int_equal(info, 0);
        for (int i = 0; i < count; i++)
            size = fmax(size, fabs(theirs[i]));
        for (int i = 0; i < count; i++)
            assert_near(values[i], theirs[i], 1e-14 * size * 4);
        free(matrix);
        free(copy);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_differences),
        cmocka_unit_test(symmetric_matrices_from_their_values),
        cmocka_unit_test(general_matrices_from_their_values),
        cmocka_unit_test(repeated_values),
        cmocka_unit_test(companion_matrices),
        cmocka_unit_test(roots_of_unity),
        cmocka_unit_test(defective_matrices),
        cmocka_unit_test(nilpotent_matrices),
        cmocka_unit_test(sizes_do_not_matter),
        cmocka_unit_test(what_is_not_finite_is_refused),
#ifdef TEST_LAPACK
        cmocka_unit_test(lapack_agrees),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
