/* Painting a subject as a camera sees it. The same picture for any number of threads. */
#ifndef CLI_RENDER_PAINTER_H
#define CLI_RENDER_PAINTER_H

#include "app/picture/camera.h"
#include "app/picture/canvas.h"
#include "app/picture/subject.h"
#include "base/tasks.h"

typedef struct cli_painter {
    const cli_subject *subject;
    const cli_camera *camera;
    cli_canvas *canvas;
    uint32_t samples;  /* a pixel */
    ashi_tasks *tasks; /* null: on this thread */
    /* Told now and then what part is done, 0 to 1, from the calling thread; false leaves the picture unfinished. */
    bool (*progress)(double share, void *user);
    void *user;
} cli_painter;

/* Paints all pixels: lit solids in space, or filled outlines in a flat world. */
ash_status cli_paint(const cli_painter *painter);

/* A flat world, rows [begin, end). */
void cli_paint_flat(const cli_painter *painter, uint32_t begin, uint32_t end);

/* Place number `index` of `count` within a pixel, each coordinate 0 to 1: evenly spread. */
void cli_sample_place(uint32_t index, double *x, double *y);

/* The grid on a floor: a share of line colour, 0 to 1, at a place on it. */
typedef struct cli_grid {
    double minor, major; /* m between lines */
} cli_grid;
cli_grid cli_grid_for(double size);
/* (x, y) on the floor, and how wide a pixel is there along each axis. */
double cli_grid_cover(const cli_grid *grid, double x, double y, double width_x, double width_y);

#endif
