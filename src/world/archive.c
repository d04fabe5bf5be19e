/* Archives of plain values, in the machine's byte order (a snapshot's header says which). */
#include "world/archive.h"

#include <math.h>
#include <string.h>

void ashi_archive_bytes(ashi_archive *a, void *value, size_t size)
{
    if (size == 0) /* an empty array may be a null pointer */
        return;
    if (!a->writing) {
        if (a->failed || size > a->size - a->at) {
            a->failed = true;
            memset(value, 0, size);
            return;
        }
        memcpy(value, a->bytes + a->at, size);
        a->at += size;
        return;
    }
    if (size > a->capacity - a->size) {
        size_t capacity = a->capacity + a->capacity / 2 + size + 4096;
        char *bytes = a->out_of_memory ? NULL : ashi_realloc(a->bytes, capacity);
        if (bytes == NULL) {
            a->out_of_memory = true;
            return;
        }
        a->bytes = bytes;
        a->capacity = capacity;
    }
    memcpy(a->bytes + a->size, value, size);
    a->size += size;
}

void ashi_archive_double(ashi_archive *a, double *value)
{
    ashi_archive_bytes(a, value, sizeof *value);
}

void ashi_archive_u32(ashi_archive *a, uint32_t *value)
{
    ashi_archive_bytes(a, value, sizeof *value);
}

void ashi_archive_u64(ashi_archive *a, uint64_t *value)
{
    ashi_archive_bytes(a, value, sizeof *value);
}

void ashi_archive_bool(ashi_archive *a, bool *value)
{
    uint8_t byte = a->writing && *value ? 1 : 0; /* when reading, the value is not set yet */
    ashi_archive_bytes(a, &byte, 1);
    a->failed |= byte > 1;
    *value = byte == 1;
}

void ashi_archive_vec3(ashi_archive *a, ash_vec3 *value)
{
    ashi_archive_bytes(a, value, sizeof *value);
}

void ashi_archive_quat(ashi_archive *a, ash_quat *value)
{
    ashi_archive_bytes(a, value, sizeof *value);
}

void ashi_archive_sym3(ashi_archive *a, ash_sym3 *value)
{
    ashi_archive_bytes(a, value, sizeof *value);
}

void ashi_archive_text(ashi_archive *a, char **value)
{
    bool present = *value != NULL;
    ashi_archive_bool(a, &present);
    uint32_t length = present && a->writing ? (uint32_t)strlen(*value) : 0;
    if (present)
        ashi_archive_count(a, &length, 1);
    if (a->writing) {
        if (present)
            ashi_archive_bytes(a, *value, length);
        return;
    }
    *value = NULL;
    if (!present || a->failed)
        return;
    char *text = ashi_alloc((size_t)length + 1);
    if (text == NULL) {
        a->out_of_memory = true;
        return;
    }
    ashi_archive_bytes(a, text, length);
    text[length] = 0;
    *value = text;
}

void ashi_archive_count(ashi_archive *a, uint32_t *count, size_t least_size)
{
    ashi_archive_u32(a, count);
    if (!a->writing && !a->failed && (uint64_t)*count * least_size > a->size - a->at)
        a->failed = true;
    if (a->failed)
        *count = 0;
}

void ashi_archive_below(ashi_archive *a, uint32_t *value, uint32_t limit)
{
    ashi_archive_u32(a, value);
    if (*value >= limit) {
        a->failed = true;
        *value = 0;
    }
}

void ashi_archive_check(ashi_archive *a, bool passed, const ash_diagnostic *diagnostic)
{
    if (passed)
        return;
    if (!a->failed && diagnostic != NULL)
        a->why = *diagnostic;
    a->failed = true;
}

void ashi_archive_finite(ashi_archive *a, bool finite, const char *what)
{
    ash_diagnostic diagnostic = {0};
    if (!finite)
        ashi_fail(&diagnostic, ASH_BAD_DATA, "snapshot.number", "%s is not a finite number", what);
    ashi_archive_check(a, finite, &diagnostic);
}
