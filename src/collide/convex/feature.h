/* The numbers of contact features of polyhedra. They name what meets: a vertex of a on b, a vertex of b on a, or an
 * edge of each. Which face served as the reference does not enter, so that two nearly parallel faces may take turns. */
#ifndef ASHI_COLLIDE_CONVEX_FEATURE_H
#define ASHI_COLLIDE_CONVEX_FEATURE_H

#include <stdint.h>

/* The closest points where features say nothing: a manifold has one of these at most. */
#define ASHI_FEATURE_NEAREST 1u

enum { ASHI_FEATURE_VERTEX_OF_A = 1, ASHI_FEATURE_VERTEX_OF_B = 2, ASHI_FEATURE_EDGES = 3 };

/* `a` and `b` are numbers of vertices or edges; the one that has no part is 0. Numbers from 2^15 on wrap around. */
static inline uint32_t ashi_feature_number(uint32_t kind, uint32_t a, uint32_t b)
{
    return kind << 30 | (a & 0x7fff) << 15 | (b & 0x7fff);
}

#endif
