/* Four doubles side by side. A machine with registers for them needs one instruction where others need two: the
 * functions here are inlined into their callers, which are compiled for both. Multiplications are never fused with
 * additions, and sums across lanes have a fixed order, so that the bits are the same. */
#ifndef ASHI_MATH_QUAD_H
#define ASHI_MATH_QUAD_H

#include "math/pair.h"

#include <limits.h>
#include <stdint.h>

/* Quads are never passed across a call, so their calling convention does not matter. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef double ashi_quad __attribute__((vector_size(32)));

/* Comparisons of quads give masks: -1 or 0 in each lane. */
typedef long long ashi_quad_mask __attribute__((vector_size(32)));

#define ASHI_MERGED static inline __attribute__((always_inline))

/* Functions for machines with registers of 32 bytes, and for those with 32 of them. */
#if defined(__x86_64__)
#define ASHI_WIDE   __attribute__((target("avx2")))
#define ASHI_WIDEST __attribute__((target("avx2,avx512f,avx512vl,avx512dq,avx512bw")))
#else
#define ASHI_WIDE
#define ASHI_WIDEST
#endif

/* Whether functions marked ASHI_WIDE can run on this machine. */
static inline bool ashi_machine_is_wide(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return true;
#endif
}

/* The widest functions that can run on this machine: 0 those without a mark, 1 ASHI_WIDE, 2 ASHI_WIDEST. */
#define ASHI_WIDEST_WIDTH 2
static inline uint8_t ashi_machine_width(void)
{
#if defined(__x86_64__)
    bool widest = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    return ashi_machine_is_wide() ? (widest ? 2 : 1) : 0;
#else
    return 1;
#endif
}

ASHI_MERGED ashi_quad quad_load(const double *from)
{
    ashi_quad q;
    memcpy(&q, from, sizeof q);
    return q;
}

ASHI_MERGED void quad_store(double *to, ashi_quad q)
{
    memcpy(to, &q, sizeof q);
}

ASHI_MERGED ashi_quad quad_of(double all)
{
    return (ashi_quad){all, all, all, all};
}

ASHI_MERGED ashi_quad quad_sqrt(ashi_quad q)
{
    return (ashi_quad){sqrt(q[0]), sqrt(q[1]), sqrt(q[2]), sqrt(q[3])};
}

ASHI_MERGED ashi_quad quad_abs(ashi_quad q)
{
    const ashi_quad_mask but_sign = {LLONG_MAX, LLONG_MAX, LLONG_MAX, LLONG_MAX};
    return (ashi_quad)((ashi_quad_mask)q & but_sign);
}

ASHI_MERGED bool quad_any(ashi_quad_mask mask)
{
    ashi_pair_mask half = __builtin_shufflevector(mask, mask, 0, 1) | __builtin_shufflevector(mask, mask, 2, 3);
    return (half[0] | half[1]) != 0;
}

ASHI_MERGED bool quad_all(ashi_quad_mask mask)
{
    ashi_pair_mask half = __builtin_shufflevector(mask, mask, 0, 1) & __builtin_shufflevector(mask, mask, 2, 3);
    return (half[0] & half[1]) != 0;
}

/* q, with 0 in the lanes of the mask. */
ASHI_MERGED ashi_quad quad_where(ashi_quad_mask mask, ashi_quad q)
{
    return (ashi_quad)(mask & (ashi_quad_mask)q);
}

ASHI_MERGED ashi_quad quad_select(ashi_quad_mask mask, ashi_quad chosen, ashi_quad other)
{
    return (ashi_quad)((mask & (ashi_quad_mask)chosen) | (~mask & (ashi_quad_mask)other));
}

ASHI_MERGED double quad_sum(ashi_quad q)
{
    return (q[0] + q[2]) + (q[1] + q[3]);
}

/* Loads the numbers at four addresses. */
ASHI_MERGED ashi_quad quad_gather(const double *const from[4])
{
    return (ashi_quad){*from[0], *from[1], *from[2], *from[3]};
}

ASHI_MERGED ashi_quad quad_join(ashi_double_pair lower, ashi_double_pair upper)
{
    return __builtin_shufflevector(lower, upper, 0, 1, 2, 3);
}

/* Loads two numbers from each of four addresses: `first` receives the first of each. */
ASHI_MERGED void quad_gather_two(const double *const from[4], ashi_quad *first, ashi_quad *second)
{
    ashi_quad even = quad_join(pair_load(from[0]), pair_load(from[2]));
    ashi_quad odd = quad_join(pair_load(from[1]), pair_load(from[3]));
    *first = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    *second = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
}

#endif
