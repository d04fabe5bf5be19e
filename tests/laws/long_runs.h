/* Long runs: the built-in scenes far beyond their default time. */
#ifndef LAWS_LONG_RUNS_H
#define LAWS_LONG_RUNS_H

#include <stdbool.h>

/* Runs every built-in scene ten times as long as it says, by its own method and, where it is small, by every preset;
 * each run ends after `seconds`. `only` is the name of a scene, or null. Prints a line each; `known` is a file with
 * lines SCENE METHOD REASON of runs that fail. Returns how many runs differ from it; negative when it cannot be read.
 */
int law_long_runs(double seconds, const char *only, const char *known);

#endif
