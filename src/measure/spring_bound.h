/* The longest step that the explicit springs of a world allow. */
#ifndef ASHI_MEASURE_SPRING_BOUND_H
#define ASHI_MEASURE_SPRING_BOUND_H

#include "model/forces.h"

#include "ashlar/method.h"

typedef struct ashi_spring_bound {
    double step;    /* s; infinite: none */
    double fastest; /* angular frequency of the fastest mode, 1/s */
    uint32_t force; /* the slot of the spring that does most work in that mode; ASHI_NO_SLOT: none */
} ashi_spring_bound;

/* The bound for springs and angular springs at the present state, for steps of about h; slack ones count as taut. Never
 * less than the exact bound, and within a few per cent of it. False when memory ran out. */
bool ashi_find_spring_bound(const ashi_model *model, ash_integrator integrator, double h, ashi_arena *scratch,
                            ashi_spring_bound *bound);

#endif
