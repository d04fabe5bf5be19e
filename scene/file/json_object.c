/* Objects in Jansson's form on their way to a text: summaries of runs, and methods. */
#include "scene/file/json_object.h"

#include "base/alloc.h"
#include "base/text.h"

#include <math.h>

json_t *ashi_jansson_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *ashi_jansson_count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

bool ashi_jansson_set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0; /* without an object it drops the value */
}

bool ashi_jansson_set_method(json_t *object, const ash_method *method)
{
    bool done = object != NULL;
    for (uint32_t i = 0; done && i < ash_method_field_count(); i++) {
        char text[128];
        double value;
        const char *field = ash_method_field_name(i);
        if (ash_method_get(method, field, text, sizeof text) == NULL)
            continue;
        if (!ashi_parse_number(text, &value))
            done = ashi_jansson_set(object, field, json_string(text));
        else
            done = ashi_jansson_set(object, field,
                                    value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value)
                                                                                : ashi_jansson_number(value));
    }
    return done;
}

char *ashi_jansson_dump(json_t *object, size_t flags)
{
    char *text = json_dumps(object, flags | JSON_REAL_PRECISION(17));
    char *copy = text != NULL ? ashi_copy_text(text) : NULL;
    json_decref(object);
    /* Jansson's memory goes back the way it came, in case the host gave it functions of its own. */
    json_free_t release;
    json_get_alloc_funcs(NULL, &release);
    if (text != NULL)
        release(text);
    return copy;
}

char *ashi_method_text(const ash_method *method)
{
    json_t *object = json_object();
    if (ashi_jansson_set(object, "name", json_string(method->name)) && ashi_jansson_set_method(object, method))
        return ashi_jansson_dump(object, JSON_COMPACT);
    json_decref(object);
    return NULL;
}
