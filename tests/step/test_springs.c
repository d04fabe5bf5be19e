/* Springs beside contacts and joints: what is held by the solver's sub-steps keeps the energy of its springs. */
#include "step/piles.h"

/* A ball that rolls on the floor between two walls' springs, without friction: an oscillator in contact. Symplectic
 * Euler keeps its energy within h omega / 2 of itself up to h omega = 2. */
static double highest_energy(const char *method, double h_omega, uint32_t steps)
{
    const double h = 0.01, mass = 2, omega = h_omega / h;
    ash_world *w = make_held_world(method, v3(0, 0, -9.81), 1);
    set_surface(w, 0, 0);
    add_floor(w);
    double density = mass / (4.0 / 3 * 3.14159265358979323846 * 0.1 * 0.1 * 0.1);
    ash_body ball = add_ball(w, 0.1, density, v3(0.05, 0, 0.1), v3(0, 0, 0));
    for (int side = -1; side <= 1; side += 2) {
        ash_spring_def def = ash_default_spring_def();
        def.body_a = ball;
        def.point_b = v3(side, 0, 0.1);
        def.stiffness = 0.5 * mass * omega * omega;
        def.rest_length = 1;
        make_spring(w, &def);
    }
    double potential = ash_world_get_ledger(w).gravity, start = ash_world_get_ledger(w).total - potential, most = 0;
    for (uint32_t i = 0; i < steps; i++) {
        assert_int_equal(ash_world_step(w, h), ASH_OK);
        ash_ledger now = ash_world_get_ledger(w);
        most = fmax(most, now.total - now.gravity);
    }
    ash_world_destroy(w);
    return most / start;
}

static void an_oscillator_in_contact_is_bounded(void **state)
{
    (void)state;
    static const double h_omegas[] = {0.05, 0.2, 0.5, 1, 1.5};
    for (int i = 0; i < 5; i++) {
        double most = highest_energy("realtime", h_omegas[i], 4000);
        /* The conserved energy of symplectic Euler differs from the true one by h omega / 2 of it at most. */
        double bound = (1 + h_omegas[i] / 2) / (1 - h_omegas[i] / 2);
        if (!(most <= bound * 1.001))
            fail_msg("h omega %g: the energy rises to %g of itself, bound %g", h_omegas[i], most, bound);
    }
}

/* Pressed onto the floor by a spring, a block rests: the displacement that elastic forces lack is none. */
static void a_pressed_block_rests(void **state)
{
    (void)state;
    ash_world *w = make_held_world("realtime", v3(0, 0, -9.81), 1);
    set_surface(w, 0.5, 0);
    add_floor(w);
    ash_body lower = add_box(w, 0.25, v3(0, 0, 0.25), v3(0, 0, 0));
    ash_body upper = add_box(w, 0.25, v3(0, 0, 0.75), v3(0, 0, 0));
    ash_spring_def def = ash_default_spring_def();
    def.body_a = upper;
    def.point_b = v3(0, 0, -1);
    def.stiffness = 5000;
    def.rest_length = 0.5;
    make_spring(w, &def);
    take_steps(w, 0.01, 300);
    assert_near(ash_body_get_centre(w, lower).z, 0.25, 1e-3);
    assert_near(ash_body_get_centre(w, upper).z, 0.75, 1e-3);
    assert_below(v3_norm(ash_body_get_velocity(w, upper)), 1e-6);
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_oscillator_in_contact_is_bounded),
        cmocka_unit_test(a_pressed_block_rests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
