/* Whole files in memory. */
#ifndef ASHI_SCENE_FILE_H
#define ASHI_SCENE_FILE_H

#include "ashlar/base.h"

/* Reads the file, of at most 1 GiB; pipes too. The text is released by ashi_dealloc. */
ash_status ashi_read_file(const char *path, char **text, size_t *size, ash_diagnostic *diagnostic);
/* True when there is a file, or a directory, of this name. */
bool ashi_file_exists(const char *path);

#endif
