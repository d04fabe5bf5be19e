/* Commands of pages, by name. A command that is not understood in every field is refused and changes nothing. */
#include "app/viewer/commands.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 << 10, FIELDS_MOST = 8 };

static const struct {
    const char *name;
    bool (*obey)(view_order *order);
    bool alive; /* recordings do not know it */
    const char *fields[FIELDS_MOST];
} commands[] = {
    {"play", view_obey_play, false, {NULL}},
    {"pause", view_obey_pause, false, {NULL}},
    {"step", view_obey_step, false, {"count"}},
    {"back", view_obey_back, false, {"count"}},
    {"reset", view_obey_reset, false, {NULL}},
    {"speed", view_obey_speed, false, {"value"}},
    {"seek", view_obey_seek, false, {"time"}},
    {"curves", view_obey_curves, false, {NULL}},
    {"layers", view_obey_layers, false, {"names"}},
    {"colour", view_obey_colour, false, {"mode"}},
    {"load", view_obey_load, false, {"scene", "parameters", "method"}},
    {"open", view_obey_open, true, {"name", "text"}},
    {"set", view_obey_set, true, {"field", "value", "world"}},
    {"method", view_obey_method, true, {"name", "world"}},
    {"compare", view_obey_compare, true, {"method"}},
    {"grab", view_obey_grab, true, {"body", "point", "world"}},
    {"drag", view_obey_drag, true, {"point"}},
    {"drop", view_obey_drop, true, {NULL}},
    {"add", view_obey_add, true, {"kind", "point", "size", "velocity"}},
    {"join", view_obey_join, true, {"kind", "a", "b", "point", "point_b", "axis"}},
    {"spring", view_obey_spring, true, {"a", "b", "point_a", "point_b", "stiffness", "damping"}},
    {"delete", view_obey_delete, true, {"body", "joint", "force"}},
    {"inspect", view_obey_inspect, false, {"body"}},
    {"change", view_obey_change, true, {"body", "mass", "position", "velocity", "angular_velocity"}},
    {"turn", view_obey_turn, true, {"joint", "freedom", "position", "target"}},
    {"undo", view_obey_undo, true, {NULL}},
    {"export", view_obey_export, true, {NULL}},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static bool refuse_unknown(view_order *order, const char *name)
{
    const char *names[COMMANDS];
    char hint[96];
    for (uint32_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    return view_refuse(order, "there is no command \"%.60s\"%s (docs/viewer-wire.md lists them)", name,
                       ashi_did_you_mean(name, names, COMMANDS, hint, sizeof hint));
}

/* Has the command no fields but its own? */
static bool has_own_fields(view_order *order, uint32_t command)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)order->fields, key, value)
    {
        bool known = strcmp(key, "do") == 0;
        for (uint32_t i = 0; i < FIELDS_MOST && commands[command].fields[i] != NULL; i++)
            known |= strcmp(key, commands[command].fields[i]) == 0;
        if (!known)
            return view_refuse(order, "\"%s\" takes no field \"%.60s\"", commands[command].name, key);
    }
    return true;
}

static bool obey(view_order *order, const char *name)
{
    for (uint32_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) != 0)
            continue;
        if (commands[i].alive && view_is_recorded(order->session))
            return view_refuse(order, "\"%s\" is for scenes that run, and this is a recording", name);
        return has_own_fields(order, i) && commands[i].obey(order);
    }
    return refuse_unknown(order, name);
}

void view_session_obey(view_session *session, uint32_t client, const char *text, size_t size, view_sink answer,
                       view_sink everybody)
{
    view_order order = {.session = session, .client = client, .answer = answer, .everybody = everybody};
    char name[64] = "";
    size_t longest = session->longest_command > 0 ? session->longest_command : LONGEST;
    json_error_t error;
    json_t *fields = size <= longest ? json_loadb(text, size, JSON_REJECT_DUPLICATES, &error) : NULL;
    const json_t *command = json_object_get(fields, "do");
    order.fields = fields;
    bool obeyed;
    if (size > longest)
        obeyed = view_refuse(&order, "a command of %zu bytes (expected at most %zu)", size, longest);
    else if (fields == NULL)
        obeyed = view_refuse(&order, "a command that is no JSON: %.200s", error.text);
    else if (!json_is_string(command))
        obeyed = view_refuse(&order, "a command without a name (expected an object with a text \"do\")");
    else {
        snprintf(name, sizeof name, "%.60s", json_string_value(command));
        obeyed = obey(&order, name);
    }
    if (!obeyed)
        view_send_error(answer, name, order.message);
    json_decref(fields);
}
