/* Contact points that are judged together: neighbours in the problem with the same two bodies, directions, moving
 * surfaces and friction, most often the four points of two faces (docs/yardstick.md).
 *
 * Their rows are those of points of both bodies (`at_point`). Seen from b's centre their velocities are then those of
 * one rigid motion, u = V + W x r, and what their impulses do is one force and one moment. Four patches lie side by
 * side, so that one instruction does for all. */
#ifndef ASHI_PROBLEM_PATCH_H
#define ASHI_PROBLEM_PATCH_H

#include "problem/law.h"

#define ASHI_PATCH_POINTS 4
#define ASHI_PATCHES      4 /* side by side */

/* What the first pass of a measurement leaves to the second of a point of each of four patches. Vectors are along the
 * normal and the tangents. What is beyond a patch's count means nothing. */
typedef struct ashi_kept_points {
    double arm[3][ASHI_PATCHES]; /* r, from b's centre, m */
    double off[3][ASHI_PATCHES]; /* u(lambda) - u', and what softness (lambda' - lambda) adds, m/s */
    double error2[ASHI_PATCHES]; /* |u(lambda) - u'|^2 */
} ashi_kept_points;

/* Patches side by side. Where there are fewer than four, the others are of the first's bodies and have no points. */
typedef struct ashi_four_patches {
    uint32_t first_block[ASHI_PATCHES], count[ASHI_PATCHES]; /* points, and blocks */
    uint32_t body_a[ASHI_PATCHES], body_b[ASHI_PATCHES];
    double normal[3][ASHI_PATCHES], tangents[2][3][ASHI_PATCHES];
    double distance[3][ASHI_PATCHES]; /* from a's centre to b's */
    ashi_kept_points points[ASHI_PATCH_POINTS];
} ashi_four_patches;

/* Patches of an island, in the order of blocks; there may be as many as blocks. */
typedef struct ashi_patches {
    ashi_four_patches *list;
    uint32_t count; /* of patches */
    bool narrow;    /* without instructions for four doubles, even if the machine has them: the bits are the same */
} ashi_patches;

/* What judging has found so far. */
typedef struct ashi_judgement {
    double largest2; /* the square of the largest error, m2/s2 */
    uint32_t worst_block, judged;
    double sum, theta;
} ashi_judgement;

/* Two vectors, each with a number beside it that means nothing, so that four can be read and written. */
typedef struct ashi_wide_motion {
    ash_vec3 linear;
    double beside_linear;
    ash_vec3 angular;
    double beside_angular;
} ashi_wide_motion;

/* Motions or impulses of bodies, from the problem's body `first` on. */
typedef struct ashi_body_motions {
    ashi_wide_motion *of;
    uint32_t first, count;
} ashi_body_motions;

/* Finds which contacts are at a point, and which are like the one before: sets `at_point` and `alike` of a problem
 * that was not assembled from contacts. */
void ashi_patches_recognize(ash_problem *problem);

/* What is judged: `response` is by block, from `first` on, the sum of the diagonal of its J M^-1 J^T without softness,
 * and can be read three beyond the last. Rows from `row_end` on are others', who may be writing them. */
typedef struct ashi_patch_blocks {
    const ash_problem *problem;
    const ashi_law *law;
    const double *response;
    uint32_t first, row_end;
} ashi_patch_blocks;

/* The first pass finds the exact pairs for the problem's velocities, and adds what lambda' - lambda does, forces and
 * moments, to `impulse` of the bodies in it. It looks at blocks from `next` on, ends before `end` or the first block
 * that can be in no patch, and returns its number. Up to three patches wait for others: */
uint32_t ashi_patches_pair(ashi_patches *patches, const ashi_patch_blocks *blocks, uint32_t next, uint32_t end,
                           ashi_body_motions impulse, ashi_judgement *judgement);
/* no others will come. */
void ashi_patches_pair_rest(ashi_patches *patches, const ashi_patch_blocks *blocks, ashi_body_motions impulse,
                            ashi_judgement *judgement);

/* The second compares with the `change` of velocities that these make. */
void ashi_patches_compare(const ashi_patches *patches, ashi_body_motions change, ashi_judgement *judgement);

#endif
