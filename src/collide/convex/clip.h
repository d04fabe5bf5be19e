/* Clipping of convex polygons by planes, with a record of the sides that meet in each corner. */
#ifndef ASHI_COLLIDE_CONVEX_CLIP_H
#define ASHI_COLLIDE_CONVEX_CLIP_H

#include "math/vec3.h"

enum { ASHI_CLIP_MOST = 128 };

typedef struct ashi_corner {
    ash_vec3 at;
    uint32_t side; /* the caller's number of the side from this corner to the next */
} ashi_corner;

typedef struct ashi_clip_polygon {
    uint32_t count;
    ashi_corner corners[ASHI_CLIP_MOST];
} ashi_clip_polygon;

/* Clips to normal . x <= offset; the cut gets the number `side`. A polygon with too many corners loses every second
 * one, except the lowest along `down`. */
void ashi_clip(ashi_clip_polygon *polygon, ash_vec3 normal, double offset, uint32_t side, ash_vec3 down);

/* Drops corners until at most `most` are left, spread evenly, the lowest along `down` among them. */
void ashi_clip_thin(ashi_clip_polygon *polygon, uint32_t most, ash_vec3 down);

#endif
