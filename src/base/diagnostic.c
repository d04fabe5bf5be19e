/* Status texts, diagnostics and the log hook. */
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
    /* Filled in a copy: the arguments may be texts of this same diagnostic. */
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
