/* Joints in snapshots, with all their state. */
#ifndef ASHI_WORLD_SNAPSHOT_JOINTS_H
#define ASHI_WORLD_SNAPSHOT_JOINTS_H

#include "model/forces.h"
#include "world/archive.h"

/* After the bodies. */
void ashi_archive_joints(ashi_archive *archive, ashi_model *model);

#endif
