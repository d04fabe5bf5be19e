/* Arrays of all bodies and coordinates agree with what is asked body by body and joint by joint, and refuse what is
 * wrong. */
#include "worlds.h"

#include <math.h>
#include <string.h>

static void assert_same(ash_vec3 v, const double *row)
{
    assert_true(v.x == row[0] && v.y == row[1] && v.z == row[2]);
}

/* Ten balls on a floor, of which one is removed again, and a chain of three. */
static ash_world *make_pile(ash_body bodies[16], uint32_t *count)
{
    ash_world_def def = ash_default_world_def();
    ash_world *world = NULL;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    ash_geometry_def ball = {.kind = ASH_GEOMETRY_SPHERE, .radius = 0.1}, ground = {.kind = ASH_GEOMETRY_PLANE};
    ash_geometry *sphere = NULL, *plane = NULL;
    assert_int_equal(ash_geometry_create(&ball, &sphere, NULL), ASH_OK);
    assert_int_equal(ash_geometry_create(&ground, &plane, NULL), ASH_OK);
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def body = ash_default_body_def();
    shape.geometry = plane;
    body.type = ASH_BODY_STATIC;
    ash_body made;
    assert_int_equal(ash_body_create(world, &body, &shape, 1, &made, NULL), ASH_OK);
    shape.geometry = sphere;
    body.type = ASH_BODY_DYNAMIC;
    for (int i = 0; i < 10; i++) {
        body.position = ash_vec3_make(0.15 * i, 0, 0.1 + 0.05 * i);
        assert_int_equal(ash_body_create(world, &body, &shape, 1, &made, NULL), ASH_OK);
        if (i == 4)
            assert_int_equal(ash_body_destroy(world, made), ASH_OK);
    }
    ash_body before = {0};
    for (int i = 0; i < 3; i++) {
        body.position = ash_vec3_make(0, 3 + i, 2);
        assert_int_equal(ash_body_create(world, &body, &shape, 1, &made, NULL), ASH_OK);
        ash_joint_def joint = ash_default_joint_def(i == 1 ? ASH_JOINT_UNIVERSAL : ASH_JOINT_HINGE);
        joint.body_a = before;
        joint.body_b = made;
        if (i == 0)
            joint.axes[ASH_TURN_X].motor = (ash_joint_motor){.drive = ASH_DRIVE_VELOCITY, .target = 2, .max_force = 5};
        assert_int_equal(ash_joint_def_place(world, &joint, ash_vec3_make(0, 2.5 + i, 2), ash_vec3_make(1, 0, 0)),
                         ASH_OK);
        assert_int_equal(ash_joint_create(world, &joint, &(ash_joint){0}, NULL), ASH_OK);
        before = made;
    }
    ash_geometry_release(sphere);
    ash_geometry_release(plane);
    *count = ash_world_get_bodies(world, bodies, 16);
    return world;
}

static void agrees_with_single_bodies(void **state)
{
    (void)state;
    ash_body bodies[16];
    uint32_t count;
    ash_world *world = make_pile(bodies, &count);
    assert_int_equal(count, 13);
    for (int i = 0; i < 40; i++) {
        ash_body_set_velocity(world, bodies[1], ash_vec3_make(0, 1, 0)); /* slides: friction has a moment */
        assert_int_equal(ash_world_step(world, 0.01), ASH_OK);
    }
    ash_body_apply_force_to_centre(world, bodies[3], ash_vec3_make(1, 2, 3));
    double values[64];
    for (int array = 0; array < ASH_ARRAY_JOINT_POSITIONS; array++) {
        uint32_t width = ash_array_width((ash_array)array);
        assert_int_equal(ash_world_get_rows(world, (ash_array)array), 13);
        assert_int_equal(ash_world_get_array(world, (ash_array)array, values, 13 * width), ASH_OK);
        bool moved = false;
        for (uint32_t i = 0; i < count; i++) {
            ash_transform pose = ash_body_get_transform(world, bodies[i]);
            const double *row = values + width * i;
            ash_vec3 expected[] = {pose.position,
                                   {0, 0, 0},
                                   ash_body_get_centre(world, bodies[i]),
                                   ash_body_get_velocity(world, bodies[i]),
                                   ash_body_get_angular_velocity(world, bodies[i]),
                                   i == 3 ? ash_vec3_make(1, 2, 3) : ash_vec3_make(0, 0, 0),
                                   {0, 0, 0},
                                   ash_body_get_reaction(world, bodies[i]).force,
                                   ash_body_get_reaction(world, bodies[i]).torque};
            if (array == ASH_ARRAY_ROTATIONS)
                assert_true(pose.rotation.w == row[0] && pose.rotation.x == row[1] && pose.rotation.y == row[2] &&
                            pose.rotation.z == row[3]);
            else
                assert_same(expected[array], row);
            moved |= row[0] != 0 || row[2] != 0;
        }
        assert_true(moved || array == ASH_ARRAY_APPLIED_TORQUES);
    }
    ash_world_destroy(world);
}

static void agrees_with_single_coordinates(void **state)
{
    (void)state;
    ash_body bodies[16];
    uint32_t count;
    ash_world *world = make_pile(bodies, &count);
    ash_coordinate coordinates[8];
    assert_int_equal(ash_world_get_coordinates(world, coordinates, 8), 4); /* hinge, universal, hinge */
    for (int i = 0; i < 20; i++)
        assert_int_equal(ash_world_step(world, 0.01), ASH_OK);
    double position[4], rate[4], force[4], target[4];
    assert_int_equal(ash_world_get_array(world, ASH_ARRAY_JOINT_POSITIONS, position, 4), ASH_OK);
    assert_int_equal(ash_world_get_array(world, ASH_ARRAY_JOINT_RATES, rate, 4), ASH_OK);
    assert_int_equal(ash_world_get_array(world, ASH_ARRAY_JOINT_FORCES, force, 4), ASH_OK);
    assert_int_equal(ash_world_get_array(world, ASH_ARRAY_MOTOR_TARGETS, target, 4), ASH_OK);
    for (int i = 0; i < 4; i++) {
        ash_joint joint = coordinates[i].joint;
        ash_freedom freedom = coordinates[i].freedom;
        assert_true(position[i] == ash_joint_get_position(world, joint, freedom));
        assert_true(rate[i] == ash_joint_get_rate(world, joint, freedom));
        assert_true(force[i] == ash_joint_get_reaction(world, joint, ASH_FRAME_WORLD).drive[freedom]);
        assert_true(target[i] == (i == 0 ? 2 : 0));
    }
    assert_true(position[0] != 0 && force[0] != 0);
    double wanted[] = {-1, 7, 7, 7}; /* only the first is driven */
    assert_int_equal(ash_world_set_array(world, ASH_ARRAY_MOTOR_TARGETS, wanted, 4), ASH_OK);
    assert_true(ash_joint_get_axis(world, coordinates[0].joint, coordinates[0].freedom).motor.target == -1);
    assert_int_equal(ash_world_get_array(world, ASH_ARRAY_MOTOR_TARGETS, target, 4), ASH_OK);
    assert_true(target[0] == -1 && target[1] == 0 && target[3] == 0);
    ash_world_destroy(world);
}

static void sets_all_rows(void **state)
{
    (void)state;
    ash_body bodies[16];
    uint32_t count;
    ash_world *world = make_pile(bodies, &count);
    double values[64], back[64];
    for (int array = 0; array < ASH_ARRAY_JOINT_POSITIONS; array++) {
        uint32_t size = 13 * ash_array_width((ash_array)array);
        for (uint32_t i = 0; i < size; i++)
            values[i] = array == ASH_ARRAY_ROTATIONS ? (i % 4 == 1) : 0.25 * i;
        ash_status expected = ash_array_can_be_set((ash_array)array) ? ASH_OK : ASH_BAD_ARGUMENT;
        assert_int_equal(ash_world_set_array(world, (ash_array)array, values, size), expected);
        if (expected != ASH_OK)
            continue;
        assert_int_equal(ash_world_get_array(world, (ash_array)array, back, size), ASH_OK);
        uint32_t width = ash_array_width((ash_array)array); /* the first body is static: it has a pose only */
        uint32_t first = array >= ASH_ARRAY_VELOCITIES ? width : 0;
        assert_memory_equal(values + first, back + first, (size - first) * sizeof *values);
        for (uint32_t i = 0; i < first; i++)
            assert_true(back[i] == 0);
    }
    ash_world_destroy(world);
}

static void refuses_what_is_wrong(void **state)
{
    (void)state;
    ash_body bodies[16];
    uint32_t count;
    ash_world *world = make_pile(bodies, &count);
    double values[64] = {0}, zero[64] = {0};
    uint64_t before = ash_world_get_hash(world);
    assert_int_equal(ash_world_get_array(world, ASH_ARRAY_POSITIONS, values, 38), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_get_array(world, ASH_ARRAYS, values, 39), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_get_array(world, ASH_ARRAY_POSITIONS, NULL, 39), ASH_BAD_ARGUMENT);
    values[38] = NAN;
    assert_int_equal(ash_world_set_array(world, ASH_ARRAY_POSITIONS, values, 39), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_set_array(world, ASH_ARRAY_VELOCITIES, values, 39), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_set_array(world, ASH_ARRAY_ROTATIONS, zero, 52), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_set_array(world, (ash_array)-1, zero, 39), ASH_BAD_ARGUMENT);
    assert_true(ash_world_get_hash(world) == before);
    assert_string_equal(ash_array_name(ASH_ARRAY_ANGULAR_VELOCITIES), "angular-velocities");
    assert_string_equal(ash_array_name(ASH_ARRAYS), "");
    assert_int_equal(ash_array_width(ASH_ARRAYS), 0);
    assert_int_equal(ash_world_get_rows(world, ASH_ARRAYS), 0);
    ash_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_single_bodies),
        cmocka_unit_test(agrees_with_single_coordinates),
        cmocka_unit_test(sets_all_rows),
        cmocka_unit_test(refuses_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
