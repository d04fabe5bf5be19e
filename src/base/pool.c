/* Free slots form a list through next_free: it holds the following free slot's number, or END. A slot in use holds its
 * own number, which no free slot does. */
#include "base/pool.h"

#define END UINT32_MAX

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
        if (pool->slots.count == END - 1 || !ashi_array_extend(&pool->slots))
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
    s->generation = s->generation == UINT32_MAX ? 1 : s->generation + 1;
    s->next_free = pool->first_free == 0 ? END : pool->first_free - 1;
    pool->first_free = slot + 1;
    pool->used--;
}

void ashi_pool_undo_take(ashi_pool *pool, uint32_t slot)
{
    ashi_pool_slot *s = &pool->slots.data[slot];
    if (slot == pool->slots.count - 1 && s->generation == 1) { /* never used before: it was made by the take */
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
