/* Bodies and the shapes that give them mass. */
#ifndef ASHLAR_BODY_H
#define ASHLAR_BODY_H

#include "ashlar/base.h"
#include "ashlar/geometry.h"
#include "ashlar/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ash_world ash_world;

typedef enum ash_body_type {
    ASH_BODY_DYNAMIC,   /* moves under forces */
    ASH_BODY_STATIC,    /* never moves */
    ASH_BODY_KINEMATIC, /* moves with its given velocity, whatever pushes it */
    ASH_BODY_TYPES
} ash_body_type;

/* Locked freedoms of a body, along and about the world's axes. */
typedef enum ash_lock {
    ASH_LOCK_X = 1,
    ASH_LOCK_Y = 2,
    ASH_LOCK_Z = 4,
    ASH_LOCK_ROTATION_X = 8,
    ASH_LOCK_ROTATION_Y = 16,
    ASH_LOCK_ROTATION_Z = 32,
    ASH_LOCK_ROTATION = 56 /* a point mass: translates only */
} ash_lock;

typedef struct ash_body_def {
    ash_body_type type;
    const char *name;          /* copied; null or empty for none; need not be unique */
    ash_vec3 position;         /* of the body's frame, m */
    ash_quat rotation;         /* need not be exactly unit; zero is an error */
    ash_vec3 velocity;         /* of the centre of mass, m/s */
    ash_vec3 angular_velocity; /* in world axes, rad/s */
    double mass;               /* kg; 0: computed from the shapes' densities */
    ash_vec3 centre;           /* of the given mass, in the body's frame */
    ash_sym3 inertia;          /* about the centre, along the body's axes; all 0 with a mass given: the shapes' inertia
                                  scaled to that mass, or, without shapes, a point mass whose rotation is locked */
    double gravity_scale;      /* 1: full gravity */
    double linear_damping;     /* force -c m v, c in 1/s */
    double angular_damping;    /* torque -c I w, c in 1/s */
    uint32_t locks;            /* of ash_lock */
    bool fast;                 /* search for impacts within a step against every body, not only static ones; a body that
                                  moves by more than twice its thickness in a step needs no flag */
    void *user_data;
} ash_body_def;
/* A dynamic body at the origin, at rest, with the mass of its shapes, undamped and unlocked. */
ASH_API ash_body_def ash_default_body_def(void);

/* As a density: use the material's density at the shape's creation. Other negative numbers are refused. */
#define ASH_MATERIAL_DENSITY (-1e300)

/* A shape is a geometry at a pose on a body. */
typedef struct ash_shape_def {
    ash_geometry *geometry;    /* retained */
    ash_transform pose;        /* in the body's frame */
    ash_material material;     /* null: the world's default one */
    double density;            /* kg/m3, flat kinds kg/m2; 0 adds no mass; ASH_MATERIAL_DENSITY: the material's */
    const char *name;          /* copied; null for none */
    ash_vec3 surface_velocity; /* of the surface relative to the body, as of a conveyor belt; m/s in the body's frame */
    /* Two shapes meet when each one's mask has a bit of the other's category. Shapes of the same group, if it is not 0,
     * always meet (a positive group) or never (a negative one), whatever the masks say. Shapes of one body never meet.
     */
    uint64_t category, mask;
    int32_t group;
    bool sensor; /* contacts are reported, but carry no force */
    void *user_data;
} ash_shape_def;
ASH_API ash_shape_def ash_default_shape_def(void); /* the material's density, category 1, mask all */

/* Makes a body with `shape_count` shapes. Bad data (a dynamic body without mass, an impossible inertia, a flat shape
 * outside a planar world) gives a diagnostic and no body. */
ASH_API ash_status ash_body_create(ash_world *world, const ash_body_def *def, const ash_shape_def *shapes,
                                   uint32_t shape_count, ash_body *body, ash_diagnostic *diagnostic);

/* Removes a body with its shapes and every force attached to it. */
ASH_API ash_status ash_body_destroy(ash_world *world, ash_body body);

/* Whether the handle is that of a body of this world. Never misuse. */
ASH_API bool ash_body_is_valid(const ash_world *world, ash_body body);

/* The static body that always exists: attach forces and joints to it to fix things in the world. */
ASH_API ash_body ash_world_get_background(const ash_world *world);

/* Copies the handles of at most `capacity` bodies in the order of their slots, without the background; returns how many
 * there are. */
ASH_API uint32_t ash_world_get_bodies(const ash_world *world, ash_body *bodies, uint32_t capacity);

/* The first body of that name, or null. */
ASH_API ash_body ash_world_find_body(const ash_world *world, const char *name);

/* For an invalid handle, getters report misuse and return the values of the background: a static body at the origin. */

/* Dynamic, static or kinematic. */
ASH_API ash_body_type ash_body_get_type(const ash_world *world, ash_body body);
/* The name, empty for none. It belongs to the world and is valid until the name is set again or the body is
 * destroyed. */
ASH_API const char *ash_body_get_name(const ash_world *world, ash_body body);
/* The pointer that the host gave; the library never dereferences it. */
ASH_API void *ash_body_get_user_data(const ash_world *world, ash_body body);
/* The pose of the body's frame in the world, m. */
ASH_API ash_transform ash_body_get_transform(const ash_world *world, ash_body body);
ASH_API ash_vec3 ash_body_get_centre(const ash_world *world, ash_body body); /* of mass, in the world */
/* The velocity of the centre of mass, world axes, m/s. */
ASH_API ash_vec3 ash_body_get_velocity(const ash_world *world, ash_body body);
/* In world axes, rad/s. */
ASH_API ash_vec3 ash_body_get_angular_velocity(const ash_world *world, ash_body body);
ASH_API ash_mass_properties ash_body_get_mass(const ash_world *world, ash_body body); /* in the body's frame */
ASH_API double ash_body_get_kinetic_energy(const ash_world *world, ash_body body);
/* Mass times the velocity of the centre, world axes, kg m/s; zero for bodies that are not dynamic. */
ASH_API ash_vec3 ash_body_get_momentum(const ash_world *world, ash_body body);
ASH_API ash_vec3 ash_body_get_angular_momentum(const ash_world *world, ash_body body); /* about its centre */
ASH_API ash_vec3 ash_body_point_to_world(const ash_world *world, ash_body body, ash_vec3 local_point);
/* Where a point of the world is in the body's frame, m. */
ASH_API ash_vec3 ash_body_point_to_local(const ash_world *world, ash_body body, ash_vec3 world_point);
/* The velocity of the material point that is at `world_point` now, world axes, m/s. */
ASH_API ash_vec3 ash_body_get_point_velocity(const ash_world *world, ash_body body, ash_vec3 world_point);
/* The factor of gravity for this body; 1 unless it was set. */
ASH_API double ash_body_get_gravity_scale(const ash_world *world, ash_body body);
/* The coefficient of translation of ash_body_set_damping, 1/s. */
ASH_API double ash_body_get_linear_damping(const ash_world *world, ash_body body);
/* The same for rotation, 1/s. */
ASH_API double ash_body_get_angular_damping(const ash_world *world, ash_body body);
/* The locked freedoms of the body: bits of ash_lock. */
ASH_API uint32_t ash_body_get_locks(const ash_world *world, ash_body body);

/* Setters: arguments must be finite. Energy that they add is recorded in the ledger as external work. Locked components
 * of a velocity are dropped. */

/* Makes the body dynamic, static or kinematic. A body that becomes dynamic needs mass. */
ASH_API ash_status ash_body_set_type(ash_world *world, ash_body body, ash_body_type type);
/* The name is copied; null or empty for none. */
ASH_API ash_status ash_body_set_name(ash_world *world, ash_body body, const char *name);
/* The pointer that ash_body_get_user_data returns. */
ASH_API ash_status ash_body_set_user_data(ash_world *world, ash_body body, void *user_data);
/* Puts the body's frame at a pose in the world, m; the quaternion need not be exactly unit. Velocities do not
 * change. */
ASH_API ash_status ash_body_set_transform(ash_world *world, ash_body body, ash_transform transform);
/* Sets the velocity of the centre of mass, world axes, m/s. Misuse for static bodies. */
ASH_API ash_status ash_body_set_velocity(ash_world *world, ash_body body, ash_vec3 velocity);
/* Sets the angular velocity in world axes, rad/s. Misuse for static bodies. */
ASH_API ash_status ash_body_set_angular_velocity(ash_world *world, ash_body body, ash_vec3 angular_velocity);
/* Mass, kg; centre in the body's frame, m; inertia about the centre along the body's axes, kg m2. A physically
 * impossible inertia gives a diagnostic and changes nothing. */
ASH_API ash_status ash_body_set_mass(ash_world *world, ash_body body, double mass, ash_vec3 centre, ash_sym3 inertia,
                                     ash_diagnostic *diagnostic);
/* Sets damping: force -linear m v and torque -angular I w, both coefficients in 1/s and not negative. */
ASH_API ash_status ash_body_set_damping(ash_world *world, ash_body body, double linear, double angular);
/* Sets the factor of gravity for this body: with 0 it floats, with a negative factor it rises. */
ASH_API ash_status ash_body_set_gravity_scale(ash_world *world, ash_body body, double scale);
/* Bits of ash_lock. Velocities along freedoms that become locked are dropped. */
ASH_API ash_status ash_body_set_locks(ash_world *world, ash_body body, uint32_t locks);

/* Forces and torques in world axes act during the next step only; the ledger records their work under loads. */

/* A force, N, at a point of the world, m. */
ASH_API ash_status ash_body_apply_force(ash_world *world, ash_body body, ash_vec3 force, ash_vec3 world_point);
/* A force, N, at the centre of mass. */
ASH_API ash_status ash_body_apply_force_to_centre(ash_world *world, ash_body body, ash_vec3 force);
/* A torque, N m. */
ASH_API ash_status ash_body_apply_torque(ash_world *world, ash_body body, ash_vec3 torque);

/* Impulses act at once. */

/* An impulse, N s, in world axes at a point of the world, m. */
ASH_API ash_status ash_body_apply_impulse(ash_world *world, ash_body body, ash_vec3 impulse, ash_vec3 world_point);
/* An angular impulse, N m s, in world axes. */
ASH_API ash_status ash_body_apply_angular_impulse(ash_world *world, ash_body body, ash_vec3 impulse);

/* The mean acceleration over the last step: the change of velocity, impacts included, divided by the step; world
 * axes. */
typedef struct ash_acceleration {
    ash_vec3 linear;  /* of the centre of mass, m/s2 */
    ash_vec3 angular; /* rad/s2 */
} ash_acceleration;
/* Whether the world computes accelerations in its steps; false at first. */
ASH_API bool ash_world_get_accelerations(const ash_world *world);
/* Switches this on or off. */
ASH_API ash_status ash_world_set_accelerations(ash_world *world, bool found);
/* The acceleration of a body in the last step; zero if the world computes none, and for bodies made since. */
ASH_API ash_acceleration ash_body_get_acceleration(const ash_world *world, ash_body body);
/* The readings of an accelerometer and a gyroscope at a point of the body, along the body's axes: the point's
 * acceleration in the last step minus gravity (see ash_body_get_acceleration), m/s2, ... */
ASH_API ash_vec3 ash_body_get_proper_acceleration(const ash_world *world, ash_body body, ash_vec3 local_point);
/* ... and the angular velocity, rad/s. */
ASH_API ash_vec3 ash_body_get_turn_rate(const ash_world *world, ash_body body);

/* Sleeping, as the method defines it. Setters and forces wake a body and all bodies that touch it. */
ASH_API bool ash_body_is_awake(const ash_world *world, ash_body body); /* true for bodies that never sleep */
ASH_API ash_status ash_body_wake(ash_world *world, ash_body body);     /* and the bodies that fell asleep with it */
/* Removes the velocity of a dynamic body and puts it to sleep, if the method has sleeping islands; it wakes as soon as
 * a body that is awake touches it. */
ASH_API ash_status ash_body_sleep(ash_world *world, ash_body body);

/* The shapes of a body in the order of their definitions: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_body_get_shapes(const ash_world *world, ash_body body, ash_shape *shapes, uint32_t capacity);
/* Whether the handle is that of a shape of this world. Never misuse. */
ASH_API bool ash_shape_is_valid(const ash_world *world, ash_shape shape);
/* The body that the shape is on; null for an invalid handle. */
ASH_API ash_body ash_shape_get_body(const ash_world *world, ash_shape shape);
/* The shape's geometry, null for an invalid handle. The world keeps its reference. */
ASH_API const ash_geometry *ash_shape_get_geometry(const ash_world *world, ash_shape shape);
ASH_API ash_transform ash_shape_get_pose(const ash_world *world, ash_shape shape); /* in the body's frame */
ASH_API const char *ash_shape_get_name(const ash_world *world, ash_shape shape);

#ifdef __cplusplus
}
#endif

#endif
