/* One step: from the bodies' state `now` to `next`, by the method's integrator. */
#ifndef ASHI_STEP_STEP_H
#define ASHI_STEP_STEP_H

#include "ashlar/world.h"
#include "contact/collision.h"
#include "model/forces.h"
#include "problem/world_graph.h"
#include "solve/linear/block_factor.h"
#include "solve/solve.h"
#include "step/joints/joint_memory.h"

#include <stdatomic.h>

typedef struct ashi_joint_impulses ashi_joint_impulses;
typedef struct ashi_scheme_class ashi_scheme_class;
typedef struct ashi_lanes ashi_lanes;

#define ASHI_BODY_CHUNK 256 /* bodies in a piece of a parallel loop; fixes the order of sums */

typedef struct ashi_step {
    ashi_model *model;
    ashi_tasks *tasks;
    ashi_arena *scratch;
    ashi_implicit_elements *elements;     /* kept between steps for its memory */
    ashi_block_pattern *implicit_pattern; /* kept likewise: of the matrix of implicit integrators */
    ashi_collision *collision;
    bool detected;                 /* the contacts are those of the present state */
    ashi_system *problem;          /* of the last part of the step */
    ashi_system *position_problem; /* of its stabilization */
    ashi_system *last_problem;     /* of the contacts of the last correction */
    ashi_system *joint_problem;    /* of the joints alone */
    struct ashi_direct *joint_factor;
    uint64_t *judged_joints; /* the revision of joints whose redundancy is known */
    ashi_solver_memory *solvers;
    ashi_interruption *interrupt;
    ashi_lanes *lanes;         /* contacts of the last part that are in lanes and in no problem */
    ashi_contact_graph *graph; /* of the contacts and joints of some moment: ashi_contact_graph_of_world updates it */
    ashi_arena *kept;          /* memory for the whole step; scratch memory is for a part of it */
    ashi_state start;          /* the state at the start, if the step has several parts, and ... */
    ashi_joint_memory *starts; /* ... the joint memory then; null: the step has one part */
    ashi_joint_memory *part_joints;      /* room for the joint memory at the start of a part, in steps of several
                                            parts */
    ashi_joint_impulses *joint_impulses; /* kept between steps */
    struct ashi_kept_momentum *whole;    /* momenta at the start of a part with such joints; null: none */
    ash_method method;
    const ashi_scheme_class *scheme; /* of the method */
    double time, h;                  /* of the present part of the step */
    double length;                   /* of the whole step */
    double divided;                  /* length of the part while it is taken in stages; else 0 */
    double trial, longest;           /* parts: the length to be tried next, and the largest one */
    uint32_t tries;                  /* parts of this step that were taken back because they were too long */
    bool careful;                    /* use the form of the method that adds no energy (parts.c) */
    bool resigned;                   /* ... and parts are no longer judged: joints cannot hold */
    bool cut;                        /* the part is shorter than requested */
    bool failed;                     /* joints do not hold at the end of the part, ... */
    bool joined;                     /* ... but did at its start: a shorter part can hold them */
    bool steady;                     /* the solve is for lasting contacts: their normal impulses are not impacts */
    bool windowed;                   /* impacts within the part are solved in it, all together (impacts.c) */
    bool driven;                     /* joints held by impulses have more than rigid held rows; found once per part */
    const bool *leaves;              /* by contact point of `now`: those that separate and are not held; null: none */
    struct ashi_bend *bends;         /* by contact point of `now`: how rows bend within the part; null: unknown */
    /* results */
    ashi_work work;
    uint32_t evaluations, iterations, flags;
    double residual;
    uint32_t solver_iterations, solve_flags, islands, impacts, parts;
    uint64_t number;               /* of steps taken before */
    ash_yardstick error;           /* the worst of all parts */
    uint32_t sinking;              /* consecutive steps in which it exceeded the speed that gravity adds in a step */
    ash_vec3 creep, mean_creep;    /* of bodies that friction could hold, m/s (passes.c), and over the last steps */
    uint64_t worst_a, worst_b;     /* handles of the shapes with that error, ... */
    uint64_t worst_row;            /* ... or of the joint */
    uint64_t flagged_a, flagged_b; /* handles of the shapes whose contact solver_alarms.c has flagged */
    bool held;                     /* some part had contacts or joints */
    uint32_t joint_corrections, velocity_corrections;
    uint64_t operations; /* approximate multiplications of predictions and joint-by-joint corrections */
    double stage_seconds[ASH_STAGES];
    ash_stage stage;         /* to which time is now attributed, ... */
    double stage_since;      /* ... s, by ashi_seconds */
    atomic_uint worst_slot;  /* the first body whose state is not finite, or ASHI_NO_SLOT */
    atomic_bool unconverged; /* the free motion of a body did not converge (prediction.c) */
} ashi_step;

/* Attributes time to this stage from now on. Returns the previous stage, to be restored: nested stages never count
 * twice, and their sum is the step. */
ash_stage ashi_step_enter(ashi_step *step, ash_stage stage);

/* Takes the step. False, with `now` unchanged, on a flag that forbids it; else the states are exchanged.
 */
bool ashi_step_take(ashi_step *step);

/* Makes only the problem of the step's first part, as the solver would get it: the present state and its contact
 * impulses do not change. False when memory ran out. */
bool ashi_step_foresee(ashi_step *step);

/* One part of length h: free motion, contacts within `reach`, stabilization; from now to next. False when memory ran
 * out. */
bool ashi_step_part(ashi_step *step, double h, double reach);
/* A part of at most *length, which is shortened until it is good: joints hold, their forces are not too stiff for it,
 * and no energy is added. False when memory ran out. */
bool ashi_step_judged_part(ashi_step *step, double *length, double reach);
/* Takes the whole step by the method's step control. False, with `now` unchanged, on a flag that forbids it.
 */
bool ashi_step_take_all(ashi_step *step, double length);
/* Saves the present state in case the step fails, before the first of several parts is committed. False when memory ran
 * out. */
bool ashi_step_keep_start(ashi_step *step);
/* Takes consecutive parts until the whole length is taken. False, with a flag, as ashi_step_commit. */
bool ashi_step_take_parts(ashi_step *step, double length);
/* bounces.c: the same in one part, with impacts at an instant at its start and end. */
bool ashi_step_by_bounces(ashi_step *step, double length);
/* Makes next the present state, and finds its contacts. False, with a flag, when that is impossible: `now` is then
 * unchanged. */
bool ashi_step_commit(ashi_step *step);
/* The whole step, cut at the instants of impacts. False on failure; the caller restores the state. */
bool ashi_step_by_impacts(ashi_step *step, double length);

/* The integrators: each reads now and writes next. False when scratch memory ran out. */
bool ashi_step_integrate(ashi_step *step); /* by the method's */
bool ashi_integrate_explicit_euler(ashi_step *step);
bool ashi_integrate_symplectic_euler(ashi_step *step);
bool ashi_integrate_implicit_euler(ashi_step *step);
bool ashi_integrate_rk4(ashi_step *step);
bool ashi_integrate_implicit_midpoint(ashi_step *step);
bool ashi_integrate_axis_splitting(ashi_step *step);
bool ashi_integrate_sdirk2(ashi_step *step);

/* For the integrators: sums all forces at a state, timed. */
void ashi_step_evaluate(ashi_step *step, const ashi_state *state, double time);
/* Records the work of the forces evaluated last: `duration` times their power on the mean velocities of two states. */
void ashi_step_record_work(ashi_step *step, const ashi_state *evaluated, double time, const ashi_state *from,
                           const ashi_state *to, double duration);
/* A state's arrays in some memory, and in scratch memory. False when it ran out. */
bool ashi_step_state_in(ashi_step *step, ashi_arena *arena, ashi_state *state);
bool ashi_step_scratch_state(ashi_step *step, ashi_state *state);
void ashi_step_copy_state(const ashi_step *step, ashi_state *to, const ashi_state *from);
/* Contacts at the present state. False when memory ran out: contacts are then unchanged. */
bool ashi_step_detect(ashi_step *step);
/* Whether contacts are solved and there are shapes. */
bool ashi_step_solves_contacts(const ashi_step *step);
/* Runs a range over all body slots. */
void ashi_step_for_bodies(ashi_step *step, ashi_range range, void *data);

/* Writes a body's new state and records if it is not finite. */
static inline void ashi_step_store(ashi_step *step, uint32_t i, ash_vec3 position, ash_quat rotation, ash_vec3 velocity,
                                   ash_vec3 spin)
{
    const ashi_state *next = &step->model->bodies.next;
    next->position[i] = position;
    next->rotation[i] = rotation;
    next->velocity[i] = velocity;
    next->spin[i] = spin;
    /* Squares: a state whose energy would overflow also counts as not finite. */
    double sum = v3_norm2(position) + v3_norm2(velocity) + v3_norm2(spin) + q_norm2(rotation);
    if (!(sum - sum == 0)) {
        unsigned worst = atomic_load(&step->worst_slot);
        while (i < worst && !atomic_compare_exchange_weak(&step->worst_slot, &worst, i))
            ;
    }
}

/* A static body does not move; a kinematic one continues with its velocity. Called for every body that is not
 * dynamic. */
static inline void ashi_step_carry(ashi_step *step, uint32_t i)
{
    const ashi_bodies *b = &step->model->bodies;
    ash_vec3 velocity = b->now.velocity[i], spin = b->now.spin[i];
    if (b->motion[i] & ASHI_KINEMATIC)
        ashi_step_store(step, i, v3_add_scaled(b->now.position[i], velocity, step->h),
                        q_unit(q_mul(q_exp(v3_scale(spin, step->h)), b->now.rotation[i])), velocity, spin);
    else
        ashi_step_store(step, i, b->now.position[i], b->now.rotation[i], velocity, spin);
}

/* The acceleration of a dynamic body under the summed force, locks included. */
static inline ash_vec3 ashi_linear_acceleration(const ashi_bodies *b, uint32_t i)
{
    ash_vec3 a = v3_scale(b->force[i], b->inertial[i].inverse_mass);
    return b->motion[i] & ASHI_LINEAR_LOCKS ? ashi_unlocked_velocity(b, i, a) : a;
}

#endif
