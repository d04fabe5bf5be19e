/* The rows of the special joints: J and drift against numerical derivatives at random states, momentum and the places
 * at which forces act, the curves of paths, and definitions that cannot work. */
#include "base/alloc.h"
#include "base/random.h"
#include "model/forces.h"
#include "model/joint_class.h"
#include "model/path.h"
#include "world/world.h"
#include "worlds.h"

typedef struct pair {
    ash_world *world;
    ashi_joint_entry joint;
    ash_joint_def def;
} pair;

static double uniform(ashi_random *random)
{
    return ashi_random_range(random, -1, 1);
}

static ash_vec3 random_vector(ashi_random *random)
{
    double x = uniform(random), y = uniform(random), z = uniform(random);
    return v3(x, y, z);
}

static ash_quat random_turn(ashi_random *random)
{
    return q_exp(v3_scale(random_vector(random), 2));
}

/* Slots 1 and 2. */
static pair make_pair(ash_joint_kind kind, bool planar)
{
    ash_world_def def = ash_default_world_def();
    ash_diagnostic diagnostic = {0};
    pair p = {.def = {.kind = kind, .length = -1, .radius_a = 0.3, .radius_b = 0.7, .ratio = 1.5, .pitch = 0.4}};
    def.planar = planar;
    def.gravity = v3(0, 0, 0);
    assert_int_equal(ash_world_create(&def, &p.world, &diagnostic), ASH_OK);
    make_rotor(p.world, 2, v3(1, 2, 2.5), v3(0, 0, 0), v3(0, 0, 0));
    make_rotor(p.world, 1, v3(2, 1, 1.5), v3(0, 0, 0), v3(0, 0, 0));
    p.def.frame_a = p.def.frame_b = (ash_transform){v3(0, 0, 0), q_identity()};
    return p;
}

static void place(pair *p, uint32_t slot, ash_vec3 position, ash_quat rotation)
{
    ashi_state *now = &p->world->model.bodies.now;
    now->position[slot] = position;
    now->rotation[slot] = rotation;
}

static bool define(pair *p, ash_diagnostic *diagnostic)
{
    ashi_dealloc(p->joint.path);
    p->joint = (ashi_joint_entry){.kind = p->def.kind,
                                  .body_a = 1,
                                  .body_b = 2,
                                  .frame_a = p->def.frame_a,
                                  .frame_b = p->def.frame_b,
                                  .arm_a = p->def.frame_a.position,
                                  .arm_b = p->def.frame_b.position,
                                  .enabled = true};
    return ashi_joint_class_of(p->def.kind)->define(&p->world->model, &p->def, &p->joint, diagnostic);
}

static void destroy(pair *p)
{
    ashi_dealloc(p->joint.path);
    ash_world_destroy(p->world);
}

/* Everything that a joint can be asked for, as rows: held ones, then coordinates. */
static uint32_t all_rows(const pair *p, const ashi_state *state, ashi_joint_row *rows)
{
    ashi_joint_frames frames = ashi_joint_frames_at(&p->world->model, &p->joint, state);
    uint32_t count = ashi_joint_hold(&p->joint, &frames, rows);
    for (int i = 0; i < ASH_FREEDOMS; i++)
        if ((p->joint.kept & ASH_FREEDOM_BIT(i)) != 0)
            rows[count++] = ashi_joint_coordinate(&p->joint, &frames, (ash_freedom)i);
    return count;
}

/* The state after a time without forces. */
static void drift_state(const ashi_state *from, double t, ashi_state *to)
{
    for (uint32_t i = 0; i < 3; i++) {
        to->position[i] = v3_add_scaled(from->position[i], from->velocity[i], t);
        to->rotation[i] = q_unit(q_mul(q_exp(v3_scale(from->spin[i], t)), from->rotation[i]));
        to->velocity[i] = from->velocity[i];
        to->spin[i] = from->spin[i];
    }
}

/* Third derivatives jump at the points of a path, and those of its normals at nodes: whether none lies between. */
static bool same_node(const pair *p, double length, double other)
{
    const ashi_joint_path *path = p->joint.path;
    ashi_path_point here = ashi_path_at(path, ashi_path_near_length(path, length));
    ashi_path_point there = ashi_path_at(path, ashi_path_near_length(path, other));
    return v3_distance(here.across_rate, there.across_rate) == 0 && v3_distance(here.third, there.third) == 0;
}

/* J v and drift of every row against differences of its error. */
static void check_derivatives(const pair *p, double scale)
{
    const ashi_state *now = &p->world->model.bodies.now;
    ash_vec3 position[3], velocity[3], spin[3];
    ash_quat rotation[3];
    ashi_state at = {position, rotation, velocity, spin};
    ashi_joint_row rows[2 * ASH_FREEDOMS + 6], ahead[2 * ASH_FREEDOMS + 6], behind[2 * ASH_FREEDOMS + 6];
    ashi_joint_frames frames = ashi_joint_frames_at(&p->world->model, &p->joint, now);
    uint32_t count = all_rows(p, now, rows);
    const double t = 1e-4;
    drift_state(now, t, &at);
    assert_int_equal(all_rows(p, &at, ahead), count);
    drift_state(now, -t, &at);
    assert_int_equal(all_rows(p, &at, behind), count);
    if (p->joint.path != NULL && !same_node(p, ahead[count - 1].error, behind[count - 1].error))
        return;
    for (uint32_t i = 0; i < count; i++) {
        double rate = (ahead[i].error - behind[i].error) / (2 * t);
        double bend = (ahead[i].error - 2 * rows[i].error + behind[i].error) / (t * t);
        assert_near(ashi_joint_row_rate(&frames, &rows[i]), rate, 3e-6 * scale);
        assert_near(rows[i].drift, bend, 3e-5 * scale);
    }
}

/* The forces along each row neither push nor turn the two bodies together. */
static void check_balance(const pair *p)
{
    const ashi_state *now = &p->world->model.bodies.now;
    ashi_joint_row rows[2 * ASH_FREEDOMS + 6];
    uint32_t count = all_rows(p, now, rows);
    for (uint32_t i = 0; i < count; i++) {
        ash_vec3 force = v3_add(rows[i].linear_a, rows[i].linear_b);
        ash_vec3 torque = v3_add(v3_add(rows[i].angular_a, v3_cross(now->position[1], rows[i].linear_a)),
                                 v3_add(rows[i].angular_b, v3_cross(now->position[2], rows[i].linear_b)));
        assert_near(v3_norm(force), 0, 1e-13);
        assert_near(v3_norm(torque), 0, 1e-12);
    }
}

static void move_at_random(pair *p, ashi_random *random)
{
    ashi_state *now = &p->world->model.bodies.now;
    for (uint32_t i = 1; i < 3; i++) {
        now->velocity[i] = random_vector(random);
        now->spin[i] = random_vector(random);
        if (p->world->model.bodies.planar) {
            now->velocity[i].z = 0;
            now->spin[i] = v3(0, 0, now->spin[i].z);
        }
    }
}

/* Poses somewhere, and a small change of them so that the joint is open. */
static void pose_at_random(pair *p, ashi_random *random, double distance, double size)
{
    bool planar = p->world->model.bodies.planar;
    ash_vec3 offset = v3_scale(v3_unit(random_vector(random)), distance);
    place(p, 1, v3_scale(random_vector(random), size), random_turn(random));
    place(p, 2, v3_add(p->world->model.bodies.now.position[1], offset), random_turn(random));
    for (uint32_t i = 1; planar && i < 3; i++) {
        p->world->model.bodies.now.position[i].z = 0;
        place(p, i, p->world->model.bodies.now.position[i], q_exp(v3(0, 0, 3 * uniform(random))));
    }
}

static void open_at_random(pair *p, ashi_random *random, double size)
{
    ashi_state *now = &p->world->model.bodies.now;
    ash_vec3 move = v3_scale(random_vector(random), size), turn = v3_scale(random_vector(random), size);
    if (p->world->model.bodies.planar) {
        move.z = 0;
        turn = v3(0, 0, turn.z);
    }
    now->position[2] = v3_add(now->position[2], move);
    now->rotation[2] = q_unit(q_mul(q_exp(turn), now->rotation[2]));
}

static void frames_at_random(pair *p, ashi_random *random)
{
    bool planar = p->world->model.bodies.planar;
    p->def.frame_a.position = v3_scale(random_vector(random), 0.3);
    p->def.frame_b.position = v3_scale(random_vector(random), 0.3);
    p->def.frame_a.rotation = planar ? q_exp(v3(0, 0, uniform(random))) : random_turn(random);
    p->def.frame_b.rotation = planar ? q_exp(v3(0, 0, uniform(random))) : random_turn(random);
    if (planar)
        p->def.frame_a.position.z = p->def.frame_b.position.z = 0;
}

static void lengths_have_exact_derivatives(void **state)
{
    (void)state;
    static const ash_joint_kind kinds[] = {ASH_JOINT_DISTANCE, ASH_JOINT_ROPE, ASH_JOINT_HYDRAULIC, ASH_JOINT_PULLEY,
                                           ASH_JOINT_SUSPENSION};
    ashi_random random = {71};
    for (uint32_t trial = 0; trial < TRIALS(400); trial++) {
        pair p = make_pair(kinds[trial % 5], trial % 2 == 1);
        frames_at_random(&p, &random);
        pose_at_random(&p, &random, 2, 1);
        p.def.min_length = 0.1;
        p.def.max_length = 5;
        p.def.hang_a = v3(1, 4, 0);
        p.def.hang_b = v3(-2, 5, 0);
        assert_true(define(&p, NULL));
        open_at_random(&p, &random, 0.1);
        move_at_random(&p, &random);
        check_derivatives(&p, 10);
        if (p.def.kind != ASH_JOINT_PULLEY) /* whose rope pulls at the world */
            check_balance(&p);
        destroy(&p);
    }
}

static void screws_have_exact_derivatives(void **state)
{
    (void)state;
    ashi_random random = {72};
    for (uint32_t trial = 0; trial < TRIALS(200); trial++) {
        pair p = make_pair(ASH_JOINT_SCREW, false);
        frames_at_random(&p, &random);
        pose_at_random(&p, &random, 0.3, 1);
        assert_true(define(&p, NULL));
        /* frame b where frame a is, some way up the thread */
        ash_transform a =
            t_mul((ash_transform){p.world->model.bodies.now.position[1], p.world->model.bodies.now.rotation[1]},
                  p.def.frame_a);
        double angle = 9 * uniform(&random);
        ash_transform along = {v3(p.def.pitch * angle / (2 * ASHI_PI), 0, 0), q_exp(v3(angle, 0, 0))};
        ash_transform b = t_mul(t_mul(a, along), t_inverse(p.def.frame_b));
        place(&p, 2, b.position, b.rotation);
        assert_true(define(&p, NULL));
        ashi_joint_row rows[16];
        uint32_t count = all_rows(&p, &p.world->model.bodies.now, rows);
        assert_int_equal(count, 7);
        for (uint32_t i = 0; i < 5; i++) /* turns are counted from the travel */
            assert_near(rows[i].error, 0, 1e-13);
        assert_near(rows[6].error, angle, 1e-13);
        open_at_random(&p, &random, 0.1);
        move_at_random(&p, &random);
        check_derivatives(&p, 10);
        check_balance(&p);
        destroy(&p);
    }
}

/* Gears whose axes meet at an angle (0: parallel), pitch circles touching, somewhere in space. Returns the tangent. */
static ash_vec3 place_gears(pair *p, double r_a, double r_b, double angle, bool flip, ashi_random *random)
{
    p->def.radius_a = r_a;
    p->def.radius_b = r_b;
    ash_quat turn = p->world->model.bodies.planar ? q_exp(v3(0, 0, uniform(random))) : random_turn(random);
    ash_vec3 t = v3(0, 0, 1), u_a = v3(1, 0, 0), u_b = v3(ashi_cos(angle), ashi_sin(angle), 0);
    if (p->world->model.bodies.planar) {
        t = v3(0, 1, 0);
        u_a = u_b = v3(0, 0, 1);
    }
    ash_vec3 d = v3_cross(t, v3_add(v3_scale(u_a, r_a), v3_scale(u_b, r_b)));
    ash_vec3 centre = random_vector(random);
    centre.z = p->world->model.bodies.planar ? 0 : centre.z;
    /* bodies' axes along frames', frames' x along the axes */
    ash_quat lie = p->world->model.bodies.planar ? q_identity() : q_exp(v3(0, 0, angle));
    if (flip)
        lie = q_mul(lie, q_exp(v3(0, 0, ASHI_PI)));
    place(p, 1, centre, turn);
    place(p, 2, v3_add(centre, q_rotate(turn, d)), q_mul(turn, lie));
    return q_rotate(turn, t);
}

static void gears_have_exact_derivatives(void **state)
{
    (void)state;
    ashi_random random = {73};
    for (uint32_t trial = 0; trial < TRIALS(400); trial++) {
        bool planar = trial % 4 == 3;
        pair p = make_pair(ASH_JOINT_GEAR, planar);
        double angle = trial % 4 == 1 ? ashi_random_range(&random, 0.3, 2.4) : 0;
        place_gears(&p, 0.4, trial % 3 == 0 ? -1 : 0.7, angle, !planar && trial % 5 == 0, &random);
        assert_true(define(&p, NULL));
        open_at_random(&p, &random, 0.05);
        move_at_random(&p, &random);
        check_derivatives(&p, 100);
        check_balance(&p);
        destroy(&p);
    }
}

/* At any angle of the axes and for either sense of theirs: the row is a force along the tangent at the pitch point. */
static void gears_push_at_the_pitch_point(void **state)
{
    (void)state;
    ashi_random random = {74};
    for (uint32_t trial = 0; trial < TRIALS(200); trial++) {
        bool ring = trial % 2 == 0, flip = trial % 3 == 0;
        pair p = make_pair(ASH_JOINT_GEAR, false);
        double angle = ring ? 0 : ashi_random_range(&random, 0, 2.5);
        ash_vec3 t = place_gears(&p, 0.4, ring ? -1 : 0.7, angle, flip, &random);
        const ashi_state *now = &p.world->model.bodies.now;
        assert_true(define(&p, NULL));
        ashi_joint_row rows[16];
        all_rows(&p, now, rows);
        ash_vec3 pitch = v3_scale(v3_cross(t, q_rotate(now->rotation[1], v3(1, 0, 0))), 0.4);
        assert_near(rows[0].error, 0, 1e-14);
        assert_near(fabs(v3_dot(rows[0].linear_b, t)), 1, 1e-13);
        assert_near(v3_norm(v3_cross(rows[0].linear_b, t)), 0, 1e-13);
        ash_vec3 arm_b = v3_sub(v3_add(now->position[1], pitch), now->position[2]);
        assert_near(v3_distance(rows[0].angular_a, v3_cross(pitch, rows[0].linear_a)), 0, 1e-12);
        assert_near(v3_distance(rows[0].angular_b, v3_cross(arm_b, rows[0].linear_b)), 0, 1e-12);
        destroy(&p);
    }
}

static void racks_push_at_the_pitch_point(void **state)
{
    (void)state;
    ashi_random random = {75};
    for (uint32_t trial = 0; trial < TRIALS(200); trial++) {
        bool planar = trial % 2 == 1;
        pair p = make_pair(ASH_JOINT_RACK, planar);
        ash_quat turn = planar ? q_exp(v3(0, 0, 2 * uniform(&random))) : random_turn(&random);
        double side = trial % 3 == 0 ? -1 : 1, r = p.def.radius_b;
        /* the rack along x of a; the pinion's axis z of a, its centre beside the rack along y */
        ash_vec3 centre = random_vector(&random), l = q_rotate(turn, v3(1, 0, 0));
        centre.z = planar ? 0 : centre.z;
        ash_vec3 beside = q_rotate(turn, v3(0.3, side * r, 0));
        place(&p, 1, centre, turn);
        place(&p, 2, v3_add(centre, beside), planar ? turn : q_mul(turn, q_exp(v3(0, -ASHI_PI / 2, 0))));
        assert_true(define(&p, NULL));
        ashi_joint_row rows[16];
        const ashi_state *now = &p.world->model.bodies.now;
        assert_int_equal(all_rows(&p, now, rows), 3);
        assert_near(rows[0].error, 0, 1e-14);
        assert_near(v3_distance(rows[0].linear_b, l), 0, 1e-13);
        ash_vec3 arm = v3_scale(q_rotate(turn, v3(0, -side, 0)), r);
        assert_near(v3_distance(rows[0].angular_b, v3_cross(arm, l)), 0, 1e-12);
        open_at_random(&p, &random, 0.1);
        move_at_random(&p, &random);
        check_derivatives(&p, 10);
        check_balance(&p);
        destroy(&p);
    }
}

/* A ring that is neither flat nor round. */
static uint32_t wavy_ring(ash_vec3 *points, uint32_t count, bool planar)
{
    for (uint32_t i = 0; i < count; i++) {
        double u = 2 * ASHI_PI * i / count;
        points[i] = v3(2 * ashi_cos(u), 1.5 * ashi_sin(u), planar ? 0 : 0.4 * ashi_sin(2 * u));
    }
    return count;
}

static void paths_have_exact_derivatives(void **state)
{
    (void)state;
    ashi_random random = {76};
    for (uint32_t trial = 0; trial < TRIALS(400); trial++) {
        ash_vec3 points[20];
        bool planar = trial % 2 == 1, closed = trial % 3 != 0;
        pair p = make_pair(ASH_JOINT_PATH, planar);
        frames_at_random(&p, &random);
        pose_at_random(&p, &random, 0, 1);
        p.def.path = points;
        p.def.path_count = wavy_ring(points, 20, planar);
        p.def.path_closed = closed;
        ashi_state *now = &p.world->model.bodies.now;
        ash_transform a = t_mul((ash_transform){now->position[1], now->rotation[1]}, p.def.frame_a);
        ash_vec3 on = points[ashi_random_below(&random, 20)];
        now->position[2] = v3_sub(t_point(a, on), q_rotate(now->rotation[2], p.def.frame_b.position));
        assert_true(define(&p, NULL));
        ashi_joint_row rows[16];
        uint32_t count = all_rows(&p, now, rows);
        assert_int_equal(count, planar ? 2 : 3);
        for (uint32_t i = 0; i + 1 < count; i++)
            assert_near(rows[i].error, 0, 1e-13);
        open_at_random(&p, &random, 0.1);
        move_at_random(&p, &random);
        check_derivatives(&p, 30);
        check_balance(&p);
        destroy(&p);
    }
}

static void paths_are_smooth_and_measured(void **state)
{
    (void)state;
    ash_vec3 circle[64];
    for (uint32_t i = 0; i < 64; i++)
        circle[i] = v3(3 * ashi_cos(2 * ASHI_PI * i / 64), 3 * ashi_sin(2 * ASHI_PI * i / 64), 0);
    ashi_joint_path *path = ashi_path_create(circle, 64, true, false);
    assert_non_null(path);
    double total = ashi_path_length(path), largest = 0;
    assert_near(total, 6 * ASHI_PI, 2e-5);
    for (uint32_t i = 0; i < 500; i++) {
        double t = total * i / 500 - 3;
        ashi_path_point at = ashi_path_at(path, t), next = ashi_path_at(path, t + 1e-9);
        largest = fmax(largest, fabs(v3_norm(at.place) - 3));
        assert_near(v3_distance(at.place, next.place), 0, 2e-9);
        assert_near(v3_distance(at.first, next.first), 0, 2e-9);
        assert_near(v3_distance(at.second, next.second), 0, 1e-8);
        assert_near(v3_distance(at.across, next.across), 0, 1e-8);
    }
    assert_below(largest, 1e-5); /* of order 4: 3 (2 pi / 64)^4 / 384 = 7e-7 for the best cubic */
    ashi_dealloc(path);
    /* a straight line of uneven points is exactly that, and goes on */
    const ash_vec3 line[4] = {{0, 0, 0}, {1, 0, 1}, {1.5, 0, 1.5}, {4, 0, 4}};
    path = ashi_path_create(line, 4, false, false);
    assert_non_null(path);
    assert_near(ashi_path_length(path), 4 * sqrt(2), 1e-14);
    ashi_path_point beyond = ashi_path_at(path, 4 * sqrt(2) + 1);
    assert_near(beyond.length, 4 * sqrt(2) + 1, 1e-14);
    assert_near(v3_distance(beyond.place, v3(4 + sqrt(0.5), 0, 4 + sqrt(0.5))), 0, 1e-14);
    assert_near(ashi_path_at(path, ashi_path_foot(path, v3(2, 7, 1), 0.1)).length, 1.5 * sqrt(2), 1e-14);
    ashi_dealloc(path);
}

/* Twice around a closed path, in steps: the coordinate counts on. */
static void laps_are_counted(void **state)
{
    (void)state;
    ash_vec3 points[20];
    pair p = make_pair(ASH_JOINT_PATH, false);
    p.def.path = points;
    p.def.path_count = wavy_ring(points, 20, false);
    p.def.path_closed = true;
    place(&p, 1, v3(0, 0, 0), q_identity());
    place(&p, 2, points[0], q_identity());
    assert_true(define(&p, NULL));
    double total = ashi_path_length(p.joint.path);
    ashi_state *now = &p.world->model.bodies.now;
    for (uint32_t i = 1; i <= 80; i++) {
        double wanted = 2.25 * total * i / 80;
        now->position[2] = ashi_path_at(p.joint.path, ashi_path_near_length(p.joint.path, wanted)).place;
        ashi_joint_frames frames = ashi_joint_frames_at(&p.world->model, &p.joint, now);
        p.joint.turn[ASH_MOVE_X] = ashi_joint_coordinate(&p.joint, &frames, ASH_MOVE_X).error;
        assert_near(p.joint.turn[ASH_MOVE_X], wanted, 0.01);
    }
    destroy(&p);
}

/* The rows that the hydraulic's table has for each state. */
static void piston_follows_the_table(void **state)
{
    (void)state;
    pair p = make_pair(ASH_JOINT_HYDRAULIC, false);
    ashi_joint_row rows[4];
    p.def.min_length = 1;
    p.def.max_length = 3;
    p.def.speed = 0.5;
    p.def.max_force = 200;
    place(&p, 2, v3(2, 0, 0), q_identity());
    assert_true(define(&p, NULL));
    const ashi_joint_class *class = ashi_joint_class_of(ASH_JOINT_HYDRAULIC);
    ashi_state *now = &p.world->model.bodies.now;
    ashi_joint_frames frames = ashi_joint_frames_at(&p.world->model, &p.joint, now);
    assert_int_equal(class->hold(&p.joint, &frames, rows), 1);
    assert_near(rows[0].error, 0, 0);
    assert_int_equal(class->act(&p.joint, &frames, 0, 0.01, rows), 0);
    for (int direction = -1; direction <= 1; direction += 2) {
        p.joint.piston = direction > 0 ? ASH_PISTON_EXTEND : ASH_PISTON_CONTRACT;
        p.joint.held_length = 2;
        now->position[2].x = 2;
        frames = ashi_joint_frames_at(&p.world->model, &p.joint, now);
        assert_int_equal(class->hold(&p.joint, &frames, rows), 0);
        /* not back beyond what was reached, and driven with the force on one side only */
        assert_int_equal(class->act(&p.joint, &frames, 0, 0.01, rows), 2);
        assert_int_equal(rows[1].role, ASHI_ROW_LIMIT);
        assert_near(rows[1].linear_b.x, direction, 0);
        assert_near(rows[0].speed, direction * 0.5, 0);
        assert_near(direction > 0 ? rows[0].upper : -rows[0].lower, 200, 0);
        assert_true(isinf(direction > 0 ? rows[0].lower : rows[0].upper));
        /* it moves on: the length follows; pushed back: it does not */
        now->position[2].x = 2 + 0.4 * direction;
        frames = ashi_joint_frames_at(&p.world->model, &p.joint, now);
        class->advance(&p.joint, &frames, 0, 0.01);
        assert_near(p.joint.held_length, 2 + 0.4 * direction, 1e-15);
        now->position[2].x = 2 + 0.3 * direction;
        frames = ashi_joint_frames_at(&p.world->model, &p.joint, now);
        class->advance(&p.joint, &frames, 0, 0.01);
        assert_near(p.joint.held_length, 2 + 0.4 * direction, 1e-15);
        assert_int_equal(class->act(&p.joint, &frames, 0, 0.01, rows), 2);
        assert_near(rows[1].error, -0.1, 1e-15);
        /* at its end: stopped, and no longer driven */
        now->position[2].x = 2 + direction;
        frames = ashi_joint_frames_at(&p.world->model, &p.joint, now);
        assert_int_equal(class->act(&p.joint, &frames, 0, 0.01, rows), 1);
        assert_near(rows[0].error, 0, 1e-15);
        assert_near(rows[0].linear_b.x, -direction, 0);
    }
    destroy(&p);
}

static void check_refused(pair *p, const char *code)
{
    ash_diagnostic diagnostic = {0};
    assert_false(define(p, &diagnostic));
    assert_string_equal(diagnostic.code, code);
    assert_true(diagnostic.message[0] != 0);
    destroy(p);
}

static void senseless_definitions_are_refused(void **state)
{
    (void)state;
    const ash_vec3 repeated[3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}}, back[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}};
    pair p = make_pair(ASH_JOINT_DISTANCE, false);
    check_refused(&p, "joint.length"); /* as at creation: nothing */
    p = make_pair(ASH_JOINT_ROPE, false);
    p.def.length = 0;
    check_refused(&p, "joint.length");
    p = make_pair(ASH_JOINT_DISTANCE, false);
    p.def.length = (double)NAN;
    check_refused(&p, "joint.length");
    p = make_pair(ASH_JOINT_SCREW, false);
    p.def.pitch = 0;
    check_refused(&p, "joint.pitch");
    p = make_pair(ASH_JOINT_SCREW, false);
    p.def.pitch = 5e-324; /* its turns would be no number */
    check_refused(&p, "joint.pitch");
    p = make_pair(ASH_JOINT_SCREW, true);
    check_refused(&p, "joint.planar");
    p = make_pair(ASH_JOINT_GEAR, false);
    p.def.radius_b = 0;
    check_refused(&p, "joint.gear-radius");
    p = make_pair(ASH_JOINT_GEAR, false);
    check_refused(&p, "joint.gear-centres");
    p = make_pair(ASH_JOINT_GEAR, false);
    place(&p, 2, v3(0, 1, 0), q_exp(v3(0, 1, 0)));
    check_refused(&p, "joint.gear-pitch");
    p = make_pair(ASH_JOINT_RACK, false);
    p.def.radius_b = -1;
    check_refused(&p, "joint.rack-radius");
    p = make_pair(ASH_JOINT_RACK, false);
    check_refused(&p, "joint.rack-axes");
    p = make_pair(ASH_JOINT_RACK, true);
    check_refused(&p, "joint.rack-side");
    p = make_pair(ASH_JOINT_PULLEY, false);
    p.def.ratio = 0;
    check_refused(&p, "joint.ratio");
    p = make_pair(ASH_JOINT_PULLEY, false);
    check_refused(&p, "joint.hang");
    p = make_pair(ASH_JOINT_HYDRAULIC, false);
    check_refused(&p, "joint.piston-length");
    p = make_pair(ASH_JOINT_HYDRAULIC, false);
    p.def.min_length = p.def.max_length = 1;
    p.def.speed = -1;
    check_refused(&p, "joint.piston-drive");
    p = make_pair(ASH_JOINT_PATH, false);
    check_refused(&p, "joint.path-count");
    p = make_pair(ASH_JOINT_PATH, false);
    p.def.path = repeated;
    p.def.path_count = 2;
    p.def.path_closed = true;
    check_refused(&p, "joint.path-count");
    p = make_pair(ASH_JOINT_PATH, false);
    p.def.path = repeated;
    p.def.path_count = 3;
    check_refused(&p, "joint.path-repeats");
    p = make_pair(ASH_JOINT_PATH, false);
    p.def.path = back;
    p.def.path_count = 3;
    check_refused(&p, "joint.path-turns");
}

/* States without a direction: nothing is NaN. */
static void degenerate_states_stay_finite(void **state)
{
    (void)state;
    static const ash_joint_kind kinds[] = {ASH_JOINT_DISTANCE, ASH_JOINT_ROPE,      ASH_JOINT_HYDRAULIC,
                                           ASH_JOINT_PULLEY,   ASH_JOINT_GEAR,      ASH_JOINT_RACK,
                                           ASH_JOINT_PATH,     ASH_JOINT_SUSPENSION};
    ash_vec3 circle[12];
    for (uint32_t i = 0; i < 12; i++)
        circle[i] = v3(ashi_cos(ASHI_PI * i / 6), ashi_sin(ASHI_PI * i / 6), 0);
    for (uint32_t k = 0; k < 8; k++) {
        pair p = make_pair(kinds[k], false);
        ash_quat turn = kinds[k] == ASH_JOINT_RACK ? q_exp(v3(0, 0, ASHI_PI / 2)) : q_identity();
        p.def.min_length = p.def.max_length = 1;
        p.def.path = circle;
        p.def.path_count = 12;
        p.def.path_closed = true;
        place(&p, 2, v3(0, 0, 1), turn);
        if (kinds[k] == ASH_JOINT_PULLEY)
            p.def.hang_a = v3(0, 1, 0);
        assert_true(define(&p, NULL));
        ashi_state *now = &p.world->model.bodies.now;
        now->velocity[1] = v3(1, 2, 3);
        now->spin[2] = v3(-1, 1, 2);
        for (uint32_t pose = 0; pose < 3; pose++) {
            place(&p, 2, v3(0, 0, 0), pose == 0 ? q_identity() : q_exp(v3(0, 0, ASHI_PI / 2 * pose)));
            p.joint.hang_b = v3(0, 0, 0);
            ashi_joint_row rows[16];
            uint32_t count = all_rows(&p, now, rows);
            for (uint32_t i = 0; i < count; i++) {
                assert_true(isfinite(rows[i].error) && isfinite(rows[i].drift));
                assert_true(v3_is_finite(rows[i].linear_a) && v3_is_finite(rows[i].angular_a));
                assert_true(v3_is_finite(rows[i].linear_b) && v3_is_finite(rows[i].angular_b));
            }
        }
        destroy(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_have_exact_derivatives), cmocka_unit_test(screws_have_exact_derivatives),
        cmocka_unit_test(gears_have_exact_derivatives),   cmocka_unit_test(gears_push_at_the_pitch_point),
        cmocka_unit_test(racks_push_at_the_pitch_point),  cmocka_unit_test(paths_have_exact_derivatives),
        cmocka_unit_test(paths_are_smooth_and_measured),  cmocka_unit_test(laps_are_counted),
        cmocka_unit_test(piston_follows_the_table),       cmocka_unit_test(senseless_definitions_are_refused),
        cmocka_unit_test(degenerate_states_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
