/* Reading recordings: nothing in the file is trusted. Lengths come from what the library has checked, never from a
 * number in the file alone, and every refusal names the object. */
#define _XOPEN_SOURCE 700
#include "scene/record/recording_file.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "scene/record/record_layout.h"
#include "scene/record/superblock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const ashi_body_column ashi_body_columns[4] = {
    {"/bodies/position", 3}, {"/bodies/rotation", 4}, {"/bodies/velocity", 3}, {"/bodies/angular_velocity", 3}};

static ash_status name_file(ash_diagnostic *diagnostic, const char *path, ash_status status)
{
    if (diagnostic != NULL)
        snprintf(diagnostic->file, sizeof diagnostic->file, "%s", path);
    return status;
}

ash_status ashi_recording_damaged(const ashi_recording_file *recording, const char *object, const char *what)
{
    H5Eclear2(H5E_DEFAULT);
    ashi_fail(recording->diagnostic, ASH_BAD_DATA, "recording.damaged", "the recording is damaged: %s", what);
    if (recording->diagnostic != NULL)
        snprintf(recording->diagnostic->path, sizeof recording->diagnostic->path, "%s", object);
    return name_file(recording->diagnostic, recording->path, ASH_BAD_DATA);
}

ash_status ashi_recording_foreign(const ashi_recording_file *recording, const char *what)
{
    H5Eclear2(H5E_DEFAULT);
    ashi_fail(recording->diagnostic, ASH_BAD_DATA, "recording.foreign", "%s", what);
    ashi_expect(recording->diagnostic, "a recording of Ashlar, format version %d", ASHI_RECORDING_VERSION);
    return name_file(recording->diagnostic, recording->path, ASH_BAD_DATA);
}

ash_status ashi_recording_file_open(ashi_recording_file *recording, const char *path, ash_diagnostic *diagnostic)
{
    *recording = (ashi_recording_file){path, -1, false, diagnostic};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        ash_status status = errno == ENOENT ? ASH_NOT_FOUND : ASH_IO;
        ashi_fail(diagnostic, status, "recording.io", "cannot open the recording: %s", strerror(errno));
        return name_file(diagnostic, path, status);
    }
    ashi_superblock superblock;
    recording->marked_open = ashi_superblock_read(descriptor, &superblock) && superblock.flags != 0;
    close(descriptor);
    /* A file marked open can only be read as one that is being written. */
    recording->file =
        H5Fopen(path, recording->marked_open ? H5F_ACC_RDONLY | H5F_ACC_SWMR_READ : H5F_ACC_RDONLY, H5P_DEFAULT);
    if (recording->file >= 0)
        return ASH_OK;
    return H5Fis_hdf5(path) > 0 ? ashi_recording_damaged(recording, "", "HDF5 cannot open it")
                                : ashi_recording_foreign(recording, "the file is not an HDF5 file");
}

void ashi_recording_file_close(ashi_recording_file *recording)
{
    if (recording->file >= 0)
        H5Fclose(recording->file);
    recording->file = -1;
}

bool ashi_recording_read_text(hid_t place, const char *name, char *text, size_t size)
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
        ashi_dealloc(whole);
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

/* The length of a data set of one dimension. */
static bool length_of(const ashi_recording_file *recording, const char *name, uint64_t *length)
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

static ash_status read_attributes(const ashi_recording_file *recording, ashi_recording_summary *summary)
{
    char format[64];
    double version, complete;
    hid_t file = recording->file;
    if (!ashi_recording_read_text(file, "format", format, sizeof format) || strcmp(format, ASHI_RECORDING_FORMAT) != 0)
        return ashi_recording_foreign(recording, "the HDF5 file is not a recording of Ashlar");
    if (!read_number(file, "format_version", &version) || version != ASHI_RECORDING_VERSION)
        return ashi_recording_foreign(recording, "the recording has another format version");
    if (!ashi_recording_read_text(file, "ashlar_version", summary->ashlar_version, sizeof summary->ashlar_version) ||
        !ashi_recording_read_text(file, "scene", summary->scene, sizeof summary->scene) ||
        !read_number(file, "step", &summary->step) || !read_number(file, "time", &summary->time) ||
        !read_number(file, "complete", &complete))
        return ashi_recording_damaged(recording, "/", "an attribute is missing");
    summary->format_version = ASHI_RECORDING_VERSION;
    summary->complete = complete == 1;
    summary->marked_open = recording->marked_open;
    return ASH_OK;
}

static ash_status count_bodies(const ashi_recording_file *recording, ashi_recording_summary *summary)
{
    uint64_t bodies;
    summary->bodies = 0;
    if (H5Lexists(recording->file, "/bodies", H5P_DEFAULT) <= 0)
        return ashi_recording_damaged(recording, "/bodies", "the group is missing");
    if (H5Lexists(recording->file, "/bodies/names", H5P_DEFAULT) == 0)
        return ASH_OK; /* a scene without bodies */
    if (!length_of(recording, "/bodies/names", &bodies) || bodies == 0 || bodies > UINT32_MAX)
        return ashi_recording_damaged(recording, "/bodies/names", "the names cannot be read");
    summary->bodies = (uint32_t)bodies;
    return ASH_OK;
}

ash_status ashi_recording_read_facts(const ashi_recording_file *recording, ashi_recording_summary *summary)
{
    H5G_info_t info;
    ash_status status = read_attributes(recording, summary);
    if (status == ASH_OK)
        status = ashi_recording_check_contents(recording);
    if (status == ASH_OK && !length_of(recording, "/time", &summary->samples))
        status = ashi_recording_damaged(recording, "/time", "the data set is missing");
    if (status == ASH_OK)
        status = count_bodies(recording, summary);
    if (status != ASH_OK)
        return status;
    if (H5Gget_info_by_name(recording->file, "/outputs", &info, H5P_DEFAULT) < 0 || info.nlinks > UINT32_MAX)
        return ashi_recording_damaged(recording, "/outputs", "the group is missing");
    summary->outputs = (uint32_t)info.nlinks;
    return ASH_OK;
}

bool ashi_recording_has_report(const ashi_recording_file *recording, uint32_t column)
{
    char path[64];
    if (column < ASHI_RECORD_REPORT_FIRST)
        return true;
    snprintf(path, sizeof path, "/report/%s", ashi_record_report_name(column));
    return H5Lexists(recording->file, "/report", H5P_DEFAULT) > 0 && H5Lexists(recording->file, path, H5P_DEFAULT) > 0;
}

ash_status ashi_recorded_column_open(const ashi_recording_file *recording, const char *name, uint32_t bodies,
                                     uint32_t components, uint64_t samples, ashi_recorded_column *column)
{
    hsize_t shape[4] = {0, 1, 1}, wanted[3] = {0, bodies > 0 ? bodies : 1, bodies > 0 ? components : 1};
    hid_t dataset = H5Dopen2(recording->file, name, H5P_DEFAULT);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    ash_status status = ASH_OK;
    if (rank != (bodies > 0 ? 3 : 1) || H5Sget_simple_extent_dims(space, shape, NULL) < 0 || shape[1] != wanted[1] ||
        shape[2] != wanted[2])
        status = ashi_recording_damaged(recording, name, "the data set is missing or of another shape");
    else if (shape[0] < samples)
        status = ashi_recording_damaged(recording, name, "the data set is shorter than /time");
    if (space >= 0)
        H5Sclose(space);
    *column = (ashi_recorded_column){dataset, rank, {shape[0], shape[1], shape[2]}};
    if (status != ASH_OK)
        ashi_recorded_column_close(column);
    return status;
}

bool ashi_recorded_column_read(const ashi_recorded_column *column, uint64_t first, uint64_t rows, void *numbers)
{
    hsize_t from[3] = {first, 0, 0}, count[3] = {rows, column->shape[1], column->shape[2]};
    hid_t space = H5Dget_space(column->dataset), memory = H5Screate_simple(column->rank, count, NULL);
    bool done = space >= 0 && memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
                H5Dread(column->dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, numbers) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (memory >= 0)
        H5Sclose(memory);
    return done;
}

void ashi_recorded_column_close(ashi_recorded_column *column)
{
    if (column->dataset >= 0)
        H5Dclose(column->dataset);
    column->dataset = -1;
}
