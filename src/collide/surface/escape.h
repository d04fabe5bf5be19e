/* The way out of a closed mesh for a convex body that is deep in it. */
#ifndef ASHI_COLLIDE_SURFACE_ESCAPE_H
#define ASHI_COLLIDE_SURFACE_ESCAPE_H

#include "collide/surface/surface.h"

/* Along the normal by the depth. */
typedef struct ashi_escape {
    ash_vec3 normal;    /* unit, out of the mesh */
    double depth;       /* positive */
    ash_vec3 on_body;   /* the point of the body that leaves last */
    ash_transform pose; /* of the body once it is out */
} ashi_escape;

/* Whether a body that met no triangle for sure is deep in the mesh, and if so its way out.
 *
 * A body overlaps a convex mesh as it would a hull: the way is the shortest of all. Of a mesh that is not convex it is
 * deep when its centre of volume is inside. Then the way is the shortest of these: from the centre to the nearest point
 * of the surface, and on until the whole body is above the tangent plane there; what closest.h knows; and along the
 * normals of triangles nearby, those that free the body altogether. A sphere leaves to the nearest point of any mesh.
 * `visitor` is in the frame of the mesh. */
bool ashi_escape_find(const ashi_facet_source *surface, const ashi_visitor *visitor, ashi_escape *way);

/* A way that is shorter than `depth` and frees the body altogether, for a mesh that is not convex; false when none of
 * those tried is. */
bool ashi_escape_shorten(const ashi_facet_source *surface, const ashi_visitor *visitor, double depth, ashi_escape *way);

#endif
