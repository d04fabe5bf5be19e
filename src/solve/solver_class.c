/* The table of solvers, known here and nowhere else. */
#include "solve/solver_class.h"

static const ashi_solver_class classes[ASH_SOLVERS] = {
    [ASH_SOLVER_JACOBI] = {"jacobi", "every block against the last iterate, then all at once",
                           .solve = ashi_solve_jacobi},
    [ASH_SOLVER_PGS] = {"pgs", "projected Gauss-Seidel: block after block, each with the newest velocities",
                        ashi_solve_pgs, .in_turns = true},
    [ASH_SOLVER_SOR] = {"sor", "the same with corrections enlarged by a factor", ashi_solve_pgs, .relaxation = 1.3},
    [ASH_SOLVER_LEMKE] = {"lemke",
                          "Stewart and Trinkle's linear complementarity problem by pivoting; exact, for polygons",
                          ashi_solve_lemke, .keeps_pattern = true /* it may need newton */},
    [ASH_SOLVER_NNCG] = {"nncg", "nonsmooth nonlinear conjugate gradients around Gauss-Seidel (Silcowitz 2010)",
                         .solve = ashi_solve_nncg},
    [ASH_SOLVER_APGD] = {"apgd", "accelerated projected gradients (Mazhar 2015); solves the convex relaxation",
                         .solve = ashi_solve_apgd},
    [ASH_SOLVER_NEWTON] = {"newton", "augmented Lagrangian with sparse Newton steps; exact", ashi_solve_newton,
                           .keeps_pattern = true, .tolerance = 1e-10},
    [ASH_SOLVER_SOFT_STEP] = {"soft-step", "sub-steps with soft contacts, relaxed and warm started",
                              ashi_solve_soft_step, .moves = true},
    [ASH_SOLVER_DIRECT] = {"direct",
                           "joints exactly by one sparse factor, in turn with sweeps over contacts and limits",
                           ashi_solve_direct, .keeps_factor = true},
    [ASH_SOLVER_STRUCTURED] = {"structured",
                               "trees of joints in linear time, loops and frictionless contacts by conjugate gradients",
                               ashi_solve_structured, .frictionless = true, .chooses = true, .keeps_factor = true},
    [ASH_SOLVER_SHOCK] = {"shock",
                          "stack layers from the bottom up, lower bodies held, each by an inner solver (Erleben 2007)",
                          ashi_solve_shock, .layers = true},
    [ASH_SOLVER_PENALTY] = {"penalty", "springs and dampers instead of a solve", ashi_solve_penalty, .springs = true,
                            .chooses = true},
    [ASH_SOLVER_BICONJUGATE] = {"biconjugate",
                                "as structured, by biconjugate gradients and Faure's active set inside the loop",
                                ashi_solve_biconjugate, .frictionless = true, .chooses = true, .keeps_factor = true},
    [ASH_SOLVER_STRUCTURED_DENSE] =
        {"structured-dense", "trees of joints in linear time, loops and frictionless contacts by a dense matrix",
         ashi_solve_structured_dense, .frictionless = true, .chooses = true, .keeps_factor = true},
    [ASH_SOLVER_FULL_ITERATIVE] = {"full-iterative", "all rows by conjugate gradients; contacts without friction",
                                   ashi_solve_full_iterative, .frictionless = true, .chooses = true,
                                   .keeps_factor = true},
    [ASH_SOLVER_FULL_DENSE] = {"full-dense", "all rows by a dense matrix; contacts without friction",
                               ashi_solve_full_dense, .frictionless = true, .chooses = true, .keeps_factor = true},
};

const ashi_solver_class *ashi_solver_class_of(ash_solver solver)
{
    return &classes[solver];
}

const char *ashi_solver_name(ash_solver solver)
{
    return (unsigned)solver < ASH_SOLVERS ? classes[solver].name : "";
}

ash_solver_settings ashi_default_solver_settings(ash_solver solver)
{
    static const ashi_solver_class none = {0};
    const ashi_solver_class *class = (unsigned)solver < ASH_SOLVERS ? &classes[solver] : &none;
    ash_solver_settings settings = {.solver = solver,
                                    .iterations = 100,
                                    .tolerance = class->tolerance > 0 ? class->tolerance : 1e-6,
                                    .warm_start = true,
                                    .inner = ASH_SOLVER_PGS,
                                    .relaxation = class->relaxation > 0 ? class->relaxation : 1,
                                    .regularization_decay = 1,
                                    .substeps = 4,
                                    .frequency = 30,
                                    .damping = 10,
                                    .push_out = 3,
                                    .stiffness = 1e5,
                                    .dissipation = 1e2,
                                    .slip_speed = 1e-3,
                                    .unit_length = 1,
                                    .unit_time = 1};
    return settings;
}
