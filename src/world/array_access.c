/* Arrays of all bodies and of all joints' coordinates: one pass over the slots, in the order of the lists of handles.
 */
#include "ashlar/array.h"
#include "model/joint_class.h"
#include "world/world.h"

#include <math.h>

typedef struct array_kind {
    const char *name;
    uint32_t width;
    bool of_joints, settable;
} array_kind;

static const array_kind kinds[ASH_ARRAYS] = {
    [ASH_ARRAY_POSITIONS] = {"positions", 3, false, true},
    [ASH_ARRAY_ROTATIONS] = {"rotations", 4, false, true},
    [ASH_ARRAY_CENTRES] = {"centres", 3, false, false},
    [ASH_ARRAY_VELOCITIES] = {"velocities", 3, false, true},
    [ASH_ARRAY_ANGULAR_VELOCITIES] = {"angular-velocities", 3, false, true},
    [ASH_ARRAY_APPLIED_FORCES] = {"applied-forces", 3, false, true},
    [ASH_ARRAY_APPLIED_TORQUES] = {"applied-torques", 3, false, true},
    [ASH_ARRAY_CONTACT_FORCES] = {"contact-forces", 3, false, false},
    [ASH_ARRAY_CONTACT_TORQUES] = {"contact-torques", 3, false, false},
    [ASH_ARRAY_JOINT_POSITIONS] = {"joint-positions", 1, true, false},
    [ASH_ARRAY_JOINT_RATES] = {"joint-rates", 1, true, false},
    [ASH_ARRAY_JOINT_FORCES] = {"joint-forces", 1, true, false},
    [ASH_ARRAY_MOTOR_TARGETS] = {"motor-targets", 1, true, true},
};

const char *ash_array_name(ash_array array)
{
    return (unsigned)array < ASH_ARRAYS ? kinds[array].name : "";
}

uint32_t ash_array_width(ash_array array)
{
    return (unsigned)array < ASH_ARRAYS ? kinds[array].width : 0;
}

bool ash_array_can_be_set(ash_array array)
{
    return (unsigned)array < ASH_ARRAYS && kinds[array].settable;
}

/* The next slot in use after `slot`, or the number of slots. */
static uint32_t next_in_use(const ashi_pool *pool, uint32_t slot)
{
    do
        slot++;
    while (slot < pool->slots.count && !ashi_pool_in_use(pool, slot));
    return slot;
}

static uint32_t bit_count(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

static uint32_t coordinate_count(const ash_world *world)
{
    const ashi_joints *joints = &world->model.joints;
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < joints->pool.slots.count; slot++)
        if (ashi_pool_in_use(&joints->pool, slot))
            count += bit_count(joints->entries.data[slot].kept);
    return count;
}

uint32_t ash_world_get_coordinates(const ash_world *world, ash_coordinate *coordinates, uint32_t capacity)
{
    const ashi_joints *joints = &world->model.joints;
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < joints->pool.slots.count; slot++)
        for (uint32_t f = 0; f < ASH_FREEDOMS && ashi_pool_in_use(&joints->pool, slot); f++)
            if ((joints->entries.data[slot].kept & ASH_FREEDOM_BIT(f)) != 0) {
                if (count < capacity)
                    coordinates[count] = (ash_coordinate){{ashi_pool_handle(&joints->pool, slot)}, (ash_freedom)f};
                count++;
            }
    return count;
}

uint32_t ash_world_get_rows(const ash_world *world, ash_array array)
{
    if ((unsigned)array >= ASH_ARRAYS)
        return 0;
    return kinds[array].of_joints ? coordinate_count(world) : world->model.bodies.pool.used - 1;
}

/* ASH_OK if the array exists and has this many numbers. */
static ash_status check(const ash_world *world, ash_array array, const double *values, size_t count, const char *call)
{
    if ((unsigned)array >= ASH_ARRAYS)
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "array.kind", "%s: there is no array %d", call, (int)array);
    size_t size = (size_t)ash_world_get_rows(world, array) * kinds[array].width;
    if (count != size || (values == NULL && size > 0))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "array.count", "%s: %s has %zu numbers, not %zu", call,
                                 kinds[array].name, size, count);
    return ASH_OK;
}

static void put(double *values, uint32_t row, ash_vec3 v)
{
    values[3 * row] = v.x;
    values[3 * row + 1] = v.y;
    values[3 * row + 2] = v.z;
}

static void get_bodies(const ash_world *world, ash_array array, double *values)
{
    const ashi_bodies *b = &world->model.bodies;
    uint32_t row = 0;
    for (uint32_t s = next_in_use(&b->pool, 0); s < ashi_body_slots(b); s = next_in_use(&b->pool, s), row++)
        switch (array) {
        case ASH_ARRAY_POSITIONS:
            put(values, row, ashi_body_frame(b, &b->now, s).position);
            break;
        case ASH_ARRAY_ROTATIONS:
            values[4 * row] = b->now.rotation[s].w;
            values[4 * row + 1] = b->now.rotation[s].x;
            values[4 * row + 2] = b->now.rotation[s].y;
            values[4 * row + 3] = b->now.rotation[s].z;
            break;
        case ASH_ARRAY_CENTRES:
            put(values, row, b->now.position[s]);
            break;
        case ASH_ARRAY_VELOCITIES:
            put(values, row, b->now.velocity[s]);
            break;
        case ASH_ARRAY_ANGULAR_VELOCITIES:
            put(values, row, b->now.spin[s]);
            break;
        case ASH_ARRAY_APPLIED_FORCES:
            put(values, row, b->applied_force[s]);
            break;
        default:
            put(values, row, b->applied_torque[s]);
            break;
        }
}

static double coordinate_value(const ash_world *world, const ashi_joint_entry *joint, ash_array array, ash_freedom f)
{
    switch (array) {
    case ASH_ARRAY_JOINT_POSITIONS:
        return ashi_joint_position(&world->model, joint, &world->model.bodies.now, f);
    case ASH_ARRAY_JOINT_RATES:
        return ashi_joint_rate(&world->model, joint, &world->model.bodies.now, f);
    case ASH_ARRAY_JOINT_FORCES:
        return joint->force[ASHI_DRIVE_KEY + f] + joint->force[ASHI_SPRING_KEY + f] +
               joint->force[ASHI_FRICTION_KEY + f];
    default:
        return joint->axes != NULL && joint->axes[f].motor.drive != ASH_DRIVE_OFF ? joint->axes[f].motor.target : 0;
    }
}

static void get_coordinates(const ash_world *world, ash_array array, double *values)
{
    const ashi_joints *joints = &world->model.joints;
    for (uint32_t s = 0; s < joints->pool.slots.count; s++) {
        const ashi_joint_entry *joint = &joints->entries.data[s];
        for (uint32_t f = 0; ashi_pool_in_use(&joints->pool, s) && f < ASH_FREEDOMS; f++)
            if ((joint->kept & ASH_FREEDOM_BIT(f)) != 0)
                *values++ = coordinate_value(world, joint, array, (ash_freedom)f);
    }
}

ash_status ash_world_get_array(const ash_world *world, ash_array array, double *values, size_t count)
{
    ash_status status = check(world, array, values, count, __func__);
    if (status != ASH_OK || count == 0)
        return status;
    if (kinds[array].of_joints)
        get_coordinates(world, array, values);
    else if (array == ASH_ARRAY_CONTACT_FORCES || array == ASH_ARRAY_CONTACT_TORQUES)
        return ashi_world_sum_contacts(world, array == ASH_ARRAY_CONTACT_TORQUES, values)
                   ? ASH_OK
                   : ashi_world_misuse(world, ASH_OUT_OF_MEMORY, "memory", "%s: out of memory", __func__);
    else
        get_bodies(world, array, values);
    return ASH_OK;
}

static ash_vec3 take(const double *values, uint32_t row)
{
    return v3(values[3 * row], values[3 * row + 1], values[3 * row + 2]);
}

/* Sets a row of a body's array whose numbers are all finite. */
static void set_body(ash_world *world, ash_array array, ash_body body, const double *values, uint32_t row)
{
    ashi_bodies *b = &world->model.bodies;
    uint32_t s = ashi_handle_slot(body.id);
    ash_transform pose = ashi_body_frame(b, &b->now, s);
    switch (array) {
    case ASH_ARRAY_POSITIONS:
        pose.position = take(values, row);
        ash_body_set_transform(world, body, pose);
        break;
    case ASH_ARRAY_ROTATIONS:
        pose.rotation = (ash_quat){values[4 * row], values[4 * row + 1], values[4 * row + 2], values[4 * row + 3]};
        ash_body_set_transform(world, body, pose);
        break;
    case ASH_ARRAY_VELOCITIES:
        if (b->info[s].type != ASH_BODY_STATIC)
            ash_body_set_velocity(world, body, take(values, row));
        break;
    case ASH_ARRAY_ANGULAR_VELOCITIES:
        if (b->info[s].type != ASH_BODY_STATIC)
            ash_body_set_angular_velocity(world, body, take(values, row));
        break;
    default:
        if (b->info[s].type == ASH_BODY_DYNAMIC) {
            ash_vec3 *applied = array == ASH_ARRAY_APPLIED_FORCES ? b->applied_force : b->applied_torque;
            ash_vec3 value = take(values, row);
            if (value.x != applied[s].x || value.y != applied[s].y || value.z != applied[s].z) {
                applied[s] = value;
                ashi_sleep_wake_group(b, s);
                b->any_applied = true;
            }
        }
        break;
    }
}

/* Whether every row is valid for its array: finite, and for rotations not zero. */
static bool usable(const ash_world *world, ash_array array, const double *values, size_t count)
{
    uint32_t width = kinds[array].width;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    for (size_t i = 0; array == ASH_ARRAY_ROTATIONS && i < count; i += width) {
        double norm2 = q_norm2((ash_quat){values[i], values[i + 1], values[i + 2], values[i + 3]});
        if (!(norm2 > 1e-12 && norm2 < 1e12))
            return false;
        if (world->model.bodies.planar && (values[i + 1] != 0 || values[i + 2] != 0))
            return false;
    }
    return true;
}

ash_status ash_world_set_array(ash_world *world, ash_array array, const double *values, size_t count)
{
    ash_status status = check(world, array, values, count, __func__);
    if (status != ASH_OK)
        return status;
    if (!kinds[array].settable)
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "array.fixed", "%s: %s cannot be set", __func__,
                                 kinds[array].name);
    if (!usable(world, array, values, count))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "array.values",
                                 "%s: a number of %s is not finite, or a quaternion is zero", __func__,
                                 kinds[array].name);
    if (kinds[array].of_joints) {
        ashi_joints *joints = &world->model.joints;
        for (uint32_t s = 0; s < joints->pool.slots.count; s++) {
            ashi_joint_entry *joint = &joints->entries.data[s];
            for (uint32_t f = 0; ashi_pool_in_use(&joints->pool, s) && f < ASH_FREEDOMS; f++)
                if ((joint->kept & ASH_FREEDOM_BIT(f)) != 0 && joint->axes != NULL &&
                    joint->axes[f].motor.drive != ASH_DRIVE_OFF && joint->axes[f].motor.target != values[0]) {
                    ashi_world_disturb_joint(world, joint);
                    joint->axes[f].motor.target = *values++;
                } else if ((joint->kept & ASH_FREEDOM_BIT(f)) != 0)
                    values++;
        }
        return ASH_OK;
    }
    const ashi_pool *pool = &world->model.bodies.pool;
    uint32_t row = 0;
    for (uint32_t s = next_in_use(pool, 0); s < pool->slots.count; s = next_in_use(pool, s), row++)
        set_body(world, array, (ash_body){ashi_pool_handle(pool, s)}, values, row);
    return ASH_OK;
}
