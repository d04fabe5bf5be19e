/* The table of solvers: names, properties and default settings. */
#include "model/solver_traits.h"

#include "model/method_fields.h"

static const ashi_solver_traits table[ASH_SOLVERS] = {
    [ASH_SOLVER_JACOBI] = {.summary = "every block against the last iterate, then all at once"},
    [ASH_SOLVER_PGS] = {"projected Gauss-Seidel: block after block, each with the newest velocities", .in_turns = true},
    [ASH_SOLVER_SOR] = {"the same with corrections enlarged by a factor", .relaxes = true, .relaxation = 1.3},
    [ASH_SOLVER_LEMKE] = {"Stewart and Trinkle's linear complementarity problem by pivoting; exact, for polygons",
                          .keeps_pattern = true /* it may need newton */},
    [ASH_SOLVER_NNCG] = {.summary = "nonsmooth nonlinear conjugate gradients around Gauss-Seidel (Silcowitz 2010)"},
    [ASH_SOLVER_APGD] = {.summary = "accelerated projected gradients (Mazhar 2015); solves the convex relaxation"},
    [ASH_SOLVER_NEWTON] = {"augmented Lagrangian with sparse Newton steps; exact", .keeps_pattern = true,
                           .tolerance = 1e-10},
    [ASH_SOLVER_SOFT_STEP] = {"sub-steps with soft contacts, relaxed and warm started", .moves = true},
    [ASH_SOLVER_DIRECT] = {"joints exactly by one sparse factor, alternating with sweeps over contacts and limits",
                           .keeps_factor = true},
    [ASH_SOLVER_STRUCTURED] = {"trees of joints in linear time, loops and frictionless contacts by conjugate gradients",
                               .frictionless = true, .keeps_factor = true},
    [ASH_SOLVER_SHOCK] = {"stack layers from the bottom up, lower bodies held, each by an inner solver (Erleben 2007)",
                          .layers = true},
    [ASH_SOLVER_PENALTY] = {"springs and dampers instead of a solve", .springs = true, .chooses = true},
    [ASH_SOLVER_BICONJUGATE] = {"as structured, by biconjugate gradients and Faure's active set inside the loop",
                                .frictionless = true, .keeps_factor = true},
    [ASH_SOLVER_STRUCTURED_DENSE] =
        {"trees of joints in linear time, loops and frictionless contacts by a dense matrix", .frictionless = true,
         .keeps_factor = true},
    [ASH_SOLVER_FULL_ITERATIVE] = {"all rows by conjugate gradients; contacts without friction", .frictionless = true,
                                   .keeps_factor = true},
    [ASH_SOLVER_FULL_DENSE] = {"all rows by a dense matrix; contacts without friction", .frictionless = true,
                               .keeps_factor = true},
};

const ashi_solver_traits *ashi_solver_traits_of(ash_solver solver)
{
    return &table[solver];
}

const char *ash_solver_name(ash_solver solver)
{
    return (unsigned)solver < ASH_SOLVERS ? ashi_solver_names[solver] : "";
}

const char *ash_solver_summary(ash_solver solver)
{
    return (unsigned)solver < ASH_SOLVERS ? table[solver].summary : "";
}

ash_solver_settings ash_default_solver_settings(ash_solver solver)
{
    static const ashi_solver_traits none = {0};
    const ashi_solver_traits *traits = (unsigned)solver < ASH_SOLVERS ? &table[solver] : &none;
    ash_solver_settings settings = {.solver = solver,
                                    .iterations = 100,
                                    .tolerance = traits->tolerance > 0 ? traits->tolerance : 1e-6,
                                    .warm_start = true,
                                    .inner = ASH_SOLVER_PGS,
                                    .relaxation = traits->relaxation > 0 ? traits->relaxation : 1,
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
