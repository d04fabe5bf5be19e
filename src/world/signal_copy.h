/* Signals in definitions: checked, and copied with their tables. */
#ifndef ASHI_WORLD_SIGNAL_COPY_H
#define ASHI_WORLD_SIGNAL_COPY_H

#include "ashlar/force.h"

/* `owner` begins the diagnostic's code: "load". */
bool ashi_check_signal(const ash_signal *signal, const char *owner, ash_diagnostic *diagnostic);
/* Replaces the tables by copies. False when memory ran out: they are null then. */
bool ashi_copy_signal(ash_signal *signal, ash_diagnostic *diagnostic);

#endif
