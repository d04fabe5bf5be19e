/* Jacobi: damped by split masses it descends steadily however many contacts act on a body; made to diverge, it says so
 * and returns what was good. */
#include "builder.h"

enum { POINTS = 36, SWEEPS = 60 };

/* A plate on a grid of points: without splitting, each point alone would stop it. */
static builder *plate(double friction)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t body = add_body(b, 3, 1, v3(0, 0, 0.1), v3(0.2, -0.1, -0.1));
    b->problem.bodies[body].spin = v3(0.3, 0.2, 0.1);
    for (int i = 0; i < POINTS; i++)
        add_contact(b, ground, body, v3(0.2 * (i % 6) - 0.5, 0.2 * (i / 6) - 0.5, 0), v3(0, 0, 1), 2, friction);
    finish(b);
    return b;
}

static ash_solver_settings jacobi(bool by_rows, double relaxation, uint32_t iterations)
{
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_JACOBI);
    settings.by_rows = by_rows;
    settings.relaxation = relaxation;
    settings.iterations = iterations;
    settings.tolerance = 0;
    settings.warm_start = false;
    return settings;
}

/* 1/2 v M v of the one moving body: what the frictionless problem minimizes. */
static double energy_after(uint32_t sweeps, bool by_rows, double relaxation)
{
    builder *b = plate(0);
    ash_solver_settings settings = jacobi(by_rows, relaxation, sweeps);
    solve_with(&b->problem, &settings);
    ash_motion v = b->problem.velocity[1];
    free_builder(b);
    return 0.5 * (3 * v3_norm2(v.linear) + 0.5 * v3_norm2(v.angular));
}

static void every_sweep_descends(void **state)
{
    (void)state;
    for (int way = 0; way < 6; way++) {
        double relaxation = way < 2 ? 0.5 : way < 4 ? 1 : 1.9;
        double before = energy_after(0, way % 2, relaxation);
        for (uint32_t sweeps = 1; sweeps < SWEEPS; sweeps++) {
            double after = energy_after(sweeps, way % 2, relaxation);
            assert_below(after, before * (1 + 1e-14));
            before = after;
        }
        assert_below(before, 0.95 * energy_after(0, way % 2, relaxation));
    }
}

static void it_converges_with_friction(void **state)
{
    (void)state;
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        builder *b = plate(0.4);
        ash_solver_settings settings = jacobi(by_rows, 1, 50000);
        settings.tolerance = 1e-9;
        ash_solve_result result = solve_with(&b->problem, &settings);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        free_builder(b);
    }
}

/* The start is what was published last: its impulses come back. */
static void divergence_is_seen(void **state)
{
    (void)state;
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        builder *b = plate(0.4);
        ash_solver_settings settings = jacobi(by_rows, 300, 1000);
        ashi_block *block = &b->problem.blocks[0]; /* an equality, whose impulse nothing bounds */
        block->kind = ASHI_PLAIN_BLOCK;
        block->tangents = 0;
        for (int i = 0; i < 3; i++)
            b->problem.rows[i].lower = -HUGE_VAL;
        b->problem.rows[5].impulse = 0.25;
        settings.warm_start = true;
        ash_solve_result result = solve_with(&b->problem, &settings);
        assert_true(result.flags & ASH_SOLVE_FAILED);
        assert_true(result.iterations < 1000);
        assert_true(b->problem.rows[5].impulse == 0.25 && b->problem.rows[0].impulse == 0);
        assert_true(v3_is_finite(b->problem.velocity[1].linear) && isfinite(result.error.largest));
        free_builder(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sweep_descends),
        cmocka_unit_test(it_converges_with_friction),
        cmocka_unit_test(divergence_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
