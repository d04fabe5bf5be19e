/* Forces: each kind has a definition and a create function; all of them enter the energy ledger.
 *
 * A null body in a definition is the background. Points are given in the frame of their body. */
#ifndef ASHLAR_FORCE_H
#define ASHLAR_FORCE_H

#include "ashlar/base.h"
#include "ashlar/body.h"
#include "ashlar/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ash_force_kind {
    ASH_FORCE_SPRING,
    ASH_FORCE_ANGULAR_SPRING,
    ASH_FORCE_BENDING_SPRING,
    ASH_FORCE_DRAG,
    ASH_FORCE_PULL,
    ASH_FORCE_LOAD,
    ASH_FORCE_CALLBACK,
    ASH_FORCE_KINDS
} ash_force_kind;

/* The kind's name in scene files, such as "angular-spring". */
ASH_API const char *ash_force_kind_name(ash_force_kind kind);

/* A spring and damper between two points (de Jong 8-2). Tension-only: below its rest length it is slack, and neither
 * spring nor damper acts (de Jong (8-12)); above it, spring and damper together never push, as a string cannot, unless
 * the damper may. */
typedef struct ash_spring_def {
    ash_body body_a, body_b;
    ash_vec3 point_a, point_b;
    double stiffness;   /* N/m */
    double damping;     /* N s/m */
    double rest_length; /* m; negative: the distance at creation */
    bool tension_only;
    bool damper_pushes; /* tension-only: the damper may push while the spring is stretched, as in de Jong's model */
    const char *name;
} ash_spring_def;
/* No stiffness, no damping; the rest length is the distance at creation; both points on the background. */
ASH_API ash_spring_def ash_default_spring_def(void);
/* Makes a spring. Negative or infinite numbers, and a spring from a body to itself, give a diagnostic and no spring. */
ASH_API ash_status ash_spring_create(ash_world *world, const ash_spring_def *def, ash_force *force,
                                     ash_diagnostic *diagnostic);
/* The spring's present definition. The name belongs to the world. A force of another kind is misuse and returns the
 * default definition. */
ASH_API ash_spring_def ash_spring_get(const ash_world *world, ash_force force);
/* Changes stiffness, N/m, damping, N s/m, and rest length, m; none may be negative. */
ASH_API ash_status ash_spring_set(ash_world *world, ash_force force, double stiffness, double damping,
                                  double rest_length);
/* The distance between its two points at the present state, m. */
ASH_API double ash_spring_get_length(const ash_world *world, ash_force force);
/* Force along the spring at the present state, positive in tension, damper included. */
ASH_API double ash_spring_get_tension(const ash_world *world, ash_force force);

/* A spring and damper that turns body b back to its rest rotation relative to body a: the torque is -stiffness times
 * the rotation vector (at most half a turn) - damping times the relative angular velocity. */
typedef struct ash_angular_spring_def {
    ash_body body_a, body_b;
    ash_quat rest_rotation; /* of b seen from a */
    double stiffness;       /* N m/rad */
    double damping;         /* N m s/rad */
    const char *name;
} ash_angular_spring_def;
/* No stiffness, no damping, the bodies' axes parallel at rest. */
ASH_API ash_angular_spring_def ash_default_angular_spring_def(void);
/* Makes an angular spring; bad data gives a diagnostic and no spring. */
ASH_API ash_status ash_angular_spring_create(ash_world *world, const ash_angular_spring_def *def, ash_force *force,
                                             ash_diagnostic *diagnostic);
ASH_API double ash_angular_spring_get_angle(const ash_world *world, ash_force force); /* rad, 0 to pi */

/* A spring and damper at b, the middle one of three points a, b and c of a string, a net or a rod. With theta the angle
 * between the directions from a to b and from b to c (0: straight, pi: folded back), its moment is -stiffness
 * (theta - rest angle) - damping d(theta)/dt, applied as forces perpendicular to both legs. A rod of bending stiffness
 * E I whose points are l apart has springs of stiffness E I / l. */
typedef struct ash_bending_spring_def {
    ash_body body_a, body_b, body_c;
    ash_vec3 point_a, point_b, point_c;
    double stiffness;  /* N m/rad */
    double damping;    /* N m s/rad */
    double rest_angle; /* rad, at most pi; negative: the angle at creation */
    const char *name;
} ash_bending_spring_def;
/* No stiffness, no damping, straight at rest; all points on the background. */
ASH_API ash_bending_spring_def ash_default_bending_spring_def(void);
/* Makes a bending spring. Two of the points may be on one body, or in the background: a clamped end. Negative or
 * infinite numbers, and three points on one body, give a diagnostic and no spring. */
ASH_API ash_status ash_bending_spring_create(ash_world *world, const ash_bending_spring_def *def, ash_force *force,
                                             ash_diagnostic *diagnostic);
ASH_API double ash_bending_spring_get_angle(const ash_world *world, ash_force force); /* rad, 0 to pi */

/* Drag on a body's centre of mass: -(density/2 C_D A |u| + linear) u, where u is the velocity relative to the wind. The
 * mask multiplies each world component of u and of the force: 0 switches drag along that axis off. */
typedef struct ash_drag_def {
    ash_body body;
    double coefficient; /* C_D */
    double density;     /* of the medium, kg/m3 */
    double area;        /* m2; 0: the projected area of the body's shapes along u */
    double linear;      /* N s/m */
    ash_vec3 mask;      /* 0 to 1 for each world axis */
    ash_vec3 wind;      /* m/s */
    const char *name;
} ash_drag_def;
ASH_API ash_drag_def ash_default_drag_def(void); /* air: 1.2 kg/m3, C_D 0.5, mask 1 1 1 */
ASH_API ash_status ash_drag_create(ash_world *world, const ash_drag_def *def, ash_force *force,
                                   ash_diagnostic *diagnostic);

/* Pulls a point of a body towards a target in the world by a spring and damper, as a mouse does. */
typedef struct ash_pull_def {
    ash_body body;
    ash_vec3 point;   /* on the body */
    ash_vec3 target;  /* in the world */
    double stiffness; /* N/m */
    double damping;   /* N s/m */
    double max_force; /* N; 0: no limit */
    const char *name;
} ash_pull_def;
/* No stiffness, no damping, no limit, towards the origin. */
ASH_API ash_pull_def ash_default_pull_def(void);
/* Makes a pull; bad data gives a diagnostic and no pull. */
ASH_API ash_status ash_pull_create(ash_world *world, const ash_pull_def *def, ash_force *force,
                                   ash_diagnostic *diagnostic);
/* The target, a point of the world, m. A force of another kind is misuse and returns the origin. */
ASH_API ash_vec3 ash_pull_get_target(const ash_world *world, ash_force force);
/* Moves the target, a point of the world, m. */
ASH_API ash_status ash_pull_set_target(ash_world *world, ash_force force, ash_vec3 target);

/* How a load varies in time. */
typedef enum ash_signal_kind {
    ASH_SIGNAL_CONSTANT, /* 1 */
    ASH_SIGNAL_HARMONIC, /* cos(rate t + phase) */
    ASH_SIGNAL_TABLE,    /* straight lines between (time, value) pairs; the first and last value beyond them */
    ASH_SIGNAL_KINDS
} ash_signal_kind;
typedef struct ash_signal {
    ash_signal_kind kind;
    double rate;          /* rad/s */
    double phase;         /* rad */
    const double *times;  /* ascending; copied */
    const double *values; /* copied */
    uint32_t count;
} ash_signal;

/* A given force and torque, constant or varying in time, between two instants. */
typedef struct ash_load_def {
    ash_body body;
    ash_vec3 force;  /* N */
    ash_vec3 torque; /* N m */
    ash_vec3 point;  /* where the force acts, on the body */
    bool body_axes;  /* force and torque turn with the body */
    ash_signal signal;
    double start, stop; /* s; acts for start <= t < stop */
    const char *name;
} ash_load_def;
ASH_API ash_load_def ash_default_load_def(void); /* constant, for ever */
ASH_API ash_status ash_load_create(ash_world *world, const ash_load_def *def, ash_force *force,
                                   ash_diagnostic *diagnostic);
/* The load's present definition. The name and the signal belong to the world. A force of another kind is misuse and
 * returns the default definition. */
ASH_API ash_load_def ash_load_get(const ash_world *world, ash_force force);
/* Changes force, N, and torque, N m; the signal and the instants do not change. */
ASH_API ash_status ash_load_set(ash_world *world, ash_force force, ash_vec3 force_vector, ash_vec3 torque);

/* A force computed by the host. The callback runs on the stepping thread, several times a step with integrators that
 * have stages. It reads the state of the stage and adds forces through the context; it must not call the world
 * otherwise.
 */
typedef struct ash_force_context ash_force_context;
typedef void (*ash_force_callback)(ash_force_context *context, void *user);
/* The time of the stage, s. */
ASH_API double ash_force_context_get_time(const ash_force_context *context);
/* The pose of the body's frame in the world at the stage, m. */
ASH_API ash_transform ash_force_context_get_transform(const ash_force_context *context, ash_body body);
/* The velocity of the centre of mass at the stage, world axes, m/s. */
ASH_API ash_vec3 ash_force_context_get_velocity(const ash_force_context *context, ash_body body);
/* The angular velocity at the stage, world axes, rad/s. */
ASH_API ash_vec3 ash_force_context_get_angular_velocity(const ash_force_context *context, ash_body body);
/* Adds a force at the centre of mass and a torque, both in world axes. */
ASH_API void ash_force_context_add(ash_force_context *context, ash_body body, ash_vec3 force, ash_vec3 torque);
/* Makes a force that `callback` computes; it receives `user`. The name is copied; null for none. */
ASH_API ash_status ash_callback_create(ash_world *world, ash_force_callback callback, void *user, const char *name,
                                       ash_force *force, ash_diagnostic *diagnostic);

/* Removes a force of any kind; sleeping bodies wake. */
ASH_API ash_status ash_force_destroy(ash_world *world, ash_force force);
/* Whether the handle belongs to a force of this world. Never misuse. */
ASH_API bool ash_force_is_valid(const ash_world *world, ash_force force);
/* The kind; ASH_FORCE_KINDS for an invalid handle. */
ASH_API ash_force_kind ash_force_get_kind(const ash_world *world, ash_force force);
/* The name, empty for none; it belongs to the world and is valid as long as the force exists. */
ASH_API const char *ash_force_get_name(const ash_world *world, ash_force force);
/* Switches a force off or on again. Its stored energy enters or leaves the ledger as external work. */
ASH_API ash_status ash_force_set_enabled(ash_world *world, ash_force force, bool enabled);
/* Whether it is enabled; false for an invalid handle. */
ASH_API bool ash_force_get_enabled(const ash_world *world, ash_force force);
ASH_API double ash_force_get_energy(const ash_world *world, ash_force force); /* stored at the present state, J */
ASH_API uint32_t ash_world_get_forces(const ash_world *world, ash_force *forces, uint32_t capacity);
/* The first force of that name, or null. */
ASH_API ash_force ash_world_find_force(const ash_world *world, const char *name);

#ifdef __cplusplus
}
#endif

#endif
