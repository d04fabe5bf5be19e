/* Objects written by their table of keys. Default values are left out. */
#include "scene/file/write.h"

#include <stdio.h>
#include <string.h>

typedef void (*write_value)(ashi_writer *writer, const ashi_key *key, const void *value);

static bool is_in_range(const ashi_key *key, double number)
{
    return key->range == ASHI_ANY || (key->range == ASHI_POSITIVE ? number > 0 : number >= 0);
}

static void write_number(ashi_writer *writer, const ashi_key *key, const void *value)
{
    if (is_in_range(key, *(const double *)value))
        ashi_json_number(&writer->json, key->name, *(const double *)value);
}

static void write_whole(ashi_writer *writer, const ashi_key *key, const void *value)
{
    ashi_json_number(&writer->json, key->name, *(const int32_t *)value);
}

static void write_switch(ashi_writer *writer, const ashi_key *key, const void *value)
{
    ashi_json_bool(&writer->json, key->name, *(const bool *)value);
}

static void write_not(ashi_writer *writer, const ashi_key *key, const void *value)
{
    ashi_json_bool(&writer->json, key->name, !*(const bool *)value);
}

static void write_word(ashi_writer *writer, const ashi_key *key, const void *value)
{
    uint32_t number;
    memcpy(&number, value, sizeof number);
    ashi_json_string(&writer->json, key->name, key->words().list[number]);
}

static void write_text(ashi_writer *writer, const ashi_key *key, const void *value)
{
    const char *text = *(const char *const *)value;
    if (text != NULL)
        ashi_json_string(&writer->json, key->name, text);
}

static void write_vector(ashi_writer *writer, const ashi_key *key, const void *value)
{
    ashi_json_vector(&writer->json, key->name, *(const ash_vec3 *)value);
}

static void write_rotation(ashi_writer *writer, const ashi_key *key, const void *value)
{
    const ash_quat *q = value;
    const double wxyz[4] = {q->w, q->x, q->y, q->z};
    ashi_json_numbers(&writer->json, key->name, wxyz, 4);
}

static void write_inertia(ashi_writer *writer, const ashi_key *key, const void *value)
{
    const ash_sym3 *m = value;
    const double entries[6] = {m->xx, m->yy, m->zz, m->xy, m->xz, m->yz}, zeros[3] = {0};
    ashi_json_numbers(&writer->json, key->name, entries, memcmp(entries + 3, zeros, sizeof zeros) != 0 ? 6 : 3);
}

static void write_locks(ashi_writer *writer, const ashi_key *key, const void *value)
{
    uint32_t locks = *(const uint32_t *)value;
    ashi_words words = ashi_lock_words();
    bool rotation = (locks & ASH_LOCK_ROTATION) == ASH_LOCK_ROTATION;
    ashi_json_open(&writer->json, key->name, '[', false);
    for (uint32_t bit = 0; bit < 6; bit++)
        if ((locks & 1u << bit) != 0 && (bit < 3 || !rotation))
            ashi_json_string(&writer->json, NULL, words.list[bit]);
    if (rotation)
        ashi_json_string(&writer->json, NULL, words.list[6]);
    ashi_json_close(&writer->json);
}

static void write_bits(ashi_writer *writer, const ashi_key *key, const void *value)
{
    uint64_t bits = *(const uint64_t *)value;
    double numbers[64];
    size_t count = 0;
    for (uint32_t bit = 0; bit < 64; bit++)
        if ((bits >> bit & 1) != 0)
            numbers[count++] = bit;
    ashi_json_numbers(&writer->json, key->name, numbers, count);
}

static void write_colour(ashi_writer *writer, const ashi_key *key, const void *value)
{
    uint32_t colour = *(const uint32_t *)value;
    char text[16];
    snprintf(text, sizeof text, "#%06x", colour & 0xffffff);
    if (colour != ASHI_NONE)
        ashi_json_string(&writer->json, key->name, text);
}

static void write_paint(ashi_writer *writer, const ashi_key *key, const void *value)
{
    const ashi_paint *paint = value;
    if (paint->given)
        ashi_json_numbers(&writer->json, key->name, paint->rgba, paint->rgba[3] == 1 ? 3 : 4);
}

static void write_length(ashi_writer *writer, const ashi_key *key, const void *value)
{
    double length = *(const double *)value;
    if (length >= 0)
        ashi_json_number(&writer->json, key->name, length);
    else
        ashi_json_string(&writer->json, key->name, "initial");
}

static void write_signal(ashi_writer *writer, const ashi_key *key, const void *value)
{
    (void)key;
    ashi_write_signal(&writer->json, value);
}

static void write_material(ashi_writer *writer, const ashi_key *key, const void *value)
{
    uint32_t material = *(const uint32_t *)value;
    if (material != ASHI_NONE)
        ashi_json_string(&writer->json, key->name, writer->material_names[material]);
}

static void write_body(ashi_writer *writer, const ashi_key *key, const void *value)
{
    ashi_write_body_unless_background(writer, key->name, *(const ash_body *)value);
}

static const struct {
    write_value write;
    size_t size; /* of the value */
} writers[ASHI_VALUE_TYPES] = {
    [ASHI_VALUE_NUMBER] = {write_number, sizeof(double)},
    [ASHI_VALUE_WHOLE] = {write_whole, sizeof(int32_t)},
    [ASHI_VALUE_SWITCH] = {write_switch, sizeof(bool)},
    [ASHI_VALUE_NOT] = {write_not, sizeof(bool)},
    [ASHI_VALUE_WORD] = {write_word, sizeof(uint32_t)},
    [ASHI_VALUE_TEXT] = {write_text, sizeof(char *)},
    [ASHI_VALUE_VECTOR] = {write_vector, sizeof(ash_vec3)},
    [ASHI_VALUE_SHARES] = {write_vector, sizeof(ash_vec3)},
    [ASHI_VALUE_ROTATION] = {write_rotation, sizeof(ash_quat)},
    [ASHI_VALUE_INERTIA] = {write_inertia, sizeof(ash_sym3)},
    [ASHI_VALUE_LOCKS] = {write_locks, sizeof(uint32_t)},
    [ASHI_VALUE_BITS] = {write_bits, sizeof(uint64_t)},
    [ASHI_VALUE_COLOUR] = {write_colour, sizeof(uint32_t)},
    [ASHI_VALUE_PAINT] = {write_paint, sizeof(ashi_paint)},
    [ASHI_VALUE_LENGTH] = {write_length, sizeof(double)},
    [ASHI_VALUE_SIGNAL] = {write_signal, sizeof(ash_signal)},
    [ASHI_VALUE_MATERIAL] = {write_material, sizeof(uint32_t)},
    [ASHI_VALUE_BODY] = {write_body, sizeof(ash_body)},
    [ASHI_VALUE_OWN_BODY] = {write_body, sizeof(ash_body)},
};

void ashi_write_keys(ashi_writer *writer, const ashi_key_table *table, const void *object)
{
    union {
        ashi_scene_body body;
        ashi_scene_shape shape;
        ashi_scene_material material;
        ashi_scene_material_pair pair;
        ashi_scene_force force;
        ashi_scene_event event;
    } usual;
    memset(&usual, 0, sizeof usual);
    table->usual(&usual);
    for (uint32_t i = 0; i < table->count; i++) {
        const ashi_key *key = &table->keys[i];
        const void *value = ashi_value_in(object, key);
        size_t size = writers[key->type].size;
        if (size > 0 && (key->always || memcmp(value, ashi_value_in(&usual, key), size) != 0))
            writers[key->type].write(writer, key, value);
    }
}

void ashi_write_given_keys(ashi_writer *writer, const ashi_key_table *table, const void *object, uint32_t given)
{
    for (uint32_t i = 0; i < table->count; i++)
        if ((given >> i & 1) != 0 && writers[table->keys[i].type].size > 0)
            writers[table->keys[i].type].write(writer, &table->keys[i], ashi_value_in(object, &table->keys[i]));
}
