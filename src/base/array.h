/* Growable arrays: a pointer, a count and a capacity. A zeroed one is empty and valid. */
#ifndef ASHI_BASE_ARRAY_H
#define ASHI_BASE_ARRAY_H

#include "base/alloc.h"

/* The struct of an array of `type`. */
#define ASHI_ARRAY(type)                                                                                               \
    struct {                                                                                                           \
        type *data;                                                                                                    \
        uint32_t count, capacity;                                                                                      \
    }

/* Makes room for at least `wanted` elements; false when there is no memory: the array is then unchanged. */
#define ashi_array_reserve(array, wanted)                                                                              \
    ((wanted) <= (array)->capacity || ashi_array_grow((array), sizeof *(array)->data, (wanted)))

/* The same without spare room: for arrays whose final size is known. */
#define ashi_array_reserve_exactly(array, wanted)                                                                      \
    ((wanted) <= (array)->capacity || ashi_array_resize((array), sizeof *(array)->data, (wanted)))

/* Adds one element; false when there is no memory. The new element, data[count - 1], is not initialized.
 */
#define ashi_array_extend(array) (ashi_array_reserve((array), (uint64_t)(array)->count + 1) && ++(array)->count != 0)

#define ashi_array_release(array)                                                                                      \
    (ashi_dealloc((array)->data), (array)->data = NULL, (array)->count = (array)->capacity = 0)

/* The implementation of the macros: `array` is any ASHI_ARRAY. Grows by half, so that adding elements is cheap on
 * average; at most 2^32 - 2 elements. */
bool ashi_array_grow(void *array, size_t element_size, uint64_t wanted);
bool ashi_array_resize(void *array, size_t element_size, uint64_t capacity);

#endif
