/* Matching of contact points with those of the last step. */
#ifndef ASHI_COLLIDE_MATCH_H
#define ASHI_COLLIDE_MATCH_H

#include "collide/contact_set.h"

/* Gives the points of a pair's new contacts the ages and forces of the corresponding old points: those of the same
 * feature between the same parts; failing that, those at the same position, on either body, between any parts, if the
 * normals are similar. Each old point is used once. New points have age 0. `width`: the largest distance of the smaller
 * shape from its origin; 0 is allowed. */
void ashi_match_points(ashi_contact_set *set, const ashi_contact_pair *pair, const ashi_contact_set *before,
                       const ashi_contact_pair *old, double width);

#endif
