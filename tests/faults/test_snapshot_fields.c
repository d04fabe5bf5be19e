/* Every number of a snapshot is checked as on creation. A world is made in which each field has a number of its own;
 * that number is found in the snapshot's bytes and replaced by bad ones, and the checksum is put right again. */
#include "check.h"

#include "ashlar/ashlar.h"
#include "base/hash.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_AT = 16, CHECKSUM_AT = 24, CONTENT_AT = 32 }; /* in the header of src/world/snapshot.c */

/* What a field must not be. */
enum { NOT_A_NUMBER = 1, INFINITE = 2, NEGATIVE = 4, LARGE = 8 };
#define FINITE (NOT_A_NUMBER | INFINITE)
#define AMOUNT (FINITE | NEGATIVE)

typedef struct field {
    const char *name;
    double value; /* which no other field has */
    int bad;
} field;

static const field fields[] = {
    {"gravity", -9.625, FINITE},
    {"body.position", 101.125, FINITE},
    {"body.rotation", 0.7071067811865476, FINITE | LARGE},
    {"body.velocity", 1.1875, FINITE},
    {"body.angular_velocity", 1.3125, FINITE},
    {"body.mass", 17.0625, AMOUNT},
    {"body.gravity_scale", 0.8125, FINITE},
    {"body.linear_damping", 0.015625, AMOUNT},
    {"body.angular_damping", 0.0234375, AMOUNT},
    {"body.applied_force", 33.125, FINITE},
    {"shape.position", 0.28125, FINITE},
    {"shape.density", 1203.5, AMOUNT},
    {"shape.surface_velocity", 0.40625, FINITE},
    {"spring.stiffness", 211.5, AMOUNT},
    {"spring.damping", 2.6875, AMOUNT},
    {"spring.rest_length", 3.71875, AMOUNT},
    {"spring.point", 0.171875, FINITE},
    {"angular-spring.stiffness", 223.25, AMOUNT},
    {"angular-spring.damping", 2.8125, AMOUNT},
    {"bending-spring.stiffness", 225.75, AMOUNT},
    {"bending-spring.damping", 2.84375, AMOUNT},
    {"bending-spring.rest_angle", 1.578125, AMOUNT | LARGE},
    {"bending-spring.point", 0.18359375, FINITE},
    {"drag.area", 0.34375, AMOUNT},
    {"drag.linear", 0.359375, AMOUNT},
    {"drag.wind", 7.15625, FINITE},
    {"drag.mask", 0.9375, FINITE | NEGATIVE | LARGE},
    {"pull.stiffness", 229.75, AMOUNT},
    {"pull.damping", 2.9375, AMOUNT},
    {"pull.max_force", 41.3125, AMOUNT},
    {"pull.point", 0.203125, FINITE},
    {"pull.target", 9.09375, FINITE},
    {"load.force", 5.4375, FINITE},
    {"load.torque", 5.5625, FINITE},
    {"load.point", 0.109375, FINITE},
    {"load.start", 0.0078125, NOT_A_NUMBER | LARGE},
    {"load.time", 0.4609375, AMOUNT | LARGE},
    {"load.value", 6.0078125, FINITE},
    {"signal.rate", 11.40625, FINITE},
    {"signal.phase", 0.3046875, FINITE},
    {"joint.position", 0.5078125, FINITE},
    {"joint.compliance", 1.52587890625e-05, AMOUNT},
    {"joint.angular_compliance", 3.0517578125e-05, AMOUNT},
    {"joint.break_force", 90001.5, NOT_A_NUMBER | NEGATIVE},
    {"joint.break_torque", 90002.5, NOT_A_NUMBER | NEGATIVE},
    {"axis.lower", -0.71875, NOT_A_NUMBER | LARGE},
    {"axis.upper", 0.78125, NOT_A_NUMBER | NEGATIVE},
    {"axis.friction", 0.0390625, AMOUNT},
    {"axis.stiffness", 12.03125, AMOUNT},
    {"axis.damping", 1.0390625, AMOUNT},
    {"axis.rest", 0.0546875, FINITE},
    {"motor.target", 0.6640625, FINITE},
    {"motor.max_force", 77.4375, NOT_A_NUMBER | NEGATIVE},
    {"servo.proportional", 81.46875, AMOUNT},
    {"servo.integral", 1.5703125, AMOUNT},
    {"servo.derivative", 2.5859375, AMOUNT},
    {"ball.cone", 0.8828125, NOT_A_NUMBER | NEGATIVE},
    {"rod.length", 4.2265625, AMOUNT},
    {"screw.pitch", 0.1015625, FINITE},
    {"gear.radius_a", 1.2578125, FINITE},
    {"rack.radius_b", 1.2734375, AMOUNT},
    {"pulley.ratio", 1.9140625, AMOUNT},
    {"pulley.hang", 8.7421875, FINITE},
    {"hydraulic.min_length", 0.1328125, NOT_A_NUMBER | NEGATIVE},
    {"hydraulic.max_length", 9.7578125, NOT_A_NUMBER | NEGATIVE},
    {"hydraulic.speed", 0.2578125, AMOUNT},
    {"hydraulic.max_force", 4001.5, NOT_A_NUMBER | NEGATIVE},
    {"path.point", 2.0234375, FINITE},
    {"angle", 1.2265625, FINITE | NEGATIVE | LARGE},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static double value(const char *name)
{
    for (int i = 0; i < FIELDS; i++)
        if (strcmp(fields[i].name, name) == 0)
            return fields[i].value;
    fail_msg("there is no field %s", name);
    return 0;
}

static ash_body make_body(ash_world *world, ash_vec3 position)
{
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_body_def def = ash_default_body_def();
    ash_shape_def shape = ash_default_shape_def();
    ash_body body;
    assert_int_equal(ash_geometry_create(&box, &shape.geometry, NULL), ASH_OK);
    def.position = position;
    shape.density = 100;
    assert_int_equal(ash_body_create(world, &def, &shape, 1, &body, NULL), ASH_OK);
    ash_geometry_release(shape.geometry);
    return body;
}

/* The body with a number of its own in each field. */
static void make_marked_body(ash_world *world)
{
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_body_def def = ash_default_body_def();
    ash_shape_def shape = ash_default_shape_def();
    ash_body body;
    assert_int_equal(ash_geometry_create(&ball, &shape.geometry, NULL), ASH_OK);
    def.position = v3(value("body.position"), 0, 0);
    def.rotation = (ash_quat){value("body.rotation"), 0, value("body.rotation"), 0};
    def.velocity = v3(value("body.velocity"), 0, 0);
    def.angular_velocity = v3(0, value("body.angular_velocity"), 0);
    def.mass = value("body.mass");
    def.inertia = (ash_sym3){.xx = 1, .yy = 1.5, .zz = 2};
    def.gravity_scale = value("body.gravity_scale");
    def.linear_damping = value("body.linear_damping");
    def.angular_damping = value("body.angular_damping");
    shape.pose.position = v3(0, value("shape.position"), 0);
    shape.density = value("shape.density");
    shape.surface_velocity = v3(value("shape.surface_velocity"), 0, 0);
    assert_int_equal(ash_body_create(world, &def, &shape, 1, &body, NULL), ASH_OK);
    assert_int_equal(ash_body_apply_force_to_centre(world, body, v3(value("body.applied_force"), 0, 0)), ASH_OK);
    ash_geometry_release(shape.geometry);
}

static void make_forces(ash_world *world, ash_body a, ash_body b)
{
    static double times[3] = {0}, values[3] = {1, 0, 2};
    ash_force force;
    ash_spring_def spring = ash_default_spring_def();
    spring.body_a = a, spring.body_b = b;
    spring.point_a = v3(value("spring.point"), 0, 0);
    spring.stiffness = value("spring.stiffness"), spring.damping = value("spring.damping");
    spring.rest_length = value("spring.rest_length");
    assert_int_equal(ash_spring_create(world, &spring, &force, NULL), ASH_OK);
    ash_angular_spring_def turner = ash_default_angular_spring_def();
    turner.body_a = a, turner.body_b = b;
    turner.stiffness = value("angular-spring.stiffness"), turner.damping = value("angular-spring.damping");
    assert_int_equal(ash_angular_spring_create(world, &turner, &force, NULL), ASH_OK);
    ash_bending_spring_def bending = ash_default_bending_spring_def();
    bending.body_a = a, bending.body_b = b;
    bending.point_c = v3(value("bending-spring.point"), 0, 0);
    bending.stiffness = value("bending-spring.stiffness"), bending.damping = value("bending-spring.damping");
    bending.rest_angle = value("bending-spring.rest_angle");
    assert_int_equal(ash_bending_spring_create(world, &bending, &force, NULL), ASH_OK);
    ash_drag_def drag = ash_default_drag_def();
    drag.body = a;
    drag.area = value("drag.area"), drag.linear = value("drag.linear");
    drag.wind = v3(value("drag.wind"), 0, 0), drag.mask = v3(1, value("drag.mask"), 1);
    assert_int_equal(ash_drag_create(world, &drag, &force, NULL), ASH_OK);
    ash_pull_def pull = ash_default_pull_def();
    pull.body = a;
    pull.point = v3(0, value("pull.point"), 0), pull.target = v3(0, 0, value("pull.target"));
    pull.stiffness = value("pull.stiffness"), pull.damping = value("pull.damping");
    pull.max_force = value("pull.max_force");
    assert_int_equal(ash_pull_create(world, &pull, &force, NULL), ASH_OK);
    ash_load_def load = ash_default_load_def();
    times[1] = value("load.time"), times[2] = 1;
    values[1] = value("load.value");
    load.body = a;
    load.force = v3(value("load.force"), 0, 0), load.torque = v3(0, value("load.torque"), 0);
    load.point = v3(0, 0, value("load.point"));
    load.start = value("load.start"), load.stop = 5;
    load.signal = (ash_signal){.kind = ASH_SIGNAL_TABLE, .times = times, .values = values, .count = 3};
    assert_int_equal(ash_load_create(world, &load, &force, NULL), ASH_OK);
    load = ash_default_load_def();
    load.body = a;
    load.signal =
        (ash_signal){.kind = ASH_SIGNAL_HARMONIC, .rate = value("signal.rate"), .phase = value("signal.phase")};
    assert_int_equal(ash_load_create(world, &load, &force, NULL), ASH_OK);
}

static void add_joint(ash_world *world, ash_joint_def *def)
{
    ash_joint joint;
    ash_diagnostic diagnostic = {0};
    if (ash_joint_create(world, def, &joint, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", ash_joint_kind_name(def->kind), diagnostic.message);
}

static ash_joint_def between(ash_joint_kind kind, ash_body a, ash_body b)
{
    ash_joint_def def = ash_default_joint_def(kind);
    def.body_a = a;
    def.body_b = b;
    return def;
}

static void make_hinge(ash_world *world, ash_body a, ash_body b)
{
    ash_joint_def hinge = between(ASH_JOINT_HINGE, a, b);
    ash_joint_axis *axis = &hinge.axes[ASH_TURN_X];
    hinge.frame_a.position = v3(value("joint.position"), 0, 0);
    hinge.compliance = value("joint.compliance"), hinge.angular_compliance = value("joint.angular_compliance");
    hinge.break_force = value("joint.break_force"), hinge.break_torque = value("joint.break_torque");
    axis->lower = value("axis.lower"), axis->upper = value("axis.upper");
    axis->friction = value("axis.friction"), axis->stiffness = value("axis.stiffness");
    axis->damping = value("axis.damping"), axis->rest = value("axis.rest");
    axis->motor.drive = ASH_DRIVE_SERVO;
    axis->motor.target = value("motor.target"), axis->motor.max_force = value("motor.max_force");
    axis->motor.proportional = value("servo.proportional"), axis->motor.integral = value("servo.integral");
    axis->motor.derivative = value("servo.derivative");
    add_joint(world, &hinge);
}

static void make_joints(ash_world *world, ash_body a, ash_body b)
{
    static ash_vec3 path[3] = {{0, 0, 0}, {1, 0.25, 0}, {0, 0, 0}};
    make_hinge(world, a, b);
    ash_joint_def def = between(ASH_JOINT_BALL, a, b);
    def.cone = value("ball.cone");
    add_joint(world, &def);
    def = between(ASH_JOINT_DISTANCE, a, b);
    def.length = value("rod.length");
    add_joint(world, &def);
    def = between(ASH_JOINT_SCREW, a, b);
    def.pitch = value("screw.pitch");
    add_joint(world, &def);
    def = between(ASH_JOINT_GEAR, a, b);
    def.radius_a = value("gear.radius_a"), def.radius_b = 2;
    add_joint(world, &def);
    def = between(ASH_JOINT_RACK, a, b);
    def.frame_a.rotation = ash_rotation(v3(0, 0, 1), 1.5707963267948966);
    def.radius_b = value("rack.radius_b");
    add_joint(world, &def);
    def = between(ASH_JOINT_PULLEY, a, b);
    def.ratio = value("pulley.ratio");
    def.hang_a = v3(0, 0, value("pulley.hang")), def.hang_b = v3(3, 4, 9);
    add_joint(world, &def);
    def = between(ASH_JOINT_HYDRAULIC, a, b);
    def.min_length = value("hydraulic.min_length"), def.max_length = value("hydraulic.max_length");
    def.speed = value("hydraulic.speed"), def.max_force = value("hydraulic.max_force");
    add_joint(world, &def);
    def = between(ASH_JOINT_PATH, a, b);
    path[2] = v3(value("path.point"), 0.5, 0);
    def.path = path, def.path_count = 3;
    add_joint(world, &def);
    def = between(ASH_JOINT_FIXED_ANGLE, a, b);
    def.angle = value("angle");
    add_joint(world, &def);
}

static ash_world *make_marked_world(void)
{
    ash_world_def def = ash_default_world_def();
    ash_world *world;
    def.gravity = v3(0, 0, value("gravity"));
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    ash_body a = make_body(world, v3(0, 0, 0)), b = make_body(world, v3(3, 4, 0.125));
    make_marked_body(world);
    make_forces(world, a, b);
    make_joints(world, a, b);
    return world;
}

static void seal(unsigned char *bytes, size_t size)
{
    uint64_t content = size - CONTENT_AT, checksum = ashi_hash(ASHI_HASH_START, bytes + CONTENT_AT, content);
    memcpy(bytes + SIZE_AT, &content, sizeof content);
    memcpy(bytes + CHECKSUM_AT, &checksum, sizeof checksum);
}

static size_t place_of(const unsigned char *bytes, size_t size, double number)
{
    for (size_t at = CONTENT_AT; at + sizeof number <= size; at++)
        if (memcmp(bytes + at, &number, sizeof number) == 0)
            return at;
    return 0;
}

/* Restores the bytes with one number replaced. */
static void check_refused(ash_world *world, const unsigned char *good, size_t size, size_t at, double bad,
                          const char *name)
{
    unsigned char *bytes = malloc(size);
    ash_diagnostic diagnostic = {0};
    assert_non_null(bytes);
    memcpy(bytes, good, size);
    memcpy(bytes + at, &bad, sizeof bad);
    seal(bytes, size);
    uint64_t hash = ash_world_get_hash(world);
    if (ash_world_restore(world, bytes, size, &diagnostic) == ASH_OK)
        fail_msg("%s may be %g in a snapshot", name, bad);
    assert_int_equal(diagnostic.status, ASH_BAD_DATA);
    assert_true(diagnostic.message[0] != 0);
    assert_true(ash_world_get_hash(world) == hash);
    free(bytes);
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    static const struct {
        int what;
        double number;
    } bad[] = {{NOT_A_NUMBER, NAN}, {INFINITE, INFINITY}, {INFINITE, -INFINITY}, {NEGATIVE, -17.5}, {LARGE, 1e9}};
    ash_world *world = make_marked_world();
    void *bytes;
    size_t size;
    assert_int_equal(ash_world_save(world, &bytes, &size, NULL), ASH_OK);
    for (int i = 0; i < FIELDS; i++) {
        size_t at = place_of(bytes, size, fields[i].value);
        if (at == 0)
            fail_msg("%s is not in the snapshot", fields[i].name);
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
            if ((fields[i].bad & bad[k].what) != 0)
                check_refused(world, bytes, size, at, bad[k].number, fields[i].name);
    }
    assert_int_equal(ash_world_restore(world, bytes, size, NULL), ASH_OK); /* the good one still fits */
    ash_free(bytes);
    ash_world_destroy(world);
    assert_int_equal(ash_memory_used().blocks, 0);
}

/* Every word in turn becomes one that is absurd as a count, an index, a kind and a number. */
static void every_word_is_refused_or_harmless(void **state)
{
    (void)state;
    static const uint64_t absurd[] = {0xffffffff, 0x80000000, 0x7ff8000000000000, 0xc0c0c0c0c0c0c0c0};
#ifdef ASHLAR_SLOW_BUILD
    const size_t stride = 23; /* prime: each part of words is met */
#else
    const size_t stride = 3;
#endif
    ash_world *world = make_marked_world();
    void *good;
    size_t size, refused = 0, taken = 0;
    assert_int_equal(ash_world_step(world, 1e-3), ASH_OK);
    assert_int_equal(ash_world_save(world, &good, &size, NULL), ASH_OK);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t at = CONTENT_AT, n = 0; at + 8 <= size; at += stride, n++) {
        memcpy(bytes, good, size);
        uint64_t word = absurd[n % 4];
        memcpy(bytes + at, &word, n % 2 == 0 ? 4 : 8);
        seal(bytes, size);
        ash_diagnostic diagnostic = {0};
        if (ash_world_restore(world, bytes, size, &diagnostic) != ASH_OK) {
            assert_true(diagnostic.message[0] != 0);
            refused++;
            continue;
        }
        taken++;
        ash_status status = ash_world_step(world, 1e-3);
        assert_true(status == ASH_OK || status == ASH_NUMERICS);
        assert_int_equal(ash_world_restore(world, good, size, NULL), ASH_OK);
    }
    print_message("%zu of %zu damaged snapshots were refused\n", refused, refused + taken);
    assert_true(refused > (refused + taken) / 6 && taken > 0); /* names, masks and last digits may be anything */
    free(bytes);
    ash_free(good);
    ash_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(every_word_is_refused_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
