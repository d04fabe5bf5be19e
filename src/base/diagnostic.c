/* Status texts, diagnostics, suggestions and the log hook. */
#include "base/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *ash_version(void)
{
#define TEXT(x)         #x
#define DOTTED(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)
    return DOTTED(ASH_VERSION_MAJOR, ASH_VERSION_MINOR, ASH_VERSION_PATCH);
}

const char *ash_status_text(ash_status status)
{
    static const char *const texts[] = {"ok",          "bad argument",  "bad handle",   "bad data", "not found",
                                        "unsupported", "out of memory", "input/output", "numerics"};
    return (unsigned)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

const char *ash_diagnostic_text(const ash_diagnostic *d, char *text, size_t size)
{
    size_t used = 0;
    if (text == NULL || size == 0)
        return text;
    text[0] = 0;
    if (d == NULL)
        return text;
        /* Every piece is appended only while there is room; a full buffer just ends the text. */
#define APPEND(...)                                                                                                    \
    do {                                                                                                               \
        if (used < size)                                                                                               \
            used += (size_t)snprintf(text + used, size - used, __VA_ARGS__);                                           \
    } while (0)
    if (d->file[0] != 0)
        APPEND("%s:", d->file);
    if (d->line > 0)
        APPEND("%d:", d->line);
    if (d->line > 0 && d->column > 0)
        APPEND("%d:", d->column);
    APPEND("%s", used > 0 ? " " : "");
    if (d->path[0] != 0)
        APPEND("%s: ", d->path);
    APPEND("%s", d->message[0] != 0 ? d->message : ash_status_text(d->status));
    if (d->expected[0] != 0)
        APPEND(" (expected %s)", d->expected);
#undef APPEND
    return text;
}

ash_status ashi_fail(ash_diagnostic *diagnostic, ash_status status, const char *code, const char *format, ...)
{
    if (diagnostic == NULL)
        return status;
    /* Made apart: the arguments may be texts of this very diagnostic. */
    ash_diagnostic made = {.status = status};
    snprintf(made.code, sizeof made.code, "%s", code);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made.message, sizeof made.message, format, arguments);
    va_end(arguments);
    *diagnostic = made;
    return status;
}

ash_status ashi_expect(ash_diagnostic *diagnostic, const char *format, ...)
{
    if (diagnostic == NULL)
        return ASH_BAD_DATA;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(diagnostic->expected, sizeof diagnostic->expected, format, arguments);
    va_end(arguments);
    return diagnostic->status;
}

ash_status ashi_out_of_memory(ash_diagnostic *diagnostic)
{
    return ashi_fail(diagnostic, ASH_OUT_OF_MEMORY, "memory", "out of memory");
}

/* The number of letters to insert, delete, replace or swap with a neighbour (Damerau-Levenshtein), for short words. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    size_t m = strlen(a), n = strlen(b);
    if (m > LONGEST || n > LONGEST)
        return SIZE_MAX;
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && two_above[j - 2] + 1 < best)
                best = two_above[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[m % 3][n];
}

const char *ashi_nearest(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t least = strlen(word) / 3 + 2; /* farther than this is another word */
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, names[i]);
        size_t length = strlen(names[i]) > strlen(word) ? strlen(names[i]) : strlen(word);
        if (distance < least && distance < length) { /* with no letter in common nothing is near */
            least = distance;
            nearest = names[i];
        }
    }
    return nearest;
}

const char *ashi_did_you_mean(const char *word, const char *const *names, size_t count, char *text, size_t size)
{
    const char *nearest = ashi_nearest(word, names, count);
    if (nearest != NULL)
        snprintf(text, size, " (did you mean \"%s\"?)", nearest);
    else if (size > 0)
        text[0] = 0;
    return text;
}

static ash_log_hook log_hook;
static void *log_user;

void ash_set_log_hook(ash_log_hook hook, void *user)
{
    log_hook = hook;
    log_user = user;
}

void ashi_log(ash_log_level level, const char *format, ...)
{
    if (log_hook == NULL)
        return;
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    log_hook(level, message, log_user);
}
