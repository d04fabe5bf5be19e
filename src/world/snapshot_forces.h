/* Forces in snapshots. */
#ifndef ASHI_WORLD_SNAPSHOT_FORCES_H
#define ASHI_WORLD_SNAPSHOT_FORCES_H

#include "model/forces.h"
#include "world/archive.h"

/* After the bodies and their shapes. */
void ashi_archive_forces(ashi_archive *archive, ashi_model *model);

#endif
