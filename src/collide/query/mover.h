/* Moving convex sets, and the first time at which two of them touch (see impact.h for the bound). */
#ifndef ASHI_COLLIDE_QUERY_MOVER_H
#define ASHI_COLLIDE_QUERY_MOVER_H

#include "collide/convex/core.h"
#include "collide/query/impact.h"

/* The deviation from uniform motion: the centre moves by an extra t^2 linear, the rotation is t w + t^2 angular. */
typedef struct ashi_half_acceleration {
    ash_vec3 linear, angular;
} ashi_half_acceleration;

typedef struct ashi_mover {
    const ashi_core *core; /* null for a plane, which does not turn */
    const ash_sweep *sweep;
    double reach;                       /* of the set around the sweep's centre */
    const ashi_half_acceleration *bend; /* null: none */
} ashi_mover;

ashi_mover ashi_mover_of(const ashi_core *core, const ash_sweep *sweep);

/* The goal of a search. */
typedef struct ashi_aim {
    double accept; /* the separation that is an impact; no less than 1e-11 of the sets' sizes, in casts 1e-7 */
    bool cast;     /* no rotation: the last gap is closed by extrapolation */
} ashi_aim;

/* Searches for an impact in [from, to]; b may be a plane. Adds to the result's iterations. */
bool ashi_mover_impact(const ashi_mover *a, const ashi_mover *b, double from, double to, const ashi_aim *aim,
                       ashi_toi *found);

/* A sweep's centre at a time, in the world. */
ash_vec3 ashi_sweep_centre(const ash_sweep *sweep, double time);

#endif
