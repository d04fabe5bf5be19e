/* A piece of a surface during convex decomposition: its triangles, the remainders of those that were cut, and their
 * hull. */
#ifndef ASHI_SHAPE_PARTS_H
#define ASHI_SHAPE_PARTS_H

#include "base/array.h"
#include "shape/geometry.h"

/* A triangle, with the outward normal of the triangle of the surface that it was cut from. */
typedef struct ashi_shard {
    ash_vec3 corner[3], normal;
    double overhang; /* of the hull beyond the facet along the normal, if measured */
} ashi_shard;

typedef struct ashi_cut {
    ash_vec3 normal; /* unit */
    double offset;   /* on the lower side normal . x is below it */
} ashi_cut;

/* The whole surface. */
typedef struct ashi_solid {
    ASHI_ARRAY(ashi_shard) facets;
    double rounding; /* distance from a plane up to which a point counts as in it, m */
} ashi_solid;

/* The part of the solid that lies below all cuts. */
typedef struct ashi_piece {
    ASHI_ARRAY(ashi_shard) facets;
    ASHI_ARRAY(ashi_cut) cuts;
    ASHI_ARRAY(ash_vec3) inner;   /* corners inside the solid, where three cuts meet */
    ASHI_ARRAY(ash_vec3) corners; /* of the hull */
    ASHI_ARRAY(ashi_cut) sides;   /* of the hull; none if the piece is flat */
    double volume;                /* of the hull */
    double overhang;              /* how far the hull protrudes from the surface at most, along the surface's normals */
    double excess;                /* the integral of that over the surface */
} ashi_piece;

void ashi_piece_release(ashi_piece *piece);
/* Computes hull, volume and overhang of the facets; false when there is no memory. */
bool ashi_piece_measure(ashi_piece *piece, double rounding);
/* Cuts a piece in two, using every `stride`-th facet; facets in the plane go to the side that they bound. Both are
 * measured. False when there is no memory; both are then empty. */
bool ashi_piece_cut(const ashi_solid *solid, const ashi_piece *piece, ashi_cut cut, uint32_t stride,
                    ashi_piece halves[2]);
/* Both pieces as one, measured. */
bool ashi_piece_join(const ashi_piece *a, const ashi_piece *b, double rounding, ashi_piece *both);

#endif
