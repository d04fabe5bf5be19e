/* The impulse of two bodies that touch at one point (Guendelman, Bridson & Fedkiw 2003, section 7). */
#ifndef ASHI_STEP_POINT_IMPULSE_H
#define ASHI_STEP_POINT_IMPULSE_H

#include "math/mat3.h"

typedef struct ashi_impulse_point {
    ash_sym3 response;  /* K: the change of `velocity` by an impulse on b and its opposite on a; singular if locked */
    ash_vec3 normal;    /* from a to b, a unit vector */
    ash_vec3 velocity;  /* of b against a at the point, m/s */
    double restitution; /* e, -1 to 1: the normal velocity is multiplied by -e */
    double friction;    /* the coefficient in force */
} ashi_impulse_point;

/* One body's part of the response: the velocity at `arm` from its centre caused by an impulse there. */
ash_sym3 ashi_point_response(ash_vec3 inverse_mass, ash_sym3 inverse_inertia, ash_vec3 arm);

/* The impulse on b, N s; zero when the point does not approach, or nothing can move along the normal. */
ash_vec3 ashi_point_impulse(const ashi_impulse_point *touch);

#endif
