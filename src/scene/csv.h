/* Tables as comma-separated values (RFC 4180), written along with a run. */
#ifndef ASHI_SCENE_CSV_H
#define ASHI_SCENE_CSV_H

#include "ashlar/base.h"

typedef struct ashi_csv ashi_csv;

/* Makes the file anew. */
ash_status ashi_csv_open(const char *path, ashi_csv **csv, ash_diagnostic *diagnostic);

/* Fields of the present row. Trouble shows when the row ends. */
/* A column's heading: "name [unit]", or "name" where the unit is empty. */
void ashi_csv_heading(ashi_csv *csv, const char *name, const char *unit);
void ashi_csv_number(ashi_csv *csv, double value);
/* Rows reach the file whole: the first at once, the others at least once a second of wall time while rows come. */
ash_status ashi_csv_end_row(ashi_csv *csv, ash_diagnostic *diagnostic);

/* Writes what is left and releases the table, also on failure. Null is ignored. */
ash_status ashi_csv_close(ashi_csv *csv, ash_diagnostic *diagnostic);

#endif
