/* Laws and order of impacts in worlds: passive by every preset that can be, announced where a method cannot follow;
 * cradles, chains of unlike balls, breaks and jointed bodies with exact answers. */
#include "step/piles.h"

#include "ashlar/joint.h"
#include "base/random.h"
#include "math/transform.h"

#include <math.h>
#include <string.h>

/* A world by a method with fields changed: "name=value name=value". */
static ash_world *make_method_world(const char *method, const char *fields, bool planar, ash_vec3 gravity)
{
    ash_world_def def = ash_default_world_def();
    ash_world *world = NULL;
    char text[128];
    assert_int_equal(ash_method_find(method, &def.method, NULL), ASH_OK);
    snprintf(text, sizeof text, "%s", fields);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        assert_int_equal(ash_method_set(&def.method, word, value, NULL), ASH_OK);
    }
    def.planar = planar;
    def.gravity = gravity;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    return world;
}

static void take_flagged(ash_world *world, double h, uint32_t count, uint32_t *flags)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(ash_world_step(world, h), ASH_OK);
        *flags |= ash_world_get_report(world).flags;
    }
}

/* ---- rods ---- */

static ash_body add_rod(ash_world *world, double angle, ash_vec3 velocity, double spin)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = v3(0.5, 0.02, 0.03);
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def body = ash_default_body_def();
    ash_body rod;
    assert_int_equal(ash_geometry_create(&def, &shape.geometry, NULL), ASH_OK);
    body.position = v3(0, 0, 0.75);
    body.rotation = q_mul(q_exp(v3(0, angle, 0)), q_exp(v3(0.3, 0, 0)));
    body.velocity = velocity;
    body.angular_velocity = v3(0.2 * spin, spin, 0.1);
    assert_int_equal(ash_body_create(world, &body, &shape, 1, &rod, NULL), ASH_OK);
    ash_geometry_release(shape.geometry);
    return rod;
}

/* Random rods by every preset: contacts give no energy, and where they are solved exactly friction never does. */
static void test_rods_gain_no_energy(void **state)
{
    (void)state;
    static const char *const methods[] = {"engineering",     "engineering/newton",  "engineering/poisson",
                                          "stewart-trinkle", "bender-schmitt-2006", "bender-iterative",
                                          "erleben-2007",    "guendelman-2003"};
    for (uint32_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        ashi_random random = {21};
        for (uint32_t i = 0; i < some(24); i++) {
            char name[32], fields[64] = "";
            snprintf(name, sizeof name, "%s", methods[m]);
            char *law = strchr(name, '/');
            if (law != NULL) {
                *law++ = '\0';
                snprintf(fields, sizeof fields, "restitution-law=%s", law);
            }
            ash_world *world = make_method_world(name, fields, false, v3(0, 0, 0));
            double mu = ashi_random_range(&random, 0, 1.5), e = ashi_random_range(&random, 0.3, 1);
            set_surface(world, mu, e);
            add_floor(world);
            double angle = ashi_random_range(&random, -1.4, 1.4), slip = ashi_random_range(&random, -2, 2);
            add_rod(world, angle, v3(slip, ashi_random_range(&random, -1, 1), -1), ashi_random_range(&random, -3, 3));
            double before = ash_world_get_ledger(world).kinetic;
            uint32_t flags = 0;
            take_flagged(world, 0.002, 300, &flags);
            ash_ledger ledger = ash_world_get_ledger(world);
            if (!(ledger.impacts + ledger.friction <= 1e-6 * before))
                print_error("%s, trial %u: %g of %g J\n", methods[m], i, ledger.impacts + ledger.friction, before);
            assert_below(ledger.impacts + ledger.friction, 1e-6 * before);
            if (strncmp(methods[m], "engineering", 11) == 0)
                assert_below(ledger.friction, 1e-9 * before);
            assert_false(flags & ASH_FLAG_ENERGY_MADE);
            ash_world_destroy(world);
        }
    }
}

/* ---- what cannot follow says so ---- */

static void test_methods_that_cannot_follow_say_so(void **state)
{
    (void)state;
    static const char *const fields[] = {"restitution-law=newton", "restitution-law=energetic",
                                         "impact-order=sequential"};
    for (int m = 0; m < PILE_METHODS; m++)
        for (int i = 0; i < 3; i++) {
            ash_world *world = make_method_world(pile_methods[m], fields[i], false, v3(0, 0, -9.81));
            uint32_t flags = 0;
            set_surface(world, 0, 0.5);
            add_floor(world);
            add_ball(world, 0.1, 1000, v3(0, 0, 0.5), v3(0, 0, -3));
            take_flagged(world, 0.005, 60, &flags);
            bool follows = strcmp(pile_methods[m], "engineering") == 0 ||
                           (i == 0 && strcmp(pile_methods[m], "penalty") != 0); /* no coefficient at all */
            if (((flags & ASH_FLAG_LAW_IGNORED) == 0) != follows)
                print_error("%s %s: flags %u\n", pile_methods[m], fields[i], flags);
            assert_int_equal((flags & ASH_FLAG_LAW_IGNORED) == 0, follows);
            ash_world_destroy(world);
        }
}

/* ---- rows of balls ---- */

typedef struct row {
    ash_world *world;
    ash_body ball[16];
    uint32_t count;
} row;

/* Balls that touch, along x; those with a speed start 0.1 m away from the others if they are on the left, or right. */
static row make_row(const char *fields, const double *mass, const double *speed, uint32_t count, double e,
                    bool reversed)
{
    row r = {make_method_world("engineering", fields, false, v3(0, 0, 0)), {{0}}, count};
    set_surface(r.world, 0.3, e);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = reversed ? count - 1 - k : k;
        double density = mass[i] / (4.0 / 3 * ASHI_PI * 0.1 * 0.1 * 0.1), x = 0.2 * i;
        x += speed[i] > 0 ? -0.1 : speed[i] < 0 ? 0.1 : 0;
        r.ball[i] = add_ball(r.world, 0.1, density, v3(x, 0, 0), v3(speed[i], 0, 0));
    }
    return r;
}

static void judge_row(const char *fields, const double *mass, const double *speed, const double *after, uint32_t count,
                      double e, double tolerance)
{
    for (int reversed = 0; reversed < 2; reversed++) {
        row r = make_row(fields, mass, speed, count, e, reversed);
        uint32_t flags = 0;
        take_flagged(r.world, 0.01, 20, &flags);
        for (uint32_t i = 0; i < count; i++)
            assert_near(ash_body_get_velocity(r.world, r.ball[i]).x, after[i], tolerance);
        ash_world_destroy(r.world);
    }
}

/* n equal balls, k of them in: k out, by every law. */
static void test_cradles(void **state)
{
    (void)state;
    static const char *const fields[] = {"impact-order=sequential", "impact-order=sequential restitution-law=newton",
                                         "impact-order=sequential restitution-law=poisson"};
    double mass[8], speed[8], after[8];
    for (uint32_t n = 2; n <= 7; n++)
        for (uint32_t k = 1; k < n; k++) {
            for (uint32_t i = 0; i < n; i++) {
                mass[i] = 1;
                speed[i] = i < k ? 1 : 0;
                after[i] = i + k >= n ? 1 : 0;
            }
            judge_row(fields[(n + k) % 3], mass, speed, after, n, 1, 1e-8);
        }
}

/* Together: as the documentation says. */
static void test_a_cradle_settled_together(void **state)
{
    (void)state;
    const double mass[] = {1, 1, 1, 1, 1}, speed[] = {1, 0, 0, 0, 0}, after[] = {-0.6, 0.4, 0.4, 0.4, 0.4};
    judge_row("", mass, speed, after, 5, 1, 1e-8);
}

/* Masses that fall along the row: each ball is struck once by the one before, and struck balls do not meet again. */
static void test_a_chain_of_unlike_balls(void **state)
{
    (void)state;
    static const double restitutions[] = {1, 0.8, 0.6};
    const double mass[] = {8, 4, 2, 1, 0.5}, speed[] = {1, 0, 0, 0, 0};
    for (int k = 0; k < 3; k++) {
        double e = restitutions[k], after[5], comes = 1;
        for (int i = 0; i < 4; i++) {
            double share = (1 + e) * mass[i] / (mass[i] + mass[i + 1]);
            after[i] = comes * (1 - share * mass[i + 1] / mass[i]);
            comes *= share;
        }
        after[4] = comes;
        for (int i = 0; i < 4; i++)
            assert_true(after[i] < after[i + 1]); /* nothing meets again */
        judge_row("impact-order=sequential", mass, speed, after, 5, e, 1e-8);
    }
}

/* Three in a row, hit from both sides: all turn back, or with unlike speeds exchange them. */
static void test_three_balls_hit_from_both_sides(void **state)
{
    (void)state;
    const double mass[] = {1, 1, 1}, speed[] = {1, 0, -1}, after[] = {-1, 0, 1};
    judge_row("impact-order=sequential", mass, speed, after, 3, 1, 1e-8);
    judge_row("", mass, speed, after, 3, 1, 1e-8);
    const double dead[] = {0, 0, 0};
    judge_row("impact-order=sequential", mass, speed, dead, 3, 0, 1e-8);
}

/* Without restitution a row ends as one body, after a bounded number of rounds. */
static void test_a_row_without_restitution(void **state)
{
    (void)state;
    const double mass[] = {1, 1, 1, 1, 1, 1}, speed[] = {1, 0, 0, 0, 0, 0};
    row r = make_row("impact-order=sequential", mass, speed, 6, 0, false);
    uint32_t flags = 0;
    take_flagged(r.world, 0.01, 20, &flags);
    double sum = 0, last = -1;
    for (uint32_t i = 0; i < 6; i++) {
        double v = ash_body_get_velocity(r.world, r.ball[i]).x;
        assert_true(v >= last - 1e-9); /* nothing approaches */
        sum += last = v;
    }
    assert_near(sum, 1, 1e-9);
    ash_world_destroy(r.world);
}

/* A rack of ten balls in a triangle, hit at its tip: the break is symmetric, whatever the order of the balls. */
static void test_a_break_is_symmetric(void **state)
{
    (void)state;
    for (int reversed = 0; reversed < 2; reversed++) {
        ash_world *world = make_method_world("engineering", "impact-order=sequential", true, v3(0, 0, 0));
        ash_geometry_def circle = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
        ash_body ball[11];
        ash_vec3 place[11];
        uint32_t partner[11], count = 0, flags = 0;
        circle.radius = 0.1;
        set_surface(world, 0, 0.95);
        place[count] = v3(-0.5, 0, 0);
        partner[count++] = 0;
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t k = 0; k <= i; k++, count++) {
                place[count] = v3(0.2 * sqrt(0.75) * i, 0.2 * k - 0.1 * i, 0);
                partner[count] = count - k + (i - k);
            }
        for (uint32_t k = 0; k < count; k++) {
            uint32_t i = reversed ? count - 1 - k : k;
            ball[i] = add_shape(world, &circle, ASH_BODY_DYNAMIC, 1000, place[i], v3(i == 0 ? 3 : 0, 0, 0));
        }
        take_flagged(world, 0.01, 30, &flags);
        double sum = 0;
        for (uint32_t i = 0; i < count; i++) {
            ash_vec3 v = ash_body_get_velocity(world, ball[i]), w = ash_body_get_velocity(world, ball[partner[i]]);
            assert_near(v.x, w.x, 1e-7);
            assert_near(v.y, -w.y, 1e-7);
            sum += v.x;
        }
        assert_near(sum, 3, 1e-9);
        assert_true(ash_body_get_velocity(world, ball[10]).x > 0.1); /* the corners have left */
        assert_below(ash_world_get_ledger(world).impacts, 0);
        ash_world_destroy(world);
    }
}

/* ---- joints ---- */

/* A hinged bar whose end strikes the floor, with friction: one freedom, in which the three laws differ. */
static void test_a_hinged_bar(void **state)
{
    (void)state;
    static const char *const laws[] = {"newton", "poisson", "energetic"};
    for (int law = 0; law < 3; law++) {
        char fields[64];
        snprintf(fields, sizeof fields, "restitution-law=%s", laws[law]);
        ash_world *world = make_method_world("engineering", fields, true, v3(0, 0, 0));
        ash_geometry_def bar = ash_default_geometry_def(ASH_GEOMETRY_POLYGON), floor = bar;
        const ash_vec3 corners[] = {{-0.5, -0.02, 0}, {0.5, -0.02, 0}, {0.5, 0.02, 0}, {-0.5, 0.02, 0}};
        const ash_vec3 ground[] = {{-2, -1, 0}, {2, -1, 0}, {2, 0, 0}, {-2, 0, 0}};
        bar.points = corners;
        floor.points = ground;
        bar.point_count = floor.point_count = 4;
        set_surface(world, 0.3, 0.6);
        add_shape(world, &floor, ASH_BODY_STATIC, 0, v3(0, -0.3, 0), v3(0, 0, 0));
        ash_body body = add_shape(world, &bar, ASH_BODY_DYNAMIC, 1000, v3(0.5, 0, 0), v3(0, 0, 0));
        ash_joint_def hinge = ash_default_joint_def(ASH_JOINT_HINGE);
        ash_joint joint;
        hinge.body_b = body;
        hinge.frame_b.position = v3(-0.5, 0, 0);
        assert_int_equal(ash_joint_create(world, &hinge, &joint, NULL), ASH_OK);
        ash_body_set_velocity(world, body, v3(0, -0.5, 0));
        ash_body_set_angular_velocity(world, body, v3(0, 0, -1));
        uint32_t flags = 0;
        double before = ash_world_get_ledger(world).kinetic;
        take_flagged(world, 0.01, 60, &flags);
        /* Slip and approach turn around together; friction mu makes the response of the normal 1 + k in compression
         * and 1 - k in restitution. */
        double k = 0.3 * 0.3 / sqrt(1 + 0.02 * 0.02 - 0.3 * 0.3), ratio = (1 - k) / (1 + k);
        const double rebound[] = {0.6, 0.6 * ratio, 0.6 * sqrt(ratio)};
        ash_ledger ledger = ash_world_get_ledger(world);
        assert_near(ash_body_get_angular_velocity(world, body).z, rebound[law], 1e-7);
        assert_near(ledger.impacts + ledger.friction, (rebound[law] * rebound[law] - 1) * before, 1e-7 * before);
        assert_below(ledger.friction, law == 0 ? 0 : -0.01 * before);
        ash_world_destroy(world);
    }
}

typedef struct ball_row {
    ash_world *world;
    double speed, h;
} ball_row;

/* A ball runs into a row with gaps of up to two steps' ways, or none. Some neighbours are welded together. */
static ball_row make_ball_row(ashi_random *random, uint32_t number)
{
    uint32_t count = 3 + number % 5;
    double speed = ashi_random_range(random, 1, 5), h = number % 2 == 0 ? 0.01 : 0.002, x = 0;
    ball_row r = {make_method_world("realtime", "resting-speed=0 sleeping=off", false, v3(0, 0, 0)), speed, h};
    ash_body last = {0};
    set_surface(r.world, 0, 1);
    for (uint32_t k = 0; k < count; k++) {
        bool welded = k > 1 && number % 3 == 0 && ashi_random_range(random, 0, 1) < 0.3;
        double gap = number % 4 == 0 || welded ? 0 : fmax(ashi_random_range(random, -0.5, 2), 0) * speed * h;
        x += k > 0 ? 0.2 + gap : 0;
        double density = pow(10, ashi_random_range(random, 2.5, 3.5));
        ash_body ball = add_ball(r.world, 0.1, density, v3(x, 0, 0), v3(k == 0 ? speed : 0, 0, 0));
        ash_joint_def weld = ash_default_joint_def(ASH_JOINT_FIXED);
        weld.body_a = last;
        weld.body_b = ball;
        weld.frame_a.position = v3(0.1, 0, 0);
        weld.frame_b.position = v3(-0.1, 0, 0);
        if (welded)
            assert_int_equal(ash_joint_create(r.world, &weld, &(ash_joint){0}, NULL), ASH_OK);
        last = ball;
    }
    return r;
}

/* Contacts that are at rest at the start of a step and are hit within it by others rebound: energy is kept. Each of the
 * steps with an impact is solved to a millionth of its impulses. */
static void test_what_others_hit_rebounds(void **state)
{
    (void)state;
    ashi_random random = {5};
    for (uint32_t i = 0; i < 100; i++) {
        ball_row r = make_ball_row(&random, i);
        uint32_t flags = 0;
        double before = ash_world_get_ledger(r.world).kinetic, momentum = ash_world_get_momentum(r.world).x;
        take_flagged(r.world, r.h, 200, &flags);
        double after = ash_world_get_ledger(r.world).kinetic;
        assert_near(after, before, 1e-6 * 40 * before);
        assert_near(ash_world_get_momentum(r.world).x, momentum, 1e-12 * momentum);
        assert_int_equal(flags & ~(uint32_t)ASH_FLAG_IMPACT_MISSED, 0);
        ash_world_destroy(r.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rods_gain_no_energy),
        cmocka_unit_test(test_methods_that_cannot_follow_say_so),
        cmocka_unit_test(test_cradles),
        cmocka_unit_test(test_a_cradle_settled_together),
        cmocka_unit_test(test_a_chain_of_unlike_balls),
        cmocka_unit_test(test_three_balls_hit_from_both_sides),
        cmocka_unit_test(test_a_row_without_restitution),
        cmocka_unit_test(test_a_break_is_symmetric),
        cmocka_unit_test(test_a_hinged_bar),
        cmocka_unit_test(test_what_others_hit_rebounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
