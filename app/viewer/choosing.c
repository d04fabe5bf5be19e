/* Commands that choose what is seen: scene, method and its fields, a second method, layers, colours. */
#include <stdio.h>
#include <string.h>

#include "app/viewer/commands.h"

/* Pages may name built-in scenes and the file that the session was opened with: never a path. */
static bool open_scene(view_order *order, const char *name, const ash_setting *settings, uint32_t count,
                       ash_scene **scene)
{
    const view_session *session = order->session;
    ash_builtin_info info;
    ash_diagnostic diagnostic = {0};
    if (session->own_text != NULL && strcmp(name, session->own_name) == 0 && count == 0) {
        if (ash_scene_parse(session->own_text, session->own_size, name, scene, &diagnostic) != ASH_OK)
            return view_refuse_by(order, &diagnostic);
        return true;
    }
    if (!cli_builtin_find(name, &info))
        return view_refuse(order, "there is no built-in scene \"%.60s\" (expected one of those in hello)", name);
    if (ash_scene_open(name, settings, count, scene, &diagnostic) != ASH_OK)
        return view_refuse_by(order, &diagnostic);
    return true;
}

enum { PARAMETERS_MOST = 32, VALUE_LONGEST = 64 };

static bool is_parameter(const char *scene, const char *key)
{
    ash_builtin_info info;
    if (cli_builtin_find(scene, &info))
        for (uint32_t i = 0; i < info.parameter_count; i++)
            if (strcmp(info.parameters[i].name, key) == 0)
                return true;
    return false;
}

/* The parameters as settings, their texts in `values`. */
static bool read_parameters(view_order *order, const char *scene, char values[PARAMETERS_MOST][VALUE_LONGEST],
                            ash_setting *settings, uint32_t *count)
{
    json_t *parameters = json_object_get(order->fields, "parameters"), *value;
    const char *key;
    *count = 0;
    if (parameters == NULL || json_is_null(parameters))
        return true;
    if (!json_is_object(parameters) || json_object_size(parameters) > PARAMETERS_MOST)
        return view_refuse(order, "\"parameters\" is no object of at most %d members", PARAMETERS_MOST);
    json_object_foreach(parameters, key, value)
    {
        if (!is_parameter(scene, key))
            return view_refuse(order, "the scene \"%.60s\" has no parameter \"%.60s\" (hello lists them)", scene, key);
        if (!view_read_value(order, value, key, values[*count], VALUE_LONGEST))
            return false;
        settings[*count] = (ash_setting){key, values[*count]};
        ++*count;
    }
    return true;
}

static bool read_method(view_order *order, const char *key, view_need need, bool *given, ash_method *method)
{
    const char *name = NULL;
    ash_diagnostic diagnostic = {0};
    if (!view_read_text(order, key, need, &name))
        return false;
    *given = name != NULL;
    if (name != NULL && ash_method_find(name, method, &diagnostic) != ASH_OK)
        return view_refuse_by(order, &diagnostic);
    return true;
}

bool view_obey_load(view_order *order)
{
    view_session *session = order->session;
    char values[PARAMETERS_MOST][VALUE_LONGEST];
    ash_setting settings[PARAMETERS_MOST];
    uint32_t count;
    const char *name;
    ash_method method;
    ash_scene *scene;
    ash_diagnostic diagnostic = {0};
    bool given;
    if (!view_read_text(order, "scene", VIEW_REQUIRED, &name) ||
        !read_parameters(order, name, values, settings, &count) ||
        !read_method(order, "method", VIEW_OPTIONAL, &given, &method) ||
        !open_scene(order, name, settings, count, &scene))
        return false;
    if (given && ash_scene_set_method(scene, &method) != ASH_OK) {
        ash_scene_destroy(scene);
        return view_refuse(order, "the method \"%.60s\" cannot be used", method.name);
    }
    if (view_load(session, scene, view_parameters(name, settings, count), &diagnostic) != ASH_OK)
        return view_refuse_by(order, &diagnostic);
    view_renew_scene(session, order->everybody);
    view_send_state(session, order->everybody);
    return true;
}

/* A scene file that a page sends takes the place of the one that the session was opened with. */
static bool keep_own(view_session *session, const ash_scene *scene, const char *text, size_t size)
{
    char *own_text = ashi_alloc_array(size + 1, 1), *name = ashi_copy_text(ash_scene_get_name(scene));
    char *summary = ashi_copy_text(ash_scene_get_summary(scene));
    if (own_text == NULL || name == NULL || summary == NULL) {
        ashi_dealloc(own_text);
        ashi_dealloc(name);
        ashi_dealloc(summary);
        return false;
    }
    memcpy(own_text, text, size + 1);
    ash_free(session->own_text);
    ashi_dealloc(session->own_name);
    ashi_dealloc(session->own_summary);
    session->own_text = own_text;
    session->own_size = size;
    session->own_name = name;
    session->own_summary = summary;
    return true;
}

bool view_obey_open(view_order *order)
{
    view_session *session = order->session;
    const char *name, *text;
    ash_scene *scene;
    ash_diagnostic diagnostic = {0};
    if (!view_read_text(order, "name", VIEW_REQUIRED, &name) || !view_read_text(order, "text", VIEW_REQUIRED, &text))
        return false;
    if (ash_scene_parse(text, strlen(text), name, &scene, &diagnostic) != ASH_OK)
        return view_refuse_by(order, &diagnostic);
    if (view_load(session, scene, json_object(), &diagnostic) != ASH_OK)
        return view_refuse_by(order, &diagnostic);
    bool kept = keep_own(session, session->scene, text, strlen(text));
    view_send_hello(session, order->everybody);
    view_renew_scene(session, order->everybody);
    view_send_state(session, order->everybody);
    return kept || view_refuse(order, "out of memory: the scene runs, but cannot be loaded again");
}

/* Gives a world another method while it runs. */
static bool change_method(view_order *order, uint32_t number, const ash_method *method)
{
    view_world *world = &order->session->worlds[number];
    if (ash_world_set_method(world->instance.world, method) != ASH_OK) {
        ash_diagnostic diagnostic = ash_world_get_last_diagnostic(world->instance.world);
        return view_refuse_by(order, &diagnostic);
    }
    world->method = ash_world_get_method(world->instance.world);
    world->by_hand = false;
    view_be_patient(order->session);
    view_touch(order->session);
    view_send_state(order->session, order->everybody);
    return true;
}

bool view_obey_method(view_order *order)
{
    uint32_t world;
    ash_method method;
    bool given;
    return view_read_world(order, &world) && read_method(order, "name", VIEW_REQUIRED, &given, &method) &&
           change_method(order, world, &method);
}

/* The length of a step: of all worlds, which take the same ones. */
static bool set_step(view_order *order)
{
    view_clock *clock = &order->session->clock;
    double h;
    if (!view_read_number(order, "value", VIEW_REQUIRED, 1e-6, 1, &h))
        return false;
    clock->origin = view_clock_time(clock);
    clock->steps = 0;
    clock->h = h;
    view_touch(order->session);
    view_send_state(order->session, order->everybody);
    return true;
}

/* The wanted error of positions, m; 0: steps of fixed length. */
static bool set_accuracy(view_order *order)
{
    view_session *session = order->session;
    if (!view_read_number(order, "value", VIEW_REQUIRED, 0, 1, &session->scene->accuracy))
        return false;
    for (uint32_t i = 0; i < session->world_count; i++)
        ash_world_reset_accuracy(session->worlds[i].instance.world);
    view_touch(session);
    view_send_state(session, order->everybody);
    return true;
}

bool view_obey_set(view_order *order)
{
    const char *field;
    char value[VALUE_LONGEST];
    uint32_t world;
    ash_diagnostic diagnostic = {0};
    if (!view_read_text(order, "field", VIEW_REQUIRED, &field))
        return false;
    if (strcmp(field, "step") == 0)
        return set_step(order);
    if (strcmp(field, "accuracy") == 0)
        return set_accuracy(order);
    if (!view_read_world(order, &world) ||
        !view_read_value(order, json_object_get(order->fields, "value"), "value", value, sizeof value))
        return false;
    ash_method method = order->session->worlds[world].method;
    if (ash_method_set(&method, field, value, &diagnostic) != ASH_OK)
        return view_refuse_by(order, &diagnostic);
    return change_method(order, world, &method);
}

bool view_obey_compare(view_order *order)
{
    ash_method method;
    ash_diagnostic diagnostic = {0};
    bool given;
    if (!read_method(order, "method", VIEW_OPTIONAL, &given, &method))
        return false;
    if (view_compare(order->session, given ? &method : NULL, &diagnostic) != ASH_OK)
        return view_refuse_by(order, &diagnostic);
    view_renew_scene(order->session, order->everybody);
    view_send_state(order->session, order->everybody);
    return true;
}

bool view_obey_layers(view_order *order)
{
    const json_t *names = json_object_get(order->fields, "names");
    uint32_t layers = 0;
    if (!json_is_array(names))
        return view_refuse(order, "\"names\" is no list (expected names of layers)");
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        uint32_t layer = name != NULL ? view_layer_find(name) : 0;
        if (layer == 0)
            return view_refuse(order, "there is no layer \"%.60s\" (hello lists them)", name != NULL ? name : "?");
        layers |= layer;
    }
    order->session->layers = layers;
    order->session->changed = true;
    view_send_state(order->session, order->everybody);
    return true;
}

bool view_obey_colour(view_order *order)
{
    const char *mode;
    if (!view_read_text(order, "mode", VIEW_REQUIRED, &mode))
        return false;
    for (int i = 0; i < VIEW_COLOURS; i++)
        if (strcmp(view_colour_name((view_colour)i), mode) == 0) {
            order->session->colour = (view_colour)i;
            order->session->changed = true;
            view_send_state(order->session, order->everybody);
            return true;
        }
    return view_refuse(order, "there is no colour mode \"%.60s\" (hello lists them)", mode);
}
