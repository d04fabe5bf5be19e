/* A piece of a surface on its way to convex parts: triangles, what is left of those that were cut, and their hull. */
#ifndef ASHI_SHAPE_PARTS_H
#define ASHI_SHAPE_PARTS_H

#include "base/array.h"
#include "shape/geometry.h"

/* A triangle, with the outward normal of the triangle of the surface that it was cut from. */
typedef struct ashi_shard {
    ash_vec3 corner[3], normal;
    double overhang; /* of the hull along the normal, where it was measured */
} ashi_shard;

typedef struct ashi_cut {
    ash_vec3 normal; /* unit */
    double offset;   /* normal . x below it on the lower side */
} ashi_cut;

/* The whole surface. */
typedef struct ashi_solid {
    ASHI_ARRAY(ashi_shard) facets;
    double rounding; /* how far from a plane a point counts as in it, m */
} ashi_solid;

/* What of the solid lies below all cuts. */
typedef struct ashi_piece {
    ASHI_ARRAY(ashi_shard) facets;
    ASHI_ARRAY(ashi_cut) cuts;
    ASHI_ARRAY(ash_vec3) inner;   /* corners inside of the solid: where three cuts meet */
    ASHI_ARRAY(ash_vec3) corners; /* of the hull */
    ASHI_ARRAY(ashi_cut) sides;   /* of the hull; none where the piece is flat */
    double volume;                /* of the hull */
    double overhang;              /* how far the hull stands before the surface at most, along its normals */
    double excess;                /* the integral of that over the surface */
} ashi_piece;

void ashi_piece_release(ashi_piece *piece);
/* Finds hull, volume and overhang of the facets; false when there is no memory. */
bool ashi_piece_measure(ashi_piece *piece, double rounding);
/* Cuts a piece in two, from every `stride`-th facet; what lies in the plane goes to the side that it bounds. Both are
 * measured. False when there is no memory; both are then empty. */
bool ashi_piece_cut(const ashi_solid *solid, const ashi_piece *piece, ashi_cut cut, uint32_t stride,
                    ashi_piece halves[2]);
/* Both pieces as one, measured. */
bool ashi_piece_join(const ashi_piece *a, const ashi_piece *b, double rounding, ashi_piece *both);

#endif
