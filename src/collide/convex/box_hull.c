/* Box on hull: the box is seen as a hull with six faces. */
#include "collide/pairs.h"

#include "collide/convex/polyhedron_pair.h"

bool ashi_collide_box_hull(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return ashi_collide_polyhedra(pair, manifolds);
}
