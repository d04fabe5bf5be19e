/* Groups of numbered things that are joined in pairs (union-find with path halving). `parent` leads from each to
 * another of its group; the first of a group is its own parent. */
#ifndef ASHI_BASE_GROUPS_H
#define ASHI_BASE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

/* Makes each thing a group of its own. */
static inline void ashi_groups_begin(uint32_t *parent, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        parent[i] = i;
}

/* The lowest number of the group that i is in. */
static inline uint32_t ashi_group_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Unites the groups of a and b. False: they were one already. */
static inline bool ashi_groups_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = ashi_group_of(parent, a);
    b = ashi_group_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
    return a != b;
}

/* The same while other threads join groups. The parents depend on the order of threads; the resulting groups and their
 * lowest numbers do not. */
static inline uint32_t ashi_group_of_shared(uint32_t *parent, uint32_t i)
{
    for (;;) {
        uint32_t next = __atomic_load_n(&parent[i], __ATOMIC_RELAXED);
        if (next == i)
            return i;
        uint32_t after = __atomic_load_n(&parent[next], __ATOMIC_RELAXED);
        if (after != next)
            __atomic_store_n(&parent[i], after, __ATOMIC_RELAXED); /* only the first of a group is its own parent */
        i = after;
    }
}

static inline void ashi_groups_join_shared(uint32_t *parent, uint32_t a, uint32_t b)
{
    for (;;) {
        a = ashi_group_of_shared(parent, a);
        b = ashi_group_of_shared(parent, b);
        if (a == b)
            return;
        uint32_t low = a < b ? a : b, high = a < b ? b : a;
        uint32_t own = high;
        if (__atomic_compare_exchange_n(&parent[high], &own, low, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return;
    }
}

#endif
