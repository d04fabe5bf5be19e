/* The value types of mechanics: vectors, quaternions, symmetric tensors, poses, boxes in space. */
#ifndef ASHLAR_VECTOR_H
#define ASHLAR_VECTOR_H

#include "ashlar/base.h"

#include <math.h>

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

/* A pose: first rotate, then translate. */
typedef struct ash_transform {
    ash_vec3 position;
    ash_quat rotation;
} ash_transform;

/* An axis-aligned box; empty when lower exceeds upper. */
typedef struct ash_bounds {
    ash_vec3 lower, upper;
} ash_bounds;

/* The identity pose. */
ASH_API ash_transform ash_identity(void);

/* The rotation by `angle` (rad) about `axis`, which need not be a unit vector; a zero axis gives no rotation. */
ASH_API ash_quat ash_rotation(ash_vec3 axis, double angle);

/* Operations on these values, inline so that a host needs no vector library of its own. None checks its arguments. */

/* A vector by its components. */
static inline ash_vec3 ash_vec3_make(double x, double y, double z)
{
    ash_vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

/* a + b. */
static inline ash_vec3 ash_vec3_add(ash_vec3 a, ash_vec3 b)
{
    return ash_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

/* a - b. */
static inline ash_vec3 ash_vec3_subtract(ash_vec3 a, ash_vec3 b)
{
    return ash_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

/* v times a number. */
static inline ash_vec3 ash_vec3_scale(ash_vec3 v, double factor)
{
    return ash_vec3_make(v.x * factor, v.y * factor, v.z * factor);
}

/* The scalar product. */
static inline double ash_vec3_dot(ash_vec3 a, ash_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* The vector product. */
static inline ash_vec3 ash_vec3_cross(ash_vec3 a, ash_vec3 b)
{
    return ash_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* The length of v. */
static inline double ash_vec3_length(ash_vec3 v)
{
    return sqrt(ash_vec3_dot(v, v));
}

/* The unit vector along v; zero for zero. */
static inline ash_vec3 ash_vec3_unit(ash_vec3 v)
{
    double length = ash_vec3_length(v);
    return length > 0 ? ash_vec3_scale(v, 1 / length) : v;
}

/* The rotation that turns by b first, then by a. */
static inline ash_quat ash_quat_multiply(ash_quat a, ash_quat b)
{
    ash_quat q;
    q.w = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z;
    q.x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y;
    q.y = a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x;
    q.z = a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w;
    return q;
}

/* The opposite rotation. */
static inline ash_quat ash_quat_inverse(ash_quat q)
{
    q.x = -q.x;
    q.y = -q.y;
    q.z = -q.z;
    return q;
}

/* v turned by q: from body axes into world axes. */
static inline ash_vec3 ash_quat_rotate(ash_quat q, ash_vec3 v)
{
    ash_vec3 axis = ash_vec3_make(q.x, q.y, q.z);
    ash_vec3 twice = ash_vec3_scale(ash_vec3_cross(axis, v), 2);
    return ash_vec3_add(v, ash_vec3_add(ash_vec3_scale(twice, q.w), ash_vec3_cross(axis, twice)));
}

/* A point in the frame of the pose, in world coordinates. */
static inline ash_vec3 ash_transform_point(ash_transform pose, ash_vec3 point)
{
    return ash_vec3_add(pose.position, ash_quat_rotate(pose.rotation, point));
}

/* A point of the world, in the frame of the pose. */
static inline ash_vec3 ash_transform_point_to_local(ash_transform pose, ash_vec3 point)
{
    return ash_quat_rotate(ash_quat_inverse(pose.rotation), ash_vec3_subtract(point, pose.position));
}

/* The pose of a frame that has the pose `inner` in the frame of `outer`. */
static inline ash_transform ash_transform_multiply(ash_transform outer, ash_transform inner)
{
    ash_transform pose;
    pose.position = ash_transform_point(outer, inner.position);
    pose.rotation = ash_quat_multiply(outer.rotation, inner.rotation);
    return pose;
}

/* The inverse pose: that of the world in the frame of `pose`. */
static inline ash_transform ash_transform_inverse(ash_transform pose)
{
    ash_transform inverse;
    inverse.rotation = ash_quat_inverse(pose.rotation);
    inverse.position = ash_quat_rotate(inverse.rotation, ash_vec3_scale(pose.position, -1));
    return inverse;
}

#ifdef __cplusplus
}
#endif

#endif
