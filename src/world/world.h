/* The world's insides, for the files behind the public interface. */
#ifndef ASHI_WORLD_WORLD_H
#define ASHI_WORLD_WORLD_H

#include "ashlar/world.h"
#include "base/diagnostic.h"
#include "measure/spring_bound.h"
#include "measure/watch.h"
#include "step/joints/closure.h"
#include "step/joints/joint_impulses.h"
#include "step/sleep.h"

typedef struct ashi_advance ashi_advance; /* advance.c */

/* A body's velocities before a step, or their change in it. */
typedef struct ashi_body_motion {
    uint64_t handle; /* of the body */
    ash_acceleration value;
} ashi_body_motion;

struct ash_world {
    ashi_model model;
    ash_method method;
    ashi_tasks *tasks;
    bool host_jobs; /* the threads are the host's */
    ashi_arena *scratch;
    ashi_implicit_elements elements;
    ashi_block_pattern implicit_pattern;
    ashi_collision collision;
    ashi_system problem, position_problem; /* of the last part of the last step */
    ashi_system last_problem;              /* of its last correction */
    ashi_system joint_problem;             /* of the joints alone */
    ashi_direct *joint_factor;
    uint64_t judged_joints; /* revision of the joints whose redundancy is known */
    ashi_solver_memory *solvers;
    ashi_interruption interrupt;
    ashi_lanes *lanes;
    uint64_t unwritten; /* the revision for which `problem` lacks the contacts in lanes; 0: it has them */
    ashi_joint_impulses *joint_impulses;
    ashi_arena *kept;   /* memory for the whole of a step */
    uint64_t revision;  /* increases with every change of the poses or the set of shapes */
    uint64_t detected;  /* the revision of the contacts */
    uint64_t refreshed; /* the revision for which queries have refreshed the boxes */
    ashi_contact_graph graph;
    uint64_t graphed, graphed_contacts; /* the revision of the graph, and that of its contacts */
    uint64_t steps;
    /* Time is base + count * length while the step's length stays the same, so that rounding does not add up. */
    double time, time_base, step_length;
    uint64_t step_count;
    ashi_account account;
    ashi_watch watch;
    uint32_t sinking;               /* consecutive steps whose solver left larger errors than gravity adds in a step */
    ash_vec3 mean_creep;            /* m/s, over the last steps: solver_alarms.c */
    ashi_spring_bound spring_bound; /* for this world's forces, and: */
    double bound_step;              /* s; 0: not found yet */
    ash_integrator bound_integrator;
    bool finds_accelerations;
    ASHI_ARRAY(ashi_body_motion) motions; /* by slot: velocities before a step, then accelerations in it */
    ash_step_report report;
    ashi_advance *advance; /* data of steps by accuracy; null: there were none */
    ash_diagnostic *last;  /* allocated separately, because calls that only read also report misuse */
};

/* The problem of the last part of the last step; contacts solved in lanes are added by this call. */
const ashi_system *ashi_world_problem(const ash_world *world);

/* The slot of a handle; ASHI_NO_SLOT after reporting the misuse. `call` names the function, `thing` the kind of object.
 */
uint32_t ashi_world_slot(const ash_world *world, const ashi_pool *pool, uint64_t handle, const char *thing,
                         const char *call);
uint32_t ashi_world_body(const ash_world *world, ash_body body, const char *call);
uint32_t ashi_world_force(const ash_world *world, ash_force force, const char *call);
uint32_t ashi_world_joint(const ash_world *world, ash_joint joint, const char *call);
/* The same for bodies in definitions, where null is the background. */
uint32_t ashi_world_end(const ash_world *world, ash_body body, const char *field, ash_diagnostic *diagnostic);

/* Whether a pool has room for `count` more objects; otherwise the diagnostic names the limit. */
bool ashi_world_has_room(const ashi_pool *pool, uint32_t count, const char *what, ash_diagnostic *diagnostic);

/* Reports a misuse as the world's last diagnostic and in the log. */
ash_status ashi_world_misuse(const ash_world *world, ash_status status, const char *code, const char *format, ...)
    ASHI_PRINTF(4, 5);
/* Keeps a diagnostic that a call gives to its caller as the world's last one, and returns its status. */
ash_status ashi_world_note(const ash_world *world, const ash_diagnostic *diagnostic);

/* The pose of a shape (by slot) in the world at the present state. */
static inline ash_transform ashi_world_shape_pose(const ash_world *world, uint32_t slot)
{
    const ashi_bodies *bodies = &world->model.bodies;
    const ashi_shape_entry *shape = &world->model.shapes.entries.data[slot];
    return t_mul(ashi_body_frame(bodies, &bodies->now, shape->body), shape->pose);
}

/* Takes a step and fills the report. False when it was not taken; its flags say why. */
bool ashi_world_take_step(ash_world *world, double h);
/* Reports why the last step was not taken, as the misuse of a call. */
ash_status ashi_world_step_failed(const ash_world *world);
void ashi_advance_destroy(ashi_advance *advance);
/* A step of length h from the present state, not taken yet. */
ashi_step ashi_world_begin_step(ash_world *world, double h);

/* Before a step: starts the watch if necessary, and updates the bound of springs for this step. */
void ashi_world_watch(ash_world *world, double h);
/* After a step was taken: raises its alarms. */
void ashi_world_judge(ash_world *world, ashi_step *step);
/* Whether a rigid joint is open by more than a small share of its bodies' size. */
bool ashi_world_joint_is_open(const ash_world *world, const ashi_joint_entry *joint, ash_joint_error error);
/* Finds where alarms are worst. */
void ashi_world_locate_alarms(const ash_world *world, const ashi_step *step, ash_step_report *report);

/* Before and after a step, if accelerations are wanted: store the velocities (false: no memory), and turn them into
 * accelerations. */
bool ashi_world_note_velocities(ash_world *world);
void ashi_world_find_accelerations(ash_world *world, double h);

/* Writes, for each body in the order of slots, the sum of the contact forces on it, or with `moments` of their moments
 * about its centre: three numbers each. False when memory ran out. */
bool ashi_world_sum_contacts(const ash_world *world, bool moments, double *values);

/* To be called before anything is changed by the user. */
static inline void ashi_world_note_change(ash_world *world)
{
    world->revision++;
    ashi_account_note_change(&world->account, &world->model);
}

/* The same for one body, which is woken with all bodies that it touches; a static body wakes all, since it may be moved
 * anywhere.
 */
static inline void ashi_world_disturb(ash_world *world, uint32_t slot)
{
    ashi_world_note_change(world);
    if (world->model.bodies.info[slot].type == ASH_BODY_STATIC)
        ashi_sleep_wake_all(&world->model.bodies);
    else
        ashi_sleep_disturb(&world->collision, &world->model, slot);
}

/* The same for both bodies of a joint that changes. */
void ashi_world_disturb_joint(ash_world *world, const ashi_joint_entry *joint);

#endif
