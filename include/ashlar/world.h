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

/* Creates an empty world; the caller destroys it. Bad data (gravity that is not finite, an invalid method) gives a
 * diagnostic and no world. */
ASH_API ash_status ash_world_create(const ash_world_def *def, ash_world **world, ash_diagnostic *diagnostic);
/* Releases a world and everything made in it. Null is ignored. */
ASH_API void ash_world_destroy(ash_world *world);

/* The flags of a step report: the alarms (docs/alarms.md). */
typedef enum ash_flag {
    ASH_FLAG_NOT_FINITE = 1,    /* a number overflowed or became NaN: the step was not taken */
    ASH_FLAG_NOT_CONVERGED = 2, /* the solver has a tolerance and stopped before reaching it */
    ASH_FLAG_OUT_OF_MEMORY = 4, /* the step was not taken */
    ASH_FLAG_MANY_IMPACTS = 8,  /* more impacts in a step than the method allows: the others did not rebound; or more
                                   than are located: the others were solved together, in windows of time */
    ASH_FLAG_CAPACITY = 16,     /* too many shapes in one place: some pairs were left out (docs/methods.md) */
    ASH_FLAG_ENERGY = 32, /* jointed bodies would have gained energy even in the shortest parts: they were slowed */
    ASH_FLAG_INTEGRATOR_NOT_CONVERGED = 64, /* an implicit integrator stopped before its tolerance */
    ASH_FLAG_ENERGY_MADE = 128,    /* contacts, joints, friction and stabilization added more than a tenth of the energy
                                      in motion */
    ASH_FLAG_ENERGY_DRIFT = 256,   /* the integrator added as much to bodies that move freely */
    ASH_FLAG_SOLVER_FAILED = 512,  /* no solution: the problem is too large, Lemke ended on a ray, or the numbers broke
                                      down (solve_flags); impulses are those of the first guess or of the last good
                                      iterate */
    ASH_FLAG_LAW_IGNORED = 1024,   /* the restitution law or the order of impacts has no effect, since steps are not cut
                                      at impacts */
    ASH_FLAG_SPRING_BOUND = 2048,  /* the step is too long for an explicit spring, damper or penalty contact */
    ASH_FLAG_GROWING = 4096,       /* the world has more than twice the energy that it was given */
    ASH_FLAG_IMPACT_MISSED = 8192, /* a body passed through another; or shapes overlap by more than half the thickness
                                      of the thinner one, or stay overlapped by a tenth of it, or, where steps are cut
                                      at impacts, overlap beyond the slop and still approach */
    ASH_FLAG_JOINT_OPEN = 16384,   /* a rigid joint is open by more than 5 % of the size of its smaller body */
    ASH_FLAG_SOLVER_REPLACED = 32768, /* the solver found no solution (solve_flags say why) and another one was used */
    ASH_FLAG_ENERGY_LOST = 65536, /* joints, or contacts with restitution 1, removed a tenth of the energy in motion */
    ASH_FLAG_ACCURACY_MISSED = 131072, /* the estimated error of positions exceeds the wanted one */
    ASH_FLAG_INTERRUPTED = 262144,     /* the step was abandoned on request (ash_world_set_interrupt) and not taken */
    ASH_FLAG_LOWER_ORDER = 524288      /* contacts with friction reduced the step to order 1, below its integrator's */
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
/* The stage's name in summaries, such as "collide"; empty for an unknown number. */
ASH_API const char *ash_stage_name(ash_stage stage);
/* The alarm's name, such as "energy-made"; empty for an unknown flag. */
ASH_API const char *ash_flag_name(ash_flag flag);
/* What the alarm means: one sentence without a full stop; empty for an unknown flag. */
ASH_API const char *ash_flag_meaning(ash_flag flag);
/* What to do about it: one sentence without a full stop; empty for an unknown flag. */
ASH_API const char *ash_flag_advice(ash_flag flag);

typedef struct ash_step_report {
    uint64_t step;                 /* steps taken so far */
    double time;                   /* s, at the end of the step */
    double h;                      /* s, the step's length */
    uint32_t flags;                /* of ash_flag */
    ash_body worst_body;           /* where a number was not finite; after an energy alarm, the body with most energy */
    uint32_t force_evaluations;    /* of all forces, in this step */
    uint32_t iterations;           /* of implicit integrators, in this step */
    double residual;               /* of the implicit integrator, relative */
    uint32_t parts;                /* of the step, those that were taken back included */
    uint32_t impacts;              /* instants of impact at which the step was cut */
    uint32_t islands;              /* groups of bodies in contact or joined */
    uint32_t sleeping;             /* bodies asleep or, by Gribel's threshold, suspended */
    uint32_t blocks;               /* contact points and joints in the last part's problem; each limit, drive, spring
                                      and friction of a joint counts as one more */
    uint32_t solver_iterations;    /* of the contact solver, in all parts */
    uint32_t solve_flags;          /* of ash_solve_flag, without converged */
    ash_yardstick error;           /* of the solution, the worst of all parts; its worst_block has no meaning here */
    ash_shape worst_a, worst_b;    /* where that error occurs: two shapes in contact, ... */
    ash_joint worst_row;           /* ... or a joint; the others are null */
    ash_force worst_force;         /* the spring for which the step is too long; null: none, or a contact */
    ash_shape flagged_a;           /* of the penalty contact that is too stiff for the step, ... */
    ash_shape flagged_b;           /* ... or whose friction is ignored */
    double energy_made;            /* J: energy beyond what was given, when energies were last measured; and ... */
    double energy_budget;          /* ... J: the energy that could have been in motion by then; alarms judge the ratio
                                      of the two */
    double joint_error;            /* the largest position error of any joint at the end of the step, m, ... */
    double joint_angle;            /* ... and the largest angle error, rad */
    ash_joint worst_joint;         /* the joint with the larger of the two */
    uint32_t joint_rows;           /* of joints in the last part's problem */
    uint32_t joint_corrections;    /* solves that corrected joints' positions in this step, ... */
    uint32_t velocity_corrections; /* ... and their velocities */
    uint64_t operations;           /* approximate number of multiplications in solvers and joint corrections (a visit to
                                      a block counts as 64); counted, not timed, so equal on every machine; 0 for
                                      `passes` */
    uint32_t pairs;                /* of shapes whose boxes overlap and whose filters let them touch */
    uint32_t pair_tests;           /* pairs that were collided; the others kept their contacts */
    uint32_t contacts;             /* contacts found, including those across a gap within the margin */
    uint32_t contact_points;       /* their points */
    double penetration;            /* depth of the deepest of them, m; sensors do not count */
    double stage_seconds[ASH_STAGES];
    double seconds;          /* the whole step */
    uint32_t advance_steps;  /* ash_world_advance: steps that were taken, in pairs, ... */
    uint32_t rejected_steps; /* ... and pairs that were taken back because their error was too large; */
    double shortest_step;    /* s: of the steps that were taken, and ... */
    double longest_step;
    double local_error; /* m: the largest estimated position error of one pair, and ... */
    double total_error; /* ... of all pairs so far: the estimated error of the present state */
} ash_step_report;

/* Advances by h seconds (h > 0). ASH_NUMERICS: the step was not taken; the report's flags say why. */
ASH_API ash_status ash_world_step(ash_world *world, double h);

/* Called often within each step, from any of the world's threads; true abandons the step. It must be quick and must not
 * touch the world. */
typedef bool (*ash_interrupt)(void *user);
/* Lets a program that must stay responsive abandon a step. An abandoned step is not taken: the state does not change,
 * the step returns ASH_NUMERICS, and its report has only ASH_FLAG_INTERRUPTED. There is no bound on how soon it ends;
 * most methods ask after each iteration. Null: steps are never abandoned. */
ASH_API ash_status ash_world_set_interrupt(ash_world *world, ash_interrupt asked, void *user);
/* The installed function, null for none, and the pointer that it receives (`user` may be null). */
ASH_API ash_interrupt ash_world_get_interrupt(const ash_world *world, void **user);

/* The wanted accuracy of positions. */
typedef struct ash_accuracy {
    double error; /* m: allowed error of positions after `span`; rotations count as motion at the radius of gyration */
    double span;  /* s: time over which errors may add up to it; 0: the duration of the call */
} ash_accuracy;
/* Advances by `duration` seconds (> 0) in steps as long as the wanted accuracy allows; the last one ends exactly at
 * `duration`. Each step is taken twice, as a whole and as two halves, whose result is kept. The difference gives the
 * length of the next step and the report's local_error. The halves are taken once more from the state with its
 * estimated error added: this shows how errors grow and gives total_error. Forces applied for one step act for the
 * whole duration; events are those since its start. Callback forces are called in steps that are taken back, too.
 * ASH_NUMERICS: time is that of the last good state. */
ASH_API ash_status ash_world_advance(ash_world *world, double duration, const ash_accuracy *accuracy);
/* Resets the estimated error to zero and forgets the last step length. */
ASH_API ash_status ash_world_reset_accuracy(ash_world *world);
/* The report of the last step or advance, all zero before the first. A step that was not taken also has a report. */
ASH_API ash_step_report ash_world_get_report(const ash_world *world);
/* Writes the place of a flag of the last report, such as `body "crate"` or `joint "hinge"`, and returns `text`; empty
 * when the flag has no place. */
ASH_API const char *ash_world_get_flag_place(const ash_world *world, ash_flag flag, char *text, size_t size);

/* The longest step that the integrator allows for the world's springs and dampers. */
typedef struct ash_step_bound {
    double step;     /* s, of a whole step; infinity: no bound */
    ash_force worst; /* the spring that does most work in the fastest mode; null: none */
} ash_step_bound;
/* At the present state, for steps of about h; slack springs count as taut. Joints and contacts are left out. */
ASH_API ash_status ash_world_find_step_bound(ash_world *world, double h, ash_step_bound *bound);
/* The problem of contacts and joints that a step of h would give its solver, with the last impulses as first guess; if
 * the step is taken in parts, the problem of the first part. The world does not change. `problem` is zeroed or holds an
 * older problem; ash_problem_release releases it. It has no contacts when the method does not solve them. */
ASH_API ash_status ash_world_next_problem(ash_world *world, double h, ash_problem *problem);

/* The time of the present state, s; 0 at creation. */
ASH_API double ash_world_get_time(const ash_world *world);
/* The acceleration of gravity, m/s2. */
ASH_API ash_vec3 ash_world_get_gravity(const ash_world *world);
/* Changes it from the next step on, m/s2; sleeping bodies wake. In planar worlds its z component is ignored. */
ASH_API ash_status ash_world_set_gravity(ash_world *world, ash_vec3 gravity);
/* Whether bodies move only in the xy plane. */
ASH_API bool ash_world_is_planar(const ash_world *world);
/* The method of the next step. */
ASH_API ash_method ash_world_get_method(const ash_world *world);
/* Changes the method from the next step on. An invalid method is refused and changes nothing. */
ASH_API ash_status ash_world_set_method(ash_world *world, const ash_method *method);
/* The number of threads, the caller's or the host's workers included. */
ASH_API uint32_t ash_world_get_threads(const ash_world *world);
/* Changes it, 1 to ASH_MAX_THREADS; misuse if the host supplies the threads. */
ASH_API ash_status ash_world_set_threads(ash_world *world, uint32_t threads);

/* Copies the problem that the last part of the last step solved, with its solution, into `problem`, which is zeroed or
 * holds an older problem; the caller releases it. It is empty when no contact was near and no joint acted, and when the
 * world was changed since the step, unless it was copied before. Contacts are those at the start of the part, even
 * where a method follows them as bodies turn. */
ASH_API ash_status ash_world_get_problem(const ash_world *world, ash_problem *problem);

/* Bytes that the parts of a world hold now, spare capacity included. ash_memory_used gives the sum over all worlds and
 * includes what is left out here: geometries, materials, forces and joints. */
typedef struct ash_memory_parts {
    uint64_t bodies;      /* and their shapes */
    uint64_t broad_phase; /* boxes, their tree, pairs of boxes */
    uint64_t contacts;    /* pairs of shapes, contacts and points, now and before the step; events */
    uint64_t problem;     /* bodies, blocks and rows of the last step's problem */
    uint64_t solver;      /* its working memory, of all threads */
    uint64_t scratch;     /* working memory of the other stages */
} ash_memory_parts;
/* The memory of the world, part by part. */
ASH_API ash_memory_parts ash_world_get_memory(const ash_world *world);

/* Where the energy is and where it went since the world was created or the ledger was reset, J. Potential energy of
 * gravity is zero at the origin. total - initial = the works + the numerical remainder. Works are positive when they
 * add energy. */
typedef struct ash_ledger {
    double kinetic, gravity, springs; /* stored, now; springs of joints and their compliance included */
    double total;                     /* their sum */
    double initial;                   /* the sum at the start */
    double dampers;                   /* work of dampers of springs and joints, and of body damping */
    double drag;
    double loads;         /* constant and time-dependent loads, pulls, applied forces, kinematic drive */
    double callbacks;     /* the host's forces */
    double impacts;       /* work along contact normals: lost in impacts, added by Baumgarte's bias */
    double friction;      /* of contacts and in joints */
    double motors;        /* drives, servos and hydraulics of joints */
    double joints;        /* work of removed freedoms and limits: 0 when they are held exactly; added by Baumgarte's
                             bias */
    double stabilization; /* potential energy changed by the projection of positions; the slowing of bodies that turn
                             under tension; the second-order error of holding contacts that roll and slide */
    double sleep;         /* kinetic energy of bodies that fell asleep */
    double external;      /* added by calls: set_velocity, impulses, creation, removal ... */
    double remainder;     /* the rest: the error of the integration */
} ash_ledger;
/* The ledger at the present state. */
ASH_API ash_ledger ash_world_get_ledger(const ash_world *world);
/* Starts a new ledger: the present energy becomes the initial one, and all works become zero. */
ASH_API ash_status ash_world_reset_ledger(ash_world *world);

/* The momentum of all dynamic bodies, world axes, kg m/s. */
ASH_API ash_vec3 ash_world_get_momentum(const ash_world *world);
/* Their angular momentum about the world's origin, world axes, kg m2/s. */
ASH_API ash_vec3 ash_world_get_angular_momentum(const ash_world *world);

/* A hash of time and the state of all bodies: equal bits give equal hashes. */
ASH_API uint64_t ash_world_get_hash(const ash_world *world);

/* Saves the complete world into one block, which the caller releases with ash_free. The block holds no pointers: it can
 * be stored in a file and restored into any world. */
ASH_API ash_status ash_world_save(const ash_world *world, void **bytes, size_t *size, ash_diagnostic *diagnostic);

/* Turns `world` into the saved one, handles included; it then continues bit for bit. Handles that were valid in the
 * saved world are valid in `world` afterwards, even if the saved world was another one or belonged to another program;
 * handles that `world` gave before no longer belong to it. Damaged, truncated or foreign bytes, and numbers that no
 * definition could have, give a diagnostic and leave the world unchanged. User data and callbacks are not in the block:
 * they are taken from the objects of `world` that had the same handle (apart from the world's number) before the call;
 * a saved callback force without such an object gives a diagnostic. */
ASH_API ash_status ash_world_restore(ash_world *world, const void *bytes, size_t size, ash_diagnostic *diagnostic);

/* The last misuse or failure that a call on this world reported; status ASH_OK when there was none. */
ASH_API ash_diagnostic ash_world_get_last_diagnostic(const ash_world *world);
/* Clears it: ash_world_get_last_diagnostic then has status ASH_OK. */
ASH_API void ash_world_clear_diagnostic(ash_world *world);

#ifdef __cplusplus
}
#endif

#endif
