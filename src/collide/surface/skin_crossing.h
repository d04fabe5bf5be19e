/* Surfaces that pass through each other. */
#ifndef ASHI_COLLIDE_SURFACE_SKIN_CROSSING_H
#define ASHI_COLLIDE_SURFACE_SKIN_CROSSING_H

#include "collide/surface/skins.h"

/* Where edges pierce faces, in the frame of a. */
typedef struct ashi_skin_crossing {
    uint32_t count;
    ash_vec3 normal;       /* sum of those of pierced faces, from a to b */
    ash_vec3 middle;       /* sum of the points */
    ash_vec3 lower, upper; /* the box around them */
} ashi_skin_crossing;

/* Whether the surfaces cross or one is inside the other. */
bool ashi_skin_crossing_find(const ashi_skins *skins, ashi_skin_crossing *found);

/* One touch along a way out; false when none is known. */
bool ashi_skin_crossing_way(const ashi_skins *skins, const ashi_skin_crossing *crossing, ashi_skin_touch *touch);

#endif
