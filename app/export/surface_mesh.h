/* The surfaces of all bodies of a recording as one mesh of triangles whose points move. */
#ifndef CLI_EXPORT_SURFACE_MESH_H
#define CLI_EXPORT_SURFACE_MESH_H

#include "app/export/motion.h"
#include "base/arena.h"

typedef struct cli_surface_mesh {
    const cli_motion *motion;
    uint32_t points, triangles;
    int32_t *corners; /* three of each triangle */
    int32_t *bodies;  /* of each point */
} cli_surface_mesh;

/* Its arrays are of the arena; false when there is no memory. Without shapes it has no points. */
bool cli_surface_mesh_make(const cli_motion *motion, ashi_arena *arena, cli_surface_mesh *mesh);
/* Places and velocities of all points at a frame, three numbers each. What is not in the world shrinks to the origin.
 */
void cli_surface_mesh_place(const cli_surface_mesh *mesh, uint32_t frame, double *places, double *speeds);

#endif
