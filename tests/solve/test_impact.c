/* Laws of restitution in whole problems: where they agree, what they never do, points among joints, several points, and
 * the limit of Newton's law. */
#include "builder.h"

#include "solve/impact/impact_point.h"

static ash_solver_settings exactly(void)
{
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_NEWTON);
    settings.iterations = 200;
    return settings;
}

static builder *new_impact(ash_restitution_law law)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    b->problem.h = 0;
    b->problem.restitution_law = law;
    return b;
}

static double approach_of(const ashi_system *p, const ashi_block *block)
{
    const ash_problem_body *a = &p->bodies[block->body_a], *b = &p->bodies[block->body_b];
    ash_motion of_a = {a->velocity, a->spin}, of_b = {b->velocity, b->spin};
    return -ashi_row_speed(&p->rows[block->first_row], &of_a, &of_b);
}

/* Restitution of all contacts that approach. */
static void set_restitution(builder *b, double e)
{
    for (uint32_t i = 0; i < b->problem.body_count; i++)
        b->problem.bodies[i].start_spin = b->problem.bodies[i].spin;
    for (uint32_t k = 0; k < b->problem.block_count; k++) {
        ashi_block *block = &b->problem.blocks[k];
        if (block->kind != ASHI_CONTACT_BLOCK)
            continue;
        double approach = approach_of(&b->problem, block);
        block->rebound = approach > 0 ? e * approach : 0;
        b->problem.rows[block->first_row].bias = -block->rebound;
    }
}

static ash_vec3 any_vector(ashi_random *random, double size)
{
    double x = ashi_random_range(random, -size, size), y = ashi_random_range(random, -size, size);
    return v3(x, y, ashi_random_range(random, -size, size));
}

static ash_vec3 momentum_of(const ashi_system *p, bool solved)
{
    ash_vec3 sum = v3(0, 0, 0);
    for (uint32_t i = p->fixed_count; i < p->body_count; i++)
        sum =
            v3_add_scaled(sum, solved ? p->velocity[i].linear : p->bodies[i].velocity, 1 / p->bodies[i].inverse_mass.x);
    return sum;
}

static double work_of(const ashi_system *p, bool friction)
{
    double sum = 0;
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = friction;
             p->blocks[k].kind == ASHI_CONTACT_BLOCK && i < (friction ? p->blocks[k].row_count : 1); i++)
            sum += p->rows[p->blocks[k].first_row + i].work;
    return sum;
}

/* Ledger, cone, energy and no approach left. */
static void assert_sound(const ashi_system *p)
{
    double before = kinetic_energy(p, false), after = kinetic_energy(p, true);
    assert_near(after - before, work_of(p, false) + work_of(p, true), 1e-8 * before);
    assert_below(work_of(p, true), 1e-10 * before);
    assert_below(after, before * (1 + 1e-10));
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        const ashi_row *row = &p->rows[block->first_row];
        if (block->kind != ASHI_CONTACT_BLOCK)
            continue;
        assert_true(ashi_row_speed(row, &p->velocity[block->body_a], &p->velocity[block->body_b]) > -1e-8);
        double square = 0;
        for (uint32_t i = 1; i <= block->tangents; i++)
            square += row[i].impulse * row[i].impulse;
        assert_below(sqrt(square), block->friction * row->impulse + 1e-8);
    }
}

/* A cube that meets the ground with some of its lower corners, in any motion. */
static builder *tumbling_cube(ash_restitution_law law, uint32_t corners, double friction, double e, ashi_random *random)
{
    builder *b = new_impact(law);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    ash_vec3 velocity = any_vector(random, 1);
    velocity.z -= 1.5;
    uint32_t cube = add_body(b, 2, 1, v3(0, 0, 0.5), velocity);
    b->problem.bodies[cube].spin = any_vector(random, 1);
    for (uint32_t i = 0; i < corners; i++)
        add_contact(b, ground, cube, v3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, 0), v3(0, 0, 1), 2, friction);
    finish(b);
    set_restitution(b, e);
    return b;
}

/* ---- tests ---- */

static void test_balls_meet_by_every_law(void **state)
{
    (void)state;
    for (int law = 0; law < ASH_RESTITUTION_LAWS; law++)
        for (int friction = 0; friction < 2; friction++) {
            builder *b = new_impact((ash_restitution_law)law);
            uint32_t first = add_body(b, 2, 1, v3(0, 0, 0), v3(1, 0, 0)),
                     second = add_body(b, 1, 1, v3(1, 0, 0), v3(-2, 0, 0));
            add_contact(b, first, second, v3(0.5, 0, 0), v3(1, 0, 0), 2, friction * 0.5);
            finish(b);
            set_restitution(b, 0.6);
            ash_solver_settings settings = exactly();
            ash_solve_result result = solve_with(&b->problem, &settings);
            assert_true(result.flags & ASH_SOLVE_CONVERGED);
            assert_near(b->problem.velocity[1].linear.x - b->problem.velocity[0].linear.x, 1.8, 1e-10);
            assert_near(momentum_of(&b->problem, true).x, 0, 1e-12);
            free_builder(b);
        }
}

/* Without friction, and with one coefficient, the three laws are one. */
static void test_laws_agree_without_friction(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 40; seed++) {
        ash_motion found[ASH_RESTITUTION_LAWS];
        for (int law = 0; law < ASH_RESTITUTION_LAWS; law++) {
            ashi_random random = {seed};
            builder *b = tumbling_cube((ash_restitution_law)law, 1 + seed % 4, 0, 0.7, &random);
            ash_solver_settings settings = exactly();
            solve_with(&b->problem, &settings);
            found[law] = b->problem.velocity[1];
            free_builder(b);
        }
        for (int law = 1; law < ASH_RESTITUTION_LAWS; law++) {
            assert_near(v3_norm(v3_sub(found[law].linear, found[0].linear)), 0, 1e-9);
            assert_near(v3_norm(v3_sub(found[law].angular, found[0].angular)), 0, 1e-9);
        }
    }
}

/* A cube that lands flat and slides: slip keeps its direction, and all laws rebound by e. */
static void test_a_cube_that_lands_flat(void **state)
{
    (void)state;
    for (int law = 0; law < ASH_RESTITUTION_LAWS; law++) {
        builder *b = new_impact((ash_restitution_law)law);
        uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
        uint32_t cube = add_body(b, 2, 0, v3(0, 0, 0.5), v3(3, 1, -1));
        add_face_contacts(b, ground, cube, 1, 0.4);
        finish(b);
        set_restitution(b, 0.5);
        ash_solver_settings settings = exactly();
        solve_with(&b->problem, &settings);
        assert_near(b->problem.velocity[1].linear.z, 0.5, 1e-8);
        assert_near(b->problem.velocity[1].linear.x, 3 - 0.6 * 3 / sqrt(10), 1e-8);
        free_builder(b);
    }
}

/* Several points with friction: passive, in balance with the ledger, nothing approaches. */
static void test_several_points_are_passive(void **state)
{
    (void)state;
    ashi_random random = {3};
    for (uint32_t i = 0; i < 160; i++) {
        ash_restitution_law law = i % 2 ? ASH_RESTITUTION_POISSON : ASH_RESTITUTION_ENERGETIC;
        double friction = ashi_random_range(&random, 0, 1.5), e = ashi_random_range(&random, 0, 1);
        builder *b = tumbling_cube(law, 1 + i / 2 % 4, friction, e, &random);
        ash_solver_settings settings = exactly();
        ash_solve_result result = solve_with(&b->problem, &settings);
        if (!(result.flags & ASH_SOLVE_CONVERGED))
            print_error("trial %u: e %g mu %g\n", i, e, friction);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        if (law == ASH_RESTITUTION_ENERGETIC)
            assert_sound(&b->problem);
        else
            assert_below(kinetic_energy(&b->problem, true), kinetic_energy(&b->problem, false) * (1 + 1e-10));
        free_builder(b);
    }
}

/* The same point in two halves: stages lead to what is exact for one. */
static void test_stages_lead_to_the_exact_point(void **state)
{
    (void)state;
    ashi_random random = {5};
    for (uint32_t i = 0; i < 60; i++) {
        ash_restitution_law law = i % 2 ? ASH_RESTITUTION_POISSON : ASH_RESTITUTION_ENERGETIC;
        double friction = ashi_random_range(&random, 0, 1.2), e = ashi_random_range(&random, 0, 1);
        ashi_random copy = random;
        builder *one = tumbling_cube(law, 1, friction, e, &random), *two = tumbling_cube(law, 1, friction, e, &copy);
        add_contact(two, 0, 1, v3(-0.5, -0.5, 0), v3(0, 0, 1), 2, friction);
        finish(two);
        set_restitution(two, e);
        ash_solver_settings settings = exactly();
        solve_with(&one->problem, &settings);
        solve_with(&two->problem, &settings);
        ash_vec3 off = v3_sub(one->problem.velocity[1].linear, two->problem.velocity[1].linear);
        if (v3_norm(off) > 0.02)
            print_error("trial %u law %d e %g mu %g: %g\n", i, law, e, friction, v3_norm(off));
        assert_below(v3_norm(off), 0.03); /* slip that turns, in 32 stages of order 1 */
        free_builder(one);
        free_builder(two);
    }
}

/* A pendulum's bob that strikes off its centre: joints hold, and the work of the rebound is e^2 of that of compression
 * as for the point with the response of the hinged body. */
static void test_a_point_among_joints(void **state)
{
    (void)state;
    ashi_random random = {7};
    for (uint32_t i = 0; i < 60; i++) {
        double friction = ashi_random_range(&random, 0, 1), e = ashi_random_range(&random, 0, 1);
        builder *b = new_impact(ASH_RESTITUTION_ENERGETIC);
        uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
        ash_vec3 pivot = v3(0.3, -0.2, 1.5), at = v3(0.1, 0.2, 0);
        uint32_t bob = add_body(b, 2, 1, v3(0, 0, 0.5), v3(0, 0, 0)),
                 other = add_body(b, 1, 1, v3(0.5, 0, 2), v3(0, 0, 0));
        ash_vec3 spin = any_vector(&random, 2), swing = any_vector(&random, 2), joint = v3(0.4, 0.1, 1);
        b->problem.bodies[other].spin = swing;
        b->problem.bodies[other].velocity = b->problem.bodies[other].start_velocity =
            v3_cross(swing, v3_sub(b->place[other], pivot));
        ash_vec3 at_joint = v3_cross(swing, v3_sub(joint, pivot));
        b->problem.bodies[bob].spin = spin;
        b->problem.bodies[bob].velocity = b->problem.bodies[bob].start_velocity =
            v3_add(at_joint, v3_cross(spin, v3_sub(b->place[bob], joint)));
        add_ball_joint(b, ground, other, pivot);
        add_ball_joint(b, other, bob, joint);
        add_contact(b, ground, bob, at, v3(0, 0, 1), 2, friction);
        finish(b);
        set_restitution(b, e);
        ash_solver_settings settings = exactly();
        ash_solve_result result = solve_with(&b->problem, &settings);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        assert_sound(&b->problem);
        for (uint32_t k = 0; k < b->problem.block_count; k++)
            for (uint32_t r = 0; b->problem.blocks[k].kind == ASHI_PLAIN_BLOCK && r < 3; r++) {
                const ashi_block *block = &b->problem.blocks[k];
                assert_near(ashi_row_speed(&b->problem.rows[block->first_row + r], &b->problem.velocity[block->body_a],
                                           &b->problem.velocity[block->body_b]),
                            0, 1e-8);
            }
        /* Impulses and velocities belong together. */
        ash_motion solved = b->problem.velocity[1];
        ashi_system_velocities(&b->problem, NULL);
        assert_near(v3_norm(v3_sub(solved.linear, b->problem.velocity[1].linear)), 0, 1e-8);
        free_builder(b);
    }
}

/* Newton's law: exact where it is passive, less rebound where it is not. */
static void test_newtons_law_makes_no_energy(void **state)
{
    (void)state;
    ashi_random random = {9};
    uint32_t exact = 0, limited = 0;
    for (uint32_t i = 0; i < 300; i++) {
        double friction = ashi_random_range(&random, 0, 1.5), e = ashi_random_range(&random, 0.5, 1);
        builder *b = tumbling_cube(ASH_RESTITUTION_NEWTON, 1 + i % 4, friction, e, &random);
        ash_solver_settings settings = exactly();
        solve_with(&b->problem, &settings);
        assert_below(kinetic_energy(&b->problem, true), kinetic_energy(&b->problem, false) * (1 + 1e-10));
        bool rebounds = true;
        for (uint32_t k = 0; k < b->problem.block_count; k++) {
            const ashi_block *block = &b->problem.blocks[k];
            double speed = ashi_row_speed(&b->problem.rows[block->first_row], &b->problem.velocity[block->body_a],
                                          &b->problem.velocity[block->body_b]);
            rebounds = rebounds && speed > block->rebound - 1e-8;
        }
        exact += rebounds;
        limited += !rebounds;
        free_builder(b);
    }
    assert_true(exact > 200 && limited > 0);
}

/* Unlike coefficients make energy by Newton's law without any friction: a bar whose ends strike, one soft, one hard. */
static void test_unlike_coefficients(void **state)
{
    (void)state;
    for (int law = 0; law < ASH_RESTITUTION_LAWS; law++) {
        builder *b = new_impact((ash_restitution_law)law);
        uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0)),
                 bar = add_body(b, 1, 0.4, v3(0, 0, 0), v3(0, 0, -1));
        b->problem.bodies[bar].spin = v3(0, -1.2, 0);
        add_contact(b, ground, bar, v3(-1, 0, 0), v3(0, 0, 1), 0, 0);
        add_contact(b, ground, bar, v3(0.8, 0, 0), v3(0, 0, 1), 0, 0);
        finish(b);
        set_restitution(b, 1);
        for (uint32_t k = 0; k < 2; k++)
            if (approach_of(&b->problem, &b->problem.blocks[k]) < 1) {
                b->problem.rows[b->problem.blocks[k].first_row].bias = 0;
                b->problem.blocks[k].rebound = 0;
            }
        ash_solver_settings settings = exactly();
        solve_with(&b->problem, &settings);
        assert_below(kinetic_energy(&b->problem, true), kinetic_energy(&b->problem, false) * (1 + 1e-12));
        free_builder(b);
    }
}

/* The order of contacts and bodies does not matter. */
static void test_no_preference_of_order(void **state)
{
    (void)state;
    for (int law = 1; law < ASH_RESTITUTION_LAWS; law++) {
        ash_motion found[2];
        for (int turned = 0; turned < 2; turned++) {
            builder *b = new_impact((ash_restitution_law)law);
            uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
            uint32_t cube = add_body(b, 2, 1, v3(0, 0, 0.5), v3(0.7, 0.2, -1.5));
            b->problem.bodies[cube].spin = v3(0.3, -0.4, 0.8);
            for (int i = 0; i < 3; i++) {
                int corner = turned ? 2 - i : i;
                add_contact(b, ground, cube, v3(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, 0), v3(0, 0, 1), 2,
                            0.6);
            }
            finish(b);
            set_restitution(b, 0.8);
            ash_solver_settings settings = exactly();
            solve_with(&b->problem, &settings);
            found[turned] = b->problem.velocity[1];
            free_builder(b);
        }
        assert_near(v3_norm(v3_sub(found[0].linear, found[1].linear)), 0, 1e-7);
        assert_near(v3_norm(v3_sub(found[0].angular, found[1].angular)), 0, 1e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balls_meet_by_every_law),        cmocka_unit_test(test_laws_agree_without_friction),
        cmocka_unit_test(test_a_cube_that_lands_flat),         cmocka_unit_test(test_several_points_are_passive),
        cmocka_unit_test(test_stages_lead_to_the_exact_point), cmocka_unit_test(test_a_point_among_joints),
        cmocka_unit_test(test_newtons_law_makes_no_energy),    cmocka_unit_test(test_unlike_coefficients),
        cmocka_unit_test(test_no_preference_of_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
