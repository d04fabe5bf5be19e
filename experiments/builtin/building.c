/* A building of bricks watched brick by brick, before and after a ball is shot at it. */
#include "experiments/builtin/building.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double half_brick = 0.1, crack_seen = 0.2; /* m; s after the shot */

typedef struct watch {
    ash_body *bricks;
    ash_vec3 *places;
    double shot, shot_energy; /* time of the shot, s; energy of the ball, J */
    double seconds;
    double roof; /* its height when the ball is shot, m */
    ashi_building_fate fate;
} watch;

/* How many bricks are out of place; with `below`, how many have fallen. */
static uint32_t count_gone(const ash_world *world, const watch *w, bool below)
{
    uint32_t gone = 0;
    for (uint32_t i = 0; i < w->fate.bricks; i++) {
        ash_vec3 way = v3_sub(ash_body_get_centre(world, w->bricks[i]), w->places[i]);
        gone += below ? way.z <= -half_brick : v3_norm(way) >= half_brick;
    }
    return gone;
}

/* NaN when there is no roof yet. */
static double roof_height(const ash_world *world)
{
    ash_body roof = ash_world_find_body(world, "roof");
    if (roof.id == 0 || !ash_body_is_valid(world, roof))
        return (double)NAN;
    return ash_body_get_centre(world, roof).z;
}

/* The ball's diameter, 0 before there is one. */
static double ball_height(const ash_world *world)
{
    const ash_transform origin = {{0, 0, 0}, {1, 0, 0, 0}};
    ash_body ball = ash_world_find_body(world, "ball");
    ash_shape shape;
    if (ball.id == 0 || ash_body_get_shapes(world, ball, &shape, 1) == 0)
        return 0;
    ash_bounds bounds = ash_geometry_bounds(ash_shape_get_geometry(world, shape), origin);
    return bounds.upper.z - bounds.lower.z;
}

static void look_before(const ash_world *world, watch *w, double penetration)
{
    for (uint32_t i = 0; i < w->fate.bricks; i++) {
        ash_vec3 way = v3_sub(ash_body_get_centre(world, w->bricks[i]), w->places[i]);
        w->fate.drift = fmax(w->fate.drift, v3_norm(v3(way.x, way.y, 0)));
        w->fate.sunk = fmax(w->fate.sunk, -way.z);
    }
    w->fate.overlap = fmax(w->fate.overlap, penetration);
    w->fate.astray = count_gone(world, w, false);
}

static bool look(const ash_world *world, uint32_t step, void *data)
{
    watch *w = data;
    ash_step_report report = ash_world_get_report(world);
    double time = ash_world_get_time(world), rounding = 1e-6 * report.h;
    if (step == 0)
        return true;
    w->seconds += report.seconds;
    w->fate.mean_ms = 1e3 * w->seconds / step;
    w->fate.worst_ms = fmax(w->fate.worst_ms, 1e3 * report.seconds);
    double height = roof_height(world);
    if (time <= w->shot + rounding) {
        look_before(world, w, report.penetration);
        w->roof = height;
        return true;
    }
    w->fate.rise = fmax(w->fate.rise, height - w->roof);
    w->fate.most_rise = ball_height(world);
    w->fate.deepest = fmax(w->fate.deepest, report.penetration);
    w->fate.final_overlap = report.penetration;
    if (time <= w->shot + crack_seen + rounding)
        w->fate.cracked = count_gone(world, w, false);
    return true;
}

/* When the ball is shot, and its energy; without a ball, never. */
static void find_shot(const ash_scene *scene, watch *w)
{
    w->shot = HUGE_VAL;
    for (uint32_t i = 0; i < scene->events.count; i++) {
        const ashi_scene_event *event = &scene->events.data[i];
        if (event->kind != ASHI_EVENT_ADD)
            continue;
        const ash_body_def *def = &scene->bodies.data[event->object].def;
        if (def->name == NULL || strcmp(def->name, "ball") != 0)
            continue;
        w->shot = event->time;
        w->shot_energy = 0.5 * def->mass * v3_dot(def->velocity, def->velocity);
    }
}

/* The bodies that move, in their places. */
static void find_bricks(const ash_world *world, watch *w, uint32_t bodies)
{
    ash_world_get_bodies(world, w->bricks, bodies);
    for (uint32_t i = 0; i < bodies; i++)
        if (ash_body_get_type(world, w->bricks[i]) == ASH_BODY_DYNAMIC)
            w->bricks[w->fate.bricks++] = w->bricks[i];
    for (uint32_t i = 0; i < w->fate.bricks; i++)
        w->places[i] = ash_body_get_centre(world, w->bricks[i]);
}

static ash_status watch_run(ashi_experiment *experiment, watch *w, uint32_t bodies, double h,
                            ash_diagnostic *diagnostic)
{
    const ash_scene *scene = experiment->scene;
    uint32_t steps = (uint32_t)lround(scene->time / h), taken = 0;
    find_bricks(experiment->world, w, bodies);
    find_shot(scene, w);
    ash_status status = ashi_experiment_run(experiment, h, steps, look, w, &taken, diagnostic);
    ash_ledger ledger = ash_world_get_ledger(experiment->world);
    w->fate.shot_at = w->shot < scene->time;
    w->fate.complete = status == ASH_OK && taken == steps;
    w->fate.fallen = count_gone(experiment->world, w, true);
    w->fate.final_kinetic = ledger.kinetic;
    w->fate.energy_error = w->shot_energy > 0 ? ledger.remainder / w->shot_energy : 0;
    return status;
}

ash_status ashi_building_run(const char *scene, const char *settings, double h, ashi_building_fate *fate,
                             ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, scene, "%s", settings);
    if (status != ASH_OK)
        return status;
    uint32_t bodies = ash_world_get_bodies(experiment.world, NULL, 0);
    watch w = {.bricks = ashi_alloc_array(bodies, sizeof *w.bricks),
               .places = ashi_alloc_array(bodies, sizeof *w.places)};
    status = w.bricks != NULL && w.places != NULL
                 ? watch_run(&experiment, &w, bodies, h > 0 ? h : experiment.scene->step, diagnostic)
                 : ashi_out_of_memory(diagnostic);
    *fate = w.fate;
    ashi_dealloc(w.bricks);
    ashi_dealloc(w.places);
    ashi_experiment_close(&experiment);
    return status;
}
