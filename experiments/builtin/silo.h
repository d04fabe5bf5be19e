/* The silo's measures, for its builder and its experiments. */
#ifndef ASHI_SCENE_BUILTIN_SILO_H
#define ASHI_SCENE_BUILTIN_SILO_H

#include "experiments/builtin/parts.h"

typedef struct ashi_silo {
    uint32_t side; /* cells across */
    double inner;  /* half of the width within the walls, m */
    double slot;   /* half of the slot's width */
    double outlet; /* height of the slot over the ground */
    double hopper; /* height of the wedge */
    double wall;   /* height of the walls above it */
} ashi_silo;

#define ASHI_GRAIN_RADIUS   0.1 /* of balls, m; cubes reach no farther than 0.14 */
#define ASHI_SILO_THICKNESS 0.1 /* of walls, m */

/* For that many grains. */
ashi_silo ashi_plan_silo(uint32_t count);

ash_status ashi_validate_silo(ashi_validation *validation, ash_diagnostic *diagnostic);

#endif
