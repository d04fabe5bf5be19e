/* Values to colour bodies by. */
#include "app/picture/tint.h"

#include "ashlar/contact.h"
#include "world/world.h"

const char *cli_tint_name(cli_tint tint)
{
    static const char *const names[CLI_TINTS] = {"body", "island", "layer", "sleeping", "speed", "force"};
    return names[tint];
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

static void find_islands(const ash_world *world, float *values, uint32_t *parents)
{
    const ashi_bodies *bodies = &world->model.bodies;
    const ashi_contact_set *contacts = &world->collision.now;
    const ashi_joints *joints = &world->model.joints;
    uint32_t count = ashi_body_slots(bodies);
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
}

static void sum_forces(const ash_world *world, float *values)
{
    const ashi_contact_set *contacts = &world->collision.now;
    for (uint32_t i = 0; i < ashi_body_slots(&world->model.bodies); i++)
        values[i] = 0;
    for (uint32_t i = 0; i < contacts->contacts.count; i++) {
        const ashi_contact_record *contact = &contacts->contacts.data[i];
        const ashi_contact_pair *pair = &contacts->pairs.data[contact->pair];
        double sum = 0;
        for (uint32_t k = 0; k < contact->point_count; k++)
            sum += v3_norm(contacts->points.data[contact->first_point + k].force);
        values[body_of(world, pair->handle_a)] += (float)sum;
        values[body_of(world, pair->handle_b)] += (float)sum;
    }
}

static float value_of(const ash_world *world, cli_tint tint, uint32_t body)
{
    const ashi_bodies *bodies = &world->model.bodies;
    switch (tint) {
    case CLI_TINT_LAYER:
        return (float)ash_body_get_stack_height(world, (ash_body){ashi_pool_handle(&bodies->pool, body)});
    case CLI_TINT_SLEEPING:
        return ashi_sleep_is_awake(bodies, &world->method, body) ? 0 : 1;
    case CLI_TINT_SPEED:
        return (float)v3_norm(bodies->now.velocity[body]);
    default:
        return 0;
    }
}

void cli_tint_values(const ash_world *world, cli_tint tint, float *values, uint32_t *work)
{
    const ashi_bodies *bodies = &world->model.bodies;
    if (tint == CLI_TINT_ISLAND)
        find_islands(world, values, work);
    else if (tint == CLI_TINT_FORCE)
        sum_forces(world, values);
    else
        for (uint32_t i = 0; i < ashi_body_slots(bodies); i++)
            values[i] = ashi_pool_in_use(&bodies->pool, i) ? value_of(world, tint, i) : 0;
}
