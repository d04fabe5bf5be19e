/* Files that commands write. */
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "message.h"

int cli_write_file(const char *command, const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    bool written = file != NULL && fwrite(text, 1, size, file) == size;
    int reason = errno;
    if (file != NULL && fclose(file) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (!written)
        cli_error("%s: cannot write %s: %s", command, path, strerror(reason));
    return written ? CLI_DONE : CLI_BAD_INPUT;
}
