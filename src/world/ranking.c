/* A binary heap in the caller's array; sorting removes the worst repeatedly (heap sort), without allocation. */
#include "world/ranking.h"

#include <string.h>

static char *at(const ashi_ranking *r, uint32_t index)
{
    return (char *)r->elements + r->size * index;
}

static void swap(const ashi_ranking *r, uint32_t one, uint32_t other)
{
    char hold[ASHI_RANKING_ELEMENT];
    memcpy(hold, at(r, one), r->size);
    memcpy(at(r, one), at(r, other), r->size);
    memcpy(at(r, other), hold, r->size);
}

/* Moves an element down until both below it are before it; the heap ends at `count`. */
static void sift_down(const ashi_ranking *r, uint32_t index, uint32_t count)
{
    for (;;) {
        uint64_t child = 2 * (uint64_t)index + 1;
        if (child >= count)
            return;
        uint32_t worst = (uint32_t)child;
        if (child + 1 < count && r->before(at(r, worst), at(r, worst + 1)))
            worst++;
        if (!r->before(at(r, index), at(r, worst)))
            return;
        swap(r, index, worst);
        index = worst;
    }
}

static void sift_up(const ashi_ranking *r, uint32_t index)
{
    while (index > 0 && r->before(at(r, (index - 1) / 2), at(r, index))) {
        swap(r, index, (index - 1) / 2);
        index = (index - 1) / 2;
    }
}

void ashi_ranking_offer(ashi_ranking *r, const void *element)
{
    r->offered++;
    if (r->kept < r->capacity) {
        memcpy(at(r, r->kept), element, r->size);
        sift_up(r, r->kept++);
    } else if (r->capacity > 0 && r->before(element, r->elements)) {
        memcpy(r->elements, element, r->size);
        sift_down(r, 0, r->kept);
    }
}

uint32_t ashi_ranking_finish(ashi_ranking *r)
{
    for (uint32_t end = r->kept; end > 1; end--) {
        swap(r, 0, end - 1);
        sift_down(r, 0, end - 1);
    }
    return r->offered;
}
