/* Axis-aligned boxes. */
#ifndef ASHI_MATH_BOUNDS_H
#define ASHI_MATH_BOUNDS_H

#include "ashlar/vector.h"

#include <stdbool.h>

/* Whether two boxes overlap or touch. Without branches, because it is not predictable which comparison fails first. */
static inline bool bounds_overlap(const ash_bounds *a, const ash_bounds *b)
{
    return (a->lower.x <= b->upper.x) & (b->lower.x <= a->upper.x) & (a->lower.y <= b->upper.y) &
           (b->lower.y <= a->upper.y) & (a->lower.z <= b->upper.z) & (b->lower.z <= a->upper.z);
}

/* The box enlarged by a margin to each side. */
static inline ash_bounds bounds_enlarged(ash_bounds box, double margin)
{
    ash_vec3 lower = {box.lower.x - margin, box.lower.y - margin, box.lower.z - margin};
    ash_vec3 upper = {box.upper.x + margin, box.upper.y + margin, box.upper.z + margin};
    return (ash_bounds){lower, upper};
}

#endif
