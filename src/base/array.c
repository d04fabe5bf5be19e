/* Growth of arrays. All ASHI_ARRAY structs have the layout of `any_array`; it is copied in and out byte by byte, which
 * keeps the compiler's aliasing rules. */
#include "base/array.h"

#include <string.h>

#define MANY 1024 /* elements: arrays grow by a half up to here, then by a quarter */

typedef struct any_array {
    void *data;
    uint32_t count, capacity;
} any_array;

bool ashi_array_resize(void *array, size_t element_size, uint64_t capacity)
{
    any_array a;
    memcpy(&a, array, sizeof a);
    if (capacity >= UINT32_MAX || (element_size != 0 && capacity > SIZE_MAX / element_size))
        return false;
    void *data = ashi_realloc(a.data, (size_t)capacity * element_size);
    if (data == NULL)
        return false;
    a.data = data;
    a.capacity = (uint32_t)capacity;
    memcpy(array, &a, sizeof a);
    return true;
}

bool ashi_array_grow(void *array, size_t element_size, uint64_t wanted)
{
    any_array a;
    memcpy(&a, array, sizeof a);
    uint64_t capacity = a.capacity + (uint64_t)a.capacity / (a.capacity < MANY ? 2 : 4) + 8;
    if (capacity >= UINT32_MAX)
        capacity = UINT32_MAX - 1;
    return ashi_array_resize(array, element_size, capacity < wanted ? wanted : capacity);
}
