/* Diagnostics as text, suggestions, status texts and the log hook. */
#include "check.h"

#include "base/diagnostic.h"

#include <string.h>

static void test_status_and_version(void **state)
{
    (void)state;
    assert_string_equal(ash_version(), "0.1.0");
    assert_string_equal(ash_status_text(ASH_OK), "ok");
    assert_string_equal(ash_status_text(ASH_BAD_HANDLE), "bad handle");
    assert_string_equal(ash_status_text(ASH_OUT_OF_MEMORY), "out of memory");
    assert_string_equal(ash_status_text(ASH_NUMERICS), "numerics");
    assert_string_equal(ash_status_text((ash_status)99), "unknown status");
    assert_string_equal(ash_status_text((ash_status)-1), "unknown status");
}

static void test_parts_of_the_line(void **state)
{
    (void)state;
    char text[1000];
    ash_diagnostic d = {0};
    assert_string_equal(ash_diagnostic_text(&d, text, sizeof text), "ok");
    assert_int_equal(ashi_fail(&d, ASH_BAD_DATA, "scene.mass", "mass is %d", -3), ASH_BAD_DATA);
    assert_string_equal(d.code, "scene.mass");
    assert_string_equal(ash_diagnostic_text(&d, text, sizeof text), "mass is -3");
    assert_int_equal(ashi_expect(&d, "a number above %d", 0), ASH_BAD_DATA);
    assert_string_equal(ash_diagnostic_text(&d, text, sizeof text), "mass is -3 (expected a number above 0)");
    strcpy(d.path, "/bodies/3/mass");
    assert_string_equal(ash_diagnostic_text(&d, text, sizeof text),
                        "/bodies/3/mass: mass is -3 (expected a number above 0)");
    strcpy(d.file, "net.json");
    d.line = 12;
    d.column = 7;
    assert_string_equal(ash_diagnostic_text(&d, text, sizeof text),
                        "net.json:12:7: /bodies/3/mass: mass is -3 (expected a number above 0)");
    d.column = 0;
    d.path[0] = d.expected[0] = 0;
    assert_string_equal(ash_diagnostic_text(&d, text, sizeof text), "net.json:12: mass is -3");
    d.message[0] = 0;
    assert_string_equal(ash_diagnostic_text(&d, text, sizeof text), "net.json:12: bad data");
}

static void test_null_diagnostics(void **state)
{
    (void)state;
    char text[10] = "before";
    assert_int_equal(ashi_fail(NULL, ASH_IO, "x", "y"), ASH_IO);
    assert_int_equal(ashi_expect(NULL, "y"), ASH_BAD_DATA);
    assert_int_equal(ashi_out_of_memory(NULL), ASH_OUT_OF_MEMORY);
    assert_string_equal(ash_diagnostic_text(NULL, text, sizeof text), "");
    ash_diagnostic d;
    assert_int_equal(ashi_out_of_memory(&d), ASH_OUT_OF_MEMORY);
    assert_string_equal(d.message, "out of memory");
    assert_null(ash_diagnostic_text(&d, NULL, 0));
}

/* Every size gives a prefix of the whole line, ends with a null and writes nothing beyond. */
static void test_truncation(void **state)
{
    (void)state;
    ash_diagnostic d;
    char whole[2000], cut[2000];
    ashi_fail(&d, ASH_BAD_DATA, "c", "something is %s", "wrong");
    ashi_expect(&d, "something else");
    strcpy(d.file, "file.json");
    d.line = 1234;
    d.column = 56;
    strcpy(d.path, "/a/b");
    size_t length = strlen(ash_diagnostic_text(&d, whole, sizeof whole));
    for (size_t size = 0; size < length + 3; size++) {
        memset(cut, '#', sizeof cut);
        ash_diagnostic_text(&d, cut, size);
        size_t kept = size == 0 ? 0 : size - 1 < length ? size - 1 : length;
        assert_memory_equal(cut, whole, kept);
        if (size > 0)
            assert_int_equal(cut[kept], 0);
        for (size_t i = size; i < sizeof cut; i++)
            assert_int_equal(cut[i], '#');
    }

    char longest[3000];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    ashi_fail(&d, ASH_BAD_DATA, longest, "%s", longest);
    ashi_expect(&d, "%s", longest);
    assert_int_equal(strlen(d.code), sizeof d.code - 1);
    assert_int_equal(strlen(d.message), sizeof d.message - 1);
    assert_int_equal(strlen(d.expected), sizeof d.expected - 1);
}

static void test_a_diagnostic_may_be_remade_from_itself(void **state)
{
    (void)state;
    ash_diagnostic d;
    ashi_fail(&d, ASH_BAD_DATA, "inner", "no such shape");
    ashi_fail(&d, ASH_BAD_DATA, d.code, "in the scene: %s", d.message);
    assert_string_equal(d.message, "in the scene: no such shape");
    assert_string_equal(d.code, "inner");
}

/* Other spellings, beginnings, and the words of other engines. */
static void test_other_words(void **state)
{
    (void)state;
    const char *methods[] = {"realtime", "engineering", "gribel-2009", "dejong-2014", "bender-schmitt-2006", "rk4"};
    assert_string_equal(ashi_nearest("gribel", methods, 6), "gribel-2009");
    assert_string_equal(ashi_nearest("dejong", methods, 6), "dejong-2014");
    assert_string_equal(ashi_nearest("Bender_Schmitt", methods, 6), "bender-schmitt-2006");
    assert_string_equal(ashi_nearest("runge-kutta", methods, 6), "rk4");
    assert_null(ashi_nearest("be", methods, 6)); /* too short a beginning */
    const char *joints[] = {"ball", "fixed", "hinge", "slider"}, *types[] = {"dynamic", "static"};
    assert_string_equal(ashi_nearest("revolute", joints, 4), "hinge");
    assert_string_equal(ashi_nearest("Prismatic", joints, 4), "slider");
    assert_string_equal(ashi_nearest("hinge-joint", joints, 4), "hinge");
    assert_string_equal(ashi_nearest("weld", joints, 4), "fixed");
    assert_string_equal(ashi_nearest("fixed", types, 2), "static"); /* the meaning that is possible here */
    assert_null(ashi_nearest("revolute", types, 2));
    assert_null(ashi_nearest("frob", joints, 4));
    const char *scenes[] = {"tower", "roof-tower"};
    assert_string_equal(ashi_nearest("rooftower", scenes, 2), "roof-tower");
    const char *const longer[] = {"iftomm-pendulum", "iftomm-four-bar", "a-much-longer-pendulum"};
    assert_string_equal(ashi_nearest("four-bar", longer, 3), "iftomm-four-bar"); /* a part of it */
    assert_string_equal(ashi_nearest("pendulum", longer, 3), "iftomm-pendulum"); /* of the shortest */
    assert_null(ashi_nearest("our", longer, 3));
    assert_true(ashi_same_letters("Half_Extents", "half extents"));
    assert_false(ashi_same_letters("half", "halves"));
    assert_string_equal(ashi_synonym("fixed", 0), "static");
    assert_null(ashi_synonym("fixed", 1));
}

static void test_nearest_names(void **state)
{
    (void)state;
    const char *names[] = {"mass", "inertia", "position", "velocity", "angular_velocity", "x"};
    size_t count = 6;
    assert_string_equal(ashi_nearest("mas", names, count), "mass");
    assert_string_equal(ashi_nearest("masss", names, count), "mass");
    assert_string_equal(ashi_nearest("msas", names, count), "mass"); /* two neighbours swapped are one slip */
    assert_string_equal(ashi_nearest("postion", names, count), "position");
    assert_string_equal(ashi_nearest("angularvelocity", names, count), "angular_velocity");
    assert_string_equal(ashi_nearest("velocity", names, count), "velocity");
    assert_null(ashi_nearest("colour", names, count));
    assert_null(ashi_nearest("", names, count));
    assert_null(ashi_nearest("q", names, count));
    assert_null(ashi_nearest("mass", names, 0));
    char longest[500];
    memset(longest, 'm', sizeof longest);
    longest[sizeof longest - 1] = 0;
    assert_null(ashi_nearest(longest, names, count));

    char text[60];
    assert_string_equal(ashi_did_you_mean("mas", names, count, text, sizeof text), " (did you mean \"mass\"?)");
    assert_string_equal(ashi_did_you_mean("zzz", names, count, text, sizeof text), "");
    assert_string_equal(ashi_did_you_mean("mas", names, count, text, 8), " (did y");
}

typedef struct heard {
    int count;
    ash_log_level level;
    char message[2000];
} heard;

static void hear(ash_log_level level, const char *message, void *user)
{
    heard *h = user;
    h->count++;
    h->level = level;
    strcpy(h->message, message);
}

static void test_log_hook(void **state)
{
    (void)state;
    heard h = {0};
    ashi_log(ASH_LOG_ERROR, "nobody listens %d", 1);
    ash_set_log_hook(hear, &h);
    ashi_log(ASH_LOG_WARNING, "slow: %d steps", 42);
    assert_int_equal(h.count, 1);
    assert_int_equal(h.level, ASH_LOG_WARNING);
    assert_string_equal(h.message, "slow: 42 steps");
    ashi_log(ASH_LOG_DEBUG, "%01500d", 1); /* longer than a message may be: cut, not broken */
    assert_int_equal(strlen(h.message), 1023);
    ash_set_log_hook(NULL, NULL);
    ashi_log(ASH_LOG_INFO, "nobody again");
    assert_int_equal(h.count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status_and_version),
        cmocka_unit_test(test_parts_of_the_line),
        cmocka_unit_test(test_null_diagnostics),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_a_diagnostic_may_be_remade_from_itself),
        cmocka_unit_test(test_nearest_names),
        cmocka_unit_test(test_other_words),
        cmocka_unit_test(test_log_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
