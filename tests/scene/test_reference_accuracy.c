/* Reference problems with a wanted accuracy of 1e-6 m, nobody choosing a step: the true error, against a solution of
 * order 4 that is a thousand times as exact, is kept, and within a factor of ten of the reported one. */
#include "check.h"
#include "math/quat.h"
#include "scene/instance/instance.h"

#include "ashlar/scene.h"

#include <math.h>
#include <string.h>

enum { MOST_BODIES = 16 };

typedef struct places {
    uint32_t count;
    ash_vec3 centre[MOST_BODIES];
    ash_quat rotation[MOST_BODIES];
    double radius[MOST_BODIES]; /* of gyration; 0: it does not move */
    double told;                /* the reported error */
    bool missed;                /* ... is more than what is wanted */
} places;

static void run(const char *scene_name, const char *method, double time, double accuracy, places *out)
{
    ash_scene *scene = NULL;
    ash_diagnostic diagnostic = {0};
    ashi_instance instance;
    ash_method by;
    if (ash_scene_open(scene_name, NULL, 0, &scene, &diagnostic) != ASH_OK ||
        ashi_scene_build(scene, 1, &instance, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", scene_name, diagnostic.message);
    assert_int_equal(ash_method_find(method, &by, NULL), ASH_OK);
    assert_int_equal(ash_world_set_method(instance.world, &by), ASH_OK);
    if (ash_world_advance(instance.world, time, &(ash_accuracy){accuracy, time}) != ASH_OK)
        fail_msg("%s by %s: %s", scene_name, method, ash_world_get_last_diagnostic(instance.world).message);
    *out = (places){.count = scene->bodies.count,
                    .told = ash_world_get_report(instance.world).total_error,
                    .missed = (ash_world_get_report(instance.world).flags & ASH_FLAG_ACCURACY_MISSED) != 0};
    assert_true(out->count <= MOST_BODIES);
    for (uint32_t i = 0; i < out->count; i++) {
        ash_body body = instance.bodies[i];
        ash_mass_properties mass = ash_body_get_mass(instance.world, body);
        out->centre[i] = ash_body_get_centre(instance.world, body);
        out->rotation[i] = ash_body_get_transform(instance.world, body).rotation;
        bool moves = ash_body_get_type(instance.world, body) == ASH_BODY_DYNAMIC;
        double most = fmax(mass.principal.x, fmax(mass.principal.y, mass.principal.z));
        out->radius[i] = moves ? sqrt(most / mass.mass) : 0;
    }
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

static double largest_difference(const places *a, const places *b)
{
    double largest = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        double turn = v3_norm(q_log(q_mul(a->rotation[i], q_conjugate(b->rotation[i]))));
        largest = fmax(largest, fmax(v3_distance(a->centre[i], b->centre[i]), turn * a->radius[i]));
    }
    return largest;
}

/* What joints' tolerances and rounding leave open: told and true errors below that say nothing. */
#define ROUNDING 2e-10

static void reference_problems_are_met(void **state)
{
    (void)state;
    static const struct {
        const char *scene;
        double time; /* of the four-bar: before its first singular position */
    } problems[] = {
        {"iftomm-pendulum", 2}, {"heavy-top", 0.1}, {"andrews", 0.03}, {"iftomm-four-bar", 0.5}, {"oscillator", 20}};
    static const char *const methods[] = {"engineering", "bender-schmitt-2006", "faure"};
    const double wanted = 1e-6;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        places right, ours;
        run(problems[i].scene, "faure", problems[i].time, 1e-3 * wanted, &right);
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            run(problems[i].scene, methods[k], problems[i].time, wanted, &ours);
            double off = largest_difference(&ours, &right);
            print_message("%-16s %-20s off by %.2e, told %.2e\n", problems[i].scene, methods[k], off, ours.told);
            assert_true(off <= wanted || (ours.missed && off <= 2 * wanted)); /* says when it is more */
            assert_true(off <= 10 * ours.told + ROUNDING && ours.told <= 10 * off + ROUNDING);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reference_problems_are_met)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
