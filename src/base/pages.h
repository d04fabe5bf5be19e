/* Large blocks have their own pages. When such a block grows, its pages are remapped instead of copied to new ones,
 * which the system would have to clear first. Only on Linux, and not under a sanitizer, which does not see these pages:
 * there no block counts as large. */
#ifndef ASHI_BASE_PAGES_H
#define ASHI_BASE_PAGES_H

#include "ashlar/base.h"

/* Whether a block of that size gets its own pages. */
bool ashi_pages_fit(size_t size);

/* Pages for that many bytes, or null. */
void *ashi_pages_take(size_t size);
/* Keeps the content up to the smaller size. Null when there is no memory; the old pages are kept. */
void *ashi_pages_resize(void *pages, size_t old, size_t size);
void ashi_pages_give_back(void *pages, size_t size);

#endif
