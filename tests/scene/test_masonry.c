/* The masonry scenes at a size for a test: bonds as they should be, and a small tower stands. */
#include "check.h"

#include "ashlar/contact.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

static ashi_experiment opened(const char *scene, const char *settings)
{
    ashi_experiment experiment;
    ash_diagnostic diagnostic = {0};
    if (ashi_experiment_open(&experiment, &diagnostic, scene, "%s", settings) != ASH_OK)
        fail_msg("%s: %s", scene, diagnostic.message);
    return experiment;
}

/* How many contacts there are in bed joints at the start, and that no other shapes touch or overlap. */
static uint32_t bed_joints(const char *scene, const char *settings)
{
    enum { MOST = 400 };
    static ash_contact contacts[MOST];
    ashi_experiment experiment = opened(scene, settings);
    assert_int_equal(ash_world_detect(experiment.world), ASH_OK);
    uint32_t count = ash_world_get_contacts(experiment.world, contacts, MOST);
    assert_true(count <= MOST);
    for (uint32_t i = 0; i < count; i++) {
        assert_near(fabs(contacts[i].normal.z), 1, 1e-12);
        for (uint32_t k = 0; k < contacts[i].point_count; k++)
            assert_near(contacts[i].points[k].depth, 0, 1e-12);
    }
    ashi_experiment_close(&experiment);
    return count;
}

static void test_bonds(void **state)
{
    (void)state;
    assert_int_equal(bed_joints("box-stack", "n=7"), 7);
    /* Two rows of three: three on the ground; above them two whole bricks on two each, two halves on one each. */
    assert_int_equal(bed_joints("wall", "columns=3 rows=2"), 3 + 4 + 2);
    assert_int_equal(bed_joints("tower", "layers=3 per-layer=8"), 8 + 16 + 16);
}

static void test_a_small_tower_stands(void **state)
{
    (void)state;
    ashi_experiment experiment = opened("tower", "layers=4 per-layer=8");
    ash_world *world = experiment.world;
    ash_body bodies[33];
    ash_vec3 places[33];
    uint32_t count = ash_world_get_bodies(world, bodies, 33), taken = 0;
    assert_int_equal(count, 33);
    for (uint32_t i = 0; i < count; i++)
        places[i] = ash_body_get_centre(world, bodies[i]);
    assert_int_equal(ashi_experiment_run(&experiment, 0.01, 20, NULL, NULL, &taken, NULL), ASH_OK);
    assert_int_equal(taken, 20);
    for (uint32_t i = 0; i < count; i++)
        assert_below(v3_norm(v3_sub(ash_body_get_centre(world, bodies[i]), places[i])), 1e-9);
    assert_below(ash_world_get_report(world).error.largest, 1e-10);
    ashi_experiment_close(&experiment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bonds),
        cmocka_unit_test(test_a_small_tower_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
