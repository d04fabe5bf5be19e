/* Methods by name: the presets, and each field set from and written as text.
 *
 * A preset is in the table only when all that its source describes is there; the names that the project will have later
 * are known, so that asking for one says so. */
#include "model/method.h"

#include "base/diagnostic.h"
#include "base/number.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const char *const integrator_names[ASH_INTEGRATORS] = {
    [ASH_EXPLICIT_EULER] = "explicit-euler",       [ASH_SYMPLECTIC_EULER] = "symplectic-euler",
    [ASH_IMPLICIT_EULER] = "implicit-euler",       [ASH_RK4] = "rk4",
    [ASH_IMPLICIT_MIDPOINT] = "implicit-midpoint", [ASH_AXIS_SPLITTING] = "axis-splitting",
};
static const char *const contact_names[ASH_CONTACT_MODES] = {"off", "detect"};
static const char *const broad_names[ASH_BROAD_PHASES] = {"tree", "all-pairs", "sweep-1", "sweep-3"};
static const char *const switch_names[2] = {"off", "on"};

typedef struct preset {
    ash_method method;
    const char *summary;
} preset;

/* What all presets do about contacts until contacts are solved. */
#define CONTACTS                                                                                                       \
    .contacts = ASH_CONTACTS_DETECT, .broad_phase = ASH_BROAD_TREE, .contact_margin = 0.005, .recycle = 5e-5,          \
    .reduce_manifolds = true, .continuous = true

static const preset presets[] = {
    {{.name = "realtime", .integrator = ASH_AXIS_SPLITTING, .max_iterations = 200, .tolerance = 1e-10, CONTACTS},
     "explicit and fast: symplectic Euler, free rotation split by axes"},
    {{.name = "engineering", .integrator = ASH_IMPLICIT_MIDPOINT, .max_iterations = 200, .tolerance = 1e-14, CONTACTS},
     "order 2, conserves energy and momentum of free motion"},
};
enum { PRESETS = sizeof presets / sizeof *presets };

static const char *const later_presets[] = {"gribel-2009",  "stewart-trinkle",     "dejong-2014",
                                            "faure",        "bender-schmitt-2006", "bender-iterative",
                                            "erleben-2007", "guendelman-2003",     "penalty"};

/* A field is one of some words, a count or a number, at its place in the method. */
typedef enum field_kind { WORD, SWITCH, COUNT, NUMBER } field_kind;
typedef struct field {
    const char *name, *summary;
    field_kind kind;
    size_t offset;
    const char *const *words;
    uint32_t word_count;
    double low, high;
} field;

static const field fields[] = {
    {"integrator", "explicit-euler | symplectic-euler | implicit-euler | rk4 | implicit-midpoint | axis-splitting",
     WORD, offsetof(ash_method, integrator), integrator_names, ASH_INTEGRATORS, 0, 0},
    {"max-iterations", "limit of the implicit solves in a step, 1 to 1000000", COUNT,
     offsetof(ash_method, max_iterations), NULL, 0, 1, 1000000},
    {"tolerance", "relative tolerance of the implicit solves, 1e-16 to 1", NUMBER, offsetof(ash_method, tolerance),
     NULL, 0, 1e-16, 1},
    {"contacts", "off | detect (contacts are found and reported, not yet solved)", WORD, offsetof(ash_method, contacts),
     contact_names, ASH_CONTACT_MODES, 0, 0},
    {"broad-phase", "tree | all-pairs | sweep-1 | sweep-3", WORD, offsetof(ash_method, broad_phase), broad_names,
     ASH_BROAD_PHASES, 0, 0},
    {"contact-margin", "gaps up to this are contacts, m, 0 to 1000", NUMBER, offsetof(ash_method, contact_margin), NULL,
     0, 0, 1000},
    {"recycle", "pairs that moved less than this keep their contacts, m, 0 to 1000", NUMBER,
     offsetof(ash_method, recycle), NULL, 0, 0, 1000},
    {"reduce-manifolds", "on | off (at most 4 points a contact, 2 in planar worlds)", SWITCH,
     offsetof(ash_method, reduce_manifolds), switch_names, 2, 0, 0},
    {"continuous", "on | off (impacts within a step are looked for)", SWITCH, offsetof(ash_method, continuous),
     switch_names, 2, 0, 0},
};
enum { FIELDS = sizeof fields / sizeof *fields };

const char *ash_integrator_name(ash_integrator integrator)
{
    return (unsigned)integrator < ASH_INTEGRATORS ? integrator_names[integrator] : "";
}

uint32_t ash_method_count(void)
{
    return PRESETS;
}

const char *ash_method_name(uint32_t index)
{
    return index < PRESETS ? presets[index].method.name : "";
}

const char *ash_method_summary(uint32_t index)
{
    return index < PRESETS ? presets[index].summary : "";
}

uint32_t ash_method_field_count(void)
{
    return FIELDS;
}

const char *ash_method_field_name(uint32_t index)
{
    return index < FIELDS ? fields[index].name : "";
}

const char *ash_method_field_summary(uint32_t index)
{
    return index < FIELDS ? fields[index].summary : "";
}

/* The number of `word` in `names`, or `count`. */
static size_t find_word(const char *word, const char *const *names, size_t count)
{
    size_t i = 0;
    while (i < count && strcmp(word, names[i]) != 0)
        i++;
    return i;
}

ash_status ash_method_find(const char *name, ash_method *method, ash_diagnostic *diagnostic)
{
    const char *names[PRESETS + ASH_INTEGRATORS];
    for (size_t i = 0; i < PRESETS; i++)
        names[i] = presets[i].method.name;
    for (size_t i = 0; i < ASH_INTEGRATORS; i++)
        names[PRESETS + i] = integrator_names[i];

    size_t found = name == NULL ? 0 : find_word(name, names, PRESETS + ASH_INTEGRATORS);
    if (found < PRESETS) {
        *method = presets[found].method;
        return ASH_OK;
    }
    if (found < PRESETS + ASH_INTEGRATORS) {
        *method = presets[0].method;
        snprintf(method->name, sizeof method->name, "%s", name);
        method->integrator = (ash_integrator)(found - PRESETS);
        return ASH_OK;
    }
    size_t later = sizeof later_presets / sizeof *later_presets;
    if (find_word(name, later_presets, later) < later)
        return ashi_fail(diagnostic, ASH_UNSUPPORTED, "method.later",
                         "method \"%s\" needs contacts and joints, which this version does not have yet", name);
    char hint[96];
    ashi_fail(diagnostic, ASH_NOT_FOUND, "method.unknown", "there is no method \"%s\"%s", name,
              ashi_did_you_mean(name, names, PRESETS + ASH_INTEGRATORS, hint, sizeof hint));
    ashi_expect(diagnostic, "realtime, engineering, or an integrator's name");
    return ASH_NOT_FOUND;
}

static ash_status bad_value(ash_diagnostic *diagnostic, const field *f, const char *value)
{
    char hint[96] = "";
    if (f->words != NULL)
        ashi_did_you_mean(value, f->words, f->word_count, hint, sizeof hint);
    ashi_fail(diagnostic, ASH_BAD_DATA, "method.value", "\"%s\" is not a value for %s%s", value, f->name, hint);
    return ashi_expect(diagnostic, "%s", f->summary);
}

/* The number of a field, or FIELDS. */
static size_t find_field(const char *name, const char *names[FIELDS])
{
    for (size_t i = 0; i < FIELDS; i++)
        names[i] = fields[i].name;
    return find_word(name, names, FIELDS);
}

/* Enums are as large as an int; a switch is a bool. */
static void set_word(ash_method *method, const field *f, size_t word)
{
    int number = (int)word;
    bool on = word == 1;
    memcpy((char *)method + f->offset, f->kind == SWITCH ? (void *)&on : (void *)&number,
           f->kind == SWITCH ? sizeof on : sizeof number);
}

static size_t get_word(const ash_method *method, const field *f)
{
    int number = 0;
    bool on = false;
    memcpy(f->kind == SWITCH ? (void *)&on : (void *)&number, (const char *)method + f->offset,
           f->kind == SWITCH ? sizeof on : sizeof number);
    return f->kind == SWITCH ? (size_t)on : (size_t)number;
}

ash_status ash_method_set(ash_method *method, const char *name, const char *value, ash_diagnostic *diagnostic)
{
    const char *names[FIELDS];
    size_t index = find_field(name, names);
    if (index == FIELDS) {
        char hint[96];
        return ashi_fail(diagnostic, ASH_NOT_FOUND, "method.field", "a method has no field \"%s\"%s", name,
                         ashi_did_you_mean(name, names, FIELDS, hint, sizeof hint));
    }
    const field *f = &fields[index];
    ash_method changed = *method;
    double number = 0;
    uint32_t count = 0;
    size_t word = 0;
    switch (f->kind) {
    case WORD:
    case SWITCH:
        word = find_word(value, f->words, f->word_count);
        if (word == f->word_count)
            return bad_value(diagnostic, f, value);
        set_word(&changed, f, word);
        break;
    case COUNT:
        if (!ashi_parse_count(value, &count) || count < f->low || count > f->high)
            return bad_value(diagnostic, f, value);
        memcpy((char *)&changed + f->offset, &count, sizeof count);
        break;
    case NUMBER:
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
    const char *names[FIELDS];
    size_t index = find_field(name, names);
    if (index == FIELDS)
        return NULL;
    const field *f = &fields[index];
    char digits[ASHI_NUMBER_SIZE];
    double number;
    uint32_t count;
    switch (f->kind) {
    case WORD:
    case SWITCH: {
        size_t word = get_word(method, f);
        snprintf(text, size, "%s", word < f->word_count ? f->words[word] : "");
        break;
    }
    case COUNT:
        memcpy(&count, (const char *)method + f->offset, sizeof count);
        snprintf(text, size, "%u", count);
        break;
    case NUMBER:
        memcpy(&number, (const char *)method + f->offset, sizeof number);
        snprintf(text, size, "%s", ashi_number_text(number, digits));
        break;
    }
    return text;
}

bool ashi_method_is_valid(const ash_method *method, ash_diagnostic *diagnostic)
{
    for (size_t i = 0; i < FIELDS; i++) {
        const field *f = &fields[i];
        char text[64];
        ash_method copy = *method;
        if (ash_method_set(&copy, f->name, ash_method_get(method, f->name, text, sizeof text), diagnostic) != ASH_OK)
            return false;
    }
    return true;
}

bool ashi_method_has_same_fields(const ash_method *a, const ash_method *b)
{
    char text_a[64], text_b[64];
    for (size_t i = 0; i < FIELDS; i++)
        if (strcmp(ash_method_get(a, fields[i].name, text_a, sizeof text_a),
                   ash_method_get(b, fields[i].name, text_b, sizeof text_b)) != 0)
            return false;
    return true;
}
