/* Snapshots: continue bit for bit, keep handles, refuse anything damaged, never crash on any bytes. */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "math/vec3.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

static void *save(const ash_world *w, size_t *size)
{
    void *bytes = NULL;
    ash_diagnostic d;
    if (ash_world_save(w, &bytes, size, &d) != ASH_OK)
        fail_msg("save: %s", d.message);
    return bytes;
}

/* Adds a static body with shapes of several kinds, a compound among them. */
static void add_shapes(ash_world *w)
{
    ash_geometry *sphere, *mesh, *hull, *compound;
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    assert_int_equal(ash_geometry_create(&def, &sphere, NULL), ASH_OK);
    static const ash_vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    def = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    def.points = points;
    def.point_count = 5;
    assert_int_equal(ash_geometry_create(&def, &hull, NULL), ASH_OK);
    static const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    def = ash_default_geometry_def(ASH_GEOMETRY_MESH);
    def.points = points;
    def.point_count = 4;
    def.triangles = triangles;
    def.triangle_count = 4;
    assert_int_equal(ash_geometry_create(&def, &mesh, NULL), ASH_OK);
    ash_geometry_part parts[2] = {{sphere, {{0, 0, 3}, {1, 0, 0, 0}}}, {hull, {{0, 0, -3}, {1, 0, 0, 0}}}};
    def = ash_default_geometry_def(ASH_GEOMETRY_COMPOUND);
    def.parts = parts;
    def.part_count = 2;
    assert_int_equal(ash_geometry_create(&def, &compound, NULL), ASH_OK);
    ash_shape_def shapes[4];
    ash_geometry *all[4] = {sphere, mesh, hull, compound};
    for (int i = 0; i < 4; i++) {
        shapes[i] = ash_default_shape_def();
        shapes[i].geometry = all[i];
        shapes[i].name = "part";
    }
    ash_body_def body_def = ash_default_body_def();
    body_def.name = "shapely";
    ash_body body;
    assert_int_equal(ash_body_create(w, &body_def, shapes, 4, &body, NULL), ASH_OK);
    for (int i = 0; i < 4; i++)
        ash_geometry_release(all[i]);
}

static void a_restored_world_continues_bit_for_bit(void **state)
{
    (void)state;
    for (int k = 0; k < ASH_INTEGRATORS; k++) {
        busy_world busy;
        size_t size;
        make_busy(&busy, (ash_integrator)k, 1);
        add_shapes(busy.world);
        take_steps(busy.world, 0.004, 50);
        ash_body gone = make_point(busy.world, 1, v3(9, 9, 9), v3(0, 0, 0));
        assert_int_equal(ash_body_destroy(busy.world, gone), ASH_OK);
        assert_int_equal(ash_body_apply_torque(busy.world, busy.a, v3(0, 0, 1)), ASH_OK);
        void *bytes = save(busy.world, &size);
        take_steps(busy.world, 0.004, 50);
        uint64_t hash = ash_world_get_hash(busy.world);
        ash_ledger ledger = ash_world_get_ledger(busy.world);
        ash_body next = make_point(busy.world, 1, v3(0, 0, 0), v3(0, 0, 0));

        assert_int_equal(ash_world_restore(busy.world, bytes, size, NULL), ASH_OK);
        assert_near(ash_world_get_time(busy.world), 0.2, 1e-15);
        assert_false(ash_body_is_valid(busy.world, next));
        take_steps(busy.world, 0.004, 50);
        assert_int_equal(ash_world_get_hash(busy.world), hash);
        ash_ledger again = ash_world_get_ledger(busy.world);
        assert_memory_equal(&again, &ledger, sizeof ledger);
        /* handles go on the same way, too */
        assert_int_equal(make_point(busy.world, 1, v3(0, 0, 0), v3(0, 0, 0)).id, next.id);
        ash_free(bytes);
        ash_world_destroy(busy.world);
    }
}

static void saving_twice_gives_the_same_bytes(void **state)
{
    (void)state;
    busy_world busy;
    size_t first_size, second_size;
    make_busy(&busy, ASH_RK4, 1);
    add_shapes(busy.world);
    take_steps(busy.world, 0.01, 5);
    void *first = save(busy.world, &first_size);
    assert_int_equal(ash_world_restore(busy.world, first, first_size, NULL), ASH_OK);
    void *second = save(busy.world, &second_size);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);
    ash_free(first);
    ash_free(second);
    ash_world_destroy(busy.world);
}

static void another_world_can_take_it(void **state)
{
    (void)state;
    ash_world *a = make_world(ASH_RK4, v3(0, 0, -9.81), 1), *b = make_world(ASH_IMPLICIT_EULER, v3(0, 0, 0), 2);
    size_t size;
    add_shapes(a);
    make_point(a, 2, v3(0, 0, 1), v3(1, 0, 0));
    take_steps(a, 0.01, 7);
    void *bytes = save(a, &size);
    assert_int_equal(ash_world_restore(b, bytes, size, NULL), ASH_OK);
    assert_int_equal(ash_world_get_hash(a), ash_world_get_hash(b));
    ash_shape shapes[8];
    ash_body body = ash_world_find_body(b, "shapely");
    assert_int_equal(ash_body_get_shapes(b, body, shapes, 8), 4);
    assert_int_equal(ash_geometry_get_definition(ash_shape_get_geometry(b, shapes[3]))->part_count, 2);
    assert_near(ash_body_get_mass(b, body).mass, ash_body_get_mass(a, ash_world_find_body(a, "shapely")).mass, 0);
    take_steps(a, 0.01, 20);
    take_steps(b, 0.01, 20);
    assert_int_equal(ash_world_get_hash(a), ash_world_get_hash(b));
    ash_free(bytes);
    ash_world_destroy(a);
    ash_world_destroy(b);
}

static void host_pointers_come_from_the_world(void **state)
{
    (void)state;
    busy_world busy, other;
    size_t size;
    int mark = 0;
    ash_diagnostic d;
    make_busy(&busy, ASH_RK4, 1);
    assert_int_equal(ash_body_set_user_data(busy.world, busy.a, &mark), ASH_OK);
    void *bytes = save(busy.world, &size);
    make_busy(&other, ASH_RK4, 1);
    uint64_t before = ash_world_get_hash(other.world);
    assert_int_equal(ash_force_destroy(other.world, ash_world_find_force(other.world, "push")), ASH_OK);
    assert_int_equal(ash_world_restore(other.world, bytes, size, &d), ASH_BAD_DATA);
    assert_string_equal(d.code, "snapshot.callback");
    assert_int_equal(ash_world_get_hash(other.world), before);
    assert_int_equal(ash_world_restore(busy.world, bytes, size, &d), ASH_OK);
    assert_ptr_equal(ash_body_get_user_data(busy.world, busy.a), &mark);
    take_steps(busy.world, 0.01, 3);
    ash_free(bytes);
    ash_world_destroy(busy.world);
    ash_world_destroy(other.world);
}

static void damage_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, -9.81), 1);
    size_t size;
    ash_diagnostic d;
    add_shapes(w);
    take_steps(w, 0.01, 3);
    unsigned char *bytes = save(w, &size);
    uint64_t hash = ash_world_get_hash(w);
    for (size_t cut = 0; cut < size; cut += 1 + size / 97) {
        assert_int_equal(ash_world_restore(w, bytes, cut, &d), ASH_BAD_DATA);
        assert_true(d.message[0] != 0);
    }
    for (size_t at = 0; at < size; at += 1 + size / 211) {
        bytes[at] ^= 0x10;
        ash_status status = ash_world_restore(w, bytes, size, &d);
        assert_true(status == ASH_BAD_DATA || status == ASH_UNSUPPORTED);
        bytes[at] ^= 0x10;
    }
    assert_int_equal(ash_world_get_hash(w), hash);
    assert_int_equal(ash_world_restore(w, bytes, size, &d), ASH_OK);
    ash_free(bytes);
    ash_world_destroy(w);
}

/* Damage with a checksum made to fit reaches the reader of the content: it must refuse or give a world that works. */
static void forged_checksums_never_crash(void **state)
{
    (void)state;
    enum { HEADER = 32, CHECKSUM = 24 };
    busy_world busy;
    size_t size;
    make_busy(&busy, ASH_RK4, 1);
    add_shapes(busy.world);
    unsigned char *bytes = save(busy.world, &size), *forged = malloc(size);
    ashi_random random = {11};
    int accepted = 0;
    for (int i = 0; i < TRIALS(20000); i++) {
        memcpy(forged, bytes, size);
        uint32_t changes = 1 + ashi_random_below(&random, 3);
        for (uint32_t k = 0; k < changes; k++) {
            size_t at = HEADER + ashi_random_below(&random, (uint32_t)(size - HEADER));
            forged[at] = (unsigned char)ashi_random_bits(&random);
        }
        uint64_t checksum = ashi_hash(ASHI_HASH_START, forged + HEADER, size - HEADER);
        memcpy(forged + CHECKSUM, &checksum, sizeof checksum);
        ash_diagnostic d = {0};
        ash_status status = ash_world_restore(busy.world, forged, size, &d);
        accepted += status == ASH_OK;
        if (status == ASH_OK) {
            ash_world_step(busy.world, 0.01);
            assert_int_equal(ash_world_restore(busy.world, bytes, size, NULL), ASH_OK);
        }
    }
    print_message("%d of %d forgeries were worlds\n", accepted, TRIALS(20000));
    free(forged);
    ash_free(bytes);
    ash_world_destroy(busy.world);
}

static void running_out_of_memory_changes_nothing(void **state)
{
    (void)state;
    busy_world busy;
    size_t size;
    make_busy(&busy, ASH_RK4, 1);
    add_shapes(busy.world);
    void *bytes = save(busy.world, &size);
    uint64_t hash = ash_world_get_hash(busy.world);
    for (uint64_t k = 1;; k++) {
        void *copy = NULL;
        size_t copy_size;
        ashi_alloc_fail_at(k, false);
        ash_status status = ash_world_save(busy.world, &copy, &copy_size, NULL);
        ashi_alloc_fail_at(0, false);
        ash_free(copy);
        if (status == ASH_OK)
            break;
        assert_int_equal(status, ASH_OUT_OF_MEMORY);
    }
    uint64_t blocks = ash_memory_used().blocks;
    for (uint64_t k = 1;; k++) {
        ashi_alloc_fail_at(k, false);
        ash_status status = ash_world_restore(busy.world, bytes, size, NULL);
        ashi_alloc_fail_at(0, false);
        if (status == ASH_OK)
            break;
        assert_int_equal(status, ASH_OUT_OF_MEMORY);
        assert_int_equal(ash_memory_used().blocks, blocks);
        assert_int_equal(ash_world_get_hash(busy.world), hash);
    }
    ash_free(bytes);
    ash_world_destroy(busy.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restored_world_continues_bit_for_bit),
        cmocka_unit_test(saving_twice_gives_the_same_bytes),
        cmocka_unit_test(another_world_can_take_it),
        cmocka_unit_test(host_pointers_come_from_the_world),
        cmocka_unit_test(damage_is_refused_and_changes_nothing),
        cmocka_unit_test(forged_checksums_never_crash),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
