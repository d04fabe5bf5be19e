/* Files that commands write. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes the file, whole or not at all; missing directories are made. A failure is reported. Returns CLI_DONE or
 * CLI_BAD_INPUT. */
int cli_write_file(const char *path, const void *bytes, size_t size);

/* The same with what `draw` puts on the stream. False of `draw` means that memory ran out. */
int cli_write_drawing(const char *path, bool (*draw)(FILE *stream, const void *user), const void *user);

/* Makes the directories of an output that comes at the end of long work, so that trouble shows before it. Null: none.
 */
int cli_prepare_file(const char *path);

#endif
