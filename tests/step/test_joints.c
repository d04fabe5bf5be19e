/* Joints in motion, every basic kind by several methods: what they keep moves freely, what they remove holds; limits,
 * drives, friction, springs and compliance; what they bear against statics. */
#include "joints.h"

#include <string.h>

/* A method and how closely it holds joints here: what was measured, with some room. */
typedef struct holding {
    const char *name;
    uint32_t iterations;    /* of the solver; 0: the preset's */
    double distance, angle; /* largest errors, m and rad */
    double follows;         /* error of a position that jumps in speed, just after ... */
    double rests;           /* ... and 0.1 s later */
    double force;           /* relative error of reactions */
} holding;

/* engineering moves bodies by the mean of their velocities at both ends of a step: a target's new speed is reached at
 * its end, half a step's way behind. */
static const holding methods[] = {
    {"gribel-2009", 400, 1e-4, 1e-4, 1e-5, 1e-9, 1e-8},
    {"engineering", 0, 1e-6, 1e-6, 0.015, 1e-4, 1e-8},
    {"realtime", 0, 5e-4, 5e-4, 3e-3, 1e-4, 1e-8},
};
#define METHODS (sizeof methods / sizeof *methods)

static const ash_joint_kind kinds[] = {
    ASH_JOINT_BALL,        ASH_JOINT_POINT_ON_LINE, ASH_JOINT_POINT_ON_PLANE, ASH_JOINT_PARALLEL,
    ASH_JOINT_COMMON_AXIS, ASH_JOINT_FIXED_ANGLE,   ASH_JOINT_FIXED,          ASH_JOINT_HINGE,
    ASH_JOINT_UNIVERSAL,   ASH_JOINT_SLIDER,        ASH_JOINT_CYLINDRICAL,    ASH_JOINT_PLANAR,
};
#define KINDS (sizeof kinds / sizeof *kinds)

#define STEP 0.005 /* s */

static ash_world *world_by(const holding *method, ash_vec3 gravity)
{
    ash_world_def def = ash_default_world_def();
    ash_world *world = NULL;
    assert_int_equal(ash_method_find(method->name, &def.method, NULL), ASH_OK);
    if (method->iterations > 0)
        def.method.solver.iterations = method->iterations;
    def.method.sleeping = ASH_SLEEP_OFF;
    def.gravity = gravity;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    return world;
}

/* A body on a joint to the background, its centre of mass off the joint. */
typedef struct bound {
    ash_world *world;
    ash_body body;
    ash_joint joint;
} bound;

static const ash_vec3 place = {0.3, -0.2, 0.4};

static ash_joint_def placed(bound *b, const holding *method, ash_joint_kind kind, ash_vec3 gravity)
{
    b->world = world_by(method, gravity);
    ash_body_def body = ash_default_body_def();
    body.mass = 2;
    body.inertia = (ash_sym3){0.3, 0.35, 0.4, 0, 0, 0};
    body.position = v3(0.5, 0.1, 0.3);
    body.rotation = ash_rotation(v3(1, 2, 3), 0.4);
    b->body = make_body(b->world, &body);
    ash_joint_def def = ash_default_joint_def(kind);
    def.body_b = b->body;
    assert_int_equal(ash_joint_def_place(b->world, &def, place, v3(0.6, 0.64, 0.48)), ASH_OK);
    return def;
}

static bool keeps(const bound *b, int freedom)
{
    return (ash_joint_get_kept(b->world, b->joint) & ASH_FREEDOM_BIT(freedom)) != 0;
}

static void check_held(const bound *b, const holding *method, const char *what)
{
    ash_joint_error error = ash_joint_get_error(b->world, b->joint);
    if (!(error.distance <= method->distance && error.angle <= method->angle))
        fail_msg("%s by %s, %s: off by %g m, %g rad", ash_joint_kind_name(ash_joint_get_kind(b->world, b->joint)),
                 method->name, what, error.distance, error.angle);
}

/* Set going along a freedom, a body goes on, and what is removed holds. */
static void kept_freedoms_move(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++)
        for (size_t k = 0; k < KINDS; k++)
            for (int f = 0; f < ASH_FREEDOMS; f++) {
                bound b;
                ash_joint_def def = placed(&b, &methods[m], kinds[k], v3(0, 0, 0));
                b.joint = make_joint(b.world, &def);
                if (keeps(&b, f)) {
                    assert_int_equal(ash_joint_set_rate(b.world, b.joint, (ash_freedom)f, 0.8), ASH_OK);
                    take_steps(b.world, STEP, 40);
                    double q = ash_joint_get_position(b.world, b.joint, (ash_freedom)f);
                    if (!(fabs(q - 0.16) <= 0.01))
                        fail_msg("%s by %s: %s is %g after 0.2 s at 0.8", ash_joint_kind_name(kinds[k]),
                                 methods[m].name, ash_freedom_name((ash_freedom)f), q);
                    check_held(&b, &methods[m], "moving");
                }
                ash_world_destroy(b.world);
            }
}

/* Under its weight and a load, whatever the joint leaves free goes; what it removes does not. */
static void removed_freedoms_hold(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++)
        for (size_t k = 0; k < KINDS; k++) {
            bound b;
            ash_joint_def def = placed(&b, &methods[m], kinds[k], v3(0, 0, -9.81));
            b.joint = make_joint(b.world, &def);
            for (int i = 0; i < 60; i++) {
                ash_body_apply_torque(b.world, b.body, v3(0.5, -0.7, 0.6));
                ash_body_apply_force_to_centre(b.world, b.body, v3(3, -2, 4));
                take_steps(b.world, STEP, 1);
                check_held(&b, &methods[m], "loaded");
            }
            ash_world_destroy(b.world);
        }
}

/* The same for every combination of removed freedoms. */
static void combinations_hold(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++)
        for (uint32_t mask = 1; mask < 64; mask++) {
            bound b;
            ash_joint_def def = placed(&b, &methods[m], ASH_JOINT_COMBINATION, v3(0, 0, -9.81));
            def.removed = mask;
            b.joint = make_joint(b.world, &def);
            assert_int_equal(ash_joint_get_kept(b.world, b.joint), 63 & ~mask);
            for (int i = 0; i < 20; i++) {
                ash_body_apply_torque(b.world, b.body, v3(0.5, -0.7, 0.6));
                take_steps(b.world, STEP, 1);
                check_held(&b, &methods[m], "combined");
            }
            ash_world_destroy(b.world);
        }
}

/* The force or torque that pushes body b along a freedom, as the joint's row has it. */
static void push(const bound *b, int freedom, double size)
{
    ashi_joint_frames f =
        ashi_joint_frames_at(&b->world->model, joint_in(b->world, b->joint), &b->world->model.bodies.now);
    ashi_joint_row row = ashi_joint_coordinate(joint_in(b->world, b->joint), &f, (ash_freedom)freedom);
    ash_body_apply_force_to_centre(b->world, b->body, v3_scale(row.linear_b, size));
    ash_body_apply_torque(b->world, b->body, v3_scale(row.angular_b, size));
}

/* Pushed against, the limits of each freedom hold on both sides, one at a time; the others are braked. */
static void limits_hold(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++)
        for (size_t k = 0; k < KINDS; k++)
            for (int f = 0; f < 2 * ASH_FREEDOMS; f++) {
                bound b;
                ash_freedom freedom = (ash_freedom)(f % ASH_FREEDOMS);
                double side = f < ASH_FREEDOMS ? 1 : -1;
                ash_joint_def def = placed(&b, &methods[m], kinds[k], v3(0, 0, 0));
                ash_joint probe = make_joint(b.world, &def);
                bool kept = (ash_joint_get_kept(b.world, probe) & ASH_FREEDOM_BIT(freedom)) != 0;
                assert_int_equal(ash_joint_destroy(b.world, probe), ASH_OK);
                def.axes[freedom].lower = -0.1;
                def.axes[freedom].upper = 0.15;
                ash_diagnostic diagnostic = {0};
                ash_status status = ash_joint_create(b.world, &def, &b.joint, &diagnostic);
                assert_int_equal(status, kept ? ASH_OK : ASH_BAD_DATA);
                double limit = side > 0 ? 0.15 : -0.1, last = 0;
                for (int i = 0; i < 120 && kept; i++) {
                    push(&b, (int)freedom, side * 4);
                    take_steps(b.world, STEP, 1);
                    last = ash_joint_get_position(b.world, b.joint, freedom);
                    if (!(side * (last - limit) <= methods[m].distance))
                        fail_msg("%s by %s: %s is %g, limit %g", ash_joint_kind_name(kinds[k]), methods[m].name,
                                 ash_freedom_name(freedom), last, limit);
                }
                if (kept && !(side * (last - limit) >= -methods[m].distance))
                    fail_msg("%s by %s: %s is only %g, limit %g", ash_joint_kind_name(kinds[k]), methods[m].name,
                             ash_freedom_name(freedom), last, limit);
                ash_world_destroy(b.world);
            }
}

/* A ball's cone: the body leans on it under a torque across its axis. */
static void cones_hold(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        bound b;
        ash_joint_def def = placed(&b, &methods[m], ASH_JOINT_BALL, v3(0, 0, 0));
        def.cone = 0.3;
        b.joint = make_joint(b.world, &def);
        double lean = 0;
        for (int i = 0; i < 200; i++) {
            ash_vec3 x = q_rotate(ash_joint_get_frame_a(b.world, b.joint).rotation, v3(1, 0, 0));
            ash_vec3 out = q_rotate(ash_joint_get_frame_a(b.world, b.joint).rotation, v3(0, 1, 0.5));
            ash_body_apply_torque(b.world, b.body, v3_scale(out, 2));
            take_steps(b.world, STEP, 1);
            lean = ashi_acos(v3_dot(x, q_rotate(ash_joint_get_frame_b(b.world, b.joint).rotation, v3(1, 0, 0))));
            assert_below(lean, 0.3 + methods[m].angle);
        }
        assert_near(lean, 0.3, methods[m].angle);
        ash_world_destroy(b.world);
    }
}

/* Velocity motors reach their speed at once, and position motors follow their table, along each freedom. */
static void motors_drive(void **state)
{
    (void)state;
    static const double times[] = {0, 0.1, 0.3, 1}, values[] = {0, 0.2, -0.4, -0.4};
    for (size_t m = 0; m < METHODS; m++)
        for (size_t k = 0; k < KINDS; k++)
            for (int f = 0; f < ASH_FREEDOMS; f++)
                for (int drive = ASH_DRIVE_VELOCITY; drive <= ASH_DRIVE_POSITION; drive++) {
                    bound b;
                    ash_freedom freedom = (ash_freedom)f;
                    ash_joint_def def = placed(&b, &methods[m], kinds[k], v3(0, 0, -9.81));
                    b.joint = make_joint(b.world, &def);
                    for (int other = 0; other < ASH_FREEDOMS; other++) /* nothing else moves */
                        if (keeps(&b, other) && keeps(&b, f))
                            assert_int_equal(ash_joint_set_motor(b.world, b.joint, (ash_freedom)other,
                                                                 ASH_DRIVE_VELOCITY, other == f ? 0.7 : 0, INFINITY),
                                             ASH_OK);
                    ash_joint_axis axis = ash_joint_get_axis(b.world, b.joint, freedom);
                    if (drive == ASH_DRIVE_POSITION && keeps(&b, f)) {
                        axis.motor.drive = ASH_DRIVE_POSITION;
                        axis.motor.target = 1;
                        axis.motor.signal = (ash_signal){ASH_SIGNAL_TABLE, 0, 0, times, values, 4};
                        assert_int_equal(ash_joint_set_axis(b.world, b.joint, freedom, &axis), ASH_OK);
                    }
                    for (int i = 1; i <= 80 && keeps(&b, f); i++) {
                        take_steps(b.world, STEP, 1);
                        double t = i * STEP, wanted = 0.7 * t, q = ash_joint_get_position(b.world, b.joint, freedom);
                        if (drive == ASH_DRIVE_POSITION)
                            wanted = t < 0.1 ? 2 * t : t < 0.3 ? 0.2 - 3 * (t - 0.1) : -0.4;
                        double most = drive != ASH_DRIVE_POSITION ? 0.003
                                      : t < 0.395                 ? methods[m].follows
                                                                  : methods[m].rests;
                        if (!(fabs(q - wanted) <= most))
                            fail_msg("%s by %s: %s is %g at %g s, not %g (%s)", ash_joint_kind_name(kinds[k]),
                                     methods[m].name, ash_freedom_name(freedom), q, t, wanted,
                                     ash_drive_name((ash_drive)drive));
                    }
                    ash_world_destroy(b.world);
                }
}

/* Held at rest by the joint and by position motors along all it keeps, a body's weight and load are borne: force and
 * moment about the origin of frame b add up, and what the joint bears has no part along what it keeps. */
static void reactions_are_those_of_statics(void **state)
{
    (void)state;
    const ash_vec3 load = {5, -3, 2}, torque = {1, 2, -1.5};
    for (size_t m = 0; m < METHODS; m++)
        for (size_t k = 0; k < KINDS; k++) {
            bound b;
            ash_joint_def def = placed(&b, &methods[m], kinds[k], v3(0, 0, -9.81));
            /* equal moments: engineering bears the gyroscopic torque of the free motion that it foresees, 5e-5 N m here
             */
            ash_sym3 ball = {0.35, 0.35, 0.35, 0, 0, 0};
            assert_int_equal(ash_body_set_mass(b.world, b.body, 2, v3(0, 0, 0), ball, NULL), ASH_OK);
            b.joint = make_joint(b.world, &def);
            for (int f = 0; f < ASH_FREEDOMS; f++)
                if (keeps(&b, f))
                    assert_int_equal(
                        ash_joint_set_motor(b.world, b.joint, (ash_freedom)f, ASH_DRIVE_POSITION, 0, INFINITY), ASH_OK);
            ash_vec3 arm = v3(0, 0, 0);
            for (int i = 0; i < 400; i++) {
                ash_body_apply_force_to_centre(b.world, b.body, load);
                ash_body_apply_torque(b.world, b.body, torque);
                arm = v3_sub(ash_body_get_centre(b.world, b.body), ash_joint_get_frame_b(b.world, b.joint).position);
                take_steps(b.world, STEP, 1);
            }
            ash_joint_reaction bears = ash_joint_get_reaction(b.world, b.joint, ASH_FRAME_WORLD);
            const ashi_joint_entry *joint = joint_in(b.world, b.joint);
            ashi_joint_frames frames = ashi_joint_frames_at(&b.world->model, joint, &b.world->model.bodies.now);
            ash_vec3 force = bears.force, moment = bears.torque;
            for (int f = 0; f < ASH_FREEDOMS; f++)
                if (keeps(&b, f)) {
                    ashi_joint_row row = ashi_joint_coordinate(joint, &frames, (ash_freedom)f);
                    ash_vec3 own = v3_sub(row.angular_b, v3_cross(frames.arm_b, row.linear_b));
                    force = v3_add_scaled(force, row.linear_b, bears.drive[f]);
                    moment = v3_add_scaled(moment, own, bears.drive[f]);
                    assert_near(v3_dot(bears.force, row.linear_b) + v3_dot(bears.torque, own), 0,
                                20 * methods[m].force);
                }
            ash_vec3 outer = v3_add(load, v3(0, 0, -9.81 * 2));
            ash_vec3 left = v3_add(force, outer), turning = v3_add(moment, v3_add(torque, v3_cross(arm, outer)));
            if (!(v3_norm(left) <= 20 * methods[m].force && v3_norm(turning) <= 5 * methods[m].force))
                fail_msg("%s by %s: %g N and %g N m are not borne", ash_joint_kind_name(kinds[k]), methods[m].name,
                         v3_norm(left), v3_norm(turning));
            ash_world_destroy(b.world);
        }
}

/* Friction about a hinge: it holds up to its torque, and takes so much of a larger one. */
static void friction_holds_and_slides(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++)
        for (int slides = 0; slides < 2; slides++) {
            ash_world *w = world_by(&methods[m], v3(0, 0, 0));
            bound b = {.world = w, .body = make_rotor(w, 2, v3(0.5, 0.4, 0.3), v3(0, 0, 0), v3(0, 0, 0))};
            ash_joint_def def = ash_default_joint_def(ASH_JOINT_HINGE);
            def.body_b = b.body;
            def.axes[ASH_TURN_X].friction = 3;
            b.joint = make_joint(w, &def);
            for (int i = 0; i < 100; i++) {
                ash_body_apply_torque(w, b.body, v3(slides != 0 ? 5 : 2.9, 0, 0));
                take_steps(w, STEP, 1);
            }
            /* (5 - 3) / 0.5 rad/s2 for 0.5 s */
            assert_near(ash_joint_get_rate(w, b.joint, ASH_TURN_X), slides != 0 ? 2 : 0, 1e-6);
            assert_near(ash_joint_get_reaction(w, b.joint, ASH_FRAME_WORLD).drive[ASH_TURN_X], slides != 0 ? -3 : -2.9,
                        1e-6);
            ash_world_destroy(w);
        }
}

/* A spring about a hinge and one along a slider: period 2 pi sqrt(inertia / stiffness). */
static void springs_swing_at_their_frequency(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++)
        for (int slider = 0; slider < 2; slider++) {
            ash_world *w = world_by(&methods[m], v3(0, 0, 0));
            bound b = {.world = w, .body = make_rotor(w, 2, v3(0.5, 0.4, 0.3), v3(0, 0, 0), v3(0, 0, 0))};
            ash_joint_def def = ash_default_joint_def(slider != 0 ? ASH_JOINT_SLIDER : ASH_JOINT_HINGE);
            ash_freedom freedom = slider != 0 ? ASH_MOVE_X : ASH_TURN_X;
            def.body_b = b.body;
            def.axes[freedom].stiffness = 20;
            def.axes[freedom].rest = 0.1;
            b.joint = make_joint(w, &def);
            double h = 0.001, inertia = slider != 0 ? 2 : 0.5, last = -0.1, first = 0;
            int crossings = 0;
            for (int i = 1; crossings < 5; i++) {
                take_steps(w, h, 1);
                double q = ash_joint_get_position(w, b.joint, freedom) - 0.1;
                if (q * last < 0) {
                    double time = h * (i - q / (q - last));
                    first = crossings++ == 0 ? time : first;
                    if (crossings == 5)
                        assert_near(time - first, 4 * ASHI_PI * sqrt(inertia / 20), 1e-3);
                }
                last = q;
                assert_true(i < 10000);
            }
            ash_world_destroy(w);
        }
}

/* What is removed gives way by force times compliance. By engineering nothing takes the energy of the swing about that:
 * it goes on. */
static void compliance_gives_way(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        bool swings = strcmp(methods[m].name, "engineering") == 0;
        double sag = 9.81 * 2 * 1e-5, sum = 0, least = 0;
        ash_world *w = world_by(&methods[m], v3(0, 0, -9.81));
        bound b = {.world = w, .body = make_rotor(w, 2, v3(0.5, 0.4, 0.3), v3(0, 0, 0), v3(0, 0, 0))};
        ash_joint_def def = ash_default_joint_def(ASH_JOINT_FIXED);
        def.body_b = b.body;
        def.compliance = 1e-5; /* so stiff that the implicit step brings it to rest */
        def.angular_compliance = 2e-4;
        b.joint = make_joint(w, &def);
        for (int i = 0; i < 2000; i++) {
            ash_body_apply_torque(w, b.body, v3(0, 1.5, 0));
            take_steps(w, STEP, 1);
            sum += ash_body_get_centre(w, b.body).z;
            least = fmin(least, ash_body_get_centre(w, b.body).z);
        }
        assert_near(sum / 2000, -sag, swings ? 0.01 * sag : 1e-3 * sag);
        assert_near(least, swings ? -2 * sag : -sag, swings ? 0.01 * sag : sag);
        assert_near(ash_body_get_centre(w, b.body).z, -sag, swings ? 1.001 * sag : 1e-9);
        assert_near(ash_joint_get_error(w, b.joint).angle, 1.5 * 2e-4, swings ? 1.001 * 1.5 * 2e-4 : 1e-9);
        ash_world_destroy(w);
    }
}

/* A servo comes to its position against a weight, thanks to its integral part; without enough force it stays behind,
 * and is back at once when the weight goes (no wind-up). */
static void servos_come_to_their_position(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        ash_world *w = world_by(&methods[m], v3(0, 0, 0));
        bound b = {.world = w, .body = make_rotor(w, 2, v3(0.5, 0.4, 0.3), v3(0, 0, 0), v3(0, 0, 0))};
        ash_joint_def def = ash_default_joint_def(ASH_JOINT_HINGE);
        def.body_b = b.body;
        def.axes[ASH_TURN_X].motor = (ash_joint_motor){.drive = ASH_DRIVE_SERVO,
                                                       .target = 1,
                                                       .max_force = 30,
                                                       .proportional = 40,
                                                       .integral = 60,
                                                       .derivative = 8};
        b.joint = make_joint(w, &def);
        for (int i = 0; i < 1600; i++) {
            ash_body_apply_torque(w, b.body, v3(-12, 0, 0));
            take_steps(w, STEP, 1);
        }
        assert_near(ash_joint_get_position(w, b.joint, ASH_TURN_X), 1, 1e-4);
        assert_near(ash_joint_get_reaction(w, b.joint, ASH_FRAME_WORLD).drive[ASH_TURN_X], 12, 1e-2);
        for (int i = 0; i < 100; i++) {
            ash_body_apply_torque(w, b.body, v3(-31, 0, 0));
            take_steps(w, STEP, 1);
        }
        double integral = joint_in(w, b.joint)->integral[ASH_TURN_X];
        assert_near(ash_joint_get_reaction(w, b.joint, ASH_FRAME_WORLD).drive[ASH_TURN_X], 30, 1e-6);
        for (int i = 0; i < 100; i++) {
            ash_body_apply_torque(w, b.body, v3(-31, 0, 0));
            take_steps(w, STEP, 1);
        }
        assert_near(joint_in(w, b.joint)->integral[ASH_TURN_X], integral, 0);
        ash_world_destroy(w);
    }
}

/* The kinds that planar worlds have, under load: what is removed holds, and all that moves stays in the plane. */
static void flat_joints_hold(void **state)
{
    (void)state;
    const ash_joint_kind flat[] = {ASH_JOINT_BALL,           ASH_JOINT_HINGE,    ASH_JOINT_POINT_ON_LINE,
                                   ASH_JOINT_POINT_ON_PLANE, ASH_JOINT_PARALLEL, ASH_JOINT_SLIDER,
                                   ASH_JOINT_FIXED};
    for (size_t m = 0; m < METHODS; m++)
        for (size_t k = 0; k < sizeof flat / sizeof *flat; k++) {
            ash_world_def def = ash_default_world_def();
            bound b;
            assert_int_equal(ash_method_find(methods[m].name, &def.method, NULL), ASH_OK);
            if (methods[m].iterations > 0)
                def.method.solver.iterations = methods[m].iterations;
            def.planar = true;
            def.gravity = v3(0, -9.81, 0);
            assert_int_equal(ash_world_create(&def, &b.world, NULL), ASH_OK);
            b.body = make_rotor(b.world, 2, v3(0.2, 0.2, 0.4), v3(0.5, 0.2, 0), v3(0, 0, 0));
            ash_joint_def joint = ash_default_joint_def(flat[k]);
            joint.body_b = b.body;
            assert_int_equal(ash_joint_def_place(b.world, &joint, v3(0.1, 0.3, 0), v3(0.8, 0.6, 0)), ASH_OK);
            b.joint = make_joint(b.world, &joint);
            ash_transform start = ash_body_get_transform(b.world, b.body);
            for (int i = 0; i < 60; i++) {
                ash_body_apply_torque(b.world, b.body, v3(0, 0, 1));
                take_steps(b.world, STEP, 1);
                check_held(&b, &methods[m], "in the plane");
            }
            ash_transform now = ash_body_get_transform(b.world, b.body);
            assert_true(now.position.z == 0 && now.rotation.x == 0 && now.rotation.y == 0);
            assert_int_equal(v3_distance(now.position, start.position) > 0.01, flat[k] != ASH_JOINT_FIXED);
            ash_world_destroy(b.world);
        }
}

/* Two free bodies, each kind between them: whatever the joint does, it does to both. */
static void momentum_is_kept_between_joined_bodies(void **state)
{
    (void)state;
    ashi_random random = {11};
    for (size_t m = 0; m < METHODS; m++)
        for (size_t k = 0; k < KINDS; k++) {
            ash_world *w = world_by(&methods[m], v3(0, 0, 0));
            ash_body one = make_random_body(w, &random), two = make_random_body(w, &random);
            ash_joint_def def = ash_default_joint_def(kinds[k]);
            def.body_a = one;
            def.body_b = two;
            assert_int_equal(ash_joint_def_place(w, &def, v3(0.1, 0.2, -0.1), v3(1, -1, 2)), ASH_OK);
            bound b = {w, two, make_joint(w, &def)};
            ash_vec3 p = ash_world_get_momentum(w), l = ash_world_get_angular_momentum(w);
            take_steps(w, STEP, 100);
            check_held(&b, &methods[m], "free");
            double push = v3_distance(ash_world_get_momentum(w), p),
                   turn = v3_distance(ash_world_get_angular_momentum(w), l);
            if (!(push <= 1e-13 && turn <= 1e-12))
                fail_msg("%s by %s: momentum off by %g, angular momentum by %g", ash_joint_kind_name(kinds[k]),
                         methods[m].name, push, turn);
            ash_world_destroy(w);
        }
}

/* A velocity motor that cannot bear the load gives way by what is left over; one that can, does not. */
static void motors_stall(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++)
        for (int strong = 0; strong < 2; strong++) {
            ash_world *w = world_by(&methods[m], v3(0, 0, 0));
            ash_body body = make_rotor(w, 2, v3(0.5, 0.4, 0.3), v3(0, 0, 0), v3(0, 0, 0));
            ash_joint_def def = ash_default_joint_def(ASH_JOINT_HINGE);
            def.body_b = body;
            def.axes[ASH_TURN_X].motor =
                (ash_joint_motor){.drive = ASH_DRIVE_VELOCITY, .target = 1, .max_force = strong != 0 ? 4.1 : 3};
            ash_joint joint = make_joint(w, &def);
            for (int i = 0; i < 100; i++) {
                ash_body_apply_torque(w, body, v3(-4, 0, 0));
                take_steps(w, STEP, 1);
            }
            /* the strong one has 0.1 N m over, which takes 5 s to 1 rad/s */
            assert_near(ash_joint_get_rate(w, joint, ASH_TURN_X), strong != 0 ? 0.1 : -1, 1e-6);
            assert_near(ash_joint_get_reaction(w, joint, ASH_FRAME_WORLD).drive[ASH_TURN_X], strong != 0 ? 4.1 : 3,
                        1e-6);
            ash_world_destroy(w);
        }
}

/* At the limit of its freedom a motor of limited force leans on it with that; one of any force stops there. */
static void motors_meet_limits(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++)
        for (int drive = ASH_DRIVE_VELOCITY; drive <= ASH_DRIVE_POSITION; drive++)
            for (int weak = 0; weak < 2; weak++) {
                ash_world *w = world_by(&methods[m], v3(0, 0, 0));
                ash_body body = make_rotor(w, 2, v3(0.5, 0.4, 0.3), v3(0, 0, 0), v3(0, 0, 0));
                ash_joint_def def = ash_default_joint_def(ASH_JOINT_HINGE);
                def.body_b = body;
                def.axes[ASH_TURN_X].upper = 0.15;
                def.axes[ASH_TURN_X].motor = (ash_joint_motor){
                    .drive = (ash_drive)drive, .target = 2, .max_force = weak != 0 ? 3 : (double)INFINITY};
                ash_joint joint = make_joint(w, &def);
                take_steps(w, STEP, 200);
                ash_joint_reaction bears = ash_joint_get_reaction(w, joint, ASH_FRAME_WORLD);
                assert_near(ash_joint_get_position(w, joint, ASH_TURN_X), 0.15, weak != 0 ? methods[m].angle : 1e-6);
                assert_near(ash_joint_get_rate(w, joint, ASH_TURN_X), 0, 1e-6);
                assert_near(bears.drive[ASH_TURN_X], weak != 0 ? 3 : 0, 1e-3);
                assert_near(bears.torque.x, weak != 0 ? -3 : 0, 1e-3);
                ash_world_destroy(w);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_freedoms_move),
        cmocka_unit_test(removed_freedoms_hold),
        cmocka_unit_test(combinations_hold),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(cones_hold),
        cmocka_unit_test(motors_drive),
        cmocka_unit_test(reactions_are_those_of_statics),
        cmocka_unit_test(friction_holds_and_slides),
        cmocka_unit_test(springs_swing_at_their_frequency),
        cmocka_unit_test(compliance_gives_way),
        cmocka_unit_test(servos_come_to_their_position),
        cmocka_unit_test(flat_joints_hold),
        cmocka_unit_test(momentum_is_kept_between_joined_bodies),
        cmocka_unit_test(motors_stall),
        cmocka_unit_test(motors_meet_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
