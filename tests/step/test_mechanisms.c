/* Mechanisms that are hard to hold: rows of windows that pass positions where their joints depend on each other, and
 * Bennett's linkage, which moves though it has fewer freedoms than none by counting. */
#include "math/transform.h"
#include "worlds.h"

static const double gravity = 9.81;
static const ash_body ground = {0};

static ash_world *make_mechanism(const char *method, bool planar)
{
    ash_world_def def = ash_default_world_def();
    ash_diagnostic diagnostic = {0};
    ash_world *world = NULL;
    if (ash_method_find(method, &def.method, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    def.planar = planar;
    def.gravity = planar ? v3(0, -gravity, 0) : v3(0, 0, -gravity);
    if (ash_world_create(&def, &world, &diagnostic) != ASH_OK)
        fail_msg("world: %s", diagnostic.message);
    return world;
}

static ash_joint pin(ash_world *world, ash_body a, ash_body b, ash_vec3 point, ash_vec3 axis)
{
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_HINGE);
    ash_diagnostic diagnostic = {0};
    ash_joint joint = {0};
    def.body_a = a;
    def.body_b = b;
    assert_int_equal(ash_joint_def_place(world, &def, point, axis), ASH_OK);
    if (ash_joint_create(world, &def, &joint, &diagnostic) != ASH_OK)
        fail_msg("joint: %s", diagnostic.message);
    return joint;
}

static double energy_of(const ash_world *world)
{
    return ash_world_get_ledger(world).total;
}

/* ---- singular positions ---- */

static ash_body make_rod(ash_world *world, ash_vec3 from, ash_vec3 to, ash_vec3 velocity, double spin)
{
    ash_body_def def = ash_default_body_def();
    double length = v3_distance(from, to);
    def.mass = 1;
    def.inertia = (ash_sym3){length * length / 12, 0.001, length * length / 12, 0, 0, 0};
    def.position = v3_scale(v3_add(from, to), 0.5);
    def.velocity = velocity;
    def.angular_velocity = v3(0, 0, spin);
    return make_body(world, &def);
}

/* Cranks of 1 m stand upright and move at 1 m/s; when all links lie on one line, every window could fold. */
static void make_windows(ash_world *world, uint32_t count)
{
    ash_body last = ground;
    ash_vec3 z = v3(0, 0, 1);
    for (uint32_t i = 0; i <= count; i++) {
        ash_vec3 foot = v3(i, 0, 0), top = v3(i, 1, 0), before = v3(i - 1.0, 1, 0);
        ash_body crank = make_rod(world, foot, top, v3(0.5, 0, 0), -1);
        pin(world, ground, crank, foot, z);
        if (i > 0) {
            ash_body coupler = make_rod(world, before, top, v3(1, 0, 0), 0);
            pin(world, last, coupler, before, z);
            pin(world, coupler, crank, top, z);
        }
        last = crank;
    }
}

/* With these, states come close to singular positions: 55 microradians from one, for the long row. */
static const struct passage {
    uint32_t windows;
    double step, time;
} passages[] = {{8, 0.0037, 4}, {40, 0.002, 1.3}};

static void windows_pass_singular_positions(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof passages / sizeof *passages; k++) {
        const struct passage *p = &passages[k];
        ash_world *w = make_mechanism("engineering", true);
        make_windows(w, p->windows);
        double start = energy_of(w), error = 0;
        for (double time = 0; time < p->time; time += p->step) {
            assert_int_equal(ash_world_step(w, p->step), ASH_OK);
            assert_int_equal(ash_world_get_report(w).flags, 0);
            error = fmax(error, ash_world_get_report(w).joint_error);
        }
        print_message("%u windows, h %g ms: joints to %.1e m, energy off by %.1e J of %.0f\n", p->windows,
                      1000 * p->step, error, energy_of(w) - start, start);
        assert_below(error, 2e-12);
        assert_below(fabs(energy_of(w) - start), 0.01); /* kicks along the rows of the end cost some */
        ash_world_destroy(w);
    }
}

/* Forces of joints have no bounds there: `faure` takes such parts by impulses. Without that, the energy is 0.02 J off
 * after four passages, and soon doubled. */
static void accelerations_pass_singular_positions(void **state)
{
    (void)state;
    ash_world *w = make_mechanism("faure", true);
    make_windows(w, 1);
    double start = energy_of(w), off = 0, error = 0;
    for (int i = 0; i < 3300; i++) {
        assert_int_equal(ash_world_step(w, 0.001), ASH_OK);
        off = fmax(off, fabs(energy_of(w) - start));
        error = fmax(error, ash_world_get_report(w).joint_error);
    }
    print_message("a window by faure: joints to %.1e m, energy off by %.1e J at most\n", error, off);
    assert_below(error, 2e-9);
    assert_below(off, 1e-4);
    ash_world_destroy(w);
}

/* Gradients that are stopped early leave joints open by a little, and the report says so. */
static void accelerations_may_be_cut_short(void **state)
{
    (void)state;
    double errors[3];
    for (int k = 0; k < 3; k++) { /* all turns; one; none but the one that no budget prevents */
        ash_world *w = make_mechanism("faure", true);
        make_windows(w, 3);
        ash_method method = ash_world_get_method(w);
        method.solver.iterations = k == 1 ? 1 : 1000;
        method.joint_budget = k == 2 ? 1e-9 : 0;
        assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
        uint32_t flags = 0, solve_flags = 0;
        errors[k] = 0;
        for (int i = 0; i < 50; i++) {
            assert_int_equal(ash_world_step(w, 0.001), ASH_OK);
            flags |= ash_world_get_report(w).flags;
            solve_flags |= ash_world_get_report(w).solve_flags;
            errors[k] = fmax(errors[k], ash_world_get_report(w).joint_error);
        }
        assert_int_equal((flags & ASH_FLAG_NOT_CONVERGED) != 0, k > 0);
        assert_int_equal((solve_flags & ASH_SOLVE_BUDGET) != 0, k > 0);
        ash_world_destroy(w);
    }
    print_message("joints to %.1e m, %.1e by one turn, %.1e without time\n", errors[0], errors[1], errors[2]);
    assert_below(errors[0], 2e-9);
    assert_true(errors[1] > errors[0]);
    assert_below(errors[1], 1e-3);
    assert_below(errors[2], 1e-3);
}

/* ---- Bennett's linkage ---- */

/* Lengths a, b, a, b and twists between neighbouring axes with a / sin(twist of a) = b / sin(twist of b). */
static const double length_a = 1, twist_a = 0.7, twist_b = 1.2;

/* The pose of the next axis (z) in the frame of this one: turned by `angle`, then along a link and twisted. */
static ash_transform next_axis(double angle, double length, double twist)
{
    ash_quat turn = q_exp(v3(0, 0, angle));
    return (ash_transform){q_rotate(turn, v3(length, 0, 0)), q_mul(turn, q_exp(v3(twist, 0, 0)))};
}

static double other_angle(double angle)
{
    return 2 * atan(sin((twist_b + twist_a) / 2) / sin((twist_b - twist_a) / 2) / tan(angle / 2));
}

typedef struct bennett {
    ash_world *world;
    ash_joint joints[4];
} bennett;

static bennett make_bennett(const char *method)
{
    bennett m = {.world = make_mechanism(method, false)};
    double angle = 1.3, length_b = length_a * sin(twist_b) / sin(twist_a), turned = other_angle(angle);
    double angles[4] = {angle, turned, -angle, -turned};
    ash_transform axis[5] = {{v3(0, 0, 0), q_identity()}};
    for (int i = 0; i < 4; i++)
        axis[i + 1] =
            t_mul(axis[i], next_axis(angles[i], i % 2 == 0 ? length_a : length_b, i % 2 == 0 ? twist_a : twist_b));
    assert_below(v3_norm(axis[4].position), 1e-12); /* it is closed */
    assert_below(v3_distance(q_rotate(axis[4].rotation, v3(0, 0, 1)), v3(0, 0, 1)), 1e-12);
    ash_body links[4] = {ground};
    for (int i = 1; i < 4; i++) {
        ash_body_def def = ash_default_body_def();
        def.mass = 1;
        def.inertia = (ash_sym3){0.1, 0.12, 0.15, 0, 0, 0};
        def.position = v3_scale(v3_add(axis[i].position, axis[i + 1].position), 0.5);
        links[i] = make_body(m.world, &def);
    }
    /* The ground has the first link, from axis 0 to axis 1. */
    for (int i = 0; i < 4; i++)
        m.joints[i] =
            pin(m.world, links[(i + 3) % 4], links[i], axis[i].position, q_rotate(axis[i].rotation, v3(0, 0, 1)));
    return m;
}

static void bennett_moves(void **state)
{
    (void)state;
    static const char *const methods[] = {"engineering", "bender-schmitt-2006", "faure", "realtime"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        bennett m = make_bennett(methods[k]);
        ash_mobility mobility;
        assert_int_equal(ash_world_get_mobility(m.world, &mobility), ASH_OK);
        assert_int_equal(mobility.rows, 20); /* 18 freedoms: two fewer than none by counting */
        assert_int_equal(mobility.rank, 17);
        assert_int_equal(mobility.redundant, 3);
        assert_int_equal(mobility.freedoms, 1);
        double start = energy_of(m.world), error = 0, turn = 0;
        for (int i = 0; i < 1000; i++) {
            assert_int_equal(ash_world_step(m.world, 0.002), ASH_OK);
            ash_step_report report = ash_world_get_report(m.world);
            assert_int_equal(report.flags & (ASH_FLAG_NOT_FINITE | ASH_FLAG_NOT_CONVERGED), 0);
            error = fmax(error, fmax(report.joint_error, report.joint_angle));
            turn = fmax(turn, fabs(ash_joint_get_position(m.world, m.joints[1], ASH_TURN_X)));
        }
        assert_int_equal(ash_world_get_mobility(m.world, &mobility), ASH_OK);
        assert_int_equal(mobility.freedoms, 1); /* elsewhere, too */
        print_message("%-20s turns by %.2f rad, joints to %.1e, energy off by %.1e J\n", methods[k], turn, error,
                      energy_of(m.world) - start);
        assert_true(turn > 0.5);
        assert_below(error, 2e-6);
        assert_true(ash_joint_get_reaction(m.world, m.joints[0], ASH_FRAME_WORLD).indeterminate);
        assert_below(fabs(energy_of(m.world) - start), 0.1);
        ash_world_destroy(m.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_pass_singular_positions),
        cmocka_unit_test(accelerations_pass_singular_positions),
        cmocka_unit_test(accelerations_may_be_cut_short),
        cmocka_unit_test(bennett_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
