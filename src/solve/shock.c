/* Shock propagation: stack layer after stack layer from the bottom up, the lower bodies of each held fixed while an
 * inner solver solves its contacts and joints (Erleben 2007, figure 12; after Guendelman 2003).
 *
 * Only bodies at rest are held: a brick struck by a cannonball would otherwise push everything above it like a wall,
 * and give away energy that it never had. Such bodies take part in the layer above with their mass.
 *
 * A layer is a problem of its own: its upper bodies with their predicted velocities, its lower bodies as immovable ones
 * that move with the velocities from the previous layer. So an impulse changes only the velocity of the upper body: a
 * body does not feel the load on it, and momentum is lost into held bodies as into a floor. The impulses are therefore
 * not a solution of the whole problem, and the yardstick, which applies them to both bodies, shows their error;
 * `velocity` is that of the layers.
 *
 * Islands without fixed bodies, and those of one layer, are given to the inner solver as they are. */
#include "solve/first_guess.h"
#include "solve/solve.h"

#include <math.h>
#include <string.h>

#define FALLS 5 /* times the speed that a body gains by falling for a step: slower than this, it rests */

/* The blocks of an island by layer. */
typedef struct layering {
    ashi_solve *solve;
    const ashi_contact_graph *graph; /* node 0 is all that is immovable, node i + 1 body i of the island */
    uint32_t *blocks;                /* numbers, by layer, in their order */
    uint32_t *first;                 /* by layer, and where the last one ends */
    uint32_t *rank;                  /* by body of the island: among the upper ones of its layer, or the loose ones */
    bool *loose;                     /* by body of the island: does not rest on the layer below */
    double *speed;                   /* by body of the island: relative to its final support, m/s; loose ones: 0 */
    uint32_t *lower;                 /* bodies of the island: the loose lower ones of the layer that is solved */
    uint32_t lower_count;
} layering;

static uint32_t node_of(const ash_problem_island *island, uint32_t body)
{
    return body >= island->first_body && body - island->first_body < island->body_count ? body - island->first_body + 1
                                                                                        : 0;
}

static bool update_graph(const ashi_solve *solve, ashi_contact_graph *graph)
{
    const ashi_system *p = solve->problem;
    const ash_problem_island *island = solve->island;
    if (!ashi_contact_graph_begin(graph, island->body_count + 1))
        return false;
    ashi_contact_graph_set(graph, 0, ASHI_NODE_FIXED);
    for (uint32_t i = 0; i < island->body_count; i++)
        ashi_contact_graph_set(graph, i + 1, ASHI_NODE_MOVABLE);
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++)
        if (!ashi_contact_graph_connect(graph, node_of(island, p->blocks[k].body_a),
                                        node_of(island, p->blocks[k].body_b), p->blocks[k].kind != ASHI_CONTACT_BLOCK))
            return false;
    return ashi_contact_graph_finish(graph);
}

static uint32_t layer_of(const layering *l, const ashi_block *block)
{
    return ashi_contact_graph_layer(l->graph, node_of(l->solve->island, block->body_a),
                                    node_of(l->solve->island, block->body_b));
}

/* A counting sort, as in the graph: of blocks, which are more than edges. */
static bool sort_blocks(layering *l)
{
    const ashi_system *p = l->solve->problem;
    const ash_problem_island *island = l->solve->island;
    const ashi_contact_graph *graph = l->graph;
    size_t places = (size_t)graph->layer_count + 2;
    l->blocks = ashi_arena_take_array(l->solve->scratch, island->block_count, sizeof *l->blocks);
    l->first = ashi_arena_take_array(l->solve->scratch, places, sizeof *l->first);
    l->rank = ashi_arena_take_array(l->solve->scratch, island->body_count, sizeof *l->rank);
    l->loose = ashi_arena_take_array(l->solve->scratch, island->body_count, sizeof *l->loose);
    l->speed = ashi_arena_take_array(l->solve->scratch, island->body_count, sizeof *l->speed);
    l->lower = ashi_arena_take_array(l->solve->scratch, island->body_count, sizeof *l->lower);
    if (l->blocks == NULL || l->first == NULL || l->rank == NULL || l->loose == NULL || l->speed == NULL ||
        l->lower == NULL)
        return false;
    memset(l->loose, 0, island->body_count * sizeof *l->loose);
    memset(l->first, 0, places * sizeof *l->first);
    for (uint32_t k = 0; k < island->block_count; k++)
        l->first[layer_of(l, &p->blocks[island->first_block + k]) + 2]++;
    for (uint32_t i = 1; i < places; i++)
        l->first[i] += l->first[i - 1];
    for (uint32_t k = 0; k < island->block_count; k++)
        l->blocks[l->first[layer_of(l, &p->blocks[island->first_block + k]) + 1]++] = island->first_block + k;
    for (uint32_t layer = 0; layer < graph->layer_count; layer++)
        for (uint32_t i = graph->first_upper.data[layer]; i < graph->first_upper.data[layer + 1]; i++)
            l->rank[graph->upper.data[i] - 1] = i - graph->first_upper.data[layer];
    return true;
}

/* ---- a layer as a problem ---- */

static bool is_upper(const layering *l, uint32_t layer, uint32_t body)
{
    return l->graph->heights.data[node_of(l->solve->island, body)] == layer + 1;
}

/* Takes part with its mass. */
static bool is_free(const layering *l, uint32_t layer, uint32_t body)
{
    uint32_t node = node_of(l->solve->island, body);
    return is_upper(l, layer, body) || (node != 0 && l->graph->heights.data[node] == layer && l->loose[node - 1]);
}

static void find_loose(layering *l, uint32_t layer)
{
    const ashi_contact_graph *graph = l->graph;
    uint32_t upper_count = graph->first_upper.data[layer + 1] - graph->first_upper.data[layer];
    l->lower_count = 0;
    for (uint32_t i = layer > 0 ? graph->first_upper.data[layer - 1] : 0; i < graph->first_upper.data[layer]; i++) {
        uint32_t body = graph->upper.data[i] - 1;
        if (!l->loose[body])
            continue;
        l->rank[body] = upper_count + l->lower_count;
        l->lower[l->lower_count++] = body;
    }
}

/* Room for a layer in scratch memory. Every end of a block that is held has an immovable body of its own. */
static bool take_room(const layering *l, uint32_t layer, ashi_system *part)
{
    const ashi_system *p = l->solve->problem;
    ashi_arena *scratch = l->solve->scratch;
    *part = (ashi_system){
        .h = p->h, .law = p->law, .directions = p->directions, .planar = p->planar, .releases = p->releases};
    part->expanded = p->expanded; /* its blocks are of the same contacts */
    part->contacts = p->contacts;
    part->points = p->points;
    part->contact_count = p->contact_count;
    part->point_count = p->point_count;
    part->block_count = l->first[layer + 1] - l->first[layer];
    for (uint32_t i = l->first[layer]; i < l->first[layer + 1]; i++) {
        const ashi_block *block = &p->blocks[l->blocks[i]];
        part->row_count += block->row_count;
        part->fixed_count += !is_free(l, layer, block->body_a) + !is_free(l, layer, block->body_b);
    }
    part->body_count =
        part->fixed_count + l->graph->first_upper.data[layer + 1] - l->graph->first_upper.data[layer] + l->lower_count;
    part->island_count = 1;
    part->bodies = ashi_arena_take_array(scratch, part->body_count, sizeof *part->bodies);
    part->velocity = ashi_arena_take_array(scratch, part->body_count, sizeof *part->velocity);
    part->shift = ashi_arena_take_array(scratch, part->body_count, sizeof *part->shift);
    part->blocks = ashi_arena_take_array(scratch, part->block_count, sizeof *part->blocks);
    part->rows = ashi_arena_take_array(scratch, part->row_count, sizeof *part->rows);
    part->islands = ashi_arena_take(scratch, sizeof *part->islands);
    part->body_room = part->body_count;
    part->block_room = part->block_count;
    part->row_room = part->row_count;
    part->island_room = 1;
    return part->bodies != NULL && part->velocity != NULL && part->shift != NULL && part->blocks != NULL &&
           part->rows != NULL && part->islands != NULL;
}

/* The number of a block's body in the layer; a held one moves as the layers below have left it. */
static uint32_t take_body(const layering *l, uint32_t layer, uint32_t body, ashi_system *part, uint32_t *held)
{
    const ashi_system *p = l->solve->problem;
    if (is_free(l, layer, body))
        return part->fixed_count + l->rank[body - l->solve->island->first_body];
    ash_problem_body *fixed = &part->bodies[*held];
    *fixed = p->bodies[body];
    fixed->inverse_mass = v3(0, 0, 0);
    fixed->inverse_inertia = (ash_sym3){0};
    fixed->velocity = p->velocity[body].linear;
    fixed->spin = p->velocity[body].angular;
    part->velocity[*held] = p->velocity[body];
    return (*held)++;
}

static void fill(const layering *l, uint32_t layer, ashi_system *part)
{
    const ashi_system *p = l->solve->problem;
    const ashi_contact_graph *graph = l->graph;
    uint32_t held = 0, row = 0, first = graph->first_upper.data[layer];
    for (uint32_t i = first; i < graph->first_upper.data[layer + 1]; i++)
        part->bodies[part->fixed_count + i - first] =
            p->bodies[l->solve->island->first_body + graph->upper.data[i] - 1];
    for (uint32_t i = 0; i < l->lower_count; i++) { /* they continue with their velocities from the layer below */
        uint32_t number = l->solve->island->first_body + l->lower[i];
        ash_problem_body *body = &part->bodies[part->fixed_count + l->rank[l->lower[i]]];
        *body = p->bodies[number];
        body->velocity = p->velocity[number].linear;
        body->spin = p->velocity[number].angular;
    }
    for (uint32_t i = 0; i < part->block_count; i++) {
        ashi_block *block = &part->blocks[i];
        *block = p->blocks[l->blocks[l->first[layer] + i]];
        memcpy(&part->rows[row], &p->rows[block->first_row], block->row_count * sizeof *part->rows);
        block->first_row = row;
        row += block->row_count;
        block->body_a = take_body(l, layer, block->body_a, part, &held);
        block->body_b = take_body(l, layer, block->body_b, part, &held);
    }
    part->islands[0] = (ash_problem_island){.first_body = part->fixed_count,
                                            .body_count = part->body_count - part->fixed_count,
                                            .block_count = part->block_count};
}

/* A body that could move, but did not by this impulse. */
static bool is_held(const layering *l, uint32_t body, bool fixed)
{
    return fixed && node_of(l->solve->island, body) != 0;
}

/* The layer's impulses, and the velocities of its bodies. */
static void take_back(const layering *l, uint32_t layer, const ashi_system *part)
{
    ashi_system *p = l->solve->problem;
    const ashi_contact_graph *graph = l->graph;
    uint32_t first = graph->first_upper.data[layer];
    for (uint32_t i = first; i < graph->first_upper.data[layer + 1]; i++)
        p->velocity[l->solve->island->first_body + graph->upper.data[i] - 1] =
            part->velocity[part->fixed_count + i - first];
    for (uint32_t i = 0; i < l->lower_count; i++)
        p->velocity[l->solve->island->first_body + l->lower[i]] =
            part->velocity[part->fixed_count + l->rank[l->lower[i]]];
    for (uint32_t i = 0; i < part->block_count; i++) {
        ashi_block *block = &p->blocks[l->blocks[l->first[layer] + i]];
        const ashi_block *solved = &part->blocks[i];
        memcpy(&p->rows[block->first_row], &part->rows[solved->first_row], block->row_count * sizeof *p->rows);
        block->held_a = is_held(l, block->body_a, solved->body_a < part->fixed_count);
        block->held_b = is_held(l, block->body_b, solved->body_b < part->fixed_count);
    }
}

/* The relative speed of a block's bodies. */
static double speed_across(const layering *l, const ashi_block *block)
{
    const ashi_system *p = l->solve->problem;
    double sum = 0;
    uint32_t rows = block->kind == ASHI_CONTACT_BLOCK ? 1u + block->tangents : block->row_count;
    for (uint32_t i = 0; i < rows; i++) {
        const ashi_row *row = &p->rows[block->first_row + i];
        bool angular = v3_norm2(row->linear_a) == 0 && v3_norm2(row->linear_b) == 0;
        double speed = ashi_row_speed(row, &p->velocity[block->body_a], &p->velocity[block->body_b]);
        speed *= angular ? l->solve->settings->unit_length : 1;
        sum += speed * speed;
    }
    if (block->kind == ASHI_CONTACT_BLOCK &&
        block->tangents == 0) /* bodies that slide without friction do not rest either */
        sum += v3_norm2(v3_sub(p->velocity[block->body_a].linear, p->velocity[block->body_b].linear));
    return sqrt(sum);
}

/* A body of the layer rests if it hardly moves relative to one below, and so relative to everything on which that one
 * rests: speeds are summed from the fixed or loose bodies up. Small speeds in each of many layers would throw the top
 * body, since held bodies feel no load. In a correction of positions all bodies rest. */
static void judge_rest(layering *l, uint32_t layer)
{
    const ashi_system *p = l->solve->problem;
    const ashi_contact_graph *graph = l->graph;
    const ash_problem_island *island = l->solve->island;
    if (!p->releases)
        return;
    for (uint32_t i = graph->first_upper.data[layer]; i < graph->first_upper.data[layer + 1]; i++)
        l->speed[graph->upper.data[i] - 1] = INFINITY;
    for (uint32_t i = l->first[layer]; i < l->first[layer + 1]; i++) {
        const ashi_block *block = &p->blocks[l->blocks[i]];
        bool a = is_upper(l, layer, block->body_a), b = is_upper(l, layer, block->body_b);
        if (a == b)
            continue;
        double *speed = &l->speed[(a ? block->body_a : block->body_b) - island->first_body];
        uint32_t below = node_of(island, a ? block->body_b : block->body_a);
        *speed = fmin(*speed, speed_across(l, block) + (below != 0 ? l->speed[below - 1] : 0));
    }
    for (uint32_t i = graph->first_upper.data[layer]; i < graph->first_upper.data[layer + 1]; i++) {
        uint32_t body = graph->upper.data[i] - 1;
        const ash_problem_body *b = &p->bodies[island->first_body + body];
        l->loose[body] = !(l->speed[body] <= FALLS * v3_distance(b->velocity, b->start_velocity));
        if (l->loose[body])
            l->speed[body] = 0;
    }
}

/* ---- layer after layer ---- */

static bool solve_layer(layering *l, uint32_t layer, const ash_solver_settings *inner)
{
    ashi_solve *whole = l->solve;
    ashi_system part;
    find_loose(l, layer);
    if (!take_room(l, layer, &part))
        return false;
    fill(l, layer, &part);
    ashi_system_velocities(&part, part.islands);
    if (inner->warm_start)
        ashi_first_guess_shorten(&part, part.islands);
    ashi_solve solve = {.problem = &part,
                        .island = part.islands,
                        .settings = inner,
                        .law = whole->law,
                        .scratch = whole->scratch,
                        .memory = whole->memory,
                        .number = whole->number,
                        .start = whole->start,
                        .deadline = whole->deadline,
                        .most_visits = whole->most_visits - whole->visits};
    if (part.block_count == 0)
        solve.flags = ASH_SOLVE_CONVERGED;
    else if (!ashi_solve_by(inner->solver, &solve))
        return false;
    take_back(l, layer, &part);
    judge_rest(l, layer);
    whole->visits += solve.visits;
    whole->iterations = solve.iterations > whole->iterations ? solve.iterations : whole->iterations;
    uint32_t both = whole->flags & solve.flags & ASH_SOLVE_CONVERGED;
    whole->flags = ((whole->flags | solve.flags) & ~(uint32_t)ASH_SOLVE_CONVERGED) | both;
    return true;
}

/* A trace has an entry for the start and one after each layer: of all impulses, with the velocities that they make. */
static bool trace(const layering *l, ash_motion *kept)
{
    ashi_solve *solve = l->solve;
    ash_motion *velocity = &solve->problem->velocity[solve->island->first_body];
    if (solve->trace == NULL)
        return true;
    double own = ashi_solve_own_theta(solve);
    memcpy(kept, velocity, solve->island->body_count * sizeof *kept);
    ashi_system_velocities(solve->problem, solve->island);
    uint32_t entry = solve->trace->count;
    bool judged = ashi_solve_judge(solve);
    if (solve->trace->own_theta != NULL && solve->trace->count > entry)
        solve->trace->own_theta[entry] = own;
    memcpy(velocity, kept, solve->island->body_count * sizeof *kept);
    return judged;
}

static bool solve_layers(layering *l, const ash_solver_settings *inner)
{
    ashi_solve *solve = l->solve;
    ash_motion *kept = NULL;
    if (solve->trace != NULL)
        kept = ashi_arena_take_array(solve->scratch, solve->island->body_count, sizeof *kept);
    bool good = sort_blocks(l) && (kept != NULL || solve->trace == NULL) && trace(l, kept);
    solve->flags = ASH_SOLVE_CONVERGED;
    for (uint32_t layer = 0; layer < l->graph->layer_count && good; layer++)
        good = solve_layer(l, layer, inner) && trace(l, kept);
    solve->flags |= ASH_SOLVE_LAYERED;
    return good;
}

bool ashi_solve_shock(ashi_solve *solve)
{
    const ash_solver_settings *own = solve->settings;
    ash_solver_settings inner = *own;
    inner.solver = own->inner;
    ashi_contact_graph *graph = ashi_solver_graph(solve);
    if (!update_graph(solve, graph))
        return false;
    if (graph->layer_count > 1) {
        layering l = {.solve = solve, .graph = graph};
        return solve_layers(&l, &inner);
    }
    if (own->warm_start)
        ashi_first_guess_shorten(solve->problem, solve->island);
    solve->settings = &inner;
    bool good = ashi_solve_by(inner.solver, solve);
    solve->settings = own;
    return good;
}
