/* Checks that a triangle mesh is a closed, consistently oriented surface: every edge belongs to exactly two triangles,
 * which traverse it in opposite directions. To pair them, all edges are sorted by their two points. */
#include "shape/mesh.h"

#include "base/alloc.h"
#include "shape/edge.h"

/* Height over longest side below which a triangle has no usable normal. */
#define FLATTEST 1e-14

static ash_status check_triangle(const ash_vec3 *points, uint32_t point_count, const uint32_t *corner, uint32_t number,
                                 ash_diagnostic *diagnostic)
{
    for (int k = 0; k < 3; k++)
        if (corner[k] >= point_count) {
            ashi_fail(diagnostic, ASH_BAD_DATA, "mesh.index", "triangle %u uses point %u", number, corner[k]);
            ashi_expect(diagnostic, "points 0 to %u", point_count - 1);
            return ASH_BAD_DATA;
        }
    ash_vec3 a = points[corner[0]], b = points[corner[1]], c = points[corner[2]];
    double longest2 = v3_max_component(v3(v3_norm2(v3_sub(b, a)), v3_norm2(v3_sub(c, b)), v3_norm2(v3_sub(a, c))));
    double doubled = v3_norm(v3_cross(v3_sub(b, a), v3_sub(c, a)));
    if (!(doubled > FLATTEST * longest2)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "mesh.degenerate", "triangle %u (points %u, %u, %u) has no area", number,
                  corner[0], corner[1], corner[2]);
        ashi_expect(diagnostic, "three points that do not lie on a line");
        return ASH_BAD_DATA;
    }
    return ASH_OK;
}

/* The possible faults of an edge. */
typedef enum fault { OPEN, SHARED, TURNED, FAULTS } fault;

static ash_status report(fault kind, const ashi_edge *example, uint32_t count, uint32_t sharers,
                         ash_diagnostic *diagnostic)
{
    static const char *const codes[FAULTS] = {"mesh.open", "mesh.non-manifold", "mesh.orientation"};
    uint32_t triangle = example->number / 3;
    if (kind == OPEN)
        ashi_fail(diagnostic, ASH_BAD_DATA, codes[kind],
                  "the mesh is open: the edge %u-%u of triangle %u has no second triangle (%u such edges)",
                  example->low, example->high, triangle, count);
    else if (kind == SHARED)
        ashi_fail(diagnostic, ASH_BAD_DATA, codes[kind],
                  "the edge %u-%u of triangle %u belongs to %u triangles (%u such edges)", example->low, example->high,
                  triangle, sharers, count);
    else
        ashi_fail(diagnostic, ASH_BAD_DATA, codes[kind],
                  "triangles %u and %u run through their common edge %u-%u in the same direction (%u such edges)",
                  triangle, example[1].number / 3, example->low, example->high, count);
    ashi_expect(diagnostic,
                "each edge in two triangles, counter-clockwise from outside (points at one place are merged "
                "beforehand)");
    return ASH_BAD_DATA;
}

/* Goes through the sorted edges and pairs them. */
static ash_status pair_edges(const ashi_edge *edges, size_t edge_count, const uint32_t *triangles, uint32_t *twins,
                             ash_diagnostic *diagnostic)
{
    const ashi_edge *example[FAULTS] = {NULL};
    uint32_t count[FAULTS] = {0}, sharers = 0;
    for (size_t first = 0, end; first < edge_count; first = end) {
        const ashi_edge *e = edges + first;
        for (end = first + 1; end < edge_count && edges[end].low == e->low && edges[end].high == e->high;)
            end++;
        fault kind = FAULTS;
        if (end - first == 1)
            kind = OPEN;
        else if (end - first > 2)
            kind = SHARED;
        else if (triangles[e[0].number] == triangles[e[1].number])
            kind = TURNED;
        if (kind == FAULTS) {
            twins[e[0].number] = e[1].number;
            twins[e[1].number] = e[0].number;
        } else if (count[kind]++ == 0) {
            example[kind] = e;
            sharers = kind == SHARED ? (uint32_t)(end - first) : sharers;
        }
    }
    for (fault kind = OPEN; kind < FAULTS; kind++)
        if (count[kind] > 0)
            return report(kind, example[kind], count[kind], sharers, diagnostic);
    return ASH_OK;
}

ash_status ashi_mesh_check(const ash_vec3 *points, uint32_t point_count, const uint32_t *triangles,
                           uint32_t triangle_count, uint32_t *twins, ash_diagnostic *diagnostic)
{
    for (uint32_t t = 0; t < triangle_count; t++) {
        ash_status status = check_triangle(points, point_count, triangles + 3 * (size_t)t, t, diagnostic);
        if (status != ASH_OK)
            return status;
    }
    size_t edge_count = 3 * (size_t)triangle_count;
    ashi_edge *edges = ashi_alloc_array(edge_count, sizeof *edges);
    if (edges == NULL)
        return ashi_out_of_memory(diagnostic);
    for (uint32_t corner = 0; corner < edge_count; corner++)
        edges[corner] =
            ashi_edge_between(triangles[corner], triangles[corner % 3 == 2 ? corner - 2 : corner + 1], corner);
    ashi_edge_sort(edges, edge_count);
    ash_status status = pair_edges(edges, edge_count, triangles, twins, diagnostic);
    ashi_dealloc(edges);
    return status;
}
