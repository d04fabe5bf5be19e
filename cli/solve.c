/* ashlar solve: one contact problem by one solver, with its error after every iteration. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "command.h"
#include "document.h"
#include "file.h"
#include "message.h"
#include "plot.h"
#include "solver_choice.h"
#include "table.h"

/* Contacts that give way let a solver begin anew: the history may be longer than the iterations. */
enum { THREADS_MOST = 256, ITERATIONS_MOST = 1000000, HISTORIES = 5, ROWS_SHOWN = 30 };

typedef struct solve_values {
    cli_solver_choice choice;
    const char *plot, *output;
    uint32_t threads;
    bool json;
} solve_values;

static const cli_option options[] = {
    {"solver", 's', CLI_TEXT, "S",
     "jacobi, pgs, sor, lemke, nncg, apgd, newton (default), soft-step, direct, structured, shock, penalty",
     offsetof(solve_values, choice.solver), 0},
    {"iterations", 0, CLI_COUNT, "N", "at most (default: the solver's)", offsetof(solve_values, choice.iterations),
     ITERATIONS_MOST},
    {"tolerance", 0, CLI_TEXT, "X", "stop when the error is below, m/s; 0: never (default: the solver's)",
     offsetof(solve_values, choice.tolerance), 0},
    {"no-warm-start", 0, CLI_FLAG, NULL, "begin without the impulses in the file",
     offsetof(solve_values, choice.no_warm_start), 0},
    {"set", 0, CLI_TEXTS, "KEY=VALUE",
     "a setting of the solver (inner-solver=S of shock), or friction-law; may be repeated",
     offsetof(solve_values, choice.set), 0},
    {"threads", 0, CLI_COUNT, "N", "threads to solve with (default 1)", offsetof(solve_values, threads), THREADS_MOST},
    {"plot", 0, CLI_TEXT, "FILE", "error and theta over the iterations, a name that ends in .svg",
     offsetof(solve_values, plot), 0},
    {"output", 'o', CLI_TEXT, "FILE", "write the problem with the solution in it", offsetof(solve_values, output), 0},
    {"json", 0, CLI_FLAG, NULL, "one JSON object on standard output, nothing else", offsetof(solve_values, json), 0},
};

typedef struct solve_work {
    const char *name;
    ash_problem problem;
    ash_solver_settings settings;
    ash_solve_trace trace;
    ash_solve_result result;
    double *numbers; /* of the plot */
} solve_work;

static bool take_trace(solve_work *work)
{
    uint64_t room = (uint64_t)HISTORIES * (work->settings.iterations + 1);
    work->trace.capacity = (uint32_t)room;
    work->trace.residual = ashi_alloc(room * sizeof(double));
    work->trace.theta = ashi_alloc(room * sizeof(double));
    work->trace.seconds = ashi_alloc(room * sizeof(double));
    work->numbers = ashi_alloc(3 * room * sizeof(double));
    return work->trace.residual != NULL && work->trace.theta != NULL && work->trace.seconds != NULL &&
           work->numbers != NULL;
}

static void release(solve_work *work)
{
    ash_problem_release(&work->problem);
    ashi_free(work->trace.residual);
    ashi_free(work->trace.theta);
    ashi_free(work->trace.seconds);
    ashi_free(work->numbers);
}

/* ---- text ---- */

static const char *law_name(ash_friction_law law)
{
    static const char *const names[ASH_FRICTION_LAWS] = {"cone", "pyramid", "box"};
    return names[law];
}

static void print_worst(const solve_work *work)
{
    const ash_yardstick *error = &work->result.error;
    if (error->worst_block >= work->problem.block_count)
        return;
    const ash_problem_block *block = &work->problem.blocks[error->worst_block];
    printf("worst:     block %u, %s of bodies %u and %u\n", (unsigned)error->worst_block,
           block->kind == ASH_BLOCK_CONTACT ? "a contact" : "rows", (unsigned)block->body_a, (unsigned)block->body_b);
}

/* Every row of a short history; of a long one the first, then 1, 2, 5, 10, 20, ..., and the last. */
static bool is_shown(uint32_t i, uint32_t count)
{
    if (count <= ROWS_SHOWN || i + 1 == count || i <= 5)
        return true;
    uint32_t decade = 1;
    while (decade <= i / 10)
        decade *= 10;
    return i == decade || i == 2 * decade || i == 5 * decade;
}

static bool print_history(const ash_solve_trace *trace)
{
    cli_table table = cli_table_begin("rrrr", true);
    static const char *const heads[] = {"iteration", "error (m/s)", "theta", "time (ms)"};
    for (int i = 0; i < 4; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (uint32_t i = 0; i < trace->count; i++) {
        if (!is_shown(i, trace->count))
            continue;
        cli_table_cell(&table, "%u", (unsigned)i);
        cli_table_cell(&table, "%.4g", trace->residual[i]);
        cli_table_cell(&table, "%.4g", trace->theta[i]);
        cli_table_cell(&table, "%.4g", 1e3 * trace->seconds[i]);
    }
    bool printed = cli_table_print(&table, stdout, 0);
    cli_table_release(&table);
    return printed;
}

static int print_text(const solve_work *work)
{
    const ash_problem *p = &work->problem;
    const ash_solve_result *result = &work->result;
    char flags[96];
    printf("problem:   ");
    cli_put_text(stdout, work->name);
    printf(", %u bodies, %u blocks, %u rows, %u island%s, friction by %s\n", (unsigned)p->body_count,
           (unsigned)p->block_count, (unsigned)p->row_count, (unsigned)p->island_count, p->island_count == 1 ? "" : "s",
           law_name(p->law));
    printf("solver:    %s, %u iterations in %.4g ms: %s\n", ash_solver_name(work->settings.solver),
           (unsigned)result->iterations, 1e3 * result->seconds,
           ash_solve_flags_text(result->flags, flags, sizeof flags));
    printf("error:     %.4g m/s, mean %.4g m/s; theta %.4g\n", result->error.largest, result->error.mean,
           result->error.theta);
    print_worst(work);
    if (work->trace.count == 0)
        return CLI_DONE;
    putchar('\n');
    if (print_history(&work->trace))
        return CLI_DONE;
    cli_error("out of memory");
    return CLI_BAD_INPUT;
}

/* ---- JSON ---- */

static json_t *numbers_json(const double *numbers, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++)
        cli_json_append(array, cli_json_number(numbers[i]));
    return array;
}

static json_t *flags_json(uint32_t flags)
{
    json_t *array = json_array();
    char word[32];
    for (uint32_t bit = 1; bit != 0 && bit <= flags; bit <<= 1)
        if (flags & bit)
            cli_json_append(array, json_string(ash_solve_flags_text(bit, word, sizeof word)));
    return array;
}

static int print_json(const solve_work *work)
{
    const ash_problem *p = &work->problem;
    const ash_solve_result *result = &work->result;
    const ash_yardstick *error = &result->error;
    json_t *worst = error->worst_block < p->block_count ? json_integer(error->worst_block) : json_null();
    return cli_json_print(json_pack(
        "{s:o, s:i, s:i, s:i, s:i, s:s, s:s, s:i, s:o, s:o, s:{s:o, s:o, s:o, s:o}, s:{s:o, s:o, s:o}}", "problem",
        cli_json_text(work->name), "bodies", (int)p->body_count, "blocks", (int)p->block_count, "rows",
        (int)p->row_count, "islands", (int)p->island_count, "law", law_name(p->law), "solver",
        ash_solver_name(work->settings.solver), "iterations", (int)result->iterations, "seconds",
        cli_json_number(result->seconds), "flags", flags_json(result->flags), "error", "max",
        cli_json_number(error->largest), "mean", cli_json_number(error->mean), "worst_block", worst, "theta",
        cli_json_number(error->theta), "history", "error", numbers_json(work->trace.residual, work->trace.count),
        "theta", numbers_json(work->trace.theta, work->trace.count), "seconds",
        numbers_json(work->trace.seconds, work->trace.count)));
}

/* ---- the plot ---- */

/* Logarithms to the base of ten; what is zero leaves a gap. */
static int plot(const solve_work *work, const char *path)
{
    uint32_t count = work->trace.count;
    double *iteration = work->numbers, *error = iteration + count, *theta = error + count;
    for (uint32_t i = 0; i < count; i++) {
        iteration[i] = i;
        error[i] = work->trace.residual[i] > 0 ? log10(work->trace.residual[i]) : (double)NAN;
        theta[i] = work->trace.theta[i] > 0 ? log10(work->trace.theta[i]) : (double)NAN;
    }
    ash_series series[2] = {{"log10 of the error", "m/s", iteration, error, count},
                            {"log10 of Erleben's theta", "", iteration, theta, count}};
    char title[256];
    snprintf(title, sizeof title, "%.150s by %s", work->name, ash_solver_name(work->settings.solver));
    FILE *file = fopen(path, "w");
    bool written = file != NULL && cli_plot_svg_over(series, 2, title, "iteration", file);
    int reason = errno;
    if (file != NULL && fclose(file) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (!written)
        cli_error("solve: cannot write %s: %s", path, strerror(reason));
    return written ? CLI_DONE : CLI_BAD_INPUT;
}

/* ---- the command ---- */

static int write_solution(const solve_work *work, const char *path)
{
    ash_diagnostic diagnostic = {0};
    char *text = NULL;
    size_t size = 0;
    if (ash_problem_write(&work->problem, &text, &size, &diagnostic) != ASH_OK)
        return cli_report(&diagnostic);
    int status = cli_write_file("solve", path, text, size);
    ash_free(text);
    return status;
}

static int solve_problem(solve_work *work, const solve_values *values)
{
    ash_diagnostic diagnostic = {0};
    if (ash_problem_read(work->name, &work->problem, &diagnostic) != ASH_OK)
        return cli_report(&diagnostic);
    int status = cli_solver_choose(&values->choice, "solve", &work->problem, &work->settings);
    if (status != CLI_DONE)
        return status;
    if (!take_trace(work)) {
        cli_error("out of memory");
        return CLI_BAD_INPUT;
    }
    if (ash_problem_solve(&work->problem, &work->settings, values->threads, &work->trace, &work->result, &diagnostic) !=
        ASH_OK)
        return cli_report(&diagnostic);
    if (values->plot != NULL)
        status = plot(work, values->plot);
    if (status == CLI_DONE && values->output != NULL)
        status = write_solution(work, values->output);
    if (status == CLI_DONE)
        status = values->json ? print_json(work) : print_text(work);
    return status == CLI_DONE && (work->result.flags & ASH_SOLVE_FAILED) != 0 ? CLI_CANNOT_GO_ON : status;
}

static int solve(int argc, char **argv)
{
    solve_values values = {.threads = 1};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_solve, argc, argv, &values, &operand_count, &status))
        return status;
    solve_work work = {.name = argv[0]};
    size_t length = values.plot != NULL ? strlen(values.plot) : 0;
    if (values.plot != NULL && (length < 5 || strcmp(values.plot + length - 4, ".svg") != 0)) {
        cli_error("solve: --plot is \"%s\", expected a name that ends in .svg", values.plot);
        status = CLI_BAD_INPUT;
    } else {
        status = solve_problem(&work, &values);
    }
    release(&work);
    cli_options_release(cli_solve.options, cli_solve.option_count, &values);
    return status;
}

const cli_command cli_solve = {
    .name = "solve",
    .summary = "solve a contact problem and show how its error falls",
    .operands = "PROBLEM",
    .operands_least = 1,
    .operands_most = 1,
    .about =
        "PROBLEM is a file of \"ashlar problem\" or the name of a stored one: rest, stack, pile, pile-heavy-top,\n"
        "shove, heavy-on-light, redundant, sliding, giving-way, impact, rolling, planar, chain, coincident, parallel,\n"
        "wedged, immovable-pair, extreme-friction, mass-ratio. Prints the error by the yardstick\n"
        "(docs/yardstick.md) and Erleben's theta after every iteration; the times include the measuring. All\n"
        "islands are solved as one. A solver that does not converge says so; one that breaks down exits with 3.",
    .examples = "  ashlar solve stack --solver pgs --iterations 200\n"
                "  ashlar solve problem.json --solver newton --plot newton.svg\n"
                "  ashlar solve pile --set friction-law=pyramid --no-warm-start --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = solve,
};
