/* Hull on hull: both are polyhedra. */
#include "collide/pairs.h"

#include "collide/convex/polyhedron_pair.h"

bool ashi_collide_hull_hull(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return ashi_collide_polyhedra(pair, manifolds);
}
