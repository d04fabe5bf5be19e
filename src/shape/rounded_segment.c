/* Rounded segments in the plane. With radius 0 a ray hits a line without an inside: the normal is the one that opposes
 * the ray. */
#include "shape/rounded_segment.h"

#include "shape/interval.h"
#include "shape/triangle.h"

ash_vec3 ashi_rounded_segment_support(ashi_rounded_segment shape, ash_vec3 direction)
{
    ash_vec3 d = v3(direction.x, direction.y, 0);
    ash_vec3 end = v3_dot(v3_sub(shape.to, shape.from), d) < 0 ? shape.from : shape.to;
    return v3_add_scaled(end, v3_unit(d), shape.radius);
}

double ashi_rounded_segment_distance(ashi_rounded_segment shape, ash_vec3 point)
{
    ash_vec3 p = v3(point.x, point.y, 0);
    return v3_distance(p, ashi_segment_nearest(shape.from, shape.to, p)) - shape.radius;
}

static bool line_hit(ashi_rounded_segment shape, const ash_ray *ray, ash_ray_hit *hit)
{
    ash_vec3 along = v3_sub(shape.to, shape.from), gap = v3_sub(shape.from, ray->origin);
    double cross = ray->direction.x * along.y - ray->direction.y * along.x;
    if (cross == 0) /* parallel: the ray meets the segment end-on */
        return false;
    double t = (gap.x * along.y - gap.y * along.x) / cross;
    double s = (gap.x * ray->direction.y - gap.y * ray->direction.x) / cross;
    if (!(t >= 0 && t <= ray->reach && s >= 0 && s <= 1))
        return false;
    ash_vec3 normal = v3_unit(v3(-along.y, along.x, 0));
    if (v3_dot(normal, ray->direction) > 0)
        normal = v3_neg(normal);
    *hit = (ash_ray_hit){t, v3_add_scaled(ray->origin, ray->direction, t), normal, 0};
    return true;
}

bool ashi_rounded_segment_ray(ashi_rounded_segment shape, const ash_ray *ray, ash_ray_hit *hit)
{
    ash_ray flat = ashi_flat_ray(ray);
    if (shape.radius == 0)
        return line_hit(shape, &flat, hit);
    /* The band between the ends, then the discs at them: their union is convex, its interval the hull of the three. */
    ash_vec3 u = v3_unit(v3_sub(shape.to, shape.from)), n = v3(-u.y, u.x, 0);
    double side = v3_dot(n, shape.from);
    ashi_interval in = ashi_interval_all();
    ashi_interval_half_space(&in, &flat, n, side + shape.radius, 0);
    ashi_interval_half_space(&in, &flat, v3_neg(n), shape.radius - side, 0);
    ashi_interval_half_space(&in, &flat, u, v3_dot(u, shape.to), 0);
    ashi_interval_half_space(&in, &flat, v3_neg(u), -v3_dot(u, shape.from), 0);
    if (!(in.enter <= in.leave)) {
        in.enter = INFINITY;
        in.leave = -INFINITY;
    }
    for (int end = 0; end < 2; end++) {
        double enter, leave;
        ash_vec3 centre = end == 0 ? shape.from : shape.to;
        ashi_ball_interval(v3_sub(flat.origin, centre), flat.direction, shape.radius, &enter, &leave);
        if (enter <= leave) {
            in.enter = enter < in.enter ? enter : in.enter;
            in.leave = leave > in.leave ? leave : in.leave;
        }
    }
    if (in.enter <= in.leave && isfinite(in.enter)) {
        ash_vec3 point = v3_add_scaled(flat.origin, flat.direction, in.enter);
        in.normal = v3_sub(point, ashi_segment_nearest(shape.from, shape.to, point));
    }
    return ashi_interval_hit(&in, &flat, hit);
}
