/* Scenes of many bodies as the benchmarks of scale have them. */
#ifndef BENCH_REALTIME_WORLD_H
#define BENCH_REALTIME_WORLD_H

#include "ashlar/ashlar.h"

/* The scene with so many bodies (its parameter n) by method realtime, sleeping off, on one thread. */
ash_status bench_open_realtime(const char *scene, uint32_t bodies, ash_world **world, ash_diagnostic *diagnostic);

#endif
