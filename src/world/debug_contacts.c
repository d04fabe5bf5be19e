/* Contacts in debug geometry: positions, depths and forces. */
#include "world/debug.h"

/* A contact whose shapes exist, at the poses at which it was found. */
typedef struct contact_view {
    const ashi_drawing *drawing;
    ash_transform a, b; /* of the shapes */
    ash_vec3 normal;    /* from a to b */
    bool bears;         /* neither shape is a sensor */
    double side;        /* whose forces are shown: 1 of b, -1 of a */
} contact_view;

/* Forces are shown on the body that can move; on b if both can. False when a shape was removed since. */
static bool choose_side(const ash_world *world, const ashi_contact_pair *pair, contact_view *view)
{
    const ashi_bodies *bodies = &world->model.bodies;
    uint32_t a = ashi_pool_slot_of(&world->model.shapes.pool, pair->handle_a);
    uint32_t b = ashi_pool_slot_of(&world->model.shapes.pool, pair->handle_b);
    if (a == ASHI_NO_SLOT || b == ASHI_NO_SLOT)
        return false;
    const ashi_shape_entry *shapes = world->model.shapes.entries.data;
    bool b_moves = bodies->info[shapes[b].body].type == ASH_BODY_DYNAMIC;
    bool a_moves = bodies->info[shapes[a].body].type == ASH_BODY_DYNAMIC;
    view->side = a_moves && !b_moves ? -1 : 1;
    return true;
}

static void draw_force(const contact_view *v, ash_vec3 at, ash_vec3 force, ash_debug_layer layer)
{
    double size = v3_norm(force);
    if (size > 0)
        ashi_draw_arrow(v->drawing, at, v3_add_scaled(at, force, v->drawing->scale.force), layer, size);
}

static void draw_point(const contact_view *v, const ashi_point_record *p, uint32_t layers)
{
    const ashi_drawing *d = v->drawing;
    ash_vec3 on_a = t_point(v->a, p->on_a), on_b = t_point(v->b, p->on_b);
    if ((layers & ASH_DEBUG_CONTACTS) != 0) {
        ashi_draw_line(d, on_a, on_b, ASH_DEBUG_CONTACTS, p->depth);
        ashi_draw_point(d, on_a, ASH_DEBUG_CONTACTS, p->depth);
        ashi_draw_point(d, on_b, ASH_DEBUG_CONTACTS, p->depth);
    }
    if ((layers & ASH_DEBUG_NORMALS) != 0)
        ashi_draw_arrow(d, on_b, v3_add_scaled(on_b, v->normal, d->scale.normals), ASH_DEBUG_NORMALS, p->depth);
    if (!v->bears)
        return;
    if ((layers & ASH_DEBUG_PENETRATION) != 0 && p->depth > 0)
        ashi_draw_line(d, on_a, on_b, ASH_DEBUG_PENETRATION, p->depth);
    ash_vec3 at = v->side > 0 ? on_b : on_a, force = v3_scale(p->force, v->side);
    ash_vec3 pressing = v3_scale(v->normal, v3_dot(force, v->normal));
    if ((layers & ASH_DEBUG_FORCES) != 0)
        draw_force(v, at, pressing, ASH_DEBUG_FORCES);
    if ((layers & ASH_DEBUG_FRICTION) != 0)
        draw_force(v, at, v3_sub(force, pressing), ASH_DEBUG_FRICTION);
}

void ashi_draw_contacts(const ashi_drawing *d, uint32_t layers)
{
    const ashi_collision *c = &d->world->collision;
    const uint32_t points =
        ASH_DEBUG_CONTACTS | ASH_DEBUG_NORMALS | ASH_DEBUG_FORCES | ASH_DEBUG_FRICTION | ASH_DEBUG_PENETRATION;
    for (uint32_t i = 0; (layers & points) != 0 && i < c->now.contacts.count; i++) {
        const ashi_contact_record *contact = &c->now.contacts.data[i];
        const ashi_contact_pair *pair = &c->now.pairs.data[contact->pair];
        contact_view view = {.drawing = d,
                             .a = c->colliders.data[pair->a].pose,
                             .b = c->colliders.data[pair->b].pose,
                             .bears = !pair->sensor};
        if (!choose_side(d->world, pair, &view))
            continue;
        view.normal = q_rotate(view.a.rotation, contact->normal);
        for (uint32_t k = 0; k < contact->point_count; k++)
            draw_point(&view, &c->now.points.data[contact->first_point + k], layers);
    }
    if ((layers & ASH_DEBUG_IMPACTS) != 0)
        for (uint32_t i = 0; i < c->impacts.count; i++)
            ashi_draw_point(d, c->impacts.data[i].on_b, ASH_DEBUG_IMPACTS, c->impacts.data[i].time);
}
