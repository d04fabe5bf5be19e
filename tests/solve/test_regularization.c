/* Damped and diagonally scaled sweeps (Erleben 2007, (39)-(41)) against dense ones written as the paper has them, and
 * the damped solution against the problem whose rows are soft. */
#include "builder.h"
#include "problem/problems.h"

#include "base/alloc.h"

/* A dense boxed problem: A, b, and which rows are friction of which. */
typedef struct dense {
    uint32_t count;
    double *matrix, *constant, *impulse, *unit; /* unit: impulses are divided by it in the end */
    uint32_t *normal;                           /* of friction rows; of others themselves */
    double *friction;
} dense;

static double *numbers(size_t count)
{
    double *room = calloc(count + 1, sizeof *room);
    assert_non_null(room);
    return room;
}

static dense dense_of(const ashi_system *p)
{
    ash_spectrum s;
    assert_int_equal(ashi_system_spectrum(p, 0, false, &s, NULL), ASH_OK);
    assert_int_equal(s.row_count, p->row_count);
    dense d = {.count = p->row_count,
               .matrix = numbers((size_t)p->row_count * p->row_count),
               .constant = numbers(p->row_count),
               .impulse = numbers(p->row_count),
               .unit = numbers(p->row_count),
               .friction = numbers(p->row_count),
               .normal = calloc(p->row_count + 1, sizeof *d.normal)};
    assert_non_null(d.normal);
    memcpy(d.matrix, s.matrix, (size_t)d.count * d.count * sizeof *d.matrix);
    ash_spectrum_release(&s);
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        ash_motion a = {p->bodies[block->body_a].velocity, p->bodies[block->body_a].spin};
        ash_motion b = {p->bodies[block->body_b].velocity, p->bodies[block->body_b].spin};
        for (uint32_t i = 0; i < block->row_count; i++) {
            uint32_t row = block->first_row + i;
            d.constant[row] = ashi_row_speed(&p->rows[row], &a, &b) + p->rows[row].bias;
            d.normal[row] = block->first_row;
            d.friction[row] = block->friction;
            d.unit[row] = 1;
        }
    }
    return d;
}

static void release(dense *d)
{
    free(d->matrix);
    free(d->constant);
    free(d->impulse);
    free(d->unit);
    free(d->normal);
    free(d->friction);
}

/* (39)-(40) with C = D^1/2: A' = C^-1 A C^-1, b' = C^-1 b, for impulses C lambda. */
static void scale(dense *d)
{
    for (uint32_t i = 0; i < d->count; i++)
        d->unit[i] = sqrt(d->matrix[(size_t)i * d->count + i]);
    for (uint32_t i = 0; i < d->count; i++) {
        d->constant[i] /= d->unit[i];
        for (uint32_t k = 0; k < d->count; k++)
            d->matrix[(size_t)i * d->count + k] /= d->unit[i] * d->unit[k];
    }
}

/* (28)-(30). */
static void visit(dense *d, uint32_t i)
{
    double sum = d->constant[i], bound = HUGE_VAL, least = 0;
    for (uint32_t k = 0; k < d->count; k++)
        sum += d->matrix[(size_t)i * d->count + k] * d->impulse[k];
    double x = d->impulse[i] - sum / d->matrix[(size_t)i * d->count + i];
    if (d->normal[i] != i) {
        bound = d->friction[i] * d->impulse[d->normal[i]] / d->unit[d->normal[i]] * d->unit[i];
        least = -bound;
    }
    d->impulse[i] = x < least ? least : x > bound ? bound : x;
}

/* All normal rows, then all others: the order of our sweeps by rows. */
static void sweep(dense *d)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < d->count; i++)
            if ((d->normal[i] == i) == (pass == 0))
                visit(d, i);
}

static ashi_system boxed(const char *name)
{
    ashi_system p = problem_named(name);
    p.law = ASH_FRICTION_BOX;
    return p;
}

/* Ours do what the dense ones do, sweep for sweep, and scaling alone changes nothing. */
static void sweeps_are_those_of_the_dense_system(void **state)
{
    (void)state;
    static const char *const names[] = {"rest", "stack", "heavy-on-light", "sliding", "impact"};
    static const double gammas[] = {0, 1e-3, 0.3};
    enum { SWEEPS = 12 };
    for (int n = 0; n < 5; n++)
        for (int way = 0; way < 6; way++) {
            bool scaling = way % 2;
            double gamma = gammas[way / 2], size = 0;
            ashi_system p = boxed(names[n]);
            dense d = dense_of(&p);
            if (scaling)
                scale(&d);
            for (uint32_t i = 0; i < d.count; i++)
                d.matrix[(size_t)i * d.count + i] += gamma;
            ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
            settings.by_rows = true;
            settings.warm_start = false;
            settings.tolerance = 0;
            settings.iterations = SWEEPS;
            settings.regularization = gamma;
            settings.diagonal_scaling = scaling;
            ash_solve_result result;
            assert_true(ashi_system_solve(&p, &settings, 1, NULL, &result));
            for (int i = 0; i < SWEEPS; i++)
                sweep(&d);
            for (uint32_t i = 0; i < d.count; i++)
                size = fmax(size, fabs(p.rows[i].impulse));
            for (uint32_t i = 0; i < d.count; i++)
                if (!(fabs(d.impulse[i] / d.unit[i] - p.rows[i].impulse) <= 1e-12 * size))
                    fail_msg("%s, way %d, row %u: %.15g, dense %.15g", names[n], way, i, p.rows[i].impulse,
                             d.impulse[i] / d.unit[i]);
            release(&d);
            ashi_system_release(&p);
        }
}

/* What all of them end at solves the problem with gamma for softness, by the yardstick; the impulses are weaker. */
static void damped_solutions_are_those_of_soft_rows(void **state)
{
    (void)state;
    static const ash_solver solvers[] = {ASH_SOLVER_JACOBI, ASH_SOLVER_PGS, ASH_SOLVER_SOR, ASH_SOLVER_NNCG,
                                         ASH_SOLVER_APGD};
    const double gamma = 0.2;
    for (int n = 0; n < 5; n++)
        for (int scaling = 0; scaling < 2; scaling++)
            for (int by_rows = 0; by_rows < 2; by_rows++) {
                ashi_system p = problem_named("stack"); /* nothing slides: apgd is exact, too */
                ash_solver_settings settings = ash_default_solver_settings(solvers[n]);
                settings.by_rows = by_rows;
                settings.iterations = solvers[n] == ASH_SOLVER_JACOBI ? 25000 : 2000;
                settings.tolerance = 0;
                settings.regularization = gamma;
                settings.diagonal_scaling = scaling;
                ash_solve_result result;
                ash_yardstick error;
                assert_true(ashi_system_solve(&p, &settings, 1, NULL, &result));
                assert_true(result.error.largest > 1e-3); /* damped is not what was asked for, and it shows */
                double weight = 0;
                for (uint32_t k = 0; k < p.block_count; k++)
                    for (uint32_t i = p.blocks[k].first_row; i < p.blocks[k].first_row + 3; i++) {
                        ashi_row *row = &p.rows[i];
                        double response = ashi_row_response(&p, &p.blocks[k], row, row);
                        row->softness = gamma * (scaling ? response : 1);
                        weight += k < 4 && i == p.blocks[k].first_row ? row->impulse : 0;
                    }
                assert_true(ashi_system_measure(&p, &error));
                if (!(error.largest <= 1e-9) || !(weight < 0.9 * 25 * 9.81 / 60))
                    fail_msg("%s%s, scaling %d: %g m/s, bears %g", ash_solver_name(solvers[n]),
                             by_rows ? " by rows" : "", scaling, error.largest, weight);
                ashi_system_release(&p);
            }
}

/* Rows between immovable bodies have nothing to be damped; the factor of direct is of A. */
static void dead_rows_and_direct_are_left_alone(void **state)
{
    (void)state;
    ashi_system p = problem_named("immovable-pair"), chain = problem_named("chain");
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
    ash_solve_result result;
    settings.warm_start = false;
    settings.regularization = 0.1;
    assert_true(ashi_system_solve(&p, &settings, 1, NULL, &result));
    for (uint32_t k = 0; k < p.block_count; k++)
        for (uint32_t i = p.blocks[k].first_row; i < p.blocks[k].first_row + p.blocks[k].row_count; i++)
            if (p.blocks[k].body_a < p.fixed_count && p.blocks[k].body_b < p.fixed_count)
                assert_true(p.rows[i].impulse == 0);
    settings.solver = ASH_SOLVER_DIRECT;
    settings.tolerance = 1e-10;
    settings.iterations = 200;
    assert_true(ashi_system_solve(&chain, &settings, 1, NULL, &result));
    assert_below(result.error.largest, 1e-10);
    ashi_system_release(&p);
    ashi_system_release(&chain);
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    static const double bad[] = {-1, (double)NAN, (double)INFINITY};
    ash_problem p = public_named("rest");
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
    ash_solve_result result;
    ash_diagnostic diagnostic;
    for (int i = 0; i < 3; i++) {
        settings.regularization = bad[i];
        assert_int_equal(ash_problem_solve(&p, &settings, 1, NULL, &result, &diagnostic), ASH_BAD_ARGUMENT);
        assert_non_null(strstr(diagnostic.message, "regularization"));
    }
    ash_problem_release(&p);
}

/* gamma that goes to zero leaves the solution of the problem itself; gamma that stays does not. */
static void gamma_goes_to_zero(void **state)
{
    (void)state;
    for (int by_rows = 0; by_rows < 2; by_rows++)
        for (int scaled = 0; scaled < 2; scaled++) {
            double error[3]; /* gamma stays, goes to zero, is zero */
            for (int way = 0; way < 3; way++) {
                ashi_system problem = problem_named("stack");
                ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
                settings.iterations = 3000;
                settings.tolerance = 0;
                settings.warm_start = false;
                settings.by_rows = by_rows == 1;
                settings.diagonal_scaling = scaled == 1;
                settings.regularization = way < 2 ? 0.1 : 0;
                settings.regularization_decay = way == 1 ? 0.9 : 1;
                error[way] = solve_with(&problem, &settings).error.largest;
                ashi_system_release(&problem);
            }
            assert_true(error[0] > 1e-3);
            assert_below(error[1], 1.5 * error[2]); /* as far as sweeps of the problem itself come */
        }
}

/* Friction after each normal or after all of them: sweeps go other ways to the same solution. */
static void orders_agree(void **state)
{
    (void)state;
    double force[2] = {0, 0}, early[2] = {0, 0};
    for (int order = 0; order < 2; order++)
        for (int few = 0; few < 2; few++) {
            ashi_system problem = problem_named("stack");
            ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
            settings.iterations = few ? 3 : 20000;
            settings.tolerance = 0;
            settings.warm_start = false;
            settings.by_rows = true;
            settings.contact_by_contact = order == 1;
            ash_solve_result result = solve_with(&problem, &settings);
            double sum = 0;
            for (uint32_t i = 0; i < problem.row_count; i++)
                sum += fabs(problem.rows[i].impulse);
            (few ? early : force)[order] = few ? sum : problem.velocity[problem.body_count - 1].linear.z;
            if (!few)
                assert_below(result.error.largest, 1e-4);
            ashi_system_release(&problem);
        }
    assert_below(fabs(force[0] - force[1]), 1e-4);
    assert_true(early[0] != early[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gamma_goes_to_zero),
        cmocka_unit_test(orders_agree),
        cmocka_unit_test(sweeps_are_those_of_the_dense_system),
        cmocka_unit_test(damped_solutions_are_those_of_soft_rows),
        cmocka_unit_test(dead_rows_and_direct_are_left_alone),
        cmocka_unit_test(bad_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
