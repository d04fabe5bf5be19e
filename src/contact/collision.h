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
    bool late;           /* within a refresh: more than its own box changes, or it may be fast */
    uint32_t neighbours; /* with lower slots, as counted when crowds are thinned out */
    double margin;       /* that its box was enlarged by */
    double reach;        /* farthest point of the geometry from its origin */
    double thickness;    /* least extent of the geometry's box, m */
    double lasting;      /* relative motion up to which its contacts are kept, m, if the method keeps them as long */
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
    uint32_t worker, first;    /* whose draft has its new contacts, and where they begin */
    uint32_t contacts, points; /* of all its pairs */
    uint32_t recycled, deep;   /* pairs */
    ashi_contact_cursor place; /* of its first contact and point */
    double deepest;            /* overlap, m; 0: none */
    bool failed;               /* memory ran out */
} ashi_contact_piece;

/* A shape, by slot, and a box around its way in a part. */
typedef struct ashi_fast_shape {
    uint32_t slot;
    bool meets_moving; /* it is followed against moving bodies, too */
    ash_bounds way;
} ashi_fast_shape;

typedef struct ashi_collision {
    ashi_broad *broad;
    ash_broad_phase kind;
    ASHI_ARRAY(ashi_collider) colliders; /* by shape slot */
    ashi_broad_pairs pairs;              /* of overlapping boxes, then those that passed the filters */
    ashi_contact_set now, before;
    ashi_contact_set start, kept;          /* copies, in case a step is taken back: of its start, of its part's start */
    ASHI_ARRAY(bool) meets;                /* by pair, while they are filtered */
    ASHI_ARRAY(ashi_contact_piece) pieces; /* of the batch of pairs that is worked on */
    ASHI_ARRAY(ash_transform) poses;       /* of the pairs of the batch, b seen from a */
    ASHI_ARRAY(ashi_contact_draft) drafts; /* by worker: of the last batch */
    ASHI_ARRAY(ashi_manifolds) scratch;    /* likewise */
    ASHI_ARRAY(ash_contact_event) events;
    ASHI_ARRAY(ashi_fast_shape)
    fast;                  /* that may have moved by more than half their thickness in a part; room for all */
    bool some_flagged;     /* some shape is of a body that asks for impacts with what moves */
    bool some_meet_moving; /* some fast shape is followed against moving bodies */
    ASHI_ARRAY(ash_impact) impacts;
    ASHI_ARRAY(ashi_body_pair) ignored; /* sorted */
    ash_pair_filter filter;
    void *filter_user;
    uint32_t tests, recycled; /* in the last detection */
    uint32_t dropped;         /* pairs left out of crowds */
    double thinnest;          /* at most the thickness of any shape that was there so far, m; 0: none was */
} ashi_collision;

void ashi_collision_release(ashi_collision *collision);

/* Brings boxes and poses of all shapes up to the present state. False when memory ran out. */
bool ashi_collision_refresh(ashi_collision *collision, const ashi_model *model, ashi_tasks *tasks,
                            const ash_method *method, double h);

/* The same; and notes those that have become `fast` since the state `start`, h before. */
bool ashi_collision_refresh_since(ashi_collision *collision, const ashi_model *model, ashi_tasks *tasks,
                                  const ash_method *method, double h, const ashi_state *start);

/* Boxes and poses of the shapes of one body (by slot) only, all others being up to date. */
bool ashi_collision_refresh_body(ashi_collision *collision, const ashi_model *model, const ash_method *method, double h,
                                 uint32_t body);

/* The farthest that a shape (by slot) reaches from its geometry's origin; infinite for planes. */
double ashi_collision_reach(const ashi_collision *collision, const ashi_model *model, uint32_t shape);

/* The first stages of a detection: `pairs` that may meet, at the state `now` of the model. Contacts stay. False when
 * memory ran out. */
bool ashi_collision_find_candidates(ashi_collision *collision, const ashi_model *model, ashi_tasks *tasks,
                                    const ash_method *method, double h);

/* Memory for what pair functions find, by worker: `scratch`. False when there is none. */
bool ashi_collision_reserve_scratch(ashi_collision *collision, ashi_tasks *tasks);

/* Finds contacts and events. False when memory ran out: contacts are then as they were. */
bool ashi_collision_detect(ashi_collision *collision, const ashi_model *model, ashi_tasks *tasks,
                           const ash_method *method, double h);
/* The same where boxes and poses are up to date; impacts, which detect forgets, stay. */
bool ashi_collision_detect_refreshed(ashi_collision *collision, const ashi_model *model, ashi_tasks *tasks,
                                     const ash_method *method);

/* The last stages of a detection, from `pairs` and `before`: contacts into `now`, and the events. False when memory ran
 * out: `before` is then as it was. */
bool ashi_collision_find_contacts(ashi_collision *collision, const ashi_model *model, ashi_tasks *tasks,
                                  const ash_method *method);
/* Appends the events of the pairs [begin, end) of `now`, which follow those before; `next` is the first pair of
 * `before` that has not been looked at. With the last pair, all that are left end. False when memory ran out. */
bool ashi_collision_add_events(ashi_collision *collision, uint32_t begin, uint32_t end, uint32_t *next);
/* The events since an earlier set of contacts, not only since the last one. False when memory ran out. */
bool ashi_collision_find_events_since(ashi_collision *collision, const ashi_contact_set *before);

/* Whether so many pairs were left out that a step is to be cut short. */
bool ashi_crowd_is_large(const ashi_collision *collision);
/* Leaves out candidates where too many boxes overlap, and notes how many (crowd.c). */
void ashi_crowd_thin_pairs(ashi_collision *collision, const ashi_model *model);
/* Whether two shapes that can move overlap by more than packings do, `depth` being that of their deepest point. */
bool ashi_crowd_is_deep(const ashi_collision *collision, const ashi_model *model, const ashi_contact_pair *pair,
                        double depth);
/* Where a batch of about `size` pairs that begins there may end: not among the pairs of a shape that can move. */
uint32_t ashi_crowd_end_of_batch(const ashi_collision *collision, const ashi_model *model, uint32_t begin,
                                 uint32_t size);
/* Whether contacts of some of the pairs [begin, end), whose pieces are the first, may have to be left out. */
bool ashi_crowd_is_thick(const ashi_collision *collision, uint32_t begin, uint32_t end);
/* Leaves out contacts of deep pairs where there are too many, of all pairs from `begin` on, whose pieces are the first;
 * none of those before is in a thick crowd. Before the contacts have their places. */
void ashi_crowd_thin_contacts(ashi_collision *collision, uint32_t begin);

/* Whether the filters let two shapes (by slot) meet. */
bool ashi_collision_may_meet(const ashi_collision *collision, const ashi_model *model, uint32_t a, uint32_t b);

/* No shape is `fast`. */
void ashi_collision_forget_fast(ashi_collision *collision);
/* Whether a shape may be, or is of a body that asks for it. */
bool ashi_collision_may_be_fast(const ashi_collision *collision, const ashi_model *model, const ashi_state *start,
                                uint32_t slot);
/* Adds a shape (by slot), which a refresh has seen, to those that are `fast` if it may be. */
void ashi_collision_note_fast(ashi_collision *collision, const ashi_model *model, const ashi_state *start, double h,
                              uint32_t slot);
/* Finds impacts of `fast` shapes within the step of length h that led from state `start`, with the contacts `before`,
 * to the present one, to which boxes are up to date. False when memory ran out. */
bool ashi_collision_find_impacts(ashi_collision *collision, const ashi_model *model, const ashi_state *start,
                                 const ashi_contact_set *before, double h);

/* Puts a body (by slot) where it was `time` after `start`, h being the step: back along its velocity, so that the
 * angular momentum of all bodies stays, and turned evenly from where it was at the start. Its velocity and its own
 * angular momentum stay. */
void ashi_collision_hold_back(ashi_model *model, const ashi_state *start, uint32_t slot, double time, double h);

/* The contacts are those copied to `start`. */
void ashi_collision_restart(ashi_collision *collision);

/* Takes the last detection back: the contacts are those of the one before. Events and impacts are gone. */
void ashi_collision_undo(ashi_collision *collision);

/* The deepest point of all contacts but those of sensors, m; 0 when nothing overlaps. */
double ashi_collision_penetration(const ashi_collision *collision);

/* Forgets contacts and boxes. */
void ashi_collision_clear(ashi_collision *collision);

/* Two bodies that never touch. False when memory ran out. */
bool ashi_collision_ignore(ashi_collision *collision, uint64_t a, uint64_t b, bool ignore);
/* Drops ignored pairs of a body that is gone. */
void ashi_collision_forget_body(ashi_collision *collision, uint64_t body);

#endif
