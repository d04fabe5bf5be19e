/* What a command line asks `ashlar picture` for. */
#ifndef CLI_PICTURE_ORDER_H
#define CLI_PICTURE_ORDER_H

#include "app/cli/choice.h"
#include "app/commands/film.h"
#include "app/picture/camera.h"
#include "app/picture/look.h"

enum { CLI_SIDE_MOST = 16384 };

/* The options as they were given. */
typedef struct cli_picture_values {
    cli_choice choice;
    const char *output, *at, *size, *eye, *look, *up, *fov, *colour;
    cli_texts show;
    double every;
    uint32_t frames, samples, threads;
    bool dark, animate;
} cli_picture_values;

/* The same, understood. */
typedef struct cli_picture_order {
    cli_instants instants;
    cli_view view;
    uint32_t width, height;
    cli_look look;
} cli_picture_order;

/* Whether the output is a film, not pictures. */
bool cli_picture_is_film(const cli_picture_values *values);
/* Draws a recording as a film, `rate` pictures a second. The exit status is returned. */
int cli_picture_film(const char *recording, const char *path, double rate);

/* Reports every error that shows before the scene is opened, and returns false. */
bool cli_picture_read(const cli_picture_values *values, bool recording, cli_picture_order *order);

#endif
