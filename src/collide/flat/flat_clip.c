/* The points of a flat contact: the incident face is clipped to the reference face, both projected along the normal,
 * which leaves at most two points. The normal is that of the reference face or leads from corner to corner.
 *
 * A radius adds to the depth along the normal, measured to the rounded surface of the face, so that both points lie on
 * their surfaces. */
#include "collide/flat/flat_contact.h"

/* Cosine between the normal and that of the reference face below which the face is seen edge-on. */
#define GRAZING 1e-2

/* The distance along `direction` from the position `at` on a face to the surface of the face rounded by a radius. */
static double way_out(const ashi_flat_face *face, double radius, double at, ashi_vec2 direction)
{
    if (radius == 0)
        return 0;
    double up = v2_dot(face->normal, direction), sideways = v2_dot(face->along, direction);
    double where = at * up + radius * sideways; /* times `up`: where the path crosses the straight part */
    if (up > 0 && where >= 0 && where <= face->length * up)
        return radius / up;
    double from_end = sideways < 0 ? at : at - face->length; /* on the disc at the end towards which it leans */
    double half = from_end * sideways, square = half * half - (from_end * from_end - radius * radius);
    return square > 0 ? sqrt(square) - half : 0;
}

/* An incident point: its height above the reference face along the normal, and its positions on both faces. */
typedef struct clip_point {
    double height, on_reference, on_incident;
} clip_point;

static clip_point between(clip_point p, clip_point q, double on_reference)
{
    double t = (on_reference - p.on_reference) / (q.on_reference - p.on_reference);
    return (clip_point){p.height + t * (q.height - p.height), on_reference,
                        p.on_incident + t * (q.on_incident - p.on_incident)};
}

/* Clips the line between two points to the extent of the reference face. False when nothing is left. */
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

/* Positions of the incident face's ends, projected onto the reference face along the normal. Values close to the
 * reference's ends are set to them: between two corners this is exact up to rounding. */
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

static void add_point(const ashi_flat_couple *c, const ashi_flat_contact *k, clip_point p, bool low, double margin,
                      ashi_manifold *manifold)
{
    double out = way_out(&k->reference, c->core[k->of_b]->radius, p.on_reference, k->normal);
    double back = c->core[!k->of_b]->radius;
    /* On a chain each point of a round shape counts as a disc: it belongs to the piece nearest to its centre. */
    if (!(k->of_b && c->core[1]->chain))
        back = way_out(&k->incident, back, p.on_incident, v2_neg(k->normal));
    double depth = out + back - p.height;
    if (!(depth >= -margin))
        return;
    ashi_vec2 foot = v2_add_scaled(k->reference.from, k->reference.along, p.on_reference);
    ashi_vec2 on_a = v2_add_scaled(foot, k->normal, k->of_b ? p.height - back : out);
    /* The faces run in opposite directions: the first corner of one is beside the second of the other. */
    uint32_t mine = low ? k->reference.first : k->reference.second;
    uint32_t theirs = low ? k->incident.second : k->incident.first;
    uint32_t feature = k->of_b ? theirs << 16 | (mine & 0xffff) : mine << 16 | (theirs & 0xffff);
    manifold->points[manifold->count++] = (ashi_manifold_point){v3_of(on_a), depth, feature};
}

/* Where two pieces of a chain meet at an angle, the region below both belongs to the piece above which it is less deep.
 * Cuts off the neighbour's part at a corner. False when nothing is left. */
static bool clip_to_nearest(const ashi_flat_couple *c, const ashi_flat_face *reference, int corner, clip_point *low,
                            clip_point *high)
{
    ashi_vec2 other = p2_turn(c->pose[0], c->core[1]->limit[corner]);
    double start = corner == 0 ? 0 : reference->length;
    double rise = v2_dot(other, reference->along), cosine = v2_dot(other, reference->normal);
    /* Height above this piece minus height above the neighbour. */
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

static bool clip_chain(const ashi_flat_couple *c, const ashi_flat_contact *k, clip_point *low, clip_point *high)
{
    for (int corner = 0; corner < 2 && k->of_b; corner++)
        if (c->core[1]->bent[corner] && !clip_to_nearest(c, &k->reference, corner, low, high))
            return false;
    return true;
}

bool ashi_flat_points(const ashi_flat_couple *c, const ashi_flat_contact *k, double margin, ashi_manifold *manifold)
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
        /* Facing backwards (a chain at a sharp corner), or corners that just touch: one point. */
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
