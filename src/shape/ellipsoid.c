/* Ellipsoid with semi-axes along the axes, centred on the origin. A ball scaled unevenly: rays and support points are
 * those of the ball. The distance needs the root of one equation, see nearest_point. */
#include "shape/geometry.h"
#include "shape/interval.h"

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    const double sizes[3] = {def->half_extents.x, def->half_extents.y, def->half_extents.z};
    static const char *const names[3] = {"semi-axis in x", "semi-axis in y", "semi-axis in z"};
    for (int i = 0; i < 3; i++) {
        ash_status status = ashi_check_size(sizes[i], "geometry.half-extents", names[i], &ashi_ellipsoid, diagnostic);
        if (status != ASH_OK)
            return status;
    }
    ash_vec3 a = geometry->def.half_extents = def->half_extents;
    double mass = 4 * ASHI_PI / 3 * a.x * a.y * a.z;
    double xx = a.x * a.x, yy = a.y * a.y, zz = a.z * a.z;
    ash_sym3 inertia = s3_diagonal(0.2 * mass * (yy + zz), 0.2 * mass * (xx + zz), 0.2 * mass * (xx + yy));
    return ashi_set_unit_mass(geometry, mass, v3(0, 0, 0), inertia, diagnostic);
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 direction)
{
    ash_vec3 a = geometry->def.half_extents;
    return v3_mul(a, v3_unit(v3_mul(a, direction)));
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    ash_vec3 a = geometry->def.half_extents, inverse = v3(1 / a.x, 1 / a.y, 1 / a.z);
    ash_vec3 o = v3_mul(line->origin, inverse), d = v3_mul(line->direction, inverse);
    ashi_interval in = ashi_interval_all();
    ashi_ball_interval(o, d, 1, &in.enter, &in.leave);
    in.normal = v3_mul(v3_add_scaled(o, d, in.enter), inverse);
    return ashi_interval_hit(&in, line, hit);
}

/* The surface point nearest to y, all y_i >= 0 and semi-axes e_0 >= e_1 >= e_2: x_i = e_i^2 y_i / (e_i^2 + t) with t
 * the largest root of sum (e_i y_i / (e_i^2 + t))^2 = 1. In u = (t + e_2^2) / e_2^2 and p_i = (e_i / e_2)^2 nothing
 * cancels, however flat the ellipsoid is: x_i = p_i y_i / (u + p_i - 1). The left side is convex and falls with u, so
 * Newton's method from a point left of the root climbs to it without overshooting. */
static void nearest_point(const double e[3], const double y[3], double x[3])
{
    double p[3], gap[3], z[3], u = 0;
    for (int i = 0; i < 3; i++) {
        double ratio = e[i] / e[2];
        p[i] = ratio * ratio;
        gap[i] = (e[i] - e[2]) / e[2] * (ratio + 1);
        z[i] = y[i] / e[i];
        double bound = p[i] * z[i] - gap[i]; /* here the i-th term by itself is 1 */
        u = bound > u ? bound : u;
    }
    for (int step = 0; step < 200; step++) {
        double excess = -1, slope = 0;
        for (int i = 0; i < 3; i++) {
            if (z[i] == 0)
                continue;
            double term = p[i] * z[i] / (u + gap[i]);
            excess += term * term;
            slope += term * term / (u + gap[i]);
        }
        double next = u + excess / (2 * slope);
        if (!(next > u)) /* also if u = 0 is not left of any root: the point is on the flat side of the evolute */
            break;
        u = next;
    }
    double rest = 1;
    for (int i = 0; i < 3; i++) {
        x[i] = y[i] > 0 ? p[i] * y[i] / (u + gap[i]) : 0;
        rest -= (x[i] / e[i]) * (x[i] / e[i]);
    }
    if (y[2] == 0 && u == 0) /* in the middle plane, near the centre: the nearest point lies perpendicular to that
                                plane */
        x[2] = e[2] * sqrt(rest > 0 ? rest : 0);
}

static double distance(const ash_geometry *geometry, ash_vec3 point)
{
    ash_vec3 a = geometry->def.half_extents;
    double e[3] = {a.x, a.y, a.z}, y[3] = {fabs(point.x), fabs(point.y), fabs(point.z)}, x[3];
    for (int pass = 0; pass < 3; pass++) { /* sort the axes, longest first */
        int i = pass % 2;
        if (e[i] < e[i + 1]) {
            double swap = e[i];
            e[i] = e[i + 1];
            e[i + 1] = swap;
            swap = y[i];
            y[i] = y[i + 1];
            y[i + 1] = swap;
        }
    }
    nearest_point(e, y, x);
    double length = v3_norm(v3(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
    double level = v3_norm2(v3(y[0] / e[0], y[1] / e[1], y[2] / e[2]));
    return level < 1 ? -length : length;
}

static double projected_area(const ash_geometry *geometry, ash_vec3 u)
{
    ash_vec3 a = geometry->def.half_extents;
    return ASHI_PI * v3_norm(v3(a.y * a.z * u.x, a.x * a.z * u.y, a.x * a.y * u.z));
}

const ashi_geometry_functions ashi_ellipsoid = {
    .name = "ellipsoid",
    .convex = true,
    .curved = true,
    .create = create,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = projected_area,
};
