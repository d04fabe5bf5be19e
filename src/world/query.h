/* Shared by all queries: which shapes they see, their poses, and the shapes that a box or a ray may hit. */
#ifndef ASHI_WORLD_QUERY_H
#define ASHI_WORLD_QUERY_H

#include "ashlar/query.h"
#include "collide/broad/broad.h"
#include "world/world.h"

typedef struct ashi_query {
    const ash_world *world;
    ash_query_filter filter;
} ashi_query;

/* Prepares the world for queries. A null filter is the default one. False after reporting that memory ran out. */
bool ashi_query_begin(ashi_query *query, const ash_world *world, const ash_query_filter *filter, const char *call);

/* Whether the query's filter lets a shape through. */
bool ashi_query_sees(const ashi_query *query, uint32_t shape);

/* The pose of a shape at the present state; z is 0 in a planar world. Only after a query began. */
ash_transform ashi_shape_pose(const ash_world *world, uint32_t shape);
ash_shape ashi_shape_handle(const ash_world *world, uint32_t shape);
ash_body ashi_shape_owner(const ash_world *world, uint32_t shape);

/* All shapes, whatever the filter, whose boxes overlap a box, or a ray thickened by `radius` along each axis, by the
 * broad phase. Safe from several threads at once. */
void ashi_query_visit_box(const ashi_query *query, ash_bounds box, ashi_broad_visitor visit, void *user);
void ashi_query_visit_ray(const ashi_query *query, ash_ray ray, ash_vec3 radius, ashi_broad_ray_visitor visit,
                          void *user);

/* The order of hits: by position on the ray, then by the shape's slot. Both are ash_cast_hit. */
bool ashi_hit_before(const void *one, const void *other);
/* The return value of a ray visitor after a hit at t. Never 0, which would stop the search before an equal hit of a
 * shape with a lower slot is found. */
double ashi_reach_after(double t);

/* Checks a ray: finite, with a direction, and a reach of 0 or more, which may be infinite. Reports misuse. */
bool ashi_query_check_ray(const ash_world *world, const ash_ray *ray, const char *call);
/* Checks a geometry and its pose: not null, finite, a valid rotation, and flat only in a planar world. */
bool ashi_query_check_geometry(const ash_world *world, const ash_geometry *geometry, ash_transform pose,
                               const char *call);
/* Checks that the array for `capacity` results is not null. */
bool ashi_query_check_room(const ash_world *world, const void *results, uint32_t capacity, const char *call);

#endif
