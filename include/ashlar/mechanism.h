/* The dynamics of mechanisms in the coordinates of their joints: mass matrix, bias forces, inverse and forward
 * dynamics, Jacobians, by algorithms whose time is proportional to the number of bodies (Featherstone 2008).
 *
 * A mechanism is made of all dynamic bodies and enabled joints of a world: a tree, whose coordinates are those of its
 * joints, and joints that close loops. It has its own state, positions and rates, which starts as the world's. Rods,
 * ropes, gears, racks, pulleys, paths and cylinders have no coordinates here: their constraints count as loops. Forces,
 * and limits, springs, motors and friction of joints, are left to the caller. Compliant joints count as rigid.
 *
 * The coordinates of a link are one of these:
 *
 *   moves and turns of a joint: one position (m, rad) and its rate, in the order of ash_freedom; a universal joint
 *   turns first about x of frame a, then about y of b; a screw has its angle
 *
 *   all rotations (ball, ...): four positions, the unit quaternion w x y z of frame b seen from a, and three rates: the
 *   angular velocity of b relative to a along the axes of frame b, rad/s
 *
 *   a floating body: the position of its frame in the world and its quaternion; the velocity of its frame's origin
 *   along the world's axes and its angular velocity along its own axes */
#ifndef ASHLAR_MECHANISM_H
#define ASHLAR_MECHANISM_H

#include "ashlar/base.h"
#include "ashlar/joint.h"
#include "ashlar/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ash_mechanism ash_mechanism;

/* Makes the mechanism of a world, which must outlive it. Bad data: a body with joints and locks, or a floating one that
 * turns about two axes only. When bodies or joints are added, removed, enabled or disabled, the mechanism is outdated:
 * every call except ash_mechanism_destroy is then misuse and returns ASH_BAD_HANDLE. */
ASH_API ash_status ash_mechanism_create(ash_world *world, ash_mechanism **mechanism, ash_diagnostic *diagnostic);
/* Releases it. Null is ignored. */
ASH_API void ash_mechanism_destroy(ash_mechanism *mechanism);

typedef struct ash_mechanism_size {
    uint32_t positions, rates; /* number of position and rate coordinates */
    uint32_t bodies;           /* links of the tree */
    uint32_t loops;            /* joints that close loops, ... */
    uint32_t loop_rows;        /* ... and the rows that they remove */
} ash_mechanism_size;
/* The size of the mechanism. */
ASH_API ash_mechanism_size ash_mechanism_get_size(const ash_mechanism *mechanism);

/* What a rate belongs to. */
typedef struct ash_mechanism_coordinate {
    ash_body body;       /* the link */
    ash_joint joint;     /* null: the body floats */
    ash_freedom freedom; /* of the joint, or along and about the world's axes */
    uint32_t position;   /* index in the list of positions; for a quaternion the index of its w */
    bool quaternion;     /* one of the three rates that belong to a quaternion */
} ash_mechanism_coordinate;
/* The coordinates of the rates: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_mechanism_get_coordinates(const ash_mechanism *mechanism, ash_mechanism_coordinate *coordinates,
                                               uint32_t capacity);

/* Takes over the present state of the world. */
ASH_API ash_status ash_mechanism_look(ash_mechanism *mechanism);
/* The mechanism's state: `positions` and `rates` have room for all coordinates; either may be null. */
ASH_API ash_status ash_mechanism_get_state(const ash_mechanism *mechanism, double *positions, double *rates);
/* Sets the state. Quaternions need not be exactly unit; null leaves positions or rates unchanged. Loops may open. */
ASH_API ash_status ash_mechanism_set_state(ash_mechanism *mechanism, const double *positions, const double *rates);
/* Gives the bodies of the world the poses and velocities of this state: the way to set the initial state of a
 * simulation by joint coordinates and rates. ash_world_assemble closes loops that are open. */
ASH_API ash_status ash_mechanism_apply(ash_mechanism *mechanism);

/* The pose of a link's body frame in this state, m; for other bodies their pose in the world. */
ASH_API ash_transform ash_mechanism_get_transform(const ash_mechanism *mechanism, ash_body body);

/* The mass matrix, rates x rates numbers: kinetic energy = v . M v / 2. Composite rigid body algorithm. */
ASH_API ash_status ash_mechanism_get_mass_matrix(ash_mechanism *mechanism, double *matrix);
/* The forces along the coordinates that keep all accelerations at zero: gyroscopic terms and gravity, N or N m. M
 * a + bias = forces. */
ASH_API ash_status ash_mechanism_get_bias(ash_mechanism *mechanism, double *bias);
/* The forces along the coordinates that give these accelerations, by the recursive Newton-Euler algorithm, for the tree
 * with its loops cut. */
ASH_API ash_status ash_mechanism_inverse_dynamics(ash_mechanism *mechanism, const double *accelerations,
                                                  double *forces);
/* The accelerations under gravity and these forces along the coordinates (null: none), by the articulated body
 * algorithm; loops are held closed. ASH_NUMERICS: a coordinate moves no mass. */
ASH_API ash_status ash_mechanism_forward_dynamics(ash_mechanism *mechanism, const double *forces,
                                                  double *accelerations);
/* The Jacobian of the body's material point that is at `point` in the world: six rows with one number for each rate;
 * the rows are the velocity along x, y, z and the angular velocity about x, y, z of the world. */
ASH_API ash_status ash_mechanism_get_jacobian(ash_mechanism *mechanism, ash_body body, ash_vec3 point,
                                              double *jacobian);
/* Advances the state by h seconds (h > 0) under constant forces (null: none), by the classical Runge-Kutta method. The
 * world does not change. ASH_NUMERICS: as for forward dynamics, or a number overflowed; the state is then unchanged. */
ASH_API ash_status ash_mechanism_step(ash_mechanism *mechanism, const double *forces, double h);

#ifdef __cplusplus
}
#endif

#endif
