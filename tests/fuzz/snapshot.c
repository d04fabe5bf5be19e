/* Snapshots. The header is put right before they are read, so that the contents are met: they are refused, or give a
 * world that can be used like any other. */
#include "target.h"

#include "base/hash.h"

enum { HEADER = 32, BODIES_MOST = 24 };

/* As in src/world/snapshot.c: the magic, version and byte order of a snapshot of this version, then size and
 * checksum. */
static void seal(uint8_t *bytes, size_t size, const void *good)
{
    uint64_t content = size - HEADER, checksum = ashi_hash(ASHI_HASH_START, bytes + HEADER, content);
    memcpy(bytes, good, 16);
    memcpy(bytes + 16, &content, sizeof content);
    memcpy(bytes + 24, &checksum, sizeof checksum);
}

static ash_world *make_world(void)
{
    ash_world *world = NULL;
    ash_world_def def = ash_default_world_def();
    CHECK(ash_world_create(&def, &world, NULL) == ASH_OK);
    return world;
}

static void try_snapshot(ash_world *world, const uint8_t *bytes, size_t size)
{
    uint64_t before = ash_world_get_hash(world);
    ash_diagnostic diagnostic = {0};
    ash_status status = ash_world_restore(world, bytes, size, &diagnostic);
    if (status != ASH_OK) {
        check_refusal(status, &diagnostic);
        CHECK(ash_world_get_hash(world) == before);
        return;
    }
    if (ash_world_get_bodies(world, NULL, 0) <= BODIES_MOST)
        use_world(world, 0.01);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ash_world *world = make_world();
    void *good;
    size_t good_size;
    CHECK(ash_world_save(world, &good, &good_size, NULL) == ASH_OK);
    uint8_t *copy = (uint8_t *)copy_input(bytes, size);
    if (size >= HEADER)
        seal(copy, size, good);
    try_snapshot(world, copy, size);
    free(copy);
    ash_free(good);
    ash_world_destroy(world);
    CHECK(ash_memory_used().blocks == 0);
    return 0;
}
