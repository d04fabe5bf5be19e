/* What the tests of surfaces share: geometries in one line, collisions from scratch, and looks at the result. */
#ifndef TESTS_COLLIDE_SURFACES_H
#define TESTS_COLLIDE_SURFACES_H

#include "check.h"

#include "base/random.h"
#include "collide/manifold.h"
#include "math/mat3.h"
#include "shape/samples.h"
#include "shape/tessellate.h"

static inline ash_geometry *make(const ash_geometry_def *def)
{
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    if (ash_geometry_create(def, &geometry, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    return geometry;
}

static inline ash_geometry *make_sphere(double radius)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    def.radius = radius;
    return make(&def);
}

static inline ash_geometry *make_capsule(double radius, double height)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_CAPSULE);
    def.radius = radius;
    def.height = height;
    return make(&def);
}

static inline ash_geometry *make_box(double x, double y, double z)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = v3(x, y, z);
    return make(&def);
}

/* A box as a mesh with n x n squares on each side. */
static inline ash_geometry *make_mesh_box(uint32_t n, double x, double y, double z)
{
    ashi_tessellation mesh;
    assert_true(ashi_mesh_box(n, v3(x, y, z), &mesh));
    ash_geometry_def def = ashi_tessellation_def(&mesh);
    ash_geometry *geometry = make(&def);
    ashi_tessellation_release(&mesh);
    return geometry;
}

static inline ash_geometry *make_plane(void)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
    return make(&def);
}

/* The manifolds of two geometries at poses in the world, still in the frame of a. */
static inline void collide(ashi_manifolds *found, const ash_geometry *a, ash_transform pose_a, const ash_geometry *b,
                           ash_transform pose_b, double margin)
{
    ashi_pair pair = {a, b, t_mul(t_inverse(pose_a), pose_b), margin, false, NULL, {0}};
    found->count = 0;
    assert_true(ashi_collide(&pair, found));
    for (uint32_t i = 0; i < found->count; i++) {
        const ashi_manifold *m = &found->data[i];
        assert_true(m->count > 0 && m->count <= ASHI_MANIFOLD_POINTS);
        assert_near(v3_norm(m->normal), 1, 1e-9);
        for (uint32_t k = 0; k < m->count; k++) {
            assert_true(v3_is_finite(m->points[k].on_a) && isfinite(m->points[k].depth));
            assert_true(m->points[k].depth >= -margin - 1e-9);
        }
    }
}

static inline ash_transform at(double x, double y, double z)
{
    return (ash_transform){v3(x, y, z), q_identity()};
}

/* The deepest point of all manifolds; null when there is none. */
static inline const ashi_manifold_point *deepest_point(const ashi_manifolds *found, const ashi_manifold **manifold)
{
    const ashi_manifold_point *best = NULL;
    for (uint32_t i = 0; i < found->count; i++)
        for (uint32_t k = 0; k < found->data[i].count; k++)
            if (best == NULL || found->data[i].points[k].depth > best->depth) {
                best = &found->data[i].points[k];
                *manifold = &found->data[i];
            }
    return best;
}

#endif
