/* Recordings that HDF5 would read from other files are refused. The other file has the right data, so that without the
 * check they would be read. */
#define _XOPEN_SOURCE 700
#include "small_scenes.h"

#include "scene/record/hdf5_session.h"
#include "scene/record/record.h"
#include "scene/record/replay.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/ashlar-contents-XXXXXX";
static char file_path[128], other_path[128], raw_path[128];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(file_path, sizeof file_path, "%s/recording.h5", folder);
    snprintf(other_path, sizeof other_path, "%s/other.h5", folder);
    snprintf(raw_path, sizeof raw_path, "%s/raw", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"recording.h5", "other.h5",     "raw",       "ledger.csv",
                                        "outputs.csv",  "summary.json", "scene.json"};
    char path[160];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
    return 0;
}

/* Makes the recording and a copy of it beside, and opens the first for changes. */
static hid_t make_pair(void)
{
    ash_scene *scene = thrown_mass(0.01, 0.1);
    ash_run_options options = ash_default_run_options();
    options.out = folder;
    ash_run_destroy(run_scene(scene, &options));
    assert_int_equal(rename(file_path, other_path), 0);
    ash_run_destroy(run_scene(scene, &options));
    ash_scene_destroy(scene);
    hid_t file = H5Fopen(file_path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void expect_refusal(hid_t file, const char *object, const char *words)
{
    ash_diagnostic diagnostic = {0};
    ashi_recording_summary summary;
    ashi_replay *replay;
    char message[128];
    assert_true(H5Fclose(file) >= 0);
    snprintf(message, sizeof message, "the recording depends on something outside of it: %s", words);
    for (int i = 0; i < 2; i++) {
        ash_status status = i == 0 ? ashi_replay_open(file_path, &replay, &diagnostic)
                                   : ashi_recording_inspect(file_path, &summary, &diagnostic);
        assert_int_equal(status, ASH_BAD_DATA);
        assert_string_equal(diagnostic.code, "recording.outside");
        assert_string_equal(diagnostic.message, message);
        assert_string_equal(diagnostic.path, object);
        assert_string_equal(diagnostic.file, file_path);
    }
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static void expect_acceptance(hid_t file)
{
    ash_diagnostic diagnostic = {0};
    ashi_replay *replay;
    assert_true(H5Fclose(file) >= 0);
    stop_on(ashi_replay_open(file_path, &replay, &diagnostic), &diagnostic);
    ashi_replay_close(replay);
}

static void test_external_links_are_refused(void **state)
{
    (void)state;
    static const char *const objects[] = {"/time",    "/scene",         "/bodies", "/bodies/position",
                                          "/outputs", "/ledger/kinetic"};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        hid_t file = make_pair();
        assert_true(H5Ldelete(file, objects[i], H5P_DEFAULT) >= 0);
        assert_true(H5Lcreate_external("other.h5", objects[i], file, objects[i], H5P_DEFAULT, H5P_DEFAULT) >= 0);
        expect_refusal(file, objects[i], "an external link");
    }
    hid_t file = make_pair(); /* also one that leads nowhere, to nothing that is read */
    assert_true(H5Lcreate_external("/etc/passwd", "/", file, "/extra", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    expect_refusal(file, "/extra", "an external link");
}

static void test_soft_links_are_refused(void **state)
{
    (void)state;
    hid_t file = make_pair();
    assert_true(H5Lmove(file, "/time", file, "/moved", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_soft("/moved", file, "/time", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    expect_refusal(file, "/time", "a soft link");
}

/* Puts a data set of 11 numbers with these properties in the place of /time. */
static hid_t replace_time(hid_t file, hid_t properties)
{
    const hsize_t count = 11;
    hid_t space = H5Screate_simple(1, &count, NULL);
    assert_true(H5Ldelete(file, "/time", H5P_DEFAULT) >= 0);
    hid_t dataset = H5Dcreate2(file, "/time", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    assert_true(dataset >= 0);
    H5Sclose(space), H5Pclose(properties);
    return dataset;
}

static void write_times(hid_t dataset)
{
    double times[11];
    for (int i = 0; i < 11; i++)
        times[i] = 0.01 * i;
    assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times) >= 0);
    H5Dclose(dataset);
}

static void test_external_storage_is_refused(void **state)
{
    (void)state;
    hid_t file = make_pair(), properties = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_external(properties, raw_path, 0, H5F_UNLIMITED) >= 0);
    write_times(replace_time(file, properties));
    assert_int_equal(access(raw_path, R_OK), 0);
    expect_refusal(file, "/time", "external storage");
}

static void test_virtual_data_sets_are_refused(void **state)
{
    (void)state;
    const hsize_t count = 11;
    hid_t file = make_pair(), properties = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &count, NULL);
    assert_true(H5Pset_virtual(properties, space, "other.h5", "/time", space) >= 0);
    H5Dclose(replace_time(file, properties));
    H5Sclose(space);
    expect_refusal(file, "/time", "a virtual data set");
}

static size_t leave_as_it_is(unsigned flags, size_t count, const unsigned values[], size_t bytes, size_t *size,
                             void **buffer)
{
    (void)flags, (void)count, (void)values, (void)size, (void)buffer;
    return bytes;
}

/* HDF5 would look for the filter on the disk and load it. */
static void test_filters_from_outside_are_refused(void **state)
{
    (void)state;
    const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, 305, 1, 1, "same", NULL, NULL, leave_as_it_is};
    const hsize_t chunk = 11;
    hid_t file = make_pair(), properties = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Zregister(&filter) >= 0);
    assert_true(H5Pset_chunk(properties, 1, &chunk) >= 0);
    assert_true(H5Pset_filter(properties, 305, H5Z_FLAG_MANDATORY, 0, NULL) >= 0);
    write_times(replace_time(file, properties));
    expect_refusal(file, "/time", "a filter that is not part of HDF5");
    H5Zunregister(305);
}

/* What a user may add: more data, other names of them, also a circle. */
static void test_additions_within_the_file_are_accepted(void **state)
{
    (void)state;
    const hsize_t chunk = 4;
    hid_t file = make_pair(), properties = H5Pcreate(H5P_DATASET_CREATE);
    expect_acceptance(file);
    file = make_pair();
    assert_true(H5Pset_chunk(properties, 1, &chunk) >= 0 && H5Pset_shuffle(properties) >= 0 &&
                H5Pset_deflate(properties, 6) >= 0 && H5Pset_fletcher32(properties) >= 0);
    write_times(replace_time(file, properties));
    assert_true(H5Lcreate_hard(file, "/time", file, "/again", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    hid_t group = H5Gcreate2(file, "/extra", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Lcreate_hard(file, "/", group, "circle", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Gclose(group);
    expect_acceptance(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_external_links_are_refused),
        cmocka_unit_test(test_soft_links_are_refused),
        cmocka_unit_test(test_external_storage_is_refused),
        cmocka_unit_test(test_virtual_data_sets_are_refused),
        cmocka_unit_test(test_filters_from_outside_are_refused),
        cmocka_unit_test(test_additions_within_the_file_are_accepted),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
