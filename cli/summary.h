/* The summary of a run for people. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "ashlar/scene.h"

/* Prints to standard output. `out` is the directory that the run wrote to, or null. */
void cli_summary_print(const ash_run *run, const ash_scene *scene, const char *out);

/* The flags in words, "none" without; returns `text`. */
const char *cli_flags_text(uint32_t flags, char *text, size_t size);

#endif
