/* Sphere of a radius about the origin. Inertia 2/5 m r^2. */
#include "shape/geometry.h"
#include "shape/interval.h"

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    ash_status status = ashi_check_size(def->radius, "geometry.radius", "radius", &ashi_sphere, diagnostic);
    if (status != ASH_OK)
        return status;
    double r = geometry->def.radius = def->radius;
    double mass = 4 * ASHI_PI / 3 * r * r * r, moment = 0.4 * mass * r * r;
    return ashi_set_unit_mass(geometry, mass, v3(0, 0, 0), s3_diagonal(moment, moment, moment), diagnostic);
}

static ash_bounds bounds(const ash_geometry *geometry, ash_transform pose)
{
    ash_vec3 r = v3(geometry->def.radius, geometry->def.radius, geometry->def.radius);
    return (ash_bounds){v3_sub(pose.position, r), v3_add(pose.position, r)};
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 direction)
{
    return v3_scale(v3_unit(direction), geometry->def.radius);
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    ashi_interval in = ashi_interval_all();
    ashi_ball_interval(line->origin, line->direction, geometry->def.radius, &in.enter, &in.leave);
    in.normal = v3_add_scaled(line->origin, line->direction, in.enter);
    return ashi_interval_hit(&in, line, hit);
}

static double distance(const ash_geometry *geometry, ash_vec3 point)
{
    return v3_norm(point) - geometry->def.radius;
}

static double projected_area(const ash_geometry *geometry, ash_vec3 direction)
{
    (void)direction;
    return ASHI_PI * geometry->def.radius * geometry->def.radius;
}

const ashi_geometry_functions ashi_sphere = {
    .name = "sphere",
    .convex = true,
    .round = true,
    .ball = true,
    .create = create,
    .bounds = bounds,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = projected_area,
};
