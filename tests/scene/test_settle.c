/* Static equilibrium of scenes: springs, joints, contacts, and where there is none. */
#include "check.h"
#include "scene/description/description.h"
#include "scene/instance/settle.h"

#include "ashlar/scene.h"

#include <math.h>
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

/* A string that hangs from its first end: element k carries what is below it, n - k + 1/2 masses; the end goes down by
 * the sum of their tensions over k. */
static void a_hanging_string_stretches(void **state)
{
    (void)state;
    ash_scene *scene =
        parse("{\"ashlar\": 1, \"strings\": [{\"free_b\": true, \"point_b\": [0.6, 0, -0.8], \"elements\": 20, "
              "\"mass\": 2, \"stiffness\": 400, \"damping_ratio\": 0.1}]}");
    ashi_settlement settlement;
    must_settle(scene, &settlement);
    double down = 0;
    for (int k = 1; k <= 20; k++)
        down += (20 - k + 0.5) * 0.1 * 9.81 * (1.0 / 20) / 400;
    assert_near(place(scene, 19).z, -1 - down, 1e-6);
    assert_near(place(scene, 19).x, 0, 1e-4);
    ash_scene_destroy(scene);
}

/* A chain between two points: everywhere the same horizontal force H, and vertical ones that grow by a weight from each
 * element to the next; its sag is the catenary's to the square of its elements. */
static void a_chain_hangs_as_a_catenary(void **state)
{
    (void)state;
    ash_scene *scene =
        parse("{\"ashlar\": 1, \"strings\": [{\"point_b\": [2, 0, 0], \"length\": 2.5, \"elements\": 50, "
              "\"mass\": 1, \"stiffness\": 1e4, \"damping_ratio\": 0.1}]}");
    ashi_settlement settlement;
    assert_int_equal(scene->bodies.count, 49);
    ash_diagnostic diagnostic = {0};
    if (settle(scene, &settlement, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    double sideways = 0, before = 0;
    for (uint32_t k = 0; k < 50; k++) {
        ash_vec3 a = k == 0 ? (ash_vec3){0, 0, 0} : place(scene, k - 1);
        ash_vec3 b = k == 49 ? (ash_vec3){2, 0, 0} : place(scene, k);
        double x = b.x - a.x, z = b.z - a.z, length = hypot(x, z), tension = 1e4 * (length / 0.05 - 1);
        if (k == 0)
            sideways = tension * x / length;
        else
            assert_near(tension * z / length - before, 0.02 * 9.81, 1e-5 * 9.81);
        assert_near(tension * x / length, sideways, 1e-5 * 9.81);
        before = tension * z / length;
    }
    double a = 0, step = 1; /* sinh(a) / a = 1.25 */
    for (int i = 0; i < 60; i++, step *= 0.5)
        a += sinh(a + step) < 1.25 * (a + step) ? step : 0;
    assert_near(place(scene, 24).z, -(cosh(a) - 1) / a, 2e-3);
    ash_scene_destroy(scene);
}

/* A rod on two supports under its weight w a point: the moment at point i is w l i (n - i) / 2, its angle that times l
 * / E I, and the middle goes down by the sum of angles times min(i, n - i) l / 2. */
static void a_rod_bends_on_its_supports(void **state)
{
    (void)state;
    enum { N = 16 };
    ash_scene *scene =
        parse("{\"ashlar\": 1, \"strings\": [{\"point_b\": [1, 0, 0], \"elements\": 16, \"mass\": 0.001, "
              "\"stiffness\": 1000, \"bending_stiffness\": 1, \"damping_ratio\": 0.1}]}");
    ashi_settlement settlement;
    ash_diagnostic diagnostic = {0};
    if (settle(scene, &settlement, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    const double l = 1.0 / N, w = 0.001 * 9.81 / N;
    double down = 0;
    for (int i = 1; i < N; i++)
        down += 0.5 * w * l * i * (N - i) * l / 1 * fmin(i, N - i) * l / 2;
    assert_near(place(scene, N / 2 - 1).z / -down, 1, 1e-4);
    assert_near(down / (5.0 / 384 * 0.001 * 9.81), 1, 1e-2); /* which is the beam's, 5 w L^4 / 384 E I */
    ash_scene_destroy(scene);
}

/* A net that is dropped on the ground lies there. */
static void a_net_comes_to_lie(void **state)
{
    (void)state;
    ash_scene *scene = parse(
        "{\"ashlar\": 1, \"bodies\": [{\"type\": \"static\", \"shapes\": [{\"shape\": {\"kind\": \"plane\"}}]}],"
        "\"nets\": [{\"columns\": 3, \"rows\": 3, \"corner\": [0, 0, 0.3], \"along\": [1, 0, 0.05], \"across\": [0, 1, 0], "
        "\"mass\": 0.5, \"stiffness\": 50, \"damping_ratio\": 0.1, \"radius\": 0.02}]}");
    ashi_settlement settlement;
    must_settle(scene, &settlement);
    for (uint32_t i = 1; i < scene->bodies.count; i++)
        assert_near(place(scene, i).z, 0.02, 1e-4);
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
        cmocka_unit_test(springs_bear_weights),        cmocka_unit_test(a_hanging_string_stretches),
        cmocka_unit_test(a_chain_hangs_as_a_catenary), cmocka_unit_test(a_rod_bends_on_its_supports),
        cmocka_unit_test(a_net_comes_to_lie),          cmocka_unit_test(rods_hang_in_their_polygon),
        cmocka_unit_test(a_box_comes_to_lie),          cmocka_unit_test(what_falls_has_no_equilibrium),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
