/* Plots in characters. The curve is drawn on a grid of dots, several to a character: 2 by 4 in Braille (U+2800 plus a
 * bit for each dot), 1 by 2 in ASCII, where "'" is the upper and "." the lower half.
 *
 *     height (m)
 *      1.0 |''..
 *          |    '.
 *      0.5 |      '.
 *          |        '
 *      0.0 +---------
 *          0  time (s)  1
 */
#include "app/cli/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/axis.h"
#include "app/cli/message.h"
#include "base/alloc.h"

enum { ROWS = 15, LABELS_MOST = 24, NARROWEST = 20, WIDEST = 120 };

typedef struct dot_canvas {
    int columns, rows;   /* of characters */
    int across, down;    /* dots a character */
    unsigned char *dots; /* a byte a dot, row by row from the top */
    cli_axis time, value;
} dot_canvas;

static int dot_of(double place, int dots)
{
    return (int)floor(fmax(0, fmin(place, 1)) * (dots - 1) + 0.5);
}

/* All dots on the way from one sample to the next, along the longer direction. */
static void draw_line(dot_canvas *canvas, int x0, int y0, int x1, int y1)
{
    int dx = x1 - x0, dy = y1 - y0, width = canvas->columns * canvas->across;
    int steps = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
    for (int i = 0; i <= steps; i++) {
        double part = steps > 0 ? (double)i / steps : 0;
        int x = x0 + (int)floor(part * dx + 0.5), y = y0 + (int)floor(part * dy + 0.5);
        canvas->dots[y * width + x] = 1;
    }
}

static void draw_series(dot_canvas *canvas, const ash_series *series)
{
    bool joined = false;
    int last_x = 0, last_y = 0;
    for (uint32_t i = 0; i < series->count; i++) {
        if (!isfinite(series->times[i]) || !isfinite(series->values[i])) {
            joined = false; /* a gap */
            continue;
        }
        int x = dot_of(cli_axis_place(&canvas->time, series->times[i]), canvas->columns * canvas->across);
        int y = dot_of(1 - cli_axis_place(&canvas->value, series->values[i]), canvas->rows * canvas->down);
        if (!joined)
            last_x = x, last_y = y;
        draw_line(canvas, last_x, last_y, x, y);
        last_x = x;
        last_y = y;
        joined = true;
    }
}

static bool dot_at(const dot_canvas *canvas, int column, int row, int across, int down)
{
    int width = canvas->columns * canvas->across;
    return canvas->dots[(row * canvas->down + down) * width + column * canvas->across + across] != 0;
}

static void put_braille(const dot_canvas *canvas, int column, int row, FILE *stream)
{
    static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    unsigned pattern = 0;
    for (int down = 0; down < 4; down++)
        for (int across = 0; across < 2; across++)
            if (dot_at(canvas, column, row, across, down))
                pattern |= bits[down][across];
    if (pattern == 0)
        putc(' ', stream);
    else
        fprintf(stream, "\xe2%c%c", (int)(0xa0 | pattern >> 6), (int)(0x80 | (pattern & 0x3f)));
}

static void put_ascii(const dot_canvas *canvas, int column, int row, FILE *stream)
{
    int upper = dot_at(canvas, column, row, 0, 0), lower = dot_at(canvas, column, row, 0, 1);
    putc(" '.:"[upper + 2 * lower], stream);
}

/* The label of the tick in that row, or an empty one. */
static const char *row_label(const dot_canvas *canvas, int row, char *text, size_t size)
{
    for (int i = 0; i < canvas->value.ticks; i++) {
        double place = cli_axis_place(&canvas->value, cli_axis_tick(&canvas->value, i));
        if (dot_of(1 - place, canvas->rows * canvas->down) / canvas->down == row)
            return cli_axis_label(&canvas->value, i, text, size);
    }
    return "";
}

/* The numbers under the axis of time, each centred under its tick where there is room. */
static void put_time_labels(const dot_canvas *canvas, int margin, FILE *stream)
{
    char line[WIDEST + 16], text[32];
    memset(line, ' ', sizeof line);
    int used = -1, end = 0;
    for (int i = 0; i < canvas->time.ticks; i++) {
        cli_axis_label(&canvas->time, i, text, sizeof text);
        int length = (int)strlen(text);
        int column = dot_of(cli_axis_place(&canvas->time, cli_axis_tick(&canvas->time, i)), canvas->columns);
        int start = column - length / 2 < 0 ? 0 : column - length / 2;
        if (start <= used || start + length > canvas->columns + 8)
            continue;
        memcpy(line + start, text, (size_t)length);
        used = end = start + length;
    }
    line[end] = 0;
    fprintf(stream, "%*s%s\n", margin, "", line);
}

static void put_canvas(const dot_canvas *canvas, bool unicode, FILE *stream)
{
    char text[LABELS_MOST + 8];
    int label_width = 0;
    for (int i = 0; i < canvas->value.ticks; i++) {
        int width = (int)strlen(cli_axis_label(&canvas->value, i, text, sizeof text));
        label_width = width > label_width ? width : label_width;
    }
    for (int row = 0; row < canvas->rows; row++) {
        const char *label = row_label(canvas, row, text, sizeof text);
        const char *line = unicode ? (label[0] != 0 ? "\u2524" : "\u2502") : (label[0] != 0 ? "+" : "|");
        fprintf(stream, "  %*s %s", label_width, label, line);
        for (int column = 0; column < canvas->columns; column++) {
            if (unicode)
                put_braille(canvas, column, row, stream);
            else
                put_ascii(canvas, column, row, stream);
        }
        putc('\n', stream);
    }
    fprintf(stream, "  %*s %s", label_width, "", unicode ? "\u2514" : "+");
    for (int column = 0; column < canvas->columns; column++)
        fputs(unicode ? "\u2500" : "-", stream);
    putc('\n', stream);
    put_time_labels(canvas, label_width + 4, stream);
    fprintf(stream, "%*s%s\n", label_width + 4 + canvas->columns / 2 - 4, "", "time (s)");
}

bool cli_plot_text(const ash_series *series, FILE *stream, int columns, bool unicode)
{
    cli_put_text(stream, series->name);
    fprintf(stream, "%s%s%s\n", series->unit[0] != 0 ? " (" : "", series->unit, series->unit[0] != 0 ? ")" : "");
    cli_range range;
    if (!cli_series_range(series, 1, &range)) {
        fprintf(stream, "  no finite samples\n");
        return true;
    }
    int wide = columns - LABELS_MOST / 2 - 4;
    dot_canvas canvas = {.columns = wide < NARROWEST ? NARROWEST
                                    : wide > WIDEST  ? WIDEST
                                                     : wide,
                         .rows = ROWS,
                         .across = unicode ? 2 : 1,
                         .down = unicode ? 4 : 2,
                         .time = cli_axis_make(range.time_low, range.time_high, 6, false),
                         .value = cli_axis_make(range.value_low, range.value_high, 4, true)};
    canvas.dots = ashi_alloc_zeroed((size_t)(canvas.columns * canvas.across * canvas.rows * canvas.down));
    if (canvas.dots == NULL)
        return false;
    draw_series(&canvas, series);
    put_canvas(&canvas, unicode, stream);
    ashi_dealloc(canvas.dots);
    return true;
}
