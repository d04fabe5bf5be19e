/* Contacts that last while bodies move on curved ways, by `engineering`: a ball that slides without friction over a
 * fixed one. With D the distance of the centres and v0 the speed at the angle a0 from the top, it has
 * v^2 = v0^2 + 2 g D (cos a0 - cos a), is pressed with N = m (g cos a - v^2 / D), and leaves where N = 0. */
#include "step/piles.h"

#include <math.h>

static const double fixed_radius = 0.8, radius = 0.2, first_angle = 0.3, first_speed = 0.5, g = 9.81, slop = 1e-6;

static double square_of_speed(double cosine)
{
    double distance = fixed_radius + radius;
    return first_speed * first_speed + 2 * g * distance * (cos(first_angle) - cosine);
}

/* The mean force of a step that leads from one cosine to another. */
static double exact_force(double mass, double from, double to)
{
    double cosine = 0.5 * (from + to);
    return mass * (g * cosine - square_of_speed(cosine) / (fixed_radius + radius));
}

static void a_ball_slides_over_a_ball(double h)
{
    double distance = fixed_radius + radius, density = 1000, mass = density * 4 / 3 * 3.141592653589793 * 0.008;
    double leaves = (first_speed * first_speed / (g * distance) + 2 * cos(first_angle)) / 3;
    ash_geometry_def fixed = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_world *world = make_held_world("engineering", v3(0, 0, -g), 1);
    ash_vec3 out = v3(sin(first_angle), 0, cos(first_angle)), along = v3(out.z, 0, -out.x);
    set_surface(world, 0, 0);
    fixed.radius = fixed_radius;
    add_shape(world, &fixed, ASH_BODY_STATIC, 1000, v3(0, 0, 0), v3(0, 0, 0));
    ash_body ball = add_ball(world, radius, density, v3_scale(out, distance), v3_scale(along, first_speed));
    double cosine = out.z, far = 0;
    for (int step = 0; step < 1000 && far < 0.01; step++) {
        double before = cosine;
        assert_int_equal(ash_world_step(world, h), ASH_OK);
        ash_vec3 centre = ash_body_get_centre(world, ball), force = ash_body_get_reaction(world, ball).force;
        far = v3_norm(centre) - distance;
        cosine = centre.z / v3_norm(centre);
        assert_int_equal(ash_world_get_report(world).flags, 0);
        if (exact_force(mass, cosine, cosine) > 0) {
            assert_true(fabs(far) < 2 * slop);
            /* Of second order, at rates up to sqrt(g / D + (v / D)^2) = 4 1/s; gaps are found to 0.004 of the slop. */
            double limit = mass * (20 * g * h * h + 2 * 0.004 * slop / (h * h));
            assert_near(v3_norm(force), exact_force(mass, before, cosine), limit);
            assert_near(v3_norm2(ash_body_get_velocity(world, ball)), square_of_speed(cosine), 40 * h * h);
        } else if (exact_force(mass, before, before) > 0) {
            assert_near(cosine, leaves, 3 * h);
        }
    }
    assert_true(far > 0.01);
    ash_world_destroy(world);
}

static void balls_leave_where_nothing_presses(void **state)
{
    (void)state;
    a_ball_slides_over_a_ball(0.01);
    a_ball_slides_over_a_ball(0.005);
    a_ball_slides_over_a_ball(0.002);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(balls_leave_where_nothing_presses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
