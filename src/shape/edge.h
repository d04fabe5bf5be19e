/* Edges as pairs of points, sorted so that the copies of an edge from different faces are adjacent. */
#ifndef ASHI_SHAPE_EDGE_H
#define ASHI_SHAPE_EDGE_H

#include <stddef.h>
#include <stdint.h>

typedef struct ashi_edge {
    uint32_t low, high; /* its points, the lower number first */
    uint32_t number;    /* of the half edge or corner that it belongs to */
} ashi_edge;

static inline ashi_edge ashi_edge_between(uint32_t from, uint32_t to, uint32_t number)
{
    return (ashi_edge){from < to ? from : to, from < to ? to : from, number};
}

/* By points, then by number. */
void ashi_edge_sort(ashi_edge *edges, size_t count);

#endif
