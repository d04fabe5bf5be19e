/* The part of a ray inside a convex set, found by clipping with half spaces and quadrics in turn.
 */
#ifndef ASHI_SHAPE_INTERVAL_H
#define ASHI_SHAPE_INTERVAL_H

#include "ashlar/geometry.h"
#include "math/vec3.h"

typedef struct ashi_interval {
    double enter, leave; /* along the ray; empty when enter exceeds leave */
    ash_vec3 normal;     /* outward at `enter`, not necessarily unit */
    uint32_t part;       /* which of the clipping sets gave `enter` */
} ashi_interval;

static inline ashi_interval ashi_interval_all(void)
{
    return (ashi_interval){-INFINITY, INFINITY, {0, 0, 0}, 0};
}

/* Clips with the half space normal . x <= offset. */
static inline void ashi_interval_half_space(ashi_interval *in, const ash_ray *ray, ash_vec3 normal, double offset,
                                            uint32_t part)
{
    double speed = v3_dot(normal, ray->direction), height = v3_dot(normal, ray->origin) - offset;
    if (speed < 0) {
        double t = -height / speed;
        if (t > in->enter) {
            in->enter = t;
            in->normal = normal;
            in->part = part;
        }
    } else if (speed > 0) {
        double t = -height / speed;
        in->leave = t < in->leave ? t : in->leave;
    } else if (height >= 0) { /* grazing is not entering */
        in->leave = -INFINITY;
    }
}

/* The interval inside the ball of `radius` about the origin, for a ray whose origin and direction may have been scaled
 * or flattened. Computed from the point of closest approach, so that distant origins lose no digits. */
static inline void ashi_ball_interval(ash_vec3 origin, ash_vec3 direction, double radius, double *enter, double *leave)
{
    double length2 = v3_norm2(direction);
    if (!(length2 > 0)) { /* a point: inside for all t or for none */
        bool inside = v3_norm2(origin) < radius * radius;
        *enter = inside ? -(double)INFINITY : (double)INFINITY;
        *leave = -*enter;
        return;
    }
    double middle = -v3_dot(origin, direction) / length2;
    double rest = radius * radius - v3_norm2(v3_add_scaled(origin, direction, middle));
    double half = rest >= 0 ? sqrt(rest / length2) : -(double)INFINITY;
    *enter = middle - half;
    *leave = middle + half;
}

/* The hit of a ray that starts inside. */
static inline bool ashi_ray_inside(const ash_ray *ray, ash_ray_hit *hit)
{
    *hit = (ash_ray_hit){0, ray->origin, v3_neg(v3_unit(ray->direction)), 0};
    return true;
}

/* The ray projected into the plane of a flat kind. If its direction has no part there, it is a point. */
static inline ash_ray ashi_flat_ray(const ash_ray *ray)
{
    return (ash_ray){v3(ray->origin.x, ray->origin.y, 0), v3(ray->direction.x, ray->direction.y, 0), ray->reach};
}

/* The hit at the start of the interval; normal and part come from it. */
static inline bool ashi_interval_hit(const ashi_interval *in, const ash_ray *ray, ash_ray_hit *hit)
{
    if (!(in->enter <= in->leave) || in->leave <= 0 || in->enter > ray->reach)
        return false;
    if (in->enter < 0)
        return ashi_ray_inside(ray, hit);
    *hit =
        (ash_ray_hit){in->enter, v3_add_scaled(ray->origin, ray->direction, in->enter), v3_unit(in->normal), in->part};
    return true;
}

#endif
