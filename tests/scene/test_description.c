/* The description as a container, and the words of its enums. */
#include "check.h"

#include "scene/description/names.h"

#include <string.h>

static ash_scene *make(void)
{
    ash_scene *scene;
    assert_int_equal(ashi_scene_create("test", &scene, NULL), ASH_OK);
    return scene;
}

static void strings_and_tables_are_copied(void **state)
{
    (void)state;
    ash_scene *scene = make();
    char name[] = "name";
    double times[] = {0, 1}, values[] = {2, 3};
    ashi_scene_force force = {.kind = ASH_FORCE_LOAD, .def.load = ash_default_load_def()};
    force.def.load.name = name;
    force.def.load.signal = (ash_signal){ASH_SIGNAL_TABLE, 0, 0, times, values, 2};
    assert_int_equal(ashi_scene_add_force(scene, &force), 0);
    ash_material_def matter = ash_default_material_def();
    matter.name = name;
    assert_int_equal(ashi_scene_add_material(scene, &matter), 0);
    assert_string_equal(ashi_scene_text(scene, "%s %d", name, 7), "name 7");
    memset(name, 'x', 4);
    times[1] = values[1] = 9;
    const ash_load_def *load = &scene->forces.data[0].def.load;
    assert_string_equal(load->name, "name");
    assert_true(load->signal.times[1] == 1 && load->signal.values[1] == 3);
    assert_string_equal(scene->materials.data[0].name, "name");
    ash_scene_destroy(scene);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void misuse_is_told_at_the_end(void **state)
{
    (void)state;
    ash_scene *scene = make();
    ash_body_def def = ash_default_body_def();
    uint32_t first = ashi_scene_add_body(scene, &def);
    ashi_scene_add_body(scene, &def);
    assert_int_equal(ashi_scene_finish(scene, NULL), ASH_OK);
    ashi_scene_shape shape = {.material = ASHI_NONE, .pose = ash_identity()};
    assert_int_equal(ashi_scene_add_shape(scene, first, &shape), ASHI_NONE); /* not the last body */
    assert_int_equal(ashi_scene_finish(scene, NULL), ASH_BAD_ARGUMENT);
    ash_scene_destroy(scene);
    scene = make();
    assert_int_equal(ashi_scene_add_force(scene, &(ashi_scene_force){.kind = ASH_FORCE_CALLBACK}), ASHI_NONE);
    assert_int_equal(ashi_scene_finish(scene, NULL), ASH_BAD_ARGUMENT);
    ash_scene_destroy(scene);
}

static void running_out_of_memory_is_told_at_the_end(void **state)
{
    (void)state;
    ash_scene *scene = make();
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_geometry *ball;
    assert_int_equal(ash_geometry_create(&def, &ball, NULL), ASH_OK);
    ashi_alloc_fail_at(1, true);
    assert_int_equal(ashi_scene_add_geometry(scene, NULL, ball), ASHI_NONE); /* and the ball is released */
    ashi_alloc_fail_at(0, false);
    ash_material_def matter = ash_default_material_def();
    assert_int_equal(ashi_scene_add_material(scene, &matter), 0);
    ash_diagnostic diagnostic;
    assert_int_equal(ashi_scene_finish(scene, &diagnostic), ASH_OUT_OF_MEMORY);
    assert_int_equal(diagnostic.status, ASH_OUT_OF_MEMORY);
    ash_scene_destroy(scene);
    assert_int_equal(ash_memory_used().blocks, 0);
}

/* The tables are in the order of their enums, and agree with the names that other parts of the library give. */
static void words_fit_their_enums(void **state)
{
    (void)state;
    ashi_words kinds = ashi_geometry_kind_words();
    assert_int_equal(kinds.count, ASHI_SCENE_KINDS);
    for (uint32_t i = 0; i < ASH_GEOMETRY_KINDS; i++)
        assert_string_equal(kinds.list[i], ash_geometry_kind_name((ash_geometry_kind)i));
    ashi_words forces = ashi_force_kind_words();
    assert_int_equal(forces.count, ASH_FORCE_CALLBACK);
    for (uint32_t i = 0; i < forces.count; i++)
        assert_string_equal(forces.list[i], ash_force_kind_name((ash_force_kind)i));
    ashi_words joints = ashi_joint_kind_words(), freedoms = ashi_freedom_words(), drives = ashi_drive_words();
    for (uint32_t i = 0; i < ASH_JOINT_KINDS; i++)
        assert_string_equal(joints.list[i], ash_joint_kind_name((ash_joint_kind)i));
    for (uint32_t i = 0; i < ASH_FREEDOMS; i++)
        assert_string_equal(freedoms.list[i], ash_freedom_name((ash_freedom)i));
    for (uint32_t i = 0; i < ASH_DRIVES; i++)
        assert_string_equal(drives.list[i], ash_drive_name((ash_drive)i));
    assert_int_equal(ashi_piston_words().count, ASH_PISTONS);
    for (uint32_t i = 0; i < ashi_frame_words().count; i++)
        assert_string_equal(ashi_frame_name(ashi_frame_of_word(i)), ashi_frame_words().list[i]);
    assert_int_equal(ashi_frame_of_word(ashi_frame_words().count - 1), ASH_FRAME_JOINT_B);
    assert_int_equal(ashi_owner_words().count, ASHI_OF_WORLD);
    uint32_t total = 0;
    for (ashi_owner owner = ASHI_OF_BODY; owner <= ASHI_OF_WORLD; owner++) {
        ashi_words words = ashi_quantity_words(owner);
        for (uint32_t i = 0; i < words.count; i++, total++) {
            ashi_quantity quantity = (ashi_quantity)(ashi_owner_first_quantity(owner) + i);
            assert_int_equal(quantity, total);
            assert_int_equal(ashi_quantity_owner(quantity), owner);
            assert_string_equal(ashi_quantity_name(quantity), words.list[i]);
            assert_true(strlen(ashi_output_unit(&(ashi_scene_output){.quantity = quantity})) > 0);
            assert_int_equal(ashi_word_find(words, words.list[i]), i);
        }
    }
    assert_int_equal(total, ASHI_QUANTITIES);
    assert_int_equal(ashi_word_find(kinds, "cube"), ASHI_NONE);
    assert_int_equal(ashi_reduction_words().count, ASHI_REDUCTIONS);
    assert_int_equal(ashi_body_type_words().count, ASH_BODY_TYPES);
    assert_string_equal(ashi_reduction_name(ASHI_MAX_ABS), "max-abs");
    for (uint32_t i = 0; i < ASH_COMBINES; i++)
        assert_string_equal(ashi_combine_words().list[i], ash_combine_name((ash_combine)i));
    assert_string_equal(ashi_component_name(ASHI_NORM), "norm");
    assert_string_equal(ashi_component_name(ASHI_SCALAR), "");
    assert_string_equal(ashi_output_unit(&(ashi_scene_output){.quantity = ASHI_FORCE_TENSION}), "N");
    ashi_scene_output turning = {.quantity = ASHI_JOINT_RATE, .freedom = ASH_TURN_X};
    assert_string_equal(ashi_output_unit(&turning), "rad/s");
    turning.freedom = ASH_MOVE_X;
    assert_string_equal(ashi_output_unit(&turning), "m/s");
    assert_true(ashi_quantity_is_vector(ASHI_WORLD_MOMENTUM) && !ashi_quantity_is_vector(ASHI_WORLD_KINETIC));
}

static void word_lists_read_as_sentences(void **state)
{
    (void)state;
    char text[40], small[8];
    assert_string_equal(ashi_words_text(ashi_body_type_words(), text, sizeof text),
                        "\"dynamic\", \"static\" or \"kinematic\"");
    assert_string_equal(ashi_words_text(ashi_body_type_words(), small, sizeof small), "...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_and_tables_are_copied),
        cmocka_unit_test(misuse_is_told_at_the_end),
        cmocka_unit_test(running_out_of_memory_is_told_at_the_end),
        cmocka_unit_test(words_fit_their_enums),
        cmocka_unit_test(word_lists_read_as_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
