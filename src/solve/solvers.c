/* The solvers' functions. Their properties are in model/solver_traits.c. */
#include "solve/solve.h"

static const ashi_solver_function functions[ASH_SOLVERS] = {
    [ASH_SOLVER_JACOBI] = ashi_solve_jacobi,
    [ASH_SOLVER_PGS] = ashi_solve_pgs,
    [ASH_SOLVER_SOR] = ashi_solve_pgs,
    [ASH_SOLVER_LEMKE] = ashi_solve_lemke,
    [ASH_SOLVER_NNCG] = ashi_solve_nncg,
    [ASH_SOLVER_APGD] = ashi_solve_apgd,
    [ASH_SOLVER_NEWTON] = ashi_solve_newton,
    [ASH_SOLVER_SOFT_STEP] = ashi_solve_soft_step,
    [ASH_SOLVER_DIRECT] = ashi_solve_direct,
    [ASH_SOLVER_STRUCTURED] = ashi_solve_structured,
    [ASH_SOLVER_SHOCK] = ashi_solve_shock,
    [ASH_SOLVER_PENALTY] = ashi_solve_penalty,
    [ASH_SOLVER_BICONJUGATE] = ashi_solve_biconjugate,
    [ASH_SOLVER_STRUCTURED_DENSE] = ashi_solve_structured_dense,
    [ASH_SOLVER_FULL_ITERATIVE] = ashi_solve_full_iterative,
    [ASH_SOLVER_FULL_DENSE] = ashi_solve_full_dense,
};

/* Whether there is friction, rolling or spinning resistance, which solvers without friction cannot handle. */
static bool has_friction(const ashi_system *p, const ash_problem_island *island)
{
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        if (block->kind == ASHI_CONTACT_BLOCK && (block->friction > 0 || block->rolling > 0 || block->spinning > 0))
            return true;
    }
    return false;
}

bool ashi_solve_by(ash_solver solver, ashi_solve *solve)
{
    if (ashi_solver_traits_of(solver)->frictionless && has_friction(solve->problem, solve->island))
        solver = ASHI_EXACT_SOLVER;
    return functions[solver](solve);
}
