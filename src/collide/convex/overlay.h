/* Two patches laid over each other along a normal: the points of a manifold. */
#ifndef ASHI_COLLIDE_CONVEX_OVERLAY_H
#define ASHI_COLLIDE_CONVEX_OVERLAY_H

#include "collide/convex/support_feature.h"
#include "collide/manifold.h"

/* The feature of the closest points, if they are not points of the patches. The largest number, so that points of
 * patches precede it among equals. */
#define ASHI_FEATURE_WITNESS UINT32_MAX

/* Adds the corners of the intersection of the two patches, projected along the manifold's normal, with the overlap
 * there as depth, unless it is below -margin. Both patches are in a's frame; lengths below `tiny` count as zero. */
void ashi_overlay(const ashi_support_feature *a, const ashi_support_feature *b, double margin, double tiny,
                  ashi_manifold *manifold);

/* Adds the deepest point of the pair unless the manifold has one as deep. It replaces a patch's point nearby and takes
 * its feature. `size` is that of the smaller geometry. */
void ashi_overlay_witness(ash_vec3 on_a, double depth, double size, ashi_manifold *manifold);

#endif
