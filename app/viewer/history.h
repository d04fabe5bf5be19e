/* Earlier states, to step back to. */
#ifndef CLI_VIEW_HISTORY_H
#define CLI_VIEW_HISTORY_H

#include "scene/instance/instance.h"

enum { VIEW_WORLDS = 2 };

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

/* A world that could not take a step stands still until something is changed. */
typedef struct view_halt {
    bool stuck;
    double time; /* s, and the number of steps, at which it stands */
    uint64_t step;
} view_halt;

/* A world as it was before a step: a snapshot, and which handle is whose. */
typedef struct view_kept_world {
    void *bytes;
    size_t size;
    uint64_t *handles; /* of the scene's bodies, forces and joints, one after the other */
    uint32_t bodies, forces, joints;
    uint32_t next_turn;
    view_halt halt;
    ash_method method; /* the world's own, also while it steps by another one: by hand */
    bool by_hand;
} view_kept_world;

/* A moment that can be gone back to. The states of the steps after it, up to `reach`, follow by taking them again. */
typedef struct view_moment {
    view_clock clock;
    uint64_t reach;
    uint32_t world_count, edits;
    view_kept_world worlds[VIEW_WORLDS];
    size_t memory;
} view_moment;

typedef struct view_history {
    ASHI_ARRAY(view_moment) moments; /* by step, rising; the first is never dropped */
    size_t memory, most_memory;      /* bytes; moments are dropped beyond */
    uint32_t most_moments;
    double cost;   /* s that keeping the last moment took */
    double earned; /* s of steps since then */
} view_history;

#endif
