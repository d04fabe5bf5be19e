/* Problems of scenes that `realtime` has run up to a time and `engineering` takes over: what its first solve is given.
 * Contacts overlap by up to the slop of `realtime`, four redundant ones to a face, and the first guess is the last
 * step's forces. They are made by running the scene, so that large ones take some seconds. */
#include "experiments/problems/handed_over.h"

#include "ashlar/scene.h"
#include "base/diagnostic.h"

#include <string.h>

#define STEP 0.01 /* s */

static const ashi_handed_over problems[] = {
    {"settled-50", "50 boxes at rest in a pit", "box-pile", {{"n", "50"}}, 1, 4},
    {"settled-200", "200 boxes at rest in a pit", "box-pile", {{"n", "200"}}, 1, 6},
    {"settled-1000", "1000 boxes at rest in a pit", "box-pile", {{"n", "1000"}}, 1, 6},
    {"settled-3000", "3000 boxes at rest in a pit", "box-pile", {{"n", "3000"}}, 1, 6},
    {"collapse-200", "200 boxes as they fall on each other", "box-pile", {{"n", "200"}}, 1, 0.8},
    {"collapse-1000", "1000 boxes as they fall on each other", "box-pile", {{"n", "1000"}}, 1, 0.8},
    {"silo", "balls and cubes that fill a silo", "silo", {{0}}, 0, 3},
    {"tower-under-slab", "a dry tower on which a slab lies", "roof-tower", {{"ball-time", "100"}}, 1, 2},
    {"tower-struck",
     "a dry tower that a ball has struck",
     "roof-tower",
     {{"roof-mass", "0"}, {"ball-time", "0.2"}},
     2,
     0.5},
};

uint32_t ashi_handed_over_count(void)
{
    return sizeof problems / sizeof *problems;
}

const ashi_handed_over *ashi_handed_over_get(uint32_t index)
{
    return index < ashi_handed_over_count() ? &problems[index] : NULL;
}

const ashi_handed_over *ashi_handed_over_find(const char *name)
{
    for (uint32_t i = 0; i < ashi_handed_over_count(); i++)
        if (strcmp(problems[i].name, name) == 0)
            return &problems[i];
    return NULL;
}

static ash_status open_world(const ashi_handed_over *which, ash_world **world, ash_diagnostic *diagnostic)
{
    ash_scene *scene = NULL;
    ash_method method;
    ash_status status = ash_scene_open(which->scene, which->settings, which->setting_count, &scene, diagnostic);
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

ash_status ashi_handed_over_make(const ashi_handed_over *which, ash_problem *problem, ash_diagnostic *diagnostic)
{
    ash_world *world = NULL;
    ash_method method;
    ash_status status = open_world(which, &world, diagnostic);
    if (status == ASH_OK)
        status = ash_method_find("engineering", &method, diagnostic);
    uint32_t steps = (uint32_t)(which->time / STEP + 0.5);
    for (uint32_t i = 0; i < steps && status == ASH_OK; i++)
        status = ash_world_step(world, STEP);
    if (status == ASH_OK)
        status = ash_world_set_method(world, &method);
    if (status == ASH_OK)
        status = ash_world_next_problem(world, STEP, problem);
    if (status != ASH_OK && world != NULL && diagnostic != NULL)
        *diagnostic = ash_world_get_last_diagnostic(world);
    ash_world_destroy(world);
    return status;
}
