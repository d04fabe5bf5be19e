/* The best few of many: keeps at most `capacity` elements in the caller's own array and counts all that were offered.
 * While offers come in, a full array is a heap with the worst kept element on top. */
#ifndef ASHI_WORLD_RANKING_H
#define ASHI_WORLD_RANKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest size of an element in bytes. */
#define ASHI_RANKING_ELEMENT 128

typedef struct ashi_ranking {
    void *elements;
    size_t size; /* of one */
    uint32_t capacity, kept, offered;
    bool (*before)(const void *one, const void *other); /* a total order, so that results do not depend on the order of
                                                           offers */
} ashi_ranking;

void ashi_ranking_offer(ashi_ranking *ranking, const void *element);
/* Sorts the kept elements, best first, and returns how many were offered. */
uint32_t ashi_ranking_finish(ashi_ranking *ranking);

#endif
