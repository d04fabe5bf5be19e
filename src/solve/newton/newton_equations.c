/* The equations of one augmented Lagrangian problem on a scaled island:
 *
 *   residual(z) = z - F^T J^T Lambda,   Lambda = P((lambda - rho u) / (1 + rho softness)),   u = J (v* + F z) + bias,
 *   d residual / d z = 1 + (J F)^T slope (J F).
 *
 * Speeds u are never recomputed from z: each step adds its own change. What rounding leaves in them is then as small
 * as the last steps, where a difference of large numbers, multiplied by rho, would drown the solution; the sum of what
 * was lost acts as a change of the biases by some 1e-16 of the speeds. */
#include "solve/newton/newton.h"

#include <math.h>
#include <string.h>

#define SWEEP_SIGMA 0.6 /* below 2/3: a block's largest eigenvalue is at most three times its mean D */
#define ROUNDING    2.3e-16

/* ---- the point ---- */

/* z += F^T J^T x of one block. */
static void add_push(const ashi_newton *newton, const ashi_newton_block *view, const double *x, double *z)
{
    for (int side = 0; side < 2; side++) {
        if (view->body[side] == ASHI_NEWTON_FIXED)
            continue;
        double *to = &z[6 * (size_t)view->body[side]], sum[6] = {0};
        for (uint32_t i = 0; i < view->row_count; i++) {
            const double *row = newton->jacobian[view->first_row + i] + 6 * side;
            for (int k = 0; k < 6; k++)
                sum[k] += row[k] * x[i];
        }
        for (int k = 0; k < 6; k++)
            to[k] += sum[k];
    }
}

static double dot6(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5]);
}

void ashi_newton_speeds(const ashi_newton *newton, const double *z, double *speed)
{
    static const double still[6] = {0};
    for (uint32_t k = 0; k < newton->block_count; k++) {
        const ashi_newton_block *view = &newton->blocks[k];
        const double *a = view->body[0] != ASHI_NEWTON_FIXED ? &z[6 * (size_t)view->body[0]] : still;
        const double *b = view->body[1] != ASHI_NEWTON_FIXED ? &z[6 * (size_t)view->body[1]] : still;
        for (uint32_t r = view->first_row; r < view->first_row + view->row_count; r++)
            speed[r] = dot6(newton->jacobian[r], a) + dot6(newton->jacobian[r] + 6, b);
    }
}

void ashi_newton_start(ashi_newton *newton)
{
    memset(newton->z, 0, 6 * (size_t)newton->body_count * sizeof *newton->z);
    for (uint32_t k = 0; k < newton->block_count; k++)
        add_push(newton, &newton->blocks[k], &newton->impulse[newton->blocks[k].first_row], newton->z);
    ashi_newton_speeds(newton, newton->z, newton->speed);
    for (uint32_t r = 0; r < newton->row_count; r++)
        newton->speed[r] += newton->speed_free[r];
}

void ashi_newton_lag(ashi_newton *newton)
{
    for (uint32_t k = 0; k < newton->block_count; k++) {
        const ashi_newton_block *view = &newton->blocks[k];
        double u[ASHI_NEWTON_ROWS];
        for (uint32_t i = 0; i < view->row_count; i++) {
            uint32_t r = view->first_row + i;
            u[i] = newton->speed[r] + newton->softness[r] * newton->impulse[r];
        }
        newton->slip[k] =
            view->block->kind == ASHI_CONTACT_BLOCK ? ashi_law_slip(newton->solve->law, view->block, u) : 0;
    }
}

/* ---- the equations ---- */

static void answer_rows(const ashi_newton *newton, const ashi_newton_block *view, const double *weight, double *point,
                        ashi_slope *slope)
{
    if (slope != NULL)
        memset(*slope, 0, sizeof *slope);
    for (uint32_t i = 0; i < view->row_count; i++) {
        double lower = newton->lower[view->first_row + i], upper = newton->upper[view->first_row + i];
        bool free = point[i] > lower && point[i] < upper;
        point[i] = free ? point[i] : point[i] <= lower ? lower : upper;
        if (slope != NULL && free)
            (*slope)[i][i] = weight[i];
    }
}

void ashi_newton_answer_block(const ashi_newton *newton, ashi_newton_law kind, uint32_t k, double along, double *point,
                              ashi_slope *slope)
{
    const ashi_newton_block *view = &newton->blocks[k];
    double weight[ASHI_NEWTON_ROWS];
    bool contact = view->block->kind == ASHI_CONTACT_BLOCK;
    for (uint32_t i = 0; i < view->row_count; i++) {
        uint32_t r = view->first_row + i;
        double rho = newton->sigma * newton->unit[r], soft = 1 + rho * newton->softness[r];
        double speed = newton->speed[r] + (along != 0 ? along * newton->step_speed[r] : 0);
        if (i == 0 && contact && kind == ASHI_NEWTON_CONVEX)
            speed += newton->slip[k];
        point[i] = (newton->impulse[r] - rho * speed) / soft;
        weight[i] = rho > 0 ? rho / soft : 1; /* a row that no impulse moves: anything but zero */
    }
    if (contact)
        ashi_newton_answer(newton->solve->law, kind, view->block, weight, point, slope);
    else
        answer_rows(newton, view, weight, point, slope);
}

/* to += x^T y, both of `rows` rows with six entries each at a distance of 12. */
static inline void add_product(double *restrict to, const double *restrict x, const double *restrict y, uint32_t rows)
{
    for (int i = 0; i < 6; i++) {
        double sum[6];
        for (int k = 0; k < 6; k++)
            sum[k] = to[6 * i + k];
        for (uint32_t r = 0; r < rows; r++)
            for (int k = 0; k < 6; k++)
                sum[k] += x[12 * r + i] * y[12 * r + k];
        for (int k = 0; k < 6; k++)
            to[6 * i + k] = sum[k];
    }
}

/* product = slope jacobian */
static inline void multiply_slope(double (*restrict product)[12], ashi_slope slope, double (*restrict jacobian)[12],
                                  uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        double sum[12] = {0};
        for (uint32_t k = 0; k < rows; k++)
            for (int c = 0; c < 12; c++)
                sum[c] += slope[i][k] * jacobian[k][c];
        memcpy(product[i], sum, sizeof sum);
    }
}

/* Adds (J F)^T slope (J F) of a block with that many rows. */
static inline void assemble_rows(ashi_newton *newton, const ashi_newton_block *view, ashi_slope slope, bool symmetric,
                                 uint32_t rows)
{
    double product[ASHI_NEWTON_ROWS][12];
    double(*jacobian)[12] = newton->jacobian + view->first_row;
    multiply_slope(product, slope, jacobian, rows);
    ashi_block_factor *f = &newton->factor;
    const uint32_t *place = newton->pattern->place;
    uint32_t a = view->body[0], b = view->body[1];
    if (a != ASHI_NEWTON_FIXED)
        add_product(f->diagonal[place[a]], jacobian[0], product[0], rows);
    if (b != ASHI_NEWTON_FIXED)
        add_product(f->diagonal[place[b]], jacobian[0] + 6, product[0] + 6, rows);
    if (a == ASHI_NEWTON_FIXED || b == ASHI_NEWTON_FIXED)
        return;
    bool a_later = place[a] > place[b];
    if (a_later || !symmetric)
        add_product((a_later ? f->lower : f->upper)[view->coupling], jacobian[0], product[0] + 6, rows);
    if (!a_later || !symmetric)
        add_product((a_later ? f->upper : f->lower)[view->coupling], jacobian[0] + 6, product[0], rows);
}

static void assemble_block(ashi_newton *newton, const ashi_newton_block *view, ashi_slope slope, bool symmetric)
{
    if (view->row_count == 3) /* nearly all: the loops unroll */
        assemble_rows(newton, view, slope, symmetric, 3);
    else
        assemble_rows(newton, view, slope, symmetric, view->row_count);
}

/* The speeds of one block, again. */
static void look_at(ashi_newton *newton, const ashi_newton_block *view)
{
    static const double still[6] = {0};
    const double *a = view->body[0] != ASHI_NEWTON_FIXED ? &newton->z[6 * (size_t)view->body[0]] : still;
    const double *b = view->body[1] != ASHI_NEWTON_FIXED ? &newton->z[6 * (size_t)view->body[1]] : still;
    for (uint32_t r = view->first_row; r < view->first_row + view->row_count; r++)
        newton->speed[r] = newton->speed_free[r] + dot6(newton->jacobian[r], a) + dot6(newton->jacobian[r] + 6, b);
}

void ashi_newton_sweep(ashi_newton *newton, uint32_t sweeps)
{
    double kept = newton->sigma, answer[ASHI_NEWTON_ROWS], change[ASHI_NEWTON_ROWS];
    newton->sigma = SWEEP_SIGMA;
    for (uint32_t sweep = 0; sweep < sweeps && !ashi_solve_is_spent(newton->solve); sweep++) {
        newton->solve->visits += newton->block_count;
        for (uint32_t k = 0; k < newton->block_count; k++) {
            const ashi_newton_block *view = &newton->blocks[k];
            double *impulse = &newton->impulse[view->first_row];
            look_at(newton, view);
            ashi_newton_answer_block(newton, ASHI_NEWTON_COULOMB, k, 0, answer, NULL);
            for (uint32_t i = 0; i < view->row_count; i++) {
                change[i] = answer[i] - impulse[i];
                impulse[i] = answer[i];
            }
            add_push(newton, view, change, newton->z);
        }
    }
    newton->sigma = kept;
    ashi_newton_start(newton);
}

/* Whether the answer changes with the speeds at all: those of open contacts do not. */
static bool is_moved(ashi_slope slope, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++)
        if (slope[i][i] != 0)
            return true;
    return false;
}

void ashi_newton_evaluate(ashi_newton *newton, ashi_newton_law kind, bool assemble)
{
    bool symmetric = kind == ASHI_NEWTON_CONVEX;
    ashi_slope slope;
    newton->solve->visits += newton->block_count;
    memcpy(newton->residual, newton->z, 6 * (size_t)newton->body_count * sizeof *newton->z);
    if (assemble) {
        ashi_block_factor_clear(&newton->factor, !symmetric);
        for (uint32_t b = 0; b < newton->body_count; b++)
            for (int i = 0; i < 6; i++)
                newton->factor.diagonal[b][7 * i] = 1;
    }
    for (uint32_t k = 0; k < newton->block_count; k++) {
        const ashi_newton_block *view = &newton->blocks[k];
        double *answer = &newton->answer[view->first_row], push[ASHI_NEWTON_ROWS];
        ashi_newton_answer_block(newton, kind, k, 0, answer, assemble ? &slope : NULL);
        for (uint32_t i = 0; i < view->row_count; i++)
            push[i] = -answer[i];
        add_push(newton, view, push, newton->residual);
        if (assemble && is_moved(slope, view->row_count))
            assemble_block(newton, view, slope, symmetric);
    }
}

/* Answers are summed by body with the precision of the largest; projecting onto a cone cancels numbers as large as the
 * point. */
double ashi_newton_noise(ashi_newton *newton, ashi_newton_law kind)
{
    double largest = 0;
    memset(newton->noise, 0, newton->body_count * sizeof *newton->noise);
    for (uint32_t k = 0; k < newton->block_count; k++) {
        const ashi_newton_block *view = &newton->blocks[k];
        bool cone = kind == ASHI_NEWTON_CONVEX && view->block->kind == ASHI_CONTACT_BLOCK;
        for (uint32_t r = view->first_row; r < view->first_row + view->row_count; r++) {
            double size = fabs(newton->answer[r]);
            if (size == 0)
                continue;
            size += cone ? newton->sigma * newton->unit[r] * fabs(newton->speed[r]) : 0;
            for (int side = 0; side < 2; side++)
                if (view->body[side] != ASHI_NEWTON_FIXED)
                    newton->noise[view->body[side]] += size * newton->mobility[2 * (size_t)r + (size_t)side];
        }
    }
    for (uint32_t b = 0; b < newton->body_count; b++)
        largest = newton->noise[b] > largest ? newton->noise[b] : largest;
    return ROUNDING * largest;
}
