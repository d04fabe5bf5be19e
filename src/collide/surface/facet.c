/* Regions of a surface's features. A point p = q + s u with q on an edge is nearest to that edge, rather than to its
 * two faces, if u has no component into either face; with q on a corner, if u has none along any edge from it (the
 * polar cones of the tangent cones). On a convex edge these u lie between the two normals, on a flat one they are the
 * normal, and on a concave one they lie inside. */
#include "collide/surface/surface.h"

/* Sines below this are rounding. */
#define ANGLE_TOLERANCE 1e-7
/* Normals closer than this are the same. */
#define SAME_NORMAL 1e-6

static ash_vec3 edge_direction(const ashi_facet *facet, int edge)
{
    return v3_unit(v3_sub(facet->corners[(edge + 1) % 3], facet->corners[edge]));
}

static ashi_region edge_region(const ashi_facet_source *surface, const ashi_facet *facet, int edge, ash_vec3 u)
{
    ash_vec3 along = edge_direction(facet, edge), beyond;
    if (v3_dot(u, v3_cross(facet->normal, along)) > ANGLE_TOLERANCE)
        return ASHI_REGION_OTHER;
    if (!surface->beyond(surface->geometry, facet, edge, &beyond)) /* the surface ends: it can be touched from the
                                                                      side */
        return v3_dot(u, facet->normal) >= 0 ? ASHI_REGION_OUTSIDE : ASHI_REGION_INSIDE;
    if (v3_dot(u, v3_cross(along, beyond)) > ANGLE_TOLERANCE)
        return ASHI_REGION_OTHER;
    return v3_dot(u, v3_add(facet->normal, beyond)) >= 0 ? ASHI_REGION_OUTSIDE : ASHI_REGION_INSIDE;
}

ashi_region ashi_facet_region(const ashi_facet_source *surface, const ashi_facet *facet, ashi_feature feature,
                              ash_vec3 u)
{
    if (feature == ASHI_FACE)
        return v3_dot(u, facet->normal) >= 0 ? ASHI_REGION_OUTSIDE : ASHI_REGION_INSIDE;
    if (feature >= ASHI_EDGE_0)
        return edge_region(surface, facet, (int)feature - ASHI_EDGE_0, u);
    int corner = (int)feature;
    if (!surface->corner_keeps(surface->geometry, facet, corner, u, ANGLE_TOLERANCE))
        return ASHI_REGION_OTHER;
    return v3_dot(u, surface->corner_normal(surface->geometry, facet, corner)) >= 0 ? ASHI_REGION_OUTSIDE
                                                                                    : ASHI_REGION_INSIDE;
}

static bool same(ash_vec3 a, ash_vec3 b)
{
    return v3_norm2(v3_sub(a, b)) <= SAME_NORMAL * SAME_NORMAL;
}

bool ashi_facet_is_flat_at(const ashi_facet_source *surface, const ashi_facet *facet, int edge)
{
    ash_vec3 beyond;
    return surface->beyond(surface->geometry, facet, edge, &beyond) && same(beyond, facet->normal);
}

ash_vec3 ashi_facet_clean_normal(const ashi_facet_source *surface, const ashi_facet *facet, ashi_feature feature,
                                 ash_vec3 direction)
{
    ash_vec3 beyond;
    if (feature == ASHI_FACE || same(direction, facet->normal))
        return facet->normal;
    if (feature >= ASHI_EDGE_0 && surface->beyond(surface->geometry, facet, (int)feature - ASHI_EDGE_0, &beyond) &&
        same(direction, beyond))
        return beyond;
    return direction;
}
