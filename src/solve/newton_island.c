/* The island in scaled coordinates, and the equations of one augmented Lagrangian problem on it:
 *
 *   residual(z) = z - F^T J^T Lambda,   Lambda = P((lambda - rho u) / (1 + rho softness)),   u = J (v* + F z) + bias,
 *   d residual / d z = 1 + (J F)^T slope (J F).
 *
 * Speeds u are never computed anew from z: each step adds its own change. What rounding leaves in them is then as small
 * as the last steps, where a difference of large numbers, multiplied by rho, would drown the solution; the sum of what
 * was lost acts as a change of the biases by some 1e-16 of the speeds. */
#include "solve/newton.h"

#include <math.h>
#include <string.h>

#define NO_AXIS     1e-15 /* of the largest: an inverse inertia this small is a locked axis and rounding */
#define SWEEP_SIGMA 0.6   /* below 2/3: a block's largest eigenvalue is at most three times its mean D */
#define ROUNDING    2.3e-16

/* ---- bodies ---- */

/* Columns of a factor of the inverse inertia, the largest remaining axis first. */
static void factor_inertia(ash_sym3 inertia, double *root)
{
    double a[3][3] = {{inertia.xx, inertia.xy, inertia.xz},
                      {inertia.xy, inertia.yy, inertia.yz},
                      {inertia.xz, inertia.yz, inertia.zz}};
    double least = NO_AXIS * (inertia.xx + inertia.yy + inertia.zz);
    for (int column = 0; column < 3; column++) {
        int k = a[1][1] > a[0][0] ? 1 : 0;
        k = a[2][2] > a[k][k] ? 2 : k;
        double pivot = a[k][k];
        for (int i = 0; i < 3; i++)
            root[3 * i + column] = pivot > least ? a[i][k] / sqrt(pivot) : 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                a[i][j] -= root[3 * i + column] * root[3 * j + column];
    }
}

static void scale_body(const ash_problem_body *body, double *root)
{
    root[0] = sqrt(body->inverse_mass.x);
    root[1] = sqrt(body->inverse_mass.y);
    root[2] = sqrt(body->inverse_mass.z);
    factor_inertia(body->inverse_inertia, root + 3);
}

/* J F of one body. */
static void scale_row(const double *root, ash_vec3 linear, ash_vec3 angular, double *row)
{
    row[0] = linear.x * root[0];
    row[1] = linear.y * root[1];
    row[2] = linear.z * root[2];
    for (int k = 0; k < 3; k++)
        row[3 + k] = angular.x * root[3 + k] + angular.y * root[6 + k] + angular.z * root[9 + k];
}

/* The largest component of F z of one body; not finite when z is not. */
static double fastest(const double *root, const double *z)
{
    double largest = 0, spoilt = 0;
    for (int i = 0; i < 3; i++) {
        double linear = fabs(root[i] * z[i]);
        double angular = fabs(root[3 + 3 * i] * z[3] + root[4 + 3 * i] * z[4] + root[5 + 3 * i] * z[5]);
        largest = linear > largest ? linear : largest;
        largest = angular > largest ? angular : largest;
        spoilt += (linear - linear) + (angular - angular);
    }
    return largest + spoilt;
}

double ashi_newton_velocity(const ashi_newton *newton, const double *z)
{
    double largest = 0, spoilt = 0;
    for (uint32_t b = 0; b < newton->body_count; b++) {
        double here = fastest(newton->root[b], &z[6 * (size_t)b]);
        largest = here > largest ? here : largest;
        spoilt += here - here;
    }
    return largest + spoilt;
}

/* ---- rows ---- */

static double squared(const double *row, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += row[i] * row[i];
    return sum;
}

/* The mean of D over rows that share one. */
static void share_unit(ashi_newton *newton, uint32_t first, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = first; i < first + count; i++)
        sum += squared(newton->jacobian[i], 12) + newton->softness[i];
    for (uint32_t i = first; i < first + count; i++)
        newton->unit[i] = sum > 0 && isfinite(count / sum) ? count / sum : 0;
}

static void scale_block(ashi_newton *newton, ashi_newton_block *view, uint32_t first_row)
{
    const ash_problem *p = newton->solve->problem;
    const ash_problem_block *block = view->block;
    const ash_problem_body *bodies[2] = {&p->bodies[block->body_a], &p->bodies[block->body_b]};
    view->first_row = first_row;
    view->row_count = block->row_count;
    for (uint32_t i = 0; i < block->row_count; i++) {
        const ash_problem_row *row = &p->rows[block->first_row + i];
        uint32_t r = first_row + i;
        double *scaled = newton->jacobian[r];
        memset(scaled, 0, sizeof *newton->jacobian);
        if (view->body[0] != ASHI_NEWTON_FIXED)
            scale_row(newton->root[view->body[0]], row->linear_a, row->angular_a, scaled);
        if (view->body[1] != ASHI_NEWTON_FIXED)
            scale_row(newton->root[view->body[1]], row->linear_b, row->angular_b, scaled + 6);
        for (uint32_t side = 0; side < 2; side++)
            newton->mobility[2 * (size_t)r + side] =
                view->body[side] != ASHI_NEWTON_FIXED ? fastest(newton->root[view->body[side]], scaled + 6 * side) : 0;
        ash_motion a = {bodies[0]->velocity, bodies[0]->spin}, b = {bodies[1]->velocity, bodies[1]->spin};
        newton->speed_free[r] = ashi_row_speed(row, &a, &b) + row->bias;
        newton->softness[r] = row->softness;
        newton->lower[r] = row->lower;
        newton->upper[r] = row->upper;
        newton->impulse[r] = row->impulse;
        if (block->kind == ASH_BLOCK_ROWS)
            share_unit(newton, r, 1);
    }
    if (block->kind == ASH_BLOCK_CONTACT) {
        uint32_t normal = 1u + block->tangents;
        share_unit(newton, first_row, normal);
        share_unit(newton, first_row + normal, block->rollings);
        share_unit(newton, first_row + normal + block->rollings, block->spins);
    }
}

/* ---- memory ---- */

static uint32_t place_in_island(const ash_problem_island *island, uint32_t body)
{
    return body - island->first_body < island->body_count ? body - island->first_body : ASHI_NEWTON_FIXED;
}

static uint32_t count_rows(const ashi_solve *solve)
{
    uint32_t rows = 0;
    for (uint32_t k = 0; k < solve->island->block_count; k++)
        rows += solve->problem->blocks[solve->island->first_block + k].row_count;
    return rows;
}

static bool take_memory(ashi_newton *newton, ashi_arena *arena)
{
    size_t rows = newton->row_count, numbers = 6 * (size_t)newton->body_count;
    double **by_row[] = {&newton->speed_free, &newton->softness, &newton->lower,      &newton->upper,
                         &newton->unit,       &newton->impulse,  &newton->speed,      &newton->answer,
                         &newton->step_speed, &newton->best,     &newton->kept_speed, &newton->guess};
    double **by_body[] = {&newton->z, &newton->residual, &newton->step, &newton->kept};
    newton->blocks = ashi_arena_take_array(arena, newton->block_count, sizeof *newton->blocks);
    newton->slip = ashi_arena_take_array(arena, newton->block_count, sizeof *newton->slip);
    newton->root = ashi_arena_take_array(arena, newton->body_count, sizeof *newton->root);
    newton->noise = ashi_arena_take_array(arena, newton->body_count, sizeof *newton->noise);
    newton->mobility = ashi_arena_take_array(arena, 2 * rows, sizeof *newton->mobility);
    newton->jacobian = ashi_arena_take_array(arena, rows, sizeof *newton->jacobian);
    bool good = newton->blocks != NULL && newton->slip != NULL && newton->root != NULL && newton->noise != NULL &&
                newton->mobility != NULL && newton->jacobian != NULL;
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++)
        good = (*by_row[i] = ashi_arena_take_array(arena, rows, sizeof(double))) != NULL && good;
    for (size_t i = 0; i < sizeof by_body / sizeof *by_body; i++)
        good = (*by_body[i] = ashi_arena_take_array(arena, numbers, sizeof(double))) != NULL && good;
    return good;
}

/* Which bodies are coupled, and by which block of the matrix. */
static bool find_couplings(ashi_newton *newton, ashi_arena *arena)
{
    ashi_block_pair *pairs = ashi_arena_take_array(arena, newton->block_count, sizeof *pairs);
    uint32_t count = 0;
    if (pairs == NULL)
        return false;
    for (uint32_t k = 0; k < newton->block_count; k++) {
        const uint32_t *body = newton->blocks[k].body;
        bool both = body[0] != ASHI_NEWTON_FIXED && body[1] != ASHI_NEWTON_FIXED && body[0] != body[1];
        if (both && (count == 0 || pairs[count - 1].a != body[0] || pairs[count - 1].b != body[1]))
            pairs[count++] = (ashi_block_pair){body[0], body[1]};
    }
    if (!ashi_block_pattern_fit(newton->pattern, newton->body_count, pairs, count, arena))
        return false;
    if (newton->pattern->too_large)
        return true;
    if (!ashi_block_factor_make(&newton->factor, newton->pattern, arena))
        return false;
    for (uint32_t k = 0; k < newton->block_count; k++) {
        ashi_newton_block *view = &newton->blocks[k];
        if (view->body[0] != ASHI_NEWTON_FIXED && view->body[1] != ASHI_NEWTON_FIXED)
            view->coupling = ashi_block_pattern_find(newton->pattern, view->body[0], view->body[1]);
    }
    return true;
}

bool ashi_newton_prepare(ashi_newton *newton, ashi_solve *solve, ashi_block_pattern *pattern)
{
    const ash_problem_island *island = solve->island;
    *newton = (ashi_newton){.solve = solve,
                            .body_count = island->body_count,
                            .block_count = island->block_count,
                            .row_count = count_rows(solve),
                            .pattern = pattern};
    if (!take_memory(newton, solve->scratch))
        return false;
    for (uint32_t b = 0; b < newton->body_count; b++)
        scale_body(&solve->problem->bodies[island->first_body + b], newton->root[b]);
    uint32_t row = 0;
    for (uint32_t k = 0; k < newton->block_count; k++) {
        ashi_newton_block *view = &newton->blocks[k];
        view->block = &solve->problem->blocks[island->first_block + k];
        view->body[0] = place_in_island(island, view->block->body_a);
        view->body[1] = place_in_island(island, view->block->body_b);
        scale_block(newton, view, row);
        row += view->row_count;
    }
    return find_couplings(newton, solve->scratch);
}

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
            view->block->kind == ASH_BLOCK_CONTACT ? ashi_law_slip(newton->solve->law, view->block, u) : 0;
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
    bool contact = view->block->kind == ASH_BLOCK_CONTACT;
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

/* The speeds of one block, anew. */
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
    for (uint32_t sweep = 0; sweep < sweeps; sweep++)
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
        bool cone = kind == ASHI_NEWTON_CONVEX && view->block->kind == ASH_BLOCK_CONTACT;
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
