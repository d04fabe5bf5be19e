/* Steps by a wanted accuracy: the true error is within a factor of ten of the estimated one, on motions whose exact
 * answers are known: smooth, stiff, chaotic for a short time, and with impacts. */
#include "math/vec3.h"
#include "worlds.h"

static const double gravity = 9.81;

static ash_world *make_by(const char *method, ash_vec3 pull)
{
    ash_world_def def = ash_default_world_def();
    ash_diagnostic diagnostic = {0};
    ash_world *world = NULL;
    assert_int_equal(ash_method_find(method, &def.method, &diagnostic), ASH_OK);
    def.gravity = pull;
    if (ash_world_create(&def, &world, &diagnostic) != ASH_OK)
        fail_msg("world: %s", diagnostic.message);
    return world;
}

static void advance(ash_world *world, double duration, double error, double span)
{
    ash_accuracy accuracy = {error, span};
    if (ash_world_advance(world, duration, &accuracy) != ASH_OK)
        fail_msg("%s", ash_world_get_last_diagnostic(world).message);
}

/* The true error against the estimated one; `rounding` is what does not matter. */
static void assert_told(const char *name, ash_world *world, double wrong, double wanted, double rounding)
{
    ash_step_report report = ash_world_get_report(world);
    if (!(wrong <= 10 * report.total_error + rounding) || !(report.total_error <= 10 * wrong + rounding))
        fail_msg("%s: wrong by %g m, told %g m, wanted %g m", name, wrong, report.total_error, wanted);
    if (wrong > 3 * wanted)
        assert_true(report.flags & ASH_FLAG_ACCURACY_MISSED);
}

/* ---- smooth and stiff: a damped spring ---- */

/* x'' = -w^2 x - 2 z w x' from x = 1 m, x' = 0. */
static double damped(double w, double z, double t)
{
    if (z < 1) {
        double d = w * sqrt(1 - z * z);
        return exp(-z * w * t) * (cos(d * t) + z * w / d * sin(d * t));
    }
    double root = w * sqrt(z * z - 1), a = -z * w + root, b = -z * w - root;
    return (b * exp(a * t) - a * exp(b * t)) / (b - a);
}

static ash_body hang_on_spring(ash_world *world, double w, double z)
{
    ash_body mass = make_point(world, 1, v3(2, 0, 0), v3(0, 0, 0));
    ash_spring_def spring = ash_default_spring_def();
    spring.body_b = mass;
    spring.rest_length = 1;
    spring.stiffness = w * w;
    spring.damping = 2 * z * w;
    make_spring(world, &spring);
    return mass;
}

static void check_spring(const char *method, double w, double z, double time, double wanted)
{
    ash_world *world = make_by(method, v3(0, 0, 0));
    ash_body mass = hang_on_spring(world, w, z);
    for (int i = 1; i <= 4; i++) {
        advance(world, 0.25 * time, wanted, time);
        double exact = 1 + damped(w, z, 0.25 * i * time);
        assert_near(ash_world_get_time(world), 0.25 * i * time, 1e-15);
        /* While it passes through zero the error of an oscillation is at its largest or its least: only the last. */
        double wrong = fabs(ash_body_get_centre(world, mass).x - exact);
        if (i == 4) {
            assert_told(method, world, wrong, wanted, 0.01 * wanted);
            assert_below(wrong, 2 * wanted);
        }
    }
    ash_world_destroy(world);
}

static void springs_are_as_exact_as_told(void **state)
{
    (void)state;
    for (double wanted = 1e-4; wanted > 1e-8; wanted *= 0.1) {
        check_spring("rk4", 3, 0.05, 2.3, wanted);
        check_spring("implicit-midpoint", 3, 0.05, 2.3, wanted);
    }
    check_spring("symplectic-euler", 3, 0.05, 2.3, 1e-4);
}

static void stiff_springs_are_as_exact_as_told(void **state)
{
    (void)state;
    check_spring("rk4", 1000, 0.01, 0.1, 1e-6);
    check_spring("implicit-midpoint", 1000, 0.01, 0.02, 1e-5);
    check_spring("rk4", 30, 20, 1, 1e-6); /* decays with 0.75/s and 1199/s */
    check_spring("implicit-midpoint", 30, 20, 1, 1e-6);
    check_spring("implicit-euler", 30, 20, 1, 1e-4);
}

/* ---- chaotic: a double pendulum ---- */

typedef struct double_pendulum {
    double a, b, rate_a, rate_b; /* angles from the vertical */
} double_pendulum;

/* Two point masses of 1 kg on massless rods of 1 m. */
static double_pendulum derivative(double_pendulum p)
{
    double difference = p.a - p.b, c = cos(difference), s = sin(difference);
    /* 2 a'' + c b'' = -s b'^2 - 2 g sin a;  c a'' + b'' = s a'^2 - g sin b */
    double f = -s * p.rate_b * p.rate_b - 2 * gravity * sin(p.a), e = s * p.rate_a * p.rate_a - gravity * sin(p.b);
    double determinant = 2 - c * c;
    return (double_pendulum){p.rate_a, p.rate_b, (f - c * e) / determinant, (2 * e - c * f) / determinant};
}

static double_pendulum plus(double_pendulum p, double_pendulum d, double h)
{
    return (double_pendulum){p.a + h * d.a, p.b + h * d.b, p.rate_a + h * d.rate_a, p.rate_b + h * d.rate_b};
}

static double_pendulum integrate(double_pendulum p, double time)
{
    const int steps = 40000;
    double h = time / steps;
    for (int i = 0; i < steps; i++) {
        double_pendulum k1 = derivative(p), k2 = derivative(plus(p, k1, 0.5 * h)),
                        k3 = derivative(plus(p, k2, 0.5 * h)), k4 = derivative(plus(p, k3, h));
        p = plus(plus(plus(plus(p, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
    }
    return p;
}

static ash_body join(ash_world *world, ash_body above, ash_vec3 place, ash_vec3 anchor)
{
    ash_body mass = make_point(world, 1, place, v3(0, 0, 0));
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_DISTANCE);
    def.body_a = above;
    def.body_b = mass;
    def.frame_a.position = anchor;
    def.length = 1;
    ash_joint joint;
    ash_diagnostic diagnostic = {0};
    if (ash_joint_create(world, &def, &joint, &diagnostic) != ASH_OK)
        fail_msg("joint: %s", diagnostic.message);
    return mass;
}

static void check_double_pendulum(const char *method, double wanted)
{
    const double time = 2.5, begin = 2.5; /* rad: nearly upright */
    ash_world *world = make_by(method, v3(0, 0, -gravity));
    ash_vec3 first = v3(sin(begin), 0, -cos(begin)), second = v3_add(first, v3(sin(begin), 0, -cos(begin)));
    ash_body upper = join(world, (ash_body){0}, first, v3(0, 0, 0)), lower = join(world, upper, second, v3(0, 0, 0));
    advance(world, time, wanted, 0);
    double_pendulum p = integrate((double_pendulum){begin, begin, 0, 0}, time);
    ash_vec3 right_upper = v3(sin(p.a), 0, -cos(p.a)), right = v3_add(right_upper, v3(sin(p.b), 0, -cos(p.b)));
    double wrong = fmax(v3_norm(v3_sub(ash_body_get_centre(world, lower), right)),
                        v3_norm(v3_sub(ash_body_get_centre(world, upper), right_upper)));
    assert_told(method, world, wrong, wanted, 0.01 * wanted);
    ash_world_destroy(world);
}

static void chaos_is_as_exact_as_told(void **state)
{
    (void)state;
    check_double_pendulum("engineering", 1e-3);
    check_double_pendulum("engineering", 1e-5);
    check_double_pendulum("bender-schmitt-2006", 1e-4);
    check_double_pendulum("faure", 1e-3);
    check_double_pendulum("faure", 1e-5);
    check_double_pendulum("faure", 1e-7);
}

/* ---- impacts ---- */

/* A mass on a spring that pulls it against a wall, with a coefficient of restitution: half swings between impacts. */
static void check_swinging_impacts(const char *method, double wanted)
{
    const double w = 7, e = 0.8, start = 0.5;
    ash_world *world = make_by(method, v3(0, 0, 0));
    ash_diagnostic diagnostic = {0};
    ash_material material;
    ash_material_def stuff = ash_default_material_def();
    stuff.surface.restitution = e;
    stuff.surface.friction = 0;
    assert_int_equal(ash_material_create(world, &stuff, &material, &diagnostic), ASH_OK);
    ash_shape_def ball = ash_default_shape_def(), wall = ash_default_shape_def();
    ash_geometry_def sphere = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    sphere.radius = 0.05;
    box.half_extents = v3(0.5, 1, 1);
    assert_int_equal(ash_geometry_create(&sphere, &ball.geometry, &diagnostic), ASH_OK);
    assert_int_equal(ash_geometry_create(&box, &wall.geometry, &diagnostic), ASH_OK);
    ball.material = wall.material = material;
    ash_body_def body = ash_default_body_def();
    body.mass = 1;
    body.position = v3(0.05 + start, 0, 0);
    ash_body mass, fixed;
    assert_int_equal(ash_body_create(world, &body, &ball, 1, &mass, &diagnostic), ASH_OK);
    body = ash_default_body_def();
    body.type = ASH_BODY_STATIC;
    body.position = v3(-0.5, 0, 0);
    assert_int_equal(ash_body_create(world, &body, &wall, 1, &fixed, &diagnostic), ASH_OK);
    ash_geometry_release(ball.geometry);
    ash_geometry_release(wall.geometry);
    /* Its length is 0.05 m when the ball touches the wall, which is its rest: a sine between impacts. */
    ash_spring_def spring = ash_default_spring_def();
    spring.body_b = mass;
    spring.point_a = v3(-1, 0, 0);
    spring.rest_length = 1.05;
    spring.stiffness = w * w;
    make_spring(world, &spring);
    const double pi = 3.14159265358979323846, time = 3.3 * pi / w;
    advance(world, time, wanted, 0);
    /* A quarter swing to the wall, then half swings of amplitudes start e^n. */
    double exact = start * e * e * e * sin(w * time - 2.5 * pi);
    double wrong = fabs(ash_body_get_centre(world, mass).x - 0.05 - exact);
    assert_told(method, world, wrong, wanted, 0.02 * wanted); /* an impact is located to a gap */
    assert_below(wrong, 2 * wanted);
    ash_world_destroy(world);
}

static void impacts_are_as_exact_as_told(void **state)
{
    (void)state;
    check_swinging_impacts("engineering", 1e-4);
    check_swinging_impacts("engineering", 1e-6);
    check_swinging_impacts("rk4", 1e-6);
    check_swinging_impacts("bender-schmitt-2006", 1e-5);
}

/* ---- what else is promised ---- */

static uint64_t advance_in(uint32_t threads, int pieces)
{
    busy_world busy;
    make_busy(&busy, ASH_RK4, threads);
    for (int i = 0; i < pieces; i++)
        advance(busy.world, 0.5 / pieces, 1e-5, 0.5);
    assert_near(ash_world_get_time(busy.world), 0.5, 1e-15);
    uint64_t hash = ash_world_get_hash(busy.world);
    ash_world_destroy(busy.world);
    return hash;
}

static void the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    assert_true(advance_in(1, 3) == advance_in(3, 3));
    assert_true(advance_in(1, 3) != advance_in(1, 4)); /* each call lands */
}

static void what_is_applied_acts_for_all_of_a_call(void **state)
{
    (void)state;
    ash_world *world = make_by("rk4", v3(0, 0, 0));
    ash_body mass = make_point(world, 2, v3(0, 0, 0), v3(0, 0, 0));
    for (int i = 0; i < 2; i++) {
        ash_body_apply_force_to_centre(world, mass, v3(6, 0, 0));
        advance(world, 1, 1e-3, 0);
    }
    assert_near(ash_body_get_centre(world, mass).x, 6, 1e-12); /* 3 m/s2 for 2 s */
    advance(world, 1, 1e-3, 0);
    assert_near(ash_body_get_centre(world, mass).x, 12, 1e-12); /* no more */
    ash_world_destroy(world);
}

static void a_joint_breaks_once(void **state)
{
    (void)state;
    ash_world *world = make_by("engineering", v3(0, 0, -gravity));
    ash_body mass = make_point(world, 1, v3(1, 0, 0), v3(0, 0, 0));
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_DISTANCE);
    def.body_b = mass;
    def.length = 1;
    def.break_force = 2 * gravity; /* in the lowest place it would bear three times the weight */
    ash_joint joint;
    ash_diagnostic diagnostic = {0};
    assert_int_equal(ash_joint_create(world, &def, &joint, &diagnostic), ASH_OK);
    advance(world, 1, 1e-4, 0);
    ash_joint_event event;
    assert_int_equal(ash_world_get_joint_events(world, &event, 1), 1);
    assert_true(event.joint.id == joint.id);
    assert_true(ash_joint_is_broken(world, joint));
    /* It bears 3 g sin x at the angle x below the horizontal: breaks at sin x = 2 / 3, then flies freely. */
    ash_ledger ledger = ash_world_get_ledger(world);
    assert_near(ledger.total, ledger.initial, 1e-3);
    advance(world, 0.1, 1e-4, 0);
    assert_int_equal(ash_world_get_joint_events(world, &event, 1), 0);
    ash_world_destroy(world);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    ash_world *world = make_by("rk4", v3(0, 0, 0));
    ash_body mass = make_point(world, 1, v3(0, 0, 0), v3(1, 0, 0));
    ash_accuracy good = {1e-6, 0}, none = {0, 0}, endless = {(double)NAN, 0}, backwards = {1e-6, -1};
    assert_int_equal(ash_world_advance(world, 0, &good), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_advance(world, (double)INFINITY, &good), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_advance(world, 1, NULL), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_advance(world, 1, &none), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_advance(world, 1, &endless), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_advance(world, 1, &backwards), ASH_BAD_ARGUMENT);
    assert_near(ash_body_get_centre(world, mass).x, 0, 0);
    assert_near(ash_world_get_time(world), 0, 0);
    ash_world_destroy(world);
}

/* What overflows at any length ends at the last good state, and says so. */
static void what_is_not_finite_is_not_taken(void **state)
{
    (void)state;
    ash_world *world = make_by("rk4", v3(0, 0, 0));
    ash_body mass = make_point(world, 1, v3(0, 0, 0), v3(1e200, 0, 0));
    ash_accuracy accuracy = {1e-6, 0};
    assert_int_equal(ash_world_advance(world, 1, &accuracy), ASH_NUMERICS);
    assert_true(ash_world_get_report(world).flags & ASH_FLAG_NOT_FINITE);
    assert_near(ash_body_get_centre(world, mass).x, 0, 0);
    ash_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_are_as_exact_as_told),
        cmocka_unit_test(stiff_springs_are_as_exact_as_told),
        cmocka_unit_test(chaos_is_as_exact_as_told),
        cmocka_unit_test(impacts_are_as_exact_as_told),
        cmocka_unit_test(the_same_on_any_number_of_threads),
        cmocka_unit_test(what_is_applied_acts_for_all_of_a_call),
        cmocka_unit_test(a_joint_breaks_once),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(what_is_not_finite_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
