/* Joints connect two bodies. A null body in a definition is the background.
 *
 * A joint has a frame on each body. Its errors are the relative translation of the frames' origins and their relative
 * rotation, projected on axes (Faure). Which of these it removes makes it one of six basic joints or a combination of
 * two (Bender & Schmitt 2006). In all kinds x of frame a is the joint's axis: a hinge turns about it, a point slides
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
    ASH_JOINT_GEAR,       /* wheels about x of both frames whose pitch circles roll on each other */
    ASH_JOINT_RACK,       /* a rack along x of a and a pinion on x of b that rolls on it */
    ASH_JOINT_PULLEY,     /* a rope over two points of the world: length a + ratio * length b is at most `length` */
    ASH_JOINT_PATH,       /* the origin of b stays on a curve of a */
    ASH_JOINT_SUSPENSION, /* a wheel b: it moves along x of a, steers about x of a and turns about y of b */
    ASH_JOINT_HYDRAULIC,  /* a cylinder between the origins (Gribel 2009, 5.2) */
    ASH_JOINT_KINDS
} ash_joint_kind;

/* The freedoms of frame b relative to frame a, and bits for masks of them. */
typedef enum ash_freedom {
    ASH_MOVE_X, /* m, along axes of frame a; distance, rope, hydraulic, pulley: the length; path: the arc length */
    ASH_MOVE_Y,
    ASH_MOVE_Z,
    ASH_TURN_X, /* rad, about the joint's axis, counted over full turns; balls: the twist about x of b, within one
                   turn */
    ASH_TURN_Y, /* universal and suspension: about y of b, counted; balls: the swing of x of b about y of a, ... */
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
    double max_force;                          /* infinity: no limit */
    double proportional, integral, derivative; /* servo: N/m, N/(m s), N s/m, or about the axis */
} ash_joint_motor;

typedef struct ash_joint_axis {
    double lower, upper;             /* limits of the coordinate; infinity: none */
    double friction;                 /* the largest force that resists motion */
    double stiffness, damping, rest; /* a spring: N/m, N s/m, m; or N m/rad, N m s/rad, rad */
    ash_joint_motor motor;
} ash_joint_axis;

/* The action of a hydraulic cylinder. */
typedef enum ash_piston { ASH_PISTON_HOLD, ASH_PISTON_EXTEND, ASH_PISTON_CONTRACT, ASH_PISTONS } ash_piston;

typedef struct ash_joint_def {
    ash_joint_kind kind;
    ash_body body_a, body_b;
    ash_transform frame_a, frame_b; /* in the bodies' frames */
    uint32_t removed; /* combination: bits of the removed freedoms. Rotations: all three; or two: the third axis stays
                         common to both frames; or one, such as z: x of a and y of b stay at `angle` */
    double angle;     /* fixed-angle, and combinations that remove one rotation; rad */
    ash_joint_axis axes[ASH_FREEDOMS]; /* for kept freedoms only */
    double cone;                       /* ball: largest angle between x of a and x of b, rad; infinity: no limit */
    double length;                     /* distance, rope, pulley; negative: the length at creation */
    double pitch;                      /* screw: m per turn */
    double radius_a, radius_b;         /* gear: radii of the pitch circles, negative for a ring; rack: radius_b of the
                                          pinion */
    double ratio;                      /* pulley */
    ash_vec3 hang_a, hang_b;           /* pulley: where the rope leaves its wheels, in the world */
    const ash_vec3 *path;              /* points of a smooth curve, in frame a; copied */
    uint32_t path_count;
    bool path_closed;
    double min_length, max_length;         /* hydraulic */
    double speed, max_force;               /* hydraulic: the largest of the piston */
    ash_piston piston;                     /* hydraulic: what it does at first */
    double compliance, angular_compliance; /* of the removed freedoms: m/N and rad/(N m) */
    double break_force, break_torque;      /* the joint breaks when it carries more; infinity: never */
    bool collide;                          /* its two bodies may touch */
    const char *name;
    void *user_data;
} ash_joint_def;

/* Identity frames, no limits, no drives, unbreakable; the two bodies do not touch. */
ASH_API ash_joint_def ash_default_joint_def(ash_joint_kind kind);
/* Sets both frames of a definition so that they coincide in the world: origin at `point`, x along `axis`. */
ASH_API ash_status ash_joint_def_place(const ash_world *world, ash_joint_def *def, ash_vec3 point, ash_vec3 axis);

ASH_API const char *ash_joint_kind_name(ash_joint_kind kind); /* "point-on-line" */
ASH_API const char *ash_freedom_name(ash_freedom freedom);    /* "move-x" */
ASH_API const char *ash_drive_name(ash_drive drive);
/* The freedoms that the joint keeps, as bits; a length or arc length counts as move-x. */
ASH_API uint32_t ash_joint_get_kept(const ash_world *world, ash_joint joint);

/* Bad data gives a diagnostic and no joint: a body joined to itself, a rotation of a frame that is not unit, limits
 * that cross, drives of freedoms that the kind removes. Two bodies that cannot move may be joined; the joint acts when
 * one of them can. The bodies of an enabled joint do not touch, unless `collide` is set. */
ASH_API ash_status ash_joint_create(ash_world *world, const ash_joint_def *def, ash_joint *joint,
                                    ash_diagnostic *diagnostic);
/* Removes a joint; its bodies wake and may touch again. */
ASH_API ash_status ash_joint_destroy(ash_world *world, ash_joint joint);
/* Whether the handle belongs to a joint of this world. Never misuse. */
ASH_API bool ash_joint_is_valid(const ash_world *world, ash_joint joint);
/* The kind; ASH_JOINT_KINDS for an invalid handle. */
ASH_API ash_joint_kind ash_joint_get_kind(const ash_world *world, ash_joint joint);
/* The name, empty for none; it belongs to the world and is valid as long as the joint exists. */
ASH_API const char *ash_joint_get_name(const ash_world *world, ash_joint joint);
/* The pointer from its definition; the library never dereferences it. */
ASH_API void *ash_joint_get_user_data(const ash_world *world, ash_joint joint);
/* Its first body; the background if the definition had none. */
ASH_API ash_body ash_joint_get_body_a(const ash_world *world, ash_joint joint);
/* Its second body; the background if the definition had none. */
ASH_API ash_body ash_joint_get_body_b(const ash_world *world, ash_joint joint);
/* The pose of its frame on body a in the world, m. */
ASH_API ash_transform ash_joint_get_frame_a(const ash_world *world, ash_joint joint);
/* The pose of its frame on body b in the world, m. */
ASH_API ash_transform ash_joint_get_frame_b(const ash_world *world, ash_joint joint);
ASH_API ash_status ash_joint_set_enabled(ash_world *world, ash_joint joint, bool enabled); /* misuse for broken
                                                                                              joints */
ASH_API bool ash_joint_get_enabled(const ash_world *world, ash_joint joint);
ASH_API bool ash_joint_is_broken(const ash_world *world, ash_joint joint); /* broken joints are also disabled */
ASH_API uint32_t ash_world_get_joints(const ash_world *world, ash_joint *joints, uint32_t capacity);
/* The first joint of that name, or null. */
ASH_API ash_joint ash_world_find_joint(const ash_world *world, const char *name);

/* Coordinates and their rates at the present state; 0 for removed freedoms. Setting one moves only body b (body a if b
 * cannot move): its other joints may open (see ash_world_assemble). */
ASH_API double ash_joint_get_position(const ash_world *world, ash_joint joint, ash_freedom freedom);
/* The rate of the coordinate, m/s or rad/s. */
ASH_API double ash_joint_get_rate(const ash_world *world, ash_joint joint, ash_freedom freedom);
/* Moves body b to that coordinate, m or rad. */
ASH_API ash_status ash_joint_set_position(ash_world *world, ash_joint joint, ash_freedom freedom, double value);
/* Gives body b the velocity that has that rate, m/s or rad/s. */
ASH_API ash_status ash_joint_set_rate(ash_world *world, ash_joint joint, ash_freedom freedom, double value);

/* The axis of a freedom: limits, friction, spring and motor. */
ASH_API ash_joint_axis ash_joint_get_axis(const ash_world *world, ash_joint joint, ash_freedom freedom);
/* Changes all of them. Anything that the joint's kind cannot have is misuse and changes nothing. */
ASH_API ash_status ash_joint_set_axis(ash_world *world, ash_joint joint, ash_freedom freedom,
                                      const ash_joint_axis *axis);
/* Changes drive, target (m/s, rad/s, m or rad) and largest force (N or N m) of a freedom's motor; gains and signal do
 * not change. A servo needs gains first (ash_joint_set_servo). */
ASH_API ash_status ash_joint_set_motor(ash_world *world, ash_joint joint, ash_freedom freedom, ash_drive drive,
                                       double target, double max_force);
/* Makes a freedom's motor a servo with these gains: N/m, N/(m s), N s/m, or the same about the axis. Target, largest
 * force and integral do not change; for a motor that was off, the target is 0 and the force unlimited until
 * ash_joint_set_motor. */
ASH_API ash_status ash_joint_set_servo(ash_world *world, ash_joint joint, ash_freedom freedom, double proportional,
                                       double integral, double derivative);
/* The length of a rod, a rope or the rope of a pulley, m. Joints of other kinds are misuse and return 0. */
ASH_API double ash_joint_get_length(const ash_world *world, ash_joint joint);
/* Changes that length, m. */
ASH_API ash_status ash_joint_set_length(ash_world *world, ash_joint joint, double length);
/* Sets the action of a hydraulic cylinder from the next step on. */
ASH_API ash_status ash_joint_set_piston(ash_world *world, ash_joint joint, ash_piston piston);
/* Its present action. Joints of other kinds are misuse and return hold. */
ASH_API ash_piston ash_joint_get_piston(const ash_world *world, ash_joint joint);

/* The largest error of the removed freedoms at the present state, m and rad. */
typedef struct ash_joint_error {
    double distance, angle;
} ash_joint_error;
/* The errors at the present state; zero for an invalid handle. */
ASH_API ash_joint_error ash_joint_get_error(const ash_world *world, ash_joint joint);

/* The reaction of the joint on body b, about the origin of frame b: the mean over the last step that was taken, or over
 * its last part when the method cuts it. */
typedef struct ash_joint_reaction {
    ash_vec3 force, torque;     /* of the removed freedoms, limits included */
    double drive[ASH_FREEDOMS]; /* of motors, springs and friction along each freedom */
    bool indeterminate;         /* the mechanism is redundant at this joint: this is one of many solutions */
} ash_joint_reaction;
/* The reaction in the axes of `frame`; zero before the first step and for joints that are disabled. */
ASH_API ash_joint_reaction ash_joint_get_reaction(const ash_world *world, ash_joint joint, ash_frame frame);
/* For distance, rope and hydraulic joints: the total force on body b along the line from the origin of frame a to that
 * of frame b, N, with limits and drives. Positive: it pushes both apart. 0 if the origins coincide, and for other
 * kinds. */
ASH_API double ash_joint_get_line_force(const ash_world *world, ash_joint joint);

/* A joint that broke in the last step; its time is the end of the step. */
typedef struct ash_joint_event {
    ash_joint joint;
    double force, torque; /* its reaction when it broke */
} ash_joint_event;
/* The joints that broke in the last step: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_get_joint_events(const ash_world *world, ash_joint_event *events, uint32_t capacity);

/* The mechanism as a whole at the present state. Rows are the removed freedoms of all enabled joints. The call wakes
 * sleeping bodies. */
typedef struct ash_mobility {
    uint32_t rows;             /* removed freedoms, joint by joint */
    uint32_t rank;             /* number of independent rows */
    uint32_t redundant;        /* rows - rank */
    uint32_t freedoms;         /* that remain to all dynamic bodies */
    uint32_t redundant_joints; /* joints with redundant rows: see ash_world_get_redundant_joints */
} ash_mobility;
/* Counts them by the rank of the matrix of all joint rows. */
ASH_API ash_status ash_world_get_mobility(ash_world *world, ash_mobility *mobility);
/* The joints with redundant rows: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_get_redundant_joints(ash_world *world, ash_joint *joints, uint32_t capacity);

/* Closes open joints by the smallest motion of the bodies in the mass metric, then makes the velocities agree with the
 * joints in the same way. ASH_BAD_DATA: some joints cannot close; the diagnostic names them, and bodies are where the
 * errors are smallest. */
typedef struct ash_assembly_report {
    uint32_t passes;
    double distance, angle; /* largest error left */
    double moved, turned;   /* of any body */
    ash_joint worst;
    uint32_t open_joints; /* joints that are open by more than the tolerance */
} ash_assembly_report;
/* `tolerance`: m and rad by which joints may stay open. `report` may be null. */
ASH_API ash_status ash_world_assemble(ash_world *world, double tolerance, ash_assembly_report *report,
                                      ash_diagnostic *diagnostic);

#ifdef __cplusplus
}
#endif

#endif
