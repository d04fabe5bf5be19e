/* The colours of bodies, in pictures and in the viewer alike. */
#ifndef CLI_RENDER_PALETTE_H
#define CLI_RENDER_PALETTE_H

#include "scene/description/description.h"

/* The colour of each body of the scene, 0xrrggbb as screens show it; ASHI_NONE where the theme has one (bodies that do
 * not move, and bodies without shapes). A body's own colour comes first, then that of its first shape's material.
 * Bodies of one shape that are many look like the bricks of a wall: one hue, some lighter and some darker. Others take
 * the palette in turn. */
void cli_body_colours(const ash_scene *scene, uint32_t *colours);

#endif
