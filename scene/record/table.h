/* Tables of finished work, in HDF5: a data set a column, in groups. */
#ifndef ASHI_SCENE_TABLE_H
#define ASHI_SCENE_TABLE_H

#include "ashlar/base.h"

typedef struct ashi_table_column {
    const char *group, *name, *unit;
    const double *numbers;    /* of each row; or */
    const int32_t *wholes;    /* of each row; or */
    const char *const *texts; /* of each row */
    uint32_t rows, width;     /* 0: as many rows as the table, and one number a row */
} ashi_table_column;

/* Writes the file, whole or not at all. Of two columns with one name in a group the second gets another. */
ash_status ashi_write_table(const char *path, const ashi_table_column *columns, uint32_t column_count, uint32_t rows,
                            const char *title, ash_diagnostic *diagnostic);

#endif
