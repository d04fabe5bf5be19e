/* Help, made from the tables that the parser reads. */
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/terminal.h"

static void heading(const char *text)
{
    printf("\n%s%s%s\n", cli_style_begin(stdout, CLI_BOLD), text, cli_style_end(stdout));
}

void cli_print_help(void)
{
    printf("Usage: ashlar COMMAND [ARGUMENTS]\n\n"
           "Rigid multibody dynamics that reports its own error.\n");
    heading("Commands");
    for (uint32_t i = 0; cli_command_at(i) != NULL; i++)
        printf("  %-10s %s\n", cli_command_at(i)->name, cli_command_at(i)->summary);
    heading("Options");
    printf("  -h, --help   this text; \"ashlar COMMAND --help\" for a command's options\n"
           "  --version    the version of the program and its library\n");
    heading("Exit status");
    printf("  0 done, 1 a check failed, 2 bad usage or input, 3 the simulation could not continue\n");
    heading("Examples");
    printf("  ashlar list\n"
           "  ashlar run string --check\n"
           "  ashlar compare oscillator --methods realtime,engineering\n"
           "  ashlar validate\n");
}

/* "-o, --output FILE", and how many characters that is. */
static int format_option(const cli_option *option, char *text, size_t size)
{
    char letter[8] = "    ";
    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    return snprintf(text, size, "%s--%s%s%s", letter, option->name, option->argument != NULL ? " " : "",
                    option->argument != NULL ? option->argument : "");
}

void cli_print_command_help(const cli_command *command)
{
    char text[80];
    int widest = (int)strlen("-h, --help");
    for (uint32_t i = 0; i < command->option_count; i++) {
        int length = format_option(&command->options[i], text, sizeof text);
        widest = length > widest ? length : widest;
    }
    printf("Usage: ashlar %s%s%s [OPTIONS]\n\n%s\n", command->name, command->operands[0] != 0 ? " " : "",
           command->operands, command->about);
    heading("Options");
    for (uint32_t i = 0; i < command->option_count; i++) {
        format_option(&command->options[i], text, sizeof text);
        printf("  %-*s  %s\n", widest, text, command->options[i].help);
    }
    printf("  %-*s  this text\n", widest, "-h, --help");
    heading("Examples");
    printf("%s\n", command->examples);
}
