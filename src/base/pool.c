/* Free slots form a list through next_free: it holds the following free slot's number, or END. A slot in use holds its
 * own number, which no free slot does. */
#include "base/pool.h"

#include "ashlar/base.h"

#include <stdatomic.h>

#define END UINT32_MAX

_Static_assert(ASH_MAX_OBJECTS == (1u << ASHI_SLOT_BITS) - 1, "slot + 1 fills its bits");

uint32_t ashi_next_world(void)
{
    static atomic_uint_fast32_t made;
    return (uint32_t)(atomic_fetch_add(&made, 1) % ASHI_WORLD_MOST) + 1;
}

uint32_t ashi_pool_next(const ashi_pool *pool)
{
    return pool->first_free != 0 ? pool->first_free - 1 : pool->slots.count;
}

uint32_t ashi_pool_take(ashi_pool *pool)
{
    uint32_t slot;
    if (pool->first_free != 0) {
        slot = pool->first_free - 1;
        uint32_t next = pool->slots.data[slot].next_free;
        pool->first_free = next == END ? 0 : next + 1;
    } else {
        if (pool->slots.count == ASH_MAX_OBJECTS || !ashi_array_extend(&pool->slots))
            return ASHI_NO_SLOT;
        slot = pool->slots.count - 1;
        pool->slots.data[slot].generation = 1;
    }
    pool->slots.data[slot].next_free = slot;
    pool->used++;
    return slot;
}

void ashi_pool_give_back(ashi_pool *pool, uint32_t slot)
{
    ashi_pool_slot *s = &pool->slots.data[slot];
    pool->used--;
    if (s->generation == ASHI_GENERATION_MOST) { /* another owner would accept handles of the first one */
        *s = (ashi_pool_slot){0, END};
        return;
    }
    s->generation++;
    s->next_free = pool->first_free == 0 ? END : pool->first_free - 1;
    pool->first_free = slot + 1;
}

void ashi_pool_undo_take(ashi_pool *pool, uint32_t slot)
{
    ashi_pool_slot *s = &pool->slots.data[slot];
    if (slot == pool->slots.count - 1 && s->generation == 1) { /* never used before: the take created it */
        pool->slots.count--;
    } else {
        s->next_free = pool->first_free == 0 ? END : pool->first_free - 1;
        pool->first_free = slot + 1;
    }
    pool->used--;
}

void ashi_pool_release(ashi_pool *pool)
{
    ashi_array_release(&pool->slots);
    *pool = (ashi_pool){0};
}
