/* Rays through a distance field, cell by cell. Along a ray the interpolated field is a cubic in each cell, so its first
 * root is found without stepping: no ray can pass through a thin part, whether or not the samples are true distances.
 */
#include "shape/distance_field.h"
#include "shape/interval.h"

/* c0 + c1 s + c2 s^2 + c3 s^3 */
static double cubic_at(const double c[4], double s)
{
    return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
}

/* The roots of the cubic's derivative that lie within (0, 1), ascending. */
static int stationary_points(const double c[4], double at[2])
{
    double a = 3 * c[3], b = c[2], d = c[1], roots[2];
    int count = 0, kept = 0;
    double discriminant = b * b - a * d;
    if (discriminant > 0) {
        double q = -(b + copysign(sqrt(discriminant), b));
        if (a != 0)
            roots[count++] = q / a;
        if (q != 0)
            roots[count++] = d / q;
    }
    for (int i = 0; i < count; i++)
        if (roots[i] > 0 && roots[i] < 1)
            at[kept++] = roots[i];
    if (kept == 2 && at[0] > at[1]) {
        double swap = at[0];
        at[0] = at[1];
        at[1] = swap;
    }
    return kept;
}

/* The first s in [0, 1] where the cubic turns negative. Between stationary points it is monotone: bisect to the last
 * bit. */
static bool first_root(const double c[4], double *root)
{
    double ends[4] = {0};
    int count = 1 + stationary_points(c, ends + 1);
    ends[count] = 1;
    if (cubic_at(c, 0) < 0)
        return *root = 0, true;
    for (int piece = 0; piece < count; piece++) {
        double low = ends[piece], high = ends[piece + 1];
        if (cubic_at(c, high) >= 0)
            continue;
        for (int step = 0; step < 60; step++) {
            double middle = 0.5 * (low + high);
            if (cubic_at(c, middle) >= 0)
                low = middle;
            else
                high = middle;
        }
        return *root = high, true;
    }
    return false;
}

/* The cubic between two places in a cell, in cell units. */
static void cubic_between(const double f[8], ash_vec3 from, ash_vec3 to, double c[4])
{
    ash_vec3 d = v3_sub(to, from);
    /* f as a sum of products 1, u, v, w, uv, uw, vw, uvw */
    double x = f[1] - f[0], y = f[2] - f[0], z = f[4] - f[0];
    double xy = f[3] - f[1] - f[2] + f[0], xz = f[5] - f[1] - f[4] + f[0], yz = f[6] - f[2] - f[4] + f[0];
    double xyz = f[7] - f[6] - f[5] - f[3] + f[1] + f[2] + f[4] - f[0];
    double u = from.x, v = from.y, w = from.z;
    c[0] = f[0] + x * u + y * v + z * w + xy * u * v + xz * u * w + yz * v * w + xyz * u * v * w;
    c[1] = x * d.x + y * d.y + z * d.z + xy * (u * d.y + v * d.x) + xz * (u * d.z + w * d.x) +
           yz * (v * d.z + w * d.y) + xyz * (d.x * v * w + u * d.y * w + u * v * d.z);
    c[2] = xy * d.x * d.y + xz * d.x * d.z + yz * d.y * d.z + xyz * (d.x * d.y * w + d.x * v * d.z + u * d.y * d.z);
    c[3] = xyz * d.x * d.y * d.z;
}

/* The walk: the ray in grid units, its present cell, and the rest of the ray over the grid. */
typedef struct walk {
    double place[3], speed[3];
    uint32_t cell[3];
    double enter, leave;
    ash_vec3 border_normal; /* of the grid's side that it entered through */
} walk;

static bool begin_walk(walk *w, const ash_geometry_def *def, const ash_ray *ray)
{
    ashi_interval in = ashi_interval_all();
    const double origin[3] = {def->origin.x, def->origin.y, def->origin.z};
    const double spacing[3] = {def->spacing.x, def->spacing.y, def->spacing.z};
    const double from[3] = {ray->origin.x, ray->origin.y, ray->origin.z};
    const double direction[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    ash_ray scaled = {.reach = ray->reach};
    for (int a = 0; a < 3; a++) {
        w->place[a] = (from[a] - origin[a]) / spacing[a];
        w->speed[a] = direction[a] / spacing[a];
    }
    scaled.origin = v3(w->place[0], w->place[1], w->place[2]);
    scaled.direction = v3(w->speed[0], w->speed[1], w->speed[2]);
    for (int a = 0; a < 3; a++) {
        ash_vec3 normal = v3(a == 0, a == 1, a == 2);
        ashi_interval_half_space(&in, &scaled, normal, def->cells[a] - 1, 0);
        ashi_interval_half_space(&in, &scaled, v3_neg(normal), 0, 0);
    }
    w->enter = in.enter > 0 ? in.enter : 0;
    w->leave = in.leave < ray->reach ? in.leave : ray->reach;
    w->border_normal = in.normal;
    if (!(w->enter <= w->leave))
        return false;
    for (int a = 0; a < 3; a++) {
        double at = w->place[a] + w->speed[a] * w->enter;
        w->cell[a] = !(at > 0) ? 0 : at >= def->cells[a] - 1 ? def->cells[a] - 2 : (uint32_t)at;
    }
    return true;
}

/* The position within the walk's cell at time t, kept within the cell in spite of rounding. */
static ash_vec3 place_in_cell(const walk *w, double t)
{
    double at[3];
    for (int a = 0; a < 3; a++) {
        double u = w->place[a] + w->speed[a] * t - w->cell[a];
        at[a] = u < 0 ? 0 : u > 1 ? 1 : u;
    }
    return v3(at[0], at[1], at[2]);
}

/* The axis along which the ray leaves the cell, and the time. */
static int next_border(const walk *w, double *t)
{
    int axis = -1;
    *t = INFINITY;
    for (int a = 0; a < 3; a++) {
        if (w->speed[a] == 0)
            continue;
        double at = (w->cell[a] + (w->speed[a] > 0) - w->place[a]) / w->speed[a];
        if (axis < 0 || at < *t) {
            *t = at;
            axis = a;
        }
    }
    return axis;
}

bool ashi_field_ray(const ash_geometry *geometry, const ash_ray *ray, ash_ray_hit *hit)
{
    const ash_geometry_def *def = &geometry->def;
    walk w;
    if (!begin_walk(&w, def, ray))
        return false;
    bool first = true;
    for (double from = w.enter;; first = false) {
        double border, f[8], c[4], s;
        int axis = next_border(&w, &border);
        double to = border < w.leave ? border : w.leave;
        to = to > from ? to : from;
        ashi_field_corners(def, w.cell[0], w.cell[1], w.cell[2], f);
        cubic_between(f, place_in_cell(&w, from), place_in_cell(&w, to), c);
        if (first_root(c, &s)) {
            hit->t = from + s * (to - from);
            hit->point = v3_add_scaled(ray->origin, ray->direction, hit->t);
            /* Already inside when it enters the grid: the grid's side cuts off the solid. */
            bool cut = first && s == 0 && v3_norm2(w.border_normal) > 0;
            hit->normal = v3_unit(cut ? w.border_normal : ashi_field_gradient(geometry, hit->point));
            if (v3_norm2(hit->normal) == 0)
                hit->normal = v3_neg(v3_unit(ray->direction));
            hit->part = (w.cell[2] * (def->cells[1] - 1) + w.cell[1]) * (def->cells[0] - 1) + w.cell[0];
            return hit->t <= ray->reach;
        }
        if (border >= w.leave || axis < 0)
            return false;
        if (w.speed[axis] > 0 ? w.cell[axis] + 2 >= def->cells[axis] : w.cell[axis] == 0)
            return false;
        w.cell[axis] += w.speed[axis] > 0 ? 1 : UINT32_MAX; /* one on, or one back */
        from = to;
    }
}
