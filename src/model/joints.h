/* Joints: a directory of handles, the definition of each joint, and its rows at a state.
 *
 * A kind is one file with one `ashi_joint_class`. All rows are composed of a few reusable ones (joint_rows.h), such as
 * a point's offset along an axis of a and the angle between two axes. */
#ifndef ASHI_MODEL_JOINTS_H
#define ASHI_MODEL_JOINTS_H

#include "ashlar/joint.h"
#include "base/array.h"
#include "base/pool.h"
#include "model/bodies.h"

#include <math.h>

typedef struct ashi_model ashi_model;

/* The purpose of a row. */
typedef enum ashi_row_role {
    ASHI_ROW_HOLD,     /* a removed freedom: an equality */
    ASHI_ROW_LIMIT,    /* one-sided, present when the limit is near */
    ASHI_ROW_DRIVE,    /* a motor, spring or servo */
    ASHI_ROW_FRICTION, /* no position: holds the velocity at 0 within its force */
    ASHI_ROW_ROLES
} ashi_row_role;

/* Keys distinguish the rows of a joint from step to step: 0 to 5 are the held rows in their order, then by freedom the
 * limits, drives, springs and frictions. A row's force is kept under its key. */
#define ASHI_HOLD_ROWS    6
#define ASHI_LIMIT_KEY    6
#define ASHI_DRIVE_KEY    12
#define ASHI_SPRING_KEY   18
#define ASHI_FRICTION_KEY 24
#define ASHI_CONE_KEY     30
#define ASHI_JOINT_KEYS   31
#define ASHI_JOINT_ROWS   ASHI_JOINT_KEYS /* the most rows of a joint */

/* A row at a state: C is its error, dC/dt = J v - speed. Its force acts along J (on b: +linear_b). */
typedef struct ashi_joint_row {
    ash_vec3 linear_a, angular_a, linear_b, angular_b; /* J: the derivative of the coordinate behind C */
    double error;        /* C, m or rad; 0 for velocities and friction; limits: the remaining distance (negative:
                            beyond), J positive when it grows */
    double speed;        /* wanted value of J v: of velocity motors and moving targets */
    double lower, upper; /* bounds of the force, N or N m */
    double stiffness,
        damping;       /* both 0: rigid; else the row is a spring -stiffness C - damping (J v - speed) + offset */
    double offset;     /* N or N m: the integral part of a servo */
    double compliance; /* of a held row, m/N or rad/(N m) */
    double brake;      /* of a position motor of limited force, m/s2 or rad/s2: the deceleration by its force alone;
                          else 0 */
    double drift;      /* (dJ/dt) v - d speed/dt at the state's velocities: d2C/dt2 = J a + drift */
    ashi_row_role role;
    uint8_t key;
    bool angular; /* its units: rad, N m */
} ashi_joint_row;

/* The speed that removes a row's error within h. A motor of limited force approaches no faster than it can stop: speeds
 * that decrease by a = brake per unit of time, each acting over a step of length h, cover the distance v h + (v - a h)
 * h + ... = v^2 / 2 a + v h / 2. */
static inline double ashi_joint_row_closing(const ashi_joint_row *row, double h)
{
    double speed = row->error / h, slower = 0.5 * row->brake * h;
    if (!(row->brake > 0))
        return speed;
    double fastest = sqrt(slower * slower + 2 * row->brake * fabs(row->error)) - slower;
    return fmin(fmax(speed, -fastest), fastest);
}

/* The path of a path joint: a cubic spline through its points, continuous up to the curvature. */
typedef struct ashi_joint_path ashi_joint_path;

/* A joint. Frames are stored relative to the centres of mass, as the rows need them. Fields that every step reads come
 * first; most others are read by some kinds only. */
typedef struct ashi_joint_entry {
    _Alignas(64) ash_joint_kind kind;
    uint32_t body_a, body_b; /* slots */
    bool enabled, broken, collide;
    bool indeterminate;     /* its reaction is one of many solutions */
    uint8_t hold_count;     /* number of held rows */
    uint32_t removed, kept; /* bits of ash_freedom, adjusted for planar worlds */
    ash_joint_axis *axes;   /* ASH_FREEDOMS of them; signals own their tables; null: nothing acts */
    double compliance, angular_compliance, cone;
    ash_vec3 arm_a, arm_b; /* origins from the centres of mass, body axes */
    /* fields that change in time (in snapshots) */
    ash_vec3 reaction_force, reaction_torque; /* on b about the origin of frame b, world axes: held rows and limits */
    double force[ASHI_JOINT_KEYS];            /* by key: the force in the last step, N or N m; the next first guess */
    double turn[ASH_FREEDOMS];                /* coordinates at the last state, so that angles count over full turns */
    double integral[ASH_FREEDOMS];            /* of servos' errors, m s or rad s */
    double held_length;                       /* hydraulic: C_l */
    ash_transform frame_a, frame_b;           /* in the bodies' frames, as given */
    /* fields of some kinds, and rarely read ones */
    double angle, length, pitch, radius_a, radius_b, ratio;
    ash_vec3 hang_a, hang_b;
    double min_length, max_length, speed, max_force;
    double break_force, break_torque;
    ashi_joint_path *path; /* owned; null: none */
    ash_piston piston;
    char *name; /* null for none */
    void *user_data;
} ashi_joint_entry;

typedef struct ashi_joints {
    ashi_pool pool;
    ASHI_ARRAY(ashi_joint_entry) entries; /* by slot; free slots are zero */
    uint64_t revision;                    /* increases when joints are added, removed, enabled or disabled: the graph
                                             has changed */
    ASHI_ARRAY(ash_joint_event) events;   /* of the last step */
    ASHI_ARRAY(uint64_t)
    apart; /* pairs of bodies that do not touch: one for each enabled joint without `collide`, the lower slot in the
              upper half; sorted */
} ashi_joints;

void ashi_joints_release(ashi_joints *joints);
/* Adds a joint (the name is copied and the path taken over only on success). ASHI_NO_SLOT when memory ran out. */
uint32_t ashi_joints_add(ashi_joints *joints, const ashi_joint_entry *joint, const char *name);
void ashi_joints_remove(ashi_joints *joints, uint32_t slot);
void ashi_joints_remove_body(ashi_joints *joints, uint32_t body);
/* Switches a joint on or off; broken ones stay off. */
void ashi_joints_switch(ashi_joints *joints, uint32_t slot, bool enabled);
/* Whether joints keep two bodies (slots) from touching. */
bool ashi_joints_keep_apart(const ashi_joints *joints, uint32_t a, uint32_t b);
/* Rebuilds the list of such pairs, after joints were read from a snapshot. False when memory ran out. */
bool ashi_joints_list_apart(ashi_joints *joints);
/* The frames' origins from the centres of mass, after one of these has moved. */
void ashi_joints_recentre(ashi_model *model, uint32_t body);
bool ashi_joint_uses(const ashi_joint_entry *joint, uint32_t body);
/* Whether a joint is enabled and one of its bodies is dynamic and awake. */
bool ashi_joint_acts(const ashi_model *model, const ashi_joint_entry *joint);

/* The joint's rows at a state and time: held rows first, in the order of their keys, then the others that act now.
 * `held_only`: only the held rows. `h` is the length of the step that starts at `time`: limits act if they may be
 * reached within it, and speeds are those that lead to a moving target at its end (0: the rates at that instant).
 * Velocities of the state are used for near limits and for `drift`. `rows` has room for ASHI_JOINT_ROWS. Returns their
 * number. */
uint32_t ashi_joint_rows(const ashi_model *model, const ashi_joint_entry *joint, const ashi_state *state, double time,
                         double h, bool held_only, ashi_joint_row *rows);

/* Only the errors of the held rows, as in ashi_joint_rows. Returns their number. */
uint32_t ashi_joint_held_errors(const ashi_model *model, const ashi_joint_entry *joint, const ashi_state *state,
                                double errors[ASHI_HOLD_ROWS]);

/* Coordinates and rates at a state, angles counted on from `turn`. */
double ashi_joint_position(const ashi_model *model, const ashi_joint_entry *joint, const ashi_state *state,
                           ash_freedom freedom);
double ashi_joint_rate(const ashi_model *model, const ashi_joint_entry *joint, const ashi_state *state,
                       ash_freedom freedom);
/* Moves one of the joint's bodies at a state so that a coordinate has a value; held rows and the other coordinates do
 * not change if possible. False when the value cannot be reached: the state is then unchanged. */
bool ashi_joint_move(const ashi_model *model, const ashi_joint_entry *joint, uint32_t body, ash_freedom freedom,
                     double value, ashi_state *state);
/* The same for its rate. */
void ashi_joint_set_in_motion(const ashi_model *model, const ashi_joint_entry *joint, uint32_t body,
                              ash_freedom freedom, double rate, ashi_state *state);
/* The largest errors of the held rows at a state: m and rad. */
ash_joint_error ashi_joint_error_at(const ashi_model *model, const ashi_joint_entry *joint, const ashi_state *state);

/* After a step (or a part of one) of length h that led to the present state: counts turns, integrates servos, moves the
 * hydraulic's length. */
void ashi_joints_advance(ashi_model *model, double time, double h);
/* Breaks overloaded joints (ashi_joints_switch) and records the events. False when memory ran out. */
bool ashi_joints_break(ashi_model *model);
/* Energy stored in the springs and compliances of a joint, and of all, at a state, J. */
double ashi_joint_energy(const ashi_model *model, const ashi_joint_entry *joint, const ashi_state *state);
double ashi_joints_energy(const ashi_model *model, const ashi_state *state);

#endif
