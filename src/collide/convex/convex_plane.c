/* Any convex kind on a plane: the part of its surface that faces the plane, and its lowest point if that is lower. */
#include "collide/append.h"
#include "collide/convex/convex.h"
#include "collide/convex/overlay.h"
#include "collide/pairs.h"

bool ashi_collide_convex_plane(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ash_vec3 down = v3_neg(q_rotate(pair->b_in_a.rotation, v3(0, 0, 1)));
    ashi_convex convex = ashi_convex_of(pair->a);
    ash_vec3 lowest = v3_add_scaled(ashi_convex_support(&convex, down, NULL), down, convex.radius);
    /* Relative to the lowest point, so that the depths of a level face are equal to the last bit, apart from its own
     * tilt. */
    double depth = v3_dot(v3_sub(lowest, pair->b_in_a.position), down);
    if (!(depth >= -pair->margin))
        return true;
    ashi_manifold *m = ashi_append_manifold(manifolds, down);
    if (m == NULL)
        return false;
    ashi_support_feature patch;
    ashi_support_feature_find(pair->a, down, &patch);
    double reach = 0;
    for (uint32_t i = 0; i < patch.count; i++) {
        ash_vec3 offset = v3_sub(patch.points[i], lowest);
        double here = depth + v3_dot(offset, down);
        reach = fmax(reach, v3_max_component(v3_abs(offset)));
        if (here >= -pair->margin)
            m->points[m->count++] = (ashi_manifold_point){patch.points[i], here, patch.numbers[i] + 1};
    }
    ashi_overlay_witness(lowest, depth, reach, m);
    ashi_manifold_settle(m, ASHI_MANIFOLD_POINTS, pair);
    return true;
}
