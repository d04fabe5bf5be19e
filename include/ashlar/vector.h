/* The value types of mechanics: vectors, quaternions, symmetric tensors, poses, boxes in space. */
#ifndef ASHLAR_VECTOR_H
#define ASHLAR_VECTOR_H

#include "ashlar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ash_vec3 {
    double x, y, z;
} ash_vec3;

/* A unit quaternion turns body axes into world axes. */
typedef struct ash_quat {
    double w, x, y, z;
} ash_quat;

/* A 3x3 matrix by its columns. */
typedef struct ash_mat3 {
    ash_vec3 x, y, z;
} ash_mat3;

/* A symmetric 3x3 matrix, such as an inertia tensor; xy, xz, yz are the matrix entries (for inertia: minus the products
 * of inertia). */
typedef struct ash_sym3 {
    double xx, yy, zz, xy, xz, yz;
} ash_sym3;

/* A pose: first turn, then move. */
typedef struct ash_transform {
    ash_vec3 position;
    ash_quat rotation;
} ash_transform;

/* An axis-aligned box; empty when lower exceeds upper. */
typedef struct ash_bounds {
    ash_vec3 lower, upper;
} ash_bounds;

/* The pose that changes nothing. */
ASH_API ash_transform ash_identity(void);

/* The rotation by `angle` (rad) about `axis`, which need not be a unit vector; a zero axis gives no rotation. */
ASH_API ash_quat ash_rotation(ash_vec3 axis, double angle);

#ifdef __cplusplus
}
#endif

#endif
