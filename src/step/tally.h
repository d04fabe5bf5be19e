/* The results of a part of a step besides the state: a part that is taken back must leave none of them. */
#ifndef ASHI_STEP_TALLY_H
#define ASHI_STEP_TALLY_H

#include "step/step.h"

typedef struct ashi_tally {
    ashi_work work;
    ash_yardstick error;
    uint64_t worst_a, worst_b, worst_row;
    uint32_t flags, solve_flags;
    double residual;
} ashi_tally;

static inline ashi_tally ashi_tally_keep(const ashi_step *step)
{
    return (ashi_tally){step->work,      step->error, step->worst_a,     step->worst_b,
                        step->worst_row, step->flags, step->solve_flags, step->residual};
}

static inline void ashi_tally_restore(ashi_step *step, const ashi_tally *b)
{
    step->work = b->work;
    step->error = b->error;
    step->worst_a = b->worst_a;
    step->worst_b = b->worst_b;
    step->worst_row = b->worst_row;
    step->flags = b->flags;
    step->solve_flags = b->solve_flags;
    step->residual = b->residual;
}

#endif
