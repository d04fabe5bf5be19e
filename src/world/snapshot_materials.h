/* Materials in snapshots, with the laws of pairs. */
#ifndef ASHI_WORLD_SNAPSHOT_MATERIALS_H
#define ASHI_WORLD_SNAPSHOT_MATERIALS_H

#include "model/materials.h"
#include "world/archive.h"

void ashi_archive_materials(ashi_archive *archive, ashi_materials *materials);

#endif
