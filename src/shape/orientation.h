/* On which side of a line a point lies in the xy plane, without rounding. */
#ifndef ASHI_SHAPE_ORIENTATION_H
#define ASHI_SHAPE_ORIENTATION_H

#include "ashlar/vector.h"

/* 1 when c lies to the left of the line from a to b, -1 to its right, 0 on it: exactly so for coordinates that are 0 or
 * between 1e-140 and 1e140 in size. */
int ashi_orientation(ash_vec3 a, ash_vec3 b, ash_vec3 c);

#endif
