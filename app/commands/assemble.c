/* ashlar assemble: closes the joints of a scene by moving its bodies as little as possible, and writes the scene with
 * their new places. */
#include <stdio.h>
#include <string.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/document.h"
#include "app/cli/file.h"
#include "app/cli/message.h"
#include "app/cli/table.h"
#include "scene/instance/assemble.h"

typedef struct assemble_values {
    cli_choice choice;
    const char *output;
    double tolerance;
    bool json;
} assemble_values;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FILE", "write the scene there instead of to standard output",
     offsetof(assemble_values, output), 0},
    {"tolerance", 0, CLI_NUMBER, "T", "joints open by no more than this count as closed, m and rad (default 1e-9)",
     offsetof(assemble_values, tolerance), 0},
    {"set", 0, CLI_TEXTS, "KEY=VALUE", "a parameter of the scene or a field of its method; may be repeated",
     offsetof(assemble_values, choice.set), 0},
    {"json", 0, CLI_FLAG, NULL, "one JSON object on standard output: what was closed, and what was not",
     offsetof(assemble_values, json), 0},
};

/* The joint's name, or its number. */
static const char *joint_name(const ash_scene *scene, uint32_t joint, char *text, size_t size)
{
    const char *name = scene->joints.data[joint].def.name;
    if (name != NULL)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "number %u", (unsigned)joint);
    return text;
}

/* The joints that were open or still are, one a row; nothing when none was. */
static bool print_joints(FILE *stream, const ash_scene *scene, const ashi_closed_scene *assembly, double tolerance)
{
    cli_table table = cli_table_begin("llrrrrl", true);
    static const char *const headings[] = {"joint", "kind", "open before (m)", "(rad)", "after (m)", "(rad)", ""};
    bool any = false;
    table.indent = 2;
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        cli_table_cell(&table, "%s", headings[i]);
    for (uint32_t i = 0; i < assembly->joint_count; i++) {
        const ashi_joint_closing *closing = &assembly->joints[i];
        char name[128];
        if (!closing->open && closing->before.distance <= tolerance && closing->before.angle <= tolerance)
            continue;
        any = true;
        cli_table_cell(&table, "%s", joint_name(scene, closing->joint, name, sizeof name));
        cli_table_cell(&table, "%s", ash_joint_kind_name(scene->joints.data[closing->joint].def.kind));
        cli_table_number(&table, closing->before.distance);
        cli_table_number(&table, closing->before.angle);
        cli_table_number(&table, closing->after.distance);
        cli_table_number(&table, closing->after.angle);
        cli_table_styled(&table, closing->open ? CLI_BAD : CLI_GOOD, closing->open ? "OPEN" : "closed");
    }
    bool printed = !any || cli_table_print(&table, stream, 0);
    cli_table_release(&table);
    return printed;
}

static int print_report(FILE *stream, const ash_scene *scene, const ashi_closed_scene *assembly, double tolerance)
{
    const ash_assembly_report *report = &assembly->report;
    cli_put_text(stream, scene->name);
    if (scene->joints.count == 0)
        fprintf(stream, ": no joints, nothing to close\n");
    else if (report->open_joints > 0)
        fprintf(stream, ": %u of %u joints cannot close within %g\n", (unsigned)report->open_joints,
                (unsigned)scene->joints.count, tolerance);
    else
        fprintf(stream, ": all joints closed within %g\n", tolerance);
    fprintf(stream, "  largest error left %.3g m, %.3g rad after %u %s\n", report->distance, report->angle,
            (unsigned)report->passes, report->passes == 1 ? "pass" : "passes");
    fprintf(stream, "  bodies moved %u, by at most %.6g m and %.6g rad\n", (unsigned)assembly->moved_bodies,
            report->moved, report->turned);
    if (print_joints(stream, scene, assembly, tolerance))
        return CLI_DONE;
    cli_error("out of memory");
    return CLI_BAD_INPUT;
}

static int print_json(const ash_scene *scene, const ashi_closed_scene *assembly, double tolerance)
{
    const ash_assembly_report *report = &assembly->report;
    json_t *joints = json_array();
    for (uint32_t i = 0; i < assembly->joint_count; i++) {
        const ashi_joint_closing *closing = &assembly->joints[i];
        char name[128];
        cli_json_append(joints, json_pack("{s:o, s:i, s:s, s:o, s:o, s:o, s:o, s:b}", "name",
                                          cli_json_text(joint_name(scene, closing->joint, name, sizeof name)), "number",
                                          (int)closing->joint, "kind",
                                          ash_joint_kind_name(scene->joints.data[closing->joint].def.kind), "before_m",
                                          cli_json_number(closing->before.distance), "before_rad",
                                          cli_json_number(closing->before.angle), "after_m",
                                          cli_json_number(closing->after.distance), "after_rad",
                                          cli_json_number(closing->after.angle), "closed", (int)!closing->open));
    }
    return cli_json_print(json_pack(
        "{s:o, s:b, s:o, s:i, s:o, s:o, s:o, s:o, s:i, s:i, s:o}", "scene", cli_json_text(scene->name), "closed",
        (int)(report->open_joints == 0), "tolerance", cli_json_number(tolerance), "passes", (int)report->passes,
        "error_m", cli_json_number(report->distance), "error_rad", cli_json_number(report->angle), "moved_m",
        cli_json_number(report->moved), "turned_rad", cli_json_number(report->turned), "bodies_moved",
        (int)assembly->moved_bodies, "open_joints", (int)report->open_joints, "joints", joints));
}

static int write_scene(const ash_scene *scene, const assemble_values *values)
{
    char *text = NULL;
    size_t size = 0;
    ash_diagnostic diagnostic = {0};
    if (values->output == NULL && values->json)
        return CLI_DONE;
    if (ash_scene_write(scene, &text, &size, &diagnostic) != ASH_OK)
        return cli_report(&diagnostic);
    int status = CLI_DONE;
    if (values->output != NULL)
        status = cli_write_file(values->output, text, size);
    else
        fwrite(text, 1, size, stdout);
    ash_free(text);
    return status;
}

static int assemble_scene(ash_scene *scene, const assemble_values *values)
{
    ashi_closed_scene assembly;
    ash_diagnostic diagnostic = {0};
    ash_status outcome = ashi_scene_assemble(scene, values->tolerance, &assembly, &diagnostic);
    if (outcome != ASH_OK &&
        assembly.joints == NULL) /* the world could not be made, or moved: there is nothing to tell of it */
        return cli_report(&diagnostic);
    int status = write_scene(scene, values);
    if (status == CLI_DONE)
        status = values->json
                     ? print_json(scene, &assembly, values->tolerance)
                     : print_report(values->output != NULL ? stdout : stderr, scene, &assembly, values->tolerance);
    if (status == CLI_DONE && outcome != ASH_OK) {
        cli_report(&diagnostic);
        status = CLI_CHECK_FAILED;
    }
    ashi_assembly_release(&assembly);
    return status;
}

static int assemble(int argc, char **argv)
{
    assemble_values values = {.tolerance = 1e-9};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_assemble, argc, argv, &values, &operand_count, &status))
        return status;
    ash_scene *scene = NULL;
    status = cli_choice_open(argv[0], &values.choice, &scene);
    if (status == CLI_DONE)
        status = assemble_scene(scene, &values);
    ash_scene_destroy(scene);
    cli_options_release(cli_assemble.options, cli_assemble.option_count, &values);
    return status;
}

const cli_command cli_assemble = {
    .name = "assemble",
    .summary = "close the joints of a scene and write it with the new places of its bodies",
    .operands = "SCENE",
    .operands_least = 1,
    .operands_most = 1,
    .about =
        "Moves the bodies of SCENE, a built-in name or a .json or .urdf file, as little as possible (heavy ones less than\n"
        "light ones) until all its joints are closed, makes the velocities agree with them, and writes the scene.\n"
        "When joints cannot close, says which, writes the scene with the smallest errors, and exits with 1.\n"
        "The report is on standard output, or on standard error when the scene is there.",
    .examples = "  ashlar assemble my-linkage.json -o closed.json\n"
                "  ashlar assemble my-linkage.json --tolerance 1e-6 --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = assemble,
};
