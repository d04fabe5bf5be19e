/* The dynamics of mechanisms in the coordinates of their joints: mass matrix, bias forces, inverse and forward
 * dynamics, Jacobians, by algorithms whose time grows as the number of bodies (Featherstone 2008).
 *
 * A mechanism is made of all dynamic bodies and enabled joints of a world: a tree, whose coordinates are those of its
 * joints, and joints that close loops. It has a state of its own, positions and rates, which begins as the world's.
 * Rods, ropes, gears, racks, pulleys, paths and cylinders have no coordinates here: what they hold closes loops, and
 * what else acts in joints (limits, springs, motors, friction) and forces are left to the caller. Compliant joints
 * count as rigid.
 *
 * Coordinates, link by link:
 *   moves and turns of a joint   one position (m, rad) and its rate, in the order of ash_freedom; of a universal joint
 * first about x of frame a, then about y of b; a screw has its angle all rotations (ball, ...)    four positions, the
 * unit quaternion w x y z of frame b seen from a, and three rates: the angular velocity of b against a along the axes
 * of frame b, rad/s a body that floats           its frame's position in the world and that quaternion, the velocity of
 * its frame's origin along the world's axes and its angular velocity along its own */
#ifndef ASHLAR_MECHANISM_H
#define ASHLAR_MECHANISM_H

#include "ashlar/base.h"
#include "ashlar/joint.h"
#include "ashlar/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ash_mechanism ash_mechanism;

/* Makes the mechanism of a world, which must outlive it. Bad data: a jointed body with locks, or a floating one that
 * turns about two axes. When bodies or joints come, go or are switched, the mechanism is outdated: every call but
 * ash_mechanism_destroy is then misuse, and answers ASH_BAD_HANDLE. */
ASH_API ash_status ash_mechanism_create(ash_world *world, ash_mechanism **mechanism, ash_diagnostic *diagnostic);
/* Releases it. Null is ignored. */
ASH_API void ash_mechanism_destroy(ash_mechanism *mechanism);

typedef struct ash_mechanism_size {
    uint32_t positions, rates; /* lengths of the lists */
    uint32_t bodies;           /* links of the tree */
    uint32_t loops;            /* joints that close loops, ... */
    uint32_t loop_rows;        /* ... and what they hold */
} ash_mechanism_size;
/* The lengths of its lists. */
ASH_API ash_mechanism_size ash_mechanism_get_size(const ash_mechanism *mechanism);

/* What a rate belongs to. */
typedef struct ash_mechanism_coordinate {
    ash_body body;       /* the link */
    ash_joint joint;     /* null: the body floats */
    ash_freedom freedom; /* of the joint, or along and about the world's axes */
    uint32_t position;   /* in the list of positions; of rotations with a quaternion: that of its w */
    bool quaternion;     /* one of three rates with a quaternion */
} ash_mechanism_coordinate;
/* What the rates belong to: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_mechanism_get_coordinates(const ash_mechanism *mechanism, ash_mechanism_coordinate *coordinates,
                                               uint32_t capacity);

/* Takes the state from the world's present one. */
ASH_API ash_status ash_mechanism_look(ash_mechanism *mechanism);
/* The mechanism's state: `positions` and `rates` have room for their lists; null: not wanted. */
ASH_API ash_status ash_mechanism_get_state(const ash_mechanism *mechanism, double *positions, double *rates);
/* Changes it. Quaternions need not be exactly unit; null leaves positions or rates as they are. Loops may open. */
ASH_API ash_status ash_mechanism_set_state(ash_mechanism *mechanism, const double *positions, const double *rates);
/* Moves the bodies of the world to where the state has them, with its velocities: the initial state of a simulation by
 * joint coordinates and rates. Where loops are open, ash_world_assemble closes them. */
ASH_API ash_status ash_mechanism_apply(ash_mechanism *mechanism);

/* The pose of a link's body frame in the world at the state, m; of other bodies that of the world. */
ASH_API ash_transform ash_mechanism_get_transform(const ash_mechanism *mechanism, ash_body body);

/* The mass matrix at the state, rates by rates numbers: kinetic energy = v . M v / 2. By composite rigid bodies. */
ASH_API ash_status ash_mechanism_get_mass_matrix(ash_mechanism *mechanism, double *matrix);
/* The forces along the coordinates that keep all accelerations at zero in the state: of velocities and against gravity,
 * N or N m. M a + bias = forces. */
ASH_API ash_status ash_mechanism_get_bias(ash_mechanism *mechanism, double *bias);
/* The forces along the coordinates that give these accelerations, by recursive Newton-Euler: of the tree, loops cut. */
ASH_API ash_status ash_mechanism_inverse_dynamics(ash_mechanism *mechanism, const double *accelerations,
                                                  double *forces);
/* The accelerations under gravity and these forces along the coordinates (null: none), by articulated bodies; loops are
 * held. ASH_NUMERICS: a coordinate moves no mass. */
ASH_API ash_status ash_mechanism_forward_dynamics(ash_mechanism *mechanism, const double *forces,
                                                  double *accelerations);
/* The Jacobian of the point of a body that is at `point` in the world: six rows of as many numbers as rates, the
 * velocity along x, y, z and the angular velocity about x, y, z of the world. */
ASH_API ash_status ash_mechanism_get_jacobian(ash_mechanism *mechanism, ash_body body, ash_vec3 point,
                                              double *jacobian);
/* Takes the state on by h seconds (h > 0) under constant forces (null: none), by the classical Runge-Kutta method. The
 * world stays. ASH_NUMERICS: as for forward dynamics, or a number overflowed; the state is as before. */
ASH_API ash_status ash_mechanism_step(ash_mechanism *mechanism, const double *forces, double h);

#ifdef __cplusplus
}
#endif

#endif
