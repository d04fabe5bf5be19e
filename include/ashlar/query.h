/* Questions to a world. They see shapes as they are at the present state, moved ones included. A null filter is the
 * default one. In a planar world z does not count. Misuse (a NaN, a null result) answers "nothing". */
#ifndef ASHLAR_QUERY_H
#define ASHLAR_QUERY_H

#include "ashlar/base.h"
#include "ashlar/body.h"
#include "ashlar/geometry.h"
#include "ashlar/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which shapes a query sees: those whose category is in `mask` and whose mask has a bit of `category`. */
typedef struct ash_query_filter {
    uint64_t category, mask;
    bool sensors;
    bool (*accept)(ash_shape shape, void *user); /* null: all */
    void *user;
} ash_query_filter;
ASH_API ash_query_filter ash_default_query_filter(void); /* everything but sensors */

typedef struct ash_cast_hit {
    ash_shape shape;
    ash_body body;
    double t;        /* of the ray or cast, 0 to reach; 0: overlapping at the start */
    ash_vec3 point;  /* in the world */
    ash_vec3 normal; /* outward of the shape that was hit */
    uint32_t part;   /* triangle, cell or part of a compound */
} ash_cast_hit;

/* The first shape along a ray (world frame). False: none, or the ray is not finite. */
ASH_API bool ash_world_cast_ray(const ash_world *world, ash_ray ray, const ash_query_filter *filter, ash_cast_hit *hit);
/* All shapes along a ray, nearest first: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_cast_ray_all(const ash_world *world, ash_ray ray, const ash_query_filter *filter,
                                        ash_cast_hit *hits, uint32_t capacity);
/* Many rays at once, on the world's threads. `found` and `hits` have `count` entries. */
ASH_API ash_status ash_world_cast_rays(const ash_world *world, const ash_ray *rays, uint32_t count,
                                       const ash_query_filter *filter, bool *found, ash_cast_hit *hits);
/* Shapes that contain a point, in the order of their slots: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_overlap_point(const ash_world *world, ash_vec3 point, const ash_query_filter *filter,
                                         ash_shape *shapes, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
