/* An axis of a plot: a range that holds the data and round ticks within it. */
#ifndef CLI_AXIS_H
#define CLI_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#include "ashlar/scene.h"

typedef struct cli_axis {
    double low, high; /* low < high, both finite */
    double first, spacing;
    int ticks; /* at first + i * spacing, all within [low, high] */
} cli_axis;

/* The axis over [low, high] with about `wanted` ticks, 1, 2 or 5 times a power of ten apart. A range of no extent is
 * given some. With `padded` the range ends on ticks. */
cli_axis cli_axis_make(double low, double high, int wanted, bool padded);
/* The same for logarithms to the base of ten: ticks are whole numbers. */
cli_axis cli_axis_make_decades(double low, double high, int wanted);
double cli_axis_tick(const cli_axis *axis, int index);
/* The tick's number with the digits that its neighbours need to differ; returns `text`. */
const char *cli_axis_label(const cli_axis *axis, int index, char *text, size_t size);
/* Where on the axis, 0 at low and 1 at high. */
double cli_axis_place(const cli_axis *axis, double value);

/* The range of the finite samples of some series; false when there is none. */
typedef struct cli_range {
    double time_low, time_high, value_low, value_high;
} cli_range;
bool cli_series_range(const ash_series *series, size_t count, cli_range *range);

#endif
