/* Contacts and their events, as the last step or detection left them. */
#include "ashlar/contact.h"
#include "world/world.h"

/* Points are stored in the shapes' frames; the colliders have the poses of these. */
static ash_contact_point point_in_world(const ashi_point_record *p, const ashi_collider *a, const ashi_collider *b)
{
    return (ash_contact_point){.on_a = t_point(a->pose, p->on_a),
                               .on_b = t_point(b->pose, p->on_b),
                               .depth = p->depth,
                               .feature = p->feature,
                               .age = p->age,
                               .force = p->force,
                               .torque = p->torque};
}

/* The body of a shape, or null when the shape is gone. */
static ash_body body_of(const ash_world *world, uint64_t shape)
{
    uint32_t slot = ashi_pool_slot_of(&world->model.shapes.pool, shape);
    if (slot == ASHI_NO_SLOT)
        return (ash_body){0};
    return (ash_body){ashi_pool_handle(&world->model.bodies.pool, world->model.shapes.entries.data[slot].body)};
}

uint32_t ash_world_get_contact_points(const ash_world *world, uint32_t number, ash_contact_point *points,
                                      uint32_t capacity)
{
    const ashi_collision *c = &world->collision;
    if (number >= c->now.contacts.count)
        return 0;
    const ashi_contact_record *contact = &c->now.contacts.data[number];
    const ashi_contact_pair *pair = &c->now.pairs.data[contact->pair];
    for (uint32_t i = 0; i < contact->point_count && i < capacity; i++)
        points[i] = point_in_world(&c->now.points.data[contact->first_point + i], &c->colliders.data[pair->a],
                                   &c->colliders.data[pair->b]);
    return contact->point_count;
}

uint32_t ash_world_get_contacts(const ash_world *world, ash_contact *contacts, uint32_t capacity)
{
    const ashi_collision *c = &world->collision;
    for (uint32_t i = 0; i < c->now.contacts.count && i < capacity; i++) {
        const ashi_contact_record *contact = &c->now.contacts.data[i];
        const ashi_contact_pair *pair = &c->now.pairs.data[contact->pair];
        contacts[i] = (ash_contact){
            .shape_a = {pair->handle_a},
            .shape_b = {pair->handle_b},
            .body_a = body_of(world, pair->handle_a),
            .body_b = body_of(world, pair->handle_b),
            .part_a = contact->part_a,
            .part_b = contact->part_b,
            .normal = q_rotate(c->colliders.data[pair->a].pose.rotation, contact->normal),
            .point_count = contact->point_count < ASH_CONTACT_POINTS ? contact->point_count : ASH_CONTACT_POINTS,
            .all_points = contact->point_count,
            .sensor = pair->sensor,
        };
        ash_world_get_contact_points(world, i, contacts[i].points, ASH_CONTACT_POINTS);
    }
    return c->now.contacts.count;
}

uint32_t ash_world_get_contact_events(const ash_world *world, ash_contact_event *events, uint32_t capacity)
{
    const ashi_collision *c = &world->collision;
    for (uint32_t i = 0; i < c->events.count && i < capacity; i++)
        events[i] = c->events.data[i];
    return c->events.count;
}

uint32_t ash_world_get_impacts(const ash_world *world, ash_impact *impacts, uint32_t capacity)
{
    const ashi_collision *c = &world->collision;
    for (uint32_t i = 0; i < c->impacts.count && i < capacity; i++)
        impacts[i] = c->impacts.data[i];
    return c->impacts.count;
}

ash_status ash_world_detect(ash_world *world)
{
    if (ashi_collision_detect(&world->collision, &world->model, world->tasks, &world->method, 0)) {
        world->detected = world->revision;
        return ASH_OK;
    }
    return ashi_world_misuse(world, ASH_OUT_OF_MEMORY, "memory", "%s: out of memory; contacts are as they were",
                             __func__);
}

ash_pair_filter ash_world_get_pair_filter(const ash_world *world, void **user)
{
    if (user != NULL)
        *user = world->collision.filter_user;
    return world->collision.filter;
}

ash_status ash_world_set_pair_filter(ash_world *world, ash_pair_filter filter, void *user)
{
    world->revision++;
    ashi_sleep_wake_all(&world->model.bodies);
    world->collision.filter = filter;
    world->collision.filter_user = user;
    return ASH_OK;
}

ash_status ash_world_ignore_pair(ash_world *world, ash_body a, ash_body b, bool ignore)
{
    if (ashi_world_body(world, a, __func__) == ASHI_NO_SLOT || ashi_world_body(world, b, __func__) == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    world->revision++;
    ashi_sleep_wake_all(&world->model.bodies);
    if (ashi_collision_ignore(&world->collision, a.id, b.id, ignore))
        return ASH_OK;
    return ashi_world_misuse(world, ASH_OUT_OF_MEMORY, "memory", "%s: out of memory", __func__);
}
