/* A contact point lies on material points of edges and corners, which turn with their body, and below the centre of
 * round surfaces, which roll: there only the core (the centre of a sphere, the axis of a capsule) turns with the body,
 * and the rest of the arm r moves by h w x r, w being the mean of the spins. Material points of a rolling ball would
 * rise by r (1 - cos(h w)) in a part, and let it sink by as much. The normal remains that of the start. */
#include "step/touch.h"

#include "problem/assemble.h"
#include "shape/geometry.h"

/* The part of an arm that turns with the body; `outward` is the normal out of it. */
static ash_vec3 core_of(const ash_geometry *shape, ash_vec3 arm, ash_vec3 outward)
{
    if (shape->functions->round)
        return v3_add_scaled(arm, outward, -shape->def.radius);
    return shape->functions->curved ? v3(0, 0, 0) : arm;
}

/* Decides whose points carry the contact along. */
static void share_point(const ashi_geometry_functions *a, const ashi_geometry_functions *b, int share[2])
{
    share[0] = !a->face && (b->face || a->round || !b->round);
    share[1] = !b->face && (a->face || b->round || !a->round);
    if (share[0] + share[1] == 0)
        share[0] = share[1] = 1;
}

static void note_point(const ashi_model *model, const ashi_contact_pair *pair, ash_transform pose_a,
                       ash_transform pose_b, const ashi_contact_record *contact, const ashi_point_record *point,
                       ashi_touch *touch)
{
    const ashi_shape_entry *shapes = model->shapes.entries.data;
    ash_vec3 on_a = t_point(pose_a, point->on_a), on_b = t_point(pose_b, point->on_b);
    ash_vec3 middle = v3_scale(v3_add(on_a, on_b), 0.5);
    touch->normal = q_rotate(pose_a.rotation, contact->normal);
    touch->gap = v3_dot(touch->normal, v3_sub(on_b, on_a));
    share_point(shapes[pair->a].geometry->functions, shapes[pair->b].geometry->functions, touch->share);
    for (int side = 0; side < 2; side++) {
        const ashi_shape_entry *shape = &shapes[side == 0 ? pair->a : pair->b];
        touch->slot[side] = shape->body;
        touch->arm[side] = v3_sub(middle, model->bodies.now.position[shape->body]);
        if (model->bodies.planar)
            touch->arm[side].z = 0;
        touch->core[side] = core_of(shape->geometry, touch->arm[side], v3_scale(touch->normal, side == 0 ? 1 : -1));
    }
}

bool ashi_touch_note(ashi_step *step, const ashi_system *p, ashi_touch *touches)
{
    const ashi_model *model = step->model;
    const ashi_contact_set *set = &step->collision->now;
    uint32_t *block_of = ashi_arena_take_array(step->scratch, set->points.count, sizeof *block_of);
    if (block_of == NULL)
        return false;
    for (uint32_t i = 0; i < set->points.count; i++)
        block_of[i] = UINT32_MAX;
    for (uint32_t k = 0; k < p->block_count; k++)
        if (p->blocks[k].kind == ASHI_CONTACT_BLOCK)
            block_of[p->blocks[k].label] = k;
    for (uint32_t i = 0; i < set->contacts.count; i++) {
        const ashi_contact_record *contact = &set->contacts.data[i];
        const ashi_contact_pair *pair = &set->pairs.data[contact->pair];
        ash_transform a = ashi_shape_pose_at(model, &model->bodies.now, pair->a);
        ash_transform b = ashi_shape_pose_at(model, &model->bodies.now, pair->b);
        for (uint32_t m = contact->first_point; m < contact->first_point + contact->point_count; m++)
            if (block_of[m] != UINT32_MAX)
                note_point(model, pair, a, b, contact, &set->points.data[m], &touches[block_of[m]]);
    }
    return true;
}

/* How far a body's side of the point has moved. */
static ash_vec3 way_of(const ashi_bodies *b, const ashi_touch *t, int side, double h)
{
    uint32_t slot = t->slot[side];
    ash_quat turn = q_mul(b->next.rotation[slot], q_conjugate(b->now.rotation[slot]));
    ash_vec3 core = t->core[side], rolling = v3_sub(t->arm[side], core);
    ash_vec3 spin = v3_scale(v3_add(b->now.spin[slot], b->next.spin[slot]), 0.5);
    ash_vec3 way = v3_sub(b->next.position[slot], b->now.position[slot]);
    way = v3_add(way, v3_sub(q_rotate(turn, core), core));
    return v3_add_scaled(way, v3_cross(spin, rolling), h);
}

ash_vec3 ashi_touch_displacement(const ashi_bodies *b, const ashi_touch *t, double h)
{
    return v3_sub(way_of(b, t, 1, h), way_of(b, t, 0, h));
}

void ashi_touch_arms(const ashi_bodies *b, const ashi_touch *t, ash_vec3 arm[2])
{
    ash_vec3 place[2];
    for (int side = 0; side < 2; side++) {
        uint32_t slot = t->slot[side];
        ash_quat turn = q_mul(b->next.rotation[slot], q_conjugate(b->now.rotation[slot]));
        place[side] =
            v3_add(b->next.position[slot], v3_add(q_rotate(turn, t->core[side]), v3_sub(t->arm[side], t->core[side])));
    }
    ash_vec3 sum = v3_add(v3_scale(place[0], t->share[0]), v3_scale(place[1], t->share[1]));
    ash_vec3 middle = v3_scale(sum, 1.0 / (t->share[0] + t->share[1]));
    for (int side = 0; side < 2; side++) {
        arm[side] = v3_sub(middle, b->next.position[t->slot[side]]);
        if (b->planar)
            arm[side].z = 0;
    }
}
