/* Materials to and from bytes. What is read must pass the checks of definitions; the table of laws is derived again. */
#include "world/snapshot_materials.h"

#include "world/archive_pool.h"

static void archive_surface(ashi_archive *a, ash_surface *surface)
{
    ashi_archive_double(a, &surface->friction);
    ashi_archive_double(a, &surface->sliding_friction);
    ashi_archive_double(a, &surface->restitution);
    ashi_archive_double(a, &surface->rolling);
    ashi_archive_double(a, &surface->spinning);
    a->failed |= ashi_surface_check(surface, NULL) != ASH_OK || surface->sliding_friction < 0;
}

static void archive_material(ashi_archive *a, ashi_material_entry *material)
{
    uint32_t friction = (uint32_t)material->friction_combine, restitution = (uint32_t)material->restitution_combine;
    ashi_archive_text(a, &material->name);
    archive_surface(a, &material->surface);
    ashi_archive_below(a, &friction, ASH_COMBINES);
    ashi_archive_below(a, &restitution, ASH_COMBINES);
    ashi_archive_double(a, &material->density);
    material->friction_combine = (ash_combine)friction;
    material->restitution_combine = (ash_combine)restitution;
    ash_material_def def = {material->name, material->surface, material->friction_combine,
                            material->restitution_combine, material->density};
    a->failed |= ashi_material_check(&def, NULL) != ASH_OK;
}

static void archive_entries(ashi_archive *a, ashi_materials *m)
{
    ashi_archive_pool(a, &m->pool);
    uint32_t slots = m->pool.slots.count;
    if (!a->writing && ashi_archive_good(a)) {
        if (!ashi_array_reserve(&m->entries, slots)) {
            a->out_of_memory = true;
            return;
        }
        m->entries.count = slots;
        for (uint32_t i = 0; i < slots; i++)
            m->entries.data[i] = (ashi_material_entry){0};
        a->failed |= slots == 0 || !ashi_pool_in_use(&m->pool, 0);
    }
    for (uint32_t i = 0; i < slots && ashi_archive_good(a); i++)
        if (ashi_pool_in_use(&m->pool, i))
            archive_material(a, &m->entries.data[i]);
}

static void archive_pairs(ashi_archive *a, ashi_materials *m)
{
    uint32_t count = m->pairs.count;
    ashi_archive_count(a, &count, sizeof(ash_surface));
    if (!a->writing && ashi_archive_good(a)) {
        if (!ashi_array_reserve(&m->pairs, count)) {
            a->out_of_memory = true;
            return;
        }
        m->pairs.count = count;
    }
    for (uint32_t i = 0; i < count && ashi_archive_good(a); i++) {
        ashi_archive_u32(a, &m->pairs.data[i].low);
        ashi_archive_u32(a, &m->pairs.data[i].high);
        archive_surface(a, &m->pairs.data[i].surface);
    }
}

void ashi_archive_materials(ashi_archive *archive, ashi_materials *materials)
{
    if (!archive->writing) /* the fresh model's own default is replaced by the saved one */
        ashi_materials_destroy(materials);
    archive_entries(archive, materials);
    archive_pairs(archive, materials);
    if (archive->writing || !ashi_archive_good(archive))
        return;
    archive->failed |= !ashi_materials_are_consistent(materials);
    if (!archive->failed && !ashi_materials_tabulate(materials))
        archive->out_of_memory = true;
}
