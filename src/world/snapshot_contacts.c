/* Sets of contacts to and from bytes. Reading checks that every number points into its array. */
#include "world/snapshot_contacts.h"

/* The least size of each. */
enum { PAIR_BYTES = 108, CONTACT_BYTES = 48, POINT_BYTES = 112 };

static void archive_pair(ashi_archive *a, ashi_contact_pair *p, uint32_t shape_slots)
{
    ashi_archive_u64(a, &p->handle_a);
    ashi_archive_u64(a, &p->handle_b);
    ashi_archive_below(a, &p->a, shape_slots);
    ashi_archive_below(a, &p->b, shape_slots);
    bool deep = p->deep, touching = p->touching, carried = p->carried, sensor = p->sensor, recycled = p->recycled;
    ashi_archive_u32(a, &p->axis);
    ashi_archive_bytes(a, p->direction, sizeof p->direction);
    ashi_archive_vec3(a, &p->b_in_a.position);
    ashi_archive_quat(a, &p->b_in_a.rotation);
    ashi_archive_u32(a, &p->first_contact);
    ashi_archive_u32(a, &p->contact_count);
    ashi_archive_bool(a, &deep);
    ashi_archive_bool(a, &touching);
    ashi_archive_bool(a, &carried);
    ashi_archive_bool(a, &sensor);
    ashi_archive_bool(a, &recycled);
    p->deep = deep;
    p->touching = touching;
    p->carried = carried;
    p->sensor = sensor;
    p->recycled = recycled;
    bool finite = isfinite(p->direction[0]) && isfinite(p->direction[1]) && isfinite(p->direction[2]);
    ashi_archive_finite(a, finite && t_is_finite(p->b_in_a), "the pose of a pair");
}

static void archive_contact(ashi_archive *a, ashi_contact_record *c)
{
    ashi_archive_u32(a, &c->pair);
    ashi_archive_u32(a, &c->part_a);
    ashi_archive_u32(a, &c->part_b);
    ashi_archive_u32(a, &c->inner);
    ashi_archive_u32(a, &c->axis);
    ashi_archive_vec3(a, &c->normal);
    ashi_archive_u32(a, &c->first_point);
    ashi_archive_u32(a, &c->point_count);
    ashi_archive_finite(a, v3_is_finite(c->normal), "the normal of a contact");
    a->failed |= !(fabs(v3_norm2(c->normal) - 1) < 1e-6);
}

static void archive_point(ashi_archive *a, ashi_point_record *p)
{
    ashi_archive_vec3(a, &p->on_a);
    ashi_archive_vec3(a, &p->on_b);
    ashi_archive_double(a, &p->depth);
    ashi_archive_u32(a, &p->feature);
    ashi_archive_u32(a, &p->age);
    ashi_archive_vec3(a, &p->force);
    ashi_archive_vec3(a, &p->torque);
    ashi_archive_finite(a, v3_is_finite(p->on_a) && v3_is_finite(p->on_b) && isfinite(p->depth), "a contact point");
    ashi_archive_finite(a, v3_is_finite(p->force) && v3_is_finite(p->torque), "the force of a contact point");
}

/* Whether pairs are sorted, contacts follow each other in their order, and points in that of the contacts; counts the
 * points of each pair and finds the deepest overlap, neither of which is written. */
static bool set_is_consistent(ashi_contact_set *set)
{
    uint32_t contact = 0, point = 0;
    set->deepest = 0;
    for (uint32_t i = 0; i < set->pairs.count; i++) {
        ashi_contact_pair *pair = &set->pairs.data[i];
        bool sorted =
            pair->a < pair->b && (i == 0 || pair[-1].a < pair->a || (pair[-1].a == pair->a && pair[-1].b < pair->b));
        if (!sorted || pair->first_contact != contact || pair->contact_count > set->contacts.count - contact)
            return false;
        pair->point_count = 0;
        pair->old = ASHI_NO_PAIR;
        for (; contact < pair->first_contact + pair->contact_count; contact++) {
            const ashi_contact_record *c = &set->contacts.data[contact];
            if (c->pair != i || c->first_point != point || c->point_count > ASHI_MANIFOLD_MOST ||
                c->point_count > set->points.count - point)
                return false;
            for (uint32_t k = point; k < point + c->point_count && !pair->sensor; k++)
                set->deepest = fmax(set->deepest, set->points.data[k].depth);
            point += c->point_count;
            pair->point_count += c->point_count;
        }
    }
    return contact == set->contacts.count && point == set->points.count;
}

/* Whether ignored pairs are sorted and name existing bodies. */
static bool ignored_are_known(const ashi_collision *collision, const ashi_bodies *bodies)
{
    for (uint32_t i = 0; i < collision->ignored.count; i++) {
        const ashi_body_pair *pair = &collision->ignored.data[i];
        bool sorted = i == 0 || pair[-1].a < pair->a || (pair[-1].a == pair->a && pair[-1].b < pair->b);
        if (!sorted || pair->a > pair->b || ashi_pool_slot_of(&bodies->pool, pair->a) == ASHI_NO_SLOT ||
            ashi_pool_slot_of(&bodies->pool, pair->b) == ASHI_NO_SLOT)
            return false;
    }
    return true;
}

void ashi_archive_contacts(ashi_archive *a, ashi_collision *collision, const ashi_model *model)
{
    ashi_contact_set *set = &collision->now;
    uint32_t pairs = set->pairs.count, contacts = set->contacts.count, points = set->points.count;
    uint32_t ignored = collision->ignored.count;
    ashi_archive_count(a, &pairs, PAIR_BYTES);
    ashi_archive_count(a, &contacts, CONTACT_BYTES);
    ashi_archive_count(a, &points, POINT_BYTES);
    ashi_archive_count(a, &ignored, sizeof(ashi_body_pair));
    if (!a->writing && ashi_archive_good(a)) {
        if (!ashi_array_reserve(&set->pairs, pairs) || !ashi_array_reserve(&set->contacts, contacts) ||
            !ashi_array_reserve(&set->points, points) || !ashi_array_reserve(&collision->ignored, ignored)) {
            a->out_of_memory = true;
            return;
        }
        set->pairs.count = pairs;
        set->contacts.count = contacts;
        set->points.count = points;
        collision->ignored.count = ignored;
    }
    for (uint32_t i = 0; i < pairs && ashi_archive_good(a); i++)
        archive_pair(a, &set->pairs.data[i], model->shapes.pool.slots.count);
    for (uint32_t i = 0; i < contacts && ashi_archive_good(a); i++)
        archive_contact(a, &set->contacts.data[i]);
    for (uint32_t i = 0; i < points && ashi_archive_good(a); i++)
        archive_point(a, &set->points.data[i]);
    for (uint32_t i = 0; i < ignored && ashi_archive_good(a); i++) {
        ashi_archive_u64(a, &collision->ignored.data[i].a);
        ashi_archive_u64(a, &collision->ignored.data[i].b);
    }
    if (!a->writing)
        a->failed |= ashi_archive_good(a) && !(set_is_consistent(set) && ignored_are_known(collision, &model->bodies));
}
