/* Compounds against everything, part by part. Parts whose boxes, kept with the compound, miss the box of the other
 * geometry are skipped. Manifolds come in the order of the parts (those of a first), and nothing is remembered from
 * step to step: the cache of a pair has room for one pair of simple shapes only.
 *
 * A manifold names the part of the outermost compound. What a part itself would name (its triangle, the part of an
 * inner compound) goes into the points' features, so that they stay distinct. */
#include "collide/pairs.h"
#include "shape/geometry.h"

static bool overlap(const ash_bounds *a, const ash_bounds *b, double margin)
{
    return a->lower.x - margin <= b->upper.x && b->lower.x - margin <= a->upper.x &&
           a->lower.y - margin <= b->upper.y && b->lower.y - margin <= a->upper.y &&
           a->lower.z - margin <= b->upper.z && b->lower.z - margin <= a->upper.z;
}

static void enter_part(uint32_t *part, uint32_t outer, ashi_manifold *manifold)
{
    for (uint32_t k = 0; k < manifold->count; k++)
        manifold->points[k].feature ^= *part * 0x9e3779b1u; /* odd, so that different parts stay different */
    *part = outer;
}

static bool collide_part_of_a(const ashi_pair *pair, uint32_t number, ashi_manifolds *manifolds)
{
    const ash_geometry_part *part = &pair->a->def.parts[number];
    ashi_pair one = *pair;
    one.a = part->geometry;
    one.b_in_a = t_mul(t_inverse(part->pose), pair->b_in_a);
    one.cache = NULL;
    uint32_t first = manifolds->count;
    if (!ashi_collide(&one, manifolds))
        return false;
    for (uint32_t i = first; i < manifolds->count; i++) {
        ashi_manifold *m = &manifolds->data[i];
        m->normal = q_rotate(part->pose.rotation, m->normal);
        for (uint32_t k = 0; k < m->count; k++)
            m->points[k].on_a = t_point(part->pose, m->points[k].on_a);
        enter_part(&m->part_a, number, m);
    }
    return true;
}

static bool collide_part_of_b(const ashi_pair *pair, uint32_t number, ashi_manifolds *manifolds)
{
    const ash_geometry_part *part = &pair->b->def.parts[number];
    ashi_pair one = *pair;
    one.b = part->geometry;
    one.b_in_a = t_mul(pair->b_in_a, part->pose);
    one.cache = NULL;
    uint32_t first = manifolds->count;
    if (!ashi_collide(&one, manifolds))
        return false;
    for (uint32_t i = first; i < manifolds->count; i++)
        enter_part(&manifolds->data[i].part_b, number, &manifolds->data[i]);
    return true;
}

bool ashi_collide_compound_any(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    /* Two compounds: the parts of a here, each of which then meets those of b. */
    bool of_a = pair->a->def.kind == ASH_GEOMETRY_COMPOUND;
    const ash_geometry *compound = of_a ? pair->a : pair->b;
    ash_bounds other =
        of_a ? ash_geometry_bounds(pair->b, pair->b_in_a) : ash_geometry_bounds(pair->a, t_inverse(pair->b_in_a));
    for (uint32_t i = 0; i < compound->def.part_count; i++) {
        if (!overlap(&compound->part_bounds[i], &other, pair->margin))
            continue;
        if (!(of_a ? collide_part_of_a(pair, i, manifolds) : collide_part_of_b(pair, i, manifolds)))
            return false;
    }
    return true;
}
