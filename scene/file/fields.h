/* Typed fields of JSON objects. Every function returns false after writing a diagnostic with file, line, column, path,
 * the offending value and what was expected; a missing optional field leaves the caller's value. */
#ifndef ASHI_SCENE_FIELDS_H
#define ASHI_SCENE_FIELDS_H

#include "base/diagnostic.h"
#include "scene/description/keys.h"
#include "scene/file/place.h"

#define ASHI_DEEPEST_SHAPE 32 /* compounds in compounds */

typedef struct ashi_reader {
    const char *text;
    size_t size;
    const char *label;         /* the file */
    const char *path;          /* the same, where it is a file: it may name others */
    const char *kind;          /* what the file holds, for messages and codes; null: "scene" */
    const ashi_source *source; /* null: the values are in `text` itself */
    ash_status status;         /* of the failure */
    ash_diagnostic diagnostic;
    ash_scene *scene;
    /* name -> number, or -1 for a name that several have */
    json_t *materials, *geometries, *bodies, *joints, *forces, *outputs;
    uint32_t open_shapes[ASHI_DEEPEST_SHAPE]; /* named shapes being read, each a part of the one before */
    uint32_t open_count;
    ASHI_ARRAY(ashi_lattice) lattices;    /* strings and nets whose bodies are made */
    uint64_t sampled;                     /* samples of meshes that distance fields take so far */
    double *signal_times, *signal_values; /* of the force that is being read, until the scene has copied them */
} ashi_reader;

/* Samples of meshes that the distance fields of a scene may take together. */
#define ASHI_MAX_SAMPLED 4000000

typedef enum ashi_need { ASHI_OPTIONAL, ASHI_REQUIRED } ashi_need;

/* Parses the text; null after a failure has been noted. */
json_t *ashi_read_json(ashi_reader *reader);

/* Notes a failure at the place and returns false. */
bool ashi_read_fail(ashi_reader *reader, const ashi_place *place, ash_status status, const char *code,
                    const char *format, ...) ASHI_PRINTF(5, 6);
/* The same at the key of a member instead of its value. */
bool ashi_read_fail_key(ashi_reader *reader, const ashi_place *place, ash_status status, const char *code,
                        const char *format, ...) ASHI_PRINTF(5, 6);
/* Adds what was expected to the failure just noted and returns false. */
bool ashi_read_expect(ashi_reader *reader, const char *format, ...) ASHI_PRINTF(2, 3);
/* "expected ..., not <value>"; a missing value is said to be missing. */
bool ashi_read_wrong(ashi_reader *reader, const ashi_place *place, const char *code, const char *format, ...)
    ASHI_PRINTF(4, 5);
/* A failure that another part of the library reported in reader->diagnostic: file, line, column and path are added. */
bool ashi_read_passed_on(ashi_reader *reader, const ashi_place *place, ash_status status);
bool ashi_read_no_memory(ashi_reader *reader);

/* The value as it stands in the file, shortened to fit. */
const char *ashi_value_text(const json_t *value, char *text, size_t size);

/* Checks that it is an object with no other keys than these. */
bool ashi_read_object(ashi_reader *reader, const ashi_place *place, ashi_words keys);
/* Checks that it is an array. A missing one counts as empty. */
bool ashi_read_array(ashi_reader *reader, const ashi_place *place, size_t *count);

bool ashi_read_number(ashi_reader *reader, const ashi_place *object, const char *key, ashi_need need,
                      ashi_range_kind range, double *value);
bool ashi_read_bool(ashi_reader *reader, const ashi_place *object, const char *key, bool *value);
/* The text is borrowed from the JSON value. */
bool ashi_read_text(ashi_reader *reader, const ashi_place *object, const char *key, ashi_need need, const char **text);
bool ashi_read_word(ashi_reader *reader, const ashi_place *object, const char *key, ashi_need need, ashi_words words,
                    uint32_t *number);
bool ashi_read_vector(ashi_reader *reader, const ashi_place *object, const char *key, ashi_need need, ash_vec3 *vector);
/* `count` numbers exactly. */
bool ashi_read_tuple(ashi_reader *reader, const ashi_place *place, size_t count, double *numbers);
/* A quaternion [w, x, y, z] or {"axis": [...], "degrees": ...}; its length becomes one. */
bool ashi_read_rotation(ashi_reader *reader, const ashi_place *object, const char *key, ash_quat *rotation);
/* Any number of numbers; released by the caller. */
bool ashi_read_numbers(ashi_reader *reader, const ashi_place *object, const char *key, double **numbers,
                       uint32_t *count);

/* Enters a name into one of the reader's tables. */
bool ashi_read_enter_name(ashi_reader *reader, json_t *table, const char *name, uint32_t number);
/* An object of `what` by its name or by its number below `count`. Null or missing, where optional: ASHI_NONE. */
bool ashi_read_reference(ashi_reader *reader, const ashi_place *object, const char *key, ashi_need need, json_t *table,
                         uint32_t count, const char *what, uint32_t *number);

#endif
