/* Reading the shapes of bodies, and changing their surfaces. */
#include "world/world.h"

uint32_t ash_body_get_shapes(const ash_world *world, ash_body body, ash_shape *shapes, uint32_t capacity)
{
    const ashi_shapes *all = &world->model.shapes;
    uint32_t slot = ashi_world_body(world, body, __func__), count = 0;
    if (slot == ASHI_NO_SLOT)
        return 0;
    for (uint32_t i = world->model.bodies.info[slot].first_shape; i != ASHI_NO_SLOT; i = all->entries.data[i].next) {
        if (count < capacity)
            shapes[count].id = ashi_pool_handle(&all->pool, i);
        count++;
    }
    return count;
}

bool ash_shape_is_valid(const ash_world *world, ash_shape shape)
{
    return ashi_pool_slot_of(&world->model.shapes.pool, shape.id) != ASHI_NO_SLOT;
}

/* Null after reporting the misuse. */
static ashi_shape_entry *entry_of(const ash_world *world, ash_shape shape, const char *call)
{
    uint32_t slot = ashi_world_slot(world, &world->model.shapes.pool, shape.id, "shape", call);
    return slot != ASHI_NO_SLOT ? &world->model.shapes.entries.data[slot] : NULL;
}

ash_body ash_shape_get_body(const ash_world *world, ash_shape shape)
{
    const ashi_shape_entry *entry = entry_of(world, shape, __func__);
    return (ash_body){entry != NULL ? ashi_pool_handle(&world->model.bodies.pool, entry->body) : 0};
}

const ash_geometry *ash_shape_get_geometry(const ash_world *world, ash_shape shape)
{
    const ashi_shape_entry *entry = entry_of(world, shape, __func__);
    return entry != NULL ? entry->geometry : NULL;
}

ash_transform ash_shape_get_pose(const ash_world *world, ash_shape shape)
{
    const ashi_shape_entry *entry = entry_of(world, shape, __func__);
    return entry != NULL ? entry->pose : ash_identity();
}

const char *ash_shape_get_name(const ash_world *world, ash_shape shape)
{
    const ashi_shape_entry *entry = entry_of(world, shape, __func__);
    return entry != NULL && entry->name != NULL ? entry->name : "";
}

ash_material ash_shape_get_material(const ash_world *world, ash_shape shape)
{
    const ashi_shape_entry *entry = entry_of(world, shape, __func__);
    return (ash_material){entry != NULL ? ashi_pool_handle(&world->model.materials.pool, entry->material) : 0};
}

ash_status ash_shape_set_material(ash_world *world, ash_shape shape, ash_material material)
{
    ashi_shape_entry *entry = entry_of(world, shape, __func__);
    uint32_t slot = ashi_materials_slot(&world->model.materials, material);
    if (entry == NULL)
        return ASH_BAD_HANDLE;
    if (slot == ASHI_NO_SLOT)
        return ashi_world_misuse(world, ASH_BAD_HANDLE, "material.handle",
                                 "%s: the material handle %#llx is stale or of another world", __func__,
                                 (unsigned long long)material.id);
    ashi_sleep_disturb(&world->collision, &world->model, entry->body);
    entry->material = slot;
    return ASH_OK;
}

ash_vec3 ash_shape_get_surface_velocity(const ash_world *world, ash_shape shape)
{
    const ashi_shape_entry *entry = entry_of(world, shape, __func__);
    return entry != NULL ? entry->surface_velocity : v3(0, 0, 0);
}

ash_status ash_shape_set_surface_velocity(ash_world *world, ash_shape shape, ash_vec3 velocity)
{
    ashi_shape_entry *entry = entry_of(world, shape, __func__);
    if (entry == NULL)
        return ASH_BAD_HANDLE;
    if (!v3_is_finite(velocity) || (world->model.bodies.planar && velocity.z != 0))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "shape.surface-velocity",
                                 "%s: (%g, %g, %g) is not finite or leaves the plane", __func__, velocity.x, velocity.y,
                                 velocity.z);
    ashi_sleep_disturb(&world->collision, &world->model, entry->body);
    entry->surface_velocity = velocity;
    world->model.shapes.some_run |= v3_norm2(velocity) > 0;
    return ASH_OK;
}
