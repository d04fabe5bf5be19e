/* Pools of handles: they hand out slots in arrays and count how often each was used, so that a stale handle never
 * refers to its slot's next owner. From the lowest bit, a handle is slot + 1 (26 bits), generation (22 bits), and the
 * number of the world (16 bits); 0 is null. A slot whose generations are used up is retired: it is never handed out
 * again. */
#ifndef ASHI_BASE_POOL_H
#define ASHI_BASE_POOL_H

#include "base/array.h"

#define ASHI_NO_SLOT         UINT32_MAX
#define ASHI_SLOT_BITS       26
#define ASHI_GENERATION_BITS 22
#define ASHI_GENERATION_MOST ((1u << ASHI_GENERATION_BITS) - 1)
#define ASHI_WORLD_MOST      UINT16_MAX

typedef struct ashi_pool_slot {
    uint32_t generation; /* of the present or next owner; 0: retired */
    uint32_t next_free;  /* the slot itself while it is in use */
} ashi_pool_slot;

typedef struct ashi_pool {
    ASHI_ARRAY(ashi_pool_slot) slots;
    uint32_t first_free; /* slot + 1; 0: none. The slot freed last is used first, which makes reuse predictable */
    uint32_t used;
    uint32_t world; /* the number of the world, for its handles */
} ashi_pool;

/* A new slot, or ASHI_NO_SLOT when there is no memory or the pool is full. */
uint32_t ashi_pool_take(ashi_pool *pool);
/* The slot that the next take will give. */
uint32_t ashi_pool_next(const ashi_pool *pool);
void ashi_pool_give_back(ashi_pool *pool, uint32_t slot);
/* Undoes the last take (or, called in reverse order, the last few), when the object for the slot could not be made: the
 * pool is as before, and the next take gives the same handle. */
void ashi_pool_undo_take(ashi_pool *pool, uint32_t slot);
void ashi_pool_release(ashi_pool *pool);

/* The handle of a slot in use. */
static inline uint64_t ashi_pool_handle(const ashi_pool *pool, uint32_t slot)
{
    return ((uint64_t)pool->world << (ASHI_GENERATION_BITS + ASHI_SLOT_BITS)) |
           ((uint64_t)pool->slots.data[slot].generation << ASHI_SLOT_BITS) | ((uint64_t)slot + 1);
}

static inline bool ashi_pool_in_use(const ashi_pool *pool, uint32_t slot)
{
    return pool->slots.data[slot].next_free == slot;
}

/* The slot in a handle, valid or not; for null, a slot beyond all others. */
static inline uint32_t ashi_handle_slot(uint64_t handle)
{
    return ((uint32_t)handle & ((1u << ASHI_SLOT_BITS) - 1)) - 1;
}

/* The slot of a handle, or ASHI_NO_SLOT when it is null, stale or of another world. */
static inline uint32_t ashi_pool_slot_of(const ashi_pool *pool, uint64_t handle)
{
    uint32_t slot = ashi_handle_slot(handle);
    if (slot >= pool->slots.count || !ashi_pool_in_use(pool, slot) || handle != ashi_pool_handle(pool, slot))
        return ASHI_NO_SLOT;
    return slot;
}

/* The number of a new world, 1 to ASHI_WORLD_MOST; starts again after the last. */
uint32_t ashi_next_world(void);

#endif
