/* Joints by what they remove (Faure; Bender & Schmitt 2006, section 4): 0 to 3 translations and 0 to 3 rotations, all
 * 15 that remove anything, each as a scene of its own with the name of what is left or held.
 *
 * A block hangs on the background by one joint in no special direction. A force and a torque in general directions act
 * on it without gravity. What the joint keeps must move, what it removes must hold. The coordinates are those of the
 * joint; where no rotation is removed there are no angles of it, and the block's own rotation is looked at. */
#include "experiments/builtin/parts.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

#define SOURCE "Faure; Bender & Schmitt 2006, 4"

static const ash_vec3 push_force = {20, 35, -25}; /* N */
static const double duration = 1, moved = 0.02, tolerance = 1e-6;

/* What is removed: bits of ash_freedom. Masks of two rotations leave x common, of one the angle between x and y. */
enum {
    MOVE_1 = ASH_FREEDOM_BIT(ASH_MOVE_X),
    MOVE_2 = ASH_FREEDOM_BIT(ASH_MOVE_Y) | ASH_FREEDOM_BIT(ASH_MOVE_Z),
    MOVE_3 = MOVE_1 | MOVE_2,
    TURN_1 = ASH_FREEDOM_BIT(ASH_TURN_Z),
    TURN_2 = ASH_FREEDOM_BIT(ASH_TURN_Y) | ASH_FREEDOM_BIT(ASH_TURN_Z),
    TURN_3 = ASH_FREEDOM_BIT(ASH_TURN_X) | TURN_2
};

/* By the number of the scene. */
static const uint32_t masks[ASHI_COMBINATIONS] = {MOVE_1,          MOVE_2,          MOVE_3,          TURN_1,
                                                  MOVE_1 | TURN_1, MOVE_2 | TURN_1, MOVE_3 | TURN_1, TURN_2,
                                                  MOVE_1 | TURN_2, MOVE_2 | TURN_2, MOVE_3 | TURN_2, TURN_3,
                                                  MOVE_1 | TURN_3, MOVE_2 | TURN_3, MOVE_3 | TURN_3};

static uint32_t removed_by(const ash_scene *scene)
{
    for (uint32_t i = 0; i < ASHI_COMBINATIONS; i++)
        if (strcmp(ashi_scene_combinations[i].info.name, scene->name) == 0)
            return masks[i];
    return 0;
}

static ash_status add_block(ash_scene *scene, uint32_t *block, ash_diagnostic *diagnostic)
{
    ash_body_def def = ash_default_body_def();
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.name = "block";
    def.rotation = ash_rotation(v3(1, 2, -1), 0.7);
    box.half_extents = v3(0.3, 0.2, 0.1);
    *block = ashi_scene_add_body(scene, &def);
    ashi_scene_force push = {.kind = ASH_FORCE_LOAD, .def.load = ash_default_load_def()};
    push.def.load.name = "push";
    push.def.load.body = ashi_scene_body_ref(*block);
    push.def.load.force = push_force;
    push.def.load.torque = v3(1.1, -0.8, 1.3);
    ashi_scene_add_force(scene, &push);
    return ashi_add_solid(scene, *block, "block", &box, 500, diagnostic);
}

/* The coordinate of a kept freedom moves: its magnitude reaches `moved` and stays within reason. */
static void expect_motion(ash_scene *scene, uint32_t joint, ash_freedom freedom)
{
    const char *name = ash_freedom_name(freedom);
    uint32_t output = ashi_watch_joint(scene, ashi_scene_text(scene, "%s", name), ASHI_JOINT_POSITION, joint, freedom);
    ashi_expect_output(scene, ashi_scene_text(scene, "%s moves by 0.02 (m or rad) or more", name), output, ASHI_MAX_ABS,
                       moved + 50, 50);
}

static void expect_all(ash_scene *scene, uint32_t removed, uint32_t block, uint32_t joint)
{
    for (uint32_t i = 0; i < ASH_FREEDOMS; i++) {
        bool angle = i >= ASH_TURN_X;
        if ((removed & ASH_FREEDOM_BIT(i)) == 0 && (!angle || (removed & TURN_3) != 0))
            expect_motion(scene, joint, (ash_freedom)i);
    }
    uint32_t rate = ashi_watch_body(scene, "rate of turning", ASHI_BODY_ANGULAR_VELOCITY, block, ASHI_NORM);
    if ((removed & TURN_3) == 0)
        ashi_expect_output(scene, "it turns, by 0.2 rad/s or more", rate, ASHI_MAX, 0.2 + 500, 500);
    if ((removed & TURN_3) == TURN_3)
        ashi_expect_output(scene, "it does not turn", rate, ASHI_MAX, 0, 1e-9);
    uint32_t error = ashi_watch_joint(scene, "error", ASHI_JOINT_ERROR, joint, ASH_MOVE_X);
    uint32_t angle = ashi_watch_joint(scene, "angle error", ASHI_JOINT_ANGLE_ERROR, joint, ASH_MOVE_X);
    if ((removed & MOVE_3) != 0)
        ashi_expect_output(scene, "removed translations hold", error, ASHI_MAX, 0, tolerance);
    if ((removed & TURN_3) != 0)
        ashi_expect_output(scene, "removed rotations hold", angle, ASHI_MAX, 0, tolerance);
    if (removed != (MOVE_3 | TURN_3))
        return;
    uint32_t load = ashi_watch_joint_load(scene, "load", ASHI_JOINT_FORCE, joint, ASH_FRAME_WORLD, ASHI_NORM);
    ashi_expect_output(scene, "nothing moves: the joint carries the push", load, ASHI_FINAL, v3_norm(push_force), 1e-6);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    (void)given;
    uint32_t removed = removed_by(scene), block = ASHI_NONE;
    scene->gravity = v3(0, 0, 0);
    scene->step = 0.005;
    scene->time = duration;
    ash_status status = add_block(scene, &block, diagnostic);
    if (status == ASH_OK)
        status = ashi_use_method(scene, "engineering", diagnostic);
    if (status != ASH_OK || block == ASHI_NONE)
        return status;
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_COMBINATION);
    def.name = "joint";
    def.removed = removed;
    def.angle = ASHI_PI / 2;
    def.body_b = ashi_scene_body_ref(block);
    ashi_scene_place_joint(scene, &def, v3(0.25, -0.1, 0.15), v3(2, -1, 1.5));
    uint32_t joint = ashi_scene_add_joint(scene, &def);
    expect_all(scene, removed, block, joint);
    return ASH_OK;
}

/* What a run's outputs say: the least that any kept freedom moved, the most that anything removed gave way. */
static void look_at(const ash_run *run, double *least_motion, double *most_error)
{
    *least_motion = INFINITY;
    for (uint32_t i = 0; i < ash_run_get_series_count(run); i++) {
        ash_series series = ash_run_get_series(run, i);
        double largest = 0;
        for (uint32_t k = 0; k < series.count; k++)
            largest = fmax(largest, fabs(series.values[k]));
        if (strstr(series.name, "error") != NULL)
            *most_error = fmax(*most_error, largest);
        else if (strncmp(series.name, "rate", 4) != 0)
            *least_motion = fmin(*least_motion, largest);
    }
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_scene *scene = NULL;
    ash_run *run = NULL;
    double least_motion = 0, most_error = 0, turned = 0;
    ash_status status = ash_scene_open(validation->scene, NULL, 0, &scene, diagnostic);
    if (status == ASH_OK)
        status = ash_scene_run(scene, NULL, &run, diagnostic);
    if (status == ASH_OK) {
        uint32_t removed = removed_by(scene);
        look_at(run, &least_motion, &most_error);
        if (isfinite(least_motion))
            ashi_validation_above(validation, "least motion of a kept freedom in 1 s, m or rad", SOURCE, least_motion,
                                  moved);
        turned = v3_norm(ash_body_get_angular_velocity(ash_run_get_world(run),
                                                       ash_world_find_body(ash_run_get_world(run), "block")));
        if ((removed & TURN_3) == 0)
            ashi_validation_above(validation, "rate of turning after 1 s, rad/s", SOURCE, turned, moved);
        ashi_validation_below(validation, "most that is removed gave way, m or rad", SOURCE, most_error, tolerance);
    }
    ash_run_destroy(run);
    ash_scene_destroy(scene);
    return status;
}

/* In the order of their masks. */
const ashi_builtin ashi_scene_combinations[ASHI_COMBINATIONS] = {
    {{"point-on-plane-joint", "a pushed block that keeps two translations and all rotations", SOURCE, NULL, 0, false,
      ASH_SCENE_PAPER},
     build,
     validate},
    {{"point-on-line-joint", "a pushed block that keeps one translation and all rotations", SOURCE, NULL, 0, false,
      ASH_SCENE_PAPER},
     build,
     validate},
    {{"ball-joint", "a pushed block that keeps all rotations", SOURCE, NULL, 0, false, ASH_SCENE_PAPER},
     build,
     validate},
    {{"fixed-angle-joint", "a pushed block that keeps all translations and two rotations", SOURCE, NULL, 0, false,
      ASH_SCENE_PAPER},
     build,
     validate},
    {{"plane-angle-joint", "a pushed block that keeps two translations and two rotations", SOURCE, NULL, 0, false,
      ASH_SCENE_PAPER},
     build,
     validate},
    {{"line-angle-joint", "a pushed block that keeps one translation and two rotations", SOURCE, NULL, 0, false,
      ASH_SCENE_PAPER},
     build,
     validate},
    {{"universal-joint", "a pushed block that keeps two rotations", SOURCE, NULL, 0, false, ASH_SCENE_PAPER},
     build,
     validate},
    {{"common-axis-joint", "a pushed block that keeps all translations and one rotation", SOURCE, NULL, 0, false,
      ASH_SCENE_PAPER},
     build,
     validate},
    {{"plane-joint", "a pushed block that keeps two translations and one rotation", SOURCE, NULL, 0, false,
      ASH_SCENE_PAPER},
     build,
     validate},
    {{"cylindrical-joint", "a pushed block that keeps one translation and one rotation", SOURCE, NULL, 0, false,
      ASH_SCENE_PAPER},
     build,
     validate},
    {{"hinge-joint", "a pushed block that keeps one rotation", SOURCE, NULL, 0, false, ASH_SCENE_PAPER},
     build,
     validate},
    {{"parallel-joint", "a pushed block that keeps all translations", SOURCE, NULL, 0, false, ASH_SCENE_PAPER},
     build,
     validate},
    {{"two-way-joint", "a pushed block that keeps two translations", SOURCE, NULL, 0, false, ASH_SCENE_PAPER},
     build,
     validate},
    {{"slider-joint", "a pushed block that keeps one translation", SOURCE, NULL, 0, false, ASH_SCENE_PAPER},
     build,
     validate},
    {{"fixed-joint", "a pushed block that keeps nothing", SOURCE, NULL, 0, false, ASH_SCENE_PAPER}, build, validate},
};
