/* Compounds against everything, part by part. Parts whose boxes, kept with the compound, miss the box of the other
 * geometry are skipped. Manifolds come in the order of the parts (those of a first).
 *
 * A manifold names the part of the outermost compound. Parts of inner compounds go into `inner` and into the points'
 * features, so that these stay distinct. The triangle of a part that is a mesh is not named: which of the touched
 * triangles names a manifold changes as the body slides.
 *
 * A pair's cache has room for one pair of simple shapes only. Each pair of parts gets a cache of its own, made from the
 * contacts that the two had in the last step: their features are the choice to keep, their axis is the last one. */
#include "collide/contact_set.h"
#include "collide/pairs.h"
#include "math/bounds.h"
#include "shape/geometry.h"

static uint32_t mixed(uint32_t part)
{
    return part * 0x9e3779b1u; /* odd, so that different parts stay different */
}

static bool is_compound(const ash_geometry *geometry)
{
    return geometry->functions->parts;
}

/* Restricts the query to a part: `entered` and `outermost` are those of its side. */
static void enter(ashi_last *last, bool *entered, uint32_t *outermost, uint32_t number)
{
    if (*entered)
        last->inner ^= mixed(number);
    else
        *outermost = number;
    *entered = true;
}

/* Collides one part, with its cached data if the other side is not a compound with parts left. */
static bool collide_part(ashi_pair *one, ashi_manifolds *manifolds)
{
    bool simple = !is_compound(one->a) && !is_compound(one->b);
    ashi_pair_cache cache = {0};
    if (simple)
        cache.axis = ashi_recall_kept(&one->last, cache.kept);
    one->cache = simple ? &cache : NULL;
    uint32_t first = manifolds->count;
    if (!ashi_collide(one, manifolds))
        return false;
    for (uint32_t i = first; i < manifolds->count && simple; i++) {
        ashi_manifold *m = &manifolds->data[i];
        m->axis = cache.axis;
        m->part_a = one->last.entered_a ? 0 : m->part_a;
        m->part_b = one->last.entered_b ? 0 : m->part_b;
    }
    return true;
}

/* Replaces the part named by the inner geometry by the part of the outer compound. */
static void leave(uint32_t *part, uint32_t outer, ashi_manifold *manifold)
{
    for (uint32_t k = 0; k < manifold->count; k++)
        manifold->points[k].feature ^= mixed(*part);
    manifold->inner ^= mixed(*part);
    *part = outer;
}

static bool collide_part_of_a(const ashi_pair *pair, uint32_t number, ashi_manifolds *manifolds)
{
    const ash_geometry_part *part = &pair->a->def.parts[number];
    ashi_pair one = *pair;
    one.a = part->geometry;
    one.b_in_a = t_mul(t_inverse(part->pose), pair->b_in_a);
    enter(&one.last, &one.last.entered_a, &one.last.part_a, number);
    uint32_t first = manifolds->count;
    if (!collide_part(&one, manifolds))
        return false;
    for (uint32_t i = first; i < manifolds->count; i++) {
        ashi_manifold *m = &manifolds->data[i];
        m->normal = q_rotate(part->pose.rotation, m->normal);
        for (uint32_t k = 0; k < m->count; k++)
            m->points[k].on_a = t_point(part->pose, m->points[k].on_a);
        leave(&m->part_a, number, m);
    }
    return true;
}

static bool collide_part_of_b(const ashi_pair *pair, uint32_t number, ashi_manifolds *manifolds)
{
    const ash_geometry_part *part = &pair->b->def.parts[number];
    ashi_pair one = *pair;
    one.b = part->geometry;
    one.b_in_a = t_mul(pair->b_in_a, part->pose);
    enter(&one.last, &one.last.entered_b, &one.last.part_b, number);
    uint32_t first = manifolds->count;
    if (!collide_part(&one, manifolds))
        return false;
    for (uint32_t i = first; i < manifolds->count; i++)
        leave(&manifolds->data[i].part_b, number, &manifolds->data[i]);
    return true;
}

bool ashi_collide_compound_any(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    /* Two compounds: the parts of a here, each of which then meets those of b. */
    bool of_a = is_compound(pair->a);
    const ash_geometry *compound = of_a ? pair->a : pair->b;
    ash_bounds other =
        of_a ? ash_geometry_bounds(pair->b, pair->b_in_a) : ash_geometry_bounds(pair->a, t_inverse(pair->b_in_a));
    other = bounds_enlarged(other, pair->margin);
    for (uint32_t i = 0; i < compound->def.part_count; i++) {
        if (!bounds_overlap(&compound->part_bounds[i], &other))
            continue;
        if (!(of_a ? collide_part_of_a(pair, i, manifolds) : collide_part_of_b(pair, i, manifolds)))
            return false;
    }
    return true;
}
