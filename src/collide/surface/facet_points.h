/* The points of a contact between a convex body and a triangle once its normal is known. Everything is in the frame of
 * the surface; points lie on the body. */
#ifndef ASHI_COLLIDE_SURFACE_FACET_POINTS_H
#define ASHI_COLLIDE_SURFACE_FACET_POINTS_H

#include "collide/surface/surface.h"

/* Points closer than this share of the body's size are one. */
#define ASHI_SAME_POINT 1e-7

/* The feature of a nearest or deepest point on a feature of a triangle; if a corner or cut of the body's patch is found
 * at the same place, it takes that feature. */
#define ASHI_FACET_WITNESS 0x80000000u

static inline uint32_t ashi_facet_witness(const ashi_facet *facet, ashi_feature feature)
{
    return ASHI_FACET_WITNESS | (8 * facet->number + (uint32_t)feature);
}

/* Adds a point unless the manifold is full or has one closer than `same`. */
void ashi_facet_add_point(ashi_manifold *manifold, ash_vec3 point, double depth, uint32_t feature, double same);

/* The points of the body's patch over the triangle, with their depths under its plane, for the normal of the face.
 * Points that come from cutting along an edge to a neighbour in the same plane are left out: inside a flat floor they
 * are not corners. */
void ashi_facet_face_points(const ashi_facet_source *surface, const ashi_visitor *visitor, const ashi_facet *facet,
                            ashi_manifold *manifold);

/* Turns the points of a face contact into points along a normal that differs by a few degrees from the face's: an edge
 * of the surface penetrates a face of the body that otherwise lies on the surface. No points remain if the normal
 * differs more, and none that is deeper than `most`: along the normal it lies beside the triangle. */
void ashi_facet_lean(const ashi_visitor *visitor, const ashi_facet *facet, ash_vec3 normal, double most,
                     ashi_manifold *face);

/* For a normal at an edge or a corner: the ends of the part of the edge within the body's patch, if the two are nearly
 * parallel. */
void ashi_facet_edge_points(const ashi_facet_source *surface, const ashi_visitor *visitor, const ashi_facet *facet,
                            ashi_feature feature, ashi_manifold *manifold);

/* The contact with a convex edge that the body crosses: the normal between those of the edge's two faces along which
 * the body is least deep, if it is strictly between them and the contact lies on the edge. The penetration of one
 * triangle does not give it. Returns the depth, or INFINITY if there is no such contact. */
double ashi_facet_crossing(const ashi_facet_source *surface, const ashi_visitor *visitor, const ashi_facet *facet,
                           int edge, ashi_manifold *manifold);

/* The contact of a corner with the face of the body that faces the triangle, if the corner is locally the surface's
 * farthest point against that face. Returns the depth, or INFINITY if there is no such contact. */
double ashi_facet_prick(const ashi_facet_source *surface, const ashi_visitor *visitor, const ashi_facet *facet,
                        int corner, ashi_manifold *manifold);

/* The point of segment p0 p1 nearest to segment q0 q1. */
ash_vec3 ashi_nearest_to_segment(ash_vec3 p0, ash_vec3 p1, ash_vec3 q0, ash_vec3 q1);

#endif
