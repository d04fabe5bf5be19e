/* The present state as a scene file: it is read again, and the motion goes on as if nothing had been. */
#define _GNU_SOURCE /* asprintf */
#include "page.h"

#include "app/viewer/parts.h"

/* Takes steps, exports, reads, and takes more on both sides; answers how far apart bodies are then (a rad/s
 * counts as a cm), and have come. `order`: a command to begin with, or null. */
static double stray(const char *name, const char *order, uint32_t before, uint32_t after, double *moved)
{
    view_page page;
    view_session *session = page_open(&page, name, NULL);
    if (order != NULL)
        assert_true(page_says(&page, session, order));
    for (uint32_t i = 0; i < before; i++) /* one by one: an order has a limit of time, which slow machines exceed */
        assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 1}"));
    if (!page_says(&page, session, "{\"do\": \"export\"}"))
        fail_msg("%s: %s", name, page_complaint(&page));
    const char *exported = json_string_value(json_object_get(page.export, "text"));
    ash_scene *scene;
    ash_diagnostic diagnostic = {0};
    if (ash_scene_parse(exported, strlen(exported), name, &scene, &diagnostic) != ASH_OK)
        fail_msg("%s: %s: %s", name, diagnostic.path, diagnostic.message);
    ashi_instance again;
    if (ashi_scene_build(scene, 1, &again, &diagnostic) != ASH_OK)
        fail_msg("%s: %s: %s", name, diagnostic.path, diagnostic.message);
    const ashi_instance *instance = &session->worlds[0].instance;
    ash_vec3 *starts = calloc(scene->bodies.count, sizeof *starts);
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        if (ash_body_is_valid(again.world, again.bodies[i]))
            starts[i] = ash_body_get_centre(again.world, again.bodies[i]);
    for (uint32_t i = 0; i < after; i++) {
        assert_int_equal(ashi_instance_apply_events(&again, scene, i * scene->step, &diagnostic), ASH_OK);
        assert_int_equal(ash_world_step(again.world, scene->step), ASH_OK);
        assert_true(page_says(&page, session, "{\"do\": \"step\"}"));
    }
    double farthest = 0;
    *moved = 0;
    for (uint32_t i = 0; i < session->scene->bodies.count; i++) {
        bool there = ash_body_is_valid(instance->world, instance->bodies[i]);
        assert_int_equal(there, ash_body_is_valid(again.world, again.bodies[i]));
        if (!there)
            continue;
        ash_vec3 a = ash_body_get_centre(instance->world, instance->bodies[i]);
        ash_vec3 b = ash_body_get_centre(again.world, again.bodies[i]);
        farthest = fmax(farthest, fmax(fabs(a.x - b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z))));
        ash_vec3 u = ash_body_get_angular_velocity(instance->world, instance->bodies[i]);
        ash_vec3 v = ash_body_get_angular_velocity(again.world, again.bodies[i]);
        farthest = fmax(farthest, 0.01 * fmax(fabs(u.x - v.x), fmax(fabs(u.y - v.y), fabs(u.z - v.z))));
        *moved = fmax(*moved, fmax(fabs(a.x - starts[i].x), fmax(fabs(a.y - starts[i].y), fabs(a.z - starts[i].z))));
    }
    free(starts);
    ashi_instance_release(&again);
    ash_scene_destroy(scene);
    page_close(&page);
    view_session_close(session);
    return farthest;
}

/* Scenes whose steps do not depend on impulses of the step before, or are solved to the end: as exact as rounding lets
 * them be. */
static void motion_goes_on(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        uint32_t before, after;
    } scenes[] = {
        {"oscillator", 30, 20},      {"tumbling-box", 30, 20}, {"net", 30, 20},
        {"tennis-ball", 30, 20},     {"box-stack", 30, 20},    {"stick-slip", 200, 50},
        {"conveyor", 100, 50},       {"incline", 30, 20},      {"seesaw", 30, 20},
        {"chain-2d", 30, 20},        {"slider-2d", 30, 20},    {"driver-2d", 150, 30},
        {"truck-2d", 30, 20},        {"ragdoll-2d", 30, 20},   {"hydraulic", 120, 30},
        {"cow-pile", 3, 3},          {"heavy-top", 30, 20},    {"universal-joint", 30, 20},
        {"iftomm-four-bar", 30, 20}, {"heavy-chain", 30, 20},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        double moved, off = stray(scenes[i].name, NULL, scenes[i].before, scenes[i].after, &moved);
        printf("%-16s off by %.2g m after moving %.2g m\n", scenes[i].name, off, moved);
        assert_below(off, 1e-7);
    }
}

/* Steps that begin without the last impulses lose nothing else by the export, however early the solver stops. The
 * walker's drives have a time that is rounded again. Its contacts and the car's are solved to 1e-6 m/s, together with
 * joints where a part would make energy otherwise. */
static void only_impulses_are_lost(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        double limit;
    } scenes[] = {
        {"walker", 1e-5},       {"car", 1e-8},         {"net", 1e-12},       {"hydraulic", 1e-12},
        {"heavy-chain", 1e-12}, {"ragdoll-2d", 1e-12}, {"box-stack", 1e-12},
    };
    const char *off_order = "{\"do\": \"set\", \"field\": \"warm-start\", \"value\": \"off\"}";
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        double moved, off = stray(scenes[i].name, off_order, 130, 10, &moved);
        printf("%-16s off by %.2g m after moving %.2g m\n", scenes[i].name, off, moved);
        assert_below(off, scenes[i].limit);
    }
}

/* What pages added is there, what they deleted is not, and numbers of what is left follow. */
static void changes_are_exported(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "box-stack", NULL);
    uint32_t bodies = session->scene->bodies.count;
    char text[256];
    assert_true(page_says(&page, session, "{\"do\": \"delete\", \"body\": 2}"));
    assert_true(
        page_says(&page, session, "{\"do\": \"add\", \"kind\": \"ball\", \"point\": [5, 0, 3], \"size\": 0.5}"));
    assert_true(
        page_says(&page, session, "{\"do\": \"add\", \"kind\": \"polygon\", \"point\": [5, 0, 2], \"size\": 0.5}"));
    snprintf(text, sizeof text, "{\"do\": \"join\", \"kind\": \"ball\", \"a\": 0, \"b\": %u, \"point\": [5, 0, 4]}",
             bodies + 1);
    assert_true(page_says(&page, session, text));
    snprintf(text, sizeof text,
             "{\"do\": \"spring\", \"a\": %u, \"b\": %u, \"point_a\": [5, 0, 3], \"point_b\": [5, 0, 2]}", bodies + 1,
             bodies + 2);
    assert_true(page_says(&page, session, text));
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 10}"));
    assert_true(page_says(&page, session, "{\"do\": \"export\"}"));
    const char *exported = json_string_value(json_object_get(page.export, "text"));
    ash_scene *scene;
    assert_int_equal(ash_scene_parse(exported, strlen(exported), "exported", &scene, NULL), ASH_OK);
    assert_int_equal(scene->bodies.count, bodies + 1);
    assert_int_equal(scene->joints.count, 1);
    assert_int_equal(scene->forces.count, 1);
    assert_int_equal(scene->joints.data[0].def.body_b.id, bodies); /* one less is before it */
    assert_int_equal(scene->forces.data[0].def.spring.body_b.id, bodies + 1);
    const ashi_instance *instance = &session->worlds[0].instance;
    ash_vec3 there = ash_body_get_transform(instance->world, instance->bodies[bodies]).position;
    assert_true(scene->bodies.data[bodies - 1].def.position.z == there.z);
    assert_near(scene->forces.data[0].def.spring.rest_length, 1, 1e-12);
    ash_scene_destroy(scene);
    page_close(&page);
    view_session_close(session);
}

/* A scene file that a page sends is seen at once and can be loaded again by its name; a wrong one changes nothing, and
 * is answered by its file and line. */
static void a_file_is_opened(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "box-stack", NULL);
    assert_true(page_says(&page, session, "{\"do\": \"export\"}"));
    json_t *text = json_object_get(page.export, "text");
    json_t *order = json_pack("{s:s, s:s, s:O}", "do", "open", "name", "mine.json", "text", text);
    char *sent = json_dumps(order, 0);
    json_decref(order);
    uint32_t bodies = session->scene->bodies.count;
    assert_true(page_says(&page, session, "{\"do\": \"load\", \"scene\": \"net\"}"));
    assert_true(page_says(&page, session, sent));
    free(sent);
    assert_int_equal(session->scene->bodies.count, bodies);
    char *again = NULL;
    assert_true(asprintf(&again, "{\"do\": \"load\", \"scene\": \"%s\"}", session->own_name) > 0);
    assert_true(page_says(&page, session, "{\"do\": \"load\", \"scene\": \"net\"}"));
    assert_true(page_says(&page, session, again));
    free(again);
    assert_int_equal(session->scene->bodies.count, bodies);
    assert_false(
        page_says(&page, session,
                  "{\"do\": \"open\", \"name\": \"a.json\", \"text\": \"{\\\"ashlar\\\": 1,\\n\\\"bodis\\\": []}\"}"));
    assert_non_null(strstr(page_complaint(&page), "a.json:2: "));
    assert_int_equal(session->scene->bodies.count, bodies);
    page_close(&page);
    view_session_close(session);
}

/* Colours stay, and what an output is measured against keeps its body when another one has gone. */
static void colours_and_references_stay(void **unused)
{
    (void)unused;
    static const char file[] =
        "{'ashlar': 1, 'materials': {'m': {'colour': '#102030'}}, 'bodies': [{'name': 'a', 'mass': 1}, {'name': 'b', "
        "'mass': 1, 'colour': '#405060'}, {'name': 'c', 'mass': 1}], 'outputs': [{'name': 'o', 'body': 'b', 'quantity': "
        "'position', 'component': 'x', 'relative_to': 'c'}], 'events': [{'kind': 'remove', 'time': 0, 'body': 'a'}]}";
    char quoted[sizeof file];
    for (size_t i = 0; i < sizeof file; i++)
        quoted[i] = file[i] == '\'' ? '"' : file[i];
    json_t *open = json_pack("{s:s, s:s, s:s}", "do", "open", "name", "x.json", "text", quoted);
    char *order = json_dumps(open, 0);
    json_decref(open);
    view_page page;
    view_session *session = page_open(&page, "oscillator", NULL);
    if (!page_says(&page, session, order) || !page_says(&page, session, "{\"do\": \"step\"}") ||
        !page_says(&page, session, "{\"do\": \"export\"}"))
        fail_msg("%s", page_complaint(&page));
    free(order);
    const char *text = json_string_value(json_object_get(page.export, "text"));
    ash_scene *scene;
    ash_diagnostic diagnostic;
    assert_int_equal(ash_scene_parse(text, strlen(text), "exported", &scene, &diagnostic), ASH_OK);
    assert_int_equal(scene->bodies.count, 2);
    assert_int_equal(scene->bodies.data[0].colour, 0x405060);
    assert_int_equal(scene->material_looks.data[0].colour, 0x102030);
    assert_int_equal(scene->outputs.data[0].beside, 2);
    ash_scene_destroy(scene);
    page_close(&page);
    view_session_close(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_and_references_stay), cmocka_unit_test(a_file_is_opened),
        cmocka_unit_test(changes_are_exported),        cmocka_unit_test(motion_goes_on),
        cmocka_unit_test(only_impulses_are_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
