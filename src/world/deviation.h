/* The deviation of a state from another, body by body: estimated errors. */
#ifndef ASHI_WORLD_DEVIATION_H
#define ASHI_WORLD_DEVIATION_H

#include "base/array.h"
#include "model/bodies.h"

/* Of one body; rotations as a vector in world axes. */
typedef struct ashi_deviation {
    uint64_t body; /* its handle */
    ash_vec3 position, turn, velocity, spin;
} ashi_deviation;
typedef ASHI_ARRAY(ashi_deviation) ashi_deviations; /* by body slot */

/* Makes room for all bodies; new ones have zero deviation. False when memory ran out. */
bool ashi_deviations_fit(ashi_deviations *deviations, const ashi_bodies *bodies);
/* The deviation of `to` from `from`, times a factor; zero for bodies that are not dynamic. */
void ashi_deviations_between(ashi_deviations *deviations, const ashi_bodies *bodies, const ashi_state *to,
                             const ashi_state *from, double factor);
/* Adds the deviations times a factor to the present state. */
void ashi_deviations_apply(const ashi_deviations *deviations, ashi_bodies *bodies, double factor);
/* sum += other * factor. */
void ashi_deviations_add(ashi_deviations *sum, const ashi_deviations *other, double factor);
/* The largest of any body, m: of its centre, or by its turn at its radius of gyration. */
double ashi_deviations_norm(const ashi_deviations *deviations, const ashi_bodies *bodies);
/* The same of velocities, m/s. */
double ashi_deviations_speed(const ashi_deviations *deviations, const ashi_bodies *bodies);

#endif
