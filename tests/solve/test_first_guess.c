/* First guesses: a good one is kept to the last bit, one that would make energy is shortened, by every solver. */
#include "builder.h"

#include "solve/first_guess.h"

/* Cubes on each other that fall at 1 m/s, and lean. */
static builder *stack(void)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t below = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t cube = add_body(b, 1, 1, v3(0, 0, i + 0.5), v3(0.1 * i, 0, -1));
        add_face_contacts(b, below, cube, 1, 0.5);
        below = cube;
    }
    finish(b);
    return b;
}

static void set_guess(ashi_system *p, double normal, double tangent)
{
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = 0; i < p->blocks[k].row_count; i++)
            p->rows[p->blocks[k].first_row + i].impulse = i == 0 ? normal : tangent;
}

/* One iteration from impulses a million times too large: no more energy than there was. */
static void bad_guesses_make_no_energy(void **state)
{
    (void)state;
    static const double guesses[][2] = {{1e6, 0}, {1e3, 500}, {5, -2}, {1e300, 0}, {0, 1e4}};
    for (int solver = 0; solver < ASH_SOLVERS; solver++) {
        if (solver == ASH_SOLVER_SOFT_STEP)
            continue; /* its springs are softer than any guess */
        for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++) {
            builder *b = stack();
            set_guess(&b->problem, guesses[i][0], guesses[i][1]);
            ash_solver_settings settings = ash_default_solver_settings((ash_solver)solver);
            settings.iterations = 1;
            settings.warm_start = true;
            double before = kinetic_energy(&b->problem, false);
            solve_with(&b->problem, &settings);
            double after = kinetic_energy(&b->problem, true);
            if (!(after <= before * (1 + 1e-12)))
                fail_msg("%s from (%g, %g): %g J of %g", ash_solver_name((ash_solver)solver), guesses[i][0],
                         guesses[i][1], after, before);
            free_builder(b);
        }
    }
}

static void good_guesses_stay(void **state)
{
    (void)state;
    builder *b = stack();
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_NEWTON);
    settings.warm_start = false;
    solve_with(&b->problem, &settings);
    /* The solution, and half and nearly twice of it, are better than nothing. */
    static const double factors[] = {1, 0.5, 1.9};
    for (int n = 0; n < 3; n++) {
        double kept[3 * 24];
        assert_true(b->problem.row_count <= 72);
        for (uint32_t r = 0; r < b->problem.row_count; r++)
            kept[r] = b->problem.rows[r].impulse *= factors[n] / (n > 0 ? factors[n - 1] : 1);
        ashi_system_velocities(&b->problem, NULL);
        ashi_first_guess_shorten(&b->problem, &b->problem.islands[0]);
        for (uint32_t r = 0; r < b->problem.row_count; r++)
            assert_near(b->problem.rows[r].impulse, kept[r], 0);
    }
    free_builder(b);
}

/* A guess of the right direction is cut to its best length: all of one impulse is known. */
static void the_best_length_is_taken(void **state)
{
    (void)state;
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t body = add_body(b, 3, 0, v3(0, 0, 0), v3(0, 0, -2));
    add_contact(b, ground, body, v3(0, 0, 0), v3(0, 0, 1), 0, 0);
    finish(b);
    b->problem.rows[0].impulse = 1e9;
    ashi_system_velocities(&b->problem, NULL);
    ashi_first_guess_shorten(&b->problem, &b->problem.islands[0]);
    assert_near(b->problem.rows[0].impulse, 6, 1e-12);
    assert_near(b->problem.velocity[body].linear.z, 0, 1e-12);
    b->problem.rows[0].impulse = -1; /* of the wrong one to nothing */
    ashi_system_velocities(&b->problem, NULL);
    ashi_first_guess_shorten(&b->problem, &b->problem.islands[0]);
    assert_near(b->problem.rows[0].impulse, 0, 0);
    assert_near(b->problem.velocity[body].linear.z, -2, 0);
    free_builder(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_guesses_make_no_energy),
        cmocka_unit_test(good_guesses_stay),
        cmocka_unit_test(the_best_length_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
