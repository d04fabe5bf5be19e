/* Engraved letters. The mesh is made of one square for each cell at its level, one for each band between two
 * neighbouring levels on every side where the next cell is lower, and the outer sides and the underside, all with
 * corners on the same grid of points: each edge has exactly two triangles. That needs letters whose cells never touch
 * at a corner alone, or four walls would meet in one edge. */
#include "experiments/builtin/engraving.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/diagnostic.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { LETTER_COLUMNS = 5, LETTER_ROWS = 7, MARGIN = 3, RIM = 1 };

/* From the top row down. */
static const struct {
    char name;
    const char *rows[LETTER_ROWS];
} font[] = {
    {'A', {"#####", "#...#", "#...#", "#####", "#...#", "#...#", "#...#"}},
    {'H', {"#...#", "#...#", "#...#", "#####", "#...#", "#...#", "#...#"}},
    {'L', {"#....", "#....", "#....", "#....", "#....", "#....", "#####"}},
    {'R', {"#####", "#...#", "#...#", "#####", "#..#.", "#..##", "#...#"}},
    {'S', {"#####", "#....", "#....", "#####", "....#", "....#", "#####"}},
};
enum { LETTERS = sizeof font / sizeof *font };

static ash_status cut_letter(ashi_engraving *e, char name, uint32_t number, ash_diagnostic *diagnostic)
{
    uint32_t known = 0;
    while (known < LETTERS && font[known].name != name)
        known++;
    if (known == LETTERS) {
        ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "engraving.letter", "the letter '%c' is not in the font", name);
        return ashi_expect(diagnostic, "letters of \"AHLRS\""), ASH_BAD_ARGUMENT;
    }
    uint32_t left = RIM + MARGIN + number * (LETTER_COLUMNS + 1), top = e->rows - 1 - RIM - MARGIN;
    for (uint32_t row = 0; row < LETTER_ROWS; row++)
        for (uint32_t column = 0; column < LETTER_COLUMNS; column++)
            if (font[known].rows[row][column] == '#') {
                size_t cell = (size_t)(top - row) * e->columns + left + column;
                e->level[cell] = ASHI_LEVEL_FLOOR;
                e->letter[cell] = (uint8_t)(1 + number);
            }
    return ASH_OK;
}

/* Open at the lower end. */
static bool is_rim(const ashi_engraving *e, uint32_t i, uint32_t j)
{
    return i == 0 || i + 1 == e->columns || j + 1 == e->rows;
}

ash_status ashi_engrave(const char *word, double cell, ashi_engraving *engraving, ash_diagnostic *diagnostic)
{
    uint32_t length = (uint32_t)strlen(word);
    *engraving = (ashi_engraving){.columns = length * (LETTER_COLUMNS + 1) - 1 + 2 * (MARGIN + RIM),
                                  .rows = LETTER_ROWS + 2 * (MARGIN + RIM),
                                  .cell = cell,
                                  .depth = 0.75 * cell,
                                  .rim = 2 * cell,
                                  .thickness = 2 * cell};
    uint32_t cells = engraving->columns * engraving->rows;
    engraving->level = ashi_alloc_zeroed(cells);
    engraving->letter = ashi_alloc_zeroed(cells);
    ash_status status = engraving->level != NULL && engraving->letter != NULL ? ASH_OK : ashi_out_of_memory(diagnostic);
    for (uint32_t n = 0; n < cells && status == ASH_OK; n++)
        engraving->level[n] =
            is_rim(engraving, n % engraving->columns, n / engraving->columns) ? ASHI_LEVEL_RIM : ASHI_LEVEL_FACE;
    for (uint32_t n = 0; n < length && status == ASH_OK; n++)
        status = cut_letter(engraving, word[n], n, diagnostic);
    if (status != ASH_OK)
        ashi_engraving_release(engraving);
    return status;
}

void ashi_engraving_release(ashi_engraving *engraving)
{
    ashi_dealloc(engraving->level);
    ashi_dealloc(engraving->letter);
    engraving->level = engraving->letter = NULL;
}

/* Points lie on the grid's lines at the underside and at each level: numbers 0, and 1 + level. */
enum { HEIGHTS = 1 + ASHI_LEVELS };

typedef struct builder {
    const ashi_engraving *engraving;
    ASHI_ARRAY(uint32_t) triangles;
    bool failed;
} builder;

static uint32_t point_number(const ashi_engraving *e, uint32_t i, uint32_t j, uint32_t height)
{
    return (height * (e->rows + 1) + j) * (e->columns + 1) + i;
}

static void add_triangle(builder *b, uint32_t p, uint32_t q, uint32_t r)
{
    for (int k = 0; k < 3 && !b->failed; k++) {
        b->failed = !ashi_array_extend(&b->triangles);
        if (!b->failed)
            b->triangles.data[b->triangles.count - 1] = k == 0 ? p : k == 1 ? q : r;
    }
}

/* Counter-clockwise seen from outside. */
static void add_square(builder *b, const uint32_t p[4])
{
    add_triangle(b, p[0], p[1], p[2]);
    add_triangle(b, p[0], p[2], p[3]);
}

/* The wall over the line from (i, j) to (i2, j2), seen from its right. */
static void add_wall(builder *b, const uint32_t from[2], const uint32_t to[2], uint32_t low, uint32_t high)
{
    const ashi_engraving *e = b->engraving;
    for (uint32_t height = low; height < high; height++) {
        const uint32_t p[4] = {point_number(e, from[0], from[1], height), point_number(e, to[0], to[1], height),
                               point_number(e, to[0], to[1], height + 1),
                               point_number(e, from[0], from[1], height + 1)};
        add_square(b, p);
    }
}

/* The height of a cell's top; beyond the plate there is nothing above the underside. */
static uint32_t height_at(const ashi_engraving *e, int64_t i, int64_t j)
{
    bool on_plate = i >= 0 && j >= 0 && i < e->columns && j < e->rows;
    return on_plate ? 1u + e->level[(size_t)j * e->columns + (size_t)i] : 0;
}

static void add_cell(builder *b, uint32_t i, uint32_t j)
{
    const ashi_engraving *e = b->engraving;
    uint32_t top = height_at(e, i, j);
    const uint32_t corner[4][2] = {{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}};
    const int step[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}}; /* across the side that starts at the corner */
    uint32_t above[4], below[4];
    for (int k = 0; k < 4; k++) {
        above[k] = point_number(e, corner[k][0], corner[k][1], top);
        below[3 - k] = point_number(e, corner[k][0], corner[k][1], 0);
        uint32_t next = height_at(e, (int64_t)i + step[k][0], (int64_t)j + step[k][1]);
        add_wall(b, corner[k], corner[(k + 1) % 4], next, top);
    }
    add_square(b, above);
    add_square(b, below);
}

static void place_points(const ashi_engraving *e, ash_vec3 *points)
{
    const double heights[HEIGHTS] = {-e->thickness, -e->depth, 0, e->rim};
    for (uint32_t height = 0; height < HEIGHTS; height++)
        for (uint32_t j = 0; j <= e->rows; j++)
            for (uint32_t i = 0; i <= e->columns; i++)
                points[point_number(e, i, j, height)] =
                    v3(e->cell * (i - 0.5 * e->columns), e->cell * (j - 0.5 * e->rows), heights[height]);
}

ash_status ashi_engraving_mesh(const ashi_engraving *engraving, ash_geometry **mesh, ash_diagnostic *diagnostic)
{
    uint32_t count = HEIGHTS * (engraving->columns + 1) * (engraving->rows + 1);
    ash_vec3 *points = ashi_alloc_array(count, sizeof *points);
    builder b = {.engraving = engraving, .failed = points == NULL};
    for (uint32_t j = 0; j < engraving->rows; j++)
        for (uint32_t i = 0; i < engraving->columns; i++)
            add_cell(&b, i, j);
    ash_status status = b.failed ? ashi_out_of_memory(diagnostic) : ASH_OK;
    if (status == ASH_OK) {
        place_points(engraving, points);
        ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_MESH);
        def.points = points;
        def.point_count = count;
        def.triangles = b.triangles.data;
        def.triangle_count = b.triangles.count / 3;
        status = ash_geometry_create(&def, mesh, diagnostic);
    }
    ashi_array_release(&b.triangles);
    ashi_dealloc(points);
    return status;
}

uint32_t ashi_engraving_letter_at(const ashi_engraving *engraving, double x, double y)
{
    double i = floor(x / engraving->cell + 0.5 * engraving->columns);
    double j = floor(y / engraving->cell + 0.5 * engraving->rows);
    if (!(i >= 0 && j >= 0 && i < engraving->columns && j < engraving->rows))
        return 0;
    return engraving->letter[(size_t)j * engraving->columns + (size_t)i];
}
