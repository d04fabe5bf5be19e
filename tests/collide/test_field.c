/* Distance fields against everything: the field of a ball gives what a ball gives, but for an error that falls with
 * the square of the cell size. */
#include "surfaces.h"

#include "base/alloc.h"
#include "shape/distance_field.h"

#define RADIUS 0.5

static double ball(ash_vec3 p, void *user)
{
    return v3_norm(p) - *(const double *)user;
}

static double brick(ash_vec3 p, void *user)
{
    ash_vec3 h = *(const ash_vec3 *)user, off = v3_sub(v3_abs(p), h);
    return v3_norm(v3_max(off, v3(0, 0, 0))) + fmin(v3_max_component(off), 0);
}

/* A grid of n samples a side around a solid that reaches `reach` from the middle. */
static ash_geometry *make_field(uint32_t n, double reach, ash_distance_function function, void *user)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_DISTANCE_FIELD);
    double side = 1.3 * reach;
    def.cells[0] = def.cells[1] = def.cells[2] = n;
    def.origin = v3(-side, -side, -side);
    def.spacing = v3_scale(v3(1, 1, 1), 2 * side / (n - 1));
    def.sample_function = function;
    def.sample_user = user;
    return make(&def);
}

static ash_geometry *make_ball_field(uint32_t n)
{
    double radius = RADIUS;
    return make_field(n, RADIUS, ball, &radius);
}

static void samples_lie_on_the_surface(void **state)
{
    (void)state;
    ash_geometry *field = make_ball_field(21);
    const ashi_field_samples *samples = &field->field->samples;
    double spacing = field->def.spacing.x, farthest = 0;
    assert_true(samples->points.count > 500);
    for (uint32_t i = 0; i < samples->points.count; i++)
        assert_near(ash_geometry_distance(field, samples->points.data[i]), 0, 1e-6);
    ashi_random random = {1};
    for (uint32_t n = 0; n < 2000; n++) { /* no hole in the covering is wider than a cell */
        ash_vec3 place = v3_scale(random_direction(&random), RADIUS);
        double nearest = INFINITY;
        for (uint32_t i = 0; i < samples->points.count; i++)
            nearest = fmin(nearest, v3_distance(place, samples->points.data[i]));
        farthest = fmax(farthest, nearest);
    }
    assert_below(farthest, spacing);
    assert_true(samples->slope >= 1 - 0.1 && samples->slope <= sqrt(3) + 1e-9);
    ash_geometry_release(field);
}

/* The tree holds each point once, within all spheres above it. */
static void tree_holds_all_samples(void **state)
{
    (void)state;
    ash_geometry *field = make_ball_field(17);
    const ashi_field_samples *s = &field->field->samples;
    uint32_t next = 0;
    for (uint32_t n = 0; n < s->nodes.count; n++) {
        const ashi_sample_node *node = &s->nodes.data[n];
        if (node->count == 0) {
            assert_true(node->first > n + 1 && node->first < s->nodes.count);
            continue;
        }
        assert_int_equal(node->first, next);
        next += node->count;
        for (uint32_t i = node->first; i < next; i++)
            assert_below(v3_distance(s->points.data[i], node->centre), node->radius);
    }
    assert_int_equal(next, s->points.count);
    ash_geometry_release(field);
}

typedef struct meeting {
    double depth_error, normal_error; /* mean squares */
    uint32_t count;
} meeting;

/* A ball's field at the origin against another geometry whose true distance from its centre is known. */
static meeting meet(const ash_geometry *field, const ash_geometry *other, uint32_t trials)
{
    meeting sum = {0, 0, 0};
    ashi_manifolds found = {0};
    ashi_random random = {7};
    bool is_plane = ash_geometry_get_definition(other)->kind == ASH_GEOMETRY_PLANE;
    for (uint32_t n = 0; n < trials; n++) {
        /* Place the centre in the other's frame, at the distance that gives the depth wanted. */
        double depth = ashi_random_range(&random, -0.005, 0.05);
        ash_vec3 centre = v3_scale(random_direction(&random), 3), outward = v3(0, 0, 0);
        if (is_plane)
            centre.z = RADIUS - depth;
        for (int k = 0; k < 60 && !is_plane; k++) { /* along a ray, by the distance left */
            double rest = ash_geometry_distance(other, centre) - (RADIUS - depth);
            centre = v3_add_scaled(centre, v3_unit(centre), -rest);
        }
        double h = 1e-6;
        for (int axis = 0; axis < 3; axis++) {
            ash_vec3 e = v3(axis == 0, axis == 1, axis == 2);
            double rise = ash_geometry_distance(other, v3_add_scaled(centre, e, h)) -
                          ash_geometry_distance(other, v3_add_scaled(centre, e, -h));
            outward = v3_add_scaled(outward, e, rise / (2 * h));
        }
        ash_transform pose = {random_point(&random, v3(-1, -1, -1), v3(1, 1, 1)), random_rotation(&random)};
        ash_transform ball_pose = {t_point(pose, centre), random_rotation(&random)};
        depth = RADIUS - ash_geometry_distance(other, centre);
        collide(&found, other, pose, field, ball_pose, 0.05);
        const ashi_manifold *m = NULL;
        const ashi_manifold_point *p = deepest_point(&found, &m);
        assert_non_null(p);
        sum.depth_error += (p->depth - depth) * (p->depth - depth);
        sum.normal_error += v3_norm2(v3_sub(m->normal, outward));
        sum.count++;
    }
    ashi_array_release(&found);
    sum.depth_error = sqrt(sum.depth_error / sum.count);
    sum.normal_error = sqrt(sum.normal_error / sum.count);
    return sum;
}

/* Errors at three cell sizes; the order is the slope between the coarsest and the finest. */
static void check_convergence(const char *name, ash_geometry *other, double normal_limit)
{
    const uint32_t samples[3] = {13, 25, 49};
    meeting at[3];
    for (int k = 0; k < 3; k++) {
        ash_geometry *field = make_ball_field(samples[k]);
        at[k] = meet(field, other, TRIALS(2000));
        ash_geometry_release(field);
    }
    double order = log(at[0].depth_error / at[2].depth_error) / log(4);
    printf("ball's field on %s: depth errors %.2e %.2e %.2e, order %.2f; normal errors %.2e %.2e %.2e\n", name,
           at[0].depth_error, at[1].depth_error, at[2].depth_error, order, at[0].normal_error, at[1].normal_error,
           at[2].normal_error);
    assert_true(order > 1.7);
    assert_below(at[2].normal_error, normal_limit);
    ash_geometry_release(other);
}

static void converges_on_plane(void **state)
{
    (void)state;
    check_convergence("a plane", make_plane(), 1e-9);
}

static void converges_on_sphere(void **state)
{
    (void)state;
    check_convergence("a sphere", make_sphere(0.4), 0.05);
}

static void converges_on_box(void **state)
{
    (void)state;
    check_convergence("a box", make_box(0.5, 0.4, 0.6), 0.05);
}

static void converges_on_mesh(void **state)
{
    (void)state;
    check_convergence("a mesh", make_mesh_box(3, 0.5, 0.4, 0.6), 0.05);
}

/* Two balls, both as fields. */
static void converges_on_field(void **state)
{
    (void)state;
    const uint32_t samples[3] = {13, 25, 49};
    double error[3];
    ashi_manifolds found = {0};
    for (int k = 0; k < 3; k++) {
        ash_geometry *field = make_ball_field(samples[k]);
        ashi_random random = {9};
        uint32_t trials = TRIALS(1000);
        error[k] = 0;
        for (uint32_t n = 0; n < trials; n++) {
            double depth = ashi_random_range(&random, -0.005, 0.05);
            ash_vec3 along = random_direction(&random);
            ash_transform one = {random_point(&random, v3(-1, -1, -1), v3(1, 1, 1)), random_rotation(&random)};
            ash_transform other = {v3_add_scaled(one.position, along, 2 * RADIUS - depth), random_rotation(&random)};
            collide(&found, field, one, field, other, 0.05);
            const ashi_manifold *m = NULL;
            const ashi_manifold_point *p = deepest_point(&found, &m);
            assert_non_null(p);
            assert_below(v3_norm(v3_sub(q_rotate(one.rotation, m->normal), along)), 0.3 / (k + 1));
            error[k] += (p->depth - depth) * (p->depth - depth) / trials;
        }
        error[k] = sqrt(error[k]);
        ash_geometry_release(field);
    }
    double order = log(error[0] / error[2]) / log(4);
    printf("ball's field on another: depth errors %.2e %.2e %.2e, order %.2f\n", error[0], error[1], error[2], order);
    assert_true(order > 1.7);
    ashi_array_release(&found);
}

/* The area of the quadrilateral that four points span, seen from above. */
static double area_of(const ashi_manifold *m)
{
    double most = 0;
    for (int pairing = 0; pairing < 3; pairing++) {
        const int diagonals[3][4] = {{0, 2, 1, 3}, {0, 1, 2, 3}, {0, 3, 1, 2}};
        const int *d = diagonals[pairing];
        ash_vec3 u = v3_sub(m->points[d[1]].on_a, m->points[d[0]].on_a);
        ash_vec3 v = v3_sub(m->points[d[3]].on_a, m->points[d[2]].on_a);
        most = fmax(most, v3_norm(v3_cross(u, v)) / 2);
    }
    return most;
}

/* A brick as a field stands on four points far apart, on a plane, a box and a mesh. Interpolation rounds its edges by a
 * small part of a cell, so the points lie up to two cells inside of them. */
static void brick_stands_on_four_points(void **state)
{
    (void)state;
    ash_vec3 h = v3(0.5, 0.4, 0.3);
    ash_geometry *field = make_field(31, 0.5, brick, &h), *plane = make_plane(), *box = make_box(2, 2, 0.5);
    ash_geometry *mesh = make_mesh_box(5, 2, 2, 0.5);
    ashi_manifolds found = {0};
    for (int n = 0; n < 3; n++) {
        const ash_geometry *ground = n == 0 ? plane : n == 1 ? box : mesh;
        double top = n == 0 ? 0 : 0.5;
        collide(&found, ground, at(0, 0, 0), field, at(0.1, 0.2, top + 0.3 - 0.01), 0.005);
        assert_int_equal(found.count, 1);
        assert_int_equal(found.data[0].count, 4);
        assert_near(v3_norm(v3_sub(found.data[0].normal, v3(0, 0, 1))), 0, 1e-9);
        for (uint32_t k = 0; k < 4; k++)
            assert_near(found.data[0].points[k].depth, 0.01, 1e-9);
        double cells = 4 * field->def.spacing.x; /* two at each end */
        assert_true(area_of(&found.data[0]) > (2 * h.x - cells) * (2 * h.y - cells));
    }
    ashi_array_release(&found);
    ash_geometry_release(field);
    ash_geometry_release(plane);
    ash_geometry_release(box);
    ash_geometry_release(mesh);
}

/* A body smaller than a cell, or a corner between the surface points, is found all the same. */
static void small_bodies_are_not_missed(void **state)
{
    (void)state;
    ash_geometry *field = make_ball_field(13), *speck = make_sphere(0.01), *die = make_box(0.02, 0.02, 0.02);
    double spacing = field->def.spacing.x;
    ashi_manifolds found = {0};
    ashi_random random = {11};
    for (uint32_t n = 0; n < TRIALS(5000); n++) {
        ash_vec3 along = random_direction(&random);
        bool round = n % 2 == 0;
        ash_transform pose = {v3_scale(along, RADIUS - spacing * spacing), random_rotation(&random)};
        collide(&found, round ? speck : die, pose, field, at(0, 0, 0), 0);
        const ashi_manifold *m = NULL;
        const ashi_manifold_point *p = deepest_point(&found, &m);
        assert_non_null(p);
        assert_true(p->depth > 0.01);
        assert_true(v3_dot(q_rotate(pose.rotation, m->normal), along) < -0.9);
    }
    ashi_array_release(&found);
    ash_geometry_release(field);
    ash_geometry_release(speck);
    ash_geometry_release(die);
}

static ash_geometry *make_kind(ash_geometry_kind kind)
{
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    if (create_sample(kind, &geometry, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    return geometry;
}

/* Every kind against a field, in both orders: the same contacts mirrored, finite, few, and without allocation when the
 * array has room. */
static void all_kinds_mirror_and_stay_cold(void **state)
{
    (void)state;
    ash_geometry *field = make_kind(ASH_GEOMETRY_DISTANCE_FIELD);
    ashi_manifolds one = {0}, other = {0};
    assert_true(ashi_array_reserve(&one, 64));
    assert_true(ashi_array_reserve(&other, 64));
    for (ash_geometry_kind kind = 0; kind <= ASH_GEOMETRY_COMPOUND; kind++) {
        ash_geometry *geometry = make_kind(kind);
        ashi_random random = {kind};
        uint32_t touching = 0, different = 0;
        assert_true(ashi_can_collide(geometry, field));
        ashi_alloc_fail_at(0, false);
        for (uint32_t n = 0; n < TRIALS(400); n++) {
            ash_transform pose = {v3_scale(random_direction(&random), ashi_random_range(&random, 0, 2)),
                                  random_rotation(&random)};
            if (n % 10 == 0)
                pose = at(0, 0, n % 20 == 0 ? 0 : 1.5);
            collide(&one, geometry, at(0, 0, 0), field, pose, 0.01);
            collide(&other, field, pose, geometry, at(0, 0, 0), 0.01);
            assert_true(kind == ASH_GEOMETRY_COMPOUND || one.count <= 8);
            assert_int_equal(one.count > 0, other.count > 0);
            if (one.count == 0)
                continue;
            touching++;
            const ashi_manifold *m = NULL, *turned = NULL;
            const ashi_manifold_point *p = deepest_point(&one, &m), *q = deepest_point(&other, &turned);
            assert_near(p->depth, q->depth, 1e-6);
            ash_vec3 back = q_rotate(pose.rotation, turned->normal);
            /* Two fields swapped are two different hunts: between equals another may win. */
            different += kind != ASH_GEOMETRY_DISTANCE_FIELD &&
                         (one.count != other.count || !(v3_norm(v3_add(m->normal, back)) < 1e-5));
        }
        assert_true(different <= TRIALS(400) / 50); /* near ties rounding decides */
        assert_int_equal(ashi_alloc_fail_at(0, false), 0);
        assert_true(touching > TRIALS(100));
        ash_geometry_release(geometry);
    }
    ashi_array_release(&one);
    ashi_array_release(&other);
    ash_geometry_release(field);
}

/* A ball rolls and a box slides over a ball's field: depth and normal never jump by more than they can. */
static void sliding_is_continuous(void **state)
{
    (void)state;
    ash_geometry *field = make_ball_field(41), *sphere = make_sphere(0.3);
    double spacing = field->def.spacing.x, last = NAN;
    ashi_manifolds found = {0};
    ash_vec3 before = v3(0, 0, 0);
    for (int n = 0; n <= 4000; n++) {
        double angle = 1.5 * n / 4000, sine, cosine;
        ashi_sincos(angle, &sine, &cosine);
        ash_vec3 centre = v3_scale(v3(sine, 0.3 * cosine, cosine), 0.78 / sqrt(sine * sine + 1.09 * cosine * cosine));
        collide(&found, sphere, (ash_transform){centre, q_identity()}, field, at(0, 0, 0), 0.01);
        const ashi_manifold *m = NULL;
        const ashi_manifold_point *p = deepest_point(&found, &m);
        assert_non_null(p);
        if (n > 0) { /* the path itself keeps the depth */
            assert_near(p->depth, last, spacing * spacing);
            assert_below(v3_norm(v3_sub(m->normal, before)), 2 * spacing / RADIUS);
        }
        last = p->depth;
        before = m->normal;
    }
    ashi_array_release(&found);
    ash_geometry_release(field);
    ash_geometry_release(sphere);
}

/* A mesh may also collide through its distance field. */
static void mesh_through_its_field(void **state)
{
    (void)state;
    ash_geometry *mesh = make_mesh_box(2, 0.5, 0.4, 0.3), *ground = make_mesh_box(4, 3, 3, 1);
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_DISTANCE_FIELD);
    def.cells[0] = def.cells[1] = def.cells[2] = 25;
    def.origin = v3(-0.6, -0.6, -0.6);
    def.spacing = v3(0.05, 0.05, 0.05);
    def.sample_mesh = mesh;
    ash_geometry *field = make(&def);
    ashi_manifolds found = {0};
    collide(&found, ground, at(0, 0, 0), field, at(0.3, 0.1, 1.3 - 0.02), 0.01);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.data[0].count, 4);
    for (uint32_t k = 0; k < 4; k++)
        assert_near(found.data[0].points[k].depth, 0.02, 1e-9);
    ashi_array_release(&found);
    ash_geometry_release(mesh);
    ash_geometry_release(ground);
    ash_geometry_release(field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_lie_on_the_surface),
        cmocka_unit_test(tree_holds_all_samples),
        cmocka_unit_test(converges_on_plane),
        cmocka_unit_test(converges_on_sphere),
        cmocka_unit_test(converges_on_box),
        cmocka_unit_test(converges_on_mesh),
        cmocka_unit_test(converges_on_field),
        cmocka_unit_test(brick_stands_on_four_points),
        cmocka_unit_test(small_bodies_are_not_missed),
        cmocka_unit_test(all_kinds_mirror_and_stay_cold),
        cmocka_unit_test(sliding_is_continuous),
        cmocka_unit_test(mesh_through_its_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
