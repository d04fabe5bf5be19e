/* What a step of `engineering` costs where many things touch: built-in scenes that `realtime` runs up to a time and
 * `engineering` takes over, and a row of dominoes. Processor times of one thread. The steps that did not reach the
 * solver's tolerance, and those whose impacts were settled in windows, are counted. */
#include "bench.h"

#include "base/diagnostic.h"

#include <math.h>
#include <stdio.h>

#define STEP 0.01 /* s */

typedef struct course {
    const char *name, *scene;
    ash_setting settings[2];
    uint32_t setting_count, bodies;
    double from; /* s, by realtime */
    uint32_t steps;
    const char *control; /* the method's step control */
} course;

static const course courses[] = {
    {"30 dominoes, 1.7 s", NULL, {{0}}, 0, 30, 0, 170, "impacts"},
    {"50 boxes, falling", "box-pile", {{"n", "50"}}, 1, 50, 0.4, 60, "impacts"},
    {"100 boxes, settling, fixed steps", "box-pile", {{"n", "100"}}, 1, 100, 1.2, 50, "fixed"},
    {"200 boxes, falling", "box-pile", {{"n", "200"}}, 1, 200, 0.6, 20, "impacts"},
    {"200 boxes, settled", "box-pile", {{"n", "200"}}, 1, 200, 6, 20, "impacts"},
    {"1000 boxes, falling", "box-pile", {{"n", "1000"}}, 1, 1000, 0.8, 10, "impacts"},
    {"1000 boxes, settled", "box-pile", {{"n", "1000"}}, 1, 1000, 6, 10, "impacts"},
    {"wall of 205 bricks, at rest", "wall", {{0}}, 0, 205, 0.5, 20, "impacts"},
    {"tower of 800 bricks, the ball hits",
     "roof-tower",
     {{"roof-mass", "0"}, {"ball-time", "0.2"}},
     2,
     801,
     0.2,
     30,
     "impacts"},
};

/* 48 x 24 x 7 mm, 30 mm apart; the first is pushed. */
static ash_status make_dominoes(uint32_t count, ash_world **world, ash_diagnostic *diagnostic)
{
    ash_world_def def = ash_default_world_def();
    ash_geometry_def plane = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def body = ash_default_body_def();
    ash_body made;
    box.half_extents = (ash_vec3){0.0035, 0.012, 0.024};
    ash_status status = ash_world_create(&def, world, diagnostic);
    if (status == ASH_OK)
        status = ash_geometry_create(&plane, &shape.geometry, diagnostic);
    body.type = ASH_BODY_STATIC;
    if (status == ASH_OK)
        status = ash_body_create(*world, &body, &shape, 1, &made, diagnostic);
    ash_geometry_release(shape.geometry);
    shape.geometry = NULL;
    if (status == ASH_OK)
        status = ash_geometry_create(&box, &shape.geometry, diagnostic);
    shape.density = 700;
    body.type = ASH_BODY_DYNAMIC;
    for (uint32_t i = 0; i < count && status == ASH_OK; ++i) {
        body.position = (ash_vec3){0.03 * i, 0, 0.024};
        body.angular_velocity = (ash_vec3){0, i == 0 ? 12 : 0, 0};
        body.velocity = (ash_vec3){i == 0 ? 12 * 0.024 : 0, 0, 0};
        status = ash_body_create(*world, &body, &shape, 1, &made, diagnostic);
    }
    ash_geometry_release(shape.geometry);
    return status;
}

static ash_status make_scene(const course *c, ash_world **world, ash_diagnostic *diagnostic)
{
    ash_scene *scene = NULL;
    ash_method method;
    ash_status status = ash_scene_open(c->scene, c->settings, c->setting_count, &scene, diagnostic);
    if (status == ASH_OK)
        status = ash_method_find("realtime", &method, diagnostic);
    if (status == ASH_OK)
        status = ash_method_set(&method, "sleeping", "off", diagnostic);
    if (status == ASH_OK)
        status = ash_scene_set_method(scene, &method);
    if (status == ASH_OK)
        status = ash_scene_instantiate(scene, 1, world, diagnostic);
    ash_scene_destroy(scene);
    return status;
}

static ash_status hand_over(const course *c, ash_world *world, ash_diagnostic *diagnostic)
{
    ash_method method;
    ash_status status = ash_method_find("engineering", &method, diagnostic);
    if (status == ASH_OK)
        status = ash_method_set(&method, "step-control", c->control, diagnostic);
    return status == ASH_OK ? ash_world_set_method(world, &method) : status;
}

static json_t *measure(const course *c, ash_world *world)
{
    double all = 0, worst = 0, error = 0, overlap = 0;
    uint32_t missed = 0, windows = 0, parts = 0, taken = 0;
    while (taken < c->steps) {
        double start = bench_processor_seconds();
        if (ash_world_step(world, STEP) != ASH_OK)
            break;
        double seconds = bench_processor_seconds() - start;
        ash_step_report r = ash_world_get_report(world);
        taken++;
        all += seconds;
        worst = fmax(worst, seconds);
        error = fmax(error, r.error.largest);
        overlap = fmax(overlap, r.penetration);
        parts += r.parts;
        missed += (r.flags & ASH_FLAG_NOT_CONVERGED) != 0;
        windows += (r.flags & ASH_FLAG_MANY_IMPACTS) != 0;
    }
    return json_pack("{s:s,s:i,s:f,s:f,s:f,s:i,s:i,s:f,s:f}", "scene", c->name, "steps", (int)taken, "mean (ms)",
                     1e3 * all / (taken > 0 ? taken : 1), "worst (ms)", 1e3 * worst, "parts a step",
                     (double)parts / (taken > 0 ? taken : 1), "not converged", (int)missed, "in windows", (int)windows,
                     "error (m/s)", error, "overlap (m)", overlap);
}

json_t *bench_engineering(uint32_t most, ash_diagnostic *diagnostic)
{
    json_t *rows = json_array();
    ash_status status = ASH_OK;
    for (size_t i = 0; i < sizeof courses / sizeof *courses && status == ASH_OK; ++i) {
        const course *c = &courses[i];
        ash_world *world = NULL;
        if (c->bodies > most)
            continue;
        status = c->scene != NULL ? make_scene(c, &world, diagnostic) : make_dominoes(c->bodies, &world, diagnostic);
        for (double t = 0; t < c->from - 0.5 * STEP && status == ASH_OK; t += STEP)
            status = ash_world_step(world, STEP);
        if (status == ASH_OK)
            status = hand_over(c, world, diagnostic);
        if (status == ASH_OK && json_array_append_new(rows, measure(c, world)) != 0)
            status = ashi_out_of_memory(diagnostic);
        ash_world_destroy(world);
    }
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
