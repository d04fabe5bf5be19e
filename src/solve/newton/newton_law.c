/* How the impulses of a contact answer a point y, and how the answer changes with it.
 *
 * A contact has a normal part n and up to three groups of friction impulses: tangents in n mu times a disk or a
 * polygon, rollings in a disk, spin in an interval. For given n the answer of a group is the nearest point x of its
 * set, with  dx = A dy + B dn  (inside: A = 1, B = 0; on a disk of radius n c: A = n c (1 - e e^T) / |y|, B = c e; on
 * an edge with outer normal a: A = 1 - a a^T, B = a d, d its distance for n = 1; on a corner: A = 0, B = the corner for
 * n = 1).
 *
 * Convex law, the projection onto K: n is the root of
 *   (n - y_n) / w_n - sum over groups B.(y - x) / w = 0,
 * which grows with n, and its derivative gives  dn = (dy_n / w_n + sum B.dy / w) / (1 / w_n + sum B.B / w).
 * Coulomb's law in the form of Alart and Curnier (1991): n = max(0, y_n), whatever the friction. */
#include "solve/newton/newton.h"

#include <math.h>
#include <string.h>

#define GROUPS      3
#define MOST_ROUNDS 60 /* a bound: pieces are at most seven */

/* A group of friction rows, and its answer for some n. */
typedef struct group {
    uint32_t first, count; /* rows */
    double coefficient;
    bool polygon;
    double weight;
    double y[2], length; /* |y| */
    double x[2], a[2][2], b[2];
} group;

typedef struct contact {
    const ashi_law *law;
    group groups[GROUPS];
    uint32_t count;
} contact;

static void add_group(contact *c, uint32_t *row, uint32_t count, double coefficient, const double *weight,
                      const double *y)
{
    if (count == 0)
        return;
    group *g = &c->groups[c->count++];
    g->first = *row;
    g->count = count;
    g->coefficient = coefficient;
    g->polygon = *row == 1 && count == 2 && c->law->corners > 0;
    g->weight = weight[*row];
    g->y[0] = y[*row];
    g->y[1] = count > 1 ? y[*row + 1] : 0;
    g->length = count > 1 ? sqrt(g->y[0] * g->y[0] + g->y[1] * g->y[1]) : fabs(g->y[0]);
    *row += count;
}

/* ---- one group for a given n ---- */

static void stay_inside(group *g)
{
    g->x[0] = g->y[0];
    g->x[1] = g->y[1];
    g->a[0][0] = g->a[1][1] = 1;
    g->a[0][1] = g->a[1][0] = 0;
    g->b[0] = g->b[1] = 0;
}

static void answer_disk(group *g, double n)
{
    double radius = n * g->coefficient;
    if (g->length <= radius) {
        stay_inside(g);
        return;
    }
    double e[2] = {g->y[0] / g->length, g->y[1] / g->length}, ratio = g->count > 1 ? radius / g->length : 0;
    for (int i = 0; i < 2; i++) {
        g->x[i] = radius * e[i];
        g->b[i] = g->coefficient * e[i];
        for (int k = 0; k < 2; k++)
            g->a[i][k] = ratio * ((i == k) - e[i] * e[k]);
    }
}

/* The nearest point of a regular polygon is on the edge in whose sector y lies. */
static void answer_polygon(const ashi_law *law, group *g, double n)
{
    uint32_t edge = 0;
    double farthest = -HUGE_VAL;
    for (uint32_t i = 0; i < law->corners; i++) {
        uint32_t k = i + 1 < law->corners ? i + 1 : 0;
        double reach = (law->x[i] + law->x[k]) * g->y[0] + (law->y[i] + law->y[k]) * g->y[1];
        if (reach > farthest) {
            farthest = reach;
            edge = i;
        }
    }
    uint32_t next = edge + 1 < law->corners ? edge + 1 : 0;
    double ex = law->x[next] - law->x[edge], ey = law->y[next] - law->y[edge], side = sqrt(ex * ex + ey * ey);
    double normal[2] = {ey / side, -ex / side}, size = n * g->coefficient;
    double distance = law->x[edge] * normal[0] + law->y[edge] * normal[1];
    double beyond = normal[0] * g->y[0] + normal[1] * g->y[1] - size * distance;
    if (beyond <= 0) {
        stay_inside(g);
        return;
    }
    double along = (ex * g->y[0] + ey * g->y[1]) / side, half = size * side / 2;
    if (fabs(along) < half) {
        for (int i = 0; i < 2; i++) {
            g->x[i] = g->y[i] - beyond * normal[i];
            g->b[i] = g->coefficient * distance * normal[i];
            for (int k = 0; k < 2; k++)
                g->a[i][k] = (i == k) - normal[i] * normal[k];
        }
        return;
    }
    uint32_t corner = along > 0 ? next : edge;
    g->b[0] = g->coefficient * law->x[corner];
    g->b[1] = g->coefficient * law->y[corner];
    g->x[0] = n * g->b[0];
    g->x[1] = n * g->b[1];
    memset(g->a, 0, sizeof g->a);
}

static void answer_groups(contact *c, double n)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->groups[i].polygon)
            answer_polygon(c->law, &c->groups[i], n);
        else
            answer_disk(&c->groups[i], n);
}

/* ---- the normal part ---- */

/* 1/w_n + sum B.B/w, and in `pull` the sum of B.y/w: the root on the piece around n is (y_n/w_n + pull) / stiffness. */
static double stiffness_of(const contact *c, double normal_weight, double *pull)
{
    double sum = 1 / normal_weight;
    *pull = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const group *g = &c->groups[i];
        sum += (g->b[0] * g->b[0] + g->b[1] * g->b[1]) / g->weight;
        *pull += (g->b[0] * g->y[0] + g->b[1] * g->y[1]) / g->weight;
    }
    return sum;
}

/* The slope falls with n (a scaled polygon meets y with a corner first, then with an edge), so that Newton's method
 * from below never passes the root and ends on its piece. Leaves the groups' answers for the result. */
static double project_normal(contact *c, double normal_weight, double y, double *stiffness)
{
    double n = y > 0 ? y : 0, pull;
    for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
        answer_groups(c, n);
        *stiffness = stiffness_of(c, normal_weight, &pull);
        double root = (y / normal_weight + pull) / *stiffness;
        if (!(root > n * (1 + 4e-16)))
            return n;
        n = root;
    }
    return n;
}

/* ---- slopes ---- */

/* d Lambda / d point for given n: B dn + A dy, with dn by row in `normal`. */
static void fill_slope(const contact *c, const double *normal, uint32_t rows, const double *weight, ashi_slope *slope)
{
    for (uint32_t k = 0; k < rows; k++)
        (*slope)[0][k] = normal[k] * weight[k];
    for (uint32_t m = 0; m < c->count; m++) {
        const group *g = &c->groups[m];
        for (uint32_t i = 0; i < g->count; i++) {
            double *line = (*slope)[g->first + i];
            for (uint32_t k = 0; k < rows; k++)
                line[k] = g->b[i] * normal[k] * weight[k];
            for (uint32_t k = 0; k < g->count; k++)
                line[g->first + k] += g->a[i][k] * weight[g->first + k];
        }
    }
}

static void clear(uint32_t rows, double *point, ashi_slope *slope)
{
    for (uint32_t i = 0; i < rows; i++)
        point[i] = 0;
    if (slope != NULL)
        memset(*slope, 0, sizeof *slope);
}

/* Coulomb's law of a contact that pushes, with a disk of friction and nothing else: the same as below, to the bit, for
 * nearly all contacts that there are. */
static void answer_plain(double friction, const double *weight, double *point, ashi_slope *slope)
{
    double n = point[0], radius = n * friction, length = sqrt(point[1] * point[1] + point[2] * point[2]);
    bool slides = length > radius;
    double e[2] = {0, 0}, ratio = 1;
    if (slides) {
        e[0] = point[1] / length;
        e[1] = point[2] / length;
        ratio = radius / length;
        point[1] = radius * e[0];
        point[2] = radius * e[1];
    }
    if (slope == NULL)
        return;
    (*slope)[0][0] = weight[0];
    (*slope)[0][1] = (*slope)[0][2] = 0;
    for (int i = 0; i < 2; i++) {
        (*slope)[1 + i][0] = friction * e[i] * weight[0];
        for (int k = 0; k < 2; k++)
            (*slope)[1 + i][1 + k] = ratio * ((i == k) - e[i] * e[k]) * weight[1 + k];
    }
}

void ashi_newton_answer(const ashi_law *law, ashi_newton_law kind, const ashi_block *block, const double *weight,
                        double *point, ashi_slope *slope)
{
    bool disk = block->row_count == 3 && block->tangents == 2 && law->corners == 0 && block->friction_limit < 0;
    if (disk && kind == ASHI_NEWTON_COULOMB) {
        if (point[0] > 0)
            answer_plain(block->friction, weight, point, slope);
        else
            clear(3, point, slope);
        return;
    }
    contact c; /* groups are set as they are added */
    c.law = law;
    c.count = 0;
    uint32_t row = 1, rows = block->row_count;
    add_group(&c, &row, block->tangents, block->friction, weight, point);
    add_group(&c, &row, block->rollings, block->rolling, weight, point);
    add_group(&c, &row, block->spins, block->spinning, weight, point);
    bool limited = block->friction_limit >= 0;
    double n = point[0] > 0 ? point[0] : 0, normal[ASHI_NEWTON_ROWS] = {0}, stiffness;
    if (limited) {
        answer_groups(&c, block->friction_limit);
        normal[0] = point[0] > 0;
        for (uint32_t m = 0; m < c.count; m++)
            c.groups[m].b[0] = c.groups[m].b[1] = 0; /* the bounds stay where they are */
    } else if (kind == ASHI_NEWTON_CONVEX) {
        n = project_normal(&c, weight[0], point[0], &stiffness);
        normal[0] = 1 / (weight[0] * stiffness);
        for (uint32_t m = 0; m < c.count; m++)
            for (uint32_t i = 0; i < c.groups[m].count; i++)
                normal[c.groups[m].first + i] = c.groups[m].b[i] / (c.groups[m].weight * stiffness);
    } else {
        answer_groups(&c, n);
        normal[0] = 1;
    }
    if (!(n > 0) && !limited) {
        clear(rows, point, slope);
        return;
    }
    point[0] = n;
    for (uint32_t m = 0; m < c.count; m++)
        for (uint32_t i = 0; i < c.groups[m].count; i++)
            point[c.groups[m].first + i] = c.groups[m].x[i];
    if (slope != NULL)
        fill_slope(&c, normal, rows, weight, slope);
}
