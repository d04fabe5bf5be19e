/* Command-line options, described by tables. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/* What an option takes, and the type of the field that it fills. */
typedef enum cli_kind {
    CLI_FLAG,    /* nothing; bool */
    CLI_TEXT,    /* any text but the empty one; const char * */
    CLI_TEXTS,   /* the same, and it may be given again; cli_texts */
    CLI_SECONDS, /* a number above 0; double */
    CLI_NUMBER,  /* the same of no time */
    CLI_COUNT,   /* a whole number from 1 to `most`; uint32_t */
    CLI_WHOLE    /* the same from 0 */
} cli_kind;

typedef struct cli_option {
    const char *name; /* without the dashes */
    char letter;      /* of the short form; 0: none */
    cli_kind kind;
    const char *argument; /* what help calls it; null for flags */
    const char *help;
    size_t offset; /* of the field in the command's struct of values */
    uint32_t most; /* for CLI_COUNT and CLI_WHOLE */
} cli_option;

/* Texts of the command line, not copied. */
typedef ASHI_ARRAY(const char *) cli_texts;

typedef enum cli_parsed { CLI_PARSED, CLI_HELP_WANTED, CLI_REFUSED } cli_parsed;

/* Reads `argc` arguments into `values`; an option given again replaces what it said before except for CLI_TEXTS. What
 * is no option moves to the front of argv, in its order, and is counted. "--" ends the options. -h and --help are
 * always known. CLI_REFUSED: `message` names the argument and says what was expected. */
cli_parsed cli_options_read(const cli_option *options, uint32_t option_count, int argc, char **argv, void *values,
                            uint32_t *operand_count, char *message, size_t message_size);

/* Releases the lists in `values`. */
void cli_options_release(const cli_option *options, uint32_t option_count, void *values);

#endif
