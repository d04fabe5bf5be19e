/* Convex bodies on meshes: a flat floor is flat whatever its triangles, a mesh of a box or sphere gives what the box or
 * sphere gives, and nothing breaks where features coincide. */
#include "surfaces.h"

#include "base/alloc.h"
#include "shape/geometry.h"

static ash_geometry *make_kind(ash_geometry_kind kind)
{
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    if (create_sample(kind, &geometry, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    return geometry;
}

/* The lowest point of a geometry at a pose. */
static double lowest(const ash_geometry *geometry, ash_transform pose)
{
    return ash_geometry_bounds(geometry, pose).lower.z;
}

/* The floor is the top, at z = 2, of a box of n x n squares; every contact must be a contact with that plane. */
static void check_on_floor(ashi_manifolds *found, const ash_geometry *body, ash_transform pose,
                           const ash_geometry *floor, ash_transform floor_pose, double margin)
{
    ash_transform world = t_mul(floor_pose, pose);
    collide(found, body, world, floor, floor_pose, margin);
    double depth = 2 - lowest(body, pose), deepest = -INFINITY;
    assert_int_equal(found->count, depth >= -margin ? 1 : 0);
    if (found->count == 0)
        return;
    const ashi_manifold *m = &found->data[0];
    ash_vec3 down = q_unrotate(floor_pose.rotation, q_rotate(world.rotation, m->normal));
    assert_near(v3_norm(v3_sub(down, v3(0, 0, -1))), 0, 1e-6);
    for (uint32_t k = 0; k < m->count; k++) {
        ash_vec3 on_floor = t_point_inverse(floor_pose, t_point(world, m->points[k].on_a));
        assert_near(on_floor.z, 2 - m->points[k].depth, 1e-9);
        deepest = fmax(deepest, m->points[k].depth);
    }
    assert_near(deepest, depth, 1e-9);
}

static void check_floor(ash_geometry *body, double size, uint32_t trials, uint64_t seed)
{
    ash_geometry *floor = make_mesh_box(13, 4, 4, 2);
    ashi_manifolds found = {0};
    ashi_random random = {seed};
    for (uint32_t n = 0; n < trials; n++) {
        ash_transform floor_pose = {random_point(&random, v3(-3, -3, -3), v3(3, 3, 3)), random_rotation(&random)};
        ash_transform pose = {random_point(&random, v3(-2, -2, 0), v3(2, 2, 0)), random_rotation(&random)};
        if (n % 4 == 0) /* flat on a side, or standing */
            pose.rotation =
                n % 8 == 0 ? q_exp(v3(0, 0, ashi_random_range(&random, -3, 3)))
                           : q_mul(q_exp(v3(0, 0, ashi_random_range(&random, -3, 3))), q_exp(v3(ASHI_PI / 2, 0, 0)));
        if (n % 3 == 0) { /* over corners and edges of the triangles */
            pose.position.x = rint(pose.position.x * 13 / 8) * 8 / 13;
            pose.position.y = n % 2 == 0 ? pose.position.x : pose.position.y;
        }
        double depth = ashi_random_range(&random, -0.02, n % 5 == 0 ? 0.3 : 0.05) * size;
        pose.position.z = -lowest(body, pose) - depth;
        pose.position.z += 2; /* the top of the box */
        check_on_floor(&found, body, pose, floor, floor_pose, 0.01);
    }
    ashi_array_release(&found);
    ash_geometry_release(floor);
    ash_geometry_release(body);
}

static void floor_is_flat_for_spheres(void **state)
{
    (void)state;
    check_floor(make_sphere(0.3), 0.3, TRIALS(100000), 1);
}

static void floor_is_flat_for_capsules(void **state)
{
    (void)state;
    check_floor(make_capsule(0.2, 0.7), 0.4, TRIALS(20000), 2);
}

static void floor_is_flat_for_boxes(void **state)
{
    (void)state;
    check_floor(make_box(0.3, 0.4, 0.5), 0.5, TRIALS(20000), 3);
}

static void floor_is_flat_for_other_kinds(void **state)
{
    (void)state;
    for (ash_geometry_kind kind = ASH_GEOMETRY_CYLINDER; kind <= ASH_GEOMETRY_HULL; kind++)
        check_floor(make_kind(kind), 0.5, TRIALS(4000), kind);
}

/* The outward normal of a box's surface nearest to a point, and by how much the second nearest place is farther. */
static ash_vec3 box_normal(ash_vec3 h, ash_vec3 p, double *lead)
{
    ash_vec3 off = v3_sub(p, v3_min(v3_max(p, v3_neg(h)), h));
    *lead = INFINITY;
    if (v3_norm2(off) > 0)
        return v3_unit(off);
    const double gap[6] = {h.x - p.x, h.x + p.x, h.y - p.y, h.y + p.y, h.z - p.z, h.z + p.z};
    int best = 0;
    for (int k = 1; k < 6; k++)
        best = gap[k] < gap[best] ? k : best;
    for (int k = 0; k < 6; k++)
        if (k != best)
            *lead = fmin(*lead, gap[k] - gap[best]);
    double sign = best % 2 == 0 ? 1 : -1;
    return v3(best / 2 == 0 ? sign : 0, best / 2 == 1 ? sign : 0, best / 2 == 2 ? sign : 0);
}

/* A sphere and a mesh of a box: one contact, as deep and along the same normal as with the box itself. */
static void sphere_on_mesh_box_agrees_with_box(void **state)
{
    (void)state;
    ash_vec3 h = v3(1, 0.7, 0.5);
    ashi_manifolds found = {0};
    ashi_random random = {4};
    for (uint32_t n = 1; n <= 4; n += 3) {
        ash_geometry *sphere = make_sphere(0.25), *mesh = make_mesh_box(n, h.x, h.y, h.z);
        ash_geometry *box = make_box(h.x, h.y, h.z);
        uint32_t touching = 0;
        for (uint32_t trial = 0; trial < TRIALS(100000); trial++) {
            ash_vec3 centre = random_point(&random, v3(-1.4, -1.1, -0.9), v3(1.4, 1.1, 0.9));
            ash_transform pose = {centre, random_rotation(&random)};
            double lead, distance = ash_geometry_distance(box, centre) - 0.25;
            ash_vec3 normal = box_normal(h, centre, &lead);
            collide(&found, sphere, pose, mesh, at(0, 0, 0), 0.02);
            if (fabs(distance - 0.02) < 1e-9 || lead < 1e-6)
                continue;
            assert_int_equal(found.count, distance < 0.02 ? 1 : 0);
            if (found.count == 0)
                continue;
            touching++;
            assert_int_equal(found.data[0].count, 1);
            assert_near(found.data[0].points[0].depth, -distance, 1e-12);
            ash_vec3 outward = v3_neg(q_rotate(pose.rotation, found.data[0].normal));
            assert_near(v3_norm(v3_sub(outward, normal)), 0, 2e-7);
            assert_near(v3_norm(found.data[0].points[0].on_a), 0.25, 1e-9);
        }
        assert_true(touching > TRIALS(20000));
        ash_geometry_release(sphere);
        ash_geometry_release(mesh);
        ash_geometry_release(box);
    }
    ashi_array_release(&found);
}

/* Shallow overlaps and gaps of a body with a mesh of a box: as deep as with the box itself, along its normal. Two ways
 * out may be nearly equally long, and boxes then prefer faces: a share of `exceptions` may differ, but never by more
 * than a twentieth of the body's reach. */
static void check_against_box(ash_geometry *body, double reach, uint32_t trials, uint64_t seed, double exceptions)
{
    ash_vec3 h = v3(1, 0.7, 0.5);
    ash_geometry *mesh = make_mesh_box(3, h.x, h.y, h.z), *box = make_box(h.x, h.y, h.z);
    ashi_manifolds one = {0}, two = {0};
    ashi_random random = {seed};
    uint32_t touching = 0, same = 0;
    for (uint32_t n = 0; n < trials; n++) {
        ash_vec3 edge = v3_add(h, v3(reach, reach, reach));
        ash_transform pose = {random_point(&random, v3_neg(edge), edge), random_rotation(&random)};
        collide(&two, body, pose, box, at(0, 0, 0), 0.02);
        const ashi_manifold *m = NULL, *expected = NULL;
        const ashi_manifold_point *q = deepest_point(&two, &expected);
        if (q != NULL && q->depth > 0.1 * reach)
            continue;
        collide(&one, body, pose, mesh, at(0, 0, 0), 0.02);
        const ashi_manifold_point *p = deepest_point(&one, &m);
        assert_int_equal(p != NULL, q != NULL);
        if (p == NULL)
            continue;
        touching++;
        assert_near(p->depth, q->depth, 0.05 * reach);
        same += fabs(p->depth - q->depth) < 1e-6 && v3_norm(v3_sub(m->normal, expected->normal)) < 1e-5;
    }
    printf("%s on a mesh of a box: %u of %u contacts as with the box\n",
           ash_geometry_kind_name(ash_geometry_get_definition(body)->kind), same, touching);
    assert_true(touching > trials / 25 && same + 1 >= touching * (1 - exceptions));
    ashi_array_release(&one);
    ashi_array_release(&two);
    ash_geometry_release(mesh);
    ash_geometry_release(box);
    ash_geometry_release(body);
}

static void bodies_on_mesh_box_agree_with_box(void **state)
{
    (void)state;
    check_against_box(make_capsule(0.2, 0.7), 0.55, TRIALS(40000), 31, 0);
    check_against_box(make_box(0.3, 0.4, 0.5), 0.7, TRIALS(40000), 32, 0.0002);
    check_against_box(make_kind(ASH_GEOMETRY_HULL), 0.9, TRIALS(30000), 33, 0);
    check_against_box(make_kind(ASH_GEOMETRY_CYLINDER), 0.9, TRIALS(10000), 34, 0);
}

/* A sphere on the mesh of a sphere: the true depth but for what the mesh's triangles cut off. */
static void sphere_on_mesh_sphere(void **state)
{
    (void)state;
    ashi_tessellation tessellation;
    assert_true(ashi_mesh_sphere(3, 1, &tessellation));
    ash_geometry_def def = ashi_tessellation_def(&tessellation);
    ash_geometry *mesh = make(&def), *sphere = make_sphere(0.3);
    double inner = INFINITY; /* how far inside the sphere the triangles reach */
    for (uint32_t t = 0; t < tessellation.triangle_count; t++) {
        const uint32_t *k = tessellation.triangles + 3 * (size_t)t;
        const ash_vec3 *p = tessellation.points;
        inner = fmin(inner, v3_norm(v3_scale(v3_add(v3_add(p[k[0]], p[k[1]]), p[k[2]]), 1.0 / 3)));
    }
    ashi_manifolds found = {0};
    ashi_random random = {41};
    for (uint32_t n = 0; n < TRIALS(40000); n++) {
        ash_vec3 along = random_direction(&random);
        double depth = ashi_random_range(&random, -0.01, 0.15), cut = 1 - inner;
        ash_transform pose = {v3_scale(along, 1.3 - depth), random_rotation(&random)};
        collide(&found, sphere, pose, mesh, at(0, 0, 0), 0.02);
        const ashi_manifold *m = NULL;
        const ashi_manifold_point *p = deepest_point(&found, &m);
        assert_non_null(p);
        assert_int_equal(found.count, 1);
        assert_true(p->depth <= depth + 1e-9 && p->depth >= depth - cut - 1e-9);
        assert_true(v3_dot(q_rotate(pose.rotation, m->normal), along) < -0.98);
    }
    ashi_array_release(&found);
    ashi_tessellation_release(&tessellation);
    ash_geometry_release(mesh);
    ash_geometry_release(sphere);
}

/* Every convex kind in any pose on a bent mesh, also where centres and corners coincide: finite, mirrored when
 * swapped, and no allocation when there is room. */
static void any_pose_on_a_bent_mesh(void **state)
{
    (void)state;
    ash_geometry *mesh = make_kind(ASH_GEOMETRY_MESH);
    ashi_manifolds one = {0}, other = {0};
    assert_true(ashi_array_reserve(&one, 1024));
    assert_true(ashi_array_reserve(&other, 1024));
    for (ash_geometry_kind kind = ASH_GEOMETRY_SPHERE; kind <= ASH_GEOMETRY_HULL; kind++) {
        ash_geometry *body = make_kind(kind);
        ashi_random random = {kind + 50};
        uint32_t touching = 0;
        ashi_alloc_fail_at(0, false);
        for (uint32_t n = 0; n < TRIALS(500); n++) {
            ash_transform pose = {v3_scale(random_direction(&random), ashi_random_range(&random, 0, 2)),
                                  random_rotation(&random)};
            if (n % 8 == 0) /* on corners of the mesh, upright */
                pose = (ash_transform){ash_geometry_get_definition(mesh)->points[n / 8 % 40], q_identity()};
            if (n % 50 == 1)
                pose = at(0, 0, 0);
            collide(&one, body, pose, mesh, at(0, 0, 0), 0.01);
            collide(&other, mesh, at(0, 0, 0), body, pose, 0.01);
            touching += one.count > 0;
            assert_int_equal(one.count > 0, other.count > 0);
            if (one.count == 0)
                continue;
            const ashi_manifold *m = NULL, *turned = NULL;
            const ashi_manifold_point *p = deepest_point(&one, &m), *q = deepest_point(&other, &turned);
            assert_near(p->depth, q->depth, 1e-6);
        }
        assert_int_equal(ashi_alloc_fail_at(0, false), 0);
        assert_true(touching > TRIALS(150));
        ash_geometry_release(body);
    }
    ashi_array_release(&one);
    ashi_array_release(&other);
    ash_geometry_release(mesh);
}

/* Tiny and huge: a floor is flat for bodies of 1e-4 m and of 1e4 m too. */
static void sizes_do_not_matter(void **state)
{
    (void)state;
    ashi_manifolds found = {0};
    for (int power = -4; power <= 4; power += 8) {
        double size = power < 0 ? 1e-4 : 1e4;
        ash_geometry *floor = make_mesh_box(5, 4 * size, 4 * size, size), *box = make_box(size, size, size);
        for (int n = 0; n < 50; n++) {
            ash_transform pose = {v3(0.03 * n * size, 0.02 * n * size, 1.99 * size), q_exp(v3(0, 0, 0.1 * n))};
            collide(&found, box, pose, floor, at(0, 0, 0), 0);
            assert_int_equal(found.count, 1);
            assert_int_equal(found.data[0].count, 4);
            for (uint32_t k = 0; k < 4; k++)
                assert_near(found.data[0].points[k].depth, 0.01 * size, 1e-9 * size);
        }
        ash_geometry_release(floor);
        ash_geometry_release(box);
    }
    ashi_array_release(&found);
}

/* Bodies slide slowly over the rim of a box and along its faces: the depth never jumps. */
static void sliding_is_continuous(void **state)
{
    (void)state;
    ash_geometry *mesh = make_mesh_box(4, 1, 1, 0.5);
    ash_geometry *bodies[3] = {make_sphere(0.3), make_capsule(0.2, 0.5), make_box(0.25, 0.3, 0.35)};
    ashi_manifolds found = {0};
    for (int b = 0; b < 3; b++)
        for (int path = 0; path < 4; path++) {
            const uint32_t steps = TRIALS(8000);
            double last = NAN, step = 2.0 / steps;
            ash_quat turn = q_exp(v3(0.3 * path, 0.2 * path, 0.1));
            double top = 0.5 - ash_geometry_bounds(bodies[b], (ash_transform){v3(0, 0, 0), turn}).lower.z;
            for (uint32_t n = 0; n < steps; n++) {
                ash_vec3 place = v3(-0.4 + n * step, 0.13 * path, top - 0.02);
                collide(&found, bodies[b], (ash_transform){place, turn}, mesh, at(0, 0, 0), 0.05);
                const ashi_manifold *m = NULL;
                const ashi_manifold_point *p = deepest_point(&found, &m);
                double depth = p == NULL ? -0.05 : p->depth;
                if (n > 0)
                    assert_near(depth, last, 1.5 * step);
                last = depth;
            }
            assert_near(last, -0.05, 1e-12); /* it has left */
        }
    ashi_array_release(&found);
    ash_geometry_release(mesh);
    for (int b = 0; b < 3; b++)
        ash_geometry_release(bodies[b]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floor_is_flat_for_spheres),
        cmocka_unit_test(floor_is_flat_for_capsules),
        cmocka_unit_test(floor_is_flat_for_boxes),
        cmocka_unit_test(floor_is_flat_for_other_kinds),
        cmocka_unit_test(sphere_on_mesh_box_agrees_with_box),
        cmocka_unit_test(bodies_on_mesh_box_agree_with_box),
        cmocka_unit_test(sphere_on_mesh_sphere),
        cmocka_unit_test(any_pose_on_a_bent_mesh),
        cmocka_unit_test(sizes_do_not_matter),
        cmocka_unit_test(sliding_is_continuous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
