/* Boxes and hulls in one form: vertices, polygon faces and half edges. A view refers to a hull's arrays; for a box they
 * are in memory of the caller, so that nothing is allocated. */
#ifndef ASHI_COLLIDE_CONVEX_POLYHEDRON_H
#define ASHI_COLLIDE_CONVEX_POLYHEDRON_H

#include "shape/hull.h"

typedef struct ashi_polyhedron {
    const ash_vec3 *points;
    const ashi_hull_face *faces;
    const ashi_half_edge *edges;
    uint32_t point_count, face_count, edge_count; /* half edges: two for each edge */
    double thickness;                             /* half of the smallest side of the box with the same moments */
} ashi_polyhedron;

typedef struct ashi_box_room {
    ash_vec3 points[8];
    ashi_hull_face faces[6];
} ashi_box_room;

/* The view of a box or hull; `room` is needed for a box and must outlive the view. */
ashi_polyhedron ashi_polyhedron_of(const ash_geometry *geometry, ashi_box_room *room);

/* The number of the vertex farthest along a direction; among equals the first. */
uint32_t ashi_polyhedron_support(const ashi_polyhedron *solid, ash_vec3 direction);

/* Of the faces around a vertex, that whose normal is most along a direction. */
uint32_t ashi_polyhedron_face_at(const ashi_polyhedron *solid, uint32_t vertex, ash_vec3 direction);

/* Both half edges of an edge have one number: the smaller. */
static inline uint32_t ashi_edge_number(const ashi_polyhedron *solid, uint32_t half_edge)
{
    uint32_t twin = solid->edges[half_edge].twin;
    return half_edge < twin ? half_edge : twin;
}

#endif
