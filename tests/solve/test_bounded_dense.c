/* Quadratic problems within bounds: random ones, regular and singular, whose conditions are judged one by one. */
#include "check.h"

#include "base/random.h"
#include "solve/linear/bounded_dense.h"

#define MOST 40

typedef struct setup {
    uint32_t count;
    double matrix[MOST * MOST], gradient[MOST], x[MOST], lower[MOST], upper[MOST], step[MOST];
} setup;

/* S = B B^T with `rank` columns, scaled to a diagonal of 1; bounds of every kind. */
static setup random_problem(ashi_random *random, uint32_t count, uint32_t rank)
{
    setup s = {.count = count};
    static double b[MOST][MOST];
    for (uint32_t i = 0; i < count; i++) {
        double square = 0;
        for (uint32_t k = 0; k < rank; k++) {
            b[i][k] = ashi_random_range(random, -1, 1);
            square += b[i][k] * b[i][k];
        }
        for (uint32_t k = 0; k < rank; k++)
            b[i][k] /= sqrt(square);
    }
    /* The gradient lies in what S reaches, as that of every problem of contacts without contradictions. */
    double push[MOST];
    for (uint32_t k = 0; k < rank; k++)
        push[k] = ashi_random_range(random, -1, 1);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < rank; k++) {
            s.gradient[i] += b[i][k] * push[k];
            for (uint32_t m = 0; m < count; m++)
                s.matrix[i * count + m] += b[i][k] * b[m][k];
        }
        uint32_t kind = ashi_random_below(random, 4);
        s.lower[i] = kind == 0 || kind == 2 ? -HUGE_VAL : 0;
        s.upper[i] = kind == 3 ? 0.2 : kind == 2 ? 0.1 : HUGE_VAL;
        s.x[i] = fmin(fmax(ashi_random_range(random, -0.1, 0.1), s.lower[i]), s.upper[i]);
    }
    return s;
}

/* By how much any condition is broken. */
static double error_of(const setup *s)
{
    double worst = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        double slope = s->gradient[i], at = s->x[i] + s->step[i];
        for (uint32_t k = 0; k < s->count; k++)
            slope += s->matrix[i * s->count + k] * s->step[k];
        worst = fmax(worst, fmax(s->lower[i] - at, at - s->upper[i]));
        bool low = at <= s->lower[i] + 1e-12, high = at >= s->upper[i] - 1e-12;
        worst = fmax(worst, low ? -slope : high ? slope : fabs(slope));
    }
    return worst;
}

static void random_problems_are_solved(void **state)
{
    (void)state;
    ashi_random random = {5};
    ashi_arena *scratch = ashi_arena_create(1 << 16);
    double worst = 0;
    uint32_t most = 0, lost = 0;
    for (int trial = 0; trial < TRIALS(2000); trial++) {
        uint32_t count = 1 + ashi_random_below(&random, MOST);
        bool singular = trial % 2 == 1;
        setup s = random_problem(&random, count, singular ? 1 + count / 2 : count);
        ashi_bounded_dense p = {s.count, s.matrix, s.gradient, s.x, s.lower, s.upper, s.step, ASHI_BOUNDED_LOST, 0};
        ashi_arena_reset(scratch);
        ashi_bounded_dense_solve(&p, scratch);
        lost += singular && p.end == ASHI_BOUNDED_LOST; /* gradients go on then */
        if (singular && p.end == ASHI_BOUNDED_LOST)
            continue;
        assert_int_equal(p.end, ASHI_BOUNDED_SOLVED);
        if (singular) { /* again, from there: what the regular part of the matrix left */
            for (uint32_t i = 0; i < count; i++)
                for (uint32_t k = 0; k < count; k++)
                    s.gradient[i] += s.matrix[i * count + k] * s.step[k];
            for (uint32_t i = 0; i < count; i++)
                s.x[i] = fmin(fmax(s.x[i] + s.step[i], s.lower[i]), s.upper[i]);
            ashi_bounded_dense_solve(&p, scratch);
            if (p.end == ASHI_BOUNDED_LOST)
                continue;
        }
        double error = error_of(&s);
        worst = fmax(worst, error);
        most = p.factors > most ? p.factors : most;
    }
    print_message("worst error %g, at most %u factors, %u singular ones without an end\n", worst, most, lost);
    assert_true(lost <= TRIALS(2000) / 8);
    assert_below(worst, 1e-8);
    ashi_arena_destroy(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
