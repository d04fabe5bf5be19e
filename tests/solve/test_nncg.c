/* Conjugate gradients around a sweep: nearer than the sweeps alone, the best iterate returned, always inside the law.
 */
#include "builder.h"

#include "problem/problems.h"

static ash_solver_settings settings_of(ash_solver solver, bool by_rows, uint32_t iterations)
{
    ash_solver_settings settings = ash_default_solver_settings(solver);
    settings.by_rows = by_rows;
    settings.iterations = iterations;
    settings.tolerance = 1e-14;
    settings.warm_start = false;
    return settings;
}

static double residual_of(const char *name, ash_solver solver, bool by_rows, uint32_t iterations)
{
    ashi_system p = problem_named(name);
    ash_solver_settings settings = settings_of(solver, by_rows, iterations);
    double residual = solve_with(&p, &settings).error.largest;
    ashi_system_release(&p);
    return residual;
}

/* Where errors travel far: at least ten times nearer at the same number of sweeps. */
static void it_is_nearer_than_gauss_seidel(void **state)
{
    (void)state;
    static const char *const names[] = {"stack", "pile", "heavy-on-light", "shove"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int by_rows = 0; by_rows < 2; by_rows++) {
            double plain = residual_of(names[i], ASH_SOLVER_PGS, by_rows, 600);
            double conjugate = residual_of(names[i], ASH_SOLVER_NNCG, by_rows, 600);
            if (!(conjugate < plain / 10))
                fail_msg("%s: %g, Gauss-Seidel %g", names[i], conjugate, plain);
        }
}

static void the_best_is_returned_and_obeys_the_law(void **state)
{
    (void)state;
    enum { MOST = 401 };
    static double residual[MOST], theta[MOST], seconds[MOST];
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        ashi_system p = problem_named("shove");
        ash_solver_settings settings = settings_of(ASH_SOLVER_NNCG, by_rows, MOST - 1);
        ash_solve_trace trace = {.capacity = MOST, .residual = residual, .theta = theta, .seconds = seconds};
        ashi_solver_memory *memory = ashi_solver_memory_create();
        ash_solve_result result;
        assert_true(ashi_solve_problem(&p, &settings, memory, NULL, &trace, &result));
        assert_int_equal(trace.count, MOST);
        double least = residual[0];
        bool grew = false;
        for (uint32_t i = 1; i < trace.count; i++) {
            grew = grew || residual[i] > least;
            least = residual[i] < least ? residual[i] : least;
        }
        assert_true(grew); /* else the best would be the last */
        assert_near(result.error.largest, least, 1e-12);
        for (uint32_t k = 0; k < p.block_count; k++) {
            const ashi_row *row = &p.rows[p.blocks[k].first_row];
            assert_true(row[0].impulse >= 0);
            assert_below(hypot(row[1].impulse, row[2].impulse), p.blocks[k].friction * row[0].impulse * (1 + 1e-12));
        }
        ashi_solver_memory_destroy(memory);
        ashi_system_release(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_nearer_than_gauss_seidel),
        cmocka_unit_test(the_best_is_returned_and_obeys_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
