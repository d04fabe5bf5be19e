/* Stationary directions of h(n) = max over a - b of n . w accurate up to rounding: minus the distance of cores that are
 * apart, or the depth of those that overlap.
 *
 * Cores consist of smooth pieces (corners, rims, ellipsoids), so h is the maximum of smooth functions h_i, one for each
 * pair of pieces. At the solution a few of them are equal, and a mean of their gradients w_i with non-negative weights
 * is along n. Newton's method on these conditions (sequential quadratic programming): with tangents e, f of the sphere
 * at n, for a step x of n and the next weights u_i,
 *     h_i + w_i . x = t,   sum u_i = 1,   sum u_i w_i + H x = 0,   H = sum u_i R_i - t,
 * R_i the radii of curvature. A piece whose weight becomes negative is dropped, a piece that exceeds t is added; the
 * weights also give the closest points. */
#include "collide/convex/minkowski.h"

enum { MOST_PIECES = 3, MOST_STEPS = 14, UNKNOWNS = 3 + MOST_PIECES };

typedef struct piece {
    ash_vec3 on_a, on_b; /* a point of each core's piece, in its own frame */
    double weight;
    /* At the present direction: the support point, its point of a, and the curvature. */
    ash_vec3 w, now_a;
    ash_sym3 of_a, of_b;
} piece;

typedef struct pieces {
    piece list[MOST_PIECES + 1];
    uint32_t count;
    ash_vec3 n, e, f; /* the direction and the two tangents */
} pieces;

static bool take_in(pieces *p, const ashi_minkowski *m, const ashi_minkowski_point *corner, double weight)
{
    piece new = {.on_a = corner->on_a, .on_b = m3_apply_transposed(m->turn, corner->from_b), .weight = weight};
    for (uint32_t i = 0; i < p->count; i++) {
        piece *old = &p->list[i];
        if (ashi_convex_same_piece(m->a, old->on_a, new.on_a) && ashi_convex_same_piece(m->b, old->on_b, new.on_b)) {
            old->weight += weight;
            return false;
        }
    }
    if (p->count == MOST_PIECES + 1)
        return false;
    p->list[p->count++] = new;
    return true;
}

static void set_direction(pieces *p, const ashi_minkowski *m, ash_vec3 n)
{
    p->n = n;
    p->e = v3_perpendicular(n);
    p->f = v3_cross(n, p->e);
    ash_vec3 back = m3_apply_transposed(m->turn, v3_neg(n));
    for (uint32_t i = 0; i < p->count; i++) {
        piece *q = &p->list[i];
        q->now_a = ashi_convex_piece(m->a, q->on_a, n, &q->of_a);
        ash_vec3 on_b = ashi_convex_piece(m->b, q->on_b, back, &q->of_b);
        q->w = v3_sub(v3_sub(q->now_a, m3_apply(m->turn, on_b)), m->position);
    }
}

/* x . R y summed over the pieces by weight. */
static double curvature(const pieces *p, const ashi_minkowski *m, ash_vec3 x, ash_vec3 y)
{
    ash_vec3 local_x = m3_apply_transposed(m->turn, x), local_y = m3_apply_transposed(m->turn, y);
    double sum = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const piece *q = &p->list[i];
        sum += q->weight * (v3_dot(x, s3_apply(q->of_a, y)) + v3_dot(local_x, s3_apply(q->of_b, local_y)));
    }
    return sum;
}

/* Solves rows of `size` unknowns and a right side by elimination with pivoting; false when singular. */
static bool solve(double rows[UNKNOWNS][UNKNOWNS + 1], uint32_t size)
{
    for (uint32_t c = 0; c < size; c++) {
        uint32_t pivot = c;
        for (uint32_t r = c + 1; r < size; r++)
            if (fabs(rows[r][c]) > fabs(rows[pivot][c]))
                pivot = r;
        if (!(fabs(rows[pivot][c]) > 1e-11))
            return false;
        for (uint32_t k = c; k <= size; k++) {
            double swapped = rows[c][k];
            rows[c][k] = rows[pivot][k];
            rows[pivot][k] = swapped;
        }
        for (uint32_t r = c + 1; r < size; r++) {
            double factor = rows[r][c] / rows[c][c];
            for (uint32_t k = c; k <= size; k++)
                rows[r][k] -= factor * rows[c][k];
        }
    }
    for (uint32_t c = size; c-- > 0;) {
        for (uint32_t k = c + 1; k < size; k++)
            rows[c][size] -= rows[c][k] * rows[k][size];
        rows[c][size] /= rows[c][c];
    }
    return true;
}

/* The step of n along e and f; the weights are set to the next ones. Lengths are in units of `scale`. False when the
 * conditions are singular, or when h does not increase to both sides of the step. */
static bool newton(pieces *p, const ashi_minkowski *m, double scale, double *by_e, double *by_f)
{
    double rows[UNKNOWNS][UNKNOWNS + 1] = {{0}}, unit = 1 / scale, t = 0;
    uint32_t count = p->count, size = 3 + count; /* x_e, x_f, t, weights */
    for (uint32_t i = 0; i < count; i++)
        t += p->list[i].weight * v3_dot(p->n, p->list[i].w) * unit;
    double ee = curvature(p, m, p->e, p->e) * unit - t, ff = curvature(p, m, p->f, p->f) * unit - t;
    double ef = curvature(p, m, p->e, p->f) * unit;
    for (uint32_t i = 0; i < count; i++) {
        double along_e = v3_dot(p->list[i].w, p->e) * unit, along_f = v3_dot(p->list[i].w, p->f) * unit;
        rows[0][3 + i] = rows[3 + i][0] = along_e;
        rows[1][3 + i] = rows[3 + i][1] = along_f;
        rows[2][3 + i] = 1;
        rows[3 + i][2] = -1;
        rows[3 + i][size] = -v3_dot(p->n, p->list[i].w) * unit;
    }
    rows[2][size] = 1;
    rows[0][0] = ee;
    rows[0][1] = rows[1][0] = ef;
    rows[1][1] = ff;
    bool convex = count == 3 || (count == 1 && ee > 0 && ee * ff > ef * ef);
    if (count == 2) { /* perpendicular to the direction in which the two exchange roles */
        double g = rows[0][3] - rows[0][4], k = rows[1][3] - rows[1][4];
        convex = ee * k * k - 2 * ef * g * k + ff * g * g > 0;
    }
    if (!convex || !solve(rows, size))
        return false;
    *by_e = rows[0][size];
    *by_f = rows[1][size];
    for (uint32_t i = 0; i < count; i++)
        p->list[i].weight = rows[3 + i][size];
    return isfinite(*by_e) && isfinite(*by_f);
}

/* Drops the piece with the most negative weight, if any. */
static bool drop(pieces *p)
{
    uint32_t worst = 0;
    for (uint32_t i = 1; i < p->count; i++)
        if (p->list[i].weight < p->list[worst].weight)
            worst = i;
    if (p->list[worst].weight >= -1e-12)
        return false;
    p->list[worst] = p->list[--p->count];
    double sum = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        p->list[i].weight = p->list[i].weight > 0 ? p->list[i].weight : 0;
        sum += p->list[i].weight;
    }
    for (uint32_t i = 0; i < p->count; i++)
        p->list[i].weight /= sum;
    return true;
}

/* Iterates to a stationary direction of the pieces at hand. */
static bool iterate(pieces *p, const ashi_minkowski *m, double scale, uint32_t *steps)
{
    while (*steps < MOST_STEPS) {
        double by_e, by_f;
        (*steps)++;
        if (!newton(p, m, scale, &by_e, &by_f) || by_e * by_e + by_f * by_f > 0.25)
            return false;
        if (drop(p))
            continue;
        set_direction(p, m, v3_unit(v3_add_scaled(v3_add_scaled(p->n, p->e, by_e), p->f, by_f)));
        if (by_e * by_e + by_f * by_f < 1e-18)
            return true;
    }
    return false;
}

bool ashi_pieces_solve(const ashi_minkowski *m, const ashi_minkowski_point *corners, const double *weights,
                       uint32_t count, double scale, ashi_penetration *found)
{
    pieces p = {.count = 0};
    uint32_t steps = 0;
    for (uint32_t i = 0; i < count; i++)
        take_in(&p, m, &corners[i], weights[i]);
    if (p.count > MOST_PIECES)
        return false;
    set_direction(&p, m, found->normal);
    while (iterate(&p, m, scale, &steps)) {
        ash_vec3 w = v3(0, 0, 0), on_a = w;
        for (uint32_t i = 0; i < p.count; i++) {
            w = v3_add_scaled(w, p.list[i].w, p.list[i].weight);
            on_a = v3_add_scaled(on_a, p.list[i].now_a, p.list[i].weight);
        }
        double depth = v3_dot(p.n, w);
        ashi_minkowski_point above = ashi_minkowski_support(m, p.n);
        if (v3_dot(p.n, above.w) <= depth + 1e-13 * scale) {
            found->iterations += steps;
            /* If a flat end faces n, the rim has no definite point and the mean is not along n. */
            bool opposite = v3_norm(v3_add_scaled(w, p.n, -depth)) <= 1e-10 * scale;
            if (!opposite || !(depth <= found->depth + 1e-13 * scale))
                return false;
            *found = (ashi_penetration){p.n, depth, on_a, found->iterations, true};
            return true;
        }
        if (p.count == MOST_PIECES || !take_in(&p, m, &above, 0))
            break;
        set_direction(&p, m, p.n);
    }
    found->iterations += steps;
    return false;
}
