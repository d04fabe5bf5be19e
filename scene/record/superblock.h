/* The first 48 bytes of an HDF5 file, as far as a killed writer needs them. */
#ifndef ASHI_SCENE_SUPERBLOCK_H
#define ASHI_SCENE_SUPERBLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ashi_superblock {
    uint8_t flags;        /* 0: closed; else a writer had it open */
    uint64_t end_of_file; /* addresses at or beyond it are invalid for readers */
} ashi_superblock;

/* Reads the superblock; false when the file has none of version 3 or its checksum is wrong. */
bool ashi_superblock_read(int file, ashi_superblock *superblock);

/* Rewrites flags and end of file in one write; the rest stays. False when it is not of version 3 or writing failed. */
bool ashi_superblock_write(int file, ashi_superblock superblock);

#endif
