/* Contact points that are judged together: neighbours in the problem with the same two bodies, directions, moving
 * surfaces and friction, most often the four points of two faces (docs/yardstick.md).
 *
 * Their rows are those of points of both bodies (`at_point`). Seen from b's centre their velocities are then those of
 * one rigid motion, u = V + W x r, and what their impulses do is one force and one moment. The points of a patch lie
 * side by side, so that one instruction does for all. */
#ifndef ASHI_PROBLEM_PATCH_H
#define ASHI_PROBLEM_PATCH_H

#include "problem/law.h"

#define ASHI_PATCH_POINTS 4

/* What the first pass of a measurement leaves to the second. Vectors are along the world's axes; places beyond `count`
 * hold what the first does. */
typedef struct ashi_patch {
    uint32_t first_block, count; /* points, and blocks */
    uint32_t body_a, body_b;
    ash_vec3 distance;                /* from a's centre to b's */
    double arm[3][ASHI_PATCH_POINTS]; /* r, from b's centre, m */
    double off[3][ASHI_PATCH_POINTS]; /* u(lambda) - u', and what softness (lambda' - lambda) adds, m/s */
    double error2[ASHI_PATCH_POINTS]; /* |u(lambda) - u'|^2 */
} ashi_patch;

/* Patches of an island, in the order of blocks; the array has room for as many as there are blocks. */
typedef struct ashi_patches {
    ashi_patch *list;
    uint32_t count;
    bool narrow; /* without instructions for four doubles, even if the machine has them: the bits are the same */
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

/* Finds which contacts are at a point, and which are like the one before: sets `at_point` and `alike` of a problem
 * that was not assembled from contacts. */
void ashi_patches_recognize(ash_problem *problem);

/* The blocks that the first pass is to look at: `response` is by block, from `first` on, the sum of the diagonal of its
 * J M^-1 J^T without softness. */
typedef struct ashi_patch_blocks {
    const ash_problem *problem;
    const ashi_law *law;
    const double *response;
    uint32_t first, end;
} ashi_patch_blocks;

/* The first pass finds the exact pairs for the problem's velocities, and adds what lambda' - lambda does, forces and
 * moments, to `impulse` of the bodies in it. It ends before the first block that can be in no patch, and returns its
 * number. */
uint32_t ashi_patches_pair(ashi_patches *patches, const ashi_patch_blocks *blocks, ashi_body_motions impulse,
                           ashi_judgement *judgement);

/* The second compares with the `change` of velocities that these make. */
void ashi_patches_compare(const ashi_patches *patches, ashi_body_motions change, ashi_judgement *judgement);

#endif
