/* Convex sets as queries see them, flat ones included: a core with a radius, from a geometry or from a triangle. */
#ifndef ASHI_COLLIDE_CONVEX_CORE_H
#define ASHI_COLLIDE_CONVEX_CORE_H

#include "collide/convex/convex.h"

typedef struct ashi_core {
    ashi_convex convex; /* of a flat kind: its corners */
    ash_vec3 ends[2];   /* the corners of circles and flat capsules */
    bool flat;
} ashi_core;

/* Whether a geometry is one convex set with a core: every convex kind, solid or flat. */
bool ashi_has_core(const ash_geometry *geometry);
/* Sets up the core of such a geometry. It refers to the geometry and to itself: do not copy it. */
void ashi_core_init(ashi_core *core, const ash_geometry *geometry);
/* The core of a triangle, which must outlive it. */
void ashi_core_init_triangle(ashi_core *core, const ash_vec3 corners[3]);

/* The farthest point of the whole set, radius included, along a unit direction (local frame). */
ash_vec3 ashi_core_support(const ashi_core *core, ash_vec3 direction);

/* The distance from a point of the frame to the farthest point of the set, or an upper bound close to it. */
double ashi_core_reach(const ashi_core *core, ash_vec3 from);

/* Closest points or penetration in the frame of a; both sets are flat or neither. May stop as soon as the distance is
 * known to exceed `enough`: the result is then a lower bound above it, along its normal. `direction` as for GJK. */
ashi_separation ashi_core_separation(const ashi_core *a, const ashi_core *b, ash_transform b_in_a, double enough,
                                     ash_vec3 *direction);

/* The same for two flat sets, by their sides and corners. */
ashi_separation ashi_flat_separation(const ashi_convex *a, const ashi_convex *b, ash_transform b_in_a);

#endif
