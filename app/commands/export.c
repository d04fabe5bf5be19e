/* ashlar export: any scene as a scene file, to start one's own from. */
#include <stdio.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/message.h"

typedef struct export_values {
    cli_choice choice;
    const char *output;
} export_values;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FILE", "write there instead of to standard output", offsetof(export_values, output), 0},
    {"method", 0, CLI_TEXT, "M", "a method or an integrator, also with fields: realtime:integrator=rk4",
     offsetof(export_values, choice.method), 0},
    {"set", 0, CLI_TEXTS, "KEY=VALUE", "a parameter of the scene or a field of its method; may be repeated",
     offsetof(export_values, choice.set), 0},
    {"step", 0, CLI_SECONDS, "H", "length of a step, s (default: the scene's)", offsetof(export_values, choice.step),
     0},
    {"time", 0, CLI_SECONDS, "T", "length of the run, s (default: the scene's)", offsetof(export_values, choice.time),
     0},
};

static int export_scene(int argc, char **argv)
{
    export_values values = {0};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_export, argc, argv, &values, &operand_count, &status))
        return status;
    ash_scene *scene = NULL;
    ash_diagnostic diagnostic = {0};
    char *text = NULL;
    size_t size = 0;
    status = cli_choice_open(argv[0], &values.choice, &scene);
    if (status == CLI_DONE && ash_scene_write(scene, &text, &size, &diagnostic) != ASH_OK)
        status = cli_report(&diagnostic);
    if (status == CLI_DONE && values.output != NULL)
        status = cli_write_file(values.output, text, size);
    else if (status == CLI_DONE)
        fwrite(text, 1, size, stdout);
    ash_free(text);
    ash_scene_destroy(scene);
    cli_options_release(cli_export.options, cli_export.option_count, &values);
    return status;
}

const cli_command cli_export = {
    .name = "export",
    .summary = "write a scene as a scene file",
    .operands = "SCENE",
    .operands_least = 1,
    .operands_most = 1,
    .about = "Writes SCENE, a built-in name or a .json or .urdf file, as a scene file that reads back to the same\n"
             "scene. A built-in scene written out with its parameters set is a good start for one's own.",
    .examples = "  ashlar export string -o string.json\n"
                "  ashlar export free-fall --method rk4",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = export_scene,
};
