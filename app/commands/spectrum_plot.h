/* The plot of a spectrum. */
#ifndef CLI_SPECTRUM_PLOT_H
#define CLI_SPECTRUM_PLOT_H

#include <stdio.h>

#include "ashlar/problem.h"

/* Writes an SVG document with four panels: where A is not zero, its eigenvalues, those of T in the complex plane and
 * their moduli. False when writing failed. */
bool cli_spectrum_plot(const ash_spectrum *spectrum, const char *title, FILE *stream);

#endif
