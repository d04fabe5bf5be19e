/* The local search for the depth of overlap: h(n) = max over a - b of n . w, least over unit directions n. Minus the
 * distance is the same function's value for cores that are apart.
 *
 * Proximal steps: move b along the present n until a gap opens; the closest points of the separated cores give the next
 * n. Each step lowers h whatever the shapes are: faces and edges are met exactly, and along a smooth direction of
 * radius R at depth D the error shrinks by the factor (D + gap) / (R + gap), which one secant extrapolates (Anderson
 * 1965). As soon as the pieces that touch are known, Newton's method takes over. */
#include "collide/convex/minkowski.h"

enum { MOST_STEPS = 24 };

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

double ashi_minkowski_detail(const ashi_minkowski *m)
{
    double size_a = half_size(m->a), size_b = half_size(m->b);
    return size_a < size_b ? size_a : size_b;
}

/* The gap to open: small beside the smaller core's curvature, large compared with rounding. */
static double gap_for(const ashi_minkowski *m, double scale)
{
    double gap = 1e-3 * ashi_minkowski_detail(m);
    return gap > 1e-9 * scale ? gap : 1e-9 * scale;
}

static double depth_along(const ashi_minkowski *m, ash_vec3 n)
{
    return v3_dot(n, ashi_minkowski_support(m, n).w);
}

/* One proximal step from n: the separated pair and the result of its walk. */
static void part(const ashi_minkowski *m, double gap, ash_vec3 n, ashi_minkowski *parted, ashi_gjk *g)
{
    *parted = *m;
    parted->position = v3_add_scaled(m->position, n, depth_along(m, n) + gap);
    *g = ashi_gjk_start(parted, v3_neg(n));
    ashi_gjk_walk(parted, ASHI_GJK_GAP, INFINITY, g);
}

/* The limit that a line through the last two steps' changes predicts. */
static ash_vec3 extrapolated(ash_vec3 old_from, ash_vec3 old_to, ash_vec3 from, ash_vec3 to)
{
    ash_vec3 change = v3_sub(to, from), difference = v3_sub(change, v3_sub(old_to, old_from));
    double square = v3_norm2(difference), t = square > 0 ? v3_dot(change, difference) / square : 0;
    return v3_unit(v3_add_scaled(to, v3_sub(to, old_to), -t));
}

void ashi_penetration_refine(const ashi_minkowski *m, double scale, ashi_penetration *found)
{
    bool curved = ashi_convex_is_curved(m->a) || ashi_convex_is_curved(m->b);
    double gap = gap_for(m, scale);
    ash_vec3 from = found->normal, old_from = from, old_to = from;
    found->converged = false;
    for (uint32_t step = 0; step < MOST_STEPS && !found->converged; step++) {
        ashi_minkowski parted;
        ashi_gjk g;
        part(m, gap, from, &parted, &g);
        found->iterations += g.iterations;
        found->on_a = ashi_gjk_on_a(&g);
        if (g.overlap)
            return;
        ash_vec3 to = v3_neg(v3_unit(g.v));
        double depth = depth_along(m, to), fall = found->depth - depth;
        if (fall > 0) {
            found->depth = depth;
            found->normal = to;
        }
        if (curved && ashi_pieces_solve(m, g.corners, g.weights, g.count, scale, found))
            return;
        found->converged = !curved || v3_distance(to, from) < 1e-9 || (step > 1 && fall < 1e-14 * scale);
        ash_vec3 guess = step > 0 ? extrapolated(old_from, old_to, from, to) : to;
        old_from = from;
        old_to = to;
        from = step > 0 && depth_along(m, guess) <= depth ? guess : to;
    }
}
