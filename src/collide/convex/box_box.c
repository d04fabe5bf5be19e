/* Box on box: the separating axis theorem (Gottschalk, Lin and Manocha 1996), then clipping of faces or an edge pair.
 *
 * The 15 axes are 3 face normals of a (0-2), 3 of b (3-5) and the 9 products of an edge of each (6 + 3 i + j). With
 * r[i][j] the cosine between edge i of a and edge j of b, the separation along each is a sum of few products of r, |r|,
 * the half sizes and the offset of the centres. The largest separation is the signed distance wherever the boxes
 * overlap; a face wins over an edge pair unless it is worse by more than SLACK, so that the choice between nearly
 * parallel ones does not alternate and a face gives its full manifold. */
#include "collide/pairs.h"

#include "collide/convex/feature.h"
#include "collide/convex/polyhedron_pair.h"
#include "collide/reduce.h"
#include "shape/geometry.h"

/* Squared sine of the angle below which two edges count as parallel: faces then decide as well, up to SLACK. */
#define PARALLEL 1e-10

enum { FACES_OF_A = 0, FACES_OF_B = 3, EDGES = 6 };

typedef struct view {
    double r[3][3];       /* r[i][j]: edge i of a times edge j of b */
    double s[3][3];       /* |r| */
    double a[3], b[3];    /* half sizes */
    double in_a[3];       /* from the centre of a to that of b along a's axes */
    double in_b[3];       /* and along b's */
    double smallest_size; /* of the six half sizes */
} view;

typedef struct best_axis {
    uint32_t number;
    double separation;
} best_axis;

static void prepare(view *v, const ashi_pair *pair)
{
    ash_vec3 t = pair->b_in_a.position, a = pair->a->def.half_extents, b = pair->b->def.half_extents;
    ash_mat3 m = m3_from_quat(pair->b_in_a.rotation);
    const ash_vec3 columns[3] = {m.x, m.y, m.z};
    for (int j = 0; j < 3; j++) {
        v->r[0][j] = columns[j].x;
        v->r[1][j] = columns[j].y;
        v->r[2][j] = columns[j].z;
        v->in_b[j] = v3_dot(columns[j], t);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            v->s[i][j] = fabs(v->r[i][j]);
    v->in_a[0] = t.x, v->in_a[1] = t.y, v->in_a[2] = t.z;
    v->a[0] = a.x, v->a[1] = a.y, v->a[2] = a.z;
    v->b[0] = b.x, v->b[1] = b.y, v->b[2] = b.z;
    ash_vec3 least = v3_min(a, b);
    double xy = least.x < least.y ? least.x : least.y;
    v->smallest_size = xy < least.z ? xy : least.z;
}

static double face_of_a(const view *v, int i)
{
    return fabs(v->in_a[i]) - (v->a[i] + v->s[i][0] * v->b[0] + v->s[i][1] * v->b[1] + v->s[i][2] * v->b[2]);
}

static double face_of_b(const view *v, int j)
{
    return fabs(v->in_b[j]) - (v->b[j] + v->s[0][j] * v->a[0] + v->s[1][j] * v->a[1] + v->s[2][j] * v->a[2]);
}

static const int next_axis[3] = {1, 2, 0}, last_axis[3] = {2, 0, 1};

/* The separation along edge i of a times edge j of b, multiplied by the length of that product. */
static inline double edge_pair(const view *v, int i, int j, double *square_of_length)
{
    int i1 = next_axis[i], i2 = last_axis[i], j1 = next_axis[j], j2 = last_axis[j];
    double along = v->in_a[i2] * v->r[i1][j] - v->in_a[i1] * v->r[i2][j];
    *square_of_length = v->r[i1][j] * v->r[i1][j] + v->r[i2][j] * v->r[i2][j];
    return fabs(along) -
           (v->a[i1] * v->s[i2][j] + v->a[i2] * v->s[i1][j] + v->b[j1] * v->s[i][j2] + v->b[j2] * v->s[i][j1]);
}

/* Whether the axis of the last step still separates by more than the margin. */
static bool still_separates(const view *v, uint32_t axis, double margin)
{
    if (axis < FACES_OF_B)
        return face_of_a(v, (int)axis) > margin;
    if (axis < EDGES)
        return face_of_b(v, (int)axis - FACES_OF_B) > margin;
    double square, separation = edge_pair(v, (int)(axis - EDGES) / 3, (int)(axis - EDGES) % 3, &square);
    return square > PARALLEL && separation > margin * sqrt(square);
}

/* The best face; stops at the first that separates by more than the margin. */
static best_axis find_face(const view *v, double margin)
{
    best_axis best = {0, face_of_a(v, 0)};
    for (int k = 1; k < EDGES; k++) {
        if (best.separation > margin)
            return best;
        double separation = k < FACES_OF_B ? face_of_a(v, k) : face_of_b(v, k - FACES_OF_B);
        if (separation > best.separation)
            best = (best_axis){(uint32_t)k, separation};
    }
    return best;
}

/* Whether any edge pair beats `least`. As x |x| grows with x, scaled / sqrt(square) > least needs no root; without
 * branches, so that the nine tests are fast in the usual case that none does. */
static bool any_edges(const view *v, double least)
{
    double limit = least * fabs(least);
    bool any = false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double square, scaled = edge_pair(v, i, j, &square);
            any |= (scaled * fabs(scaled) > limit * square) & (square > PARALLEL);
        }
    return any;
}

/* The best edge pair if it beats `least`, else the number 0; the first that separates by more than the margin. */
static best_axis find_edges(const view *v, double least, double margin)
{
    best_axis best = {0, least};
    if (!any_edges(v, least))
        return best;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3 && best.separation <= margin; j++) {
            double square, scaled = edge_pair(v, i, j, &square);
            if (square <= PARALLEL)
                continue;
            double separation = scaled / sqrt(square);
            if (separation > best.separation)
                best = (best_axis){(uint32_t)(EDGES + 3 * i + j), separation};
        }
    return best;
}

/* ---- Faces ---- */

/* The box with the reference face, and the other box relative to it. */
typedef struct reference {
    const double *size, *other_size;
    double axes[3][3];      /* [i][j]: component i of the other's axis j */
    double centre[3];       /* of the other */
    double normal[3];       /* of the contact, from this box to the other, along this one's axes */
    double other_normal[3]; /* the same along the other's axes */
    int k, u, v;            /* axis of the face's normal and its two sides */
    double sign;            /* of the face's normal along axis k */
    bool is_a;
} reference;

static int largest_of(const double v[3])
{
    int k = fabs(v[1]) > fabs(v[0]) ? 1 : 0;
    return fabs(v[2]) > fabs(v[k]) ? 2 : k;
}

static void refer_to(reference *ref, const view *v, bool is_a, int k)
{
    ref->is_a = is_a;
    ref->k = k;
    ref->u = next_axis[k];
    ref->v = last_axis[k];
    ref->size = is_a ? v->a : v->b;
    ref->other_size = is_a ? v->b : v->a;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            ref->axes[i][j] = is_a ? v->r[i][j] : v->r[j][i];
        ref->centre[i] = is_a ? v->in_a[i] : -v->in_b[i];
    }
}

/* A face along its own normal. */
static void refer_to_face(reference *ref, const view *v, uint32_t axis)
{
    refer_to(ref, v, axis < FACES_OF_B, (int)axis % 3);
    ref->sign = ref->centre[ref->k] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) {
        ref->normal[i] = i == ref->k ? ref->sign : 0;
        ref->other_normal[i] = ref->sign * ref->axes[ref->k][i];
    }
}

/* Refers to the face most along the normal of an edge pair; false if this face or the other box's is not nearly along
 * it. Boxes that rest on each other slightly tilted touch at crossing edges; their whole faces are then about to
 * touch. */
static bool refer_to_edges(reference *ref, const view *v, const double normal[3])
{
    double in_b[3];
    for (int j = 0; j < 3; j++)
        in_b[j] = normal[0] * v->r[0][j] + normal[1] * v->r[1][j] + normal[2] * v->r[2][j];
    int i = largest_of(normal), j = largest_of(in_b);
    double along_a = fabs(normal[i]), along_b = fabs(in_b[j]);
    if (along_a < ASHI_ALONG_FACE || along_b < ASHI_ALONG_FACE)
        return false;
    bool is_a = along_a >= along_b;
    refer_to(ref, v, is_a, is_a ? i : j);
    for (int n = 0; n < 3; n++) {
        ref->normal[n] = is_a ? normal[n] : -in_b[n];
        ref->other_normal[n] = is_a ? in_b[n] : -normal[n];
    }
    ref->sign = ref->normal[ref->k] < 0 ? -1 : 1;
    return true;
}

/* A corner of the incident face while it is clipped. Sides are numbered 0-3 on the incident face, 4-7 on the reference
 * face (+u, -u, +v, -v); `side` leads from this corner to the next. */
typedef struct corner {
    double at[2]; /* along u and v */
    double gap;   /* above the reference face */
    uint32_t side;
} corner;

enum { REFERENCE_SIDES = 4, CORNERS = 8 };

/* The incident face: that whose normal is most against the contact's. */
typedef struct incident {
    int j, j1, j2;  /* axis of its normal and its two sides */
    bool positive;  /* its normal is along +j */
    bool beyond[4]; /* it extends over the reference face's +u, -u, +v, -v side */
} incident;

/* A vector as position along u and v and height above the reference face, projected along the contact's normal;
 * `steepness` is the inverse cosine between the two normals. */
static void slide(const reference *ref, const double vector[3], double above, double steepness, double seen[3])
{
    seen[2] = (ref->sign * vector[ref->k] - above) * steepness;
    seen[0] = vector[ref->u] - seen[2] * ref->normal[ref->u];
    seen[1] = vector[ref->v] - seen[2] * ref->normal[ref->v];
}

static incident incident_face(const reference *ref, corner corners[CORNERS])
{
    int j = largest_of(ref->other_normal);
    incident face = {j, next_axis[j], last_axis[j], ref->other_normal[j] < 0, {false}};
    double middle[3], first[3], second[3], at_middle[3], along_first[3], along_second[3];
    double out = face.positive ? ref->other_size[j] : -ref->other_size[j];
    for (int i = 0; i < 3; i++) {
        middle[i] = ref->centre[i] + out * ref->axes[i][j];
        first[i] = ref->other_size[face.j1] * ref->axes[i][face.j1];
        second[i] = ref->other_size[face.j2] * ref->axes[i][face.j2];
    }
    double steepness = 1 / fabs(ref->normal[ref->k]);
    slide(ref, middle, ref->size[ref->k], steepness, at_middle);
    slide(ref, first, 0, steepness, along_first);
    slide(ref, second, 0, steepness, along_second);
    for (int i = 0; i < 2; i++) {
        double reach = fabs(along_first[i]) + fabs(along_second[i]), limit = ref->size[i == 0 ? ref->u : ref->v];
        face.beyond[2 * i] = at_middle[i] + reach > limit;
        face.beyond[2 * i + 1] = reach - at_middle[i] > limit;
    }
    static const double signs[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    for (uint32_t q = 0; q < 4; q++) {
        double at[3];
        for (int i = 0; i < 3; i++)
            at[i] = at_middle[i] + (signs[q][0] * along_first[i] + signs[q][1] * along_second[i]);
        corners[q] = (corner){{at[0], at[1]}, at[2], q};
    }
    return face;
}

static corner cut(const corner *from, const corner *to, double from_beyond, double to_beyond, uint32_t side)
{
    double t = from_beyond / (from_beyond - to_beyond);
    return (corner){{from->at[0] + t * (to->at[0] - from->at[0]), from->at[1] + t * (to->at[1] - from->at[1])},
                    from->gap + t * (to->gap - from->gap),
                    side};
}

/* Keeps what lies within sign * at[place] <= limit (Sutherland and Hodgman 1974). */
static uint32_t clip_side(const corner *in, uint32_t count, uint32_t side, double limit, corner *out)
{
    int place = (int)(side - REFERENCE_SIDES) / 2;
    double sign = side % 2 == 0 ? 1 : -1;
    uint32_t kept = 0;
    double beyond = sign * in[0].at[place] - limit;
    for (uint32_t i = 0; i < count; i++) {
        const corner *here = &in[i], *next = &in[i + 1 < count ? i + 1 : 0];
        double next_beyond = sign * next->at[place] - limit;
        if (beyond <= 0) {
            out[kept++] = *here;
            if (next_beyond > 0) {
                if (beyond < 0)
                    out[kept++] = cut(here, next, beyond, next_beyond, side);
                else
                    out[kept - 1].side = side;
            }
        } else if (next_beyond < 0) {
            out[kept++] = cut(here, next, beyond, next_beyond, here->side);
        }
        beyond = next_beyond;
    }
    return kept;
}

/* Clips the incident face to the sides of the reference face over which it extends; returns the buffer that holds the
 * result. */
static const corner *clip(const reference *ref, const incident *face, corner buffers[2][CORNERS + 1], uint32_t *count)
{
    corner *from = buffers[0], *to = buffers[1];
    for (uint32_t side = 0; side < 4 && *count > 0; side++)
        if (face->beyond[side]) {
            *count = clip_side(from, *count, REFERENCE_SIDES + side, ref->size[side < 2 ? ref->u : ref->v], to);
            corner *swapped = from;
            from = to;
            to = swapped;
        }
    return from;
}

/* Edges are numbered by their axis and the signs of their place along the next and the last axis. */
static uint32_t edge_number(int axis, bool next_positive, bool last_positive)
{
    return (uint32_t)axis * 4 + (next_positive ? 2 : 0) + (last_positive ? 1 : 0);
}

/* The box edge between two faces: axis i and axis j, each with its sign. */
static uint32_t edge_between(int i, bool i_positive, int j, bool j_positive)
{
    return next_axis[i] == j ? edge_number(last_axis[i], i_positive, j_positive)
                             : edge_number(next_axis[i], j_positive, i_positive);
}

static uint32_t incident_edge(const incident *face, uint32_t side)
{
    /* Sides 0 and 2 run along j1 at +j2 and -j2, sides 1 and 3 along j2 at -j1 and +j1. */
    return side % 2 == 0 ? edge_between(face->j, face->positive, face->j2, side == 0)
                         : edge_between(face->j, face->positive, face->j1, side == 3);
}

static uint32_t reference_edge(const reference *ref, uint32_t side)
{
    return edge_between(ref->k, ref->sign > 0, side < 6 ? ref->u : ref->v, side % 2 == 0);
}

static uint32_t vertex_number(int i, bool i_positive, int j, bool j_positive, int k, bool k_positive)
{
    return (uint32_t)i_positive << i | (uint32_t)j_positive << j | (uint32_t)k_positive << k;
}

/* The feature of a corner of the clipped polygon, from the sides that meet there. */
static uint32_t feature_of(const reference *ref, const incident *face, uint32_t before, uint32_t after)
{
    uint32_t kind, of_reference = 0, of_incident = 0;
    bool incident_before = before < REFERENCE_SIDES, incident_after = after < REFERENCE_SIDES;
    if (incident_before && incident_after) {
        kind = ref->is_a ? ASHI_FEATURE_VERTEX_OF_B : ASHI_FEATURE_VERTEX_OF_A;
        of_incident = vertex_number(face->j, face->positive, face->j1, after == 0 || after == 3, face->j2, after < 2);
    } else if (!incident_before && !incident_after) {
        kind = ref->is_a ? ASHI_FEATURE_VERTEX_OF_A : ASHI_FEATURE_VERTEX_OF_B;
        bool u_positive = before == 4 || after == 4, v_positive = before == 6 || after == 6;
        of_reference = vertex_number(ref->k, ref->sign > 0, ref->u, u_positive, ref->v, v_positive);
    } else {
        kind = ASHI_FEATURE_EDGES;
        of_incident = incident_edge(face, incident_before ? before : after);
        of_reference = reference_edge(ref, incident_before ? after : before);
    }
    return ref->is_a ? ashi_feature_number(kind, of_reference, of_incident)
                     : ashi_feature_number(kind, of_incident, of_reference);
}

/* A vector from its components along u, v and k. (Not through an array, where loads would wait for stores.) */
static ash_vec3 along_sides(const reference *ref, double u, double v, double k)
{
    return ref->k == 0 ? v3(k, u, v) : ref->k == 1 ? v3(v, k, u) : v3(u, v, k);
}

/* The point on a's surface of a spot of the reference face. */
static ash_vec3 place(const reference *ref, const view *v, const ashi_spot *spot)
{
    ash_vec3 p = along_sides(ref, spot->x, spot->y, ref->sign * ref->size[ref->k]);
    if (ref->is_a)
        return p;
    p.x -= spot->depth * ref->normal[0];
    p.y -= spot->depth * ref->normal[1];
    p.z -= spot->depth * ref->normal[2];
    return v3(v->in_a[0] + (v->r[0][0] * p.x + v->r[0][1] * p.y + v->r[0][2] * p.z),
              v->in_a[1] + (v->r[1][0] * p.x + v->r[1][1] * p.y + v->r[1][2] * p.z),
              v->in_a[2] + (v->r[2][0] * p.x + v->r[2][1] * p.y + v->r[2][2] * p.z));
}

/* The manifold of two faces along a normal. False when its deepest point is not as deep as `least`: then the faces miss
 * each other, and the boxes are nearest elsewhere. */
static bool face_manifold(const ashi_pair *pair, const view *v, const reference *ref, double least, ashi_manifold *m)
{
    corner buffers[2][CORNERS + 1];
    incident face = incident_face(ref, buffers[0]);
    uint32_t count = 4, number = 0;
    const corner *corners = clip(ref, &face, buffers, &count);
    ashi_spot spots[CORNERS + 1];
    double deepest = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const corner *c = &corners[i];
        if (!(c->gap <= pair->margin))
            continue;
        uint32_t feature = feature_of(ref, &face, corners[i > 0 ? i - 1 : count - 1].side, c->side);
        spots[number++] = (ashi_spot){c->at[0], c->at[1], -c->gap, feature};
        deepest = -c->gap > deepest ? -c->gap : deepest;
    }
    if (!(deepest >= least))
        return false;
    uint32_t chosen[CORNERS + 1];
    const uint32_t *kept = pair->cache != NULL ? pair->cache->kept : NULL;
    number = pair->keep_all_points ? ashi_spots_apart(spots, number, chosen)
                                   : ashi_reduce(spots, number, ASHI_MANIFOLD_POINTS, kept, chosen);
    const double *n = ref->is_a ? ref->normal : ref->other_normal;
    double sign = ref->is_a ? 1 : -1;
    m->normal = v3(sign * n[0], sign * n[1], sign * n[2]);
    m->count = number;
    for (uint32_t i = 0; i < number; i++) {
        const ashi_spot *spot = &spots[chosen[i]];
        m->points[i] = (ashi_manifold_point){place(ref, v, spot), spot->depth, spot->feature};
    }
    return true;
}

/* ---- Edges ---- */

/* The unit normal of an edge pair from a to b, along a's axes; returns what the product of the edges is scaled by. */
static double edge_normal(const view *v, uint32_t axis, double normal[3])
{
    int i = (int)(axis - EDGES) / 3, j = (int)(axis - EDGES) % 3, i1 = next_axis[i], i2 = last_axis[i];
    double along = v->in_a[i2] * v->r[i1][j] - v->in_a[i1] * v->r[i2][j];
    double scale = (along < 0 ? -1 : 1) / sqrt(v->r[i1][j] * v->r[i1][j] + v->r[i2][j] * v->r[i2][j]);
    normal[i] = 0;
    normal[i1] = -v->r[i2][j] * scale;
    normal[i2] = v->r[i1][j] * scale;
    return scale;
}

/* The manifold of an edge pair: the nearest points of two lines. False when they lie beyond the ends of the edges. */
static bool edge_manifold(const view *v, best_axis axis, ashi_manifold *m)
{
    int i = (int)(axis.number - EDGES) / 3, j = (int)(axis.number - EDGES) % 3;
    int i1 = next_axis[i], i2 = last_axis[i], j1 = next_axis[j], j2 = last_axis[j];
    double cosine = v->r[i][j], square = v->r[i1][j] * v->r[i1][j] + v->r[i2][j] * v->r[i2][j];
    double normal[3], a[3], b[3], apart[3], scale = edge_normal(v, axis.number, normal);
    /* The edge of a farthest along the normal, and that of b farthest against it; first their midpoints. */
    bool a1 = normal[i1] > 0, a2 = normal[i2] > 0;
    bool b1 = v->r[i][j2] * scale < 0, b2 = -v->r[i][j1] * scale < 0;
    a[i] = 0;
    a[i1] = a1 ? v->a[i1] : -v->a[i1];
    a[i2] = a2 ? v->a[i2] : -v->a[i2];
    b[j] = 0;
    b[j1] = b1 ? v->b[j1] : -v->b[j1];
    b[j2] = b2 ? v->b[j2] : -v->b[j2];
    double along_a, along_b = 0;
    for (int k = 0; k < 3; k++) {
        apart[k] = v->in_a[k] + (v->r[k][j1] * b[j1] + v->r[k][j2] * b[j2]) - a[k];
        along_b += apart[k] * v->r[k][j];
    }
    along_a = apart[i];
    a[i] = (along_a - cosine * along_b) / square;
    double on_b = (cosine * along_a - along_b) / square;
    double slack = ASHI_ON_EDGE * (v->a[i] + v->b[j]);
    if (!(fabs(a[i]) <= v->a[i] + slack && fabs(on_b) <= v->b[j] + slack))
        return false;
    m->normal = v3(normal[0], normal[1], normal[2]);
    m->count = 1;
    uint32_t edge_a = edge_number(i, a1, a2), edge_b = edge_number(j, b1, b2);
    uint32_t feature = ashi_feature_number(ASHI_FEATURE_EDGES, edge_a, edge_b);
    m->points[0] = (ashi_manifold_point){v3(a[0], a[1], a[2]), -axis.separation, feature};
    return true;
}

/* ---- The pair ---- */

/* The manifold of the deepest axis. */
static void touch(const ashi_pair *pair, const view *v, best_axis axis, ashi_manifold *m)
{
    reference ref;
    if (axis.number < EDGES) {
        refer_to_face(&ref, v, axis.number);
        double slack = ashi_face_slack(axis.separation, v->smallest_size);
        if (face_manifold(pair, v, &ref, -axis.separation - slack, m))
            return;
    } else {
        double normal[3];
        edge_normal(v, axis.number, normal);
        double rounding = ASHI_ROUNDING * v->smallest_size;
        if (refer_to_edges(&ref, v, normal) && face_manifold(pair, v, &ref, -axis.separation - rounding, m))
            return;
        if (edge_manifold(v, axis, m))
            return;
    }
    ashi_polyhedra_nearest(pair, m);
}

bool ashi_collide_box_box(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    view v;
    prepare(&v, pair);
    ashi_pair_cache *cache = pair->cache;
    if (cache != NULL && cache->axis - 1 < EDGES + 9 && still_separates(&v, cache->axis - 1, pair->margin))
        return true;
    best_axis face = find_face(&v, pair->margin), edges = {0, 0};
    if (face.separation <= pair->margin)
        edges = find_edges(&v, face.separation + ashi_face_slack(face.separation, v.smallest_size), pair->margin);
    best_axis best = edges.number != 0 ? edges : face;
    if (cache != NULL)
        cache->axis = best.number + 1;
    if (!(best.separation <= pair->margin))
        return true;
    if (!ashi_array_extend(manifolds))
        return false;
    ashi_manifold *m = &manifolds->data[manifolds->count - 1];
    m->part_a = m->part_b = 0;
    touch(pair, &v, best, m);
    if (m->count == 0)
        manifolds->count--;
    else if (cache != NULL)
        ashi_note_kept(cache, m);
    return true;
}
