/* Plots: round ticks, a curve where it belongs, and odd data that must not break them. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/axis.h"
#include "app/cli/plot.h"

static void assert_label(const cli_axis *axis, int index, const char *expected)
{
    char text[48];
    assert_string_equal(cli_axis_label(axis, index, text, sizeof text), expected);
}

static void test_ticks_are_round(void **state)
{
    (void)state;
    cli_axis axis = cli_axis_make(0, 1, 5, true);
    assert_int_equal(axis.ticks, 6);
    assert_label(&axis, 0, "0.0");
    assert_label(&axis, 1, "0.2");
    assert_label(&axis, 5, "1.0");
    axis = cli_axis_make(-0.31, 0.42, 4, true);
    assert_near(axis.low, -0.4, 1e-15);
    assert_near(axis.high, 0.6, 1e-15);
    assert_label(&axis, 2, "0.0");
    axis = cli_axis_make(0.3, 9.7, 4, false); /* not padded: ticks inside the range */
    assert_near(axis.low, 0.3, 0);
    assert_near(cli_axis_tick(&axis, 0), 5, 0);
    assert_int_equal(axis.ticks, 1);
    axis = cli_axis_make(1e7, 1.00001e7, 4, true); /* neighbours differ */
    char first[48], second[48];
    assert_string_not_equal(cli_axis_label(&axis, 0, first, sizeof first),
                            cli_axis_label(&axis, 1, second, sizeof second));
}

static void test_degenerate_ranges_have_some_extent(void **state)
{
    (void)state;
    const double values[] = {0, 1, -3.5, 1e-300, 1e300, -DBL_MAX, DBL_MAX, 5e-324};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        cli_axis axis = cli_axis_make(values[i], values[i], 5, true);
        assert_true(isfinite(axis.low) && isfinite(axis.high) && axis.low < axis.high);
        assert_true(axis.ticks >= 1 && axis.ticks < 30);
    }
    cli_axis axis = cli_axis_make(-DBL_MAX, DBL_MAX, 5, true);
    assert_true(isfinite(axis.high - axis.low) && axis.ticks < 30);
    axis = cli_axis_make(1, 1 + 1e-15, 5, true);
    assert_true(axis.ticks >= 1 && axis.ticks < 30);
}

/* Axes of logarithms: whole decades, however narrow or wide the range. */
static void test_decades_are_whole(void **state)
{
    (void)state;
    const double ranges[][2] = {{-3.2, -1.1}, {0, 0}, {-2, -2}, {-0.5, 0.5}, {-31.7, 4.2}, {-320, 308}, {2.3, 2.4}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        cli_axis axis = cli_axis_make_decades(ranges[i][0], ranges[i][1], 6);
        assert_true(axis.low <= ranges[i][0] && axis.high >= ranges[i][1] && axis.low < axis.high);
        assert_true(axis.ticks >= 2 && axis.ticks <= 10);
        for (int k = 0; k < axis.ticks; k++)
            assert_true(cli_axis_tick(&axis, k) == floor(cli_axis_tick(&axis, k)));
        assert_near(cli_axis_tick(&axis, axis.ticks - 1), axis.high, 0);
    }
}

/* The plot as text, which the caller frees. */
static char *draw(const ash_series *series, int columns, bool unicode)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(cli_plot_text(series, stream, columns, unicode));
    fclose(stream);
    return text;
}

static const char *line_of(const char *text, int number)
{
    for (; number > 0; number--)
        text = strchr(text, '\n') + 1;
    return text;
}

static void test_a_rising_line_in_characters(void **state)
{
    (void)state;
    const double times[] = {0, 1, 2}, values[] = {0, 5, 10};
    ash_series series = {"height", "m", times, values, 3};
    char *text = draw(&series, 60, false);
    assert_memory_equal(text, "height (m)\n", 11);
    /* The top row is labelled 10 and ends with the curve; the bottom row begins with it. */
    const char *top = line_of(text, 1), *bottom = line_of(text, 15);
    assert_non_null(strstr(top, "10 +"));
    assert_int_equal(strchr(top, '\n')[-1], '\'');
    const char *start = strchr(bottom, '+');
    assert_non_null(start);
    assert_int_equal(start[1], '.');
    assert_non_null(strstr(text, "time (s)"));
    for (const char *c = text; *c != 0; c++)
        assert_true((unsigned char)*c < 0x80); /* plain ASCII */
    /* Each column has some of the curve. */
    size_t width = (size_t)(strchr(bottom, '\n') - start) - 1;
    for (size_t column = 1; column <= width; column++) {
        int marks = 0;
        for (int row = 1; row <= 15; row++)
            marks += line_of(text, row)[(start - bottom) + (long)column] != ' ';
        assert_true(marks >= 1);
    }
    free(text);
    text = draw(&series, 60, true);
    assert_non_null(strstr(text, "\xe2\xa0")); /* Braille */
    free(text);
}

static void test_odd_data_in_characters(void **state)
{
    (void)state;
    const double times[] = {0, 1, 2, 3}, gaps[] = {1, NAN, INFINITY, 2}, same[] = {4, 4, 4, 4};
    const double none[] = {NAN, NAN, NAN, NAN}, huge[] = {-DBL_MAX, DBL_MAX, 0, 1};
    ash_series series = {"q", "", times, gaps, 4};
    free(draw(&series, 10, false));
    series.values = same;
    free(draw(&series, 1000, true));
    series.values = huge;
    free(draw(&series, 80, true));
    series.values = none;
    char *text = draw(&series, 80, false);
    assert_non_null(strstr(text, "no finite samples"));
    free(text);
    series.count = 0;
    free(draw(&series, 80, false));
}

static char *draw_svg(const ash_series *series, uint32_t count, const char *title)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(cli_plot_svg(series, count, title, stream));
    fclose(stream);
    return text;
}

static int occurrences(const char *text, const char *part)
{
    int count = 0;
    while ((text = strstr(text, part)) != NULL) {
        count++;
        text++;
    }
    return count;
}

static void test_svg_has_a_panel_a_unit_and_escapes(void **state)
{
    (void)state;
    const double times[] = {0, 1, 2}, values[] = {0, 5, 10}, gaps[] = {1, NAN, 3};
    const ash_series series[] = {
        {"a<b", "m", times, values, 3}, {"energy", "J", times, gaps, 3}, {"c", "m", times, values, 3}};
    char *text = draw_svg(series, 3, "one & two");
    assert_int_equal(occurrences(text, "class=\"frame\""), 2);
    assert_int_equal(occurrences(text, "class=\"curve\""), 3);
    assert_int_equal(occurrences(text, "class=\"legend\""), 2); /* only where a panel has several */
    assert_int_equal(occurrences(text, "a&lt;b"), 1);
    assert_int_equal(occurrences(text, "one &amp; two"), 2);
    assert_null(strstr(text, "nan"));
    assert_non_null(strstr(text, ">energy (J)<"));
    /* Three curves, one of them broken in two by its gap. */
    int beginnings = 0;
    for (const char *c = text; *c != 0; c++)
        beginnings += c[0] == 'M' && c[1] >= '0' && c[1] <= '9';
    assert_int_equal(beginnings, 4);
    assert_non_null(strstr(text, "time (s)"));
    free(text);
}

/* Logarithms: ticks tell the numbers themselves, and curves differ by dashes. */
static void test_svg_of_decades(void **state)
{
    (void)state;
    const double times[] = {0, 1, 2}, falling[] = {0, -4, -8}, gap[] = {-1, (double)NAN, -3};
    ash_series series[] = {{"first", "error", times, falling, 3}, {"second", "error", times, gap, 3}};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    cli_plot_look look = {.title = "both", .axis_label = "sweep", .decades = true};
    assert_true(cli_plot_svg_over(series, 2, &look, stream));
    fclose(stream);
    assert_non_null(strstr(text, ">1e-8<"));
    assert_non_null(strstr(text, ">1e0<"));
    assert_non_null(strstr(text, ">sweep<"));
    assert_non_null(strstr(text, "stroke-dasharray=\"none\""));
    assert_non_null(strstr(text, "stroke-dasharray=\"9 4\""));
    free(text);
}

static void test_svg_of_many_samples_stays_small_and_keeps_extremes(void **state)
{
    (void)state;
    enum { SAMPLES = 200000 };
    double *times = malloc(SAMPLES * sizeof *times), *values = malloc(SAMPLES * sizeof *values);
    assert_true(times != NULL && values != NULL);
    for (int i = 0; i < SAMPLES; i++) {
        times[i] = i;
        /* two spikes, up and down, which a sampled curve would lose */
        values[i] = i == 77777 ? 1 : i == 123457 ? -1 : 0;
    }
    ash_series series = {"spike", "m", times, values, SAMPLES};
    char *text = draw_svg(&series, 1, "");
    assert_true(strlen(text) < 100000);
    assert_non_null(strstr(text, " 393.0 56.0 "));  /* one ends at the top of the panel, */
    assert_non_null(strstr(text, " 571.0 336.0 ")); /* the other at the bottom */
    free(text);
    free(times);
    free(values);
}

static void test_svg_reports_a_full_disk(void **state)
{
    (void)state;
    const double times[] = {0, 1}, values[] = {0, 1};
    ash_series series = {"a", "m", times, values, 2};
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL)
        skip();
    setvbuf(full, NULL, _IONBF, 0);
    assert_false(cli_plot_svg(&series, 1, "", full));
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks_are_round),
        cmocka_unit_test(test_degenerate_ranges_have_some_extent),
        cmocka_unit_test(test_a_rising_line_in_characters),
        cmocka_unit_test(test_odd_data_in_characters),
        cmocka_unit_test(test_svg_has_a_panel_a_unit_and_escapes),
        cmocka_unit_test(test_decades_are_whole),
        cmocka_unit_test(test_svg_of_decades),
        cmocka_unit_test(test_svg_of_many_samples_stays_small_and_keeps_extremes),
        cmocka_unit_test(test_svg_reports_a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
