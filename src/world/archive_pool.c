/* Pools of handles to and from bytes. */
#include "world/archive_pool.h"

/* Free slots must form one list; all others are in use or retired. */
static bool pool_is_consistent(const ashi_pool *pool)
{
    uint32_t count = pool->slots.count, free_slots = 0, retired = 0, seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t generation = pool->slots.data[i].generation;
        if (generation > ASHI_GENERATION_MOST || (generation == 0 && ashi_pool_in_use(pool, i)))
            return false;
        retired += generation == 0;
        free_slots += generation != 0 && !ashi_pool_in_use(pool, i);
    }
    uint32_t next = pool->first_free == 0 ? UINT32_MAX : pool->first_free - 1;
    while (next != UINT32_MAX) {
        if (next >= count || pool->slots.data[next].generation == 0 || ashi_pool_in_use(pool, next) ||
            ++seen > free_slots)
            return false;
        next = pool->slots.data[next].next_free;
    }
    return seen == free_slots && pool->used == count - free_slots - retired;
}

void ashi_archive_pool(ashi_archive *a, ashi_pool *pool)
{
    uint32_t count = pool->slots.count;
    ashi_archive_count(a, &count, sizeof(ashi_pool_slot));
    a->failed |= count > ASH_MAX_OBJECTS;
    if (!a->writing && ashi_archive_good(a) && !ashi_array_reserve(&pool->slots, count))
        a->out_of_memory = true;
    ashi_archive_u32(a, &pool->first_free);
    ashi_archive_u32(a, &pool->used);
    for (uint32_t i = 0; i < count && ashi_archive_good(a); i++) {
        ashi_archive_u32(a, &pool->slots.data[i].generation);
        ashi_archive_u32(a, &pool->slots.data[i].next_free);
    }
    if (a->writing)
        return;
    if (ashi_archive_good(a)) {
        pool->slots.count = count;
        a->failed |= !pool_is_consistent(pool);
    }
    if (!ashi_archive_good(a))
        pool->slots.count = pool->first_free = pool->used = 0;
}
