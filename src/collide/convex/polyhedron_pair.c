/* Two polyhedra: an axis, then a manifold along it.
 *
 * Small ones are searched axis by axis; for large ones GJK and its penetration depth give the axis. If two separate
 * polyhedra are nearest at a vertex, or at an edge whose direction is neither a face normal nor an edge product,
 * separating axes give only a lower bound of the distance: then the closest points come from GJK as well. */
#include "collide/convex/polyhedron_pair.h"

#include "collide/convex/convex.h"
#include "collide/convex/feature.h"
#include "collide/convex/polyhedron_manifold.h"
#include "collide/reduce.h"
#include "shape/geometry.h"

static double smaller_thickness(const ashi_polyhedron *a, const ashi_polyhedron *b)
{
    return a->thickness < b->thickness ? a->thickness : b->thickness;
}

/* The closest or deepest points by GJK, together with the faces around them where these are nearly parallel. */
static void touch_nearest(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b,
                          ash_vec3 *direction, ashi_manifold *m)
{
    ashi_convex convex_a = ashi_convex_of(pair->a), convex_b = ashi_convex_of(pair->b);
    ashi_separation nearest = ashi_convex_separation(&convex_a, &convex_b, pair->b_in_a, direction);
    m->count = 0;
    if (!(nearest.distance <= pair->margin))
        return;
    ashi_axis axis = {.normal = nearest.normal, .separation = nearest.distance};
    ash_vec3 in_b = v3_neg(q_unrotate(pair->b_in_a.rotation, axis.normal));
    uint32_t face_a = ashi_polyhedron_face_at(a, ashi_polyhedron_support(a, axis.normal), axis.normal);
    uint32_t face_b = ashi_polyhedron_face_at(b, ashi_polyhedron_support(b, in_b), in_b);
    double slack = ashi_face_slack(axis.separation, smaller_thickness(a, b));
    if (ashi_axis_to_face(pair, a, b, face_a, face_b, &axis) &&
        ashi_face_manifold(pair, a, b, &axis, -axis.separation - slack, m))
        return;
    m->count = 1;
    m->normal = nearest.normal;
    m->points[0] = (ashi_manifold_point){nearest.on_a, -nearest.distance, ASHI_FEATURE_NEAREST};
}

void ashi_polyhedra_nearest(const ashi_pair *pair, ashi_manifold *manifold)
{
    ashi_box_room room_a, room_b;
    ashi_polyhedron a = ashi_polyhedron_of(pair->a, &room_a), b = ashi_polyhedron_of(pair->b, &room_b);
    touch_nearest(pair, &a, &b, NULL, manifold);
}

/* The axis in a pair's cache: 1 + kind + 4 * face. */
static ashi_axis hint_of(const ashi_pair_cache *cache)
{
    uint32_t number = cache->axis - 1, face = number / 4;
    ashi_axis_kind kind = number % 4 == 0   ? ASHI_AXIS_FACE_OF_A
                          : number % 4 == 1 ? ASHI_AXIS_FACE_OF_B
                                            : ASHI_AXIS_EDGES;
    return (ashi_axis){.kind = kind, .a = face, .b = face};
}

static void note_axis(ashi_pair_cache *cache, const ashi_axis *axis)
{
    uint32_t face = axis->kind == ASHI_AXIS_FACE_OF_A ? axis->a : axis->kind == ASHI_AXIS_FACE_OF_B ? axis->b : 0;
    cache->axis = 1 + (uint32_t)axis->kind + 4 * face;
    cache->direction = v3_neg(axis->normal); /* from b to a, as GJK has it */
}

/* Of the two faces at an edge, the one whose normal is more along a direction. */
static uint32_t face_of_edge(const ashi_polyhedron *solid, uint32_t edge, ash_vec3 direction)
{
    uint32_t left = solid->edges[edge].face, right = solid->edges[solid->edges[edge].twin].face;
    bool is_left = v3_dot(solid->faces[left].normal, direction) >= v3_dot(solid->faces[right].normal, direction);
    return is_left ? left : right;
}

static bool touch_edges(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b,
                        const ashi_axis *axis, ashi_manifold *m)
{
    ash_vec3 in_b = v3_neg(q_unrotate(pair->b_in_a.rotation, axis->normal));
    uint32_t face_a = face_of_edge(a, axis->a, axis->normal), face_b = face_of_edge(b, axis->b, in_b);
    ashi_axis of_face = *axis;
    double least = -axis->separation - ASHI_ROUNDING * smaller_thickness(a, b);
    return (ashi_axis_to_face(pair, a, b, face_a, face_b, &of_face) &&
            ashi_face_manifold(pair, a, b, &of_face, least, m)) ||
           ashi_edge_manifold(pair, a, b, axis, m);
}

static void touch_searched(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b, ashi_manifold *m)
{
    ashi_pair_cache *cache = pair->cache;
    double thickness = smaller_thickness(a, b);
    ashi_axis hint = {0};
    bool hinted = cache != NULL && cache->axis != 0;
    if (hinted)
        hint = hint_of(cache);
    ashi_axis axis = ashi_axis_search(a, b, pair->b_in_a, pair->margin, thickness, hinted ? &hint : NULL);
    if (cache != NULL)
        note_axis(cache, &axis);
    m->count = 0;
    if (!(axis.separation <= pair->margin))
        return;
    double slack = ashi_face_slack(axis.separation, thickness);
    bool found = axis.kind == ASHI_AXIS_EDGES ? touch_edges(pair, a, b, &axis, m)
                                              : ashi_face_manifold(pair, a, b, &axis, -axis.separation - slack, m);
    if (!found)
        touch_nearest(pair, a, b, NULL, m);
}

bool ashi_collide_polyhedra(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ashi_box_room room_a, room_b;
    ashi_polyhedron a = ashi_polyhedron_of(pair->a, &room_a), b = ashi_polyhedron_of(pair->b, &room_b);
    ashi_pair_cache *cache = pair->cache;
    if (cache != NULL && v3_norm2(cache->direction) > 0 &&
        ashi_gap_along(&a, &b, pair->b_in_a, v3_neg(cache->direction)) > pair->margin)
        return true;
    if (!ashi_array_extend(manifolds))
        return false;
    ashi_manifold *m = &manifolds->data[manifolds->count - 1];
    m->part_a = m->part_b = 0;
    if (ashi_axis_can_search(&a, &b))
        touch_searched(pair, &a, &b, m);
    else
        touch_nearest(pair, &a, &b, cache != NULL ? &cache->direction : NULL, m);
    if (m->count == 0)
        manifolds->count--;
    else
        ashi_manifold_settle(m, ASHI_MANIFOLD_POINTS, pair);
    return true;
}
