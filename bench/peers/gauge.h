/* What all engines are measured by: geometry and mechanics of ours on the bodies' states. */
#ifndef BENCH_PEERS_GAUGE_H
#define BENCH_PEERS_GAUGE_H

#include "peer.h"

typedef struct gauge gauge;

typedef struct gauge_overlap {
    double deepest;    /* m, 0: nothing overlaps */
    double mean;       /* of the pairs that overlap, m */
    double gap;        /* widest between shapes that touched at the start, m */
    uint32_t overlaps; /* pairs */
} gauge_overlap;

/* Null when memory ran out. The model must outlive the gauge. */
gauge *gauge_create(const peer_model *model);
void gauge_destroy(gauge *g);

/* Of all shapes of bodies that are there, those joined to each other apart: depths are the least translations that part
 * two shapes. False when memory ran out. */
bool gauge_overlaps(gauge *g, const peer_state *states, const bool *present, gauge_overlap *overlap);

/* How far the points of any joint are from where it has them, at most; infinite when a place is no number. */
double gauge_joint_error(const peer_model *model, const peer_state *states);

/* Kinetic energy, and with that of gravity (zero at the origin), of the bodies that are there, J. */
double gauge_energy(const peer_model *model, const peer_state *states, const bool *present, double *kinetic);

/* The part of it that is rotation. */
double gauge_rotation(const peer_model *model, const peer_state *states, const bool *present);

/* How far a body is from its place at the start, along gravity (down is positive) and across it, m. */
double gauge_descent(const peer_model *model, const peer_state *states, uint32_t body, double *sideways);

/* The smallest side of a body's shapes, m: of what has none, infinite. */
double gauge_thickness(const peer_model *model, uint32_t body);

#endif
