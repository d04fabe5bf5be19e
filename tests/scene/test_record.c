/* Recordings: what is in them, what is around them, and what becomes of damaged ones. */
#define _XOPEN_SOURCE 700
#include "small_scenes.h"

#include "base/alloc.h"
#include "scene/record/hdf5_session.h"
#include "scene/record/record.h"
#include "scene/record/record_layout.h"
#include "scene/record/results.h"
#include "scene/record/superblock.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Asked by the leak sanitizer: HDF5 1.10 itself leaks when it meets a damaged object header. That we leave nothing of
 * HDF5 open is checked by counting its objects. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

static char base[] = "/tmp/ashlar-record-XXXXXX";
static char folder[64], file_path[128];

static int make_base(void **state)
{
    (void)state;
    if (mkdtemp(base) == NULL)
        return -1;
    snprintf(folder, sizeof folder, "%s/out", base);
    snprintf(file_path, sizeof file_path, "%s/recording.h5", folder);
    return 0;
}

static void empty_folder(const char *path)
{
    DIR *entries = opendir(path);
    if (entries == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        char name[1024];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        unlink(name);
    }
    closedir(entries);
    rmdir(path);
}

static int remove_base(void **state)
{
    (void)state;
    empty_folder(folder);
    empty_folder(base);
    return 0;
}

static bool is_there(const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void record(const ash_scene *scene)
{
    ash_run_options options = ash_default_run_options();
    options.out = folder;
    ash_run_destroy(run_scene(scene, &options));
}

/* Reads a whole data set of the recording as doubles. */
static double *read_all(const char *name, hsize_t shape[3], int *rank)
{
    hid_t file = H5Fopen(file_path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(dataset >= 0);
    hid_t space = H5Dget_space(dataset);
    shape[0] = shape[1] = shape[2] = 1;
    *rank = H5Sget_simple_extent_dims(space, shape, NULL);
    double *values = malloc((size_t)(shape[0] * shape[1] * shape[2] + 1) * sizeof *values);
    assert_non_null(values);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    return values;
}

static void test_states_and_outputs_are_recorded(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 0.5);
    add_mass(scene, NULL, 1, (ash_vec3){1, 2, 3}, (ash_vec3){0, 5, 0});
    record(scene);
    hsize_t shape[3];
    int rank;
    double *position = read_all("/bodies/position", shape, &rank);
    assert_int_equal(rank, 3);
    assert_true(shape[0] == 51 && shape[1] == 2 && shape[2] == 3);
    double *velocity = read_all("/bodies/velocity", shape, &rank);
    double *rotation = read_all("/bodies/rotation", shape, &rank);
    assert_true(shape[0] == 51 && shape[1] == 2 && shape[2] == 4);
    double *height = read_all("/outputs/height", shape, &rank);
    double *kinetic = read_all("/ledger/kinetic", shape, &rank);
    double *time = read_all("/time", shape, &rank);
    assert_true(rank == 1 && shape[0] == 51);
    for (int i = 0; i < 51; i++) {
        double t = i * 0.01;
        assert_true(time[i] == t);
        assert_near(position[6 * i + 0], 3 * t, 1e-13);
        assert_near(position[6 * i + 2], thrown_height(t), 1e-13);
        assert_near(position[6 * i + 4], 2 + 5 * t, 1e-13);
        assert_near(velocity[6 * i + 2], 4 - GRAVITY * t, 1e-13);
        assert_true(rotation[8 * i] == 1 && rotation[8 * i + 3] == 0 && rotation[8 * i + 4] == 1);
        assert_true(height[i] == position[6 * i + 2]);
        double vz = 4 - GRAVITY * t, vz2 = -GRAVITY * t;
        assert_near(kinetic[i], 9 + vz * vz + (25 + vz2 * vz2) / 2, 1e-11);
    }
    free(position), free(velocity), free(rotation), free(height), free(kinetic), free(time);
    double *step_ms = read_all("/report/step_ms", shape, &rank), *flags = read_all("/report/flags", shape, &rank);
    assert_true(shape[0] == 51);
    assert_true(step_ms[0] == 0 && step_ms[1] > 0 && flags[50] == 0);
    free(step_ms), free(flags);
    ash_scene_destroy(scene);
}

static void test_facts_are_embedded(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 0.5);
    record(scene);
    ashi_recording_summary summary;
    ash_diagnostic diagnostic;
    stop_on(ashi_recording_inspect(file_path, &summary, &diagnostic), &diagnostic);
    assert_string_equal(summary.scene, "thrown");
    assert_string_equal(summary.ashlar_version, ash_version());
    assert_int_equal(summary.samples, 51);
    assert_int_equal(summary.bodies, 1);
    assert_int_equal(summary.outputs, 3);
    assert_true(summary.step == 0.01 && summary.time == 0.5);
    assert_true(summary.first_time == 0 && summary.last_time == 0.5);
    assert_true(summary.complete && !summary.marked_open);
    /* The scene inside reads back. */
    hid_t file = H5Fopen(file_path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, "/scene", H5P_DEFAULT), type = H5Dget_type(dataset);
    size_t size = H5Tget_size(type);
    char *text = calloc(size + 1, 1);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    H5Tclose(type), H5Dclose(dataset), H5Fclose(file);
    ash_scene *again;
    stop_on(ash_scene_parse(text, size, "recording", &again, &diagnostic), &diagnostic);
    assert_string_equal(ash_scene_get_name(again), "thrown");
    free(text);
    ash_scene_destroy(again);
    ash_scene_destroy(scene);
}

static void test_absent_bodies_are_nan(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 0.4);
    uint32_t late = add_mass(scene, "late", 1, (ash_vec3){0, 7, 0}, (ash_vec3){0, 0, 0});
    scene->bodies.data[late].absent = true;
    ashi_scene_add_event(scene, &(ashi_scene_event){.time = 0.2, .kind = ASHI_EVENT_ADD, .object = late});
    ashi_scene_add_event(scene, &(ashi_scene_event){.time = 0.3, .kind = ASHI_EVENT_REMOVE, .object = 0});
    record(scene);
    hsize_t shape[3];
    int rank;
    double *position = read_all("/bodies/position", shape, &rank),
           *rotation = read_all("/bodies/rotation", shape, &rank);
    for (int i = 0; i <= 40; i++) {
        assert_int_equal(isnan(position[6 * i]), i >= 30);
        assert_int_equal(isnan(position[6 * i + 4]), i < 20);
        assert_int_equal(isnan(rotation[8 * i + 7]), i < 20);
    }
    free(position), free(rotation);
    ash_scene_destroy(scene);
}

static void test_names_of_outputs_are_safe(void **state)
{
    (void)state;
    char *name = ashi_record_dataset_name("./a%b/c.d");
    assert_string_equal(name, "%2E%2Fa%25b%2Fc.d");
    ashi_dealloc(name);
    ash_scene *scene = thrown_mass(0.01, 0.1);
    add_coordinate(scene, "ball/x, \"far\"", ASHI_BODY_POSITION, 0, ASHI_X);
    add_coordinate(scene, ".", ASHI_BODY_POSITION, 0, ASHI_X);
    record(scene);
    hsize_t shape[3];
    int rank;
    free(read_all("/outputs/ball%2Fx, \"far\"", shape, &rank));
    free(read_all("/outputs/%2E", shape, &rank));
    assert_true(shape[0] == 11);
    ash_scene_destroy(scene);
}

static void test_an_empty_scene_is_recorded(void **state)
{
    (void)state;
    ash_scene *scene = empty_scene("nothing", "realtime", 0.1, 1);
    record(scene);
    ashi_recording_summary summary;
    ash_diagnostic diagnostic;
    stop_on(ashi_recording_inspect(file_path, &summary, &diagnostic), &diagnostic);
    assert_int_equal(summary.samples, 11);
    assert_int_equal(summary.bodies, 0);
    ash_scene_destroy(scene);
}

/* More samples than a batch and a chunk hold. */
static void test_many_samples_arrive(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(1e-4, 2);
    record(scene);
    ashi_recording_summary summary;
    ash_diagnostic diagnostic;
    stop_on(ashi_recording_inspect(file_path, &summary, &diagnostic), &diagnostic);
    assert_int_equal(summary.samples, 20001);
    hsize_t shape[3];
    int rank;
    double *x = read_all("/outputs/x", shape, &rank);
    for (int i = 0; i <= 20000; i++)
        assert_near(x[i], 3 * i * 1e-4, 1e-10);
    free(x);
    /* The file ends where its superblock says: nothing is left of what was reached ahead. */
    int file = open(file_path, O_RDONLY);
    ashi_superblock superblock;
    struct stat status;
    assert_true(ashi_superblock_read(file, &superblock) && fstat(file, &status) == 0);
    assert_int_equal(superblock.flags, 0);
    assert_int_equal(superblock.end_of_file, status.st_size);
    close(file);
    ash_scene_destroy(scene);
}

static void expect_stopped(const char *reason, const char *words)
{
    char path[160];
    snprintf(path, sizeof path, "%s/summary.json", folder);
    json_t *summary = json_load_file(path, 0, NULL);
    assert_non_null(summary);
    const json_t *stopped = json_object_get(summary, "stopped");
    assert_true(json_is_false(json_object_get(summary, "complete")));
    assert_string_equal(json_string_value(json_object_get(stopped, "reason")), reason);
    assert_non_null(strstr(json_string_value(json_object_get(stopped, "message")), words));
    double time = json_number_value(json_object_get(summary, "time"));
    assert_true(time >= 0 && time < json_number_value(json_object_get(summary, "time_planned")));
    json_decref(summary);
}

static void test_files_of_the_folder(void **state)
{
    (void)state;
    char mine[160];
    snprintf(mine, sizeof mine, "%s/notes.txt", folder);
    empty_folder(folder);
    ash_scene *scene = thrown_mass(0.01, 0.1);
    record(scene);
    FILE *notes = fopen(mine, "w");
    fputs("keep", notes);
    fclose(notes);
    record(scene); /* over the earlier ones */
    static const char *const names[] = {"recording.h5", "outputs.csv", "ledger.csv", "summary.json", "scene.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(is_there(names[i]));
    assert_true(is_there("notes.txt"));
    assert_false(is_there("recording.h5.part"));
    ash_scene_destroy(scene);

    /* A run that breaks off still tells what it was, as not complete. */
    scene = oscillating_mass("explicit-euler", 1e3, 1e6);
    ash_run_options options = ash_default_run_options();
    ash_run *run;
    options.out = folder;
    assert_int_equal(ash_scene_run(scene, &options, &run, NULL), ASH_NUMERICS);
    ashi_recording_summary summary;
    ash_diagnostic diagnostic;
    stop_on(ashi_recording_inspect(file_path, &summary, &diagnostic), &diagnostic);
    assert_false(summary.complete);
    assert_int_equal(summary.samples, ash_run_get_summary(run).steps + 1);
    expect_stopped("numerics", "could not be taken");
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

/* With the diagnostic for `place`. */
static void expect_trouble(const char *out, const char *place, const char *words)
{
    ash_scene *scene = thrown_mass(0.01, 0.1);
    ash_run_options options = ash_default_run_options();
    ash_diagnostic diagnostic = {0};
    ash_run *run;
    options.out = out;
    assert_int_equal(ash_scene_run(scene, &options, &run, &diagnostic), ASH_IO);
    assert_null(run);
    assert_string_equal(diagnostic.file, place);
    assert_non_null(strstr(diagnostic.message, words));
    ash_scene_destroy(scene);
}

static void test_bad_folders_are_reported(void **state)
{
    (void)state;
    char path[160];
    expect_trouble("/proc/nowhere/deeper/out", "/proc/nowhere", "cannot make the directory: No such file or directory");
    snprintf(path, sizeof path, "%s/file", base);
    fclose(fopen(path, "w"));
    expect_trouble(path, path, "cannot make the directory: Not a directory");
    expect_trouble("/dev/null/out", "/dev/null", "cannot make the directory: Not a directory");
    if (geteuid() != 0) { /* root may write anywhere */
        empty_folder(folder);
        assert_int_equal(mkdir(folder, 0555), 0);
        snprintf(path, sizeof path, "%s/scene.json", folder);
        expect_trouble(folder, path, "Permission denied");
    }
    /* A folder in the place of the recording. */
    empty_folder(folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(mkdir(file_path, 0777), 0);
    expect_trouble(folder, file_path, "cannot create the recording: Is a directory");
    rmdir(file_path);
    assert_false(is_there("recording.h5.part"));
}

/* A limit on the size of files stands for a full disk. */
static void test_a_full_disk_is_reported(void **state)
{
    (void)state;
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 8 << 20;
    signal(SIGXFSZ, SIG_IGN);
    ash_scene *scene = thrown_mass(1e-5, 1e6);
    ash_run_options options = ash_default_run_options();
    ash_diagnostic diagnostic = {0};
    ash_run *run;
    options.out = folder;
    uint64_t blocks = ash_memory_used().blocks;
    setrlimit(RLIMIT_FSIZE, &small);
    ash_status status = ash_scene_run(scene, &options, &run, &diagnostic);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(status, ASH_IO);
    assert_null(run);
    assert_non_null(strstr(diagnostic.message, "File too large"));
    assert_non_null(strstr(diagnostic.file, folder));
    assert_int_equal(ash_memory_used().blocks, blocks);
    /* The summary says how far the run came, and why not further. */
    expect_stopped("input/output", "File too large");
    /* What was flushed before is there. */
    ashi_recording_summary summary;
    stop_on(ashi_recording_inspect(file_path, &summary, &diagnostic), &diagnostic);
    assert_true(summary.samples > 1000 && !summary.complete && !summary.marked_open);
    ash_scene_destroy(scene);
    empty_folder(folder);
}

static herr_t hosts_printer(hid_t stack, void *data)
{
    (void)stack;
    ++*(int *)data;
    return 0;
}

static void test_hosts_hdf5_is_left_as_it_was(void **state)
{
    (void)state;
    int printed = 0;
    H5Eset_auto2(H5E_DEFAULT, hosts_printer, &printed);
    ash_scene *scene = thrown_mass(0.01, 0.1);
    record(scene);
    ash_scene_destroy(scene);
    ashi_recording_summary summary;
    assert_int_equal(ashi_recording_inspect("/dev/null", &summary, NULL), ASH_BAD_DATA);
    assert_int_equal(printed, 0);
    H5E_auto2_t printer;
    void *data;
    H5Eget_auto2(H5E_DEFAULT, &printer, &data);
    assert_true(printer == hosts_printer && data == &printed);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static void test_foreign_files_are_rejected(void **state)
{
    (void)state;
    ashi_recording_summary summary;
    ash_diagnostic diagnostic;
    assert_int_equal(ashi_recording_inspect("/nowhere/x.h5", &summary, &diagnostic), ASH_NOT_FOUND);
    assert_string_equal(diagnostic.file, "/nowhere/x.h5");
    assert_int_equal(ashi_recording_inspect(base, &summary, &diagnostic), ASH_BAD_DATA);
    char path[160];
    snprintf(path, sizeof path, "%s/other.h5", base);
    FILE *text = fopen(path, "w");
    fputs("time,x\n0,1\n", text);
    fclose(text);
    assert_int_equal(ashi_recording_inspect(path, &summary, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "recording.foreign");
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_int_equal(ashi_recording_inspect(path, &summary, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "recording.foreign");
    assert_string_equal(diagnostic.file, path);
    /* Of ours by its attributes, but empty. */
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ashi_hdf5_write_text(file, "format", ASHI_RECORDING_FORMAT);
    ashi_hdf5_write_number(file, "format_version", H5T_STD_U32LE, ASHI_RECORDING_VERSION + 1);
    H5Fclose(file);
    assert_int_equal(ashi_recording_inspect(path, &summary, &diagnostic), ASH_BAD_DATA);
    assert_non_null(strstr(diagnostic.message, "version"));
    unlink(path);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* Cut files are rejected at any length; a wrong byte is found or harms nothing. */
static void test_damaged_files_are_rejected(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 0.5);
    record(scene);
    ash_scene_destroy(scene);
    char path[160];
    size_t size;
    char *bytes = read_file(file_path, &size);
    ashi_recording_summary summary;
    snprintf(path, sizeof path, "%s/damaged.h5", base);
    for (size_t length = 0; length < size; length += 1 + size / 37) {
        write_file(path, bytes, length);
        assert_int_equal(ashi_recording_inspect(path, &summary, NULL), ASH_BAD_DATA);
    }
    int found = 0;
    for (size_t at = 3; at < size; at += 1 + size / 401) {
        bytes[at] ^= 0x20;
        write_file(path, bytes, size);
        bytes[at] ^= 0x20;
        found += ashi_recording_inspect(path, &summary, NULL) != ASH_OK;
    }
    assert_true(found > 50);
    unlink(path);
    free(bytes);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

/* A writer killed between the two last writes of closing leaves the mark of an open file. */
static void test_the_mark_of_an_open_file_is_taken_off(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 0.5);
    record(scene);
    ash_scene_destroy(scene);
    ashi_recording_summary summary;
    ash_diagnostic diagnostic;
    ashi_superblock superblock;
    int file = open(file_path, O_RDWR);
    assert_true(ashi_superblock_read(file, &superblock));
    superblock.flags = 5; /* open for writing, with concurrent readers */
    assert_true(ashi_superblock_write(file, superblock));
    close(file);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    assert_true(H5Fopen(file_path, H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
    stop_on(ashi_recording_inspect(file_path, &summary, &diagnostic), &diagnostic);
    assert_true(summary.marked_open);
    assert_int_equal(summary.samples, 51);
    stop_on(ashi_recording_repair(file_path, &diagnostic), &diagnostic);
    stop_on(ashi_recording_inspect(file_path, &summary, &diagnostic), &diagnostic);
    assert_false(summary.marked_open);
    hid_t opened = H5Fopen(file_path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(opened >= 0);
    H5Fclose(opened);
}

static void *record_beside(void *path)
{
    ash_scene *scene = thrown_mass(1e-3, 5);
    ash_run_options options = ash_default_run_options();
    options.out = path;
    ash_run *run = NULL;
    ash_status status = ash_scene_run(scene, &options, &run, NULL);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
    return status == ASH_OK ? path : NULL;
}

static void test_two_threads_record_at_once(void **state)
{
    (void)state;
    char paths[3][96];
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/beside%d", base, i);
        assert_int_equal(pthread_create(&threads[i], NULL, record_beside, paths[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        void *done;
        char path[384];
        ashi_recording_summary summary;
        pthread_join(threads[i], &done);
        assert_non_null(done);
        snprintf(path, sizeof path, "%s/recording.h5", paths[i]);
        assert_int_equal(ashi_recording_inspect(path, &summary, NULL), ASH_OK);
        assert_int_equal(summary.samples, 5001);
        empty_folder(paths[i]);
    }
}

static void test_no_memory_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 0.05);
    uint64_t blocks = ash_memory_used().blocks;
    ash_run_options options = ash_default_run_options();
    options.out = folder;
    for (uint64_t k = 1; k < 5000; k++) {
        ash_run *run;
        ashi_alloc_fail_at(k, false);
        ash_status status = ash_scene_run(scene, &options, &run, NULL);
        ashi_alloc_fail_at(0, false);
        ash_run_destroy(run);
        assert_int_equal(ash_memory_used().blocks, blocks);
        if (status == ASH_OK) {
            ash_scene_destroy(scene);
            assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
            return;
        }
        assert_true(status == ASH_OUT_OF_MEMORY || status == ASH_NUMERICS);
    }
    fail_msg("the run never came about");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_and_outputs_are_recorded),
        cmocka_unit_test(test_facts_are_embedded),
        cmocka_unit_test(test_absent_bodies_are_nan),
        cmocka_unit_test(test_names_of_outputs_are_safe),
        cmocka_unit_test(test_an_empty_scene_is_recorded),
        cmocka_unit_test(test_many_samples_arrive),
        cmocka_unit_test(test_files_of_the_folder),
        cmocka_unit_test(test_bad_folders_are_reported),
        cmocka_unit_test(test_a_full_disk_is_reported),
        cmocka_unit_test(test_hosts_hdf5_is_left_as_it_was),
        cmocka_unit_test(test_foreign_files_are_rejected),
        cmocka_unit_test(test_damaged_files_are_rejected),
        cmocka_unit_test(test_the_mark_of_an_open_file_is_taken_off),
        cmocka_unit_test(test_two_threads_record_at_once),
        cmocka_unit_test(test_no_memory_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
