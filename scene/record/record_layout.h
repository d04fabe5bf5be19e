/* The objects inside a recording: one column for each quantity that has a value at every sample. */
#ifndef ASHI_SCENE_RECORD_LAYOUT_H
#define ASHI_SCENE_RECORD_LAYOUT_H

#include "scene/record/hdf5_session.h"
#include "scene/record/record.h"

#define ASHI_RECORD_BODY_COLUMNS   4u /* position, rotation, velocity, angular velocity: the first ones, if any body */
#define ASHI_RECORD_REPORT_COLUMNS 14u
#define ASHI_RECORD_REPORT_FIRST   4u /* of them; recordings made before the others were thought of have only these */

/* A data set that grows by rows. */
typedef struct ashi_column {
    hid_t dataset;
    int rank;         /* 1, or 3: row, body, component */
    hsize_t shape[3]; /* of one row; the first is 1 */
    size_t width;     /* numbers in a row */
    size_t chunk_bytes;
    double *buffer; /* rows not yet written */
} ashi_column;

/* What is recorded of a point of contact; the columns of /contacts have a row for each point. */
enum {
    ASHI_RECORD_CONTACT_BODIES,
    ASHI_RECORD_CONTACT_POINT,
    ASHI_RECORD_CONTACT_NORMAL,
    ASHI_RECORD_CONTACT_FORCE,
    ASHI_RECORD_CONTACT_DEPTH,
    ASHI_RECORD_CONTACT_COLUMNS
};

/* Bodies (if any), outputs, ledger, report, joints (if asked for), the number of points of contact (the same), time: in
 * this order. */
typedef struct ashi_record_layout {
    ASHI_ARRAY(ashi_column) columns;
    uint32_t bodies, outputs, joints; /* joints: 0 when they are not recorded */
    bool contacts;
    ashi_column points[ASHI_RECORD_CONTACT_COLUMNS]; /* their buffers are the recorder's */
} ashi_record_layout;

/* Fills an empty file. False when the library refused, or memory ran out (then `out_of_memory` is set). Close it either
 * way. */
bool ashi_record_layout_create(ashi_record_layout *layout, hid_t file, const ash_scene *scene,
                               const ashi_recording_facts *facts, const char *method_text, bool *out_of_memory);
void ashi_record_layout_close(ashi_record_layout *layout);

/* Of the data sets in /report, in their order. */
const char *ashi_record_report_name(uint32_t column);

/* The name of an output's data set: '/' (which separates groups), '%' and a leading '.' are written as %2F, %25, %2E.
 * The caller frees it; null when memory ran out. */
char *ashi_record_dataset_name(const char *output);

#endif
