/* The files of a run. Text files that are only good when whole (the scene, the summary) are written under a temporary
 * name and then renamed, so that they are there completely or not at all. */
#define _XOPEN_SOURCE 700
#include "scene/results.h"

#include "base/diagnostic.h"
#include "scene/csv.h"
#include "scene/ledger_entry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ashi_results {
    char *folder;
    ashi_recorder *recorder;
    ashi_csv *outputs, *ledger;
    uint32_t output_count;
};

static ash_status fail_system(const char *path, const char *what, ash_diagnostic *diagnostic)
{
    int reason = errno;
    ashi_fail(diagnostic, reason == ENOENT ? ASH_NOT_FOUND : ASH_IO, "results.io", "cannot %s: %s", what,
              strerror(reason));
    if (diagnostic != NULL)
        snprintf(diagnostic->file, sizeof diagnostic->file, "%s", path);
    return reason == ENOENT ? ASH_NOT_FOUND : ASH_IO;
}

static char *path_in(const ashi_results *results, const char *name, const char *ending)
{
    size_t size = strlen(results->folder) + strlen(name) + strlen(ending) + 2;
    char *path = ashi_alloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s%s", results->folder, name, ending);
    return path;
}

static ash_status make_folder(const char *folder, ash_diagnostic *diagnostic)
{
    struct stat status;
    if (mkdir(folder, 0777) == 0)
        return ASH_OK;
    if (errno != EEXIST)
        return fail_system(folder, "make the folder for results", diagnostic);
    if (stat(folder, &status) == 0 && S_ISDIR(status.st_mode))
        return ASH_OK;
    errno = ENOTDIR;
    return fail_system(folder, "use it as the folder for results", diagnostic);
}

static bool write_all(int file, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        text += written;
        size -= (size_t)written;
    }
    return true;
}

static ash_status write_and_rename(const char *part, const char *path, const char *text, ash_diagnostic *diagnostic)
{
    int file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return fail_system(path, "create the file", diagnostic);
    bool written = write_all(file, text, strlen(text)) && write_all(file, "\n", 1) && fsync(file) == 0;
    int reason = errno;
    bool closed = close(file) == 0;
    if (!written)
        errno = reason;
    if (!written || !closed || rename(part, path) != 0) {
        ash_status status = fail_system(path, "write the file", diagnostic);
        unlink(part);
        return status;
    }
    return ASH_OK;
}

/* Puts a text file into the folder, whole or not at all. */
static ash_status put_text(const ashi_results *results, const char *name, const char *text, ash_diagnostic *diagnostic)
{
    char *path = path_in(results, name, ""), *part = path_in(results, name, ".part");
    ash_status status =
        path == NULL || part == NULL ? ashi_out_of_memory(diagnostic) : write_and_rename(part, path, text, diagnostic);
    ashi_free(path);
    ashi_free(part);
    return status;
}

static ash_status remove_old_summary(const ashi_results *results, ash_diagnostic *diagnostic)
{
    char *path = path_in(results, "summary.json", "");
    if (path == NULL)
        return ashi_out_of_memory(diagnostic);
    ash_status status = ASH_OK;
    if (unlink(path) != 0 && errno != ENOENT)
        status = fail_system(path, "remove the old summary", diagnostic);
    ashi_free(path);
    return status;
}

static ash_status open_table(const ashi_results *results, const char *name, ashi_csv **csv, ash_diagnostic *diagnostic)
{
    char *path = path_in(results, name, "");
    ash_status status = path == NULL ? ashi_out_of_memory(diagnostic) : ashi_csv_open(path, csv, diagnostic);
    ashi_free(path);
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
    char *text = NULL, *path = path_in(results, "recording.h5", "");
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
    ash_free(text);
    ashi_free(path);
    return status;
}

ash_status ashi_results_open(const char *folder, const ash_scene *scene, const ash_method *method, double step,
                             double time, ashi_results **result, ash_diagnostic *diagnostic)
{
    ash_status status = make_folder(folder, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_results *results = ashi_alloc_zeroed(sizeof *results);
    if (results == NULL)
        return ashi_out_of_memory(diagnostic);
    results->output_count = scene->outputs.count;
    results->folder = ashi_copy_text(folder);
    if (results->folder == NULL)
        status = ashi_out_of_memory(diagnostic);
    else
        status = open_files(results, scene, (ashi_recording_facts){.method = *method, .step = step, .time = time},
                            diagnostic);
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

/* Closes all files; the first trouble is the one reported. */
static ash_status close_files(ashi_results *results, bool complete, ash_diagnostic *diagnostic)
{
    ash_status first = ashi_recorder_close(results->recorder, complete, diagnostic);
    ash_status next = ashi_csv_close(results->outputs, first == ASH_OK ? diagnostic : NULL);
    first = first == ASH_OK ? next : first;
    next = ashi_csv_close(results->ledger, first == ASH_OK ? diagnostic : NULL);
    results->recorder = NULL;
    results->outputs = results->ledger = NULL;
    return first == ASH_OK ? next : first;
}

ash_status ashi_results_finish(ashi_results *results, const ash_run *run, ash_diagnostic *diagnostic)
{
    char *text = NULL;
    ash_status status = close_files(results, ash_run_get_summary(run).complete, diagnostic);
    if (status == ASH_OK)
        status = ash_run_summary_json(run, &text, diagnostic);
    if (status == ASH_OK)
        status = put_text(results, "summary.json", text, diagnostic);
    ash_free(text);
    return status;
}

void ashi_results_release(ashi_results *results)
{
    if (results == NULL)
        return;
    close_files(results, false, NULL);
    ashi_free(results->folder);
    ashi_free(results);
}
