/* Tables as comma-separated values (RFC 4180), written during a run. */
#ifndef ASHI_SCENE_CSV_H
#define ASHI_SCENE_CSV_H

#include "ashlar/base.h"

typedef struct ashi_csv ashi_csv;

/* When a table is written. During the run: an old file is replaced at once, and rows can be read while others follow.
 * When closed: an old file is replaced by a complete table or not at all. */
typedef enum ashi_csv_way { ASHI_CSV_ALONG, ASHI_CSV_WHEN_CLOSED } ashi_csv_way;
ash_status ashi_csv_open(const char *path, ashi_csv_way way, ashi_csv **csv, ash_diagnostic *diagnostic);

/* Fields of the present row. Errors are reported at the end of the row. */
/* A column's heading: "name [unit]", or "name" where the unit is empty. */
void ashi_csv_heading(ashi_csv *csv, const char *name, const char *unit);
void ashi_csv_number(ashi_csv *csv, double value);
/* During a run, only complete rows reach the file: the first at once, the others at least once per second of wall time
 * while rows come. A file that cannot be extended, on a full disk for example, is cut after its last complete row. */
ash_status ashi_csv_end_row(ashi_csv *csv, ash_diagnostic *diagnostic);

/* Writes what is left, syncs it to the disk and releases the table, also on failure. Null is ignored. */
ash_status ashi_csv_close(ashi_csv *csv, ash_diagnostic *diagnostic);

#endif
