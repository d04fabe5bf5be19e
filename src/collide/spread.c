/* Samples of a flat face are all equally deep, and those on its interpolated edges are less deep by a small part of a
 * cell. The corners of the equally deep ones carry the face: the farthest from the middle, the farthest from that, and
 * on each side of the line between them the one that adds the largest triangle. */
#include "collide/spread.h"

typedef struct choice {
    uint32_t number[4];
    uint32_t count;
    double width, area; /* between the first two, squared; twice the area */
} choice;

static double area_at(const ashi_manifold *m, uint32_t i, uint32_t j, uint32_t k)
{
    ash_vec3 u = v3_sub(m->points[j].on_a, m->points[i].on_a), v = v3_sub(m->points[k].on_a, m->points[i].on_a);
    return v3_dot(m->normal, v3_cross(u, v));
}

/* The point of at least `depth` that is farthest from a place, seen along the normal. */
static uint32_t farthest(const ashi_manifold *m, ash_vec3 place, double depth)
{
    uint32_t best = 0;
    double most = -1;
    for (uint32_t i = 0; i < m->count; i++) {
        double distance = v3_norm2(v3_cross(m->normal, v3_sub(m->points[i].on_a, place)));
        if (m->points[i].depth >= depth && distance > most) {
            most = distance;
            best = i;
        }
    }
    return best;
}

/* Four outermost points among those of at least `depth`. */
static choice outermost(const ashi_manifold *m, double depth)
{
    choice c = {.count = 2};
    ash_vec3 middle = v3(0, 0, 0);
    uint32_t number = 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->points[i].depth >= depth) {
            middle = v3_add(middle, m->points[i].on_a);
            number++;
        }
    c.number[0] = farthest(m, v3_scale(middle, 1.0 / number), depth);
    c.number[1] = farthest(m, m->points[c.number[0]].on_a, depth);
    ash_vec3 line = v3_sub(m->points[c.number[1]].on_a, m->points[c.number[0]].on_a);
    c.width = v3_norm2(v3_cross(m->normal, line));
    for (int side = 1; side >= -1; side -= 2) {
        double most = 0;
        for (uint32_t i = 0; i < m->count; i++) {
            double area = side * area_at(m, c.number[0], c.number[1], i);
            if (m->points[i].depth >= depth && area > most) {
                most = area;
                c.number[c.count] = i;
            }
        }
        c.count += most > 1e-9 * c.width;
        c.area += most;
    }
    return c;
}

void ashi_manifold_spread(ashi_manifold *manifold, double slack)
{
    if (manifold->count <= ASHI_MANIFOLD_POINTS)
        return;
    double deepest = -INFINITY;
    for (uint32_t i = 0; i < manifold->count; i++)
        deepest = fmax(deepest, manifold->points[i].depth);
    choice deep = outermost(manifold, deepest - slack), all = outermost(manifold, -INFINITY);
    if (deep.width < all.width / 4 || deep.area < all.area / 2) {
        ashi_manifold_reduce(manifold, ASHI_MANIFOLD_POINTS);
        return;
    }
    if (deep.number[0] == deep.number[1]) /* all at one place */
        deep.count = 1;
    ashi_manifold_point kept[4];
    for (uint32_t i = 0; i < deep.count; i++)
        kept[i] = manifold->points[deep.number[i]];
    manifold->count = deep.count;
    for (uint32_t i = 0; i < deep.count; i++)
        manifold->points[i] = kept[i];
}
