/* Materials: rules, pairs, and that the table of laws says what the rules say. */
#include "check.h"

#include "base/random.h"
#include "model/materials.h"

#include <string.h>

static uint32_t add(ashi_materials *m, double friction, double sliding, double restitution, ash_combine rule)
{
    ash_material_def def = ash_default_material_def();
    def.surface = (ash_surface){friction, sliding, restitution, 0.1 * friction, 0.2 * restitution};
    def.friction_combine = rule;
    def.restitution_combine = rule;
    assert_int_equal(ashi_material_check(&def, NULL), ASH_OK);
    uint32_t slot = ashi_materials_add(m, &def);
    assert_true(slot != ASHI_NO_SLOT);
    return slot;
}

static bool same(ash_surface a, ash_surface b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void test_the_default(void **state)
{
    (void)state;
    ashi_materials m;
    assert_true(ashi_materials_create(&m));
    ash_surface s = ashi_materials_combine(&m, 0, 0);
    assert_true(same(s, (ash_surface){0.5, 0.5, 0, 0, 0}));
    ashi_materials_destroy(&m);
}

static void test_rules(void **state)
{
    (void)state;
    static const double friction[ASH_COMBINES] = {0.5, 0.4, 0.2, 0.16, 0.8};
    static const double sliding[ASH_COMBINES] = {0.25, 0.2, 0.1, 0.04, 0.4};
    static const double restitution[ASH_COMBINES] = {0.5, 0.3, 0.1, 0.09, 0.9};
    for (int rule = 0; rule < ASH_COMBINES; rule++) {
        ashi_materials m;
        assert_true(ashi_materials_create(&m));
        uint32_t a = add(&m, 0.2, 0.1, 0.9, (ash_combine)rule), b = add(&m, 0.8, 0.4, 0.1, (ash_combine)rule);
        ash_surface s = ashi_materials_combine(&m, a, b);
        assert_near(s.friction, friction[rule], 1e-15);
        assert_near(s.sliding_friction, sliding[rule], 1e-15);
        assert_near(s.restitution, restitution[rule], 1e-15);
        assert_near(s.rolling, 0.08, 1e-15); /* the larger, whatever the rule */
        assert_near(s.spinning, 0.18, 1e-15);
        assert_true(same(s, ashi_materials_combine(&m, b, a)));
        ashi_materials_destroy(&m);
    }
}

static void test_the_later_rule_wins(void **state)
{
    (void)state;
    for (int one = 0; one < ASH_COMBINES; one++)
        for (int other = 0; other < ASH_COMBINES; other++) {
            ashi_materials m, both;
            assert_true(ashi_materials_create(&m) && ashi_materials_create(&both));
            ash_combine later = (ash_combine)(one > other ? one : other);
            uint32_t a = add(&m, 0.3, 0.2, 0.7, (ash_combine)one), b = add(&m, 0.6, 0.5, 0.2, (ash_combine)other);
            uint32_t c = add(&both, 0.3, 0.2, 0.7, later), d = add(&both, 0.6, 0.5, 0.2, later);
            assert_true(same(ashi_materials_combine(&m, a, b), ashi_materials_combine(&both, c, d)));
            ashi_materials_destroy(&m);
            ashi_materials_destroy(&both);
        }
}

/* A surface on one of its own kind has its own coefficients, to the last bit, unless the rule multiplies. */
static void test_a_material_on_itself(void **state)
{
    (void)state;
    ashi_random random = {11};
    ashi_materials m;
    assert_true(ashi_materials_create(&m));
    for (int i = 0; i < 1000; i++) {
        double friction = ashi_random_range(&random, 0, 2), restitution = ashi_random_range(&random, 0, 1);
        ash_combine rule = (ash_combine)ashi_random_below(&random, ASH_COMBINE_MULTIPLY);
        uint32_t slot = add(&m, friction, 0.5 * friction, restitution, rule);
        ash_surface s = ashi_materials_combine(&m, slot, slot);
        assert_true(s.friction == friction && s.sliding_friction == 0.5 * friction && s.restitution == restitution);
        ashi_materials_remove(&m, slot);
    }
    ashi_materials_destroy(&m);
}

/* More materials than the table covers, the second half equal to the first: laws agree across the border, through
 * changes, pairs and removals. */
static void test_beyond_the_table(void **state)
{
    (void)state;
    enum { HALF = 150 };
    ashi_random random = {5};
    ashi_materials m;
    uint32_t slots[2 * HALF];
    assert_true(ashi_materials_create(&m));
    for (int i = 0; i < HALF; i++) {
        double friction = ashi_random_range(&random, 0, 1), e = ashi_random_range(&random, 0, 1);
        slots[i] = add(&m, friction, 0.8 * friction, e, (ash_combine)ashi_random_below(&random, ASH_COMBINES));
    }
    for (int i = 0; i < HALF; i++) {
        const ashi_material_entry *twin = &m.entries.data[slots[i]];
        slots[HALF + i] = add(&m, twin->surface.friction, twin->surface.sliding_friction, twin->surface.restitution,
                              twin->friction_combine);
    }
    ash_surface own = {0.11, 0.1, 0.2, 0.3, 0.4};
    for (int k = 0; k < 40; k++) {
        uint32_t i = ashi_random_below(&random, HALF), j = ashi_random_below(&random, HALF);
        own.friction = 0.2 + 0.01 * k;
        assert_true(ashi_materials_set_pair(&m, slots[j], slots[i], &own));
        assert_true(ashi_materials_set_pair(&m, slots[HALF + i], slots[HALF + j], &own));
        assert_true(same(ashi_materials_combine(&m, slots[i], slots[j]), own));
    }
    assert_true(ashi_materials_are_consistent(&m));
    for (int i = 0; i < HALF; i++)
        for (int j = 0; j < HALF; j++)
            assert_true(same(ashi_materials_combine(&m, slots[i], slots[j]),
                             ashi_materials_combine(&m, slots[HALF + i], slots[HALF + j])));
    ashi_materials_destroy(&m);
}

static void test_changes_reach_the_table(void **state)
{
    (void)state;
    ashi_materials m;
    assert_true(ashi_materials_create(&m));
    uint32_t a = add(&m, 0.4, 0.4, 0, ASH_COMBINE_MAXIMUM), b = add(&m, 0.1, 0.1, 0, ASH_COMBINE_AVERAGE);
    assert_near(ashi_materials_combine(&m, a, b).friction, 0.4, 0);
    ash_material_def def = ash_default_material_def();
    def.name = "ice";
    def.surface.friction = 0.7;
    assert_true(ashi_materials_set(&m, a, &def));
    assert_near(ashi_materials_combine(&m, b, a).friction, sqrt(0.7 * 0.1), 0);
    assert_near(ashi_materials_combine(&m, b, a).sliding_friction, sqrt(0.7 * 0.1), 0);
    ash_surface own = {0.9, -1, 1, 0, 0};
    assert_true(ashi_materials_set_pair(&m, b, a, &own));
    assert_near(ashi_materials_combine(&m, a, b).sliding_friction, 0.9, 0);
    assert_true(ashi_materials_set_pair(&m, a, a, &own));
    assert_near(ashi_materials_combine(&m, a, a).restitution, 1, 0);
    assert_true(ashi_materials_clear_pair(&m, a, b));
    assert_false(ashi_materials_clear_pair(&m, a, b));
    assert_near(ashi_materials_combine(&m, a, b).friction, sqrt(0.7 * 0.1), 0);
    /* Its successor in the slot has none of the removed one's pairs. */
    ashi_materials_remove(&m, a);
    assert_int_equal(m.pairs.count, 0);
    assert_int_equal(add(&m, 0.3, 0.3, 0, ASH_COMBINE_MINIMUM), a);
    assert_near(ashi_materials_combine(&m, a, a).restitution, 0, 0);
    assert_near(ashi_materials_combine(&m, a, b).friction, 0.1, 0);
    ashi_materials_destroy(&m);
}

static void test_checks(void **state)
{
    (void)state;
    const double nan = (double)NAN, infinity = (double)INFINITY;
    const ash_surface wrong[] = {{-0.1, -1, 0, 0, 0},       {nan, -1, 0, 0, 0},       {infinity, -1, 0, 0, 0},
                                 {2e12, -1, 0, 0, 0},       {0.5, 0.6, 0, 0, 0},      {0.5, nan, 0, 0, 0},
                                 {0.5, -infinity, 0, 0, 0}, {0.5, -1, -0.1, 0, 0},    {0.5, -1, 1.1, 0, 0},
                                 {0.5, -1, nan, 0, 0},      {0.5, -1, 0, -1, 0},      {0.5, -1, 0, nan, 0},
                                 {0.5, -1, 0, 0, -0.1},     {0.5, -1, 0, 0, infinity}};
    ash_material_def def = ash_default_material_def();
    ash_diagnostic d;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        def.surface = wrong[i];
        assert_int_equal(ashi_material_check(&def, &d), ASH_BAD_DATA);
        assert_string_equal(d.code, "material.range");
        assert_true(d.expected[0] != 0);
    }
    def = ash_default_material_def();
    def.friction_combine = ASH_COMBINES;
    assert_int_equal(ashi_material_check(&def, &d), ASH_BAD_DATA);
    assert_string_equal(d.code, "material.combine");
    def = ash_default_material_def();
    def.density = -1;
    assert_int_equal(ashi_material_check(&def, &d), ASH_BAD_DATA);
    def.density = 0;
    def.surface = (ash_surface){1e12, 0, 1, 0, 0};
    assert_int_equal(ashi_material_check(&def, &d), ASH_OK);
    assert_string_equal(ash_combine_name(ASH_COMBINE_GEOMETRIC), "geometric");
    assert_string_equal(ash_combine_name(ASH_COMBINES), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_default),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_the_later_rule_wins),
        cmocka_unit_test(test_a_material_on_itself),
        cmocka_unit_test(test_beyond_the_table),
        cmocka_unit_test(test_changes_reach_the_table),
        cmocka_unit_test(test_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
