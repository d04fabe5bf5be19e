/* What holds a body: the directions in which contacts that touch, or carried a force, push it. */
#ifndef ASHI_STEP_SUPPORTS_H
#define ASHI_STEP_SUPPORTS_H

#include "step/step.h"

typedef struct ashi_support {
    ash_vec3 direction; /* in which it pushes the body, in the world */
    double depth;       /* m, of the overlap; 0: none */
    uint32_t contact;   /* which one it is */
} ashi_support;

typedef struct ashi_supports {
    uint32_t *first; /* by slot of the body; one more at the end */
    uint32_t *count; /* likewise */
    ashi_support *list;
} ashi_supports;

/* The supports of all dynamic bodies at the present state, a few of each at most; a gap up to `touch` counts as none.
 * False when scratch memory ran out. */
bool ashi_supports_find(const ashi_step *step, double touch, ashi_supports *supports);

#endif
