/* Copies the forces of contact points from a solved problem back to the contacts, where the next problem finds them.
 *
 * A point is read and written once: its old forces are saved at the same time, in case the step is taken back. */
#include "problem/assembling.h"

#include <string.h>

static void replace(const ashi_replaced_forces *r, ashi_point_record *points, uint32_t i, const ashi_point_load *by)
{
    r->before[i] = (ashi_point_load){points[i].force, points[i].torque};
    r->replaced[i] = true;
    points[i].force = by->force;
    points[i].torque = by->torque;
}

/* The load of a contact point from impulses along and about its axes. */
static ashi_point_load borne_by(const ashi_system *p, const ash_problem_contact *contact, ash_vec3 impulse,
                                const ash_vec3 *turn)
{
    const double part[3] = {impulse.x / p->h, impulse.y / p->h, impulse.z / p->h};
    ashi_point_load sum = {v3_add_scaled(v3(0, 0, 0), contact->normal, part[0]), v3(0, 0, 0)};
    for (int i = 0; i < contact->tangents; i++)
        sum.force = v3_add_scaled(sum.force, contact->tangent[i], part[1 + i]);
    if (contact->rollings > 0)
        sum.torque = v3_add_scaled(sum.torque, p->planar ? v3(0, 0, 1) : contact->tangent[0], turn->x / p->h);
    if (contact->rollings > 1)
        sum.torque = v3_add_scaled(sum.torque, contact->tangent[1], turn->y / p->h);
    if (contact->spins > 0)
        sum.torque = v3_add_scaled(sum.torque, contact->normal, turn->z / p->h);
    return sum;
}

static void forget(const ashi_replaced_forces *r, ashi_point_record *points, uint32_t first, uint32_t count)
{
    static const ashi_point_load nothing = {{0, 0, 0}, {0, 0, 0}};
    for (uint32_t i = first; i < first + count; i++)
        if (!r->replaced[i])
            replace(r, points, i, &nothing);
}

/* Clears points that are not in the problem, except those of sleeping pairs; a pair's points are consecutive. */
static void forget_others(const ashi_replaced_forces *r, const ashi_model *model, const ashi_contact_set *contacts)
{
    ashi_point_record *points = contacts->points.data;
    if (model->bodies.asleep_count == 0) {
        forget(r, points, 0, contacts->points.count); /* without visiting pairs */
        return;
    }
    for (uint32_t i = 0; i < contacts->pairs.count; i++) {
        const ashi_contact_pair *pair = &contacts->pairs.data[i];
        if (pair->contact_count > 0 && ashi_contact_pair_is_awake(model, pair))
            forget(r, points, contacts->contacts.data[pair->first_contact].first_point, pair->point_count);
    }
}

/* The same by rows, which may have been turned since the contact was. */
static ashi_point_load borne_by_rows(const ashi_system *p, const ashi_block *block)
{
    const ashi_row *row = &p->rows[block->first_row];
    ashi_point_load sum = {v3(0, 0, 0), v3(0, 0, 0)};
    uint32_t linear = 1 + block->tangents;
    for (uint32_t i = 0; i < linear; i++, row++)
        sum.force = v3_add_scaled(sum.force, row->linear_b, row->impulse / p->h);
    for (uint32_t i = linear; i < block->row_count; i++, row++)
        sum.torque = v3_add_scaled(sum.torque, row->angular_b, row->impulse / p->h);
    return sum;
}

static void store_blocks(const ashi_system *p, const ashi_replaced_forces *r, ashi_point_record *points)
{
    for (uint32_t k = 0; k < p->block_count; k++) {
        if (p->blocks[k].kind != ASHI_CONTACT_BLOCK)
            continue;
        ashi_point_load now = borne_by_rows(p, &p->blocks[k]);
        replace(r, points, p->blocks[k].label, &now);
    }
}

/* Contact by contact. */
static void store_contacts(const ashi_system *p, const ash_vec3 *impulses, const ash_vec3 *turns,
                           const ashi_replaced_forces *r, ashi_point_record *points)
{
    for (uint32_t c = 0; c < p->contact_count; c++) {
        const ash_problem_contact *contact = &p->contacts[c];
        for (uint32_t k = 0; k < contact->point_count; k++) {
            uint32_t number = contact->first_point + k;
            ash_vec3 impulse = impulses != NULL ? impulses[number] : p->points[number].impulse;
            const ash_vec3 *turn =
                turns != NULL ? turns + contact->first_turn + k : NULL; /* if there is no such resistance */
            ashi_point_load now = borne_by(p, contact, impulse, turn);
            replace(r, points, p->points[number].label, &now);
        }
    }
}

const ashi_replaced_forces *ashi_store_forces(const ashi_system *p, const ash_vec3 *impulses, const ash_vec3 *turns,
                                              const ashi_model *model, const ashi_contact_set *contacts,
                                              const ashi_other_forces *others, ashi_arena *scratch)
{
    uint32_t count = contacts->points.count;
    ashi_replaced_forces *r = ashi_arena_take(scratch, sizeof *r);
    if (r == NULL)
        return NULL;
    r->before = ashi_arena_take_array(scratch, count, sizeof *r->before);
    r->replaced = ashi_arena_take_array(scratch, count, sizeof *r->replaced);
    if (r->before == NULL || r->replaced == NULL)
        return NULL;
    memset(r->replaced, 0, count * sizeof *r->replaced);
    if (p->expanded && impulses == NULL)
        store_blocks(p, r, contacts->points.data);
    else
        store_contacts(p, impulses, turns != NULL ? turns : p->turns, r, contacts->points.data);
    uint32_t more = others != NULL ? others->count : 0;
    if (more > 0)
        others->store(r, contacts->points.data, others->data);
    if (p->point_count + more < count)
        forget_others(r, model, contacts);
    return r;
}

void ashi_restore_forces(const ashi_replaced_forces *r, const ashi_contact_set *contacts)
{
    for (uint32_t i = 0; i < contacts->points.count; i++) {
        if (!r->replaced[i])
            continue;
        contacts->points.data[i].force = r->before[i].force;
        contacts->points.data[i].torque = r->before[i].torque;
    }
}
