/* The summary of a run for people. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "ashlar/scene.h"

/* Prints to standard output. `out` is the directory that the run wrote to, or null. */
void cli_summary_print(const ash_run *run, const ash_scene *scene, const char *out);

/* Prints a warning for each alarm of a run to standard error. `label` comes first; null: none. */
void cli_warn_of_alarms(const ash_run *run, const char *label);

#endif
