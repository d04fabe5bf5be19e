/* Steps back: the very states that were, whatever is kept of them. */
#include "page.h"

#include "app/viewer/parts.h"

enum { STEPS = 60 };

static uint64_t hash_of(const view_session *session, uint32_t world)
{
    return ash_world_get_hash(session->worlds[world].instance.world);
}

static void take(view_page *page, view_session *session, uint64_t hashes[2][STEPS + 1])
{
    for (uint32_t i = 0; i <= STEPS; i++) {
        for (uint32_t k = 0; k < session->world_count; k++)
            hashes[k][i] = hash_of(session, k);
        if (i < STEPS)
            assert_true(page_says(page, session, "{\"do\": \"step\"}"));
    }
}

static void go_back(view_page *page, view_session *session, uint32_t count)
{
    char text[64];
    snprintf(text, sizeof text, "{\"do\": \"back\", \"count\": %u}", count);
    if (!page_says(page, session, text))
        fail_msg("%s: %s", text, page_complaint(page));
}

static void check_back(const char *scene, const char *other)
{
    view_page page;
    uint64_t hashes[2][STEPS + 1];
    view_session *session = page_open(&page, scene, other);
    take(&page, session, hashes);
    static const uint32_t counts[] = {1, 1, 7, 1, 20, 3};
    uint32_t at = STEPS;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        at -= counts[i];
        go_back(&page, session, counts[i]);
        assert_int_equal(session->clock.step, at);
        for (uint32_t k = 0; k < session->world_count; k++)
            assert_true(hash_of(session, k) == hashes[k][at]);
    }
    /* Forth again, and back to the start. */
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 10}"));
    for (uint32_t k = 0; k < session->world_count; k++)
        assert_true(hash_of(session, k) == hashes[k][at + 10]);
    go_back(&page, session, 1000000);
    assert_int_equal(session->clock.step, 0);
    assert_true(hash_of(session, 0) == hashes[0][0]);
    page_close(&page);
    view_session_close(session);
}

static void back_is_exact(void **unused)
{
    (void)unused;
    check_back("box-stack", NULL);
    check_back("seesaw", "engineering");
}

/* Bodies are added, removed and released by events: the handles go back as well. */
static void back_over_events(void **unused)
{
    (void)unused;
    view_page page;
    uint64_t hashes[2][STEPS + 1];
    static const char scene[] =
        "{\"ashlar\": 1, \"name\": \"events\", \"world\": {\"step\": 0.01, \"time\": 1},"
        "\"bodies\": [{\"name\": \"a\", \"shapes\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.5}}]},"
        "{\"name\": \"b\", \"absent\": true, \"position\": [3, 0, 0],"
        " \"shapes\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.5}}]},"
        "{\"name\": \"c\", \"type\": \"static\", \"position\": [6, 0, 0],"
        " \"shapes\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.5}}]}],"
        "\"events\": [{\"time\": 0.1, \"kind\": \"add\", \"body\": \"b\"},"
        "{\"time\": 0.2, \"kind\": \"remove\", \"body\": \"a\"},"
        "{\"time\": 0.3, \"kind\": \"release\", \"body\": \"c\"}]}";
    ash_scene *parsed;
    view_session *session = page_open(&page, "free-fall", NULL);
    ash_diagnostic diagnostic;
    if (ash_scene_parse(scene, strlen(scene), "events", &parsed, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    assert_int_equal(view_load(session, parsed, json_object(), NULL), ASH_OK);
    take(&page, session, hashes);
    view_session_frame(session, page_sink(&page));
    assert_true(isnan(page.frames[0].positions[0]));
    assert_false(isnan(page.frames[0].positions[3]));
    const json_t *bodies = json_object_get(page.scene, "bodies");
    assert_string_equal(json_string_value(json_object_get(json_array_get(bodies, 2), "type")), "dynamic");
    go_back(&page, session, STEPS - 15);
    assert_true(hash_of(session, 0) == hashes[0][15]);
    view_session_frame(session, page_sink(&page));
    assert_false(isnan(page.frames[0].positions[0]));
    bodies = json_object_get(page.scene, "bodies");
    assert_string_equal(json_string_value(json_object_get(json_array_get(bodies, 2), "type")), "static");
    go_back(&page, session, 10);
    view_session_frame(session, page_sink(&page));
    assert_true(isnan(page.frames[0].positions[3]));
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 40}"));
    assert_true(hash_of(session, 0) == hashes[0][45]);
    page_close(&page);
    view_session_close(session);
}

/* What a page changed cannot be taken again: states after it must come from what was kept. */
static void back_over_changes(void **unused)
{
    (void)unused;
    view_page page;
    uint64_t hashes[STEPS + 1];
    view_session *session = page_open(&page, "box-stack", NULL);
    for (uint32_t i = 0; i <= STEPS; i++) {
        if (i == 20)
            assert_true(page_says(&page, session, "{\"do\": \"method\", \"name\": \"realtime\"}"));
        if (i == 30)
            assert_true(page_says(&page, session,
                                  "{\"do\": \"add\", \"kind\": \"ball\", \"point\": [3, 0, 2], \"size\": 0.5}"));
        if (i == 40)
            assert_true(page_says(&page, session, "{\"do\": \"delete\", \"body\": 2}"));
        hashes[i] = hash_of(session, 0);
        if (i < STEPS)
            assert_true(page_says(&page, session, "{\"do\": \"step\"}"));
    }
    for (uint32_t i = STEPS; i-- > 0;) {
        go_back(&page, session, 1);
        assert_int_equal(session->clock.step, i);
        assert_true(hash_of(session, 0) == hashes[i]);
    }
    page_close(&page);
    view_session_close(session);
}

static void memory_is_bounded(void **unused)
{
    (void)unused;
    view_page page;
    uint64_t hashes[2][STEPS + 1];
    view_session *session = page_open(&page, "box-stack", NULL);
    session->history.most_moments = 6;
    take(&page, session, hashes);
    assert_true(session->history.moments.count <= 6);
    assert_int_equal(session->history.moments.data[0].clock.step, 0);
    go_back(&page, session, 5);
    assert_true(hash_of(session, 0) == hashes[0][STEPS - 5]);
    go_back(&page, session, 33);
    assert_true(hash_of(session, 0) == hashes[0][STEPS - 38]);
    session->history.most_memory = 1; /* the first and the last stay */
    session->history.earned = 1e9;    /* a moment is kept now, however quick the machine is */
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 30}"));
    assert_true(session->history.moments.count <= 2);
    go_back(&page, session, 11);
    assert_true(hash_of(session, 0) == hashes[0][STEPS - 19]);
    page_close(&page);
    view_session_close(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(back_is_exact),
        cmocka_unit_test(back_over_events),
        cmocka_unit_test(back_over_changes),
        cmocka_unit_test(memory_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
