/* ashlar check: is this file usable, and what is in it? A scene file is read and its world is made; of a recording
 * every sample is read; a problem file is read and its first guess measured. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/document.h"
#include "app/cli/message.h"
#include "app/cli/table.h"
#include "app/cli/terminal.h"
#include "app/commands/mobility.h"
#include "app/commands/solve_report.h"
#include "scene/description/description.h"
#include "scene/file/doubts.h"
#include "scene/record/record.h"

typedef struct check_values {
    bool json;
} check_values;

static const cli_option options[] = {
    {"json", 0, CLI_FLAG, NULL, "one JSON object: what is in the file, or what is wrong with it",
     offsetof(check_values, json), 0},
};

static unsigned count_bodies(const ash_scene *scene, ash_body_type type)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        count += scene->bodies.data[i].def.type == type;
    return count;
}

/* Warnings are shown on standard error as errors are, and kept for --json. */
static void take_warning(const ash_diagnostic *warning, void *user)
{
    cli_report_warning(warning);
    cli_json_append(user, json_pack("{s:s, s:i, s:i, s:o, s:o}", "code", warning->code, "line", warning->line, "column",
                                    warning->column, "path", cli_json_text(warning->path), "message",
                                    cli_json_text(warning->message)));
}

/* What a scene's world says of itself. */
typedef struct scene_world {
    const ash_world *world;
    cli_mobility mobility;
    ash_step_bound bound;
} scene_world;

/* The longest step that explicit springs allow. */
static void print_bound(const ash_scene *scene, const scene_world *found)
{
    const char *name = ash_force_get_name(found->world, found->bound.worst);
    bool beyond = scene->step > found->bound.step;
    printf("  springs   %sstable for steps below %.4g s by %s%s", beyond ? cli_style_begin(stdout, CLI_WARN) : "",
           found->bound.step, ash_integrator_name(scene->method.integrator),
           beyond ? ", which the scene's is not" : "");
    if (name[0] != 0) {
        printf("; worst: ");
        cli_put_text(stdout, name);
    }
    printf("%s\n", beyond ? cli_style_end(stdout) : "");
}

/* "n = 5, brick = box" */
static void print_parameters(const ash_scene *scene)
{
    for (uint32_t i = 0; i < scene->parameters.count; i++) {
        const ash_scene_parameter *parameter = &scene->parameters.data[i];
        printf("%s%s = ", i == 0 ? "\n  set       " : ", ", parameter->name);
        if (parameter->choices != NULL)
            cli_put_text(stdout, parameter->choice_value);
        else
            printf("%.6g", parameter->value);
    }
}

static json_t *parameters_json(const ash_scene *scene)
{
    json_t *object = json_object();
    for (uint32_t i = 0; i < scene->parameters.count; i++) {
        const ash_scene_parameter *parameter = &scene->parameters.data[i];
        cli_json_set(object, parameter->name,
                     parameter->choices != NULL ? cli_json_text(parameter->choice_value)
                                                : cli_json_number(parameter->value));
    }
    return object;
}

static void print_scene(const char *file, const ash_scene *scene, const scene_world *found, size_t warnings)
{
    ash_method method = ash_scene_get_method(scene);
    char text[256];
    cli_put_text(stdout, file);
    printf(": a good scene file%s\n", warnings == 0 ? "" : warnings == 1 ? ", with a warning" : ", with warnings");
    printf("  scene     ");
    cli_put_text(stdout, scene->name);
    printf("%s", scene->summary[0] != 0 ? ": " : "");
    cli_put_text(stdout, scene->summary);
    print_parameters(scene);
    printf("\n  method    %s, step %g s, %g s long\n", cli_method_text(&method, text, sizeof text), scene->step,
           scene->time);
    printf("  bodies    %u (%u dynamic, %u static, %u kinematic), %u %s\n", (unsigned)scene->bodies.count,
           count_bodies(scene, ASH_BODY_DYNAMIC), count_bodies(scene, ASH_BODY_STATIC),
           count_bodies(scene, ASH_BODY_KINEMATIC), (unsigned)scene->shapes.count,
           scene->shapes.count == 1 ? "shape" : "shapes");
    if (scene->joints.count > 0)
        cli_mobility_print(&found->mobility);
    if (found->bound.worst.id != 0)
        print_bound(scene, found);
    printf("  forces    %u\n  outputs   %u\n  events    %u\n  checks    %u\n", (unsigned)scene->forces.count,
           (unsigned)scene->outputs.count, (unsigned)scene->events.count, (unsigned)scene->checks.count);
}

static json_t *list_notes(const ash_scene *scene)
{
    json_t *notes = json_array();
    for (uint32_t i = 0; i < ash_scene_get_note_count(scene); i++) {
        ash_scene_note note = ash_scene_get_note(scene, i);
        cli_json_append(notes, json_pack("{s:o, s:i, s:o}", "file", cli_json_text(note.file), "line", note.line,
                                         "message", cli_json_text(note.message)));
    }
    return notes;
}

static int print_scene_json(const char *file, const ash_scene *scene, const scene_world *found, json_t *warnings)
{
    ash_method method = ash_scene_get_method(scene);
    json_t *bodies =
        json_pack("{s:i, s:i, s:i}", "dynamic", (int)count_bodies(scene, ASH_BODY_DYNAMIC), "static",
                  (int)count_bodies(scene, ASH_BODY_STATIC), "kinematic", (int)count_bodies(scene, ASH_BODY_KINEMATIC));
    json_t *document = json_pack(
        "{s:o, s:b, s:s, s:s, s:s, s:s, s:f, s:f, s:o, s:i, s:i, s:i, s:i, s:i, s:i}", "file", cli_json_text(file),
        "valid", 1, "kind", "scene", "scene", scene->name, "summary", scene->summary, "method", method.name, "step",
        scene->step, "time", scene->time, "bodies", bodies, "shapes", (int)scene->shapes.count, "joints",
        (int)scene->joints.count, "forces", (int)scene->forces.count, "outputs", (int)scene->outputs.count, "events",
        (int)scene->events.count, "checks", (int)scene->checks.count);
    if (scene->parameters.count > 0)
        cli_json_set(document, "parameters", parameters_json(scene));
    if (scene->joints.count > 0)
        cli_json_set(document, "mobility", cli_mobility_json(&found->mobility));
    if (found->bound.worst.id != 0)
        cli_json_set(document, "step_bound",
                     json_pack("{s:o, s:o}", "step", cli_json_number(found->bound.step), "worst",
                               cli_json_text(ash_force_get_name(found->world, found->bound.worst))));
    cli_json_set(document, "warnings", json_incref(warnings));
    if (ash_scene_get_note_count(scene) > 0)
        cli_json_set(document, "notes", list_notes(scene));
    return cli_json_print(document);
}

static int refuse(const char *file, const char *kind, const ash_diagnostic *diagnostic, bool json)
{
    int status = cli_report(diagnostic);
    if (json)
        cli_json_print(json_pack("{s:o, s:b, s:s, s:s, s:i, s:i, s:o, s:o, s:o}", "file", cli_json_text(file), "valid",
                                 0, "kind", kind, "code", diagnostic->code, "line", diagnostic->line, "column",
                                 diagnostic->column, "path", cli_json_text(diagnostic->path), "message",
                                 cli_json_text(diagnostic->message), "expected", cli_json_text(diagnostic->expected)));
    return status;
}

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), ending_length = strlen(ending);
    return length >= ending_length && strcmp(text + length - ending_length, ending) == 0;
}

static int check_scene(const char *file, bool json)
{
    /* What would be taken for the name of a built-in scene is made a path. */
    char path[4096];
    bool is_path = strchr(file, '/') != NULL || ends_in(file, ".json");
    snprintf(path, sizeof path, "%s%s", is_path ? "" : "./", file);
    ash_scene *scene = NULL;
    ash_world *world = NULL;
    ash_diagnostic diagnostic = {0};
    ash_status outcome = ash_scene_open(path, NULL, 0, &scene, &diagnostic);
    scene_world found = {0};
    if (outcome == ASH_OK)
        outcome = ash_scene_instantiate(scene, 1, &world, &diagnostic);
    if (outcome == ASH_OK && scene->joints.count > 0)
        outcome = cli_mobility_find(world, &found.mobility, &diagnostic);
    found.world = world;
    if (outcome == ASH_OK && (outcome = ash_world_find_step_bound(world, scene->step, &found.bound)) != ASH_OK)
        diagnostic = ash_world_get_last_diagnostic(world);
    int status = CLI_DONE;
    json_t *warnings = json_array();
    if (outcome == ASH_OK)
        ashi_scene_doubts(scene, world, take_warning, warnings);
    if (outcome == ASH_OK)
        cli_report_notes(scene);
    if (outcome != ASH_OK)
        status = refuse(file, "scene", &diagnostic, json);
    else if (json)
        status = print_scene_json(file, scene, &found, warnings);
    else
        print_scene(file, scene, &found, json_array_size(warnings));
    json_decref(warnings);
    cli_mobility_release(&found.mobility);
    ash_world_destroy(world);
    ash_scene_destroy(scene);
    return status;
}

/* Problem files say so near their beginning. */
static bool is_problem(const char *path)
{
    char begin[4096];
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    FILE *file = fopen(path, "rb");
    size_t size = file != NULL ? fread(begin, 1, sizeof begin - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    begin[size] = 0;
    return strstr(begin, "\"ashlar_problem\"") != NULL;
}

static int check_problem(const char *file, bool json)
{
    char path[4096];
    ash_problem problem = {0};
    ash_yardstick error;
    ash_diagnostic diagnostic = {0};
    snprintf(path, sizeof path, "%s%s", strchr(file, '/') != NULL ? "" : "./", file);
    ash_status outcome = ash_problem_read(path, &problem, &diagnostic);
    if (outcome == ASH_OK)
        outcome = ash_problem_measure(&problem, &error, &diagnostic);
    int status = CLI_DONE;
    if (outcome != ASH_OK) {
        status = refuse(file, "problem", &diagnostic, json);
    } else if (json) {
        status = cli_json_print(json_pack("{s:o, s:b, s:s, s:o, s:i, s:i, s:i, s:i, s:o}", "file", cli_json_text(file),
                                          "valid", 1, "kind", "problem", "step", cli_json_number(problem.h), "bodies",
                                          (int)problem.body_count, "blocks", (int)cli_problem_blocks(&problem), "rows",
                                          (int)cli_problem_rows(&problem), "islands", (int)problem.island_count,
                                          "error", cli_json_number(error.largest)));
    } else {
        cli_put_text(stdout, file);
        printf(": a valid problem file\n  step      %g s\n  bodies    %u, %u of them immovable\n", problem.h,
               (unsigned)problem.body_count, (unsigned)problem.fixed_count);
        printf("  blocks    %u, with ", (unsigned)cli_problem_blocks(&problem));
        cli_put_count(stdout, cli_problem_rows(&problem), "row in ", "rows in ");
        cli_put_count(stdout, problem.island_count, "island\n", "islands\n");
        printf("  error     %.4g m/s, of the impulses in the file\n", error.largest);
    }
    ash_problem_release(&problem);
    return status;
}

static void print_recording(const char *file, const ashi_recording_summary *summary)
{
    char first[32], last[32];
    cli_put_text(stdout, file);
    printf(": a valid recording\n  scene     ");
    cli_put_text(stdout, summary->scene);
    printf("\n  made by   ashlar %s, format %u\n", summary->ashlar_version, (unsigned)summary->format_version);
    printf("  run       %g s by steps of %g s, %s\n", summary->time, summary->step,
           summary->complete ? "complete" : "stopped before its end");
    printf("  samples   %llu, from %s s to %s s, %u %s and %u %s in each\n", (unsigned long long)summary->samples,
           cli_number_text(summary->first_time, first, sizeof first),
           cli_number_text(summary->last_time, last, sizeof last), (unsigned)summary->bodies,
           summary->bodies == 1 ? "body" : "bodies", (unsigned)summary->outputs,
           summary->outputs == 1 ? "output" : "outputs");
    if (summary->marked_open)
        printf("  still marked as being written: its writer runs or was killed\n");
}

static int print_recording_json(const char *file, const ashi_recording_summary *summary)
{
    return cli_json_print(json_pack(
        "{s:o, s:b, s:s, s:o, s:s, s:i, s:o, s:o, s:b, s:b, s:I, s:o, s:o, s:i, s:i}", "file", cli_json_text(file),
        "valid", 1, "kind", "recording", "scene", cli_json_text(summary->scene), "version", summary->ashlar_version,
        "format", (int)summary->format_version, "step", cli_json_number(summary->step), "time",
        cli_json_number(summary->time), "complete", (int)summary->complete, "marked_open", (int)summary->marked_open,
        "samples", (json_int_t)summary->samples, "first_time", cli_json_number(summary->first_time), "last_time",
        cli_json_number(summary->last_time), "bodies", (int)summary->bodies, "outputs", (int)summary->outputs));
}

static int check_recording(const char *file, bool json)
{
    ashi_recording_summary summary;
    ash_diagnostic diagnostic = {0};
    if (ashi_recording_inspect(file, &summary, &diagnostic) != ASH_OK)
        return refuse(file, "recording", &diagnostic, json);
    if (json)
        return print_recording_json(file, &summary);
    print_recording(file, &summary);
    return CLI_DONE;
}

static int check(int argc, char **argv)
{
    check_values values = {0};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_check, argc, argv, &values, &operand_count, &status))
        return status;
    if (cli_is_hdf5(argv[0]))
        return check_recording(argv[0], values.json);
    return (is_problem(argv[0]) ? check_problem : check_scene)(argv[0], values.json);
}

const cli_command cli_check = {
    .name = "check",
    .summary = "check a file and show what is in it",
    .operands = "FILE",
    .operands_least = 1,
    .operands_most = 1,
    .about = "Reads a scene file or a robot file (.urdf) and makes its world, or reads all of a recording (.h5) or a\n"
             "problem file, and prints what is in it. For joints it also prints the degrees of freedom that they\n"
             "leave, which of them are redundant, and how far they are open. An error is shown with its place and\n"
             "what was expected; the exit status is then 2. Values that look like mixed-up units (limits of 90 rad,\n"
             "gravity of 9810 m/s2) get a warning; the exit status is still 0.",
    .examples = "  ashlar check my-scene.json\n"
                "  ashlar check results/recording.h5 --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = check,
};
