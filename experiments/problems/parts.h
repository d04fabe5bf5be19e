/* What stored problems share. */
#ifndef ASHI_SCENE_PROBLEM_PARTS_H
#define ASHI_SCENE_PROBLEM_PARTS_H

#include "experiments/stored_problem.h"

/* Steps of 1/60 s under 9.81 m/s2. */
ashi_problem_maker ashi_make_usual(ash_problem *problem);

/* Four contact points at the corners of the rectangle of these edges around `centre`, normal up. */
void ashi_make_face(ashi_problem_maker *maker, uint32_t below, uint32_t above, ash_vec3 centre, double edge_x,
                    double edge_y, const ashi_surface_law *surface);

/* Cubes of one metre in a triangle, `base` in the lowest row, on the floor `floor`. The top one has its own mass.
 * Returns the first box; boxes follow row by row. */
uint32_t ashi_make_pyramid(ashi_problem_maker *maker, uint32_t floor, uint32_t base, double top_mass,
                           const ashi_surface_law *surface);

#endif
