/* Circles against flat geometries (Gribel 2009, 3.1): the centre lies inside, or outside in the Voronoi region of a
 * face or of a corner. The face from which the centre is farthest (or least deep) is the nearest feature or next to it:
 * along a convex outline, away from the nearest point, the distance from the faces' lines decreases monotonically. */
#include "collide/flat/flat.h"
#include "collide/pairs.h"

/* Centres closer to a corner than this share of a face's length have no reliable direction. */
#define TOUCHING 1e-10

bool ashi_collide_circle_circle(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    double radius = ash_geometry_get_definition(pair->a)->radius;
    double other = ash_geometry_get_definition(pair->b)->radius;
    ashi_vec2 apart = v2_of(pair->b_in_a.position), normal = v2_unit(apart);
    double depth = radius + other - v2_dot(apart, normal);
    if (!(depth >= -pair->margin))
        return true;
    if (apart.x == 0 && apart.y == 0) { /* any direction is valid: use the last one, if there was one */
        normal = pair->cache != NULL ? v2_unit(v2_of(pair->cache->direction)) : v2(0, 0);
        if (v2_dot(normal, normal) == 0)
            normal = v2(0, 1);
    }
    if (pair->cache != NULL)
        pair->cache->direction = v3_of(normal);
    ashi_manifold manifold;
    manifold.normal = v3_of(normal);
    manifold.count = 1;
    manifold.points[0] = (ashi_manifold_point){v3_scale(manifold.normal, radius), depth, 0};
    return ashi_flat_append(&manifold, manifolds);
}

/* The face whose line is farthest in front of the point, or least far behind it. */
static ashi_flat_face farthest_face(const ashi_flat_core *core, ashi_vec2 point, double *farthest)
{
    ashi_flat_face best = ashi_flat_face_of(core, 0);
    *farthest = v2_dot(best.normal, v2_sub(point, best.from));
    for (uint32_t i = 1; i < core->faces; i++) {
        ashi_flat_face face = ashi_flat_face_of(core, i);
        double distance = v2_dot(face.normal, v2_sub(point, face.from));
        if (distance > *farthest) {
            *farthest = distance;
            best = face;
        }
    }
    return best;
}

bool ashi_flat_collide_circle(double radius, const ashi_flat_core *b, const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ashi_pose2 pose = p2_of(pair->b_in_a);
    ashi_vec2 centre = p2_point_back(pose, v2(0, 0));
    double distance, reach = radius + b->radius;
    ashi_flat_face face = farthest_face(b, centre, &distance);
    if (!(reach - distance >= -pair->margin))
        return true;
    ashi_vec2 normal = face.normal;
    uint32_t feature = 2 * face.first;
    ashi_vec2 from_first = v2_sub(centre, face.from), from_second = v2_sub(centre, ashi_flat_corner(b, face.second));
    bool before = v2_dot(face.along, from_first) < 0;
    bool after = v2_dot(face.along, from_second) > 0;
    if (before || after) {
        ashi_vec2 apart = before ? from_first : from_second;
        /* A chain's end belongs to the next piece; in front of the other corners the normal must be allowed. */
        if (b->chain && ((before && b->next) || !ashi_flat_chain_allows(b, apart, centre)))
            return true;
        double length = v2_norm(apart);
        feature = 2 * (before ? face.first : face.second) + 1;
        if (distance > -TOUCHING * face.length && length > TOUCHING * face.length) {
            normal = v2_unit(apart);
            distance = v2_dot(apart, normal);
        }
    } else if (b->chain && !ashi_flat_chain_allows(b, normal, centre)) {
        return true;
    }
    double depth = reach - distance;
    if (!(depth >= -pair->margin))
        return true;
    ashi_manifold manifold;
    manifold.normal = v3_of(v2_neg(p2_turn(pose, normal)));
    manifold.count = 1;
    manifold.points[0] = (ashi_manifold_point){v3_scale(manifold.normal, radius), depth, feature};
    return ashi_flat_append(&manifold, manifolds);
}

static bool collide(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ashi_flat_core core = ashi_flat_core_of(pair->b);
    return ashi_flat_collide_circle(ash_geometry_get_definition(pair->a)->radius, &core, pair, manifolds);
}

bool ashi_collide_circle_polygon(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return collide(pair, manifolds);
}

bool ashi_collide_circle_flat_capsule(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return collide(pair, manifolds);
}
