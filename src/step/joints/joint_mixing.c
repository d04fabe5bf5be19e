/* Anderson mixing. With steps dx_j = x_{j+1} - x_j and turns df_j = f_{j+1} - f_j of the last iterates, f(x) being the
 * iteration's answer, the weights c that make |f - sum c_j df_j| least give the step f - sum c_j (dx_j + df_j): the
 * iteration's own, as if its answers were linear. The turns are made orthogonal from the newest on; those that add
 * nothing new are passed over. */
#include "step/joints/joint_mixing.h"

#include <string.h>

#define LEAST_NEWS 1e-8 /* of a turn's square: what must be left of it to count */

void ashi_mixing_release(ashi_mixing *m)
{
    ashi_array_release(&m->steps);
    ashi_array_release(&m->turns);
    ashi_array_release(&m->basis);
    ashi_array_release(&m->previous);
}

bool ashi_mixing_begin(ashi_mixing *m, uint32_t size)
{
    uint64_t all = ASHI_MIXING_DEPTH * (uint64_t)size;
    m->size = size;
    m->count = m->last = 0;
    m->begun = false;
    return ashi_array_reserve(&m->steps, all) && ashi_array_reserve(&m->turns, all) &&
           ashi_array_reserve(&m->basis, all) && ashi_array_reserve(&m->previous, 2 * (uint64_t)size);
}

static double dot(const double *a, const double *b, uint32_t size)
{
    double sum = 0;
    for (uint32_t i = 0; i < size; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add_scaled(double *a, const double *b, double times, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        a[i] += times * b[i];
}

/* Notes the difference that the last step has made, over the oldest. */
static void note(ashi_mixing *m, const double *answer)
{
    uint32_t n = m->size;
    m->last = m->count == 0 ? 0 : (m->last + 1) % ASHI_MIXING_DEPTH;
    m->count += m->count < ASHI_MIXING_DEPTH;
    double *step = m->steps.data + (size_t)m->last * n, *turn = m->turns.data + (size_t)m->last * n;
    memcpy(step, m->previous.data, n * sizeof *step);
    for (uint32_t i = 0; i < n; i++)
        turn[i] = answer[i] - m->previous.data[n + i];
}

/* The weights of the differences, newest first: f = answer becomes what is left of it. */
static void weigh(ashi_mixing *m, double *left, double weights[ASHI_MIXING_DEPTH])
{
    uint32_t n = m->size;
    double upper[ASHI_MIXING_DEPTH][ASHI_MIXING_DEPTH] = {{0}}, square[ASHI_MIXING_DEPTH] = {0};
    for (uint32_t k = 0; k < m->count; k++) {
        const double *turn = m->turns.data + (size_t)((m->last + ASHI_MIXING_DEPTH - k) % ASHI_MIXING_DEPTH) * n;
        double *fresh = m->basis.data + (size_t)k * n, size = dot(turn, turn, n);
        memcpy(fresh, turn, n * sizeof *fresh);
        for (uint32_t j = 0; j < k; j++) {
            const double *known = m->basis.data + (size_t)j * n;
            upper[j][k] = square[j] > 0 ? dot(known, fresh, n) / square[j] : 0;
            add_scaled(fresh, known, -upper[j][k], n);
        }
        square[k] = dot(fresh, fresh, n);
        square[k] = square[k] > LEAST_NEWS * size ? square[k] : 0;
        weights[k] = square[k] > 0 ? dot(fresh, left, n) / square[k] : 0;
        add_scaled(left, fresh, -weights[k], n);
    }
    for (uint32_t k = m->count; k-- > 0;) /* from the basis back to the turns */
        for (uint32_t j = k + 1; j < m->count; j++)
            weights[k] -= square[k] > 0 ? upper[k][j] * weights[j] : 0;
}

void ashi_mixing_mix(ashi_mixing *m, double *answer)
{
    uint32_t n = m->size;
    double weights[ASHI_MIXING_DEPTH] = {0};
    if (m->begun)
        note(m, answer);
    m->begun = true;
    memcpy(m->previous.data + n, answer, n * sizeof *answer);
    weigh(m, answer, weights);
    for (uint32_t k = 0; k < m->count; k++)
        add_scaled(answer, m->steps.data + (size_t)((m->last + ASHI_MIXING_DEPTH - k) % ASHI_MIXING_DEPTH) * n,
                   -weights[k], n);
    memcpy(m->previous.data, answer, n * sizeof *answer);
}

void ashi_mixing_shorten(ashi_mixing *m, double taken)
{
    for (uint32_t i = 0; i < m->size && m->begun; i++)
        m->previous.data[i] *= taken;
}
