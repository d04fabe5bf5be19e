/* The registry of built-in scenes, and how their parameters are read from text.
 *
 * A parameter is a number within its range or one of its words; what is not given has its default, so that every scene
 * can be built without settings. */
#include "experiments/builtin.h"

#include "base/diagnostic.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static const struct {
    const ashi_builtin *scene;
    ash_scene_group group;
} registry[] = {
    {&ashi_scene_free_fall, ASH_SCENE_TUTORIAL},
    {&ashi_scene_oscillator, ASH_SCENE_TUTORIAL},
    {&ashi_scene_inertia, ASH_SCENE_REFERENCE},
    {&ashi_scene_tumbling_box, ASH_SCENE_REFERENCE},
    {&ashi_scene_string, ASH_SCENE_PAPER},
    {&ashi_scene_stiff_string, ASH_SCENE_PAPER},
    {&ashi_scene_net, ASH_SCENE_PAPER},
    {&ashi_scene_tennis_ball, ASH_SCENE_PAPER},
    {&ashi_scene_collide_pairs, ASH_SCENE_REFERENCE},
    {&ashi_scene_collide_flat, ASH_SCENE_PAPER},
    {&ashi_scene_stack_20, ASH_SCENE_STACK},
    {&ashi_scene_box_stack, ASH_SCENE_STACK},
    {&ashi_scene_wall, ASH_SCENE_STACK},
    {&ashi_scene_tower, ASH_SCENE_STACK},
    {&ashi_scene_ball_grid, ASH_SCENE_STACK},
    {&ashi_scene_stick_slip, ASH_SCENE_REFERENCE},
    {&ashi_scene_rolling_balls, ASH_SCENE_REFERENCE},
    {&ashi_scene_incline, ASH_SCENE_TUTORIAL},
    {&ashi_scene_conveyor, ASH_SCENE_TUTORIAL},
    {&ashi_scene_rolling_resistance, ASH_SCENE_TUTORIAL},
    {&ashi_scene_pile, ASH_SCENE_STACK},
    {&ashi_scene_cow_pile, ASH_SCENE_STACK},
    {&ashi_scene_letters, ASH_SCENE_STACK},
    {&ashi_scene_friction_directions, ASH_SCENE_PAPER},
    {&ashi_scene_friction_ellipse, ASH_SCENE_PAPER},
    {&ashi_scene_bounce, ASH_SCENE_TUTORIAL},
    {&ashi_scene_slide_bounce, ASH_SCENE_TUTORIAL},
    {&ashi_scene_rod_impact, ASH_SCENE_REFERENCE},
    {&ashi_scene_cradle, ASH_SCENE_REFERENCE},
    {&ashi_scene_four_feet, ASH_SCENE_PAPER},
    {&ashi_scene_blocks, ASH_SCENE_STACK},
    {&ashi_scene_seesaw, ASH_SCENE_MACHINE},
    {&ashi_scene_chain_2d, ASH_SCENE_PAPER},
    {&ashi_scene_slider_2d, ASH_SCENE_PAPER},
    {&ashi_scene_driver_2d, ASH_SCENE_MACHINE},
    {&ashi_scene_truck_2d, ASH_SCENE_MACHINE},
    {&ashi_scene_ragdoll_2d, ASH_SCENE_MACHINE},
    {&ashi_scene_combinations[0], ASH_SCENE_PAPER},
    {&ashi_scene_combinations[1], ASH_SCENE_PAPER},
    {&ashi_scene_combinations[2], ASH_SCENE_PAPER},
    {&ashi_scene_combinations[3], ASH_SCENE_PAPER},
    {&ashi_scene_combinations[4], ASH_SCENE_PAPER},
    {&ashi_scene_combinations[5], ASH_SCENE_PAPER},
    {&ashi_scene_combinations[6], ASH_SCENE_PAPER},
    {&ashi_scene_combinations[7], ASH_SCENE_PAPER},
    {&ashi_scene_combinations[8], ASH_SCENE_PAPER},
    {&ashi_scene_combinations[9], ASH_SCENE_PAPER},
    {&ashi_scene_combinations[10], ASH_SCENE_PAPER},
    {&ashi_scene_combinations[11], ASH_SCENE_PAPER},
    {&ashi_scene_combinations[12], ASH_SCENE_PAPER},
    {&ashi_scene_combinations[13], ASH_SCENE_PAPER},
    {&ashi_scene_combinations[14], ASH_SCENE_PAPER},
    {&ashi_scene_hydraulic, ASH_SCENE_MACHINE},
    {&ashi_scene_chain, ASH_SCENE_PAPER},
    {&ashi_scene_ladder, ASH_SCENE_PAPER},
    {&ashi_scene_refine, ASH_SCENE_PAPER},
    {&ashi_scene_assembly, ASH_SCENE_PAPER},
    {&ashi_scene_frictionless_pile, ASH_SCENE_STACK},
    {&ashi_scene_tree, ASH_SCENE_PAPER},
    {&ashi_scene_star, ASH_SCENE_PAPER},
    {&ashi_scene_car, ASH_SCENE_MACHINE},
    {&ashi_scene_walker, ASH_SCENE_MACHINE},
    {&ashi_scene_iftomm_pendulum, ASH_SCENE_REFERENCE},
    {&ashi_scene_iftomm_four_bar, ASH_SCENE_REFERENCE},
    {&ashi_scene_andrews, ASH_SCENE_REFERENCE},
    {&ashi_scene_heavy_top, ASH_SCENE_REFERENCE},
    {&ashi_scene_heavy_chain, ASH_SCENE_REFERENCE},
    {&ashi_scene_pendulum_bob, ASH_SCENE_TUTORIAL},
    {&ashi_scene_roof_tower, ASH_SCENE_STACK},
    {&ashi_scene_falling_roof, ASH_SCENE_STACK},
    {&ashi_scene_silo, ASH_SCENE_STACK},
    {&ashi_scene_box_pile, ASH_SCENE_STACK},
    {&ashi_scene_pyramid_2d, ASH_SCENE_STACK},
    {&ashi_scene_pile_2d, ASH_SCENE_STACK},
};
enum { REGISTERED = sizeof registry / sizeof *registry, MOST_PARAMETERS = 16 };

uint32_t ash_builtin_count(void)
{
    return REGISTERED;
}

ash_builtin_info ash_builtin_get(uint32_t index)
{
    if (index >= REGISTERED)
        return (ash_builtin_info){.name = "", .summary = "", .source = ""};
    ash_builtin_info info = registry[index].scene->info;
    info.group = registry[index].group;
    return info;
}

const char *ash_scene_group_name(ash_scene_group group)
{
    static const char *const names[ASH_SCENE_GROUPS] = {"tutorials", "reference problems", "machines",
                                                        "stacks and piles", "papers"};
    return group < ASH_SCENE_GROUPS ? names[group] : "";
}

const ashi_builtin *ashi_builtin_find(const char *name)
{
    for (uint32_t i = 0; name && i < REGISTERED; ++i)
        if (strcmp(registry[i].scene->info.name, name) == 0)
            return registry[i].scene;
    return NULL;
}

/* The number of the parameter of that name, or `count`. */
static uint32_t parameter_number(const ash_scene_parameter *table, uint32_t count, const char *name)
{
    uint32_t i = 0;
    while (i < count && strcmp(table[i].name, name) != 0)
        ++i;
    return i;
}

double ashi_parameter(const ashi_parameters *parameters, const char *name)
{
    uint32_t i = parameter_number(parameters->table, parameters->count, name);
    return i < parameters->count ? parameters->numbers[i] : (double)NAN;
}

uint32_t ashi_parameter_choice(const ashi_parameters *parameters, const char *name)
{
    uint32_t i = parameter_number(parameters->table, parameters->count, name);
    return i < parameters->count ? parameters->choices[i] : 0;
}

ash_status ashi_parameter_whole(const ashi_parameters *parameters, const char *name, uint32_t *value,
                                ash_diagnostic *diagnostic)
{
    double number = ashi_parameter(parameters, name);
    if (!(number >= 0 && number <= UINT32_MAX && number == floor(number))) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "scene.parameter", "%s = %.17g is not a whole number", name, number);
        return ashi_expect(diagnostic, "a whole number");
    }
    *value = (uint32_t)number;
    return ASH_OK;
}

/* The number of `word` in "a|b|c", or -1. */
static int word_number(const char *choices, const char *word)
{
    size_t length = strlen(word);
    int number = 0;
    for (const char *choice = choices;; ++number) {
        const char *end = strchr(choice, '|');
        size_t size = end ? (size_t)(end - choice) : strlen(choice);
        if (size == length && strncmp(choice, word, size) == 0)
            return number;
        if (!end)
            return -1;
        choice = end + 1;
    }
}

static ash_status read_parameter(const ash_scene_parameter *parameter, const char *value, double *number,
                                 uint32_t *choice, ash_diagnostic *diagnostic)
{
    if (parameter->choices) {
        int word = word_number(parameter->choices, value);
        if (word < 0) {
            ashi_fail(diagnostic, ASH_BAD_DATA, "scene.parameter", "%s = \"%s\" is not a choice", parameter->name,
                      value);
            return ashi_expect(diagnostic, "one of %s", parameter->choices);
        }
        *choice = (uint32_t)word;
        return ASH_OK;
    }
    if (!ashi_parse_number(value, number)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "scene.parameter", "%s = \"%s\" is not a number", parameter->name, value);
        return ashi_expect(diagnostic, "a number from %g to %g", parameter->low, parameter->high);
    }
    if (*number < parameter->low || *number > parameter->high) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "scene.parameter", "%s = %s is out of range", parameter->name, value);
        return ashi_expect(diagnostic, "a number from %g to %g", parameter->low, parameter->high);
    }
    return ASH_OK;
}

static ash_status unknown_parameter(const ash_builtin_info *info, const char *key, ash_diagnostic *diagnostic)
{
    const char *names[MOST_PARAMETERS];
    char hint[80];
    for (uint32_t i = 0; i < info->parameter_count; ++i)
        names[i] = info->parameters[i].name;
    return ashi_fail(diagnostic, ASH_NOT_FOUND, "scene.unknown-parameter", "scene %s has no parameter \"%s\"%s",
                     info->name, key, ashi_did_you_mean(key, names, info->parameter_count, hint, sizeof hint));
}

ash_status ashi_parameters_read(const ash_builtin_info *info, const ash_setting *settings, uint32_t setting_count,
                                bool *taken, ashi_parameters *parameters, ash_diagnostic *diagnostic)
{
    *parameters = (ashi_parameters){.table = info->parameters, .count = info->parameter_count};
    for (uint32_t i = 0; i < info->parameter_count; ++i) {
        const ash_scene_parameter *parameter = &info->parameters[i];
        parameters->numbers[i] = parameter->value;
        if (parameter->choices)
            parameters->choices[i] = (uint32_t)word_number(parameter->choices, parameter->choice_value);
    }
    for (uint32_t i = 0; i < setting_count; ++i) {
        uint32_t number = parameter_number(info->parameters, info->parameter_count, settings[i].key);
        bool known = number < info->parameter_count;
        if (taken)
            taken[i] = known;
        else if (!known)
            return unknown_parameter(info, settings[i].key, diagnostic);
        if (!known)
            continue;
        ash_status status = read_parameter(&info->parameters[number], settings[i].value, &parameters->numbers[number],
                                           &parameters->choices[number], diagnostic);
        if (status != ASH_OK)
            return status;
    }
    return ASH_OK;
}

ash_status ashi_builtin_build(const ashi_builtin *builtin, const ashi_parameters *parameters, ash_scene **scene,
                              ash_diagnostic *diagnostic)
{
    ash_scene *built = NULL;
    *scene = NULL;
    ash_status status = ashi_scene_create(builtin->info.name, &built, diagnostic);
    if (status != ASH_OK)
        return status;
    built->summary = ashi_scene_text(built, "%s", builtin->info.summary);
    status = built->summary ? builtin->build(built, parameters, diagnostic) : ashi_out_of_memory(diagnostic);
    if (status == ASH_OK)
        status = ashi_scene_finish(built, diagnostic);
    if (status != ASH_OK) {
        ash_scene_destroy(built);
        return status;
    }
    *scene = built;
    return ASH_OK;
}
