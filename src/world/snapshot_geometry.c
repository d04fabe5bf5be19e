/* Definitions of geometries to and from bytes. A definition that cannot be made into a geometry again fails the
 * archive. */
#include "world/snapshot_geometry.h"

#include <string.h>

void ashi_geometry_table_release(ashi_geometry_table *table, bool owned)
{
    for (uint32_t i = 0; owned && i < table->items.count; i++)
        ash_geometry_release(table->items.data[i]);
    ashi_array_release(&table->items);
    ashi_dealloc(table->buckets);
    *table = (ashi_geometry_table){0};
}

static uint32_t *bucket_of(const ashi_geometry_table *table, const ash_geometry *geometry)
{
    uint64_t bits = (uint64_t)(uintptr_t)geometry * 0x9e3779b97f4a7c15u;
    uint32_t i = (uint32_t)(bits >> 32) & (table->bucket_count - 1);
    while (table->buckets[i] != 0 && table->items.data[table->buckets[i] - 1] != geometry)
        i = (i + 1) & (table->bucket_count - 1);
    return &table->buckets[i];
}

/* Keeps at least half of the buckets empty. */
static bool reserve_bucket(ashi_geometry_table *table)
{
    if (2 * (table->items.count + 1) <= table->bucket_count)
        return true;
    uint32_t count = table->bucket_count == 0 ? 64 : 2 * table->bucket_count;
    uint32_t *buckets = ashi_alloc_zeroed(count * sizeof *buckets);
    if (buckets == NULL)
        return false;
    ashi_dealloc(table->buckets);
    table->buckets = buckets;
    table->bucket_count = count;
    for (uint32_t i = 0; i < table->items.count; i++)
        *bucket_of(table, table->items.data[i]) = i + 1;
    return true;
}

uint32_t ashi_geometry_table_add(ashi_geometry_table *table, ash_geometry *geometry)
{
    if (!reserve_bucket(table))
        return UINT32_MAX;
    uint32_t *bucket = bucket_of(table, geometry);
    if (*bucket != 0)
        return *bucket - 1;
    const ash_geometry_def *def = ash_geometry_get_definition(geometry);
    for (uint32_t i = 0; i < def->part_count; i++)
        if (ashi_geometry_table_add(table, def->parts[i].geometry) == UINT32_MAX)
            return UINT32_MAX;
    if (!reserve_bucket(table) || !ashi_array_extend(&table->items))
        return UINT32_MAX;
    table->items.data[table->items.count - 1] = geometry;
    *bucket_of(table, geometry) = table->items.count;
    return table->items.count - 1;
}

/* An array of a definition: a count, and when reading, memory that `arrays` keeps until the geometry is made. */
static void archive_array(ashi_archive *a, const void *data, uint64_t count, size_t size, void **copy)
{
    if (a->writing) {
        ashi_archive_bytes(a, (void *)data, count * size);
        return;
    }
    if (a->failed || count > (a->size - a->at) / size) {
        a->failed = true;
        return;
    }
    *copy = ashi_alloc_array(count, size);
    if (*copy == NULL)
        a->out_of_memory = true;
    else
        ashi_archive_bytes(a, *copy, count * size);
}

static uint64_t value_count(const ash_geometry_def *def)
{
    if (def->kind == ASH_GEOMETRY_HEIGHT_FIELD)
        return (uint64_t)def->cells[0] * def->cells[1];
    if (def->kind == ASH_GEOMETRY_DISTANCE_FIELD) /* saturates far above the size of any archive */
        return (uint64_t)def->cells[0] * def->cells[1] > UINT32_MAX
                   ? UINT64_MAX
                   : (uint64_t)def->cells[0] * def->cells[1] * def->cells[2];
    return 0;
}

static void archive_parts(ashi_archive *a, ashi_geometry_table *table, ash_geometry_def *def, uint32_t before,
                          ash_geometry_part **parts)
{
    if (!a->writing) {
        *parts = a->failed ? NULL : ashi_alloc_array(def->part_count, sizeof **parts);
        if (*parts == NULL) {
            a->out_of_memory |= !a->failed;
            return;
        }
        def->parts = *parts;
    }
    for (uint32_t i = 0; i < def->part_count && ashi_archive_good(a); i++) {
        ash_geometry_part part = {.pose = ash_identity()};
        uint32_t number = 0;
        if (a->writing) {
            part = def->parts[i];
            number = ashi_geometry_table_add(table, part.geometry); /* it exists: only looked up */
        }
        ashi_archive_below(a, &number, before);
        ashi_archive_vec3(a, &part.pose.position);
        ashi_archive_quat(a, &part.pose.rotation);
        if (!a->writing && ashi_archive_good(a)) {
            part.geometry = table->items.data[number];
            (*parts)[i] = part;
        }
    }
}

static ash_geometry *remade(ashi_archive *a, const ash_geometry_def *def, uint64_t hash, ash_geometry *const *known,
                            uint32_t known_count)
{
    for (uint32_t i = 0; i < known_count; i++)
        if (ash_geometry_get_hash(known[i]) == hash)
            return ash_geometry_retain(known[i]);
    ash_geometry *geometry = NULL;
    ash_status status = ash_geometry_create(def, &geometry, NULL);
    a->out_of_memory |= status == ASH_OUT_OF_MEMORY;
    a->failed |= status != ASH_OK && status != ASH_OUT_OF_MEMORY;
    return geometry;
}

static void archive_one(ashi_archive *a, ashi_geometry_table *table, uint32_t number, ash_geometry *const *known,
                        uint32_t known_count)
{
    ash_geometry_def def = {0};
    uint64_t hash = 0;
    void *points = NULL, *triangles = NULL, *values = NULL;
    ash_geometry_part *parts = NULL;
    if (a->writing) {
        def = *ash_geometry_get_definition(table->items.data[number]);
        hash = ash_geometry_get_hash(table->items.data[number]);
    }
    uint32_t kind = (uint32_t)def.kind;
    ashi_archive_below(a, &kind, ASH_GEOMETRY_KINDS);
    def.kind = (ash_geometry_kind)kind;
    ashi_archive_u64(a, &hash);
    ashi_archive_double(a, &def.radius);
    ashi_archive_double(a, &def.height);
    ashi_archive_vec3(a, &def.half_extents);
    ashi_archive_vec3(a, &def.origin);
    ashi_archive_vec3(a, &def.spacing);
    for (int i = 0; i < 3; i++)
        ashi_archive_u32(a, &def.cells[i]);
    ashi_archive_count(a, &def.point_count, sizeof(ash_vec3));
    ashi_archive_count(a, &def.triangle_count, 3 * sizeof(uint32_t));
    ashi_archive_count(a, &def.part_count, sizeof(ash_transform));
    archive_array(a, def.points, def.point_count, sizeof(ash_vec3), &points);
    archive_array(a, def.triangles, (uint64_t)def.triangle_count * 3, sizeof(uint32_t), &triangles);
    archive_array(a, def.values, value_count(&def), sizeof(double), &values);
    archive_parts(a, table, &def, number, &parts);
    if (!a->writing && ashi_archive_good(a)) {
        def.points = def.point_count > 0 ? points : NULL;
        def.triangles = def.triangle_count > 0 ? triangles : NULL;
        def.values = value_count(&def) > 0 ? values : NULL;
        def.sample_function = NULL;
        ash_geometry *geometry = remade(a, &def, hash, known, known_count);
        if (geometry != NULL && ashi_array_extend(&table->items)) {
            table->items.data[table->items.count - 1] = geometry;
        } else {
            a->out_of_memory |= geometry != NULL;
            ash_geometry_release(geometry);
        }
    }
    ashi_dealloc(points);
    ashi_dealloc(triangles);
    ashi_dealloc(values);
    ashi_dealloc(parts);
}

void ashi_archive_geometries(ashi_archive *archive, ashi_geometry_table *table, ash_geometry *const *known,
                             uint32_t known_count)
{
    uint32_t count = table->items.count;
    ashi_archive_count(archive, &count, sizeof(uint32_t));
    for (uint32_t i = 0; i < count && ashi_archive_good(archive); i++)
        archive_one(archive, table, i, known, known_count);
}
