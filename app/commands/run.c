/* ashlar run: one scene, simulated, summed up, recorded and judged. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/interrupt.h"
#include "app/cli/message.h"
#include "app/cli/progress.h"
#include "app/commands/run_plot.h"
#include "app/commands/summary.h"
#include "base/alloc.h"
#include "scene/description/description.h"

enum { THREADS_MOST = 256, BESIDE_MOST = 16 };

typedef struct run_values {
    cli_choice choice;
    uint32_t threads;
    const char *out, *svg, *record;
    cli_texts plot, beside;
    const char *data;
    bool check, json, strict, spectrum;
} run_values;

static const cli_option options[] = {
    {"method", 0, CLI_TEXT, "M", "a method or an integrator, also with fields: realtime:integrator=rk4",
     offsetof(run_values, choice.method), 0},
    {"set", 0, CLI_TEXTS, "KEY=VALUE", "a parameter of the scene or a field of its method; may be repeated",
     offsetof(run_values, choice.set), 0},
    {"step", 0, CLI_SECONDS, "H", "length of a step, s (default: the scene's)", offsetof(run_values, choice.step), 0},
    {"time", 0, CLI_SECONDS, "T", "length of the run, s (default: the scene's)", offsetof(run_values, choice.time), 0},
    {"accuracy", 0, CLI_NUMBER, "EPS", "wanted error of positions at the end, m: steps as long as it allows",
     offsetof(run_values, choice.accuracy), 0},
    {"threads", 0, CLI_COUNT, "N", "threads to step with (default 1); the result is the same",
     offsetof(run_values, threads), THREADS_MOST},
    {"out", 0, CLI_TEXT, "DIR", "write the recording, outputs and ledger as CSV, summary and scene there",
     offsetof(run_values, out), 0},
    {"record", 0, CLI_TEXT, "WHAT", "joints, contacts or joints,contacts: into the recording, too",
     offsetof(run_values, record), 0},
    {"check", 0, CLI_FLAG, NULL, "test the scene's own expectations; exit 1 when one fails",
     offsetof(run_values, check), 0},
    {"strict", 0, CLI_FLAG, NULL, "exit 1 when there is an alarm", offsetof(run_values, strict), 0},
    {"plot", 0, CLI_TEXTS, "OUTPUT", "draw an output in characters; may be repeated", offsetof(run_values, plot), 0},
    {"svg", 0, CLI_TEXT, "FILE", "draw the outputs named by --plot, or all, to an SVG file", offsetof(run_values, svg),
     0},
    {"beside", 0, CLI_TEXTS, "KEY=VALUE",
     "run once more with this (or method, step, time), into the same plots; may be repeated",
     offsetof(run_values, beside), 0},
    {"data", 0, CLI_TEXT, "FILE", "draw the columns of a CSV file into the SVG plots of the same names",
     offsetof(run_values, data), 0},
    {"spectrum", 0, CLI_FLAG, NULL, "in SVG: amplitudes over frequencies instead of values over time",
     offsetof(run_values, spectrum), 0},
    {"json", 0, CLI_FLAG, NULL, "the summary as one JSON object on standard output, nothing else",
     offsetof(run_values, json), 0},
};

/* What the run is worth to the shell. */
static int verdict(const ash_run *run, ash_status outcome, bool strict)
{
    if (outcome == ASH_NUMERICS)
        return CLI_CANNOT_GO_ON;
    if (!ash_run_get_summary(run).complete && cli_interrupted() != 0)
        return 128 + cli_interrupted();
    for (uint32_t i = 0; i < ash_run_get_check_count(run); i++)
        if (!ash_run_get_check(run, i).pass)
            return CLI_CHECK_FAILED;
    return strict && ash_run_get_alarm_count(run) > 0 ? CLI_CHECK_FAILED : CLI_DONE;
}

static int show(const ash_run *run, const cli_run_plot *plot, const ash_scene *scene, const run_values *values)
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
    int status = values->json ? CLI_DONE : cli_run_plot_text(plot);
    if (status == CLI_DONE && values->svg != NULL) {
        status = cli_run_plot_svg(plot, values->svg);
        if (status == CLI_DONE && !values->json)
            printf("\nplot written to %s\n", values->svg);
    }
    return status;
}

/* The length that "step=0.01" names; false, with a message, when it is none. */
static bool read_seconds(const char *setting, const char *text, double *seconds)
{
    char *end;
    *seconds = strtod(text, &end);
    if (end != text && *end == '\0' && *seconds > 0 && isfinite(*seconds))
        return true;
    cli_error("run: --beside \"%s\": expected a number of seconds above 0", setting);
    return false;
}

/* What the run beside is chosen by: the command line, with the setting in the place of one for the same key. */
static bool set_beside(const run_values *values, const char *setting, cli_choice *choice)
{
    size_t key = strcspn(setting, "=");
    const char *text = setting[key] == '=' ? setting + key + 1 : setting + key;
    *choice = values->choice;
    choice->set = (cli_texts){0};
    bool step = key == 4 && strncmp(setting, "step", key) == 0, time = key == 4 && strncmp(setting, "time", key) == 0;
    bool method = key == 6 && strncmp(setting, "method", key) == 0, own = step || time || method;
    if (method)
        choice->method = text;
    if ((step || time) && !read_seconds(setting, text, step ? &choice->step : &choice->time))
        return false;
    for (uint32_t i = 0; i < values->choice.set.count + !own; i++) {
        const char *kept = i < values->choice.set.count ? values->choice.set.data[i] : setting;
        if (i < values->choice.set.count && strncmp(kept, setting, key) == 0 && kept[key] == '=')
            continue;
        if (!ashi_array_extend(&choice->set)) {
            cli_error("out of memory");
            return false;
        }
        choice->set.data[choice->set.count - 1] = kept;
    }
    return true;
}

/* Runs the scene with the other setting, in silence except for what is wrong. */
static int run_beside(const char *name, const run_values *values, const char *setting, ash_run **run)
{
    ash_run_options run_options = ash_default_run_options();
    ash_scene *scene = NULL;
    ash_diagnostic diagnostic = {0};
    cli_choice choice;
    int status = CLI_BAD_INPUT;
    if (set_beside(values, setting, &choice))
        status = cli_choice_open(name, &choice, &scene);
    if (status == CLI_DONE) {
        cli_progress progress = cli_progress_begin(setting);
        run_options.step = choice.step;
        run_options.time = choice.time;
        run_options.threads = values->threads;
        run_options.progress = cli_progress_update;
        run_options.user = &progress;
        ash_status outcome = ash_scene_run(scene, &run_options, run, &diagnostic);
        cli_progress_end(&progress);
        if (outcome != ASH_OK)
            status = cli_report(&diagnostic);
    }
    if (*run != NULL)
        cli_warn_of_alarms(*run, setting);
    ash_scene_destroy(scene);
    ashi_array_release(&choice.set);
    return status;
}

static int run_scene(const char *name, const ash_scene *scene, const run_values *values)
{
    ash_run_options run_options = ash_default_run_options();
    cli_progress progress = cli_progress_begin(scene->name);
    run_options.step = values->choice.step;
    run_options.time = values->choice.time;
    run_options.threads = values->threads;
    run_options.out = values->out;
    run_options.record_joints = values->record != NULL && strstr(values->record, "joints") != NULL;
    run_options.record_contacts = values->record != NULL && strstr(values->record, "contacts") != NULL;
    run_options.check = values->check;
    run_options.progress = cli_progress_update;
    run_options.user = &progress;
    ash_run *run = NULL, *beside[BESIDE_MOST] = {0};
    ash_diagnostic diagnostic = {0};
    cli_interrupt_watch();
    ash_status outcome = ash_scene_run(scene, &run_options, &run, &diagnostic);
    cli_progress_end(&progress);
    if (outcome != ASH_OK)
        cli_report(&diagnostic);
    if (run == NULL)
        return outcome == ASH_NUMERICS ? CLI_CANNOT_GO_ON : CLI_BAD_INPUT;
    int status = CLI_DONE;
    for (uint32_t i = 0; i < values->beside.count && status == CLI_DONE && cli_interrupted() == 0; i++)
        status = run_beside(name, values, values->beside.data[i], &beside[i]);
    const cli_run_plot plot = {run, beside, &values->beside, &values->plot, values->data, values->spectrum};
    if (status == CLI_DONE)
        status = show(run, &plot, scene, values);
    cli_warn_of_alarms(run, NULL);
    if (status == CLI_DONE)
        status = verdict(run, outcome, values->strict);
    if (outcome != ASH_OK && outcome != ASH_NUMERICS)
        status = CLI_BAD_INPUT;
    for (uint32_t i = 0; i < values->beside.count; i++)
        ash_run_destroy(beside[i]);
    ash_run_destroy(run);
    return status;
}

/* Is what --record asks for something that recordings can hold? */
static int check_record(const run_values *values)
{
    static const char *const known[] = {"joints", "contacts", "joints,contacts", "contacts,joints"};
    bool good = values->record == NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known && !good; i++)
        good = strcmp(values->record, known[i]) == 0;
    if (good && (values->record == NULL || values->out != NULL))
        return CLI_DONE;
    if (good)
        cli_error("run: --record is for the recording: give --out, too");
    else
        cli_error("run: --record is \"%s\", expected joints, contacts, or joints,contacts", values->record);
    return CLI_BAD_INPUT;
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
        status = cli_run_plot_check(scene, &values.plot);
    if (status == CLI_DONE && values.json && values.plot.count > 0 && values.svg == NULL) {
        cli_error("run: --plot draws on standard output, which --json keeps for the summary; use --svg with them");
        status = CLI_BAD_INPUT;
    }
    if (status == CLI_DONE && values.beside.count > 0 && values.plot.count == 0 && values.svg == NULL) {
        cli_error("run: --beside is for plots: give --plot or --svg, too");
        status = CLI_BAD_INPUT;
    }
    if (status == CLI_DONE && values.beside.count > BESIDE_MOST) {
        cli_error("run: --beside may be given %d times at most", BESIDE_MOST);
        status = CLI_BAD_INPUT;
    }
    if (status == CLI_DONE && values.svg == NULL && (values.data != NULL || values.spectrum)) {
        cli_error("run: --data and --spectrum are for --svg");
        status = CLI_BAD_INPUT;
    }
    if (status == CLI_DONE)
        status = check_record(&values);
    if (status == CLI_DONE)
        status = cli_prepare_file(values.svg);
    if (status == CLI_DONE)
        status = run_scene(argv[0], scene, &values);
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
    .about = "Simulates SCENE, a built-in name (ashlar list) or a .json or .urdf file, and prints its cost and its\n"
             "error. Ctrl-C, SIGTERM and SIGHUP stop the run cleanly: the summary covers what was done, and all\n"
             "files are complete. The exit status is then 130, 143 or 129.",
    .examples = "  ashlar run string --plot middle\n"
                "  ashlar run oscillator --method rk4 --step 0.001 --check\n"
                "  ashlar run my-scene.json --time 20 --out results --svg results.svg\n"
                "  ashlar run net --plot \"ball-lf z\" --beside delay=0.05 --svg delay.svg\n"
                "  ashlar run net --set integrator=implicit-euler --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
