/* Joints that follow others, as machines do it: by gears and racks.
 *
 * A gear is a force at the point where two pitch circles meet, so that it needs only the two wheels and holds wherever
 * their bearings go. Two joints can be geared when one body, the carrier, has the bearings of both: the other bodies of
 * the joints are then the wheels. Wheels on parallel axes mesh; a wheel and a slider across its axis are pinion and
 * rack. Others get an idler on the carrier: a slider across both axes as a rack for two wheels, or a wheel as a pinion
 * between two sliders. */
#include "scene/import/couple.h"

#include "math/mat3.h"
#include "math/transform.h"

#include <math.h>

static const double idler_share = 0.01; /* of the mass, and of the inertia about the axis, of the wheel beside it */

/* A joint as seen from the body that has its bearing. */
typedef struct bearing {
    ash_body wheel;       /* the body that moves in the bearing, as descriptions refer to it */
    double sense;         /* 1: the wheel is body b of the joint, -1: body a */
    bool turns;           /* about the axis, or moves along it */
    ash_vec3 point, axis; /* in the world */
} bearing;

typedef struct coupling {
    ashi_draft *draft;
    ash_body carrier;
    const char *name;
    bool disabled;
} coupling;

static ash_transform pose_of(const ash_scene *scene, ash_body body)
{
    if (body.id == 0)
        return ash_identity();
    const ash_body_def *def = &scene->bodies.data[body.id - 1].def;
    return (ash_transform){def->position, def->rotation};
}

static bool is_coupled(const ash_joint_def *def)
{
    return def->kind == ASH_JOINT_HINGE || def->kind == ASH_JOINT_SLIDER;
}

static bearing bearing_of(const ash_scene *scene, const ash_joint_def *def, bool at_a)
{
    ash_transform frame = t_mul(pose_of(scene, def->body_b), def->frame_b);
    return (bearing){.wheel = at_a ? def->body_b : def->body_a,
                     .sense = at_a ? 1 : -1,
                     .turns = def->kind == ASH_JOINT_HINGE,
                     .point = frame.position,
                     .axis = q_rotate(frame.rotation, v3(1, 0, 0))};
}

/* A frame at a point of the world with x along an axis, on a body. */
static ash_transform frame_on(const ash_scene *scene, ash_body body, ash_vec3 point, ash_vec3 axis)
{
    ash_transform frame = t_mul(t_inverse(pose_of(scene, body)), (ash_transform){point, ashi_turn_x_along(axis)});
    frame.rotation = q_unit(frame.rotation);
    return frame;
}

static bool add(const coupling *c, ash_joint_def *def)
{
    def->name = c->name;
    def->collide = true;
    uint32_t number = ashi_scene_add_joint(c->draft->scene, def);
    if (number == ASHI_NONE)
        return ashi_draft_no_memory(c->draft);
    c->draft->scene->joints.data[number].disabled = c->disabled;
    return true;
}

/* ---- pairs that mesh ---- */

/* How far apart parallel axes are; 0 for others. */
static double distance_apart(const bearing *a, const bearing *b, ash_vec3 *between)
{
    *between = v3_sub(b->point, a->point);
    *between = v3_add_scaled(*between, a->axis, -v3_dot(*between, a->axis));
    return v3_norm(v3_cross(a->axis, b->axis)) > 1e-6 ? 0 : v3_norm(*between);
}

/* Wheels on parallel axes, apart from each other: b turns `ratio` times as far as a. */
static bool mesh_wheels(const coupling *c, const bearing *a, const bearing *b, double ratio)
{
    ash_vec3 between;
    double apart = distance_apart(a, b, &between), sense = v3_dot(a->axis, b->axis) < 0 ? -1 : 1;
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_GEAR);
    def.body_a = a->wheel;
    def.body_b = b->wheel;
    def.radius_a = apart * fabs(ratio) / (1 + fabs(ratio));
    def.radius_b = -def.radius_a * sense * a->sense * b->sense / ratio;
    def.frame_a = frame_on(c->draft->scene, a->wheel, a->point, a->axis);
    def.frame_b = frame_on(c->draft->scene, b->wheel, v3_add(a->point, between), b->axis);
    return add(c, &def);
}

/* A slider along a line across the axis of a wheel moves by `travel` for a radian of the wheel: the pitch point is on
 * the side where the wheel's turning moves it the way the slider goes. */
static bool mesh_rack(const coupling *c, const bearing *slider, const bearing *wheel, double travel)
{
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_RACK);
    ash_vec3 side = v3_cross(slider->axis, wheel->axis);
    ash_vec3 pitch = v3_add_scaled(wheel->point, side, travel * slider->sense * wheel->sense);
    def.body_a = slider->wheel;
    def.body_b = wheel->wheel;
    def.radius_b = fabs(travel);
    def.frame_a = frame_on(c->draft->scene, slider->wheel, pitch, slider->axis);
    def.frame_b = frame_on(c->draft->scene, wheel->wheel, wheel->point, wheel->axis);
    return add(c, &def);
}

static bool is_across(const bearing *a, const bearing *b)
{
    return fabs(v3_dot(a->axis, b->axis)) <= 1e-6;
}

/* ---- idlers ---- */

/* A direction across both axes. */
static ash_vec3 across_both(ash_vec3 a, ash_vec3 b)
{
    ash_vec3 normal = v3_cross(a, b);
    return v3_norm(normal) > 1e-3 ? v3_unit(normal) : v3_perpendicular(a);
}

static bool is_light(const ash_scene *scene, ash_body body)
{
    return body.id != 0 && scene->bodies.data[body.id - 1].def.type == ASH_BODY_DYNAMIC;
}

/* The lighter of the two wheels that can move. */
static const bearing *lighter_of(const ash_scene *scene, const bearing *a, const bearing *b)
{
    bool first = is_light(scene, a->wheel), second = is_light(scene, b->wheel);
    if (!first || !second)
        return first ? a : b;
    return scene->bodies.data[a->wheel.id - 1].def.mass <= scene->bodies.data[b->wheel.id - 1].def.mass ? a : b;
}

static double mass_of(const ash_scene *scene, const bearing *b)
{
    return is_light(scene, b->wheel) ? scene->bodies.data[b->wheel.id - 1].def.mass : 1;
}

/* The radius of gyration about the bearing's axis. */
static double gyration(const ash_scene *scene, const bearing *b)
{
    if (!is_light(scene, b->wheel))
        return 0.1;
    const ash_body_def *def = &scene->bodies.data[b->wheel.id - 1].def;
    ash_vec3 axis = q_rotate(q_conjugate(def->rotation), b->axis);
    ash_vec3 arm = v3_sub(t_point(pose_of(scene, b->wheel), def->centre), b->point);
    double away = v3_norm(v3_cross(arm, b->axis));
    return sqrt(v3_dot(axis, s3_apply(def->inertia, axis)) / def->mass + away * away);
}

/* A body in a bearing of the carrier, of this mass and moment of inertia about all axes. */
static bool add_idler(const coupling *c, bool turns, ash_vec3 point, ash_vec3 axis, double mass, double moment,
                      bearing *idler)
{
    ash_scene *scene = c->draft->scene;
    ash_body_def body = ash_default_body_def();
    body.name = ashi_scene_text(scene, "%s idler %u", c->name, (unsigned)scene->bodies.count);
    body.position = point;
    body.gravity_scale = 0;
    ashi_draft_set_mass(&body, &(ash_mass_properties){.mass = mass, .inertia = s3_diagonal(moment, moment, moment)});
    uint32_t number = ashi_scene_add_body(scene, &body);
    if (number == ASHI_NONE)
        return ashi_draft_no_memory(c->draft);
    *idler = (bearing){.wheel = ashi_scene_body_ref(number), .sense = 1, .turns = turns, .point = point, .axis = axis};
    ash_joint_def def = ash_default_joint_def(turns ? ASH_JOINT_HINGE : ASH_JOINT_SLIDER);
    def.body_a = c->carrier;
    def.body_b = idler->wheel;
    def.frame_a = frame_on(scene, c->carrier, point, axis);
    def.frame_b = frame_on(scene, idler->wheel, point, axis);
    coupling held = *c;
    held.name = body.name;
    held.disabled = false;
    return add(&held, &def);
}

static bool couple(const coupling *c, const bearing *leader, const bearing *follower, double ratio);

/* A rack for two wheels. Of a wheel's radius of gyration per radian, it adds a hundredth to its inertia. */
static bool couple_wheels(const coupling *c, const bearing *a, const bearing *b, double ratio)
{
    ash_scene *scene = c->draft->scene;
    const bearing *light = lighter_of(scene, a, b);
    double radius = gyration(scene, light) * (light == a ? 1 : fabs(ratio)), mass = idler_share * mass_of(scene, light);
    bearing rack;
    return add_idler(c, false, light->point, across_both(a->axis, b->axis), mass, mass * radius * radius, &rack) &&
           mesh_rack(c, &rack, a, radius) && mesh_rack(c, &rack, b, radius / ratio);
}

/* A pinion between two sliders. */
static bool couple_sliders(const coupling *c, const bearing *a, const bearing *b, double ratio)
{
    ash_scene *scene = c->draft->scene;
    const bearing *light = lighter_of(scene, a, b);
    double mass = idler_share * mass_of(scene, light), radius = 0.1, moment = mass * radius * radius;
    bearing pinion;
    if (light == b)
        moment *= ratio * ratio;
    return add_idler(c, true, light->point, across_both(a->axis, b->axis), mass, moment, &pinion) &&
           mesh_rack(c, a, &pinion, radius) && mesh_rack(c, b, &pinion, ratio * radius);
}

/* A wheel and a slider that is not across its axis: by a rack that is. */
static bool couple_askew(const coupling *c, const bearing *wheel, const bearing *slider, bool wheel_leads, double ratio)
{
    ash_scene *scene = c->draft->scene;
    double travel = wheel_leads ? ratio : 1 / ratio; /* of the slider for a radian */
    double radius = gyration(scene, wheel), mass = idler_share * mass_of(scene, wheel);
    bearing rack;
    return add_idler(c, false, wheel->point, across_both(wheel->axis, slider->axis), mass, mass * radius * radius,
                     &rack) &&
           mesh_rack(c, &rack, wheel, radius) && couple_sliders(c, &rack, slider, travel / radius);
}

static bool couple(const coupling *c, const bearing *leader, const bearing *follower, double ratio)
{
    ash_vec3 between;
    if (leader->turns && follower->turns)
        return distance_apart(leader, follower, &between) > 1e-6 ? mesh_wheels(c, leader, follower, ratio)
                                                                 : couple_wheels(c, leader, follower, ratio);
    if (!leader->turns && !follower->turns)
        return couple_sliders(c, leader, follower, ratio);
    bool across = is_across(leader, follower);
    if (leader->turns)
        return across ? mesh_rack(c, follower, leader, ratio) : couple_askew(c, leader, follower, true, ratio);
    return across ? mesh_rack(c, leader, follower, 1 / ratio) : couple_askew(c, follower, leader, false, ratio);
}

/* ---- what others call ---- */

bool ashi_draft_couple(ashi_draft *draft, uint32_t leader, uint32_t follower, double ratio, const char *name,
                       bool disabled, bool *done)
{
    ash_scene *scene = draft->scene;
    const ash_joint_def first = scene->joints.data[leader].def, second = scene->joints.data[follower].def;
    *done = false;
    if (!is_coupled(&first) || !is_coupled(&second) || ratio == 0 || !isfinite(ratio) || leader == follower)
        return true;
    for (int i = 0; i < 4; i++) {
        bool a = (i & 1) == 0, b = (i & 2) == 0;
        ash_body carrier = a ? first.body_a : first.body_b, other = b ? second.body_a : second.body_b;
        bearing from = bearing_of(scene, &first, a), to = bearing_of(scene, &second, b);
        if (carrier.id != other.id || from.wheel.id == to.wheel.id)
            continue;
        *done = true;
        return couple(&(coupling){draft, carrier, name, disabled}, &from, &to, ratio);
    }
    return true;
}

bool ashi_draft_add_rotor(ashi_draft *draft, uint32_t slider, double mass)
{
    ash_scene *scene = draft->scene;
    const ash_joint_def def = scene->joints.data[slider].def;
    bearing moved = bearing_of(scene, &def, true), rotor;
    double radius = 0.02, own = idler_share * fmin(mass, mass_of(scene, &moved));
    const char *name = ashi_scene_text(scene, "%s rotor", def.name != NULL ? def.name : "slider");
    coupling c = {draft, def.body_a, name, false};
    return add_idler(&c, true, moved.point, v3_perpendicular(moved.axis), own, mass * radius * radius, &rotor) &&
           mesh_rack(&c, &moved, &rotor, radius);
}
