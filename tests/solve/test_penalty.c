/* Penalty contact against exact motion: contact times and losses of impacts on linear and Hertz springs, orders of
 * convergence, the bounds of force and friction. */
#include "check.h"

#include "solve/solve.h"

static const double pi = 3.14159265358979323846;

/* A ball over the ground, stepped by hand. */
typedef struct ball {
    ashi_system problem;
    ash_problem_body bodies[2];
    ashi_block block;
    ashi_row rows[3];
    ash_problem_island island;
    ash_motion velocity[2], shift[2];
    ash_solver_settings settings;
    ashi_solver_memory *memory;
    double mass, gravity;
    ash_vec3 position;
} ball;

static void connect(ball *b)
{
    b->problem.bodies = b->bodies;
    b->problem.blocks = &b->block;
    b->problem.rows = b->rows;
    b->problem.islands = &b->island;
    b->problem.velocity = b->velocity;
    b->problem.shift = b->shift;
}

static ball make_ball(double h, double mass, double height, ash_vec3 velocity)
{
    ball b = {
        .problem = {.h = h, .fixed_count = 1, .body_count = 2, .block_count = 1, .row_count = 3, .island_count = 1},
        .block = {.kind = ASHI_CONTACT_BLOCK, .body_b = 1, .row_count = 3, .tangents = 2, .friction_limit = -1},
        .island = {.first_body = 1, .body_count = 1, .block_count = 1},
        .settings = ash_default_solver_settings(ASH_SOLVER_PENALTY),
        .memory = ashi_solver_memory_create(),
        .mass = mass,
        .position = {0, 0, height}};
    static const ash_vec3 axes[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (int i = 0; i < 3; i++) {
        b.rows[i].linear_a = v3_neg(axes[i]);
        b.rows[i].linear_b = axes[i];
    }
    b.bodies[1].inverse_mass = (ash_vec3){1 / mass, 1 / mass, 1 / mass};
    b.velocity[1].linear = velocity;
    b.settings.dissipation = 0;
    return b;
}

/* Semi-implicit Euler with the contact force of the start. */
static void step(ball *b)
{
    ash_solve_result result;
    connect(b);
    b->bodies[1].start_velocity = b->velocity[1].linear;
    b->bodies[1].velocity = b->velocity[1].linear;
    b->bodies[1].velocity.z -= b->problem.h * b->gravity;
    b->rows[0].error = b->position.z;
    assert_true(ashi_solve_problem(&b->problem, &b->settings, b->memory, NULL, NULL, &result));
    assert_true(result.flags & ASH_SOLVE_CONVERGED);
    b->position = v3_add_scaled(b->position, b->velocity[1].linear, b->problem.h);
}

/* From first touch to parting; the speed at which it parts and the greatest depth on the way. */
typedef struct impact {
    double time, speed, depth;
} impact;

static impact collide(ball b)
{
    impact seen = {0};
    double h = b.problem.h, before = b.position.z;
    b.position.z = -1e-300; /* touches already */
    do {
        before = b.position.z;
        step(&b);
        seen.time += h;
        seen.depth = fmax(seen.depth, -b.position.z);
        assert_true(seen.time < 10);
    } while (b.position.z < 0);
    seen.time -= h * b.position.z / (b.position.z - before);
    seen.speed = b.velocity[1].linear.z;
    ashi_solver_memory_destroy(b.memory);
    return seen;
}

/* Half a period of the oscillator: pi sqrt(m / k), out as fast as in, as deep as v sqrt(m / k). */
static void a_linear_spring_takes_half_its_period(void **state)
{
    (void)state;
    double omega = sqrt(2e4 / 0.5);
    for (double h = 1e-4; h > 1e-6; h /= 10) {
        ball b = make_ball(h, 0.5, 0, (ash_vec3){0, 0, -1.5});
        b.settings.stiffness = 2e4;
        impact seen = collide(b);
        assert_near(seen.time, pi / omega, 2 * h);
        assert_near(seen.depth, 1.5 / omega, 2 * h * 1.5);
        assert_near(seen.speed, 1.5, 2 * h * omega * 1.5);
    }
}

/* A ball that rests on its spring bobs with omega = sqrt(k / m) about m g / k. */
static void a_resting_ball_bobs_with_the_springs_frequency(void **state)
{
    (void)state;
    double omega = sqrt(2e4 / 0.5), rest = -0.5 * 10 / 2e4;
    ball b = make_ball(1e-5, 0.5, 0.5 * rest, (ash_vec3){0});
    b.settings.stiffness = 2e4;
    b.gravity = 10;
    double first = 0, last = 0, before = b.position.z;
    int crossings = 0;
    for (int i = 1; i < 40000; i++) {
        step(&b);
        if (before < rest && b.position.z >= rest) {
            last = (i - (b.position.z - rest) / (b.position.z - before)) * 1e-5;
            first = crossings++ == 0 ? last : first;
        }
        before = b.position.z;
    }
    assert_true(crossings > 10);
    assert_near((last - first) / (crossings - 1), 2 * pi / omega, 1e-6 * 2 * pi / omega);
    ashi_solver_memory_destroy(b.memory);
}

/* A damped spring that cannot pull lets go when its force is zero, not when its length is: with omega, zeta < 1 and
 * omega_d = omega sqrt(1 - zeta^2), force and depth follow from x(t) = (v / omega_d) e^(-zeta omega t) sin(omega_d t).
 */
static void damping_takes_its_part_and_never_pulls(void **state)
{
    (void)state;
    double omega = 200, zeta = 0.2, damped = omega * sqrt(1 - zeta * zeta), mass = 0.5, speed = 1.5;
    ball b = make_ball(1e-6, mass, -1e-300, (ash_vec3){0, 0, -speed});
    b.settings.stiffness = mass * omega * omega;
    b.settings.dissipation = 2 * zeta * omega * mass;
    double least = 0, time = 0;
    while (b.position.z < 0) {
        step(&b);
        time += 1e-6;
        least = fmin(least, b.rows[0].impulse);
    }
    /* k x + c x' = 0 at tan(omega_d t) = -2 zeta sqrt(1 - zeta^2) / (1 - 2 zeta^2) in the second quadrant. */
    double end = (pi - atan(2 * zeta * sqrt(1 - zeta * zeta) / (1 - 2 * zeta * zeta))) / damped;
    double out = -speed * exp(-zeta * omega * end) * (cos(damped * end) - zeta * omega / damped * sin(damped * end));
    assert_near(least, 0, 0);
    assert_near(b.velocity[1].linear.z, out, 1e-3 * out);
    assert_true(time > end);
    ashi_solver_memory_destroy(b.memory);
}

/* Hertz without loss: m v^2 / 2 = (2/5) k x^(5/2) gives the depth; the time is 2 int dx / v(x), with x = depth (1 -
 * s^2) to tame its end. */
static void hertz_takes_the_time_of_its_quadrature(void **state)
{
    (void)state;
    double mass = 0.5, k = 1e6, speed = 1.5, depth = pow(1.25 * mass * speed * speed / k, 0.4), time = 0;
    int n = 2000;
    for (int i = 0; i < n; i++) {
        double r = (i + 0.5) / n, x = 1 - r * r;
        time += 2 * depth / speed * 2 * r / sqrt(1 - x * x * sqrt(x)) / n;
    }
    ball b = make_ball(1e-6, mass, 0, (ash_vec3){0, 0, -speed});
    b.settings.stiffness = k;
    b.settings.hertz = true;
    impact seen = collide(b);
    assert_near(seen.depth, depth, 1e-3 * depth);
    assert_near(seen.time, time, 2e-3 * time);
    assert_near(seen.speed, speed, 1e-3 * speed);
}

/* Hunt and Crossley: v dv/dx = -(k / m) x^(3/2) (1 + d v) on the way in and out, so that with F(v) = v / d - ln(1 + d
 * v) / d^2 the same depth belongs to the speed in, v, and the speed out, -w: F(v) = F(-w). */
static void hunt_and_crossleys_loss_depends_on_the_speed_alone(void **state)
{
    (void)state;
    double d = 0.3, speed = 1.5, in = speed / d - log(1 + d * speed) / (d * d), low = 0, high = speed;
    for (int i = 0; i < 60; i++) {
        double w = (low + high) / 2, out = -w / d - log(1 - d * w) / (d * d);
        *(out < in ? &low : &high) = w;
    }
    for (double k = 1e5; k < 1e7; k *= 9) {
        ball b = make_ball(1e-6, 0.5, 0, (ash_vec3){0, 0, -speed});
        b.settings.stiffness = k;
        b.settings.dissipation = d;
        b.settings.hertz = true;
        assert_near(collide(b).speed, low, 2e-3 * low);
    }
    assert_true(low < 0.85 * speed);
}

/* Symplectic Euler keeps E - (h/2) k x v on the spring; where it touches and parts, x is at most h v off, so that an
 * impact without damping changes the energy by O(h^2). */
static void energy_converges_with_order_two(void **state)
{
    (void)state;
    double errors[3];
    for (int i = 0; i < 3; i++) {
        double h = 4e-4 / (1 << 2 * i), worst = 0;
        /* Where in a step the impact falls changes the error: the worst of some places. */
        for (int place = 0; place < 40; place++) {
            ball b = make_ball(h, 0.5, 1.5 * h * place / 40, (ash_vec3){0, 0, -1.5});
            b.settings.stiffness = 2e4;
            for (int n = 0; n < 0.03 / h; n++)
                step(&b);
            double energy = 0.25 * b.velocity[1].linear.z * b.velocity[1].linear.z;
            worst = fmax(worst, fabs(energy - 0.25 * 1.5 * 1.5));
            ashi_solver_memory_destroy(b.memory);
        }
        errors[i] = worst;
    }
    double order = log(errors[0] / errors[2]) / log(16);
    print_message("order of the energy's error %.2f\n", order);
    assert_near(order, 2, 0.15);
}

static void nothing_pushes_without_depth(void **state)
{
    (void)state;
    ball b = make_ball(1e-3, 0.5, 0, (ash_vec3){1, 0, -3});
    b.settings.dissipation = 100;
    b.block.friction = b.block.sliding_friction = 0.5;
    step(&b);
    for (int i = 0; i < 3; i++)
        assert_near(b.rows[i].impulse, 0, 0);
    ashi_solver_memory_destroy(b.memory);
}

/* Friction of N = k d at a slip of v: mu N v / slip_speed below, mu N beyond, against the slip, inside the law. The
 * step is so short that friction stops nothing within it. */
static void friction_grows_up_to_the_slip_speed(void **state)
{
    (void)state;
    static const struct {
        ash_friction_law law;
        double x, y, friction_x, friction_y;
    } cases[] = {
        {ASH_FRICTION_CONE, 0.005, 0, -0.25, 0},        {ASH_FRICTION_CONE, 0.3, 0.4, -0.3, -0.4},
        {ASH_FRICTION_CONE, 0.003, 0.004, -0.15, -0.2}, {ASH_FRICTION_BOX, 0.3, 0.4, -0.3, -0.4},
        {ASH_FRICTION_PYRAMID, 3, 3, -0.25, -0.25}, /* (0.354, 0.354) is outside of the square on its tip */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double h = 1e-5;
        ball b = make_ball(h, 0.5, -1e-2, (ash_vec3){cases[i].x, cases[i].y, 0});
        b.problem.law = cases[i].law;
        b.problem.directions = 4;
        b.settings.stiffness = 1e4; /* N = 100 N */
        b.settings.slip_speed = 0.01;
        b.block.friction = b.block.sliding_friction = 0.5;
        step(&b);
        assert_near(b.rows[0].impulse / h, 100, 1e-12);
        assert_near(b.rows[1].impulse / h, 100 * cases[i].friction_x, 1e-12);
        assert_near(b.rows[2].impulse / h, 100 * cases[i].friction_y, 1e-12);
        ashi_solver_memory_destroy(b.memory);
    }
}

/* A surface that runs at 2 m/s drags what lies on it; static friction counts below the slip speed only. */
static void belts_drag_and_sliding_has_its_own_coefficient(void **state)
{
    (void)state;
    double h = 1e-5;
    ball b = make_ball(h, 0.5, -1e-2, (ash_vec3){0});
    b.settings.stiffness = 1e4;
    b.settings.slip_speed = 0.01;
    b.block.friction = 0.5;
    b.block.sliding_friction = 0.3;
    b.problem.stick_speed = 0.01;
    b.rows[1].bias = -2;
    step(&b);
    assert_near(b.rows[1].impulse / h, 30, 1e-12);
    b.rows[1].bias = -0.005 - b.velocity[1].linear.x;
    b.position.z = -1e-2;
    b.velocity[1].linear.z = 0;
    step(&b);
    assert_near(b.rows[1].impulse / h, 25, 1e-9);
    ashi_solver_memory_destroy(b.memory);
}

/* Friction stops a slip, of the belt too, and does not turn it round, however large its bound is. */
static void friction_stops_and_no_more(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        ball b = make_ball(0.01, 0.5, -1e-2, (ash_vec3){0.3, -0.4, 0});
        b.problem.law = (ash_friction_law)i;
        b.problem.directions = 4;
        b.settings.stiffness = 1e4;
        b.block.friction = b.block.sliding_friction = 1e6;
        b.rows[1].bias = -2;
        step(&b);
        assert_near(b.velocity[1].linear.x, 2, 1e-12);
        assert_near(b.velocity[1].linear.y, 0, 1e-12);
        ashi_solver_memory_destroy(b.memory);
    }
}

/* Plain rows: a spring on the row's error within its bounds. */
static void plain_rows_are_springs_within_bounds(void **state)
{
    (void)state;
    ball b = make_ball(0.001, 0.5, -1e-3, (ash_vec3){0, 0, -0.1});
    b.block.kind = ASHI_PLAIN_BLOCK;
    b.settings.stiffness = 1e4;
    b.settings.dissipation = 10;
    b.rows[0].lower = -HUGE_VAL;
    b.rows[0].upper = HUGE_VAL;
    step(&b);
    assert_near(b.rows[0].impulse, 0.001 * (10 + 1), 1e-15);
    b.rows[0].upper = 0.002;
    b.position.z = -1e-3;
    step(&b);
    assert_near(b.rows[0].impulse, 0.002, 0);
    /* No stiffer than the step can take: the whole error in one step, 0.5 kg times 1 mm by 1 ms. */
    b.rows[0].upper = HUGE_VAL;
    b.settings.stiffness = 1e9;
    b.settings.dissipation = 0;
    b.position.z = -1e-3;
    step(&b);
    assert_near(b.rows[0].impulse, 0.5, 1e-12);
    ashi_solver_memory_destroy(b.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_spring_takes_half_its_period),
        cmocka_unit_test(a_resting_ball_bobs_with_the_springs_frequency),
        cmocka_unit_test(damping_takes_its_part_and_never_pulls),
        cmocka_unit_test(hertz_takes_the_time_of_its_quadrature),
        cmocka_unit_test(hunt_and_crossleys_loss_depends_on_the_speed_alone),
        cmocka_unit_test(energy_converges_with_order_two),
        cmocka_unit_test(nothing_pushes_without_depth),
        cmocka_unit_test(friction_grows_up_to_the_slip_speed),
        cmocka_unit_test(belts_drag_and_sliding_has_its_own_coefficient),
        cmocka_unit_test(friction_stops_and_no_more),
        cmocka_unit_test(plain_rows_are_springs_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
