/* Contacts of distance fields: points of one geometry are tested against the distance of the other.
 *
 * Every point of a surface that lies inside the other geometry, or within the margin of it, is a contact: its depth is
 * minus the distance, its normal the gradient of the distance. A search visits the points twice: first to find the
 * deepest contact, which starts the first group, then to group all contacts by their normals. There are at most
 * ASHI_PROBE_GROUPS groups, with normals within ASHI_PROBE_COSINE of the group's first; each gives a manifold with the
 * normal of its deepest point. Contacts that fit no group when all groups are in use are left out.
 *
 * Two fields that overlap by more than a quarter of the thinner one's thickness have no common direction of separation:
 * points press towards the nearest surface, against each other, and hold the bodies together; if two equal fields
 * coincide, no point has any depth. So the inscribed ball of each is probed as well, whose depth does not vanish there,
 * and in deep overlaps only contacts that agree with the deepest are kept. */
#ifndef ASHI_COLLIDE_FIELD_PROBE_H
#define ASHI_COLLIDE_FIELD_PROBE_H

#include "collide/manifold.h"
#include "shape/geometry.h"

#define ASHI_PROBE_GROUPS 8
#define ASHI_PROBE_COSINE 0.94 /* 20 degrees */

typedef struct ashi_probe_contact {
    ash_vec3 on_a, normal; /* as in manifolds */
    double depth;
    uint32_t feature;
} ashi_probe_contact;

typedef struct ashi_hunt {
    const ashi_pair *pair;
    ashi_manifolds *manifolds;
    uint32_t first;
    double size;   /* of the smaller geometry: the scale for "the same point" */
    bool grouping; /* in the second pass */
    bool deep;     /* only contacts that agree with the deepest one are kept */
    double core;   /* radius of the smaller of the balls within two fields; infinite for other pairs */
    bool out_of_memory;
    bool on_face;                                   /* of a convex geometry: `lowest` lies within a flat face */
    ashi_probe_contact lowest;                      /* its point that is deepest in the field */
    ashi_probe_contact deepest;                     /* of all, when its depth is finite */
    ashi_probe_contact of_group[ASHI_PROBE_GROUPS]; /* the deepest of each */
} ashi_hunt;

/* The geometry that a point belongs to. */
typedef enum ashi_side { ASHI_SIDE_A, ASHI_SIDE_B } ashi_side;

/* The feature of the deepest point of a convex geometry: that of point 0 of side a. */
#define ASHI_DEEPEST_POINT 1

/* Adds a contact if it is within the margin. */
void ashi_probe_report(ashi_hunt *hunt, const ashi_probe_contact *contact);
/* Probes a surface point of one side, in the frame of a: a contact if it is within the margin of the other. */
void ashi_probe_point(ashi_hunt *hunt, ashi_side side, ash_vec3 point, uint32_t feature);
/* Probes the surface points of the field on one side. */
void ashi_probe_samples(ashi_hunt *hunt, ashi_side side);
/* Probes the corners of the field on one side, a few for each surface point: for flat faces, on which a field may rest
 * with many feet. */
void ashi_probe_corners(ashi_hunt *hunt, ashi_side side);
/* Probes, for two fields, the largest ball inside each, if its centre is inside the other. */
void ashi_probe_cores(ashi_hunt *hunt);
/* Probes the corners and similar points of the convex geometry a in the field b, and the deepest point of a. True,
 * without that point, if it lies within a flat face: the field then rests on it with its own corners. */
bool ashi_probe_convex(ashi_hunt *hunt);
/* Probes the corners and edges of mesh or height field a within the bounds of field b. */
void ashi_probe_surface(ashi_hunt *hunt);

/* Runs the probes twice and makes the manifolds; false when memory ran out. */
typedef void (*ashi_probes)(ashi_hunt *hunt);
bool ashi_hunt_run(const ashi_pair *pair, ashi_manifolds *manifolds, ashi_probes probes);

/* The gradient of a geometry's distance, as a unit vector; zero where there is none. `size` is the geometry's. */
ash_vec3 ashi_distance_normal(const ash_geometry *geometry, ash_vec3 point, double size);

#endif
