/* Buildings that are broken, and crowds, at sizes for a test: laid as they should be, roof and ball at their times, and
 * what is told of their fate. */
#include "check.h"

#include "ashlar/contact.h"
#include "experiments/builtin/building.h"
#include "experiments/builtin/silo.h"
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

static void run(ashi_experiment *experiment, double time)
{
    uint32_t steps = (uint32_t)lround(time / experiment->scene->step), taken = 0;
    assert_int_equal(ashi_experiment_run(experiment, experiment->scene->step, steps, NULL, NULL, &taken, NULL), ASH_OK);
    assert_int_equal(taken, steps);
}

/* The contacts at the start: none overlaps. */
static uint32_t contacts_at_start(const char *scene, const char *settings)
{
    ashi_experiment experiment = opened(scene, settings);
    assert_int_equal(ash_world_detect(experiment.world), ASH_OK);
    assert_below(ash_world_get_report(experiment.world).penetration, 1e-12);
    uint32_t count = ash_world_get_contacts(experiment.world, NULL, 0);
    ashi_experiment_close(&experiment);
    return count;
}

static void test_how_they_begin(void **state)
{
    (void)state;
    assert_int_equal(contacts_at_start("roof-tower", "layers=3 per-layer=8"), 8 + 16 + 16);
    assert_int_equal(contacts_at_start("falling-roof", "layers=2 per-layer=6"), 6 + 12);
    assert_int_equal(contacts_at_start("pyramid-2d", "rows=4"), 4 + 6 + 4 + 2);
    assert_int_equal(contacts_at_start("box-pile", "n=300"), 0);
    assert_int_equal(contacts_at_start("silo", "n=300"), 0);
    assert_int_equal(contacts_at_start("pile-2d", "n=300"), 0);
}

/* Masses in bricks, places and speeds as told; absent before their time, there after it. */
static void check_roof_and_ball(const char *scene, double roof_mass)
{
    ashi_experiment experiment = opened(scene, "layers=4 per-layer=8 roof-time=0.1 ball-time=0.3 drop=0.5");
    ash_world *world = experiment.world;
    ash_body brick = experiment.instance.bodies[1];
    double mass = ash_body_get_mass(world, brick).mass;
    assert_near(mass, 32, 1e-12);
    assert_int_equal(ash_world_find_body(world, "roof").id, 0);
    run(&experiment, 0.11);
    ash_body roof = ash_world_find_body(world, "roof");
    assert_true(ash_body_is_valid(world, roof));
    assert_int_equal(ash_world_find_body(world, "ball").id, 0);
    assert_near(ash_body_get_mass(world, roof).mass, roof_mass * mass, 1e-9);
    /* One step of fall: the tower is 0.8 m high, the slab's middle 0.1 m above its lower side. */
    assert_near(ash_body_get_transform(world, roof).position.z, 0.8 + 0.5 + 0.1, 0.002);
    run(&experiment, 0.2);
    ash_body ball = ash_world_find_body(world, "ball");
    assert_true(ash_body_is_valid(world, ball));
    assert_near(ash_body_get_mass(world, ball).mass, 40 * mass, 1e-9);
    assert_near(ash_body_get_velocity(world, ball).x, 40, 1e-9);
    ashi_experiment_close(&experiment);
}

static void test_roof_and_ball_come_in_time(void **state)
{
    (void)state;
    check_roof_and_ball("roof-tower", 50);
    check_roof_and_ball("falling-roof", 100);
}

#define SMALL "layers=6 per-layer=8 roof-time=0.05 drop=0.2 ball-time=0.4"

static void test_fate_of_a_tower(void **state)
{
    (void)state;
    ashi_building_fate fate;
    /* The exact solver: the fall of the roof moves nothing. */
    assert_int_equal(ashi_building_run("roof-tower", "method=engineering " SMALL " ball-mass=0", 0, &fate, NULL),
                     ASH_OK);
    assert_int_equal(fate.bricks, 48);
    assert_true(fate.complete && !fate.shot_at);
    assert_below(fate.drift + fate.sunk, 1e-8);
    assert_below(fate.overlap, 1e-9);
    assert_int_equal(fate.astray + fate.cracked + fate.fallen, 0);
    /* The ball brings it down. */
    assert_int_equal(ashi_building_run("roof-tower", "method=realtime " SMALL, 0, &fate, NULL), ASH_OK);
    assert_true(fate.complete && fate.shot_at);
    assert_int_equal(fate.astray, 0);
    assert_true(fate.cracked > 0 && fate.fallen > 24);
    assert_true(fate.final_kinetic > 0 && fate.deepest > 0 && fate.worst_ms >= fate.mean_ms);
    assert_int_equal(ashi_building_run("roof-tower", "no-such-setting=1", 0, &fate, NULL), ASH_NOT_FOUND);
}

/* Bricks that a ball strikes push those above, layer by layer; held, they would feel no load, and throw the roof by 2
 * m.
 */
static void test_a_shot_does_not_throw_the_roof(void **state)
{
    (void)state;
    ashi_experiment experiment =
        opened("roof-tower", "method=erleben-2007 layers=20 per-layer=12 roof-time=0.01 drop=0.01 ball-time=0.1");
    run(&experiment, 0.1);
    ash_body roof = ash_world_find_body(experiment.world, "roof");
    double start = ash_body_get_centre(experiment.world, roof).z, highest = start;
    for (int i = 0; i < 80; i++) {
        run(&experiment, 0.01);
        highest = fmax(highest, ash_body_get_centre(experiment.world, roof).z);
    }
    print_message("the roof rises by %g m\n", highest - start);
    assert_true(ash_body_get_velocity(experiment.world, ash_world_find_body(experiment.world, "ball")).x < 39);
    assert_below(highest - start, 1.07); /* the ball's diameter */
    ashi_experiment_close(&experiment);
}

/* Grains stay in the closed silo, and leave the open one below. */
static void test_silo_opens(void **state)
{
    (void)state;
    enum { GRAINS = 64, MOST = 100 };
    ash_body bodies[MOST];
    ashi_experiment experiment = opened("silo", "method=realtime n=64 open=1");
    ash_world *world = experiment.world;
    ashi_silo silo = ashi_plan_silo(GRAINS);
    uint32_t count = ash_world_get_bodies(world, bodies, MOST), out[2] = {0}, grains = 0;
    assert_true(count <= MOST);
    for (int look = 0; look < 2; look++) {
        run(&experiment, look == 0 ? 1 : 3);
        grains = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (!ash_body_is_valid(world, bodies[i]) || ash_body_get_type(world, bodies[i]) != ASH_BODY_DYNAMIC)
                continue;
            ash_vec3 at = ash_body_get_centre(world, bodies[i]);
            grains++;
            out[look] += at.z < silo.outlet - ASHI_SILO_THICKNESS;
            assert_true(at.z > 0.05);
            assert_true(at.z < silo.outlet || (fabs(at.x) < silo.inner && fabs(at.y) < silo.inner));
        }
        assert_int_equal(grains, GRAINS);
    }
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], GRAINS);
    assert_int_equal(ash_world_find_body(world, "gate").id, 0);
    ashi_experiment_close(&experiment);
}

/* What falls comes to lie inside. */
static void test_crowds_stay_inside(void **state)
{
    (void)state;
    static const char *const scenes[] = {"box-pile", "pile-2d"};
    static const double inner[] = {0.5 * 4 * 0.9, 0.5 * 44 * 0.22};
    enum { MOST = 140 };
    ash_body bodies[MOST];
    for (int k = 0; k < 2; k++) {
        ashi_experiment experiment = opened(scenes[k], "n=121");
        uint32_t count = ash_world_get_bodies(experiment.world, bodies, MOST), moving = 0;
        run(&experiment, 3);
        for (uint32_t i = 0; i < count; i++) {
            if (ash_body_get_type(experiment.world, bodies[i]) != ASH_BODY_DYNAMIC)
                continue;
            ash_vec3 at = ash_body_get_centre(experiment.world, bodies[i]);
            moving++;
            assert_true(fabs(at.x) < inner[k] && (k == 0 ? at.z : at.y) > 0.01);
            assert_true(k == 1 || fabs(at.y) < inner[k]);
        }
        assert_int_equal(moving, 121);
        ashi_experiment_close(&experiment);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_how_they_begin),  cmocka_unit_test(test_roof_and_ball_come_in_time),
        cmocka_unit_test(test_fate_of_a_tower), cmocka_unit_test(test_a_shot_does_not_throw_the_roof),
        cmocka_unit_test(test_silo_opens),      cmocka_unit_test(test_crowds_stay_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
