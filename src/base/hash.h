/* A 64-bit hash of bytes, for state hashes and checksums: multiply and fold, word by word. Not cryptographic. */
#ifndef ASHI_BASE_HASH_H
#define ASHI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define ASHI_HASH_START 0x9e3779b97f4a7c15u

/* Continues `hash` with `size` bytes. The same on every machine of the same byte order. */
uint64_t ashi_hash(uint64_t hash, const void *bytes, size_t size);

#endif
