/* The numbers of contact features of polyhedra. They identify what touches: a vertex of a on b, a vertex of b on a, or
 * an edge of each. They do not depend on which face is the reference, so that two nearly parallel faces may
 * alternate. */
#ifndef ASHI_COLLIDE_CONVEX_FEATURE_H
#define ASHI_COLLIDE_CONVEX_FEATURE_H

#include <stdint.h>

/* The closest points if there is no other feature: a manifold has at most one such point. */
#define ASHI_FEATURE_NEAREST 1u

enum { ASHI_FEATURE_VERTEX_OF_A = 1, ASHI_FEATURE_VERTEX_OF_B = 2, ASHI_FEATURE_EDGES = 3 };

/* `a` and `b` are numbers of vertices or edges; the one that is not involved is 0. Numbers from 2^15 on wrap around. */
static inline uint32_t ashi_feature_number(uint32_t kind, uint32_t a, uint32_t b)
{
    return kind << 30 | (a & 0x7fff) << 15 | (b & 0x7fff);
}

#endif
