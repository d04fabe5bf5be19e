/* What becomes of a building of bricks: under a roof that falls on it, and after a ball. */
#ifndef ASHI_SCENE_BUILTIN_BUILDING_H
#define ASHI_SCENE_BUILTIN_BUILDING_H

#include "experiments/builtin/parts.h"

/* Lengths in m, energies in J. A brick is out of place when its centre is half of a brick's height, 0.1 m, or more from
 * where it was laid, and has fallen when it is as much lower. */
typedef struct ashi_building_fate {
    uint32_t bricks;
    bool shot_at; /* false: there was no ball, and nothing afterwards */
    /* until the ball is shot */
    double drift;    /* the farthest that a brick was sideways from its place */
    double sunk;     /* the farthest that one was below it */
    double overlap;  /* the largest after a step */
    uint32_t astray; /* bricks out of place when the ball is shot */
    /* afterwards */
    uint32_t cracked;     /* bricks out of place 0.2 s after the shot */
    uint32_t fallen;      /* bricks that have fallen in the end */
    double rise;          /* how far the roof was above where it was when the ball was shot, m, ... */
    double most_rise;     /* ... and the ball's diameter: what it lifts as it goes through beneath */
    double deepest;       /* the largest overlap after a step */
    double final_overlap; /* that after the last step */
    double final_kinetic; /* energy of all bodies in the end */
    double energy_error;  /* the ledger's remainder in the end over the kinetic energy of the ball that was shot */
    /* of all steps */
    double mean_ms, worst_ms;
    bool complete; /* false: the numbers grew beyond all bounds before the end */
} ashi_building_fate;

/* Runs a scene of a building with settings as ashi_experiment_open takes them, by steps of h (s; 0: the scene's). Its
 * bricks are the bodies that move and are there from the start, its ball the body of that name; without one it is
 * watched as before the ball to its end. */
ash_status ashi_building_run(const char *scene, const char *settings, double h, ashi_building_fate *fate,
                             ash_diagnostic *diagnostic);

ash_status ashi_validate_roof_tower(ashi_validation *validation, ash_diagnostic *diagnostic);
ash_status ashi_validate_falling_roof(ashi_validation *validation, ash_diagnostic *diagnostic);

#endif
