/* A recording as files for other programs need it: frames at an even rate, and the surfaces of its bodies. */
#ifndef CLI_EXPORT_MOTION_H
#define CLI_EXPORT_MOTION_H

#include "scene/record/replay.h"

/* What is drawn of a shape; those of one geometry share it. */
typedef struct cli_surface {
    ash_triangulation triangles;
    bool made;
} cli_surface;

typedef struct cli_motion {
    ashi_replay *replay;
    const ash_scene *scene;                   /* the replay's */
    ASHI_ARRAY(uint64_t) frames;              /* samples */
    double *times;                            /* of the frames, s */
    ash_vec3 *positions, *velocities, *spins; /* of each frame all bodies; NaN of those that are not in the world */
    ash_quat *rotations;                      /* of one sign from frame to frame */
    ash_vec3 *centres;                        /* of mass, in the bodies' frames: what velocities are of */
    cli_surface *surfaces;                    /* by number of the geometry */
    double reach;                             /* of the bodies that have one, from the origin, m */
} cli_motion;

/* Reads the recording: at most `rate` frames a second (0: every sample), the first and the last always. What is wrong
 * is told; the exit status is returned. */
int cli_motion_open(const char *path, double rate, cli_motion *motion);
void cli_motion_close(cli_motion *motion);

/* Is the body at the same place in all frames? */
bool cli_motion_rests(const cli_motion *motion, uint32_t body);
/* Is it in the world in all frames? */
bool cli_motion_stays(const cli_motion *motion, uint32_t body);
static inline uint64_t cli_motion_at(const cli_motion *motion, uint32_t frame, uint32_t body)
{
    return (uint64_t)frame * motion->scene->bodies.count + body;
}

/* The files; `path` ends as they are called. The exit status is returned. */
int cli_write_gltf(const cli_motion *motion, const char *path);    /* .gltf, or .glb in one binary file */
int cli_write_xdmf(const cli_motion *motion, const char *path);    /* .xdmf, with its numbers in .h5 beside it */
int cli_write_vtkhdf(const cli_motion *motion, const char *path);  /* .vtkhdf */
int cli_write_columns(const cli_motion *motion, const char *path); /* .csv */

#endif
