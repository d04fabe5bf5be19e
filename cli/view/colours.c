/* Values to colour bodies by. Islands are the bodies that contacts and joints lead to from one another without passing
 * a static or kinematic one; the value is the number of the island's first body, so that it changes seldom. */
#include <math.h>

#include "ashlar/contact.h"
#include "view/parts.h"
#include "world/world.h"

const char *view_colour_name(view_colour colour)
{
    static const char *const names[VIEW_COLOURS] = {"body", "island", "layer", "sleeping", "speed", "force"};
    return names[colour];
}

/* The body that stands for an island; the way there is shortened. */
static uint32_t root_of(uint32_t *parents, uint32_t body)
{
    while (parents[body] != body)
        body = parents[body] = parents[parents[body]];
    return body;
}

static void unite(const ashi_bodies *bodies, uint32_t *parents, uint32_t a, uint32_t b)
{
    if (bodies->info[a].type != ASH_BODY_DYNAMIC || bodies->info[b].type != ASH_BODY_DYNAMIC)
        return;
    uint32_t root_a = root_of(parents, a), root_b = root_of(parents, b);
    parents[root_a > root_b ? root_a : root_b] = root_a > root_b ? root_b : root_a;
}

/* The body of a shape that a contact names, or the background when the shape is gone. */
static uint32_t body_of(const ash_world *world, uint64_t shape)
{
    uint32_t slot = ashi_pool_slot_of(&world->model.shapes.pool, shape);
    return slot == ASHI_NO_SLOT ? 0 : world->model.shapes.entries.data[slot].body;
}

static bool find_islands(view_session *session, const ash_world *world, float *values)
{
    const ashi_bodies *bodies = &world->model.bodies;
    const ashi_contact_set *contacts = &world->collision.now;
    const ashi_joints *joints = &world->model.joints;
    uint32_t count = ashi_body_slots(bodies);
    if (!ashi_array_reserve(&session->parents, count))
        return false;
    uint32_t *parents = session->parents.data;
    for (uint32_t i = 0; i < count; i++)
        parents[i] = i;
    for (uint32_t i = 0; i < contacts->pairs.count; i++) {
        const ashi_contact_pair *pair = &contacts->pairs.data[i];
        if (pair->contact_count > 0 && !pair->sensor)
            unite(bodies, parents, body_of(world, pair->handle_a), body_of(world, pair->handle_b));
    }
    for (uint32_t i = 0; i < joints->entries.count; i++)
        if (ashi_pool_in_use(&joints->pool, i) && joints->entries.data[i].enabled)
            unite(bodies, parents, joints->entries.data[i].body_a, joints->entries.data[i].body_b);
    for (uint32_t i = 0; i < count; i++)
        values[i] = (float)root_of(parents, i);
    return true;
}

/* The sum of the sizes of all contact forces on each body, N: what it is squeezed by. */
static void sum_forces(const ash_world *world, float *values)
{
    const ashi_contact_set *contacts = &world->collision.now;
    for (uint32_t i = 0; i < ashi_body_slots(&world->model.bodies); i++)
        values[i] = 0;
    for (uint32_t i = 0; i < contacts->contacts.count; i++) {
        const ashi_contact *contact = &contacts->contacts.data[i];
        const ashi_contact_pair *pair = &contacts->pairs.data[contact->pair];
        double sum = 0;
        for (uint32_t k = 0; k < contact->point_count; k++)
            sum += v3_norm(contacts->points.data[contact->first_point + k].force);
        values[body_of(world, pair->handle_a)] += (float)sum;
        values[body_of(world, pair->handle_b)] += (float)sum;
    }
}

bool view_colour_values(view_session *session, const view_world *shown)
{
    const ash_world *world = shown->instance.world;
    const ashi_bodies *bodies = &world->model.bodies;
    uint32_t count = ashi_body_slots(bodies);
    if (!ashi_array_reserve(&session->values, count))
        return false;
    float *values = session->values.data;
    session->values.count = count;
    if (session->colour == VIEW_BY_ISLAND)
        return find_islands(session, world, values);
    if (session->colour == VIEW_BY_FORCE)
        sum_forces(world, values);
    for (uint32_t i = 0; i < count; i++) {
        if (!ashi_pool_in_use(&bodies->pool, i))
            values[i] = 0;
        else if (session->colour == VIEW_BY_LAYER)
            values[i] = (float)ash_body_stack_height(world, (ash_body){ashi_pool_handle(&bodies->pool, i)});
        else if (session->colour == VIEW_BY_SLEEPING)
            values[i] = ashi_sleep_is_awake(bodies, &world->method, i) ? 0 : 1;
        else if (session->colour == VIEW_BY_SPEED)
            values[i] = (float)v3_norm(bodies->now.velocity[i]);
    }
    return true;
}
