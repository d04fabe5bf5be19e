/* Stewart and Trinkle's problem by Lemke's pivoting: de Jong's two examples by hand, every kind of row, problems
 * without a solution, and random piles judged by the yardstick, over many orders of mass and length. */
#include "check.h"

#include "base/random.h"
#include "problem/problems.h"
#include "solve/solve.h"

#include <string.h>

#define MOST_BODIES 300
#define MOST_BLOCKS 1200
#define MOST_ROWS   3600

/* A problem with memory of its own. */
typedef struct setup {
    ashi_system problem;
    ash_problem_body bodies[MOST_BODIES];
    ashi_block blocks[MOST_BLOCKS];
    ashi_row rows[MOST_ROWS];
    ash_problem_island island;
    ash_motion velocity[MOST_BODIES], shift[MOST_BODIES];
} setup;

static setup s;

/* Begins with one immovable body. */
static void begin(ash_friction_law law, uint32_t directions)
{
    memset(&s, 0, sizeof s);
    s.problem = (ashi_system){.h = 0.01,
                              .law = law,
                              .directions = directions,
                              .fixed_count = 1,
                              .body_count = 1,
                              .island_count = 1,
                              .bodies = s.bodies,
                              .blocks = s.blocks,
                              .rows = s.rows,
                              .islands = &s.island,
                              .velocity = s.velocity,
                              .shift = s.shift};
}

static uint32_t add_body(double mass, double inertia, ash_vec3 velocity)
{
    ash_problem_body *body = &s.bodies[s.problem.body_count];
    body->inverse_mass = (ash_vec3){1 / mass, 1 / mass, 1 / mass};
    if (inertia > 0)
        body->inverse_inertia = (ash_sym3){.xx = 1 / inertia, .yy = 1 / inertia, .zz = 1 / inertia};
    body->velocity = body->start_velocity = velocity;
    return s.problem.body_count++;
}

static ashi_block *add_block(ashi_block_kind kind, uint32_t a, uint32_t b)
{
    ashi_block *block = &s.blocks[s.problem.block_count++];
    *block =
        (ashi_block){.kind = kind, .body_a = a, .body_b = b, .first_row = s.problem.row_count, .friction_limit = -1};
    return block;
}

/* The velocity of b's point at arm_b against a's at arm_a, along `axis`. */
static ashi_row *add_row(ash_vec3 axis, ash_vec3 arm_a, ash_vec3 arm_b)
{
    ashi_row *row = &s.rows[s.problem.row_count++];
    *row = (ashi_row){.linear_a = v3_neg(axis),
                      .angular_a = v3_neg(v3_cross(arm_a, axis)),
                      .linear_b = axis,
                      .angular_b = v3_cross(arm_b, axis),
                      .lower = -INFINITY,
                      .upper = INFINITY};
    s.blocks[s.problem.block_count - 1].row_count++;
    return row;
}

static ashi_row *add_turning_row(ash_vec3 axis)
{
    ashi_row *row = add_row(axis, (ash_vec3){0}, (ash_vec3){0});
    row->linear_a = row->linear_b = (ash_vec3){0};
    row->angular_a = v3_neg(axis);
    row->angular_b = axis;
    return row;
}

static ashi_block *add_contact(uint32_t a, uint32_t b, ash_vec3 normal, ash_vec3 arm_a, ash_vec3 arm_b, double friction)
{
    ashi_block *block = add_block(ASHI_CONTACT_BLOCK, a, b);
    block->friction = block->sliding_friction = friction;
    block->tangents = 2;
    ash_vec3 side = fabs(normal.x) < 0.9 ? (ash_vec3){1, 0, 0} : (ash_vec3){0, 1, 0};
    ash_vec3 first = v3_unit(v3_sub(side, v3_scale(normal, v3_dot(side, normal))));
    add_row(normal, arm_a, arm_b)->lower = 0;
    add_row(first, arm_a, arm_b);
    add_row(v3_cross(normal, first), arm_a, arm_b);
    return block;
}

static ash_solver_settings settings_of_lemke(void)
{
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_LEMKE);
    settings.warm_start = false;
    settings.tolerance = 1e-10;
    return settings;
}

static ash_solve_result solve_with(const ash_solver_settings *settings)
{
    s.island = (ash_problem_island){
        .first_body = 1, .body_count = s.problem.body_count - 1, .block_count = s.problem.block_count};
    ash_solve_result result;
    ashi_solver_memory *memory = ashi_solver_memory_create();
    assert_true(ashi_solve_problem(&s.problem, settings, memory, NULL, NULL, &result));
    ashi_solver_memory_destroy(memory);
    return result;
}

static ash_solve_result solve(void)
{
    ash_solver_settings settings = settings_of_lemke();
    return solve_with(&settings);
}

static void assert_solved(ash_solve_result result)
{
    assert_int_equal(result.flags, ASH_SOLVE_CONVERGED);
    assert_below(result.error.largest, 1e-10);
}

static const ash_vec3 up = {0, 0, 1}, nowhere = {0, 0, 0};

/* De Jong's point mass: 2 kg, gravity and a horizontal push over one step of 0.01 s, mu 0.5. */
static ash_solve_result push_point_mass(ash_friction_law law, uint32_t directions, double push_x, double push_y)
{
    begin(law, directions);
    add_body(2, 0, (ash_vec3){push_x / 2, push_y / 2, -10 * 0.01});
    add_contact(0, 1, up, nowhere, nowhere, 0.5);
    return solve();
}

/* Example 1: m g h = 0.2, so that friction ends at mu m g h = 0.1 N s on the corners of a square standing on its tip.
 */
static void linearized_friction_is_that_of_example_1(void **state)
{
    (void)state;
    /* Inside the square: static. */
    assert_solved(push_point_mass(ASH_FRICTION_PYRAMID, 4, 0.06, 0.03));
    assert_near(s.rows[0].impulse, 0.2, 1e-15);
    assert_near(s.rows[1].impulse, -0.06, 1e-15);
    assert_near(s.rows[2].impulse, -0.03, 1e-15);
    assert_near(v3_norm(s.velocity[1].linear), 0, 1e-15);
    /* Outside of it and still within the circle: slides, by (0.12 - 0.1) / 2 in each direction. */
    assert_solved(push_point_mass(ASH_FRICTION_PYRAMID, 4, 0.07, 0.05));
    assert_near(s.velocity[1].linear.x, 0.005, 1e-15);
    assert_near(s.velocity[1].linear.y, 0.005, 1e-15);
    /* Beyond the circle: the velocity lies in the middle between two directions, whichever way it is pushed. */
    assert_solved(push_point_mass(ASH_FRICTION_PYRAMID, 4, 0.3, 0.25));
    assert_near(s.rows[1].impulse, -0.075, 1e-15);
    assert_near(s.rows[2].impulse, -0.025, 1e-15);
    assert_near(s.velocity[1].linear.x, 0.1125, 1e-15);
    assert_near(s.velocity[1].linear.y, 0.1125, 1e-15);
    /* Nearly along a direction: friction is all that direction's. */
    assert_solved(push_point_mass(ASH_FRICTION_PYRAMID, 4, 0.3, 0.05));
    assert_near(s.rows[1].impulse, -0.1, 1e-15);
    assert_near(s.rows[2].impulse, 0, 1e-15);
    assert_near(s.velocity[1].linear.y, 0.025, 1e-15);
}

/* Example 2: each direction by itself. */
static void decoupled_friction_is_that_of_example_2(void **state)
{
    (void)state;
    assert_solved(push_point_mass(ASH_FRICTION_BOX, 0, 0.09, -0.08));
    assert_near(v3_norm(s.velocity[1].linear), 0, 1e-15);
    assert_near(hypot(s.rows[1].impulse, s.rows[2].impulse), hypot(0.09, 0.08), 1e-15); /* above mu N: 0.1204 */
    assert_solved(push_point_mass(ASH_FRICTION_BOX, 0, 0.3, 0.05));
    assert_near(s.rows[1].impulse, -0.1, 1e-15);
    assert_near(s.rows[2].impulse, -0.05, 1e-15);
    assert_near(s.velocity[1].linear.x, 0.1, 1e-15);
    assert_near(s.velocity[1].linear.y, 0, 1e-15);
}

/* With more directions the polygon closes on the circle: at any angle within 1 - cos(pi / n). */
static void the_cone_is_taken_as_its_polygon(void **state)
{
    (void)state;
    for (uint32_t n = 4; n <= 32; n += 2)
        for (int i = 0; i < 40; i++) {
            double angle = 0.1 + 0.157 * i;
            ash_solve_result result = push_point_mass(ASH_FRICTION_CONE, n, 0.3 * cos(angle), 0.3 * sin(angle));
            assert_false(result.flags & ~(uint32_t)ASH_SOLVE_CONVERGED);
            double friction = hypot(s.rows[1].impulse, s.rows[2].impulse);
            assert_true(friction >= 0.1 * cos(3.14159265358979 / n) * (1 - 1e-12) && friction <= 0.1 * (1 + 1e-12));
        }
    /* The yardstick tells the polygon from the circle. */
    assert_false(push_point_mass(ASH_FRICTION_CONE, 4, 0.3, 0.25).flags & ASH_SOLVE_CONVERGED);
}

static void a_flat_problem_has_one_tangent(void **state)
{
    (void)state;
    begin(ASH_FRICTION_CONE, 8);
    s.problem.planar = true;
    add_body(2, 0, (ash_vec3){0.4, 0, -0.1});
    ashi_block *block = add_block(ASHI_CONTACT_BLOCK, 0, 1);
    block->friction = block->sliding_friction = 0.5;
    block->tangents = 1;
    add_row(up, nowhere, nowhere);
    add_row((ash_vec3){1, 0, 0}, nowhere, nowhere);
    assert_solved(solve());
    assert_near(s.rows[1].impulse, -0.1, 1e-15);
    assert_near(s.velocity[1].linear.x, 0.35, 1e-15);
}

static void friction_follows_a_given_limit(void **state)
{
    (void)state;
    begin(ASH_FRICTION_PYRAMID, 4);
    add_body(2, 0, (ash_vec3){0.15, 0, -0.1});
    add_contact(0, 1, up, nowhere, nowhere, 0.5)->friction_limit = 0.3;
    assert_solved(solve());
    assert_near(s.rows[1].impulse, -0.15, 1e-15);
}

/* A static coefficient of 0.5 that gives way to 0.25: the frame solves again. */
static void static_friction_gives_way(void **state)
{
    (void)state;
    begin(ASH_FRICTION_PYRAMID, 4);
    add_body(2, 0, (ash_vec3){0.06, 0, -0.1});
    add_contact(0, 1, up, nowhere, nowhere, 0.5)->sliding_friction = 0.25;
    assert_solved(solve());
    assert_near(s.rows[1].impulse, -0.05, 1e-15);
    assert_near(s.velocity[1].linear.x, 0.035, 1e-15);
}

/* A ball that rolls along x and spins: rolling resistance stops it up to its bound, the spin ends at its own. */
static void rolling_and_spin_are_resisted(void **state)
{
    (void)state;
    begin(ASH_FRICTION_PYRAMID, 4);
    uint32_t ball = add_body(2, 0.8, (ash_vec3){0, 0, -0.1});
    s.bodies[ball].spin = (ash_vec3){0, 0.01, 0.2};
    ashi_block *block = add_block(ASHI_CONTACT_BLOCK, 0, ball);
    block->rollings = 2;
    block->spins = 1;
    block->rolling = 0.05;  /* 0.01 N m s at most; 0.008 stop it */
    block->spinning = 0.02; /* 0.004 at most */
    add_row(up, nowhere, nowhere)->lower = 0;
    add_turning_row((ash_vec3){1, 0, 0});
    add_turning_row((ash_vec3){0, 1, 0});
    add_turning_row(up);
    assert_solved(solve());
    assert_near(s.velocity[ball].angular.y, 0, 1e-15);
    assert_near(s.velocity[ball].angular.z, 0.195, 1e-15);
}

/* Equality, softness, one bound, two bounds: each by hand on a mass of 2 kg at 3 m/s along x. */
static void plain_rows_keep_their_bounds(void **state)
{
    (void)state;
    static const struct {
        double bias, softness, lower, upper, impulse;
    } rows[] = {
        {0, 0, -INFINITY, INFINITY, -6},  /* stopped */
        {-1, 0, -INFINITY, INFINITY, -4}, /* driven at 1 m/s */
        {0, 1, -INFINITY, INFINITY, -2},  /* soft: -3 / (1/2 + 1) */
        {0, 0, 0, INFINITY, 0},           /* a stop it leaves */
        {-4, 0, 0, INFINITY, 2},          /* a stop that pushes: 4 m/s */
        {0, 0, -INFINITY, 0, -6},         /* a rope */
        {-4, 0, -INFINITY, 0, 0},         /* slack */
        {0, 0, -5, 5, -5},                /* a brake that slips */
        {0, 0, -7, 7, -6},                /* and one that holds */
        {-4, 0, -7, 1.5, 1.5},            /* a motor at its torque */
        {0, 0.5, -7, 7, -3},              /* soft between bounds */
        {0, 0.5, -2, 7, -2},
        {0, 0, 1, 1, 1} /* a given impulse */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(ASH_FRICTION_PYRAMID, 4);
        uint32_t body = add_body(2, 0, (ash_vec3){3, 0, 0});
        add_block(ASHI_PLAIN_BLOCK, 0, body);
        ashi_row *row = add_row((ash_vec3){1, 0, 0}, nowhere, nowhere);
        row->bias = rows[i].bias;
        row->softness = rows[i].softness;
        row->lower = rows[i].lower;
        row->upper = rows[i].upper;
        assert_solved(solve());
        assert_near(row->impulse, rows[i].impulse, 1e-14);
        assert_near(s.velocity[body].linear.x, 3 + rows[i].impulse / 2, 1e-14);
    }
}

/* A bar held twice at the same point, and standing on the ground with its other end. */
static void redundant_rows_do_no_harm(void **state)
{
    (void)state;
    begin(ASH_FRICTION_PYRAMID, 8);
    uint32_t bar = add_body(2, 0.5, (ash_vec3){0.3, 0.1, -0.1});
    static const ash_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int twice = 0; twice < 2; twice++) {
        add_block(ASHI_PLAIN_BLOCK, 0, bar);
        for (int i = 0; i < 3; i++)
            add_row(axes[i], nowhere, (ash_vec3){-1, 0, 0});
    }
    add_contact(0, bar, up, nowhere, (ash_vec3){1, 0, 0}, 0.3);
    assert_solved(solve());
    assert_near(s.velocity[bar].linear.x, 0, 1e-15);
    assert_near(s.rows[2].impulse + s.rows[5].impulse + s.rows[6].impulse, 0.2, 1e-14);
}

/* Between jaws that close, whatever is done: there is no solution, and newton is no worse than what was there. */
static void a_body_between_closing_jaws_ends_on_a_ray(void **state)
{
    (void)state;
    begin(ASH_FRICTION_PYRAMID, 4);
    uint32_t body = add_body(2, 0, (ash_vec3){0.5, 0, 0});
    add_contact(0, body, up, nowhere, nowhere, 0.5);
    add_contact(0, body, v3_neg(up), nowhere, nowhere, 0.5);
    s.rows[0].bias = s.rows[3].bias = -1; /* each wants to part at 1 m/s */
    s.rows[0].impulse = 0.125;
    ash_solver_settings settings = settings_of_lemke();
    settings.warm_start = true;
    ash_solve_result result = solve_with(&settings);
    assert_int_equal(result.flags, ASH_SOLVE_RAY | ASH_SOLVE_REPLACED);
    assert_true(result.iterations > 0 && result.error.largest > 0.5);
    /* Of the guess: the second jaw closes at 1 m/s, and the body goes there at 0.125 / 2. */
    assert_true(result.error.largest <= 1 + 0.125 / 2);
    assert_true(isfinite(s.velocity[body].linear.z));
}

static void what_cannot_move_is_left_alone(void **state)
{
    (void)state;
    begin(ASH_FRICTION_PYRAMID, 4);
    uint32_t body = add_body(2, 0, (ash_vec3){0, 0, -0.1});
    s.bodies[body].inverse_mass.z = 0; /* held along the normal */
    add_contact(0, body, up, nowhere, nowhere, 0.5);
    ash_solve_result result = solve();
    assert_near(s.rows[0].impulse, 0, 0);
    assert_near(s.velocity[body].linear.z, -0.1, 0);
    assert_true(isfinite(result.error.largest));
}

static void assert_solved_by_newton(ash_solve_result result)
{
    assert_int_equal(result.flags, ASH_SOLVE_CONVERGED | ASH_SOLVE_TOO_LARGE | ASH_SOLVE_REPLACED);
    assert_below(result.error.largest, 1e-10);
}

static void more_contacts_than_pivoting_takes_are_solved(void **state)
{
    (void)state;
    begin(ASH_FRICTION_PYRAMID, 4);
    uint32_t body = add_body(2, 0.1, (ash_vec3){0.01, 0, -0.1}); /* too slow to tip over */
    for (int i = 0; i < 400; i++)
        add_contact(0, body, up, nowhere, (ash_vec3){0.01 * (i % 20) - 0.095, 0.01 * (i / 20) - 0.095, -0.1}, 2);
    assert_solved_by_newton(solve());
    double sum = 0;
    for (int i = 0; i < 400; i++)
        sum += s.rows[3 * i].impulse;
    assert_near(sum, 2 * 0.1, 1e-9); /* the floor takes the momentum of 0.1 m/s */
    assert_near(s.velocity[body].linear.x, 0, 1e-9);
}

/* Blocks of 1 kg on four points each, side by side and on top of each other, all held by joints to their neighbours. */
static void grid_of_blocks(uint32_t columns, uint32_t layers, bool joined, double friction, double shove)
{
    begin(ASH_FRICTION_PYRAMID, 8);
    for (uint32_t i = 0; i < columns * layers; i++) {
        uint32_t body = add_body(1, 1.0 / 6, (ash_vec3){shove * (i % 3), 0, -0.1});
        uint32_t below = i < columns ? 0 : body - columns;
        double height = below == 0 ? 0 : 0.5;
        for (int k = 0; k < 4; k++) {
            double x = k % 2 ? 0.5 : -0.5, y = k / 2 ? 0.5 : -0.5;
            add_contact(below, body, up, (ash_vec3){x, y, height}, (ash_vec3){x, y, -0.5}, friction);
        }
        if (!joined || i % columns == 0)
            continue;
        static const ash_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        add_block(ASHI_PLAIN_BLOCK, body - 1, body);
        for (int k = 0; k < 3; k++)
            add_row(axes[k], (ash_vec3){0.5, 0, 0}, (ash_vec3){-0.5, 0, 0});
    }
}

/* 300 to 800 points, with and without joints, at rest and shoved: at rest the floor takes all of the momentum. */
static void piles_of_hundreds_of_contacts_are_solved(void **state)
{
    (void)state;
    for (uint32_t trial = 0; trial < (SLOW_BUILD ? 2 : 6); trial++) {
        uint32_t columns = 5 * (3 + trial), layers = 5;
        grid_of_blocks(columns, layers, trial % 2, trial < 3 ? 0.5 : 0.05, 0.05);
        assert_solved_by_newton(solve());
        grid_of_blocks(columns, layers, trial % 2, trial < 3 ? 0.5 : 0.05, 0);
        assert_solved_by_newton(solve());
        double sum = 0;
        for (uint32_t k = 0; k < s.problem.block_count; k++)
            sum += s.blocks[k].kind == ASHI_CONTACT_BLOCK && s.blocks[k].body_a == 0
                       ? s.rows[s.blocks[k].first_row].impulse
                       : 0;
        assert_near(sum, 0.1 * columns * layers, 1e-8 * columns * layers);
    }
}

static void a_time_budget_is_kept(void **state)
{
    (void)state;
    begin(ASH_FRICTION_PYRAMID, 4);
    uint32_t body = add_body(2, 0.1, (ash_vec3){0.1, 0, -0.1});
    for (int i = 0; i < 40; i++)
        add_contact(0, body, up, nowhere, (ash_vec3){0.01 * (i % 8), 0.01 * (i / 8), -1}, 0.5);
    ash_solver_settings settings = settings_of_lemke();
    settings.time_budget = 1e-9;
    ash_solve_result result = solve_with(&settings);
    assert_int_equal(result.flags, ASH_SOLVE_BUDGET);
    for (uint32_t i = 0; i < s.problem.row_count; i++)
        assert_near(s.rows[i].impulse, 0, 0);
}

/* A good first guess is taken as it is. */
static void a_solution_is_left_as_it_is(void **state)
{
    (void)state;
    push_point_mass(ASH_FRICTION_PYRAMID, 4, 0.3, 0.25);
    ash_solver_settings settings = settings_of_lemke();
    settings.warm_start = true;
    ash_solve_result result = solve_with(&settings);
    assert_solved(result);
    assert_int_equal(result.iterations, 0);
}

static ash_vec3 random_direction(ashi_random *random)
{
    ash_vec3 v;
    do
        v = (ash_vec3){ashi_random_range(random, -1, 1), ashi_random_range(random, -1, 1),
                       ashi_random_range(random, -1, 1)};
    while (v3_norm(v) < 0.1);
    return v3_unit(v);
}

/* Bodies with arbitrary contacts, joints, motors and stops between them. Masses spread over `ratio`. */
static void random_pile(ashi_random *random, uint32_t bodies, double ratio, double unit)
{
    static const ash_friction_law laws[] = {ASH_FRICTION_PYRAMID, ASH_FRICTION_BOX};
    begin(laws[ashi_random_below(random, 2)], 4 + 2 * ashi_random_below(random, 3));
    for (uint32_t i = 0; i < bodies; i++) {
        double mass = unit * exp(log(ratio) * ashi_random_unit(random));
        uint32_t body = add_body(mass, 0.1 * mass, random_direction(random));
        s.bodies[body].spin = random_direction(random);
    }
    for (uint32_t i = 0; i < 3 * bodies; i++) {
        uint32_t a = ashi_random_below(random, bodies + 1), b = 1 + ashi_random_below(random, bodies);
        if (a == b)
            continue;
        ash_vec3 normal = random_direction(random), arm_a = random_direction(random), arm_b = random_direction(random);
        uint32_t kind = ashi_random_below(random, 8);
        if (kind > 1) {
            add_contact(a, b, normal, arm_a, arm_b, ashi_random_below(random, 4) == 0 ? 0 : 0.6);
            continue;
        }
        add_block(ASHI_PLAIN_BLOCK, a, b);
        ashi_row *row = add_row(normal, arm_a, arm_b);
        if (kind == 1) {
            row->lower = ashi_random_below(random, 2) == 0 ? 0 : -0.5 * unit;
            row->upper = ashi_random_below(random, 2) == 0 ? HUGE_VAL : 0.5 * unit;
            row->softness = ashi_random_below(random, 2) == 0 ? 0 : 0.2 / unit;
        }
    }
}

static void random_piles_are_solved_to_rounding(void **state)
{
    (void)state;
    ashi_random random = {21};
    double worst = 0;
    uint32_t most = 0;
    for (int trial = 0; trial < TRIALS(600); trial++) {
        random_pile(&random, 1 + ashi_random_below(&random, 12), 10, 1);
        ash_solve_result result = solve();
        assert_int_equal(result.flags & ~(uint32_t)ASH_SOLVE_CONVERGED, 0);
        worst = fmax(worst, result.error.largest);
        most = result.iterations > most ? result.iterations : most;
    }
    print_message("worst error %g m/s, at most %u pivots\n", worst, most);
    assert_below(worst, 1e-10);
}

/* Chains with ball joints, some of them given twice, and with contacts, half of them given twice. */
static void random_chain(ashi_random *random, uint32_t bodies)
{
    static const ash_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    begin(ASH_FRICTION_PYRAMID, 4 + 2 * ashi_random_below(random, 3));
    for (uint32_t i = 0; i < bodies; i++) {
        double mass = exp(ashi_random_range(random, -2, 2));
        uint32_t body = add_body(mass, 0.1 * mass, random_direction(random));
        s.bodies[body].spin = v3_scale(random_direction(random), 5);
        ash_vec3 arm_a = random_direction(random), arm_b = random_direction(random);
        for (uint32_t copies = 1 + ashi_random_below(random, 2); copies > 0; copies--) {
            add_block(ASHI_PLAIN_BLOCK, body - 1, body);
            for (int k = 0; k < 3; k++)
                add_row(axes[k], arm_a, arm_b);
        }
        uint32_t other = ashi_random_below(random, body);
        ash_vec3 normal = random_direction(random);
        arm_a = random_direction(random);
        arm_b = random_direction(random);
        for (uint32_t copies = 1 + ashi_random_below(random, 2); copies > 0; copies--)
            add_contact(other, body, normal, arm_a, arm_b, ashi_random_range(random, 0, 1));
    }
}

static void chains_with_redundant_joints_and_contacts_are_solved(void **state)
{
    (void)state;
    ashi_random random = {24};
    double worst = 0;
    uint32_t replaced = 0;
    for (int trial = 0; trial < TRIALS(400); trial++) {
        random_chain(&random, 1 + ashi_random_below(&random, 20));
        ash_solve_result result = solve();
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        replaced += (result.flags & ASH_SOLVE_REPLACED) != 0;
        worst = fmax(worst, result.error.largest);
    }
    print_message("worst error %g m/s, newton used %u times\n", worst, replaced);
    assert_below(worst, 1e-9);
    assert_true(replaced <= TRIALS(400) / 50);
}

/* Grams or kilotons, and both in one pile. */
static void any_unit_and_any_ratio_of_masses_will_do(void **state)
{
    (void)state;
    ashi_random random = {22};
    double worst = 0;
    for (int trial = 0; trial < TRIALS(200); trial++) {
        double unit = exp(ashi_random_range(&random, -20, 20));
        random_pile(&random, 1 + ashi_random_below(&random, 8), trial % 2 == 0 ? 10 : 1e8, unit);
        ash_solve_result result = solve();
        assert_int_equal(result.flags & ~(uint32_t)ASH_SOLVE_CONVERGED, 0);
        worst = fmax(worst, result.error.largest);
    }
    print_message("worst error %g m/s\n", worst);
    assert_below(worst, 1e-8);
}

/* A hundred points under one block: one basis carries it, forces sum to the weight. */
static void a_block_on_a_hundred_points_is_carried(void **state)
{
    (void)state;
    begin(ASH_FRICTION_PYRAMID, 4);
    uint32_t body = add_body(3, 0.5, (ash_vec3){0.02, 0.01, -0.1});
    for (int i = 0; i < 100; i++)
        add_contact(0, body, up, nowhere, (ash_vec3){0.1 * (i % 10) - 0.45, 0.1 * (i / 10) - 0.45, -0.5}, 0.5);
    ash_solve_result result = solve();
    assert_solved(result);
    double sum = 0;
    for (int i = 0; i < 100; i++)
        sum += s.rows[3 * i].impulse;
    assert_near(sum, 0.3, 1e-14);
    print_message("%u pivots\n", result.iterations);
}

static double velocity_difference(const ash_motion *a, const ash_motion *b, uint32_t count)
{
    double worst = 0;
    for (uint32_t i = 0; i < count; i++)
        worst = fmax(worst, fmax(v3_distance(a[i].linear, b[i].linear), v3_distance(a[i].angular, b[i].angular)));
    return worst;
}

/* Two solvers that have nothing in common but the law. Where friction is low the solution is unique. */
static void newton_finds_the_same_velocities(void **state)
{
    (void)state;
    ashi_random random = {23};
    double worst = 0;
    uint32_t compared = 0;
    ash_solver_settings newton = ash_default_solver_settings(ASH_SOLVER_NEWTON);
    newton.warm_start = false;
    for (int trial = 0; trial < TRIALS(300); trial++) {
        random_pile(&random, 1 + ashi_random_below(&random, 8), 10, 1);
        for (uint32_t i = 0; i < s.problem.block_count; i++)
            s.blocks[i].friction = s.blocks[i].sliding_friction = s.blocks[i].friction / 6;
        ash_solve_result result = solve_with(&newton);
        ash_motion velocity[MOST_BODIES];
        memcpy(velocity, s.velocity, sizeof velocity);
        if (!(result.flags & ASH_SOLVE_CONVERGED))
            continue;
        compared++;
        assert_solved(solve());
        worst = fmax(worst, velocity_difference(velocity, s.velocity, s.problem.body_count));
    }
    print_message("velocities differ by at most %g m/s in %u piles\n", worst, compared);
    assert_below(worst, 1e-6);
    assert_true(compared > TRIALS(270));
}

/* The stored problems whose velocities are unique, by pyramid and box. */
static void stored_problems_have_newtons_velocities(void **state)
{
    (void)state;
    static const char *const names[] = {"rest",   "stack",      "heavy-on-light", "impact",
                                        "planar", "coincident", "wedged",         "immovable-pair"};
    ashi_solver_memory *memory = ashi_solver_memory_create();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (ash_friction_law law = ASH_FRICTION_PYRAMID; law <= ASH_FRICTION_BOX; law++) {
            ashi_system a = problem_named(names[i]), b = {0};
            a.law = law;
            a.directions = 8;
            assert_true(ashi_system_copy(&b, &a));
            ash_solver_settings lemke = settings_of_lemke();
            ash_solver_settings newton = ash_default_solver_settings(ASH_SOLVER_NEWTON);
            ash_solve_result by_lemke, by_newton;
            assert_true(ashi_solve_problem(&a, &lemke, memory, NULL, NULL, &by_lemke));
            assert_true(ashi_solve_problem(&b, &newton, memory, NULL, NULL, &by_newton));
            assert_int_equal(by_lemke.flags, ASH_SOLVE_CONVERGED);
            assert_int_equal(by_newton.flags, ASH_SOLVE_CONVERGED);
            assert_below(velocity_difference(a.velocity, b.velocity, a.body_count), 1e-6);
            ashi_system_release(&a);
            ashi_system_release(&b);
        }
    ashi_solver_memory_destroy(memory);
}

/* What is hard: redundant and sliding contacts, friction of 1e6, masses of 1 to 1e8. */
static void stored_problems_are_solved(void **state)
{
    (void)state;
    ashi_solver_memory *memory = ashi_solver_memory_create();
    for (uint32_t i = 0; i < ash_stored_problem_count(); i++) {
        const ashi_named_problem *stored = ashi_named_problem_get(i);
        ashi_system a = problem_named(stored->name);
        if (SLOW_BUILD && a.block_count > 100) {
            ashi_system_release(&a);
            continue;
        }
        a.law = ASH_FRICTION_PYRAMID;
        a.directions = 4;
        ash_solver_settings lemke = settings_of_lemke();
        ash_solve_result result;
        assert_true(ashi_solve_problem(&a, &lemke, memory, NULL, NULL, &result));
        bool round = strcmp(stored->name, "rolling") == 0; /* its disk of rolling resistance is taken as a polygon */
        assert_int_equal((result.flags & ASH_SOLVE_TOO_LARGE) != 0, a.block_count > 340);
        assert_int_equal((result.flags & ASH_SOLVE_REPLACED) != 0, a.block_count > 340);
        assert_below(result.error.largest, round ? 0.1 : stored->degenerate ? 1e-8 : 1e-10);
        print_message("%-16s %4u blocks: %5u pivots, error %.1e m/s\n", stored->name, a.block_count, result.iterations,
                      result.error.largest);
        ashi_system_release(&a);
    }
    ashi_solver_memory_destroy(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linearized_friction_is_that_of_example_1),
        cmocka_unit_test(decoupled_friction_is_that_of_example_2),
        cmocka_unit_test(the_cone_is_taken_as_its_polygon),
        cmocka_unit_test(a_flat_problem_has_one_tangent),
        cmocka_unit_test(friction_follows_a_given_limit),
        cmocka_unit_test(static_friction_gives_way),
        cmocka_unit_test(rolling_and_spin_are_resisted),
        cmocka_unit_test(plain_rows_keep_their_bounds),
        cmocka_unit_test(redundant_rows_do_no_harm),
        cmocka_unit_test(a_body_between_closing_jaws_ends_on_a_ray),
        cmocka_unit_test(what_cannot_move_is_left_alone),
        cmocka_unit_test(more_contacts_than_pivoting_takes_are_solved),
        cmocka_unit_test(piles_of_hundreds_of_contacts_are_solved),
        cmocka_unit_test(a_time_budget_is_kept),
        cmocka_unit_test(a_solution_is_left_as_it_is),
        cmocka_unit_test(random_piles_are_solved_to_rounding),
        cmocka_unit_test(chains_with_redundant_joints_and_contacts_are_solved),
        cmocka_unit_test(any_unit_and_any_ratio_of_masses_will_do),
        cmocka_unit_test(a_block_on_a_hundred_points_is_carried),
        cmocka_unit_test(newton_finds_the_same_velocities),
        cmocka_unit_test(stored_problems_have_newtons_velocities),
        cmocka_unit_test(stored_problems_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
