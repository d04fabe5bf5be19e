/* Two surfaces of triangles, a mesh with a mesh or a height field: where corners of one meet faces of the other, and
 * where edges cross.
 *
 * Two polyhedra always touch by a corner on a face or an edge on an edge, with a normal that is an outward direction of
 * both features (the polar cones of facet.c). A touch is kept if its normal belongs to one feature and, within a
 * tolerance, to the other: a corner at the rim of the face it touches is never pushed sideways, since the side's normal
 * is not one of the corner's. Tolerances only add touches to the true ones, such as the corners of a slightly tilted
 * face; each keeps its own exact distance.
 *
 * If surfaces overlap, features have passed each other. A corner leaves through the nearest of the compatible faces. A
 * touch that a shallower one frees as well is dropped (skin_pair.c). */
#ifndef ASHI_COLLIDE_SURFACE_SKINS_H
#define ASHI_COLLIDE_SURFACE_SKINS_H

#include "collide/surface/surface.h"

#define ASHI_SKIN_MOST 256 /* the most touches; beyond this, the widest gaps are dropped */

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
    double reach;  /* deeper overlaps are not searched; at least the margin */
    double size;   /* of the smaller one, */
    double extent; /* and its thinnest side, of closed ones */
    double floor;  /* shallower touches are ignored */
    uint32_t count;
    ashi_skin_touch touches[ASHI_SKIN_MOST];
} ashi_skins;

void ashi_skins_begin(ashi_skins *skins, const ashi_pair *pair);

/* Whether a point in the frame of a side lies inside it, or below it, by more than rounding. */
bool ashi_skin_contains(const ashi_skins *skins, int side, ash_vec3 point);

/* Adds a touch. */
void ashi_skins_add(ashi_skins *skins, const ashi_skin_touch *touch);

/* Adds touches of one side's corners on faces of the other and, across gaps, on its edges and corners. */
void ashi_skin_corners(ashi_skins *skins, int one);
/* Adds touches of crossing edges. */
void ashi_skin_edges(ashi_skins *skins);

/* Whether the features of a touch overlap when b is moved in the frame of a. */
bool ashi_skin_overlaps(const ashi_skins *skins, const ashi_skin_touch *touch, ash_vec3 moved);

/* The deepest touch of two surfaces that overlap; false when there is none. */
bool ashi_skins_deepest(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, ashi_skin_touch *deepest);

/* Overlaps below this share of the size count as zero, without a test of which side is inside. */
#define ASHI_SKIN_TINY 1e-9
/* Distances below this share of the size are rounding. */
#define ASHI_SKIN_ROUNDING 1e-12

#endif
