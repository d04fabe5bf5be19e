/* What a world holds: a silo that has come to rest needs little more than its contacts do, the parts add up to what the
 * library has taken, and steps of a warm world, or of one that sleeps, take no more. */
#include "check.h"

#include "ashlar/ashlar.h"
#include "ashlar/scene.h"

enum { GRAINS = 300, SETTLED = 250 };

static ash_world *open_silo(const char *grains, ash_sleeping sleeping)
{
    ash_setting setting = {"n", grains};
    ash_scene *scene = NULL;
    ash_world *world = NULL;
    assert_int_equal(ash_scene_open("silo", &setting, 1, &scene, NULL), ASH_OK);
    ash_method method = ash_scene_get_method(scene);
    method.sleeping = sleeping;
    assert_int_equal(ash_scene_set_method(scene, &method), ASH_OK);
    assert_int_equal(ash_scene_instantiate(scene, 1, &world, NULL), ASH_OK);
    ash_scene_destroy(scene);
    return world;
}

static uint64_t sum_of(ash_memory_parts m)
{
    return m.bodies + m.broad_phase + m.contacts + m.problem + m.solver + m.scratch;
}

static void take_steps(ash_world *world, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(ash_world_step(world, 0.01), ASH_OK);
}

static void a_silo_at_rest_holds_what_its_contacts_need_and_takes_no_more(void **state)
{
    (void)state;
    uint64_t before = ash_memory_used().bytes;
    ash_world *world = open_silo("300", ASH_SLEEP_OFF);
    take_steps(world, SETTLED);
    ash_memory warm = ash_memory_used();
    double bytes = (double)(warm.bytes - before), points = ash_world_get_report(world).contact_points;
    print_message("%.1f kB a grain, %.2f kB a contact point\n", 1e-3 * bytes / GRAINS, 1e-3 * bytes / points);
    assert_true(points > 2.5 * GRAINS);
    assert_below(bytes / GRAINS, 16e3);
    assert_below(bytes / points, 5e3);
    take_steps(world, 30);
    assert_int_equal(ash_memory_used().allocations, warm.allocations);
    ash_world_destroy(world);
}

static void parts_are_all_but_geometries_and_trifles(void **state)
{
    (void)state;
    uint64_t before = ash_memory_used().bytes;
    ash_world *world = open_silo("300", ASH_SLEEP_OFF);
    take_steps(world, 60);
    uint64_t all = ash_memory_used().bytes - before, parts = sum_of(ash_world_get_memory(world));
    print_message("%llu of %llu bytes are of the parts\n", (unsigned long long)parts, (unsigned long long)all);
    assert_true(parts <= all);
    assert_below((double)(all - parts), 0.03 * (double)all);
    ash_world_destroy(world);
}

/* Nothing moves any more, and nothing is kept of steps that are passed over. */
static void sleepers_take_no_more(void **state)
{
    (void)state;
    ash_world *world = open_silo("4", ASH_SLEEP_ISLANDS);
    take_steps(world, 500);
    assert_int_equal(ash_world_get_report(world).sleeping, 4);
    uint64_t before = ash_memory_used().allocations;
    take_steps(world, 2000);
    assert_int_equal(ash_memory_used().allocations, before);
    ash_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_silo_at_rest_holds_what_its_contacts_need_and_takes_no_more),
        cmocka_unit_test(parts_are_all_but_geometries_and_trifles),
        cmocka_unit_test(sleepers_take_no_more),
    };
    return cmocka_run_group_tests_name("world/memory", tests, NULL, NULL);
}
