/* All kinds: names, references, copies and hashes, diagnostics of bad definitions, and every allocation failing. */
#include "check.h"

#include "base/alloc.h"
#include "samples.h"

#include <pthread.h>
#include <string.h>

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(ash_geometry_kind_name(ASH_GEOMETRY_SPHERE), "sphere");
    assert_string_equal(ash_geometry_kind_name(ASH_GEOMETRY_DISTANCE_FIELD), "distance-field");
    assert_string_equal(ash_geometry_kind_name(ASH_GEOMETRY_KINDS), "unknown");
}

static void test_references_and_hash(void **state)
{
    (void)state;
    uint64_t hashes[ASH_GEOMETRY_KINDS], blocks = ash_memory_used().blocks;
    for (int kind = 0; kind < ASH_GEOMETRY_KINDS; kind++) {
        ash_geometry *a, *b;
        ash_diagnostic diagnostic = {0};
        if (create_sample(kind, &a, &diagnostic) != ASH_OK)
            fail_msg("%s: %s", ash_geometry_kind_name(kind), diagnostic.message);
        assert_int_equal(create_sample(kind, &b, NULL), ASH_OK);
        assert_int_equal(ash_geometry_get_definition(a)->kind, kind);
        assert_true(ash_geometry_get_hash(a) == ash_geometry_get_hash(b));
        assert_int_equal(ash_geometry_is_flat(a), kind >= ASH_GEOMETRY_CIRCLE);
        hashes[kind] = ash_geometry_get_hash(a);
        for (int other = 0; other < kind; other++)
            assert_true(hashes[other] != hashes[kind]);
        assert_ptr_equal(ash_geometry_retain(a), a);
        ash_geometry_release(a);
        ash_geometry_support(a, v3(0, 0, 1)); /* still there */
        ash_geometry_release(a);
        /* The kept definition makes the same geometry again. */
        ash_geometry_def again = *ash_geometry_get_definition(b);
        assert_int_equal(ash_geometry_create(&again, &a, NULL), ASH_OK);
        assert_true(ash_geometry_get_hash(a) == hashes[kind]);
        ash_geometry_release(a);
        ash_geometry_release(b);
    }
    ash_geometry_release(NULL);
    assert_null(ash_geometry_retain(NULL));
    assert_int_equal(ash_memory_used().blocks, blocks);
}

static void test_hash_sees_content(void **state)
{
    (void)state;
    ash_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    def.points = points;
    def.point_count = 4;
    ash_geometry *a, *b, *c;
    assert_int_equal(ash_geometry_create(&def, &a, NULL), ASH_OK);
    points[3].z = 1.0000000001;
    assert_int_equal(ash_geometry_create(&def, &b, NULL), ASH_OK);
    points[3] = v3(-0.0, 0, 1); /* equal numbers, other bits; fields that do not count */
    def.radius = 77;
    assert_int_equal(ash_geometry_create(&def, &c, NULL), ASH_OK);
    assert_true(ash_geometry_get_hash(a) != ash_geometry_get_hash(b));
    assert_true(ash_geometry_get_hash(a) == ash_geometry_get_hash(c));
    assert_near(ash_geometry_get_definition(a)->points[3].z, 1, 0); /* a copy */
    ash_geometry_release(a);
    ash_geometry_release(b);
    ash_geometry_release(c);
}

static void *retain_and_release(void *data)
{
    for (int i = 0; i < 20000; i++) {
        ash_geometry_retain(data);
        ash_geometry_release(data);
    }
    ash_geometry_release(data); /* the reference it was started with */
    return NULL;
}

/* Threads share a geometry; whichever is last releases it, once. */
static void test_references_from_threads(void **state)
{
    (void)state;
    uint64_t blocks = ash_memory_used().blocks;
    ash_geometry *geometry;
    assert_int_equal(create_sample(ASH_GEOMETRY_COMPOUND, &geometry, NULL), ASH_OK);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, retain_and_release, ash_geometry_retain(geometry)), 0);
    ash_geometry_release(geometry);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(ash_memory_used().blocks, blocks);
}

/* Every allocation of every creation fails in turn: out of memory is reported and nothing is left behind. */
static void test_allocation_faults(void **state)
{
    (void)state;
    uint64_t blocks = ash_memory_used().blocks;
    for (int kind = 0; kind < ASH_GEOMETRY_KINDS; kind++)
        for (int for_good = 0; for_good < 2; for_good++)
            for (uint64_t k = 1;; k++) {
                ash_geometry *geometry = NULL;
                ash_diagnostic diagnostic = {0};
                ashi_alloc_fail_at(k, for_good != 0);
                ash_status status = create_sample(kind, &geometry, &diagnostic);
                uint64_t made = ashi_alloc_fail_at(0, false);
                if (status == ASH_OK) {
                    assert_true(made < k);
                    ash_geometry_release(geometry);
                }
                assert_int_equal(ash_memory_used().blocks, blocks);
                if (status == ASH_OK)
                    break;
                assert_int_equal(status, ASH_OUT_OF_MEMORY);
                assert_null(geometry);
                assert_true(k < 100);
            }
}

static void expect(const ash_geometry_def *def, const char *code, const char *part)
{
    ash_geometry *geometry = (ash_geometry *)&code;
    ash_diagnostic diagnostic = {0};
    uint64_t blocks = ash_memory_used().blocks;
    ash_status status = ash_geometry_create(def, &geometry, &diagnostic);
    if (status != ASH_BAD_DATA)
        fail_msg("status %d instead of %s", status, code);
    assert_null(geometry);
    assert_string_equal(diagnostic.code, code);
    if (strstr(diagnostic.message, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", diagnostic.message, part);
    assert_int_equal(ash_memory_used().blocks, blocks);
    assert_int_equal(ash_geometry_create(def, &geometry, NULL), ASH_BAD_DATA);
}

static void test_bad_sizes(void **state)
{
    (void)state;
    static const double bad[] = {0, -1, (double)NAN, (double)INFINITY};
    static const ash_geometry_kind round[] = {ASH_GEOMETRY_SPHERE, ASH_GEOMETRY_CAPSULE, ASH_GEOMETRY_CYLINDER,
                                              ASH_GEOMETRY_CONE,   ASH_GEOMETRY_CIRCLE,  ASH_GEOMETRY_FLAT_CAPSULE};
    for (int b = 0; b < 4; b++) {
        for (int i = 0; i < 6; i++) {
            ash_geometry_def def = ash_default_geometry_def(round[i]);
            def.radius = bad[b];
            expect(&def, "geometry.radius", ash_geometry_kind_name(round[i]));
            if (round[i] == ASH_GEOMETRY_SPHERE || round[i] == ASH_GEOMETRY_CIRCLE)
                continue;
            def = ash_default_geometry_def(round[i]);
            def.height = bad[b];
            expect(&def, "geometry.height", "height");
        }
        for (int axis = 0; axis < 3; axis++) {
            ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
            ((double *)&def.half_extents)[axis] = bad[b];
            expect(&def, "geometry.half-extents", "half extent");
            def.kind = ASH_GEOMETRY_ELLIPSOID;
            expect(&def, "geometry.half-extents", "semi-axis");
        }
    }
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    def.radius = 1e150;
    expect(&def, "geometry.size", "too large or too small");
    def.radius = 1e-150;
    expect(&def, "geometry.size", "too large or too small");
    def.kind = (ash_geometry_kind)77;
    expect(&def, "geometry.kind", "77");
    ash_geometry *geometry;
    assert_int_equal(ash_geometry_create(NULL, &geometry, NULL), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_geometry_create(&def, NULL, NULL), ASH_BAD_ARGUMENT);
}

static void test_bad_compounds(void **state)
{
    (void)state;
    ash_geometry *box, *circle, *nest;
    assert_int_equal(create_sample(ASH_GEOMETRY_BOX, &box, NULL), ASH_OK);
    assert_int_equal(create_sample(ASH_GEOMETRY_CIRCLE, &circle, NULL), ASH_OK);
    ash_geometry_part parts[2] = {{box, {{0, 0, 0}, {1, 0, 0, 0}}}, {circle, {{0, 0, 0}, {1, 0, 0, 0}}}};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_COMPOUND);
    expect(&def, "geometry.parts", "0 parts");
    def.part_count = 2;
    expect(&def, "geometry.parts", "no array");
    def.parts = parts;
    expect(&def, "compound.flat", "part 1");
    parts[1].geometry = NULL;
    expect(&def, "compound.null", "part 1");
    parts[1].geometry = box;
    parts[1].pose.rotation.w = 0.5;
    expect(&def, "compound.pose", "0.5");
    parts[1].pose = (ash_transform){{0, (double)NAN, 0}, {1, 0, 0, 0}};
    expect(&def, "compound.pose", "nan");
    parts[0] = (ash_geometry_part){circle, {{0, 0, 1}, {1, 0, 0, 0}}};
    def.part_count = 1;
    expect(&def, "compound.pose", "leaves the xy plane");

    nest = ash_geometry_retain(box);
    for (int depth = 0; depth < 16; depth++) {
        parts[0] = (ash_geometry_part){nest, {{0.1, 0, 0}, {1, 0, 0, 0}}};
        ash_geometry *outer;
        assert_int_equal(ash_geometry_create(&def, &outer, NULL), ASH_OK);
        ash_geometry_release(nest);
        nest = outer;
    }
    parts[0].geometry = nest;
    expect(&def, "compound.depth", "16");
    assert_near(ash_geometry_bounds(nest, ash_identity()).upper.x, 0.5 + 1.6, 1e-14);
    ash_geometry_release(nest);

    /* Twelve parts of which each has twelve, and so on: 12^6 in all are too many. */
    ash_geometry_part twelve[12];
    def.parts = twelve;
    def.part_count = 12;
    nest = ash_geometry_retain(box);
    for (int depth = 0; depth < 6; depth++) {
        for (int i = 0; i < 12; i++)
            twelve[i] = (ash_geometry_part){nest, ash_identity()};
        ash_geometry *outer = NULL;
        if (depth == 5)
            expect(&def, "compound.parts", "more than 1000000 parts");
        else
            assert_int_equal(ash_geometry_create(&def, &outer, NULL), ASH_OK);
        if (outer != NULL) {
            ash_geometry_release(nest);
            nest = outer;
        }
    }
    ash_geometry_release(nest);
    ash_geometry_release(box);
    ash_geometry_release(circle);
}

/* Arguments that make no sense have no effect. */
static void test_misuse_of_queries(void **state)
{
    (void)state;
    for (int kind = 0; kind < ASH_GEOMETRY_KINDS; kind++) {
        ash_geometry *geometry;
        assert_int_equal(create_sample(kind, &geometry, NULL), ASH_OK);
        double nan = (double)NAN, infinity = (double)INFINITY;
        assert_false(ash_geometry_ray(geometry, (ash_ray){{0, 0, 5}, {0, 0, 0}, 10}, NULL));
        assert_false(ash_geometry_ray(geometry, (ash_ray){{0, nan, 5}, {0, 0, -1}, 10}, NULL));
        assert_false(ash_geometry_ray(geometry, (ash_ray){{0, 0, 5}, {0, 0, infinity}, 10}, NULL));
        assert_false(ash_geometry_ray(geometry, (ash_ray){{0, 0, 5}, {0, 0, -1}, nan}, NULL));
        assert_false(ash_geometry_ray(geometry, (ash_ray){{0, 0, 5}, {0, 0, -1}, -1}, NULL));
        assert_true(isnan(ash_geometry_distance(geometry, v3(nan, 0, 0))));
        assert_near(ash_geometry_projected_area(geometry, v3(0, 0, 0)), 0, 0);
        assert_near(ash_geometry_projected_area(geometry, v3(nan, 0, 0)), 0, 0);
        assert_true(v3_is_finite(ash_geometry_support(geometry, v3(nan, 0, 0))));
        ash_geometry_release(geometry);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_references_and_hash),
        cmocka_unit_test(test_hash_sees_content),
        cmocka_unit_test(test_references_from_threads),
        cmocka_unit_test(test_allocation_faults),
        cmocka_unit_test(test_bad_sizes),
        cmocka_unit_test(test_bad_compounds),
        cmocka_unit_test(test_misuse_of_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
