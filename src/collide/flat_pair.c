/* Two flat cores with faces (Gribel 2009, 3.1): separating axes, then a reference face and an incident face that is
 * clipped to it, for at most two points.
 *
 * The separation along the normals of all faces is largest at a face that holds the nearest corner or touches it (see
 * flat_circle.c; the argument holds for the Minkowski difference of the two). So a positive separation is either the
 * distance itself, or the distance is that of the two corners next to each other; a negative one is minus the depth.
 * Between two corners the normal leads from one to the other, but the other ends of their faces are kept as a second
 * point where they are near enough: a stack of equal boxes does not lose one of its two points when a corner stands
 * over by a hair.
 *
 * A radius adds to the depth along the normal, measured to the rounded surface of the very face, so that both points
 * lie on their surfaces. */
#include "collide/flat.h"
#include "collide/pairs.h"

/* Parts of a face's length: axes closer than TIE are equal, and the first one counts. The axis of the last step is kept
 * while it is not worse than the best by more than KEEP. Below TOUCHING a distance has no direction of its own. */
#define TIE      1e-10
#define KEEP     1e-4
#define TOUCHING 1e-10

/* Cosine between the normal and that of the reference face below which the face is seen edge-on. */
#define GRAZING 1e-2

/* Face `face` of one of the cores against corner `corner` of the other. */
typedef struct axis {
    double separation;
    uint32_t face, corner;
    bool of_b;
} axis;

/* The two cores in each other's frame. */
typedef struct couple {
    const ashi_flat_core *core[2];
    ashi_pose2 pose[2]; /* pose[i]: of the other core in the frame of core i */
} couple;

/* The separation along a face's normal; gives up, with a lower value, as soon as it is below `enough`. */
static axis separation_of(const couple *c, bool of_b, uint32_t number, double enough)
{
    const ashi_flat_core *owner = c->core[of_b], *other = c->core[!of_b];
    ashi_pose2 pose = c->pose[of_b];
    ashi_flat_face face = ashi_flat_face_of(owner, number);
    axis result = {-INFINITY, number, 0, of_b};
    ashi_vec2 inward = p2_turn_back(pose, face.normal);
    if (!ashi_flat_allows(owner, face.normal, p2_point(pose, other->centre)) ||
        !ashi_flat_allows(other, v2_neg(inward), p2_point_back(pose, owner->centre)))
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
static axis best_face(const couple *c, bool of_b, double known)
{
    axis best = {-INFINITY, 0, 0, of_b};
    for (uint32_t i = 0; i < c->core[of_b]->faces; i++) {
        axis one = separation_of(c, of_b, i, fmax(best.separation, known));
        if (one.separation > best.separation)
            best = one;
    }
    return best;
}

static double face_length(const couple *c, axis of)
{
    return ashi_flat_face_of(c->core[of.of_b], of.face).length;
}

static ashi_flat_face turned_face(const couple *c, bool of_b, uint32_t number)
{
    ashi_flat_face face = ashi_flat_face_of(c->core[of_b], number);
    if (of_b) {
        face.from = p2_point(c->pose[0], face.from);
        face.along = p2_turn(c->pose[0], face.along);
        face.normal = p2_turn(c->pose[0], face.normal);
    }
    return face;
}

/* Of the faces that meet at a corner, the one that looks most against the direction. */
static ashi_flat_face incident_face(const couple *c, bool of_b, uint32_t corner, ashi_vec2 direction)
{
    const ashi_flat_core *core = c->core[of_b];
    if (core->faces == 1)
        return turned_face(c, of_b, 0);
    ashi_flat_face after = turned_face(c, of_b, corner);
    ashi_flat_face before = turned_face(c, of_b, corner > 0 ? corner - 1 : core->count - 1);
    return v2_dot(before.normal, direction) < v2_dot(after.normal, direction) ? before : after;
}

/* How far the surface of a face rounded by a radius is along `direction` from the place `at` on the face. */
static double way_out(const ashi_flat_face *face, double radius, double at, ashi_vec2 direction)
{
    if (radius == 0)
        return 0;
    double up = v2_dot(face->normal, direction), sideways = v2_dot(face->along, direction);
    double where = at * up + radius * sideways; /* times `up`: where the way out crosses the straight part */
    if (up > 0 && where >= 0 && where <= face->length * up)
        return radius / up;
    double from_end = sideways < 0 ? at : at - face->length; /* on the disc at the end that it leans to */
    double half = from_end * sideways, square = half * half - (from_end * from_end - radius * radius);
    return square > 0 ? sqrt(square) - half : 0;
}

/* An incident point: how far along the normal from the reference face, and where on both faces. */
typedef struct clip_point {
    double height, on_reference, on_incident;
} clip_point;

static clip_point between(clip_point p, clip_point q, double on_reference)
{
    double t = (on_reference - p.on_reference) / (q.on_reference - p.on_reference);
    return (clip_point){p.height + t * (q.height - p.height), on_reference,
                        p.on_incident + t * (q.on_incident - p.on_incident)};
}

/* Cuts the line between two points to what lies above the reference face. False when nothing does. */
static bool clip(clip_point *low, clip_point *high, double length)
{
    clip_point p = *low, q = *high;
    if (q.on_reference < 0 || p.on_reference > length)
        return false;
    if (p.on_reference < 0)
        *low = between(p, q, 0);
    if (q.on_reference > length)
        *high = between(p, q, length);
    return true;
}

/* Where the ends of the incident face are seen from the reference face along the normal. Values next to the
 * reference's ends are theirs: between two corners that is exact but for rounding. */
static clip_point seen(const ashi_flat_face *reference, const ashi_flat_face *incident, double on_incident,
                       ashi_vec2 normal)
{
    ashi_vec2 point = v2_add_scaled(incident->from, incident->along, on_incident);
    ashi_vec2 apart = v2_sub(point, reference->from);
    double height = v2_dot(reference->normal, apart) / v2_dot(reference->normal, normal);
    double place = v2_dot(reference->along, v2_add_scaled(apart, normal, -height));
    if (fabs(place) < 1e-9 * reference->length)
        place = 0;
    if (fabs(place - reference->length) < 1e-9 * reference->length)
        place = reference->length;
    return (clip_point){height, place, on_incident};
}

/* The contact of a reference and an incident face. */
typedef struct contact {
    ashi_flat_face reference, incident;
    ashi_vec2 normal; /* out of the reference core */
    bool of_b;        /* whose face the reference is */
    uint32_t corner;  /* of the incident core, farthest against the normal */
    double distance;  /* from corner to corner */
    bool at_first;    /* from corner to corner: the reference's first one */
} contact;

static void add_point(const couple *c, const contact *k, clip_point p, bool low, double margin, ashi_manifold *manifold)
{
    double out = way_out(&k->reference, c->core[k->of_b]->radius, p.on_reference, k->normal);
    double back = c->core[!k->of_b]->radius;
    /* On a chain each place of a round shape counts as a disc: the piece that is nearest to its centre has it. */
    if (!(k->of_b && c->core[1]->chain))
        back = way_out(&k->incident, back, p.on_incident, v2_neg(k->normal));
    double depth = out + back - p.height;
    if (!(depth >= -margin))
        return;
    ashi_vec2 foot = v2_add_scaled(k->reference.from, k->reference.along, p.on_reference);
    ashi_vec2 on_a = v2_add_scaled(foot, k->normal, k->of_b ? p.height - back : out);
    /* Faces run against each other: the first corner of one is beside the second of the other. */
    uint32_t mine = low ? k->reference.first : k->reference.second;
    uint32_t theirs = low ? k->incident.second : k->incident.first;
    uint32_t feature = k->of_b ? theirs << 16 | (mine & 0xffff) : mine << 16 | (theirs & 0xffff);
    manifold->points[manifold->count++] = (ashi_manifold_point){v3_of(on_a), depth, feature};
}

/* Where two pieces of a chain meet at an angle, what is below both belongs to the one that it is less far below. Cuts
 * away what is the neighbour's at a corner. False when that is all. */
static bool clip_to_nearest(const couple *c, const ashi_flat_face *reference, int corner, clip_point *low,
                            clip_point *high)
{
    ashi_vec2 other = p2_turn(c->pose[0], c->core[1]->limit[corner]);
    double start = corner == 0 ? 0 : reference->length;
    double rise = v2_dot(other, reference->along), cosine = v2_dot(other, reference->normal);
    /* How much higher above this piece than above the neighbour. */
    double of_low = low->height - ((low->on_reference - start) * rise + low->height * cosine);
    double of_high = high->height - ((high->on_reference - start) * rise + high->height * cosine);
    bool cut_low = low->height < 0 && of_low < 0, cut_high = high->height < 0 && of_high < 0;
    if (cut_low && cut_high)
        return false;
    clip_point *cut = cut_low ? low : high, *kept = cut_low ? high : low;
    double worse = cut_low ? of_low : of_high, better = cut_low ? of_high : of_low;
    if ((cut_low || cut_high) && better > 0) {
        double t = worse / (worse - better);
        cut->height += t * (kept->height - cut->height);
        cut->on_reference += t * (kept->on_reference - cut->on_reference);
        cut->on_incident += t * (kept->on_incident - cut->on_incident);
    }
    return true;
}

static bool clip_chain(const couple *c, const contact *k, clip_point *low, clip_point *high)
{
    for (int corner = 0; corner < 2 && k->of_b; corner++)
        if (c->core[1]->bent[corner] && !clip_to_nearest(c, &k->reference, corner, low, high))
            return false;
    return true;
}

/* The points of a contact; false when none is within the margin. */
static bool fill(const couple *c, const contact *k, double margin, ashi_manifold *manifold)
{
    const ashi_flat_face *incident = &k->incident;
    manifold->normal = v3_of(k->of_b ? v2_neg(k->normal) : k->normal);
    manifold->count = 0;
    if (v2_dot(k->reference.normal, k->normal) < GRAZING) { /* corners one behind the other */
        clip_point only = {k->distance, k->at_first ? 0 : k->reference.length,
                           k->corner == incident->second ? incident->length : 0};
        add_point(c, k, only, k->at_first, margin, manifold);
        return manifold->count > 0;
    }
    clip_point low = seen(&k->reference, incident, incident->length, k->normal);
    clip_point high = seen(&k->reference, incident, 0, k->normal);
    clip_point corner = k->corner == incident->second ? low : high;
    if (v2_dot(incident->normal, k->normal) >= 0 || !clip(&low, &high, k->reference.length)) {
        /* Seen from behind (a chain at a sharp corner), or corners that just touch: one point. */
        double place = fmin(fmax(corner.on_reference, 0), k->reference.length);
        if (c->core[1]->chain && place != corner.on_reference)
            return false;
        corner.on_reference = place;
        add_point(c, k, corner, place < k->reference.length / 2, margin, manifold);
        return manifold->count > 0;
    }
    if (!clip_chain(c, k, &low, &high))
        return false;
    bool apart = fabs(high.on_reference - low.on_reference) > 1e-9 * k->reference.length;
    if (apart || low.height <= high.height)
        add_point(c, k, low, true, margin, manifold);
    if (apart || low.height > high.height)
        add_point(c, k, high, false, margin, manifold);
    return manifold->count > 0;
}

/* The place on a face nearest to a point; whether it lies between the ends; the distance. */
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
static bool corner_to_corner(const couple *c, contact *k)
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
    if (c->core[1]->chain) { /* only b is one */
        ashi_vec2 out_of_b = p2_turn_back(c->pose[0], k->of_b ? normal : v2_neg(normal));
        if (!ashi_flat_allows(c->core[1], out_of_b, p2_point(c->pose[1], c->core[0]->centre)))
            return false;
    }
    k->normal = normal;
    k->distance = nearest;
    k->corner = corner;
    k->incident = incident_face(c, !k->of_b, corner, normal);
    return true;
}

static axis unpack(const couple *c, uint32_t cached)
{
    uint32_t faces_a = c->core[0]->faces, number = cached - 1;
    axis known = {.separation = -INFINITY};
    if (cached == 0 || number >= faces_a + c->core[1]->faces)
        return known;
    bool of_b = number >= faces_a;
    return separation_of(c, of_b, of_b ? number - faces_a : number, -INFINITY);
}

/* A chain's inner corner belongs to the piece that starts there. */
static bool belongs_to_next(const ashi_flat_core *b, const contact *k, const ashi_manifold *manifold)
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

static contact contact_at(const couple *c, axis at)
{
    contact k = {.of_b = at.of_b, .corner = at.corner, .reference = turned_face(c, at.of_b, at.face)};
    k.normal = k.reference.normal;
    k.incident = incident_face(c, !at.of_b, at.corner, k.normal);
    return k;
}

/* The axis of the last step while it is nearly the best, then a face of a before one of b: the reference does not
 * flicker between faces that are equal but for rounding or noise. */
static axis steady_axis(const couple *c, axis last, axis of_a, axis best)
{
    if (best.separation - last.separation <= KEEP * face_length(c, last))
        return last;
    return best.separation - of_a.separation <= TIE * face_length(c, of_a) ? of_a : best;
}

bool ashi_flat_collide(const ashi_flat_core *a, const ashi_flat_core *b, const ashi_pair *pair,
                       ashi_manifolds *manifolds)
{
    ashi_pose2 b_in_a = p2_of(pair->b_in_a);
    couple c = {{a, b}, {b_in_a, p2_inverse(b_in_a)}};
    double reach = a->radius + b->radius + pair->margin;
    axis last = unpack(&c, pair->cache != NULL ? pair->cache->axis : 0);
    if (last.separation > reach)
        return true;
    axis of_a = best_face(&c, false, last.separation), of_b = best_face(&c, true, of_a.separation);
    axis best = of_b.separation > of_a.separation ? of_b : of_a;
    if (last.separation > best.separation)
        best = last;
    remember(pair, a, best);
    if (!(best.separation <= reach) || !isfinite(best.separation)) /* too far, or nothing that a chain allows */
        return true;
    contact k = contact_at(&c, best);
    ashi_manifold manifold;
    bool corners = best.separation >= -TOUCHING * k.reference.length && corner_to_corner(&c, &k);
    axis steady = corners ? best : steady_axis(&c, last, of_a, best);
    if (steady.face != best.face || steady.of_b != best.of_b) {
        contact other = contact_at(&c, steady);
        if (fill(&c, &other, pair->margin, &manifold)) {
            remember(pair, a, steady);
            return belongs_to_next(b, &other, &manifold) || ashi_flat_append(&manifold, manifolds);
        }
    }
    fill(&c, &k, pair->margin, &manifold);
    return belongs_to_next(b, &k, &manifold) || ashi_flat_append(&manifold, manifolds);
}

static bool collide(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ashi_flat_core a = ashi_flat_core_of(pair->a), b = ashi_flat_core_of(pair->b);
    return ashi_flat_collide(&a, &b, pair, manifolds);
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
                        : ashi_flat_collide(&a, &b, pair, manifolds);
}
