/* Pages from the system. */
#define _GNU_SOURCE /* mremap */
#include "base/pages.h"

#if defined(__linux__) && !defined(ASHI_SANITIZED)

#include <sys/mman.h>

#define LARGE ((size_t)1 << 20)

bool ashi_pages_fit(size_t size)
{
    return size >= LARGE;
}

void *ashi_pages_take(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages != MAP_FAILED ? pages : NULL;
}

void *ashi_pages_resize(void *pages, size_t old, size_t size)
{
    void *moved = mremap(pages, old, size, MREMAP_MAYMOVE);
    return moved != MAP_FAILED ? moved : NULL;
}

void ashi_pages_give_back(void *pages, size_t size)
{
    munmap(pages, size);
}

#else

bool ashi_pages_fit(size_t size)
{
    (void)size;
    return false;
}

void *ashi_pages_take(size_t size)
{
    (void)size;
    return NULL;
}

void *ashi_pages_resize(void *pages, size_t old, size_t size)
{
    (void)pages;
    (void)old;
    (void)size;
    return NULL;
}

void ashi_pages_give_back(void *pages, size_t size)
{
    (void)pages;
    (void)size;
}

#endif
