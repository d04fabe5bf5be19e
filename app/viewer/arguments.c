/* The fields of commands, read strictly: what is refused is named together with what was expected. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/commands.h"
#include "base/number.h"

bool view_refuse(view_order *order, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(order->message, sizeof order->message, format, arguments);
    va_end(arguments);
    return false;
}

bool view_refuse_by(view_order *order, const ash_diagnostic *diagnostic)
{
    char place[160] = "";
    if (diagnostic->file[0] != 0 && diagnostic->line > 0)
        snprintf(place, sizeof place, "%.120s:%d: ", diagnostic->file, diagnostic->line);
    return view_refuse(order, "%s%.400s%s%.150s%s", place, diagnostic->message,
                       diagnostic->expected[0] != 0 ? " (expected " : "", diagnostic->expected,
                       diagnostic->expected[0] != 0 ? ")" : "");
}

/* The value as it came, cut to fit. */
static const char *value_text(const json_t *value, char *text, size_t size)
{
    char *dumped = value != NULL ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    if (value == NULL)
        snprintf(text, size, "missing");
    else if (dumped == NULL)
        snprintf(text, size, "not readable");
    else
        snprintf(text, size, strlen(dumped) < size ? "%s" : "%.60s...", dumped);
    free(dumped);
    return text;
}

static bool refuse_value(view_order *order, const char *key, const json_t *value, const char *format, ...)
{
    char text[80], expected[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    return view_refuse(order, "\"%s\" is %s (expected %s)", key, value_text(value, text, sizeof text), expected);
}

/* The field; null when it is optional and not there. False when it is required and not there. */
static bool find(view_order *order, const char *key, view_need need, const char *expected, const json_t **value)
{
    *value = json_object_get(order->fields, key);
    if (json_is_null(*value))
        *value = NULL;
    return *value != NULL || need == VIEW_OPTIONAL || refuse_value(order, key, NULL, "%s", expected);
}

bool view_has_field(const view_order *order, const char *key)
{
    const json_t *value = json_object_get(order->fields, key);
    return value != NULL && !json_is_null(value);
}

static bool is_within(const json_t *value, double low, double high)
{
    double number = json_number_value(value);
    return json_is_number(value) && isfinite(number) && number >= low && number <= high;
}

bool view_read_number(view_order *order, const char *key, view_need need, double low, double high, double *value)
{
    const json_t *found;
    if (!find(order, key, need, "a number", &found))
        return false;
    if (found == NULL)
        return true;
    if (!is_within(found, low, high))
        return refuse_value(order, key, found, "a number from %g to %g", low, high);
    *value = json_number_value(found);
    return true;
}

bool view_read_count(view_order *order, const char *key, view_need need, uint32_t low, uint32_t high, uint32_t *value)
{
    const json_t *found;
    if (!find(order, key, need, "a whole number", &found))
        return false;
    if (found == NULL)
        return true;
    if (!is_within(found, low, high) || json_number_value(found) != floor(json_number_value(found)))
        return refuse_value(order, key, found, "a whole number from %u to %u", low, high);
    *value = (uint32_t)json_number_value(found);
    return true;
}

bool view_read_text(view_order *order, const char *key, view_need need, const char **text)
{
    const json_t *found;
    if (!find(order, key, need, "a text", &found))
        return false;
    if (found == NULL)
        return true;
    if (!json_is_string(found))
        return refuse_value(order, key, found, "a text");
    *text = json_string_value(found);
    return true;
}

bool view_read_point(view_order *order, const char *key, view_need need, ash_vec3 *point)
{
    const json_t *found;
    if (!find(order, key, need, "three numbers", &found))
        return false;
    if (found == NULL)
        return true;
    double numbers[3] = {0, 0, 0};
    bool good = json_is_array(found) && json_array_size(found) == 3;
    for (size_t i = 0; good && i < 3; i++) {
        const json_t *number = json_array_get(found, i);
        good = is_within(number, -VIEW_FARTHEST, VIEW_FARTHEST);
        numbers[i] = json_number_value(number);
    }
    if (!good)
        return refuse_value(order, key, found, "three numbers from %g to %g", -VIEW_FARTHEST, VIEW_FARTHEST);
    *point = (ash_vec3){numbers[0], numbers[1], numbers[2]};
    return true;
}

bool view_read_value(view_order *order, const json_t *value, const char *key, char *text, size_t size)
{
    char digits[ASHI_NUMBER_SIZE];
    if (json_is_number(value) && isfinite(json_number_value(value)))
        snprintf(text, size, "%s", ashi_number_text(json_number_value(value), digits));
    else if (json_is_string(value) && json_string_length(value) < size)
        snprintf(text, size, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        snprintf(text, size, "%s", json_is_true(value) ? "on" : "off");
    else
        return refuse_value(order, key, value, "a number or a word");
    return true;
}

bool view_read_body(view_order *order, const char *key, bool background, uint32_t *body)
{
    const view_session *session = order->session;
    uint32_t id = 0, most = session->scene->bodies.count;
    if (!view_read_count(order, key, VIEW_REQUIRED, background ? 0 : 1, most, &id))
        return false;
    *body = id > 0 ? id - 1 : ASHI_NONE;
    for (uint32_t i = 0; i < session->world_count && id > 0; i++)
        if (!view_has_body(&session->worlds[i], *body))
            return view_refuse(order, "\"%s\" is %u, which is not in the world now (expected a body that is)", key, id);
    return true;
}

bool view_read_world(view_order *order, uint32_t *world)
{
    *world = 0;
    return view_read_count(order, "world", VIEW_OPTIONAL, 0, order->session->world_count - 1, world);
}
