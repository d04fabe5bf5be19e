/* Files that commands write. */
#define _POSIX_C_SOURCE 200809L
#include "app/cli/file.h"

#include <stdlib.h>

#include "app/cli/command.h"
#include "app/cli/message.h"
#include "scene/file/output_file.h"

int cli_write_file(const char *path, const void *bytes, size_t size)
{
    ash_diagnostic diagnostic = {0};
    return ashi_write_file(path, bytes, size, &diagnostic) == ASH_OK ? CLI_DONE : cli_report(&diagnostic);
}

int cli_write_drawing(const char *path, bool (*draw)(FILE *stream, const void *user), const void *user)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    bool drawn = stream != NULL && draw(stream, user);
    drawn = stream != NULL && fclose(stream) == 0 && drawn;
    int status = CLI_BAD_INPUT;
    if (drawn)
        status = cli_write_file(path, bytes, size);
    else
        cli_error("out of memory");
    free(bytes);
    return status;
}

int cli_prepare_file(const char *path)
{
    ash_diagnostic diagnostic = {0};
    return path == NULL || ashi_make_parents(path, &diagnostic) == ASH_OK ? CLI_DONE : cli_report(&diagnostic);
}
