/* tree, star: bars that hang on each other by ball joints (Bender & Schmitt 2006, section 5).
 *
 * A complete binary tree like a mobile: the root hangs on the world, two children on the lower corners of every bar,
 * each as much shorter than its parent as the next, across to it. All are of one material and cross-section. A torque
 * about the vertical turns the root, and with it the rest, for half a second. In the star the same bars hang, where
 * they are, on the root: most of the mass hangs on a light body. */
#include "experiments/builtin/tree.h"
#include "base/alloc.h"
#include "base/diagnostic.h"
#include "experiments/builtin/parts.h"
#include "experiments/builtin/statics.h"
#include "math/elementary.h"
#include "math/quat.h"

#include <math.h>

/* Turns in rad/s2 of what would hang in the corners of the root: in the star it hangs much further out. */
static const double gravity = 9.81, longest = 11.4, shortest = 1, density = 500, tree_turn = 0.25, star_turn = 8,
                    turn_time = 0.5;
static const double width = 0.6, thickness = 0.2; /* m */

static const ash_scene_parameter parameters[] = {
    {.name = "n", .summary = "bodies, and as many joints", .value = 127, .low = 1, .high = 100000},
    {.name = "tolerance", .summary = "of joints, m and m/s", .value = 1e-6, .low = 1e-12, .high = 1},
};

/* A bar: where it hangs, the middle of its upper edge; how it is turned; its length. */
typedef struct bar {
    ash_vec3 top;
    ash_quat rotation;
    double length;
} bar;

static uint32_t depth_of(uint32_t number)
{
    uint32_t depth = 0;
    for (uint32_t i = number + 1; i > 1; i /= 2)
        depth++;
    return depth;
}

static double length_at(uint32_t depth, uint32_t deepest)
{
    return deepest == 0 ? longest : longest * ashi_exp(ashi_ln(shortest / longest) * depth / deepest);
}

static ash_vec3 centre_of(const bar *p)
{
    return v3_add(p->top, v3(0, 0, -0.5 * p->length));
}

/* Bar `number` of the tree from its parent, on its left or right corner. */
static bar child_of(const bar *parent, uint32_t number, uint32_t deepest)
{
    uint32_t depth = depth_of(number);
    double side = number % 2 == 1 ? 0.5 : -0.5;
    ash_vec3 corner = q_rotate(parent->rotation, v3(side * width, 0, -parent->length));
    return (bar){v3_add(parent->top, corner), q_exp(v3(0, 0, depth % 2 * 0.5 * ASHI_PI)), length_at(depth, deepest)};
}

static double mass_of(const bar *p)
{
    return density * width * thickness * p->length;
}

/* One geometry for each depth. */
static ash_status make_stocks(ash_scene *scene, uint32_t deepest, ashi_stock *stocks, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    for (uint32_t depth = 0; depth <= deepest && status == ASH_OK; depth++) {
        double length = length_at(depth, deepest);
        ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
        box.half_extents = v3(0.5 * width, 0.5 * thickness, 0.5 * length);
        status = ashi_make_stock(scene, ashi_scene_text(scene, "bar-%u", depth), &box, ASHI_NONE, density,
                                 &stocks[depth], diagnostic);
        stocks[depth].group = ASHI_GROUP_APART; /* bars overlap */
    }
    return status;
}

static void add_bar(ash_scene *scene, const bar *p, uint32_t number, const ashi_stock *stock)
{
    ash_body_def def = ash_default_body_def();
    def.name = ashi_scene_text(scene, "bar-%u", number + 1);
    def.position = centre_of(p);
    def.rotation = p->rotation;
    ashi_add_from_stock(scene, &def, stock);
}

/* Hangs a bar on another or (null) on the world. */
static void add_joint(ash_scene *scene, const bar *p, uint32_t number, const bar *on, uint32_t on_number)
{
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_BALL);
    def.name = ashi_scene_text(scene, "joint-%u", number + 1);
    def.frame_a.position = p->top;
    if (on != NULL) {
        def.body_a = ashi_scene_body_ref(on_number);
        def.frame_a.position = q_unrotate(on->rotation, v3_sub(p->top, centre_of(on)));
    }
    def.body_b = ashi_scene_body_ref(number);
    def.frame_b.position = v3(0, 0, 0.5 * p->length);
    ashi_scene_add_joint(scene, &def);
}

/* Gravity and the ball on which the root hangs have no moment about the vertical through it: what the torque gave is
 * the angular momentum about it for good. The last stage of rk4 in the last step of the torque is without it: h / 6. */
static void expect_turn(ash_scene *scene, double torque)
{
    uint32_t spin = ashi_watch_body(scene, "angular momentum", ASHI_WORLD_ANGULAR_MOMENTUM, 0, ASHI_Z);
    ashi_expect_output(scene, "the torque has turned it, within 2 %", spin, ASHI_FINAL, torque * turn_time,
                       0.02 * torque * turn_time);
}

static void add_torque(ash_scene *scene, double torque)
{
    expect_turn(scene, torque);
    ashi_scene_force load = {.kind = ASH_FORCE_LOAD, .def.load = ash_default_load_def()};
    load.def.load.name = "torque";
    load.def.load.body = ashi_scene_body_ref(0);
    load.def.load.torque = v3(0, 0, torque);
    load.def.load.stop = turn_time;
    ashi_scene_add_force(scene, &load);
}

static ash_status add_bars(ash_scene *scene, uint32_t count, bool star, ash_diagnostic *diagnostic)
{
    enum { DEEPEST = 32 };
    ashi_stock stocks[DEEPEST];
    uint32_t deepest = depth_of(count - 1);
    double hanging = 0; /* on the root, kg */
    bar *bars = ashi_alloc_array(count, sizeof *bars);
    ash_status status = bars != NULL ? make_stocks(scene, deepest, stocks, diagnostic) : ashi_out_of_memory(diagnostic);
    for (uint32_t i = 0; i < count && status == ASH_OK; i++) {
        uint32_t parent = (i + 1) / 2 - 1, on = star ? 0 : parent; /* of i > 0 */
        bars[i] =
            i == 0 ? (bar){v3(0, 0, 0), q_identity(), length_at(0, deepest)} : child_of(&bars[parent], i, deepest);
        add_bar(scene, &bars[i], i, &stocks[depth_of(i)]);
        add_joint(scene, &bars[i], i, i == 0 ? NULL : &bars[on], on);
        hanging += i > 0 ? mass_of(&bars[i]) : 0;
    }
    if (status == ASH_OK) { /* as if all hung in its corners */
        double corner = 0.5 * width;
        double own = mass_of(&bars[0]) * (width * width + thickness * thickness) / 12;
        add_torque(scene, (star ? star_turn : tree_turn) * (own + hanging * corner * corner));
    }
    ashi_dealloc(bars);
    return status;
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, bool star, ash_diagnostic *diagnostic)
{
    uint32_t count;
    ash_status status = ashi_parameter_whole(given, "n", &count, diagnostic);
    if (status != ASH_OK)
        return status;
    double tolerance = ashi_parameter(given, "tolerance");
    const char *text = ashi_scene_text(scene, "%.17g", tolerance);
    scene->gravity = v3(0, 0, -gravity);
    scene->step = 1.0 / 30;
    scene->time = 5;
    status = add_bars(scene, count, star, diagnostic);
    if (status != ASH_OK)
        return status;
    uint32_t error = ashi_watch_world(scene, "joint error", ASHI_WORLD_JOINT_ERROR);
    ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    ashi_watch_world(scene, "joint corrections", ASHI_WORLD_JOINT_CORRECTIONS);
    ashi_watch_world(scene, "velocity corrections", ASHI_WORLD_VELOCITY_CORRECTIONS);
    ashi_watch_body(scene, "last bar's height", ASHI_BODY_POSITION, count - 1, ASHI_Z);
    ashi_expect_output(scene, "joint error below the tolerance at every step", error, ASHI_MAX, 0, tolerance);
    uint32_t open = ashi_watch_joint(scene, "error of the last joint", ASHI_JOINT_ERROR, count - 1, ASH_MOVE_X);
    ashi_expect_output(scene, "the last bar hangs on its joint", open, ASHI_MAX, 0, tolerance);
    /* Their centre hardly moves up or down. */
    double weight = ashi_scene_mass(scene) * gravity;
    uint32_t load = ashi_watch_joint_load(scene, "load of the root", ASHI_JOINT_FORCE, 0, ASH_FRAME_WORLD, ASHI_Z);
    ashi_expect_output_between(scene, "the root bears the weight, within 5 %", load, ASHI_MEAN, weight, 0.05 * weight,
                               scene->step, 0);
    const ash_setting fields[] = {{"joint-tolerance", text}, {"joint-velocity-tolerance", text}};
    status = ashi_use_method(scene, "bender-schmitt-2006", diagnostic);
    return status == ASH_OK && text != NULL ? ashi_change_method(scene, fields, 2, diagnostic) : status;
}

static ash_status build_tree(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    return build(scene, given, false, diagnostic);
}

static ash_status build_star(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    return build(scene, given, true, diagnostic);
}

const ashi_builtin ashi_scene_tree = {
    .info = {.name = "tree",
             .lengthy = true,
             .summary = "a binary tree of bars on ball joints, turned by a torque",
             .source = "Bender & Schmitt 2006, tables 1-3",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build_tree,
    .validate = ashi_tree_validate,
};

const ashi_builtin ashi_scene_star = {
    .info = {.name = "star",
             .summary = "the bars of the tree, all on ball joints of the root",
             .source = "Bender & Schmitt 2006, section 5",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build_star,
    .validate = ashi_star_validate,
};
