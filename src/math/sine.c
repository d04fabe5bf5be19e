/* Sine and cosine.
 *
 * The argument is written as n pi/2 + r with |r| <= pi/4 and r as a sum of two doubles; the Taylor polynomial of r to
 * the 17th degree (sine) or 16th (cosine) leaves less than 1e-18, so the coefficients are plain inverse factorials. Two
 * reductions: up to 1e6 by subtracting pi/2 in four parts, whose products with n are exact (Cody and Waite 1980);
 * beyond, by the bits of 2/pi that matter, in integers (Payne and Hanek 1983). Constants:
 * tools/elementary_constants.py.
 */
#include "math/elementary.h"
#include "math/exact.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define HALF_PI_HIGH 0x1.921fb54442d18p+0
#define HALF_PI_LOW  0x1.1a62633145c07p-54

typedef struct reduced {
    exact_pair r;
    unsigned quadrant; /* n modulo 4 */
} reduced;

static reduced reduce_moderate(double x)
{
    /* Adding 1.5 * 2^52 rounds to an integer, whose lowest bits are then those of the sum. */
    const double shift = 0x1.8p+52;
    double shifted = x * 0x1.45f306dc9c883p-1 + shift;
    double n = shifted - shift;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    exact_pair first = exact_sum(x - n * 0x1.921fb544p+0, -n * 0x1.0b4611a6p-34);
    exact_pair second = exact_sum(first.high, -n * 0x1.3198a2ep-69);
    double rest = (first.low + second.low) - n * 0x1.b839a252049c1p-104;
    return (reduced){exact_sum_ordered(second.high, rest), (unsigned)bits & 3};
}

/* 2/pi in words of 32 bits after the point: as many as the largest double needs. */
static const uint32_t two_over_pi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046};

enum { FACTOR_WORDS = 7, PRODUCT_WORDS = FACTOR_WORDS + 2 };

/* 32 bits of a number, from the given bit upwards; its lowest word comes first. */
static uint32_t bits_from(const uint32_t *words, int bit)
{
    int word = bit / 32, offset = bit % 32;
    uint64_t low = words[word], high = word + 1 < PRODUCT_WORDS ? words[word + 1] : 0;
    return (uint32_t)((high << 32 | low) >> offset);
}

/* The product of a 53-bit integer and the words of 2/pi from `first` on. */
static void multiply_words(uint64_t integer, int first, uint32_t *product)
{
    memset(product, 0, PRODUCT_WORDS * sizeof *product);
    for (int half = 0; half < 2; half++) {
        uint64_t factor = half == 0 ? integer & UINT32_MAX : integer >> 32, carry = 0;
        for (int i = 0; i < FACTOR_WORDS; i++) {
            uint64_t sum = factor * two_over_pi[first + FACTOR_WORDS - 1 - i] + product[i + half] + carry;
            product[i + half] = (uint32_t)sum;
            carry = sum >> 32;
        }
        product[FACTOR_WORDS + half] = (uint32_t)carry;
    }
}

/* Argument reduction for x >= 2^2. */
static reduced reduce_large(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1075; /* x = integer * 2^exponent */
    uint64_t integer = (bits & 0xfffffffffffff) | 0x10000000000000;

    /* Words before the first one add multiples of 4 to x 2/pi and are left out. */
    int first = exponent > 2 ? (exponent - 2) / 32 : 0;
    uint32_t product[PRODUCT_WORDS];
    multiply_words(integer, first, product);
    int point = 32 * (first + FACTOR_WORDS) - exponent; /* bits after the point */
    unsigned quadrant = bits_from(product, point) & 3;

    /* The fraction, or, when it is above a half, the fraction minus one (up to 2^-160). */
    uint32_t fraction[5];
    for (int i = 0; i < 5; i++)
        fraction[i] = bits_from(product, point - 32 * (i + 1));
    double unit = 0x1p-32;
    uint32_t flip = 0;
    if (fraction[0] >> 31 != 0) {
        quadrant = (quadrant + 1) & 3;
        unit = -unit;
        flip = UINT32_MAX;
    }
    exact_pair turn = {0, 0}; /* in quarter turns */
    for (int i = 0; i < 5; i++, unit *= 0x1p-32) {
        exact_pair sum = exact_sum(turn.high, (double)(fraction[i] ^ flip) * unit);
        turn = (exact_pair){sum.high, turn.low + sum.low};
    }
    exact_pair r = exact_product(turn.high, HALF_PI_HIGH);
    r.low += turn.high * HALF_PI_LOW + turn.low * HALF_PI_HIGH;
    return (reduced){exact_sum_ordered(r.high, r.low), quadrant};
}

static reduced reduce(double x)
{
    double size = fabs(x);
    if (size <= 0.785)
        return (reduced){{x, 0}, 0};
    if (size <= 1e6)
        return reduce_moderate(x);
    if (!isfinite(x)) {
        double nan = x - x;
        return (reduced){{nan, nan}, 0};
    }
    reduced result = reduce_large(size);
    if (x < 0)
        result = (reduced){{-result.r.high, -result.r.low}, (4 - result.quadrant) & 3};
    return result;
}

/* sin r = r - r^3/3! + ... and cos r = 1 - r^2/2 + ...; the low part of r enters with the derivative. Terms are added
 * in pairs, which shortens the chain of dependent operations. */
static double sine_of_reduced(exact_pair r)
{
    double x = r.high, z = x * x, z2 = z * z;
    if (fabs(x) < 0x1p-27)
        return x; /* keeps the sign of zero; the cube is below the last place */
    double a = -1 / 6.0 + z * (1 / 120.0), b = -1 / 5040.0 + z * (1 / 362880.0);
    double c = -1 / 39916800.0 + z * (1 / 6227020800.0), d = -1 / 1307674368000.0 + z * (1 / 355687428096000.0);
    double sum = (a + z2 * b) + z2 * z2 * (c + z2 * d);
    return x + (x * z * sum + r.low * (1 - 0.5 * z));
}

static double cosine_of_reduced(exact_pair r)
{
    double x = r.high, z = x * x, z2 = z * z;
    double a = 1 / 24.0 - z * (1 / 720.0), b = 1 / 40320.0 - z * (1 / 3628800.0);
    double c = 1 / 479001600.0 - z * (1 / 87178291200.0), d = 1 / 20922789888000.0;
    double sum = (a + z2 * b) + z2 * z2 * (c + z2 * d);
    exact_pair start = exact_sum_ordered(1, -0.5 * z);
    return start.high + (start.low + (z2 * sum - x * r.low));
}

double ashi_sin(double x)
{
    reduced a = reduce(x);
    double value = a.quadrant & 1 ? cosine_of_reduced(a.r) : sine_of_reduced(a.r);
    return a.quadrant & 2 ? -value : value;
}

double ashi_cos(double x)
{
    reduced a = reduce(x);
    double value = a.quadrant & 1 ? sine_of_reduced(a.r) : cosine_of_reduced(a.r);
    return (a.quadrant + 1) & 2 ? -value : value;
}

void ashi_sincos(double x, double *sine, double *cosine)
{
    reduced a = reduce(x);
    double s = sine_of_reduced(a.r), c = cosine_of_reduced(a.r);
    double along = a.quadrant & 1 ? c : s, across = a.quadrant & 1 ? s : c;
    *sine = a.quadrant & 2 ? -along : along;
    *cosine = (a.quadrant + 1) & 2 ? -across : across;
}
