/* Debug geometry: how much of what each layer has, and where. */
#include "ashlar/debug.h"
#include "ashlar/joint.h"
#include "math/transform.h"
#include "worlds.h"

typedef struct tally {
    uint32_t lines, arrows, points;
    ash_vec3 last_from, last_to;
    double last_value;
} tally;

static void count_line(ash_vec3 from, ash_vec3 to, ash_debug_layer layer, double value, void *user)
{
    tally *t = user;
    (void)layer;
    t->lines++;
    t->last_from = from;
    t->last_to = to;
    t->last_value = value;
}

static void count_arrow(ash_vec3 from, ash_vec3 to, ash_debug_layer layer, double value, void *user)
{
    tally *t = user;
    (void)layer;
    t->arrows++;
    t->last_from = from;
    t->last_to = to;
    t->last_value = value;
}

static void count_point(ash_vec3 position, ash_debug_layer layer, double value, void *user)
{
    tally *t = user;
    (void)layer;
    t->points++;
    t->last_from = position;
    t->last_value = value;
}

static tally draw(const ash_world *w, uint32_t layers)
{
    tally t = {0};
    ash_debug_painter painter = {count_line, count_arrow, count_point, &t};
    assert_int_equal(ash_world_debug(w, layers, (ash_debug_scale){0.5, 0.25, 2}, &painter), ASH_OK);
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
    t = draw(w, ASH_DEBUG_EDGES | ASH_DEBUG_IMPACTS);
    assert_int_equal(t.lines + t.arrows + t.points, 0);
    take_steps(w, 1, 1); /* three times its size */
    ash_debug_painter nobody = {0};
    assert_int_equal(ash_world_debug(w, 511, (ash_debug_scale){1, 1, 1}, &nobody), ASH_OK);
    assert_int_equal(ash_world_debug(w, 255, (ash_debug_scale){NAN, 1, 1}, &nobody), ASH_BAD_ARGUMENT);
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
static tally draw_joint(ash_joint_def def)
{
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    def.body_b = add(w, &ball, ASH_BODY_DYNAMIC, v3(2, 0, 0), v3(0, 0, 0));
    ash_joint joint = join(w, &def);
    tally t = draw(w, ASH_DEBUG_JOINTS);
    assert_int_equal(t.points, 2);
    assert_int_equal(ash_joint_set_enabled(w, joint, false), ASH_OK);
    tally off = draw(w, ASH_DEBUG_JOINTS);
    assert_int_equal(off.points + off.lines + off.arrows, 0);
    ash_world_destroy(w);
    return t;
}

static void joints_show_axes_limits_and_lines(void **state)
{
    (void)state;
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_DISTANCE);
    tally t = draw_joint(def);
    assert_int_equal(t.lines, 1);
    assert_int_equal(t.arrows, 0);
    assert_near(v3_distance(t.last_from, t.last_to), 2, 1e-15);
    def = ash_default_joint_def(ASH_JOINT_HINGE); /* open by 2 m: its value is the error */
    t = draw_joint(def);
    assert_int_equal(t.lines, 1);
    assert_int_equal(t.arrows, 1);
    assert_near(t.last_value, 2, 1e-15);
    assert_near(v3_distance(t.last_to, v3(0.5, 0, 0)), 0, 1e-15); /* x of frame a, half a metre */
    def.axes[ASH_TURN_X].upper = 1;
    t = draw_joint(def); /* the limit, and where it is now */
    assert_int_equal(t.lines, 2);
    assert_int_equal(t.arrows, 2);
    def = ash_default_joint_def(ASH_JOINT_SLIDER);
    def.axes[ASH_MOVE_X].lower = -1;
    def.axes[ASH_MOVE_X].upper = 3;
    t = draw_joint(def); /* the way, the bounds, two bars at each */
    assert_int_equal(t.lines, 6);
    assert_near(v3_distance(t.last_from, t.last_to), 4, 1e-15);
    def = ash_default_joint_def(ASH_JOINT_BALL);
    def.cone = 0.3;
    t = draw_joint(def);
    assert_int_equal(t.lines, 13);
    assert_int_equal(t.arrows, 1);
    def = ash_default_joint_def(ASH_JOINT_PULLEY);
    def.hang_a = v3(0, 0, 1);
    def.hang_b = v3(2, 0, 1);
    assert_int_equal(draw_joint(def).lines, 3);
    static const ash_vec3 rail[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    def = ash_default_joint_def(ASH_JOINT_PATH);
    def.path = rail;
    def.path_count = 3;
    t = draw_joint(def);
    assert_int_equal(t.lines, 16);
    assert_near(v3_distance(t.last_to, v3(2, 0, 0)), 0, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_layer_has_what_it_should),
        cmocka_unit_test(flat_sides_point_outwards),
        cmocka_unit_test(impacts_are_points),
        cmocka_unit_test(joints_show_axes_limits_and_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
