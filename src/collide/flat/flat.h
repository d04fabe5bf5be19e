/* Flat convex geometries as cores with a radius around them: a circle is a point, a flat capsule and a segment are two
 * points, a polygon has three or more and radius 0. Corners run counter-clockwise, face i leads from corner i to the
 * next, with its outside on the right; two points have two faces, one on either side.
 *
 * A piece of a chain is a segment that knows its neighbours (Gribel's flat worlds have none; the idea is that of
 * one-sided smooth chains). It has only its front face, and contacts at a corner only if the normal lies between those
 * of the two pieces that meet there. A contact at an inner corner belongs to the piece that starts there, so that it is
 * reported once. */
#ifndef ASHI_COLLIDE_FLAT_FLAT_H
#define ASHI_COLLIDE_FLAT_FLAT_H

#include "collide/manifold.h"
#include "math/vec2.h"

typedef struct ashi_flat_core {
    const ash_vec3 *points; /* null: the two in `ends` */
    ash_vec3 ends[2];
    uint32_t count, faces;
    double radius;
    ashi_vec2 centre; /* of area; a chain collides only with shapes whose centre is in front of it */
    bool chain;       /* corner 0 is then the end and corner 1 the start, so that the only face is on the left */
    /* Chain: normals at corner k range from the face's to this one; zero if none lie between them. */
    ashi_vec2 limit[2];
    bool bent[2]; /* chain: at corner k the limit is the normal of a neighbour that bends away */
    bool next;    /* chain: another piece follows its end */
} ashi_flat_core;

/* The core of a circle, polygon, flat capsule or segment. */
ashi_flat_core ashi_flat_core_of(const ash_geometry *geometry);

static inline ashi_vec2 ashi_flat_corner(const ashi_flat_core *core, uint32_t i)
{
    const ash_vec3 *points = core->points != NULL ? core->points : core->ends;
    return v2(points[i].x, points[i].y);
}

/* A face in any frame. */
typedef struct ashi_flat_face {
    ashi_vec2 from, along, normal; /* unit vectors */
    double length;
    uint32_t first, second; /* its corners */
} ashi_flat_face;

/* The face in the core's frame. */
static inline ashi_flat_face ashi_flat_face_of(const ashi_flat_core *core, uint32_t face)
{
    uint32_t second = face + 1 < core->count ? face + 1 : 0;
    ashi_vec2 from = ashi_flat_corner(core, face), to = ashi_flat_corner(core, second);
    ashi_vec2 span = v2_sub(to, from), along = v2_unit(span);
    return (ashi_flat_face){from, along, v2_right(along), v2_dot(span, along), face, second};
}

/* Whether a piece of a chain allows a contact with this normal (of any length) at its corner farthest along it, with
 * the other shape's centre there. */
bool ashi_flat_chain_allows(const ashi_flat_core *core, ashi_vec2 normal, ashi_vec2 other_centre);

/* Appends the manifold of a circle, a, and a core with faces, b. */
bool ashi_flat_collide_circle(double radius, const ashi_flat_core *b, const ashi_pair *pair, ashi_manifolds *manifolds);

/* Appends a manifold unless it has no points or is not finite. False when memory ran out. */
bool ashi_flat_append(const ashi_manifold *manifold, ashi_manifolds *manifolds);

#endif
