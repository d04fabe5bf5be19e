/* Capsule: all points within the radius of a segment on the z axis, `height` long. A cylinder and two half balls, whose
 * centres of mass lie 3/8 r beyond the segment's ends. */
#include "shape/geometry.h"
#include "shape/interval.h"

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    ash_status status = ashi_check_size(def->radius, "geometry.radius", "radius", &ashi_capsule, diagnostic);
    if (status == ASH_OK)
        status = ashi_check_size(def->height, "geometry.height", "height", &ashi_capsule, diagnostic);
    if (status != ASH_OK)
        return status;
    double r = geometry->def.radius = def->radius, h = geometry->def.height = def->height;
    double middle = ASHI_PI * r * r * h, ends = 4 * ASHI_PI / 3 * r * r * r;
    double along = middle * (r * r / 2) + ends * (0.4 * r * r);
    double across = middle * (r * r / 4 + h * h / 12) + ends * (0.4 * r * r + h * h / 4 + 0.375 * h * r);
    return ashi_set_unit_mass(geometry, middle + ends, v3(0, 0, 0), s3_diagonal(across, across, along), diagnostic);
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 direction)
{
    double half = geometry->def.height / 2;
    return v3_add(v3(0, 0, direction.z < 0 ? -half : half), v3_scale(v3_unit(direction), geometry->def.radius));
}

/* The vector to `point` from the nearest point of the segment. */
static ash_vec3 from_axis(const ash_geometry *geometry, ash_vec3 point)
{
    double half = geometry->def.height / 2;
    double z = point.z < -half ? -half : point.z > half ? half : point.z;
    return v3(point.x, point.y, point.z - z);
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    double r = geometry->def.radius, half = geometry->def.height / 2;
    ash_vec3 o = line->origin, d = line->direction;
    /* The cylinder between the ends. */
    ashi_interval in = ashi_interval_all();
    ashi_ball_interval(v3(o.x, o.y, 0), v3(d.x, d.y, 0), r, &in.enter, &in.leave);
    ashi_interval_half_space(&in, line, v3(0, 0, 1), half, 0);
    ashi_interval_half_space(&in, line, v3(0, 0, -1), half, 0);
    if (!(in.enter <= in.leave)) {
        in.enter = INFINITY;
        in.leave = -INFINITY;
    }
    /* The union with the end balls is convex, so its interval is the hull of the three. */
    for (int end = -1; end <= 1; end += 2) {
        double enter, leave;
        ashi_ball_interval(v3(o.x, o.y, o.z - end * half), d, r, &enter, &leave);
        if (enter <= leave) {
            in.enter = enter < in.enter ? enter : in.enter;
            in.leave = leave > in.leave ? leave : in.leave;
        }
    }
    if (in.enter <= in.leave)
        in.normal = from_axis(geometry, v3_add_scaled(o, d, in.enter));
    in.part = 0;
    return ashi_interval_hit(&in, line, hit);
}

static double distance(const ash_geometry *geometry, ash_vec3 point)
{
    return v3_norm(from_axis(geometry, point)) - geometry->def.radius;
}

static double projected_area(const ash_geometry *geometry, ash_vec3 u)
{
    double r = geometry->def.radius;
    return ASHI_PI * r * r + 2 * r * geometry->def.height * sqrt(u.x * u.x + u.y * u.y);
}

const ashi_geometry_functions ashi_capsule = {
    .name = "capsule",
    .convex = true,
    .round = true,
    .create = create,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = projected_area,
};
