/* Groups of numbered things that are joined two by two (union-find with path halving). `parent` leads from each to
 * another of its group; the first of a group is its own. */
#ifndef ASHI_BASE_GROUPS_H
#define ASHI_BASE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

/* Each is a group by itself. */
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

/* Makes one of the groups of a and b. False: they were one already. */
static inline bool ashi_groups_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = ashi_group_of(parent, a);
    b = ashi_group_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
    return a != b;
}

#endif
