/* Coulomb friction by a single impulse: sticking is tried first, else the point slides.
 *
 * With the normal N, the velocity u = u_n N + u_t and the response K, the sticking impulse makes  u' = -e u_n N,
 *   j = K^-1 (-e u_n N - u).
 * If that is outside the cone |j_t| <= mu j_n, the point slides along T = u_t / |u_t|,
 *   j = j_n (N - mu T),  j_n = -(1 + e) u_n / (N . K (N - mu T)),
 * which gives the same normal velocity. The divisor can be zero or negative for slender bodies and large friction
 * (Painleve's paradox), which the paper does not mention: such a point gets no friction.
 *
 * With friction both can add energy, which the paper does not mention either: e is then the largest value that does
 * not. */
#include "step/point_impulse.h"

#include "math/semidefinite.h"
#include "problem/assemble.h"

#include <math.h>

#define SINGULAR 1e-12 /* of the response: a smaller rest belongs to directions that cannot move */
#define STILL    1e-9  /* of the velocity: smaller slip has no direction */
#define NOTHING  1e-12 /* of the impulse times the velocity: rounding */
#define HALVINGS 12
#define JAMMED   0.01 /* of N . K N: smaller divisors would give arbitrarily large impulses */

ash_sym3 ashi_point_response(ash_vec3 inverse_mass, ash_sym3 inverse_inertia, ash_vec3 r)
{
    /* Columns e of it: e / m + (I^-1 (r x e)) x r. */
    ash_vec3 x = v3_cross(s3_apply(inverse_inertia, v3(0, r.z, -r.y)), r);
    ash_vec3 y = v3_cross(s3_apply(inverse_inertia, v3(-r.z, 0, r.x)), r);
    ash_vec3 z = v3_cross(s3_apply(inverse_inertia, v3(r.y, -r.x, 0)), r);
    return (ash_sym3){inverse_mass.x + x.x, inverse_mass.y + y.y, inverse_mass.z + z.z, x.y, x.z, y.z};
}

static ash_vec3 sticking(const ashi_impulse_point *touch, double approach)
{
    const ash_sym3 *k = &touch->response;
    ash_vec3 axis[3] = {touch->normal};
    ashi_tangents(touch->normal, false, axis + 1);
    double a[3][ASHI_SEMIDEFINITE_MOST], b[3], x[3];
    for (int j = 0; j < 3; j++) {
        ash_vec3 column = s3_apply(*k, axis[j]);
        for (int i = 0; i < 3; i++)
            a[i][j] = v3_dot(axis[i], column);
        b[j] = j == 0 ? (1 + touch->restitution) * approach : -v3_dot(axis[j], touch->velocity);
    }
    ashi_semidefinite_solve(3, a, b, SINGULAR, x);
    return v3_add_scaled(v3_add_scaled(v3_scale(axis[0], x[0]), axis[1], x[1]), axis[2], x[2]);
}

/* The direction of sliding: along the velocity or, if it is zero, against the impulse that would make the point
 * stick. */
static ash_vec3 sliding_direction(const ashi_impulse_point *touch, ash_vec3 stick)
{
    ash_vec3 n = touch->normal;
    ash_vec3 slip = v3_add_scaled(touch->velocity, n, -v3_dot(touch->velocity, n));
    if (v3_norm(slip) > STILL * v3_norm(touch->velocity))
        return v3_unit(slip);
    ash_vec3 held = v3_add_scaled(stick, n, -v3_dot(stick, n));
    return v3_norm2(held) > 0 ? v3_scale(v3_unit(held), -1) : v3(0, 0, 0);
}

static ash_vec3 impulse_of(const ashi_impulse_point *touch)
{
    ash_vec3 n = touch->normal, along = s3_apply(touch->response, n);
    double approach = -v3_dot(touch->velocity, n), pivot = v3_dot(n, along);
    double size = touch->response.xx + touch->response.yy + touch->response.zz;
    if (!(approach > 0) || !(pivot > SINGULAR * size))
        return v3(0, 0, 0);
    double wanted = (1 + touch->restitution) * approach;
    if (touch->friction > 0) {
        ash_vec3 stick = sticking(touch, approach);
        double normal = v3_dot(stick, n);
        if (normal >= 0 && v3_norm(v3_add_scaled(stick, n, -normal)) <= touch->friction * normal)
            return stick;
        ash_vec3 slide = sliding_direction(touch, stick);
        double divisor = pivot - touch->friction * v3_dot(along, slide);
        if (divisor > JAMMED * pivot)
            return v3_scale(v3_add_scaled(n, slide, -touch->friction), wanted / divisor);
    }
    return v3_scale(n, wanted / pivot);
}

/* The kinetic energy added by an impulse. */
static double gain_of(const ashi_impulse_point *touch, ash_vec3 impulse)
{
    ash_vec3 change = s3_apply(touch->response, impulse);
    return v3_dot(impulse, v3_add_scaled(touch->velocity, change, 0.5));
}

ash_vec3 ashi_point_impulse(const ashi_impulse_point *touch)
{
    ash_vec3 impulse = impulse_of(touch), best;
    if (!(touch->restitution > 0) || !(touch->friction > 0) ||
        !(gain_of(touch, impulse) > NOTHING * v3_norm(impulse) * v3_norm(touch->velocity)))
        return impulse;
    ashi_impulse_point less = *touch;
    less.friction = 0;
    best = impulse_of(&less); /* as a last resort: without friction there is no gain */
    less.friction = touch->friction;
    double low = 0, high = touch->restitution;
    for (int i = 0; i <= HALVINGS; i++) {
        less.restitution = i == 0 ? 0 : 0.5 * (low + high);
        impulse = impulse_of(&less);
        bool passive = !(gain_of(touch, impulse) > 0);
        best = passive ? impulse : best;
        low = passive ? less.restitution : low;
        high = passive ? high : less.restitution;
    }
    return best;
}
