/* URDF: what becomes of links and joints, judged by forward kinematics, exact mass properties and running worlds; and
 * what becomes of files that are not right. */
#define _XOPEN_SOURCE 700
#include "scene/robots.h"

#include "math/mat3.h"
#include "math/transform.h"

#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define INERTIAL                                                                                                       \
    "<inertial><mass value='2'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.2' iyz='0' izz='0.25'/></inertial>"
#define LINK(n)    "<link name='" n "'>" INERTIAL "</link>"
#define ENDS(p, c) "<parent link='" p "'/><child link='" c "'/>"

static const char arm[] =
    "<robot name='arm'>\n"
    "<link name='base'/>\n" LINK("upper") "\n" LINK("lower") "\n" LINK(
        "hand") "\n"
                "<joint name='shoulder' type='revolute'><origin xyz='0.1 0.2 0.3' rpy='0.3 -0.4 0.5'/>" ENDS(
                    "base",
                    "upper") "<axis xyz='1 2 -2'/><limit lower='-1' upper='2' effort='5' velocity='3'/><dynamics damping='0.7' friction='0.2'/></joint>\n"
                             "<joint name='elbow' type='continuous'><origin xyz='0 0 0.5' rpy='-0.2 0.1 1.2'/>" ENDS(
                                 "upper",
                                 "lower") "<axis xyz='0 1 0'/></joint>\n"
                                          "<joint name='slide' type='prismatic'><origin xyz='0.4 0 0' rpy='1 0 0'/>" ENDS(
                                              "lower",
                                              "hand") "<axis xyz='0 0.6 0.8'/><limit lower='-0.1' upper='0.3' effort='0' velocity='1'/></joint>\n"
                                                      "</robot>\n";

static void assert_pose(ash_transform a, ash_transform b)
{
    assert_near(v3_distance(a.position, b.position), 0, 1e-14);
    assert_near(fabs(a.rotation.w * b.rotation.w + a.rotation.x * b.rotation.x + a.rotation.y * b.rotation.y +
                     a.rotation.z * b.rotation.z),
                1, 1e-14);
}

/* roll, pitch, yaw as matrices multiply them: R = Rz Ry Rx. */
static ash_transform placed(double x, double y, double z, double roll, double pitch, double yaw)
{
    ash_quat rx = {cos(roll / 2), sin(roll / 2), 0, 0}, ry = {cos(pitch / 2), 0, sin(pitch / 2), 0},
             rz = {cos(yaw / 2), 0, 0, sin(yaw / 2)};
    return (ash_transform){v3(x, y, z), q_mul(rz, q_mul(ry, rx))};
}

static ash_transform turned(double x, double y, double z, double angle)
{
    double s = sin(angle / 2);
    return (ash_transform){v3(0, 0, 0), {cos(angle / 2), x * s, y * s, z * s}};
}

static void links_stand_where_forward_kinematics_has_them(void **state)
{
    (void)state;
    ash_scene *scene = import_one(arm);
    assert_string_equal(scene->name, "arm");
    ashi_instance instance = build(scene);
    ash_world *world = instance.world;
    static const char *const names[] = {"upper", "lower", "hand"}, *const joints[] = {"shoulder", "elbow", "slide"};
    const double poses[2][3] = {{0, 0, 0}, {0.7, -1.1, 0.2}};
    for (int i = 0; i < 2; i++) {
        ash_transform upper =
            t_mul(placed(0.1, 0.2, 0.3, 0.3, -0.4, 0.5), turned(1.0 / 3, 2.0 / 3, -2.0 / 3, poses[i][0]));
        ash_transform lower = t_mul(t_mul(upper, placed(0, 0, 0.5, -0.2, 0.1, 1.2)), turned(0, 1, 0, poses[i][1]));
        ash_transform hand = t_mul(lower, placed(0.4, 0, 0, 1, 0, 0));
        hand.position = v3_add(hand.position, q_rotate(hand.rotation, v3(0, 0.6 * poses[i][2], 0.8 * poses[i][2])));
        const ash_transform wanted[3] = {upper, lower, hand};
        for (int k = 0; k < 3; k++) {
            ash_body body = instance.bodies[find_body(scene, names[k])];
            if (i == 0)
                assert_pose(ash_body_get_transform(world, body), wanted[k]);
            assert_int_equal(ash_body_set_transform(world, body, wanted[k]), ASH_OK);
        }
        for (int k = 0; k < 3; k++) {
            ash_joint joint = instance.joints[find_joint(scene, joints[k])];
            assert_near(ash_joint_get_position(world, joint, k == 2 ? ASH_MOVE_X : ASH_TURN_X), poses[i][k], 1e-14);
            assert_below(ash_joint_get_error(world, joint).distance, 1e-14);
            assert_below(ash_joint_get_error(world, joint).angle, 1e-14);
        }
    }
    const ash_joint_def *def = &scene->joints.data[find_joint(scene, "shoulder")].def;
    assert_int_equal(def->kind, ASH_JOINT_HINGE);
    assert_true(def->axes[ASH_TURN_X].lower == -1 && def->axes[ASH_TURN_X].upper == 2);
    assert_true(def->axes[ASH_TURN_X].damping == 0.7 && def->axes[ASH_TURN_X].friction == 0.2);
    assert_true(isinf(scene->joints.data[find_joint(scene, "elbow")].def.axes[ASH_TURN_X].upper));
    assert_int_equal(scene->bodies.data[find_body(scene, "base")].def.type, ASH_BODY_STATIC);
    assert_int_equal(scene->outputs.count, 3);
    assert_int_equal(count_notes(scene, "effort is not used", 6), 1);
    assert_int_equal(count_notes(scene, "velocity is not used", 8), 1);
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

static void fixed_links_become_one_body_of_their_masses(void **state)
{
    (void)state;
    static const char text[] = "<robot name='r'>" LINK(
        "a") "<link name='b'><inertial><origin xyz='0.1 0 0.2' rpy='0.5 0 0'/><mass value='3'/>"
             "<inertia ixx='0.3' ixy='0.01' ixz='0' iyy='0.2' iyz='0' izz='0.4'/></inertial></link><link name='c'/>"
             "<joint name='j' type='fixed'><origin xyz='1 2 3' rpy='0 0.4 0'/>" ENDS(
                 "a", "b") "</joint>"
                           "<joint name='k' type='fixed'>" ENDS("b", "c") "</joint></robot>";
    ash_scene *scene = import_with(text, &(ashi_import_options){.base = ASHI_BASE_FREE, .floor = ASHI_SWITCH_OFF});
    assert_int_equal(scene->bodies.count, 1);
    const ash_body_def *def = &scene->bodies.data[0].def;
    assert_int_equal(def->type, ASH_BODY_DYNAMIC);
    ash_transform b = placed(1, 2, 3, 0, 0.4, 0), in_b = placed(0.1, 0, 0.2, 0.5, 0, 0);
    ash_vec3 second = t_point(b, in_b.position), centre = v3_scale(second, 3.0 / 5);
    assert_near(def->mass, 5, 1e-15);
    assert_near(v3_distance(def->centre, centre), 0, 1e-15);
    ash_sym3 whole = s3_add(s3_diagonal(0.1, 0.2, 0.25), s3_point_inertia(2, centre));
    ash_sym3 own = {0.3, 0.2, 0.4, 0.01, 0, 0};
    whole = s3_add(whole, s3_rotated(own, q_mul(b.rotation, in_b.rotation)));
    whole = s3_add(whole, s3_point_inertia(3, v3_sub(second, centre)));
    const double *got = &def->inertia.xx, *wanted = &whole.xx;
    for (int i = 0; i < 6; i++)
        assert_near(got[i], wanted[i], 1e-13 * whole.xx);
    ash_scene_destroy(scene);
}

/* Two fingers on a hand that swings: a wheel and a wheel, a wheel and a slider, and a follower of a follower. */
static const char gripper[] = "<robot name='gripper'><link name='base'/>" LINK("hand") LINK("left") LINK("right")
    LINK("tip") LINK("jaw") LINK("loose") "<joint name='swing' type='continuous'>" ENDS(
        "base",
        "hand") "<axis xyz='1 1 0'/></joint>"
                "<joint name='lead' type='continuous'><origin xyz='0 0.1 0.5'/>" ENDS(
                    "hand",
                    "left") "<axis xyz='1 0 0'/></joint>"
                            "<joint name='same' type='continuous'><origin xyz='0 -0.2 0.5'/>" ENDS(
                                "hand",
                                "right") "<axis xyz='-1 0 0'/><mimic joint='lead' multiplier='0.5' offset='0.1'/></joint>"
                                         "<joint name='bend' type='continuous'><origin xyz='0 0 0.3'/>" ENDS(
                                             "right",
                                             "tip") "<axis xyz='1 0 0'/><mimic joint='lead' multiplier='-1.5'/></joint>"
                                                    "<joint name='push' type='prismatic'><origin xyz='0 0 0.9'/>" ENDS(
                                                        "hand",
                                                        "jaw") "<axis xyz='0 0 1'/><limit lower='-9' upper='9' effort='0' velocity='0'/><mimic joint='lead' multiplier='0.25'/></joint>"
                                                               "<joint name='skew' type='continuous'><origin xyz='0.3 0 0.9'/>" ENDS(
                                                                   "hand",
                                                                   "loose") "<axis xyz='1 1 1'/><mimic joint='lead'/></joint></robot>";

static void joints_that_mimic_follow_in_a_moving_hand(void **state)
{
    (void)state;
    ash_scene *scene = import_one(gripper);
    assert_int_equal(count_notes(scene, "moves on its own", 0), 0);
    assert_int_equal(scene->joints.count, 6 + 3 + 3); /* the skew one by an idler and two racks */
    assert_int_equal(ash_method_find("engineering", &scene->method, NULL), ASH_OK);
    ashi_instance instance = build(scene);
    ash_world *world = instance.world;
    const char *names[] = {"same", "bend", "push", "skew"};
    const double factors[] = {0.5, -1.5, 0.25, 1}, offsets[] = {0.1, 0, 0, 0};
    ash_joint lead = instance.joints[find_joint(scene, "lead")], swing = instance.joints[find_joint(scene, "swing")];
    double farthest = 0, swung = 0;
    for (int i = 0; i < 500; i++) {
        assert_int_equal(ash_world_step(world, 0.002), ASH_OK);
        double q = ash_joint_get_position(world, lead, ASH_TURN_X);
        farthest = fmax(farthest, fabs(q));
        swung = fmax(swung, fabs(ash_joint_get_position(world, swing, ASH_TURN_X)));
        for (int k = 0; k < 4; k++) {
            ash_joint joint = instance.joints[find_joint(scene, names[k])];
            double p = ash_joint_get_position(world, joint, k == 2 ? ASH_MOVE_X : ASH_TURN_X);
            /* what engineering leaves open of a joint, 1e-9 m, over radii that are above 0.01 m */
            assert_near(p, factors[k] * q + offsets[k], 1e-6);
        }
    }
    assert_true(farthest > 0.3 && swung > 0.3); /* it did move */
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

static void what_is_left_open_is_noted(void **state)
{
    (void)state;
    static const char text[] =
        "<robot name='r' version='2'>\n"
        "<link name='a'/>\n"
        "<link name='b'><inertial><mass value='1'/></inertial></link>\n"
        "<link name='c'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>\n"
        "<link name='d'/>\n"
        "<link name='e'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='3' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
        "<joint name='j' type='revolute'>" ENDS(
            "a", "b") "<limit lower='0' upper='0' effort='0' velocity='0'/></joint>\n"
                      "<joint name='k' type='revolute'>" ENDS(
                          "b",
                          "c") "<limit lower='0.5' upper='1' effort='0' velocity='0'/></joint>\n"
                               "<joint name='l' type='continuous'>" ENDS(
                                   "c",
                                   "d") "<safety_controller k_velocity='1'/></joint>\n"
                                        "<joint name='m' type='revolute'>" ENDS(
                                            "d",
                                            "e") "<limit lower='0.25' upper='0.25' effort='1' velocity='0'/></joint>\n"
                                                 "<transmission name='t'><type>x</type></transmission>\n"
                                                 "<gazebo reference='a' colour='red'/>\n"
                                                 "</robot>";
    ash_scene *scene = import_one(text);
    static const struct {
        const char *words;
        int line;
    } wanted[] = {{"version", 1},
                  {"a mass but no inertia", 3},
                  {"that of its shapes", 4},
                  {"raised by", 6},
                  {"all limits of the joint are 0", 7},
                  {"begins at 0.5", 8},
                  {"safety_controller", 9},
                  {"it is fixed", 10},
                  {"<transmission>", 11},
                  {"<gazebo>", 12}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (count_notes(scene, wanted[i].words, wanted[i].line) != 1)
            fail_msg("%u notes of %s in line %d", count_notes(scene, wanted[i].words, wanted[i].line), wanted[i].words,
                     wanted[i].line);
    /* "d" and "e" are one body, at the fixed angle */
    assert_int_equal(scene->bodies.count, 4);
    ashi_instance instance = build(scene);
    assert_near(ash_joint_get_position(instance.world, instance.joints[find_joint(scene, "k")], ASH_TURN_X), 0.5,
                1e-15);
    ash_mass_properties ball = ash_body_get_mass(instance.world, instance.bodies[find_body(scene, "c")]);
    assert_near(ball.mass, 1000 * 4.0 / 3 * PI * 1e-3, 1e-12);
    assert_near(ash_body_get_mass(instance.world, instance.bodies[find_body(scene, "d")]).mass, 1, 1e-15);
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

static void a_free_base_stands_on_a_floor(void **state)
{
    (void)state;
    static const char text[] =
        "<robot name='r'><link name='a'>" INERTIAL
        "<collision><origin xyz='0 0 0.3'/><geometry><box size='1 1 0.5'/></geometry>"
        "</collision><contact><lateral_friction value='0.9'/><restitution value='0.25'/></contact></link></robot>";
    ash_scene *scene = import_with(text, &(ashi_import_options){.base = ASHI_BASE_FREE});
    assert_int_equal(scene->bodies.count, 2);
    assert_near(scene->bodies.data[find_body(scene, "floor")].def.position.z, 0.05, 1e-15);
    assert_true(scene->materials.data[scene->shapes.data[0].material].surface.friction == 0.9);
    assert_true(scene->materials.data[scene->shapes.data[0].material].surface.restitution == 0.25);
    ash_scene_destroy(scene);
    scene = import_one(text);
    assert_int_equal(scene->bodies.count, 1);
    assert_int_equal(count_notes(scene, "base=free", 1), 1);
    ash_scene_destroy(scene);
}

static const char cube[] = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\n"
                           "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static void meshes_are_found_and_scaled(void **state)
{
    (void)state;
    char folder[] = "/tmp/ashlar-urdf-XXXXXX", path[256], label[256];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/cube.obj", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(cube, file);
    fclose(file);
    snprintf(label, sizeof label, "%s/robot.urdf", folder);
    static const char *const names[] = {"cube.obj", "package://any_package/meshes/cube.obj"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<robot name='r'><link name='a'>" INERTIAL
                 "<collision><geometry><mesh filename='%s' scale='0.5 1 -2'/>"
                 "</geometry></collision></link></robot>",
                 names[i]);
        ash_scene *scene;
        assert_int_equal(ashi_import(text, strlen(text), label, &(ashi_import_options){0}, &scene, &diagnostic),
                         ASH_OK);
        ash_bounds box = ash_geometry_bounds(scene->geometries.data[0].geometry, ash_identity());
        assert_true(box.lower.x == 0 && box.lower.z == -4 && box.upper.x == 1 && box.upper.y == 2 && box.upper.z == 0);
        ash_mass_properties mass;
        assert_int_equal(ash_geometry_mass(scene->geometries.data[0].geometry, 1, &mass, NULL), ASH_OK);
        assert_near(mass.mass, 8, 1e-14);
        ash_scene_destroy(scene);
    }
    remove(path);
    remove(folder);
}

static void bad_files_are_refused_with_their_line(void **state)
{
    (void)state;
    expect_refused("<robot name='r'>\n<link name='a'>\n", "xml.syntax", 3);
    expect_refused("<!DOCTYPE r [\n<!ENTITY a 'aaaa'>]>\n<robot name='&a;'/>", "xml.entity", 2);
    expect_refused("<sdf/>", "robot.format", 1);
    expect_refused("<robot name='r'/>", "urdf.empty", 1);
    expect_refused("<robot name='r'>\n<link/></robot>", "robot.missing", 2);
    expect_refused("<robot name='r'>\n<link name='a'/>\n<link name='a'/></robot>", "robot.duplicate", 3);
    expect_refused("<robot name='r'>\n<link name='a'/>\n<link name='b'/></robot>", "urdf.tree", 3);
    expect_refused(
        "<robot name='r'>\n<link name='a'/>\n<joint name='j' type='fixed'>" ENDS("a", "x") "</joint></robot>",
        "robot.unknown-name", 3);
    expect_refused("<robot name='r'>\n<link name='a'/><link name='b'/>\n<joint name='j' type='screw'>" ENDS(
                       "a", "b") "</joint></robot>",
                   "urdf.joint-type", 3);
    /* a ring beside the root, a ring without one, two parents */
    expect_refused("<robot name='r'><link name='a'/>\n<link name='b'/><link name='c'/>"
                   "<joint name='j' type='fixed'>" ENDS("b", "c") "</joint><joint name='k' type='fixed'>" ENDS(
                       "c", "b") "</joint></robot>",
                   "urdf.tree", 2);
    expect_refused("<robot name='r'><link name='a'/><joint name='j' type='fixed'>" ENDS("a", "a") "</joint></robot>",
                   "urdf.tree", 1);
    expect_refused(
        "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>\n<joint name='j' type='fixed'>" ENDS(
            "a", "c") "</joint>\n<joint name='k' type='fixed'>" ENDS("b", "c") "</joint></robot>",
        "urdf.tree", 3);
    expect_refused("<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='continuous'>" ENDS(
                       "a", "b") "\n<axis xyz='0 0 0'/></joint></robot>",
                   "urdf.axis", 3);
    expect_refused("<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='revolute'>" ENDS(
                       "a", "b") "\n<limit lower='1' upper='-1' effort='1' velocity='1'/></joint></robot>",
                   "urdf.limits", 3);
    expect_refused("<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='continuous'>" ENDS(
                       "a", "b") "\n<mimic joint='j' multiplier='2'/></joint></robot>",
                   "urdf.mimic", 3);
    static const char *const numbers[] = {"nan", "inf", "1e999", "0x10", "", "1 2", "${mass}", "1,5"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "<robot name='r'><link name='a'><inertial>\n<mass value='%s'/></inertial></link></robot>", numbers[i]);
        expect_refused(text, "robot.number", 2);
    }
    expect_refused("<robot name='r'><link name='a'><inertial>\n<mass value='-1'/></inertial></link></robot>",
                   "robot.mass", 2);
    expect_refused(
        "<robot name='r'><link name='a'><inertial><mass value='1'/>\n<inertia ixx='-1' iyy='1' izz='1'/></inertial>"
        "</link></robot>",
        "robot.inertia", 2);
    expect_refused(
        "<robot name='r'><link name='a'><collision><geometry>\n<mesh filename='no-such-file.stl'/></geometry>"
        "</collision></link></robot>",
        "mesh-file.missing", 2);
    expect_refused(
        "<robot name='r'><link name='a'><collision><geometry>\n<box size='1 0 1'/></geometry></collision></link>"
        "</robot>",
        "robot.number", 2);
    expect_refused(
        "<robot name='r'><link name='a'><collision>\n<geometry><torus/></geometry></collision></link></robot>",
        "urdf.geometry", 2);
    char deep[8192] = "";
    for (int i = 0; i < 600; i++)
        strcat(deep, "<robot>");
    expect_refused(deep, "xml.depth", 1);
    assert_non_null(strstr(diagnostic.message, "500"));
    /* every beginning of a good file is refused, or is the whole */
    for (size_t size = 0; size < strlen(arm) - 1; size++) {
        ash_scene *scene = NULL;
        assert_int_not_equal(ashi_import(arm, size, "robot.xml", &(ashi_import_options){0}, &scene, NULL), ASH_OK);
        assert_null(scene);
    }
    assert_int_equal(ash_memory_used().blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_stand_where_forward_kinematics_has_them),
        cmocka_unit_test(fixed_links_become_one_body_of_their_masses),
        cmocka_unit_test(joints_that_mimic_follow_in_a_moving_hand),
        cmocka_unit_test(what_is_left_open_is_noted),
        cmocka_unit_test(a_free_base_stands_on_a_floor),
        cmocka_unit_test(meshes_are_found_and_scaled),
        cmocka_unit_test(bad_files_are_refused_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
