/* Contacts of planar worlds in lanes: the same bits by narrow and wide instructions, by any number of threads, with
 * single numbers and doubles; the law of the solver that takes a problem; and what must hold of any law. */
#include "step/piles.h"

#include "math/vec3.h"
#include "solve/wide/wide.h"
#include "step/lanes_inside.h"
#include "world/world.h"

#include "ashlar/problem.h"

enum { WIDE = 300, HIGH = 4, STEPS = 16 }; /* enough contacts of a colour for several threads */

static const double g = 9.81, h = 0.01;

static ash_world *make_flat(double friction, double tilt, uint32_t threads)
{
    ash_world_def def = ash_default_world_def();
    ash_world *world = NULL;
    assert_int_equal(ash_method_find("realtime", &def.method, NULL), ASH_OK);
    assert_int_equal(ash_method_set(&def.method, "sleeping", "off", NULL), ASH_OK);
    def.planar = true;
    def.gravity = v3(g * sin(tilt), -g * cos(tilt), 0);
    def.threads = threads;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    set_surface(world, friction, 0);
    return world;
}

static ash_body add_square(ash_world *w, double half, double density, ash_vec3 position, ash_vec3 velocity)
{
    const ash_vec3 corners[4] = {v3(-half, -half, 0), v3(half, -half, 0), v3(half, half, 0), v3(-half, half, 0)};
    ash_geometry_def square = ash_default_geometry_def(ASH_GEOMETRY_POLYGON);
    square.points = corners;
    square.point_count = 4;
    return add_shape(w, &square, density > 0 ? ASH_BODY_DYNAMIC : ASH_BODY_STATIC, density, position, velocity);
}

static ash_body add_disc(ash_world *w, double radius, ash_vec3 position, ash_vec3 velocity)
{
    ash_geometry_def disc = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
    disc.radius = radius;
    return add_shape(w, &disc, ASH_BODY_DYNAMIC, 1000, position, velocity);
}

static ash_body add_pill(ash_world *w, double radius, double length, ash_vec3 position, ash_vec3 velocity)
{
    ash_geometry_def pill = ash_default_geometry_def(ASH_GEOMETRY_FLAT_CAPSULE);
    pill.radius = radius;
    pill.height = length;
    return add_shape(w, &pill, ASH_BODY_DYNAMIC, 1000, position, velocity);
}

/* From y = 0 downwards. */
static ash_body add_ground(ash_world *w)
{
    return add_square(w, 1000, 0, v3(0, -1000, 0), v3(0, 0, 0));
}

static void take(ash_world *w, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
        assert_int_equal(ash_world_step(w, h), ASH_OK);
}

/* ---- bits ---- */

/* Squares in columns that lean on each other, discs and capsules on top; every other row is so much heavier. */
static ash_world *make_columns(double heavier, uint32_t threads)
{
    ash_world *w = make_flat(0.4, 0, threads);
    add_ground(w);
    for (int i = 0; i < WIDE; i++)
        for (int k = 0; k < HIGH; k++) {
            double off = 0.02 * ((7 * i + 5 * k) % 4);
            ash_vec3 at = v3(0.5 * i + off - 100, 0.25 + 0.4999 * k, 0), velocity = v3(i == 0 ? 1 : 0, 0, 0);
            if (k + 1 < HIGH)
                add_square(w, 0.25, k % 2 ? 100 : 100 * heavier, at, velocity);
            else if (i % 2)
                add_disc(w, 0.25, at, velocity);
            else
                add_pill(w, 0.25, 0.1, at, velocity);
        }
    return w;
}

/* By width: how much heavier; 0: no masses alone lead there. */
static const double spans[ASHI_WIDTHS] = {2, 200, 500, 900, 0, 0, 0, 5000};

static const ashi_wide_task *task_of(const ash_world *w, int width)
{
    return &w->lanes->task[width];
}

static uint64_t hash_after(double heavier, uint32_t threads, uint8_t narrower, int width)
{
    ash_world *w = make_columns(heavier, threads);
    w->lanes->narrower = narrower;
    take(w, some(STEPS));
    assert_true(task_of(w, width)->entry_count > 2 * WIDE); /* that is what is tested */
    assert_true(task_of(w, width)->planar && task_of(w, width)->flat_places != NULL);
    for (int other = 0; other < ASHI_WIDTHS; other++)
        assert_true(other == width || task_of(w, other)->entry_count == 0);
    uint64_t hash = ash_world_get_hash(w);
    ash_world_destroy(w);
    return hash;
}

static void bits_do_not_depend_on_instructions_and_threads(void **state)
{
    (void)state;
    for (int width = 0; width < ASHI_WIDTHS; width++) {
        if (spans[width] == 0)
            continue;
        double heavier = spans[width];
        uint64_t hash = hash_after(heavier, 1, 0, width);
        assert_true(hash_after(heavier, 1, 1, width) == hash);
        assert_true(hash_after(heavier, 1, 2, width) == hash);
        assert_true(hash_after(heavier, 2, 0, width) == hash);
        assert_true(hash_after(heavier, 3, 2, width) == hash);
    }
}

/* ---- the problem ---- */

/* Impulses and velocities of the problem are those of the step; the yardstick of problems agrees with that of lanes,
 * which has gaps and arms in single numbers: 6e-8 of them. */
static void the_problem_has_the_solution(void **state)
{
    (void)state;
    for (int width = 0; width < ASHI_WIDTHS; width += ASHI_WIDTHS - 1) {
        ash_world *w = make_columns(spans[width], 1);
        ash_problem p = {0}, made = {0};
        ash_yardstick error;
        take(w, 8);
        assert_true(task_of(w, width)->entry_count > 0);
        assert_int_equal(ash_world_get_problem(w, &made), ASH_OK);
        assert_int_equal(made.point_count, ash_world_get_report(w).blocks);
        assert_int_equal(made.body_count, WIDE * HIGH + 1);
        assert_int_equal(ash_problem_copy(&p, &made, NULL), ASH_OK);
        assert_int_equal(ash_problem_measure(&p, &error, NULL), ASH_OK);
        for (uint32_t i = p.fixed_count; i < p.body_count; i++) {
            ash_vec3 velocity = ash_body_get_velocity(w, (ash_body){p.bodies[i].label});
            assert_near(v3_distance(velocity, p.velocity[i].linear), 0, 1e-6);
            assert_near(v3_distance(p.velocity[i].linear, made.velocity[i].linear), 0, 1e-6);
            assert_near(v3_distance(p.velocity[i].angular, made.velocity[i].angular), 0, 1e-5);
        }
        ash_step_report report = ash_world_get_report(w);
        assert_true(report.error.largest > 1e-3); /* of a world that is still in motion */
        assert_near(error.largest, report.error.largest, 1e-5);
        assert_near(error.theta, report.error.theta, 1e-4 * report.error.theta);
        ash_problem_release(&p);
        ash_problem_release(&made);
        ash_world_destroy(w);
    }
}

/* ---- the law ---- */

/* Bodies far from each other, each of which touches the ground alone, in all the ways that a contact may act. */
static uint32_t add_lonely(ash_world *w, ash_body *bodies)
{
    uint32_t n = 0;
    add_ground(w);
    bodies[n++] = add_square(w, 0.25, 1000, v3(0, 0.25, 0), v3(0, 0, 0));
    bodies[n++] = add_square(w, 0.25, 1000, v3(2, 0.25, 0), v3(1.5, 0, 0));
    bodies[n++] = add_square(w, 0.25, 1000, v3(4, 0.249, 0), v3(-0.3, 0, 0));
    bodies[n++] = add_square(w, 0.25, 1000, v3(6, 0.30, 0), v3(0, -2, 0));
    bodies[n++] = add_square(w, 0.25, 1000, v3(8, 0.34, 0), v3(2, -0.5, 0));
    bodies[n++] = add_disc(w, 0.25, v3(10, 0.25, 0), v3(3, 0, 0));
    bodies[n++] = add_disc(w, 0.25, v3(14, 0.25, 0), v3(0, -1, 0));
    bodies[n++] = add_pill(w, 0.1, 0.5, v3(20, 0.1, 0), v3(-1, 0, 0));
    bodies[n++] = add_pill(w, 0.1, 0.5, v3(22, 0.102, 0), v3(0, 0, 0));
    ash_transform tilted = {v3(8, 0.36, 0), {cos(0.1), 0, 0, sin(0.1)}};
    assert_int_equal(ash_body_set_transform(w, bodies[4], tilted), ASH_OK);
    assert_int_equal(ash_body_set_angular_velocity(w, bodies[5], v3(0, 0, 4)), ASH_OK);
    assert_int_equal(ash_body_set_angular_velocity(w, bodies[3], v3(0, 0, -2)), ASH_OK);
    return n;
}

/* The world as it is, with coefficients of friction that differ by a rounding: that is for the problem. */
static void copy_world(const ash_world *from, ash_world *to, double friction)
{
    size_t size = 0;
    void *bytes = NULL;
    assert_int_equal(ash_world_save(from, &bytes, &size, NULL), ASH_OK);
    assert_int_equal(ash_world_restore(to, bytes, size, NULL), ASH_OK);
    ash_free(bytes);
    ash_material_def def = ash_default_material_def();
    def.surface.friction = friction;
    def.surface.sliding_friction = nextafter(friction, 0);
    assert_int_equal(ash_material_set(to, ash_world_get_default_material(to), &def, NULL), ASH_OK);
}

/* Two coefficients go by the problem: there the law is the same, in doubles, and the order of contacts does not
 * matter to a body that has only one. So steps from the same state agree to what single numbers hold: eight sweeps and
 * eight more passes add up a few times 6e-8 of velocities of 3 m/s and spins of 12 rad/s. */
static void compare_laws(double friction)
{
    enum { BODIES = 16 };
    ash_body bodies[BODIES];
    ash_world *lanes = make_flat(friction, 0, 1), *problem = make_flat(friction, 0, 1);
    uint32_t count = add_lonely(lanes, bodies), slid = 0;
    double single = 16 * 4 * 6e-8;
    for (int i = 0; i < 60; i++) {
        copy_world(lanes, problem, friction);
        take(lanes, 1);
        take(problem, 1);
        assert_true(task_of(lanes, ASHI_SINGLE_WIDTH)->entry_count >= 3);
        assert_int_equal(task_of(problem, ASHI_SINGLE_WIDTH)->entry_count, 0);
        for (uint32_t k = 0; k < count; k++) {
            ash_vec3 v = ash_body_get_velocity(lanes, bodies[k]), u = ash_body_get_velocity(problem, bodies[k]);
            assert_near(v3_distance(v, u), 0, 3 * single);
            assert_near(ash_body_get_angular_velocity(lanes, bodies[k]).z,
                        ash_body_get_angular_velocity(problem, bodies[k]).z, 12 * single);
            slid += v3_norm(v) > 0.1;
        }
        assert_near(ash_world_get_report(lanes).error.largest, ash_world_get_report(problem).error.largest,
                    12 * single);
    }
    assert_true(slid > 60);
    ash_world_destroy(lanes);
    ash_world_destroy(problem);
}

static void lanes_have_the_law_of_problems(void **state)
{
    (void)state;
    compare_laws(1);
    compare_laws(2);
}

/* Where nothing meets fast enough to rebound, restitution changes no bit; and what falls rebounds. */
static void restitution_waits_for_an_impact(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        ash_world *w = make_flat(0.5, 0, 1);
        set_surface(w, 0.5, 0.6 * i);
        add_ground(w);
        for (int k = 0; k < 5; k++)
            add_square(w, 0.5, 1000, v3(0, 0.5 + k, 0), v3(0, 0, 0));
        take(w, 20);
        assert_int_equal(task_of(w, ASHI_SINGLE_WIDTH)->entry_count, 5);
        hashes[i] = ash_world_get_hash(w);
        if (i == 1) {
            ash_body ball = add_disc(w, 0.25, v3(10, 2.25, 0), v3(0, 0, 0));
            double fastest = 0;
            for (int k = 0; k < 100; k++) {
                take(w, 1);
                fastest = fmax(fastest, ash_body_get_velocity(w, ball).y);
            }
            /* from 2 m, on any step of the fall that ends within the margin */
            assert_near(fastest, 0.6 * sqrt(2 * 9.81 * 2), 0.6 * 9.81 * 0.01);
            assert_int_equal(task_of(w, ASHI_SINGLE_WIDTH)->entry_count, 5);
        }
        ash_world_destroy(w);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* Below the angle of friction a block stays, above it slides with g (sin a - mu cos a). Gaps that forces close in a
 * sub-step are none: h g of the first may lie below the block. */
static void friction_holds_up_to_its_bound(void **state)
{
    (void)state;
    const double parts[] = {0.9, 0.99, 1.01, 1.1}, mu = 0.5;
    for (int i = 0; i < 4; i++) {
        double tilt = atan(parts[i] * mu), part = h / ash_default_world_def().method.solver.substeps;
        ash_world *w = make_flat(mu, tilt, 1);
        add_ground(w);
        ash_body block = add_square(w, 0.25, 1000, v3(0, 0.25, 0), v3(0, 0, 0));
        take(w, 50);
        double before = ash_body_get_velocity(w, block).x;
        take(w, 50);
        double due = parts[i] > 1 ? g * (sin(tilt) - mu * cos(tilt)) * 50 * h : 0;
        assert_near(ash_body_get_velocity(w, block).x - before, due, 50 * 4 * 6e-8);
        assert_near(before, due, g * h / 2); /* impulses of the first step are a guess */
        assert_near(ash_body_get_transform(w, block).position.y, 0.25, part * part * g);
        ash_world_destroy(w);
    }
}

/* ---- what holds by any law ---- */

static void pyramids_stand(void **state)
{
    (void)state;
    enum { ROWS = 12 };
    ash_world *w = make_flat(0.6, 0, 1);
    ash_body bodies[ROWS * (ROWS + 1) / 2];
    ash_vec3 places[ROWS * (ROWS + 1) / 2];
    uint32_t n = 0;
    add_ground(w);
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < ROWS - row; i++) {
            places[n] = v3(1.1 * i + 0.55 * row, 0.5 + row, 0);
            bodies[n] = add_square(w, 0.5, 1000, places[n], v3(0, 0, 0));
            n++;
        }
    take(w, 1000);
    for (uint32_t i = 0; i < n; i++)
        assert_near(v3_distance(ash_body_get_transform(w, bodies[i]).position, places[i]), 0, 1e-6);
    assert_true(ash_world_get_report(w).error.largest < 1e-6);
    ash_world_destroy(w);
}

/* Squares that collide with nothing around them: what one gives, others take. */
static void momentum_is_kept(void **state)
{
    (void)state;
    ash_world *w = make_flat(0.7, 0, 1);
    ash_body bodies[6];
    assert_int_equal(ash_world_set_gravity(w, v3(0, 0, 0)), ASH_OK);
    for (int i = 0; i < 6; i++)
        bodies[i] =
            add_square(w, 0.2 + 0.05 * i, 1000, v3(0.9 * i, 0.07 * (i % 3), 0), v3(3 - 1.1 * i, 0.3 * (i % 2), 0));
    ash_vec3 before = ash_world_get_momentum(w), turn_before = ash_world_get_angular_momentum(w);
    uint32_t met = 0;
    for (int i = 0; i < 120; i++) {
        take(w, 1);
        met += task_of(w, ASHI_SINGLE_WIDTH)->entry_count > 0;
    }
    assert_true(met > 20);
    double scale = 1000 * 0.8 * 3;
    assert_near(v3_distance(ash_world_get_momentum(w), before), 0, 1e-12 * scale);
    assert_near(ash_world_get_angular_momentum(w).z, turn_before.z, 1e-11 * scale);
    assert_true(fabs(ash_body_get_angular_velocity(w, bodies[2]).z) > 1e-3);
    ash_world_destroy(w);
}

/* No side is preferred: what is seen in a mirror moves as its picture. Of discs, whose contacts have one point each. */
static void a_mirror_shows_the_same(void **state)
{
    (void)state;
    enum { BODIES = 9 };
    ash_world *w[2];
    ash_body bodies[2][BODIES];
    for (int m = 0; m < 2; m++) {
        double side = m == 0 ? 1 : -1;
        w[m] = make_flat(0.5, 0, 1);
        add_ground(w[m]);
        for (int i = 0; i < BODIES; i++)
            bodies[m][i] = add_disc(w[m], 0.25, v3(side * (0.52 * (i % 3) + 0.1 * (i / 3)), 0.26 + 0.46 * (i / 3), 0),
                                    v3(side * (0.4 - 0.1 * i), 0, 0));
    }
    for (int i = 0; i < 60; i++) {
        take(w[0], 1);
        take(w[1], 1);
        for (int k = 0; k < BODIES; k++) {
            ash_vec3 v = ash_body_get_velocity(w[0], bodies[0][k]), u = ash_body_get_velocity(w[1], bodies[1][k]);
            double spin = ash_body_get_angular_velocity(w[0], bodies[0][k]).z;
            assert_near(v.x, -u.x, 1e-9);
            assert_near(v.y, u.y, 1e-9);
            assert_near(spin, -ash_body_get_angular_velocity(w[1], bodies[1][k]).z, 1e-8);
        }
    }
    assert_true(fabs(ash_body_get_angular_velocity(w[0], bodies[0][1]).z) > 0.01);
    ash_world_destroy(w[0]);
    ash_world_destroy(w[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_do_not_depend_on_instructions_and_threads),
        cmocka_unit_test(the_problem_has_the_solution),
        cmocka_unit_test(lanes_have_the_law_of_problems),
        cmocka_unit_test(restitution_waits_for_an_impact),
        cmocka_unit_test(friction_holds_up_to_its_bound),
        cmocka_unit_test(pyramids_stand),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(a_mirror_shows_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
