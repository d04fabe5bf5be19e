/* chain, ladder, refine: what Faure's solution is quick at, and how it may be cut short.
 *
 * A chain of n links hangs aslant on the world, ball joints and hinges in turn: its joints are a tree. A ladder is two
 * such rails of ball joints with rungs, each of which closes a loop: the ball joint at its second end has 3 rows that
 * are not the tree's. `refine` is a ladder whose joints are asked for more or less accuracy, or given so much time. */
#include "experiments/builtin/ladder.h"
#include "base/diagnostic.h"
#include "experiments/builtin/parts.h"
#include "experiments/builtin/statics.h"
#include "math/quat.h"

#include <math.h>

static const double link_length = 0.2, half_width = 0.02, density = 1000, spread = 0.5; /* SI units */
static const double slant = 0.5;                                                        /* rad */

static const ash_scene_parameter chain_parameters[] = {
    {.name = "n", .summary = "links, and as many joints", .value = 50, .low = 1, .high = 100000},
};
static const ash_scene_parameter ladder_parameters[] = {
    {.name = "n", .summary = "links of each rail", .value = 20, .low = 1, .high = 50000},
    {.name = "loops", .summary = "rungs, at most n", .value = 5, .low = 0, .high = 50000},
};
static const ash_scene_parameter refine_parameters[] = {
    {.name = "accuracy", .summary = "of joints, m and m/s", .value = 1e-6, .low = 1e-12, .high = 1},
    {.name = "budget", .summary = "for joints in a solve, s; 0: no limit", .value = 0, .low = 0, .high = 1000},
};

/* The way from the upper end of a link to its lower end at the start. */
static ash_vec3 way_down(void)
{
    return q_rotate(q_exp(v3(slant, 0, 0)), v3(0, 0, -link_length));
}

static ash_status make_bar(ash_scene *scene, const char *name, double length, ashi_stock *stock,
                           ash_diagnostic *diagnostic)
{
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    box.half_extents = v3(half_width, half_width, 0.5 * length);
    ash_status status = ashi_make_stock(scene, name, &box, ASHI_NONE, density, stock, diagnostic);
    stock->group = ASHI_GROUP_APART; /* links end within each other */
    return status;
}

static uint32_t add_bar(ash_scene *scene, const char *name, ash_vec3 centre, ash_quat rotation, const ashi_stock *stock)
{
    ash_body_def def = ash_default_body_def();
    def.name = name;
    def.position = centre;
    def.rotation = rotation;
    return ashi_add_from_stock(scene, &def, stock);
}

/* ASHI_NONE as the first body is the world. */
static void join(ash_scene *scene, const char *name, ash_joint_kind kind, uint32_t a, uint32_t b, ash_vec3 point,
                 ash_vec3 axis)
{
    ash_joint_def def = ash_default_joint_def(kind);
    def.name = name;
    if (b == ASHI_NONE) /* the scene knows why */
        return;
    if (a != ASHI_NONE)
        def.body_a = ashi_scene_body_ref(a);
    def.body_b = ashi_scene_body_ref(b);
    ashi_scene_place_joint(scene, &def, point, axis);
    ashi_scene_add_joint(scene, &def);
}

/* Links from a point of the world downwards; hinges, when wanted, at every second joint, across the slant or along it
 * in turn. Returns the number of the first link. */
static uint32_t add_rail(ash_scene *scene, const char *name, ash_vec3 top, uint32_t n, bool hinges,
                         const ashi_stock *stock)
{
    ash_vec3 way = way_down();
    uint32_t first = ASHI_NONE, last = ASHI_NONE;
    for (uint32_t i = 0; i < n; i++) {
        ash_vec3 upper = v3_add_scaled(top, way, i);
        uint32_t link = add_bar(scene, ashi_scene_text(scene, "%s-%u", name, i + 1), v3_add_scaled(upper, way, 0.5),
                                q_exp(v3(slant, 0, 0)), stock);
        ash_joint_kind kind = hinges && i % 2 == 1 ? ASH_JOINT_HINGE : ASH_JOINT_BALL;
        join(scene, ashi_scene_text(scene, "%s-joint-%u", name, i + 1), kind, last, link, upper,
             i % 4 == 1 ? v3(1, 0, 0) : v3(1, 1, 0));
        first = i == 0 ? link : first;
        last = link;
    }
    return first;
}

ash_status ashi_add_ladder(ash_scene *scene, uint32_t n, uint32_t loops, ash_diagnostic *diagnostic)
{
    if (loops > n) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "scene.parameter", "%u loops need more than rails of %u links", loops, n);
        return ashi_expect(diagnostic, "loops from 0 to n");
    }
    ashi_stock link, rung;
    ash_status status = make_bar(scene, "link", link_length, &link, diagnostic);
    if (status == ASH_OK)
        status = make_bar(scene, "rung", spread, &rung, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_vec3 left = v3(-0.5 * spread, 0, 0), right = v3(0.5 * spread, 0, 0), along = v3(1, 0, 0);
    uint32_t first_left = add_rail(scene, "left", left, n, false, &link);
    uint32_t first_right = add_rail(scene, "right", right, n, false, &link);
    if (first_left == ASHI_NONE || first_right == ASHI_NONE)
        return ASH_OK; /* the scene knows why */
    for (uint32_t k = 0; k < loops; k++) {
        uint32_t i = (uint32_t)((uint64_t)n * (k + 1) / loops) - 1; /* the link on whose lower end it is */
        ash_vec3 down = v3_scale(way_down(), i + 1);
        uint32_t bar =
            add_bar(scene, ashi_scene_text(scene, "rung-%u", k + 1), down, q_exp(v3(0, 0.5 * ASHI_PI, 0)), &rung);
        join(scene, ashi_scene_text(scene, "rung-left-%u", k + 1), ASH_JOINT_BALL, first_left + i, bar,
             v3_add(left, down), along);
        join(scene, ashi_scene_text(scene, "rung-right-%u", k + 1), ASH_JOINT_BALL, first_right + i, bar,
             v3_add(right, down), along);
    }
    return ASH_OK;
}

/* It hangs aslant at first: below its height then, and not below where it would hang straight down. */
static void expect_fall(ash_scene *scene)
{
    double start = ashi_scene_height_energy(scene);
    uint32_t gravity = ashi_watch_world(scene, "potential energy", ASHI_WORLD_GRAVITY);
    ashi_expect_range(scene, "it swings down", gravity, ASHI_MIN, start / cos(slant), 1.02 * start);
}

static ash_status finish(ash_scene *scene, double tolerance, ash_diagnostic *diagnostic)
{
    scene->step = 0.005;
    scene->time = 2;
    expect_fall(scene);
    uint32_t error = ashi_watch_world(scene, "joint error", ASHI_WORLD_JOINT_ERROR);
    ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    ashi_expect_output(scene, "joints hold", error, ASHI_MAX, 0, tolerance);
    return ashi_use_method(scene, "faure", diagnostic);
}

static ash_status build_chain(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t n;
    ashi_stock link;
    ash_status status = ashi_parameter_whole(given, "n", &n, diagnostic);
    if (status == ASH_OK)
        status = make_bar(scene, "link", link_length, &link, diagnostic);
    if (status != ASH_OK)
        return status;
    add_rail(scene, "link", v3(0, 0, 0), n, true, &link);
    return finish(scene, 1e-8, diagnostic);
}

static ash_status build_ladder(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t n, loops = 0;
    ash_status status = ashi_parameter_whole(given, "n", &n, diagnostic);
    if (status == ASH_OK)
        status = ashi_parameter_whole(given, "loops", &loops, diagnostic);
    if (status == ASH_OK)
        status = ashi_add_ladder(scene, n, loops, diagnostic);
    return status == ASH_OK ? finish(scene, 1e-8, diagnostic) : status;
}

static ash_status build_refine(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    double accuracy = ashi_parameter(given, "accuracy"), budget = ashi_parameter(given, "budget");
    const char *text = ashi_scene_text(scene, "%.17g", accuracy), *time = ashi_scene_text(scene, "%.17g", budget);
    ash_status status = ashi_add_ladder(scene, 20, 20, diagnostic);
    if (status == ASH_OK)
        status = finish(scene, budget > 0 ? 1 : accuracy, diagnostic); /* nothing is sure within a time */
    const ash_setting fields[] = {
        {"joint-tolerance", text}, {"joint-velocity-tolerance", text}, {"joint-budget", time}};
    return status == ASH_OK && text != NULL && time != NULL ? ashi_change_method(scene, fields, 3, diagnostic) : status;
}

const ashi_builtin ashi_scene_chain = {
    .info = {.name = "chain",
             .summary = "a chain on balls and hinges, solved in linear time",
             .source = "Faure",
             .parameters = chain_parameters,
             .parameter_count = sizeof chain_parameters / sizeof *chain_parameters},
    .build = build_chain,
    .validate = ashi_chain_validate,
};

const ashi_builtin ashi_scene_ladder = {
    .info = {.name = "ladder",
             .summary = "two rails of links with rungs that close loops",
             .source = "Faure",
             .parameters = ladder_parameters,
             .parameter_count = sizeof ladder_parameters / sizeof *ladder_parameters},
    .build = build_ladder,
    .validate = ashi_ladder_validate,
};

const ashi_builtin ashi_scene_refine = {
    .info = {.name = "refine",
             .summary = "a ladder whose joints get so much accuracy, or so much time",
             .source = "Faure",
             .parameters = refine_parameters,
             .parameter_count = sizeof refine_parameters / sizeof *refine_parameters},
    .build = build_refine,
    .validate = ashi_refine_validate,
};
