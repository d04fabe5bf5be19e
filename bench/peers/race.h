/* One engine on one scene: what its steps cost, and what became of the bodies. */
#ifndef BENCH_PEERS_RACE_H
#define BENCH_PEERS_RACE_H

#include "gauge.h"
#include "peer.h"

#include "ashlar/base.h"

enum { RACE_EVENTS = 4 }; /* instants at which those that stand are counted, the end included */

/* What is asked. */
typedef struct race_course {
    const peer_model *model;
    gauge *gauge;
    double h;
    uint32_t steps;
    uint32_t looks;           /* how often overlaps are measured, at least; 0: after every step */
    double patience;          /* s of processor time, ours included: a run ends after so long */
    uint32_t look_at;         /* step after which centres are compared with those expected; 0: never */
    const ash_vec3 *expected; /* where the centres are then; null: not known */
    ash_vec3 *centres;        /* takes them; null: nobody wants them */
} race_course;

/* What came out; what was not seen is infinite. */
typedef struct race_result {
    const char *refused;          /* why the engine does not take the scene, or null */
    uint32_t taken;               /* steps */
    bool lost;                    /* a body flew beyond all bounds, or the engine gave up */
    bool impatient;               /* it took too long */
    int signal;                   /* that ended it, or 0; see race_run_apart */
    bool stuck;                   /* a single step took so long that it was ended; nothing else is known */
    double mean, worst;           /* s of a step */
    double end;                   /* s of a step, mean of the last quarter of the steps */
    double deepest;               /* m, after any step that was looked at */
    double deepest_end, mean_end; /* at the end */
    double gap;                   /* until the first event, m */
    double drift, sinks;          /* largest of any body until the first event, m */
    double joint_error;           /* after any step, m */
    double energy;                /* change by the end, of torques and bodies that enter or leave apart, J */
    double rotation;              /* the same of the energy of rotation, over that at the start */
    double kinetic;               /* largest, J */
    double off;                   /* of a centre from where it is expected, at most, m */
    double fell;                  /* s: when the first body had moved by half its thickness, before any event */
    uint32_t stands[RACE_EVENTS]; /* bodies within half their thickness of their places: at each event, at the end */
    uint32_t stand_count;
} race_result;

/* Takes steps of h, each cut into `substeps`. Runs that are over soon are taken again, and of each step's times the
 * least counts. */
ash_status race_run(const race_course *course, const peer *engine, uint32_t substeps, race_result *result,
                    ash_diagnostic *diagnostic);

/* The same in a process of its own, which cannot take us with it when an engine stops at an error, and which is ended
 * when a step takes far too long. What the engine prints is not seen. Centres are not handed back. */
ash_status race_run_apart(const race_course *course, const peer *engine, uint32_t substeps, race_result *result,
                          ash_diagnostic *diagnostic);

#endif
