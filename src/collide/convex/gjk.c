/* The closest points of two convex cores (Gilbert, Johnson & Keerthi 1988), and the separation of two convex sets.
 *
 * A simplex of at most four points of a - b moves towards the origin. The closest point of a simplex is found by signed
 * areas and volumes (as by Montanari, Petrinic & Barbieri 2017); a simplex without area or volume falls back to its
 * sides, so that nothing is divided by zero. |v| bounds the distance from above, the support plane v . w / |v| from
 * below: the iteration ends when the two meet, or when rounding prevents further decrease of |v|. */
#include "collide/convex/minkowski.h"

#include <float.h>

enum { MOST_STEPS = 100 };

/* The distance that counts as zero, in units of the largest coordinate. */
#define TOUCHING 1e-8
/* The accuracy at which Newton's method takes over for curved cores. */
#define COARSE 1e-3

/* The closest point of a part of the simplex: at most three corners with weights. */
typedef struct closest {
    ash_vec3 v;
    double norm2;
    double weights[3];
    uint32_t corners[3], count;
} closest;

static closest on_corner(const ashi_gjk *s, uint32_t i)
{
    ash_vec3 v = s->corners[i].w;
    return (closest){v, v3_norm2(v), {1}, {i}, 1};
}

static closest on_segment(const ashi_gjk *s, uint32_t i, uint32_t j)
{
    ash_vec3 a = s->corners[i].w, b = s->corners[j].w, along = ashi_minkowski_edge(&s->corners[i], &s->corners[j]);
    double length2 = v3_norm2(along), t = length2 > 0 ? -v3_dot(a, along) / length2 : 0;
    if (!(t > 0))
        return on_corner(s, i);
    if (t >= 1)
        return on_corner(s, j);
    /* From the nearer end, so that rounding of the far one matters less. */
    ash_vec3 v = t < 0.5 ? v3_add_scaled(a, along, t) : v3_add_scaled(b, along, t - 1);
    return (closest){v, v3_norm2(v), {1 - t, t}, {i, j}, 2};
}

static void keep_closer(closest *best, closest other)
{
    if (other.norm2 < best->norm2)
        *best = other;
}

/* Weights of a triangle's corners are ratios of areas. They are computed relative to the corner closest to the origin:
 * next to a tiny core, a huge one's far corners have weights of 1e-8 whose sign must still be right. */
static closest on_triangle(const ashi_gjk *s, uint32_t i, uint32_t j, uint32_t k)
{
    double at_i = v3_norm2(s->corners[i].w), at_j = v3_norm2(s->corners[j].w), at_k = v3_norm2(s->corners[k].w);
    if (at_j < at_i && at_j <= at_k)
        return on_triangle(s, j, k, i);
    if (at_k < at_i)
        return on_triangle(s, k, i, j);
    ash_vec3 a = s->corners[i].w, ab = ashi_minkowski_edge(&s->corners[i], &s->corners[j]);
    ash_vec3 ac = ashi_minkowski_edge(&s->corners[i], &s->corners[k]), n = v3_cross(ab, ac);
    double n2 = v3_norm2(n), at_b = -1, at_c = -1;
    bool flat = !(n2 > 1e-28 * v3_norm2(ab) * v3_norm2(ac));
    if (!flat) {
        ash_vec3 foot = v3_scale(n, v3_dot(a, n) / n2), from_a = v3_sub(foot, a);
        at_b = v3_dot(n, v3_cross(from_a, ac)) / n2;
        at_c = v3_dot(n, v3_cross(ab, from_a)) / n2;
        if (at_b > 0 && at_c > 0 && at_b + at_c < 1)
            return (closest){foot, v3_norm2(foot), {1 - at_b - at_c, at_b, at_c}, {i, j, k}, 3};
    }
    closest best = {.norm2 = DBL_MAX};
    if (flat || at_c <= 0)
        keep_closer(&best, on_segment(s, i, j));
    if (flat || at_b <= 0)
        keep_closer(&best, on_segment(s, i, k));
    if (flat || at_b + at_c >= 1)
        keep_closer(&best, on_segment(s, j, k));
    return best;
}

/* The closest point of a tetrahedron's surface; `inside` when the origin lies within: on the same side of each face as
 * the opposite corner, by the signs of their volumes above it. */
static closest on_tetrahedron(const ashi_gjk *s, bool *inside)
{
    static const uint32_t faces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    closest best = {.norm2 = DBL_MAX};
    *inside = true;
    for (int f = 0; f < 4; f++) {
        const ashi_minkowski_point *a = &s->corners[faces[f][0]], *across = &s->corners[faces[f][3]];
        ash_vec3 ab = ashi_minkowski_edge(a, &s->corners[faces[f][1]]);
        ash_vec3 ac = ashi_minkowski_edge(a, &s->corners[faces[f][2]]), n = v3_cross(ab, ac);
        if (v3_dot(n, ashi_minkowski_edge(a, across)) * -v3_dot(n, a->w) > 0)
            continue;
        *inside = false;
        keep_closer(&best, on_triangle(s, faces[f][0], faces[f][1], faces[f][2]));
    }
    return best;
}

/* Reduces the simplex to the part that its closest point lies on. False when it contains the origin. */
static bool reduce(ashi_gjk *s, closest *best)
{
    bool inside = false;
    switch (s->count) {
    case 1:
        *best = on_corner(s, 0);
        break;
    case 2:
        *best = on_segment(s, 0, 1);
        break;
    case 3:
        *best = on_triangle(s, 0, 1, 2);
        break;
    default:
        *best = on_tetrahedron(s, &inside);
    }
    return !inside;
}

static void keep(ashi_gjk *s, const closest *part)
{
    ashi_minkowski_point kept[3];
    for (uint32_t i = 0; i < part->count; i++)
        kept[i] = s->corners[part->corners[i]];
    for (uint32_t i = 0; i < part->count; i++) {
        s->corners[i] = kept[i];
        s->weights[i] = part->weights[i];
    }
    s->count = part->count;
    s->v = part->v;
}

static bool holds(const ashi_gjk *s, ash_vec3 w)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->corners[i].w.x == w.x && s->corners[i].w.y == w.y && s->corners[i].w.z == w.z)
            return true;
    return false;
}

ash_vec3 ashi_gjk_on_a(const ashi_gjk *g)
{
    ash_vec3 sum = v3(0, 0, 0);
    for (uint32_t i = 0; i < g->count; i++)
        sum = v3_add_scaled(sum, g->corners[i].on_a, g->weights[i]);
    return sum;
}

static double larger(double scale, const ashi_minkowski_point *p)
{
    double size = ashi_minkowski_size(p);
    return size > scale ? size : scale;
}

ashi_gjk ashi_gjk_start(const ashi_minkowski *m, ash_vec3 direction)
{
    ashi_gjk g = {.count = 1, .weights = {1}, .axis = direction};
    g.corners[0] = ashi_minkowski_support(m, v3_neg(direction));
    g.v = g.corners[0].w;
    g.scale = larger(0, &g.corners[0]);
    return g;
}

void ashi_gjk_walk(const ashi_minkowski *m, double gap, double enough, ashi_gjk *g)
{
    g->converged = false;
    while (g->iterations < MOST_STEPS && !g->converged && !g->early) {
        double norm2 = v3_norm2(g->v), norm = sqrt(norm2);
        g->converged = norm <= ASHI_GJK_GAP * g->scale;
        if (g->converged)
            break;
        ashi_minkowski_point p = ashi_minkowski_support(m, v3_neg(g->v));
        g->scale = larger(g->scale, &p);
        double below = v3_dot(g->v, p.w) / norm;
        if (below > g->lower || g->iterations == 0) {
            g->lower = below;
            g->axis = g->v;
        }
        g->iterations++;
        g->converged = norm - g->lower <= gap * g->scale || holds(g, p.w);
        g->early = !g->converged && g->lower > enough;
        if (g->converged || g->early)
            break;
        closest best;
        g->corners[g->count++] = p;
        bool outside = reduce(g, &best);
        if (outside && best.norm2 < norm2) {
            keep(g, &best);
        } else if (outside || g->lower > 0) {
            /* Rounding prevents further progress: the point is as close as possible. A flat tetrahedron cannot contain
             * the origin once a separating plane has been found. */
            g->count--;
            g->converged = true;
        } else {
            g->overlap = g->converged = true;
            g->v = v3(0, 0, 0);
        }
    }
    g->overlap = g->overlap || v3_norm(g->v) <= TOUCHING * g->scale;
}

/* A direction from b to a to start from: the caller's, or the line of the centres. */
static ash_vec3 start_direction(const ashi_minkowski *m, const ash_vec3 *direction)
{
    if (direction != NULL && v3_norm2(*direction) > 0 && v3_is_finite(*direction))
        return *direction;
    return v3_norm2(m->position) > 0 ? v3_neg(m->position) : v3(1, 0, 0);
}

/* So far apart that squares overflow: two points. */
static bool is_far(ash_vec3 position)
{
    return !(v3_max_component(v3_abs(position)) < 1e100);
}

static ashi_separation far_apart(const ashi_convex *a, ash_vec3 position, double radii)
{
    ash_vec3 n = v3_unit(position), at = v3_scale(position, 0x1p-10);
    ashi_separation s = {.normal = n, .converged = true};
    s.distance = v3_dot(at, n) < DBL_MAX / 2048 ? v3_dot(at, n) * 1024 - radii : DBL_MAX / 2;
    s.on_a = v3_add_scaled(ashi_convex_support(a, n, NULL), n, a->radius);
    s.on_b = v3_add_scaled(s.on_a, n, s.distance);
    return s;
}

/* Adds the radii to the result for the cores: on_a is a point of a's core. */
static ashi_separation with_radii(const ashi_convex *a, const ashi_convex *b, double distance, ash_vec3 normal,
                                  ash_vec3 on_a)
{
    ashi_separation s = {.distance = distance - a->radius - b->radius, .normal = normal};
    s.on_a = v3_add_scaled(on_a, normal, a->radius);
    s.on_b = v3_add_scaled(s.on_a, normal, s.distance);
    return s;
}

/* The distance along the normal of a flat end, if it is larger than that of the support planes found. */
static bool try_end(const ashi_minkowski *m, ash_vec3 normal, const ashi_gjk *g, double *distance)
{
    *distance = -v3_dot(normal, ashi_minkowski_support(m, normal).w);
    return *distance >= g->lower;
}

/* The result of the walk if the cores are apart. */
static ashi_separation apart(const ashi_minkowski *m, const ashi_gjk *g)
{
    ash_vec3 normal = v3_neg(v3_unit(g->early ? g->axis : g->v)), end;
    ash_vec3 on_a = ashi_gjk_on_a(g);
    double distance = g->early ? g->lower : v3_norm(g->v), along;
    if (!g->early && ashi_convex_flat_end(m->a, normal, &end) && try_end(m, end, g, &along)) {
        normal = end;
        distance = along;
        on_a = v3_add_scaled(v3_sub(on_a, g->v), normal, -distance); /* opposite b's point: a is flat there */
    } else if (!g->early && ashi_convex_flat_end(m->b, m3_apply_transposed(m->turn, v3_neg(normal)), &end)) {
        end = v3_neg(m3_apply(m->turn, end));
        if (try_end(m, end, g, &along)) {
            normal = end;
            distance = along;
        }
    }
    ashi_separation s = with_radii(m->a, m->b, distance, normal, on_a);
    s.iterations = g->iterations;
    s.converged = g->converged;
    return s;
}

static ashi_separation from_penetration(const ashi_minkowski *m, const ashi_penetration *p, uint32_t iterations)
{
    ashi_separation s = with_radii(m->a, m->b, -p->depth, p->normal, p->on_a);
    s.iterations = iterations + p->iterations;
    s.converged = p->converged;
    return s;
}

static ashi_separation overlapping(const ashi_minkowski *m, const ashi_gjk *g)
{
    ashi_penetration p = ashi_penetration_find(m);
    double norm = v3_norm(g->v);
    /* Barely apart at a corner, where no face of a - b gives the distance. For polyhedra the walk has the closest
     * points; for curved cores only the support planes are reliable. */
    bool curved = ashi_convex_is_curved(m->a) || ashi_convex_is_curved(m->b);
    double known = curved ? g->lower : norm;
    if (norm > 10 * ASHI_GJK_GAP * g->scale && known + p.depth > 1e-6 * norm + 1e-12 * g->scale) {
        p.normal = v3_scale(g->v, -1 / norm);
        p.depth = -norm;
        p.on_a = ashi_gjk_on_a(g);
    }
    return from_penetration(m, &p, g->iterations);
}

/* Closest points of cores of which one is curved: a coarse walk, then Newton's method; if that fails, because the
 * points lie on an edge or a face, the walk continues. Returns whether Newton's method succeeded. */
static bool walk_curved(const ashi_minkowski *m, double enough, ashi_gjk *g, ashi_penetration *p)
{
    ashi_gjk_walk(m, COARSE, enough, g);
    if (g->overlap || g->early)
        return false;
    for (double gap = COARSE; gap > ASHI_GJK_GAP; gap *= 1e-4) {
        *p = (ashi_penetration){.normal = v3_neg(v3_unit(g->v)), .depth = INFINITY};
        if (ashi_pieces_solve(m, g->corners, g->weights, g->count, g->scale, p) && p->depth < -ASHI_GJK_GAP * g->scale)
            return true;
        ashi_gjk_walk(m, gap * 1e-4 > ASHI_GJK_GAP ? gap * 1e-4 : ASHI_GJK_GAP, enough, g);
        if (g->overlap || g->early)
            return false;
    }
    return false;
}

/* The walk between cores, to the end. True when `p` has the closest points, else `g`. */
static bool walk(const ashi_minkowski *m, double enough, const ash_vec3 *direction, ashi_gjk *g, ashi_penetration *p)
{
    *g = ashi_gjk_start(m, start_direction(m, direction));
    if (ashi_convex_is_curved(m->a) || ashi_convex_is_curved(m->b))
        return walk_curved(m, enough + m->a->radius + m->b->radius, g, p);
    ashi_gjk_walk(m, ASHI_GJK_GAP, enough + m->a->radius + m->b->radius, g);
    return false;
}

/* Overlapping cores are reported as touching, with the normal of the last support plane. */
static ashi_separation touching(const ashi_minkowski *m, const ashi_gjk *g)
{
    return with_radii(m->a, m->b, 0, v3_neg(v3_unit(g->axis)), ashi_gjk_on_a(g));
}

typedef ashi_separation overlap_function(const ashi_minkowski *m, const ashi_gjk *g);

static ashi_separation separate(const ashi_convex *a, const ashi_convex *b, ash_transform b_in_a, double enough,
                                ash_vec3 *direction, overlap_function *overlap)
{
    if (is_far(b_in_a.position))
        return far_apart(a, b_in_a.position, a->radius + b->radius);
    ashi_minkowski m = {a, b, m3_from_quat(b_in_a.rotation), b_in_a.position};
    ashi_gjk g;
    ashi_penetration p;
    ashi_separation s;
    if (walk(&m, enough, direction, &g, &p))
        s = from_penetration(&m, &p, g.iterations);
    else
        s = g.overlap ? overlap(&m, &g) : apart(&m, &g);
    if (direction != NULL)
        *direction = v3_neg(s.normal);
    return s;
}

ashi_separation ashi_convex_distance(const ashi_convex *a, const ashi_convex *b, ash_transform b_in_a, double enough,
                                     ash_vec3 *direction)
{
    return separate(a, b, b_in_a, enough, direction, touching);
}

ashi_separation ashi_convex_separation_within(const ashi_convex *a, const ashi_convex *b, ash_transform b_in_a,
                                              double enough, ash_vec3 *direction)
{
    return separate(a, b, b_in_a, enough, direction, overlapping);
}

ashi_separation ashi_convex_separation(const ashi_convex *a, const ashi_convex *b, ash_transform b_in_a,
                                       ash_vec3 *direction)
{
    return ashi_convex_separation_within(a, b, b_in_a, INFINITY, direction);
}
