/* ashlar validate --figures: the papers' figures, drawn beside the papers' numbers. */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include "app/commands/claims.h"

/* Makes the directory, so that trouble shows before the experiments. The exit status is returned. */
int cli_figures_prepare(const char *directory);

/* Draws every figure of the papers that can be drawn into the directory, each by points among the rows or by its own
 * command, and writes index.html: figure by figure the picture, the command, and the rows that name it. With `names`
 * only the figures of these scenes; with `quick` none of lengthy scenes. The exit status is returned. */
int cli_figures_draw(const cli_rows *rows, char **names, uint32_t name_count, bool quick, const char *directory);

#endif
