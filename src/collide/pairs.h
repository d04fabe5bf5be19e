/* All pair functions, one file for each pair of kinds (or of families of kinds). The table in dispatch.c names each
 * once. */
#ifndef ASHI_COLLIDE_PAIRS_H
#define ASHI_COLLIDE_PAIRS_H

#include "collide/manifold.h"

/* Closed forms. */
bool ashi_collide_sphere_sphere(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_sphere_capsule(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_capsule_capsule(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_sphere_box(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_sphere_cylinder(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_sphere_convex(const ashi_pair *pair, ashi_manifolds *manifolds);  /* cone, ellipsoid, hull */
bool ashi_collide_capsule_convex(const ashi_pair *pair, ashi_manifolds *manifolds); /* box, cylinder, cone, ... */
bool ashi_collide_curved_convex(const ashi_pair *pair, ashi_manifolds *manifolds); /* cylinder, cone, ellipsoid with any
                                                                                      convex: GJK, EPA, face clipping */
bool ashi_collide_convex_plane(const ashi_pair *pair, ashi_manifolds *manifolds);  /* any convex kind on a plane */

/* Polyhedra. */
bool ashi_collide_box_box(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_box_hull(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_hull_hull(const ashi_pair *pair, ashi_manifolds *manifolds);

/* Surfaces. */
bool ashi_collide_convex_surface(const ashi_pair *pair, ashi_manifolds *manifolds); /* a mesh or a height field */
bool ashi_collide_mesh_mesh(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_mesh_plane(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_mesh_height_field(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_plane_height_field(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_field_plane(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_convex_field(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_field_field(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_mesh_field(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_height_field_field(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_compound_any(const ashi_pair *pair, ashi_manifolds *manifolds); /* flat ones too */

/* Flat kinds. */
bool ashi_collide_circle_circle(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_circle_polygon(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_polygon_polygon(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_circle_flat_capsule(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_polygon_flat_capsule(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_flat_capsules(const ashi_pair *pair, ashi_manifolds *manifolds);
bool ashi_collide_flat_segment(const ashi_pair *pair, ashi_manifolds *manifolds); /* circle, polygon, capsule on one */
bool ashi_collide_segments(const ashi_pair *pair, ashi_manifolds *manifolds);

#endif
