/* One geometry of each kind, none of them symmetric where it can be helped, for tests that go through all kinds. */
#ifndef TESTS_SHAPE_SAMPLES_H
#define TESTS_SHAPE_SAMPLES_H

#include "ashlar/geometry.h"
#include "base/random.h"
#include "math/mat3.h"
#include "math/transform.h"
#include "shape/tessellate.h"

/* A ball with a dent, so that it is neither convex nor a true distance everywhere. */
static inline double sample_field(ash_vec3 p, void *user)
{
    (void)user;
    double ball = v3_norm(v3_sub(p, v3(0.1, 0, -0.05))) - 0.8, dent = 0.5 - v3_norm(v3_sub(p, v3(0.7, 0.3, 0.4)));
    return ball > dent ? ball : dent;
}

static inline ash_status create_sample(ash_geometry_kind kind, ash_geometry **geometry, ash_diagnostic *diagnostic)
{
    static const ash_vec3 points[] = {{1, 0.2, 0},     {-0.4, 0.9, 0.1}, {-0.7, -0.8, -0.2}, {0.5, -0.9, 0.3},
                                      {0.1, 0.2, 1.1}, {0, 0.1, -0.9},   {0.6, 0.5, 0.6},    {0.05, 0.02, 0.03}};
    static const ash_vec3 corners[] = {{1, 0.1, 0}, {0.3, 0.9, 0}, {-0.8, 0.6, 0}, {-0.7, -0.5, 0}, {0.4, -0.8, 0}};
    static const double heights[] = {0.1, 0.3, -0.2, 0.4, 0.6, 0.2, 0.0, 0.5, -0.3, 0.3, 0.35, 0.1};
    ash_geometry_def def = ash_default_geometry_def(kind);
    ashi_tessellation mesh = {0};
    ash_geometry_part parts[2] = {{NULL, {{0.6, 0.1, -0.3}, {1, 0, 0, 0}}}, {NULL, {{-0.5, -0.4, 0.5}, {1, 0, 0, 0}}}};
    ash_status status = ASH_OK;
    def.radius = kind == ASH_GEOMETRY_SEGMENT ? 0.2 : 0.7;
    def.height = 1.3;
    def.half_extents = v3(0.5, 1.1, 0.8);
    switch (kind) {
    case ASH_GEOMETRY_HULL:
        def.points = points;
        def.point_count = 8;
        break;
    case ASH_GEOMETRY_MESH: /* a bent sphere: not convex */
        if (!ashi_mesh_sphere(2, 0.9, &mesh))
            return ASH_OUT_OF_MEMORY;
        for (uint32_t i = 0; i < mesh.point_count; i++)
            mesh.points[i].z += 0.8 * mesh.points[i].x * mesh.points[i].x;
        def = ashi_tessellation_def(&mesh);
        break;
    case ASH_GEOMETRY_HEIGHT_FIELD:
        def.cells[0] = 4;
        def.cells[1] = 3;
        def.values = heights;
        def.origin = v3(-1, -0.7, 0.2);
        def.spacing = v3(0.6, 0.8, 0);
        break;
    case ASH_GEOMETRY_DISTANCE_FIELD:
        def.cells[0] = 21;
        def.cells[1] = 19;
        def.cells[2] = 20;
        def.origin = v3(-1, -1, -1);
        def.spacing = v3(0.1, 0.11, 0.1);
        def.sample_function = sample_field;
        break;
    case ASH_GEOMETRY_COMPOUND:
        parts[0].pose.rotation = q_unit((ash_quat){1, 0.3, -0.2, 0.5});
        status = create_sample(ASH_GEOMETRY_CYLINDER, &parts[0].geometry, diagnostic);
        if (status == ASH_OK)
            status = create_sample(ASH_GEOMETRY_HULL, &parts[1].geometry, diagnostic);
        def.parts = parts;
        def.part_count = 2;
        break;
    case ASH_GEOMETRY_POLYGON:
        def.points = corners;
        def.point_count = 5;
        break;
    case ASH_GEOMETRY_SEGMENT:
        def.points = corners;
        def.point_count = 2;
        break;
    default:
        break;
    }
    if (status == ASH_OK)
        status = ash_geometry_create(&def, geometry, diagnostic);
    ashi_tessellation_release(&mesh);
    for (int i = 0; i < 2; i++)
        ash_geometry_release(parts[i].geometry);
    return status;
}

/* A point uniform in the box. */
static inline ash_vec3 random_point(ashi_random *random, ash_vec3 lower, ash_vec3 upper)
{
    double x = ashi_random_range(random, lower.x, upper.x), y = ashi_random_range(random, lower.y, upper.y);
    return v3(x, y, ashi_random_range(random, lower.z, upper.z));
}

/* A direction uniform on the sphere. */
static inline ash_vec3 random_direction(ashi_random *random)
{
    for (;;) {
        ash_vec3 d = random_point(random, v3(-1, -1, -1), v3(1, 1, 1));
        if (v3_norm2(d) <= 1 && v3_norm2(d) > 0.01)
            return v3_unit(d);
    }
}

static inline ash_quat random_rotation(ashi_random *random)
{
    ash_vec3 a = random_point(random, v3(-1, -1, -1), v3(1, 1, 1));
    return q_unit((ash_quat){ashi_random_range(random, -1, 1), a.x, a.y, a.z + 1e-3});
}

#endif
