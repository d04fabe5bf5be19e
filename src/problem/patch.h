/* Contact points that are judged together: neighbours in the problem with the same two bodies, directions, moving
 * surfaces and friction, most often the four points of two faces (docs/yardstick.md).
 *
 * Their rows are those of points of both bodies (`at_point`). Seen from b's centre, in the frame of normal and
 * tangents, their velocities are then those of one rigid motion, u = V + W x r, and what their impulses do is one force
 * and one moment. The points of a patch lie side by side, so that one instruction does for two. */
#ifndef ASHI_PROBLEM_PATCH_H
#define ASHI_PROBLEM_PATCH_H

#include "problem/law.h"

#define ASHI_PATCH_POINTS 4

/* Vectors of points are along normal and tangents. Places beyond `count` hold anything. */
typedef struct ashi_patch {
    uint32_t first_block, count; /* points, and blocks */
    uint32_t body_a, body_b;
    uint32_t first_row, rows; /* where the impulses are: those of a point follow those of the point before */
    double friction;
    double slide[2];                    /* biases of the tangents, m/s; in a plane there is one */
    ash_vec3 axes[3];                   /* normal, tangents */
    ash_vec3 distance;                  /* from a's centre to b's */
    double arm[3][ASHI_PATCH_POINTS];   /* from b's centre, m */
    double rho[ASHI_PATCH_POINTS];      /* 1/D, kg */
    double softness[ASHI_PATCH_POINTS]; /* of the normal row, 1/kg */
    double bias[ASHI_PATCH_POINTS];     /* of the normal row, m/s */
    /* what the first pass of a measurement leaves to the second: */
    double off[3][ASHI_PATCH_POINTS]; /* u' - u(lambda) */
    double yield[ASHI_PATCH_POINTS];  /* softness (lambda' - lambda) */
} ashi_patch;

/* Patches of an island, in the order of blocks; the array has room for as many as there are blocks. The impulse of row
 * r is impulses[stride r], whoever has it. */
typedef struct ashi_patches {
    ashi_patch *list;
    uint32_t count;
    const double *impulses;
    size_t stride;
} ashi_patches;

/* What judging has found so far. */
typedef struct ashi_judgement {
    double largest2; /* the square of the largest error, m2/s2 */
    uint32_t worst_block, judged;
    double sum, theta;
} ashi_judgement;

/* Motions or impulses of bodies, from the problem's body `first` on. */
typedef struct ashi_body_motions {
    ash_motion *of;
    uint32_t first, count;
} ashi_body_motions;

/* Finds which contacts are at a point, and which are like the one before: sets `at_point` and `alike` of a problem that
 * was not assembled from contacts. */
void ashi_patches_recognize(ash_problem *problem);

/* Adds the contact of the next block, if it can be in a patch; its impulses begin at `first_row`. `response` is the sum
 * of the diagonal of J M^-1 J^T, without softness. */
void ashi_patches_add(ashi_patches *patches, const ash_problem *problem, const ashi_law *law, uint32_t block,
                      uint32_t first_row, double response);

/* The two passes of a measurement. The first finds the exact pairs for the problem's velocities, and adds what
 * lambda' - lambda does, forces and moments, to `impulse` of the bodies in it. The second compares with the `change` of
 * velocities that these make. */
void ashi_patches_pair(const ashi_patches *patches, const ash_problem *problem, ashi_body_motions impulse,
                       ashi_judgement *judgement);
void ashi_patches_compare(const ashi_patches *patches, ashi_body_motions change, ashi_judgement *judgement);

#endif
