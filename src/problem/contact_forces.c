/* What contact points bore, from a solved problem back to the contacts. */
#include "problem/assembling.h"

static void forget_forces(ashi_contact_point *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        points[i].force = points[i].torque = v3(0, 0, 0);
}

/* All points but those of sleeping pairs; a pair's points follow one another. */
static void forget_awake(const ashi_model *model, const ashi_contact_set *contacts)
{
    ashi_contact_point *points = contacts->points.data;
    if (model->bodies.asleep_count == 0) {
        forget_forces(points, contacts->points.count); /* without looking at pairs */
        return;
    }
    for (uint32_t i = 0; i < contacts->pairs.count; i++) {
        const ashi_contact_pair *pair = &contacts->pairs.data[i];
        if (pair->contact_count > 0 && ashi_contact_pair_is_awake(model, pair))
            forget_forces(&points[contacts->contacts.data[pair->first_contact].first_point], pair->point_count);
    }
}

void ashi_store_forces(const ash_problem *p, const ashi_model *model, ashi_contact_set *contacts)
{
    forget_awake(model, contacts);
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        if (block->kind != ASH_BLOCK_CONTACT)
            continue;
        ashi_contact_point *point = &contacts->points.data[block->label];
        for (uint32_t i = 0; i < block->row_count; i++) {
            const ash_problem_row *row = &p->rows[block->first_row + i];
            double force = (p->shifted ? row->lasting : row->impulse) / p->h;
            if (i <= block->tangents)
                point->force = v3_add_scaled(point->force, row->linear_b, force);
            else
                point->torque = v3_add_scaled(point->torque, row->angular_b, force);
        }
    }
}
