/* Methods by name: presets found, and each field set from and written as text. */
#include "model/method.h"

#include "base/diagnostic.h"
#include "base/number.h"
#include "base/text.h"
#include "model/method_fields.h"

#include <stdio.h>
#include <string.h>

const char *ash_integrator_name(ash_integrator integrator)
{
    return (unsigned)integrator < ASH_INTEGRATORS ? ashi_integrator_names[integrator] : "";
}

uint32_t ash_method_count(void)
{
    return ashi_preset_count;
}

const char *ash_method_name(uint32_t index)
{
    return index < ashi_preset_count ? ashi_presets[index].name : "";
}

const char *ash_method_summary(uint32_t index)
{
    return index < ashi_preset_count ? ashi_presets[index].summary : "";
}

uint32_t ash_method_field_count(void)
{
    return ASHI_METHOD_FIELDS;
}

const char *ash_method_field_name(uint32_t index)
{
    return index < ASHI_METHOD_FIELDS ? ashi_method_fields[index].name : "";
}

const char *ash_method_field_summary(uint32_t index)
{
    return index < ASHI_METHOD_FIELDS ? ashi_method_fields[index].summary : "";
}

/* The number of `word` in `names`, or `count`. */
static size_t find_word(const char *word, const char *const *names, size_t count)
{
    size_t i = 0;
    while (i < count && strcmp(word, names[i]) != 0)
        i++;
    return i;
}

/* The preset with this number. */
static void build(uint32_t index, ash_method *method)
{
    const ashi_preset *preset = &ashi_presets[index];
    *method = ashi_common_method;
    for (uint32_t i = 0; i < ASHI_PRESET_CHANGES && preset->changes[i][0] != NULL; i++)
        ash_method_set(method, preset->changes[i][0], preset->changes[i][1], NULL);
    snprintf(method->name, sizeof method->name, "%s", preset->name);
}

ash_status ash_method_find(const char *name, ash_method *method, ash_diagnostic *diagnostic)
{
    enum { MOST = 32 };
    const char *names[MOST];
    uint32_t presets = ashi_preset_count, count = presets + ASH_INTEGRATORS;
    for (uint32_t i = 0; i < presets; i++)
        names[i] = ashi_presets[i].name;
    for (uint32_t i = 0; i < ASH_INTEGRATORS; i++)
        names[presets + i] = ashi_integrator_names[i];

    size_t found = name == NULL ? 0 : find_word(name, names, count);
    if (found < presets) {
        build((uint32_t)found, method);
        return ASH_OK;
    }
    if (found < count) {
        build(0, method);
        snprintf(method->name, sizeof method->name, "%s", name);
        method->integrator = (ash_integrator)(found - presets);
        return ASH_OK;
    }
    char hint[96];
    ashi_fail(diagnostic, ASH_NOT_FOUND, "method.unknown", "there is no method \"%s\"%s", name,
              ashi_did_you_mean(name, names, count, hint, sizeof hint));
    ashi_expect(diagnostic, "a preset of \"ashlar list\", or an integrator's name");
    return ASH_NOT_FOUND;
}

static ash_status bad_value(ash_diagnostic *diagnostic, const ashi_method_field *f, const char *value)
{
    char hint[96] = "";
    if (f->words != NULL && find_word(value, f->words, f->word_count) == f->word_count)
        ashi_did_you_mean(value, f->words, f->word_count, hint, sizeof hint);
    ashi_fail(diagnostic, ASH_BAD_DATA, "method.value", "\"%s\" is not a value for %s%s", value, f->name, hint);
    const char *what = f->kind == ASHI_COUNT ? "a whole number: " : f->kind == ASHI_NUMBER ? "a number: " : "";
    return ashi_expect(diagnostic, "%s%s", what, f->summary);
}

/* The number of a field, or ASHI_METHOD_FIELDS. */
static size_t find_field(const char *name, const char *names[ASHI_METHOD_FIELDS])
{
    for (size_t i = 0; i < ASHI_METHOD_FIELDS; i++)
        names[i] = ashi_method_fields[i].name;
    return find_word(name, names, ASHI_METHOD_FIELDS);
}

/* Enums are as large as an int; a switch is a bool. */
static void set_word(ash_method *method, const ashi_method_field *f, size_t word)
{
    int number = (int)word;
    bool on = word == 1;
    memcpy((char *)method + f->offset, f->kind == ASHI_SWITCH ? (void *)&on : (void *)&number,
           f->kind == ASHI_SWITCH ? sizeof on : sizeof number);
}

static size_t get_word(const ash_method *method, const ashi_method_field *f)
{
    int number = 0;
    bool on = false;
    memcpy(f->kind == ASHI_SWITCH ? (void *)&on : (void *)&number, (const char *)method + f->offset,
           f->kind == ASHI_SWITCH ? sizeof on : sizeof number);
    return f->kind == ASHI_SWITCH ? (size_t)on : (size_t)number;
}

ash_status ash_method_set(ash_method *method, const char *name, const char *value, ash_diagnostic *diagnostic)
{
    const char *names[ASHI_METHOD_FIELDS];
    size_t index = find_field(name, names);
    if (index == ASHI_METHOD_FIELDS) {
        char hint[96];
        return ashi_fail(diagnostic, ASH_NOT_FOUND, "method.field", "a method has no field \"%s\"%s", name,
                         ashi_did_you_mean(name, names, ASHI_METHOD_FIELDS, hint, sizeof hint));
    }
    const ashi_method_field *f = &ashi_method_fields[index];
    ash_method changed = *method;
    double number = 0;
    uint32_t count = 0;
    size_t word = 0;
    switch (f->kind) {
    case ASHI_WORD:
    case ASHI_SWITCH:
        word = find_word(value, f->words, f->word_count);
        if (word == f->word_count ||
            (f->offset == offsetof(ash_method, solver.inner) && !ashi_solver_may_be_inner((ash_solver)word)))
            return bad_value(diagnostic, f, value);
        set_word(&changed, f, word);
        break;
    case ASHI_COUNT:
        if (!ashi_parse_count(value, &count) || count < f->low || count > f->high ||
            (f->offset == offsetof(ash_method, friction_directions) && count % 2 != 0))
            return bad_value(diagnostic, f, value);
        memcpy((char *)&changed + f->offset, &count, sizeof count);
        break;
    case ASHI_NUMBER:
        if (!ashi_parse_number(value, &number) || number < f->low || number > f->high)
            return bad_value(diagnostic, f, value);
        memcpy((char *)&changed + f->offset, &number, sizeof number);
        break;
    }
    char before[64], after[64];
    ash_method_get(method, name, before, sizeof before);
    ash_method_get(&changed, name, after, sizeof after);
    if (strcmp(before, after) != 0)
        snprintf(changed.name, sizeof changed.name, "custom");
    *method = changed;
    return ASH_OK;
}

const char *ash_method_get(const ash_method *method, const char *name, char *text, size_t size)
{
    const char *names[ASHI_METHOD_FIELDS];
    size_t index = find_field(name, names);
    if (index == ASHI_METHOD_FIELDS)
        return NULL;
    const ashi_method_field *f = &ashi_method_fields[index];
    char digits[ASHI_NUMBER_SIZE];
    double number;
    uint32_t count;
    switch (f->kind) {
    case ASHI_WORD:
    case ASHI_SWITCH: {
        size_t word = get_word(method, f);
        snprintf(text, size, "%s", word < f->word_count ? f->words[word] : "");
        break;
    }
    case ASHI_COUNT:
        memcpy(&count, (const char *)method + f->offset, sizeof count);
        snprintf(text, size, "%u", count);
        break;
    case ASHI_NUMBER:
        memcpy(&number, (const char *)method + f->offset, sizeof number);
        snprintf(text, size, "%s", ashi_number_text(number, digits));
        break;
    }
    return text;
}

/* How many fields of `method` differ from those of `other`. */
static uint32_t differences(const ash_method *method, const ash_method *other)
{
    char own[64], its[64];
    uint32_t count = 0;
    for (size_t i = 0; i < ASHI_METHOD_FIELDS; i++)
        count += strcmp(ash_method_get(method, ashi_method_fields[i].name, own, sizeof own),
                        ash_method_get(other, ashi_method_fields[i].name, its, sizeof its)) != 0;
    return count;
}

const char *ash_method_describe(const ash_method *method, char *text, size_t size)
{
    enum { MOST = 6 };
    ash_method preset, nearest = {0};
    uint32_t least = MOST + 1;
    char own[64], its[64];
    if (size == 0)
        return text;
    for (uint32_t i = 0; i < ashi_preset_count + ASH_INTEGRATORS && least > 0; i++) {
        ash_method_find(i < ashi_preset_count ? ashi_presets[i].name : ashi_integrator_names[i - ashi_preset_count],
                        &preset, NULL);
        uint32_t count = differences(method, &preset);
        if (count < least) {
            least = count;
            nearest = preset;
        }
    }
    size_t length = least > MOST ? size : (size_t)snprintf(text, size, "%s", nearest.name);
    for (size_t i = 0; i < ASHI_METHOD_FIELDS && least <= MOST && length < size; i++) {
        const char *field = ashi_method_fields[i].name;
        const char *value = ash_method_get(method, field, own, sizeof own);
        if (strcmp(value, ash_method_get(&nearest, field, its, sizeof its)) != 0)
            length += (size_t)snprintf(text + length, size - length, ":%s=%s", field, value);
    }
    if (length >= size)
        snprintf(text, size, "custom");
    return text;
}

bool ashi_method_is_valid(const ash_method *method, ash_diagnostic *diagnostic)
{
    for (size_t i = 0; i < ASHI_METHOD_FIELDS; i++) {
        const ashi_method_field *f = &ashi_method_fields[i];
        char text[64];
        ash_method copy = *method;
        if (ash_method_set(&copy, f->name, ash_method_get(method, f->name, text, sizeof text), diagnostic) != ASH_OK)
            return false;
    }
    return true;
}

bool ashi_method_has_same_fields(const ash_method *a, const ash_method *b)
{
    return differences(a, b) == 0;
}
