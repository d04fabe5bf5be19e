/* A block's own solution: the impulses that satisfy its rows while everything else is fixed.
 *
 * A contact with Coulomb's disk is solved exactly. With A the block's matrix and b its speeds without any impulse it
 * separates when b_n >= 0; sticks when -A^-1 b is inside the cone; else it slides: u_n = 0, |lambda_t| = mu lambda_n
 * and u_t = -alpha lambda_t, so that
 *
 *   lambda_t = -(S + alpha)^-1 c,   S = A_tt - A_tn A_nt / A_nn,   c = b_t - A_tn b_n / A_nn,
 *
 * and mu lambda_n / |lambda_t| - 1, which is nearly linear in alpha, has its root found by Newton's method between
 * bounds: negative at alpha = 0, where the stick solution left the cone, positive for large alpha, where lambda_n tends
 * to -b_n / A_nn. */
#include "solve/sweeps/sweep.h"

#define MOST_STEPS 60
#define ROOT_ERROR 1e-13 /* relative, of the friction impulse's length */

/* The data of the sliding solution from A and b. */
typedef struct sliding {
    double inverse_normal;   /* 1 / A_nn */
    double coupling[2], b_n; /* A_tn */
    double s11, s12, s22;    /* S */
    double c[2];
    double friction;
} sliding;

typedef struct slide_point {
    double normal, tangent[2], length;
    double excess, slope; /* of mu lambda_n / |lambda_t| - 1 over alpha */
} slide_point;

static slide_point slide_at(const sliding *s, double alpha)
{
    slide_point at;
    double p = s->s11 + alpha, q = s->s22 + alpha, scale = 1 / (p * q - s->s12 * s->s12);
    at.tangent[0] = scale * (s->s12 * s->c[1] - q * s->c[0]);
    at.tangent[1] = scale * (s->s12 * s->c[0] - p * s->c[1]);
    double along[2] = {scale * (s->s12 * at.tangent[1] - q * at.tangent[0]),
                       scale * (s->s12 * at.tangent[0] - p * at.tangent[1])}; /* d lambda_t / d alpha */
    at.normal = -s->inverse_normal * (s->b_n + s->coupling[0] * at.tangent[0] + s->coupling[1] * at.tangent[1]);
    double normal_slope = -s->inverse_normal * (s->coupling[0] * along[0] + s->coupling[1] * along[1]);
    at.length = sqrt(at.tangent[0] * at.tangent[0] + at.tangent[1] * at.tangent[1]);
    double length_slope = (at.tangent[0] * along[0] + at.tangent[1] * along[1]) / at.length;
    at.excess = s->friction * at.normal / at.length - 1;
    at.slope = s->friction * (normal_slope - at.normal * length_slope / at.length) / at.length;
    return at;
}

/* `guess` is where the last visit ended, and receives where this one does. */
static void slide(const sliding *s, double *guess, double *x)
{
    double alpha = *guess, low = 0, high = INFINITY;
    slide_point at = slide_at(s, alpha);
    for (int i = 0; i < MOST_STEPS && fabs(at.excess) > ROOT_ERROR; i++) {
        if (at.excess < 0)
            low = alpha;
        else
            high = alpha;
        double next = alpha - at.excess / at.slope;
        if (!(next > low && next < high)) /* where it bends the wrong way */
            next = isfinite(high) ? (low + high) / 2 : 2 * alpha + s->s11 + s->s22;
        if (next == alpha)
            break;
        alpha = next;
        at = slide_at(s, alpha);
    }
    *guess = alpha;
    x[0] = at.normal < 0 ? 0 : at.normal;                               /* NaN stays NaN */
    double scale = at.length == 0 ? 0 : s->friction * x[0] / at.length; /* exactly on the cone */
    x[1] = at.tangent[0] * scale;
    x[2] = at.tangent[1] * scale;
}

void ashi_sweep_solve_cone(ashi_sweep_block *block, const double *u, double *x)
{
    const double *m = block->matrix;
    double b[3] = {u[0] - (m[0] * x[0] + m[1] * x[1] + m[3] * x[2]), u[1] - (m[1] * x[0] + m[2] * x[1] + m[4] * x[2]),
                   u[2] - (m[3] * x[0] + m[4] * x[1] + m[5] * x[2])};
    double inverse_normal = 1 / m[0];
    if (b[0] >= 0) {
        x[0] = x[1] = x[2] = 0;
        return;
    }
    double along = m[1] * inverse_normal, across = m[3] * inverse_normal;
    sliding s = {.inverse_normal = inverse_normal,
                 .coupling = {m[1], m[3]},
                 .b_n = b[0],
                 .s11 = m[2] - m[1] * along,
                 .s12 = m[4] - m[3] * along,
                 .s22 = m[5] - m[3] * across,
                 .c = {b[1] - along * b[0], b[2] - across * b[0]},
                 .friction = block->friction};
    slide(&s, &block->slip, x);
}

/* ---- any block, by its matrix ---- */

typedef struct any_block {
    uint32_t count;
    const double *matrix;
    const ashi_sweep_row *row;
    const ashi_sweep_bounds *bounds;
    double relaxation;
    double *u, *impulse;
} any_block;

static any_block view_of(const ashi_sweep_state *sweep, uint32_t number, double *u, double *impulse)
{
    const ashi_sweep_block *block = &sweep->blocks[number];
    return (any_block){block->count,
                       sweep->links[number].matrix,
                       &sweep->rows[block->first],
                       &sweep->bounds[block->first],
                       sweep->relaxation,
                       u,
                       impulse};
}

static void change_impulse(const any_block *block, uint32_t row, double to)
{
    double change = to - block->impulse[row];
    for (uint32_t i = 0; i < block->count; i++)
        block->u[i] += block->matrix[i >= row ? ASHI_PACKED(i, row) : ASHI_PACKED(row, i)] * change;
    block->impulse[row] = to;
}

static void solve_row(const any_block *block, uint32_t row)
{
    double x = block->impulse[row] - block->relaxation * block->row[row].inverse_diagonal * block->u[row];
    change_impulse(block, row, ashi_clamped(x, block->bounds[row].lower, block->bounds[row].upper));
}

/* Rows that the law bounds together: a step by the largest eigenvalue, the same for each, and back into the bounds. */
static void solve_group(const ashi_law *law, const ashi_block *source, const any_block *block, uint32_t first,
                        uint32_t count)
{
    double x[ASHI_BLOCK_ROWS], step = block->relaxation * block->row[first].step;
    memcpy(x, block->impulse, block->count * sizeof *x);
    for (uint32_t i = first; i < first + count; i++)
        x[i] -= step * block->u[i];
    ashi_law_clamp(law, source, ashi_bounding_impulse(source, block->impulse[0]), x + 1);
    for (uint32_t i = 1; i < block->count; i++)
        if (x[i] != block->impulse[i])
            change_impulse(block, i, x[i]);
}

void ashi_sweep_solve_groups(const ashi_sweep_state *sweep, uint32_t number, double *u, double *impulse)
{
    const ashi_block *source = sweep->links[number].source;
    const ashi_law *law = sweep->solve->law;
    any_block block = view_of(sweep, number, u, impulse);
    bool together = law->law != ASH_FRICTION_BOX;
    uint32_t tangents = source->tangents, rollings = source->rollings;
    solve_row(&block, 0);
    for (uint32_t i = 0; !together && i < tangents; i++)
        solve_group(law, source, &block, 1 + i, 1);
    if (together && tangents > 0)
        solve_group(law, source, &block, 1, tangents);
    if (rollings > 0)
        solve_group(law, source, &block, 1 + tangents, rollings);
    if (source->spins > 0)
        solve_group(law, source, &block, 1 + tangents + rollings, 1);
}

void ashi_sweep_solve_plain(const ashi_sweep_state *sweep, uint32_t number, double *u, double *impulse)
{
    any_block block = view_of(sweep, number, u, impulse);
    const double *inverse = sweep->links[number].inverse;
    double change[ASHI_BLOCK_ROWS];
    for (uint32_t i = 0; i < block.count; i++) {
        change[i] = 0;
        for (uint32_t k = 0; k < block.count; k++)
            change[i] -= inverse[i >= k ? ASHI_PACKED(i, k) : ASHI_PACKED(k, i)] * u[k];
    }
    for (uint32_t i = 0; i < block.count; i++)
        if (change[i] != 0)
            change_impulse(&block, i, impulse[i] + block.relaxation * change[i]);
    for (uint32_t i = 0; i < block.count; i++)
        if (isfinite(block.bounds[i].lower) || isfinite(block.bounds[i].upper))
            solve_row(&block, i);
}
