/* The fields of a method: name, values, offset. */
#include "model/method_fields.h"

#define WORDS(member, names) ASHI_WORD, offsetof(ash_method, member), names, sizeof names / sizeof *names, 0, 0
#define ON_OFF(member)       ASHI_SWITCH, offsetof(ash_method, member), switch_names, 2, 0, 0
#define COUNT(member, a, b)  ASHI_COUNT, offsetof(ash_method, member), NULL, 0, a, b
#define NUMBER(member, a, b) ASHI_NUMBER, offsetof(ash_method, member), NULL, 0, a, b

const char *const ashi_integrator_names[ASH_INTEGRATORS] = {
    [ASH_EXPLICIT_EULER] = "explicit-euler",
    [ASH_SYMPLECTIC_EULER] = "symplectic-euler",
    [ASH_IMPLICIT_EULER] = "implicit-euler",
    [ASH_RK4] = "rk4",
    [ASH_IMPLICIT_MIDPOINT] = "implicit-midpoint",
    [ASH_AXIS_SPLITTING] = "axis-splitting",
    [ASH_SDIRK2] = "sdirk2",
};
static const char *const contact_names[ASH_CONTACT_MODES] = {"off", "detect", "solve"};
static const char *const scheme_names[ASH_SCHEMES] = {"velocity", "propagation", "passes"};
static const char *const broad_names[ASH_BROAD_PHASES] = {"tree", "all-pairs", "sweep-1", "sweep-3"};
static const char *const switch_names[2] = {"off", "on"};
static const char *const unit_names[2] = {"blocks", "rows"};
static const char *const order_names[2] = {"normals-first", "contact-by-contact"};
const char *const ashi_solver_names[ASH_SOLVERS] = {
    "jacobi",         "pgs",       "sor",        "lemke", "nncg",    "apgd",        "newton",
    "soft-step",      "direct",    "structured", "shock", "penalty", "biconjugate", "structured-dense",
    "full-iterative", "full-dense"};
static const char *const law_names[ASH_FRICTION_LAWS] = {"cone", "pyramid", "box"};
static const char *const axes_names[ASH_FRICTION_AXES] = {"global", "sliding"};
static const char *const bound_names[ASH_FRICTION_BOUNDS] = {"running", "previous"};
static const char *const hold_names[2] = {"resting", "all"};
static const char *const motion_names[2] = {"last-stage", "stages"};
static const char *const gap_names[2] = {"close", "hold"};
static const char *const restitution_names[ASH_RESTITUTION_LAWS] = {"newton", "poisson", "energetic"};
static const char *const impact_order_names[ASH_IMPACT_ORDERS] = {"together", "sequential"};
static const char *const stabilization_names[ASH_STABILIZATIONS] = {"none", "baumgarte", "post", "mixed", "soft"};
static const char *const joint_scheme_names[ASH_JOINT_SCHEMES] = {"velocity", "impulses", "accelerations"};
static const char *const joint_solver_names[ASH_JOINT_SOLVERS] = {
    "same", "direct", "iterative", "structured", "biconjugate", "structured-dense", "full-iterative", "full-dense"};
static const char *const drift_names[ASH_JOINT_DRIFTS] = {"projection", "baumgarte", "none"};
static const char *const control_names[ASH_STEP_CONTROLS] = {"fixed", "substeps", "impacts", "bounces"};
static const char *const sleeping_names[ASH_SLEEPINGS] = {"off", "velocity", "islands"};

const ashi_method_field ashi_method_fields[ASHI_METHOD_FIELDS] = {
    {"integrator",
     "explicit-euler | symplectic-euler | implicit-euler | rk4 | implicit-midpoint | axis-splitting | sdirk2",
     WORDS(integrator, ashi_integrator_names)},
    {"max-iterations", "limit of implicit integrators in a part of a step, 1 to 1000000",
     COUNT(max_iterations, 1, 1000000)},
    {"tolerance", "relative tolerance of implicit integrators, 1e-16 to 1", NUMBER(tolerance, 1e-16, 1)},
    {"contacts", "off | detect (found and reported) | solve (they carry forces)", WORDS(contacts, contact_names)},
    {"broad-phase", "tree | all-pairs | sweep-1 | sweep-3", WORDS(broad_phase, broad_names)},
    {"contact-margin", "gaps up to this are contacts, m, 0 to 1000", NUMBER(contact_margin, 0, 1000)},
    {"recycle", "pairs that moved less than this keep their contacts, m, 0 to 1000", NUMBER(recycle, 0, 1000)},
    {"reduce-manifolds", "on | off (at most 4 points a contact, 2 in planar worlds)", ON_OFF(reduce_manifolds)},
    {"continuous", "on | off (search for impacts within a step)", ON_OFF(continuous)},
    {"scheme", "velocity | propagation (Erleben 2007, figure 14) | passes (Guendelman et al. 2003)",
     WORDS(scheme, scheme_names)},
    {"shock-weight", "propagation: share of the step that comes before the stack layers, 0 to 1",
     NUMBER(shock_weight, 0, 1)},
    {"shock-hold", "resting | all (which lower bodies of a stack layer shock holds)", ASHI_SWITCH,
     offsetof(ash_method, hold_all), hold_names, 2, 0, 0},
    {"shock-motion",
     "last-stage | stages (propagation: whether the last stage's velocities move bodies over the step, or each its own)",
     ASHI_SWITCH, offsetof(ash_method, move_by_stages), motion_names, 2, 0, 0},
    {"gaps", "close | hold (propagation: whether contacts within the margin may close their gap in a step)",
     ASHI_SWITCH, offsetof(ash_method, hold_gaps), gap_names, 2, 0, 0},
    {"collision-passes", "passes: most collision passes in a step, 1 to 1000", COUNT(collision_passes, 1, 1000)},
    {"shock-rounds", "passes: rounds of each layer in shock propagation, 1 to 1000", COUNT(shock_rounds, 1, 1000)},
    {"solver",
     "jacobi | pgs | sor | lemke | nncg | apgd | newton | soft-step | direct | structured | shock | penalty | biconjugate | structured-dense | full-iterative | full-dense",
     WORDS(solver.solver, ashi_solver_names)},
    {"inner-solver",
     "solver of each layer of shock: jacobi | pgs | sor | lemke | nncg | apgd | newton | direct | structured | penalty | biconjugate | structured-dense | full-iterative | full-dense",
     WORDS(solver.inner, ashi_solver_names)},
    {"iterations",
     "most iterations of the solver in a step, 1 to 1000000; with a `joint-solver` by gradients also in each solve of joints",
     COUNT(solver.iterations, 1, 1000000)},
    {"solver-tolerance", "the solver stops when its error is below, m/s, 0 (never) to 1",
     NUMBER(solver.tolerance, 0, 1)},
    {"time-budget", "the solver stops after this time, s, 0 (never) to 1000; results then depend on the machine",
     NUMBER(solver.time_budget, 0, 1000)},
    {"warm-start", "on | off (the solver begins from the last step's impulses)", ON_OFF(solver.warm_start)},
    {"solve-by", "blocks | rows (what the sweeping solvers solve at once)", ASHI_SWITCH,
     offsetof(ash_method, solver.by_rows), unit_names, 2, 0, 0},
    {"row-order", "normals-first | contact-by-contact (solve-by rows: where friction comes in a sweep)", ASHI_SWITCH,
     offsetof(ash_method, solver.contact_by_contact), order_names, 2, 0, 0},
    {"relaxation", "factor of each correction of sor and jacobi, 0.01 to 2", NUMBER(solver.relaxation, 0.01, 2)},
    {"settling", "share of the last sweeps of pgs and sor, whose corrections decrease, 0 to 1",
     NUMBER(solver.settling, 0, 1)},
    {"regularization", "added to the diagonal of the matrix of sweeps and apgd, 1/kg, 0 to 1e9",
     NUMBER(solver.regularization, 0, 1e9)},
    {"regularization-decay", "factor of the regularization from sweep to sweep of pgs and sor, 0 to 1 (constant)",
     NUMBER(solver.regularization_decay, 0, 1)},
    {"diagonal-scaling", "on | off (regularization is a share of each row's diagonal)",
     ON_OFF(solver.diagonal_scaling)},
    {"soft-substeps", "sub-steps of soft-step, 1 to 1000", COUNT(solver.substeps, 1, 1000)},
    {"contact-frequency", "upper limit for soft contacts, Hz, 0.01 to 1e6", NUMBER(solver.frequency, 0.01, 1e6)},
    {"contact-damping", "damping ratio of soft contacts, 0 to 1000", NUMBER(solver.damping, 0, 1000)},
    {"push-out", "largest speed at which soft-step removes overlap, m/s, 0 to 1e6", NUMBER(solver.push_out, 0, 1e6)},
    {"contact-stiffness", "of penalty contacts, N/m (Hertz: N/m^1.5), 1e-6 to 1e15",
     NUMBER(solver.stiffness, 1e-6, 1e15)},
    {"contact-dissipation", "of penalty contacts, N s/m (Hertz: s/m), 0 to 1e12", NUMBER(solver.dissipation, 0, 1e12)},
    {"slip-speed", "of penalty contacts: friction is full above it, m/s, 1e-12 to 1",
     NUMBER(solver.slip_speed, 1e-12, 1)},
    {"hertz", "on | off (penalty force over depth^1.5)", ON_OFF(solver.hertz)},
    {"friction-law", "cone | pyramid | box", WORDS(friction_law, law_names)},
    {"friction-directions", "corners of the pyramid, even, 4 to 32", COUNT(friction_directions, 4, 32)},
    {"friction-axes", "global | sliding (where pyramid and box lie)", WORDS(friction_axes, axes_names)},
    {"friction-bound", "running | previous (whose normal impulse bounds friction)", WORDS(friction_bound, bound_names)},
    {"restitution-law",
     "newton | poisson | energetic (of impacts where step-control = impacts or bounces; else newton)",
     WORDS(restitution_law, restitution_names)},
    {"impact-order",
     "together | sequential (of touching bodies at one instant, where step-control = impacts or bounces)",
     WORDS(impact_order, impact_order_names)},
    {"resting-speed", "approaches up to this are inelastic, m/s, 0 to 1e6", NUMBER(resting_speed, 0, 1e6)},
    {"stick-speed", "faster slip starts with sliding friction, m/s, 0 to 1e6", NUMBER(stick_speed, 0, 1e6)},
    {"stabilization", "none | baumgarte | post | mixed | soft", WORDS(stabilization, stabilization_names)},
    {"slop", "overlap that is left alone, m, 0 to 1", NUMBER(slop, 0, 1)},
    {"erp", "baumgarte: share of the overlap removed in a step, 0 to 1", NUMBER(erp, 0, 1)},
    {"joint-erp", "baumgarte: the same for removed freedoms of joints, 0 to 1; negative: as erp",
     NUMBER(joint_erp, -1, 1)},
    {"limit-erp", "baumgarte: the same for limits of joints, 0 to 1; negative: as erp", NUMBER(limit_erp, -1, 1)},
    {"post-erp", "post: share of the overlap removed in a step, 0 to 1", NUMBER(post_erp, 0, 1)},
    {"mixed-depth", "mixed: overlap beyond which positions are projected, m, 0 to 1000", NUMBER(mixed_depth, 0, 1000)},
    {"post-passes", "most projections of positions in a step, 1 to 1000", COUNT(post_passes, 1, 1000)},
    {"correction-iterations", "most iterations of the solver in a projection, 0 (as iterations) to 1000000",
     COUNT(correction_iterations, 0, 1000000)},
    {"joints", "velocity | impulses (Bender & Schmitt) | accelerations (Faure)", WORDS(joints, joint_scheme_names)},
    {"joint-solver",
     "same (as contacts) | direct | iterative | structured | biconjugate | structured-dense | full-iterative | full-dense",
     WORDS(joint_solver, joint_solver_names)},
    {"joint-drift", "projection | baumgarte | none (accelerations: how errors of joints are removed)",
     WORDS(joint_drift, drift_names)},
    {"drift-alpha", "joint-drift baumgarte: alpha of g'' = -alpha g - beta g', 1/s^2, 0 to 1e12",
     NUMBER(drift_alpha, 0, 1e12)},
    {"drift-beta", "the same: beta, 1/s, 0 to 1e6", NUMBER(drift_beta, 0, 1e6)},
    {"joint-tolerance", "errors of joints that impulses and projections may leave, m, 1e-14 to 1",
     NUMBER(joint_tolerance, 1e-14, 1)},
    {"joint-velocity-tolerance", "the same for velocities, m/s, 1e-14 to 1",
     NUMBER(joint_velocity_tolerance, 1e-14, 1)},
    {"joint-iterations", "most corrections of joints in a step, 1 to 1000000", COUNT(joint_iterations, 1, 1000000)},
    {"joint-budget",
     "a solve of joints stops after this time, s, 0 (never) to 1000, but not before one iteration; results then depend on the machine",
     NUMBER(joint_budget, 0, 1000)},
    {"cut-loops", "on | off (impulses: joints that close loops have their own system)", ON_OFF(cut_loops)},
    {"plain-turns", "on | off (cut-loops: tree and loops in turn, without acceleration)", ON_OFF(plain_turns)},
    {"plain-rounds", "on | off (impulses: no division of steps, mixing or repairs for joints)", ON_OFF(plain_rounds)},
    {"contact-pass", "on | off (impulses: contacts, drives and limits in the loop of the joint correction)",
     ON_OFF(contact_pass)},
    {"eliminate-joints", "on | off (contact-pass: the solver's first guess with the joints eliminated)",
     ON_OFF(eliminate_joints)},
    {"step-control",
     "fixed | substeps | impacts (the step is cut where bodies collide) | bounces (they rebound at its end)",
     WORDS(step_control, control_names)},
    {"substeps", "equal parts of a step, 1 to 10000", COUNT(substeps, 1, 10000)},
    {"max-impacts", "most impacts in a step, 1 to 100000", COUNT(max_impacts, 1, 100000)},
    {"sleeping", "off | velocity | islands", WORDS(sleeping, sleeping_names)},
    {"sleep-speed", "slower bodies are still, m/s, 0 to 1000", NUMBER(sleep_speed, 0, 1000)},
    {"sleep-spin", "above 0: sleep-speed applies to centres and this to spins, rad/s, 0 to 1e6",
     NUMBER(sleep_spin, 0, 1e6)},
    {"sleep-time", "still bodies fall asleep after this, s, 0 to 1e6", NUMBER(sleep_time, 0, 1e6)},
    {"max-speed", "velocities are limited to it at the end of a step, m/s, 0 (never) to 1e9",
     NUMBER(max_speed, 0, 1e9)},
    {"max-spin", "the same for spins, rad/s, 0 (never) to 1e9", NUMBER(max_spin, 0, 1e9)},
    {"unit-length", "size of the world's unit, m: built-in lengths follow it, 1e-9 to 1e9",
     NUMBER(solver.unit_length, 1e-9, 1e9)},
    {"unit-time", "the same for times, s, 1e-9 to 1e9", NUMBER(solver.unit_time, 1e-9, 1e9)},
};
