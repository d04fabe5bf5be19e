/* A body's edge that crosses an edge of the surface. For a normal n between those of the two faces at a convex edge,
 * the surface's farthest point along n is on the edge, so the body must move by
 *     f(n) = n . e + h(-n)
 * to be free, with e any point of the edge and h the body's support function. The least f strictly between the faces is
 * found by sampling the wedge and golden sections.
 *
 * Also a corner of the surface in a face of the body: the normal is then that of the face. */
#include "collide/surface/facet_points.h"

#include "collide/convex/support_face.h"

#define WEDGE_SAMPLES   10
#define GOLDEN_STEPS    36
#define FLAT            1e-6
#define ALONG_TOLERANCE 1e-4 /* of the body's size: how far the crossing may be off the edge */

typedef struct wedge {
    const ashi_visitor *visitor;
    ash_vec3 one, other; /* the normals */
    ash_vec3 place;      /* on the edge */
} wedge;

static ash_vec3 normal_at(const wedge *w, double share)
{
    return v3_unit(v3_add_scaled(v3_scale(w->one, 1 - share), w->other, share));
}

static ash_vec3 lowest(const wedge *w, double share)
{
    ash_vec3 down = v3_neg(q_unrotate(w->visitor->pose.rotation, normal_at(w, share)));
    return t_point(w->visitor->pose, ashi_convex_support(&w->visitor->core, down, NULL));
}

static double depth_at(const wedge *w, double share)
{
    return v3_dot(normal_at(w, share), v3_sub(w->place, lowest(w, share))) + w->visitor->core.radius;
}

static double least_in(const wedge *w, double from, double to)
{
    const double golden = 0.61803398874989485;
    double low = to - golden * (to - from), high = from + golden * (to - from);
    double at_low = depth_at(w, low), at_high = depth_at(w, high);
    for (int n = 0; n < GOLDEN_STEPS; n++) {
        if (at_low < at_high) {
            to = high;
            high = low;
            at_high = at_low;
            low = to - golden * (to - from);
            at_low = depth_at(w, low);
        } else {
            from = low;
            low = high;
            at_low = at_high;
            high = from + golden * (to - from);
            at_high = depth_at(w, high);
        }
    }
    return at_low < at_high ? low : high;
}

double ashi_facet_crossing(const ashi_facet_source *surface, const ashi_visitor *visitor, const ashi_facet *facet,
                           int edge, ashi_manifold *manifold)
{
    ash_vec3 from = facet->corners[edge], to = facet->corners[(edge + 1) % 3];
    wedge w = {.visitor = visitor, .one = facet->normal, .place = from};
    if (!surface->beyond(surface->geometry, facet, edge, &w.other))
        return INFINITY;
    ash_vec3 turn = v3_cross(w.one, w.other); /* along the edge where it is convex */
    if (v3_dot(turn, v3_sub(to, from)) <= FLAT * v3_distance(to, from))
        return INFINITY;
    int best = 0;
    double least = INFINITY;
    for (int n = 0; n <= WEDGE_SAMPLES; n++) {
        double depth = depth_at(&w, (double)n / WEDGE_SAMPLES);
        if (depth < least) {
            least = depth;
            best = n;
        }
    }
    double begin = best == 0 ? 0 : (best - 1.0) / WEDGE_SAMPLES;
    double end = best == WEDGE_SAMPLES ? 1 : (best + 1.0) / WEDGE_SAMPLES;
    double share = least_in(&w, begin, end), depth = depth_at(&w, share);
    if (share < 1e-6 || share > 1 - 1e-6 || depth < -visitor->margin) /* a contact with one of the faces, or none */
        return INFINITY;
    /* The body's feature there: a point, or an edge between its supports on both sides. */
    ash_vec3 left = lowest(&w, share - 1e-7), right = lowest(&w, share + 1e-7), normal = normal_at(&w, share);
    ash_vec3 on_body = ashi_nearest_to_segment(left, right, from, to);
    ash_vec3 off = v3_sub(on_body, ashi_segment_nearest(from, to, on_body));
    if (v3_norm(v3_cross(normal, off)) > ALONG_TOLERANCE * visitor->size)
        return INFINITY;
    *manifold = (ashi_manifold){.normal = normal, .part_b = facet->number, .count = 1};
    manifold->points[0] = (ashi_manifold_point){v3_add_scaled(on_body, normal, -visitor->core.radius), depth,
                                                ashi_facet_witness(facet, (ashi_feature)(ASHI_EDGE_0 + edge))};
    return depth;
}

double ashi_facet_prick(const ashi_facet_source *surface, const ashi_visitor *visitor, const ashi_facet *facet,
                        int corner, ashi_manifold *manifold)
{
    ashi_support_face front;
    ashi_support_face_towards(visitor->geometry, visitor->pose, v3_neg(facet->normal), &front);
    ash_vec3 normal = v3_neg(front.normal);
    ashi_feature feature = (ashi_feature)(ASHI_CORNER_0 + corner);
    if (front.count < 3 || ashi_facet_region(surface, facet, feature, normal) != ASHI_REGION_OUTSIDE)
        return INFINITY;
    double depth = v3_dot(normal, v3_sub(facet->corners[corner], front.points[0])) + front.radius;
    if (depth < -visitor->margin)
        return INFINITY;
    *manifold = (ashi_manifold){.normal = normal, .part_b = facet->number, .count = 1};
    manifold->points[0] = (ashi_manifold_point){v3_add_scaled(facet->corners[corner], normal, -depth), depth,
                                                ashi_facet_witness(facet, feature)};
    return depth;
}
