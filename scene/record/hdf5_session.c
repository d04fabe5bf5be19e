/* HDF5 as Debian builds it is not safe to call from two threads, so a lock lets one recording in at a time. Its error
 * stack is printed by default; a library must not print, so while we are inside the reason is kept instead. It must be
 * kept when the call fails: the next call into the library, to release something say, clears the stack. */
#define _XOPEN_SOURCE 700
#include "scene/record/hdf5_session.h"

#include "base/diagnostic.h"
#include "scene/record/record.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;
static char reason[512]; /* why the last call failed; empty: none has */
static bool from_system; /* the reason is the operating system's */

/* The system's error is inside the description: "file write failed: ..., errno = 28, error message = ...". */
static int system_error(const char *description)
{
    static const char mark[] = "errno = ";
    const char *found = strstr(description, mark);
    return found != NULL ? atoi(found + strlen(mark)) : 0;
}

/* Keeps the innermost failure: the walk goes inwards and ends there. */
static herr_t keep_innermost(unsigned depth, const H5E_error2_t *error, void *unused)
{
    (void)depth;
    (void)unused;
    if (error->desc == NULL || error->desc[0] == 0 || from_system)
        return 0;
    int number = system_error(error->desc);
    from_system = number != 0;
    snprintf(reason, sizeof reason, "%s", from_system ? strerror(number) : error->desc);
    return 0;
}

/* Called by the library when a call of ours has failed. What the system said stays the reason of failures after it. */
static herr_t keep_reason(hid_t stack, void *unused)
{
    return H5Ewalk2(stack, H5E_WALK_DOWNWARD, keep_innermost, unused);
}

static void forget_reason(void)
{
    reason[0] = 0;
    from_system = false;
}

void ashi_hdf5_enter(ashi_hdf5_session *session)
{
    pthread_mutex_lock(&library);
    *session = (ashi_hdf5_session){0};
    H5Eget_auto2(H5E_DEFAULT, &session->print, &session->print_data);
    H5Eset_auto2(H5E_DEFAULT, keep_reason, NULL);
    forget_reason();
}

void ashi_hdf5_leave(const ashi_hdf5_session *session)
{
    H5Eset_auto2(H5E_DEFAULT, session->print, session->print_data);
    pthread_mutex_unlock(&library);
}

void ashi_recording_skip_farewell(void)
{
    H5dont_atexit();
}

ash_status ashi_hdf5_fail(ash_diagnostic *diagnostic, const char *path, const char *what)
{
    ashi_fail(diagnostic, ASH_IO, "recording.io", "cannot %s: %s", what,
              reason[0] != 0 ? reason : "HDF5 gives no reason");
    forget_reason();
    if (diagnostic != NULL)
        snprintf(diagnostic->file, sizeof diagnostic->file, "%s", path);
    return ASH_IO;
}

hid_t ashi_hdf5_text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0)
        return type;
    /* Padded with zeros rather than ended by one, so that a text may fill its length. */
    if (H5Tset_size(type, size > 0 ? size : 1) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
        H5Tset_cset(type, H5T_CSET_UTF8) < 0) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static bool write_attribute(hid_t place, const char *name, hid_t file_type, hid_t memory_type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(place, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    if (space >= 0)
        H5Sclose(space);
    return done;
}

bool ashi_hdf5_write_text(hid_t place, const char *name, const char *text)
{
    hid_t type = ashi_hdf5_text_type(strlen(text));
    bool done = type >= 0 && write_attribute(place, name, type, type, text);
    if (type >= 0)
        H5Tclose(type);
    return done;
}

bool ashi_hdf5_write_number(hid_t place, const char *name, hid_t file_type, double value)
{
    return write_attribute(place, name, file_type, H5T_NATIVE_DOUBLE, &value);
}
