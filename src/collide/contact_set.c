/* Building sets of contacts. A point is the same as before when it has the same feature; where a pair function has lost
 * its features (a new reference face, say), when it lies within `NEAR` of the contact's extent. */
#include "collide/contact_set.h"

#include <string.h>

#define NEAR 0.1 /* of the largest distance between a contact's points, or of the depth where there is only one */

void ashi_contact_set_release(ashi_contact_set *set)
{
    ashi_array_release(&set->pairs);
    ashi_array_release(&set->contacts);
    ashi_array_release(&set->points);
}

void ashi_contact_set_clear(ashi_contact_set *set)
{
    set->pairs.count = set->contacts.count = set->points.count = 0;
}

bool ashi_contact_set_reserve(ashi_contact_set *set, uint32_t pairs)
{
    return ashi_array_reserve(&set->pairs, pairs) && ashi_array_reserve(&set->contacts, pairs) &&
           ashi_array_reserve(&set->points, (uint64_t)pairs * ASHI_MANIFOLD_POINTS);
}

/* The old contact between the same parts, or null. */
static const ashi_contact *same_parts(const ashi_contact_set *before, const ashi_contact_pair *old, uint32_t part_a,
                                      uint32_t part_b, uint32_t nth)
{
    for (uint32_t i = 0; i < old->contact_count; i++) {
        const ashi_contact *contact = &before->contacts.data[old->first_contact + i];
        if (contact->part_a == part_a && contact->part_b == part_b && nth-- == 0)
            return contact;
    }
    return NULL;
}

static double extent(const ashi_contact_point *points, uint32_t count)
{
    double largest = 0;
    for (uint32_t i = 1; i < count; i++) {
        double distance = v3_distance(points[0].on_a, points[i].on_a);
        largest = distance > largest ? distance : largest;
    }
    return largest;
}

/* What a point that is there again has of the old one. */
static void remember(ashi_contact_point *point, const ashi_contact_point *old)
{
    point->age = old->age + 1;
    point->impulse = old->impulse;
    point->twist = old->twist;
}

/* Ages and impulses of new points from old ones; each old point serves once. */
static void match_points(ashi_contact_point *points, uint32_t count, const ashi_contact_point *old, uint32_t old_count)
{
    bool taken[ASHI_MANIFOLD_MOST] = {false}, matched[ASHI_MANIFOLD_MOST] = {false};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < old_count && !matched[i]; k++)
            if (!taken[k] && old[k].feature == points[i].feature) {
                taken[k] = matched[i] = true;
                remember(&points[i], &old[k]);
            }
    double near = NEAR * extent(old, old_count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t best = old_count;
        double least = near > 0 ? near : NEAR * fabs(points[i].depth);
        for (uint32_t k = 0; k < old_count && !matched[i]; k++) {
            double distance = v3_distance(old[k].on_a, points[i].on_a);
            if (!taken[k] && distance <= least) {
                least = distance;
                best = k;
            }
        }
        if (best < old_count) {
            taken[best] = true;
            remember(&points[i], &old[best]);
        }
    }
}

static bool add_pair(ashi_contact_set *set, const ashi_contact_pair *pair)
{
    if (!ashi_array_extend(&set->pairs))
        return false;
    ashi_contact_pair *added = &set->pairs.data[set->pairs.count - 1];
    *added = *pair;
    added->first_contact = set->contacts.count;
    added->contact_count = 0;
    added->touching = false;
    return true;
}

/* Adds a contact of the last pair and returns its points to fill in; null when memory ran out. */
static ashi_contact_point *add_contact(ashi_contact_set *set, const ashi_contact *contact, uint32_t count)
{
    if (!ashi_array_extend(&set->contacts))
        return NULL;
    if (!ashi_array_reserve(&set->points, (uint64_t)set->points.count + count)) {
        set->contacts.count--;
        return NULL;
    }
    ashi_contact *added = &set->contacts.data[set->contacts.count - 1];
    *added = *contact;
    added->pair = set->pairs.count - 1;
    added->first_point = set->points.count;
    added->point_count = count;
    set->pairs.data[set->pairs.count - 1].contact_count++;
    set->points.count += count;
    return &set->points.data[added->first_point];
}

/* How many manifolds before this one are between the same parts. */
static uint32_t rank(const ashi_manifold *manifolds, uint32_t index)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < index; i++)
        before += manifolds[i].count > 0 && manifolds[i].part_a == manifolds[index].part_a &&
                  manifolds[i].part_b == manifolds[index].part_b;
    return before;
}

bool ashi_contact_set_add(ashi_contact_set *set, const ashi_contact_pair *pair, const ashi_manifold *manifolds,
                          uint32_t count, const ashi_contact_set *before, const ashi_contact_pair *old)
{
    if (!add_pair(set, pair))
        return false;
    ash_transform a_in_b = t_inverse(pair->b_in_a);
    for (uint32_t i = 0; i < count; i++) {
        const ashi_manifold *m = &manifolds[i];
        if (m->count == 0)
            continue;
        ashi_contact contact = {.part_a = m->part_a, .part_b = m->part_b, .normal = m->normal};
        ashi_contact_point *points = add_contact(set, &contact, m->count);
        if (points == NULL)
            return false;
        for (uint32_t k = 0; k < m->count; k++) {
            const ashi_manifold_point *p = &m->points[k];
            ash_vec3 on_b = v3_add_scaled(p->on_a, m->normal, -p->depth);
            points[k] = (ashi_contact_point){
                .on_a = p->on_a, .on_b = t_point(a_in_b, on_b), .depth = p->depth, .feature = p->feature};
            set->pairs.data[set->pairs.count - 1].touching |= p->depth >= 0;
        }
        const ashi_contact *same =
            old != NULL ? same_parts(before, old, m->part_a, m->part_b, rank(manifolds, i)) : NULL;
        if (same != NULL)
            match_points(points, m->count, &before->points.data[same->first_point], same->point_count);
    }
    return true;
}

bool ashi_contact_set_recycle(ashi_contact_set *set, const ashi_contact_pair *pair, ash_transform b_in_a,
                              const ashi_contact_set *before, const ashi_contact_pair *old)
{
    if (!add_pair(set, pair))
        return false;
    for (uint32_t i = 0; i < old->contact_count; i++) {
        const ashi_contact *contact = &before->contacts.data[old->first_contact + i];
        const ashi_contact_point *from = &before->points.data[contact->first_point];
        ashi_contact_point *points = add_contact(set, contact, contact->point_count);
        if (points == NULL)
            return false;
        for (uint32_t k = 0; k < contact->point_count; k++) {
            points[k] = from[k];
            points[k].age++;
            points[k].depth = v3_dot(contact->normal, v3_sub(from[k].on_a, t_point(b_in_a, from[k].on_b)));
            set->pairs.data[set->pairs.count - 1].touching |= points[k].depth >= 0;
        }
    }
    return true;
}

bool ashi_contact_set_append(ashi_contact_set *set, const ashi_contact_set *more)
{
    uint32_t pairs = set->pairs.count, contacts = set->contacts.count, points = set->points.count;
    if (!ashi_array_reserve(&set->pairs, (uint64_t)pairs + more->pairs.count) ||
        !ashi_array_reserve(&set->contacts, (uint64_t)contacts + more->contacts.count) ||
        !ashi_array_reserve(&set->points, (uint64_t)points + more->points.count))
        return false;
    for (uint32_t i = 0; i < more->pairs.count; i++) {
        set->pairs.data[pairs + i] = more->pairs.data[i];
        set->pairs.data[pairs + i].first_contact += contacts;
    }
    for (uint32_t i = 0; i < more->contacts.count; i++) {
        set->contacts.data[contacts + i] = more->contacts.data[i];
        set->contacts.data[contacts + i].pair += pairs;
        set->contacts.data[contacts + i].first_point += points;
    }
    if (more->points.count > 0)
        memcpy(set->points.data + points, more->points.data, more->points.count * sizeof *more->points.data);
    set->pairs.count += more->pairs.count;
    set->contacts.count += more->contacts.count;
    set->points.count += more->points.count;
    return true;
}

const ashi_contact_pair *ashi_contact_set_find(const ashi_contact_set *set, uint32_t a, uint32_t b)
{
    uint32_t low = 0, high = set->pairs.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const ashi_contact_pair *p = &set->pairs.data[middle];
        if (p->a < a || (p->a == a && p->b < b))
            low = middle + 1;
        else
            high = middle;
    }
    const ashi_contact_pair *found = low < set->pairs.count ? &set->pairs.data[low] : NULL;
    return found != NULL && found->a == a && found->b == b ? found : NULL;
}
