/* Problems and solvers for callers outside: everything that comes in is checked first. */
#include "ashlar/problem.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "problem/expand.h"
#include "problem/problem.h"
#include "problem/valid.h"
#include "solve/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

ash_status ash_solver_find(const char *name, ash_solver *solver, ash_diagnostic *diagnostic)
{
    if (name == NULL || solver == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "solver.null", "the name or the place for the solver is null");
    const char *names[ASH_SOLVERS];
    char hint[96];
    for (uint32_t i = 0; i < ASH_SOLVERS; i++) {
        names[i] = ash_solver_name((ash_solver)i);
        if (strcmp(names[i], name) == 0) {
            *solver = (ash_solver)i;
            return ASH_OK;
        }
    }
    ashi_fail(diagnostic, ASH_NOT_FOUND, "solver.unknown", "there is no solver \"%.100s\"%s", name,
              ashi_did_you_mean(name, names, ASH_SOLVERS, hint, sizeof hint));
    char list[400] = "";
    for (uint32_t i = 0, used = 0; i < ASH_SOLVERS && used < sizeof list; i++)
        used += (uint32_t)snprintf(list + used, sizeof list - used, "%s%s",
                                   i == 0                 ? ""
                                   : i + 1 == ASH_SOLVERS ? " or "
                                                          : ", ",
                                   names[i]);
    ashi_expect(diagnostic, "%s", list);
    return ASH_NOT_FOUND;
}

const char *ash_solve_flags_text(uint32_t flags, char *text, size_t size)
{
    static const char *const words[] = {"converged", "budget",  "ray",         "failed",  "too-large",
                                        "relaxed",   "layered", "law-ignored", "replaced"};
    size_t used = 0;
    if (size == 0)
        return text;
    snprintf(text, size, "none");
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++) {
        if ((flags >> i & 1) == 0 || used >= size)
            continue;
        int length = snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", words[i]);
        used += length > 0 ? (size_t)length : 0;
    }
    return text;
}

/* ---- memory ---- */

static ash_status null_problem(ash_diagnostic *diagnostic)
{
    return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "problem.null", "the problem or a place for the answer is null");
}

ash_status ash_problem_reserve(ash_problem *problem, uint32_t bodies, uint32_t blocks, uint32_t rows,
                               ash_diagnostic *diagnostic)
{
    if (problem == NULL)
        return null_problem(diagnostic);
    return ashi_public_reserve(problem, bodies, blocks, rows, 0) ? ASH_OK : ashi_out_of_memory(diagnostic);
}

ash_status ash_problem_reserve_contacts(ash_problem *problem, uint32_t contacts, uint32_t points, uint32_t turns,
                                        ash_diagnostic *diagnostic)
{
    if (problem == NULL)
        return null_problem(diagnostic);
    return ashi_public_reserve_contacts(problem, contacts, points, turns) ? ASH_OK : ashi_out_of_memory(diagnostic);
}

uint32_t ash_problem_get_point_rows(const ash_problem *problem, uint32_t contact, uint32_t point,
                                    ash_problem_row rows[ASH_POINT_ROWS])
{
    if (problem == NULL || rows == NULL || contact >= problem->contact_count)
        return 0;
    const ash_problem_contact *of = &problem->contacts[contact];
    return point - of->first_point < of->point_count ? ashi_public_point_rows(problem, of, point, rows) : 0;
}

void ash_problem_release(ash_problem *problem)
{
    if (problem != NULL)
        ashi_public_release(problem);
}

ash_status ash_problem_copy(ash_problem *to, const ash_problem *from, ash_diagnostic *diagnostic)
{
    if (to == NULL || from == NULL)
        return null_problem(diagnostic);
    return ashi_public_copy(to, from) ? ASH_OK : ashi_out_of_memory(diagnostic);
}

/* ---- order ---- */

ash_status ash_problem_check(const ash_problem *problem, ash_diagnostic *diagnostic)
{
    if (problem == NULL)
        return null_problem(diagnostic);
    return ashi_problem_is_valid(problem, diagnostic) ? ASH_OK : ASH_BAD_DATA;
}

/* What sorting itself relies on. */
static ash_status check_indices(const ash_problem *problem, ash_diagnostic *diagnostic)
{
    if (problem->body_count > problem->body_room || problem->block_count > problem->block_room ||
        problem->row_count > problem->row_room || problem->contact_count > problem->contact_room ||
        problem->point_count > problem->point_room || problem->turn_count > problem->turn_room)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "problem.value", "the problem's counts exceed its capacity");
    for (uint32_t k = 0; k < problem->block_count; k++) {
        const ash_problem_block *block = &problem->blocks[k];
        if (block->body_a >= problem->body_count || block->body_b >= problem->body_count)
            return ashi_fail(diagnostic, ASH_BAD_DATA, "problem.value", "block %u connects bodies %u and %u, of %u", k,
                             block->body_a, block->body_b, problem->body_count);
        if (block->first_row > problem->row_count || block->row_count > problem->row_count - block->first_row)
            return ashi_fail(diagnostic, ASH_BAD_DATA, "problem.value", "block %u has rows that do not exist", k);
    }
    for (uint32_t i = 0; i < problem->contact_count; i++) {
        const ash_problem_contact *contact = &problem->contacts[i];
        bool turns = contact->rollings > 0 || contact->spins > 0;
        if (contact->body_a >= problem->body_count || contact->body_b >= problem->body_count)
            return ashi_fail(diagnostic, ASH_BAD_DATA, "problem.value", "contact %u connects bodies %u and %u, of %u",
                             i, contact->body_a, contact->body_b, problem->body_count);
        if (contact->first_point > problem->point_count ||
            contact->point_count > problem->point_count - contact->first_point ||
            (turns && (contact->first_turn > problem->turn_count ||
                       contact->point_count > problem->turn_count - contact->first_turn)))
            return ashi_fail(diagnostic, ASH_BAD_DATA, "problem.value", "contact %u has points that do not exist", i);
    }
    return ASH_OK;
}

ash_status ash_problem_arrange(ash_problem *problem, ash_diagnostic *diagnostic)
{
    if (problem == NULL)
        return null_problem(diagnostic);
    ash_status status = check_indices(problem, diagnostic);
    if (status != ASH_OK)
        return status;
    /* Rows that two blocks share would be copied for each: no room for that. */
    uint64_t rows = 0;
    for (uint32_t k = 0; k < problem->block_count; k++)
        rows += problem->blocks[k].row_count;
    uint64_t points = 0;
    for (uint32_t i = 0; i < problem->contact_count; i++)
        points += problem->contacts[i].point_count;
    if (rows != problem->row_count)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "problem.value", "the blocks have %llu rows, the problem %u",
                         (unsigned long long)rows, problem->row_count);
    if (points != problem->point_count)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "problem.value", "the contacts have %llu points, the problem %u",
                         (unsigned long long)points, problem->point_count);
    ashi_system system = {0};
    ashi_arena *scratch = ashi_arena_create(1 << 16);
    bool sorted = scratch != NULL && ashi_system_of(&system, problem) &&
                  ashi_system_sort(&system, scratch, NULL, NULL) && ashi_public_of(problem, &system);
    ashi_arena_destroy(scratch);
    ashi_system_release(&system);
    status = sorted ? ash_problem_check(problem, diagnostic) : ashi_out_of_memory(diagnostic);
    return status;
}

/* ---- solving and measuring ---- */

static ash_status bad_setting(ash_diagnostic *diagnostic, const char *name, double value, const char *expected)
{
    ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "solver.value", "%s of the solver is %g", name, value);
    ashi_expect(diagnostic, "%s", expected);
    return ASH_BAD_ARGUMENT;
}

static ash_status check_settings(const ash_solver_settings *s, ash_diagnostic *diagnostic)
{
    if ((unsigned)s->solver >= ASH_SOLVERS)
        return bad_setting(diagnostic, "number", (unsigned)s->solver, "one of ash_solver");
    if ((unsigned)s->inner >= ASH_SOLVERS || !ashi_solver_may_be_inner(s->inner))
        return bad_setting(diagnostic, "inner", (unsigned)s->inner, "one of ash_solver, neither shock nor soft-step");
    if (!(s->tolerance >= 0))
        return bad_setting(diagnostic, "tolerance", s->tolerance, "0 m/s or more");
    if (!(s->time_budget >= 0))
        return bad_setting(diagnostic, "time_budget", s->time_budget, "0 s or more");
    if (!(s->relaxation > 0 && s->relaxation <= 2))
        return bad_setting(diagnostic, "relaxation", s->relaxation, "above 0, up to 2");
    if (!(s->settling >= 0 && s->settling <= 1))
        return bad_setting(diagnostic, "settling", s->settling, "0 to 1");
    if (!(s->regularization_decay >= 0 && s->regularization_decay <= 1))
        return bad_setting(diagnostic, "regularization_decay", s->regularization_decay, "0 to 1");
    if (s->substeps == 0)
        return bad_setting(diagnostic, "substeps", s->substeps, "1 or more");
    const double numbers[] = {s->regularization, s->frequency,   s->damping,   s->push_out,
                              s->stiffness,      s->dissipation, s->slip_speed};
    static const char *const names[] = {"regularization", "frequency",   "damping",   "push_out",
                                        "stiffness",      "dissipation", "slip_speed"};
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(isfinite(numbers[i]) && numbers[i] >= 0))
            return bad_setting(diagnostic, names[i], numbers[i], "a finite number of at least 0");
    return ASH_OK;
}

/* All islands as one: what iterates on the whole can be traced as a whole. */
static ash_problem_island whole_of(const ashi_system *p)
{
    ash_problem_island whole = ashi_system_whole(p);
    whole.first_body = p->fixed_count;
    if (p->island_count > 0) {
        whole.first_block = p->islands[0].first_block;
        whole.first_contact = p->islands[0].first_contact;
        whole.first_point = p->islands[0].first_point;
    }
    whole.body_count -= whole.first_body;
    whole.block_count -= whole.first_block;
    whole.contact_count -= whole.first_contact;
    whole.point_count -= whole.first_point;
    return whole;
}

static bool solve(ashi_system *problem, const ash_solver_settings *settings, uint32_t threads, ash_solve_trace *trace,
                  ash_solve_result *result)
{
    ash_problem_island *islands = problem->islands, whole = whole_of(problem);
    uint32_t island_count = problem->island_count;
    if (trace != NULL) {
        trace->count = 0;
        if (island_count > 1) {
            problem->islands = &whole;
            problem->island_count = 1;
        }
    }
    ashi_tasks *tasks = threads > 1 ? ashi_tasks_create(threads, NULL) : NULL;
    ashi_solver_memory *memory = ashi_solver_memory_create();
    bool done = memory != NULL && (tasks != NULL || threads <= 1) &&
                ashi_solve_problem(problem, settings, memory, tasks, trace, result);
    ashi_solver_memory_destroy(memory);
    ashi_tasks_destroy(tasks);
    problem->islands = islands;
    problem->island_count = island_count;
    return done;
}

/* The number of what was worst, where blocks come first and then points. */
static uint32_t number_before(const ashi_system *p, const ashi_system *expanded, uint32_t block)
{
    uint32_t before = 0;
    if (block >= expanded->block_count)
        return block;
    if (expanded->blocks[block].point != UINT32_MAX)
        return p->block_count + expanded->blocks[block].point;
    for (uint32_t k = 0; k < block; k++)
        before += expanded->blocks[k].point == UINT32_MAX;
    return before;
}

/* Most solvers take contacts by their rows. */
static bool solve_by_rows(ashi_system *system, const ash_solver_settings *settings, uint32_t threads,
                          ash_solve_trace *trace, ash_solve_result *result)
{
    ashi_system expanded = {0};
    bool done = ashi_system_expand(&expanded, system) && solve(&expanded, settings, threads, trace, result);
    if (done) {
        ashi_system_gather_to(system, &expanded);
        result->error.worst_block = number_before(system, &expanded, result->error.worst_block);
    }
    ashi_system_release(&expanded);
    return done;
}

bool ashi_system_solve(ashi_system *system, const ash_solver_settings *settings, uint32_t threads,
                       ash_solve_trace *trace, ash_solve_result *result)
{
    for (uint32_t k = 0; k < system->block_count; k++)
        system->blocks[k].held_a = system->blocks[k].held_b = false;
    bool by_rows = system->contact_count > 0 && !system->expanded && !ashi_solver_traits_of(settings->solver)->moves;
    return (by_rows ? solve_by_rows : solve)(system, settings, threads, trace, result);
}

ash_status ash_problem_solve(ash_problem *problem, const ash_solver_settings *settings, uint32_t threads,
                             ash_solve_trace *trace, ash_solve_result *result, ash_diagnostic *diagnostic)
{
    if (problem == NULL || settings == NULL || result == NULL)
        return null_problem(diagnostic);
    *result = (ash_solve_result){.error.worst_block = UINT32_MAX};
    ash_status status = ash_problem_check(problem, diagnostic);
    if (status == ASH_OK)
        status = check_settings(settings, diagnostic);
    if (status == ASH_OK && threads > ASH_MAX_THREADS) {
        status = ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "solve.threads", "%u threads", threads);
        ashi_expect(diagnostic, "at most %d", ASH_MAX_THREADS);
    }
    if (status != ASH_OK)
        return status;
    ashi_system system = {0};
    bool done = ashi_system_of(&system, problem) && ashi_system_solve(&system, settings, threads, trace, result) &&
                ashi_public_of(problem, &system);
    ashi_system_release(&system);
    return done ? ASH_OK : ashi_out_of_memory(diagnostic);
}

bool ashi_system_measure(ashi_system *system, ash_yardstick *yardstick)
{
    void *work = ashi_alloc(ashi_yardstick_room(system, NULL));
    if (work == NULL)
        return false;
    ashi_law law = ashi_law_of(system);
    ashi_system_velocities(system, NULL);
    ashi_yardstick_measure(system, NULL, &law, work, yardstick);
    ashi_dealloc(work);
    return true;
}

ash_status ash_problem_measure(ash_problem *problem, ash_yardstick *yardstick, ash_diagnostic *diagnostic)
{
    if (problem == NULL || yardstick == NULL)
        return null_problem(diagnostic);
    *yardstick = (ash_yardstick){.worst_block = UINT32_MAX};
    ash_status status = ash_problem_check(problem, diagnostic);
    if (status != ASH_OK || problem->body_count == 0)
        return status;
    ashi_system system = {0};
    bool done =
        ashi_system_of(&system, problem) && ashi_system_measure(&system, yardstick) && ashi_public_of(problem, &system);
    ashi_system_release(&system);
    return done ? ASH_OK : ashi_out_of_memory(diagnostic);
}
