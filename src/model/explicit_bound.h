/* The longest stable step of an explicit integrator for one mode, x'' = -w2 x - rate x'. */
#ifndef ASHI_MODEL_EXPLICIT_BOUND_H
#define ASHI_MODEL_EXPLICIT_BOUND_H

#include "ashlar/method.h"

#include <math.h>

/* The bound, s; infinity for implicit integrators and without a force. `w2` is stiffness over mass, 1/s2, `rate`
 * damping over mass, 1/s.
 *
 * Symplectic Euler: the roots of z^2 - (2 - h^2 w2 - h rate) z + (1 - h rate) stay within the unit circle while
 * h^2 w2 + 2 h rate < 4. Explicit Euler: while h w2 < rate and h rate < 2; never without a damper. RK4: while the
 * larger root of s^2 + rate s + w2 times h lies in its region, which reaches to 2.828 along the imaginary axis and to
 * 2.785 along the real one. */
static inline double ashi_explicit_bound(ash_integrator integrator, double w2, double rate)
{
    if (!(w2 > 0) && !(rate > 0))
        return HUGE_VAL;
    switch (integrator) {
    case ASH_SYMPLECTIC_EULER:
    case ASH_AXIS_SPLITTING:
        return 4 / (rate + sqrt(rate * rate + 4 * w2));
    case ASH_EXPLICIT_EULER:
        return w2 > 0 ? fmin(rate / w2, rate > 0 ? 2 / rate : 0) : 2 / rate;
    case ASH_RK4: {
        double under = 0.25 * rate * rate - w2;
        return under > 0 ? 2.785 / (0.5 * rate + sqrt(under)) : (rate > 0 ? 2.785 : 2.828) / sqrt(w2);
    }
    default:
        return HUGE_VAL;
    }
}

#endif
