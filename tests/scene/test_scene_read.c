/* The reader on the example files: valid ones are read, invalid ones give exactly the diagnostic beside them. */
#define _POSIX_C_SOURCE 200809L
#include "example_files.h"

#include "scene/description/description.h"

static void read_valid(const char *path)
{
    size_t size;
    char *text = read_text_file(path, &size);
    ash_scene *scene;
    ash_diagnostic diagnostic;
    if (ash_scene_parse(text, size, base_name(path), &scene, &diagnostic) != ASH_OK) {
        char line[1200];
        fail_msg("%s", ash_diagnostic_text(&diagnostic, line, sizeof line));
    }
    ash_scene_destroy(scene);
    free(text);
}

static void valid_examples_are_read(void **state)
{
    (void)state;
    for_each_file(EXAMPLES "valid/*.json", 8, read_valid);
    for_each_file(EXAMPLE_SCENES "*.json", 3, read_valid);
    assert_int_equal(ash_memory_used().blocks, 0);
}

/* The .txt beside an example: the status, the code, then the line that people see. */
static void refuse_invalid(const char *path)
{
    size_t size, expected_size;
    char *text = read_text_file(path, &size);
    char expected_path[1024], found[1400], line[1200];
    snprintf(expected_path, sizeof expected_path, "%.*s.txt", (int)(strlen(path) - 5), path);
    char *expected = read_text_file(expected_path, &expected_size);
    ash_scene *scene;
    ash_diagnostic diagnostic = {0};
    ash_status status = ash_scene_parse(text, size, base_name(path), &scene, &diagnostic);
    assert_null(scene);
    assert_int_equal(status, diagnostic.status);
    snprintf(found, sizeof found, "%s, %s\n%s\n", ash_status_text(status), diagnostic.code,
             ash_diagnostic_text(&diagnostic, line, sizeof line));
    assert_string_equal(found, expected);
    free(text);
    free(expected);
}

static void invalid_examples_are_refused(void **state)
{
    (void)state;
    for_each_file(EXAMPLES "invalid/*.json", 60, refuse_invalid);
    for_each_file(EXAMPLES "beyond-schema/*.json", 25, refuse_invalid);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static ash_scene *parse(const char *text)
{
    ash_scene *scene;
    ash_diagnostic diagnostic;
    char line[1200];
    if (ash_scene_parse(text, strlen(text), "dir/some scene.json", &scene, &diagnostic) != ASH_OK)
        fail_msg("%s", ash_diagnostic_text(&diagnostic, line, sizeof line));
    return scene;
}

static void defaults_hold_for_what_is_left_out(void **state)
{
    (void)state;
    ash_scene *scene = parse("{\"ashlar\": 1, \"bodies\": [{}]}");
    assert_string_equal(ash_scene_get_name(scene), "some scene");
    assert_string_equal(ash_scene_get_summary(scene), "");
    assert_string_equal(ash_scene_get_method(scene).name, "realtime");
    assert_true(ash_scene_get_step(scene) == 0.01 && ash_scene_get_time(scene) == 1);
    assert_true(scene->gravity.x == 0 && scene->gravity.y == 0 && scene->gravity.z == -9.81);
    ash_body_def def = scene->bodies.data[0].def, usual = ash_default_body_def();
    assert_true(def.type == usual.type && def.mass == 0 && def.gravity_scale == usual.gravity_scale);
    ash_scene_destroy(scene);
    scene = parse("{\"ashlar\": 1, \"world\": {\"planar\": true}}");
    assert_true(scene->gravity.x == 0 && scene->gravity.y == -9.81 && scene->gravity.z == 0);
    ash_scene_destroy(scene);
}

static void values_arrive_where_they_belong(void **state)
{
    (void)state;
    size_t size;
    char *text = read_text_file(EXAMPLES "valid/forces.json", &size);
    ash_scene *scene = parse(text);
    free(text);
    assert_string_equal(scene->method.name, "custom");
    assert_int_equal(scene->method.integrator, ASH_RK4);
    assert_int_equal(scene->method.max_iterations, 50);
    assert_true(scene->method.tolerance == 1e-8);
    const ashi_scene_body *bodies = scene->bodies.data;
    assert_true(bodies[1].def.centre.z == 0.1 && bodies[1].def.inertia.yy == 0.5 && bodies[1].def.velocity.y == 1);
    assert_true(bodies[2].def.inertia.xz == -0.1 && bodies[2].def.inertia.yz == 0.05);
    assert_int_equal(bodies[2].def.locks, ASH_LOCK_X | ASH_LOCK_ROTATION_Z);
    assert_int_equal(bodies[3].def.locks, ASH_LOCK_Y | ASH_LOCK_Z | ASH_LOCK_ROTATION);
    const ashi_scene_force *forces = scene->forces.data;
    assert_int_equal(forces[0].def.spring.body_a.id, 0);
    assert_int_equal(forces[0].def.spring.body_b.id, 1);
    assert_true(forces[0].def.spring.tension_only && forces[0].def.spring.rest_length == 0.8);
    assert_true(forces[1].def.spring.rest_length < 0);
    assert_int_equal(forces[2].def.angular_spring.body_b.id, 3);
    assert_near(forces[2].def.angular_spring.rest_rotation.z, -sqrt(0.5), 1e-15);
    assert_true(forces[3].def.drag.mask.y == 0.5 && forces[3].def.drag.wind.x == 3);
    assert_true(forces[4].def.pull.max_force == 5 && forces[5].def.load.stop == 0.7);
    assert_true(forces[6].disabled && forces[6].def.load.signal.phase == 0.5);
    assert_int_equal(forces[7].def.load.signal.count, 3);
    assert_true(forces[9].def.bending_spring.body_a.id == 0 && forces[9].def.bending_spring.body_c.id == 2);
    assert_true(forces[9].def.bending_spring.rest_angle < 0 && forces[10].def.bending_spring.rest_angle == 0.5);
    assert_true(signbit(forces[7].def.load.signal.values[2]));
    assert_int_equal(scene->outputs.data[7].quantity, ASHI_FORCE_TENSION);
    assert_int_equal(scene->outputs.data[22].quantity, ASHI_WORLD_REMAINDER);
    assert_int_equal(scene->checks.data[2].output, 7);
    assert_true(scene->checks.data[2].from == 0.25 && scene->checks.data[2].until == 0.5);
    assert_int_equal(scene->checks.data[3].reduction, ASHI_MAX_ABS);
    assert_true(scene->checks.data[3].from == 0 && scene->checks.data[3].until == 0);
    ash_scene_destroy(scene);
}

static void values_of_joints_arrive_where_they_belong(void **state)
{
    (void)state;
    size_t size;
    char *text = read_text_file(EXAMPLES "valid/joints.json", &size);
    ash_scene *scene = parse(text);
    free(text);
    const ashi_scene_joint *joints = scene->joints.data;
    const ash_joint_axis *turn = &joints[0].def.axes[ASH_TURN_X];
    assert_int_equal(joints[0].def.kind, ASH_JOINT_HINGE);
    assert_true(joints[0].def.body_a.id == 1 && joints[0].def.body_b.id == 2);
    assert_true(turn->lower == -1.5 && turn->upper == 2 && turn->friction == 0.1);
    assert_true(turn->stiffness == 3 && turn->damping == 0.2 && turn->rest == 0.1);
    assert_true(turn->motor.drive == ASH_DRIVE_VELOCITY && turn->motor.target == 2 && turn->motor.max_force == 5);
    assert_true(turn->motor.signal.kind == ASH_SIGNAL_HARMONIC && turn->motor.signal.rate == 2);
    assert_true(isinf(joints[0].def.axes[ASH_MOVE_X].upper) && joints[0].def.axes[ASH_MOVE_X].motor.drive == 0);
    assert_true(joints[1].def.cone == 0.7 && joints[1].def.break_force == 1000 && joints[1].def.break_torque == 50);
    assert_true(joints[1].def.collide && !joints[0].def.collide);
    assert_true(joints[2].def.compliance == 1e-9 && joints[2].def.angular_compliance == 1e-8);
    assert_true(joints[2].def.frame_a.position.y == 3 && joints[2].def.body_a.id == 0);
    assert_int_equal(joints[2].def.axes[ASH_MOVE_X].motor.signal.count, 3);
    assert_int_equal(joints[3].def.removed,
                     ASH_FREEDOM_BIT(ASH_MOVE_Y) | ASH_FREEDOM_BIT(ASH_MOVE_Z) | ASH_FREEDOM_BIT(ASH_TURN_Z));
    const ash_joint_motor *servo = &joints[3].def.axes[ASH_MOVE_X].motor;
    assert_true(servo->proportional == 100 && servo->integral == 5 && servo->derivative == 10);
    assert_true(joints[5].disabled && !joints[3].disabled);
    const ashi_scene_output *outputs = scene->outputs.data;
    assert_true(outputs[0].quantity == ASHI_JOINT_POSITION && outputs[0].freedom == ASH_TURN_X);
    assert_true(outputs[5].frame == ASH_FRAME_BODY_B && outputs[5].component == ASHI_Z && outputs[5].object == 1);
    assert_true(outputs[7].frame == ASH_FRAME_JOINT_B && outputs[7].quantity == ASHI_JOINT_TORQUE);
    const ashi_scene_event *events = scene->events.data;
    /* What is left out of a motor is as the joint has it. */
    assert_true(events[0].motor_target == -1 && events[0].max_force == 5 && events[0].drive == ASH_DRIVE_VELOCITY);
    assert_true(events[1].fields == (ASHI_SET_ENABLED | ASHI_SET_MOTOR) && events[1].freedom == ASH_MOVE_X);
    assert_true(events[4].kind == ASHI_EVENT_REMOVE && events[4].owner == ASHI_OF_JOINT && events[4].object == 6);
    ash_scene_destroy(scene);
}

/* Of the kinds with numbers of their own. */
static void values_of_special_joints_arrive_where_they_belong(void **state)
{
    (void)state;
    size_t size;
    char *text = read_text_file(EXAMPLES "valid/documented-joints.json", &size);
    ash_scene *scene = parse(text);
    free(text);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < scene->joints.count; i++) {
        const ash_joint_def *def = &scene->joints.data[i].def;
        seen |= 1u << def->kind;
        if (def->kind == ASH_JOINT_ROPE)
            assert_true(def->length == 0.8);
        if (def->kind == ASH_JOINT_DISTANCE)
            assert_true(def->length < 0);
        if (def->kind == ASH_JOINT_SCREW)
            assert_true(def->pitch == 0.01);
        if (def->kind == ASH_JOINT_GEAR)
            assert_true(def->radius_a == 0.1 && def->radius_b == 0.2);
        if (def->kind == ASH_JOINT_PULLEY)
            assert_true(def->hang_a.y == 18 && def->hang_b.y == 19);
        if (def->kind == ASH_JOINT_PATH)
            assert_true(def->path_count == 4 && def->path_closed && def->path[3].z == 0.6);
        if (def->kind == ASH_JOINT_HYDRAULIC)
            assert_true(def->min_length == 0.8 && def->max_length == 1.6 && def->speed == 0.3 && def->max_force == 400);
    }
    assert_int_equal(seen, (1u << ASH_JOINT_KINDS) - 1); /* the example has all of them */
    ash_scene_destroy(scene);
}

static void quaternions_become_units(void **state)
{
    (void)state;
    ash_scene *scene = parse("{\"ashlar\": 1, \"bodies\": [{\"rotation\": [3, 0, 4, 0]},"
                             "{\"rotation\": {\"axis\": [0, 0, 5], \"degrees\": 60}}]}");
    ash_quat a = scene->bodies.data[0].def.rotation, b = scene->bodies.data[1].def.rotation;
    assert_near(a.w, 0.6, 1e-15);
    assert_near(a.y, 0.8, 1e-15);
    assert_near(b.w, sqrt(0.75), 1e-15);
    assert_near(b.z, 0.5, 1e-15);
    ash_scene_destroy(scene);
}

static void null_arguments_are_misuse(void **state)
{
    (void)state;
    ash_scene *scene;
    assert_int_equal(ash_scene_parse(NULL, 1, NULL, &scene, NULL), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_scene_parse("{}", 2, NULL, NULL, NULL), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_scene_parse(NULL, 0, NULL, &scene, NULL), ASH_BAD_DATA);
    assert_int_equal(ash_scene_parse("{}", 2, NULL, &scene, NULL), ASH_BAD_DATA);
    ash_scene_destroy(NULL);
}

/* Deep nesting and a few lines that stand for a huge number of parts. */
static void small_files_cannot_ask_for_the_moon(void **state)
{
    (void)state;
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "{\"ashlar\": 1, \"shapes\": {\"s0\": {\"kind\": \"sphere\", "
                                   "\"radius\": 1}");
    for (int i = 1; i <= 20; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 ", \"s%d\": {\"kind\": \"compound\", \"parts\": [{\"shape\": \"s%d\"}, {\"shape\": "
                                 "\"s%d\", \"position\": [9, 9, 9]}]}",
                                 i, i - 1, i - 1);
    snprintf(text + used, sizeof text - used, "}}");
    ash_scene *scene;
    ash_diagnostic diagnostic;
    assert_int_equal(ash_scene_parse(text, strlen(text), "", &scene, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "scene.value");
    assert_string_equal(diagnostic.path, "/shapes/s17/parts");
    memset(text, '[', sizeof text);
    assert_int_equal(ash_scene_parse(text, sizeof text, "", &scene, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "scene.syntax");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_examples_are_read),
        cmocka_unit_test(invalid_examples_are_refused),
        cmocka_unit_test(defaults_hold_for_what_is_left_out),
        cmocka_unit_test(values_arrive_where_they_belong),
        cmocka_unit_test(values_of_joints_arrive_where_they_belong),
        cmocka_unit_test(values_of_special_joints_arrive_where_they_belong),
        cmocka_unit_test(quaternions_become_units),
        cmocka_unit_test(null_arguments_are_misuse),
        cmocka_unit_test(small_files_cannot_ask_for_the_moon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
