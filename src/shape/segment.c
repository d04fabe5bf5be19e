/* Segment, flat: a line between two points, rounded by a radius that may be 0. It belongs to the background and has no
 * mass of its own. Two points are its ends, and it is solid from both sides. Four points are a piece of a chain:
 * previous, start, end, next. Such a piece is solid only from the front, to the left of its direction; a neighbour that
 * coincides with its end means that there is none. */
#include "shape/geometry.h"
#include "shape/rounded_segment.h"

static ash_status check(const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    if (!isfinite(def->radius) || def->radius < 0) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.radius", "the radius of the segment is %g", def->radius);
        ashi_expect(diagnostic, "a finite number, 0 or above");
        return ASH_BAD_DATA;
    }
    if (def->point_count != 2 && def->point_count != 4) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.points", "the segment has %u points", def->point_count);
        ashi_expect(diagnostic, "2 ends, or 4 points of a chain: previous, start, end, next");
        return ASH_BAD_DATA;
    }
    return ashi_check_points(def->points, def->point_count, &ashi_segment, diagnostic);
}

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    ash_status status = check(def, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_vec3 points[4];
    for (uint32_t i = 0; i < def->point_count; i++)
        points[i] = v3(def->points[i].x, def->points[i].y, 0);
    const ash_vec3 *ends = def->point_count == 4 ? points + 1 : points;
    if (!(v3_distance(ends[0], ends[1]) > 0)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "segment.length", "both ends of the segment are at (%g, %g)", ends[0].x,
                  ends[0].y);
        ashi_expect(diagnostic, "two different ends in the xy plane");
        return ASH_BAD_DATA;
    }
    void *copy;
    status = ashi_copy_elements(points, def->point_count, sizeof *points, &copy, diagnostic);
    if (status != ASH_OK)
        return status;
    geometry->def.points = copy;
    geometry->def.point_count = def->point_count;
    geometry->def.radius = def->radius;
    return ASH_OK;
}

static bool is_chain(const ash_geometry *geometry)
{
    return geometry->def.point_count == 4;
}

static ashi_rounded_segment shape_of(const ash_geometry *geometry)
{
    const ash_vec3 *ends = ashi_segment_ends(&geometry->def);
    return (ashi_rounded_segment){ends[0], ends[1], geometry->def.radius};
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 direction)
{
    return ashi_rounded_segment_support(shape_of(geometry), direction);
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    ashi_rounded_segment shape = shape_of(geometry);
    if (!ashi_rounded_segment_ray(shape, line, hit))
        return false;
    ash_vec3 along = v3_sub(shape.to, shape.from);
    return !is_chain(geometry) || v3_dot(v3(-along.y, along.x, 0), hit->normal) > 0; /* not from behind */
}

static double distance(const ash_geometry *geometry, ash_vec3 point)
{
    return ashi_rounded_segment_distance(shape_of(geometry), point);
}

const ashi_geometry_functions ashi_segment = {
    .name = "segment",
    .straight = true,
    .face = true,
    .flat = true,
    .create = create,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = ashi_flat_width,
};
