/* The contact law: its projection against a search that knows only K, and the identities of convex analysis. */
#include "check.h"

#include "base/random.h"
#include "problem/law.h"

#include <string.h>

typedef struct law_case {
    const char *name;
    ash_friction_law law;
    uint32_t directions;
    uint8_t tangents, rollings, spins;
} law_case;

static const law_case cases[] = {
    {"cone", ASH_FRICTION_CONE, 0, 2, 0, 0},
    {"cone, rolling, spinning", ASH_FRICTION_CONE, 0, 2, 2, 1},
    {"pyramid of 4", ASH_FRICTION_PYRAMID, 4, 2, 0, 0},
    {"pyramid of 6, rolling, spinning", ASH_FRICTION_PYRAMID, 6, 2, 2, 1},
    {"pyramid of 32", ASH_FRICTION_PYRAMID, 32, 2, 0, 0},
    {"box", ASH_FRICTION_BOX, 0, 2, 0, 0},
    {"box, rolling", ASH_FRICTION_BOX, 0, 2, 2, 0},
    {"planar", ASH_FRICTION_CONE, 0, 1, 0, 0},
    {"planar pyramid, rolling", ASH_FRICTION_PYRAMID, 4, 1, 1, 0},
    {"frictionless, spinning", ASH_FRICTION_CONE, 0, 0, 0, 1},
    {"frictionless", ASH_FRICTION_BOX, 0, 0, 0, 0},
};
#define CASES (sizeof cases / sizeof cases[0])

static ashi_law law_of(const law_case *c)
{
    ashi_system problem = {.law = c->law, .directions = c->directions};
    return ashi_law_of(&problem);
}

static ashi_block random_block(const law_case *c, ashi_random *random)
{
    static const double frictions[] = {0, 0.05, 0.5, 1, 3};
    ashi_block block = {.kind = ASHI_CONTACT_BLOCK,
                        .tangents = c->tangents,
                        .rollings = c->rollings,
                        .spins = c->spins,
                        .row_count = 1u + c->tangents + c->rollings + c->spins,
                        .friction_limit = -1};
    block.friction = block.sliding_friction = frictions[ashi_random_below(random, 5)];
    block.rolling = frictions[ashi_random_below(random, 4)] * 0.3;
    block.spinning = frictions[ashi_random_below(random, 4)] * 0.2;
    return block;
}

static void random_weights(const ashi_block *block, ashi_random *random, double *weight)
{
    double groups[3];
    for (int i = 0; i < 3; i++)
        groups[i] = ashi_random_range(random, 0.2, 5);
    for (uint32_t i = 0; i < block->row_count; i++)
        weight[i] = groups[i <= block->tangents ? 0 : i <= (uint32_t)block->tangents + block->rollings ? 1 : 2];
}

static void random_vector(uint32_t count, ashi_random *random, double *x)
{
    for (uint32_t i = 0; i < count; i++)
        x[i] = ashi_random_range(random, -2, 2);
}

/* How far an impulse is outside of K: the largest excess over any of its bounds. */
static double excess(const ashi_law *law, const ashi_block *block, const double *x)
{
    double bound = block->friction_limit >= 0 ? block->friction_limit : x[0], worst = -x[0];
    double radius = block->friction * bound;
    if (block->tangents == 2 && law->corners > 0) {
        for (uint32_t i = 0; i < law->corners; i++) {
            uint32_t k = (i + 1) % law->corners;
            double mx = (law->x[i] + law->x[k]) / 2, my = (law->y[i] + law->y[k]) / 2, m = sqrt(mx * mx + my * my);
            worst = fmax(worst, (mx * x[1] + my * x[2]) / m - m * radius);
        }
    } else if (block->tangents > 0) {
        worst = fmax(worst, (block->tangents == 2 ? hypot(x[1], x[2]) : fabs(x[1])) - radius);
    }
    const double *roll = x + 1 + block->tangents, *spin = roll + block->rollings;
    if (block->rollings > 0)
        worst = fmax(worst, (block->rollings == 2 ? hypot(roll[0], roll[1]) : fabs(roll[0])) - block->rolling * bound);
    if (block->spins > 0)
        worst = fmax(worst, fabs(spin[0]) - block->spinning * bound);
    return worst;
}

static double distance(const ashi_block *block, const double *weight, const double *x, const double *y)
{
    double sum = 0;
    for (uint32_t i = 0; i < block->row_count; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]) / weight[i];
    return sum;
}

/* Some element of K, on its border half of the time. */
static void random_element(const ashi_law *law, const ashi_block *block, ashi_random *random, double *x)
{
    random_vector(block->row_count, random, x);
    x[0] = fabs(x[0]);
    double scale = 1;
    double friction[ASHI_CONTACT_ROWS];
    for (int i = 0; i < 60; i++) {
        double trial = ashi_random_range(random, 0, scale);
        memcpy(friction, x, sizeof friction);
        for (uint32_t k = 1; k < block->row_count; k++)
            friction[k] = x[k] * trial;
        if (excess(law, block, friction) <= 0)
            break;
        scale = trial;
        if (i == 59)
            for (uint32_t k = 1; k < block->row_count; k++)
                friction[k] = 0;
    }
    memcpy(x, friction, sizeof friction);
}

/* Searches K for a better point than x by random moves of shrinking size; returns the best distance found. */
static double search(const ashi_law *law, const ashi_block *block, const double *weight, const double *a,
                     const double *x, ashi_random *random)
{
    double best[ASHI_CONTACT_ROWS], trial[ASHI_CONTACT_ROWS];
    memcpy(best, x, sizeof best);
    double least = distance(block, weight, a, best);
    for (double size = 1; size > 1e-6; size *= 0.5)
        for (int i = 0; i < 60; i++) {
            for (uint32_t k = 0; k < block->row_count; k++)
                trial[k] = best[k] + size * ashi_random_range(random, -1, 1);
            double d = distance(block, weight, a, trial);
            if (d < least && excess(law, block, trial) <= 0) {
                least = d;
                memcpy(best, trial, sizeof best);
            }
        }
    return least;
}

static void projection_is_in_K_and_nothing_in_K_is_nearer(void **state)
{
    (void)state;
    ashi_random random = {7};
    for (size_t n = 0; n < CASES; n++) {
        ashi_law law = law_of(&cases[n]);
        for (int trial = 0; trial < TRIALS(400); trial++) {
            ashi_block block = random_block(&cases[n], &random);
            if (trial % 5 == 0)
                block.friction_limit = ashi_random_range(&random, 0, 2);
            double weight[ASHI_CONTACT_ROWS], a[ASHI_CONTACT_ROWS] = {0}, x[ASHI_CONTACT_ROWS];
            random_weights(&block, &random, weight);
            random_vector(block.row_count, &random, a);
            memcpy(x, a, sizeof x);
            ashi_law_project(&law, &block, weight, x);
            assert_below(excess(&law, &block, x), 4e-15);
            double reached = distance(&block, weight, a, x);
            double found = search(&law, &block, weight, a, x, &random);
            if (found < reached - 1e-12)
                fail_msg("%s: projection at distance %.17g, search found %.17g", cases[n].name, reached, found);
            /* The angle at the projection to any element of K is not acute: this is sharper than the search. */
            double y[ASHI_CONTACT_ROWS];
            for (int i = 0; i < 20; i++) {
                random_element(&law, &block, &random, y);
                double product = 0;
                for (uint32_t k = 0; k < block.row_count; k++)
                    product += (a[k] - x[k]) * (y[k] - x[k]) / weight[k];
                if (!(product <= 1e-13))
                    fail_msg("%s: an element of K is nearer: %g", cases[n].name, product);
            }
        }
    }
}

static void projection_leaves_elements_alone_and_is_idempotent(void **state)
{
    (void)state;
    ashi_random random = {8};
    for (size_t n = 0; n < CASES; n++) {
        ashi_law law = law_of(&cases[n]);
        for (int trial = 0; trial < TRIALS(2000); trial++) {
            ashi_block block = random_block(&cases[n], &random);
            double weight[ASHI_CONTACT_ROWS], a[ASHI_CONTACT_ROWS], x[ASHI_CONTACT_ROWS];
            random_weights(&block, &random, weight);
            random_element(&law, &block, &random, a);
            for (uint32_t k = 1; k < block.row_count; k++)
                a[k] *= 0.999;
            memcpy(x, a, sizeof x);
            ashi_law_project(&law, &block, weight, x);
            for (uint32_t k = 0; k < block.row_count; k++)
                assert_true(x[k] == a[k]);
            random_vector(block.row_count, &random, a);
            ashi_law_project(&law, &block, weight, a);
            memcpy(x, a, sizeof x);
            ashi_law_project(&law, &block, weight, x);
            for (uint32_t k = 0; k < block.row_count; k++)
                assert_near(x[k], a[k], 1e-14);
        }
    }
}

/* Moreau: a = P_K(a) + the rest, the rest is normal to P_K(a) in the metric, and minus W^-1 rest is in the dual cone:
 * its normal part is at least s of the others, by the very slip function that the yardstick uses. */
static void moreaus_decomposition_holds_with_the_slip_function(void **state)
{
    (void)state;
    ashi_random random = {9};
    for (size_t n = 0; n < CASES; n++) {
        ashi_law law = law_of(&cases[n]);
        for (int trial = 0; trial < TRIALS(5000); trial++) {
            ashi_block block = random_block(&cases[n], &random);
            double weight[ASHI_CONTACT_ROWS], a[ASHI_CONTACT_ROWS], x[ASHI_CONTACT_ROWS], dual[ASHI_CONTACT_ROWS];
            random_weights(&block, &random, weight);
            random_vector(block.row_count, &random, a);
            memcpy(x, a, sizeof x);
            ashi_law_project(&law, &block, weight, x);
            double product = 0;
            for (uint32_t k = 0; k < block.row_count; k++) {
                dual[k] = (x[k] - a[k]) / weight[k];
                product += dual[k] * x[k];
            }
            assert_near(product, 0, 1e-13);
            double slip = ashi_law_slip(&law, &block, dual);
            assert_true(slip >= 0);
            if (!(dual[0] - slip >= -1e-13))
                fail_msg("%s: outside of the dual cone by %g", cases[n].name, slip - dual[0]);
        }
    }
}

static void projection_and_slip_are_homogeneous(void **state)
{
    (void)state;
    ashi_random random = {10};
    for (size_t n = 0; n < CASES; n++) {
        ashi_law law = law_of(&cases[n]);
        for (int trial = 0; trial < TRIALS(1000); trial++) {
            ashi_block block = random_block(&cases[n], &random);
            double weight[ASHI_CONTACT_ROWS], a[ASHI_CONTACT_ROWS], x[ASHI_CONTACT_ROWS], y[ASHI_CONTACT_ROWS];
            random_weights(&block, &random, weight);
            random_vector(block.row_count, &random, a);
            double scale = trial % 2 == 0 ? 0x1p60 : 0x1p-60; /* powers of two: to the bit */
            for (uint32_t k = 0; k < block.row_count; k++) {
                x[k] = a[k];
                y[k] = scale * a[k];
            }
            assert_true(ashi_law_slip(&law, &block, y) == scale * ashi_law_slip(&law, &block, a));
            ashi_law_project(&law, &block, weight, x);
            ashi_law_project(&law, &block, weight, y);
            for (uint32_t k = 0; k < block.row_count; k++)
                assert_true(y[k] == scale * x[k]);
        }
    }
}

static void slip_is_the_support_function_of_the_bounds(void **state)
{
    (void)state;
    ashi_random random = {11};
    for (size_t n = 0; n < CASES; n++) {
        ashi_law law = law_of(&cases[n]);
        for (int trial = 0; trial < TRIALS(1000); trial++) {
            ashi_block block = random_block(&cases[n], &random);
            double u[ASHI_CONTACT_ROWS], x[ASHI_CONTACT_ROWS], largest = 0;
            random_vector(block.row_count, &random, u);
            /* The bounds for a normal impulse of one: far along u, clamped, is where the support is reached. */
            for (uint32_t k = 1; k < block.row_count; k++)
                x[k] = 1e9 * u[k];
            ashi_law_clamp(&law, &block, 1, x + 1);
            for (uint32_t k = 1; k < block.row_count; k++)
                largest += x[k] * u[k];
            assert_near(ashi_law_slip(&law, &block, u), largest, 1e-7);
        }
    }
}

static void polygons_have_their_corners_where_the_law_says(void **state)
{
    (void)state;
    for (uint32_t n = 4; n <= 32; n += 2) {
        ashi_system problem = {.law = ASH_FRICTION_PYRAMID, .directions = n};
        ashi_law law = ashi_law_of(&problem);
        assert_int_equal(law.corners, n);
        assert_true(law.x[0] == 1 && law.y[0] == 0);
        for (uint32_t i = 0; i < n; i++) {
            long double turn = 2 * 3.14159265358979323846264L * i / n; /* our angle, up to pi, is rounded twice */
            assert_near(law.x[i], (double)cosl(turn), 1.2e-15);
            assert_near(law.y[i], (double)sinl(turn), 1.2e-15);
            assert_true(law.x[i] == -law.x[(i + n / 2) % n] && law.y[i] == -law.y[(i + n / 2) % n]);
        }
    }
    ashi_system box = {.law = ASH_FRICTION_BOX}, disk = {.law = ASH_FRICTION_CONE};
    ashi_law square = ashi_law_of(&box);
    assert_int_equal(square.corners, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(fabs(square.x[i]) == 1 && fabs(square.y[i]) == 1);
    assert_int_equal(ashi_law_of(&disk).corners, 0);
}

static void numbers_that_are_not_end_in_time(void **state)
{
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0, 1e308, -1e308, 5e-324};
    for (size_t n = 0; n < CASES; n++) {
        ashi_law law = law_of(&cases[n]);
        ashi_block block = {.tangents = cases[n].tangents,
                            .rollings = cases[n].rollings,
                            .spins = cases[n].spins,
                            .row_count = 1u + cases[n].tangents + cases[n].rollings + cases[n].spins,
                            .friction = 1e6,
                            .rolling = 1,
                            .spinning = 1,
                            .friction_limit = -1};
        for (size_t i = 0; i < 7; i++)
            for (size_t k = 0; k < 7; k++) {
                double weight[ASHI_CONTACT_ROWS] = {1, 1, 1, 1, 1, 1};
                double x[ASHI_CONTACT_ROWS] = {odd[i], odd[k], odd[i], odd[k], odd[i], odd[k]};
                ashi_law_project(&law, &block, weight, x);
                (void)ashi_law_slip(&law, &block, x);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_is_in_K_and_nothing_in_K_is_nearer),
        cmocka_unit_test(projection_leaves_elements_alone_and_is_idempotent),
        cmocka_unit_test(moreaus_decomposition_holds_with_the_slip_function),
        cmocka_unit_test(projection_and_slip_are_homogeneous),
        cmocka_unit_test(slip_is_the_support_function_of_the_bounds),
        cmocka_unit_test(polygons_have_their_corners_where_the_law_says),
        cmocka_unit_test(numbers_that_are_not_end_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
