/* The arena is a list of blocks, newest first; memory is taken only from the newest. A reset that finds several blocks
 * replaces them by one with room for all that was taken. */
#include "base/arena.h"

#include <string.h>

typedef struct block {
    struct block *older;
    size_t size, used; /* without this header */
} block;

#define HEADER_SIZE 64 /* keeps what follows aligned */

struct ashi_arena {
    block *newest;
    size_t next_size;
};

static size_t aligned(size_t size)
{
    return (size + 63) & ~(size_t)63;
}

static block *make_block(size_t size, block *older)
{
    block *b = size > SIZE_MAX - HEADER_SIZE ? NULL : ashi_alloc(HEADER_SIZE + size);
    if (b != NULL)
        *b = (block){older, size, 0};
    return b;
}

ashi_arena *ashi_arena_create(size_t first_block)
{
    ashi_arena *arena = ashi_alloc(sizeof *arena);
    if (arena != NULL)
        *arena = (ashi_arena){NULL, aligned(first_block < 1024 ? 1024 : first_block)};
    return arena;
}

void ashi_arena_destroy(ashi_arena *arena)
{
    if (arena == NULL)
        return;
    while (arena->newest != NULL) {
        block *older = arena->newest->older;
        ashi_dealloc(arena->newest);
        arena->newest = older;
    }
    ashi_dealloc(arena);
}

size_t ashi_arena_size(const ashi_arena *arena)
{
    size_t size = ashi_alloc_size(arena);
    for (const block *b = arena != NULL ? arena->newest : NULL; b != NULL; b = b->older)
        size += ashi_alloc_size(b);
    return size;
}

size_t ashi_arena_taken(const ashi_arena *arena)
{
    size_t taken = 0;
    for (const block *b = arena->newest; b != NULL; b = b->older)
        taken += b->used;
    return taken;
}

void *ashi_arena_take(ashi_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4)
        return NULL;
    size = aligned(size == 0 ? 1 : size);
    block *b = arena->newest;
    if (b == NULL || size > b->size - b->used) {
        size_t wanted = arena->next_size > size ? arena->next_size : size;
        b = make_block(wanted, arena->newest);
        if (b == NULL)
            return NULL;
        arena->newest = b;
        arena->next_size = wanted + wanted / 2;
    }
    void *memory = (char *)b + HEADER_SIZE + b->used;
    b->used += size;
    return memory;
}

void *ashi_arena_take_array(ashi_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    return ashi_arena_take(arena, count * size);
}

char *ashi_arena_text(ashi_arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = ashi_arena_take(arena, size);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

/* Frees all blocks except the largest, which becomes the newest. */
static void keep_largest(ashi_arena *arena)
{
    block *largest = arena->newest;
    for (block *b = arena->newest->older; b != NULL; b = b->older)
        if (b->size > largest->size)
            largest = b;
    while (arena->newest != NULL) {
        block *older = arena->newest->older;
        if (arena->newest != largest)
            ashi_dealloc(arena->newest);
        arena->newest = older;
    }
    largest->older = NULL;
    arena->newest = largest;
}

void ashi_arena_reset(ashi_arena *arena)
{
    if (arena->newest == NULL)
        return;
    size_t taken = ashi_arena_taken(arena);
    if (arena->newest->older != NULL) {
        keep_largest(arena);
        size_t spare = taken / 8, size = aligned(taken + spare); /* slowly growing needs rarely allocate */
        block *grown = ashi_realloc(arena->newest, HEADER_SIZE + size);
        if (grown != NULL) { /* otherwise the next take tries again */
            grown->size = size;
            arena->newest = grown;
        }
        arena->next_size = aligned(spare + 1);
    }
    arena->newest->used = 0;
}
