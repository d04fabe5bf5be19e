/* Sorting of edges. The order is total, so the result does not depend on how the C library sorts. */
#include "shape/edge.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    const ashi_edge *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void ashi_edge_sort(ashi_edge *edges, size_t count)
{
    qsort(edges, count, sizeof *edges, compare);
}
