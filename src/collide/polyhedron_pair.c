/* Two polyhedra that are nearest at a vertex, or at an edge beyond the reach of face normals and edge products: the
 * separating axes then bound the distance only from below, and the closest points come from GJK. */
#include "collide/polyhedron_pair.h"

#include "collide/convex.h"
#include "collide/feature.h"

void ashi_polyhedra_nearest(const ashi_pair *pair, ashi_manifold *manifold)
{
    ashi_convex a = ashi_convex_of(pair->a), b = ashi_convex_of(pair->b);
    ash_vec3 *direction = pair->cache != NULL ? &pair->cache->direction : NULL;
    ashi_separation nearest = ashi_convex_separation(&a, &b, pair->b_in_a, direction);
    manifold->count = nearest.distance <= pair->margin ? 1 : 0;
    manifold->normal = nearest.normal;
    manifold->points[0] = (ashi_manifold_point){nearest.on_a, -nearest.distance, ASHI_FEATURE_NEAREST};
}
