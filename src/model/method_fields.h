/* The tables behind methods: presets, and fields by name. */
#ifndef ASHI_MODEL_METHOD_FIELDS_H
#define ASHI_MODEL_METHOD_FIELDS_H

#include "ashlar/method.h"

/* The method from which all presets start. */
extern const ash_method ashi_common_method;

#define ASHI_PRESET_CHANGES 20
typedef struct ashi_preset {
    const char *name, *summary;
    const char *changes[ASHI_PRESET_CHANGES][2]; /* field and value; null ends the list */
} ashi_preset;
extern const ashi_preset ashi_presets[];
extern const uint32_t ashi_preset_count;

/* A field is one of some words, a count or a number, at its place in the method. */
typedef enum ashi_field_kind { ASHI_WORD, ASHI_SWITCH, ASHI_COUNT, ASHI_NUMBER } ashi_field_kind;
typedef struct ashi_method_field {
    const char *name, *summary;
    ashi_field_kind kind;
    size_t offset;
    const char *const *words;
    uint32_t word_count;
    double low, high;
} ashi_method_field;
enum { ASHI_METHOD_FIELDS = 79 };
extern const ashi_method_field ashi_method_fields[ASHI_METHOD_FIELDS];
extern const char *const ashi_integrator_names[ASH_INTEGRATORS];
extern const char *const ashi_solver_names[ASH_SOLVERS];

#endif
