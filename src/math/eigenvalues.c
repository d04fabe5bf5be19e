/* Eigenvalues of dense real matrices (Golub and Van Loan, 7.4-7.5 and 8.3).
 *
 * Symmetric: Householder reflections to a tridiagonal matrix, then implicit QL steps with Wilkinson's shift. General:
 * balancing by powers of two so that rows and columns are of similar size, reflections to Hessenberg form, then
 * Francis' double steps, which stay real even if their two shifts are a conjugate pair; blocks that a negligible
 * subdiagonal entry splits off are solved separately. Since only eigenvalues are wanted, a step touches nothing outside
 * its active block.
 *
 * The largest entry is first brought near 1 by a power of two, which changes no other bit. */
#include "math/eigenvalues.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS_EACH 60     /* the most steps for one eigenvalue, on average; two or three are usual */
#define STUCK      10     /* steps without progress after which other shifts are tried */
#define NOTHING    1e-140 /* of the largest entry: squares of smaller numbers would lose digits */

/* The power of two of a number's size: 1 for 0. */
static double power_of_two(double x)
{
    double power = 1;
    if (!(x > 0))
        return power;
    while (power * 2 <= x)
        power *= 2;
    while (power > x)
        power /= 2;
    return power;
}

/* The largest entry; NaN when one is NaN. */
static double largest_entry(uint32_t count, const double *matrix)
{
    double largest = 0;
    for (uint64_t i = 0; i < (uint64_t)count * count; i++)
        if (!(fabs(matrix[i]) <= largest) && !isnan(largest))
            largest = fabs(matrix[i]);
    return largest;
}

/* The root of the sum of squares. */
static double length_of(uint32_t count, const double *matrix)
{
    double sum = 0;
    for (uint64_t i = 0; i < (uint64_t)count * count; i++)
        sum += matrix[i] * matrix[i];
    return sqrt(sum);
}

/* Brings the largest entry near 1; returns the factor by which to multiply the eigenvalues, 0 when an entry is not
 * finite. */
static double bring_near_one(uint32_t count, double *matrix)
{
    double largest = largest_entry(count, matrix);
    if (!isfinite(largest))
        return 0;
    double scale = power_of_two(largest);
    for (uint64_t i = 0; scale != 1 && i < (uint64_t)count * count; i++)
        matrix[i] /= scale;
    return scale;
}

static double rounding_of(double size)
{
    return size > NOTHING ? DBL_EPSILON * size : NOTHING;
}

/* Makes x into the vector v of the reflection 1 - beta v v^T that takes it to (alpha, 0, ..., 0), with v_0 = 1. Returns
 * beta; 0: x lies along the first axis already. */
static double reflect(uint32_t count, double *x, double *alpha)
{
    double rest = 0, head = x[0];
    for (uint32_t i = 1; i < count; i++)
        rest += x[i] * x[i];
    *alpha = head;
    if (!(rest > NOTHING * NOTHING))
        return 0;
    double length = sqrt(head * head + rest);
    *alpha = head > 0 ? -length : length; /* no cancellation in x_0 - alpha */
    double first = head - *alpha;
    x[0] = 1;
    for (uint32_t i = 1; i < count; i++)
        x[i] /= first;
    return 2 / (1 + rest / (first * first));
}

/* ---- symmetric ---- */

/* The lower triangle's block behind row k becomes (1 - beta v v^T) A (1 - beta v v^T), a change of rank two. */
static void reflect_both_sides(uint32_t count, double *matrix, uint32_t k, const double *v, double beta, double *w)
{
    uint32_t first = k + 1, size = count - first;
    double along = 0;
    for (uint32_t i = 0; i < size; i++)
        w[i] = 0;
    for (uint32_t i = 0; i < size; i++) {
        const double *row = matrix + (size_t)(first + i) * count + first;
        double sum = 0;
        for (uint32_t j = 0; j < i; j++) {
            sum += row[j] * v[j];
            w[j] += row[j] * v[i];
        }
        w[i] += sum + row[i] * v[i];
    }
    for (uint32_t i = 0; i < size; i++) {
        w[i] *= beta;
        along += w[i] * v[i];
    }
    for (uint32_t i = 0; i < size; i++)
        w[i] -= 0.5 * beta * along * v[i];
    for (uint32_t i = 0; i < size; i++) {
        double *row = matrix + (size_t)(first + i) * count + first;
        for (uint32_t j = 0; j <= i; j++)
            row[j] -= v[i] * w[j] + w[i] * v[j];
    }
}

/* Computes diagonal and side (side[i] is between diagonal[i] and [i + 1]) of the tridiagonal matrix. The upper triangle
 * serves as working memory: row k keeps v. */
static void make_tridiagonal(uint32_t count, double *matrix, double *diagonal, double *side)
{
    for (uint32_t k = 0; k + 1 < count; k++) {
        double *v = matrix + (size_t)k * count + k + 1, alpha;
        for (uint32_t i = k + 1; i < count; i++)
            v[i - k - 1] = matrix[(size_t)i * count + k];
        double beta = reflect(count - k - 1, v, &alpha);
        if (beta != 0)
            reflect_both_sides(count, matrix, k, v, beta, diagonal + k + 1);
        side[k] = alpha;
        diagonal[k] = matrix[(size_t)k * count + k];
    }
    diagonal[count - 1] = matrix[(size_t)count * count - 1];
}

/* One implicit QL step on the block from `first` to `last`. */
static void turn_tridiagonal(uint32_t first, uint32_t last, double *diagonal, double *side)
{
    double half = (diagonal[first + 1] - diagonal[first]) / (2 * side[first]), far = sqrt(half * half + 1);
    double g = diagonal[last] - diagonal[first] + side[first] / (half + (half >= 0 ? far : -far));
    double s = 1, c = 1, p = 0;
    for (uint32_t i = last; i-- > first;) {
        double f = s * side[i], b = c * side[i], r = sqrt(f * f + g * g);
        side[i + 1] = r;
        if (r == 0) { /* the block splits */
            diagonal[i + 1] -= p;
            side[last] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = diagonal[i + 1] - p;
        r = (diagonal[i] - g) * s + 2 * c * b;
        p = s * r;
        diagonal[i + 1] = g + p;
        g = c * r - b;
    }
    diagonal[first] -= p;
    side[first] = g;
    side[last] = 0;
}

/* Compared with its neighbours, or with the rounding error of the whole matrix: repeated eigenvalues, above all zeros,
 * leave blocks that contain nothing but rounding errors. */
static bool is_negligible(double side, double a, double b, double rounding)
{
    return fabs(side) <= rounding || fabs(side) <= DBL_EPSILON * (fabs(a) + fabs(b));
}

static bool solve_tridiagonal(uint32_t count, double *diagonal, double *side)
{
    double largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        double row = fabs(diagonal[i]) + (i + 1 < count ? fabs(side[i]) : 0);
        largest = row > largest ? row : largest;
    }
    double rounding = rounding_of(largest);
    for (uint32_t first = 0; first < count; first++)
        for (uint32_t step = 0;; step++) {
            uint32_t last = first;
            while (last + 1 < count && !is_negligible(side[last], diagonal[last], diagonal[last + 1], rounding))
                last++;
            if (last == first)
                break;
            if (step == STEPS_EACH)
                return false;
            turn_tridiagonal(first, last, diagonal, side);
        }
    return true;
}

/* Heap sort: needs no memory and gives the same order on every machine. */
static void sift(double *values, uint32_t root, uint32_t count)
{
    double held = values[root];
    for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && values[child + 1] > values[child])
            child++;
        if (!(values[child] > held))
            break;
        values[root] = values[child];
    }
    values[root] = held;
}

static void sort_ascending(double *values, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;)
        sift(values, i, count);
    for (uint32_t end = count; end-- > 1;) {
        double held = values[0];
        values[0] = values[end];
        values[end] = held;
        sift(values, 0, end);
    }
}

bool ashi_eigenvalues_symmetric(uint32_t count, double *matrix, double *values, double *work)
{
    if (count == 0)
        return true;
    double scale = bring_near_one(count, matrix);
    if (scale == 0)
        return false;
    make_tridiagonal(count, matrix, values, work);
    if (!solve_tridiagonal(count, values, work))
        return false;
    for (uint32_t i = 0; i < count; i++)
        values[i] *= scale;
    sort_ascending(values, count);
    return true;
}

/* ---- any matrix ---- */

static void scale_row_and_column(uint32_t count, double *matrix, uint32_t k, double factor)
{
    for (uint32_t i = 0; i < count; i++)
        if (i != k) {
            matrix[(size_t)k * count + i] /= factor;
            matrix[(size_t)i * count + k] *= factor;
        }
}

/* Scales rows and columns by powers of two until both have about the same sum (Parlett and Reinsch 1969). */
static void balance(uint32_t count, double *matrix)
{
    enum { PASSES_MOST = 20 };
    bool changed = true;
    for (int pass = 0; changed && pass < PASSES_MOST; pass++) {
        changed = false;
        for (uint32_t k = 0; k < count; k++) {
            double row = 0, column = 0;
            for (uint32_t i = 0; i < count; i++)
                if (i != k) {
                    row += fabs(matrix[(size_t)k * count + i]);
                    column += fabs(matrix[(size_t)i * count + k]);
                }
            if (row == 0 || column == 0)
                continue;
            double factor = 1, scaled = column;
            for (; scaled < row / 2; scaled *= 4)
                factor *= 2;
            for (; scaled >= row * 2; scaled /= 4)
                factor /= 2;
            if ((scaled + row) / factor >= 0.95 * (column + row))
                continue;
            scale_row_and_column(count, matrix, k, factor);
            changed = true;
        }
    }
}

/* The block of rows and columns from `first` on becomes (1 - beta v v^T) A, row by row in the order of memory. */
static void reflect_left(uint32_t count, double *matrix, uint32_t first, const double *v, double beta, double *sums)
{
    uint32_t size = count - first;
    memset(sums, 0, size * sizeof *sums);
    for (uint32_t i = 0; i < size; i++) {
        const double *row = matrix + (size_t)(first + i) * count + first;
        for (uint32_t j = 0; j < size; j++)
            sums[j] += v[i] * row[j];
    }
    for (uint32_t i = 0; i < size; i++) {
        double *row = matrix + (size_t)(first + i) * count + first;
        for (uint32_t j = 0; j < size; j++)
            row[j] -= beta * v[i] * sums[j];
    }
}

/* Reflections from both sides; entries that they make zero below the first subdiagonal are set to zero. */
static void make_hessenberg(uint32_t count, double *matrix, double *work)
{
    for (uint32_t k = 0; k + 2 < count; k++) {
        uint32_t first = k + 1, size = count - first;
        double *v = work, alpha;
        for (uint32_t i = 0; i < size; i++)
            v[i] = matrix[(size_t)(first + i) * count + k];
        double beta = reflect(size, v, &alpha);
        matrix[(size_t)first * count + k] = alpha;
        for (uint32_t i = 1; i < size; i++)
            matrix[(size_t)(first + i) * count + k] = 0;
        if (beta == 0)
            continue;
        reflect_left(count, matrix, first, v, beta, work + count);
        for (uint32_t i = 0; i < count; i++) { /* from the right */
            double *row = matrix + (size_t)i * count + first, sum = 0;
            for (uint32_t j = 0; j < size; j++)
                sum += row[j] * v[j];
            for (uint32_t j = 0; j < size; j++)
                row[j] -= beta * sum * v[j];
        }
    }
}

/* The eigenvalues of [a b; c d]. */
static void solve_two(double a, double b, double c, double d, double *real, double *imaginary)
{
    double half = (a - d) / 2, square = half * half + b * c;
    imaginary[0] = imaginary[1] = 0;
    if (square >= 0) {
        double far = half + (half >= 0 ? sqrt(square) : -sqrt(square));
        real[0] = d + far;
        real[1] = far != 0 ? d - b * c / far : real[0];
    } else {
        real[0] = real[1] = d + half;
        imaginary[0] = sqrt(-square);
        imaginary[1] = -imaginary[0];
    }
}

/* Applies the reflection given by v to rows and columns k, k + 1, k + 2 (or two of them) of the active block. */
static void reflect_few(uint32_t count, double *h, uint32_t first, uint32_t last, uint32_t k, double *v, uint32_t size)
{
    double alpha, beta = reflect(size, v, &alpha);
    uint32_t below = k + size < last ? k + size : last;
    if (k > first)
        h[(size_t)k * count + k - 1] = alpha;
    for (uint32_t i = 1; k > first && i < size; i++)
        h[(size_t)(k + i) * count + k - 1] = 0;
    if (beta == 0)
        return;
    for (uint32_t j = k; j <= last; j++) {
        double sum = 0;
        for (uint32_t i = 0; i < size; i++)
            sum += v[i] * h[(size_t)(k + i) * count + j];
        for (uint32_t i = 0; i < size; i++)
            h[(size_t)(k + i) * count + j] -= beta * sum * v[i];
    }
    for (uint32_t i = first; i <= below; i++) {
        double *row = h + (size_t)i * count + k, sum = 0;
        for (uint32_t j = 0; j < size; j++)
            sum += row[j] * v[j];
        for (uint32_t j = 0; j < size; j++)
            row[j] -= beta * sum * v[j];
    }
}

/* Francis' double step on the block from `first` to `last`, at least three rows: the shifts are the eigenvalues of its
 * last two rows or, when these made no progress, exceptional ones. */
static void step_francis(uint32_t count, double *h, uint32_t first, uint32_t last, bool stuck)
{
    const double *low = h + (size_t)last * count, *high = low - count;
    double x = low[last], y = high[last - 1], cross = high[last] * low[last - 1];
    if (stuck) {
        double size = fabs(low[last - 1]) + fabs(high[last - 2]);
        x = y = x + 0.75 * size;
        cross = -0.4375 * size * size;
    }
    const double *a = h + (size_t)first * count + first, *b = a + count, *c = b + count;
    /* The first column of (H - s)(H - s'), divided by its entry b[0], which is not zero; formed from differences, which
     * stay small when all values are nearly the same. */
    double dx = x - a[0], dy = y - a[0];
    double v[3] = {(dx * dy - cross) / b[0] + a[1], b[1] - a[0] - dx - dy, c[1]};
    for (uint32_t k = first; k + 2 <= last; k++) {
        reflect_few(count, h, first, last, k, v, 3);
        for (uint32_t i = 0; i < 3; i++)
            v[i] = k + 1 + i <= last ? h[(size_t)(k + 1 + i) * count + k] : 0;
    }
    reflect_few(count, h, first, last, last - 1, v, 2);
}

/* The first row of the block that ends at `last`. */
static uint32_t find_first(uint32_t count, double *h, uint32_t last, double rounding)
{
    uint32_t first = last;
    for (; first > 0; first--) {
        double *side = h + (size_t)first * count + first - 1;
        double a = h[(size_t)(first - 1) * count + first - 1], b = h[(size_t)first * count + first];
        if (is_negligible(*side, a, b, rounding)) {
            *side = 0;
            break;
        }
    }
    return first;
}

bool ashi_eigenvalues_general(uint32_t count, double *matrix, double *real, double *imaginary, double *work)
{
    if (count == 0)
        return true;
    double scale = bring_near_one(count, matrix);
    if (scale == 0)
        return false;
    balance(count, matrix);
    make_hessenberg(count, matrix, work);
    double rounding = rounding_of(length_of(count, matrix));
    uint32_t step = 0;
    uint64_t steps_left = (uint64_t)STEPS_EACH * count; /* shared by all: a defective eigenvalue takes many */
    for (uint32_t left = count; left > 0;) {
        uint32_t last = left - 1, first = find_first(count, matrix, last, rounding);
        if (first + 1 >= last) {
            const double *low = matrix + (size_t)last * count, *high = low - (first < last ? count : 0);
            real[last] = low[last];
            imaginary[last] = 0;
            if (first < last)
                solve_two(high[first], high[last], low[first], low[last], real + first, imaginary + first);
            left = first;
            step = 0;
        } else if (steps_left-- == 0) {
            return false;
        } else {
            step_francis(count, matrix, first, last, ++step % STUCK == 0);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        real[i] *= scale;
        imaginary[i] *= scale;
    }
    return true;
}
