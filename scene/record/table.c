/* Tables in HDF5, made in memory and then written as one file, so that nobody reads half of one. */
#include "scene/record/table.h"

#include "scene/record/hdf5_session.h"
#include "scene/record/record_layout.h"

#include "base/alloc.h"
#include "base/diagnostic.h"

#include <stdio.h>
#include <string.h>

/* The texts of a column, side by side, each filled up with zeros; *size: of one. */
static char *pack(const char *const *texts, uint32_t rows, size_t *size)
{
    *size = 1;
    for (uint32_t i = 0; i < rows; i++)
        *size = strlen(texts[i]) > *size ? strlen(texts[i]) : *size;
    char *packed = ashi_alloc_array(rows, *size);
    for (uint32_t i = 0; packed != NULL && i < rows; i++) {
        size_t length = strlen(texts[i]);
        memcpy(packed + i * *size, texts[i], length);
        memset(packed + i * *size + length, 0, *size - length);
    }
    return packed;
}

static bool write_column(hid_t group, const char *name, const ashi_table_column *column, uint32_t rows)
{
    hsize_t shape[2] = {column->rows > 0 ? column->rows : rows, column->width};
    size_t size = sizeof(double);
    char *packed = column->texts != NULL ? pack(column->texts, (uint32_t)shape[0], &size) : NULL;
    hid_t type = column->texts != NULL ? ashi_hdf5_text_type(size)
                                       : H5Tcopy(column->wholes != NULL ? H5T_STD_I32LE : H5T_IEEE_F64LE);
    hid_t space = H5Screate_simple(column->width > 1 ? 2 : 1, shape, NULL);
    hid_t plain = ashi_hdf5_plain(H5P_DATASET_CREATE);
    hid_t set = type >= 0 && space >= 0 && plain >= 0
                    ? H5Dcreate2(group, name, type, space, H5P_DEFAULT, plain, H5P_DEFAULT)
                    : -1;
    const void *values = packed != NULL           ? (const void *)packed
                         : column->wholes != NULL ? (const void *)column->wholes
                                                  : column->numbers;
    hid_t memory = packed != NULL ? type : column->wholes != NULL ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE;
    bool done = set >= 0 && values != NULL && H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 &&
                ashi_hdf5_write_text(set, "unit", column->unit) && ashi_hdf5_write_text(set, "name", column->name);
    if (set >= 0)
        H5Dclose(set);
    if (plain >= 0)
        H5Pclose(plain);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    ashi_dealloc(packed);
    return done;
}

static bool add_column(hid_t file, const ashi_table_column *column, uint32_t rows)
{
    char *name = ashi_record_dataset_name(column->name), *other = NULL;
    bool there = H5Lexists(file, column->group, H5P_DEFAULT) > 0;
    hid_t plain = ashi_hdf5_plain(H5P_GROUP_CREATE);
    hid_t group = there ? H5Gopen2(file, column->group, H5P_DEFAULT)
                        : H5Gcreate2(file, column->group, H5P_DEFAULT, plain, H5P_DEFAULT);
    bool done = name != NULL && group >= 0;
    if (done && H5Lexists(group, name, H5P_DEFAULT) > 0) {
        size_t size = strlen(name) + 16;
        other = ashi_alloc(size);
        done = other != NULL;
        for (int i = 2; done; i++) {
            snprintf(other, size, "%s (%d)", name, i);
            if (H5Lexists(group, other, H5P_DEFAULT) <= 0)
                break;
        }
    }
    done = done && write_column(group, other != NULL ? other : name, column, rows);
    if (group >= 0)
        H5Gclose(group);
    if (plain >= 0)
        H5Pclose(plain);
    ashi_dealloc(name);
    ashi_dealloc(other);
    return done;
}

typedef struct whole_table {
    const ashi_table_column *columns;
    uint32_t column_count, rows;
    const char *title;
} whole_table;

static bool fill(hid_t file, const void *user)
{
    const whole_table *table = user;
    bool done = ashi_hdf5_write_text(file, "title", table->title);
    for (uint32_t i = 0; done && i < table->column_count; i++)
        done = add_column(file, &table->columns[i], table->rows);
    return done;
}

ash_status ashi_write_table(const char *path, const ashi_table_column *columns, uint32_t column_count, uint32_t rows,
                            const char *title, ash_diagnostic *diagnostic)
{
    whole_table table = {columns, column_count, rows, title};
    return ashi_hdf5_write_file(path, fill, &table, diagnostic);
}
