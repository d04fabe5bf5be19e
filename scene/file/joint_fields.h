/* The plain numbers of a joint's definition: their keys in files, their ranges, and which kinds have them. */
#ifndef ASHI_SCENE_JOINT_FIELDS_H
#define ASHI_SCENE_JOINT_FIELDS_H

#include "scene/file/fields.h"

typedef struct ashi_number_field {
    const char *key;
    size_t offset;         /* of a double in its struct */
    ashi_range_kind range; /* that files may hold */
    uint32_t kinds;        /* bits of ash_joint_kind that have it */
} ashi_number_field;

typedef struct ashi_number_fields {
    const ashi_number_field *list;
    uint32_t count;
} ashi_number_fields;

ashi_number_fields ashi_joint_number_fields(void); /* of ash_joint_def, without the length */
ashi_number_fields ashi_axis_number_fields(void);  /* of ash_joint_axis */
ashi_number_fields ashi_motor_number_fields(void); /* of ash_joint_motor */

/* Has a joint of this kind the key? True too for those that every kind has. */
bool ashi_joint_has_key(ash_joint_kind kind, const char *key);

/* All keys of a kind, into `keys` with room for ASHI_JOINT_MOST_KEYS. */
#define ASHI_JOINT_MOST_KEYS 32
ashi_words ashi_joint_keys(ash_joint_kind kind, const char **keys);

static inline double *ashi_number_at(void *object, const ashi_number_field *field)
{
    return (double *)(void *)((char *)object + field->offset);
}

#endif
