/* Vectors of two and poses in the plane, for flat geometries. */
#ifndef ASHI_MATH_VEC2_H
#define ASHI_MATH_VEC2_H

#include "math/vec3.h"

typedef struct ashi_vec2 {
    double x, y;
} ashi_vec2;

static inline ashi_vec2 v2(double x, double y)
{
    return (ashi_vec2){x, y};
}

/* a without its z. */
static inline ashi_vec2 v2_of(ash_vec3 a)
{
    return v2(a.x, a.y);
}

static inline ash_vec3 v3_of(ashi_vec2 a)
{
    return v3(a.x, a.y, 0);
}

static inline ashi_vec2 v2_sub(ashi_vec2 a, ashi_vec2 b)
{
    return v2(a.x - b.x, a.y - b.y);
}

static inline ashi_vec2 v2_neg(ashi_vec2 a)
{
    return v2(-a.x, -a.y);
}

/* a + s b */
static inline ashi_vec2 v2_add_scaled(ashi_vec2 a, ashi_vec2 b, double s)
{
    return v2(a.x + b.x * s, a.y + b.y * s);
}

static inline double v2_dot(ashi_vec2 a, ashi_vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

/* Positive when b lies to the left of a. */
static inline double v2_cross(ashi_vec2 a, ashi_vec2 b)
{
    return a.x * b.y - a.y * b.x;
}

/* A quarter turn to the right; the outward side of a counter-clockwise outline. */
static inline ashi_vec2 v2_right(ashi_vec2 a)
{
    return v2(a.y, -a.x);
}

static inline double v2_norm(ashi_vec2 a)
{
    return sqrt(v2_dot(a, a));
}

/* The unit vector along a; zero for a zero vector. */
static inline ashi_vec2 v2_unit(ashi_vec2 a)
{
    return v2_of(v3_unit(v3_of(a)));
}

/* First rotate by the angle with this cosine and sine, then translate. */
typedef struct ashi_pose2 {
    double cosine, sine;
    ashi_vec2 position;
} ashi_pose2;

static inline ashi_vec2 p2_turn(ashi_pose2 p, ashi_vec2 a)
{
    return v2(p.cosine * a.x - p.sine * a.y, p.sine * a.x + p.cosine * a.y);
}

static inline ashi_vec2 p2_turn_back(ashi_pose2 p, ashi_vec2 a)
{
    return v2(p.cosine * a.x + p.sine * a.y, p.cosine * a.y - p.sine * a.x);
}

static inline ashi_vec2 p2_point(ashi_pose2 p, ashi_vec2 a)
{
    return v2_add_scaled(p.position, p2_turn(p, a), 1);
}

static inline ashi_vec2 p2_point_back(ashi_pose2 p, ashi_vec2 a)
{
    return p2_turn_back(p, v2_sub(a, p.position));
}

static inline ashi_pose2 p2_inverse(ashi_pose2 p)
{
    return (ashi_pose2){p.cosine, -p.sine, v2_neg(p2_turn_back(p, p.position))};
}

/* The pose of a planar transform, which only turns about z. */
static inline ashi_pose2 p2_of(ash_transform t)
{
    double w = t.rotation.w, z = t.rotation.z;
    return (ashi_pose2){w * w - z * z, 2 * w * z, v2_of(t.position)};
}

#endif
