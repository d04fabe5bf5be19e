/* ashlar run: one scene, simulated, summed up, recorded and judged. */
#include <stdio.h>
#include <string.h>

#include "choice.h"
#include "command.h"
#include "file.h"
#include "interrupt.h"
#include "message.h"
#include "plot.h"
#include "progress.h"
#include "scene/description.h"
#include "summary.h"
#include "terminal.h"

enum { THREADS_MOST = 256, PLOT_COLUMNS = 80 };

typedef struct run_values {
    cli_choice choice;
    uint32_t threads;
    const char *out, *svg;
    cli_texts plot;
    bool check, json, strict;
} run_values;

static const cli_option options[] = {
    {"method", 0, CLI_TEXT, "M", "a method or an integrator, also with fields: realtime:integrator=rk4",
     offsetof(run_values, choice.method), 0},
    {"set", 0, CLI_TEXTS, "KEY=VALUE", "a parameter of the scene or a field of its method; may be repeated",
     offsetof(run_values, choice.set), 0},
    {"step", 0, CLI_SECONDS, "H", "length of a step, s (default: the scene's)", offsetof(run_values, choice.step), 0},
    {"time", 0, CLI_SECONDS, "T", "length of the run, s (default: the scene's)", offsetof(run_values, choice.time), 0},
    {"threads", 0, CLI_COUNT, "N", "threads to step with (default 1); the result is the same",
     offsetof(run_values, threads), THREADS_MOST},
    {"out", 0, CLI_TEXT, "DIR", "write the recording, outputs and ledger as CSV, summary and scene there",
     offsetof(run_values, out), 0},
    {"check", 0, CLI_FLAG, NULL, "test the scene's own expectations; exit 1 when one fails",
     offsetof(run_values, check), 0},
    {"strict", 0, CLI_FLAG, NULL, "exit 1 when there is an alarm", offsetof(run_values, strict), 0},
    {"plot", 0, CLI_TEXTS, "OUTPUT", "draw an output in characters; may be repeated", offsetof(run_values, plot), 0},
    {"svg", 0, CLI_TEXT, "FILE", "draw the outputs named by --plot, or all, to an SVG file", offsetof(run_values, svg),
     0},
    {"json", 0, CLI_FLAG, NULL, "the summary as one JSON object on standard output, nothing else",
     offsetof(run_values, json), 0},
};

/* Wrong names are reported before the run, not after it. */
static int check_plot_names(const ash_scene *scene, const cli_texts *wanted)
{
    enum { NAMES_MOST = 64 };
    const char *names[NAMES_MOST];
    uint32_t count = scene->outputs.count < NAMES_MOST ? scene->outputs.count : NAMES_MOST;
    for (uint32_t i = 0; i < count; i++)
        names[i] = scene->outputs.data[i].name;
    for (uint32_t i = 0; i < wanted->count; i++) {
        bool known = false;
        for (uint32_t j = 0; j < scene->outputs.count && !known; j++)
            known = strcmp(scene->outputs.data[j].name, wanted->data[i]) == 0;
        char suggestion[160];
        if (known)
            continue;
        cli_error("run: --plot \"%s\": the scene \"%s\" has no such output%s", wanted->data[i], scene->name,
                  ashi_did_you_mean(wanted->data[i], names, count, suggestion, sizeof suggestion));
        fprintf(stderr, count > 0 ? "it has: " : "it has none");
        for (uint32_t j = 0; j < count; j++) {
            fputs(j > 0 ? ", " : "", stderr);
            cli_put_text(stderr, names[j]);
        }
        fprintf(stderr, count < scene->outputs.count ? " and more\n" : "\n");
        return CLI_BAD_INPUT;
    }
    return CLI_DONE;
}

static bool is_wanted(const cli_texts *wanted, const char *name)
{
    for (uint32_t i = 0; i < wanted->count; i++)
        if (strcmp(wanted->data[i], name) == 0)
            return true;
    return false;
}

static int plot_text(const ash_run *run, const cli_texts *wanted)
{
    int width = cli_width(stdout);
    for (uint32_t i = 0; i < wanted->count; i++)
        for (uint32_t j = 0; j < ash_run_series_count(run); j++) {
            ash_series series = ash_run_get_series(run, j);
            if (strcmp(series.name, wanted->data[i]) != 0)
                continue;
            putchar('\n');
            if (!cli_plot_text(&series, stdout, width > 0 ? width : PLOT_COLUMNS, cli_unicode(stdout))) {
                cli_error("out of memory");
                return CLI_BAD_INPUT;
            }
        }
    return CLI_DONE;
}

typedef struct run_plot {
    const ash_series *series;
    uint32_t count;
    const char *title;
} run_plot;

static bool draw_svg(FILE *stream, const void *user)
{
    const run_plot *plot = user;
    return cli_plot_svg(plot->series, plot->count, plot->title, stream);
}

static int plot_svg(const ash_run *run, const run_values *values)
{
    ASHI_ARRAY(ash_series) chosen = {0};
    ash_run_summary summary = ash_run_get_summary(run);
    int status = CLI_DONE;
    for (uint32_t i = 0; i < ash_run_series_count(run); i++) {
        ash_series series = ash_run_get_series(run, i);
        if (values->plot.count > 0 && !is_wanted(&values->plot, series.name))
            continue;
        if (!ashi_array_extend(&chosen)) {
            cli_error("out of memory");
            status = CLI_BAD_INPUT;
            break;
        }
        chosen.data[chosen.count - 1] = series;
    }
    if (status == CLI_DONE && chosen.count == 0) {
        cli_error("run: --svg: the scene \"%s\" has no outputs to draw", summary.scene);
        status = CLI_BAD_INPUT;
    }
    if (status == CLI_DONE) {
        char title[256], method[96];
        snprintf(title, sizeof title, "%s, %s, step %g s", summary.scene,
                 cli_method_text(&summary.method, method, sizeof method), summary.step);
        status = cli_write_drawing(values->svg, draw_svg, &(run_plot){chosen.data, chosen.count, title});
    }
    ashi_array_release(&chosen);
    return status;
}

/* What the run is worth to the shell. */
static int verdict(const ash_run *run, ash_status outcome, bool strict)
{
    if (outcome == ASH_NUMERICS)
        return CLI_CANNOT_GO_ON;
    if (!ash_run_get_summary(run).complete && cli_interrupted() != 0)
        return 128 + cli_interrupted();
    for (uint32_t i = 0; i < ash_run_check_count(run); i++)
        if (!ash_run_get_check(run, i).pass)
            return CLI_CHECK_FAILED;
    return strict && ash_run_alarm_count(run) > 0 ? CLI_CHECK_FAILED : CLI_DONE;
}

static int show(const ash_run *run, const ash_scene *scene, const run_values *values)
{
    ash_diagnostic diagnostic = {0};
    char *text = NULL;
    if (values->json) {
        if (ash_run_summary_json(run, &text, &diagnostic) != ASH_OK)
            return cli_report(&diagnostic);
        printf("%s\n", text);
        ash_free(text);
    } else {
        cli_summary_print(run, scene, values->out);
    }
    int status = values->json ? CLI_DONE : plot_text(run, &values->plot);
    if (status == CLI_DONE && values->svg != NULL) {
        status = plot_svg(run, values);
        if (status == CLI_DONE && !values->json)
            printf("\nplot written to %s\n", values->svg);
    }
    return status;
}

static int run_scene(const ash_scene *scene, const run_values *values)
{
    ash_run_options run_options = ash_default_run_options();
    cli_progress progress = cli_progress_begin(scene->name);
    run_options.step = values->choice.step;
    run_options.time = values->choice.time;
    run_options.threads = values->threads;
    run_options.out = values->out;
    run_options.check = values->check;
    run_options.progress = cli_progress_update;
    run_options.user = &progress;
    ash_run *run = NULL;
    ash_diagnostic diagnostic = {0};
    cli_interrupt_watch();
    ash_status outcome = ash_scene_run(scene, &run_options, &run, &diagnostic);
    cli_progress_end(&progress);
    if (outcome != ASH_OK)
        cli_report(&diagnostic);
    if (run == NULL)
        return outcome == ASH_NUMERICS ? CLI_CANNOT_GO_ON : CLI_BAD_INPUT;
    int status = show(run, scene, values);
    cli_warn_of_alarms(run, NULL);
    if (status == CLI_DONE)
        status = verdict(run, outcome, values->strict);
    if (outcome != ASH_OK && outcome != ASH_NUMERICS)
        status = CLI_BAD_INPUT;
    ash_run_destroy(run);
    return status;
}

static int run(int argc, char **argv)
{
    run_values values = {.threads = 1};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_run, argc, argv, &values, &operand_count, &status))
        return status;
    ash_scene *scene = NULL;
    status = cli_choice_open(argv[0], &values.choice, &scene);
    if (status == CLI_DONE)
        status = check_plot_names(scene, &values.plot);
    if (status == CLI_DONE && values.json && values.plot.count > 0 && values.svg == NULL) {
        cli_error("run: --plot draws on standard output, which --json keeps for the summary; use --svg with them");
        status = CLI_BAD_INPUT;
    }
    if (status == CLI_DONE)
        status = cli_prepare_file(values.svg);
    if (status == CLI_DONE)
        status = run_scene(scene, &values);
    ash_scene_destroy(scene);
    cli_options_release(cli_run.options, cli_run.option_count, &values);
    return status;
}

const cli_command cli_run = {
    .name = "run",
    .summary = "simulate a scene; summarize, record, check and plot it",
    .operands = "SCENE",
    .operands_least = 1,
    .operands_most = 1,
    .about = "Simulates SCENE, a built-in name (ashlar list) or a .json file, and prints its cost and its\n"
             "error. Ctrl-C, SIGTERM and SIGHUP stop the run cleanly: the summary covers what was done, and all\n"
             "files are complete. The exit status is then 130, 143 or 129.",
    .examples = "  ashlar run string --plot middle\n"
                "  ashlar run oscillator --method rk4 --step 0.001 --check\n"
                "  ashlar run my-scene.json --time 20 --out results --svg results.svg\n"
                "  ashlar run net --set integrator=implicit-euler --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
