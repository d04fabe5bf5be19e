/* One impulse at one point: it sticks within the cone and else slides, with the normal velocity that restitution asks
 * for either way. */
#include "step/point_impulse.h"

#include "base/random.h"
#include "check.h"

#include <math.h>

static ash_vec3 direction(ashi_random *random)
{
    ash_vec3 v;
    do
        v = v3(ashi_random_range(random, -1, 1), ashi_random_range(random, -1, 1), ashi_random_range(random, -1, 1));
    while (!(v3_norm(v) > 0.1));
    return v3_unit(v);
}

static ash_sym3 some_inertia(ashi_random *random)
{
    ash_sym3 principal =
        s3_diagonal(ashi_random_range(random, 1, 5), ashi_random_range(random, 1, 5), ashi_random_range(random, 1, 5));
    ash_vec3 axis = v3_scale(direction(random), ashi_random_range(random, 0, 3));
    return s3_rotated(principal, q_exp(axis));
}

/* Two bodies of about 1 kg and 1 m that approach. */
static ashi_impulse_point some_touch(ashi_random *random)
{
    ash_vec3 arm_a = v3_scale(direction(random), ashi_random_range(random, 0, 0.5));
    ash_vec3 arm_b = v3_scale(direction(random), ashi_random_range(random, 0, 0.5));
    double a = ashi_random_range(random, 0.1, 2), b = ashi_random_range(random, 0.1, 2);
    ashi_impulse_point touch = {.response = s3_add(ashi_point_response(v3(a, a, a), some_inertia(random), arm_a),
                                                   ashi_point_response(v3(b, b, b), some_inertia(random), arm_b)),
                                .normal = direction(random),
                                .velocity = v3_scale(direction(random), ashi_random_range(random, 0.1, 5)),
                                .restitution = ashi_random_range(random, -0.9, 1),
                                .friction = ashi_random_range(random, 0, 1)};
    if (v3_dot(touch.velocity, touch.normal) > 0)
        touch.normal = v3_scale(touch.normal, -1);
    return touch;
}

static void the_law_holds(void **state)
{
    (void)state;
    ashi_random random = {7};
    int stuck = 0, slid = 0, jammed = 0;
    for (int trial = 0; trial < TRIALS(20000); trial++) {
        ashi_impulse_point t = some_touch(&random);
        ash_vec3 j = ashi_point_impulse(&t), after = v3_add(t.velocity, s3_apply(t.response, j));
        double normal = v3_dot(j, t.normal), before = v3_dot(t.velocity, t.normal);
        ash_vec3 friction = v3_add_scaled(j, t.normal, -normal);
        ash_vec3 slip = v3_add_scaled(t.velocity, t.normal, -before);
        ash_vec3 slip_after = v3_add_scaled(after, t.normal, -v3_dot(after, t.normal));
        assert_true(normal > 0);
        assert_near(v3_dot(after, t.normal), -t.restitution * before, 1e-11);
        if (v3_norm(slip_after) < 1e-11) {
            stuck++;
            assert_true(v3_norm(friction) <= t.friction * normal * (1 + 1e-12));
        } else if (v3_norm(friction) > 1e-12 * normal) {
            slid++;
            assert_near(v3_norm(friction), t.friction * normal, 1e-11 * normal);
            assert_near(v3_dot(friction, slip), -v3_norm(friction) * v3_norm(slip), 1e-10 * (1 + normal));
        } else {
            jammed++;
        }
    }
    assert_true(stuck > TRIALS(20000) / 20 && slid > TRIALS(20000) / 20 && jammed < TRIALS(20000) / 20);
}

static void the_response_is_what_an_impulse_does(void **state)
{
    (void)state;
    ashi_random random = {8};
    for (int trial = 0; trial < 100; trial++) {
        ash_sym3 inverse = some_inertia(&random);
        ash_vec3 mass = v3(0.5, 0, 2), arm = direction(&random), impulse = direction(&random);
        ash_vec3 spin = s3_apply(inverse, v3_cross(arm, impulse));
        ash_vec3 velocity = v3_add(v3_mul(mass, impulse), v3_cross(spin, arm));
        ash_vec3 found = s3_apply(ashi_point_response(mass, inverse, arm), impulse);
        assert_true(v3_distance(found, velocity) < 1e-13);
    }
}

static void what_parts_or_cannot_move_gets_nothing(void **state)
{
    (void)state;
    ashi_impulse_point t = {.response = s3_diagonal(1, 1, 1),
                            .normal = v3(0, 0, 1),
                            .velocity = v3(3, 0, 1e-300),
                            .restitution = 1,
                            .friction = 1};
    assert_true(v3_norm(ashi_point_impulse(&t)) == 0);
    t.velocity = v3(0.5, 0, -1);
    t.response = (ash_sym3){0};
    assert_true(v3_norm(ashi_point_impulse(&t)) == 0);
    t.response = s3_diagonal(1, 1, 0);
    assert_true(v3_norm(ashi_point_impulse(&t)) == 0);
    t.response = s3_diagonal(0, 0, 1); /* along rails: the normal velocity turns, nothing else can */
    ash_vec3 j = ashi_point_impulse(&t);
    assert_true(v3_distance(j, v3(0, 0, 2)) < 1e-14);
}

/* Bodies that turn easily and rub hard: where sliding friction would press harder than it stops, there is none. Where
 * that is so in the plane, the point sticks; in space it may slide. */
static void a_jammed_point_slides_freely(void **state)
{
    (void)state;
    ashi_random random = {9};
    int jammed = 0;
    for (int trial = 0; trial < TRIALS(20000); trial++) {
        ash_vec3 arm = direction(&random);
        ash_sym3 inverse =
            s3_rotated(s3_diagonal(1, 30, 300), q_exp(v3_scale(direction(&random), ashi_random_range(&random, 0, 3))));
        ashi_impulse_point t = {.response = ashi_point_response(v3(1, 1, 1), inverse, arm),
                                .normal = direction(&random),
                                .velocity = v3_scale(direction(&random), 5),
                                .friction = 1.5};
        ash_vec3 j = ashi_point_impulse(&t), along = s3_apply(t.response, t.normal);
        double normal = v3_dot(j, t.normal), before = v3_dot(t.velocity, t.normal);
        if (before > 0)
            continue;
        ash_vec3 slip = v3_unit(v3_add_scaled(t.velocity, t.normal, -before));
        ash_vec3 after = v3_add(t.velocity, s3_apply(t.response, j));
        assert_near(v3_dot(after, t.normal), 0, 1e-10);
        if (v3_norm(after) < 1e-9)
            continue;                                                  /* it sticks */
        assert_below(normal, 101 * -before / v3_dot(t.normal, along)); /* never of any size */
        if (v3_norm(v3_add_scaled(j, t.normal, -normal)) > 1e-12 * normal)
            continue;
        jammed++;
        assert_below(v3_dot(t.normal, along) - 1.5 * v3_dot(slip, along), 0.011 * v3_dot(t.normal, along));
    }
    assert_true(jammed > TRIALS(20000) / 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_law_holds),
        cmocka_unit_test(the_response_is_what_an_impulse_does),
        cmocka_unit_test(what_parts_or_cannot_move_gets_nothing),
        cmocka_unit_test(a_jammed_point_slides_freely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
