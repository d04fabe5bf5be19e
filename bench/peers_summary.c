/* The summary of the peers' table: scene by engine, how long a step takes at the end of the run, over that of one
 * reference, and how much bodies overlap there. Defaults of all engines, one thread; of ours `realtime`, with two
 * threads, too. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

/* Engines in the order of columns; the first one of the last two that was measured on a scene is its reference. */
static const char *const engines[] = {"Ashlar", "MuJoCo", "ODE", "Chipmunk", "Bullet", "Box2D"};
enum { ENGINES = sizeof engines / sizeof *engines, REFERENCES = 2 };

static bool is_text(const json_t *row, const char *key, const char *text)
{
    const char *value = json_string_value(json_object_get(row, key));
    return value != NULL && strcmp(value, text) == 0;
}

/* The first row of an engine on a scene, its defaults. Null: there is none. */
static const json_t *row_of(const json_t *rows, const char *scene, const char *engine, int threads)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        bool right = is_text(row, "scene", scene) && is_text(row, "engine", engine);
        if (right && json_integer_value(json_object_get(row, "threads")) == threads)
            return row;
    }
    return NULL;
}

/* A figure, or 0. */
static double figure(const json_t *row, const char *key)
{
    return row != NULL ? json_real_value(json_object_get(row, key)) : 0;
}

static const char *const at_the_end = "at the end (ms)";

static json_t *summarize(const json_t *rows, const char *scene)
{
    const char *reference = "";
    double time = 0;
    char name[64];
    for (int i = ENGINES - REFERENCES; i < ENGINES && !(time > 0); ++i) {
        reference = engines[i];
        time = figure(row_of(rows, scene, reference, 1), at_the_end);
    }
    json_t *out = json_pack("{s:s, s:s, s:o}", "scene", scene, "reference", time > 0 ? reference : "", "its step (ms)",
                            time > 0 ? json_real(time) : json_null());
    for (int i = 0; i < ENGINES; ++i) {
        double own = figure(row_of(rows, scene, engines[i], 1), at_the_end);
        snprintf(name, sizeof name, "%s, times it", engines[i]);
        json_object_set_new(out, name, time > 0 && own > 0 ? json_real(own / time) : json_null());
        if (i > 0)
            continue;
        own = figure(row_of(rows, scene, engines[i], 2), at_the_end);
        json_object_set_new(out, "with two threads", time > 0 && own > 0 ? json_real(own / time) : json_null());
    }
    for (int i = 0; i < ENGINES; ++i) {
        const json_t *value = json_object_get(row_of(rows, scene, engines[i], 1), "mean (mm)");
        snprintf(name, sizeof name, "%s, overlap (mm)", engines[i]);
        json_object_set_new(out, name, json_is_real(value) ? json_real(json_real_value(value)) : json_null());
    }
    return out;
}

void bench_print_peers_summary(const json_t *rows)
{
    json_t *table = json_array(), *row;
    const char *last = "";
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const char *scene = json_string_value(json_object_get(row, "scene"));
        if (strcmp(scene, last) != 0)
            json_array_append_new(table, summarize(rows, scene));
        last = scene;
    }
    if (json_array_size(table) > 0)
        bench_print_part("Summary: time of a step over the reference's, and mean overlap, both at the end of the run",
                         table, 0, json_array_size(table), NULL);
    json_decref(table);
}
