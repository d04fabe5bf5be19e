/* frictionless-pile: balls and cubes without friction fall into a box and come to lie (Faure: inequalities inside the
 * gradient loop).
 *
 * Without friction the problem of a step is that of least distance from the free motion within the contacts' half
 * spaces: convex, its velocities unique, however many contact forces there are. So two solvers that have nothing in
 * common must come to the same velocities.
 *
 * The step is as short as the limit on overlap asks for. The pile never quite lies still, and cubes that cross at edges
 * change the edge they touch by. A contact that was not there at the start of a step is found at its end, after an
 * overlap of g h^2 (here 0.06 mm), and removed in the next step: with twice the step every fifth state of the pile has
 * more than 0.1 mm somewhere, with this one every hundredth. */
#include "base/diagnostic.h"
#include "experiments/builtin/grains.h"
#include "experiments/builtin/statics.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

static const double radius = 0.1, side = 0.5, wall = 0.05; /* of bodies; half of the box's inner width; m */

static const ash_scene_parameter parameters[] = {
    {.name = "n", .summary = "balls and cubes in turn", .value = 32, .low = 1, .high = 10000},
};

/* A wall of the box: its middle, and its half extents. */
static ash_status add_wall(ash_scene *scene, const char *name, ash_vec3 middle, ash_vec3 half, uint32_t material,
                           ash_diagnostic *diagnostic)
{
    ash_body_def def = ash_default_body_def();
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.name = name;
    def.type = ASH_BODY_STATIC;
    def.position = middle;
    box.half_extents = half;
    uint32_t body = ashi_scene_add_body(scene, &def);
    return ashi_add_solid_of(scene, body, name, &box, 0, material, diagnostic);
}

static ash_status add_walls(ash_scene *scene, double height, uint32_t ice, ash_diagnostic *diagnostic)
{
    static const char *const names[] = {"left", "right", "front", "back"};
    double out = side + wall;
    ash_status status = add_wall(scene, "floor", v3(0, 0, -wall), v3(out + wall, out + wall, wall), ice, diagnostic);
    for (int i = 0; i < 4 && status == ASH_OK; i++) {
        double at = i % 2 == 0 ? -out : out;
        status = add_wall(scene, names[i], i < 2 ? v3(at, 0, 0.5 * height) : v3(0, at, 0.5 * height),
                          i < 2 ? v3(wall, out + wall, 0.5 * height) : v3(side, wall, 0.5 * height), ice, diagnostic);
    }
    return status;
}

/* Layers of nine, each body somewhere in its own cell and turned anyhow. */
static void add_bodies(ash_scene *scene, uint32_t count, const ashi_grains *grains)
{
    enum { ROW = 3 };
    ashi_random random = {7};
    double cell = 2 * side / ROW, play = 0.5 * cell - sqrt(3) * 0.8 * radius;
    for (uint32_t i = 0; i < count; i++) {
        ash_body_def def = ash_default_body_def();
        double x = (i % ROW - 0.5 * (ROW - 1)) * cell, y = (i / ROW % ROW - 0.5 * (ROW - 1)) * cell;
        def.name = ashi_scene_text(scene, "body-%u", i + 1);
        y += ashi_random_range(&random, -play, play);
        x += ashi_random_range(&random, -play, play);
        def.position = v3(x, y, (i / (ROW * ROW) + 0.5) * cell);
        ashi_add_grain(scene, &def, i, grains, &random);
    }
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t count = 0;
    ash_status status = ashi_parameter_whole(given, "n", &count, diagnostic);
    if (status != ASH_OK)
        return status;
    scene->step = 0.0025;
    scene->time = 2;
    uint32_t ice = ashi_add_material(scene, "ice", 0, 0);
    ashi_grains grains = {0};
    status = add_walls(scene, (count / 9 + 1.5) * 2 * side / 3, ice, diagnostic);
    if (status == ASH_OK)
        status = ashi_make_grains(scene, radius, 0.8 * radius, ice, &grains, diagnostic);
    if (status != ASH_OK)
        return status;
    add_bodies(scene, count, &grains);
    ashi_watch_world(scene, "kinetic energy", ASHI_WORLD_KINETIC);
    uint32_t friction = ashi_watch_world(scene, "work of friction", ASHI_WORLD_FRICTION);
    uint32_t overlap = ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    double fastest = sqrt(2 * 9.81 * (count / 9 + 1) * 2 * side / 3); /* after free fall from the highest layer */
    ashi_expect_output(scene, "no overlap beyond what one step of free fall brings", overlap, ASHI_MAX, 0,
                       fastest * scene->step);
    ashi_expect_output(scene, "overlap is gone in the end, within 0.1 mm", overlap, ASHI_FINAL, 0, 1e-4);
    ashi_expect_output(scene, "friction does no work", friction, ASHI_MAX_ABS, 0, 1e-12);
    ashi_expect_fallen(scene, 0, 0.95);
    return ashi_use_method(scene, "faure", diagnostic);
}

/* ---- experiments ---- */

static ash_status solve(const ash_problem *problem, ash_solver solver, double tolerance, ash_problem *solved,
                        ash_solve_result *result, ash_diagnostic *diagnostic)
{
    ash_solver_settings settings = ash_default_solver_settings(solver);
    settings.iterations = 100000;
    settings.tolerance = tolerance;
    settings.warm_start = false;
    ash_status status = ash_problem_copy(solved, problem, diagnostic);
    return status == ASH_OK ? ash_problem_solve(solved, &settings, 1, NULL, result, diagnostic) : status;
}

/* The largest difference of the velocities of any body, m/s or rad/s. */
static double difference(const ash_problem *a, const ash_problem *b)
{
    double most = 0;
    for (uint32_t i = 0; i < a->body_count; i++)
        most = fmax(most, fmax(v3_norm(v3_sub(a->velocity[i].linear, b->velocity[i].linear)),
                               v3_norm(v3_sub(a->velocity[i].angular, b->velocity[i].angular))));
    return most;
}

static ash_status compare(ashi_validation *v, ash_world *world, double h, double time, ash_diagnostic *diagnostic)
{
    static const ash_solver family[] = {ASH_SOLVER_STRUCTURED, ASH_SOLVER_BICONJUGATE, ASH_SOLVER_STRUCTURED_DENSE,
                                        ASH_SOLVER_FULL_ITERATIVE, ASH_SOLVER_FULL_DENSE};
    enum { FAMILY = sizeof family / sizeof *family };
    ash_problem problem = {0}, theirs = {0};
    ash_solve_result result = {0};
    char quantity[120];
    ash_status status = ash_world_next_problem(world, h, &problem);
    if (status == ASH_OK)
        status = solve(&problem, ASH_SOLVER_NEWTON, 1e-11, &theirs, &result, diagnostic);
    if (status == ASH_OK) {
        snprintf(quantity, sizeof quantity, "at %g s: contacts", time);
        ashi_validation_above(v, quantity, "Faure", problem.block_count + problem.point_count, 1);
    }
    for (int i = 0; i < FAMILY && status == ASH_OK; i++) {
        const char *name = ash_solver_name(family[i]);
        ash_problem ours = {0};
        status = solve(&problem, family[i], 1e-11, &ours, &result, diagnostic);
        if (status == ASH_OK) {
            snprintf(quantity, sizeof quantity, "at %g s: velocities by %s and by newton differ by, m/s", time, name);
            ashi_validation_below(v, quantity, "newton", difference(&ours, &theirs), 1e-8);
            ashi_validation_point(v, "Faure, active set, turns", name, problem.block_count + problem.point_count, NAN,
                                  result.iterations);
        }
        ash_problem_release(&ours);
    }
    ash_problem_release(&theirs);
    ash_problem_release(&problem);
    return status;
}

/* How Faure's own loop does by itself: problems that it solves to `near` m/s, of those with contacts. */
typedef struct tally {
    double near;
    uint32_t problems, solved;
} tally;

static ash_status try_active_set(ash_world *world, double h, tally *t, ash_diagnostic *diagnostic)
{
    ash_problem problem = {0}, solved = {0};
    ash_solve_result result = {0};
    ash_status status = ash_world_next_problem(world, h, &problem);
    if (status == ASH_OK && problem.block_count + problem.point_count > 0) {
        status = solve(&problem, ASH_SOLVER_BICONJUGATE, t->near, &solved, &result, diagnostic);
        t->problems++;
        t->solved += (result.flags & ASH_SOLVE_CONVERGED) && !(result.flags & ASH_SOLVE_REPLACED);
    }
    ash_problem_release(&solved);
    ash_problem_release(&problem);
    return status;
}

/* A ball that falls on a plane: its speed before the first rebound, without the last step's fall, and after it. */
typedef struct rebound {
    double h, before, after;
} rebound;

static bool see_rebound(const ash_world *world, uint32_t step, void *data)
{
    rebound *r = data;
    double speed = ash_body_get_velocity(world, ash_world_find_body(world, "ball")).z;
    (void)step;
    if (speed > 0)
        r->after = speed;
    else
        r->before = speed - 9.81 * r->h;
    return r->after == 0;
}

/* Bounces at the end of the step, by (1 + a) b and by (1 + a) lambda. */
static ash_status bounce(ashi_validation *v, ash_diagnostic *diagnostic)
{
    static const struct {
        const char *law, *quantity;
    } laws[] = {{"newton", "rebound over approach at the end of a step, by (1 + a) b with a = 0.8"},
                {"poisson", "rebound over approach at the end of a step, by (1 + a) lambda with a = 0.8"}};
    ash_status status = ASH_OK;
    for (int i = 0; i < 2 && status == ASH_OK; i++) {
        ashi_experiment experiment;
        status = ashi_experiment_open(&experiment, diagnostic, "bounce",
                                      "method=faure e=0.8 step-control=bounces restitution-law=%s", laws[i].law);
        if (status != ASH_OK)
            return status;
        rebound r = {.h = 0.0073};
        status = ashi_experiment_run(&experiment, r.h, 200, see_rebound, &r, NULL, diagnostic);
        ashi_validation_near(v, laws[i].quantity, "Faure, collision processing", 0.8, -r.after / r.before, 1e-9);
        ashi_experiment_close(&experiment);
    }
    return status;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    enum { LOOKS = 4, STEPS = 120, TRIES = 12, GRADES = 3 };
    tally tallies[GRADES] = {{1e-2, 0, 0}, {1e-3, 0, 0}, {1e-6, 0, 0}};
    ashi_experiment experiment;
    char quantity[120];
    ash_status status = ashi_validate_checks(validation, "Faure", diagnostic);
    if (status == ASH_OK)
        status = ashi_experiment_open(&experiment, diagnostic, "frictionless-pile", "n=32");
    if (status != ASH_OK)
        return status;
    double h = experiment.scene->step;
    for (int i = 0; i < LOOKS * TRIES && status == ASH_OK && !validation->stopped; i++) {
        status = ashi_experiment_run(&experiment, h, STEPS / TRIES, NULL, NULL, NULL, diagnostic);
        for (int k = 0; k < GRADES && status == ASH_OK; k++)
            status = try_active_set(experiment.world, h, &tallies[k], diagnostic);
        if (status == ASH_OK && (i + 1) % TRIES == 0)
            status = compare(validation, experiment.world, h, (i + 1) * STEPS / TRIES * h, diagnostic);
    }
    if (status == ASH_OK && !validation->stopped)
        status = bounce(validation, diagnostic);
    for (int k = 0; k < GRADES && status == ASH_OK; k++) {
        snprintf(quantity, sizeof quantity, "share of problems that Faure's active set solves alone to %g m/s",
                 tallies[k].near);
        double share = (double)tallies[k].solved / fmax(tallies[k].problems, 1);
        if (tallies[k].near < 1e-3)
            ashi_validation_report(validation, quantity, "Faure: accuracy for time", NAN, share);
        else
            ashi_validation_above(validation, quantity, "Faure: accuracy for time", share, 0.9);
    }
    ashi_experiment_close(&experiment);
    return status;
}

const ashi_builtin ashi_scene_frictionless_pile = {
    .info = {.name = "frictionless-pile",
             .summary = "balls and cubes without friction in a box: two solvers agree",
             .source = "Faure",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
