/* Triangles of meshes and height fields near a box. */
#include "collide/surface/triangles.h"

#include "shape/mesh.h"

bool ashi_has_triangles(const ash_geometry *geometry)
{
    return geometry->functions->triangles;
}

double ashi_bounds_gap2(const ash_bounds *a, const ash_bounds *b)
{
    return v3_norm2(v3_max(v3_max(v3_sub(a->lower, b->upper), v3_sub(b->lower, a->upper)), v3(0, 0, 0)));
}

bool ashi_is_beyond(const ash_bounds *bounds, const ash_bounds *box, const ashi_above *above, double limit)
{
    if (ashi_bounds_gap2(bounds, box) > limit * limit * (1 + 1e-12))
        return true;
    ash_vec3 n = above->normal;
    double top = n.x * (n.x < 0 ? bounds->lower.x : bounds->upper.x) +
                 n.y * (n.y < 0 ? bounds->lower.y : bounds->upper.y) +
                 n.z * (n.z < 0 ? bounds->lower.z : bounds->upper.z);
    return above->height - top > limit * (1 + 1e-12) + 1e-12 * (fabs(above->height) + fabs(top));
}

static void visit_mesh(const ashi_triangle_tree *tree, ash_bounds box, const ashi_above *above, double limit,
                       ashi_triangle_visitor visit, void *user)
{
    uint32_t stack[ASHI_TREE_DEPTH], depth = 0, number = 0;
    for (;;) {
        const ashi_tree_node *node = &tree->nodes[number];
        if (!ashi_is_beyond(&node->bounds, &box, above, limit)) {
            if (node->count == 0) {
                uint32_t one = number + 1, other = node->first;
                bool swap = ashi_bounds_gap2(&tree->nodes[other].bounds, &box) <
                            ashi_bounds_gap2(&tree->nodes[one].bounds, &box);
                stack[depth++] = swap ? one : other;
                number = swap ? other : one;
                continue;
            }
            for (uint32_t n = 0; n < node->count; n++) {
                uint32_t triangle = tree->order[node->first + n];
                const uint32_t *corner = tree->triangles + 3 * (size_t)triangle;
                ash_vec3 corners[3] = {tree->points[corner[0]], tree->points[corner[1]], tree->points[corner[2]]};
                ash_bounds bounds = {v3_min(v3_min(corners[0], corners[1]), corners[2]),
                                     v3_max(v3_max(corners[0], corners[1]), corners[2])};
                if (!ashi_is_beyond(&bounds, &box, above, limit))
                    limit = visit(corners, triangle, limit, user);
            }
        }
        if (depth == 0)
            return;
        number = stack[--depth];
    }
}

static ash_vec3 height_sample(const ash_geometry_def *def, uint32_t i, uint32_t j)
{
    return v3(def->origin.x + i * def->spacing.x, def->origin.y + j * def->spacing.y,
              def->origin.z + def->values[(size_t)j * def->cells[0] + i]);
}

static double visit_height_cell(const ash_geometry_def *def, uint32_t i, uint32_t j, const ash_bounds *box,
                                const ashi_above *above, double limit, ashi_triangle_visitor visit, void *user)
{
    ash_vec3 c00 = height_sample(def, i, j), c10 = height_sample(def, i + 1, j);
    ash_vec3 c01 = height_sample(def, i, j + 1), c11 = height_sample(def, i + 1, j + 1);
    ash_bounds bounds = {v3_min(v3_min(c00, c10), v3_min(c01, c11)), v3_max(v3_max(c00, c10), v3_max(c01, c11))};
    if (ashi_is_beyond(&bounds, box, above, limit))
        return limit;
    uint32_t number = 2 * (j * (def->cells[0] - 1) + i);
    const ash_vec3 lower[3] = {c00, c10, c11}, upper[3] = {c00, c11, c01};
    limit = visit(lower, number, limit, user);
    return visit(upper, number + 1, limit, user);
}

static int64_t cell_near(double place, uint32_t samples)
{
    return !(place > 0) ? 0 : place >= samples - 1 ? (int64_t)samples - 2 : (int64_t)place;
}

/* Rings of cells around those below the box, until the next ring is farther away than the limit. */
static void visit_height_field(const ash_geometry_def *def, ash_bounds box, const ashi_above *above, double limit,
                               ashi_triangle_visitor visit, void *user)
{
    int64_t columns = (int64_t)def->cells[0] - 1, rows = (int64_t)def->cells[1] - 1;
    int64_t i0 = cell_near((box.lower.x - def->origin.x) / def->spacing.x, def->cells[0]);
    int64_t i1 = cell_near((box.upper.x - def->origin.x) / def->spacing.x, def->cells[0]);
    int64_t j0 = cell_near((box.lower.y - def->origin.y) / def->spacing.y, def->cells[1]);
    int64_t j1 = cell_near((box.upper.y - def->origin.y) / def->spacing.y, def->cells[1]);
    double pitch = fmin(def->spacing.x, def->spacing.y);
    int64_t last = columns > rows ? columns : rows;
    for (int64_t ring = 0; ring <= last; ring++) {
        if (ring > 1 && (double)(ring - 1) * pitch > limit)
            return;
        for (int64_t j = j0 - ring; j <= j1 + ring; j++) {
            bool whole = ring == 0 || j == j0 - ring || j == j1 + ring;
            int64_t stride = whole ? 1 : i1 - i0 + 2 * ring;
            for (int64_t i = i0 - ring; i <= i1 + ring; i += stride)
                if (i >= 0 && j >= 0 && i < columns && j < rows)
                    limit = visit_height_cell(def, (uint32_t)i, (uint32_t)j, &box, above, limit, visit, user);
        }
    }
}

void ashi_triangles_visit_above(const ash_geometry *geometry, ash_bounds box, const ashi_above *above, double limit,
                                ashi_triangle_visitor visit, void *user)
{
    switch (geometry->def.kind) {
    case ASH_GEOMETRY_MESH:
        visit_mesh(&geometry->mesh->tree, box, above, limit, visit, user);
        break;
    case ASH_GEOMETRY_HEIGHT_FIELD:
        visit_height_field(&geometry->def, box, above, limit, visit, user);
        break;
    default:
        ashi_field_triangles_visit(geometry, box, above, limit, visit, user);
    }
}

void ashi_triangles_visit(const ash_geometry *geometry, ash_bounds box, double limit, ashi_triangle_visitor visit,
                          void *user)
{
    ashi_above everywhere = {.height = 0};
    ashi_triangles_visit_above(geometry, box, &everywhere, limit, visit, user);
}
