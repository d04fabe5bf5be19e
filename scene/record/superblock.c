/* The superblock of an HDF5 file, version 3 (HDF5 File Format Specification 3.0, II.A): signature, version, sizes, the
 * consistency flags at byte 11, the end-of-file address at byte 28, the checksum of the 44 bytes before it at byte 44.
 *
 * While a file is written for concurrent readers (SWMR) the library writes the superblock only when it starts and when
 * it closes. In between it says "open for writing", and its end of file is that of the start, so that after a kill
 * ordinary readers refuse the file. The recorder therefore keeps these two fields up to date itself. All 48 bytes are
 * written by one call, so a kill leaves either the old or the new ones. */
#define _XOPEN_SOURCE 700
#include "scene/record/superblock.h"

#include <string.h>
#include <unistd.h>

enum { FLAGS_AT = 11, END_AT = 28, CHECKSUM_AT = 44, SUPERBLOCK_SIZE = 48 };

static uint32_t turn_left(uint32_t word, unsigned bits)
{
    return word << bits | word >> (32 - bits);
}

static uint64_t read_little_endian(const uint8_t *bytes, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static void write_little_endian(uint8_t *bytes, unsigned count, uint64_t value)
{
    for (unsigned i = 0; i < count; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

/* Bob Jenkins' lookup3 hash of a whole number of 32-bit words, which the format prescribes for its checksums. */
static uint32_t checksum_of(const uint8_t *bytes, unsigned size)
{
    static const unsigned mix_turns[6] = {4, 6, 8, 16, 19, 4}, end_turns[7] = {14, 11, 25, 16, 4, 14, 24};
    uint32_t lane[3];
    lane[0] = lane[1] = lane[2] = 0xdeadbeefu + size;
    while (size > 12) {
        for (unsigned i = 0; i < 3; i++)
            lane[i] += (uint32_t)read_little_endian(bytes + 4 * i, 4);
        /* Each line of the mix works on the lanes turned on by one place. */
        for (unsigned i = 0; i < 6; i++) {
            uint32_t *a = &lane[i % 3], *b = &lane[(i + 1) % 3], *c = &lane[(i + 2) % 3];
            *a -= *c;
            *a ^= turn_left(*c, mix_turns[i]);
            *c += *b;
        }
        bytes += 12;
        size -= 12;
    }
    for (unsigned i = 0; i < size / 4; i++)
        lane[i] += (uint32_t)read_little_endian(bytes + 4 * i, 4);
    for (unsigned i = 0; i < 7; i++) {
        uint32_t *to = &lane[(2 + i) % 3], *from = &lane[(1 + i) % 3];
        *to ^= *from;
        *to -= turn_left(*from, end_turns[i]);
    }
    return lane[2];
}

static bool read_bytes(int file, uint8_t bytes[SUPERBLOCK_SIZE])
{
    static const uint8_t start[11] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 3, 8, 8};
    return pread(file, bytes, SUPERBLOCK_SIZE, 0) == SUPERBLOCK_SIZE && memcmp(bytes, start, sizeof start) == 0 &&
           read_little_endian(bytes + CHECKSUM_AT, 4) == checksum_of(bytes, CHECKSUM_AT);
}

bool ashi_superblock_read(int file, ashi_superblock *superblock)
{
    uint8_t bytes[SUPERBLOCK_SIZE];
    if (!read_bytes(file, bytes))
        return false;
    superblock->flags = bytes[FLAGS_AT];
    superblock->end_of_file = read_little_endian(bytes + END_AT, 8);
    return true;
}

bool ashi_superblock_write(int file, ashi_superblock superblock)
{
    uint8_t bytes[SUPERBLOCK_SIZE];
    if (!read_bytes(file, bytes))
        return false;
    bytes[FLAGS_AT] = superblock.flags;
    write_little_endian(bytes + END_AT, 8, superblock.end_of_file);
    write_little_endian(bytes + CHECKSUM_AT, 4, checksum_of(bytes, CHECKSUM_AT));
    return pwrite(file, bytes, SUPERBLOCK_SIZE, 0) == SUPERBLOCK_SIZE;
}
