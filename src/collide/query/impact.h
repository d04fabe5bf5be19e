/* When moving geometries first touch: time of impact with rotation, and casts, the case without rotation.
 *
 * Between two convex sets with a separating direction n at time t the gap along n after s more is at least
 *     L(s) = n.(c_b - c_a) + s n.(v_b - v_a) - S_a(n + s n x w_a) - S_b(-n - s n x w_b) - s^2 (K_a + K_b) / 2,
 * with centres c, their velocities v, angular velocities w, support functions S about the centres, and
 * K = |w| |n x w| r, which bounds the second derivative of n.x(t) for points within r of the centre. L is concave, so
 * the time until L falls to the target separation is safe. The search advances to it, finds a new n, and repeats: no
 * impact is ever missed (conservative advancement after Mirtich 1996, with bounds of second order). */
#ifndef ASHI_COLLIDE_QUERY_IMPACT_H
#define ASHI_COLLIDE_QUERY_IMPACT_H

#include "ashlar/query.h"
#include "collide/query/closest.h"

typedef struct ashi_toi {
    double time;                /* 0: at the start already */
    ashi_pair_distance closest; /* at that time, in the world */
    uint32_t iterations;        /* of all pairs of convex sets that were tested */
    bool converged;             /* false: the search ended early, at a time before any impact */
} ashi_toi;

/* The first time in [0, time] at which the distance is at most `tolerance` (m, above 0): at the time found the distance
 * is between `tolerance` / 2 and `tolerance`, unless it was less at the start; the time is then 0. Touching counts as
 * an impact even if the two separate. False: no impact, or a pair without a distance. No allocation; arguments are
 * finite, rotations unit. */
bool ashi_first_impact(const ash_sweep *a, const ash_sweep *b, double time, double tolerance, ashi_toi *result);

/* The first t in [0, reach] (reach may be infinite) at which `moving`, whose frame goes along the ray from `rotation`,
 * touches `target` at its pose. Exact up to rounding, which `closest` at that t shows; a is the moving one. */
bool ashi_cast(const ash_geometry *moving, ash_quat rotation, ash_ray ray, const ash_geometry *target,
               ash_transform pose, ashi_toi *result);

/* A sweep's pose at a time. */
ash_transform ashi_sweep_pose(const ash_sweep *sweep, double time);

#endif
