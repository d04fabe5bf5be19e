/* Sums and products of doubles without loss: the rounded result and what was rounded off (Dekker 1971, Knuth). */
#ifndef ASHI_MATH_EXACT_H
#define ASHI_MATH_EXACT_H

/* The number high + low. */
typedef struct exact_pair {
    double high, low;
} exact_pair;

/* a + b exactly, for any order of magnitude. */
static inline exact_pair exact_sum(double a, double b)
{
    double sum = a + b, of_b = sum - a, of_a = sum - of_b;
    return (exact_pair){sum, (a - of_a) + (b - of_b)};
}

/* a + b exactly where |a| >= |b|. */
static inline exact_pair exact_sum_ordered(double a, double b)
{
    double sum = a + b;
    return (exact_pair){sum, b - (sum - a)};
}

/* The upper 26 bits of a and the rest, so that products of such halves are exact. Needs |a| < 2^996. */
static inline exact_pair exact_halves(double a)
{
    double shifted = 134217729.0 * a; /* 2^27 + 1 */
    double high = shifted - (shifted - a);
    return (exact_pair){high, a - high};
}

/* a b exactly, if nothing overflows or underflows. */
static inline exact_pair exact_product(double a, double b)
{
    exact_pair p = exact_halves(a), q = exact_halves(b);
    double product = a * b;
    return (exact_pair){product, ((p.high * q.high - product) + p.high * q.low + p.low * q.high) + p.low * q.low};
}

#endif
