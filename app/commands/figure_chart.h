/* A figure of a paper drawn from the points that experiments handed out. */
#ifndef CLI_FIGURE_CHART_H
#define CLI_FIGURE_CHART_H

#include "app/commands/claims.h"

/* Whether there are points of "AUTHORS, LABEL", the label of the entry. */
bool cli_figure_has_points(const cli_rows *rows, const ash_paper *paper, const ash_paper_entry *figure);

/* Draws them: ours as a line with dots for each curve, what is expected as rings. An axis has decades where all values
 * are above 0 and the largest is more than seven times the least. The exit status is returned. */
int cli_figure_chart(const cli_rows *rows, const ash_paper *paper, const ash_paper_entry *figure, const char *path);

#endif
