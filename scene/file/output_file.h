/* Writing files: completely or not at all; missing directories are created. */
#ifndef ASHI_SCENE_OUTPUT_FILE_H
#define ASHI_SCENE_OUTPUT_FILE_H

#include "ashlar/base.h"

/* Writes the file. On any failure, and when a signal ends the program, an existing file is unchanged and no other file
 * remains. Missing directories are made. Symbolic links are followed. The mode of an old file is kept. Devices, pipes
 * and /dev/stdout are written to directly. An old file that is write-protected is not replaced. */
ash_status ashi_write_file(const char *path, const void *bytes, size_t size, ash_diagnostic *diagnostic);

/* Makes the directory and all missing ones above it. The diagnostic names the one that could not be made. */
ash_status ashi_make_directory(const char *path, ash_diagnostic *diagnostic);
/* The same for the directory that `path` is in. */
ash_status ashi_make_parents(const char *path, ash_diagnostic *diagnostic);

/* Writes all bytes to the descriptor. False with errno; *written is then how many have been, null: not wanted. */
bool ashi_write_bytes(int file, const void *bytes, size_t size, size_t *written);

/* Makes a renamed or new file's name survive a power loss. File systems that cannot do so are ignored. */
void ashi_sync_directory_of(const char *path);

/* Sets disk space aside, in the directory of `path`, until the descriptor in *reserve is closed. No file is visible.
 * The descriptor is -1 if the file system does not support this; a full disk is a failure. */
ash_status ashi_reserve_space(const char *path, size_t size, int *reserve, ash_diagnostic *diagnostic);

/* "FILE: cannot WHAT: REASON", by errno. Returns ASH_IO. */
ash_status ashi_fail_system(ash_diagnostic *diagnostic, const char *code, const char *path, const char *what);

#endif
