/* Prepares the island's rows for sweeps. */
#include "solve/sweeps/sweep.h"

#define NEGLIGIBLE 1e-12 /* pivots below this part of their diagonal are of redundant rows */

/* ---- the square root of inverse masses ---- */

/* G of a body: diagonal for translation, lower triangle for rotation. */
typedef struct root {
    double linear[3];
    double xx, yx, yy, zx, zy, zz;
} root;

static double root_of_pivot(double pivot, double diagonal)
{
    return pivot > NEGLIGIBLE * diagonal ? sqrt(pivot) : 0;
}

/* The Cholesky factor; locked freedoms have zero columns. */
static root root_of(const ash_problem_body *body)
{
    const ash_sym3 *i = &body->inverse_inertia;
    root g = {.linear = {sqrt(body->inverse_mass.x), sqrt(body->inverse_mass.y), sqrt(body->inverse_mass.z)}};
    g.xx = root_of_pivot(i->xx, i->xx);
    g.yx = g.xx > 0 ? i->xy / g.xx : 0;
    g.zx = g.xx > 0 ? i->xz / g.xx : 0;
    g.yy = root_of_pivot(i->yy - g.yx * g.yx, i->yy);
    g.zy = g.yy > 0 ? (i->yz - g.zx * g.yx) / g.yy : 0;
    g.zz = root_of_pivot(i->zz - g.zx * g.zx - g.zy * g.zy, i->zz);
    return g;
}

/* J G of one body. */
static void scale_half(const root *g, ash_vec3 linear, ash_vec3 angular, double *scaled)
{
    scaled[0] = linear.x * g->linear[0];
    scaled[1] = linear.y * g->linear[1];
    scaled[2] = linear.z * g->linear[2];
    scaled[3] = angular.x * g->xx + angular.y * g->yx + angular.z * g->zx;
    scaled[4] = angular.y * g->yy + angular.z * g->zy;
    scaled[5] = angular.z * g->zz;
}

/* ---- rows ---- */

/* A body's place among the y's: 0 for immovable ones. */
static uint32_t slot_of(const ash_problem_island *island, uint32_t body)
{
    uint32_t number = body - island->first_body; /* wraps around for immovable bodies, which come before */
    return number < island->body_count ? number + 1 : 0;
}

static void fill_row(const ashi_system *p, const ashi_block *block, const ashi_row *from, const root *a, const root *b,
                     ashi_sweep_row *row)
{
    const ash_problem_body *body_a = &p->bodies[block->body_a], *body_b = &p->bodies[block->body_b];
    scale_half(a, from->linear_a, from->angular_a, row->scaled);
    scale_half(b, from->linear_b, from->angular_b, row->scaled + ASHI_SWEEP_HALF);
    row->bias = from->bias + (v3_dot(from->linear_a, body_a->velocity) + v3_dot(from->angular_a, body_a->spin) +
                              v3_dot(from->linear_b, body_b->velocity) + v3_dot(from->angular_b, body_b->spin));
    row->softness = from->softness;
    row->step = 0;
}

/* K_i K_k^T, each body's part by its own factor. */
static double row_response(const ashi_sweep_row *i, const ashi_sweep_row *k, double factor_a, double factor_b)
{
    double a = 0, b = 0;
    for (int n = 0; n < ASHI_SWEEP_HALF; n++) {
        a += i->scaled[n] * k->scaled[n];
        b += i->scaled[ASHI_SWEEP_HALF + n] * k->scaled[ASHI_SWEEP_HALF + n];
    }
    return factor_a * a + factor_b * b;
}

/* ---- matrices ---- */

/* Inverts the rows and columns marked in a packed symmetric matrix in place by Gauss and Jordan; other rows, and those
 * that earlier ones make redundant, become zero. */
static void invert_marked(const double *matrix, uint32_t count, const bool *marked, double *inverse)
{
    double full[ASHI_BLOCK_ROWS][ASHI_BLOCK_ROWS];
    bool done[ASHI_BLOCK_ROWS];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= i; k++)
            full[i][k] = full[k][i] = matrix[ASHI_PACKED(i, k)];
    for (uint32_t p = 0; p < count; p++) {
        done[p] = marked[p] && full[p][p] > NEGLIGIBLE * matrix[ASHI_PACKED(p, p)];
        if (!done[p])
            continue;
        double scale = 1 / full[p][p];
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; i != p && k < count; k++)
                if (k != p)
                    full[i][k] -= full[i][p] * full[p][k] * scale;
        for (uint32_t i = 0; i < count; i++) {
            full[i][p] *= -scale;
            full[p][i] *= scale;
        }
        full[p][p] = scale;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= i; k++)
            inverse[ASHI_PACKED(i, k)] = done[i] && done[k] ? full[i][k] : 0;
}

/* A + gamma I, or of the scaled rows J_i / sqrt(D_i) with impulses times sqrt(D_i): A + gamma D in ours, which is all
 * that scaling changes for sweeps. Rows without a response are skipped. */
static void regularize(const ashi_sweep_state *sweep, uint32_t number, double before, double gamma)
{
    bool scaled = sweep->solve->settings->diagonal_scaling;
    const ashi_sweep_block *block = &sweep->blocks[number];
    if (before == gamma)
        return;
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        ashi_sweep_row *row = &sweep->rows[i];
        double response = row_response(row, row, 1, 1);
        if (before > 0 && response > 0)
            row->softness = (row->softness - before * (scaled ? response : 1)) / (scaled ? 1 + before : 1);
        if (response > 0)
            row->softness += gamma * (scaled ? response + row->softness : 1);
    }
}

static void fill_matrix(const ashi_sweep_state *sweep, uint32_t number, const double *shares)
{
    const ashi_sweep_block *block = &sweep->blocks[number];
    ashi_sweep_row *row = &sweep->rows[block->first];
    double *matrix = sweep->links[number].matrix;
    double share_a = shares != NULL ? shares[block->a / ASHI_SWEEP_HALF] : 1;
    double share_b = shares != NULL ? shares[block->b / ASHI_SWEEP_HALF] : 1;
    for (uint32_t i = 0; i < block->count; i++) {
        for (uint32_t k = 0; k <= i; k++)
            matrix[ASHI_PACKED(i, k)] = row_response(&row[i], &row[k], share_a, share_b);
        double diagonal = matrix[ASHI_PACKED(i, i)] += row[i].softness;
        row[i].inverse_diagonal = diagonal > 0 ? 1 / diagonal : 0;
    }
}

/* A contact whose matrix cannot be inverted (a point mass in a groove) is solved in groups. */
static void invert_contact(ashi_sweep_block *block)
{
    const bool all[3] = {true, true, true};
    invert_marked(block->matrix, 3, all, block->inverse);
    for (uint32_t i = 0; i < 3; i++)
        if (!(block->inverse[ASHI_PACKED(i, i)] > 0))
            block->kind = ASHI_SWEEP_GROUPS;
}

static bool invert_equalities(const ashi_sweep_state *sweep, uint32_t number)
{
    const ashi_sweep_block *block = &sweep->blocks[number];
    ashi_sweep_link *link = &sweep->links[number];
    bool equality[ASHI_BLOCK_ROWS];
    for (uint32_t i = 0; i < block->count; i++)
        equality[i] =
            !isfinite(sweep->bounds[block->first + i].lower) && !isfinite(sweep->bounds[block->first + i].upper);
    if (link->inverse == NULL)
        link->inverse =
            ashi_arena_take_array(sweep->solve->scratch, ASHI_PACKED(block->count, 0), sizeof *link->inverse);
    if (link->inverse == NULL)
        return false;
    invert_marked(link->matrix, block->count, equality, link->inverse);
    link->equal = true;
    for (uint32_t i = 0; i < block->count; i++)
        link->equal = link->equal && equality[i];
    return true;
}

/* 1 / the largest eigenvalue of one or two rows' own matrix. */
static double step_of(const double *matrix, uint32_t first, uint32_t count)
{
    double largest = matrix[ASHI_PACKED(first, first)];
    if (count == 2) {
        double other = matrix[ASHI_PACKED(first + 1, first + 1)], cross = matrix[ASHI_PACKED(first + 1, first)];
        double half = (largest - other) / 2;
        largest = (largest + other) / 2 + sqrt(half * half + cross * cross);
    }
    return largest > 0 ? 1 / largest : 0;
}

/* Steps of the groups of friction rows. */
static void fill_steps(const ashi_sweep_state *sweep, uint32_t number)
{
    const ashi_block *source = sweep->links[number].source;
    bool together = sweep->solve->law->law != ASH_FRICTION_BOX && source->tangents == 2;
    uint32_t sizes[4] = {together ? 2 : source->tangents > 0, together ? 0 : source->tangents == 2, source->rollings,
                         source->spins};
    uint32_t first = 1;
    for (uint32_t g = 0; g < 4; g++) {
        double step = sizes[g] > 0 ? step_of(sweep->links[number].matrix, first, sizes[g]) : 0;
        for (uint32_t i = 0; i < sizes[g]; i++)
            sweep->rows[sweep->blocks[number].first + first + i].step = step;
        first += sizes[g];
    }
}

static bool fill_block(ashi_sweep_state *sweep, uint32_t number, double before, double gamma)
{
    ashi_sweep_block *block = &sweep->blocks[number];
    ashi_sweep_link *link = &sweep->links[number];
    bool three = block->kind == ASHI_SWEEP_CONE || block->kind == ASHI_SWEEP_BOX;
    if (three)
        link->matrix = block->matrix;
    else if (link->matrix == NULL)
        link->matrix = ashi_arena_take_array(sweep->solve->scratch, ASHI_PACKED(block->count, 0), sizeof *link->matrix);
    if (link->matrix == NULL)
        return false;
    regularize(sweep, number, before, gamma);
    fill_matrix(sweep, number, sweep->shares);
    if (block->kind == ASHI_SWEEP_ROWS)
        return invert_equalities(sweep, number);
    if (three)
        invert_contact(block);
    if (block->kind != ASHI_SWEEP_CONE)
        fill_steps(sweep, number);
    return true;
}

/* ---- blocks ---- */

static uint8_t simple_tangents(const ashi_block *source)
{
    bool simple = source->rollings == 0 && source->spins == 0 && !(source->friction_limit >= 0);
    return simple && source->kind == ASHI_CONTACT_BLOCK ? source->tangents : 0;
}

static ashi_sweep_kind kind_of(const ashi_sweep_state *sweep, const ashi_block *source)
{
    if (source->kind == ASHI_PLAIN_BLOCK)
        return ASHI_SWEEP_ROWS;
    bool disk = sweep->solve->law->corners == 0 || source->tangents == 1;
    bool at_once = simple_tangents(source) > 0 && source->friction > 0 && !sweep->solve->settings->by_rows;
    if (at_once && disk)
        return ASHI_SWEEP_CONE;
    return at_once && sweep->solve->law->law == ASH_FRICTION_BOX ? ASHI_SWEEP_BOX : ASHI_SWEEP_GROUPS;
}

static void add_block(ashi_sweep_state *sweep, const ashi_block *source, const root *roots)
{
    const ashi_system *p = sweep->solve->problem;
    uint32_t a = slot_of(sweep->solve->island, source->body_a), b = slot_of(sweep->solve->island, source->body_b);
    uint32_t first = sweep->row_count, count = source->row_count;
    ashi_sweep_block *block = &sweep->blocks[sweep->block_count];
    sweep->links[sweep->block_count++] = (ashi_sweep_link){.source = source};
    block->a = a * ASHI_SWEEP_HALF;
    block->b = b * ASHI_SWEEP_HALF;
    block->first = first;
    block->kind = (uint8_t)kind_of(sweep, source);
    block->tangents = simple_tangents(source);
    block->friction = source->friction;
    block->slip = 0;
    for (uint32_t i = 0; i < count; i++) {
        const ashi_row *from = &p->rows[source->first_row + i];
        bool normal = source->kind == ASHI_CONTACT_BLOCK;
        fill_row(p, source, from, &roots[a], &roots[b], &sweep->rows[first + i]);
        sweep->bounds[first + i] =
            normal ? (ashi_sweep_bounds){0, INFINITY} : (ashi_sweep_bounds){from->lower, from->upper};
        sweep->impulse[first + i] = from->impulse;
    }
    if (block->kind == ASHI_SWEEP_CONE && count == 2) { /* the missing tangent moves nothing and stays zero */
        sweep->rows[first + 2] = (ashi_sweep_row){.softness = 1};
        sweep->impulse[first + 2] = 0;
        count = 3;
    }
    block->count = (uint8_t)count;
    sweep->row_count += count;
}

/* Blocks of plain rows, or the others. */
static void add_blocks(ashi_sweep_state *sweep, const root *roots, bool plain)
{
    const ash_problem_island *island = sweep->solve->island;
    const ashi_block *blocks = sweep->solve->problem->blocks + island->first_block;
    for (uint32_t k = 0; k < island->block_count; k++)
        if ((blocks[k].kind == ASHI_PLAIN_BLOCK) == plain)
            add_block(sweep, &blocks[k], roots);
}

/* By slot: how many blocks or rows act on it. */
static double *count_shares(const ashi_sweep_state *sweep)
{
    uint32_t slots = sweep->motion_count / ASHI_SWEEP_HALF;
    double *shares = ashi_arena_take_array(sweep->solve->scratch, slots, sizeof *shares);
    if (shares == NULL)
        return NULL;
    memset(shares, 0, slots * sizeof *shares);
    for (uint32_t k = 0; k < sweep->block_count; k++) {
        const ashi_sweep_block *block = &sweep->blocks[k];
        double units = sweep->solve->settings->by_rows ? block->count : 1;
        shares[block->a / ASHI_SWEEP_HALF] += units;
        shares[block->b / ASHI_SWEEP_HALF] += units;
    }
    return shares;
}

/* G by slot. */
static root *find_roots(const ashi_solve *solve)
{
    const ash_problem_island *island = solve->island;
    root *roots = ashi_arena_take_array(solve->scratch, (size_t)island->body_count + 1, sizeof *roots);
    if (roots == NULL)
        return NULL;
    roots[0] = (root){{0, 0, 0}, 0, 0, 0, 0, 0, 0};
    for (uint32_t i = 0; i < island->body_count; i++)
        roots[i + 1] = root_of(&solve->problem->bodies[island->first_body + i]);
    return roots;
}

static bool take_memory(ashi_sweep_state *sweep, ashi_solve *solve)
{
    const ashi_system *p = solve->problem;
    const ash_problem_island *island = solve->island;
    ashi_arena *scratch = solve->scratch;
    uint32_t rows = 0;
    for (uint32_t k = 0; k < island->block_count; k++) {
        uint32_t count = p->blocks[island->first_block + k].row_count;
        rows += count == 2 ? 3 : count; /* a planar cone gets an empty row */
    }
    sweep->motion_count = (island->body_count + 1) * ASHI_SWEEP_HALF;
    sweep->blocks = ashi_arena_take_array(scratch, island->block_count, sizeof *sweep->blocks);
    sweep->links = ashi_arena_take_array(scratch, island->block_count, sizeof *sweep->links);
    sweep->rows = ashi_arena_take_array(scratch, rows, sizeof *sweep->rows);
    sweep->bounds = ashi_arena_take_array(scratch, rows, sizeof *sweep->bounds);
    sweep->impulse = ashi_arena_take_array(scratch, rows, sizeof *sweep->impulse);
    sweep->motion = ashi_arena_take_array(scratch, sweep->motion_count, sizeof *sweep->motion);
    sweep->target = sweep->motion;
    return sweep->blocks != NULL && sweep->links != NULL && sweep->rows != NULL && sweep->bounds != NULL &&
           sweep->impulse != NULL && sweep->motion != NULL;
}

bool ashi_sweep_prepare(ashi_sweep_state *sweep, ashi_solve *solve, double relaxation, double gamma, bool split)
{
    *sweep = (ashi_sweep_state){.solve = solve, .relaxation = relaxation};
    root *roots = find_roots(solve);
    if (roots == NULL || !take_memory(sweep, solve))
        return false;
    add_blocks(sweep, roots, true);
    sweep->plain_count = sweep->block_count;
    add_blocks(sweep, roots, false);
    sweep->shares = split ? count_shares(sweep) : NULL;
    if (split && sweep->shares == NULL)
        return false;
    sweep->gamma = gamma;
    for (uint32_t k = 0; k < sweep->block_count; k++)
        if (!fill_block(sweep, k, 0, sweep->gamma))
            return false;
    ashi_sweep_gather(sweep, sweep->impulse, sweep->motion);
    return true;
}

void ashi_sweep_regularize(ashi_sweep_state *sweep, double gamma)
{
    for (uint32_t k = 0; k < sweep->block_count; k++)
        fill_block(sweep, k, sweep->gamma, gamma); /* its memory is there */
    sweep->gamma = gamma;
}
