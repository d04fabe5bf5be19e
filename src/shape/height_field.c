/* Height field: samples over a grid in x and y; each cell is two triangles, cut along the diagonal from its lower to
 * its upper corner. The ground lies below the surface, within the grid's outline; the surface ends at the outline,
 * where there is no wall: rays enter only through the surface, from above. It has no mass. */
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

static ash_vec3 sample(const ash_geometry_def *def, uint32_t i, uint32_t j)
{
    return v3(def->origin.x + i * def->spacing.x, def->origin.y + j * def->spacing.y,
              def->origin.z + def->values[(size_t)j * def->cells[0] + i]);
}

/* Triangle 0 or 1 of a cell, counter-clockwise seen from above. */
static void cell_triangle(const ash_geometry_def *def, uint32_t i, uint32_t j, int half, ash_vec3 corner[3])
{
    corner[0] = sample(def, i, j);
    corner[1] = half == 0 ? sample(def, i + 1, j) : sample(def, i + 1, j + 1);
    corner[2] = half == 0 ? sample(def, i + 1, j + 1) : sample(def, i, j + 1);
}

static uint32_t triangle_number(const ash_geometry_def *def, uint32_t i, uint32_t j, int half)
{
    return 2 * (j * (def->cells[0] - 1) + i) + (uint32_t)half;
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 direction)
{
    const ash_geometry_def *def = &geometry->def;
    ash_vec3 best = sample(def, 0, 0);
    double farthest = v3_dot(best, direction);
    for (uint32_t j = 0; j < def->cells[1]; j++)
        for (uint32_t i = 0; i < def->cells[0]; i++) {
            ash_vec3 point = sample(def, i, j);
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
    double h00 = sample(def, i, j).z, h10 = sample(def, i + 1, j).z;
    double h01 = sample(def, i, j + 1).z, h11 = sample(def, i + 1, j + 1).z;
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
        if (t >= 0 && t < hit->t)
            *hit = (ash_ray_hit){t, v3_add_scaled(line->origin, line->direction, t), v3_unit(normal),
                                 triangle_number(def, i, j, half)};
    }
}

/* Walks the columns of cells along the grid axis in which the ray runs faster; in each, the ray passes a range of cells
 * in the other axis, widened a little so that rounding skips none. */
static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    const ash_geometry_def *def = &geometry->def;
    if (is_below(def, line->origin))
        return ashi_ray_inside(line, hit);
    const double slack = 1e-9;
    double place[2] = {(line->origin.x - def->origin.x) / def->spacing.x,
                       (line->origin.y - def->origin.y) / def->spacing.y};
    double speed[2] = {line->direction.x / def->spacing.x, line->direction.y / def->spacing.y};
    int major = fabs(speed[0]) >= fabs(speed[1]) ? 0 : 1, minor = 1 - major;
    uint32_t columns = def->cells[major] - 1, rows = def->cells[minor] - 1;
    double enter = 0, leave = line->reach;
    for (int axis = 0; axis < 2; axis++) { /* the part over the grid */
        double extent = def->cells[axis] - 1;
        if (speed[axis] == 0) {
            if (place[axis] < -slack || place[axis] > extent + slack)
                return false;
            continue;
        }
        double a = (-slack - place[axis]) / speed[axis], b = (extent + slack - place[axis]) / speed[axis];
        enter = fmax(enter, fmin(a, b));
        leave = fmin(leave, fmax(a, b));
    }
    if (!(enter <= leave))
        return false;
    ashi_shear shear = ashi_shear_of(line);
    double start = place[major] + speed[major] * enter;
    double end = isfinite(leave) ? place[major] + speed[major] * leave : start; /* straight up or down: one column */
    int step = speed[major] < 0 ? -1 : 1;
    uint32_t column = clamp_cell(start - step * slack, def->cells[major]);
    uint32_t last = clamp_cell(end + step * slack, def->cells[major]);
    hit->t = nextafter(line->reach, INFINITY);
    for (;; column = (uint32_t)((int64_t)column + step)) {
        double low = start, high = end;
        if (speed[major] != 0) { /* where in the other axis the ray passes this column */
            double a = (column - slack - place[major]) / speed[major],
                   b = (column + 1 + slack - place[major]) / speed[major];
            double from = fmax(enter, fmin(a, b)), to = fmin(leave, fmax(a, b));
            low = place[minor] + speed[minor] * from;
            high = place[minor] + speed[minor] * to;
        } else {
            low = high = place[minor];
        }
        uint32_t first_row = clamp_cell(fmin(low, high) - slack, rows + 1);
        uint32_t last_row = clamp_cell(fmax(low, high) + slack, rows + 1);
        for (uint32_t row = first_row; row <= last_row; row++)
            try_cell(def, &shear, line, major == 0 ? column : row, major == 0 ? row : column, hit);
        if (hit->t <= line->reach)
            return true;
        if (column == last || column >= columns)
            return false;
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

/* Searches rings of cells around the one nearest to p, until the next ring is farther off than the best found. */
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
    .create = create,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = projected_area,
};
