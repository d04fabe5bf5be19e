/* What a long run must not do: end early, overflow, open its joints, make energy.
 *
 * Energy made is what impacts, friction, joints and stabilization added together, and the remainder, over what moved:
 * all works and the kinetic energy. As in the law `energy`, a quarter is too much at any step. A joint that is open by
 * more than a twentieth of a metre is broken, whatever its scene. */
#include "long_runs.h"

#include "ashlar/scene.h"
#include "base/clock.h"
#include "math/vec3.h"
#include "scene/description/description.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TIMES = 10, SHARE = 0.25, OPEN_JOINT = 0.05;
enum { SMALL = 40, MOST_KNOWN = 512 }; /* bodies of a scene that runs by every preset */

typedef struct known_run {
    char scene[32], method[32], reason[160];
} known_run;

typedef struct known_runs {
    known_run entries[MOST_KNOWN];
    uint32_t count;
} known_runs;

typedef struct deadline {
    double end;
} deadline;

static bool go_on(double time, double end, void *user)
{
    (void)time;
    (void)end;
    return ashi_seconds() < ((const deadline *)user)->end;
}

/* Surfaces that move do work by friction. */
static bool has_belts(const ash_scene *scene)
{
    for (uint32_t i = 0; i < scene->shapes.count; i++)
        if (v3_norm2(scene->shapes.data[i].surface_velocity) > 0)
            return true;
    return false;
}

static double energy_made(const ash_ledger *ledger, bool belts)
{
    double made = ledger->impacts + ledger->joints + ledger->stabilization + ledger->remainder;
    made += belts ? 0 : ledger->friction;
    double moved = ledger->kinetic + fabs(ledger->impacts) + fabs(ledger->friction) + fabs(ledger->dampers) +
                   fabs(ledger->drag) + fabs(ledger->loads) + fabs(ledger->motors) + fabs(ledger->sleep) +
                   fabs(ledger->total - ledger->initial);
    return made > 1e-9 ? made / (made + moved) : 0;
}

/* Runs and judges; `complete` tells whether the time sufficed, `text` how it went. */
static bool holds(ash_scene *scene, double seconds, bool *complete, char *text, size_t size)
{
    ash_run *run = NULL;
    ash_run_options options = ash_default_run_options();
    ash_diagnostic diagnostic = {0};
    deadline limit = {ashi_seconds() + seconds};
    options.time = TIMES * scene->time;
    options.progress = go_on;
    options.user = &limit;
    scene->sample_interval = fmax(scene->sample_interval, options.time / 1000); /* what is recorded is not looked at */
    ash_status status = ash_scene_run(scene, &options, &run, &diagnostic);
    if (run == NULL) {
        snprintf(text, size, "%.200s", diagnostic.message);
        return false;
    }
    ash_run_summary summary = ash_run_get_summary(run);
    double made = energy_made(&summary.ledger, has_belts(scene));
    *complete = summary.complete;
    bool good = status == ASH_OK && made <= SHARE && summary.joint_error_max <= OPEN_JOINT;
    snprintf(text, size, "%.3g of %.3g s, energy made %.2g, joints open by %.2g m%s", summary.time, options.time, made,
             summary.joint_error_max, status == ASH_OK ? "" : ", not finite");
    ash_run_destroy(run);
    return good;
}

static bool read_known(const char *path, known_runs *known)
{
    char line[256];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return false;
    }
    bool good = true;
    while (good && fgets(line, sizeof line, file) != NULL) {
        known_run *entry = &known->entries[known->count];
        if (line[0] == '#' || line[0] == '\n')
            continue;
        good = known->count < MOST_KNOWN - 1 &&
               sscanf(line, "%31s %31s %159[^\n]", entry->scene, entry->method, entry->reason) == 3;
        known->count++;
        if (!good)
            fprintf(stderr, "%s: expected SCENE METHOD REASON, not: %s", path, line);
    }
    fclose(file);
    return good;
}

static const known_run *find_known(const known_runs *known, const char *scene, const char *method)
{
    for (uint32_t i = 0; i < known->count; i++)
        if (strcmp(known->entries[i].scene, scene) == 0 && strcmp(known->entries[i].method, method) == 0)
            return &known->entries[i];
    return NULL;
}

/* One scene by one method; null: its own. Returns whether the outcome is not the expected one. */
static bool differs(const char *name, const char *method, double seconds, const known_runs *known, bool *small)
{
    ash_scene *scene = NULL;
    char text[256];
    if (ash_scene_open(name, NULL, 0, &scene, NULL) != ASH_OK)
        return true;
    *small = scene->bodies.count <= SMALL;
    char own[32];
    snprintf(own, sizeof own, "%s", scene->method.name);
    if (method != NULL && (strcmp(own, method) == 0 || ash_method_find(method, &scene->method, NULL) != ASH_OK)) {
        ash_scene_destroy(scene);
        return false;
    }
    const char *by = method != NULL ? method : "own";
    bool complete = false;
    bool good = holds(scene, seconds, &complete, text, sizeof text);
    const known_run *expected = find_known(known, name, by);
    printf("%-5s %-22s %-20s %s%s%s\n", good ? "ok" : "FAIL", name, by, text, expected != NULL ? "; known: " : "",
           expected != NULL ? expected->reason : "");
    fflush(stdout);
    ash_scene_destroy(scene);
    return expected == NULL ? !good : good && complete;
}

int law_long_runs(double seconds, const char *only, const char *path)
{
    known_runs *known = calloc(1, sizeof *known);
    int differences = 0;
    if (known == NULL || (path != NULL && !read_known(path, known))) {
        free(known);
        return -1;
    }
    for (uint32_t i = 0; i < ash_builtin_count(); i++) {
        const char *name = ash_builtin_get(i).name;
        bool small = false;
        if (only != NULL && strcmp(only, name) != 0)
            continue;
        differences += differs(name, NULL, seconds, known, &small);
        for (uint32_t method = 0; small && method < ash_method_count(); method++)
            differences += differs(name, ash_method_name(method), seconds, known, &small);
    }
    free(known);
    return differences;
}
