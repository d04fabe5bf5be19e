/* Histories of solvers: taken, drawn and written as tables. */
#include "app/commands/history.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/message.h"
#include "app/cli/plot.h"
#include "base/alloc.h"
#include "base/diagnostic.h"
#include "scene/file/csv.h"

/* Contacts that give way let a solver begin again: the history may be longer than the iterations. */
enum { HISTORIES = 5, CURVES_MOST = 3 };

/* ---- taking them ---- */

static bool take_trace(ash_solve_trace *trace, uint64_t room)
{
    *trace = (ash_solve_trace){.capacity = (uint32_t)room};
    trace->residual = ashi_alloc_array(4 * room, sizeof(double)); /* one block for all */
    if (trace->residual == NULL)
        return false;
    trace->theta = trace->residual + room;
    trace->own_theta = trace->theta + room;
    trace->seconds = trace->own_theta + room;
    return true;
}

void cli_history_release(cli_history *history)
{
    ashi_dealloc(history->trace.residual);
    history->trace = (ash_solve_trace){0};
}

static void keep_last(ash_solve_trace *history, const ash_solve_trace *trace)
{
    if (trace->count == 0 || history->count == history->capacity)
        return;
    uint32_t to = history->count++, from = trace->count - 1;
    history->residual[to] = trace->residual[from];
    history->theta[to] = trace->theta[from];
    history->own_theta[to] = trace->own_theta[from];
    history->seconds[to] = trace->seconds[from];
}

/* Layers with 0, 1, 2, ... iterations each, all from the first guess. */
static ash_status run_layers(ash_problem *problem, uint32_t threads, cli_history *h, ash_diagnostic *diagnostic)
{
    ash_problem start = {0};
    ash_solve_trace trace = {0};
    ash_solver_settings settings = h->settings;
    ash_status status = ash_problem_copy(&start, problem, diagnostic);
    if (status == ASH_OK && !take_trace(&trace, (uint64_t)problem->body_count + h->trace.capacity + 2))
        status = ashi_out_of_memory(diagnostic);
    for (uint32_t i = 0; status == ASH_OK && i <= h->settings.iterations; i++) {
        settings.iterations = i;
        status = ash_problem_copy(problem, &start, diagnostic);
        if (status == ASH_OK)
            status = ash_problem_solve(problem, &settings, threads, &trace, &h->result, diagnostic);
        if (status == ASH_OK)
            keep_last(&h->trace, &trace);
    }
    ashi_dealloc(trace.residual);
    ash_problem_release(&start);
    return status;
}

int cli_history_run(ash_problem *problem, uint32_t threads, cli_history *history)
{
    ash_diagnostic diagnostic = {0};
    uint64_t room = (uint64_t)HISTORIES * (history->settings.iterations + 1);
    if (!take_trace(&history->trace, room)) {
        cli_error("out of memory");
        return CLI_BAD_INPUT;
    }
    ash_status status =
        history->settings.solver == ASH_SOLVER_SHOCK
            ? run_layers(problem, threads, history, &diagnostic)
            : ash_problem_solve(problem, &history->settings, threads, &history->trace, &history->result, &diagnostic);
    if (status != ASH_OK)
        return cli_report(&diagnostic);
    ash_problem_measure_fclib(problem, &history->fclib, NULL);
    return CLI_DONE;
}

bool cli_history_has_own(const cli_history *history)
{
    const ash_solver_settings *s = &history->settings;
    return s->regularization > 0 || s->diagonal_scaling || s->solver == ASH_SOLVER_SHOCK;
}

/* ---- drawing them ---- */

/* Logarithms to the base of ten; what is zero leaves a gap. */
static void take_logarithms(const double *numbers, uint32_t count, double *logarithms)
{
    for (uint32_t i = 0; i < count; i++)
        logarithms[i] = numbers[i] > 0 ? log10(numbers[i]) : (double)NAN;
}

static bool has_any_own(const cli_history *histories, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (cli_history_has_own(&histories[i]))
            return true;
    return false;
}

/* All series of the plot; `numbers` has room for them and the iterations. */
static uint32_t make_series(const cli_history *histories, uint32_t count, uint32_t longest, double *numbers,
                            ash_series *series)
{
    static const char *const units[CURVES_MOST] = {"theta", "theta of the own system", "error (m/s)"};
    uint32_t made = 0;
    bool own = has_any_own(histories, count);
    for (uint32_t i = 0; i < longest; i++)
        numbers[i] = i;
    for (int curve = 0; curve < CURVES_MOST; curve++)
        for (uint32_t i = 0; (curve != 1 || own) && i < count; i++) {
            const ash_solve_trace *trace = &histories[i].trace;
            const double *from[CURVES_MOST] = {trace->theta, trace->own_theta, trace->residual};
            double *to = numbers + (size_t)longest * (made + 1);
            take_logarithms(from[curve], trace->count, to);
            series[made++] = (ash_series){histories[i].label, units[curve], numbers, to, trace->count};
        }
    return made;
}

typedef struct history_plot {
    const ash_series *series;
    uint32_t count;
    const char *title;
} history_plot;

static bool draw_plot(FILE *stream, const void *user)
{
    const history_plot *plot = user;
    cli_plot_look look = {.title = plot->title, .axis_label = "iteration", .decades = true};
    return cli_plot_svg_over(plot->series, plot->count, &look, stream);
}

static uint32_t longest_of(const cli_history *histories, uint32_t count)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < count; i++)
        longest = histories[i].trace.count > longest ? histories[i].trace.count : longest;
    return longest;
}

int cli_histories_plot(const cli_history *histories, uint32_t count, const char *title, const char *path)
{
    uint32_t longest = longest_of(histories, count);
    double *numbers = ashi_alloc_array((size_t)longest * (CURVES_MOST * count + 1), sizeof *numbers);
    ash_series *series = ashi_alloc_array(CURVES_MOST * count, sizeof *series);
    int status = CLI_BAD_INPUT;
    if (numbers == NULL || series == NULL)
        cli_error("out of memory");
    else {
        history_plot plot = {series, make_series(histories, count, longest, numbers, series), title};
        status = cli_write_drawing(path, draw_plot, &plot);
    }
    ashi_dealloc(numbers);
    ashi_dealloc(series);
    return status;
}

/* ---- tables ---- */

static void put_heading(ashi_csv *csv, const char *label, const char *what, const char *unit)
{
    char name[200];
    snprintf(name, sizeof name, "%.150s %s", label, what);
    ashi_csv_heading(csv, name, unit);
}

static void put_number(ashi_csv *csv, const ash_solve_trace *trace, const double *numbers, uint32_t i)
{
    ashi_csv_number(csv, i < trace->count ? numbers[i] : (double)NAN);
}

static ash_status write_csv(ashi_csv *csv, const cli_history *histories, uint32_t count, ash_diagnostic *diagnostic)
{
    ashi_csv_heading(csv, "iteration", "");
    for (uint32_t k = 0; k < count; k++) {
        put_heading(csv, histories[k].label, "theta", "");
        put_heading(csv, histories[k].label, "theta of the own system", "");
        put_heading(csv, histories[k].label, "error", "m/s");
    }
    ash_status status = ashi_csv_end_row(csv, diagnostic);
    uint32_t longest = longest_of(histories, count);
    for (uint32_t i = 0; status == ASH_OK && i < longest; i++) {
        ashi_csv_number(csv, i);
        for (uint32_t k = 0; k < count; k++) {
            const ash_solve_trace *trace = &histories[k].trace;
            put_number(csv, trace, trace->theta, i);
            put_number(csv, trace, trace->own_theta, i);
            put_number(csv, trace, trace->residual, i);
        }
        status = ashi_csv_end_row(csv, diagnostic);
    }
    return status;
}

int cli_histories_csv(const cli_history *histories, uint32_t count, const char *path)
{
    ash_diagnostic diagnostic = {0};
    ashi_csv *csv = NULL;
    ash_status status = ashi_csv_open(path, ASHI_CSV_WHEN_CLOSED, &csv, &diagnostic);
    if (status == ASH_OK)
        status = write_csv(csv, histories, count, &diagnostic);
    ash_status closed = ashi_csv_close(csv, status == ASH_OK ? &diagnostic : NULL);
    status = status == ASH_OK ? closed : status;
    return status == ASH_OK ? CLI_DONE : cli_report(&diagnostic);
}
