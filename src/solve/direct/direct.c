/* The direct solver for equality rows: loads a problem, factors it, solves with refinement.
 *
 * The factor is tried without epsilon first: where all pivots are sound, one substitution is nearly exact, and one
 * refinement makes up for rounding. A small pivot means that a row depends on others, or nearly so. Then epsilon times
 * its own diagonal is added to every row's softness, E, and the matrix B = (J M^-1 J^T + softness + E)^-1 approximates;
 * refinements lambda += B (wanted - A lambda) tend to the solution whose impulses have the least norm in E. What no
 * impulse can reach, the limit of (E B)^n wanted, is taken out of `wanted` beforehand: it would make impulses of size
 * 1/epsilon that do nothing. Nothing is kept from one factor to the next but the pattern: the same problem gives the
 * same bits, whatever came before. */
#include "solve/direct/direct.h"

#include "math/pair.h"
#include "solve/direct/direct_parts.h"
#include "solve/linear/body_root.h"

#include <string.h>

#define EPSILON          1e-11 /* of a row's diagonal; its square is below rounding, and rounding far below it */
#define CARRIED          1e-6  /* of a row's diagonal: what its lower body must give */
#define MOST_REFINEMENTS 5
#define MOST_CONFLICTS   4     /* times that unreachable parts are looked for; each finds all but 1e-5 of the rest */
#define EXACT            2e-14 /* residuals this small relative to what they are sums of are rounding */

ashi_direct *ashi_direct_create(void)
{
    ashi_direct *direct = ashi_alloc_zeroed(sizeof *direct);
    if (direct != NULL && (direct->memory = ashi_arena_create(1 << 12)) == NULL) {
        ashi_dealloc(direct);
        return NULL;
    }
    return direct;
}

void ashi_direct_destroy(ashi_direct *direct)
{
    if (direct == NULL)
        return;
    ashi_direct_forget_plans(direct);
    ashi_arena_destroy(direct->memory);
    ashi_array_release(&direct->graph);
    ashi_array_release(&direct->found);
    ashi_array_release(&direct->local);
    ashi_array_release(&direct->body);
    ashi_array_release(&direct->source);
    ashi_array_release(&direct->products);
    ashi_dealloc(direct);
}

/* ---- the graph ---- */

/* The body's number in the graph, given when first met; none for immovable ones. */
static bool find_body(ashi_direct *d, uint32_t body, uint32_t *number)
{
    uint32_t at = body - d->first_body; /* wraps around for immovable bodies, which come before */
    *number = ASHI_DIRECT_NONE;
    if (at >= d->range)
        return true;
    if (d->local.data[at] == ASHI_DIRECT_NONE) {
        if (!ashi_array_extend(&d->body))
            return false;
        d->local.data[at] = d->body.count - 1;
        d->body.data[d->body.count - 1] = body;
    }
    *number = d->local.data[at];
    return true;
}

/* Adds a block's equality rows, if it has any. */
static bool find_block(ashi_direct *d, const ashi_system *p, const ashi_block *block)
{
    ashi_direct_block found = {.rows = 0};
    for (uint32_t i = 0; i < block->row_count; i++) {
        const ashi_row *row = &p->rows[block->first_row + i];
        if (isfinite(row->lower) || isfinite(row->upper))
            continue;
        if (!ashi_array_extend(&d->source))
            return false;
        d->source.data[d->source.count - 1] = block->first_row + i;
        found.rows |= 1u << i;
    }
    if (found.rows == 0)
        return true;
    if (!ashi_array_extend(&d->found) || !find_body(d, block->body_a, &found.body[0]) ||
        !find_body(d, block->body_b, &found.body[1]))
        return false;
    d->found.data[d->found.count - 1] = found;
    return true;
}

static bool find_graph(ashi_direct *d, const ashi_system *p, const ash_problem_island *island)
{
    uint32_t first = island != NULL ? island->first_block : 0;
    uint32_t count = island != NULL ? island->block_count : p->block_count;
    d->first_body = island != NULL ? island->first_body : p->fixed_count;
    d->range = island != NULL ? island->body_count : p->body_count - p->fixed_count;
    d->found.count = d->body.count = d->source.count = 0;
    if (!ashi_array_reserve(&d->local, d->range))
        return false;
    for (uint32_t i = 0; i < d->range; i++)
        d->local.data[i] = ASHI_DIRECT_NONE;
    for (uint32_t k = first; k < first + count; k++)
        if (p->blocks[k].kind == ASHI_PLAIN_BLOCK && !find_block(d, p, &p->blocks[k]))
            return false;
    return true;
}

static bool is_same_graph(const ashi_direct *d)
{
    size_t size = d->found.count * sizeof *d->found.data;
    return d->fitted && d->found.count == d->graph.count && d->body.count == d->body_count &&
           (size == 0 || memcmp(d->found.data, d->graph.data, size) == 0);
}

static uint32_t bits_in(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

static bool take_memory(ashi_direct *d)
{
    size_t rows = d->row_count;
    double **by_row[] = {&d->softness, &d->scale, &d->right, &d->held, &d->residual, &d->guess, &d->reachable};
    bool **marks[] = {&d->suspect, &d->redundant, &d->undetermined};
    bool good = (d->z = ashi_arena_take_array(d->memory, 6 * (size_t)d->body_count, sizeof *d->z)) != NULL;
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++)
        good = (*by_row[i] = ashi_arena_take_array(d->memory, rows, sizeof(double))) != NULL && good;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        good = (*marks[i] = ashi_arena_take_array(d->memory, rows, sizeof(bool))) != NULL && good;
    d->first_row = ashi_arena_take_array(d->memory, (size_t)d->block_count + 1, sizeof *d->first_row);
    d->lower = ashi_arena_take_array(d->memory, d->block_count, sizeof *d->lower);
    d->listed = ashi_arena_take_array(d->memory, rows, sizeof *d->listed);
    d->root = ashi_arena_take_array(d->memory, d->body_count, sizeof *d->root);
    d->jacobian = ashi_arena_take_array(d->memory, rows, sizeof *d->jacobian);
    return good && d->first_row != NULL && d->lower != NULL && d->listed != NULL && d->root != NULL &&
           d->jacobian != NULL;
}

static bool make_plan(ashi_direct *d)
{
    ashi_arena *scratch = ashi_arena_create(1 << 12);
    ashi_arena_reset(d->memory);
    bool good = scratch != NULL && take_memory(d);
    for (uint32_t k = 0, row = 0; good && k < d->block_count; k++) {
        d->first_row[k] = row;
        d->first_row[k + 1] = row += bits_in(d->graph.data[k].rows);
    }
    good = good && ashi_direct_find_forest(d, scratch) && ashi_direct_plan_for(d, ASHI_DIRECT_QUICK) != NULL;
    ashi_arena_destroy(scratch);
    return good;
}

/* The plan for the graph found; that of the last one serves when it is the same. */
static bool fit(ashi_direct *d)
{
    if (is_same_graph(d))
        return true;
    ashi_direct_blocks old = d->graph;
    d->graph = d->found;
    d->found = old;
    d->body_count = d->body.count;
    d->block_count = d->graph.count;
    d->row_count = d->source.count;
    ashi_direct_forget_plans(d);
    d->fitted = ashi_array_reserve(&d->found, d->graph.count) && make_plan(d);
    if (!d->fitted)
        d->graph.count = d->body_count = d->block_count = d->row_count = 0;
    return d->fitted;
}

/* ---- numbers ---- */

static void load_rows(ashi_direct *d, const ashi_system *p)
{
    for (uint32_t b = 0; b < d->body_count; b++)
        ashi_body_root(&p->bodies[d->body.data[b]], d->root[b]);
    for (uint32_t k = 0, r = 0; k < d->block_count; k++) {
        const uint32_t *body = d->graph.data[k].body;
        for (; r < d->first_row[k + 1]; r++) {
            const ashi_row *row = &p->rows[d->source.data[r]];
            double *scaled = d->jacobian[r], sum = row->softness;
            static const double immovable[12] = {0};
            const double *root_a = body[0] != ASHI_DIRECT_NONE ? d->root[body[0]] : immovable;
            const double *root_b = body[1] != ASHI_DIRECT_NONE ? d->root[body[1]] : immovable;
            ashi_scale_row(root_a, row->linear_a, row->angular_a, scaled);
            ashi_scale_row(root_b, row->linear_b, row->angular_b, scaled + 6);
            for (int i = 0; i < 12; i++)
                sum += scaled[i] * scaled[i];
            d->softness[r] = row->softness;
            d->scale[r] = sum > 0 && isfinite(sum) ? sum : 0;
        }
    }
}

/* Whether the block's rows are independent by what its lower body alone can do. */
static bool is_carried(const ashi_direct *d, uint32_t block)
{
    double gram[ASHI_DIRECT_SIZE][ASHI_DIRECT_SIZE];
    uint32_t first = d->first_row[block], count = d->first_row[block + 1] - first, side = 6u * d->lower[block];
    for (uint32_t i = 0; i < count; i++) {
        const double *row = &d->jacobian[first + i][side];
        for (uint32_t k = 0; k <= i; k++) {
            const double *other = &d->jacobian[first + k][side];
            gram[i][k] = i == k ? d->softness[first + i] : 0;
            for (int n = 0; n < 6; n++)
                gram[i][k] += row[n] * other[n];
            for (uint32_t n = 0; n < k; n++)
                gram[i][k] -= gram[i][n] * gram[k][n];
            gram[i][k] = i == k ? gram[i][k] : gram[i][k] / gram[k][k];
        }
        gram[i][i] = d->scale[first + i] > 0 ? gram[i][i] : 1; /* a row that moves nothing harms nothing */
        if (!(gram[i][i] > CARRIED * d->scale[first + i]))
            return false;
        gram[i][i] = sqrt(gram[i][i]);
    }
    return true;
}

static bool are_all_carried(const ashi_direct *d)
{
    for (uint32_t k = 0; k < d->block_count; k++)
        if (d->lower[k] < 2 && !is_carried(d, k))
            return false;
    return true;
}

/* Multiplications that a rule needs at least: loops at the end are one dense matrix, and so are the blocks of a body
 * that comes before them. */
static double least_cost(const ashi_direct *d, ashi_direct_rule rule)
{
    double loops = d->loop_rows, sum = 0;
    if (rule == ASHI_DIRECT_LOOPS_LAST)
        return loops * loops * loops / 3;
    memset(d->z, 0, d->body_count * sizeof *d->z);
    for (uint32_t k = 0; k < d->block_count; k++)
        for (int side = 0; side < 2; side++)
            if (d->graph.data[k].body[side] != ASHI_DIRECT_NONE)
                d->z[d->graph.data[k].body[side]] += d->first_row[k + 1] - d->first_row[k];
    for (uint32_t b = 0; b < d->body_count; b++)
        sum += d->z[b] * d->z[b] * d->z[b] / 3;
    return sum;
}

/* The plan for small pivots: with all pivots sound before them, the cheaper one. Null when memory ran out. */
static ashi_direct_plan *safe_plan(ashi_direct *d)
{
    if (!are_all_carried(d))
        return ashi_direct_plan_for(d, ASHI_DIRECT_BODIES_FIRST);
    bool first = least_cost(d, ASHI_DIRECT_LOOPS_LAST) <= least_cost(d, ASHI_DIRECT_BODIES_FIRST);
    ashi_direct_rule likely = first ? ASHI_DIRECT_LOOPS_LAST : ASHI_DIRECT_BODIES_FIRST;
    ashi_direct_rule other = first ? ASHI_DIRECT_BODIES_FIRST : ASHI_DIRECT_LOOPS_LAST;
    ashi_direct_plan *plan = ashi_direct_plan_for(d, likely);
    if (plan == NULL || least_cost(d, other) >= plan->pattern.cost)
        return plan;
    ashi_direct_plan *rival = ashi_direct_plan_for(d, other);
    return rival != NULL && plan->pattern.cost <= rival->pattern.cost ? plan : rival;
}

bool ashi_direct_factor(ashi_direct *direct, const ashi_system *problem, const ash_problem_island *island)
{
    return find_graph(direct, problem, island) && fit(direct) && ashi_direct_factor_again(direct, problem);
}

bool ashi_direct_factor_again(ashi_direct *direct, const ashi_system *problem)
{
    load_rows(direct, problem);
    direct->analysed = false;
    if (ashi_direct_eliminate(direct, &direct->plans[ASHI_DIRECT_QUICK], 0))
        return true;
    ashi_direct_plan *plan = safe_plan(direct);
    return plan != NULL && ashi_direct_eliminate(direct, plan, EPSILON);
}

/* ---- solution ---- */

/* z = (J F)^T lambda */
static void gather(ashi_direct *d, const double *impulse)
{
    memset(d->z, 0, 6 * (size_t)d->body_count * sizeof *d->z);
    d->operations += 12ull * d->row_count;
    for (uint32_t k = 0, r = 0; k < d->block_count; k++) {
        const uint32_t *body = d->graph.data[k].body;
        ashi_double_pair sum[6] = {{0}};
        for (; r < d->first_row[k + 1]; r++)
            for (int i = 0; i < 6; i++)
                sum[i] += pair_load(&d->jacobian[r][2 * i]) * pair_of(impulse[r]);
        for (int side = 0; side < 2; side++) {
            double *z = body[side] != ASHI_DIRECT_NONE ? &d->z[6 * (size_t)body[side]] : NULL;
            for (int i = 0; z != NULL && i < 3; i++)
                pair_store(z + 2 * i, pair_load(z + 2 * i) + sum[3 * side + i]);
        }
    }
}

static double product(const double *row, const double *z)
{
    return pair_sum(pair_load(row) * pair_load(z) + pair_load(row + 2) * pair_load(z + 2) +
                    pair_load(row + 4) * pair_load(z + 4));
}

/* residual = wanted - (J M^-1 J^T + softness) lambda. Returns the largest; `noise` receives how much of that is
 * rounding at least. */
static double find_residual(ashi_direct *d, const double *wanted, const double *impulse, double *noise)
{
    static const double still[6] = {0};
    double largest = 0, sizes = 0;
    gather(d, impulse);
    d->operations += 12ull * d->row_count;
    for (uint32_t k = 0, r = 0; k < d->block_count; k++) {
        const uint32_t *body = d->graph.data[k].body;
        const double *a = body[0] != ASHI_DIRECT_NONE ? &d->z[6 * (size_t)body[0]] : still;
        const double *b = body[1] != ASHI_DIRECT_NONE ? &d->z[6 * (size_t)body[1]] : still;
        for (; r < d->first_row[k + 1]; r++) {
            double on_a = product(d->jacobian[r], a), on_b = product(d->jacobian[r] + 6, b);
            double soft = d->softness[r] * impulse[r], left = wanted[r] - (on_a + on_b + soft);
            double size = fabs(on_a) + fabs(on_b) + fabs(soft) + fabs(wanted[r]);
            d->residual[r] = left;
            largest = fabs(left) > largest ? fabs(left) : largest;
            sizes = size > sizes ? size : sizes;
        }
    }
    *noise = EXACT * sizes;
    return largest;
}

/* Refines d->held, and goes back when it did not help. Returns the residual. */
static double refine(ashi_direct *d, const double *wanted)
{
    double noise, left = find_residual(d, wanted, d->held, &noise);
    for (int i = 0; i < MOST_REFINEMENTS && left > noise; i++) {
        double before = left;
        ashi_direct_substitute(d, d->residual, d->guess);
        for (uint32_t r = 0; r < d->row_count; r++)
            d->held[r] += d->guess[r];
        left = find_residual(d, wanted, d->held, &noise);
        if (left < before / 2)
            continue;
        for (uint32_t r = 0; !(left < before) && r < d->row_count; r++)
            d->held[r] -= d->guess[r];
        return left < before ? left : find_residual(d, wanted, d->held, &noise);
    }
    return left;
}

static double largest_of(const double *numbers, uint32_t count)
{
    double largest = 0;
    for (uint32_t i = 0; i < count; i++)
        largest = fabs(numbers[i]) > largest ? fabs(numbers[i]) : largest;
    return largest;
}

/* d->reachable = wanted without what no impulse can reach; d->held = B of that. */
static void leave_reachable(ashi_direct *d, const double *wanted)
{
    for (uint32_t r = 0; r < d->row_count; r++)
        d->reachable[r] = d->scale[r] > 0 ? wanted[r] : 0;
    double size = largest_of(d->reachable, d->row_count);
    for (int i = 0; i < MOST_CONFLICTS; i++) {
        ashi_direct_substitute(d, d->reachable, d->held);
        for (uint32_t r = 0; r < d->row_count; r++)
            d->guess[r] = d->epsilon * d->scale[r] * d->held[r];
        ashi_direct_substitute(d, d->guess, d->residual);
        for (uint32_t r = 0; r < d->row_count; r++)
            d->residual[r] *= d->epsilon * d->scale[r];
        if (!(largest_of(d->residual, d->row_count) > EXACT * size))
            return;
        for (uint32_t r = 0; r < d->row_count; r++)
            d->reachable[r] -= d->residual[r];
    }
    ashi_direct_substitute(d, d->reachable, d->held);
}

static void give_change(ashi_direct *d, ash_motion *change)
{
    for (uint32_t i = 0; i < d->range; i++)
        change[d->first_body + i] = (ash_motion){0};
    for (uint32_t b = 0; b < d->body_count; b++) {
        const double *root = d->root[b], *z = &d->z[6 * (size_t)b];
        ash_motion *to = &change[d->body.data[b]];
        to->linear = (ash_vec3){root[0] * z[0], root[1] * z[1], root[2] * z[2]};
        to->angular = (ash_vec3){root[3] * z[3] + root[4] * z[4] + root[5] * z[5],
                                 root[6] * z[3] + root[7] * z[4] + root[8] * z[5],
                                 root[9] * z[3] + root[10] * z[4] + root[11] * z[5]};
    }
}

double ashi_direct_solve_rows(ashi_direct *direct)
{
    const double *right = direct->right;
    double left, noise;
    if (direct->epsilon == 0) {
        ashi_direct_substitute(direct, right, direct->held);
        left = refine(direct, right);
    } else {
        leave_reachable(direct, right);
        refine(direct, direct->reachable);
        left = find_residual(direct, right, direct->held, &noise);
    }
    if (isfinite(left) && isfinite(largest_of(direct->held, direct->row_count)))
        return left;
    memset(direct->held, 0, direct->row_count * sizeof *direct->held);
    gather(direct, direct->held);
    return INFINITY;
}

void ashi_direct_solve_quickly(ashi_direct *direct, const double *wanted, double *impulse, ash_motion *change)
{
    bool finite = direct->epsilon == 0;
    for (uint32_t r = 0; r < direct->row_count; r++)
        direct->right[r] = wanted[direct->source.data[r]];
    if (finite)
        ashi_direct_substitute(direct, direct->right, direct->held);
    finite = finite && isfinite(largest_of(direct->held, direct->row_count));
    if (!finite) {
        ashi_direct_solve(direct, wanted, impulse, change);
        return;
    }
    gather(direct, direct->held);
    for (uint32_t r = 0; r < direct->row_count; r++)
        impulse[direct->source.data[r]] = direct->held[r];
    give_change(direct, change);
}

double ashi_direct_solve(ashi_direct *direct, const double *wanted, double *impulse, ash_motion *change)
{
    for (uint32_t r = 0; r < direct->row_count; r++)
        direct->right[r] = wanted[direct->source.data[r]];
    double left = ashi_direct_solve_rows(direct);
    for (uint32_t r = 0; r < direct->row_count; r++)
        impulse[direct->source.data[r]] = direct->held[r];
    if (change != NULL)
        give_change(direct, change);
    return left;
}
