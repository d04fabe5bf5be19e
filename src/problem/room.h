/* Growing arrays of a problem. */
#ifndef ASHI_PROBLEM_ROOM_H
#define ASHI_PROBLEM_ROOM_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes an array larger, by a quarter at least, so that a growing world rarely allocates; `room` is its capacity. False
 * when memory ran out: the array is then unchanged. */
static inline bool ashi_room_grow(void **data, uint32_t *room, uint32_t wanted, size_t size)
{
    uint64_t more = (uint64_t)*room + *room / 4;
    uint32_t larger = more > wanted && more < UINT32_MAX ? (uint32_t)more : wanted;
    if (wanted <= *room)
        return true;
    void *moved = ashi_realloc(*data, (size_t)larger * size);
    if (moved == NULL)
        return false;
    *data = moved;
    *room = larger;
    return true;
}

#endif
