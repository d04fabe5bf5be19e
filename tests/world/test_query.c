/* Queries of a world against a loop over all of its shapes: rays, batches of rays, casts, overlap, points; filters,
 * misuse, no allocation. */
#include "base/alloc.h"
#include "base/random.h"
#include "check.h"
#include "collide/query/impact.h"
#include "math/transform.h"

#include "ashlar/ashlar.h"

#include <string.h>

enum { RAYS = TRIALS(20000), BODIES = 500, KINDS = 7 };

static double range(ashi_random *random, double low, double high)
{
    return ashi_random_range(random, low, high);
}

static ash_vec3 random_point(ashi_random *random, double size)
{
    return v3(range(random, -size, size), range(random, -size, size), range(random, -size, size));
}

static ash_quat random_rotation(ashi_random *random)
{
    return ash_rotation(random_point(random, 1), range(random, -3, 3));
}

/* One geometry of each simple solid kind. The caller releases them. */
static void make_kinds(ash_geometry *kinds[KINDS])
{
    static const ash_geometry_kind list[KINDS] = {
        ASH_GEOMETRY_SPHERE, ASH_GEOMETRY_CAPSULE,   ASH_GEOMETRY_BOX,  ASH_GEOMETRY_CYLINDER,
        ASH_GEOMETRY_CONE,   ASH_GEOMETRY_ELLIPSOID, ASH_GEOMETRY_HULL,
    };
    static const ash_vec3 corners[5] = {{0, 0, 1}, {1, 0, -0.5}, {-0.5, 0.8, -0.5}, {-0.5, -0.8, -0.5}, {0, 0, -0.9}};
    for (int i = 0; i < KINDS; i++) {
        ash_geometry_def def = ash_default_geometry_def(list[i]);
        if (list[i] == ASH_GEOMETRY_HULL) {
            def.points = corners;
            def.point_count = 5;
        }
        if (list[i] == ASH_GEOMETRY_ELLIPSOID || list[i] == ASH_GEOMETRY_BOX)
            def.half_extents = v3(0.3, 0.6, 0.9);
        assert_int_equal(ash_geometry_create(&def, &kinds[i], NULL), ASH_OK);
    }
}

/* BODIES bodies of two shapes each, all kinds, in a cube. */
static ash_world *make_world(uint32_t threads, uint64_t seed)
{
    ash_world_def def = ash_default_world_def();
    def.threads = threads;
    ash_world *world;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    ash_geometry *kinds[KINDS];
    make_kinds(kinds);
    ashi_random random = {seed};
    for (int i = 0; i < BODIES; i++) {
        ash_body_def body = ash_default_body_def();
        body.type = i % 3 == 0 ? ASH_BODY_STATIC : ASH_BODY_DYNAMIC;
        body.position = random_point(&random, 12);
        body.rotation = random_rotation(&random);
        body.velocity = random_point(&random, 5);
        body.angular_velocity = random_point(&random, 5);
        ash_shape_def shapes[2] = {ash_default_shape_def(), ash_default_shape_def()};
        for (int k = 0; k < 2; k++) {
            shapes[k].geometry = kinds[ashi_random_below(&random, KINDS)];
            shapes[k].density = 1000;
            shapes[k].pose = (ash_transform){random_point(&random, 1), random_rotation(&random)};
        }
        ash_body handle;
        assert_int_equal(ash_body_create(world, &body, shapes, 2, &handle, NULL), ASH_OK);
    }
    for (int i = 0; i < KINDS; i++)
        ash_geometry_release(kinds[i]);
    return world;
}

static ash_ray random_ray(ashi_random *random)
{
    ash_vec3 from = random_point(random, 15);
    return (ash_ray){from, v3_scale(v3_sub(random_point(random, 10), from), range(random, 0.1, 2)),
                     range(random, 0, 2)};
}

/* The shapes of all bodies, each with its pose in the world, through the public interface alone. */
typedef struct placed {
    ash_shape shape;
    const ash_geometry *geometry;
    ash_transform pose;
} placed;

static uint32_t place_shapes(const ash_world *world, placed *out)
{
    static ash_body bodies[BODIES];
    uint32_t body_count = ash_world_get_bodies(world, bodies, BODIES), count = 0;
    for (uint32_t i = 0; i < body_count; i++) {
        ash_shape shapes[2];
        uint32_t own = ash_body_get_shapes(world, bodies[i], shapes, 2);
        for (uint32_t k = 0; k < own; k++)
            out[count++] =
                (placed){shapes[k], ash_shape_get_geometry(world, shapes[k]),
                         t_mul(ash_body_get_transform(world, bodies[i]), ash_shape_get_pose(world, shapes[k]))};
    }
    return count;
}

static uint32_t hits_by_loop(const placed *all, uint32_t count, ash_ray ray, ash_shape *first, double *t)
{
    uint32_t hits = 0;
    *t = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        ash_ray local = {t_point_inverse(all[i].pose, ray.origin), q_unrotate(all[i].pose.rotation, ray.direction),
                         ray.reach};
        ash_ray_hit hit;
        if (!ash_geometry_ray(all[i].geometry, local, &hit))
            continue;
        hits++;
        if (hit.t < *t || (hit.t == *t && (uint32_t)all[i].shape.id < (uint32_t)first->id)) {
            *t = hit.t;
            *first = all[i].shape;
        }
    }
    return hits;
}

static void check_rays(const ash_world *world, uint64_t seed, int rays)
{
    static placed all[2 * BODIES];
    uint32_t count = place_shapes(world, all), found_count = 0;
    ashi_random random = {seed};
    for (int i = 0; i < rays; i++) {
        ash_ray ray = random_ray(&random);
        ash_shape first = {0};
        double t;
        uint32_t expected = hits_by_loop(all, count, ray, &first, &t);
        ash_cast_hit hit, several[3];
        bool found = ash_world_cast_ray(world, ray, NULL, &hit);
        assert_int_equal(found, expected > 0);
        assert_int_equal(ash_world_cast_ray_all(world, ray, NULL, several, 3), expected);
        for (uint32_t k = 0; k + 1 < expected && k < 2; k++)
            assert_true(several[k].t <= several[k + 1].t);
        if (!found)
            continue;
        found_count++;
        assert_true(hit.shape.id == first.id && hit.t == t);
        assert_true(several[0].shape.id == first.id && several[0].t == t);
        assert_true(hit.body.id == ash_shape_get_body(world, first).id);
        assert_near(v3_norm(hit.normal), 1, 1e-12);
        assert_true(t == 0 || v3_dot(hit.normal, ray.direction) < 0);
        assert_near(v3_distance(hit.point, v3_add_scaled(ray.origin, ray.direction, t)), 0, 1e-12);
    }
    assert_true(found_count > (uint32_t)rays / 4 && found_count < (uint32_t)rays);
}

static void rays_find_what_a_loop_finds(void **state)
{
    (void)state;
    ash_world *world = make_world(1, 1);
    check_rays(world, 2, RAYS / 2);
    for (int i = 0; i < 5; i++)
        assert_int_equal(ash_world_step(world, 0.01), ASH_OK);
    check_rays(world, 3, RAYS / 4);
    /* What was moved, removed or made since the last step is seen as it is now. */
    static ash_body bodies[BODIES];
    uint32_t count = ash_world_get_bodies(world, bodies, BODIES);
    ashi_random random = {4};
    for (uint32_t i = 0; i < count; i += 3)
        ash_body_set_transform(world, bodies[i], (ash_transform){random_point(&random, 12), random_rotation(&random)});
    for (uint32_t i = 1; i < count; i += 9)
        assert_int_equal(ash_body_destroy(world, bodies[i]), ASH_OK);
    check_rays(world, 5, RAYS / 4);
    ash_world_destroy(world);
}

/* Whether two handles differ in no more than the number of their worlds. */
static bool same_object(uint64_t a, uint64_t b)
{
    return (a ^ b) << 16 == 0;
}

/* Field by field: what lies between them does not count. */
static bool same_hit(const ash_cast_hit *a, const ash_cast_hit *b)
{
    return same_object(a->shape.id, b->shape.id) && same_object(a->body.id, b->body.id) && a->t == b->t &&
           a->part == b->part && memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0;
}

static void batches_of_casts_and_points_agree_with_single_ones(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    static ash_ray rays[COUNT];
    static ash_vec3 points[COUNT];
    static bool found[2][COUNT];
    static ash_cast_hit hits[2][COUNT];
    static ash_shape shapes[2][COUNT];
    ashi_random random = {16};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_geometry *box;
    int inside = 0, met = 0;
    assert_int_equal(ash_geometry_create(&def, &box, NULL), ASH_OK);
    ash_quat turned = ash_rotation(v3(1, 2, 3), 0.7);
    for (int i = 0; i < COUNT; i++) {
        rays[i] = random_ray(&random);
        points[i] = random_point(&random, 12);
    }
    for (int i = 0; i < 2; i++) {
        ash_world *world = make_world(i == 0 ? 1 : 3, 7);
        assert_int_equal(ash_world_cast_shapes(world, box, turned, rays, COUNT, NULL, found[i], hits[i]), ASH_OK);
        assert_int_equal(ash_world_overlap_points(world, points, COUNT, NULL, shapes[i]), ASH_OK);
        for (int k = 0; k < COUNT; k++) {
            ash_cast_hit hit;
            ash_shape first = {0};
            assert_int_equal(ash_world_cast_shape(world, box, turned, rays[k], NULL, &hit), found[i][k]);
            assert_true(!found[i][k] || same_hit(&hit, &hits[i][k]));
            bool holds = ash_world_overlap_point(world, points[k], NULL, &first, 1) > 0;
            assert_int_equal(shapes[i][k].id, holds ? first.id : 0);
            assert_true(same_object(shapes[i][k].id, shapes[0][k].id));
            assert_true(found[i][k] == found[0][k] && same_hit(&hits[i][k], &hits[0][k]));
            inside += holds;
            met += found[i][k];
        }
        rays[0].direction.x = NAN;
        points[0].y = NAN;
        assert_int_equal(ash_world_cast_shapes(world, box, turned, rays, COUNT, NULL, found[i], hits[i]),
                         ASH_BAD_ARGUMENT);
        assert_int_equal(ash_world_overlap_points(world, points, COUNT, NULL, shapes[i]), ASH_BAD_ARGUMENT);
        assert_int_equal(ash_world_overlap_points(world, NULL, 1, NULL, shapes[i]), ASH_BAD_ARGUMENT);
        rays[0].direction.x = 0.5;
        points[0].y = 0.5;
        ash_world_destroy(world);
        if (i == 0) { /* the first of both was spoilt: ask it anew of both worlds alike */
            rays[0] = rays[1];
            points[0] = points[1];
            hits[0][0] = hits[0][1];
            found[0][0] = found[0][1];
            shapes[0][0] = shapes[0][1];
        }
    }
    assert_true(inside > 10 && met > 50);
    ash_geometry_release(box);
}

static void batches_do_not_depend_on_threads(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static ash_ray rays[COUNT];
    static bool found[2][COUNT];
    static ash_cast_hit hits[2][COUNT];
    ashi_random random = {6};
    for (int i = 0; i < COUNT; i++)
        rays[i] = random_ray(&random);
    for (int i = 0; i < 2; i++) {
        ash_world *world = make_world(i == 0 ? 1 : 3, 7);
        assert_int_equal(ash_world_cast_rays(world, rays, COUNT, NULL, found[i], hits[i]), ASH_OK);
        for (int k = 0; k < COUNT; k += 10) {
            ash_cast_hit hit;
            assert_int_equal(ash_world_cast_ray(world, rays[k], NULL, &hit), found[i][k]);
            assert_true(!found[i][k] || same_hit(&hit, &hits[i][k]));
        }
        ash_world_destroy(world);
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    for (int k = 0; k < COUNT; k++)
        assert_true(same_hit(&hits[0][k], &hits[1][k]));
}

static void points_find_what_a_loop_finds(void **state)
{
    (void)state;
    ash_world *world = make_world(1, 8);
    static placed all[2 * BODIES];
    uint32_t count = place_shapes(world, all), inside = 0;
    ashi_random random = {9};
    for (int i = 0; i < RAYS / 4; i++) {
        ash_vec3 point = random_point(&random, 12);
        ash_shape found[16];
        uint32_t expected = 0, number = ash_world_overlap_point(world, point, NULL, found, 16);
        for (uint32_t k = 0; k < count; k++)
            expected += ash_geometry_distance(all[k].geometry, t_point_inverse(all[k].pose, point)) <= 0;
        assert_int_equal(number, expected);
        for (uint32_t k = 1; k < number; k++)
            assert_true((uint32_t)found[k - 1].id < (uint32_t)found[k].id);
        inside += number;
    }
    assert_true(inside > (uint32_t)RAYS / 200);
    ash_world_destroy(world);
}

/* Casts of a ball and of a block: the first of all shapes, by a loop over casts of pairs. */
static void casts_find_what_a_loop_finds(void **state)
{
    (void)state;
    ash_world *world = make_world(1, 15);
    static placed all[2 * BODIES];
    uint32_t count = place_shapes(world, all), hits = 0;
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    def.radius = 0.4;
    ash_geometry *ball, *block;
    assert_int_equal(ash_geometry_create(&def, &ball, NULL), ASH_OK);
    def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = v3(0.2, 0.4, 0.3);
    assert_int_equal(ash_geometry_create(&def, &block, NULL), ASH_OK);
    ashi_random random = {16};
    for (int i = 0; i < RAYS / 50; i++) {
        ash_ray ray = random_ray(&random);
        ash_quat rotation = i % 2 == 0 ? q_identity() : random_rotation(&random);
        const ash_geometry *moving = i % 2 == 0 ? ball : block;
        ash_cast_hit hit = {0};
        bool found = i % 2 == 0 ? ash_world_cast_sphere(world, ray, 0.4, NULL, &hit)
                                : ash_world_cast_shape(world, block, rotation, ray, NULL, &hit);
        double first = INFINITY;
        uint32_t by = 0;
        for (uint32_t k = 0; k < count; k++) {
            ashi_toi toi;
            if (ashi_cast(moving, rotation, ray, all[k].geometry, all[k].pose, &toi) && toi.time < first) {
                first = toi.time;
                by = k;
            }
        }
        assert_int_equal(found, isfinite(first));
        if (!found)
            continue;
        hits++;
        assert_near(hit.t, first, 1e-9);
        if (hit.t > 0) {
            assert_true(hit.shape.id == all[by].shape.id);
            assert_near(ash_geometry_distance(all[by].geometry, t_point_inverse(all[by].pose, hit.point)), 0, 1e-6);
            assert_true(v3_dot(hit.normal, ray.direction) < 1e-6);
        }
    }
    assert_true(hits > (uint32_t)RAYS / 200);
    ash_geometry_release(ball);
    ash_geometry_release(block);
    ash_world_destroy(world);
}

/* Overlap is the sign of the distance. */
static void overlap_finds_what_a_loop_finds(void **state)
{
    (void)state;
    ash_world *world = make_world(1, 17);
    static placed all[2 * BODIES];
    uint32_t count = place_shapes(world, all), total = 0;
    ashi_random random = {18};
    for (int i = 0; i < RAYS / 100; i++) {
        ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
        def.half_extents = v3(range(&random, 0.1, 3), range(&random, 0.1, 3), range(&random, 0.1, 3));
        ash_geometry *block;
        assert_int_equal(ash_geometry_create(&def, &block, NULL), ASH_OK);
        ash_transform pose = {random_point(&random, 10), i % 2 == 0 ? q_identity() : random_rotation(&random)};
        ash_bounds box = {v3_sub(pose.position, def.half_extents), v3_add(pose.position, def.half_extents)};
        ash_shape found[2 * BODIES];
        uint32_t number = i % 2 == 0 ? ash_world_overlap_box(world, box, NULL, found, 2 * BODIES)
                                     : ash_world_overlap_shape(world, block, pose, NULL, found, 2 * BODIES);
        uint32_t expected = 0;
        for (uint32_t k = 0; k < count; k++) {
            ash_closest c;
            assert_int_equal(ash_closest_points(block, pose, all[k].geometry, all[k].pose, &c), ASH_OK);
            if (fabs(c.distance) < 1e-9) /* too near to tell */
                continue;
            bool there = false;
            for (uint32_t n = 0; n < number; n++)
                there = there || found[n].id == all[k].shape.id;
            assert_int_equal(there, c.distance < 0);
            expected += c.distance < 0;
        }
        assert_int_equal(number, expected);
        for (uint32_t n = 1; n < number; n++)
            assert_true((uint32_t)found[n - 1].id < (uint32_t)found[n].id);
        ash_shape few[2] = {{0}, {0}};
        assert_int_equal(ash_world_overlap_shape(world, block, pose, NULL, few, 2), expected);
        for (uint32_t n = 0; n < 2 && n < expected; n++)
            assert_true(few[n].id == found[n].id);
        total += expected;
        ash_geometry_release(block);
    }
    assert_true(total > (uint32_t)RAYS / 200);
    ash_world_destroy(world);
}

static void shapes_and_bodies_have_closest_points(void **state)
{
    (void)state;
    ash_world *world = make_world(1, 19);
    static placed all[2 * BODIES];
    place_shapes(world, all);
    static ash_body bodies[BODIES];
    ash_world_get_bodies(world, bodies, BODIES);
    for (int i = 0; i + 2 < BODIES; i += 5) {
        double least = INFINITY;
        ash_closest c, expected, of_bodies;
        for (int k = 0; k < 4; k++) {
            const placed *a = &all[2 * i + k % 2], *b = &all[2 * i + 2 + k / 2];
            assert_int_equal(ash_shape_closest(world, a->shape, b->shape, &c), ASH_OK);
            assert_int_equal(ash_closest_points(a->geometry, a->pose, b->geometry, b->pose, &expected), ASH_OK);
            assert_near(c.distance, expected.distance, 1e-12);
            assert_true(c.shape_a.id == a->shape.id && c.shape_b.id == b->shape.id);
            least = fmin(least, c.distance);
        }
        assert_int_equal(ash_body_closest(world, bodies[i], bodies[i + 1], &of_bodies), ASH_OK);
        assert_near(of_bodies.distance, least, 1e-9);
        assert_true(ash_shape_get_body(world, of_bodies.shape_a).id == bodies[i].id);
    }
    ash_closest c;
    ash_shape shape = all[0].shape;
    assert_int_equal(ash_body_closest(world, bodies[0], ash_world_get_background(world), &c), ASH_UNSUPPORTED);
    assert_int_equal(ash_shape_closest(world, shape, shape, NULL), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_destroy(world, bodies[0]), ASH_OK);
    assert_int_equal(ash_shape_closest(world, shape, all[2].shape, &c), ASH_BAD_HANDLE);
    assert_string_equal(ash_world_get_last_diagnostic(world).code, "shape.handle");
    assert_int_equal(ash_body_closest(world, bodies[1], bodies[0], &c), ASH_BAD_HANDLE);
    ash_world_destroy(world);
}

/* A row of balls along x with categories 1, 2, 4, 8, the last one a sensor. */
static void categories_and_sensors_are_filtered(void **state)
{
    (void)state;
    ash_world_def def = ash_default_world_def();
    ash_world *world;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ball.radius = 0.4;
    ash_shape_def shape = ash_default_shape_def();
    assert_int_equal(ash_geometry_create(&ball, &shape.geometry, NULL), ASH_OK);
    for (int i = 0; i < 4; i++) {
        ash_body_def body = ash_default_body_def();
        body.position = v3(i + 1, 0, 0);
        shape.category = 1u << i;
        shape.mask = i == 2 ? 1 : UINT64_MAX;
        shape.sensor = i == 3;
        ash_body handle;
        assert_int_equal(ash_body_create(world, &body, &shape, 1, &handle, NULL), ASH_OK);
    }
    ash_geometry_release(shape.geometry);
    ash_ray ray = {{0, 0, 0}, {1, 0, 0}, 10};
    ash_query_filter filter = ash_default_query_filter();
    assert_int_equal(ash_world_cast_ray_all(world, ray, &filter, NULL, 0), 3);
    filter.sensors = true;
    assert_int_equal(ash_world_cast_ray_all(world, ray, &filter, NULL, 0), 4);
    filter.category = 2; /* which the third's mask has not */
    assert_int_equal(ash_world_cast_ray_all(world, ray, &filter, NULL, 0), 3);
    filter.mask = 2 | 8;
    ash_cast_hit hit;
    assert_true(ash_world_cast_sphere(world, ray, 0.1, &filter, &hit));
    assert_near(hit.t, 1.5, 1e-9);
    assert_near(v3_distance(hit.normal, v3(-1, 0, 0)), 0, 1e-9);
    assert_int_equal(ash_world_overlap_point(world, v3(1, 0, 0), &filter, NULL, 0), 0);
    assert_int_equal(ash_world_overlap_point(world, v3(4, 0, 0), &filter, NULL, 0), 1);
    ash_world_destroy(world);
}

static bool only_even(ash_shape shape, void *user)
{
    ++*(int *)user;
    return shape.id % 2 == 0;
}

static void filters_hide_shapes(void **state)
{
    (void)state;
    ash_world *world = make_world(1, 10);
    ash_query_filter filter = ash_default_query_filter();
    int calls = 0;
    filter.accept = only_even;
    filter.user = &calls;
    ashi_random random = {11};
    for (int i = 0; i < 200; i++) {
        ash_ray ray = random_ray(&random);
        ash_cast_hit all[64], even[64];
        uint32_t total = ash_world_cast_ray_all(world, ray, NULL, all, 64), expected = 0;
        uint32_t seen = ash_world_cast_ray_all(world, ray, &filter, even, 64);
        for (uint32_t k = 0; k < total; k++)
            if (all[k].shape.id % 2 == 0)
                assert_true(all[k].shape.id == even[expected++].shape.id);
        assert_int_equal(seen, expected);
    }
    assert_true(calls > 100);
    ash_world_destroy(world);
}

static void misuse_is_noted(void **state)
{
    (void)state;
    ash_world *world = make_world(1, 12);
    ash_cast_hit hit;
    bool found;
    ash_ray good = {{0, 0, 20}, {0, 0, -1}, INFINITY}, bad = good;
    bad.origin.x = NAN;
    assert_false(ash_world_cast_ray(world, bad, NULL, &hit));
    assert_string_equal(ash_world_get_last_diagnostic(world).code, "query.ray");
    bad = good;
    bad.direction = v3(0, 0, 0);
    assert_int_equal(ash_world_cast_ray_all(world, bad, NULL, &hit, 1), 0);
    bad = good;
    bad.reach = -1;
    assert_int_equal(ash_world_cast_rays(world, &bad, 1, NULL, &found, &hit), ASH_BAD_ARGUMENT);
    ash_world_clear_diagnostic(world);
    assert_false(ash_world_cast_ray(world, good, NULL, NULL));
    assert_string_equal(ash_world_get_last_diagnostic(world).code, "query.null");
    assert_false(ash_world_cast_sphere(world, good, -1, NULL, &hit));
    assert_string_equal(ash_world_get_last_diagnostic(world).code, "query.radius");
    assert_false(ash_world_cast_shape(world, NULL, q_identity(), good, NULL, &hit));
    assert_string_equal(ash_world_get_last_diagnostic(world).code, "query.geometry");
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
    ash_geometry *plane, *circle;
    assert_int_equal(ash_geometry_create(&def, &plane, NULL), ASH_OK);
    assert_false(ash_world_cast_shape(world, plane, q_identity(), good, NULL, &hit));
    assert_string_equal(ash_world_get_last_diagnostic(world).code, "query.not-convex");
    def = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
    assert_int_equal(ash_geometry_create(&def, &circle, NULL), ASH_OK);
    assert_int_equal(ash_world_overlap_shape(world, circle, ash_identity(), NULL, NULL, 0), 0);
    assert_string_equal(ash_world_get_last_diagnostic(world).code, "query.flat");
    ash_geometry_release(plane);
    ash_geometry_release(circle);
    assert_int_equal(ash_world_overlap_box(world, (ash_bounds){{1, 0, 0}, {0, 1, 1}}, NULL, NULL, 0), 0);
    assert_string_equal(ash_world_get_last_diagnostic(world).code, "query.box");
    assert_int_equal(ash_world_overlap_box(world, (ash_bounds){{0, 0, 0}, {1, 1, 1}}, NULL, NULL, 3), 0);
    assert_string_equal(ash_world_get_last_diagnostic(world).code, "query.null");
    assert_int_equal(ash_world_overlap_point(world, v3(NAN, 0, 0), NULL, NULL, 0), 0);
    assert_string_equal(ash_world_get_last_diagnostic(world).code, "query.point");
    ash_world_clear_diagnostic(world);
    assert_true(ash_world_cast_ray(world, good, NULL, &hit));
    assert_int_equal(ash_world_get_last_diagnostic(world).status, ASH_OK);
    ash_world_destroy(world);
}

static void nothing_is_allocated_once_warm(void **state)
{
    (void)state;
    ash_world *world = make_world(1, 13);
    check_rays(world, 14, 50);
    uint64_t before = ash_memory_used().allocations;
    check_rays(world, 14, 50);
    ash_cast_hit hit;
    ash_shape shapes[4];
    for (int i = 0; i < 20; i++) {
        ash_world_cast_sphere(world, (ash_ray){{i - 10.0, 0, 20}, {0, 0, -1}, 40}, 0.5, NULL, &hit);
        ash_world_overlap_box(world, (ash_bounds){{-i, -i, -i}, {i, i, i}}, NULL, shapes, 4);
    }
    assert_int_equal(ash_memory_used().allocations, before);
    ash_world_destroy(world);
}

static void planar_worlds_are_asked_in_their_plane(void **state)
{
    (void)state;
    ash_world_def def = ash_default_world_def();
    def.planar = true;
    def.gravity = v3(0, 0, 0);
    ash_world *world;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    ash_geometry_def circle = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
    circle.radius = 0.5;
    ash_shape_def shape = ash_default_shape_def();
    shape.density = 1;
    assert_int_equal(ash_geometry_create(&circle, &shape.geometry, NULL), ASH_OK);
    ash_body_def body = ash_default_body_def();
    body.position = v3(3, 0, 0);
    ash_body handle;
    assert_int_equal(ash_body_create(world, &body, &shape, 1, &handle, NULL), ASH_OK);
    ash_geometry_release(shape.geometry);
    ash_cast_hit hit;
    assert_true(ash_world_cast_ray(world, (ash_ray){{0, 0, 7}, {1, 0, 0.25}, 10}, NULL, &hit));
    assert_near(hit.t, 2.5, 1e-15);
    assert_near(v3_distance(hit.point, v3(2.5, 0, 0)), 0, 1e-15);
    assert_int_equal(ash_world_overlap_point(world, v3(3.2, 0.1, -4), NULL, NULL, 0), 1);
    assert_true(ash_world_cast_sphere(world, (ash_ray){{0, 0.1, 7}, {1, 0, 0.25}, 10}, 0.25, NULL, &hit));
    assert_near(hit.t, 3 - sqrt(0.75 * 0.75 - 0.1 * 0.1), 1e-9);
    assert_false(ash_world_cast_sphere(world, (ash_ray){{0, 0.8, 0}, {1, 0, 0}, 10}, 0.25, NULL, &hit));
    assert_int_equal(ash_world_overlap_box(world, (ash_bounds){{0, 0, 5}, {2.6, 1, 6}}, NULL, NULL, 0), 1);
    assert_int_equal(ash_world_overlap_box(world, (ash_bounds){{0, 0.4, 5}, {2.6, 1, 6}}, NULL, NULL, 0), 0);
    assert_int_equal(ash_world_overlap_point(world, v3(3.2, 0.6, 0), NULL, NULL, 0), 0);
    ash_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_find_what_a_loop_finds),
        cmocka_unit_test(batches_do_not_depend_on_threads),
        cmocka_unit_test(batches_of_casts_and_points_agree_with_single_ones),
        cmocka_unit_test(points_find_what_a_loop_finds),
        cmocka_unit_test(filters_hide_shapes),
        cmocka_unit_test(casts_find_what_a_loop_finds),
        cmocka_unit_test(overlap_finds_what_a_loop_finds),
        cmocka_unit_test(shapes_and_bodies_have_closest_points),
        cmocka_unit_test(categories_and_sensors_are_filtered),
        cmocka_unit_test(misuse_is_noted),
        cmocka_unit_test(nothing_is_allocated_once_warm),
        cmocka_unit_test(planar_worlds_are_asked_in_their_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
