/* The world: it owns everything made in it, steps it, and reports on itself.
 *
 * A world is used from one thread at a time; different worlds are independent. */
#ifndef ASHLAR_WORLD_H
#define ASHLAR_WORLD_H

#include "ashlar/base.h"
#include "ashlar/body.h"
#include "ashlar/force.h"
#include "ashlar/material.h"
#include "ashlar/method.h"
#include "ashlar/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ash_world_def {
    ash_vec3 gravity; /* m/s2 */
    bool planar;      /* bodies move in the xy plane and turn about z only */
    ash_method method;
    uint32_t threads;     /* 1 to ASH_MAX_THREADS, with the caller's; results do not depend on it */
    const ash_jobs *jobs; /* the host's own threads instead; copied */
} ash_world_def;

/* Gravity 9.81 along -z, method realtime, one thread. */
ASH_API ash_world_def ash_default_world_def(void);

/* Makes an empty world, which the caller destroys. Bad data (gravity that is not finite, an invalid method) gives a
 * diagnostic and no world. */
ASH_API ash_status ash_world_create(const ash_world_def *def, ash_world **world, ash_diagnostic *diagnostic);
/* Releases a world and everything made in it. Null is ignored. */
ASH_API void ash_world_destroy(ash_world *world);

/* What is flagged in a step report: the alarms (docs/alarms.md). */
typedef enum ash_flag {
    ASH_FLAG_NOT_FINITE = 1,    /* a number overflowed or became NaN: the step was not taken */
    ASH_FLAG_NOT_CONVERGED = 2, /* the solver of contacts and joints, with a tolerance, stopped before reaching it */
    ASH_FLAG_OUT_OF_MEMORY = 4, /* the step was not taken */
    ASH_FLAG_MANY_IMPACTS = 8,  /* more impacts in a step than the method allows: the others did not rebound, or
                                      than are located: they were settled together, in windows */
    ASH_FLAG_CAPACITY = 16,     /* too many shapes in one place: some pairs were left out (docs/methods.md) */
    ASH_FLAG_ENERGY = 32, /* jointed bodies would have gained energy in the shortest parts, too: they were slowed */
    ASH_FLAG_INTEGRATOR_NOT_CONVERGED = 64, /* an implicit integrator stopped before its tolerance */
    ASH_FLAG_ENERGY_MADE = 128,    /* contacts, joints, friction and stabilization gave energy: more than a tenth of
                                      what moves */
    ASH_FLAG_ENERGY_DRIFT = 256,   /* the same by the integrator, of bodies that move freely */
    ASH_FLAG_SOLVER_FAILED = 512,  /* no solution: too large, a ray, or numbers that broke down (solve_flags); impulses
                                      are those of the first guess or of the last good iterate */
    ASH_FLAG_LAW_IGNORED = 1024,   /* a restitution law or an order of impacts where steps are not cut at
                                      impacts */
    ASH_FLAG_SPRING_BOUND = 2048,  /* the step is beyond what an explicit spring, damper or penalty contact can take */
    ASH_FLAG_GROWING = 4096,       /* there is more than twice the energy that the world was given */
    ASH_FLAG_IMPACT_MISSED = 8192, /* a body passed through another; or shapes overlap by more than half of the thinner
                                      one, stay in each other by a tenth, or, where steps are cut at impacts, overlap
                                      beyond the slop and still approach */
    ASH_FLAG_JOINT_OPEN = 16384,   /* a rigid joint is open by more than 5 % of the size of its smaller body */
    ASH_FLAG_SOLVER_REPLACED =
        32768,                    /* the solver found no solution (solve_flags say why), another solved its problem */
    ASH_FLAG_ENERGY_LOST = 65536, /* joints, or contacts that give all back, took a tenth of what moves */
    ASH_FLAG_ACCURACY_MISSED = 131072, /* the estimated error of positions is larger than what is wanted */
    ASH_FLAG_INTERRUPTED = 262144,     /* the step was given up on request (ash_world_set_interrupt): not taken */
    ASH_FLAG_LOWER_ORDER = 524288      /* contacts with friction: the step is of order 1, not of its scheme's */
} ash_flag;
#define ASH_FLAG_LAST ASH_FLAG_LOWER_ORDER

/* The stages of a step that are timed. */
typedef enum ash_stage {
    ASH_STAGE_FORCES,
    ASH_STAGE_SOLVE,
    ASH_STAGE_INTEGRATE,
    ASH_STAGE_COLLIDE,
    ASH_STAGE_MEASURE,
    ASH_STAGES
} ash_stage;
/* The stage's name in summaries, such as "collide"; empty for a number that is none. */
ASH_API const char *ash_stage_name(ash_stage stage);
/* The alarm's name, such as "energy-made"; empty for a number that is no flag. */
ASH_API const char *ash_flag_name(ash_flag flag);
/* What the alarm says, one sentence without a full stop; empty for a number that is no flag. */
ASH_API const char *ash_flag_meaning(ash_flag flag);
/* What to do about it, one sentence without a full stop; empty for a number that is no flag. */
ASH_API const char *ash_flag_advice(ash_flag flag);

typedef struct ash_step_report {
    uint64_t step;                 /* steps taken so far */
    double time;                   /* s, at the end of the step */
    double h;                      /* s, the step's length */
    uint32_t flags;                /* of ash_flag */
    ash_body worst_body;           /* where a number was not finite, or most of the energy is when some was made */
    uint32_t force_evaluations;    /* of all forces, in this step */
    uint32_t iterations;           /* of implicit integrators, in this step */
    double residual;               /* of the implicit integrator, relative */
    uint32_t parts;                /* of the step that were taken, those taken back included */
    uint32_t impacts;              /* instants of impact that the step was cut at */
    uint32_t islands;              /* of bodies in contact or joined */
    uint32_t sleeping;             /* bodies asleep or, by Gribel's threshold, suspended */
    uint32_t blocks;               /* contact points and joints in the last part's problem; limits, drives, springs and
                                      frictions of joints count by themselves */
    uint32_t solver_iterations;    /* of the contact solver, in all parts */
    uint32_t solve_flags;          /* of ash_solve_flag but converged */
    ash_yardstick error;           /* of the solution: the worst of all parts; its block is useless here */
    ash_shape worst_a, worst_b;    /* where that error is: two shapes in contact, ... */
    ash_joint worst_row;           /* ... or a joint; the others are null */
    ash_force worst_force;         /* the spring that the step is too long for; null: none, or a contact */
    ash_shape flagged_a;           /* of the contact that is too stiff for the step by penalty, ... */
    ash_shape flagged_b;           /* ... or whose friction is ignored */
    double energy_made;            /* J beyond what was given, when energies were last measured; and ... */
    double energy_budget;          /* ... J that could have moved by then: the share of it is what counts */
    double joint_error;            /* the largest of any joint at the end of the step, m, ... */
    double joint_angle;            /* ... and rad */
    ash_joint worst_joint;         /* where the larger of the two is */
    uint32_t joint_rows;           /* of joints in the last part's problem */
    uint32_t joint_corrections;    /* solves for joints' positions in this step, ... */
    uint32_t velocity_corrections; /* ... and for their velocities */
    uint64_t operations;           /* multiplications of solvers and of joints' corrections, about (a visit of a block
                                      counts 64): counted, not timed, the same on every machine; `passes` has none */
    uint32_t pairs;                /* of shapes whose boxes overlap and that may meet */
    uint32_t pair_tests;           /* pairs that were collided; the others kept their contacts */
    uint32_t contacts;             /* contacts found, those across a gap within the margin included */
    uint32_t contact_points;       /* their points */
    double penetration;            /* the deepest of them, m; sensors do not count */
    double stage_seconds[ASH_STAGES];
    double seconds;          /* the whole step */
    uint32_t advance_steps;  /* ash_world_advance: steps that it is made of, in pairs, ... */
    uint32_t rejected_steps; /* ... and pairs that were taken back, because their error was too large; */
    double shortest_step;    /* s: of those that were taken, and ... */
    double longest_step;
    double local_error; /* m: the largest error of positions that a pair has made, as estimated, and ... */
    double total_error; /* ... what all together have come to so far: what it says of this state */
} ash_step_report;

/* Advances by h seconds (h > 0). ASH_NUMERICS: the step was not taken, the report's flags say why. */
ASH_API ash_status ash_world_step(ash_world *world, double h);

/* Asked often within each step, from any of the world's threads: true gives the step up. It must be quick, and may not
 * touch the world. */
typedef bool (*ash_interrupt)(void *user);
/* For programs that must go on: from now on steps can be given up. One that was is not taken: the state stays, the step
 * answers ASH_NUMERICS, and its report has ASH_FLAG_INTERRUPTED alone. How soon it ends is not promised; most methods
 * ask after each iteration. Null: steps are never given up. */
ASH_API ash_status ash_world_set_interrupt(ash_world *world, ash_interrupt asked, void *user);
/* What is asked, null for nothing, and what is handed to it (`user` may be null). */
ASH_API ash_interrupt ash_world_get_interrupt(const ash_world *world, void **user);

/* How exact positions are to be. */
typedef struct ash_accuracy {
    double error; /* m: that positions may have after `span`; rotations count at a body's radius of gyration */
    double span;  /* s: time over which errors may add up to it; 0: the duration of the call */
} ash_accuracy;
/* Advances by `duration` seconds (> 0) in steps of the lengths that the wanted accuracy needs; the last one ends
 * exactly there. Each step is taken twice, as a whole and in halves, which remain; from their difference follow the
 * length of the next and the report's local_error. The halves are taken once more from the state with its estimated
 * error: that says how errors grow, total_error. What calls apply for one step acts for all of the duration; events
 * are those since its start. Callback forces are called in steps that are taken back, too. ASH_NUMERICS: time is that
 * of the last good state. */
ASH_API ash_status ash_world_advance(ash_world *world, double duration, const ash_accuracy *accuracy);
/* The estimated error begins at zero again, and nothing is known of lengths of steps. */
ASH_API ash_status ash_world_reset_accuracy(ash_world *world);
/* The report of the last step or advance, all zero before the first. One that was not taken has one, too. */
ASH_API ash_step_report ash_world_get_report(const ash_world *world);
/* Writes where a flag of the last report is worst, such as `body "crate"` or `joint "hinge"`, and returns `text`; empty
 * when it has no place. */
ASH_API const char *ash_world_get_flag_place(const ash_world *world, ash_flag flag, char *text, size_t size);

/* The longest step that the world's explicit springs and dampers allow by its integrator. */
typedef struct ash_step_bound {
    double step;     /* s, of a whole step; infinite: there is none */
    ash_force worst; /* the one that works most in the fastest mode; null: none */
} ash_step_bound;
/* At the present state, for steps of about h; slack springs count as taut. Joints and contacts are left out. */
ASH_API ash_status ash_world_find_step_bound(ash_world *world, double h, ash_step_bound *bound);
/* The problem of contacts and joints that a step of h would give to its solver, with the last impulses as first guess;
 * of a step in parts, that of the first. The world stays as it is. `problem` is zeroed or holds an older one; released
 * by ash_problem_release. Without contacts when the method does not solve them. */
ASH_API ash_status ash_world_next_problem(ash_world *world, double h, ash_problem *problem);

/* The time of the present state, s; 0 at creation. */
ASH_API double ash_world_get_time(const ash_world *world);
/* The acceleration of gravity, m/s2. */
ASH_API ash_vec3 ash_world_get_gravity(const ash_world *world);
/* Changes it from the next step on, m/s2; sleeping bodies wake. Planar worlds have none along z. */
ASH_API ash_status ash_world_set_gravity(ash_world *world, ash_vec3 gravity);
/* Whether bodies move in the xy plane only. */
ASH_API bool ash_world_is_planar(const ash_world *world);
/* The method that steps are taken by. */
ASH_API ash_method ash_world_get_method(const ash_world *world);
/* Changes the method from the next step on. One that is not valid is refused and changes nothing. */
ASH_API ash_status ash_world_set_method(ash_world *world, const ash_method *method);
/* The number of threads, the caller's or the host's workers included. */
ASH_API uint32_t ash_world_get_threads(const ash_world *world);
/* Changes it, 1 to ASH_MAX_THREADS; misuse where the threads are the host's. */
ASH_API ash_status ash_world_set_threads(ash_world *world, uint32_t threads);

/* Copies the problem that the last part of the last step solved, with its solution, over what `problem` holds, which is
 * zeroed or an older problem, and the caller's to release. It is empty when no contact was near and no joint acted.
 * It is empty, too, when the world was changed
 * since the step, unless it was copied before. Contacts are those of the part's start, even where a method follows them
 * as bodies turn. */
ASH_API ash_status ash_world_get_problem(const ash_world *world, ash_problem *problem);

/* Bytes that the world's parts hold at this moment, room to spare included. ash_memory_used has the sum over all
 * worlds, including what is left out here: geometries, materials, forces and joints. */
typedef struct ash_memory_parts {
    uint64_t bodies;      /* and the shapes on them */
    uint64_t broad_phase; /* boxes, their tree, pairs of boxes */
    uint64_t contacts;    /* pairs of shapes, contacts and points, now and before the step; events */
    uint64_t problem;     /* bodies, blocks and rows of the last step's problem */
    uint64_t solver;      /* its work memory, of all threads */
    uint64_t scratch;     /* work memory of the other stages */
} ash_memory_parts;
/* What the world holds now, part by part. */
ASH_API ash_memory_parts ash_world_get_memory(const ash_world *world);

/* Where the energy is and where it went since the world began or the ledger was reset, J. Potential energy of gravity
 * is zero at the origin. total - initial = the works + the numerical remainder. Works are positive when they add
 * energy. */
typedef struct ash_ledger {
    double kinetic, gravity, springs; /* stored, now; springs of joints and their compliance included */
    double total;                     /* their sum */
    double initial;                   /* the sum at the start */
    double dampers;                   /* work of dampers of springs and joints, and of body damping */
    double drag;
    double loads;         /* constant and time-dependent loads, pulls, applied forces, kinematic drive */
    double callbacks;     /* the host's forces */
    double impacts;       /* along the normals of contacts: what impacts lose, and what Baumgarte's bias adds */
    double friction;      /* of contacts and in joints */
    double motors;        /* drives, servos and hydraulics of joints */
    double joints;        /* what joints remove, and limits: 0 when they are held exactly; what Baumgarte's bias adds */
    double stabilization; /* potential energy, by the projection of positions; the slowing of bodies that turn under
                             tension; what holding contacts that roll and slide adds, an error of second order */
    double sleep;         /* kinetic energy of bodies that fell asleep */
    double external;      /* what calls such as set_velocity, impulses, creation and removal added */
    double remainder;     /* what is left: the error of the integration */
} ash_ledger;
/* The ledger at the present state. */
ASH_API ash_ledger ash_world_get_ledger(const ash_world *world);
/* Begins again: the present energy becomes the initial one, and all works are zero. */
ASH_API ash_status ash_world_reset_ledger(ash_world *world);

/* The momentum of all dynamic bodies, world axes, kg m/s. */
ASH_API ash_vec3 ash_world_get_momentum(const ash_world *world);
/* Their angular momentum about the world's origin, world axes, kg m2/s. */
ASH_API ash_vec3 ash_world_get_angular_momentum(const ash_world *world);

/* A hash of time and the state of all bodies: equal bits give equal hashes. */
ASH_API uint64_t ash_world_get_hash(const ash_world *world);

/* Saves all that a world is made of into one block, which the caller releases with ash_free. It holds no pointers: it
 * can be kept in a file and restored into any world. */
ASH_API ash_status ash_world_save(const ash_world *world, void **bytes, size_t *size, ash_diagnostic *diagnostic);

/* Turns `world` into the saved one, handles included; it then continues bit for bit. The handles that were valid in the
 * saved world are those that are valid in `world` afterwards, also when the saved world is another one or belonged to
 * another program; earlier handles of `world` are then those of another world. Damaged, truncated or foreign bytes,
 * and numbers that no definition could have, are a diagnostic and leave the world as it was. User data and callbacks
 * are not in the block: they are taken from what has the same handle, apart from the world's number, in `world` before
 * the call; a saved callback force that `world` does not have is a diagnostic. */
ASH_API ash_status ash_world_restore(ash_world *world, const void *bytes, size_t size, ash_diagnostic *diagnostic);

/* The last misuse or failure that a call on this world reported; status ASH_OK when there was none. */
ASH_API ash_diagnostic ash_world_get_last_diagnostic(const ash_world *world);
/* Forgets it: ash_world_get_last_diagnostic then answers ASH_OK. */
ASH_API void ash_world_clear_diagnostic(ash_world *world);

#ifdef __cplusplus
}
#endif

#endif
