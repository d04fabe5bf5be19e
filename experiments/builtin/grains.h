/* Grains of scenes that pour: balls and cubes of one material in turn, turned anyhow. */
#ifndef ASHI_SCENE_BUILTIN_GRAINS_H
#define ASHI_SCENE_BUILTIN_GRAINS_H

#include "experiments/builtin/parts.h"

typedef struct ashi_grains {
    ashi_stock ball, cube;
} ashi_grains;

/* Balls of that radius and cubes of that half length, m, with the material's density. */
ash_status ashi_make_grains(ash_scene *scene, double radius, double half, uint32_t material, ashi_grains *grains,
                            ash_diagnostic *diagnostic);

/* A rotation vector drawn from a cube of 2 rad, as a rotation. */
ash_quat ashi_turned_anyhow(ashi_random *random);

/* Adds the grain of that number, even ones being balls, with its rotation drawn. */
void ashi_add_grain(ash_scene *scene, const ash_body_def *def, uint32_t number, const ashi_grains *grains,
                    ashi_random *random);

#endif
