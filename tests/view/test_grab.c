/* Bodies held by the mouse. */
#include "page.h"

#include "app/viewer/parts.h"
#include "world/world.h"

static uint32_t dynamic_body(const view_session *session)
{
    uint32_t found = ASHI_NONE;
    for (uint32_t i = 0; i < session->scene->bodies.count; i++)
        if (session->scene->bodies.data[i].def.type == ASH_BODY_DYNAMIC)
            found = i;
    assert_true(found != ASHI_NONE);
    return found;
}

static bool say_at(view_page *page, view_session *session, const char *command, uint32_t body, ash_vec3 point)
{
    char text[256], id[32] = "";
    if (body != ASHI_NONE)
        snprintf(id, sizeof id, "\"body\": %u, ", body + 1);
    snprintf(text, sizeof text, "{\"do\": \"%s\", %s\"point\": [%.17g, %.17g, %.17g]}", command, id, point.x, point.y,
             point.z);
    return page_says(page, session, text);
}

static double distance(ash_vec3 a, ash_vec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

/* The held point goes to the target and stays there, whatever the step, and nothing swings up. */
static void point_is_tracked(void **unused)
{
    (void)unused;
    static const double steps[] = {0.002, 0.01, 1.0 / 60, 0.05};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        view_page page;
        view_session *session = page_open(&page, "tumbling-box", "realtime");
        char text[96];
        snprintf(text, sizeof text, "{\"do\": \"set\", \"field\": \"step\", \"value\": %.17g}", steps[k]);
        assert_true(page_says(&page, session, text));
        const ashi_instance *instance = &session->worlds[0].instance;
        uint32_t body = dynamic_body(session);
        for (uint32_t w = 0; w < 2; w++)
            ash_body_set_angular_velocity(session->worlds[w].instance.world, session->worlds[w].instance.bodies[body],
                                          (ash_vec3){0, 0, 0});
        ash_vec3 at = ash_body_get_centre(instance->world, instance->bodies[body]);
        at.x += 0.1; /* off the centre */
        assert_true(say_at(&page, session, "grab", body, at));
        ash_vec3 local = session->grabs.data[0].point, target = {at.x + 0.5, at.y - 0.3, at.z + 0.4};
        assert_true(say_at(&page, session, "drag", ASHI_NONE, target));
        double farthest = 0;
        for (double t = 0; t < 3; t += steps[k]) {
            assert_true(page_says(&page, session, "{\"do\": \"step\"}"));
            double off = distance(ash_body_point_to_world(instance->world, instance->bodies[body], local), target);
            farthest = fmax(farthest, off);
        }
        for (uint32_t w = 0; w < 2; w++) {
            /* It hangs below by its weight over the stiffness, and swings a little. */
            const ashi_instance *held = &session->worlds[w].instance;
            double sag = 9.8 * 10 / held->world->model.forces.pulls.data[0].stiffness;
            assert_below(distance(ash_body_point_to_world(held->world, held->bodies[body], local), target), 1.5 * sag);
        }
        assert_below(farthest, 1.5);
        page_close(&page);
        view_session_close(session);
    }
}

/* A dropped body keeps its velocity; one that is let go of by leaving, too. */
static void dropping_throws(void **unused)
{
    (void)unused;
    for (int leaves = 0; leaves < 2; leaves++) {
        view_page page;
        view_session *session = page_open(&page, "tumbling-box", NULL);
        const ashi_instance *instance = &session->worlds[0].instance;
        uint32_t body = dynamic_body(session);
        ash_vec3 at = ash_body_get_centre(instance->world, instance->bodies[body]);
        uint32_t forces = ash_world_get_forces(instance->world, NULL, 0);
        assert_true(say_at(&page, session, "grab", body, at));
        assert_int_equal(ash_world_get_forces(instance->world, NULL, 0), forces + 1);
        for (int i = 1; i <= 50; i++) {
            at.x += 0.05;
            assert_true(say_at(&page, session, "drag", ASHI_NONE, at));
            assert_true(page_says(&page, session, "{\"do\": \"step\"}"));
        }
        double speed = ash_body_get_velocity(instance->world, instance->bodies[body]).x;
        assert_true(speed > 1);
        if (leaves)
            view_session_leave(session, 1);
        else
            assert_true(page_says(&page, session, "{\"do\": \"drop\"}"));
        assert_int_equal(ash_world_get_forces(instance->world, NULL, 0), forces);
        assert_int_equal(session->grabs.count, 0);
        assert_true(ash_body_get_velocity(instance->world, instance->bodies[body]).x == speed);
        assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 5}"));
        assert_near(ash_body_get_velocity(instance->world, instance->bodies[body]).x, speed, 0.01 * speed);
        assert_false(say_at(&page, session, "drag", ASHI_NONE, at));
        page_close(&page);
        view_session_close(session);
    }
}

/* Several pages hold bodies; one of them goes, and the others hold on. */
static void pages_hold_their_own(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "box-stack", NULL);
    const ashi_instance *instance = &session->worlds[0].instance;
    uint32_t last = dynamic_body(session);
    for (uint32_t client = 1; client <= 3; client++) {
        uint32_t body = last - client;
        ash_vec3 at = ash_body_get_centre(instance->world, instance->bodies[body]);
        char text[160];
        snprintf(text, sizeof text, "{\"do\": \"grab\", \"body\": %u, \"point\": [%g, %g, %g]}", body + 1, at.x, at.y,
                 at.z);
        view_session_obey(session, client, text, strlen(text), page_sink(&page), page_sink(&page));
    }
    assert_int_equal(page.error_count, 0);
    assert_int_equal(session->grabs.count, 3);
    view_session_leave(session, 2);
    view_session_leave(session, 77);
    assert_int_equal(session->grabs.count, 2);
    /* A body that is deleted takes its pull along. */
    char text[64];
    snprintf(text, sizeof text, "{\"do\": \"delete\", \"body\": %u}", last - 1 + 1);
    assert_true(page_says(&page, session, text));
    assert_false(say_at(&page, session, "drag", ASHI_NONE, (ash_vec3){0, 0, 1}));
    assert_int_equal(session->grabs.count, 1);
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 3}"));
    assert_true(page_says(&page, session, "{\"do\": \"reset\"}"));
    assert_int_equal(session->grabs.count, 0);
    assert_int_equal(ash_world_get_forces(session->worlds[0].instance.world, NULL, 0), 0);
    page_close(&page);
    view_session_close(session);
}

static void sleepers_wake(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "box-stack", NULL);
    assert_true(page_says(&page, session, "{\"do\": \"method\", \"name\": \"realtime\"}"));
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 300}"));
    const ashi_instance *instance = &session->worlds[0].instance;
    uint32_t body = dynamic_body(session);
    assert_false(ash_body_is_awake(instance->world, instance->bodies[body]));
    ash_vec3 at = ash_body_get_centre(instance->world, instance->bodies[body]);
    assert_true(say_at(&page, session, "grab", body, at));
    assert_true(ash_body_is_awake(instance->world, instance->bodies[body]));
    at.z += 2;
    assert_true(say_at(&page, session, "drag", ASHI_NONE, at));
    assert_true(ash_body_is_awake(instance->world, instance->bodies[body]));
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 100}"));
    assert_true(ash_body_get_centre(instance->world, instance->bodies[body]).z > at.z - 0.2);
    page_close(&page);
    view_session_close(session);
}

/* Where a step takes too long to follow the hand, realtime takes it, until the body is let go. */
static void slow_methods_follow_the_hand(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "wall", "gribel-2009");
    session->hand_patience = 0; /* nothing is quick enough */
    session->patience = 1e9;    /* even if the machine is slow */
    view_world *first = &session->worlds[0];
    uint32_t body = dynamic_body(session);
    ash_vec3 from = ash_body_get_centre(first->instance.world, first->instance.bodies[body]), at = from;
    uint64_t hash = ash_world_get_hash(first->instance.world);
    assert_true(page_says(&page, session, "{\"do\": \"step\"}")); /* without a hand it has its time */
    assert_false(first->by_hand);
    assert_true(ash_world_get_hash(first->instance.world) != hash);
    assert_true(say_at(&page, session, "grab", body, at));
    at.y -= 0.5;
    at.z += 0.2;
    assert_true(say_at(&page, session, "drag", ASHI_NONE, at));
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 40}"));
    for (uint32_t i = 0; i < 2; i++) {
        const ashi_instance *instance = &session->worlds[i].instance;
        assert_true(session->worlds[i].by_hand);
        assert_string_equal(ash_world_get_method(instance->world).name, "realtime");
        assert_below(distance(ash_body_get_centre(instance->world, instance->bodies[body]), at), 0.1);
    }
    assert_string_equal(first->method.name, "engineering");
    assert_true(json_is_true(json_object_get(page.state, "by_hand")));
    /* Stepping back and on again goes over moments of both methods, and ends with nobody holding anything. */
    assert_true(page_says(&page, session, "{\"do\": \"back\", \"count\": 5}"));
    assert_string_equal(ash_world_get_method(first->instance.world).name, "engineering");
    assert_false(first->by_hand);
    assert_true(say_at(&page, session, "grab", body, at));
    assert_true(page_says(&page, session, "{\"do\": \"step\"}"));
    assert_true(first->by_hand);
    assert_true(page_says(&page, session, "{\"do\": \"drop\"}"));
    for (uint32_t i = 0; i < 2; i++)
        assert_string_equal(ash_world_get_method(session->worlds[i].instance.world).name,
                            i == 0 ? "engineering" : "gribel-2009");
    page_close(&page);
    view_session_close(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_methods_follow_the_hand),
        cmocka_unit_test(point_is_tracked),
        cmocka_unit_test(dropping_throws),
        cmocka_unit_test(pages_hold_their_own),
        cmocka_unit_test(sleepers_wake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
