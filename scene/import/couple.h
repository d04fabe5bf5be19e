/* Joints that follow others: mimic joints of URDF, equalities of joints in MJCF, rotors. */
#ifndef ASHI_SCENE_COUPLE_H
#define ASHI_SCENE_COUPLE_H

#include "scene/import/draft.h"

/* Makes the coordinate of one hinge or slider follow that of another, `ratio` times as fast, from where both are at the
 * start. `joints` are numbers in the scene. `done` is false when no body has the bearings of both: nothing was added.
 * Where gears cannot mesh, idlers between them are added, which have a hundredth of a body's mass and no weight. */
bool ashi_draft_couple(ashi_draft *draft, uint32_t leader, uint32_t follower, double ratio, const char *name,
                       bool disabled, bool *done);
/* A rotor that a slider turns: it resists acceleration along the slider as this mass does, and has no weight. */
bool ashi_draft_add_rotor(ashi_draft *draft, uint32_t slider, double mass);

#endif
