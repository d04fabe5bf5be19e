/* The curve of a path joint: a cubic spline through points, continuous up to the curvature. An open path has zero
 * curvature at its ends and continues straight beyond them; a closed path has no ends. Parameters increase by the
 * distance of points, so that they are close to arc length; those of a closed path wrap around. */
#ifndef ASHI_MODEL_PATH_H
#define ASHI_MODEL_PATH_H

#include "ashlar/base.h"
#include "math/vec3.h"
#include "model/joints.h"

/* The path at a parameter t. */
typedef struct ashi_path_point {
    ash_vec3 place, first, second, third; /* c and its derivatives by t */
    double length;                        /* arc length from the first point */
    ash_vec3 across, across_rate;         /* a vector close to the normal plane that turns little along the path, and
                                             its d/dt */
} ashi_path_point;

/* Whether a path can be made of these points; the diagnostic says why not. */
bool ashi_path_check(const ash_vec3 *points, uint32_t count, bool closed, ash_diagnostic *diagnostic);
/* One block of memory, released by ashi_dealloc; null when there is none. `planar`: z is ignored. The same points give
 * the same bits. */
ashi_joint_path *ashi_path_create(const ash_vec3 *points, uint32_t count, bool closed, bool planar);
/* Finds where the path turns back on itself (a point without a direction): the number of the point before it. False:
 * nowhere.
 */
bool ashi_path_turns_back(const ashi_joint_path *path, uint32_t *point);

const ash_vec3 *ashi_path_points(const ashi_joint_path *path, uint32_t *count, bool *closed);
double ashi_path_length(const ashi_joint_path *path);
ashi_path_point ashi_path_at(const ashi_joint_path *path, double t);
/* The approximate parameter at an arc length: a start for finding a foot. */
double ashi_path_near_length(const ashi_joint_path *path, double length);
/* The parameter near the point of the path that is nearest to p. */
double ashi_path_nearest(const ashi_joint_path *path, ash_vec3 p);
/* The foot of p: the parameter of a local minimum of the distance to p, found by descent from `start`. */
double ashi_path_foot(const ashi_joint_path *path, ash_vec3 p, double start);

#endif
