/* Sensors as outputs: accelerometers, gyroscopes, ranges, forces of pairs, motion as another body sees it, noise. */
#include "check.h"

#include "ashlar/scene.h"
#include "ashlar/vector.h"

#include <stdlib.h>
#include <string.h>

#define HEAD  "{\"ashlar\": 1, \"world\": {\"method\": \"engineering\", \"step\": 0.002, \"time\": 1},"
#define FLOOR "{\"name\": \"floor\", \"type\": \"static\", \"shapes\": [{\"shape\": {\"kind\": \"plane\"}}]}"
#define BOX(name, z)                                                                                                   \
    "{\"name\": \"" name "\", \"position\": [0, 0, " z "], \"mass\": 2, \"shapes\": [{\"shape\": {\"kind\": \"box\", " \
    "\"half_extents\": [0.5, 0.5, 0.5]}}]}"

static ash_scene *parse(const char *text)
{
    ash_scene *scene = NULL;
    ash_diagnostic diagnostic = {0};
    if (ash_scene_parse(text, strlen(text), "test", &scene, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", diagnostic.path, diagnostic.message);
    return scene;
}

static ash_run *run(const char *text)
{
    ash_scene *scene = parse(text);
    ash_run_options options = ash_default_run_options();
    ash_run *made = NULL;
    ash_diagnostic diagnostic = {0};
    if (ash_scene_run(scene, &options, &made, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    ash_scene_destroy(scene);
    return made;
}

static ash_series series(const ash_run *made, const char *name)
{
    for (uint32_t i = 0; i < ash_run_get_series_count(made); i++)
        if (strcmp(ash_run_get_series(made, i).name, name) == 0)
            return ash_run_get_series(made, i);
    fail_msg("no output %s", name);
    return (ash_series){0};
}

static double last(const ash_run *made, const char *name)
{
    ash_series s = series(made, name);
    return s.values[s.count - 1];
}

/* On the floor it reads g upwards, along its own axes; in free fall nothing. */
static void an_accelerometer_at_rest_and_falling(void **state)
{
    (void)state;
    ash_run *made = run(HEAD "\"bodies\": [" FLOOR ", " BOX(
        "box",
        "0.5") ","
               "{\"name\": \"side\", \"position\": [3, 0, 0.5], \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 90}, \"mass\": 2,"
               "\"shapes\": [{\"shape\": {\"kind\": \"box\", \"half_extents\": [0.5, 0.5, 0.5]}}]},"
               "{\"name\": \"stone\", \"position\": [9, 0, 90], \"mass\": 1, \"velocity\": [1, 2, 3]}],"
               "\"outputs\": ["
               "{\"name\": \"box z\", \"body\": \"box\", \"quantity\": \"accelerometer\", \"component\": \"z\"},"
               "{\"name\": \"side x\", \"body\": \"side\", \"quantity\": \"accelerometer\", \"component\": \"x\", \"point\": [0.1, 0, 0]},"
               "{\"name\": \"stone\", \"body\": \"stone\", \"quantity\": \"accelerometer\", \"component\": \"norm\"}]}");
    assert_near(last(made, "box z"), 9.81, 1e-6);
    assert_near(last(made, "side x"), -9.81, 1e-6); /* its x points down */
    assert_near(last(made, "stone"), 0, 1e-9);
    assert_string_equal(series(made, "stone").unit, "m/s2");
    ash_run_destroy(made);
}

/* On a turntable: towards the axis by w^2 r, and g upwards; along the axes of the table, which turn. */
static void sensors_on_a_turntable(void **state)
{
    (void)state;
    ash_run *made = run(
        HEAD
        "\"bodies\": [{\"name\": \"table\", \"type\": \"kinematic\", \"position\": [5, 0, 0],"
        "\"rotation\": {\"axis\": [1, 0, 0], \"degrees\": 90}, \"angular_velocity\": [0, 0, 3]},"
        "{\"name\": \"post\", \"type\": \"static\", \"position\": [5, 2, 0]}],"
        "\"outputs\": ["
        "{\"name\": \"ax\", \"body\": \"table\", \"quantity\": \"accelerometer\", \"component\": \"x\", \"point\": [2, 0, 0]},"
        "{\"name\": \"ay\", \"body\": \"table\", \"quantity\": \"accelerometer\", \"component\": \"y\", \"point\": [2, 0, 0]},"
        "{\"name\": \"az\", \"body\": \"table\", \"quantity\": \"accelerometer\", \"component\": \"z\", \"point\": [2, 0, 0]},"
        "{\"name\": \"w\", \"body\": \"table\", \"quantity\": \"gyroscope\", \"component\": \"y\"},"
        "{\"name\": \"x\", \"body\": \"post\", \"quantity\": \"position\", \"component\": \"x\", \"relative_to\": \"table\"},"
        "{\"name\": \"vx\", \"body\": \"post\", \"quantity\": \"velocity\", \"component\": \"x\", \"relative_to\": \"table\"},"
        "{\"name\": \"turn\", \"body\": \"post\", \"quantity\": \"angular-velocity\", \"component\": \"y\", \"relative_to\": 0},"
        "{\"name\": \"angle\", \"body\": \"post\", \"quantity\": \"rotation-vector\", \"component\": \"norm\", \"relative_to\": 1}]}");
    assert_near(last(made, "ax"), -18, 1e-9);
    assert_near(last(made, "ay"), 9.81, 1e-9); /* y of the table is up */
    assert_near(last(made, "az"), 0, 1e-9);
    assert_near(last(made, "w"), 3, 1e-12);
    assert_near(last(made, "turn"), -3, 1e-12);
    assert_near(last(made, "angle"), 0, 1e-12);
    ash_series x = series(made, "x"), v = series(made, "vx");
    double largest = 0;
    for (uint32_t i = 1; i + 1 < x.count; i++) { /* central differences of 2 cos(3 t): w^3 r h^2 / 6 */
        double rate = (x.values[i + 1] - x.values[i - 1]) / (x.times[i + 1] - x.times[i - 1]);
        assert_near(v.values[i], rate, 1.01 * 27 * 2 * 0.002 * 0.002 / 6);
        largest = fmax(largest, fabs(rate));
    }
    assert_near(largest, 6, 0.01);
    ash_run_destroy(made);
}

static void forces_of_pairs(void **state)
{
    (void)state;
    ash_run *made = run(HEAD "\"bodies\": [" FLOOR ", " BOX("lower", "0.5") ", " BOX(
        "upper",
        "1.5") "],"
               "\"outputs\": ["
               "{\"name\": \"from floor\", \"body\": \"lower\", \"quantity\": \"contact-force\", \"component\": \"z\", \"with\": \"floor\"},"
               "{\"name\": \"from upper\", \"body\": \"lower\", \"quantity\": \"contact-force\", \"component\": \"z\", \"with\": \"upper\"},"
               "{\"name\": \"upper on floor\", \"body\": \"upper\", \"quantity\": \"contact-force\", \"component\": \"norm\", \"with\": 0},"
               "{\"name\": \"sum\", \"body\": \"lower\", \"quantity\": \"contact-force\", \"component\": \"z\", \"with\": null}]}");
    assert_near(last(made, "from floor"), 4 * 9.81, 1e-5);
    assert_near(last(made, "from upper"), -2 * 9.81, 1e-5);
    assert_near(last(made, "upper on floor"), 0, 0);
    assert_near(last(made, "sum"), 2 * 9.81, 1e-5);
    ash_run_destroy(made);
}

static void ranges(void **state)
{
    (void)state;
    ash_run *made = run(
        "{\"ashlar\": 1, \"world\": {\"gravity\": [0, 0, 0], \"step\": 0.01, \"time\": 0.1}, \"bodies\": [" FLOOR
        ", " BOX(
            "box",
            "4") "],"
                 "\"outputs\": ["
                 "{\"name\": \"down\", \"body\": \"box\", \"quantity\": \"range\", \"direction\": [0, 0, -7], \"reach\": 10},"
                 "{\"name\": \"slant\", \"body\": \"box\", \"quantity\": \"range\", \"point\": [0, 0, -1], \"direction\": [3, 0, -4], \"reach\": 10},"
                 "{\"name\": \"short\", \"body\": \"box\", \"quantity\": \"range\", \"direction\": [0, 0, -1], \"reach\": 3},"
                 "{\"name\": \"up\", \"body\": \"box\", \"quantity\": \"range\", \"direction\": [0, 0, 1], \"reach\": 8}]}");
    assert_near(last(made, "down"), 4, 1e-12); /* its own box does not count */
    assert_near(last(made, "slant"), 3 * 5.0 / 4, 1e-12);
    assert_near(last(made, "short"), 3, 0);
    assert_near(last(made, "up"), 8, 0);
    ash_run_destroy(made);
}

/* 500 numbers of a standard deviation of 0.2: mean and deviation within four of their own deviations. */
static void noise_is_normal_and_the_same_again(void **state)
{
    (void)state;
    const char *text = HEAD
        "\"bodies\": [{\"name\": \"post\", \"type\": \"static\", \"position\": [5, 2, 0]}],"
        "\"outputs\": ["
        "{\"name\": \"a\", \"body\": 0, \"quantity\": \"position\", \"component\": \"x\", \"noise\": 0.2, \"seed\": 3},"
        "{\"name\": \"b\", \"body\": 0, \"quantity\": \"position\", \"component\": \"x\", \"noise\": 0.2, \"seed\": 3},"
        "{\"name\": \"plain\", \"body\": 0, \"quantity\": \"position\", \"component\": \"x\"}]}";
    ash_run *made = run(text), *again = run(text);
    ash_series a = series(made, "a"), b = series(made, "b"), same = series(again, "a"), plain = series(made, "plain");
    double sum = 0, squares = 0, product = 0;
    assert_int_equal(a.count, 501);
    assert_memory_equal(a.values, same.values, a.count * sizeof(double));
    for (uint32_t i = 0; i < a.count; i++) {
        assert_true(plain.values[i] == 5);
        sum += a.values[i] - 5;
        squares += (a.values[i] - 5) * (a.values[i] - 5);
        product += (a.values[i] - 5) * (b.values[i] - 5);
    }
    double n = a.count;
    assert_near(sum / n, 0, 4 * 0.2 / sqrt(n));
    assert_near(sqrt(squares / n), 0.2, 4 * 0.2 / sqrt(2 * n));
    assert_near(product / n, 0, 4 * 0.2 * 0.2 / sqrt(n)); /* outputs are independent of each other */
    ash_run_destroy(made);
    ash_run_destroy(again);
}

/* Written and read again, a scene with all of it is the same. */
static void files_keep_them(void **state)
{
    (void)state;
    ash_scene *scene = parse(HEAD "\"bodies\": [" FLOOR ", " BOX(
        "box",
        "0.5") "],"
               "\"outputs\": ["
               "{\"name\": \"a\", \"body\": \"box\", \"quantity\": \"accelerometer\", \"component\": \"y\", \"point\": [1, 2, 3], \"noise\": 0.5, \"seed\": 4294967295},"
               "{\"name\": \"b\", \"body\": \"box\", \"quantity\": \"contact-force\", \"component\": \"y\", \"with\": \"floor\"},"
               "{\"name\": \"c\", \"body\": \"box\", \"quantity\": \"velocity\", \"component\": \"y\", \"relative_to\": \"floor\"},"
               "{\"name\": \"d\", \"body\": \"box\", \"quantity\": \"range\", \"direction\": [0, 1, 0], \"reach\": 2.5},"
               "{\"name\": \"e\", \"body\": \"box\", \"quantity\": \"gyroscope\", \"component\": \"along\", \"direction\": [3, 0, 4]}]}");
    char *text, *back;
    size_t size, back_size;
    assert_int_equal(ash_scene_write(scene, &text, &size, NULL), ASH_OK);
    const char *parts[] = {
        "\"point\": [1, 2, 3]",       "\"seed\": 4294967295",     "\"noise\": 0.5", "\"with\": \"floor\"",
        "\"relative_to\": \"floor\"", "\"direction\": [0, 1, 0]", "\"reach\": 2.5", "\"along\"",
        "\"direction\": [3, 0, 4]"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(text, parts[i]) == NULL)
            fail_msg("%s is not in %s", parts[i], text);
    ash_scene *again = parse(text);
    assert_int_equal(ash_scene_write(again, &back, &back_size, NULL), ASH_OK);
    assert_string_equal(text, back);
    ash_free(text);
    ash_free(back);
    ash_scene_destroy(scene);
    ash_scene_destroy(again);
}

static void bad_sensors_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *output, *path;
    } bad[] = {
        {"\"quantity\": \"gyroscope\", \"component\": \"x\", \"point\": [0, 0, 0]", "/outputs/0/point"},
        {"\"quantity\": \"gyroscope\", \"component\": \"x\", \"direction\": [1, 0, 0]", "/outputs/0/direction"},
        {"\"quantity\": \"gyroscope\", \"component\": \"along\"", "/outputs/0/direction"},
        {"\"quantity\": \"gyroscope\", \"component\": \"along\", \"direction\": [0, 0, 0]", "/outputs/0/direction"},
        {"\"quantity\": \"kinetic-energy\", \"with\": 0", "/outputs/0/with"},
        {"\"quantity\": \"momentum\", \"component\": \"x\", \"relative_to\": 0", "/outputs/0/relative_to"},
        {"\"quantity\": \"position\", \"component\": \"x\", \"relative_to\": \"nobody\"", "/outputs/0/relative_to"},
        {"\"quantity\": \"range\", \"reach\": 1", "/outputs/0"},
        {"\"quantity\": \"range\", \"direction\": [0, 0, 0], \"reach\": 1", "/outputs/0/direction"},
        {"\"quantity\": \"range\", \"direction\": [0, 0, 1], \"reach\": -1", "/outputs/0/reach"},
        {"\"quantity\": \"position\", \"component\": \"x\", \"reach\": 1", "/outputs/0/reach"},
        {"\"quantity\": \"position\", \"component\": \"x\", \"noise\": -1", "/outputs/0/noise"},
        {"\"quantity\": \"position\", \"component\": \"x\", \"seed\": 0.5", "/outputs/0/seed"},
        {"\"quantity\": \"position\", \"component\": \"x\", \"seed\": 4294967296", "/outputs/0/seed"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[600];
        ash_scene *scene = NULL;
        ash_diagnostic diagnostic = {0};
        snprintf(text, sizeof text, HEAD "\"bodies\": [" FLOOR "], \"outputs\": [{\"name\": \"a\", \"body\": 0, %s}]}",
                 bad[i].output);
        assert_int_not_equal(ash_scene_parse(text, strlen(text), "test", &scene, &diagnostic), ASH_OK);
        assert_null(scene);
        assert_memory_equal(diagnostic.path, bad[i].path, strlen(bad[i].path));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_accelerometer_at_rest_and_falling),
        cmocka_unit_test(sensors_on_a_turntable),
        cmocka_unit_test(forces_of_pairs),
        cmocka_unit_test(ranges),
        cmocka_unit_test(noise_is_normal_and_the_same_again),
        cmocka_unit_test(files_keep_them),
        cmocka_unit_test(bad_sensors_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
