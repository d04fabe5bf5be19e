/* An archive: bytes that are written or read by the same code. Each function takes a pointer to a value: writing
 * appends the value, reading fills it. Reading past the end, or an impossible value, sets `failed` and gives zeros from
 * then on, so that callers may check once at the end of a part. */
#ifndef ASHI_WORLD_ARCHIVE_H
#define ASHI_WORLD_ARCHIVE_H

#include "ashlar/vector.h"
#include "base/array.h"
#include "base/diagnostic.h"

typedef struct ashi_archive {
    bool writing;
    bool failed;        /* reading: data is truncated or impossible */
    bool out_of_memory; /* writing or reading */
    char *bytes;        /* written so far, or what is read */
    size_t size, capacity;
    size_t at;          /* reading */
    ash_diagnostic why; /* the diagnostic of the first failed check; empty if none failed */
} ashi_archive;

void ashi_archive_bytes(ashi_archive *archive, void *value, size_t size);
void ashi_archive_double(ashi_archive *archive, double *value);
void ashi_archive_u32(ashi_archive *archive, uint32_t *value);
void ashi_archive_u64(ashi_archive *archive, uint64_t *value);
void ashi_archive_bool(ashi_archive *archive, bool *value);
void ashi_archive_vec3(ashi_archive *archive, ash_vec3 *value);
void ashi_archive_quat(ashi_archive *archive, ash_quat *value);
void ashi_archive_sym3(ashi_archive *archive, ash_sym3 *value);
/* A text that may be null; reading allocates it. */
void ashi_archive_text(ashi_archive *archive, char **value);
/* A count of elements of at least `least_size` bytes each: fails if the rest is too short for them. */
void ashi_archive_count(ashi_archive *archive, uint32_t *count, size_t least_size);
/* A value below `limit`: fails otherwise. */
void ashi_archive_below(ashi_archive *archive, uint32_t *value, uint32_t limit);
/* Fails unless a check passed, whose diagnostic is kept if it is the first. */
void ashi_archive_check(ashi_archive *archive, bool passed, const ash_diagnostic *diagnostic);
/* The same for numbers that only have to be finite. */
void ashi_archive_finite(ashi_archive *archive, bool finite, const char *what);
/* Whether all went well so far. */
static inline bool ashi_archive_good(const ashi_archive *archive)
{
    return !archive->failed && !archive->out_of_memory;
}

#endif
