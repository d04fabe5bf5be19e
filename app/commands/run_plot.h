/* The plots of a run, and of others beside it with other settings: in characters below each other, in SVG in one panel.
 */
#ifndef CLI_RUN_PLOT_H
#define CLI_RUN_PLOT_H

#include "app/cli/options.h"
#include "ashlar/scene.h"

typedef struct cli_run_plot {
    const ash_run *run;
    ash_run *const *beside;    /* null where an interrupt came before it */
    const cli_texts *settings; /* of those beside, such as "delay=0.05", one each */
    const cli_texts *wanted;   /* names of outputs */
    const char *data;          /* in SVG: a measured table beside them; null: none */
    bool spectrum;             /* in SVG: amplitudes over frequencies */
} cli_run_plot;

/* Wrong names are reported before the run, not after it. The exit status is returned. */
int cli_run_plot_check(const ash_scene *scene, const cli_texts *wanted);

/* Draws the wanted outputs on standard output. Of each run beside it says how far it is from the first at most. */
int cli_run_plot_text(const cli_run_plot *plot);

/* Draws the wanted outputs, or all, to a file. */
int cli_run_plot_svg(const cli_run_plot *plot, const char *path);

#endif
