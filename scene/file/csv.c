/* Comma-separated values: a field with a comma, a quote or a line break is put in quotes, and quotes in it are doubled
 * (RFC 4180, section 2); rows end in a line feed. Numbers have 17 significant digits, so they read back to the same
 * bits, with a decimal point in any locale; NaN is "nan". */
#define _XOPEN_SOURCE 700
#include "scene/file/csv.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/diagnostic.h"
#include "scene/file/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct ashi_csv {
    char *path;
    ashi_csv_way way;
    int file;                /* -1 for a table that is written when it is closed */
    locale_t plain;          /* numbers as in C */
    ASHI_ARRAY(char) buffer; /* whole rows and the present one */
    bool row_begun, out_of_memory;
    bool failed;       /* nothing more is written */
    uint64_t size;     /* of the file: whole rows */
    double written_at; /* s */
};

enum { BUFFER_FULL = 1 << 16 };

static ash_status fail(const ashi_csv *csv, const char *what, ash_diagnostic *diagnostic)
{
    return ashi_fail_system(diagnostic, "csv.io", csv->path, what);
}

static void release(ashi_csv *csv)
{
    if (csv->file >= 0)
        close(csv->file);
    if (csv->plain != (locale_t)0)
        freelocale(csv->plain);
    ashi_array_release(&csv->buffer);
    ashi_dealloc(csv->path);
    ashi_dealloc(csv);
}

ash_status ashi_csv_open(const char *path, ashi_csv_way way, ashi_csv **result, ash_diagnostic *diagnostic)
{
    ashi_csv *csv = ashi_alloc_zeroed(sizeof *csv);
    if (csv == NULL)
        return ashi_out_of_memory(diagnostic);
    csv->way = way;
    csv->file = -1;
    csv->written_at = -(double)INFINITY; /* the first row, the headings, is written at once */
    csv->path = ashi_copy_text(path);
    csv->plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (csv->path == NULL || csv->plain == (locale_t)0) {
        release(csv);
        return ashi_out_of_memory(diagnostic);
    }
    ash_status status = ASH_OK;
    if (way == ASHI_CSV_ALONG) {
        status = ashi_make_parents(path, diagnostic);
        if (status == ASH_OK && (csv->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
            status = fail(csv, "create the table", diagnostic);
    }
    if (status != ASH_OK)
        release(csv);
    else
        *result = csv;
    return status;
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

/* The length of the whole rows among the first `size` bytes. Line breaks in quotes do not end rows. */
static size_t whole_rows(const char *bytes, size_t size)
{
    size_t end = 0;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        quoted ^= bytes[i] == '"';
        if (bytes[i] == '\n' && !quoted)
            end = i + 1;
    }
    return end;
}

/* Writes the buffer, which ends with a row. An incomplete row on a full disk is removed. */
static ash_status write_buffer(ashi_csv *csv, ash_diagnostic *diagnostic)
{
    size_t written;
    ash_status status = ASH_OK;
    if (!ashi_write_bytes(csv->file, csv->buffer.data, csv->buffer.count, &written)) {
        status = fail(csv, "write the table", diagnostic);
        csv->failed = true;
        written = whole_rows(csv->buffer.data, written);
        if (ftruncate(csv->file, (off_t)(csv->size + written)) != 0)
            ashi_log(ASH_LOG_WARNING, "%s: the last row may not be whole: %s", csv->path, strerror(errno));
    }
    csv->size += written;
    csv->buffer.count = 0;
    csv->written_at = ashi_seconds();
    return status;
}

ash_status ashi_csv_end_row(ashi_csv *csv, ash_diagnostic *diagnostic)
{
    append(csv, "\n", 1);
    csv->row_begun = false;
    if (csv->out_of_memory)
        return ashi_out_of_memory(diagnostic);
    bool due = csv->buffer.count >= BUFFER_FULL || ashi_seconds() - csv->written_at >= 1;
    return csv->way == ASHI_CSV_ALONG && due ? write_buffer(csv, diagnostic) : ASH_OK;
}

/* Ends a table that is written during a run. An incomplete row is dropped. */
static ash_status end_file(ashi_csv *csv, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    csv->buffer.count = (uint32_t)whole_rows(csv->buffer.data, csv->buffer.count);
    if (!csv->failed)
        status = write_buffer(csv, diagnostic);
    if (fsync(csv->file) != 0 && errno != EINVAL && status == ASH_OK && !csv->failed)
        status = fail(csv, "write the table", diagnostic);
    if (close(csv->file) != 0 && status == ASH_OK && !csv->failed)
        status = fail(csv, "close the table", diagnostic);
    csv->file = -1;
    return status;
}

ash_status ashi_csv_close(ashi_csv *csv, ash_diagnostic *diagnostic)
{
    if (csv == NULL)
        return ASH_OK;
    ash_status status = csv->out_of_memory ? ashi_out_of_memory(diagnostic) : ASH_OK;
    if (csv->way == ASHI_CSV_ALONG) {
        ash_status ended = end_file(csv, status == ASH_OK ? diagnostic : NULL);
        status = status == ASH_OK ? ended : status;
    } else if (status == ASH_OK) {
        status = ashi_write_file(csv->path, csv->buffer.data, csv->buffer.count, diagnostic);
    }
    release(csv);
    return status;
}
