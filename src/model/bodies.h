/* Bodies: arrays by slot, with the moving state separate from rarely changed data. Slot 0 is the background.
 *
 * The state is that of the centre of mass: its position and velocity, the body's rotation and its angular velocity
 * ("spin") in world axes. A step reads `now` and writes `next`; they are exchanged only when the step is good, so that
 * the last good state is never lost. */
#ifndef ASHI_MODEL_BODIES_H
#define ASHI_MODEL_BODIES_H

#include "ashlar/body.h"
#include "base/pool.h"
#include "math/mat3.h"
#include "math/transform.h"

/* The moving state. Arrays by slot. */
typedef struct ashi_state {
    ash_vec3 *position;
    ash_quat *rotation;
    ash_vec3 *velocity;
    ash_vec3 *spin;
} ashi_state;

/* How a body moves: derived from type, locks and inertia by ashi_bodies_classify. */
typedef enum ashi_motion_flags {
    ASHI_DYNAMIC = 1,
    ASHI_KINEMATIC = 2,
    ASHI_ROTATES = 4,       /* dynamic, with at least one free axis of rotation */
    ASHI_PARTIAL = 8,       /* ... but not all three */
    ASHI_ISOTROPIC = 16,    /* all principal moments equal: no gyroscopic torque */
    ASHI_LINEAR_LOCKS = 32, /* some translation is locked */
    ASHI_DAMPED = 64,
    ASHI_ASLEEP = 128 /* alone: dynamic, but at rest until something wakes it */
} ashi_motion_flags;

/* Data for translation. Masses are zero for bodies that are not dynamic. */
typedef struct ashi_inertial {
    double mass, inverse_mass;
    double gravity_scale;
    double damping; /* 1/s */
} ashi_inertial;

/* Data for rotation, in body axes about the centre of mass. */
typedef struct ashi_rotor {
    ash_sym3 inertia, inverse;
    ash_vec3 principal;
    ash_quat principal_axes;
    double damping; /* 1/s */
} ashi_rotor;

/* Rarely read data. */
typedef struct ashi_body_info {
    ash_body_type type;
    uint32_t locks;           /* as the user gave them */
    ash_mass_properties mass; /* kept for every type, so that a released body has it */
    double gravity_scale, linear_damping, angular_damping;
    bool fast;
    uint32_t first_shape; /* slot, or ASHI_NO_SLOT */
    char *name;           /* null for none */
    void *user_data;
} ashi_body_info;

/* The sleep data of a body. */
typedef struct ashi_rest {
    double still;           /* s for which the body has been slow, ... */
    double speed;           /* ... and the speed of its fastest point when that began, m/s */
    ash_vec3 force, torque; /* forces that acted when it fell asleep, ... */
    bool weighed;           /* ... false: for a body put to sleep by a call, those of the next step, not known yet */
    uint64_t group;         /* of bodies that fell asleep together: not 0 */
} ashi_rest;

typedef struct ashi_bodies {
    ashi_pool pool;
    uint32_t capacity;
    bool planar;
    ashi_state now, next;
    uint8_t *motion; /* of ashi_motion_flags; 0: static or a free slot */
    uint8_t *locks;  /* in force: the user's and the planar world's */
    ashi_inertial *inertial;
    ashi_rotor *rotor;
    ash_vec3 *force, *torque;                 /* summed up by the forces at each evaluation */
    ash_vec3 *applied_force, *applied_torque; /* by the user, for one step */
    ashi_body_info *info;
    ashi_rest *rest;
    bool any_applied;
    uint32_t damped_count, kinematic_count, dynamic_count, asleep_count;
    uint64_t last_group; /* of ashi_rest */
} ashi_bodies;

/* The number of slots in use or free: loops run over [0, this). */
static inline uint32_t ashi_body_slots(const ashi_bodies *bodies)
{
    return bodies->pool.slots.count;
}

/* Makes the background. False when there is no memory. */
bool ashi_bodies_create(ashi_bodies *bodies, bool planar);
void ashi_bodies_destroy(ashi_bodies *bodies);

/* A slot with everything zero except an identity rotation, or ASHI_NO_SLOT. Nothing changes on failure. */
uint32_t ashi_bodies_add(ashi_bodies *bodies);
/* Sets a slot to the background's values. */
void ashi_bodies_clear(ashi_bodies *bodies, uint32_t slot);
void ashi_bodies_remove(ashi_bodies *bodies, uint32_t slot);
/* Undoes the last add of a body that could not be completed: its slot and handle are as before. */
void ashi_bodies_undo_add(ashi_bodies *bodies, uint32_t slot);
bool ashi_bodies_reserve(ashi_bodies *bodies, uint32_t count);

/* Derives motion, locks in force, inertial and rotor from info, and drops locked velocities. Call after any change. The
 * body is awake then. */
void ashi_bodies_classify(ashi_bodies *bodies, uint32_t slot);

/* Puts a dynamic body to sleep, without velocity. Classifying it again wakes it. */
void ashi_bodies_lay(ashi_bodies *bodies, uint32_t slot, uint64_t group);

void ashi_bodies_exchange(ashi_bodies *bodies); /* now and next */

/* The frame of the body, whose origin need not be the centre of mass. */
static inline ash_transform ashi_body_frame(const ashi_bodies *bodies, const ashi_state *state, uint32_t slot)
{
    ash_quat rotation = state->rotation[slot];
    return (ash_transform){v3_sub(state->position[slot], q_rotate(rotation, bodies->info[slot].mass.centre)), rotation};
}

/* The rotations locked in a planar world: only that about z remains. */
enum { ASHI_FLAT_TURNS = ASH_LOCK_ROTATION_X | ASH_LOCK_ROTATION_Y };

/* Whether a rotating body can turn only about z, which is then also its own axis: `inverse.zz` of its rotor is its
 * whole inverse inertia. */
static inline bool ashi_body_turns_flat(const ashi_bodies *bodies, uint32_t slot, ash_quat rotation)
{
    return (bodies->locks[slot] & ASH_LOCK_ROTATION) == ASHI_FLAT_TURNS && rotation.x == 0 && rotation.y == 0;
}

/* Whether a body of a planar world has all planar freedoms: nothing else is locked. */
static inline bool ashi_body_moves_flat(const ashi_bodies *bodies, uint32_t slot)
{
    return bodies->planar && bodies->locks[slot] == (ASH_LOCK_Z | ASHI_FLAT_TURNS) &&
           (bodies->motion[slot] & (ASHI_DYNAMIC | ASHI_ROTATES)) == (ASHI_DYNAMIC | ASHI_ROTATES);
}

/* The angular velocity's derivative under a torque, with gyroscopic torque and locks (world axes). */
ash_vec3 ashi_angular_acceleration(const ashi_bodies *bodies, uint32_t slot, ash_quat rotation, ash_vec3 spin,
                                   ash_vec3 torque);
/* The change of velocity that an impulse makes, locks included. */
ash_vec3 ashi_linear_response(const ashi_bodies *bodies, uint32_t slot, ash_vec3 impulse);
/* The change of angular velocity that an angular impulse makes, locks included. */
ash_vec3 ashi_angular_response(const ashi_bodies *bodies, uint32_t slot, ash_quat rotation, ash_vec3 impulse);
/* Drops locked components. */
ash_vec3 ashi_unlocked_velocity(const ashi_bodies *bodies, uint32_t slot, ash_vec3 velocity);
ash_vec3 ashi_unlocked_spin(const ashi_bodies *bodies, uint32_t slot, ash_vec3 spin);

static inline ash_vec3 ashi_angular_momentum(const ashi_rotor *rotor, ash_quat rotation, ash_vec3 spin)
{
    return q_rotate(rotation, s3_apply(rotor->inertia, q_unrotate(rotation, spin)));
}

#endif
