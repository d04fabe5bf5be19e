/* Bodies and shapes: where mass comes from, what is refused, what setters do, stale handles. */
#include "math/mat3.h"
#include "math/transform.h"
#include "worlds.h"

static ash_geometry *make_geometry(const ash_geometry_def *def)
{
    ash_geometry *geometry = NULL;
    ash_diagnostic d;
    if (ash_geometry_create(def, &geometry, &d) != ASH_OK)
        fail_msg("geometry: %s", d.message);
    return geometry;
}

static ash_geometry *make_box(ash_vec3 half)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = half;
    return make_geometry(&def);
}

static void mass_comes_from_shapes_or_is_given(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_shape_def shapes[2] = {ash_default_shape_def(), ash_default_shape_def()};
    ash_body_def def = ash_default_body_def();
    ash_body body;
    ash_diagnostic d;
    shapes[0].geometry = shapes[1].geometry = make_box(v3(0.5, 0.5, 0.5));
    shapes[0].density = shapes[1].density = 3;
    shapes[1].pose.position = v3(1, 0, 0); /* together a box of 2 x 1 x 1, 6 kg */
    assert_int_equal(ash_body_create(w, &def, shapes, 2, &body, &d), ASH_OK);
    ash_mass_properties m = ash_body_get_mass(w, body);
    assert_near(m.mass, 6, 1e-14);
    assert_near(m.centre.x, 0.5, 1e-15);
    assert_near(m.inertia.xx, 6 * 2.0 / 12, 1e-14);
    assert_near(m.inertia.yy, 6 * 5.0 / 12, 1e-14);
    assert_near(ash_body_get_centre(w, body).x, 0.5, 1e-15);
    assert_near(ash_body_get_transform(w, body).position.x, 0, 1e-15);
    def.mass = 12; /* the same distribution, scaled */
    assert_int_equal(ash_body_create(w, &def, shapes, 2, &body, &d), ASH_OK);
    assert_near(ash_body_get_mass(w, body).inertia.yy, 12 * 5.0 / 12, 1e-14);
    shapes[0].density = shapes[1].density = 0; /* still a distribution */
    assert_int_equal(ash_body_create(w, &def, shapes, 2, &body, &d), ASH_OK);
    assert_near(ash_body_get_mass(w, body).inertia.yy, 12 * 5.0 / 12, 1e-14);
    def.mass = 0;
    assert_int_equal(ash_body_create(w, &def, shapes, 2, &body, &d), ASH_BAD_DATA);
    assert_string_equal(d.code, "body.no-mass");
    def.mass = 1;
    def.inertia = (ash_sym3){1, 1, 1.5, 0, 0, 0};
    assert_int_equal(ash_body_create(w, &def, NULL, 0, &body, &d), ASH_OK);
    assert_near(ash_body_get_mass(w, body).principal.z, 1.5, 1e-15);
    def.inertia = (ash_sym3){1, 1, 3, 0, 0, 0}; /* violates the triangle inequality */
    assert_int_equal(ash_body_create(w, &def, NULL, 0, &body, &d), ASH_BAD_DATA);
    ash_geometry_release(shapes[0].geometry);
    ash_world_destroy(w);
}

static void shapes_are_kept_in_order_and_named(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_shape_def shapes[3];
    ash_shape handles[3];
    ash_body_def def = ash_default_body_def();
    ash_body body;
    ash_geometry *box = make_box(v3(1, 1, 1));
    const char *names[] = {"one", NULL, "three"};
    for (int i = 0; i < 3; i++) {
        shapes[i] = ash_default_shape_def();
        shapes[i].geometry = box;
        shapes[i].name = names[i];
        shapes[i].pose.position.z = i;
    }
    assert_int_equal(ash_body_create(w, &def, shapes, 3, &body, NULL), ASH_OK);
    assert_int_equal(ash_body_get_shapes(w, body, handles, 2), 3);
    assert_int_equal(ash_body_get_shapes(w, body, handles, 3), 3);
    for (int i = 0; i < 3; i++) {
        assert_true(ash_shape_is_valid(w, handles[i]));
        assert_near(ash_shape_get_pose(w, handles[i]).position.z, i, 0);
        assert_string_equal(ash_shape_get_name(w, handles[i]), names[i] != NULL ? names[i] : "");
        assert_ptr_equal(ash_shape_get_geometry(w, handles[i]), box);
        assert_int_equal(ash_shape_get_body(w, handles[i]).id, body.id);
    }
    assert_int_equal(ash_body_destroy(w, body), ASH_OK);
    assert_false(ash_shape_is_valid(w, handles[0]));
    assert_null(ash_shape_get_geometry(w, handles[0]));
    assert_int_equal(ash_shape_get_body(w, handles[0]).id, 0);
    assert_string_equal(ash_shape_get_name(w, handles[0]), "");
    assert_int_equal(ash_world_get_last_diagnostic(w).status, ASH_BAD_HANDLE);
    assert_int_equal(ash_body_get_shapes(w, body, handles, 3), 0);
    ash_geometry_release(box);
    ash_world_destroy(w);
}

static void impossible_definitions_are_refused(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body body = {0};
    ash_diagnostic d;
    ash_body_def good = ash_default_body_def();
    good.mass = 1;
    for (int k = 0; k < 14; k++) {
        ash_body_def def = good;
        switch (k) {
        case 0:
            def.position.y = NAN;
            break;
        case 1:
            def.rotation.w = INFINITY;
            break;
        case 2:
            def.velocity.z = NAN;
            break;
        case 3:
            def.angular_velocity.z = NAN;
            break;
        case 4:
            def.mass = -1;
            break;
        case 5:
            def.mass = INFINITY;
            break;
        case 6:
            def.centre.x = NAN;
            break;
        case 7:
            def.inertia.xy = NAN;
            break;
        case 8:
            def.gravity_scale = NAN;
            break;
        case 9:
            def.linear_damping = -1;
            break;
        case 10:
            def.angular_damping = NAN;
            break;
        case 11:
            def.locks = 64;
            break;
        case 12:
            def.rotation = (ash_quat){0, 0, 0, 0};
            break;
        default:
            def.type = (ash_body_type)9;
            break;
        }
        assert_int_equal(ash_body_create(w, &def, NULL, 0, &body, &d), ASH_BAD_DATA);
        assert_true(d.message[0] != 0);
    }
    ash_shape_def shape = ash_default_shape_def();
    assert_int_equal(ash_body_create(w, &good, &shape, 1, &body, &d), ASH_BAD_DATA); /* no geometry */
    ash_geometry_def flat = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
    shape.geometry = make_geometry(&flat);
    assert_int_equal(ash_body_create(w, &good, &shape, 1, &body, &d), ASH_BAD_DATA);
    assert_string_equal(d.code, "shape.flat");
    ash_geometry_release(shape.geometry);
    shape.geometry = make_box(v3(1, 1, 1));
    shape.density = -1;
    assert_int_equal(ash_body_create(w, &good, &shape, 1, &body, &d), ASH_BAD_DATA);
    shape.density = 1;
    shape.pose.rotation.w = 3;
    assert_int_equal(ash_body_create(w, &good, &shape, 1, &body, &d), ASH_BAD_DATA);
    ash_geometry_release(shape.geometry);
    ash_geometry_def plane = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
    shape = ash_default_shape_def();
    shape.geometry = make_geometry(&plane);
    good.mass = 0;
    assert_int_not_equal(ash_body_create(w, &good, &shape, 1, &body, &d), ASH_OK); /* no volume */
    good.type = ASH_BODY_STATIC;
    assert_int_equal(body.id, 0);
    assert_int_equal(ash_body_create(w, &good, &shape, 1, &body, &d), ASH_OK); /* fine where it does not move */
    ash_geometry_release(shape.geometry);
    assert_int_equal(ash_world_get_bodies(w, NULL, 0), 1);
    ash_world_destroy(w);
}

static void planar_worlds_take_flat_shapes_and_stay_flat(void **state)
{
    (void)state;
    ash_world_def world_def = ash_default_world_def();
    ash_world *w;
    ash_diagnostic d;
    world_def.planar = true;
    world_def.gravity = v3(0, -10, 0);
    assert_int_equal(ash_world_create(&world_def, &w, &d), ASH_OK);
    ash_geometry_def circle = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def def = ash_default_body_def();
    ash_body body;
    shape.geometry = make_geometry(&circle);
    shape.density = 2;
    def.velocity = v3(1, 0, 0);
    def.angular_velocity = v3(0, 0, 3);
    assert_int_equal(ash_body_create(w, &def, &shape, 1, &body, &d), ASH_OK);
    assert_near(ash_body_get_mass(w, body).mass, 2 * ASHI_PI, 1e-14);
    assert_near(ash_body_get_mass(w, body).inertia.zz, ASHI_PI, 1e-14);
    take_steps(w, 0.01, 100);
    ash_transform t = ash_body_get_transform(w, body);
    assert_near(t.position.z, 0, 0);
    assert_near(t.rotation.x, 0, 0);
    assert_near(v3_norm(q_log(t.rotation)), 3, 1e-12);
    ash_body_def given = ash_default_body_def();
    given.mass = 1;
    given.inertia.zz = 0.3; /* all that a planar world needs */
    assert_int_equal(ash_body_create(w, &given, NULL, 0, &body, &d), ASH_OK);
    assert_int_equal(ash_body_apply_angular_impulse(w, body, v3(1, 1, 0.6)), ASH_OK);
    assert_near(ash_body_get_angular_velocity(w, body).z, 2, 1e-15);
    assert_near(ash_body_get_angular_velocity(w, body).x, 0, 0);
    def.velocity.z = 1;
    assert_int_equal(ash_body_create(w, &def, &shape, 1, &body, &d), ASH_BAD_DATA);
    assert_string_equal(d.code, "body.planar");
    ash_geometry_release(shape.geometry);
    shape.geometry = make_box(v3(1, 1, 1));
    def.velocity.z = 0;
    assert_int_equal(ash_body_create(w, &def, &shape, 1, &body, &d), ASH_BAD_DATA);
    ash_geometry_release(shape.geometry);
    ash_world_destroy(w);
}

static void stale_handles_are_told_and_do_nothing(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body old = make_point(w, 1, v3(1, 2, 3), v3(0, 0, 0));
    assert_int_equal(ash_body_destroy(w, old), ASH_OK);
    ash_body fresh = make_point(w, 5, v3(7, 8, 9), v3(0, 0, 0)); /* in the same slot */
    uint64_t hash = ash_world_get_hash(w);
    assert_false(ash_body_is_valid(w, old));
    assert_true(ash_body_is_valid(w, fresh));
    ash_vec3 any = v3(1, 1, 1);
    assert_int_equal(ash_body_destroy(w, old), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_set_velocity(w, old, any), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_set_angular_velocity(w, old, any), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_set_transform(w, old, ash_identity()), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_set_type(w, old, ASH_BODY_STATIC), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_set_locks(w, old, 1), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_set_mass(w, old, 1, any, (ash_sym3){0}, NULL), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_set_name(w, old, "x"), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_set_user_data(w, old, NULL), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_set_damping(w, old, 1, 1), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_set_gravity_scale(w, old, 1), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_apply_force(w, old, any, any), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_apply_force_to_centre(w, old, any), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_apply_torque(w, old, any), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_apply_impulse(w, old, any, any), ASH_BAD_HANDLE);
    assert_int_equal(ash_body_apply_angular_impulse(w, old, any), ASH_BAD_HANDLE);
    assert_near(v3_norm(ash_body_get_centre(w, old)), 0, 0);
    assert_near(ash_body_get_mass(w, old).mass, 0, 0);
    assert_string_equal(ash_body_get_name(w, old), "");
    assert_int_equal(ash_body_get_type(w, old), ASH_BODY_STATIC);
    assert_null(ash_body_get_user_data(w, old));
    assert_int_equal(ash_world_get_last_diagnostic(w).status, ASH_BAD_HANDLE);
    assert_int_equal(ash_world_get_hash(w), hash);
    ash_world_destroy(w);
}

static void arguments_that_are_not_finite_do_nothing(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body a = make_rotor(w, 1, v3(1, 1, 1), v3(1, 2, 3), v3(0, 0, 0));
    uint64_t hash = ash_world_get_hash(w);
    ash_vec3 bad = v3(0, NAN, 0), fine = v3(0, 0, 0);
    ash_transform pose = ash_identity();
    pose.rotation.w = 0;
    assert_int_equal(ash_body_set_velocity(w, a, bad), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_set_angular_velocity(w, a, bad), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_set_transform(w, a, pose), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_set_damping(w, a, -1, 0), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_set_gravity_scale(w, a, INFINITY), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_set_locks(w, a, 64), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_set_type(w, a, (ash_body_type)5), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_set_mass(w, a, -1, fine, (ash_sym3){0}, NULL), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_apply_force(w, a, bad, fine), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_apply_impulse(w, a, fine, bad), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_apply_torque(w, a, bad), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_apply_angular_impulse(w, a, bad), ASH_BAD_ARGUMENT);
    ash_body background = ash_world_get_background(w);
    assert_int_equal(ash_body_set_velocity(w, background, fine), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_destroy(w, background), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_set_type(w, background, ASH_BODY_DYNAMIC), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_get_hash(w), hash);
    ash_world_destroy(w);
}

static void types_and_locks_change_how_a_body_moves(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_SYMPLECTIC_EULER, v3(0, 0, -10), 1);
    ash_body_def def = ash_default_body_def();
    def.type = ASH_BODY_STATIC;
    def.mass = 1;
    def.inertia = (ash_sym3){1, 1, 1, 0, 0, 0};
    def.velocity = v3(1, 0, 0);
    ash_body a = make_body(w, &def);
    take_steps(w, 0.1, 10);
    assert_near(v3_norm(ash_body_get_centre(w, a)), 0, 0);
    assert_int_equal(ash_body_set_velocity(w, a, v3(1, 0, 0)), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_body_set_type(w, a, ASH_BODY_DYNAMIC), ASH_OK); /* released with the mass it was given */
    take_steps(w, 0.1, 1);
    assert_near(ash_body_get_velocity(w, a).z, -1, 1e-15);
    assert_int_equal(ash_body_set_locks(w, a, ASH_LOCK_Z), ASH_OK);
    assert_int_equal(ash_body_get_locks(w, a), ASH_LOCK_Z);
    assert_near(ash_body_get_velocity(w, a).z, 0, 0);
    take_steps(w, 0.1, 5);
    assert_near(ash_body_get_velocity(w, a).z, 0, 0);
    assert_int_equal(ash_body_set_locks(w, a, 0), ASH_OK);
    assert_int_equal(ash_body_set_gravity_scale(w, a, -2), ASH_OK);
    assert_near(ash_body_get_gravity_scale(w, a), -2, 0);
    take_steps(w, 0.1, 1);
    assert_near(ash_body_get_velocity(w, a).z, 2, 1e-15);
    def = ash_default_body_def();
    def.type = ASH_BODY_KINEMATIC;
    ash_body massless = make_body(w, &def);
    assert_int_equal(ash_body_set_type(w, massless, ASH_BODY_DYNAMIC), ASH_BAD_DATA);
    def.type = ASH_BODY_DYNAMIC;
    def.mass = 1;
    ash_body point = make_body(w, &def);
    assert_int_equal(ash_body_set_locks(w, point, 0), ASH_BAD_DATA); /* no inertia to turn with */
    ash_world_destroy(w);
}

static void a_new_centre_of_mass_moves_nothing_that_is_seen(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body a = make_rotor(w, 1, v3(1, 1, 1), v3(1, 0, 0), v3(0, 0, 2));
    ash_spring_def spring = ash_default_spring_def();
    spring.body_a = a;
    spring.point_a = v3(0, 1, 0);
    spring.stiffness = 1;
    ash_force f = make_spring(w, &spring);
    double length = ash_spring_get_length(w, f);
    ash_vec3 before = ash_body_get_point_velocity(w, a, v3(4, 5, 6));
    assert_int_equal(ash_body_set_mass(w, a, 2, v3(0.5, 0.1, 0), (ash_sym3){1, 1, 1, 0, 0, 0}, NULL), ASH_OK);
    assert_near(ash_body_get_transform(w, a).position.x, 1, 1e-15);
    assert_near(ash_body_get_centre(w, a).x, 1.5, 1e-15);
    assert_near(v3_distance(ash_body_get_point_velocity(w, a, v3(4, 5, 6)), before), 0, 1e-14);
    assert_near(ash_spring_get_length(w, f), length, 1e-15);
    ash_diagnostic d;
    assert_int_equal(ash_body_set_mass(w, a, 2, v3(0, 0, 0), (ash_sym3){1, 1, 9, 0, 0, 0}, &d), ASH_BAD_DATA);
    assert_int_equal(ash_body_set_mass(w, a, 2, v3(0, 0, 0), (ash_sym3){0}, &d), ASH_BAD_DATA);
    ash_world_destroy(w);
}

static void points_and_names(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    int mark = 0;
    ash_body_def def = ash_default_body_def();
    def.mass = 1;
    def.name = "bob";
    def.user_data = &mark;
    def.position = v3(1, 0, 0);
    def.rotation = ash_rotation(v3(0, 0, 1), ASHI_PI / 2);
    ash_body a = make_body(w, &def);
    assert_int_equal(ash_world_find_body(w, "bob").id, a.id);
    assert_int_equal(ash_world_find_body(w, "alice").id, 0);
    assert_ptr_equal(ash_body_get_user_data(w, a), &mark);
    assert_int_equal(ash_body_set_user_data(w, a, NULL), ASH_OK);
    assert_null(ash_body_get_user_data(w, a));
    assert_int_equal(ash_body_set_name(w, a, "eve"), ASH_OK);
    assert_string_equal(ash_body_get_name(w, a), "eve");
    assert_int_equal(ash_body_set_name(w, a, NULL), ASH_OK);
    assert_string_equal(ash_body_get_name(w, a), "");
    ash_vec3 p = ash_body_point_to_world(w, a, v3(1, 0, 0));
    assert_near(p.x, 1, 1e-15);
    assert_near(p.y, 1, 1e-15);
    ash_vec3 back = ash_body_point_to_local(w, a, p);
    assert_near(v3_distance(back, v3(1, 0, 0)), 0, 1e-15);
    ash_world_destroy(w);
}

static void impulses_act_at_once(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body a = make_rotor(w, 2, v3(1, 1.5, 2), v3(0, 0, 0), v3(0, 0, 0));
    assert_int_equal(ash_body_apply_impulse(w, a, v3(4, 0, 0), v3(0, 1, 0)), ASH_OK);
    assert_near(ash_body_get_velocity(w, a).x, 2, 1e-15);
    assert_near(ash_body_get_angular_velocity(w, a).z, -2, 1e-15);
    assert_int_equal(ash_body_apply_angular_impulse(w, a, v3(0, 3, 0)), ASH_OK);
    assert_near(ash_body_get_angular_velocity(w, a).y, 2, 1e-15);
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_comes_from_shapes_or_is_given),
        cmocka_unit_test(shapes_are_kept_in_order_and_named),
        cmocka_unit_test(impossible_definitions_are_refused),
        cmocka_unit_test(planar_worlds_take_flat_shapes_and_stay_flat),
        cmocka_unit_test(stale_handles_are_told_and_do_nothing),
        cmocka_unit_test(arguments_that_are_not_finite_do_nothing),
        cmocka_unit_test(types_and_locks_change_how_a_body_moves),
        cmocka_unit_test(a_new_centre_of_mass_moves_nothing_that_is_seen),
        cmocka_unit_test(points_and_names),
        cmocka_unit_test(impulses_act_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
