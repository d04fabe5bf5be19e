/* Rows of joints: derivatives against differences, momentum, kept and removed freedoms of every kind and mask. */
#include "joints.h"

#define ALL_FREEDOMS 63u
#define PLANE_BITS   (ASH_FREEDOM_BIT(ASH_MOVE_X) | ASH_FREEDOM_BIT(ASH_MOVE_Y) | ASH_FREEDOM_BIT(ASH_TURN_Z))

/* A world with two bodies and a joint whose frames are `relative` to each other. */
typedef struct pair {
    ash_world *world;
    ash_body a, b;
    ashi_joint_entry *joint;
} pair;

static pair make_pair(const ash_joint_def *wanted, bool planar, ash_transform relative, ashi_random *random)
{
    pair p = {.world = make_joint_world(planar)};
    ash_joint_def def = *wanted;
    p.a = make_random_body(p.world, random);
    p.b = make_random_body(p.world, random);
    ash_vec3 turn = planar ? v3(0, 0, 0.7) : random_vector(random, 2), place = random_vector(random, 0.5);
    def.body_a = p.a;
    def.body_b = p.b;
    def.frame_a = (ash_transform){planar ? v3(place.x, place.y, 0) : place, q_exp(turn)};
    def.frame_b = frame_on(p.world, p.a, def.frame_a, relative, p.b);
    p.joint = joint_in(p.world, make_joint(p.world, &def));
    return p;
}

/* The state of both bodies after a motion along six directions of each, times an amount. */
static void displace(pair *p, const ash_vec3 *move, const ash_vec3 *turn, double amount, ash_vec3 *positions,
                     ash_quat *rotations)
{
    ashi_state *now = &p->world->model.bodies.now;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t slot = i == 0 ? p->joint->body_a : p->joint->body_b;
        now->position[slot] = v3_add_scaled(positions[i], move[i], amount);
        now->rotation[slot] = q_mul(q_exp(v3_scale(turn[i], amount)), rotations[i]);
    }
}

/* All rows of a joint: what it holds, its coordinates, and more that some kinds use. */
static uint32_t all_rows(const pair *p, ashi_joint_row *rows)
{
    ashi_joint_frames f = ashi_joint_frames_at(&p->world->model, p->joint, &p->world->model.bodies.now);
    uint32_t count = ashi_joint_hold(p->joint, &f, rows);
    for (int i = 0; i < ASH_FREEDOMS; i++)
        if ((p->joint->kept & ASH_FREEDOM_BIT(i)) != 0)
            rows[count++] = ashi_joint_coordinate(p->joint, &f, (ash_freedom)i);
    rows[count] = ashi_joint_row_begin();
    ashi_distance_row(&f, &rows[count++]);
    if (!f.planar) {
        rows[count] = ashi_joint_row_begin();
        ashi_angle_row(&f, f.axes_a[0], f.axes_b[1], &rows[count++]);
    }
    return count;
}

/* Points that are held together are held in axes that turn with the mean of both rotations. */
static void follow_meeting(const pair *p, const ash_vec3 *turn, double amount, const ash_vec3 *axes,
                           ashi_joint_row *rows)
{
    int directions = ash_world_is_planar(p->world) ? 2 : 3;
    if ((p->joint->removed & ((1u << directions) - 1)) != (1u << directions) - 1)
        return;
    ashi_joint_frames f = ashi_joint_frames_at(&p->world->model, p->joint, &p->world->model.bodies.now);
    ash_quat mean = q_exp(v3_scale(v3_add(turn[0], turn[1]), 0.5 * amount));
    for (int i = 0; i < directions; i++)
        rows[i].error = v3_dot(q_rotate(mean, axes[i]), f.offset);
}

/* First and second derivatives of all rows along a straight motion, by differences of fourth order. */
static void differences(pair *p, const ash_vec3 *move, const ash_vec3 *turn, double *first, double *second)
{
    const double step = 1e-3, near[5] = {1, -8, 0, 8, -1}, bend[5] = {-1, 16, -30, 16, -1};
    ashi_state *now = &p->world->model.bodies.now;
    uint32_t a = p->joint->body_a, b = p->joint->body_b;
    ash_vec3 positions[2] = {now->position[a], now->position[b]};
    ash_quat rotations[2] = {now->rotation[a], now->rotation[b]};
    ashi_joint_row rows[ASHI_JOINT_ROWS];
    ashi_joint_frames start = ashi_joint_frames_at(&p->world->model, p->joint, now);
    for (uint32_t i = 0; i < ASHI_JOINT_ROWS; i++)
        first[i] = second[i] = 0;
    for (int s = 0; s < 5; s++) {
        displace(p, move, turn, (s - 2) * step, positions, rotations);
        uint32_t count = all_rows(p, rows);
        follow_meeting(p, turn, (s - 2) * step, start.axes_a, rows);
        for (uint32_t i = 0; i < count; i++) {
            first[i] += near[s] * rows[i].error / (12 * step);
            second[i] += bend[s] * rows[i].error / (12 * step * step);
        }
    }
    displace(p, move, turn, 0, positions, rotations);
}

static void check_derivatives(pair *p)
{
    ashi_joint_row rows[ASHI_JOINT_ROWS];
    double first[ASHI_JOINT_ROWS], second[ASHI_JOINT_ROWS];
    uint32_t count = all_rows(p, rows);
    const ash_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool planar = ash_world_is_planar(p->world);
    for (int freedom = 0; freedom < 12; freedom++) {
        int body = freedom / 6, part = freedom % 6;
        if (planar && part >= 2 && part <= 4)
            continue;
        ash_vec3 move[2] = {{0, 0, 0}, {0, 0, 0}}, turn[2] = {{0, 0, 0}, {0, 0, 0}};
        (part < 3 ? move : turn)[body] = unit[part % 3];
        differences(p, move, turn, first, second);
        for (uint32_t i = 0; i < count; i++) {
            ash_vec3 linear = body == 0 ? rows[i].linear_a : rows[i].linear_b;
            ash_vec3 angular = body == 0 ? rows[i].angular_a : rows[i].angular_b;
            assert_near(v3_dot(part < 3 ? linear : angular, unit[part % 3]), first[i], 1e-7);
        }
    }
    /* with the velocities that the bodies have, nothing accelerating */
    const ashi_state *now = &p->world->model.bodies.now;
    uint32_t a = p->joint->body_a, b = p->joint->body_b;
    ash_vec3 move[2] = {now->velocity[a], now->velocity[b]}, turn[2] = {now->spin[a], now->spin[b]};
    ashi_joint_frames f = ashi_joint_frames_at(&p->world->model, p->joint, now);
    differences(p, move, turn, first, second);
    for (uint32_t i = 0; i < count; i++) {
        assert_near(ashi_joint_row_rate(&f, &rows[i]), first[i], 1e-7);
        assert_near(rows[i].drift, second[i], 1e-7 * (1 + fabs(second[i])));
    }
}

/* Equal and opposite forces, without a moment that is left over: at any error. */
static void check_momentum(const pair *p)
{
    ashi_joint_row rows[ASHI_JOINT_ROWS];
    const ashi_state *now = &p->world->model.bodies.now;
    uint32_t count = all_rows(p, rows);
    for (uint32_t i = 0; i < count; i++) {
        ash_vec3 moment = v3_add(rows[i].angular_a, rows[i].angular_b);
        moment = v3_add(moment, v3_cross(now->position[p->joint->body_a], rows[i].linear_a));
        moment = v3_add(moment, v3_cross(now->position[p->joint->body_b], rows[i].linear_b));
        assert_below(v3_norm(v3_add(rows[i].linear_a, rows[i].linear_b)), 1e-15);
        assert_below(v3_norm(moment), 1e-14);
    }
}

static void derivatives_match_differences(void **state)
{
    (void)state;
    ashi_random random = {1};
    for (int trial = 0; trial < TRIALS(20); trial++) {
        for (uint32_t mask = 1; mask <= ALL_FREEDOMS; mask++) {
            for (int planar = 0; planar < 2; planar++) {
                if (planar != 0 && (mask & PLANE_BITS) == 0)
                    continue;
                ash_joint_def def = ash_default_joint_def(ASH_JOINT_COMBINATION);
                ash_vec3 turn = random_vector(&random, 0.6), offset = random_vector(&random, 0.5);
                def.removed = mask;
                def.angle = ashi_random_range(&random, 1.2, 2);
                if (planar != 0)
                    turn.x = turn.y = offset.z = 0;
                /* not near 0, where the distance bends more than differences see */
                offset = v3_scale(v3_unit(offset), ashi_random_range(&random, 0.3, 0.6));
                pair p = make_pair(&def, planar != 0, (ash_transform){offset, q_exp(turn)}, &random);
                check_derivatives(&p);
                check_momentum(&p);
                ash_world_destroy(p.world);
            }
        }
    }
}

/* Rotation vectors, swings and twists near half a turn, and very small ones, where the formulas change over. */
static void derivatives_match_at_large_and_small_errors(void **state)
{
    (void)state;
    ashi_random random = {2};
    const double angles[] = {2.9, 2.2, 0.32, 0.3, 0.0317, 0.0315, 1e-3, 1e-7, 0};
    const ash_joint_kind kinds[] = {ASH_JOINT_PARALLEL, ASH_JOINT_COMMON_AXIS, ASH_JOINT_BALL};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            ash_joint_def def = ash_default_joint_def(kinds[k]);
            ash_vec3 turn = v3_scale(v3_unit(v3(0.1, 0.7, -0.8)), angles[i]);
            pair p = make_pair(&def, false, (ash_transform){v3(0.2, 0, 0.1), q_exp(turn)}, &random);
            check_derivatives(&p);
            ash_world_destroy(p.world);
        }
}

static ash_quat about(int axis, double angle)
{
    return q_exp(axis == 0 ? v3(angle, 0, 0) : axis == 1 ? v3(0, angle, 0) : v3(0, 0, angle));
}

/* A pose of b against a that a mask of removed freedoms allows, made from coordinates. */
static ash_transform allowed(uint32_t removed, double angle, bool planar, const double *q)
{
    uint32_t turns = removed >> ASH_TURN_X;
    ash_transform t = ash_identity();
    t.position = v3((removed & 1u) != 0 ? 0 : q[0], (removed & 2u) != 0 ? 0 : q[1], (removed & 4u) != 0 ? 0 : q[2]);
    if (planar) {
        t.position.z = 0;
        t.rotation = (turns & 4u) != 0 ? q_identity() : about(2, q[5]);
        return t;
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        if (turns == (7u & ~(1u << i)))
            t.rotation = about(i, q[3 + i]);
        if (turns == 1u << i)
            t.rotation = q_mul(q_mul(about(j, q[3 + j]), about(i, angle - ASHI_PI / 2)), about(k, q[3 + k]));
    }
    if (turns == 0)
        t.rotation = q_mul(q_exp(v3(0, q[4], q[5])), about(0, q[3]));
    return t;
}

/* Along kept freedoms a joint moves without any error, and its coordinates are what it was moved by. */
static void kept_freedoms_have_no_error(void **state)
{
    (void)state;
    ashi_random random = {3};
    for (uint32_t mask = 1; mask <= ALL_FREEDOMS; mask++)
        for (int planar = 0; planar < 2; planar++) {
            ash_joint_def def = ash_default_joint_def(ASH_JOINT_COMBINATION);
            double q[ASH_FREEDOMS];
            if (planar != 0 && (mask & PLANE_BITS) == 0)
                continue;
            for (int i = 0; i < ASH_FREEDOMS; i++)
                q[i] = ashi_random_range(&random, -1.5, 1.5);
            def.removed = mask;
            def.angle = ashi_random_range(&random, 0.5, 2.5);
            pair p = make_pair(&def, planar != 0, allowed(mask, def.angle, planar != 0, q), &random);
            const ashi_state *now = &p.world->model.bodies.now;
            ash_joint_error error = ashi_joint_error_at(&p.world->model, p.joint, now);
            assert_below(error.distance, 2e-15);
            assert_below(error.angle, 4e-15);
            for (int i = 0; i < ASH_FREEDOMS; i++)
                if ((p.joint->kept & ASH_FREEDOM_BIT(i)) != 0)
                    assert_near(ashi_joint_position(&p.world->model, p.joint, now, (ash_freedom)i), q[i], 1e-14);
            ash_world_destroy(p.world);
        }
}

/* A small motion along each removed freedom, one at a time, shows as its row's error, and in no other row. */
static void removed_freedoms_show_their_error(void **state)
{
    (void)state;
    ashi_random random = {4};
    for (uint32_t mask = 1; mask <= ALL_FREEDOMS; mask++)
        for (int planar = 0; planar < 2; planar++) {
            ash_joint_def def = ash_default_joint_def(ASH_JOINT_COMBINATION);
            def.removed = mask;
            uint32_t row = 0, removed = planar != 0 ? mask & PLANE_BITS : mask;
            for (int i = 0; i < ASH_FREEDOMS; i++) {
                if ((removed & ASH_FREEDOM_BIT(i)) == 0)
                    continue;
                double size = i < 3 ? 0.2 : 1e-6;
                ash_vec3 axis = v3(i % 3 == 0 ? size : 0, i % 3 == 1 ? size : 0, i % 3 == 2 ? size : 0);
                ash_transform relative = {i < 3 ? axis : v3(0, 0, 0), i < 3 ? q_identity() : q_exp(axis)};
                pair p = make_pair(&def, planar != 0, relative, &random);
                ashi_joint_row rows[ASHI_JOINT_ROWS];
                uint32_t count =
                    ashi_joint_rows(&p.world->model, p.joint, &p.world->model.bodies.now, 0, 0.01, true, rows);
                assert_int_equal(count, p.joint->hold_count);
                for (uint32_t r = 0; r < count; r++) {
                    assert_near(rows[r].error, r == row ? size : 0, 1e-14);
                    assert_int_equal(rows[r].key, r);
                    assert_int_equal(rows[r].angular, i < 3 ? rows[r].angular : r == row || rows[r].angular);
                }
                row++;
                ash_world_destroy(p.world);
            }
            assert_true(row > 0 || planar != 0);
        }
}

/* What each named kind removes: with its row count in space and in the plane (0: refused there). */
static void kinds_remove_what_they_say(void **state)
{
    (void)state;
    static const struct {
        ash_joint_kind kind;
        uint32_t kept, rows, plane_kept, plane_rows;
    } kinds[] = {
        {ASH_JOINT_BALL, 070, 3, 040, 2},
        {ASH_JOINT_POINT_ON_LINE, 071, 2, 041, 1},
        {ASH_JOINT_POINT_ON_PLANE, 076, 1, 042, 1},
        {ASH_JOINT_PARALLEL, 007, 3, 003, 1},
        {ASH_JOINT_COMMON_AXIS, 017, 2, 0, 0},
        {ASH_JOINT_FIXED_ANGLE, 037, 1, 0, 0},
        {ASH_JOINT_FIXED, 0, 6, 0, 3},
        {ASH_JOINT_HINGE, 010, 5, 040, 2},
        {ASH_JOINT_UNIVERSAL, 030, 4, 0, 0},
        {ASH_JOINT_SLIDER, 001, 5, 001, 2},
        {ASH_JOINT_CYLINDRICAL, 011, 4, 0, 0},
        {ASH_JOINT_PLANAR, 016, 3, 0, 0},
    };
    ashi_random random = {5};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ash_joint_def def = ash_default_joint_def(kinds[i].kind);
        pair p = make_pair(&def, false, (ash_transform){v3(0.3, 0.2, 0.1), q_exp(v3(0.1, 0.2, 0.3))}, &random);
        assert_int_equal(p.joint->kept, kinds[i].kept);
        assert_int_equal(p.joint->hold_count, kinds[i].rows);
        check_derivatives(&p);
        ash_world_destroy(p.world);
        if (kinds[i].plane_rows > 0) {
            p = make_pair(&def, true, ash_identity(), &random);
            assert_int_equal(p.joint->kept, kinds[i].plane_kept);
            assert_int_equal(p.joint->hold_count, kinds[i].plane_rows);
            ash_world_destroy(p.world);
        }
    }
}

/* Opposite axes, zero lengths and aligned axes: finite rows, whatever they mean. */
static void degenerate_states_are_finite(void **state)
{
    (void)state;
    ashi_random random = {6};
    const ash_vec3 turns[] = {{0, ASHI_PI, 0}, {ASHI_PI, 0, 0}, {0, 0, ASHI_PI}, {0, 0, ASHI_PI / 2}, {0, 0, 0}};
    for (uint32_t mask = 1; mask <= ALL_FREEDOMS; mask++)
        for (size_t t = 0; t < sizeof turns / sizeof *turns; t++) {
            ash_joint_def def = ash_default_joint_def(ASH_JOINT_COMBINATION);
            def.removed = mask;
            pair p = make_pair(&def, false, (ash_transform){v3(0, 0, 0), q_exp(turns[t])}, &random);
            ashi_joint_row rows[ASHI_JOINT_ROWS];
            uint32_t count = all_rows(&p, rows);
            for (uint32_t i = 0; i < count; i++) {
                assert_true(isfinite(rows[i].error) && isfinite(rows[i].drift));
                assert_true(v3_is_finite(rows[i].angular_a) && v3_is_finite(rows[i].angular_b));
            }
            ash_world_destroy(p.world);
        }
}

static void turns_are_counted_to_the_nearest(void **state)
{
    (void)state;
    assert_near(ashi_count_turns(0.5, 0), 0.5, 0);
    assert_near(ashi_count_turns(-3, 3.1), 2 * ASHI_PI - 3, 1e-15);
    assert_near(ashi_count_turns(3, -9), 3 - 4 * ASHI_PI, 1e-15);
    assert_near(ashi_count_turns(0.25, 200 * ASHI_PI), 200 * ASHI_PI + 0.25, 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_match_differences),
        cmocka_unit_test(derivatives_match_at_large_and_small_errors),
        cmocka_unit_test(kept_freedoms_have_no_error),
        cmocka_unit_test(removed_freedoms_show_their_error),
        cmocka_unit_test(kinds_remove_what_they_say),
        cmocka_unit_test(degenerate_states_are_finite),
        cmocka_unit_test(turns_are_counted_to_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
