/* What colours and arrows of a picture mean, in its lower left corner. */
#ifndef CLI_RENDER_LEGEND_H
#define CLI_RENDER_LEGEND_H

#include "app/picture/canvas.h"
#include "app/picture/subject.h"

/* Draws the legend, if there is something to say and room for it: by what bodies are coloured and the range of it, and
 * for layers of marks that have values the largest one. */
void cli_legend_draw(const cli_subject *subject, const cli_canvas *canvas);

#endif
