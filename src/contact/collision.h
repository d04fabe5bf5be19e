/* Collision detection of a world: from the bodies' state to contacts and events, as a list of stages:
 * refresh boxes, find pairs, filter, collide, gather, compare with before. */
#ifndef ASHI_CONTACT_COLLISION_H
#define ASHI_CONTACT_COLLISION_H

#include "ashlar/contact.h"
#include "ashlar/method.h"
#include "collide/broad/broad.h"
#include "collide/contact_set.h"
#include "model/forces.h"

/* What collision detection keeps of a shape, by the shape's slot. */
typedef struct ashi_collider {
    uint64_t handle; /* of the shape; 0: none */
    uint32_t proxy;
    bool moves;
    bool late;           /* within a refresh: not only its own box changes, or it may be fast */
    uint32_t neighbours; /* with lower slots, as counted when crowds are thinned out */
    double margin;       /* by which its box was enlarged */
    double reach;        /* farthest point of the geometry from its origin */
    double thickness;    /* least extent of the geometry's box, m */
    double lasting;      /* relative motion up to which its contacts are kept, m, if the method allows it */
    ash_transform pose;  /* of the geometry in the world */
    ash_vec3 position;   /* of the body when the box was made, ... */
    ash_quat rotation;   /* ... and its rotation */
} ashi_collider;

typedef struct ashi_body_pair {
    uint64_t a, b; /* handles, a < b */
} ashi_body_pair;

#define ASHI_CONTACT_PIECE 32 /* pairs in a piece */

/* A piece of the pairs, which one task collides. */
typedef struct ashi_contact_piece {
    uint32_t worker, first;    /* the worker whose draft has its new contacts, and their first number */
    uint32_t contacts, points; /* of all its pairs */
    uint32_t recycled, deep;   /* pairs */
    ashi_contact_cursor place; /* of its first contact and point */
    double deepest;            /* overlap, m; 0: none */
    bool failed;               /* memory ran out */
} ashi_contact_piece;

/* A shape, by slot, and a box around its path in a part. */
typedef struct ashi_fast_shape {
    uint32_t slot;
    bool meets_moving; /* it is also followed against moving bodies */
    ash_bounds way;
} ashi_fast_shape;

typedef struct ashi_collision {
    ashi_broad *broad;
    ash_broad_phase kind;
    ASHI_ARRAY(ashi_collider) colliders; /* by shape slot */
    ashi_broad_pairs pairs;              /* pairs of overlapping boxes, then those that passed the filters */
    ashi_contact_set now, before;
    ashi_contact_set start, kept;          /* copies, in case a step is taken back: of its start, of its part's start */
    ASHI_ARRAY(bool) meets;                /* by pair, while they are filtered */
    ASHI_ARRAY(ashi_contact_piece) pieces; /* of the present batch of pairs */
    ASHI_ARRAY(ash_transform) poses;       /* of the pairs of the batch, b seen from a */
    ASHI_ARRAY(ashi_contact_draft) drafts; /* by worker: of the last batch */
    ASHI_ARRAY(ashi_manifolds) scratch;    /* likewise */
    ASHI_ARRAY(ash_contact_event) events;
    ASHI_ARRAY(ashi_fast_shape)
    fast;                  /* shapes that may have moved by more than half their thickness in a part; room for all */
    bool some_flagged;     /* some shape's body asks for impacts with moving bodies */
    bool some_meet_moving; /* some fast shape is followed against moving bodies */
    ASHI_ARRAY(ash_impact) impacts;
    ASHI_ARRAY(ashi_body_pair) ignored; /* sorted */
    ash_pair_filter filter;
    void *filter_user;
    uint32_t tests, recycled; /* in the last detection */
    uint32_t dropped;         /* pairs left out of crowds */
    double thinnest;          /* a lower bound of the thickness of all shapes so far, m; 0: there were none */
} ashi_collision;

void ashi_collision_release(ashi_collision *collision);

/* Brings boxes and poses of all shapes up to the present state. False when memory ran out. */
bool ashi_collision_refresh(ashi_collision *collision, const ashi_model *model, ashi_tasks *tasks,
                            const ash_method *method, double h);

/* The same; also records shapes that have become `fast` since the state `start`, h before. */
bool ashi_collision_refresh_since(ashi_collision *collision, const ashi_model *model, ashi_tasks *tasks,
                                  const ash_method *method, double h, const ashi_state *start);

/* Updates boxes and poses of the shapes of one body (by slot); all others are up to date. */
bool ashi_collision_refresh_body(ashi_collision *collision, const ashi_model *model, const ash_method *method, double h,
                                 uint32_t body);

/* The largest distance of a point of a shape (by slot) from its geometry's origin; infinity for planes. */
double ashi_collision_reach(const ashi_collision *collision, const ashi_model *model, uint32_t shape);

/* The first stages of a detection: `pairs` that may touch, at the state `now` of the model. Contacts do not change.
 * False when memory ran out. */
bool ashi_collision_find_candidates(ashi_collision *collision, const ashi_model *model, ashi_tasks *tasks,
                                    const ash_method *method, double h);

/* Reserves memory for the results of pair functions, by worker: `scratch`. False when memory ran out. */
bool ashi_collision_reserve_scratch(ashi_collision *collision, ashi_tasks *tasks);

/* Finds contacts and events. False when memory ran out: contacts are then unchanged. */
bool ashi_collision_detect(ashi_collision *collision, const ashi_model *model, ashi_tasks *tasks,
                           const ash_method *method, double h);
/* The same if boxes and poses are up to date; keeps impacts, which ashi_collision_detect clears. */
bool ashi_collision_detect_refreshed(ashi_collision *collision, const ashi_model *model, ashi_tasks *tasks,
                                     const ash_method *method);

/* The last stages of a detection, from `pairs` and `before`: contacts into `now`, and the events. False when memory ran
 * out: `before` is then unchanged. */
bool ashi_collision_find_contacts(ashi_collision *collision, const ashi_model *model, ashi_tasks *tasks,
                                  const ash_method *method);
/* Appends the events of the pairs [begin, end) of `now`, which follow those before; `next` is the first pair of
 * `before` that has not been compared. At the last pair, all that are left end. False when memory ran out. */
bool ashi_collision_add_events(ashi_collision *collision, uint32_t begin, uint32_t end, uint32_t *next);
/* The events since an earlier set of contacts, not only since the last one. False when memory ran out. */
bool ashi_collision_find_events_since(ashi_collision *collision, const ashi_contact_set *before);

/* Whether enough pairs were left out that the work of the step should be limited. */
bool ashi_crowd_is_large(const ashi_collision *collision);
/* Leaves out candidates where too many boxes overlap, and counts them (crowd.c). */
void ashi_crowd_thin_pairs(ashi_collision *collision, const ashi_model *model);
/* Whether two movable shapes overlap by more than in any packing; `depth` is that of their deepest point. */
bool ashi_crowd_is_deep(const ashi_collision *collision, const ashi_model *model, const ashi_contact_pair *pair,
                        double depth);
/* The end of a batch of about `size` pairs that starts at `begin`: it does not divide the pairs of a movable shape. */
uint32_t ashi_crowd_end_of_batch(const ashi_collision *collision, const ashi_model *model, uint32_t begin,
                                 uint32_t size);
/* Whether contacts of some of the pairs [begin, end), whose pieces are the first, may have to be left out. */
bool ashi_crowd_is_thick(const ashi_collision *collision, uint32_t begin, uint32_t end);
/* Leaves out contacts of deep pairs where there are too many, for all pairs from `begin` on, whose pieces are the
 * first; no earlier pair is in a thick crowd. To be called before contacts are placed. */
void ashi_crowd_thin_contacts(ashi_collision *collision, uint32_t begin);

/* Whether the filters let two shapes (by slot) meet. */
bool ashi_collision_may_meet(const ashi_collision *collision, const ashi_model *model, uint32_t a, uint32_t b);

/* No shape is `fast`. */
void ashi_collision_forget_fast(ashi_collision *collision);
/* Whether a shape may be `fast`, or its body asks to be treated so. */
bool ashi_collision_may_be_fast(const ashi_collision *collision, const ashi_model *model, const ashi_state *start,
                                uint32_t slot);
/* Adds a shape (by slot), after a refresh, to the `fast` ones if it may be fast. */
void ashi_collision_note_fast(ashi_collision *collision, const ashi_model *model, const ashi_state *start, double h,
                              uint32_t slot);
/* Finds impacts of `fast` shapes within the step of length h that led from state `start`, with the contacts `before`,
 * to the present one, to which boxes are up to date. False when memory ran out. */
bool ashi_collision_find_impacts(ashi_collision *collision, const ashi_model *model, const ashi_state *start,
                                 const ashi_contact_set *before, double h);

/* Puts a body (by slot) where it was `time` after `start`, h being the step: moved back along its velocity, which
 * preserves the total angular momentum, and rotated uniformly from its rotation at the start. Its velocity and its own
 * angular momentum do not change. */
void ashi_collision_hold_back(ashi_model *model, const ashi_state *start, uint32_t slot, double time, double h);

/* Restores the contacts copied to `start`. */
void ashi_collision_restart(ashi_collision *collision);

/* Undoes the last detection: the contacts are those of the previous one. Events and impacts are cleared. */
void ashi_collision_undo(ashi_collision *collision);

/* The deepest point of all contacts but those of sensors, m; 0 when nothing overlaps. */
double ashi_collision_penetration(const ashi_collision *collision);

/* Forgets contacts and boxes. */
void ashi_collision_clear(ashi_collision *collision);

/* Keeps two bodies from touching each other, or reverts this. False when memory ran out. */
bool ashi_collision_ignore(ashi_collision *collision, uint64_t a, uint64_t b, bool ignore);
/* Drops ignored pairs of a removed body. */
void ashi_collision_forget_body(ashi_collision *collision, uint64_t body);

#endif
