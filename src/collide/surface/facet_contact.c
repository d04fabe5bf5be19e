/* One convex body and one triangle of a surface. First the closest points or the overlap, in closed form for spheres
 * and capsules and by GJK and EPA for the others; then the feature of the triangle in question, and whether its
 * neighbours leave the contact to it (see surface.h); finally the points: the body's support face clipped to the prism
 * above the triangle, or the triangle's edge clipped to the body's support face. */
#include "collide/surface/facet_points.h"
#include "collide/surface/surface.h"
#include "shape/geometry.h"

/* The closest points of body and triangle. */
typedef struct closest_pair {
    ash_vec3 on_surface;
    ash_vec3 direction; /* unit, from the triangle to the body's core; the separating direction if they overlap */
    double distance;    /* of the surfaces, negative when they overlap */
    ashi_feature feature;
    bool sure; /* false: the core passes through the triangle */
} closest_pair;

static double height_over(const ashi_facet *facet, ash_vec3 point)
{
    return v3_dot(facet->normal, v3_sub(point, facet->corners[0]));
}

/* Whether the body reaches the triangle's plane and is not completely behind it. */
static bool reaches(const ashi_visitor *visitor, const ashi_facet *facet)
{
    ash_vec3 up = q_unrotate(visitor->pose.rotation, facet->normal);
    ash_vec3 low = t_point(visitor->pose, ashi_convex_support(&visitor->core, v3_neg(up), NULL));
    if (height_over(facet, low) - visitor->core.radius > visitor->margin)
        return false;
    ash_vec3 high = t_point(visitor->pose, ashi_convex_support(&visitor->core, up, NULL));
    return height_over(facet, high) + visitor->core.radius > 0;
}

/* The closest pair of a point of the core with the triangle. */
static closest_pair meet_point(const ashi_visitor *visitor, const ashi_facet *facet, ash_vec3 point)
{
    closest_pair m = {.sure = true};
    m.on_surface = ashi_triangle_nearest(facet->corners[0], facet->corners[1], facet->corners[2], point, &m.feature);
    ash_vec3 off = v3_sub(point, m.on_surface);
    double distance = v3_norm(off);
    if (distance <= 1e-13 * visitor->size) { /* rounding leaves no direction */
        m.direction = facet->normal;
        m.feature = ASHI_FACE;
    } else {
        m.direction = m.feature == ASHI_FACE && v3_dot(off, facet->normal) >= 0 ? facet->normal : v3_unit(off);
    }
    m.distance = distance - visitor->core.radius;
    return m;
}

ash_vec3 ashi_nearest_to_segment(ash_vec3 p0, ash_vec3 p1, ash_vec3 q0, ash_vec3 q1)
{
    ash_vec3 p = v3_sub(p1, p0), q = v3_sub(q1, q0), off = v3_sub(p0, q0);
    double pp = v3_norm2(p), qq = v3_norm2(q), pq = v3_dot(p, q), p_off = v3_dot(p, off), q_off = v3_dot(q, off);
    double determinant = pp * qq - pq * pq;
    double s = determinant > 1e-14 * pp * qq ? (pq * q_off - qq * p_off) / determinant : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    double t = qq > 0 ? (pq * s + q_off) / qq : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return ashi_segment_nearest(p0, p1, v3_add_scaled(q0, q, t));
}

static closest_pair meet_capsule(const ashi_visitor *visitor, const ashi_facet *facet)
{
    double half = visitor->geometry->def.height / 2;
    ash_vec3 ends[2] = {t_point(visitor->pose, v3(0, 0, -half)), t_point(visitor->pose, v3(0, 0, half))};
    double from = height_over(facet, ends[0]), to = height_over(facet, ends[1]);
    if ((from < 0) != (to < 0)) {
        ash_vec3 through = v3_add_scaled(ends[0], v3_sub(ends[1], ends[0]), from / (from - to));
        closest_pair m = meet_point(visitor, facet, through);
        if (m.feature == ASHI_FACE) {
            m.sure = false;
            return m;
        }
    }
    closest_pair best = meet_point(visitor, facet, ends[0]);
    for (int k = -1; k < 3; k++) {
        ash_vec3 point =
            k < 0 ? ends[1] : ashi_nearest_to_segment(ends[0], ends[1], facet->corners[k], facet->corners[(k + 1) % 3]);
        closest_pair m = meet_point(visitor, facet, point);
        if (m.distance < best.distance)
            best = m;
    }
    return best;
}

/* The feature of the triangle that a point of it belongs to, from its barycentric coordinates. */
static ashi_feature feature_at(const ashi_facet *facet, ash_vec3 point)
{
    const double small = 1e-8;
    bool away[3]; /* from edge k */
    for (int k = 0; k < 3; k++) {
        ash_vec3 from = facet->corners[k], along = v3_sub(facet->corners[(k + 1) % 3], from);
        ash_vec3 whole = v3_sub(facet->corners[(k + 2) % 3], from);
        away[k] = v3_dot(facet->normal, v3_cross(along, v3_sub(point, from))) >
                  small * v3_dot(facet->normal, v3_cross(along, whole));
    }
    for (int k = 0; k < 3; k++) /* corner k lies on edges k and the one before */
        if (!away[k] && !away[(k + 2) % 3])
            return (ashi_feature)(ASHI_CORNER_0 + k);
    for (int k = 0; k < 3; k++)
        if (!away[k])
            return (ashi_feature)(ASHI_EDGE_0 + k);
    return ASHI_FACE;
}

/* A cheap test along the line from the triangle to the body's middle: it rejects most triangles near a body. */
static bool is_clear(const ashi_visitor *visitor, const ashi_facet *facet)
{
    ashi_feature feature;
    ash_vec3 near = ashi_triangle_nearest(facet->corners[0], facet->corners[1], facet->corners[2],
                                          visitor->pose.position, &feature);
    ash_vec3 up = v3_unit(v3_sub(visitor->pose.position, near));
    ash_vec3 down = v3_neg(q_unrotate(visitor->pose.rotation, up));
    ash_vec3 low = t_point(visitor->pose, ashi_convex_support(&visitor->core, down, NULL));
    return v3_dot(up, v3_sub(low, near)) > visitor->margin; /* no corner is farther along than the nearest point */
}

static closest_pair meet_convex(const ashi_visitor *visitor, const ashi_facet *facet)
{
    if (is_clear(visitor, facet))
        return (closest_pair){.distance = INFINITY};
    ashi_convex triangle = ashi_convex_of_points(facet->corners, 3, 0);
    ashi_separation s = ashi_convex_separation(&triangle, &visitor->core, visitor->pose, NULL);
    closest_pair m = {.on_surface = s.on_a, .direction = s.normal, .distance = s.distance, .sure = s.converged};
    m.feature = v3_dot(s.normal, facet->normal) > 1 - 5e-13 ? ASHI_FACE : feature_at(facet, s.on_a);
    return m;
}

static void set_point(const ashi_visitor *visitor, ashi_manifold *manifold, const closest_pair *m, ash_vec3 normal,
                      uint32_t feature)
{
    manifold->normal = normal;
    ashi_facet_add_point(manifold, v3_add_scaled(m->on_surface, normal, m->distance), -m->distance, feature,
                         ASHI_SAME_POINT * visitor->size);
}

static ashi_facet_touch face_contact(const ashi_facet_source *surface, const ashi_visitor *visitor,
                                     const ashi_facet *facet, ashi_manifold *manifold, bool sure)
{
    ashi_facet_face_points(surface, visitor, facet, manifold);
    if (manifold->count == 0)
        return sure ? ASHI_TOUCH_INNER : ASHI_TOUCH_INNER_DOUBTFUL;
    return sure ? ASHI_TOUCH_SURE : ASHI_TOUCH_DOUBTFUL;
}

/* The body does not touch the triangle, but its lowest point may still lie under it. Under a height field, any point of
 * the body that belongs to the triangle counts. */
static ashi_facet_touch behind_contact(const ashi_facet_source *surface, const ashi_visitor *visitor,
                                       const ashi_facet *facet, ashi_manifold *manifold)
{
    ash_vec3 down = v3_neg(q_unrotate(visitor->pose.rotation, facet->normal));
    ash_vec3 low = t_point(visitor->pose, ashi_convex_support(&visitor->core, down, NULL));
    ashi_feature feature;
    ashi_triangle_nearest(facet->corners[0], facet->corners[1], facet->corners[2], low, &feature);
    if ((feature != ASHI_FACE && surface->closed) || height_over(facet, low) >= visitor->core.radius)
        return ASHI_TOUCH_NONE;
    ashi_facet_face_points(surface, visitor, facet, manifold);
    return manifold->count == 0 ? ASHI_TOUCH_NONE : ASHI_TOUCH_BEHIND;
}

/* A sphere's contact is the nearest point or none: if a neighbour is nearer, the contact belongs to it. */
static ashi_facet_touch sphere_contact(const ashi_facet_source *surface, const ashi_visitor *visitor,
                                       const ashi_facet *facet, ashi_manifold *manifold)
{
    closest_pair m = meet_point(visitor, facet, visitor->pose.position);
    ashi_region region = ashi_facet_region(surface, facet, m.feature, m.direction);
    if (m.distance > visitor->margin || region == ASHI_REGION_OTHER)
        return ASHI_TOUCH_NONE;
    if (region == ASHI_REGION_INSIDE) { /* the centre is behind the surface: it returns the way it came */
        m.direction = v3_neg(m.direction);
        m.distance = -m.distance - 2 * visitor->core.radius;
    }
    set_point(visitor, manifold, &m, ashi_facet_clean_normal(surface, facet, m.feature, m.direction), 1);
    return region == ASHI_REGION_INSIDE ? ASHI_TOUCH_DOUBTFUL : ASHI_TOUCH_SURE;
}

ashi_facet_touch ashi_facet_contact(const ashi_facet_source *surface, const ashi_visitor *visitor,
                                    const ashi_facet *facet, ashi_manifold *manifold)
{
    *manifold = (ashi_manifold){.normal = facet->normal, .part_b = facet->number};
    if (!reaches(visitor, facet))
        return ASHI_TOUCH_NONE;
    const ashi_geometry_functions *kind = visitor->geometry->functions;
    if (kind->ball)
        return sphere_contact(surface, visitor, facet, manifold);
    closest_pair m = kind->round ? meet_capsule(visitor, facet) : meet_convex(visitor, facet);
    if (m.distance > visitor->margin)
        return behind_contact(surface, visitor, facet, manifold);
    bool sure = m.sure && ashi_facet_region(surface, facet, m.feature, m.direction) == ASHI_REGION_OUTSIDE;
    ash_vec3 normal = ashi_facet_clean_normal(surface, facet, m.feature, m.direction);
    if (!sure || v3_dot(normal, facet->normal) == v3_norm2(facet->normal))
        return face_contact(surface, visitor, facet, manifold, sure);
    ashi_manifold face = {0};
    ashi_facet_face_points(surface, visitor, facet, &face);
    ashi_facet_lean(visitor, facet, normal, -m.distance, &face);
    manifold->normal = normal;
    ashi_facet_edge_points(surface, visitor, facet, m.feature, manifold);
    for (uint32_t k = 0; k < face.count; k++)
        ashi_facet_add_point(manifold, face.points[k].on_a, face.points[k].depth, face.points[k].feature,
                             ASHI_SAME_POINT * visitor->size);
    set_point(visitor, manifold, &m, normal, ashi_facet_witness(facet, m.feature));
    return ASHI_TOUCH_SURE;
}
