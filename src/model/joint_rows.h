/* The reusable rows of which all joints are composed. Each gives a coordinate C of frame b against frame a with its
 * exact derivatives: dC/dt = J v, and d2C/dt2 = J a + drift at the state's velocities. They set J, error, drift and
 * `angular` of a row and leave the other fields unchanged.
 *
 * Forces along J conserve momentum and angular momentum at any error: the force on a acts at the foot point below the
 * origin of b (Bender & Schmitt 2006, 4.2), or half-way where two points meet. */
#ifndef ASHI_MODEL_JOINT_ROWS_H
#define ASHI_MODEL_JOINT_ROWS_H

#include "model/joints.h"

/* A joint's frames at a state, in world axes. */
typedef struct ashi_joint_frames {
    const ashi_model *model;
    const ashi_state *state;
    ash_vec3 origin_a, origin_b;
    ash_vec3 offset;                                 /* origin_b - origin_a */
    ash_quat turn;                                   /* of frame b against frame a: R_a^T R_b */
    ash_vec3 axes_a[3];                              /* x, y, z of frame a */
    ash_vec3 axes_b[3];                              /* ... of frame b */
    ash_vec3 arm_a, arm_b;                           /* origins from the centres of mass */
    ash_vec3 velocity_a, velocity_b, spin_a, spin_b; /* of the centres of mass */
    ash_vec3 rate;                                   /* of the offset */
    ash_vec3 drift;                                  /* its second derivative without accelerations, ... */
    ash_vec3 drift_in_a; /* ... and as seen from a, which rotates: n . drift_in_a is the drift of n . offset for n fixed
                            in a */
    bool planar;
} ashi_joint_frames;

ashi_joint_frames ashi_joint_frames_at(const ashi_model *model, const ashi_joint_entry *joint, const ashi_state *state);

/* dC/dt of a row at the frames' velocities. */
double ashi_joint_row_rate(const ashi_joint_frames *frames, const ashi_joint_row *row);

/* C = n . (origin_b - origin_a), n a unit vector fixed in a. m */
void ashi_point_row(const ashi_joint_frames *frames, ash_vec3 n, ashi_joint_row *row);

/* Two points that are held together: origin_b - origin_a along the first `count` axes of a, two or three, which turn
 * with the mean of both spins. The forces act half-way between the points, so that it does not matter which body is a.
 * dC/dt = J v holds in these turning axes only, so C is not a coordinate, but C = 0 is preserved. m */
void ashi_coincidence_rows(const ashi_joint_frames *frames, int count, ashi_joint_row *rows);

/* C = |origin_b - origin_a|. If that is 0, its direction is x of a. m */
void ashi_distance_row(const ashi_joint_frames *frames, ashi_joint_row *row);

/* The excess of the angle between an axis fixed in b and one fixed in a over `angle`: C = (cos angle - a . b) / sin
 * angle, which is correct to first order and smooth everywhere. rad */
void ashi_axes_row(const ashi_joint_frames *frames, ash_vec3 a, ash_vec3 b, double angle, ashi_joint_row *row);

/* The angle between an axis fixed in a and one fixed in b, in [0, pi]: the direction is arbitrary at its ends. rad */
void ashi_angle_row(const ashi_joint_frames *frames, ash_vec3 a, ash_vec3 b, ashi_joint_row *row);

/* The rotation vector of frame b against frame a: three rows, along x, y and z of a. At most half a turn long. rad */
void ashi_rotation_rows(const ashi_joint_frames *frames, ashi_joint_row rows[3]);

/* How far axis i of b has swung out of axis i of a: the two components about axes i + 1 and i + 2 of a (cyclically) of
 * the shortest rotation between them. rad */
void ashi_swing_rows(const ashi_joint_frames *frames, int i, ashi_joint_row rows[2]);

/* The twist of b relative to a about axis i: the rest of their rotation without that swing. The angle of a hinge; (-pi,
 * pi]. rad */
void ashi_twist_row(const ashi_joint_frames *frames, int i, ashi_joint_row *row);

/* Two axes that cross: the angle about axis i + 1 of a (`of_a`), or about axis i + 2 of b, when these two stay at an
 * angle. E.g. i = z: a universal joint's angle about x of a, or about y of b; (-pi, pi]. rad */
void ashi_cross_row(const ashi_joint_frames *frames, int i, bool of_a, ashi_joint_row *row);

/* sum = sum + factor * row: J, error and drift. */
void ashi_joint_row_add(ashi_joint_row *sum, const ashi_joint_row *row, double factor);

/* The held rows of removed freedoms (bits; rotations as ash_joint_def.removed says, one alone at `angle`). Returns how
 * many there are. */
uint32_t ashi_removed_rows(const ashi_joint_frames *frames, uint32_t removed, double angle, ashi_joint_row *rows);
/* The coordinate of a freedom that is not removed. Angles lie within one turn. */
void ashi_kept_row(const ashi_joint_frames *frames, uint32_t removed, ash_freedom freedom, ashi_joint_row *row);

/* The angle that differs from `angle` by full turns and is nearest to `last`. */
double ashi_count_turns(double angle, double last);

#endif
