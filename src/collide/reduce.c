/* Reduction of manifolds: at most four points (flat worlds: two) that keep the depth and most of the area.
 *
 * The deepest point comes first, so that the depth of a manifold is never lost; then the farthest from it; then, on
 * each side of the line through these two, the point that adds the largest triangle. Among candidates that are equal up
 * to rounding the smallest feature wins. In a pile the candidates of a resting face differ by less than its jitter, so
 * the last choice is kept until it loses a feature, a tenth of the area, or a noticeable part of the depth. */
#include "collide/reduce.h"

/* Tolerance for equality, relative to the spread of the points and to the largest candidate. */
#define EQUAL 1e-6
/* Points nearer to others than this share of the spread add nothing. */
#define TOGETHER 1e-3
/* How much worse the last choice may become. */
#define KEPT_AREA           0.9
#define KEPT_DEPTH          0.05
#define KEPT_DEPTH_OF_WIDTH 1e-4

/* The number of the candidate with the largest score; among those within `slack` of it, the one with the smallest
 * feature. */
static uint32_t largest(const ashi_spot *spots, const double *scores, uint32_t count, double slack)
{
    double most = -INFINITY;
    for (uint32_t i = 0; i < count; i++)
        most = scores[i] > most ? scores[i] : most;
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (scores[i] >= most - slack && (best == UINT32_MAX || spots[i].feature < spots[best].feature))
            best = i;
    return best == UINT32_MAX ? 0 : best; /* all scores NaN */
}

/* Twice the signed area of the triangle. */
static double area(const ashi_spot *a, const ashi_spot *b, const ashi_spot *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static double square_of_distance(const ashi_spot *a, const ashi_spot *b)
{
    return (b->x - a->x) * (b->x - a->x) + (b->y - a->y) * (b->y - a->y);
}

/* The size of a choice: for two its length, for three twice the area of the triangle, for four of the quadrilateral,
 * whose diagonals span the largest of the three possible areas. */
static double size(const ashi_spot *spots, const uint32_t *chosen, uint32_t count)
{
    if (count < 2)
        return 0;
    const ashi_spot *a = &spots[chosen[0]], *b = &spots[chosen[1]];
    if (count == 2)
        return sqrt(square_of_distance(a, b));
    const ashi_spot *c = &spots[chosen[2]];
    if (count == 3)
        return fabs(area(a, b, c));
    const ashi_spot *d = &spots[chosen[3]];
    double ac_bd = fabs((c->x - a->x) * (d->y - b->y) - (c->y - a->y) * (d->x - b->x));
    double ab_cd = fabs((b->x - a->x) * (d->y - c->y) - (b->y - a->y) * (d->x - c->x));
    double ad_bc = fabs((d->x - a->x) * (c->y - b->y) - (d->y - a->y) * (c->x - b->x));
    double most = ac_bd > ab_cd ? ac_bd : ab_cd;
    return most > ad_bc ? most : ad_bc;
}

static double deepest_of(const ashi_spot *spots, const uint32_t *chosen, uint32_t count)
{
    double depth = spots[chosen[0]].depth;
    for (uint32_t i = 1; i < count; i++)
        depth = spots[chosen[i]].depth > depth ? spots[chosen[i]].depth : depth;
    return depth;
}

void ashi_sort_numbers(uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && numbers[k - 1] > numbers[k]; k--) {
            uint32_t swapped = numbers[k];
            numbers[k] = numbers[k - 1];
            numbers[k - 1] = swapped;
        }
}

/* The largest triangles on both sides of the line from a to b: their spots and twice their areas. */
typedef struct wings {
    uint32_t left, right;
    double left_area, right_area;
} wings;

static wings spread_wings(const ashi_spot *spots, uint32_t count, const ashi_spot *a, const ashi_spot *b, double slack)
{
    double scores[ASHI_MANIFOLD_MOST] = {0};
    wings w;
    for (uint32_t i = 0; i < count; i++)
        scores[i] = area(a, b, &spots[i]);
    w.left = largest(spots, scores, count, slack);
    w.left_area = area(a, b, &spots[w.left]);
    for (uint32_t i = 0; i < count; i++)
        scores[i] = -scores[i];
    w.right = largest(spots, scores, count, slack);
    w.right_area = -area(a, b, &spots[w.right]);
    return w;
}

/* The sum of the two areas, or with `one_side` the larger. */
static double wing_area(const ashi_spot *spots, uint32_t count, const ashi_spot *a, const ashi_spot *b, bool one_side)
{
    double left = 0, right = 0;
    for (uint32_t i = 0; i < count; i++) {
        double side = area(a, b, &spots[i]);
        left = side > left ? side : left;
        right = -side > right ? -side : right;
    }
    return one_side ? (left > right ? left : right) : left + right;
}

/* The third and fourth spot: the wings that are not empty, or the larger one only. */
static uint32_t add_wings(const ashi_spot *spots, uint32_t count, double slack, bool one_side, uint32_t *chosen)
{
    wings w = spread_wings(spots, count, &spots[chosen[0]], &spots[chosen[1]], slack);
    uint32_t number = 2;
    bool left_larger = w.left_area >= w.right_area;
    if (w.left_area > slack && (left_larger || !one_side))
        chosen[number++] = w.left;
    if (w.right_area > slack && (!left_larger || !one_side))
        chosen[number++] = w.right;
    return number;
}

/* A choice that depends only on the spots. */
static uint32_t choose(const ashi_spot *spots, uint32_t count, uint32_t most, uint32_t *chosen)
{
    double scores[ASHI_MANIFOLD_MOST], spread = 0;
    for (uint32_t i = 0; i < count; i++) {
        double from_first = square_of_distance(&spots[0], &spots[i]);
        spread = from_first > spread ? from_first : spread;
        scores[i] = spots[i].depth;
    }
    chosen[0] = largest(spots, scores, count, EQUAL * sqrt(spread));
    const ashi_spot *a = &spots[chosen[0]];
    double slack = EQUAL * spread, farthest = 0;
    if (most > 2) { /* opposite: the spot with the largest sum of triangles on both sides */
        for (uint32_t i = 0; i < count; i++)
            scores[i] = wing_area(spots, count, a, &spots[i], most == 3);
        chosen[1] = largest(spots, scores, count, slack);
        if (wing_area(spots, count, a, &spots[chosen[1]], most == 3) > slack)
            return add_wings(spots, count, slack, most == 3, chosen);
    }
    for (uint32_t i = 0; i < count; i++) { /* all on a line, or two wanted: the farthest */
        scores[i] = square_of_distance(a, &spots[i]);
        farthest = scores[i] > farthest ? scores[i] : farthest;
    }
    chosen[1] = largest(spots, scores, count, slack);
    return most == 1 || farthest == 0 ? 1 : 2;
}

/* Finds the spots with the kept features; 0 when one of them is missing. */
static uint32_t find(const ashi_spot *spots, uint32_t count, uint32_t most, const uint32_t *kept, uint32_t *found)
{
    uint32_t number = 0;
    for (uint32_t k = 0; k < most && kept[k] != 0; k++) {
        uint32_t i = 0;
        while (i < count && spots[i].feature != kept[k])
            i++;
        if (i == count)
            return 0;
        found[number++] = i;
    }
    return number;
}

uint32_t ashi_reduce_as_before(const ashi_spot *spots, uint32_t count, uint32_t most, const uint32_t *kept,
                               uint32_t *chosen, uint32_t number)
{
    uint32_t old[ASHI_MANIFOLD_POINTS], found = find(spots, count, most, kept, old);
    bool comparable = found == number || (found > 2 && number > 2); /* both a length or both an area */
    if (found == 0 || !comparable)
        return number;
    double width = 0, depth = deepest_of(spots, chosen, number);
    for (uint32_t i = 1; i < count; i++) {
        double from_first = square_of_distance(&spots[0], &spots[i]);
        width = from_first > width ? from_first : width;
    }
    double slack = KEPT_DEPTH * fabs(depth) + KEPT_DEPTH_OF_WIDTH * sqrt(width);
    if (deepest_of(spots, old, found) < depth - slack ||
        size(spots, old, found) < KEPT_AREA * size(spots, chosen, number))
        return number;
    for (uint32_t i = 0; i < found; i++)
        chosen[i] = old[i];
    return found;
}

uint32_t ashi_reduce(const ashi_spot *spots, uint32_t count, uint32_t most, const uint32_t *kept,
                     uint32_t chosen[ASHI_MANIFOLD_POINTS])
{
    most = most < ASHI_MANIFOLD_POINTS ? most : ASHI_MANIFOLD_POINTS;
    if (count <= most) {
        for (uint32_t i = 0; i < count; i++)
            chosen[i] = i;
        return count;
    }
    if (most == 0)
        return 0;
    uint32_t number = choose(spots, count, most, chosen);
    if (kept != NULL)
        number = ashi_reduce_as_before(spots, count, most, kept, chosen, number);
    ashi_sort_numbers(chosen, number);
    return number;
}

/* Of c from the line between a and b. */
static double square_to_segment(const ashi_spot *a, const ashi_spot *b, const ashi_spot *c)
{
    double dx = b->x - a->x, dy = b->y - a->y, length2 = dx * dx + dy * dy;
    double along = length2 > 0 ? ((c->x - a->x) * dx + (c->y - a->y) * dy) / length2 : 0;
    along = along > 0 ? along < 1 ? along : 1 : 0;
    ashi_spot nearest = {.x = a->x + along * dx, .y = a->y + along * dy};
    return square_of_distance(&nearest, c);
}

uint32_t ashi_spots_apart(const ashi_spot *spots, uint32_t count, uint32_t *chosen)
{
    double extent2 = 0;
    uint32_t number = count;
    for (uint32_t i = 0; i < count; i++) {
        chosen[i] = i;
        extent2 = fmax(extent2, square_of_distance(&spots[0], &spots[i]));
    }
    for (uint32_t i = count; i-- > 0;) {
        bool apart = true;
        for (uint32_t j = 0; j < number && apart; j++)
            for (uint32_t k = j; k < number && apart && chosen[j] != i; k++)
                apart = chosen[k] == i || square_to_segment(&spots[chosen[j]], &spots[chosen[k]], &spots[i]) >
                                              TOGETHER * TOGETHER * extent2;
        number -= !apart;
        for (uint32_t k = i; k < number && !apart; k++) /* those after i are all there or moved up */
            chosen[k] = chosen[k + 1];
    }
    return number;
}

void ashi_spots_of(const ashi_manifold *manifold, ashi_spot *spots)
{
    ash_vec3 along = v3_perpendicular(manifold->normal), across = v3_cross(manifold->normal, along);
    for (uint32_t i = 0; i < manifold->count; i++) {
        const ashi_manifold_point *p = &manifold->points[i];
        ash_vec3 offset = v3_sub(p->on_a, manifold->points[0].on_a);
        spots[i] = (ashi_spot){v3_dot(offset, along), v3_dot(offset, across), p->depth, p->feature};
    }
}

void ashi_manifold_keep(ashi_manifold *manifold, const uint32_t *chosen, uint32_t count)
{
    manifold->count = count;
    for (uint32_t i = 0; i < count; i++) /* ascending: nothing is overwritten before it is read */
        manifold->points[i] = manifold->points[chosen[i]];
}

static void reduce(ashi_manifold *manifold, uint32_t most, const uint32_t *kept)
{
    if (manifold->count <= most)
        return;
    ashi_spot spots[ASHI_MANIFOLD_MOST];
    uint32_t chosen[ASHI_MANIFOLD_POINTS];
    ashi_spots_of(manifold, spots);
    ashi_manifold_keep(manifold, chosen, ashi_reduce(spots, manifold->count, most, kept, chosen));
}

void ashi_manifold_reduce(ashi_manifold *manifold, uint32_t most)
{
    reduce(manifold, most, NULL);
}

/* Leaves out points that lie where others do. */
static void part(ashi_manifold *manifold)
{
    ashi_spot spots[ASHI_MANIFOLD_MOST];
    uint32_t chosen[ASHI_MANIFOLD_MOST];
    ashi_spots_of(manifold, spots);
    ashi_manifold_keep(manifold, chosen, ashi_spots_apart(spots, manifold->count, chosen));
}

void ashi_manifold_settle(ashi_manifold *manifold, uint32_t most, const ashi_pair *pair)
{
    ashi_pair_cache *cache = pair->cache;
    if (!pair->keep_all_points)
        reduce(manifold, most, cache != NULL ? cache->kept : NULL);
    else
        part(manifold);
    if (cache != NULL)
        ashi_note_kept(cache, manifold);
}
