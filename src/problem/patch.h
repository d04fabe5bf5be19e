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

/* Vectors are along the world's axes. Places beyond `count` hold what the first does. */
typedef struct ashi_patch {
    uint32_t first_block, count; /* points, and blocks */
    uint32_t body_a, body_b;
    uint32_t first_row, rows; /* where the impulses are: those of a point follow those of the point before */
    double friction;
    ash_vec3 axes[3];                   /* normal, tangents */
    ash_vec3 distance;                  /* from a's centre to b's */
    ash_vec3 slide;                     /* of the surfaces, m/s: biases of the tangents */
    double response[ASHI_PATCH_POINTS]; /* sum of the diagonal of J M^-1 J^T, softness included, 1/kg */
    double softness[ASHI_PATCH_POINTS]; /* of the normal row, 1/kg */
    double bias[ASHI_PATCH_POINTS];     /* of the normal row, m/s */
    /* At first the moments r x n and r x t of b's rows of the normal and the first tangent; the first pass of a
     * measurement leaves to the second: */
    double arm[3][ASHI_PATCH_POINTS]; /* r, from b's centre, m */
    double off[3][ASHI_PATCH_POINTS]; /* u(lambda) - u', and what softness (lambda' - lambda) adds, m/s */
    double error2[ASHI_PATCH_POINTS]; /* |u(lambda) - u'|^2 */
} ashi_patch;

/* Patches of an island, in the order of blocks; the array has room for as many as there are blocks. The impulse of row
 * r is impulses[stride r], whoever has it. */
typedef struct ashi_patches {
    ashi_patch *list;
    uint32_t count;
    uint32_t room, next; /* places left in the last patch, for the block `next` */
    const double *impulses;
    size_t stride;
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

/* A new patch with the contact of a block, if it can be in one. */
void ashi_patches_begin(ashi_patches *patches, const ash_problem *problem, const ashi_law *law, uint32_t block,
                        uint32_t first_row, double response);

/* Adds the contact of the next block, if it can be in a patch; its impulses begin at `first_row`. `response` is the sum
 * of the diagonal of J M^-1 J^T, without softness. */
static inline void ashi_patches_add(ashi_patches *patches, const ash_problem *problem, const ashi_law *law,
                                    uint32_t number, uint32_t first_row, double response)
{
    const ash_problem_block *block = &problem->blocks[number];
    const ash_problem_row *normal = &problem->rows[block->first_row];
    if (!(response > 0))
        return;
    ashi_patch *patch = &patches->list[patches->count - (patches->count > 0)];
    /* the solvers' frame changes coefficients of friction while contacts give way */
    if (!(block->alike && patches->room > 0 && patches->next == number && block->friction == patch->friction)) {
        ashi_patches_begin(patches, problem, law, number, first_row, response);
        return;
    }
    uint32_t i = patch->count++;
    patches->room--;
    patches->next++;
    patch->arm[0][i] = normal[0].angular_b.x;
    patch->arm[1][i] = normal[0].angular_b.y;
    patch->arm[2][i] = normal[0].angular_b.z;
    patch->off[0][i] = normal[1].angular_b.x;
    patch->off[1][i] = normal[1].angular_b.y;
    patch->off[2][i] = normal[1].angular_b.z;
    patch->response[i] = response + normal->softness;
    patch->softness[i] = normal->softness;
    patch->bias[i] = normal->bias;
}

/* The two passes of a measurement. The first finds the exact pairs for the problem's velocities, and adds what
 * lambda' - lambda does, forces and moments, to `impulse` of the bodies in it. The second compares with the `change` of
 * velocities that these make. */
void ashi_patches_pair(const ashi_patches *patches, const ash_problem *problem, ashi_body_motions impulse,
                       ashi_judgement *judgement);
void ashi_patches_compare(const ashi_patches *patches, ashi_body_motions change, ashi_judgement *judgement);

#endif
