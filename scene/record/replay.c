/* Reading recordings back. Times and the scene are read when it is opened; bodies by blocks of samples as large as what
 * the recorder compressed together, so that advancing to the next sample rarely touches the file; series completely on
 * request.
 *
 * A recording that is still being written is read as of its opening: the rows of its samples never change, although the
 * writer moves their chunks. If the file has grown beyond what HDF5 saw, it is opened again. */
#define _XOPEN_SOURCE 700
#include "scene/record/replay.h"

#include "base/diagnostic.h"
#include "scene/record/ledger_entry.h"
#include "scene/record/record_layout.h"
#include "scene/record/recording_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK_BYTES = 1 << 19, TIMES_AT_ONCE = 1 << 14 };
/* Squared norms of rotations may differ from 1 by this: steps normalize them. */
static const double NORM_ROUNDING = 1e-9;

typedef struct recorded_series {
    const char *name, *object; /* in the file; both in the replay's text */
    char unit[32];
    double *values; /* null: not yet read */
} recorded_series;

struct ashi_replay {
    char *path;
    struct stat identity; /* of the file, to know it again */
    ashi_recording_summary summary;
    ash_scene *scene;
    ashi_arena *text;
    hid_t file;
    ashi_recorded_column columns[ASHI_RECORD_BODY_COLUMNS]; /* of bodies */
    double *blocks[ASHI_RECORD_BODY_COLUMNS];
    uint64_t block_first, block_rows; /* those in memory */
    uint64_t block_capacity;
    ASHI_ARRAY(double) times;
    recorded_series *series;
    uint32_t series_count;
};

/* The file named `path`, or "recording.h5" in the directory of that name. */
static char *find_file(const char *path)
{
    struct stat state;
    if (stat(path, &state) != 0 || !S_ISDIR(state.st_mode))
        return ashi_copy_text(path);
    char *whole = ashi_alloc(strlen(path) + sizeof "/recording.h5");
    if (whole != NULL)
        sprintf(whole, "%s/recording.h5", path);
    return whole;
}

/* A scalar data set of text, released with ashi_dealloc; its size is at most that of the file. Null: it cannot be read.
 */
static char *read_long_text(const ashi_recording_file *recording, const char *name, uint64_t file_size, size_t *size,
                            bool *out_of_memory)
{
    hid_t dataset = H5Dopen2(recording->file, name, H5P_DEFAULT);
    hid_t type = dataset >= 0 ? H5Dget_type(dataset) : -1, space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    char *text = NULL;
    *size = type >= 0 ? H5Tget_size(type) : 0;
    if (type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && *size > 0 &&
        *size <= file_size && H5Sget_simple_extent_npoints(space) == 1) {
        text = ashi_alloc_zeroed(*size + 1);
        *out_of_memory = text == NULL;
        if (text != NULL && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
            ashi_dealloc(text);
            text = NULL;
        }
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (dataset >= 0)
        H5Dclose(dataset);
    return text;
}

static ash_status read_scene(ashi_replay *replay, const ashi_recording_file *recording)
{
    size_t size;
    bool out_of_memory = false;
    char *text = read_long_text(recording, "/scene", (uint64_t)replay->identity.st_size, &size, &out_of_memory);
    if (out_of_memory)
        return ashi_out_of_memory(recording->diagnostic);
    if (text == NULL)
        return ashi_recording_damaged(recording, "/scene", "the scene cannot be read");
    ash_status status = ash_scene_parse(text, strlen(text), replay->path, &replay->scene, recording->diagnostic);
    ashi_dealloc(text);
    if (status != ASH_OK)
        return status;
    const ashi_recording_summary *summary = &replay->summary;
    if (summary->bodies != replay->scene->bodies.count || summary->outputs != replay->scene->outputs.count)
        return ashi_recording_damaged(recording, "/scene", "its bodies or outputs are not those that were recorded");
    if (!(summary->step > 0) || !isfinite(summary->step) || !(summary->time > 0) || !isfinite(summary->time))
        return ashi_recording_damaged(recording, "/", "the step or the time is no number of seconds above 0");
    /* The run's own, which need not be the scene's. */
    replay->scene->step = summary->step;
    replay->scene->time = summary->time;
    return ASH_OK;
}

static bool times_ascend(const double *times, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++)
        if (!isfinite(times[i]) || (i > 0 && times[i] <= times[i - 1]))
            return false;
    return true;
}

/* Memory grows only with validated data, so that a false length cannot cause a large allocation. */
static ash_status read_times(ashi_replay *replay, const ashi_recording_file *recording)
{
    ashi_recorded_column column;
    uint64_t samples = replay->summary.samples;
    ash_status status = ashi_recorded_column_open(recording, "/time", 0, 0, samples, &column);
    if (status != ASH_OK)
        return status;
    while (status == ASH_OK && replay->times.count < samples) {
        uint64_t done = replay->times.count, rows = samples - done < TIMES_AT_ONCE ? samples - done : TIMES_AT_ONCE;
        if (!ashi_array_reserve(&replay->times, done + rows))
            status = ashi_out_of_memory(recording->diagnostic);
        else if (!ashi_recorded_column_read(&column, done, rows, replay->times.data + done))
            status = ashi_recording_damaged(recording, "/time", "the data cannot be read");
        else if (!times_ascend(replay->times.data, done, rows))
            status = ashi_recording_damaged(recording, "/time", "the times do not ascend");
        else
            replay->times.count += (uint32_t)rows;
    }
    ashi_recorded_column_close(&column);
    if (status == ASH_OK && samples > 0) {
        replay->summary.first_time = replay->times.data[0];
        replay->summary.last_time = replay->times.data[samples - 1];
    }
    return status;
}

static void close_columns(ashi_replay *replay)
{
    for (uint32_t i = 0; i < ASHI_RECORD_BODY_COLUMNS; i++)
        ashi_recorded_column_close(&replay->columns[i]);
}

static ash_status open_columns(ashi_replay *replay, const ashi_recording_file *recording)
{
    ash_status status = ASH_OK;
    for (uint32_t i = 0; replay->summary.bodies > 0 && status == ASH_OK && i < ASHI_RECORD_BODY_COLUMNS; i++)
        status =
            ashi_recorded_column_open(recording, ashi_body_columns[i].name, replay->summary.bodies,
                                      ashi_body_columns[i].components, replay->summary.samples, &replay->columns[i]);
    return status;
}

static ash_status make_blocks(ashi_replay *replay, const ashi_recording_file *recording)
{
    uint64_t row_bytes = 8 * 13 * (uint64_t)replay->summary.bodies, samples = replay->summary.samples;
    uint64_t rows = row_bytes > 0 && row_bytes < BLOCK_BYTES ? BLOCK_BYTES / row_bytes : 1;
    replay->block_capacity = rows < samples ? rows : samples;
    for (uint32_t i = 0; i < ASHI_RECORD_BODY_COLUMNS; i++) {
        size_t width = (size_t)replay->summary.bodies * ashi_body_columns[i].components;
        replay->blocks[i] = ashi_alloc_array((size_t)replay->block_capacity, 8 * width);
        if (replay->blocks[i] == NULL)
            return ashi_out_of_memory(recording->diagnostic);
    }
    return ASH_OK;
}

/* Adds a series of the data set "/group/name"; `label` is its name for readers. */
static ash_status add_series(ashi_replay *replay, const ashi_recording_file *recording, const char *group,
                             const char *name, const char *label)
{
    size_t object_size = strlen(group) + strlen(name) + 3, label_size = strlen(group) + strlen(label) + 2;
    char *object = ashi_arena_take(replay->text, object_size), *text = ashi_arena_take(replay->text, label_size);
    if (object == NULL || text == NULL)
        return ashi_out_of_memory(recording->diagnostic);
    snprintf(object, object_size, "/%s/%s", group, name);
    snprintf(text, label_size, "%s/%s", group, label);
    recorded_series *series = &replay->series[replay->series_count++];
    *series = (recorded_series){.name = text, .object = object};
    ashi_recorded_column column;
    ash_status status = ashi_recorded_column_open(recording, object, 0, 0, replay->summary.samples, &column);
    if (status != ASH_OK)
        return status;
    if (!ashi_recording_read_text(column.dataset, "unit", series->unit, sizeof series->unit))
        status = ashi_recording_damaged(recording, object, "the unit is missing");
    ashi_recorded_column_close(&column);
    return status;
}

static ash_status list_series(ashi_replay *replay, const ashi_recording_file *recording)
{
    uint32_t outputs = replay->scene->outputs.count;
    size_t most = (size_t)outputs + ASHI_LEDGER_ENTRIES + ASHI_RECORD_REPORT_COLUMNS;
    replay->series = ashi_alloc_zeroed(most * sizeof *replay->series);
    replay->text = ashi_arena_create(4096);
    if (replay->series == NULL || replay->text == NULL)
        return ashi_out_of_memory(recording->diagnostic);
    ash_status status = ASH_OK;
    for (uint32_t i = 0; status == ASH_OK && i < outputs; i++) {
        const char *label = replay->scene->outputs.data[i].name;
        char *name = ashi_record_dataset_name(label);
        status = name == NULL ? ashi_out_of_memory(recording->diagnostic)
                              : add_series(replay, recording, "outputs", name, label);
        ashi_dealloc(name);
    }
    for (uint32_t i = 0; status == ASH_OK && i < ASHI_LEDGER_ENTRIES; i++)
        status = add_series(replay, recording, "ledger", ashi_ledger_entry_name(i), ashi_ledger_entry_name(i));
    for (uint32_t i = 0; status == ASH_OK && i < ASHI_RECORD_REPORT_COLUMNS; i++)
        if (ashi_recording_has_report(recording, i))
            status = add_series(replay, recording, "report", ashi_record_report_name(i), ashi_record_report_name(i));
    return status;
}

static ash_status read_beginning(ashi_replay *replay, const ashi_recording_file *recording)
{
    ash_status status = ashi_recording_read_facts(recording, &replay->summary);
    if (status == ASH_OK && replay->summary.samples >= UINT32_MAX - 1)
        status = ashi_recording_damaged(recording, "/time", "there are more samples than can be");
    if (status == ASH_OK)
        status = read_times(replay, recording);
    if (status == ASH_OK)
        status = read_scene(replay, recording);
    if (status == ASH_OK)
        status = open_columns(replay, recording);
    if (status == ASH_OK)
        status = make_blocks(replay, recording);
    if (status == ASH_OK)
        status = list_series(replay, recording);
    return status;
}

ash_status ashi_replay_open(const char *path, ashi_replay **result, ash_diagnostic *diagnostic)
{
    *result = NULL;
    ashi_replay *replay = ashi_alloc_zeroed(sizeof *replay);
    if (replay == NULL)
        return ashi_out_of_memory(diagnostic);
    replay->file = -1;
    for (uint32_t i = 0; i < ASHI_RECORD_BODY_COLUMNS; i++)
        replay->columns[i].dataset = -1;
    replay->summary.first_time = replay->summary.last_time = (double)NAN;
    replay->path = find_file(path);
    ash_status status = replay->path == NULL ? ashi_out_of_memory(diagnostic) : ASH_OK;
    if (status == ASH_OK) {
        ashi_recording_file recording;
        ashi_hdf5_session session;
        ashi_hdf5_enter(&session);
        status = ashi_recording_file_open(&recording, replay->path, diagnostic);
        replay->file = recording.file;
        if (status == ASH_OK && stat(replay->path, &replay->identity) != 0)
            status = ashi_recording_damaged(&recording, "", "it went away");
        if (status == ASH_OK)
            status = read_beginning(replay, &recording);
        ashi_hdf5_leave(&session);
    }
    if (status != ASH_OK)
        ashi_replay_close(replay);
    else
        *result = replay;
    return status;
}

void ashi_replay_close(ashi_replay *replay)
{
    if (replay == NULL)
        return;
    ashi_hdf5_session session;
    ashi_hdf5_enter(&session);
    close_columns(replay);
    if (replay->file >= 0)
        H5Fclose(replay->file);
    ashi_hdf5_leave(&session);
    for (uint32_t i = 0; i < ASHI_RECORD_BODY_COLUMNS; i++)
        ashi_dealloc(replay->blocks[i]);
    for (uint32_t i = 0; i < replay->series_count; i++)
        ashi_dealloc(replay->series[i].values);
    ashi_dealloc(replay->series);
    ashi_array_release(&replay->times);
    if (replay->text != NULL)
        ashi_arena_destroy(replay->text);
    ash_scene_destroy(replay->scene);
    ashi_dealloc(replay->path);
    ashi_dealloc(replay);
}

ashi_recording_summary ashi_replay_summary(const ashi_replay *replay)
{
    return replay->summary;
}

const ash_scene *ashi_replay_scene(const ashi_replay *replay)
{
    return replay->scene;
}

const double *ashi_replay_times(const ashi_replay *replay)
{
    return replay->times.data;
}

uint64_t ashi_replay_nearest(const ashi_replay *replay, double time)
{
    const double *times = replay->times.data;
    uint64_t low = 0, high = replay->times.count; /* the first sample after `time` is in low .. high */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (times[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    return low < replay->times.count && times[low] - time < time - times[low - 1] ? low : low - 1;
}

static ashi_recording_file as_file(const ashi_replay *replay, ash_diagnostic *diagnostic)
{
    return (ashi_recording_file){replay->path, replay->file, replay->summary.marked_open, diagnostic};
}

/* Opens the file again, to see its present state; refuses another file in its place. */
static bool open_again(ashi_replay *replay)
{
    struct stat now;
    ashi_recording_file recording;
    if (stat(replay->path, &now) != 0 || now.st_dev != replay->identity.st_dev || now.st_ino != replay->identity.st_ino)
        return false;
    close_columns(replay);
    H5Fclose(replay->file);
    bool opened = ashi_recording_file_open(&recording, replay->path, NULL) == ASH_OK;
    replay->file = recording.file;
    return opened && ashi_recording_check_contents(&recording) == ASH_OK && open_columns(replay, &recording) == ASH_OK;
}

static bool read_columns(ashi_replay *replay, uint64_t first, uint64_t rows)
{
    bool done = true;
    for (uint32_t i = 0; done && i < ASHI_RECORD_BODY_COLUMNS; i++)
        done = replay->columns[i].dataset >= 0 &&
               ashi_recorded_column_read(&replay->columns[i], first, rows, replay->blocks[i]);
    return done;
}

/* Makes sure that the sample is in memory. */
static ash_status load_block(ashi_replay *replay, uint64_t sample, ash_diagnostic *diagnostic)
{
    if (sample >= replay->block_first && sample - replay->block_first < replay->block_rows)
        return ASH_OK;
    uint64_t first = sample - sample % replay->block_capacity, left = replay->summary.samples - first;
    uint64_t rows = left < replay->block_capacity ? left : replay->block_capacity;
    ash_status status = ASH_OK;
    ashi_hdf5_session session;
    ashi_hdf5_enter(&session);
    replay->block_rows = 0;
    if (!read_columns(replay, first, rows) && !(open_again(replay) && read_columns(replay, first, rows))) {
        ashi_recording_file recording = as_file(replay, diagnostic);
        status = ashi_recording_damaged(&recording, "/bodies", "the data cannot be read");
    } else {
        replay->block_first = first;
        replay->block_rows = rows;
    }
    ashi_hdf5_leave(&session);
    return status;
}

/* A body in the world has finite numbers and a rotation; one that is not has none at all. */
static bool is_state(const ashi_replay_bodies *bodies, uint32_t body)
{
    ash_vec3 x = bodies->positions[body], v = bodies->velocities[body], w = bodies->angular_velocities[body];
    ash_quat q = bodies->rotations[body];
    if (isnan(x.x))
        return isnan(x.y) && isnan(x.z) && isnan(q.w) && isnan(q.x) && isnan(q.y) && isnan(q.z) && isnan(v.x) &&
               isnan(v.y) && isnan(v.z) && isnan(w.x) && isnan(w.y) && isnan(w.z);
    double norm2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return isfinite(x.x) && isfinite(x.y) && isfinite(x.z) && isfinite(v.x) && isfinite(v.y) && isfinite(v.z) &&
           isfinite(w.x) && isfinite(w.y) && isfinite(w.z) && fabs(norm2 - 1) < NORM_ROUNDING;
}

static ash_status refuse_sample(const ashi_replay *replay, uint64_t sample, ash_diagnostic *diagnostic)
{
    ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "replay.sample", "there is no sample %llu", (unsigned long long)sample);
    ashi_expect(diagnostic, "a number below %llu", (unsigned long long)replay->summary.samples);
    return ASH_BAD_ARGUMENT;
}

ash_status ashi_replay_read(ashi_replay *replay, uint64_t sample, ashi_replay_bodies *bodies,
                            ash_diagnostic *diagnostic)
{
    *bodies = (ashi_replay_bodies){0};
    if (sample >= replay->summary.samples)
        return refuse_sample(replay, sample, diagnostic);
    if (replay->summary.bodies == 0)
        return ASH_OK;
    ash_status status = load_block(replay, sample, diagnostic);
    if (status != ASH_OK)
        return status;
    uint32_t count = replay->summary.bodies;
    size_t at = (size_t)(sample - replay->block_first) * count;
    /* Rows of three and of four numbers are vectors and quaternions. */
    ashi_replay_bodies found = {
        .positions = (const ash_vec3 *)(const void *)replay->blocks[0] + at,
        .rotations = (const ash_quat *)(const void *)replay->blocks[1] + at,
        .velocities = (const ash_vec3 *)(const void *)replay->blocks[2] + at,
        .angular_velocities = (const ash_vec3 *)(const void *)replay->blocks[3] + at,
        .count = count,
    };
    for (uint32_t i = 0; i < count; i++)
        if (!is_state(&found, i)) {
            char what[128];
            snprintf(what, sizeof what, "the state of body %u at sample %llu is none", i, (unsigned long long)sample);
            ashi_recording_file recording = as_file(replay, diagnostic);
            return ashi_recording_damaged(&recording, "/bodies", what);
        }
    *bodies = found;
    return ASH_OK;
}

uint32_t ashi_replay_series_count(const ashi_replay *replay)
{
    return replay->series_count;
}

static ash_status read_series(ashi_replay *replay, recorded_series *series, ash_diagnostic *diagnostic)
{
    ashi_recorded_column column;
    double *values = ashi_alloc_array((size_t)replay->summary.samples, sizeof *values);
    if (values == NULL)
        return ashi_out_of_memory(diagnostic);
    ashi_recording_file recording = as_file(replay, diagnostic);
    ash_status status = ashi_recorded_column_open(&recording, series->object, 0, 0, replay->summary.samples, &column);
    if (status == ASH_OK) {
        if (!ashi_recorded_column_read(&column, 0, replay->summary.samples, values))
            status = ashi_recording_damaged(&recording, series->object, "the data cannot be read");
        ashi_recorded_column_close(&column);
    }
    if (status == ASH_OK)
        series->values = values;
    else
        ashi_dealloc(values);
    return status;
}

ash_status ashi_replay_series(ashi_replay *replay, uint32_t index, ash_series *series, ash_diagnostic *diagnostic)
{
    *series = (ash_series){.name = "", .unit = ""};
    if (index >= replay->series_count) {
        ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "replay.series", "there is no series %u", index);
        ashi_expect(diagnostic, "a number below %u", replay->series_count);
        return ASH_BAD_ARGUMENT;
    }
    recorded_series *found = &replay->series[index];
    ash_status status = ASH_OK;
    if (found->values == NULL) {
        ashi_hdf5_session session;
        ashi_hdf5_enter(&session);
        status = read_series(replay, found, diagnostic);
        /* As for bodies, the file may have grown. */
        if (status == ASH_BAD_DATA && open_again(replay))
            status = read_series(replay, found, diagnostic);
        ashi_hdf5_leave(&session);
    }
    if (status == ASH_OK)
        *series = (ash_series){found->name, found->unit, replay->times.data, found->values, replay->times.count};
    return status;
}
