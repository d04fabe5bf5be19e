/* Sampling of parameters. All of it is the same on every machine: elementary functions are our own. */
#include "app/sweep/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "math/elementary.h"

const char *cli_sampling_name(cli_sampling sampling)
{
    static const char *const names[] = {"latin", "sobol", "random"};
    return sampling < CLI_SAMPLINGS ? names[sampling] : NULL;
}

/* Random bits that belong to these three numbers. */
static uint64_t bits_of(uint64_t seed, uint64_t a, uint64_t b)
{
    ashi_random first = {seed};
    ashi_random second = {ashi_random_bits(&first) ^ (a * 0xd1342543de82ef95u)};
    ashi_random third = {ashi_random_bits(&second) ^ (b * 0xaf251af3b0f025b5u)};
    return ashi_random_bits(&third);
}

/* In (0, 1), never at its ends: the middle of one of 2^52 parts. */
static double unit_of(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

/* Where `index` goes in a permutation of [0, count): a Feistel network of four rounds over the next even power of two,
 * walked until it is inside. */
static uint32_t permuted(uint32_t index, uint32_t count, uint64_t seed, uint32_t dimension)
{
    uint32_t half_bits = 1;
    while (((uint64_t)1 << (2 * half_bits)) < count)
        half_bits++;
    uint32_t mask = ((uint32_t)1 << half_bits) - 1;
    uint64_t place = index;
    do {
        uint32_t left = (uint32_t)(place >> half_bits), right = (uint32_t)place & mask;
        for (uint32_t round = 0; round < 4; round++) {
            uint32_t mixed = left ^ ((uint32_t)bits_of(seed + round, dimension, right) & mask);
            left = right;
            right = mixed;
        }
        place = ((uint64_t)left << half_bits) | right;
    } while (place >= count);
    return (uint32_t)place;
}

/* Primitive polynomials and first direction numbers of the coordinates from the second on: degree, inner coefficients
 * as bits, and m_1 ... m_degree (S. Joe & F. Y. Kuo, SIAM J. Sci. Comput. 30, 2008). */
static const struct {
    uint8_t degree, inner;
    uint8_t m[7];
} sobol[CLI_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

/* The sum, without carry, of the direction numbers v_k = m_k 2^(32 - k) for the bits of the index. */
static uint32_t sobol_bits(uint32_t index, uint32_t dimension)
{
    uint32_t v[32], sum = 0;
    if (dimension == 0) {
        for (int k = 0; k < 32; k++)
            v[k] = (uint32_t)1 << (31 - k);
    } else {
        int degree = sobol[dimension - 1].degree;
        uint32_t inner = sobol[dimension - 1].inner;
        for (int k = 0; k < 32; k++) {
            if (k < degree) {
                v[k] = (uint32_t)sobol[dimension - 1].m[k] << (31 - k);
                continue;
            }
            v[k] = v[k - degree] ^ (v[k - degree] >> degree);
            for (int i = 1; i < degree; i++)
                if ((inner >> (degree - 1 - i)) & 1)
                    v[k] ^= v[k - i];
        }
    }
    for (int k = 0; k < 32; k++)
        if ((index >> k) & 1)
            sum ^= v[k];
    return sum;
}

double cli_sample(cli_sampling sampling, uint64_t seed, uint32_t index, uint32_t count, uint32_t dimension)
{
    double chance = unit_of(bits_of(seed, (uint64_t)dimension << 32 | index, 1));
    if (sampling == CLI_SAMPLE_LATIN)
        return (permuted(index, count, seed, dimension) + chance) / count;
    if (sampling == CLI_SAMPLE_SOBOL) {
        uint32_t shift = (uint32_t)bits_of(seed, dimension, 2);
        return ((double)(sobol_bits(index, dimension) ^ shift) + 0.5) * 0x1p-32;
    }
    return chance;
}

/* c[0] + c[1] x + ... */
static double polynomial(const double *c, int count, double x)
{
    double sum = c[count - 1];
    for (int i = count - 2; i >= 0; i--)
        sum = sum * x + c[i];
    return sum;
}

/* The standard normal quantile to 1e-16 (M. J. Wichura, algorithm AS 241, PPND16, 1988). */
static double normal_quantile(double p)
{
    static const double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                               1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                               3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double b[] = {1.0,
                               4.2313330701600911252e+1,
                               6.8718700749205790830e+2,
                               5.3941960214247511077e+3,
                               2.1213794301586595867e+4,
                               3.9307895800092710610e+4,
                               2.8729085735721942674e+4,
                               5.2264952788528545610e+3};
    static const double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                               3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                               2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[] = {1.0,
                               2.05319162663775882187e0,
                               1.67638483018380384940e0,
                               6.89767334985100004550e-1,
                               1.48103976427480074590e-1,
                               1.51986665636164571966e-2,
                               5.47593808499534494600e-4,
                               1.05075007164441684324e-9};
    static const double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                               2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                               2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[] = {1.0,
                               5.99832206555887937690e-1,
                               1.36929880922735805310e-1,
                               1.48753612908506148525e-2,
                               7.86869131145613259100e-4,
                               1.84631831751005468180e-5,
                               1.42151175831644588870e-7,
                               2.04426310338993978564e-15};
    double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        double r = 0.180625 - q * q;
        return q * polynomial(a, 8, r) / polynomial(b, 8, r);
    }
    double r = sqrt(-ashi_ln(q < 0 ? p : 1 - p));
    double tail = r <= 5 ? polynomial(c, 8, r - 1.6) / polynomial(d, 8, r - 1.6)
                         : polynomial(e, 8, r - 5) / polynomial(f, 8, r - 5);
    return q < 0 ? -tail : tail;
}

static const struct {
    const char *name, *numbers;
    int count;
} kinds[CLI_DISTRIBUTIONS] = {
    [CLI_UNIFORM] = {"uniform", "LOW,HIGH", 2},
    [CLI_NORMAL] = {"normal", "MEAN,DEVIATION", 2},
    [CLI_LOG_UNIFORM] = {"loguniform", "LOW,HIGH", 2},
    [CLI_LOG_NORMAL] = {"lognormal", "MEAN,DEVIATION", 2},
    [CLI_TRIANGULAR] = {"triangular", "LOW,MODE,HIGH", 3},
    [CLI_EXPONENTIAL] = {"exponential", "MEAN", 1},
    [CLI_WHOLE_UNIFORM] = {"integer", "LOW,HIGH", 2},
    [CLI_CHOICE] = {"choice", "WORD,WORD,...", 0},
};

/* Up to three numbers with commas between them, up to the ')' that ends the text. */
static int read_numbers(const char *text, double *numbers)
{
    int count = 0;
    for (;;) {
        char number[64];
        size_t length = strcspn(text, ",)");
        if (count == 3 || length >= sizeof number || text[length] == 0)
            return -1;
        snprintf(number, sizeof number, "%.*s", (int)length, text);
        if (!ashi_parse_number(number, &numbers[count++]))
            return -1;
        if (text[length] == ')')
            return text[length + 1] == 0 ? count : -1;
        text += length + 1;
    }
}

static bool is_sensible(const cli_distribution *d)
{
    switch (d->kind) {
    case CLI_UNIFORM:
        return d->a < d->b;
    case CLI_WHOLE_UNIFORM:
        return d->a <= d->b && d->a == floor(d->a) && d->b == floor(d->b) && fabs(d->a) < 1e15 && fabs(d->b) < 1e15;
    case CLI_LOG_UNIFORM:
        return d->a > 0 && d->a < d->b;
    case CLI_TRIANGULAR:
        return d->a <= d->b && d->b <= d->c && d->a < d->c;
    case CLI_EXPONENTIAL:
        return d->a > 0;
    default:
        return d->b >= 0;
    }
}

static bool read_choice(const char *text, cli_distribution *d)
{
    size_t length = strlen(text);
    if (length < 2 || text[length - 1] != ')')
        return false;
    d->count = 1;
    for (size_t i = 0; i + 1 < length; i++) {
        bool empty = text[i] == ',' && (i == 0 || text[i - 1] == ',' || text[i + 1] == ')');
        if (empty || text[i] == '(' || text[i] == ')')
            return false;
        d->count += text[i] == ',';
    }
    return true;
}

bool cli_distribution_read(const char *text, cli_distribution *distribution, const char **words, char *message,
                           unsigned size)
{
    size_t length = strcspn(text, "(");
    for (int kind = 0; kind < CLI_DISTRIBUTIONS; kind++) {
        if (strlen(kinds[kind].name) != length || strncmp(text, kinds[kind].name, length) != 0)
            continue;
        double numbers[3] = {0};
        bool good = text[length] == '(';
        *distribution = (cli_distribution){.kind = (cli_distribution_kind)kind};
        *words = good ? text + length + 1 : NULL;
        if (good && kind == CLI_CHOICE) {
            good = read_choice(*words, distribution);
        } else if (good) {
            good = read_numbers(*words, numbers) == kinds[kind].count;
            distribution->a = numbers[0];
            distribution->b = numbers[1];
            distribution->c = numbers[2];
            good = good && is_sensible(distribution);
        }
        snprintf(message, size, "%s(%s)", kinds[kind].name, kinds[kind].numbers);
        return good;
    }
    unsigned used = 0;
    for (int kind = 0; kind < CLI_DISTRIBUTIONS && used < size; kind++)
        used += (unsigned)snprintf(message + used, size - used, "%s%s(%s)", kind > 0 ? ", " : "", kinds[kind].name,
                                   kinds[kind].numbers);
    return false;
}

double cli_distribution_value(const cli_distribution *d, double u)
{
    double span = d->c - d->a, number;
    switch (d->kind) {
    case CLI_UNIFORM:
        return d->a + (d->b - d->a) * u;
    case CLI_NORMAL:
        return d->a + d->b * normal_quantile(u);
    case CLI_LOG_UNIFORM:
        return ashi_exp(ashi_ln(d->a) + (ashi_ln(d->b) - ashi_ln(d->a)) * u);
    case CLI_LOG_NORMAL:
        return ashi_exp(d->a + d->b * normal_quantile(u));
    case CLI_TRIANGULAR:
        return u * span < d->b - d->a ? d->a + sqrt(u * span * (d->b - d->a))
                                      : d->c - sqrt((1 - u) * span * (d->c - d->b));
    case CLI_EXPONENTIAL:
        return -d->a * ashi_ln(1 - u);
    case CLI_WHOLE_UNIFORM:
        number = d->a + floor(u * (d->b - d->a + 1));
        return number < d->b ? number : d->b;
    default:
        number = floor(u * d->count);
        return number < d->count ? number : d->count - 1;
    }
}
