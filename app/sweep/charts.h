/* Pictures of a sweep in SVG: how a quantity is distributed, and how it goes with a parameter. */
#ifndef CLI_SWEEP_CHARTS_H
#define CLI_SWEEP_CHARTS_H

#include <stdint.h>
#include <stdio.h>

typedef struct cli_chart {
    const double *x, *y;    /* NaN: left out */
    uint32_t count, marked; /* marked: the point that stands out; UINT32_MAX: none */
    const char *title, *x_label, *y_label;
    const char *const *words; /* of x = 0, 1, ..., where it is no number; else null */
    uint32_t word_count;
} cli_chart;

/* Points. */
void cli_chart_scatter(const cli_chart *chart, FILE *stream);
/* How many values of x are in each of some equal parts. */
void cli_chart_histogram(const cli_chart *chart, FILE *stream);

#endif
