/* Arrays are copied; derived data (forces, boxes, problems, factors) is computed again. */
#include "world/checkpoint.h"

#include <string.h>

static bool take_arrays(ashi_checkpoint *c, uint32_t slots, const ashi_joints *joints)
{
    if (c->arena == NULL && (c->arena = ashi_arena_create(0)) == NULL)
        return false;
    ashi_arena_reset(c->arena);
    uint32_t joint_slots = joints->entries.count;
    c->state.position = ashi_arena_take_array(c->arena, slots, sizeof *c->state.position);
    c->state.rotation = ashi_arena_take_array(c->arena, slots, sizeof *c->state.rotation);
    c->state.velocity = ashi_arena_take_array(c->arena, slots, sizeof *c->state.velocity);
    c->state.spin = ashi_arena_take_array(c->arena, slots, sizeof *c->state.spin);
    c->motion = ashi_arena_take_array(c->arena, slots, sizeof *c->motion);
    c->rest = ashi_arena_take_array(c->arena, slots, sizeof *c->rest);
    c->joints = ashi_joint_memory_take(joints, c->arena);
    c->enabled = ashi_arena_take_array(c->arena, joint_slots, sizeof *c->enabled);
    c->broken = ashi_arena_take_array(c->arena, joint_slots, sizeof *c->broken);
    return c->state.position != NULL && c->state.rotation != NULL && c->state.velocity != NULL &&
           c->state.spin != NULL && c->motion != NULL && c->rest != NULL && c->joints != NULL && c->enabled != NULL &&
           c->broken != NULL;
}

static void copy_state(const ashi_state *to, const ashi_state *from, uint32_t slots)
{
    memcpy(to->position, from->position, slots * sizeof *to->position);
    memcpy(to->rotation, from->rotation, slots * sizeof *to->rotation);
    memcpy(to->velocity, from->velocity, slots * sizeof *to->velocity);
    memcpy(to->spin, from->spin, slots * sizeof *to->spin);
}

bool ashi_checkpoint_keep(ashi_checkpoint *c, const ash_world *world)
{
    const ashi_bodies *b = &world->model.bodies;
    const ashi_joints *joints = &world->model.joints;
    uint32_t slots = ashi_body_slots(b);
    if (!take_arrays(c, slots, joints) || !ashi_contact_set_copy(&c->contacts, &world->collision.now))
        return false;
    copy_state(&c->state, &b->now, slots);
    memcpy(c->motion, b->motion, slots * sizeof *c->motion);
    memcpy(c->rest, b->rest, slots * sizeof *c->rest);
    ashi_joint_memory_keep(joints, c->joints);
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        c->enabled[i] = joints->entries.data[i].enabled;
        c->broken[i] = joints->entries.data[i].broken;
    }
    c->damped_count = b->damped_count;
    c->kinematic_count = b->kinematic_count;
    c->dynamic_count = b->dynamic_count;
    c->asleep_count = b->asleep_count;
    c->last_group = b->last_group;
    c->steps = world->steps;
    c->step_count = world->step_count;
    c->time = world->time;
    c->time_base = world->time_base;
    c->step_length = world->step_length;
    c->account = world->account;
    c->watch = world->watch;
    c->detected = world->detected == world->revision;
    return true;
}

/* Repairs joints that broke in the steps taken back. */
static bool mend_joints(const ashi_checkpoint *c, ashi_joints *joints)
{
    bool changed = false;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        ashi_joint_entry *joint = &joints->entries.data[i];
        changed |= joint->broken != c->broken[i] || joint->enabled != c->enabled[i];
        joint->broken = c->broken[i];
        joint->enabled = c->enabled[i];
    }
    joints->revision += changed;
    return !changed || ashi_joints_list_apart(joints);
}

bool ashi_checkpoint_restore(const ashi_checkpoint *c, ash_world *world)
{
    ashi_bodies *b = &world->model.bodies;
    uint32_t slots = ashi_body_slots(b);
    copy_state(&b->now, &c->state, slots);
    memcpy(b->motion, c->motion, slots * sizeof *c->motion);
    memcpy(b->rest, c->rest, slots * sizeof *c->rest);
    ashi_joint_memory_restore(&world->model.joints, c->joints);
    b->damped_count = c->damped_count;
    b->kinematic_count = c->kinematic_count;
    b->dynamic_count = c->dynamic_count;
    b->asleep_count = c->asleep_count;
    b->last_group = c->last_group;
    world->steps = c->steps;
    world->step_count = c->step_count;
    world->time = c->time;
    world->time_base = c->time_base;
    world->step_length = c->step_length;
    world->account = c->account;
    world->watch = c->watch;
    world->revision++;
    world->detected = c->detected ? world->revision : 0;
    ashi_joint_impulses_forget(world->joint_impulses);
    return mend_joints(c, &world->model.joints) && ashi_contact_set_copy(&world->collision.now, &c->contacts);
}

void ashi_checkpoint_release(ashi_checkpoint *c)
{
    ashi_arena_destroy(c->arena);
    ashi_contact_set_release(&c->contacts);
    *c = (ashi_checkpoint){0};
}
