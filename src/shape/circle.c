/* Circle, flat: the disc of a radius about the origin in the local xy plane. z of points and rays is ignored. */
#include "shape/geometry.h"
#include "shape/interval.h"

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    ash_status status = ashi_check_size(def->radius, "geometry.radius", "radius", &ashi_circle, diagnostic);
    if (status != ASH_OK)
        return status;
    double r = geometry->def.radius = def->radius;
    double mass = ASHI_PI * r * r, moment = mass * r * r / 4;
    return ashi_set_unit_mass(geometry, mass, v3(0, 0, 0), s3_diagonal(moment, moment, 2 * moment), diagnostic);
}

static ash_bounds bounds(const ash_geometry *geometry, ash_transform pose)
{
    if (pose.rotation.x != 0 || pose.rotation.y != 0)
        return ashi_bounds_by_support(geometry, pose);
    ash_vec3 r = v3(geometry->def.radius, geometry->def.radius, 0);
    return (ash_bounds){v3_sub(pose.position, r), v3_add(pose.position, r)};
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 d)
{
    return v3_scale(v3_unit(v3(d.x, d.y, 0)), geometry->def.radius);
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    ash_ray flat = ashi_flat_ray(line);
    ashi_interval in = ashi_interval_all();
    ashi_ball_interval(flat.origin, flat.direction, geometry->def.radius, &in.enter, &in.leave);
    in.normal = v3_add_scaled(flat.origin, flat.direction, in.enter);
    return ashi_interval_hit(&in, &flat, hit);
}

static double distance(const ash_geometry *geometry, ash_vec3 p)
{
    return v3_norm(v3(p.x, p.y, 0)) - geometry->def.radius;
}

const ashi_geometry_functions ashi_circle = {
    .name = "circle",
    .round = true,
    .ball = true,
    .flat = true,
    .create = create,
    .bounds = bounds,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = ashi_flat_width,
};
