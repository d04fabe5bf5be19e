/* Spatial vectors (Featherstone 2008) in world axes about one fixed point for the whole mechanism, so that no vector
 * has to be transformed between frames: a motion is (w, velocity of the body's matter at the point), a force (moment
 * about the point, force). */
#ifndef ASHI_MECHANISM_SPATIAL_H
#define ASHI_MECHANISM_SPATIAL_H

#include "math/mat3.h"

typedef struct ashi_spatial {
    ash_vec3 angular, linear; /* of forces: moment, force */
} ashi_spatial;

/* A rigid body, or several as one: mass, mass times the place of the centre, inertia about the point. */
typedef struct ashi_spatial_inertia {
    double mass;
    ash_vec3 moment;
    ash_sym3 inertia;
} ashi_spatial_inertia;

static inline ashi_spatial sp_add(ashi_spatial a, ashi_spatial b)
{
    return (ashi_spatial){v3_add(a.angular, b.angular), v3_add(a.linear, b.linear)};
}

static inline ashi_spatial sp_add_scaled(ashi_spatial a, ashi_spatial b, double s)
{
    return (ashi_spatial){v3_add_scaled(a.angular, b.angular, s), v3_add_scaled(a.linear, b.linear, s)};
}

static inline ashi_spatial sp_scale(ashi_spatial a, double s)
{
    return (ashi_spatial){v3_scale(a.angular, s), v3_scale(a.linear, s)};
}

/* The power of a force on a motion. */
static inline double sp_dot(ashi_spatial motion, ashi_spatial force)
{
    return v3_dot(motion.angular, force.angular) + v3_dot(motion.linear, force.linear);
}

/* The derivative of a motion that is fixed in a body which moves by `v`. */
static inline ashi_spatial sp_cross_motion(ashi_spatial v, ashi_spatial m)
{
    return (ashi_spatial){v3_cross(v.angular, m.angular),
                          v3_add(v3_cross(v.angular, m.linear), v3_cross(v.linear, m.angular))};
}

/* The same for a force. */
static inline ashi_spatial sp_cross_force(ashi_spatial v, ashi_spatial f)
{
    return (ashi_spatial){v3_add(v3_cross(v.angular, f.angular), v3_cross(v.linear, f.linear)),
                          v3_cross(v.angular, f.linear)};
}

/* The momentum of a body that moves by `v`. */
static inline ashi_spatial sp_momentum(const ashi_spatial_inertia *i, ashi_spatial v)
{
    return (ashi_spatial){v3_add(s3_apply(i->inertia, v.angular), v3_cross(i->moment, v.linear)),
                          v3_add_scaled(v3_cross(v.angular, i->moment), v.linear, i->mass)};
}

/* The motion of a rotation about an axis through a place, at the reference point: `from` leads from the place to that
 * point.
 */
static inline ashi_spatial sp_turn(ash_vec3 axis, ash_vec3 from)
{
    return (ashi_spatial){axis, v3_cross(axis, from)};
}

#endif
