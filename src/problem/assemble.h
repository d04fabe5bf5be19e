/* Assembly: from contacts and bodies to the problem of a step. */
#ifndef ASHI_PROBLEM_ASSEMBLE_H
#define ASHI_PROBLEM_ASSEMBLE_H

#include "ashlar/method.h"
#include "collide/contact_set.h"
#include "model/forces.h"
#include "problem/system.h"

typedef struct ashi_assembly {
    const ashi_model *model;
    const ashi_contact_set *contacts; /* at the start */
    const ash_method *method;
    const ashi_state *start;     /* positions and velocities before the step */
    const ashi_state *predicted; /* velocities with all forces except those of contacts */
    double h;                    /* s; 0: an impact at an instant, without gaps, stabilization and forces */
    double reach;                /* contacts with a larger gap are left out, m */
    double time;                 /* s, of the start */
    double whole;                /* s, of the step that h is a stage of: errors go within it, not within h; 0: h */
    bool narrow;                 /* without instructions for four doubles, even if the machine has them: for tests */
    bool open;                   /* the caller decides which contacts close: each has the rebound of one that does */
    const bool *leaves;          /* by contact point: it is left out; null: none is */
    bool by_points;              /* the solver takes contacts as they are: they are not written out in blocks */
    bool windowed;               /* impacts are settled within the part, and an instant ends it */
    bool within_slop;            /* gaps up to the slop count as closed, and contacts close within `whole`: stages by
                                    whose velocities bodies move over all of the step. With its own length, the first
                                    stage would leave impacts to the second, whose held bodies take no momentum */
    bool joined;                 /* free motion holds the joints: held rows keep the rate that it gave them */
    bool no_projection;          /* of positions, whatever the method says: limits are corrected by velocity */
} ashi_assembly;

static inline double ashi_assembly_whole(const ashi_assembly *in)
{
    return in->whole > in->h ? in->whole : in->h;
}

/* Makes the problem: blocks for joints that act, contacts that are not a sensor's (when the method solves contacts) in
 * the order of the contact set, islands in order. A body's label is its handle, a point's its number in the contact
 * set, a joint's as below. False when memory ran out. */
bool ashi_assemble(const ashi_assembly *assembly, ashi_arena *scratch, ashi_system *problem);

/* A contact point's force and torque. */
typedef struct ashi_point_load {
    ash_vec3 force, torque;
} ashi_point_load;
/* The previous forces of contact points, in scratch memory. */
typedef struct ashi_replaced_forces {
    ashi_point_load *before; /* by point */
    bool *replaced;          /* by point; others are unchanged */
} ashi_replaced_forces;
/* Points that are in no problem: their forces are written elsewhere; `store` records each. Null: none. */
typedef struct ashi_other_forces {
    uint32_t count; /* of points; 0: there are none */
    void (*store)(const ashi_replaced_forces *replaced, ashi_point_record *points, void *data);
    void *data;
} ashi_other_forces;
/* Writes the mean forces of a solved problem (h > 0) to the contact points, where the next problem finds them. Sleeping
 * pairs keep their forces. `impulses` and `turns` replace the problem's own, by number of points and of turns; null:
 * its own. Null when memory ran out: nothing has changed then. */
const ashi_replaced_forces *ashi_store_forces(const ashi_system *problem, const ash_vec3 *impulses,
                                              const ash_vec3 *turns, const ashi_model *model,
                                              const ashi_contact_set *contacts, const ashi_other_forces *others,
                                              ashi_arena *scratch);
/* Undoes ashi_store_forces in the same set of contacts. */
void ashi_restore_forces(const ashi_replaced_forces *replaced, const ashi_contact_set *contacts);

/* A joint's blocks are labelled by its slot and the key of their first row; keys of a block's rows follow each other.
 */
static inline uint32_t ashi_block_joint(const ashi_block *block)
{
    return block->label / 32;
}
static inline uint32_t ashi_block_key(const ashi_block *block)
{
    return block->label % 32;
}

/* The same for joints: first the forces of all acting joints are set to zero, then each solved problem adds its
 * impulses over `time`, the length of the whole step. `start` is the state whose Jacobians the problem has. */
void ashi_forget_joint_forces(ashi_model *model);
void ashi_add_joint_forces(const ashi_system *problem, ashi_model *model, const ashi_state *start, double time);
/* The point about which a joint's reaction torque is taken, relative to the centre of b at a state. */
static inline ash_vec3 ashi_joint_reaction_arm(const ashi_model *model, const ashi_joint_entry *joint,
                                               const ashi_state *start)
{
    ash_vec3 arm = q_rotate(start->rotation[joint->body_b], joint->arm_b);
    return model->bodies.planar ? v3(arm.x, arm.y, 0) : arm;
}
/* Adds a row's force on b to the joint's reaction: for held rows and limits. */
static inline void ashi_add_joint_force(ashi_joint_entry *joint, uint32_t key, ash_vec3 arm, ash_vec3 linear_b,
                                        ash_vec3 angular_b, double force)
{
    joint->force[key] += force;
    if (key >= ASHI_DRIVE_KEY && key != ASHI_CONE_KEY)
        return;
    ash_vec3 along = v3_scale(linear_b, force);
    joint->reaction_force = v3_add(joint->reaction_force, along);
    joint->reaction_torque = v3_add(joint->reaction_torque, v3_sub(v3_scale(angular_b, force), v3_cross(arm, along)));
}

/* The problem of the joints alone at a state: a block of the held rows (no drives, no limits) of each joint that acts,
 * `error` being that of positions, `bias` minus the wanted speed, `softness` the compliance (m/N: divide by h squared
 * for a step); bodies have the velocities of the state. Islands in order. False when memory ran out. */
bool ashi_assemble_joints(const ashi_model *model, const ashi_state *state, double time, ashi_arena *scratch,
                          ashi_system *problem);
/* The same problem at another state, in place: its bodies, without their velocities, and one of its blocks. The same
 * joints must act between the same bodies, with unchanged masses and locks. False when the joint now has other rows. */
void ashi_reassemble_bodies(const ashi_model *model, const ashi_state *state, ashi_system *problem);
bool ashi_reassemble_joint(const ashi_model *model, const ashi_state *state, double time, const ashi_block *block,
                           ashi_row *rows);
/* Errors of that problem's rows at another state; J stays. Returns the largest of those without compliance, m (or rad).
 */
double ashi_joint_errors(const ashi_model *model, const ashi_state *state, double time, ashi_system *problem);

/* Two tangents of a normal, right-handed with it: the first is the tangential part of the world's x or, if the normal
 * is along x, of y; in planar worlds it lies in the plane. */
void ashi_tangents(ash_vec3 normal, bool planar, ash_vec3 tangent[2]);

/* The gap of a contact point's two material points at other poses of its shapes, along a normal in world axes, which
 * does not turn: neither shape is preferred. */
double ashi_contact_gap(ash_vec3 normal, const ashi_point_record *point, ash_transform pose_a, ash_transform pose_b);
/* The pose of a shape at a state; z is ignored in planar worlds. */
ash_transform ashi_shape_pose_at(const ashi_model *model, const ashi_state *state, uint32_t shape);

#endif
