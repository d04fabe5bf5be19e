/* Patches: points of one contact with the same friction that act together, usually the four points of two faces.
 *
 * About b's centre the velocities at them are one rigid motion, u = V + W x r, and their impulses sum to one force and
 * one moment. The yardstick judges them in this form (docs/yardstick.md), four patches side by side with common
 * instructions. In an expanded problem the points are its blocks, else the points themselves. */
#ifndef ASHI_PROBLEM_PATCH_H
#define ASHI_PROBLEM_PATCH_H

#include "problem/law.h"

#define ASHI_PATCH_POINTS 4 /* of a patch at most */
#define ASHI_PATCHES      4 /* side by side */

/* The impulse at a contact point, to be judged. */
typedef struct ashi_patch_impulse {
    ash_vec3 impulse; /* along the normal and the tangents: x, y, z */
    double bias;      /* of the normal's row, m/s */
} ashi_patch_impulse;

/* Each vector is followed by a number, so that four numbers can be read at once. */
typedef struct ashi_patch {
    uint32_t body_a, body_b; /* the problem's numbers */
    uint32_t first, count;   /* its points: `count` of the problem's from `first` on, 1 to ASHI_PATCH_POINTS */
    ash_vec3 normal;
    double friction;
    ash_vec3 tangent;
    double bias;    /* of the tangent's rows */
    ash_vec3 other; /* the second tangent; planar problems have no row for it: normal x tangent */
    double other_bias;
    ash_vec3 distance; /* from a's centre to b's: the arm seen from a's is arm + distance */
    double beside;     /* free for the solver */
} ashi_patch;

static inline ash_vec3 ashi_patch_along_axes(const ashi_patch *patch, ash_vec3 world)
{
    return v3(v3_dot(patch->normal, world), v3_dot(patch->tangent, world), v3_dot(patch->other, world));
}

static inline ash_vec3 ashi_patch_in_world(const ashi_patch *patch, ash_vec3 v)
{
    return v3_add_scaled(v3_add_scaled(v3_scale(patch->normal, v.x), patch->tangent, v.y), patch->other, v.z);
}

/* A point of each of four patches, along normals and tangents. Beyond a patch's count it has no meaning. */
typedef struct ashi_four_points {
    double arm[3][ASHI_PATCHES];   /* r from b's centre, m */
    double response[ASHI_PATCHES]; /* the trace of J M^-1 J^T; if not all patches are plain, the first pass stores
                                      |u(lambda) - u'|^2 here for the second, ... */
    double off[3][ASHI_PATCHES];   /* ... and here u(lambda) - u', m/s, for soft points including softness
                                      (lambda' - lambda) */
} ashi_four_points;

/* Four patches, as they are judged; quads do not cross cache lines. */
typedef struct ashi_four_patches {
    _Alignas(64) ashi_four_points points[ASHI_PATCH_POINTS];
    double count[ASHI_PATCHES]; /* of points judged */
    uint32_t motion_a[ASHI_PATCHES],
        motion_b[ASHI_PATCHES]; /* places of the bodies' motions, counted in numbers from the first one */
    uint32_t most;              /* of the counts */
    bool plain;                 /* all patches have that many points, and no normal is soft */
} ashi_four_patches;

/* Patches of an island, or of the whole problem. */
typedef struct ashi_patches {
    ashi_patch *list; /* in the order of points; padded by up to three that have points of the last, so that four can be
                         read */
    ashi_patch_impulse *impulses; /* by point of the island; can be read ASHI_PATCH_POINTS beyond the last */
    double *softness;             /* of normals, by point of the island; likewise */
    ashi_four_patches *fours;     /* by four patches */
    uint32_t count;               /* of patches */
    uint32_t last_most;           /* points of the last patch that are judged in one lane; the rest are in the next
                                     lanes */
    uint32_t first;               /* point of the island */
    uint32_t judged;              /* number of points that are judged in patches */
    uint32_t offset;              /* of points among everything that is judged: blocks come first */
    bool expanded;                /* points are blocks */
    bool narrow; /* do not use instructions for four doubles, even if the machine has them; the bits are the same */
} ashi_patches;

/* A point among those of four patches. */
typedef struct ashi_point_lane {
    ashi_four_points *points;
    uint32_t lane;
} ashi_point_lane;

/* The place of a patch's k-th point. */
static inline ashi_point_lane ashi_patch_point_at(const ashi_patches *patches, uint32_t number, uint32_t k)
{
    if (number + 1 == patches->count) {
        number += k / patches->last_most;
        k %= patches->last_most;
    }
    return (ashi_point_lane){&patches->fours[number / ASHI_PATCHES].points[k], number % ASHI_PATCHES};
}

/* Its arm, along the normal and the tangents. */
static inline ash_vec3 ashi_patch_arm_at(ashi_point_lane at)
{
    return v3(at.points->arm[0][at.lane], at.points->arm[1][at.lane], at.points->arm[2][at.lane]);
}

/* The number of points of an island, in patches or not. */
static inline uint32_t ashi_patches_places(const ashi_system *problem, const ash_problem_island *island)
{
    return problem->expanded ? island->block_count : island->point_count;
}

/* An upper bound of the number of patches of an island: the number of points where these are blocks. */
uint32_t ashi_patches_most(const ashi_system *problem, const ash_problem_island *island);

/* Bytes for patches and their points, and empty arrays placed in memory of that size, aligned to 64. */
size_t ashi_patches_room(uint32_t points, uint32_t patches);
ashi_patches ashi_patches_in(void *memory, uint32_t points, uint32_t patches);

/* Finds the patches of an island (null: of the whole problem): fills list, arms and biases, not responses and not
 * impulses. Other islands are not read. */
void ashi_patches_find(ashi_patches *patches, const ashi_system *problem, const ash_problem_island *island,
                       const ashi_law *law);

/* ---- judging ---- */

/* The result of judging so far. */
typedef struct ashi_judgement {
    double largest2;        /* the square of the largest error, m2/s2 */
    uint32_t worst, judged; /* a block's number, or that of blocks plus a point's */
    double sum, theta;
} ashi_judgement;

/* Two vectors, each followed by an unused number, so that four numbers can be read and written. */
typedef struct ashi_wide_motion {
    ash_vec3 linear;
    double beside_linear;
    ash_vec3 angular;
    double beside_angular;
} ashi_wide_motion;

/* Steep friction is judged block by block (yardstick.c). */
static inline bool ashi_patch_is_judged(const ashi_patch *patch)
{
    return patch->friction <= 1;
}

/* The first pass finds the exact pairs for the problem's velocities, and adds the forces and moments of
 * lambda' - lambda to `impulse`: by body of the island, with one more at the end for all other bodies. */
void ashi_patches_pair(const ashi_patches *patches, const ashi_system *problem, ashi_wide_motion *impulse,
                       ashi_judgement *judgement);

/* Converts impulses to the changes of velocity that they cause, in place. */
void ashi_patches_let_move(const ashi_patches *patches, const ashi_system *problem, const ash_problem_island *island,
                           ashi_wide_motion *motion);

/* The second pass compares with the resulting `change` of velocities, in the same order. */
void ashi_patches_compare(const ashi_patches *patches, const ashi_wide_motion *change, ashi_judgement *judgement);

#endif
