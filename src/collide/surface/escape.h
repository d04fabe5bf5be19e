/* The way out of a closed mesh for a convex body that is deep in it. */
#ifndef ASHI_COLLIDE_SURFACE_ESCAPE_H
#define ASHI_COLLIDE_SURFACE_ESCAPE_H

#include "collide/surface/surface.h"

/* A translation along the normal by the depth. */
typedef struct ashi_escape {
    ash_vec3 normal;    /* unit, out of the mesh */
    double depth;       /* positive */
    ash_vec3 on_body;   /* the point of the body that leaves last */
    ash_transform pose; /* of the body once it is out */
} ashi_escape;

/* Whether a body without certain contacts is deep in the mesh, and if so its way out.
 *
 * A convex mesh is treated like a hull: the way is the shortest of all. In a mesh that is not convex, a body is deep if
 * its centre of volume is inside. Then the way is the shortest of these: from the centre to the nearest point of the
 * surface, and on until the whole body is above the tangent plane there; the result of closest.h; and ways along the
 * normals of nearby triangles that free the body completely. A sphere leaves any mesh to the nearest point. `visitor`
 * is in the frame of the mesh. */
bool ashi_escape_find(const ashi_facet_source *surface, const ashi_visitor *visitor, ashi_escape *way);

/* A way shorter than `depth` that frees the body completely, for a mesh that is not convex; false if none was found. */
bool ashi_escape_shorten(const ashi_facet_source *surface, const ashi_visitor *visitor, double depth, ashi_escape *way);

#endif
