/* How a picture looks: what is marked, by what bodies are coloured, and the scales of both. */
#ifndef CLI_RENDER_LOOK_H
#define CLI_RENDER_LOOK_H

#include "app/picture/tint.h"

/* The largest values of one picture, or of all pictures of a sequence: what arrows and colours go by. */
typedef struct cli_scales {
    double speed; /* m/s, of centres of mass */
    double force; /* N, of contact points; N or N m of drives */
    double tint;  /* of what bodies are coloured by, of those that move */
} cli_scales;

typedef struct cli_look {
    uint32_t layers; /* of ash_debug_layer */
    cli_tint tint;
    bool dark;
    cli_scales scales;
} cli_look;

/* Takes the world's present state into the scales. False when memory ran out. */
bool cli_scales_add(cli_look *look, const ash_world *world);

#endif
