/* Nothing passes through anything unseen: impacts within a step. */
#include "ashlar/contact.h"
#include "math/transform.h"
#include "worlds.h"

static ash_body add(ash_world *w, ash_geometry_def geometry, ash_body_def def)
{
    ash_shape_def shape = ash_default_shape_def();
    ash_body body;
    ash_diagnostic d;
    assert_int_equal(ash_geometry_create(&geometry, &shape.geometry, &d), ASH_OK);
    if (ash_body_create(w, &def, &shape, 1, &body, &d) != ASH_OK)
        fail_msg("%s", d.message);
    ash_geometry_release(shape.geometry);
    return body;
}

static ash_geometry_def ball_of(double radius)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    def.radius = radius;
    return def;
}

static ash_geometry_def box_of(double x, double y, double z)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = v3(x, y, z);
    return def;
}

static ash_body_def at(ash_body_type type, ash_vec3 position, ash_vec3 velocity)
{
    ash_body_def def = ash_default_body_def();
    def.type = type;
    def.position = position;
    def.velocity = velocity;
    return def;
}

static void a_fast_ball_does_not_pass_a_thin_wall(void **state)
{
    (void)state;
    for (int k = 0; k < ASH_INTEGRATORS; k++) {
        ash_world *w = make_world((ash_integrator)k, v3(0, 0, 0), 1);
        ash_impact impact;
        add(w, ball_of(0.05), at(ASH_BODY_DYNAMIC, v3(-2, 0.1, 0.2), v3(500, 0, 0)));
        add(w, box_of(0.005, 1, 1), at(ASH_BODY_STATIC, v3(0, 0, 0), v3(0, 0, 0)));
        take_steps(w, 0.01, 1); /* 5 m in the step */
        assert_int_equal(ash_world_get_contacts(w, NULL, 0), 0);
        assert_int_equal(ash_world_get_impacts(w, &impact, 1), 1);
        assert_near(impact.time, (2 - 0.05 - 0.005) / 500, 1e-7);
        assert_near(fabs(impact.normal.x), 1, 1e-9);
        assert_near(impact.on_b.x, -0.005, 1e-5);
        assert_near(impact.on_a.y, 0.1, 1e-9);
        take_steps(w, 0.01, 1);
        assert_int_equal(ash_world_get_impacts(w, &impact, 1), 0); /* past it */
        ash_world_destroy(w);
    }
}

static void a_mesh_wall_and_a_plane_stop_it_too(void **state)
{
    (void)state;
    static const ash_vec3 corners[] = {{-0.005, -1, -1}, {0.005, -1, -1}, {0.005, 1, -1}, {-0.005, 1, -1},
                                       {-0.005, -1, 1},  {0.005, -1, 1},  {0.005, 1, 1},  {-0.005, 1, 1}};
    static const uint32_t faces[] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                     2, 3, 7, 2, 7, 6, 0, 4, 7, 0, 7, 3, 1, 2, 6, 1, 6, 5};
    ash_geometry_def mesh = ash_default_geometry_def(ASH_GEOMETRY_MESH);
    mesh.points = corners;
    mesh.point_count = 8;
    mesh.triangles = faces;
    mesh.triangle_count = 12;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ash_impact impacts[2];
    add(w, ball_of(0.05), at(ASH_BODY_DYNAMIC, v3(-2, 0, 0.5), v3(500, 0, 0)));
    add(w, mesh, at(ASH_BODY_STATIC, v3(0, 0, 0), v3(0, 0, 0)));
    ash_body_def floor = at(ASH_BODY_STATIC, v3(1, 0, 0), v3(0, 0, 0));
    floor.rotation = ash_rotation(v3(0, 1, 0), -ASHI_PI / 2); /* its normal along -x */
    add(w, ash_default_geometry_def(ASH_GEOMETRY_PLANE), floor);
    take_steps(w, 0.01, 1);
    assert_int_equal(ash_world_get_impacts(w, impacts, 2), 2);
    assert_near(impacts[0].time, (2 - 0.055) / 500, 1e-7); /* the earliest first */
    assert_near(impacts[1].time, (3 - 0.05) / 500, 1e-7);
    ash_world_destroy(w);
}

/* A rod of 2 m turns by half a turn in a step and would end where it began; a post stands in its way. */
static void a_spinning_rod_hits_the_post(void **state)
{
    (void)state;
    const double h = 0.1;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ash_impact impact;
    ash_body_def rod = at(ASH_BODY_DYNAMIC, v3(0, 0, 0), v3(0, 0, 0));
    rod.angular_velocity = v3(0, 0, ASHI_PI / h);
    add(w, box_of(1, 0.01, 0.01), rod);
    add(w, ball_of(0.1), at(ASH_BODY_STATIC, v3(0, 0.8, 0), v3(0, 0, 0)));
    take_steps(w, h, 1);
    assert_int_equal(ash_world_get_contacts(w, NULL, 0), 0);
    assert_int_equal(ash_world_get_impacts(w, &impact, 1), 1);
    /* The rod's side, 0.01 from its middle line, touches the ball, 0.1 from its centre: sin(90 deg - angle) = 0.11 /
     * 0.8 */
    double angle = ASHI_PI / 2 - asin(0.11 / 0.8);
    assert_near(impact.time, angle / ASHI_PI * h, 1e-5);
    ash_world_destroy(w);
}

/* A tumbling brick falls onto a floor at high speed: it is held where it touches, with the momentum that it had, and
 * the ledger knows what lifting and turning it back did to the energy. */
static void what_is_held_is_booked(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, -9.81), 1);
    ash_method method = ash_world_get_method(w);
    method.contacts = ASH_CONTACTS_SOLVE;
    assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
    ash_body_def def = at(ASH_BODY_DYNAMIC, v3(0, 0, 1), v3(0, 0, -80));
    def.angular_velocity = v3(60, 30, -40);
    ash_body brick = add(w, box_of(0.4, 0.2, 0.1), def);
    add(w, ash_default_geometry_def(ASH_GEOMETRY_PLANE), at(ASH_BODY_STATIC, v3(0, 0, 0), v3(0, 0, 0)));
    ash_vec3 before = ash_body_get_angular_momentum(w, brick);
    ash_ledger start = ash_world_get_ledger(w);
    take_steps(w, 0.01, 1);
    ash_impact impact;
    ash_ledger held = ash_world_get_ledger(w);
    assert_int_equal(ash_world_get_impacts(w, &impact, 1), 1);
    assert_true(impact.time > 0 && impact.time < 0.01);
    ash_vec3 after = ash_body_get_angular_momentum(w, brick);
    assert_near(v3_distance(before, after) / v3_norm(before), 0, 1e-12);
    assert_near(ash_body_get_velocity(w, brick).z, -80 - 0.0981, 1e-12);
    assert_true(fabs(held.stabilization) > 1); /* it was turned back by 0.3 rad or so, and lifted */
    /* What free motion itself leaves: order h of the fall, and rotation by splitting. */
    assert_below(fabs(held.remainder), 1e-4 * start.kinetic);
    ash_world_destroy(w);
}

/* Held once, a body is not held again where it is: contacts have it from there on. */
static void nobody_is_held_for_ever(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ash_method method = ash_world_get_method(w);
    method.contacts = ASH_CONTACTS_SOLVE;
    method.contact_margin = 0; /* so that no contact sees the gap that it is held at */
    assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
    ash_body ball = add(w, ball_of(0.1), at(ASH_BODY_DYNAMIC, v3(0, 0, 2), v3(0, 0, -50)));
    add(w, ash_default_geometry_def(ASH_GEOMETRY_PLANE), at(ASH_BODY_STATIC, v3(0, 0, 0), v3(0, 0, 0)));
    take_steps(w, 0.01, 20);
    assert_true(ash_body_get_velocity(w, ball).z > -1e-3);
    ash_world_destroy(w);
}

static void moving_bodies_meet_when_one_is_fast(void **state)
{
    (void)state;
    for (int fast = 0; fast < 3; fast++) {
        ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
        ash_impact impact;
        ash_body_def left = at(ASH_BODY_DYNAMIC, v3(-0.1, 0, 0), v3(18, 0, 0)); /* 1.8 thicknesses in a step */
        ash_body_def right = at(ASH_BODY_DYNAMIC, v3(0.1, 0.01, 0), v3(-18, 0, 0));
        left.fast = fast == 1;
        right.fast = fast == 2;
        add(w, ball_of(0.05), left);
        add(w, ball_of(0.05), right);
        take_steps(w, 0.01, 1);
        assert_int_equal(ash_world_get_impacts(w, &impact, 1), fast == 0 ? 0 : 1);
        if (fast != 0)
            assert_near(impact.time, (0.2 - sqrt(0.01 - 1e-4)) / 36, 1e-6);
        ash_world_destroy(w);
    }
}

/* A bullet needs no flag, whichever of the two comes first and however fast the other is. */
static void bullets_meet_moving_bodies(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
        ash_impact impact;
        double slow = (double[]){0, 8, 200}[i % 3]; /* at rest, fast, a bullet */
        ash_body_def left = at(ASH_BODY_DYNAMIC, v3(-1, 0, 0), v3(300, 0, 0));
        ash_body_def right = at(ASH_BODY_DYNAMIC, v3(1, 0.01, 0), v3(-slow, 0, 0));
        add(w, ball_of(0.05), i < 3 ? left : right);
        add(w, ball_of(0.05), i < 3 ? right : left);
        take_steps(w, 0.01, 1);
        assert_int_equal(ash_world_get_impacts(w, &impact, 1), 1);
        assert_near(impact.time, (2 - sqrt(0.01 - 1e-4)) / (300 + slow), 1e-6);
        ash_world_destroy(w);
    }
}

/* Two bullets whose ways cross, and whose ends are far from each other's way. */
static void bullets_cross(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ash_impact impact;
    add(w, ball_of(0.05), at(ASH_BODY_DYNAMIC, v3(-1, 0, 0), v3(200, 0, 0)));
    add(w, ball_of(0.05), at(ASH_BODY_DYNAMIC, v3(0, -1, 0), v3(0, 200, 0)));
    take_steps(w, 0.01, 1);
    assert_int_equal(ash_world_get_impacts(w, &impact, 1), 1);
    assert_near(impact.time, (1 - 0.1 / sqrt(2)) / 200, 1e-6);
    ash_world_destroy(w);
}

/* Momentum passes to a thin wall that could be passed between two steps. */
static void bullets_stop_in_walls(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
        ash_method method = ash_world_get_method(w);
        method.contacts = ASH_CONTACTS_SOLVE;
        assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
        ash_body bullet = add(w, ball_of(0.01), at(ASH_BODY_DYNAMIC, v3(-1 - 0.37 * i, 0, 0), v3(800, 0, 0)));
        ash_body wall = add(w, box_of(0.02, 1, 1), at(ASH_BODY_DYNAMIC, v3(0, 0, 0), v3(0, 0, 0)));
        take_steps(w, 0.01, 10);
        double v = ash_body_get_velocity(w, bullet).x, u = ash_body_get_velocity(w, wall).x;
        double m = ash_body_get_mass(w, bullet).mass, n = ash_body_get_mass(w, wall).mass;
        assert_near(m * v + n * u, 800 * m, 1e-9 * 800 * m);
        assert_true(v <= u + 1e-3);
        ash_world_destroy(w);
    }
}

static void slow_filtered_or_touching_bodies_have_none(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ash_body ball = add(w, ball_of(0.05), at(ASH_BODY_DYNAMIC, v3(-0.08, 0, 0), v3(1, 0, 0)));
    ash_body wall = add(w, box_of(0.005, 1, 1), at(ASH_BODY_STATIC, v3(0, 0, 0), v3(0, 0, 0)));
    for (int i = 0; i < 5; i++) {
        take_steps(w, 0.01, 1); /* 1 cm a step, less than half of the ball */
        assert_int_equal(ash_world_get_impacts(w, NULL, 0), 0);
    }
    assert_true(ash_world_get_report(w).penetration > 0);
    assert_int_equal(ash_body_set_velocity(w, ball, v3(500, 0, 0)), ASH_OK);
    take_steps(w, 0.01, 1); /* it touched already */
    assert_int_equal(ash_world_get_impacts(w, NULL, 0), 0);
    assert_int_equal(ash_body_set_transform(w, ball, (ash_transform){{-2, 0, 0}, {1, 0, 0, 0}}), ASH_OK);
    assert_int_equal(ash_world_ignore_pair(w, ball, wall, true), ASH_OK);
    take_steps(w, 0.01, 1);
    assert_int_equal(ash_world_get_impacts(w, NULL, 0), 0);
    assert_int_equal(ash_world_ignore_pair(w, ball, wall, false), ASH_OK);
    ash_method method = ash_world_get_method(w);
    method.continuous = false;
    assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
    assert_int_equal(ash_body_set_transform(w, ball, (ash_transform){{-2, 0, 0}, {1, 0, 0, 0}}), ASH_OK);
    take_steps(w, 0.01, 1);
    assert_int_equal(ash_world_get_impacts(w, NULL, 0), 0);
    ash_world_destroy(w);
}

static void flat_worlds_have_impacts_too(void **state)
{
    (void)state;
    ash_world_def def = ash_default_world_def();
    def.method.contacts = ASH_CONTACTS_DETECT;
    ash_world *w;
    ash_impact impact;
    def.planar = true;
    def.gravity = v3(0, 0, 0);
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_OK);
    ash_geometry_def circle = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
    static const ash_vec3 ends[] = {{0, -1, 0}, {0, 1, 0}};
    ash_geometry_def line = ash_default_geometry_def(ASH_GEOMETRY_SEGMENT);
    circle.radius = 0.05;
    line.points = ends;
    line.point_count = 2;
    add(w, circle, at(ASH_BODY_DYNAMIC, v3(-2, 0, 0), v3(500, 0, 0)));
    add(w, line, at(ASH_BODY_STATIC, v3(0, 0, 0), v3(0, 0, 0)));
    take_steps(w, 0.01, 1);
    assert_int_equal(ash_world_get_impacts(w, &impact, 1), 1);
    assert_near(impact.time, 1.95 / 500, 1e-7);
    ash_world_destroy(w);
}

/* Contacts are found once a step, also in one in which somebody is held back: a point is then one step older. */
static void held_bodies_make_no_other_contact_older(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, -10), 1);
    ash_method method = ash_world_get_method(w);
    method.contacts = ASH_CONTACTS_SOLVE;
    assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
    ash_contact contact;
    add(w, box_of(5, 5, 1), at(ASH_BODY_STATIC, v3(0, 0, -1), v3(0, 0, 0)));
    add(w, box_of(0.5, 0.5, 0.5), at(ASH_BODY_DYNAMIC, v3(0, 0, 0.5), v3(0, 0, 0)));
    add(w, ball_of(0.05), at(ASH_BODY_DYNAMIC, v3(3, 3, 16.5), v3(0, 0, -300))); /* on the floor in the sixth step */
    take_steps(w, 0.01, 5);
    assert_int_equal(ash_world_get_contacts(w, &contact, 1), 1);
    assert_int_equal(contact.point_count, 4);
    uint32_t age = contact.points[0].age;
    take_steps(w, 0.01, 1);
    assert_int_equal(ash_world_get_impacts(w, NULL, 0), 1);
    assert_true(ash_world_get_contacts(w, &contact, 1) >= 1); /* the box's is first: its slot is */
    assert_int_equal(contact.point_count, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(contact.points[i].age, age + 1);
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fast_ball_does_not_pass_a_thin_wall),
        cmocka_unit_test(a_mesh_wall_and_a_plane_stop_it_too),
        cmocka_unit_test(a_spinning_rod_hits_the_post),
        cmocka_unit_test(what_is_held_is_booked),
        cmocka_unit_test(nobody_is_held_for_ever),
        cmocka_unit_test(moving_bodies_meet_when_one_is_fast),
        cmocka_unit_test(bullets_meet_moving_bodies),
        cmocka_unit_test(bullets_cross),
        cmocka_unit_test(bullets_stop_in_walls),
        cmocka_unit_test(slow_filtered_or_touching_bodies_have_none),
        cmocka_unit_test(flat_worlds_have_impacts_too),
        cmocka_unit_test(held_bodies_make_no_other_contact_older),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
