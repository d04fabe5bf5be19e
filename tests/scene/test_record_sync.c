/* Power loss: of the recording only what was synced is taken to be on the disk, and it holds every sample that the
 * recorder called synced. */
#define _XOPEN_SOURCE 700
#include "small_scenes.h"

#include "base/clock.h"
#include "scene/file/output_file.h"
#include "scene/record/record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DISKS_MOST = 400 };

static char folder[] = "/tmp/ashlar-sync-XXXXXX";
static struct {
    char *bytes;
    size_t size;
    unsigned long long promised; /* samples */
} disks[DISKS_MOST];             /* what was on it after each sync of the recording */
static int disk_count, folder_syncs;

/* A clock that goes on by 5 ms whenever it is read. */
double __wrap_ashi_seconds(void);
double __wrap_ashi_seconds(void)
{
    static double now;
    return now += 0.005;
}

int __real_fsync(int file);
int __wrap_fsync(int file);
int __wrap_fsync(int file)
{
    struct stat synced, recording;
    char path[128];
    assert_int_equal(fstat(file, &synced), 0);
    folder_syncs += S_ISDIR(synced.st_mode);
    snprintf(path, sizeof path, "%s/recording.h5", folder);
    if (stat(path, &recording) != 0) {
        snprintf(path, sizeof path, "%s/recording.h5.part", folder);
        if (stat(path, &recording) != 0)
            return __real_fsync(file);
    }
    if (synced.st_ino == recording.st_ino && disk_count < DISKS_MOST) {
        size_t size = (size_t)synced.st_size;
        char *bytes = malloc(size);
        FILE *stream = fopen(path, "rb");
        assert_true(bytes != NULL && stream != NULL);
        assert_int_equal(fread(bytes, 1, size, stream), size);
        fclose(stream);
        disks[disk_count].bytes = bytes;
        disks[disk_count++].size = size;
    }
    return __real_fsync(file);
}

/* The promise comes after the sync, and is for what was then on the disk. */
static void take_promise(ash_log_level level, const char *message, void *user)
{
    (void)level, (void)user;
    unsigned long long samples;
    const char *colon = strrchr(message, ':');
    if (colon == NULL || strstr(colon, "samples synced") == NULL || sscanf(colon, ": %llu", &samples) != 1)
        return;
    assert_true(disk_count > 0);
    disks[disk_count - 1].promised = samples;
}

static void test_synced_samples_survive(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    ash_scene *scene = thrown_mass(1e-3, 0.5);
    ash_run_options options = ash_default_run_options();
    options.out = folder;
    ash_set_log_hook(take_promise, NULL);
    ash_run_destroy(run_scene(scene, &options));
    ash_set_log_hook(NULL, NULL);
    ash_scene_destroy(scene);
    assert_true(disk_count > 10 && disk_count < DISKS_MOST);
    assert_true(folder_syncs >= 3); /* recording, scene and summary have got their names */
    char copy[128];
    unsigned long long last = 0;
    snprintf(copy, sizeof copy, "%s/copy.h5", folder);
    for (int i = 0; i < disk_count; i++) {
        ashi_recording_summary summary;
        ash_diagnostic diagnostic;
        stop_on(ashi_write_file(copy, disks[i].bytes, disks[i].size, &diagnostic), &diagnostic);
        stop_on(ashi_recording_inspect(copy, &summary, &diagnostic), &diagnostic);
        assert_int_equal(summary.samples, disks[i].promised);
        assert_true(disks[i].promised >= last);
        assert_true(summary.complete == (i + 1 == disk_count));
        assert_false(summary.marked_open);
        last = disks[i].promised;
        free(disks[i].bytes);
    }
    assert_int_equal(last, 501);
    static const char *const names[] = {"copy.h5",    "recording.h5", "outputs.csv",
                                        "ledger.csv", "summary.json", "scene.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(copy, sizeof copy, "%s/%s", folder, names[i]);
        assert_int_equal(unlink(copy), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_synced_samples_survive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
