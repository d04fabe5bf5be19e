/* The generator: the same seed gives the same world, every family makes worlds that exist, and what is written reads
 * back to the same course. Copies in other words are what they claim to be; a smaller world still fails. */
#include "check.h"

#include "copy.h"
#include "law.h"
#include "shrink.h"

#include "math/quat.h"

#include <string.h>

static char *text_of(const ash_scene *scene)
{
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(ash_scene_write(scene, &text, &size, NULL), ASH_OK);
    return text;
}

static void seeds_repeat(void **state)
{
    (void)state;
    for (law_family family = 0; family < FAMILIES; family++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            ash_scene *a = law_generate(family, seed), *b = law_generate(family, seed), *read = NULL;
            char *first = text_of(a), *second = text_of(b);
            assert_string_equal(first, second);
            assert_int_equal(ash_scene_parse(first, strlen(first), "text", &read, NULL), ASH_OK);
            law_course here, there;
            assert_true(law_course_run(a, &here, NULL));
            assert_true(law_course_run(read, &there, NULL));
            assert_below(here.joint_error, 1e-9);
            assert_below(here.penetration, 1e-9);
            assert_int_equal(here.steps, there.steps);
            ash_vec3 off = v3_sub(here.instants[here.steps].momentum, there.instants[there.steps].momentum);
            if (v3_norm(off) > 1e-9) /* rotations of a compound's parts are made unit again when they are read */
                fail_msg("%s moves differently when read back: momentum off by %g", a->name, v3_norm(off));
            law_course_release(&here);
            law_course_release(&there);
            ash_free(first);
            ash_free(second);
            ash_scene_destroy(a);
            ash_scene_destroy(b);
            ash_scene_destroy(read);
        }
}

/* Every kind of joint and solid that a family can have is in some world. */
static void worlds_have_all_kinds(void **state)
{
    (void)state;
    uint32_t joints = 0, shapes = 0, drives = 0;
    for (uint64_t seed = 1; seed <= 300; seed++)
        for (law_family family = FAMILY_FREE; family <= FAMILY_MIXED; family++) {
            ash_scene *scene = law_generate(family, seed);
            for (uint32_t i = 0; i < scene->joints.count; i++) {
                joints |= 1u << scene->joints.data[i].def.kind;
                for (int k = 0; k < ASH_FREEDOMS; k++)
                    drives |= 1u << scene->joints.data[i].def.axes[k].motor.drive;
            }
            for (uint32_t i = 0; i < scene->geometries.count; i++)
                shapes |= 1u << ash_geometry_get_definition(scene->geometries.data[i].geometry)->kind;
            ash_scene_destroy(scene);
        }
    assert_int_equal(joints, (1u << ASH_JOINT_KINDS) - 1);
    assert_int_equal(drives, (1u << ASH_DRIVES) - 1);
    assert_int_equal(shapes | 1u << ASH_GEOMETRY_DISTANCE_FIELD, (1u << ASH_GEOMETRY_KINDS) - 1);
}

/* Units there and back give the same world: powers of two do not round. */
static void changes_can_be_undone(void **state)
{
    (void)state;
    for (law_family family = 0; family < FAMILIES; family++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            ash_scene *scene = law_generate(family, seed);
            law_change there = law_no_change(), back = law_no_change();
            there.length = 4, there.mass = 0.5, there.time = 8;
            back.length = 0.25, back.mass = 2, back.time = 0.125;
            ash_scene *scaled = law_copy(scene, &there);
            if (scaled == NULL) { /* a mesh or a height field */
                ash_scene_destroy(scene);
                continue;
            }
            ash_scene *same = law_copy(scaled, &back);
            for (uint32_t i = 0; i < scene->bodies.count; i++) {
                const ash_body_def *a = &scene->bodies.data[i].def, *b = &same->bodies.data[i].def;
                assert_true(v3_distance(a->position, b->position) == 0);
                assert_true(v3_distance(a->angular_velocity, b->angular_velocity) == 0);
            }
            assert_true(scene->step == same->step && scene->time == same->time);
            ash_scene_destroy(scaled);
            ash_scene_destroy(same);
            ash_scene_destroy(scene);
        }
}

/* Explicit Euler does not keep the angular momentum of a body that tumbles: the smallest such world is one body. */
static void smaller_worlds_still_fail(void **state)
{
    (void)state;
    uint64_t seed = 1;
    law_verdict verdict = {0};
    ash_scene *scene = NULL;
    for (; !law_fails(&verdict); seed++) {
        law_case one;
        ash_scene_destroy(scene);
        scene = law_generate(FAMILY_FREE, seed);
        assert_int_equal(ash_method_find("explicit-euler", &scene->method, NULL), ASH_OK);
        assert_true(law_case_begin(scene, &one, NULL));
        verdict = law_judge(LAW_MOMENTUM, &one);
        law_case_end(&one);
        assert_true(seed < 100);
    }
    scene = law_shrink(scene, LAW_MOMENTUM);
    assert_int_equal(scene->bodies.count, 1);
    assert_non_null(strstr(scene->summary, "law momentum"));
    law_case one;
    assert_true(law_case_begin(scene, &one, NULL));
    verdict = law_judge(LAW_MOMENTUM, &one);
    assert_true(law_fails(&verdict));
    law_case_end(&one);
    ash_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_repeat),
        cmocka_unit_test(worlds_have_all_kinds),
        cmocka_unit_test(changes_can_be_undone),
        cmocka_unit_test(smaller_worlds_still_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
