/* Static equilibrium of scenes: springs, joints, contacts, and where there is none. */
#include "check.h"
#include "scene/description/description.h"
#include "scene/instance/settle.h"

#include "ashlar/scene.h"

#include <string.h>

static ash_scene *parse(const char *text)
{
    ash_scene *scene = NULL;
    ash_diagnostic diagnostic = {0};
    if (ash_scene_parse(text, strlen(text), "test", &scene, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", diagnostic.path, diagnostic.message);
    return scene;
}

static ash_status settle(ash_scene *scene, ashi_settlement *settlement, ash_diagnostic *diagnostic)
{
    ash_method method;
    assert_int_equal(ash_method_find("engineering", &method, NULL), ASH_OK);
    method.integrator = ASH_IMPLICIT_EULER;
    return ashi_scene_settle(scene, &method, 1e-6, 20000, settlement, diagnostic);
}

static void must_settle(ash_scene *scene, ashi_settlement *settlement)
{
    ash_diagnostic diagnostic = {0};
    if (settle(scene, settlement, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    assert_true(settlement->settled);
    assert_below(settlement->acceleration, settlement->allowed);
    assert_below(settlement->energy_after, settlement->energy_before);
}

static ash_vec3 place(const ash_scene *scene, uint32_t body)
{
    assert_near(scene->bodies.data[body].def.velocity.z, 0, 0);
    return scene->bodies.data[body].def.position;
}

/* A mass of 2 kg on a spring of 100 N/m: it sags by m g / k. The second is a thousand times as stiff. */
static void springs_bear_weights(void **state)
{
    (void)state;
    ash_scene *scene =
        parse("{\"ashlar\": 1, \"bodies\": ["
              "{\"mass\": 2, \"position\": [0, 0, -1], \"velocity\": [0, 0, 3]},"
              "{\"mass\": 1, \"position\": [0.2, 0, -2]}],"
              "\"forces\": ["
              "{\"kind\": \"spring\", \"body_b\": 0, \"stiffness\": 100, \"rest_length\": 1},"
              "{\"kind\": \"spring\", \"body_a\": 0, \"body_b\": 1, \"stiffness\": 1e5, \"rest_length\": 1}]}");
    ashi_settlement settlement;
    must_settle(scene, &settlement);
    assert_near(place(scene, 0).z, -1 - 3 * 9.81 / 100, 1e-4);
    assert_near(place(scene, 1).z - place(scene, 0).z, -1 - 9.81 / 1e5, 1e-6);
    assert_near(place(scene, 1).x, 0, 1e-4);
    ash_scene_destroy(scene);
}

/* Two masses on rods between walls 2 m apart: symmetric, and the rods make a polygon whose middle one is level. */
static void rods_hang_in_their_polygon(void **state)
{
    (void)state;
    ash_scene *scene = parse("{\"ashlar\": 1, \"bodies\": ["
                             "{\"mass\": 1, \"position\": [1, 0, 0]}, {\"mass\": 1, \"position\": [1, 0, -1]}],"
                             "\"joints\": ["
                             "{\"kind\": \"distance\", \"body_b\": 0, \"length\": 1},"
                             "{\"kind\": \"distance\", \"body_a\": 0, \"body_b\": 1, \"length\": 1},"
                             "{\"kind\": \"distance\", \"body_b\": 1, \"length\": 1,"
                             " \"frame_a\": {\"position\": [2, 0, -1]}}]}");
    ashi_settlement settlement;
    must_settle(scene, &settlement);
    ash_vec3 a = place(scene, 0), b = place(scene, 1);
    /* Moments about the walls: with rods along u, v, w the two weights are carried by sums of tensions along them. */
    double ux = a.x, uz = a.z, vx = b.x - a.x, vz = b.z - a.z, wx = 2 - b.x, wz = -1 - b.z;
    /* One horizontal tension H: H uz / ux + g = H vz / vx, H vz / vx + g = H wz / wx (slopes). */
    double first = vz / vx - uz / ux, second = wz / wx - vz / vx;
    assert_near(first / second, 1, 1e-3);
    assert_near(ux * ux + uz * uz, 1, 1e-9);
    ash_scene_destroy(scene);
}

static void a_box_comes_to_lie(void **state)
{
    (void)state;
    ash_scene *scene =
        parse("{\"ashlar\": 1, \"shapes\": {"
              "\"cube\": {\"kind\": \"box\", \"half_extents\": [0.5, 0.5, 0.5]}, \"floor\": {\"kind\": \"plane\"}},"
              "\"bodies\": [{\"type\": \"static\", \"shapes\": [{\"shape\": \"floor\"}]},"
              "{\"name\": \"cube\", \"position\": [0, 0, 0.7], \"shapes\": [{\"shape\": \"cube\"}]}]}");
    ashi_settlement settlement;
    must_settle(scene, &settlement);
    assert_near(place(scene, 1).z, 0.5, 1e-5);
    ash_scene_destroy(scene);
}

static void what_falls_has_no_equilibrium(void **state)
{
    (void)state;
    ash_scene *scene =
        parse("{\"ashlar\": 1, \"bodies\": [{\"name\": \"stone\", \"mass\": 1, \"velocity\": [1, 0, 0]}]}");
    ashi_settlement settlement;
    ash_diagnostic diagnostic = {0};
    assert_int_equal(settle(scene, &settlement, &diagnostic), ASH_NUMERICS);
    assert_non_null(strstr(diagnostic.message, "\"stone\""));
    assert_false(settlement.settled);
    assert_near(settlement.acceleration, 9.81, 1e-6);
    assert_near(scene->bodies.data[0].def.velocity.x, 1, 0); /* as it was */
    ash_method method;
    assert_int_equal(ash_method_find("engineering", &method, NULL), ASH_OK);
    assert_int_equal(ashi_scene_settle(scene, &method, 0, 100, &settlement, &diagnostic), ASH_BAD_ARGUMENT);
    ash_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_bear_weights),
        cmocka_unit_test(rods_hang_in_their_polygon),
        cmocka_unit_test(a_box_comes_to_lie),
        cmocka_unit_test(what_falls_has_no_equilibrium),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
