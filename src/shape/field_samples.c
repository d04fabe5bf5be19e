/* Surface points of a distance field: one in each cell that the zero level passes through, namely the mean of its
 * crossings with the cell's edges, moved onto the level by Newton steps along the gradient, so that points are about a
 * cell apart; and one in the middle of each cell's side where the grid's border cuts through the inside. The tree
 * halves the points along the longest side of their box; its spheres are centred on these boxes. */
#include "shape/field_samples.h"

#include "shape/distance_field.h"

#define LEAF_SIZE    8
#define NEWTON_STEPS 4

/* In units of the cell. */
typedef struct cell_field {
    double value[8];
} cell_field;

static double value_in(const cell_field *cell, ash_vec3 u, ash_vec3 *slope)
{
    const double *f = cell->value;
    double along[4], rise[4];
    for (int n = 0; n < 4; n++) {
        rise[n] = f[2 * n + 1] - f[2 * n];
        along[n] = f[2 * n] + u.x * rise[n];
    }
    double low = along[0] + u.y * (along[1] - along[0]), high = along[2] + u.y * (along[3] - along[2]);
    double rise_low = rise[0] + u.y * (rise[1] - rise[0]), rise_high = rise[2] + u.y * (rise[3] - rise[2]);
    double across = along[1] - along[0];
    *slope = v3(rise_low + u.z * (rise_high - rise_low), across + u.z * (along[3] - along[2] - across), high - low);
    return low + u.z * (high - low);
}

/* The mean of the crossings of the zero level with the twelve edges; false when there is none. */
static bool mean_crossing(const cell_field *cell, ash_vec3 *mean)
{
    ash_vec3 sum = v3(0, 0, 0);
    int count = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int c = 0; c < 8; c++) {
            if ((c >> axis & 1) != 0)
                continue;
            double a = cell->value[c], b = cell->value[c | 1 << axis];
            if ((a < 0) == (b < 0))
                continue;
            double share = a / (a - b), place[3] = {c & 1, c >> 1 & 1, c >> 2};
            place[axis] = share;
            sum = v3_add(sum, v3(place[0], place[1], place[2]));
            count++;
        }
    if (count == 0)
        return false;
    *mean = v3_scale(sum, 1.0 / count);
    return true;
}

static ash_vec3 clamp_to_cell(ash_vec3 u)
{
    return v3_min(v3_max(u, v3(0, 0, 0)), v3(1, 1, 1));
}

static bool add_point(ashi_field_samples *samples, const ash_geometry_def *def, const ashi_field_cell *at, ash_vec3 u)
{
    if (!ashi_array_extend(&samples->points))
        return false;
    ash_vec3 place = v3_add(v3(at->i, at->j, at->k), u);
    samples->points.data[samples->points.count - 1] = v3_add(def->origin, v3_mul(def->spacing, place));
    return true;
}

static bool add_crossing(ashi_field_samples *samples, const ash_geometry_def *def, const ashi_field_cell *at,
                         const cell_field *cell)
{
    ash_vec3 u, slope;
    if (!mean_crossing(cell, &u))
        return true;
    for (int step = 0; step < NEWTON_STEPS; step++) {
        double value = value_in(cell, u, &slope), square = v3_norm2(slope);
        if (!(square > 0))
            break;
        u = clamp_to_cell(v3_add_scaled(u, slope, -value / square));
    }
    return add_point(samples, def, at, u);
}

/* Adds points where the grid ends inside the solid. */
static bool add_cuts(ashi_field_samples *samples, const ash_geometry_def *def, const ashi_field_cell *at,
                     const cell_field *cell)
{
    const uint32_t place[3] = {at->i, at->j, at->k};
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++) {
            if (place[axis] != (side == 0 ? 0 : def->cells[axis] - 2))
                continue;
            double u[3] = {0.5, 0.5, 0.5};
            u[axis] = side;
            ash_vec3 middle = v3(u[0], u[1], u[2]), slope;
            if (value_in(cell, middle, &slope) < 0 && !add_point(samples, def, at, middle))
                return false;
        }
    return true;
}

/* The slope along an axis is a mean of the slopes along the cell's four edges in that direction. */
static double steepest_in(const double value[8], ash_vec3 spacing)
{
    const double along[3] = {spacing.x, spacing.y, spacing.z};
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        double most = 0;
        for (int c = 0; c < 8; c++)
            if ((c >> axis & 1) == 0)
                most = fmax(most, fabs(value[c | 1 << axis] - value[c]));
        square += most * most / (along[axis] * along[axis]);
    }
    return square;
}

/* The steepest slope of all cells. */
static double steepest(const ash_geometry_def *def)
{
    double square = 0, value[8];
    for (uint32_t k = 0; k + 1 < def->cells[2]; k++)
        for (uint32_t j = 0; j + 1 < def->cells[1]; j++)
            for (uint32_t i = 0; i + 1 < def->cells[0]; i++) {
                ashi_field_corners(def, i, j, k, value);
                square = fmax(square, steepest_in(value, def->spacing));
            }
    return sqrt(square);
}

static double component(ash_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Order by this axis, then by the others, so that it is the same on every machine. */
static bool precedes(ash_vec3 a, ash_vec3 b, int axis)
{
    for (int n = 0; n < 3; n++) {
        double u = component(a, (axis + n) % 3), v = component(b, (axis + n) % 3);
        if (u != v)
            return u < v;
    }
    return false;
}

/* Reorders [first, end) so that everything before `middle` precedes everything from it on. */
static void select_median(ash_vec3 *points, uint32_t first, uint32_t end, uint32_t middle, int axis)
{
    int64_t low = first, high = (int64_t)end - 1;
    while (low < high) {
        ash_vec3 pivot = points[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (precedes(points[i], pivot, axis))
                i++;
            while (precedes(pivot, points[j], axis))
                j--;
            if (i <= j) {
                ash_vec3 swap = points[i];
                points[i++] = points[j];
                points[j--] = swap;
            }
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

static bool build(ashi_field_samples *samples, uint32_t first, uint32_t end)
{
    uint32_t number = samples->nodes.count;
    if (!ashi_array_extend(&samples->nodes))
        return false;
    ash_vec3 *points = samples->points.data, lower = points[first], upper = points[first];
    for (uint32_t i = first + 1; i < end; i++) {
        lower = v3_min(lower, points[i]);
        upper = v3_max(upper, points[i]);
    }
    ashi_sample_node node = {v3_scale(v3_add(lower, upper), 0.5), 0, first, end - first};
    for (uint32_t i = first; i < end; i++)
        node.radius = fmax(node.radius, v3_distance(points[i], node.centre));
    if (end - first > LEAF_SIZE) {
        ash_vec3 size = v3_sub(upper, lower);
        int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        uint32_t middle = first + (end - first) / 2;
        select_median(points, first, end, middle, axis);
        if (!build(samples, first, middle))
            return false;
        node.first = samples->nodes.count;
        node.count = 0;
        if (!build(samples, middle, end))
            return false;
    }
    samples->nodes.data[number] = node;
    return true;
}

bool ashi_field_samples_create(ash_geometry *geometry)
{
    const ash_geometry_def *def = &geometry->def;
    ashi_field_surface *surface = geometry->field;
    ashi_field_samples *samples = &surface->samples;
    for (uint32_t c = 0; c < surface->cell_count; c++) {
        const ashi_field_cell *at = &surface->cells[c];
        cell_field cell;
        ashi_field_corners(def, at->i, at->j, at->k, cell.value);
        if (!add_crossing(samples, def, at, &cell) || !add_cuts(samples, def, at, &cell))
            return false;
    }
    samples->slope = steepest(def);
    return samples->points.count == 0 || build(samples, 0, samples->points.count);
}

void ashi_field_samples_release(ashi_field_samples *samples)
{
    ashi_array_release(&samples->points);
    ashi_array_release(&samples->nodes);
}
