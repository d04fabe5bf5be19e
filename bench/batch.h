/* Worlds for batches, ours and MuJoCo's. */
#ifndef BENCH_BATCH_H
#define BENCH_BATCH_H

#include "ashlar/ashlar.h"
#include "base/tasks.h"

/* A motor of a joint in MuJoCo: the servo's gains, and where its target is at a time. */
typedef struct batch_servo {
    ash_joint joint;
    double rate; /* rad/s: the target is rate times the time */
} batch_servo;

typedef struct batch_rival batch_rival;

/* MuJoCo's copies of a world of hinges, sliders and servos, whose disabled hinges close loops; null with `why` when it
 * cannot be made, or when there is no MuJoCo. */
batch_rival *batch_rival_create(ash_world *world, const batch_servo *servos, uint32_t servo_count, double h,
                                uint32_t copies, const char **why);
void batch_rival_destroy(batch_rival *rival);
/* Each copy takes `steps` steps. */
void batch_rival_go(batch_rival *rival, ashi_tasks *tasks, uint32_t steps);
/* The height of a body in the first copy, m. */
double batch_rival_height(batch_rival *rival, const char *body);

#endif
