/* What recording costs: the same run of a string with and without a recording on disk, a sample every tenth step. */
#define _XOPEN_SOURCE 700
#include "bench.h"

#include "base/clock.h"
#include "base/diagnostic.h"
#include "scene/description/description.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 500, STEPS_PER_SAMPLE = 10, REPEATS = 3 };

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

/* Runs once; `out` null records nothing. */
static ash_status time_run(const ash_scene *scene, const char *out, double *seconds, uint64_t *hash,
                           ash_diagnostic *diagnostic)
{
    ash_run_options options = ash_default_run_options();
    ash_run *run = NULL;
    options.time = STEPS * ash_scene_get_step(scene);
    options.out = out;
    double started = ashi_seconds();
    ash_status status = ash_scene_run(scene, &options, &run, diagnostic);
    *seconds = ashi_seconds() - started;
    if (status == ASH_OK)
        *hash = ash_run_get_summary(run).hash;
    ash_run_destroy(run);
    return status;
}

/* The fastest of the repeats, after one to warm up; each records into a folder of its own that is then removed. */
static ash_status best_run(const ash_scene *scene, bool record, double *seconds, uint64_t *hash,
                           ash_diagnostic *diagnostic)
{
    *seconds = INFINITY;
    for (int repeat = 0; repeat <= REPEATS; ++repeat) {
        char folder[] = "/tmp/ashlar-bench-XXXXXX";
        if (record && !mkdtemp(folder))
            return ashi_fail(diagnostic, ASH_IO, "bench.folder", "cannot make a folder like %s", folder);
        double taken = 0;
        ash_status status = time_run(scene, record ? folder : NULL, &taken, hash, diagnostic);
        if (record)
            nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
        if (status != ASH_OK)
            return status;
        if (repeat > 0)
            *seconds = fmin(*seconds, taken);
    }
    return ASH_OK;
}

static ash_status time_recording(uint32_t elements, json_t *rows, ash_diagnostic *diagnostic)
{
    char size[16], hash[24];
    ash_scene *scene = NULL;
    double without = 0, with = 0;
    uint64_t state = 0, recorded = 0;
    snprintf(size, sizeof size, "%u", elements - 1);
    ash_setting settings[] = {{"elements", size}};
    ash_status status = ash_scene_open("string", settings, 1, &scene, diagnostic);
    if (status != ASH_OK)
        return status;
    scene->sample_interval = STEPS_PER_SAMPLE * scene->step;
    status = best_run(scene, false, &without, &state, diagnostic);
    if (status == ASH_OK)
        status = best_run(scene, true, &with, &recorded, diagnostic);
    ash_scene_destroy(scene);
    if (status != ASH_OK)
        return status;
    if (state != recorded)
        return ashi_fail(diagnostic, ASH_NUMERICS, "bench.hash", "recording changed the result");
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)state);
    double samples = (double)STEPS / STEPS_PER_SAMPLE + 1;
    json_t *row = json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:s}", "scene", "string", "bodies",
                            (json_int_t)(elements - 1), "steps", (json_int_t)STEPS, "ms without", 1e3 * without,
                            "ms with", 1e3 * with, "ratio", with / without, "ns per body and sample",
                            1e9 * (with - without) / (samples * (elements - 1)), "hash", hash);
    return json_array_append_new(rows, row) == 0 ? ASH_OK : ashi_out_of_memory(diagnostic);
}

json_t *bench_recording(uint32_t most, ash_diagnostic *diagnostic)
{
    static const uint32_t sizes[] = {1000, 10000};
    json_t *rows = json_array();
    ash_status status = rows ? ASH_OK : ashi_out_of_memory(diagnostic);
    for (int i = 0; i < 2 && status == ASH_OK && (sizes[i] <= most || i == 0); ++i)
        status = time_recording(sizes[i], rows, diagnostic);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
