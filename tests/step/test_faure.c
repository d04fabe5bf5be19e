/* What Faure has beside his solver: errors of joints that fade by Baumgarte's acceleration, and bounces at the end of a
 * step by (1 + a) b or (1 + a) lambda. */
#include "check.h"

#include "ashlar/ashlar.h"

#include <math.h>

static ash_world *make_world(const char *const (*set)[2], ash_vec3 gravity)
{
    ash_world_def def = ash_default_world_def();
    ash_world *world;
    assert_int_equal(ash_method_find("faure", &def.method, NULL), ASH_OK);
    for (int i = 0; set[i][0] != NULL; i++)
        assert_int_equal(ash_method_set(&def.method, set[i][0], set[i][1], NULL), ASH_OK);
    def.gravity = gravity;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    return world;
}

/* A ball of 0.1 m of that mass and restitution, without friction; mass 0: one of 1 m that stands still. */
static ash_body add_ball(ash_world *world, ash_vec3 at, double mass, double restitution)
{
    ash_geometry_def sphere = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_shape_def shape = ash_default_shape_def();
    ash_material_def ice = ash_default_material_def();
    ash_body_def def = ash_default_body_def();
    ash_body body;
    ice.surface.friction = 0;
    ice.surface.restitution = restitution;
    assert_int_equal(ash_material_create(world, &ice, &shape.material, NULL), ASH_OK);
    sphere.radius = mass > 0 ? 0.1 : 1;
    def.type = mass > 0 ? ASH_BODY_DYNAMIC : ASH_BODY_STATIC;
    def.position = at;
    def.mass = mass;
    assert_int_equal(ash_geometry_create(&sphere, &shape.geometry, NULL), ASH_OK);
    assert_int_equal(ash_body_create(world, &def, &shape, 1, &body, NULL), ASH_OK);
    ash_geometry_release(shape.geometry);
    return body;
}

/* ---- drift ---- */

static const double opening = 1e-3; /* m */

/* Where a ball is after `steps` that a ball joint at its centre wants at the origin, by alpha = w^2 and beta = 2 w. */
static double place_after(double w, double h, int steps)
{
    char alpha[32], beta[32];
    snprintf(alpha, sizeof alpha, "%.17g", w * w);
    snprintf(beta, sizeof beta, "%.17g", 2 * w);
    const char *const set[][2] = {
        {"joint-drift", "baumgarte"}, {"drift-alpha", alpha}, {"drift-beta", beta}, {NULL, NULL}};
    ash_world *world = make_world(set, (ash_vec3){0, 0, 0});
    ash_joint_def ball = ash_default_joint_def(ASH_JOINT_BALL);
    ash_joint joint;
    ball.body_b = add_ball(world, (ash_vec3){opening, 0, 0}, 2, 0);
    assert_int_equal(ash_joint_create(world, &ball, &joint, NULL), ASH_OK);
    for (int i = 0; i < steps; i++)
        assert_int_equal(ash_world_step(world, h), ASH_OK);
    double x = ash_body_get_centre(world, ball.body_b).x;
    ash_world_destroy(world);
    return x;
}

/* g'' = -w^2 g - 2 w g' from rest: g = g0 (1 + w t) exp(-w t), by rk4 of order 4. */
static void errors_fade_as_the_equation_says(void **state)
{
    (void)state;
    double w = 20, t = 0.1, exact = opening * (1 + w * t) * exp(-w * t);
    double coarse = fabs(place_after(w, t / 10, 10) - exact), fine = fabs(place_after(w, t / 20, 20) - exact);
    print_message("off by %g and %g of %g m, order %g\n", coarse, fine, opening, log2(coarse / fine));
    assert_below(fine, 1e-5 * opening);
    assert_below(fabs(log2(coarse / fine) - 4), 0.3);
}

/* Its stiffness: rk4 follows a linear equation up to w h = 2.785. */
static void quick_fading_has_a_bound(void **state)
{
    (void)state;
    double h = 0.01, below = place_after(2.70 / h, h, 400), above = place_after(2.87 / h, h, 400);
    print_message("below the bound %g, above %g\n", below, above);
    assert_below(fabs(below), 1e-3 * opening);
    assert_true(fabs(above) > 1e3 * opening);
}

/* Without projections errors stay; with them they are gone after a step. */
static void projections_are_left_out(void **state)
{
    (void)state;
    static const char *const drifts[] = {"none", "projection"};
    for (int i = 0; i < 2; i++) {
        const char *const set[][2] = {{"joint-drift", drifts[i]}, {NULL, NULL}};
        ash_world *world = make_world(set, (ash_vec3){0, 0, 0});
        ash_joint_def ball = ash_default_joint_def(ASH_JOINT_BALL);
        ash_joint joint;
        ball.body_b = add_ball(world, (ash_vec3){opening, 0, 0}, 2, 0);
        assert_int_equal(ash_joint_create(world, &ball, &joint, NULL), ASH_OK);
        assert_int_equal(ash_world_step(world, 0.01), ASH_OK);
        assert_below(fabs(ash_body_get_centre(world, ball.body_b).x - (i == 0 ? opening : 0)), 1e-9);
        ash_world_destroy(world);
    }
}

/* ---- bounces ---- */

typedef struct landing {
    double height; /* in the end, m */
    uint32_t impacts;
} landing;

/* A ball falls on the top of another that stands still; restitution e. */
static landing fall(const char *law, double e, double from, double h, int steps)
{
    const char *const set[][2] = {{"step-control", "bounces"}, {"restitution-law", law}, {NULL, NULL}};
    ash_world *world = make_world(set, (ash_vec3){0, 0, -10});
    landing l = {0};
    add_ball(world, (ash_vec3){0, 0, -1}, 0, e);
    ash_body ball = add_ball(world, (ash_vec3){0, 0, 0.1 + from}, 2, e);
    for (int i = 0; i < steps; i++) {
        assert_int_equal(ash_world_step(world, h), ASH_OK);
        l.impacts += ash_world_get_report(world).impacts;
    }
    l.height = ash_body_get_centre(world, ball).z - 0.1;
    ash_world_destroy(world);
    return l;
}

/* Late by up to a step: the error of the height falls with h, whatever the phase. */
static void bounces_are_of_order_one(void **state)
{
    (void)state;
    static const char *const laws[] = {"newton", "poisson"};
    for (int law = 0; law < 2; law++) {
        double mean[2] = {0, 0}, e = 0.8;
        for (int fine = 0; fine < 2; fine++)
            for (int phase = 0; phase < 16; phase++) {
                double from = 0.2 + 0.003 * phase, h = fine ? 0.0025 : 0.01, t = 0.3, hit = sqrt(2 * from / 10);
                double exact = e * 10 * hit * (t - hit) - 5 * (t - hit) * (t - hit);
                landing l = fall(laws[law], e, from, h, (int)lround(t / h));
                assert_int_equal(l.impacts, 1);
                mean[fine] += fabs(l.height - exact) / 16;
            }
        print_message("%s: height off by %g m at 10 ms, %g at 2.5 ms, on average\n", laws[law], mean[0], mean[1]);
        assert_below(fabs(log2(mean[0] / mean[1]) / 2 - 1), 0.3);
    }
}

/* A stiff pair of balls on a rod strikes with one end. By either law the point that strikes parts with e times its
 * approach, the rod holds, and the impulse is (1 + e) times what stops it. */
static void both_laws_are_one_without_friction(void **state)
{
    (void)state;
    static const char *const laws[] = {"newton", "poisson"};
    static const double restitutions[] = {0, 0.6, 1};
    double gained[3];
    for (int law = 0; law < 2; law++)
        for (int i = 0; i < 3; i++) {
            const char *const set[][2] = {{"step-control", "bounces"}, {"restitution-law", laws[law]}, {NULL, NULL}};
            ash_world *world = make_world(set, (ash_vec3){0, 0, 0});
            add_ball(world, (ash_vec3){0, 0, -1}, 0, restitutions[i]);
            ash_joint_def rod = ash_default_joint_def(ASH_JOINT_DISTANCE);
            ash_joint joint;
            rod.body_a = add_ball(world, (ash_vec3){0, 0, 0.1}, 2, restitutions[i]);
            rod.body_b = add_ball(world, (ash_vec3){0.6, 0, 0.9}, 1, restitutions[i]);
            rod.length = 1;
            assert_int_equal(ash_joint_create(world, &rod, &joint, NULL), ASH_OK);
            ash_body_set_velocity(world, rod.body_a, (ash_vec3){0, 0, -1});
            ash_body_set_velocity(world, rod.body_b, (ash_vec3){0, 0, -1});
            assert_int_equal(ash_world_step(world, 1e-6), ASH_OK);
            ash_vec3 a = ash_body_get_velocity(world, rod.body_a), b = ash_body_get_velocity(world, rod.body_b);
            assert_below(fabs(a.z - restitutions[i]), 1e-5);
            assert_below(fabs((b.x - a.x) * 0.6 + (b.z - a.z) * 0.8), 1e-5);
            double momentum = 2 * a.z + b.z + 3;
            if (law == 0)
                gained[i] = momentum;
            assert_below(fabs(momentum - gained[i]), 1e-6);
            assert_below(fabs(momentum - (1 + restitutions[i]) * gained[0]), 1e-4);
            ash_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_fade_as_the_equation_says),   cmocka_unit_test(quick_fading_has_a_bound),
        cmocka_unit_test(projections_are_left_out),           cmocka_unit_test(bounces_are_of_order_one),
        cmocka_unit_test(both_laws_are_one_without_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
