/* A scene in static equilibrium: its world is relaxed, and the bodies' new places go back into the description. */
#ifndef ASHI_SCENE_SETTLE_H
#define ASHI_SCENE_SETTLE_H

#include "scene/description/description.h"

typedef struct ashi_settlement {
    bool settled;
    uint32_t steps;
    double acceleration; /* the largest of any body when it is let go from rest, m/s2: 0 in equilibrium */
    double allowed;      /* ... the largest that counts as equilibrium */
    uint32_t worst;      /* number of the body that has it; ASHI_NONE: there are none */
    double moved;        /* by the body that moved farthest, m */
    double energy_before, energy_after; /* of gravity and springs, J */
} ashi_settlement;

/* Changes places of the scene's dynamic bodies, and leaves them at rest. `accuracy` is the share of gravity (without it
 * of the largest acceleration at first) that may be left unbalanced; at most `most` steps are taken. ASH_NUMERICS, with
 * the body in the diagnostic, if no equilibrium was reached: the scene is then unchanged. */
ash_status ashi_scene_settle(ash_scene *scene, const ash_method *method, double accuracy, uint32_t most,
                             ashi_settlement *settlement, ash_diagnostic *diagnostic);

#endif
