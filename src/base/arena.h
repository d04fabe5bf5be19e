/* An arena: memory that is taken piece by piece and given back all at once. Scratch of a step, texts of a scene. */
#ifndef ASHI_BASE_ARENA_H
#define ASHI_BASE_ARENA_H

#include "base/alloc.h"

typedef struct ashi_arena ashi_arena;

ashi_arena *ashi_arena_create(size_t first_block);
void ashi_arena_destroy(ashi_arena *arena);
/* Memory aligned to 64 bytes, not cleared, valid until the next reset. Null when memory ran out. */
void *ashi_arena_take(ashi_arena *arena, size_t size);
void *ashi_arena_take_array(ashi_arena *arena, size_t count, size_t size);
char *ashi_arena_text(ashi_arena *arena, const char *text);
/* Bytes that it holds; 0 for null. */
size_t ashi_arena_size(const ashi_arena *arena);
/* Bytes that were taken since the last reset. */
size_t ashi_arena_taken(const ashi_arena *arena);
/* Releases everything taken. Several blocks become one large one, so that a warm arena no longer allocates. */
void ashi_arena_reset(ashi_arena *arena);

#endif
