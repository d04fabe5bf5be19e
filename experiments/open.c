/* Opening scenes: built-in ones by name, files by path, each with settings. A setting is taken by the first of these
 * that knows its key: the scene's parameters, the method's fields, and the run's own numbers (step, time, sample). */
#include "base/alloc.h"
#include "base/diagnostic.h"
#include "base/text.h"
#include "experiments/builtin.h"
#include "scene/description/names.h"
#include "scene/file/expand.h"
#include "scene/file/file.h"
#include "scene/import/import.h"

#include <string.h>

static const char *const run_keys[] = {"step", "time", "sample", "accuracy"};
enum { RUN_KEYS = sizeof run_keys / sizeof *run_keys };

/* A robot file takes settings of its own. */
static ash_status open_robot(const char *text, size_t size, const char *path, const ashi_given *given,
                             ash_scene **scene, ash_diagnostic *diagnostic)
{
    ashi_import_options options = {0};
    for (uint32_t i = 0; i < given->count; i++) {
        ash_status status = ashi_import_set(&options, given->settings[i].key, given->settings[i].value, diagnostic);
        if (status != ASH_OK && status != ASH_NOT_FOUND)
            return status;
        given->taken[i] = status == ASH_OK;
    }
    return ashi_import(text, size, path, &options, scene, diagnostic);
}

static ash_status open_file(const char *path, const ashi_given *given, ash_scene **scene, ash_diagnostic *diagnostic)
{
    char *text = NULL;
    size_t size = 0;
    ash_status status = ashi_read_file(path, &text, &size, diagnostic);
    if (status != ASH_OK && diagnostic != NULL && strcmp(diagnostic->code, "file.directory") == 0)
        ashi_expect(diagnostic, "a scene file; \"ashlar run --out\" writes one to scene.json in its directory");
    if (status != ASH_OK)
        return status;
    const ashi_expansion expansion = {.given = *given, .path = path};
    status = ashi_import_is_xml(text, size)
                 ? open_robot(text, size, path, given, scene, diagnostic)
                 : ashi_scene_parse_expanded(text, size, path, &expansion, scene, diagnostic);
    ashi_dealloc(text);
    return status;
}

/* Any name that is no built-in scene's is a path when it looks like one, or when there is such a file. */
static bool is_path(const char *name)
{
    static const char *const endings[] = {".json", ".urdf", ".xml"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length >= strlen(endings[i]) && strcmp(name + length - strlen(endings[i]), endings[i]) == 0)
            return true;
    return strchr(name, '/') != NULL || ashi_file_exists(name);
}

static ash_status unknown_scene(const char *name, ash_diagnostic *diagnostic)
{
    char hint[96];
    uint32_t count = ash_builtin_count();
    const char **names = ashi_alloc_array(count, sizeof *names);
    if (names == NULL)
        return ashi_out_of_memory(diagnostic);
    for (uint32_t i = 0; i < count; i++)
        names[i] = ash_builtin_get(i).name;
    ashi_fail(diagnostic, ASH_NOT_FOUND, "scene.unknown", "there is no built-in scene and no file \"%.100s\"%s", name,
              ashi_did_you_mean(name, names, count, hint, sizeof hint));
    ashi_expect(diagnostic, "a name that \"ashlar list\" shows, or a scene file (.json) or robot file (.urdf)");
    ashi_dealloc(names);
    return ASH_NOT_FOUND;
}

static ash_status set_run_number(ash_scene *scene, const ash_setting *setting, ash_diagnostic *diagnostic)
{
    bool may_be_zero = strcmp(setting->key, "sample") == 0 || strcmp(setting->key, "accuracy") == 0;
    double number;
    if (!ashi_parse_number(setting->value, &number) || number < 0 || (number == 0 && !may_be_zero)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "setting.value", "%s cannot be \"%.100s\"", setting->key, setting->value);
        return ashi_expect(diagnostic, may_be_zero ? "a number, 0 or more" : "a number of seconds above 0");
    }
    if (strcmp(setting->key, "step") == 0)
        scene->step = number;
    else if (strcmp(setting->key, "time") == 0)
        scene->time = number;
    else if (strcmp(setting->key, "sample") == 0)
        scene->sample_interval = number;
    else
        scene->accuracy = number;
    return ASH_OK;
}

static ash_status unknown_key(const ash_builtin_info *info, const char *key, ash_diagnostic *diagnostic)
{
    uint32_t fields = ash_method_field_count(), count = 0;
    const char **keys = ashi_alloc_array((size_t)info->parameter_count + fields + RUN_KEYS, sizeof *keys);
    if (keys == NULL)
        return ashi_out_of_memory(diagnostic);
    for (uint32_t i = 0; i < info->parameter_count; i++)
        keys[count++] = info->parameters[i].name;
    for (uint32_t i = 0; i < RUN_KEYS; i++)
        keys[count++] = run_keys[i];
    for (uint32_t i = 0; i < fields; i++)
        keys[count++] = ash_method_field_name(i);
    char hint[96], list[256];
    ashi_fail(diagnostic, ASH_NOT_FOUND, "setting.unknown", "there is nothing called \"%.100s\" to set%s", key,
              ashi_did_you_mean(key, keys, count, hint, sizeof hint));
    ashi_expect(diagnostic, "%s", ashi_words_text((ashi_words){keys, count}, list, sizeof list));
    ashi_dealloc(keys);
    return ASH_NOT_FOUND;
}

/* What the scene's parameters left. */
static ash_status apply_setting(ash_scene *scene, const ash_builtin_info *info, const ash_setting *setting,
                                ash_diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < ash_method_field_count(); i++)
        if (strcmp(ash_method_field_name(i), setting->key) == 0)
            return ash_method_set(&scene->method, setting->key, setting->value, diagnostic);
    if (ashi_word_find((ashi_words){run_keys, RUN_KEYS}, setting->key) != ASHI_NONE)
        return set_run_number(scene, setting, diagnostic);
    return unknown_key(info, setting->key, diagnostic);
}

static ash_status open_with(const char *name, const ash_setting *settings, uint32_t count, bool *taken,
                            ash_scene **scene, ash_diagnostic *diagnostic)
{
    ash_builtin_info own = {.name = name};
    const ash_builtin_info *info = &own;
    const ashi_builtin *builtin = ashi_builtin_find(name);
    ash_status status;
    if (builtin == NULL) {
        if (!is_path(name))
            return unknown_scene(name, diagnostic);
        memset(taken, 0, count * sizeof *taken);
        const ashi_given given = {.settings = settings, .count = count, .taken = taken};
        status = open_file(name, &given, scene, diagnostic);
        if (status == ASH_OK) {
            own.parameters = (*scene)->parameters.data;
            own.parameter_count = (*scene)->parameters.count;
        }
    } else {
        ashi_parameters parameters;
        info = &builtin->info;
        status = ashi_parameters_read(info, settings, count, taken, &parameters, diagnostic);
        if (status == ASH_OK)
            status = ashi_builtin_build(builtin, &parameters, scene, diagnostic);
    }
    for (uint32_t i = 0; i < count && status == ASH_OK; i++)
        if (!taken[i])
            status = apply_setting(*scene, info, &settings[i], diagnostic);
    return status;
}

ash_status ash_scene_open(const char *name_or_path, const ash_setting *settings, uint32_t setting_count,
                          ash_scene **scene, ash_diagnostic *diagnostic)
{
    if (name_or_path == NULL || scene == NULL || (settings == NULL && setting_count > 0))
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "scene.null",
                         "a name, settings or a place for the scene is null");
    *scene = NULL;
    for (uint32_t i = 0; i < setting_count; i++)
        if (settings[i].key == NULL || settings[i].value == NULL)
            return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "setting.null", "setting %u has no key or no value", i);
    bool *taken = ashi_alloc_zeroed(setting_count * sizeof *taken);
    if (taken == NULL)
        return ashi_out_of_memory(diagnostic);
    ash_status status = open_with(name_or_path, settings, setting_count, taken, scene, diagnostic);
    ashi_dealloc(taken);
    if (status != ASH_OK) {
        ash_scene_destroy(*scene);
        *scene = NULL;
    }
    return status;
}
