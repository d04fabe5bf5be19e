/* The scheme propagation (erleben-2007): tall stacks stand, lifts carry them, overlap goes and velocities stay, free
 * bodies keep momentum, joints hold; the ledger closes; whatever fails, the state is as before and the next try goes on
 * as if nothing had been; warm steps allocate nothing. */
#include "step/piles.h"

#include "ashlar/joint.h"
#include "base/alloc.h"
#include "base/random.h"
#include "math/quat.h"

#include <string.h>

#define G 9.81

static void change(ash_world *w, const char *field, const char *value)
{
    ash_method method = ash_world_get_method(w);
    assert_int_equal(ash_method_set(&method, field, value, NULL), ASH_OK);
    assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
}

static void steps(ash_world *w, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(ash_world_step(w, 0.01), ASH_OK);
}

/* Cubes of 1 m on top of each other, the lowest with its underside at z. */
static void add_stack(ash_world *w, ash_body *bodies, uint32_t count, double z)
{
    for (uint32_t i = 0; i < count; i++)
        bodies[i] = add_box(w, 0.5, v3(0, 0, z + i + 0.5), v3(0, 0, 0));
}

static void a_stack_stands_with_layers_and_falls_without(void **state)
{
    (void)state;
    enum { HEIGHT = 25 };
    for (int shock = 0; shock < 2; shock++) {
        ash_world *w = make_held_world("erleben-2007", v3(0, 0, -G), 1);
        ash_body bodies[HEIGHT];
        set_surface(w, 0.5, 0);
        add_floor(w);
        add_stack(w, bodies, HEIGHT, 0);
        if (!shock)
            change(w, "solver", "pgs");
        steps(w, some(400));
        ash_vec3 top = ash_body_get_centre(w, bodies[HEIGHT - 1]);
        double sideways = v3_norm(v3(top.x, top.y, 0));
        if (shock) {
            assert_below(sideways, 5e-4);
            assert_near(top.z, HEIGHT - 0.5, 5e-4);
            assert_int_equal(ash_body_get_stack_height(w, bodies[HEIGHT - 1]), HEIGHT);
            assert_true(ash_world_get_report(w).solve_flags & ASH_SOLVE_LAYERED);
            ash_stacking stacking = ash_world_get_stacking(w);
            assert_int_equal(stacking.layers, HEIGHT);
        } else if (!SLOW_BUILD) {
            assert_true(HEIGHT - 0.5 - top.z > 0.1 || sideways > 0.1);
        }
        ash_world_destroy(w);
    }
}

static void a_lift_carries_a_stack(void **state)
{
    (void)state;
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, -G), 1);
    ash_body bodies[10];
    ash_geometry_def plate = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    plate.half_extents = v3(2, 2, 0.5);
    set_surface(w, 0.5, 0);
    ash_body lift = add_shape(w, &plate, ASH_BODY_KINEMATIC, 0, v3(0, 0, -0.5), v3(0.2, 0, 0.5));
    add_stack(w, bodies, 10, 0);
    steps(w, some(200));
    ash_vec3 at = ash_body_get_centre(w, lift);
    for (int i = 0; i < 10; i++) {
        ash_vec3 centre = ash_body_get_centre(w, bodies[i]), velocity = ash_body_get_velocity(w, bodies[i]);
        assert_near(centre.z - at.z, i + 1, 1e-3);
        assert_near(velocity.x, 0.2, 1e-3);
        assert_near(velocity.z, 0.5, 1e-3);
    }
    ash_world_destroy(w);
}

/* No gravity: bodies at rest that overlap are put apart and stay at rest. */
static void corrections_leave_velocities_alone(void **state)
{
    (void)state;
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, 0), 1);
    ash_body balls[5];
    add_floor(w);
    for (int i = 0; i < 5; i++)
        balls[i] = add_ball(w, 0.5, 1000, v3(0, 0, 0.4 + 0.8 * i), v3(0, 0, 0));
    steps(w, 1);
    assert_below(ash_world_get_report(w).penetration, 1e-3); /* one sweep of layers suffices for a column */
    for (int i = 0; i < 5; i++) {
        assert_true(v3_norm(ash_body_get_velocity(w, balls[i])) == 0);
        assert_near(ash_body_get_centre(w, balls[i]).z, 0.5 + i, 1e-3);
    }
    steps(w, 3);
    assert_below(ash_world_get_report(w).penetration, 1.01e-5); /* the slop */
    ash_world_destroy(w);
}

/* Overlap within the slop is no error: what makes room below lifts nothing that has room left. */
static void corrections_within_the_slop_are_not_passed_on(void **state)
{
    (void)state;
    const double slop = 1e-5;
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, 0), 1);
    ash_body bodies[2];
    add_floor(w);
    add_stack(w, bodies, 2, -1.2 * slop);
    steps(w, 1);
    assert_near(ash_body_get_centre(w, bodies[0]).z, 0.5 - 0.5 * slop, 1e-3 * slop);
    assert_near(ash_body_get_centre(w, bodies[1]).z, 1.5 - 1.2 * slop, 1e-3 * slop);
    ash_world_destroy(w);
}

/* A ball whose gap is within the slop, and too wide for the short first stage to close it: it has met, and rebounds. */
static void what_meets_within_the_slop_rebounds(void **state)
{
    (void)state;
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, 0), 1);
    set_surface(w, 0, 0.5);
    add_floor(w);
    ash_body ball = add_ball(w, 0.25, 1000, v3(0, 0, 0.25 + 5e-6), v3(0, 0, -1));
    take_steps(w, 1e-4, 1);
    assert_near(ash_body_get_velocity(w, ball).z, 0.5, 1e-9);
    ash_world_destroy(w);
}

/* Rings of eight bricks on a lowest one whose bricks turn and rise at random: in each layer bricks are held by two that
 * contradict each other. Returns the largest spin of the upmost ring over that of the lowest. */
static double magnification(const char *settling)
{
    enum { RINGS = 16, BRICKS = 8 };
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, -G), 1);
    ash_body bricks[RINGS][BRICKS];
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ashi_random random = {3};
    double lowest = 0, upmost = 0;
    box.half_extents = v3(0.2, 0.1, 0.1);
    set_surface(w, 0.5, 0);
    change(w, "settling", settling);
    for (int ring = 0; ring < RINGS; ring++)
        for (int i = 0; i < BRICKS; i++) {
            ash_quat turned = q_exp(v3(0, 0, (i + 0.5 * (ring % 2)) * 2 * ASHI_PI / BRICKS));
            ash_vec3 place = q_rotate(turned, v3(0, -0.6, 0.2 * ring));
            bricks[ring][i] =
                add_shape(w, &box, ring == 0 ? ASH_BODY_KINEMATIC : ASH_BODY_DYNAMIC, 2000, place, v3(0, 0, 0));
            assert_int_equal(ash_body_set_transform(w, bricks[ring][i], (ash_transform){place, turned}), ASH_OK);
        }
    steps(w, 30);
    for (int i = 0; i < BRICKS; i++) {
        ash_vec3 spin = v3(ashi_random_range(&random, -1e-6, 1e-6), ashi_random_range(&random, -1e-6, 1e-6),
                           ashi_random_range(&random, -1e-6, 1e-6));
        ash_body_set_angular_velocity(w, bricks[0][i], spin);
        lowest = fmax(lowest, v3_norm(spin));
    }
    steps(w, 1);
    for (int i = 0; i < BRICKS; i++)
        upmost = fmax(upmost, v3_norm(ash_body_get_angular_velocity(w, bricks[RINGS - 1][i])));
    ash_world_destroy(w);
    return upmost / lowest;
}

static void layers_do_not_magnify_motion(void **state)
{
    (void)state;
    double settled = magnification("0.5"), unsettled = magnification("0");
    assert_below(settled, 5);
    assert_true(unsettled > 2 * settled);
}

/* What rests comes to lie quite still, and where it is: stage 1, whose ten sweeps do not bear 25 cubes, lets none sink.
 */
static void rest_is_a_fixed_point(void **state)
{
    (void)state;
    enum { HEIGHT = 25 };
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, -G), 1);
    ash_body bodies[HEIGHT];
    double before[HEIGHT];
    set_surface(w, 0.5, 0);
    add_floor(w);
    add_stack(w, bodies, HEIGHT, 0);
    steps(w, 100);
    for (int i = 0; i < HEIGHT; i++)
        before[i] = ash_body_get_centre(w, bodies[i]).z;
    steps(w, 100);
    for (int i = 0; i < HEIGHT; i++) {
        assert_near(ash_body_get_centre(w, bodies[i]).z, before[i], 1e-9);
        assert_below(v3_norm(ash_body_get_velocity(w, bodies[i])), 1e-9);
    }
    ash_world_destroy(w);
}

/* A small box that is shot up from the floor under one of 1000 times its mass: held like a wall it would throw it. */
static void what_is_struck_is_no_wall(void **state)
{
    (void)state;
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, -G), 1);
    set_surface(w, 0.5, 0);
    add_floor(w);
    ash_body small = add_box(w, 0.05, v3(0, 0, 0.05), v3(0, 0, 5));
    ash_body large = add_box(w, 0.5, v3(0, 0, 0.6), v3(0, 0, 0));
    double start = ash_body_get_kinetic_energy(w, small);
    for (int i = 0; i < 20; i++) {
        steps(w, 1);
        double now = ash_body_get_kinetic_energy(w, small) + ash_body_get_kinetic_energy(w, large);
        assert_below(now, start);
        assert_below(ash_body_get_velocity(w, large).z, 0.02);
    }
    assert_near(ash_body_get_centre(w, large).z, 0.6, 1e-3);
    ash_world_destroy(w);
}

static void free_bodies_keep_momentum(void **state)
{
    (void)state;
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, 0), 1);
    set_surface(w, 0.3, 0.5);
    add_box(w, 0.5, v3(0, 0, 0), v3(1, 0, 0));
    add_box(w, 0.5, v3(1.5, 0.3, 0.2), v3(-1, 0, 0));
    add_ball(w, 0.5, 1000, v3(3, 0, 0), v3(-2, 0, 0));
    ash_vec3 before = ash_world_get_momentum(w);
    steps(w, 100);
    ash_vec3 after = ash_world_get_momentum(w);
    assert_below(v3_distance(before, after), 1e-9 * (1 + v3_norm(before)));
    ash_world_destroy(w);
}

/* Energy stored = energy at the start + works + remainder is the ledger's definition; where there is one stage, whose
 * free motion is symplectic, the remainder is of the order of m g h v. */
static void the_ledger_closes(void **state)
{
    (void)state;
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, -G), 1);
    ash_body bodies[6];
    change(w, "shock-weight", "0");
    set_surface(w, 0.5, 0);
    add_floor(w);
    add_stack(w, bodies, 6, 0.2); /* falls by 0.2 m: every layer meets an impact */
    ash_ledger start = ash_world_get_ledger(w);
    steps(w, 100);
    ash_ledger ledger = ash_world_get_ledger(w);
    double fallen = 6 * 1000 * G * 0.2;
    assert_near(start.total - ledger.total, fallen, 0.01 * fallen);
    assert_near(ledger.impacts + ledger.stabilization, -fallen, 0.05 * fallen);
    assert_below(fabs(ledger.remainder), 0.05 * fallen);
    ash_world_destroy(w);
}

static ash_body join_chain(ash_world *w, uint32_t links)
{
    ash_body last = ash_world_get_background(w);
    for (uint32_t i = 0; i < links; i++) {
        ash_joint_def def = ash_default_joint_def(ASH_JOINT_BALL);
        ash_joint joint;
        ash_body link = add_box(w, 0.1, v3(5 + 0.5 * (i + 1), 0, 10), v3(0, 0, 0));
        def.body_a = last;
        def.body_b = link;
        def.frame_a.position = i == 0 ? v3(5, 0, 10) : v3(0, 0, 0);
        def.frame_b.position = v3(-0.5, 0, 0);
        assert_int_equal(ash_joint_create(w, &def, &joint, NULL), ASH_OK);
        last = link;
    }
    return last;
}

static void joints_hold_in_one_layer(void **state)
{
    (void)state;
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, -G), 1);
    ash_body end = join_chain(w, 6);
    double lowest = INFINITY;
    steps(w, 1);
    assert_int_equal(ash_body_get_stack_height(w, end), 1); /* a chain is no stack */
    for (uint32_t i = 0; i < some(200); i++) {
        steps(w, 1);
        assert_below(ash_world_get_report(w).joint_error, 0.02);
        lowest = fmin(lowest, ash_body_get_centre(w, end).z);
    }
    assert_below(lowest, 9); /* it swings */
    ash_world_destroy(w);
}

/* How high the chain's free end comes within 2 s after it was let go at 10 m, with one field of the method changed. */
static double swing(const char *field, const char *value, uint32_t count, double *gained)
{
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, -G), 1);
    ash_body end = join_chain(w, 6);
    double highest = -INFINITY;
    change(w, field, value);
    *gained = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(ash_world_step(w, 2.0 / count), ASH_OK);
        ash_ledger ledger = ash_world_get_ledger(w);
        *gained = fmax(*gained, ledger.total - ledger.initial);
        highest = i >= count / 4 ? fmax(highest, ash_body_get_centre(w, end).z) : highest;
    }
    ash_world_destroy(w);
    return highest;
}

/* Jointed bodies are in one layer: links that were held felt nothing of those after them, and drove the chain to
 * 10.93 m with 837 J more. */
static void a_chain_gains_no_energy(void **state)
{
    (void)state;
    static const char *const changes[][2] = {{"solver", "pgs"},
                                             {"solver", "shock"},
                                             {"shock-weight", "1"},
                                             {"shock-weight", "0"},
                                             {"inner-solver", "newton"}};
    for (int i = 0; i < 5; i++) {
        double gained = 0;
        assert_below(swing(changes[i][0], changes[i][1], 200, &gained), 10);
        assert_below(gained, 0);
    }
}

/* A ball meets a resting cube at any phase of the step: both have its momentum afterwards. The cube rests on a floor,
 * and is held in the second stage: the first one has to see the impact. */
static void what_rests_takes_momentum_at_any_phase(void **state)
{
    (void)state;
    static const double lengths[] = {0.01, 0.002, 0.0005};
    for (int i = 0; i < 3; i++)
        for (int phase = 0; phase < 8; phase++) {
            double h = lengths[i];
            ash_world *w = make_held_world("erleben-2007", v3(0, 0, -G), 1);
            set_surface(w, 0, 0);
            add_floor(w);
            ash_body cube = add_box(w, 0.25, v3(0, 0, 0.25), v3(0, 0, 0));
            ash_body ball = add_ball(w, 0.1, 30000, v3(-0.665 - 10 * h * phase / 8, 0, 0.25), v3(10, 0, 0));
            double mass = ash_body_get_mass(w, ball).mass;
            for (int k = 0; k < (int)(0.05 / h); k++)
                assert_int_equal(ash_world_step(w, h), ASH_OK);
            double after = mass * ash_body_get_velocity(w, ball).x +
                           ash_body_get_mass(w, cube).mass * ash_body_get_velocity(w, cube).x;
            assert_near(after, 10 * mass, 1e-5 * mass); /* it hangs on what is left to the second stage */
            ash_world_destroy(w);
        }
}

/* Boxes and balls in a heap, a chain, a lift: all that the scheme can meet. */
static ash_world *make_all(void)
{
    ash_world *w = make_heap("erleben-2007", 1);
    ash_geometry_def plate = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    plate.half_extents = v3(1, 1, 0.1);
    change(w, "continuous", "on");
    join_chain(w, 3);
    add_shape(w, &plate, ASH_BODY_KINEMATIC, 0, v3(-4, 0, 1), v3(0, 0, 0.1));
    add_box(w, 0.2, v3(-4, 0, 1.25), v3(0, 0, 0));
    add_ball(w, 0.05, 5000, v3(0.3, 0.1, 4), v3(0, 0, -60)); /* so fast that it is held where it touches */
    return w;
}

static void what_fails_changes_nothing(void **state)
{
    (void)state;
    enum { TAKEN = 12 };
    ash_world *calm = make_all();
    uint64_t expected[TAKEN];
    for (int i = 0; i < TAKEN; i++) {
        steps(calm, 1);
        expected[i] = ash_world_get_hash(calm);
    }
    ash_world_destroy(calm);
    uint32_t refused = 0;
    bool done = false;
    for (uint64_t k = 1; !done; k += STRIDE) {
        ash_world *w = make_all();
        ashi_alloc_fail_at(k, false);
        for (int i = 0; i < TAKEN; i++) {
            uint64_t before = ash_world_get_hash(w);
            uint32_t contacts = ash_world_get_contacts(w, NULL, 0);
            if (ash_world_step(w, 0.01) == ASH_OUT_OF_MEMORY) {
                refused++;
                assert_int_equal(ash_world_get_hash(w), before);
                assert_true(i == 0 || ash_world_get_contacts(w, NULL, 0) == contacts);
                steps(w, 1);
            }
            if (ash_world_get_hash(w) != expected[i])
                fail_msg("step %d is another after allocation %llu failed", i, (unsigned long long)k);
        }
        done = ashi_alloc_fail_at(0, false) < k;
        ash_world_destroy(w);
    }
    assert_true(refused > 20);
}

static void a_state_that_is_not_finite_is_not_taken(void **state)
{
    (void)state;
    ash_world *w = make_all();
    steps(w, 5);
    ash_body fast = add_box(w, 0.5, v3(100, 0, 0.6), v3(0, 0, 0));
    assert_int_equal(ash_body_set_velocity(w, fast, v3(1e200, 0, -1e200)), ASH_OK);
    uint64_t before = ash_world_get_hash(w);
    assert_int_equal(ash_world_step(w, 0.01), ASH_NUMERICS);
    assert_int_equal(ash_world_get_hash(w), before);
    assert_int_equal(ash_body_set_velocity(w, fast, v3(0, 0, 0)), ASH_OK);
    steps(w, 5);
    ash_world_destroy(w);
}

static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, -G), 1);
    ash_body bodies[12];
    set_surface(w, 0.5, 0);
    add_floor(w);
    add_stack(w, bodies, 12, 0);
    join_chain(w, 3);
    steps(w, 40);
    uint64_t before = ash_memory_used().allocations;
    steps(w, 60);
    assert_int_equal(ash_memory_used().allocations, before);
    ash_world_destroy(w);
}

/* The speed at which a small box that is shot up throws one of 1000 times its mass. */
static double throw_of(const char *hold)
{
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, -G), 1);
    change(w, "shock-hold", hold);
    change(w, "shock-weight", "0"); /* no stage in which all bodies have their masses */
    add_floor(w);
    add_box(w, 0.05, v3(0, 0, 0.05), v3(0, 0, 5));
    ash_body large = add_box(w, 0.5, v3(0, 0, 0.6), v3(0, 0, 0));
    double most = 0;
    for (int i = 0; i < 20; i++) {
        steps(w, 1);
        most = fmax(most, ash_body_get_velocity(w, large).z);
    }
    ash_world_destroy(w);
    return most;
}

static void layers_hold_what_rests_or_all(void **state)
{
    (void)state;
    double resting = throw_of("resting"), all = throw_of("all");
    print_message("thrown at %g m/s, all held %g\n", resting, all);
    assert_below(resting, 0.02);
    assert_true(all > 0.1);
}

/* How far a ball has fallen after a step with two halves, in g h^2. */
static double way_of_a_step(const char *motion)
{
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, -G), 1);
    change(w, "shock-motion", motion);
    change(w, "shock-weight", "0.5");
    ash_body ball = add_ball(w, 0.1, 1000, v3(0, 0, 1), v3(0, 0, 0));
    steps(w, 1);
    double way = (1 - ash_body_get_centre(w, ball).z) / (G * 0.01 * 0.01);
    ash_world_destroy(w);
    return way;
}

static void stages_move_bodies_by_the_last_velocity_or_each_its_own(void **state)
{
    (void)state;
    assert_near(way_of_a_step("last-stage"), 1, 1e-9);
    assert_near(way_of_a_step("stages"), 0.75, 1e-9);
}

/* What is left of a gap of 4 mm, within the margin of 5 mm, a second later. */
static double gap_left(const char *gaps)
{
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, -G), 1);
    change(w, "gaps", gaps);
    add_floor(w);
    ash_body box = add_box(w, 0.5, v3(0, 0, 0.504), v3(0, 0, 0));
    steps(w, 100);
    double left = ash_body_get_centre(w, box).z - 0.5;
    ash_world_destroy(w);
    return left;
}

static void gaps_close_or_are_held(void **state)
{
    (void)state;
    assert_near(gap_left("close"), 0, 2e-5);
    assert_near(gap_left("hold"), 0.004, 2e-5);
}

/* The paper's algorithm without what was added: docs/shock.md. */
static void the_pure_algorithm_holds_a_stack(void **state)
{
    (void)state;
    static const char *const fields[][2] = {{"shock-hold", "all"}, {"shock-motion", "stages"}, {"gaps", "hold"},
                                            {"warm-start", "off"}, {"settling", "0"},          {"slop", "0"}};
    enum { HEIGHT = 25 };
    ash_world *w = make_held_world("erleben-2007", v3(0, 0, -G), 1);
    ash_body bodies[HEIGHT];
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        change(w, fields[i][0], fields[i][1]);
    set_surface(w, 0.5, 0);
    add_floor(w);
    add_stack(w, bodies, HEIGHT, 0);
    steps(w, some(400));
    ash_vec3 top = ash_body_get_centre(w, bodies[HEIGHT - 1]);
    assert_below(v3_norm(v3(top.x, top.y, 0)), 1e-3);
    assert_near(top.z, HEIGHT - 0.5, 1e-3);
    ash_world_destroy(w);
}

/* All of the first stage, none of it, and what lies between: the scheme's ends are no other code that nobody tries. */
static void every_weight_holds_a_small_heap(void **state)
{
    (void)state;
    static const char *const weights[] = {"0", "0.005", "0.5", "1"};
    for (int i = 0; i < 4; i++) {
        ash_world *w = make_heap("erleben-2007", 1);
        change(w, "shock-weight", weights[i]);
        steps(w, 150);
        assert_below(ash_world_get_report(w).penetration, 2e-3);
        assert_int_equal(ash_world_get_report(w).flags, 0);
        ash_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_stands_with_layers_and_falls_without),
        cmocka_unit_test(a_lift_carries_a_stack),
        cmocka_unit_test(corrections_leave_velocities_alone),
        cmocka_unit_test(corrections_within_the_slop_are_not_passed_on),
        cmocka_unit_test(what_meets_within_the_slop_rebounds),
        cmocka_unit_test(layers_do_not_magnify_motion),
        cmocka_unit_test(rest_is_a_fixed_point),
        cmocka_unit_test(what_is_struck_is_no_wall),
        cmocka_unit_test(free_bodies_keep_momentum),
        cmocka_unit_test(the_ledger_closes),
        cmocka_unit_test(joints_hold_in_one_layer),
        cmocka_unit_test(a_chain_gains_no_energy),
        cmocka_unit_test(what_rests_takes_momentum_at_any_phase),
        cmocka_unit_test(what_fails_changes_nothing),
        cmocka_unit_test(a_state_that_is_not_finite_is_not_taken),
        cmocka_unit_test(warm_steps_allocate_nothing),
        cmocka_unit_test(every_weight_holds_a_small_heap),
        cmocka_unit_test(layers_hold_what_rests_or_all),
        cmocka_unit_test(stages_move_bodies_by_the_last_velocity_or_each_its_own),
        cmocka_unit_test(gaps_close_or_are_held),
        cmocka_unit_test(the_pure_algorithm_holds_a_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
