/* What the program says on standard error. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stdio.h>

#include "ashlar/base.h"
#include "ashlar/scene.h"
#include "base/diagnostic.h"

/* "ashlar: " and one line. Control characters, which could come from a file or an argument, are shown as '?'. */
void cli_error(const char *format, ...) ASHI_PRINTF(1, 2);

/* Writes text with its control characters shown as '?'. */
void cli_put_text(FILE *stream, const char *text);

/* Writes how many there are: "1 body", "2 bodies". */
void cli_put_count(FILE *stream, unsigned long long count, const char *one, const char *several);

/* Tells the diagnostic, and when it names a place in a file that can be read, shows that line with a caret under the
 * column. Returns the exit status that belongs to it. */
int cli_report(const ash_diagnostic *diagnostic);
/* The same for what is no failure. */
void cli_report_warning(const ash_diagnostic *diagnostic);

/* What a robot file has and the scene has not: one warning for notes of the same words, with the lines of all. */
void cli_report_notes(const ash_scene *scene);

#endif
