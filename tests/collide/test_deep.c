/* Convex bodies deep in closed meshes and in height fields, up to wholly inside.
 *
 * A mesh of a box against the box itself, which knows nothing of triangles: the depth is that of the shortest way out,
 * and moving along the normal by the depth frees the body, by support functions alone. A floor of triangles against a
 * plane. Meshes that are not convex: a body that is pushed out along its deepest contact, again and again, gets out,
 * judged by points of its surface in the distance of the mesh. */
#include "surfaces.h"

#include "collide/convex/polyhedron_pair.h"
#include "shape/geometry.h"

static ash_geometry *make_kind(ash_geometry_kind kind)
{
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    if (create_sample(kind, &geometry, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    return geometry;
}

/* How far along the unit vector `out` a body must move to be free of a convex geometry at the origin. */
static double way_along(const ash_geometry *body, ash_transform pose, const ash_geometry *solid, ash_vec3 out)
{
    ash_vec3 low = t_point(pose, ash_geometry_support(body, q_unrotate(pose.rotation, v3_neg(out))));
    return v3_dot(out, v3_sub(ash_geometry_support(solid, out), low));
}

/* A body anywhere in and around a mesh of a box, at any depth. */
static void check_in_box(ash_geometry *body, double reach, uint32_t squares, uint32_t trials)
{
    ash_vec3 h = v3(1, 0.7, 0.5), edge = v3_add(h, v3(reach, reach, reach));
    ash_geometry *mesh = make_mesh_box(squares, h.x, h.y, h.z), *box = make_box(h.x, h.y, h.z);
    ashi_manifolds found = {0}, expected = {0};
    ashi_random random = {squares + 100 * (uint64_t)ash_geometry_get_definition(body)->kind};
    uint32_t deep = 0;
    for (uint32_t n = 0; n < trials; n++) {
        ash_transform pose = {random_point(&random, v3_neg(edge), edge), random_rotation(&random)};
        if (n % 5 == 0) /* sunk to half, aligned but for a turn about z */
            pose = (ash_transform){v3(pose.position.x, pose.position.y, h.z), q_exp(v3(0, 0, pose.rotation.w))};
        const ashi_manifold *m = NULL, *other = NULL;
        collide(&expected, body, pose, box, at(0, 0, 0), 0);
        collide(&found, body, pose, mesh, at(0, 0, 0), 0);
        const ashi_manifold_point *q = deepest_point(&expected, &other), *p = deepest_point(&found, &m);
        if (q == NULL || q->depth < 1e-6)
            continue;
        assert_non_null(p);
        /* Boxes prefer faces to edges by a little; the mesh may be left by the shorter way. */
        double slack = ashi_face_slack(q->depth, 2 * reach);
        assert_true(p->depth <= q->depth + 1e-9 && p->depth >= q->depth - slack);
        assert_near(way_along(body, pose, box, v3_neg(q_rotate(pose.rotation, m->normal))), p->depth, 1e-6);
        for (uint32_t i = 0; i < found.count; i++) /* none pulls against the way out */
            assert_true(v3_dot(found.data[i].normal, m->normal) > 0);
        deep += q->depth > 0.2 * reach;
    }
    assert_true(deep > trials / 5);
    ashi_array_release(&found);
    ashi_array_release(&expected);
    ash_geometry_release(mesh);
    ash_geometry_release(box);
    ash_geometry_release(body);
}

static void box_mesh_is_left_like_a_box(void **state)
{
    (void)state;
    for (uint32_t squares = 1; squares <= 4; squares += 3) {
        check_in_box(make_sphere(0.3), 0.3, squares, TRIALS(8000));
        check_in_box(make_capsule(0.2, 0.7), 0.55, squares, TRIALS(8000));
        check_in_box(make_box(0.3, 0.4, 0.5), 0.7, squares, TRIALS(8000));
        check_in_box(make_kind(ASH_GEOMETRY_HULL), 0.9, squares, TRIALS(1500));
        check_in_box(make_kind(ASH_GEOMETRY_CYLINDER), 0.9, squares, TRIALS(1500));
        check_in_box(make_kind(ASH_GEOMETRY_CONE), 0.9, squares, TRIALS(1500));
        check_in_box(make_kind(ASH_GEOMETRY_ELLIPSOID), 0.9, squares, TRIALS(1500));
    }
}

/* The body on the ground and on a plane at the same height: as deep, along the same normal. */
static void check_on_plane(const ash_geometry *body, ash_transform pose, const ash_geometry *ground,
                           ash_transform place, ashi_manifolds *found, ashi_manifolds *expected)
{
    ash_geometry *plane = make_plane();
    const ashi_manifold *m = NULL, *other = NULL;
    collide(expected, body, pose, plane, at(0, 0, 0), 0.01);
    collide(found, body, pose, ground, place, 0.01);
    const ashi_manifold_point *q = deepest_point(expected, &other), *p = deepest_point(found, &m);
    assert_non_null(q);
    assert_int_equal(found->count, 1);
    assert_near(p->depth, q->depth, 1e-9);
    assert_near(v3_distance(m->normal, other->normal), 0, 1e-6);
    ash_geometry_release(plane);
}

/* Sunk by any part of its height, and on a mesh also wholly below the floor. */
static void floor_is_left_upward(void **state)
{
    (void)state;
    ash_geometry *floor = make_mesh_box(13, 4, 4, 3);
    double values[13 * 16] = {0};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HEIGHT_FIELD);
    def.cells[0] = 13;
    def.cells[1] = 16;
    def.origin = v3(-4, -4, 0);
    def.spacing = v3(8.0 / 12, 8.0 / 15, 0);
    def.values = values;
    ash_geometry *field = make(&def);
    ashi_manifolds found = {0}, expected = {0};
    for (ash_geometry_kind kind = ASH_GEOMETRY_SPHERE; kind <= ASH_GEOMETRY_HULL; kind++) {
        ash_geometry *body = make_kind(kind);
        ashi_random random = {kind + 7};
        for (uint32_t n = 0; n < TRIALS(400); n++) {
            ash_transform pose = {random_point(&random, v3(-1, -1, 0), v3(1, 1, 0)), random_rotation(&random)};
            ash_bounds box = ash_geometry_bounds(body, pose);
            double height = box.upper.z - box.lower.z, sunk = ashi_random_range(&random, 0, 0.97);
            pose.position.z = -box.lower.z - sunk * height;
            check_on_plane(body, pose, field, at(0, 0, 0), &found, &expected);
            check_on_plane(body, pose, floor, at(0, 0, -3), &found, &expected);
            pose.position.z -= 0.3; /* the floor is still much thicker */
            check_on_plane(body, pose, floor, at(0, 0, -3), &found, &expected);
        }
        ash_geometry_release(body);
    }
    ashi_array_release(&found);
    ashi_array_release(&expected);
    ash_geometry_release(floor);
    ash_geometry_release(field);
}

/* An angle, 2 by 2 with a notch of 1 by 1, from z = -0.5 to 0.5. */
static ash_geometry *make_angle(void)
{
    static const double outline[6][2] = {{-1, -1}, {1, -1}, {1, 0}, {0, 0}, {0, 1}, {-1, 1}};
    static const uint32_t cap[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    ash_vec3 points[12];
    uint32_t triangles[60], count = 0;
    for (uint32_t i = 0; i < 12; i++)
        points[i] = v3(outline[i % 6][0], outline[i % 6][1], i < 6 ? -0.5 : 0.5);
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t k = 0; k < 6; k++) /* the upper cap, and the lower one the other way round */
            triangles[count++] = k < 3 ? 6 + cap[c][k] : cap[c][5 - k];
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t j = (i + 1) % 6;
        const uint32_t side[6] = {i, j, 6 + j, i, 6 + j, 6 + i};
        for (uint32_t k = 0; k < 6; k++)
            triangles[count++] = side[k];
    }
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_MESH);
    def.points = points;
    def.point_count = 12;
    def.triangles = triangles;
    def.triangle_count = 20;
    return make(&def);
}

/* The shortest way out of the mesh's box. */
static double way_out_of_bounds(const ash_geometry *body, ash_transform pose, const ash_geometry *mesh)
{
    ash_bounds b = ash_geometry_bounds(body, pose), m = ash_geometry_bounds(mesh, at(0, 0, 0));
    ash_vec3 up = v3_sub(m.upper, b.lower), down = v3_sub(b.upper, m.lower);
    return fmin(fmin(fmin(up.x, up.y), up.z), fmin(fmin(down.x, down.y), down.z));
}

/* The least distance from the mesh of points of the body's surface. */
static double least_distance(const ash_geometry *body, ash_transform pose, const ash_geometry *mesh)
{
    ashi_random random = {9};
    double least = INFINITY;
    for (int n = 0; n < 60; n++) {
        ash_vec3 point = ash_geometry_support(body, random_direction(&random));
        least = fmin(least, ash_geometry_distance(mesh, t_point(pose, point)));
    }
    return fmin(least, ash_geometry_distance(mesh, t_point(pose, body->unit_mass.centre)));
}

/* What pushing along the deepest contact comes to. */
typedef struct pushing {
    uint32_t most_pushes;
    double farthest; /* relative to the way out of the box */
} pushing;

static pushing push_out(ash_geometry *body, const ash_geometry *mesh, uint32_t trials)
{
    pushing result = {0};
    ashi_manifolds found = {0};
    ashi_random random = {ash_geometry_get_definition(body)->kind + 3};
    for (uint32_t n = 0; n < trials; n++) {
        ash_transform pose = {random_point(&random, v3(-1.2, -1.2, -0.8), v3(1.2, 1.2, 0.8)), random_rotation(&random)};
        double bound = way_out_of_bounds(body, pose, mesh), travel = 0;
        for (uint32_t pushes = 0;; pushes++) {
            const ashi_manifold *m = NULL;
            collide(&found, body, pose, mesh, at(0, 0, 0), 0);
            const ashi_manifold_point *p = deepest_point(&found, &m);
            result.most_pushes = pushes > result.most_pushes ? pushes : result.most_pushes;
            if (p == NULL || p->depth < 1e-4)
                break;
            assert_true(pushes < 10);
            travel += p->depth;
            pose.position = v3_add_scaled(pose.position, q_rotate(pose.rotation, m->normal), -p->depth);
        }
        assert_true(least_distance(body, pose, mesh) > -2e-4);
        result.farthest = fmax(result.farthest, bound > 0.1 ? travel / bound : 0);
    }
    ashi_array_release(&found);
    ash_geometry_release(body);
    return result;
}

static void bent_meshes_are_left(void **state)
{
    (void)state;
    ash_geometry *meshes[2] = {make_angle(), make_kind(ASH_GEOMETRY_MESH)};
    for (int i = 0; i < 2; i++) {
        pushing worst = {0};
        for (ash_geometry_kind kind = ASH_GEOMETRY_SPHERE; kind <= ASH_GEOMETRY_HULL; kind++) {
            ash_geometry *bodies[2] = {make_kind(kind), make_box(0.1, 0.15, 0.2)};
            if (kind != ASH_GEOMETRY_SPHERE) /* the small one once */
                ash_geometry_release(bodies[1]);
            for (int k = 0; k < (kind == ASH_GEOMETRY_SPHERE ? 2 : 1); k++) {
                pushing p = push_out(bodies[k], meshes[i], TRIALS(i == 0 ? 600 : 150));
                worst.most_pushes = p.most_pushes > worst.most_pushes ? p.most_pushes : worst.most_pushes;
                worst.farthest = fmax(worst.farthest, p.farthest);
            }
        }
        print_message("%s: out after at most %u pushes, and %.2f times the way out of its box\n",
                      i == 0 ? "angle" : "bent sphere", worst.most_pushes, worst.farthest);
        assert_true(worst.farthest < (i == 0 ? 2 : 1.1));
        ash_geometry_release(meshes[i]);
    }
}

/* Sinks slowly from above until it is wholly inside, and on: the way out neither jumps nor turns down. */
static void sinking_is_continuous(void **state)
{
    (void)state;
    ash_geometry *mesh = make_mesh_box(4, 2, 2, 1.5);
    ash_geometry *bodies[3] = {make_box(0.3, 0.4, 0.5), make_capsule(0.2, 0.5), make_kind(ASH_GEOMETRY_CYLINDER)};
    ashi_manifolds found = {0};
    const uint32_t steps = 500 + TRIALS(1000);
    for (int b = 0; b < 3; b++) {
        double last = NAN, step = 2.4 / steps;
        ash_quat turn = q_exp(v3(0.3, 0.2, 0.1));
        double top = 1.5 - ash_geometry_bounds(bodies[b], (ash_transform){v3(0, 0, 0), turn}).lower.z;
        for (uint32_t n = 1; n < steps; n++) {
            ash_transform pose = {v3(0.13, 0.24, top - n * step), turn};
            const ashi_manifold *m = NULL;
            collide(&found, bodies[b], pose, mesh, at(0, 0, 0), 0);
            const ashi_manifold_point *p = deepest_point(&found, &m);
            assert_non_null(p);
            if (n * step < 1.2) { /* upward is the shortest */
                assert_near(p->depth, n * step, 1e-9);
                assert_near(v3_distance(q_rotate(turn, m->normal), v3(0, 0, -1)), 0, 1e-6);
            }
            if (n > 1)
                assert_near(p->depth, last, 1.0001 * step);
            last = p->depth;
        }
    }
    ashi_array_release(&found);
    ash_geometry_release(mesh);
    for (int b = 0; b < 3; b++)
        ash_geometry_release(bodies[b]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_mesh_is_left_like_a_box),
        cmocka_unit_test(floor_is_left_upward),
        cmocka_unit_test(bent_meshes_are_left),
        cmocka_unit_test(sinking_is_continuous),
    };
    return cmocka_run_group_tests_name("collide/deep", tests, NULL, NULL);
}
