/* Contacts that hold: dissipation, weight, and rough treatment, by every method. */
#include "step/piles.h"

#include "problem/expand.h"
#include "solve/solve.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* The power of friction at the end of the step, by which the law is meant: no contact may have any. */
static double friction_gain(const ashi_system *p)
{
    double gain = 0;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        const ash_motion *a = &p->velocity[block->body_a], *b = &p->velocity[block->body_b];
        double work = 0;
        for (uint32_t i = 1; i < block->row_count; i++) {
            const ashi_row *row = &p->rows[block->first_row + i];
            work += row->impulse * (v3_dot(row->linear_a, a->linear) + v3_dot(row->angular_a, a->angular) +
                                    v3_dot(row->linear_b, b->linear) + v3_dot(row->angular_b, b->angular));
        }
        gain = fmax(gain, work);
    }
    return gain;
}

/* Faure's contacts have no friction. */
static bool has_friction(const char *method)
{
    return strcmp(method, "faure") != 0;
}

/* A box and a ball that slide to rest, or roll. */
static void slide(const char *method, double friction)
{
    ash_world *w = make_held_world(method, v3(0, 0, -9.81), 1);
    set_surface(w, friction, 0);
    add_floor(w);
    add_box(w, 0.25, v3(0, 0, 0.25), v3(3, 1, 0));
    add_ball(w, 0.25, 1000, v3(0, 2, 0.25), v3(2, 0, 0));
    /* True of solutions; sweeps that stop early leave some of the energy to each other. */
    bool exact = strcmp(method, "engineering") == 0 || strcmp(method, "stewart-trinkle") == 0;
    double kinetic = ash_world_get_ledger(w).kinetic, highest = -INFINITY;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(ash_world_step(w, 0.01), ASH_OK);
        if (exact && !(friction_gain(ashi_world_problem(w)) <= 1e-9))
            fail_msg("%s: friction adds %g J in step %d", method, friction_gain(ashi_world_problem(w)), i);
        highest = fmax(highest, ash_world_get_ledger(w).friction);
    }
    if (!(highest <= 1e-9 * kinetic) || !(ash_world_get_ledger(w).total <= ash_world_get_ledger(w).initial))
        fail_msg("%s, mu %g: friction adds %g J, the total goes from %g to %g", method, friction, highest,
                 ash_world_get_ledger(w).initial, ash_world_get_ledger(w).total);
    /* With no bound to speak of the box tips over, and does not slide to rest. */
    assert_true(!has_friction(method) || ash_world_get_ledger(w).friction < -(friction < 1 ? 0.5 : 0.3) * kinetic);
    ash_world_destroy(w);
}

static void friction_never_adds_energy(void **state)
{
    (void)state;
    for (int m = 0; m < PILE_METHODS; m++) {
        slide(pile_methods[m], 0.5);
        slide(pile_methods[m], 1e6);
    }
}

static void a_resting_pile_weighs_what_it_weighs(void **state)
{
    (void)state;
    ash_world *w = make_held_world("engineering", v3(0, 0, -9.81), 1);
    ash_body floor_body = add_floor(w);
    double weight = 0;
    for (int row = 0; row < 4; row++)
        for (int i = 0; i < 4 - row; i++) {
            ash_body box = add_box(w, 0.25, v3(0.5 * i + 0.25 * row, 0, 0.25 + 0.5 * row), v3(0, 0, 0));
            weight += 9.81 * ash_body_get_mass(w, box).mass;
        }
    take_steps(w, 0.01, 20);
    ash_reaction reaction = ash_body_get_reaction(w, floor_body);
    assert_near(reaction.force.z, -weight, 1e-8 * weight);
    assert_near(reaction.force.x, 0, 1e-8 * weight);
    double sum = 0;
    uint32_t count = ash_world_get_contacts(w, NULL, 0);
    for (uint32_t i = 0; i < count; i++) {
        ash_reaction in_world = ash_world_get_reaction(w, i, ASH_FRAME_WORLD);
        ash_reaction in_contact = ash_world_get_reaction(w, i, ASH_FRAME_CONTACT);
        assert_near(v3_norm(in_world.force), v3_norm(in_contact.force), 1e-9 * weight);
        assert_true(in_contact.force.x >= 0);
        sum += in_world.force.z;
    }
    assert_true(sum > weight); /* inner contacts carry, too */
    ash_world_destroy(w);
}

/* Boxes and balls that fall onto each other, in steps of many parts: all that energy became is booked,
 * and what was left out shows as a remainder (as when parts after the last iteration that a step was granted went on
 * without gravity). */
static void the_books_of_a_falling_heap_close(void **state)
{
    (void)state;
    ash_world *w = make_heap("engineering", 1);
    ash_method method = ash_world_get_method(w);
    uint32_t most = 0;
    method.max_iterations = 100; /* of a part */
    assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
    for (uint32_t i = 0; i < 13; i++) {
        assert_int_equal(ash_world_step(w, 0.02), ASH_OK);
        most = ash_world_get_report(w).iterations > most ? ash_world_get_report(w).iterations : most;
    }
    ash_ledger ledger = ash_world_get_ledger(w);
    print_message("a falling heap: up to %u iterations of the integrator in a step\n", most);
    assert_true(most > method.max_iterations);
    assert_near(ledger.remainder, 0, 1e-10 * ledger.initial);
    assert_true(ledger.impacts < 0 && ledger.friction < 0 && ledger.total < ledger.initial);
    ash_world_destroy(w);
}

/* Solvers that stop early hand on their errors from part to part, of very different lengths. */
static void early_stops_make_no_energy(void **state)
{
    (void)state;
    static const char *const solvers[] = {"jacobi", "pgs", "nncg", "apgd"};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
        ash_world *w = make_heap("engineering", 1);
        ash_method method = ash_world_get_method(w);
        assert_int_equal(ash_method_set(&method, "solver", solvers[k], NULL), ASH_OK);
        assert_int_equal(ash_method_set(&method, "iterations", "2", NULL), ASH_OK);
        assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
        for (uint32_t i = 0; i < some(30); i++) {
            assert_int_equal(ash_world_step(w, 0.01), ASH_OK);
            ash_ledger ledger = ash_world_get_ledger(w);
            if (!(ledger.total <= ledger.initial * (1 + 1e-12)))
                fail_msg("%s: %g J of %g after %u steps", solvers[k], ledger.total, ledger.initial, i + 1);
        }
        ash_world_destroy(w);
    }
}

/* Warm: it has seen as many contacts and islands as there will be. Boxes fall, tumble a little and rest. */
static void warm_steps_do_not_allocate(void **state)
{
    (void)state;
    if (SLOW_BUILD) /* counts are the same in any build */
        skip();
    for (int m = 0; m < PILE_METHODS; m++) {
        ash_world *w = make_held_world(pile_methods[m], v3(0, 0, -9.81), 1);
        set_surface(w, 0.4, 0.1);
        add_floor(w);
        for (int i = 0; i < 9; i++)
            add_box(w, 0.25, v3(i / 3 * 0.8, 0.02 * i, 0.27 + i % 3 * 0.52), v3(0, 0.1, 0));
        take_steps(w, 0.01, 200);
        uint64_t before = ash_memory_used().allocations;
        take_steps(w, 0.01, some(100));
        if (ash_memory_used().allocations != before)
            fail_msg("%s allocates in warm steps", pile_methods[m]);
        assert_true(ash_world_get_report(w).contacts >= 9);
        ash_world_destroy(w);
    }
}

/* Extremes in one world: the state stays finite, whatever the flags. */
static void extremes_stay_finite(void **state)
{
    (void)state;
    static const double frictions[] = {0, 1e6};
    for (int m = 0; m < PILE_METHODS; m++)
        for (int f = 0; f < 2; f++) {
            ash_world *w = make_held_world(pile_methods[m], v3(0, 0, -9.81), 1);
            set_surface(w, frictions[f], 0.2);
            add_floor(w);
            add_ball(w, 0.25, 1e-4, v3(0, 0, 0.25), v3(0, 0, 0));
            add_ball(w, 0.25, 1e4, v3(0, 0, 0.75), v3(0, 0, 0)); /* 1e8 times heavier */
            for (int i = 0; i < 6; i++)
                add_box(w, 0.2, v3(3, 0, 0.2), v3(0, 0, 0)); /* in one place */
            for (uint32_t i = 0; i < some(30); i++) {
                ash_status status = ash_world_step(w, 0.01);
                assert_true(status == ASH_OK || status == ASH_NUMERICS);
            }
            assert_true(isfinite(ash_world_get_ledger(w).total));
            ash_world_destroy(w);
        }
}

static void numbers_that_overflow_are_flagged(void **state)
{
    (void)state;
    for (int m = 0; m < PILE_METHODS; m++) {
        ash_world *w = make_held_world(pile_methods[m], v3(0, 0, -9.81), 1);
        add_floor(w);
        ash_body box = add_box(w, 0.25, v3(0, 0, 0.25), v3(0, 0, 0));
        take_steps(w, 0.01, 5);
        uint64_t hash = ash_world_get_hash(w);
        assert_int_equal(ash_body_set_velocity(w, box, v3(0, 0, NAN)), ASH_BAD_ARGUMENT);
        assert_int_equal(ash_world_get_hash(w), hash);
        assert_int_equal(ash_body_set_velocity(w, box, v3(0, 0, -1e300)), ASH_OK);
        hash = ash_world_get_hash(w);
        ash_status status = ash_world_step(w, 0.01);
        if (status == ASH_NUMERICS) {
            assert_true(ash_world_get_report(w).flags & ASH_FLAG_NOT_FINITE);
            assert_int_equal(ash_world_get_hash(w), hash); /* the last good state */
        } else {
            assert_int_equal(status, ASH_OK);
            assert_true(isfinite(ash_body_get_velocity(w, box).z));
        }
        ash_world_destroy(w);
    }
}

/* The contact law is a method's, not a world's: a box on a slope of slope 0.3 stays or slides as mu says. */
static void slopes_hold_and_slide(void **state)
{
    (void)state;
    for (int m = 0; m < PILE_METHODS; m++) {
        if (strcmp(pile_methods[m], "penalty") == 0 || !has_friction(pile_methods[m]))
            continue; /* penalty: there is no friction before the box has sunk in, and less whenever it bobs up */
        /* Ten sweeps row by row share the load unevenly: the box turns while it slides, and friction is not along x. */
        bool rough = strcmp(pile_methods[m], "gribel-2009") == 0 || strcmp(pile_methods[m], "dejong-2014") == 0;
        for (int slides = 0; slides < (rough ? 1 : 2); slides++) {
            ash_world *w = make_held_world(pile_methods[m], v3(0.3 * 9.81, 0, -9.81), 1);
            set_surface(w, slides ? 0.2 : 0.4, 0);
            add_floor(w);
            ash_body box = add_box(w, 0.25, v3(0, 0, 0.25), v3(0, 0, 0));
            take_steps(w, 0.0025, 400);
            double x = ash_body_get_centre(w, box).x;
            double expected = slides ? 0.5 * 0.1 * 9.81 : 0;
            if (!(fabs(x - expected) < (slides ? 0.02 * expected : 0.002)))
                fail_msg("%s: the box went %g m, not %g", pile_methods[m], x, expected);
            ash_world_destroy(w);
        }
    }
}

/* Every step of every method reports the yardstick's error, theta and the worst contact; in realtime the solver's own
 * judgement is that of the problem's rows, block by block. */
static void every_step_is_measured(void **state)
{
    (void)state;
    for (int m = 0; m < PILE_METHODS; m++) {
        ash_world *w = make_held_world(pile_methods[m], v3(0, 0, -9.81), 1);
        ashi_system p = {0};
        uint32_t measured = 0;
        add_floor(w);
        add_box(w, 0.25, v3(0, 0, 0.25), v3(2, 0.3, 0));
        add_box(w, 0.25, v3(0.1, 0, 0.75), v3(2, 0.3, 0));
        for (uint32_t i = 0; i < 20; i++) {
            assert_int_equal(ash_world_step(w, 0.01), ASH_OK);
            ash_step_report report = ash_world_get_report(w);
            if (report.blocks == 0)
                continue;
            assert_true(report.error.largest >= 0 && report.worst_a.id != 0 && report.worst_b.id != 0);
            measured += report.error.largest > 0 && report.error.theta > 0;
            if (strcmp(pile_methods[m], "realtime") != 0)
                continue;
            assert_int_equal(measured, i + 1);
            ash_yardstick general;
            assert_true(ashi_world_problem(w)->expanded ? ashi_system_copy(&p, ashi_world_problem(w))
                                                        : ashi_system_expand(&p, ashi_world_problem(w)));
            for (uint32_t k = 0; k < p.block_count; k++)
                p.blocks[k].point = UINT32_MAX; /* judged by its rows */
            assert_true(ashi_system_measure(&p, &general));
            /* lanes have places and axes as single numbers: what they make of 2 m/s is off by some 6e-8 of it */
            assert_near(report.error.largest, general.largest, 5e-7);
            assert_near(report.error.theta, general.theta, 1e-4 * general.theta + 1e-12);
        }
        if (measured == 0) /* some steps of some methods are exact */
            fail_msg("%s: no step has an error", pile_methods[m]);
        ashi_system_release(&p);
        ash_world_destroy(w);
    }
}

/* Balls that meet the floor in one step, the deeper in at its end the later: the step is cut at the first of what is
 * left each time, at an instant that is known from gaps and speeds at both ends of a part. So an impact takes the part
 * that sees it and a trial or two. */
static void impacts_of_a_step_are_found_in_their_order(void **state)
{
    (void)state;
    enum { BALLS = 6 };
    const double h = 0.05, g = 10, radius = 2; /* so large that none is fast */
    ash_world *w = make_held_world("engineering", v3(0, 0, -g), 1);
    ash_body balls[BALLS];
    double right[BALLS], off = 0;
    set_surface(w, 0, 1);
    add_floor(w);
    for (int i = 0; i < BALLS; i++) {
        double touch = 0.007 * (i + 1), speed = 1 + 2 * i, fall = speed * touch + 0.5 * g * touch * touch;
        balls[i] = add_ball(w, radius, 1000, v3(5 * i, 0, radius + fall), v3(0, 0, -speed));
        right[i] = speed + g * touch - g * (h - touch);
    }
    assert_int_equal(ash_world_step(w, h), ASH_OK);
    ash_step_report report = ash_world_get_report(w);
    for (int i = 0; i < BALLS; i++)
        off = fmax(off, fabs(ash_body_get_velocity(w, balls[i]).z - right[i]));
    print_message("%u impacts in %u parts, speeds off by %.1e m/s\n", report.impacts, report.parts, off);
    assert_int_equal(report.impacts, BALLS);
    assert_below(report.parts, 3 * BALLS + 1);
    assert_below(off, 1e-4); /* the slop over the speed, times g */
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_never_adds_energy),
        cmocka_unit_test(a_resting_pile_weighs_what_it_weighs),
        cmocka_unit_test(the_books_of_a_falling_heap_close),
        cmocka_unit_test(early_stops_make_no_energy),
        cmocka_unit_test(warm_steps_do_not_allocate),
        cmocka_unit_test(extremes_stay_finite),
        cmocka_unit_test(numbers_that_overflow_are_flagged),
        cmocka_unit_test(slopes_hold_and_slide),
        cmocka_unit_test(every_step_is_measured),
        cmocka_unit_test(impacts_of_a_step_are_found_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
