/* Writing files: whole or not at all, whatever fails in between; through links, with modes, to devices and pipes. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include "base/alloc.h"
#include "scene/file/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/ashlar-output-XXXXXX";
static char path[128];

/* Calls of the system that are to fail, or to meet a signal. */
static int fsync_reason, rename_reason, signal_at_fsync;
int __real_fsync(int file);
int __wrap_fsync(int file);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

int __wrap_fsync(int file)
{
    errno = fsync_reason;
    if (signal_at_fsync != 0)
        kill(getpid(), signal_at_fsync);
    return fsync_reason == 0 ? __real_fsync(file) : -1;
}

int __wrap_rename(const char *from, const char *to)
{
    errno = rename_reason;
    return rename_reason == 0 ? __real_rename(from, to) : -1;
}

static int make_folder(void **state)
{
    (void)state;
    umask(022);
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

static const char *in_folder(const char *name)
{
    static char paths[4][160];
    static int next;
    char *made = paths[next++ % 4];
    snprintf(made, sizeof paths[0], "%s/%s", folder, name);
    return made;
}

/* Removes everything in the folder, which has no folders in it, and counts it. */
static int clear(void)
{
    int count = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        count += unlink(name) == 0;
    }
    closedir(entries);
    return count;
}

static int remove_folder(void **state)
{
    (void)state;
    clear();
    return rmdir(folder);
}

static void expect_text(const char *file_path, const char *wanted)
{
    char text[4096];
    FILE *file = fopen(file_path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_string_equal(text, wanted);
}

static ash_status put(const char *to, const char *text, ash_diagnostic *diagnostic)
{
    return ashi_write_file(to, text, strlen(text), diagnostic);
}

static mode_t mode_of(const char *file_path)
{
    struct stat about;
    assert_int_equal(stat(file_path, &about), 0);
    return about.st_mode & 07777;
}

static void test_new_and_old_files(void **state)
{
    (void)state;
    assert_int_equal(put(path, "first", NULL), ASH_OK);
    expect_text(path, "first");
    assert_int_equal(mode_of(path), 0644); /* by the umask */
    chmod(path, 0640);
    assert_int_equal(put(path, "second", NULL), ASH_OK);
    expect_text(path, "second");
    assert_int_equal(mode_of(path), 0640);
    assert_int_equal(put(path, "", NULL), ASH_OK);
    expect_text(path, "");
    assert_int_equal(clear(), 1);
    /* A name as long as names can be. */
    char longest[256] = "", long_path[400];
    memset(longest, 'x', 255);
    snprintf(long_path, sizeof long_path, "%s/%s", folder, longest);
    assert_int_equal(put(long_path, "long", NULL), ASH_OK);
    expect_text(long_path, "long");
    assert_int_equal(clear(), 1);
}

static void test_links_are_followed(void **state)
{
    (void)state;
    assert_int_equal(put(path, "old", NULL), ASH_OK);
    assert_int_equal(symlink("file", in_folder("link")), 0);
    assert_int_equal(symlink(in_folder("link"), in_folder("second")), 0);
    assert_int_equal(put(in_folder("second"), "through", NULL), ASH_OK);
    expect_text(path, "through");
    struct stat about;
    assert_true(lstat(in_folder("second"), &about) == 0 && S_ISLNK(about.st_mode));
    assert_int_equal(symlink("not-yet", in_folder("dangling")), 0);
    assert_int_equal(put(in_folder("dangling"), "made", NULL), ASH_OK);
    expect_text(in_folder("not-yet"), "made");
    ash_diagnostic diagnostic;
    assert_int_equal(symlink("round", in_folder("round")), 0);
    assert_int_equal(put(in_folder("round"), "never", &diagnostic), ASH_IO);
    assert_non_null(strstr(diagnostic.message, strerror(ELOOP)));
    assert_int_equal(clear(), 6);
}

static void test_a_failure_leaves_the_old_file(void **state)
{
    (void)state;
    const int reasons[] = {ENOSPC, EIO, EDQUOT};
    int *const calls[] = {&fsync_reason, &rename_reason};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        char wanted[128];
        snprintf(wanted, sizeof wanted, "cannot write the file: %s", strerror(reasons[i]));
        for (int call = 0; call < 2; call++) {
            assert_int_equal(put(path, "old", NULL), ASH_OK);
            *calls[call] = reasons[i];
            ash_diagnostic diagnostic = {0};
            assert_int_equal(put(path, "new", &diagnostic), ASH_IO);
            assert_string_equal(diagnostic.file, path);
            assert_string_equal(diagnostic.message, wanted);
            expect_text(path, "old");
            assert_int_equal(clear(), 1);
            assert_int_equal(put(path, "new", NULL), ASH_IO); /* where there was none, there is none */
            assert_int_equal(clear(), 0);
            *calls[call] = 0;
        }
    }
    fsync_reason = EINVAL; /* a file system that cannot sync */
    assert_int_equal(put(path, "new", NULL), ASH_OK);
    fsync_reason = 0;
    assert_int_equal(clear(), 1);
}

/* A limit on the size of files stands for a full disk. */
static void test_a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    static char large[1 << 20];
    struct rlimit old, small;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(put(path, "old", NULL), ASH_OK);
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &small);
    ash_diagnostic diagnostic = {0};
    ash_status status = ashi_write_file(path, large, sizeof large, &diagnostic);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(status, ASH_IO);
    assert_string_equal(diagnostic.message, "cannot write the file: File too large");
    expect_text(path, "old");
    assert_int_equal(clear(), 1);
}

/* A signal in the middle ends the program, but not before the file is whole. */
static void test_a_signal_leaves_nothing_behind(void **state)
{
    (void)state;
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_int_equal(put(path, "old", NULL), ASH_OK);
        pid_t child = fork();
        if (child == 0) {
            setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
            signal(numbers[i], SIG_DFL);
            signal_at_fsync = numbers[i];
            put(path, "new", NULL);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
        expect_text(path, "new");
        assert_int_equal(clear(), 1);
    }
}

static void test_devices_and_pipes_are_written_to(void **state)
{
    (void)state;
    ash_diagnostic diagnostic = {0};
    assert_int_equal(put("/dev/null", "gone", NULL), ASH_OK);
    assert_int_equal(put("/dev/full", "much", &diagnostic), ASH_IO);
    assert_string_equal(diagnostic.file, "/dev/full");
    assert_string_equal(diagnostic.message, "cannot write the file: No space left on device");
    struct stat about;
    assert_true(stat("/dev/full", &about) == 0 && S_ISCHR(about.st_mode));
    /* A pipe, by the name of its descriptor and through a link. */
    int ends[2];
    char name[64], text[16] = "";
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    assert_int_equal(put(name, "one ", NULL), ASH_OK);
    assert_int_equal(symlink(name, in_folder("pipe")), 0);
    assert_int_equal(put(in_folder("pipe"), "two", NULL), ASH_OK);
    assert_int_equal(read(ends[0], text, sizeof text - 1), 7);
    assert_string_equal(text, "one two");
    close(ends[0]);
    close(ends[1]);
    /* A named pipe, which stays one. */
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    memset(text, 0, sizeof text);
    assert_int_equal(put(path, "named", NULL), ASH_OK);
    assert_int_equal(read(reader, text, sizeof text - 1), 5);
    close(reader);
    assert_true(stat(path, &about) == 0 && S_ISFIFO(about.st_mode));
    assert_int_equal(clear(), 2);
    /* A regular file by its descriptor goes on where it is, as standard output after >> does. */
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(file, "before ", 7), 7);
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    assert_int_equal(put(name, "after", NULL), ASH_OK);
    close(file);
    expect_text(path, "before after");
    assert_int_equal(clear(), 1);
}

static void test_directories_are_made(void **state)
{
    (void)state;
    char deep[200];
    snprintf(deep, sizeof deep, "%s/a//b/c/file", folder);
    assert_int_equal(put(deep, "deep", NULL), ASH_OK);
    expect_text(deep, "deep");
    assert_int_equal(ashi_make_directory(in_folder("a/b/c/d/"), NULL), ASH_OK);
    assert_int_equal(ashi_make_directory(in_folder("a/b/c/d"), NULL), ASH_OK);
    assert_int_equal(mode_of(in_folder("a/b")), 0755);
    ash_diagnostic diagnostic;
    assert_int_equal(put(in_folder("a/b/c/file/d/e"), "never", &diagnostic), ASH_IO);
    assert_string_equal(diagnostic.file, in_folder("a/b/c/file"));
    assert_string_equal(diagnostic.message, "cannot make the directory: Not a directory");
    assert_int_equal(put("/proc/nowhere/file", "never", &diagnostic), ASH_IO);
    assert_string_equal(diagnostic.file, "/proc/nowhere");
    assert_int_equal(put(in_folder("a"), "never", &diagnostic), ASH_IO);
    assert_string_equal(diagnostic.message, "cannot write the file: Is a directory");
    unlink(deep);
    static const char *const made[] = {"a/b/c/d", "a/b/c", "a/b", "a"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        assert_int_equal(rmdir(in_folder(made[i])), 0); /* and nothing else is in them */
}

/* As root everything may be written, so this is for others: a child gives its rights away. */
static void test_protected_files_are_not_replaced(void **state)
{
    (void)state;
    assert_int_equal(put(path, "old", NULL), ASH_OK);
    chmod(path, 0444);
    chmod(folder, 0777);
    pid_t child = fork();
    if (child == 0) {
        ash_diagnostic diagnostic = {0};
        bool powerless = geteuid() != 0 || setuid(65534) == 0;
        bool right = !powerless || (put(path, "new", &diagnostic) == ASH_IO &&
                                    strcmp(diagnostic.message, "cannot write the file: Permission denied") == 0);
        _exit(right ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    expect_text(path, "old");
    chmod(folder, 0700);
    assert_int_equal(clear(), 1);
}

static void test_space_is_reserved_out_of_sight(void **state)
{
    (void)state;
    int reserve;
    struct stat about;
    assert_int_equal(ashi_reserve_space(path, 1 << 16, &reserve, NULL), ASH_OK);
    assert_int_equal(clear(), 0);
    if (reserve >= 0) {
        assert_int_equal(fstat(reserve, &about), 0);
        assert_true(about.st_blocks * 512 >= 1 << 16);
        close(reserve);
    }
}

static void test_no_memory_is_reported(void **state)
{
    (void)state;
    char deep[200];
    snprintf(deep, sizeof deep, "%s/link", folder);
    assert_int_equal(put(path, "old", NULL), ASH_OK);
    assert_int_equal(symlink("file", deep), 0);
    uint64_t blocks = ash_memory_used().blocks;
    ash_status status = ASH_OUT_OF_MEMORY;
    int failures = -1;
    for (uint64_t k = 1; status == ASH_OUT_OF_MEMORY && k < 50; k++, failures++) {
        expect_text(path, "old");
        ashi_alloc_fail_at(k, false);
        status = put(deep, "new", NULL);
        ashi_alloc_fail_at(0, false);
        assert_int_equal(ash_memory_used().blocks, blocks);
    }
    assert_int_equal(status, ASH_OK);
    assert_true(failures >= 3);
    expect_text(path, "new");
    assert_int_equal(clear(), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_and_old_files),
        cmocka_unit_test(test_links_are_followed),
        cmocka_unit_test(test_a_failure_leaves_the_old_file),
        cmocka_unit_test(test_a_full_disk_leaves_the_old_file),
        cmocka_unit_test(test_a_signal_leaves_nothing_behind),
        cmocka_unit_test(test_devices_and_pipes_are_written_to),
        cmocka_unit_test(test_directories_are_made),
        cmocka_unit_test(test_protected_files_are_not_replaced),
        cmocka_unit_test(test_space_is_reserved_out_of_sight),
        cmocka_unit_test(test_no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
