/* From an axis to points: the reference face's sides, swept along the normal, clip the incident face of the other
 * polyhedron, and what is left is projected onto the reference face. The incident face is the one most against the
 * normal among those at the deepest vertex, so that this vertex is never missed. */
#include "collide/convex/polyhedron_manifold.h"

#include "collide/convex/clip.h"
#include "collide/convex/feature.h"
#include "collide/convex/polyhedron_pair.h"

/* Marks sides that the reference face has cut. */
#define REFERENCE 0x80000000u

/* Incident faces with more corners are thinned out before clipping. */
#define INCIDENT_MOST (ASHI_CLIP_MOST / 2)

typedef struct reference {
    const ashi_polyhedron *solid, *other;
    ash_transform other_in_solid;
    const ashi_hull_face *face;
    ash_vec3 normal; /* of the contact, from this polyhedron to the other */
    bool is_a;
} reference;

static reference refer_to(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b,
                          const ashi_axis *axis)
{
    if (axis->kind == ASHI_AXIS_FACE_OF_A)
        return (reference){a, b, pair->b_in_a, &a->faces[axis->a], axis->normal, true};
    ash_vec3 normal = v3_neg(q_unrotate(pair->b_in_a.rotation, axis->normal));
    return (reference){b, a, t_inverse(pair->b_in_a), &b->faces[axis->b], normal, false};
}

bool ashi_axis_to_face(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b, uint32_t face_a,
                       uint32_t face_b, ashi_axis *axis)
{
    ash_vec3 in_b = q_unrotate(pair->b_in_a.rotation, axis->normal);
    double along_a = v3_dot(a->faces[face_a].normal, axis->normal), along_b = -v3_dot(b->faces[face_b].normal, in_b);
    axis->kind = along_a >= along_b ? ASHI_AXIS_FACE_OF_A : ASHI_AXIS_FACE_OF_B;
    axis->a = face_a;
    axis->b = face_b;
    axis->incident = 1 + (axis->kind == ASHI_AXIS_FACE_OF_A ? face_b : face_a);
    return along_a >= ASHI_ALONG_FACE && along_b >= ASHI_ALONG_FACE;
}

/* The number of the corner of a face that is farthest along a direction. */
static uint32_t farthest_corner(const ashi_polyhedron *solid, const ashi_hull_face *face, ash_vec3 direction)
{
    uint32_t best = 0;
    double most = -INFINITY;
    for (uint32_t i = 0; i < face->edge_count; i++) {
        double along = v3_dot(solid->points[solid->edges[face->first_edge + i].origin], direction);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return best;
}

/* The incident face in the reference's frame, from its deepest corner on. */
static void take_incident(const reference *ref, uint32_t incident, ashi_clip_polygon *polygon)
{
    const ashi_polyhedron *other = ref->other;
    ash_vec3 down = v3_neg(q_unrotate(ref->other_in_solid.rotation, ref->normal));
    uint32_t number =
        incident != 0 ? incident - 1 : ashi_polyhedron_face_at(other, ashi_polyhedron_support(other, down), down);
    const ashi_hull_face *face = &other->faces[number];
    uint32_t first = farthest_corner(other, face, down), count = face->edge_count;
    polygon->count = count < INCIDENT_MOST ? count : INCIDENT_MOST;
    for (uint32_t i = 0; i < polygon->count; i++) {
        uint32_t skipped = (uint32_t)((uint64_t)i * count / polygon->count);
        uint32_t edge = face->first_edge + (first + skipped) % count;
        polygon->corners[i] =
            (ashi_corner){t_point(ref->other_in_solid, other->points[other->edges[edge].origin]), edge};
    }
}

static void clip_to_sides(const reference *ref, ashi_clip_polygon *polygon)
{
    const ashi_polyhedron *solid = ref->solid;
    for (uint32_t i = 0; i < ref->face->edge_count && polygon->count > 0; i++) {
        uint32_t edge = ref->face->first_edge + i;
        ash_vec3 from = solid->points[solid->edges[edge].origin];
        ash_vec3 to = solid->points[solid->edges[solid->edges[edge].next].origin];
        ash_vec3 outward = v3_cross(v3_sub(to, from), ref->normal);
        ashi_clip(polygon, outward, v3_dot(outward, from), REFERENCE | edge, v3_neg(ref->normal));
    }
}

/* The vertex of the reference face between two of its sides, which the polygon may traverse in either direction. */
static uint32_t shared_vertex(const ashi_polyhedron *solid, uint32_t one, uint32_t other)
{
    return solid->edges[one].next == other ? solid->edges[other].origin : solid->edges[one].origin;
}

/* The feature of a corner, from the sides that meet there. */
static uint32_t feature_of(const reference *ref, uint32_t before, uint32_t after)
{
    bool cut_before = (before & REFERENCE) != 0, cut_after = (after & REFERENCE) != 0;
    uint32_t kind = ASHI_FEATURE_EDGES, own = 0, others = 0;
    if (!cut_before && !cut_after) {
        kind = ref->is_a ? ASHI_FEATURE_VERTEX_OF_B : ASHI_FEATURE_VERTEX_OF_A;
        others = ref->other->edges[after].origin;
    } else if (cut_before && cut_after) {
        kind = ref->is_a ? ASHI_FEATURE_VERTEX_OF_A : ASHI_FEATURE_VERTEX_OF_B;
        own = shared_vertex(ref->solid, before & ~REFERENCE, after & ~REFERENCE);
    } else {
        own = ashi_edge_number(ref->solid, (cut_before ? before : after) & ~REFERENCE);
        others = ashi_edge_number(ref->other, cut_before ? after : before);
    }
    return ref->is_a ? ashi_feature_number(kind, own, others) : ashi_feature_number(kind, others, own);
}

/* Corners within the margin as points. Returns the largest depth. */
static double set_points(const ashi_pair *pair, const reference *ref, const ashi_clip_polygon *polygon,
                         ashi_manifold *m)
{
    double deepest = -INFINITY, cosine = v3_dot(ref->face->normal, ref->normal);
    m->count = 0;
    for (uint32_t i = 0; i < polygon->count; i++) {
        const ashi_corner *c = &polygon->corners[i];
        double gap = (v3_dot(ref->face->normal, c->at) - ref->face->offset) / cosine;
        if (!(gap <= pair->margin))
            continue;
        uint32_t before = polygon->corners[i > 0 ? i - 1 : polygon->count - 1].side;
        ash_vec3 on_a = ref->is_a ? v3_add_scaled(c->at, ref->normal, -gap) : t_point(pair->b_in_a, c->at);
        m->points[m->count++] = (ashi_manifold_point){on_a, -gap, feature_of(ref, before, c->side)};
        deepest = -gap > deepest ? -gap : deepest;
    }
    return deepest;
}

bool ashi_face_manifold(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b,
                        const ashi_axis *axis, double least, ashi_manifold *manifold)
{
    reference ref = refer_to(pair, a, b, axis);
    ashi_clip_polygon polygon;
    take_incident(&ref, axis->incident, &polygon);
    clip_to_sides(&ref, &polygon);
    ashi_clip_thin(&polygon, ASHI_MANIFOLD_MOST, v3_neg(ref.face->normal));
    manifold->normal = axis->normal;
    return set_points(pair, &ref, &polygon, manifold) >= least;
}

bool ashi_edge_manifold(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b,
                        const ashi_axis *axis, ashi_manifold *manifold)
{
    ash_vec3 from_a = a->points[a->edges[axis->a].origin];
    ash_vec3 along_a = v3_sub(a->points[a->edges[a->edges[axis->a].twin].origin], from_a);
    ash_vec3 from_b = t_point(pair->b_in_a, b->points[b->edges[axis->b].origin]);
    ash_vec3 to_b = t_point(pair->b_in_a, b->points[b->edges[b->edges[axis->b].twin].origin]);
    ash_vec3 along_b = v3_sub(to_b, from_b), apart = v3_sub(from_b, from_a);
    /* The points from_a + s along_a and from_b + t along_b whose difference is along both lines' common normal. */
    ash_vec3 product = v3_cross(along_a, along_b);
    double square = v3_norm2(product);
    double s = v3_dot(product, v3_cross(apart, along_b)) / square,
           t = v3_dot(product, v3_cross(apart, along_a)) / square;
    if (!(s >= -ASHI_ON_EDGE && s <= 1 + ASHI_ON_EDGE && t >= -ASHI_ON_EDGE && t <= 1 + ASHI_ON_EDGE))
        return false;
    uint32_t edge_a = ashi_edge_number(a, axis->a), edge_b = ashi_edge_number(b, axis->b);
    manifold->normal = axis->normal;
    manifold->count = 1;
    manifold->points[0] = (ashi_manifold_point){v3_add_scaled(from_a, along_a, s), -axis->separation,
                                                ashi_feature_number(ASHI_FEATURE_EDGES, edge_a, edge_b)};
    return true;
}
