/* Filling in diagnostics. All accept a null diagnostic and return the status, so that a failing function can return
 * their result.
 */
#ifndef ASHI_BASE_DIAGNOSTIC_H
#define ASHI_BASE_DIAGNOSTIC_H

#include "ashlar/base.h"

#define ASHI_PRINTF(text, rest) __attribute__((format(printf, text, rest)))

/* Starts the diagnostic again with a status, a code and a message. */
ash_status ashi_fail(ash_diagnostic *diagnostic, ash_status status, const char *code, const char *format, ...)
    ASHI_PRINTF(4, 5);
/* Adds what was expected; returns the diagnostic's status (ASH_BAD_DATA for null). */
ash_status ashi_expect(ash_diagnostic *diagnostic, const char *format, ...) ASHI_PRINTF(2, 3);
ash_status ashi_out_of_memory(ash_diagnostic *diagnostic);

/* The name that `word` was probably meant to be, for "did you mean"; null when none is close (suggest.c). Case, '-' and
 * '_' are ignored. */
const char *ashi_nearest(const char *word, const char *const *names, size_t count);
/* Like ashi_nearest, but writes " (did you mean \"...\"?)", or nothing, into `text`, and returns it. */
const char *ashi_did_you_mean(const char *word, const char *const *names, size_t count, char *text, size_t size);
/* Ashlar's name for a thing that other engines and formats call `word`. A word may have several meanings ("fixed" is a
 * joint, and elsewhere a static body): `number` counts them from 0; null after the last. */
const char *ashi_synonym(const char *word, size_t number);
/* True when both are the same except for case, '-', '_' and spaces. */
bool ashi_same_letters(const char *a, const char *b);

void ashi_log(ash_log_level level, const char *format, ...) ASHI_PRINTF(2, 3);

#endif
