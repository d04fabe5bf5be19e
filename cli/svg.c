/* Plots as SVG. Series of one unit share a panel; panels stand above each other over one axis of time. A curve with
 * more samples than the panel has columns is drawn by the least and the greatest value in each column, which looks the
 * same and keeps the file small. */
#include <math.h>
#include <string.h>

#include "axis.h"
#include "plot.h"
#include "table.h"

enum { PLOT_WIDTH = 780, PANEL_HEIGHT = 280, LEFT = 90, RIGHT = 30, TOP = 56, GAP = 36, BOTTOM = 56 };
enum { LEGEND_WIDTH = 190, LEGEND_ROW = 18, LEGEND_ROWS = PANEL_HEIGHT / LEGEND_ROW, LEGEND_LETTERS = 24 };

/* Colours that stay apart for most kinds of colour blindness (Okabe and Ito), without the yellow, which is too pale. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"};
enum { COLOURS = sizeof colours / sizeof *colours };

typedef struct svg_panel {
    const ash_series *series; /* all of the plot */
    uint32_t count;
    const char *unit;
    cli_axis time, value;
    int top;
} svg_panel;

static void put_escaped(const char *text, FILE *stream)
{
    for (; *text != 0; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        default:
            putc((unsigned char)*text < 0x20 ? '?' : *text, stream);
        }
}

static bool belongs(const svg_panel *panel, uint32_t index)
{
    return strcmp(panel->series[index].unit, panel->unit) == 0;
}

static double x_of(const svg_panel *panel, double time)
{
    return LEFT + PLOT_WIDTH * cli_axis_place(&panel->time, time);
}

static double y_of(const svg_panel *panel, double value)
{
    return panel->top + PANEL_HEIGHT * (1 - cli_axis_place(&panel->value, value));
}

static void put_grid(const svg_panel *panel, bool last, FILE *stream)
{
    char label[48];
    for (int i = 0; i < panel->value.ticks; i++) {
        double y = y_of(panel, cli_axis_tick(&panel->value, i));
        fprintf(stream, "<line class=\"grid\" x1=\"%d\" y1=\"%.2f\" x2=\"%d\" y2=\"%.2f\"/>\n", LEFT, y,
                LEFT + PLOT_WIDTH, y);
        fprintf(stream, "<text class=\"number\" x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%s</text>\n", LEFT - 8, y + 4,
                cli_axis_label(&panel->value, i, label, sizeof label));
    }
    for (int i = 0; i < panel->time.ticks; i++) {
        double x = x_of(panel, cli_axis_tick(&panel->time, i));
        fprintf(stream, "<line class=\"grid\" x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%d\"/>\n", x, panel->top, x,
                panel->top + PANEL_HEIGHT);
        if (last)
            fprintf(stream, "<text class=\"number\" x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x,
                    panel->top + PANEL_HEIGHT + 18, cli_axis_label(&panel->time, i, label, sizeof label));
    }
    fprintf(stream, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT, panel->top,
            PLOT_WIDTH, PANEL_HEIGHT);
}

/* A path that is written point by point; a gap starts it anew. */
typedef struct svg_path {
    FILE *stream;
    bool joined;
} svg_path;

static void path_point(svg_path *path, double x, double y)
{
    fprintf(path->stream, "%s%.1f %.1f", path->joined ? " " : "M", x, y);
    path->joined = true;
}

/* The samples that fall into one column of the panel. */
typedef struct svg_bucket {
    int column, count;
    double x, first, last, least, greatest;
} svg_bucket;

static void put_bucket(svg_path *path, const svg_bucket *bucket)
{
    if (bucket->count == 0)
        return;
    path_point(path, bucket->x, bucket->first);
    if (bucket->count > 2) {
        path_point(path, bucket->x, bucket->least);
        path_point(path, bucket->x, bucket->greatest);
    }
    if (bucket->count > 1)
        path_point(path, bucket->x, bucket->last);
}

static void put_curve(const svg_panel *panel, const ash_series *series, const char *colour, FILE *stream)
{
    bool dense = series->count > 2 * PLOT_WIDTH;
    svg_path path = {stream, false};
    svg_bucket bucket = {0};
    fprintf(stream, "<path class=\"curve\" stroke=\"%s\" d=\"", colour);
    for (uint32_t i = 0; i < series->count; i++) {
        bool finite = isfinite(series->times[i]) && isfinite(series->values[i]);
        double x = finite ? x_of(panel, series->times[i]) : 0, y = finite ? y_of(panel, series->values[i]) : 0;
        bool same_column = dense && finite && bucket.count > 0 && bucket.column == (int)x;
        if (same_column) {
            bucket.least = fmin(bucket.least, y);
            bucket.greatest = fmax(bucket.greatest, y);
            bucket.last = y;
            bucket.count++;
            continue;
        }
        put_bucket(&path, &bucket);
        bucket.count = 0;
        if (finite)
            bucket = (svg_bucket){(int)x, 1, x, y, y, y, y};
        else
            path.joined = false;
    }
    put_bucket(&path, &bucket);
    fputs("\"/>\n", stream);
}

/* The names beside the panel, each with its colour; those that find no room are counted. */
static void put_legend(const svg_panel *panel, uint32_t members, FILE *stream)
{
    const int x = LEFT + PLOT_WIDTH + 16;
    uint32_t named = 0, shown = members > LEGEND_ROWS ? LEGEND_ROWS - 1 : members;
    for (uint32_t i = 0; i < panel->count && named < shown; i++) {
        if (!belongs(panel, i))
            continue;
        int y = panel->top + 14 + (int)named * LEGEND_ROW;
        char name[4 * LEGEND_LETTERS + 4];
        cli_shorten(panel->series[i].name, LEGEND_LETTERS, name, sizeof name);
        fprintf(stream, "<line stroke=\"%s\" stroke-width=\"3\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n",
                colours[named++ % COLOURS], x, y - 4, x + 18, y - 4);
        fprintf(stream, "<text class=\"legend\" x=\"%d\" y=\"%d\">", x + 24, y);
        put_escaped(name, stream);
        fputs("</text>\n", stream);
    }
    if (shown < members)
        fprintf(stream, "<text class=\"legend\" x=\"%d\" y=\"%d\">and %u more</text>\n", x + 24,
                panel->top + 14 + (int)shown * LEGEND_ROW, (unsigned)(members - shown));
}

static void put_panel(const svg_panel *panel, bool last, FILE *stream)
{
    put_grid(panel, last, stream);
    uint32_t members = 0, named = 0;
    for (uint32_t i = 0; i < panel->count; i++)
        members += belongs(panel, i);
    for (uint32_t i = 0; i < panel->count; i++)
        if (belongs(panel, i))
            put_curve(panel, &panel->series[i], colours[named++ % COLOURS], stream);
    fprintf(stream, "<text class=\"label\" transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">",
            panel->top + PANEL_HEIGHT / 2);
    for (uint32_t i = 0; members == 1 && i < panel->count; i++)
        if (belongs(panel, i))
            put_escaped(panel->series[i].name, stream);
    fputs(panel->unit[0] != 0 && members == 1 ? " (" : "", stream);
    put_escaped(panel->unit, stream);
    fputs(panel->unit[0] != 0 && members == 1 ? ")</text>\n" : "</text>\n", stream);
    if (members > 1)
        put_legend(panel, members, stream);
}

/* Is series `index` the first of its unit? */
static bool begins_panel(const ash_series *series, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(series[i].unit, series[index].unit) == 0)
            return false;
    return true;
}

static cli_range panel_range(const ash_series *series, uint32_t count, const char *unit)
{
    cli_range all = {INFINITY, -INFINITY, INFINITY, -INFINITY}, one;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(series[i].unit, unit) == 0 && cli_series_range(&series[i], 1, &one)) {
            all.value_low = fmin(all.value_low, one.value_low);
            all.value_high = fmax(all.value_high, one.value_high);
        }
    if (!(all.value_low <= all.value_high))
        all.value_low = all.value_high = 0;
    return all;
}

static void put_head(const char *title, int width, int height, FILE *stream)
{
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"Helvetica, Arial, sans-serif\">\n",
            width, height, width, height);
    fputs("<style>.grid{stroke:#dddddd;stroke-width:1}.frame{fill:none;stroke:#444444}"
          ".curve{fill:none;stroke-width:1.6;stroke-linejoin:round}.number{font-size:12px;fill:#333333}"
          ".label{font-size:14px;fill:#111111}.legend{font-size:13px;fill:#111111}"
          ".title{font-size:17px;fill:#111111}</style>\n"
          "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
          stream);
    fprintf(stream, "<title>");
    put_escaped(title, stream);
    fprintf(stream, "</title>\n<text class=\"title\" x=\"%d\" y=\"32\">", LEFT);
    put_escaped(title, stream);
    fputs("</text>\n", stream);
}

bool cli_plot_svg(const ash_series *series, uint32_t count, const char *title, FILE *stream)
{
    return cli_plot_svg_over(series, count, title, "time (s)", stream);
}

bool cli_plot_svg_over(const ash_series *series, uint32_t count, const char *title, const char *axis_label,
                       FILE *stream)
{
    uint32_t panels = 0, drawn = 0;
    for (uint32_t i = 0; i < count; i++)
        panels += begins_panel(series, i);
    cli_range whole;
    if (!cli_series_range(series, count, &whole))
        whole = (cli_range){0, 1, 0, 0};
    int bottom = TOP + (int)panels * (PANEL_HEIGHT + GAP) - GAP;
    put_head(title, LEFT + PLOT_WIDTH + (panels < count ? LEGEND_WIDTH : RIGHT), bottom + BOTTOM, stream);
    for (uint32_t i = 0; i < count; i++) {
        if (!begins_panel(series, i))
            continue;
        cli_range range = panel_range(series, count, series[i].unit);
        svg_panel panel = {.series = series,
                           .count = count,
                           .unit = series[i].unit,
                           .time = cli_axis_make(whole.time_low, whole.time_high, 8, false),
                           .value = cli_axis_make(range.value_low, range.value_high, 5, true),
                           .top = TOP + (int)drawn * (PANEL_HEIGHT + GAP)};
        put_panel(&panel, ++drawn == panels, stream);
    }
    fprintf(stream, "<text class=\"label\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">", LEFT + PLOT_WIDTH / 2,
            bottom + 42);
    put_escaped(axis_label, stream);
    fputs("</text>\n</svg>\n", stream);
    return ferror(stream) == 0;
}
