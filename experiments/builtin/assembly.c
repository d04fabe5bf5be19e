/* assembly: a structure that is delivered in pieces and pulls itself together (Faure: projection of positions).
 *
 * Columns of blocks stand on the world in a grid, one joint of every basic kind and every combination with a name from
 * block to block; neighbouring columns are tied together by balls, points on lines and points on planes, which close
 * loops. Then every block is moved by up to a metre and turned. Without forces, nothing but the projection of positions
 * brings the pieces together again; how they come to lie is not told by the joints alone. */
#include "base/diagnostic.h"
#include "base/random.h"
#include "experiments/builtin/parts.h"
#include "experiments/experiment.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>

enum { COLUMNS = 3, HEIGHT = 12, BLOCKS = COLUMNS * COLUMNS * HEIGHT };
static const double spacing = 1.5, half = 0.3, widest = 1, closed = 1e-8; /* m */
static const double most_turn = 0.5;                                      /* rad */

static const ash_scene_parameter parameters[] = {
    {.name = "open", .summary = "how far blocks are moved at most, m", .value = 1, .low = 0, .high = 1},
    {.name = "seed", .summary = "of the moves", .value = 1, .low = 0, .high = 1000000},
};

/* From block to block upwards, beginning again in every column with the next one. */
static const ash_joint_kind kinds[] = {
    ASH_JOINT_BALL,        ASH_JOINT_POINT_ON_LINE, ASH_JOINT_POINT_ON_PLANE, ASH_JOINT_PARALLEL,
    ASH_JOINT_COMMON_AXIS, ASH_JOINT_FIXED_ANGLE,   ASH_JOINT_FIXED,          ASH_JOINT_HINGE,
    ASH_JOINT_UNIVERSAL,   ASH_JOINT_SLIDER,        ASH_JOINT_CYLINDRICAL,    ASH_JOINT_PLANAR,
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static ash_vec3 place_of(uint32_t column, uint32_t level)
{
    return v3(spacing * (column % COLUMNS), spacing * (column / COLUMNS), level + half);
}

static uint32_t number_of(uint32_t column, uint32_t level)
{
    return column * HEIGHT + level;
}

/* ASHI_NONE as the first body is the world. */
static void join(ash_scene *scene, ash_joint_kind kind, uint32_t a, uint32_t b, ash_vec3 point, ash_vec3 axis)
{
    ash_joint_def def = ash_default_joint_def(kind);
    def.name = ashi_scene_text(scene, "%s-%u", ash_joint_kind_name(kind), scene->joints.count + 1);
    def.angle = 0.5 * ASHI_PI; /* between x and y of the frames as they are placed */
    if (a != ASHI_NONE)
        def.body_a = ashi_scene_body_ref(a);
    def.body_b = ashi_scene_body_ref(b);
    ashi_scene_place_joint(scene, &def, point, axis);
    ashi_scene_add_joint(scene, &def);
}

static void add_joints(ash_scene *scene)
{
    static const ash_joint_kind ties[] = {ASH_JOINT_POINT_ON_PLANE, ASH_JOINT_BALL, ASH_JOINT_POINT_ON_LINE};
    for (uint32_t column = 0; column < COLUMNS * COLUMNS; column++)
        for (uint32_t level = 0; level < HEIGHT; level++) {
            uint32_t block = number_of(column, level), under = level == 0 ? ASHI_NONE : block - 1;
            ash_vec3 below = v3_sub(place_of(column, level), v3(0, 0, 0.5));
            join(scene, kinds[(level + column) % KINDS], under, block, below, v3(0.3, 0.2, 1));
            if (level % 4 == 3 && column % COLUMNS > 0)
                join(scene, ties[level / 4], number_of(column - 1, level), block,
                     v3_sub(place_of(column, level), v3(0.5 * spacing, 0, 0)), v3(0, 1, 0));
            if (level % 4 == 1 && column >= COLUMNS)
                join(scene, ties[level / 4], number_of(column - COLUMNS, level), block,
                     v3_sub(place_of(column, level), v3(0, 0.5 * spacing, 0)), v3(1, 0, 0));
        }
}

/* A point of the unit ball. */
static ash_vec3 random_point(ashi_random *random)
{
    for (;;) {
        ash_vec3 p = ashi_draw_vector(random);
        if (v3_norm2(p) <= 1)
            return p;
    }
}

static void take_apart(ash_scene *scene, double distance, uint64_t seed)
{
    ashi_random random = {seed};
    for (uint32_t i = 0; i < scene->bodies.count; i++) {
        ash_body_def *def = &scene->bodies.data[i].def;
        def->position = v3_add_scaled(def->position, random_point(&random), distance);
        ash_vec3 turn = v3_scale(random_point(&random), most_turn * distance / widest);
        def->rotation = q_mul(q_exp(turn), def->rotation);
    }
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t seed = 0;
    ashi_stock stock;
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    box.half_extents = v3(half, half, half);
    ash_status status = ashi_parameter_whole(given, "seed", &seed, diagnostic);
    if (status == ASH_OK)
        status = ashi_make_stock(scene, "block", &box, ASHI_NONE, 500, &stock, diagnostic);
    if (status != ASH_OK)
        return status;
    stock.group = ASHI_GROUP_APART; /* pieces are moved through each other */
    scene->gravity = v3(0, 0, 0);
    scene->step = 0.01;
    scene->time = 0.2;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        ash_body_def def = ash_default_body_def();
        def.name = ashi_scene_text(scene, "block-%u", i + 1);
        def.position = place_of(i / HEIGHT, i % HEIGHT);
        ashi_add_from_stock(scene, &def, &stock);
    }
    if (scene->bodies.count < BLOCKS)
        return ASH_OK; /* the scene knows why */
    add_joints(scene);
    take_apart(scene, ashi_parameter(given, "open"), seed);
    uint32_t error = ashi_watch_world(scene, "joint error", ASHI_WORLD_JOINT_ERROR);
    uint32_t energy = ashi_watch_world(scene, "kinetic energy", ASHI_WORLD_KINETIC);
    ashi_expect_output(scene, "all joints are closed in the end", error, ASHI_FINAL, 0, closed);
    uint32_t last =
        ashi_watch_joint(scene, "error of the last joint", ASHI_JOINT_ERROR, scene->joints.count - 1, ASH_MOVE_X);
    ashi_expect_output(scene, "the last joint is closed in the end", last, ASHI_FINAL, 0, closed);
    ashi_expect_output(scene, "nothing is set in motion", energy, ASHI_MAX, 0, 1e-12);
    return ashi_use_method(scene, "faure", diagnostic);
}

/* ---- experiments ---- */

static double open_by(const ashi_experiment *experiment)
{
    double most = 0;
    for (uint32_t i = 0; i < experiment->scene->joints.count; i++)
        most = fmax(most, ash_joint_get_error(experiment->world, experiment->instance.joints[i]).distance);
    return most;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    enum { SEEDS = 5 };
    char quantity[120];
    ash_status status = ashi_validate_checks(validation, "Faure", diagnostic);
    for (int seed = 1; seed <= SEEDS && status == ASH_OK && !validation->stopped; seed++) {
        ashi_experiment experiment;
        ash_assembly_report report;
        status = ashi_experiment_open(&experiment, diagnostic, "assembly", "seed=%d", seed);
        if (status != ASH_OK)
            return status;
        double before = open_by(&experiment);
        status = ash_world_assemble(experiment.world, closed, &report, diagnostic);
        ashi_experiment_close(&experiment);
        if (status == ASH_BAD_DATA) /* some stay open: told by the rows */
            status = ASH_OK;
        snprintf(quantity, sizeof quantity, "seed %d: widest gap before, m", seed);
        ashi_validation_above(validation, quantity, "Faure", before, widest);
        snprintf(quantity, sizeof quantity, "seed %d: widest gap after projection, m", seed);
        ashi_validation_below(validation, quantity, "Faure", report.distance, closed);
        snprintf(quantity, sizeof quantity, "seed %d: largest error of angles after projection, rad", seed);
        ashi_validation_below(validation, quantity, "Faure", report.angle, closed);
        snprintf(quantity, sizeof quantity, "seed %d: passes", seed);
        ashi_validation_report(validation, quantity, "Faure", NAN, report.passes);
    }
    return status;
}

const ashi_builtin ashi_scene_assembly = {
    .info = {.name = "assembly",
             .summary = "a structure of 108 blocks in pieces that pulls itself together",
             .source = "Faure",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
