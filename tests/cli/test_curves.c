/* Spectra of sines, and tables beside runs. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include "app/commands/curves.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 1024 };

/* A sine of whole periods has its amplitude at its frequency, half of it at both neighbours (the window), and nothing
 * elsewhere: the sums of the transform round by some units of its amplitude for each of ten levels. */
static void test_a_sine_has_its_amplitude_at_its_frequency(void **state)
{
    (void)state;
    static double times[COUNT + 1], values[COUNT + 1], amplitudes[COUNT / 2 + 1], scratch[2 * COUNT];
    for (int i = 0; i <= COUNT; i++) {
        times[i] = 3 + 2.0 * i / COUNT;
        values[i] = 7 + 2 * sin(2 * 3.14159265358979323846 * 50 * i / COUNT) +
                    0.001 * cos(2 * 3.14159265358979323846 * 200 * i / COUNT);
    }
    const ash_series series = {"x", "m", times, values, COUNT + 1};
    cli_spectrum_of(&series, COUNT, amplitudes, scratch);
    double tolerance = 100 * 9 * DBL_EPSILON;
    for (int k = 0; k <= COUNT / 2; k++) {
        double expected = k == 50 ? 2 : abs(k - 50) == 1 ? 1 : k == 200 ? 0.001 : abs(k - 200) == 1 ? 0.0005 : 0;
        assert_near(amplitudes[k], expected, tolerance);
    }
}

static void test_curves_of_a_table(void **state)
{
    (void)state;
    ash_scene *scene;
    ash_run *run;
    assert_int_equal(ash_scene_open("oscillator", NULL, 0, &scene, NULL), ASH_OK);
    ash_run_options options = ash_default_run_options();
    options.time = 1;
    assert_int_equal(ash_scene_run(scene, &options, &run, NULL), ASH_OK);
    cli_curves curves = {0};
    cli_curves_add_run(&curves, run, "own", NULL);
    uint32_t own = curves.list.count;
    assert_true(own > 0);
    char name[128], path[] = "/tmp/ashlar-curves-XXXXXX";
    snprintf(name, sizeof name, "%s", ash_run_get_series(run, 0).name);
    FILE *file = fdopen(mkstemp(path), "wb");
    assert_non_null(file);
    fprintf(file, "time [s],\"%s [m]\",other\n0,1,x\r\n0.5,,2\n1.5,-2.5e-1,3\n", name);
    fclose(file);
    assert_true(cli_curves_add_table(&curves, path));
    assert_int_equal(curves.list.count, own + 1);
    ash_series added = curves.list.data[own];
    assert_int_equal(added.count, 3);
    assert_true(added.times[2] == 1.5 && added.values[0] == 1 && isnan(added.values[1]) && added.values[2] == -0.25);
    assert_memory_equal(added.name, name, strlen(name));
    assert_string_equal(added.unit, curves.list.data[0].unit);
    static const char *const bad[] = {"", "time,nothing\n0,1\n", "time,%s\n0,x\n", "time,%s\n1,1\n0,1\n",
                                      "time,%s\nnan,1\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        const char *at = strstr(bad[i], "%s");
        snprintf(text, sizeof text, "%.*s%s%s", at != NULL ? (int)(at - bad[i]) : (int)strlen(bad[i]), bad[i],
                 at != NULL ? name : "", at != NULL ? at + 2 : "");
        file = fopen(path, "wb");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
        if (cli_curves_add_table(&curves, path))
            fail_msg("%s is taken", text);
    }
    remove(path);
    assert_false(cli_curves_add_table(&curves, path));
    cli_curves_transform(&curves);
    assert_false(curves.failed);
    cli_curves_release(&curves);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
    assert_int_equal(ash_memory_used().blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sine_has_its_amplitude_at_its_frequency),
        cmocka_unit_test(test_curves_of_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
