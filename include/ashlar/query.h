/* Queries of a world. They see shapes at the present state, including those moved since the last step. A null filter is
 * the default one. In a planar world z is ignored. Misuse (a NaN, a null result) finds nothing. */
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
    bool (*accept)(ash_shape shape, void *user); /* null: all; functions for many rays or points call it from the
                                                    world's threads */
    void *user;
} ash_query_filter;
ASH_API ash_query_filter ash_default_query_filter(void); /* everything except sensors */

typedef struct ash_cast_hit {
    ash_shape shape;
    ash_body body;
    double t;        /* of the ray or cast, 0 to reach; 0: overlapping at the start */
    ash_vec3 point;  /* in the world */
    ash_vec3 normal; /* outward normal of the shape that was hit */
    uint32_t part;   /* triangle, cell or part of a compound */
} ash_cast_hit;

/* The first shape along a ray (world frame). False: none was hit, or the ray is not finite. */
ASH_API bool ash_world_cast_ray(const ash_world *world, ash_ray ray, const ash_query_filter *filter, ash_cast_hit *hit);
/* All shapes along a ray, nearest first: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_cast_ray_all(const ash_world *world, ash_ray ray, const ash_query_filter *filter,
                                        ash_cast_hit *hits, uint32_t capacity);
/* Many rays at once, on the world's threads. `found` and `hits` have `count` entries. */
ASH_API ash_status ash_world_cast_rays(const ash_world *world, const ash_ray *rays, uint32_t count,
                                       const ash_query_filter *filter, bool *found, ash_cast_hit *hits);
/* The first shape that a sphere meets on its way along the ray, with its centre on the ray. Exact up to rounding. Here,
 * and for closest points and times of impact, a distance field is the surface of the linear tetrahedra of its cells. */
ASH_API bool ash_world_cast_sphere(const ash_world *world, ash_ray ray, double radius, const ash_query_filter *filter,
                                   ash_cast_hit *hit);
/* The same for a convex geometry, or a compound of such, that keeps its rotation; the ray's origin is that of the
 * geometry's frame. */
ASH_API bool ash_world_cast_shape(const ash_world *world, const ash_geometry *geometry, ash_quat rotation, ash_ray ray,
                                  const ash_query_filter *filter, ash_cast_hit *hit);
/* Casts one geometry along many rays at once, on the world's threads. */
ASH_API ash_status ash_world_cast_shapes(const ash_world *world, const ash_geometry *geometry, ash_quat rotation,
                                         const ash_ray *rays, uint32_t count, const ash_query_filter *filter,
                                         bool *found, ash_cast_hit *hits);
/* Shapes that overlap or touch a geometry at a pose or a box, or contain a point, in the order of their slots: copies
 * at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_overlap_shape(const ash_world *world, const ash_geometry *geometry, ash_transform pose,
                                         const ash_query_filter *filter, ash_shape *shapes, uint32_t capacity);
/* Shapes that overlap or touch the axis-aligned box. */
ASH_API uint32_t ash_world_overlap_box(const ash_world *world, ash_bounds box, const ash_query_filter *filter,
                                       ash_shape *shapes, uint32_t capacity);
/* Shapes that contain the point. */
ASH_API uint32_t ash_world_overlap_point(const ash_world *world, ash_vec3 point, const ash_query_filter *filter,
                                         ash_shape *shapes, uint32_t capacity);
/* For each of many points: of the shapes that contain it the one with the lowest slot, or null. Runs on the world's
 * threads. */
ASH_API ash_status ash_world_overlap_points(const ash_world *world, const ash_vec3 *points, uint32_t count,
                                            const ash_query_filter *filter, ash_shape *shapes);

/* Closest points: a negative distance is minus the depth of the overlap. For convex pairs the depth is the smallest
 * translation that separates them; against a mesh, height field or distance field it is the shortest way out past the
 * triangles that are penetrated; for compounds it is that of the deepest part. */
typedef struct ash_closest {
    double distance;
    ash_vec3 on_a, on_b; /* in the world */
    ash_vec3 normal;     /* from a to b */
    ash_shape shape_a, shape_b;
} ash_closest;
/* Between two geometries at poses; ASH_UNSUPPORTED for pairs without a distance (two planes, meshes or height fields,
 * or a flat and a solid kind). The shapes in the result are null. */
ASH_API ash_status ash_closest_points(const ash_geometry *a, ash_transform pose_a, const ash_geometry *b,
                                      ash_transform pose_b, ash_closest *closest);
/* Between two shapes of a world; ASH_UNSUPPORTED as for ash_closest_points. */
ASH_API ash_status ash_shape_closest(const ash_world *world, ash_shape a, ash_shape b, ash_closest *closest);
/* The closest pair of the two bodies' shapes. */
ASH_API ash_status ash_body_closest(const ash_world *world, ash_body a, ash_body b, ash_closest *closest);

/* A moving geometry: its pose at the start, the constant velocity of its point `centre`, and its constant angular
 * velocity (world axes) about that point. */
typedef struct ash_sweep {
    const ash_geometry *geometry;
    ash_transform pose;
    ash_vec3 velocity, angular_velocity;
    ash_vec3 centre; /* in the geometry's frame; zero: its origin */
} ash_sweep;

/* The time at which two moving geometries first touch: when their distance is at most a millionth of the smaller one's
 * size (bounding radius); 0 if they touch at the start. No impact is missed. `closest` (may be null) is the state at
 * that time. False: no impact within `time`, or arguments that are not usable. The work is bounded (about 200 000
 * iterations per pair of parts): a search that would need more, such as two distance fields that turn fast, returns
 * true with a time before which there is no impact; the distance in `closest` is then larger than that of an impact.
 */
ASH_API bool ash_time_of_impact(const ash_sweep *a, const ash_sweep *b, double time, double *impact,
                                ash_closest *closest);

#ifdef __cplusplus
}
#endif

#endif
