/* The separating axis theorem for polyhedra (Gregorius 2013, "The separating axis test between convex polyhedra").
 *
 * Faces: the separation along a face's normal is that of the other's lowest vertex above its plane. A face is given up
 * as soon as one vertex lies below the best separation so far. Edges: an edge's normals are the arc between the normals
 * of its two faces on the unit sphere. Two edges support each other along the product of their directions only where
 * the arc of one crosses the mirrored arc of the other; all other pairs are left out. Four signs decide, of normals of
 * one along the edge of the other, and the normals of b along an edge of a are found once an edge. */
#include "collide/separating_axis.h"

#include "collide/polyhedron_pair.h"
#include "math/mat3.h"

/* Squared sine below which edges count as parallel. */
#define PARALLEL 1e-10

/* b seen from a. */
typedef struct placed {
    ash_vec3 points[ASHI_SEARCH_VERTICES], normals[ASHI_SEARCH_FACES];
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
    for (uint32_t f = 0; f < b->face_count; f++)
        room->normals[f] = m3_apply(turn, b->faces[f].normal);
}

/* The lowest point along a normal. Ends early, with some point not above `least`, once there is one; `start` is looked
 * at first and receives that point. */
static double lowest(const ash_vec3 *points, uint32_t count, ash_vec3 normal, double least, uint32_t *start)
{
    double low = v3_dot(normal, points[*start]);
    for (uint32_t i = 0; i < count && low > least; i++) {
        double along = v3_dot(normal, points[i]);
        if (along < low) {
            low = along;
            *start = i;
        }
    }
    return low;
}

/* Faces of a over the points of b. */
static void search_faces_of_a(const ashi_polyhedron *a, const placed *b, uint32_t b_count, double enough,
                              ashi_axis *best)
{
    uint32_t start = 0;
    for (uint32_t f = 0; f < a->face_count && best->separation <= enough; f++) {
        const ashi_hull_face *face = &a->faces[f];
        double low = lowest(b->points, b_count, face->normal, best->separation + face->offset, &start);
        if (low - face->offset > best->separation)
            *best = (ashi_axis){ASHI_AXIS_FACE_OF_A, f, 0, face->normal, low - face->offset};
    }
}

static void search_faces_of_b(const ashi_polyhedron *a, const ashi_polyhedron *b, const placed *at, ash_vec3 position,
                              double enough, ashi_axis *best)
{
    uint32_t start = 0;
    for (uint32_t f = 0; f < b->face_count && best->separation <= enough; f++) {
        double offset = b->faces[f].offset + v3_dot(at->normals[f], position);
        double low = lowest(a->points, a->point_count, at->normals[f], best->separation + offset, &start);
        if (low - offset > best->separation)
            *best = (ashi_axis){ASHI_AXIS_FACE_OF_B, 0, f, v3_neg(at->normals[f]), low - offset};
    }
}

/* Does the arc from n0 to n1, around the edge `along`, cross the mirrored arc of an edge of b? c0 and c1 are `along`
 * times b's normals, d0 and d1 b's edge times n0 and n1. The arcs cross when each separates the ends of the other, and
 * not on the far side of the sphere. */
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

/* All pairs of edges whose arcs cross; the best one that beats `least`, else `found->separation` stays. */
static void search_edges(const ashi_polyhedron *a, const ashi_polyhedron *b, const placed *at, double enough,
                         ashi_axis *found)
{
    double along_normals[ASHI_SEARCH_FACES];
    for (uint32_t i = 0; i < a->edge_count && found->separation <= enough; i++) {
        const ashi_half_edge *edge_a = &a->edges[i];
        if (edge_a->twin < i)
            continue;
        ash_vec3 from_a = a->points[edge_a->origin];
        ash_vec3 along_a = v3_sub(a->points[a->edges[edge_a->twin].origin], from_a);
        ash_vec3 n0 = a->faces[edge_a->face].normal, n1 = a->faces[a->edges[edge_a->twin].face].normal;
        ash_vec3 outward = v3_add(n0, n1);
        for (uint32_t f = 0; f < b->face_count; f++)
            along_normals[f] = v3_dot(along_a, at->normals[f]);
        for (uint32_t k = 0; k < b->edge_count; k++) {
            const ashi_half_edge *edge_b = &b->edges[k];
            const ashi_half_edge *twin_b = &b->edges[edge_b->twin];
            double c0 = along_normals[edge_b->face], c1 = along_normals[twin_b->face];
            if (edge_b->twin < k || c0 * c1 >= 0)
                continue;
            ash_vec3 from_b = at->points[edge_b->origin], along_b = v3_sub(at->points[twin_b->origin], from_b), normal;
            if (!arcs_cross(c0, c1, v3_dot(along_b, n0), v3_dot(along_b, n1)))
                continue;
            double separation = edge_separation(from_a, along_a, from_b, along_b, outward, &normal);
            if (separation > found->separation)
                *found = (ashi_axis){ASHI_AXIS_EDGES, i, k, normal, separation};
        }
    }
}

/* The separation along the face of the last time, so that others are given up early. */
static void start_from(const ashi_axis *hint, const ashi_polyhedron *a, const ashi_polyhedron *b, const placed *at,
                       ash_vec3 position, ashi_axis *best)
{
    uint32_t start = 0;
    if (hint->kind == ASHI_AXIS_FACE_OF_A && hint->a < a->face_count) {
        const ashi_hull_face *face = &a->faces[hint->a];
        double low = lowest(at->points, b->point_count, face->normal, -INFINITY, &start);
        *best = (ashi_axis){ASHI_AXIS_FACE_OF_A, hint->a, 0, face->normal, low - face->offset};
    } else if (hint->kind == ASHI_AXIS_FACE_OF_B && hint->b < b->face_count) {
        ash_vec3 normal = at->normals[hint->b];
        double offset = b->faces[hint->b].offset + v3_dot(normal, position);
        double low = lowest(a->points, a->point_count, normal, -INFINITY, &start);
        *best = (ashi_axis){ASHI_AXIS_FACE_OF_B, 0, hint->b, v3_neg(normal), low - offset};
    }
}

ashi_axis ashi_axis_search(const ashi_polyhedron *a, const ashi_polyhedron *b, ash_transform b_in_a, double enough,
                           double thickness, const ashi_axis *hint)
{
    placed at;
    place(&at, b, b_in_a);
    ashi_axis best = {.separation = -INFINITY};
    if (hint != NULL)
        start_from(hint, a, b, &at, b_in_a.position, &best);
    search_faces_of_a(a, &at, b->point_count, enough, &best);
    search_faces_of_b(a, b, &at, b_in_a.position, enough, &best);
    if (best.separation > enough)
        return best;
    ashi_axis edges = best;
    edges.separation += ashi_face_slack(best.separation, thickness);
    double least = edges.separation;
    search_edges(a, b, &at, enough, &edges);
    if (edges.kind != ASHI_AXIS_EDGES)
        return best;
    /* Arcs that cross by rounding only do not support each other: the axis counts with its true gap. */
    edges.separation = ashi_gap_along(a, b, b_in_a, edges.normal);
    return edges.separation > least ? edges : best;
}
