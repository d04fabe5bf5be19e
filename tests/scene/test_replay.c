/* Recordings read back: the same bits as the run had, and diagnostics for what no run wrote. */
#define _XOPEN_SOURCE 700
#include "small_scenes.h"

#include "base/alloc.h"
#include "scene/record/hdf5_session.h"
#include "scene/record/replay.h"
#include "scene/record/results.h"
#include "scene/record/superblock.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* As in test_record.c: HDF5 itself leaks when it meets damage. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

static char base[] = "/tmp/ashlar-replay-XXXXXX";
static char folder[64], file_path[128], other_path[128];

static int make_base(void **state)
{
    (void)state;
    if (mkdtemp(base) == NULL)
        return -1;
    snprintf(folder, sizeof folder, "%s/out", base);
    snprintf(file_path, sizeof file_path, "%s/recording.h5", folder);
    snprintf(other_path, sizeof other_path, "%s/other.h5", base);
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

static void add_event(ash_scene *scene, double time, ashi_event_kind kind, uint32_t body)
{
    ashi_scene_add_event(scene, &(ashi_scene_event){.time = time, .kind = kind, .object = body});
}

/* A body that leaves, one that comes, one that tumbles and one that is released; one event is at the very end. */
static ash_scene *eventful_scene(void)
{
    ash_scene *scene = thrown_mass(0.01, 0.4);
    uint32_t late = add_mass(scene, "late", 1, (ash_vec3){0, 7, 0}, (ash_vec3){0, 0, 0});
    scene->bodies.data[late].absent = true;
    ash_body_def def = ash_default_body_def();
    def.mass = 2;
    def.inertia = (ash_sym3){1, 2, 2.5, 0, 0, 0};
    def.angular_velocity = (ash_vec3){0.3, 4, -0.2};
    uint32_t tumbling = ashi_scene_add_body(scene, &def);
    def.position.x = 5;
    def.type = ASH_BODY_STATIC;
    def.angular_velocity = (ash_vec3){0, 0, 0};
    uint32_t held = ashi_scene_add_body(scene, &def);
    add_coordinate(scene, "spin/y", ASHI_BODY_ANGULAR_VELOCITY, tumbling, ASHI_Y);
    add_coordinate(scene, "late", ASHI_BODY_POSITION, late, ASHI_Z);
    add_event(scene, 0.2, ASHI_EVENT_ADD, late);
    add_event(scene, 0.3, ASHI_EVENT_REMOVE, 0);
    add_event(scene, 0.1, ASHI_EVENT_RELEASE, held);
    add_event(scene, 0.4, ASHI_EVENT_REMOVE, tumbling);
    return scene;
}

static ash_run *record(const ash_scene *scene)
{
    ash_run_options options = ash_default_run_options();
    options.out = folder;
    return run_scene(scene, &options);
}

static ashi_replay *open_replay(const char *path)
{
    ashi_replay *replay;
    ash_diagnostic diagnostic;
    stop_on(ashi_replay_open(path, &replay, &diagnostic), &diagnostic);
    return replay;
}

static bool same_bits(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

/* The recorded sample beside the world as it is. */
static void compare_bodies(const ashi_instance *instance, const ashi_replay_bodies *recorded)
{
    for (uint32_t i = 0; i < recorded->count; i++) {
        if (!ash_body_is_valid(instance->world, instance->bodies[i])) {
            assert_true(isnan(recorded->positions[i].x) && isnan(recorded->rotations[i].z));
            continue;
        }
        ash_transform pose = ash_body_get_transform(instance->world, instance->bodies[i]);
        ash_vec3 v = ash_body_get_velocity(instance->world, instance->bodies[i]);
        ash_vec3 w = ash_body_get_angular_velocity(instance->world, instance->bodies[i]);
        assert_true(same_bits(&pose.position, &recorded->positions[i], sizeof pose.position));
        assert_true(same_bits(&pose.rotation, &recorded->rotations[i], sizeof pose.rotation));
        assert_true(same_bits(&v, &recorded->velocities[i], sizeof v));
        assert_true(same_bits(&w, &recorded->angular_velocities[i], sizeof w));
    }
}

static void test_states_are_read_back_bit_for_bit(void **state)
{
    (void)state;
    ash_scene *scene = eventful_scene();
    ash_run_destroy(record(scene));
    ashi_replay *replay = open_replay(folder);
    ashi_recording_summary summary = ashi_replay_summary(replay);
    assert_true(summary.complete && summary.samples == 41 && summary.bodies == 4 && summary.outputs == 5);
    assert_true(summary.first_time == 0 && summary.last_time == 40 * 0.01);
    /* The run again, step by step. */
    ashi_instance instance;
    ash_diagnostic diagnostic;
    stop_on(ashi_scene_build(scene, 1, &instance, &diagnostic), &diagnostic);
    for (uint64_t n = 0; n <= 40; n++) {
        ashi_replay_bodies bodies;
        assert_true(ashi_replay_times(replay)[n] == (double)n * 0.01);
        if (n < 40)
            stop_on(ashi_instance_apply_events(&instance, scene, (double)n * 0.01, &diagnostic), &diagnostic);
        stop_on(ashi_replay_read(replay, n, &bodies, &diagnostic), &diagnostic);
        assert_int_equal(bodies.count, 4);
        compare_bodies(&instance, &bodies);
        assert_int_equal(ash_world_step(instance.world, 0.01), ASH_OK);
    }
    ashi_replay_bodies none;
    assert_int_equal(ashi_replay_read(replay, 41, &none, &diagnostic), ASH_BAD_ARGUMENT);
    assert_non_null(strstr(diagnostic.message, "41"));
    ashi_instance_release(&instance);
    ashi_replay_close(replay);
    ash_scene_destroy(scene);
}

static void test_series_are_read_back_bit_for_bit(void **state)
{
    (void)state;
    ash_scene *scene = eventful_scene();
    ash_run *run = record(scene);
    ashi_replay *replay = open_replay(file_path);
    ash_diagnostic diagnostic;
    assert_int_equal(ash_run_get_series_count(run), 5);
    assert_int_equal(ashi_replay_series_count(replay), 5 + 17 + 14);
    bool found = false;
    for (uint32_t i = 0; i < ashi_replay_series_count(replay); i++) {
        ash_series series;
        stop_on(ashi_replay_series(replay, i, &series, &diagnostic), &diagnostic);
        assert_int_equal(series.count, 41);
        assert_ptr_equal(series.times, ashi_replay_times(replay));
        if (i < 5) {
            ash_series wanted = ash_run_get_series(run, i);
            assert_string_equal(series.name + strlen("outputs/"), wanted.name);
            assert_string_equal(series.unit, wanted.unit);
            assert_true(same_bits(series.values, wanted.values, 41 * sizeof(double)));
        }
        if (strcmp(series.name, "ledger/kinetic") == 0) {
            assert_string_equal(series.unit, "J");
            assert_true(series.values[40] == ash_run_get_summary(run).ledger.kinetic);
            found = true;
        }
    }
    assert_true(found);
    ash_series none;
    assert_int_equal(ashi_replay_series(replay, 36, &none, &diagnostic), ASH_BAD_ARGUMENT);
    ashi_replay_close(replay);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

/* The scene is as it was run, not as it was written. */
static void test_the_scene_is_that_of_the_run(void **state)
{
    (void)state;
    ash_scene *scene = eventful_scene();
    ash_run_options options = ash_default_run_options();
    options.out = folder;
    options.step = 0.02;
    options.time = 0.2;
    stop_on(ash_method_find("rk4", &scene->method, NULL), NULL);
    ash_run_destroy(run_scene(scene, &options));
    ashi_replay *replay = open_replay(folder);
    const ash_scene *read = ashi_replay_scene(replay);
    assert_string_equal(ash_scene_get_name(read), "thrown");
    assert_true(ash_scene_get_step(read) == 0.02 && ash_scene_get_time(read) == 0.2);
    ash_method method = ash_scene_get_method(read);
    assert_int_equal(method.integrator, ASH_RK4);
    assert_int_equal(ashi_replay_summary(replay).samples, 11);
    ashi_replay_close(replay);
    ash_scene_destroy(scene);
}

static void test_the_nearest_sample_is_found(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.25, 1);
    ash_run_destroy(record(scene));
    ashi_replay *replay = open_replay(folder);
    static const struct {
        double time;
        uint64_t sample;
    } cases[] = {{-1, 0},    {0, 0},    {0.124, 0}, {0.126, 1}, {0.25, 1},  {0.374, 1},
                 {0.376, 2}, {0.99, 4}, {1, 4},     {1e300, 4}, {-1e300, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(ashi_replay_nearest(replay, cases[i].time), cases[i].sample);
    ashi_replay_close(replay);
    ash_scene_destroy(scene);
}

/* Worlds brought to samples, forwards and back: presence as recorded, states to rounding (the state of a body is kept
 * at its centre). */
static void test_worlds_are_brought_to_samples(void **state)
{
    (void)state;
    ash_scene *scene = eventful_scene();
    ash_run_destroy(record(scene));
    ashi_replay *replay = open_replay(folder);
    ashi_instance instance = {0};
    ash_diagnostic diagnostic;
    static const uint64_t visits[] = {0, 5, 15, 25, 35, 40, 25, 9, 40, 0, 31};
    for (size_t k = 0; k < sizeof visits / sizeof *visits; k++) {
        uint64_t sample = visits[k];
        ashi_replay_bodies recorded;
        stop_on(ashi_replay_pose(replay, sample, 1, &instance, &diagnostic), &diagnostic);
        stop_on(ashi_replay_read(replay, sample, &recorded, &diagnostic), &diagnostic);
        const bool there[4] = {sample < 30, sample >= 20, true, true};
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(ash_body_is_valid(instance.world, instance.bodies[i]), there[i]);
            if (!there[i])
                continue;
            ash_transform pose = ash_body_get_transform(instance.world, instance.bodies[i]);
            ash_vec3 w = ash_body_get_angular_velocity(instance.world, instance.bodies[i]);
            assert_near(pose.position.z, recorded.positions[i].z, 1e-15 * 16);
            assert_near(pose.rotation.y, recorded.rotations[i].y, 1e-15);
            assert_true(w.y == recorded.angular_velocities[i].y);
        }
        ash_body_type held = ash_body_get_type(instance.world, instance.bodies[3]);
        assert_int_equal(held, sample < 10 ? ASH_BODY_STATIC : ASH_BODY_DYNAMIC);
    }
    ashi_instance_release(&instance);
    ashi_replay_close(replay);
    ash_scene_destroy(scene);
}

/* Contacts are those of the recorded poses. */
static void test_contacts_are_found_anew(void **state)
{
    (void)state;
    ash_scene *scene;
    ash_diagnostic diagnostic;
    const ash_setting settings[] = {{"time", "0.5"}, {"sample", "0.1"}};
    stop_on(ash_scene_open("stack-20", settings, 2, &scene, &diagnostic), &diagnostic);
    ash_run *run = record(scene);
    uint32_t wanted = ash_world_get_contacts(ash_run_get_world(run), NULL, 0);
    ashi_replay *replay = open_replay(folder);
    ashi_instance instance = {0};
    stop_on(ashi_replay_pose(replay, ashi_replay_summary(replay).samples - 1, 1, &instance, &diagnostic), &diagnostic);
    assert_true(wanted >= 20);
    assert_int_equal(ash_world_get_contacts(instance.world, NULL, 0), wanted);
    ashi_instance_release(&instance);
    ashi_replay_close(replay);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

static void test_a_scene_without_bodies_is_read(void **state)
{
    (void)state;
    ash_scene *scene = empty_scene("empty", "realtime", 0.1, 0.3);
    ash_run_destroy(record(scene));
    ashi_replay *replay = open_replay(folder);
    ashi_replay_bodies bodies;
    ashi_instance instance = {0};
    assert_int_equal(ashi_replay_read(replay, 3, &bodies, NULL), ASH_OK);
    assert_int_equal(bodies.count, 0);
    assert_int_equal(ashi_replay_pose(replay, 3, 1, &instance, NULL), ASH_OK);
    ashi_instance_release(&instance);
    ashi_replay_close(replay);
    ash_scene_destroy(scene);
}

/* Many blocks, read in any order, in little memory. */
static void test_memory_does_not_grow_with_the_recording(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(1e-3, 2);
    for (int i = 0; i < 99; i++)
        add_mass(scene, NULL, 1, (ash_vec3){i, 0, 0}, (ash_vec3){0, 1, 0});
    ash_run_destroy(record(scene));
    uint64_t before = ash_memory_used().bytes;
    ashi_replay *replay = open_replay(folder);
    assert_int_equal(ashi_replay_summary(replay).samples, 2001);
    for (uint64_t k = 0; k < 70; k++) {
        uint64_t sample = k * 7919 % 2001;
        double t = (double)sample * 1e-3;
        ashi_replay_bodies bodies;
        assert_int_equal(ashi_replay_read(replay, sample, &bodies, NULL), ASH_OK);
        assert_near(bodies.positions[0].x, 3 * t, 1e-11);
        assert_near(bodies.positions[99].x, 98, 1e-13);
        assert_near(bodies.positions[99].y, t, 1e-11);
    }
    /* Of 20 MB of states, a block; the times; the scene. */
    assert_true(ash_memory_used().bytes - before < 2 << 20);
    ashi_replay_close(replay);
    ash_scene_destroy(scene);
}

/* Opens and reads all; the first failure, if any. */
static ash_status read_everything(const char *path, ash_diagnostic *diagnostic)
{
    ashi_replay *replay;
    ash_status status = ashi_replay_open(path, &replay, diagnostic);
    if (status != ASH_OK) {
        assert_null(replay);
        return status;
    }
    ashi_replay_bodies bodies;
    ash_series series;
    for (uint64_t i = 0; status == ASH_OK && i < ashi_replay_summary(replay).samples; i++)
        status = ashi_replay_read(replay, i, &bodies, diagnostic);
    for (uint32_t i = 0; status == ASH_OK && i < ashi_replay_series_count(replay); i++)
        status = ashi_replay_series(replay, i, &series, diagnostic);
    ashi_replay_close(replay);
    return status;
}

static void test_foreign_files_are_refused(void **state)
{
    (void)state;
    ash_diagnostic diagnostic;
    assert_int_equal(read_everything("/nowhere/x.h5", &diagnostic), ASH_NOT_FOUND);
    assert_string_equal(diagnostic.file, "/nowhere/x.h5");
    /* A directory without a recording. */
    assert_int_equal(read_everything(base, &diagnostic), ASH_NOT_FOUND);
    assert_non_null(strstr(diagnostic.file, "recording.h5"));
    assert_int_equal(read_everything("/dev/null", &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "recording.foreign");
    H5Fclose(H5Fcreate(other_path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    assert_int_equal(read_everything(other_path, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "recording.foreign");
    unlink(other_path);
}

static char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* Cut files are refused at any length; a wrong byte is found or harms nothing. */
static void test_damaged_files_are_refused(void **state)
{
    (void)state;
    ash_scene *scene = eventful_scene();
    ash_run_destroy(record(scene));
    ash_scene_destroy(scene);
    size_t size;
    char *bytes = read_bytes(file_path, &size);
    uint64_t blocks = ash_memory_used().blocks;
    for (size_t length = 0; length < size; length += 1 + size / 37) {
        write_bytes(other_path, bytes, length);
        assert_int_equal(read_everything(other_path, NULL), ASH_BAD_DATA);
    }
    int found = 0;
    for (size_t at = 3; at < size; at += 1 + size / 151) {
        bytes[at] ^= 0x20;
        write_bytes(other_path, bytes, size);
        bytes[at] ^= 0x20;
        found += read_everything(other_path, NULL) != ASH_OK;
    }
    assert_true(found > 25);
    assert_int_equal(ash_memory_used().blocks, blocks);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    unlink(other_path);
    free(bytes);
}

/* Overwrites one number of a data set in the recording. */
static void spoil(const char *name, hsize_t place[3], double value)
{
    const hsize_t one[3] = {1, 1, 1};
    hid_t file = H5Fopen(file_path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
    hid_t memory = H5Screate(H5S_SCALAR);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, place, NULL, one, NULL) >= 0);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value) >= 0);
    H5Sclose(memory), H5Sclose(space), H5Dclose(dataset), H5Fclose(file);
}

/* Numbers that no run writes, in a file that is whole as HDF5 sees it. */
static void test_impossible_numbers_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        hsize_t place[3];
        double value;
        const char *words;
    } cases[] = {
        {"/time", {7, 0, 0}, 0.05, "ascend"},
        {"/time", {7, 0, 0}, NAN, "ascend"},
        {"/bodies/position", {7, 2, 1}, INFINITY, "body 2 at sample 7"},
        {"/bodies/position", {7, 2, 0}, NAN, "body 2 at sample 7"},
        {"/bodies/rotation", {9, 3, 1}, 0.5, "body 3 at sample 9"},
        {"/bodies/velocity", {40, 1, 2}, NAN, "body 1 at sample 40"},
        {"/bodies/angular_velocity", {1, 2, 2}, -INFINITY, "body 2 at sample 1"},
        {"/bodies/velocity", {0, 1, 2}, 0, "body 1 at sample 0"}, /* not in the world yet */
    };
    ash_scene *scene = eventful_scene();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsize_t place[3] = {cases[i].place[0], cases[i].place[1], cases[i].place[2]};
        ash_diagnostic diagnostic = {0};
        ash_run_destroy(record(scene));
        spoil(cases[i].name, place, cases[i].value);
        assert_int_equal(read_everything(folder, &diagnostic), ASH_BAD_DATA);
        assert_string_equal(diagnostic.code, "recording.damaged");
        assert_non_null(strstr(diagnostic.message, cases[i].words));
        assert_string_equal(diagnostic.file, file_path);
    }
    ash_scene_destroy(scene);
}

static void test_a_recording_marked_open_is_read(void **state)
{
    (void)state;
    ash_scene *scene = eventful_scene();
    ash_run_destroy(record(scene));
    ash_scene_destroy(scene);
    ashi_superblock superblock;
    int file = open(file_path, O_RDWR);
    assert_true(ashi_superblock_read(file, &superblock));
    superblock.flags = 5; /* open for writing, with concurrent readers */
    assert_true(ashi_superblock_write(file, superblock));
    close(file);
    ash_diagnostic diagnostic;
    stop_on(read_everything(file_path, &diagnostic), &diagnostic);
    ashi_replay *replay = open_replay(file_path);
    assert_true(ashi_replay_summary(replay).marked_open);
    ashi_replay_close(replay);
}

/* The writer, in a process of its own: flushes a batch every few milliseconds until it is killed. */
static void write_for_ever(void)
{
    alarm(20); /* should the test fail and never kill it */
    ash_scene *scene = thrown_mass(1e-3, 1e6);
    for (int i = 0; i < 199; i++) /* numbers that hardly compress */
        add_mass(scene, NULL, 1, (ash_vec3){sqrt(i), 0, 0}, (ash_vec3){sqrt(i), 1, sqrt(i + 0.5)});
    ash_run_options options = ash_default_run_options();
    options.out = folder;
    ash_run *run;
    ash_scene_run(scene, &options, &run, NULL);
    _exit(1);
}

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static ashi_replay *open_growing(uint64_t samples)
{
    for (int tries = 0; tries < 2000; tries++) {
        ashi_replay *replay;
        if (ashi_replay_open(folder, &replay, NULL) == ASH_OK) {
            if (ashi_replay_summary(replay).samples >= samples)
                return replay;
            ashi_replay_close(replay);
        }
        wait_a_little();
    }
    fail_msg("the writer gave no samples");
    return NULL;
}

static off_t size_of_file(void)
{
    struct stat state;
    assert_int_equal(stat(file_path, &state), 0);
    return state.st_size;
}

static void read_thrown(ashi_replay *replay)
{
    ashi_recording_summary summary = ashi_replay_summary(replay);
    ash_diagnostic diagnostic;
    for (uint64_t i = 0; i < summary.samples; i++) {
        ashi_replay_bodies bodies;
        stop_on(ashi_replay_read(replay, i, &bodies, &diagnostic), &diagnostic);
        assert_near(bodies.positions[0].x, 3e-3 * (double)i, 1e-10);
        assert_near(bodies.positions[199].y, 1e-3 * (double)i, 1e-10);
    }
    ash_series series;
    for (uint32_t i = 0; i < ashi_replay_series_count(replay); i++) {
        stop_on(ashi_replay_series(replay, i, &series, &diagnostic), &diagnostic);
        assert_int_equal(series.count, summary.samples);
    }
}

/* Read while it is written, also long after it was opened, and after its writer was killed. */
static void test_a_recording_is_read_while_it_is_written(void **state)
{
    (void)state;
    empty_folder(folder);
    pid_t writer = fork();
    assert_true(writer >= 0);
    if (writer == 0)
        write_for_ever();
    ashi_replay *replay = open_growing(2);
    uint64_t samples = ashi_replay_summary(replay).samples;
    /* Until the writer has moved chunks beyond the end of the file that the reader knows. */
    off_t size = size_of_file();
    for (int tries = 0; tries < 1000 && size_of_file() < 3 * size; tries++)
        wait_a_little();
    read_thrown(replay);
    assert_false(ashi_replay_summary(replay).complete);
    ashi_replay_close(replay);
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    replay = open_replay(folder);
    assert_true(ashi_replay_summary(replay).samples >= samples);
    read_thrown(replay);
    ashi_replay_close(replay);
}

static void test_no_memory_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    ash_scene *scene = eventful_scene();
    ash_run_destroy(record(scene));
    ash_scene_destroy(scene);
    uint64_t blocks = ash_memory_used().blocks;
    for (uint64_t k = 1; k < 5000; k++) {
        ashi_replay *replay = NULL;
        ashi_instance instance = {0};
        ashi_alloc_fail_at(k, false);
        ash_status status = ashi_replay_open(folder, &replay, NULL);
        if (status == ASH_OK)
            status = ashi_replay_pose(replay, 25, 1, &instance, NULL);
        ashi_alloc_fail_at(0, false);
        ashi_instance_release(&instance);
        ashi_replay_close(replay);
        assert_int_equal(ash_memory_used().blocks, blocks);
        if (status == ASH_OK) {
            assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
            return;
        }
        assert_true(status == ASH_OUT_OF_MEMORY || status == ASH_BAD_DATA);
    }
    fail_msg("the recording was never read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_recording_is_read_while_it_is_written), /* first: before HDF5 has any state to fork */
        cmocka_unit_test(test_states_are_read_back_bit_for_bit),
        cmocka_unit_test(test_series_are_read_back_bit_for_bit),
        cmocka_unit_test(test_the_scene_is_that_of_the_run),
        cmocka_unit_test(test_the_nearest_sample_is_found),
        cmocka_unit_test(test_worlds_are_brought_to_samples),
        cmocka_unit_test(test_contacts_are_found_anew),
        cmocka_unit_test(test_a_scene_without_bodies_is_read),
        cmocka_unit_test(test_memory_does_not_grow_with_the_recording),
        cmocka_unit_test(test_foreign_files_are_refused),
        cmocka_unit_test(test_damaged_files_are_refused),
        cmocka_unit_test(test_impossible_numbers_are_refused),
        cmocka_unit_test(test_a_recording_marked_open_is_read),
        cmocka_unit_test(test_no_memory_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
