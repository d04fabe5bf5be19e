/* How impulses answer: the convex law is the projection of law.h, and slopes are those of differences. */
#include "check.h"

#include "base/random.h"
#include "solve/newton/newton.h"

#include <string.h>

typedef struct law_case {
    ash_friction_law law;
    uint32_t directions;
    uint8_t tangents, rollings, spins;
    double limit;
} law_case;

static const law_case cases[] = {
    {ASH_FRICTION_CONE, 0, 2, 0, 0, -1},    {ASH_FRICTION_CONE, 0, 1, 0, 0, -1},
    {ASH_FRICTION_CONE, 0, 0, 0, 0, -1},    {ASH_FRICTION_CONE, 0, 2, 2, 1, -1},
    {ASH_FRICTION_BOX, 0, 2, 0, 0, -1},     {ASH_FRICTION_PYRAMID, 4, 2, 0, 0, -1},
    {ASH_FRICTION_PYRAMID, 6, 2, 2, 1, -1}, {ASH_FRICTION_CONE, 0, 2, 0, 0, 0.7},
    {ASH_FRICTION_BOX, 0, 2, 2, 1, 0.7},
};
#define CASES (sizeof cases / sizeof cases[0])

typedef struct sample {
    ashi_law law;
    ashi_block block;
    double weight[ASHI_NEWTON_ROWS], point[ASHI_NEWTON_ROWS];
} sample;

static sample random_sample(const law_case *c, ashi_random *random)
{
    static const double frictions[] = {0, 0.3, 1, 1e6};
    ashi_system problem = {.law = c->law, .directions = c->directions};
    sample s = {.law = ashi_law_of(&problem),
                .block = {.kind = ASHI_CONTACT_BLOCK,
                          .row_count = 1u + c->tangents + c->rollings + c->spins,
                          .tangents = c->tangents,
                          .rollings = c->rollings,
                          .spins = c->spins,
                          .friction = frictions[ashi_random_below(random, 4)],
                          .rolling = 0.2,
                          .spinning = 0.4,
                          .friction_limit = c->limit}};
    double roll = ashi_random_range(random, 0.1, 3), spin = ashi_random_range(random, 0.1, 3);
    for (uint32_t i = 0; i < s.block.row_count; i++) {
        s.weight[i] = i <= c->tangents ? 1.5 : i <= 0u + c->tangents + c->rollings ? roll : spin;
        s.point[i] = ashi_random_range(random, -1, 1);
    }
    return s;
}

static void test_the_convex_law_projects(void **state)
{
    (void)state;
    ashi_random random = {1};
    for (uint32_t c = 0; c < CASES; c++)
        for (int trial = 0; trial < TRIALS(20000); trial++) {
            sample s = random_sample(&cases[c], &random);
            double expected[ASHI_NEWTON_ROWS];
            memcpy(expected, s.point, sizeof expected);
            ashi_law_project(&s.law, &s.block, s.weight, expected);
            ashi_newton_answer(&s.law, ASHI_NEWTON_CONVEX, &s.block, s.weight, s.point, NULL);
            for (uint32_t i = 0; i < s.block.row_count; i++)
                assert_near(s.point[i], expected[i], 1e-13);
        }
}

/* Coulomb's answer: the normal by itself, friction the nearest within its bounds. */
static void test_coulombs_law_clamps(void **state)
{
    (void)state;
    ashi_random random = {2};
    for (uint32_t c = 0; c < CASES; c++)
        for (int trial = 0; trial < TRIALS(20000); trial++) {
            sample s = random_sample(&cases[c], &random);
            double expected[ASHI_NEWTON_ROWS];
            memcpy(expected, s.point, sizeof expected);
            expected[0] = fmax(0, s.point[0]);
            s.block.sliding_friction = s.block.friction;
            ashi_law_clamp(&s.law, &s.block, cases[c].limit >= 0 ? cases[c].limit : expected[0], expected + 1);
            ashi_newton_answer(&s.law, ASHI_NEWTON_COULOMB, &s.block, s.weight, s.point, NULL);
            for (uint32_t i = 0; i < s.block.row_count; i++)
                assert_near(s.point[i], expected[i], 1e-13);
        }
}

/* Central differences, where both sides are on the same smooth piece: elsewhere the two one-sided ones disagree. */
static uint32_t compare_slopes(const sample *s, ashi_newton_law kind)
{
    const double step = 1e-6;
    ashi_slope slope;
    double here[ASHI_NEWTON_ROWS];
    uint32_t rows = s->block.row_count, compared = 0;
    memcpy(here, s->point, sizeof here);
    ashi_newton_answer(&s->law, kind, &s->block, s->weight, here, &slope);
    for (uint32_t k = 0; k < rows; k++) {
        double left[ASHI_NEWTON_ROWS], right[ASHI_NEWTON_ROWS];
        memcpy(left, s->point, sizeof left);
        memcpy(right, s->point, sizeof right);
        left[k] -= step;
        right[k] += step;
        ashi_newton_answer(&s->law, kind, &s->block, s->weight, left, NULL);
        ashi_newton_answer(&s->law, kind, &s->block, s->weight, right, NULL);
        for (uint32_t i = 0; i < rows; i++) {
            if (fabs(right[i] - 2 * here[i] + left[i]) > 1e-9 * (1 + s->block.friction))
                continue; /* a seam, or strongly curved */
            double expected = (right[i] - left[i]) / (2 * step) * s->weight[k];
            assert_near(slope[i][k], expected, 1e-4 * (1 + fabs(expected)));
            compared++;
        }
    }
    return compared;
}

static void test_slopes_are_those_of_differences(void **state)
{
    (void)state;
    ashi_random random = {3};
    uint32_t compared = 0, possible = 0;
    for (uint32_t c = 0; c < CASES; c++)
        for (int trial = 0; trial < TRIALS(4000); trial++) {
            sample s = random_sample(&cases[c], &random);
            compared += compare_slopes(&s, ASHI_NEWTON_CONVEX) + compare_slopes(&s, ASHI_NEWTON_COULOMB);
            possible += 2 * s.block.row_count * s.block.row_count;
        }
    assert_true(compared > possible - possible / 50);
}

static void test_convex_slopes_are_symmetric(void **state)
{
    (void)state;
    ashi_random random = {4};
    for (uint32_t c = 0; c < CASES; c++)
        for (int trial = 0; trial < TRIALS(4000); trial++) {
            sample s = random_sample(&cases[c], &random);
            ashi_slope slope;
            ashi_newton_answer(&s.law, ASHI_NEWTON_CONVEX, &s.block, s.weight, s.point, &slope);
            for (uint32_t i = 0; i < s.block.row_count; i++)
                for (uint32_t k = 0; k < i; k++)
                    assert_near(slope[i][k], slope[k][i], 1e-13);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_convex_law_projects),
        cmocka_unit_test(test_coulombs_law_clamps),
        cmocka_unit_test(test_slopes_are_those_of_differences),
        cmocka_unit_test(test_convex_slopes_are_symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
