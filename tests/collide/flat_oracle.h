/* Random flat shapes and what their distance is by exhaustion, in code that shares nothing with src/collide: corners
 * by cosine and sine, all face normals and all directions from corner to corner tried when they overlap, all corners
 * against all faces when they do not. */
#ifndef TESTS_COLLIDE_FLAT_ORACLE_H
#define TESTS_COLLIDE_FLAT_ORACLE_H

#include "check.h"

#include "ashlar/geometry.h"
#include "base/random.h"
#include "collide/manifold.h"

#include <string.h>

#define FLAT_ROUNDS TRIALS(100000)

enum { MOST_CORNERS = 12 };

/* A shape as the oracle sees it: corners in some frame and a radius. */
typedef struct oracle_shape {
    int count;
    double x[MOST_CORNERS], y[MOST_CORNERS], radius;
} oracle_shape;

static inline oracle_shape oracle_of(const ash_geometry *geometry)
{
    const ash_geometry_def *def = ash_geometry_get_definition(geometry);
    oracle_shape shape = {.count = 1, .radius = def->radius};
    if (def->kind == ASH_GEOMETRY_FLAT_CAPSULE) {
        shape.count = 2;
        shape.x[0] = -def->height / 2;
        shape.x[1] = def->height / 2;
    } else if (def->kind == ASH_GEOMETRY_POLYGON || def->kind == ASH_GEOMETRY_SEGMENT) {
        shape.count = (int)def->point_count;
        for (int i = 0; i < shape.count; i++) {
            shape.x[i] = def->points[i].x;
            shape.y[i] = def->points[i].y;
        }
    }
    return shape;
}

static inline oracle_shape oracle_moved(oracle_shape shape, double x, double y, double angle)
{
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < shape.count; i++) {
        double px = shape.x[i], py = shape.y[i];
        shape.x[i] = x + c * px - s * py;
        shape.y[i] = y + s * px + c * py;
    }
    return shape;
}

/* How far b lies beyond a along a direction. */
static inline double oracle_beyond(const oracle_shape *a, const oracle_shape *b, double nx, double ny)
{
    double length = sqrt(nx * nx + ny * ny), of_a = -INFINITY, of_b = INFINITY;
    if (!(length > 0))
        return -INFINITY;
    for (int i = 0; i < a->count; i++)
        of_a = fmax(of_a, a->x[i] * nx + a->y[i] * ny);
    for (int i = 0; i < b->count; i++)
        of_b = fmin(of_b, b->x[i] * nx + b->y[i] * ny);
    return (of_b - of_a) / length;
}

static inline double oracle_point_edge(double px, double py, double ax, double ay, double bx, double by)
{
    double dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy;
    double t = square > 0 ? ((px - ax) * dx + (py - ay) * dy) / square : 0;
    t = fmin(fmax(t, 0), 1);
    return hypot(px - ax - t * dx, py - ay - t * dy);
}

static inline double oracle_corners_to_edges(const oracle_shape *a, const oracle_shape *b)
{
    double least = INFINITY;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++) {
            int k = (j + 1) % b->count;
            least = fmin(least, oracle_point_edge(a->x[i], a->y[i], b->x[j], b->y[j], b->x[k], b->y[k]));
        }
    return least;
}

/* The signed distance: what is left after the largest separation over all candidate directions. */
static inline double oracle_distance(const oracle_shape *a, const oracle_shape *b)
{
    double best = -INFINITY;
    for (int of_b = 0; of_b < 2; of_b++) {
        const oracle_shape *s = of_b ? b : a;
        for (int i = 0; i < s->count && s->count > 1; i++) {
            int k = (i + 1) % s->count;
            double nx = s->y[k] - s->y[i], ny = s->x[i] - s->x[k];
            best = fmax(best, fmax(oracle_beyond(a, b, nx, ny), oracle_beyond(a, b, -nx, -ny)));
        }
    }
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            best = fmax(best, oracle_beyond(a, b, b->x[j] - a->x[i], b->y[j] - a->y[i]));
    double radii = a->radius + b->radius;
    if (best > 0)
        return fmin(oracle_corners_to_edges(a, b), oracle_corners_to_edges(b, a)) - radii;
    return (isfinite(best) ? best : 0) - radii;
}

static inline ash_geometry *flat_made(const ash_geometry_def *def)
{
    ash_geometry *geometry;
    ash_diagnostic diagnostic;
    if (ash_geometry_create(def, &geometry, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", diagnostic.code, diagnostic.message);
    return geometry;
}

static inline ash_geometry *flat_polygon(const ash_vec3 *corners, uint32_t count)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_POLYGON);
    def.points = corners;
    def.point_count = count;
    return flat_made(&def);
}

static inline ash_geometry *flat_rectangle(double half_width, double half_height)
{
    ash_vec3 corners[4] = {{-half_width, -half_height, 0},
                           {half_width, -half_height, 0},
                           {half_width, half_height, 0},
                           {-half_width, half_height, 0}};
    return flat_polygon(corners, 4);
}

static inline ash_geometry *flat_circle(double radius)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
    def.radius = radius;
    return flat_made(&def);
}

static inline ash_geometry *flat_capsule(double height, double radius)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_FLAT_CAPSULE);
    def.height = height;
    def.radius = radius;
    return flat_made(&def);
}

static inline ash_geometry *flat_segment(const ash_vec3 *points, uint32_t count, double radius)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SEGMENT);
    def.points = points;
    def.point_count = count;
    def.radius = radius;
    return flat_made(&def);
}

/* Corners in order on an ellipse that is not about the origin. */
static inline ash_geometry *random_polygon(ashi_random *random, double size)
{
    uint32_t count = 3 + ashi_random_below(random, MOST_CORNERS - 3);
    double wide = size * ashi_random_range(random, 0.3, 1), tall = size * ashi_random_range(random, 0.3, 1);
    double turn = ashi_random_range(random, 0, 6.28), x = size * ashi_random_range(random, -0.2, 0.2);
    ash_vec3 corners[MOST_CORNERS];
    for (uint32_t i = 0; i < count; i++) {
        double angle = 6.283185307179586 * (i + ashi_random_range(random, 0, 0.9)) / count;
        double px = wide * cos(angle), py = tall * sin(angle);
        corners[i] = (ash_vec3){x + cos(turn) * px - sin(turn) * py, sin(turn) * px + cos(turn) * py, 0};
    }
    return flat_polygon(corners, count);
}

static inline ash_geometry *random_flat(ashi_random *random, ash_geometry_kind kind, double size)
{
    double radius = size * ashi_random_range(random, 0.1, 0.6);
    switch (kind) {
    case ASH_GEOMETRY_CIRCLE:
        return flat_circle(radius);
    case ASH_GEOMETRY_FLAT_CAPSULE:
        return flat_capsule(size * ashi_random_range(random, 0.05, 1.5), radius);
    case ASH_GEOMETRY_SEGMENT: {
        ash_vec3 ends[2];
        for (int i = 0; i < 2; i++)
            ends[i] = (ash_vec3){size * ashi_random_range(random, -1, 1), size * ashi_random_range(random, -1, 1), 0};
        return flat_segment(ends, 2, ashi_random_below(random, 2) ? radius / 4 : 0);
    }
    default:
        return random_polygon(random, size);
    }
}

static inline ash_transform flat_pose(double x, double y, double angle)
{
    return (ash_transform){{x, y, 0}, {cos(angle / 2), 0, 0, sin(angle / 2)}};
}

/* The manifold of a pair, or one without points. At most one is expected of two convex shapes. */
static inline ashi_manifold flat_touch(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a,
                                       double margin, ashi_pair_cache *cache)
{
    ashi_manifold storage[4], result;
    memset(&result, 0, sizeof result);
    ashi_manifolds manifolds = {storage, 0, 4};
    ashi_pair pair = {.a = a, .b = b, .b_in_a = b_in_a, .margin = margin, .cache = cache};
    assert_true(ashi_collide(&pair, &manifolds));
    assert_ptr_equal(manifolds.data, storage);
    assert_true(manifolds.count <= 1);
    if (manifolds.count == 1) {
        assert_true(storage[0].count >= 1 && storage[0].count <= 2);
        memcpy(&result.points, &storage[0].points, storage[0].count * sizeof *result.points);
        result.normal = storage[0].normal;
        result.count = storage[0].count;
    }
    return result;
}

static inline double deepest(const ashi_manifold *manifold)
{
    double depth = -INFINITY;
    for (uint32_t i = 0; i < manifold->count; i++)
        depth = fmax(depth, manifold->points[i].depth);
    return depth;
}

/* The point on b, in the frame of a. */
static inline ash_vec3 point_on_b(const ashi_manifold *manifold, uint32_t i)
{
    return v3_add_scaled(manifold->points[i].on_a, manifold->normal, -manifold->points[i].depth);
}

#endif
