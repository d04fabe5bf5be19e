/* The work of drives.
 *
 * The work of a row, impulse times J v of both bodies, is what contacts and joints take from the energy of the bodies
 * together. A kinematic body has no energy in the ledger: its drive makes good what the row does on it, so that the
 * drive gives -impulse J_k v_k. A running surface slips by J v + slide; of the friction's work on the bodies the part
 * -impulse slide is the drive's.
 *
 * Soft-step sums up its contacts' work from the bodies that move: there the drives' part is in it, and is taken out. */
#include "step/drive.h"

#include "problem/expand.h"

#include "math/vec3.h"

static double speed_of_drive(const ashi_system *p, const ashi_block *block, const ashi_row *row)
{
    double speed = 0;
    if (block->body_a < p->fixed_count) {
        const ash_problem_body *a = &p->bodies[block->body_a];
        speed += v3_dot(row->linear_a, a->start_velocity) + v3_dot(row->angular_a, a->start_spin);
    }
    if (block->body_b < p->fixed_count) {
        const ash_problem_body *b = &p->bodies[block->body_b];
        speed += v3_dot(row->linear_b, b->start_velocity) + v3_dot(row->angular_b, b->start_spin);
    }
    return speed;
}

/* What a block's bodies that are driven give, and what moving surfaces do. */
static void add_block(const ashi_system *p, const ashi_block *block, const ashi_row *row, bool runs, double *driven,
                      double *run)
{
    bool fixed = block->body_a < p->fixed_count || block->body_b < p->fixed_count;
    for (uint32_t i = 0; i < block->row_count; i++, row++) {
        *driven -= fixed ? row->impulse * speed_of_drive(p, block, row) : 0;
        *run -= runs && i > 0 && i <= block->tangents ? row->impulse * p->contacts[block->contact].slide[i - 1] : 0;
    }
}

void ashi_drive_record_work(ashi_step *step, const ashi_system *p, ashi_block_kind kind)
{
    bool runs = kind == ASHI_CONTACT_BLOCK && step->model->shapes.some_run;
    if (step->model->bodies.kinematic_count == 0 && !runs)
        return;
    double driven = 0, run = 0;
    for (uint32_t k = 0; k < p->block_count; k++)
        if (p->blocks[k].kind == kind)
            add_block(p, &p->blocks[k], &p->rows[p->blocks[k].first_row], runs, &driven, &run);
    for (uint32_t c = 0; c < p->contact_count && kind == ASHI_CONTACT_BLOCK && !p->expanded; c++)
        for (uint32_t k = 0; k < p->contacts[c].point_count; k++) {
            ashi_point_rows point;
            ashi_point_expand(p, &p->contacts[c], p->contacts[c].first_point + k, &point);
            add_block(p, &point.block, point.row, runs, &driven, &run);
        }
    step->work.loads += driven + run;
    step->work.friction -= run;
    if (kind == ASHI_CONTACT_BLOCK && p->shifted)
        step->work.impacts -= driven;
}

double ashi_drive_work(const ashi_model *model, const ashi_joint_system *s, const double *impulse)
{
    const ashi_bodies *b = &model->bodies;
    const ashi_state *now = &b->now;
    double work = 0;
    for (uint32_t k = 0; k < s->links.count && b->kinematic_count > 0; k++) {
        const ashi_joint_link *link = &s->links.data[k];
        bool by_a = b->motion[link->slot_a] & ASHI_KINEMATIC, by_b = b->motion[link->slot_b] & ASHI_KINEMATIC;
        for (uint32_t i = link->first_row; i < link->first_row + link->row_count && (by_a || by_b); i++) {
            const ashi_joint_jacobian *j = &s->jacobian.data[i];
            double of_a =
                v3_dot(j->linear_a, now->velocity[link->slot_a]) + v3_dot(j->angular_a, now->spin[link->slot_a]);
            double of_b =
                v3_dot(j->linear_b, now->velocity[link->slot_b]) + v3_dot(j->angular_b, now->spin[link->slot_b]);
            work -= impulse[i] * ((by_a ? of_a : 0) + (by_b ? of_b : 0));
        }
    }
    return work;
}
