/* Quantities of all bodies or joints of a world at once, as arrays of numbers.
 *
 * Row i of an array of bodies belongs to body i of ash_world_get_bodies; row i of an array of coordinates to coordinate
 * i of ash_world_get_coordinates. Rows are stored one after the other; each has the width of its array. */
#ifndef ASHLAR_ARRAY_H
#define ASHLAR_ARRAY_H

#include "ashlar/base.h"
#include "ashlar/joint.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ash_array {
    /* of bodies, world axes */
    ASH_ARRAY_POSITIONS,          /* of the bodies' frames, m; x y z */
    ASH_ARRAY_ROTATIONS,          /* unit quaternions w x y z */
    ASH_ARRAY_CENTRES,            /* of mass, m; x y z */
    ASH_ARRAY_VELOCITIES,         /* of the centres of mass, m/s; x y z */
    ASH_ARRAY_ANGULAR_VELOCITIES, /* rad/s; x y z */
    ASH_ARRAY_APPLIED_FORCES,     /* applied by the caller for the next step, at the centres of mass, N; x y z */
    ASH_ARRAY_APPLIED_TORQUES,    /* the same, N m; x y z */
    ASH_ARRAY_CONTACT_FORCES,     /* the sum of all contact forces on a body, N; x y z */
    ASH_ARRAY_CONTACT_TORQUES,    /* their moments about the centres of mass, N m; x y z */
    /* of joints' coordinates */
    ASH_ARRAY_JOINT_POSITIONS, /* m or rad */
    ASH_ARRAY_JOINT_RATES,     /* m/s or rad/s */
    ASH_ARRAY_JOINT_FORCES,    /* of motors, springs and friction along the coordinate in the last step, N or N m */
    ASH_ARRAY_MOTOR_TARGETS,   /* of motors, as in ash_joint_motor; 0 without a motor */
    ASH_ARRAYS
} ash_array;

/* The array's name, such as "angular-velocities"; empty for an unknown array. */
ASH_API const char *ash_array_name(ash_array array);
/* Numbers in a row; 0 for an unknown array. */
ASH_API uint32_t ash_array_width(ash_array array);
/* Whether ash_world_set_array accepts it. */
ASH_API bool ash_array_can_be_set(ash_array array);
/* The present number of rows: it changes only when bodies or joints are added or removed. */
ASH_API uint32_t ash_world_get_rows(const ash_world *world, ash_array array);

/* Writes all rows into `values`, which has room for `count` numbers. Misuse when `count` is not rows times width:
 * nothing is written. */
ASH_API ash_status ash_world_get_array(const ash_world *world, ash_array array, double *values, size_t count);
/* Sets all rows from `values`. Unless all numbers are finite and `count` is rows times width, nothing is changed. Rows
 * without a meaning are ignored: velocities of static bodies, forces on bodies that are not dynamic, and targets where
 * there is no motor. */
ASH_API ash_status ash_world_set_array(ash_world *world, ash_array array, const double *values, size_t count);

/* A freedom that a joint keeps. */
typedef struct ash_coordinate {
    ash_joint joint;
    ash_freedom freedom;
} ash_coordinate;
/* The coordinates of all joints: joints in the order of ash_world_get_joints, freedoms in that of ash_freedom. Copies
 * at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_get_coordinates(const ash_world *world, ash_coordinate *coordinates, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
