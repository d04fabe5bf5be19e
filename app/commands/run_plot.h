/* The plots of a run, and of one beside it with another setting: in characters below each other, in SVG in one panel.
 */
#ifndef CLI_RUN_PLOT_H
#define CLI_RUN_PLOT_H

#include "app/cli/options.h"
#include "ashlar/scene.h"

typedef struct cli_run_plot {
    const ash_run *run, *beside; /* beside: null for none */
    const char *setting;         /* of the one beside, such as "delay=0.05" */
    const cli_texts *wanted;     /* names of outputs */
    const char *data;            /* in SVG: a measured table beside them; null: none */
    bool spectrum;               /* in SVG: amplitudes over frequencies */
} cli_run_plot;

/* Wrong names are reported before the run, not after it. The exit status is returned. */
int cli_run_plot_check(const ash_scene *scene, const cli_texts *wanted);

/* Draws the wanted outputs on standard output. Of a run beside it says how far it is from the other at most. */
int cli_run_plot_text(const cli_run_plot *plot);

/* Draws the wanted outputs, or all, to a file. */
int cli_run_plot_svg(const cli_run_plot *plot, const char *path);

#endif
