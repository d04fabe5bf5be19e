/* Storage of bodies, and data derived from type, locks and mass. */
#include "model/bodies.h"

#include <string.h>

/* Replaces an array by a larger one; `array` points to the pointer, whatever its type. */
static bool grow(void *array, size_t element, uint32_t old_count, uint32_t capacity)
{
    void *old;
    memcpy(&old, array, sizeof old);
    void *fresh = ashi_alloc_array(capacity, element);
    if (fresh == NULL)
        return false;
    if (old_count != 0)
        memcpy(fresh, old, old_count * element);
    ashi_dealloc(old);
    memcpy(array, &fresh, sizeof fresh);
    return true;
}

static bool grow_state(ashi_state *s, uint32_t n, uint32_t capacity)
{
    return grow(&s->position, sizeof *s->position, n, capacity) &&
           grow(&s->rotation, sizeof *s->rotation, n, capacity) &&
           grow(&s->velocity, sizeof *s->velocity, n, capacity) && grow(&s->spin, sizeof *s->spin, n, capacity);
}

bool ashi_bodies_reserve(ashi_bodies *b, uint32_t count)
{
    if (count <= b->capacity)
        return true;
    uint32_t n = ashi_body_slots(b);
    uint32_t wanted = b->capacity + b->capacity / 4 + 16;
    if (wanted < count)
        wanted = count;
    /* Arrays that have grown when a later one fails are only larger than needed. */
    if (!grow_state(&b->now, n, wanted) || !grow_state(&b->next, n, wanted) ||
        !grow(&b->motion, sizeof *b->motion, n, wanted) || !grow(&b->locks, sizeof *b->locks, n, wanted) ||
        !grow(&b->inertial, sizeof *b->inertial, n, wanted) || !grow(&b->rotor, sizeof *b->rotor, n, wanted) ||
        !grow(&b->force, sizeof *b->force, n, wanted) || !grow(&b->torque, sizeof *b->torque, n, wanted) ||
        !grow(&b->applied_force, sizeof *b->applied_force, n, wanted) ||
        !grow(&b->applied_torque, sizeof *b->applied_torque, n, wanted) ||
        !grow(&b->info, sizeof *b->info, n, wanted) || !grow(&b->rest, sizeof *b->rest, n, wanted))
        return false;
    b->capacity = wanted;
    return true;
}

void ashi_bodies_clear(ashi_bodies *b, uint32_t slot)
{
    ashi_state *states[] = {&b->now, &b->next};
    for (int i = 0; i < 2; i++) {
        states[i]->position[slot] = states[i]->velocity[slot] = states[i]->spin[slot] = v3(0, 0, 0);
        states[i]->rotation[slot] = q_identity();
    }
    b->motion[slot] = b->locks[slot] = 0;
    b->inertial[slot] = (ashi_inertial){0};
    b->rotor[slot] = (ashi_rotor){.principal_axes = q_identity()};
    b->force[slot] = b->torque[slot] = b->applied_force[slot] = b->applied_torque[slot] = v3(0, 0, 0);
    b->info[slot] = (ashi_body_info){.type = ASH_BODY_STATIC, .first_shape = ASHI_NO_SLOT, .gravity_scale = 1};
    b->info[slot].mass.principal_axes = q_identity();
    b->rest[slot] = (ashi_rest){0};
}

uint32_t ashi_bodies_add(ashi_bodies *b)
{
    if (!ashi_bodies_reserve(b, ashi_pool_next(&b->pool) + 1))
        return ASHI_NO_SLOT;
    uint32_t slot = ashi_pool_take(&b->pool);
    if (slot != ASHI_NO_SLOT)
        ashi_bodies_clear(b, slot);
    return slot;
}

/* Counts that let a step skip unnecessary stages. */
static void count_motion(ashi_bodies *b, uint8_t motion, uint32_t one)
{
    b->damped_count += (motion & ASHI_DAMPED) ? one : 0;
    b->kinematic_count += (motion & ASHI_KINEMATIC) ? one : 0;
    b->dynamic_count += (motion & ASHI_DYNAMIC) ? one : 0;
    b->asleep_count += (motion & ASHI_ASLEEP) ? one : 0;
}

void ashi_bodies_remove(ashi_bodies *b, uint32_t slot)
{
    count_motion(b, b->motion[slot], (uint32_t)-1);
    ashi_dealloc(b->info[slot].name);
    ashi_bodies_clear(b, slot);
    ashi_pool_give_back(&b->pool, slot);
}

void ashi_bodies_undo_add(ashi_bodies *b, uint32_t slot)
{
    ashi_bodies_clear(b, slot);
    ashi_pool_undo_take(&b->pool, slot);
}

bool ashi_bodies_create(ashi_bodies *b, bool planar)
{
    *b = (ashi_bodies){.planar = planar};
    if (ashi_bodies_add(b) != ASHI_NO_SLOT)
        return true;
    ashi_bodies_destroy(b);
    return false;
}

static void release_state(ashi_state *s)
{
    ashi_dealloc(s->position);
    ashi_dealloc(s->rotation);
    ashi_dealloc(s->velocity);
    ashi_dealloc(s->spin);
}

void ashi_bodies_destroy(ashi_bodies *b)
{
    for (uint32_t i = 0; i < ashi_body_slots(b); i++)
        ashi_dealloc(b->info[i].name);
    release_state(&b->now);
    release_state(&b->next);
    ashi_dealloc(b->motion);
    ashi_dealloc(b->locks);
    ashi_dealloc(b->inertial);
    ashi_dealloc(b->rotor);
    ashi_dealloc(b->force);
    ashi_dealloc(b->torque);
    ashi_dealloc(b->applied_force);
    ashi_dealloc(b->applied_torque);
    ashi_dealloc(b->info);
    ashi_dealloc(b->rest);
    ashi_pool_release(&b->pool);
    *b = (ashi_bodies){0};
}

void ashi_bodies_exchange(ashi_bodies *b)
{
    ashi_state state = b->now;
    b->now = b->next;
    b->next = state;
}

void ashi_bodies_classify(ashi_bodies *b, uint32_t slot)
{
    const ashi_body_info *info = &b->info[slot];
    const ash_mass_properties *mass = &info->mass;
    count_motion(b, b->motion[slot], (uint32_t)-1);

    uint32_t locks = info->locks | (b->planar ? ASH_LOCK_Z | ASH_LOCK_ROTATION_X | ASH_LOCK_ROTATION_Y : 0);
    bool dynamic = info->type == ASH_BODY_DYNAMIC;
    uint8_t motion = 0;
    b->inertial[slot] = (ashi_inertial){0};
    b->rotor[slot] = (ashi_rotor){.principal_axes = q_identity()};
    if (info->type == ASH_BODY_KINEMATIC)
        motion = ASHI_KINEMATIC;
    if (dynamic) {
        motion = ASHI_DYNAMIC;
        b->inertial[slot] = (ashi_inertial){mass->mass, 1 / mass->mass, info->gravity_scale, info->linear_damping};
        if (locks & (ASH_LOCK_X | ASH_LOCK_Y | ASH_LOCK_Z))
            motion |= ASHI_LINEAR_LOCKS;
        if ((locks & ASH_LOCK_ROTATION) != ASH_LOCK_ROTATION) {
            motion |= ASHI_ROTATES;
            motion |= locks & ASH_LOCK_ROTATION ? ASHI_PARTIAL : 0;
            motion |= mass->principal.x == mass->principal.z ? ASHI_ISOTROPIC : 0;
            b->rotor[slot] = (ashi_rotor){.inertia = mass->inertia,
                                          .principal = mass->principal,
                                          .principal_axes = mass->principal_axes,
                                          .damping = info->angular_damping};
            if (!(motion & ASHI_PARTIAL)) /* else only the free part must be invertible, and it turns with the body */
                b->rotor[slot].inverse = s3_inverse(mass->inertia);
            else if ((locks & ASH_LOCK_ROTATION) == ASHI_FLAT_TURNS)
                b->rotor[slot].inverse.zz = 1 / mass->inertia.zz;
        }
        if (info->linear_damping != 0 || ((motion & ASHI_ROTATES) && info->angular_damping != 0))
            motion |= ASHI_DAMPED;
    }
    b->locks[slot] = (uint8_t)locks;
    b->motion[slot] = motion;
    b->rest[slot] = (ashi_rest){0};
    if (motion == 0) {
        b->now.velocity[slot] = b->now.spin[slot] = v3(0, 0, 0);
    } else {
        b->now.velocity[slot] = ashi_unlocked_velocity(b, slot, b->now.velocity[slot]);
        b->now.spin[slot] = ashi_unlocked_spin(b, slot, b->now.spin[slot]);
    }
    count_motion(b, motion, 1);
}

void ashi_bodies_lay(ashi_bodies *b, uint32_t slot, uint64_t group)
{
    count_motion(b, b->motion[slot], (uint32_t)-1);
    b->motion[slot] = ASHI_ASLEEP;
    count_motion(b, ASHI_ASLEEP, 1);
    b->now.velocity[slot] = b->now.spin[slot] = v3(0, 0, 0);
    b->rest[slot].force = b->force[slot];
    b->rest[slot].torque = b->torque[slot];
    b->rest[slot].weighed = true;
    b->rest[slot].group = group;
}

ash_vec3 ashi_unlocked_velocity(const ashi_bodies *b, uint32_t slot, ash_vec3 v)
{
    uint8_t locks = b->locks[slot];
    return v3(locks & ASH_LOCK_X ? 0 : v.x, locks & ASH_LOCK_Y ? 0 : v.y, locks & ASH_LOCK_Z ? 0 : v.z);
}

ash_vec3 ashi_unlocked_spin(const ashi_bodies *b, uint32_t slot, ash_vec3 w)
{
    uint8_t locks = b->locks[slot];
    return v3(locks & ASH_LOCK_ROTATION_X ? 0 : w.x, locks & ASH_LOCK_ROTATION_Y ? 0 : w.y,
              locks & ASH_LOCK_ROTATION_Z ? 0 : w.z);
}

/* Locks restrict the angular velocity to the free world axes: (S^T I S)^-1 in that subspace. Locked rows and columns of
 * the world inertia are replaced by those of the identity, and locked components of the impulse by zero. */
static ash_vec3 restricted_response(const ashi_bodies *b, uint32_t slot, ash_quat rotation, ash_vec3 impulse)
{
    uint8_t locks = b->locks[slot];
    ash_sym3 i = s3_rotated(b->rotor[slot].inertia, rotation);
    if (locks & ASH_LOCK_ROTATION_X) {
        i.xx = 1;
        i.xy = i.xz = impulse.x = 0;
    }
    if (locks & ASH_LOCK_ROTATION_Y) {
        i.yy = 1;
        i.xy = i.yz = impulse.y = 0;
    }
    if (locks & ASH_LOCK_ROTATION_Z) {
        i.zz = 1;
        i.xz = i.yz = impulse.z = 0;
    }
    return s3_apply(s3_inverse(i), impulse);
}

ash_vec3 ashi_linear_response(const ashi_bodies *b, uint32_t slot, ash_vec3 impulse)
{
    ash_vec3 change = v3_scale(impulse, b->motion[slot] & ASHI_DYNAMIC ? b->inertial[slot].inverse_mass : 0);
    return b->motion[slot] & ASHI_LINEAR_LOCKS ? ashi_unlocked_velocity(b, slot, change) : change;
}

ash_vec3 ashi_angular_response(const ashi_bodies *b, uint32_t slot, ash_quat rotation, ash_vec3 impulse)
{
    if (!(b->motion[slot] & ASHI_ROTATES))
        return v3(0, 0, 0);
    if (ashi_body_turns_flat(b, slot, rotation))
        return v3(0, 0, b->rotor[slot].inverse.zz * impulse.z);
    if (b->motion[slot] & ASHI_PARTIAL)
        return restricted_response(b, slot, rotation, impulse);
    return q_rotate(rotation, s3_apply(b->rotor[slot].inverse, q_unrotate(rotation, impulse)));
}

ash_vec3 ashi_angular_acceleration(const ashi_bodies *b, uint32_t slot, ash_quat rotation, ash_vec3 spin,
                                   ash_vec3 torque)
{
    bool flat = ashi_body_turns_flat(b, slot, rotation) && spin.x == 0 && spin.y == 0;
    if ((b->motion[slot] & (ASHI_ROTATES | ASHI_ISOTROPIC)) == ASHI_ROTATES && !flat) {
        ash_vec3 momentum = ashi_angular_momentum(&b->rotor[slot], rotation, spin);
        torque = v3_sub(torque, v3_cross(spin, momentum));
    }
    return ashi_angular_response(b, slot, rotation, torque);
}
