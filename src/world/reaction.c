/* Reactions of contacts in the last step: forces of points, summed and expressed in a frame. */
#include "ashlar/contact.h"
#include "problem/assemble.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

static ash_vec3 point_of(const ashi_collision *c, const ashi_contact_pair *pair, const ashi_point_record *p)
{
    ash_vec3 on_a = t_point(c->colliders.data[pair->a].pose, p->on_a);
    ash_vec3 on_b = t_point(c->colliders.data[pair->b].pose, p->on_b);
    return v3_scale(v3_add(on_a, on_b), 0.5);
}

static ash_vec3 middle(const ashi_collision *c, const ashi_contact_record *contact, ash_vec3 normal)
{
    const ashi_contact_pair *pair = &c->now.pairs.data[contact->pair];
    ash_vec3 plain = v3(0, 0, 0), weighted = v3(0, 0, 0);
    double sum = 0;
    for (uint32_t i = 0; i < contact->point_count; i++) {
        const ashi_point_record *p = &c->now.points.data[contact->first_point + i];
        ash_vec3 point = point_of(c, pair, p);
        double weight = fmax(v3_dot(normal, p->force), 0);
        plain = v3_add(plain, point);
        weighted = v3_add_scaled(weighted, point, weight);
        sum += weight;
    }
    return sum > 0 ? v3_scale(weighted, 1 / sum) : v3_scale(plain, 1.0 / contact->point_count);
}

/* Adds a contact's forces on b, or with sign -1 on a, and their moment about `centre`. */
static void add_forces(ash_reaction *sum, const ashi_collision *c, const ashi_contact_record *contact, ash_vec3 centre,
                       double sign)
{
    const ashi_contact_pair *pair = &c->now.pairs.data[contact->pair];
    for (uint32_t i = 0; i < contact->point_count; i++) {
        const ashi_point_record *p = &c->now.points.data[contact->first_point + i];
        ash_vec3 moment = v3_add(v3_cross(v3_sub(point_of(c, pair, p), centre), p->force), p->torque);
        sum->force = v3_add_scaled(sum->force, p->force, sign);
        sum->torque = v3_add_scaled(sum->torque, moment, sign);
    }
}

/* The rotation from a frame to the world. */
static ash_quat frame_of(const ash_world *world, const ashi_contact_pair *pair, ash_vec3 normal, ash_frame frame)
{
    const ashi_shape_entry *shapes = world->model.shapes.entries.data;
    const ash_quat *rotations = world->model.bodies.now.rotation;
    ash_vec3 tangent[2];
    switch (frame) {
    case ASH_FRAME_CONTACT:
        ashi_tangents(normal, world->model.bodies.planar, tangent);
        return ashi_quat_from_mat3((ash_mat3){normal, tangent[0], tangent[1]});
    case ASH_FRAME_BODY_A:
        return rotations[shapes[pair->a].body];
    case ASH_FRAME_BODY_B:
        return rotations[shapes[pair->b].body];
    default:
        return (ash_quat){1, 0, 0, 0};
    }
}

ash_reaction ash_world_get_reaction(const ash_world *world, uint32_t number, ash_frame frame)
{
    const ashi_collision *c = &world->collision;
    ash_reaction reaction = {0};
    if (number >= c->now.contacts.count || (unsigned)frame >= ASH_FRAMES) {
        ashi_world_misuse(world, ASH_BAD_ARGUMENT, "contact.number", "%s: there is no contact %u or no frame %d",
                          __func__, number, (int)frame);
        return reaction;
    }
    const ashi_contact_record *contact = &c->now.contacts.data[number];
    const ashi_contact_pair *pair = &c->now.pairs.data[contact->pair];
    if (ashi_pool_slot_of(&world->model.shapes.pool, pair->handle_a) == ASHI_NO_SLOT ||
        ashi_pool_slot_of(&world->model.shapes.pool, pair->handle_b) == ASHI_NO_SLOT)
        return reaction; /* removed since */
    ash_vec3 normal = q_rotate(c->colliders.data[pair->a].pose.rotation, contact->normal);
    reaction.point = middle(c, contact, normal);
    add_forces(&reaction, c, contact, reaction.point, 1);
    ash_quat rotation = frame_of(world, pair, normal, frame);
    reaction.force = q_unrotate(rotation, reaction.force);
    reaction.torque = q_unrotate(rotation, reaction.torque);
    return reaction;
}

/* The reaction of contacts with the body `other`, or with all. */
static ash_reaction reaction_of(const ash_world *world, uint32_t slot, uint32_t other)
{
    const ashi_collision *c = &world->collision;
    ash_reaction reaction = {0};
    reaction.point = world->model.bodies.now.position[slot];
    for (uint32_t i = 0; i < c->now.contacts.count; i++) {
        const ashi_contact_record *contact = &c->now.contacts.data[i];
        const ashi_contact_pair *pair = &c->now.pairs.data[contact->pair];
        uint32_t a = ashi_pool_slot_of(&world->model.shapes.pool, pair->handle_a);
        uint32_t b = ashi_pool_slot_of(&world->model.shapes.pool, pair->handle_b);
        if (a == ASHI_NO_SLOT || b == ASHI_NO_SLOT || pair->sensor)
            continue;
        uint32_t body_a = world->model.shapes.entries.data[a].body, body_b = world->model.shapes.entries.data[b].body;
        if (body_a == slot && (other == ASHI_NO_SLOT || body_b == other))
            add_forces(&reaction, c, contact, reaction.point, -1);
        if (body_b == slot && (other == ASHI_NO_SLOT || body_a == other))
            add_forces(&reaction, c, contact, reaction.point, 1);
    }
    return reaction;
}

ash_reaction ash_body_get_reaction(const ash_world *world, ash_body body)
{
    uint32_t slot = ashi_world_body(world, body, __func__);
    return slot != ASHI_NO_SLOT ? reaction_of(world, slot, ASHI_NO_SLOT) : (ash_reaction){0};
}

ash_reaction ash_body_get_pair_reaction(const ash_world *world, ash_body body, ash_body other)
{
    uint32_t slot = ashi_world_body(world, body, __func__), with = ashi_world_body(world, other, __func__);
    return slot != ASHI_NO_SLOT && with != ASHI_NO_SLOT ? reaction_of(world, slot, with) : (ash_reaction){0};
}

bool ashi_world_sum_contacts(const ash_world *world, bool moments, double *values)
{
    const ashi_collision *c = &world->collision;
    const ashi_bodies *bodies = &world->model.bodies;
    const ashi_pool *pool = &world->model.shapes.pool;
    ash_reaction *sums = ashi_alloc_array(ashi_body_slots(bodies), sizeof *sums);
    if (sums == NULL)
        return false;
    memset(sums, 0, ashi_body_slots(bodies) * sizeof *sums);
    for (uint32_t i = 0; i < c->now.contacts.count; i++) {
        const ashi_contact_record *contact = &c->now.contacts.data[i];
        const ashi_contact_pair *pair = &c->now.pairs.data[contact->pair];
        uint32_t a = ashi_pool_slot_of(pool, pair->handle_a), b = ashi_pool_slot_of(pool, pair->handle_b);
        if (a == ASHI_NO_SLOT || b == ASHI_NO_SLOT || pair->sensor)
            continue;
        uint32_t body_a = world->model.shapes.entries.data[a].body, body_b = world->model.shapes.entries.data[b].body;
        add_forces(&sums[body_a], c, contact, bodies->now.position[body_a], -1);
        add_forces(&sums[body_b], c, contact, bodies->now.position[body_b], 1);
    }
    for (uint32_t s = 1; s < ashi_body_slots(bodies); s++)
        if (ashi_pool_in_use(&bodies->pool, s)) {
            ash_vec3 sum = moments ? sums[s].torque : sums[s].force;
            *values++ = sum.x;
            *values++ = sum.y;
            *values++ = sum.z;
        }
    ashi_dealloc(sums);
    return true;
}
