/* The cells that the surface of a distance field passes through. For a fixed x the interpolated field is bilinear in y
 * and z, so its minimum is at a corner: the inside of a cell extends along x exactly as far as it does on one of the
 * four edges along x, and likewise for y and z. */
#include "base/alloc.h"
#include "shape/distance_field.h"

/* Extends [*low, *high] by the part of [0, 1] where the line from a to b is negative. */
static void include_edge(double a, double b, double *low, double *high)
{
    if (a >= 0 && b >= 0)
        return;
    double from = a < 0 ? 0 : a / (a - b), to = b < 0 ? 1 : a / (a - b);
    *low = from < *low ? from : *low;
    *high = to > *high ? to : *high;
}

static ash_bounds inside_of(const double value[8])
{
    double low[3] = {1, 1, 1}, high[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; axis++)
        for (int c = 0; c < 8; c++)
            if ((c >> axis & 1) == 0)
                include_edge(value[c], value[c | 1 << axis], &low[axis], &high[axis]);
    return (ash_bounds){v3(low[0], low[1], low[2]), v3(high[0], high[1], high[2])};
}

/* The share of a triangle in which the field, linear between its corners, is negative. */
static double negative_share(double a, double b, double c)
{
    int negative = (a < 0) + (b < 0) + (c < 0);
    if (negative == 0 || negative == 3)
        return negative == 3;
    bool lone_is_negative = negative == 1; /* the corner whose sign differs from the other two's goes to a */
    if ((b < 0) == lone_is_negative) {
        double swap = a;
        a = b;
        b = swap;
    } else if ((c < 0) == lone_is_negative) {
        double swap = a;
        a = c;
        c = swap;
    }
    double corner = a / (a - b) * (a / (a - c));
    return lone_is_negative ? corner : 1 - corner;
}

/* Adds the areas in which the grid's sides cut the inside of a border cell. */
static void add_cuts(ashi_field_surface *surface, const ash_geometry_def *def, const uint32_t place[3],
                     const double value[8])
{
    const double spacing[3] = {def->spacing.x, def->spacing.y, def->spacing.z};
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++) {
            if (place[axis] != (side == 0 ? 0 : def->cells[axis] - 2))
                continue;
            int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, at = side << axis;
            double half = spacing[(axis + 1) % 3] * spacing[(axis + 2) % 3] / 2;
            surface->cut_area[2 * axis + side] += half * (negative_share(value[at], value[at | u], value[at | u | v]) +
                                                          negative_share(value[at], value[at | v], value[at | u | v]));
        }
}

static bool visit(ashi_field_surface *surface, const ash_geometry_def *def, const uint32_t place[3], bool store)
{
    double value[8];
    ashi_field_corners(def, place[0], place[1], place[2], value);
    int inside = 0;
    bool border = false;
    for (int c = 0; c < 8; c++)
        inside += value[c] < 0;
    for (int axis = 0; axis < 3; axis++)
        border = border || place[axis] == 0 || place[axis] == def->cells[axis] - 2;
    if (inside == 0 || (inside == 8 && !border))
        return inside > 0;
    if (store) {
        ash_bounds part = inside_of(value);
        ash_vec3 corner = v3_add(def->origin, v3_mul(def->spacing, v3(place[0], place[1], place[2])));
        surface->cells[surface->cell_count] = (ashi_field_cell){
            place[0],
            place[1],
            place[2],
            {v3_add(corner, v3_mul(def->spacing, part.lower)), v3_add(corner, v3_mul(def->spacing, part.upper))}};
        add_cuts(surface, def, place, value);
    }
    surface->cell_count++;
    return true;
}

/* Counts the cells, or stores them; false when nothing is inside. */
static bool visit_all(ashi_field_surface *surface, const ash_geometry_def *def, bool store)
{
    bool any = false;
    surface->cell_count = 0;
    for (uint32_t k = 0; k + 1 < def->cells[2]; k++)
        for (uint32_t j = 0; j + 1 < def->cells[1]; j++)
            for (uint32_t i = 0; i + 1 < def->cells[0]; i++)
                any |= visit(surface, def, (uint32_t[3]){i, j, k}, store);
    return any;
}

ash_status ashi_field_surface_create(ash_geometry *geometry, ash_diagnostic *diagnostic)
{
    ashi_field_surface *surface = geometry->field = ashi_alloc_zeroed(sizeof *surface);
    if (surface == NULL)
        return ashi_out_of_memory(diagnostic);
    if (!visit_all(surface, &geometry->def, false)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "distance-field.empty", "the distance field is nowhere negative");
        return ashi_expect(diagnostic, "a grid that resolves the inside, where distances are negative"), ASH_BAD_DATA;
    }
    surface->cells = ashi_alloc_array(surface->cell_count, sizeof *surface->cells);
    if (surface->cells == NULL)
        return ashi_out_of_memory(diagnostic);
    visit_all(surface, &geometry->def, true);
    return ASH_OK;
}
