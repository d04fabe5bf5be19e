/* The commands of the program: a table of descriptions from which dispatch, option parsing and help all follow.
 *
 * Functions and types that the files of app/ share are named cli_. They are no part of the library. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "app/cli/options.h"

/* What the program answers to the shell. A run stopped by a signal answers 128 + the signal's number. */
typedef enum cli_exit {
    CLI_DONE = 0,
    CLI_CHECK_FAILED = 1,
    CLI_BAD_INPUT = 2,   /* bad usage, bad input, or output that could not be written */
    CLI_CANNOT_GO_ON = 3 /* the simulation itself */
} cli_exit;

typedef struct cli_command {
    const char *name;
    const char *summary;  /* one line */
    const char *operands; /* as in the usage line, such as "SCENE" */
    uint32_t operands_least, operands_most;
    const char *about;    /* a paragraph or two */
    const char *examples; /* command lines, one a line, indented */
    const cli_option *options;
    uint32_t option_count;
    int (*run)(int argc, char **argv); /* argv starts after the command's name */
} cli_command;

extern const cli_command cli_list, cli_run, cli_compare, cli_validate, cli_check, cli_export, cli_convert, cli_assemble,
    cli_settle, cli_picture, cli_problem, cli_sweep, cli_solve, cli_spectrum, cli_bench, cli_viewer, cli_report_page;

/* The table, in the order of the help. Null after the last. */
const cli_command *cli_command_at(uint32_t index);
const cli_command *cli_command_find(const char *name);

/* Sorts a command's arguments by its tables: options into `values`, the operands to the front of argv. False when the
 * command is to end with *status: help was asked for and shown, or something was wrong and told. */
bool cli_parse(const cli_command *command, int argc, char **argv, void *values, uint32_t *operand_count, int *status);

void cli_print_help(void);
void cli_print_command_help(const cli_command *command);

/* The manual page in roff. */
void cli_print_manual(void);
/* A script of completion for bash or fish; false for other shells. */
bool cli_print_completion(const char *shell);

#endif
