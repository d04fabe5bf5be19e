/* Joints that follow others by gears, racks and idlers, while the body with their bearings swings; and rotors of
 * sliders. */
#include "scene/robots.h"

#include <math.h>
#include <stdio.h>

#define BODY "<geom size='0.05' mass='0.5' pos='0.1 0.02 0.03' contype='0' conaffinity='0'/>"

static double position(const ash_world *world, ash_joint joint)
{
    return ash_joint_get_position(world, joint,
                                  ash_joint_get_kind(world, joint) == ASH_JOINT_HINGE ? ASH_TURN_X : ASH_MOVE_X);
}

/* The joints `lead` and `follow` hang on a body that swings; the follower goes by `ratio` times the leader's way. */
static void expect_following(const char *lead, const char *follow, double ratio, const char *method)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "<mujoco><compiler angle='radian'/><worldbody><body name='swing' pos='0 0 2'><joint name='swing' axis='1 2 0'/>" BODY
        "<body name='a' pos='0.2 0 -0.5'><joint name='lead' damping='0.1' %s/>" BODY "</body>"
        "<body name='b' pos='-0.1 0.1 -0.4'><joint name='follow' %s/>" BODY "</body></body></worldbody>"
        "<equality><joint joint1='follow' joint2='lead' polycoef='0 %g'/></equality></mujoco>",
        lead, follow, ratio);
    ash_scene *scene = import_one(text);
    assert_int_equal(ash_scene_get_note_count(scene), 0);
    assert_int_equal(ash_method_find(method, &scene->method, NULL), ASH_OK);
    ashi_instance instance = build(scene);
    ash_joint first = instance.joints[find_joint(scene, "lead")], second = instance.joints[find_joint(scene, "follow")];
    double farthest = 0;
    for (int i = 0; i < 250; i++) {
        assert_int_equal(ash_world_step(instance.world, 0.002), ASH_OK);
        assert_int_equal(ash_world_get_report(instance.world).flags, 0);
        double q = position(instance.world, first);
        farthest = fmax(farthest, fabs(q) + fabs(ratio * q));
        /* joints are open by at most a millionth of a metre by realtime, over radii from 0.05 m */
        assert_near(position(instance.world, second), ratio * q, 1e-4 * fmax(1, fabs(ratio)));
    }
    assert_true(farthest > 0.02); /* it did move */
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

static void all_pairs_of_joints_can_follow_each_other(void **state)
{
    (void)state;
    static const char *const joints[] = {"axis='1 0 0'", "axis='1 0 0' pos='0 0.3 0'", "axis='0 1 1'",
                                         "type='slide' axis='0 0 1'", "type='slide' axis='1 0 1'"};
    static const char *const methods[] = {"realtime", "engineering"};
    enum { COUNT = sizeof joints / sizeof *joints };
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < COUNT; k++)
            expect_following(joints[i], joints[k], i % 2 == 0 ? -0.7 : 1.5, methods[(i + k) % 2]);
}

static void what_cannot_follow_is_noted(void **state)
{
    (void)state;
    ash_scene *scene = import_one(
        "<mujoco><worldbody><body><joint name='a'/><geom size='.1'/></body><body pos='1 0 0'><joint name='c'/><geom size='.1'/><body><joint/><geom size='.1'/>"
        "<body><joint name='b'/><geom size='.1'/></body></body></body></worldbody>"
        "<equality>\n<joint joint1='b' joint2='a'/>\n<joint joint1='a' polycoef='0.25'/>\n<joint joint1='c' joint2='a' polycoef='0 1 2'/>\n"
        "<joint joint1='c' active='false'/></equality></mujoco>");
    assert_int_equal(count_notes(scene, "moves on its own", 2), 1);
    assert_int_equal(count_notes(scene, "begins at 0.25", 3), 1);
    assert_int_equal(count_notes(scene, "begins at 0.375", 4), 1); /* 0.25 + 2 * 0.25^2 */
    assert_int_equal(count_notes(scene, "by the slope where it begins, 2", 4), 1);
    assert_int_equal(count_notes(scene, "not active", 5), 1);
    const ash_joint_motor *held = &scene->joints.data[find_joint(scene, "a")].def.axes[ASH_TURN_X].motor;
    assert_true(held->drive == ASH_DRIVE_POSITION && held->target == 0.25);
    ash_scene_destroy(scene);
}

/* A slider of 2 kg with a rotor of 3 kg falls with two fifths of gravity. */
static void the_rotor_of_a_slider_resists_acceleration(void **state)
{
    (void)state;
    ash_scene *scene =
        import_one("<mujoco><option gravity='0 0 -10'/><worldbody><body name='a'>"
                   "<joint name='s' type='slide' axis='0 0 1' armature='3'/><geom size='.1' mass='2'/></body>"
                   "</worldbody></mujoco>");
    assert_int_equal(ash_method_find("engineering", &scene->method, NULL), ASH_OK);
    ashi_instance instance = build(scene);
    for (int i = 0; i < 100; i++)
        assert_int_equal(ash_world_step(instance.world, 0.002), ASH_OK);
    /* order two: within the change of acceleration that the first step has to find, times h^2 */
    assert_near(position(instance.world, instance.joints[find_joint(scene, "s")]), -0.5 * 4 * 0.04, 6 * 0.002 * 0.002);
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_of_joints_can_follow_each_other),
        cmocka_unit_test(what_cannot_follow_is_noted),
        cmocka_unit_test(the_rotor_of_a_slider_resists_acceleration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
