/* Charts of a sweep. With many cases points are pale, so that crowds of them show. */
#include "app/sweep/charts.h"

#include <math.h>

#include "app/cli/svg_frame.h"

enum { WIDTH = 420, HEIGHT = 300, LEFT = 80, RIGHT = 20, TOP = 50, BOTTOM = 56, BARS_MOST = 40 };

/* The range of the finite values; false where there is none. */
static bool find_range(const double *values, const double *others, uint32_t count, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t i = 0; i < count; i++)
        if (isfinite(values[i]) && (others == NULL || isfinite(others[i]))) {
            *low = fmin(*low, values[i]);
            *high = fmax(*high, values[i]);
        }
    return *low <= *high;
}

static cli_svg_frame begin(const cli_chart *chart, FILE *stream)
{
    cli_svg_begin(chart->title, LEFT, WIDTH, HEIGHT, stream);
    return (cli_svg_frame){.left = LEFT,
                           .top = TOP,
                           .width = WIDTH - LEFT - RIGHT,
                           .height = HEIGHT - TOP - BOTTOM,
                           .numbered = chart->words == NULL,
                           .x_label = chart->x_label,
                           .y_label = chart->y_label};
}

static void put_words(const cli_chart *chart, const cli_svg_frame *frame, FILE *stream)
{
    for (uint32_t i = 0; chart->words != NULL && i < chart->word_count; i++) {
        fprintf(stream, "<text class=\"number\" x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">", cli_svg_x(frame, i),
                frame->top + frame->height + 17);
        cli_svg_escaped(chart->words[i], stream);
        fputs("</text>\n", stream);
    }
}

static void put_nothing(FILE *stream)
{
    fprintf(stream, "<text class=\"label\" x=\"%d\" y=\"%d\">no values</text>\n</svg>\n", LEFT, HEIGHT / 2);
}

void cli_chart_scatter(const cli_chart *chart, FILE *stream)
{
    double x_low, x_high, y_low, y_high;
    cli_svg_frame frame = begin(chart, stream);
    if (!find_range(chart->x, chart->y, chart->count, &x_low, &x_high) ||
        !find_range(chart->y, chart->x, chart->count, &y_low, &y_high)) {
        put_nothing(stream);
        return;
    }
    if (chart->words != NULL) {
        x_low = -0.5;
        x_high = chart->word_count - 0.5;
    }
    double margin = 0.03 * (x_high - x_low);
    frame.x = cli_axis_make(x_low - margin, x_high + margin, 6, false);
    if (chart->words != NULL)
        frame.x.ticks = 0;
    frame.y = cli_axis_make(y_low, y_high, 6, true);
    cli_svg_frame_put(&frame, stream);
    put_words(chart, &frame, stream);
    double opacity = chart->count > 400 ? fmax(400.0 / chart->count, 0.08) : 0.7;
    fprintf(stream, "<g fill=\"%s\" fill-opacity=\"%.2f\">\n", cli_svg_colour(0), opacity);
    for (uint32_t i = 0; i < chart->count; i++)
        if (isfinite(chart->x[i]) && isfinite(chart->y[i]))
            fprintf(stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n", cli_svg_x(&frame, chart->x[i]),
                    cli_svg_y(&frame, chart->y[i]));
    fputs("</g>\n", stream);
    uint32_t m = chart->marked;
    if (m < chart->count && isfinite(chart->x[m]) && isfinite(chart->y[m]))
        fprintf(stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n",
                cli_svg_x(&frame, chart->x[m]), cli_svg_y(&frame, chart->y[m]), cli_svg_colour(1));
    fputs("</svg>\n", stream);
}

void cli_chart_histogram(const cli_chart *chart, FILE *stream)
{
    double low, high;
    cli_svg_frame frame = begin(chart, stream);
    frame.numbered = true;
    uint32_t bars[BARS_MOST] = {0}, most = 0, total = 0;
    if (!find_range(chart->x, NULL, chart->count, &low, &high)) {
        put_nothing(stream);
        return;
    }
    for (uint32_t i = 0; i < chart->count; i++)
        total += isfinite(chart->x[i]) != 0;
    /* About the root of the number of values, at least 5. */
    int count = (int)fmin(BARS_MOST, fmax(5, ceil(sqrt((double)total))));
    frame.x = cli_axis_make(low, high, 6, false);
    double width = (frame.x.high - frame.x.low) / count;
    for (uint32_t i = 0; i < chart->count; i++)
        if (isfinite(chart->x[i])) {
            int bar = (int)((chart->x[i] - frame.x.low) / width);
            bar = bar < 0 ? 0 : bar >= count ? count - 1 : bar;
            most = ++bars[bar] > most ? bars[bar] : most;
        }
    frame.y = cli_axis_make(0, most, 5, true);
    cli_svg_frame_put(&frame, stream);
    fprintf(stream, "<g fill=\"%s\" fill-opacity=\"0.7\">\n", cli_svg_colour(0));
    for (int i = 0; i < count; i++) {
        double left = cli_svg_x(&frame, frame.x.low + i * width),
               right = cli_svg_x(&frame, frame.x.low + (i + 1) * width);
        double top = cli_svg_y(&frame, bars[i]);
        fprintf(stream, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", left + 0.5, top,
                fmax(right - left - 1, 0.5), frame.top + frame.height - top);
    }
    fputs("</g>\n</svg>\n", stream);
}
