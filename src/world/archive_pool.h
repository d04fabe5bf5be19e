/* Pools of handles in archives. */
#ifndef ASHI_WORLD_ARCHIVE_POOL_H
#define ASHI_WORLD_ARCHIVE_POOL_H

#include "base/pool.h"
#include "world/archive.h"

/* Writes or reads a pool. A pool that could not be read is left empty, so that its slots are not accessed. */
void ashi_archive_pool(ashi_archive *archive, ashi_pool *pool);

#endif
