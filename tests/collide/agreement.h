/* One pair of polyhedra in one pose against the oracles of polyhedra.h. */
#ifndef TESTS_COLLIDE_AGREEMENT_H
#define TESTS_COLLIDE_AGREEMENT_H

#include "collide/polyhedra.h"
#include "collide/polyhedron_pair.h"

/* What was met, and room to work in. */
typedef struct agreement {
    ashi_manifolds manifolds, turned;
    uint32_t apart, near, touching; /* farther than the margin, within it, overlapping */
    uint32_t single_points;
} agreement;

static inline void agreement_release(agreement *result)
{
    ashi_array_release(&result->manifolds);
    ashi_array_release(&result->turned);
}

static inline ash_transform random_pose(ashi_random *random, double reach)
{
    ash_vec3 direction = random_direction(random);
    double distance = ashi_random_range(random, 0, reach);
    return (ash_transform){v3_scale(direction, distance), random_rotation(random)};
}

/* All points lie on a, and opposite on b; depths are the gaps; features differ. */
static inline void check_points(const ashi_manifold *m, const solid *a, const solid *b, double tolerance)
{
    assert_near(v3_norm(m->normal), 1, 1e-12);
    for (uint32_t i = 0; i < m->count; i++) {
        const ashi_manifold_point *p = &m->points[i];
        ash_vec3 on_b = v3_add_scaled(p->on_a, m->normal, -p->depth);
        assert_near(ash_geometry_distance(a->geometry, p->on_a), 0, tolerance);
        assert_near(ash_geometry_distance(b->geometry, t_point_inverse(b->pose, on_b)), 0, tolerance);
        assert_true(p->feature != 0);
    }
}

/* The same seen from b. */
static inline void check_mirrored(agreement *result, const solid *a, const solid *b, double margin, double tolerance)
{
    collide(&result->turned, b->geometry, a->geometry, t_inverse(b->pose), margin, true, NULL);
    assert_int_equal(result->turned.count, result->manifolds.count);
    if (result->turned.count == 0)
        return;
    assert_near(deepest(&result->turned), deepest(&result->manifolds), tolerance);
}

static inline void agree(agreement *result, const ash_geometry *geometry_a, const ash_geometry *geometry_b,
                         ash_transform pose, double margin)
{
    solid a = solid_of(geometry_a, ash_identity()), b = solid_of(geometry_b, pose);
    ash_vec3 normal;
    double gap = largest_gap(&a, &b, &normal), size = fmax(a.size, b.size), rounding = 1e-9 * size;
    double distance = gap > 0 ? solid_distance(&a, &b) : gap;
    double slack = ashi_face_slack(distance, fmin(a.size, b.size)) + rounding;
    collide(&result->manifolds, geometry_a, geometry_b, pose, margin, true, NULL);
    const ashi_manifolds *found = &result->manifolds;
    result->apart += distance > margin;
    result->near += distance > 0 && distance <= margin;
    result->touching += distance <= 0;
    if (distance > margin + slack)
        assert_int_equal(found->count, 0);
    if (distance < margin - slack)
        assert_int_equal(found->count, 1);
    if (found->count == 1) {
        const ashi_manifold *m = &found->data[0];
        result->single_points += m->count == 1;
        assert_near(deepest(found), -distance, slack);
        assert_near(gap_along(&a, &b, m->normal), -deepest(found), slack);
        check_points(m, &a, &b, rounding);
    }
    check_mirrored(result, &a, &b, margin, 2 * slack);
}

#endif
