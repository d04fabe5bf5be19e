/* Four vectors side by side. */
#ifndef ASHI_MATH_QUAD3_H
#define ASHI_MATH_QUAD3_H

#include "math/quad.h"

typedef struct ashi_quad3 {
    ashi_quad x, y, z;
} ashi_quad3;

ASHI_MERGED ashi_quad3 quad3_add(ashi_quad3 a, ashi_quad3 b)
{
    return (ashi_quad3){a.x + b.x, a.y + b.y, a.z + b.z};
}

ASHI_MERGED ashi_quad3 quad3_sub(ashi_quad3 a, ashi_quad3 b)
{
    return (ashi_quad3){a.x - b.x, a.y - b.y, a.z - b.z};
}

ASHI_MERGED ashi_quad3 quad3_scale(ashi_quad factor, ashi_quad3 a)
{
    return (ashi_quad3){factor * a.x, factor * a.y, factor * a.z};
}

ASHI_MERGED ashi_quad quad3_dot(ashi_quad3 a, ashi_quad3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

ASHI_MERGED ashi_quad3 quad3_cross(ashi_quad3 a, ashi_quad3 b)
{
    return (ashi_quad3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* a, with 0 in the lanes of the mask. */
ASHI_MERGED ashi_quad3 quad3_where(ashi_quad_mask mask, ashi_quad3 a)
{
    return (ashi_quad3){quad_where(mask, a.x), quad_where(mask, a.y), quad_where(mask, a.z)};
}

ASHI_MERGED ashi_quad3 quad3_select(ashi_quad_mask mask, ashi_quad3 chosen, ashi_quad3 other)
{
    return (ashi_quad3){quad_select(mask, chosen.x, other.x), quad_select(mask, chosen.y, other.y),
                        quad_select(mask, chosen.z, other.z)};
}

ASHI_MERGED ashi_quad3 quad3_load(double from[3][4])
{
    return (ashi_quad3){quad_load(from[0]), quad_load(from[1]), quad_load(from[2])};
}

ASHI_MERGED void quad3_store(double to[3][4], ashi_quad3 a)
{
    quad_store(to[0], a.x);
    quad_store(to[1], a.y);
    quad_store(to[2], a.z);
}

/* Four vectors, and the numbers beside them. */
ASHI_MERGED ashi_quad3 quad3_of(ashi_quad first, ashi_quad second, ashi_quad third, ashi_quad fourth, ashi_quad *beside)
{
    ashi_quad x_z = __builtin_shufflevector(first, second, 0, 4, 2, 6);
    ashi_quad y_w = __builtin_shufflevector(first, second, 1, 5, 3, 7);
    ashi_quad later_x_z = __builtin_shufflevector(third, fourth, 0, 4, 2, 6);
    ashi_quad later_y_w = __builtin_shufflevector(third, fourth, 1, 5, 3, 7);
    *beside = __builtin_shufflevector(y_w, later_y_w, 2, 3, 6, 7);
    return (ashi_quad3){__builtin_shufflevector(x_z, later_x_z, 0, 1, 4, 5),
                        __builtin_shufflevector(y_w, later_y_w, 0, 1, 4, 5),
                        __builtin_shufflevector(x_z, later_x_z, 2, 3, 6, 7)};
}

/* Loads the vectors at four addresses. */
ASHI_MERGED ashi_quad3 quad3_gather(const double *const from[4], ashi_quad *beside)
{
    return quad3_of(quad_load(from[0]), quad_load(from[1]), quad_load(from[2]), quad_load(from[3]), beside);
}

/* The inverse: each vector by itself, with one more number. */
ASHI_MERGED void quad3_part(ashi_quad3 a, ashi_quad vectors[4])
{
    ashi_quad even = __builtin_shufflevector(a.x, a.y, 0, 4, 2, 6), odd = __builtin_shufflevector(a.x, a.y, 1, 5, 3, 7);
    ashi_quad even_z = __builtin_shufflevector(a.z, a.z, 0, 4, 2, 6);
    ashi_quad odd_z = __builtin_shufflevector(a.z, a.z, 1, 5, 3, 7);
    vectors[0] = __builtin_shufflevector(even, even_z, 0, 1, 4, 5);
    vectors[1] = __builtin_shufflevector(odd, odd_z, 0, 1, 4, 5);
    vectors[2] = __builtin_shufflevector(even, even_z, 2, 3, 6, 7);
    vectors[3] = __builtin_shufflevector(odd, odd_z, 2, 3, 6, 7);
}

#endif
