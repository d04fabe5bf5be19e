/* Plane: the half space below z = 0. It has no bounds and no mass. */
#include "shape/geometry.h"
#include "shape/interval.h"

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    (void)geometry;
    (void)def;
    (void)diagnostic;
    return ASH_OK;
}

/* A half space ends only along its own normal: its box is finite along a world axis only if the normal is that axis. */
static ash_bounds bounds(const ash_geometry *geometry, ash_transform pose)
{
    (void)geometry;
    ash_vec3 n = q_rotate(pose.rotation, v3(0, 0, 1));
    ash_bounds all = {v3(-INFINITY, -INFINITY, -INFINITY), v3(INFINITY, INFINITY, INFINITY)};
    if (n.y == 0 && n.z == 0)
        *(n.x > 0 ? &all.upper.x : &all.lower.x) = pose.position.x;
    else if (n.x == 0 && n.z == 0)
        *(n.y > 0 ? &all.upper.y : &all.lower.y) = pose.position.y;
    else if (n.x == 0 && n.y == 0)
        *(n.z > 0 ? &all.upper.z : &all.lower.z) = pose.position.z;
    return all;
}

static double far_along(double component)
{
    return component > 0 ? (double)INFINITY : component < 0 ? -(double)INFINITY : 0;
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 d)
{
    (void)geometry;
    return v3(far_along(d.x), far_along(d.y), d.z < 0 ? -(double)INFINITY : 0);
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    (void)geometry;
    ashi_interval in = ashi_interval_all();
    ashi_interval_half_space(&in, line, v3(0, 0, 1), 0, 0);
    return ashi_interval_hit(&in, line, hit);
}

static double distance(const ash_geometry *geometry, ash_vec3 point)
{
    (void)geometry;
    return point.z;
}

static double projected_area(const ash_geometry *geometry, ash_vec3 direction)
{
    (void)geometry;
    (void)direction;
    return 0;
}

const ashi_geometry_functions ashi_plane = {
    .name = "plane",
    .straight = true,
    .face = true,
    .endless = true,
    .create = create,
    .bounds = bounds,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = projected_area,
};
