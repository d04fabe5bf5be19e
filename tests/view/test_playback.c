/* Recordings in a session. */
#define _XOPEN_SOURCE 700
#include "page.h"

#include "app/viewer/parts.h"

#include <unistd.h>

static char directory[] = "/tmp/ashlar-view-XXXXXX";
static const double recorded_time = 0.5;

static int record(void **unused)
{
    (void)unused;
    ash_scene *scene;
    ash_run *run;
    const ash_setting settings[] = {{"sample", "0.01"}};
    ash_run_options options = ash_default_run_options();
    options.out = directory;
    options.time = recorded_time;
    if (mkdtemp(directory) == NULL || ash_scene_open("box-stack", settings, 1, &scene, NULL) != ASH_OK ||
        ash_scene_run(scene, &options, &run, NULL) != ASH_OK)
        return 1;
    ash_run_destroy(run);
    ash_scene_destroy(scene);
    return 0;
}

static int forget(void **unused)
{
    (void)unused;
    static const char *const names[] = {"recording.h5", "outputs.csv", "ledger.csv", "scene.json", "summary.json"};
    char path[96];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    return rmdir(directory);
}

/* Frames show what was recorded. */
static void check_frame(const view_page *page, view_session *session)
{
    const page_frame *frame = &page->frames[0];
    ashi_replay_bodies bodies;
    assert_int_equal(ashi_replay_read(session->replay, session->sample, &bodies, NULL), ASH_OK);
    assert_int_equal(frame->bodies, bodies.count);
    for (uint32_t i = 0; i < bodies.count; i++) {
        assert_near((double)frame->positions[3 * i], bodies.positions[i].x, 1e-6);
        assert_near((double)frame->positions[3 * i + 2], bodies.positions[i].z, 1e-6);
    }
    for (uint32_t i = 0; i < frame->curve_count; i++)
        assert_true(frame->curves[i] == session->series.data[i].values[session->sample]);
    assert_int_equal(frame->step, session->sample);
    assert_near(frame->time, ashi_replay_times(session->replay)[session->sample], 0.02);
    assert_true(frame->flags & 2);
}

static void recording_is_shown(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, directory, NULL);
    assert_true(json_is_true(json_object_get(page.scene, "recorded")));
    assert_true(json_is_false(json_object_get(page.scene, "editable")));
    assert_near(json_number_value(json_object_get(page.scene, "duration")), recorded_time, 1e-9);
    const json_t *history = json_object_get(page.scene, "history");
    size_t samples = (size_t)ashi_replay_summary(session->replay).samples;
    assert_int_equal(json_array_size(json_object_get(history, "times")), samples);
    assert_int_equal(json_array_size(json_object_get(history, "values")), page.frames[0].curve_count);
    check_frame(&page, session);
    assert_true(page_says(&page, session, "{\"do\": \"seek\", \"time\": 0.253}"));
    assert_int_equal(session->sample, 25);
    view_session_frame(session, page_sink(&page));
    check_frame(&page, session);
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 4}"));
    assert_true(page_says(&page, session, "{\"do\": \"back\", \"count\": 9}"));
    assert_int_equal(session->sample, 20);
    assert_true(page_says(&page, session, "{\"do\": \"seek\", \"time\": 1e9}"));
    assert_int_equal(session->sample, samples - 1);
    view_session_frame(session, page_sink(&page));
    assert_true(page.frames[0].flags & 4);
    check_frame(&page, session);
    page_close(&page);
    view_session_close(session);
}

static void recording_plays_to_its_end(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, directory, NULL);
    assert_true(page_says(&page, session, "{\"do\": \"play\"}"));
    assert_true(page_says(&page, session, "{\"do\": \"speed\", \"value\": 2}"));
    for (int i = 0; i < 5; i++)
        assert_true(view_session_advance(session, 0.02, page_sink(&page)));
    assert_near(session->play_time, 0.2, 1e-9);
    assert_int_equal(session->sample, 20);
    assert_false(session->paused);
    for (int i = 0; i < 20; i++)
        view_session_advance(session, 0.02, page_sink(&page));
    assert_true(session->paused);
    assert_true(json_is_true(json_object_get(page.state, "paused")));
    assert_true(view_playback_ended(session));
    assert_true(page_says(&page, session, "{\"do\": \"play\"}")); /* from the start */
    assert_int_equal(session->sample, 0);
    page_close(&page);
    view_session_close(session);
}

static void recordings_are_not_changed(void **unused)
{
    (void)unused;
    static const char *const commands[] = {
        "{\"do\": \"grab\", \"body\": 2, \"point\": [0, 0, 0]}",
        "{\"do\": \"add\", \"kind\": \"box\", \"point\": [0, 0, 5], \"size\": 1}",
        "{\"do\": \"delete\", \"body\": 2}",
        "{\"do\": \"method\", \"name\": \"rk4\"}",
        "{\"do\": \"set\", \"field\": \"iterations\", \"value\": 3}",
        "{\"do\": \"compare\", \"method\": \"rk4\"}",
        "{\"do\": \"seek\"}",
        "{\"do\": \"seek\", \"time\": -1}",
    };
    view_page page;
    view_session *session = page_open(&page, directory, NULL);
    uint64_t hash = ash_world_get_hash(session->worlds[0].instance.world);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        assert_false(page_says(&page, session, commands[i]));
    assert_true(ash_world_get_hash(session->worlds[0].instance.world) == hash);
    /* But a page may turn to a scene that runs. */
    assert_true(page_says(&page, session, "{\"do\": \"load\", \"scene\": \"free-fall\"}"));
    assert_true(json_is_false(json_object_get(page.scene, "recorded")));
    assert_true(page_says(&page, session, "{\"do\": \"step\"}"));
    assert_false(page_says(&page, session, "{\"do\": \"seek\", \"time\": 0}"));
    page_close(&page);
    view_session_close(session);
}

static void no_recording_is_refused(void **unused)
{
    (void)unused;
    view_session *session = NULL;
    view_subject subject = {.name = "/etc/passwd"};
    assert_int_equal(view_session_open(&subject, &session), 2);
    assert_null(session);
    subject.name = "/nowhere/at/all";
    assert_int_equal(view_session_open(&subject, &session), 2);
    subject.name = directory;
    subject.other = "rk4";
    assert_int_equal(view_session_open(&subject, &session), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recording_is_shown),
        cmocka_unit_test(recording_plays_to_its_end),
        cmocka_unit_test(recordings_are_not_changed),
        cmocka_unit_test(no_recording_is_refused),
    };
    return cmocka_run_group_tests(tests, record, forget);
}
