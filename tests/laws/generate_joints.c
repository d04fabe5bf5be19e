/* Mechanisms: trees of bodies with a joint each, some closed to loops, and the special joints with what they need.
 * Velocities agree with the joints: from the root on, each body moves with its parent and, where the joint leaves it
 * that freedom, against it. */
#include "generate.h"

#include "math/quat.h"
#include "math/transform.h"

#include <math.h>

/* What a joint leaves to the relative motion that the generator gives. */
enum { TURNS_ABOUT = 1, TURNS_ANY = 2, SLIDES = 4 };

typedef struct link_kind {
    ash_joint_kind kind;
    int freedom;
    bool planar; /* also in planar worlds */
} link_kind;

static const link_kind link_kinds[] = {
    {ASH_JOINT_HINGE, TURNS_ABOUT, true},
    {ASH_JOINT_BALL, TURNS_ANY, false},
    {ASH_JOINT_SLIDER, SLIDES, true},
    {ASH_JOINT_FIXED, 0, true},
    {ASH_JOINT_POINT_ON_LINE, SLIDES, true},
    {ASH_JOINT_DISTANCE, 0, true},
    {ASH_JOINT_HINGE, TURNS_ABOUT, true},
    {ASH_JOINT_ROPE, 0, true},
    {ASH_JOINT_UNIVERSAL, 0, false},
    {ASH_JOINT_CYLINDRICAL, SLIDES | TURNS_ABOUT, false},
    {ASH_JOINT_PLANAR, 0, false},
    {ASH_JOINT_POINT_ON_PLANE, 0, false},
    {ASH_JOINT_COMMON_AXIS, 0, false},
    {ASH_JOINT_PARALLEL, 0, false},
    {ASH_JOINT_FIXED_ANGLE, 0, false},
    {ASH_JOINT_SCREW, 0, false},
    {ASH_JOINT_SUSPENSION, 0, false},
    {ASH_JOINT_COMBINATION, 0, false},
};
enum { LINK_KINDS = sizeof link_kinds / sizeof *link_kinds };

static link_kind choose_kind(law_maker *maker)
{
    for (;;) {
        link_kind kind = link_kinds[law_below(maker, LINK_KINDS)];
        if (kind.planar || !maker->scene->planar)
            return kind;
    }
}

static ash_transform pose_of(const law_maker *maker, uint32_t body)
{
    const ash_body_def *def = &maker->scene->bodies.data[body].def;
    return (ash_transform){def->position, def->rotation};
}

static ash_joint_def begin_joint(law_maker *maker, ash_joint_kind kind, uint32_t a, uint32_t b)
{
    ash_joint_def def = ash_default_joint_def(kind);
    def.name = ashi_scene_text(maker->scene, "j%u", maker->scene->joints.count);
    if (a != ASHI_NONE)
        def.body_a = ashi_scene_body_ref(a);
    def.body_b = ashi_scene_body_ref(b);
    return def;
}

/* Limits, friction, a spring or a motor along the joint's free axis. */
static void dress_axis(law_maker *maker, ash_joint_axis *axis, bool motors)
{
    if (motors) {
        static const ash_drive drives[] = {ASH_DRIVE_VELOCITY, ASH_DRIVE_POSITION, ASH_DRIVE_SERVO};
        axis->motor.drive = drives[law_below(maker, 3)];
        axis->motor.target = law_range(maker, -1, 1);
        axis->motor.max_force = law_spread(maker, 1, 200);
        if (axis->motor.drive == ASH_DRIVE_SERVO) {
            axis->motor.proportional = law_spread(maker, 1, 100);
            axis->motor.derivative = law_spread(maker, 0.1, 5);
        }
        return;
    }
    switch (law_below(maker, 6)) {
    case 0:
        axis->lower = -law_range(maker, 0.02, 0.3);
        axis->upper = law_range(maker, 0.02, 0.3);
        return;
    case 1:
        axis->friction = law_spread(maker, 0.1, 20);
        return;
    case 2:
        axis->stiffness = law_spread(maker, 1, 500);
        axis->damping = law_chance(maker, 0.5) ? 0 : law_spread(maker, 0.1, 5);
        return;
    default:
        return;
    }
}

/* Joins body b to a (or the background) at a point between them. */
static void add_link(law_maker *maker, link_kind link, uint32_t a, uint32_t b, ash_vec3 point, ash_vec3 axis,
                     bool motors)
{
    ash_joint_def def = begin_joint(maker, link.kind, a, b);
    ashi_scene_place_joint(maker->scene, &def, point, axis);
    if (link.kind == ASH_JOINT_DISTANCE || link.kind == ASH_JOINT_ROPE) {
        ash_vec3 corner = law_vector(maker, 0.05);
        def.frame_b = (ash_transform){corner, q_identity()};
        def.length = v3_distance(point, t_point(pose_of(maker, b), corner));
        if (link.kind == ASH_JOINT_ROPE)
            def.length *= law_range(maker, 1, 1.05);
    }
    if (link.kind == ASH_JOINT_SCREW)
        def.pitch = law_range(maker, 0.02, 0.2);
    if (link.kind == ASH_JOINT_COMBINATION) /* all translations and two rotations, or one of each */
        def.removed = law_chance(maker, 0.5) ? 7 | 3u << ASH_TURN_Y : 2 | 1u << ASH_TURN_Z;
    if (link.kind == ASH_JOINT_COMBINATION)
        def.angle = 1.5707963267948966;
    if (link.kind == ASH_JOINT_FIXED_ANGLE)
        def.angle = 1.5707963267948966; /* x of a and y of b, both frames alike */
    if ((link.freedom & TURNS_ABOUT) != 0)
        dress_axis(maker, &def.axes[maker->scene->planar ? ASH_TURN_Z : ASH_TURN_X], motors);
    else if ((link.freedom & SLIDES) != 0)
        dress_axis(maker, &def.axes[ASH_MOVE_X], motors);
    ashi_scene_add_joint(maker->scene, &def);
}

/* The velocity of body b from that of its parent and the relative motion at the joint. */
static void move_child(law_maker *maker, link_kind link, uint32_t a, uint32_t b, ash_vec3 point, ash_vec3 axis)
{
    ash_body_def *child = &maker->scene->bodies.data[b].def;
    ash_vec3 spin = v3(0, 0, 0), velocity = v3(0, 0, 0);
    if (a != ASHI_NONE) {
        const ash_body_def *parent = &maker->scene->bodies.data[a].def;
        spin = parent->angular_velocity;
        velocity = v3_add(parent->velocity, v3_cross(spin, v3_sub(point, parent->position)));
    }
    if ((link.freedom & TURNS_ABOUT) != 0)
        spin = v3_add_scaled(spin, maker->scene->planar ? v3(0, 0, 1) : axis, law_range(maker, -4, 4));
    if ((link.freedom & TURNS_ANY) != 0)
        spin = v3_add(spin, law_spin(maker, 4));
    if ((link.freedom & SLIDES) != 0)
        velocity = v3_add_scaled(velocity, axis, law_range(maker, -1, 1));
    child->angular_velocity = spin;
    child->velocity = v3_add(velocity, v3_cross(spin, v3_sub(child->position, point)));
}

static uint32_t add_part(law_maker *maker, ash_vec3 position)
{
    ash_vec3 none = v3(0, 0, 0);
    double size = law_range(maker, 0.08, 0.18);
    if (law_chance(maker, 0.25))
        return law_add_ball(maker, size, position, none, none);
    ash_vec3 half = v3(law_range(maker, 0.05, 0.18), law_range(maker, 0.05, 0.12), law_range(maker, 0.05, 0.12));
    return law_add_block(maker, half, position, law_rotation(maker), none, none);
}

/* A tree of parts; `step` is how far each is from its parent. Returns the number of the last part. */
static uint32_t grow_tree(law_maker *maker, uint32_t count, bool anchored, bool chain, bool motors)
{
    uint32_t first = maker->scene->bodies.count;
    ash_vec3 start = v3_scale(law_up(maker), 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = i == 0 ? ASHI_NONE : first + (chain ? i - 1 : law_below(maker, i));
        ash_vec3 from = parent == ASHI_NONE ? start : maker->scene->bodies.data[parent].def.position;
        ash_vec3 aside = chain ? v3(0.5, 0, 0) : v3_scale(law_direction(maker), 0.5);
        ash_vec3 position = v3_add(from, aside), axis = law_direction(maker);
        ash_vec3 point = v3_add_scaled(from, aside, law_range(maker, 0.4, 0.6));
        uint32_t body = add_part(maker, position);
        if (parent == ASHI_NONE && !anchored) {
            maker->scene->bodies.data[body].def.velocity = law_vector(maker, 2);
            maker->scene->bodies.data[body].def.angular_velocity = law_spin(maker, 4);
            continue;
        }
        link_kind link = chain && law_chance(maker, 0.5) ? link_kinds[0] : choose_kind(maker);
        add_link(maker, link, parent, body, point, axis, motors);
        move_child(maker, link, parent, body, point, axis);
    }
    return first + count - 1;
}

static void stop_all(law_maker *maker)
{
    for (uint32_t i = 0; i < maker->scene->bodies.count; i++)
        maker->scene->bodies.data[i].def.velocity = maker->scene->bodies.data[i].def.angular_velocity = v3(0, 0, 0);
}

/* A rod from the last part to the world: the tree becomes a loop, at rest. */
static void close_loop(law_maker *maker, uint32_t last)
{
    ash_joint_def def = begin_joint(maker, ASH_JOINT_DISTANCE, ASHI_NONE, last);
    def.frame_a.position = v3_add(maker->scene->bodies.data[last].def.position, v3_scale(law_direction(maker), 0.6));
    def.length = v3_distance(def.frame_a.position, maker->scene->bodies.data[last].def.position);
    ashi_scene_add_joint(maker->scene, &def);
    stop_all(maker);
}

/* Two wheels in bearings whose pitch circles roll on each other. */
static void add_gear(law_maker *maker, ash_vec3 at)
{
    double radius_a = law_range(maker, 0.1, 0.2), radius_b = law_range(maker, 0.1, 0.2), spin = law_range(maker, -5, 5);
    ash_vec3 axis = v3(0, 0, 1), other = v3_add(at, v3(radius_a + radius_b, 0, 0));
    uint32_t a = law_add_ball(maker, 0.9 * radius_a, at, v3(0, 0, 0), v3_scale(axis, spin));
    uint32_t b = law_add_ball(maker, 0.9 * radius_b, other, v3(0, 0, 0), v3_scale(axis, -spin * radius_a / radius_b));
    for (int i = 0; i < 2; i++) {
        ash_joint_def hinge = begin_joint(maker, ASH_JOINT_HINGE, ASHI_NONE, i == 0 ? a : b);
        ashi_scene_place_joint(maker->scene, &hinge, i == 0 ? at : other, axis);
        ashi_scene_add_joint(maker->scene, &hinge);
    }
    ash_joint_def def = begin_joint(maker, ASH_JOINT_GEAR, a, b);
    ash_joint_def frame = begin_joint(maker, ASH_JOINT_HINGE, ASHI_NONE, a);
    ashi_scene_place_joint(maker->scene, &frame, at, axis);
    def.frame_a = frame.frame_b;
    frame.body_b = ashi_scene_body_ref(b);
    ashi_scene_place_joint(maker->scene, &frame, other, axis);
    def.frame_b = frame.frame_b;
    def.radius_a = radius_a;
    def.radius_b = radius_b;
    ashi_scene_add_joint(maker->scene, &def);
}

/* Two weights on a rope over two points of the world. */
static void add_pulley(law_maker *maker, ash_vec3 at)
{
    ash_vec3 up = law_up(maker);
    uint32_t bodies[2];
    ash_joint_def def = begin_joint(maker, ASH_JOINT_PULLEY, 0, 0);
    for (int i = 0; i < 2; i++) {
        ash_vec3 hang = v3_add(at, v3(i == 0 ? -0.3 : 0.3, 0, 0));
        bodies[i] = law_add_ball(maker, law_range(maker, 0.05, 0.15),
                                 v3_add_scaled(hang, up, -law_range(maker, 0.5, 1)), v3(0, 0, 0), v3(0, 0, 0));
        *(i == 0 ? &def.hang_a : &def.hang_b) = hang;
    }
    def.body_a = ashi_scene_body_ref(bodies[0]);
    def.body_b = ashi_scene_body_ref(bodies[1]);
    def.ratio = law_range(maker, 0.5, 2);
    ashi_scene_add_joint(maker->scene, &def);
}

/* A bead on a closed curve. */
static void add_path(law_maker *maker, ash_vec3 at)
{
    static const ash_vec3 curve[] = {{0.5, 0, 0}, {0, 0.4, 0}, {-0.5, 0, 0}, {0, -0.3, 0}};
    uint32_t bead = law_add_ball(maker, 0.1, v3_add(at, curve[0]), v3(0, 0, 0), v3(0, 0, 0));
    ash_joint_def def = begin_joint(maker, ASH_JOINT_PATH, ASHI_NONE, bead);
    def.frame_a = (ash_transform){at, law_rotation_to(maker, law_up(maker))};
    if (!maker->scene->planar) /* the curve stands upright */
        def.frame_a.rotation = q_exp(v3(1.5707963267948966, 0, 0));
    def.path = curve;
    def.path_count = 4;
    def.path_closed = true;
    ashi_scene_add_joint(maker->scene, &def);
}

/* A pinion in a bearing that rolls on a rack on a rail. */
static void add_rack(law_maker *maker, ash_vec3 at)
{
    double radius = law_range(maker, 0.1, 0.2), speed = law_range(maker, -1, 1);
    ash_vec3 beside = v3_add(at, v3(0, -radius, 0)), along = v3(1, 0, 0), axis = v3(0, 0, 1), none = v3(0, 0, 0);
    uint32_t rack = law_add_block(maker, v3(0.3, 0.02, 0.05), beside, q_identity(), v3_scale(along, speed), none);
    uint32_t pinion = law_add_ball(maker, 0.9 * radius, at, none, v3_scale(axis, speed / radius));
    ash_joint_def rail = begin_joint(maker, ASH_JOINT_SLIDER, ASHI_NONE, rack);
    ashi_scene_place_joint(maker->scene, &rail, beside, along);
    ashi_scene_add_joint(maker->scene, &rail);
    ash_joint_def bearing = begin_joint(maker, ASH_JOINT_HINGE, ASHI_NONE, pinion);
    ashi_scene_place_joint(maker->scene, &bearing, at, axis);
    ashi_scene_add_joint(maker->scene, &bearing);
    ash_joint_def def = begin_joint(maker, ASH_JOINT_RACK, rack, pinion);
    def.frame_a = rail.frame_b;
    def.frame_b = bearing.frame_b;
    def.radius_b = radius;
    ashi_scene_add_joint(maker->scene, &def);
}

/* A cylinder that holds a ball under a point of the world. */
static void add_hydraulic(law_maker *maker, ash_vec3 at)
{
    double length = law_range(maker, 0.4, 0.6);
    ash_vec3 none = v3(0, 0, 0), below = v3_add_scaled(at, law_up(maker), -length);
    uint32_t load = law_add_ball(maker, 0.1, below, v3(law_range(maker, -1, 1), 0, 0), none);
    ash_joint_def def = begin_joint(maker, ASH_JOINT_HYDRAULIC, ASHI_NONE, load);
    def.frame_a.position = at;
    def.min_length = 0.3;
    def.max_length = 0.8;
    def.speed = 0.2;
    def.max_force = 1e4;
    ashi_scene_add_joint(maker->scene, &def);
}

static void add_special(law_maker *maker)
{
    ash_vec3 at = v3(0, 0, 0);
    at = v3_add_scaled(at, law_up(maker), 3);
    switch (law_below(maker, 5)) {
    case 3:
        add_rack(maker, at);
        return;
    case 4:
        add_hydraulic(maker, at);
        return;
    case 0:
        add_gear(maker, at);
        return;
    case 1:
        add_pulley(maker, at);
        return;
    default:
        add_path(maker, at);
        return;
    }
}

/* Loose balls above the parts: they fall on them. */
static void drop_balls(law_maker *maker, uint32_t parts)
{
    uint32_t first = maker->scene->bodies.count - parts, count = 1 + law_below(maker, 2);
    for (uint32_t i = 0; i < count; i++) {
        double radius = law_range(maker, 0.05, 0.15);
        ash_vec3 at = maker->scene->bodies.data[first + law_below(maker, parts)].def.position;
        at = v3_add_scaled(at, law_up(maker), 0.25 + radius + 0.4 * (double)i);
        uint32_t ball =
            law_add_ball(maker, radius, at, v3_scale(law_up(maker), -law_range(maker, 1, 8)), law_spin(maker, 3));
        if (law_chance(maker, 0.5)) /* a load that the links must carry */
            maker->scene->bodies.data[ball].def.mass = law_spread(maker, 1, 200);
    }
}

void law_make_mechanism(law_maker *maker, bool contacts, bool motors)
{
    uint32_t count = 2 + law_below(maker, law_chance(maker, 0.7) ? 2 : 6);
    bool anchored = law_chance(maker, 0.7);
    maker->contacts = contacts;
    law_set_material(maker, contacts && law_chance(maker, 0.5) ? law_range(maker, 0.1, 0.8) : 0,
                     contacts && law_chance(maker, 0.5) ? law_range(maker, 0.1, 1) : 0);
    if (!contacts && law_chance(maker, anchored ? 0.1 : 0.7))
        maker->scene->gravity = v3(0, 0, 0);
    if (contacts && law_chance(maker, 0.5))
        law_add_floor(maker, v3_scale(law_up(maker), law_range(maker, 0.5, 0.7)), law_up(maker));
    uint32_t last = grow_tree(maker, count, anchored, contacts, motors);
    if (contacts)
        drop_balls(maker, count);
    else if (anchored && law_chance(maker, 0.2))
        close_loop(maker, last);
    if (!contacts && anchored && law_chance(maker, 0.2))
        add_special(maker);
}

/* A part on springs beside a chain, over a floor, with loose balls. */
void law_make_mixed(law_maker *maker)
{
    law_make_mechanism(maker, true, false);
    ash_spring_def spring = ash_default_spring_def();
    uint32_t body = law_below(maker, maker->scene->bodies.count);
    if (maker->scene->bodies.data[body].def.type == ASH_BODY_STATIC)
        body++;
    spring.body_b = ashi_scene_body_ref(body);
    spring.point_a = v3_add(maker->scene->bodies.data[body].def.position, v3_scale(law_up(maker), 1));
    spring.stiffness = law_spread(maker, 10, 2000);
    spring.damping = law_chance(maker, 0.5) ? 0 : law_spread(maker, 0.1, 20);
    spring.rest_length = law_range(maker, 0.5, 1);
    ashi_scene_add_spring(maker->scene, &spring);
}
