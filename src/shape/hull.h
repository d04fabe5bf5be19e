/* Convex hulls: faces as polygons with their planes, and the half edges between them. */
#ifndef ASHI_SHAPE_HULL_H
#define ASHI_SHAPE_HULL_H

#include "shape/geometry.h"

/* Half edges of one face follow each other in memory, counter-clockwise seen from outside. */
typedef struct ashi_half_edge {
    uint32_t origin; /* the vertex it starts from */
    uint32_t twin;   /* the same edge in the other direction */
    uint32_t next;   /* around the face */
    uint32_t face;   /* on its left */
} ashi_half_edge;

typedef struct ashi_hull_face {
    ash_vec3 normal; /* outward, unit */
    double offset;   /* normal . x <= offset inside */
    uint32_t first_edge, edge_count;
} ashi_hull_face;

typedef struct ashi_hull {
    ashi_hull_face *faces;
    ashi_half_edge *edges; /* half edges: twice the number of edges */
    uint32_t face_count, edge_count;
} ashi_hull;

/* The hull's faces as Qhull finds them, as lists of input points, counter-clockwise seen from outside. */
typedef struct ashi_hull_faces {
    uint32_t *corners; /* one face after another */
    uint32_t *ends;    /* end of each face's corners */
    uint32_t face_count;
} ashi_hull_faces;

/* Finds the faces of the hull of points that span a volume; coplanar faces are merged, or, with `triangles`, split into
 * triangles. */
ash_status ashi_hull_find(const ash_vec3 *points, uint32_t count, bool triangles, ashi_hull_faces *faces,
                          ash_diagnostic *diagnostic);
void ashi_hull_faces_release(ashi_hull_faces *faces);

#endif
