/* Any number of threads, ours or the host's, gives the same bits. */
#include "base/random.h"
#include "math/vec3.h"
#include "worlds.h"

/* A sheet of point masses on springs with dampers and drags, large enough to be cut into many pieces. */
static ash_world *make_sheet(ash_integrator integrator, uint32_t threads, const ash_jobs *jobs)
{
    enum { SIDE = 90 };
    static ash_body grid[SIDE][SIDE];
    ash_world_def def = ash_default_world_def();
    ash_world *w = NULL;
    ash_force handle;
    ashi_random random = {5};
    assert_int_equal(ash_method_find(ash_integrator_name(integrator), &def.method, NULL), ASH_OK);
    def.threads = threads;
    def.jobs = jobs;
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_OK);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            ash_vec3 x = v3(0.1 * i, 0.1 * j, ashi_random_range(&random, -0.02, 0.02));
            grid[i][j] = (i + j) % 5 == 0 ? make_rotor(w, 0.02, v3(1e-4, 2e-4, 2.5e-4), x, v3(1, 0, 3))
                                          : make_point(w, 0.02, x, v3(0, 0, 0));
            for (int side = 0; side < 2; side++) {
                if (side == 0 ? i == 0 : j == 0)
                    continue;
                ash_spring_def spring = ash_default_spring_def();
                spring.body_a = grid[i][j];
                spring.body_b = side == 0 ? grid[i - 1][j] : grid[i][j - 1];
                spring.point_a = (i + j) % 5 == 0 ? v3(0.01, 0, 0) : v3(0, 0, 0);
                spring.stiffness = 20;
                spring.damping = 0.01;
                spring.rest_length = 0.09;
                spring.tension_only = i % 2 == 0;
                make_spring(w, &spring);
            }
            ash_drag_def drag = ash_default_drag_def();
            drag.body = grid[i][j];
            drag.area = 1e-3;
            assert_int_equal(ash_drag_create(w, &drag, &handle, NULL), ASH_OK);
        }
    return w;
}

static void shuffled_run(void *host, uint32_t items, ash_task task, void *data)
{
    (void)host;
    for (uint32_t i = 0; i < items; i++) /* backwards, on pretended workers */
        task(items - 1 - i, i % 3, data);
}

/* Systems of all bodies take long to solve under sanitizers; that of sdirk2 is the one of implicit-midpoint. */
#if defined(ASHLAR_SLOW_BUILD)
enum { IMPLICIT_STEPS = 1, INTEGRATORS = ASH_SDIRK2 };
#else
enum { IMPLICIT_STEPS = 3, INTEGRATORS = ASH_INTEGRATORS };
#endif

static void the_hash_does_not_depend_on_threads(void **state)
{
    (void)state;
    const ash_jobs jobs = {shuffled_run, NULL, 3};
    for (int k = 0; k < INTEGRATORS; k++) {
        bool implicit = k == ASH_IMPLICIT_EULER || k == ASH_IMPLICIT_MIDPOINT || k == ASH_SDIRK2;
        uint32_t steps = implicit ? IMPLICIT_STEPS : 20;
        uint64_t hashes[4];
        double drag[4];
        for (uint32_t threads = 1; threads <= 4; threads++) {
            ash_world *w = make_sheet((ash_integrator)k, threads < 4 ? threads : 1, threads < 4 ? NULL : &jobs);
            take_steps(w, 0.002, steps);
            hashes[threads - 1] = ash_world_get_hash(w);
            drag[threads - 1] = ash_world_get_ledger(w).drag;
            ash_world_destroy(w);
        }
        for (int i = 1; i < 4; i++) {
            assert_int_equal(hashes[0], hashes[i]);
            assert_true(drag[0] == drag[i]);
        }
    }
}

static void threads_can_change_between_steps(void **state)
{
    (void)state;
    ash_world *a = make_sheet(ASH_AXIS_SPLITTING, 1, NULL), *b = make_sheet(ASH_AXIS_SPLITTING, 1, NULL);
    for (uint32_t i = 0; i < 12; i++) {
        assert_int_equal(ash_world_set_threads(b, 1 + i % 3), ASH_OK);
        take_steps(a, 0.002, 1);
        take_steps(b, 0.002, 1);
        assert_int_equal(ash_world_get_hash(a), ash_world_get_hash(b));
    }
    assert_int_equal(ash_world_set_threads(a, 0), ASH_BAD_ARGUMENT);
    ash_world_destroy(a);
    ash_world_destroy(b);
}

/* Bodies that come and go change the web of springs. */
static void the_web_follows_changes(void **state)
{
    (void)state;
    ash_world *worlds[2] = {make_sheet(ASH_SYMPLECTIC_EULER, 1, NULL), make_sheet(ASH_SYMPLECTIC_EULER, 2, NULL)};
    for (int k = 0; k < 2; k++) {
        ash_world *w = worlds[k];
        ash_body all[3];
        take_steps(w, 0.002, 2);
        ash_world_get_bodies(w, all, 3);
        assert_int_equal(ash_body_destroy(w, all[1]), ASH_OK);
        assert_int_equal(ash_body_set_type(w, all[2], ASH_BODY_STATIC), ASH_OK);
        take_steps(w, 0.002, 2);
        make_point(w, 1, v3(0, 0, 5), v3(0, 0, 0));
        assert_int_equal(ash_body_set_type(w, all[2], ASH_BODY_DYNAMIC), ASH_OK);
        take_steps(w, 0.002, 2);
    }
    assert_int_equal(ash_world_get_hash(worlds[0]), ash_world_get_hash(worlds[1]));
    ash_world_destroy(worlds[0]);
    ash_world_destroy(worlds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_does_not_depend_on_threads),
        cmocka_unit_test(threads_can_change_between_steps),
        cmocka_unit_test(the_web_follows_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
