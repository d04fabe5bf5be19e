/* A method: how a world is stepped. Presets are named after their source; each field can be set alone. */
#ifndef ASHLAR_METHOD_H
#define ASHLAR_METHOD_H

#include "ashlar/base.h"
#include "ashlar/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ash_integrator {
    ASH_EXPLICIT_EULER,    /* order 1; gains energy; for comparison */
    ASH_SYMPLECTIC_EULER,  /* order 1; energy stays bounded for h < 2/omega */
    ASH_IMPLICIT_EULER,    /* order 1; loses energy; stiff springs at any step, by one linear solve */
    ASH_RK4,               /* order 4 (Bender & Schmitt 2006, section 3) */
    ASH_IMPLICIT_MIDPOINT, /* order 2; free motion conserves energy and momentum up to rounding */
    ASH_AXIS_SPLITTING,    /* symplectic Euler with the free rotation split by principal axes; explicit */
    ASH_SDIRK2,            /* order 2, two implicit stages; damps what is too stiff for the step (Alexander 1977) */
    ASH_INTEGRATORS
} ash_integrator;

/* The integrator's name, such as "implicit-midpoint". */
ASH_API const char *ash_integrator_name(ash_integrator integrator);

/* The order of the stages in a step, or in a part of one. */
typedef enum ash_scheme {
    ASH_SCHEME_VELOCITY,    /* free motion, one solve of contacts and joints, stabilization */
    ASH_SCHEME_PROPAGATION, /* Erleben 2007, figure 14: a share of the step by the inner solver of `shock`, the rest and
                               a correction of positions by the solver itself, contacts found again, a last
                               correction */
    ASH_SCHEME_PASSES,      /* impulses pair by pair where bodies will overlap: collision, contact, shock propagation
                               (Guendelman, Bridson & Fedkiw 2003); steps are then not cut at impacts */
    ASH_SCHEMES
} ash_scheme;

/* How contacts are treated. */
typedef enum ash_contact_mode {
    ASH_CONTACTS_OFF,    /* contacts are not searched for */
    ASH_CONTACTS_DETECT, /* contacts are found and reported; shapes do not push each other */
    ASH_CONTACTS_SOLVE,  /* contacts act, with friction and restitution */
    ASH_CONTACT_MODES
} ash_contact_mode;

/* How pairs of shapes that may touch are found. All choices give the same pairs. */
typedef enum ash_broad_phase {
    ASH_BROAD_TREE, /* a dynamic tree of boxes */
    ASH_BROAD_ALL_PAIRS,
    ASH_BROAD_SWEEP_1, /* sweep and prune along one axis */
    ASH_BROAD_SWEEP_3, /* ... along three */
    ASH_BROAD_PHASES
} ash_broad_phase;

/* The directions of the tangents on which the friction pyramid and box are built. */
typedef enum ash_friction_axes {
    ASH_AXES_GLOBAL,  /* fixed in the world */
    ASH_AXES_SLIDING, /* the first along the slip at the start of the step */
    ASH_FRICTION_AXES
} ash_friction_axes;

/* Which normal impulse bounds friction (de Jong 2014, 5-3). */
typedef enum ash_friction_bound {
    ASH_BOUND_RUNNING,  /* the present one of the same solve */
    ASH_BOUND_PREVIOUS, /* that of the previous step */
    ASH_FRICTION_BOUNDS
} ash_friction_bound;

/* The order in which impacts of touching bodies at one instant are solved. */
typedef enum ash_impact_order {
    ASH_IMPACTS_TOGETHER,   /* all contacts in one problem */
    ASH_IMPACTS_SEQUENTIAL, /* the contacts that approach, then those that approach after that, and so on */
    ASH_IMPACT_ORDERS
} ash_impact_order;

/* How errors of position are removed. */
typedef enum ash_stabilization {
    ASH_STABILIZE_NONE,
    ASH_STABILIZE_BAUMGARTE, /* by velocities: they gain erp / h times the depth beyond the slop */
    ASH_STABILIZE_POST,      /* by a projection of positions after the step (Cline & Pai 2003); velocities do not
                                change */
    ASH_STABILIZE_MIXED,     /* Baumgarte up to mixed_depth, projection beyond (de Jong 2014, 6-1-3) */
    ASH_STABILIZE_SOFT,      /* contacts as implicit damped springs of a given frequency */
    ASH_STABILIZATIONS
} ash_stabilization;

/* How joints are held. */
typedef enum ash_joint_scheme {
    ASH_JOINTS_VELOCITY,      /* rows in one problem with the contacts; positions by the method's stabilization */
    ASH_JOINTS_IMPULSES,      /* impulses at the start such that joint positions hold at the end, then such that
                                 velocities hold there (Bender & Schmitt 2006); contacts and drives between the two */
    ASH_JOINTS_ACCELERATIONS, /* Lagrange multipliers, then projections of velocities and positions (Faure) */
    ASH_JOINT_SCHEMES
} ash_joint_scheme;

/* The solver of the joints' rows. */
typedef enum ash_joint_solver {
    ASH_JOINT_SOLVER_SAME,       /* the contacts' solver, in one problem with them */
    ASH_JOINT_SOLVER_DIRECT,     /* one sparse factor for all joints */
    ASH_JOINT_SOLVER_ITERATIVE,  /* joint by joint, repeated until all hold */
    ASH_JOINT_SOLVER_STRUCTURED, /* trees in linear time, loops by conjugate gradients (Faure) */
    /* ... and those in Faure's table of costs */
    ASH_JOINT_SOLVER_BICONJUGATE,      /* trees in linear time, loops by biconjugate gradients, as in his paper */
    ASH_JOINT_SOLVER_STRUCTURED_DENSE, /* trees in linear time, loops by a dense matrix */
    ASH_JOINT_SOLVER_FULL_ITERATIVE,   /* all rows by conjugate gradients */
    ASH_JOINT_SOLVER_FULL_DENSE,       /* all rows by a dense matrix */
    ASH_JOINT_SOLVERS
} ash_joint_solver;

/* How the drift of joints that are held by accelerations is removed (Faure). */
typedef enum ash_joint_drift {
    ASH_DRIFT_PROJECTION, /* positions and velocities are projected after the step */
    ASH_DRIFT_BAUMGARTE,  /* g'' = -alpha g - beta g' instead of g'' = 0 for the error g */
    ASH_DRIFT_NONE,       /* nothing */
    ASH_JOINT_DRIFTS
} ash_joint_drift;

/* How the caller's step is divided. */
typedef enum ash_step_control {
    ASH_STEP_FIXED,    /* not at all */
    ASH_STEP_SUBSTEPS, /* into equal parts */
    ASH_STEP_IMPACTS,  /* at the instants of impacts (de Jong 2014, 3-2-1) */
    ASH_STEP_BOUNCES,  /* not at all: contacts that have collided by the end rebound there, at an instant (Faure) */
    ASH_STEP_CONTROLS
} ash_step_control;

typedef enum ash_sleeping {
    ASH_SLEEP_OFF,
    ASH_SLEEP_VELOCITY, /* a slow body's position is not updated (Gribel 2009) */
    ASH_SLEEP_ISLANDS,  /* bodies in contact fall asleep together when all have been slow for some time */
    ASH_SLEEPINGS
} ash_sleeping;

typedef struct ash_method {
    char name[32]; /* of the preset; "custom" after ash_method_set changed a field */
    ash_integrator integrator;
    uint32_t max_iterations; /* of implicit integrators in a part of a step */
    double tolerance;        /* of implicit integrators, relative */
    ash_contact_mode contacts;
    ash_broad_phase broad_phase;
    double contact_margin; /* gaps up to this are contacts already, m */
    double recycle; /* m; a pair that has moved less than this since its contact was computed keeps it; 0: never. At
                       most 1/250 of the thickness of a shape with flat faces, 1/10 000 of a curved one, and 1/5 of the
                       contact margin */
    bool reduce_manifolds; /* at most 4 points per contact (2 in planar worlds) */
    bool continuous;       /* search for impacts within a step, and hold fast bodies there when contacts are solved */
    ash_scheme scheme;
    uint32_t collision_passes; /* passes: the most collision passes over all pairs; the solver's `iterations` is the
                                  number of contact passes */
    uint32_t shock_rounds;     /* passes: rounds of shock propagation over the layers */
    double shock_weight;       /* propagation: share of the step that is taken first, Erleben's a, 0 to 1 */
    bool hold_all;             /* shock: hold all lower bodies of a layer; else only those at rest */
    bool move_by_stages;       /* propagation: each stage moves bodies by its own velocities; else those of the last
                                  stage move them over the whole step */
    bool hold_gaps; /* propagation: contacts within the margin may not approach (Erleben's envelope); else their gap may
                       close within the step */
    ash_solver_settings solver;
    ash_friction_law friction_law;
    uint32_t friction_directions; /* of the friction pyramid: even, 4 to 32 */
    ash_friction_axes friction_axes;
    ash_friction_bound friction_bound;
    ash_restitution_law restitution_law; /* where steps are cut at impacts; otherwise Newton's applies */
    ash_impact_order impact_order;       /* likewise */
    double resting_speed;                /* slower approaches are inelastic (Gribel 2009 (28)), m/s */
    double stick_speed;                  /* contacts that slip faster start with sliding friction, m/s */
    ash_stabilization stabilization;
    double slop;                    /* overlap that is left alone, m */
    double erp;                     /* Baumgarte: share of the overlap removed in a step, 0 to 1 */
    double joint_erp;               /* ... the same for removed freedoms of joints, and ... */
    double limit_erp;               /* ... for their limits (Gribel 2009, 2.8); negative: as erp */
    double post_erp;                /* projection: share of the overlap removed, 0 to 1 */
    double mixed_depth;             /* mixed: overlap beyond which the projection acts, m */
    uint32_t post_passes;           /* the most projections in a step */
    uint32_t correction_iterations; /* the most iterations of the solver in a projection; 0: as in the step */
    ash_joint_scheme joints;
    ash_joint_solver joint_solver;
    ash_joint_drift joint_drift;     /* accelerations: without projection steps are not divided for joints */
    double drift_alpha, drift_beta;  /* of Baumgarte's stabilization for these, 1/s^2 and 1/s */
    double joint_tolerance;          /* errors of joint positions that may remain, m (and rad) */
    double joint_velocity_tolerance; /* ... and of joint velocities, m/s (and rad/s) */
    uint32_t joint_iterations;       /* the most corrections in a step */
    double joint_budget;             /* iterative, structured: stop after this time, s; 0: never */
    bool cut_loops;    /* impulses: joints that close loops have a system of their own (Bender & Schmitt 2006, 4.6) */
    bool plain_turns;  /* cut_loops: tree and loops are solved in turn without acceleration, joint_iterations times */
    bool plain_rounds; /* impulses: the plain algorithm: steps are neither divided nor taken back for joints, rounds
                          neither mixed nor repaired */
    bool contact_pass; /* impulses: contacts, drives and limits take part in the iterations of the joint correction */
    bool eliminate_joints; /* ... with a first guess from which joints are eliminated */
    ash_step_control step_control;
    uint32_t substeps;    /* equal parts of a step */
    uint32_t max_impacts; /* instants of impact with rebound in a step; after twice as many, impacts are no longer
                             located */
    ash_sleeping sleeping;
    double sleep_speed; /* slower bodies count as still, m/s (of any point of the body, by its radius) */
    double sleep_spin;  /* above 0: sleep_speed applies to the centre and this to the spin, rad/s (Gribel 2009,
                           4.3.1) */
    double sleep_time;  /* s that they must have been still */
    double max_speed;   /* velocities are limited to it at the end of a step, m/s; 0: never */
    double max_spin;    /* the same for spins, rad/s */
} ash_method;

/* The number of presets. */
ASH_API uint32_t ash_method_count(void);
/* The name of the preset with this index; empty: none. */
ASH_API const char *ash_method_name(uint32_t index);
/* One line on the preset with this index; empty: none. */
ASH_API const char *ash_method_summary(uint32_t index);

/* The preset of that name ("realtime" for null). An integrator's name is also accepted: it means realtime with that
 * integrator. For an unknown name the diagnostic suggests the nearest. */
ASH_API ash_status ash_method_find(const char *name, ash_method *method, ash_diagnostic *diagnostic);

/* The number of fields that can be set by name. */
ASH_API uint32_t ash_method_field_count(void);
/* The name of the field with this index; empty: none. */
ASH_API const char *ash_method_field_name(uint32_t index);
/* One line on the field with this index and its values; empty: none. */
ASH_API const char *ash_method_field_summary(uint32_t index);

/* Sets one field from text, such as ("integrator", "rk4"). ASH_NOT_FOUND when there is no such field. */
ASH_API ash_status ash_method_set(ash_method *method, const char *field, const char *value, ash_diagnostic *diagnostic);

/* Writes the field's value as text and returns `text`; null when there is no such field. */
ASH_API const char *ash_method_get(const ash_method *method, const char *field, char *text, size_t size);

/* Writes a description of the method and returns `text`: a preset's name, or the nearest preset and the fields that
 * differ, such as "gribel-2009:iterations=100", in the form that the program's --method takes. "custom" if more than
 * six fields differ from every preset, or if `size` bytes are too few. */
ASH_API const char *ash_method_describe(const ash_method *method, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
