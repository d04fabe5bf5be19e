/* The plot of a spectrum, as in Erleben's figures 3, 4 and 8: pattern of A, eigenvalues of A and of T. */
#include "app/commands/spectrum_plot.h"

#include <math.h>

#include "app/cli/svg_frame.h"

enum { SIDE = 360, LEFT = 92, TOP = 56, GAP_X = 116, GAP_Y = 76, BOTTOM = 60 };
static const double smallest = 1e-18; /* of the largest eigenvalue: what is less is drawn there */

static cli_svg_frame frame_at(int column, int row, const char *x_label, const char *y_label)
{
    return (cli_svg_frame){.left = LEFT + column * (SIDE + GAP_X),
                           .top = TOP + row * (SIDE + GAP_Y),
                           .width = SIDE,
                           .height = SIDE,
                           .numbered = true,
                           .x_label = x_label,
                           .y_label = y_label};
}

/* Points of a round pen. */
static void begin_points(unsigned colour, double size, FILE *stream)
{
    fprintf(stream, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-linecap=\"round\" d=\"",
            cli_svg_colour(colour), size);
}

static void put_point(const cli_svg_frame *frame, double x, double y, FILE *stream)
{
    fprintf(stream, "M%.1f %.1fh0", cli_svg_x(frame, x), cli_svg_y(frame, y));
}

static void end_points(FILE *stream)
{
    fputs("\"/>\n", stream);
}

/* Neighbours in a row are one stroke. */
static void put_pattern(const ash_spectrum *s, FILE *stream)
{
    uint32_t n = s->row_count;
    cli_svg_frame frame = frame_at(0, 0, "column", "row of A");
    frame.x = cli_axis_make(0, n > 0 ? n : 1, 5, false);
    frame.y = frame.x;
    frame.downward = true;
    cli_svg_frame_put(&frame, stream);
    double cell = frame.width / (n > 0 ? n : 1);
    fprintf(stream, "<path fill=\"none\" stroke=\"#000000\" stroke-width=\"%.3f\" d=\"", cell > 0.6 ? cell : 0.6);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0, end; k < n; k = end + 1) {
            for (end = k; end < n && s->matrix[(size_t)i * n + end] != 0;)
                end++;
            if (end > k)
                fprintf(stream, "M%.2f %.2fh%.2f", cli_svg_x(&frame, k), cli_svg_y(&frame, i + 0.5), cell * (end - k));
        }
    end_points(stream);
}

/* Sorted, on a scale of decades; zeros, which rounding makes tiny numbers of any sign, are drawn at its lower end. */
static void put_values(const ash_spectrum *s, FILE *stream)
{
    uint32_t n = s->row_count;
    double largest = n > 0 && s->values[n - 1] > 0 ? s->values[n - 1] : 1, least = smallest * largest;
    cli_svg_frame frame = frame_at(1, 0, "index", "eigenvalues of A");
    frame.decades = true;
    frame.x = cli_axis_make(0, n > 0 ? n : 1, 5, false);
    frame.y = cli_axis_make_decades(log10(least), log10(largest), 6);
    cli_svg_frame_put(&frame, stream);
    begin_points(0, 3, stream);
    for (uint32_t i = 0; i < n; i++)
        put_point(&frame, i, log10(s->values[i] > least ? s->values[i] : least), stream);
    end_points(stream);
}

static void put_plane(const ash_spectrum *s, FILE *stream)
{
    cli_svg_frame frame = frame_at(0, 1, "real part of T's eigenvalues", "imaginary part");
    frame.x = frame.y = cli_axis_make(-1.1, 1.1, 5, false);
    cli_svg_frame_put(&frame, stream);
    fprintf(stream, "<circle class=\"frame\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", cli_svg_x(&frame, 0),
            cli_svg_y(&frame, 0), cli_svg_x(&frame, 1) - cli_svg_x(&frame, 0));
    begin_points(1, 5, stream);
    for (uint32_t i = 0; i < s->row_count; i++)
        put_point(&frame, s->real[i], s->imaginary[i], stream);
    end_points(stream);
}

static void put_moduli(const ash_spectrum *s, FILE *stream)
{
    uint32_t n = s->row_count;
    cli_svg_frame frame = frame_at(1, 1, "index", "moduli of T's eigenvalues");
    frame.x = cli_axis_make(0, n > 0 ? n : 1, 5, false);
    frame.y = cli_axis_make(0, 1.1, 5, false);
    cli_svg_frame_put(&frame, stream);
    begin_points(1, 3, stream);
    for (uint32_t i = 0; i < n; i++)
        put_point(&frame, i, sqrt(s->real[i] * s->real[i] + s->imaginary[i] * s->imaginary[i]), stream);
    end_points(stream);
}

bool cli_spectrum_plot(const ash_spectrum *spectrum, const char *title, FILE *stream)
{
    cli_svg_begin(title, LEFT, LEFT + 2 * SIDE + GAP_X + 30, TOP + 2 * SIDE + GAP_Y + BOTTOM, stream);
    put_pattern(spectrum, stream);
    put_values(spectrum, stream);
    put_plane(spectrum, stream);
    put_moduli(spectrum, stream);
    fputs("</svg>\n", stream);
    return ferror(stream) == 0;
}
