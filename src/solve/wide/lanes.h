/* Numbers side by side: eight single ones where ASHI_SINGLE is 1, sixteen where ASHI_LANES says so, else four doubles.
 * A machine without registers of that size takes them in parts, with the same bits: no product is merged with a sum,
 * and nothing is approximated. Sums over lanes are made group by group, 32 bytes each, in every form. Everything here
 * becomes part of its callers, which are compiled several times (math/quad.h). */
#ifndef ASHI_SOLVE_WIDE_LANES_H
#define ASHI_SOLVE_WIDE_LANES_H

#include "math/quad3.h"

#include <stdint.h>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#ifndef ASHI_LANES
#define ASHI_LANES (ASHI_SINGLE ? 8 : 4)
#endif

#if ASHI_SINGLE
typedef float real;
typedef int32_t mask_number;
#else
typedef double real;
typedef int64_t mask_number;
#endif
enum { LANES = ASHI_LANES, GROUP = 32 / sizeof(real), GROUPS = LANES / GROUP };
enum { QUADS = GROUP / 4 }; /* of a group, as doubles */
typedef real lane __attribute__((vector_size(LANES * sizeof(real))));

/* A group, and halves of one. */
typedef real lane_group __attribute__((vector_size(32)));

/* What is known of a body: six numbers of its motion, each three with one beside them. */
typedef struct body_row {
    _Alignas(8 * sizeof(real)) real linear[4];
    real angular[4];
} body_row;

/* Its numbers, in registers. */
enum { BODY_PARTS = 8 * sizeof(real) / 32 };
typedef struct body_numbers {
    lane_group part[BODY_PARTS];
} body_numbers;

ASHI_MERGED body_numbers numbers_of(const body_row *row)
{
    body_numbers n;
    memcpy(&n, row, sizeof n);
    return n;
}

ASHI_MERGED void set_numbers(body_row *row, body_numbers n)
{
    memcpy(row, &n, sizeof n);
}

/* A lane of its first and last group, and a group of it. */
#if ASHI_LANES == 16
ASHI_MERGED lane lane_of_groups(lane_group first, lane_group last)
{
    return __builtin_shufflevector(first, last, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

ASHI_MERGED lane_group group_of_lane(lane from, int group)
{
    return group == 0 ? __builtin_shufflevector(from, from, 0, 1, 2, 3, 4, 5, 6, 7)
                      : __builtin_shufflevector(from, from, 8, 9, 10, 11, 12, 13, 14, 15);
}
#else
ASHI_MERGED lane lane_of_groups(lane_group first, lane_group last)
{
    (void)last;
    return first;
}

ASHI_MERGED lane_group group_of_lane(lane from, int group)
{
    (void)group;
    return from;
}
#endif

ASHI_MERGED lane lane_of(real all)
{
    return all - (lane){0};
}

/* Comparisons, and what is chosen by them. Registers of 64 bytes have masks of their own. */
#if ASHI_LANES == 16
typedef __mmask16 lane_mask;

ASHI_MERGED lane_mask lane_above(lane a, lane b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}

ASHI_MERGED lane_mask lane_reaches(lane a, lane b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ);
}

ASHI_MERGED lane_mask lane_differs(lane a, lane b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ);
}

ASHI_MERGED lane_mask lane_all(void)
{
    return (lane_mask)0xffff;
}

ASHI_MERGED bool lane_any(lane_mask mask)
{
    return mask != 0;
}

ASHI_MERGED bool lane_has(lane_mask mask, int l)
{
    return (mask >> l & 1) != 0;
}

ASHI_MERGED lane lane_select(lane_mask mask, lane chosen, lane other)
{
    return _mm512_mask_blend_ps(mask, other, chosen);
}

ASHI_MERGED lane lane_where(lane_mask mask, lane chosen)
{
    return _mm512_maskz_mov_ps(mask, chosen);
}
#else
typedef mask_number lane_mask __attribute__((vector_size(LANES * sizeof(real))));

ASHI_MERGED lane_mask lane_above(lane a, lane b)
{
    return a > b;
}

ASHI_MERGED lane_mask lane_reaches(lane a, lane b)
{
    return a >= b;
}

ASHI_MERGED lane_mask lane_differs(lane a, lane b)
{
    return a != b;
}

ASHI_MERGED lane_mask lane_all(void)
{
    return (lane){0} == (lane){0};
}

ASHI_MERGED bool lane_any(lane_mask mask)
{
    return quad_any((ashi_quad_mask)mask);
}

ASHI_MERGED bool lane_has(lane_mask mask, int l)
{
    return mask[l] != 0;
}

ASHI_MERGED lane lane_select(lane_mask mask, lane chosen, lane other)
{
    return (lane)((mask & (lane_mask)chosen) | (~mask & (lane_mask)other));
}

ASHI_MERGED lane lane_where(lane_mask mask, lane chosen)
{
    return (lane)(mask & (lane_mask)chosen);
}
#endif

ASHI_MERGED lane lane_least(lane a, lane b)
{
    return lane_select(lane_above(b, a), a, b);
}

ASHI_MERGED lane lane_sqrt(lane a)
{
    real roots[LANES];
    memcpy(roots, &a, sizeof a);
    for (int l = 0; l < LANES; l++)
        roots[l] = ASHI_SINGLE ? (real)sqrtf((float)roots[l]) : (real)sqrt((double)roots[l]);
    memcpy(&a, roots, sizeof a);
    return a;
}

/* 1 / a, 0 where a is not above it. */
ASHI_MERGED lane lane_inverse(lane a)
{
    return lane_where(lane_above(a, lane_of(0)), lane_of(1) / a);
}

/* A group's, added up in one order. */
ASHI_MERGED double lane_sum(lane a, int group)
{
    double sum = 0;
    for (int l = group * GROUP; l < (group + 1) * GROUP; l++)
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
/* Of each 16 bytes of a and b: the first halves, and the second halves, number by number in turns; the same with pairs
 * of numbers; and of each 32 bytes their first and second halves. */
#if ASHI_LANES == 16
#define FIRST_NUMBERS  0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define SECOND_NUMBERS 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define FIRST_PAIRS    0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define SECOND_PAIRS   2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define FIRST_HALVES   0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27
#define SECOND_HALVES  4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31
#else
#define FIRST_NUMBERS  0, 8, 1, 9, 4, 12, 5, 13
#define SECOND_NUMBERS 2, 10, 3, 11, 6, 14, 7, 15
#define FIRST_PAIRS    0, 1, 8, 9, 4, 5, 12, 13
#define SECOND_PAIRS   2, 3, 10, 11, 6, 7, 14, 15
#define FIRST_HALVES   0, 1, 2, 3, 8, 9, 10, 11
#define SECOND_HALVES  4, 5, 6, 7, 12, 13, 14, 15
#endif

ASHI_MERGED void turn_rows(lane r[8])
{
    lane t[8], s[8];
    for (int i = 0; i < 4; i++) {
        t[2 * i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], FIRST_NUMBERS);
        t[2 * i + 1] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], SECOND_NUMBERS);
    }
    for (int i = 0; i < 2; i++) {
        s[4 * i] = __builtin_shufflevector(t[4 * i], t[4 * i + 2], FIRST_PAIRS);
        s[4 * i + 1] = __builtin_shufflevector(t[4 * i], t[4 * i + 2], SECOND_PAIRS);
        s[4 * i + 2] = __builtin_shufflevector(t[4 * i + 1], t[4 * i + 3], FIRST_PAIRS);
        s[4 * i + 3] = __builtin_shufflevector(t[4 * i + 1], t[4 * i + 3], SECOND_PAIRS);
    }
    for (int i = 0; i < 4; i++) {
        r[i] = __builtin_shufflevector(s[i], s[4 + i], FIRST_HALVES);
        r[4 + i] = __builtin_shufflevector(s[i], s[4 + i], SECOND_HALVES);
    }
}

ASHI_MERGED lane_group row_of_body(const body_row *row)
{
    lane_group numbers;
    memcpy(&numbers, row, sizeof numbers);
    return numbers;
}

/* Row l is in the group that it belongs to. */
ASHI_MERGED lane_rows lane_rows_load(const body_row *rows, const int32_t at[LANES])
{
    lane_rows m;
    for (int l = 0; l < GROUP; l++)
        m.number[l] = lane_of_groups(row_of_body(&rows[at[l]]), row_of_body(&rows[at[LANES - GROUP + l]]));
    turn_rows(m.number);
    return m;
}

/* Not those of what does not move. */
ASHI_MERGED void lane_rows_store(lane_rows m, body_row *rows, const int32_t at[LANES])
{
    turn_rows(m.number);
    for (int g = 0; g < GROUPS; g++)
        for (int l = 0; l < GROUP; l++) {
            lane_group row = group_of_lane(m.number[l], g);
            if (at[g * GROUP + l] > 0)
                memcpy(&rows[at[g * GROUP + l]], &row, sizeof row);
        }
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
