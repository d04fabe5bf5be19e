/* Penalty contact: no solve, but springs and dampers, taken at the start of the step (de Jong 2014, 3-3-1).
 *
 * With depth d = -gap and its rate d' from the velocities before the step's forces, the normal force is
 *
 *   stiffness d + dissipation d'             or, after Hertz with Hunt and Crossley's damping (1975),
 *   stiffness d^(3/2) (1 + dissipation d'),
 *
 * never below zero; the impulse is the force times the step. Friction points against the slip, grows linearly up to the
 * slip speed and is mu N beyond it, with the sliding coefficient; the law's clamp bounds it. Rolling and spinning
 * resistance do the same with rad/s for m/s. Plain rows that hold a position are springs and dampers on their error, no
 * stiffer than the step can take; others are taken by themselves, implicitly; all within their bounds.
 * Explicit: stable for steps below about 2 sqrt(m / stiffness) and 2 m slip_speed / (mu N). What it gives is exactly
 * what it means to give, so that it always counts as converged; the yardstick says how far from rigid contact it is. */
#include "solve/solve.h"

#define STIFFEST 1 /* of what would move a row by its whole error, or stop it, in one step */

static double normal_force(const ash_solver_settings *s, double depth, double rate)
{
    if (!(depth > 0))
        return 0;
    double force = s->hertz ? s->stiffness * depth * sqrt(depth) * (1 + s->dissipation * rate)
                            : s->stiffness * depth + s->dissipation * rate;
    return force > 0 ? force : 0;
}

/* Against the velocities of `count` rows: the bound is smaller where they slip fast. */
static void resist(const double *speed, uint32_t count, double slip_speed, double slow_bound, double fast_bound,
                   double *impulse)
{
    double square = 0;
    for (uint32_t i = 0; i < count; i++)
        square += speed[i] * speed[i];
    double slip = sqrt(square);
    double factor = slip > slip_speed ? fast_bound / slip : slip_speed > 0 ? slow_bound / slip_speed : 0;
    for (uint32_t i = 0; i < count; i++)
        impulse[i] = -factor * speed[i];
}

static void push_contact(const ashi_solve *solve, const ash_problem_block *block, ash_problem_row *rows,
                         const double *speed)
{
    const ash_solver_settings *settings = solve->settings;
    double h = solve->problem->h, slip_speed = settings->slip_speed, impulse[ASHI_CONTACT_ROWS];
    double normal = h * normal_force(settings, -rows[0].error, -speed[0]);
    double bound = block->friction_limit >= 0 ? block->friction_limit : normal;
    uint32_t rolling = 1u + block->tangents, spinning = rolling + block->rollings;
    impulse[0] = normal;
    resist(&speed[1], block->tangents, slip_speed, block->friction * bound, block->sliding_friction * bound,
           &impulse[1]);
    resist(&speed[rolling], block->rollings, slip_speed, block->rolling * bound, block->rolling * bound,
           &impulse[rolling]);
    resist(&speed[spinning], block->spins, slip_speed, block->spinning * bound, block->spinning * bound,
           &impulse[spinning]);
    ashi_law_clamp(solve->law, block, bound, &impulse[1]);
    for (uint32_t i = 0; i < block->row_count; i++)
        rows[i].impulse = impulse[i];
}

/* Rows that hold a position are springs, no stiffer than the step can take (several of them may act on a body). Others,
 * motors, springs and friction of joints, are taken by themselves, implicitly. */
static double plain_impulse(const ashi_solve *solve, const ash_problem_block *block, const ash_problem_row *row,
                            double speed)
{
    double h = solve->problem->h, response = ashi_row_response(solve->problem, block, row, row);
    bool limit = (row->lower == 0 && isinf(row->upper)) || (row->upper == 0 && isinf(row->lower));
    if (!(response > 0))
        return 0;
    bool bounded = isfinite(row->lower) && isfinite(row->upper);
    bool drives = !limit && row->error == 0 && (row->bias != 0 || bounded); /* at a speed, or friction */
    if (row->softness > 0 || drives)
        return -(speed + row->bias) / (response + row->softness);
    if ((row->lower == 0 && row->error > 0) || (row->upper == 0 && row->error < 0))
        return 0;
    double stiffness = fmin(solve->settings->stiffness, STIFFEST / (h * h * response));
    double dissipation = fmin(solve->settings->dissipation, STIFFEST / (h * response));
    return h * (-stiffness * row->error - dissipation * speed);
}

static void push_plain_rows(const ashi_solve *solve, const ash_problem_block *block, ash_problem_row *rows,
                            const double *speed)
{
    for (uint32_t i = 0; i < block->row_count; i++) {
        double impulse = plain_impulse(solve, block, &rows[i], speed[i]);
        impulse = impulse < rows[i].lower ? rows[i].lower : impulse;
        rows[i].impulse = impulse > rows[i].upper ? rows[i].upper : impulse;
    }
}

static ash_motion start_of(const ash_problem_body *body)
{
    return (ash_motion){body->start_velocity, body->start_spin};
}

bool ashi_solve_penalty(ashi_solve *solve)
{
    ash_problem *p = solve->problem;
    for (uint32_t k = solve->island->first_block; k < solve->island->first_block + solve->island->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        ash_problem_row *rows = &p->rows[block->first_row];
        ash_motion a = start_of(&p->bodies[block->body_a]), b = start_of(&p->bodies[block->body_b]);
        double speed[ASHI_CONTACT_ROWS];
        for (uint32_t i = 0; i < block->row_count; i++)
            speed[i] = ashi_row_speed(&rows[i], &a, &b);
        if (block->kind == ASH_BLOCK_CONTACT) {
            /* A surface that runs has its speed in the bias; the normal's holds what rigid contact wants. */
            for (uint32_t i = 1; i < block->row_count; i++)
                speed[i] += rows[i].bias;
            push_contact(solve, block, rows, speed);
        } else {
            push_plain_rows(solve, block, rows, speed);
        }
    }
    ashi_problem_velocities(p, solve->island);
    solve->iterations = 1;
    solve->flags |= ASH_SOLVE_CONVERGED;
    return true;
}
