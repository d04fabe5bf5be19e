/* Samples of a flat face are all equally deep, and those on its interpolated edges are less deep by a small part of a
 * cell. The corners of the equally deep ones carry the face: the farthest from the middle, the farthest from that, and
 * on each side of the line between them the one that adds the largest triangle. Smaller differences than a body's
 * jitter would change this selection, so the last choice is kept as long as it is nearly as good (reduce.h). A pair may
 * have several manifolds: each finds its last choice by its features. */
#include "collide/spread.h"

#include "collide/reduce.h"

typedef struct choice {
    uint32_t number[4];
    uint32_t count;
    double width, area; /* between the first two, squared; twice the area */
} choice;

static double area_at(const ashi_spot *a, const ashi_spot *b, const ashi_spot *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* The spot of at least `depth` that is farthest from a point; its squared distance. */
static uint32_t farthest(const ashi_spot *spots, uint32_t count, double x, double y, double depth, double *distance)
{
    uint32_t best = 0;
    *distance = -1;
    for (uint32_t i = 0; i < count; i++) {
        double away = (spots[i].x - x) * (spots[i].x - x) + (spots[i].y - y) * (spots[i].y - y);
        if (spots[i].depth >= depth && away > *distance) {
            *distance = away;
            best = i;
        }
    }
    return best;
}

/* Four outermost spots among those of at least `depth`. */
static choice outermost(const ashi_spot *spots, uint32_t count, double depth)
{
    choice c = {.count = 2};
    double x = 0, y = 0, unused;
    uint32_t number = 0;
    for (uint32_t i = 0; i < count; i++)
        if (spots[i].depth >= depth) {
            x += spots[i].x;
            y += spots[i].y;
            number++;
        }
    c.number[0] = farthest(spots, count, x / number, y / number, depth, &unused);
    const ashi_spot *first = &spots[c.number[0]];
    c.number[1] = farthest(spots, count, first->x, first->y, depth, &c.width);
    if (c.width <= 0) { /* all at one place */
        c.count = 1;
        return c;
    }
    for (int side = 1; side >= -1; side -= 2) {
        double most = 0;
        for (uint32_t i = 0; i < count; i++) {
            double area = side * area_at(first, &spots[c.number[1]], &spots[i]);
            if (spots[i].depth >= depth && area > most) {
                most = area;
                c.number[c.count] = i;
            }
        }
        c.count += most > 1e-9 * c.width;
        c.area += most;
    }
    return c;
}

/* A choice that depends only on the spots. */
static uint32_t choose(const ashi_spot *spots, uint32_t count, double slack, uint32_t chosen[ASHI_MANIFOLD_POINTS])
{
    double deepest = -INFINITY;
    for (uint32_t i = 0; i < count; i++)
        deepest = fmax(deepest, spots[i].depth);
    choice deep = outermost(spots, count, deepest - slack), all = outermost(spots, count, -INFINITY);
    if (deep.width < all.width / 4 || deep.area < all.area / 2)
        return ashi_reduce(spots, count, ASHI_MANIFOLD_POINTS, NULL, chosen);
    for (uint32_t i = 0; i < deep.count; i++)
        chosen[i] = deep.number[i];
    return deep.count;
}

void ashi_manifold_spread(ashi_manifold *manifold, double slack, const uint32_t *kept)
{
    uint32_t count = manifold->count, chosen[ASHI_MANIFOLD_POINTS];
    if (count <= ASHI_MANIFOLD_POINTS)
        return;
    ashi_spot spots[ASHI_MANIFOLD_MOST];
    ashi_spots_of(manifold, spots);
    uint32_t number = choose(spots, count, slack, chosen);
    for (uint32_t g = 0; kept != NULL && g < ASHI_KEPT_MOST; g += ASHI_MANIFOLD_POINTS)
        number = ashi_reduce_as_before(spots, count, ASHI_MANIFOLD_POINTS, kept + g, chosen, number);
    ashi_sort_numbers(chosen, number);
    ashi_manifold_keep(manifold, chosen, number);
}

static uint32_t add_number(uint32_t *numbers, uint32_t count, uint32_t number)
{
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return count;
    numbers[count] = number;
    return count + 1;
}

void ashi_manifold_make_room(ashi_manifold *manifold, double slack, const uint32_t *kept)
{
    uint32_t count = manifold->count, staying[ASHI_MANIFOLD_POINTS + ASHI_KEPT_MOST];
    ashi_spot spots[ASHI_MANIFOLD_MOST];
    ashi_spots_of(manifold, spots);
    uint32_t number = choose(spots, count, slack, staying);
    for (uint32_t k = 0; kept != NULL && k < ASHI_KEPT_MOST; k++) {
        uint32_t i = 0;
        while (i < count && (kept[k] == 0 || spots[i].feature != kept[k]))
            i++;
        if (i < count)
            number = add_number(staying, number, i);
    }
    ashi_sort_numbers(staying, number);
    ashi_manifold_keep(manifold, staying, number);
}

void ashi_note_spread(ashi_pair_cache *cache, const ashi_manifold *manifolds, uint32_t count)
{
    uint32_t noted = 0;
    for (uint32_t i = 0; i < count && noted < ASHI_KEPT_MOST; i++)
        for (uint32_t k = 0; k < ASHI_MANIFOLD_POINTS && manifolds[i].count > 1; k++)
            cache->kept[noted++] = k < manifolds[i].count ? manifolds[i].points[k].feature : 0;
    while (noted < ASHI_KEPT_MOST)
        cache->kept[noted++] = 0;
}
