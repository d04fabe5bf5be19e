/* Expectations that a world without forces cannot meet: what the ground carries, and how far bodies have fallen. */
#ifndef ASHI_SCENE_BUILTIN_STATICS_H
#define ASHI_SCENE_BUILTIN_STATICS_H

#include "scene/description/description.h"

/* All dynamic bodies so far: their mass, kg, and their potential energy as they are placed, J, by the ledger's zero. */
double ashi_scene_mass(const ash_scene *scene);
double ashi_scene_height_energy(const ash_scene *scene);

/* The body named "ground" carries the weight of all dynamic bodies, on average over the run, within
 * 2 %. To be called when all bodies and the scene's time are there. */
void ashi_expect_weight_carried(ash_scene *scene);

/* The potential energy in the end is between two shares of that at the start: the bodies have fallen, and something
 * has stopped them. */
void ashi_expect_fallen(ash_scene *scene, double low, double high);

/* The reduction of an output lies between two numbers. */
void ashi_expect_range(ash_scene *scene, const char *name, uint32_t output, ashi_reduction reduction, double low,
                       double high);

#endif
