/* Borrowing the HDF5 library: one caller at a time, silent, and leaving its error printing as the host had it. */
#ifndef ASHI_SCENE_HDF5_SESSION_H
#define ASHI_SCENE_HDF5_SESSION_H

#include "ashlar/base.h"

#include <hdf5.h>

typedef struct ashi_hdf5_session {
    H5E_auto2_t print;
    void *print_data;
} ashi_hdf5_session;

/* Between these two, and only there, the library is called. They do not nest. */
void ashi_hdf5_enter(ashi_hdf5_session *session);
void ashi_hdf5_leave(const ashi_hdf5_session *session);

/* A diagnostic for the last failed call on file `path`: "cannot <what> <path>: <reason>". Inside a session. */
ash_status ashi_hdf5_fail(ash_diagnostic *diagnostic, const char *path, const char *what);

/* Text attributes and datasets of fixed length, UTF-8. */
bool ashi_hdf5_write_text(hid_t place, const char *attribute, const char *text);
bool ashi_hdf5_write_number(hid_t place, const char *attribute, hid_t file_type, double value);
hid_t ashi_hdf5_text_type(size_t size);

/* Properties of something new that does not note when it was made: the same content is the same bytes. */
hid_t ashi_hdf5_plain(hid_t kind);
/* Writes a file, whole or not at all: `fill`, within a session, puts its content into a file in memory, and returns
 * false where it cannot. Not inside a session. */
ash_status ashi_hdf5_write_file(const char *path, bool (*fill)(hid_t file, const void *user), const void *user,
                                ash_diagnostic *diagnostic);

#endif
