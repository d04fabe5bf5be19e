/* ashlar compare: one scene by several methods, a column each. */
#include <stdio.h>
#include <string.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/document.h"
#include "app/cli/file.h"
#include "app/cli/interrupt.h"
#include "app/cli/message.h"
#include "app/cli/progress.h"
#include "app/cli/table.h"
#include "app/commands/curves.h"
#include "app/commands/run_plot.h"
#include "app/commands/summary.h"
#include "scene/description/description.h"

enum { METHODS_MOST = 16, THREADS_MOST = 256 };

typedef struct compare_values {
    cli_choice choice;
    const char *methods;
    uint32_t threads;
    const char *svg, *data;
    cli_texts plot;
    bool json, markdown, strict, spectrum;
} compare_values;

static const cli_option options[] = {
    {"methods", 0, CLI_TEXT, "A,B,...", "methods or integrators, also with fields: a:integrator=rk4 (default: all)",
     offsetof(compare_values, methods), 0},
    {"set", 0, CLI_TEXTS, "KEY=VALUE", "a parameter of the scene or a field of all methods; may be repeated",
     offsetof(compare_values, choice.set), 0},
    {"step", 0, CLI_SECONDS, "H", "length of a step, s (default: the scene's)", offsetof(compare_values, choice.step),
     0},
    {"time", 0, CLI_SECONDS, "T", "length of the run, s (default: the scene's)", offsetof(compare_values, choice.time),
     0},
    {"accuracy", 0, CLI_NUMBER, "EPS", "wanted error of positions at the end, m: steps as long as it allows",
     offsetof(compare_values, choice.accuracy), 0},
    {"threads", 0, CLI_COUNT, "N", "threads to step with (default 1)", offsetof(compare_values, threads), THREADS_MOST},
    {"strict", 0, CLI_FLAG, NULL, "exit 1 when there is an alarm", offsetof(compare_values, strict), 0},
    {"svg", 0, CLI_TEXT, "FILE", "draw the outputs of all methods, or those of --plot, into one SVG file",
     offsetof(compare_values, svg), 0},
    {"plot", 0, CLI_TEXTS, "OUTPUT", "an output to draw; may be repeated", offsetof(compare_values, plot), 0},
    {"data", 0, CLI_TEXT, "FILE", "draw the columns of a CSV file into the plots of the same names",
     offsetof(compare_values, data), 0},
    {"spectrum", 0, CLI_FLAG, NULL, "draw amplitudes over frequencies instead of values over time",
     offsetof(compare_values, spectrum), 0},
    {"json", 0, CLI_FLAG, NULL, "one JSON object: the summaries of the runs", offsetof(compare_values, json), 0},
    {"markdown", 0, CLI_FLAG, NULL, "the table as Markdown", offsetof(compare_values, markdown), 0},
};

/* The methods to compare and what came of each. */
typedef struct method_comparison {
    char *names; /* the list, cut at its commas */
    const char *labels[METHODS_MOST];
    ash_method methods[METHODS_MOST];
    ash_run *runs[METHODS_MOST];
    uint32_t count, done;
    ash_status worst;
} method_comparison;

/* All methods, joined by commas; the caller releases it. */
static char *all_methods(void)
{
    char text[1024] = "";
    for (uint32_t i = 0; i < ash_method_count(); i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? "," : "", ash_method_name(i));
    }
    return ashi_copy_text(text);
}

static int read_methods(method_comparison *comparison, const char *scene_name, const compare_values *values)
{
    comparison->names = values->methods != NULL ? ashi_copy_text(values->methods) : all_methods();
    if (comparison->names == NULL) {
        cli_error("out of memory");
        return CLI_BAD_INPUT;
    }
    int status = CLI_DONE;
    for (char *name = comparison->names; status == CLI_DONE && name != NULL;) {
        char *comma = strchr(name, ',');
        if (comma != NULL)
            *comma++ = 0;
        if (comparison->count == METHODS_MOST) {
            cli_error("compare: --methods has more than %d methods", METHODS_MOST);
            return CLI_BAD_INPUT;
        }
        if (name[0] == 0) {
            cli_error("compare: --methods is \"%s\", expected names separated by commas", values->methods);
            return CLI_BAD_INPUT;
        }
        comparison->labels[comparison->count] = name;
        status = cli_method_read(name, scene_name, &values->choice, &comparison->methods[comparison->count++]);
        name = comma;
    }
    return status;
}

/* Tells the diagnostic with the method's name before it. */
static void report(const char *label, const ash_diagnostic *diagnostic)
{
    ash_diagnostic named = *diagnostic;
    snprintf(named.message, sizeof named.message, "with %.100s: %.400s", label, diagnostic->message);
    cli_report(&named);
}

/* One run a method. What is no matter of numerics ends the comparison. */
static int run_all(method_comparison *comparison, ash_scene *scene, const compare_values *values)
{
    cli_interrupt_watch();
    for (uint32_t i = 0; i < comparison->count && cli_interrupted() == 0; i++) {
        ash_run_options run_options = ash_default_run_options();
        cli_progress progress = cli_progress_begin(comparison->labels[i]);
        ash_diagnostic diagnostic = {0};
        run_options.step = values->choice.step;
        run_options.time = values->choice.time;
        run_options.threads = values->threads;
        run_options.progress = cli_progress_update;
        run_options.user = &progress;
        ash_status outcome = ash_scene_set_method(scene, &comparison->methods[i]);
        if (outcome != ASH_OK) {
            cli_error("compare: the method \"%s\" cannot be used", comparison->labels[i]);
            return CLI_BAD_INPUT;
        }
        outcome = ash_scene_run(scene, &run_options, &comparison->runs[i], &diagnostic);
        cli_progress_end(&progress);
        if (outcome != ASH_OK)
            report(comparison->labels[i], &diagnostic);
        if (comparison->runs[i] == NULL || (outcome != ASH_OK && outcome != ASH_NUMERICS))
            return outcome == ASH_NUMERICS ? CLI_CANNOT_GO_ON : CLI_BAD_INPUT;
        if (outcome == ASH_NUMERICS)
            comparison->worst = outcome;
        comparison->done++;
    }
    return CLI_DONE;
}

/* The rows of the table: a name and how to read it from a summary. */
typedef struct summary_quantity {
    const char *name;
    size_t offset; /* of a double in ash_run_summary */
} summary_quantity;

static const summary_quantity quantities[] = {
    {"time reached (s)", offsetof(ash_run_summary, time)},
    {"step, mean (ms)", offsetof(ash_run_summary, step_ms_mean)},
    {"step, max (ms)", offsetof(ash_run_summary, step_ms_max)},
    {"times real time", offsetof(ash_run_summary, realtime_factor)},
    {"iterations a step", offsetof(ash_run_summary, iterations_mean)},
    {"residual, max (m/s)", offsetof(ash_run_summary, residual_max)},
    {"penetration, max (m)", offsetof(ash_run_summary, penetration_max)},
    {"joint error, max (m)", offsetof(ash_run_summary, joint_error_max)},
    {"error of positions (m)", offsetof(ash_run_summary, error_total)},
    {"energy, final (J)", offsetof(ash_run_summary, energy_final)},
    {"energy remainder (J)", offsetof(ash_run_summary, ledger.remainder)},
    {"energy drift (of exchanged)", offsetof(ash_run_summary, energy_drift)},
    {"energy made, max (of what moves)", offsetof(ash_run_summary, energy_made_share)},
    {"displacement, max (m)", offsetof(ash_run_summary, displacement_max)},
};

/* Only where the scene has events. */
static const summary_quantity event_quantities[] = {
    {"last event at (s)", offsetof(ash_run_summary, last_event)},
    {"sideways before it, max (m)", offsetof(ash_run_summary, sideways_before)},
    {"penetration before it, max (m)", offsetof(ash_run_summary, penetration_before)},
};

static void add_quantities(cli_table *table, const method_comparison *comparison, const summary_quantity *list,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cli_table_cell(table, "%s", list[i].name);
        for (uint32_t j = 0; j < comparison->done; j++) {
            ash_run_summary summary = ash_run_get_summary(comparison->runs[j]);
            double value;
            memcpy(&value, (const char *)&summary + list[i].offset, sizeof value);
            cli_table_number(table, value);
        }
    }
}

static void add_summaries(cli_table *table, const method_comparison *comparison)
{
    bool events = false;
    for (uint32_t j = 0; j < comparison->done; j++)
        events = events || ash_run_get_summary(comparison->runs[j]).last_event > 0;
    add_quantities(table, comparison, quantities, sizeof quantities / sizeof *quantities);
    if (events)
        add_quantities(table, comparison, event_quantities, sizeof event_quantities / sizeof *event_quantities);
}

static void add_outputs(cli_table *table, const method_comparison *comparison)
{
    for (uint32_t i = 0; i < ash_run_get_series_count(comparison->runs[0]); i++) {
        ash_series first = ash_run_get_series(comparison->runs[0], i);
        cli_table_cell(table, "%s%s%s%s", first.name, first.unit[0] != 0 ? " (" : "", first.unit,
                       first.unit[0] != 0 ? ")" : "");
        for (uint32_t j = 0; j < comparison->done; j++) {
            ash_series series = ash_run_get_series(comparison->runs[j], i);
            if (series.count > 0)
                cli_table_number(table, series.values[series.count - 1]);
            else
                cli_table_cell(table, "-");
        }
    }
}

/* Names and numbers of steps, such as "energy-made (12), growing (3)". */
static const char *alarms_text(const ash_run *run, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "none");
    for (uint32_t i = 0; i < ash_run_get_alarm_count(run) && used < size; i++) {
        ash_run_alarm alarm = ash_run_get_alarm(run, i);
        int length = snprintf(text + used, size - used, "%s%s (%llu)", i > 0 ? ", " : "", ash_flag_name(alarm.flag),
                              (unsigned long long)alarm.steps);
        used += (size_t)(length > 0 ? length : 0);
    }
    return text;
}

static int print_table(const method_comparison *comparison, const ash_scene *scene, bool markdown)
{
    char alignment[METHODS_MOST + 2] = "l", alarms[512];
    memset(alignment + 1, 'r', comparison->done);
    cli_table table = cli_table_begin(alignment, true);
    cli_table_cell(&table, "%s", scene->name);
    for (uint32_t i = 0; i < comparison->done; i++)
        cli_table_cell(&table, "%s", comparison->labels[i]);
    add_summaries(&table, comparison);
    add_outputs(&table, comparison);
    cli_table_cell(&table, "alarms (steps)");
    for (uint32_t i = 0; i < comparison->done; i++)
        cli_table_cell(&table, "%s", alarms_text(comparison->runs[i], alarms, sizeof alarms));
    cli_table_cell(&table, "hash");
    for (uint32_t i = 0; i < comparison->done; i++)
        cli_table_cell(&table, "%016llx", (unsigned long long)ash_run_get_summary(comparison->runs[i]).hash);
    bool printed = markdown ? cli_table_print_markdown(&table, stdout) : cli_table_print(&table, stdout, 0);
    cli_table_release(&table);
    if (!printed)
        cli_error("out of memory");
    return printed ? CLI_DONE : CLI_BAD_INPUT;
}

static int print_json(const method_comparison *comparison, const ash_scene *scene)
{
    json_t *runs = json_array();
    for (uint32_t i = 0; i < comparison->done; i++) {
        char *text = NULL;
        ash_diagnostic diagnostic = {0};
        if (ash_run_summary_json(comparison->runs[i], &text, &diagnostic) != ASH_OK) {
            json_decref(runs);
            return cli_report(&diagnostic);
        }
        json_t *summary = json_loads(text, 0, NULL);
        ash_free(text);
        cli_json_set(summary, "label", cli_json_text(comparison->labels[i]));
        cli_json_append(runs, summary);
    }
    return cli_json_print(json_pack("{s:o, s:o}", "scene", cli_json_text(scene->name), "runs", runs));
}

/* All runs in one plot. */
static int draw(const method_comparison *comparison, const ash_scene *scene, const compare_values *values)
{
    cli_curves curves = {0};
    int status = CLI_DONE;
    for (uint32_t i = 0; i < comparison->done; i++)
        cli_curves_add_run(&curves, comparison->runs[i], comparison->labels[i], &values->plot);
    if (curves.list.count == 0) {
        cli_error("compare: --svg: the scene \"%s\" has no outputs to draw", scene->name);
        status = CLI_BAD_INPUT;
    } else if (values->data != NULL && !cli_curves_add_table(&curves, values->data)) {
        status = CLI_BAD_INPUT;
    }
    if (status == CLI_DONE && values->spectrum)
        cli_curves_transform(&curves);
    if (status == CLI_DONE)
        status = cli_curves_svg(&curves, scene->name, values->spectrum, values->svg);
    cli_curves_release(&curves);
    return status;
}

static int compare_methods(const char *name, ash_scene *scene, const compare_values *values)
{
    method_comparison comparison = {.worst = ASH_OK};
    int status = read_methods(&comparison, name, values);
    if (status == CLI_DONE)
        status = run_all(&comparison, scene, values);
    if (status == CLI_DONE && comparison.done > 0)
        status = values->json ? print_json(&comparison, scene) : print_table(&comparison, scene, values->markdown);
    if (status == CLI_DONE && comparison.done > 0 && values->svg != NULL)
        status = draw(&comparison, scene, values);
    if (status == CLI_DONE && cli_interrupted() != 0)
        status = 128 + cli_interrupted();
    if (status == CLI_DONE && comparison.worst == ASH_NUMERICS)
        status = CLI_CANNOT_GO_ON;
    for (uint32_t i = 0; i < comparison.done; i++) {
        cli_warn_of_alarms(comparison.runs[i], comparison.labels[i]);
        if (status == CLI_DONE && values->strict && ash_run_get_alarm_count(comparison.runs[i]) > 0)
            status = CLI_CHECK_FAILED;
    }
    for (uint32_t i = 0; i < comparison.count; i++)
        ash_run_destroy(comparison.runs[i]);
    ashi_dealloc(comparison.names);
    return status;
}

static int compare(int argc, char **argv)
{
    compare_values values = {.threads = 1};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_compare, argc, argv, &values, &operand_count, &status))
        return status;
    ash_scene *scene = NULL;
    if (values.json && values.markdown) {
        cli_error("compare: --json and --markdown exclude each other");
        status = CLI_BAD_INPUT;
    }
    if (status == CLI_DONE)
        status = cli_choice_open(argv[0], &values.choice, &scene);
    if (status == CLI_DONE && values.svg == NULL && (values.plot.count > 0 || values.data != NULL || values.spectrum)) {
        cli_error("compare: --plot, --data and --spectrum are for --svg");
        status = CLI_BAD_INPUT;
    }
    if (status == CLI_DONE)
        status = cli_run_plot_check(scene, &values.plot);
    if (status == CLI_DONE)
        status = cli_prepare_file(values.svg);
    if (status == CLI_DONE)
        status = compare_methods(argv[0], scene, &values);
    ash_scene_destroy(scene);
    cli_options_release(cli_compare.options, cli_compare.option_count, &values);
    return status;
}

const cli_command cli_compare = {
    .name = "compare",
    .summary = "the same scene by several methods, side by side",
    .operands = "SCENE",
    .operands_least = 1,
    .operands_most = 1,
    .about = "Runs SCENE once by each method and prints a table with a column for each: cost, residual,\n"
             "penetration, joint error, energy, displacement, the final outputs and the hash of the final state.\n"
             "The exit status is 3 when a method could not finish; its column shows the time it reached.",
    .examples = "  ashlar compare oscillator --methods explicit-euler,symplectic-euler,rk4\n"
                "  ashlar compare string --methods realtime,realtime:integrator=rk4 --step 0.001\n"
                "  ashlar compare tumbling-box --markdown",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = compare,
};
