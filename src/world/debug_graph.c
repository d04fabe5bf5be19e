/* The contact graph (Erleben 2007, section 4) in debug geometry. An immovable body is often a floor, whose centre has
 * no meaning: lines end at the contact. */
#include "world/debug.h"

#include "ashlar/contact.h"

static bool moves(const ash_world *world, uint32_t body)
{
    return world->model.bodies.info[body].type == ASH_BODY_DYNAMIC;
}

static uint32_t height_of(const ash_world *world, uint32_t body)
{
    return ash_body_get_stack_height(world, (ash_body){ashi_pool_handle(&world->model.bodies.pool, body)});
}

/* An edge between two bodies that meet at `place`. */
static void draw_edge(const ashi_drawing *d, uint32_t a, uint32_t b, ash_vec3 place_a, ash_vec3 place_b)
{
    const ash_vec3 *centres = d->world->model.bodies.now.position;
    if (!moves(d->world, a) && !moves(d->world, b))
        return;
    uint32_t height_a = height_of(d->world, a), height_b = height_of(d->world, b);
    ashi_draw_line(d, moves(d->world, a) ? centres[a] : place_a, moves(d->world, b) ? centres[b] : place_b,
                   ASH_DEBUG_GRAPH, height_a > height_b ? height_a : height_b);
}

/* The middle of a contact's points. */
static ash_vec3 place_of(const ashi_collision *c, const ashi_contact_pair *pair, const ashi_contact_record *contact)
{
    ash_vec3 sum = v3(0, 0, 0);
    for (uint32_t i = 0; i < contact->point_count; i++)
        sum = v3_add(sum, t_point(c->colliders.data[pair->a].pose, c->now.points.data[contact->first_point + i].on_a));
    return v3_scale(sum, 1.0 / contact->point_count);
}

/* One edge per pair of shapes, at its first contact. */
static void draw_touching(const ashi_drawing *d)
{
    const ashi_collision *c = &d->world->collision;
    const ashi_shapes *shapes = &d->world->model.shapes;
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < c->now.contacts.count; i++) {
        const ashi_contact_record *contact = &c->now.contacts.data[i];
        const ashi_contact_pair *pair = &c->now.pairs.data[contact->pair];
        uint32_t a = ashi_pool_slot_of(&shapes->pool, pair->handle_a);
        uint32_t b = ashi_pool_slot_of(&shapes->pool, pair->handle_b);
        if (contact->pair == last || pair->sensor || contact->point_count == 0 || a == ASHI_NO_SLOT ||
            b == ASHI_NO_SLOT)
            continue;
        last = contact->pair;
        ash_vec3 place = place_of(c, pair, contact);
        draw_edge(d, shapes->entries.data[a].body, shapes->entries.data[b].body, place, place);
    }
}

void ashi_draw_graph(const ashi_drawing *d)
{
    const ashi_joints *joints = &d->world->model.joints;
    const ashi_bodies *bodies = &d->world->model.bodies;
    draw_touching(d);
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        const ashi_joint_entry *joint = &joints->entries.data[i];
        if (ashi_pool_in_use(&joints->pool, i) && joint->enabled)
            draw_edge(d, joint->body_a, joint->body_b,
                      t_point(ashi_body_frame(bodies, &bodies->now, joint->body_a), joint->frame_a.position),
                      t_point(ashi_body_frame(bodies, &bodies->now, joint->body_b), joint->frame_b.position));
    }
}
