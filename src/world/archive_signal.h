/* Signals in archives, with their tables. */
#ifndef ASHI_WORLD_ARCHIVE_SIGNAL_H
#define ASHI_WORLD_ARCHIVE_SIGNAL_H

#include "ashlar/force.h"
#include "world/archive.h"

/* Reading allocates the tables. */
void ashi_archive_signal(ashi_archive *archive, ash_signal *signal);

#endif
