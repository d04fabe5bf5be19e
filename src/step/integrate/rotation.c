/* Rotation integrators for one body. Measured over 60 s of tumbling in tests/step/test_rotation.c. */
#include "step/integrate/rotation.h"

/* The cross product with a as a matrix. */
static ash_mat3 skew(ash_vec3 a)
{
    return (ash_mat3){v3(0, a.z, -a.y), v3(-a.z, 0, a.x), v3(a.y, -a.x, 0)};
}

static ash_mat3 add_scaled(ash_mat3 a, ash_mat3 b, double s)
{
    return (ash_mat3){v3_add_scaled(a.x, b.x, s), v3_add_scaled(a.y, b.y, s), v3_add_scaled(a.z, b.z, s)};
}

/* A square and its rounding error (Dekker): x^2 = square + error exactly, for |x| far from overflow. */
static double square_error(double x, double square)
{
    double big = 134217729.0 * x; /* 2^27 + 1 */
    double high = big - (big - x), low = x - high;
    return ((high * high - square) + 2 * high * low) + low * low;
}

/* |q|^2 - 1 to far below a rounding. */
static double excess(ash_quat q)
{
    double parts[4] = {q.w * q.w, q.x * q.x, q.y * q.y, q.z * q.z};
    double error = square_error(q.w, parts[0]) + square_error(q.x, parts[1]) + square_error(q.y, parts[2]) +
                   square_error(q.z, parts[3]);
    double sum = -1;
    for (int i = 0; i < 4; i++) { /* Knuth's sum with its error */
        double next = sum + parts[i], back = next - sum;
        error += (sum - (next - back)) + (parts[i] - back);
        sum = next;
    }
    return sum + error;
}

/* Rotates by q, independent of its exact length. A unit quaternion has a rounding error, nearly always of the same
 * sign; rotating to body axes and back in every step would let it grow in proportion to the number of steps. */
static ash_vec3 turn(ash_quat q, ash_vec3 v)
{
    ash_vec3 u = v3(q.x, q.y, q.z);
    ash_vec3 t = v3_scale(v3_cross(u, v), 2);
    ash_vec3 change = v3_add_scaled(v3_cross(u, t), t, q.w);
    return v3_add(v, v3_add_scaled(change, change, -excess(q)));
}

static ash_vec3 turn_back(ash_quat q, ash_vec3 v)
{
    return turn(q_conjugate(q), v);
}

static const ash_mat3 one = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* Rotates exactly about principal axis k, by the angle that the momentum component there gives in time h: the other two
 * components of the momentum turn back by the angle, the quaternion forward. */
static void turn_about_axis(double momentum[3], ash_quat *q, int k, double rate, double h)
{
    double half = 0.5 * h * rate * momentum[k];
    double s = ashi_sin(half), c = ashi_cos(half);
    double cos_full = c * c - s * s, sin_full = 2 * s * c;
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double pi = momentum[i], pj = momentum[j];
    momentum[i] = cos_full * pi + sin_full * pj;
    momentum[j] = cos_full * pj - sin_full * pi;
    *q = q_mul(*q, (ash_quat){c, k == 0 ? s : 0, k == 1 ? s : 0, k == 2 ? s : 0});
}

void ashi_rotate_by_splitting(const ashi_rotor *rotor, double h, ash_quat *rotation, ash_vec3 *spin)
{
    ash_quat q = q_mul(*rotation, rotor->principal_axes);
    ash_vec3 w = turn_back(q, *spin);
    double moments[3] = {rotor->principal.x, rotor->principal.y, rotor->principal.z};
    double momentum[3] = {moments[0] * w.x, moments[1] * w.y, moments[2] * w.z};
    static const int axes[5] = {0, 1, 2, 1, 0};
    for (int i = 0; i < 5; i++)
        turn_about_axis(momentum, &q, axes[i], 1 / moments[axes[i]], axes[i] == 2 ? h : 0.5 * h);
    q = q_unit(q);
    *spin = turn(q, v3(momentum[0] / moments[0], momentum[1] / moments[1], momentum[2] / moments[2]));
    *rotation = q_unit(q_mul(q, q_conjugate(rotor->principal_axes)));
}

bool ashi_rotate_by_midpoint(const ashi_rotor *rotor, double h, ash_vec3 torque, ash_quat *rotation, ash_vec3 *spin,
                             ash_quat *middle)
{
    enum { MOST_ITERATIONS = 30 };
    ash_vec3 start = s3_apply(rotor->inertia, turn_back(*rotation, *spin)); /* P0 */
    ash_vec3 push = turn_back(*rotation, torque);                           /* R0^T tau */
    ash_vec3 momentum = v3_add_scaled(start, push, 0.5 * h);                /* Pm */
    ash_mat3 inverse = m3_from_sym(rotor->inverse);
    double scale = v3_norm(start) + h * v3_norm(push), before = INFINITY;
    bool converged = false;
    for (int i = 0; i < MOST_ITERATIONS && !converged; i++) {
        ash_vec3 w = s3_apply(rotor->inverse, momentum);
        /* f = Pm - P0 - h/2 Pm x w - h/2 (push - h/2 w x push) */
        ash_vec3 f = v3_sub(v3_sub(momentum, start), v3_scale(v3_cross(momentum, w), 0.5 * h));
        f = v3_sub(f, v3_scale(v3_add_scaled(push, v3_cross(w, push), -0.5 * h), 0.5 * h));
        double size = v3_norm(f);
        if (size == 0 || (size <= 1e-14 * scale && size >= 0.5 * before)) {
            converged = true; /* to rounding: the last correction changed nothing more */
            break;
        }
        ash_mat3 derivative = add_scaled(one, skew(w), 0.5 * h);
        derivative = add_scaled(derivative, m3_mul(skew(momentum), inverse), -0.5 * h);
        derivative = add_scaled(derivative, m3_mul(skew(push), inverse), -0.25 * h * h);
        momentum = v3_sub(momentum, m3_solve(derivative, f));
        before = size;
    }
    ash_vec3 w = s3_apply(rotor->inverse, momentum);
    *middle = q_mul(*rotation, q_cayley(v3_scale(w, 0.5 * h)));
    *rotation = q_unit(q_mul(*rotation, q_cayley(v3_scale(w, h))));
    *spin = turn(*rotation, s3_apply(rotor->inverse, v3_sub(v3_scale(momentum, 2), start)));
    return converged;
}

void ashi_rotate_by_momentum(const ashi_rotor *rotor, double h, ash_vec3 torque, ash_quat *rotation, ash_vec3 *spin)
{
    ash_quat q = *rotation;
    ash_vec3 momentum = turn(q, s3_apply(rotor->inertia, turn_back(q, *spin)));
    momentum = v3_add_scaled(momentum, torque, h);
    ash_vec3 w = turn(q, s3_apply(rotor->inverse, turn_back(q, momentum)));
    q = q_unit(q_mul(q_exp(v3_scale(w, h)), q));
    *rotation = q;
    *spin = turn(q, s3_apply(rotor->inverse, turn_back(q, momentum)));
}

ash_vec3 ashi_gyroscopic_implicit(const ashi_rotor *rotor, double h, ash_quat rotation, ash_vec3 spin)
{
    enum { MOST_ITERATIONS = 20 };
    ash_vec3 start = turn_back(rotation, spin), w = start;
    ash_mat3 inertia = m3_from_sym(rotor->inertia);
    double scale = v3_norm(s3_apply(rotor->inertia, start));
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        /* f(w) = I (w - start) + h w x I w */
        ash_vec3 momentum = s3_apply(rotor->inertia, w);
        ash_vec3 f = v3_add_scaled(s3_apply(rotor->inertia, v3_sub(w, start)), v3_cross(w, momentum), h);
        if (v3_norm(f) <= 1e-13 * scale)
            break;
        ash_mat3 derivative = add_scaled(inertia, m3_mul(skew(w), inertia), h);
        derivative = add_scaled(derivative, skew(momentum), -h);
        w = v3_sub(w, m3_solve(derivative, f));
    }
    return turn(rotation, w);
}
