/* The contact law's sets: support function, projection, clamping.
 *
 * The projection of a onto K in the metric sum x_i^2 / w_i follows from its normal part c: each friction group is then
 * projected to the nearest point of its own disk or polygon, scaled by c. c is the root of
 *
 *   g(c) = c - a_n - sum over groups (w_n / w_group) mu_group q.(a_group - c mu_group q),
 *
 * where q is the corner, the foot of the edge, or the direction a / |a| that the group ends at, and the sum runs over
 * the groups that leave their bounds at c. g is piecewise linear and increasing; its slope decreases with c, because
 * the growing polygon meets a given point first with a corner (|q| largest), then with an edge, then contains it.
 * Newton's method from c = 0 therefore climbs from piece to piece and ends exactly after at most six pieces. */
#include "problem/law.h"

#include "math/elementary.h"

#include <math.h>

#define MOST_PIECES 8 /* an upper bound: a corner, an edge, inside; rolling in, out; spin in, out */

ashi_law ashi_law_of(const ashi_system *problem)
{
    ashi_law law = {.law = problem->law};
    if (law.law == ASH_FRICTION_BOX) {
        static const double x[4] = {1, -1, -1, 1}, y[4] = {1, 1, -1, -1};
        law.corners = 4;
        for (uint32_t i = 0; i < 4; i++) {
            law.x[i] = x[i];
            law.y[i] = y[i];
        }
    } else if (law.law == ASH_FRICTION_PYRAMID) {
        uint32_t n = problem->directions;
        law.corners = n < 4 ? 4 : n > ASHI_LAW_CORNERS ? ASHI_LAW_CORNERS : n - n % 2;
        n = law.corners;
        /* Turned copies of the first quarter, or half, so that opposite corners have opposite numbers to the bit. */
        uint32_t part = n % 4 == 0 ? n / 4 : n / 2;
        for (uint32_t i = 0; i < part; i++)
            ashi_sincos(2 * ASHI_PI * i / n, &law.y[i], &law.x[i]);
        for (uint32_t i = part; i < n; i++) {
            law.x[i] = n % 4 == 0 ? -law.y[i - part] : -law.x[i - part];
            law.y[i] = n % 4 == 0 ? law.x[i - part] : -law.y[i - part];
        }
    }
    return law;
}

static double norm(const double *a, uint32_t count)
{
    return count == 0 ? 0 : count == 1 ? fabs(a[0]) : sqrt(a[0] * a[0] + a[1] * a[1]);
}

/* ---- polygons ---- */

/* One edge: its middle m and half its vector e. */
typedef struct edge {
    double mx, my, ex, ey;
} edge;

static edge edge_of(const ashi_law *law, uint32_t i)
{
    uint32_t k = i + 1 < law->corners ? i + 1 : 0;
    return (edge){(law->x[i] + law->x[k]) / 2, (law->y[i] + law->y[k]) / 2, (law->x[k] - law->x[i]) / 2,
                  (law->y[k] - law->y[i]) / 2};
}

/* The edge in whose sector, seen from the origin, a lies. A regular polygon's point nearest to a is on it. */
static edge edge_towards(const ashi_law *law, const double *a)
{
    edge best = edge_of(law, 0);
    double farthest = best.mx * a[0] + best.my * a[1];
    for (uint32_t i = 1; i < law->corners; i++) {
        edge other = edge_of(law, i);
        double distance = other.mx * a[0] + other.my * a[1];
        if (distance > farthest) {
            farthest = distance;
            best = other;
        }
    }
    return best;
}

/* The position of the nearest point on the edge of the polygon scaled by `size`: -1 and 1 are its corners. */
static double place_on_edge(const edge *e, double size, const double *a)
{
    double along = a[0] * e->ex + a[1] * e->ey, half = size * (e->ex * e->ex + e->ey * e->ey);
    return along >= half ? (half > 0 || along > 0 ? 1 : 0) : along <= -half ? -1 : along / half;
}

static bool beyond_edge(const edge *e, double size, const double *a)
{
    return a[0] * e->mx + a[1] * e->my > size * (e->mx * e->mx + e->my * e->my);
}

/* One tangent has an interval, whatever the law. */
static bool has_disk(const ashi_law *law, uint32_t tangents)
{
    return law->corners == 0 || tangents < 2;
}

/* Moves a to the nearest point of the disk of that radius. */
static void shrink(double *a, uint32_t count, double radius)
{
    double length = norm(a, count);
    if (!(length > radius))
        return;
    for (uint32_t i = 0; i < count; i++)
        a[i] = count == 1 ? copysign(radius, a[i]) : a[i] * (radius / length);
}

/* Moves tangential impulses that leave the set of size `limit` to its nearest point. */
static void confine(const ashi_law *law, uint32_t tangents, double limit, double *a)
{
    if (has_disk(law, tangents)) {
        shrink(a, tangents, limit);
        return;
    }
    edge e = edge_towards(law, a);
    if (!beyond_edge(&e, limit, a))
        return;
    double t = place_on_edge(&e, limit, a);
    a[0] = limit * (e.mx + t * e.ex);
    a[1] = limit * (e.my + t * e.ey);
}

/* ---- the law ---- */

double ashi_law_slip(const ashi_law *law, const ashi_block *block, const double *u)
{
    if (block->friction_limit >= 0)
        return 0; /* the bounds do not depend on the normal impulse */
    const double *tangent = u + 1, *roll = tangent + block->tangents, *spin = roll + block->rollings;
    double reach = 0;
    if (has_disk(law, block->tangents)) {
        reach = norm(tangent, block->tangents);
    } else {
        for (uint32_t i = 0; i < law->corners; i++) {
            double distance = law->x[i] * tangent[0] + law->y[i] * tangent[1];
            reach = distance > reach ? distance : reach;
        }
    }
    return block->friction * reach + block->rolling * norm(roll, block->rollings) +
           block->spinning * norm(spin, block->spins);
}

void ashi_law_clamp(const ashi_law *law, const ashi_block *block, double bound, double *friction)
{
    confine(law, block->tangents, block->friction * bound, friction);
    shrink(friction + block->tangents, block->rollings, block->rolling * bound);
    shrink(friction + block->tangents + block->rollings, block->spins, block->spinning * bound);
}

/* The linear piece of g around c, as den c - num; its number distinguishes pieces. */
typedef struct piece {
    double num, den;
    uint32_t number;
} piece;

/* A group of impulses in a disk of radius coefficient * c. */
static void add_disk(piece *p, const double *a, uint32_t count, double coefficient, double weight, double c,
                     uint32_t number)
{
    double length = norm(a, count);
    if (!(length > coefficient * c))
        return;
    p->num += weight * coefficient * length;
    p->den += weight * coefficient * coefficient;
    p->number += number;
}

/* Tangents in a polygon of size friction * c. */
static void add_polygon(piece *p, const ashi_law *law, const double *a, double friction, double c)
{
    edge e = edge_towards(law, a);
    if (!beyond_edge(&e, friction * c, a))
        return;
    double t = place_on_edge(&e, friction * c, a);
    bool corner = t == 1 || t == -1;
    double qx = corner ? e.mx + t * e.ex : e.mx, qy = corner ? e.my + t * e.ey : e.my;
    p->num += friction * (a[0] * qx + a[1] * qy);
    p->den += friction * friction * (qx * qx + qy * qy);
    p->number += corner ? 2 : 1;
}

static piece piece_at(const ashi_law *law, const ashi_block *block, const double *weight, const double *a, double c)
{
    piece p = {a[0], 1, 0};
    uint32_t roll = 1u + block->tangents, spin = roll + block->rollings;
    if (has_disk(law, block->tangents))
        add_disk(&p, a + 1, block->tangents, block->friction, 1, c, 1);
    else
        add_polygon(&p, law, a + 1, block->friction, c);
    if (block->rollings > 0)
        add_disk(&p, a + roll, block->rollings, block->rolling, weight[0] / weight[roll], c, 3);
    if (block->spins > 0)
        add_disk(&p, a + spin, block->spins, block->spinning, weight[0] / weight[spin], c, 6);
    return p;
}

/* The normal part of the projection onto the cone. */
static double normal_part(const ashi_law *law, const ashi_block *block, const double *weight, const double *a)
{
    if (a[0] >= 0 && piece_at(law, block, weight, a, a[0]).number == 0)
        return a[0];
    double c = 0;
    piece last = {0, 0, UINT32_MAX};
    for (uint32_t i = 0; i < MOST_PIECES; i++) {
        piece here = piece_at(law, block, weight, a, c);
        if (here.number == last.number)
            break;
        last = here;
        double root = here.num / here.den;
        if (!(root > c))
            break; /* from 0: a is in the polar cone; else: rounding at the border of two pieces */
        c = root;
    }
    return c;
}

void ashi_law_project(const ashi_law *law, const ashi_block *block, const double *weight, double *impulse)
{
    bool cone = !(block->friction_limit >= 0);
    double normal = cone ? normal_part(law, block, weight, impulse) : impulse[0] > 0 ? impulse[0] : 0;
    double bound = cone ? normal : block->friction_limit;
    double *friction = impulse + 1;
    impulse[0] = normal;
    confine(law, block->tangents, block->friction * bound, friction);
    shrink(friction + block->tangents, block->rollings, block->rolling * bound);
    shrink(friction + block->tangents + block->rollings, block->spins, block->spinning * bound);
}
