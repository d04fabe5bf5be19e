/* A recording holds its data itself. HDF5 would also follow links to other files, read raw data from them, and load
 * filters from the disk: a recording from elsewhere could then show what its reader may read and its maker may not. A
 * run writes nothing of the kind, so a file with any of it is refused before its data are looked at.
 *
 * Data sets are in the root or in a group of it. Links are not followed any deeper: such objects are never read, and
 * links of a damaged file may form a circle. */
#define _XOPEN_SOURCE 700
#include "scene/record/recording_file.h"

#include "base/diagnostic.h"

#include <stdio.h>
#include <string.h>

/* Where in the file the look around is. */
typedef struct place {
    const ashi_recording_file *recording;
    const char *group; /* "" or "/name" */
    ash_status status;
} place;

static ash_status refuse(place *where, const char *name, const char *what)
{
    ash_diagnostic *diagnostic = where->recording->diagnostic;
    H5Eclear2(H5E_DEFAULT);
    ashi_fail(diagnostic, ASH_BAD_DATA, "recording.outside", "the recording depends on something outside of it: %s",
              what);
    ashi_expect(diagnostic, "a recording that contains all of its data");
    if (diagnostic != NULL) {
        snprintf(diagnostic->path, sizeof diagnostic->path, "%s/%s", where->group, name);
        snprintf(diagnostic->file, sizeof diagnostic->file, "%s", where->recording->path);
    }
    return ASH_BAD_DATA;
}

static bool has_foreign_filter(hid_t properties)
{
    int count = H5Pget_nfilters(properties);
    for (int i = 0; i < count; i++) {
        unsigned flags, configuration;
        size_t values = 0;
        H5Z_filter_t filter = H5Pget_filter2(properties, (unsigned)i, &flags, &values, NULL, 0, NULL, &configuration);
        if (filter < 0 || filter >= H5Z_FILTER_RESERVED)
            return true;
    }
    return count < 0;
}

static ash_status check_dataset(place *where, hid_t dataset, const char *name)
{
    hid_t properties = H5Dget_create_plist(dataset);
    ash_status status = ASH_OK;
    if (properties < 0)
        return ashi_recording_damaged(where->recording, name, "the data set cannot be read");
    /* The count of external files is not asked of other layouts. */
    H5D_layout_t layout = H5Pget_layout(properties);
    if (layout == H5D_VIRTUAL)
        status = refuse(where, name, "a virtual data set");
    else if (layout == H5D_CONTIGUOUS && H5Pget_external_count(properties) != 0)
        status = refuse(where, name, "external storage");
    else if (layout == H5D_CHUNKED && has_foreign_filter(properties))
        status = refuse(where, name, "a filter that is not part of HDF5");
    H5Pclose(properties);
    return status;
}

static ash_status check_links(place *where, hid_t group);

static ash_status check_object(place *where, hid_t object, const char *name)
{
    char path[256];
    if (H5Iget_type(object) == H5I_DATASET)
        return check_dataset(where, object, name);
    if (H5Iget_type(object) != H5I_GROUP || where->group[0] != 0)
        return ASH_OK;
    snprintf(path, sizeof path, "/%s", name);
    return check_links(&(place){where->recording, path, ASH_OK}, object);
}

static herr_t check_link(hid_t group, const char *name, const H5L_info_t *link, void *user)
{
    place *where = user;
    if (link->type == H5L_TYPE_HARD) {
        hid_t object = H5Oopen(group, name, H5P_DEFAULT);
        where->status = object >= 0 ? check_object(where, object, name)
                                    : ashi_recording_damaged(where->recording, name, "the object cannot be opened");
        if (object >= 0)
            H5Oclose(object);
    } else {
        where->status = refuse(where, name,
                               link->type == H5L_TYPE_EXTERNAL ? "an external link"
                               : link->type == H5L_TYPE_SOFT   ? "a soft link"
                                                               : "a link of an unknown kind");
    }
    return where->status == ASH_OK ? 0 : 1;
}

static ash_status check_links(place *where, hid_t group)
{
    if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, check_link, where) < 0)
        return ashi_recording_damaged(where->recording, where->group, "its links cannot be read");
    return where->status;
}

ash_status ashi_recording_check_contents(const ashi_recording_file *recording)
{
    place root = {recording, "", ASH_OK};
    return check_links(&root, recording->file);
}
