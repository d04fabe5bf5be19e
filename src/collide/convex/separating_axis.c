/* The separating axis theorem for polyhedra (Gregorius 2013, "The separating axis test between convex polyhedra").
 *
 * Faces: the separation along a face's normal is that of the other's lowest vertex above its plane. A face is abandoned
 * as soon as one vertex lies below the best separation so far. Edges: an edge's normals are the arc between the normals
 * of its two faces on the unit sphere. Two edges support each other along the product of their directions only where
 * the arc of one crosses the mirrored arc of the other; all other pairs are skipped. Four signs decide, of the normals
 * of one along the edge of the other; the products of b's normals with an edge of a are computed once per edge. */
#include "collide/convex/separating_axis.h"

#include "collide/convex/polyhedron_pair.h"
#include "math/mat3.h"

/* Squared sine below which edges count as parallel. */
#define PARALLEL 1e-10

/* b seen from a. */
typedef struct placed {
    ash_vec3 points[ASHI_SEARCH_VERTICES], normals[ASHI_SEARCH_FACES];
    double offsets[ASHI_SEARCH_FACES];
} placed;

double ashi_gap_along(const ashi_polyhedron *a, const ashi_polyhedron *b, ash_transform b_in_a, ash_vec3 normal)
{
    ash_vec3 in_b = q_unrotate(b_in_a.rotation, normal);
    double reach = v3_dot(a->points[0], normal), start = v3_dot(b->points[0], in_b);
    for (uint32_t i = 1; i < a->point_count; i++) {
        double along = v3_dot(a->points[i], normal);
        reach = along > reach ? along : reach;
    }
    for (uint32_t i = 1; i < b->point_count; i++) {
        double along = v3_dot(b->points[i], in_b);
        start = along < start ? along : start;
    }
    return start + v3_dot(b_in_a.position, normal) - reach;
}

static void place(placed *room, const ashi_polyhedron *b, ash_transform b_in_a)
{
    ash_mat3 turn = m3_from_quat(b_in_a.rotation);
    for (uint32_t i = 0; i < b->point_count; i++)
        room->points[i] = v3_add(b_in_a.position, m3_apply(turn, b->points[i]));
    for (uint32_t f = 0; f < b->face_count; f++) {
        room->normals[f] = m3_apply(turn, b->faces[f].normal);
        room->offsets[f] = b->faces[f].offset + v3_dot(room->normals[f], b_in_a.position);
    }
}

/* The lowest point along a normal. Ends early as soon as a point is below `least`; `start` is tested first and receives
 * that point. */
static double lowest(const ash_vec3 *points, uint32_t count, ash_vec3 normal, double least, uint32_t *start)
{
    double low = v3_dot(normal, points[*start]);
    for (uint32_t i = 0; i < count && low >= least; i++) {
        double along = v3_dot(normal, points[i]);
        if (along < low) {
            low = along;
            *start = i;
        }
    }
    return low;
}

/* Whether a separation is larger, or equal for an earlier face (a's before b's), so that the search may start
 * anywhere. */
static bool is_better(double separation, ashi_axis_kind kind, uint32_t face, const ashi_axis *best)
{
    uint32_t best_face = best->kind == ASHI_AXIS_FACE_OF_A ? best->a : best->b;
    return separation > best->separation ||
           (separation == best->separation && (kind < best->kind || (kind == best->kind && face < best_face)));
}

/* Faces of a over the points of b. */
static void search_faces_of_a(const ashi_polyhedron *a, const placed *b, uint32_t b_count, double enough,
                              ashi_axis *best)
{
    uint32_t start = 0;
    for (uint32_t f = 0; f < a->face_count && best->separation <= enough; f++) {
        const ashi_hull_face *face = &a->faces[f];
        double low = lowest(b->points, b_count, face->normal, best->separation + face->offset, &start);
        if (is_better(low - face->offset, ASHI_AXIS_FACE_OF_A, f, best))
            *best = (ashi_axis){ASHI_AXIS_FACE_OF_A, f, 0, face->normal, low - face->offset, 0};
    }
}

static void search_faces_of_b(const ashi_polyhedron *a, uint32_t b_count, const placed *at, double enough,
                              ashi_axis *best)
{
    uint32_t start = 0;
    for (uint32_t f = 0; f < b_count && best->separation <= enough; f++) {
        double offset = at->offsets[f];
        double low = lowest(a->points, a->point_count, at->normals[f], best->separation + offset, &start);
        if (is_better(low - offset, ASHI_AXIS_FACE_OF_B, f, best))
            *best = (ashi_axis){ASHI_AXIS_FACE_OF_B, 0, f, v3_neg(at->normals[f]), low - offset, 0};
    }
}

/* Whether the arc from n0 to n1, around the edge `along`, crosses the mirrored arc of an edge of b. c0 and c1 are
 * `along` times b's normals, d0 and d1 b's edge times n0 and n1. The arcs cross when each separates the ends of the
 * other, and they are not on opposite sides of the sphere. */
static bool arcs_cross(double c0, double c1, double d0, double d1)
{
    return c0 * c1 < 0 && d0 * d1 < 0 && c0 * d1 < 0;
}

/* The separation of two edges that support each other. */
static double edge_separation(ash_vec3 from_a, ash_vec3 along_a, ash_vec3 from_b, ash_vec3 along_b, ash_vec3 outward,
                              ash_vec3 *normal)
{
    *normal = v3_cross(along_a, along_b);
    double square = v3_norm2(*normal);
    if (square <= PARALLEL * v3_norm2(along_a) * v3_norm2(along_b))
        return -INFINITY;
    *normal = v3_scale(*normal, (v3_dot(*normal, outward) < 0 ? -1 : 1) / sqrt(square));
    return v3_dot(*normal, v3_sub(from_b, from_a));
}

/* Edges that can beat the best separation so far, in a's frame. */
typedef struct candidates {
    uint32_t count;
    struct {
        uint32_t edge; /* half edge */
        ash_vec3 from, along, normal, twin_normal;
    } edges[ASHI_SEARCH_EDGES];
} candidates;

/* Any normal of an edge is a combination of its faces' normals with factors that sum to at least 1. So if a vertex of
 * the other polyhedron is lower than `low` <= 0 above both faces, it is so along all normals of the edge. `start` is
 * the vertex to test first: a vertex that rules out one edge often rules out the next. */
static bool is_ruled_out(const ash_vec3 *others, uint32_t count, ash_vec3 normal, double offset, ash_vec3 twin_normal,
                         double twin_offset, double low, uint32_t *start)
{
    for (uint32_t i = *start, tried = 0; tried < count; tried++, i = i + 1 < count ? i + 1 : 0)
        if (v3_dot(normal, others[i]) - offset < low && v3_dot(twin_normal, others[i]) - twin_offset < low) {
            *start = i;
            return true;
        }
    return false;
}

/* Collects the edges of a polyhedron, given by its points and normals, that no vertex of the other one rules out. */
static void collect(const ashi_polyhedron *solid, const ash_vec3 *points, const ash_vec3 *normals,
                    const double *offsets, const ash_vec3 *others, uint32_t other_count, double low, candidates *found)
{
    uint32_t start = 0;
    found->count = 0;
    for (uint32_t i = 0; i < solid->edge_count; i++) {
        const ashi_half_edge *edge = &solid->edges[i], *twin = &solid->edges[edge->twin];
        if (edge->twin < i || is_ruled_out(others, other_count, normals[edge->face], offsets[edge->face],
                                           normals[twin->face], offsets[twin->face], low, &start))
            continue;
        uint32_t n = found->count++;
        found->edges[n].edge = i;
        found->edges[n].from = points[edge->origin];
        found->edges[n].along = v3_sub(points[twin->origin], points[edge->origin]);
        found->edges[n].normal = normals[edge->face];
        found->edges[n].twin_normal = normals[twin->face];
    }
}

/* The best pair of edges whose arcs cross, if it beats the best axis so far. */
static void search_edges(const ashi_polyhedron *a, const ashi_polyhedron *b, const placed *at, double enough,
                         ashi_axis *found)
{
    candidates of_a, of_b;
    ash_vec3 normals[ASHI_SEARCH_FACES];
    double offsets[ASHI_SEARCH_FACES], low = found->separation < 0 ? found->separation : 0;
    for (uint32_t f = 0; f < a->face_count; f++) {
        normals[f] = a->faces[f].normal;
        offsets[f] = a->faces[f].offset;
    }
    collect(a, a->points, normals, offsets, at->points, b->point_count, low, &of_a);
    collect(b, at->points, at->normals, at->offsets, a->points, a->point_count, low, &of_b);
    for (uint32_t i = 0; i < of_a.count && found->separation <= enough; i++) {
        ash_vec3 along_a = of_a.edges[i].along, n0 = of_a.edges[i].normal, n1 = of_a.edges[i].twin_normal;
        for (uint32_t k = 0; k < of_b.count; k++) {
            ash_vec3 along_b = of_b.edges[k].along, normal;
            double c0 = v3_dot(along_a, of_b.edges[k].normal), c1 = v3_dot(along_a, of_b.edges[k].twin_normal);
            if (!arcs_cross(c0, c1, v3_dot(along_b, n0), v3_dot(along_b, n1)))
                continue;
            double separation =
                edge_separation(of_a.edges[i].from, along_a, of_b.edges[k].from, along_b, v3_add(n0, n1), &normal);
            if (separation > found->separation)
                *found = (ashi_axis){ASHI_AXIS_EDGES, of_a.edges[i].edge, of_b.edges[k].edge, normal, separation, 0};
        }
    }
}

/* Starts from the face of the last step, so that others are abandoned early. */
static void start_from(const ashi_axis *hint, const ashi_polyhedron *a, const ashi_polyhedron *b, const placed *at,
                       ashi_axis *best)
{
    uint32_t start = 0;
    if (hint->kind == ASHI_AXIS_FACE_OF_A && hint->a < a->face_count) {
        const ashi_hull_face *face = &a->faces[hint->a];
        double low = lowest(at->points, b->point_count, face->normal, -INFINITY, &start);
        *best = (ashi_axis){ASHI_AXIS_FACE_OF_A, hint->a, 0, face->normal, low - face->offset, 0};
    } else if (hint->kind == ASHI_AXIS_FACE_OF_B && hint->b < b->face_count) {
        ash_vec3 normal = at->normals[hint->b];
        double low = lowest(a->points, a->point_count, normal, -INFINITY, &start);
        *best = (ashi_axis){ASHI_AXIS_FACE_OF_B, 0, hint->b, v3_neg(normal), low - at->offsets[hint->b], 0};
    }
}

ashi_axis ashi_axis_search(const ashi_polyhedron *a, const ashi_polyhedron *b, ash_transform b_in_a, double enough,
                           double thickness, const ashi_axis *hint)
{
    placed at;
    place(&at, b, b_in_a);
    ashi_axis best = {.separation = -INFINITY};
    if (hint != NULL)
        start_from(hint, a, b, &at, &best);
    search_faces_of_a(a, &at, b->point_count, enough, &best);
    search_faces_of_b(a, b->face_count, &at, enough, &best);
    if (best.separation > enough)
        return best;
    ashi_axis edges = best;
    edges.separation += ashi_face_slack(best.separation, thickness);
    double least = edges.separation;
    search_edges(a, b, &at, enough, &edges);
    if (edges.kind != ASHI_AXIS_EDGES)
        return best;
    /* Edges whose arcs cross only by rounding do not support each other: use the true gap along the axis. */
    edges.separation = ashi_gap_along(a, b, b_in_a, edges.normal);
    return edges.separation > least ? edges : best;
}
