/* The tables of keys: each says what the code does, and one line more is a key more for reader and writer. The linker
 * puts our table of bodies in the place of the real one (--wrap). */
#include "check.h"

#include "ashlar/ashlar.h"
#include "scene/description/keys.h"

#include <stdlib.h>
#include <string.h>

const ashi_key_table *__real_ashi_key_table_of(ashi_table table);
const ashi_key_table *__wrap_ashi_key_table_of(ashi_table table);

static ashi_key own_keys[ASHI_MOST_KEYS];
static ashi_key_table own_table;

/* The bodies' table with a line of ours, "lightness" for the scale of gravity, in place of "gravity_scale". */
const ashi_key_table *__wrap_ashi_key_table_of(ashi_table table)
{
    const ashi_key_table *real = __real_ashi_key_table_of(table);
    if (table != ASHI_TABLE_BODY)
        return real;
    own_table = *real;
    own_table.keys = own_keys;
    memcpy(own_keys, real->keys, real->count * sizeof *own_keys);
    for (uint32_t i = 0; i < real->count; i++)
        if (strcmp(own_keys[i].name, "gravity_scale") == 0)
            own_keys[i].name = "lightness";
    return &own_table;
}

static void a_line_more_is_a_key_more(void **state)
{
    (void)state;
    const char text[] = "{\"ashlar\": 1, \"bodies\": [{\"mass\": 1, \"lightness\": 0.25}, {\"mass\": 1}]}";
    const char old[] = "{\"ashlar\": 1, \"bodies\": [{\"mass\": 1, \"gravity_scale\": 0.25}]}";
    ash_scene *scene;
    ash_diagnostic diagnostic;
    char *written;
    size_t size;
    assert_int_equal(ash_scene_parse(old, strlen(old), "old", &scene, &diagnostic), ASH_BAD_DATA);
    assert_non_null(strstr(diagnostic.expected, "\"lightness\""));
    assert_int_equal(ash_scene_parse(text, strlen(text), "new", &scene, &diagnostic), ASH_OK);
    assert_true(scene->bodies.data[0].def.gravity_scale == 0.25 && scene->bodies.data[1].def.gravity_scale == 1);
    assert_int_equal(ash_scene_write(scene, &written, &size, &diagnostic), ASH_OK);
    const char *first = strstr(written, "\"lightness\": 0.25");
    assert_non_null(first);
    assert_null(strstr(first + 2, "lightness")); /* the second body's is as usual */
    ash_free(written);
    ash_scene_destroy(scene);
}

/* The documents' words for what is left out are the numbers that the code has. */
static void what_is_left_out_is_as_the_documents_say(void **state)
{
    (void)state;
    uint32_t numbers = 0;
    for (int t = 0; t < ASHI_TABLES; t++) {
        const ashi_key_table *table = ashi_key_table_of((ashi_table)t);
        char *object = calloc(1, table->size);
        table->usual(object);
        for (uint32_t i = 0; i < table->count; i++) {
            const ashi_key *key = &table->keys[i];
            char *end;
            double said = strtod(key->usual, &end);
            if (end == key->usual || (*end != 0 && *end != ':') || key->type == ASHI_VALUE_OTHER)
                continue;
            numbers++;
            if (key->type == ASHI_VALUE_NUMBER)
                assert_true(*(const double *)ashi_value_in(object, key) == said);
            else if (key->type == ASHI_VALUE_VECTOR)
                assert_true(ash_vec3_length(*(const ash_vec3 *)ashi_value_in(object, key)) == said);
            else
                assert_true(key->type == ASHI_VALUE_WHOLE && *(const int32_t *)ashi_value_in(object, key) == said);
        }
        free(object);
    }
    assert_true(numbers > 20);
}

static void every_name_stands_once(void **state)
{
    (void)state;
    for (int t = 0; t < ASHI_TABLES; t++) {
        const ashi_key_table *table = ashi_key_table_of((ashi_table)t);
        assert_true(table->count <= ASHI_MOST_KEYS);
        for (uint32_t i = 0; i < table->count; i++) {
            assert_true(table->keys[i].offset < table->size);
            assert_true((table->keys[i].type == ASHI_VALUE_WORD) == (table->keys[i].words != NULL));
            for (uint32_t k = 0; k < i; k++)
                assert_string_not_equal(table->keys[i].name, table->keys[k].name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_more_is_a_key_more),
        cmocka_unit_test(what_is_left_out_is_as_the_documents_say),
        cmocka_unit_test(every_name_stands_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
