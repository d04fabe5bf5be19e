/* Two patches laid over each other along a normal: the points of a manifold. */
#ifndef ASHI_COLLIDE_CONVEX_OVERLAY_H
#define ASHI_COLLIDE_CONVEX_OVERLAY_H

#include "collide/convex/support_feature.h"
#include "collide/manifold.h"

/* The feature of the closest points, when they are none of the patches' own. The largest: points of patches go first
 * among equals. */
#define ASHI_FEATURE_WITNESS UINT32_MAX

/* Adds the corners of what the shadows of the two patches along the manifold's normal share, with the overlap there as
 * depth, as far as it is not below -margin. Both patches are in a's frame; lengths below `tiny` count as none. */
void ashi_overlay(const ashi_support_feature *a, const ashi_support_feature *b, double margin, double tiny,
                  ashi_manifold *manifold);

/* Adds the deepest point of the pair unless the manifold has one as deep. It takes the place, and the feature, of a
 * patch's point nearby. `size` is that of the smaller geometry. */
void ashi_overlay_witness(ash_vec3 on_a, double depth, double size, ashi_manifold *manifold);

#endif
