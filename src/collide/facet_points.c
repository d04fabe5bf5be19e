/* Points of contacts with triangles: clipping by half planes (Sutherland & Hodgman 1974), keeping in mind which of the
 * triangle's edges made each new point. */
#include "collide/facet_points.h"

#include "collide/patch.h"
#include "shape/geometry.h"

/* Patches are taken along an edge up to this sine between them. */
#define PARALLEL 0.03

#define CLIP_MOST (ASHI_PATCH_MOST + 4)

typedef struct clip_point {
    ash_vec3 place;
    uint32_t feature;
    uint32_t edges; /* bit k: lies on edge k of the triangle because it was cut there */
} clip_point;

void ashi_facet_add_point(ashi_manifold *manifold, ash_vec3 point, double depth, uint32_t feature, double same)
{
    for (uint32_t i = 0; i < manifold->count; i++)
        if (v3_norm2(v3_sub(manifold->points[i].on_a, point)) <= same * same)
            return;
    if (manifold->count < ASHI_MANIFOLD_MOST)
        manifold->points[manifold->count++] = (ashi_manifold_point){point, depth, feature};
}

static uint32_t mix(uint32_t a, uint32_t b)
{
    return (a ^ (b + 0x9e3779b9u + (a << 6) + (a >> 2))) * 0x85ebca6bu;
}

/* Keeps what lies inside of edge k, whose outward direction in the plane is `outward`. */
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
        uint32_t low = here->feature < next->feature ? here->feature : next->feature;
        uint32_t high = here->feature < next->feature ? next->feature : here->feature;
        out[kept++] =
            (clip_point){v3_add_scaled(here->place, v3_sub(next->place, here->place), share),
                         mix(mix(low, high), 3 * facet->number + (uint32_t)k), 1u << k | (here->edges & next->edges)};
    }
    return kept;
}

/* Whether a point was cut out of a flat floor. */
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

void ashi_facet_face_points(const ashi_surface *surface, const ashi_visitor *visitor, const ashi_facet *facet,
                            ashi_manifold *manifold)
{
    ashi_patch patch;
    clip_point one[CLIP_MOST], other[CLIP_MOST];
    clip_point *points = one, *next = other;
    bool flat[3], support_is_over = true;
    ash_vec3 normal = facet->normal;
    double slack = 1e-12 * visitor->size;
    ashi_patch_towards(visitor->geometry, visitor->pose, v3_neg(normal), &patch);
    uint32_t count = patch.count;
    for (uint32_t i = 0; i < count; i++)
        points[i] = (clip_point){patch.points[i], patch.features[i], 0};
    for (int k = 0; k < 3; k++) {
        ash_vec3 along = v3_sub(facet->corners[(k + 1) % 3], facet->corners[k]);
        ash_vec3 outward = v3_unit(v3_cross(along, normal));
        flat[k] = ashi_facet_is_flat_at(surface, facet, k);
        count = clip_at_edge(points, count, next, facet, k, outward, slack);
        support_is_over = support_is_over && v3_dot(outward, v3_sub(patch.support, facet->corners[k])) <= slack;
        clip_point *swap = points;
        points = next;
        next = swap;
    }
    manifold->normal = normal;
    if (support_is_over && count < CLIP_MOST)
        points[count++] = (clip_point){patch.support, patch.support_feature, 0};
    for (uint32_t i = 0; i < count; i++) {
        double depth = patch.radius - v3_dot(normal, v3_sub(points[i].place, facet->corners[0]));
        if (depth >= -visitor->margin && !is_inner(&points[i], flat))
            ashi_facet_add_point(manifold, v3_add_scaled(points[i].place, normal, -patch.radius), depth,
                                 points[i].feature, ASHI_SAME_POINT * visitor->size);
    }
}

/* The part of an edge, from 0 to 1, that lies along a polygon seen along the normal. */
static bool clip_to_polygon(const ashi_patch *patch, ash_vec3 normal, ash_vec3 from, ash_vec3 along, double *begin,
                            double *end)
{
    for (uint32_t i = 0; i < patch->count; i++) {
        ash_vec3 side = v3_sub(patch->points[(i + 1) % patch->count], patch->points[i]);
        ash_vec3 outward = v3_cross(normal, side); /* the polygon faces against the normal */
        double start = v3_dot(outward, v3_sub(from, patch->points[i])), speed = v3_dot(outward, along);
        if (speed > 0)
            *end = fmin(*end, -start / speed);
        else if (speed < 0)
            *begin = fmax(*begin, -start / speed);
        else if (start > 0)
            return false;
    }
    return *begin < *end;
}

/* The same for a segment nearly parallel to the edge. */
static bool clip_to_segment(const ashi_patch *patch, ash_vec3 from, ash_vec3 along, double *begin, double *end)
{
    ash_vec3 body = v3_sub(patch->points[1], patch->points[0]);
    ash_vec3 across = v3_cross(body, along);
    if (v3_norm2(across) > PARALLEL * PARALLEL * v3_norm2(body) * v3_norm2(along))
        return false;
    double length2 = v3_norm2(along);
    double one = v3_dot(v3_sub(patch->points[0], from), along) / length2;
    double other = v3_dot(v3_sub(patch->points[1], from), along) / length2;
    *begin = fmax(*begin, fmin(one, other));
    *end = fmin(*end, fmax(one, other));
    return *begin < *end;
}

/* How deep a point of the edge lies under the patch, along the normal. */
static double depth_under(const ashi_patch *patch, ash_vec3 normal, ash_vec3 along, ash_vec3 point)
{
    ash_vec3 off = v3_sub(point, patch->points[0]);
    if (patch->count > 2)
        return v3_dot(patch->normal, off) / v3_dot(patch->normal, normal);
    ash_vec3 body = v3_sub(patch->points[1], patch->points[0]);
    double share = v3_dot(off, along) / v3_dot(body, along);
    return v3_dot(normal, v3_add_scaled(off, body, -share)) + patch->radius;
}

static void along_edge(const ashi_visitor *visitor, const ashi_facet *facet, int edge, const ashi_patch *patch,
                       ashi_manifold *manifold)
{
    ash_vec3 from = facet->corners[edge], along = v3_sub(facet->corners[(edge + 1) % 3], from);
    ash_vec3 normal = manifold->normal;
    double begin = 0, end = 1;
    if (fabs(v3_dot(normal, along)) > PARALLEL * v3_norm(along))
        return;
    if (patch->count > 2 ? !clip_to_polygon(patch, normal, from, along, &begin, &end)
                         : !clip_to_segment(patch, from, along, &begin, &end))
        return;
    for (int i = 0; i < 2; i++) {
        ash_vec3 point = v3_add_scaled(from, along, i == 0 ? begin : end);
        double depth = depth_under(patch, normal, along, point);
        if (depth >= -visitor->margin)
            ashi_facet_add_point(manifold, v3_add_scaled(point, normal, -depth), depth,
                                 mix(3 * facet->number + (uint32_t)edge, (uint32_t)i + 1),
                                 ASHI_SAME_POINT * visitor->size);
    }
}

void ashi_facet_edge_points(const ashi_surface *surface, const ashi_visitor *visitor, const ashi_facet *facet,
                            ashi_feature feature, ashi_manifold *manifold)
{
    ashi_patch patch;
    ashi_patch_towards(visitor->geometry, visitor->pose, v3_neg(manifold->normal), &patch);
    if (patch.count < 2 || (patch.count > 2 && -v3_dot(patch.normal, manifold->normal) < 1 - PARALLEL * PARALLEL / 2))
        return;
    for (int k = 0; k < 3; k++) {
        bool touches = feature == (ashi_feature)(ASHI_EDGE_0 + k) || feature == (ashi_feature)(ASHI_CORNER_0 + k) ||
                       feature == (ashi_feature)(ASHI_CORNER_0 + (k + 1) % 3);
        if (touches &&
            ashi_facet_region(surface, facet, (ashi_feature)(ASHI_EDGE_0 + k), manifold->normal) == ASHI_REGION_OUTSIDE)
            along_edge(visitor, facet, k, &patch, manifold);
    }
}
