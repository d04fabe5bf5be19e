/* Post-stabilization: positions are projected onto what the contacts allow (Cline & Pai 2003; de Jong 2014
 * (4-61)-(4-64)).
 *
 * A problem of its own: displacements dq = M^-1 J^T lambda with  gap + J dq >= 0  where shapes overlap by more than the
 * slop, and no new overlap elsewhere; no friction. The rows are those of the velocity problem, the gaps are taken anew
 * at the present positions; since J is, large errors need several passes, each of a limited way. Velocities are not
 * touched. */
#include "step/hold.h"

#include "base/clock.h"
#include "problem/assemble.h"

#include <math.h>

#define LONGEST_WAY  0.1 /* m that a pass may move a body by */
#define WIDEST_TURN  0.1 /* rad */
#define OVERLAP_LEFT 0.5 /* of the slop: a row is pushed to here, so that it stays in touch */

typedef struct projection {
    ashi_step *step;
    ash_problem *problem; /* normals only */
    double worst;         /* overlap beyond the slop that the last pass found, m */
} projection;

/* The gap that a row may lose: negative where it must grow. */
static double allowance(projection *q, double gap)
{
    const ash_method *method = &q->step->method;
    double edge = method->stabilization == ASH_STABILIZE_MIXED ? method->mixed_depth : method->slop;
    if (-gap <= edge)
        return gap > 0 ? gap : 0;
    q->worst = fmax(q->worst, -gap - method->slop);
    double target = -OVERLAP_LEFT * method->slop;
    return method->post_erp * (gap - target);
}

/* Bodies at rest and the velocity problem's normal rows. */
static bool set_up(projection *q)
{
    const ash_problem *from = q->step->problem;
    ash_problem *to = q->problem;
    if (!ashi_problem_reserve(to, from->body_room, from->block_room, from->block_room, from->island_room))
        return false;
    ashi_problem_clear(to);
    to->h = 1;
    to->law = from->law;
    to->directions = from->directions;
    to->planar = from->planar;
    to->fixed_count = from->fixed_count;
    to->body_count = from->body_count;
    to->island_count = from->island_count;
    to->block_count = to->row_count = from->block_count;
    for (uint32_t i = 0; i < from->body_count; i++)
        to->bodies[i] = (ash_problem_body){.inverse_mass = from->bodies[i].inverse_mass,
                                           .inverse_inertia = from->bodies[i].inverse_inertia,
                                           .label = from->bodies[i].label};
    for (uint32_t i = 0; i < from->island_count; i++)
        to->islands[i] = from->islands[i];
    for (uint32_t k = 0; k < from->block_count; k++) {
        const ash_problem_block *block = &from->blocks[k];
        to->blocks[k] = (ash_problem_block){.kind = ASH_BLOCK_CONTACT,
                                            .body_a = block->body_a,
                                            .body_b = block->body_b,
                                            .first_row = k,
                                            .row_count = 1,
                                            .friction_limit = -1,
                                            .label = block->label};
        to->rows[k] = from->rows[block->first_row];
        to->rows[k].impulse = to->rows[k].softness = 0;
    }
    return true;
}

/* Gaps of all rows at the present positions. */
static void look(projection *q, const uint32_t *block_of_point)
{
    const ashi_model *model = q->step->model;
    const ashi_contact_set *set = &q->step->collision->now;
    q->worst = 0;
    for (uint32_t i = 0; i < set->pairs.count; i++) {
        const ashi_contact_pair *pair = &set->pairs.data[i];
        if (pair->sensor || pair->contact_count == 0)
            continue;
        ash_transform a = ashi_shape_pose_at(model, &model->bodies.next, pair->a);
        ash_transform b = ashi_shape_pose_at(model, &model->bodies.next, pair->b);
        for (uint32_t k = 0; k < pair->contact_count; k++) {
            const ashi_contact *contact = &set->contacts.data[pair->first_contact + k];
            for (uint32_t m = contact->first_point; m < contact->first_point + contact->point_count; m++)
                if (block_of_point[m] != UINT32_MAX)
                    q->problem->rows[block_of_point[m]].bias =
                        allowance(q, ashi_contact_gap(contact, &set->points.data[m], a, b));
        }
    }
}

static double potential_energy(const ashi_step *step)
{
    const ashi_state *next = &step->model->bodies.next;
    return ashi_gravity_energy(step->model, next) + ashi_forces_energy(step->model, next);
}

static void move(projection *q)
{
    const ash_problem *p = q->problem;
    double way = 0, turn = 0;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++) {
        way = fmax(way, v3_norm(p->velocity[i].linear));
        turn = fmax(turn, v3_norm(p->velocity[i].angular));
    }
    double scale = fmin(1, fmin(way > 0 ? LONGEST_WAY / way : 1, turn > 0 ? WIDEST_TURN / turn : 1));
    for (uint32_t i = p->fixed_count; i < p->body_count; i++)
        ashi_displace(q->step, ashi_pool_slot_of(&q->step->model->bodies.pool, p->bodies[i].label),
                      v3_scale(p->velocity[i].linear, scale), v3_scale(p->velocity[i].angular, scale));
}

bool ashi_project_positions(ashi_step *step)
{
    ash_stabilization mode = step->method.stabilization;
    if ((mode != ASH_STABILIZE_POST && mode != ASH_STABILIZE_MIXED) || step->problem->block_count == 0)
        return true;
    double start = ashi_seconds();
    const ashi_contact_set *set = &step->collision->now;
    projection q = {step, step->position_problem, 0};
    uint32_t *block_of_point = ashi_arena_take_array(step->scratch, set->points.count, sizeof *block_of_point);
    bool good = block_of_point != NULL && set_up(&q);
    for (uint32_t i = 0; i < set->points.count && good; i++)
        block_of_point[i] = UINT32_MAX;
    for (uint32_t k = 0; k < q.problem->block_count && good; k++)
        block_of_point[q.problem->blocks[k].label] = k;
    ash_solver_settings settings = step->method.solver;
    settings.warm_start = false;
    bool moved = false;
    for (uint32_t pass = 0; pass < step->method.post_passes && good; pass++) {
        look(&q, block_of_point);
        if (!(q.worst > 0))
            break;
        ash_solve_result result;
        good = ashi_solve_problem(q.problem, &settings, step->solvers, step->tasks, NULL, &result);
        step->work.stabilization -= pass == 0 ? potential_energy(step) : 0;
        moved = true;
        if (good)
            move(&q);
    }
    step->work.stabilization += moved ? potential_energy(step) : 0;
    step->stage_seconds[ASH_STAGE_SOLVE] += ashi_seconds() - start;
    return good;
}
