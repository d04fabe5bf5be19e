/* The mechanism that a world's joints make of its bodies. */
#ifndef CLI_MOBILITY_H
#define CLI_MOBILITY_H

#include <jansson.h>

#include "ashlar/joint.h"

typedef struct cli_mobility {
    ash_world *world;
    ash_mobility count;
    ash_joint *joints; /* all of the world */
    uint32_t joint_count;
    ash_joint *redundant; /* those with rows that others hold already */
    uint32_t redundant_count;
    ash_joint worst; /* that is open most; null: all are closed */
    ash_joint_error error;
} cli_mobility;

/* Looks at the world's present state; the world is to outlive it. */
ash_status cli_mobility_find(ash_world *world, cli_mobility *mobility, ash_diagnostic *diagnostic);
void cli_mobility_release(cli_mobility *mobility);

void cli_mobility_print(const cli_mobility *mobility);
json_t *cli_mobility_json(const cli_mobility *mobility);

#endif
