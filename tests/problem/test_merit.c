/* Erleben's theta against (37)-(38) written out with the dense system, of the problem itself and of the scaled one, for
 * any impulses; and the unit of the latter, J. */
#include "problem/problems.h"

#include "base/random.h"
#include "problem/merit.h"

#include <stdlib.h>
#include <string.h>

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* w = A lambda + b of every row, A by the spectrum's matrix. */
static void find_speeds(const ashi_system *p, const double *matrix, double *w)
{
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        ash_motion a = {p->bodies[block->body_a].velocity, p->bodies[block->body_a].spin};
        ash_motion b = {p->bodies[block->body_b].velocity, p->bodies[block->body_b].spin};
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
            w[i] = ashi_row_speed(&p->rows[i], &a, &b) + p->rows[i].bias;
            for (uint32_t j = 0; j < p->row_count; j++)
                w[i] += matrix[(size_t)i * p->row_count + j] * p->rows[j].impulse;
        }
    }
}

/* (37)-(38); scaled: of impulses times sqrt(D), speeds and bounds likewise, D being the diagonal of `units`. */
static double theta_in_units(const ashi_system *p, bool scaled, const double *units)
{
    ash_spectrum s;
    assert_int_equal(ashi_system_spectrum(p, 0, false, &s, NULL), ASH_OK);
    assert_int_equal(s.left_out, 0);
    double *w = calloc(p->row_count + 1, sizeof *w), sum = 0;
    assert_non_null(w);
    find_speeds(p, s.matrix, w);
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        for (uint32_t i = 0; i < block->row_count; i++) {
            uint32_t row = block->first_row + i;
            double unit = scaled ? sqrt(units[(size_t)row * p->row_count + row]) : 1;
            double lower = p->rows[row].lower, upper = p->rows[row].upper;
            if (block->kind == ASHI_CONTACT_BLOCK) {
                upper = i == 0 ? HUGE_VAL : block->friction * larger(p->rows[block->first_row].impulse, 0);
                lower = i == 0 ? 0 : -upper;
            }
            double lambda = unit * p->rows[row].impulse;
            double h = smaller(lambda - unit * lower, larger(lambda - unit * upper, w[row] / unit));
            sum += h * h / 2;
        }
    }
    free(w);
    ash_spectrum_release(&s);
    return sum;
}

static double theta_of(const ashi_system *p, bool scaled)
{
    ash_spectrum s;
    assert_int_equal(ashi_system_spectrum(p, 0, false, &s, NULL), ASH_OK);
    double theta = theta_in_units(p, scaled, s.matrix);
    ash_spectrum_release(&s);
    return theta;
}

/* Without rolling, which stays a disk, and with one coefficient. */
static const char *const names[] = {"rest", "stack", "heavy-on-light", "redundant", "sliding", "impact", "chain"};

static void both_are_those_of_the_equations(void **state)
{
    (void)state;
    ashi_random random = {5};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (int trial = 0; trial < 2; trial++) {
            ashi_system p = problem_named(names[n]);
            p.law = ASH_FRICTION_BOX;
            for (uint32_t i = 0; trial > 0 && i < p.row_count; i++)
                p.rows[i].impulse = ashi_random_range(&random, -0.2, 0.5);
            ash_yardstick error;
            ashi_law law = ashi_law_of(&p);
            assert_true(ashi_system_measure(&p, &error));
            double plain = theta_of(&p, false), scaled = theta_of(&p, true);
            assert_true(plain > 0 && scaled > 0);
            assert_near(error.theta, plain, 1e-12 * plain);
            assert_near(ashi_merit(&p, NULL, &law, 0, false), plain, 1e-12 * plain);
            assert_near(ashi_merit(&p, NULL, &law, 0, true), scaled, 1e-12 * scaled);
            ashi_system_release(&p);
        }
}

/* Every iteration's: what the trace has is what the same number of sweeps leaves. */
static void traces_have_them_after_every_sweep(void **state)
{
    (void)state;
    enum { SWEEPS = 3 };
    double residual[SWEEPS + 1], theta[SWEEPS + 1], seconds[SWEEPS + 1], scaled[SWEEPS + 1];
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
    settings.tolerance = 0;
    settings.iterations = SWEEPS;
    settings.diagonal_scaling = true;
    ashi_system p = problem_named("stack");
    p.law = ASH_FRICTION_BOX;
    ash_solve_trace trace = {
        .capacity = SWEEPS + 1, .residual = residual, .theta = theta, .seconds = seconds, .own_theta = scaled};
    ash_solve_result result;
    assert_true(ashi_system_solve(&p, &settings, 1, &trace, &result));
    assert_int_equal(trace.count, SWEEPS + 1);
    for (uint32_t sweeps = 0; sweeps <= SWEEPS; sweeps++) {
        ashi_system again = problem_named("stack");
        again.law = ASH_FRICTION_BOX;
        settings.iterations = sweeps;
        assert_true(ashi_system_solve(&again, &settings, 1, NULL, &result));
        assert_near(theta[sweeps], theta_of(&again, false), 1e-12 * theta[sweeps]);
        assert_near(scaled[sweeps], theta_of(&again, true), 1e-12 * scaled[sweeps]);
        ashi_system_release(&again);
    }
    ashi_system_release(&p);
}

/* A damped system is one with softer rows. */
static void damping_is_softness(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (int scaled = 0; scaled < 2; scaled++) {
            ashi_system p = problem_named(names[n]);
            p.law = ASH_FRICTION_BOX;
            ash_yardstick error;
            ash_spectrum s;
            ashi_law law = ashi_law_of(&p);
            const double gamma = 0.3;
            for (uint32_t i = 0; i < p.row_count; i++)
                p.rows[i].impulse = 0.01 * (i % 7);
            assert_true(ashi_system_measure(&p, &error));
            assert_int_equal(ashi_system_spectrum(&p, 0, false, &s, NULL), ASH_OK);
            double damped = ashi_merit(&p, NULL, &law, gamma, scaled);
            for (uint32_t i = 0; i < p.row_count; i++)
                p.rows[i].softness += gamma * (scaled ? s.matrix[(size_t)i * p.row_count + i] : 1);
            double expected = theta_in_units(&p, scaled, s.matrix);
            assert_near(damped, expected, 1e-12 * expected);
            ash_spectrum_release(&s);
            ashi_system_release(&p);
        }
}

/* In units of 1/4 m, 1/2 s and 8 kg the scaled one is the same energy in units of 2 J; theta itself is not. Powers of
 * two: to the last bit, but for roots. */
static void the_scaled_one_is_an_energy(void **state)
{
    (void)state;
    for (size_t n = 0; n < 6; n++) {
        ashi_system p = problem_named(names[n]);
        ashi_law law = ashi_law_of(&p);
        ash_yardstick before, after;
        for (uint32_t i = 0; i < p.row_count; i++)
            p.rows[i].impulse = 0.01 * (i % 5);
        assert_true(ashi_system_measure(&p, &before));
        double energy = ashi_merit(&p, NULL, &law, 0, true);
        const double mass = 8, length = 0.25, speed = length / 0.5;
        for (uint32_t i = 0; i < p.body_count; i++) {
            ash_problem_body *body = &p.bodies[i];
            body->inverse_mass = v3_scale(body->inverse_mass, mass);
            body->inverse_inertia = s3_scale(body->inverse_inertia, mass * length * length);
            body->velocity = v3_scale(body->velocity, 1 / speed);
            body->spin = v3_scale(body->spin, 0.5);
        }
        for (uint32_t i = 0; i < p.row_count; i++) {
            ashi_row *row = &p.rows[i];
            row->angular_a = v3_scale(row->angular_a, 1 / length);
            row->angular_b = v3_scale(row->angular_b, 1 / length);
            row->bias /= speed;
            row->impulse /= mass * speed;
        }
        assert_true(ashi_system_measure(&p, &after));
        assert_near(ashi_merit(&p, NULL, &law, 0, true), energy / (mass * speed * speed), 1e-13 * energy);
        assert_true(fabs(after.theta / before.theta * mass * speed * speed - 1) > 0.1);
        ashi_system_release(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_are_those_of_the_equations),
        cmocka_unit_test(traces_have_them_after_every_sweep),
        cmocka_unit_test(damping_is_softness),
        cmocka_unit_test(the_scaled_one_is_an_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
