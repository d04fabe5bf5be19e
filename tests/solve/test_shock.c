/* Shock propagation: what has one layer is solved as by the inner solver, bit for bit; else every contact holds with
 * the layers' velocities, which are those of the impulses on the bodies that were not held; the yardstick is that of
 * the impulses on both. */
#include "ashlar/scene.h"
#include "builder.h"

#include "problem/problems.h"

static const ash_solver inner_solvers[] = {
    ASH_SOLVER_JACOBI, ASH_SOLVER_PGS,    ASH_SOLVER_SOR,    ASH_SOLVER_LEMKE,      ASH_SOLVER_NNCG,
    ASH_SOLVER_APGD,   ASH_SOLVER_NEWTON, ASH_SOLVER_DIRECT, ASH_SOLVER_STRUCTURED, ASH_SOLVER_PENALTY};
enum { INNER = sizeof inner_solvers / sizeof *inner_solvers };

static ash_solver_settings settings_of(ash_solver inner, double tolerance, uint32_t iterations)
{
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_SHOCK);
    settings.inner = inner;
    settings.tolerance = tolerance;
    settings.iterations = iterations;
    settings.warm_start = false;
    return settings;
}

static void assert_same_solution(const ashi_system *a, const ashi_system *b)
{
    assert_int_equal(a->row_count, b->row_count);
    for (uint32_t i = 0; i < a->row_count; i++)
        assert_memory_equal(&a->rows[i].impulse, &b->rows[i].impulse, sizeof a->rows[i].impulse);
    assert_memory_equal(a->velocity, b->velocity, a->body_count * sizeof *a->velocity);
}

/* Of the stored problems, those whose islands have one layer. */
static void one_layer_is_the_inner_solvers(void **state)
{
    (void)state;
    uint32_t same = 0, layered = 0;
    for (uint32_t k = 0; k < ash_stored_problem_count(); k++) {
        ashi_system ours = problem_named(ash_stored_problem_get(k).name), theirs = {0};
        for (int i = 0; i < INNER && ours.block_count < 200; i++) {
            ash_solver_settings shock = settings_of(inner_solvers[i], 1e-9, 30), plain = shock;
            plain.solver = inner_solvers[i];
            assert_true(ashi_system_copy(&theirs, &ours));
            ash_solve_result our_result = solve_with(&ours, &shock), their_result = solve_with(&theirs, &plain);
            if (our_result.flags & ASH_SOLVE_LAYERED) {
                layered++;
                continue;
            }
            assert_same_solution(&ours, &theirs);
            assert_int_equal(our_result.flags, their_result.flags);
            assert_int_equal(our_result.iterations, their_result.iterations);
            assert_true(our_result.error.largest == their_result.error.largest);
            assert_true(our_result.error.theta == their_result.error.theta);
            same++;
        }
        ashi_system_release(&ours);
        ashi_system_release(&theirs);
    }
    assert_true(same >= 5 * INNER);
    assert_true(layered >= 2 * INNER);
}

/* Cubes at random on each other and on a floor that moves; some joined to a neighbour. */
static builder *random_pile(ashi_random *random, ash_friction_law law)
{
    builder *b = new_builder(law);
    uint32_t floor = add_body(b, 0, 0, v3(0, 0, 0), v3(0.3, -0.1, 0.2)), columns[4], bodies = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t below = floor;
        for (uint32_t k = 0; k < 1 + ashi_random_below(random, 6); k++) {
            ash_vec3 v = v3(ashi_random_range(random, -1, 1), ashi_random_range(random, -1, 1),
                            ashi_random_range(random, -2, 0));
            uint32_t body = add_body(b, ashi_random_range(random, 0.5, 4), 1, v3(i, 0, k + 0.5), v);
            add_face_contacts(b, below, body, 1, ashi_random_range(random, 0, 0.6));
            if (bodies > 0 && ashi_random_below(random, 3) == 0)
                add_ball_joint(b, columns[ashi_random_below(random, bodies < 4 ? bodies : 4)], body, v3(i - 0.5, 0, k));
            columns[bodies % 4] = body;
            bodies++;
            below = body;
        }
    }
    finish(b);
    return b;
}

/* v = v* + M^-1 J^T lambda, where a held body has no share in an impulse. */
static void assert_velocities_are_of_what_acted(const ashi_system *p)
{
    ash_motion expected[MOST_BODIES];
    for (uint32_t i = 0; i < p->body_count; i++)
        expected[i] = (ash_motion){p->bodies[i].velocity, p->bodies[i].spin};
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        for (uint32_t i = 0; i < block->row_count; i++) {
            const ashi_row *row = &p->rows[block->first_row + i];
            if (!block->held_a)
                ashi_body_push(&p->bodies[block->body_a], &expected[block->body_a], row->linear_a, row->angular_a,
                               row->impulse);
            if (!block->held_b)
                ashi_body_push(&p->bodies[block->body_b], &expected[block->body_b], row->linear_b, row->angular_b,
                               row->impulse);
        }
    }
    for (uint32_t i = 0; i < p->body_count; i++) {
        assert_below(v3_distance(p->velocity[i].linear, expected[i].linear), 1e-9);
        assert_below(v3_distance(p->velocity[i].angular, expected[i].angular), 1e-9);
    }
}

/* Signorini's and Coulomb's laws, and joints, at the velocities that bodies have. Returns how many were held. */
static uint32_t assert_all_holds(const ashi_system *p, double tolerance)
{
    uint32_t held = 0;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        const ashi_row *row = &p->rows[block->first_row];
        const ash_motion *a = &p->velocity[block->body_a], *b = &p->velocity[block->body_b];
        double u[3], slip, friction;
        assert_false(block->held_a && block->held_b);
        held += block->held_a || block->held_b;
        for (uint32_t i = 0; i < block->row_count; i++)
            u[i] = ashi_row_speed(&row[i], a, b) + row[i].bias;
        if (block->kind == ASHI_PLAIN_BLOCK) {
            for (uint32_t i = 0; i < block->row_count; i++)
                assert_near(u[i], 0, tolerance);
            continue;
        }
        assert_true(row[0].impulse >= 0);
        assert_true(u[0] >= -tolerance);
        assert_below(row[0].impulse > 1e-6 ? u[0] : 0, tolerance);
        slip = sqrt(u[1] * u[1] + u[2] * u[2]);
        friction = sqrt(row[1].impulse * row[1].impulse + row[2].impulse * row[2].impulse);
        assert_below(friction, block->friction * row[0].impulse + 1e-9);
        if (slip > 1e-5 && row[0].impulse > 1e-6)
            assert_near(row[1].impulse * u[1] + row[2].impulse * u[2], -block->friction * row[0].impulse * slip, 1e-6);
    }
    return held;
}

static void every_layer_holds(void **state)
{
    (void)state;
    ashi_random random = {5};
    ash_solver_settings settings = settings_of(ASH_SOLVER_NEWTON, 1e-10, 500);
    uint32_t held = 0;
    for (int trial = 0; trial < TRIALS(200); trial++) {
        builder *b = random_pile(&random, ASH_FRICTION_CONE);
        ashi_system copy = {0};
        assert_true(ashi_system_copy(&copy, &b->problem));
        ash_solve_result result = solve_with(&b->problem, &settings);
        if (result.flags & ASH_SOLVE_CONVERGED)
            held += assert_all_holds(&b->problem, 1e-6);
        assert_velocities_are_of_what_acted(&b->problem);
        ash_solve_result again = solve_with(&copy, &settings);
        assert_same_solution(&b->problem, &copy);
        assert_true(again.error.largest == result.error.largest);
        /* the yardstick is what anybody finds from the impulses alone */
        ash_yardstick error;
        assert_true(ashi_system_measure(&copy, &error));
        assert_true(error.largest == result.error.largest);
        assert_true(error.theta == result.error.theta);
        ashi_system_release(&copy);
        free_builder(b);
    }
    assert_true(held > TRIALS(200) * 8); /* joined bodies are of one layer: 10 on average */
}

/* A tower at rest under gravity, and one that stands on a lift: every impulse bears the body above it alone, and
 * nothing moves against what it stands on. */
static void a_tower_stands_with_one_sweep_of_layers(void **state)
{
    (void)state;
    enum { HEIGHT = 30 };
    const double g = 9.81;
    for (int lift = 0; lift < 2; lift++) {
        builder *b = new_builder(ASH_FRICTION_CONE);
        ash_vec3 rising = v3(0, 0, 0.5 * lift);
        uint32_t below = add_body(b, 0, 0, v3(0, 0, 0), rising);
        for (int i = 0; i < HEIGHT; i++) {
            uint32_t body = add_body(b, 2, 1, v3(0, 0, i + 0.5), v3_add(rising, v3(0, 0, -g * 0.01)));
            add_face_contacts(b, below, body, 1, 0.5);
            below = body;
        }
        finish(b);
        ash_solver_settings settings = settings_of(ASH_SOLVER_PGS, 1e-12, 200);
        ash_solve_trace trace = {.capacity = 2 * HEIGHT};
        double numbers[3][2 * HEIGHT];
        trace.residual = numbers[0];
        trace.theta = numbers[1];
        trace.seconds = numbers[2];
        ash_solve_result result;
        assert_true(ashi_system_solve(&b->problem, &settings, 1, &trace, &result));
        assert_int_equal(result.flags, ASH_SOLVE_CONVERGED | ASH_SOLVE_LAYERED);
        assert_int_equal(trace.count, HEIGHT + 1); /* the start, and after each layer */
        assert_true(trace.residual[HEIGHT] == result.error.largest);
        for (uint32_t i = 0; i < b->problem.body_count; i++)
            assert_below(v3_distance(b->problem.velocity[i].linear, rising), 1e-9);
        for (uint32_t k = 0; k < b->problem.block_count; k += 4) {
            double sum = 0;
            for (uint32_t i = k; i < k + 4; i++)
                sum += b->problem.rows[b->problem.blocks[i].first_row].impulse;
            assert_near(sum, 2 * g * 0.01, 1e-9);
        }
        assert_true(result.error.largest > 0.05); /* as a solution of the whole, which would bear all weights */
        free_builder(b);
    }
}

static void settings_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    ash_problem problem = public_named("stack");
    ash_solve_result result;
    ash_diagnostic diagnostic;
    const int bad[] = {ASH_SOLVER_SHOCK, ASH_SOLVER_SOFT_STEP, ASH_SOLVERS, -1};
    for (int i = 0; i < 4; i++) {
        ash_solver_settings settings = settings_of((ash_solver)bad[i], 0, 10);
        assert_int_equal(ash_problem_solve(&problem, &settings, 1, NULL, &result, &diagnostic), ASH_BAD_ARGUMENT);
        assert_string_equal(diagnostic.code, "solver.value");
    }
    ash_problem_release(&problem);
}

/* Held flags are of the last solve; threads do not matter; the work of all layers counts against what was granted. */
static void what_is_kept_does_not_show(void **state)
{
    (void)state;
    ashi_random random = {9};
    ash_solver_settings settings = settings_of(ASH_SOLVER_PGS, 0, 10), plain = settings;
    plain.solver = ASH_SOLVER_PGS;
    ash_solve_result result;
    for (int trial = 0; trial < TRIALS(60); trial++) {
        builder *b = random_pile(&random, ASH_FRICTION_BOX);
        ashi_system other = {0};
        assert_true(ashi_system_copy(&other, &b->problem));
        assert_true(ashi_system_solve(&b->problem, &settings, 1, NULL, &result));
        assert_int_equal(result.iterations, 10); /* of any layer */
        assert_true(ashi_system_solve(&other, &settings, 3, NULL, &result));
        assert_same_solution(&b->problem, &other);
        assert_true(ashi_system_solve(&other, &plain, 1, NULL, &result));
        for (uint32_t k = 0; k < other.block_count; k++)
            assert_false(other.blocks[k].held_a || other.blocks[k].held_b);
        ashi_system_release(&other);
        free_builder(b);
    }
    ashi_system stack = problem_named("stack");
    ashi_solver_memory *memory = ashi_solver_memory_create();
    ashi_solver_grant(memory, 250); /* of 100 blocks in each of the sweeps */
    assert_true(ashi_solve_problem(&stack, &settings, memory, NULL, NULL, &result));
    assert_true(result.flags & ASH_SOLVE_BUDGET);
    assert_true(ashi_solver_is_spent(memory));
    uint64_t updates, builds;
    ashi_solver_grant(memory, UINT64_MAX);
    for (int i = 0; i < 5; i++)
        assert_true(ashi_solve_problem(&stack, &settings, memory, NULL, NULL, &result));
    ashi_solver_graph_counts(memory, &updates, &builds);
    assert_int_equal(updates, 6);
    assert_int_equal(builds, 1);
    ashi_solver_memory_destroy(memory);
    ashi_system_release(&stack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_layer_is_the_inner_solvers),
        cmocka_unit_test(every_layer_holds),
        cmocka_unit_test(a_tower_stands_with_one_sweep_of_layers),
        cmocka_unit_test(settings_that_make_no_sense_are_refused),
        cmocka_unit_test(what_is_kept_does_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
