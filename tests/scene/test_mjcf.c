/* MJCF: what becomes of bodies, joints, classes, replicas, contacts, actuators and keyframes, judged by exact poses and
 * masses; and what becomes of files that are not right. */
#define _XOPEN_SOURCE 700
#include "scene/robots.h"

#include "math/mat3.h"
#include "math/transform.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PI 3.14159265358979323846

static void one_body_hangs_on_several_joints(void **state)
{
    (void)state;
    /* A hinge about z, then one about y away from the first, then a slider; all begin away from 0. */
    ash_scene *scene = import_with(
        "<mujoco model='m'><compiler angle='radian'/><worldbody><body name='a' pos='0 0 1' euler='0 0 0.5'>"
        "<joint name='yaw' axis='0 0 1' damping='0.5' armature='0.25'/><joint name='pitch' pos='0.1 0 0' axis='0 2 0' range='-1 1'/>"
        "<joint name='out' type='slide' axis='1 0 0' ref='0.25' stiffness='7' springref='0.5'/>"
        "<geom size='0.1' mass='2' pos='0.2 0 0'/></body></worldbody>"
        "<keyframe><key name='k' qpos='0.3 -0.4 0.75'/></keyframe></mujoco>",
        &(ashi_import_options){.keyframe = "k"});
    assert_int_equal(scene->bodies.count, 3);
    assert_int_equal(scene->joints.count, 3);
    ashi_instance instance = build(scene);
    const char *const names[] = {"yaw", "pitch", "out"};
    const double positions[] = {0.3, -0.4, 0.75};
    for (int i = 0; i < 3; i++) {
        ash_joint joint = instance.joints[find_joint(scene, names[i])];
        ash_freedom freedom = i == 2 ? ASH_MOVE_X : ASH_TURN_X;
        assert_near(ash_joint_get_position(instance.world, joint, freedom), positions[i], 1e-14);
        assert_below(ash_joint_get_error(instance.world, joint).distance, 1e-15);
        assert_below(ash_joint_get_error(instance.world, joint).angle, 1e-14);
    }
    /* the pose by hand: turn about z, turn about y through (0.1, 0, 0), slide by 0.75 - 0.25 */
    ash_transform pose = {v3(0, 0, 1), ash_rotation(v3(0, 0, 1), 0.8)};
    ash_transform pitch = {v3(0, 0, 0), ash_rotation(v3(0, 1, 0), -0.4)};
    pitch.position = v3_sub(v3(0.1, 0, 0), q_rotate(pitch.rotation, v3(0.1, 0, 0)));
    pose = t_mul(pose, pitch);
    ash_vec3 wanted = t_point(pose, v3(0.5, 0, 0));
    ash_transform got = ash_body_get_transform(instance.world, instance.bodies[find_body(scene, "a")]);
    assert_near(v3_distance(got.position, wanted), 0, 1e-14);
    /* the mass is that of the file, all bodies together */
    double mass = 0;
    for (uint32_t i = 0; i < 3; i++)
        mass += scene->bodies.data[i].def.mass;
    assert_near(mass, 2, 1e-14);
    const ash_joint_axis *axis = &scene->joints.data[find_joint(scene, "out")].def.axes[ASH_MOVE_X];
    assert_true(axis->stiffness == 7 && axis->rest == 0.5 && isinf(axis->upper));
    assert_true(scene->joints.data[find_joint(scene, "yaw")].def.axes[ASH_TURN_X].damping == 0.5);
    /* the rotor: as a disc about z */
    ash_sym3 rotor = scene->bodies.data[0].def.inertia;
    double ball = 0.4 * 2 * 0.01 * 0.02;
    assert_near(rotor.zz, ball + 0.25, 1e-14);
    assert_near(rotor.xx, ball + 0.125, 1e-14);
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

static void classes_are_inherited(void **state)
{
    (void)state;
    ash_scene *scene = import_one(
        "<mujoco><default><geom size='0.1' density='500' rgba='1 0 0 1'/><default class='big'><geom size='0.2'/>"
        "<default class='box'><geom type='box' size='1 2 3'/></default></default></default><worldbody>"
        "<body name='a' childclass='big'><freejoint/><geom/><geom class='main'/><body name='w' pos='1 0 0'><geom class='box' mass='4'/></body></body>"
        "</worldbody></mujoco>");
    assert_int_equal(scene->bodies.count, 1); /* "w" is welded to "a" */
    assert_int_equal(scene->shapes.count, 3);
    const ash_geometry_def *first =
        ash_geometry_get_definition(scene->geometries.data[scene->shapes.data[0].geometry].geometry);
    const ash_geometry_def *second =
        ash_geometry_get_definition(scene->geometries.data[scene->shapes.data[1].geometry].geometry);
    const ash_geometry_def *third =
        ash_geometry_get_definition(scene->geometries.data[scene->shapes.data[2].geometry].geometry);
    assert_true(first->kind == ASH_GEOMETRY_SPHERE && first->radius == 0.2 && second->radius == 0.1);
    assert_true(third->kind == ASH_GEOMETRY_BOX && third->half_extents.z == 3);
    assert_true(scene->shapes.data[2].pose.position.x == 1 && scene->shapes.data[2].paint.rgba[0] == 1);
    double balls = 500 * 4.0 / 3 * PI * (0.008 + 0.001), mass = balls + 4;
    assert_near(scene->bodies.data[0].def.mass, mass, 1e-12 * mass);
    assert_near(scene->bodies.data[0].def.centre.x, 4 / mass, 1e-14);
    ash_scene_destroy(scene);
}

/* MuJoCo lets two geoms meet when the one's contype has a bit of the other's conaffinity, in either order. */
static void masks_are_those_of_the_file(void **state)
{
    (void)state;
    static const uint32_t masks[][2] = {{1, 1}, {2, 0}, {0, 2}, {1, 4}, {4, 1}, {3, 6}};
    enum { COUNT = sizeof masks / sizeof *masks };
    char text[4096] = "<mujoco><worldbody>";
    for (int i = 0; i < COUNT; i++)
        sprintf(text + strlen(text),
                "<body pos='%d 0 0'><freejoint/><geom size='0.1' contype='%u' conaffinity='%u'/></body>", i,
                masks[i][0], masks[i][1]);
    strcat(text, "</worldbody></mujoco>");
    ash_scene *scene = import_one(text);
    assert_int_equal(scene->shapes.count, COUNT);
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < COUNT; k++) {
            const ashi_scene_shape *a = &scene->shapes.data[i], *b = &scene->shapes.data[k];
            bool meet = (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
            assert_int_equal(meet, (masks[i][0] & masks[k][1]) != 0 || (masks[k][0] & masks[i][1]) != 0);
        }
    ash_scene_destroy(scene);
}

static void frictions_combine_as_mujoco_combines_them(void **state)
{
    (void)state;
    ash_scene *scene =
        import_one("<mujoco><worldbody><geom size='1' friction='0.5 0.1 0.01' condim='4'/>"
                   "<geom size='1' friction='0.8' condim='1'/><geom size='1' friction='0.2' priority='1'/>"
                   "</worldbody></mujoco>");
    assert_int_equal(scene->materials.count, 3);
    assert_int_equal(scene->material_pairs.count, 3);
    const ash_surface *first = &scene->materials.data[0].surface;
    assert_true(first->friction == 0.5 && first->spinning == 0.1 && first->rolling == 0);
    assert_true(scene->materials.data[1].surface.friction == 0); /* one dimension: none */
    const ashi_scene_material_pair *pairs = scene->material_pairs.data;
    assert_true(pairs[0].surface.friction == 0.8 && pairs[0].surface.spinning == 0.1);
    assert_true(pairs[1].surface.friction == 0.2 && pairs[2].surface.friction == 0.2); /* by priority */
    ash_scene_destroy(scene);
}

static void actuators_equalities_tendons_and_sensors(void **state)
{
    (void)state;
    ash_scene *scene = import_with(
        "<mujoco><worldbody><site name='s' pos='0 0 2'/><body name='a'><joint name='j'/><geom size='.1'/></body>"
        "<body name='b' pos='1 0 0'><joint name='k' type='slide'/><geom size='.1'/><site name='t' pos='0 0 .1'/></body>"
        "<body name='c' pos='2 0 0'><freejoint/><geom size='.1'/></body></worldbody>"
        "<equality><connect body1='c' body2='b' anchor='-0.5 0 0'/><weld body1='c' active='false'/></equality>"
        "<tendon><spatial limited='true' range='0 3'><site site='s'/><site site='t'/></spatial></tendon>"
        "<contact><exclude body1='a' body2='b'/></contact>"
        "<actuator><position joint='j' kp='20' kv='3' gear='2' forcerange='-5 5' ctrlrange='-1 1'/><velocity joint='k' kv='4'/>"
        "<velocity joint='j'/></actuator>"
        "<sensor><jointpos name='q' joint='j'/><framepos name='p' objtype='site' objname='t'/><rangefinder site='t' cutoff='7'/><clock/></sensor>"
        "<keyframe><key qpos='0 0 2 0 0 1 0 0 0' ctrl='3 0.5'/></keyframe></mujoco>",
        &(ashi_import_options){.keyframe = "0"});
    const ash_joint_motor *servo = &scene->joints.data[find_joint(scene, "j")].def.axes[ASH_TURN_X].motor;
    assert_int_equal(servo->drive, ASH_DRIVE_SERVO);
    assert_true(servo->proportional == 80 && servo->derivative == 12 && servo->max_force == 10 && servo->target == 0.5);
    const ash_joint_motor *speed = &scene->joints.data[find_joint(scene, "k")].def.axes[ASH_MOVE_X].motor;
    assert_true(speed->derivative == 4 && speed->proportional == 0 && speed->target == 0.5);
    assert_int_equal(speed->signal.kind, ASH_SIGNAL_TABLE);
    assert_int_equal(scene->joints.count, 5);
    assert_int_equal(scene->joints.data[2].def.kind, ASH_JOINT_BALL);
    assert_true(scene->joints.data[3].disabled && scene->joints.data[3].def.kind == ASH_JOINT_FIXED);
    assert_true(scene->joints.data[4].def.kind == ASH_JOINT_ROPE && scene->joints.data[4].def.length == 3);
    assert_int_equal(scene->ignored_pairs.count, 1);
    assert_int_equal(scene->outputs.count, 5);
    assert_true(scene->outputs.data[4].reach == 7 && scene->outputs.data[4].direction.z == 1);
    assert_int_equal(count_notes(scene, "<clock>", 1), 1);
    assert_int_equal(count_notes(scene, "another servo drives", 1), 1);
    /* the point of <connect> is where both bodies say; and what is written reads back */
    ashi_instance instance = build(scene);
    assert_below(ash_joint_get_error(instance.world, instance.joints[2]).distance, 1e-15);
    ashi_instance_release(&instance);
    char *text;
    size_t size;
    ash_scene *again;
    assert_int_equal(ash_scene_write(scene, &text, &size, NULL), ASH_OK);
    assert_int_equal(ash_scene_parse(text, size, "", &again, &diagnostic), ASH_OK);
    assert_int_equal(again->ignored_pairs.count, 1);
    ash_free(text);
    ash_scene_destroy(again);
    ash_scene_destroy(scene);
}

/* Pairs meet whatever their masks say, by their own law; others of these geoms meet as before. */
static void contact_pairs_have_their_own_law(void **state)
{
    (void)state;
    ash_scene *scene = import_one(
        "<mujoco><default><pair condim='4'/></default><worldbody><geom name='floor' type='plane' size='1 1 1' friction='0.3'/>"
        "<body><freejoint/><geom name='ghost' size='1' contype='0' conaffinity='0'/></body>"
        "<body><freejoint/><geom name='foot' size='1' friction='0.9'/><geom name='toe' size='1' friction='0.9'/></body>"
        "<body><freejoint/><geom name='heel' size='1' friction='0.9'/></body></worldbody>"
        "<contact><pair geom1='ghost' geom2='floor' friction='0.5 0.5 0.02'/><pair geom1='floor' geom2='foot' condim='1'/>\n"
        "<pair geom1='foot' geom2='toe'/><pair geom1='heel' geom2='floor' friction='2 3'/></contact></mujoco>");
    enum { FLOOR, GHOST, FOOT, TOE, HEEL, COUNT };
    static const bool meet[COUNT][COUNT] = {[FLOOR] = {1, 1, 1, 1, 1},
                                            [GHOST] = {1, 0, 0, 0, 0},
                                            [FOOT] = {1, 0, 1, 1, 1},
                                            [TOE] = {1, 0, 1, 1, 1},
                                            [HEEL] = {1, 0, 1, 1, 1}};
    static const double friction[COUNT] = {0.3, 0.5, 0, 0.9, 2};
    assert_int_equal(scene->shapes.count, COUNT);
    ashi_instance instance = build(scene);
    for (int i = 0; i < COUNT; i++) {
        const ashi_scene_shape *a = &scene->shapes.data[i];
        assert_false(a->visual);
        for (int k = 0; k < COUNT; k++) {
            const ashi_scene_shape *b = &scene->shapes.data[k];
            assert_int_equal((a->category & b->mask) != 0 && (b->category & a->mask) != 0, meet[i][k]);
        }
        for (uint32_t k = 0; i > 0 && k < scene->material_pairs.count; k++) {
            const ashi_scene_material_pair *pair = &scene->material_pairs.data[k];
            uint32_t floor = scene->shapes.data[FLOOR].material;
            if ((pair->material_a == floor && pair->material_b == a->material) ||
                (pair->material_b == floor && pair->material_a == a->material))
                assert_true(pair->surface.friction == friction[i] && pair->surface.spinning == (i == GHOST  ? 0.02
                                                                                                : i == HEEL ? 0.005
                                                                                                            : 0));
        }
    }
    assert_int_equal(count_notes(scene, "that a joint connects", 2), 1);
    assert_int_equal(count_notes(scene, "not the same in both directions", 2), 1);
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

static const ash_joint_motor *motor_of(const ash_scene *scene, const char *joint)
{
    return &scene->joints.data[find_joint(scene, joint)].def.axes[ASH_TURN_X].motor;
}

static void actuators_become_servos_efforts_and_loads(void **state)
{
    (void)state;
    ash_scene *scene = import_with(
        "<mujoco><compiler angle='radian'/><default><general ctrlrange='-2 2'/></default><worldbody>"
        "<body name='a'><joint name='p' actuatorfrcrange='-7 7'/><geom size='.1'/></body><body name='b'><joint name='v'/><geom size='.1'/></body>"
        "<body name='c'><joint name='t'/><geom size='.1'/></body><body name='d'><joint name='u'/><geom size='.1'/></body>"
        "<body name='e'><joint name='i'/><geom size='.1'/></body>"
        "<body name='f' pos='0 0 1'><freejoint/><geom size='.1'/><site name='s' pos='.1 0 0' euler='0 1.5707963267948966 0'/></body></worldbody>"
        "<tendon><fixed name='both'><joint joint='t' coef='0.5'/><joint joint='u' coef='-2'/></fixed></tendon><actuator>"
        "<general joint='p' gear='2' gainprm='30' biastype='affine' biasprm='3 -20 -4'/>\n"
        "<general joint='v' gainprm='6' biastype='affine' biasprm='0 0 -5'/>\n"
        "<general tendon='both' gear='3' gainprm='2' forcerange='-3 3'/>\n"
        "<motor joint='t' gear='-1'/>\n<intvelocity joint='i' kp='9'/>\n<motor site='s' gear='0 0 2 0 0 1'/>\n"
        "<general joint='u' biastype='affine' biasprm='0 5 0'/>\n<muscle joint='u'/>\n<general joint='u' dyntype='integrator'/></actuator>\n"
        "<keyframe><key ctrl='1.5 1 5 4 0.5 3 0 0'/></keyframe></mujoco>",
        &(ashi_import_options){.keyframe = "0"});
    /* force = 30 * 1.5 + 3 - 20 * 2 q - 4 * 2 qd, times 2: 0 at q = 48 / 40 */
    const ash_joint_motor *p = motor_of(scene, "p"), *v = motor_of(scene, "v"), *i = motor_of(scene, "i");
    assert_int_equal(p->drive, ASH_DRIVE_SERVO);
    assert_true(p->proportional == 80 && p->derivative == 16 && p->max_force == 7);
    assert_near(p->target, 1.2, 1e-15);
    assert_true(v->proportional == 0 && v->derivative == 5);
    assert_near(v->target, 1.2, 1e-15);
    assert_true(i->proportional == 9 && i->target == 0.5 && i->signal.kind == ASH_SIGNAL_TABLE);
    /* the tendon: 2 * 2 is cut at 3; 3 * 0.5 * 3 - 4 on t, -2 * 3 * 3 on u */
    assert_string_equal(scene->joints.data[find_joint(scene, "t")].effort[ASH_TURN_X], "2.5");
    assert_string_equal(scene->joints.data[find_joint(scene, "u")].effort[ASH_TURN_X], "-18");
    /* z of the site is x of the body */
    assert_int_equal(scene->forces.count, 1);
    const ash_load_def *load = &scene->forces.data[0].def.load;
    assert_true(load->body_axes && load->point.x == 0.1);
    assert_near(v3_distance(load->force, v3(4, 0, 0)), 0, 1e-15);
    assert_near(v3_distance(load->torque, v3(2, 0, 0)), 0, 1e-15);
    assert_int_equal(count_notes(scene, "grows with its length", 7), 1);
    assert_int_equal(count_notes(scene, "<muscle>", 8), 1);
    assert_int_equal(count_notes(scene, "of these types", 9), 1);
    assert_int_equal(ash_scene_get_note_count(scene), 3);
    ash_scene_destroy(scene);
}

static double read_named(const ashi_instance *instance, const ash_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->outputs.count; i++)
        if (strcmp(scene->outputs.data[i].name, name) == 0)
            return ashi_instance_read_output(instance, scene, i);
    fail_msg("there is no output %s", name);
    return 0;
}

static ash_vec3 read_vector(const ashi_instance *instance, const ash_scene *scene, const char *name)
{
    double found[3];
    char text[60];
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s %c", name, "xyz"[i]);
        found[i] = read_named(instance, scene, text);
    }
    return v3(found[0], found[1], found[2]);
}

/* A rod of 2 kg and 1 m swings about y; sites stand askew on it. What they read follows from angle and rate. */
static void sensors_read_along_the_axes_of_their_sites(void **state)
{
    (void)state;
    ash_scene *scene = import_with(
        "<mujoco model='m'><option timestep='0.001'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
        "<body name='arm' pos='0 0 2'><joint name='j' axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 0 0 -1' size='0.05' mass='2' contype='0' conaffinity='0'/>"
        "<inertial pos='0 0 -0.5' mass='2' diaginertia='0.2 0.2 0.01'/>"
        "<site name='tip' pos='0 0 -1.2' euler='30 20 10'/><site name='down' pos='0 0 -1.2' euler='180 0 0'/>"
        "<site name='root' euler='0 0 90'/><body name='tool' pos='0 0 -1'><site name='welded'/></body></body>"
        "<body name='block' pos='3 0 0.1'><freejoint/><geom type='box' size='.1 .1 .1' mass='5'/><site name='b'/></body>"
        "</worldbody><sensor><accelerometer name='acc' site='tip'/><gyro name='gyro' site='tip'/>"
        "<velocimeter name='vel' site='tip'/><rangefinder name='range' site='down'/><force name='force' site='root'/>"
        "<torque name='torque' site='root'/><touch name='touch' site='b'/><jointpos name='q' joint='j'/>"
        "<jointvel name='w' joint='j'/><force name='none' site='welded'/></sensor>"
        "<keyframe><key name='swing' qpos='0.7 3 0 0.1 1 0 0 0'/></keyframe></mujoco>",
        &(ashi_import_options){.keyframe = "swing"});
    assert_int_equal(count_notes(scene, "<force> is not supported", 1), 1);
    assert_int_equal(count_notes(scene, "<touch> reads the whole", 1), 1);
    assert_int_equal(ash_method_find("engineering", &scene->method, NULL), ASH_OK);
    ashi_instance instance = build(scene);
    for (int i = 0; i < 400; i++)
        assert_int_equal(ash_world_step(instance.world, 0.001), ASH_OK);
    const double g = 9.81, mass = 2, moment = 0.2 + mass * 0.25, reach = 1.2;
    double q = read_named(&instance, scene, "q"), w = read_named(&instance, scene, "w");
    double turning = -mass * g * 0.5 * sin(q) / moment;
    assert_true(fabs(w) > 1);
    ash_quat site = q_mul(ash_rotation(v3(1, 0, 0), PI / 6),
                          q_mul(ash_rotation(v3(0, 1, 0), PI / 9), ash_rotation(v3(0, 0, 1), PI / 18)));
    assert_near(v3_distance(read_vector(&instance, scene, "gyro"), q_unrotate(site, v3(0, w, 0))), 0, 1e-9);
    assert_near(v3_distance(read_vector(&instance, scene, "vel"), q_unrotate(site, v3(-reach * w, 0, 0))), 0, 1e-9);
    assert_near(read_named(&instance, scene, "range"), (2 - reach * cos(q)) / cos(q), 1e-9);
    /* Accelerations and forces are means over a step, half a step old: they change by less than 100 a second. */
    ash_vec3 own = v3(-reach * turning - g * sin(q), 0, reach * w * w + g * cos(q));
    assert_below(v3_distance(read_vector(&instance, scene, "acc"), q_unrotate(site, own)), 0.1);
    ash_vec3 bearing = v3(mass * (-0.5 * turning - g * sin(q)), 0, mass * (0.5 * w * w + g * cos(q)));
    ash_quat root = ash_rotation(v3(0, 0, 1), PI / 2);
    assert_below(v3_distance(read_vector(&instance, scene, "force"), q_unrotate(root, bearing)), 0.1);
    assert_below(v3_norm(read_vector(&instance, scene, "torque")), 0.1);
    assert_near(read_named(&instance, scene, "touch"), 5 * g, 1e-3);
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

static void replicas_follow_each_other(void **state)
{
    (void)state;
    ash_scene *scene = import_one(
        "<mujoco><worldbody><replicate count='3' offset='1 0 0' euler='0 0 90'>"
        "<body name='r' pos='0.5 0 0'><freejoint/><geom size='0.1'/></body></replicate></worldbody></mujoco>");
    const ash_vec3 places[] = {{0.5, 0, 0}, {1, 0.5, 0}, {0.5, 1, 0}};
    for (int i = 0; i < 3; i++) {
        char name[4];
        snprintf(name, sizeof name, "r%d", i);
        assert_near(v3_distance(scene->bodies.data[find_body(scene, name)].def.position, places[i]), 0, 1e-15);
    }
    ash_scene_destroy(scene);
}

static double total_mass(const ash_scene *scene)
{
    double mass = 0;
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        mass += scene->bodies.data[i].def.mass;
    return mass;
}

static void masses_are_bounded_and_scaled(void **state)
{
    (void)state;
    static const char bodies[] =
        "<worldbody><body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='0.1 0.2 0.2'/></body>"
        "<body pos='1 0 0'><freejoint/><geom size='0.001' mass='0.001'/></body></worldbody></mujoco>";
    char text[500];
    snprintf(text, sizeof text, "<mujoco><compiler settotalmass='4.004'/>%s", bodies);
    ash_scene *scene = import_one(text);
    assert_near(scene->bodies.data[0].def.mass, 4, 1e-14);
    assert_near(scene->bodies.data[0].def.inertia.yy, 0.8, 1e-14);
    assert_near(total_mass(scene), 4.004, 1e-14);
    ash_scene_destroy(scene);
    snprintf(text, sizeof text, "<mujoco><compiler boundmass='0.5' boundinertia='0.15'/>%s", bodies);
    scene = import_one(text);
    assert_near(total_mass(scene), 1.5, 1e-14);
    assert_near(scene->bodies.data[0].def.inertia.xx, 0.15, 1e-14);
    assert_near(scene->bodies.data[0].def.inertia.yy, 0.2, 1e-14);
    assert_near(scene->bodies.data[1].def.inertia.zz, 0.15, 1e-14);
    ash_scene_destroy(scene);
}

static void flags_switch_gravity_and_contacts_off(void **state)
{
    (void)state;
    static const char bodies[] =
        "<worldbody><geom name='g' type='plane' size='1 1 1'/><body pos='0 0 1'><freejoint/>"
        "<geom name='b' size='0.1'/></body></worldbody><contact><pair geom1='g' geom2='b'/></contact></mujoco>";
    char text[500];
    snprintf(text, sizeof text, "<mujoco><option><flag gravity='disable' contact='disable'/></option>%s", bodies);
    ash_scene *scene = import_one(text);
    assert_true(scene->gravity.z == 0);
    for (uint32_t i = 0; i < scene->shapes.count; i++)
        assert_true(scene->shapes.data[i].visual);
    ash_scene_destroy(scene);
    snprintf(text, sizeof text, "<mujoco><option><flag gravity='enable' contact='enable'/></option>%s", bodies);
    scene = import_one(text);
    assert_true(scene->gravity.z < -9);
    for (uint32_t i = 0; i < scene->shapes.count; i++)
        assert_false(scene->shapes.data[i].visual);
    ash_scene_destroy(scene);
}

static void bad_files_are_refused_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *code;
    } cases[] = {
        {"<geom size='-1'/>", "mjcf.size"},
        {"<geom type='box' size='1 1'/>", "mjcf.size"},
        {"<geom size='1' mass='nan'/>", "robot.number"},
        {"<geom size='1' class='none'/>", "robot.unknown-name"},
        {"<geom type='mesh' mesh='none'/>", "robot.unknown-name"},
        {"<geom size='1' condim='2'/>", "robot.number"},
        {"<geom size='1' quat='0 0 0 0'/>", "mjcf.orientation"},
        {"<body><joint axis='0 0 0'/></body>", "mjcf.axis"},
        {"<body><joint type='gear'/></body>", "mjcf.joint-type"},
        {"<body><body><freejoint/></body></body>", "mjcf.free"},
        {"<body><joint range='2 1'/></body>", "mjcf.range"},
        {"<body><inertial mass='1' pos='0 0 0' diaginertia='-1 1 1'/><joint/></body>", "robot.inertia"},
        {"<replicate count='1e9'><body/></replicate>", "mjcf.replicate"},
        {"<include file='robot-that-is-not-there.xml'/>", "file.missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        snprintf(text, sizeof text, "<mujoco><worldbody>\n%s</worldbody></mujoco>", cases[i].text);
        expect_refused(text, cases[i].code, 2);
    }
    expect_refused("<mujoco>\n<compiler eulerseq='abc'/></mujoco>", "mjcf.euler", 2);
    expect_refused("<mujoco>\n<option timestep='0'/></mujoco>", "robot.number", 2);
    expect_refused("<mujoco><actuator>\n<motor joint='none'/></actuator></mujoco>", "robot.unknown-name", 2);
    ash_scene *scene;
    static const char plain[] = "<mujoco/>";
    assert_int_equal(
        ashi_import(plain, sizeof plain - 1, "robot.xml", &(ashi_import_options){.keyframe = "x"}, &scene, &diagnostic),
        ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "mjcf.keyframe");
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void files_include_others_but_never_themselves(void **state)
{
    (void)state;
    char folder[] = "/tmp/ashlar-mjcf-XXXXXX", path[200], text[200];
    assert_non_null(mkdtemp(folder));
    put(folder, "part.xml", "<mujoco><body name='p'><geom size='1'/><freejoint/></body></mujoco>");
    put(folder, "empty.xml", "<mujoco/>");
    put(folder, "ring.xml", "<mujoco>\n<include file='other.xml'/></mujoco>");
    put(folder, "other.xml", "<mujoco>\n\n<include file='ring.xml'/></mujoco>");
    put(folder, "main.xml",
        "<mujoco><include file='empty.xml'/><worldbody><include file='part.xml'/><geom type='plane'/></worldbody></mujoco>");
    ash_scene *scene;
    snprintf(path, sizeof path, "%s/main.xml", folder);
    assert_int_equal(ash_scene_open(path, NULL, 0, &scene, &diagnostic), ASH_OK);
    assert_int_equal(scene->bodies.count, 2);
    find_body(scene, "p");
    ash_scene_destroy(scene);
    snprintf(path, sizeof path, "%s/ring.xml", folder);
    assert_int_not_equal(ash_scene_open(path, NULL, 0, &scene, &diagnostic), ASH_OK);
    assert_string_equal(diagnostic.code, "mjcf.include");
    assert_int_equal(diagnostic.line, 3);
    for (int i = 0; i < 60; i++) {
        char name[32];
        snprintf(name, sizeof name, "n%d.xml", i);
        snprintf(text, sizeof text, "<mujoco><include file='n%d.xml'/></mujoco>", i + 1);
        put(folder, name, text);
    }
    snprintf(path, sizeof path, "%s/n0.xml", folder);
    assert_int_not_equal(ash_scene_open(path, NULL, 0, &scene, &diagnostic), ASH_OK);
    assert_string_equal(diagnostic.code, "mjcf.include");
    snprintf(text, sizeof text, "rm -r %s", folder);
    assert_int_equal(system(text), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_body_hangs_on_several_joints),
        cmocka_unit_test(classes_are_inherited),
        cmocka_unit_test(masks_are_those_of_the_file),
        cmocka_unit_test(frictions_combine_as_mujoco_combines_them),
        cmocka_unit_test(actuators_equalities_tendons_and_sensors),
        cmocka_unit_test(contact_pairs_have_their_own_law),
        cmocka_unit_test(actuators_become_servos_efforts_and_loads),
        cmocka_unit_test(sensors_read_along_the_axes_of_their_sites),
        cmocka_unit_test(replicas_follow_each_other),
        cmocka_unit_test(files_include_others_but_never_themselves),
        cmocka_unit_test(masses_are_bounded_and_scaled),
        cmocka_unit_test(flags_switch_gravity_and_contacts_off),
        cmocka_unit_test(bad_files_are_refused_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
