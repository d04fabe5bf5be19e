/* The table of commands, and what all of them do with their arguments. A new command is a file with a cli_command and a
 * line here. */
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/message.h"

static const cli_command *const commands[] = {&cli_list,     &cli_run,     &cli_compare,     &cli_validate, &cli_check,
                                              &cli_export,   &cli_convert, &cli_assemble,    &cli_settle,   &cli_sweep,
                                              &cli_picture,  &cli_viewer,  &cli_report_page, &cli_problem,  &cli_solve,
                                              &cli_spectrum, &cli_bench};

const cli_command *cli_command_at(uint32_t index)
{
    return index < sizeof commands / sizeof *commands ? commands[index] : NULL;
}

const cli_command *cli_command_find(const char *name)
{
    for (uint32_t i = 0; cli_command_at(i) != NULL; i++)
        if (strcmp(cli_command_at(i)->name, name) == 0)
            return cli_command_at(i);
    return NULL;
}

static bool refuse(const cli_command *command, const char *message, int *status)
{
    cli_error("%s: %s", command->name, message);
    fprintf(stderr, "usage: ashlar %s%s%s [OPTIONS]; \"ashlar %s --help\" explains\n", command->name,
            command->operands[0] != 0 ? " " : "", command->operands, command->name);
    *status = CLI_BAD_INPUT;
    return false;
}

bool cli_parse(const cli_command *command, int argc, char **argv, void *values, uint32_t *operand_count, int *status)
{
    char message[512];
    bool usable = false;
    *status = CLI_DONE;
    switch (cli_options_read(command->options, command->option_count, argc, argv, values, operand_count, message,
                             sizeof message)) {
    case CLI_HELP_WANTED:
        cli_print_command_help(command);
        break;
    case CLI_REFUSED:
        refuse(command, message, status);
        break;
    case CLI_PARSED:
        usable = *operand_count >= command->operands_least && *operand_count <= command->operands_most;
        if (*operand_count < command->operands_least)
            snprintf(message, sizeof message, "%s is missing", command->operands);
        else if (!usable)
            snprintf(message, sizeof message, "\"%.200s\" is one argument too many", argv[command->operands_most]);
        if (!usable)
            refuse(command, message, status);
        break;
    }
    if (!usable)
        cli_options_release(command->options, command->option_count, values);
    return usable;
}
