/* HDF5 as Debian builds it is not safe to call from two threads, so a lock lets one recording in at a time. Its error
 * stack is printed by default; a library must not print, so this is off while we are inside. */
#define _XOPEN_SOURCE 700
#include "scene/hdf5_session.h"

#include "base/diagnostic.h"
#include "scene/record.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

void ashi_hdf5_enter(ashi_hdf5_session *session)
{
    pthread_mutex_lock(&library);
    *session = (ashi_hdf5_session){0};
    H5Eget_auto2(H5E_DEFAULT, &session->print, &session->print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
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

/* Keeps the description of the innermost failure: the walk goes inwards and ends there. */
static herr_t keep_innermost(unsigned depth, const H5E_error2_t *error, void *text)
{
    (void)depth;
    if (error->desc != NULL && error->desc[0] != 0)
        snprintf(text, 512, "%s", error->desc);
    return 0;
}

ash_status ashi_hdf5_fail(ash_diagnostic *diagnostic, const char *path, const char *what)
{
    char text[512] = "unknown reason";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_innermost, text);
    H5Eclear2(H5E_DEFAULT);
    /* The system's own words are inside: "..., errno = 28, error message = 'No space left on device', ...". */
    char *reason = strstr(text, "error message = '"), *end = NULL;
    if (reason != NULL) {
        reason += strlen("error message = '");
        end = strchr(reason, '\'');
    }
    if (end != NULL)
        *end = 0;
    ashi_fail(diagnostic, ASH_IO, "recording.io", "cannot %s: %s", what, end != NULL ? reason : text);
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
