/* The supports of a body: its contacts that touch or carried a force. */
#ifndef ASHI_STEP_SUPPORTS_H
#define ASHI_STEP_SUPPORTS_H

#include "step/step.h"

#define ASHI_SUPPORTS 8 /* the most supports of a body that are stored */

typedef struct ashi_supports {
    uint8_t *count; /* by slot of the body; 0 for those not wanted */
    struct ashi_held_at {
        uint32_t pair, contact;
    } * list; /* ASHI_SUPPORTS for each */
} ashi_supports;

typedef struct ashi_support {
    ash_vec3 direction; /* in which it pushes the body, in the world */
    double depth;       /* m, of the overlap; 0: none */
    uint32_t contact;   /* which one it is */
} ashi_support;

/* The supports of those dynamic bodies that are wanted (by slot) at the present state; a gap up to `touch` counts as
 * none. False when scratch memory ran out. */
bool ashi_supports_find(const ashi_step *step, double touch, const bool *wanted, ashi_supports *supports);

/* One of those of a body. */
ashi_support ashi_support_at(const ashi_step *step, const ashi_supports *supports, uint32_t body, uint32_t number);

#endif
