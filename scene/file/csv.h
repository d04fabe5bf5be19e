/* Tables as comma-separated values (RFC 4180), written along with a run. */
#ifndef ASHI_SCENE_CSV_H
#define ASHI_SCENE_CSV_H

#include "ashlar/base.h"

typedef struct ashi_csv ashi_csv;

/* Begins the table. Written along, an old file is replaced at once, and rows can be read while others come; written
 * when it is closed, an old file is replaced by a whole table or stays as it is. */
typedef enum ashi_csv_way { ASHI_CSV_ALONG, ASHI_CSV_WHEN_CLOSED } ashi_csv_way;
ash_status ashi_csv_open(const char *path, ashi_csv_way way, ashi_csv **csv, ash_diagnostic *diagnostic);

/* Fields of the present row. Trouble shows when the row ends. */
/* A column's heading: "name [unit]", or "name" where the unit is empty. */
void ashi_csv_heading(ashi_csv *csv, const char *name, const char *unit);
void ashi_csv_number(ashi_csv *csv, double value);
/* Rows written along reach the file whole: the first at once, the others at least once a second of wall time while rows
 * come. A file that cannot be written any further, for a full disk say, is cut after its last whole row. */
ash_status ashi_csv_end_row(ashi_csv *csv, ash_diagnostic *diagnostic);

/* Writes what is left, syncs it to the disk and releases the table, also on failure. Null is ignored. */
ash_status ashi_csv_close(ashi_csv *csv, ash_diagnostic *diagnostic);

#endif
