/* Debug geometry: how much of what each layer has, and where. */
#include "ashlar/debug.h"
#include "ashlar/joint.h"
#include "math/transform.h"
#include "worlds.h"

typedef struct tally {
    uint32_t lines, arrows, points;
    ash_vec3 last_from, last_to;
    double last_value;
    ash_vec3 arrow_sum, moment; /* of all arrows, about the origin */
    double least, most;         /* of the values */
} tally;

static void note(tally *t, double value)
{
    t->least = t->lines + t->arrows + t->points == 1 ? value : fmin(t->least, value);
    t->most = t->lines + t->arrows + t->points == 1 ? value : fmax(t->most, value);
    t->last_value = value;
}

static void count_line(ash_vec3 from, ash_vec3 to, ash_debug_layer layer, double value, void *user)
{
    tally *t = user;
    (void)layer;
    t->lines++;
    t->last_from = from;
    t->last_to = to;
    note(t, value);
}

static void count_arrow(ash_vec3 from, ash_vec3 to, ash_debug_layer layer, double value, void *user)
{
    tally *t = user;
    (void)layer;
    t->arrows++;
    t->last_from = from;
    t->last_to = to;
    t->arrow_sum = v3_add(t->arrow_sum, v3_sub(to, from));
    t->moment = v3_add(t->moment, v3_cross(from, v3_sub(to, from)));
    note(t, value);
}

static void count_point(ash_vec3 position, ash_debug_layer layer, double value, void *user)
{
    tally *t = user;
    (void)layer;
    t->points++;
    t->last_from = position;
    note(t, value);
}

static const double force_scale = 1e-3; /* m per N */

static tally draw(const ash_world *w, uint32_t layers)
{
    tally t = {0};
    ash_debug_painter painter = {count_line, count_arrow, count_point, &t};
    assert_int_equal(ash_world_debug(w, layers, (ash_debug_scale){0.5, 0.25, 2, force_scale}, &painter), ASH_OK);
    return t;
}

static ash_body add(ash_world *w, const ash_geometry_def *geometry, ash_body_type type, ash_vec3 position,
                    ash_vec3 velocity)
{
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def def = ash_default_body_def();
    ash_body body;
    def.type = type;
    def.position = position;
    def.velocity = velocity;
    assert_int_equal(ash_geometry_create(geometry, &shape.geometry, NULL), ASH_OK);
    assert_int_equal(ash_body_create(w, &def, &shape, 1, &body, NULL), ASH_OK);
    ash_geometry_release(shape.geometry);
    return body;
}

static void each_layer_has_what_it_should(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_geometry_def plane = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
    add(w, &plane, ASH_BODY_STATIC, v3(0, 0, 0), v3(0, 0, 0));
    add(w, &ball, ASH_BODY_DYNAMIC, v3(0, 0, 0.9), v3(3, 0, 0));
    assert_int_equal(ash_world_detect(w), ASH_OK);
    tally t = draw(w, ASH_DEBUG_BOUNDS);
    assert_int_equal(t.lines, 12); /* of the ball; the plane has none */
    t = draw(w, ASH_DEBUG_AXES);
    assert_int_equal(t.arrows, 6);
    assert_near(v3_distance(t.last_from, t.last_to), 0.5, 1e-15);
    t = draw(w, ASH_DEBUG_VELOCITIES);
    assert_int_equal(t.arrows, 1);
    assert_near(t.last_to.x, 6, 1e-15);
    assert_near(t.last_value, 3, 1e-15);
    t = draw(w, ASH_DEBUG_CENTRES);
    assert_int_equal(t.points, 1);
    t = draw(w, ASH_DEBUG_CONTACTS);
    assert_int_equal(t.lines, 1);
    assert_int_equal(t.points, 2);
    assert_near(t.last_value, 0.1, 1e-15);
    t = draw(w, ASH_DEBUG_NORMALS);
    assert_int_equal(t.arrows, 1);
    assert_near(fabs(t.last_to.z - t.last_from.z), 0.25, 1e-15);
    t = draw(w, ASH_DEBUG_PENETRATION);
    assert_int_equal(t.lines, 1);
    assert_near(t.last_value, 0.1, 1e-15);
    assert_near(v3_distance(t.last_from, t.last_to), 0.1, 1e-15);
    t = draw(w, ASH_DEBUG_EDGES | ASH_DEBUG_IMPACTS);
    assert_int_equal(t.lines + t.arrows + t.points, 0);
    take_steps(w, 1, 1); /* three times its size */
    ash_debug_painter nobody = {0};
    assert_int_equal(ash_world_debug(w, (1u << ASH_DEBUG_LAYERS) - 1, (ash_debug_scale){1, 1, 1, 1}, &nobody), ASH_OK);
    assert_int_equal(ash_world_debug(w, 0, (ash_debug_scale){1, 1, 1, INFINITY}, &nobody), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_debug(w, 255, (ash_debug_scale){NAN, 1, 1, 1}, &nobody), ASH_BAD_ARGUMENT);
    ash_world_destroy(w);
}

static void flat_sides_point_outwards(void **state)
{
    (void)state;
    ash_world_def def = ash_default_world_def();
    def.method.contacts = ASH_CONTACTS_DETECT;
    ash_world *w;
    static const ash_vec3 corners[] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    ash_geometry_def square = ash_default_geometry_def(ASH_GEOMETRY_POLYGON);
    square.points = corners;
    square.point_count = 4;
    def.planar = true;
    def.gravity = v3(0, 0, 0);
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_OK);
    add(w, &square, ASH_BODY_DYNAMIC, v3(5, 0, 0), v3(0, 0, 0));
    tally t = draw(w, ASH_DEBUG_EDGES);
    assert_int_equal(t.arrows, 4);
    assert_true(v3_distance(t.last_to, v3(5, 0, 0)) > v3_distance(t.last_from, v3(5, 0, 0)));
    assert_int_equal(draw(w, ASH_DEBUG_BOUNDS).lines, 4);
    assert_int_equal(draw(w, ASH_DEBUG_AXES).arrows, 2);
    ash_world_destroy(w);
}

static void impacts_are_points(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    add(w, &ball, ASH_BODY_DYNAMIC, v3(-10, 0, 0), v3(1000, 0, 0));
    add(w, &ball, ASH_BODY_STATIC, v3(0, 0, 0), v3(0, 0, 0));
    take_steps(w, 0.1, 1);
    tally t = draw(w, ASH_DEBUG_IMPACTS);
    assert_int_equal(t.points, 1);
    assert_near(t.last_value, 0.008, 1e-6);
    assert_near(t.last_from.x, -1, 1e-3);
    ash_world_destroy(w);
}

static ash_joint join(ash_world *w, const ash_joint_def *def)
{
    ash_joint joint;
    ash_diagnostic diagnostic = {0};
    if (ash_joint_create(w, def, &joint, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    return joint;
}

/* A joint between the background and a ball at (2, 0, 0), drawn alone: how much there is of it. */
static tally draw_joint(ash_joint_def def, ash_debug_layer layer)
{
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    def.body_b = add(w, &ball, ASH_BODY_DYNAMIC, v3(2, 0, 0), v3(0, 0, 0));
    ash_joint joint = join(w, &def);
    tally t = draw(w, layer);
    assert_int_equal(t.points, layer == ASH_DEBUG_JOINTS ? 2 : 0);
    assert_int_equal(ash_joint_set_enabled(w, joint, false), ASH_OK);
    tally off = draw(w, layer);
    assert_int_equal(off.points + off.lines + off.arrows, 0);
    ash_world_destroy(w);
    return t;
}

static void joints_show_axes_and_lines(void **state)
{
    (void)state;
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_DISTANCE);
    tally t = draw_joint(def, ASH_DEBUG_JOINTS);
    assert_int_equal(t.lines, 1);
    assert_int_equal(t.arrows, 0);
    assert_near(v3_distance(t.last_from, t.last_to), 2, 1e-15);
    def = ash_default_joint_def(ASH_JOINT_HINGE); /* open by 2 m: its value is the error */
    t = draw_joint(def, ASH_DEBUG_JOINTS);
    assert_int_equal(t.lines, 1);
    assert_int_equal(t.arrows, 1);
    assert_near(t.last_value, 2, 1e-15);
    assert_near(v3_distance(t.last_to, v3(0.5, 0, 0)), 0, 1e-15); /* x of frame a, half a metre */
    def = ash_default_joint_def(ASH_JOINT_PULLEY);
    def.hang_a = v3(0, 0, 1);
    def.hang_b = v3(2, 0, 1);
    assert_int_equal(draw_joint(def, ASH_DEBUG_JOINTS).lines, 3);
    static const ash_vec3 rail[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    def = ash_default_joint_def(ASH_JOINT_PATH);
    def.path = rail;
    def.path_count = 3;
    t = draw_joint(def, ASH_DEBUG_JOINTS);
    assert_int_equal(t.lines, 16);
    assert_near(v3_distance(t.last_to, v3(2, 0, 0)), 0, 1e-6);
}

static void limits_are_lines_and_rays(void **state)
{
    (void)state;
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_HINGE);
    tally t = draw_joint(def, ASH_DEBUG_LIMITS);
    assert_int_equal(t.lines + t.arrows, 0);
    def.axes[ASH_TURN_X].upper = 1;
    t = draw_joint(def, ASH_DEBUG_LIMITS); /* the limit, and where it is now */
    assert_int_equal(t.lines, 1);
    assert_int_equal(t.arrows, 1);
    assert_near(v3_distance(t.last_to, v3(2, 0.5, 0)), 0, 1e-15); /* y of b */
    def = ash_default_joint_def(ASH_JOINT_SLIDER);
    def.axes[ASH_MOVE_X].lower = -1;
    def.axes[ASH_MOVE_X].upper = 3;
    t = draw_joint(def, ASH_DEBUG_LIMITS); /* the bounds, two bars at each */
    assert_int_equal(t.lines, 5);
    assert_near(v3_distance(t.last_from, t.last_to), 4, 1e-15);
    def = ash_default_joint_def(ASH_JOINT_BALL);
    def.cone = 0.3;
    t = draw_joint(def, ASH_DEBUG_LIMITS);
    assert_int_equal(t.lines, 12);
    assert_int_equal(t.arrows, 1);
}

/* A world of the default method with a floor. */
static ash_world *floor_world(ash_vec3 gravity)
{
    ash_world_def def = ash_default_world_def();
    ash_geometry_def plane = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
    ash_world *w;
    def.gravity = gravity;
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_OK);
    add(w, &plane, ASH_BODY_STATIC, v3(0, 0, 0), v3(0, 0, 0));
    return w;
}

/* A box at rest: its arrows carry its weight, those of friction what pulls it sideways. */
static void forces_carry_the_weight(void **state)
{
    (void)state;
    ash_world *w = floor_world(v3(1, 0, -10));
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    box.half_extents = v3(0.1, 0.1, 0.1);
    ash_body body = add(w, &box, ASH_BODY_DYNAMIC, v3(0, 0, 0.1), v3(0, 0, 0));
    take_steps(w, 0.005, 100);
    double mass = ash_body_get_mass(w, body).mass;
    tally t = draw(w, ASH_DEBUG_FORCES);
    assert_int_equal(t.arrows, 4);
    assert_near(t.arrow_sum.z, 10 * mass * force_scale, 1e-3 * mass * force_scale);
    assert_near(v3_norm(v3(t.arrow_sum.x, t.arrow_sum.y, 0)), 0, 1e-6 * mass * force_scale);
    assert_near(v3_distance(t.last_from, t.last_to), t.last_value * force_scale, 1e-12);
    assert_near(t.last_from.z, 0, 1e-3);
    /* Friction, 0.1 m below its centre, would tip it over: the points in front bear more. */
    assert_near(t.moment.y, -0.1 * mass * force_scale, 2e-3 * mass * force_scale);
    t = draw(w, ASH_DEBUG_FRICTION);
    assert_int_equal(t.arrows, 4);
    assert_near(t.arrow_sum.x, -mass * force_scale, 1e-3 * mass * force_scale);
    assert_near(t.arrow_sum.z, 0, 1e-6 * mass * force_scale);
    /* It is asleep, and still does. */
    assert_int_equal(draw(w, ASH_DEBUG_SLEEPING).lines, 12);
    assert_int_equal(ash_body_wake(w, body), ASH_OK);
    assert_int_equal(draw(w, ASH_DEBUG_SLEEPING).lines, 0);
    ash_world_destroy(w);
}

static void sensors_bear_nothing(void **state)
{
    (void)state;
    ash_world *w = floor_world(v3(0, 0, 0));
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def def = ash_default_body_def();
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_body body;
    def.position.z = 0.5;
    shape.sensor = true;
    assert_int_equal(ash_geometry_create(&ball, &shape.geometry, NULL), ASH_OK);
    assert_int_equal(ash_body_create(w, &def, &shape, 1, &body, NULL), ASH_OK);
    ash_geometry_release(shape.geometry);
    assert_int_equal(ash_world_detect(w), ASH_OK);
    assert_int_equal(draw(w, ASH_DEBUG_CONTACTS).lines, 1);
    tally t = draw(w, ASH_DEBUG_PENETRATION | ASH_DEBUG_FORCES | ASH_DEBUG_FRICTION | ASH_DEBUG_GRAPH);
    assert_int_equal(t.lines + t.arrows, 0);
    ash_world_destroy(w);
}

static void springs_show_what_they_bear(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_spring_def spring = ash_default_spring_def();
    ash_force force;
    spring.body_b = add(w, &ball, ASH_BODY_DYNAMIC, v3(2, 0, 0), v3(0, 0, 0));
    spring.point_b = v3(0, 0.5, 0);
    spring.point_a = v3(0, 0.5, 0);
    spring.stiffness = 100;
    spring.rest_length = 1.5;
    assert_int_equal(ash_spring_create(w, &spring, &force, NULL), ASH_OK);
    tally t = draw(w, ASH_DEBUG_SPRINGS);
    assert_int_equal(t.lines, 1);
    assert_near(t.last_value, 50, 1e-12);
    assert_near(v3_distance(t.last_from, v3(0, 0.5, 0)), 0, 1e-15);
    assert_near(v3_distance(t.last_to, v3(2, 0.5, 0)), 0, 1e-15);
    assert_int_equal(ash_spring_set(w, force, 100, 0, 2.25), ASH_OK); /* compressed */
    assert_near(draw(w, ASH_DEBUG_SPRINGS).last_value, 25, 1e-12);
    ash_force_set_enabled(w, force, false);
    assert_int_equal(draw(w, ASH_DEBUG_SPRINGS).lines, 0);
    spring.tension_only = true;
    spring.rest_length = 2.25;
    assert_int_equal(ash_spring_create(w, &spring, &force, NULL), ASH_OK);
    t = draw(w, ASH_DEBUG_SPRINGS);
    assert_int_equal(t.lines, 1);
    assert_true(t.last_value == 0); /* slack */
    ash_world_destroy(w);
}

/* 1 kg that slides along z: held from below by a limit, or by a drive. */
static ash_world *sliding_mass(ash_joint_def *def)
{
    ash_world_def world_def = ash_default_world_def();
    ash_body_def body = ash_default_body_def();
    ash_world *w;
    body.mass = 1;
    body.inertia = (ash_sym3){1, 1, 1, 0, 0, 0};
    assert_int_equal(ash_world_create(&world_def, &w, NULL), ASH_OK);
    assert_int_equal(ash_body_create(w, &body, NULL, 0, &def->body_b, NULL), ASH_OK);
    assert_int_equal(ash_joint_def_place(w, def, v3(0, 0, 0), v3(0, 0, 1)), ASH_OK);
    join(w, def);
    take_steps(w, 0.005, 200);
    return w;
}

static void limits_and_drives_show_what_they_bear(void **state)
{
    (void)state;
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_SLIDER);
    def.axes[ASH_MOVE_X].lower = 0;
    ash_world *w = sliding_mass(&def);
    tally t = draw(w, ASH_DEBUG_LIMITS);
    assert_int_equal(t.lines, 2);
    assert_near(t.last_value, 9.81, 1e-3);
    assert_int_equal(draw(w, ASH_DEBUG_DRIVES).arrows, 0);
    ash_world_destroy(w);
    def = ash_default_joint_def(ASH_JOINT_SLIDER);
    def.axes[ASH_MOVE_X].motor.drive = ASH_DRIVE_VELOCITY;
    def.axes[ASH_MOVE_X].motor.max_force = 1000;
    w = sliding_mass(&def);
    t = draw(w, ASH_DEBUG_DRIVES);
    assert_int_equal(t.arrows, 1);
    assert_int_equal(t.points, 1);
    assert_near(t.last_value, 9.81, 1e-3);
    assert_near(t.arrow_sum.z, 9.81 * force_scale, 1e-3 * force_scale);
    ash_world_destroy(w);
    /* A hinge about z: the torque of its servo as an arrow along the axis. */
    def = ash_default_joint_def(ASH_JOINT_HINGE);
    def.axes[ASH_TURN_X].motor = (ash_joint_motor){
        .drive = ASH_DRIVE_VELOCITY, .target = 1e6, .signal = def.axes[ASH_TURN_X].motor.signal, .max_force = 7};
    w = sliding_mass(&def);
    t = draw(w, ASH_DEBUG_DRIVES);
    assert_near(t.last_value, 7, 1e-9);
    assert_near(t.arrow_sum.z, 7 * force_scale, 1e-9 * force_scale);
    ash_world_destroy(w);
}

static void cylinders_tell_how_far_they_are_out(void **state)
{
    (void)state;
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_HYDRAULIC);
    def.min_length = 0.5;
    def.max_length = 3;
    tally t = draw_joint(def, ASH_DEBUG_CYLINDERS);
    assert_int_equal(t.lines, 1);
    assert_near(t.last_value, 1.5, 1e-15);
    assert_near(v3_distance(t.last_from, t.last_to), 2, 1e-15);
    assert_int_equal(draw_joint(def, ASH_DEBUG_DRIVES).arrows, 0);
    assert_int_equal(draw_joint(ash_default_joint_def(ASH_JOINT_DISTANCE), ASH_DEBUG_CYLINDERS).lines, 0);
}

static void the_graph_connects_what_touches(void **state)
{
    (void)state;
    ash_world *w = floor_world(v3(0, 0, -10));
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_body lower = add(w, &ball, ASH_BODY_DYNAMIC, v3(3, 0, 0.999), v3(0, 0, 0));
    add(w, &ball, ASH_BODY_DYNAMIC, v3(3, 0, 2.998), v3(0, 0, 0));
    assert_int_equal(ash_world_detect(w), ASH_OK);
    tally t = draw(w, ASH_DEBUG_GRAPH);
    assert_int_equal(t.lines, 2);
    assert_true(t.least == 1 && t.most == 2);
    /* From the lower ball to where it touches the floor, and not to the floor's middle; nothing else is at x = 3. */
    assert_near(t.last_from.x, 3, 1e-12);
    assert_near(t.last_to.x, 3, 1e-12);
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_ROPE);
    def.body_b = lower;
    def.length = 100;
    join(w, &def);
    t = draw(w, ASH_DEBUG_GRAPH);
    assert_int_equal(t.lines, 3);
    assert_true(t.last_value == 1);
    assert_near(v3_distance(t.last_from, v3(0, 0, 0)), 0, 1e-15);
    ash_world_destroy(w);
}

static void layers_have_names(void **state)
{
    (void)state;
    assert_string_equal(ash_debug_layer_name(0), "bounds");
    assert_string_equal(ash_debug_layer_name(9), "forces");
    assert_int_equal(ASH_DEBUG_SLEEPING, 1u << (ASH_DEBUG_LAYERS - 1));
    for (uint32_t i = 0; i < ASH_DEBUG_LAYERS; i++)
        assert_true(ash_debug_layer_name(i)[0] != 0 && ash_debug_layer_summary(i)[0] != 0);
    assert_null(ash_debug_layer_name(ASH_DEBUG_LAYERS));
    assert_null(ash_debug_layer_summary(UINT32_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_layer_has_what_it_should),
        cmocka_unit_test(flat_sides_point_outwards),
        cmocka_unit_test(impacts_are_points),
        cmocka_unit_test(joints_show_axes_and_lines),
        cmocka_unit_test(limits_are_lines_and_rays),
        cmocka_unit_test(forces_carry_the_weight),
        cmocka_unit_test(sensors_bear_nothing),
        cmocka_unit_test(springs_show_what_they_bear),
        cmocka_unit_test(limits_and_drives_show_what_they_bear),
        cmocka_unit_test(cylinders_tell_how_far_they_are_out),
        cmocka_unit_test(the_graph_connects_what_touches),
        cmocka_unit_test(layers_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
