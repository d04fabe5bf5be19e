/* Pieces of a solid, by their surface. Cuts are not capped: the hull of a piece is that of its facets, whose edges at a
 * cut outline the cap, and of the corners that cuts form inside the solid. The latter are found by the winding number
 * of the surface (Jacobson, Kavan & Sorkine-Hornung 2013), which need not be closed. */
#include "shape/hull.h"
#include "shape/parts.h"

#include "math/elementary.h"

/* Largest product of samples and sides in one measurement; larger pieces are measured at every n-th facet. */
enum { MOST_WORK = 1 << 24 };

void ashi_piece_release(ashi_piece *piece)
{
    ashi_array_release(&piece->facets);
    ashi_array_release(&piece->cuts);
    ashi_array_release(&piece->inner);
    ashi_array_release(&piece->corners);
    ashi_array_release(&piece->sides);
}

/* The volume within faces of points, seen from one of them. */
static double hull_volume(const ash_vec3 *points, const ashi_hull_faces *faces)
{
    ash_vec3 base = points[faces->corners[0]];
    double sum = 0;
    for (uint32_t f = 0, first = 0; f < faces->face_count; first = faces->ends[f++])
        for (uint32_t i = first + 1; i + 1 < faces->ends[f]; i++)
            sum +=
                v3_dot(v3_sub(points[faces->corners[first]], base),
                       v3_cross(v3_sub(points[faces->corners[i]], base), v3_sub(points[faces->corners[i + 1]], base)));
    return sum / 6;
}

static bool add_side(ashi_piece *piece, const ash_vec3 *points, const uint32_t *corners, uint32_t count)
{
    ash_vec3 area = v3(0, 0, 0), base = points[corners[0]];
    for (uint32_t i = 1; i + 1 < count; i++)
        area = v3_add(area, v3_cross(v3_sub(points[corners[i]], base), v3_sub(points[corners[i + 1]], base)));
    double size = v3_norm(area);
    if (!(size > 0))
        return true;
    if (!ashi_array_extend(&piece->sides))
        return false;
    ashi_cut side = {v3_scale(area, 1 / size), -INFINITY};
    for (uint32_t i = 0; i < count; i++)
        side.offset = fmax(side.offset, v3_dot(side.normal, points[corners[i]]));
    piece->sides.data[piece->sides.count - 1] = side;
    return true;
}

/* Sides and corners of the hull of points. */
static bool take_hull(ashi_piece *piece, const ash_vec3 *points, uint32_t count)
{
    ashi_hull_faces faces;
    piece->volume = 0;
    piece->sides.count = piece->corners.count = 0;
    ash_status status = count < 4 ? ASH_BAD_DATA : ashi_hull_find(points, count, false, &faces, NULL);
    if (status == ASH_OUT_OF_MEMORY)
        return false;
    if (status != ASH_OK) { /* flat: it has no sides */
        if (!ashi_array_reserve(&piece->corners, count))
            return false;
        for (uint32_t i = 0; i < count; i++)
            piece->corners.data[piece->corners.count++] = points[i];
        return true;
    }
    piece->volume = fmax(hull_volume(points, &faces), 0);
    uint32_t ends = faces.ends[faces.face_count - 1];
    bool room = ashi_array_reserve(&piece->corners, ends);
    for (uint32_t i = 0; room && i < ends; i++)
        piece->corners.data[piece->corners.count++] = points[faces.corners[i]];
    for (uint32_t f = 0, first = 0; room && f < faces.face_count; first = faces.ends[f++])
        room = add_side(piece, points, faces.corners + first, faces.ends[f] - first);
    ashi_hull_faces_release(&faces);
    return room;
}

/* How far the hull extends beyond a point along a unit normal. */
static double reach(const ashi_piece *piece, ash_vec3 from, ash_vec3 normal)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < piece->sides.count; i++) {
        const ashi_cut *side = &piece->sides.data[i];
        double rise = v3_dot(side->normal, normal), gap = side->offset - v3_dot(side->normal, from);
        if (rise > 1e-9 && gap < least * rise)
            least = gap / rise;
    }
    return isfinite(least) ? fmax(least, 0) : 0;
}

/* The overhang of the hull at a corner of a facet, along its normal; if the corner lies in cuts, along these cuts: the
 * protrusion at the edge of a cap, as a distance from the facet's plane. */
static double corner_overhang(const ashi_piece *piece, ash_vec3 corner, ash_vec3 normal, double rounding)
{
    for (int pass = 0; pass < 2; pass++) /* twice, for two cuts that are not perpendicular */
        for (uint32_t i = 0; i < piece->cuts.count; i++) {
            const ashi_cut *cut = &piece->cuts.data[i];
            if (fabs(v3_dot(cut->normal, corner) - cut->offset) <= rounding)
                normal = v3_add_scaled(normal, cut->normal, -v3_dot(cut->normal, normal));
        }
    double length = v3_norm(normal);
    return length > 1e-3 ? length * reach(piece, corner, v3_scale(normal, 1 / length)) : 0;
}

/* The overhang at a facet; also adds to the piece's excess. */
static double facet_overhang(ashi_piece *piece, const ashi_shard *facet, double rounding)
{
    const ash_vec3 *c = facet->corner;
    double most = reach(piece, v3_scale(v3_add(v3_add(c[0], c[1]), c[2]), 1.0 / 3), facet->normal);
    for (int i = 0; i < 3; i++)
        most = fmax(most, corner_overhang(piece, c[i], facet->normal, rounding));
    piece->excess += 0.5 * most * v3_norm(v3_cross(v3_sub(c[1], c[0]), v3_sub(c[2], c[0])));
    return most;
}

/* All points of a piece; those shared by facets occur several times. */
static ash_vec3 *gather(const ashi_piece *piece, uint32_t *count)
{
    *count = 3 * piece->facets.count + piece->inner.count;
    ash_vec3 *points = ashi_alloc_array(*count, sizeof *points);
    for (uint32_t i = 0; points != NULL && i < *count; i++)
        points[i] = i < 3 * piece->facets.count ? piece->facets.data[i / 3].corner[i % 3]
                                                : piece->inner.data[i - 3 * piece->facets.count];
    return points;
}

bool ashi_piece_measure(ashi_piece *piece, double rounding)
{
    uint32_t count;
    piece->overhang = piece->volume = piece->excess = 0;
    if (piece->facets.count == 0)
        return true;
    ash_vec3 *points = gather(piece, &count);
    bool room = points != NULL && take_hull(piece, points, count);
    ashi_dealloc(points);
    uint64_t stride = 1 + 4 * (uint64_t)piece->facets.count * piece->sides.count / MOST_WORK;
    for (uint32_t i = 0; i < piece->facets.count; i++) {
        ashi_shard *facet = &piece->facets.data[i];
        facet->overhang = i % stride == 0 ? facet_overhang(piece, facet, rounding) : 0;
        piece->overhang = fmax(piece->overhang, facet->overhang);
    }
    return room;
}

/* On which sides of the cut a facet has corners: bit 0 below, bit 1 above. A facet in the plane belongs to the side
 * that it bounds.
 */
static int sides_of(const ashi_shard *facet, ashi_cut cut, double rounding, double height[3])
{
    int sides = 0;
    for (int i = 0; i < 3; i++) {
        height[i] = v3_dot(cut.normal, facet->corner[i]) - cut.offset;
        height[i] = fabs(height[i]) <= rounding ? 0 : height[i];
        sides |= height[i] < 0 ? 1 : height[i] > 0 ? 2 : 0;
    }
    return sides != 0 ? sides : v3_dot(facet->normal, cut.normal) > 0 ? 1 : 2;
}

/* Where an edge meets the plane; the same for both facets that share the edge. */
static ash_vec3 crossing(ash_vec3 below, ash_vec3 above, double low, double high)
{
    return v3_add_scaled(below, v3_sub(above, below), low / (low - high));
}

/* The polygon of a facet on one side (`sign` -1 below, 1 above): at most four corners. */
static uint32_t clip(const ashi_shard *facet, const double height[3], double sign, ash_vec3 polygon[4])
{
    uint32_t count = 0;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3;
        if (sign * height[i] >= 0)
            polygon[count++] = facet->corner[i];
        if (height[i] * height[k] < 0) {
            int low = height[i] < 0 ? i : k, high = height[i] < 0 ? k : i;
            polygon[count++] = crossing(facet->corner[low], facet->corner[high], height[low], height[high]);
        }
    }
    return count;
}

static bool add_clipped(ashi_piece *half, const ashi_shard *facet, const double height[3], double sign)
{
    ash_vec3 polygon[4];
    uint32_t count = clip(facet, height, sign, polygon);
    for (uint32_t i = 1; i + 1 < count; i++) {
        if (!ashi_array_extend(&half->facets))
            return false;
        half->facets.data[half->facets.count - 1] =
            (ashi_shard){{polygon[0], polygon[i], polygon[i + 1]}, facet->normal, 0};
    }
    return true;
}

/* The winding number of the surface about a point: 1 inside a closed one, 0 outside. */
static double winding(const ashi_solid *solid, ash_vec3 p)
{
    double sum = 0;
    for (uint32_t i = 0; i < solid->facets.count; i++) {
        const ash_vec3 *corner = solid->facets.data[i].corner;
        ash_vec3 a = v3_sub(corner[0], p), b = v3_sub(corner[1], p), c = v3_sub(corner[2], p);
        double la = v3_norm(a), lb = v3_norm(b), lc = v3_norm(c);
        sum += ashi_atan2(v3_dot(a, v3_cross(b, c)),
                          la * lb * lc + v3_dot(a, b) * lc + v3_dot(b, c) * la + v3_dot(c, a) * lb);
    }
    return sum / 6.283185307179586;
}

static bool below_all(const ashi_piece *piece, ash_vec3 p, double rounding)
{
    for (uint32_t i = 0; i < piece->cuts.count; i++)
        if (v3_dot(piece->cuts.data[i].normal, p) - piece->cuts.data[i].offset > rounding)
            return false;
    return true;
}

/* The common point of three planes, each moved down by `inward`; false if they have none or many. */
static bool meet(ashi_cut a, ashi_cut b, ashi_cut c, double inward, ash_vec3 *p)
{
    ash_vec3 bc = v3_cross(b.normal, c.normal), ca = v3_cross(c.normal, a.normal), ab = v3_cross(a.normal, b.normal);
    double volume = v3_dot(a.normal, bc);
    if (!(fabs(volume) > 1e-6))
        return false;
    ash_vec3 sum = v3_add(v3_scale(bc, a.offset - inward), v3_scale(ca, b.offset - inward));
    *p = v3_scale(v3_add_scaled(sum, ab, c.offset - inward), 1 / volume);
    return true;
}

/* Adds corners of the last cut with two others, if the region below all three starts inside the solid. */
static bool add_inner(const ashi_solid *solid, ashi_piece *half)
{
    uint32_t last = half->cuts.count - 1;
    const ashi_cut *cuts = half->cuts.data;
    for (uint32_t i = 0; i < last; i++)
        for (uint32_t k = 0; k < i; k++) {
            ash_vec3 p, within;
            if (!meet(cuts[i], cuts[k], cuts[last], 0, &p) || !below_all(half, p, solid->rounding) ||
                !meet(cuts[i], cuts[k], cuts[last], 1e4 * solid->rounding, &within) || !(winding(solid, within) > 0.5))
                continue;
            if (!ashi_array_extend(&half->inner))
                return false;
            half->inner.data[half->inner.count - 1] = p;
        }
    return true;
}

/* Gives a half the old cuts and the new one, and the inner corners on its side. */
static bool inherit(const ashi_piece *piece, ashi_cut cut, double rounding, double sign, ashi_piece *half)
{
    if (!ashi_array_reserve(&half->cuts, piece->cuts.count + 1) ||
        !ashi_array_reserve(&half->inner, piece->inner.count))
        return false;
    for (uint32_t i = 0; i < piece->cuts.count; i++)
        half->cuts.data[half->cuts.count++] = piece->cuts.data[i];
    half->cuts.data[half->cuts.count++] = (ashi_cut){v3_scale(cut.normal, -sign), -sign * cut.offset};
    for (uint32_t i = 0; i < piece->inner.count; i++)
        if (sign * (v3_dot(cut.normal, piece->inner.data[i]) - cut.offset) > -rounding)
            half->inner.data[half->inner.count++] = piece->inner.data[i];
    return true;
}

static bool cut_facets(const ashi_solid *solid, const ashi_piece *piece, ashi_cut cut, uint32_t stride,
                       ashi_piece halves[2])
{
    for (uint32_t i = 0; i < piece->facets.count; i += stride) {
        const ashi_shard *facet = &piece->facets.data[i];
        double height[3];
        int sides = sides_of(facet, cut, solid->rounding, height);
        for (int side = 0; side < 2; side++)
            if (sides == 1 << side) {
                if (!ashi_array_extend(&halves[side].facets))
                    return false;
                halves[side].facets.data[halves[side].facets.count - 1] = *facet;
            } else if (sides == 3 && !add_clipped(&halves[side], facet, height, side == 0 ? -1 : 1)) {
                return false;
            }
    }
    return true;
}

bool ashi_piece_cut(const ashi_solid *solid, const ashi_piece *piece, ashi_cut cut, uint32_t stride,
                    ashi_piece halves[2])
{
    halves[0] = halves[1] = (ashi_piece){.volume = 0};
    bool room = inherit(piece, cut, solid->rounding, -1, &halves[0]) &&
                inherit(piece, cut, solid->rounding, 1, &halves[1]) && add_inner(solid, &halves[0]) &&
                add_inner(solid, &halves[1]) && cut_facets(solid, piece, cut, stride, halves) &&
                ashi_piece_measure(&halves[0], solid->rounding) && ashi_piece_measure(&halves[1], solid->rounding);
    for (int side = 0; !room && side < 2; side++)
        ashi_piece_release(&halves[side]);
    return room;
}

bool ashi_piece_join(const ashi_piece *a, const ashi_piece *b, double rounding, ashi_piece *both)
{
    const ashi_piece *of[2] = {a, b};
    *both = (ashi_piece){.volume = 0};
    bool room = ashi_array_reserve(&both->facets, (uint64_t)a->facets.count + b->facets.count) &&
                ashi_array_reserve(&both->inner, (uint64_t)a->inner.count + b->inner.count);
    for (int i = 0; room && i < 2; i++) {
        for (uint32_t n = 0; n < of[i]->facets.count; n++)
            both->facets.data[both->facets.count++] = of[i]->facets.data[n];
        for (uint32_t n = 0; n < of[i]->inner.count; n++)
            both->inner.data[both->inner.count++] = of[i]->inner.data[n];
    }
    room = room && ashi_piece_measure(both, rounding);
    if (!room)
        ashi_piece_release(both);
    return room;
}
