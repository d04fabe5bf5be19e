/* Sleeping: when bodies fall asleep and what wakes them; books, snapshots, threads; Gribel's threshold. */
#include "worlds.h"

#include "math/vec3.h"

#include <string.h>

#define STEP 0.01

static ash_world *sleepy_world(const char *sleeping, uint32_t threads)
{
    ash_world_def def = ash_default_world_def();
    ash_diagnostic diagnostic = {0};
    ash_world *world = NULL;
    def.threads = threads;
    assert_int_equal(ash_method_set(&def.method, "sleeping", sleeping, &diagnostic), ASH_OK);
    assert_int_equal(ash_world_create(&def, &world, &diagnostic), ASH_OK);
    return world;
}

static ash_body add_box(ash_world *w, ash_body_type type, ash_vec3 position, ash_vec3 half)
{
    ash_geometry_def geometry_def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_geometry *geometry = NULL;
    geometry_def.half_extents = half;
    assert_int_equal(ash_geometry_create(&geometry_def, &geometry, NULL), ASH_OK);
    ash_shape_def shape = ash_default_shape_def();
    shape.geometry = geometry;
    shape.density = 1000;
    ash_body_def def = ash_default_body_def();
    def.type = type;
    def.position = position;
    ash_body body;
    assert_int_equal(ash_body_create(w, &def, &shape, 1, &body, NULL), ASH_OK);
    ash_geometry_release(geometry);
    return body;
}

typedef struct room {
    ash_world *world;
    ash_body floor, pile[3], far; /* three cubes on each other, one far away */
} room;

static room make_room(const char *sleeping, uint32_t threads)
{
    room r = {.world = sleepy_world(sleeping, threads)};
    r.floor = add_box(r.world, ASH_BODY_STATIC, v3(0, 0, -0.5), v3(50, 50, 0.5));
    for (int i = 0; i < 3; i++)
        r.pile[i] = add_box(r.world, ASH_BODY_DYNAMIC, v3(0, 0, 0.25 + 0.501 * i), v3(0.25, 0.25, 0.25));
    r.far = add_box(r.world, ASH_BODY_DYNAMIC, v3(10, 0, 0.3), v3(0.25, 0.25, 0.25));
    return r;
}

static room sleeping_room(void)
{
    room r = make_room("islands", 1);
    take_steps(r.world, STEP, 200);
    assert_int_equal(ash_world_get_report(r.world).sleeping, 4);
    return r;
}

static bool pile_is(const room *r, bool awake)
{
    bool all = true;
    for (int i = 0; i < 3; i++)
        all = all && ash_body_is_awake(r->world, r->pile[i]) == awake;
    return all;
}

static void piles_fall_asleep_together(void **state)
{
    (void)state;
    room r = make_room("islands", 1);
    double slept = 0;
    int fell = -1;
    for (int i = 0; i < 200; i++) {
        ash_ledger before = ash_world_get_ledger(r.world);
        take_steps(r.world, STEP, 1);
        ash_ledger after = ash_world_get_ledger(r.world);
        uint32_t sleeping = ash_world_get_report(r.world).sleeping;
        assert_true(pile_is(&r, true) || pile_is(&r, false));
        if (after.sleep != before.sleep)
            assert_true(after.sleep < before.sleep && sleeping > 0);
        if (fell < 0 && pile_is(&r, false))
            fell = i;
        slept = after.sleep;
    }
    assert_true(fell > 50 && slept <= 0); /* 0.5 s at least */
    assert_int_equal(ash_world_get_report(r.world).sleeping, 4);
    assert_int_equal(ash_world_get_report(r.world).blocks, 0);
    for (int i = 0; i < 3; i++)
        assert_true(v3_norm(ash_body_get_velocity(r.world, r.pile[i])) == 0);
    ash_world_destroy(r.world);
}

/* Asleep, nothing moves by a bit, contacts last, and bear what they bore. */
static void sleepers_stay_and_bear(void **state)
{
    (void)state;
    room r = sleeping_room();
    ash_transform before = ash_body_get_transform(r.world, r.pile[2]);
    for (int i = 0; i < 20; i++) {
        take_steps(r.world, STEP, 1);
        ash_contact_event events[32];
        uint32_t count = ash_world_get_contact_events(r.world, events, 32);
        assert_int_equal(count, 4);
        for (uint32_t k = 0; k < count; k++)
            assert_int_equal(events[k].kind, ASH_CONTACT_LASTING);
        assert_int_equal(ash_world_get_report(r.world).pair_tests, 0);
    }
    ash_transform after = ash_body_get_transform(r.world, r.pile[2]);
    assert_memory_equal(&before, &after, sizeof before);
    ash_contact contacts[8];
    uint32_t count = ash_world_get_contacts(r.world, contacts, 8);
    double borne = 0;
    for (uint32_t i = 0; i < count; i++)
        if (contacts[i].body_a.id == r.floor.id || contacts[i].body_b.id == r.floor.id)
            for (uint32_t k = 0; k < contacts[i].point_count; k++)
                borne += fabs(contacts[i].points[k].force.z);
    assert_near(borne, 4 * 125 * 9.81, 5); /* N: a thousandth; at rest within the sleep speed */
    ash_world_destroy(r.world);
}

static void a_falling_body_wakes_the_pile_alone(void **state)
{
    (void)state;
    room r = sleeping_room();
    add_box(r.world, ASH_BODY_DYNAMIC, v3(0, 0, 3), v3(0.2, 0.2, 0.2));
    take_steps(r.world, STEP, 10);
    assert_true(pile_is(&r, false)); /* nothing has come near */
    bool woken = false;
    for (int i = 0; i < 80; i++) {
        take_steps(r.world, STEP, 1);
        woken = woken || pile_is(&r, true);
        assert_false(ash_body_is_awake(r.world, r.far));
    }
    assert_true(woken);
    take_steps(r.world, STEP, 300);
    assert_int_equal(ash_world_get_report(r.world).sleeping, 5);
    ash_world_destroy(r.world);
}

static void calls_wake(void **state)
{
    (void)state;
    for (int way = 0; way < 12; way++) {
        room r = sleeping_room();
        ash_world *w = r.world;
        ash_body top = r.pile[2], middle = r.pile[1];
        ash_vec3 at = ash_body_get_centre(w, top);
        ash_transform pose = ash_body_get_transform(w, top);
        ash_method method = ash_world_get_method(w);
        pose.position.z += 1;
        switch (way) {
        case 0:
            ash_body_wake(w, top);
            break;
        case 1:
            ash_body_set_velocity(w, top, v3(1, 0, 0));
            break;
        case 2:
            ash_body_apply_impulse(w, top, v3(125, 0, 0), at);
            assert_near(ash_body_get_velocity(w, top).x, 1, 1e-12);
            break;
        case 3:
            ash_body_apply_angular_impulse(w, top, v3(0, 0, 1));
            assert_true(ash_body_get_angular_velocity(w, top).z > 0);
            break;
        case 4:
            ash_body_apply_force_to_centre(w, top, v3(1000, 0, 0));
            break;
        case 5:
            ash_body_set_transform(w, top, pose);
            break;
        case 6:
            ash_world_set_gravity(w, v3(0, 0, -1));
            break;
        case 7:
            assert_int_equal(ash_method_set(&method, "sleeping", "off", NULL), ASH_OK);
            ash_world_set_method(w, &method);
            take_steps(w, STEP, 1);
            break;
        case 8:
            ash_body_set_type(w, top, ASH_BODY_KINEMATIC);
            assert_true(ash_body_is_awake(w, top) && ash_body_is_awake(w, middle));
            top = middle;
            break;
        case 9:
            ash_body_set_gravity_scale(w, top, 0.5);
            break;
        case 10:
            ash_body_destroy(w, r.pile[0]);
            assert_true(ash_body_is_awake(w, top) && ash_body_is_awake(w, middle));
            take_steps(w, STEP, 50);
            assert_true(ash_body_get_centre(w, top).z < at.z - 0.4); /* it has come down */
            break;
        default:
            ash_body_set_transform(w, r.floor, (ash_transform){v3(0, 0, -5), {1, 0, 0, 0}});
            take_steps(w, STEP, 10);
            assert_true(ash_body_get_centre(w, r.far).z < at.z - 0.04);
        }
        if (way != 10 && !ash_body_is_awake(w, top))
            fail_msg("way %d does not wake", way);
        if (way < 6)
            assert_true(ash_body_is_awake(w, middle) && !ash_body_is_awake(w, r.far));
        ash_world_destroy(w);
    }
}

static void springs_that_change_wake(void **state)
{
    (void)state;
    ash_world *w = sleepy_world("islands", 1);
    ash_body hook = add_box(w, ASH_BODY_KINEMATIC, v3(0, 0, 2), v3(0.1, 0.1, 0.1));
    ash_body bob = add_box(w, ASH_BODY_DYNAMIC, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
    ash_spring_def def = ash_default_spring_def();
    def.body_a = hook;
    def.body_b = bob;
    def.stiffness = 8 * 9.81 / 0.1;
    def.damping = 100;
    def.rest_length = 1.9;
    ash_force spring = make_spring(w, &def);
    take_steps(w, STEP, 500);
    assert_false(ash_body_is_awake(w, bob));
    assert_true(ash_body_is_awake(w, hook));
    ash_body_set_velocity(w, hook, v3(0, 0, 0.5)); /* the hook rises */
    take_steps(w, STEP, 20);
    assert_true(ash_body_is_awake(w, bob) && ash_body_get_velocity(w, bob).z > 0.05);
    ash_body_set_velocity(w, hook, v3(0, 0, 0));
    take_steps(w, STEP, 500);
    assert_false(ash_body_is_awake(w, bob));
    ash_force_destroy(w, spring);
    take_steps(w, STEP, 20);
    assert_true(ash_body_is_awake(w, bob) && ash_body_get_velocity(w, bob).z < -1);
    ash_world_destroy(w);
}

static void moving_kinematic_bodies_wake_resting_ones_do_not(void **state)
{
    (void)state;
    room r = make_room("islands", 1);
    ash_body pusher = add_box(r.world, ASH_BODY_KINEMATIC, v3(9.499, 0, 0.25), v3(0.25, 0.25, 0.2));
    take_steps(r.world, STEP, 200);
    assert_false(ash_body_is_awake(r.world, r.far));
    take_steps(r.world, STEP, 50);
    assert_false(ash_body_is_awake(r.world, r.far));
    ash_body_set_velocity(r.world, pusher, v3(0.2, 0, 0));
    take_steps(r.world, STEP, 20);
    assert_true(ash_body_is_awake(r.world, r.far) && ash_body_get_centre(r.world, r.far).x > 10.02);
    ash_world_destroy(r.world);
}

/* A snapshot at any time goes on bit for bit: before, while and after bodies fall asleep, and when they wake. */
static void snapshots_sleep_on(void **state)
{
    (void)state;
    for (int at = 20; at <= 180; at += 20) {
        room r = make_room("islands", 1);
        add_box(r.world, ASH_BODY_DYNAMIC, v3(0.1, 0, 12), v3(0.2, 0.2, 0.2)); /* comes down at 1.5 s */
        take_steps(r.world, STEP, (uint32_t)at);
        void *bytes;
        size_t size;
        assert_int_equal(ash_world_save(r.world, &bytes, &size, NULL), ASH_OK);
        ash_world *copy = sleepy_world("off", 1);
        assert_int_equal(ash_world_restore(copy, bytes, size, NULL), ASH_OK);
        ash_free(bytes);
        for (int i = 0; i < 120; i++) {
            for (int k = 0; k < 3; k++)
                assert_int_equal(ash_body_is_awake(copy, r.pile[k]), ash_body_is_awake(r.world, r.pile[k]));
            take_steps(r.world, STEP, 1);
            take_steps(copy, STEP, 1);
            assert_true(ash_world_get_hash(r.world) == ash_world_get_hash(copy));
            assert_int_equal(ash_world_get_report(r.world).sleeping, ash_world_get_report(copy).sleeping);
        }
        ash_world_destroy(copy);
        ash_world_destroy(r.world);
    }
}

static void any_number_of_threads_sleeps_alike(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        ash_world *w = sleepy_world("islands", threads);
        add_box(w, ASH_BODY_STATIC, v3(0, 0, -0.5), v3(50, 50, 0.5));
        for (int i = 0; i < 60; i++)
            add_box(w, ASH_BODY_DYNAMIC, v3(0.9 * (i % 6), 0.8 * (i / 6 % 3) + 0.1 * (i % 2), 0.3 + 0.7 * (i / 18)),
                    v3(0.25, 0.3, 0.2));
        take_steps(w, STEP, 250);
        if (threads == 1) {
            hash = ash_world_get_hash(w);
            assert_true(ash_world_get_report(w).sleeping > 10);
        }
        assert_true(ash_world_get_hash(w) == hash);
        ash_world_destroy(w);
    }
}

/* Point masses of slow strings swing on, rotors without shapes spin on. */
static void bodies_without_shapes_stay_awake(void **state)
{
    (void)state;
    ash_world *w = sleepy_world("islands", 1);
    ash_world_set_gravity(w, v3(0, 0, 0));
    ash_spring_def def = ash_default_spring_def();
    ash_body point = make_point(w, 1, v3(0.01, 0, 0), v3(0, 0, 0));
    ash_body rotor = make_rotor(w, 1, v3(1, 1, 1), v3(0, 5, 0), v3(0, 0, 3));
    def.body_b = point;
    def.stiffness = 1;
    def.rest_length = 0;
    make_spring(w, &def);
    double farthest = 0;
    for (int i = 0; i < 700; i++) { /* more than a period */
        take_steps(w, STEP, 1);
        farthest = fmin(farthest, ash_body_get_centre(w, point).x);
    }
    assert_near(farthest, -0.01, 1e-4);
    assert_true(ash_body_is_awake(w, point) && ash_body_is_awake(w, rotor));
    assert_near(ash_body_get_angular_velocity(w, rotor).z, 3, 1e-12);
    ash_world_destroy(w);
}

/* What is booked is the kinetic energy that is gone. */
static void a_drifting_body_gives_up_its_energy(void **state)
{
    (void)state;
    ash_world *w = sleepy_world("islands", 1);
    ash_world_set_gravity(w, v3(0, 0, 0));
    ash_body body = add_box(w, ASH_BODY_DYNAMIC, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
    ash_body_set_velocity(w, body, v3(0.04, 0, 0));
    take_steps(w, STEP, 49);
    assert_true(ash_body_is_awake(w, body));
    take_steps(w, STEP, 3);
    assert_false(ash_body_is_awake(w, body));
    ash_ledger ledger = ash_world_get_ledger(w);
    assert_near(ledger.sleep, -0.5 * 8 * 0.04 * 0.04, 1e-15);
    assert_near(ledger.remainder, 0, 1e-15);
    ash_world_destroy(w);
}

/* On a slope without friction that makes it faster by a thousandth of g, a box is slow for five seconds, and awake. */
static void what_begins_to_slide_stays_awake(void **state)
{
    (void)state;
    ash_world *w = sleepy_world("islands", 1);
    ash_material_def smooth = ash_default_material_def();
    smooth.surface.friction = 0;
    assert_int_equal(ash_material_set(w, ash_world_get_default_material(w), &smooth, NULL), ASH_OK);
    assert_int_equal(ash_world_set_gravity(w, v3(9.81e-3, 0, -9.81)), ASH_OK);
    add_box(w, ASH_BODY_STATIC, v3(0, 0, -0.5), v3(50, 50, 0.5));
    ash_body box = add_box(w, ASH_BODY_DYNAMIC, v3(0, 0, 0.25), v3(0.25, 0.25, 0.25));
    take_steps(w, STEP, 400);
    assert_int_equal(ash_world_get_report(w).sleeping, 0);
    assert_near(ash_body_get_velocity(w, box).x, 4 * 9.81e-3, 1e-6);
    assert_int_equal(ash_world_set_gravity(w, v3(0, 0, -9.81)), ASH_OK); /* level again: it drifts, and then rests */
    take_steps(w, STEP, 200);
    assert_int_equal(ash_world_get_report(w).sleeping, 1);
    ash_world_destroy(w);
}

/* Gribel: positions of bodies that have been slow for long are not updated; velocities are. */
static void slow_bodies_are_suspended(void **state)
{
    (void)state;
    room r = make_room("velocity", 1);
    ash_shape belt;
    assert_int_equal(ash_body_get_shapes(r.world, r.floor, &belt, 1), 1);
    ash_shape_set_surface_velocity(r.world, belt, v3(0.03, 0, 0));
    take_steps(r.world, STEP, 30);
    assert_true(ash_body_get_centre(r.world, r.far).x > 10.003);
    take_steps(r.world, STEP, 150);
    assert_int_equal(ash_world_get_report(r.world).sleeping, 4);
    assert_true(ash_world_get_report(r.world).blocks > 0); /* contacts are solved all the same */
    ash_vec3 before = ash_body_get_centre(r.world, r.far);
    take_steps(r.world, STEP, 50);
    ash_vec3 after = ash_body_get_centre(r.world, r.far);
    assert_memory_equal(&before, &after, sizeof before);
    assert_near(ash_body_get_velocity(r.world, r.far).x, 0.03, 1e-6);
    assert_false(ash_body_is_awake(r.world, r.far));
    ash_shape_set_surface_velocity(r.world, belt, v3(0.3, 0, 0));
    take_steps(r.world, STEP, 20);
    assert_true(ash_body_is_awake(r.world, r.far) && ash_body_get_centre(r.world, r.far).x > before.x + 0.03);
    ash_world_destroy(r.world);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    room r = sleeping_room();
    ash_body gone = add_box(r.world, ASH_BODY_DYNAMIC, v3(20, 0, 5), v3(0.2, 0.2, 0.2));
    assert_int_equal(ash_body_sleep(r.world, gone), ASH_OK); /* in the air */
    take_steps(r.world, STEP, 20);
    assert_false(ash_body_is_awake(r.world, gone));
    assert_near(ash_body_get_centre(r.world, gone).z, 5, 0);
    ash_body_destroy(r.world, gone);
    assert_int_equal(ash_body_sleep(r.world, gone), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_wake(r.world, gone), ASH_BAD_HANDLE);
    assert_true(ash_body_is_awake(r.world, gone));
    assert_int_equal(ash_body_sleep(r.world, r.floor), ASH_BAD_ARGUMENT);
    ash_world_destroy(r.world);
    r = make_room("off", 1);
    assert_int_equal(ash_body_sleep(r.world, r.far), ASH_BAD_ARGUMENT);
    ash_world_destroy(r.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(piles_fall_asleep_together),
        cmocka_unit_test(sleepers_stay_and_bear),
        cmocka_unit_test(a_falling_body_wakes_the_pile_alone),
        cmocka_unit_test(calls_wake),
        cmocka_unit_test(springs_that_change_wake),
        cmocka_unit_test(moving_kinematic_bodies_wake_resting_ones_do_not),
        cmocka_unit_test(snapshots_sleep_on),
        cmocka_unit_test(any_number_of_threads_sleeps_alike),
        cmocka_unit_test(bodies_without_shapes_stay_awake),
        cmocka_unit_test(a_drifting_body_gives_up_its_energy),
        cmocka_unit_test(what_begins_to_slide_stays_awake),
        cmocka_unit_test(slow_bodies_are_suspended),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
