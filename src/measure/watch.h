/* The watch over a world's energy: checks that it does not exceed what was put in. */
#ifndef ASHI_MEASURE_WATCH_H
#define ASHI_MEASURE_WATCH_H

#include "measure/measure.h"

#include "ashlar/method.h"

#define ASHI_WATCH_EVERY 8 /* steps from one measurement of energies to the next */

typedef struct ashi_watch {
    bool begun, fresh;         /* fresh: no step since */
    double kinetic, potential; /* at the start, J */
    double start;              /* given before it began */
    double drop;               /* the most that potential energy has fallen by */
    double given;              /* the most that drives, loads and calls have given so far */
    double springs;            /* the most that was stored in springs */
    double contacts;           /* stored in penalty contacts, now */
    double least;              /* the least energy so far, without what was given */
    double most;               /* the most since something acted that takes an unknown energy away, less ... */
    double taken;              /* ... what has been taken since energies were measured */
    double passive;            /* work of contacts, joints, friction and stabilization, above its least */
    double made;               /* by how much either has risen above its least */
    double budget;             /* what could have moved so far; see watch.c */
    bool held;                 /* contacts or joints acted since the least energy */
    bool loses;                /* something acted, since energies were measured, that can take energy away */
    uint32_t flags;            /* in force until energies are measured again */
    uint32_t body;             /* slot of the one with the most kinetic energy, when there is a flag */
} ashi_watch;

/* What a step says of itself. */
typedef struct ashi_watched_step {
    uint64_t number; /* of steps taken before */
    double h;
    ashi_work work;  /* of the step */
    bool held;       /* contacts or joints acted */
    bool loses;      /* something may have taken energy away without a work, or there are no joints to blame */
    double taken;    /* by contacts, friction, dampers and the like, as their works say, J */
    double slop;     /* the method's, m */
    double swing;    /* h times the fastest frequency of explicit springs that are stable; else 0 */
    double contacts; /* J stored in penalty contacts after it */
} ashi_watched_step;

/* Before the first step that it watches. */
void ashi_watch_begin(ashi_watch *watch, const ashi_model *model, const ashi_account *account);
/* After a step: measures energies when it is time to, or when the step's works are suspicious. */
void ashi_watch_step(ashi_watch *watch, const ashi_model *model, const ashi_account *account,
                     const ashi_watched_step *step);

#endif
