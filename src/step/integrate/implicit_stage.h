/* One stage of an implicit rule for all bodies at once: the state (x, q, v, w) with
 *
 *   v = v_b + g a(x, q, v, w, t),  x = x_b + g v,  and likewise for rotation,
 *
 * where the base (subscript b) is known. Implicit midpoint is one such stage with g = h / 2, SDIRK2 two of them. */
#ifndef ASHI_STEP_IMPLICIT_STAGE_H
#define ASHI_STEP_IMPLICIT_STAGE_H

#include "step/step.h"

typedef struct ashi_implicit_stage {
    ashi_step *step;
    double g, time;   /* s */
    ashi_state base;  /* at g = 0; its rotation is that at the start of the step */
    ash_vec3 *turned; /* by body: rotation vector from there to the base; null: none */
    bool keeps;       /* g is half a step, and rotation conserves momentum: by rotation.h, which writes its end to
                         `next` */
    ashi_state state; /* output: the stage, at which forces were evaluated last */
} ashi_implicit_stage;

/* Solves it by Newton's method on a sparse matrix of 6x6 blocks, M + g^2 K + g D of all forces that have derivatives.
 * `state` has room. If it does not converge, a flag is set and the last iterate is used. False when memory ran out. */
bool ashi_implicit_stage_solve(ashi_implicit_stage *stage);

#endif
