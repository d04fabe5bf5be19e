/* What bodies can be coloured by, and the value that each has: for viewers and pictures alike. */
#ifndef CLI_TINT_H
#define CLI_TINT_H

#include "ashlar/world.h"

typedef enum cli_tint {
    CLI_TINT_BODY,   /* each its own */
    CLI_TINT_ISLAND, /* bodies that contacts and joints lead to from one another without passing a fixed one; the value
                        is the number of the island's first body, so that it changes rarely */
    CLI_TINT_LAYER,  /* stack height */
    CLI_TINT_SLEEPING, /* 0: awake, 1: asleep */
    CLI_TINT_SPEED,    /* of the centre of mass, m/s */
    CLI_TINT_FORCE,    /* the sum of the sizes of all contact forces on it, N: what it is squeezed by */
    CLI_TINTS
} cli_tint;
const char *cli_tint_name(cli_tint tint);

/* The values of all bodies by slot; both arrays have as many places as the world has slots, the second is for work. */
void cli_tint_values(const ash_world *world, cli_tint tint, float *values, uint32_t *work);

#endif
