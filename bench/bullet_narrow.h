/* Bullet's narrow phase behind plain functions, to be timed beside ours with the same pairs. Built when Bullet was
 * found at configure time (BENCH_BULLET is then defined). */
#ifndef BENCH_BULLET_NARROW_H
#define BENCH_BULLET_NARROW_H

#include "ashlar/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bullet_narrow bullet_narrow;

/* Two shapes and Bullet's algorithm for them. Null when Bullet has no such shape or pair, or there is no memory. */
bullet_narrow *bullet_narrow_create(const ash_geometry *a, const ash_geometry *b);
void bullet_narrow_destroy(bullet_narrow *narrow);
/* Collides b at its pose with a at the origin, as if they had never met, and returns the number of points. */
uint32_t bullet_narrow_collide(bullet_narrow *narrow, const ash_transform *b_in_a);

#ifdef __cplusplus
}
#endif

#endif
