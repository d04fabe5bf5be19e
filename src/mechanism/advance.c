/* A step of the classical Runge-Kutta method in the coordinates: y' = (positions', rates'). Quaternions are integrated
 * by their four numbers, q' = q (0, w) / 2, and made unit after the step: the order is 4 for turns, too. */
#include "mechanism/mechanism.h"

#include <string.h>

/* The derivative of the positions at the rates. */
static void position_rates(const ashi_linkage *m, double *out)
{
    for (uint32_t k = 0; k < m->rate_count; k++) {
        const ashi_motion_axis *axis = &m->axes[k];
        if (axis->form != ASHI_MOTION_BALL)
            out[axis->position] = m->rates[k];
        else if (axis->axis == 0) {
            const double *at = m->positions + axis->position;
            ash_quat q = {at[0], at[1], at[2], at[3]}, spin = {0, m->rates[k], m->rates[k + 1], m->rates[k + 2]};
            ash_quat turn = q_mul(q, spin);
            out[axis->position] = 0.5 * turn.w;
            out[axis->position + 1] = 0.5 * turn.x;
            out[axis->position + 2] = 0.5 * turn.y;
            out[axis->position + 3] = 0.5 * turn.z;
        }
    }
}

/* Unit quaternions for the dynamics of a stage; the derivative of positions has been taken before. */
static bool derive(ashi_linkage *m, const double *forces, double *out)
{
    position_rates(m, out);
    if (!ashi_linkage_normalize(m->positions, m))
        return false;
    ashi_linkage_update(m);
    return ashi_linkage_forward(m, forces, out + m->position_count);
}

bool ashi_linkage_step(ashi_linkage *m, const double *forces, double h)
{
    static const double way[] = {0, 0.5, 0.5, 1}, share[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    uint32_t positions = m->position_count, size = positions + m->rate_count;
    double *start = m->stage, *stages = m->stage + size;
    memcpy(start, m->positions, positions * sizeof *start);
    memcpy(start + positions, m->rates, m->rate_count * sizeof *start);
    bool good = true;
    for (int s = 0; s < 4 && good; s++) {
        for (uint32_t i = 0; i < size; i++) {
            double *value = i < positions ? &m->positions[i] : &m->rates[i - positions];
            *value = start[i] + (s > 0 ? h * way[s] * stages[(size_t)(s - 1) * size + i] : 0);
        }
        good = derive(m, forces, stages + (size_t)s * size);
    }
    for (uint32_t i = 0; i < size; i++) {
        double sum = 0;
        for (int s = 0; s < 4 && good; s++)
            sum += share[s] * stages[(size_t)s * size + i];
        *(i < positions ? &m->positions[i] : &m->rates[i - positions]) = start[i] + h * sum;
    }
    if (good && !(good = ashi_linkage_normalize(m->positions, m))) {
        memcpy(m->positions, start, positions * sizeof *start);
        memcpy(m->rates, start + positions, m->rate_count * sizeof *start);
    }
    ashi_linkage_update(m);
    return good;
}
