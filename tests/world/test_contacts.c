/* Contacts of worlds: events, filters, sensors, recycling, the same for any broad phase and any number of threads. */
#include "ashlar/contact.h"
#include "base/hash.h"
#include "base/random.h"
#include "math/transform.h"
#include "world/world.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

static ash_geometry *make_geometry(ash_geometry_kind kind, double size)
{
    ash_geometry_def def = ash_default_geometry_def(kind);
    ash_geometry *geometry = NULL;
    def.radius = size;
    def.half_extents = v3(size, size, size);
    assert_int_equal(ash_geometry_create(&def, &geometry, NULL), ASH_OK);
    return geometry;
}

typedef struct ball {
    ash_body body;
    ash_shape shape;
} ball;

static ball add_ball(ash_world *w, ash_body_type type, ash_vec3 position, ash_vec3 velocity,
                     const ash_shape_def *filter)
{
    ash_body_def def = ash_default_body_def();
    ash_shape_def shape = filter != NULL ? *filter : ash_default_shape_def();
    ball b;
    def.type = type;
    def.position = position;
    def.velocity = velocity;
    shape.geometry = make_geometry(ASH_GEOMETRY_SPHERE, 0.5);
    assert_int_equal(ash_body_create(w, &def, &shape, 1, &b.body, NULL), ASH_OK);
    ash_geometry_release(shape.geometry);
    assert_int_equal(ash_body_get_shapes(w, b.body, &b.shape, 1), 1);
    return b;
}

static uint32_t count_contacts(const ash_world *w)
{
    return ash_world_get_contacts(w, NULL, 0);
}

static void a_ball_that_passes_another_begins_lasts_and_ends(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ball moving = add_ball(w, ASH_BODY_DYNAMIC, v3(-2, 0, 0), v3(1, 0, 0), NULL);
    ball fixed = add_ball(w, ASH_BODY_STATIC, v3(0, 0.6, 0), v3(0, 0, 0), NULL);
    int began = 0, lasting = 0, ended = 0;
    for (int i = 0; i < 400; i++) {
        take_steps(w, 0.01, 1);
        ash_contact_event event;
        ash_contact contact;
        uint32_t events = ash_world_get_contact_events(w, &event, 1);
        double x = ash_body_get_centre(w, moving.body).x, distance = sqrt(x * x + 0.36);
        assert_int_equal(ash_world_get_contacts(w, &contact, 1), distance <= 1.005 ? 1 : 0);
        if (distance <= 1.005) {
            assert_int_equal(contact.point_count, 1);
            assert_near(contact.points[0].depth, 1 - distance, 1e-12);
            assert_near(contact.normal.x, -x / distance, 1e-12);
            assert_near(v3_distance(contact.points[0].on_a, ash_body_get_centre(w, moving.body)), 0.5, 1e-12);
            assert_near(v3_distance(contact.points[0].on_b, v3(0, 0.6, 0)), 0.5, 1e-12);
            assert_int_equal(contact.body_a.id, moving.body.id);
            assert_int_equal(contact.shape_b.id, fixed.shape.id);
        }
        if (events == 0)
            continue;
        began += event.kind == ASH_CONTACT_BEGAN;
        lasting += event.kind == ASH_CONTACT_LASTING;
        ended += event.kind == ASH_CONTACT_ENDED;
        assert_int_equal(event.shape_a.id, moving.shape.id);
        if (event.kind != ASH_CONTACT_ENDED)
            assert_int_equal(event.contact_count, 1);
    }
    assert_int_equal(began, 1);
    assert_int_equal(ended, 1);
    assert_true(lasting > 150 && lasting < 162); /* 1.6 m at 1 cm a step */
    ash_world_destroy(w);
}

static void filters_work_in_both_directions(void **state)
{
    (void)state;
    const struct {
        uint64_t category_a, mask_a, category_b, mask_b;
        int32_t group_a, group_b;
        uint32_t contacts;
    } cases[] = {
        {1, UINT64_MAX, 1, UINT64_MAX, 0, 0, 1},
        {1, 2, 2, 1, 0, 0, 1},
        {1, 2, 2, 2, 0, 0, 0},
        {1, 1, 2, 1, 0, 0, 0},
        {1, 0, 1, 0, 4, 4, 1},
        {1, 1, 1, 1, -4, -4, 0},
        {1, 1, 1, 1, -4, -5, 1},
        {1, 0, 1, 1, 3, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
        ash_shape_def a = ash_default_shape_def(), b = ash_default_shape_def();
        a.category = cases[i].category_a;
        a.mask = cases[i].mask_a;
        a.group = cases[i].group_a;
        b.category = cases[i].category_b;
        b.mask = cases[i].mask_b;
        b.group = cases[i].group_b;
        add_ball(w, ASH_BODY_DYNAMIC, v3(0, 0, 0), v3(0, 0, 0), &a);
        add_ball(w, ASH_BODY_DYNAMIC, v3(0.5, 0, 0), v3(0, 0, 0), &b);
        assert_int_equal(ash_world_detect(w), ASH_OK);
        assert_int_equal(count_contacts(w), cases[i].contacts);
        ash_world_destroy(w);
    }
}

static bool refuse_all(ash_shape a, ash_shape b, void *user)
{
    (void)a;
    (void)b;
    ++*(int *)user;
    return false;
}

static void callbacks_and_ignored_pairs_have_the_last_word(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ball a = add_ball(w, ASH_BODY_DYNAMIC, v3(0, 0, 0), v3(0, 0, 0), NULL);
    ball b = add_ball(w, ASH_BODY_DYNAMIC, v3(0.5, 0, 0), v3(0, 0, 0), NULL);
    int asked = 0;
    assert_int_equal(ash_world_set_pair_filter(w, refuse_all, &asked), ASH_OK);
    assert_int_equal(ash_world_detect(w), ASH_OK);
    assert_int_equal(count_contacts(w), 0);
    assert_int_equal(asked, 1);
    assert_int_equal(ash_world_set_pair_filter(w, NULL, NULL), ASH_OK);
    assert_int_equal(ash_world_ignore_pair(w, b.body, a.body, true), ASH_OK);
    assert_int_equal(ash_world_ignore_pair(w, a.body, b.body, true), ASH_OK); /* once is enough */
    assert_int_equal(ash_world_detect(w), ASH_OK);
    assert_int_equal(count_contacts(w), 0);
    assert_int_equal(ash_world_ignore_pair(w, a.body, b.body, false), ASH_OK);
    assert_int_equal(ash_world_detect(w), ASH_OK);
    assert_int_equal(count_contacts(w), 1);
    assert_int_equal(ash_world_ignore_pair(w, a.body, (ash_body){0}, true), ASH_BAD_HANDLE);
    ash_world_destroy(w);
}

static void sensors_are_told_but_do_not_count_as_penetration(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ash_shape_def sensor = ash_default_shape_def();
    ash_contact contact;
    sensor.sensor = true;
    add_ball(w, ASH_BODY_DYNAMIC, v3(0, 0, 0), v3(0, 0, 0), NULL);
    add_ball(w, ASH_BODY_STATIC, v3(0.5, 0, 0), v3(0, 0, 0), &sensor);
    take_steps(w, 0.01, 1);
    assert_int_equal(ash_world_get_contacts(w, &contact, 1), 1);
    assert_true(contact.sensor);
    assert_near(ash_world_get_report(w).penetration, 0, 0);
    assert_int_equal(ash_world_get_report(w).contacts, 1);
    ash_world_destroy(w);
}

static void bodies_that_nothing_moves_do_not_meet(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    add_ball(w, ASH_BODY_STATIC, v3(0, 0, 0), v3(0, 0, 0), NULL);
    add_ball(w, ASH_BODY_KINEMATIC, v3(0.5, 0, 0), v3(0, 0, 0), NULL);
    ball c = add_ball(w, ASH_BODY_STATIC, v3(0.2, 0, 0), v3(0, 0, 0), NULL);
    take_steps(w, 0.01, 1);
    assert_int_equal(count_contacts(w), 0);
    assert_int_equal(ash_body_set_type(w, c.body, ASH_BODY_DYNAMIC), ASH_OK);
    take_steps(w, 0.01, 1);
    assert_int_equal(count_contacts(w), 2);
    ash_method method = ash_world_get_method(w);
    method.contacts = ASH_CONTACTS_OFF;
    assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
    take_steps(w, 0.01, 1);
    assert_int_equal(count_contacts(w), 0);
    ash_world_destroy(w);
}

static void a_removed_body_ends_its_contacts(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ball a = add_ball(w, ASH_BODY_DYNAMIC, v3(0, 0, 0), v3(0, 0, 0), NULL);
    ball b = add_ball(w, ASH_BODY_DYNAMIC, v3(0.5, 0, 0), v3(0, 0, 0), NULL);
    take_steps(w, 0.01, 2);
    assert_int_equal(ash_body_destroy(w, a.body), ASH_OK);
    ash_contact contact;
    assert_int_equal(ash_world_get_contacts(w, &contact, 1), 1); /* as the last step left it */
    assert_int_equal(contact.body_a.id, 0);
    assert_int_equal(contact.body_b.id, b.body.id);
    ball c = add_ball(w, ASH_BODY_DYNAMIC, v3(0.1, 0, 0), v3(0, 0, 0), NULL); /* in the same slot */
    take_steps(w, 0.01, 1);
    ash_contact_event events[3];
    assert_int_equal(ash_world_get_contact_events(w, events, 3), 2);
    assert_int_equal(events[0].kind, ASH_CONTACT_ENDED);
    assert_int_equal(events[0].shape_a.id, a.shape.id);
    assert_int_equal(events[1].kind, ASH_CONTACT_BEGAN);
    assert_int_equal(events[1].shape_a.id, c.shape.id);
    ash_world_destroy(w);
}

/* A cloud of boxes and balls over a floor, drifting through each other. */
static ash_world *make_cloud(uint32_t threads, ash_broad_phase broad, double recycle)
{
    enum { BODIES = 400 };
    ash_world_def def = ash_default_world_def();
    def.method.contacts = ASH_CONTACTS_DETECT;
    ash_world *w = NULL;
    ashi_random random = {21};
    ash_geometry *shapes[3] = {make_geometry(ASH_GEOMETRY_SPHERE, 0.3), make_geometry(ASH_GEOMETRY_BOX, 0.3),
                               make_geometry(ASH_GEOMETRY_PLANE, 1)};
    def.threads = threads;
    def.method.broad_phase = broad;
    def.method.recycle = recycle;
    def.gravity = v3(0, 0, 0);
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_OK);
    for (uint32_t i = 0; i <= BODIES; i++) {
        ash_body_def body = ash_default_body_def();
        ash_shape_def shape = ash_default_shape_def();
        ash_body handle;
        shape.geometry = shapes[i == BODIES ? 2 : i % 2];
        if (i == BODIES) {
            body.type = ASH_BODY_STATIC;
        } else {
            double *x = &body.position.x, *v = &body.velocity.x, *s = &body.angular_velocity.x;
            for (int k = 0; k < 3; k++) {
                x[k] = ashi_random_range(&random, 0, 4);
                v[k] = i % 5 == 0 ? 0 : ashi_random_range(&random, -1, 1);
                s[k] = i % 5 == 0 ? 0 : ashi_random_range(&random, -1, 1);
            }
            body.rotation = ash_rotation(v3(1, 2, ashi_random_unit(&random)), ashi_random_range(&random, -3, 3));
        }
        assert_int_equal(ash_body_create(w, &body, &shape, 1, &handle, NULL), ASH_OK);
    }
    for (int i = 0; i < 3; i++)
        ash_geometry_release(shapes[i]);
    return w;
}

static uint64_t hash_contacts(const ash_world *w)
{
    const ashi_contact_set *set = &w->collision.now;
    uint64_t hash = 0;
    for (uint32_t i = 0; i < set->contacts.count; i++) {
        const ashi_contact_record *c = &set->contacts.data[i];
        uint32_t words[] = {set->pairs.data[c->pair].a, set->pairs.data[c->pair].b, c->part_a, c->part_b,
                            c->point_count};
        hash = ashi_hash(hash, words, sizeof words);
        hash = ashi_hash(hash, &c->normal, sizeof c->normal);
        for (uint32_t k = 0; k < c->point_count; k++) {
            const ashi_point_record *p = &set->points.data[c->first_point + k];
            hash = ashi_hash(hash, &p->on_a, sizeof p->on_a);
            hash = ashi_hash(hash, &p->depth, sizeof p->depth);
            hash = ashi_hash(hash, &p->age, sizeof p->age);
        }
    }
    return hash;
}

static void threads_and_broad_phases_do_not_matter(void **state)
{
    (void)state;
    enum { STEPS = 30 };
    uint64_t expected[STEPS];
    for (uint32_t k = 0; k < 7; k++) {
        ash_world *w = make_cloud(k < 4 ? k + 1 : 1, k < 4 ? ASH_BROAD_TREE : (ash_broad_phase)(k - 3), 5e-5);
        for (int i = 0; i < STEPS; i++) {
            take_steps(w, 0.01, 1);
            uint64_t hash = hash_contacts(w);
            if (k == 0)
                expected[i] = hash;
            assert_int_equal(hash, expected[i]);
        }
        assert_true(count_contacts(w) > 500);
        ash_world_destroy(w);
    }
}

static void resting_pairs_are_recycled_with_the_right_depth(void **state)
{
    (void)state;
    ash_world *recycling = make_cloud(1, ASH_BROAD_TREE, 1e-3), *exact = make_cloud(1, ASH_BROAD_TREE, 0);
    uint32_t recycled = 0;
    for (int i = 0; i < 20; i++) {
        take_steps(recycling, 0.001, 1);
        take_steps(exact, 0.001, 1);
        ash_step_report r = ash_world_get_report(recycling), e = ash_world_get_report(exact);
        recycled += r.pairs - r.pair_tests;
        assert_int_equal(e.pairs, e.pair_tests);
        assert_near(r.penetration, e.penetration, 2e-3);
        assert_int_equal(ash_world_get_hash(recycling), ash_world_get_hash(exact));
    }
    assert_true(recycled > 1000);
    ash_world_destroy(recycling);
    ash_world_destroy(exact);
}

/* How often the contacts of a shape that slides over a plane are found in 20 steps of 0.15 mm. */
static uint32_t count_tests(ash_geometry_kind kind, double size)
{
    enum { STEPS = 20 };
    ash_world_def def = ash_default_world_def();
    ash_world *w = NULL;
    uint32_t tests = 0;
    def.gravity = v3(0, 0, 0);
    def.method.contacts = ASH_CONTACTS_DETECT;
    def.method.recycle = 1e-3;
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_OK);
    for (int i = 0; i < 2; i++) {
        ash_body_def body = ash_default_body_def();
        ash_shape_def shape = ash_default_shape_def();
        ash_body handle;
        shape.geometry = make_geometry(i == 0 ? ASH_GEOMETRY_PLANE : kind, size);
        body.type = i == 0 ? ASH_BODY_STATIC : ASH_BODY_DYNAMIC;
        body.position.z = i == 0 ? 0 : size;
        body.velocity.x = i == 0 ? 0 : 0.015;
        assert_int_equal(ash_body_create(w, &body, &shape, 1, &handle, NULL), ASH_OK);
        ash_geometry_release(shape.geometry);
    }
    for (int i = 0; i < STEPS; i++) {
        take_steps(w, 0.01, 1);
        tests += ash_world_get_report(w).pair_tests;
    }
    ash_world_destroy(w);
    return tests;
}

/* Normals of curved surfaces turn as they roll, and what is small must not keep its contacts over a large part of it.
 */
static void contacts_last_by_shape_and_size(void **state)
{
    (void)state;
    assert_in_range(count_tests(ASH_GEOMETRY_BOX, 0.3), 3, 4);   /* 3 mm in the end, up to 1 mm each time */
    assert_int_equal(count_tests(ASH_GEOMETRY_SPHERE, 0.3), 20); /* more than 0.06 mm */
    assert_int_equal(count_tests(ASH_GEOMETRY_BOX, 0.01), 20);   /* more than 0.08 mm */
    assert_in_range(count_tests(ASH_GEOMETRY_SPHERE, 10), 3, 4);
}

static void a_restored_world_has_the_same_contacts(void **state)
{
    (void)state;
    ash_world *w = make_cloud(1, ASH_BROAD_TREE, 5e-5);
    void *bytes;
    size_t size;
    take_steps(w, 0.005, 20);
    uint64_t at_save = hash_contacts(w);
    assert_int_equal(ash_world_save(w, &bytes, &size, NULL), ASH_OK);
    take_steps(w, 0.005, 20);
    uint64_t later = hash_contacts(w);
    assert_int_equal(ash_world_restore(w, bytes, size, NULL), ASH_OK);
    assert_int_equal(hash_contacts(w), at_save);
    assert_true(count_contacts(w) > 0);
    take_steps(w, 0.005, 20);
    assert_int_equal(hash_contacts(w), later);
    ash_free(bytes);
    ash_world_destroy(w);
}

static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < ASH_BROAD_PHASES; k++) {
        ash_world *w = make_cloud(1, (ash_broad_phase)k, 5e-5);
        take_steps(w, 0.01, 30);
        uint64_t before = ash_memory_used().allocations;
        take_steps(w, 1e-6, 20); /* hardly any motion: the same contacts, every array has seen its size */
        assert_int_equal(ash_memory_used().allocations, before);
        ash_world_destroy(w);
    }
}

static void planar_shapes_touch_in_their_plane(void **state)
{
    (void)state;
    ash_world_def def = ash_default_world_def();
    def.method.contacts = ASH_CONTACTS_DETECT;
    ash_world *w;
    ash_contact contact;
    def.planar = true;
    def.gravity = v3(0, 0, 0);
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_OK);
    for (int i = 0; i < 2; i++) {
        ash_body_def body = ash_default_body_def();
        ash_shape_def shape = ash_default_shape_def();
        ash_body handle;
        body.position = v3(0.8 * i, 0, 3.0 * i); /* z does not count */
        shape.geometry = make_geometry(ASH_GEOMETRY_CIRCLE, 0.5);
        assert_int_equal(ash_body_create(w, &body, &shape, 1, &handle, NULL), ASH_OK);
        ash_geometry_release(shape.geometry);
    }
    assert_int_equal(ash_world_detect(w), ASH_OK);
    assert_int_equal(ash_world_get_contacts(w, &contact, 1), 1);
    assert_near(contact.points[0].depth, 0.2, 1e-15);
    assert_near(contact.normal.x, 1, 1e-15);
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_that_passes_another_begins_lasts_and_ends),
        cmocka_unit_test(filters_work_in_both_directions),
        cmocka_unit_test(callbacks_and_ignored_pairs_have_the_last_word),
        cmocka_unit_test(sensors_are_told_but_do_not_count_as_penetration),
        cmocka_unit_test(bodies_that_nothing_moves_do_not_meet),
        cmocka_unit_test(a_removed_body_ends_its_contacts),
        cmocka_unit_test(threads_and_broad_phases_do_not_matter),
        cmocka_unit_test(resting_pairs_are_recycled_with_the_right_depth),
        cmocka_unit_test(contacts_last_by_shape_and_size),
        cmocka_unit_test(a_restored_world_has_the_same_contacts),
        cmocka_unit_test(warm_steps_allocate_nothing),
        cmocka_unit_test(planar_shapes_touch_in_their_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
