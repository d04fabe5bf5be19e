/* A path as a spline. Piece k runs over [begin, begin + width], width the distance of its points, with the second
 * derivatives m at the points solving w_(k-1) m_(k-1) + 2 (w_(k-1) + w_k) m_k + w_k m_(k+1) = 6
 * (slope_k - slope_(k-1)): tridiagonal with m = 0 at open ends, cyclic when closed. Nodes divide each piece evenly;
 * they store arc lengths and normals transported along the path; on a closed path the normals are twisted so that first
 * and last agree. */
#include "model/path.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "math/quat.h"

#define NODES 8 /* of a piece */

typedef struct piece {
    ash_vec3 c[4]; /* place = c0 + x (c1 + x (c2 + x c3)), x from the piece's beginning */
    double begin, width;
} piece;

typedef struct node {
    double length;
    ash_vec3 normal;
} node;

struct ashi_joint_path {
    uint32_t count, pieces;
    bool closed;
    double span; /* of the parameter */
    ash_vec3 *points;
    piece *piece;
    node *node; /* pieces * NODES + 1 */
};

bool ashi_path_check(const ash_vec3 *points, uint32_t count, bool closed, ash_diagnostic *diagnostic)
{
    uint32_t least = closed ? 3 : 2;
    if (points == NULL || count < least || count > 1000000) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.path-count", "the path has %u points",
                  points == NULL ? 0u : (unsigned)count);
        ashi_expect(diagnostic, "%u to 1000000 points for %s path", (unsigned)least, closed ? "a closed" : "an open");
        return false;
    }
    double extent = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!v3_is_finite(points[i])) {
            ashi_fail(diagnostic, ASH_BAD_DATA, "joint.path-point", "point %u of the path is (%g, %g, %g)", (unsigned)i,
                      points[i].x, points[i].y, points[i].z);
            ashi_expect(diagnostic, "finite coordinates");
            return false;
        }
        double reach = v3_distance(points[i], points[0]);
        extent = reach > extent ? reach : extent;
    }
    for (uint32_t i = 0; i + (closed ? 0 : 1) < count; i++)
        if (!(v3_distance(points[i], points[(i + 1) % count]) > 1e-9 * extent)) {
            ashi_fail(diagnostic, ASH_BAD_DATA, "joint.path-repeats", "points %u and %u of the path are the same",
                      (unsigned)i, (unsigned)((i + 1) % count));
            ashi_expect(diagnostic, "points apart from each other; a closed path does not repeat its first one");
            return false;
        }
    return true;
}

/* Solves a tridiagonal system: `diagonal` and `beside` (i to i + 1) are not changed, the right-hand side becomes the
 * solution. */
static void solve_tridiagonal(uint32_t n, const double *diagonal, const double *beside, double *work, ash_vec3 *x)
{
    double pivot = diagonal[0];
    x[0] = v3_scale(x[0], 1 / pivot);
    for (uint32_t i = 1; i < n; i++) {
        work[i] = beside[i - 1] / pivot;
        pivot = diagonal[i] - beside[i - 1] * work[i];
        x[i] = v3_scale(v3_add_scaled(x[i], x[i - 1], -beside[i - 1]), 1 / pivot);
    }
    for (uint32_t i = n - 1; i-- > 0;)
        x[i] = v3_add_scaled(x[i], x[i + 1], -work[i + 1]);
}

/* The same with `corner` in both far corners, as a change of rank one. */
static void solve_cyclic(uint32_t n, double *diagonal, const double *beside, double corner, double *work, ash_vec3 *x,
                         ash_vec3 *u)
{
    double gamma = -diagonal[0];
    diagonal[0] -= gamma;
    diagonal[n - 1] -= corner * corner / gamma;
    for (uint32_t i = 0; i < n; i++)
        u[i] = v3(i == 0 ? gamma : i == n - 1 ? corner : 0, 0, 0);
    solve_tridiagonal(n, diagonal, beside, work, x);
    solve_tridiagonal(n, diagonal, beside, work, u);
    double part = corner / gamma, whole = 1 + u[0].x + part * u[n - 1].x;
    ash_vec3 share = v3_scale(v3_add_scaled(x[0], x[n - 1], part), 1 / whole);
    for (uint32_t i = 0; i < n; i++)
        x[i] = v3_add_scaled(x[i], share, -u[i].x);
}

/* The second derivatives at the points into `bend`, one more than points when closed. */
static bool find_bends(const ashi_joint_path *path, ash_vec3 *bend)
{
    uint32_t count = path->count, last = path->pieces;
    double *numbers = ashi_alloc_array(count, 3 * sizeof(double));
    ash_vec3 *spare = ashi_alloc_array(count, sizeof(ash_vec3));
    if (numbers == NULL || spare == NULL) {
        ashi_dealloc(numbers);
        ashi_dealloc(spare);
        return false;
    }
    double *diagonal = numbers, *beside = numbers + count, *work = numbers + 2 * (size_t)count;
    uint32_t first = path->closed ? 0 : 1, n = path->closed ? count : count - 2;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i + first, before = k == 0 ? last - 1 : k - 1;
        const piece *left = &path->piece[before], *right = &path->piece[k];
        diagonal[i] = 2 * (left->width + right->width);
        beside[i] = right->width;
        bend[k] = v3_scale(v3_sub(right->c[1], left->c[1]), 6); /* for now the slopes of the chords */
    }
    if (path->closed) {
        solve_cyclic(n, diagonal, beside, path->piece[last - 1].width, work, bend, spare);
        bend[count] = bend[0];
    } else {
        bend[0] = bend[last] = v3(0, 0, 0);
        if (n > 0)
            solve_tridiagonal(n, diagonal, beside, work, bend + 1);
    }
    ashi_dealloc(numbers);
    ashi_dealloc(spare);
    return true;
}

static bool make_pieces(ashi_joint_path *path)
{
    double begin = 0;
    for (uint32_t k = 0; k < path->pieces; k++) {
        ash_vec3 from = path->points[k], to = path->points[(k + 1) % path->count];
        double width = v3_distance(from, to);
        path->piece[k] = (piece){{from, v3_scale(v3_sub(to, from), 1 / width), v3(0, 0, 0), v3(0, 0, 0)}, begin, width};
        begin += width;
    }
    path->span = begin;
    ash_vec3 *bend = ashi_alloc_array((size_t)path->count + 1, sizeof(ash_vec3));
    if (bend == NULL || !find_bends(path, bend)) {
        ashi_dealloc(bend);
        return false;
    }
    for (uint32_t k = 0; k < path->pieces; k++) {
        piece *p = &path->piece[k];
        ash_vec3 sum = v3_add_scaled(bend[k + 1], bend[k], 2);
        p->c[1] = v3_add_scaled(p->c[1], sum, -p->width / 6);
        p->c[2] = v3_scale(bend[k], 0.5);
        p->c[3] = v3_scale(v3_sub(bend[k + 1], bend[k]), 1 / (6 * p->width));
    }
    ashi_dealloc(bend);
    return true;
}

static ash_vec3 slope_of(const piece *p, double x)
{
    return v3_add_scaled(v3_add_scaled(p->c[1], p->c[2], 2 * x), p->c[3], 3 * x * x);
}

/* The arc length of a part of a piece, by Gauss's rule of five points. */
static double arc(const piece *p, double from, double to)
{
    static const double place[5] = {-0.90617984593866399280, -0.53846931010568309104, 0, 0.53846931010568309104,
                                    0.90617984593866399280};
    static const double weight[5] = {0.23692688505618908751, 0.47862867049936646804, 0.56888888888888888889,
                                     0.47862867049936646804, 0.23692688505618908751};
    double sum = 0, half = 0.5 * (to - from), middle = 0.5 * (from + to);
    for (int i = 0; i < 5; i++)
        sum += weight[i] * v3_norm(slope_of(p, middle + half * place[i]));
    return sum * half;
}

static ash_vec3 node_tangent(const ashi_joint_path *path, uint32_t i)
{
    uint32_t k = i / NODES;
    if (k == path->pieces)
        return v3_unit(slope_of(&path->piece[k - 1], path->piece[k - 1].width));
    return v3_unit(slope_of(&path->piece[k], path->piece[k].width / NODES * (i % NODES)));
}

/* The part of a vector perpendicular to a direction, as a unit vector. */
static ash_vec3 made_normal(ash_vec3 v, ash_vec3 tangent)
{
    ash_vec3 rest = v3_add_scaled(v, tangent, -v3_dot(v, tangent));
    return v3_norm2(rest) > 1e-6 ? v3_unit(rest) : v3_perpendicular(tangent);
}

static void make_nodes(ashi_joint_path *path)
{
    uint32_t last = path->pieces * NODES;
    ash_vec3 start = node_tangent(path, 0);
    path->node[0] = (node){0, v3_perpendicular(start)};
    for (uint32_t i = 1; i <= last; i++) {
        const piece *p = &path->piece[(i - 1) / NODES];
        double step = p->width / NODES, from = step * ((i - 1) % NODES);
        path->node[i].length = path->node[i - 1].length + arc(p, from, from + step);
        path->node[i].normal = made_normal(path->node[i - 1].normal, node_tangent(path, i));
    }
    if (!path->closed)
        return;
    /* After one lap the normal has turned: this turn is removed evenly along the path. */
    ash_vec3 arrived = path->node[last].normal, began = path->node[0].normal;
    double turn = ashi_atan2(v3_dot(start, v3_cross(arrived, began)), v3_dot(arrived, began));
    for (uint32_t i = 1; i <= last; i++)
        path->node[i].normal = q_rotate(q_exp(v3_scale(node_tangent(path, i), turn * i / last)), path->node[i].normal);
    path->node[last].normal = began;
}

ashi_joint_path *ashi_path_create(const ash_vec3 *points, uint32_t count, bool closed, bool planar)
{
    size_t pieces = closed ? count : count - 1;
    size_t head = (sizeof(ashi_joint_path) + 15) / 16 * 16;
    char *block = ashi_alloc_zeroed(head + pieces * sizeof(piece) + (pieces * NODES + 1) * sizeof(node) +
                                    count * sizeof(ash_vec3));
    if (block == NULL)
        return NULL;
    ashi_joint_path *path = (ashi_joint_path *)block;
    path->count = count;
    path->pieces = (uint32_t)pieces;
    path->closed = closed;
    path->piece = (piece *)(block + head);
    path->node = (node *)(path->piece + pieces);
    path->points = (ash_vec3 *)(path->node + pieces * NODES + 1);
    for (uint32_t i = 0; i < count; i++)
        path->points[i] = v3(points[i].x, points[i].y, planar ? 0 : points[i].z);
    if (!make_pieces(path)) {
        ashi_dealloc(path);
        return NULL;
    }
    make_nodes(path);
    return path;
}

bool ashi_path_turns_back(const ashi_joint_path *path, uint32_t *point)
{
    for (uint32_t i = 0; i <= path->pieces * NODES; i++) {
        uint32_t k = i / NODES == path->pieces ? path->pieces - 1 : i / NODES;
        const piece *p = &path->piece[k];
        if (v3_norm(slope_of(p, p->width / NODES * (i - k * NODES))) < 1e-3) {
            *point = k;
            return true;
        }
    }
    return false;
}

const ash_vec3 *ashi_path_points(const ashi_joint_path *path, uint32_t *count, bool *closed)
{
    *count = path->count;
    *closed = path->closed;
    return path->points;
}

double ashi_path_length(const ashi_joint_path *path)
{
    return path->node[path->pieces * NODES].length;
}

/* The parameter of a closed path within its span. */
static double wrapped(const ashi_joint_path *path, double t)
{
    return path->closed ? t - path->span * floor(t / path->span) : t;
}

static uint32_t piece_at(const ashi_joint_path *path, double t)
{
    uint32_t low = 0, high = path->pieces;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (path->piece[middle].begin <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

ashi_path_point ashi_path_at(const ashi_joint_path *path, double t)
{
    t = wrapped(path, t);
    const piece *p = &path->piece[piece_at(path, t)];
    double x = t - p->begin, beyond = 0;
    if (!path->closed && (t < 0 || t > path->span)) { /* continues straight */
        beyond = t < 0 ? t : t - path->span;
        x = t < 0 ? 0 : p->width;
    }
    double part = x / p->width * NODES, whole = floor(part);
    if (whole > NODES - 1)
        whole = NODES - 1;
    uint32_t n = (uint32_t)(p - path->piece) * NODES + (uint32_t)whole;
    const node *left = &path->node[n], *right = &path->node[n + 1];
    ashi_path_point at;
    at.first = slope_of(p, x);
    at.second = v3_add_scaled(v3_scale(p->c[2], 2), p->c[3], 6 * x);
    at.third = v3_scale(p->c[3], 6);
    at.place = v3_add_scaled(
        v3_add_scaled(v3_add_scaled(v3_add_scaled(p->c[0], p->c[1], x), p->c[2], x * x), p->c[3], x * x * x), at.first,
        beyond);
    at.length = left->length + arc(p, p->width / NODES * whole, x) + beyond * v3_norm(at.first);
    at.across = v3_add_scaled(left->normal, v3_sub(right->normal, left->normal), part - whole);
    at.across_rate = v3_scale(v3_sub(right->normal, left->normal), NODES / p->width);
    if (beyond != 0)
        at.second = at.third = at.across_rate = v3(0, 0, 0);
    return at;
}

double ashi_path_near_length(const ashi_joint_path *path, double length)
{
    double total = ashi_path_length(path);
    if (path->closed)
        length -= total * floor(length / total);
    uint32_t low = 0, high = path->pieces * NODES;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (path->node[middle].length <= length)
            low = middle;
        else
            high = middle;
    }
    const piece *p = &path->piece[low / NODES];
    double step = p->width / NODES, part = path->node[low + 1].length - path->node[low].length;
    return p->begin + step * (low % NODES) + step * (length - path->node[low].length) / part;
}

double ashi_path_nearest(const ashi_joint_path *path, ash_vec3 p)
{
    double best = (double)INFINITY, found = 0;
    for (uint32_t i = 0; i < path->pieces * NODES + (path->closed ? 0 : 1); i++) {
        uint32_t k = i / NODES == path->pieces ? path->pieces - 1 : i / NODES;
        double t = path->piece[k].begin + path->piece[k].width / NODES * (i - k * NODES);
        double distance = v3_norm2(v3_sub(p, ashi_path_at(path, t).place));
        if (distance < best) {
            best = distance;
            found = t;
        }
    }
    return found;
}

double ashi_path_foot(const ashi_joint_path *path, ash_vec3 p, double start)
{
    double t = start;
    for (int pass = 0; pass < 60; pass++) {
        ashi_path_point at = ashi_path_at(path, t);
        ash_vec3 q = v3_sub(p, at.place);
        double steep = v3_norm2(at.first), slope = steep - v3_dot(q, at.second);
        if (slope < 0.1 * steep) /* beyond the centre of curvature or close to it: a descent step instead of Newton's */
            slope = steep;
        double step = v3_dot(q, at.first) / slope, most = 0.1 * path->span;
        step = step > most ? most : step < -most ? -most : step;
        if (!(fabs(step) > 1e-15 * path->span))
            break;
        /* far away, steps may overshoot: the distance must not increase */
        double far = v3_norm2(q);
        while (fabs(step) > 1e-6 * path->span && v3_norm2(v3_sub(p, ashi_path_at(path, t + step).place)) > far)
            step *= 0.5;
        t += step;
    }
    return t;
}
