/* Bullet's sequential impulses (btSequentialImpulseConstraintSolver) on a contact problem of ours: the same bodies,
 * points, directions of the normal and coefficients. Built when Bullet was found (BENCH_BULLET is then defined). */
#ifndef BENCH_BULLET_SOLVE_H
#define BENCH_BULLET_SOLVE_H

#include "problem/system_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bullet_solve bullet_solve;

/* For contacts with two tangents between bodies that may move along and about all axes, whose principal axes are the
 * world's. Null when there is no memory. */
bullet_solve *bullet_solve_create(const ashi_system *problem);
void bullet_solve_destroy(bullet_solve *solve);
/* From the predicted velocities and no impulses; `two_directions` of friction, as ours, or Bullet's usual one along the
 * velocity of slip. */
void bullet_solve_run(bullet_solve *solve, const ashi_system *problem, int iterations, bool two_directions);
/* Bullet's impulses in the problem's rows. */
void bullet_solve_take_impulses(const bullet_solve *solve, ashi_system *problem);

#ifdef __cplusplus
}
#endif

#endif
