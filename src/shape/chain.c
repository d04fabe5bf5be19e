/* Chains: a line through points becomes a flat compound of segments, each of which knows its neighbours. */
#include "base/alloc.h"
#include "shape/geometry.h"

/* Piece i leads from point i to the next one. At an open end the neighbour is the end itself. */
static ash_status make_piece(const ash_vec3 *points, uint32_t count, bool closed, uint32_t i, double radius,
                             ash_geometry **piece, ash_diagnostic *diagnostic)
{
    uint32_t end = (i + 1) % count;
    uint32_t before = i > 0 ? i - 1 : closed ? count - 1 : 0;
    uint32_t after = closed || end + 1 < count ? (end + 1) % count : end;
    ash_vec3 four[4] = {points[before], points[i], points[end], points[after]};
    ash_geometry_def def = {.kind = ASH_GEOMETRY_SEGMENT, .radius = radius, .points = four, .point_count = 4};
    return ash_geometry_create(&def, piece, diagnostic);
}

ash_status ash_geometry_create_chain(const ash_vec3 *points, uint32_t count, bool closed, double radius,
                                     ash_geometry **geometry, ash_diagnostic *diagnostic)
{
    if (geometry == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "geometry.null", "the result is null");
    *geometry = NULL;
    uint32_t fewest = closed ? 3 : 2;
    if (points == NULL || count < fewest) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.points", "the chain has %u points%s", count,
                  points == NULL ? " and no array of them" : "");
        return ashi_expect(diagnostic, "at least %u", fewest), ASH_BAD_DATA;
    }
    uint32_t pieces = closed ? count : count - 1;
    ash_geometry_def def = {.kind = ASH_GEOMETRY_COMPOUND};
    ash_geometry_part *parts = ashi_alloc_array(pieces, sizeof *parts);
    ash_status status = parts != NULL ? ASH_OK : ashi_out_of_memory(diagnostic);
    for (uint32_t i = 0; status == ASH_OK && i < pieces; i++) {
        ash_geometry *piece;
        status = make_piece(points, count, closed, i, radius, &piece, diagnostic);
        if (status == ASH_OK)
            parts[def.part_count++] = (ash_geometry_part){piece, ash_identity()};
    }
    def.parts = parts;
    if (status == ASH_OK)
        status = ash_geometry_create(&def, geometry, diagnostic);
    for (uint32_t i = 0; i < def.part_count; i++)
        ash_geometry_release(parts[i].geometry);
    ashi_dealloc(parts);
    return status;
}
