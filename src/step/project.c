/* Post-stabilization: positions are projected onto what contacts and joints allow (Cline & Pai 2003; de Jong 2014
 * (4-61)-(4-64)).
 *
 * A problem of its own: displacements dq = M^-1 J^T lambda with  gap + J dq >= 0  where shapes overlap by more than the
 * slop, and no new overlap beyond the slop elsewhere; no friction; C + J dq = 0 for the held rows of joints, C + J dq
 * >= 0 for limits. Gaps and errors are taken again at the present positions in each pass, and so are the rows of
 * joints; those of contacts, and the normals of gaps, are the velocity problem's. Large errors need several passes,
 * each of a limited way. Velocities of bodies against each other are not touched: free bodies only turn as one, to keep
 * their angular momentum (momentum.c).
 */
#include "step/hold.h"

#include "problem/assemble.h"
#include "step/curvature.h"
#include "step/momentum.h"
#include "step/scheme.h"

#include <math.h>

#define LONGEST_WAY  0.1   /* units of length that a pass may move a body by */
#define WIDEST_TURN  0.1   /* rad */
#define JOINED       5     /* times that far where joints are open: their rows follow the bodies */
#define OVERLAP_LEFT 0.5   /* of the slop: a row is pushed to here, so that it stays in touch */
#define AT_EDGE      1.001 /* of the slop: where another row's push ends; rounding must not decide on it */
#define LEFT_OPEN    0.1   /* of a joint's error before the first pass */
#define GIVES_WAY    1e9   /* times its own response: the softness of a compliant row, which keeps its error */

typedef struct projection {
    ashi_step *step;
    const ashi_system *source; /* whose rows are projected along */
    ashi_system *problem;
    uint32_t *row_of_point; /* by contact point; UINT32_MAX: not in the problem */
    double worst;           /* overlap beyond the slop that the last pass found, m */
    double open;            /* error of joints that it is to remove, m or rad */
} projection;

static bool is_mixed(const projection *q)
{
    return q->step->method.stabilization == ASH_STABILIZE_MIXED;
}

/* The gap that a row may lose: negative where it must grow. Overlap up to the slop is no error, neither before nor
 * after: a brick that is lifted out of the slop would else lift those on it, by more from layer to layer where it
 * tilts them (docs/shock.md). */
static double allowance(projection *q, double gap)
{
    const ash_method *method = &q->step->method;
    double edge = is_mixed(q) ? method->mixed_depth : method->slop;
    if (-gap <= AT_EDGE * edge)
        return gap + method->slop > 0 ? gap + method->slop : 0;
    q->worst = fmax(q->worst, -gap - method->slop);
    double target = -OVERLAP_LEFT * method->slop;
    return method->post_erp * (gap - target);
}

/* The same for an error of a joint: what Baumgarte's bias removes, in the mixture, is left alone. */
static double share_of(projection *q, const ashi_joint_row *row)
{
    const ash_method *method = &q->step->method;
    double error = row->error, size = fabs(error) * (row->angular ? method->solver.unit_length : 1);
    if (is_mixed(q) && size <= method->mixed_depth)
        return 0;
    if (size > method->joint_tolerance)
        q->open = fmax(q->open, size);
    return method->post_erp * error;
}

/* ---- the problem ---- */

/* What is projected: normals of contacts, held rows and limits of joints. */
static uint32_t rows_taken(const ashi_block *block)
{
    if (block->kind == ASHI_CONTACT_BLOCK)
        return 1;
    uint32_t key = ashi_block_key(block);
    return key < ASHI_DRIVE_KEY || key == ASHI_CONE_KEY ? block->row_count : 0;
}

static void take_blocks(projection *q, uint32_t first, uint32_t count)
{
    const ashi_system *from = q->source;
    ashi_system *to = q->problem;
    for (uint32_t k = first; k < first + count; k++) {
        const ashi_block *block = &from->blocks[k];
        uint32_t rows = rows_taken(block);
        if (rows == 0)
            continue;
        to->blocks[to->block_count++] = (ashi_block){.kind = block->kind,
                                                     .body_a = block->body_a,
                                                     .body_b = block->body_b,
                                                     .first_row = to->row_count,
                                                     .row_count = rows,
                                                     .friction_limit = -1,
                                                     .label = block->label};
        if (block->kind == ASHI_CONTACT_BLOCK)
            q->row_of_point[block->label] = to->row_count;
        for (uint32_t i = 0; i < rows; i++) {
            ashi_row *row = &to->rows[to->row_count++];
            *row = from->rows[block->first_row + i];
            row->impulse = row->softness = row->drift = 0;
        }
    }
}

/* Bodies at rest, in the velocity problem's islands. */
static bool set_up(projection *q)
{
    const ashi_system *from = q->source;
    ashi_system *to = q->problem;
    uint32_t points = q->step->collision->now.points.count;
    q->row_of_point = ashi_arena_take_array(q->step->scratch, points, sizeof *q->row_of_point);
    if (q->row_of_point == NULL ||
        !ashi_system_reserve(to, from->body_room, from->block_room, from->row_room, from->island_room))
        return false;
    for (uint32_t i = 0; i < points; i++)
        q->row_of_point[i] = UINT32_MAX;
    ashi_system_clear(to);
    to->h = 1;
    to->law = from->law;
    to->directions = from->directions;
    to->planar = from->planar;
    to->fixed_count = from->fixed_count;
    to->body_count = from->body_count;
    to->island_count = from->island_count;
    for (uint32_t i = 0; i < from->body_count; i++)
        to->bodies[i] = (ash_problem_body){.inverse_mass = from->bodies[i].inverse_mass,
                                           .inverse_inertia = from->bodies[i].inverse_inertia,
                                           .label = from->bodies[i].label};
    take_blocks(q, 0, from->island_count > 0 ? from->islands[0].first_block : from->block_count); /* of no island */
    for (uint32_t i = 0; i < from->island_count; i++) {
        to->islands[i] = (ash_problem_island){.first_body = from->islands[i].first_body,
                                              .body_count = from->islands[i].body_count,
                                              .first_block = to->block_count};
        take_blocks(q, from->islands[i].first_block, from->islands[i].block_count);
        to->islands[i].block_count = to->block_count - to->islands[i].first_block;
    }
    return true;
}

/* ---- a pass ---- */

/* How far a body (by slot) has moved and turned in the part. */
static ash_motion way_of(const ashi_bodies *b, uint32_t slot)
{
    ash_quat turn = q_mul(b->next.rotation[slot], q_conjugate(b->now.rotation[slot]));
    return (ash_motion){v3_sub(b->next.position[slot], b->now.position[slot]), q_log(turn)};
}

/* The gap of the start, and the way along the row. */
static double row_gap(const projection *q, const ashi_contact_pair *pair, const ashi_point_record *point,
                      const ashi_row *row)
{
    const ashi_model *model = q->step->model;
    const ashi_shape_entry *shapes = model->shapes.entries.data;
    ash_motion a = way_of(&model->bodies, shapes[pair->a].body), b = way_of(&model->bodies, shapes[pair->b].body);
    return ashi_row_speed(row, &a, &b) - point->depth;
}

/* Gaps of all contacts at the present positions: where it was looked for, with the bend of the row. Else by the
 * material points; of points that overlapped too much at the start these part where a curved body rolls, though the
 * shapes do not: then what counts is the way along the row. */
static void look_at_contacts(projection *q)
{
    const ashi_model *model = q->step->model;
    const ashi_contact_set *set = &q->step->collision->now;
    const ashi_bend *bends = q->step->bends;
    bool cut = q->step->method.step_control == ASH_STEP_IMPACTS;
    for (uint32_t i = 0; i < set->pairs.count; i++) {
        const ashi_contact_pair *pair = &set->pairs.data[i];
        if (pair->sensor || pair->contact_count == 0)
            continue;
        ash_transform a = ashi_shape_pose_at(model, &model->bodies.next, pair->a);
        ash_transform b = ashi_shape_pose_at(model, &model->bodies.next, pair->b);
        for (uint32_t k = 0; k < pair->contact_count; k++) {
            const ashi_contact_record *contact = &set->contacts.data[pair->first_contact + k];
            for (uint32_t m = contact->first_point; m < contact->first_point + contact->point_count; m++) {
                if (q->row_of_point[m] == UINT32_MAX)
                    continue;
                const ashi_point_record *point = &set->points.data[m];
                ashi_row *row = &q->problem->rows[q->row_of_point[m]];
                double gap = ashi_contact_gap(row->linear_b, point, a, b);
                if (bends != NULL && bends[m].known)
                    gap = row_gap(q, pair, point, row) + bends[m].way;
                else if (cut && point->depth > q->step->method.slop)
                    gap = fmin(gap, row_gap(q, pair, point, row));
                row->bias = allowance(q, gap);
            }
        }
    }
}

static void set_joint_row(projection *q, const ashi_block *block, ashi_row *row, const ashi_joint_row *from)
{
    row->linear_a = from->linear_a;
    row->angular_a = from->angular_a;
    row->linear_b = from->linear_b;
    row->angular_b = from->angular_b;
    row->error = from->error;
    bool gives = from->compliance > 0;
    row->softness = gives ? GIVES_WAY * ashi_row_response(q->problem, block, row, row) : 0;
    if (gives)
        row->bias = 0;
    else if (from->role == ASHI_ROW_LIMIT && from->error > 0)
        row->bias = from->error;
    else
        row->bias = share_of(q, from);
}

/* Rows of all joints at the present positions; a limit that is no more near may lose all that a pass can take. */
static void look_at_joints(projection *q)
{
    const ashi_step *step = q->step;
    ashi_joint_row rows[ASHI_JOINT_ROWS];
    for (uint32_t k = 0; k < q->problem->block_count; k++) {
        const ashi_block *block = &q->problem->blocks[k];
        if (block->kind != ASHI_PLAIN_BLOCK)
            continue;
        const ashi_joint_entry *joint = &step->model->joints.entries.data[ashi_block_joint(block)];
        uint32_t count =
            ashi_joint_rows(step->model, joint, &step->model->bodies.next, step->time + step->h, step->h, false, rows);
        for (uint32_t i = 0; i < block->row_count; i++) {
            ashi_row *row = &q->problem->rows[block->first_row + i];
            row->bias = ashi_block_key(block) < ASHI_LIMIT_KEY ? 0 : 10 * (LONGEST_WAY + WIDEST_TURN);
            for (uint32_t m = 0; m < count; m++)
                if (rows[m].key == ashi_block_key(block) + i)
                    set_joint_row(q, block, row, &rows[m]);
        }
    }
}

static double potential_energy(const ashi_step *step)
{
    const ashi_state *next = &step->model->bodies.next;
    return ashi_gravity_energy(step->model, next) + ashi_forces_energy(step->model, next) +
           ashi_joints_energy(step->model, next);
}

static void move(projection *q)
{
    const ashi_system *p = q->problem;
    double way = 0, turn = 0;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++) {
        way = fmax(way, v3_norm(p->velocity[i].linear));
        turn = fmax(turn, v3_norm(p->velocity[i].angular));
    }
    double most = q->open > 0 ? JOINED : 1;
    double longest = LONGEST_WAY * q->step->method.solver.unit_length * fmax(q->step->scheme->projects_farther, 1);
    double scale = fmin(1, most * fmin(way > 0 ? longest / way : 1, turn > 0 ? WIDEST_TURN / turn : 1));
    for (uint32_t i = p->fixed_count; i < p->body_count; i++)
        ashi_displace(q->step, ashi_pool_slot_of(&q->step->model->bodies.pool, p->bodies[i].label),
                      v3_scale(p->velocity[i].linear, scale), v3_scale(p->velocity[i].angular, scale));
}

/* Errors of contacts and joints at the present positions. */
static void look(projection *q)
{
    q->worst = q->open = 0;
    look_at_contacts(q);
    look_at_joints(q);
}

/* All passes are used up: several that leave a joint as open as this have not closed it, which is said. Where joints
 * are closed by themselves afterwards, that correction says it. */
static void note_open_joints(projection *q, double first_open)
{
    if (q->step->method.post_passes == 1 || q->step->scheme->joins || !(q->open > 0))
        return;
    look(q);
    if (q->open > LEFT_OPEN * first_open)
        q->step->flags |= ASH_FLAG_NOT_CONVERGED;
}

bool ashi_project_along(ashi_step *step, const ashi_system *source, ash_solver solver, bool *moved)
{
    ash_stabilization mode = step->method.stabilization;
    *moved = false;
    if ((mode != ASH_STABILIZE_POST && mode != ASH_STABILIZE_MIXED) || source->block_count == 0)
        return true;
    ash_stage before = ashi_step_enter(step, ASH_STAGE_SOLVE);
    projection q = {.step = step, .source = source, .problem = step->position_problem};
    ashi_kept_momentum *kept = ashi_momentum_keep(step, &step->model->bodies.next, source);
    bool good = kept != NULL && set_up(&q);
    if (good)
        ashi_momentum_join_blocks(kept, source);
    ash_solver_settings settings = step->method.solver;
    settings.solver = solver;
    settings.warm_start = false;
    settings.settling = 0;    /* impulses begin at zero: there is no load on contacts that contradict each other */
    settings.unjudged = true; /* what a pass leaves is seen at the next look */
    if (step->method.correction_iterations > 0)
        settings.iterations = step->method.correction_iterations;
    double first_open = 0;
    for (uint32_t pass = 0; pass < step->method.post_passes && good && !ashi_solver_is_spent(step->solvers); pass++) {
        look(&q);
        first_open = pass == 0 ? q.open : first_open;
        if (!(q.worst > 0 || q.open > 0))
            break;
        step->joint_corrections += q.open > 0;
        ash_solve_result result;
        good = ashi_solve_problem(q.problem, &settings, step->solvers, step->tasks, NULL, &result);
        step->work.stabilization -= pass == 0 ? potential_energy(step) : 0;
        *moved = true;
        if (good) {
            step->solve_flags |= result.flags & (ASH_SOLVE_BUDGET | ASH_SOLVE_REPLACED);
            step->flags |= result.flags & ASH_SOLVE_REPLACED ? ASH_FLAG_SOLVER_REPLACED : 0;
            ashi_momentum_join_blocks(kept, q.problem);
            move(&q);
            if (pass + 1 == step->method.post_passes)
                note_open_joints(&q, first_open);
        }
    }
    if (good && *moved)
        good = ashi_momentum_return(kept, &step->model->bodies.next, &step->work.stabilization);
    step->work.stabilization += *moved ? potential_energy(step) : 0;
    ashi_step_enter(step, before);
    return good;
}

bool ashi_project_positions(ashi_step *step)
{
    bool moved;
    return ashi_project_along(step, step->problem, step->method.solver.solver, &moved);
}
