/* Large blocks as pages of their own. One that grows keeps the pages that it has, wherever it goes, instead of being
 * copied to new ones, which the system would have to clear first. On Linux only, and not where a sanitizer watches,
 * which would not see them: then no block is large. */
#ifndef ASHI_BASE_PAGES_H
#define ASHI_BASE_PAGES_H

#include "ashlar/base.h"

/* Whether a block of that size is worth pages of its own. */
bool ashi_pages_fit(size_t size);

/* Pages for that many bytes, or null. */
void *ashi_pages_take(size_t size);
/* Keeps the content up to the smaller size. Null when there is no memory; the old pages stay. */
void *ashi_pages_resize(void *pages, size_t old, size_t size);
void ashi_pages_give_back(void *pages, size_t size);

#endif
