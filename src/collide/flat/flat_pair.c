/* Two flat cores with faces (Gribel 2009, 3.1): separating axes, then a reference face and an incident face that is
 * clipped to it, for at most two points.
 *
 * The separation along the normals of all faces is largest at a face that contains or touches the nearest point (see
 * flat_circle.c; the argument holds for the Minkowski difference of the two). So a positive separation either is the
 * distance, or the distance is that between two neighbouring corners; a negative one is minus the depth. Between two
 * corners the normal leads from one to the other, but the other ends of their faces are kept as a second point if they
 * are close enough: a stack of equal boxes does not lose one of its two points when a corner overhangs slightly. */
#include "collide/flat/flat_contact.h"
#include "collide/pairs.h"
#include "shape/geometry.h"

/* As shares of a face's length: separations closer than TIE are equal, and the first one counts. The axis of the last
 * step is kept unless it is worse than the best by more than KEEP. Below TOUCHING a distance has no reliable
 * direction. */
#define TIE      1e-10
#define KEEP     1e-4
#define TOUCHING 1e-10

/* Face `face` of one of the cores against corner `corner` of the other. */
typedef struct axis {
    double separation;
    uint32_t face, corner;
    bool of_b;
} axis;

/* Whether b, a piece of a chain, may be touched by a with this normal in its own frame. */
static bool allowed_by_chain(const ashi_flat_couple *c, ashi_vec2 normal)
{
    return ashi_flat_chain_allows(c->core[1], normal, p2_point(c->pose[1], c->core[0]->centre));
}

/* The separation along a face's normal; stops early, with an upper bound, once this is below `enough`. */
static axis separation_of(const ashi_flat_couple *c, bool of_b, uint32_t number, double enough)
{
    const ashi_flat_core *owner = c->core[of_b], *other = c->core[!of_b];
    ashi_pose2 pose = c->pose[of_b];
    ashi_flat_face face = ashi_flat_face_of(owner, number);
    axis result = {-INFINITY, number, 0, of_b};
    ashi_vec2 inward = p2_turn_back(pose, face.normal);
    if (c->core[1]->chain && !allowed_by_chain(c, of_b ? face.normal : v2_neg(inward)))
        return result;
    double offset = v2_dot(face.normal, v2_sub(pose.position, face.from));
    result.separation = INFINITY;
    for (uint32_t i = 0; i < other->count && result.separation >= enough; i++) {
        double separation = offset + v2_dot(inward, ashi_flat_corner(other, i));
        if (separation < result.separation) {
            result.separation = separation;
            result.corner = i;
        }
    }
    return result;
}

/* The face of one core with the largest separation; pruned by a separation that is known. */
static axis best_face(const ashi_flat_couple *c, bool of_b, double known)
{
    axis best = {-INFINITY, 0, 0, of_b};
    for (uint32_t i = 0; i < c->core[of_b]->faces; i++) {
        axis one = separation_of(c, of_b, i, fmax(best.separation, known));
        if (one.separation > best.separation)
            best = one;
    }
    return best;
}

static double face_length(const ashi_flat_couple *c, axis of)
{
    return ashi_flat_face_of(c->core[of.of_b], of.face).length;
}

static ashi_flat_face turned_face(const ashi_flat_couple *c, bool of_b, uint32_t number)
{
    ashi_flat_face face = ashi_flat_face_of(c->core[of_b], number);
    if (of_b) {
        face.from = p2_point(c->pose[0], face.from);
        face.along = p2_turn(c->pose[0], face.along);
        face.normal = p2_turn(c->pose[0], face.normal);
    }
    return face;
}

/* Of the two faces at a corner, the one that faces most against the direction. */
static ashi_flat_face incident_face(const ashi_flat_couple *c, bool of_b, uint32_t corner, ashi_vec2 direction)
{
    const ashi_flat_core *core = c->core[of_b];
    if (core->faces == 1)
        return turned_face(c, of_b, 0);
    ashi_flat_face after = turned_face(c, of_b, corner);
    ashi_flat_face before = turned_face(c, of_b, corner > 0 ? corner - 1 : core->count - 1);
    return v2_dot(before.normal, direction) < v2_dot(after.normal, direction) ? before : after;
}

/* The point of a face nearest to a given one; whether it lies between the ends; the distance. */
typedef struct foot {
    double distance, place;
    bool inside;
} foot;

static foot foot_of(const ashi_flat_face *face, ashi_vec2 point)
{
    ashi_vec2 apart = v2_sub(point, face->from);
    double along = v2_dot(face->along, apart), place = fmin(fmax(along, 0), face->length);
    double aside = along - place, above = v2_dot(face->normal, apart);
    return (foot){sqrt(aside * aside + above * above), place, along >= 0 && along <= face->length};
}

static ashi_vec2 place_on(const ashi_flat_face *face, double place)
{
    return v2_add_scaled(face->from, face->along, place);
}

/* Whether the nearest points of the two faces are corners; the normal then leads from one to the other. All four ends
 * are tried: when the faces are parallel, several corners are equally far along the normal. */
static bool corner_to_corner(const ashi_flat_couple *c, ashi_flat_contact *k)
{
    const ashi_flat_face *reference = &k->reference, *incident = &k->incident;
    double interior = INFINITY, nearest = INFINITY;
    ashi_vec2 apart = v2(0, 0);
    uint32_t corner = k->corner;
    for (int end = 0; end < 2; end++) {
        ashi_vec2 theirs = place_on(incident, end * incident->length);
        ashi_vec2 mine = place_on(reference, end * reference->length);
        foot on_mine = foot_of(reference, theirs), on_theirs = foot_of(incident, mine);
        if (on_mine.inside)
            interior = fmin(interior, on_mine.distance);
        else if (on_mine.distance < nearest) {
            nearest = on_mine.distance;
            apart = v2_sub(theirs, place_on(reference, on_mine.place));
            corner = end == 0 ? incident->first : incident->second;
            k->at_first = on_mine.place == 0;
        }
        if (on_theirs.inside)
            interior = fmin(interior, on_theirs.distance);
    }
    if (interior <= nearest + 1e-12 * reference->length || !(nearest > TOUCHING * reference->length))
        return false;
    ashi_vec2 normal = v2_unit(apart);
    if (c->core[1]->chain && !allowed_by_chain(c, p2_turn_back(c->pose[0], k->of_b ? normal : v2_neg(normal))))
        return false;
    k->normal = normal;
    k->distance = nearest;
    k->corner = corner;
    k->incident = incident_face(c, !k->of_b, corner, normal);
    return true;
}

static axis unpack(const ashi_flat_couple *c, uint32_t cached)
{
    uint32_t faces_a = c->core[0]->faces, number = cached - 1;
    axis known = {.separation = -INFINITY};
    if (cached == 0 || number >= faces_a + c->core[1]->faces)
        return known;
    bool of_b = number >= faces_a;
    return separation_of(c, of_b, of_b ? number - faces_a : number, -INFINITY);
}

/* A chain's inner corner belongs to the piece that starts there. */
static bool belongs_to_next(const ashi_flat_core *b, const ashi_flat_contact *k, const ashi_manifold *manifold)
{
    if (!b->chain || !b->next || manifold->count != 1)
        return false;
    ashi_vec2 face = k->of_b ? k->reference.normal : k->incident.normal;
    ashi_vec2 normal = v2_neg(v2_of(manifold->normal));
    return v2_cross(face, normal) < 0 && (manifold->points[0].feature & 0xffff) == 0;
}

static void remember(const ashi_pair *pair, const ashi_flat_core *a, axis last)
{
    if (pair->cache != NULL)
        pair->cache->axis = 1 + last.face + (last.of_b ? a->faces : 0);
}

static ashi_flat_contact contact_at(const ashi_flat_couple *c, axis at)
{
    ashi_flat_contact k = {.of_b = at.of_b, .corner = at.corner, .reference = turned_face(c, at.of_b, at.face)};
    k.normal = k.reference.normal;
    k.incident = incident_face(c, !at.of_b, at.corner, k.normal);
    return k;
}

/* Prefers the axis of the last step while it is nearly the best, then a face of a to one of b: the reference face does
 * not alternate between faces that are equal up to rounding or noise. */
static axis steady_axis(const ashi_flat_couple *c, axis last, axis of_a, axis best)
{
    if (best.separation - last.separation <= KEEP * face_length(c, last))
        return last;
    return best.separation - of_a.separation <= TIE * face_length(c, of_a) ? of_a : best;
}

/* Appends the manifold of two cores that both have faces; only b may be a piece of a chain. */
static bool collide_faces(const ashi_flat_core *a, const ashi_flat_core *b, const ashi_pair *pair,
                          ashi_manifolds *manifolds)
{
    ashi_pose2 b_in_a = p2_of(pair->b_in_a);
    ashi_flat_couple c = {{a, b}, {b_in_a, p2_inverse(b_in_a)}};
    double reach = a->radius + b->radius + pair->margin;
    axis last = unpack(&c, pair->cache != NULL ? pair->cache->axis : 0);
    if (last.separation > reach)
        return true;
    axis of_a = best_face(&c, false, last.separation), of_b = best_face(&c, true, of_a.separation);
    axis best = of_b.separation > of_a.separation ? of_b : of_a;
    if (last.separation > best.separation)
        best = last;
    remember(pair, a, best);
    if (!(best.separation <= reach) || !isfinite(best.separation)) /* too far apart, or no normal that the chain
                                                                      allows */
        return true;
    ashi_flat_contact k = contact_at(&c, best);
    ashi_manifold manifold;
    bool corners = best.separation >= -TOUCHING * k.reference.length && corner_to_corner(&c, &k);
    axis steady = corners ? best : steady_axis(&c, last, of_a, best);
    if (steady.face != best.face || steady.of_b != best.of_b) {
        ashi_flat_contact other = contact_at(&c, steady);
        if (ashi_flat_points(&c, &other, pair->margin, &manifold)) {
            remember(pair, a, steady);
            return belongs_to_next(b, &other, &manifold) || ashi_flat_append(&manifold, manifolds);
        }
    }
    ashi_flat_points(&c, &k, pair->margin, &manifold);
    return belongs_to_next(b, &k, &manifold) || ashi_flat_append(&manifold, manifolds);
}

static bool collide(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ashi_flat_core a = ashi_flat_core_of(pair->a), b = ashi_flat_core_of(pair->b);
    return collide_faces(&a, &b, pair, manifolds);
}

bool ashi_collide_polygon_polygon(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return collide(pair, manifolds);
}

bool ashi_collide_polygon_flat_capsule(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return collide(pair, manifolds);
}

bool ashi_collide_flat_capsules(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return collide(pair, manifolds);
}

bool ashi_collide_flat_segment(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ashi_flat_core a = ashi_flat_core_of(pair->a), b = ashi_flat_core_of(pair->b);
    return a.count == 1 ? ashi_flat_collide_circle(a.radius, &b, pair, manifolds)
                        : collide_faces(&a, &b, pair, manifolds);
}

/* A segment as a line with two sides. */
static ashi_flat_core line_of(const ash_geometry *segment)
{
    const ash_vec3 *ends = ashi_segment_ends(&segment->def);
    return (ashi_flat_core){.radius = segment->def.radius,
                            .count = 2,
                            .faces = 2,
                            .ends = {ends[0], ends[1]},
                            .centre = v2_of(v3_scale(v3_add(ends[0], ends[1]), 0.5))};
}

/* A piece of a chain is solid only from its front; of two pieces this holds for the second, and the first is a line
 * with two sides.
 */
bool ashi_collide_segments(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    bool turn = pair->b->def.point_count == 2;
    ashi_pair turned = *pair;
    if (turn) {
        turned.a = pair->b;
        turned.b = pair->a;
        turned.b_in_a = t_inverse(pair->b_in_a);
    }
    uint32_t first = manifolds->count;
    ashi_flat_core a = line_of(turned.a), b = ashi_flat_core_of(turned.b);
    if (!collide_faces(&a, &b, &turned, manifolds))
        return false;
    if (turn)
        ashi_manifolds_mirror(manifolds, first, turned.b_in_a);
    return true;
}
