/* ashlar settle: static equilibrium of a scene, written as a scene. */
#include <stdio.h>
#include <string.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/document.h"
#include "app/cli/file.h"
#include "app/cli/message.h"
#include "scene/instance/settle.h"

enum { STEPS_MOST = 100000000 };

typedef struct settle_values {
    cli_choice choice;
    const char *output;
    double tolerance;
    uint32_t steps;
    bool json;
} settle_values;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FILE", "write the scene there instead of to standard output",
     offsetof(settle_values, output), 0},
    {"tolerance", 0, CLI_NUMBER, "T", "share of gravity that may remain unbalanced (default 1e-6)",
     offsetof(settle_values, tolerance), 0},
    {"steps", 0, CLI_COUNT, "N", "most steps of relaxation (default 20000)", offsetof(settle_values, steps),
     STEPS_MOST},
    {"method", 0, CLI_TEXT, "M", "the method that relaxes (default engineering:integrator=implicit-euler)",
     offsetof(settle_values, choice.method), 0},
    {"set", 0, CLI_TEXTS, "KEY=VALUE", "a parameter of the scene or a field of that method; may be repeated",
     offsetof(settle_values, choice.set), 0},
    {"json", 0, CLI_FLAG, NULL, "one JSON object on standard output: whether it settled, and how well",
     offsetof(settle_values, json), 0},
};

static int write_scene(const ash_scene *scene, const settle_values *values)
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

static int print_json(const ash_scene *scene, const ashi_settlement *s)
{
    return cli_json_print(
        json_pack("{s:o, s:b, s:I, s:o, s:o, s:o, s:o, s:o}", "scene", cli_json_text(scene->name), "settled",
                  (int)s->settled, "steps", (json_int_t)s->steps, "acceleration_m_s2", cli_json_number(s->acceleration),
                  "allowed_m_s2", cli_json_number(s->allowed), "moved_m", cli_json_number(s->moved), "energy_before_J",
                  cli_json_number(s->energy_before), "energy_after_J", cli_json_number(s->energy_after)));
}

static void print_report(FILE *stream, const ash_scene *scene, const ashi_settlement *s)
{
    cli_put_text(stream, scene->name);
    fprintf(stream, ": in equilibrium after %u steps\n", (unsigned)s->steps);
    fprintf(stream, "  unbalanced %.3g m/s2 at most, %.3g allowed\n", s->acceleration, s->allowed);
    fprintf(stream, "  bodies moved by at most %.6g m; gravity and springs hold %.6g J, %.6g J before\n", s->moved,
            s->energy_after, s->energy_before);
}

static int settle_scene(ash_scene *scene, const ash_method *method, const settle_values *values)
{
    ashi_settlement settlement;
    ash_diagnostic diagnostic = {0};
    ash_status outcome = ashi_scene_settle(scene, method, values->tolerance, values->steps, &settlement, &diagnostic);
    if (outcome != ASH_OK && outcome != ASH_NUMERICS)
        return cli_report(&diagnostic);
    int status = CLI_DONE;
    if (outcome == ASH_OK)
        status = write_scene(scene, values);
    if (status == CLI_DONE && values->json)
        status = print_json(scene, &settlement);
    else if (status == CLI_DONE && outcome == ASH_OK)
        print_report(values->output != NULL ? stdout : stderr, scene, &settlement);
    if (outcome == ASH_OK)
        return status;
    cli_report(&diagnostic);
    return CLI_CHECK_FAILED;
}

static int settle(int argc, char **argv)
{
    settle_values values = {.tolerance = 1e-6, .steps = 20000};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_settle, argc, argv, &values, &operand_count, &status))
        return status;
    ash_scene *scene = NULL;
    ash_method method;
    const char *by = values.choice.method != NULL ? values.choice.method : "engineering:integrator=implicit-euler";
    values.choice.method = NULL; /* the scene keeps its own */
    status = cli_method_read(by, argv[0], &values.choice, &method);
    if (status == CLI_DONE)
        status = cli_choice_open(argv[0], &values.choice, &scene);
    if (status == CLI_DONE)
        status = settle_scene(scene, &method, &values);
    ash_scene_destroy(scene);
    cli_options_release(cli_settle.options, cli_settle.option_count, &values);
    return status;
}

const cli_command cli_settle = {
    .name = "settle",
    .summary = "find the static equilibrium of a scene and write it with its bodies there",
    .operands = "SCENE",
    .operands_least = 1,
    .operands_most = 1,
    .about =
        "Lets the bodies of SCENE, a built-in name or a file, come to rest under gravity, springs, loads, joints and\n"
        "contacts, and writes the scene with their places and without velocities: a start state, such as a net\n"
        "that sags already. It does not follow the motion in time; where friction allows many equilibria, one\n"
        "that is near is found. When there is none, says what still moves, writes nothing, and exits with 1.\n"
        "The report is on standard output, or on standard error when the scene is there.",
    .examples = "  ashlar settle my-net.json -o sagging.json\n"
                "  ashlar settle chain-2d --tolerance 1e-8 --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = settle,
};
