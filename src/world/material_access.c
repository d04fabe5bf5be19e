/* Materials of a world through the public interface, and the materials of shapes. */
#include "world/world.h"

#include <string.h>

/* The slot of a handle; ASHI_NO_SLOT after reporting the misuse. */
static uint32_t material_of(const ash_world *world, ash_material material, const char *call)
{
    return ashi_world_slot(world, &world->model.materials.pool, material.id, "material", call);
}

/* Copies the world's last diagnostic to the caller. */
static ash_status refuse(const ash_world *world, ash_diagnostic *diagnostic)
{
    if (diagnostic != NULL)
        *diagnostic = *world->last;
    return world->last->status;
}

ash_status ash_material_create(ash_world *world, const ash_material_def *def, ash_material *material,
                               ash_diagnostic *diagnostic)
{
    if (ashi_material_check(def, world->last) != ASH_OK ||
        !ashi_world_has_room(&world->model.materials.pool, 1, "materials", world->last))
        return refuse(world, diagnostic);
    uint32_t slot = ashi_materials_add(&world->model.materials, def);
    if (slot == ASHI_NO_SLOT) {
        ashi_out_of_memory(world->last);
        return refuse(world, diagnostic);
    }
    material->id = ashi_pool_handle(&world->model.materials.pool, slot);
    return ASH_OK;
}

ash_status ash_material_destroy(ash_world *world, ash_material material)
{
    uint32_t slot = material_of(world, material, __func__);
    if (slot == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    if (slot == 0)
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "material.default", "the default material cannot be removed");
    const ashi_shapes *shapes = &world->model.shapes;
    for (uint32_t i = 0; i < shapes->entries.count; i++)
        if (ashi_pool_in_use(&shapes->pool, i) && shapes->entries.data[i].material == slot)
            return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "material.used",
                                     "ash_material_destroy: material %u is that of shape %u of body %u", slot, i,
                                     shapes->entries.data[i].body);
    ashi_materials_remove(&world->model.materials, slot);
    return ASH_OK;
}

bool ash_material_is_valid(const ash_world *world, ash_material material)
{
    return ashi_pool_slot_of(&world->model.materials.pool, material.id) != ASHI_NO_SLOT;
}

ash_material ash_world_get_default_material(const ash_world *world)
{
    return (ash_material){ashi_pool_handle(&world->model.materials.pool, 0)};
}

uint32_t ash_world_get_materials(const ash_world *world, ash_material *materials, uint32_t capacity)
{
    const ashi_materials *all = &world->model.materials;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->entries.count; i++) {
        if (!ashi_pool_in_use(&all->pool, i))
            continue;
        if (count < capacity)
            materials[count].id = ashi_pool_handle(&all->pool, i);
        count++;
    }
    return count;
}

ash_material ash_world_find_material(const ash_world *world, const char *name)
{
    const ashi_materials *all = &world->model.materials;
    for (uint32_t i = 0; name != NULL && i < all->entries.count; i++)
        if (all->entries.data[i].name != NULL && strcmp(all->entries.data[i].name, name) == 0)
            return (ash_material){ashi_pool_handle(&all->pool, i)};
    return (ash_material){0};
}

ash_material_def ash_material_get(const ash_world *world, ash_material material)
{
    uint32_t slot = material_of(world, material, __func__);
    if (slot == ASHI_NO_SLOT)
        return ash_default_material_def();
    const ashi_material_entry *entry = &world->model.materials.entries.data[slot];
    return (ash_material_def){entry->name != NULL ? entry->name : "", entry->surface, entry->friction_combine,
                              entry->restitution_combine, entry->density};
}

ash_status ash_material_set(ash_world *world, ash_material material, const ash_material_def *def,
                            ash_diagnostic *diagnostic)
{
    uint32_t slot = material_of(world, material, __func__);
    if (slot == ASHI_NO_SLOT || ashi_material_check(def, world->last) != ASH_OK)
        return refuse(world, diagnostic);
    ashi_sleep_wake_all(&world->model.bodies);
    if (ashi_materials_set(&world->model.materials, slot, def))
        return ASH_OK;
    ashi_out_of_memory(world->last);
    return refuse(world, diagnostic);
}

ash_status ash_material_set_pair(ash_world *world, ash_material a, ash_material b, const ash_surface *surface,
                                 ash_diagnostic *diagnostic)
{
    uint32_t first = material_of(world, a, __func__);
    uint32_t second = first != ASHI_NO_SLOT ? material_of(world, b, __func__) : ASHI_NO_SLOT;
    if (second == ASHI_NO_SLOT || ashi_surface_check(surface, world->last) != ASH_OK)
        return refuse(world, diagnostic);
    ashi_sleep_wake_all(&world->model.bodies);
    if (ashi_materials_set_pair(&world->model.materials, first, second, surface))
        return ASH_OK;
    ashi_out_of_memory(world->last);
    return refuse(world, diagnostic);
}

ash_status ash_material_clear_pair(ash_world *world, ash_material a, ash_material b)
{
    uint32_t first = material_of(world, a, __func__), second = material_of(world, b, __func__);
    if (first == ASHI_NO_SLOT || second == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    ashi_sleep_wake_all(&world->model.bodies);
    return ashi_materials_clear_pair(&world->model.materials, first, second) ? ASH_OK : ASH_NOT_FOUND;
}

ash_surface ash_material_get_pair(const ash_world *world, ash_material a, ash_material b)
{
    uint32_t first = material_of(world, a, __func__), second = material_of(world, b, __func__);
    bool valid = first != ASHI_NO_SLOT && second != ASHI_NO_SLOT;
    return ashi_materials_combine(&world->model.materials, valid ? first : 0, valid ? second : 0);
}
