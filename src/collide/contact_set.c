/* Building sets of contacts. */
#include "collide/contact_set.h"

#include "collide/match.h"
#include "math/mat3.h"

#include <string.h>

#define LEAST_SPARE 32 /* spare pairs, and spare contacts, in small sets */

void ashi_contact_set_release(ashi_contact_set *set)
{
    ashi_array_release(&set->pairs);
    ashi_array_release(&set->contacts);
    ashi_array_release(&set->points);
    set->deepest = 0;
}

void ashi_contact_set_clear(ashi_contact_set *set)
{
    set->pairs.count = set->contacts.count = set->points.count = 0;
    set->deepest = 0;
}

void ashi_contact_draft_release(ashi_contact_draft *draft)
{
    ashi_array_release(&draft->contacts);
    ashi_array_release(&draft->points);
}

bool ashi_contact_draft_reserve(ashi_contact_draft *draft, uint64_t contacts, uint64_t points)
{
    return ashi_array_reserve(&draft->contacts, contacts) && ashi_array_reserve(&draft->points, points);
}

bool ashi_contact_set_copy(ashi_contact_set *to, const ashi_contact_set *from)
{
    if (!ashi_array_reserve(&to->pairs, from->pairs.count) ||
        !ashi_array_reserve(&to->contacts, from->contacts.count) ||
        !ashi_array_reserve(&to->points, from->points.count))
        return false;
    for (uint32_t i = 0; i < from->pairs.count; i++)
        to->pairs.data[i] = from->pairs.data[i];
    for (uint32_t i = 0; i < from->contacts.count; i++)
        to->contacts.data[i] = from->contacts.data[i];
    for (uint32_t i = 0; i < from->points.count; i++)
        to->points.data[i] = from->points.data[i];
    to->pairs.count = from->pairs.count;
    to->contacts.count = from->contacts.count;
    to->points.count = from->points.count;
    to->deepest = from->deepest;
    return true;
}

/* The capacity for `wanted` elements, with some to spare. */
static uint64_t room_for(uint64_t wanted, uint32_t capacity, uint32_t least)
{
    return wanted <= capacity ? wanted : wanted + wanted / 8 + least;
}

bool ashi_contact_set_reserve_pairs(ashi_contact_set *set, uint64_t pairs)
{
    return ashi_array_reserve_exactly(&set->pairs, room_for(pairs, set->pairs.capacity, LEAST_SPARE));
}

bool ashi_contact_set_reserve(ashi_contact_set *set, uint64_t contacts, uint64_t points)
{
    uint64_t contact_room = room_for(contacts, set->contacts.capacity, LEAST_SPARE);
    uint64_t point_room = room_for(points, set->points.capacity, LEAST_SPARE * ASHI_MANIFOLD_POINTS);
    return ashi_array_reserve_exactly(&set->contacts, contact_room) &&
           ashi_array_reserve_exactly(&set->points, point_room);
}

bool ashi_contact_draft_add(ashi_contact_draft *draft, const ashi_manifold *manifolds, uint32_t count,
                            ashi_contact_pair *pair)
{
    pair->contact_count = pair->point_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const ashi_manifold *m = &manifolds[i];
        if (m->count == 0)
            continue;
        if (!ashi_array_reserve(&draft->points, (uint64_t)draft->points.count + m->count) ||
            !ashi_array_extend(&draft->contacts))
            return false;
        draft->contacts.data[draft->contacts.count - 1] = (ashi_contact_record){.part_a = m->part_a,
                                                                                .part_b = m->part_b,
                                                                                .inner = m->inner,
                                                                                .axis = m->axis,
                                                                                .normal = m->normal,
                                                                                .first_point = draft->points.count,
                                                                                .point_count = m->count};
        memcpy(draft->points.data + draft->points.count, m->points, m->count * sizeof *m->points);
        draft->points.count += m->count;
        pair->contact_count++;
        pair->point_count += m->count;
    }
    return true;
}

/* Whether a contact of the last step was between the parts in question. */
static bool is_between(const ashi_last *last, const ashi_contact_record *contact)
{
    uint32_t part_a = last->mirrored ? contact->part_b : contact->part_a;
    uint32_t part_b = last->mirrored ? contact->part_a : contact->part_b;
    return contact->inner == last->inner && (!last->entered_a || part_a == last->part_a) &&
           (!last->entered_b || part_b == last->part_b);
}

uint32_t ashi_recall_kept(const ashi_last *last, uint32_t kept[ASHI_KEPT_MOST])
{
    uint32_t noted = 0, axis = 0;
    memset(kept, 0, ASHI_KEPT_MOST * sizeof *kept);
    for (uint32_t i = 0; i < last->count && noted < ASHI_KEPT_MOST; i++) {
        const ashi_contact_record *contact = &last->contacts[i];
        if (!is_between(last, contact))
            continue;
        const ashi_point_record *points = last->points + contact->first_point;
        axis = contact->axis;
        for (uint32_t k = 0; k < ASHI_MANIFOLD_POINTS; k++)
            kept[noted++] = k < contact->point_count ? points[k].feature ^ contact->inner : 0;
    }
    return axis;
}

ashi_last ashi_contact_set_last(const ashi_contact_set *set, const ashi_contact_pair *pair)
{
    if (pair->contact_count == 0) /* if no pair has contacts, the set may have no memory for them */
        return (ashi_last){0};
    return (ashi_last){
        .contacts = &set->contacts.data[pair->first_contact], .points = set->points.data, .count = pair->contact_count};
}

/* Two shapes touch at a point if they overlap there or pressed on each other in the last step: solvers leave gaps
 * within their accuracy. */
static void note_touch(ashi_contact_pair *pair, const ashi_point_record *point)
{
    bool carried = v3_norm2(point->force) > 0;
    pair->carried |= carried;
    pair->touching |= carried || point->depth >= 0;
}

/* Fills in the points of a contact. */
static void set_points(ashi_point_record *points, const ashi_contact_record *contact, const ashi_manifold_point *from,
                       const ash_mat3 *b_axes, ash_vec3 b_origin)
{
    for (uint32_t k = 0; k < contact->point_count; k++) {
        const ashi_manifold_point *p = &from[k];
        ash_vec3 on_b = v3_sub(v3_add_scaled(p->on_a, contact->normal, -p->depth), b_origin);
        ashi_point_record *point = &points[k]; /* field by field: faster than zeroing the point first */
        point->on_a = p->on_a;
        point->on_b = m3_apply_transposed(*b_axes, on_b);
        point->depth = p->depth;
        point->feature = p->feature;
        point->age = 0;
        point->force = point->torque = v3(0, 0, 0);
    }
}

void ashi_contact_set_match(ashi_contact_set *set, uint32_t number, ashi_contact_cursor *place,
                            const ashi_contact_draft *draft, uint32_t first, const ashi_contact_set *before,
                            double width)
{
    ashi_contact_pair *pair = &set->pairs.data[number];
    uint32_t first_point = place->point;
    pair->first_contact = place->contact;
    pair->touching = pair->carried = false;
    if (pair->contact_count == 0)
        return;
    ash_mat3 b_axes = m3_from_quat(pair->b_in_a.rotation);
    for (uint32_t i = 0; i < pair->contact_count; i++) {
        const ashi_contact_record *drafted = &draft->contacts.data[first + i];
        set_points(&set->points.data[place->point], drafted, &draft->points.data[drafted->first_point], &b_axes,
                   pair->b_in_a.position);
        ashi_contact_record *contact = &set->contacts.data[place->contact++];
        *contact = *drafted;
        contact->pair = number;
        contact->first_point = place->point;
        place->point += drafted->point_count;
    }
    if (pair->old != ASHI_NO_PAIR)
        ashi_match_points(set, pair, before, &before->pairs.data[pair->old], width);
    for (uint32_t k = 0; k < pair->point_count; k++)
        note_touch(pair, &set->points.data[first_point + k]);
}

/* Copies an old contact and its points to where they go; their depths remain to be found. */
static ashi_point_record *take_over(ashi_contact_set *set, uint32_t number, ashi_contact_cursor *place,
                                    const ashi_contact_record *from, const ashi_point_record *from_points)
{
    ashi_contact_record *contact = &set->contacts.data[place->contact++];
    ashi_point_record *points = &set->points.data[place->point];
    *contact = *from;
    contact->pair = number;
    contact->first_point = place->point;
    place->point += contact->point_count;
    for (uint32_t k = 0; k < contact->point_count; k++) {
        points[k] = from_points[k];
        points[k].age++;
    }
    return points;
}

void ashi_contact_set_recycle(ashi_contact_set *set, uint32_t number, ashi_contact_cursor *place, ash_transform b_in_a,
                              const ashi_contact_set *before)
{
    ashi_contact_pair *pair = &set->pairs.data[number];
    pair->touching = pair->carried = false;
    pair->first_contact = place->contact;
    if (pair->contact_count == 0)
        return;
    const ashi_contact_record *from = &before->contacts.data[before->pairs.data[pair->old].first_contact];
    ash_mat3 b_axes = m3_from_quat(b_in_a.rotation);
    for (uint32_t i = 0; i < pair->contact_count; i++, from++) {
        ashi_point_record *points = take_over(set, number, place, from, &before->points.data[from->first_point]);
        for (uint32_t k = 0; k < from->point_count; k++) {
            ash_vec3 on_b = v3_add(b_in_a.position, m3_apply(b_axes, points[k].on_b));
            points[k].depth = v3_dot(from->normal, v3_sub(points[k].on_a, on_b));
            note_touch(pair, &points[k]);
        }
    }
}

void ashi_contact_set_recycle_flat(ashi_contact_set *set, uint32_t number, ashi_contact_cursor *place,
                                   ash_transform b_in_a, const ashi_contact_set *before)
{
    ashi_contact_pair *pair = &set->pairs.data[number];
    pair->touching = pair->carried = false;
    pair->first_contact = place->contact;
    if (pair->contact_count == 0)
        return;
    const ashi_contact_record *from = &before->contacts.data[before->pairs.data[pair->old].first_contact];
    double w = b_in_a.rotation.w, z = b_in_a.rotation.z, sine = 2 * (w * z), cosine = 1 - 2 * (z * z);
    for (uint32_t i = 0; i < pair->contact_count; i++, from++) {
        ashi_point_record *points = take_over(set, number, place, from, &before->points.data[from->first_point]);
        for (uint32_t k = 0; k < from->point_count; k++) {
            ash_vec3 p = points[k].on_b;
            double x = points[k].on_a.x - (b_in_a.position.x + (cosine * p.x - sine * p.y));
            double y = points[k].on_a.y - (b_in_a.position.y + (sine * p.x + cosine * p.y));
            points[k].depth = from->normal.x * x + from->normal.y * y;
            note_touch(pair, &points[k]);
        }
    }
}

uint32_t ashi_contact_set_count_before(const ashi_contact_set *set, uint32_t a, uint32_t b)
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
    return low;
}

const ashi_contact_pair *ashi_contact_set_find(const ashi_contact_set *set, uint32_t a, uint32_t b)
{
    uint32_t number = ashi_contact_set_count_before(set, a, b);
    const ashi_contact_pair *found = number < set->pairs.count ? &set->pairs.data[number] : NULL;
    return found != NULL && found->a == a && found->b == b ? found : NULL;
}
