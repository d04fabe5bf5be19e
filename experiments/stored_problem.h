/* Contact problems with names: what every solver is tried on. tests/data/problems has those of moderate size as files,
 * written by `ashlar problem NAME`. */
#ifndef ASHI_SCENE_STORED_PROBLEM_H
#define ASHI_SCENE_STORED_PROBLEM_H

#include "ashlar/scene.h"
#include "experiments/problem_maker.h"

typedef struct ashi_named_problem {
    const char *name;
    const char *summary;
    bool degenerate; /* not well posed: a looser tolerance is fair */
    bool (*make)(ash_problem *problem);
} ashi_named_problem;

const ashi_named_problem *ashi_named_problem_get(uint32_t index);
/* Null when there is none of that name. */
const ashi_named_problem *ashi_named_problem_find(const char *name);

/* Ordinary ones. Each fills `problem`, zeroed or holding an older one; false: no memory. Impulses are zero: cold. */
bool ashi_problem_of_rest(ash_problem *problem);
bool ashi_problem_of_stack(ash_problem *problem);
bool ashi_problem_of_pile(ash_problem *problem);
bool ashi_problem_of_pile_heavy_top(ash_problem *problem);
bool ashi_problem_of_shove(ash_problem *problem);
bool ashi_problem_of_heavy_on_light(ash_problem *problem);
bool ashi_problem_of_redundant(ash_problem *problem);
bool ashi_problem_of_sliding(ash_problem *problem);
bool ashi_problem_of_giving_way(ash_problem *problem);
bool ashi_problem_of_impact(ash_problem *problem);
bool ashi_problem_of_rolling(ash_problem *problem);
bool ashi_problem_of_planar(ash_problem *problem);
bool ashi_problem_of_chain(ash_problem *problem);
bool ashi_problem_of_ball_grid(ash_problem *problem);
bool ashi_problem_of_wall(ash_problem *problem);

/* Degenerate ones. */
bool ashi_problem_of_coincident(ash_problem *problem);
bool ashi_problem_of_parallel(ash_problem *problem);
bool ashi_problem_of_wedged(ash_problem *problem);
bool ashi_problem_of_immovable_pair(ash_problem *problem);
bool ashi_problem_of_extreme_friction(ash_problem *problem);
bool ashi_problem_of_mass_ratio(ash_problem *problem);

#endif
