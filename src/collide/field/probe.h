/* Contacts by points of one geometry in the distance of another: how distance fields touch.
 *
 * Every point of a surface that lies within the other geometry, or within the margin of it, is a contact: as deep as
 * the distance is negative, along the gradient of the distance. A hunt goes over the points twice: first for the
 * deepest contact, which leads the first group, then for all of them, grouped by their normals: at most
 * ASHI_PROBE_GROUPS groups of contacts within ASHI_PROBE_COSINE of the group's first, one manifold each, with the
 * normal of its deepest point. Contacts that fit no group when all are taken are left out.
 *
 * Two fields that overlap by more than a quarter of the thinner one's thickness have no common way out: their points
 * press towards whatever surface is near, some against others, and hold the bodies in each other; of two alike that lie
 * in the same place no point is deep at all. So the ball that fits into each is probed as well, whose depth does not
 * vanish there, and of deep overlaps only contacts that agree with the deepest are kept. */
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
    bool grouping; /* the second time */
    bool deep;     /* the deepest contact decides about the others */
    double core;   /* radius of the smaller of the balls within two fields; infinite for other pairs */
    bool out_of_memory;
    bool on_face;                                   /* of a convex geometry: `lowest` lies within a flat face */
    ashi_probe_contact lowest;                      /* its point that is deepest in the field */
    ashi_probe_contact deepest;                     /* of all, when its depth is finite */
    ashi_probe_contact of_group[ASHI_PROBE_GROUPS]; /* the deepest of each */
} ashi_hunt;

/* Which of the two a point belongs to. */
typedef enum ashi_side { ASHI_SIDE_A, ASHI_SIDE_B } ashi_side;

/* The feature of the deepest point of a convex geometry: that of point 0 of side a. */
#define ASHI_DEEPEST_POINT 1

/* A contact that was found: kept if it is within the margin. */
void ashi_probe_report(ashi_hunt *hunt, const ashi_probe_contact *contact);
/* Looks at a point of one side's surface, in the frame of a: a contact if it is within the margin of the other. */
void ashi_probe_point(ashi_hunt *hunt, ashi_side side, ash_vec3 point, uint32_t feature);
/* The surface points of the field on one side. */
void ashi_probe_samples(ashi_hunt *hunt, ashi_side side);
/* The corners of the field on one side, a few for each surface point: how it meets flat faces, on which it may stand
 * with many feet. */
void ashi_probe_corners(ashi_hunt *hunt, ashi_side side);
/* Of two fields, the largest ball within each, when its middle is inside the other. */
void ashi_probe_cores(ashi_hunt *hunt);
/* Corners and the like of the convex geometry a in the field b, and the point of a that lies deepest. True, without
 * that point, when it lies within a flat face: the field then stands on it with its own corners. */
bool ashi_probe_convex(ashi_hunt *hunt);
/* The corners and edges of mesh or height field a within the bounds of field b. */
void ashi_probe_surface(ashi_hunt *hunt);

/* Runs the probes twice and makes the manifolds; false when memory ran out. */
typedef void (*ashi_probes)(ashi_hunt *hunt);
bool ashi_hunt_run(const ashi_pair *pair, ashi_manifolds *manifolds, ashi_probes probes);

/* The gradient of a geometry's distance, as a unit vector; zero where there is none. `size` is the geometry's. */
ash_vec3 ashi_distance_normal(const ash_geometry *geometry, ash_vec3 point, double size);

#endif
