/* What a page can choose from (hello), and what is chosen (state). */
#include "app/viewer/parts.h"

#include "model/method_fields.h"

static void write_parameters(ashi_json_text *json, const ash_builtin_info *info)
{
    ashi_json_open(json, "parameters", '[', false);
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const ash_scene_parameter *parameter = &info->parameters[i];
        ashi_json_open(json, NULL, '{', false);
        ashi_json_string(json, "name", parameter->name);
        ashi_json_string(json, "summary", parameter->summary);
        if (parameter->choices != NULL) {
            ashi_json_string(json, "value", parameter->choice_value);
            ashi_json_string(json, "choices", parameter->choices);
        } else {
            ashi_json_number(json, "value", parameter->value);
            ashi_json_number(json, "low", parameter->low);
            ashi_json_number(json, "high", parameter->high);
        }
        ashi_json_close(json);
    }
    ashi_json_close(json);
}

static void write_named(ashi_json_text *json, const char *name, const char *summary)
{
    ashi_json_open(json, NULL, '{', false);
    ashi_json_string(json, "name", name);
    ashi_json_string(json, "summary", summary);
}

/* The built-in scenes, after the file that the session was opened with. */
static void write_scenes(const view_session *session, ashi_json_text *json)
{
    ashi_json_open(json, "scenes", '[', false);
    if (session->own_text != NULL) {
        write_named(json, session->own_name, session->own_summary);
        ashi_json_open(json, "parameters", '[', false);
        ashi_json_close(json);
        ashi_json_close(json);
    }
    for (uint32_t i = 0; i < ash_builtin_count(); i++) {
        ash_builtin_info info = ash_builtin_get(i);
        write_named(json, info.name, info.summary);
        write_parameters(json, &info);
        ashi_json_close(json);
    }
    ashi_json_close(json);
}

static void write_methods(ashi_json_text *json)
{
    ashi_json_open(json, "methods", '[', false);
    for (uint32_t i = 0; i < ash_method_count(); i++) {
        write_named(json, ash_method_name(i), ash_method_summary(i));
        ashi_json_close(json);
    }
    ashi_json_close(json);
}

static void write_field(ashi_json_text *json, const ashi_method_field *field, const ash_method *method)
{
    static const char *const kinds[] = {
        [ASHI_WORD] = "word", [ASHI_SWITCH] = "switch", [ASHI_COUNT] = "count", [ASHI_NUMBER] = "number"};
    char value[64];
    write_named(json, field->name, field->summary);
    ashi_json_string(json, "kind", kinds[field->kind]);
    ashi_json_string(json, "value", ash_method_get(method, field->name, value, sizeof value));
    if (field->kind == ASHI_WORD || field->kind == ASHI_SWITCH) {
        ashi_json_open(json, "choices", '[', false);
        for (uint32_t i = 0; i < field->word_count; i++)
            ashi_json_string(json, NULL, field->words[i]);
        ashi_json_close(json);
    } else {
        ashi_json_number(json, "low", field->low);
        ashi_json_number(json, "high", field->high);
    }
    ashi_json_close(json);
}

static void write_layers(ashi_json_text *json)
{
    ashi_json_open(json, "layers", '[', false);
    for (uint32_t i = 0; view_layer_name(i) != NULL; i++) {
        write_named(json, view_layer_name(i), view_layer_summary(i));
        ashi_json_count(json, "number", i);
        ashi_json_close(json);
    }
    ashi_json_close(json);
}

void view_send_hello(const view_session *session, view_sink sink)
{
    ashi_json_text json;
    view_begin_text(&json, "hello");
    ashi_json_string(&json, "version", ash_version());
    write_scenes(session, &json);
    write_methods(&json);
    ashi_json_open(&json, "fields", '[', false);
    for (uint32_t i = 0; i < ASHI_METHOD_FIELDS; i++)
        write_field(&json, &ashi_method_fields[i], &session->worlds[0].method);
    ashi_json_close(&json);
    write_layers(&json);
    ashi_json_open(&json, "colours", '[', false);
    for (int i = 0; i < VIEW_COLOURS; i++)
        ashi_json_string(&json, NULL, view_colour_name((view_colour)i));
    ashi_json_close(&json);
    view_send_text(sink, &json);
}

static void write_values(ashi_json_text *json, const char *key, const ash_method *method)
{
    char value[64];
    ashi_json_open(json, key, '{', false);
    for (uint32_t i = 0; i < ash_method_field_count(); i++)
        ashi_json_string(json, ash_method_field_name(i),
                         ash_method_get(method, ash_method_field_name(i), value, sizeof value));
    ashi_json_close(json);
}

static void write_alarms(ashi_json_text *json, const view_session *session)
{
    ashi_json_open(json, "alarms", '[', false);
    for (uint32_t i = 0; i < session->world_count; i++)
        for (uint32_t k = 0; k < session->worlds[i].alarms.count; k++) {
            const ash_run_alarm *alarm = &session->worlds[i].alarms.entries[k].told;
            ashi_json_open(json, NULL, '{', false);
            ashi_json_number(json, "world", i);
            ashi_json_string(json, "name", ash_flag_name(alarm->flag));
            ashi_json_number(json, "first", alarm->first);
            ashi_json_string(json, "where", session->worlds[i].alarms.entries[k].where);
            ashi_json_string(json, "meaning", ash_flag_meaning(alarm->flag));
            ashi_json_string(json, "advice", ash_flag_advice(alarm->flag));
            ashi_json_close(json);
        }
    ashi_json_close(json);
}

void view_send_state(const view_session *session, view_sink sink)
{
    ashi_json_text json;
    view_begin_text(&json, "state");
    ashi_json_bool(&json, "paused", session->paused);
    ashi_json_number(&json, "speed", session->speed);
    ashi_json_string(&json, "method", session->worlds[0].method.name);
    write_values(&json, "fields", &session->worlds[0].method);
    ashi_json_open(&json, "layers", '[', false);
    for (uint32_t i = 0; view_layer_name(i) != NULL; i++)
        if ((session->layers & view_layer_find(view_layer_name(i))) != 0)
            ashi_json_string(&json, NULL, view_layer_name(i));
    ashi_json_close(&json);
    ashi_json_string(&json, "colour", view_colour_name(session->colour));
    ashi_json_number(&json, "step", session->clock.h);
    ashi_json_number(&json, "accuracy", session->scene != NULL ? session->scene->accuracy : 0);
    ashi_json_bool(&json, "by_hand", session->worlds[0].by_hand || session->worlds[1].by_hand);
    ashi_json_bool(&json, "late", session->late);
    ashi_json_number(&json, "patience", session->patience);
    write_alarms(&json, session);
    if (session->world_count > 1) {
        ashi_json_string(&json, "compare", session->worlds[1].method.name);
        write_values(&json, "compare_fields", &session->worlds[1].method);
    } else {
        ashi_json_null(&json, "compare");
    }
    view_send_text(sink, &json);
}
