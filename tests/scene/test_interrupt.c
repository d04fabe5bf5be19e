/* Steps that are given up leave nothing behind: the state is that before the step, and a later try gives the same bits
 * as if there had been none. By methods of every scheme, given up at the first question, the second, the fourth... */
#include "check.h"

#include "scene/instance/instance.h"

static const struct {
    const char *scene, *method;
    bool asks; /* more than once in a step */
} cases[] = {
    {"wall", "engineering", true},     {"walker", "engineering", true}, {"tree", "bender-schmitt-2006", false},
    {"wall", "gribel-2009", true},     {"wall", "dejong-2014", true},   {"wall", "guendelman-2003", true},
    {"wall", "erleben-2007", true},    {"wall", "realtime", false},     {"ladder", "faure", false},
    {"wall", "stewart-trinkle", true}, {"cradle", "engineering", true},
};

static bool count_down(void *user)
{
    int *left = user;
    return (*left)-- <= 0;
}

static ashi_instance make(const char *name, const char *method, double *h)
{
    ash_scene *scene = NULL;
    ash_method by;
    ash_diagnostic diagnostic = {0};
    ashi_instance instance;
    assert_int_equal(ash_scene_open(name, NULL, 0, &scene, &diagnostic), ASH_OK);
    assert_int_equal(ash_method_find(method, &by, &diagnostic), ASH_OK);
    assert_int_equal(ash_scene_set_method(scene, &by), ASH_OK);
    assert_int_equal(ashi_scene_build(scene, 1, &instance, &diagnostic), ASH_OK);
    *h = scene->step;
    ash_scene_destroy(scene);
    return instance;
}

/* Tries a step until it is no longer given up; how often that was. */
static int step_at_last(ash_world *world, double h, const char *name, const char *method)
{
    int given_up = 0;
    for (int most = 0;; most = most < 2 ? most + 1 : 2 * most) {
        int left = most;
        uint64_t hash = ash_world_get_hash(world);
        double time = ash_world_get_time(world);
        ash_world_set_interrupt(world, count_down, &left);
        ash_status status = ash_world_step(world, h);
        if (status == ASH_OK)
            return given_up;
        assert_int_equal(status, ASH_NUMERICS);
        assert_int_equal(ash_world_get_report(world).flags, ASH_FLAG_INTERRUPTED);
        if (ash_world_get_hash(world) != hash || ash_world_get_time(world) != time)
            fail_msg("%s by %s, given up at question %d: the state has changed", name, method, most);
        given_up++;
    }
}

static void test_no_trace(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name = cases[i].scene, *method = cases[i].method;
        double h;
        ashi_instance one = make(name, method, &h), other = make(name, method, &h);
        int given_up = 0;
        for (int n = 0; n < 6; n++) {
            assert_int_equal(ash_world_step(one.world, h), ASH_OK);
            if (n % 2 == 0)
                assert_int_equal(ash_world_step(other.world, h), ASH_OK);
            else
                given_up += step_at_last(other.world, h, name, method);
            ash_world_set_interrupt(other.world, NULL, NULL);
            if (ash_world_get_hash(one.world) != ash_world_get_hash(other.world))
                fail_msg("%s by %s: step %d is another one after it was given up", name, method, n + 1);
        }
        if (given_up < (cases[i].asks ? 6 : 3))
            fail_msg("%s by %s: given up %d times only", name, method, given_up);
        ashi_instance_release(&one);
        ashi_instance_release(&other);
    }
}

/* With a wanted accuracy, too, at whichever question; the estimate is then that of an undisturbed advance. */
static void test_advance(void **unused)
{
    (void)unused;
    double h;
    const ash_accuracy accuracy = {1e-6, 1};
    ashi_instance one = make("iftomm-pendulum", "engineering", &h), other = make("iftomm-pendulum", "engineering", &h);
    int given_up = 0;
    for (int n = 0; n < 4; n++) {
        assert_int_equal(ash_world_advance(one.world, h, &accuracy), ASH_OK);
        for (int most = 0; given_up < 1000; most++) {
            int left = most;
            double time = ash_world_get_time(other.world);
            ash_world_set_interrupt(other.world, count_down, &left);
            ash_status status = ash_world_advance(other.world, h, &accuracy);
            if (status == ASH_OK)
                break;
            assert_int_equal(status, ASH_NUMERICS);
            assert_true(ash_world_get_report(other.world).flags & ASH_FLAG_INTERRUPTED);
            assert_true(ash_world_get_time(other.world) == time);
            given_up++;
        }
        ash_world_set_interrupt(other.world, NULL, NULL);
        double told = ash_world_get_report(one.world).total_error;
        assert_true(told > 0);
        assert_near(ash_world_get_report(other.world).total_error, told, told);
    }
    assert_true(given_up >= 4);
    ashi_instance_release(&one);
    ashi_instance_release(&other);
}

static void test_getter(void **unused)
{
    (void)unused;
    double h;
    ashi_instance one = make("free-fall", "realtime", &h);
    int left = 0;
    void *user = NULL;
    assert_true(ash_world_get_interrupt(one.world, NULL) == NULL);
    assert_int_equal(ash_world_set_interrupt(one.world, count_down, &left), ASH_OK);
    assert_true(ash_world_get_interrupt(one.world, &user) == count_down && user == &left);
    assert_int_equal(ash_world_set_interrupt(one.world, NULL, NULL), ASH_OK);
    assert_int_equal(ash_world_step(one.world, h), ASH_OK);
    ashi_instance_release(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_trace),
        cmocka_unit_test(test_advance),
        cmocka_unit_test(test_getter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
