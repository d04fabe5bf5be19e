/* Plots of series over time: for terminals in characters, for documents as SVG. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "ashlar/scene.h"

/* Draws one series into `columns` by about 16 characters: dots of Braille with `unicode`, else plain ASCII. False when
 * memory ran out. */
bool cli_plot_text(const ash_series *series, FILE *stream, int columns, bool unicode);

/* What a plot shows its series over, and how. */
typedef struct cli_plot_look {
    const char *title, *axis_label;
    bool
        decades; /* values are logarithms to the base of ten, and the axis says of what; curves differ by dashes, too */
} cli_plot_look;

/* Writes an SVG document: the series grouped by unit, a panel each, over a common axis of time, or as the look says.
 * False when writing failed. */
bool cli_plot_svg(const ash_series *series, uint32_t count, const char *title, FILE *stream);
bool cli_plot_svg_over(const ash_series *series, uint32_t count, const cli_plot_look *look, FILE *stream);

#endif
