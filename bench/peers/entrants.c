/* The rows of the table: ours, and the engines that were found. */
#include "peer.h"

#include <stddef.h>

/* What stands for an engine that was not found. */
#define NOT_FOUND(variable, name, is_flat)                                                                             \
    static const peer variable = {.engine = name, .settings = "", .flat = is_flat, .solid = !(is_flat)}

#ifndef BENCH_BULLET
NOT_FOUND(no_bullet, "Bullet", false);
#endif
#ifndef BENCH_ODE
NOT_FOUND(no_ode, "ODE", false);
#endif
#ifndef BENCH_MUJOCO
NOT_FOUND(no_mujoco, "MuJoCo", false);
#endif
#ifndef BENCH_BOX2D
NOT_FOUND(no_box2d, "Box2D", true);
#endif
#ifndef BENCH_CHIPMUNK
NOT_FOUND(no_chipmunk, "Chipmunk", true);
#endif

static const peer *const entrants[] = {
    &peer_realtime,      &peer_realtime_2,         &peer_engineering,    &peer_engineering_2,
    &peer_erleben,       &peer_erleben_2,          &peer_bender_schmitt,
#ifdef BENCH_BULLET
    &peer_bullet,        &peer_bullet_best,
#else
    &no_bullet,
#endif
#ifdef BENCH_ODE
    &peer_ode_quickstep, &peer_ode_quickstep_best, &peer_ode_worldstep,
#else
    &no_ode,
#endif
#ifdef BENCH_MUJOCO
    &peer_mujoco,        &peer_mujoco_best,        &peer_mujoco_connect,
#else
    &no_mujoco,
#endif
#ifdef BENCH_BOX2D
    &peer_box2d,         &peer_box2d_best,
#else
    &no_box2d,
#endif
#ifdef BENCH_CHIPMUNK
    &peer_chipmunk,      &peer_chipmunk_best,
#else
    &no_chipmunk,
#endif
};

const peer *peer_get(uint32_t number)
{
    return number < sizeof entrants / sizeof *entrants ? entrants[number] : NULL;
}
