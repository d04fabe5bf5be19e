/* ashlar convert: a scene, a robot file, or a recording, in another format. */
#include <stdio.h>
#include <string.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/message.h"
#include "app/commands/picture_order.h"
#include "app/commands/problem_file.h"
#include "app/export/motion.h"

typedef struct convert_values {
    cli_choice choice;
    const char *output;
    double rate;
    bool every;
} convert_values;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FILE", "output file; its ending selects the format", offsetof(convert_values, output),
     0},
    {"rate", 0, CLI_NUMBER, "N", "for a recording: most frames per second (default 60, .mp4: 30)",
     offsetof(convert_values, rate), 0},
    {"every", 0, CLI_FLAG, NULL, "for a recording: every sample is a frame", offsetof(convert_values, every), 0},
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

/* A contact problem as JSON or in FCLIB's form; impulses that are there are taken for a solution. */
static int convert_problem(const char *name, const char *path, const convert_values *values)
{
    ash_problem problem = {0};
    ash_diagnostic diagnostic = {0};
    ash_yardstick unused;
    if (path == NULL || values->choice.method != NULL || values->choice.set.count > 0) {
        cli_error("convert: %s is a contact problem (expected a file that ends in .json or .hdf5, and no --method and "
                  "--set)",
                  name);
        return CLI_BAD_INPUT;
    }
    bool solved = false;
    int status = CLI_DONE;
    if (ash_problem_read(name, &problem, &diagnostic) != ASH_OK ||
        ash_problem_measure(&problem, &unused, &diagnostic) != ASH_OK)
        status = cli_report(&diagnostic);
    for (uint32_t i = 0; i < problem.point_count; i++)
        solved |= problem.points[i].impulse.x != 0;
    if (status == CLI_DONE)
        status = cli_write_problem(&problem, solved, path);
    ash_problem_release(&problem);
    return status;
}

static int convert_recording(const char *name, const char *path, const convert_values *values)
{
    static const struct {
        const char *ending;
        int (*write)(const cli_motion *motion, const char *path);
    } ways[] = {{".gltf", cli_write_gltf},
                {".glb", cli_write_gltf},
                {".xdmf", cli_write_xdmf},
                {".vtkhdf", cli_write_vtkhdf},
                {".csv", cli_write_columns}};
    enum { WAYS = sizeof ways / sizeof *ways };
    size_t way = 0;
    bool plain = values->choice.method == NULL && values->choice.set.count == 0;
    if (path != NULL && ends_in(path, ".mp4") && plain && !values->every)
        return cli_picture_film(name, path, values->rate > 0 ? values->rate : 30);
    while (way < WAYS && (path == NULL || !ends_in(path, ways[way].ending)))
        way++;
    if (way == WAYS || !plain) {
        cli_error(
            "convert: %s is a recording (expected a file that ends in .gltf, .glb, .xdmf, .vtkhdf, .csv or .mp4, and no --method "
            "and --set)",
            name);
        return CLI_BAD_INPUT;
    }
    cli_motion motion;
    int status = cli_motion_open(name, values->every ? 0 : values->rate > 0 ? values->rate : 60, &motion);
    if (status == CLI_DONE)
        status = ways[way].write(&motion, path);
    cli_motion_close(&motion);
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
    } else {
        const char *path = operand_count == 2 ? argv[1] : values.output;
        bool problem =
            cli_is_fclib_name(path) || (path != NULL && ends_in(path, ".json") && cli_is_fclib_name(argv[0]));
        status = (problem                     ? convert_problem
                  : cli_is_recording(argv[0]) ? convert_recording
                                              : convert_scene)(argv[0], path, &values);
    }
    cli_options_release(cli_convert.options, cli_convert.option_count, &values);
    return status;
}

const cli_command cli_convert = {
    .name = "convert",
    .summary = "write a scene, a robot file or a recording in another format",
    .operands = "SCENE [FILE]",
    .operands_least = 1,
    .operands_most = 2,
    .about =
        "Reads SCENE, a built-in name, a scene file (.json) or a robot file (.urdf, .xml), and writes FILE in the format of\n"
        "its ending: .json, a scene file that holds all meshes. Features of a robot file that Ashlar lacks are noted\n"
        "on standard error with its line. Robot files take the settings base=fixed or free, floor=on or off and\n"
        "self-collide=on or off, meshes=hull, parts, mesh or field, of MuJoCo keyframe=NAME.\n"
        "A contact problem (docs/problem-file.md) becomes one in FCLIB's form, .hdf5, or such a one .json.\n"
        "Of a recording (.h5, or the directory of run --out) it makes .gltf or .glb, animated, for Blender and browsers;\n"
        ".vtkhdf, or .xdmf with a .h5 beside it, for ParaView; .csv, all numbers over time; or, where ffmpeg is\n"
        "installed, .mp4, a film of pictures (more choices: ashlar picture).",
    .examples = "  ashlar convert robot.urdf -o robot.json\n"
                "  ashlar convert robot.urdf standing.json --set base=free\n"
                "  ashlar convert results/recording.h5 film.glb --rate 30",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = convert,
};
