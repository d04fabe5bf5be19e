/* The folder of a run's results: recording.h5, outputs.csv, ledger.csv, scene.json, summary.json. */
#ifndef ASHI_SCENE_RESULTS_H
#define ASHI_SCENE_RESULTS_H

#include "scene/record/record.h"

typedef struct ashi_results ashi_results;

/* Makes the folder, with those above it, and begins the files in it. A summary of an earlier run is removed; files of
 * other names are left alone. */
ash_status ashi_results_open(const char *folder, const ash_scene *scene, const ashi_recording_facts *facts,
                             ashi_results **results, ash_diagnostic *diagnostic);

ash_status ashi_results_append(ashi_results *results, const ashi_instance *instance, const ashi_sample *sample,
                               ash_diagnostic *diagnostic);

/* Ends all files except the summary; the first failure is the one reported. */
ash_status ashi_results_close(ashi_results *results, bool complete, ash_diagnostic *diagnostic);
/* Writes the summary, after the other files have been closed. */
ash_status ashi_results_put_summary(ashi_results *results, const ash_run *run, ash_diagnostic *diagnostic);

/* Closes what is open. Null is ignored. */
void ashi_results_release(ashi_results *results);

#endif
