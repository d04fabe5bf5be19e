/* Writing files. A regular file is written under a temporary name in the same directory, synced to the disk and
 * renamed; then the directory is synced. At every instant the file has either the old or the new content, even after a
 * power loss.
 *
 * Signals that could end the program are held while the temporary file exists, so that it never remains. Only SIGKILL
 * and a power loss can leave one: ".ashlar-", the process and a number. */
#define _XOPEN_SOURCE 700
#include "scene/file/output_file.h"

#include "base/alloc.h"
#include "base/diagnostic.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MOST = 40, NAMES_TRIED = 1000, PATH_LONGEST = 4096 };

ash_status ashi_fail_system(ash_diagnostic *diagnostic, const char *code, const char *path, const char *what)
{
    int reason = errno;
    if (reason == ENOMEM)
        return ashi_out_of_memory(diagnostic);
    ashi_fail(diagnostic, ASH_IO, code, "cannot %s: %s", what, strerror(reason));
    if (diagnostic != NULL)
        snprintf(diagnostic->file, sizeof diagnostic->file, "%s", path);
    return ASH_IO;
}

static ash_status fail_to_write(ash_diagnostic *diagnostic, const char *path)
{
    return ashi_fail_system(diagnostic, "file.write", path, "write the file");
}

bool ashi_write_bytes(int file, const void *bytes, size_t size, size_t *written)
{
    size_t done = 0;
    bool whole = true;
    while (whole && done < size) {
        ssize_t count = write(file, (const char *)bytes + done, size - done);
        whole = count >= 0 || errno == EINTR;
        done += count > 0 ? (size_t)count : 0;
    }
    if (written != NULL)
        *written = done;
    return whole;
}

/* ---- directories ---- */

static ash_status make_one(const char *path, ash_diagnostic *diagnostic)
{
    struct stat about;
    if (stat(path, &about) == 0) {
        if (S_ISDIR(about.st_mode))
            return ASH_OK;
        errno = ENOTDIR;
    } else if (errno == ENOENT && (mkdir(path, 0777) == 0 || errno == EEXIST)) {
        return ASH_OK; /* another program may have made it in between */
    }
    return ashi_fail_system(diagnostic, "directory.make", path, "make the directory");
}

/* All directories whose names end before a slash. */
static ash_status make_above(char *path, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    for (char *slash = strchr(path, '/'); status == ASH_OK && slash != NULL; slash = strchr(slash + 1, '/')) {
        if (slash == path || slash[-1] == '/')
            continue;
        *slash = 0;
        status = make_one(path, diagnostic);
        *slash = '/';
    }
    return status;
}

ash_status ashi_make_parents(const char *path, ash_diagnostic *diagnostic)
{
    char *copy = ashi_copy_text(path);
    ash_status status = copy != NULL ? make_above(copy, diagnostic) : ashi_out_of_memory(diagnostic);
    ashi_dealloc(copy);
    return status;
}

ash_status ashi_make_directory(const char *path, ash_diagnostic *diagnostic)
{
    ash_status status = ashi_make_parents(path, diagnostic);
    return status == ASH_OK ? make_one(path, diagnostic) : status;
}

/* The length of the path up to its last slash, that included. */
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* "DIRECTORY/NAME" in the directory of `path`. Null when memory ran out. */
static char *path_beside(const char *path, const char *name)
{
    size_t length = directory_length(path), size = length + strlen(name) + 1;
    char *beside = ashi_alloc(size);
    if (beside != NULL)
        snprintf(beside, size, "%.*s%s", (int)length, path, name);
    return beside;
}

void ashi_sync_directory_of(const char *path)
{
    char directory[PATH_LONGEST];
    size_t length = directory_length(path);
    if (length > sizeof directory - sizeof ".")
        return;
    snprintf(directory, sizeof directory, "%.*s.", (int)length, path);
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
}

/* ---- temporary files ---- */

/* Signals whose default action ends the program, without those that come from its own faults. */
static void hold_signals(sigset_t *old)
{
    static const int numbers[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,   SIGALRM,
                                  SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF};
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&held, numbers[i]);
    pthread_sigmask(SIG_BLOCK, &held, old);
}

/* Opens a new file beside `path`. Negative with errno; otherwise its name is the caller's to free. */
static int open_temporary(const char *path, mode_t mode, char **temporary)
{
    for (int i = 0; i < NAMES_TRIED; i++) {
        char name[64];
        snprintf(name, sizeof name, ".ashlar-%ld-%d", (long)getpid(), i);
        *temporary = path_beside(path, name);
        errno = ENOMEM;
        int file = *temporary != NULL ? open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) : -1;
        if (file >= 0)
            return file;
        int reason = errno;
        ashi_dealloc(*temporary);
        errno = reason;
        if (reason != EEXIST)
            break;
    }
    *temporary = NULL;
    return -1;
}

ash_status ashi_reserve_space(const char *path, size_t size, int *reserve, ash_diagnostic *diagnostic)
{
    sigset_t signals;
    char *temporary;
    hold_signals(&signals);
    *reserve = open_temporary(path, 0600, &temporary);
    int reason = *reserve < 0 ? errno : 0;
    if (*reserve >= 0) {
        unlink(temporary);
        reason = posix_fallocate(*reserve, 0, (off_t)size);
    }
    pthread_sigmask(SIG_SETMASK, &signals, NULL);
    ashi_dealloc(temporary);
    if (reason != 0 && *reserve >= 0) {
        close(*reserve);
        *reserve = -1;
    }
    if (reason != ENOSPC && reason != EDQUOT && reason != ENOMEM)
        return ASH_OK;
    errno = reason;
    return fail_to_write(diagnostic, path);
}

/* ---- whole files ---- */

/* Our own open descriptor that the path names, or -1. If it were opened again, a regular file would be overwritten from
 * its start. */
static int descriptor_named(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0 && path[length] >= '0' && path[length] <= '9')
            return atoi(path + length);
    }
    return -1;
}

/* The file that symbolic links lead to, whether it exists or not, or the name of one of our descriptors. Null with
 * errno. */
static char *follow_links(const char *path)
{
    char link[PATH_LONGEST], *at = ashi_copy_text(path);
    errno = ENOMEM;
    for (int i = 0; at != NULL; i++) {
        ssize_t length = descriptor_named(at) < 0 ? readlink(at, link, sizeof link - 1) : -1;
        if (length < 0)
            return at;
        link[length] = 0;
        char *next = link[0] == '/' ? ashi_copy_text(link) : path_beside(at, link);
        ashi_dealloc(at);
        at = next;
        errno = ENOMEM;
        if (i == LINKS_MOST) {
            ashi_dealloc(at);
            at = NULL;
            errno = ELOOP;
        }
    }
    return NULL;
}

/* Owner and mode of the old file. Owners can be kept by root only; a foreign file system may have no modes. */
static void take_over_mode(int file, const struct stat *old)
{
    struct stat new;
    bool same_owner = fstat(file, &new) == 0 && ((new.st_uid == old->st_uid &&new.st_gid == old->st_gid) ||
                                                 fchown(file, old->st_uid, old->st_gid) == 0);
    if (fchmod(file, old->st_mode & (same_owner ? 07777 : 0777)) != 0)
        return;
}

static bool sync_file(int file)
{
    return fsync(file) == 0 || errno == EINVAL; /* EINVAL: the file system cannot */
}

/* Writes the temporary file and closes it. False with errno. */
static bool fill(int file, const void *bytes, size_t size, const struct stat *old)
{
    bool written = ashi_write_bytes(file, bytes, size, NULL);
    if (written && old != NULL)
        take_over_mode(file, old);
    written = written && sync_file(file);
    int reason = errno;
    bool closed = close(file) == 0;
    if (!written)
        errno = reason;
    return written && closed;
}

/* Replaces or makes a regular file, which `path` leads to. `old` is null when there is none. */
static ash_status replace(const char *path, const char *target, const struct stat *old, const void *bytes, size_t size,
                          ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    sigset_t signals;
    char *temporary = NULL;
    hold_signals(&signals);
    int file = open_temporary(target, old != NULL ? 0600 : 0666, &temporary);
    if (file < 0) {
        status = ashi_fail_system(diagnostic, "file.write", path, "write a temporary file beside it");
    } else if (!fill(file, bytes, size, old) || rename(temporary, target) != 0) {
        status = fail_to_write(diagnostic, path);
        unlink(temporary);
    } else {
        ashi_sync_directory_of(target);
    }
    pthread_sigmask(SIG_SETMASK, &signals, NULL);
    ashi_dealloc(temporary);
    return status;
}

/* Writes to a device or a pipe, and closes it. */
static ash_status write_directly(int file, const char *path, const void *bytes, size_t size, ash_diagnostic *diagnostic)
{
    bool written = ashi_write_bytes(file, bytes, size, NULL);
    ash_status status = written ? ASH_OK : fail_to_write(diagnostic, path);
    if (close(file) != 0 && written)
        status = fail_to_write(diagnostic, path);
    return status;
}

static ash_status write_to(const char *path, const char *target, const void *bytes, size_t size,
                           ash_diagnostic *diagnostic)
{
    struct stat old;
    int descriptor = descriptor_named(target);
    /* Opened without truncation, to find out whether it may be written, and what it is. */
    int file = descriptor >= 0 ? dup(descriptor) : open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ? replace(path, target, NULL, bytes, size, diagnostic) : fail_to_write(diagnostic, path);
    bool known = fstat(file, &old) == 0;
    if (descriptor >= 0 || (known && !S_ISREG(old.st_mode)))
        return write_directly(file, path, bytes, size, diagnostic);
    ash_status status = known ? ASH_OK : fail_to_write(diagnostic, path);
    close(file);
    return status == ASH_OK ? replace(path, target, &old, bytes, size, diagnostic) : status;
}

ash_status ashi_write_file(const char *path, const void *bytes, size_t size, ash_diagnostic *diagnostic)
{
    ash_status status = ashi_make_parents(path, diagnostic);
    if (status != ASH_OK)
        return status;
    char *target = follow_links(path);
    status = target != NULL ? write_to(path, target, bytes, size, diagnostic) : fail_to_write(diagnostic, path);
    ashi_dealloc(target);
    return status;
}
