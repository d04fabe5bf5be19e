/* Variables of scene files, and the values of texts that use them. */
#include "scene/file/scope.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double number_of(const json_t *value)
{
    return json_is_number(value)    ? json_number_value(value)
           : json_is_boolean(value) ? json_is_true(value)
                                    : (double)NAN;
}

bool ashi_scope_push(ashi_reader *reader, ashi_scope *scope, const char *name, json_t *value)
{
    uint32_t count = scope->names.count;
    if (!ashi_array_reserve(&scope->names, (uint64_t)count + 1) ||
        !ashi_array_reserve(&scope->numbers, (uint64_t)count + 1) ||
        !ashi_array_reserve(&scope->values, (uint64_t)count + 1)) {
        json_decref(value);
        return ashi_read_no_memory(reader);
    }
    scope->names.data[count] = name;
    scope->numbers.data[count] = number_of(value);
    scope->values.data[count] = value;
    scope->names.count = scope->numbers.count = scope->values.count = count + 1;
    return true;
}

void ashi_scope_set(ashi_scope *scope, uint32_t number, json_t *value)
{
    json_decref(scope->values.data[number]);
    scope->values.data[number] = value;
    scope->numbers.data[number] = number_of(value);
}

void ashi_scope_pop(ashi_scope *scope, uint32_t count)
{
    for (uint32_t i = count; i < scope->values.count; i++)
        json_decref(scope->values.data[i]);
    scope->names.count = scope->numbers.count = scope->values.count = count;
}

void ashi_scope_release(ashi_scope *scope)
{
    ashi_scope_pop(scope, 0);
    for (uint32_t i = 0; i < scope->compiled.count; i++)
        ashi_expression_destroy(scope->compiled.data[i].expression);
    ashi_array_release(&scope->names);
    ashi_array_release(&scope->numbers);
    ashi_array_release(&scope->values);
    ashi_array_release(&scope->compiled);
}

bool ashi_scope_check_name(ashi_reader *reader, const ashi_place *place)
{
    if (ashi_expression_is_name(place->key) && strchr(place->key, '.') == NULL)
        return true;
    ashi_read_fail_key(reader, place, ASH_BAD_DATA, "scene.value", "\"%.100s\" cannot be the name of a variable",
                       place->key);
    return ashi_read_expect(reader, "a letter or _, then letters, digits and _");
}

/* The place of a text's expression in the table, or the empty one for it. */
static ashi_compiled *find_compiled(const ashi_scope *scope, const json_t *text)
{
    uint32_t mask = scope->compiled.count - 1; /* a power of two */
    uint32_t at = (uint32_t)(((uintptr_t)text >> 4) * 0x9e3779b1u) & mask;
    while (scope->compiled.data[at].text != NULL && scope->compiled.data[at].text != text)
        at = (at + 1) & mask;
    return &scope->compiled.data[at];
}

/* Makes room for one more, at most half full. */
static bool reserve_compiled(ashi_scope *scope)
{
    ashi_scope old = *scope;
    if (2 * (scope->compiled_count + 1) <= old.compiled.count)
        return true;
    uint32_t capacity = old.compiled.count > 0 ? 2 * old.compiled.count : 64;
    ashi_compiled *data = ashi_alloc_zeroed(capacity * sizeof *data);
    if (data == NULL)
        return false;
    scope->compiled.data = data;
    scope->compiled.count = scope->compiled.capacity = capacity;
    for (uint32_t i = 0; i < old.compiled.count; i++)
        if (old.compiled.data[i].text != NULL)
            *find_compiled(scope, old.compiled.data[i].text) = old.compiled.data[i];
    ashi_dealloc(old.compiled.data);
    return true;
}

/* A failure of an expression that begins `offset` bytes into the text at the place. */
static bool fail_expression(ashi_reader *reader, const ashi_place *place, size_t offset, const ash_diagnostic *found)
{
    if (found->status == ASH_OUT_OF_MEMORY)
        return ashi_read_no_memory(reader);
    char value[80];
    ashi_read_fail(reader, place, ASH_BAD_DATA, found->code, "%s: %s",
                   ashi_value_text(place->value, value, sizeof value), found->message);
    if (reader->diagnostic.column > 0 && strpbrk(json_string_value(place->value), "\"\\\n\t") == NULL)
        reader->diagnostic.column += (int)offset + found->column; /* behind the opening quote */
    return ashi_read_expect(reader, "%s", found->expected);
}

static ash_status compile(const ashi_scope *scope, const char *text, ashi_expression **expression,
                          ash_diagnostic *diagnostic)
{
    *diagnostic = (ash_diagnostic){0};
    return ashi_expression_compile(text, scope->names.data, scope->names.count, expression, diagnostic);
}

/* The compiled expression at the place, the scope's; null after a failure. */
static const ashi_expression *compiled_at(ashi_reader *reader, ashi_scope *scope, const ashi_place *place)
{
    if (!reserve_compiled(scope)) {
        ashi_read_no_memory(reader);
        return NULL;
    }
    ashi_compiled *entry = find_compiled(scope, place->value);
    if (entry->text != NULL)
        return entry->expression;
    ash_diagnostic diagnostic;
    ashi_expression *expression;
    if (compile(scope, json_string_value(place->value), &expression, &diagnostic) != ASH_OK) {
        fail_expression(reader, place, 0, &diagnostic);
        return NULL;
    }
    *entry = (ashi_compiled){place->value, expression};
    scope->compiled_count++;
    return expression;
}

json_t *ashi_number_json(double number)
{
    bool whole = number == floor(number) && fabs(number) <= 0x1p53 && !(number == 0 && signbit(number));
    return whole ? json_integer((json_int_t)number) : json_real(number);
}

/* The value of an expression, a new reference. */
static json_t *evaluate(ashi_reader *reader, const ashi_scope *scope, const ashi_place *place,
                        const ashi_expression *expression)
{
    char text[80];
    for (uint32_t i = 0; i < scope->names.count; i++)
        if (json_is_string(scope->values.data[i]) && ashi_expression_uses(expression, i)) {
            ashi_read_fail(reader, place, ASH_BAD_DATA, "scene.value", "%s: %.60s is a word, \"%.60s\"",
                           ashi_value_text(place->value, text, sizeof text), scope->names.data[i],
                           json_string_value(scope->values.data[i]));
            ashi_read_expect(reader, "numbers to reckon with");
            return NULL;
        }
    double value = ashi_expression_evaluate(expression, scope->numbers.data);
    if (ashi_expression_is_condition(expression))
        return json_boolean(value != 0);
    if (!isfinite(value)) {
        ashi_read_fail(reader, place, ASH_BAD_DATA, "scene.value", "%s is %s here",
                       ashi_value_text(place->value, text, sizeof text), isnan(value) ? "no number" : "infinite");
        ashi_read_expect(reader, "an expression with a finite value");
        return NULL;
    }
    json_t *json = ashi_number_json(value);
    if (json == NULL)
        ashi_read_no_memory(reader);
    return json;
}

bool ashi_is_text_key(const char *key)
{
    static const char *const keys[] = {"name",   "summary", "shape", "material", "material_a", "material_b", "body",
                                       "body_a", "body_b",  "joint", "force",    "output",     "file"};
    for (size_t i = 0; key != NULL && i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

enum { LONGEST_TEXT = 4096 };

typedef struct template
{
    char text[LONGEST_TEXT + 1];
    size_t length;
}
template;

static bool append(template *t, const char *bytes, size_t count)
{
    if (count > LONGEST_TEXT - t->length)
        return false;
    memcpy(t->text + t->length, bytes, count);
    t->length += count;
    t->text[t->length] = 0;
    return true;
}

/* The value of the "$name" or "${expression}" at *at, a new reference; *at moves behind it. */
static json_t *read_insertion(ashi_reader *reader, const ashi_scope *scope, const ashi_place *place, const char **at)
{
    const char *whole = json_string_value(place->value), *begin = *at + 1, *end = begin;
    bool braces = *begin == '{';
    if (braces)
        end = strchr(++begin, '}');
    else
        while ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z') || (*end >= '0' && *end <= '9') ||
               *end == '_')
            end++;
    if (end == NULL) {
        ashi_read_fail(reader, place, ASH_BAD_DATA, "expression.syntax", "the '}' of a \"${\" is missing");
        ashi_read_expect(reader, "\"${expression}\", or \"$$\" for the character $");
        return NULL;
    }
    char text[LONGEST_TEXT + 1];
    size_t length = (size_t)(end - begin) < LONGEST_TEXT ? (size_t)(end - begin) : LONGEST_TEXT;
    snprintf(text, sizeof text, "%.*s", (int)length, begin);
    *at = braces ? end + 1 : end;
    for (uint32_t i = 0; i < scope->names.count; i++)
        if (strcmp(scope->names.data[i], text) == 0)
            return json_incref(scope->values.data[i]);
    ash_diagnostic diagnostic;
    ashi_expression *expression;
    if (compile(scope, text, &expression, &diagnostic) != ASH_OK) {
        fail_expression(reader, place, (size_t)(begin - whole), &diagnostic);
        return NULL;
    }
    json_t *value = evaluate(reader, scope, place, expression);
    ashi_expression_destroy(expression);
    return value;
}

static bool append_value(template *t, const json_t *value)
{
    char number[ASHI_NUMBER_SIZE];
    const char *text = json_is_string(value)  ? json_string_value(value)
                       : json_is_true(value)  ? "true"
                       : json_is_false(value) ? "false"
                                              : ashi_number_text(json_number_value(value), number);
    return append(t, text, strlen(text));
}

/* A text with its insertions replaced. */
static json_t *read_template(ashi_reader *reader, const ashi_scope *scope, const ashi_place *place)
{
    template t = {.length = 0};
    bool fits = true;
    for (const char *at = json_string_value(place->value); *at != 0 && fits;) {
        if (*at != '$') {
            fits = append(&t, at++, 1);
        } else if (at[1] == '$') {
            fits = append(&t, at, 1);
            at += 2;
        } else if (at[1] == '{' || at[1] == '_' || (at[1] >= 'a' && at[1] <= 'z') || (at[1] >= 'A' && at[1] <= 'Z')) {
            json_t *value = read_insertion(reader, scope, place, &at);
            if (value == NULL)
                return NULL;
            fits = append_value(&t, value);
            json_decref(value);
        } else {
            fits = append(&t, at++, 1); /* "$5" */
        }
    }
    if (!fits) {
        ashi_read_fail(reader, place, ASH_BAD_DATA, "scene.value", "the text becomes too long");
        ashi_read_expect(reader, "at most %d bytes", LONGEST_TEXT);
        return NULL;
    }
    json_t *text = json_string(t.text);
    if (text == NULL)
        ashi_read_no_memory(reader);
    return text;
}

/* Whether the text is one insertion and nothing else. */
static bool is_one_insertion(const char *text)
{
    if (text[0] != '$')
        return false;
    if (text[1] == '{')
        return strchr(text, '}') != NULL && strchr(text, '}')[1] == 0;
    return ashi_expression_is_name(text + 1) && strchr(text, '.') == NULL;
}

json_t *ashi_scope_evaluate(ashi_reader *reader, ashi_scope *scope, const ashi_place *place)
{
    const char *text = json_string_value(place->value);
    if (is_one_insertion(text))
        return read_insertion(reader, scope, place, &text);
    if (strstr(text, "${") != NULL)
        return read_template(reader, scope, place);
    const ashi_expression *expression = compiled_at(reader, scope, place);
    return expression != NULL ? evaluate(reader, scope, place, expression) : NULL;
}

json_t *ashi_scope_read(ashi_reader *reader, ashi_scope *scope, const ashi_place *place)
{
    const char *text = json_string_value(place->value);
    bool for_people = place->key != NULL && (strcmp(place->key, "name") == 0 || strcmp(place->key, "summary") == 0);
    if (strchr(text, '$') == NULL)
        return json_incref(place->value);
    bool within = ashi_is_text_key(place->key) && (for_people || !is_one_insertion(text));
    return within ? read_template(reader, scope, place) : ashi_scope_evaluate(reader, scope, place);
}
