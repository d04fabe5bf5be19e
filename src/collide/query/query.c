/* The public queries that need no world: closest points and time of impact of two geometries. */
#include "ashlar/query.h"

#include "collide/query/impact.h"
#include "shape/geometry.h"

static bool is_usable(ash_transform pose)
{
    return t_is_finite(pose) && q_norm2(pose.rotation) > 0;
}

static ash_transform cleaned(ash_transform pose)
{
    return (ash_transform){pose.position, q_unit(pose.rotation)};
}

ash_status ash_closest_points(const ash_geometry *a, ash_transform pose_a, const ash_geometry *b, ash_transform pose_b,
                              ash_closest *closest)
{
    if (a == NULL || b == NULL || closest == NULL || !is_usable(pose_a) || !is_usable(pose_b))
        return ASH_BAD_ARGUMENT;
    if (ash_geometry_get_definition(a)->open || ash_geometry_get_definition(b)->open)
        return ASH_UNSUPPORTED;
    pose_a = cleaned(pose_a);
    ashi_pair_distance c;
    if (!ashi_measure_distance(a, b, t_mul(t_inverse(pose_a), cleaned(pose_b)), INFINITY, &c))
        return ASH_UNSUPPORTED;
    *closest = (ash_closest){.distance = c.distance,
                             .on_a = t_point(pose_a, c.on_a),
                             .on_b = t_point(pose_a, c.on_b),
                             .normal = q_rotate(pose_a.rotation, c.normal)};
    return ASH_OK;
}

static bool is_usable_sweep(const ash_sweep *sweep)
{
    return sweep != NULL && sweep->geometry != NULL && !ash_geometry_get_definition(sweep->geometry)->open &&
           is_usable(sweep->pose) && v3_is_finite(sweep->velocity) && v3_is_finite(sweep->angular_velocity) &&
           v3_is_finite(sweep->centre);
}

/* The radius of a ball around the geometry's box; infinite for planes. */
static double size_of(const ash_geometry *geometry)
{
    ash_bounds box = ash_geometry_bounds(geometry, ash_identity());
    return v3_distance(box.lower, box.upper) / 2;
}

bool ash_time_of_impact(const ash_sweep *a, const ash_sweep *b, double time, double *impact, ash_closest *closest)
{
    if (!is_usable_sweep(a) || !is_usable_sweep(b) || impact == NULL || !isfinite(time) || time < 0)
        return false;
    ash_sweep of_a = *a, of_b = *b;
    of_a.pose = cleaned(a->pose);
    of_b.pose = cleaned(b->pose);
    double size = fmin(size_of(a->geometry), size_of(b->geometry));
    ashi_toi toi;
    if (!isfinite(size) || !ashi_first_impact(&of_a, &of_b, time, 1e-6 * size, &toi))
        return false;
    *impact = toi.time;
    if (closest != NULL)
        *closest = (ash_closest){.distance = toi.closest.distance,
                                 .on_a = toi.closest.on_a,
                                 .on_b = toi.closest.on_b,
                                 .normal = toi.closest.normal};
    return true;
}
