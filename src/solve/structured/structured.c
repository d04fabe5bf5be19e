/* The solver `structured` (Faure): equality rows that form a forest in linear time, all others by conjugate gradients.
 *
 * Let a be the rows of a spanning forest of the plain blocks, l the rest: blocks that close loops, rows with bounds,
 * and the normals of contacts, which have no friction here. A_aa = J_a M^-1 J_a^T has a factor without fill
 * (direct.h), so that products with the reduced matrix
 *   A = A_ll - A_la A_aa^-1 A_al,    A x = J_l (1 - M^-1 J_a^T A_aa^-1 J_a) M^-1 J_l^T x
 * take linear time, and the forces of l minimize  x A x / 2 + b x  within their bounds. Faure checks the inequalities
 * inside the gradient loop, and lets rows clamp and vanish there. We do so by the rules of Dostal (1997, MPRGP), for
 * which that is sure to end: conjugate gradients over the free rows, a step that runs into a bound is cut there and
 * followed by a projected gradient, and rows at their bounds are released when they want it more than the others.
 * Impulses and velocities belong together at all times, and the forest's rows hold: it may be stopped whenever one
 * likes.
 *
 * Where A is badly conditioned (a taut chain that something lies on) gradients need a number of turns that nothing
 * limits. After as many as there are rows, and a few more, A is made row by row, if it is small, and its problem is
 * solved at once (bounded_dense.h): Faure's structured dense solution. */
#include "solve/structured/structured.h"
#include "base/clock.h"
#include "base/groups.h"

#include <math.h>

#define JUDGE_EVERY  4
#define POWER_ROUNDS 8     /* of the estimate of the largest eigenvalue, ... */
#define SAFETY       1.25  /* ... which is then enlarged by this */
#define MOST_DENSE   256   /* loose rows whose A is made, ... */
#define DENSE_AFTER  16    /* ... after this many turns more than there are rows */
#define NOTHING      1e-28 /* of the largest: a direction without curvature */

static const ash_motion rest = {{0, 0, 0}, {0, 0, 0}};

static const ash_motion *motion_of(const ashi_structured *s, uint32_t body)
{
    return body < s->problem->fixed_count ? &rest : &s->motion[body];
}

/* ---- forest and loose rows ---- */

static bool is_equality(const ashi_row *row)
{
    return isinf(row->lower) && isinf(row->upper);
}

static bool is_held(const ashi_system *p, const ashi_block *block)
{
    bool held = block->kind == ASHI_PLAIN_BLOCK;
    for (uint32_t i = 0; i < block->row_count && held; i++)
        held = is_equality(&p->rows[block->first_row + i]);
    return held;
}

/* Immovable bodies are one, whose number is the island's count of bodies. */
static uint32_t movable(const ashi_system *p, const ash_problem_island *island, uint32_t body)
{
    return body < p->fixed_count ? island->body_count : body - island->first_body;
}

static void add_loose(ashi_structured *s, uint32_t block, uint32_t row)
{
    const ashi_system *p = s->problem;
    const ashi_row *r = &p->rows[row];
    double response = ashi_row_response(p, &p->blocks[block], r, r) + r->softness;
    if (!(response > 0)) { /* nothing that it does is seen */
        s->problem->rows[row].impulse = 0;
        return;
    }
    double scale = 1 / sqrt(response);
    bool contact = p->blocks[block].kind == ASHI_CONTACT_BLOCK;
    double lower = contact ? 0 : r->lower, upper = contact ? HUGE_VAL : r->upper;
    s->loose[s->count] = (ashi_loose_row){block, row, scale, lower / scale, upper / scale};
    s->x[s->count++] = fmin(fmax(r->impulse / scale, lower / scale), upper / scale);
    s->bounded = s->bounded || isfinite(lower) || isfinite(upper);
}

/* Friction is none. */
static void clear_friction(ashi_system *p, const ashi_block *block)
{
    for (uint32_t i = 1; i < block->row_count; i++)
        p->rows[block->first_row + i].impulse = 0;
}

static bool part(ashi_structured *s)
{
    ashi_system *p = s->problem;
    const ash_problem_island *island = s->solve->island;
    ashi_arena *scratch = s->solve->scratch;
    uint32_t end = island->first_block + island->block_count, rows = 0, kept = 0;
    for (uint32_t k = island->first_block; k < end; k++)
        rows += p->blocks[k].row_count;
    uint32_t *parent = ashi_arena_take_array(scratch, (size_t)island->body_count + 1, sizeof *parent);
    ashi_block *blocks = ashi_arena_take_array(scratch, island->block_count, sizeof *blocks);
    s->loose = ashi_arena_take_array(scratch, rows, sizeof *s->loose);
    s->x = ashi_arena_take_array(scratch, 4 * (size_t)rows, sizeof *s->x);
    s->motion = ashi_arena_take_array(scratch, 2 * (size_t)p->body_count, sizeof *s->motion);
    s->wanted = ashi_arena_take_array(scratch, 2 * (size_t)p->row_count, sizeof *s->wanted);
    if (parent == NULL || blocks == NULL || s->loose == NULL || s->x == NULL || s->motion == NULL || s->wanted == NULL)
        return false;
    s->change = s->motion + p->body_count;
    s->held = s->wanted + p->row_count;
    ashi_groups_begin(parent, island->body_count + 1);
    for (uint32_t k = island->first_block; k < end; k++) {
        const ashi_block *block = &p->blocks[k];
        if (s->eliminates && is_held(p, block) &&
            ashi_groups_join(parent, movable(p, island, block->body_a), movable(p, island, block->body_b))) {
            blocks[kept++] = *block;
            continue;
        }
        for (uint32_t i = 0; i < (block->kind == ASHI_CONTACT_BLOCK ? 1 : block->row_count); i++)
            add_loose(s, k, block->first_row + i);
        if (block->kind == ASHI_CONTACT_BLOCK) {
            clear_friction(p, block);
            s->ignores = s->ignores || block->friction > 0 || block->rolling > 0 || block->spinning > 0;
        }
    }
    s->gradient = s->x + rows;
    s->direction = s->gradient + rows;
    s->product = s->direction + rows;
    s->tree = *p;
    s->tree.blocks = blocks;
    s->tree.block_count = kept;
    s->tree_island =
        (ash_problem_island){.first_body = island->first_body, .body_count = island->body_count, .block_count = kept};
    return true;
}

/* ---- moves ---- */

static double speed_of(const ashi_system *p, const ashi_block *block, const ashi_row *row)
{
    return ashi_row_speed(row, &p->velocity[block->body_a], &p->velocity[block->body_b]) + row->bias +
           row->softness * row->impulse;
}

static void add_motion(ash_motion *to, const ash_motion *motion, double times)
{
    to->linear = v3_add_scaled(to->linear, motion->linear, times);
    to->angular = v3_add_scaled(to->angular, motion->angular, times);
}

/* Adds `times` the forest's last impulses to the rows. */
static void take_held(ashi_structured *s, double times)
{
    for (uint32_t k = 0; k < s->tree.block_count; k++)
        for (uint32_t i = 0; i < s->tree.blocks[k].row_count; i++) {
            uint32_t row = s->tree.blocks[k].first_row + i;
            s->problem->rows[row].impulse += times * s->held[row];
        }
}

static void move_bodies(ashi_structured *s, const ash_motion *motion, double times)
{
    const ash_problem_island *island = s->solve->island;
    for (uint32_t i = island->first_body; i < island->first_body + island->body_count; i++)
        add_motion(&s->problem->velocity[i], &motion[i], times);
}

void ashi_structured_hold(ashi_structured *s)
{
    if (s->tree.block_count == 0)
        return;
    for (uint32_t k = 0; k < s->tree.block_count; k++)
        for (uint32_t i = 0; i < s->tree.blocks[k].row_count; i++) {
            uint32_t row = s->tree.blocks[k].first_row + i;
            s->wanted[row] = -speed_of(s->problem, &s->tree.blocks[k], &s->problem->rows[row]);
        }
    ashi_direct_solve(s->factor, s->wanted, s->held, s->change);
    take_held(s, 1);
    move_bodies(s, s->change, 1);
}

void ashi_structured_multiply(ashi_structured *s, const double *x, double *product)
{
    const ashi_system *p = s->problem;
    const ash_problem_island *island = s->solve->island;
    for (uint32_t i = island->first_body; i < island->first_body + island->body_count; i++)
        s->motion[i] = rest;
    for (uint32_t i = 0; i < s->count; i++)
        if (x[i] != 0)
            ashi_row_push(p, &p->blocks[s->loose[i].block], &p->rows[s->loose[i].row], s->loose[i].scale * x[i],
                          s->motion);
    for (uint32_t k = 0; k < s->tree.block_count; k++) {
        const ashi_block *block = &s->tree.blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++)
            s->wanted[i] = -ashi_row_speed(&p->rows[i], motion_of(s, block->body_a), motion_of(s, block->body_b));
    }
    if (s->tree.block_count > 0) {
        ashi_direct_solve(s->factor, s->wanted, s->held, s->change);
        for (uint32_t i = island->first_body; i < island->first_body + island->body_count; i++)
            add_motion(&s->motion[i], &s->change[i], 1);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        const ashi_loose_row *loose = &s->loose[i];
        const ashi_block *block = &p->blocks[loose->block];
        const ashi_row *row = &p->rows[loose->row];
        double speed = ashi_row_speed(row, motion_of(s, block->body_a), motion_of(s, block->body_b));
        product[i] = loose->scale * (speed + row->softness * loose->scale * x[i]);
    }
}

void ashi_structured_go_freely(ashi_structured *s, const double *along, double times)
{
    for (uint32_t i = 0; i < s->count; i++) {
        s->x[i] += times * along[i];
        s->problem->rows[s->loose[i].row].impulse = s->loose[i].scale * s->x[i];
    }
    take_held(s, times);
    move_bodies(s, s->motion, times);
}

void ashi_structured_go(ashi_structured *s, const double *along, double times)
{
    ashi_structured_go_freely(s, along, times);
    for (uint32_t i = 0; i < s->count; i++) {
        const ashi_loose_row *loose = &s->loose[i];
        s->x[i] = fmin(fmax(s->x[i], loose->lower), loose->upper);
        s->problem->rows[loose->row].impulse = loose->scale * s->x[i];
    }
}

/* ---- gradients ---- */

void ashi_structured_gradient(ashi_structured *s)
{
    const ashi_system *p = s->problem;
    for (uint32_t i = 0; i < s->count; i++)
        s->gradient[i] = s->loose[i].scale * speed_of(p, &p->blocks[s->loose[i].block], &p->rows[s->loose[i].row]);
}

bool ashi_structured_is_free(const ashi_structured *s, uint32_t i)
{
    return s->x[i] > s->loose[i].lower && s->x[i] < s->loose[i].upper;
}

double ashi_structured_release(const ashi_structured *s, uint32_t i)
{
    if (ashi_structured_is_free(s, i) || s->loose[i].lower == s->loose[i].upper)
        return 0;
    return s->x[i] <= s->loose[i].lower ? fmin(s->gradient[i], 0) : fmax(s->gradient[i], 0);
}

static double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* How far one may go along a direction before a bound. */
static double room(const ashi_structured *s, const double *along)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < s->count; i++) {
        if (along[i] < 0)
            least = fmin(least, (s->loose[i].lower - s->x[i]) / along[i]);
        else if (along[i] > 0)
            least = fmin(least, (s->loose[i].upper - s->x[i]) / along[i]);
    }
    return fmax(least, 0);
}

/* The largest eigenvalue, from below, enlarged. */
static double estimate_norm(ashi_structured *s)
{
    double norm = 1;
    for (uint32_t i = 0; i < s->count; i++)
        s->direction[i] = 1 + 0.5 * ((i * 2654435761u) >> 16 & 255) / 255; /* no symmetry of the problem's */
    for (int round = 0; round < POWER_ROUNDS; round++) {
        double length = sqrt(dot(s->direction, s->direction, s->count));
        for (uint32_t i = 0; i < s->count && length > 0; i++)
            s->direction[i] /= length;
        ashi_structured_multiply(s, s->direction, s->product);
        norm = fmax(norm, sqrt(dot(s->product, s->product, s->count)));
        for (uint32_t i = 0; i < s->count; i++)
            s->direction[i] = s->product[i];
    }
    return SAFETY * norm;
}

/* ---- the loop ---- */

typedef struct search {
    bool begun;       /* there is a direction to be conjugate to */
    double curvature; /* of it */
    double stride;    /* of projected gradients: 1 / |A| */
} search;

/* Conjugate gradients over the free rows, up to a bound; from there a projected gradient. */
static void descend(ashi_structured *s, search *q)
{
    double beta = 0;
    if (q->begun && q->curvature > 0) {
        for (uint32_t i = 0; i < s->count; i++)
            beta += ashi_structured_is_free(s, i) ? s->gradient[i] * s->product[i] : 0;
        beta /= q->curvature;
    }
    for (uint32_t i = 0; i < s->count; i++)
        s->direction[i] = ashi_structured_is_free(s, i) ? (beta != 0 ? beta * s->direction[i] : 0) - s->gradient[i] : 0;
    ashi_structured_multiply(s, s->direction, s->product);
    double slope = -dot(s->gradient, s->direction, s->count);
    q->curvature = dot(s->direction, s->product, s->count);
    if (!(q->curvature > NOTHING * dot(s->direction, s->direction, s->count)) || !(slope > 0)) {
        q->begun = false; /* nothing to be gained this way: begin again with the gradient */
        q->curvature = 0;
        return;
    }
    double most = room(s, s->direction), way = slope / q->curvature;
    q->begun = way <= most;
    ashi_structured_go(s, s->direction, q->begun ? way : most);
    if (q->begun)
        return;
    ashi_structured_gradient(s);
    for (uint32_t i = 0; i < s->count; i++) {
        const ashi_loose_row *loose = &s->loose[i];
        double to = ashi_structured_is_free(s, i) ? s->x[i] - q->stride * s->gradient[i] : s->x[i];
        s->direction[i] = fmin(fmax(to, loose->lower), loose->upper) - s->x[i];
    }
    ashi_structured_multiply(s, s->direction, s->product);
    ashi_structured_go(s, s->direction, 1);
}

/* Rows at their bounds leave them, along their gradients. */
static void let_go(ashi_structured *s, search *q)
{
    for (uint32_t i = 0; i < s->count; i++)
        s->direction[i] = -ashi_structured_release(s, i);
    ashi_structured_multiply(s, s->direction, s->product);
    double slope = -dot(s->gradient, s->direction, s->count), curvature = dot(s->direction, s->product, s->count);
    if (slope > 0 && curvature > 0)
        ashi_structured_go(s, s->direction, fmin(slope / curvature, room(s, s->direction)));
    q->begun = false;
}

static bool wants_release(const ashi_structured *s)
{
    double free = 0, bound = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        double want = ashi_structured_release(s, i);
        bound += want * want;
        free += ashi_structured_is_free(s, i) ? s->gradient[i] * s->gradient[i] : 0;
    }
    return bound > free;
}

/* By how much rows are off without friction, m/s or rad/s: the yardstick asks for friction, which no turn brings. */
static double own_error(ashi_structured *s)
{
    const ashi_system *p = s->problem;
    double worst = 0;
    ashi_structured_gradient(s);
    for (uint32_t i = 0; i < s->count; i++) {
        double off = ashi_structured_is_free(s, i) ? s->gradient[i] : ashi_structured_release(s, i);
        worst = fmax(worst, fabs(off) / s->loose[i].scale);
    }
    for (uint32_t k = 0; k < s->tree.block_count; k++)
        for (uint32_t i = 0; i < s->tree.blocks[k].row_count; i++)
            worst = fmax(worst, fabs(speed_of(p, &s->tree.blocks[k], &p->rows[s->tree.blocks[k].first_row + i])));
    return worst;
}

bool ashi_structured_goes_on(ashi_structured *s, bool now)
{
    ashi_solve *solve = s->solve;
    const ash_solver_settings *settings = solve->settings;
    uint32_t judge_every = s->count == 0 || now ? 1 : JUDGE_EVERY;
    if (!s->ignores)
        return ashi_solve_goes_on(solve, judge_every);
    bool due = solve->iterations >= settings->iterations || solve->iterations % judge_every == 0;
    if (settings->tolerance > 0 && due && own_error(s) <= settings->tolerance) {
        solve->flags |= ASH_SOLVE_CONVERGED;
        if (solve->trace != NULL)
            ashi_solve_judge(solve);
        return false;
    }
    solve->settings = &s->own;
    bool more = ashi_solve_goes_on(solve, judge_every);
    solve->settings = settings;
    return more;
}

/* Projected gradients. Where they take long, the rows that are left are few, and a forest holds the others, all of them
 * are solved at once. */
bool ashi_structured_by_gradients(ashi_structured *s)
{
    search q = {.stride = s->bounded ? 1 / estimate_norm(s) : 0};
    uint32_t turn = 0;
    while (ashi_structured_goes_on(s, false)) {
        ashi_structured_gradient(s);
        bool due = s->count > 0 && ++turn % (s->count + DENSE_AFTER) == 0;
        if (s->count == 0 || due) /* what rounding, and a forest near a singular position, left of its rows */
            ashi_structured_hold(s);
        if (due) {
            ashi_structured_gradient(s);
            q.begun = false;
        }
        if (s->count == 0)
            continue;
        if (due && s->eliminates && s->count <= MOST_DENSE) {
            if (!ashi_structured_solve_densely(s))
                return false;
        } else if (wants_release(s))
            let_go(s, &q);
        else
            descend(s, &q);
    }
    return true;
}

/* ---- the family ---- */

typedef bool (*way_of_loose)(ashi_structured *s);

static bool solve_in_parts(ashi_solve *solve, bool eliminates, way_of_loose way)
{
    ashi_structured s = {.solve = solve, .problem = solve->problem, .eliminates = eliminates, .own = *solve->settings};
    s.own.tolerance = 0;
    s.factor = ashi_solver_factor(solve);
    if (s.factor == NULL || !part(&s))
        return false;
    if (s.tree.block_count > 0 && !ashi_direct_factor(s.factor, &s.tree, &s.tree_island))
        return false;
    for (uint32_t i = 0; i < s.count; i++)
        solve->problem->rows[s.loose[i].row].impulse = s.loose[i].scale * s.x[i];
    ashi_system_velocities(solve->problem, solve->island);
    ashi_structured_hold(&s);
    return s.count == 0 ? ashi_structured_by_gradients(&s) : way(&s);
}

bool ashi_solve_structured(ashi_solve *solve)
{
    return solve_in_parts(solve, true, ashi_structured_by_gradients);
}

bool ashi_solve_biconjugate(ashi_solve *solve)
{
    return solve_in_parts(solve, true, ashi_structured_by_biconjugates);
}

bool ashi_solve_structured_dense(ashi_solve *solve)
{
    return solve_in_parts(solve, true, ashi_structured_by_matrix);
}

bool ashi_solve_full_iterative(ashi_solve *solve)
{
    return solve_in_parts(solve, false, ashi_structured_by_gradients);
}

bool ashi_solve_full_dense(ashi_solve *solve)
{
    return solve_in_parts(solve, false, ashi_structured_by_matrix);
}
