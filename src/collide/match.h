/* Points of contacts that were there in the last step, too. */
#ifndef ASHI_COLLIDE_MATCH_H
#define ASHI_COLLIDE_MATCH_H

#include "collide/contact_set.h"

/* Gives the points of a pair's new contacts the ages and forces of the old points that they are the same as: of the
 * same feature between the same parts; failing that in the same place, on either body, between any parts, as long as
 * the normals are alike. Each old point serves once. Points that are new have age 0. `width`: the largest distance of
 * the smaller shape from its origin; 0 is allowed. */
void ashi_match_points(ashi_contact_set *set, const ashi_contact_pair *pair, const ashi_contact_set *before,
                       const ashi_contact_pair *old, double width);

#endif
