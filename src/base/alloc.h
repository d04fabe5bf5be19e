/* Memory. Every block of the library comes from here, so that hosts can supply it and tests can make it fail. */
#ifndef ASHI_BASE_ALLOC_H
#define ASHI_BASE_ALLOC_H

#include "ashlar/base.h"

/* Blocks are aligned to 64 bytes. Null when there is no memory; size 0 gives a valid block. */
void *ashi_alloc(size_t size);
void *ashi_alloc_zeroed(size_t size);
/* count * size bytes, null when that overflows. */
void *ashi_alloc_array(size_t count, size_t size);
/* Keeps the content up to the smaller size. On failure the old block is kept. */
void *ashi_realloc(void *memory, size_t size);
void ashi_dealloc(void *memory);
/* The requested size in bytes; 0 for null. */
size_t ashi_alloc_size(const void *memory);
/* A copy of the text, or null. */
char *ashi_copy_text(const char *text);

/* Fault injection: the k-th allocation from now fails (1 is the next), and with `for_good` all after it. 0 switches it
 * off. Returns the number of allocations since the last call. */
uint64_t ashi_alloc_fail_at(uint64_t k, bool for_good);

#endif
