/* Files in HDF5 that are made in memory and then written as one, so that no reader sees an incomplete one. */
#include "base/alloc.h"
#include "scene/file/output_file.h"
#include "scene/record/hdf5_session.h"

hid_t ashi_hdf5_plain(hid_t kind)
{
    hid_t properties = H5Pcreate(kind);
    if (properties >= 0)
        H5Pset_obj_track_times(properties, false);
    return properties;
}

/* The file as bytes, of ashi_alloc; null after a failure. */
static void *make_image(const char *path, bool (*fill)(hid_t file, const void *user), const void *user, size_t *size,
                        ash_diagnostic *diagnostic)
{
    ashi_hdf5_session session;
    void *image = NULL;
    ashi_hdf5_enter(&session);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = access >= 0 && H5Pset_fapl_core(access, 1 << 20, false) >= 0
                     ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                     : -1;
    bool done = file >= 0 && fill(file, user) && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
    ssize_t length = done ? H5Fget_file_image(file, NULL, 0) : -1;
    image = length > 0 ? ashi_alloc((size_t)length) : NULL;
    if (image != NULL && H5Fget_file_image(file, image, (size_t)length) != length) {
        ashi_dealloc(image);
        image = NULL;
    }
    *size = length > 0 ? (size_t)length : 0;
    if (image == NULL)
        ashi_hdf5_fail(diagnostic, path, "make the table");
    if (file >= 0)
        H5Fclose(file);
    if (access >= 0)
        H5Pclose(access);
    ashi_hdf5_leave(&session);
    return image;
}

ash_status ashi_hdf5_write_file(const char *path, bool (*fill)(hid_t file, const void *user), const void *user,
                                ash_diagnostic *diagnostic)
{
    size_t size;
    void *image = make_image(path, fill, user, &size, diagnostic);
    if (image == NULL)
        return ASH_IO;
    ash_status status = ashi_write_file(path, image, size, diagnostic);
    ashi_dealloc(image);
    return status;
}
