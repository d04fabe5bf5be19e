/* ashlar: the command-line program. Finds the command, runs it, and makes sure that what it wrote has arrived. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/message.h"
#include "app/cli/terminal.h"
#include "scene/record/record.h"

static int unknown_command(const char *name)
{
    const char *names[32];
    size_t count = 0;
    while (count < 32 && cli_command_at((uint32_t)count) != NULL) {
        names[count] = cli_command_at((uint32_t)count)->name;
        count++;
    }
    char suggestion[64];
    cli_error("unknown %s \"%s\"%s", name[0] == '-' ? "option" : "command", name,
              ashi_did_you_mean(name, names, count, suggestion, sizeof suggestion));
    fprintf(stderr, "\"ashlar --help\" lists the commands\n");
    return CLI_BAD_INPUT;
}

/* ashlar help --man, ashlar help --completion SHELL: what is installed beside the program. */
static int print_page(int argc, char **argv)
{
    bool manual = strcmp(argv[0], "--man") == 0, completion = strcmp(argv[0], "--completion") == 0;
    if (manual && argc == 1) {
        cli_print_manual();
        return CLI_DONE;
    }
    if (completion && argc == 2 && cli_print_completion(argv[1]))
        return CLI_DONE;
    if (!manual && !completion)
        return unknown_command(argv[0]);
    cli_error("help: expected --man, or --completion bash, fish or zsh");
    return CLI_BAD_INPUT;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        cli_error("a command is missing");
        fprintf(stderr, "usage: ashlar COMMAND [ARGUMENTS]; \"ashlar --help\" lists the commands\n");
        return CLI_BAD_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        cli_print_help();
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("ashlar %s\n", ash_version());
        return CLI_DONE;
    }
    const cli_command *command = cli_command_find(argv[1]);
    if (strcmp(argv[1], "help") == 0) {
        if (argc > 2 && argv[2][0] == '-')
            return print_page(argc - 2, argv + 2);
        command = argc > 2 ? cli_command_find(argv[2]) : NULL;
        if (argc > 2 && command == NULL)
            return unknown_command(argv[2]);
        if (command != NULL)
            cli_print_command_help(command);
        else
            cli_print_help();
        return CLI_DONE;
    }
    return command != NULL ? command->run(argc - 2, argv + 2) : unknown_command(argv[1]);
}

/* The library's warnings. Its errors also come as diagnostics, which are reported where they matter. */
static void print_warning(ash_log_level level, const char *text, void *user)
{
    (void)user;
    if (level == ASH_LOG_WARNING)
        cli_error("warning: %s", text);
}

int main(int argc, char **argv)
{
    cli_secure_streams();
    /* A closed pipe then shows as a failed write, which is told, instead of ending the program in the middle. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* and so does a limit on the size of files */
    ash_set_log_hook(print_warning, NULL);
    ashi_recording_skip_farewell();
    int status = dispatch(argc, argv);
    if (!cli_finish_output() && status <= CLI_CHECK_FAILED)
        status = CLI_BAD_INPUT;
    return status;
}
