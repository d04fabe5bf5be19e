/* Seeded random numbers: the same sequence everywhere (SplitMix64, Steele et al. 2014). */
#ifndef ASHI_BASE_RANDOM_H
#define ASHI_BASE_RANDOM_H

#include <stdint.h>

typedef struct ashi_random {
    uint64_t state; /* any value is a valid seed */
} ashi_random;

static inline uint64_t ashi_random_bits(ashi_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* In [0, 1). */
static inline double ashi_random_unit(ashi_random *random)
{
    return (double)(ashi_random_bits(random) >> 11) * 0x1p-53;
}

/* In [low, high). */
static inline double ashi_random_range(ashi_random *random, double low, double high)
{
    double value = low + (high - low) * ashi_random_unit(random);
    return value < high ? value : low; /* the sum may round up to high */
}

/* In [0, count), with negligible bias for small counts. */
static inline uint32_t ashi_random_below(ashi_random *random, uint32_t count)
{
    return (uint32_t)(((ashi_random_bits(random) >> 32) * (uint64_t)count) >> 32);
}

#endif
