/* Bodies, joints and springs that pages add and delete. */
#include "page.h"

#include "app/viewer/parts.h"

/* Adds a body and answers its number. */
static uint32_t add(view_page *page, view_session *session, const char *kind, double x, double y, double z)
{
    char text[160];
    snprintf(text, sizeof text, "{\"do\": \"add\", \"kind\": \"%s\", \"point\": [%g, %g, %g], \"size\": 0.5}", kind, x,
             y, z);
    if (!page_says(page, session, text))
        fail_msg("%s: %s", text, page_complaint(page));
    return session->scene->bodies.count - 1;
}

static void check_scene(const view_page *page, const view_session *session)
{
    const json_t *bodies = json_object_get(page->scene, "bodies");
    assert_int_equal(json_integer_value(json_object_get(page->scene, "generation")), session->generation);
    assert_int_equal(json_array_size(bodies), session->scene->bodies.count);
    for (uint32_t i = 0; i < session->scene->bodies.count; i++) {
        const json_t *body = json_array_get(bodies, i);
        assert_int_equal(json_integer_value(json_object_get(body, "id")), i + 1);
        assert_true(json_array_size(json_object_get(body, "shapes")) > 0);
    }
}

static void bodies_come(const char *scene, const char *other, double mass_box, double mass_ball)
{
    view_page page;
    view_session *session = page_open(&page, scene, other);
    uint32_t surfaces = page.surface_count, generation = session->generation;
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 3}"));
    uint32_t box = add(&page, session, "box", 7, 1, 2), ball = add(&page, session, "ball", 9, 1, 2),
             polygon = add(&page, session, "polygon", 11, 1, 2);
    assert_true(session->generation > generation);
    assert_int_equal(page.surface_count, surfaces + 3);
    uint32_t again = add(&page, session, "box", 13, 1, 2);
    assert_int_equal(page.surface_count, surfaces + 3); /* one surface for both boxes */
    check_scene(&page, session);
    for (uint32_t w = 0; w < session->world_count; w++) {
        const ashi_instance *instance = &session->worlds[w].instance;
        assert_near(ash_body_get_mass(instance->world, instance->bodies[box]).mass, mass_box, 1e-9);
        assert_near(ash_body_get_mass(instance->world, instance->bodies[ball]).mass, mass_ball, 1e-9);
        assert_true(ash_body_get_mass(instance->world, instance->bodies[polygon]).mass > 0);
        assert_near(ash_body_get_transform(instance->world, instance->bodies[again]).position.x, 13, 1e-12);
    }
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 5}"));
    view_session_frame(session, page_sink(&page));
    assert_int_equal(page.frames[0].bodies, session->scene->bodies.count);
    assert_near((double)page.frames[0].positions[3 * ball], 9, 1e-6);
    assert_true(page_says(&page, session, "{\"do\": \"reset\"}"));
    assert_int_equal(session->scene->bodies.count, box);
    assert_int_equal(session->surfaces.count, surfaces); /* those of what was added are forgotten */
    check_scene(&page, session);
    page_close(&page);
    view_session_close(session);
}

static void bodies_are_added(void **unused)
{
    (void)unused;
    bodies_come("box-stack", NULL, 1000 * 0.125, 1000 * 4 / 3.0 * 3.14159265358979 * 0.015625);
    bodies_come("box-stack", "realtime", 1000 * 0.125, 1000 * 4 / 3.0 * 3.14159265358979 * 0.015625);
    bodies_come("seesaw", NULL, 1000 * 0.25, 1000 * 3.14159265358979 * 0.0625);
}

/* A pendulum of an added body, in two worlds that have gone different ways. */
static void joints_hold(void **unused)
{
    (void)unused;
    static const char *const kinds[] = {"ball", "hinge", "fixed", "universal", "rope", "distance"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        view_page page;
        view_session *session = page_open(&page, "box-stack", "realtime");
        uint32_t a = add(&page, session, "box", 6, 0, 8);
        assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 5}"));
        const ashi_instance *first = &session->worlds[0].instance;
        ash_body_set_transform(first->world, first->bodies[a], (ash_transform){{6, 0, 8.5}, {1, 0, 0, 0}});
        uint32_t b = add(&page, session, "ball", 6.6, 0, 8.5);
        char text[256];
        snprintf(text, sizeof text,
                 "{\"do\": \"join\", \"kind\": \"%s\", \"a\": %u, \"b\": %u, \"point\": [6.3, 0, 8.5],"
                 " \"point_b\": [6.6, 0, 8.5], \"axis\": [0, 1, 0]}",
                 kinds[k], a + 1, b + 1);
        if (!page_says(&page, session, text))
            fail_msg("%s: %s", text, page_complaint(&page));
        assert_int_equal(json_array_size(json_object_get(page.scene, "joints")), 1);
        for (uint32_t w = 0; w < 2; w++) {
            const ashi_instance *instance = &session->worlds[w].instance;
            assert_below(ash_joint_get_error(instance->world, instance->joints[0]).distance, 1e-9);
        }
        ash_vec3 on_a[2];
        for (uint32_t w = 0; w < 2; w++) {
            const ashi_instance *instance = &session->worlds[w].instance;
            on_a[w] = ash_body_point_to_local(instance->world, instance->bodies[a],
                                              ash_joint_get_frame_a(instance->world, instance->joints[0]).position);
        }
        assert_near(on_a[0].z, on_a[1].z, 1e-12); /* at the same place of the body, though it is elsewhere */
        assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 30}"));
        for (uint32_t w = 0; w < 2; w++) {
            const ashi_instance *instance = &session->worlds[w].instance;
            assert_below(ash_joint_get_error(instance->world, instance->joints[0]).distance, 0.02);
        }
        assert_true(page_says(&page, session, "{\"do\": \"delete\", \"joint\": 1}"));
        assert_int_equal(json_array_size(json_object_get(page.scene, "joints")), 0);
        assert_false(page_says(&page, session, "{\"do\": \"delete\", \"joint\": 1}"));
        page_close(&page);
        view_session_close(session);
    }
}

static void springs_pull(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "box-stack", NULL);
    uint32_t ball = add(&page, session, "ball", 6, 0, 8);
    char text[256];
    snprintf(text, sizeof text,
             "{\"do\": \"spring\", \"a\": 0, \"b\": %u, \"point_a\": [6, 0, 10], \"point_b\": [6, 0, 8]}", ball + 1);
    assert_true(page_says(&page, session, text));
    assert_int_equal(json_array_size(json_object_get(page.scene, "forces")), 1);
    const ashi_instance *instance = &session->worlds[0].instance;
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 600}"));
    ash_vec3 at = ash_body_get_centre(instance->world, instance->bodies[ball]);
    double mass = ash_body_get_mass(instance->world, instance->bodies[ball]).mass;
    assert_near(ash_spring_get_tension(instance->world, instance->forces[0]), 9.81 * mass, 0.05 * 9.81 * mass);
    assert_near(at.z, 8 - 9.81 / 144, 0.01);
    assert_true(page_says(&page, session, "{\"do\": \"delete\", \"force\": 1}"));
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 20}"));
    assert_true(ash_body_get_centre(instance->world, instance->bodies[ball]).z < at.z - 0.1);
    page_close(&page);
    view_session_close(session);
}

/* A body that is deleted takes what hangs on it along; its place stays. */
static void bodies_go(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "seesaw", NULL);
    uint32_t bodies = session->scene->bodies.count, joint_body = ASHI_NONE;
    for (uint32_t i = 0; i < session->scene->joints.count; i++)
        joint_body = (uint32_t)session->scene->joints.data[i].def.body_b.id - 1;
    assert_true(joint_body < bodies);
    char text[64];
    snprintf(text, sizeof text, "{\"do\": \"delete\", \"body\": %u}", joint_body + 1);
    assert_true(page_says(&page, session, text));
    assert_int_equal(json_array_size(json_object_get(page.scene, "joints")), 0);
    check_scene(&page, session);
    view_session_frame(session, page_sink(&page));
    for (uint32_t i = 0; i < bodies; i++)
        assert_int_equal(isnan(page.frames[0].positions[3 * i]), i == joint_body);
    assert_false(page_says(&page, session, text)); /* it is gone */
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 20}"));
    page_close(&page);
    view_session_close(session);
}

/* Nothing grows without bounds, and what is refused leaves nothing behind. */
static void limits_hold(void **unused)
{
    (void)unused;
    static const char *const bad[] = {
        "{\"do\": \"add\", \"kind\": \"cow\", \"point\": [0, 0, 9], \"size\": 1}",
        "{\"do\": \"add\", \"kind\": \"box\", \"point\": [0, 0, 1e300], \"size\": 1}",
        "{\"do\": \"add\", \"kind\": \"box\", \"point\": [0, 0], \"size\": 1}",
        "{\"do\": \"add\", \"kind\": \"box\", \"point\": [0, 0, 9], \"size\": 0}",
        "{\"do\": \"add\", \"kind\": \"box\", \"point\": [0, 0, 9], \"size\": \"1\"}",
        "{\"do\": \"join\", \"kind\": \"ball\", \"a\": 2, \"b\": 2, \"point\": [0, 0, 0]}",
        "{\"do\": \"join\", \"kind\": \"ball\", \"a\": 2, \"b\": 99, \"point\": [0, 0, 0]}",
        "{\"do\": \"join\", \"kind\": \"gear\", \"a\": 2, \"b\": 3, \"point\": [0, 0, 0]}",
        "{\"do\": \"join\", \"kind\": \"hinge\", \"a\": 2, \"b\": 3, \"point\": [0, 0, 0], \"axis\": [0, 0, 0]}",
        "{\"do\": \"spring\", \"a\": 2, \"b\": 3, \"point_a\": [0, 0, 0]}",
        "{\"do\": \"delete\"}",
        "{\"do\": \"delete\", \"body\": 0}",
        "{\"do\": \"delete\", \"body\": 2, \"joint\": 1}",
        "{\"do\": \"delete\", \"force\": 1}",
    };
    view_page page;
    view_session *session = page_open(&page, "box-stack", NULL);
    uint64_t hash = ash_world_get_hash(session->worlds[0].instance.world);
    view_base counts = view_counts(session->scene);
    uint32_t generation = session->generation;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (page_says(&page, session, bad[i]))
            fail_msg("%s was obeyed", bad[i]);
        assert_true(strlen(page_complaint(&page)) > 10);
    }
    view_base after = view_counts(session->scene);
    assert_memory_equal(&counts, &after, sizeof counts);
    assert_int_equal(generation, session->generation);
    assert_true(ash_world_get_hash(session->worlds[0].instance.world) == hash);
    page_close(&page);
    view_session_close(session);
}

static double number_at(const json_t *message, const char *key, size_t index)
{
    return json_number_value(json_array_get(json_object_get(message, key), index));
}

/* A hinge has one coordinate, and its figures are those of the world. */
static void coordinates_of_joints_are_told(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "hinge-joint", NULL);
    const ashi_instance *instance = &session->worlds[0].instance;
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 20}"));
    ash_body body = ash_joint_get_body_b(instance->world, instance->joints[0]);
    uint32_t number = 0;
    while (instance->bodies[number].id != body.id)
        number++;
    char text[64];
    snprintf(text, sizeof text, "{\"do\": \"inspect\", \"body\": %u}", number + 1);
    assert_true(page_says(&page, session, text));
    const json_t *joint = json_array_get(json_object_get(page.inspected, "joints"), 0);
    const json_t *coordinates = json_object_get(joint, "coordinates");
    assert_int_equal(json_array_size(coordinates), 1);
    const json_t *only = json_array_get(coordinates, 0);
    assert_string_equal(json_string_value(json_object_get(only, "freedom")), "turn-x");
    assert_near(json_number_value(json_object_get(only, "position")),
                ash_joint_get_position(instance->world, instance->joints[0], ASH_TURN_X), 1e-15);
    page_close(&page);
    view_session_close(session);
}

/* Figures of a body and of its joint; changes of them in both worlds, and back. */
static void figures_are_changed_and_taken_back(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "iftomm-pendulum", "realtime");
    assert_true(page_says(&page, session, "{\"do\": \"step\", \"count\": 10}"));
    assert_true(page_says(&page, session, "{\"do\": \"inspect\", \"body\": 1}"));
    const ashi_instance *instance = &session->worlds[0].instance;
    ash_vec3 v = ash_body_get_velocity(instance->world, instance->bodies[0]);
    double mass = ash_body_get_mass(instance->world, instance->bodies[0]).mass;
    ash_sym3 inertia = ash_body_get_mass(instance->world, instance->bodies[0]).inertia;
    assert_near(json_number_value(json_object_get(page.inspected, "mass")), mass, 1e-15 * mass);
    assert_near(number_at(page.inspected, "velocity", 0), v.x, 1e-15);
    assert_int_equal(json_array_size(json_object_get(page.inspected, "joints")), 1);
    const json_t *joint = json_array_get(json_object_get(page.inspected, "joints"), 0);
    ash_joint_reaction reaction = ash_joint_get_reaction(instance->world, instance->joints[0], ASH_FRAME_WORLD);
    assert_near(number_at(joint, "force", 2), reaction.force.z, 1e-12);

    assert_true(page_says(&page, session, "{\"do\": \"change\", \"body\": 1, \"mass\": 5}"));
    assert_true(page_says(&page, session, "{\"do\": \"change\", \"body\": 1, \"velocity\": [3, 0, 0]}"));
    for (uint32_t w = 0; w < 2; w++) {
        const ashi_instance *other = &session->worlds[w].instance;
        ash_mass_properties now = ash_body_get_mass(other->world, other->bodies[0]);
        assert_near(now.mass, 5, 1e-12);
        assert_near(now.inertia.yy, inertia.yy * 5 / mass, 1e-9 * inertia.yy * 5 / mass);
        assert_near(ash_body_get_velocity(other->world, other->bodies[0]).x, 3, 0);
    }
    assert_true(page_says(&page, session, "{\"do\": \"undo\"}"));
    ash_vec3 back = ash_body_get_velocity(instance->world, instance->bodies[0]);
    assert_true(back.x == v.x && back.y == v.y && back.z == v.z);
    assert_true(page_says(&page, session, "{\"do\": \"undo\"}"));
    assert_near(ash_body_get_mass(instance->world, instance->bodies[0]).mass, mass, 1e-12 * mass);
    assert_false(page_says(&page, session, "{\"do\": \"undo\"}"));
    assert_false(page_says(&page, session, "{\"do\": \"change\", \"body\": 1}"));
    assert_false(page_says(&page, session, "{\"do\": \"change\", \"body\": 1, \"mass\": 0}"));
    assert_false(page_says(&page, session, "{\"do\": \"change\", \"body\": 1, \"mass\": 1, \"velocity\": [0, 0, 0]}"));
    assert_false(page_says(&page, session, "{\"do\": \"change\", \"body\": 0, \"mass\": 1}"));
    page_close(&page);
    view_session_close(session);
}

/* A joint is moved by its handle, what hangs on it follows, and it goes back. */
static void joints_are_turned_and_taken_back(void **unused)
{
    (void)unused;
    view_page page;
    view_session *session = page_open(&page, "chain", "engineering");
    const ashi_instance *instance = &session->worlds[0].instance;
    assert_true(page_says(&page, session, "{\"do\": \"inspect\", \"body\": 1}"));
    const json_t *joint = json_array_get(json_object_get(page.inspected, "joints"), 0);
    const json_t *coordinate = json_array_get(json_object_get(joint, "coordinates"), 0);
    const char *freedom = json_string_value(json_object_get(coordinate, "freedom"));
    uint32_t id = (uint32_t)json_integer_value(json_object_get(joint, "id"));
    assert_non_null(freedom);
    ash_joint first = instance->joints[id - 1];
    ash_freedom which = ASH_TURN_X;
    for (uint32_t i = 0; i < ASH_FREEDOMS; i++)
        if (strcmp(freedom, ash_freedom_name((ash_freedom)i)) == 0)
            which = (ash_freedom)i;
    double before = ash_joint_get_position(instance->world, first, which);
    char text[160];
    snprintf(text, sizeof text, "{\"do\": \"turn\", \"joint\": %u, \"freedom\": \"%s\", \"position\": %.3f}", id,
             freedom, before + 0.2);
    assert_true(page_says(&page, session, text));
    for (uint32_t w = 0; w < session->world_count; w++) {
        const ashi_instance *other = &session->worlds[w].instance;
        assert_near(ash_joint_get_position(other->world, other->joints[id - 1], which), before + 0.2, 1e-3);
        for (uint32_t i = 0; i < session->scene->joints.count; i++)
            assert_true(ash_joint_get_error(other->world, other->joints[i]).distance < 1e-6);
    }
    assert_true(page_says(&page, session, "{\"do\": \"undo\"}"));
    assert_near(ash_joint_get_position(instance->world, first, which), before, 1e-6);
    /* Nothing to drive, no such joint, no such freedom, both or none of the values. */
    snprintf(text, sizeof text, "{\"do\": \"turn\", \"joint\": %u, \"freedom\": \"%s\", \"target\": 1}", id, freedom);
    assert_false(page_says(&page, session, text));
    assert_false(
        page_says(&page, session, "{\"do\": \"turn\", \"joint\": 9999, \"freedom\": \"turn-x\", \"position\": 0}"));
    assert_false(page_says(&page, session, "{\"do\": \"turn\", \"joint\": 1, \"freedom\": \"up\", \"position\": 0}"));
    assert_false(page_says(&page, session, "{\"do\": \"turn\", \"joint\": 1, \"freedom\": \"turn-x\"}"));
    page_close(&page);
    view_session_close(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_of_joints_are_told),
        cmocka_unit_test(figures_are_changed_and_taken_back),
        cmocka_unit_test(joints_are_turned_and_taken_back),
        cmocka_unit_test(bodies_are_added),
        cmocka_unit_test(joints_hold),
        cmocka_unit_test(springs_pull),
        cmocka_unit_test(bodies_go),
        cmocka_unit_test(limits_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
