/* A sequence of pictures in one file: an animated PNG, which browsers play and other programs show the first picture
 * of. */
#ifndef CLI_RENDER_ANIMATION_H
#define CLI_RENDER_ANIMATION_H

#include "app/picture/canvas.h"
#include "base/array.h"

typedef struct cli_animation {
    uint32_t width, height, frames;
    uint32_t milliseconds; /* that each picture is shown for */
    uint32_t done, sequence;
    cli_canvas last;            /* the picture before */
    ASHI_ARRAY(uint8_t) file;   /* what there is of it */
    ASHI_ARRAY(uint8_t) rows;   /* of a part of a picture, filtered */
    ASHI_ARRAY(uint8_t) packed; /* the same, compressed */
} cli_animation;

/* For `frames` pictures of that size, each shown for `seconds`, over and over. False when memory ran out. */
bool cli_animation_begin(cli_animation *animation, uint32_t width, uint32_t height, uint32_t frames, double seconds);
void cli_animation_release(cli_animation *animation);
/* Adds the next picture; what it shares with the one before takes no room. False when memory ran out. */
bool cli_animation_add(cli_animation *animation, const cli_canvas *canvas);
/* Writes the file; on failure none of it is left, and the diagnostic says why. */
ash_status cli_animation_write(cli_animation *animation, const char *path, ash_diagnostic *diagnostic);

#endif
