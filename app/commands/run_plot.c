/* The plots of ashlar run. */
#include "app/commands/run_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/message.h"
#include "app/cli/plot.h"
#include "app/cli/terminal.h"
#include "app/commands/curves.h"
#include "scene/description/description.h"

enum { PLOT_COLUMNS = 80, NAME_MOST = 96 };

/* Wrong names are reported before the run, not after it. */
int cli_run_plot_check(const ash_scene *scene, const cli_texts *wanted)
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

/* The series of that name; false when the run has none. */
static bool find_series(const ash_run *run, const char *name, ash_series *series)
{
    for (uint32_t i = 0; i < ash_run_get_series_count(run); i++) {
        *series = ash_run_get_series(run, i);
        if (strcmp(series->name, name) == 0)
            return true;
    }
    return false;
}

/* The largest difference of two series at the same times, as long as both last. */
static double largest_difference(const ash_series *a, const ash_series *b)
{
    double largest = 0;
    for (uint32_t i = 0, k = 0; i < a->count; i++) {
        while (k < b->count && b->times[k] < a->times[i])
            k++;
        if (k < b->count && b->times[k] == a->times[i])
            largest = fmax(largest, fabs(b->values[k] - a->values[i])); /* gaps, which are no numbers, do not count */
    }
    return largest;
}

static int draw_text(const ash_series *series)
{
    int width = cli_width(stdout);
    putchar('\n');
    if (cli_plot_text(series, stdout, width > 0 ? width : PLOT_COLUMNS, cli_unicode(stdout)))
        return CLI_DONE;
    cli_error("out of memory");
    return CLI_BAD_INPUT;
}

static int draw_beside(const ash_series *series, const ash_run *run, const char *setting)
{
    ash_series beside;
    if (run == NULL || !find_series(run, series->name, &beside))
        return CLI_DONE;
    char name[NAME_MOST];
    double difference = largest_difference(series, &beside);
    snprintf(name, sizeof name, "%s, %s", series->name, setting);
    beside.name = name;
    int status = draw_text(&beside);
    printf("  largest difference of both: %g %s\n", difference, series->unit);
    return status;
}

int cli_run_plot_text(const cli_run_plot *plot)
{
    int status = CLI_DONE;
    for (uint32_t i = 0; i < plot->wanted->count && status == CLI_DONE; i++) {
        ash_series series;
        if (!find_series(plot->run, plot->wanted->data[i], &series))
            continue;
        status = draw_text(&series);
        for (uint32_t k = 0; k < plot->settings->count && status == CLI_DONE; k++)
            status = draw_beside(&series, plot->beside[k], plot->settings->data[k]);
    }
    return status;
}

int cli_run_plot_svg(const cli_run_plot *plot, const char *path)
{
    ash_run_summary summary = ash_run_get_summary(plot->run);
    cli_curves curves = {0};
    cli_curves_add_run(&curves, plot->run, NULL, plot->wanted);
    for (uint32_t k = 0; k < plot->settings->count; k++)
        if (plot->beside[k] != NULL)
            cli_curves_add_run(&curves, plot->beside[k], plot->settings->data[k], plot->wanted);
    int status = CLI_DONE;
    if (curves.list.count == 0) {
        cli_error("run: --svg: the scene \"%s\" has no outputs to draw", summary.scene);
        status = CLI_BAD_INPUT;
    } else if (plot->data != NULL && !cli_curves_add_table(&curves, plot->data)) {
        status = CLI_BAD_INPUT;
    }
    if (status == CLI_DONE && plot->spectrum)
        cli_curves_transform(&curves);
    if (status == CLI_DONE) {
        char title[512], method[256];
        snprintf(title, sizeof title, "%s, %s, step %g s", summary.scene,
                 cli_method_text(&summary.method, method, sizeof method), summary.step);
        status = cli_curves_svg(&curves, title, plot->spectrum, path);
    }
    cli_curves_release(&curves);
    return status;
}
