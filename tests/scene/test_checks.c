/* The checks of built-in scenes can fail: a world that has hardly moved, one without contacts, or one whose contacts
 * and joints give way, does not pass all of them. */
#include "check.h"

#include "ashlar/scene.h"

#include <math.h>
#include <string.h>

/* How a scene is broken. */
typedef struct fault {
    double time;              /* s; 0: the scene's own */
    const char *fields[2][2]; /* of the method */
} fault;

static const fault faults[] = {
    {1e-9, {{NULL, NULL}, {NULL, NULL}}},
    {0, {{"contacts", "off"}, {NULL, NULL}}},
    {0, {{"solver", "penalty"}, {"contact-stiffness", "1e-6"}}},
};
enum { FAULTS = sizeof faults / sizeof *faults };

/* Whether some check of the broken scene fails, or it cannot be run at all. */
static bool is_noticed(const char *name, const ash_setting *settings, uint32_t setting_count, const fault *f)
{
    ash_scene *scene = NULL;
    ash_run *run = NULL;
    ash_run_options options = ash_default_run_options();
    ash_diagnostic diagnostic = {0};
    if (ash_scene_open(name, settings, setting_count, &scene, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", name, diagnostic.message);
    ash_method method = ash_scene_get_method(scene);
    for (int i = 0; i < 2 && f->fields[i][0] != NULL; i++)
        assert_int_equal(ash_method_set(&method, f->fields[i][0], f->fields[i][1], NULL), ASH_OK);
    if (f->fields[1][0] != NULL)
        method.joints = ASH_JOINTS_VELOCITY;
    assert_int_equal(ash_scene_set_method(scene, &method), ASH_OK);
    if (f->time > 0) {
        options.time = f->time;
        options.step = f->time;
    }
    options.check = true;
    bool noticed = ash_scene_run(scene, &options, &run, NULL) != ASH_OK;
    for (uint32_t i = 0; run != NULL && i < ash_run_get_check_count(run); i++) {
        ash_check_result check = ash_run_get_check(run, i);
        noticed = noticed || (!check.pass && !isnan(check.value)); /* not a number: nothing was there to judge */
    }
    ash_run_destroy(run);
    ash_scene_destroy(scene);
    return noticed;
}

/* Fewer bodies than the scene has of its own, where that is quicker. */
static const struct {
    const char *scene;
    ash_setting setting;
} smaller[] = {{"cow-pile", {"n", "4"}}, {"letters", {"n", "20"}},  {"silo", {"n", "50"}},
               {"pile-2d", {"n", "50"}}, {"box-pile", {"n", "20"}}, {"tower", {"layers", "3"}},
               {"wall", {"rows", "3"}},  {"box-stack", {"n", "4"}}};

/* Where nothing is to move. A world that has hardly moved is right, and the other faults must be noticed. */
static const char *const at_rest[] = {"stack-20", "box-stack",           "wall",       "tower",
                                      "pile",     "four-feet",           "blocks",     "pyramid-2d",
                                      "incline",  "friction-directions", "fixed-joint"};

static bool is_at_rest(const char *name)
{
    for (size_t i = 0; i < sizeof at_rest / sizeof *at_rest; i++)
        if (strcmp(at_rest[i], name) == 0)
            return true;
    return false;
}

static void test_broken_worlds_fail(void **state)
{
    (void)state;
    uint32_t missed = 0;
    for (uint32_t k = 0; k < ash_builtin_count(); k++) {
        const char *name = ash_builtin_get(k).name;
        if (strcmp(name, "inertia") == 0) /* properties of shapes: there is no motion */
            continue;
        const ash_setting *setting = NULL;
        for (size_t i = 0; i < sizeof smaller / sizeof *smaller; i++)
            if (strcmp(smaller[i].scene, name) == 0)
                setting = &smaller[i].setting;
        bool rests = is_at_rest(name), noticed = false;
        for (int i = rests ? 1 : 0; i < (rests ? FAULTS : 1) && !noticed; i++)
            noticed = is_noticed(name, setting, setting != NULL, &faults[i]);
        if (!noticed)
            print_error("%s: all checks pass, whatever is broken\n", name);
        missed += !noticed;
    }
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_broken_worlds_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
