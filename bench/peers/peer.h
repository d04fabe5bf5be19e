/* Other engines beside ours: what a mechanism of ball joints is, and one table of functions for each engine.
 *
 * Bodies are given in frames at their centres of mass along their principal axes, so that every engine can take them.
 * An engine is built where its library was found; all run with their own default settings, on one thread, with damping
 * and sleeping off. */
#ifndef BENCH_PEERS_PEER_H
#define BENCH_PEERS_PEER_H

#include "ashlar/vector.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_body {
    double mass;       /* kg */
    ash_vec3 inertia;  /* principal moments along x, y, z of the frame, kg m2 */
    ash_vec3 position; /* of the centre */
    ash_quat rotation;
} peer_body;

#define PEER_WORLD UINT32_MAX

/* Two points that stay together, each in the frame of its body; of a, PEER_WORLD: in the world. */
typedef struct peer_joint {
    uint32_t a, b;
    ash_vec3 point_a, point_b;
} peer_joint;

/* A torque along the world's axes that acts for start <= t < stop. */
typedef struct peer_torque {
    uint32_t body;
    ash_vec3 torque; /* N m */
    double start, stop;
} peer_torque;

/* All start at rest, with their joints closed. */
typedef struct peer_mechanism {
    ash_vec3 gravity;
    uint32_t body_count, joint_count, torque_count;
    peer_body *bodies;
    peer_joint *joints;
    peer_torque *torques;
} peer_mechanism;

typedef struct peer {
    const char *name;
    /* Null when there is no memory, or the engine does not take the mechanism. */
    void *(*create)(const peer_mechanism *mechanism);
    void (*destroy)(void *engine);
    /* For the next step only. */
    void (*push)(void *engine, uint32_t body, ash_vec3 torque);
    /* False when the engine gave up. */
    bool (*step)(void *engine, double h);
    /* Where all bodies are after the last step. */
    void (*read)(void *engine, uint32_t body_count, ash_transform *places);
} peer;

/* Ours, made in the same way, by the methods that hold joints within 1e-6 m and by `realtime`. */
extern const peer peer_bender_schmitt, peer_engineering, peer_realtime, peer_bender_iterative;
/* MuJoCo with the joints as its coordinates (those that close loops as constraints), and with free bodies. */
extern const peer peer_mujoco_reduced, peer_mujoco_connect;
/* ODE's iterations, and its exact solution of all joints at once. */
extern const peer peer_ode_quickstep, peer_ode_worldstep;
/* Bullet's sequential impulses. */
extern const peer peer_bullet;

#ifdef __cplusplus
}
#endif

#endif
