/* The functions of expressions, with the same bits on every machine: sums, products, quotients and square roots, the
 * functions of math/elementary.h, and functions of libm whose results are exact by definition (fmod, floor, round).
 *
 * A NaN argument gives NaN, also for min, max, sign and clamp. */
#include "scene/expression/operations.h"

#include "base/random.h"
#include "math/elementary.h"

#include <math.h>
#include <string.h>

#define PI 0x1.921fb54442d18p+1

double ashi_modulo(double a, double b)
{
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* A whole power by squaring. */
static double whole_power(double base, uint32_t exponent)
{
    double power = 1;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            power *= base;
        base *= base;
    }
    return power;
}

/* Whole exponents up to 1024 and 0.5 by multiplications and roots. Others as e^(y ln x), whose relative error is about
 * |y ln x| units in the last place. Special values are those of C (Annex F). */
double ashi_power(double base, double exponent)
{
    if (exponent == 0 || base == 1)
        return 1;
    if (isnan(base) || isnan(exponent))
        return base + exponent;
    bool whole = floor(exponent) == exponent;
    if (whole && fabs(exponent) <= 1024) {
        double power = whole_power(base, (uint32_t)fabs(exponent));
        return exponent > 0 ? power : 1 / power;
    }
    if (exponent == 0.5 && base >= 0)
        return base == 0 ? 0 : sqrt(base); /* -0 to the power 0.5 is 0 */
    if (base == -1 && isinf(exponent))
        return 1;
    if (base < 0 && !whole && !isinf(base))
        return (double)NAN;
    if (base == 0 && exponent < 0)
        return HUGE_VAL;
    bool odd = whole && fabs(exponent) < 0x1p53 && fmod(exponent, 2) != 0;
    double power = ashi_exp(exponent * ashi_ln(fabs(base)));
    return base < 0 && odd ? -power : power;
}

/* Below 1/2 the series to x^17, which leaves 1e-21 of it. */
static double sine_hyperbolic(double x)
{
    if (fabs(x) > 0.5) {
        double half = ashi_exp(fabs(x) / 2), value = half * (half / 2) - 0.5 / half / half;
        return x < 0 ? -value : value;
    }
    double z = x * x, sum = 0;
    for (int n = 16; n >= 2; n -= 2) /* Horner's scheme: x (1 + z/6 (1 + z/20 (1 + ...))) */
        sum = z / (n * (n + 1)) * (1 + sum);
    return x + x * sum;
}

static double cosine_hyperbolic(double x)
{
    double half = ashi_exp(fabs(x) / 2);
    return half * (half / 2) + 0.5 / half / half;
}

static double tangent_hyperbolic(double x)
{
    if (fabs(x) > 20) /* 1 - 2 e^-40 */
        return x < 0 ? -1 : 1;
    return sine_hyperbolic(x) / cosine_hyperbolic(x);
}

/* Exact for powers of ten. */
static double decimal_logarithm(double x)
{
    double value = ashi_ln(x) / 0x1.26bb1bbb55516p+1, whole = round(value);
    return fabs(value - whole) < 1e-12 && ashi_power(10, whole) == x ? whole : value;
}

static double hypotenuse(double a, double b)
{
    double large = fmax(fabs(a), fabs(b)), small = fmin(fabs(a), fabs(b));
    if (isinf(large) || large == 0)
        return large;
    double t = small / large;
    return large * sqrt(1 + t * t);
}

/* A pseudo-random number in [0, 1) that depends only on the arguments. */
static double random_number(const double *a, uint32_t count)
{
    uint64_t seed = 0;
    for (uint32_t i = 0; i < count; i++) {
        double number = a[i] + 0.0; /* -0 is 0 */
        uint64_t bits;
        if (isnan(number))
            return number;
        memcpy(&bits, &number, sizeof bits);
        ashi_random mixer = {seed ^ bits};
        seed = ashi_random_bits(&mixer);
    }
    ashi_random random = {seed};
    return ashi_random_unit(&random);
}

static double least(const double *a, uint32_t count)
{
    double value = a[0];
    for (uint32_t i = 1; i < count; i++)
        value = isnan(a[i]) || a[i] < value ? a[i] : value;
    return value;
}

static double greatest(const double *a, uint32_t count)
{
    double value = a[0];
    for (uint32_t i = 1; i < count; i++)
        value = isnan(a[i]) || a[i] > value ? a[i] : value;
    return value;
}

/* One function of one line each: f(a) is its value for the arguments a[0], a[1], ... */
#define FUNCTION(name, value)                                                                                          \
    static double name(const double *a, uint32_t count)                                                                \
    {                                                                                                                  \
        (void)count;                                                                                                   \
        return value;                                                                                                  \
    }
FUNCTION(call_abs, fabs(a[0]))
FUNCTION(call_acos, fabs(a[0]) > 1 ? (double)NAN : ashi_acos(a[0]))
FUNCTION(call_asin, fabs(a[0]) > 1 ? (double)NAN : ashi_atan2(a[0], sqrt((1 - a[0]) * (1 + a[0]))))
FUNCTION(call_atan, ashi_atan2(a[0], 1))
FUNCTION(call_atan2, ashi_atan2(a[0], a[1]))
FUNCTION(call_ceil, ceil(a[0]))
FUNCTION(call_clamp, a[0]<a[1] ? a[1] : a[0]> a[2] ? a[2] : a[0])
FUNCTION(call_cos, ashi_cos(a[0]))
FUNCTION(call_cosh, cosine_hyperbolic(a[0]))
FUNCTION(call_degrees, a[0] * (180 / PI))
FUNCTION(call_exp, ashi_exp(a[0]))
FUNCTION(call_floor, floor(a[0]))
FUNCTION(call_hypot, hypotenuse(a[0], a[1]))
FUNCTION(call_log, ashi_ln(a[0]))
FUNCTION(call_log10, decimal_logarithm(a[0]))
FUNCTION(call_mod, ashi_modulo(a[0], a[1]))
FUNCTION(call_pow, ashi_power(a[0], a[1]))
FUNCTION(call_radians, a[0] * (PI / 180))
FUNCTION(call_round, round(a[0]))
FUNCTION(call_sign, isnan(a[0]) ? a[0] : (a[0] > 0) - (a[0] < 0))
FUNCTION(call_sin, ashi_sin(a[0]))
FUNCTION(call_sinh, sine_hyperbolic(a[0]))
FUNCTION(call_sqrt, sqrt(a[0]))
FUNCTION(call_tan, ashi_sin(a[0]) / ashi_cos(a[0]))
FUNCTION(call_tanh, tangent_hyperbolic(a[0]))
FUNCTION(call_trunc, trunc(a[0]))

const ashi_function ashi_functions[] = {
    {"abs", call_abs, 1, 1},
    {"acos", call_acos, 1, 1},
    {"asin", call_asin, 1, 1},
    {"atan", call_atan, 1, 1},
    {"atan2", call_atan2, 2, 2},
    {"ceil", call_ceil, 1, 1},
    {"clamp", call_clamp, 3, 3},
    {"cos", call_cos, 1, 1},
    {"cosh", call_cosh, 1, 1},
    {"degrees", call_degrees, 1, 1},
    {"exp", call_exp, 1, 1},
    {"floor", call_floor, 1, 1},
    {"hypot", call_hypot, 2, 2},
    {"ln", call_log, 1, 1},
    {"log", call_log, 1, 1},
    {"log10", call_log10, 1, 1},
    {"max", greatest, 1, ASHI_MOST_ARGUMENTS},
    {"min", least, 1, ASHI_MOST_ARGUMENTS},
    {"mod", call_mod, 2, 2},
    {"pow", call_pow, 2, 2},
    {"radians", call_radians, 1, 1},
    {"random", random_number, 1, ASHI_MOST_ARGUMENTS},
    {"round", call_round, 1, 1},
    {"sign", call_sign, 1, 1},
    {"sin", call_sin, 1, 1},
    {"sinh", call_sinh, 1, 1},
    {"sqrt", call_sqrt, 1, 1},
    {"tan", call_tan, 1, 1},
    {"tanh", call_tanh, 1, 1},
    {"trunc", call_trunc, 1, 1},
    {0},
};

const ashi_constant ashi_constants[] = {
    {"e", 0x1.5bf0a8b145769p+1}, {"false", 0}, {"pi", PI}, {"tau", 2 * PI}, {"true", 1}, {0},
};

const char *ashi_expression_function(uint32_t index)
{
    return index < sizeof ashi_functions / sizeof *ashi_functions ? ashi_functions[index].name : NULL;
}

const char *ashi_expression_constant(uint32_t index)
{
    return index < sizeof ashi_constants / sizeof *ashi_constants ? ashi_constants[index].name : NULL;
}
