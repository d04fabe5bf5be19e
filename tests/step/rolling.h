/* Convex bodies that roll or slide on a moving plane, by their own equations of motion (not the engine's), for tests of
 * order. With r from the centre of mass to the lowest point, u the speed of the surface there, n = z:
 *
 *   rolling   v + w x r = u:  I w' + m r x (w' x r) = m r x (u' - w x r' - g) - w x I w
 *   sliding   (v + w x r - u) n = 0, F = N (n - mu s / |s|):  a = g + F / m,  I w' = r x F - w x I w
 *
 * integrated by Runge and Kutta's method of order 4. */
#ifndef TESTS_STEP_ROLLING_H
#define TESTS_STEP_ROLLING_H

#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"

typedef struct roller {
    /* The lowest point, from the centre of mass, in world axes. */
    ash_vec3 (*lowest)(const struct roller *roller, ash_quat q);
    double radius, thickness; /* ball: radius and height of its centre over the centre of mass; disc: radius and half
                                 its thickness */
    ash_vec3 axes;            /* semi-axes of an ellipsoid */
    double mass;
    ash_sym3 inertia; /* body axes */
    ash_vec3 gravity;
    double friction;  /* < 0: rolls */
    double turn_rate; /* of the plane, about z through the origin */
} roller;

typedef struct roller_state {
    ash_vec3 position, velocity, spin;
    ash_quat rotation;
} roller_state;

static inline ash_vec3 lowest_of_ball(const roller *b, ash_quat q)
{
    return v3_add(q_rotate(q, v3(0, 0, b->thickness)), v3(0, 0, -b->radius));
}

static inline ash_vec3 lowest_of_disc(const roller *b, ash_quat q)
{
    ash_vec3 axis = q_rotate(q, v3(0, 0, 1)), down = v3_add_scaled(v3(0, 0, -1), axis, axis.z);
    return v3_add_scaled(v3_scale(v3_unit(down), b->radius), axis, axis.z > 0 ? -b->thickness : b->thickness);
}

static inline ash_vec3 lowest_of_ellipsoid(const roller *b, ash_quat q)
{
    ash_vec3 n = q_unrotate(q, v3(0, 0, 1)), m = v3_mul(v3_mul(b->axes, b->axes), n);
    return q_rotate(q, v3_scale(m, -1 / sqrt(v3_dot(n, m))));
}

/* The speed of r while the body turns with w, by differences of order 4. */
static inline ash_vec3 lowest_rate(const roller *b, const roller_state *s)
{
    ash_vec3 at[4], e = v3_scale(s->spin, 1e-4);
    const double times[4] = {-2, -1, 1, 2};
    for (int i = 0; i < 4; i++)
        at[i] = b->lowest(b, q_mul(q_exp(v3_scale(e, times[i])), s->rotation));
    ash_vec3 near = v3_scale(v3_sub(at[2], at[1]), 8), far = v3_sub(at[3], at[0]);
    return v3_scale(v3_sub(near, far), 1 / 12e-4);
}

static inline ash_vec3 surface_speed(const roller *b, ash_vec3 place)
{
    return v3_scale(v3(-place.y, place.x, 0), b->turn_rate);
}

/* The accelerations of the centre and of the rotation. */
static inline void accelerations_of(const roller *b, const roller_state *s, ash_vec3 *linear, ash_vec3 *angular)
{
    ash_vec3 r = b->lowest(b, s->rotation), rate = lowest_rate(b, s), w = s->spin, n = v3(0, 0, 1);
    ash_sym3 inertia = s3_rotated(b->inertia, s->rotation);
    ash_vec3 gyro = v3_cross(w, s3_apply(inertia, w)), turned = v3_cross(w, rate);
    if (b->friction < 0) {
        ash_vec3 place_speed = v3_add(s->velocity, rate);
        ash_vec3 known = v3_sub(surface_speed(b, place_speed), turned);
        ash_sym3 about = s3_add(inertia, s3_point_inertia(b->mass, r));
        ash_vec3 moment = v3_sub(v3_scale(v3_cross(r, v3_sub(known, b->gravity)), b->mass), gyro);
        *angular = m3_solve(m3_from_sym(about), moment);
        *linear = v3_sub(known, v3_cross(*angular, r));
        return;
    }
    ash_vec3 slip = v3_add(s->velocity, v3_cross(w, r));
    slip = v3_sub(slip, surface_speed(b, v3_add(s->position, r)));
    slip.z = 0;
    ash_vec3 f = v3_add_scaled(n, v3_unit(slip), v3_norm(slip) > 0 ? -b->friction : 0);
    ash_sym3 inverse = s3_inverse(inertia);
    ash_vec3 by_force = s3_apply(inverse, v3_cross(r, f)), free = s3_apply(inverse, v3_neg(gyro));
    double needed = -(b->gravity.z + v3_cross(free, r).z + turned.z);
    double pressure = needed / (f.z / b->mass + v3_cross(by_force, r).z);
    *linear = v3_add_scaled(b->gravity, f, pressure / b->mass);
    *angular = v3_add_scaled(free, by_force, pressure);
}

static inline roller_state roller_moved(const roller_state *s, const roller_state *at, ash_vec3 linear,
                                        ash_vec3 angular, double h)
{
    /* The rate of a rotation that is q0's turned by a vector is not its spin: quaternions are added up instead. */
    ash_quat rate = q_mul((ash_quat){0, 0.5 * at->spin.x, 0.5 * at->spin.y, 0.5 * at->spin.z}, at->rotation);
    ash_quat q = {s->rotation.w + h * rate.w, s->rotation.x + h * rate.x, s->rotation.y + h * rate.y,
                  s->rotation.z + h * rate.z};
    return (roller_state){v3_add_scaled(s->position, at->velocity, h), v3_add_scaled(s->velocity, linear, h),
                          v3_add_scaled(s->spin, angular, h), q};
}

static inline roller_state rolled(const roller *b, roller_state s, double time, int steps)
{
    double h = time / steps;
    for (int i = 0; i < steps; i++) {
        ash_vec3 a[4], w[4];
        roller_state at[4] = {s};
        for (int k = 0; k < 4; k++) {
            if (k > 0) {
                at[k] = roller_moved(&s, &at[k - 1], a[k - 1], w[k - 1], k < 3 ? 0.5 * h : h);
                at[k].rotation = q_unit(at[k].rotation);
            }
            accelerations_of(b, &at[k], &a[k], &w[k]);
        }
        roller_state sum = s;
        const double weight[4] = {h / 6, h / 3, h / 3, h / 6};
        for (int k = 0; k < 4; k++) {
            ash_quat rate =
                q_mul((ash_quat){0, 0.5 * at[k].spin.x, 0.5 * at[k].spin.y, 0.5 * at[k].spin.z}, at[k].rotation);
            sum.position = v3_add_scaled(sum.position, at[k].velocity, weight[k]);
            sum.velocity = v3_add_scaled(sum.velocity, a[k], weight[k]);
            sum.spin = v3_add_scaled(sum.spin, w[k], weight[k]);
            sum.rotation = (ash_quat){sum.rotation.w + weight[k] * rate.w, sum.rotation.x + weight[k] * rate.x,
                                      sum.rotation.y + weight[k] * rate.y, sum.rotation.z + weight[k] * rate.z};
        }
        sum.rotation = q_unit(sum.rotation);
        s = sum;
    }
    return s;
}

#endif
