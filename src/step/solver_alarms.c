/* What a solution says about its solver: whether it failed, whether it ignores friction, and whether penalty contacts
 * are stiffer than the step can take. */
#include "step/solver_alarms.h"

#include "model/explicit_bound.h"
#include "step/hold.h"

/* The solver itself, or that of the layers. */
static ash_solver solver_of(const ashi_step *step)
{
    return ashi_inner_solver(&step->method.solver);
}

static bool presses(const ash_problem *p, const ash_problem_block *block)
{
    return block->kind == ASH_BLOCK_CONTACT && p->rows[block->first_row].impulse > 0;
}

static void flag(ashi_step *step, const ash_problem_block *block, ash_flag which)
{
    const ashi_contact_pair *pair = ashi_pair_of_point(&step->collision->now, block->label);
    step->flags |= which;
    step->flagged_a = pair->handle_a;
    step->flagged_b = pair->handle_b;
}

static void note_law(ashi_step *step)
{
    const ash_problem *p = step->problem;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        if (presses(p, block) && (block->friction > 0 || block->rolling > 0 || block->spinning > 0)) {
            flag(step, block, ASH_FLAG_LAW_IGNORED);
            return;
        }
    }
}

/* The longest step for a penalty contact by itself. Several at one body are stiffer together: it may be shorter. */
static double penalty_bound(const ash_solver_settings *s, const ash_problem *p, const ash_problem_block *block)
{
    const ash_problem_row *row = &p->rows[block->first_row];
    double response = ashi_row_response(p, block, row, row), depth = row->error < 0 ? -row->error : 0;
    double stiffness = s->hertz ? 1.5 * s->stiffness * sqrt(depth) : s->stiffness;
    double damping = s->hertz ? s->stiffness * depth * sqrt(depth) * s->dissipation : s->dissipation;
    return ashi_explicit_bound(ASH_SYMPLECTIC_EULER, stiffness * response, damping * response);
}

static void note_penalty(ashi_step *step)
{
    const ash_problem *p = step->problem;
    double least = p->h;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        double bound = presses(p, block) ? penalty_bound(&step->method.solver, p, block) : HUGE_VAL;
        if (!(bound < least))
            continue;
        least = bound;
        flag(step, block, ASH_FLAG_SPRING_BOUND);
    }
}

void ashi_note_solver(ashi_step *step, const ash_solve_result *result)
{
    if (result->flags & (ASH_SOLVE_RAY | ASH_SOLVE_FAILED | ASH_SOLVE_TOO_LARGE))
        step->flags |= ASH_FLAG_SOLVER_FAILED;
    ash_solver solver = solver_of(step);
    if (solver == ASH_SOLVER_STRUCTURED)
        note_law(step);
    else if (solver == ASH_SOLVER_PENALTY)
        note_penalty(step);
}
