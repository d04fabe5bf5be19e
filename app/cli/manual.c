/* The manual page, made from the tables that the parser and the help read: "ashlar help --man" prints it as roff. */
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "ashlar/ashlar.h"

/* Text as roff takes it literally: hyphens stay hyphens, and no line is a request. `text` may have several lines. */
static void put(const char *text)
{
    bool line_begins = true;
    for (; *text != 0; text++) {
        if (line_begins && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        line_begins = *text == '\n';
    }
}

static void section(const char *title)
{
    printf(".SH %s\n", title);
}

/* A paragraph with a bold term in front of it. */
static void entry(const char *term, const char *text)
{
    fputs(".TP\n.B ", stdout);
    put(term);
    putchar('\n');
    put(text);
    putchar('\n');
}

static void put_option(const cli_option *option)
{
    fputs(".TP\n", stdout);
    if (option->letter != 0)
        printf("\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", stdout);
    put(option->name);
    fputs("\\fR", stdout);
    if (option->argument != NULL) {
        fputs(" \\fI", stdout);
        put(option->argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put(option->help);
    putchar('\n');
}

static void put_command(const cli_command *command)
{
    printf(".SS ashlar ");
    put(command->name);
    putchar(' ');
    put(command->operands);
    fputs("\n", stdout);
    put(command->about);
    putchar('\n');
    for (uint32_t i = 0; i < command->option_count; i++)
        put_option(&command->options[i]);
    fputs(".P\n.nf\n", stdout);
    put(command->examples);
    fputs("\n.fi\n", stdout);
}

static void put_names(void)
{
    section("METHODS");
    for (uint32_t i = 0; i < ash_method_count(); i++)
        entry(ash_method_name(i), ash_method_summary(i));
    section("SCENES");
    for (uint32_t i = 0; i < ash_builtin_count(); i++) {
        ash_builtin_info info = ash_builtin_get(i);
        entry(info.name, info.summary);
    }
}

void cli_print_manual(void)
{
    printf(".TH ASHLAR 1 \"\" \"ashlar %s\" \"User Commands\"\n", ash_version());
    section("NAME");
    fputs("ashlar \\- rigid multibody dynamics that reports its own error\n", stdout);
    section("SYNOPSIS");
    fputs(".B ashlar\n.I COMMAND\n[\\fIARGUMENTS\\fR]\n", stdout);
    section("DESCRIPTION");
    put("Simulates rigid bodies with contacts, joints and springs. A SCENE is the name of a built-in scene, or the path of a\n"
        "scene file or robot file (URDF): a path contains a / or ends in .json, .urdf or .xml. Options may stand before or after it, as --name value or\n"
        "--name=value; -- ends the options. Every command takes -h or --help.\n");
    section("COMMANDS");
    for (uint32_t i = 0; cli_command_at(i) != NULL; i++)
        put_command(cli_command_at(i));
    put_names();
    section("EXIT STATUS");
    entry("0", "done");
    entry("1", "a check failed");
    entry("2", "bad usage or input, or output that could not be written");
    entry("3", "the simulation could not continue");
    section("ENVIRONMENT");
    entry("NO_COLOR", "switches colour off when it is not empty");
}
