/* Four doubles side by side. A machine with registers for them does one instruction where others do two: for both, the
 * functions here are made part of their callers, which are compiled twice. No multiplication is merged with a sum, and
 * sums across are made in one order, so that the bits are the same. */
#ifndef ASHI_MATH_QUAD_H
#define ASHI_MATH_QUAD_H

#include "math/pair.h"

/* No quad is ever handed over: how that is done does not matter. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef double ashi_quad __attribute__((vector_size(32)));

/* Comparisons of quads give masks, -1 or 0 by lane. */
typedef long long ashi_quad_mask __attribute__((vector_size(32)));

#define ASHI_MERGED static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define ASHI_WIDE __attribute__((target("avx2")))
#else
#define ASHI_WIDE
#endif

/* Whether functions marked ASHI_WIDE can run here. */
static inline bool ashi_machine_is_wide(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return true;
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

ASHI_MERGED bool quad_all(ashi_quad_mask mask)
{
    return (mask[0] & mask[1] & mask[2] & mask[3]) != 0;
}

/* 0 where the mask is. */
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

/* The same of two. */
ASHI_MERGED ashi_pair quad_two_sums(ashi_quad one, ashi_quad other)
{
    ashi_pair a = (ashi_pair){one[0], one[1]} + (ashi_pair){one[2], one[3]};
    ashi_pair b = (ashi_pair){other[0], other[1]} + (ashi_pair){other[2], other[3]};
    return (ashi_pair){a[0], b[0]} + (ashi_pair){a[1], b[1]};
}

#endif
