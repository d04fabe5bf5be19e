/* Arc tangent, arc cosine, exponential and logarithm.
 *
 * Each argument is brought near a point where the function is known to twice the precision of a double, and a Taylor
 * polynomial covers the rest; the coefficients are plain fractions. The constants come from
 * tools/elementary_constants.py. What is rounded off in the leading terms is carried along (exact.h), which keeps the
 * error below one unit in the last place. */
#include "math/elementary.h"
#include "math/exact.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PI_HIGH 0x1.921fb54442d18p+1
#define PI_LOW  0x1.1a62633145c07p-53

#define LN2_HIGH 0x1.62e42ffp-1 /* 32 bits: exact when multiplied by an exponent */
#define LN2_LOW  -0x1.718432a1b0e26p-35

/* 2^n for a normal exponent. */
static double power_of_two(int n)
{
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* x 2^n in two factors, since 2^n may lie outside the range of normal numbers even if the result does not. */
static double times_power_of_two(double x, int n)
{
    return x * power_of_two(n / 2) * power_of_two(n - n / 2);
}

/* The n with 2^n <= x < 2^(n + 1), for positive normal x. */
static int exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52) - 1023;
}

/* atan(i/8) */
static const exact_pair arctan_of_eighths[9] = {
    {0, 0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* base + sign atan(a / b) for 0 <= a <= b, b in about [1/2, 2]; sign is 1 or -1.
 * With c = i/8 next to a/b: atan(a/b) = atan(c) + atan(u), u = (a - c b) / (b + c a), |u| <= 1/16. */
static double arctan_of_quotient(exact_pair a, exact_pair b, double sign, exact_pair base)
{
    int i = (int)(8 * (a.high / b.high) + 0.5);
    double c = i / 8.0;
    exact_pair ah = exact_halves(a.high), bh = exact_halves(b.high);
    /* c times a half is exact; a - c b nearly cancels and is exact in the first step. */
    exact_pair above = exact_sum(a.high - c * bh.high, -c * bh.low);
    exact_pair nearly = exact_sum(b.high, c * ah.high), below = exact_sum(nearly.high, c * ah.low);
    above.low += a.low - c * b.low;
    below.low += nearly.low + (b.low + c * a.low);

    double u = above.high / below.high;
    exact_pair back = exact_product(u, below.high);
    double u_low = (((above.high - back.high) - back.low) + (above.low - u * below.low)) / below.high;

    double z = u * u, z2 = z * z;
    double series = (-1 / 3.0 + z * (1 / 5.0)) + z2 * ((-1 / 7.0 + z * (1 / 9.0)) + z2 * (-1 / 11.0 + z * (1 / 13.0)));
    double small = arctan_of_eighths[i].low + (u_low + u * z * series);
    exact_pair first = exact_sum(base.high, sign * arctan_of_eighths[i].high);
    exact_pair second = exact_sum(first.high, sign * u);
    return second.high + ((first.low + second.low) + (base.low + sign * small));
}

double ashi_atan2(double y, double x)
{
    if (isnan(x) || isnan(y))
        return x + y;
    double ax = fabs(x), ay = fabs(y);
    if (isinf(x) || isinf(y)) { /* along an axis, or along the diagonal when both are infinite */
        ax = isinf(x) ? 1 : 0;
        ay = isinf(y) ? 1 : 0;
    }
    bool backwards = signbit(x), steep = ay > ax;
    double large = steep ? ay : ax, small = steep ? ax : ay, angle;
    if (!steep && !backwards && small <= 0x1p-28 * large) {
        angle = small == 0 ? 0 : small / large; /* atan t = t within t^3/3 */
    } else {
        exact_pair base = steep       ? (exact_pair){PI_HIGH / 2, PI_LOW / 2}
                          : backwards ? (exact_pair){PI_HIGH, PI_LOW}
                                      : (exact_pair){0, 0};
        if (large < 0x1p-1000) { /* perhaps subnormal, or both zero */
            large = large == 0 ? 1 : large * 0x1p+100;
            small *= 0x1p+100;
        }
        int exponent = exponent_of(large);
        exact_pair a = {times_power_of_two(small, -exponent), 0}, b = {times_power_of_two(large, -exponent), 0};
        angle = arctan_of_quotient(a, b, steep == backwards ? 1 : -1, base);
    }
    return signbit(y) ? -angle : angle;
}

double ashi_acos(double x)
{
    if (isnan(x))
        return x;
    if (x >= 1)
        return 0;
    if (x <= -1)
        return PI_HIGH;
    /* The corresponding sine, sqrt(1 - x^2), to twice the precision. */
    exact_pair square = exact_product(x, x);
    exact_pair rest = exact_sum(1 - square.high, -square.low), whole = exact_sum(1, -square.high);
    rest.low += whole.low;
    double s = sqrt(rest.high);
    exact_pair back = exact_product(s, s);
    exact_pair sine = {s, (((rest.high - back.high) - back.low) + rest.low) / (2 * s)};
    exact_pair cosine = {fabs(x), 0};
    if (s > fabs(x))
        return arctan_of_quotient(cosine, sine, x < 0 ? 1 : -1, (exact_pair){PI_HIGH / 2, PI_LOW / 2});
    if (x > 0)
        return arctan_of_quotient(sine, cosine, 1, (exact_pair){0, 0});
    return arctan_of_quotient(sine, cosine, -1, (exact_pair){PI_HIGH, PI_LOW});
}

double ashi_exp(double x)
{
    if (isnan(x) || x > 709.79)
        return x * HUGE_VAL;
    if (x < -745.2)
        return 0;
    /* x = n ln 2 + r, |r| <= 0.35; the series of e^r to the 13th degree leaves 5e-18. */
    double n = floor(x * 0x1.71547652b82fep+0 + 0.5);
    exact_pair r = exact_sum(x - n * LN2_HIGH, -n * LN2_LOW);
    double t = r.high, t2 = t * t, t4 = t2 * t2;
    double a = 1 / 2.0 + t * (1 / 6.0), b = 1 / 24.0 + t * (1 / 120.0), c = 1 / 720.0 + t * (1 / 5040.0);
    double d = 1 / 40320.0 + t * (1 / 362880.0), e = 1 / 3628800.0 + t * (1 / 39916800.0);
    double f = 1 / 479001600.0 + t * (1 / 6227020800.0);
    double series = (a + t2 * b) + t4 * ((c + t2 * d) + t4 * (e + t2 * f));
    exact_pair start = exact_sum_ordered(1, t);
    double value = start.high + (start.low + (t2 * series + r.low * (1 + t)));
    return times_power_of_two(value, (int)n);
}

double ashi_ln(double x)
{
    if (isnan(x) || x < 0)
        return (double)NAN;
    if (x == 0)
        return -HUGE_VAL;
    if (isinf(x))
        return x;
    int shift = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p+54;
        shift = -54;
    }
    /* x = m 2^n with m in [0.70, 1.41], f = m - 1 exactly; ln m = 2 artanh(s), s = f / (2 + f), which is
     * f - (f^2/2 - s (f^2/2 + R)) with R = 2 s^2/3 + 2 s^4/5 + ...; the 23rd power of s is the last that counts. */
    int exponent = exponent_of(x);
    double m = times_power_of_two(x, -exponent);
    if (m > 1.41) {
        m *= 0.5;
        exponent++;
    }
    double n = exponent + shift, f = m - 1, s = f / (2 + f), half_square = 0.5 * f * f;
    double z = s * s, z2 = z * z, z4 = z2 * z2;
    double a = 2 / 3.0 + z * (2 / 5.0), b = 2 / 7.0 + z * (2 / 9.0), c = 2 / 11.0 + z * (2 / 13.0);
    double d = 2 / 15.0 + z * (2 / 17.0), e = 2 / 19.0 + z * (2 / 21.0), g = 2 / 23.0;
    double remainder = z * ((a + z2 * b) + z4 * ((c + z2 * d) + z4 * (e + z2 * g)));
    exact_pair start = exact_sum(n * LN2_HIGH, f);
    return start.high + (start.low - (half_square - (s * (half_square + remainder) + n * LN2_LOW)));
}
