/* Two doubles side by side: they fit a vector register of any 64-bit machine. Sums are formed lane by lane and then
 * across lanes, so that the bits are the same on every machine. */
#ifndef ASHI_MATH_PAIR_H
#define ASHI_MATH_PAIR_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef double ashi_double_pair __attribute__((vector_size(16)));

static inline ashi_double_pair pair_load(const double *from)
{
    ashi_double_pair p;
    memcpy(&p, from, sizeof p);
    return p;
}

static inline void pair_store(double *to, ashi_double_pair p)
{
    memcpy(to, &p, sizeof p);
}

static inline ashi_double_pair pair_of(double both)
{
    return (ashi_double_pair){both, both};
}

/* Comparisons of pairs give masks: -1 or 0 in each lane. */
typedef long long ashi_pair_mask __attribute__((vector_size(16)));

static inline double pair_sum(ashi_double_pair p)
{
    return p[0] + p[1];
}

#endif
