/* https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html, "VTKHDF", version 2.0. The group VTKHDF is one
 * part, an unstructured grid. The triangles are stored once, the points once per frame; /VTKHDF/Steps gives for each
 * frame the start of its points, and 0 as the start of its cells. */
#include "scene/record/vtkhdf.h"

#include "base/alloc.h"
#include "scene/record/hdf5_session.h"

#include <string.h>

enum { TRIANGLE = 5, PARTS = 1 };

/* A data set of one number a row, or of `width` in each. */
static bool put(hid_t place, const char *name, hid_t type, hid_t memory, hsize_t rows, hsize_t width,
                const void *values)
{
    hsize_t shape[2] = {rows, width};
    hid_t space = H5Screate_simple(width > 0 ? 2 : 1, shape, NULL), plain = ashi_hdf5_plain(H5P_DATASET_CREATE);
    hid_t set = space >= 0 && plain >= 0 ? H5Dcreate2(place, name, type, space, H5P_DEFAULT, plain, H5P_DEFAULT) : -1;
    bool done = set >= 0 && (values == NULL || H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (set >= 0)
        H5Dclose(set);
    if (plain >= 0)
        H5Pclose(plain);
    if (space >= 0)
        H5Sclose(space);
    return done;
}

/* Whole numbers 0, by, 2 by, ... */
static bool put_range(hid_t place, const char *name, uint32_t rows, hsize_t width, int64_t by)
{
    int64_t *values = ashi_alloc_array(rows, sizeof *values);
    for (uint32_t i = 0; values != NULL && i < rows; i++)
        values[i] = by * i;
    bool done = values != NULL && put(place, name, H5T_STD_I64LE, H5T_NATIVE_INT64, rows, width, values);
    ashi_dealloc(values);
    return done;
}

static bool put_one(hid_t place, const char *name, int64_t value)
{
    return put(place, name, H5T_STD_I64LE, H5T_NATIVE_INT64, 1, 0, &value);
}

static bool put_attribute(hid_t place, const char *name, hid_t type, hid_t memory, hsize_t count, const void *value)
{
    hid_t space = count > 0 ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    hid_t attribute = space >= 0 ? H5Acreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    bool done = attribute >= 0 && H5Awrite(attribute, memory, value) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    if (space >= 0)
        H5Sclose(space);
    return done;
}

/* Readers want the kind as ASCII of its own length. */
static bool put_kind(hid_t root)
{
    static const int64_t version[2] = {2, 0};
    static const char kind[] = "UnstructuredGrid";
    hid_t type = H5Tcopy(H5T_C_S1);
    bool done = type >= 0 && H5Tset_size(type, sizeof kind - 1) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                put_attribute(root, "Version", H5T_STD_I64LE, H5T_NATIVE_INT64, 2, version) &&
                put_attribute(root, "Type", type, type, 0, kind);
    if (type >= 0)
        H5Tclose(type);
    return done;
}

static bool put_cells(hid_t root, const ashi_vtkhdf *grid)
{
    uint8_t *types = ashi_alloc_array(grid->triangles, sizeof *types);
    if (types == NULL)
        return false;
    memset(types, TRIANGLE, grid->triangles);
    bool done = put(root, "Types", H5T_STD_U8LE, H5T_NATIVE_UINT8, grid->triangles, 0, types);
    ashi_dealloc(types);
    return done && put_range(root, "Offsets", grid->triangles + 1, 0, 3) &&
           put(root, "Connectivity", H5T_STD_I64LE, H5T_NATIVE_INT32, 3 * (hsize_t)grid->triangles, 0, grid->corners) &&
           put_one(root, "NumberOfPoints", grid->points) && put_one(root, "NumberOfCells", grid->triangles) &&
           put_one(root, "NumberOfConnectivityIds", 3 * (int64_t)grid->triangles);
}

/* Rows of a frame in a set of all frames. */
static bool put_frame(hid_t set, const ashi_vtkhdf *grid, uint32_t frame, const double *values)
{
    hsize_t first[2] = {(hsize_t)frame * grid->points, 0}, count[2] = {grid->points, 3};
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(2, count, NULL);
    bool done = space >= 0 && memory >= 0 &&
                H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
                H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    if (space >= 0)
        H5Sclose(space);
    return done;
}

static bool put_frames(hid_t root, hid_t data, const ashi_vtkhdf *grid)
{
    hsize_t rows = (hsize_t)grid->frames * grid->points;
    double *places = ashi_alloc_array(6 * (size_t)grid->points, sizeof *places);
    bool done = places != NULL && put(root, "Points", H5T_IEEE_F64LE, 0, rows, 3, NULL) &&
                put(data, "velocity", H5T_IEEE_F64LE, 0, rows, 3, NULL);
    hid_t points = done ? H5Dopen2(root, "Points", H5P_DEFAULT) : -1;
    hid_t velocity = done ? H5Dopen2(data, "velocity", H5P_DEFAULT) : -1;
    done = points >= 0 && velocity >= 0;
    for (uint32_t i = 0; done && i < grid->frames; i++) {
        double *speeds = places + 3 * (size_t)grid->points;
        grid->place(grid->user, i, places, speeds);
        done = put_frame(points, grid, i, places) && put_frame(velocity, grid, i, speeds);
    }
    if (points >= 0)
        H5Dclose(points);
    if (velocity >= 0)
        H5Dclose(velocity);
    ashi_dealloc(places);
    return done;
}

/* Writes the start of each frame's part, points, cells and data. */
static bool put_steps(hid_t steps, hid_t offsets, const ashi_vtkhdf *grid)
{
    int64_t count = grid->frames, *ones = ashi_alloc_array(grid->frames, sizeof *ones);
    for (uint32_t i = 0; ones != NULL && i < grid->frames; i++)
        ones[i] = PARTS;
    bool done = ones != NULL && put(steps, "NumberOfParts", H5T_STD_I64LE, H5T_NATIVE_INT64, grid->frames, 0, ones);
    ashi_dealloc(ones);
    return done && put_attribute(steps, "NSteps", H5T_STD_I64LE, H5T_NATIVE_INT64, 0, &count) &&
           put(steps, "Values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, grid->frames, 0, grid->times) &&
           put_range(steps, "PartOffsets", grid->frames, 0, 0) &&
           put_range(steps, "PointOffsets", grid->frames, 0, grid->points) &&
           put_range(steps, "CellOffsets", grid->frames, 1, 0) &&
           put_range(steps, "ConnectivityIdOffsets", grid->frames, 1, 0) &&
           put_range(offsets, "velocity", grid->frames, 0, grid->points) &&
           put_range(offsets, "body", grid->frames, 0, 0);
}

static hid_t make_group(hid_t place, const char *name)
{
    hid_t plain = ashi_hdf5_plain(H5P_GROUP_CREATE);
    hid_t group = place >= 0 && plain >= 0 ? H5Gcreate2(place, name, H5P_DEFAULT, plain, H5P_DEFAULT) : -1;
    if (plain >= 0)
        H5Pclose(plain);
    return group;
}

static bool fill(hid_t file, const void *user)
{
    const ashi_vtkhdf *grid = user;
    hid_t root = make_group(file, "VTKHDF"), data = make_group(root, "PointData");
    hid_t steps = make_group(root, "Steps"), offsets = make_group(steps, "PointDataOffsets");
    bool done = data >= 0 && offsets >= 0 && put_kind(root) && put_cells(root, grid) && put_frames(root, data, grid) &&
                put(data, "body", H5T_STD_I32LE, H5T_NATIVE_INT32, grid->points, 0, grid->bodies) &&
                put_steps(steps, offsets, grid);
    const hid_t groups[4] = {offsets, steps, data, root};
    for (int i = 0; i < 4; i++)
        if (groups[i] >= 0)
            H5Gclose(groups[i]);
    return done;
}

ash_status ashi_write_vtkhdf(const char *path, const ashi_vtkhdf *grid, ash_diagnostic *diagnostic)
{
    return ashi_hdf5_write_file(path, fill, grid, diagnostic);
}
