/* All points of the xy plane within a radius, which may be 0, of a segment: what flat capsules and segments share. */
#ifndef ASHI_SHAPE_ROUNDED_SEGMENT_H
#define ASHI_SHAPE_ROUNDED_SEGMENT_H

#include "ashlar/geometry.h"

typedef struct ashi_rounded_segment {
    ash_vec3 from, to; /* in the plane */
    double radius;
} ashi_rounded_segment;

ash_vec3 ashi_rounded_segment_support(ashi_rounded_segment shape, ash_vec3 direction);
bool ashi_rounded_segment_ray(ashi_rounded_segment shape, const ash_ray *ray, ash_ray_hit *hit);
double ashi_rounded_segment_distance(ashi_rounded_segment shape, ash_vec3 point);

#endif
