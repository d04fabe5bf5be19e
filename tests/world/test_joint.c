/* Joints through the public interface: definitions and their diagnostics, coordinates, and what acts along them. */
#include "joints.h"

static ash_joint_def between(ash_joint_kind kind, ash_body a, ash_body b)
{
    ash_joint_def def = ash_default_joint_def(kind);
    def.body_a = a;
    def.body_b = b;
    return def;
}

static ash_body box_at(ash_world *world, ash_vec3 position)
{
    ash_diagnostic diagnostic = {0};
    ash_geometry_def shape_def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    shape_def.half_extents = v3(0.5, 0.5, 0.5);
    ash_geometry *geometry = NULL;
    assert_int_equal(ash_geometry_create(&shape_def, &geometry, &diagnostic), ASH_OK);
    ash_shape_def shape = ash_default_shape_def();
    shape.geometry = geometry;
    shape.density = 100;
    ash_body_def def = ash_default_body_def();
    def.position = position;
    ash_body body = {0};
    assert_int_equal(ash_body_create(world, &def, &shape, 1, &body, &diagnostic), ASH_OK);
    ash_geometry_release(geometry);
    return body;
}

static void joints_are_found_and_removed(void **state)
{
    (void)state;
    ashi_random random = {1};
    ash_world *w = make_joint_world(false);
    ash_body a = make_random_body(w, &random), b = make_random_body(w, &random);
    ash_joint_def def = between(ASH_JOINT_HINGE, a, b);
    int mark = 7;
    def.name = "knee";
    def.user_data = &mark;
    ash_joint knee = make_joint(w, &def);
    def.name = "hip";
    def.body_a = (ash_body){0};
    ash_joint hip = make_joint(w, &def);
    uint64_t revision = w->model.joints.revision;
    assert_string_equal(ash_joint_get_name(w, knee), "knee");
    assert_ptr_equal(ash_joint_get_user_data(w, knee), &mark);
    assert_int_equal(ash_joint_get_kind(w, hip), ASH_JOINT_HINGE);
    assert_true(ash_joint_get_body_a(w, knee).id == a.id && ash_joint_get_body_b(w, knee).id == b.id);
    assert_true(ash_joint_get_body_a(w, hip).id == ash_world_get_background(w).id);
    assert_true(ash_world_find_joint(w, "hip").id == hip.id);
    assert_true(ash_world_find_joint(w, "elbow").id == 0);
    assert_int_equal(ash_joint_get_kept(w, knee), ASH_FREEDOM_BIT(ASH_TURN_X));
    ash_joint list[4];
    assert_int_equal(ash_world_get_joints(w, list, 4), 2);
    assert_true(list[0].id == knee.id && list[1].id == hip.id);

    assert_int_equal(ash_joint_set_enabled(w, knee, false), ASH_OK);
    assert_false(ash_joint_get_enabled(w, knee));
    assert_true(w->model.joints.revision > revision);
    revision = w->model.joints.revision;
    assert_int_equal(ash_joint_set_enabled(w, knee, false), ASH_OK); /* as it is: the graph is the same */
    assert_true(w->model.joints.revision == revision);
    assert_int_equal(ash_joint_destroy(w, knee), ASH_OK);
    assert_false(ash_joint_is_valid(w, knee));
    assert_int_equal(ash_joint_destroy(w, knee), ASH_BAD_HANDLE);
    assert_int_equal(ash_joint_get_kind(w, knee), ASH_JOINT_KINDS);
    /* a body takes its joints with it */
    assert_int_equal(ash_body_destroy(w, b), ASH_OK);
    assert_false(ash_joint_is_valid(w, hip));
    assert_int_equal(ash_world_get_joints(w, NULL, 0), 0);
    ash_world_destroy(w);
}

/* A change of a good definition, and the code of what it leads to. */
typedef struct bad_field {
    void (*spoil)(ash_joint_def *def);
    const char *code;
} bad_field;

static void no_kind(ash_joint_def *d)
{
    d->kind = ASH_JOINT_KINDS;
}
static void same_body(ash_joint_def *d)
{
    d->body_b = d->body_a;
}
static void stale_body(ash_joint_def *d)
{
    d->body_b.id = 0x700000099;
}
static void place_not_finite(ash_joint_def *d)
{
    d->frame_a.position.y = NAN;
}
static void turn_not_unit(ash_joint_def *d)
{
    d->frame_b.rotation.w = 2;
}
static void turn_not_finite(ash_joint_def *d)
{
    d->frame_b.rotation.x = INFINITY;
}
static void limits_crossed(ash_joint_def *d)
{
    d->axes[ASH_TURN_X].lower = 1, d->axes[ASH_TURN_X].upper = 0;
}
static void limits_equal(ash_joint_def *d)
{
    d->axes[ASH_TURN_X].lower = d->axes[ASH_TURN_X].upper = 1;
}
static void limit_not_a_number(ash_joint_def *d)
{
    d->axes[ASH_TURN_X].lower = NAN;
}
static void friction_negative(ash_joint_def *d)
{
    d->axes[ASH_TURN_X].friction = -1;
}
static void stiffness_infinite(ash_joint_def *d)
{
    d->axes[ASH_TURN_X].stiffness = INFINITY;
}
static void damping_negative(ash_joint_def *d)
{
    d->axes[ASH_TURN_X].damping = -1e-9;
}
static void rest_not_finite(ash_joint_def *d)
{
    d->axes[ASH_TURN_X].stiffness = 1, d->axes[ASH_TURN_X].rest = NAN;
}
static void removed_driven(ash_joint_def *d)
{
    d->axes[ASH_MOVE_Y].motor.drive = ASH_DRIVE_VELOCITY;
}
static void removed_limited(ash_joint_def *d)
{
    d->axes[ASH_TURN_Y].upper = 1;
}
static void no_drive(ash_joint_def *d)
{
    d->axes[ASH_TURN_X].motor.drive = ASH_DRIVES;
}
static void target_not_finite(ash_joint_def *d)
{
    d->axes[ASH_TURN_X].motor.drive = ASH_DRIVE_VELOCITY, d->axes[ASH_TURN_X].motor.target = NAN;
}
static void force_not_a_number(ash_joint_def *d)
{
    d->axes[ASH_TURN_X].motor.drive = ASH_DRIVE_VELOCITY, d->axes[ASH_TURN_X].motor.max_force = NAN;
}
static void servo_without_gain(ash_joint_def *d)
{
    d->axes[ASH_TURN_X].motor.drive = ASH_DRIVE_SERVO, d->axes[ASH_TURN_X].motor.integral = 1;
}
static void table_empty(ash_joint_def *d)
{
    d->axes[ASH_TURN_X].motor.drive = ASH_DRIVE_POSITION, d->axes[ASH_TURN_X].motor.signal.kind = ASH_SIGNAL_TABLE;
}
static void compliance_negative(ash_joint_def *d)
{
    d->compliance = -1;
}
static void compliance_infinite(ash_joint_def *d)
{
    d->angular_compliance = INFINITY;
}
static void break_not_a_number(ash_joint_def *d)
{
    d->break_force = NAN;
}
static void break_negative(ash_joint_def *d)
{
    d->break_torque = -1;
}
static void axes_aligned(ash_joint_def *d)
{
    d->kind = ASH_JOINT_FIXED_ANGLE, d->angle = 0;
}
static void angle_not_a_number(ash_joint_def *d)
{
    d->kind = ASH_JOINT_FIXED_ANGLE, d->angle = NAN;
}
static void cone_closed(ash_joint_def *d)
{
    d->kind = ASH_JOINT_BALL, d->cone = 0;
}
static void nothing_removed(ash_joint_def *d)
{
    d->kind = ASH_JOINT_COMBINATION, d->removed = 0;
}
static void unknown_removed(ash_joint_def *d)
{
    d->kind = ASH_JOINT_COMBINATION, d->removed = 129;
}

static void bad_definitions_are_diagnosed(void **state)
{
    (void)state;
    static const bad_field fields[] = {
        {no_kind, "joint.kind"},
        {same_body, "joint.same-body"},
        {stale_body, "body.handle"},
        {place_not_finite, "joint.frame"},
        {turn_not_unit, "joint.frame"},
        {turn_not_finite, "joint.frame"},
        {limits_crossed, "joint.limits"},
        {limits_equal, "joint.limits"},
        {limit_not_a_number, "joint.limits"},
        {friction_negative, "joint.axis"},
        {stiffness_infinite, "joint.axis"},
        {damping_negative, "joint.axis"},
        {rest_not_finite, "joint.axis"},
        {removed_driven, "joint.freedom"},
        {removed_limited, "joint.freedom"},
        {no_drive, "joint.drive"},
        {target_not_finite, "joint.axis"},
        {force_not_a_number, "joint.axis"},
        {servo_without_gain, "joint.axis"},
        {table_empty, "joint.table"},
        {compliance_negative, "joint.coefficient"},
        {compliance_infinite, "joint.coefficient"},
        {break_not_a_number, "joint.coefficient"},
        {break_negative, "joint.coefficient"},
        {axes_aligned, "joint.angle"},
        {angle_not_a_number, "joint.angle"},
        {cone_closed, "joint.cone"},
        {nothing_removed, "joint.removed"},
        {unknown_removed, "joint.removed"},
    };
    ashi_random random = {2};
    ash_world *w = make_joint_world(false);
    ash_body a = make_random_body(w, &random), b = make_random_body(w, &random);
    ash_memory before = ash_memory_used();
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        ash_joint_def def = between(ASH_JOINT_HINGE, a, b);
        ash_diagnostic diagnostic = {0};
        ash_joint joint = {0};
        fields[i].spoil(&def);
        assert_int_not_equal(ash_joint_create(w, &def, &joint, &diagnostic), ASH_OK);
        assert_string_equal(diagnostic.code, fields[i].code);
        assert_true(diagnostic.message[0] != 0);
        assert_string_equal(ash_world_get_last_diagnostic(w).code, fields[i].code);
        assert_true(joint.id == 0 && ash_world_get_joints(w, NULL, 0) == 0);
    }
    assert_int_equal(ash_memory_used().blocks, before.blocks);
    /* the background with itself, too */
    ash_joint_def def = between(ASH_JOINT_FIXED, (ash_body){0}, (ash_body){0});
    ash_diagnostic diagnostic = {0};
    ash_joint joint;
    assert_int_equal(ash_joint_create(w, &def, &joint, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "joint.same-body");
    ash_world_destroy(w);
}

static void planar_worlds_take_flat_joints(void **state)
{
    (void)state;
    ashi_random random = {3};
    ash_world *w = make_joint_world(true);
    ash_body a = make_random_body(w, &random);
    const ash_joint_kind none[] = {ASH_JOINT_COMMON_AXIS, ASH_JOINT_FIXED_ANGLE, ASH_JOINT_UNIVERSAL,
                                   ASH_JOINT_CYLINDRICAL, ASH_JOINT_PLANAR};
    ash_diagnostic diagnostic = {0};
    ash_joint joint;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        ash_joint_def def = between(none[i], (ash_body){0}, a);
        assert_int_equal(ash_joint_create(w, &def, &joint, &diagnostic), ASH_BAD_DATA);
        assert_string_equal(diagnostic.code, "joint.planar");
    }
    /* a hinge may be given about z, as in space, or with x in the plane: the angle is about z */
    for (int way = 0; way < 3; way++) {
        ash_joint_def def = between(ASH_JOINT_HINGE, (ash_body){0}, a);
        ash_vec3 axes[3] = {{0, 0, 1}, {0.6, 0.8, 0}, {0, 0, -1}};
        assert_int_equal(ash_joint_def_place(w, &def, v3(1, 2, 0), axes[way]), ASH_OK);
        joint = make_joint(w, &def);
        assert_near(ash_joint_get_position(w, joint, ASH_TURN_Z), 0, 1e-15);
        assert_near(ash_joint_get_error(w, joint).distance, 0, 1e-15);
        assert_int_equal(ash_joint_set_position(w, joint, ASH_TURN_Z, 0.5), ASH_OK);
        assert_near(ash_joint_get_position(w, joint, ASH_TURN_Z), 0.5, 1e-15);
        assert_int_equal(ash_joint_destroy(w, joint), ASH_OK);
    }
    ash_joint_def def = between(ASH_JOINT_HINGE, (ash_body){0}, a);
    def.frame_a.rotation = ash_rotation(v3(1, 0, 0), 0.3);
    assert_int_equal(ash_joint_create(w, &def, &joint, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "joint.frame");
    ash_world_destroy(w);
}

/* Every kept coordinate of every kind and mask can be set; the others and what is held stay. */
static void positions_and_rates_can_be_set(void **state)
{
    (void)state;
    ashi_random random = {4};
    for (uint32_t mask = 1; mask < 63; mask++) {
        ash_world *w = make_joint_world(false);
        ash_body a = make_random_body(w, &random), b = make_random_body(w, &random);
        bool fixed_b = mask % 5 == 0; /* then a moves */
        if (fixed_b)
            assert_int_equal(ash_body_set_type(w, b, ASH_BODY_STATIC), ASH_OK);
        ash_joint_def def = between(ASH_JOINT_COMBINATION, a, b);
        def.removed = mask;
        assert_int_equal(ash_joint_def_place(w, &def, random_vector(&random, 1), random_vector(&random, 1)), ASH_OK);
        ash_joint joint = make_joint(w, &def);
        double wanted[ASH_FREEDOMS] = {0}, rate[ASH_FREEDOMS];
        ash_body still = fixed_b ? b : a;
        ash_transform pose = ash_body_get_transform(w, still);
        for (int i = 0; i < ASH_FREEDOMS; i++) {
            if ((mask & ASH_FREEDOM_BIT(i)) != 0)
                continue;
            wanted[i] = ashi_random_range(&random, -1.3, 1.3);
            assert_int_equal(ash_joint_set_position(w, joint, (ash_freedom)i, wanted[i]), ASH_OK);
        }
        for (int i = 0; i < ASH_FREEDOMS; i++) {
            rate[i] = ashi_random_range(&random, -2, 2);
            if ((mask & ASH_FREEDOM_BIT(i)) == 0)
                assert_int_equal(ash_joint_set_rate(w, joint, (ash_freedom)i, rate[i]), ASH_OK);
        }
        for (int i = 0; i < ASH_FREEDOMS; i++) {
            assert_near(ash_joint_get_position(w, joint, (ash_freedom)i), wanted[i], 1e-13);
            if ((mask & ASH_FREEDOM_BIT(i)) == 0)
                assert_near(ash_joint_get_rate(w, joint, (ash_freedom)i), rate[i], 1e-12);
            else
                assert_int_equal(ash_joint_set_position(w, joint, (ash_freedom)i, 1), ASH_BAD_ARGUMENT);
        }
        assert_near(ash_joint_get_error(w, joint).distance, 0, 1e-13);
        assert_near(ash_joint_get_error(w, joint).angle, 0, 1e-13);
        assert_near(v3_distance(ash_body_get_transform(w, still).position, pose.position), 0, 0);
        ash_world_destroy(w);
    }
}

static void hinges_count_turns(void **state)
{
    (void)state;
    ashi_random random = {5};
    ash_world *w = make_joint_world(false);
    ash_body b = make_random_body(w, &random);
    ash_joint_def def = between(ASH_JOINT_HINGE, (ash_body){0}, b);
    assert_int_equal(ash_joint_def_place(w, &def, v3(1, 0, 0), v3(0, 1, 1)), ASH_OK);
    ash_joint joint = make_joint(w, &def);
    assert_int_equal(ash_joint_set_position(w, joint, ASH_TURN_X, 50), ASH_OK);
    assert_near(ash_joint_get_position(w, joint, ASH_TURN_X), 50, 1e-12);
    /* turned by hand in parts of less than half a turn, over several turns */
    ash_vec3 axis = v3_unit(v3(0, 1, 1));
    for (int i = 1; i <= 20; i++) {
        ash_transform t = ash_body_get_transform(w, b);
        ash_quat turn = ash_rotation(axis, -2.5);
        ash_vec3 arm = v3_sub(t.position, v3(1, 0, 0));
        t = (ash_transform){v3_add(v3(1, 0, 0), q_rotate(turn, arm)), q_mul(turn, t.rotation)};
        assert_int_equal(ash_body_set_transform(w, b, t), ASH_OK);
        ashi_joints_advance(&w->model, 0, 0.01);
        assert_near(ash_joint_get_position(w, joint, ASH_TURN_X), 50 - 2.5 * i, 1e-11);
    }
    /* a ball's twist lies within a turn */
    def = between(ASH_JOINT_BALL, (ash_body){0}, b);
    assert_int_equal(ash_joint_def_place(w, &def, v3(1, 0, 0), v3(0, 1, 1)), ASH_OK);
    ash_joint ball = make_joint(w, &def);
    assert_int_equal(ash_joint_set_position(w, ball, ASH_TURN_X, 3), ASH_OK);
    assert_near(ash_joint_get_position(w, ball, ASH_TURN_X), 3, 1e-12);
    assert_int_equal(ash_joint_set_position(w, ball, ASH_TURN_X, 5), ASH_BAD_ARGUMENT);
    assert_near(ash_joint_get_position(w, ball, ASH_TURN_X), 3, 1e-12);
    assert_int_equal(ash_joint_set_position(w, ball, ASH_TURN_X, NAN), ASH_BAD_ARGUMENT);
    ash_world_destroy(w);
}

/* A body with a known hinge: at the origin about x, b a rotor. */
typedef struct hinged {
    ash_world *world;
    ash_body body;
    ash_joint joint;
} hinged;

static hinged make_hinged(const ash_joint_axis *axis)
{
    hinged h = {.world = make_joint_world(false)};
    h.body = make_rotor(h.world, 1, v3(1, 1, 1), v3(0, 0, 0), v3(0, 0, 0));
    ash_joint_def def = between(ASH_JOINT_HINGE, (ash_body){0}, h.body);
    def.axes[ASH_TURN_X] = *axis;
    h.joint = make_joint(h.world, &def);
    return h;
}

/* The row that acts under a key, or one of role ASHI_ROW_ROLES. */
static ashi_joint_row row_of(const hinged *h, int key, double time, double step)
{
    ashi_joint_row rows[ASHI_JOINT_ROWS];
    uint32_t count = ashi_joint_rows(&h->world->model, joint_in(h->world, h->joint), &h->world->model.bodies.now, time,
                                     step, false, rows);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].key == key)
            return rows[i];
    return (ashi_joint_row){.role = ASHI_ROW_ROLES};
}

static ash_joint_axis free_axis(void)
{
    return ash_default_joint_def(ASH_JOINT_HINGE).axes[ASH_TURN_X];
}

static void limits_act_when_near(void **state)
{
    (void)state;
    ash_joint_axis axis = free_axis();
    axis.lower = -1;
    axis.upper = 8; /* more than a turn */
    hinged h = make_hinged(&axis);
    const int key = ASHI_LIMIT_KEY + ASH_TURN_X;
    assert_int_equal(row_of(&h, key, 0, 0.01).role, ASHI_ROW_ROLES);
    assert_int_equal(ash_joint_set_position(h.world, h.joint, ASH_TURN_X, -0.98), ASH_OK);
    ashi_joint_row row = row_of(&h, key, 0, 0.01);
    assert_int_equal(row.role, ASHI_ROW_LIMIT);
    assert_near(row.error, 0.02, 1e-14);
    assert_near(row.angular_b.x, 1, 1e-15); /* the way left grows with the angle */
    assert_true(row.lower == 0 && isinf(row.upper));
    assert_int_equal(ash_joint_set_position(h.world, h.joint, ASH_TURN_X, 8.01), ASH_OK);
    row = row_of(&h, key, 0, 0.01);
    assert_near(row.error, -0.01, 1e-13);
    assert_near(row.angular_b.x, -1, 1e-15);
    /* far away, but fast */
    assert_int_equal(ash_joint_set_position(h.world, h.joint, ASH_TURN_X, 7), ASH_OK);
    assert_int_equal(row_of(&h, key, 0, 0.01).role, ASHI_ROW_ROLES);
    assert_int_equal(ash_joint_set_rate(h.world, h.joint, ASH_TURN_X, 200), ASH_OK);
    assert_int_equal(row_of(&h, key, 0, 0.01).role, ASHI_ROW_LIMIT);
    ash_world_destroy(h.world);
}

static void balls_have_cones_and_twists(void **state)
{
    (void)state;
    ash_world *w = make_joint_world(false);
    ash_body body = make_rotor(w, 1, v3(1, 1, 1), v3(0, 0, 0), v3(0, 0, 0));
    ash_joint_def def = between(ASH_JOINT_BALL, (ash_body){0}, body);
    def.cone = 0.5;
    def.axes[ASH_TURN_X].upper = 0.3;
    hinged h = {w, body, make_joint(w, &def)};
    assert_int_equal(row_of(&h, ASHI_CONE_KEY, 0, 0.01).role, ASHI_ROW_ROLES);
    ash_transform t = ash_identity();
    t.rotation = q_mul(ash_rotation(v3(0, 3, 4), 0.52), ash_rotation(v3(1, 0, 0), 0.27)); /* swing after twist */
    assert_int_equal(ash_body_set_transform(w, body, t), ASH_OK);
    ashi_joint_row cone = row_of(&h, ASHI_CONE_KEY, 0, 0.01);
    assert_int_equal(cone.role, ASHI_ROW_LIMIT);
    assert_near(cone.error, -0.02, 1e-15);
    assert_near(v3_distance(cone.angular_b, v3(0, -0.6, -0.8)), 0, 1e-15); /* turns it back in */
    ashi_joint_row twist = row_of(&h, ASHI_LIMIT_KEY + ASH_TURN_X, 0, 0.01);
    assert_near(twist.error, 0.03, 1e-15);
    assert_near(ash_joint_get_position(w, h.joint, ASH_TURN_Y), 0.52 * 0.6, 1e-15);
    assert_near(ash_joint_get_position(w, h.joint, ASH_TURN_Z), 0.52 * 0.8, 1e-15);
    ash_world_destroy(w);
}

static void drives_are_rows(void **state)
{
    (void)state;
    ash_joint_axis axis = free_axis();
    static const double times[] = {0, 2, 3}, values[] = {0, 1, 1};
    axis.friction = 0.7;
    axis.stiffness = 20;
    axis.damping = 3;
    axis.rest = 0.25;
    axis.motor = (ash_joint_motor){.drive = ASH_DRIVE_VELOCITY, .target = 4, .max_force = 5};
    axis.motor.signal = (ash_signal){.kind = ASH_SIGNAL_TABLE, .times = times, .values = values, .count = 3};
    hinged h = make_hinged(&axis);
    assert_int_equal(ash_joint_set_position(h.world, h.joint, ASH_TURN_X, 0.4), ASH_OK);
    ashi_joint_row row = row_of(&h, ASHI_FRICTION_KEY + ASH_TURN_X, 0, 0.01);
    assert_true(row.role == ASHI_ROW_FRICTION && row.error == 0 && row.lower == -0.7 && row.upper == 0.7);
    row = row_of(&h, ASHI_SPRING_KEY + ASH_TURN_X, 0, 0.01);
    assert_true(row.role == ASHI_ROW_DRIVE && row.stiffness == 20 && row.damping == 3);
    assert_near(row.error, 0.15, 1e-15);
    assert_near(ashi_joints_energy(&h.world->model, &h.world->model.bodies.now), 0.5 * 20 * 0.15 * 0.15, 1e-14);
    row = row_of(&h, ASHI_DRIVE_KEY + ASH_TURN_X, 1, 0.1); /* the speed at the end of the step */
    assert_true(row.role == ASHI_ROW_DRIVE && row.error == 0 && row.lower == -5 && row.upper == 5);
    assert_near(row.speed, 4 * 0.55, 1e-15);
    assert_near(row.drift, -4 * 0.5, 1e-13);

    axis.motor.drive = ASH_DRIVE_POSITION;
    assert_int_equal(ash_joint_set_axis(h.world, h.joint, ASH_TURN_X, &axis), ASH_OK);
    row = row_of(&h, ASHI_DRIVE_KEY + ASH_TURN_X, 1.95, 0.1); /* over the table's corner */
    assert_near(row.error, 0.4 - 4 * 0.975, 1e-14);
    assert_near(row.speed, 4 * 0.025 / 0.1, 1e-13);

    axis.motor.drive = ASH_DRIVE_SERVO;
    axis.motor.proportional = 50;
    axis.motor.integral = 6;
    axis.motor.derivative = 7;
    assert_int_equal(ash_joint_set_axis(h.world, h.joint, ASH_TURN_X, &axis), ASH_OK);
    joint_in(h.world, h.joint)->integral[ASH_TURN_X] = 0.5;
    row = row_of(&h, ASHI_DRIVE_KEY + ASH_TURN_X, 3, 0.1);
    assert_true(row.stiffness == 50 && row.damping == 7 && row.offset == -3 && row.speed == 0);
    assert_near(row.error, 0.4 - 4, 1e-14);
    ash_world_destroy(h.world);
}

static void servos_do_not_wind_up(void **state)
{
    (void)state;
    ash_joint_axis axis = free_axis();
    axis.motor = (ash_joint_motor){.drive = ASH_DRIVE_SERVO, .target = 1, .max_force = 10, .proportional = 5};
    axis.motor.integral = 2;
    hinged h = make_hinged(&axis);
    ashi_joint_entry *joint = joint_in(h.world, h.joint);
    ashi_joints_advance(&h.world->model, 0, 0.1);
    assert_near(joint->integral[ASH_TURN_X], -0.1, 1e-16); /* of the error 0 - 1 */
    joint->force[ASHI_DRIVE_KEY + ASH_TURN_X] = 10;        /* at its force, pushing against the error */
    ashi_joints_advance(&h.world->model, 0, 0.1);
    assert_near(joint->integral[ASH_TURN_X], -0.1, 1e-16);
    joint->force[ASHI_DRIVE_KEY + ASH_TURN_X] = -10; /* at its force, but the integral leads away from it */
    ashi_joints_advance(&h.world->model, 0, 0.1);
    assert_near(joint->integral[ASH_TURN_X], -0.2, 1e-16);
    /* another drive begins anew */
    assert_int_equal(ash_joint_set_motor(h.world, h.joint, ASH_TURN_X, ASH_DRIVE_VELOCITY, 1, 1), ASH_OK);
    assert_true(joint_in(h.world, h.joint)->integral[ASH_TURN_X] == 0);
    ash_world_destroy(h.world);
}

static void axes_can_be_changed(void **state)
{
    (void)state;
    ash_joint_axis axis = free_axis();
    hinged h = make_hinged(&axis);
    assert_null(joint_in(h.world, h.joint)->axes);
    assert_int_equal(ash_joint_set_motor(h.world, h.joint, ASH_TURN_X, ASH_DRIVE_VELOCITY, 3, 8), ASH_OK);
    axis = ash_joint_get_axis(h.world, h.joint, ASH_TURN_X);
    assert_true(axis.motor.drive == ASH_DRIVE_VELOCITY && axis.motor.target == 3 && axis.motor.max_force == 8);
    assert_int_equal(ash_joint_set_motor(h.world, h.joint, ASH_TURN_X, ASH_DRIVE_VELOCITY, 4, 9), ASH_OK);
    assert_true(ash_joint_get_axis(h.world, h.joint, ASH_TURN_X).motor.target == 4);
    /* what is wrong changes nothing */
    assert_int_equal(ash_joint_set_motor(h.world, h.joint, ASH_TURN_X, ASH_DRIVE_VELOCITY, NAN, 9), ASH_BAD_DATA);
    assert_int_equal(ash_joint_set_motor(h.world, h.joint, ASH_TURN_X, ASH_DRIVE_VELOCITY, 1, -9), ASH_BAD_DATA);
    assert_int_equal(ash_joint_set_motor(h.world, h.joint, ASH_TURN_Y, ASH_DRIVE_VELOCITY, 1, 9), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_joint_set_motor(h.world, h.joint, ASH_FREEDOMS, ASH_DRIVE_OFF, 1, 9), ASH_BAD_ARGUMENT);
    axis.lower = 2;
    axis.upper = 1;
    assert_int_equal(ash_joint_set_axis(h.world, h.joint, ASH_TURN_X, &axis), ASH_BAD_DATA);
    assert_string_equal(ash_world_get_last_diagnostic(h.world).code, "joint.limits");
    assert_true(ash_joint_get_axis(h.world, h.joint, ASH_TURN_X).motor.target == 4);
    assert_int_equal(ash_joint_set_motor(h.world, h.joint, ASH_TURN_X, ASH_DRIVE_OFF, 0, 0), ASH_OK);
    assert_null(joint_in(h.world, h.joint)->axes);
    assert_int_equal(ash_joint_set_length(h.world, h.joint, 1), ASH_BAD_HANDLE);
    assert_int_equal(ash_joint_set_piston(h.world, h.joint, ASH_PISTON_EXTEND), ASH_BAD_HANDLE);
    ash_world_destroy(h.world);
}

static uint32_t contacts_now(ash_world *world)
{
    take_steps(world, 1e-6, 1);
    return ash_world_get_contacts(world, NULL, 0);
}

/* Joined bodies do not touch; several joints, switches and the user's own pairs do not get in each other's way. */
static void joined_bodies_do_not_touch(void **state)
{
    (void)state;
    ash_world_def world_def = ash_default_world_def();
    ash_world *w = NULL;
    world_def.gravity = v3(0, 0, 0);
    world_def.method.contacts = ASH_CONTACTS_DETECT;
    assert_int_equal(ash_world_create(&world_def, &w, NULL), ASH_OK);
    ash_body a = box_at(w, v3(0, 0, 0)), b = box_at(w, v3(0.9, 0, 0));
    assert_int_equal(contacts_now(w), 1);
    ash_joint_def def = between(ASH_JOINT_HINGE, a, b);
    assert_int_equal(ash_joint_def_place(w, &def, v3(0.45, 0, 0), v3(0, 0, 1)), ASH_OK);
    ash_joint one = make_joint(w, &def), two = make_joint(w, &def);
    assert_int_equal(contacts_now(w), 0);
    assert_int_equal(ash_joint_destroy(w, one), ASH_OK);
    assert_int_equal(contacts_now(w), 0);
    assert_int_equal(ash_joint_set_enabled(w, two, false), ASH_OK);
    assert_int_equal(contacts_now(w), 1);
    assert_int_equal(ash_joint_set_enabled(w, two, true), ASH_OK);
    assert_int_equal(contacts_now(w), 0);
    assert_int_equal(ash_joint_destroy(w, two), ASH_OK);
    assert_int_equal(contacts_now(w), 1);
    def.collide = true;
    ash_joint three = make_joint(w, &def);
    assert_int_equal(contacts_now(w), 1);
    assert_int_equal(ash_world_ignore_pair(w, a, b, true), ASH_OK);
    def.collide = false;
    ash_joint four = make_joint(w, &def);
    assert_int_equal(ash_joint_destroy(w, four), ASH_OK);
    assert_int_equal(contacts_now(w), 0); /* the user's pair is left */
    assert_int_equal(ash_world_ignore_pair(w, a, b, false), ASH_OK);
    assert_int_equal(contacts_now(w), 1);
    /* a list made anew is the same */
    four = make_joint(w, &def);
    assert_true(ashi_joints_list_apart(&w->model.joints));
    assert_int_equal(w->model.joints.apart.count, 1);
    assert_int_equal(ash_joint_destroy(w, three), ASH_OK);
    assert_int_equal(ash_joint_destroy(w, four), ASH_OK);
    assert_int_equal(w->model.joints.apart.count, 0);
    ash_world_destroy(w);
}

/* Whoever sleeps on a joint wakes when it comes, changes or goes; a joint between immovable bodies is none of theirs.
 */
static void changes_wake_joined_bodies(void **state)
{
    (void)state;
    ash_world *w = make_joint_world(false);
    ash_body b = make_rotor(w, 1, v3(1, 1, 1), v3(0, 0, 0), v3(0, 0, 0));
    ash_body apart = make_rotor(w, 1, v3(1, 1, 1), v3(5, 0, 0), v3(0, 0, 0));
    ash_body_def fixed = ash_default_body_def();
    fixed.type = ASH_BODY_STATIC;
    ash_body wall = make_body(w, &fixed);
    ash_joint_def def = between(ASH_JOINT_HINGE, (ash_body){0}, b);
    assert_int_equal(ash_body_sleep(w, b), ASH_OK);
    assert_int_equal(ash_body_sleep(w, apart), ASH_OK);
    assert_false(ash_body_is_awake(w, b));
    ash_joint joint = make_joint(w, &def);
    assert_true(ash_body_is_awake(w, b));
    assert_int_equal(ash_body_sleep(w, b), ASH_OK);
    assert_int_equal(ash_joint_set_motor(w, joint, ASH_TURN_X, ASH_DRIVE_VELOCITY, 1, 1), ASH_OK);
    assert_true(ash_body_is_awake(w, b));
    assert_int_equal(ash_body_sleep(w, b), ASH_OK);
    assert_int_equal(ash_joint_set_motor(w, joint, ASH_TURN_X, ASH_DRIVE_VELOCITY, 2, 1), ASH_OK); /* another target */
    assert_true(ash_body_is_awake(w, b));
    assert_int_equal(ash_body_sleep(w, b), ASH_OK);
    assert_int_equal(ash_joint_set_enabled(w, joint, false), ASH_OK);
    assert_true(ash_body_is_awake(w, b));
    assert_int_equal(ash_body_sleep(w, b), ASH_OK);
    assert_int_equal(ash_joint_destroy(w, joint), ASH_OK);
    assert_true(ash_body_is_awake(w, b));
    assert_false(ash_body_is_awake(w, apart));
    def = between(ASH_JOINT_FIXED, (ash_body){0}, wall);
    joint = make_joint(w, &def);
    assert_false(ash_body_is_awake(w, apart));
    take_steps(w, 0.01, 3);
    assert_int_equal(ash_joint_set_position(w, joint, ASH_MOVE_X, 1), ASH_BAD_ARGUMENT);
    ash_world_destroy(w);
}

/* Frames are on the bodies, wherever their centres of mass come to be. */
static void frames_survive_a_new_centre_of_mass(void **state)
{
    (void)state;
    ashi_random random = {6};
    ash_world *w = make_joint_world(false);
    ash_body a = make_random_body(w, &random), b = make_random_body(w, &random);
    ash_joint_def def = between(ASH_JOINT_FIXED, a, b);
    assert_int_equal(ash_joint_def_place(w, &def, v3(1, 2, 3), v3(1, 1, 0)), ASH_OK);
    ash_joint joint = make_joint(w, &def);
    assert_near(v3_distance(ash_joint_get_frame_a(w, joint).position, v3(1, 2, 3)), 0, 1e-14);
    assert_near(v3_distance(q_rotate(ash_joint_get_frame_b(w, joint).rotation, v3(1, 0, 0)), v3_unit(v3(1, 1, 0))), 0,
                1e-14);
    assert_int_equal(ash_body_set_mass(w, b, 2, v3(0.3, -0.2, 0.1), (ash_sym3){1, 1, 1, 0, 0, 0}, NULL), ASH_OK);
    assert_near(ash_joint_get_error(w, joint).distance, 0, 1e-14);
    assert_near(ash_joint_get_error(w, joint).angle, 0, 1e-14);
    assert_near(v3_distance(ash_joint_get_frame_b(w, joint).position, v3(1, 2, 3)), 0, 1e-14);
    assert_int_equal(ash_joint_def_place(w, &def, v3(1, 2, 3), v3(0, 0, 0)), ASH_BAD_ARGUMENT);
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_are_found_and_removed),
        cmocka_unit_test(bad_definitions_are_diagnosed),
        cmocka_unit_test(planar_worlds_take_flat_joints),
        cmocka_unit_test(positions_and_rates_can_be_set),
        cmocka_unit_test(hinges_count_turns),
        cmocka_unit_test(limits_act_when_near),
        cmocka_unit_test(balls_have_cones_and_twists),
        cmocka_unit_test(drives_are_rows),
        cmocka_unit_test(servos_do_not_wind_up),
        cmocka_unit_test(axes_can_be_changed),
        cmocka_unit_test(joined_bodies_do_not_touch),
        cmocka_unit_test(changes_wake_joined_bodies),
        cmocka_unit_test(frames_survive_a_new_centre_of_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
