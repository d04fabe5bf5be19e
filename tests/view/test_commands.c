/* Commands that are rubbish: thousands of them, random and mutated, leave a session that is sane. */
#include "page.h"

#include "app/viewer/parts.h"
#include "base/alloc.h"
#include "base/random.h"

/* Every command there is, in a form that is obeyed. */
static const char *const good[] = {
    "{\"do\": \"play\"}",
    "{\"do\": \"pause\"}",
    "{\"do\": \"step\", \"count\": 2}",
    "{\"do\": \"back\", \"count\": 1}",
    "{\"do\": \"reset\"}",
    "{\"do\": \"speed\", \"value\": 0.5}",
    "{\"do\": \"layers\", \"names\": [\"contacts\", \"forces\", \"graph\"]}",
    "{\"do\": \"colour\", \"mode\": \"island\"}",
    "{\"do\": \"curves\"}",
    "{\"do\": \"load\", \"scene\": \"seesaw\", \"parameters\": {}, \"method\": \"realtime\"}",
    "{\"do\": \"load\", \"scene\": \"box-stack\"}",
    "{\"do\": \"set\", \"field\": \"iterations\", \"value\": 12}",
    "{\"do\": \"set\", \"field\": \"step\", \"value\": 0.01}",
    "{\"do\": \"method\", \"name\": \"engineering\"}",
    "{\"do\": \"compare\", \"method\": \"realtime\"}",
    "{\"do\": \"compare\", \"method\": null}",
    "{\"do\": \"grab\", \"body\": 2, \"point\": [0, 0, 0.5]}",
    "{\"do\": \"drag\", \"point\": [0.5, 0.1, 0.7]}",
    "{\"do\": \"drop\"}",
    "{\"do\": \"add\", \"kind\": \"box\", \"point\": [4, 0, 3], \"size\": 0.5, \"velocity\": [0, 0, -1]}",
    "{\"do\": \"join\", \"kind\": \"hinge\", \"a\": 2, \"b\": 3, \"point\": [0, 0, 1], \"axis\": [0, 0, 1]}",
    "{\"do\": \"spring\", \"a\": 2, \"b\": 3, \"point_a\": [0, 0, 0.5], \"point_b\": [0, 0, 1.5]}",
    "{\"do\": \"delete\", \"body\": 3}",
    "{\"do\": \"export\"}",
};
enum { GOOD = sizeof good / sizeof *good };

static void every_command_is_obeyed(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < GOOD; i++) {
        view_page page;
        view_session *session = page_open(&page, "box-stack", NULL);
        assert_true(page_says(&page, session, "{\"do\": \"grab\", \"body\": 2, \"point\": [0, 0, 0.5]}"));
        assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 2}"));
        if (!page_says(&page, session, good[i]))
            fail_msg("%s: %s", good[i], page_complaint(&page));
        page_close(&page);
        view_session_close(session);
    }
}

/* Each is refused, with a word on why, and changes nothing. */
static void bad_commands_are_refused(void **unused)
{
    (void)unused;
    static const char *const bad[] = {
        "",
        "nonsense",
        "null",
        "[]",
        "{}",
        "{\"do\": 5}",
        "{\"do\": \"jump\"}",
        "{\"do\": \"play\", \"do\": \"pause\"}",
        "{\"do\": \"play\", \"loudly\": true}",
        "{\"do\": \"step\", \"count\": 0}",
        "{\"do\": \"step\", \"count\": 1.5}",
        "{\"do\": \"step\", \"count\": 1e9}",
        "{\"do\": \"step\", \"count\": \"2\"}",
        "{\"do\": \"speed\"}",
        "{\"do\": \"speed\", \"value\": 0}",
        "{\"do\": \"speed\", \"value\": -1}",
        "{\"do\": \"speed\", \"value\": 1e400}",
        "{\"do\": \"layers\"}",
        "{\"do\": \"layers\", \"names\": [5]}",
        "{\"do\": \"layers\", \"names\": [\"unknown\"]}",
        "{\"do\": \"colour\", \"mode\": \"mauve\"}",
        "{\"do\": \"load\", \"scene\": \"/etc/passwd\"}",
        "{\"do\": \"load\", \"scene\": \"../scenes/curling.json\"}",
        "{\"do\": \"load\", \"scene\": \"box-stack\", \"parameters\": {\"no-such\": 1}}",
        "{\"do\": \"load\", \"scene\": \"box-stack\", \"parameters\": {\"iterations\": 1}}",
        "{\"do\": \"load\", \"scene\": \"box-stack\", \"parameters\": [1]}",
        "{\"do\": \"load\", \"scene\": \"box-stack\", \"method\": \"no-such\"}",
        "{\"do\": \"set\", \"field\": \"no-such\", \"value\": 1}",
        "{\"do\": \"set\", \"field\": \"iterations\", \"value\": -1}",
        "{\"do\": \"set\", \"field\": \"iterations\"}",
        "{\"do\": \"set\", \"field\": \"step\", \"value\": 0}",
        "{\"do\": \"set\", \"field\": \"iterations\", \"value\": 5, \"world\": 1}",
        "{\"do\": \"method\", \"name\": \"magic\"}",
        "{\"do\": \"compare\", \"method\": \"magic\"}",
        "{\"do\": \"grab\", \"body\": 0, \"point\": [0, 0, 0]}",
        "{\"do\": \"grab\", \"body\": 1, \"point\": [0, 0, 0]}", /* the ground */
        "{\"do\": \"grab\", \"body\": 99, \"point\": [0, 0, 0]}",
        "{\"do\": \"grab\", \"body\": 2, \"point\": [0, 0, null]}",
        "{\"do\": \"drag\", \"point\": [0, 0, 0]}",
        "{\"do\": \"seek\", \"time\": 0}",
        "{\"do\": \"back\", \"count\": -1}",
    };
    view_page page;
    view_session *session = page_open(&page, "box-stack", NULL);
    uint64_t hash = ash_world_get_hash(session->worlds[0].instance.world);
    uint32_t scenes = page.scene_count;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (page_says(&page, session, bad[i]))
            fail_msg("%s was obeyed", bad[i]);
        assert_true(strlen(page_complaint(&page)) > 10);
    }
    assert_true(ash_world_get_hash(session->worlds[0].instance.world) == hash);
    assert_int_equal(page.scene_count, scenes);
    assert_true(session->paused && session->speed == 1 && session->layers == 0 && session->grabs.count == 0);
    char *long_one = malloc(70000);
    memset(long_one, ' ', 70000);
    memcpy(long_one, "{\"do\": \"play\"}", 14);
    view_session_obey(session, 1, long_one, 70000, page_sink(&page), page_sink(&page));
    assert_non_null(strstr(page_complaint(&page), "70000"));
    free(long_one);
    page_close(&page);
    view_session_close(session);
}

/* Changes a few bytes, or cuts, doubles or crosses pieces. */
static size_t mutate(ashi_random *random, char *text, size_t size, size_t most)
{
    static const char alphabet[] = "{}[]\",:0123456789.-+eE\\truefalsn \x80\xff";
    uint32_t changes = 1 + ashi_random_below(random, 4);
    for (uint32_t i = 0; i < changes && size > 0; i++) {
        size_t at = ashi_random_below(random, (uint32_t)size);
        switch (ashi_random_below(random, 4)) {
        case 0:
            text[at] = alphabet[ashi_random_below(random, sizeof alphabet - 1)];
            break;
        case 1:
            memmove(text + at, text + at + 1, size - at - 1);
            size--;
            break;
        case 2:
            if (size + 1 < most) {
                memmove(text + at + 1, text + at, size - at);
                text[at] = alphabet[ashi_random_below(random, sizeof alphabet - 1)];
                size++;
            }
            break;
        default: { /* a number becomes another */
            static const char *const numbers[] = {"0", "-1", "1e6", "1e-320", "4294967296", "7", "0.3", "1e308"};
            const char *number = numbers[ashi_random_below(random, 8)];
            while (at < size && (text[at] < '0' || text[at] > '9'))
                at++;
            if (at < size && size + strlen(number) < most) {
                memmove(text + at + strlen(number), text + at + 1, size - at - 1);
                memcpy(text + at, number, strlen(number));
                size += strlen(number) - 1;
            }
        }
        }
    }
    return size;
}

/* Numbers of frames are those of the scene, ids are valid, times go on. */
static void check_sanity(view_page *page, view_session *session)
{
    view_session_frame(session, page_sink(page));
    for (uint32_t w = 0; w < session->world_count; w++) {
        const page_frame *frame = &page->frames[w];
        assert_int_equal(frame->generation, session->generation);
        assert_int_equal(frame->bodies, session->scene->bodies.count);
        assert_true(frame->time >= 0 && isfinite(frame->time));
        for (uint32_t i = 0; i < 3 * frame->bodies; i++)
            assert_false(isinf(frame->positions[i]));
    }
    assert_int_equal(json_array_size(json_object_get(page->scene, "bodies")), session->scene->bodies.count);
    assert_true(session->clock.h >= 1e-6 && session->clock.h <= 1);
}

static void rubbish_harms_nothing(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "box-stack", NULL);
    ashi_random random = {20261116};
    session->history.most_memory = 4 << 20;
    uint32_t obeyed = 0;
    for (int i = 0; i < TRIALS(6000); i++) {
        char text[1024];
        const char *from = good[ashi_random_below(&random, GOOD)];
        size_t size = strlen(from);
        memcpy(text, from, size);
        uint32_t what = ashi_random_below(&random, 10);
        if (what < 8)
            size = mutate(&random, text, size, sizeof text - 1);
        else if (what == 8) {
            size = ashi_random_below(&random, 200);
            for (size_t k = 0; k < size; k++)
                text[k] = (char)ashi_random_below(&random, 256);
        }
        uint32_t errors = page.error_count;
        view_session_obey(session, ashi_random_below(&random, 4), text, size, page_sink(&page), page_sink(&page));
        obeyed += page.error_count == errors;
        if (session->scene->bodies.count > 60)
            assert_true(page_says(&page, session, "{\"do\": \"reset\"}"));
        if (session->clock.h > 0.05)
            assert_true(page_says(&page, session, "{\"do\": \"set\", \"field\": \"step\", \"value\": 0.01}"));
        if (i % 16 == 0) {
            view_session_advance(session, 0.002, page_sink(&page));
            view_session_leave(session, ashi_random_below(&random, 4));
            check_sanity(&page, session);
        }
        if (strcmp(session->scene->name, "box-stack") != 0 && strcmp(session->scene->name, "seesaw") != 0)
            assert_true(page_says(&page, session, "{\"do\": \"load\", \"scene\": \"seesaw\"}"));
    }
    assert_true(obeyed > 0);
    assert_true(page.error_count > 0);
    page_close(&page);
    view_session_close(session);
}

/* Memory runs out at one allocation after another while a command is obeyed. */
static void memory_may_run_out(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "box-stack", NULL);
    for (size_t i = 0; i < (SLOW_BUILD ? GOOD - 5 : GOOD); i++) { /* bodies in one place are slow */
        bool failed = true;
        for (uint64_t k = 1; failed; k += 1 + k / TRIALS(20)) {
            assert_true(page_says(&page, session, "{\"do\": \"step\"}"));
            ashi_alloc_fail_at(k, false);
            page_says(&page, session, good[i]);
            view_session_frame(session, page_sink(&page));
            failed = ashi_alloc_fail_at(0, false) >= k;
            if (i >= GOOD - 5) /* they may be gone */
                assert_true(page_says(&page, session, "{\"do\": \"load\", \"scene\": \"box-stack\"}"));
            view_session_frame(session, page_sink(&page));
        }
    }
    page_close(&page);
    view_session_close(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_is_obeyed),
        cmocka_unit_test(bad_commands_are_refused),
        cmocka_unit_test(rubbish_harms_nothing),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
