/* sweep.html, one page without scripts: what was swept, statistics, charts, the worst case. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/svg_frame.h"
#include "app/cli/table.h"
#include "app/sweep/charts.h"
#include "app/sweep/outcome.h"
#include "base/alloc.h"

enum { OUTPUTS_MOST = 16, POINTS_MOST = 5000 };

typedef struct page {
    const cli_outcome *outcome;
    const cli_criterion *criterion;
    uint32_t worst;
    double *x, *y; /* of as many cases as there are */
} page;

static void put_cell(FILE *stream, const char *tag, const char *text)
{
    fprintf(stream, "<%s>", tag);
    cli_svg_escaped(text, stream);
    fprintf(stream, "</%s>", tag);
}

static void put_number(FILE *stream, double value)
{
    char text[32];
    put_cell(stream, "td", cli_number_text(value, text, sizeof text));
}

static void put_factors(const page *p, FILE *stream)
{
    const cli_plan *plan = p->outcome->work->plan;
    fputs("<table><tr><th>parameter</th><th>values</th></tr>\n", stream);
    for (uint32_t i = 0; i < plan->factors.count; i++) {
        const cli_factor *f = &plan->factors.data[i];
        char text[96];
        fputs("<tr>", stream);
        put_cell(stream, "td", f->name);
        if (f->random)
            snprintf(text, sizeof text, "%u random ones (%s)", (unsigned)plan->samples,
                     cli_sampling_name(plan->sampling));
        else
            snprintf(text, sizeof text, "%u: %.40s to %.40s", (unsigned)f->value_count, f->values[0],
                     f->values[f->value_count - 1]);
        put_cell(stream, "td", text);
        fputs("</tr>\n", stream);
    }
    fputs("</table>\n", stream);
}

static void put_statistics(const page *p, FILE *stream)
{
    const cli_measures *m = &p->outcome->work->measures;
    fputs(
        "<table><tr><th>measured</th><th>unit</th><th>cases</th><th>least</th><th>mean</th><th>standard deviation</th>"
        "<th>greatest</th><th>least in case</th><th>greatest in case</th></tr>\n",
        stream);
    for (uint32_t i = 0; i < m->names.count; i++) {
        cli_statistics s = cli_outcome_statistics(p->outcome, i);
        if (s.count == 0)
            continue;
        fputs("<tr>", stream);
        put_cell(stream, "td", m->names.data[i]);
        put_cell(stream, "td", m->units.data[i]);
        put_number(stream, s.count);
        put_number(stream, s.least);
        put_number(stream, s.mean);
        put_number(stream, s.deviation);
        put_number(stream, s.greatest);
        put_number(stream, s.least_case);
        put_number(stream, s.greatest_case);
        fputs("</tr>\n", stream);
    }
    fputs("</table>\n", stream);
}

static void label_of(const page *p, uint32_t measure, char *text, size_t size)
{
    const cli_measures *m = &p->outcome->work->measures;
    const char *unit = m->units.data[measure];
    snprintf(text, size, "%.80s%s%s", m->names.data[measure], unit[0] != 0 ? ", " : "", unit);
}

/* The words of a factor that is no number, and which of them each case has. */
static bool take_factor(const page *p, uint32_t factor, cli_chart *chart)
{
    const cli_factor *f = &p->outcome->work->plan->factors.data[factor];
    bool numeric = true;
    for (uint32_t i = 0; i < chart->count; i++) {
        p->x[i] = cli_outcome_factor(p->outcome, i, factor);
        numeric = numeric && !isnan(p->x[i]);
    }
    if (numeric)
        return true;
    chart->words = (const char *const *)f->values;
    chart->word_count = f->value_count;
    for (uint32_t i = 0; i < chart->count; i++) {
        char text[64];
        const char *value = cli_plan_value(p->outcome->work->plan, i, factor, text, sizeof text);
        uint32_t word = 0;
        while (word < f->value_count && strcmp(f->values[word], value) != 0)
            word++;
        p->x[i] = word;
    }
    return f->value_count <= 12; /* more would not be legible */
}

static void put_charts(const page *p, uint32_t measure, FILE *stream)
{
    const cli_plan *plan = p->outcome->work->plan;
    char label[128];
    label_of(p, measure, label, sizeof label);
    uint32_t count = plan->cases;
    for (uint32_t i = 0; i < count; i++)
        p->y[i] = cli_outcome_value(p->outcome, i, measure);
    cli_chart histogram = {.x = p->y,
                           .count = count,
                           .marked = UINT32_MAX,
                           .title = p->outcome->work->measures.names.data[measure],
                           .x_label = label,
                           .y_label = "cases"};
    fputs("<div class=\"row\">\n", stream);
    cli_chart_histogram(&histogram, stream);
    for (uint32_t i = 0; i < plan->factors.count; i++) {
        char title[200];
        snprintf(title, sizeof title, "over %.100s", plan->factors.data[i].name);
        cli_chart scatter = {.x = p->x,
                             .y = p->y,
                             .count = count < POINTS_MOST ? count : POINTS_MOST,
                             .marked = p->worst,
                             .title = title,
                             .x_label = plan->factors.data[i].name,
                             .y_label = label};
        if (take_factor(p, i, &scatter))
            cli_chart_scatter(&scatter, stream);
    }
    fputs("</div>\n", stream);
}

static void put_worst(const page *p, FILE *stream)
{
    char text[1024], value[32];
    const cli_work *work = p->outcome->work;
    if (p->worst == UINT32_MAX)
        return;
    const cli_case *c = p->outcome->journal->cases[p->worst];
    fprintf(stream, "<p>Worst: case %u, ", (unsigned)p->worst);
    cli_svg_escaped(cli_work_settings(work, p->worst, text, sizeof text), stream);
    if (c->state == CLI_CASE_BROKEN) {
        fputs(": ", stream);
        cli_svg_escaped(c->message, stream);
    } else {
        fprintf(stream, " (%s %s)", work->measures.names.data[p->criterion->measure],
                cli_number_text(c->values[p->criterion->measure], value, sizeof value));
    }
    fputs(". Its recording is in <code>worst/</code>; it is ringed in the charts.</p>\n", stream);
}

static bool put_page(FILE *stream, const void *user)
{
    const page *p = user;
    const cli_work *work = p->outcome->work;
    fputs("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Sweep of ", stream);
    cli_svg_escaped(p->outcome->title, stream);
    fputs(
        "</title>\n<style>body{font:15px/1.4 Helvetica,Arial,sans-serif;margin:2em;max-width:1400px}"
        "table{border-collapse:collapse;margin:1em 0}td,th{padding:2px 10px;border-bottom:1px solid #ddd;text-align:left}"
        ".row{display:flex;flex-wrap:wrap;gap:8px;margin:1em 0}</style>\n<h1>Sweep of ",
        stream);
    cli_svg_escaped(p->outcome->title, stream);
    fprintf(stream, "</h1>\n<p>%u cases.</p>\n", (unsigned)work->plan->cases);
    put_factors(p, stream);
    put_worst(p, stream);
    for (uint32_t i = 0; i < work->measures.outputs && i < OUTPUTS_MOST; i++)
        put_charts(p, CLI_MEASURES_OF_RUN + i * CLI_OUTPUT_MEASURES, stream);
    if (p->criterion->measure < CLI_MEASURES_OF_RUN &&
        cli_outcome_statistics(p->outcome, p->criterion->measure).count > 0)
        put_charts(p, p->criterion->measure, stream);
    put_charts(p, CLI_MEASURE_RESIDUAL, stream);
    fputs("<h2>Statistics</h2>\n", stream);
    put_statistics(p, stream);
    fputs("<p>All numbers are in <code>table.csv</code> and <code>table.h5</code>.</p>\n</html>\n", stream);
    return true;
}

int cli_outcome_page(const cli_outcome *outcome, const cli_criterion *criterion, uint32_t worst, const char *folder)
{
    char path[4096];
    uint32_t cases = outcome->work->plan->cases;
    page p = {outcome, criterion, worst, ashi_alloc_array(cases, sizeof(double)),
              ashi_alloc_array(cases, sizeof(double))};
    snprintf(path, sizeof path, "%s/sweep.html", folder);
    int status = CLI_BAD_INPUT;
    if (p.x != NULL && p.y != NULL)
        status = cli_write_drawing(path, put_page, &p);
    ashi_dealloc(p.x);
    ashi_dealloc(p.y);
    return status;
}
