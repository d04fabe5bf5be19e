/* Crowds: more shapes in one place than any packing holds, as when thousands of bodies start at the same point. There
 * the number of pairs, and with it memory and time, grows with the square of the number of shapes; so some are left
 * out, and this is flagged.
 *
 * The pair (a, b) is the k-th of a's with shapes of higher slots and the m-th of b's with those of lower ones, counted
 * from the nearest slot. It is left out if both k and m exceed a bound. So at most twice the bound remains per shape,
 * shapes in one place remain connected like a band, and a large shape keeps all its many small neighbours, since these
 * have few. Pairs with a shape that no force moves are always kept: nothing falls through a floor.
 *
 * The broad phase already leaves out overlapping boxes beyond a million plus 128 per shape (broad_pairs.c). Then
 * candidates are thinned out, with a generous bound, since boxes of slender shapes often overlap. Finally, when
 * contacts are known, pairs that overlap deeply are thinned out: they occur in no packing, and few contacts suffice to
 * separate them.
 *
 * If a million pairs are left out, the rest is not worth a long solve: such a crowd is large. */
#include "collide/broad/broad_limit.h"
#include "contact/collision.h"

#include <string.h>

#define MOST_NEIGHBOURS 64   /* candidates with shapes of higher, or lower, slots */
#define MOST_DEEP       8    /* the same of deep overlaps */
#define DEEP            0.25 /* of the thinner shape's thickness */
#define LARGE           1000000u

bool ashi_crowd_is_large(const ashi_collision *c)
{
    return c->dropped > LARGE;
}

static bool is_free(const ashi_model *model, uint32_t shape)
{
    return (model->bodies.motion[model->shapes.entries.data[shape].body] & (ASHI_DYNAMIC | ASHI_ASLEEP)) != 0;
}

static void forget_counts(ashi_collision *c)
{
    for (uint32_t i = 0; i < c->colliders.count; i++)
        c->colliders.data[i].neighbours = 0;
}

/* Whether a shape that can move has more candidates of higher slots than are always kept. */
static bool some_are_crowded(const ashi_collision *c, const ashi_model *model)
{
    const ashi_broad_pair *pairs = c->pairs.data;
    for (uint32_t i = MOST_NEIGHBOURS; i < c->pairs.count; i++)
        if (pairs[i].a == pairs[i - MOST_NEIGHBOURS].a && is_free(model, pairs[i].a))
            return true;
    return false;
}

void ashi_crowd_thin_pairs(ashi_collision *c, const ashi_model *model)
{
    ashi_broad_pair *pairs = c->pairs.data;
    uint32_t kept = c->pairs.count; /* from here on, to the end */
    c->dropped = ashi_broad_left_out(c->broad);
    if (!some_are_crowded(c, model))
        return;
    forget_counts(c);
    for (uint32_t begin, end = c->pairs.count; end > 0; end = begin) {
        uint32_t a = pairs[end - 1].a;
        for (begin = end - 1; begin > 0 && pairs[begin - 1].a == a;)
            begin--;
        bool free = is_free(model, a);
        for (uint32_t i = end; i > begin; i--) {
            ashi_broad_pair pair = pairs[i - 1];
            if (!free || !is_free(model, pair.b) || ++c->colliders.data[pair.b].neighbours <= MOST_NEIGHBOURS ||
                i - begin <= MOST_NEIGHBOURS)
                pairs[--kept] = pair;
        }
    }
    c->dropped = kept > UINT32_MAX - c->dropped ? UINT32_MAX : c->dropped + kept;
    c->pairs.count -= kept;
    if (kept > 0)
        memmove(pairs, pairs + kept, c->pairs.count * sizeof *pairs);
}

bool ashi_crowd_is_deep(const ashi_collision *c, const ashi_model *model, const ashi_contact_pair *pair, double depth)
{
    double a = c->colliders.data[pair->a].thickness, b = c->colliders.data[pair->b].thickness;
    double thinner = a < b ? a : b;
    return depth > DEEP * thinner && thinner > 0 && !pair->sensor && is_free(model, pair->a) && is_free(model, pair->b);
}

uint32_t ashi_crowd_end_of_batch(const ashi_collision *c, const ashi_model *model, uint32_t begin, uint32_t size)
{
    const ashi_broad_pair *pairs = c->pairs.data;
    if (c->pairs.count - begin <= size)
        return c->pairs.count;
    uint32_t end = begin + size;
    while (end < c->pairs.count && pairs[end].a == pairs[end - 1].a && is_free(model, pairs[end].a))
        end++;
    return end;
}

bool ashi_crowd_is_thick(const ashi_collision *c, uint32_t begin, uint32_t end)
{
    const ashi_contact_pair *pairs = c->now.pairs.data;
    uint32_t deep = 0;
    for (uint32_t i = 0; i < c->pieces.count; i++)
        deep += c->pieces.data[i].deep;
    if (deep <= MOST_DEEP)
        return false;
    deep = 0;
    for (uint32_t i = begin; i < end && deep <= MOST_DEEP; i++)
        deep = (i > begin && pairs[i].a == pairs[i - 1].a ? deep : 0) + pairs[i].deep;
    return deep > MOST_DEEP;
}

void ashi_crowd_thin_contacts(ashi_collision *c, uint32_t first)
{
    ashi_contact_pair *pairs = c->now.pairs.data;
    forget_counts(c);
    for (uint32_t begin, end = c->now.pairs.count; end > first; end = begin) {
        uint32_t above = 0;
        for (begin = end; begin > first && pairs[begin - 1].a == pairs[end - 1].a; begin--)
            above += pairs[begin - 1].deep;
        for (uint32_t i = end; i > begin && above > 0; i--) {
            ashi_contact_pair *pair = &pairs[i - 1];
            if (!pair->deep)
                continue;
            if (++c->colliders.data[pair->b].neighbours > MOST_DEEP && above > MOST_DEEP) {
                pair->left_out = pair->contact_count;
                ashi_contact_piece *piece = &c->pieces.data[(i - 1 - first) / ASHI_CONTACT_PIECE];
                piece->contacts -= pair->contact_count;
                piece->points -= pair->point_count;
                pair->contact_count = pair->point_count = 0;
                c->dropped++;
            }
            above--;
        }
    }
}
