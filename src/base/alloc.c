/* Memory with a 64-byte header in front of each block that remembers its size: it keeps blocks aligned to cache lines
 * and lets the host's release function have the size. Counters are atomic because worlds may live on different threads.
 */
#include "base/alloc.h"
#include "base/pages.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_SIZE 64
#define LARGEST     (SIZE_MAX - 2 * HEADER_SIZE)

static void *default_allocate(size_t size, void *user)
{
    (void)user;
    if (ashi_pages_fit(size))
        return ashi_pages_take(size);
    return aligned_alloc(HEADER_SIZE, (size + HEADER_SIZE - 1) / HEADER_SIZE * HEADER_SIZE);
}

static void default_release(void *memory, size_t size, void *user)
{
    (void)user;
    if (ashi_pages_fit(size))
        ashi_pages_give_back(memory, size);
    else
        free(memory);
}

static ash_allocator allocator = {default_allocate, default_release, NULL};
static atomic_uint_fast64_t live_bytes, live_blocks, total_allocations;
static atomic_uint_fast64_t fail_at, since_fault; /* fail_at 0: no fault injection */
static atomic_bool fail_for_good;

ash_status ash_set_allocator(const ash_allocator *replacement)
{
    if (replacement != NULL && (replacement->allocate == NULL || replacement->release == NULL))
        return ASH_BAD_ARGUMENT;
    if (atomic_load(&live_blocks) != 0)
        return ASH_UNSUPPORTED;
    allocator = replacement != NULL ? *replacement : (ash_allocator){default_allocate, default_release, NULL};
    return ASH_OK;
}

ash_memory ash_memory_used(void)
{
    return (ash_memory){atomic_load(&live_bytes), atomic_load(&live_blocks), atomic_load(&total_allocations)};
}

uint64_t ashi_alloc_fail_at(uint64_t k, bool for_good)
{
    atomic_store(&fail_for_good, for_good);
    atomic_store(&fail_at, k);
    return atomic_exchange(&since_fault, 0);
}

static bool fault_is_due(void)
{
    uint64_t number = atomic_fetch_add(&since_fault, 1) + 1;
    uint64_t wanted = atomic_load(&fail_at);
    return wanted != 0 && (number == wanted || (number > wanted && atomic_load(&fail_for_good)));
}

void *ashi_alloc(size_t size)
{
    if (size > LARGEST || fault_is_due())
        return NULL;
    char *block = allocator.allocate(size + HEADER_SIZE, allocator.user);
    if (block == NULL)
        return NULL;
    memcpy(block, &size, sizeof size);
    atomic_fetch_add(&live_bytes, size);
    atomic_fetch_add(&live_blocks, 1);
    atomic_fetch_add(&total_allocations, 1);
    return block + HEADER_SIZE;
}

void *ashi_alloc_zeroed(size_t size)
{
    void *memory = ashi_alloc(size);
    if (memory != NULL)
        memset(memory, 0, size);
    return memory;
}

void *ashi_alloc_array(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    return ashi_alloc(count * size);
}

size_t ashi_alloc_size(const void *memory)
{
    size_t size = 0;
    if (memory != NULL)
        memcpy(&size, (const char *)memory - HEADER_SIZE, sizeof size);
    return size;
}

/* Resizes a block with its header; on failure it is unchanged. */
static void *resize(void *block, size_t old, size_t size)
{
    if (allocator.allocate == default_allocate && ashi_pages_fit(old) && ashi_pages_fit(size))
        return ashi_pages_resize(block, old, size);
    void *fresh = allocator.allocate(size, allocator.user);
    if (fresh != NULL) {
        memcpy(fresh, block, old < size ? old : size);
        allocator.release(block, old, allocator.user);
    }
    return fresh;
}

void *ashi_realloc(void *memory, size_t size)
{
    if (memory == NULL)
        return ashi_alloc(size);
    if (size > LARGEST || fault_is_due())
        return NULL;
    size_t old = ashi_alloc_size(memory);
    char *block = resize((char *)memory - HEADER_SIZE, old + HEADER_SIZE, size + HEADER_SIZE);
    if (block == NULL)
        return NULL;
    memcpy(block, &size, sizeof size);
    atomic_fetch_add(&live_bytes, size - old); /* modulo 2^64 if it shrinks */
    atomic_fetch_add(&total_allocations, 1);
    return block + HEADER_SIZE;
}

void ashi_dealloc(void *memory)
{
    if (memory == NULL)
        return;
    size_t size = ashi_alloc_size(memory);
    atomic_fetch_sub(&live_bytes, size);
    atomic_fetch_sub(&live_blocks, 1);
    allocator.release((char *)memory - HEADER_SIZE, size + HEADER_SIZE, allocator.user);
}

void ash_free(void *memory)
{
    ashi_dealloc(memory);
}

char *ashi_copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = ashi_alloc(size);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}
