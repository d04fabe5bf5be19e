/* The materials of a world, the laws of pairs, and the surface law between any two. Slot 0 is the default material. */
#ifndef ASHI_MODEL_MATERIALS_H
#define ASHI_MODEL_MATERIALS_H

#include "ashlar/material.h"
#include "base/pool.h"

typedef struct ashi_material_entry {
    char *name; /* null for none */
    ash_surface surface;
    ash_combine friction_combine, restitution_combine;
    double density;
} ashi_material_entry;

/* A law that replaces the combine rules. */
typedef struct ashi_material_pair {
    uint32_t low, high; /* slots, low <= high */
    ash_surface surface;
} ashi_material_pair;

typedef struct ashi_materials {
    ashi_pool pool;
    ASHI_ARRAY(ashi_material_entry) entries; /* by slot */
    ASHI_ARRAY(ashi_material_pair) pairs;    /* sorted by high, then low */
    ASHI_ARRAY(ash_surface) table;           /* the laws between the first slots: high (high + 1) / 2 + low */
} ashi_materials;

/* Makes the default material. False when there is no memory; nothing is then allocated. */
bool ashi_materials_create(ashi_materials *materials);
void ashi_materials_destroy(ashi_materials *materials);

/* Whether a definition is usable. */
ash_status ashi_material_check(const ash_material_def *def, ash_diagnostic *diagnostic);
ash_status ashi_surface_check(const ash_surface *surface, ash_diagnostic *diagnostic);

/* All expect checked definitions. ASHI_NO_SLOT or false when there is no memory; then nothing has changed. */
uint32_t ashi_materials_add(ashi_materials *materials, const ash_material_def *def);
bool ashi_materials_set(ashi_materials *materials, uint32_t slot, const ash_material_def *def);
bool ashi_materials_set_pair(ashi_materials *materials, uint32_t a, uint32_t b, const ash_surface *surface);
/* False when the pair had no law of its own. */
bool ashi_materials_clear_pair(ashi_materials *materials, uint32_t a, uint32_t b);
/* Removes a material and the laws of its pairs. */
void ashi_materials_remove(ashi_materials *materials, uint32_t slot);

/* Rebuilds the table after entries and pairs were set directly (snapshots). False when there is no memory. */
bool ashi_materials_tabulate(ashi_materials *materials);
/* Whether every pair names two materials in use and the pairs are in order. */
bool ashi_materials_are_consistent(const ashi_materials *materials);

/* The slot of a handle: the default material's for null, ASHI_NO_SLOT for a stale one. */
static inline uint32_t ashi_materials_slot(const ashi_materials *materials, ash_material material)
{
    return material.id == 0 ? 0 : ashi_pool_slot_of(&materials->pool, material.id);
}

/* The law between two materials in use, the same for (a, b) and (b, a). A table lookup for the first 128 slots;
 * computed for others. */
ash_surface ashi_materials_combine(const ashi_materials *materials, uint32_t a, uint32_t b);

#endif
