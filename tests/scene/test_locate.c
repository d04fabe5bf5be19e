/* Lines and columns of values and keys in JSON text. */
#include "check.h"

#include "scene/file/place.h"

#include <string.h>

static const char text[] = "\n"
                           "{\n"
                           "  \"a\": [10, {\"b\": \"x,]}\\\"\", \"c\" : -1.5e3}, [[], {}], true],\n"
                           "  \"\\u00fc\\ud83d\\ude00\\n\": {\"é\": \"ö\", \"k\": null}, \"last\": 7\n"
                           "}\n";

static json_t *root;

static int load(void **state)
{
    (void)state;
    root = json_loadb(text, strlen(text), 0, NULL);
    return root == NULL;
}

static int unload(void **state)
{
    (void)state;
    json_decref(root);
    return 0;
}

static void check_at(const ashi_place *place, bool key, int line, int column)
{
    int found_line = 0, found_column = 0;
    assert_true(ashi_locate(text, strlen(text), place, key, &found_line, &found_column));
    assert_int_equal(found_line, line);
    assert_int_equal(found_column, column);
}

static void values_and_keys_are_found(void **state)
{
    (void)state;
    ashi_place top = {.value = root}, a = ashi_at_key(&top, "a"), first = ashi_at_index(&a, 0),
               object = ashi_at_index(&a, 1), b = ashi_at_key(&object, "b"), c = ashi_at_key(&object, "c"),
               lists = ashi_at_index(&a, 2), empty = ashi_at_index(&lists, 1), yes = ashi_at_index(&a, 3);
    check_at(&top, false, 2, 1);
    check_at(&a, false, 3, 8);
    check_at(&a, true, 3, 3);
    check_at(&first, false, 3, 9);
    check_at(&first, true, 3, 9); /* an element has no key */
    check_at(&b, false, 3, 19);
    check_at(&c, false, 3, 35);
    check_at(&c, true, 3, 29);
    check_at(&empty, false, 3, 49);
    check_at(&yes, false, 3, 54);
    ashi_place last = ashi_at_key(&top, "last");
    check_at(&last, false, 4, 58);
}

static void escapes_and_wide_characters_count_once(void **state)
{
    (void)state;
    ashi_place top = {.value = root}, odd = ashi_at_key(&top, "ü😀\n"), e = ashi_at_key(&odd, "é"),
               k = ashi_at_key(&odd, "k");
    assert_non_null(odd.value);
    check_at(&odd, true, 4, 3);
    check_at(&odd, false, 4, 27);
    check_at(&e, false, 4, 33);
    check_at(&k, true, 4, 38);
}

static void a_missing_value_is_where_it_should_be(void **state)
{
    (void)state;
    ashi_place top = {.value = root}, a = ashi_at_key(&top, "a"), object = ashi_at_index(&a, 1),
               missing = ashi_at_key(&object, "nothing");
    check_at(&missing, false, 3, 13);
    check_at(&missing, true, 3, 13);
}

static void paths_are_json_pointers(void **state)
{
    (void)state;
    char path[64];
    json_t *value = json_pack("{s: {s: [i, i]}}", "a/b", "~c", 1, 2);
    ashi_place top = {.value = value}, x = ashi_at_key(&top, "a/b"), y = ashi_at_key(&x, "~c"),
               z = ashi_at_index(&y, 1);
    ashi_place_path(&z, path, sizeof path);
    assert_string_equal(path, "/a~1b/~0c/1");
    ashi_place_path(&top, path, sizeof path);
    assert_string_equal(path, "");
    ashi_place_path(&z, path, 5);
    assert_string_equal(path, "/a~1");
    json_decref(value);
}

/* Text that is not what was read: no answer or some answer, never a step outside. */
static void cut_text_is_no_trouble(void **state)
{
    (void)state;
    ashi_place top = {.value = root}, odd = ashi_at_key(&top, "ü😀\n"), k = ashi_at_key(&odd, "k"),
               a = ashi_at_key(&top, "a"), lists = ashi_at_index(&a, 2);
    for (size_t size = 0; size < strlen(text); size++) {
        char *copy = test_malloc(size + 1); /* cmocka guards what is behind it */
        memcpy(copy, text, size);
        int line, column;
        ashi_locate(copy, size, &k, true, &line, &column);
        ashi_locate(copy, size, &lists, false, &line, &column);
        test_free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_keys_are_found),
        cmocka_unit_test(escapes_and_wide_characters_count_once),
        cmocka_unit_test(a_missing_value_is_where_it_should_be),
        cmocka_unit_test(paths_are_json_pointers),
        cmocka_unit_test(cut_text_is_no_trouble),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
