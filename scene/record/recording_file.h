/* A recording as a file that is read: how it is opened, its facts, and its columns. All of it inside a session of HDF5.
 */
#ifndef ASHI_SCENE_RECORDING_FILE_H
#define ASHI_SCENE_RECORDING_FILE_H

#include "scene/record/hdf5_session.h"
#include "scene/record/record.h"

typedef struct ashi_recording_file {
    const char *path; /* the caller's */
    hid_t file;
    bool marked_open; /* as ashi_recording_summary has it */
    ash_diagnostic *diagnostic;
} ashi_recording_file;

/* Opens the file; whether it is a recording is for ashi_recording_read_facts to say. On failure there is nothing to
 * close. */
ash_status ashi_recording_file_open(ashi_recording_file *recording, const char *path, ash_diagnostic *diagnostic);
void ashi_recording_file_close(ashi_recording_file *recording);

/* Diagnostics: an object in it is not as a run writes it; the file is none of ours. */
ash_status ashi_recording_damaged(const ashi_recording_file *recording, const char *object, const char *what);
ash_status ashi_recording_foreign(const ashi_recording_file *recording, const char *what);

/* Refuses links and storage outside of the file. */
ash_status ashi_recording_check_contents(const ashi_recording_file *recording);

/* The attributes, and how many samples, bodies and outputs there are, after a look at the contents; the times are
 * left as they are. */
ash_status ashi_recording_read_facts(const ashi_recording_file *recording, ashi_recording_summary *summary);

/* Whether this column of /report is to be read: the first ones are in every recording, the others in later ones. */
bool ashi_recording_has_report(const ashi_recording_file *recording, uint32_t column);

/* A text attribute, cut to the size. */
bool ashi_recording_read_text(hid_t place, const char *name, char *text, size_t size);

/* A data set with a row for each sample: one number, or numbers for each body. */
typedef struct ashi_recorded_column {
    hid_t dataset;
    int rank;         /* 1 or 3 */
    hsize_t shape[3]; /* rows, bodies, components; 1 where there are none */
} ashi_recorded_column;

/* Opens a column and checks its shape: `samples` rows or more of `bodies` x `components` numbers, or of one for 0
 * bodies. On failure there is nothing to close. */
ash_status ashi_recorded_column_open(const ashi_recording_file *recording, const char *name, uint32_t bodies,
                                     uint32_t components, uint64_t samples, ashi_recorded_column *column);
bool ashi_recorded_column_read(const ashi_recorded_column *column, uint64_t first, uint64_t rows, void *numbers);
void ashi_recorded_column_close(ashi_recorded_column *column);

/* What bodies have: /bodies/position and so on. */
typedef struct ashi_body_column {
    const char *name;
    uint32_t components;
} ashi_body_column;
extern const ashi_body_column ashi_body_columns[4];

#endif
