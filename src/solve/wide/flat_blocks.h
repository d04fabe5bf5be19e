/* Contacts of planar worlds in lanes: what the passes read and write. A body has three freedoms, a point two axes. */
#ifndef ASHI_SOLVE_WIDE_FLAT_BLOCKS_H
#define ASHI_SOLVE_WIDE_FLAT_BLOCKS_H

#include "solve/wide/lanes.h"
#include "solve/wide/wide.h"

/* Motion of a body: along x and y, and its turn; with one number beside them. */
typedef struct flat_row {
    _Alignas(4 * sizeof(real)) real number[4];
} flat_row;

typedef real flat_quad __attribute__((vector_size(4 * sizeof(real))));

/* The same in doubles. */
typedef struct flat_wrench {
    _Alignas(32) double number[4];
} flat_wrench;

/* Numbers along the normal n and the tangent t, which is n turned to the right. */
typedef struct flat_lane2 {
    lane n, t;
} flat_lane2;

/* Contacts side by side. Lanes without one have zeros. */
typedef struct flat_block {
    int32_t a[LANES], b[LANES]; /* rows of bodies; 0: one that does not move */
    uint32_t entry[LANES];
    uint32_t first, count; /* points; fewer in some lanes */
    lane_mask deep;        /* where overlap was removed in this sub-step */
    lane normal_x, normal_y;
    flat_lane2 distance;                       /* from a's centre to b's */
    lane mass_a, mass_b, inertia_a, inertia_b; /* inverse */
    lane friction;
    lane slack;             /* gaps up to this are closed, m: as far as forces move a body at rest in a sub-step */
    lane share, scale;      /* of overlap that goes in a sub-step; of the soft contact's mass */
    double apart[2][LANES]; /* distance, in the world */
} flat_block;

/* A point of each. */
typedef struct flat_point {
    flat_lane2 arm;    /* from b's centre */
    flat_lane2 mass;   /* 1 / (J M^-1 J^T); 0 where there is no point */
    lane yields;       /* of the tangent: its mass times what a unit of the normal impulse changes in its speed */
    flat_lane2 base;   /* the impulse that the first sub-step begins with, ... */
    flat_lane2 beyond; /* ... and what that of this sub-step has more */
    flat_lane2 start;  /* speed of b against a at the start; along the normal with the speed at which the gap beyond its
                          slack may close in this sub-step */
    lane slip;         /* along the tangent, after the last visit */
} flat_point;

/* What the first pass of the judgement leaves to the second. */
typedef struct flat_off {
    double by[2][LANES], error2[LANES]; /* u(lambda) - u' with what softness adds, and its square without, m/s */
} flat_off;

/* What is needed of it once a sub-step or a step. */
typedef struct flat_past {
    lane gap;         /* at the start, m; large where there is no point */
    lane opening;     /* speed along the normal at the start */
    flat_lane2 total; /* what impulses of all sub-steps so far have more than `base` */
    union {
        struct {
            flat_lane2 before; /* the same of the last sub-step */
            lane carried; /* by how much more its normal impulse may grow in a sub-step than before, to act again */
            lane slip_before;
        };
        flat_off off; /* after the last sub-step */
    };
    lane response;         /* the sum of the diagonal of J M^-1 J^T */
    lane placed;           /* above 0: overlap was removed */
    double base[2][LANES]; /* `base`, not rounded */
} flat_past;

/* A solve under way. */
typedef struct lanes {
    const ashi_wide_task *task;
    ashi_wide_order order;
    flat_block *blocks;
    flat_point *points;
    flat_past *pasts;
    double *friction_works; /* by group */
    /* By slot: */
    flat_row *inverse;        /* inverse mass, inverse inertia, pace */
    flat_row *change, *shift; /* of velocity since the start, and the way made by the changes */
    flat_row *held, *before;  /* changes of velocity in the last sub-step, and in the one before */
    flat_row *begin;          /* change when the sub-step began */
    flat_row *way;            /* made by the changes alone: the rest of the shift is by the placing of contacts */
    flat_wrench *velocity, *wrench;
    real h, inverse_h, lead, elapsed;
    bool first, back, last;
} lanes;

#define ASHI_FLAT_AWAY ((real)1e9) /* m: a gap where there is no point */

/* ---- rows of bodies, side by side ---- */

typedef struct flat_rows {
    lane x, y, turn, beside;
} flat_rows;

#if ASHI_SINGLE
/* Four rows to a register, each in 16 bytes of it. */
ASHI_MERGED void flat_turn(lane r[4])
{
    lane t0 = __builtin_shufflevector(r[0], r[1], FIRST_NUMBERS),
         t1 = __builtin_shufflevector(r[0], r[1], SECOND_NUMBERS);
    lane t2 = __builtin_shufflevector(r[2], r[3], FIRST_NUMBERS),
         t3 = __builtin_shufflevector(r[2], r[3], SECOND_NUMBERS);
    r[0] = __builtin_shufflevector(t0, t2, FIRST_PAIRS);
    r[1] = __builtin_shufflevector(t0, t2, SECOND_PAIRS);
    r[2] = __builtin_shufflevector(t1, t3, FIRST_PAIRS);
    r[3] = __builtin_shufflevector(t1, t3, SECOND_PAIRS);
}

/* Two of them, a half of a group apart. */
ASHI_MERGED lane_group flat_pair(const flat_row *rows, const int32_t *at)
{
    flat_quad low, high;
    memcpy(&low, &rows[at[0]], sizeof low);
    memcpy(&high, &rows[at[4]], sizeof high);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

ASHI_MERGED flat_rows flat_rows_load(const flat_row *rows, const int32_t at[LANES])
{
    lane r[4];
    for (int i = 0; i < 4; i++)
        r[i] = lane_of_groups(flat_pair(rows, &at[i]), flat_pair(rows, &at[LANES - GROUP + i]));
    flat_turn(r);
    return (flat_rows){r[0], r[1], r[2], r[3]};
}

/* Not those of what does not move. */
ASHI_MERGED void flat_rows_store(flat_rows m, flat_row *rows, const int32_t at[LANES])
{
    lane r[4] = {m.x, m.y, m.turn, m.beside};
    flat_turn(r);
    for (int g = 0; g < GROUPS; g++)
        for (int i = 0; i < 4; i++) {
            lane_group two = group_of_lane(r[i], g);
            flat_quad low = __builtin_shufflevector(two, two, 0, 1, 2, 3);
            flat_quad high = __builtin_shufflevector(two, two, 4, 5, 6, 7);
            const int32_t *of = &at[g * GROUP + i];
            if (of[0] > 0)
                memcpy(&rows[of[0]], &low, sizeof low);
            if (of[4] > 0)
                memcpy(&rows[of[4]], &high, sizeof high);
        }
}
#else
ASHI_MERGED flat_rows flat_rows_load(const flat_row *rows, const int32_t at[LANES])
{
    lane r[4];
    for (int i = 0; i < 4; i++)
        memcpy(&r[i], &rows[at[i]], sizeof r[i]);
    turn_four(r);
    return (flat_rows){r[0], r[1], r[2], r[3]};
}

ASHI_MERGED void flat_rows_store(flat_rows m, flat_row *rows, const int32_t at[LANES])
{
    lane r[4] = {m.x, m.y, m.turn, m.beside};
    turn_four(r);
    for (int i = 0; i < 4; i++)
        if (at[i] > 0)
            memcpy(&rows[at[i]], &r[i], sizeof r[i]);
}
#endif

#endif
