/* Numbers side by side, 32 bytes of them: eight single ones where ASHI_SINGLE is 1, else four doubles. A machine
 * without registers of that size takes them in two halves, with the same bits: no product is merged with a sum, and
 * nothing is approximated. Everything here becomes part of its callers, which are compiled twice (math/quad.h). */
#ifndef ASHI_SOLVE_WIDE_LANES_H
#define ASHI_SOLVE_WIDE_LANES_H

#include "math/quad3.h"

#include <stdint.h>

#if ASHI_SINGLE
typedef float real;
typedef int32_t mask_number;
enum { LANES = 8 };
#else
typedef double real;
typedef int64_t mask_number;
enum { LANES = 4 };
#endif
typedef real lane __attribute__((vector_size(32)));
typedef mask_number lane_mask __attribute__((vector_size(32)));

/* What is known of a body: six numbers of its motion, each three with one beside them. */
typedef struct body_row {
    _Alignas(8 * sizeof(real)) real linear[4];
    real angular[4];
} body_row;

enum { HALVES = LANES / 4 }; /* of lanes, as quads of doubles */

ASHI_MERGED lane lane_of(real all)
{
    return all - (lane){0};
}

ASHI_MERGED lane lane_select(lane_mask mask, lane chosen, lane other)
{
    return (lane)((mask & (lane_mask)chosen) | (~mask & (lane_mask)other));
}

ASHI_MERGED lane lane_where(lane_mask mask, lane chosen)
{
    return (lane)(mask & (lane_mask)chosen);
}

ASHI_MERGED lane lane_least(lane a, lane b)
{
    return lane_select(a < b, a, b);
}

ASHI_MERGED bool lane_any(lane_mask mask)
{
    typedef long long numbers __attribute__((vector_size(32)));
    return quad_any((numbers)mask);
}

ASHI_MERGED lane lane_sqrt(lane a)
{
#if ASHI_SINGLE
    return (lane){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3]),
                  sqrtf(a[4]), sqrtf(a[5]), sqrtf(a[6]), sqrtf(a[7])};
#else
    return quad_sqrt(a);
#endif
}

/* 1 / a, 0 where a is not above it. */
ASHI_MERGED lane lane_inverse(lane a)
{
    return lane_where(a > lane_of(0), lane_of(1) / a);
}

/* Added up in one order. */
ASHI_MERGED double lane_sum(lane a)
{
    double sum = 0;
    for (int l = 0; l < LANES; l++)
        sum += (double)a[l];
    return sum;
}

/* Four of them as doubles. */
ASHI_MERGED ashi_quad quad_of_lanes(const lane *from, int half)
{
#if ASHI_SINGLE
    typedef float four __attribute__((vector_size(16)));
    four numbers;
    memcpy(&numbers, (const float *)from + 4 * half, sizeof numbers);
    return __builtin_convertvector(numbers, ashi_quad);
#else
    (void)half;
    return *from;
#endif
}

typedef struct lane3 {
    lane x, y, z;
} lane3;

ASHI_MERGED lane3 lane3_add(lane3 a, lane3 b)
{
    return (lane3){a.x + b.x, a.y + b.y, a.z + b.z};
}

ASHI_MERGED lane3 lane3_sub(lane3 a, lane3 b)
{
    return (lane3){a.x - b.x, a.y - b.y, a.z - b.z};
}

ASHI_MERGED lane3 lane3_scale(lane by, lane3 a)
{
    return (lane3){by * a.x, by * a.y, by * a.z};
}

ASHI_MERGED lane lane3_dot(lane3 a, lane3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

ASHI_MERGED lane3 lane3_cross(lane3 a, lane3 b)
{
    return (lane3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* The symmetric matrix xx yy zz xy xz yz times a vector. */
ASHI_MERGED lane3 lane3_apply(const lane m[6], lane3 a)
{
    return (lane3){m[0] * a.x + m[3] * a.y + m[4] * a.z, m[3] * a.x + m[1] * a.y + m[5] * a.z,
                   m[4] * a.x + m[5] * a.y + m[2] * a.z};
}

/* ---- rows of bodies ---- */

typedef struct lane_rows {
    lane number[8]; /* linear, beside, angular, beside */
} lane_rows;

#if ASHI_SINGLE
ASHI_MERGED void turn_rows(lane r[8])
{
    lane t[8], s[8];
    for (int i = 0; i < 4; i++) {
        t[2 * i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[2 * i + 1] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 2; i++) {
        s[4 * i] = __builtin_shufflevector(t[4 * i], t[4 * i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        s[4 * i + 1] = __builtin_shufflevector(t[4 * i], t[4 * i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        s[4 * i + 2] = __builtin_shufflevector(t[4 * i + 1], t[4 * i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        s[4 * i + 3] = __builtin_shufflevector(t[4 * i + 1], t[4 * i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int i = 0; i < 4; i++) {
        r[i] = __builtin_shufflevector(s[i], s[4 + i], 0, 1, 2, 3, 8, 9, 10, 11);
        r[4 + i] = __builtin_shufflevector(s[i], s[4 + i], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

ASHI_MERGED lane_rows lane_rows_load(const body_row *rows, const int32_t at[LANES])
{
    lane_rows m;
    for (int l = 0; l < LANES; l++)
        memcpy(&m.number[l], &rows[at[l]], sizeof m.number[l]);
    turn_rows(m.number);
    return m;
}

/* Not those of what does not move. */
ASHI_MERGED void lane_rows_store(lane_rows m, body_row *rows, const int32_t at[LANES])
{
    turn_rows(m.number);
    for (int l = 0; l < LANES; l++)
        if (at[l] > 0)
            memcpy(&rows[at[l]], &m.number[l], sizeof m.number[l]);
}
#else
ASHI_MERGED void turn_four(lane r[4])
{
    lane a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6), b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    lane c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6), d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

ASHI_MERGED lane_rows lane_rows_load(const body_row *rows, const int32_t at[LANES])
{
    lane_rows m;
    for (int l = 0; l < LANES; l++) {
        memcpy(&m.number[l], rows[at[l]].linear, sizeof(lane));
        memcpy(&m.number[4 + l], rows[at[l]].angular, sizeof(lane));
    }
    turn_four(m.number);
    turn_four(m.number + 4);
    return m;
}

ASHI_MERGED void lane_rows_store(lane_rows m, body_row *rows, const int32_t at[LANES])
{
    turn_four(m.number);
    turn_four(m.number + 4);
    for (int l = 0; l < LANES; l++)
        if (at[l] > 0) {
            memcpy(rows[at[l]].linear, &m.number[l], sizeof(lane));
            memcpy(rows[at[l]].angular, &m.number[4 + l], sizeof(lane));
        }
}
#endif

ASHI_MERGED lane3 linear_of(const lane_rows *m)
{
    return (lane3){m->number[0], m->number[1], m->number[2]};
}

ASHI_MERGED lane3 angular_of(const lane_rows *m)
{
    return (lane3){m->number[4], m->number[5], m->number[6]};
}

ASHI_MERGED lane_rows rows_of(lane3 linear, lane3 angular)
{
    lane none = {0};
    return (lane_rows){{linear.x, linear.y, linear.z, none, angular.x, angular.y, angular.z, none}};
}

#endif
