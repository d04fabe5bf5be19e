/* The special joints in motion, by methods that solve them in different ways: what is kept moves as it should, what is
 * removed holds, limits stop, drivers drive, and reactions are those of statics. */
#include "joints.h"
#include "model/path.h"

/* Methods, with what their joints may be off by in these tests: of positions (m, rad) and, relatively, of forces. */
typedef struct manner {
    const char *method, *iterations, *stabilization;
    double position, force;
    bool loses; /* velocities are made to agree with joints after each step: see loss() */
} manner;

static const manner ways[] = {
    {"gribel-2009", "400", "post", 1e-6, 1e-5, true}, /* projected Gauss-Seidel */
    {"engineering", NULL, NULL, 1e-6, 1e-8, false},   /* impulses, and newton */
    {"realtime", NULL, NULL, 3e-3, 2e-2, false},      /* soft-step with exact rows, which look ahead along curves */
};
#define WAYS 3

static const double h = 0.002, g = 9.81;

static ash_world *world_by(const manner *way, bool planar, bool gravity)
{
    ash_world_def def = ash_default_world_def();
    ash_diagnostic diagnostic = {0};
    ash_world *world = NULL;
    assert_int_equal(ash_method_find(way->method, &def.method, &diagnostic), ASH_OK);
    if (way->iterations != NULL) {
        assert_int_equal(ash_method_set(&def.method, "iterations", way->iterations, &diagnostic), ASH_OK);
        assert_int_equal(ash_method_set(&def.method, "stabilization", way->stabilization, &diagnostic), ASH_OK);
        assert_int_equal(ash_method_set(&def.method, "warm-start", "on", &diagnostic), ASH_OK);
    }
    assert_int_equal(ash_method_set(&def.method, "sleeping", "off", &diagnostic), ASH_OK);
    def.planar = planar;
    def.gravity = gravity ? planar ? v3(0, -g, 0) : v3(0, 0, -g) : v3(0, 0, 0);
    if (ash_world_create(&def, &world, &diagnostic) != ASH_OK)
        fail_msg("world: %s", diagnostic.message);
    return world;
}

static ash_joint place_joint(ash_world *world, ash_joint_def *def, ash_vec3 point, ash_vec3 axis)
{
    assert_int_equal(ash_joint_def_place(world, def, point, axis), ASH_OK);
    return make_joint(world, def);
}

static ash_joint_def between(ash_joint_kind kind, ash_body a, ash_body b)
{
    ash_joint_def def = ash_default_joint_def(kind);
    def.body_a = a;
    def.body_b = b;
    return def;
}

static const ash_body nothing = {0};

/* A body that hangs from the world on a rod bears its weight, and swings with the pendulum's energy. */
static void rods_bear_weight_and_swing(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * WAYS; i++) {
        const manner *way = &ways[i / 2];
        bool planar = i % 2 == 1;
        ash_vec3 down = planar ? v3(0, -1, 0) : v3(0, 0, -1);
        ash_world *w = world_by(way, planar, true);
        ash_body bob = make_rotor(w, 2, v3(1, 1, 1), v3_scale(down, 1.5), v3(0, 0, 0));
        ash_joint_def def = between(ASH_JOINT_DISTANCE, nothing, bob);
        ash_joint rod = make_joint(w, &def);
        take_steps(w, h, 500);
        ash_joint_reaction r = ash_joint_get_reaction(w, rod, ASH_FRAME_WORLD);
        assert_near(v3_dot(r.force, down), -2 * g, 2 * g * way->force);
        assert_near(v3_norm(v3_cross(r.force, down)), 0, 2 * g * way->force);
        assert_near(v3_norm(r.torque), 0, 1e-9);
        /* kicked: it swings without losing its length */
        assert_int_equal(ash_body_set_velocity(w, bob, v3(3, 0, 0)), ASH_OK);
        for (uint32_t step = 0; step < 200; step++) {
            take_steps(w, h, 1);
            assert_below(ash_joint_get_error(w, rod).distance, way->position);
        }
        assert_below(0.5, v3_norm(v3_cross(v3_unit(ash_body_get_transform(w, bob).position), down)));
        ash_world_destroy(w);
    }
}

/* A rope does nothing until it is taut, then bears the weight; it never pushes. */
static void ropes_only_pull(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * WAYS; i++) {
        const manner *way = &ways[i / 2];
        bool planar = i % 2 == 1;
        ash_vec3 down = planar ? v3(0, -1, 0) : v3(0, 0, -1);
        ash_world *w = world_by(way, planar, true);
        ash_body load = make_rotor(w, 2, v3(1, 1, 1), v3_scale(down, 0.8), v3(0, 0, 0));
        ash_joint_def def = between(ASH_JOINT_ROPE, nothing, load);
        def.length = 1;
        ash_joint rope = make_joint(w, &def);
        take_steps(w, h, 50); /* 0.1 s: 0.05 m */
        assert_near(ash_joint_get_position(w, rope, ASH_MOVE_X), 0.8 + 0.5 * g * 0.01, 0.003);
        assert_near(v3_norm(ash_joint_get_reaction(w, rope, ASH_FRAME_WORLD).force), 0, 0);
        take_steps(w, h, 700);
        ash_vec3 force = ash_joint_get_reaction(w, rope, ASH_FRAME_WORLD).force;
        assert_near(v3_dot(force, down), -2 * g, 2 * g * way->force);
        assert_near(ash_joint_get_position(w, rope, ASH_MOVE_X), 1, 2e-3);
        assert_near(ash_joint_get_rate(w, rope, ASH_MOVE_X), 0, 1e-3);
        assert_int_equal(ash_body_set_velocity(w, load, v3_scale(down, -2)), ASH_OK);
        take_steps(w, h, 20);
        assert_near(v3_norm(ash_joint_get_reaction(w, rope, ASH_FRAME_WORLD).force), 0, 0);
        ash_world_destroy(w);
    }
}

/* A nut of mass m and inertia I about its axis on a screw of pitch p sinks with a = g m / (m + I (2 pi / p)^2), and its
 * turns are counted; driven by a motor it climbs. */
static void screws_turn_as_they_travel(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WAYS; i++) {
        const manner *way = &ways[i];
        ash_world *w = world_by(way, false, true);
        ash_body nut = make_rotor(w, 2, v3(0.02, 0.02, 0.02), v3(0, 0, 0), v3(0, 0, 0));
        ash_joint_def def = between(ASH_JOINT_SCREW, nothing, nut);
        def.pitch = 0.2;
        ash_joint screw = place_joint(w, &def, v3(0, 0, 0), v3(0, 0, 1));
        double turn = 2 * ASHI_PI / def.pitch, a = g * 2 / (2 + 0.02 * turn * turn);
        take_steps(w, h, 1000);
        double t = 1000 * h, x = ash_joint_get_position(w, screw, ASH_MOVE_X);
        assert_near(ash_joint_get_rate(w, screw, ASH_MOVE_X), -a * t, a * t * 10 * way->force);
        assert_near(x, -0.5 * a * t * t, 0.01);
        assert_near(ash_joint_get_position(w, screw, ASH_TURN_X), x * turn, turn * way->position);
        assert_below(ash_joint_get_error(w, screw).distance, way->position);
        assert_below(ash_joint_get_error(w, screw).angle, way->position);
        ash_joint_axis axis = ash_joint_get_axis(w, screw, ASH_TURN_X);
        axis.motor.drive = ASH_DRIVE_VELOCITY;
        axis.motor.target = 5;
        assert_int_equal(ash_joint_set_axis(w, screw, ASH_TURN_X, &axis), ASH_OK);
        take_steps(w, h, 200);
        assert_near(ash_joint_get_rate(w, screw, ASH_MOVE_X), 5 / turn, 5 / turn * 10 * way->force);
        /* what the motor lifts with: torque = weight pitch / (2 pi) */
        assert_near(ash_joint_get_reaction(w, screw, ASH_FRAME_WORLD).drive[ASH_TURN_X], 2 * g / turn,
                    2 * g / turn * 10 * way->force);
        ash_world_destroy(w);
    }
}

/* A planetary gear: sun, ring and two planets on a carrier, all turning about x. */
typedef struct planetary {
    ash_world *world;
    ash_body sun, ring, carrier, planet[2];
    ash_joint drive, mesh[4];
} planetary;

#define SUN    0.3
#define PLANET 0.2
#define RING   (SUN + 2 * PLANET)

static ash_joint mesh(ash_world *w, ash_body a, ash_body b, double radius_a, double radius_b)
{
    ash_joint_def def = between(ASH_JOINT_GEAR, a, b);
    def.radius_a = radius_a;
    def.radius_b = radius_b;
    return make_joint(w, &def);
}

static void turn_on(ash_world *w, ash_body a, ash_body b, ash_joint *hinge)
{
    bool planar = ash_world_is_planar(w);
    ash_joint_def def = between(ASH_JOINT_HINGE, a, b);
    *hinge = place_joint(w, &def, ash_body_get_transform(w, b).position, planar ? v3(0, 0, 1) : v3(1, 0, 0));
}

/* Nothing is joined to the world: the carrier floats, and bears the axles of all others. */
static planetary make_planetary(const manner *way, bool planar)
{
    planetary p = {.world = world_by(way, planar, false)};
    ash_vec3 out = v3(0, SUN + PLANET, 0);
    ash_joint hinge;
    p.carrier = make_rotor(p.world, 2, v3(0.3, 0.2, 0.25), v3(0, 0, 0), v3(0, 0, 0));
    p.sun = make_rotor(p.world, 1, v3(0.05, 0.05, 0.05), v3(0, 0, 0), v3(0, 0, 0));
    p.ring = make_rotor(p.world, 3, v3(0.8, 0.5, 0.6), v3(0, 0, 0), v3(0, 0, 0));
    turn_on(p.world, p.carrier, p.sun, &p.drive);
    turn_on(p.world, p.carrier, p.ring, &hinge);
    for (uint32_t i = 0; i < 2; i++) {
        p.planet[i] = make_rotor(p.world, 0.4, v3(0.01, 0.01, 0.01), v3_scale(out, i == 0 ? 1 : -1), v3(0, 0, 0));
        turn_on(p.world, p.carrier, p.planet[i], &hinge);
        p.mesh[2 * i] = mesh(p.world, p.sun, p.planet[i], SUN, PLANET);
        p.mesh[2 * i + 1] = mesh(p.world, p.ring, p.planet[i], -RING, PLANET);
    }
    ash_joint_axis drive = ash_joint_get_axis(p.world, p.drive, planar ? ASH_TURN_Z : ASH_TURN_X);
    drive.motor.drive = ASH_DRIVE_VELOCITY;
    drive.motor.target = 12;
    drive.motor.max_force = 5;
    assert_int_equal(ash_joint_set_axis(p.world, p.drive, planar ? ASH_TURN_Z : ASH_TURN_X, &drive), ASH_OK);
    return p;
}

static double spin_of(const ash_world *w, ash_body body)
{
    ash_vec3 spin = ash_body_get_angular_velocity(w, body);
    return ash_world_is_planar(w) ? spin.z : spin.x;
}

static void planetary_gears_obey_willis(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * WAYS; i++) {
        const manner *way = &ways[i / 2];
        planetary p = make_planetary(way, i % 2 == 1);
        for (uint32_t step = 0; step < 500; step++) {
            take_steps(p.world, h, 1);
            double carrier = spin_of(p.world, p.carrier), sun = spin_of(p.world, p.sun) - carrier;
            double ring = spin_of(p.world, p.ring) - carrier, planet = spin_of(p.world, p.planet[0]) - carrier;
            assert_near(SUN * sun + RING * ring, 0, 12 * way->position);
            assert_near(SUN * sun + PLANET * planet, 0, 12 * way->position);
            for (uint32_t k = 0; k < 4; k++)
                assert_below(ash_joint_get_error(p.world, p.mesh[k]).distance, way->position);
        }
        /* turned by more than a turn, driven at the motor's speed, and nothing pushed the whole of it */
        assert_near(spin_of(p.world, p.sun) - spin_of(p.world, p.carrier), 12, 12 * way->force);
        assert_near(v3_norm(ash_world_get_momentum(p.world)), 0, 1e-11);
        /* projections of positions turn a little of it away: of order h in what the ring alone has */
        assert_near(v3_norm(ash_world_get_angular_momentum(p.world)), 0, 2 * h * 0.8 * fabs(spin_of(p.world, p.ring)));
        ash_world_destroy(p.world);
    }
}

/* Bevel gears at a right angle in their bearings: torques by the radii, and the bearing of each bears the force of the
 * teeth at the pitch point. */
static void bevel_gears_pass_torque_on(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WAYS; i++) {
        const manner *way = &ways[i];
        ash_world *w = world_by(way, false, false);
        const double r_a = 0.3, r_b = 0.5;
        ash_vec3 centre_a = v3(r_b, 0, 0), centre_b = v3(0, r_a, 0); /* axes x and y meet in the origin */
        ash_body a = make_rotor(w, 1, v3(0.1, 0.1, 0.1), centre_a, v3(0, 0, 0));
        ash_body b = make_rotor(w, 1, v3(0.1, 0.1, 0.1), centre_b, v3(0, 0, 0));
        ash_joint_def def = between(ASH_JOINT_HINGE, nothing, a);
        place_joint(w, &def, centre_a, v3(1, 0, 0));
        def = between(ASH_JOINT_HINGE, nothing, b);
        ash_joint bearing = place_joint(w, &def, centre_b, v3(0, 1, 0));
        def = between(ASH_JOINT_GEAR, a, b);
        def.frame_b.rotation = q_exp(v3(0, 0, ASHI_PI / 2));
        def.radius_a = r_a;
        def.radius_b = r_b;
        ash_joint gear = make_joint(w, &def);
        for (uint32_t step = 0; step < 500; step++) {
            assert_int_equal(ash_body_apply_torque(w, a, v3(0.2, 0, 0)), ASH_OK);
            take_steps(w, h, 1);
            assert_below(ash_joint_get_error(w, gear).distance, way->position);
        }
        /* pitch circles that roll at (r_b, r_a, 0): r_a w_a along z is -r_b w_b there */
        double spin_a = ash_body_get_angular_velocity(w, a).x, spin_b = ash_body_get_angular_velocity(w, b).y;
        double wanted = 0.2 * 500 * h / (0.1 + 0.1 * (r_a / r_b) * (r_a / r_b));
        assert_near(spin_a, wanted, wanted * 10 * way->force);
        assert_near(spin_b, -spin_a * r_a / r_b, wanted * 10 * way->force);
        /* the teeth push b with 0.1 dw_b/dt / r_b along -z at the pitch point; its bearing pushes back */
        double push = 0.1 * (wanted * r_a / r_b / (500 * h)) / r_b;
        ash_vec3 borne = ash_joint_get_reaction(w, bearing, ASH_FRAME_WORLD).force;
        ash_vec3 teeth = ash_joint_get_reaction(w, gear, ASH_FRAME_WORLD).force;
        assert_near(fabs(teeth.z), push, push * 10 * way->force);
        assert_near(borne.z, -teeth.z, push * 10 * way->force);
        ash_world_destroy(w);
    }
}

/* A pinion on an axle under torque T pulls a rack of mass m: a = T / r / (m + I / r^2). */
static void racks_follow_their_pinion(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * WAYS; i++) {
        const manner *way = &ways[i / 2];
        bool planar = i % 2 == 1;
        ash_world *w = world_by(way, planar, false);
        const double r = 0.25;
        ash_vec3 axis = v3(0, 0, 1);
        ash_body rack = make_rotor(w, 3, v3(1, 1, 1), v3(0, -r, 0), v3(0, 0, 0));
        ash_body pinion = make_rotor(w, 1, v3(0.1, 0.1, 0.1), v3(0, 0, 0), v3(0, 0, 0));
        ash_joint_def def = between(ASH_JOINT_SLIDER, nothing, rack);
        ash_joint slide = place_joint(w, &def, v3(0, -r, 0), v3(1, 0, 0));
        def = between(ASH_JOINT_HINGE, nothing, pinion);
        place_joint(w, &def, v3(0, 0, 0), axis);
        def = between(ASH_JOINT_RACK, rack, pinion);
        if (!planar)
            def.frame_b.rotation = q_exp(v3(0, -ASHI_PI / 2, 0));
        def.radius_b = r;
        def.axes[ASH_MOVE_X].upper = 0.6; /* the rack's end: the pinion is 0.6 m along it */
        ash_joint teeth = make_joint(w, &def);
        double a = 0.5 / r / (3 + 0.1 / (r * r)), t = 200 * h;
        for (uint32_t step = 0; step < 200; step++) {
            assert_int_equal(ash_body_apply_torque(w, pinion, v3(0, 0, 0.5)), ASH_OK);
            take_steps(w, h, 1);
            assert_below(ash_joint_get_error(w, teeth).distance, way->position);
        }
        double speed = ash_joint_get_rate(w, slide, ASH_MOVE_X);
        assert_near(fabs(speed), a * t, a * t * 10 * way->force);
        assert_near(ash_joint_get_rate(w, teeth, ASH_MOVE_X), -speed, a * t * way->force + 1e-12);
        assert_near(v3_norm(ash_joint_get_reaction(w, teeth, ASH_FRAME_WORLD).force), 0.5 / r - 0.1 * a / (r * r),
                    2 * 10 * way->force);
        /* turned the other way it runs to the end of the rack and stops there */
        for (uint32_t step = 0; step < 2000; step++) {
            ash_vec3 torque = v3(0, 0, speed < 0 ? 0.5 : -0.5);
            assert_int_equal(ash_body_apply_torque(w, pinion, torque), ASH_OK);
            take_steps(w, h, 1);
            assert_below(ash_joint_get_position(w, teeth, ASH_MOVE_X), 0.6 + way->position + 1e-3);
        }
        assert_near(ash_joint_get_position(w, teeth, ASH_MOVE_X), 0.6, 1e-3 + way->position);
        assert_near(ash_joint_get_rate(w, teeth, ASH_MOVE_X), 0, 1e-3);
        ash_world_destroy(w);
    }
}

/* Atwood's machine with any ratio k: a falls with g (m_a k - m_b) / (m_a k + m_b / k), the rope pulls at a with
 * m_a (g - a). Slack, both fall. */
static void pulleys_are_atwoods_machine(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4 * WAYS; i++) {
        const manner *way = &ways[i / 4];
        bool planar = i % 2 == 1;
        double k = i % 4 < 2 ? 1 : 2, m_a = 3, m_b = 2, t = 150 * h;
        ash_vec3 up = planar ? v3(0, 1, 0) : v3(0, 0, 1);
        ash_world *w = world_by(way, planar, true);
        ash_body a = make_rotor(w, m_a, v3(1, 1, 1), v3(-1, 0, 0), v3(0, 0, 0));
        ash_body b = make_rotor(w, m_b, v3(1, 1, 1), v3(1, 0, 0), v3(0, 0, 0));
        ash_joint_def def = between(ASH_JOINT_PULLEY, a, b);
        def.ratio = k;
        def.hang_a = v3_add(v3(-1, 0, 0), v3_scale(up, 3));
        def.hang_b = v3_add(v3(1, 0, 0), v3_scale(up, 3));
        ash_joint pulley = make_joint(w, &def);
        take_steps(w, h, 150);
        /* x_a + k x_b = const downwards: m_a (g - a) = T, m_b (g + a / k) = k T */
        double fall = g * (m_a * k * k - m_b * k) / (m_a * k * k + m_b), tension = m_a * (g - fall);
        assert_near(-v3_dot(ash_body_get_velocity(w, a), up), fall * t, g * t * way->force);
        assert_near(v3_dot(ash_body_get_velocity(w, b), up), fall * t / k, g * t * way->force);
        assert_near(v3_dot(ash_joint_get_reaction(w, pulley, ASH_FRAME_WORLD).force, up), k * tension,
                    k * tension * way->force);
        assert_near(ash_joint_get_position(w, pulley, ASH_MOVE_X), 3 + 3 * k, way->position);
        assert_int_equal(ash_joint_set_length(w, pulley, 20), ASH_OK);
        ash_vec3 before = ash_body_get_velocity(w, b);
        take_steps(w, h, 10);
        assert_near(v3_dot(v3_sub(ash_body_get_velocity(w, b), before), up), -g * 10 * h, 1e-9);
        ash_world_destroy(w);
    }
}

/* A bead on a wire through these points, at arc length s. */
typedef struct bead {
    ash_world *world;
    ash_body body;
    ash_joint joint;
} bead;

static bead thread_bead(const manner *way, const ash_vec3 *points, uint32_t count, bool closed, ash_vec3 start)
{
    bead b = {.world = world_by(way, false, true)};
    b.body = make_rotor(b.world, 0.5, v3(0.01, 0.01, 0.01), start, v3(0, 0, 0));
    ash_joint_def def = between(ASH_JOINT_PATH, nothing, b.body);
    def.path = points;
    def.path_count = count;
    def.path_closed = closed;
    b.joint = make_joint(b.world, &def);
    return b;
}

/* Velocities that are made to agree with joints only after each step lose what turns away within it: along a path of
 * curvature c, v^3 c^2 h / 2 in a second. Impulses at both ends of the step lose nothing. */
static double loss(double v, double curvature, double step)
{
    return 0.5 * v * v * v * curvature * curvature * step;
}

/* A wire of a steady slope: dv/dt = g sin, whatever it winds around, but for the loss of the method. */
static void beads_slide_down_a_helix(void **state)
{
    (void)state;
    ash_vec3 helix[97];
    const double radius = 0.5, rise = 0.8; /* a turn */
    for (uint32_t i = 0; i < 97; i++) {
        double u = 2 * ASHI_PI * i / 24; /* four turns */
        helix[i] = v3(radius * ashi_cos(u), radius * ashi_sin(u), -rise * u / (2 * ASHI_PI));
    }
    double turn = sqrt(4 * ASHI_PI * ASHI_PI * radius * radius + rise * rise), a = g * rise / turn;
    double curvature = 4 * ASHI_PI * ASHI_PI * radius / (turn * turn);
    for (uint32_t i = 0; i < WAYS; i++) {
        bead b = thread_bead(&ways[i], helix, 97, false, helix[24]);
        double start = ash_joint_get_position(b.world, b.joint, ASH_MOVE_X), v = 0, s = 0;
        assert_near(start, turn, 1e-3);
        for (uint32_t step = 0; step < 800; step++) {
            take_steps(b.world, h, 1);
            assert_below(ash_joint_get_error(b.world, b.joint).distance, ways[i].position);
            v += h * (a - (ways[i].loses ? loss(v, curvature, h) : 0));
            s += h * v;
        }
        double rate = ash_joint_get_rate(b.world, b.joint, ASH_MOVE_X);
        double travel = ash_joint_get_position(b.world, b.joint, ASH_MOVE_X) - start;
        assert_near(rate, v, 0.005 * v);
        assert_near(travel, s, 0.005 * s);
        ash_world_destroy(b.world);
    }
}

/* Around a vertical ring, more than twice: the energy at every height, and the force of the ring at the bottom. */
static void beads_keep_their_energy_on_a_ring(void **state)
{
    (void)state;
    ash_vec3 ring[48];
    const double short_step = 0.0005;
    for (uint32_t i = 0; i < 48; i++)
        ring[i] = v3(ashi_cos(2 * ASHI_PI * i / 48), 0, ashi_sin(2 * ASHI_PI * i / 48));
    for (uint32_t i = 0; i < WAYS; i++) {
        bead b = thread_bead(&ways[i], ring, 48, true, ring[12]);
        assert_int_equal(ash_body_set_velocity(b.world, b.body, v3(-4, 0, 0)), ASH_OK);
        double worst = 0, lost = 0;
        uint32_t passes = 0;
        for (uint32_t step = 0; step < 5000; step++) {
            ash_vec3 before = ash_body_get_centre(b.world, b.body);
            take_steps(b.world, short_step, 1);
            ash_vec3 at = ash_body_get_centre(b.world, b.body);
            double v = v3_norm(ash_body_get_velocity(b.world, b.body));
            lost += ways[i].loses ? short_step * v * loss(v, 1, short_step) : 0;
            worst = fmax(worst, fabs(0.5 * v * v - 8 + g * (at.z - 1) + lost));
            if (before.x < 0 && at.x >= 0 && at.z < 0) {
                ash_vec3 force = ash_joint_get_reaction(b.world, b.joint, ASH_FRAME_WORLD).force;
                assert_near(force.z, 0.5 * (g + v * v), 0.5 * (g + v * v) * 0.01);
                passes++;
            }
        }
        assert_true(passes >= 2);
        assert_below(4.5 * ASHI_PI, ash_joint_get_position(b.world, b.joint, ASH_MOVE_X)); /* laps are counted */
        assert_below(worst, 0.05); /* J/kg of 27.6; about 1 is lost */
        ash_world_destroy(b.world);
    }
}

/* On a parabola z = x^2 / 2 in its frame a body that moves: the bead swings between equal heights; a motor takes it
 * along the wire; the ends stop it. */
static void beads_are_driven_and_stopped(void **state)
{
    (void)state;
    ash_vec3 wire[41];
    for (uint32_t i = 0; i < 41; i++)
        wire[i] = v3(0.1 * i - 2, 0, 0.5 * (0.1 * i - 2) * (0.1 * i - 2));
    for (uint32_t i = 0; i < WAYS; i++) {
        bead b = thread_bead(&ways[i], wire, 41, false, wire[30]);
        double least = 0, most = 0;
        for (uint32_t step = 0; step < 2000; step++) {
            take_steps(b.world, h, 1);
            double x = ash_body_get_centre(b.world, b.body).x;
            least = fmin(least, x);
            most = fmax(most, x);
        }
        assert_near(least, -1, 0.01);
        assert_near(most, 1, 0.01);
        assert_int_equal(ash_joint_set_motor(b.world, b.joint, ASH_MOVE_X, ASH_DRIVE_VELOCITY, 1.5, 100), ASH_OK);
        take_steps(b.world, h, 100);
        assert_near(ash_joint_get_rate(b.world, b.joint, ASH_MOVE_X), 1.5, 1.5 * ways[i].force + 1e-5);
        take_steps(b.world, h, 1500);
        assert_near(ash_body_get_centre(b.world, b.body).x, 2, 2e-3);
        assert_near(ash_joint_get_rate(b.world, b.joint, ASH_MOVE_X), 0, 1e-3);
        /* held at the end by the motor's force and the stop: what the wire and its end bear is weight minus motor */
        ash_joint_reaction r = ash_joint_get_reaction(b.world, b.joint, ASH_FRAME_WORLD);
        const ashi_joint_path *path = joint_in(b.world, b.joint)->path;
        ash_vec3 along = v3_unit(ashi_path_at(path, ashi_path_near_length(path, ashi_path_length(path))).first);
        ash_vec3 wanted = v3_add_scaled(v3(0, 0, 0.5 * g), along, -100);
        assert_near(r.drive[ASH_MOVE_X], 100, 1e-6);
        assert_near(v3_distance(r.force, wanted), 0, 100 * (ways[i].force + 1e-3));
        ash_world_destroy(b.world);
    }
}

/* A wheel on a strut: it sags by m g / k, steers to where the motor holds it, rolls at the motor's speed, and the rest
 * holds against a side load. */
static void wheels_hang_on_their_struts(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * WAYS; i++) {
        const manner *way = &ways[i / 2];
        bool planar = i % 2 == 1;
        ash_vec3 up = planar ? v3(0, 1, 0) : v3(0, 0, 1);
        ash_freedom roll = planar ? ASH_TURN_Z : ASH_TURN_Y;
        ash_world *w = world_by(way, planar, true);
        ash_body wheel = make_rotor(w, 10, v3(0.3, 0.3, 0.3), v3(0, 0, 0), v3(0, 0, 0));
        ash_joint_def def = between(ASH_JOINT_SUSPENSION, nothing, wheel);
        def.axes[ASH_MOVE_X].stiffness = 5000;
        def.axes[ASH_MOVE_X].damping = 300;
        def.axes[ASH_MOVE_X].lower = -0.1;
        def.axes[roll].motor = (ash_joint_motor){.drive = ASH_DRIVE_VELOCITY, .target = 20, .max_force = 8};
        if (!planar)
            def.axes[ASH_TURN_X].motor = (ash_joint_motor){.drive = ASH_DRIVE_POSITION, .target = 0.4, .max_force = 50};
        ash_joint strut = place_joint(w, &def, v3(0, 0, 0), up);
        for (uint32_t step = 0; step < 1500; step++) {
            assert_int_equal(ash_body_apply_force_to_centre(w, wheel, v3(200, 0, 0)), ASH_OK);
            take_steps(w, h, 1);
            assert_below(ash_joint_get_error(w, strut).distance, way->position);
            assert_below(ash_joint_get_error(w, strut).angle, 2 * way->position); /* steering a wheel that spins */
        }
        assert_near(ash_joint_get_position(w, strut, ASH_MOVE_X), -10 * g / 5000, 1e-4);
        assert_near(ash_joint_get_rate(w, strut, roll), 20, 20 * way->force);
        if (!planar)
            assert_near(ash_joint_get_position(w, strut, ASH_TURN_X), 0.4, 1e-6 + 5 * way->position);
        ash_joint_reaction r = ash_joint_get_reaction(w, strut, ASH_FRAME_WORLD);
        assert_near(v3_distance(r.force, v3(-200, 0, 0)), 0, 200 * way->force + 1e-6);
        assert_near(r.drive[ASH_MOVE_X], 10 * g, 10 * g * (way->force + 1e-3));
        /* overloaded: it lies on its stop, which bears what the spring does not */
        for (uint32_t step = 0; step < 1500; step++) {
            assert_int_equal(ash_body_apply_force_to_centre(w, wheel, v3_scale(up, -1000)), ASH_OK);
            take_steps(w, h, 1);
        }
        assert_near(ash_joint_get_position(w, strut, ASH_MOVE_X), -0.1, 1e-4 + way->position);
        r = ash_joint_get_reaction(w, strut, ASH_FRAME_WORLD);
        assert_near(v3_dot(r.force, up), 1000 + 10 * g - 500, 1100 * (way->force + 1e-3));
        ash_world_destroy(w);
    }
}

/* A cylinder under a load: holds, lifts at its speed, stops at its end, does not give to twice its force, lowers. */
static void pistons_lift_hold_and_lower(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * WAYS; i++) {
        const manner *way = &ways[i / 2];
        bool planar = i % 2 == 1;
        ash_vec3 up = planar ? v3(0, 1, 0) : v3(0, 0, 1);
        ash_world *w = world_by(way, planar, true);
        ash_body load = make_rotor(w, 20, v3(1, 1, 1), v3_scale(up, 1.2), v3(0, 0, 0));
        ash_joint_def def = between(ASH_JOINT_SLIDER, nothing, load);
        place_joint(w, &def, v3_scale(up, 1.2), up);
        def = between(ASH_JOINT_HYDRAULIC, nothing, load);
        def.min_length = 1;
        def.max_length = 1.5;
        def.speed = 0.4;
        def.max_force = 300;
        ash_joint cylinder = make_joint(w, &def);
        take_steps(w, h, 200);
        assert_near(ash_joint_get_position(w, cylinder, ASH_MOVE_X), 1.2, way->position);
        assert_near(v3_dot(ash_joint_get_reaction(w, cylinder, ASH_FRAME_WORLD).force, up), 20 * g,
                    20 * g * way->force);
        assert_int_equal(ash_joint_set_piston(w, cylinder, ASH_PISTON_EXTEND), ASH_OK);
        take_steps(w, h, 200); /* (300 - 196) N lift 20 kg: at its speed after 0.08 s */
        assert_near(ash_joint_get_rate(w, cylinder, ASH_MOVE_X), 0.4, 0.4 * way->force);
        assert_near(ash_joint_get_reaction(w, cylinder, ASH_FRAME_WORLD).drive[ASH_MOVE_X], 20 * g,
                    20 * g * (way->force + 1e-6));
        double reached = ash_joint_get_position(w, cylinder, ASH_MOVE_X);
        for (uint32_t step = 0; step < 200; step++) { /* overloaded: it stays */
            assert_int_equal(ash_body_apply_force_to_centre(w, load, v3_scale(up, -400)), ASH_OK);
            take_steps(w, h, 1);
            assert_below(reached - way->position - 1e-4, ash_joint_get_position(w, cylinder, ASH_MOVE_X));
        }
        assert_near(ash_joint_get_rate(w, cylinder, ASH_MOVE_X), 0, 1e-3);
        take_steps(w, h, 700);
        assert_near(ash_joint_get_position(w, cylinder, ASH_MOVE_X), 1.5, 1e-4 + way->position);
        assert_int_equal(ash_joint_set_piston(w, cylinder, ASH_PISTON_CONTRACT), ASH_OK);
        take_steps(w, h, 300); /* the weight helps: it does not run away */
        assert_near(ash_joint_get_rate(w, cylinder, ASH_MOVE_X), -0.4, 0.4 * way->force);
        take_steps(w, h, 700);
        assert_near(ash_joint_get_position(w, cylinder, ASH_MOVE_X), 1, 1e-4 + way->position);
        ash_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_bear_weight_and_swing),        cmocka_unit_test(ropes_only_pull),
        cmocka_unit_test(screws_turn_as_they_travel),        cmocka_unit_test(planetary_gears_obey_willis),
        cmocka_unit_test(bevel_gears_pass_torque_on),        cmocka_unit_test(racks_follow_their_pinion),
        cmocka_unit_test(pulleys_are_atwoods_machine),       cmocka_unit_test(beads_slide_down_a_helix),
        cmocka_unit_test(beads_keep_their_energy_on_a_ring), cmocka_unit_test(beads_are_driven_and_stopped),
        cmocka_unit_test(wheels_hang_on_their_struts),       cmocka_unit_test(pistons_lift_hold_and_lower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
