/* The yardstick: solutions known by hand have no error, errors put in come out, and units do not matter. */
#include "problem/problems.h"

#include "base/random.h"
#include "problem/yardstick.h"

#include <string.h>

#define H     0.01
#define SPEED 0.0981 /* that gravity adds in a step, m/s */

static ash_yardstick measure(ashi_system *p)
{
    ashi_law law = ashi_law_of(p);
    ash_yardstick error;
    void *work = ashi_alloc(ashi_yardstick_room(p, NULL) + 1);
    assert_non_null(work);
    ashi_system_velocities(p, NULL);
    ashi_yardstick_measure(p, NULL, &law, work, &error);
    ashi_dealloc(work);
    return error;
}

/* A mass of 2 kg that cannot turn, on a floor: rows are normal z, tangents x and y. */
static ashi_system make_mass(ash_vec3 velocity, double friction, double sliding_friction)
{
    ash_problem made = {0};
    ashi_problem_maker maker = ashi_make_begin(&made, H, v3(0, 0, -9.81));
    uint32_t floor = ashi_make_body(&maker, v3(0, 0, 0), 0, v3(0, 0, 0));
    uint32_t mass = ashi_make_body(&maker, v3(0, 0, 0), 2, v3(0, 0, 0));
    ashi_surface_law surface = {.friction = friction, .sliding_friction = sliding_friction};
    ashi_make_moving(&maker, mass, velocity, v3(0, 0, 0));
    ashi_make_contact(&maker, floor, mass, v3(0, 0, 0), v3(0, 0, 1), &surface);
    assert_true(ashi_make_end(&maker));
    ashi_system p = taken_from(&made);
    keep_rows_alone(&p);
    /* tangents along x and y whatever the maker chose */
    p.rows[1].linear_b = v3(1, 0, 0);
    p.rows[1].linear_a = v3(-1, 0, 0);
    p.rows[2].linear_b = v3(0, 1, 0);
    p.rows[2].linear_a = v3(0, -1, 0);
    return p;
}

static void set_impulses(ashi_system *p, double normal, double x, double y)
{
    p->rows[0].impulse = normal;
    p->rows[1].impulse = x;
    p->rows[2].impulse = y;
}

static void a_mass_that_sticks(void **state)
{
    (void)state;
    for (ash_friction_law law = 0; law < ASH_FRICTION_LAWS; law++) {
        ashi_system p = make_mass(v3(0.02, -0.01, 0), 0.5, 0.5);
        p.law = law;
        set_impulses(&p, 2 * SPEED, -0.04, 0.02);
        ash_yardstick error = measure(&p);
        assert_below(error.largest, 1e-16);
        assert_below(error.theta, 1e-32);
        /* an impulse too small by d leaves a speed of d/m */
        p.rows[1].impulse += 2e-4;
        error = measure(&p);
        assert_near(error.largest, 1e-4, 1e-12);
        assert_int_equal(error.worst_block, 0);
        p.rows[1].impulse -= 2e-4;
        p.rows[0].impulse -= 2e-4;
        assert_near(measure(&p).largest, 1e-4, 1e-12);
        ashi_system_release(&p);
    }
}

/* Friction against the slip by Coulomb's law; with polygons at the corner, or along the edge, that dissipates most. */
static void a_mass_that_slides(void **state)
{
    (void)state;
    double bound = 0.5 * 2 * SPEED;
    static const struct {
        ash_friction_law law;
        double x, y; /* direction of the impulse, in the bound */
    } cases[] = {{ASH_FRICTION_CONE, -0.6, -0.8}, {ASH_FRICTION_BOX, -1, -1}, {ASH_FRICTION_PYRAMID, 0, -1}};
    for (int i = 0; i < 3; i++) {
        ashi_system p = make_mass(v3(3, 4, 0), 0.5, 0.5);
        p.law = cases[i].law;
        p.directions = 4;
        set_impulses(&p, 2 * SPEED, cases[i].x * bound, cases[i].y * bound);
        ash_yardstick error = measure(&p);
        assert_below(error.largest, 2e-15);
        assert_below(error.theta, 1e-28);
        p.rows[1].impulse *= 1 - 1e-3;
        p.rows[2].impulse *= 1 - 1e-3;
        assert_true(measure(&p).largest > 1e-5);
        /* the opposite way is as wrong as can be */
        set_impulses(&p, 2 * SPEED, -cases[i].x * bound, -cases[i].y * bound);
        assert_true(measure(&p).largest > 0.05);
        ashi_system_release(&p);
    }
}

static void a_mass_in_flight_and_one_that_hits(void **state)
{
    (void)state;
    ashi_system p = make_mass(v3(1, 0, 0.2), 0.5, 0.5);
    assert_below(measure(&p).largest, 1e-16); /* parts by itself: no impulse is right */
    set_impulses(&p, 0.01, 0, 0);
    assert_true(measure(&p).largest > 0.004);
    ashi_system_release(&p);

    p = make_mass(v3(0, 0, -3), 0.5, 0.5);
    p.rows[0].bias = -1.5; /* e = 0.5 */
    set_impulses(&p, 2 * (3 + SPEED + 1.5), 0, 0);
    assert_below(measure(&p).largest, 1e-15);
    set_impulses(&p, 2 * (3 + SPEED), 0, 0); /* without the rebound */
    assert_near(measure(&p).largest, 1.5, 1e-14);
    ashi_system_release(&p);
}

/* Contacts are judged by the coefficient in force, whatever that of sliding is. */
static void two_coefficients(void **state)
{
    (void)state;
    double weight = 2 * SPEED;
    ashi_system p = make_mass(v3(0.4 * SPEED, 0, 0), 0.5, 0.3);
    set_impulses(&p, weight, -0.4 * weight, 0); /* more than sliding could: holds */
    assert_below(measure(&p).largest, 1e-16);
    set_impulses(&p, weight, -0.3 * weight, 0); /* slides, though static friction is in force */
    assert_true(measure(&p).largest > 0.05 * SPEED);
    p.blocks[0].friction = 0.3; /* it is not any more */
    ash_yardstick error = measure(&p);
    assert_below(error.largest, 1e-16);
    assert_below(error.theta, 1e-32);
    ashi_system_release(&p);
}

/* A steep cone does not enlarge errors by its coefficient. */
static void steep_friction(void **state)
{
    (void)state;
    ashi_system p = make_mass(v3(0.02, -0.01, 0), 1e6, 1e6);
    set_impulses(&p, 2 * SPEED, -0.04, 0.02);
    assert_below(measure(&p).largest, 1e-16);
    set_impulses(&p, 2 * SPEED, -0.04 + 2e-4, 0.02); /* creeps by 1e-4 m/s */
    assert_near(measure(&p).largest, 1e-4, 1e-12);
    set_impulses(&p, 2 * SPEED, 0, 0); /* slides as if on ice */
    assert_near(measure(&p).largest, sqrt(0.0005), 1e-12);
    ashi_system_release(&p);
}

/* Friction that is bound by another normal impulse than the running one (de Jong 5-3-1). */
static void friction_by_a_given_normal_impulse(void **state)
{
    (void)state;
    ashi_system p = make_mass(v3(3, 4, 0), 0.5, 0.5);
    p.blocks[0].friction_limit = 0.1;
    set_impulses(&p, 2 * SPEED, -0.6 * 0.05, -0.8 * 0.05);
    ash_yardstick error = measure(&p);
    assert_below(error.largest, 1e-15);
    assert_below(error.theta, 1e-30);
    set_impulses(&p, 2 * SPEED, -0.6 * SPEED, -0.8 * SPEED); /* what the running one would give */
    assert_true(measure(&p).largest > 0.01);
    ashi_system_release(&p);
}

static void a_box_on_four_feet(void **state)
{
    (void)state;
    ashi_system p = problem_named("rest");
    for (uint32_t k = 0; k < 4; k++)
        p.rows[3 * k].impulse = 9.81 / 60 / 4;
    ash_yardstick error = measure(&p);
    assert_below(error.largest, 1e-16);
    assert_below(error.mean, error.largest);
    p.rows[6].impulse += 1e-3; /* the worst is where it was put in, the mean below it */
    error = measure(&p);
    assert_int_equal(error.worst_block, 2);
    assert_true(error.mean > 0 && error.mean < error.largest);
    /* Another load, carried by two opposite feet: as right. */
    p.rows[6].impulse = p.rows[0].impulse = 9.81 / 60 / 2;
    p.rows[3].impulse = p.rows[9].impulse = 0;
    assert_below(measure(&p).largest, 1e-16);
    ashi_system_release(&p);
}

/* A ball that turns on the spot: sliding friction of the spin, and rolling resistance. */
static void resistance_to_rolling_and_spinning(void **state)
{
    (void)state;
    double mass = 0.5, radius = 0.1, moment = 0.4 * mass * radius * radius, weight = mass * SPEED;
    ash_problem made = {0};
    ashi_problem_maker maker = ashi_make_begin(&made, H, v3(0, 0, -9.81));
    uint32_t floor = ashi_make_body(&maker, v3(0, 0, 0), 0, v3(0, 0, 0));
    uint32_t ball = ashi_make_ball(&maker, v3(0, 0, radius), radius, mass);
    ashi_surface_law felt = {.friction = 0.5, .sliding_friction = 0.5, .rolling = 0.001, .spinning = 0.002};
    ashi_make_moving(&maker, ball, v3(0, 0, 0), v3(0, 0, 4));
    ashi_make_contact(&maker, floor, ball, v3(0, 0, 0), v3(0, 0, 1), &felt);
    assert_true(ashi_make_end(&maker));
    ashi_system p = taken_from(&made);
    keep_rows_alone(&p);
    p.rows[0].impulse = weight;
    p.rows[5].impulse = -0.002 * weight;
    assert_below(measure(&p).largest, 1e-15);
    p.rows[5].impulse *= 1.01; /* too much: by rad/s times the radius of gyration */
    double excess = 0.01 * 0.002 * weight / moment * sqrt(0.4) * radius;
    double found = measure(&p).largest;
    assert_true(found > 0.9 * excess && found < 3 * excess);
    /* A small spin stops. */
    p.bodies[1].spin = v3(0, 0, 1e-3);
    p.rows[5].impulse = -1e-3 * moment;
    assert_below(measure(&p).largest, 1e-17);
    ashi_system_release(&p);
}

/* One body on a rail: plain rows with u = v along x. */
static ashi_system make_rail(double velocity, double lower, double upper)
{
    ash_problem made = {0};
    ashi_problem_maker maker = ashi_make_begin(&made, H, v3(0, 0, 0));
    uint32_t floor = ashi_make_body(&maker, v3(0, 0, 0), 0, v3(0, 0, 0));
    uint32_t mass = ashi_make_body(&maker, v3(0, 0, 0), 2, v3(1, 1, 1));
    ashi_make_moving(&maker, mass, v3(velocity, 0, 0), v3(0, 0, 0));
    ashi_make_rows(&maker, floor, mass);
    ash_problem_row *row = ashi_make_force_row(&maker, v3(0, 0, 0), v3(1, 0, 0));
    row->lower = lower;
    row->upper = upper;
    assert_true(ashi_make_end(&maker));
    ashi_system p = taken_from(&made);
    return p;
}

static void plain_rows(void **state)
{
    (void)state;
    ashi_system p = make_rail(1, -INFINITY, INFINITY); /* an equality */
    p.rows[0].impulse = -2;
    assert_below(measure(&p).largest, 0);
    p.rows[0].impulse = -1.9;
    assert_near(measure(&p).largest, 0.05, 1e-16); /* |J v + b| */
    p.rows[0].softness = 0.25;
    p.rows[0].impulse = -1 / 0.75; /* v + softness lambda = 1 + lambda/2 + lambda/4 */
    assert_below(measure(&p).largest, 2e-16);
    ashi_system_release(&p);

    p = make_rail(1, -0.5, 0.5); /* a motor that is too weak to stop it */
    p.rows[0].impulse = -0.5;
    ash_yardstick error = measure(&p);
    assert_below(error.largest, 0);
    assert_below(error.theta, 0);
    p.rows[0].impulse = 0.5;
    assert_true(measure(&p).largest > 0.4);
    assert_near(measure(&p).theta, 0.5, 1e-15); /* H = 0.5 - (-0.5) = 1 */
    p.bodies[1].velocity.x = 0.1;               /* strong enough */
    p.rows[0].impulse = -0.2;
    assert_below(measure(&p).largest, 1e-17);
    ashi_system_release(&p);

    p = make_rail(1, 0, INFINITY); /* a limit that it leaves */
    assert_below(measure(&p).largest, 0);
    p.bodies[1].velocity.x = -1; /* and one that it meets */
    assert_near(measure(&p).largest, 1, 0);
    p.rows[0].impulse = 2;
    assert_below(measure(&p).largest, 0);
    ashi_system_release(&p);
}

static void perturb(ashi_system *p, const ashi_system *exact, double size, uint64_t seed)
{
    ashi_random random = {seed};
    for (uint32_t i = 0; i < p->row_count; i++)
        p->rows[i].impulse = exact->rows[i].impulse * (1 + size * ashi_random_range(&random, -1, 1));
}

/* Near a solution that is strictly inside its pieces the error is linear in the distance. */
static void the_error_grows_linearly(void **state)
{
    (void)state;
    ashi_system exact = problem_named("stack"), p = {0};
    for (uint32_t k = 0; k < exact.block_count; k++)
        exact.rows[3 * k].impulse = 9.81 / 60 / 4 * (25 - k / 4);
    assert_below(measure(&exact).largest, 2e-14);
    assert_true(ashi_system_copy(&p, &exact));
    perturb(&p, &exact, 1e-8, 1);
    double unit = measure(&p).largest / 1e-8;
    for (double size = 1e-7; size < 1e-2; size *= 10) {
        perturb(&p, &exact, size, 1);
        assert_near(measure(&p).largest / (size * unit), 1, 1e-4);
    }
    ashi_system_release(&exact);
    ashi_system_release(&p);
}

/* The solution of a problem whose velocities are off by e has an error of about e in the true one: what the yardstick
 * promises, from the other side. */
static void a_solution_of_a_problem_nearby(void **state)
{
    (void)state;
    ashi_random random = {12};
    for (int trial = 0; trial < 100; trial++) {
        double off[3], size = 0;
        for (int i = 0; i < 3; i++) {
            off[i] = 1e-5 * ashi_random_range(&random, -1, 1);
            size += off[i] * off[i];
        }
        ashi_system p = make_mass(v3(0.02, -0.01, 0), 0.5, 0.5);
        set_impulses(&p, 2 * (SPEED - off[0]), -2 * (0.02 + off[1]), -2 * (-0.01 + off[2]));
        assert_near(measure(&p).largest, sqrt(size), 0.5 * sqrt(size));
        ashi_system_release(&p);
    }
}

/* The same problem in units of length and mass that are powers of two: the error follows to the last bit. */
static void rescale(ashi_system *p, double length, double mass)
{
    for (uint32_t i = 0; i < p->body_count; i++) {
        ash_problem_body *body = &p->bodies[i];
        body->inverse_mass = v3_scale(body->inverse_mass, 1 / mass);
        body->inverse_inertia = s3_scale(body->inverse_inertia, 1 / (mass * length * length));
        body->velocity = v3_scale(body->velocity, length);
    }
    for (uint32_t k = 0; k < p->block_count; k++) {
        ashi_block *block = &p->blocks[k];
        block->rolling *= length;
        block->spinning *= length;
        for (uint32_t r = block->first_row; r < block->first_row + block->row_count; r++) {
            ashi_row *row = &p->rows[r];
            bool angular = v3_norm2(row->linear_a) == 0 && v3_norm2(row->linear_b) == 0;
            double arm = angular ? 1 : length, impulse = angular ? mass * length * length : mass * length;
            row->angular_a = v3_scale(row->angular_a, arm);
            row->angular_b = v3_scale(row->angular_b, arm);
            row->bias *= arm;
            row->softness *= arm / impulse;
            row->impulse *= impulse;
            if (block->kind == ASHI_PLAIN_BLOCK) {
                row->lower *= impulse;
                row->upper *= impulse;
            }
        }
    }
}

static void units_do_not_matter(void **state)
{
    (void)state;
    static const double lengths[] = {0x1p10, 0x1p-10, 1, 0x1p3}, masses[] = {1, 0x1p4, 0x1p-20, 0x1p30};
    ashi_random random = {13};
    for (uint32_t n = 0; n < ash_stored_problem_count(); n++)
        for (int i = 0; i < 4; i++) {
            ashi_system p = problem_named(ashi_named_problem_get(n)->name);
            for (uint32_t k = 0; k < p.row_count; k++)
                p.rows[k].impulse = ashi_random_range(&random, -0.5, 1);
            ash_yardstick before = measure(&p);
            rescale(&p, lengths[i], masses[i]);
            ash_yardstick after = measure(&p);
            if (after.largest != before.largest * lengths[i] || after.worst_block != before.worst_block)
                fail_msg("%s: %.17g became %.17g", ashi_named_problem_get(n)->name, before.largest,
                         after.largest / lengths[i]);
            ashi_system_release(&p);
        }
}

/* What nothing can move is not judged; the body beside it is. */
static void immovable_pairs_are_left_out(void **state)
{
    (void)state;
    ashi_system p = problem_named("immovable-pair");
    assert_near(measure(&p).largest, 9.81 / 60, 0.1);
    uint32_t first = p.islands[0].first_block;
    for (uint32_t k = 0; k < p.islands[0].block_count; k++)
        p.rows[p.blocks[first + k].first_row].impulse = 9.81 / 60 / 4;
    ash_yardstick error = measure(&p);
    assert_below(error.largest, 1e-16);
    assert_true(error.worst_block >= first);
    ashi_system_release(&p);
    ashi_system empty = {.h = H};
    assert_int_equal(measure(&empty).worst_block, UINT32_MAX);
}

/* Island by island gives what the whole gives. */
static void islands_add_up(void **state)
{
    (void)state;
    ashi_system p = problem_named("sliding");
    ash_yardstick whole = measure(&p), part;
    ashi_law law = ashi_law_of(&p);
    void *work = ashi_alloc(ashi_yardstick_room(&p, NULL));
    assert_non_null(work);
    double largest = 0, theta = 0;
    for (uint32_t i = 0; i < p.island_count; i++) {
        ashi_yardstick_measure(&p, &p.islands[i], &law, work, &part);
        largest = part.largest > largest ? part.largest : largest;
        theta += part.theta;
    }
    assert_true(largest == whole.largest);
    assert_near(theta, whole.theta, 1e-14);
    ashi_dealloc(work);
    ashi_system_release(&p);
}

/* Without instructions for four doubles. */
static ash_yardstick measure_narrow(const ashi_system *p)
{
    ash_yardstick yardstick;
    ashi_law law = ashi_law_of(p);
    void *work = ashi_alloc(ashi_yardstick_room(p, NULL));
    assert_non_null(work);
    ashi_measuring measuring = ashi_yardstick_begin(p, NULL, &law, work);
    measuring.patches.narrow = true;
    ashi_yardstick_read(&measuring);
    ashi_yardstick_end(&measuring, &yardstick);
    ashi_dealloc(work);
    return yardstick;
}

static bool share_a_body(const ashi_block *a, const ashi_block *b)
{
    return a->body_a == b->body_a || a->body_a == b->body_b || a->body_b == b->body_a || a->body_b == b->body_b;
}

/* Wherever it is. A bias makes unknown what its bodies do, at their other blocks as well, of which the first is named;
 * an impulse does so everywhere. */
static void what_is_not_a_number_is_infinitely_wrong(void **state)
{
    (void)state;
    ashi_system p = expanded_named("pile");
    for (uint32_t block = 0; block < p.block_count; block += block < 40 ? 1 : 97) {
        ashi_row *row = &p.rows[p.blocks[block].first_row], before = *row;
        row->bias = NAN;
        ash_yardstick wide = measure(&p), narrow = measure_narrow(&p);
        assert_true(isinf(wide.largest) && isinf(wide.mean) && isinf(narrow.largest) && isinf(narrow.mean));
        assert_int_equal(wide.worst_block, narrow.worst_block);
        assert_true(share_a_body(&p.blocks[wide.worst_block], &p.blocks[block]));
        *row = before;
    }
    p.rows[3 * 50].impulse = NAN;
    ash_yardstick error = measure(&p);
    assert_true(isinf(error.largest) && isinf(error.mean) && error.worst_block < p.block_count);
    ashi_system_release(&p);
}

/* Sends all contacts along the general path. */
static void forget_patches(ashi_system *p)
{
    for (uint32_t k = 0; k < p->block_count; k++)
        p->blocks[k].point = UINT32_MAX;
}

static uint32_t count_patched(const ashi_system *p)
{
    ashi_law law = ashi_law_of(p);
    void *memory = ashi_alloc(ashi_patches_room(p->block_count, p->block_count));
    assert_non_null(memory);
    ashi_patches patches = ashi_patches_in(memory, p->block_count, p->block_count);
    ashi_patches_find(&patches, p, NULL, &law);
    ashi_dealloc(memory);
    return patches.judged;
}

static void assert_close(const char *name, const ash_yardstick *found, const ash_yardstick *general)
{
    if (!(found->largest > 0 && found->worst_block == general->worst_block &&
          fabs(found->largest - general->largest) <= 1e-12 * general->largest &&
          fabs(found->mean - general->mean) <= 1e-12 * general->mean &&
          fabs(found->theta - general->theta) <= 1e-12 * general->theta))
        fail_msg("%s: largest %.17g and %.17g, mean %.17g and %.17g, theta %.17g and %.17g, worst %u and %u", name,
                 found->largest, general->largest, found->mean, general->mean, found->theta, general->theta,
                 found->worst_block, general->worst_block);
}

static void compare_paths(ashi_system *p, const char *name)
{
    ash_yardstick patched = measure(p), narrow = measure_narrow(p);
    if (patched.largest != narrow.largest || patched.mean != narrow.mean || patched.theta != narrow.theta ||
        patched.worst_block != narrow.worst_block)
        fail_msg("%s: largest %.17g by four, %.17g by two", name, patched.largest, narrow.largest);
    forget_patches(p);
    ash_yardstick general = measure(p);
    assert_close(name, &patched, &general);
}

/* Some impulses within friction's bounds, some not; by `way` with rows made soft, and with only some contacts touching,
 * so that patches have all kinds side by side. */
static void set_any_impulses(ashi_system *p, int way, ashi_random *random)
{
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        bool open = way >= 2 && ashi_random_range(random, 0, 1) < 0.5;
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
            double size = i == block->first_row ? 1 : 0.4;
            p->rows[i].impulse = open ? 0 : ashi_random_range(random, -0.2 * size, size);
            if (way % 2 != 0 && (i == block->first_row ? k / 16 % 3 != 0 && k % 5 != 0 : k % 7 == 0))
                p->rows[i].softness = ashi_random_range(random, 0, 0.5);
        }
    }
}

/* Boxes on each other in the plane, each on two points. */
static ashi_system make_planar_stack(void)
{
    ash_problem made = {0};
    ashi_problem_maker maker = ashi_make_begin(&made, H, v3(0, -9.81, 0));
    made.planar = true;
    ashi_surface_law surface = {.friction = 0.5, .sliding_friction = 0.5, .velocity = v3(0.1, 0, 0)};
    uint32_t below = ashi_make_body(&maker, v3(0, -0.5, 0), 0, v3(0, 0, 0));
    for (int i = 0; i < 6; i++) {
        uint32_t box = ashi_make_box(&maker, v3(0.1 * i, i + 0.5, 0), v3(1, 1, 1), 1 + i);
        ashi_make_contact(&maker, below, box, v3(0.1 * i - 0.4, i, 0), v3(0, 1, 0), &surface);
        ashi_make_contact(&maker, below, box, v3(0.1 * i + 0.5, i, 0), v3(0, 1, 0), &surface);
        below = box;
    }
    assert_true(ashi_make_end(&maker));
    ashi_system p = taken_from(&made);
    spread_contacts(&p);
    return p;
}

/* Contacts in patches are judged as the general path does, and to the same bits on any machine: holding, sliding,
 * opening and open ones, in planes, beside rolling, spinning, soft and joints' rows. */
static void patches_are_judged_alike(void **state)
{
    (void)state;
    ashi_random random = {5};
    uint32_t patched = 0;
    for (uint32_t n = 0; n <= ash_stored_problem_count(); n++) {
        const ashi_named_problem *stored = ashi_named_problem_get(n);
        const char *name = stored != NULL ? stored->name : "a stack in the plane";
        for (int way = 0; way < 4; way++) {
            ashi_system p = stored != NULL ? expanded_named(name) : make_planar_stack();
            set_any_impulses(&p, way, &random);
            patched += count_patched(&p);
            compare_paths(&p, name);
            ashi_system_release(&p);
        }
    }
    assert_true(patched > 10000);
}

/* Tangents without friction: a normal impulse that pulls does not hold because nothing slips. */
static void tangents_without_friction_are_judged_alike(void **state)
{
    (void)state;
    ashi_system p = expanded_named("stack");
    for (uint32_t k = 0; k < p.block_count; k++)
        p.blocks[k].friction = p.blocks[k].sliding_friction = 0;
    for (uint32_t i = 0; i < p.row_count; i++)
        p.rows[i].impulse = i % 3 == 0 ? -0.1 * (i % 5) : 0;
    ashi_system_velocities(&p, NULL);
    compare_paths(&p, "stack without friction");
    ashi_system_release(&p);
}

/* The points of a problem are judged as its rows are: by the worst, its mean and theta. */
static void points_are_judged_as_rows(void **state)
{
    (void)state;
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
    settings.iterations = 3;
    for (uint32_t n = 0; n < ash_stored_problem_count(); n++) {
        const char *name = ashi_named_problem_get(n)->name;
        ashi_system points = contacts_named(name), rows = {0};
        ash_solve_result result;
        ash_yardstick by_points;
        assert_true(ashi_system_solve(&points, &settings, 1, NULL, &result));
        assert_true(ashi_system_expand(&rows, &points));
        forget_patches(&rows);
        ash_yardstick general = measure(&rows);
        assert_true(ashi_system_measure(&points, &by_points));
        assert_true(general.worst_block != UINT32_MAX && by_points.worst_block != UINT32_MAX);
        by_points.worst_block = general.worst_block; /* blocks have other numbers than points */
        assert_close(name, &by_points, &general);
        assert_close(name, &result.error, &by_points);
        ashi_system_release(&points);
        ashi_system_release(&rows);
    }
}

static void assert_near3(ash_vec3 found, ash_vec3 expected)
{
    assert_below(v3_norm(v3_sub(found, expected)), 1e-14 * (1 + v3_norm(expected)));
}

/* A patch says what its rows say: J is r x the directions, about either centre. */
static void compare_with_rows(const ashi_system *p, const ashi_patches *patches, uint32_t number)
{
    const ashi_patch *patch = &patches->list[number];
    const ash_vec3 axes[3] = {patch->normal, patch->tangent, patch->other};
    for (uint32_t k = patch->first; k < patch->first + patch->count; k++) {
        const ashi_block *block = &p->blocks[k];
        const ashi_row *row = &p->rows[block->first_row];
        uint32_t place = k - patches->first;
        ashi_point_lane at = ashi_patch_point_at(patches, number, k - patch->first);
        ash_vec3 arm = ashi_patch_in_world(patch, ashi_patch_arm_at(at));
        assert_true(block->body_a == patch->body_a && block->body_b == patch->body_b);
        assert_true(block->friction == patch->friction && row[0].bias == patches->impulses[place].bias);
        assert_true(row[0].softness == patches->softness[place]);
        assert_true(row[1].bias == patch->bias && (p->planar || row[2].bias == patch->other_bias));
        for (uint32_t i = 0; i < block->row_count; i++) {
            assert_near3(row[i].linear_b, axes[i]);
            assert_near3(row[i].angular_b, v3_cross(arm, axes[i]));
            assert_near3(row[i].angular_a, v3_neg(v3_cross(v3_add(arm, patch->distance), axes[i])));
        }
    }
}

static uint32_t find_patches(const ashi_system *p, const ash_problem_island *island)
{
    ashi_law law = ashi_law_of(p);
    void *memory = ashi_alloc(ashi_patches_room(island->block_count, island->block_count));
    assert_non_null(memory);
    ashi_patches patches = ashi_patches_in(memory, island->block_count, island->block_count);
    ashi_patches_find(&patches, p, island, &law);
    uint32_t next = island->first_block, points = 0, judged = 0;
    for (uint32_t i = 0; i < patches.count; i++) {
        const ashi_patch *patch = &patches.list[i];
        assert_true(patch->first >= next && patch->count >= 1 && patch->count <= ASHI_PATCH_POINTS);
        compare_with_rows(p, &patches, i);
        next = patch->first + patch->count;
        points += patch->count;
        judged += patch->friction <= 1 ? patch->count : 0;
    }
    assert_true(next <= island->first_block + island->block_count && judged == patches.judged);
    /* every block once, also where those of the last patch are spread over the last four */
    uint32_t lanes = 0;
    next = island->first_block;
    for (uint32_t i = 0; i < patches.count || i % ASHI_PATCHES != 0; i++)
        for (uint32_t m = 0; m < patches.fours[i / ASHI_PATCHES].count[i % ASHI_PATCHES]; m++) {
            assert_true(patches.list[i].first + m >= next);
            next = patches.list[i].first + m + 1;
            lanes++;
        }
    assert_int_equal(lanes, patches.judged);
    ashi_dealloc(memory);
    return points;
}

/* Patches are in all islands, small ones as well, and in planes; steep friction and soft normals are in them; soft
 * friction, and what an impulse might not move, is not. */
static void patches_are_found(void **state)
{
    (void)state;
    static const char *const names[] = {"stack", "pile", "rest", "sliding", "extreme-friction", "wall", "plane"};
    for (uint32_t n = 0; n < sizeof names / sizeof *names; n++) {
        ashi_system p = strcmp(names[n], "plane") == 0 ? make_planar_stack() : expanded_named(names[n]);
        for (uint32_t i = 0; i < p.island_count; i++) {
            const ash_problem_island *island = &p.islands[i];
            ashi_row *row = &p.rows[p.blocks[island->first_block].first_row];
            double *softness = &row[1].softness;
            row[0].softness = 0.1;
            assert_int_equal(find_patches(&p, island), island->block_count);
            *softness = 0.1;
            assert_int_equal(find_patches(&p, island), island->block_count - 1);
            *softness = 0;
            for (uint32_t k = 0; k < island->body_count; k++)
                p.bodies[island->first_body + k].inverse_mass.y = 0;
            assert_int_equal(find_patches(&p, island), 0);
        }
        ashi_system_release(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mass_that_sticks),
        cmocka_unit_test(a_mass_that_slides),
        cmocka_unit_test(a_mass_in_flight_and_one_that_hits),
        cmocka_unit_test(two_coefficients),
        cmocka_unit_test(steep_friction),
        cmocka_unit_test(friction_by_a_given_normal_impulse),
        cmocka_unit_test(a_box_on_four_feet),
        cmocka_unit_test(resistance_to_rolling_and_spinning),
        cmocka_unit_test(plain_rows),
        cmocka_unit_test(the_error_grows_linearly),
        cmocka_unit_test(a_solution_of_a_problem_nearby),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(immovable_pairs_are_left_out),
        cmocka_unit_test(what_is_not_a_number_is_infinitely_wrong),
        cmocka_unit_test(islands_add_up),
        cmocka_unit_test(patches_are_judged_alike),
        cmocka_unit_test(tangents_without_friction_are_judged_alike),
        cmocka_unit_test(patches_are_found),
        cmocka_unit_test(points_are_judged_as_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
