/* Contacts in lanes: what the passes read and write. */
#ifndef ASHI_SOLVE_WIDE_BLOCKS_H
#define ASHI_SOLVE_WIDE_BLOCKS_H

#include "solve/wide/lanes.h"
#include "solve/wide/wide.h"

/* Contacts side by side, in their frames: normal n and tangents t, n x t. Lanes without one have zeros. */
typedef struct lane_block {
    int32_t a[LANES], b[LANES]; /* rows of bodies; 0: one that does not move */
    uint32_t entry[LANES];
    uint32_t first, count; /* points; fewer in some lanes */
    lane_mask deep;        /* where overlap was removed in this sub-step */
    lane3 n, t;
    lane3 distance;                                  /* from a's centre to b's, along the frame */
    lane mass_a, mass_b, inertia_a[6], inertia_b[6]; /* inverse, along the frame */
    lane friction;
    lane3 linear, angular;  /* of b against a at the start, as seen at b's centre, along the frame */
    lane slack;             /* gaps up to this are closed, m: as far as forces move a body at rest in a sub-step */
    lane share, scale;      /* of overlap that goes in a sub-step; of the soft contact's mass */
    double apart[3][LANES]; /* distance, in the world */
} lane_block;

/* A point of each. */
typedef struct lane_point {
    lane3 arm;      /* from b's centre, along the frame */
    lane3 mass;     /* 1 / (J M^-1 J^T) of the normal and the tangents; 0 where there is no point */
    lane yields[2]; /* of the tangents: their mass times what a unit of the normal impulse changes in their speed */
    lane3 base;     /* the impulse that the first sub-step begins with, ... */
    lane3 beyond;   /* ... and what that of this sub-step has more */
    lane closing;   /* speed at which the gap beyond its slack may close in this sub-step, m/s */
    lane slip[2];   /* along the tangents, after the last visit */
} lane_point;

/* What the first pass of the judgement leaves to the second. */
typedef struct lane_off {
    double by[3][LANES], error2[LANES]; /* u(lambda) - u' with what softness adds, and its square without, m/s */
} lane_off;

/* What is needed of it once a sub-step or a step. */
typedef struct lane_past {
    lane gap;    /* at the start, m; large where there is no point */
    lane3 total; /* what impulses of all sub-steps so far have more than `base` */
    union {
        struct {
            lane3 before; /* the same of the last sub-step */
            lane carried; /* by how much more its normal impulse may grow in a sub-step than before, to act again */
            lane slip_before[2];
        };
        lane_off off; /* after the last sub-step */
    };
    lane response;         /* the sum of the diagonal of J M^-1 J^T */
    lane placed;           /* above 0: overlap was removed */
    double base[3][LANES]; /* `base`, not rounded */
} lane_past;

/* Velocities or impulses of a body in doubles. */
typedef struct double_row {
    _Alignas(64) double linear[4], angular[4];
} double_row;

/* A solve under way. */
typedef struct lanes {
    const ashi_wide_task *task;
    ashi_wide_order order;
    lane_block *blocks;
    lane_point *points;
    lane_past *pasts;
    double *friction_works; /* by group */
    /* By slot: */
    body_row *inverse;        /* inverse inertia, xx yy zz; inverse mass; xy xz yz; pace */
    body_row *change, *shift; /* of velocity since the start, and the way made by the changes */
    body_row *held, *before;  /* changes of velocity in the last sub-step, and in the one before */
    body_row *begin;          /* change when the sub-step began */
    body_row *way;            /* made by the changes alone: the rest of the shift is by the placing of contacts */
    double_row *velocity, *wrench;
    real h, inverse_h, lead, elapsed;
    bool first, back, last;
} lanes;

#define ASHI_AWAY ((real)1e9) /* m: a gap where there is no point */

#endif
