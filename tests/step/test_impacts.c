/* Steps cut at impacts: two free bodies of any two shapes that collide with restitution 1 and no friction keep their
 * energy and momentum, at any phase of the step, with spin, and never overlap beyond the slop; two balls leave each
 * other as the exact solution says. */
#include "step/piles.h"

#include "base/random.h"
#include "math/transform.h"

#include <math.h>
#include <string.h>

#ifdef ASHLAR_SLOW_BUILD
enum { TRIALS = 1 };
#else
enum { TRIALS = 4 };
#endif

static ash_vec3 any_vector(ashi_random *random)
{
    double x = ashi_random_range(random, -1, 1), y = ashi_random_range(random, -1, 1);
    return v3(x, y, ashi_random_range(random, -1, 1));
}

static ash_vec3 any_direction(ashi_random *random, bool planar)
{
    while (true) {
        ash_vec3 v = any_vector(random);
        v.z = planar ? 0 : v.z;
        if (v3_norm2(v) < 1 && v3_norm2(v) > 0.01)
            return v3_unit(v);
    }
}

static ash_quat any_rotation(ashi_random *random, bool planar)
{
    ash_vec3 axis = planar ? v3(0, 0, 1) : any_direction(random, false);
    return q_exp(v3_scale(axis, ashi_random_range(random, -3, 3)));
}

static const double field_spacing = 0.06;

static double rounded_cube(ash_vec3 p, void *user)
{
    (void)user;
    ash_vec3 out = v3_max(v3_sub(v3_abs(p), v3(0.15, 0.15, 0.15)), v3(0, 0, 0));
    return v3_norm(out) - 0.1;
}

/* A dented octahedron. */
static const ash_vec3 star[] = {{0.4, 0, 0}, {-0.4, 0, 0}, {0, 0.3, 0}, {0, -0.3, 0}, {0, 0, 0.08}, {0, 0, -0.3}};
static const uint32_t star_faces[] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};

static ash_geometry *make_geometry(const ash_geometry_def *def)
{
    ash_geometry *geometry = NULL;
    ash_diagnostic d;
    if (ash_geometry_create(def, &geometry, &d) != ASH_OK)
        fail_msg("%s", d.message);
    return geometry;
}

/* Balls at the ends of a rod. */
static ash_geometry *make_dumbbell(ashi_random *random)
{
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE),
                     rod = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_geometry_def whole = ash_default_geometry_def(ASH_GEOMETRY_COMPOUND);
    double half = ashi_random_range(random, 0.15, 0.3);
    ball.radius = 0.12;
    rod.half_extents = v3(half, 0.04, 0.04);
    ash_geometry_part parts[3] = {{make_geometry(&ball), {v3(half, 0, 0), q_identity()}},
                                  {make_geometry(&ball), {v3(-half, 0, 0), q_identity()}},
                                  {make_geometry(&rod), ash_identity()}};
    whole.parts = parts;
    whole.part_count = 3;
    ash_geometry *geometry = make_geometry(&whole);
    for (int i = 0; i < 3; i++)
        ash_geometry_release(parts[i].geometry);
    return geometry;
}

static ash_geometry *make_any(ashi_random *random, ash_geometry_kind kind)
{
    ash_geometry_def def = ash_default_geometry_def(kind);
    ash_vec3 points[16];
    double x = ashi_random_range(random, 0.1, 0.3), y = ashi_random_range(random, 0.1, 0.3);
    def.radius = ashi_random_range(random, 0.05, 0.3);
    def.height = ashi_random_range(random, 0.1, 0.6);
    def.half_extents = v3(x, y, ashi_random_range(random, 0.1, 0.3));
    def.points = points;
    if (kind == ASH_GEOMETRY_HULL) {
        def.point_count = 6 + ashi_random_below(random, 10);
        for (uint32_t i = 0; i < def.point_count; i++)
            points[i] = v3_mul(def.half_extents, any_direction(random, false));
    } else if (kind == ASH_GEOMETRY_POLYGON) {
        def.point_count = 3 + ashi_random_below(random, 5);
        for (uint32_t i = 0; i < def.point_count; i++) {
            double angle = 2 * ASHI_PI * (i + ashi_random_range(random, 0, 0.6)) / def.point_count;
            points[i] = v3(0.3 * cos(angle), 0.3 * sin(angle), 0);
        }
    } else if (kind == ASH_GEOMETRY_MESH) {
        def.points = star;
        def.point_count = 6;
        def.triangles = star_faces;
        def.triangle_count = 8;
    } else if (kind == ASH_GEOMETRY_DISTANCE_FIELD) {
        def.cells[0] = def.cells[1] = def.cells[2] = 11;
        def.origin = v3(-0.3, -0.3, -0.3);
        def.spacing = v3(field_spacing, field_spacing, field_spacing);
        def.sample_function = rounded_cube;
    } else if (kind == ASH_GEOMETRY_COMPOUND) {
        return make_dumbbell(random);
    }
    return make_geometry(&def);
}

static ash_body add_body(ash_world *w, ash_geometry *geometry, const ash_body_def *def)
{
    ash_shape_def shape = ash_default_shape_def();
    ash_diagnostic d;
    ash_body body;
    shape.geometry = geometry;
    if (ash_body_create(w, def, &shape, 1, &body, &d) != ASH_OK)
        fail_msg("%s", d.message);
    return body;
}

/* Two bodies on their way towards each other. */
typedef struct duel {
    ash_geometry *geometry[2];
    ash_body_def body[2];
    bool planar;
    double h;
    uint32_t steps;
} duel;

static duel make_duel(ashi_random *random, ash_geometry_kind one, ash_geometry_kind other)
{
    duel d = {.planar = one >= ASH_GEOMETRY_CIRCLE};
    ash_vec3 along = any_direction(random, d.planar);
    for (int i = 0; i < 2; i++) {
        d.geometry[i] = make_any(random, i == 0 ? one : other);
        d.body[i] = ash_default_body_def();
        d.body[i].position = v3_scale(along, i == 0 ? -1.1 : 1.1);
        d.body[i].rotation = any_rotation(random, d.planar);
        ash_vec3 aside = any_direction(random, d.planar), axis = any_direction(random, false);
        aside = v3_scale(aside, ashi_random_range(random, 0, 0.3));
        double speed = ashi_random_range(random, 0.5, 6);
        d.body[i].velocity = v3_scale(v3_sub(aside, d.body[i].position), speed);
        d.body[i].angular_velocity = v3_scale(axis, ashi_random_range(random, 0, 15));
        if (d.planar)
            d.body[i].angular_velocity = v3(0, 0, ashi_random_range(random, -15, 15));
    }
    d.h = ashi_random_range(random, 0.001, 0.02);
    d.steps = (uint32_t)(0.6 / d.h);
    return d;
}

static void release_duel(const duel *d)
{
    ash_geometry_release(d->geometry[0]);
    ash_geometry_release(d->geometry[1]);
}

/* Energy, momentum and overlap, as bad as they were. */
typedef struct outcome {
    double energy, momentum, angular, overlap;
    uint32_t flags, impacts;
    ash_vec3 position[2], velocity[2], spin[2];
} outcome;

/* `once`: until the first impact. */
static outcome fight(const duel *d, bool turned, ash_vec3 offset, bool once)
{
    ash_body bodies[2];
    ash_world_def def = ash_default_world_def();
    ash_world *w;
    outcome o = {0};
    assert_int_equal(ash_method_find("engineering", &def.method, NULL), ASH_OK);
    def.planar = d->planar;
    def.gravity = v3(0, 0, 0);
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_OK);
    set_surface(w, 0, 1);
    for (int i = 0; i < 2; i++) {
        int who = turned ? 1 - i : i;
        ash_body_def body = d->body[who];
        body.position = v3_add(body.position, offset);
        bodies[who] = add_body(w, d->geometry[who], &body);
    }
    ash_vec3 p = ash_world_get_momentum(w), l = ash_world_get_angular_momentum(w);
    double energy = ash_world_get_ledger(w).kinetic, mass = 0, size = 0;
    for (int i = 0; i < 2; i++) {
        mass += ash_body_get_mass(w, bodies[i]).mass;
        size += v3_norm(ash_body_get_velocity(w, bodies[i]));
    }
    for (uint32_t i = 0; i < d->steps && !(once && o.impacts > 0); i++) {
        if (ash_world_step(w, d->h) != ASH_OK)
            fail_msg("%s", ash_world_get_last_diagnostic(w).message);
        ash_step_report r = ash_world_get_report(w);
        o.overlap = fmax(o.overlap, r.penetration);
        o.flags |= r.flags;
        o.impacts += r.impacts;
        o.energy = fmax(o.energy, fabs(ash_world_get_ledger(w).kinetic - energy) / energy);
        o.momentum = fmax(o.momentum, v3_distance(ash_world_get_momentum(w), p) / (mass * size));
        o.angular = fmax(o.angular, v3_distance(ash_world_get_angular_momentum(w), l) / (mass * size));
    }
    for (int i = 0; i < 2; i++) {
        o.position[i] = v3_sub(ash_body_get_transform(w, bodies[i]).position, offset);
        o.velocity[i] = ash_body_get_velocity(w, bodies[i]);
        o.spin[i] = ash_body_get_angular_velocity(w, bodies[i]);
    }
    ash_world_destroy(w);
    return o;
}

static double slop_of_engineering(void)
{
    ash_method method;
    assert_int_equal(ash_method_find("engineering", &method, NULL), ASH_OK);
    return method.slop;
}

/* Contacts of a distance field are points in a sampled field: how deep they are jumps by a part of a cell. */
static bool judge(const duel *d, const outcome *o, ash_geometry_kind one, ash_geometry_kind other, int trial)
{
    bool field = one == ASH_GEOMETRY_DISTANCE_FIELD || other == ASH_GEOMETRY_DISTANCE_FIELD;
    double overlap = field ? 0.3 * field_spacing : slop_of_engineering(), energy = field ? 1e-3 : 1e-9;
    bool good = o->energy < energy && o->momentum < 1e-12 && o->angular < 1e-12 && o->overlap <= overlap &&
                (field || o->flags == 0);
    if (!good)
        print_error("%s, %s, trial %d, h %g: energy off by %g, momentum by %g, %g; overlap %g, flags %u, %u impacts\n",
                    ash_geometry_kind_name(one), ash_geometry_kind_name(other), trial, d->h, o->energy, o->momentum,
                    o->angular, o->overlap, o->flags, o->impacts);
    return good;
}

static bool can_meet(ash_geometry_kind one, ash_geometry_kind other)
{
    bool flat = one >= ASH_GEOMETRY_CIRCLE;
    bool moves[2] = {one != ASH_GEOMETRY_PLANE && one != ASH_GEOMETRY_HEIGHT_FIELD && one != ASH_GEOMETRY_SEGMENT,
                     other != ASH_GEOMETRY_PLANE && other != ASH_GEOMETRY_HEIGHT_FIELD &&
                         other != ASH_GEOMETRY_SEGMENT};
    bool meshes = one == ASH_GEOMETRY_MESH && other == ASH_GEOMETRY_MESH;
    return moves[0] && moves[1] && !meshes && flat == (other >= ASH_GEOMETRY_CIRCLE);
}

/* Distance fields take most of the time. */
static int trials_of(ash_geometry_kind one, ash_geometry_kind other)
{
    bool field = one == ASH_GEOMETRY_DISTANCE_FIELD || other == ASH_GEOMETRY_DISTANCE_FIELD;
    return !can_meet(one, other) ? 0 : field ? 1 : TRIALS;
}

static void elastic_impacts_keep_energy_and_momentum(void **state)
{
    (void)state;
    uint32_t impacts = 0, failures = 0;
    for (int one = 0; one < ASH_GEOMETRY_KINDS; one++)
        for (int other = 0; other < ASH_GEOMETRY_KINDS; other++)
            for (int trial = 0; trial < trials_of(one, other); trial++) {
                ashi_random random = {(uint64_t)(10000 * one + 100 * other + trial)};
                duel d = make_duel(&random, one, other);
                outcome o = fight(&d, false, v3(0, 0, 0), false);
                failures += !judge(&d, &o, one, other, trial);
                impacts += o.impacts;
                release_duel(&d);
            }
    assert_int_equal(failures, 0);
    assert_true(impacts > 100);
}

/* ---- no preference ---- */

/* How far the velocities of two outcomes differ, over the fastest. */
static double difference(const outcome *o, const outcome *p)
{
    double most = 0, scale = 0;
    for (int i = 0; i < 2; i++) {
        most = fmax(most, fmax(v3_distance(o->velocity[i], p->velocity[i]), v3_distance(o->spin[i], p->spin[i])));
        scale = fmax(scale, fmax(v3_norm(o->velocity[i]), v3_norm(o->spin[i])));
    }
    return most / scale;
}

static duel mirrored(const duel *d)
{
    duel m = *d;
    for (int i = 0; i < 2; i++) {
        ash_body_def *b = &m.body[i];
        b->position.x = -b->position.x;
        b->velocity.x = -b->velocity.x;
        b->angular_velocity = v3(b->angular_velocity.x, -b->angular_velocity.y, -b->angular_velocity.z);
        b->rotation = (ash_quat){b->rotation.w, b->rotation.x, -b->rotation.y, -b->rotation.z};
    }
    return m;
}

static outcome mirrored_back(outcome o)
{
    for (int i = 0; i < 2; i++) {
        o.velocity[i].x = -o.velocity[i].x;
        o.spin[i] = v3(o.spin[i].x, -o.spin[i].y, -o.spin[i].z);
    }
    return o;
}

/* Kinds that are their own mirror image. */
static bool is_mirrored(ash_geometry_kind kind)
{
    return kind < ASH_GEOMETRY_HULL || kind == ASH_GEOMETRY_COMPOUND || kind == ASH_GEOMETRY_CIRCLE ||
           kind == ASH_GEOMETRY_FLAT_CAPSULE;
}

/* The order of the bodies, a mirror image, and a kilometre: the first impact is the same. */
static void order_mirror_and_place_do_not_matter(void **state)
{
    (void)state;
    uint32_t failures = 0;
    for (int one = 0; one < ASH_GEOMETRY_KINDS; one++)
        for (int other = SLOW_BUILD ? one : 0; other < ASH_GEOMETRY_KINDS; other++)
            for (int trial = 0; trial < (trials_of(one, other) + 1) / 2; trial++) {
                ashi_random random = {(uint64_t)(10000 * one + 100 * other + trial + 50)};
                duel d = make_duel(&random, one, other), m = mirrored(&d);
                ash_vec3 far = d.planar ? v3(800, 600, 0) : v3(700, -500, 500);
                outcome o = fight(&d, false, v3(0, 0, 0), true), turned = fight(&d, true, v3(0, 0, 0), true);
                outcome away = fight(&d, false, far, true), image = mirrored_back(fight(&m, false, v3(0, 0, 0), true));
                double by[3] = {difference(&o, &turned), difference(&o, &away), 0};
                by[2] = is_mirrored(one) && is_mirrored(other) ? difference(&o, &image) : 0;
                for (int i = 0; i < 3; i++)
                    if (!(by[i] < (trials_of(one, other) == 1 ? 1e-3 : 1e-5))) {
                        failures++;
                        print_error("%s, %s, trial %d: %s, velocities differ by %g\n", ash_geometry_kind_name(one),
                                    ash_geometry_kind_name(other), trial,
                                    i == 0   ? "bodies exchanged"
                                    : i == 1 ? "a kilometre away"
                                             : "mirrored",
                                    by[i]);
                    }
                release_duel(&d);
            }
    assert_int_equal(failures, 0);
}

/* ---- two balls ---- */

/* Balls of one mass exchange their velocities along the line of their centres. */
static void balls_leave_as_the_exact_solution_says(void **state)
{
    (void)state;
    ashi_random random = {7};
    for (int trial = 0; trial < 200; trial++) {
        const double r = 0.03, speed = ashi_random_range(&random, 0.2, 10), h = ashi_random_range(&random, 0.002, 0.02);
        double b = ashi_random_range(&random, 0, 0.96) * 2 * r, apart = ashi_random_range(&random, 3, 6) * r;
        ash_world *w = make_held_world("engineering", v3(0, 0, 0), 1);
        set_surface(w, 0, 1);
        ash_body one = add_ball(w, r, 1000, v3(-apart, -b / 2, 0), v3(speed, 0, 0));
        ash_body other = add_ball(w, r, 1000, v3(apart, b / 2, 0), v3(-0.3 * speed, 0, 0));
        assert_int_equal(ash_body_set_angular_velocity(w, one, v3(3, -20, 9)), ASH_OK);
        take_steps(w, h, (uint32_t)(4 * apart / speed / h) + 2);
        double y = b / (2 * r), x = sqrt(1 - y * y);
        ash_vec3 n = v3(x, y, 0), closing = v3(1.3 * speed, 0, 0), kick = v3_scale(n, v3_dot(n, closing));
        ash_vec3 first = v3_sub(v3(speed, 0, 0), kick), second = v3_add(v3(-0.3 * speed, 0, 0), kick);
        double wrong = fmax(v3_distance(ash_body_get_velocity(w, one), first),
                            v3_distance(ash_body_get_velocity(w, other), second));
        if (!(wrong < 2e-6 * speed))
            fail_msg("trial %d: b %g, speed %g, h %g: off by %g of the speed", trial, b, speed, h, wrong / speed);
        ash_world_destroy(w);
    }
}

/* The ball of ../cases: whatever turns, and whichever comes first in the file. */
static void a_spinning_ball_bounces_as_one_that_does_not(void **state)
{
    (void)state;
    for (int floor_first = 0; floor_first < 2; floor_first++)
        for (int phase = 0; phase < 5; phase++) {
            ash_world *w = make_held_world("engineering", v3(0, 0, -9.81), 1);
            set_surface(w, 0, 1);
            if (floor_first)
                add_floor(w);
            ash_body ball = add_ball(w, 0.1, 1000, v3(0, 0, 1.1 + 0.013 * phase), v3(0, 0, 0));
            assert_int_equal(ash_body_set_angular_velocity(w, ball, v3(0, 20, 3)), ASH_OK);
            if (!floor_first)
                add_floor(w);
            double start = ash_world_get_ledger(w).total;
            for (int i = 0; i < 500; i++) {
                take_steps(w, 0.01, 1);
                assert_true(ash_world_get_report(w).penetration <= slop_of_engineering());
                assert_int_equal(ash_world_get_report(w).flags, 0);
            }
            double end = ash_world_get_ledger(w).total;
            assert_near(end / start, 1, 1e-9);
            ash_world_destroy(w);
        }
}

/* ---- motors ---- */

typedef struct motor_case {
    const char *name;
    ash_drive drive;
    double max_force;
    ash_joint_scheme joints;
    bool contact_pass;
} motor_case;

static const motor_case motor_cases[] = {
    {"position", ASH_DRIVE_POSITION, INFINITY, ASH_JOINTS_IMPULSES, false},
    {"velocity", ASH_DRIVE_VELOCITY, INFINITY, ASH_JOINTS_IMPULSES, false},
    {"servo", ASH_DRIVE_SERVO, INFINITY, ASH_JOINTS_IMPULSES, false},
    {"weak position", ASH_DRIVE_POSITION, 150, ASH_JOINTS_IMPULSES, false},
    {"position by rows", ASH_DRIVE_POSITION, INFINITY, ASH_JOINTS_VELOCITY, false},
    {"servo by rows", ASH_DRIVE_SERVO, INFINITY, ASH_JOINTS_VELOCITY, false},
    {"position by accelerations", ASH_DRIVE_POSITION, INFINITY, ASH_JOINTS_ACCELERATIONS, false},
    {"position in one loop", ASH_DRIVE_POSITION, INFINITY, ASH_JOINTS_IMPULSES, true},
    {"weak position in one loop", ASH_DRIVE_POSITION, 150, ASH_JOINTS_IMPULSES, true},
};

/* A tumbling cube falls on an arm that a motor holds. */
static ash_world *make_held_arm(const motor_case *c)
{
    ash_world_def def = ash_default_world_def();
    ash_world *w;
    assert_int_equal(ash_method_find("engineering", &def.method, NULL), ASH_OK);
    def.method.joints = c->joints;
    def.method.contact_pass = c->contact_pass;
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_OK);
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    box.half_extents = v3(0.5, 0.05, 0.05);
    ash_body arm = add_shape(w, &box, ASH_BODY_DYNAMIC, 1000, v3(0.5, 0, 1), v3(0, 0, 0));
    ash_body cube = add_box(w, 0.06, v3(0.8, 0, 1.2), v3(0, 0, 0));
    ash_transform pose = {v3(0.8, 0, 1.2), q_exp(v3_scale(v3_unit(v3(1, 1, 0)), ASHI_PI / 9))};
    assert_int_equal(ash_body_set_transform(w, cube, pose), ASH_OK);
    assert_int_equal(ash_body_set_angular_velocity(w, cube, v3(3, 1, 0)), ASH_OK);
    ash_joint_def joint = ash_default_joint_def(ASH_JOINT_HINGE);
    ash_joint made;
    joint.body_b = arm;
    assert_int_equal(ash_joint_def_place(w, &joint, v3(0, 0, 1), v3(0, 1, 0)), ASH_OK);
    ash_joint_motor *motor = &joint.axes[ASH_TURN_X].motor;
    motor->drive = c->drive;
    motor->max_force = c->max_force;
    motor->proportional = 4000;
    motor->derivative = 100;
    assert_int_equal(ash_joint_create(w, &joint, &made, NULL), ASH_OK);
    return w;
}

/* Its error goes within a step, never within a part of it, which may be as short as a millionth. */
static void a_motor_that_is_hit_makes_no_energy(void **state)
{
    (void)state;
    static const double lengths[] = {0.01, 0.005, 0.0017};
    for (size_t c = 0; c < sizeof motor_cases / sizeof *motor_cases; c++)
        for (int k = 0; k < (SLOW_BUILD ? 1 : 3); k++) {
            ash_world *w = make_held_arm(&motor_cases[c]);
            double start = ash_world_get_ledger(w).total, most = 0;
            for (double t = 0; t < 0.5; t += lengths[k]) {
                take_steps(w, lengths[k], 1);
                ash_ledger l = ash_world_get_ledger(w);
                /* In one loop motors and joints share their works as they share their impulses. */
                most = fmax(most, l.total - l.motors - (motor_cases[c].contact_pass ? l.joints : 0) - start);
            }
            ash_ledger l = ash_world_get_ledger(w);
            if (!(most < 1e-3 && l.impacts < -0.1 && fabs(l.motors) < 30))
                fail_msg("%s, h %g: energy made %g J, impacts %g J, motor %g J", motor_cases[c].name, lengths[k], most,
                         l.impacts, l.motors);
            ash_world_destroy(w);
        }
}

/* Two cubes whose faces overlap in an octagon: whichever way the upper one is pushed over, no corner of it sinks in.
 * Touches are located to a hundredth of the slop. */
static void a_cube_rocks_on_all_corners_of_a_face(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        ash_world *w = make_held_world("engineering", v3(0, 0, -9.81), 1);
        ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
        box.half_extents = v3(0.5, 0.5, 0.5);
        add_shape(w, &box, ASH_BODY_STATIC, 0, v3(0, 0, 0), v3(0, 0, 0));
        ash_body cube = add_box(w, 0.5, v3(0, 0, 1), v3(0, 0, 0));
        double angle = 0.1 + i * 0.7853981633974483;
        ash_transform turned = {v3(0, 0, 1), q_exp(v3(0, 0, 0.7853981633974483))};
        assert_int_equal(ash_body_set_transform(w, cube, turned), ASH_OK);
        assert_int_equal(ash_body_set_angular_velocity(w, cube, v3(0.05 * cos(angle), 0.05 * sin(angle), 0)), ASH_OK);
        double deepest = 0;
        for (int k = 0; k < 30; k++) {
            take_steps(w, 0.01, 1);
            deepest = fmax(deepest, ash_world_get_report(w).penetration);
            assert_int_equal(ash_world_get_report(w).flags, 0);
        }
        assert_int_equal(ash_world_get_report(w).contact_points, 8);
        if (!(deepest < 1e-8))
            fail_msg("pushed over towards %g rad: %g m deep", angle, deepest);
        ash_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elastic_impacts_keep_energy_and_momentum),
        cmocka_unit_test(order_mirror_and_place_do_not_matter),
        cmocka_unit_test(balls_leave_as_the_exact_solution_says),
        cmocka_unit_test(a_spinning_ball_bounces_as_one_that_does_not),
        cmocka_unit_test(a_motor_that_is_hit_makes_no_energy),
        cmocka_unit_test(a_cube_rocks_on_all_corners_of_a_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
