/* ashlar solve: one contact problem by one or several solvers, with the error after every iteration. */
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/message.h"
#include "app/commands/problem_file.h"
#include "app/commands/solve_report.h"
#include "app/commands/solver_choice.h"
#include "base/alloc.h"

enum { THREADS_MOST = 256, ITERATIONS_MOST = 1000000, SOLVERS_MOST = 24 };

typedef struct solve_values {
    cli_solver_choice choice;
    const char *solvers, *plot, *csv, *output;
    uint32_t threads;
    bool json;
} solve_values;

static const cli_option options[] = {
    {"solver", 's', CLI_TEXT, "S", "a solver of those above (default newton)", offsetof(solve_values, choice.solver),
     0},
    {"solvers", 0, CLI_TEXT, "A,B,...", "several side by side, each with its own settings: sor:relaxation=1.5",
     offsetof(solve_values, solvers), 0},
    {"iterations", 0, CLI_COUNT, "N", "most iterations (default: the solver's)",
     offsetof(solve_values, choice.iterations), ITERATIONS_MOST},
    {"tolerance", 0, CLI_TEXT, "X", "stop when the error is below, m/s; 0: never (default: the solver's)",
     offsetof(solve_values, choice.tolerance), 0},
    {"no-warm-start", 0, CLI_FLAG, NULL, "start without the impulses in the file",
     offsetof(solve_values, choice.no_warm_start), 0},
    {"set", 0, CLI_TEXTS, "KEY=VALUE",
     "a setting of the solver (inner-solver=S of shock), or friction-law; may be repeated",
     offsetof(solve_values, choice.set), 0},
    {"threads", 0, CLI_COUNT, "N", "threads to solve with (default 1)", offsetof(solve_values, threads), THREADS_MOST},
    {"plot", 0, CLI_TEXT, "FILE", "theta and error over the iterations, a name that ends in .svg",
     offsetof(solve_values, plot), 0},
    {"csv", 0, CLI_TEXT, "FILE", "the same as a table", offsetof(solve_values, csv), 0},
    {"output", 'o', CLI_TEXT, "FILE", "write the problem with the solution in it; in FCLIB's form if it ends in .hdf5",
     offsetof(solve_values, output), 0},
    {"json", 0, CLI_FLAG, NULL, "one JSON object on standard output, nothing else", offsetof(solve_values, json), 0},
};

typedef struct solve_work {
    const char *name;
    char *labels; /* the list of solvers, cut at its commas */
    ash_problem problem, solved;
    cli_history histories[SOLVERS_MOST];
    uint32_t count;
} solve_work;

static void release(solve_work *work)
{
    for (uint32_t i = 0; i < work->count; i++)
        cli_history_release(&work->histories[i]);
    ash_problem_release(&work->problem);
    ash_problem_release(&work->solved);
    ashi_dealloc(work->labels);
}

/* Solves a copy of the problem by one solver. */
static int solve_by(solve_work *work, const solve_values *values, const char *label)
{
    ash_diagnostic diagnostic = {0};
    if (work->count == SOLVERS_MOST) {
        cli_error("solve: --solvers has more than %d solvers", SOLVERS_MOST);
        return CLI_BAD_INPUT;
    }
    if (label != NULL && label[0] == 0) {
        cli_error("solve: --solvers is \"%s\", expected names separated by commas", values->solvers);
        return CLI_BAD_INPUT;
    }
    if (ash_problem_copy(&work->solved, &work->problem, &diagnostic) != ASH_OK)
        return cli_report(&diagnostic);
    cli_history *history = &work->histories[work->count];
    cli_solver_choice choice = values->choice;
    choice.solver = label != NULL ? label : choice.solver;
    int status = cli_solver_choose(&choice, "solve", &work->solved, &history->settings);
    if (status != CLI_DONE)
        return status;
    history->label = choice.solver != NULL ? choice.solver : ash_solver_name(history->settings.solver);
    work->count++;
    return cli_history_run(&work->solved, values->threads, history);
}

static int solve_all(solve_work *work, const solve_values *values)
{
    if (values->solvers == NULL)
        return solve_by(work, values, NULL);
    work->labels = ashi_copy_text(values->solvers);
    int status = CLI_DONE;
    if (work->labels == NULL) {
        cli_error("out of memory");
        status = CLI_BAD_INPUT;
    }
    for (char *label = work->labels; status == CLI_DONE && label != NULL;) {
        char *comma = strchr(label, ',');
        if (comma != NULL)
            *comma++ = 0;
        status = solve_by(work, values, label);
        label = comma;
    }
    return status;
}

static int solve_problem(solve_work *work, const solve_values *values)
{
    ash_diagnostic diagnostic = {0};
    if (ash_problem_read(work->name, &work->problem, &diagnostic) != ASH_OK)
        return cli_report(&diagnostic);
    int status = solve_all(work, values);
    char title[256];
    snprintf(title, sizeof title, work->count == 1 ? "%.150s by %.90s" : "%.150s", work->name,
             work->histories[0].label);
    if (status == CLI_DONE && values->plot != NULL)
        status = cli_histories_plot(work->histories, work->count, title, values->plot);
    if (status == CLI_DONE && values->csv != NULL)
        status = cli_histories_csv(work->histories, work->count, values->csv);
    if (status == CLI_DONE && values->output != NULL)
        status = cli_write_problem(&work->solved, true, values->output);
    if (status == CLI_DONE)
        status = values->json ? cli_solve_print_json(work->name, &work->solved, work->histories, work->count)
                              : cli_solve_print(work->name, &work->solved, work->histories, work->count);
    bool failed = false;
    for (uint32_t i = 0; i < work->count; i++)
        failed = failed || (work->histories[i].result.flags & ASH_SOLVE_FAILED) != 0;
    return status == CLI_DONE && failed ? CLI_CANNOT_GO_ON : status;
}

/* Whether options that do not go together were given. */
static bool contradict(const solve_values *values)
{
    size_t length = values->plot != NULL ? strlen(values->plot) : 0;
    if (values->plot != NULL && (length < 5 || strcmp(values->plot + length - 4, ".svg") != 0))
        cli_error("solve: --plot is \"%s\", expected a name that ends in .svg", values->plot);
    else if (values->solvers != NULL && values->choice.solver != NULL)
        cli_error("solve: --solver and --solvers exclude each other");
    else if (values->solvers != NULL && values->output != NULL)
        cli_error("solve: --output writes the solution of one solver, --solvers names several");
    else
        return false;
    return true;
}

static int solve(int argc, char **argv)
{
    solve_values values = {.threads = 1};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_solve, argc, argv, &values, &operand_count, &status))
        return status;
    solve_work work = {.name = argv[0]};
    status = contradict(&values) ? CLI_BAD_INPUT : solve_problem(&work, &values);
    release(&work);
    cli_options_release(cli_solve.options, cli_solve.option_count, &values);
    return status;
}

const cli_command cli_solve = {
    .name = "solve",
    .summary = "solve a contact problem and show how its error decreases",
    .operands = "PROBLEM",
    .operands_least = 1,
    .operands_most = 1,
    .about =
        "PROBLEM is a file of \"ashlar problem\", a global problem of FCLIB (.hdf5) or the name of a stored one: rest,\n"
        "stack, pile, pile-heavy-top, shove, heavy-on-light, redundant, sliding, giving-way, impact, rolling,\n"
        "planar, chain, ball-grid, wall, coincident, parallel, wedged, immovable-pair, extreme-friction, mass-ratio;\n"
        "or of a pile that realtime has run: settled-50, settled-200, settled-1000, settled-3000, collapse-200,\n"
        "collapse-1000, silo, tower-under-slab, tower-struck. Prints the error by the\n"
        "yardstick (docs/yardstick.md) and Erleben's theta after every iteration; the times include the measuring. All\n"
        "islands are solved as one. The history of shock is over the iterations of its inner solver. A solver that\n"
        "does not converge says so; one that breaks down exits with 3.\n\n"
        "Solvers: jacobi, pgs, sor, lemke, nncg, apgd, newton, soft-step, direct, structured, shock, penalty,\n"
        "biconjugate, structured-dense, full-iterative, full-dense.",
    .examples =
        "  ashlar solve stack --solver pgs --iterations 200\n"
        "  ashlar solve problem.json --solver newton --plot newton.svg\n"
        "  ashlar solve stack --solvers jacobi,pgs,sor:relaxation=1.5,nncg,shock --iterations 300 --plot theta.svg\n"
        "  ashlar solve pile --set friction-law=pyramid --no-warm-start --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = solve,
};
