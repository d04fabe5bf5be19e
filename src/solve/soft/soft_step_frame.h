/* The frame of a patch, normal and tangents, and the motion of its bodies in it (soft_step_patch.c and its
 * preparation). */
#ifndef ASHI_SOLVE_SOFT_STEP_FRAME_H
#define ASHI_SOLVE_SOFT_STEP_FRAME_H

#include "math/quad.h"
#include "solve/soft/soft_step.h"

/* The patch's points in the arrays by point of the island. */
ASHI_MERGED uint32_t soft_first_point(const ashi_soft_step *s, const ashi_patch *patch)
{
    return patch->first - s->island->first_point;
}

ASHI_MERGED ashi_soft_body *soft_body_of(const ashi_soft_step *s, uint32_t body)
{
    return &s->bodies[ashi_soft_pass_of(s, body)];
}

#define ASHI_FETCHED_AHEAD 6 /* patches */

/* Bodies of patches lie anywhere: in islands that are larger than the cache those of one that comes soon are fetched
 * while others are visited. Lines from `first` to `end` of each are asked for. */
ASHI_MERGED void soft_fetch_bodies(const ashi_soft_step *s, uint32_t number, int first, int end)
{
    const ashi_patch *patch = &s->patches.list[number];
    const char *a = (const char *)soft_body_of(s, patch->body_a), *b = (const char *)soft_body_of(s, patch->body_b);
    for (int line = first; line < end; line++) {
        __builtin_prefetch(a + 64 * line);
        __builtin_prefetch(b + 64 * line);
    }
}

/* Of b against a, at b's centre, along the world's axes. */
ASHI_MERGED ash_motion soft_motion_between(const ashi_patch *patch, const ash_motion *a, const ash_motion *b)
{
    ash_vec3 there = v3_add(a->linear, v3_cross(a->angular, patch->distance));
    return (ash_motion){v3_sub(b->linear, there), v3_sub(b->angular, a->angular)};
}

ASHI_MERGED ash_vec3 soft_velocity_at(const ash_motion *m, ash_vec3 arm)
{
    return v3_add(m->linear, v3_cross(m->angular, arm));
}

/* Where the matrix of two points is among the patch's. */
ASHI_MERGED uint32_t soft_pair_of(uint32_t earlier, uint32_t later)
{
    return later * (later - 1) / 2 + earlier;
}

#endif
