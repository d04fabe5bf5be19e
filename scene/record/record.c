/* The recorder. Samples are gathered in memory and written in batches; after each batch everything in it can be read,
 * whatever happens to this process. Once a second what was written is synced to the disk, so that it also survives a
 * power loss. Three things make that so:
 *
 * - The file is written in HDF5's single-writer-multiple-readers mode, in which the library writes what is pointed to
 *   before what points to it, so that the file is consistent at every instant. /time is flushed last: its length is the
 *   number of samples that are complete in all columns.
 * - Ordinary readers refuse a file whose superblock says that a writer has it open, or with addresses beyond the end of
 *   file that the superblock states. The recorder states "closed" and an end that is ahead of what it is going to write
 *   (the file is made that long beforehand, without using disk space). The library itself writes the superblock only
 *   at the start and when it closes the file.
 * - The file gets its name only when all this is so; before, it has ".part" appended. */
#define _XOPEN_SOURCE 700
#include "scene/record/record.h"

#include "base/clock.h"
#include "base/diagnostic.h"
#include "scene/file/json_object.h"
#include "scene/file/output_file.h"
#include "scene/record/ledger_entry.h"
#include "scene/record/record_contacts.h"
#include "scene/record/record_layout.h"
#include "scene/record/superblock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONTACT_CHUNKS = 1 << 19, CONTACT_BYTES = 1 << 23 }; /* of a column's chunks; kept until they are written */
enum { BATCH_BYTES = 1 << 22, BATCH_ROWS_MAX = 4096, FILE_AHEAD = 1 << 20, INDEX_BYTES = 1 << 16 };
static const double SYNC_SECONDS = 1;

struct ashi_recorder {
    char *path, *part_path;
    hid_t file;
    int descriptor; /* of the same file, for its superblock */
    ashi_record_layout layout;
    ashi_contact_rows contacts;
    uint32_t rows, capacity; /* in the buffers */
    uint64_t written;        /* samples in the file */
    uint64_t stated_end;     /* of the file, in its superblock */
    uint64_t batch_bytes;    /* the most that writing a batch adds to the file, ... */
    uint64_t row_bytes;      /* ... and without contacts */
    double synced_at;        /* s, to the disk */
    bool failed;             /* nothing more is written */
};

static ash_status fail_system(const char *path, const char *what, ash_diagnostic *diagnostic)
{
    return ashi_fail_system(diagnostic, "recording.io", path, what);
}

/* Waits until all that was written is on the disk. The library writes by another descriptor of the same file. */
static ash_status sync_file(ashi_recorder *recorder, ash_diagnostic *diagnostic)
{
    if (fsync(recorder->descriptor) != 0 && errno != EINVAL) /* EINVAL: the file system cannot */
        return fail_system(recorder->path, "write the recording", diagnostic);
    recorder->synced_at = ashi_seconds();
    ashi_log(ASH_LOG_DEBUG, "%s: %llu samples synced", recorder->path, (unsigned long long)recorder->written);
    return ASH_OK;
}

/* Makes the file reach beyond the next batch, and says so in the superblock. */
static ash_status reach_ahead(ashi_recorder *recorder, ash_diagnostic *diagnostic)
{
    hsize_t used;
    if (H5Fget_filesize(recorder->file, &used) < 0)
        return ashi_hdf5_fail(diagnostic, recorder->path, "find the size of the recording");
    if (used + recorder->batch_bytes <= recorder->stated_end)
        return ASH_OK;
    uint64_t end = used + recorder->batch_bytes + FILE_AHEAD;
    if (ftruncate(recorder->descriptor, (off_t)end) != 0)
        return fail_system(recorder->path, "extend the recording", diagnostic);
    if (!ashi_superblock_write(recorder->descriptor, (ashi_superblock){.flags = 0, .end_of_file = end}))
        return fail_system(recorder->path, "write the recording's superblock", diagnostic);
    recorder->stated_end = end;
    return ASH_OK;
}

/* Allocates the columns' buffers for as many rows as fit. */
static bool size_batch(ashi_recorder *recorder)
{
    size_t row_bytes = 0;
    recorder->batch_bytes = 0;
    for (uint32_t i = 0; i < recorder->layout.columns.count; i++)
        row_bytes += 8 * recorder->layout.columns.data[i].width;
    size_t rows = BATCH_BYTES / row_bytes;
    recorder->capacity = rows < 1 ? 1 : rows > BATCH_ROWS_MAX ? BATCH_ROWS_MAX : (uint32_t)rows;
    for (uint32_t i = 0; i < recorder->layout.columns.count; i++) {
        ashi_column *column = &recorder->layout.columns.data[i];
        column->buffer = ashi_alloc_array(recorder->capacity, 8 * column->width);
        if (column->buffer == NULL)
            return false;
        /* Whole chunks are written, at both ends partly filled ones; and the index of the chunks. */
        recorder->batch_bytes += 2 * (8 * column->width * recorder->capacity + 2 * column->chunk_bytes) + INDEX_BYTES;
    }
    recorder->row_bytes = recorder->batch_bytes;
    return true;
}

/* Version 1.10's format, which concurrent reading needs; all attributes in the header of their object, because only
 * there they can be changed while others read. */
static hid_t create_file(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE), file = -1;
    if (access >= 0 && creation >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
        H5Pset_attr_phase_change(creation, 64, 0) >= 0)
        file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    if (access >= 0)
        H5Pclose(access);
    if (creation >= 0)
        H5Pclose(creation);
    return file;
}

static ash_status fill_file(ashi_recorder *recorder, const ash_scene *scene, const ashi_recording_facts *facts,
                            const char *method_text, ash_diagnostic *diagnostic)
{
    bool out_of_memory;
    recorder->file = create_file(recorder->part_path);
    if (recorder->file < 0)
        return ashi_hdf5_fail(diagnostic, recorder->path, "create the recording");
    if (!ashi_record_layout_create(&recorder->layout, recorder->file, scene, facts, method_text, &out_of_memory))
        return out_of_memory ? ashi_out_of_memory(diagnostic)
                             : ashi_hdf5_fail(diagnostic, recorder->path, "write the recording");
    if (!size_batch(recorder))
        return ashi_out_of_memory(diagnostic);
    if (H5Fflush(recorder->file, H5F_SCOPE_GLOBAL) < 0 || H5Fstart_swmr_write(recorder->file) < 0)
        return ashi_hdf5_fail(diagnostic, recorder->path, "write the recording");
    ash_status status = reach_ahead(recorder, diagnostic);
    if (status == ASH_OK)
        status = sync_file(recorder, diagnostic);
    if (status == ASH_OK && rename(recorder->part_path, recorder->path) != 0)
        status = fail_system(recorder->path, "create the recording", diagnostic);
    if (status == ASH_OK)
        ashi_sync_directory_of(recorder->path);
    return status;
}

/* Closes and releases everything, whatever state it is in. */
static void release(ashi_recorder *recorder)
{
    ashi_record_layout_close(&recorder->layout);
    ashi_contact_rows_release(&recorder->contacts);
    if (recorder->file >= 0)
        H5Fclose(recorder->file);
    if (recorder->descriptor >= 0)
        close(recorder->descriptor);
    ashi_dealloc(recorder->path);
    ashi_dealloc(recorder->part_path);
    ashi_dealloc(recorder);
}

static char *part_path_of(const char *path)
{
    char *part = ashi_alloc(strlen(path) + sizeof ".part");
    if (part != NULL)
        sprintf(part, "%s.part", path);
    return part;
}

static ash_status open_recorder(ashi_recorder *recorder, const ash_scene *scene, const ashi_recording_facts *facts,
                                const char *path, ash_diagnostic *diagnostic)
{
    recorder->path = ashi_copy_text(path);
    recorder->part_path = part_path_of(path);
    char *method_text = ashi_method_text(&facts->method);
    ash_status status = ASH_OK;
    if (recorder->path == NULL || recorder->part_path == NULL || method_text == NULL)
        status = ashi_out_of_memory(diagnostic);
    if (status == ASH_OK) {
        /* Opened by us first: the system then says plainly why it cannot be. */
        unlink(recorder->part_path);
        recorder->descriptor = open(recorder->part_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (recorder->descriptor < 0)
            status = fail_system(path, "create the recording", diagnostic);
    }
    if (status == ASH_OK) {
        status = fill_file(recorder, scene, facts, method_text, diagnostic);
        if (status != ASH_OK)
            unlink(recorder->part_path);
    }
    ashi_dealloc(method_text);
    return status;
}

ash_status ashi_recorder_open(const char *path, const ash_scene *scene, const ashi_recording_facts *facts,
                              ashi_recorder **result, ash_diagnostic *diagnostic)
{
    ashi_recorder *recorder = ashi_alloc_zeroed(sizeof *recorder);
    if (recorder == NULL)
        return ashi_out_of_memory(diagnostic);
    recorder->file = recorder->descriptor = -1;
    recorder->synced_at = ashi_seconds();
    ashi_hdf5_session session;
    ashi_hdf5_enter(&session);
    ash_status status = open_recorder(recorder, scene, facts, path, diagnostic);
    if (status != ASH_OK)
        release(recorder);
    else
        *result = recorder;
    ashi_hdf5_leave(&session);
    return status;
}

static bool write_column(const ashi_recorder *recorder, const ashi_column *column)
{
    hsize_t rows = recorder->rows;
    hsize_t size[3] = {recorder->written + rows, column->shape[1], column->shape[2]};
    hsize_t from[3] = {recorder->written, 0, 0}, count[3] = {rows, column->shape[1], column->shape[2]};
    if (H5Dset_extent(column->dataset, size) < 0)
        return false;
    hid_t space = H5Dget_space(column->dataset), memory = H5Screate_simple(column->rank, count, NULL);
    bool done = space >= 0 && memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
                H5Dwrite(column->dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, column->buffer) >= 0 &&
                H5Dflush(column->dataset) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (memory >= 0)
        H5Sclose(memory);
    /* Rows that are not there are not announced, also not when the file is closed. */
    size[0] = recorder->written;
    if (!done)
        H5Dset_extent(column->dataset, size);
    return done;
}

/* Contacts are as many as there are: the file has to reach beyond what they add, too. */
static ash_status make_room_for_contacts(ashi_recorder *recorder, ash_diagnostic *diagnostic)
{
    size_t bytes = ashi_contact_rows_bytes(&recorder->contacts);
    if (bytes == 0)
        return ASH_OK;
    uint64_t needed = recorder->row_bytes + 2 * (bytes + ASHI_RECORD_CONTACT_COLUMNS * (CONTACT_CHUNKS + INDEX_BYTES));
    if (needed > recorder->batch_bytes)
        recorder->batch_bytes = needed;
    return reach_ahead(recorder, diagnostic);
}

/* Writes the batch. Contacts are flushed first, then the columns in their order, time last. */
static ash_status flush(ashi_recorder *recorder, ash_diagnostic *diagnostic)
{
    if (recorder->rows == 0)
        return ASH_OK;
    ash_status status = make_room_for_contacts(recorder, diagnostic);
    if (status == ASH_OK && !ashi_contact_rows_write(&recorder->contacts, &recorder->layout))
        status = ashi_hdf5_fail(diagnostic, recorder->path, "write the recording");
    for (uint32_t i = 0; status == ASH_OK && i < recorder->layout.columns.count; i++)
        if (!write_column(recorder, &recorder->layout.columns.data[i]))
            status = ashi_hdf5_fail(diagnostic, recorder->path, "write the recording");
    if (status == ASH_OK)
        status = reach_ahead(recorder, diagnostic);
    if (status != ASH_OK)
        return status;
    recorder->written += recorder->rows;
    recorder->rows = 0;
    ashi_log(ASH_LOG_DEBUG, "%s: %llu samples flushed", recorder->path, (unsigned long long)recorder->written);
    return ASH_OK;
}

static void put_body(ashi_column *columns, uint32_t row, uint32_t bodies, uint32_t body, const ash_world *world,
                     ash_body handle)
{
    double values[13];
    for (int i = 0; i < 13; i++)
        values[i] = (double)NAN;
    if (ash_body_is_valid(world, handle)) {
        ash_transform pose = ash_body_get_transform(world, handle);
        ash_vec3 velocity = ash_body_get_velocity(world, handle);
        ash_vec3 spin = ash_body_get_angular_velocity(world, handle);
        const double present[13] = {pose.position.x, pose.position.y, pose.position.z, pose.rotation.w, pose.rotation.x,
                                    pose.rotation.y, pose.rotation.z, velocity.x,      velocity.y,      velocity.z,
                                    spin.x,          spin.y,          spin.z};
        memcpy(values, present, sizeof values);
    }
    static const size_t first[ASHI_RECORD_BODY_COLUMNS] = {0, 3, 7, 10}, count[ASHI_RECORD_BODY_COLUMNS] = {3, 4, 3, 3};
    for (uint32_t i = 0; i < ASHI_RECORD_BODY_COLUMNS; i++)
        memcpy(columns[i].buffer + ((size_t)row * bodies + body) * count[i], values + first[i],
               count[i] * sizeof *values);
}

/* Coordinates and rates; NaN of one that is not in the world. */
static void put_joint(ashi_column *columns, uint32_t row, uint32_t joints, uint32_t joint,
                      const ashi_instance *instance)
{
    ash_joint handle = instance->joints[joint];
    bool there = ash_joint_is_valid(instance->world, handle);
    size_t at = ((size_t)row * joints + joint) * ASH_FREEDOMS;
    for (int k = 0; k < ASH_FREEDOMS; k++) {
        columns[0].buffer[at + (size_t)k] =
            there ? ash_joint_get_position(instance->world, handle, (ash_freedom)k) : (double)NAN;
        columns[1].buffer[at + (size_t)k] =
            there ? ash_joint_get_rate(instance->world, handle, (ash_freedom)k) : (double)NAN;
    }
}

static void put_row(ashi_recorder *recorder, const ashi_instance *instance, const ashi_sample *sample, uint32_t points)
{
    uint32_t row = recorder->rows, bodies = recorder->layout.bodies;
    ashi_column *column = recorder->layout.columns.data;
    for (uint32_t i = 0; i < bodies; i++)
        put_body(column, row, bodies, i, instance->world, instance->bodies[i]);
    if (bodies > 0)
        column += ASHI_RECORD_BODY_COLUMNS;
    for (uint32_t i = 0; i < recorder->layout.outputs; i++)
        (column++)->buffer[row] = sample->outputs[i];
    for (uint32_t i = 0; i < ASHI_LEDGER_ENTRIES; i++)
        (column++)->buffer[row] = ashi_ledger_entry(&sample->ledger, i);
    const ashi_sampling_interval *interval = &sample->interval;
    double steps = interval->steps > 0 ? (double)interval->steps : 1;
    (column++)->buffer[row] = 1e3 * interval->seconds / steps;
    (column++)->buffer[row] = (double)interval->iterations / steps;
    (column++)->buffer[row] = interval->residual;
    (column++)->buffer[row] = interval->flags;
    (column++)->buffer[row] = interval->penetration;
    (column++)->buffer[row] = interval->joint_error;
    (column++)->buffer[row] = interval->contacts;
    for (int i = 0; i < ASH_STAGES; i++)
        (column++)->buffer[row] = 1e3 * interval->stage_seconds[i] / steps;
    (column++)->buffer[row] = interval->local_error;
    (column++)->buffer[row] = interval->total_error;
    for (uint32_t i = 0; i < recorder->layout.joints; i++)
        put_joint(column, row, recorder->layout.joints, i, instance);
    column += recorder->layout.joints > 0 ? 2 : 0;
    if (recorder->layout.contacts)
        (column++)->buffer[row] = points;
    column->buffer[row] = sample->time;
    recorder->rows++;
}

ash_status ashi_recorder_append(ashi_recorder *recorder, const ashi_instance *instance, const ashi_sample *sample,
                                ash_diagnostic *diagnostic)
{
    uint32_t points = 0;
    if (recorder->layout.contacts)
        points = ashi_contact_rows_add(&recorder->contacts, instance, recorder->layout.bodies);
    if (points == UINT32_MAX) {
        recorder->failed = true;
        return ashi_out_of_memory(diagnostic);
    }
    put_row(recorder, instance, sample, points);
    bool due = ashi_seconds() - recorder->synced_at >= SYNC_SECONDS;
    bool full = recorder->rows == recorder->capacity || ashi_contact_rows_bytes(&recorder->contacts) > CONTACT_BYTES;
    if (!full && !due)
        return ASH_OK;
    ashi_hdf5_session session;
    ashi_hdf5_enter(&session);
    ash_status status = flush(recorder, diagnostic);
    ashi_hdf5_leave(&session);
    if (status == ASH_OK && due)
        status = sync_file(recorder, diagnostic);
    recorder->failed = status != ASH_OK;
    return status;
}

static bool mark_complete(const ashi_recorder *recorder)
{
    double one = 1;
    hid_t attribute = H5Aopen(recorder->file, "complete", H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &one) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    return done;
}

/* The library states the true end of file when it closes: what we reached ahead is cut off. If it failed to close, on a
 * full disk say, it may have cut the file without stating its end, or have left its mark: both are put right. */
static void settle_end(int descriptor)
{
    ashi_superblock superblock;
    struct stat status;
    if (!ashi_superblock_read(descriptor, &superblock) || fstat(descriptor, &status) != 0)
        return;
    if (superblock.flags != 0 || (uint64_t)status.st_size < superblock.end_of_file)
        ashi_superblock_write(descriptor, (ashi_superblock){.flags = 0, .end_of_file = (uint64_t)status.st_size});
    else if ((uint64_t)status.st_size > superblock.end_of_file &&
             ftruncate(descriptor, (off_t)superblock.end_of_file) != 0)
        ashi_log(ASH_LOG_WARNING, "a recording could not be cut to its length: %s", strerror(errno));
}

ash_status ashi_recorder_close(ashi_recorder *recorder, bool complete, ash_diagnostic *diagnostic)
{
    if (recorder == NULL)
        return ASH_OK;
    ashi_hdf5_session session;
    ashi_hdf5_enter(&session);
    ash_status status = ASH_OK;
    if (!recorder->failed)
        status = flush(recorder, diagnostic);
    if (status == ASH_OK && !recorder->failed && complete && !mark_complete(recorder))
        status = ashi_hdf5_fail(diagnostic, recorder->path, "complete the recording");
    ashi_record_layout_close(&recorder->layout);
    if (H5Fclose(recorder->file) < 0 && status == ASH_OK && !recorder->failed)
        status = ashi_hdf5_fail(diagnostic, recorder->path, "close the recording");
    recorder->file = -1;
    settle_end(recorder->descriptor);
    ash_status synced = sync_file(recorder, status == ASH_OK ? diagnostic : NULL);
    status = status == ASH_OK && !recorder->failed ? synced : status;
    release(recorder);
    ashi_hdf5_leave(&session);
    return status;
}
