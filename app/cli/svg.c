/* Plots as SVG. Series of one unit share a panel; panels stand above each other over one axis of time. A curve with
 * more samples than the panel has columns is drawn by the least and the greatest value in each column, which looks the
 * same and keeps the file small. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/plot.h"
#include "app/cli/svg_frame.h"
#include "app/cli/table.h"

enum { PLOT_WIDTH = 780, PANEL_HEIGHT = 280, LEFT = 90, RIGHT = 30, TOP = 56, GAP = 36, BOTTOM = 56 };
enum {
    LEGEND_WIDTH = 190,
    WIDE_LEGEND = 250,
    LEGEND_ROW = 18,
    LEGEND_ROWS = PANEL_HEIGHT / LEGEND_ROW,
    LEGEND_LETTERS = 24
};

typedef struct svg_panel {
    const ash_series *series; /* all of the plot */
    uint32_t count;
    const char *unit;
    bool varied; /* curves differ by dashes, too */
    cli_svg_frame frame;
} svg_panel;

static bool belongs(const svg_panel *panel, uint32_t index)
{
    return strcmp(panel->series[index].unit, panel->unit) == 0;
}

/* A path that is written point by point; a gap starts it again. */
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

static void put_curve(const svg_panel *panel, const ash_series *series, unsigned number, FILE *stream)
{
    bool dense = series->count > 2 * PLOT_WIDTH;
    svg_path path = {stream, false};
    svg_bucket bucket = {0};
    fprintf(stream, "<path class=\"curve\" stroke=\"%s\" stroke-dasharray=\"%s\" d=\"", cli_svg_colour(number),
            cli_svg_dashes(number, panel->varied));
    for (uint32_t i = 0; i < series->count; i++) {
        bool finite = isfinite(series->times[i]) && isfinite(series->values[i]);
        double x = finite ? cli_svg_x(&panel->frame, series->times[i]) : 0,
               y = finite ? cli_svg_y(&panel->frame, series->values[i]) : 0;
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
        int y = (int)panel->frame.top + 14 + (int)named * LEGEND_ROW;
        char name[4 * LEGEND_LETTERS + 4];
        cli_shorten(panel->series[i].name, LEGEND_LETTERS, name, sizeof name);
        fprintf(stream,
                "<line stroke=\"%s\" stroke-width=\"%d\" stroke-dasharray=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" "
                "y2=\"%d\"/>\n",
                cli_svg_colour(named), panel->varied ? 2 : 3, cli_svg_dashes(named, panel->varied), x, y - 4,
                x + (panel->varied ? 36 : 18), y - 4);
        named++;
        fprintf(stream, "<text class=\"legend\" x=\"%d\" y=\"%d\">", x + (panel->varied ? 42 : 24), y);
        cli_svg_escaped(name, stream);
        fputs("</text>\n", stream);
    }
    if (shown < members)
        fprintf(stream, "<text class=\"legend\" x=\"%d\" y=\"%d\">and %u more</text>\n", x + 24,
                (int)panel->frame.top + 14 + (int)shown * LEGEND_ROW, (unsigned)(members - shown));
}

/* "name (unit)" of the only series of a panel, else the unit that all have; returns `text`. */
static const char *label_of(const svg_panel *panel, uint32_t members, char *text, size_t size)
{
    for (uint32_t i = 0; members == 1 && i < panel->count; i++)
        if (belongs(panel, i)) {
            const char *name = panel->series[i].name;
            snprintf(text, size, panel->unit[0] != 0 ? "%.200s (%.50s)" : "%.200s", name, panel->unit);
            return text;
        }
    snprintf(text, size, "%.250s", panel->unit);
    return text;
}

static void put_panel(svg_panel *panel, FILE *stream)
{
    uint32_t members = 0, named = 0;
    char label[256];
    for (uint32_t i = 0; i < panel->count; i++)
        members += belongs(panel, i);
    panel->frame.y_label = label_of(panel, members, label, sizeof label);
    cli_svg_frame_put(&panel->frame, stream);
    for (uint32_t i = 0; i < panel->count; i++)
        if (belongs(panel, i))
            put_curve(panel, &panel->series[i], named++, stream);
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

bool cli_plot_svg(const ash_series *series, uint32_t count, const char *title, FILE *stream)
{
    return cli_plot_svg_over(series, count, &(cli_plot_look){.title = title, .axis_label = "time (s)"}, stream);
}

bool cli_plot_svg_over(const ash_series *series, uint32_t count, const cli_plot_look *look, FILE *stream)
{
    uint32_t panels = 0, drawn = 0;
    for (uint32_t i = 0; i < count; i++)
        panels += begins_panel(series, i);
    cli_range whole;
    if (!cli_series_range(series, count, &whole))
        whole = (cli_range){0, 1, 0, 0};
    int bottom = TOP + (int)panels * (PANEL_HEIGHT + GAP) - GAP;
    int legend = look->decades ? WIDE_LEGEND : LEGEND_WIDTH;
    cli_svg_begin(look->title, LEFT, LEFT + PLOT_WIDTH + (panels < count ? legend : RIGHT), bottom + BOTTOM, stream);
    for (uint32_t i = 0; i < count; i++) {
        if (!begins_panel(series, i))
            continue;
        cli_range range = panel_range(series, count, series[i].unit);
        svg_panel panel = {.series = series,
                           .count = count,
                           .unit = series[i].unit,
                           .varied = look->decades,
                           .frame = {.left = LEFT,
                                     .top = TOP + (int)drawn * (PANEL_HEIGHT + GAP),
                                     .width = PLOT_WIDTH,
                                     .height = PANEL_HEIGHT,
                                     .x = cli_axis_make(whole.time_low, whole.time_high, 8, false),
                                     .y = look->decades ? cli_axis_make_decades(range.value_low, range.value_high, 6)
                                                        : cli_axis_make(range.value_low, range.value_high, 5, true),
                                     .decades = look->decades}};
        panel.frame.numbered = ++drawn == panels;
        panel.frame.x_label = panel.frame.numbered ? look->axis_label : NULL;
        put_panel(&panel, stream);
    }
    fputs("</svg>\n", stream);
    return ferror(stream) == 0;
}
