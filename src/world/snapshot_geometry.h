/* Geometries in snapshots: each distinct one once, ordered so that the parts of a compound come before it. */
#ifndef ASHI_WORLD_SNAPSHOT_GEOMETRY_H
#define ASHI_WORLD_SNAPSHOT_GEOMETRY_H

#include "ashlar/geometry.h"
#include "world/archive.h"

typedef struct ashi_geometry_table {
    ASHI_ARRAY(ash_geometry *) items; /* reading: one reference each is owned */
    uint32_t *buckets;                /* numbers + 1 by hash of the pointer, for writing */
    uint32_t bucket_count;
} ashi_geometry_table;

void ashi_geometry_table_release(ashi_geometry_table *table, bool owned);

/* The number of a geometry, which is added with its parts when it is new. UINT32_MAX when memory ran out. */
uint32_t ashi_geometry_table_add(ashi_geometry_table *table, ash_geometry *geometry);

/* Writes or reads all. When reading, a geometry of equal content in `known` is used instead of making a new one. */
void ashi_archive_geometries(ashi_archive *archive, ashi_geometry_table *table, ash_geometry *const *known,
                             uint32_t known_count);

#endif
