/* Each 8-byte word is mixed in with two odd multipliers and a fold; a final word carries the length, so that trailing
 * zeros count. */
#include "base/hash.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash ^= word * 0xff51afd7ed558ccdu;
    hash = (hash << 27) | (hash >> 37);
    hash *= 0xc4ceb9fe1a85ec53u;
    return hash ^ (hash >> 29);
}

uint64_t ashi_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    for (size_t left = size; left > 0;) {
        uint64_t word = 0;
        size_t taken = left < sizeof word ? left : sizeof word;
        memcpy(&word, next, taken);
        hash = mix(hash, word);
        next += taken;
        left -= taken;
    }
    return mix(hash, size);
}
