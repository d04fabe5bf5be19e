/* Recordings: HDF5 files of a run's states, outputs, ledger and step reports (docs/recording.md). */
#ifndef ASHI_SCENE_RECORD_H
#define ASHI_SCENE_RECORD_H

#include "scene/instance/observe.h"

#define ASHI_RECORDING_FORMAT  "ashlar-recording" /* the root attribute "format" */
#define ASHI_RECORDING_VERSION 1

/* What is written about the run at the start. */
typedef struct ashi_recording_facts {
    ash_method method;
    double step, time;      /* s */
    const char *scene_text; /* JSON */
    bool joints, contacts;  /* recorded, too */
} ashi_recording_facts;

typedef struct ashi_recorder ashi_recorder;

/* Makes the file, replacing one that is there. It appears under its name only once it can be read. */
ash_status ashi_recorder_open(const char *path, const ash_scene *scene, const ashi_recording_facts *facts,
                              ashi_recorder **recorder, ash_diagnostic *diagnostic);

/* Adds a sample with the present state of the bodies. Samples reach the file when their buffer is full, and file and
 * disk at the latest after a second of wall time while samples come. */
ash_status ashi_recorder_append(ashi_recorder *recorder, const ashi_instance *instance, const ashi_sample *sample,
                                ash_diagnostic *diagnostic);

/* Writes what is left, marks the recording as complete or not, and releases the recorder, also on failure. Null is
 * ignored. */
ash_status ashi_recorder_close(ashi_recorder *recorder, bool complete, ash_diagnostic *diagnostic);

/* What a recording holds. */
typedef struct ashi_recording_summary {
    uint32_t format_version;
    char ashlar_version[32];
    char scene[128]; /* its name, cut to fit */
    double step, time;
    uint64_t samples;
    uint32_t bodies, outputs;
    double first_time, last_time; /* s; NaN without samples */
    bool complete;                /* the run came to its end */
    bool marked_open;             /* its writer was killed while closing: ordinary readers refuse it until repaired */
} ashi_recording_summary;

/* Reads the whole recording and says what it holds. Damaged or foreign files are a diagnostic. */
ash_status ashi_recording_inspect(const char *path, ashi_recording_summary *summary, ash_diagnostic *diagnostic);

/* Takes the mark of an open writer off a recording whose writer is gone; nothing to do when there is none. */
ash_status ashi_recording_repair(const char *path, ash_diagnostic *diagnostic);

/* For programs, before anything else: HDF5 does not tidy up when the program ends. Nothing of ours is open by then, and
 * after damaged files it tries in vain and says so on standard error. */
void ashi_recording_skip_farewell(void);

#endif
