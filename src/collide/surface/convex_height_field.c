/* Convex bodies on height fields: the cells under the body's box, two triangles each, treated as in surface.h.
 * Neighbours come from the grid. The surface ends at the outline; its rim can be touched from above and from the
 * side. */
#include "shape/height_field.h"

#include "collide/surface/surface.h"

static ashi_facet facet(const ash_geometry *geometry, uint32_t number)
{
    ashi_facet f = {.number = number};
    ashi_height_triangle(&geometry->def, number, f.corners);
    f.normal = v3_unit(v3_cross(v3_sub(f.corners[1], f.corners[0]), v3_sub(f.corners[2], f.corners[0])));
    return f;
}

/* Triangle 0 of a cell has the cell's lower side, its right side and the diagonal as edges 0, 1, 2; triangle 1 has the
 * diagonal, the upper side and the left side. */
static bool beyond(const ash_geometry *geometry, const ashi_facet *from, int edge, ash_vec3 *normal)
{
    const ash_geometry_def *def = &geometry->def;
    uint32_t columns = def->cells[0] - 1, rows = def->cells[1] - 1, half = from->number % 2;
    uint32_t i = from->number / 2 % columns, j = from->number / 2 / columns;
    if (edge == (half == 0 ? 2 : 0)) {
        *normal = facet(geometry, from->number ^ 1).normal;
        return true;
    }
    bool across_rows = half == 0 ? edge == 0 : edge == 1;
    if (half == 0 ? (across_rows ? j == 0 : i + 1 == columns) : (across_rows ? j + 1 == rows : i == 0))
        return false;
    uint32_t step = across_rows ? 2 * columns : 2;
    uint32_t cell = 2 * (from->number / 2), neighbour;
    if (half == 0)
        neighbour = across_rows ? cell - step + 1 : cell + step + 1;
    else
        neighbour = across_rows ? cell + step : cell - step;
    *normal = facet(geometry, neighbour).normal;
    return true;
}

static bool corner_keeps(const ash_geometry *geometry, const ashi_facet *from, int corner, ash_vec3 direction,
                         double tolerance)
{
    static const int spokes[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    const ash_geometry_def *def = &geometry->def;
    uint32_t columns = def->cells[0] - 1, half = from->number % 2;
    int64_t i = from->number / 2 % columns, j = from->number / 2 / columns;
    i += half == 0 ? corner > 0 : corner == 1;
    j += half == 0 ? corner == 2 : corner > 0;
    for (int n = 0; n < 6; n++) {
        int64_t u = i + spokes[n][0], v = j + spokes[n][1];
        if (u < 0 || v < 0 || u >= def->cells[0] || v >= def->cells[1])
            continue;
        ash_vec3 along = v3_sub(ashi_height_sample(def, (uint32_t)u, (uint32_t)v), from->corners[corner]);
        if (v3_dot(direction, along) > tolerance * v3_norm(along))
            return false;
    }
    return true;
}

static ash_vec3 corner_normal(const ash_geometry *geometry, const ashi_facet *from, int corner)
{
    (void)geometry, (void)from, (void)corner;
    return v3(0, 0, 1);
}

/* The cells along one axis that a box reaches; false when none. */
static bool cells_under(double lower, double upper, double origin, double spacing, uint32_t samples, uint32_t *first,
                        uint32_t *last)
{
    double from = floor((lower - origin) / spacing), to = floor((upper - origin) / spacing), most = samples - 2.0;
    if (!(to >= -1) || !(from <= most + 1)) /* one cell more than needed, so that rounding loses none */
        return false;
    *first = from <= 0 ? 0 : from >= most ? samples - 2 : (uint32_t)from;
    *last = to <= 0 ? 0 : to >= most ? samples - 2 : (uint32_t)to;
    return true;
}

static bool misses(const ash_geometry_def *def, uint32_t i, uint32_t j, const ash_bounds *box)
{
    double lowest = INFINITY, highest = -INFINITY;
    for (uint32_t n = 0; n < 4; n++) {
        double z = ashi_height_sample(def, i + n % 2, j + n / 2).z;
        lowest = fmin(lowest, z);
        highest = fmax(highest, z);
    }
    return box->lower.z > highest || box->upper.z < lowest;
}

static bool walk(ashi_gathering *gathering, const ash_bounds *box)
{
    const ash_geometry_def *def = &gathering->surface->geometry->def;
    uint32_t left, right, near, far;
    if (!cells_under(box->lower.x, box->upper.x, def->origin.x, def->spacing.x, def->cells[0], &left, &right) ||
        !cells_under(box->lower.y, box->upper.y, def->origin.y, def->spacing.y, def->cells[1], &near, &far))
        return true;
    for (uint32_t j = near; j <= far; j++)
        for (uint32_t i = left; i <= right; i++) {
            uint32_t cell = j * (def->cells[0] - 1) + i;
            if (misses(def, i, j, box))
                continue;
            if (!ashi_gather(gathering, 2 * cell) || !ashi_gather(gathering, 2 * cell + 1))
                return false;
        }
    return true;
}

/* A sample belongs to the lower triangle of its own cell or, at the outline, to a triangle of a cell before it. */
static bool owns_corner(const ash_geometry *geometry, uint32_t triangle, int corner)
{
    const ash_geometry_def *def = &geometry->def;
    uint32_t columns = def->cells[0] - 1, rows = def->cells[1] - 1;
    bool last_column = triangle / 2 % columns + 1 == columns, last_row = triangle / 2 / columns + 1 == rows;
    if (triangle % 2 == 1)
        return corner == 2 && last_row;
    return corner == 0 || (corner == 1 ? last_column : last_column && last_row);
}

/* The lower triangle of a cell has all edges but those at the far and the left outline. */
static bool owns_edge(const ash_geometry *geometry, uint32_t triangle, int edge)
{
    const ash_geometry_def *def = &geometry->def;
    uint32_t columns = def->cells[0] - 1, rows = def->cells[1] - 1;
    if (triangle % 2 == 0)
        return true;
    return edge == 1 ? triangle / 2 / columns + 1 == rows : edge == 2 && triangle / 2 % columns == 0;
}

static bool corner_is_flat(const ash_geometry *geometry, const ashi_facet *from, int corner)
{
    const ash_geometry_def *def = &geometry->def;
    uint32_t columns = def->cells[0] - 1, half = from->number % 2, i, j;
    i = from->number / 2 % columns + (half == 0 ? corner > 0 : corner == 1);
    j = from->number / 2 / columns + (half == 0 ? corner == 2 : corner > 0);
    if (i == 0 || j == 0 || i + 1 == def->cells[0] || j + 1 == def->cells[1])
        return false;
    double here = ashi_height_sample(def, i, j).z;
    double right = ashi_height_sample(def, i + 1, j).z - here, left = ashi_height_sample(def, i - 1, j).z - here;
    double far = ashi_height_sample(def, i, j + 1).z - here, near = ashi_height_sample(def, i, j - 1).z - here;
    double up = ashi_height_sample(def, i + 1, j + 1).z - here, down = ashi_height_sample(def, i - 1, j - 1).z - here;
    double slack = 1e-9 * fmin(def->spacing.x, def->spacing.y);
    return fabs(right + left) <= slack && fabs(far + near) <= slack && fabs(up - right - far) <= slack &&
           fabs(down - left - near) <= slack;
}

const ashi_facet_source ashi_height_field_surface = {
    NULL, false, walk, facet, beyond, corner_keeps, corner_normal, owns_corner, owns_edge, corner_is_flat};
