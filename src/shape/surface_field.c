/* The zero surface of a distance field, by marching tetrahedra: each cell is cut into the six tetrahedra along its
 * diagonal that field_moments.c integrates over, so the drawn surface encloses exactly the volume that has the mass. It
 * is open where the grid's sides cut through the inside. */
#include "shape/distance_field.h"
#include "shape/surface.h"

#include "math/vec3.h"

typedef struct corner {
    ash_vec3 place;
    double value;
} corner;

/* From corner 0 to corner 7 of the cell: one tetrahedron for each order of the three axes. */
static const int tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                     {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

static ash_vec3 crossing(const corner *inside, const corner *outside)
{
    double share = inside->value / (inside->value - outside->value);
    return v3_add_scaled(inside->place, v3_sub(outside->place, inside->place), share);
}

static void add(ashi_triangle_list *surface, const ash_geometry *field, ash_vec3 a, ash_vec3 b, ash_vec3 c)
{
    ash_vec3 across = v3_cross(v3_sub(b, a), v3_sub(c, a));
    if (v3_norm2(across) == 0)
        return;
    const ash_vec3 corners[3] = {a, b, c};
    uint32_t number[3];
    for (int i = 0; i < 3; i++) {
        ash_vec3 slope = ashi_field_gradient(field, corners[i]);
        bool steep = v3_norm2(slope) > 0;
        number[i] = ashi_surface_point(surface, corners[i], v3_unit(steep ? slope : across));
    }
    ashi_surface_triangle(surface, number[0], number[1], number[2]);
}

/* One, two or three of the four corners are outside; all triangles are counter-clockwise seen from there. */
static void cut(ashi_triangle_list *surface, const ash_geometry *field, const corner t[4])
{
    const corner *inside[4], *outside[4];
    int in = 0, out = 0;
    for (int i = 0; i < 4; i++)
        if (t[i].value < 0)
            inside[in++] = &t[i];
        else
            outside[out++] = &t[i];
    if (in == 0 || out == 0)
        return;
    ash_vec3 p[4];
    int count = 0;
    if (in == 2) { /* a quadrilateral, around */
        p[0] = crossing(inside[0], outside[0]);
        p[1] = crossing(inside[0], outside[1]);
        p[2] = crossing(inside[1], outside[1]);
        p[3] = crossing(inside[1], outside[0]);
        count = 4;
    } else {
        for (int i = 0; i < 3; i++)
            p[count++] = in == 1 ? crossing(inside[0], outside[i]) : crossing(inside[i], outside[0]);
    }
    ash_vec3 normal = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
    if (in == 2 && v3_norm2(normal) == 0)
        normal = v3_cross(v3_sub(p[2], p[0]), v3_sub(p[3], p[0]));
    bool outward = v3_dot(normal, v3_sub(outside[0]->place, inside[0]->place)) > 0;
    for (int i = 2; i < count; i++)
        if (outward)
            add(surface, field, p[0], p[i - 1], p[i]);
        else
            add(surface, field, p[0], p[i], p[i - 1]);
}

void ashi_surface_of_field(ashi_triangle_list *surface, const ash_geometry *geometry)
{
    const ash_geometry_def *def = &geometry->def;
    for (uint32_t n = 0; n < geometry->field->cell_count && !surface->failed; n++) {
        const ashi_field_cell *cell = &geometry->field->cells[n];
        double value[8];
        corner corners[8];
        ashi_field_corners(def, cell->i, cell->j, cell->k, value);
        for (int c = 0; c < 8; c++) {
            ash_vec3 place = v3(cell->i + (c & 1), cell->j + (c >> 1 & 1), cell->k + (c >> 2));
            corners[c] = (corner){v3_add(def->origin, v3_mul(def->spacing, place)), value[c]};
        }
        for (int i = 0; i < 6; i++) {
            corner t[4];
            for (int k = 0; k < 4; k++)
                t[k] = corners[tetrahedra[i][k]];
            cut(surface, geometry, t);
        }
    }
}
