/* The frame around all solvers: first guess, islands in parallel, stop criteria, the transition to sliding friction,
 * judgement.
 *
 * Islands share only immovable bodies, which no solver writes; each is solved by one worker with its own scratch
 * memory, so that the result is the same for any number of threads. */
#include "solve/solve.h"

#include "base/array.h"
#include "base/clock.h"
#include "problem/merit.h"
#include "solve/direct/direct.h"
#include "solve/first_guess.h"
#include "solve/impact/impact.h"
#include "solve/linear/block_factor.h"
#include "solve/sliding.h"

#define BUSY           8 /* the share of the granted work that is done */
#define SLIDING_ROUNDS 4 /* how often contacts may be found to slide and be solved again */

struct ashi_solver_memory {
    ASHI_ARRAY(ashi_arena *) scratch;        /* by worker */
    ASHI_ARRAY(ashi_arena *) impacts;        /* by worker: memory that outlives the solves of an impact */
    ASHI_ARRAY(ashi_block_pattern) patterns; /* by island, whichever worker solves it */
    ASHI_ARRAY(ashi_direct *) factors;       /* likewise; null until needed */
    ASHI_ARRAY(ashi_contact_graph) graphs;   /* likewise */
    ashi_soft_trail trail;
    uint64_t visits_granted, visits_left, visited; /* of blocks */
    ashi_interruption *interrupt;                  /* null: none */
};

ashi_solver_memory *ashi_solver_memory_create(void)
{
    ashi_solver_memory *memory = ashi_alloc_zeroed(sizeof *memory);
    if (memory != NULL)
        ashi_solver_grant(memory, UINT64_MAX);
    return memory;
}

void ashi_solver_memory_destroy(ashi_solver_memory *memory)
{
    if (memory == NULL)
        return;
    for (uint32_t i = 0; i < memory->scratch.count; i++)
        ashi_arena_destroy(memory->scratch.data[i]);
    ashi_array_release(&memory->scratch);
    for (uint32_t i = 0; i < memory->impacts.count; i++)
        ashi_arena_destroy(memory->impacts.data[i]);
    ashi_array_release(&memory->impacts);
    for (uint32_t i = 0; i < memory->patterns.count; i++)
        ashi_block_pattern_release(&memory->patterns.data[i]);
    ashi_array_release(&memory->patterns);
    for (uint32_t i = 0; i < memory->factors.count; i++)
        ashi_direct_destroy(memory->factors.data[i]);
    ashi_array_release(&memory->factors);
    for (uint32_t i = 0; i < memory->graphs.count; i++)
        ashi_contact_graph_release(&memory->graphs.data[i]);
    ashi_array_release(&memory->graphs);
    ashi_dealloc(memory->trail.lasting);
    ashi_dealloc(memory->trail.lasting_turns);
    ashi_dealloc(memory->trail.placed);
    ashi_dealloc(memory);
}

const ashi_soft_trail *ashi_solver_trail(const ashi_solver_memory *memory)
{
    return &memory->trail;
}

static bool renew(void **data, uint32_t count, size_t size)
{
    void *larger = ashi_realloc(*data, (size_t)count * size);
    if (larger != NULL)
        *data = larger;
    return larger != NULL;
}

/* Room for a problem's points. False when memory ran out. */
static bool reserve_trail(ashi_soft_trail *trail, const ashi_system *p)
{
    if (p->point_count > trail->points) {
        uint32_t room = p->point_count > p->point_room ? p->point_count : p->point_room;
        if (!renew((void **)&trail->lasting, room, sizeof *trail->lasting) ||
            !renew((void **)&trail->placed, room, sizeof *trail->placed))
            return false;
        trail->points = room;
    }
    if (p->turn_count > trail->turns) {
        uint32_t room = p->turn_count > p->turn_room ? p->turn_count : p->turn_room;
        if (!renew((void **)&trail->lasting_turns, room, sizeof *trail->lasting_turns))
            return false;
        trail->turns = room;
    }
    return true;
}

size_t ashi_solver_scratch_size(const ashi_solver_memory *memory)
{
    const ashi_soft_trail *trail = &memory->trail;
    size_t size =
        ashi_alloc_size(trail->lasting) + ashi_alloc_size(trail->lasting_turns) + ashi_alloc_size(trail->placed);
    for (uint32_t i = 0; i < memory->scratch.count; i++)
        size += ashi_arena_size(memory->scratch.data[i]);
    for (uint32_t i = 0; i < memory->impacts.count; i++)
        size += ashi_arena_size(memory->impacts.data[i]);
    return size;
}

void ashi_solver_grant(ashi_solver_memory *memory, uint64_t visits)
{
    memory->visits_left = memory->visits_granted = visits;
}

bool ashi_solver_is_busy(const ashi_solver_memory *memory)
{
    return memory->visits_left < memory->visits_granted - memory->visits_granted / BUSY;
}

uint64_t ashi_solver_left(const ashi_solver_memory *memory)
{
    return memory->visits_left;
}

bool ashi_solver_is_spent(const ashi_solver_memory *memory)
{
    return memory->visits_left == 0 || ashi_interrupt_asks(memory->interrupt);
}

void ashi_solver_set_interrupt(ashi_solver_memory *memory, ashi_interruption *interrupt)
{
    memory->interrupt = interrupt;
}

uint64_t ashi_solver_operations(const ashi_solver_memory *memory)
{
    uint64_t sum = ASHI_OF_A_VISIT * memory->visited;
    for (uint32_t i = 0; i < memory->factors.count; i++)
        sum += ashi_direct_operations(memory->factors.data[i]);
    return sum;
}

ashi_block_pattern *ashi_solver_pattern(const ashi_solve *solve)
{
    return &solve->memory->patterns.data[solve->number];
}

ashi_direct *ashi_solver_factor(const ashi_solve *solve)
{
    ashi_direct **factor = &solve->memory->factors.data[solve->number];
    if (*factor == NULL)
        *factor = ashi_direct_create();
    return *factor;
}

ashi_contact_graph *ashi_solver_graph(const ashi_solve *solve)
{
    return &solve->memory->graphs.data[solve->number];
}

void ashi_solver_graph_counts(const ashi_solver_memory *memory, uint64_t *updates, uint64_t *builds)
{
    *updates = *builds = 0;
    for (uint32_t i = 0; i < memory->graphs.count; i++) {
        *updates += memory->graphs.data[i].updates;
        *builds += memory->graphs.data[i].builds;
    }
}

/* ---- stops ---- */

bool ashi_solve_is_spent(ashi_solve *solve)
{
    bool spent = solve->visits >= solve->most_visits || ashi_interrupt_asks(solve->memory->interrupt);
    solve->flags |= spent ? ASH_SOLVE_BUDGET : 0;
    return spent;
}

double ashi_solve_own_theta(const ashi_solve *solve)
{
    const ash_solver_settings *settings = solve->settings;
    return ashi_merit(solve->problem, solve->island, solve->law, settings->regularization, settings->diagonal_scaling);
}

bool ashi_solve_judge(ashi_solve *solve)
{
    ash_yardstick error;
    if (solve->judged == NULL)
        solve->judged = ashi_arena_take(solve->scratch, ashi_yardstick_room(solve->problem, solve->island));
    if (solve->judged == NULL)
        return false;
    ashi_yardstick_measure(solve->problem, solve->island, solve->law, solve->judged, &error);
    solve->residual = error.largest;
    ash_solve_trace *trace = solve->trace;
    if (trace != NULL && trace->count < trace->capacity) {
        trace->residual[trace->count] = error.largest;
        trace->theta[trace->count] = error.theta;
        if (trace->own_theta != NULL)
            trace->own_theta[trace->count] = ashi_solve_own_theta(solve);
        trace->seconds[trace->count] = ashi_seconds() - solve->start;
        trace->count++;
    }
    return true;
}

bool ashi_solve_is_judged(const ashi_solve *solve, uint32_t judge_every)
{
    bool due = solve->iterations >= solve->settings->iterations || solve->iterations % judge_every == 0;
    return solve->trace != NULL || (solve->settings->tolerance > 0 && due);
}

bool ashi_solve_goes_on(ashi_solve *solve, uint32_t judge_every)
{
    const ash_solver_settings *settings = solve->settings;
    bool last = solve->iterations >= settings->iterations;
    if (ashi_solve_is_judged(solve, judge_every) && ashi_solve_judge(solve) && solve->residual <= settings->tolerance) {
        solve->flags |= ASH_SOLVE_CONVERGED;
        return false;
    }
    if (last || ashi_solve_is_spent(solve))
        return false;
    if (solve->deadline > 0 && ashi_seconds() >= solve->deadline) {
        solve->flags |= ASH_SOLVE_BUDGET;
        return false;
    }
    solve->iterations++;
    solve->visits += solve->island->block_count;
    return true;
}

/* ---- islands ---- */

typedef struct solve_job {
    ashi_system *problem;
    const ash_solver_settings *settings;
    const ashi_solver_traits *solver;
    ashi_law law;
    ashi_solver_memory *memory;
    ash_solve_trace *trace;
    double start;
    uint32_t *iterations, *flags; /* by island */
    uint64_t *visits;             /* by island */
    bool *failed;                 /* by island */
    bool lets_slide;              /* some contact has two coefficients, and the solver works with one */
    bool limits;                  /* rebound by Newton's law must not add energy: there are no other impulses than the
                                     solver's */
    bool impacts;                 /* by another law than Newton's */
    bool *integrated;             /* by island: such an impact, which does not solve the rows with their biases */
    ash_solve_result *own;        /* by island: soft-step's own judgement, ... */
    uint32_t *judged;             /* ... and the number of judged blocks */
} solve_job;

static void stand_still(ashi_system *p, const ash_problem_island *island)
{
    for (uint32_t i = island->first_body; i < island->first_body + island->body_count; i++)
        p->shift[i] = (ash_motion){0};
}

/* Solves again if contacts start to slide. */
static bool solve_once(void *data, ashi_solve *solve)
{
    const solve_job *c = data;
    uint32_t iterations = 0, round = 0;
    bool again, good;
    do {
        ashi_arena_reset(solve->scratch);
        solve->judged = NULL;
        solve->iterations = solve->flags = 0;
        good = ashi_solve_by(c->settings->solver, solve);
        iterations += solve->iterations;
        again = good && c->lets_slide && ++round < SLIDING_ROUNDS &&
                ashi_sliding_begins(c->problem, &c->law, solve->island);
    } while (again);
    solve->iterations = iterations;
    return good;
}

/* An impact solved in stages has the error of its worst solve: its summed impulses solve no single problem. False when
 * memory ran out. */
static bool judge_impact(const solve_job *c, ashi_solve *solve, bool integrated)
{
    solve->judged_blocks = solve->island->block_count;
    solve->error = (ash_yardstick){solve->residual, solve->residual, solve->island->first_block, 0};
    if (integrated || c->settings->unjudged)
        return true;
    void *work = ashi_arena_take(solve->scratch, ashi_yardstick_room(solve->problem, solve->island));
    if (work != NULL)
        ashi_yardstick_measure(solve->problem, solve->island, &c->law, work, &solve->error);
    return work != NULL;
}

/* Bytes of working memory of an island's solve. */
static uint64_t taken_by(const solve_job *c, const ashi_solve *solve)
{
    const ashi_solver_memory *m = c->memory;
    const ashi_direct *factor = solve->number < m->factors.count ? m->factors.data[solve->number] : NULL;
    return ashi_arena_taken(solve->scratch) + ashi_direct_size(factor);
}

static void solve_island(solve_job *c, uint32_t number, uint32_t worker)
{
    ashi_solve solve = {.problem = c->problem,
                        .island = &c->problem->islands[number],
                        .settings = c->settings,
                        .law = &c->law,
                        .scratch = c->memory->scratch.data[worker],
                        .memory = c->memory,
                        .number = number,
                        .trace = c->trace,
                        .trail = &c->memory->trail,
                        .start = c->start,
                        .most_visits = c->memory->visits_left,
                        .deadline = c->settings->time_budget > 0 ? c->start + c->settings->time_budget : 0};
    bool sound = ashi_first_guess_check(c->problem, solve.island), soft = c->solver->moves;
    if (!sound || !soft)
        ashi_system_velocities(c->problem, solve.island);
    if (!sound || (solve.island->block_count == 0 && !soft)) {
        stand_still(c->problem, solve.island);
        c->flags[number] = sound ? ASH_SOLVE_CONVERGED : ASH_SOLVE_FAILED;
        c->own[number].error.largest = sound ? 0 : HUGE_VAL;
        c->own[number].error.worst_block = sound ? UINT32_MAX : solve.island->first_block;
        return;
    }
    if (c->settings->warm_start && !soft && !c->solver->layers)
        ashi_first_guess_shorten(c->problem, solve.island);
    ashi_one_solve once = {solve_once, c};
    bool good;
    if (c->impacts) {
        ashi_arena_reset(c->memory->impacts.data[worker]);
        good = ashi_impact_solve(&solve, once, c->memory->impacts.data[worker], &c->integrated[number]);
    } else {
        good = solve_once(c, &solve) && (!c->limits || ashi_rebound_limit(&solve, once));
    }
    c->iterations[number] = solve.iterations;
    c->visits[number] = solve.visits;
    c->flags[number] = solve.flags;
    c->failed[number] = !good;
    if (c->impacts && good)
        c->failed[number] = !judge_impact(c, &solve, c->integrated[number]);
    c->own[number] = (ash_solve_result){.error = solve.error,
                                        .memory = taken_by(c, &solve),
                                        .contact_work = solve.contact_work,
                                        .friction_work = solve.friction_work,
                                        .placing_work = solve.placing_work};
    c->judged[number] = solve.judged_blocks;
}

static void solve_range(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    for (uint32_t i = begin; i < end; i++)
        solve_island(data, i, worker);
}

/* Whether some contact has two coefficients and the solver works with one. */
static bool lets_slide(const solve_job *c)
{
    if (ashi_solver_traits_of(ashi_inner_solver(c->settings))->chooses)
        return false;
    const ashi_system *p = c->problem;
    for (uint32_t k = 0; k < p->block_count; k++)
        if (ashi_sliding_matters(&p->blocks[k]))
            return true;
    for (uint32_t i = 0; i < p->contact_count && !p->expanded; i++)
        for (uint32_t k = 0; k < p->contacts[i].point_count && p->contacts[i].tangents > 0; k++)
            if (p->contacts[i].sliding_friction < p->points[p->contacts[i].first_point + k].friction)
                return true;
    return false;
}

/* Reserves the places of the lasting data of each island. False when memory ran out. */
static bool prepare_kept(const solve_job *c)
{
    ashi_solver_memory *memory = c->memory;
    const ashi_solver_traits *solver = ashi_solver_traits_of(ashi_inner_solver(c->settings));
    uint32_t islands = c->problem->island_count;
    while ((solver->keeps_pattern || solver->frictionless) && memory->patterns.count < islands) {
        if (!ashi_array_extend(&memory->patterns))
            return false;
        memory->patterns.data[memory->patterns.count - 1] = (ashi_block_pattern){0};
    }
    /* Also where islands have contacts alone: to find that out takes longer than a null pointer for each. */
    bool factors = solver->keeps_factor || (solver->moves && c->settings->exact_rows);
    if (factors && !ashi_array_reserve(&memory->factors, c->problem->island_room))
        return false;
    while (factors && memory->factors.count < islands) {
        if (!ashi_array_extend(&memory->factors))
            return false;
        memory->factors.data[memory->factors.count - 1] = NULL;
    }
    while (c->solver->layers && memory->graphs.count < islands) {
        if (!ashi_array_extend(&memory->graphs))
            return false;
        memory->graphs.data[memory->graphs.count - 1] = (ashi_contact_graph){0};
    }
    return true;
}

static bool prepare(solve_job *c, ashi_tasks *tasks, ashi_arena **results)
{
    uint32_t workers = tasks != NULL ? ashi_tasks_workers(tasks) : 1;
    ashi_solver_memory *memory = c->memory;
    /* One arena more than there are workers keeps what outlives the islands. */
    while (memory->scratch.count < workers + 1) {
        ashi_arena *arena = ashi_arena_create(1 << 16);
        if (arena == NULL || !ashi_array_extend(&memory->scratch)) {
            ashi_arena_destroy(arena);
            return false;
        }
        memory->scratch.data[memory->scratch.count - 1] = arena;
    }
    while (c->impacts && memory->impacts.count < workers) {
        ashi_arena *arena = ashi_arena_create(1 << 14);
        if (arena == NULL || !ashi_array_extend(&memory->impacts)) {
            ashi_arena_destroy(arena);
            return false;
        }
        memory->impacts.data[memory->impacts.count - 1] = arena;
    }
    if (!prepare_kept(c) || (c->solver->moves && !reserve_trail(&memory->trail, c->problem)))
        return false;
    *results = memory->scratch.data[workers];
    ashi_arena_reset(*results);
    uint32_t islands = c->problem->island_count;
    c->lets_slide = lets_slide(c);
    c->iterations = ashi_arena_take_array(*results, islands + 1, sizeof *c->iterations);
    c->flags = ashi_arena_take_array(*results, islands + 1, sizeof *c->flags);
    c->visits = ashi_arena_take_array(*results, islands + 1, sizeof *c->visits);
    c->failed = ashi_arena_take_array(*results, islands + 1, sizeof *c->failed);
    c->integrated = ashi_arena_take_array(*results, islands + 1, sizeof *c->integrated);
    c->own = ashi_arena_take_array(*results, islands + 1, sizeof *c->own);
    c->judged = ashi_arena_take_array(*results, islands + 1, sizeof *c->judged);
    if (c->iterations == NULL || c->flags == NULL || c->visits == NULL || c->failed == NULL || c->integrated == NULL ||
        c->own == NULL || c->judged == NULL)
        return false;
    for (uint32_t i = 0; i < islands; i++) {
        c->iterations[i] = c->flags[i] = c->judged[i] = 0;
        c->visits[i] = 0;
        c->failed[i] = c->integrated[i] = false;
        c->own[i] = (ash_solve_result){.error.worst_block = UINT32_MAX};
    }
    return true;
}

static void forget_impulses(ashi_system *p)
{
    for (uint32_t i = 0; i < p->row_count; i++)
        p->rows[i].impulse = 0;
    for (uint32_t i = 0; i < p->point_count && !p->expanded; i++)
        p->points[i].impulse = v3(0, 0, 0);
    for (uint32_t i = 0; i < p->turn_count && !p->expanded; i++)
        p->turns[i] = v3(0, 0, 0);
}

/* Gathers the results of the islands' solvers in the order of islands. False when one ran out of memory. */
static bool gather(const solve_job *c, ash_solve_result *result)
{
    bool good = true, soft = c->solver->moves;
    double sum = 0;
    uint32_t blocks = 0;
    uint64_t *left = &c->memory->visits_left;
    for (uint32_t i = 0; i < c->problem->island_count; i++) {
        uint64_t passes = soft ? c->settings->substeps + c->iterations[i] : 0; /* of soft-step, which has no limit */
        c->memory->visited += c->visits[i] + passes * ashi_island_blocks(c->problem, &c->problem->islands[i]);
        if (*left < UINT64_MAX)
            *left -= c->visits[i] < *left ? c->visits[i] : *left;
        good = good && !c->failed[i];
        result->iterations = c->iterations[i] > result->iterations ? c->iterations[i] : result->iterations;
        uint32_t both = result->flags & c->flags[i] & ASH_SOLVE_CONVERGED;
        result->flags = ((result->flags | c->flags[i]) & ~(uint32_t)ASH_SOLVE_CONVERGED) | both;
        result->memory = c->own[i].memory > result->memory ? c->own[i].memory : result->memory;
        result->contact_work += c->own[i].contact_work;
        result->friction_work += c->own[i].friction_work;
        result->placing_work += c->own[i].placing_work;
        const ash_yardstick *own = &c->own[i].error;
        sum += own->mean * c->judged[i];
        blocks += c->judged[i];
        result->error.theta += own->theta;
        bool first = result->error.worst_block == UINT32_MAX;
        if (own->worst_block != UINT32_MAX && (first || !(own->largest <= result->error.largest))) {
            result->error.largest = own->largest;
            result->error.worst_block = own->worst_block;
        }
    }
    result->error.mean = blocks > 0 ? sum / blocks : 0;
    return good;
}

/* Judges the impulses: in layered islands with the velocities that they would give if they acted on both bodies, as in
 * the problem, while the layers' velocities are kept. False when memory ran out. */
static bool judge_all(const solve_job *c, bool layered, ashi_arena *memory, ash_yardstick *error)
{
    ashi_system *p = c->problem;
    void *judged = ashi_arena_take(memory, ashi_yardstick_room(p, NULL));
    ash_motion *kept = layered ? ashi_arena_take_array(memory, p->body_count, sizeof *kept) : NULL;
    if (judged == NULL || (layered && kept == NULL))
        return false;
    for (uint32_t i = 0; layered && i < p->body_count; i++)
        kept[i] = p->velocity[i];
    for (uint32_t i = 0; layered && i < p->island_count; i++)
        if (c->flags[i] & ASH_SOLVE_LAYERED)
            ashi_system_velocities(p, &p->islands[i]);
    ashi_yardstick_measure(p, NULL, &c->law, judged, error);
    for (uint32_t i = 0; layered && i < p->body_count; i++)
        p->velocity[i] = kept[i];
    return true;
}

bool ashi_solve_problem(ashi_system *problem, const ash_solver_settings *settings, ashi_solver_memory *memory,
                        ashi_tasks *tasks, ash_solve_trace *trace, ash_solve_result *result)
{
    solve_job c = {.problem = problem,
                   .settings = settings,
                   .solver = ashi_solver_traits_of(settings->solver),
                   .law = ashi_law_of(problem),
                   .memory = memory,
                   .impacts = ashi_impact_acts(problem, settings),
                   .limits = ashi_rebound_is_limited(settings),
                   .trace = problem->island_count == 1 ? trace : NULL,
                   .start = ashi_seconds()};
    ashi_arena *results;
    *result = (ash_solve_result){.flags = ASH_SOLVE_CONVERGED, .error.worst_block = UINT32_MAX};
    problem->shifted = false;
    problem->worked = c.impacts;
    if (!prepare(&c, tasks, &results))
        return false;
    uint64_t before = ashi_solver_operations(memory);
    if (!settings->warm_start)
        forget_impulses(problem);
    for (uint32_t i = 0; i < problem->fixed_count; i++)
        problem->velocity[i] = (ash_motion){problem->bodies[i].velocity, problem->bodies[i].spin};
    ashi_parallel_for(tasks, problem->island_count, 1, solve_range, &c);
    problem->shifted = c.solver->moves;
    problem->finite = false; /* it was set for the guess */

    bool good = gather(&c, result);
    result->operations = ashi_solver_operations(memory) - before;
    result->seconds = ashi_seconds() - c.start;
    if (!good || settings->unjudged)
        return good;
    if (!c.solver->moves && !c.impacts &&
        !judge_all(&c, (result->flags & ASH_SOLVE_LAYERED) != 0, results, &result->error))
        return false;
    if (!isfinite(result->error.largest))
        result->flags |= ASH_SOLVE_FAILED;
    if (c.solver->moves && result->error.largest <= settings->tolerance)
        result->flags |= ASH_SOLVE_CONVERGED;
    return true;
}
