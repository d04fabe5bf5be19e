/* The local search for the depth of overlap: h(n) = max over a - b of n . w, least over unit directions n.
 *
 * Proximal steps: move b along the present n until a gap opens; the closest points of the parted cores give the next n.
 * Each step lowers h whatever the shapes are: faces and edges are met exactly, and a smooth minimum of curvature radius
 * R at depth D is approached by the factor (D + gap) / (R + gap) a step. */
#include "collide/minkowski.h"

enum { MOST_STEPS = 12 };

/* Half the diagonal of a core. */
static double half_size(const ashi_convex *convex)
{
    ash_vec3 low, high;
    if (convex->geometry == NULL) {
        low = high = convex->points[0];
        for (uint32_t i = 1; i < convex->point_count; i++) {
            low = v3_min(low, convex->points[i]);
            high = v3_max(high, convex->points[i]);
        }
    } else {
        ash_bounds bounds = ash_geometry_bounds(convex->geometry, ash_identity());
        low = bounds.lower;
        high = bounds.upper;
    }
    return v3_distance(low, high) / 2;
}

/* The gap to open: small beside the smaller core's curvature, large beside rounding. */
static double gap_for(const ashi_minkowski *m, double scale)
{
    double size_a = half_size(m->a), size_b = half_size(m->b);
    double gap = 1e-3 * (size_a < size_b ? size_a : size_b);
    return gap > 1e-6 * scale ? gap : 1e-6 * scale;
}

void ashi_penetration_refine(const ashi_minkowski *m, double scale, ashi_penetration *found)
{
    double gap = gap_for(m, scale);
    found->converged = false;
    for (uint32_t step = 0; step < MOST_STEPS && !found->converged; step++) {
        ashi_minkowski parted = *m;
        parted.position = v3_add_scaled(m->position, found->normal, found->depth + gap);
        ashi_gjk g = ashi_gjk_walk(&parted, v3_neg(found->normal), INFINITY);
        found->iterations += g.iterations;
        found->on_a = g.on_a;
        if (g.overlap)
            return;
        ash_vec3 next = v3_neg(v3_unit(g.v));
        double depth = v3_dot(next, ashi_minkowski_support(m, next).w);
        double turned = v3_distance(next, found->normal);
        found->converged = turned < 1e-10 || depth > found->depth - 1e-15 * scale;
        if (depth < found->depth) {
            found->depth = depth;
            found->normal = next;
        }
    }
}
