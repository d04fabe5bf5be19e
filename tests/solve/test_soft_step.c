/* The real-time solver: rest, sliding, impact, overlap and gaps against closed forms; totals and works against the
 * bodies' momentum and energy; stored problems; loads of cold piles; threads. */
#include "builder.h"

#include "problem/problems.h"
#include "solve/soft/soft_step.h"

#define GRAVITY 9.81

static ash_solver_settings soft_settings(void)
{
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_SOFT_STEP);
    return settings;
}

/* Gravity in every predicted velocity. */
static void let_fall(builder *b)
{
    for (uint32_t i = 0; i < b->problem.body_count; i++)
        if (!ashi_body_is_fixed(&b->problem.bodies[i]))
            b->problem.bodies[i].velocity.z -= GRAVITY * b->problem.h;
}

static builder *stack(uint32_t count, ash_vec3 velocity)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t lower = add_body(b, 0, 0, v3(0, 0, -0.5), v3(0, 0, 0));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t upper = add_body(b, 1000, 1, v3(0, 0, 0.5 + i), velocity);
        add_face_contacts(b, lower, upper, 1, 0.5);
        lower = upper;
    }
    let_fall(b);
    finish(b);
    return b;
}

/* The kinetic energy of all bodies: with their start, predicted or solved velocities. */
static double energy(const ashi_system *p, int which)
{
    double sum = 0;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++) {
        const ash_problem_body *body = &p->bodies[i];
        ash_motion v = which == 0   ? (ash_motion){body->start_velocity, body->start_spin}
                       : which == 1 ? (ash_motion){body->velocity, body->spin}
                                    : p->velocity[i];
        sum += 0.5 * v3_norm2(v.linear) / body->inverse_mass.x;
        if (body->inverse_inertia.xx > 0)
            sum += 0.5 * v3_dot(v.angular, s3_apply(s3_inverse(body->inverse_inertia), v.angular));
    }
    return sum;
}

static void a_cold_stack_rests_at_once(void **state)
{
    (void)state;
    builder *b = stack(25, v3(0, 0, 0));
    ash_solver_settings settings = soft_settings();
    ash_solve_result result = solve_with(&b->problem, &settings);
    assert_below(result.error.largest, 1e-12);
    for (uint32_t i = b->problem.fixed_count; i < b->problem.body_count; i++) {
        assert_below(v3_norm(b->problem.velocity[i].linear), 1e-12);
        assert_below(v3_norm(b->problem.shift[i].linear), 1e-14);
    }
    double carried = 0;
    for (uint32_t k = 0; k < 4; k++)
        carried += b->problem.rows[b->problem.blocks[k].first_row].impulse;
    assert_near(carried, 25 * 1000 * GRAVITY * b->problem.h, 1e-8);
    assert_true(result.flags & ASH_SOLVE_CONVERGED);
    free_builder(b);
}

/* Without the guess of loads the upper cubes fall on: it is the guess that holds them. */
static void the_guess_needs_warm_starts(void **state)
{
    (void)state;
    builder *b = stack(25, v3(0, 0, 0));
    ash_solver_settings settings = soft_settings();
    settings.warm_start = false;
    ash_solve_result result = solve_with(&b->problem, &settings);
    assert_false(result.flags & ASH_SOLVE_CONVERGED);
    assert_true(result.error.largest > 1e-3 && result.error.worst_block < b->problem.block_count);
    assert_true(b->problem.velocity[b->problem.body_count - 1].linear.z < -0.05);
    free_builder(b);
}

/* Sliding: the speed lost is mu g h; friction's work is the energy lost, and it is booked as friction's. */
static void sliding_loses_what_friction_takes(void **state)
{
    (void)state;
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t point = add_body(b, 2, 0, v3(0, 0, 0), v3(3, 4, 0));
    add_contact(b, ground, point, v3(0, 0, 0), v3(0, 0, 1), 2, 0.3);
    let_fall(b);
    finish(b);
    ash_solver_settings settings = soft_settings();
    ash_solve_result result = solve_with(&b->problem, &settings);
    double speed = 5 - 0.3 * GRAVITY * 0.01;
    assert_near(v3_norm(b->problem.velocity[1].linear), speed, 1e-13);
    assert_near(result.friction_work, 0.5 * 2 * (speed * speed - 25), 1e-11);
    assert_near(result.contact_work, 0, 1e-11);
    /* Sub-steps see the speed fall. */
    double mean = 5 - 0.3 * GRAVITY * 0.01 * (1 + 1.0 / settings.substeps) / 2;
    assert_near(v3_norm(b->problem.shift[1].linear), mean * 0.01, 1e-13);
    free_builder(b);
}

/* Friction may also drive: a conveyor under a body at rest. */
static void a_conveyor_takes_along(void **state)
{
    (void)state;
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t point = add_body(b, 2, 0, v3(0, 0, 0), v3(0, 0, 0));
    ashi_block *block = add_contact(b, ground, point, v3(0, 0, 0), v3(0, 0, 1), 2, 0.5);
    ash_vec3 belt = v3(0.3, 0, 0); /* the ground's surface moves so: slip is v - belt */
    for (uint32_t i = 1; i < 3; i++) {
        ashi_row *row = &b->problem.rows[block->first_row + i];
        row->bias = -v3_dot(row->linear_b, belt);
    }
    let_fall(b);
    finish(b);
    ash_solver_settings settings = soft_settings();
    solve_with(&b->problem, &settings);
    assert_near(b->problem.velocity[1].linear.x, 0.5 * GRAVITY * 0.01, 1e-13);
    free_builder(b);
}

static builder *falling_ball(double gap, double speed)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t ball = add_body(b, 3, 0.5, v3(0, 0, 0.25 + gap), v3(0, 0, -speed));
    ashi_block *block = add_contact(b, ground, ball, v3(0, 0, 0), v3(0, 0, 1), 2, 0.5);
    b->problem.rows[block->first_row].error = gap;
    finish(b);
    return b;
}

static void gaps_close_and_no_more(void **state)
{
    (void)state;
    ash_solver_settings settings = soft_settings();
    for (int i = 0; i <= 20; i++) {
        double gap = 0.001 * i, speed = 1.0;
        builder *b = falling_ball(gap, speed);
        solve_with(&b->problem, &settings);
        double way = b->problem.shift[1].linear.z;
        assert_near(way, gap < speed * 0.01 ? -gap : -speed * 0.01, 1e-15);
        assert_true((b->problem.rows[0].impulse > 0) == (gap < speed * 0.01));
        free_builder(b);
    }
}

static void impacts_rebound(void **state)
{
    (void)state;
    ash_solver_settings settings = soft_settings();
    for (int e = 0; e <= 4; e++) {
        builder *b = falling_ball(0, 2);
        b->problem.blocks[0].rebound = 0.25 * e * 2;
        ash_solve_result result = solve_with(&b->problem, &settings);
        assert_near(b->problem.velocity[1].linear.z, 0.5 * e, 1e-14);
        assert_near(b->problem.rows[0].impulse, 3 * (2 + 0.5 * e), 1e-13);
        assert_near(result.contact_work, 0.5 * 3 * (0.25 * e * e - 4), 1e-13);
        assert_near(result.friction_work, 0, 1e-15);
        free_builder(b);
    }
}

/* Overlap goes at the given rate and pace, and leaves no velocity behind. */
static void overlap_is_removed_without_velocity(void **state)
{
    (void)state;
    ash_solver_settings settings = soft_settings();
    for (int i = 1; i <= 4; i++) {
        double depth = i == 4 ? 10 : 1e-3 * i;
        builder *b = falling_ball(-depth, 0);
        solve_with(&b->problem, &settings);
        assert_true(b->problem.velocity[1].linear.z == 0);
        double way = b->problem.shift[1].linear.z;
        double h = 0.01 / settings.substeps, w = 2 * ASHI_PI * 60, a = h * w * (20 + h * w), left = depth;
        for (uint32_t k = 0; k < settings.substeps; k++)
            left -= a / (1 + a) * fmin(left * w / (20 + h * w) * h, settings.push_out * h);
        assert_near(way, depth - left, 1e-14);
        free_builder(b);
    }
}

/* What rounding an impulse changes in the speed of its row, at most. */
static double rounding_of(const ashi_system *p)
{
    double largest = 0;
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = p->blocks[k].first_row; i < p->blocks[k].first_row + p->blocks[k].row_count; i++) {
            const ashi_row *row = &p->rows[i];
            largest = fmax(largest, fabs(row->impulse) * ashi_row_response(p, &p->blocks[k], row, row));
        }
    return 0x1p-52 * largest;
}

/* Total impulses make the final velocities, forces and works the final energy; friction stays within its bound. */
static void check_books(const char *name, ashi_system *p, const ash_solve_result *result)
{
    ashi_system again = {0};
    assert_true(ashi_system_copy(&again, p));
    ashi_system_velocities(&again, NULL);
    double most = 0;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++) {
        most = fmax(most, v3_distance(again.velocity[i].linear, p->velocity[i].linear));
        assert_true(v3_is_finite(p->shift[i].linear) && v3_is_finite(p->shift[i].angular));
    }
    if (!(most <= 16 * rounding_of(p)))
        fail_msg("%s: impulses and velocities differ by %g m/s", name, most);
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        const ashi_row *row = &p->rows[block->first_row];
        if (block->kind != ASHI_CONTACT_BLOCK)
            continue;
        assert_true(row[0].impulse >= 0);
        double bound = block->friction * row[0].impulse * (p->law == ASH_FRICTION_BOX ? sqrt(2) : 1);
        if (block->tangents == 2 && block->friction_limit < 0)
            assert_below(hypot(row[1].impulse, row[2].impulse), bound * (1 + 1e-12) + 1e-15);
    }
    assert_true(isfinite(result->error.largest) && isfinite(result->contact_work) && isfinite(result->friction_work));
    ashi_system_release(&again);
}

static void stored_problems_keep_their_books(void **state)
{
    (void)state;
    ash_solver_settings settings = soft_settings();
    for (uint32_t i = 0; i < ash_stored_problem_count(); i++) {
        const ashi_named_problem *stored = ashi_named_problem_get(i);
        ashi_system p = problem_named(stored->name);
        if (p.block_count > 2000 && SLOW_BUILD) {
            ashi_system_release(&p);
            continue;
        }
        for (int round = 0; round < 3; round++) {
            ash_solve_result result = solve_with(&p, &settings);
            check_books(stored->name, &p, &result);
        }
        ashi_system_release(&p);
    }
}

/* Energy: kinetic energy after = before + work of the forces over the sub-steps + works of the blocks. */
static void works_are_the_change_of_energy(void **state)
{
    (void)state;
    ash_solver_settings settings = soft_settings();
    builder *b = stack(5, v3(0.7, 0.2, 0)); /* slides as a whole, cube on cube at rest */
    b->problem.bodies[b->problem.body_count - 1].start_velocity.x += 1;
    b->problem.bodies[b->problem.body_count - 1].velocity.x += 1;
    settings.substeps = 1; /* the forces' work is then known from outside */
    double before = energy(&b->problem, 0);
    ash_solve_result result = solve_with(&b->problem, &settings);
    double forces = 0;
    for (uint32_t i = b->problem.fixed_count; i < b->problem.body_count; i++) {
        const ash_problem_body *body = &b->problem.bodies[i];
        ash_vec3 push = v3_scale(v3_sub(body->velocity, body->start_velocity), 1 / body->inverse_mass.x);
        forces += v3_dot(push, v3_scale(v3_add(body->start_velocity, b->problem.velocity[i].linear), 0.5));
    }
    double change = energy(&b->problem, 2) - before;
    assert_near(result.contact_work + result.friction_work, change - forces, 1e-9 * before);
    assert_true(result.friction_work < -1);
    free_builder(b);
}

/* Joints: equalities pull errors out of positions, limits hold, motors stay within their bounds. */
static void joints_hold(void **state)
{
    (void)state;
    ash_solver_settings settings = soft_settings();
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t bob = add_body(b, 2, 0.1, v3(1, 0, 0), v3(0, 0, 0));
    ashi_block *joint = add_ball_joint(b, ground, bob, v3(0, 0, 0));
    b->problem.rows[joint->first_row].error = 1e-3;
    let_fall(b);
    finish(b);
    ash_solve_result result = solve_with(&b->problem, &settings);
    assert_int_equal(result.error.worst_block, 0); /* there is no contact: the joint is judged */
    for (int i = 0; i < 20; i++)
        solve_with(&b->problem, &settings);
    const ash_motion *v = &b->problem.velocity[1], *shift = &b->problem.shift[1];
    ash_vec3 at_joint = v3_add(v->linear, v3_cross(v->angular, v3(-1, 0, 0)));
    ash_vec3 moved = v3_add(shift->linear, v3_cross(shift->angular, v3(-1, 0, 0)));
    assert_below(v3_norm(at_joint), 1e-9);
    assert_true(moved.x < -1e-4 && moved.x > -1e-3);
    assert_near(moved.z, 0, 1e-9);
    free_builder(b);

    b = new_builder(ASH_FRICTION_CONE);
    ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    bob = add_body(b, 2, 0.1, v3(0, 0, 0), v3(1, 0, 0));
    joint = add_ball_joint(b, ground, bob, v3(0, 0, 0));
    joint->row_count = 1; /* along x: a brake of 5 N */
    b->problem.row_count -= 2;
    b->problem.rows[joint->first_row].lower = -0.05;
    b->problem.rows[joint->first_row].upper = 0.05;
    finish(b);
    solve_with(&b->problem, &settings);
    assert_near(b->problem.velocity[1].linear.x, 1 - 0.05 / 2, 1e-14);
    assert_near(b->problem.rows[0].impulse, -0.05, 1e-15);
    b->problem.rows[0].lower = 0; /* a limit 4 mm ahead of a body at -1 m/s */
    b->problem.rows[0].upper = HUGE_VAL;
    b->problem.rows[0].error = 0.004;
    b->problem.rows[0].impulse = 0;
    b->problem.bodies[1].velocity = b->problem.bodies[1].start_velocity = v3(-1, 0, 0);
    solve_with(&b->problem, &settings);
    assert_near(b->problem.shift[1].linear.x, -0.004, 1e-12);
    free_builder(b);
}

/* A problem at an instant: no positions, no forces. */
static void instants_have_no_length(void **state)
{
    (void)state;
    ash_solver_settings settings = soft_settings();
    builder *b = falling_ball(0, 2);
    b->problem.h = 0;
    solve_with(&b->problem, &settings);
    assert_near(b->problem.velocity[1].linear.z, 0, 1e-15);
    assert_true(b->problem.shift[1].linear.z == 0);
    free_builder(b);
}

/* Numbers that overflow are not passed over. */
static void what_overflows_is_flagged(void **state)
{
    (void)state;
    ash_solver_settings settings = soft_settings();
    builder *b = falling_ball(0, 1e300);
    b->problem.bodies[1].inverse_mass = v3(1e-300, 1e-300, 1e-300);
    ash_solve_result result = solve_with(&b->problem, &settings);
    assert_true(result.flags & ASH_SOLVE_FAILED);
    free_builder(b);
}

/* It judges itself as it stores its solution, in patches, island by island; the yardstick that looks at the problem's
 * rows block by block says the same. */
static void its_judgement_is_that_of_the_yardstick(void **state)
{
    (void)state;
    ash_solver_settings settings = soft_settings();
    for (uint32_t n = 0; n < ash_stored_problem_count(); n++) {
        ashi_system made = contacts_named(ashi_named_problem_get(n)->name), p = {0};
        for (uint32_t k = 0; n % 2 != 0 && k < made.point_count; k++)
            made.points[k].softness = 0.01 * (k % 3);
        ash_solve_result result = solve_with(&made, &settings);
        assert_true(ashi_system_expand(&p, &made));
        for (uint32_t i = 0; i < p.body_count; i++)
            p.velocity[i] = made.velocity[i];
        uint32_t worst = result.error.worst_block;
        for (uint32_t k = 0; k < p.block_count; k++) {
            if (p.blocks[k].kind == ASHI_CONTACT_BLOCK && worst == made.block_count + p.blocks[k].point)
                result.error.worst_block = k;
            p.blocks[k].point = UINT32_MAX; /* judged by its rows */
        }
        ashi_law law = ashi_law_of(&p);
        ash_yardstick general;
        void *work = ashi_alloc(ashi_yardstick_room(&p, NULL));
        assert_non_null(work);
        ashi_yardstick_measure(&p, NULL, &law, work, &general);
        ashi_dealloc(work);
        const ash_yardstick *own = &result.error;
        double least = rounding_of(&p);
        if (!(own->worst_block < p.block_count &&
              fabs(own->largest - general.largest) <= 1e-12 * general.largest + least &&
              fabs(own->mean - general.mean) <= 1e-12 * general.mean + least &&
              fabs(sqrt(own->theta) - sqrt(general.theta)) <= 1e-12 * sqrt(general.theta) + least &&
              (own->worst_block == general.worst_block || general.largest < 1e3 * least)))
            fail_msg("%s: largest %.17g at %u and %.17g at %u, mean %.17g and %.17g, theta %.17g and %.17g",
                     ashi_named_problem_get(n)->name, own->largest, own->worst_block, general.largest,
                     general.worst_block, own->mean, general.mean, own->theta, general.theta);
        ashi_system_release(&made);
        ashi_system_release(&p);
    }
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    ash_solver_settings settings = soft_settings();
    ash_motion *first = NULL;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        builder *b = new_builder(ASH_FRICTION_CONE);
        uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
        for (int i = 0; i < 40; i++) {
            uint32_t lower = add_body(b, 1 + i, 1, v3(3 * i, 0, 0.5), v3(0.1 * i, 0, 0));
            uint32_t upper = add_body(b, 2, 1, v3(3 * i + 0.1, 0, 1.5), v3(0, 1, -0.1));
            add_face_contacts(b, ground, lower, 1, 0.3);
            add_face_contacts(b, lower, upper, 1, 0.6);
        }
        let_fall(b);
        finish(b);
        ashi_tasks *tasks = ashi_tasks_create(threads, NULL);
        ashi_solver_memory *memory = ashi_solver_memory_create();
        ash_solve_result result;
        assert_true(ashi_solve_problem(&b->problem, &settings, memory, tasks, NULL, &result));
        size_t size = b->problem.body_count * sizeof *first;
        if (first == NULL) {
            first = malloc(size);
            assert_non_null(first);
            memcpy(first, b->problem.velocity, size);
        }
        assert_memory_equal(first, b->problem.velocity, size);
        ashi_solver_memory_destroy(memory);
        ashi_tasks_destroy(tasks);
        free_builder(b);
    }
    free(first);
}

/* One island after the other, with the instructions that any machine has or with those that this one has. */
static void solve_islands(ashi_system *p, bool narrow, ashi_soft_trail *trail)
{
    ash_solver_settings settings = soft_settings();
    ashi_law law = ashi_law_of(p);
    ashi_arena *scratch = ashi_arena_create(1 << 16);
    assert_non_null(scratch);
    ashi_system_velocities(p, NULL);
    for (uint32_t i = 0; i < p->island_count; i++) {
        ashi_arena_reset(scratch);
        ashi_solve solve = {.problem = p,
                            .island = &p->islands[i],
                            .settings = &settings,
                            .law = &law,
                            .scratch = scratch,
                            .number = i,
                            .trail = trail,
                            .narrow = narrow};
        assert_true(ashi_solve_soft_step(&solve));
    }
    ashi_arena_destroy(scratch);
}

static void any_machine_has_the_same_bits(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < ash_stored_problem_count(); n++) {
        ashi_system wide = contacts_named(ashi_named_problem_get(n)->name), narrow = {0};
        assert_true(ashi_system_copy(&narrow, &wide));
        ashi_soft_trail trail[2];
        for (int k = 0; k < 2; k++)
            trail[k] = (ashi_soft_trail){.lasting = calloc(wide.point_count + 1, sizeof *trail->lasting),
                                         .lasting_turns = calloc(wide.turn_count + 1, sizeof *trail->lasting_turns),
                                         .placed = calloc(wide.point_count + 1, sizeof *trail->placed)};
        solve_islands(&wide, false, &trail[0]);
        solve_islands(&narrow, true, &trail[1]);
        for (uint32_t i = 0; i < wide.row_count; i++)
            assert_true(wide.rows[i].impulse == narrow.rows[i].impulse);
        for (uint32_t i = 0; i < wide.point_count; i++)
            assert_memory_equal(&wide.points[i].impulse, &narrow.points[i].impulse, sizeof wide.points[i].impulse);
        assert_memory_equal(trail[0].lasting, trail[1].lasting, wide.point_count * sizeof *trail->lasting);
        for (int k = 0; k < 2; k++) {
            free(trail[k].lasting);
            free(trail[k].lasting_turns);
            free(trail[k].placed);
        }
        for (uint32_t i = 0; i < wide.body_count; i++) {
            assert_memory_equal(&wide.velocity[i], &narrow.velocity[i], sizeof *wide.velocity);
            assert_memory_equal(&wide.shift[i], &narrow.shift[i], sizeof *wide.shift);
        }
        ashi_system_release(&narrow);
        ashi_system_release(&wide);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cold_stack_rests_at_once),
        cmocka_unit_test(the_guess_needs_warm_starts),
        cmocka_unit_test(sliding_loses_what_friction_takes),
        cmocka_unit_test(a_conveyor_takes_along),
        cmocka_unit_test(gaps_close_and_no_more),
        cmocka_unit_test(impacts_rebound),
        cmocka_unit_test(overlap_is_removed_without_velocity),
        cmocka_unit_test(stored_problems_keep_their_books),
        cmocka_unit_test(works_are_the_change_of_energy),
        cmocka_unit_test(joints_hold),
        cmocka_unit_test(instants_have_no_length),
        cmocka_unit_test(what_overflows_is_flagged),
        cmocka_unit_test(its_judgement_is_that_of_the_yardstick),
        cmocka_unit_test(any_machine_has_the_same_bits),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
