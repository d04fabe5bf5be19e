/* What plots in SVG are made of: the document, and frames with two axes, ticks and labels. */
#ifndef CLI_SVG_FRAME_H
#define CLI_SVG_FRAME_H

#include <stdio.h>

#include "app/cli/axis.h"

/* A rectangle of the picture and what its sides mean. */
typedef struct cli_svg_frame {
    double left, top, width, height;
    cli_axis x, y;
    bool downward;                 /* y grows downwards, as the rows of a matrix */
    bool decades, x_decades;       /* y, and x, is the logarithm of what its ticks say */
    bool numbered;                 /* the x axis has numbers under it */
    const char *x_label, *y_label; /* null: none */
} cli_svg_frame;

/* The beginning of the document, with styles and a title; it ends by "</svg>". */
void cli_svg_begin(const char *title, double left, int width, int height, FILE *stream);

void cli_svg_escaped(const char *text, FILE *stream);
double cli_svg_x(const cli_svg_frame *frame, double value);
double cli_svg_y(const cli_svg_frame *frame, double value);
void cli_svg_frame_put(const cli_svg_frame *frame, FILE *stream);

/* The colour of curve `number`, and its dashes beyond the number of colours or, when `varied`, from the second on. */
const char *cli_svg_colour(unsigned number);
const char *cli_svg_dashes(unsigned number, bool varied);

#endif
