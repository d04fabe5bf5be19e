/* Two surfaces of triangles, a mesh with a mesh or a height field: where corners of one meet faces of the other, and
 * where edges cross.
 *
 * Whatever two polyhedra touch by, it is a corner on a face or an edge on an edge, with a normal that both features
 * have among their outward directions (the polar cones of facet.c). A touch is kept when its normal is that of one
 * feature and, within a tolerance, of the other: a corner at the rim of a face that it stands on is never pushed to the
 * side, since the side's normal is none of the corner's. Tolerances only add touches beside the true ones, as the
 * corners of a face that leans a little; each keeps its own exact distance.
 *
 * Of surfaces that overlap, features have passed each other. A corner leaves by the nearest of the faces that agree
 * with it. What another touch, less deep, frees as well is dropped (skin_pair.c). */
#ifndef ASHI_COLLIDE_SURFACE_SKINS_H
#define ASHI_COLLIDE_SURFACE_SKINS_H

#include "collide/surface/surface.h"

#define ASHI_SKIN_MOST 256 /* touches; beyond, the widest gaps are forgotten */

typedef enum ashi_skin_kind { ASHI_CORNER_OF_A, ASHI_CORNER_OF_B, ASHI_EDGES } ashi_skin_kind;

/* A touch, in the frame of a, with the signs of manifolds. */
typedef struct ashi_skin_touch {
    ashi_skin_kind kind;
    uint32_t feature, group;
    ash_vec3 on_a, normal;
    double depth;
    ash_vec3 inward;               /* of a corner: a unit vector into its own side */
    ash_vec3 edge_a[2], edge_b[2]; /* the ends of crossing edges */
} ashi_skin_touch;

/* Side 0 is a, side 1 is b. */
typedef struct ashi_skins {
    ashi_facet_source surface[2];
    ash_transform to_other[2]; /* from the frame of each into that of the other */
    ash_bounds box[2];         /* of each in its own frame */
    double margin;
    double reach;  /* overlaps deeper than this are not looked for; at least the margin */
    double size;   /* of the smaller one, */
    double extent; /* and its thinnest side, of closed ones */
    double floor;  /* touches less deep are of no interest */
    uint32_t count;
    ashi_skin_touch touches[ASHI_SKIN_MOST];
} ashi_skins;

void ashi_skins_begin(ashi_skins *skins, const ashi_pair *pair);

/* Whether a point in the frame of a side lies inside it, or below it, by more than rounding. */
bool ashi_skin_contains(const ashi_skins *skins, int side, ash_vec3 point);

/* Keeps a touch. */
void ashi_skins_add(ashi_skins *skins, const ashi_skin_touch *touch);

/* The corners of one side on the faces of the other, and on its edges and corners across gaps. */
void ashi_skin_corners(ashi_skins *skins, int one);
/* The edges of a across the edges of b. */
void ashi_skin_edges(ashi_skins *skins);

/* Whether the features of a touch overlap when b is moved in the frame of a. */
bool ashi_skin_overlaps(const ashi_skins *skins, const ashi_skin_touch *touch, ash_vec3 moved);

/* The deepest touch of two surfaces that overlap; false when there is none. */
bool ashi_skins_deepest(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, ashi_skin_touch *deepest);

/* Overlaps below this share of the size count as touches without any: nothing is asked about what lies inside. */
#define ASHI_SKIN_TINY 1e-9
/* Distances below this share of the size are rounding. */
#define ASHI_SKIN_ROUNDING 1e-12

#endif
