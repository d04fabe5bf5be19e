/* Parts of reports called directly: numbers of few bytes, packing, and what happens when memory runs out anywhere. */
#define _GNU_SOURCE
#include "check.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "app/report/parts.h"
#include "app/viewer/assets.h"
#include "ashlar/scene.h"
#include "base/diagnostic.h"

static void assert_whole(int64_t value, const uint8_t *expected, uint32_t size)
{
    report_bytes bytes = {0};
    assert_true(report_put_whole(&bytes, value));
    assert_int_equal(bytes.count, size);
    assert_memory_equal(bytes.data, expected, size);
    ashi_array_release(&bytes);
}

static void test_whole_numbers_take_few_bytes(void **state)
{
    (void)state;
    assert_whole(0, (const uint8_t[]){0}, 1);
    assert_whole(-1, (const uint8_t[]){1}, 1);
    assert_whole(63, (const uint8_t[]){126}, 1);
    assert_whole(-64, (const uint8_t[]){127}, 1);
    assert_whole(64, (const uint8_t[]){128, 1}, 2);
    assert_whole(INT64_MAX, (const uint8_t[]){254, 255, 255, 255, 255, 255, 255, 255, 255, 1}, 10);
    assert_whole(INT64_MIN, (const uint8_t[]){255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, 10);
}

static uint32_t digit_of(char letter)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *place = strchr(letters, letter);
    assert_non_null(place);
    return (uint32_t)(place - letters);
}

static size_t decode_base64(const char *text, uint8_t *bytes)
{
    size_t size = 0, length = strlen(text);
    assert_int_equal(length % 4, 0);
    for (size_t i = 0; i < length; i += 4) {
        int left = text[i + 2] == '=' ? 1 : text[i + 3] == '=' ? 2 : 3;
        uint32_t group = digit_of(text[i]) << 18 | digit_of(text[i + 1]) << 12 |
                         (left > 1 ? digit_of(text[i + 2]) << 6 : 0) | (left > 2 ? digit_of(text[i + 3]) : 0);
        for (int j = 0; j < left; j++)
            bytes[size++] = (uint8_t)(group >> (16 - 8 * j));
    }
    return size;
}

static void test_packed_bytes_come_back(void **state)
{
    (void)state;
    for (uint32_t size = 0; size < 300; size += 1 + size / 7) {
        report_bytes bytes = {0};
        for (uint32_t i = 0; i < size; i++)
            assert_true(report_put(&bytes, &(uint8_t){(uint8_t)(i * i * 7)}, 1));
        json_t *packed = report_packed(&bytes);
        assert_non_null(packed);
        assert_int_equal(json_integer_value(json_object_get(packed, "size")), size);
        uint8_t small[1024], whole[1024];
        uLongf small_size = decode_base64(json_string_value(json_object_get(packed, "data")), small);
        uLongf whole_size = sizeof whole;
        assert_int_equal(uncompress(whole, &whole_size, small, small_size), Z_OK);
        assert_int_equal(whole_size, size);
        if (size > 0)
            assert_memory_equal(whole, bytes.data, size);
        json_decref(packed);
        ashi_array_release(&bytes);
    }
}

/* A recording of a small scene, for the tests below. */
static char folder[] = "/tmp/ashlar-report-XXXXXX";
static char recording[64];

static int record(void **state)
{
    (void)state;
    ash_scene *scene = NULL;
    ash_run *run = NULL;
    const ash_setting settings[] = {{"layers", "2"}, {"per-layer", "6"}, {"roof-time", "0.05"}};
    ash_run_options options = ash_default_run_options();
    options.time = 0.2;
    options.out = recording;
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(recording, sizeof recording, "%s/out", folder);
    bool done = ash_scene_open("roof-tower", settings, 3, &scene, NULL) == ASH_OK &&
                ash_scene_run(scene, &options, &run, NULL) == ASH_OK;
    ash_run_destroy(run);
    ash_scene_destroy(scene);
    return done ? 0 : 1;
}

static int clean_up(void **state)
{
    (void)state;
    static const char *const files[] = {"recording.h5", "outputs.csv", "ledger.csv", "summary.json", "scene.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", recording, files[i]);
        unlink(path);
    }
    rmdir(recording);
    return rmdir(folder);
}

/* Everything but the page; false when one part could not be made, which its diagnostic must tell. */
static bool make_parts(ashi_replay *replay, ash_diagnostic *diagnostic)
{
    json_t *curves = NULL, *motion = report_motion(replay, 10, diagnostic);
    json_t *series = motion != NULL ? report_series(replay, 5, &curves, diagnostic) : NULL;
    json_t *facts = series != NULL ? report_facts(replay, recording, diagnostic) : NULL;
    bool done = facts != NULL;
    json_decref(motion);
    json_decref(series);
    json_decref(curves);
    json_decref(facts);
    return done;
}

static void test_memory_may_run_out_anywhere(void **state)
{
    (void)state;
    ashi_replay *replay = NULL;
    ash_diagnostic diagnostic = {0};
    assert_int_equal(ashi_replay_open(recording, &replay, &diagnostic), ASH_OK);
    assert_true(make_parts(replay, &diagnostic));
    uint64_t failures = 0;
    bool done = false;
    for (uint64_t k = 1; !done && k < 10000; k++) {
        diagnostic = (ash_diagnostic){0};
        ashi_alloc_fail_at(k, false);
        done = make_parts(replay, &diagnostic);
        done = ashi_alloc_fail_at(0, false) < k && done; /* fewer were made: none failed */
        failures += !done;
    }
    assert_true(done);
    assert_true(failures > 10);
    ashi_replay_close(replay);
}

static bool contains(const char *page, size_t size, const char *text)
{
    return memmem(page, size, text, strlen(text)) != NULL;
}

static void test_a_page_needs_memory_too(void **state)
{
    (void)state;
    if (view_assets_missing() != NULL)
        skip();
    json_t *data = json_pack("{s:s}", "text", "<!-- </script> \xe2\x80\xa8");
    ash_diagnostic diagnostic = {0};
    size_t size = 0;
    char *page = report_page(data, "<b>&", &size, &diagnostic);
    assert_non_null(page);
    assert_true(contains(page, size, "<title>&lt;b>&amp; - Ashlar</title>"));
    assert_true(contains(page, size, "{\"text\":\"\\u003c!-- \\u003c/script> \xe2\x80\xa8\"}</script>"));
    ashi_dealloc(page);
    for (uint64_t k = 1; k < 1000; k++) {
        ashi_alloc_fail_at(k, true);
        page = report_page(data, "title", &size, &diagnostic);
        ashi_alloc_fail_at(0, false);
        if (page != NULL) {
            assert_true(k > 3);
            break;
        }
        assert_int_equal(diagnostic.status, ASH_OUT_OF_MEMORY);
    }
    assert_non_null(page);
    ashi_dealloc(page);
    json_decref(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_numbers_take_few_bytes),
        cmocka_unit_test(test_packed_bytes_come_back),
        cmocka_unit_test(test_memory_may_run_out_anywhere),
        cmocka_unit_test(test_a_page_needs_memory_too),
    };
    return cmocka_run_group_tests(tests, record, clean_up);
}
