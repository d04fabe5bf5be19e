/* Inspecting recordings: what `ashlar check` says of one. Every number is read once, so that damage anywhere shows: the
 * library checks the checksums of its own structures, and those of compressed data. */
#define _XOPEN_SOURCE 700
#include "base/alloc.h"
#include "base/diagnostic.h"
#include "scene/record/ledger_entry.h"
#include "scene/record/record_layout.h"
#include "scene/record/recording_file.h"
#include "scene/record/superblock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 22 };

/* Reads rows of a column block by block, and hands them to `look`, if there is one. */
typedef bool (*look_at)(const double *values, size_t count, ashi_recording_summary *summary);

static bool read_rows(const ashi_recorded_column *column, look_at look, ashi_recording_summary *summary)
{
    size_t width = (size_t)(column->shape[1] * column->shape[2]);
    uint64_t samples = summary->samples, block = BLOCK_BYTES / (8 * width) > 0 ? BLOCK_BYTES / (8 * width) : 1;
    double *values = ashi_alloc_array((size_t)(block < samples ? block : samples), 8 * width);
    bool done = values != NULL;
    for (uint64_t row = 0; done && row < samples; row += block) {
        uint64_t rows = samples - row < block ? samples - row : block;
        done = ashi_recorded_column_read(column, row, rows, values) &&
               (look == NULL || look(values, (size_t)(rows * width), summary));
    }
    ashi_dealloc(values);
    return done;
}

/* Times ascend. */
static bool look_at_times(const double *times, size_t count, ashi_recording_summary *summary)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(times[i]) || times[i] <= summary->last_time)
            return false;
        if (isnan(summary->first_time))
            summary->first_time = times[i];
        summary->last_time = times[i];
    }
    return true;
}

/* Opens a column, checks its shape (1 x `bodies` x `components` a row, or one number for 0 bodies), and reads it. */
static ash_status read_column(const ashi_recording_file *recording, ashi_recording_summary *summary, const char *name,
                              uint32_t bodies, uint32_t components, look_at look)
{
    ashi_recorded_column column;
    ash_status status = ashi_recorded_column_open(recording, name, bodies, components, summary->samples, &column);
    if (status != ASH_OK)
        return status;
    if (!read_rows(&column, look, summary))
        status = ashi_recording_damaged(recording, name,
                                        look == NULL ? "the data cannot be read" : "the times do not ascend");
    ashi_recorded_column_close(&column);
    return status;
}

static ash_status read_bodies(const ashi_recording_file *recording, ashi_recording_summary *summary)
{
    ash_status status = ASH_OK;
    for (size_t i = 0; summary->bodies > 0 && status == ASH_OK && i < ASHI_RECORD_BODY_COLUMNS; i++)
        status = read_column(recording, summary, ashi_body_columns[i].name, summary->bodies,
                             ashi_body_columns[i].components, NULL);
    return status;
}

static ash_status read_outputs(const ashi_recording_file *recording, ashi_recording_summary *summary)
{
    ash_status status = ASH_OK;
    for (hsize_t i = 0; status == ASH_OK && i < summary->outputs; i++) {
        char path[512] = "/outputs/";
        size_t used = strlen(path);
        if (H5Lget_name_by_idx(recording->file, "/outputs", H5_INDEX_NAME, H5_ITER_INC, i, path + used,
                               sizeof path - used, H5P_DEFAULT) < 0)
            return ashi_recording_damaged(recording, "/outputs", "a name cannot be read");
        status = read_column(recording, summary, path, 0, 0, NULL);
    }
    return status;
}

static ash_status read_all(const ashi_recording_file *recording, ashi_recording_summary *summary)
{
    char path[64];
    ash_status status = ashi_recording_read_facts(recording, summary);
    if (status == ASH_OK)
        status = read_column(recording, summary, "/time", 0, 0, look_at_times);
    if (status == ASH_OK)
        status = read_bodies(recording, summary);
    if (status == ASH_OK)
        status = read_outputs(recording, summary);
    for (uint32_t i = 0; status == ASH_OK && i < ASHI_LEDGER_ENTRIES; i++) {
        snprintf(path, sizeof path, "/ledger/%s", ashi_ledger_entry_name(i));
        status = read_column(recording, summary, path, 0, 0, NULL);
    }
    for (uint32_t i = 0; status == ASH_OK && i < ASHI_RECORD_REPORT_COLUMNS; i++) {
        snprintf(path, sizeof path, "/report/%s", ashi_record_report_name(i));
        if (ashi_recording_has_report(recording, i))
            status = read_column(recording, summary, path, 0, 0, NULL);
    }
    return status;
}

ash_status ashi_recording_inspect(const char *path, ashi_recording_summary *summary, ash_diagnostic *diagnostic)
{
    ashi_recording_file recording;
    ashi_hdf5_session session;
    *summary = (ashi_recording_summary){.first_time = (double)NAN, .last_time = -(double)INFINITY};
    ashi_hdf5_enter(&session);
    ash_status status = ashi_recording_file_open(&recording, path, diagnostic);
    if (status == ASH_OK) {
        status = read_all(&recording, summary);
        ashi_recording_file_close(&recording);
    }
    ashi_hdf5_leave(&session);
    if (isinf(summary->last_time))
        summary->last_time = (double)NAN;
    return status;
}

static ash_status take_off_mark(const char *path, ash_diagnostic *diagnostic)
{
    struct stat state;
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    bool done =
        descriptor >= 0 && fstat(descriptor, &state) == 0 &&
        ashi_superblock_write(descriptor, (ashi_superblock){.flags = 0, .end_of_file = (uint64_t)state.st_size});
    if (!done) {
        ashi_fail(diagnostic, ASH_IO, "recording.io", "cannot repair the recording: %s", strerror(errno));
        if (diagnostic != NULL)
            snprintf(diagnostic->file, sizeof diagnostic->file, "%s", path);
    }
    if (descriptor >= 0)
        close(descriptor);
    return done ? ASH_OK : ASH_IO;
}

ash_status ashi_recording_repair(const char *path, ash_diagnostic *diagnostic)
{
    ashi_recording_summary summary;
    /* Only what is whole and ours is touched. */
    ash_status status = ashi_recording_inspect(path, &summary, diagnostic);
    return status != ASH_OK || !summary.marked_open ? status : take_off_mark(path, diagnostic);
}
