/* Schemes: how a part of a step leads from the bodies' state `now` to `next`. Each is one file in step/schemes/, which
 * reads like its paper's algorithm; its properties for other stages are in this table, so that none of them asks which
 * scheme runs. Step control (control.c, parts.c, impacts.c) wraps any of them. */
#ifndef ASHI_STEP_SCHEME_H
#define ASHI_STEP_SCHEME_H

#include "step/step.h"

typedef struct ashi_scheme_class {
    const char *name;
    /* A part of length h, with contacts up to `reach`: writes next. False when memory ran out. */
    bool (*take)(ashi_step *step, double h, double reach);
    /* The free motion that a part begins with, over step->h. False when memory ran out. */
    bool (*move)(ashi_step *step);
    /* Whether contacts or joints are there to be held after free motion. */
    bool (*holds)(const ashi_step *step);
    /* Adds to the forces just summed up at a state; null: nothing. */
    void (*accelerate)(ashi_step *step, const ashi_state *state, double time);
    /* At the end of a part, when the contacts of the new state are known; null: nothing. False when memory ran out or a
     * state is not finite; `lost`: contacts of the part's start are in `kept`. */
    bool (*correct)(ashi_step *step, bool *lost);
    /* The part was accepted: adds what free motion took from joints to their forces, if that `counts`; null: nothing.
     */
    void (*accept)(ashi_step *step, bool counts);
    /* Parts that a step of this length must be cut into; null: one. */
    uint32_t (*parts)(ashi_step *step, double length);
    uint32_t order; /* of convergence, where there are joints without contacts and drives, at most */
    bool joins;     /* free motion holds the joints */
    bool loops;     /* ... and can find impulses of joints, contacts and drives in one loop (joint_loop.c) */
    bool foresees; /* contacts are looked for where bodies will be, and collisions change `now`: no impact is located */
    bool closes_within_slop; /* contacts count as closed at gaps up to the slop */
    bool no_projection;      /* overlap stays; limits of joints go back by velocity */
    bool fits_lanes;         /* plain contacts may be solved in lanes (lanes.c) */
    double projects_farther; /* factor of the farthest that a projection may move bodies; 0 counts as 1 */
} ashi_scheme_class;

extern const ashi_scheme_class ashi_scheme_velocity;      /* free motion, one solve, projection */
extern const ashi_scheme_class ashi_scheme_impulses;      /* Bender & Schmitt 2006 */
extern const ashi_scheme_class ashi_scheme_accelerations; /* Faure */
extern const ashi_scheme_class ashi_scheme_propagation;   /* Erleben 2007, figure 14 */
extern const ashi_scheme_class ashi_scheme_passes;        /* Guendelman, Bridson & Fedkiw 2003 */

/* The one that the method's fields ask for in this world: joints by impulses need joints, passes need contacts. */
const ashi_scheme_class *ashi_scheme_of(const ash_method *method, const ashi_model *model);

#endif
