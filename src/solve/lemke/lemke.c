/* Stewart and Trinkle's contact problem as one linear complementarity problem (de Jong 2014, (4-26)-(4-27), whose last
 * line must read "= 0"), solved by Lemke's pivoting.
 *
 * A contact's friction is lambda_t = sum_j c_j beta_j over the corners c_j of the law's polygon, with
 *
 *   sigma_j = c_j u_t + gamma >= 0,  beta_j >= 0,  sigma_j beta_j = 0,
 *   zeta = mu lambda_n - sum_j beta_j >= 0,  gamma >= 0,  zeta gamma = 0,
 *
 * where corners (1, 1), ... make the box of decoupled friction, too; rolling and spin have the same form. Plain rows
 * are free variables; with one bound, distances from it; with two, lambda = lower + x, where u + gamma >= 0 stands
 * against x and the room left, upper - lower - x, against gamma. A disk (the cone law, rolling about two axes) is taken
 * as the polygon with corners in `directions` directions; the yardstick then shows what that costs.
 *
 * Impulses are measured in units of sqrt(effective mass), which makes the diagonal 1 whatever masses and lengths are.
 * Pivoting has an end of its own: `iterations` does not limit it, and a first guess is of use only when it is good
 * enough already.
 *
 * The tableau is dense, so that there is a limit of variables. Beyond it, and where pivoting ends without a solution,
 * `newton` solves the same problem with the same polygons: it changes the active set in blocks, on a sparse factor. The
 * flag ASH_SOLVE_REPLACED says so; ASH_SOLVE_CONVERGED beside it that the yardstick found a solution. */
#include "solve/lemke/complementarity.h"
#include "solve/solve.h"

#include <math.h>

#define MOST_VARIABLES 2048 /* two matrices of 32 MB; 340 contacts with 4 directions */
#define NO_ROW         UINT32_MAX
#define AS_EXACT       1e-10 /* m/s: what newton is to reach in pivoting's place where no tolerance is set */
#define ROUNDS         200   /* of newton at most */

typedef enum variable_kind {
    VARIABLE_IMPULSE, /* >= 0 */
    VARIABLE_FREE,    /* an impulse of any sign */
    VARIABLE_SLACK    /* gamma: it bounds the impulses of its group */
} variable_kind;

/* One unknown: what it adds to impulses of rows. */
typedef struct variable {
    variable_kind kind;
    uint32_t block;
    uint32_t row[2];  /* of the problem, or NO_ROW */
    double factor[2]; /* impulse in the row per unit of the variable */
    double scale;     /* of the unknown and of its equation */
} variable;

/* Slack variables: sum of the group's variables <= limit + coefficient times the normal's variable. */
typedef struct group {
    uint32_t first, count; /* variables; the slack follows them */
    uint32_t normal;       /* variable, or NO_ROW */
    double coefficient, limit;
} group;

typedef struct formulation {
    ashi_system *problem;
    const ash_problem_island *island;
    const ashi_law *friction; /* the polygon of friction */
    const ashi_law *round;    /* that of disks */
    variable *variables;
    group *groups;
    uint32_t variable_count, group_count;
    uint32_t *first_variable; /* by block of the island, and one past the last */
    double *matrix, *constant, *cover, *solution;
    bool *free;
} formulation;

/* ---- unknowns ---- */

static uint32_t corner_count(const ashi_law *polygon, uint32_t rows)
{
    return rows == 2 ? polygon->corners : 2 * rows;
}

static double row_response(const formulation *f, const ashi_block *block, uint32_t row)
{
    const ashi_row *r = &f->problem->rows[row];
    return ashi_row_response(f->problem, block, r, r) + r->softness;
}

static uint32_t add_variable(formulation *f, variable_kind kind, uint32_t block, uint32_t row, double factor,
                             double scale)
{
    f->variables[f->variable_count] =
        (variable){.kind = kind, .block = block, .row = {row, NO_ROW}, .factor = {factor, 0}, .scale = scale};
    return f->variable_count++;
}

/* A slack for the variables from `first` on. */
static void add_group(formulation *f, group g)
{
    g.count = f->variable_count - g.first;
    f->groups[f->group_count++] = g;
    uint32_t block = f->variables[g.first].block;
    add_variable(f, VARIABLE_SLACK, block, NO_ROW, 0, 1 / f->variables[g.first].scale);
}

/* Impulses of one or two rows within a polygon that grows with the normal impulse. */
static void add_polygon(formulation *f, uint32_t block_number, uint32_t normal, uint32_t row, uint32_t rows,
                        double coefficient, const ashi_law *polygon)
{
    const ashi_block *block = &f->problem->blocks[block_number];
    bool fixed_limit = block->friction_limit >= 0;
    double response = 0;
    for (uint32_t i = 0; i < rows; i++)
        response += row_response(f, block, row + i) / rows;
    if (rows == 0 || !(coefficient > 0) || !(response > 0) || (!fixed_limit && normal == NO_ROW))
        return;
    uint32_t first = f->variable_count;
    double scale = 1 / sqrt(response);
    for (uint32_t j = 0; j < corner_count(polygon, rows); j++) {
        double x = rows == 2 ? polygon->x[j] : 1 - 2.0 * j;
        uint32_t number = add_variable(f, VARIABLE_IMPULSE, block_number, row, x, scale);
        if (rows == 2) {
            f->variables[number].row[1] = row + 1;
            f->variables[number].factor[1] = polygon->y[j];
        }
    }
    add_group(f, (group){.first = first,
                         .normal = fixed_limit ? NO_ROW : normal,
                         .coefficient = coefficient,
                         .limit = fixed_limit ? coefficient * block->friction_limit : 0});
}

static void add_contact(formulation *f, uint32_t number)
{
    const ashi_block *block = &f->problem->blocks[number];
    uint32_t row = block->first_row, normal = NO_ROW;
    double response = row_response(f, block, row);
    if (response > 0) /* between bodies that cannot give way there is nothing to solve */
        normal = add_variable(f, VARIABLE_IMPULSE, number, row, 1, 1 / sqrt(response));
    row++;
    add_polygon(f, number, normal, row, block->tangents, block->friction, f->friction);
    row += block->tangents;
    add_polygon(f, number, normal, row, block->rollings, block->rolling, f->round);
    row += block->rollings;
    add_polygon(f, number, normal, row, block->spins, block->spinning, f->round);
}

/* Also leaves in the row the impulse from which its variable counts. */
static void add_plain_row(formulation *f, uint32_t number, uint32_t row_number)
{
    ashi_row *row = &f->problem->rows[row_number];
    double response = row_response(f, &f->problem->blocks[number], row_number);
    bool below = isfinite(row->lower), above = isfinite(row->upper);
    row->impulse = below ? row->lower : above ? row->upper : 0;
    if (!(response > 0) || row->lower == row->upper)
        return;
    double scale = 1 / sqrt(response);
    uint32_t first = f->variable_count;
    variable_kind kind = below || above ? VARIABLE_IMPULSE : VARIABLE_FREE;
    add_variable(f, kind, number, row_number, above && !below ? -1 : 1, scale);
    if (below && above)
        add_group(f, (group){.first = first, .normal = NO_ROW, .limit = row->upper - row->lower});
}

static void add_variables(formulation *f)
{
    for (uint32_t k = 0; k < f->island->block_count; k++) {
        uint32_t number = f->island->first_block + k;
        const ashi_block *block = &f->problem->blocks[number];
        f->first_variable[k] = f->variable_count;
        for (uint32_t r = block->first_row; r < block->first_row + block->row_count; r++)
            f->problem->rows[r].impulse = 0;
        if (block->kind == ASHI_CONTACT_BLOCK)
            add_contact(f, number);
        else
            for (uint32_t r = block->first_row; r < block->first_row + block->row_count; r++)
                add_plain_row(f, number, r);
    }
    f->first_variable[f->island->block_count] = f->variable_count;
}

/* Corners and their slack. */
static uint32_t group_size(const ashi_law *polygon, uint32_t rows)
{
    return rows > 0 ? corner_count(polygon, rows) + 1 : 0;
}

/* As many variables as the island can have. */
static uint64_t count_variables(const formulation *f)
{
    uint64_t count = 0;
    for (uint32_t k = 0; k < f->island->block_count; k++) {
        const ashi_block *block = &f->problem->blocks[f->island->first_block + k];
        if (block->kind == ASHI_CONTACT_BLOCK)
            count += 1 + group_size(f->friction, block->tangents) + group_size(f->round, block->rollings) +
                     group_size(f->round, block->spins);
        else
            count += 2u * block->row_count;
    }
    return count;
}

/* ---- the matrix ---- */

static double half_response(const ash_problem_body *body, ash_vec3 linear, ash_vec3 angular, ash_vec3 other_linear,
                            ash_vec3 other_angular)
{
    return v3_dot(linear, v3_mul(body->inverse_mass, other_linear)) +
           v3_dot(angular, s3_apply(body->inverse_inertia, other_angular));
}

/* J_i M^-1 J_k^T of rows of any two blocks. */
static double response_between(const ashi_system *p, const ashi_block *block, const ashi_row *i,
                               const ashi_block *other, const ashi_row *k)
{
    const ash_problem_body *a = &p->bodies[block->body_a], *b = &p->bodies[block->body_b];
    double sum = 0;
    if (block->body_a == other->body_a)
        sum += half_response(a, i->linear_a, i->angular_a, k->linear_a, k->angular_a);
    if (block->body_a == other->body_b)
        sum += half_response(a, i->linear_a, i->angular_a, k->linear_b, k->angular_b);
    if (block->body_b == other->body_a)
        sum += half_response(b, i->linear_b, i->angular_b, k->linear_a, k->angular_a);
    if (block->body_b == other->body_b)
        sum += half_response(b, i->linear_b, i->angular_b, k->linear_b, k->angular_b);
    return sum;
}

static bool is_of(uint32_t body, const ashi_block *block)
{
    return body == block->body_a || body == block->body_b;
}

static bool act_on_each_other(const ashi_system *p, const ashi_block *a, const ashi_block *b)
{
    return (a->body_a >= p->fixed_count && is_of(a->body_a, b)) || (a->body_b >= p->fixed_count && is_of(a->body_b, b));
}

static double entry(const formulation *f, const variable *i, const variable *k)
{
    const ashi_system *p = f->problem;
    double sum = 0;
    for (uint32_t m = 0; m < 2; m++)
        for (uint32_t n = 0; n < 2; n++) {
            if (i->row[m] == NO_ROW || k->row[n] == NO_ROW)
                continue;
            const ashi_row *r = &p->rows[i->row[m]], *s = &p->rows[k->row[n]];
            double response = response_between(p, &p->blocks[i->block], r, &p->blocks[k->block], s);
            sum += i->factor[m] * k->factor[n] * (response + (r == s ? r->softness : 0));
        }
    return i->scale * k->scale * sum;
}

static void fill_responses(formulation *f)
{
    uint32_t n = f->variable_count;
    const ashi_block *blocks = &f->problem->blocks[f->island->first_block];
    for (size_t i = 0; i < (size_t)n * n; i++)
        f->matrix[i] = 0;
    for (uint32_t a = 0; a < f->island->block_count; a++)
        for (uint32_t b = a; b < f->island->block_count; b++) {
            if (!act_on_each_other(f->problem, &blocks[a], &blocks[b]))
                continue;
            for (uint32_t i = f->first_variable[a]; i < f->first_variable[a + 1]; i++)
                for (uint32_t k = f->first_variable[b]; k < f->first_variable[b + 1]; k++)
                    f->matrix[(size_t)k * n + i] = f->matrix[(size_t)i * n + k] =
                        entry(f, &f->variables[i], &f->variables[k]);
        }
}

static void fill_groups(formulation *f)
{
    uint32_t n = f->variable_count;
    for (uint32_t m = 0; m < f->group_count; m++) {
        const group *g = &f->groups[m];
        uint32_t slack = g->first + g->count;
        double scale = f->variables[slack].scale, bound = scale / fmax(1, g->coefficient);
        for (uint32_t i = g->first; i < slack; i++) {
            f->matrix[(size_t)i * n + slack] = f->variables[i].scale * scale;
            f->matrix[(size_t)slack * n + i] = -bound * f->variables[i].scale;
        }
        if (g->normal != NO_ROW)
            f->matrix[(size_t)slack * n + g->normal] = bound * g->coefficient * f->variables[g->normal].scale;
        f->constant[slack] = bound * g->limit;
    }
}

/* q: the velocities with the impulses from which variables count. */
static void fill_constants(formulation *f)
{
    ashi_system *p = f->problem;
    ashi_system_velocities(p, f->island);
    for (uint32_t i = 0; i < f->variable_count; i++) {
        const variable *v = &f->variables[i];
        const ashi_block *block = &p->blocks[v->block];
        f->free[i] = v->kind == VARIABLE_FREE;
        f->constant[i] = 0;
        f->cover[i] = v->kind == VARIABLE_SLACK ? 1 / v->scale : v->scale;
        for (uint32_t m = 0; m < 2; m++) {
            if (v->row[m] == NO_ROW)
                continue;
            const ashi_row *row = &p->rows[v->row[m]];
            double speed = ashi_row_speed(row, &p->velocity[block->body_a], &p->velocity[block->body_b]) + row->bias +
                           row->softness * row->impulse;
            f->constant[i] += v->scale * v->factor[m] * speed;
        }
    }
}

/* ---- the solve ---- */

static void apply(formulation *f)
{
    for (uint32_t i = 0; i < f->variable_count; i++) {
        const variable *v = &f->variables[i];
        for (uint32_t m = 0; m < 2; m++)
            if (v->row[m] != NO_ROW)
                f->problem->rows[v->row[m]].impulse += v->factor[m] * v->scale * f->solution[i];
    }
    ashi_system_velocities(f->problem, f->island);
}

static bool take_memory(formulation *f, ashi_arena *scratch, uint32_t most)
{
    f->variables = ashi_arena_take_array(scratch, most, sizeof *f->variables);
    f->groups = ashi_arena_take_array(scratch, most, sizeof *f->groups);
    f->first_variable = ashi_arena_take_array(scratch, f->island->block_count + 1u, sizeof *f->first_variable);
    f->constant = ashi_arena_take_array(scratch, most, sizeof *f->constant);
    f->cover = ashi_arena_take_array(scratch, most, sizeof *f->cover);
    f->solution = ashi_arena_take_array(scratch, most, sizeof *f->solution);
    f->free = ashi_arena_take_array(scratch, most, sizeof *f->free);
    f->matrix = ashi_arena_take_array(scratch, (size_t)most * most, sizeof *f->matrix);
    return f->variables != NULL && f->groups != NULL && f->first_variable != NULL && f->constant != NULL &&
           f->cover != NULL && f->solution != NULL && f->free != NULL && f->matrix != NULL;
}

/* The island's impulses, to come back to. */
static double *keep_impulses(ashi_solve *solve, uint32_t *first, uint32_t *count)
{
    const ashi_block *blocks = &solve->problem->blocks[solve->island->first_block];
    const ashi_block *last = &blocks[solve->island->block_count - 1];
    *first = blocks->first_row;
    *count = last->first_row + last->row_count - *first;
    double *kept = ashi_arena_take_array(solve->scratch, *count, sizeof *kept);
    for (uint32_t i = 0; kept != NULL && i < *count; i++)
        kept[i] = solve->problem->rows[*first + i].impulse;
    return kept;
}

static ashi_pivoting_result formulate_and_pivot(formulation *f, ashi_solve *solve)
{
    add_variables(f);
    fill_constants(f);
    fill_responses(f);
    fill_groups(f);
    ashi_complementarity lcp = {f->variable_count, f->matrix, f->constant, f->free, f->cover, solve->deadline, 0};
    uint64_t left = solve->most_visits > solve->visits ? solve->most_visits - solve->visits : 0;
    if (left < UINT64_MAX / ASHI_OF_A_VISIT)
        lcp.most_work = left * ASHI_OF_A_VISIT + 1;
    ashi_pivoting_result result = ashi_complementarity_solve(&lcp, solve->scratch, f->solution);
    solve->visits += result.work / ASHI_OF_A_VISIT;
    return result;
}

static const uint32_t flag_of[] = {[ASHI_PIVOTING_RAY] = ASH_SOLVE_RAY,
                                   [ASHI_PIVOTING_LOST] = ASH_SOLVE_FAILED,
                                   [ASHI_PIVOTING_LATE] = ASH_SOLVE_BUDGET};

/* The first guess, as it was before the formulation. */
static void put_back(ashi_solve *solve, const double *kept, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        solve->problem->rows[first + i].impulse = kept[i];
    ashi_system_velocities(solve->problem, solve->island);
}

/* In pivoting's place, from the first guess. */
static bool replace(ashi_solve *solve)
{
    ash_solver_settings settings = *solve->settings;
    settings.tolerance = settings.tolerance > 0 ? settings.tolerance : AS_EXACT;
    settings.iterations = ROUNDS;
    ashi_solve other = *solve;
    other.settings = &settings;
    other.judged = NULL;
    other.iterations = other.flags = 0;
    if (!ashi_solve_newton(&other))
        return false;
    solve->iterations += other.iterations;
    solve->visits = other.visits;
    solve->residual = other.residual;
    solve->flags |= other.flags | ASH_SOLVE_REPLACED;
    return true;
}

bool ashi_solve_lemke(ashi_solve *solve)
{
    ashi_system regular = *solve->problem;
    regular.law = ASH_FRICTION_PYRAMID;
    ashi_law round = ashi_law_of(&regular);
    formulation f = {.problem = solve->problem,
                     .island = solve->island,
                     .friction = solve->law->corners > 0 ? solve->law : &round,
                     .round = &round};
    uint64_t most = count_variables(&f);
    if (most > MOST_VARIABLES) {
        solve->flags |= ASH_SOLVE_TOO_LARGE;
        return replace(solve);
    }
    if (!ashi_solve_goes_on(solve, 1))
        return true;
    uint32_t first, count;
    double *kept = keep_impulses(solve, &first, &count);
    if (kept == NULL || !take_memory(&f, solve->scratch, (uint32_t)most))
        return false;
    ashi_pivoting_result result = formulate_and_pivot(&f, solve);
    solve->iterations = result.pivots;
    if (result.end == ASHI_PIVOTING_SOLVED) {
        apply(&f);
        ashi_solve_goes_on(solve, 1);
        if (solve->settings->tolerance <= 0)
            solve->flags |= ASH_SOLVE_CONVERGED;
        solve->iterations = result.pivots;
        return true;
    }
    put_back(solve, kept, first, count);
    if (result.end == ASHI_PIVOTING_NO_MEMORY)
        return false;
    solve->flags |= flag_of[result.end];
    return result.end == ASHI_PIVOTING_LATE && solve->deadline > 0 ? true : replace(solve);
}
