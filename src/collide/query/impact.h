/* When moving geometries first touch: time of impact with rotation, and casts, which are its case without.
 *
 * Between two convex sets with a separating direction n at time t the gap along n after s more is at least
 *     L(s) = n.(c_b - c_a) + s n.(v_b - v_a) - S_a(n + s n x w_a) - S_b(-n - s n x w_b) - s^2 (K_a + K_b) / 2,
 * with centres c, their velocities v, angular velocities w, support functions S about the centres, and
 * K = |w| |n x w| r, which bounds the second derivative of n.x(t) for points within r of the centre. L is concave, so
 * that time until L falls to the target separation is safe. The search goes there, finds n again, and so on: no impact
 * is ever passed (conservative advancement after Mirtich 1996, with bounds of second order). */
#ifndef ASHI_COLLIDE_QUERY_IMPACT_H
#define ASHI_COLLIDE_QUERY_IMPACT_H

#include "ashlar/query.h"
#include "collide/query/closest.h"

typedef struct ashi_toi {
    double time;                /* 0: at the start already */
    ashi_pair_distance closest; /* at that time, in the world */
    uint32_t iterations;        /* of all pairs of convex sets that were looked at */
    bool converged;             /* false: the search ended early, at a time before the impact, if there is one */
} ashi_toi;

/* The first time in [0, time] at which the distance is at most `tolerance` (m, above 0): at the time found it lies
 * between half of it and all of it, unless it was less at the start, where the time is 0. Touching counts as an impact
 * even when the two part. False: no impact, or a pair without a distance. No allocation; arguments are finite,
 * rotations unit. */
bool ashi_first_impact(const ash_sweep *a, const ash_sweep *b, double time, double tolerance, ashi_toi *result);

/* The first t in [0, reach] (reach may be infinite) at which `moving`, whose frame goes along the ray from `rotation`,
 * touches `target` at its pose. Exact except for rounding, which `closest` at that t shows; a is the moving one. */
bool ashi_cast(const ash_geometry *moving, ash_quat rotation, ash_ray ray, const ash_geometry *target,
               ash_transform pose, ashi_toi *result);

/* What time of impact and casts share: a sweep's pose at a time. */
ash_transform ashi_sweep_pose(const ash_sweep *sweep, double time);

#endif
