/* Problem files. What is read can be written and read again; small problems are solved by every solver. */
#include "target.h"

#include "ashlar/scene.h"

enum { ROWS_MOST = 60, BODIES_MOST = 30 };

static void check_writing(const ash_problem *problem)
{
    ash_diagnostic diagnostic = {0};
    ash_problem again = {0};
    char *first, *second;
    size_t first_size, second_size;
    CHECK(ash_problem_write(problem, &first, &first_size, &diagnostic) == ASH_OK);
    ash_status status = ash_problem_parse(first, first_size, "again.json", &again, &diagnostic);
    if (status != ASH_OK)
        fprintf(stderr, "%s %s\n%s\n", diagnostic.path, diagnostic.message, first);
    CHECK(status == ASH_OK);
    CHECK(ash_problem_write(&again, &second, &second_size, &diagnostic) == ASH_OK);
    CHECK(first_size == second_size && memcmp(first, second, first_size) == 0);
    ash_problem_release(&again);
    ash_free(first);
    ash_free(second);
}

static void solve(const ash_problem *problem)
{
    for (int i = 0; i < ASH_SOLVERS; i++) {
        ash_problem copy = {0};
        ash_diagnostic diagnostic = {0};
        ash_solve_result result;
        ash_solver_settings settings = ash_default_solver_settings((ash_solver)i);
        settings.iterations = 4;
        settings.substeps = 2;
        CHECK(ash_problem_copy(&copy, problem, &diagnostic) == ASH_OK);
        ash_status status = ash_problem_solve(&copy, &settings, 1, NULL, &result, &diagnostic);
        if (status != ASH_OK)
            check_refusal(status, &diagnostic);
        ash_problem_release(&copy);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ash_problem problem = {0};
    ash_diagnostic diagnostic = {0};
    ash_status status = ash_problem_parse((const char *)bytes, size, "input.json", &problem, &diagnostic);
    if (status == ASH_OK) {
        CHECK(ash_problem_check(&problem, &diagnostic) == ASH_OK);
        check_writing(&problem);
        if (problem.row_count <= ROWS_MOST && problem.body_count <= BODIES_MOST)
            solve(&problem);
    } else {
        check_refusal(status, &diagnostic);
    }
    ash_problem_release(&problem);
    CHECK(ash_memory_used().blocks == 0);
    return 0;
}
