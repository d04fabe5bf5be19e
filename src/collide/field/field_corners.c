/* A cell owns the lines from its first sample and, at the far sides of the grid, those from its other samples. */
#include "collide/field/field_corners.h"

/* Lines from a sample, numbered by the axes along which they lead; 0 is the sample itself. */
#define LINES 8

/* The cell and its place in the grid. */
typedef struct corner_cell {
    double value[8];
    ash_vec3 corner[8];
    uint32_t sample[8];
    int first, last; /* axes along which the cell is at the near and the far side of the grid */
} corner_cell;

static void set_up(corner_cell *cell, const ash_geometry_def *def, const ashi_field_cell *place)
{
    const uint32_t at[3] = {place->i, place->j, place->k};
    cell->first = cell->last = 0;
    ashi_field_corners(def, at[0], at[1], at[2], cell->value);
    for (int axis = 0; axis < 3; axis++) {
        cell->last |= (at[axis] + 2 == def->cells[axis]) << axis;
        cell->first |= (at[axis] == 0) << axis;
    }
    for (uint32_t c = 0; c < 8; c++) {
        uint32_t i = at[0] + (c & 1), j = at[1] + (c >> 1 & 1), k = at[2] + (c >> 2);
        cell->corner[c] = v3_add(def->origin, v3_mul(def->spacing, v3(i, j, k)));
        cell->sample[c] = (k * def->cells[1] + j) * def->cells[0] + i;
    }
}

void ashi_field_corners_visit(const ash_geometry_def *def, const ashi_field_cell *place, ashi_corner_visitor visit,
                              void *user)
{
    corner_cell cell;
    set_up(&cell, def, place);
    for (int c = 0; c < 8; c++) {
        if ((c & ~cell.last) != 0)
            continue;
        double here = cell.value[c];
        if (here < 0 && (c != 0 || (cell.first & ~c) != 0)) /* on a side of the grid */
            visit(cell.corner[c], LINES * cell.sample[c], user);
        for (int line = 1; line < LINES; line++) {
            int end = c | line;
            if ((c & line) != 0 || (here < 0) == (cell.value[end] < 0))
                continue;
            double share = here / (here - cell.value[end]);
            visit(v3_add_scaled(cell.corner[c], v3_sub(cell.corner[end], cell.corner[c]), share),
                  LINES * cell.sample[c] + (uint32_t)line, user);
        }
    }
}
