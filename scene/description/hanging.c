/* The chain of given length between two points, in equilibrium under gravity: with c = horizontal force over weight per
 * length, u from u0 to u0 + 2 a along it,
 *
 *   sinh(a) / a = sqrt(length^2 - drop^2) / span,   c = span / (2 a),   tanh(u0 + a) = -drop / length,
 *   arc = c (sinh u - sinh u0),  aside = c (u - u0),  up = c (cosh u - cosh u0). */
#include "math/elementary.h"
#include "math/vec3.h"
#include "scene/description/lattice.h"

#include <math.h>

#define SLIM 1e-9 /* of its length: a span that counts as none */

static double sinh_of(double x)
{
    return fabs(x) < 1e-3 ? x + x * x * x / 6 : 0.5 * (ashi_exp(x) - ashi_exp(-x));
}

static double cosh_of(double x)
{
    return 0.5 * (ashi_exp(x) + ashi_exp(-x));
}

static double arsinh(double z)
{
    double size = ashi_ln(fabs(z) + sqrt(z * z + 1));
    return z < 0 ? -size : size;
}

/* a > 0 with sinh(a) / a = ratio > 1, by bisection. */
static double half_angle(double ratio)
{
    double low = 0, high = 1;
    while (sinh_of(high) < ratio * high && high < 600)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        if (sinh_of(middle) < ratio * middle)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

ashi_hanging ashi_hang(ash_vec3 from, ash_vec3 to, double length, ash_vec3 gravity)
{
    ash_vec3 apart = v3_sub(to, from);
    double distance = v3_norm(apart);
    ashi_hanging h = {.from = from, .to = to, .length = length, .form = TAUT};
    if (!(length > distance * (1 + SLIM)))
        return h;
    h.down = v3_norm2(gravity) > 0 ? v3_unit(gravity) : distance > 0 ? v3_perpendicular(v3_unit(apart)) : v3(0, 0, -1);
    h.drop = v3_dot(apart, h.down);
    ash_vec3 flat = v3_add_scaled(apart, h.down, -h.drop);
    double span = v3_norm(flat);
    h.form = DOUBLED;
    if (!(span > SLIM * length))
        return h;
    h.form = CURVED;
    h.aside = v3_scale(flat, 1 / span);
    double a = half_angle(sqrt((length - h.drop) * (length + h.drop)) / span);
    h.parameter = 0.5 * span / a;
    h.start = 0.5 * ashi_ln((length - h.drop) / (length + h.drop)) - a;
    return h;
}

ash_vec3 ashi_hanging_at(const ashi_hanging *h, double share)
{
    double arc = share * h->length, turn = 0.5 * (h->length + h->drop);
    if (h->form == TAUT)
        return v3_add_scaled(h->from, v3_sub(h->to, h->from), share);
    if (h->form == DOUBLED)
        return arc < turn ? v3_add_scaled(h->from, h->down, arc) : v3_add_scaled(h->to, h->down, h->length - arc);
    double u = arsinh(sinh_of(h->start) + arc / h->parameter);
    ash_vec3 place = v3_add_scaled(h->from, h->aside, h->parameter * (u - h->start));
    return v3_add_scaled(place, h->down, -h->parameter * (cosh_of(u) - cosh_of(h->start)));
}
