/* The keys of scene files: one table for each kind of object, one line for each key.
 *
 * Reader (scene/file/read_keys.c), writer (write_keys.c), the viewer, `ashlar list --json`, and from there the schema
 * and the tables of docs/scene-file.md (tools/keys) all use these tables, so that a key is one line here. */
#ifndef ASHI_SCENE_KEYS_H
#define ASHI_SCENE_KEYS_H

#include "scene/description/lattice.h"
#include "scene/description/names.h"

/* The type of a value in the file and in the object. */
typedef enum ashi_value_type {
    ASHI_VALUE_NUMBER,   /* double, within its range; one outside it is not written */
    ASHI_VALUE_WHOLE,    /* int32_t */
    ASHI_VALUE_SWITCH,   /* bool */
    ASHI_VALUE_NOT,      /* bool, the opposite of the file's */
    ASHI_VALUE_WORD,     /* an enum */
    ASHI_VALUE_TEXT,     /* const char *; null: none */
    ASHI_VALUE_VECTOR,   /* ash_vec3 */
    ASHI_VALUE_SHARES,   /* ash_vec3, each 0 to 1 */
    ASHI_VALUE_ROTATION, /* ash_quat */
    ASHI_VALUE_INERTIA,  /* ash_sym3: three numbers or six */
    ASHI_VALUE_LOCKS,    /* uint32_t, bits of ash_lock */
    ASHI_VALUE_BITS,     /* uint64_t: the numbers of its bits */
    ASHI_VALUE_COLOUR,   /* uint32_t, 0xrrggbb: "#rrggbb"; ASHI_NONE: none */
    ASHI_VALUE_PAINT,    /* ashi_paint: three numbers from 0 to 1, or four */
    ASHI_VALUE_LENGTH,   /* double; "initial": -1 */
    ASHI_VALUE_SIGNAL,   /* ash_signal */
    ASHI_VALUE_MATERIAL, /* uint32_t by its name; ASHI_NONE: the default one */
    ASHI_VALUE_BODY,     /* ash_body of a description; null: the background */
    ASHI_VALUE_OWN_BODY, /* the same; the background does not do, and the key is required */
    ASHI_VALUE_OTHER,    /* read and written by code of the section */
    ASHI_VALUE_TYPES
} ashi_value_type;

typedef enum ashi_range_kind { ASHI_ANY, ASHI_NOT_NEGATIVE, ASHI_POSITIVE, ASHI_ZERO_TO_ONE } ashi_range_kind;

typedef struct ashi_key {
    const char *name;
    const char *summary; /* for documents: its meaning, with the unit */
    const char *usual;   /* for documents: its value if it is left out */
    ashi_value_type type;
    size_t offset; /* of the value in its object */
    ashi_range_kind range;
    ashi_words (*words)(void);
    uint32_t sets;      /* of events: the fields of ashi_event_field that it belongs to */
    bool always;        /* written even if it is the default */
    const char *schema; /* the definition that the schema refers to; null: that of its type */
} ashi_key;

#define ASHI_MOST_KEYS 24

typedef struct ashi_key_table {
    const char *name, *summary;
    const ashi_key *keys;
    uint32_t count;
    size_t size;                 /* of the object */
    void (*usual)(void *object); /* makes an object in which everything is left out */
} ashi_key_table;

/* A material as in a file. */
typedef struct ashi_scene_material {
    ash_material_def def;
    ashi_material_look look;
} ashi_scene_material;

typedef enum ashi_table {
    ASHI_TABLE_MATERIAL,      /* ashi_scene_material */
    ASHI_TABLE_MATERIAL_PAIR, /* ashi_scene_material_pair; its first two keys are the materials */
    ASHI_TABLE_BODY,          /* ashi_scene_body */
    ASHI_TABLE_SHAPE,         /* ashi_scene_shape, on a body */
    ASHI_TABLE_STRING,        /* ashi_cord_string */
    ASHI_TABLE_NET,           /* ashi_cord_net */
    ASHI_TABLE_SPRING,        /* ashi_scene_force: the kinds in their order */
    ASHI_TABLE_ANGULAR_SPRING,
    ASHI_TABLE_BENDING_SPRING,
    ASHI_TABLE_DRAG,
    ASHI_TABLE_PULL,
    ASHI_TABLE_LOAD,
    ASHI_TABLE_SET_BODY, /* ashi_scene_event: the values of a "set" */
    ASHI_TABLE_SET_FORCE,
    ASHI_TABLE_SET_SPRING,
    ASHI_TABLE_SET_PULL,
    ASHI_TABLE_SET_LOAD,
    ASHI_TABLE_SET_JOINT,
    ASHI_TABLE_SET_HYDRAULIC,
    ASHI_TABLE_SET_LENGTH, /* of joints that have a length */
    ASHI_TABLES
} ashi_table;

#define ASHI_PAIR_SURFACE_KEY 2 /* first key of the law; keys are in the order of ashi_surface_field */

const ashi_key_table *ashi_key_table_of(ashi_table table);
const ashi_key_table *ashi_force_keys(ash_force_kind kind);
/* The values that a "set" may have: those of its object's kind. */
const ashi_key_table *ashi_event_keys(const ash_scene *scene, const ashi_scene_event *event);
const char *ashi_value_type_name(ashi_value_type type);

/* All names of a table, into `names` with room for ASHI_MOST_KEYS. */
ashi_words ashi_key_names(const ashi_key_table *table, const char **names);

static inline void *ashi_value_at(void *object, const ashi_key *key)
{
    return (char *)object + key->offset;
}

static inline const void *ashi_value_in(const void *object, const ashi_key *key)
{
    return (const char *)object + key->offset;
}

#endif
