/* Triangles of a distance field near a box.
 *
 * A cell is cut into the six tetrahedra that share its diagonal from corner 0 to corner 7 (as in
 * shape/field_moments.c); in each the field is linear between its corners, so that the surface is a triangle or a
 * quadrangle. Sides of the grid that cut through the inside are cut in two along the diagonal that the tetrahedra have
 * there, and clipped. */
#include "collide/surface/triangles.h"

#include "shape/distance_field.h"

static const int paths[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};

/* Larger ranges of cells are searched through the tree, since most of their cells are far from the surface. */
enum { MOST_IN_RANGE = 1000 };

/* One cell while it is visited. */
typedef struct field_cell {
    ash_vec3 corner[8];
    double value[8];
    uint32_t number;
    double limit;
    ashi_triangle_visitor visit;
    void *user;
} field_cell;

/* Emits the triangle, oriented towards `outward`. */
static void emit(field_cell *cell, ash_vec3 a, ash_vec3 b, ash_vec3 c, ash_vec3 outward)
{
    ash_vec3 area = v3_cross(v3_sub(b, a), v3_sub(c, a));
    if (v3_norm2(area) == 0)
        return;
    bool turn = v3_dot(area, outward) < 0;
    const ash_vec3 corners[3] = {a, turn ? c : b, turn ? b : c};
    cell->limit = cell->visit(corners, cell->number, cell->limit, cell->user);
}

/* The point between a corner inside and one outside where the field is 0. */
static ash_vec3 crossing(const field_cell *cell, int inside, int outside)
{
    double share = cell->value[inside] / (cell->value[inside] - cell->value[outside]);
    return v3_add_scaled(cell->corner[inside], v3_sub(cell->corner[outside], cell->corner[inside]), share);
}

static void visit_tetrahedron(field_cell *cell, const int path[4])
{
    int inside[4], outside[4], in = 0, out = 0;
    for (int c = 0; c < 4; c++) {
        if (cell->value[path[c]] < 0)
            inside[in++] = path[c];
        else
            outside[out++] = path[c];
    }
    if (in == 0 || out == 0)
        return;
    ash_vec3 outward = v3_sub(cell->corner[outside[0]], cell->corner[inside[0]]);
    if (in == 1)
        emit(cell, crossing(cell, inside[0], outside[0]), crossing(cell, inside[0], outside[1]),
             crossing(cell, inside[0], outside[2]), outward);
    else if (in == 3)
        emit(cell, crossing(cell, inside[0], outside[0]), crossing(cell, inside[1], outside[0]),
             crossing(cell, inside[2], outside[0]), outward);
    else {
        ash_vec3 a = crossing(cell, inside[0], outside[0]), b = crossing(cell, inside[0], outside[1]);
        ash_vec3 c = crossing(cell, inside[1], outside[1]), d = crossing(cell, inside[1], outside[0]);
        emit(cell, a, b, c, outward);
        emit(cell, a, c, d, outward);
    }
}

/* The inside part of a triangle of the grid's side. */
static void visit_cut(field_cell *cell, const int corners[3], ash_vec3 outward)
{
    ash_vec3 polygon[4];
    int count = 0;
    for (int c = 0; c < 3; c++) {
        int here = corners[c], next = corners[(c + 1) % 3];
        bool here_in = cell->value[here] < 0, next_in = cell->value[next] < 0;
        if (here_in)
            polygon[count++] = cell->corner[here];
        if (here_in != next_in)
            polygon[count++] = here_in ? crossing(cell, here, next) : crossing(cell, next, here);
    }
    for (int c = 2; c < count; c++)
        emit(cell, polygon[0], polygon[c - 1], polygon[c], outward);
}

/* The two triangles of the cell's side perpendicular to an axis, at its lower or upper end. */
static void visit_side(field_cell *cell, int axis, bool upper)
{
    int base = upper ? 1 << axis : 0, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3;
    double sign = upper ? 1 : -1;
    ash_vec3 outward = v3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
    const int one[3] = {base, base + u, base + u + v}, other[3] = {base, base + v, base + u + v};
    visit_cut(cell, one, outward);
    visit_cut(cell, other, outward);
}

static double visit_cell(const ash_geometry_def *def, const uint32_t at[3], double limit, ashi_triangle_visitor visit,
                         void *user)
{
    field_cell cell = {.number = (at[2] * (def->cells[1] - 1) + at[1]) * (def->cells[0] - 1) + at[0],
                       .limit = limit,
                       .visit = visit,
                       .user = user};
    ashi_field_corners(def, at[0], at[1], at[2], cell.value);
    int inside = 0;
    for (int c = 0; c < 8; c++) {
        ash_vec3 place = v3(at[0] + (double)(c & 1), at[1] + (double)(c >> 1 & 1), at[2] + (double)(c >> 2));
        cell.corner[c] = v3_add(def->origin, v3_mul(place, def->spacing));
        inside += cell.value[c] < 0;
    }
    for (int n = 0; n < 6 && inside > 0 && inside < 8; n++)
        visit_tetrahedron(&cell, paths[n]);
    for (int axis = 0; axis < 3 && inside > 0; axis++) {
        if (at[axis] == 0)
            visit_side(&cell, axis, false);
        if (at[axis] + 2 == def->cells[axis])
            visit_side(&cell, axis, true);
    }
    return cell.limit;
}

static ash_bounds cell_bounds(const ash_geometry_def *def, const uint32_t at[3])
{
    ash_vec3 lower = v3_add(def->origin, v3_mul(v3(at[0], at[1], at[2]), def->spacing));
    return (ash_bounds){lower, v3_add(lower, def->spacing)};
}

static bool is_near(const ash_geometry_def *def, const uint32_t at[3], const ash_bounds *box, const ashi_above *above,
                    double limit)
{
    ash_bounds bounds = cell_bounds(def, at);
    return !ashi_is_beyond(&bounds, box, above, limit);
}

/* The range of cells along one axis that a box and its surroundings touch. */
static uint32_t cell_range(double lower, double upper, double origin, double spacing, uint32_t samples, uint32_t *first)
{
    double from = floor((lower - origin) / spacing) - 1, to = floor((upper - origin) / spacing) + 1;
    from = fmax(from, 0);
    to = fmin(to, samples - 2.0);
    if (!(from <= to))
        return 0;
    *first = (uint32_t)from;
    return (uint32_t)(to - from) + 1;
}

/* Visits all cells within the limit, if these are few. */
static bool visit_range(const ash_geometry *geometry, const ash_bounds *box, const ashi_above *above, double limit,
                        ashi_triangle_visitor visit, void *user)
{
    const ash_geometry_def *def = &geometry->def;
    if (!isfinite(limit))
        return false;
    uint32_t first[3] = {0}, count[3];
    count[0] =
        cell_range(box->lower.x - limit, box->upper.x + limit, def->origin.x, def->spacing.x, def->cells[0], &first[0]);
    count[1] =
        cell_range(box->lower.y - limit, box->upper.y + limit, def->origin.y, def->spacing.y, def->cells[1], &first[1]);
    count[2] =
        cell_range(box->lower.z - limit, box->upper.z + limit, def->origin.z, def->spacing.z, def->cells[2], &first[2]);
    double cells = (double)count[0] * count[1] * count[2];
    if (cells > geometry->field->cell_count || cells > MOST_IN_RANGE)
        return false;
    for (uint32_t k = 0; k < count[2]; k++)
        for (uint32_t j = 0; j < count[1]; j++)
            for (uint32_t i = 0; i < count[0]; i++) {
                const uint32_t at[3] = {first[0] + i, first[1] + j, first[2] + k};
                if (is_near(def, at, box, above, limit))
                    limit = visit_cell(def, at, limit, visit, user);
            }
    return true;
}

/* A node's cells extend at most one cell beyond their inside. */
static ash_bounds node_bounds(const ash_geometry *geometry, uint32_t number)
{
    const ash_bounds *inside = &geometry->field->nodes[number].bounds;
    ash_vec3 cell = geometry->def.spacing;
    return (ash_bounds){v3_sub(inside->lower, cell), v3_add(inside->upper, cell)};
}

/* How far the box around a node extends into the half space. */
static double reach_of(const ash_bounds *bounds, ash_vec3 n)
{
    return n.x * (n.x < 0 ? bounds->lower.x : bounds->upper.x) + n.y * (n.y < 0 ? bounds->lower.y : bounds->upper.y) +
           n.z * (n.z < 0 ? bounds->lower.z : bounds->upper.z);
}

/* The nearer of a node's children; if both are equally near, the one that extends farther up. */
static bool is_second_first(const ash_geometry *geometry, uint32_t number, const ash_bounds *box,
                            const ashi_above *above)
{
    ash_bounds one = node_bounds(geometry, number + 1);
    ash_bounds other = node_bounds(geometry, geometry->field->nodes[number].first);
    double gap_one = ashi_bounds_gap2(&one, box), gap_other = ashi_bounds_gap2(&other, box);
    if (gap_one != gap_other)
        return gap_other < gap_one;
    return reach_of(&other, above->normal) > reach_of(&one, above->normal);
}

static double visit_leaf(const ash_geometry *geometry, const ashi_tree_node *leaf, const ash_bounds *box,
                         const ashi_above *above, double limit, ashi_triangle_visitor visit, void *user)
{
    for (uint32_t c = leaf->first; c < leaf->first + leaf->count; c++) {
        const ashi_field_cell *cell = &geometry->field->cells[c];
        const uint32_t at[3] = {cell->i, cell->j, cell->k};
        if (is_near(&geometry->def, at, box, above, limit))
            limit = visit_cell(&geometry->def, at, limit, visit, user);
    }
    return limit;
}

void ashi_field_triangles_visit(const ash_geometry *geometry, ash_bounds box, const ashi_above *above, double limit,
                                ashi_triangle_visitor visit, void *user)
{
    if (visit_range(geometry, &box, above, limit, visit, user))
        return;
    uint32_t stack[ASHI_TREE_DEPTH], depth = 0, number = 0;
    for (;;) {
        const ashi_tree_node *node = &geometry->field->nodes[number];
        ash_bounds bounds = node_bounds(geometry, number);
        if (!ashi_is_beyond(&bounds, &box, above, limit)) {
            if (node->count == 0) {
                bool swap = is_second_first(geometry, number, &box, above);
                stack[depth++] = swap ? number + 1 : node->first;
                number = swap ? node->first : number + 1;
                continue;
            }
            limit = visit_leaf(geometry, node, &box, above, limit, visit, user);
        }
        if (depth == 0)
            return;
        number = stack[--depth];
    }
}
