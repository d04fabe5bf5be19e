/* Flat capsule: all points of the xy plane within the radius of a segment on the x axis, `height` long. A rectangle and
 * two half discs, whose centres of mass lie 4 r / (3 pi) beyond the segment's ends. */
#include "shape/geometry.h"
#include "shape/rounded_segment.h"

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    ash_status status = ashi_check_size(def->radius, "geometry.radius", "radius", &ashi_flat_capsule, diagnostic);
    if (status == ASH_OK)
        status = ashi_check_size(def->height, "geometry.height", "height", &ashi_flat_capsule, diagnostic);
    if (status != ASH_OK)
        return status;
    double r = geometry->def.radius = def->radius, h = geometry->def.height = def->height;
    double middle = 2 * r * h, ends = ASHI_PI * r * r;
    /* Half discs: r^2/4 about their own diameter; along the axis moved out by h/2 with their centres beyond it. */
    double along = middle * r * r / 3 + ends * r * r / 4;
    double across = middle * h * h / 12 + ends * (r * r / 4 + h * h / 4 + 4 * r * h / (3 * ASHI_PI));
    return ashi_set_unit_mass(geometry, middle + ends, v3(0, 0, 0), s3_diagonal(along, across, along + across),
                              diagnostic);
}

static ashi_rounded_segment shape_of(const ash_geometry *geometry)
{
    double half = geometry->def.height / 2;
    return (ashi_rounded_segment){v3(-half, 0, 0), v3(half, 0, 0), geometry->def.radius};
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

const ashi_geometry_functions ashi_flat_capsule = {
    .name = "flat-capsule",
    .round = true,
    .flat = true,
    .create = create,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = ashi_flat_width,
};
