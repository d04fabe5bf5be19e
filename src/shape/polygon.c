/* Convex polygon, flat. Corners are kept counter-clockwise; clockwise input is reversed, corners on a straight side are
 * dropped, z is ignored. Area, centroid and second moments by Green's theorem: each edge contributes the triangle that
 * it spans with a corner. */
#include "base/alloc.h"
#include "math/vec2.h"
#include "shape/geometry.h"
#include "shape/interval.h"
#include "shape/triangle.h"

/* Sine of the turn at a corner below which the side counts as straight. */
#define STRAIGHT 1e-12

static double cross2(ash_vec3 a, ash_vec3 b)
{
    return a.x * b.y - a.y * b.x;
}

static double area_of(const ash_vec3 *corners, uint32_t count)
{
    double doubled = 0;
    for (uint32_t i = 1; i + 1 < count; i++)
        doubled += cross2(v3_sub(corners[i], corners[0]), v3_sub(corners[i + 1], corners[0]));
    return doubled / 2;
}

static void reverse(ash_vec3 *corners, uint32_t count)
{
    for (uint32_t i = 0, j = count - 1; i < j; i++, j--) {
        ash_vec3 swap = corners[i];
        corners[i] = corners[j];
        corners[j] = swap;
    }
}

/* Positive for a turn to the left at corner i, 0 for a straight side; -2 for a turn straight back. */
static int turn_at(const ash_vec3 *corners, uint32_t count, uint32_t i)
{
    ash_vec3 in = v3_sub(corners[i], corners[(i + count - 1) % count]);
    ash_vec3 out = v3_sub(corners[(i + 1) % count], corners[i]);
    double sine = cross2(in, out), scale = v3_norm(in) * v3_norm(out);
    if (fabs(sine) > STRAIGHT * scale)
        return sine > 0 ? 1 : -1;
    return v3_dot(in, out) > 0 ? 0 : -2;
}

/* Whether the side goes down, or horizontally to the left: once around the polygon this changes twice. */
static bool goes_down(ash_vec3 from, ash_vec3 to)
{
    return to.y < from.y || (to.y == from.y && to.x < from.x);
}

static ash_status check_distinct(const ash_vec3 *corners, uint32_t count, ash_diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < count; i++) {
        ash_vec3 before = corners[(i + count - 1) % count], here = corners[i];
        if (before.x != here.x || before.y != here.y)
            continue;
        ashi_fail(diagnostic, ASH_BAD_DATA, "polygon.repeated", "corner (%g, %g) of the polygon is repeated", here.x,
                  here.y);
        return ashi_expect(diagnostic, "different corners"), ASH_BAD_DATA;
    }
    return ASH_OK;
}

static ash_status check_convex(const ash_vec3 *corners, uint32_t count, ash_diagnostic *diagnostic)
{
    uint32_t upturns = 0;
    for (uint32_t i = 0; i < count; i++) {
        ash_vec3 before = corners[(i + count - 1) % count], here = corners[i], after = corners[(i + 1) % count];
        int turn = turn_at(corners, count, i);
        if (turn == -2) {
            ashi_fail(diagnostic, ASH_BAD_DATA, "polygon.spike",
                      "the polygon turns straight back at its corner (%g, %g)", here.x, here.y);
            return ashi_expect(diagnostic, "corners with an angle between their sides"), ASH_BAD_DATA;
        }
        if (turn < 0) {
            ashi_fail(diagnostic, ASH_BAD_DATA, "polygon.concave", "the polygon is not convex at its corner (%g, %g)",
                      here.x, here.y);
            return ashi_expect(diagnostic, "a convex polygon; a concave one is an outline"), ASH_BAD_DATA;
        }
        upturns += goes_down(before, here) && !goes_down(here, after);
    }
    if (upturns != 1) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "polygon.crossing", "the polygon winds %u times around itself", upturns);
        return ashi_expect(diagnostic, "sides that do not cross"), ASH_BAD_DATA;
    }
    return ASH_OK;
}

static uint32_t drop_straight(ash_vec3 *corners, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        /* Neighbours: the last one kept and the next one given. */
        ash_vec3 window[3] = {kept > 0 ? corners[kept - 1] : corners[count - 1], corners[i], corners[(i + 1) % count]};
        if (turn_at(window, 3, 1) != 0)
            corners[kept++] = corners[i];
    }
    return kept;
}

static ash_status set_mass(ash_geometry *geometry, ash_diagnostic *diagnostic)
{
    const ash_vec3 *corners = geometry->def.points;
    ash_vec3 base = corners[0], first = v3(0, 0, 0);
    double area = 0, xx = 0, yy = 0, xy = 0;
    for (uint32_t i = 1; i + 1 < geometry->def.point_count; i++) {
        ash_vec3 p = v3_sub(corners[i], base), q = v3_sub(corners[i + 1], base);
        double part = cross2(p, q) / 2;
        area += part;
        first = v3_add_scaled(first, v3_add(p, q), part / 3);
        xx += part / 6 * (p.x * p.x + p.x * q.x + q.x * q.x);
        yy += part / 6 * (p.y * p.y + p.y * q.y + q.y * q.y);
        xy += part / 12 * (2 * p.x * p.y + p.x * q.y + q.x * p.y + 2 * q.x * q.y);
    }
    ash_vec3 shift = v3_scale(first, 1 / area);
    xx -= area * shift.x * shift.x;
    yy -= area * shift.y * shift.y;
    xy -= area * shift.x * shift.y;
    return ashi_set_unit_mass(geometry, area, v3_add(base, shift), (ash_sym3){yy, xx, xx + yy, -xy, 0, 0}, diagnostic);
}

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    uint32_t count = def->point_count;
    if (count < 3) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.points", "the polygon has %u corners", count);
        return ashi_expect(diagnostic, "at least 3"), ASH_BAD_DATA;
    }
    ash_status status = ashi_check_points(def->points, count, &ashi_polygon, diagnostic);
    if (status != ASH_OK)
        return status;
    void *copy;
    status = ashi_copy_elements(def->points, count, sizeof *def->points, &copy, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_vec3 *corners = copy;
    geometry->def.points = corners;
    for (uint32_t i = 0; i < count; i++)
        corners[i].z = 0;
    double area = area_of(corners, count);
    if (area < 0)
        reverse(corners, count);
    if (area == 0)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "polygon.no-area", "the polygon has no area");
    status = check_distinct(corners, count, diagnostic);
    if (status == ASH_OK)
        status = check_convex(corners, count, diagnostic);
    if (status != ASH_OK)
        return status;
    geometry->def.point_count = drop_straight(corners, count);
    if (geometry->def.point_count < 3)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "polygon.no-area", "the polygon has no area except for rounding");
    return set_mass(geometry, diagnostic);
}

static ash_bounds bounds(const ash_geometry *geometry, ash_transform pose)
{
    if (pose.rotation.x != 0 || pose.rotation.y != 0)
        return ashi_bounds_by_support(geometry, pose);
    ashi_pose2 flat = p2_of(pose);
    ashi_vec2 corner = p2_turn(flat, v2_of(geometry->def.points[0])), lower = corner, upper = corner;
    for (uint32_t i = 1; i < geometry->def.point_count; i++) {
        corner = p2_turn(flat, v2_of(geometry->def.points[i]));
        lower = v2(corner.x < lower.x ? corner.x : lower.x, corner.y < lower.y ? corner.y : lower.y);
        upper = v2(corner.x > upper.x ? corner.x : upper.x, corner.y > upper.y ? corner.y : upper.y);
    }
    return (ash_bounds){v3_add(pose.position, v3_of(lower)), v3_add(pose.position, v3_of(upper))};
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 d)
{
    ash_vec3 best = geometry->def.points[0];
    for (uint32_t i = 1; i < geometry->def.point_count; i++)
        if (v3_dot(geometry->def.points[i], d) > v3_dot(best, d))
            best = geometry->def.points[i];
    return best;
}

/* The outward unit normal of side i, which leads from corner i to the next. */
static ash_vec3 side_normal(const ash_geometry *geometry, uint32_t i)
{
    const ash_geometry_def *def = &geometry->def;
    ash_vec3 along = v3_sub(def->points[(i + 1) % def->point_count], def->points[i]);
    return v3_unit(v3(along.y, -along.x, 0));
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    ash_ray flat = ashi_flat_ray(line);
    ashi_interval in = ashi_interval_all();
    for (uint32_t i = 0; i < geometry->def.point_count; i++) {
        ash_vec3 normal = side_normal(geometry, i);
        ashi_interval_half_space(&in, &flat, normal, v3_dot(normal, geometry->def.points[i]), i);
    }
    return ashi_interval_hit(&in, &flat, hit);
}

static double distance(const ash_geometry *geometry, ash_vec3 point)
{
    const ash_geometry_def *def = &geometry->def;
    ash_vec3 p = v3(point.x, point.y, 0);
    double depth = -INFINITY, outside = INFINITY;
    for (uint32_t i = 0; i < def->point_count; i++) {
        double beyond = v3_dot(side_normal(geometry, i), v3_sub(p, def->points[i]));
        depth = beyond > depth ? beyond : depth;
        if (beyond > 0) { /* the nearest point lies on a side that faces p */
            ash_vec3 near = ashi_segment_nearest(def->points[i], def->points[(i + 1) % def->point_count], p);
            double gap = v3_distance(near, p);
            outside = gap < outside ? gap : outside;
        }
    }
    return depth > 0 ? outside : depth;
}

const ashi_geometry_functions ashi_polygon = {
    .name = "polygon",
    .straight = true,
    .flat = true,
    .create = create,
    .bounds = bounds,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = ashi_flat_width,
};
