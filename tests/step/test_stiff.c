/* Implicit midpoint and SDIRK2 by Newton's method: any stiffness at any step, order 2, damping that never hurts. */
#include "math/vec3.h"
#include "worlds.h"

#define NOT_CONVERGED ASH_FLAG_INTEGRATOR_NOT_CONVERGED

static const ash_integrator integrators[] = {ASH_IMPLICIT_MIDPOINT, ASH_SDIRK2};

static ash_body hang(ash_world *w, double stiffness, double damping, double begin)
{
    ash_body mass = make_point(w, 2, v3(1 + begin, 0, 0), v3(0, 0, 0));
    ash_spring_def spring = ash_default_spring_def();
    spring.body_b = mass;
    spring.rest_length = 1;
    spring.stiffness = stiffness;
    spring.damping = damping;
    make_spring(w, &spring);
    return mass;
}

/* One step of the midpoint rule for m x'' = -k x - c x'. */
static void midpoint(double k, double c, double h, double *x, double *v)
{
    double m = 2,
           next = ((m - 0.5 * h * c - 0.25 * h * h * k) * *v - h * k * *x) / (m + 0.5 * h * c + 0.25 * h * h * k);
    *x += 0.5 * h * (*v + next);
    *v = next;
}

static void a_stiff_mass_takes_any_step(void **state)
{
    (void)state;
    const double k = 8e5, c = 4e4;
    for (double h = 1e-6; h < 200; h *= 100) {
        ash_world *w = make_world(ASH_IMPLICIT_MIDPOINT, v3(0, 0, 0), 1);
        ash_body mass = hang(w, k, c, 0.1);
        double x = 0.1, v = 0;
        for (int i = 0; i < 50; i++) {
            take_steps(w, h, 1);
            midpoint(k, c, h, &x, &v);
            if (!(fabs(ash_body_get_centre(w, mass).x - 1 - x) <= 1e-11))
                fail_msg("h %g step %d: %.17g exact %.17g", h, i, ash_body_get_centre(w, mass).x - 1, x);
            assert_int_equal(ash_world_get_report(w).flags & NOT_CONVERGED, 0);
        }
        ash_world_destroy(w);
    }
}

static void what_is_too_stiff_is_damped_by_sdirk2(void **state)
{
    (void)state;
    for (double damping = 0; damping < 1e6; damping = 10 * damping + 10) {
        ash_world *w = make_world(ASH_SDIRK2, v3(0, 0, 0), 1);
        ash_body mass = hang(w, 8e5, damping, 0.1);
        take_steps(w, 1, 3); /* more than a hundred periods each */
        assert_near(ash_body_get_centre(w, mass).x, 1, 1e-2);
        take_steps(w, 1, 10);
        assert_near(ash_body_get_centre(w, mass).x, 1, 1e-6);
        ash_world_destroy(w);
    }
}

/* Bodies that turn, on springs off their centres, with dampers, drag, loads. */
static ash_vec3 busy_after(ash_integrator integrator, double h, double time, bool rotation)
{
    busy_world busy;
    make_busy(&busy, integrator, 1);
    take_steps(busy.world, h, (uint32_t)lround(time / h));
    ash_vec3 place =
        rotation ? ash_body_get_angular_velocity(busy.world, busy.a) : ash_body_get_centre(busy.world, busy.b);
    ash_world_destroy(busy.world);
    return place;
}

static void sdirk2_is_of_order_two(void **state)
{
    (void)state;
    for (int rotation = 0; rotation < 2; rotation++) {
        const double time = 0.4;
        ash_vec3 right = busy_after(ASH_RK4, 1e-4, time, rotation);
        double coarse = v3_norm(v3_sub(busy_after(ASH_SDIRK2, 4e-3, time, rotation), right));
        double fine = v3_norm(v3_sub(busy_after(ASH_SDIRK2, 2e-3, time, rotation), right));
        assert_near(log2(coarse / fine), 2, 0.1);
    }
}

enum { NODES = 30 };

/* A string of masses between two fixed points 1 m apart, plucked in the middle; a mode's frequency is at most 2 w. */
static ash_world *make_string(ash_integrator integrator, double w, double zeta, ash_body *nodes)
{
    ash_world *world = make_world(integrator, v3(0, 0, 0), 1);
    const double gap = 1.0 / (NODES + 1), mass = 0.01;
    for (int i = 0; i < NODES; i++) {
        double x = gap * (i + 1), pull = 0.05 * (i < NODES / 2 ? x : 1 - x);
        nodes[i] = make_point(world, mass, v3(x, pull, 0), v3(0, 0, 0));
    }
    for (int i = 0; i <= NODES; i++) {
        ash_spring_def spring = ash_default_spring_def();
        if (i > 0)
            spring.body_a = nodes[i - 1];
        else
            spring.point_a = v3(0, 0, 0);
        if (i < NODES)
            spring.body_b = nodes[i];
        else
            spring.point_b = v3(1, 0, 0);
        spring.rest_length = 0.9 * gap;
        spring.stiffness = mass * w * w;
        spring.damping = 2 * zeta * mass * w;
        make_spring(world, &spring);
    }
    return world;
}

/* At 10 and 100 times the explicit bound, which damping would make smaller by another factor of two. */
static void strings_step_far_beyond_the_explicit_bound(void **state)
{
    (void)state;
    const double w = 1e4;
    static const double ratios[] = {0, 0.1, 1, 10}, lengths[] = {10, 100};
    for (int k = 0; k < 2; k++)
        for (int z = 0; z < 4; z++)
            for (int l = 0; l < 2; l++) {
                ash_body nodes[NODES];
                ash_world *world = make_string(integrators[k], w, ratios[z], nodes);
                double start = ash_world_get_ledger(world).total, h = lengths[l] / w, most = 0;
                for (int i = 0; i < 200; i++) {
                    take_steps(world, h, 1);
                    if (ash_world_get_report(world).flags & NOT_CONVERGED)
                        fail_msg("%s zeta %g length %g step %d: residual %g after %u",
                                 ash_integrator_name(integrators[k]), ratios[z], lengths[l], i,
                                 ash_world_get_report(world).residual, ash_world_get_report(world).iterations);
                    most = fmax(most, ash_world_get_ledger(world).total);
                }
                /* Springs are not linear across: midpoint keeps energy to what it resolves. */
                assert_below(most, start * 1.01);
                assert_below(ash_world_get_report(world).iterations, 25);
                ash_world_destroy(world);
            }
}

/* ... and the slow swing of the whole string is right to order 2 there: half a period of the first mode. */
static double middle_after(ash_integrator integrator, double h, double time)
{
    ash_body nodes[NODES];
    ash_world *world = make_string(integrator, 1e4, 1, nodes);
    take_steps(world, h, (uint32_t)lround(time / h));
    double y = ash_body_get_centre(world, nodes[NODES / 2]).y;
    ash_world_destroy(world);
    return y;
}

static void the_slow_swing_is_right(void **state)
{
    (void)state;
    const double time = 0.008, bound = 1e-4; /* 1 / w; the first mode takes 0.0196 s */
    double right = middle_after(ASH_RK4, 0.05 * bound, time);
    for (int k = 0; k < 2; k++) {
        double coarse = fabs(middle_after(integrators[k], 5 * bound, time) - right);
        double fine = fabs(middle_after(integrators[k], 2.5 * bound, time) - right);
        assert_below(coarse, 0.05 * 0.025);
        assert_below(fine, 0.4 * coarse);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_mass_takes_any_step), cmocka_unit_test(what_is_too_stiff_is_damped_by_sdirk2),
        cmocka_unit_test(sdirk2_is_of_order_two),      cmocka_unit_test(strings_step_far_beyond_the_explicit_bound),
        cmocka_unit_test(the_slow_swing_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
