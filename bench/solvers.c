/* All solvers over all stored problems, cold: what each reaches, in how many iterations and how long. The tolerance is
 * 1e-10 m/s, of degenerate problems 1e-8; who does not reach it stops at 1000 iterations. Some solvers call converged
 * what is so by their own measure: "reached" is by the yardstick. */
#include "bench.h"

#include "base/diagnostic.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 1000, REPEATS = 3 };
static const double quick = 0.02; /* s: what takes longer is measured once */

static ash_solver_settings settings_for(ash_solver solver, bool degenerate)
{
    ash_solver_settings settings = ash_default_solver_settings(solver);
    settings.iterations = ITERATIONS;
    settings.tolerance = degenerate ? 1e-8 : 1e-10;
    settings.warm_start = false;
    return settings;
}

/* The fastest of some solves of the same problem. */
static ash_status time_solver(const ash_problem *problem, const ash_solver_settings *settings, ash_problem *work,
                              ash_solve_result *result, ash_diagnostic *diagnostic)
{
    double best = HUGE_VAL;
    for (int i = 0; i < REPEATS && (i == 0 || best < quick); i++) {
        ash_status status = ash_problem_copy(work, problem, diagnostic);
        if (status == ASH_OK)
            status = ash_problem_solve(work, settings, 1, NULL, result, diagnostic);
        if (status != ASH_OK)
            return status;
        best = fmin(best, result->seconds);
    }
    result->seconds = best;
    return ASH_OK;
}

static ash_status add_row(json_t *rows, const char *name, const ash_problem *problem, ash_solver solver,
                          const ash_solve_result *result, bool reached, ash_diagnostic *diagnostic)
{
    char flags[96];
    json_t *row = json_pack("{s:s, s:I, s:s, s:I, s:f, s:o, s:o, s:s, s:s}", "problem", name, "blocks",
                            (json_int_t)problem->block_count + problem->point_count, "solver", ash_solver_name(solver),
                            "iterations", (json_int_t)result->iterations, "ms", 1e3 * result->seconds, "error (m/s)",
                            isfinite(result->error.largest) ? json_real(result->error.largest) : json_null(), "theta",
                            isfinite(result->error.theta) ? json_real(result->error.theta) : json_null(), "reached",
                            reached ? "yes" : "no", "flags", ash_solve_flags_text(result->flags, flags, sizeof flags));
    return json_array_append_new(rows, row) == 0 ? ASH_OK : ashi_out_of_memory(diagnostic);
}

static ash_status time_problem(uint32_t index, uint32_t most, json_t *rows, ash_diagnostic *diagnostic)
{
    ash_stored_problem stored = ash_stored_problem_get(index);
    ash_problem problem = {0}, work = {0};
    ash_status status = ash_problem_read(stored.name, &problem, diagnostic);
    for (ash_solver solver = 0;
         status == ASH_OK && problem.block_count + problem.point_count <= most && solver < ASH_SOLVERS; solver++) {
        ash_solver_settings settings = settings_for(solver, stored.degenerate);
        ash_solve_result result;
        status = time_solver(&problem, &settings, &work, &result, diagnostic);
        if (status == ASH_OK)
            status = add_row(rows, stored.name, &problem, solver, &result, result.error.largest <= settings.tolerance,
                             diagnostic);
    }
    ash_problem_release(&problem);
    ash_problem_release(&work);
    return status;
}

json_t *bench_solvers(uint32_t most, ash_diagnostic *diagnostic)
{
    json_t *rows = json_array();
    ash_status status = ASH_OK;
    for (uint32_t i = 0; status == ASH_OK && i < ash_stored_problem_count(); i++)
        status = time_problem(i, most, rows, diagnostic);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
