/* Volume integrals and projected area of a distance field. A cell is cut into the six tetrahedra that share its
 * diagonal from corner 0 to corner 7, one for each order of the axes; in each the field is linear between the corners,
 * so the inside is a tetrahedron, a wedge, or a tetrahedron minus a smaller one, whose moments are sums over corners:
 *     int x x^T dV = V/20 (sum p_i p_i^T + (sum p_i) (sum p_i)^T). */
#include "shape/distance_field.h"

static const int paths[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};

typedef struct tetrahedron {
    ash_vec3 p[4];
    double f[4];
    int inside; /* corners with a negative field; they come first */
} tetrahedron;

static tetrahedron cell_tetrahedron(ash_vec3 corner, ash_vec3 spacing, const double value[8], int number)
{
    tetrahedron t = {.inside = 0};
    int low = 0, high = 3;
    for (int c = 0; c < 4; c++) {
        int at = paths[number][c];
        bool negative = value[at] < 0;
        int slot = negative ? low++ : high--;
        t.p[slot] = v3_add(
            corner, v3((at & 1) != 0 ? spacing.x : 0, (at & 2) != 0 ? spacing.y : 0, (at & 4) != 0 ? spacing.z : 0));
        t.f[slot] = value[at];
        t.inside += negative;
    }
    return t;
}

/* The point between a corner inside and one outside where the field is 0. */
static ash_vec3 crossing(const tetrahedron *t, int inside, int outside)
{
    double share = t->f[inside] / (t->f[inside] - t->f[outside]);
    return v3_add_scaled(t->p[inside], v3_sub(t->p[outside], t->p[inside]), share);
}

static void add_solid(ashi_field_moments *m, ash_vec3 a, ash_vec3 b, ash_vec3 c, ash_vec3 d, double sign)
{
    double volume = sign * fabs(v3_dot(v3_sub(b, a), v3_cross(v3_sub(c, a), v3_sub(d, a)))) / 6;
    ash_vec3 sum = v3_add(v3_add(a, b), v3_add(c, d));
    m->volume += volume;
    m->first = v3_add_scaled(m->first, sum, volume / 4);
    ash_sym3 corners = s3_add(s3_add(s3_outer(a, 1), s3_outer(b, 1)), s3_add(s3_outer(c, 1), s3_outer(d, 1)));
    m->second = s3_add(m->second, s3_scale(s3_add(corners, s3_outer(sum, 1)), volume / 20));
}

static void add_tetrahedron(ashi_field_moments *m, const tetrahedron *t)
{
    const ash_vec3 *p = t->p;
    if (t->inside == 1) {
        add_solid(m, p[0], crossing(t, 0, 1), crossing(t, 0, 2), crossing(t, 0, 3), 1);
    } else if (t->inside == 2) { /* a wedge between the triangles at p0 and at p1 */
        ash_vec3 a2 = crossing(t, 0, 2), a3 = crossing(t, 0, 3), b2 = crossing(t, 1, 2), b3 = crossing(t, 1, 3);
        add_solid(m, p[0], a2, a3, b3, 1);
        add_solid(m, p[0], a2, b2, b3, 1);
        add_solid(m, p[0], p[1], b2, b3, 1);
    } else if (t->inside >= 3) {
        add_solid(m, p[0], p[1], p[2], p[3], 1);
        if (t->inside == 3)
            add_solid(m, p[3], crossing(t, 0, 3), crossing(t, 1, 3), crossing(t, 2, 3), -1);
    }
}

ashi_field_moments ashi_field_integrate(const ash_geometry_def *def)
{
    ashi_field_moments total = {0};
    ash_vec3 s = def->spacing;
    for (uint32_t k = 0; k + 1 < def->cells[2]; k++)
        for (uint32_t j = 0; j + 1 < def->cells[1]; j++)
            for (uint32_t i = 0; i + 1 < def->cells[0]; i++) {
                double value[8];
                ashi_field_corners(def, i, j, k, value);
                int inside = 0;
                for (int c = 0; c < 8; c++)
                    inside += value[c] < 0;
                for (int n = 0; n < 6 && inside > 0; n++) {
                    tetrahedron t = cell_tetrahedron(v3(i * s.x, j * s.y, k * s.z), s, value, n);
                    add_tetrahedron(&total, &t);
                }
            }
    return total;
}

/* The area of the surface inside a tetrahedron, as a vector pointing outwards. */
static ash_vec3 surface_area(const tetrahedron *t)
{
    ash_vec3 corner[4];
    int count = 0;
    if (t->inside == 2) { /* around the quadrilateral */
        corner[count++] = crossing(t, 0, 2);
        corner[count++] = crossing(t, 0, 3);
        corner[count++] = crossing(t, 1, 3);
        corner[count++] = crossing(t, 1, 2);
    } else if (t->inside == 1 || t->inside == 3) {
        for (int i = 0; i < 3; i++)
            corner[count++] = t->inside == 1 ? crossing(t, 0, i + 1) : crossing(t, i, 3);
    }
    ash_vec3 area = v3(0, 0, 0);
    for (int i = 1; i + 1 < count; i++)
        area = v3_add_scaled(area, v3_cross(v3_sub(corner[i], corner[0]), v3_sub(corner[i + 1], corner[0])), 0.5);
    return v3_dot(area, v3_sub(t->p[3], t->p[0])) < 0 ? v3_neg(area) : area;
}

double ashi_field_shadow(const ash_geometry *geometry, ash_vec3 u)
{
    const ashi_field_surface *surface = geometry->field;
    ash_vec3 s = geometry->def.spacing;
    double sum = 0;
    for (uint32_t c = 0; c < surface->cell_count; c++) {
        const ashi_field_cell *cell = &surface->cells[c];
        double value[8];
        ashi_field_corners(&geometry->def, cell->i, cell->j, cell->k, value);
        for (int n = 0; n < 6; n++) {
            tetrahedron t = cell_tetrahedron(v3(cell->i * s.x, cell->j * s.y, cell->k * s.z), s, value, n);
            double facing = v3_dot(surface_area(&t), u);
            sum += facing > 0 ? facing : 0;
        }
    }
    const double along[3] = {u.x, u.y, u.z};
    for (int axis = 0; axis < 3; axis++)
        sum += fabs(along[axis]) * surface->cut_area[2 * axis + (along[axis] > 0)];
    return sum;
}
