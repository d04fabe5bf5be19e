/* The overlap of two convex cores: the point of the boundary of a - b closest to the origin, by expanding a polytope
 * (van den Bergen 2001).
 *
 * The polytope starts from a large tetrahedron inside a - b, wherever the origin lies, and grows at the face with the
 * smallest signed offset. Offsets may be negative, so cores that touch, or are apart by less than rounding, need no
 * special case. The offset of the least face bounds the depth from below, the support plane along any direction from
 * above. Polyhedra are expanded until both agree; for curved cores, for which each further digit would need ever more
 * faces, a coarse face is passed to the local search of refine.c, and faces with nearly the same normal as its result
 * count as done. */
#include "collide/convex/minkowski.h"

#include <string.h>

enum { MOST_POINTS = 256, MOST_FACES = 2 * MOST_POINTS, MOST_MINIMA = 6, NO_FACE = MOST_FACES };

#define FINE   1e-13  /* bounds agree, in units of the largest coordinate */
#define COARSE 3e-3   /* close enough for the local search, in units of the smaller core's half size */
#define CLOSE  1e-5   /* by which a face with the normal of a minimum may be lower without hiding another minimum */
#define LEANS  0.9998 /* cosine of the angle within which faces belong to one minimum */
#define FLAT   1e-13  /* thickness that counts as zero */

typedef struct face {
    ash_vec3 normal;
    double offset;
    uint16_t corners[3]; /* counter-clockwise seen from outside */
    uint16_t across[3];  /* the face across the edge from corner i to corner i + 1 */
    bool live, done;
} face;

typedef struct polytope {
    ashi_minkowski_point points[MOST_POINTS];
    face faces[MOST_FACES];
    uint32_t point_count, face_count; /* faces: the highest slot used so far */
    double scale;
} polytope;

/* The sides of the hole that a new point makes in the polytope. */
typedef struct horizon {
    struct {
        uint16_t from, to, outside;
    } sides[MOST_FACES];
    uint32_t count;
} horizon;

static void set_plane(polytope *p, face *f)
{
    const ashi_minkowski_point *a = &p->points[f->corners[0]], *b = &p->points[f->corners[1]];
    const ashi_minkowski_point *c = &p->points[f->corners[2]];
    ash_vec3 ab = ashi_minkowski_edge(a, b), ac = ashi_minkowski_edge(a, c), n = v3_cross(ab, ac);
    double area2 = v3_norm2(n);
    f->done = !(area2 > 1e-28 * v3_norm2(ab) * v3_norm2(ac));
    f->normal = f->done ? v3(0, 0, 0) : v3_scale(n, 1 / sqrt(area2));
    double at_a = v3_dot(f->normal, a->w), at_b = v3_dot(f->normal, b->w), at_c = v3_dot(f->normal, c->w);
    f->offset = at_a > at_b ? at_a : at_b;
    f->offset = at_c > f->offset ? at_c : f->offset;
}

static uint32_t free_face(polytope *p)
{
    for (uint32_t i = 0; i < p->face_count; i++)
        if (!p->faces[i].live)
            return i;
    return p->face_count < MOST_FACES ? p->face_count++ : NO_FACE;
}

/* A face without area is always removed together with its neighbours. */
static bool sees(const face *f, ash_vec3 w)
{
    return v3_norm2(f->normal) == 0 || v3_dot(f->normal, w) > f->offset;
}

static uint32_t side_between(const face *f, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < 3; i++)
        if (f->corners[i] == from && f->corners[(i + 1) % 3] == to)
            return i;
    return 3;
}

/* Removes the faces that see the new point, starting from one that does, and lists the sides of the hole in order. */
static bool tear(polytope *p, uint32_t seen, ash_vec3 w, horizon *hole)
{
    struct {
        uint16_t face, from, to; /* to be entered across the edge from-to, as numbered by the face behind it */
    } stack[MOST_FACES + 3];
    uint32_t height = 0;
    face *first = &p->faces[seen];
    first->live = false;
    for (uint32_t i = 3; i-- > 0; height++) {
        stack[height].face = first->across[i];
        stack[height].from = first->corners[i];
        stack[height].to = first->corners[(i + 1) % 3];
    }
    hole->count = 0;
    while (height > 0) {
        height--;
        uint16_t number = stack[height].face, from = stack[height].from, to = stack[height].to;
        face *f = &p->faces[number];
        uint32_t side = side_between(f, to, from);
        if (side == 3)
            return false;
        if (!f->live)
            continue;
        if (!sees(f, w)) {
            if (hole->count == MOST_FACES)
                return false;
            hole->sides[hole->count].from = from;
            hole->sides[hole->count].to = to;
            hole->sides[hole->count++].outside = number;
            continue;
        }
        f->live = false;
        if (height + 2 > MOST_FACES)
            return false;
        for (uint32_t k = 2; k >= 1; k--, height++) {
            uint32_t i = (side + k) % 3;
            stack[height].face = f->across[i];
            stack[height].from = f->corners[i];
            stack[height].to = f->corners[(i + 1) % 3];
        }
    }
    for (uint32_t i = 0; i < hole->count; i++)
        if (hole->sides[i].to != hole->sides[(i + 1) % hole->count].from)
            return false;
    return hole->count >= 3;
}

/* Closes the hole with faces to the new point. */
static bool mend(polytope *p, const horizon *hole, uint16_t corner)
{
    uint16_t made[MOST_FACES];
    for (uint32_t i = 0; i < hole->count; i++) {
        uint32_t number = free_face(p);
        if (number == NO_FACE)
            return false;
        made[i] = (uint16_t)number;
        face *f = &p->faces[number];
        f->live = true;
        f->corners[0] = hole->sides[i].from;
        f->corners[1] = hole->sides[i].to;
        f->corners[2] = corner;
        set_plane(p, f);
    }
    for (uint32_t i = 0; i < hole->count; i++) {
        face *f = &p->faces[made[i]], *outside = &p->faces[hole->sides[i].outside];
        f->across[0] = hole->sides[i].outside;
        f->across[1] = made[(i + 1) % hole->count];
        f->across[2] = made[(i + hole->count - 1) % hole->count];
        outside->across[side_between(outside, f->corners[1], f->corners[0])] = made[i];
    }
    return true;
}

/* Expands the polytope to the new point. False when it is full or rounding has broken it. */
static bool expand(polytope *p, uint32_t seen, const ashi_minkowski_point *point)
{
    horizon hole;
    if (p->point_count == MOST_POINTS || !sees(&p->faces[seen], point->w))
        return false;
    p->points[p->point_count++] = *point;
    return tear(p, seen, point->w, &hole) && mend(p, &hole, (uint16_t)(p->point_count - 1));
}

/* Of the supports along +-direction, the one farther from `from` along it. */
static double widest(const ashi_minkowski *m, ash_vec3 direction, ash_vec3 from, ashi_minkowski_point *point)
{
    ashi_minkowski_point there = ashi_minkowski_support(m, direction);
    ashi_minkowski_point back = ashi_minkowski_support(m, v3_neg(direction));
    double ahead = v3_dot(v3_sub(there.w, from), direction), behind = v3_dot(v3_sub(from, back.w), direction);
    *point = ahead >= behind ? there : back;
    return ahead >= behind ? ahead : behind;
}

static double raise_scale(polytope *p)
{
    for (uint32_t i = 0; i < p->point_count; i++) {
        double size = ashi_minkowski_size(&p->points[i]);
        p->scale = size > p->scale ? size : p->scale;
    }
    return p->scale;
}

/* The span of a - b if it has no volume: a point, a line or a plane, and a unit vector perpendicular to it. */
typedef struct span {
    int dimension; /* 3: a - b has a volume */
    ash_vec3 along, across;
} span;

/* A large tetrahedron inside a - b, as far as its dimension allows. */
static span start(polytope *p, const ashi_minkowski *m)
{
    static const ash_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ashi_minkowski_point *q = p->points, other;
    span s = {.across = axes[2]};
    p->point_count = 1;
    double length = 0, width = 0;
    for (int i = 0; i < 3; i++) {
        ashi_minkowski_point low = ashi_minkowski_support(m, v3_neg(axes[i]));
        ashi_minkowski_point high = ashi_minkowski_support(m, axes[i]);
        double extent = v3_distance(high.w, low.w);
        if (i == 0 || extent > length) {
            length = extent;
            q[0] = low;
            q[1] = high;
        }
    }
    if (length <= FLAT * raise_scale(p))
        return s;
    s.dimension = 1;
    p->point_count = 2;
    s.along = v3_unit(v3_sub(q[1].w, q[0].w));
    s.across = v3_perpendicular(s.along);
    ash_vec3 sides[2] = {s.across, v3_cross(s.along, s.across)};
    for (int i = 0; i < 2; i++) {
        double extent = widest(m, sides[i], q[0].w, &other);
        if (i == 0 || extent > width) {
            width = extent;
            q[2] = other;
        }
    }
    if (width <= FLAT * raise_scale(p))
        return s;
    s.dimension = 2;
    p->point_count = 3;
    s.across = v3_unit(v3_cross(v3_sub(q[1].w, q[0].w), v3_sub(q[2].w, q[0].w)));
    double thickness = widest(m, s.across, q[0].w, &q[3]);
    if (!(thickness > FLAT * raise_scale(p)))
        return s;
    s.dimension = 3;
    p->point_count = 4;
    return s;
}

/* The normal of the span of a - b, away from the origin if the span does not contain it: the depth is zero, or there is
 * a tiny distance. */
static ash_vec3 normal_of_span(const polytope *p, const span *s)
{
    ash_vec3 w = p->points[0].w, off = w;
    if (s->dimension == 1)
        off = v3_add_scaled(w, s->along, -v3_dot(w, s->along));
    else if (s->dimension == 2)
        off = v3_scale(s->across, v3_dot(w, s->across));
    return v3_norm(off) > 1e-14 * p->scale ? v3_neg(v3_unit(off)) : s->across;
}

static void close_tetrahedron(polytope *p)
{
    ashi_minkowski_point *q = p->points;
    ash_vec3 n = v3_cross(v3_sub(q[1].w, q[0].w), v3_sub(q[2].w, q[0].w));
    if (v3_dot(n, v3_sub(q[3].w, q[0].w)) > 0) {
        ashi_minkowski_point swapped = q[1];
        q[1] = q[2];
        q[2] = swapped;
    }
    static const uint16_t corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const uint16_t across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    p->face_count = 4;
    for (int i = 0; i < 4; i++) {
        face *f = &p->faces[i];
        memcpy(f->corners, corners[i], sizeof f->corners);
        memcpy(f->across, across[i], sizeof f->across);
        f->live = true;
        set_plane(p, f);
    }
}

static uint32_t least_face(const polytope *p)
{
    uint32_t best = NO_FACE;
    for (uint32_t i = 0; i < p->face_count; i++) {
        const face *f = &p->faces[i];
        if (f->live && !f->done && (best == NO_FACE || f->offset < p->faces[best].offset))
            best = i;
    }
    return best;
}

/* The local minima found so far. */
typedef struct minima {
    ash_vec3 normals[MOST_MINIMA];
    uint32_t count;
    bool best_is_settled; /* the best one so far is one of these */
} minima;

static bool is_covered(const minima *known, ash_vec3 normal)
{
    for (uint32_t i = 0; i < known->count; i++)
        if (v3_dot(known->normals[i], normal) > LEANS)
            return true;
    return false;
}

/* The weights of the corners in the point of the face's plane closest to the origin. */
static void set_weights(const ashi_minkowski_point *corners, const face *f, double *weights)
{
    ash_vec3 at = v3_scale(f->normal, f->offset);
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        ash_vec3 b = v3_sub(corners[(i + 1) % 3].w, at), c = v3_sub(corners[(i + 2) % 3].w, at);
        double area = v3_dot(f->normal, v3_cross(b, c));
        weights[i] = area > 0 ? area : 0;
        sum += weights[i];
    }
    for (int i = 0; i < 3; i++)
        weights[i] /= sum;
}

/* Newton's method from the pieces that the face's corners lie on. */
static bool solve_face(const polytope *p, const ashi_minkowski *m, const face *f, ashi_penetration *found)
{
    ashi_minkowski_point corners[3];
    double weights[3];
    for (int i = 0; i < 3; i++)
        corners[i] = p->points[f->corners[i]];
    set_weights(corners, f, weights);
    return ashi_pieces_solve(m, corners, weights, 3, p->scale, found);
}

/* The local minimum near a face: keeps it if it is the best so far. False unless there is one with nearly the normal of
 * the face.
 */
static bool settle_face(const polytope *p, const ashi_minkowski *m, const face *f, minima *known,
                        ashi_penetration *best)
{
    if (is_covered(known, f->normal))
        return true;
    if (known->count == MOST_MINIMA)
        return false;
    ashi_penetration local = {.normal = f->normal, .depth = INFINITY};
    bool found = solve_face(p, m, f, &local);
    best->iterations += local.iterations;
    if (!found)
        return false;
    if (!is_covered(known, local.normal))
        known->normals[known->count++] = local.normal;
    if (local.depth < best->depth) {
        local.iterations = best->iterations;
        *best = local;
        known->best_is_settled = true;
    }
    return is_covered(known, f->normal);
}

/* Expands until the bounds agree. Returns whether the best minimum was found together with its points. */
static bool search(polytope *p, const ashi_minkowski *m, ashi_penetration *best)
{
    bool curved = ashi_convex_is_curved(m->a) || ashi_convex_is_curved(m->b);
    minima known = {.count = 0};
    double detail = curved ? ashi_minkowski_detail(m) : 0, near = curved ? COARSE * detail : -1;
    while (true) {
        uint32_t number = least_face(p);
        best->converged = number == NO_FACE || best->depth - p->faces[number].offset <= FINE * p->scale;
        if (best->converged)
            return known.best_is_settled;
        face *f = &p->faces[number];
        ashi_minkowski_point point = ashi_minkowski_support(m, f->normal);
        double above = v3_dot(point.w, f->normal), gap = above - f->offset;
        best->iterations++;
        if (above < best->depth - FINE * p->scale) {
            best->depth = above;
            best->normal = f->normal;
            known.best_is_settled = false;
        }
        if (gap <= near) {
            bool leans = settle_face(p, m, f, &known, best);
            near *= leans || known.count > 0 ? 1 : 0.3; /* not yet: try again from closer */
            f->done = leans && best->depth - f->offset <= CLOSE * detail;
        }
        f->done = f->done || gap <= FINE * p->scale;
        if (!f->done && !expand(p, number, &point))
            return known.best_is_settled;
    }
}

ashi_penetration ashi_penetration_find(const ashi_minkowski *m)
{
    ashi_penetration best = {.depth = INFINITY, .converged = true};
    polytope p;
    p.scale = 0;
    span s = start(&p, m);
    bool settled = false;
    if (s.dimension < 3) {
        best.normal = normal_of_span(&p, &s);
        best.depth = v3_dot(ashi_minkowski_support(m, best.normal).w, best.normal);
    } else {
        close_tetrahedron(&p);
        settled = search(&p, m, &best);
    }
    if (!settled) { /* find the points, and the exact normal if the surface is smooth there */
        bool converged = best.converged;
        ashi_penetration_refine(m, p.scale, &best);
        best.converged = converged;
    }
    return best;
}
