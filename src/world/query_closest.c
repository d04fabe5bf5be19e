/* Closest points of shapes and bodies of a world. */
#include "collide/query/closest.h"
#include "world/query.h"

static uint32_t shape_slot(const ash_world *world, ash_shape shape, const char *call)
{
    return ashi_world_slot(world, &world->model.shapes.pool, shape.id, "shape", call);
}

/* Needs no boxes, unlike queries that search. */
static ash_transform pose_of(const ash_world *world, uint32_t shape)
{
    const ashi_bodies *bodies = &world->model.bodies;
    const ashi_shape_entry *entry = &world->model.shapes.entries.data[shape];
    return t_mul(ashi_body_frame(bodies, &bodies->now, entry->body), entry->pose);
}

/* Stores the pair in `closest` if it is nearer than the stored one. False for pairs without a distance. */
static bool take_nearer(const ash_world *world, uint32_t a, uint32_t b, ash_closest *closest)
{
    const ashi_shape_entry *entries = world->model.shapes.entries.data;
    ash_transform pose_a = pose_of(world, a), pose_b = pose_of(world, b);
    ashi_pair_distance c;
    if (!ashi_measure_distance(entries[a].geometry, entries[b].geometry, t_mul(t_inverse(pose_a), pose_b),
                               closest->distance, &c))
        return false;
    if (c.distance < closest->distance)
        *closest = (ash_closest){.distance = c.distance,
                                 .on_a = t_point(pose_a, c.on_a),
                                 .on_b = t_point(pose_a, c.on_b),
                                 .normal = q_rotate(pose_a.rotation, c.normal),
                                 .shape_a = ashi_shape_handle(world, a),
                                 .shape_b = ashi_shape_handle(world, b)};
    return true;
}

ash_status ash_shape_closest(const ash_world *world, ash_shape a, ash_shape b, ash_closest *closest)
{
    uint32_t slot_a = shape_slot(world, a, __func__);
    uint32_t slot_b = slot_a != ASHI_NO_SLOT ? shape_slot(world, b, __func__) : ASHI_NO_SLOT;
    if (slot_b == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    if (!ashi_query_check_room(world, closest, 1, __func__))
        return ASH_BAD_ARGUMENT;
    ash_closest found = {.distance = INFINITY};
    if (!take_nearer(world, slot_a, slot_b, &found))
        return ASH_UNSUPPORTED;
    *closest = found;
    return ASH_OK;
}

ash_status ash_body_closest(const ash_world *world, ash_body a, ash_body b, ash_closest *closest)
{
    const ashi_model *model = &world->model;
    uint32_t slot_a = ashi_world_body(world, a, __func__);
    uint32_t slot_b = slot_a != ASHI_NO_SLOT ? ashi_world_body(world, b, __func__) : ASHI_NO_SLOT;
    if (slot_b == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    if (!ashi_query_check_room(world, closest, 1, __func__))
        return ASH_BAD_ARGUMENT;
    ash_closest found = {.distance = INFINITY};
    const ashi_shape_entry *shapes = model->shapes.entries.data;
    for (uint32_t i = model->bodies.info[slot_a].first_shape; i != ASHI_NO_SLOT; i = shapes[i].next)
        for (uint32_t k = model->bodies.info[slot_b].first_shape; k != ASHI_NO_SLOT; k = shapes[k].next)
            take_nearer(world, i, k, &found);
    if (!isfinite(found.distance)) /* no shapes, or no pair with a distance */
        return ASH_UNSUPPORTED;
    *closest = found;
    return ASH_OK;
}
