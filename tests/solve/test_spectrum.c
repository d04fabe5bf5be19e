/* The spectrum: the system matrix against impulses applied to bodies, eigenvalues against closed forms of chains of
 * masses, rank against that of the direct solver, and the rate against what sweeps do. */
#include "jointed.h"
#include "problem/problems.h"

#include "base/alloc.h"

static ash_spectrum spectrum_of(const ashi_system *p, double regularization, bool scaling)
{
    ash_spectrum spectrum;
    ash_diagnostic diagnostic = {0};
    if (ashi_system_spectrum(p, regularization, scaling, &spectrum, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    return spectrum;
}

/* `masses` of 1 kg in a line, each held to the next along the line, the first to a wall and, if `closed`, the last. */
static builder *chain_of_masses(uint32_t masses, bool closed)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    ashi_random random = {masses};
    uint32_t wall = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0)), before = wall;
    for (uint32_t i = 0; i < masses + closed; i++) {
        uint32_t next =
            i == masses ? wall : add_body(b, 1, 0, v3(i + 1.0, 0, 0), v3(ashi_random_range(&random, -1, 1), 0, 0));
        ashi_block *block = add_ball_joint(b, before, next, v3(0, 0, 0));
        block->row_count = 1;
        b->problem.row_count = block->first_row + 1;
        before = next;
    }
    finish(b);
    return b;
}

/* A is tridiagonal: 1 or 2 on the diagonal, -1 beside it. Its Jacobi matrix is that of a walk on a line, and the
 * eigenvalues of T are the squares of those, each pair of them for one and a zero (Young 1954). */
static void chains_have_closed_forms(void **state)
{
    (void)state;
    double pi = acos(-1);
    for (uint32_t masses = 2; masses <= 40; masses++) {
        builder *b = chain_of_masses(masses, false);
        ash_spectrum s = spectrum_of(&b->problem, 0, false);
        assert_int_equal(s.row_count, masses);
        assert_int_equal(s.rank, masses);
        for (uint32_t i = 0; i < masses; i++)
            assert_near(s.values[i], 2 - 2 * cos((2 * i + 1) * pi / (2 * masses + 1)), 1e-13);
        ash_spectrum_release(&s);
        free_builder(b);

        b = chain_of_masses(masses, true);
        s = spectrum_of(&b->problem, 0, false);
        assert_int_equal(s.row_count, masses + 1);
        assert_int_equal(s.rank, masses); /* all together move nothing */
        assert_near(s.radius, 1, 1e-12);
        assert_near(s.rate, pow(cos(pi / masses), 2), 1e-9);
        for (uint32_t i = 0; i <= masses; i++) {
            double square = pow(cos(i * pi / masses), 2);
            assert_near(s.values[i], 2 - 2 * cos(i * pi / (masses + 1)), 1e-13);
            if (2 * i <= masses && square > 0.5) /* the zeros are defective, and small ones near them */
                assert_near(hypot(s.real[i], s.imaginary[i]), square, 1e-9);
        }
        ash_spectrum_release(&s);
        free_builder(b);
    }
}

/* The matrix is what impulses do to speeds. */
static void matrix_is_the_response(void **state)
{
    (void)state;
    ashi_random random = {3};
    for (uint32_t n = 0; n < ash_stored_problem_count(); n++) {
        ashi_system p = problem_named(ashi_named_problem_get(n)->name);
        if (p.row_count > 320) {
            ashi_system_release(&p);
            continue;
        }
        ash_spectrum s = spectrum_of(&p, 0, false);
        for (uint32_t i = 0; i < p.body_count; i++)
            p.bodies[i].velocity = p.bodies[i].spin = v3(0, 0, 0);
        double *impulse = calloc(p.row_count + 1, sizeof *impulse), size = 0;
        assert_non_null(impulse);
        uint32_t alive = 0;
        for (uint32_t k = 0; k < p.block_count; k++)
            for (uint32_t i = p.blocks[k].first_row; i < p.blocks[k].first_row + p.blocks[k].row_count; i++) {
                p.rows[i].impulse = ashi_random_range(&random, -1, 1);
                if (ashi_row_response(&p, &p.blocks[k], &p.rows[i], &p.rows[i]) + p.rows[i].softness > 0)
                    impulse[alive++] = p.rows[i].impulse;
            }
        assert_int_equal(alive, s.row_count);
        assert_int_equal(alive + s.left_out, p.row_count);
        ashi_system_velocities(&p, NULL);
        for (uint32_t i = 0; i < alive; i++)
            size = fmax(size, s.matrix[(size_t)i * alive + i]);
        uint32_t at = 0;
        for (uint32_t k = 0; k < p.block_count; k++)
            for (uint32_t i = p.blocks[k].first_row; i < p.blocks[k].first_row + p.blocks[k].row_count; i++) {
                const ashi_row *row = &p.rows[i];
                if (!(ashi_row_response(&p, &p.blocks[k], row, row) + row->softness > 0))
                    continue;
                double speed = ashi_row_speed(row, &p.velocity[p.blocks[k].body_a], &p.velocity[p.blocks[k].body_b]) +
                               row->softness * row->impulse;
                double sum = 0;
                for (uint32_t j = 0; j < alive; j++) {
                    assert_true(s.matrix[(size_t)at * alive + j] == s.matrix[(size_t)j * alive + at]);
                    sum += s.matrix[(size_t)at * alive + j] * impulse[j];
                }
                assert_near(sum, speed, 1e-12 * size);
                at++;
            }
        free(impulse);
        ash_spectrum_release(&s);
        ashi_system_release(&p);
    }
}

/* Of every stored problem: A has no negative values, as many zeros as pivots say, and T as many ones; none of T's is
 * outside the unit circle. Scaling changes A's, and neither rank nor T's. */
static void redundant_rows_are_ones(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < ash_stored_problem_count(); n++) {
        ashi_system p = problem_named(ashi_named_problem_get(n)->name);
        const char *name = ashi_named_problem_get(n)->name;
        if (p.row_count > TRIALS(320)) {
            ashi_system_release(&p);
            continue;
        }
        ash_spectrum s = spectrum_of(&p, 0, false), scaled = spectrum_of(&p, 0, true);
        uint32_t zeros = 0, ones = 0, count = s.row_count;
        for (uint32_t i = 0; i < count; i++) {
            zeros += scaled.values[i] < 1e-11;
            ones += hypot(s.real[i] - 1, s.imaginary[i]) < 1e-9;
        }
        if (zeros != count - s.rank || ones < zeros || s.radius > 1 + 1e-9 || s.rank != scaled.rank ||
            (count > 0 && s.values[0] < -1e-12 * s.values[count - 1]))
            fail_msg("%s: %u rows, rank %u and scaled %u, %u zeros, %u ones, radius %.12g", name, count, s.rank,
                     scaled.rank, zeros, ones, s.radius);
        assert_near(s.rate, scaled.rate, 1e-7);
        ash_spectrum_release(&s);
        ash_spectrum_release(&scaled);
        ashi_system_release(&p);
    }
}

static void check_rank(builder *b, uint32_t redundant)
{
    finish(b);
    ash_spectrum s = spectrum_of(&b->problem, 0, false);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < b->problem.island_count; i++) {
        ashi_direct *direct = ashi_direct_create();
        assert_non_null(direct);
        assert_true(ashi_direct_factor(direct, &b->problem, &b->problem.islands[i]));
        rank += ashi_direct_rank(direct);
        ashi_direct_destroy(direct);
    }
    assert_int_equal(s.rank, rank);
    assert_int_equal(s.row_count - s.rank, redundant);
    ash_spectrum_release(&s);
    free_builder(b);
}

/* Two bars and a beam in a plane are 3 times 5 rows for 18 freedoms, of which one is left: each further bar has 4 too
 * many, and the first two 3. */
static void rank_is_that_of_the_direct_solver(void **state)
{
    (void)state;
    for (enum shape shape = 0; shape < SHAPES; shape++)
        for (uint64_t seed = 1; seed <= 5; seed++)
            check_rank(make(shape, 20, true, seed), 0);
    check_rank(parallelogram(2, true), 3);
    check_rank(parallelogram(3, true), 7);
    check_rank(parallelogram(5, true), 15);
}

/* theta after sweeps by rows, from the first guess in the problem. */
static double *thetas(ashi_system *p, uint32_t sweeps)
{
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
    settings.by_rows = true;
    settings.warm_start = false;
    settings.tolerance = 0;
    settings.iterations = sweeps;
    double *theta = calloc(3 * (sweeps + 1), sizeof *theta);
    assert_non_null(theta);
    ash_solve_trace trace = {
        .capacity = sweeps + 1, .residual = theta + sweeps + 1, .theta = theta, .seconds = theta + 2 * (sweeps + 1)};
    ash_solve_result result;
    assert_true(ashi_system_solve(p, &settings, 1, &trace, &result));
    assert_int_equal(trace.count, sweeps + 1);
    return theta;
}

/* How many sweeps leave so much of the error. */
static uint32_t sweeps_for(double left, double rate)
{
    assert_true(rate > 0 && rate < 0.9999);
    return (uint32_t)ceil(log(left) / log(rate));
}

/* The mean ratio of errors between two sweeps. */
static double measured_rate(const double *theta, uint32_t from, uint32_t to)
{
    return pow(theta[to] / theta[from], 0.5 / (to - from));
}

/* With equalities alone a sweep by rows is lambda <- T lambda + c: theta, quadratic in the error, falls by the square
 * of the rate, with redundant rows and without. */
static void sweeps_go_at_the_rate(void **state)
{
    (void)state;
    for (uint32_t masses = 4; masses <= 12; masses += 2) {
        builder *b = chain_of_masses(masses, true);
        ash_spectrum s = spectrum_of(&b->problem, 0, false);
        uint32_t sweeps = sweeps_for(1e-8, s.rate); /* one value leads, and rounding is far */
        double *theta = thetas(&b->problem, sweeps);
        assert_near(measured_rate(theta, sweeps - 1, sweeps), s.rate, 1e-6);
        free(theta);
        ash_spectrum_release(&s);
        free_builder(b);
    }
    for (uint64_t seed = 1; seed <= 6; seed++) {
        builder *b = seed % 3 == 0 ? parallelogram(3, true) : make(seed % 3 == 1 ? TREE : LADDER, 5, true, seed);
        ashi_random random = {seed};
        finish(b);
        for (uint32_t i = b->problem.fixed_count; i < b->problem.body_count; i++)
            b->problem.bodies[i].velocity = random_vector(&random);
        ash_spectrum s = spectrum_of(&b->problem, 0, false);
        uint32_t sweeps = sweeps_for(1e-8, s.rate);
        double *theta = thetas(&b->problem, sweeps);
        double rate = measured_rate(theta, sweeps / 2, sweeps);
        assert_near(log(rate) / log(s.rate), 1, 0.01);
        free(theta);
        ash_spectrum_release(&s);
        free_builder(b);
    }
}

/* The rows are soft by gamma: sweeps go as A + gamma I says. The one of the redundant row comes below 1, and may lead.
 */
static void damped_sweeps_go_at_theirs(void **state)
{
    (void)state;
    static const double gammas[] = {0.01, 0.1, 1};
    double last = 1;
    for (int i = 0; i < 3; i++)
        for (int scaling = 0; scaling < 2; scaling++) {
            builder *b = chain_of_masses(10, true);
            ash_spectrum plain = spectrum_of(&b->problem, 0, false);
            ash_spectrum s = spectrum_of(&b->problem, gammas[i], scaling);
            assert_int_equal(s.rank, 11);
            assert_true(s.radius == s.rate && s.rate < 1 && (scaling || s.rate < last));
            for (uint32_t r = 0; r < 11; r++) {
                double diagonal = plain.matrix[r * 11 + r];
                assert_near(s.matrix[r * 11 + r], (scaling ? 1 : diagonal) + gammas[i], 1e-15);
                b->problem.rows[r].softness = gammas[i] * (scaling ? diagonal : 1);
            }
            uint32_t sweeps = sweeps_for(1e-10, s.rate);
            double *theta = thetas(&b->problem, sweeps);
            /* Where the second value has died out by then. */
            double second = pow(hypot(s.real[1], s.imaginary[1]) / s.rate, sweeps * 3 / 4);
            assert_true(second < 1e-3 || gammas[i] == 1);
            if (second < 1e-3)
                assert_near(log(measured_rate(theta, sweeps * 3 / 4, sweeps)) / log(s.rate), 1, 1e-3);
            free(theta);
            last = scaling ? last : s.rate;
            ash_spectrum_release(&s);
            ash_spectrum_release(&plain);
            free_builder(b);
        }
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    static const double bad[] = {-1e-9, (double)NAN, (double)INFINITY};
    ash_problem p = public_named("rest"), large = public_named("pile"), empty = {0};
    ash_spectrum s;
    ash_diagnostic diagnostic;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ash_problem_spectrum(&p, bad[i], false, &s, &diagnostic), ASH_BAD_ARGUMENT);
        assert_non_null(strstr(diagnostic.message, "regularization"));
    }
    assert_int_equal(ash_problem_spectrum(&large, 0, false, &s, &diagnostic), ASH_BAD_ARGUMENT);
    assert_non_null(strstr(diagnostic.message, "4800"));
    assert_non_null(strstr(diagnostic.expected, "1500"));
    assert_int_equal(ash_problem_spectrum(NULL, 0, false, &s, &diagnostic), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_problem_spectrum(&p, 0, false, NULL, &diagnostic), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_problem_spectrum(&empty, 0, true, &s, &diagnostic), ASH_OK);
    assert_true(s.row_count == 0 && s.rank == 0 && s.radius == 0 && s.rate == 0);
    ash_spectrum_release(&s);
    ash_spectrum_release(NULL);
    p.points[0].arm_a.x = (double)NAN;
    assert_int_equal(ash_problem_spectrum(&p, 0, false, &s, &diagnostic), ASH_BAD_DATA);
    ash_problem_release(&p);
    ash_problem_release(&large);
}

static void want_of_memory_is_told(void **state)
{
    (void)state;
    ash_problem p = public_named("rest");
    ash_spectrum s, whole;
    ashi_alloc_fail_at(0, false);
    assert_int_equal(ash_problem_spectrum(&p, 0, false, &whole, NULL), ASH_OK);
    uint64_t allocations = ashi_alloc_fail_at(0, false);
    assert_true(allocations >= 6);
    for (uint64_t k = 1; k <= allocations; k++) {
        ashi_alloc_fail_at(k, false);
        ash_diagnostic diagnostic = {0};
        assert_int_equal(ash_problem_spectrum(&p, 0, false, &s, &diagnostic), ASH_OUT_OF_MEMORY);
        assert_null(s.matrix);
    }
    ashi_alloc_fail_at(0, false);
    ash_spectrum_release(&whole);
    ash_problem_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_have_closed_forms), cmocka_unit_test(matrix_is_the_response),
        cmocka_unit_test(redundant_rows_are_ones),  cmocka_unit_test(rank_is_that_of_the_direct_solver),
        cmocka_unit_test(sweeps_go_at_the_rate),    cmocka_unit_test(damped_sweeps_go_at_theirs),
        cmocka_unit_test(bad_requests_are_refused), cmocka_unit_test(want_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
