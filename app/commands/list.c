/* ashlar list: what there is to run, and what each scene takes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/document.h"
#include "app/cli/message.h"
#include "app/cli/table.h"
#include "app/commands/paper_list.h"
#include "scene/description/keys.h"

typedef struct list_values {
    bool json, markdown;
    const char *paper;
} list_values;

static const cli_option options[] = {
    {"paper", 0, CLI_TEXT, "NAME", "what a paper describes and the commands that show it", offsetof(list_values, paper),
     0},
    {"json", 0, CLI_FLAG, NULL, "one JSON object instead of text", offsetof(list_values, json), 0},
    {"markdown", 0, CLI_FLAG, NULL, "a paper as Markdown", offsetof(list_values, markdown), 0},
};

static void heading(const char *text)
{
    printf("%s%s%s\n", cli_style_begin(stdout, CLI_BOLD), text, cli_style_end(stdout));
}

static int print_and_release(cli_table *table)
{
    table->indent = 2;
    bool printed = cli_table_print(table, stdout, cli_width(stdout));
    cli_table_release(table);
    if (!printed)
        cli_error("out of memory");
    return printed ? CLI_DONE : CLI_BAD_INPUT;
}

static json_t *parameters_json(const ash_builtin_info *info)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const ash_scene_parameter *parameter = &info->parameters[i];
        json_t *entry = json_pack("{s:s, s:s}", "name", parameter->name, "summary", parameter->summary);
        if (parameter->choices != NULL) {
            cli_json_set(entry, "default", cli_json_text(parameter->choice_value));
            cli_json_set(entry, "choices", cli_json_text(parameter->choices));
        } else {
            cli_json_set(entry, "default", cli_json_number(parameter->value));
            cli_json_set(entry, "low", cli_json_number(parameter->low));
            cli_json_set(entry, "high", cli_json_number(parameter->high));
        }
        cli_json_append(list, entry);
    }
    return list;
}

static json_t *builtin_json(const ash_builtin_info *info)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", info->name, "summary", info->summary, "source", info->source,
                     "group", ash_scene_group_name(info->group), "parameters", parameters_json(info));
}

static json_t *fields_json(void)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < ash_method_field_count(); i++)
        cli_json_append(
            list, json_pack("{s:s, s:s}", "name", ash_method_field_name(i), "summary", ash_method_field_summary(i)));
    return list;
}

static json_t *words_json(ashi_words words)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < words.count; i++)
        cli_json_append(list, json_string(words.list[i]));
    return list;
}

static json_t *key_json(const ashi_key *key)
{
    static const char *const ranges[] = {"any", "not-negative", "positive", "zero-to-one"};
    json_t *object = json_pack("{s:s, s:s, s:s, s:s}", "name", key->name, "type", ashi_value_type_name(key->type),
                               "summary", key->summary, "left_out", key->usual);
    if (key->type == ASHI_VALUE_NUMBER)
        cli_json_set(object, "range", json_string(ranges[key->range]));
    if (key->words != NULL)
        cli_json_set(object, "words", words_json(key->words()));
    if (key->schema != NULL)
        cli_json_set(object, "schema", json_string(key->schema));
    return object;
}

/* The keys of scene files; tools/keys makes the schema and the tables of docs/scene-file.md of them. */
static json_t *scene_keys_json(void)
{
    json_t *tables = json_object();
    for (int i = 0; i < ASHI_TABLES; i++) {
        const ashi_key_table *table = ashi_key_table_of((ashi_table)i);
        json_t *keys = json_array();
        for (uint32_t k = 0; k < table->count; k++)
            cli_json_append(keys, key_json(&table->keys[k]));
        cli_json_set(tables, table->name, json_pack("{s:s, s:o}", "summary", table->summary, "keys", keys));
    }
    return tables;
}

static int list_all_json(void)
{
    json_t *scenes = json_array(), *methods = json_array(), *integrators = json_array();
    for (uint32_t i = 0; i < ash_builtin_count(); i++) {
        ash_builtin_info info = ash_builtin_get(i);
        cli_json_append(scenes, builtin_json(&info));
    }
    for (uint32_t i = 0; i < ash_method_count(); i++)
        cli_json_append(methods, json_pack("{s:s, s:s}", "name", ash_method_name(i), "summary", ash_method_summary(i)));
    for (int i = 0; i < ASH_INTEGRATORS; i++)
        cli_json_append(integrators, json_string(ash_integrator_name((ash_integrator)i)));
    json_t *joints = json_array();
    for (int i = 0; i < ASH_JOINT_KINDS; i++)
        cli_json_append(joints, json_string(ash_joint_kind_name((ash_joint_kind)i)));
    return cli_json_print(json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "scenes", scenes, "methods", methods,
                                    "integrators", integrators, "joint_kinds", joints, "method_fields", fields_json(),
                                    "scene_keys", scene_keys_json()));
}

/* What scene files may join bodies by. */
static void list_joint_kinds(void)
{
    char text[512] = "";
    for (int i = 0; i < ASH_JOINT_KINDS; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? ", " : "", ash_joint_kind_name((ash_joint_kind)i));
    }
    putchar('\n');
    heading("Kinds of joints");
    printf("  ");
    cli_put_wrapped(stdout, text, 2, cli_width(stdout));
    putchar('\n');
}

static int list_group(ash_scene_group group)
{
    char title[48];
    snprintf(title, sizeof title, "Scenes: %s", ash_scene_group_name(group));
    heading(title);
    cli_table scenes = cli_table_begin("ll", false);
    for (uint32_t i = 0; i < ash_builtin_count(); i++) {
        ash_builtin_info info = ash_builtin_get(i);
        if (info.group != group)
            continue;
        cli_table_cell(&scenes, "%s", info.name);
        cli_table_cell(&scenes, "%s", info.summary);
    }
    return print_and_release(&scenes);
}

static int list_all(void)
{
    int status = CLI_DONE;
    for (int group = 0; group < ASH_SCENE_GROUPS && status == CLI_DONE; group++) {
        status = list_group((ash_scene_group)group);
        putchar('\n');
    }
    if (status != CLI_DONE)
        return status;
    heading("Methods");
    cli_table methods = cli_table_begin("ll", false);
    for (uint32_t i = 0; i < ash_method_count(); i++) {
        cli_table_cell(&methods, "%s", ash_method_name(i));
        cli_table_cell(&methods, "%s", ash_method_summary(i));
    }
    status = print_and_release(&methods);
    list_joint_kinds();
    printf("\n\"ashlar list SCENE\" shows the settings of a scene. An integrator's name is also a method.\n");
    return status;
}

/* What the parameter's number can be. */
static void put_range(cli_table *table, const ash_scene_parameter *parameter)
{
    bool low = isfinite(parameter->low), high = isfinite(parameter->high);
    if (low && high)
        cli_table_cell(table, "%.6g to %.6g", parameter->low, parameter->high);
    else if (low)
        cli_table_cell(table, "from %.6g", parameter->low);
    else if (high)
        cli_table_cell(table, "to %.6g", parameter->high);
    else
        cli_table_cell(table, "any number");
}

static int list_parameters(const ash_builtin_info *info)
{
    cli_table table = cli_table_begin("llll", true);
    cli_table_cell(&table, "parameter");
    cli_table_cell(&table, "default");
    cli_table_cell(&table, "range");
    cli_table_cell(&table, "meaning");
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const ash_scene_parameter *parameter = &info->parameters[i];
        cli_table_cell(&table, "%s", parameter->name);
        if (parameter->choices != NULL) {
            cli_table_cell(&table, "%s", parameter->choice_value);
            cli_table_cell(&table, "%s", parameter->choices[0] != 0 ? parameter->choices : "any word");
        } else {
            cli_table_cell(&table, "%.6g", parameter->value);
            put_range(&table, parameter);
        }
        cli_table_cell(&table, "%s", parameter->summary);
    }
    return print_and_release(&table);
}

static int list_method_fields(const ash_method *method)
{
    char value[64];
    cli_table table = cli_table_begin("lll", true);
    cli_table_cell(&table, "method field");
    cli_table_cell(&table, "here");
    cli_table_cell(&table, "takes");
    for (uint32_t i = 0; i < ash_method_field_count(); i++) {
        const char *name = ash_method_field_name(i);
        cli_table_cell(&table, "%s", name);
        cli_table_cell(&table, "%s", ash_method_get(method, name, value, sizeof value));
        cli_table_cell(&table, "%s", ash_method_field_summary(i));
    }
    return print_and_release(&table);
}

/* The settings of the run itself, which every scene takes. */
static int list_run_settings(const ash_scene *scene)
{
    cli_table table = cli_table_begin("lll", true);
    cli_table_cell(&table, "run");
    cli_table_cell(&table, "here");
    cli_table_cell(&table, "meaning");
    cli_table_cell(&table, "step");
    cli_table_number(&table, scene->step);
    cli_table_cell(&table, "length of a step, s");
    cli_table_cell(&table, "time");
    cli_table_number(&table, scene->time);
    cli_table_cell(&table, "length of the run, s");
    cli_table_cell(&table, "sample");
    cli_table_number(&table, scene->sample_interval);
    cli_table_cell(&table, "time between samples of the outputs, s; 0: every step");
    return print_and_release(&table);
}

static int list_outputs(const ash_scene *scene)
{
    cli_table table = cli_table_begin("lll", true);
    cli_table_cell(&table, "output");
    cli_table_cell(&table, "unit");
    cli_table_cell(&table, "quantity");
    for (uint32_t i = 0; i < scene->outputs.count; i++) {
        const ashi_scene_output *output = &scene->outputs.data[i];
        const char *component = ashi_quantity_has_freedom(output->quantity) ? ashi_freedom_words().list[output->freedom]
                                : output->component != ASHI_SCALAR          ? ashi_component_name(output->component)
                                                                            : "";
        cli_table_cell(&table, "%s", output->name);
        cli_table_cell(&table, "%s", ashi_output_unit(output));
        cli_table_cell(&table, "%s%s%s", ashi_quantity_name(output->quantity), component[0] != 0 ? ", " : "",
                       component);
    }
    return print_and_release(&table);
}

static int list_checks(const ash_scene *scene)
{
    cli_table table = cli_table_begin("lll", true);
    cli_table_cell(&table, "check");
    cli_table_cell(&table, "of output");
    cli_table_cell(&table, "expected");
    for (uint32_t i = 0; i < scene->checks.count; i++) {
        const ashi_scene_check *check = &scene->checks.data[i];
        cli_table_cell(&table, "%s", check->name);
        cli_table_cell(&table, "%s", scene->outputs.data[check->output].name);
        char times[64] = "";
        if (check->until > 0)
            snprintf(times, sizeof times, ", from %g to %g s", check->from, check->until);
        else if (check->from > 0)
            snprintf(times, sizeof times, ", from %g s on", check->from);
        cli_table_cell(&table, "%s %.6g within %.3g%s", ashi_reduction_name(check->reduction), check->expected,
                       check->tolerance, times);
    }
    return print_and_release(&table);
}

static int describe(const ash_scene *scene, const ash_builtin_info *info)
{
    char text[256];
    ash_method method = ash_scene_get_method(scene);
    printf("%s%s%s: %s\n", cli_style_begin(stdout, CLI_BOLD), scene->name, cli_style_end(stdout), scene->summary);
    if (info->source[0] != 0)
        printf("source: %s\n", info->source);
    printf("method: %s\n", cli_method_text(&method, text, sizeof text));
    printf("\n--set takes:\n");
    int status = CLI_DONE;
    if (info->parameter_count > 0) {
        status = list_parameters(info);
        putchar('\n');
    }
    if (status == CLI_DONE)
        status = list_method_fields(&method);
    putchar('\n');
    if (status == CLI_DONE)
        status = list_run_settings(scene);
    if (status == CLI_DONE && scene->outputs.count > 0) {
        printf("\n--plot takes:\n");
        status = list_outputs(scene);
    }
    if (status == CLI_DONE && scene->checks.count > 0) {
        printf("\n--check looks at:\n");
        status = list_checks(scene);
    }
    return status;
}

static json_t *method_json(const ash_method *method)
{
    char value[64];
    json_t *object = json_pack("{s:s}", "name", method->name);
    for (uint32_t i = 0; i < ash_method_field_count(); i++) {
        const char *name = ash_method_field_name(i);
        cli_json_set(object, name, cli_json_text(ash_method_get(method, name, value, sizeof value)));
    }
    return object;
}

static int describe_json(const ash_scene *scene, const ash_builtin_info *info)
{
    json_t *outputs = json_array(), *checks = json_array();
    for (uint32_t i = 0; i < scene->outputs.count; i++) {
        const ashi_scene_output *output = &scene->outputs.data[i];
        cli_json_append(outputs, json_pack("{s:s, s:s, s:s}", "name", output->name, "unit", ashi_output_unit(output),
                                           "quantity", ashi_quantity_name(output->quantity)));
    }
    for (uint32_t i = 0; i < scene->checks.count; i++) {
        const ashi_scene_check *check = &scene->checks.data[i];
        cli_json_append(checks, json_pack("{s:s, s:s, s:s, s:f, s:f}", "name", check->name, "output",
                                          scene->outputs.data[check->output].name, "reduction",
                                          ashi_reduction_name(check->reduction), "expected", check->expected,
                                          "tolerance", check->tolerance));
    }
    ash_method method = ash_scene_get_method(scene);
    json_t *document = json_pack("{s:s, s:s, s:o, s:f, s:f, s:o, s:o, s:o}", "name", scene->name, "summary",
                                 scene->summary, "method", method_json(&method), "step", scene->step, "time",
                                 scene->time, "method_fields", fields_json(), "outputs", outputs, "checks", checks);
    if (info->source[0] != 0)
        cli_json_set(document, "source", json_string(info->source));
    cli_json_set(document, "parameters", parameters_json(info));
    return cli_json_print(document);
}

static int list_scene(const char *name, bool json)
{
    ash_scene *scene = NULL;
    ash_builtin_info info;
    bool builtin = cli_builtin_find(name, &info);
    int status = cli_choice_open(name, &(cli_choice){0}, &scene);
    if (status != CLI_DONE)
        return status;
    if (!builtin)
        info = (ash_builtin_info){
            .source = "", .parameters = scene->parameters.data, .parameter_count = scene->parameters.count};
    status = json ? describe_json(scene, &info) : describe(scene, &info);
    ash_scene_destroy(scene);
    return status;
}

static int list(int argc, char **argv)
{
    list_values values = {0};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_list, argc, argv, &values, &operand_count, &status))
        return status;
    if (values.json && values.markdown) {
        cli_error("list: --json and --markdown exclude each other");
        return CLI_BAD_INPUT;
    }
    if (operand_count > 0 ? values.paper != NULL || values.markdown : values.paper == NULL && values.markdown) {
        cli_error("list: --markdown is for --paper, which takes no SCENE");
        return CLI_BAD_INPUT;
    }
    if (values.paper != NULL)
        return cli_list_paper(values.paper, values.json, values.markdown);
    if (operand_count > 0)
        return list_scene(argv[0], values.json);
    return values.json ? list_all_json() : list_all();
}

const cli_command cli_list = {
    .name = "list",
    .summary = "the built-in scenes and methods; what a scene takes",
    .operands = "[SCENE]",
    .operands_most = 1,
    .about =
        "Lists the built-in scenes by groups and the methods, a line each, and the kinds of joints. With a SCENE,\n"
        "which is a built-in name or a .json or .urdf file, shows what it takes and gives: its parameters with\n"
        "default and range, the fields of methods, its outputs and its checks. With --paper, every algorithm,\n"
        "table and figure of gribel-2009, dejong-2014, faure, bender-schmitt-2006 or erleben-2007, its scenes\n"
        "and methods, and the command that shows each.",
    .examples = "  ashlar list\n"
                "  ashlar list string\n"
                "  ashlar list --paper erleben-2007\n"
                "  ashlar list --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = list,
};
