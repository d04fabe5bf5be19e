/* Outlines: a simple polygon, concave or not, becomes a flat compound of convex polygons. Ears are cut off, the
 * roundest first; then every cut that is not needed for convexity is removed again (Hertel and Mehlhorn 1983), which
 * leaves at most four times the smallest possible number of pieces. All decisions use exact orientations, so that a
 * simple outline always has an ear. The pieces have exactly the corners of the outline: nothing is added or lost.
 */
#include "base/alloc.h"
#include "shape/geometry.h"
#include "shape/orientation.h"

/* The check for crossings takes quadratic time. */
enum { MOST_CORNERS = 20000 };

/* Sine of the turn at a corner below which the side counts as straight, and the share of the area below which a
 * degenerate needle is left out: both far too small to affect the mass properties. */
#define STRAIGHT 1e-13
#define NEEDLE   1e-14

/* A convex piece: a ring of corner numbers, linked by `next` over half edges. Half edge h starts at corner[h]; the
 * outline's own have no twin. */
typedef struct outline {
    const ash_vec3 *points;
    uint32_t count;
    uint32_t *after, *before; /* the remaining outline while ears are cut: the neighbours of each corner */
    double *quality;          /* of the ear at each corner; 0: no ear */
    /* Half edges of the pieces: 3 per triangle. */
    uint32_t *corner, *next, *previous, *twin;
    uint32_t *open; /* the half edge at the cut after each corner that waits for its twin, or NONE */
    uint32_t edges;
} outline;

#define NONE UINT32_MAX

static bool allocate(outline *o, uint32_t count)
{
    o->count = count;
    o->after = ashi_alloc_array(count, sizeof *o->after);
    o->before = ashi_alloc_array(count, sizeof *o->before);
    o->quality = ashi_alloc_array(count, sizeof *o->quality);
    o->open = ashi_alloc_array(count, sizeof *o->open);
    size_t edges = 3 * (size_t)(count - 2);
    o->corner = ashi_alloc_array(edges, sizeof *o->corner);
    o->next = ashi_alloc_array(edges, sizeof *o->next);
    o->previous = ashi_alloc_array(edges, sizeof *o->previous);
    o->twin = ashi_alloc_array(edges, sizeof *o->twin);
    return o->after != NULL && o->before != NULL && o->quality != NULL && o->open != NULL && o->corner != NULL &&
           o->next != NULL && o->previous != NULL && o->twin != NULL;
}

static void release(outline *o)
{
    ashi_dealloc(o->after);
    ashi_dealloc(o->before);
    ashi_dealloc(o->quality);
    ashi_dealloc(o->open);
    ashi_dealloc(o->corner);
    ashi_dealloc(o->next);
    ashi_dealloc(o->previous);
    ashi_dealloc(o->twin);
}

/* Whether q, on the line through p and r, lies between them. */
static bool lies_between(ash_vec3 p, ash_vec3 q, ash_vec3 r)
{
    return fmin(p.x, r.x) <= q.x && q.x <= fmax(p.x, r.x) && fmin(p.y, r.y) <= q.y && q.y <= fmax(p.y, r.y);
}

/* Whether the edges from a to b and from c to d have a point in common. */
static bool meet(ash_vec3 a, ash_vec3 b, ash_vec3 c, ash_vec3 d)
{
    if (fmax(a.x, b.x) < fmin(c.x, d.x) || fmax(c.x, d.x) < fmin(a.x, b.x) || fmax(a.y, b.y) < fmin(c.y, d.y) ||
        fmax(c.y, d.y) < fmin(a.y, b.y))
        return false;
    int of_c = ashi_orientation(a, b, c), of_d = ashi_orientation(a, b, d);
    int of_a = ashi_orientation(c, d, a), of_b = ashi_orientation(c, d, b);
    if (of_c * of_d < 0 && of_a * of_b < 0)
        return true;
    return (of_c == 0 && lies_between(a, c, b)) || (of_d == 0 && lies_between(a, d, b)) ||
           (of_a == 0 && lies_between(c, a, d)) || (of_b == 0 && lies_between(c, b, d));
}

static ash_status crossing(const ash_vec3 *p, uint32_t count, uint32_t i, uint32_t j, ash_diagnostic *diagnostic)
{
    uint32_t k = (i + 1) % count, l = (j + 1) % count;
    ashi_fail(diagnostic, ASH_BAD_DATA, "outline.crossing",
              "the outline's side %u, from (%g, %g) to (%g, %g), meets side %u, from (%g, %g) to (%g, %g)", i, p[i].x,
              p[i].y, p[k].x, p[k].y, j, p[j].x, p[j].y, p[l].x, p[l].y);
    return ashi_expect(diagnostic, "sides that meet only their neighbours, at their corners"), ASH_BAD_DATA;
}

/* Two sides may meet only if one follows the other, and then only in their common corner. */
static ash_status check_simple(const ash_vec3 *p, uint32_t count, ash_diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = (i + 1) % count, l = (i + 2) % count;
        if (p[i].x == p[k].x && p[i].y == p[k].y) {
            ashi_fail(diagnostic, ASH_BAD_DATA, "outline.repeated", "corner %u of the outline, (%g, %g), is repeated",
                      i, p[i].x, p[i].y);
            return ashi_expect(diagnostic, "different corners; the last one does not repeat the first"), ASH_BAD_DATA;
        }
        if (ashi_orientation(p[i], p[k], p[l]) == 0 && !lies_between(p[i], p[k], p[l]))
            return crossing(p, count, i, k, diagnostic);
    }
    for (uint32_t i = 0; i + 2 < count; i++)
        for (uint32_t j = i + 2; j < count - (i == 0); j++)
            if (meet(p[i], p[i + 1], p[j], p[(j + 1) % count]))
                return crossing(p, count, i, j, diagnostic);
    return ASH_OK;
}

/* Four times the area over the sum of the squares of the sides, at corner `tip` of what is left; 0 unless it is an ear:
 * a turn to the left with no other corner in the triangle, its sides included. */
static double ear_quality(const outline *o, uint32_t tip)
{
    uint32_t first = o->before[tip], last = o->after[tip];
    ash_vec3 a = o->points[first], b = o->points[tip], c = o->points[last];
    if (ashi_orientation(a, b, c) <= 0)
        return 0;
    for (uint32_t i = o->after[last]; i != first; i = o->after[i]) {
        ash_vec3 p = o->points[i];
        if (ashi_orientation(c, a, p) >= 0 && ashi_orientation(a, b, p) >= 0 && ashi_orientation(b, c, p) >= 0)
            return 0;
    }
    ash_vec3 ab = v3_sub(b, a), bc = v3_sub(c, b), ca = v3_sub(a, c);
    double roundness = fabs(v3_cross(ab, bc).z) / (v3_norm2(ab) + v3_norm2(bc) + v3_norm2(ca));
    return roundness > 1e-300 ? roundness : 1e-300;
}

/* The next half edge, leading away from a corner; `outside` is what lies across it. */
static uint32_t add_edge(outline *o, uint32_t corner, uint32_t outside)
{
    uint32_t edge = o->edges++;
    o->corner[edge] = corner;
    o->twin[edge] = outside;
    if (outside != NONE)
        o->twin[outside] = edge;
    return edge;
}

static void add_triangle(outline *o, uint32_t tip)
{
    uint32_t first = o->before[tip], last = o->after[tip], base = o->edges;
    add_edge(o, first, o->open[first]);
    add_edge(o, tip, o->open[tip]);
    uint32_t cut = add_edge(o, last, NONE);
    for (uint32_t i = 0; i < 3; i++) {
        o->next[base + i] = base + (i + 1) % 3;
        o->previous[base + i] = base + (i + 2) % 3;
    }
    o->open[first] = cut;
    o->after[first] = last;
    o->before[last] = first;
    o->quality[tip] = 0;
}

/* The corner with the roundest ear; among equals, the lowest number. */
static uint32_t best_ear(const outline *o)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < o->count; i++)
        if (o->quality[i] > o->quality[best])
            best = i;
    return best;
}

static bool cut_ears(outline *o)
{
    for (uint32_t i = 0; i < o->count; i++) {
        o->after[i] = (i + 1) % o->count;
        o->before[i] = (i + o->count - 1) % o->count;
        o->open[i] = NONE;
    }
    for (uint32_t i = 0; i < o->count; i++)
        o->quality[i] = ear_quality(o, i);
    for (uint32_t left = o->count; left > 3; left--) {
        uint32_t tip = best_ear(o);
        if (o->quality[tip] == 0)
            return false;
        uint32_t first = o->before[tip], last = o->after[tip];
        add_triangle(o, tip);
        o->quality[first] = ear_quality(o, first);
        o->quality[last] = ear_quality(o, last);
    }
    uint32_t tip = best_ear(o), last = o->after[tip];
    if (o->quality[tip] == 0)
        return false;
    uint32_t outside = o->open[last];
    add_triangle(o, tip);
    uint32_t closing = o->edges - 1; /* the last triangle's third side is a side of the outline or an earlier cut */
    o->twin[closing] = outside;
    if (outside != NONE)
        o->twin[outside] = closing;
    return true;
}

/* Removes a cut if the two pieces that it separates form a convex polygon. */
static void merge(outline *o, uint32_t edge)
{
    uint32_t other = o->twin[edge];
    if (other == NONE || other < edge)
        return;
    uint32_t in_here = o->previous[edge], out_here = o->next[other];
    uint32_t in_there = o->previous[other], out_there = o->next[edge];
    const ash_vec3 *p = o->points;
    ash_vec3 here = p[o->corner[edge]], there = p[o->corner[other]];
    if (ashi_orientation(p[o->corner[in_here]], here, p[o->corner[o->next[out_here]]]) < 0 ||
        ashi_orientation(p[o->corner[in_there]], there, p[o->corner[o->next[out_there]]]) < 0)
        return;
    o->next[in_here] = out_here;
    o->previous[out_here] = in_here;
    o->next[in_there] = out_there;
    o->previous[out_there] = in_there;
    o->corner[edge] = o->corner[other] = NONE; /* removed */
}

static double doubled_area(const ash_vec3 *p, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 1; i + 1 < count; i++)
        sum += v3_cross(v3_sub(p[i], p[0]), v3_sub(p[i + 1], p[0])).z;
    return sum;
}

/* Collects the piece that a half edge belongs to and marks it as done. A needle gives no piece: null. */
static ash_status make_piece(outline *o, uint32_t start, ash_vec3 *corners, ash_geometry **piece,
                             ash_diagnostic *diagnostic)
{
    uint32_t count = 0, edge = start;
    do {
        corners[count++] = o->points[o->corner[edge]];
        o->corner[edge] = NONE;
        edge = o->next[edge];
    } while (edge != start);
    ash_geometry_def def = {.kind = ASH_GEOMETRY_POLYGON, .points = corners, .point_count = count};
    ash_status status = ash_geometry_create(&def, piece, diagnostic);
    bool needle = doubled_area(corners, count) <= NEEDLE * doubled_area(o->points, o->count);
    return status == ASH_BAD_DATA && needle ? ASH_OK : status;
}

static ash_status make_compound(outline *o, ash_geometry **geometry, ash_diagnostic *diagnostic)
{
    ash_geometry_def def = {.kind = ASH_GEOMETRY_COMPOUND};
    ash_geometry_part *parts = ashi_alloc_array(o->count - 2, sizeof *parts);
    ash_vec3 *corners = ashi_alloc_array(o->count, sizeof *corners);
    ash_status status = parts != NULL && corners != NULL ? ASH_OK : ashi_out_of_memory(diagnostic);
    for (uint32_t i = 0; status == ASH_OK && i < o->edges; i++) {
        if (o->corner[i] == NONE)
            continue;
        ash_geometry *piece;
        status = make_piece(o, i, corners, &piece, diagnostic);
        if (piece != NULL)
            parts[def.part_count++] = (ash_geometry_part){piece, ash_identity()};
    }
    def.parts = parts;
    if (status == ASH_OK)
        status = ash_geometry_create(&def, geometry, diagnostic);
    for (uint32_t i = 0; i < def.part_count; i++)
        ash_geometry_release(parts[i].geometry);
    ashi_dealloc(corners);
    ashi_dealloc(parts);
    return status;
}

/* Corners in the plane, counter-clockwise, without those on straight sides. */
static uint32_t tidy(const ash_vec3 *given, uint32_t count, ash_vec3 *corners)
{
    for (uint32_t i = 0; i < count; i++)
        corners[i] = v3(given[i].x, given[i].y, 0);
    bool clockwise = doubled_area(corners, count) < 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = clockwise ? count - 1 - i : i;
        ash_vec3 here = given[at], in = v3_sub(here, given[(at + count - 1) % count]);
        ash_vec3 out = v3_sub(given[(at + 1) % count], here);
        double sine = in.x * out.y - in.y * out.x, in2 = in.x * in.x + in.y * in.y,
               out2 = out.x * out.x + out.y * out.y;
        if (fabs(sine) > STRAIGHT * sqrt(in2) * sqrt(out2) || in.x * out.x + in.y * out.y < 0)
            corners[kept++] = v3(here.x, here.y, 0);
    }
    return kept;
}

static ash_status decompose(const ash_vec3 *corners, uint32_t count, ash_geometry **geometry,
                            ash_diagnostic *diagnostic)
{
    outline o = {.points = corners};
    ash_status status = ASH_OK;
    if (!allocate(&o, count))
        status = ashi_out_of_memory(diagnostic);
    else if (!cut_ears(&o))
        status = ashi_fail(diagnostic, ASH_BAD_DATA, "outline.no-area", "the outline has no area except for rounding");
    if (status == ASH_OK) {
        for (uint32_t i = 0; i < o.edges; i++)
            merge(&o, i);
        status = make_compound(&o, geometry, diagnostic);
    }
    release(&o);
    return status;
}

static ash_status check(const ash_vec3 *points, uint32_t count, ash_diagnostic *diagnostic)
{
    if (points == NULL || count < 3 || count > MOST_CORNERS) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.points", "the outline has %u corners%s", count,
                  points == NULL ? " and no array of them" : "");
        return ashi_expect(diagnostic, "3 to %d", (int)MOST_CORNERS), ASH_BAD_DATA;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!v3_is_finite(points[i])) {
            ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.points", "corner %u of the outline is (%g, %g)", i,
                      points[i].x, points[i].y);
            return ashi_expect(diagnostic, "finite coordinates"), ASH_BAD_DATA;
        }
    return check_simple(points, count, diagnostic);
}

ash_status ash_geometry_create_outline(const ash_vec3 *points, uint32_t count, ash_geometry **geometry,
                                       ash_diagnostic *diagnostic)
{
    if (geometry == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "geometry.null", "the result is null");
    *geometry = NULL;
    ash_status status = check(points, count, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_vec3 *corners = ashi_alloc_array(count, sizeof *corners);
    if (corners == NULL)
        return ashi_out_of_memory(diagnostic);
    uint32_t kept = tidy(points, count, corners);
    if (kept < 3)
        status = ashi_fail(diagnostic, ASH_BAD_DATA, "outline.no-area", "the outline has no area");
    else
        status = decompose(corners, kept, geometry, diagnostic);
    ashi_dealloc(corners);
    return status;
}
