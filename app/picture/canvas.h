/* A picture: pixels, and how they become a PNG file. */
#ifndef CLI_RENDER_CANVAS_H
#define CLI_RENDER_CANVAS_H

#include "ashlar/base.h"

typedef struct cli_canvas {
    uint32_t width, height;
    uint8_t *pixels; /* red, green, blue; rows from the top */
} cli_canvas;

/* False when there is no memory. */
bool cli_canvas_create(cli_canvas *canvas, uint32_t width, uint32_t height);
void cli_canvas_release(cli_canvas *canvas);

static inline uint8_t *cli_canvas_at(const cli_canvas *canvas, uint32_t x, uint32_t y)
{
    return canvas->pixels + 3 * ((size_t)y * canvas->width + x);
}

/* Writes the file; on failure none of it is left, and the diagnostic says why. */
ash_status cli_canvas_write(const cli_canvas *canvas, const char *path, ash_diagnostic *diagnostic);

#endif
