/* Box with half sizes along the axes, centred on the origin. */
#include "shape/geometry.h"
#include "shape/interval.h"

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    const double sizes[3] = {def->half_extents.x, def->half_extents.y, def->half_extents.z};
    static const char *const names[3] = {"half extent in x", "half extent in y", "half extent in z"};
    for (int i = 0; i < 3; i++) {
        ash_status status = ashi_check_size(sizes[i], "geometry.half-extents", names[i], &ashi_box, diagnostic);
        if (status != ASH_OK)
            return status;
    }
    ash_vec3 h = geometry->def.half_extents = def->half_extents;
    double mass = 8 * h.x * h.y * h.z;
    double xx = h.x * h.x, yy = h.y * h.y, zz = h.z * h.z;
    ash_sym3 inertia = s3_diagonal(mass * (yy + zz) / 3, mass * (xx + zz) / 3, mass * (xx + yy) / 3);
    return ashi_set_unit_mass(geometry, mass, v3(0, 0, 0), inertia, diagnostic);
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 d)
{
    ash_vec3 h = geometry->def.half_extents;
    return v3(d.x < 0 ? -h.x : h.x, d.y < 0 ? -h.y : h.y, d.z < 0 ? -h.z : h.z);
}

/* Its extent along a world axis, given as `axis` in the local frame. */
static double reach_along(ash_vec3 half, ash_vec3 axis)
{
    return v3_dot(v3_abs(axis), half);
}

static ash_bounds bounds(const ash_geometry *geometry, ash_transform pose)
{
    ash_vec3 half = geometry->def.half_extents;
    ash_mat3 axes = m3_transposed(m3_from_quat(pose.rotation)); /* columns: the world's axes in the local frame */
    ash_vec3 reach = v3(reach_along(half, axes.x), reach_along(half, axes.y), reach_along(half, axes.z));
    return (ash_bounds){v3_sub(pose.position, reach), v3_add(pose.position, reach)};
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    ash_vec3 h = geometry->def.half_extents;
    ashi_interval in = ashi_interval_all();
    ashi_interval_half_space(&in, line, v3(1, 0, 0), h.x, 0);
    ashi_interval_half_space(&in, line, v3(-1, 0, 0), h.x, 1);
    ashi_interval_half_space(&in, line, v3(0, 1, 0), h.y, 2);
    ashi_interval_half_space(&in, line, v3(0, -1, 0), h.y, 3);
    ashi_interval_half_space(&in, line, v3(0, 0, 1), h.z, 4);
    ashi_interval_half_space(&in, line, v3(0, 0, -1), h.z, 5);
    return ashi_interval_hit(&in, line, hit);
}

static double distance(const ash_geometry *geometry, ash_vec3 point)
{
    ash_vec3 beyond = v3_sub(v3_abs(point), geometry->def.half_extents);
    double nearest_face = v3_max_component(beyond);
    return nearest_face <= 0 ? nearest_face : v3_norm(v3_max(beyond, v3(0, 0, 0)));
}

static double projected_area(const ash_geometry *geometry, ash_vec3 u)
{
    ash_vec3 h = geometry->def.half_extents;
    return 4 * (fabs(u.x) * h.y * h.z + fabs(u.y) * h.x * h.z + fabs(u.z) * h.x * h.y);
}

const ashi_geometry_functions ashi_box = {
    .name = "box",
    .convex = true,
    .straight = true,
    .create = create,
    .bounds = bounds,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = projected_area,
};
