/* The order of rolling and sliding without impacts, by `engineering`, against their own equations (rolling.h). */
#include "step/piles.h"
#include "step/rolling.h"

typedef struct rolling_case {
    const char *name;
    roller body;
    roller_state start; /* height and, where it rolls, velocity follow */
    double time, h;
    ash_geometry_kind kind;
} rolling_case;

static ash_sym3 diagonal(double x, double y, double z)
{
    return (ash_sym3){x, y, z, 0, 0, 0};
}

/* A body on the plane, as its case says. */
static void put_on_plane(rolling_case *c)
{
    ash_vec3 r = c->body.lowest(&c->body, c->start.rotation);
    c->start.position.z = -r.z;
    ash_vec3 place = v3_add(c->start.position, r), u = surface_speed(&c->body, place);
    ash_vec3 rolls = v3_sub(u, v3_cross(c->start.spin, r));
    if (c->body.friction < 0)
        c->start.velocity = rolls;
    else
        c->start.velocity.z = rolls.z;
}

static ash_body add_roller(ash_world *world, const rolling_case *c)
{
    const roller *r = &c->body;
    ash_geometry_def geometry = ash_default_geometry_def(c->kind);
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def def = ash_default_body_def();
    ash_body body = {0};
    geometry.radius = r->radius;
    geometry.height = 2 * r->thickness;
    geometry.half_extents = r->axes;
    assert_int_equal(ash_geometry_create(&geometry, &shape.geometry, NULL), ASH_OK);
    shape.density = 0;
    if (c->kind == ASH_GEOMETRY_SPHERE)
        shape.pose.position = v3(0, 0, r->thickness);
    def.mass = r->mass;
    def.inertia = r->inertia;
    def.position = c->start.position;
    def.rotation = c->start.rotation;
    def.velocity = c->start.velocity;
    def.angular_velocity = c->start.spin;
    ash_diagnostic diagnostic = {0};
    if (ash_body_create(world, &def, &shape, 1, &body, &diagnostic) != ASH_OK)
        fail_msg("body: %s", diagnostic.message);
    ash_geometry_release(shape.geometry);
    return body;
}

static void add_table(ash_world *world, double rate)
{
    ash_geometry_def plane = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def def = ash_default_body_def();
    ash_body body = {0};
    assert_int_equal(ash_geometry_create(&plane, &shape.geometry, NULL), ASH_OK);
    def.type = rate != 0 ? ASH_BODY_KINEMATIC : ASH_BODY_STATIC;
    def.angular_velocity = v3(0, 0, rate);
    assert_int_equal(ash_body_create(world, &def, &shape, 1, &body, NULL), ASH_OK);
    ash_geometry_release(shape.geometry);
}

typedef struct outcome {
    double off;     /* m; a rotation counts at the radius of gyration */
    double impacts; /* J that are booked */
    uint32_t flags;
} outcome;

static ash_world *make_case(const rolling_case *c, ash_body *body)
{
    ash_world *world = make_held_world("engineering", c->body.gravity, 1);
    set_surface(world, c->body.friction < 0 ? 100 : c->body.friction, 0);
    add_table(world, c->body.turn_rate);
    *body = add_roller(world, c);
    return world;
}

static double distance_from(const rolling_case *c, ash_world *world, ash_body body, const roller_state *right)
{
    ash_quat q = ash_body_get_transform(world, body).rotation;
    double turn = v3_norm(q_log(q_mul(q, q_conjugate(right->rotation))));
    double arm2 = (c->body.inertia.xx + c->body.inertia.yy + c->body.inertia.zz) / (2 * c->body.mass);
    return hypot(v3_distance(ash_body_get_centre(world, body), right->position), sqrt(arm2) * turn);
}

static outcome run_case(const rolling_case *c, double h, const roller_state *right)
{
    outcome o = {0};
    ash_body body;
    ash_world *world = make_case(c, &body);
    for (long i = lround(c->time / h); i > 0; i--) {
        assert_int_equal(ash_world_step(world, h), ASH_OK);
        o.flags |= ash_world_get_report(world).flags;
        o.impacts += ash_world_get_report(world).impacts;
    }
    o.impacts += fabs(ash_world_get_ledger(world).impacts);
    o.off = distance_from(c, world, body, right);
    ash_world_destroy(world);
    return o;
}

static rolling_case cases[] = {
    {"ball on a turntable",
     {.lowest = lowest_of_ball, .radius = 0.1, .mass = 2, .gravity = {0, 0, -9.81}, .friction = -1, .turn_rate = 3},
     {.position = {0.5, 0, 0}, .spin = {1, 2, 0}, .rotation = {1, 0, 0, 0}},
     1,
     0.01,
     ASH_GEOMETRY_SPHERE},
    {"ball on a slope",
     {.lowest = lowest_of_ball, .radius = 0.1, .mass = 2, .gravity = {3, 1, -9}, .friction = -1},
     {.spin = {1, 2, 0}, .rotation = {1, 0, 0, 0}},
     1,
     0.01,
     ASH_GEOMETRY_SPHERE},
    {"rolling coin",
     {.lowest = lowest_of_disc, .radius = 0.1, .thickness = 0.01, .mass = 1, .gravity = {0, 0, -9.81}, .friction = -1},
     {.spin = {0, 6, 8}, .rotation = {0.85, 0.5, 0, 0}},
     0.8,
     0.005,
     ASH_GEOMETRY_CYLINDER},
    {"Euler's disc",
     {.lowest = lowest_of_disc, .radius = 0.1, .thickness = 0.005, .mass = 1, .gravity = {0, 0, -9.81}, .friction = -1},
     {.spin = {0, 5, 5}, .rotation = {0.96, 0.28, 0, 0}},
     0.6,
     0.0025,
     ASH_GEOMETRY_CYLINDER},
    {"rattleback",
     {.lowest = lowest_of_ellipsoid, .axes = {0.2, 0.05, 0.03}, .mass = 1, .gravity = {0, 0, -9.81}, .friction = -1},
     {.spin = {0.1, 0.3, -3}, .rotation = {0.999, 0.01, 0.02, 0}},
     1,
     0.005,
     ASH_GEOMETRY_ELLIPSOID},
    {"tippe top",
     {.lowest = lowest_of_ball,
      .radius = 0.02,
      .thickness = 0.003,
      .mass = 0.01,
      .gravity = {0, 0, -9.81},
      .friction = 0.3},
     {.spin = {0, 0, 120}, .rotation = {0.99, 0.1, 0, 0}},
     0.2,
     0.002,
     ASH_GEOMETRY_SPHERE},
    {"sliding and turning ball",
     {.lowest = lowest_of_ball, .radius = 0.1, .mass = 2, .gravity = {1, 0, -9.81}, .friction = 0.2},
     {.spin = {10, 12, 5}, .velocity = {-1, 2, 0}, .rotation = {1, 0, 0, 0}},
     0.3,
     0.005,
     ASH_GEOMETRY_SPHERE},
};

static void set_up(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rolling_case *c = &cases[i];
        roller *b = &c->body;
        double m = b->mass, r = b->radius, t = 2 * b->thickness;
        if (b->lowest == lowest_of_ball)
            b->inertia =
                diagonal(0.4 * m * r * r, 0.4 * m * r * r, b->thickness > 0 ? 0.45 * m * r * r : 0.4 * m * r * r);
        if (b->lowest == lowest_of_disc)
            b->inertia = diagonal(m * (3 * r * r + t * t) / 12, m * (3 * r * r + t * t) / 12, 0.5 * m * r * r);
        if (b->lowest == lowest_of_ellipsoid) {
            ash_vec3 a = b->axes;
            ash_sym3 own = diagonal(m * (a.y * a.y + a.z * a.z) / 5, m * (a.x * a.x + a.z * a.z) / 5,
                                    m * (a.x * a.x + a.y * a.y) / 5);
            b->inertia = s3_rotated(own, q_exp(v3(0, 0, 0.1)));
        }
        c->start.rotation = q_unit(c->start.rotation);
        put_on_plane(c);
    }
}

/* Errors at three lengths of step, each half of the one before. What lasts is no impact. */
static void judge(const char *name, const double off[3], uint32_t flags, double impacts)
{
    double order[2] = {log2(off[0] / off[1]), log2(off[1] / off[2])};
    print_message("%-28s off by %.2e, %.2e, %.2e: order %.2f, %.2f\n", name, off[0], off[1], off[2], order[0],
                  order[1]);
    assert_int_equal(flags, 0);
    assert_true(impacts == 0);
    assert_true(0.5 * (order[0] + order[1]) > 1.9); /* terms of higher order leave their trace */
}

static void bodies_roll_and_slide_on_a_plane(void **state)
{
    (void)state;
    set_up();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rolling_case *c = &cases[i];
        roller_state right = rolled(&c->body, c->start, c->time, 4000);
        double off[3], impacts = 0;
        uint32_t flags = 0;
        for (int k = 0; k < 3; k++) {
            outcome o = run_case(c, c->h / (1 << k), &right);
            off[k] = o.off;
            flags |= o.flags;
            impacts += o.impacts;
        }
        judge(c->name, off, flags, impacts);
    }
}

/* Nobody chooses a step: the wanted error is kept, and the true one is within a factor of ten of the reported one; by
 * engineering. */
static void a_wanted_accuracy_is_met(void **state)
{
    (void)state;
    const double wanted = 1e-5;
    set_up();
    static const size_t brief[] = {0, 1, 2, 6}; /* a step costs five, and some of the others are long */
    for (size_t i = 0; i < sizeof brief / sizeof *brief; i++) {
        const rolling_case *c = &cases[brief[i]];
        roller_state right = rolled(&c->body, c->start, c->time, 4000);
        ash_body body;
        ash_world *world = make_case(c, &body);
        assert_int_equal(ash_world_advance(world, c->time, &(ash_accuracy){wanted, c->time}), ASH_OK);
        ash_step_report report = ash_world_get_report(world);
        double off = distance_from(c, world, body, &right);
        print_message("%-28s off by %.2e, told %.2e, %u steps\n", c->name, off, report.total_error,
                      (unsigned)report.advance_steps);
        assert_true(off <= wanted);
        assert_true(off <= 10 * report.total_error && report.total_error <= 10 * off);
        ash_world_destroy(world);
    }
}

/* ---- a body on three legs slides and turns ---- */

#define LEGS 3

static const double leg_height = 0.2, leg_mass = 3, leg_moment = 0.08, leg_friction = 0.3, foot = 0.02;
static const ash_vec3 feet[LEGS] = {{0.3, 0, 0}, {-0.2, 0.25, 0}, {-0.15, -0.2, 0}}, slope = {1.5, 0.5, -9.6};

typedef struct slider {
    double x[3], v[3]; /* place and angle, and their rates */
} slider;

/* Pressures N so that nothing tilts: sum N = -m g_z, sum r x N (n - mu s/|s|) without a part along x and y. */
static void accelerate_slider(const slider *s, double a[3])
{
    ash_vec3 arm[LEGS], push[LEGS], column[LEGS];
    for (int i = 0; i < LEGS; i++) {
        arm[i] = q_rotate(q_exp(v3(0, 0, s->x[2])), feet[i]);
        ash_vec3 speed = v3(s->v[0] - s->v[2] * arm[i].y, s->v[1] + s->v[2] * arm[i].x, 0);
        arm[i].z = -leg_height;
        push[i] = v3_add_scaled(v3(0, 0, 1), v3_unit(speed), -leg_friction);
        ash_vec3 moment = v3_cross(arm[i], push[i]);
        column[i] = v3(1, moment.x, moment.y);
    }
    ash_mat3 m = {column[0], column[1], column[2]};
    ash_vec3 solved = m3_solve(m, v3(-leg_mass * slope.z, 0, 0));
    const double pressure[LEGS] = {solved.x, solved.y, solved.z};
    a[0] = slope.x;
    a[1] = slope.y;
    a[2] = 0;
    for (int i = 0; i < LEGS; i++) {
        ash_vec3 force = v3_scale(push[i], pressure[i]);
        a[0] += force.x / leg_mass;
        a[1] += force.y / leg_mass;
        a[2] += v3_cross(arm[i], force).z / leg_moment;
    }
}

static slider slid(slider s, double time, int steps)
{
    double h = time / steps;
    for (int n = 0; n < steps; n++) {
        slider at = s, sum = s;
        for (int k = 0; k < 4; k++) {
            double a[3], weight = k == 0 || k == 3 ? h / 6 : h / 3, next = k < 2 ? 0.5 * h : h;
            accelerate_slider(&at, a);
            for (int i = 0; i < 3; i++) {
                double rate = at.v[i];
                sum.x[i] += weight * rate;
                sum.v[i] += weight * a[i];
                at.x[i] = s.x[i] + next * rate;
                at.v[i] = s.v[i] + next * a[i];
            }
        }
        s = sum;
    }
    return s;
}

static void three_legs_slide_and_turn(void **state)
{
    const slider start = {{0, 0, 0}, {0.5, 1.5, 4}}, right = slid(start, 0.4, 4000);
    double off[3], impacts = 0;
    uint32_t flags = 0;
    (void)state;
    for (int k = 0; k < 3; k++) {
        double h = 0.01 / (1 << k);
        ash_world *world = make_held_world("engineering", slope, 1);
        ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
        ash_shape_def shapes[LEGS];
        ash_body_def def = ash_default_body_def();
        ash_body body = {0};
        set_surface(world, leg_friction, 0);
        add_floor(world);
        ball.radius = foot;
        for (int i = 0; i < LEGS; i++) {
            shapes[i] = ash_default_shape_def();
            shapes[i].density = 0;
            shapes[i].pose.position = v3(feet[i].x, feet[i].y, foot - leg_height);
            assert_int_equal(ash_geometry_create(&ball, &shapes[i].geometry, NULL), ASH_OK);
        }
        def.mass = leg_mass;
        def.inertia = diagonal(0.06, 0.06, leg_moment);
        def.position = v3(0, 0, leg_height);
        def.velocity = v3(start.v[0], start.v[1], 0);
        def.angular_velocity = v3(0, 0, start.v[2]);
        assert_int_equal(ash_body_create(world, &def, shapes, LEGS, &body, NULL), ASH_OK);
        for (int i = 0; i < LEGS; i++)
            ash_geometry_release(shapes[i].geometry);
        for (long i = lround(0.4 / h); i > 0; i--) {
            assert_int_equal(ash_world_step(world, h), ASH_OK);
            flags |= ash_world_get_report(world).flags;
        }
        ash_vec3 place = ash_body_get_centre(world, body);
        ash_vec3 turn = q_log(ash_body_get_transform(world, body).rotation);
        off[k] = hypot(hypot(place.x - right.x[0], place.y - right.x[1]), 0.2 * (turn.z - right.x[2]));
        impacts += fabs(ash_world_get_ledger(world).impacts);
        ash_world_destroy(world);
    }
    judge("three legs, sliding, m", off, flags, impacts);
}

/* ---- bodies on round ones ---- */

typedef struct round_case {
    const char *name;
    double radius;                /* of what is fixed, a ball or a cylinder along y */
    double size;                  /* the ball's radius, or half the thickness of the plank */
    double start, speed, time, h; /* angle and its rate; of the place, of the plank's turn */
    double (*acceleration)(const struct round_case *c, double angle, double rate);
    bool plank;
} round_case;

/* A ball rolls over a ball: 7/5 D x'' = g sin x, x the angle of its place from the top. */
static double of_ball(const round_case *c, double angle, double rate)
{
    (void)rate;
    return 5.0 / 7 * 9.81 * sin(angle) / (c->radius + c->size);
}

/* A plank turned by x rolls on a cylinder: its contact is R x from its middle, which is at
 *   x: (R + b) sin x - R x cos x,  z: (R + b) cos x + R x sin x,
 *   (I / m + b^2 + R^2 x^2) x'' + R^2 x x'^2 + g (R x cos x - b sin x) = 0. */
static double of_plank(const round_case *c, double angle, double rate)
{
    double r = c->radius, b = c->size, way = r * angle, moment = (0.5 * 0.5 + b * b) / 3;
    return -(r * way * rate * rate + 9.81 * (way * cos(angle) - b * sin(angle))) / (moment + b * b + way * way);
}

static double round_angle(const round_case *c)
{
    const int steps = 4000;
    double h = c->time / steps, x = c->start, v = c->speed;
    for (int i = 0; i < steps; i++) {
        double a1 = c->acceleration(c, x, v), v2 = v + 0.5 * h * a1;
        double a2 = c->acceleration(c, x + 0.5 * h * v, v2), v3 = v + 0.5 * h * a2;
        double a3 = c->acceleration(c, x + 0.5 * h * v2, v3), v4 = v + h * a3;
        double a4 = c->acceleration(c, x + h * v3, v4);
        x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return x;
}

static ash_vec3 place_of(const round_case *c, double x)
{
    double r = c->radius, all = r + c->size, way = c->plank ? r * x : 0;
    return v3(all * sin(x) - way * cos(x), 0, all * cos(x) + way * sin(x));
}

static void bodies_roll_on_round_ones(void **state)
{
    static const round_case all[] = {
        {"ball rolling on a ball", 0.8, 0.2, 0.1, 0.4, 0.6, 0.01, of_ball, false},
        {"plank rocking on a cylinder", 0.3, 0.05, 0.3, 0.5, 1.5, 0.01, of_plank, true},
    };
    (void)state;
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        const round_case *c = &all[n];
        double off[3], right = round_angle(c), impacts = 0;
        uint32_t flags = 0;
        for (int k = 0; k < 3; k++) {
            double h = c->h / (1 << k), e = 1e-6;
            ash_world *world = make_held_world("engineering", v3(0, 0, -9.81), 1);
            ash_geometry_def fixed = ash_default_geometry_def(c->plank ? ASH_GEOMETRY_CYLINDER : ASH_GEOMETRY_SPHERE);
            ash_geometry_def moving = ash_default_geometry_def(c->plank ? ASH_GEOMETRY_BOX : ASH_GEOMETRY_SPHERE);
            set_surface(world, 10, 0);
            fixed.radius = c->radius;
            fixed.height = 1;
            ash_body base = add_shape(world, &fixed, ASH_BODY_STATIC, 0, v3(0, 0, 0), v3(0, 0, 0));
            if (c->plank)
                assert_int_equal(ash_body_set_transform(
                                     world, base, (ash_transform){{0, 0, 0}, q_exp(v3(0.5 * 3.141592653589793, 0, 0))}),
                                 ASH_OK);
            moving.radius = c->size;
            moving.half_extents = v3(0.5, 0.2, c->size);
            ash_vec3 ahead = place_of(c, c->start + e), behind = place_of(c, c->start - e);
            ash_vec3 velocity = v3_scale(v3_sub(ahead, behind), c->speed / (2 * e));
            ash_body body = add_shape(world, &moving, ASH_BODY_DYNAMIC, 100, place_of(c, c->start), velocity);
            ash_transform pose = ash_body_get_transform(world, body);
            pose.rotation = q_exp(v3(0, c->start, 0));
            double rolls = c->plank ? 1 : (c->radius + c->size) / c->size;
            assert_int_equal(ash_body_set_transform(world, body, pose), ASH_OK);
            assert_int_equal(ash_body_set_angular_velocity(world, body, v3(0, rolls * c->speed, 0)), ASH_OK);
            for (long i = lround(c->time / h); i > 0; i--) {
                assert_int_equal(ash_world_step(world, h), ASH_OK);
                flags |= ash_world_get_report(world).flags;
            }
            off[k] = v3_distance(ash_body_get_centre(world, body), place_of(c, right));
            impacts += fabs(ash_world_get_ledger(world).impacts);
            ash_world_destroy(world);
        }
        judge(c->name, off, flags, impacts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_roll_and_slide_on_a_plane), cmocka_unit_test(a_wanted_accuracy_is_met),
        cmocka_unit_test(three_legs_slide_and_turn), cmocka_unit_test(bodies_roll_on_round_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
