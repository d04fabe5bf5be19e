/* A contact of two flat cores between its two stages: which faces meet along which normal (flat_pair.c), and at which
 * points (flat_clip.c). */
#ifndef ASHI_COLLIDE_FLAT_FLAT_CONTACT_H
#define ASHI_COLLIDE_FLAT_FLAT_CONTACT_H

#include "collide/flat/flat.h"

/* The two cores in each other's frame. */
typedef struct ashi_flat_couple {
    const ashi_flat_core *core[2];
    ashi_pose2 pose[2]; /* pose[i]: of the other core in the frame of core i */
} ashi_flat_couple;

/* The contact of a reference and an incident face. */
typedef struct ashi_flat_contact {
    ashi_flat_face reference, incident;
    ashi_vec2 normal; /* out of the reference core */
    bool of_b;        /* whether the reference face is b's */
    uint32_t corner;  /* of the incident core, farthest against the normal */
    double distance;  /* from corner to corner */
    bool at_first;    /* from corner to corner: whether it is the reference face's first corner */
} ashi_flat_contact;

/* The points of a contact, at most two; false when none is within the margin. */
bool ashi_flat_points(const ashi_flat_couple *c, const ashi_flat_contact *k, double margin, ashi_manifold *manifold);

#endif
