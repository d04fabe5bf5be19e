/* The difference a - b of two convex cores, seen from a: the set whose distance to the origin is theirs. */
#ifndef ASHI_COLLIDE_CONVEX_MINKOWSKI_H
#define ASHI_COLLIDE_CONVEX_MINKOWSKI_H

#include "collide/convex/convex.h"
#include "math/mat3.h"

typedef struct ashi_minkowski {
    const ashi_convex *a, *b;
    ash_mat3 turn;     /* b's axes seen from a */
    ash_vec3 position; /* of b seen from a */
} ashi_minkowski;

/* A point of the difference and the two that it comes from: a's, and b's relative to b's own position, both along a's
 * axes. */
typedef struct ashi_minkowski_point {
    ash_vec3 w, on_a, from_b;
} ashi_minkowski_point;

/* The point of a - b farthest along a direction. */
static inline ashi_minkowski_point ashi_minkowski_support(const ashi_minkowski *m, ash_vec3 direction)
{
    ashi_minkowski_point p;
    p.on_a = ashi_convex_support(m->a, direction, NULL);
    p.from_b = m3_apply(m->turn, ashi_convex_support(m->b, m3_apply_transposed(m->turn, v3_neg(direction)), NULL));
    p.w = v3_sub(v3_sub(p.on_a, p.from_b), m->position);
    return p;
}

/* The vector from p to q. A difference of w would lose the small contribution of a tiny core to a distant position. */
static inline ash_vec3 ashi_minkowski_edge(const ashi_minkowski_point *p, const ashi_minkowski_point *q)
{
    return v3_sub(v3_sub(q->on_a, p->on_a), v3_sub(q->from_b, p->from_b));
}

/* The largest coordinate of a point and of the two that it comes from: the unit of rounding errors. */
static inline double ashi_minkowski_size(const ashi_minkowski_point *p)
{
    return v3_max_component(v3_max(v3_max(v3_abs(p->on_a), v3_abs(p->from_b)), v3_abs(p->w)));
}

/* The state of a walk towards the origin. */
typedef struct ashi_gjk {
    ashi_minkowski_point corners[4]; /* the simplex ... */
    double weights[4];               /* ... and the closest point in terms of it */
    uint32_t count;
    ash_vec3 v;    /* the point of a - b closest to the origin */
    double scale;  /* the largest coordinate so far: the unit of rounding errors */
    double lower;  /* the distance is at least this ... */
    ash_vec3 axis; /* ... along this direction (not unit), from b to a */
    uint32_t iterations;
    bool overlap, converged;
    bool early; /* ended early: lower exceeds `enough` */
} ashi_gjk;

#define ASHI_GJK_GAP 1e-14 /* between the bounds of the distance, in units of the scale, as far as rounding allows */

/* Starts from a direction (from b to a; not zero). */
ashi_gjk ashi_gjk_start(const ashi_minkowski *m, ash_vec3 direction);
/* Continues until the bounds of the distance are within `gap` scales, or ends early once lower > enough. */
void ashi_gjk_walk(const ashi_minkowski *m, double gap, double enough, ashi_gjk *g);
/* The point of a's core in the closest pair. */
ash_vec3 ashi_gjk_on_a(const ashi_gjk *g);

/* Penetration of overlapping or touching cores: a unit normal from a to b along which moving b by `depth` separates
 * them; the least such depth if `converged`. Depth is negative when they turn out to be apart. */
typedef struct ashi_penetration {
    ash_vec3 normal;
    double depth;
    ash_vec3 on_a;
    uint32_t iterations;
    bool converged;
} ashi_penetration;

ashi_penetration ashi_penetration_find(const ashi_minkowski *m);

/* Half the diagonal of the smaller geometry. */
double ashi_minkowski_detail(const ashi_minkowski *m);

/* Newton's method on the smooth pieces that the corners of a simplex of a - b lie on (see pieces.c): from found->normal
 * to a stationary direction, up to rounding. On failure false, with nothing changed but the count of iterations. */
bool ashi_pieces_solve(const ashi_minkowski *m, const ashi_minkowski_point *corners, const double *weights,
                       uint32_t count, double scale, ashi_penetration *found);

/* Improves a local minimum of the depth over directions (see refine.c). */
void ashi_penetration_refine(const ashi_minkowski *m, double scale, ashi_penetration *found);

#endif
