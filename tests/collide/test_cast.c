/* Casts against fine sampling of the distance: at the hit the two touch, before it they are apart. Closed forms for
 * spheres against spheres and planes; rays as casts of tiny spheres. */
#include "collide/query_sets.h"

#include "collide/query/impact.h"

static double distance_at(const ash_geometry *moving, ash_quat rotation, ash_ray ray, double t,
                          const ash_geometry *target, ash_transform pose)
{
    ash_transform here = {v3_add_scaled(ray.origin, ray.direction, t), rotation};
    ashi_pair_distance c;
    assert_true(ashi_measure_distance(moving, target, t_mul(t_inverse(here), pose), INFINITY, &c));
    return c.distance;
}

typedef struct tally {
    uint32_t hits, misses, starts;
} tally;

/* `samples` places along the way are looked at. */
static void check_cast(const ash_geometry *moving, const ash_geometry *target, ashi_random *random, int samples,
                       tally *count)
{
    ash_transform pose = {random_vector(random), random_rotation(random)};
    ash_quat rotation = random_rotation(random);
    ash_vec3 from = v3_scale(random_direction(random), ashi_random_range(random, 1, 8));
    ash_ray ray = {from, v3_scale(v3_sub(v3_scale(random_vector(random), 2), from), ashi_random_range(random, 0.2, 1)),
                   ashi_random_range(random, 0.2, 3)};
    if (ash_geometry_get_definition(target)->kind ==
        ASH_GEOMETRY_HEIGHT_FIELD) { /* no walls: from above into the middle */
        pose = ash_identity();
        ray.origin.z = fabs(ray.origin.z) + 2.5;
        ray.direction = v3_sub(v3_mul(random_vector(random), v3(0.5, 0.5, 0)), ray.origin);
        ray.reach = ashi_random_range(random, 0.2, 1);
    }
    ashi_toi toi;
    bool met = ashi_cast(moving, rotation, ray, target, pose, &toi);
    double size = reach_of(moving), reach = fmin(reach_of(target), 10), speed = v3_norm(ray.direction),
           end = met ? toi.time : ray.reach;
    double at_start = distance_at(moving, rotation, ray, 0, target, pose);
    assert_true(!met || (toi.time >= 0 && toi.time <= ray.reach));
    assert_int_equal(at_start <= 0, met && toi.time == 0);
    if (at_start <= 0) {
        count->starts++;
        assert_near(toi.closest.distance, at_start, 1e-8);
        return;
    }
    for (int i = 1; i < samples; i++) {
        double t = end * i / samples, left = distance_at(moving, rotation, ray, t, target, pose);
        if (!(left > -1e-8 * (size + reach)))
            fail_msg("overlap of %g at %.12g of %.12g", -left, t, end);
    }
    if (!met) {
        count->misses++;
        return;
    }
    count->hits++;
    assert_true(toi.converged);
    double closing = v3_dot(toi.closest.normal, ray.direction), back = 1e-6 * size / speed;
    assert_near(distance_at(moving, rotation, ray, end, target, pose), 0, 1e-7 * (size + reach));
    assert_near(v3_norm(toi.closest.normal), 1, 1e-9);
    assert_true(closing > -1e-6 * speed);
    /* Judged from a little before, where distances are exact: the place is right to 1e-9 of the way, unless the way is
     * nearly a tangent. */
    if (closing > 0.1 * speed && end > back) {
        double left = distance_at(moving, rotation, ray, end - back, target, pose);
        assert_near(left / closing, back, 1e-9 * (end + size / speed));
    }
}

static void convex_casts_touch_at_the_hit_and_not_before(void **state)
{
    (void)state;
    convex_pool pool = make_pool(41);
    ashi_random random = {42};
    tally count = {0};
    for (uint32_t i = 0; i < CONVEX_KINDS; i++)
        for (uint32_t k = 0; k < CONVEX_KINDS; k++)
            for (int round = 0; round < TRIALS(400); round++)
                check_cast(pool.of[i][ashi_random_below(&random, POOL)], pool.of[k][ashi_random_below(&random, POOL)],
                           &random, 20, &count);
    assert_true(count.hits > (uint32_t)TRIALS(1000) && count.misses > (uint32_t)TRIALS(1000) && count.starts > 0);
    release_pool(&pool);
}

static void casts_against_surfaces(void **state)
{
    (void)state;
    convex_pool pool = make_pool(43);
    ash_geometry *targets[] = {make_plane(), make_hills(44), make_field_ball(1, 12), make_faceted_ball(2, 1, false),
                               make_dumbbell()};
    ashi_random random = {45};
    for (int i = 0; i < 5; i++) {
        tally count = {0};
        for (int round = 0; round < TRIALS(700); round++)
            check_cast(pool.of[round % CONVEX_KINDS][ashi_random_below(&random, POOL)], targets[i], &random, 20,
                       &count);
        assert_true(count.hits > (uint32_t)TRIALS(700) / 20 && count.misses > 0);
        ash_geometry_release(targets[i]);
    }
    /* A compound can be cast as well. */
    ash_geometry *dumbbell = make_dumbbell();
    tally count = {0};
    for (int round = 0; round < TRIALS(300); round++)
        check_cast(dumbbell, pool.of[round % CONVEX_KINDS][round % POOL], &random, 20, &count);
    assert_true(count.hits > 0);
    ash_geometry_release(dumbbell);
    release_pool(&pool);
}

static void spheres_have_closed_forms(void **state)
{
    (void)state;
    ashi_random random = {46};
    ash_geometry *small = make_ball(0.3), *large = make_ball(0.7), *both = make_ball(1), *plane = make_plane();
    for (int round = 0; round < TRIALS(20000); round++) {
        ash_ray ray = {v3_scale(random_direction(&random), ashi_random_range(&random, 1.01, 50)),
                       v3_scale(random_direction(&random), ashi_random_range(&random, 0.01, 100)), INFINITY};
        if (round % 2 == 0)
            ray.direction = v3_sub(random_vector(&random), ray.origin);
        ashi_toi toi;
        ash_ray_hit hit;
        bool met = ashi_cast(small, q_identity(), ray, large, ash_identity(), &toi);
        bool expected = ash_geometry_ray(both, ray, &hit);
        /* A way that grazes may be told either way. */
        double miss = v3_norm(v3_cross(ray.origin, v3_unit(ray.direction)));
        if (fabs(miss - 1) < 1e-9)
            continue;
        assert_int_equal(met, expected);
        if (met)
            assert_near(toi.time, hit.t, 1e-9 * hit.t / sqrt(fmax(1 - miss, 1e-4)));
        met = ashi_cast(small, q_identity(), ray, plane, at(0, 0, -60), &toi);
        assert_int_equal(met, ray.direction.z < 0);
        if (met)
            assert_near(toi.time, (ray.origin.z + 60 - 0.3) / -ray.direction.z, 1e-11 * toi.time);
    }
    ash_geometry *all[] = {small, large, both, plane};
    for (int i = 0; i < 4; i++)
        ash_geometry_release(all[i]);
}

static void tiny_spheres_go_where_rays_go(void **state)
{
    (void)state;
    ash_geometry *tiny = make_ball(1e-7);
    ash_geometry *targets[] = {make_block(0.5, 0.7, 0.9), make_hills(47), make_faceted_ball(3, 1, false),
                               make_field_ball(1, 40)};
    ashi_random random = {48};
    for (int i = 0; i < 4; i++) {
        uint32_t hits = 0;
        for (int round = 0; round < TRIALS(1000); round++) {
            ash_vec3 from = v3_scale(random_direction(&random), 6);
            from = v3(from.x / 3, from.y / 3, fabs(from.z) + 1); /* hills have no walls: from above */
            ash_ray ray = {from, v3_sub(v3_scale(random_vector(&random), 0.6), from), 1.5};
            ash_ray_hit hit;
            ashi_toi toi;
            if (!ash_geometry_ray(targets[i], ray, &hit) || v3_dot(hit.normal, v3_unit(ray.direction)) > -0.2)
                continue;
            hits++;
            assert_true(ashi_cast(tiny, q_identity(), ray, targets[i], ash_identity(), &toi));
            assert_near(toi.time, hit.t, i == 3 ? 2e-3 : 1e-6);
        }
        assert_true(hits > (uint32_t)TRIALS(1000) / 4);
        ash_geometry_release(targets[i]);
    }
    ash_geometry_release(tiny);
}

static void touching_without_approach_is_no_hit(void **state)
{
    (void)state;
    ash_geometry *ball = make_ball(0.5), *block = make_block(1, 1, 1);
    ashi_toi toi;
    ash_ray away = {v3(0, 0, 1.5 + 1e-12), v3(0, 0, 1), 10}, along = away, into = away;
    along.direction = v3(1, 0, 0);
    into.direction = v3(0, 0, -1);
    assert_false(ashi_cast(ball, q_identity(), away, block, ash_identity(), &toi));
    assert_false(ashi_cast(ball, q_identity(), along, block, ash_identity(), &toi));
    assert_true(ashi_cast(ball, q_identity(), into, block, ash_identity(), &toi));
    assert_near(toi.time, 0, 1e-11);
    into.reach = 0;
    into.origin.z = 1.4;
    assert_true(ashi_cast(ball, q_identity(), into, block, ash_identity(), &toi));
    assert_near(toi.time, 0, 0);
    assert_near(toi.closest.distance, -0.1, 1e-12);
    ash_geometry_release(ball);
    ash_geometry_release(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convex_casts_touch_at_the_hit_and_not_before),
        cmocka_unit_test(casts_against_surfaces),
        cmocka_unit_test(spheres_have_closed_forms),
        cmocka_unit_test(tiny_spheres_go_where_rays_go),
        cmocka_unit_test(touching_without_approach_is_no_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
