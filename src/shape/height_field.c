/* Height field: samples over a grid in x and y; each cell is two triangles, cut along the diagonal from its lower to
 * its upper corner. The ground lies below the surface, within the grid's outline; the surface ends at the outline,
 * where there is no wall: rays enter only through the surface, from above. A height field has no mass. */
#include "shape/height_field.h"

#include "shape/grid.h"
#include "shape/interval.h"
#include "shape/triangle.h"

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    uint32_t samples;
    ash_status status = ashi_grid_create(geometry, def, 2, &samples, diagnostic);
    if (status != ASH_OK)
        return status;
    if (def->values == NULL)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.values", "the height field has no heights");
    status = ashi_grid_check_values(geometry, def->values, samples, diagnostic);
    if (status != ASH_OK)
        return status;
    void *copy;
    status = ashi_copy_elements(def->values, samples, sizeof *def->values, &copy, diagnostic);
    geometry->def.values = copy;
    return status;
}

ash_vec3 ashi_height_sample(const ash_geometry_def *def, uint32_t i, uint32_t j)
{
    return v3(def->origin.x + i * def->spacing.x, def->origin.y + j * def->spacing.y,
              def->origin.z + def->values[(size_t)j * def->cells[0] + i]);
}

/* Triangle 0 or 1 of a cell, counter-clockwise seen from above. */
static void cell_triangle(const ash_geometry_def *def, uint32_t i, uint32_t j, int half, ash_vec3 corner[3])
{
    corner[0] = ashi_height_sample(def, i, j);
    corner[1] = half == 0 ? ashi_height_sample(def, i + 1, j) : ashi_height_sample(def, i + 1, j + 1);
    corner[2] = half == 0 ? ashi_height_sample(def, i + 1, j + 1) : ashi_height_sample(def, i, j + 1);
}

static uint32_t triangle_number(const ash_geometry_def *def, uint32_t i, uint32_t j, int half)
{
    return 2 * (j * (def->cells[0] - 1) + i) + (uint32_t)half;
}

void ashi_height_triangle(const ash_geometry_def *def, uint32_t number, ash_vec3 corners[3])
{
    uint32_t cell = number / 2, columns = def->cells[0] - 1;
    cell_triangle(def, cell % columns, cell / columns, (int)(number % 2), corners);
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 direction)
{
    const ash_geometry_def *def = &geometry->def;
    ash_vec3 best = ashi_height_sample(def, 0, 0);
    double farthest = v3_dot(best, direction);
    for (uint32_t j = 0; j < def->cells[1]; j++)
        for (uint32_t i = 0; i < def->cells[0]; i++) {
            ash_vec3 point = ashi_height_sample(def, i, j);
            double reach = v3_dot(point, direction);
            if (reach > farthest) {
                farthest = reach;
                best = point;
            }
        }
    return best;
}

/* The cell number nearest to a place in units of the spacing. */
static uint32_t clamp_cell(double place, uint32_t samples)
{
    return !(place > 0) ? 0 : place >= samples - 1 ? samples - 2 : (uint32_t)place;
}

/* Whether a point lies under the surface and within the outline. */
static bool is_below(const ash_geometry_def *def, ash_vec3 p)
{
    double u = (p.x - def->origin.x) / def->spacing.x, v = (p.y - def->origin.y) / def->spacing.y;
    if (u < 0 || v < 0 || u > def->cells[0] - 1 || v > def->cells[1] - 1)
        return false;
    uint32_t i = clamp_cell(u, def->cells[0]), j = clamp_cell(v, def->cells[1]);
    double h00 = ashi_height_sample(def, i, j).z, h10 = ashi_height_sample(def, i + 1, j).z;
    double h01 = ashi_height_sample(def, i, j + 1).z, h11 = ashi_height_sample(def, i + 1, j + 1).z;
    u -= i;
    v -= j;
    double height = u >= v ? h00 + u * (h10 - h00) + v * (h11 - h10) : h00 + v * (h01 - h00) + u * (h11 - h01);
    return p.z < height;
}

static void try_cell(const ash_geometry_def *def, const ashi_shear *shear, const ash_ray *line, uint32_t i, uint32_t j,
                     ash_ray_hit *hit)
{
    for (int half = 0; half < 2; half++) {
        ash_vec3 c[3];
        cell_triangle(def, i, j, half, c);
        double t;
        ash_vec3 normal = v3_cross(v3_sub(c[1], c[0]), v3_sub(c[2], c[0]));
        if (v3_dot(normal, line->direction) >= 0 || !ashi_triangle_line(shear, c[0], c[1], c[2], &t))
            continue;
        if (t >= 0 && t <= line->reach && t < hit->t)
            *hit = (ash_ray_hit){t, v3_add_scaled(line->origin, line->direction, t), v3_unit(normal),
                                 triangle_number(def, i, j, half)};
    }
}

/* A ray over the grid, in units of the spacing. */
typedef struct course {
    double place[2], speed[2];
    double enter, leave; /* the part of the ray that lies over the grid */
    int major;           /* the axis along which it runs faster */
} course;

/* Tolerance of the walk around the ray, so that rounding skips no cell. */
#define SLACK 1e-9

/* Prepares the walk; false when the ray does not pass over the grid. */
static bool set_course(course *c, const ash_geometry_def *def, const ash_ray *line)
{
    c->place[0] = (line->origin.x - def->origin.x) / def->spacing.x;
    c->place[1] = (line->origin.y - def->origin.y) / def->spacing.y;
    c->speed[0] = line->direction.x / def->spacing.x;
    c->speed[1] = line->direction.y / def->spacing.y;
    c->major = fabs(c->speed[0]) >= fabs(c->speed[1]) ? 0 : 1;
    c->enter = 0;
    c->leave = line->reach;
    for (int axis = 0; axis < 2; axis++) {
        double place = c->place[axis], speed = c->speed[axis], extent = def->cells[axis] - 1;
        if (speed == 0) {
            if (place < -SLACK || place > extent + SLACK)
                return false;
            continue;
        }
        double a = (-SLACK - place) / speed, b = (extent + SLACK - place) / speed;
        c->enter = fmax(c->enter, fmin(a, b));
        c->leave = fmin(c->leave, fmax(a, b));
    }
    return c->enter <= c->leave;
}

/* Tests the cells that the ray passes in one column of cells perpendicular to its major axis. */
static void try_column(const ash_geometry_def *def, const course *c, const ashi_shear *shear, const ash_ray *line,
                       uint32_t column, ash_ray_hit *hit)
{
    int minor = 1 - c->major;
    double place = c->place[c->major], speed = c->speed[c->major], from = c->enter, to = c->enter;
    if (speed != 0) {
        double a = (column - SLACK - place) / speed, b = (column + 1 + SLACK - place) / speed;
        from = fmax(c->enter, fmin(a, b));
        to = fmin(c->leave, fmax(a, b));
    }
    double one = c->place[minor] + c->speed[minor] * from, other = c->place[minor] + c->speed[minor] * to;
    uint32_t last = clamp_cell(fmax(one, other) + SLACK, def->cells[minor]);
    for (uint32_t row = clamp_cell(fmin(one, other) - SLACK, def->cells[minor]); row <= last; row++)
        try_cell(def, shear, line, c->major == 0 ? column : row, c->major == 0 ? row : column, hit);
}

/* Walks column by column until a triangle is hit. */
static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    const ash_geometry_def *def = &geometry->def;
    course c;
    if (is_below(def, line->origin))
        return ashi_ray_inside(line, hit);
    if (!set_course(&c, def, line))
        return false;
    ashi_shear shear = ashi_shear_of(line);
    double place = c.place[c.major], speed = c.speed[c.major];
    int step = speed < 0 ? -1 : 1;
    uint32_t columns = def->cells[c.major] - 1;
    uint32_t column = clamp_cell(place + speed * c.enter - step * SLACK, columns + 1), last = column;
    if (speed != 0) /* a vertical ray has one column, and its end may be infinitely far */
        last = clamp_cell(place + speed * c.leave + step * SLACK, columns + 1);
    hit->t = INFINITY;
    for (;;) {
        try_column(def, &c, &shear, line, column, hit);
        if (isfinite(hit->t))
            return true;
        if (column == last || (step > 0 ? column + 1 >= columns : column == 0))
            return false;
        column = step > 0 ? column + 1 : column - 1;
    }
}

static double cell_distance2(const ash_geometry_def *def, uint32_t i, uint32_t j, ash_vec3 p, double best)
{
    for (int half = 0; half < 2; half++) {
        ash_vec3 c[3];
        ashi_feature feature;
        cell_triangle(def, i, j, half, c);
        double gap = v3_norm2(v3_sub(p, ashi_triangle_nearest(c[0], c[1], c[2], p, &feature)));
        best = gap < best ? gap : best;
    }
    return best;
}

/* Searches rings of cells around the one nearest to p, until the next ring is farther away than the best distance
 * found. */
static double distance(const ash_geometry *geometry, ash_vec3 p)
{
    const ash_geometry_def *def = &geometry->def;
    int64_t columns = def->cells[0] - 1, rows = def->cells[1] - 1;
    double u = (p.x - def->origin.x) / def->spacing.x, v = (p.y - def->origin.y) / def->spacing.y;
    int64_t i = clamp_cell(u, def->cells[0]), j = clamp_cell(v, def->cells[1]);
    double pitch = def->spacing.x < def->spacing.y ? def->spacing.x : def->spacing.y, best = INFINITY;
    for (int64_t ring = 0; ring < (columns > rows ? columns : rows) + 1; ring++) {
        double gap = (double)(ring - 1) * pitch; /* a ring begins at least this far from p in x or y */
        if (ring > 0 && gap > 0 && gap * gap > best)
            break;
        for (int64_t b = j - ring; b <= j + ring; b++) {
            bool full = b == j - ring || b == j + ring;
            for (int64_t a = i - ring; a <= i + ring; a += full || ring == 0 ? 1 : 2 * ring)
                if (a >= 0 && b >= 0 && a < columns && b < rows)
                    best = cell_distance2(def, (uint32_t)a, (uint32_t)b, p, best);
        }
    }
    return is_below(def, p) ? -sqrt(best) : sqrt(best);
}

static double projected_area(const ash_geometry *geometry, ash_vec3 direction)
{
    const ash_geometry_def *def = &geometry->def;
    double sum = 0;
    for (uint32_t j = 0; j + 1 < def->cells[1]; j++)
        for (uint32_t i = 0; i + 1 < def->cells[0]; i++)
            for (int half = 0; half < 2; half++) {
                ash_vec3 c[3];
                cell_triangle(def, i, j, half, c);
                sum += fabs(v3_dot(direction, v3_cross(v3_sub(c[1], c[0]), v3_sub(c[2], c[0])))) / 2;
            }
    return sum;
}

const ashi_geometry_functions ashi_height_field = {
    .name = "height-field",
    .triangles = true,
    .face = true,
    .create = create,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = projected_area,
};
