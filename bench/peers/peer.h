/* Other engines beside ours: what a scene is to all of them, and one table of functions for each engine.
 *
 * Bodies are given in frames at their centres of mass along axes in which their inertia is diagonal, so that every
 * engine can take them. An engine is built where its library was found. All run on one thread, with damping and
 * sleeping off, by their documented defaults or by the best settings that we found for them (docs/peers.md). */
#ifndef BENCH_PEERS_PEER_H
#define BENCH_PEERS_PEER_H

#include "ashlar/geometry.h"
#include "ashlar/vector.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ash_scene ash_scene;

typedef struct peer_shape {
    const ash_geometry *geometry;
    ash_transform pose; /* in the body's frame */
} peer_shape;

typedef struct peer_body {
    bool moves;
    bool present;        /* at the start; otherwise an event brings it in */
    double mass;         /* kg */
    ash_vec3 inertia;    /* along x, y, z of the frame, kg m2; flat scenes: z counts */
    ash_transform place; /* of the frame, when it enters */
    ash_vec3 velocity, spin;
    uint32_t first_shape, shape_count;
} peer_body;

#define PEER_WORLD UINT32_MAX

/* Two points that stay together, or `length` apart, each in the frame of its body; of a, PEER_WORLD: in the world.
 * Bodies with a length are point masses: an engine without such rods may turn them with the rod. */
typedef struct peer_joint {
    uint32_t a, b;
    ash_vec3 point_a, point_b;
    double length; /* m; 0: together */
} peer_joint;

/* A torque along the world's axes that acts for start <= t < stop. */
typedef struct peer_torque {
    uint32_t body;
    ash_vec3 torque; /* N m */
    double start, stop;
} peer_torque;

/* A body that enters or leaves before the first step at or after `time`. */
typedef struct peer_event {
    double time;
    uint32_t body;
    bool enters;
} peer_event;

typedef struct peer_model {
    const ash_scene *scene; /* that it was made from */
    bool flat;              /* in the xy plane */
    bool contacts;          /* shapes touch; otherwise there are none */
    double friction, restitution;
    ash_vec3 gravity;
    uint32_t body_count, shape_count, joint_count, torque_count, event_count;
    peer_body *bodies;
    peer_shape *shapes;
    peer_joint *joints;
    peer_torque *torques;
    peer_event *events;    /* by time */
    ash_transform *frames; /* by body: its frame here, in our body's frame */
} peer_model;

typedef struct peer_state {
    ash_transform place;
    ash_vec3 velocity, spin; /* of the centre; in world axes */
} peer_state;

typedef struct peer {
    const char *engine, *settings;
    uint32_t threads;
    bool flat, solid; /* the scenes that it can take */
    /* Null when there is no memory, or when the engine cannot represent the scene: then `why` says so in a few words.
     */
    void *(*create)(const peer_model *model, const char **why);
    void (*destroy)(void *engine);
    /* A body appears at its place with its velocity, or disappears. Null in ours, which do what the scene says. */
    void (*enter)(void *engine, uint32_t body);
    void (*leave)(void *engine, uint32_t body);
    /* For the next step only; null in ours and in flat engines. */
    void (*push)(void *engine, uint32_t body, ash_vec3 torque);
    /* False when the engine gave up. */
    bool (*step)(void *engine, double h);
    /* All bodies that move and are there, after the last step. */
    void (*read)(void *engine, peer_state *states);
    /* The mass and inertia that the engine itself has for a body that is there; flat engines: z of the inertia. */
    double (*weigh)(void *engine, uint32_t body, ash_vec3 *inertia);
} peer;

/* All rows of the table, in its order. Where an engine was not found, its row has no functions. */
const peer *peer_get(uint32_t number); /* null: no more */

extern const peer peer_realtime, peer_realtime_2, peer_engineering, peer_engineering_2;
extern const peer peer_erleben, peer_erleben_2, peer_bender_schmitt;
extern const peer peer_bullet, peer_bullet_best;
extern const peer peer_ode_quickstep, peer_ode_quickstep_best, peer_ode_worldstep;
extern const peer peer_mujoco, peer_mujoco_best, peer_mujoco_connect;
extern const peer peer_box2d, peer_box2d_best;
extern const peer peer_chipmunk, peer_chipmunk_best;

#ifdef __cplusplus
}
#endif

#endif
