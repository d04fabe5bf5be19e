/* Cylinder along the z axis, centred on the origin. */
#include "shape/geometry.h"
#include "shape/interval.h"

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    ash_status status = ashi_check_size(def->radius, "geometry.radius", "radius", &ashi_cylinder, diagnostic);
    if (status == ASH_OK)
        status = ashi_check_size(def->height, "geometry.height", "height", &ashi_cylinder, diagnostic);
    if (status != ASH_OK)
        return status;
    double r = geometry->def.radius = def->radius, h = geometry->def.height = def->height;
    double mass = ASHI_PI * r * r * h, across = mass * (3 * r * r + h * h) / 12;
    return ashi_set_unit_mass(geometry, mass, v3(0, 0, 0), s3_diagonal(across, across, mass * r * r / 2), diagnostic);
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 d)
{
    double half = geometry->def.height / 2;
    ash_vec3 rim = v3_scale(v3_unit(v3(d.x, d.y, 0)), geometry->def.radius);
    return v3(rim.x, rim.y, d.z < 0 ? -half : half);
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    double half = geometry->def.height / 2;
    ash_vec3 o = v3(line->origin.x, line->origin.y, 0), d = v3(line->direction.x, line->direction.y, 0);
    ashi_interval in = ashi_interval_all();
    ashi_ball_interval(o, d, geometry->def.radius, &in.enter, &in.leave);
    if (isfinite(in.enter))
        in.normal = v3_add_scaled(o, d, in.enter);
    ashi_interval_half_space(&in, line, v3(0, 0, 1), half, 1);
    ashi_interval_half_space(&in, line, v3(0, 0, -1), half, 2);
    return ashi_interval_hit(&in, line, hit);
}

static double distance(const ash_geometry *geometry, ash_vec3 p)
{
    double side = sqrt(p.x * p.x + p.y * p.y) - geometry->def.radius, cap = fabs(p.z) - geometry->def.height / 2;
    if (side <= 0 || cap <= 0)
        return side > cap ? side : cap;
    return sqrt(side * side + cap * cap);
}

static double projected_area(const ash_geometry *geometry, ash_vec3 u)
{
    double r = geometry->def.radius;
    return ASHI_PI * r * r * fabs(u.z) + 2 * r * geometry->def.height * sqrt(u.x * u.x + u.y * u.y);
}

const ashi_geometry_functions ashi_cylinder = {
    .name = "cylinder",
    .convex = true,
    .curved = true,
    .create = create,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = projected_area,
};
