/* Comma-separated values: a field with a comma, a quote or a line break is put in quotes, and quotes in it are doubled
 * (RFC 4180, section 2); rows end in a line feed. Numbers have 17 significant digits, so they read back to the same
 * bits, with a point whatever the host's locale; what is not a number is "nan". */
#define _XOPEN_SOURCE 700
#include "scene/csv.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/diagnostic.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct ashi_csv {
    char *path;
    int file;
    locale_t plain;          /* numbers as in C */
    ASHI_ARRAY(char) buffer; /* whole rows and the present one */
    bool row_begun, out_of_memory;
    double written_at; /* s */
};

enum { BUFFER_FULL = 1 << 16 };

static ash_status fail(const ashi_csv *csv, const char *what, ash_diagnostic *diagnostic)
{
    ashi_fail(diagnostic, ASH_IO, "csv.io", "cannot %s: %s", what, strerror(errno));
    if (diagnostic != NULL)
        snprintf(diagnostic->file, sizeof diagnostic->file, "%s", csv->path);
    return ASH_IO;
}

static void release(ashi_csv *csv)
{
    if (csv->file >= 0)
        close(csv->file);
    if (csv->plain != (locale_t)0)
        freelocale(csv->plain);
    ashi_array_release(&csv->buffer);
    ashi_free(csv->path);
    ashi_free(csv);
}

ash_status ashi_csv_open(const char *path, ashi_csv **result, ash_diagnostic *diagnostic)
{
    ashi_csv *csv = ashi_alloc_zeroed(sizeof *csv);
    if (csv == NULL)
        return ashi_out_of_memory(diagnostic);
    csv->file = -1;
    csv->written_at = -(double)INFINITY; /* the first row, the headings, is written at once */
    csv->path = ashi_copy_text(path);
    csv->plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (csv->path == NULL || csv->plain == (locale_t)0) {
        release(csv);
        return ashi_out_of_memory(diagnostic);
    }
    csv->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (csv->file < 0) {
        fail(csv, "create", diagnostic);
        release(csv);
        return ASH_IO;
    }
    *result = csv;
    return ASH_OK;
}

static void append(ashi_csv *csv, const char *bytes, size_t size)
{
    if (csv->out_of_memory || !ashi_array_reserve(&csv->buffer, csv->buffer.count + (uint32_t)size)) {
        csv->out_of_memory = true;
        return;
    }
    if (size > 0)
        memcpy(csv->buffer.data + csv->buffer.count, bytes, size);
    csv->buffer.count += (uint32_t)size;
}

static void begin_field(ashi_csv *csv)
{
    if (csv->row_begun)
        append(csv, ",", 1);
    csv->row_begun = true;
}

static bool needs_quotes(const char *text)
{
    return strpbrk(text, ",\"\r\n") != NULL;
}

static void append_doubling_quotes(ashi_csv *csv, const char *text)
{
    for (const char *quote; (quote = strchr(text, '"')) != NULL; text = quote + 1) {
        append(csv, text, (size_t)(quote - text));
        append(csv, "\"\"", 2);
    }
    append(csv, text, strlen(text));
}

void ashi_csv_heading(ashi_csv *csv, const char *name, const char *unit)
{
    bool quoted = needs_quotes(name) || needs_quotes(unit);
    begin_field(csv);
    append(csv, "\"", quoted);
    append_doubling_quotes(csv, name);
    if (unit[0] != 0) {
        append(csv, " [", 2);
        append_doubling_quotes(csv, unit);
        append(csv, "]", 1);
    }
    append(csv, "\"", quoted);
}

void ashi_csv_number(ashi_csv *csv, double value)
{
    begin_field(csv);
    char digits[32];
    locale_t hosts = uselocale(csv->plain);
    int size = isnan(value) ? snprintf(digits, sizeof digits, "nan") : snprintf(digits, sizeof digits, "%.17g", value);
    uselocale(hosts);
    append(csv, digits, (size_t)size);
}

static ash_status write_buffer(ashi_csv *csv, ash_diagnostic *diagnostic)
{
    const char *from = csv->buffer.data;
    size_t left = csv->buffer.count;
    while (left > 0) {
        ssize_t size = write(csv->file, from, left);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return fail(csv, "write", diagnostic);
        from += size;
        left -= (size_t)size;
    }
    csv->buffer.count = 0;
    csv->written_at = ashi_seconds();
    return ASH_OK;
}

ash_status ashi_csv_end_row(ashi_csv *csv, ash_diagnostic *diagnostic)
{
    append(csv, "\n", 1);
    csv->row_begun = false;
    if (csv->out_of_memory)
        return ashi_out_of_memory(diagnostic);
    bool due = csv->buffer.count >= BUFFER_FULL || ashi_seconds() - csv->written_at >= 1;
    return due ? write_buffer(csv, diagnostic) : ASH_OK;
}

ash_status ashi_csv_close(ashi_csv *csv, ash_diagnostic *diagnostic)
{
    if (csv == NULL)
        return ASH_OK;
    ash_status status = csv->out_of_memory ? ashi_out_of_memory(diagnostic) : write_buffer(csv, diagnostic);
    if (close(csv->file) != 0 && status == ASH_OK)
        status = fail(csv, "close", diagnostic);
    csv->file = -1;
    release(csv);
    return status;
}
