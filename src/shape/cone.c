/* Cone along the z axis: apex at +height/2, base of the radius at -height/2. The centre of mass lies a quarter of the
 * height above the base. */
#include "shape/geometry.h"
#include "shape/interval.h"

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    ash_status status = ashi_check_size(def->radius, "geometry.radius", "radius", &ashi_cone, diagnostic);
    if (status == ASH_OK)
        status = ashi_check_size(def->height, "geometry.height", "height", &ashi_cone, diagnostic);
    if (status != ASH_OK)
        return status;
    double r = geometry->def.radius = def->radius, h = geometry->def.height = def->height;
    double mass = ASHI_PI / 3 * r * r * h, across = mass * (3 * r * r / 20 + 3 * h * h / 80);
    return ashi_set_unit_mass(geometry, mass, v3(0, 0, -h / 4), s3_diagonal(across, across, 0.3 * mass * r * r),
                              diagnostic);
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 d)
{
    double r = geometry->def.radius, half = geometry->def.height / 2;
    if (d.z * half > -d.z * half + r * sqrt(d.x * d.x + d.y * d.y))
        return v3(0, 0, half);
    ash_vec3 rim = v3_scale(v3_unit(v3(d.x, d.y, 0)), r);
    return v3(rim.x, rim.y, -half);
}

/* Clips the interval, already between apex and base, with the mantle: a t^2 + 2 b t + c <= 0 on the nappe below the
 * apex. The ray is taken from `start`, near the cone, so that distant origins lose no digits. */
static void clip_mantle(ashi_interval *in, const ash_ray *line, double start, double r, double h)
{
    ash_vec3 o = v3_add_scaled(line->origin, line->direction, start), d = line->direction;
    double slope = r / h, below = h / 2 - o.z;
    double a = d.x * d.x + d.y * d.y - slope * slope * d.z * d.z;
    double b = o.x * d.x + o.y * d.y + slope * slope * below * d.z;
    double c = o.x * o.x + o.y * o.y - slope * slope * below * below;
    double lower = -INFINITY, upper = INFINITY, discriminant = b * b - a * c;
    if (a == 0) {
        double root = -c / (2 * b);
        if (b > 0)
            upper = root;
        else if (b < 0)
            lower = root;
        else if (c > 0)
            upper = -INFINITY;
    } else if (a > 0 && discriminant < 0) {
        upper = -INFINITY;
    } else {
        /* A line steeper than the mantle meets both nappes: its discriminant is negative only through rounding. */
        double q = -(b + copysign(sqrt(discriminant > 0 ? discriminant : 0), b));
        double first = q / a, second = q != 0 ? c / q : first;
        double low = first < second ? first : second, high = first < second ? second : first;
        if (a > 0) {
            lower = low;
            upper = high;
        } else if (d.z > 0) {
            upper = low;
        } else {
            lower = high;
        }
    }
    if (start + upper < in->leave)
        in->leave = start + upper;
    if (start + lower > in->enter) {
        in->enter = start + lower;
        ash_vec3 p = v3_add_scaled(o, d, lower);
        in->normal = v3(p.x, p.y, slope * sqrt(p.x * p.x + p.y * p.y));
        if (v3_norm2(in->normal) == 0)
            in->normal = v3(0, 0, 1);
        in->part = 1;
    }
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    double r = geometry->def.radius, h = geometry->def.height;
    ashi_interval in = ashi_interval_all();
    ashi_interval_half_space(&in, line, v3(0, 0, 1), h / 2, 1);
    ashi_interval_half_space(&in, line, v3(0, 0, -1), h / 2, 0);
    if (!(in.enter <= in.leave))
        return false;
    ash_vec3 o = line->origin, d = line->direction;
    /* From the closest approach to the axis between apex and base. */
    double sideways = d.x * d.x + d.y * d.y, start = sideways > 0 ? -(o.x * d.x + o.y * d.y) / sideways : in.enter;
    start = start < in.enter ? in.enter : start > in.leave ? in.leave : start;
    clip_mantle(&in, line, start, r, h);
    return ashi_interval_hit(&in, line, hit);
}

static double distance(const ash_geometry *geometry, ash_vec3 p)
{
    /* In the half plane through the axis: the base and the slanted line from the rim (r, -h/2) to the apex (0, h/2).
     */
    double r = geometry->def.radius, h = geometry->def.height, rho = sqrt(p.x * p.x + p.y * p.y);
    double length = sqrt(r * r + h * h);
    double slant = ((rho - r) * h + (p.z + h / 2) * r) / length; /* signed distance to the slanted line */
    double base = -h / 2 - p.z;
    if (slant <= 0 && base <= 0)
        return slant > base ? slant : base;
    double along = (-(rho - r) * r + (p.z + h / 2) * h) / length; /* from the rim towards the apex */
    double beyond = along < 0 ? -along : along > length ? along - length : 0;
    double to_slant = beyond > 0 ? sqrt(slant * slant + beyond * beyond) : fabs(slant);
    double out = rho > r ? rho - r : 0, to_base = sqrt(out * out + base * base);
    return to_slant < to_base ? to_slant : to_base;
}

static double projected_area(const ash_geometry *geometry, ash_vec3 u)
{
    /* The area of the hull of the projected base, an ellipse with semi-axes r and r |u_z|, and the projected apex. */
    double r = geometry->def.radius, across = r * fabs(u.z), apex = geometry->def.height * sqrt(u.x * u.x + u.y * u.y);
    if (apex <= across)
        return ASHI_PI * r * across;
    return r * across * (ASHI_PI - ashi_acos(across / apex)) + r * sqrt((apex - across) * (apex + across));
}

const ashi_geometry_functions ashi_cone = {
    .name = "cone",
    .convex = true,
    .curved = true,
    .create = create,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = projected_area,
};
