/* Output of pair functions. */
#ifndef ASHI_COLLIDE_APPEND_H
#define ASHI_COLLIDE_APPEND_H

#include "collide/manifold.h"

/* A new manifold without points, or null when memory ran out. */
static inline ashi_manifold *ashi_append_manifold(ashi_manifolds *manifolds, ash_vec3 normal)
{
    if (!ashi_array_extend(manifolds))
        return NULL;
    ashi_manifold *m = &manifolds->data[manifolds->count - 1];
    m->normal = normal;
    m->part_a = m->part_b = m->count = 0;
    return m;
}

/* A manifold of one point. */
static inline bool ashi_append_point(ashi_manifolds *manifolds, ash_vec3 normal, ash_vec3 on_a, double depth)
{
    ashi_manifold *m = ashi_append_manifold(manifolds, normal);
    if (m == NULL)
        return false;
    m->points[m->count++] = (ashi_manifold_point){on_a, depth, 1};
    return true;
}

#endif
