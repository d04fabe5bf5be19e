/* Convex pairs through GJK and its penetration depth: spheres and capsules on any convex kind, and everything curved.
 *
 * The closest points give one contact. Where flat parts face each other across it (a cap on a face, a side line along
 * an edge), their overlay adds the corners of the common area. */
#include "collide/append.h"
#include "collide/convex/convex.h"
#include "collide/convex/overlay.h"
#include "collide/pairs.h"

static double smaller_size(const ash_geometry *a, const ash_geometry *b)
{
    ash_bounds of_a = ash_geometry_bounds(a, ash_identity()), of_b = ash_geometry_bounds(b, ash_identity());
    double size_a = v3_distance(of_a.lower, of_a.upper), size_b = v3_distance(of_b.lower, of_b.upper);
    return size_a < size_b ? size_a : size_b;
}

/* Adds points where the flat parts of both overlap. */
static void add_patches(const ashi_pair *pair, ashi_manifold *m, double size)
{
    ashi_support_feature a, b;
    ashi_support_feature_find(pair->a, m->normal, &a);
    if (a.count < 2)
        return;
    ashi_support_feature_find(pair->b, v3_neg(q_unrotate(pair->b_in_a.rotation, m->normal)), &b);
    if (b.count < 2)
        return;
    ashi_support_feature_move(&b, pair->b_in_a);
    ashi_overlay(&a, &b, pair->margin, 1e-9 * size, m);
}

static bool collide(const ashi_pair *pair, ashi_manifolds *manifolds, bool has_patches)
{
    ashi_convex a = ashi_convex_of(pair->a), b = ashi_convex_of(pair->b);
    ash_vec3 *direction = pair->cache != NULL ? &pair->cache->direction : NULL;
    ashi_separation s = ashi_convex_separation_within(&a, &b, pair->b_in_a, pair->margin, direction);
    if (!(s.distance <= pair->margin))
        return true;
    ashi_manifold *m = ashi_append_manifold(manifolds, s.normal);
    if (m == NULL)
        return false;
    double size = smaller_size(pair->a, pair->b);
    if (has_patches)
        add_patches(pair, m, size);
    ashi_overlay_witness(s.on_a, -s.distance, size, m);
    ashi_manifold_settle(m, ASHI_MANIFOLD_POINTS, pair);
    return true;
}

bool ashi_collide_sphere_convex(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return collide(pair, manifolds, false);
}

bool ashi_collide_capsule_convex(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return collide(pair, manifolds, true);
}

bool ashi_collide_curved_convex(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return collide(pair, manifolds, true);
}
