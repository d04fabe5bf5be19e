/* Oracles for pairs of polyhedra, independent of src/collide: plain lists of vertices, face normals and edges, the
 * separation along every axis there is, and the distance over every pair of features. */
#ifndef TESTS_COLLIDE_POLYHEDRA_H
#define TESTS_COLLIDE_POLYHEDRA_H

#include "check.h"
#include "collide/manifold.h"
#include "shape/hull.h"
#include "shape/samples.h"

enum { SOLID_VERTICES = 64, SOLID_EDGES = 200, SOLID_FACES = 128 };

/* A polyhedron placed in the frame of a. */
typedef struct solid {
    const ash_geometry *geometry;
    ash_transform pose;
    ash_vec3 vertices[SOLID_VERTICES], normals[SOLID_FACES];
    ash_vec3 ends[SOLID_EDGES][2];
    uint32_t vertex_count, normal_count, edge_count;
    double size; /* of the box around it: the longest half side */
} solid;

static inline void add_edge(solid *s, ash_vec3 from, ash_vec3 to)
{
    s->ends[s->edge_count][0] = from;
    s->ends[s->edge_count++][1] = to;
}

static inline void solid_of_box(solid *s, ash_vec3 h)
{
    for (int i = 0; i < 8; i++)
        s->vertices[s->vertex_count++] = v3(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
    for (int i = 0; i < 8; i++)
        for (int axis = 0; axis < 3; axis++)
            if (!(i & 1 << axis))
                add_edge(s, s->vertices[i], s->vertices[i | 1 << axis]);
    for (int axis = 0; axis < 3; axis++)
        for (int sign = -1; sign <= 1; sign += 2)
            s->normals[s->normal_count++] = v3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
}

/* Triangles of the kept definition, not the polygon faces that are under test. Edges within a face do no harm. */
static inline void solid_of_hull(solid *s, const ash_geometry_def *def)
{
    for (uint32_t i = 0; i < def->point_count; i++)
        s->vertices[s->vertex_count++] = def->points[i];
    for (uint32_t t = 0; t < def->triangle_count; t++) {
        const uint32_t *k = def->triangles + 3 * t;
        const ash_vec3 *p = def->points;
        s->normals[s->normal_count++] = v3_unit(v3_cross(v3_sub(p[k[1]], p[k[0]]), v3_sub(p[k[2]], p[k[0]])));
        for (int i = 0; i < 3; i++)
            if (k[i] < k[(i + 1) % 3])
                add_edge(s, p[k[i]], p[k[(i + 1) % 3]]);
    }
}

static inline solid solid_of(const ash_geometry *geometry, ash_transform pose)
{
    solid s = {.geometry = geometry, .pose = pose};
    const ash_geometry_def *def = ash_geometry_get_definition(geometry);
    if (def->kind == ASH_GEOMETRY_BOX)
        solid_of_box(&s, def->half_extents);
    else
        solid_of_hull(&s, def);
    assert_true(s.vertex_count <= SOLID_VERTICES && s.edge_count <= SOLID_EDGES && s.normal_count <= SOLID_FACES);
    for (uint32_t i = 0; i < s.vertex_count; i++) {
        s.size = fmax(s.size, v3_max_component(v3_abs(s.vertices[i])));
        s.vertices[i] = t_point(pose, s.vertices[i]);
    }
    for (uint32_t i = 0; i < s.normal_count; i++)
        s.normals[i] = q_rotate(pose.rotation, s.normals[i]);
    for (uint32_t i = 0; i < s.edge_count; i++)
        for (int k = 0; k < 2; k++)
            s.ends[i][k] = t_point(pose, s.ends[i][k]);
    return s;
}

/* The gap between a and b along a unit vector from a to b. */
static inline double gap_along(const solid *a, const solid *b, ash_vec3 n)
{
    double reach = -INFINITY, start = INFINITY;
    for (uint32_t i = 0; i < a->vertex_count; i++)
        reach = fmax(reach, v3_dot(n, a->vertices[i]));
    for (uint32_t i = 0; i < b->vertex_count; i++)
        start = fmin(start, v3_dot(n, b->vertices[i]));
    return start - reach;
}

/* The largest gap over all face normals and all products of edges, in both senses. Negative: the penetration depth. */
static inline double largest_gap(const solid *a, const solid *b, ash_vec3 *normal)
{
    double most = -INFINITY;
    ash_vec3 best = v3(0, 0, 0);
    for (uint32_t i = 0; i < a->normal_count + b->normal_count; i++) {
        ash_vec3 n = i < a->normal_count ? a->normals[i] : v3_neg(b->normals[i - a->normal_count]);
        double gap = gap_along(a, b, n);
        if (gap > most) {
            most = gap;
            best = n;
        }
    }
    for (uint32_t i = 0; i < a->edge_count; i++)
        for (uint32_t k = 0; k < b->edge_count; k++) {
            ash_vec3 u = v3_unit(v3_sub(a->ends[i][1], a->ends[i][0])),
                     v = v3_unit(v3_sub(b->ends[k][1], b->ends[k][0]));
            ash_vec3 product = v3_cross(u, v);
            if (v3_norm2(product) < 1e-12)
                continue;
            for (int sign = -1; sign <= 1; sign += 2) {
                ash_vec3 n = v3_scale(v3_unit(product), sign);
                double gap = gap_along(a, b, n);
                if (gap > most) {
                    most = gap;
                    best = n;
                }
            }
        }
    *normal = best;
    return most;
}

/* The distance of two segments: the nearest of inner points and ends. */
static inline double segment_distance(const ash_vec3 a[2], const ash_vec3 b[2])
{
    ash_vec3 u = v3_sub(a[1], a[0]), v = v3_sub(b[1], b[0]), w = v3_sub(b[0], a[0]);
    double uu = v3_dot(u, u), vv = v3_dot(v, v), uv = v3_dot(u, v), determinant = uu * vv - uv * uv;
    double least = INFINITY;
    if (determinant > 1e-14 * uu * vv) {
        double s = (v3_dot(u, w) * vv - v3_dot(v, w) * uv) / determinant;
        double t = (v3_dot(u, w) * uv - v3_dot(v, w) * uu) / determinant;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1)
            least = v3_norm(v3_sub(v3_add_scaled(w, v, t), v3_scale(u, s)));
    }
    for (int i = 0; i < 2; i++) {
        double t = fmin(1, fmax(0, v3_dot(v, v3_sub(a[i], b[0])) / vv));
        double s = fmin(1, fmax(0, v3_dot(u, v3_sub(b[i], a[0])) / uu));
        least = fmin(least, v3_distance(a[i], v3_add_scaled(b[0], v, t)));
        least = fmin(least, v3_distance(b[i], v3_add_scaled(a[0], u, s)));
    }
    return least;
}

/* The distance of two solids that do not overlap: over every vertex and solid, and every pair of edges. */
static inline double solid_distance(const solid *a, const solid *b)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < a->vertex_count; i++)
        least = fmin(least, ash_geometry_distance(b->geometry, t_point_inverse(b->pose, a->vertices[i])));
    for (uint32_t i = 0; i < b->vertex_count; i++)
        least = fmin(least, ash_geometry_distance(a->geometry, t_point_inverse(a->pose, b->vertices[i])));
    for (uint32_t i = 0; i < a->edge_count; i++)
        for (uint32_t k = 0; k < b->edge_count; k++)
            least = fmin(least, segment_distance(a->ends[i], b->ends[k]));
    return least;
}

static inline double deepest(const ashi_manifolds *manifolds)
{
    double depth = -INFINITY;
    for (uint32_t i = 0; i < manifolds->count; i++)
        for (uint32_t k = 0; k < manifolds->data[i].count; k++)
            depth = fmax(depth, manifolds->data[i].points[k].depth);
    return depth;
}

/* The manifolds of a pair, into an array that is emptied first. */
static inline void collide(ashi_manifolds *manifolds, const ash_geometry *a, const ash_geometry *b,
                           ash_transform b_in_a, double margin, bool keep_all, ashi_pair_cache *cache)
{
    manifolds->count = 0;
    ashi_pair pair = {a, b, b_in_a, margin, keep_all, cache, {0}};
    assert_true(ashi_collide(&pair, manifolds));
}

static inline ash_geometry *make_box(double x, double y, double z)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = v3(x, y, z);
    ash_geometry *geometry = NULL;
    assert_int_equal(ash_geometry_create(&def, &geometry, NULL), ASH_OK);
    return geometry;
}

static inline ash_geometry *make_hull(const ash_vec3 *points, uint32_t count)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    def.points = points;
    def.point_count = count;
    ash_geometry *geometry = NULL;
    assert_int_equal(ash_geometry_create(&def, &geometry, NULL), ASH_OK);
    return geometry;
}

static inline ash_geometry *random_box(ashi_random *random)
{
    double x = ashi_random_range(random, 0.2, 1), y = ashi_random_range(random, 0.2, 1);
    return make_box(x, y, ashi_random_range(random, 0.2, 1));
}

/* 4 to `most` points in a ball, stretched along the axes. */
static inline ash_geometry *random_hull(ashi_random *random, uint32_t most)
{
    ash_vec3 points[SOLID_VERTICES], stretch = random_point(random, v3(0.3, 0.3, 0.3), v3(1, 1, 1));
    uint32_t count = 4 + ashi_random_below(random, most - 3);
    for (uint32_t i = 0; i < count; i++)
        points[i] = v3_mul(stretch, v3_scale(random_direction(random), ashi_random_range(random, 0.5, 1)));
    return make_hull(points, count);
}

#endif
