/* The watch over a world's energy: checks that it does not exceed the energy put in. */
#ifndef ASHI_MEASURE_WATCH_H
#define ASHI_MEASURE_WATCH_H

#include "measure/measure.h"

#include "ashlar/method.h"

#define ASHI_WATCH_EVERY 8 /* steps from one measurement of energies to the next */

typedef struct ashi_watch {
    bool begun, fresh;         /* fresh: no step since */
    double kinetic, potential; /* at the start, J */
    double start;              /* J given before the watch began */
    double drop;               /* the largest fall of potential energy */
    double given;              /* the largest energy given by drives, loads and calls so far */
    double springs;            /* the most that was stored in springs */
    double contacts;           /* stored in penalty contacts, now */
    double least;              /* the least energy so far, without what was given */
    double most;               /* the largest since something removed an unknown energy, minus ... */
    double taken;              /* ... the energy removed since energies were measured */
    double passive;            /* work of contacts, joints, friction and stabilization, above its least */
    double made;               /* rise of either above its least value */
    double budget;             /* the energy that could have been in motion so far; see watch.c */
    bool held;                 /* contacts or joints acted since the least energy */
    bool loses;                /* since energies were measured, something acted that can remove energy */
    uint32_t flags;            /* in force until energies are measured again */
    uint32_t body;             /* slot of the one with the most kinetic energy, when there is a flag */
} ashi_watch;

/* The data of a step for the watch. */
typedef struct ashi_watched_step {
    uint64_t number; /* of steps taken before */
    double h;
    ashi_work work;  /* of the step */
    bool held;       /* contacts or joints acted */
    bool loses;      /* something may have removed energy without a recorded work, or there are no joints as cause */
    double taken;    /* removed by contacts, friction, dampers and similar, by their works, J */
    double slop;     /* the method's, m */
    double swing;    /* h times the fastest frequency of explicit springs that are stable; else 0 */
    double contacts; /* J stored in penalty contacts after it */
} ashi_watched_step;

/* To be called before the first watched step. */
void ashi_watch_begin(ashi_watch *watch, const ashi_model *model, const ashi_account *account);
/* To be called after a step: measures energies when due, or when the step's works are suspicious. */
void ashi_watch_step(ashi_watch *watch, const ashi_model *model, const ashi_account *account,
                     const ashi_watched_step *step);

#endif
