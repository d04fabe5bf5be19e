/* Reading recordings: what `ashlar check` says of one. Every number is read once, so that damage anywhere shows: the
 * library checks the checksums of its own structures, and those of compressed data. */
#define _XOPEN_SOURCE 700
#include "scene/record.h"

#include "base/diagnostic.h"
#include "scene/hdf5_session.h"
#include "scene/ledger_entry.h"
#include "scene/record_layout.h"
#include "scene/superblock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 22 };

/* A file being inspected. */
typedef struct open_recording {
    const char *path;
    hid_t file;
    ashi_recording_summary *summary;
    ash_diagnostic *diagnostic;
} open_recording;

static ash_status name_file(ash_diagnostic *diagnostic, const char *path, ash_status status)
{
    if (diagnostic != NULL)
        snprintf(diagnostic->file, sizeof diagnostic->file, "%s", path);
    return status;
}

static ash_status damaged(const open_recording *recording, const char *object, const char *what)
{
    H5Eclear2(H5E_DEFAULT);
    ashi_fail(recording->diagnostic, ASH_BAD_DATA, "recording.damaged", "the recording is damaged: %s", what);
    if (recording->diagnostic != NULL)
        snprintf(recording->diagnostic->path, sizeof recording->diagnostic->path, "%s", object);
    return name_file(recording->diagnostic, recording->path, ASH_BAD_DATA);
}

static ash_status foreign(const open_recording *recording, const char *what)
{
    H5Eclear2(H5E_DEFAULT);
    ashi_fail(recording->diagnostic, ASH_BAD_DATA, "recording.foreign", "%s", what);
    ashi_expect(recording->diagnostic, "a recording of Ashlar, format version %d", ASHI_RECORDING_VERSION);
    return name_file(recording->diagnostic, recording->path, ASH_BAD_DATA);
}

/* Reads a text attribute of fixed length, cut to the size. */
static bool read_text(hid_t place, const char *name, char *text, size_t size)
{
    hid_t attribute = H5Aopen(place, name, H5P_DEFAULT);
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    size_t length = type >= 0 ? H5Tget_size(type) : 0;
    bool done = false;
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && length > 0 &&
        H5Aget_storage_size(attribute) == length) {
        char *whole = ashi_alloc_zeroed(length + 1);
        if (whole != NULL && H5Aread(attribute, type, whole) >= 0) {
            snprintf(text, size, "%s", whole);
            done = true;
        }
        ashi_free(whole);
    }
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
    return done;
}

static bool read_number(hid_t place, const char *name, double *value)
{
    hid_t attribute = H5Aopen(place, name, H5P_DEFAULT);
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    bool done = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
                (class == H5T_INTEGER || class == H5T_FLOAT) && H5Aread(attribute, H5T_NATIVE_DOUBLE, value) >= 0;
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (attribute >= 0)
        H5Aclose(attribute);
    return done;
}

/* Reads rows of a data set block by block, and hands them to `look`, if there is one. */
typedef bool (*look_at)(const double *values, size_t count, ashi_recording_summary *summary);

static bool read_rows(hid_t dataset, int rank, const hsize_t shape[3], uint64_t samples, look_at look,
                      ashi_recording_summary *summary)
{
    size_t width = (size_t)(shape[1] * shape[2]);
    uint64_t block = BLOCK_BYTES / (8 * width) > 0 ? BLOCK_BYTES / (8 * width) : 1;
    double *values = ashi_alloc_array((size_t)(block < samples ? block : samples), 8 * width);
    hid_t space = H5Dget_space(dataset);
    bool done = values != NULL && space >= 0;
    for (uint64_t row = 0; done && row < samples; row += block) {
        uint64_t rows = samples - row < block ? samples - row : block;
        hsize_t from[3] = {row, 0, 0}, count[3] = {rows, shape[1], shape[2]};
        hid_t memory = H5Screate_simple(rank, count, NULL);
        done = memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
               H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0 &&
               (look == NULL || look(values, (size_t)(rows * width), summary));
        if (memory >= 0)
            H5Sclose(memory);
    }
    ashi_free(values);
    if (space >= 0)
        H5Sclose(space);
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
static ash_status read_column(const open_recording *recording, const char *name, uint32_t bodies, uint32_t components,
                              look_at look)
{
    hsize_t shape[4] = {0, 1, 1}, wanted[3] = {0, bodies > 0 ? bodies : 1, bodies > 0 ? components : 1};
    hid_t dataset = H5Dopen2(recording->file, name, H5P_DEFAULT);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    ash_status status = ASH_OK;
    if (rank != (bodies > 0 ? 3 : 1) || H5Sget_simple_extent_dims(space, shape, NULL) < 0 || shape[1] != wanted[1] ||
        shape[2] != wanted[2])
        status = damaged(recording, name, "the data set is missing or of another shape");
    else if (shape[0] < recording->summary->samples)
        status = damaged(recording, name, "the data set is shorter than /time");
    else if (!read_rows(dataset, rank, shape, recording->summary->samples, look, recording->summary))
        status = damaged(recording, name, look == NULL ? "the data cannot be read" : "the times do not ascend");
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    return status;
}

/* The length of a data set of one dimension. */
static bool length_of(const open_recording *recording, const char *name, uint64_t *length)
{
    hid_t dataset = H5Dopen2(recording->file, name, H5P_DEFAULT);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    hsize_t size = 0;
    bool done =
        space >= 0 && H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &size, NULL) == 1;
    *length = size;
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    return done;
}

static ash_status read_facts(const open_recording *recording)
{
    ashi_recording_summary *summary = recording->summary;
    char format[64];
    double version, complete;
    if (!read_text(recording->file, "format", format, sizeof format) || strcmp(format, ASHI_RECORDING_FORMAT) != 0)
        return foreign(recording, "the HDF5 file is not a recording of Ashlar");
    if (!read_number(recording->file, "format_version", &version) || version != ASHI_RECORDING_VERSION)
        return foreign(recording, "the recording has another format version");
    if (!read_text(recording->file, "ashlar_version", summary->ashlar_version, sizeof summary->ashlar_version) ||
        !read_text(recording->file, "scene", summary->scene, sizeof summary->scene) ||
        !read_number(recording->file, "step", &summary->step) ||
        !read_number(recording->file, "time", &summary->time) || !read_number(recording->file, "complete", &complete))
        return damaged(recording, "/", "an attribute is missing");
    summary->format_version = ASHI_RECORDING_VERSION;
    summary->complete = complete == 1;
    return ASH_OK;
}

static ash_status read_bodies(const open_recording *recording)
{
    static const struct {
        const char *name;
        uint32_t components;
    } columns[] = {
        {"/bodies/position", 3}, {"/bodies/rotation", 4}, {"/bodies/velocity", 3}, {"/bodies/angular_velocity", 3}};
    uint64_t bodies;
    ash_status status = ASH_OK;
    if (H5Lexists(recording->file, "/bodies", H5P_DEFAULT) <= 0)
        return damaged(recording, "/bodies", "the group is missing");
    if (H5Lexists(recording->file, "/bodies/names", H5P_DEFAULT) == 0)
        return ASH_OK; /* a scene without bodies */
    if (!length_of(recording, "/bodies/names", &bodies) || bodies == 0 || bodies > UINT32_MAX)
        return damaged(recording, "/bodies/names", "the names cannot be read");
    recording->summary->bodies = (uint32_t)bodies;
    for (size_t i = 0; status == ASH_OK && i < sizeof columns / sizeof *columns; i++)
        status = read_column(recording, columns[i].name, (uint32_t)bodies, columns[i].components, NULL);
    return status;
}

static ash_status read_outputs(const open_recording *recording)
{
    H5G_info_t info;
    ash_status status = ASH_OK;
    if (H5Gget_info_by_name(recording->file, "/outputs", &info, H5P_DEFAULT) < 0 || info.nlinks > UINT32_MAX)
        return damaged(recording, "/outputs", "the group is missing");
    recording->summary->outputs = (uint32_t)info.nlinks;
    for (hsize_t i = 0; status == ASH_OK && i < info.nlinks; i++) {
        char path[512] = "/outputs/";
        size_t used = strlen(path);
        if (H5Lget_name_by_idx(recording->file, "/outputs", H5_INDEX_NAME, H5_ITER_INC, i, path + used,
                               sizeof path - used, H5P_DEFAULT) < 0)
            return damaged(recording, "/outputs", "a name cannot be read");
        status = read_column(recording, path, 0, 0, NULL);
    }
    return status;
}

static ash_status read_all(const open_recording *recording)
{
    static const char *const report[ASHI_RECORD_REPORT_COLUMNS] = {"/report/step_ms", "/report/iterations",
                                                                   "/report/residual", "/report/flags"};
    ash_status status = read_facts(recording);
    if (status == ASH_OK && !length_of(recording, "/time", &recording->summary->samples))
        status = damaged(recording, "/time", "the data set is missing");
    if (status == ASH_OK)
        status = read_column(recording, "/time", 0, 0, look_at_times);
    if (status == ASH_OK)
        status = read_bodies(recording);
    if (status == ASH_OK)
        status = read_outputs(recording);
    for (uint32_t i = 0; status == ASH_OK && i < ASHI_LEDGER_ENTRIES; i++) {
        char path[64];
        snprintf(path, sizeof path, "/ledger/%s", ashi_ledger_entry_name(i));
        status = read_column(recording, path, 0, 0, NULL);
    }
    for (uint32_t i = 0; status == ASH_OK && i < ASHI_RECORD_REPORT_COLUMNS; i++)
        status = read_column(recording, report[i], 0, 0, NULL);
    return status;
}

/* Opens the descriptor and says what the superblock holds; files with another superblock count as closed. */
static ash_status look_at_superblock(const char *path, int mode, int *descriptor, ashi_superblock *superblock,
                                     ash_diagnostic *diagnostic)
{
    *superblock = (ashi_superblock){0};
    *descriptor = open(path, mode | O_CLOEXEC);
    if (*descriptor < 0) {
        ash_status status = errno == ENOENT ? ASH_NOT_FOUND : ASH_IO;
        ashi_fail(diagnostic, status, "recording.io", "cannot open the recording: %s", strerror(errno));
        return name_file(diagnostic, path, status);
    }
    ashi_superblock_read(*descriptor, superblock);
    return ASH_OK;
}

ash_status ashi_recording_inspect(const char *path, ashi_recording_summary *summary, ash_diagnostic *diagnostic)
{
    int descriptor;
    ashi_superblock superblock;
    ash_status status = look_at_superblock(path, O_RDONLY, &descriptor, &superblock, diagnostic);
    if (status != ASH_OK)
        return status;
    close(descriptor);
    *summary = (ashi_recording_summary){
        .marked_open = superblock.flags != 0, .first_time = (double)NAN, .last_time = -(double)INFINITY};
    ashi_hdf5_session session;
    ashi_hdf5_enter(&session);
    /* A file marked open can only be read as one that is being written. */
    unsigned mode = superblock.flags != 0 ? H5F_ACC_RDONLY | H5F_ACC_SWMR_READ : H5F_ACC_RDONLY;
    open_recording recording = {path, H5Fopen(path, mode, H5P_DEFAULT), summary, diagnostic};
    if (recording.file >= 0) {
        status = read_all(&recording);
        H5Fclose(recording.file);
    } else {
        status = H5Fis_hdf5(path) > 0 ? damaged(&recording, "", "HDF5 cannot open it")
                                      : foreign(&recording, "the file is not an HDF5 file");
    }
    ashi_hdf5_leave(&session);
    if (isinf(summary->last_time))
        summary->last_time = (double)NAN;
    return status;
}

ash_status ashi_recording_repair(const char *path, ash_diagnostic *diagnostic)
{
    ashi_recording_summary summary;
    int descriptor;
    ashi_superblock superblock;
    struct stat state;
    /* Only what is whole and ours is touched. */
    ash_status status = ashi_recording_inspect(path, &summary, diagnostic);
    if (status != ASH_OK || !summary.marked_open)
        return status;
    status = look_at_superblock(path, O_RDWR, &descriptor, &superblock, diagnostic);
    if (status != ASH_OK)
        return status;
    if (fstat(descriptor, &state) != 0 ||
        !ashi_superblock_write(descriptor, (ashi_superblock){.flags = 0, .end_of_file = (uint64_t)state.st_size})) {
        ashi_fail(diagnostic, ASH_IO, "recording.io", "cannot repair the recording: %s", strerror(errno));
        status = name_file(diagnostic, path, ASH_IO);
    }
    close(descriptor);
    return status;
}
