/* The peers' table: every engine that was found has the scene's bodies with their masses, lets them fall, bears, turns
 * them by torques and takes those that come later; and what all are measured by is right. */
#include "check.h"

#include "math/quat.h"
#include "math/vec3.h"
#include "peers/model.h"
#include "peers/race.h"
#include "peers/scenes.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* A scene with its model. */
typedef struct stage {
    ash_scene *scene;
    peer_model model;
    peer_state *states;
} stage;

static stage open_stage(const char *name, const char *settings)
{
    stage s = {0};
    ash_diagnostic diagnostic = {0};
    peers_scene entry = {.scene = name, .settings = settings};
    assert_int_equal(peers_scene_open(&entry, &s.scene, &diagnostic), ASH_OK);
    return s;
}

static void make_model(stage *s)
{
    ash_diagnostic diagnostic = {0};
    if (peer_model_make(s->scene, &s->model, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    s->states = calloc(s->model.body_count + 1, sizeof *s->states);
    assert_non_null(s->states);
    for (uint32_t i = 0; i < s->model.body_count; ++i)
        s->states[i].place = s->model.bodies[i].place;
}

static void close_stage(stage *s)
{
    free(s->states);
    peer_model_release(&s->model);
    ash_scene_destroy(s->scene);
}

/* The next engine after `*number` that can take the model; null: no more. */
static const peer *next_engine(const stage *s, uint32_t *number, void **engine)
{
    const peer *p;
    while ((p = peer_get((*number)++)) != NULL) {
        const char *why = NULL;
        if (p->create == NULL || !(s->model.flat ? p->flat : p->solid))
            continue;
        *engine = p->create(&s->model, &why);
        if (*engine != NULL)
            return p;
        assert_non_null(why);
    }
    return NULL;
}

static void check_body(const stage *s, const peer *p, void *engine, uint32_t number)
{
    const peer_body *body = &s->model.bodies[number];
    const peer_state *state = &s->states[number];
    ash_vec3 inertia;
    if (!body->moves || !body->present)
        return;
    assert_near(v3_distance(state->place.position, body->place.position), 0, 1e-5);
    assert_near(v3_distance(q_rotate(state->place.rotation, v3(1, 2, 3)), q_rotate(body->place.rotation, v3(1, 2, 3))),
                0, 1e-5);
    assert_near(v3_distance(state->velocity, body->velocity), 0, 1e-5);
    assert_near(v3_distance(state->spin, body->spin), 0, 1e-5);
    assert_near(p->weigh(engine, number, &inertia) / body->mass, 1, 1e-6);
    assert_near(inertia.z / body->inertia.z, 1, 1e-5);
    if (s->model.flat)
        return;
    assert_near(inertia.x / body->inertia.x, 1, 1e-5);
    assert_near(inertia.y / body->inertia.y, 1, 1e-5);
}

static void test_bodies_are_those_of_the_scene(void **unused)
{
    (void)unused;
    static const char *const scenes[][2] = {
        {"box-stack", "n=3"}, {"wall", "columns=3 rows=2"}, {"tree", "n=7"},     {"tumbling-box", ""},
        {"silo", "n=8"},      {"stack-20", "boxes=3"},      {"pile-2d", "n=20"}, {"roof-tower", "layers=2"},
        {"heavy-chain", ""}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        stage s = open_stage(scenes[i][0], scenes[i][1]);
        uint32_t number = 0;
        void *engine;
        make_model(&s);
        for (const peer *p; (p = next_engine(&s, &number, &engine)) != NULL;) {
            p->read(engine, s.states);
            for (uint32_t k = 0; k < s.model.body_count; ++k)
                check_body(&s, p, engine, k);
            p->destroy(engine);
        }
        close_stage(&s);
    }
}

/* Steps of first order fall by up to g h t / 2 more or less; velocities are exact. */
static void test_bodies_fall(void **unused)
{
    (void)unused;
    static const char *const names[] = {"bounce", "stack-20"}, *const settings[] = {"", "boxes=1"};
    const double g = 9.81, h = 0.01, t = 0.5;
    for (int i = 0; i < 2; ++i) {
        stage s = open_stage(names[i], settings[i]);
        uint32_t number = 0, falling = s.scene->bodies.count - 1;
        void *engine;
        if (s.scene->planar)
            s.scene->bodies.data[falling].def.position.y += 5;
        make_model(&s);
        for (const peer *p; (p = next_engine(&s, &number, &engine)) != NULL;) {
            for (int k = 0; k < 50; ++k)
                assert_true(p->step(engine, h));
            p->read(engine, s.states);
            double sideways, fallen = gauge_descent(&s.model, s.states, falling, &sideways);
            assert_near(fallen, 0.5 * g * t * t, 0.5 * g * h * t + 1e-5);
            assert_near(v3_norm(s.states[falling].velocity), g * t, 1e-4);
            assert_near(sideways, 0, 1e-6);
            p->destroy(engine);
        }
        close_stage(&s);
    }
}

/* A box at rest stays within a centimetre of its place: Box2D leaves 5 mm, Chipmunk 1 mm. */
static void test_the_ground_bears(void **unused)
{
    (void)unused;
    static const char *const names[] = {"box-stack", "stack-20"}, *const settings[] = {"n=1", "boxes=1"};
    for (int i = 0; i < 2; ++i) {
        stage s = open_stage(names[i], settings[i]);
        uint32_t number = 0, box = s.scene->bodies.count - 1;
        void *engine;
        make_model(&s);
        for (const peer *p; (p = next_engine(&s, &number, &engine)) != NULL;) {
            for (int k = 0; k < 200; ++k)
                assert_true(p->step(engine, 0.01));
            p->read(engine, s.states);
            double sideways, sinks = gauge_descent(&s.model, s.states, box, &sideways);
            assert_near(sinks, 0, 0.01);
            assert_near(sideways, 0, 1e-3);
            assert_near(v3_norm(s.states[box].velocity), 0, 0.01);
            p->destroy(engine);
        }
        close_stage(&s);
    }
}

/* A single bar of the tree hangs in its axis: a torque along it only spins it. */
static void test_torques_turn(void **unused)
{
    (void)unused;
    stage s = open_stage("tree", "n=1");
    uint32_t number = 0;
    void *engine;
    make_model(&s);
    assert_int_equal(s.model.torque_count, 1);
    ash_vec3 torque = s.model.torques[0].torque;
    double expected = torque.z * 0.3 / s.model.bodies[0].inertia.z;
    for (const peer *p; (p = next_engine(&s, &number, &engine)) != NULL;) {
        for (int k = 0; k < 30; ++k) {
            if (p->push != NULL)
                p->push(engine, 0, torque);
            assert_true(p->step(engine, 0.01));
        }
        p->read(engine, s.states);
        assert_near(s.states[0].spin.z / expected, 1, 1e-3);
        p->destroy(engine);
    }
    close_stage(&s);
}

/* ---- races ---- */

static race_course make_course(const stage *s, double h, uint32_t steps)
{
    race_course course = {.model = &s->model, .gauge = gauge_create(&s->model), .h = h, .steps = steps, .patience = 60};
    assert_non_null(course.gauge);
    return course;
}

/* The roof falls from its place in every engine, and the gate of the silo lets the grains through. */
static void test_bodies_enter_and_leave(void **unused)
{
    (void)unused;
    static const char *const names[] = {"roof-tower", "silo"};
    static const char *const settings[] = {"layers=1 per-layer=6 roof-time=0.1 ball-time=0.2", "n=8 open=0"};
    for (int i = 0; i < 2; ++i) {
        stage s = open_stage(names[i], settings[i]);
        ash_diagnostic diagnostic = {0};
        race_result result;
        make_model(&s);
        race_course course = make_course(&s, 0.01, i == 0 ? 15 : 100);
        for (uint32_t k = 0; peer_get(k) != NULL; ++k) {
            const peer *p = peer_get(k);
            if (p->create == NULL || !p->solid)
                continue;
            assert_int_equal(race_run(&course, p, 1, &result, &diagnostic), ASH_OK);
            if (result.refused != NULL)
                continue;
            assert_int_equal(result.taken, course.steps);
            assert_int_equal(result.stand_count, 2);
            if (i == 0) { /* m g t²/2 of the roof became motion: energy is that of before but for the step's error */
                assert_int_equal(result.stands[0], 6);
                assert_true(result.kinetic > 0);
                assert_near(result.energy / result.kinetic, 0, 0.5);
            } else { /* from the gate they fall to the ground */
                assert_true(result.kinetic > 0);
                assert_below(result.energy, 0);
            }
        }
        gauge_destroy(course.gauge);
        close_stage(&s);
    }
}

static bool abort_step(void *engine, double h)
{
    (void)engine;
    (void)h;
    abort();
}

static bool endless_step(void *engine, double h)
{
    (void)engine;
    for (volatile double x = 0; x < 1e30 * h;)
        x = x + h * 1e-300;
    return true;
}

static void *refuse(const peer_model *model, const char **why)
{
    (void)model;
    *why = "for this test";
    return NULL;
}

static void test_engines_that_fail_are_told(void **unused)
{
    (void)unused;
    stage s = open_stage("bounce", "");
    ash_diagnostic diagnostic = {0};
    race_result result;
    make_model(&s);
    race_course course = make_course(&s, 0.01, 10);
    peer p = peer_realtime;
    p.create = refuse;
    assert_int_equal(race_run_apart(&course, &p, 1, &result, &diagnostic), ASH_OK);
    assert_string_equal(result.refused, "for this test");
    p = peer_realtime;
    p.step = abort_step;
    assert_int_equal(race_run_apart(&course, &p, 1, &result, &diagnostic), ASH_OK);
    assert_true(result.lost && result.signal == SIGABRT);
    p.step = endless_step;
    course.patience = 0;
    assert_int_equal(race_run_apart(&course, &p, 1, &result, &diagnostic), ASH_OK);
    assert_true(result.stuck && !result.lost);
    assert_int_equal(race_run_apart(&course, &peer_realtime, 1, &result, &diagnostic), ASH_OK);
    assert_true(result.impatient && result.taken == 1);
    gauge_destroy(course.gauge);
    close_stage(&s);
}

/* The same steps by the table's way and by hand. */
static void test_a_race_measures_a_fall(void **unused)
{
    (void)unused;
    stage s = open_stage("bounce", "");
    ash_diagnostic diagnostic = {0};
    race_result result;
    ash_vec3 centres[2], expected[2] = {{0, 0, 0}, {0, 0, 5.5 - 0.5 * 9.81}};
    make_model(&s);
    race_course course = make_course(&s, 0.01, 100);
    course.look_at = 100;
    course.centres = centres;
    course.expected = expected;
    assert_int_equal(race_run(&course, &peer_engineering, 1, &result, &diagnostic), ASH_OK);
    assert_near(result.sinks, 0.5 * 9.81, 1e-9);
    assert_near(result.off, 0, 1e-9);
    assert_near(centres[1].z, expected[1].z, 1e-9);
    assert_near(result.kinetic, 0.5 * 9.81 * 9.81, 1e-6);
    assert_near(result.energy, 0, 1e-6);
    assert_near(result.fell, sqrt(2 * 0.5 / 9.81), 0.011);
    assert_true(result.mean > 0 && result.worst >= result.mean);
    gauge_destroy(course.gauge);
    close_stage(&s);
}

/* ---- the gauge ---- */

static void test_overlaps_and_gaps(void **unused)
{
    (void)unused;
    stage s = open_stage("box-stack", "n=3");
    gauge_overlap seen;
    bool present[4] = {true, true, true, true};
    make_model(&s);
    gauge *g = gauge_create(&s.model);
    assert_non_null(g);
    assert_true(gauge_overlaps(g, s.states, present, &seen));
    assert_near(seen.deepest, 0, 1e-12);
    assert_near(seen.gap, 0, 1e-12);
    s.states[1].place.position.z -= 0.01; /* into the ground, ... */
    s.states[2].place.position.z -= 0.03; /* ... 20 mm into the first, ... */
    assert_true(gauge_overlaps(g, s.states, present, &seen));
    assert_near(seen.deepest, 0.02, 1e-12);
    assert_near(seen.mean, 0.015, 1e-12);
    assert_near(seen.gap, 0.03, 1e-12); /* ... away from the third */
    assert_int_equal(seen.overlaps, 2);
    present[2] = false;
    assert_true(gauge_overlaps(g, s.states, present, &seen));
    assert_near(seen.deepest, 0.01, 1e-12);
    assert_near(gauge_thickness(&s.model, 1), 1, 1e-12);
    gauge_destroy(g);
    close_stage(&s);
}

static void test_joint_errors_and_energy(void **unused)
{
    (void)unused;
    stage s = open_stage("pendulum-bob", "");
    bool present[1] = {true};
    double kinetic;
    make_model(&s);
    assert_near(gauge_joint_error(&s.model, s.states), 0, 1e-15);
    s.states[0].place.position = v3(0, 0, -1.25);
    s.states[0].velocity = v3(2, 0, 0);
    assert_near(gauge_joint_error(&s.model, s.states), 0.25, 1e-15);
    assert_near(gauge_energy(&s.model, s.states, present, &kinetic), 2 - 9.81 * 1.25, 1e-12);
    assert_near(kinetic, 2, 1e-15);
    s.states[0].spin = v3(0, 10, 0); /* a ball of 1 kg and 5 cm: 0.4 m r2 */
    assert_near(gauge_rotation(&s.model, s.states, present), 0.5 * 0.4 * 0.0025 * 100, 1e-12);
    s.states[0].place.position.x = (double)NAN;
    assert_true(gauge_joint_error(&s.model, s.states) == HUGE_VAL);
    close_stage(&s);
}

static void test_scenes_that_cannot_be_given_away(void **unused)
{
    (void)unused;
    static const char *const names[] = {"oscillator", "conveyor", "truck-2d", "incline"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        stage s = open_stage(names[i], "");
        ash_diagnostic diagnostic = {0};
        if (peer_model_make(s.scene, &s.model, &diagnostic) != ASH_BAD_DATA)
            fail_msg("%s", names[i]);
        assert_non_null(strstr(diagnostic.message, "other engines are given"));
        close_stage(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_are_those_of_the_scene),
        cmocka_unit_test(test_bodies_fall),
        cmocka_unit_test(test_the_ground_bears),
        cmocka_unit_test(test_torques_turn),
        cmocka_unit_test(test_bodies_enter_and_leave),
        cmocka_unit_test(test_engines_that_fail_are_told),
        cmocka_unit_test(test_a_race_measures_a_fall),
        cmocka_unit_test(test_overlaps_and_gaps),
        cmocka_unit_test(test_joint_errors_and_energy),
        cmocka_unit_test(test_scenes_that_cannot_be_given_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
