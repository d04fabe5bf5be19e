/* One engine on one mechanism: what its steps cost, and how well they hold the joints. */
#ifndef BENCH_PEERS_RACE_H
#define BENCH_PEERS_RACE_H

#include "peer.h"

#include "ashlar/base.h"

enum { RACE_STEPS = 150, RACE_LOOK = 30 };

typedef struct race {
    const peer_mechanism *mechanism;
    double h;
    uint32_t steps;           /* of h, at most RACE_STEPS */
    const ash_vec3 *expected; /* where the centres are after RACE_LOOK steps; null: not known */
    /* results */
    bool refused;       /* the engine did not take the mechanism */
    uint32_t taken;     /* steps: fewer than `steps` when a body was lost beyond all bounds */
    double mean, worst; /* s of a step of h: each is the best of its repeats */
    double joint_error; /* largest after any step, m */
    double off;         /* largest distance of a centre from where it is expected, m */
    ash_vec3 *centres;  /* after RACE_LOOK steps: as many as bodies, or null when nobody wants them */
} race;

/* Takes steps of h, each cut into `substeps`. */
ash_status race_run(race *r, const peer *engine, uint32_t substeps, ash_diagnostic *diagnostic);

#endif
