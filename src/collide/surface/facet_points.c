/* Points of contacts with triangles: clipping by half planes (Sutherland & Hodgman 1974), with a record of the
 * triangle's edge that made each new point. */
#include "collide/surface/facet_points.h"

#include "collide/convex/polyhedron_pair.h"
#include "collide/convex/support_face.h"
#include "shape/geometry.h"

/* Patches are taken along an edge up to this sine between them. */
#define PARALLEL 0.03
/* A cut within this share of a side's length from a corner gets the corner's feature. */
#define AT_CORNER 0.02

#define CLIP_MOST (ASHI_SUPPORT_FACE_MOST + 4)

typedef struct clip_point {
    ash_vec3 place;
    uint32_t feature;
    uint32_t edges; /* bit k: lies on edge k of the triangle because it was cut there */
} clip_point;

void ashi_facet_add_point(ashi_manifold *manifold, ash_vec3 point, double depth, uint32_t feature, double same)
{
    for (uint32_t i = 0; i < manifold->count; i++)
        if (v3_norm2(v3_sub(manifold->points[i].on_a, point)) <= same * same) {
            if (manifold->points[i].feature >= ASHI_FACET_WITNESS)
                manifold->points[i].feature = feature;
            return;
        }
    if (manifold->count < ASHI_MANIFOLD_MOST)
        manifold->points[manifold->count++] = (ashi_manifold_point){point, depth, feature};
}

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint32_t mixed = (a ^ (b + 0x9e3779b9u + (a << 6) + (a >> 2))) * 0x85ebca6bu & ~ASHI_FACET_WITNESS;
    return mixed != 0 ? mixed : 1; /* 0 is no feature */
}

/* The feature of the point at which an edge of the surface cuts a side, in either direction, at a share of its length.
 * Close to a corner of the side it gets the corner's feature, so that rounding does not move it to the next side. */
static uint32_t cut_feature(uint32_t one, uint32_t other, double share, uint32_t edge)
{
    if (share < AT_CORNER || share > 1 - AT_CORNER)
        return share < 0.5 ? one : other;
    return mix(one < other ? mix(one, other) : mix(other, one), edge);
}

/* Clips to the inside of edge k, whose outward direction in the plane is `outward`. */
static uint32_t clip_at_edge(const clip_point *in, uint32_t count, clip_point *out, const ashi_facet *facet, int k,
                             ash_vec3 outward, double slack)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const clip_point *here = &in[i], *next = &in[(i + 1) % count];
        double from = v3_dot(outward, v3_sub(here->place, facet->corners[k]));
        double to = v3_dot(outward, v3_sub(next->place, facet->corners[k]));
        bool stays = from <= slack, goes_on = to <= slack;
        if (stays && kept < CLIP_MOST)
            out[kept++] = *here;
        if (stays == goes_on || kept == CLIP_MOST)
            continue;
        double share = from / (from - to);
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        out[kept++] = (clip_point){v3_add_scaled(here->place, v3_sub(next->place, here->place), share),
                                   cut_feature(here->feature, next->feature, share, 3 * facet->number + (uint32_t)k),
                                   1u << k | (here->edges & next->edges)};
    }
    return kept;
}

/* Whether a point comes from a cut inside a flat floor. */
static bool is_inner(const clip_point *point, const bool flat[3])
{
    bool any = false;
    for (int k = 0; k < 3; k++)
        if ((point->edges >> k & 1) != 0) {
            any = true;
            if (!flat[k])
                return false;
        }
    return any;
}

/* The outward normal of the plane in which the prism over a triangle ends at an edge. At a concave edge it is the
 * bisecting plane of the two triangles, so that points behind the edge belong to one of them; on it both are equally
 * far. */
static ash_vec3 side_of_prism(const ashi_facet_source *surface, const ashi_facet *facet, int edge)
{
    ash_vec3 along = v3_sub(facet->corners[(edge + 1) % 3], facet->corners[edge]), up = facet->normal, beyond;
    if (surface->beyond(surface->geometry, facet, edge, &beyond) && v3_dot(v3_cross(up, beyond), along) < 0)
        up = v3_add(up, beyond);
    return v3_unit(v3_cross(along, up));
}

void ashi_facet_face_points(const ashi_facet_source *surface, const ashi_visitor *visitor, const ashi_facet *facet,
                            ashi_manifold *manifold)
{
    ashi_support_face front;
    clip_point one[CLIP_MOST], other[CLIP_MOST];
    clip_point *points = one, *next = other;
    bool flat[3], support_is_over = true;
    ash_vec3 normal = facet->normal;
    double slack = 1e-12 * visitor->size;
    ashi_support_face_towards(visitor->geometry, visitor->pose, v3_neg(normal), &front);
    uint32_t count = front.count;
    for (uint32_t i = 0; i < count; i++)
        points[i] = (clip_point){front.points[i], front.features[i], 0};
    for (int k = 0; k < 3; k++) {
        ash_vec3 outward = side_of_prism(surface, facet, k);
        flat[k] = ashi_facet_is_flat_at(surface, facet, k);
        count = clip_at_edge(points, count, next, facet, k, outward, slack);
        support_is_over = support_is_over && v3_dot(outward, v3_sub(front.support, facet->corners[k])) <= slack;
        clip_point *swap = points;
        points = next;
        next = swap;
    }
    manifold->normal = normal;
    if (support_is_over && count < CLIP_MOST)
        points[count++] = (clip_point){front.support, front.support_feature, 0};
    for (uint32_t i = 0; i < count; i++) {
        double depth = front.radius - v3_dot(normal, v3_sub(points[i].place, facet->corners[0]));
        if (depth >= -visitor->margin && !is_inner(&points[i], flat))
            ashi_facet_add_point(manifold, v3_add_scaled(points[i].place, normal, -front.radius), depth,
                                 points[i].feature, ASHI_SAME_POINT * visitor->size);
    }
}

void ashi_facet_lean(const ashi_visitor *visitor, const ashi_facet *facet, ash_vec3 normal, double most,
                     ashi_manifold *face)
{
    double cosine = v3_dot(normal, facet->normal);
    uint32_t count = 0;
    for (uint32_t i = 0; i < face->count && cosine > ASHI_ALONG_FACE; i++) {
        ashi_manifold_point p = face->points[i];
        p.depth /= cosine;
        if (p.depth >= -visitor->margin && p.depth <= most)
            face->points[count++] = p;
    }
    face->count = count;
}

/* A part of an edge of the surface, from 0 to 1, and the features of its ends; 0 for the edge's own ends. */
typedef struct span {
    double begin, end;
    uint32_t begin_feature, end_feature;
} span;

static void cut_span(span *s, double at, bool is_end, uint32_t feature)
{
    if (is_end && at < s->end) {
        s->end = at;
        s->end_feature = feature;
    } else if (!is_end && at > s->begin) {
        s->begin = at;
        s->begin_feature = feature;
    }
}

/* The part of an edge that lies within a polygon, projected along the normal. */
static bool clip_to_polygon(const ashi_support_face *front, ash_vec3 normal, ash_vec3 from, ash_vec3 along,
                            uint32_t number, span *s)
{
    for (uint32_t i = 0; i < front->count; i++) {
        uint32_t next = (i + 1) % front->count;
        ash_vec3 side = v3_sub(front->points[next], front->points[i]);
        ash_vec3 outward = v3_cross(normal, side); /* the polygon faces against the normal */
        double start = v3_dot(outward, v3_sub(from, front->points[i])), speed = v3_dot(outward, along);
        if (speed != 0) {
            ash_vec3 cut = v3_add_scaled(from, along, -start / speed);
            double share = v3_dot(side, v3_sub(cut, front->points[i])) / v3_norm2(side);
            cut_span(s, -start / speed, speed > 0,
                     cut_feature(front->features[i], front->features[next], share, number));
        }
        if (speed == 0 && start > 0)
            return false;
    }
    return s->begin < s->end;
}

/* The same for a segment nearly parallel to the edge. */
static bool clip_to_segment(const ashi_support_face *front, ash_vec3 from, ash_vec3 along, span *s)
{
    ash_vec3 body = v3_sub(front->points[1], front->points[0]);
    ash_vec3 across = v3_cross(body, along);
    if (v3_norm2(across) > PARALLEL * PARALLEL * v3_norm2(body) * v3_norm2(along))
        return false;
    double length2 = v3_norm2(along);
    double one = v3_dot(v3_sub(front->points[0], from), along) / length2;
    double other = v3_dot(v3_sub(front->points[1], from), along) / length2;
    cut_span(s, one, one > other, front->features[0]);
    cut_span(s, other, other >= one, front->features[1]);
    return s->begin < s->end;
}

/* The depth of a point of the edge below the body's support face, along the normal. */
static double depth_under(const ashi_support_face *front, ash_vec3 normal, ash_vec3 along, ash_vec3 point)
{
    ash_vec3 off = v3_sub(point, front->points[0]);
    if (front->count > 2)
        return v3_dot(front->normal, off) / v3_dot(front->normal, normal);
    ash_vec3 body = v3_sub(front->points[1], front->points[0]);
    double share = v3_dot(off, along) / v3_dot(body, along);
    return v3_dot(normal, v3_add_scaled(off, body, -share)) + front->radius;
}

static void along_edge(const ashi_visitor *visitor, const ashi_facet *facet, int edge, const ashi_support_face *front,
                       ashi_manifold *manifold)
{
    ash_vec3 from = facet->corners[edge], along = v3_sub(facet->corners[(edge + 1) % 3], from);
    ash_vec3 normal = manifold->normal;
    span s = {0, 1, 0, 0};
    uint32_t number = 3 * facet->number + (uint32_t)edge;
    if (fabs(v3_dot(normal, along)) > PARALLEL * v3_norm(along))
        return;
    if (front->count > 2 ? !clip_to_polygon(front, normal, from, along, number, &s)
                         : !clip_to_segment(front, from, along, &s))
        return;
    for (int i = 0; i < 2; i++) {
        ash_vec3 point = v3_add_scaled(from, along, i == 0 ? s.begin : s.end);
        uint32_t cut = i == 0 ? s.begin_feature : s.end_feature;
        double depth = depth_under(front, normal, along, point);
        if (depth >= -visitor->margin)
            ashi_facet_add_point(manifold, v3_add_scaled(point, normal, -depth), depth,
                                 cut != 0 ? cut : mix(number, (uint32_t)i + 1), ASHI_SAME_POINT * visitor->size);
    }
}

/* Whether a triangle is the one of the two at an edge that faces more along a direction: it owns the edge's points, so
 * that they have the same features as points of its face. */
static bool is_upper(const ashi_facet_source *surface, const ashi_facet *facet, int edge, ash_vec3 direction)
{
    ash_vec3 beyond;
    return !surface->beyond(surface->geometry, facet, edge, &beyond) ||
           v3_dot(beyond, direction) <= v3_dot(facet->normal, direction);
}

void ashi_facet_edge_points(const ashi_facet_source *surface, const ashi_visitor *visitor, const ashi_facet *facet,
                            ashi_feature feature, ashi_manifold *manifold)
{
    ashi_support_face front;
    ashi_support_face_towards(visitor->geometry, visitor->pose, v3_neg(manifold->normal), &front);
    if (front.count < 2 || (front.count > 2 && -v3_dot(front.normal, manifold->normal) < 1 - PARALLEL * PARALLEL / 2))
        return;
    for (int k = 0; k < 3; k++) {
        bool touches = feature == (ashi_feature)(ASHI_EDGE_0 + k) || feature == (ashi_feature)(ASHI_CORNER_0 + k) ||
                       feature == (ashi_feature)(ASHI_CORNER_0 + (k + 1) % 3);
        if (touches && is_upper(surface, facet, k, manifold->normal) &&
            ashi_facet_region(surface, facet, (ashi_feature)(ASHI_EDGE_0 + k), manifold->normal) == ASHI_REGION_OUTSIDE)
            along_edge(visitor, facet, k, &front, manifold);
    }
}
