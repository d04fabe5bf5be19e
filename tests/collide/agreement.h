/* One pair of polyhedra in one pose against the oracles of polyhedra.h. */
#ifndef TESTS_COLLIDE_AGREEMENT_H
#define TESTS_COLLIDE_AGREEMENT_H

#include "collide/ccd_oracle.h"
#include "collide/convex/polyhedron_pair.h"
#include "collide/polyhedra.h"

/* What was met, and room to work in. */
typedef struct agreement {
    ashi_manifolds manifolds, turned;
    uint32_t apart, near, touching; /* farther than the margin, within it, overlapping */
    uint32_t single_points;
    uint32_t gradients; /* compared with the normal */
    bool without_ccd;   /* libccd does not come to an end for some faces that meet exactly */
    uint32_t ccd_asked, ccd_found, ccd_agrees, ccd_deeper; /* overlaps asked about; found; same depth; a larger one */
} agreement;

static inline void agreement_release(agreement *result)
{
    ashi_array_release(&result->manifolds);
    ashi_array_release(&result->turned);
}

/* After many random poses: libccd agrees nearly always, normals were compared, and nothing is kept. */
static inline void agreement_check(agreement *result)
{
    agreement_release(result);
    print_message(
        "%u touching, %u near, %u apart; %u single points; libccd: %u asked, %u found, %u agree, %u deeper; %u gradients\n",
        result->touching, result->near, result->apart, result->single_points, result->ccd_asked, result->ccd_found,
        result->ccd_agrees, result->ccd_deeper, result->gradients);
    assert_true(result->ccd_agrees > 0.9 * result->ccd_asked);
    assert_true(result->gradients > result->touching / 100);
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
    const ashi_manifold *m = &result->manifolds.data[0], *turned = &result->turned.data[0];
    assert_near(deepest(&result->turned), deepest(&result->manifolds), tolerance);
    if (result->without_ccd) /* poses where several axes are equally good */
        return;
    if (deepest(&result->manifolds) > 0) /* apart, a vertex nearest to an edge lies on the limit of being clipped */
        assert_int_equal(turned->count, m->count);
    assert_near(v3_distance(q_rotate(b->pose.rotation, turned->normal), v3_neg(m->normal)), 0, 1e-6);
}

/* libccd never finds a direction with a smaller depth than ours. The depth that it reports is nearly always ours; for
 * about 5 % of box pairs, whose supports are coplanar, it reports less than the gap along its own normal. */
static inline void check_ccd(agreement *result, const solid *a, const solid *b, double depth, double tolerance)
{
    double ccd_depth = 0;
    ash_vec3 ccd_normal = v3(0, 0, 0);
    result->ccd_asked++;
    if (!ccd_penetration(a->geometry, b->geometry, b->pose, &ccd_depth, &ccd_normal) || !(v3_norm(ccd_normal) > 0.5))
        return;
    result->ccd_found++;
    assert_below(depth, -gap_along(a, b, v3_unit(ccd_normal)) + tolerance);
    result->ccd_agrees += fabs(ccd_depth - depth) <= tolerance;
    result->ccd_deeper += ccd_depth > depth + tolerance;
}

/* Moving b changes the depth as the normal says: central differences of the oracle, where no other axis takes over. */
static inline void check_gradient(agreement *result, const solid *a, const solid *b, ash_vec3 normal)
{
    double step = 1e-6 * a->size, gradient[3], ahead, behind;
    ash_vec3 along_ahead, along_behind;
    const ash_vec3 axes[3] = {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)};
    for (int i = 0; i < 3; i++) {
        ash_transform pose = b->pose;
        pose.position = v3_add_scaled(b->pose.position, axes[i], step);
        solid moved = solid_of(b->geometry, pose);
        ahead = largest_gap(a, &moved, &along_ahead);
        pose.position = v3_add_scaled(b->pose.position, axes[i], -step);
        moved = solid_of(b->geometry, pose);
        behind = largest_gap(a, &moved, &along_behind);
        if (v3_distance(along_ahead, along_behind) > 1e-9)
            return; /* two axes nearly as good */
        gradient[i] = (ahead - behind) / (2 * step);
    }
    result->gradients++;
    assert_near(v3_distance(v3(gradient[0], gradient[1], gradient[2]), normal), 0, 1e-7);
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
        if (distance < -slack && !result->without_ccd)
            check_ccd(result, &a, &b, deepest(found), slack + rounding);
        /* Unless a face was taken that is worse than an edge pair by less than the slack. */
        if (distance < -slack && fabs(deepest(found) + distance) < rounding && result->touching % 50 == 0)
            check_gradient(result, &a, &b, m->normal);
    }
    check_mirrored(result, &a, &b, margin, 2 * slack);
}

#endif
