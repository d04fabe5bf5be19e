/* Projected Gauss-Seidel and over-relaxation: exact single contacts, convergence of small piles under every law, block
 * by block and row by row. */
#include "builder.h"

static ash_solver_settings settings_for(ash_solver solver, bool by_rows, uint32_t iterations)
{
    ash_solver_settings settings = ash_default_solver_settings(solver);
    settings.by_rows = by_rows;
    settings.iterations = iterations;
    settings.tolerance = 1e-12;
    settings.warm_start = false;
    return settings;
}

/* A cube on the ground that slides along some direction, with g h taken off by the contacts. */
static builder *sliding_point(ash_friction_law law, double friction, ash_vec3 velocity)
{
    builder *b = new_builder(law);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t point = add_body(b, 2, 0, v3(0, 0, 0), velocity);
    add_contact(b, ground, point, v3(0, 0, 0), v3(0, 0, 1), 2, friction);
    finish(b);
    return b;
}

static void point_slides_and_sticks_exactly(void **state)
{
    (void)state;
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        ash_solver_settings settings = settings_for(ASH_SOLVER_PGS, by_rows, 4);
        builder *b = sliding_point(ASH_FRICTION_CONE, 0.5, v3(0.6, -0.8, -0.1));
        ash_solve_result result = solve_with(&b->problem, &settings);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        /* 0.5 * 0.1 m/s are lost along the velocity of 1 m/s. */
        assert_near(b->problem.velocity[1].linear.x, 0.6 * 0.95, 1e-15);
        assert_near(b->problem.velocity[1].linear.y, -0.8 * 0.95, 1e-15);
        assert_near(b->problem.velocity[1].linear.z, 0, 1e-15);
        assert_near(b->problem.rows[0].impulse, 0.2, 1e-15);
        free_builder(b);

        b = sliding_point(ASH_FRICTION_CONE, 0.5, v3(0.03, -0.039, -0.1));
        result = solve_with(&b->problem, &settings);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        assert_near(v3_norm(b->problem.velocity[1].linear), 0, 1e-15);
        free_builder(b);

        b = sliding_point(ASH_FRICTION_CONE, 0.5, v3(1, 0, 0.1));
        solve_with(&b->problem, &settings);
        assert_true(b->problem.rows[0].impulse == 0 && b->problem.rows[1].impulse == 0);
        free_builder(b);
    }
}

/* One contact of random bodies: the block's own solution, at one visit. */
static void one_visit_solves_a_contact(void **state)
{
    (void)state;
    ashi_random random = {4};
    ash_solver_settings settings = settings_for(ASH_SOLVER_PGS, false, 1);
    int slid = 0, stuck = 0;
    settings.tolerance = 1e-11;
    for (int trial = 0; trial < 4000; trial++) {
        builder *b = new_builder(ASH_FRICTION_CONE);
        for (int i = 0; i < 2; i++) {
            ash_vec3 v = v3(ashi_random_range(&random, -1, 1), ashi_random_range(&random, -1, 1),
                            ashi_random_range(&random, -1, 1));
            uint32_t body = add_body(b, ashi_random_range(&random, 0.5, 2), 1, v3(0, 0, i), v);
            b->problem.bodies[body].spin = v3(v.y, v.z, v.x);
        }
        ash_vec3 at = v3(ashi_random_range(&random, -0.5, 0.5), ashi_random_range(&random, -0.5, 0.5), 0.5);
        double mu = ashi_random_range(&random, 0, 1.5);
        add_contact(b, 0, 1, at, v3(0, 0, 1), trial % 5 == 0 ? 1 : 2, mu);
        finish(b);
        ash_solve_result result = solve_with(&b->problem, &settings);
        assert_below(result.error.largest, 1e-11);
        const ashi_row *row = b->problem.rows;
        double t = trial % 5 == 0 ? fabs(row[1].impulse) : hypot(row[1].impulse, row[2].impulse);
        slid += t > 0 && t > mu * row[0].impulse * (1 - 1e-9);
        stuck += t > 0 && t < mu * row[0].impulse * (1 - 1e-9);
        free_builder(b);
    }
    if (slid < 500 || stuck < 100)
        fail_msg("only %d contacts slid and %d stuck", slid, stuck);
}

/* The same under a box: where both tangents stick. */
static void one_visit_sticks_in_a_box(void **state)
{
    (void)state;
    ashi_random random = {5};
    ash_solver_settings settings = settings_for(ASH_SOLVER_PGS, false, 1);
    int stuck = 0;
    for (int trial = 0; trial < 1000; trial++) {
        builder *b = new_builder(ASH_FRICTION_BOX);
        uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
        uint32_t box = add_body(b, 2, 1, v3(0, 0, 0.5), v3(0.1, ashi_random_range(&random, -0.2, 0.2), -1));
        ash_vec3 at = v3(ashi_random_range(&random, -0.5, 0.5), ashi_random_range(&random, -0.5, 0.5), 0);
        add_contact(b, ground, box, at, v3(0, 0, 1), 2, 0.8);
        finish(b);
        ash_solve_result result = solve_with(&b->problem, &settings);
        const ashi_row *row = b->problem.rows;
        double bound = 0.8 * row[0].impulse * (1 - 1e-9);
        if (fabs(row[1].impulse) < bound && fabs(row[2].impulse) < bound) {
            assert_below(result.error.largest, 1e-12);
            stuck++;
        }
        free_builder(b);
    }
    assert_true(stuck > 300);
}

/* Two belts that run against each other bear half of a weight each: far from sliding on either, it would go with the
 * one that is visited last. With corrections that shrink to a sixth in the end it goes with neither. */
static void contradictions_are_shared_out(void **state)
{
    (void)state;
    const double speed = 1e-4;
    for (int settled = 0; settled < 2; settled++) {
        builder *b = new_builder(ASH_FRICTION_BOX);
        uint32_t one = add_body(b, 0, 0, v3(0, 0, 0), v3(speed, 0, 0));
        uint32_t other = add_body(b, 0, 0, v3(0, 0, 0), v3(-speed, 0, 0));
        uint32_t weight = add_body(b, 2, 0, v3(0, 0, 0), v3(0, 0, -0.1));
        add_contact(b, one, weight, v3(0, 0, 0), v3(0, 0, 1), 2, 0.5);
        add_contact(b, other, weight, v3(0, 0, 0), v3(0, 0, 1), 2, 0.5);
        finish(b);
        b->problem.rows[0].impulse = b->problem.rows[3].impulse = 0.1;
        ash_solver_settings settings = settings_for(ASH_SOLVER_PGS, false, 10);
        settings.warm_start = true;
        settings.settling = settled ? 0.5 : 0;
        solve_with(&b->problem, &settings);
        if (settled)
            assert_below(fabs(b->problem.velocity[weight].linear.x), 0.2 * speed);
        else
            assert_near(b->problem.velocity[weight].linear.x, -speed, 1e-9 * speed);
        assert_near(b->problem.velocity[weight].linear.z, 0, 1e-15);
        free_builder(b);
    }
}

/* Two boxes side by side on the ground carry a third; it is shoved. */
static builder *small_pile(ash_friction_law law, double shove)
{
    builder *b = new_builder(law);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t left = add_body(b, 1, 1, v3(-0.6, 0, 0.5), v3(0, 0, -0.1));
    uint32_t right = add_body(b, 2, 1, v3(0.6, 0, 0.5), v3(0, 0, -0.1));
    uint32_t top = add_body(b, 3, 1, v3(0, 0, 1.5), v3(shove, shove / 2, -0.1));
    add_face_contacts(b, ground, left, 1, 0.5);
    add_face_contacts(b, ground, right, 1, 0.5);
    for (int i = 0; i < 4; i++)
        add_contact(b, i & 1 ? right : left, top, v3(i & 1 ? 0.4 : -0.4, i & 2 ? 0.5 : -0.5, 1), v3(0, 0, 1), 2, 0.5);
    finish(b);
    return b;
}

static void piles_converge_under_every_law(void **state)
{
    (void)state;
    for (int law = 0; law < ASH_FRICTION_LAWS; law++)
        for (int way = 0; way < 8; way++) {
            bool by_rows = way & 1;
            ash_solver solver = way & 2 ? ASH_SOLVER_SOR : ASH_SOLVER_PGS;
            builder *b = small_pile((ash_friction_law)law, way & 4 ? 2 : 0.1);
            ash_solver_settings settings = settings_for(solver, by_rows, 5000);
            ash_solve_result result = solve_with(&b->problem, &settings);
            if (!(result.flags & ASH_SOLVE_CONVERGED))
                fail_msg("law %d, %s%s, shove %d: residual %g after %u", law, ash_solver_name(solver),
                         by_rows ? " by rows" : "", way & 4, result.error.largest, result.iterations);
            free_builder(b);
        }
}

/* ---- plain rows ---- */

static ash_solve_result solve_few(builder *b, bool by_rows, uint32_t iterations)
{
    ash_solver_settings settings = settings_for(ASH_SOLVER_PGS, by_rows, iterations);
    finish(b);
    return solve_with(&b->problem, &settings);
}

/* One visit holds a body to the ground by a ball joint, two joints at the same point being no more than one. */
static void joints_hold_at_one_visit(void **state)
{
    (void)state;
    for (int copies = 1; copies <= 2; copies++) {
        builder *b = new_builder(ASH_FRICTION_CONE);
        uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
        uint32_t arm = add_body(b, 2, 1, v3(1, 0, 0), v3(0.3, -0.2, -1));
        for (int i = 0; i < copies; i++)
            add_ball_joint(b, ground, arm, v3(0, 0, 0));
        if (copies == 2) { /* six rows in one block, three of them redundant */
            b->problem.blocks[0].row_count = 6;
            b->problem.block_count = 1;
        }
        ash_solve_result result = solve_few(b, false, 1);
        assert_below(result.error.largest, 1e-14);
        /* I = 1/3 + 2 about the joint; the momentum about it is 2 x 1 m/s: what is left is w = 6/7 rad/s. */
        assert_near(b->problem.velocity[1].angular.y, 6.0 / 7, 1e-14);
        assert_near(b->problem.velocity[1].linear.z, -6.0 / 7, 1e-14);
        assert_near(b->problem.velocity[1].linear.x, 0, 1e-15);
        free_builder(b);
    }
}

/* One row along x on a body of 2 kg at 1 m/s. */
static ashi_row *add_row(builder *b, double lower, double upper)
{
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t body = add_body(b, 2, 1, v3(0, 0, 0), v3(1, 0, 0));
    add_ball_joint(b, ground, body, v3(0, 0, 0))->row_count = 1;
    b->problem.row_count = 1;
    b->problem.rows[0].lower = lower;
    b->problem.rows[0].upper = upper;
    return &b->problem.rows[0];
}

static void rows_keep_their_bounds(void **state)
{
    (void)state;
    static const struct {
        double lower, upper, bias, softness, impulse;
    } cases[] = {
        {-HUGE_VAL, HUGE_VAL, 0, 0, -2},
        {-0.5, 0.5, 0, 0, -0.5},
        {-0.5, 0.5, -0.9, 0, -0.2},
        {0, HUGE_VAL, 0, 0, 0},
        {0, HUGE_VAL, -3, 0, 4},
        {-HUGE_VAL, 0, 0, 0, -2},
        {-HUGE_VAL, HUGE_VAL, 0.5, 0.25, -1.5 / 0.75},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int by_rows = 0; by_rows < 2; by_rows++) {
            builder *b = new_builder(ASH_FRICTION_CONE);
            ashi_row *row = add_row(b, cases[i].lower, cases[i].upper);
            row->bias = cases[i].bias;
            row->softness = cases[i].softness;
            solve_few(b, by_rows, 1);
            assert_near(b->problem.rows[0].impulse, cases[i].impulse, 1e-15);
            assert_near(b->problem.velocity[1].linear.x, 1 + cases[i].impulse / 2, 1e-15);
            free_builder(b);
        }
}

/* Ten links that hang from each other, and a motor of limited strength in the first joint. */
static void chains_converge(void **state)
{
    (void)state;
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        builder *b = new_builder(ASH_FRICTION_CONE);
        uint32_t before = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
        for (int i = 0; i < 10; i++) {
            uint32_t link = add_body(b, 1, 1, v3(i + 0.5, 0, 0), v3(0, 0, -0.1));
            ashi_block *joint = add_ball_joint(b, before, link, v3(i, 0, 0));
            if (i == 0) {
                b->problem.rows[b->problem.row_count++] =
                    (ashi_row){.angular_a = v3(0, -1, 0), .angular_b = v3(0, 1, 0), .lower = -0.02, .upper = 0.02};
                joint->row_count = 4;
            }
            before = link;
        }
        ash_solve_result result = solve_few(b, by_rows, 20000);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        assert_near(b->problem.rows[3].impulse, -0.02, 0); /* it cannot hold the chain */
        free_builder(b);
    }
}

/* ---- other rows of contacts ---- */

/* A ball of 2 kg and radius 0.5 m on the ground, I = 0.2. */
static builder *ball(ash_vec3 velocity, ash_vec3 spin, double rolling, double spinning)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t body = add_body(b, 2, 0, v3(0, 0, 0.5), velocity);
    b->problem.bodies[body].inverse_inertia = s3_diagonal(5, 5, 5);
    b->problem.bodies[body].spin = spin;
    add_contact(b, ground, body, v3(0, 0, 0), v3(0, 0, 1), 2, 0.5);
    add_resistance(b, rolling, spinning);
    return b;
}

static void rolling_and_spin_are_resisted(void **state)
{
    (void)state;
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        /* Spin about the normal: 0.2 N s x 0.1 m take 0.1 rad/s off 3. */
        builder *b = ball(v3(0, 0, -0.1), v3(0, 0, 3), 0, 0.1);
        ash_solve_result result = solve_few(b, by_rows, 200);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        assert_near(b->problem.velocity[1].angular.z, 2.9, 1e-14);
        free_builder(b);
        /* Rolling along x: about the contact I is 0.7, and 0.2 N s x 0.07 m take 0.02 rad/s off 2. */
        b = ball(v3(1, 0, -0.1), v3(0, 2, 0), 0.07, 0.1);
        result = solve_few(b, by_rows, 2000);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        assert_near(b->problem.velocity[1].angular.y, 1.98, 1e-11);
        assert_near(b->problem.velocity[1].linear.x, 0.99, 1e-11);
        free_builder(b);
        /* Slow enough to be stopped. */
        b = ball(v3(0.005, 0, -0.1), v3(0, 0.01, 0.02), 0.07, 0.1);
        result = solve_few(b, by_rows, 2000);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        assert_near(v3_norm(b->problem.velocity[1].angular), 0, 1e-11);
        free_builder(b);
    }
}

/* Bounds from an impulse given beforehand (de Jong 2014, 5-3-1): 0.5 x 0.08 N s whatever the ground carries. */
static void friction_follows_a_given_limit(void **state)
{
    (void)state;
    for (int law = 0; law < 2; law++)
        for (int by_rows = 0; by_rows < 2; by_rows++) {
            builder *b = new_builder((ash_friction_law)law);
            uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
            uint32_t point = add_body(b, 2, 0, v3(0, 0, 0), v3(0, -1, -0.1));
            add_contact(b, ground, point, v3(0, 0, 0), v3(0, 0, 1), 2, 0.5)->friction_limit = 0.08;
            ash_solve_result result = solve_few(b, by_rows, 10);
            assert_true(result.flags & ASH_SOLVE_CONVERGED);
            assert_near(b->problem.velocity[1].linear.y, -0.98, 1e-15);
            assert_near(b->problem.rows[0].impulse, 0.2, 1e-15);
            free_builder(b);
        }
}

/* Bodies that cannot move along or about some axes. */
static void locked_axes_stay_locked(void **state)
{
    (void)state;
    ashi_random random = {5};
    for (int trial = 0; trial < 200; trial++) {
        builder *b = small_pile(ASH_FRICTION_CONE, 0.3);
        for (uint32_t i = 1; i < b->problem.body_count; i++) {
            ash_problem_body *body = &b->problem.bodies[i];
            body->inverse_inertia = s3_add(s3_outer(v3(1, 0.5 * i, 0), 3), s3_diagonal(0, 0, trial % 2));
            body->inverse_mass.x = ashi_random_below(&random, 2);
            body->inverse_mass.y *= ashi_random_below(&random, 2);
        }
        ash_solver_settings settings = settings_for(ASH_SOLVER_PGS, trial % 4 < 2, 20000);
        settings.tolerance = 1e-9;
        ash_solve_result result = solve_with(&b->problem, &settings);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        for (uint32_t i = 1; i < b->problem.body_count; i++) {
            const ash_problem_body *body = &b->problem.bodies[i];
            assert_true(body->inverse_mass.x > 0 || b->problem.velocity[i].linear.x == body->velocity.x);
            assert_true(trial % 2 == 1 || b->problem.velocity[i].angular.z == 0);
        }
        free_builder(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_slides_and_sticks_exactly), cmocka_unit_test(one_visit_solves_a_contact),
        cmocka_unit_test(one_visit_sticks_in_a_box),       cmocka_unit_test(contradictions_are_shared_out),
        cmocka_unit_test(piles_converge_under_every_law),  cmocka_unit_test(joints_hold_at_one_visit),
        cmocka_unit_test(rows_keep_their_bounds),          cmocka_unit_test(chains_converge),
        cmocka_unit_test(rolling_and_spin_are_resisted),   cmocka_unit_test(friction_follows_a_given_limit),
        cmocka_unit_test(locked_axes_stay_locked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
