/* Settings are parameters of the scene or fields of its method. The library sorts them when it opens a scene; a method
 * chosen by name comes after that, so the fields among the settings are then applied again, to it. */
#define _POSIX_C_SOURCE 200809L
#include "app/cli/choice.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "app/cli/command.h"
#include "app/cli/message.h"
#include "scene/description/description.h"

bool cli_builtin_find(const char *name, ash_builtin_info *info)
{
    for (uint32_t i = 0; i < ash_builtin_count(); i++) {
        *info = ash_builtin_get(i);
        if (strcmp(info->name, name) == 0)
            return true;
    }
    return false;
}

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

bool cli_is_hdf5(const char *path)
{
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    char begin[8];
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return false; /* what is read from a pipe is gone */
    FILE *file = fopen(path, "rb");
    bool same = file != NULL && fread(begin, 1, 8, file) == 8 && memcmp(begin, signature, 8) == 0;
    if (file != NULL)
        fclose(file);
    return same || ends_in(path, ".h5");
}

bool cli_is_recording(const char *name)
{
    ash_builtin_info info;
    struct stat about;
    bool folder = stat(name, &about) == 0 && S_ISDIR(about.st_mode);
    return !cli_builtin_find(name, &info) && (folder || cli_is_hdf5(name));
}

/* A copy of "key=value" cut at the '='; null, and told, when it has not that form. */
static char *cut_setting(const char *text, const char *where, ash_setting *setting)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == 0) {
        cli_error("%s \"%s\": expected KEY=VALUE, such as integrator=rk4", where, text);
        return NULL;
    }
    char *copy = ashi_copy_text(text);
    if (copy == NULL) {
        cli_error("out of memory");
        return NULL;
    }
    copy[equals - text] = 0;
    *setting = (ash_setting){copy, copy + (equals - text) + 1};
    return copy;
}

static bool is_parameter(const char *scene_name, const char *key)
{
    ash_builtin_info info;
    if (!cli_builtin_find(scene_name, &info))
        return false;
    for (uint32_t i = 0; i < info.parameter_count; i++)
        if (strcmp(info.parameters[i].name, key) == 0)
            return true;
    return false;
}

static bool is_field(const char *key)
{
    for (uint32_t i = 0; i < ash_method_field_count(); i++)
        if (strcmp(ash_method_field_name(i), key) == 0)
            return true;
    return false;
}

/* Sets the field that "key=value" names. */
static int set_field(ash_method *method, const char *text)
{
    ash_setting setting;
    ash_diagnostic diagnostic = {0};
    char *copy = cut_setting(text, "method field", &setting);
    if (copy == NULL)
        return CLI_BAD_INPUT;
    int status =
        ash_method_set(method, setting.key, setting.value, &diagnostic) == ASH_OK ? CLI_DONE : cli_report(&diagnostic);
    ashi_dealloc(copy);
    return status;
}

/* The same for a setting of the scene, which may be about something else: a parameter, the step, the time. */
static int set_if_field(ash_method *method, const char *text, const char *scene_name)
{
    ash_setting setting;
    char *copy = cut_setting(text, "--set", &setting);
    if (copy == NULL)
        return CLI_BAD_INPUT;
    bool field = !is_parameter(scene_name, setting.key) && is_field(setting.key);
    ashi_dealloc(copy);
    return field ? set_field(method, text) : CLI_DONE;
}

int cli_method_read(const char *text, const char *scene_name, const cli_choice *choice, ash_method *method)
{
    char *copy = ashi_copy_text(text);
    if (copy == NULL) {
        cli_error("out of memory");
        return CLI_BAD_INPUT;
    }
    char *fields = strchr(copy, ':');
    if (fields != NULL)
        *fields++ = 0;
    ash_diagnostic diagnostic = {0};
    int status = ash_method_find(copy, method, &diagnostic) == ASH_OK ? CLI_DONE : cli_report(&diagnostic);
    while (status == CLI_DONE && fields != NULL) {
        char *next = strchr(fields, ':');
        if (next != NULL)
            *next++ = 0;
        status = set_field(method, fields);
        fields = next;
    }
    for (uint32_t i = 0; status == CLI_DONE && i < choice->set.count; i++)
        status = set_if_field(method, choice->set.data[i], scene_name);
    ashi_dealloc(copy);
    return status;
}

/* Cuts all settings and opens the scene with them. */
static int open_with_settings(const char *name, const cli_texts *set, ash_scene **scene)
{
    ASHI_ARRAY(ash_setting) settings = {0};
    ASHI_ARRAY(char *) copies = {0};
    int status = CLI_DONE;
    for (uint32_t i = 0; status == CLI_DONE && i < set->count; i++) {
        if (!ashi_array_extend(&settings) || !ashi_array_reserve(&copies, copies.count + 1)) {
            cli_error("out of memory");
            status = CLI_BAD_INPUT;
            break;
        }
        char *copy = cut_setting(set->data[i], "--set", &settings.data[settings.count - 1]);
        if (copy == NULL)
            status = CLI_BAD_INPUT;
        else
            copies.data[copies.count++] = copy;
    }
    ash_diagnostic diagnostic = {0};
    if (status == CLI_DONE && ash_scene_open(name, settings.data, settings.count, scene, &diagnostic) != ASH_OK)
        status = cli_report(&diagnostic);
    else if (status == CLI_DONE)
        cli_report_notes(*scene);
    for (uint32_t i = 0; i < copies.count; i++)
        ashi_dealloc(copies.data[i]);
    ashi_array_release(&copies);
    ashi_array_release(&settings);
    return status;
}

int cli_choice_open(const char *name, const cli_choice *choice, ash_scene **scene)
{
    int status = open_with_settings(name, &choice->set, scene);
    if (status != CLI_DONE)
        return status;
    if (choice->method != NULL) {
        ash_method method;
        status = cli_method_read(choice->method, name, choice, &method);
        if (status == CLI_DONE && ash_scene_set_method(*scene, &method) != ASH_OK) {
            cli_error("the method \"%s\" cannot be used", choice->method);
            status = CLI_BAD_INPUT;
        }
    }
    if (choice->step > 0)
        (*scene)->step = choice->step;
    if (choice->time > 0)
        (*scene)->time = choice->time;
    if (choice->accuracy > 0)
        (*scene)->accuracy = choice->accuracy;
    if (status != CLI_DONE) {
        ash_scene_destroy(*scene);
        *scene = NULL;
    }
    return status;
}

const char *cli_method_text(const ash_method *method, char *text, size_t size)
{
    char name[192];
    const char *integrator = ash_integrator_name(method->integrator);
    ash_method_describe(method, name, sizeof name);
    if (strcmp(integrator, name) == 0)
        snprintf(text, size, "%s", integrator);
    else
        snprintf(text, size, "%s (%s)", name, integrator);
    return text;
}
