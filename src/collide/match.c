/* Matching of points from step to step.
 *
 * A point is the same as before if it has the same feature. If features have changed (a new reference face, for
 * example), it is the same if it lies within `NEAR` of the contact's extent. A body that slides over triangles moves
 * from part to part: then all contacts of the pair with similar normals are searched, nearest first. The distance of
 * two points is measured on the body on which it is smaller: on a sliding body its corners do not move. */
#include "collide/match.h"

#include <string.h>

#define NEAR        0.1 /* of the largest distance between a contact's points, or of the depth where there is only one */
#define PASSED      0.5  /* of the smaller body: how far a point of a feature may have moved to another part */
#define LIKE_NORMAL 0.9  /* cosine */
#define TAKEN_MOST  1024 /* the most old points of a pair that are compared */

/* The old points of a pair. */
typedef struct matching {
    const ashi_contact_record *old_contacts;
    const ashi_point_record *old_points; /* of the pair's first contact on */
    uint32_t old_count;                  /* of contacts */
    uint32_t old_first;                  /* number of the first old point, as in the contacts */
    double width;                        /* of the smaller body */
    bool taken[TAKEN_MOST];              /* old points */
} matching;

/* The old contact between the same parts with the most similar normal, or null. */
static const ashi_contact_record *same_parts(const matching *m, const ashi_contact_record *contact)
{
    const ashi_contact_record *best = NULL;
    double most = -INFINITY;
    for (uint32_t i = 0; i < m->old_count; i++) {
        const ashi_contact_record *old = &m->old_contacts[i];
        if (old->part_a != contact->part_a || old->part_b != contact->part_b || old->inner != contact->inner)
            continue;
        double along = v3_dot(old->normal, contact->normal);
        if (along > most) {
            most = along;
            best = old;
        }
    }
    return best;
}

/* The largest distance from the first point. */
static double extent(const ashi_point_record *points, uint32_t count)
{
    double largest = 0;
    for (uint32_t i = 1; i < count; i++) {
        double distance = v3_distance(points[0].on_a, points[i].on_a);
        largest = distance > largest ? distance : largest;
    }
    return largest;
}

/* The distance of a point from an old one, on the body on which it is smaller. */
static double distance(const ashi_point_record *point, const ashi_point_record *old)
{
    return fmin(v3_distance(point->on_a, old->on_a), v3_distance(point->on_b, old->on_b));
}

/* Copies to a point what it keeps of the old one. */
static void remember(ashi_point_record *point, const ashi_point_record *old)
{
    point->age = old->age + 1;
    point->force = old->force;
    point->torque = old->torque;
}

/* Matches points by feature. Returns how many are left. */
static uint32_t match_features(ashi_point_record *points, uint32_t count, const ashi_point_record *old,
                               uint32_t old_count, bool *taken)
{
    uint32_t left = count;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < old_count && points[i].age == 0; k++)
            if (!taken[k] && old[k].feature == points[i].feature) {
                taken[k] = true;
                remember(&points[i], &old[k]);
                left--;
            }
    return left;
}

/* Matches points by position. Returns how many are left. */
static uint32_t match_places(ashi_point_record *points, uint32_t count, const ashi_point_record *old,
                             uint32_t old_count, bool *taken)
{
    double near = NEAR * extent(old, old_count);
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t best = old_count;
        double least = near > 0 ? near : NEAR * fabs(points[i].depth);
        for (uint32_t k = 0; k < old_count && points[i].age == 0; k++)
            if (!taken[k] && distance(&points[i], &old[k]) <= least) {
                least = distance(&points[i], &old[k]);
                best = k;
            }
        if (best < old_count) {
            taken[best] = true;
            remember(&points[i], &old[best]);
        }
        left += points[i].age == 0;
    }
    return left;
}

static bool can_take(const matching *m, const ashi_contact_record *old)
{
    return old->first_point - m->old_first + old->point_count <= TAKEN_MOST;
}

/* Matches the points of a contact with those of the same parts. Returns how many are left. */
static uint32_t match_parts(matching *m, const ashi_contact_record *contact, ashi_point_record *points)
{
    const ashi_contact_record *old = same_parts(m, contact);
    if (old == NULL || !can_take(m, old))
        return contact->point_count;
    uint32_t offset = old->first_point - m->old_first;
    const ashi_point_record *old_points = m->old_points + offset;
    uint32_t left = match_features(points, contact->point_count, old_points, old->point_count, m->taken + offset);
    if (left > 0)
        left = match_places(points, contact->point_count, old_points, old->point_count, m->taken + offset);
    return left;
}

/* The nearest of the remaining old points of any parts: of the same feature, or close enough. */
static uint32_t find_elsewhere(const matching *m, ash_vec3 normal, const ashi_point_record *point, bool same_feature)
{
    uint32_t best = TAKEN_MOST;
    double least = INFINITY;
    for (uint32_t c = 0; c < m->old_count; c++) {
        const ashi_contact_record *old = &m->old_contacts[c];
        uint32_t offset = old->first_point - m->old_first;
        if (!can_take(m, old) || v3_dot(old->normal, normal) < LIKE_NORMAL)
            continue;
        double near = same_feature ? PASSED * m->width : NEAR * extent(m->old_points + offset, old->point_count);
        for (uint32_t k = offset; k < offset + old->point_count; k++) {
            double away = distance(point, &m->old_points[k]);
            if (m->taken[k] || away > near || away >= least ||
                (same_feature && m->old_points[k].feature != point->feature))
                continue;
            least = away;
            best = k;
        }
    }
    return best;
}

/* Matches the remaining points of a contact with those of any parts. Returns how many are left. */
static uint32_t match_elsewhere(matching *m, const ashi_contact_record *contact, ashi_point_record *points,
                                bool same_feature)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < contact->point_count; i++) {
        if (points[i].age > 0)
            continue;
        uint32_t found = find_elsewhere(m, contact->normal, &points[i], same_feature);
        if (found == TAKEN_MOST) {
            left++;
            continue;
        }
        m->taken[found] = true;
        remember(&points[i], &m->old_points[found]);
    }
    return left;
}

void ashi_match_points(ashi_contact_set *set, const ashi_contact_pair *pair, const ashi_contact_set *before,
                       const ashi_contact_pair *old, double width)
{
    if (pair->contact_count == 0 || old->contact_count == 0)
        return;
    const ashi_contact_record *contacts = set->contacts.data + pair->first_contact;
    matching m; /* not zeroed as a whole: few pairs have many points */
    m.old_contacts = before->contacts.data + old->first_contact;
    m.old_count = old->contact_count;
    m.old_first = m.old_contacts[0].first_point;
    m.old_points = before->points.data + m.old_first;
    m.width = width;
    memset(m.taken, 0, old->point_count < TAKEN_MOST ? old->point_count : TAKEN_MOST);
    uint32_t left = 0;
    for (uint32_t i = 0; i < pair->contact_count; i++)
        left += match_parts(&m, &contacts[i], set->points.data + contacts[i].first_point);
    for (int pass = 0; pass < 2 && left > 0; pass++) {
        left = 0;
        for (uint32_t i = 0; i < pair->contact_count; i++)
            left += match_elsewhere(&m, &contacts[i], set->points.data + contacts[i].first_point, pass == 0);
    }
}
