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

/* What a body's velocities were before a step, or how they changed in it. */
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
    uint64_t unwritten; /* the revision for which `problem` has not what is in lanes; 0: it has */
    ashi_joint_impulses *joint_impulses;
    ashi_arena *kept;   /* memory for the whole of a step */
    uint64_t revision;  /* grows with all that may change where shapes are or which there are */
    uint64_t detected;  /* the revision of which the contacts are */
    uint64_t refreshed; /* the revision for which queries have refreshed the boxes */
    ashi_contact_graph graph;
    uint64_t graphed, graphed_contacts; /* the revision, and that of the contacts, of which it is */
    uint64_t steps;
    /* Time is base + count * length while the step's length stays the same, so that rounding does not add up. */
    double time, time_base, step_length;
    uint64_t step_count;
    ashi_account account;
    ashi_watch watch;
    uint32_t sinking;               /* steps in a row whose solver left more open than weights gain in a step */
    ashi_spring_bound spring_bound; /* for this world's forces, and: */
    double bound_step;              /* s; 0: not found yet */
    ash_integrator bound_integrator;
    bool finds_accelerations;
    ASHI_ARRAY(ashi_body_motion) motions; /* by slot: velocities before a step, then accelerations in it */
    ash_step_report report;
    ashi_advance *advance; /* of steps by accuracy; null: there were none */
    ash_diagnostic *last;  /* apart, because calls that only read report misuse too */
};

/* The problem of the last part of the last step; where lanes took it, it is written now. */
const ashi_system *ashi_world_problem(const ash_world *world);

/* The slot of a handle; ASHI_NO_SLOT after noting the misuse. `call` names the function, `thing` what it is a handle
 * of.
 */
uint32_t ashi_world_slot(const ash_world *world, const ashi_pool *pool, uint64_t handle, const char *thing,
                         const char *call);
uint32_t ashi_world_body(const ash_world *world, ash_body body, const char *call);
uint32_t ashi_world_force(const ash_world *world, ash_force force, const char *call);
uint32_t ashi_world_joint(const ash_world *world, ash_joint joint, const char *call);
/* The same for bodies in definitions, where null is the background. */
uint32_t ashi_world_end(const ash_world *world, ash_body body, const char *field, ash_diagnostic *diagnostic);

/* Whether a pool takes `count` objects more; otherwise the diagnostic names the limit. */
bool ashi_world_has_room(const ashi_pool *pool, uint32_t count, const char *what, ash_diagnostic *diagnostic);

/* Notes a misuse as the world's last diagnostic and in the log. */
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
/* Notes why the last step was not taken, as the misuse of a call. */
ash_status ashi_world_step_failed(const ash_world *world);
void ashi_advance_destroy(ashi_advance *advance);
/* A step of length h from the present state, not taken yet. */
ashi_step ashi_world_begin_step(ash_world *world, double h);

/* Before a step: the watch has a start, and the bound of springs is that of the step. */
void ashi_world_watch(ash_world *world, double h);
/* After a step was taken: its alarms. */
void ashi_world_judge(ash_world *world, ashi_step *step);
/* Whether a rigid joint is off by more than a small part of what it holds. */
bool ashi_world_joint_is_open(const ash_world *world, const ashi_joint_entry *joint, ash_joint_error error);
/* Where they are worst. */
void ashi_world_locate_alarms(const ash_world *world, const ashi_step *step, ash_step_report *report);

/* Around a step, where accelerations are wanted: notes the velocities (false: no memory), and turns them into
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

/* The same for one body, which is woken with all that it touches; a static one wakes all: it may come to be anywhere.
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
