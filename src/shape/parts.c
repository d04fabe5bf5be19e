/* Convex parts of a surface, closed or not. The piece whose hull protrudes most from its surface is cut in two by the
 * plane that leaves least volume in front of the surface, until all hulls are as close as wanted; then pieces whose
 * common hull is also close enough are joined again. Candidate planes pass through the flat sides in front of which the
 * hull protrudes, which cuts a composed solid at its joints; for curved sides they are perpendicular to the axes.
 * Mamou's V-HACD and Wei's CoACD (2022) use similar cuts, the former on a solid of cells, the latter with a search many
 * cuts ahead.
 *
 * A hull lies on its piece's side of every cut, so parts overlap only where pieces were joined again. */
#include "shape/parts.h"

#include "base/alloc.h"
#include "base/diagnostic.h"

/* Number of candidate planes; facets of a large piece that a trial uses; as shares of the size: rounding, and the
 * thickness given to flat pieces; and the share of the excess volume by which a later plane must improve on an earlier
 * one. */
enum { FACET_PLANES = 12, KNOWN_PLANES = 64, AXIS_PLANES = 7, TRIED_FACETS = 600 };
#define ROUNDING 1e-10
#define THINNEST 1e-4
#define SAVING   1e-3
/* A plane of facets is tried if it has at least this share of all excess volume: it is then a flat side. Curved solids
 * are cut across the axes. */
#define LARGE_SHARE 0.1

typedef struct splitter {
    ASHI_ARRAY(ashi_piece) pieces;
    ashi_solid solid;
    double size;     /* of the surface: the diagonal of its box */
    double distance; /* by which hulls may protrude from the surface */
    uint32_t most;   /* pieces */
    ash_diagnostic *diagnostic;
} splitter;

typedef struct trial {
    ashi_cut cut;
    double merit;
} trial;

/* ---- planes ---- */

/* The planes of facets below the overhang, those in one plane combined, best first. */
static uint32_t facet_planes(const splitter *s, const ashi_piece *piece, trial known[KNOWN_PLANES])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < piece->facets.count; i++) {
        const ashi_shard *facet = &piece->facets.data[i];
        if (!(facet->overhang > s->distance))
            continue;
        const ash_vec3 *c = facet->corner;
        trial here = {{facet->normal, v3_dot(facet->normal, c[0])},
                      facet->overhang * v3_norm(v3_cross(v3_sub(c[1], c[0]), v3_sub(c[2], c[0])))};
        uint32_t k = 0, least = 0;
        for (; k < count; k++) {
            if (v3_dot(known[k].cut.normal, facet->normal) > 1 - 1e-6 &&
                fabs(known[k].cut.offset - here.cut.offset) < 1e-6 * s->size)
                break;
            least = known[k].merit < known[least].merit ? k : least;
        }
        if (k < count)
            known[k].merit += here.merit;
        else if (count < KNOWN_PLANES)
            known[count++] = here;
        else if (here.merit > known[least].merit)
            known[least] = here;
    }
    for (uint32_t i = 1; i < count; i++) {
        trial moved = known[i];
        uint32_t k = i;
        for (; k > 0 && known[k - 1].merit < moved.merit; k--)
            known[k] = known[k - 1];
        known[k] = moved;
    }
    return count < FACET_PLANES ? count : FACET_PLANES;
}

/* Planes across each axis at eighths of the piece's box, the middle first. */
static uint32_t axis_planes(const ashi_piece *piece, trial *tried)
{
    static const double eighths[AXIS_PLANES] = {4, 3, 5, 2, 6, 1, 7};
    static const ash_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ash_vec3 low = piece->corners.data[0], high = low;
    for (uint32_t i = 1; i < piece->corners.count; i++) {
        low = v3_min(low, piece->corners.data[i]);
        high = v3_max(high, piece->corners.data[i]);
    }
    for (uint32_t i = 0; i < 3 * AXIS_PLANES; i++) {
        ash_vec3 axis = axes[i % 3];
        double from = v3_dot(axis, low), to = v3_dot(axis, high);
        tried[i].cut = (ashi_cut){axis, from + (to - from) * eighths[i / 3] / 8};
    }
    return 3 * AXIS_PLANES;
}

/* The cost of a cut: the volume of both hulls and, to decide between equals, the volume between hulls and surface along
 * normals, each relative to the whole. Infinity when a half is empty or there is no memory. */
static double cost_of(const splitter *s, const ashi_piece *piece, ashi_cut cut)
{
    ashi_piece halves[2];
    if (!ashi_piece_cut(&s->solid, piece, cut, 1 + piece->facets.count / TRIED_FACETS, halves))
        return INFINITY;
    double cost = INFINITY;
    if (halves[0].facets.count > 0 && halves[1].facets.count > 0)
        cost = (halves[0].volume + halves[1].volume) / piece->volume +
               0.1 * (halves[0].excess + halves[1].excess) / piece->excess;
    ashi_piece_release(&halves[0]);
    ashi_piece_release(&halves[1]);
    return cost;
}

/* The best plane; false when none cuts the piece. */
static bool choose(const splitter *s, const ashi_piece *piece, ashi_cut *cut)
{
    trial tried[KNOWN_PLANES];
    uint32_t count = facet_planes(s, piece, tried);
    if (count == 0 || tried[0].merit < LARGE_SHARE * 2 * piece->excess)
        count = axis_planes(piece, tried);
    double least = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        double cost = cost_of(s, piece, tried[i].cut);
        if (cost < least - SAVING) {
            least = cost;
            *cut = tried[i].cut;
        }
    }
    return isfinite(least);
}

/* ---- cutting and joining ---- */

static bool split(splitter *s)
{
    while (s->pieces.count < s->most) {
        uint32_t worst = 0;
        for (uint32_t i = 1; i < s->pieces.count; i++)
            if (s->pieces.data[i].overhang > s->pieces.data[worst].overhang)
                worst = i;
        ashi_piece *piece = &s->pieces.data[worst], halves[2];
        ashi_cut cut;
        if (!(piece->overhang > s->distance))
            return true;
        if (!choose(s, piece, &cut)) {
            piece->overhang = 0; /* left as it is */
            continue;
        }
        if (!ashi_piece_cut(&s->solid, piece, cut, 1, halves))
            return false;
        if (halves[0].facets.count == 0 || halves[1].facets.count == 0) {
            piece->overhang = 0; /* the trial used only every n-th facet */
            ashi_piece_release(&halves[0]);
            ashi_piece_release(&halves[1]);
            continue;
        }
        if (!ashi_array_extend(&s->pieces)) {
            ashi_piece_release(&halves[0]);
            ashi_piece_release(&halves[1]);
            return false;
        }
        ashi_piece_release(&s->pieces.data[worst]);
        s->pieces.data[worst] = halves[0];
        s->pieces.data[s->pieces.count - 1] = halves[1];
    }
    return true;
}

static bool apart(const ashi_piece *a, const ashi_piece *b, double distance)
{
    const ashi_piece *both[2] = {a, b};
    ash_vec3 low[2], high[2];
    for (int i = 0; i < 2; i++) {
        low[i] = high[i] = both[i]->corners.data[0];
        for (uint32_t k = 1; k < both[i]->corners.count; k++) {
            low[i] = v3_min(low[i], both[i]->corners.data[k]);
            high[i] = v3_max(high[i], both[i]->corners.data[k]);
        }
    }
    ash_vec3 gap = v3_max(v3_sub(low[0], high[1]), v3_sub(low[1], high[0]));
    return v3_max_component(gap) > distance;
}

/* Joins two pieces if their common hull is close enough to the surface of both. */
static bool try_join(splitter *s, uint32_t i, uint32_t k, bool *joined)
{
    const ashi_piece *a = &s->pieces.data[i], *b = &s->pieces.data[k];
    ashi_piece both;
    *joined = false;
    if (apart(a, b, s->distance))
        return true;
    if (!ashi_piece_join(a, b, s->solid.rounding, &both))
        return false;
    /* The common hull must not bridge a gap between sides made by cuts, which no facet shows. */
    if (!(both.overhang <= s->distance && both.volume <= a->volume + b->volume + both.excess)) {
        ashi_piece_release(&both);
        return true;
    }
    ashi_piece_release(&s->pieces.data[i]);
    ashi_piece_release(&s->pieces.data[k]);
    s->pieces.data[i] = both;
    s->pieces.data[k] = s->pieces.data[--s->pieces.count];
    return *joined = true;
}

static bool join(splitter *s)
{
    for (uint32_t i = 0; i < s->pieces.count; i++)
        for (uint32_t k = i + 1; k < s->pieces.count;) {
            bool joined;
            if (!try_join(s, i, k, &joined))
                return false;
            k = joined ? i + 1 : k + 1;
        }
    return true;
}

/* ---- the result ---- */

/* The hull of a piece; a flat piece gets a thickness around its facets. */
static ash_status make_hull(const splitter *s, const ashi_piece *piece, ash_geometry **hull)
{
    ash_geometry_def def = {
        .kind = ASH_GEOMETRY_HULL, .points = piece->corners.data, .point_count = piece->corners.count};
    ash_status status = piece->volume > 0 ? ash_geometry_create(&def, hull, s->diagnostic) : ASH_BAD_DATA;
    if (status != ASH_BAD_DATA)
        return status;
    uint32_t count = piece->facets.count;
    ash_vec3 *points = ashi_alloc_array(6 * (size_t)count, sizeof *points);
    if (points == NULL)
        return ashi_out_of_memory(s->diagnostic);
    for (uint32_t i = 0; i < 3 * count; i++) {
        const ashi_shard *facet = &piece->facets.data[i / 3];
        ash_vec3 out = v3_scale(facet->normal, 0.5 * THINNEST * s->size);
        points[2 * i] = v3_add(facet->corner[i % 3], out);
        points[2 * i + 1] = v3_sub(facet->corner[i % 3], out);
    }
    def.points = points;
    def.point_count = 6 * count;
    status = ash_geometry_create(&def, hull, s->diagnostic);
    ashi_dealloc(points);
    return status;
}

static ash_status make_geometry(const splitter *s, ash_geometry **geometry)
{
    ash_geometry_def def = {.kind = ASH_GEOMETRY_COMPOUND};
    ash_geometry_part *parts = ashi_alloc_array(s->pieces.count, sizeof *parts);
    ash_status status = parts != NULL ? ASH_OK : ashi_out_of_memory(s->diagnostic);
    for (uint32_t i = 0; status == ASH_OK && i < s->pieces.count; i++) {
        ash_geometry *hull = NULL;
        status = make_hull(s, &s->pieces.data[i], &hull);
        if (hull != NULL)
            parts[def.part_count++] = (ash_geometry_part){hull, ash_identity()};
    }
    def.parts = parts;
    if (status == ASH_OK && def.part_count == 1)
        *geometry = ash_geometry_retain(parts[0].geometry);
    else if (status == ASH_OK)
        status = ash_geometry_create(&def, geometry, s->diagnostic);
    for (uint32_t i = 0; i < def.part_count; i++)
        ash_geometry_release(parts[i].geometry);
    ashi_dealloc(parts);
    return status;
}

/* The whole surface as one piece, reversed if it is closed and inside out. Triangles without area are skipped: they
 * have no normal, and their corners either belong to other triangles or do not change a hull that is not flat. */
static ash_status begin(splitter *s, const ash_vec3 *points, const uint32_t *triangles, uint32_t count)
{
    if (!ashi_array_extend(&s->pieces))
        return ashi_out_of_memory(s->diagnostic);
    ashi_piece *piece = &s->pieces.data[0];
    ashi_solid *solid = &s->solid;
    *piece = (ashi_piece){.volume = 0};
    if (!ashi_array_reserve(&piece->facets, count) || !ashi_array_reserve(&solid->facets, count))
        return ashi_out_of_memory(s->diagnostic);
    double volume = 0, area_sum = 0;
    ash_vec3 open = v3(0, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        ash_vec3 a = points[triangles[3 * i]], b = points[triangles[3 * i + 1]], c = points[triangles[3 * i + 2]];
        ash_vec3 area = v3_cross(v3_sub(b, a), v3_sub(c, a)), from = v3_sub(a, points[triangles[0]]);
        if (!(v3_norm(area) > 1e-24 * s->size * s->size))
            continue;
        volume += v3_dot(from, area);
        open = v3_add(open, area);
        area_sum += v3_norm(area);
        piece->facets.data[piece->facets.count++] = (ashi_shard){{a, b, c}, v3_unit(area), 0};
    }
    for (uint32_t i = 0; i < piece->facets.count; i++) {
        ashi_shard *facet = &piece->facets.data[i];
        if (volume < 0 && v3_norm(open) < 1e-9 * area_sum)
            *facet = (ashi_shard){{facet->corner[0], facet->corner[2], facet->corner[1]}, v3_neg(facet->normal), 0};
        solid->facets.data[solid->facets.count++] = *facet;
    }
    if (piece->facets.count == 0)
        return ashi_fail(s->diagnostic, ASH_BAD_DATA, "parts.flat", "no triangle of the surface has an area");
    return ashi_piece_measure(piece, solid->rounding) ? ASH_OK : ashi_out_of_memory(s->diagnostic);
}

static ash_status check(const ash_vec3 *points, uint32_t count, const uint32_t *triangles, uint32_t triangle_count,
                        double *size, ash_diagnostic *diagnostic)
{
    if (points == NULL || triangles == NULL || triangle_count == 0 || triangle_count > UINT32_MAX / 64)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.triangles", "the surface has %u triangles",
                         points == NULL || triangles == NULL ? 0 : triangle_count);
    ash_vec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
    for (uint32_t i = 0; i < 3 * triangle_count; i++) {
        if (triangles[i] >= count)
            return ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.triangles",
                             "triangle %u of the surface has point %u of %u", i / 3, triangles[i], count);
        ash_vec3 p = points[triangles[i]];
        if (!v3_is_finite(p))
            return ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.points", "point %u of the surface is (%g, %g, %g)",
                             triangles[i], p.x, p.y, p.z);
        low = v3_min(low, p);
        high = v3_max(high, p);
    }
    *size = v3_norm(v3_sub(high, low));
    if (*size > 1e-60 && *size < 1e60)
        return ASH_OK;
    ashi_fail(diagnostic, ASH_BAD_DATA, "parts.size", "the surface is %g m large", *size);
    return ashi_expect(diagnostic, "a size between 1e-60 and 1e60 m"), ASH_BAD_DATA;
}

ash_status ash_geometry_create_parts(const ash_vec3 *points, uint32_t point_count, const uint32_t *triangles,
                                     uint32_t triangle_count, double tolerance, uint32_t most, ash_geometry **geometry,
                                     ash_diagnostic *diagnostic)
{
    splitter s = {.most = most, .diagnostic = diagnostic};
    if (geometry == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "geometry.null", "the result is null");
    *geometry = NULL;
    if (!(tolerance > 0 && tolerance <= 1) || most == 0 || most > ASH_MAX_CONVEX_PARTS) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "parts.limits", "convex parts of tolerance %g, at most %u", tolerance,
                  most);
        return ashi_expect(diagnostic, "a tolerance above 0 and at most 1, and 1 to %d parts", ASH_MAX_CONVEX_PARTS),
               ASH_BAD_DATA;
    }
    ash_status status = check(points, point_count, triangles, triangle_count, &s.size, diagnostic);
    if (status != ASH_OK)
        return status;
    s.distance = tolerance * s.size;
    s.solid.rounding = ROUNDING * s.size;
    status = begin(&s, points, triangles, triangle_count);
    if (status == ASH_OK)
        status = split(&s) && join(&s) ? make_geometry(&s, geometry) : ashi_out_of_memory(diagnostic);
    for (uint32_t i = 0; i < s.pieces.count; i++)
        ashi_piece_release(&s.pieces.data[i]);
    ashi_array_release(&s.pieces);
    ashi_array_release(&s.solid.facets);
    return status;
}
