/* Methods by name: the presets, and each field set from and written as text.
 *
 * A preset is in the table only when all that its source describes is there; the names that the project will have later
 * are known, so that asking for one says so. */
#include "ashlar/method.h"

#include "base/diagnostic.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const char *const integrator_names[ASH_INTEGRATORS] = {
    [ASH_EXPLICIT_EULER] = "explicit-euler",       [ASH_SYMPLECTIC_EULER] = "symplectic-euler",
    [ASH_IMPLICIT_EULER] = "implicit-euler",       [ASH_RK4] = "rk4",
    [ASH_IMPLICIT_MIDPOINT] = "implicit-midpoint", [ASH_AXIS_SPLITTING] = "axis-splitting",
};

typedef struct preset {
    ash_method method;
    const char *summary;
} preset;

static const preset presets[] = {
    {{"realtime", ASH_AXIS_SPLITTING, 200, 1e-10}, "explicit and fast: symplectic Euler, free rotation split by axes"},
    {{"engineering", ASH_IMPLICIT_MIDPOINT, 200, 1e-14}, "order 2, conserves energy and momentum of free motion"},
};
enum { PRESETS = sizeof presets / sizeof *presets };

static const char *const later_presets[] = {"gribel-2009",  "stewart-trinkle",     "dejong-2014",
                                            "faure",        "bender-schmitt-2006", "bender-iterative",
                                            "erleben-2007", "guendelman-2003",     "penalty"};

typedef struct field {
    const char *name, *summary;
} field;

static const field fields[] = {
    {"integrator", "explicit-euler | symplectic-euler | implicit-euler | rk4 | implicit-midpoint | axis-splitting"},
    {"max-iterations", "limit of the implicit solves in a step, 1 to 1000000"},
    {"tolerance", "relative tolerance of the implicit solves, 1e-16 to 1"},
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

static ash_status bad_value(ash_diagnostic *diagnostic, size_t index, const char *value, const char *hint)
{
    ashi_fail(diagnostic, ASH_BAD_DATA, "method.value", "\"%s\" is not a value for %s%s", value, fields[index].name,
              hint);
    return ashi_expect(diagnostic, "%s", fields[index].summary);
}

ash_status ash_method_set(ash_method *method, const char *name, const char *value, ash_diagnostic *diagnostic)
{
    const char *names[FIELDS];
    for (size_t i = 0; i < FIELDS; i++)
        names[i] = fields[i].name;
    size_t index = find_word(name, names, FIELDS);
    char hint[96] = "";
    double number;
    uint32_t count;
    ash_method changed = *method;
    switch (index) {
    case 0: {
        size_t integrator = find_word(value, integrator_names, ASH_INTEGRATORS);
        if (integrator == ASH_INTEGRATORS)
            return bad_value(diagnostic, index, value,
                             ashi_did_you_mean(value, integrator_names, ASH_INTEGRATORS, hint, sizeof hint));
        changed.integrator = (ash_integrator)integrator;
        break;
    }
    case 1:
        if (!ashi_parse_count(value, &count) || count < 1 || count > 1000000)
            return bad_value(diagnostic, index, value, hint);
        changed.max_iterations = count;
        break;
    case 2:
        if (!ashi_parse_number(value, &number) || number < 1e-16 || number > 1)
            return bad_value(diagnostic, index, value, hint);
        changed.tolerance = number;
        break;
    default:
        return ashi_fail(diagnostic, ASH_NOT_FOUND, "method.field", "a method has no field \"%s\"%s", name,
                         ashi_did_you_mean(name, names, FIELDS, hint, sizeof hint));
    }
    if (changed.integrator != method->integrator || changed.max_iterations != method->max_iterations ||
        changed.tolerance != method->tolerance)
        snprintf(changed.name, sizeof changed.name, "custom");
    *method = changed;
    return ASH_OK;
}

const char *ash_method_get(const ash_method *method, const char *name, char *text, size_t size)
{
    if (strcmp(name, "integrator") == 0)
        snprintf(text, size, "%s", ash_integrator_name(method->integrator));
    else if (strcmp(name, "max-iterations") == 0)
        snprintf(text, size, "%u", method->max_iterations);
    else if (strcmp(name, "tolerance") == 0)
        snprintf(text, size, "%.17g", method->tolerance);
    else
        return NULL;
    return text;
}
