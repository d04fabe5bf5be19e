/* Curves of one plot: outputs of runs, columns of measured tables, and their spectra. */
#ifndef CLI_CURVES_H
#define CLI_CURVES_H

#include "app/cli/options.h"
#include "ashlar/scene.h"
#include "base/arena.h"

typedef struct cli_curves {
    ashi_arena *texts;
    ASHI_ARRAY(ash_series) list;
    ASHI_ARRAY(double *) owned; /* arrays of tables and spectra */
    bool failed;                /* memory ran out */
} cli_curves;

/* The outputs of the run that are wanted, or all; with ", LABEL" behind their names unless it is null. */
void cli_curves_add_run(cli_curves *curves, const ash_run *run, const char *label, const cli_texts *wanted);
/* The columns of a CSV file whose names, up to " [unit]", are those of curves that are there already; the first column
 * is the time in seconds. False, with a message, when something is wrong. */
bool cli_curves_add_table(cli_curves *curves, const char *path);
/* Puts the spectrum of each curve in its place: the amplitude over the frequency in Hz, as logarithms to the base of
 * ten. */
void cli_curves_transform(cli_curves *curves);
/* Draws them; `spectra`: they are. The exit status is returned. */
int cli_curves_svg(const cli_curves *curves, const char *title, bool spectra, const char *path);
void cli_curves_release(cli_curves *curves);

/* The amplitudes of a series at the frequencies k / T, k = 0 ... count / 2: the mean is taken off, a Hann window laid
 * over, and the series is read at `count` even instants over its time T. A sine of amplitude A at one of them gives A
 * there. `count` is a power of two; `amplitudes` has count / 2 + 1 numbers, `scratch` 2 count. */
void cli_spectrum_of(const ash_series *series, uint32_t count, double *amplitudes, double *scratch);

#endif
