/* Joints: what two bodies are connected by. A null body in a definition is the background.
 *
 * A joint has a frame on each body. Its errors are the relative translation of the frames' origins and their relative
 * rotation, projected on axes (Faure); by which of them it removes, it is one of six basic joints or a combination of
 * two (Bender & Schmitt 2006). Throughout, x of frame a is the joint's axis: a hinge turns about it, a point slides
 * along it, a plane has it as its normal. In planar worlds hinges turn about z whatever the frames are, and rows that
 * cannot exist are left out.
 *
 *   kind            keeps                         kind             keeps
 *   ball            all rotations                 fixed            nothing
 *   point-on-line   x and all rotations           hinge            rotation about x
 *   point-on-plane  y, z and all rotations        universal        rotation about x of a and y of b
 *   parallel        all translations              slider           x
 *   common-axis     ... and rotation about x      cylindrical      x and rotation about x
 *   fixed-angle     ... about x of a and y of b   planar           y, z and rotation about x
 *   combination     what its masks do not remove */
#ifndef ASHLAR_JOINT_H
#define ASHLAR_JOINT_H

#include "ashlar/base.h"
#include "ashlar/body.h"
#include "ashlar/contact.h"
#include "ashlar/force.h"
#include "ashlar/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ash_joint_kind {
    ASH_JOINT_BALL,
    ASH_JOINT_POINT_ON_LINE, /* in planar worlds: Gribel's slider */
    ASH_JOINT_POINT_ON_PLANE,
    ASH_JOINT_PARALLEL,
    ASH_JOINT_COMMON_AXIS,
    ASH_JOINT_FIXED_ANGLE, /* between x of a and y of b */
    ASH_JOINT_FIXED,
    ASH_JOINT_HINGE,
    ASH_JOINT_UNIVERSAL,
    ASH_JOINT_SLIDER,
    ASH_JOINT_CYLINDRICAL,
    ASH_JOINT_PLANAR,
    ASH_JOINT_COMBINATION,
    ASH_JOINT_DISTANCE,   /* a rod: the origins stay `length` apart */
    ASH_JOINT_ROPE,       /* at most `length` apart */
    ASH_JOINT_SCREW,      /* cylindrical, and x = pitch / (2 pi) times the angle */
    ASH_JOINT_GEAR,       /* wheels on x of both frames whose pitch circles roll on each other */
    ASH_JOINT_RACK,       /* a rack along x of a and a pinion on x of b that rolls on it */
    ASH_JOINT_PULLEY,     /* a rope over two points of the world: length a + ratio times length b is at most `length` */
    ASH_JOINT_PATH,       /* the origin of b stays on a curve of a */
    ASH_JOINT_SUSPENSION, /* a wheel b: it moves along x of a, steers about x of a and turns about y of b */
    ASH_JOINT_HYDRAULIC,  /* a cylinder between the origins (Gribel 2009, 5.2) */
    ASH_JOINT_KINDS
} ash_joint_kind;

/* The freedoms of frame b against frame a, and bits for masks of them. */
typedef enum ash_freedom {
    ASH_MOVE_X, /* m, along axes of frame a; distance, rope, hydraulic, pulley: the length; path: the arc length */
    ASH_MOVE_Y,
    ASH_MOVE_Z,
    ASH_TURN_X, /* rad, about the joint's axis: counted over full turns; balls: the twist about x of b, within a turn */
    ASH_TURN_Y, /* universal and suspension: about y of b, counted; balls: how far x of b swings about y of a, ... */
    ASH_TURN_Z, /* ... and z; planar worlds: the angle, counted */
    ASH_FREEDOMS
} ash_freedom;
#define ASH_FREEDOM_BIT(freedom) (1u << (freedom))

/* What acts along a kept freedom. Forces are N, torques N m; positions m, angles rad. */
typedef enum ash_drive {
    ASH_DRIVE_OFF,
    ASH_DRIVE_VELOCITY, /* holds a velocity within its force (Gribel 2009, 2.6) */
    ASH_DRIVE_POSITION, /* holds a position over time within its force */
    ASH_DRIVE_SERVO,    /* steers to a position by a PID controller (Bender & Schmitt 2006, 4.4) */
    ASH_DRIVES
} ash_drive;

typedef struct ash_joint_motor {
    ash_drive drive;
    double target; /* velocity or position, times the signal at that time */
    ash_signal signal;
    double max_force;                          /* infinity: as much as it takes */
    double proportional, integral, derivative; /* servo: N/m, N/(m s), N s/m, or about the axis */
} ash_joint_motor;

typedef struct ash_joint_axis {
    double lower, upper;             /* limits of the coordinate; infinite: none */
    double friction;                 /* force that resists motion at most */
    double stiffness, damping, rest; /* a spring: N/m, N s/m, m; or N m/rad, N m s/rad, rad */
    ash_joint_motor motor;
} ash_joint_axis;

/* What a hydraulic cylinder does. */
typedef enum ash_piston { ASH_PISTON_HOLD, ASH_PISTON_EXTEND, ASH_PISTON_CONTRACT, ASH_PISTONS } ash_piston;

typedef struct ash_joint_def {
    ash_joint_kind kind;
    ash_body body_a, body_b;
    ash_transform frame_a, frame_b; /* in the bodies' frames */
    uint32_t removed; /* combination: bits of the freedoms removed. Of rotations all three; two: x, y or z of
                         both frames stays common; one: e.g. z: x of a and y of b stay at `angle` */
    double angle;     /* fixed-angle, and combinations that remove one rotation; rad */
    ash_joint_axis axes[ASH_FREEDOMS]; /* for kept freedoms only */
    double cone;                       /* ball: x of b stays within this of x of a, rad; infinity: no limit */
    double length;                     /* distance, rope, pulley; negative: as at creation */
    double pitch;                      /* screw: m a turn */
    double radius_a, radius_b;         /* gear: of pitch circles, negative for a ring; rack: radius_b of the pinion */
    double ratio;                      /* pulley */
    ash_vec3 hang_a, hang_b;           /* pulley: where the rope leaves its wheels, in the world */
    const ash_vec3 *path;              /* points of a smooth curve, in frame a; copied */
    uint32_t path_count;
    bool path_closed;
    double min_length, max_length;         /* hydraulic */
    double speed, max_force;               /* hydraulic: of the piston at most */
    ash_piston piston;                     /* hydraulic: what it does at first */
    double compliance, angular_compliance; /* of what is removed: m/N and rad/(N m) */
    double break_force, break_torque;      /* the joint breaks when it carries more; infinity: never */
    bool collide;                          /* its two bodies may touch */
    const char *name;
    void *user_data;
} ash_joint_def;

/* Identity frames, no limits, nothing driven, unbreakable; bodies that do not touch. */
ASH_API ash_joint_def ash_default_joint_def(ash_joint_kind kind);
/* Sets both frames of a definition so that they coincide in the world: origin at `point`, x along `axis`. */
ASH_API ash_status ash_joint_def_place(const ash_world *world, ash_joint_def *def, ash_vec3 point, ash_vec3 axis);

ASH_API const char *ash_joint_kind_name(ash_joint_kind kind); /* "point-on-line" */
ASH_API const char *ash_freedom_name(ash_freedom freedom);    /* "move-x" */
ASH_API const char *ash_drive_name(ash_drive drive);
/* The freedoms that such a joint keeps, as bits; length, arc length and the like count as move-x. */
ASH_API uint32_t ash_joint_get_kept(const ash_world *world, ash_joint joint);

/* Bad data give a diagnostic and no joint: a body jointed to itself, frames that are not unit, limits that cross,
 * drives of freedoms that the kind removes. Two bodies that cannot move may be joined: nothing happens until one of
 * them can. Enabled joints keep their bodies from touching, unless they say `collide`. */
ASH_API ash_status ash_joint_create(ash_world *world, const ash_joint_def *def, ash_joint *joint,
                                    ash_diagnostic *diagnostic);
/* Removes a joint; its bodies wake and may touch again. */
ASH_API ash_status ash_joint_destroy(ash_world *world, ash_joint joint);
/* Whether the handle is that of a joint of this world. Never misuse. */
ASH_API bool ash_joint_is_valid(const ash_world *world, ash_joint joint);
/* The kind; ASH_JOINT_KINDS for a joint that is not valid. */
ASH_API ash_joint_kind ash_joint_get_kind(const ash_world *world, ash_joint joint);
/* The name, empty for none; the world's, as long as the joint lives. */
ASH_API const char *ash_joint_get_name(const ash_world *world, ash_joint joint);
/* The pointer of its definition; the library never follows it. */
ASH_API void *ash_joint_get_user_data(const ash_world *world, ash_joint joint);
/* Its first body, the background where the definition had none. */
ASH_API ash_body ash_joint_get_body_a(const ash_world *world, ash_joint joint);
/* Its second body, the background where the definition had none. */
ASH_API ash_body ash_joint_get_body_b(const ash_world *world, ash_joint joint);
/* Where its frames are in the world. */
ASH_API ash_transform ash_joint_get_frame_a(const ash_world *world, ash_joint joint);
/* Where its frame on body b is in the world, m. */
ASH_API ash_transform ash_joint_get_frame_b(const ash_world *world, ash_joint joint);
ASH_API ash_status ash_joint_set_enabled(ash_world *world, ash_joint joint, bool enabled); /* not of broken ones */
ASH_API bool ash_joint_get_enabled(const ash_world *world, ash_joint joint);
ASH_API bool ash_joint_is_broken(const ash_world *world, ash_joint joint); /* broken ones are disabled, too */
ASH_API uint32_t ash_world_get_joints(const ash_world *world, ash_joint *joints, uint32_t capacity);
/* The first joint of that name, or null. */
ASH_API ash_joint ash_world_find_joint(const ash_world *world, const char *name);

/* Coordinates and their rates at the present state; 0 for removed freedoms. Setting moves body b, and only it (body a
 * where b cannot move): other joints of it may open (see ash_world_assemble). */
ASH_API double ash_joint_get_position(const ash_world *world, ash_joint joint, ash_freedom freedom);
/* The rate of the coordinate, m/s or rad/s. */
ASH_API double ash_joint_get_rate(const ash_world *world, ash_joint joint, ash_freedom freedom);
/* Moves body b to that coordinate, m or rad. */
ASH_API ash_status ash_joint_set_position(ash_world *world, ash_joint joint, ash_freedom freedom, double value);
/* Gives body b the velocity that has that rate, m/s or rad/s. */
ASH_API ash_status ash_joint_set_rate(ash_world *world, ash_joint joint, ash_freedom freedom, double value);

/* The parts of a definition that may change. */
ASH_API ash_joint_axis ash_joint_get_axis(const ash_world *world, ash_joint joint, ash_freedom freedom);
/* Changes all of them. What the joint's kind cannot have is misuse and changes nothing. */
ASH_API ash_status ash_joint_set_axis(ash_world *world, ash_joint joint, ash_freedom freedom,
                                      const ash_joint_axis *axis);
/* Changes drive, target (m/s, rad/s, m or rad) and largest force (N or N m) of a freedom's motor; gains and signal
 * stay. A servo needs gains first (ash_joint_set_servo). */
ASH_API ash_status ash_joint_set_motor(ash_world *world, ash_joint joint, ash_freedom freedom, ash_drive drive,
                                       double target, double max_force);
/* Makes a freedom's motor a servo with these gains: N/m, N/(m s), N s/m, or the same about the axis. Its target,
 * largest force and memory stay; those of a motor that was off are 0 and unlimited until ash_joint_set_motor. */
ASH_API ash_status ash_joint_set_servo(ash_world *world, ash_joint joint, ash_freedom freedom, double proportional,
                                       double integral, double derivative);
/* The length of a rod, a rope or the rope of a pulley, m. Misuse for joints of other kinds: the answer is 0. */
ASH_API double ash_joint_get_length(const ash_world *world, ash_joint joint);
/* Changes it. */
ASH_API ash_status ash_joint_set_length(ash_world *world, ash_joint joint, double length);
/* What a hydraulic cylinder does from the next step on. */
ASH_API ash_status ash_joint_set_piston(ash_world *world, ash_joint joint, ash_piston piston);
/* What it does now. Misuse for joints of other kinds: the answer is hold. */
ASH_API ash_piston ash_joint_get_piston(const ash_world *world, ash_joint joint);

/* How far the frames are from where the joint wants them, at the present state: the largest error of what it removes, m
 * and rad. */
typedef struct ash_joint_error {
    double distance, angle;
} ash_joint_error;
/* The errors at the present state; zero for a joint that is not valid. */
ASH_API ash_joint_error ash_joint_get_error(const ash_world *world, ash_joint joint);

/* What the joint carries on body b, about the origin of frame b, mean over the last step that was taken, or over its
 * last part when the method cuts it. */
typedef struct ash_joint_reaction {
    ash_vec3 force, torque;     /* of what is removed, limits included */
    double drive[ASH_FREEDOMS]; /* of motors, springs and friction along each freedom */
    bool indeterminate;         /* the mechanism is redundant here: this is one of many solutions */
} ash_joint_reaction;
/* The reaction in the axes of `frame`; zero before the first step and for joints that are disabled. */
ASH_API ash_joint_reaction ash_joint_get_reaction(const ash_world *world, ash_joint joint, ash_frame frame);
/* Of distance, rope and hydraulic joints: the force on body b along the line from the origin of frame a to that of
 * frame b, N, of what is held, limits and what drives along it together. Positive: it pushes both apart. 0 where the
 * origins meet, and of other kinds. */
ASH_API double ash_joint_get_line_force(const ash_world *world, ash_joint joint);

/* Joints that broke in the last step, with the step's end as time. */
typedef struct ash_joint_event {
    ash_joint joint;
    double force, torque; /* what it carried */
} ash_joint_event;
/* The joints that broke in the last step: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_get_joint_events(const ash_world *world, ash_joint_event *events, uint32_t capacity);

/* The mechanism as a whole at the present state. Rows are the removed freedoms of all enabled joints. Asking wakes
 * sleepers. */
typedef struct ash_mobility {
    uint32_t rows;             /* removed freedoms, joint by joint */
    uint32_t rank;             /* independent ones */
    uint32_t redundant;        /* rows - rank */
    uint32_t freedoms;         /* left to all dynamic bodies */
    uint32_t redundant_joints; /* joints with redundant rows: see ash_world_get_redundant_joints */
} ash_mobility;
/* Counts them by the rank of the joints' matrix. */
ASH_API ash_status ash_world_get_mobility(ash_world *world, ash_mobility *mobility);
/* The joints with redundant rows: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_get_redundant_joints(ash_world *world, ash_joint *joints, uint32_t capacity);

/* Closes joints that are open by moving bodies, as little as possible in the mass metric; then makes the velocities
 * agree with the joints in the same way. ASH_BAD_DATA with the joints that cannot close in the diagnostic: bodies are
 * then where the errors are least. */
typedef struct ash_assembly_report {
    uint32_t passes;
    double distance, angle; /* largest error left */
    double moved, turned;   /* of any body */
    ash_joint worst;
    uint32_t open_joints; /* joints that do not close within the tolerance */
} ash_assembly_report;
/* `tolerance`: m and rad that joints may stay open by. `report` may be null. */
ASH_API ash_status ash_world_assemble(ash_world *world, double tolerance, ash_assembly_report *report,
                                      ash_diagnostic *diagnostic);

#ifdef __cplusplus
}
#endif

#endif
