/* What the output goes to: a terminal, with a width, perhaps colours and Unicode, or a file or pipe. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

bool cli_is_terminal(FILE *stream);

/* Columns of the terminal; 0 when it is none or does not say. */
int cli_width(FILE *stream);

/* May characters beyond ASCII be written? On a terminal in a UTF-8 locale. */
bool cli_unicode(FILE *stream);

typedef enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_DIM, CLI_GOOD, CLI_BAD, CLI_WARN } cli_style;

/* The sequences that begin a style and that end all of them: empty where `stream` shows no colour. Colour is for
 * terminals that are not "dumb", and only when NO_COLOR is unset or empty. */
const char *cli_style_begin(FILE *stream, cli_style style);
const char *cli_style_end(FILE *stream);

/* Gives the standard streams that the parent closed a descriptor on which writing fails, so that no file opened later
 * takes their place. */
void cli_secure_streams(void);

/* Flushes and closes standard output; false, and told, when anything could not be written. */
bool cli_finish_output(void);

#endif
