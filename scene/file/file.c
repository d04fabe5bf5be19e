/* Whole files in memory; what cannot be read is said with the file's name. */
#define _POSIX_C_SOURCE 200809L
#include "scene/file/file.h"

#include "base/alloc.h"
#include "base/diagnostic.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_FILE = 1 << 30 };

static ash_status file_failure(ash_diagnostic *diagnostic, const char *path, ash_status status, const char *code,
                               const char *reason)
{
    ashi_fail(diagnostic, status, code, "cannot be read: %s", reason);
    if (diagnostic != NULL)
        snprintf(diagnostic->file, sizeof diagnostic->file, "%s", path);
    return status;
}

static ash_status read_error(ash_diagnostic *diagnostic, const char *path, int error)
{
    if (error == ENOENT || error == ENOTDIR)
        return file_failure(diagnostic, path, ASH_NOT_FOUND, "file.missing", "there is no such file");
    if (error == EISDIR)
        return file_failure(diagnostic, path, ASH_IO, "file.directory", "it is a directory");
    return file_failure(diagnostic, path, ASH_IO, "file.unreadable", strerror(error));
}

/* Reads to the end in growing pieces: the size of a pipe is not known before. */
static ash_status read_stream(FILE *file, const char *path, size_t expected, char **text, size_t *size,
                              ash_diagnostic *diagnostic)
{
    size_t capacity = expected + 1, used = 0;
    char *buffer = ashi_alloc(capacity);
    while (buffer != NULL) {
        size_t count = fread(buffer + used, 1, capacity - used, file);
        used += count;
        if (used < capacity)
            break;
        if (capacity > LARGEST_FILE) {
            ashi_dealloc(buffer);
            return file_failure(diagnostic, path, ASH_BAD_DATA, "file.too-large", "it is larger than 1 GiB");
        }
        capacity = 2 * capacity + 4096;
        char *larger = ashi_realloc(buffer, capacity);
        if (larger == NULL)
            ashi_dealloc(buffer);
        buffer = larger;
    }
    if (buffer == NULL)
        return ashi_out_of_memory(diagnostic);
    if (ferror(file)) {
        int error = errno;
        ashi_dealloc(buffer);
        return read_error(diagnostic, path, error);
    }
    *text = buffer;
    *size = used;
    return ASH_OK;
}

ash_status ashi_read_file(const char *path, char **text, size_t *size, ash_diagnostic *diagnostic)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return read_error(diagnostic, path, errno);
    struct stat about;
    ash_status status;
    if (fstat(fileno(file), &about) != 0)
        status = read_error(diagnostic, path, errno);
    else if (S_ISDIR(about.st_mode))
        status = read_error(diagnostic, path, EISDIR);
    else if (about.st_size > LARGEST_FILE)
        status = file_failure(diagnostic, path, ASH_BAD_DATA, "file.too-large", "it is larger than 1 GiB");
    else
        status = read_stream(file, path, about.st_size > 0 ? (size_t)about.st_size : 0, text, size, diagnostic);
    fclose(file);
    return status;
}

bool ashi_file_exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}
