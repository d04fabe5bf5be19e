/* How the error of a contact problem falls by a solver, iteration by iteration. */
#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H

#include "ashlar/scene.h"

typedef struct cli_history {
    const char *label; /* what was asked for, such as "sor:relaxation=1.5" */
    ash_solver_settings settings;
    ash_solve_trace trace; /* entry 0 is the start */
    ash_solve_result result;
    double fclib; /* the solution's error by FCLIB's measure; NaN where the problem has not its form */
} cli_history;

/* Solves the problem, which holds the solution then, and keeps the errors. The history of shock is over the iterations
 * of its inner solver: it is solved again for each number of them. On failure an error is printed, and the exit status
 * is returned. */
int cli_history_run(ash_problem *problem, uint32_t threads, cli_history *history);
void cli_history_release(cli_history *history);

/* Whether the solver works on another system than the problem's own: theta of that is worth a curve of its own. */
bool cli_history_has_own(const cli_history *history);

/* Draws all of them in one plot, a panel for theta, one for theta of their own systems if some have one, one for the
 * error; or writes them as a table, a row an iteration. A failure is reported with the command's name, "solve". */
int cli_histories_plot(const cli_history *histories, uint32_t count, const char *title, const char *path);
int cli_histories_csv(const cli_history *histories, uint32_t count, const char *path);

#endif
