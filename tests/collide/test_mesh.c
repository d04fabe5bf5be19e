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
            if (distance < -0.5 + 1e-6) /* wholly behind the side it would leave by */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floor_is_flat_for_spheres),
        cmocka_unit_test(floor_is_flat_for_capsules),
        cmocka_unit_test(floor_is_flat_for_boxes),
        cmocka_unit_test(floor_is_flat_for_other_kinds),
        cmocka_unit_test(sphere_on_mesh_box_agrees_with_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
