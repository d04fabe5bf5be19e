/* Earlier states, to step back to. */
#ifndef CLI_VIEW_HISTORY_H
#define CLI_VIEW_HISTORY_H

#include "scene/instance.h"

/* When a session is: time is origin + steps h, so that it does not depend on sums. */
typedef struct view_clock {
    double origin;  /* s, when h was last changed */
    uint64_t steps; /* since then */
    double h;       /* s */
    uint64_t step;  /* number of steps since the start */
} view_clock;

static inline double view_clock_time(const view_clock *clock)
{
    return clock->origin + (double)clock->steps * clock->h;
}

#endif
