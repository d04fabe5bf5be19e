/* Charts of points. Curves come in the order of their first points, and points in the order in which they came. */
#include "app/commands/figure_chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/file.h"
#include "app/cli/svg_frame.h"

enum { WIDTH = 760, HEIGHT = 440, LEFT = 96, TOP = 56, RIGHT = 190, BOTTOM = 64, CURVES_MOST = 16, LABEL_MOST = 96 };

typedef struct chart {
    const cli_rows *rows;
    const ash_paper_entry *figure;
    char source[96], title[160];
    char x_label[LABEL_MOST], y_label[LABEL_MOST];
    const char *curves[CURVES_MOST];
    uint32_t curve_count;
} chart;

static bool is_point_of(const ash_validation_row *row, const char *source)
{
    return row->verdict == ASH_POINT && strcmp(row->source, source) == 0;
}

static void name_source(const ash_paper *paper, const ash_paper_entry *figure, char *text, size_t size)
{
    snprintf(text, size, "%s, %s", paper->authors, figure->label);
}

bool cli_figure_has_points(const cli_rows *rows, const ash_paper *paper, const ash_paper_entry *figure)
{
    char source[96];
    name_source(paper, figure, source, sizeof source);
    for (uint32_t i = 0; i < rows->count; i++)
        if (is_point_of(&rows->data[i], source))
            return true;
    return false;
}

/* "abscissa|ordinate" of the entry. */
static void read_labels(chart *c)
{
    const char *text = c->figure->row != NULL ? c->figure->row : "", *bar = strchr(text, '|');
    size_t length = bar != NULL ? (size_t)(bar - text) : strlen(text);
    snprintf(c->x_label, sizeof c->x_label, "%.*s", (int)length, text);
    snprintf(c->y_label, sizeof c->y_label, "%s", bar != NULL ? bar + 1 : "");
}

static void find_curves(chart *c)
{
    for (uint32_t i = 0; i < c->rows->count; i++) {
        const ash_validation_row *row = &c->rows->data[i];
        uint32_t k = 0;
        while (k < c->curve_count && strcmp(c->curves[k], row->quantity) != 0)
            k++;
        if (is_point_of(row, c->source) && k == c->curve_count && k < CURVES_MOST)
            c->curves[c->curve_count++] = row->quantity;
    }
}

static void widen(double range[2], double value)
{
    if (isfinite(value)) {
        range[0] = fmin(range[0], value);
        range[1] = fmax(range[1], value);
    }
}

static cli_axis axis_of(const double range[2], bool *decades)
{
    *decades = range[0] > 0 && range[1] > 7 * range[0];
    if (*decades)
        return cli_axis_make_decades(log10(range[0]), log10(range[1]), 6);
    return cli_axis_make(isfinite(range[0]) ? range[0] : 0, isfinite(range[1]) ? range[1] : 1, 6, true);
}

static cli_svg_frame frame_of(const chart *c)
{
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
    for (uint32_t i = 0; i < c->rows->count; i++) {
        const ash_validation_row *row = &c->rows->data[i];
        if (!is_point_of(row, c->source))
            continue;
        widen(x, row->at);
        widen(y, row->ours);
        widen(y, row->expected);
    }
    cli_svg_frame frame = {.left = LEFT,
                           .top = TOP,
                           .width = WIDTH - LEFT - RIGHT,
                           .height = HEIGHT - TOP - BOTTOM,
                           .numbered = true,
                           .x_label = c->x_label,
                           .y_label = c->y_label};
    frame.x = axis_of(x, &frame.x_decades);
    frame.y = axis_of(y, &frame.decades);
    return frame;
}

static void put_curve(const chart *c, const cli_svg_frame *frame, uint32_t number, FILE *stream)
{
    const char *colour = cli_svg_colour(number);
    bool drawing = false;
    fprintf(stream, "<g stroke=\"%s\"><path class=\"curve\" stroke-dasharray=\"%s\" d=\"", colour,
            cli_svg_dashes(number, true));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < c->rows->count; i++) {
            const ash_validation_row *row = &c->rows->data[i];
            if (!is_point_of(row, c->source) || strcmp(row->quantity, c->curves[number]) != 0)
                continue;
            double x = cli_svg_x(frame, frame->x_decades ? log10(row->at) : row->at);
            double y = cli_svg_y(frame, frame->decades ? log10(row->ours) : row->ours);
            double expected = cli_svg_y(frame, frame->decades ? log10(row->expected) : row->expected);
            if (pass == 0 && isfinite(y))
                fprintf(stream, "%c%.2f %.2f", drawing ? 'L' : 'M', x, y);
            drawing = isfinite(y);
            if (pass == 1 && isfinite(y))
                fprintf(stream, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3\" fill=\"%s\"/>\n", x, y, colour);
            if (pass == 1 && isfinite(expected))
                fprintf(stream, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"7\" fill=\"none\"/>\n", x, expected);
        }
        if (pass == 0)
            fputs("\"/>\n", stream);
    }
    double y = TOP + 12 + 20.0 * number, left = WIDTH - RIGHT + 14;
    fprintf(stream,
            "<path class=\"curve\" stroke-dasharray=\"%s\" d=\"M%g %gh28\"/></g>\n<text class=\"legend\" x=\"%g\" "
            "y=\"%g\">",
            cli_svg_dashes(number, true), left, y, left + 36, y + 4);
    cli_svg_escaped(c->curves[number], stream);
    fputs("</text>\n", stream);
}

static bool draw(FILE *stream, const void *user)
{
    const chart *c = user;
    cli_svg_frame frame = frame_of(c);
    cli_svg_begin(c->title, LEFT, WIDTH, HEIGHT, stream);
    cli_svg_frame_put(&frame, stream);
    for (uint32_t i = 0; i < c->curve_count; i++)
        put_curve(c, &frame, i, stream);
    fputs("</svg>\n", stream);
    return true;
}

int cli_figure_chart(const cli_rows *rows, const ash_paper *paper, const ash_paper_entry *figure, const char *path)
{
    chart c = {.rows = rows, .figure = figure};
    name_source(paper, figure, c.source, sizeof c.source);
    snprintf(c.title, sizeof c.title, "%s: %s", c.source, figure->summary);
    read_labels(&c);
    find_curves(&c);
    return cli_write_drawing(path, draw, &c);
}
