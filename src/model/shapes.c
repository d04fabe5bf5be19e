/* Shapes in a pool, chained by body. */
#include "model/shapes.h"

#include "math/vec3.h"

/* Releases the contents of an entry and returns the next shape. */
static uint32_t empty_entry(ashi_shapes *shapes, uint32_t slot)
{
    ashi_shape_entry *entry = &shapes->entries.data[slot];
    uint32_t next = entry->next;
    ash_geometry_release(entry->geometry);
    ashi_dealloc(entry->name);
    *entry = (ashi_shape_entry){.next = ASHI_NO_SLOT};
    return next;
}

void ashi_shapes_remove(ashi_shapes *shapes, uint32_t first)
{
    while (first != ASHI_NO_SLOT) {
        uint32_t next = empty_entry(shapes, first);
        ashi_pool_give_back(&shapes->pool, first);
        first = next;
    }
}

/* Removes shapes that were just added; the list runs from the last one to the first, the order required for undoing. */
static void undo_add(ashi_shapes *shapes, uint32_t last)
{
    while (last != ASHI_NO_SLOT) {
        uint32_t before = empty_entry(shapes, last);
        ashi_pool_undo_take(&shapes->pool, last);
        last = before;
    }
    shapes->entries.count = shapes->pool.slots.count;
}

void ashi_shapes_destroy(ashi_shapes *shapes)
{
    for (uint32_t i = 0; i < shapes->entries.count; i++) {
        ash_geometry_release(shapes->entries.data[i].geometry);
        ashi_dealloc(shapes->entries.data[i].name);
    }
    ashi_array_release(&shapes->entries);
    ashi_pool_release(&shapes->pool);
}

double ashi_shape_density(const ashi_materials *materials, const ash_shape_def *def)
{
    return def->density == ASH_MATERIAL_DENSITY
               ? materials->entries.data[ashi_materials_slot(materials, def->material)].density
               : def->density;
}

static uint32_t add_one(ashi_shapes *shapes, const ashi_materials *materials, uint32_t body, const ash_shape_def *def,
                        uint32_t next)
{
    char *name = NULL;
    bool named = def->name != NULL && def->name[0] != 0;
    if (!ashi_array_reserve(&shapes->entries, ashi_pool_next(&shapes->pool) + 1))
        return ASHI_NO_SLOT;
    if (named && (name = ashi_copy_text(def->name)) == NULL)
        return ASHI_NO_SLOT;
    uint32_t slot = ashi_pool_take(&shapes->pool);
    if (slot == ASHI_NO_SLOT) {
        ashi_dealloc(name);
        return ASHI_NO_SLOT;
    }
    if (slot >= shapes->entries.count)
        shapes->entries.count = slot + 1;
    shapes->some_run |= v3_norm2(def->surface_velocity) > 0;
    shapes->entries.data[slot] = (ashi_shape_entry){
        .geometry = ash_geometry_retain(def->geometry),
        .pose = def->pose,
        .density = ashi_shape_density(materials, def),
        .material = ashi_materials_slot(materials, def->material),
        .surface_velocity = def->surface_velocity,
        .category = def->category,
        .mask = def->mask,
        .group = def->group,
        .sensor = def->sensor,
        .body = body,
        .next = next,
        .name = name,
        .user_data = def->user_data,
    };
    return slot;
}

bool ashi_shapes_add(ashi_shapes *shapes, const ashi_materials *materials, uint32_t body, const ash_shape_def *defs,
                     uint32_t count, uint32_t *first)
{
    *first = ASHI_NO_SLOT;
    for (uint32_t i = count; i > 0; i--) { /* from the last, so that the list has the order of the definitions */
        uint32_t slot = add_one(shapes, materials, body, &defs[i - 1], *first);
        if (slot == ASHI_NO_SLOT) {
            undo_add(shapes, *first);
            return false;
        }
        *first = slot;
    }
    return true;
}

bool ashi_shapes_meet(const ashi_shape_entry *a, const ashi_shape_entry *b)
{
    if (a->group != 0 && a->group == b->group)
        return a->group > 0;
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

bool ashi_shapes_some_meet(const ashi_shapes *shapes)
{
    const ashi_shape_entry *first = NULL;
    for (uint32_t i = 0; i < shapes->entries.count; i++) {
        const ashi_shape_entry *entry = &shapes->entries.data[i];
        bool blind = entry->group <= 0 && (entry->category == 0 || entry->mask == 0);
        if (!ashi_pool_in_use(&shapes->pool, i) || blind)
            continue;
        if (first != NULL && (first->group >= 0 || entry->group != first->group))
            return true;
        first = entry;
    }
    return false;
}
