/* The contacts of a moment: pairs of shapes, their contacts, and the contacts' points, in three flat arrays in the
 * order of the pairs. Two sets, now and before, let points be matched and events be found by one pass over both. */
#ifndef ASHI_COLLIDE_CONTACT_SET_H
#define ASHI_COLLIDE_CONTACT_SET_H

#include "collide/manifold.h"

typedef struct ashi_contact_point {
    ash_vec3 on_a, on_b; /* in the frames of shape a and shape b */
    double depth;
    uint32_t feature;
    uint32_t age;            /* steps that this point has been there */
    ash_vec3 impulse, twist; /* that acted on b in the last step, N s and N m s, in world axes: the next first guess */
} ashi_contact_point;

/* One place where two shapes touch. */
typedef struct ashi_contact {
    uint32_t pair;
    uint32_t part_a, part_b;
    ash_vec3 normal; /* from a to b, in the frame of a */
    uint32_t first_point, point_count;
} ashi_contact;

/* Two shapes whose boxes overlap. */
typedef struct ashi_contact_pair {
    uint64_t handle_a, handle_b; /* of the shapes */
    uint32_t a, b;               /* their slots, a < b */
    ashi_pair_cache cache;
    ash_transform b_in_a; /* when the contacts were last computed, not only updated */
    uint32_t first_contact, contact_count;
    bool touching; /* some depth is not negative */
    bool sensor;
    bool recycled; /* contacts were updated, not computed */
} ashi_contact_pair;

typedef struct ashi_contact_set {
    ASHI_ARRAY(ashi_contact_pair) pairs; /* sorted by (a, b) */
    ASHI_ARRAY(ashi_contact) contacts;
    ASHI_ARRAY(ashi_contact_point) points;
} ashi_contact_set;

void ashi_contact_set_release(ashi_contact_set *set);
void ashi_contact_set_clear(ashi_contact_set *set);

/* Makes room, so that pairs that begin or cease to touch need no memory: for that many pairs with one contact of four
 * points each. Never gives memory back. False when there is none. */
bool ashi_contact_set_reserve(ashi_contact_set *set, uint32_t pairs);

/* Adds a pair and its manifolds, points matched to those of `old` (a pair of the same shapes in set `before`, or null):
 * a point that is there again, by feature or failing that by place, keeps its age plus one. False when memory ran out.
 */
bool ashi_contact_set_add(ashi_contact_set *set, const ashi_contact_pair *pair, const ashi_manifold *manifolds,
                          uint32_t count, const ashi_contact_set *before, const ashi_contact_pair *old);

/* Adds a pair with the old contacts, their depths brought up to date for the present pose. */
bool ashi_contact_set_recycle(ashi_contact_set *set, const ashi_contact_pair *pair, ash_transform b_in_a,
                              const ashi_contact_set *before, const ashi_contact_pair *old);

/* Appends one set to another. False when memory ran out. */
bool ashi_contact_set_append(ashi_contact_set *set, const ashi_contact_set *more);

/* The pair of these slots in a set, or null; by bisection. */
const ashi_contact_pair *ashi_contact_set_find(const ashi_contact_set *set, uint32_t a, uint32_t b);

#endif
