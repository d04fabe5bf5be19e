/* The impact of one point: planar rods against Routh's closed solutions and against a march in small impulses, points
 * in space against the same march, and what no law may break: energy, the cone, the work of restitution. */
#include "check.h"

#include "base/random.h"
#include "math/vec3.h"
#include "solve/impact/impact_point.h"

#include <math.h>
#include <string.h>

/* ---- a reference of its own: explicit steps of normal impulse ---- */

typedef struct march {
    double speed[3], impulse[3], normal_work, friction_work, compressed, end;
} march;

static double slip_of(const march *m)
{
    return sqrt(m->speed[1] * m->speed[1] + m->speed[2] * m->speed[2]);
}

/* The friction over normal impulse: against the slip, or what holds it if the cone allows, else the reach of the cone
 * that leaves the least change of slip. */
static void friction_of(const ashi_point_impact *p, const march *m, double slow, double f[2])
{
    double slip = slip_of(m);
    if (slip > slow) {
        f[0] = -p->friction * m->speed[1] / slip;
        f[1] = -p->friction * m->speed[2] / slip;
        return;
    }
    /* Gradient descent of |G_tn + G_tt f|^2 in the metric of G_tt, projected onto the cone: the law of slip that
     * begins is that friction opposes it, which is the condition of this minimum. */
    double size = p->response[1][1] + p->response[2][2];
    f[0] = f[1] = 0;
    for (int i = 0; i < 4000; i++) {
        double x = p->response[1][0] + p->response[1][1] * f[0] + p->response[1][2] * f[1];
        double y = p->response[2][0] + p->response[2][1] * f[0] + p->response[2][2] * f[1];
        f[0] -= x / size;
        f[1] -= y / size;
        double length = sqrt(f[0] * f[0] + f[1] * f[1]);
        if (length > p->friction) {
            f[0] *= p->friction / length;
            f[1] *= p->friction / length;
        }
    }
}

static bool is_over(const ashi_point_impact *p, const march *m)
{
    double e = p->restitution;
    if (m->end < 0)
        return false;
    return p->law == ASH_RESTITUTION_POISSON ? m->impulse[0] >= m->end * (1 + e)
                                             : m->normal_work + m->compressed >= e * e * m->compressed;
}

static march march_through(const ashi_point_impact *p, double dp)
{
    march m = {.speed = {p->speed[0], p->speed[1], p->speed[2]}, .end = -1};
    double f[2] = {0, 0};
    bool held = false;
    double fastest = 0;
    for (int i = 1; i < 3; i++)
        fastest += fabs(p->response[i][0]) + p->friction * (fabs(p->response[i][1]) + fabs(p->response[i][2]));
    double slow = 2 * fastest * dp;
    for (long i = 0; i < 20000000 && !is_over(p, &m); i++) {
        if (slip_of(&m) > slow) {
            held = false;
            friction_of(p, &m, slow, f);
        } else if (!held) {
            friction_of(p, &m, slow, f);
            held = true;
        }
        double before[3] = {m.speed[0], m.speed[1], m.speed[2]}, d[3] = {dp, f[0] * dp, f[1] * dp};
        for (int k = 0; k < 3; k++) {
            m.impulse[k] += d[k];
            for (int n = 0; n < 3; n++)
                m.speed[k] += p->response[k][n] * d[n];
        }
        m.normal_work += 0.5 * d[0] * (before[0] + m.speed[0]);
        m.friction_work += 0.5 * (d[1] * (before[1] + m.speed[1]) + d[2] * (before[2] + m.speed[2]));
        if (m.end < 0 && m.speed[0] >= 0) {
            m.end = m.impulse[0];
            m.compressed = -m.normal_work;
        }
    }
    return m;
}

/* ---- points of free bodies ---- */

static void respond(ashi_point_impact *p, double mass, const double inertia[3], ash_vec3 arm)
{
    ash_vec3 axes[3] = {v3(0, 0, 1), v3(1, 0, 0), v3(0, 1, 0)};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            ash_vec3 a = v3_cross(arm, axes[i]), b = v3_cross(arm, axes[k]);
            p->response[i][k] =
                (i == k) / mass + a.x * b.x / inertia[0] + a.y * b.y / inertia[1] + a.z * b.z / inertia[2];
        }
}

/* A thin rod of mass 1 and length 2 that strikes with its end, at an angle to the ground. */
static ashi_point_impact rod(double angle, double friction, double e, double normal, double slip)
{
    ashi_point_impact p = {.tangents = 1, .friction = friction, .restitution = e, .law = ASH_RESTITUTION_ENERGETIC};
    double c = cos(angle), s = sin(angle);
    p.response[0][0] = 1 + 3 * c * c;
    p.response[1][1] = 1 + 3 * s * s;
    p.response[0][1] = p.response[1][0] = -3 * s * c;
    p.speed[0] = normal;
    p.speed[1] = slip;
    return p;
}

static double total_work(const ashi_point_impact *p, const double before[3])
{
    double work = 0;
    for (int i = 0; i < 3; i++)
        work += 0.5 * p->impulse[i] * (before[i] + p->speed[i]);
    return work;
}

static void assert_passive(const ashi_point_impact *p, const double before[3])
{
    double scale = fabs(p->impulse[0]) * (fabs(before[0]) + fabs(before[1]) + fabs(before[2]));
    assert_true(p->friction_work <= 0);
    if (p->law == ASH_RESTITUTION_ENERGETIC)
        assert_true(total_work(p, before) <= 1e-12 * scale);
    assert_true(p->impulse[1] * p->impulse[1] + p->impulse[2] * p->impulse[2] <=
                p->friction * p->friction * p->impulse[0] * p->impulse[0] * (1 + 1e-12));
}

/* ---- tests ---- */

/* Routh's cases in closed form. With A = response: p_c = -u_n / (A_nn - mu s A_nt) while sliding with sign s. */
static void test_a_rod_that_slides_through(void **state)
{
    (void)state;
    for (int law = ASH_RESTITUTION_POISSON; law <= ASH_RESTITUTION_ENERGETIC; law++) {
        ashi_point_impact p = rod(0.9, 0.1, 0.5, -1, 5);
        p.law = (ash_restitution_law)law;
        assert_true(ashi_point_impact_solve(&p));
        double rate = 1 + 3 * cos(0.9) * cos(0.9) + 0.1 * 3 * sin(0.9) * cos(0.9);
        assert_near(p.impulse[0], 1.5 / rate, 1e-14);
        assert_near(p.impulse[1], -0.15 / rate, 1e-14);
        assert_near(p.speed[0], 0.5, 1e-14); /* all laws are the same */
    }
}

static void test_a_rod_that_sticks_from_the_start(void **state)
{
    (void)state;
    ashi_point_impact p = rod(0.785398163397448, 1, 1, -1, 0);
    assert_true(ashi_point_impact_solve(&p));
    /* Held slip: the normal response is 1 / (1 / A)_nn = 2.5 - 1.5^2 / 2.5 = 1.6. */
    assert_near(p.impulse[0], 2 / 1.6, 1e-14);
    assert_near(p.impulse[1], 0.6 * 2 / 1.6, 1e-14);
    assert_near(p.speed[0], 1, 1e-14);
    assert_near(p.speed[1], 0, 1e-14);
}

/* At 45 degrees, mu = 1, slip in the direction in which friction adds to the rebound: Newton's law would gain. */
static void test_a_rod_at_45_degrees_keeps_its_energy(void **state)
{
    (void)state;
    ashi_point_impact p = rod(0.785398163397448, 1, 1, -1, 0.3);
    double before[3] = {-1, 0.3, 0};
    assert_true(ashi_point_impact_solve(&p));
    /* Slip ends after 0.3 / (1.5 + 2.5) = 0.075; u_n = -1 + 4 * 0.075 = -0.7 by then, from where it sticks. */
    double taken = 0.075 * 0.5 * 1.7 + 0.7 * 0.7 / (2 * 1.6), back = sqrt(2 * 1.6 * taken);
    assert_near(p.speed[0], back, 1e-13);
    assert_near(p.impulse[0], 0.075 + (0.7 + back) / 1.6, 1e-13);
    assert_near(p.friction_work, -0.5 * 0.075 * 0.3, 1e-14);
    assert_passive(&p, before);
}

/* Too little friction to stick: slip comes to rest and turns around. */
static void test_a_rod_whose_slip_reverses(void **state)
{
    (void)state;
    ashi_point_impact p = rod(0.785398163397448, 0.5, 0.5, -1, 0.275);
    double before[3] = {-1, 0.275, 0};
    assert_true(ashi_point_impact_solve(&p));
    /* To rest: rate -1.5 - 1.25 over 0.1, u_n = -1 + 3.25 * 0.1; then slip falls by -1.5 + 1.25, u_n grows by 1.75. */
    double left = 0.675, taken = 0.1 * 0.5 * 1.675 + left * left / 3.5, back = sqrt(3.5 * 0.25 * taken);
    assert_near(p.speed[0], back, 1e-13);
    assert_near(p.speed[1], -0.25 * (left + back) / 1.75, 1e-13);
    assert_near(p.impulse[1], -0.05 + 0.5 * (left + back) / 1.75, 1e-13);
    assert_passive(&p, before);
}

/* Slip into the ground: mu large, the rod jams, approaches faster for a while, and leaves by sticking. */
static void test_a_rod_that_jams(void **state)
{
    (void)state;
    ashi_point_impact p = rod(1.1, 3, 0, -1, -1);
    double before[3] = {-1, -1, 0}, c = cos(1.1), s = sin(1.1);
    double nn = 1 + 3 * c * c, tt = 1 + 3 * s * s, nt = 3 * s * c, rest = 1 / (3 * tt - nt);
    assert_true(nn - 3 * nt < 0); /* jams: the approach grows while it slips */
    double deepest = -1 + rest * (nn - 3 * nt);
    assert_true(ashi_point_impact_solve(&p));
    assert_near(p.impulse[0], rest - deepest / (nn - nt * nt / tt), 1e-12);
    assert_near(p.speed[0], 0, 1e-13);
    assert_near(p.speed[1], 0, 1e-13);
    assert_passive(&p, before);
}

static void compare(const ashi_point_impact *given, double dp, double tolerance)
{
    ashi_point_impact p = *given;
    bool solved = ashi_point_impact_solve(&p);
    march m = march_through(given, dp);
    double scale = fabs(given->speed[0]) + fabs(given->speed[1]) + fabs(given->speed[2]);
    assert_true(solved);
    for (int i = 0; i < 3; i++) {
        if (!(fabs(p.speed[i] - m.speed[i]) < tolerance * scale))
            print_error("mu %g e %g u %g %g %g: %g against %g\n", given->friction, given->restitution, given->speed[0],
                        given->speed[1], given->speed[2], p.speed[i], m.speed[i]);
        assert_near(p.speed[i], m.speed[i], tolerance * scale);
    }
    assert_passive(&p, given->speed);
}

static void test_random_rods_against_a_march(void **state)
{
    (void)state;
    ashi_random random = {11};
    for (int i = 0; i < 300; i++) {
        double angle = ashi_random_range(&random, 0, 3.1), mu = ashi_random_range(&random, 0, 2);
        double e = ashi_random_range(&random, 0, 1), slip = ashi_random_range(&random, -2, 2);
        ashi_point_impact p = rod(angle, mu, e, -1, slip);
        p.law = i % 3 == 2 ? ASH_RESTITUTION_POISSON : ASH_RESTITUTION_ENERGETIC;
        compare(&p, 2e-5, 4e-4);
    }
}

static void test_random_points_in_space_against_a_march(void **state)
{
    (void)state;
    ashi_random random = {12};
    for (int i = 0; i < 200; i++) {
        ashi_point_impact p = {.tangents = 2,
                               .friction = ashi_random_range(&random, 0, 1.5),
                               .restitution = ashi_random_range(&random, 0, 1),
                               .law = i % 3 == 2 ? ASH_RESTITUTION_POISSON : ASH_RESTITUTION_ENERGETIC};
        double inertia[3];
        for (int k = 0; k < 3; k++)
            inertia[k] = ashi_random_range(&random, 0.1, 0.6);
        ash_vec3 arm;
        arm.x = ashi_random_range(&random, -1, 1);
        arm.y = ashi_random_range(&random, -1, 1);
        arm.z = ashi_random_range(&random, -1, 1);
        respond(&p, 1, inertia, arm);
        p.speed[0] = -1;
        p.speed[1] = ashi_random_range(&random, -1, 1);
        p.speed[2] = ashi_random_range(&random, -1, 1);
        compare(&p, 2e-5, 2e-3);
    }
}

/* The restitution's work is e^2 of that of compression, for any of them. */
static void test_the_energetic_law(void **state)
{
    (void)state;
    ashi_random random = {13};
    for (int i = 0; i < 500; i++) {
        ashi_point_impact p = {.tangents = 2, .friction = ashi_random_range(&random, 0, 1.5)};
        const double inertia[3] = {0.1, 0.3, 0.35};
        ash_vec3 arm;
        arm.x = ashi_random_range(&random, -1, 1);
        arm.y = ashi_random_range(&random, -1, 1);
        arm.z = ashi_random_range(&random, -1, 1);
        respond(&p, 1, inertia, arm);
        p.law = ASH_RESTITUTION_ENERGETIC;
        p.speed[0] = -1;
        p.speed[1] = ashi_random_range(&random, -1, 1);
        p.speed[2] = ashi_random_range(&random, -1, 1);
        ashi_point_impact dead = p, lively = p;
        double e = lively.restitution = ashi_random_range(&random, 0, 1);
        assert_true(ashi_point_impact_solve(&dead) && ashi_point_impact_solve(&lively));
        double taken = dead.friction_work - total_work(&dead, p.speed);
        double lost = lively.friction_work - total_work(&lively, p.speed);
        assert_near(lost, (1 - e * e) * taken, 1e-7 * taken); /* 0.02^4 of Runge and Kutta's method */
        assert_passive(&lively, p.speed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_rod_that_slides_through),
        cmocka_unit_test(test_a_rod_that_sticks_from_the_start),
        cmocka_unit_test(test_a_rod_at_45_degrees_keeps_its_energy),
        cmocka_unit_test(test_a_rod_whose_slip_reverses),
        cmocka_unit_test(test_a_rod_that_jams),
        cmocka_unit_test(test_random_rods_against_a_march),
        cmocka_unit_test(test_random_points_in_space_against_a_march),
        cmocka_unit_test(test_the_energetic_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
