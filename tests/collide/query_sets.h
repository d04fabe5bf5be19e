/* Geometries that are not convex, for the tests of closest points, casts and times of impact. */
#ifndef TESTS_COLLIDE_QUERY_SETS_H
#define TESTS_COLLIDE_QUERY_SETS_H

#include "check.h"

#include "collide/convexes.h"
#include "shape/tessellate.h"

static inline ash_geometry *made(const ash_geometry_def *def)
{
    ash_geometry *geometry = NULL;
    ash_diagnostic diagnostic = {0};
    if (ash_geometry_create(def, &geometry, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", diagnostic.code, diagnostic.message);
    return geometry;
}

static inline ash_geometry *make_ball(double radius)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    def.radius = radius;
    return made(&def);
}

static inline ash_geometry *make_block(double x, double y, double z)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = v3(x, y, z);
    return made(&def);
}

static inline ash_geometry *make_plane(void)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
    return made(&def);
}

/* A sphere of triangles as a mesh or, the same solid, as a hull. */
static inline ash_geometry *make_faceted_ball(uint32_t level, double radius, bool hull)
{
    ashi_tessellation mesh;
    assert_true(ashi_mesh_sphere(level, radius, &mesh));
    ash_geometry_def def = ashi_tessellation_def(&mesh);
    if (hull) {
        def = ash_default_geometry_def(ASH_GEOMETRY_HULL);
        def.points = mesh.points;
        def.point_count = mesh.point_count;
    }
    ash_geometry *geometry = made(&def);
    ashi_tessellation_release(&mesh);
    return geometry;
}

enum { HILLS = 24 };

/* Hills of height up to 0.5 over a square of side 4.6, centred on the origin. */
static inline ash_geometry *make_hills(uint64_t seed)
{
    static double heights[HILLS * HILLS];
    ashi_random random = {seed};
    for (int i = 0; i < HILLS * HILLS; i++)
        heights[i] = ashi_random_range(&random, 0, 0.5);
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HEIGHT_FIELD);
    def.cells[0] = def.cells[1] = HILLS;
    def.spacing = v3(0.2, 0.2, 0);
    def.origin = v3(-2.3, -2.3, 0);
    def.values = heights;
    return made(&def);
}

static inline double ball_distance(ash_vec3 point, void *user)
{
    return v3_norm(point) - *(double *)user;
}

/* A ball as a distance field on cells^3 samples over a cube of half side 1.3 radii. */
static inline ash_geometry *make_field_ball(double radius, uint32_t cells)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_DISTANCE_FIELD);
    double half = 1.3 * radius, spacing = 2 * half / (cells - 1.0);
    def.cells[0] = def.cells[1] = def.cells[2] = cells;
    def.origin = v3(-half, -half, -half);
    def.spacing = v3(spacing, spacing, spacing);
    def.sample_function = ball_distance;
    def.sample_user = &radius;
    return made(&def);
}

/* Two balls and a block, one beside the other. */
static inline ash_geometry *make_dumbbell(void)
{
    ash_geometry *ball = make_ball(0.4), *block = make_block(0.6, 0.1, 0.15);
    const ash_geometry_part parts[3] = {
        {ball, {v3(-0.8, 0, 0), q_identity()}}, {block, ash_identity()}, {ball, {v3(0.8, 0, 0.1), q_identity()}}};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_COMPOUND);
    def.parts = parts;
    def.part_count = 3;
    ash_geometry *compound = made(&def);
    ash_geometry_release(ball);
    ash_geometry_release(block);
    return compound;
}

static inline ash_transform at(double x, double y, double z)
{
    return (ash_transform){v3(x, y, z), q_identity()};
}

#endif
