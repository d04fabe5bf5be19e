/* Joints are closed by Newton's method: C + J dq = 0 with dq = M^-1 J^T lambda, one sparse factor
 * (solve/direct/direct.h) for as many passes as it serves. Rows of compliant joints keep their errors: they are
 * springs. Velocities likewise: v += M^-1 J^T lambda with J v = speed. */
#include "step/joints/closure.h"

#include "problem/assemble.h"
#include "problem/tension.h"
#include "step/hold.h"

#include <math.h>

#define GIVES_WAY 1e9  /* times its own response: the softness of a compliant row */
#define LIMIT     0.5  /* rad, or units of length, that a pass may move a body by */
#define HOPELESS  0.9  /* of the error: passes that leave more lead nowhere, as joints contradict each other ... */
#define PATIENCE  2    /* ... when there are so many in a row */
#define SLOW      0.25 /* of the error: a pass that leaves more asks for a new factor */

/* ---- one pass ---- */

/* The rows at the present state; `slows`: with the inertias that a factor of them has. */
static bool look(ashi_closure *c, bool slows)
{
    ashi_system *p = c->problem;
    if (!ashi_assemble_joints(c->model, c->state, c->time, c->scratch, p) ||
        (slows && c->h > 0 && !ashi_system_slow_turning(p, c->model, c->state, c->h, 0, false, c->scratch)))
        return false;
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = 0; i < p->blocks[k].row_count; i++) {
            ashi_row *row = &p->rows[p->blocks[k].first_row + i];
            if (row->softness > 0)
                row->softness = GIVES_WAY * ashi_row_response(p, &p->blocks[k], row, row);
        }
    c->wanted = ashi_arena_take_array(c->scratch, p->row_count, sizeof *c->wanted);
    c->answer = ashi_arena_take_array(c->scratch, p->row_count, sizeof *c->answer);
    return c->wanted != NULL && c->answer != NULL;
}

bool ashi_closure_look(ashi_closure *c)
{
    return look(c, true);
}

bool ashi_closure_factor(ashi_closure *c)
{
    ashi_system *p = c->problem;
    for (uint32_t k = 0; k < p->block_count && c->damping > 0; k++)
        for (uint32_t i = p->blocks[k].first_row; i < p->blocks[k].first_row + p->blocks[k].row_count; i++) {
            c->answer[i] = p->rows[i].softness;
            p->rows[i].softness += c->damping * ashi_row_response(p, &p->blocks[k], &p->rows[i], &p->rows[i]);
        }
    bool good = ashi_direct_factor(c->direct, p, NULL);
    for (uint32_t i = 0; i < p->row_count && c->damping > 0; i++)
        p->rows[i].softness = c->answer[i];
    return good;
}

double ashi_closure_error(ashi_closure *c)
{
    return ashi_joint_errors(c->model, c->state, c->time, c->problem);
}

void ashi_closure_aim(ashi_closure *c, double most)
{
    ashi_system *p = c->problem;
    double length = c->model->unit_length;
    for (uint32_t i = 0; i < p->row_count; i++)
        c->wanted[i] = p->rows[i].softness > 0 ? 0 : -p->rows[i].error;
    for (uint32_t i = 0; i < p->body_count; i++)
        p->velocity[i] = (ash_motion){0};
    ashi_direct_solve(c->direct, c->wanted, c->answer, p->velocity);
    for (uint32_t k = 0; k < p->island_count; k++) {
        ash_motion *first = &p->velocity[p->islands[k].first_body], *end = first + p->islands[k].body_count;
        double farthest = 0;
        for (const ash_motion *way = first; way < end; way++)
            farthest = fmax(farthest, fmax(v3_norm(way->linear) / length, v3_norm(way->angular)));
        double scale = farthest > most ? most / farthest : 1;
        for (ash_motion *way = first; way < end; way++)
            *way = (ash_motion){v3_scale(way->linear, scale), v3_scale(way->angular, scale)};
    }
}

void ashi_closure_move(ashi_closure *c, const ash_problem_island *island, double share)
{
    const ashi_system *p = c->problem;
    uint32_t first = island != NULL ? island->first_body : p->fixed_count;
    uint32_t end = island != NULL ? first + island->body_count : p->body_count;
    for (uint32_t i = first; i < end; i++) {
        uint32_t slot = ashi_pool_slot_of(&c->model->bodies.pool, p->bodies[i].label);
        const ash_motion *way = &p->velocity[i];
        c->state->position[slot] = v3_add_scaled(c->state->position[slot], way->linear, share);
        c->state->rotation[slot] = q_unit(q_mul(q_exp(v3_scale(way->angular, share)), c->state->rotation[slot]));
    }
}

static ash_motion motion_of(const ashi_closure *c, uint32_t body)
{
    uint32_t slot = ashi_pool_slot_of(&c->model->bodies.pool, c->problem->bodies[body].label);
    return (ash_motion){c->state->velocity[slot], c->state->spin[slot]};
}

/* J v - speed of every row. */
static double find_speeds(ashi_closure *c, double *speeds)
{
    const ashi_system *p = c->problem;
    double largest = 0;
    for (uint32_t k = 0; k < p->block_count; k++) {
        ash_motion a = motion_of(c, p->blocks[k].body_a), b = motion_of(c, p->blocks[k].body_b);
        for (uint32_t r = p->blocks[k].first_row; r < p->blocks[k].first_row + p->blocks[k].row_count; r++) {
            speeds[r] = p->rows[r].softness > 0 ? 0 : ashi_row_speed(&p->rows[r], &a, &b) + p->rows[r].bias;
            largest = fmax(largest, fabs(speeds[r]));
        }
    }
    return largest;
}

double ashi_closure_correct_velocities(ashi_closure *c, double enough)
{
    ashi_system *p = c->problem;
    double largest = find_speeds(c, c->wanted);
    if (!(largest > enough))
        return largest;
    for (uint32_t i = 0; i < p->row_count; i++)
        c->wanted[i] = -c->wanted[i];
    for (uint32_t i = 0; i < p->body_count; i++)
        p->velocity[i] = (ash_motion){0};
    ashi_direct_solve(c->direct, c->wanted, c->answer, p->velocity);
    for (uint32_t i = 0; i < p->row_count; i++)
        p->rows[i].impulse += c->answer[i];
    for (uint32_t i = p->fixed_count; i < p->body_count; i++) {
        uint32_t slot = ashi_pool_slot_of(&c->model->bodies.pool, p->bodies[i].label);
        c->state->velocity[slot] = v3_add(c->state->velocity[slot], p->velocity[i].linear);
        c->state->spin[slot] = v3_add(c->state->spin[slot], p->velocity[i].angular);
    }
    return largest;
}

/* ---- after a step ---- */

static double potential_energy(const ashi_step *step)
{
    const ashi_state *next = &step->model->bodies.next;
    return ashi_gravity_energy(step->model, next) + ashi_forces_energy(step->model, next) +
           ashi_joints_energy(step->model, next);
}

/* Positions until they hold within the tolerance. `looked`: the rows are those of the present positions. */
static bool close_positions(ashi_step *step, ashi_closure *c, bool *looked)
{
    double before = INFINITY, error = ashi_closure_error(c), stored = 0;
    bool good = true, moved = false;
    uint32_t idle = 0;
    for (uint32_t pass = 0; good && error > step->method.joint_tolerance; pass++) {
        idle = pass > 0 && !(error < HOPELESS * before) ? idle + 1 : 0;
        if (pass >= step->method.joint_iterations || idle >= PATIENCE)
            break;
        if (pass > 0 && error > SLOW * before)
            good = ashi_closure_look(c) && ashi_closure_factor(c);
        if (!good)
            break;
        stored -= moved ? 0 : potential_energy(step);
        ashi_closure_aim(c, LIMIT);
        ashi_closure_move(c, NULL, 1);
        step->joint_corrections++;
        moved = true;
        *looked = false;
        before = error;
        error = ashi_closure_error(c);
    }
    step->work.stabilization += moved ? stored + potential_energy(step) : 0;
    return good;
}

/* What the correction of velocities did is part of what the joints carried in this step. */
static bool share_impulses(ashi_step *step, const ashi_closure *c)
{
    const ashi_system *from = c->problem, *to = step->problem;
    uint32_t slots = step->model->joints.entries.count;
    uint32_t *first_row = ashi_arena_take_array(step->scratch, slots, sizeof *first_row);
    if (first_row == NULL)
        return false;
    for (uint32_t i = 0; i < slots; i++)
        first_row[i] = UINT32_MAX;
    for (uint32_t k = 0; k < to->block_count; k++)
        if (to->blocks[k].kind == ASHI_PLAIN_BLOCK && ashi_block_key(&to->blocks[k]) == 0)
            first_row[ashi_block_joint(&to->blocks[k])] = to->blocks[k].first_row;
    for (uint32_t k = 0; k < from->block_count; k++) {
        uint32_t row = first_row[ashi_block_joint(&from->blocks[k])];
        for (uint32_t i = 0; i < from->blocks[k].row_count && row != UINT32_MAX; i++)
            to->rows[row + i].impulse += from->rows[from->blocks[k].first_row + i].impulse;
    }
    return true;
}

static bool correct_velocities(ashi_step *step, ashi_closure *c)
{
    double enough = step->method.joint_velocity_tolerance, before = INFINITY, error = 0;
    for (uint32_t pass = 0; pass < step->method.joint_iterations; pass++) {
        error = ashi_closure_correct_velocities(c, enough);
        if (!(error > enough) || !(error < HOPELESS * before)) /* as good as it gets */
            break;
        step->velocity_corrections++;
        before = error;
    }
    return share_impulses(step, c);
}

/* Notes bodies whose state is not finite any more. */
static void look_after(ashi_step *step, const ashi_system *p)
{
    const ashi_state *next = &step->model->bodies.next;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++) {
        uint32_t slot = ashi_pool_slot_of(&step->model->bodies.pool, p->bodies[i].label);
        ashi_step_store(step, slot, next->position[slot], next->rotation[slot], next->velocity[slot], next->spin[slot]);
    }
}

bool ashi_step_close_joints(ashi_step *step)
{
    ashi_closure c = {.model = step->model,
                      .state = &step->model->bodies.next,
                      .problem = step->joint_problem,
                      .direct = step->joint_factor,
                      .scratch = step->scratch,
                      .time = step->time + step->h,
                      .h = step->h};
    bool looked = true;
    bool good = ashi_closure_look(&c);
    if (good && c.problem->block_count > 0)
        good = ashi_closure_factor(&c) && close_positions(step, &c, &looked) &&
               (looked || look(&c, false)) /* by the last factor */ && correct_velocities(step, &c);
    if (good)
        look_after(step, c.problem);
    return good;
}

/* ---- redundancy ---- */

bool ashi_find_redundancy(ashi_model *model, const ashi_state *state, double time, ashi_system *problem,
                          ashi_direct *direct, ashi_arena *scratch, ash_mobility *mobility)
{
    ashi_joints *joints = &model->joints;
    if (!ashi_assemble_joints(model, state, time, scratch, problem))
        return false;
    for (uint32_t i = 0; i < problem->row_count; i++)
        problem->rows[i].softness = 0; /* freedoms are counted as if nothing yielded */
    if (!ashi_direct_factor(direct, problem, NULL))
        return false;
    uint32_t rank = ashi_direct_rank(direct);
    *mobility = (ash_mobility){.rows = problem->row_count,
                               .rank = rank,
                               .redundant = problem->row_count > rank ? problem->row_count - rank : 0};
    for (uint32_t i = 0; i < joints->entries.count; i++)
        joints->entries.data[i].indeterminate = false;
    for (uint32_t k = 0; k < problem->block_count && mobility->redundant > 0; k++) {
        const ashi_block *block = &problem->blocks[k];
        ashi_joint_entry *joint = &joints->entries.data[ashi_block_joint(block)];
        bool compliant = joint->compliance > 0 && joint->angular_compliance > 0;
        for (uint32_t i = 0; i < block->row_count && !joint->indeterminate; i++)
            joint->indeterminate = !compliant && !ashi_direct_is_determined(direct, block->first_row + i);
        mobility->redundant_joints += joint->indeterminate;
    }
    return true;
}
