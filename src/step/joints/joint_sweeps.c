/* Joint by joint (Bender & Schmitt 2006, the start of 4.5): each joint's impulse by its own matrix, its two bodies are
 * predicted again, then the next joint, in their order; again and again until no joint is off by more than the
 * tolerance. Where bodies cannot be predicted singly, errors follow the changed velocities by h J v within a sweep. */
#include "step/joints/joint_sweeps.h"

#include "base/clock.h"
#include "problem/assemble.h"

#include <math.h>

#define DIVERGED 10.0 /* times the error of the first sweep: joints contradict each other */

typedef struct sweeping {
    ashi_joint_system *system;
    ashi_prediction *prediction;
    ashi_step *step;
    double tolerance;
} sweeping;

static bool out_of_time(const ashi_step *step, double start)
{
    return step->method.joint_budget > 0 && ashi_seconds() - start > step->method.joint_budget;
}

/* Ends an iteration that did not converge. */
static void give_up(ashi_step *step, double start)
{
    step->flags |= ASH_FLAG_NOT_CONVERGED;
    step->solve_flags |= out_of_time(step, start) ? ASH_SOLVE_BUDGET : 0;
}

/* A visit of a joint: its errors or rates and, where it is corrected, its own matrix and what it pushes. */
static void count_visit(ashi_step *step, const ashi_block *block, bool corrected)
{
    step->operations += (corrected ? 30ull + block->row_count : 12ull) * block->row_count;
}

/* The errors of one joint in the prediction; returns the norm of the rigid ones. */
static double predicted_error(const sweeping *s, const ashi_block *block)
{
    const ashi_step *step = s->step;
    const ashi_joint_entry *joint = &step->model->joints.entries.data[ashi_block_joint(block)];
    double errors[ASHI_HOLD_ROWS], square = 0;
    ashi_joint_held_errors(step->model, joint, &step->model->bodies.next, errors);
    for (uint32_t i = 0; i < block->row_count; i++) {
        s->system->error.data[block->first_row + i] = errors[i];
        square += s->system->rigid.data[block->first_row + i] ? errors[i] * errors[i] : 0;
    }
    return sqrt(square);
}

/* One joint: returns its error before. */
static double correct_joint(const sweeping *s, const ashi_block *block)
{
    const ashi_system *p = &s->system->problem;
    const ashi_state *now = &s->step->model->bodies.now;
    double error = predicted_error(s, block), wanted[ASHI_HOLD_ROWS], impulse[ASHI_HOLD_ROWS];
    count_visit(s->step, block, error > s->tolerance);
    if (!(error > s->tolerance))
        return error;
    for (uint32_t i = 0; i < block->row_count; i++) {
        uint32_t row = block->first_row + i;
        wanted[i] = s->system->rigid.data[row] ? -s->system->error.data[row] / s->step->h : 0;
    }
    ashi_joint_system_solve_block(s->system, block, wanted, impulse);
    ashi_joint_system_push(s->system, block, impulse, now);
    uint32_t slots[2], count = 0;
    if (block->body_a >= p->fixed_count)
        slots[count++] = s->system->places.data[block->body_a].slot;
    if (block->body_b >= p->fixed_count)
        slots[count++] = s->system->places.data[block->body_b].slot;
    ashi_predict(s->prediction, slots, count);
    return error;
}

/* A sweep with errors that follow the velocities, from those of the last prediction. */
static double sweep_linearly(const sweeping *s)
{
    const ashi_system *p = &s->system->problem;
    const ashi_state *now = &s->step->model->bodies.now;
    double h = s->step->h, largest = 0;
    for (uint32_t k = 0; k < p->block_count; k++) {
        largest = fmax(largest, predicted_error(s, &p->blocks[k]));
        for (uint32_t i = p->blocks[k].first_row; i < p->blocks[k].first_row + p->blocks[k].row_count; i++)
            s->system->error.data[i] -= h * ashi_joint_system_rate(s->system, &p->blocks[k], &p->rows[i], now);
    }
    for (uint32_t k = 0; k < p->block_count && largest > s->tolerance; k++) {
        const ashi_block *block = &p->blocks[k];
        double wanted[ASHI_HOLD_ROWS], impulse[ASHI_HOLD_ROWS];
        count_visit(s->step, block, true);
        for (uint32_t i = 0; i < block->row_count; i++) {
            uint32_t row = block->first_row + i;
            wanted[i] = -s->system->error.data[row] / h - ashi_joint_system_rate(s->system, block, &p->rows[row], now);
            wanted[i] = s->system->rigid.data[row] ? wanted[i] : 0;
        }
        ashi_joint_system_solve_block(s->system, block, wanted, impulse);
        ashi_joint_system_push(s->system, block, impulse, now);
    }
    return largest;
}

static bool sweep(const sweeping *s, double *largest)
{
    const ashi_system *p = &s->system->problem;
    *largest = 0;
    if (!s->prediction->single) {
        *largest = sweep_linearly(s);
        return *largest <= s->tolerance || ashi_predict_all(s->prediction);
    }
    for (uint32_t k = 0; k < p->block_count; k++)
        *largest = fmax(*largest, correct_joint(s, &p->blocks[k]));
    return true;
}

bool ashi_joint_sweep_positions(ashi_joint_system *system, ashi_prediction *prediction, double tolerance, double *free,
                                double *error)
{
    ashi_step *step = prediction->step;
    sweeping s = {system, prediction, step, tolerance};
    double start = ashi_seconds();
    for (uint32_t i = 0;; i++) {
        if (!sweep(&s, error))
            return false;
        *free = i == 0 ? *error : *free;
        if (atomic_load(&step->worst_slot) != ASHI_NO_SLOT)
            *error = INFINITY;
        if (*error <= tolerance)
            return true;
        step->joint_corrections++;
        if (i >= step->method.joint_iterations || out_of_time(step, start) || *error > DIVERGED * *free)
            break;
    }
    give_up(step, start);
    return true;
}

void ashi_joint_sweep_velocities(ashi_joint_system *system, ashi_step *step, double tolerance)
{
    const ashi_system *p = &system->problem;
    const ashi_state *next = &step->model->bodies.next;
    double start = ashi_seconds();
    for (uint32_t sweep = 0; sweep <= step->method.joint_iterations && !out_of_time(step, start); sweep++) {
        double largest = 0;
        for (uint32_t k = 0; k < p->block_count; k++) {
            const ashi_block *block = &p->blocks[k];
            double wanted[ASHI_HOLD_ROWS], impulse[ASHI_HOLD_ROWS], most = 0;
            for (uint32_t i = 0; i < block->row_count; i++) {
                uint32_t row = block->first_row + i;
                wanted[i] = system->rigid.data[row] ? -ashi_joint_system_rate(system, block, &p->rows[row], next) : 0;
                most = fmax(most, fabs(wanted[i]));
            }
            largest = fmax(largest, most);
            count_visit(step, block, most > tolerance);
            if (!(most > tolerance))
                continue;
            ashi_joint_system_solve_block(system, block, wanted, impulse);
            ashi_joint_system_push(system, block, impulse, next);
        }
        if (largest <= tolerance)
            return;
        step->velocity_corrections++;
    }
    give_up(step, start);
}

uint32_t ashi_joint_sweep_solve(const ashi_joint_system *system, const double *wanted, double tolerance, uint32_t most,
                                double *impulse, ash_motion *change)
{
    const ashi_system *p = &system->problem;
    double largest = INFINITY;
    for (uint32_t i = 0; i < p->body_count; i++)
        change[i] = (ash_motion){{0, 0, 0}, {0, 0, 0}};
    for (uint32_t i = 0; i < p->row_count; i++)
        impulse[i] = 0;
    uint32_t sweep = 0;
    for (; sweep < most && largest > tolerance; sweep++) {
        largest = 0;
        for (uint32_t k = 0; k < p->block_count; k++) {
            const ashi_block *block = &p->blocks[k];
            double left[ASHI_HOLD_ROWS], more[ASHI_HOLD_ROWS];
            for (uint32_t i = 0; i < block->row_count; i++) {
                const ashi_row *row = &p->rows[block->first_row + i];
                left[i] =
                    wanted[block->first_row + i] - ashi_row_speed(row, &change[block->body_a], &change[block->body_b]);
                left[i] = system->rigid.data[block->first_row + i] ? left[i] : 0;
                largest = fmax(largest, fabs(left[i]));
            }
            ashi_joint_system_solve_block(system, block, left, more);
            for (uint32_t i = 0; i < block->row_count; i++) {
                ashi_row_push(p, block, &p->rows[block->first_row + i], more[i], change);
                impulse[block->first_row + i] += more[i];
            }
        }
    }
    return sweep;
}
