/* Bodies at their foreseen poses, and pairs of shapes that will overlap there: the data of a scheme that applies
 * impulses pair by pair and predicts again after each (Guendelman, Bridson & Fedkiw 2003, sections 5 and 6).
 *
 * Velocities are changed by impulses; the pose that they lead to is that of free motion, displaced by `lever` times the
 * change. Everything is done in a fixed order on one thread. */
#ifndef ASHI_STEP_FORESIGHT_H
#define ASHI_STEP_FORESIGHT_H

#include "step/momentum.h"

typedef enum ashi_impulse_kind { ASHI_IMPULSE_NORMAL, ASHI_IMPULSE_FRICTION, ASHI_IMPULSE_KINDS } ashi_impulse_kind;

typedef struct ashi_foreseen_body {
    ash_vec3 inverse_mass;                  /* by axis; zero where it cannot move */
    ash_sym3 inverse_inertia;               /* world axes, at the start of the step */
    ash_vec3 velocity, spin;                /* that led to the pose in `next` */
    ash_motion impulse[ASHI_IMPULSE_KINDS]; /* sums by contacts: N s, and about the centre N m s */
    uint64_t changed;                       /* the last impulse that changed its velocity */
    bool held;                              /* its mass counts as infinite */
    bool joined;                            /* it is never held: a joint moves it, whatever lies above */
    bool moved;                             /* the foreseen pose no longer belongs to the velocity */
} ashi_foreseen_body;

/* Two shapes whose boxes overlap at their foreseen poses. */
typedef struct ashi_foreseen_pair {
    uint32_t a, b;           /* slots of shapes, a < b */
    uint32_t body_a, body_b; /* slots */
    ash_surface surface;
    ashi_pair_cache cache;
    uint64_t visited; /* the last impulse before the last visit */
} ashi_foreseen_pair;

/* A point where they overlap, in the frames of the shapes. */
typedef struct ashi_foreseen_point {
    ash_vec3 on_a, on_b;
    ash_vec3 normal; /* from a to b, in the frame of a */
    double depth;
    uint32_t feature, part_a, part_b;
} ashi_foreseen_point;

typedef struct ashi_foresight {
    ashi_step *step;
    double lever;               /* s: displacement over change of velocity */
    ashi_state state;           /* by body slot: the present velocities, and the poses that they lead to */
    ashi_foreseen_body *bodies; /* by slot */
    ashi_foreseen_pair *pairs, *last_pairs;
    uint32_t pair_count, pair_room, last_room;
    ashi_foreseen_point *points; /* of the pair that is visited */
    uint32_t point_room;
    double run;               /* work of friction on moving surfaces, J */
    uint64_t impulses;        /* so far; 1 to begin with */
    uint64_t queries;         /* of two shapes */
    bool crowded;             /* the last look found a large crowd */
    const ashi_state *moving; /* whose velocities are changed, where it is; null: those of `next` */
    ashi_kept_momentum *kept; /* optional output: the interacting pairs */
    ash_motion *borne;        /* by the world's contact points: impulses and moments on b; may be null */
    const bool *slides;       /* by contact point: sliding friction is in force, whatever the slip; null: nowhere */
} ashi_foresight;

/* Begins with the velocities of a state, which led to the poses of `next`, and forgets all impulses. Scratch memory of
 * the step serves. False when it ran out. */
bool ashi_foresight_begin(ashi_foresight *foresight, ashi_step *step, const ashi_state *moving, double lever);
/* Finds the pairs whose boxes overlap where bodies will be by now; once and for all where there is a large crowd. False
 * when memory ran out. */
bool ashi_foresight_look(ashi_foresight *foresight);

/* How a visit stops what approaches: by the materials' restitution, or by one for all. */
typedef struct ashi_visit {
    bool elastic;
    double restitution; /* -1 to 0 */
} ashi_visit;

/* Looks whether a pair overlaps where it will be, and lets an impulse act at each point that approaches, the deepest
 * first, looking again where the point will be after each. Nothing is done when neither body has changed since the last
 * visit. False when memory ran out. */
bool ashi_foresight_visit(ashi_foresight *foresight, ashi_foreseen_pair *pair, ashi_visit visit);

/* Stops bodies that touch something now and would move completely beyond it: fast bodies that were held back at their
 * first touch. */
void ashi_foresight_stop_fast(ashi_foresight *foresight, ashi_visit visit);

/* Lets an impulse and a moment about the centre act on a body; one that is held or immovable stays. */
void ashi_foresight_push(ashi_foresight *foresight, uint32_t slot, ash_vec3 impulse, ash_vec3 moment);

#endif
