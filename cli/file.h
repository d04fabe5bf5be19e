/* Files that commands write. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include <stddef.h>

/* Writes the whole text; a failure is told with the command's name. Returns CLI_DONE or CLI_BAD_INPUT. */
int cli_write_file(const char *command, const char *path, const char *text, size_t size);

#endif
