/* Segment, flat: a line between two points, rounded by a radius that may be 0. It belongs to the background and has no
 * mass of its own. */
#include "shape/geometry.h"
#include "shape/rounded_segment.h"

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    if (!isfinite(def->radius) || def->radius < 0) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.radius", "the radius of the segment is %g", def->radius);
        ashi_expect(diagnostic, "a finite number, 0 or above");
        return ASH_BAD_DATA;
    }
    if (def->point_count != 2) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.points", "the segment has %u points", def->point_count);
        ashi_expect(diagnostic, "2 ends");
        return ASH_BAD_DATA;
    }
    ash_status status = ashi_check_points(def->points, 2, &ashi_segment, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_vec3 ends[2] = {v3(def->points[0].x, def->points[0].y, 0), v3(def->points[1].x, def->points[1].y, 0)};
    if (!(v3_distance(ends[0], ends[1]) > 0)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "segment.length", "both ends of the segment are at (%g, %g)", ends[0].x,
                  ends[0].y);
        ashi_expect(diagnostic, "two different ends in the xy plane");
        return ASH_BAD_DATA;
    }
    void *copy;
    status = ashi_copy_elements(ends, 2, sizeof *ends, &copy, diagnostic);
    if (status != ASH_OK)
        return status;
    geometry->def.points = copy;
    geometry->def.point_count = 2;
    geometry->def.radius = def->radius;
    return ASH_OK;
}

static ashi_rounded_segment shape_of(const ash_geometry *geometry)
{
    return (ashi_rounded_segment){geometry->def.points[0], geometry->def.points[1], geometry->def.radius};
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 direction)
{
    return ashi_rounded_segment_support(shape_of(geometry), direction);
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    return ashi_rounded_segment_ray(shape_of(geometry), line, hit);
}

static double distance(const ash_geometry *geometry, ash_vec3 point)
{
    return ashi_rounded_segment_distance(shape_of(geometry), point);
}

const ashi_geometry_functions ashi_segment = {
    .name = "segment",
    .flat = true,
    .create = create,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = ashi_flat_width,
};
