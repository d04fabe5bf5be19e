/* ashlar convert: a scene, or a robot file, in another format. */
#include <stdio.h>
#include <string.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/message.h"

typedef struct convert_values {
    cli_choice choice;
    const char *output;
} convert_values;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FILE", "write there; the ending .json makes a scene file",
     offsetof(convert_values, output), 0},
    {"method", 0, CLI_TEXT, "M", "a method or an integrator, also with fields: realtime:integrator=rk4",
     offsetof(convert_values, choice.method), 0},
    {"set", 0, CLI_TEXTS, "KEY=VALUE", "a parameter of the scene or a field of its method; may be repeated",
     offsetof(convert_values, choice.set), 0},
};

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static int write_scene(const ash_scene *scene, const char *path)
{
    ash_diagnostic diagnostic = {0};
    char *text = NULL;
    size_t size = 0;
    int status = CLI_DONE;
    if (ash_scene_write(scene, &text, &size, &diagnostic) != ASH_OK)
        status = cli_report(&diagnostic);
    else
        status = cli_write_file(path, text, size);
    ash_free(text);
    return status;
}

static int convert_scene(const char *name, const char *path, const convert_values *values)
{
    if (path == NULL || !ends_in(path, ".json")) {
        cli_error("convert: %s (expected a file that ends in .json)",
                  path == NULL ? "there is no file to write to" : "the ending of the output is not known");
        return CLI_BAD_INPUT;
    }
    ash_scene *scene = NULL;
    int status = cli_choice_open(name, &values->choice, &scene);
    if (status == CLI_DONE)
        status = write_scene(scene, path);
    ash_scene_destroy(scene);
    return status;
}

static int convert(int argc, char **argv)
{
    convert_values values = {0};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_convert, argc, argv, &values, &operand_count, &status))
        return status;
    if (operand_count == 2 && values.output != NULL) {
        cli_error("convert: the output is given twice, \"%s\" and \"%s\"", argv[1], values.output);
        status = CLI_BAD_INPUT;
    } else
        status = convert_scene(argv[0], operand_count == 2 ? argv[1] : values.output, &values);
    cli_options_release(cli_convert.options, cli_convert.option_count, &values);
    return status;
}

const cli_command cli_convert = {
    .name = "convert",
    .summary = "write a scene or a robot file in another format",
    .operands = "SCENE [FILE]",
    .operands_least = 1,
    .operands_most = 2,
    .about =
        "Reads SCENE, a built-in name, a scene file (.json) or a robot file (.urdf), and writes FILE in the format of\n"
        "its ending: .json, a scene file that holds all meshes. What a robot file has and Ashlar has not is noted\n"
        "on standard error with its line. Robot files take the settings base=fixed or free, floor=on or off and\n"
        "self-collide=on or off.",
    .examples = "  ashlar convert robot.urdf -o robot.json\n"
                "  ashlar convert robot.urdf standing.json --set base=free",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = convert,
};
