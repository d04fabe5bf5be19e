/* The files of a run. The scene and the summary are there completely or not at all. The summary, which says how far the
 * run came, is written last, also when the disk is full: space for it is set aside at the start. */
#define _XOPEN_SOURCE 700
#include "scene/record/results.h"

#include "base/diagnostic.h"
#include "scene/file/csv.h"
#include "scene/file/output_file.h"
#include "scene/record/ledger_entry.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bytes that a summary takes at most: its numbers, and for each output, check and joint that breaks. */
enum { SUMMARY_BYTES = 1 << 16, SUMMARY_ENTRY_BYTES = 512 };

struct ashi_results {
    char *folder;
    ashi_recorder *recorder;
    ashi_csv *outputs, *ledger;
    uint32_t output_count;
    int reserve; /* disk space for the summary, or -1 */
};

static char *path_in(const ashi_results *results, const char *name)
{
    size_t size = strlen(results->folder) + strlen(name) + 2;
    char *path = ashi_alloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s", results->folder, name);
    return path;
}

/* Puts a text file into the folder, whole or not at all, with a line feed at its end. */
static ash_status put_text(const ashi_results *results, const char *name, char *text, ash_diagnostic *diagnostic)
{
    char *path = path_in(results, name);
    size_t size = strlen(text);
    text[size] = '\n'; /* for a while, in the place of the zero */
    ash_status status =
        path == NULL ? ashi_out_of_memory(diagnostic) : ashi_write_file(path, text, size + 1, diagnostic);
    text[size] = 0;
    ashi_dealloc(path);
    return status;
}

static ash_status reserve_summary(ashi_results *results, const ash_scene *scene, ash_diagnostic *diagnostic)
{
    char *path = path_in(results, "summary.json");
    size_t entries = (size_t)scene->outputs.count + scene->checks.count + scene->joints.count;
    ash_status status = path == NULL ? ashi_out_of_memory(diagnostic)
                                     : ashi_reserve_space(path, SUMMARY_BYTES + entries * SUMMARY_ENTRY_BYTES,
                                                          &results->reserve, diagnostic);
    ashi_dealloc(path);
    return status;
}

static ash_status remove_old_summary(const ashi_results *results, ash_diagnostic *diagnostic)
{
    char *path = path_in(results, "summary.json");
    if (path == NULL)
        return ashi_out_of_memory(diagnostic);
    ash_status status = ASH_OK;
    if (unlink(path) != 0 && errno != ENOENT)
        status = ashi_fail_system(diagnostic, "results.io", path, "remove the old summary");
    ashi_dealloc(path);
    return status;
}

static ash_status open_table(const ashi_results *results, const char *name, ashi_csv **csv, ash_diagnostic *diagnostic)
{
    char *path = path_in(results, name);
    ash_status status =
        path == NULL ? ashi_out_of_memory(diagnostic) : ashi_csv_open(path, ASHI_CSV_ALONG, csv, diagnostic);
    ashi_dealloc(path);
    if (status == ASH_OK)
        ashi_csv_heading(*csv, "time", "s");
    return status;
}

static ash_status open_tables(ashi_results *results, const ash_scene *scene, ash_diagnostic *diagnostic)
{
    ash_status status = open_table(results, "outputs.csv", &results->outputs, diagnostic);
    if (status != ASH_OK)
        return status;
    for (uint32_t i = 0; i < scene->outputs.count; i++)
        ashi_csv_heading(results->outputs, scene->outputs.data[i].name, ashi_output_unit(&scene->outputs.data[i]));
    status = ashi_csv_end_row(results->outputs, diagnostic);
    if (status == ASH_OK)
        status = open_table(results, "ledger.csv", &results->ledger, diagnostic);
    if (status != ASH_OK)
        return status;
    for (uint32_t i = 0; i < ASHI_LEDGER_ENTRIES; i++)
        ashi_csv_heading(results->ledger, ashi_ledger_entry_name(i), "J");
    return ashi_csv_end_row(results->ledger, diagnostic);
}

static ash_status open_files(ashi_results *results, const ash_scene *scene, ashi_recording_facts facts,
                             ash_diagnostic *diagnostic)
{
    char *text = NULL, *path = path_in(results, "recording.h5");
    size_t size;
    ash_status status = path == NULL ? ashi_out_of_memory(diagnostic) : remove_old_summary(results, diagnostic);
    if (status == ASH_OK)
        status = ash_scene_write(scene, &text, &size, diagnostic);
    if (status == ASH_OK)
        status = put_text(results, "scene.json", text, diagnostic);
    if (status == ASH_OK) {
        facts.scene_text = text;
        status = ashi_recorder_open(path, scene, &facts, &results->recorder, diagnostic);
    }
    if (status == ASH_OK)
        status = open_tables(results, scene, diagnostic);
    if (status == ASH_OK)
        status = reserve_summary(results, scene, diagnostic);
    ash_free(text);
    ashi_dealloc(path);
    return status;
}

ash_status ashi_results_open(const char *folder, const ash_scene *scene, const ashi_recording_facts *facts,
                             ashi_results **result, ash_diagnostic *diagnostic)
{
    ash_status status = ashi_make_directory(folder, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_results *results = ashi_alloc_zeroed(sizeof *results);
    if (results == NULL)
        return ashi_out_of_memory(diagnostic);
    results->output_count = scene->outputs.count;
    results->reserve = -1;
    results->folder = ashi_copy_text(folder);
    if (results->folder == NULL)
        status = ashi_out_of_memory(diagnostic);
    else
        status = open_files(results, scene, *facts, diagnostic);
    if (status != ASH_OK)
        ashi_results_release(results);
    else
        *result = results;
    return status;
}

ash_status ashi_results_append(ashi_results *results, const ashi_instance *instance, const ashi_sample *sample,
                               ash_diagnostic *diagnostic)
{
    ashi_csv_number(results->outputs, sample->time);
    for (uint32_t i = 0; i < results->output_count; i++)
        ashi_csv_number(results->outputs, sample->outputs[i]);
    ash_status status = ashi_csv_end_row(results->outputs, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_csv_number(results->ledger, sample->time);
    for (uint32_t i = 0; i < ASHI_LEDGER_ENTRIES; i++)
        ashi_csv_number(results->ledger, ashi_ledger_entry(&sample->ledger, i));
    status = ashi_csv_end_row(results->ledger, diagnostic);
    return status == ASH_OK ? ashi_recorder_append(results->recorder, instance, sample, diagnostic) : status;
}

ash_status ashi_results_close(ashi_results *results, bool complete, ash_diagnostic *diagnostic)
{
    ash_status first = ashi_recorder_close(results->recorder, complete, diagnostic);
    ash_status next = ashi_csv_close(results->outputs, first == ASH_OK ? diagnostic : NULL);
    first = first == ASH_OK ? next : first;
    next = ashi_csv_close(results->ledger, first == ASH_OK ? diagnostic : NULL);
    results->recorder = NULL;
    results->outputs = results->ledger = NULL;
    return first == ASH_OK ? next : first;
}

ash_status ashi_results_put_summary(ashi_results *results, const ash_run *run, ash_diagnostic *diagnostic)
{
    char *text = NULL;
    ash_status status = ash_run_summary_json(run, &text, diagnostic);
    if (results->reserve >= 0)
        close(results->reserve);
    results->reserve = -1;
    if (status == ASH_OK)
        status = put_text(results, "summary.json", text, diagnostic);
    ash_free(text);
    return status;
}

void ashi_results_release(ashi_results *results)
{
    if (results == NULL)
        return;
    ashi_results_close(results, false, NULL);
    if (results->reserve >= 0)
        close(results->reserve);
    ashi_dealloc(results->folder);
    ashi_dealloc(results);
}
