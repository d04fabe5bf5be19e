/* Two polyhedra: an axis, then a manifold along it.
 *
 * Small ones are searched axis by axis; for large ones GJK and its penetration depth give the axis, which is taken as a
 * face's where it is one. Where polyhedra apart from each other are nearest at a vertex, or at an edge beyond the reach
 * of face normals and edge products, separating axes bound the distance only from below: then the closest points come
 * from GJK as well. */
#include "collide/polyhedron_pair.h"

#include "collide/convex.h"
#include "collide/feature.h"
#include "collide/polyhedron_manifold.h"
#include "collide/reduce.h"
#include "shape/geometry.h"

/* A normal this near to a face's is the face's. */
#define SAME_NORMAL 1e-6

void ashi_polyhedra_nearest(const ashi_pair *pair, ashi_manifold *manifold)
{
    ashi_convex a = ashi_convex_of(pair->a), b = ashi_convex_of(pair->b);
    ashi_separation nearest = ashi_convex_separation(&a, &b, pair->b_in_a, NULL);
    manifold->count = nearest.distance <= pair->margin ? 1 : 0;
    manifold->normal = nearest.normal;
    manifold->points[0] = (ashi_manifold_point){nearest.on_a, -nearest.distance, ASHI_FEATURE_NEAREST};
}

/* The face of a polyhedron whose normal is `normal` but for rounding. */
static bool find_face(const ashi_polyhedron *solid, ash_vec3 normal, uint32_t *face)
{
    *face = ashi_polyhedron_face_at(solid, ashi_polyhedron_support(solid, normal), normal);
    return v3_distance(solid->faces[*face].normal, normal) <= SAME_NORMAL;
}

/* Large polyhedra: false when the axis is not that of a face. `axis` then still has the normal and the separation. */
static bool find_axis_of_large(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b,
                               ashi_axis *axis, ashi_manifold *manifold)
{
    ashi_convex convex_a = ashi_convex_of(pair->a), convex_b = ashi_convex_of(pair->b);
    ash_vec3 *direction = pair->cache != NULL ? &pair->cache->direction : NULL;
    ashi_separation nearest = ashi_convex_separation(&convex_a, &convex_b, pair->b_in_a, direction);
    *axis = (ashi_axis){.normal = nearest.normal, .separation = nearest.distance};
    manifold->normal = nearest.normal;
    manifold->count = 1;
    manifold->points[0] = (ashi_manifold_point){nearest.on_a, -nearest.distance, ASHI_FEATURE_NEAREST};
    if (nearest.distance > pair->margin)
        return false;
    ash_vec3 in_b = q_unrotate(pair->b_in_a.rotation, v3_neg(nearest.normal));
    if (find_face(a, nearest.normal, &axis->a))
        axis->kind = ASHI_AXIS_FACE_OF_A;
    else if (find_face(b, in_b, &axis->b))
        axis->kind = ASHI_AXIS_FACE_OF_B;
    else
        return false;
    return true;
}

static void touch_large(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b, ashi_manifold *m)
{
    ashi_axis axis;
    double thickness = a->thickness < b->thickness ? a->thickness : b->thickness;
    ashi_manifold single;
    if (find_axis_of_large(pair, a, b, &axis, m)) {
        single.normal = m->normal;
        single.points[0] = m->points[0];
        if (ashi_face_manifold(pair, a, b, &axis, ashi_face_slack(axis.separation, thickness), m))
            return;
        m->normal = single.normal;
        m->points[0] = single.points[0];
        m->count = 1;
    } else if (!(axis.separation <= pair->margin)) {
        m->count = 0;
    }
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

static void touch_small(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b, ashi_manifold *m)
{
    ashi_pair_cache *cache = pair->cache;
    double thickness = a->thickness < b->thickness ? a->thickness : b->thickness;
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
    bool found = axis.kind == ASHI_AXIS_EDGES ? ashi_edge_manifold(pair, a, b, &axis, m)
                                              : ashi_face_manifold(pair, a, b, &axis, slack, m);
    if (!found)
        ashi_polyhedra_nearest(pair, m);
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
        touch_small(pair, &a, &b, m);
    else
        touch_large(pair, &a, &b, m);
    if (m->count == 0)
        manifolds->count--;
    else
        ashi_manifold_settle(m, ASHI_MANIFOLD_POINTS, pair);
    return true;
}
