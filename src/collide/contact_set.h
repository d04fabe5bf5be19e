/* The contacts of a moment: pairs of shapes, their contacts, and the contacts' points, in three flat arrays in the
 * order of the pairs. With two sets, now and before, points are matched and events found in one pass over both.
 *
 * A set is made in two passes, each of which can process ranges of pairs on many threads: the first decides what
 * happens to each pair and drafts new contacts; the second, when all counts are known, puts contacts in their final
 * places. So contacts that only moved a little are copied once from one set to the other. */
#ifndef ASHI_COLLIDE_CONTACT_SET_H
#define ASHI_COLLIDE_CONTACT_SET_H

#include "collide/manifold.h"

typedef struct ashi_point_record {
    ash_vec3 on_a, on_b; /* in the frames of shape a and shape b */
    double depth;
    uint32_t feature;
    uint32_t age;           /* steps for which this point has existed */
    ash_vec3 force, torque; /* on b, mean of the last step, in world axes, N and N m: the next first guess */
} ashi_point_record;

/* One place where two shapes touch. */
typedef struct ashi_contact_record {
    uint32_t pair;
    uint32_t part_a, part_b, inner, axis; /* as in a manifold */
    ash_vec3 normal;                      /* from a to b, in the frame of a */
    uint32_t first_point, point_count;
} ashi_contact_record;

/* Two shapes whose boxes overlap. Its contacts are consecutive, and so are their points. Frequently read fields come
 * first, in few cache lines; fields for the next detection only come last. */
typedef struct ashi_contact_pair {
    uint64_t handle_a, handle_b; /* of the shapes */
    uint32_t a, b;               /* their slots, a < b */
    uint32_t first_contact, contact_count;
    uint32_t point_count; /* of all its contacts */
    uint32_t old;         /* number of these shapes' pair in the previous set, or ASHI_NO_PAIR */
    uint32_t left_out;    /* contacts drafted, but left out: others overlap as deeply in the same place */
    bool deep : 1;        /* overlaps more than in any packing: recomputed each time */
    bool touching : 1;    /* some point overlaps, or carried a force in the last step */
    bool carried : 1;     /* some point carried a force then; false if unknown */
    bool sensor : 1;
    bool recycled : 1;    /* contacts were updated, not computed */
    ash_transform b_in_a; /* when the contacts were last computed, not only updated */
    uint32_t axis;        /* of its cache; the kept features are those of its contacts' points, ... */
    float direction[3];   /* ... and this may be rounded */
} ashi_contact_pair;

#define ASHI_NO_PAIR UINT32_MAX

typedef struct ashi_contact_set {
    ASHI_ARRAY(ashi_contact_pair) pairs; /* sorted by (a, b) */
    ASHI_ARRAY(ashi_contact_record) contacts;
    ASHI_ARRAY(ashi_point_record) points;
    double deepest; /* largest overlap of all points except those of sensors, m; 0: none */
} ashi_contact_set;

/* New contacts of some pairs whose positions in a set are not known yet. `first_point` counts the draft's points. */
typedef struct ashi_contact_draft {
    ASHI_ARRAY(ashi_contact_record) contacts;
    ASHI_ARRAY(ashi_manifold_point) points;
} ashi_contact_draft;

void ashi_contact_set_release(ashi_contact_set *set);
void ashi_contact_set_clear(ashi_contact_set *set);
/* Copies a set. False when memory ran out; `to` is then unchanged. */
bool ashi_contact_set_copy(ashi_contact_set *to, const ashi_contact_set *from);
void ashi_contact_draft_release(ashi_contact_draft *draft);

/* Reserves capacity; if it has to allocate, an eighth more, so that growing sets rarely allocate. Never shrinks. False
 * when memory ran out. */
bool ashi_contact_set_reserve_pairs(ashi_contact_set *set, uint64_t pairs);
bool ashi_contact_set_reserve(ashi_contact_set *set, uint64_t contacts, uint64_t points);
bool ashi_contact_draft_reserve(ashi_contact_draft *draft, uint64_t contacts, uint64_t points);

/* Appends the result of a pair function and sets the pair's counts of contacts and points. False when memory ran
 * out. */
bool ashi_contact_draft_add(ashi_contact_draft *draft, const ashi_manifold *manifolds, uint32_t count,
                            ashi_contact_pair *pair);

/* The features of the last contacts' points, as a cache keeps them, for the parts in question. Returns the axis of the
 * last of these contacts. */
uint32_t ashi_recall_kept(const ashi_last *last, uint32_t kept[ASHI_KEPT_MOST]);
/* The last contacts of a pair, as a pair function may read them. */
ashi_last ashi_contact_set_last(const ashi_contact_set *set, const ashi_contact_pair *pair);

/* Where the next contact and point of a set go. */
typedef struct ashi_contact_cursor {
    uint32_t contact, point;
} ashi_contact_cursor;

/* Sets the contacts of pair `number`, from `place` on, which moves past them. There must be room; the pair's counts of
 * contacts and points and its `old` are set already.
 *
 * Place: from the draft's contact `first` on, matched to the old ones: a point that still exists, by feature or else by
 * position, has its age increased by one and keeps its impulses; `width` is that of the smaller shape, the largest
 * distance from its origin (0 is allowed). Recycle: the old contacts, their depths brought up to date for the present
 * pose. */
void ashi_contact_set_match(ashi_contact_set *set, uint32_t number, ashi_contact_cursor *place,
                            const ashi_contact_draft *draft, uint32_t first, const ashi_contact_set *before,
                            double width);
void ashi_contact_set_recycle(ashi_contact_set *set, uint32_t number, ashi_contact_cursor *place, ash_transform b_in_a,
                              const ashi_contact_set *before);
/* The same of flat shapes, with the same bits. */
void ashi_contact_set_recycle_flat(ashi_contact_set *set, uint32_t number, ashi_contact_cursor *place,
                                   ash_transform b_in_a, const ashi_contact_set *before);

/* The number of pairs before these slots. */
uint32_t ashi_contact_set_count_before(const ashi_contact_set *set, uint32_t a, uint32_t b);
/* The pair of these slots, or null. */
const ashi_contact_pair *ashi_contact_set_find(const ashi_contact_set *set, uint32_t a, uint32_t b);

#endif
