/* Sessions: opening, greeting, time going on, frames that say what the world says. */
#include "page.h"

#include "app/viewer/parts.h"
#include "world/world.h"

static void greeting_is_whole(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "box-stack", NULL);
    assert_non_null(page.hello);
    assert_non_null(page.state);
    assert_non_null(page.scene);
    assert_int_equal(page.frame_count, 1);
    assert_true(page.surface_count > 0);
    assert_int_equal(json_array_size(json_object_get(page.hello, "scenes")), ash_builtin_count());
    assert_int_equal(json_array_size(json_object_get(page.hello, "methods")), ash_method_count());
    assert_int_equal(json_array_size(json_object_get(page.hello, "fields")), ash_method_field_count());
    const json_t *bodies = json_object_get(page.scene, "bodies");
    assert_int_equal(json_array_size(bodies), session->scene->bodies.count);
    assert_int_equal(json_array_size(json_object_get(page.scene, "curves")), page.frames[0].curve_count);
    assert_int_equal(page.frames[0].bodies, session->scene->bodies.count);
    assert_int_equal(json_integer_value(json_object_get(page.scene, "generation")), page.frames[0].generation);
    assert_true(json_is_true(json_object_get(page.state, "paused")));
    assert_true(json_is_null(json_object_get(page.state, "compare")));
    page_close(&page);
    view_session_close(session);
}

/* Every number of a frame against the world. */
static void frames_match_world(const view_page *page, const view_session *session, uint32_t number)
{
    const page_frame *frame = &page->frames[number];
    const ashi_instance *instance = &session->worlds[number].instance;
    for (uint32_t i = 0; i < frame->bodies; i++) {
        const float *p = &frame->positions[3 * i];
        const int16_t *q = &frame->rotations[4 * i];
        if (!ash_body_is_valid(instance->world, instance->bodies[i])) {
            assert_true(isnan(p[0]) && isnan(p[1]) && isnan(p[2]));
            assert_true(q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0);
            continue;
        }
        ash_transform pose = ash_body_get_transform(instance->world, instance->bodies[i]);
        assert_true(p[0] == (float)pose.position.x && p[1] == (float)pose.position.y && p[2] == (float)pose.position.z);
        assert_near(q[0] / 32767.0, pose.rotation.x, 0.51 / 32767);
        assert_near(q[1] / 32767.0, pose.rotation.y, 0.51 / 32767);
        assert_near(q[2] / 32767.0, pose.rotation.z, 0.51 / 32767);
        assert_near(q[3] / 32767.0, pose.rotation.w, 0.51 / 32767);
        bool asleep = (frame->asleep[i / 8] >> i % 8 & 1) != 0;
        assert_int_equal(asleep, !ash_body_is_awake(instance->world, instance->bodies[i]));
    }
    assert_true(frame->curves[0] == ash_world_get_ledger(instance->world).kinetic);
    assert_near(frame->time, ash_world_get_time(instance->world), 1e-12);
    assert_true(frame->step == ash_world_get_report(instance->world).step);
}

static void frames_follow_the_worlds(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "box-stack", "realtime");
    assert_int_equal(page.frame_count, 2);
    for (int i = 0; i < 20; i++) {
        assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 3}"));
        view_session_frame(session, page_sink(&page));
        assert_int_equal(page.frames[0].step, 3 * (i + 1));
        assert_int_equal(page.frames[1].step, 3 * (i + 1));
        frames_match_world(&page, session, 0);
        frames_match_world(&page, session, 1);
    }
    assert_true(ash_world_get_hash(session->worlds[0].instance.world) !=
                ash_world_get_hash(session->worlds[1].instance.world));
    page_close(&page);
    view_session_close(session);
}

static void wall_time_earns_steps(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "free-fall", NULL);
    double h = session->clock.h;
    view_session_advance(session, 0.01, page_sink(&page)); /* what opening left to be seen */
    assert_false(view_session_advance(session, 10 * h, page_sink(&page)));
    assert_true(page_says(&page, session, "{\"do\": \"play\"}"));
    assert_true(page_says(&page, session, "{\"do\": \"speed\", \"value\": 0.5}"));
    view_session_advance(session, h, page_sink(&page));
    assert_int_equal(session->clock.step, 0); /* half a step is owed */
    assert_true(view_session_advance(session, h, page_sink(&page)));
    assert_int_equal(session->clock.step, 1);
    for (int i = 0; i < 20; i++)
        view_session_advance(session, h, page_sink(&page));
    assert_int_equal(session->clock.step, 11);
    assert_true(page_says(&page, session, "{\"do\": \"pause\"}"));
    view_session_advance(session, h, page_sink(&page));
    assert_false(view_session_advance(session, 1, page_sink(&page)));
    assert_int_equal(session->clock.step, 11);
    page_close(&page);
    view_session_close(session);
}

/* A step that takes longer than it simulates must not let debts grow. */
static void slow_scenes_owe_one_step(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "box-stack", NULL);
    assert_true(page_says(&page, session, "{\"do\": \"speed\", \"value\": 1000}"));
    assert_true(page_says(&page, session, "{\"do\": \"play\"}"));
    uint64_t before = session->clock.step;
    view_session_advance(session, 0.002, page_sink(&page));
    assert_true(session->clock.step > before);
    assert_true(session->owed <= session->clock.h);
    page_close(&page);
    view_session_close(session);
}

/* A step that takes longer than the patience is given up; who presses play again waits four times as long. */
static void late_steps_are_given_up(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "wall", NULL);
    ash_world *world = session->worlds[0].instance.world;
    uint64_t start = ash_world_get_hash(world);
    session->patience = 1e-9;
    assert_true(page_says(&page, session, "{\"do\": \"play\"}"));
    view_session_advance(session, 0.1, page_sink(&page));
    assert_true(session->paused && session->late);
    assert_true(json_is_true(json_object_get(page.state, "late")));
    assert_non_null(strstr(json_string_value(json_object_get(page.note, "message")), "takes longer than"));
    assert_true(ash_world_get_hash(world) == start && session->clock.step == 0);
    assert_int_equal(session->worlds[0].alarms.count, 0);
    assert_true(page_says(&page, session, "{\"do\": \"play\"}"));
    assert_near(session->patience, 4e-9, 1e-15);
    assert_true(json_is_false(json_object_get(page.state, "late")));
    assert_true(page_says(&page, session, "{\"do\": \"method\", \"name\": \"engineering\"}"));
    assert_true(session->patience > 0.1); /* another method is given the whole time again */
    session->patience = 1e9;              /* enough for any machine */
    assert_true(page_says(&page, session, "{\"do\": \"step\"}"));
    assert_int_equal(session->clock.step, 1);
    page_close(&page);
    view_session_close(session);
}

/* A wanted accuracy: the estimated error is within it, and time goes on by the clock. */
static void accuracy_is_kept(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "iftomm-pendulum", NULL);
    assert_false(page_says(&page, session, "{\"do\": \"set\", \"field\": \"accuracy\", \"value\": -1}"));
    assert_true(page_says(&page, session, "{\"do\": \"set\", \"field\": \"accuracy\", \"value\": 1e-7}"));
    assert_near(json_number_value(json_object_get(page.state, "accuracy")), 1e-7, 0);
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 10}"));
    const ash_world *world = session->worlds[0].instance.world;
    ash_step_report report = ash_world_get_report(world);
    assert_true(report.total_error > 0 && report.total_error < 1e-7);
    assert_near(ash_world_get_time(world), 10 * session->clock.h, 1e-12);
    assert_true(page_says(&page, session, "{\"do\": \"set\", \"field\": \"accuracy\", \"value\": 0}"));
    assert_true(page_says(&page, session, "{\"do\": \"step\"}"));
    assert_int_equal(ash_world_get_report(world).advance_steps, 0);
    page_close(&page);
    view_session_close(session);
}

static void reset_begins_anew(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "box-stack", "realtime");
    uint64_t start = ash_world_get_hash(session->worlds[0].instance.world);
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 5}"));
    assert_true(ash_world_get_hash(session->worlds[0].instance.world) != start);
    uint32_t generation = session->generation;
    assert_true(page_says(&page, session, "{\"do\": \"reset\"}"));
    assert_true(ash_world_get_hash(session->worlds[0].instance.world) == start);
    assert_true(session->generation > generation);
    assert_int_equal(session->clock.step, 0);
    assert_int_equal(session->world_count, 2);
    page_close(&page);
    view_session_close(session);
}

static void choices_are_obeyed(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "box-stack", NULL);
    assert_true(page_says(&page, session, "{\"do\": \"method\", \"name\": \"engineering\"}"));
    assert_string_equal(json_string_value(json_object_get(page.state, "method")), "engineering");
    assert_true(page_says(&page, session, "{\"do\": \"set\", \"field\": \"iterations\", \"value\": 77}"));
    assert_int_equal(ash_world_get_method(session->worlds[0].instance.world).solver.iterations, 77);
    assert_true(page_says(&page, session, "{\"do\": \"set\", \"field\": \"step\", \"value\": 0.002}"));
    assert_true(page_says(&page, session, "{\"do\": \"step\"}"));
    assert_near(ash_world_get_time(session->worlds[0].instance.world), 0.002, 1e-15);
    assert_true(page_says(&page, session, "{\"do\": \"layers\", \"names\": [\"contacts\", \"bounds\"]}"));
    view_session_frame(session, page_sink(&page));
    assert_true(page.mark_count > 0);
    static const char *const modes[] = {"island", "layer", "sleeping", "speed", "force"};
    for (size_t i = 0; i < 5; i++) {
        char text[64];
        snprintf(text, sizeof text, "{\"do\": \"colour\", \"mode\": \"%s\"}", modes[i]);
        assert_true(page_says(&page, session, text));
        view_session_frame(session, page_sink(&page));
        assert_non_null(page.frames[0].colours);
    }
    assert_true(page_says(&page, session, "{\"do\": \"load\", \"scene\": \"free-fall\"}"));
    assert_string_equal(json_string_value(json_object_get(page.scene, "name")), "free-fall");
    assert_true(page_says(&page, session, "{\"do\": \"compare\", \"method\": \"rk4\"}"));
    assert_int_equal(session->world_count, 2);
    assert_string_equal(json_string_value(json_object_get(page.state, "compare")), "rk4");
    assert_true(page_says(&page, session, "{\"do\": \"compare\", \"method\": null}"));
    assert_int_equal(session->world_count, 1);
    page_close(&page);
    view_session_close(session);
}

/* The bodies' values against the interface. */
static void colours_are_right(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "box-stack", NULL);
    const ashi_instance *instance = &session->worlds[0].instance;
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 30}"));
    assert_true(page_says(&page, session, "{\"do\": \"colour\", \"mode\": \"layer\"}"));
    view_session_frame(session, page_sink(&page));
    for (uint32_t i = 0; i < page.frames[0].bodies; i++)
        assert_true(page.frames[0].colours[i] ==
                    (float)ash_body_get_stack_height(instance->world, instance->bodies[i]));
    assert_true(page_says(&page, session, "{\"do\": \"colour\", \"mode\": \"speed\"}"));
    view_session_frame(session, page_sink(&page));
    for (uint32_t i = 0; i < page.frames[0].bodies; i++) {
        ash_vec3 v = ash_body_get_velocity(instance->world, instance->bodies[i]);
        assert_near((double)page.frames[0].colours[i], sqrt(v.x * v.x + v.y * v.y + v.z * v.z), 1e-6);
    }
    page_close(&page);
    view_session_close(session);
}

/* Once everything has been sent once, frames need no memory. */
static void warm_frames_allocate_nothing(void **unused)
{
    (void)unused;
    static const char *const commands[] = {
        "{\"do\": \"layers\", \"names\": [\"contacts\", \"bounds\", \"forces\", \"velocities\", \"graph\"]}",
        "{\"do\": \"colour\", \"mode\": \"island\"}", "{\"do\": \"colour\", \"mode\": \"layer\"}",
        "{\"do\": \"colour\", \"mode\": \"force\"}"};
    view_page page;
    view_session *session = page_open(&page, "box-stack", "realtime");
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 5}"));
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
            assert_true(page_says(&page, session, commands[i]));
            uint64_t before = ash_memory_used().allocations;
            for (int k = 0; k < 3; k++)
                view_session_frame(session, page_sink(&page));
            if (round > 0)
                assert_true(ash_memory_used().allocations == before);
        }
    page_close(&page);
    view_session_close(session);
}

/* Springs so stiff that an explicit step throws everything to infinity: the run stops and says why. */
static void broken_runs_stop(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "string", NULL);
    assert_true(page_says(&page, session, "{\"do\": \"method\", \"name\": \"explicit-euler\"}"));
    assert_true(page_says(&page, session, "{\"do\": \"set\", \"field\": \"step\", \"value\": 1}"));
    assert_true(page_says(&page, session, "{\"do\": \"speed\", \"value\": 1000}"));
    assert_true(page_says(&page, session, "{\"do\": \"play\"}"));
    for (int i = 0; i < 2000 && !session->paused; i++)
        view_session_advance(session, 0.01, page_sink(&page));
    assert_true(session->paused);
    assert_true(session->worlds[0].halt.stuck);
    assert_non_null(strstr(json_string_value(json_object_get(page.note, "message")), "not-finite"));
    assert_true(json_is_true(json_object_get(page.state, "paused")));
    const json_t *alarms = json_object_get(page.state, "alarms");
    bool bound = false;
    for (size_t i = 0; i < json_array_size(alarms); i++)
        bound |= strcmp(json_string_value(json_object_get(json_array_get(alarms, i), "name")), "spring-bound") == 0;
    assert_true(bound);
    uint64_t step = session->clock.step;
    view_session_frame(session, page_sink(&page));
    assert_true(page.frames[0].flags & 4);
    assert_int_equal(page.frames[0].step, step);
    assert_false(page_says(&page, session, "{\"do\": \"step\"}"));
    assert_int_equal(session->clock.step, step);
    assert_true(page_says(&page, session, "{\"do\": \"reset\"}")); /* and all is well again */
    assert_int_equal(json_array_size(json_object_get(page.state, "alarms")), 0);
    assert_true(page_says(&page, session, "{\"do\": \"step\"}"));
    page_close(&page);
    view_session_close(session);
}

/* A scene goes on beyond its end, and a page that comes late gets the curves of what was. */
static void scenes_go_on(void **unused)
{
    (void)unused;
    view_page page, late = {0};
    view_session *session = page_open(&page, "free-fall", NULL);
    double end = session->scene->time;
    while (view_clock_time(&session->clock) < 1.5 * end) {
        assert_true(page_says(&page, session, "{\"do\": \"step\"}"));
        view_session_frame(session, page_sink(&page));
    }
    assert_true(page.frames[0].time > end);
    assert_true(page_says(&page, session, "{\"do\": \"back\", \"count\": 5}")); /* is forgotten by the curves, too */
    view_session_frame(session, page_sink(&page));
    assert_int_equal(view_session_greet(session, page_sink(&late)), ASH_OK);
    const json_t *history = json_object_get(late.scene, "history"), *times = json_object_get(history, "times");
    size_t rows = json_array_size(times);
    assert_true(rows > 20 && rows <= 2048);
    assert_near(json_number_value(json_array_get(times, rows - 1)), page.frames[0].time, 1e-12);
    for (size_t i = 1; i < rows; i++)
        assert_true(json_number_value(json_array_get(times, i)) > json_number_value(json_array_get(times, i - 1)));
    assert_int_equal(json_array_size(json_object_get(history, "values")), page.frames[0].curve_count);
    assert_near(json_number_value(json_array_get(json_array_get(json_object_get(history, "values"), 0), rows - 1)),
                page.frames[0].curves[0], 1e-9);
    page_close(&late);
    page_close(&page);
    view_session_close(session);
}

/* Curves are kept while no page takes a frame, as when it is out of sight: asked for, they are all there. */
static void curves_are_kept_without_frames(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "free-fall", NULL);
    uint32_t turns = 0;
    assert_true(page_says(&page, session, "{\"do\": \"play\"}"));
    view_session_frame(session, page_sink(&page));
    for (int i = 0; i < 50; i++)
        turns += view_session_advance(session, 0.02, page_sink(&page)) && view_clock_time(&session->clock) > 0;
    assert_true(turns > 20);
    assert_true(page_says(&page, session, "{\"do\": \"curves\"}"));
    const json_t *times = json_object_get(json_object_get(page.curves, "history"), "times");
    assert_int_equal(json_array_size(times), 1 + turns); /* that of the first frame, too */
    for (size_t i = 1; i < json_array_size(times); i++)
        assert_true(json_number_value(json_array_get(times, i)) > json_number_value(json_array_get(times, i - 1)));
    page_close(&page);
    view_session_close(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greeting_is_whole),
        cmocka_unit_test(frames_follow_the_worlds),
        cmocka_unit_test(wall_time_earns_steps),
        cmocka_unit_test(slow_scenes_owe_one_step),
        cmocka_unit_test(late_steps_are_given_up),
        cmocka_unit_test(accuracy_is_kept),
        cmocka_unit_test(reset_begins_anew),
        cmocka_unit_test(choices_are_obeyed),
        cmocka_unit_test(colours_are_right),
        cmocka_unit_test(warm_frames_allocate_nothing),
        cmocka_unit_test(broken_runs_stop),
        cmocka_unit_test(scenes_go_on),
        cmocka_unit_test(curves_are_kept_without_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
