/* VTKHDF 2.0: an unstructured grid of triangles whose points move, as ParaView (5.12 or later) reads it. */
#ifndef ASHI_SCENE_VTKHDF_H
#define ASHI_SCENE_VTKHDF_H

#include "ashlar/base.h"

typedef struct ashi_vtkhdf {
    uint32_t points, triangles, frames;
    const int32_t *corners; /* three of each triangle */
    const int32_t *bodies;  /* of each point */
    const double *times;    /* of each frame, s */
    /* Fills in the places and velocities of all points at a frame, three numbers each. */
    void (*place)(const void *user, uint32_t frame, double *places, double *velocities);
    const void *user;
} ashi_vtkhdf;

/* Writes the file, whole or not at all. */
ash_status ashi_write_vtkhdf(const char *path, const ashi_vtkhdf *grid, ash_diagnostic *diagnostic);

#endif
