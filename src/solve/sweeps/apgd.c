/* Accelerated projected gradient descent (Mazhar 2015) on the convex relaxation of the problem:
 *
 *   minimize  1/2 lambda^T N lambda + b^T lambda  over lambda in K,   N = J M^-1 J^T + softness,
 *
 * whose gradient is u. Its solution has u, not u + s(u) n, in the dual cone: a contact that slides at speed u_t opens
 * with mu |u_t|. The yardstick, which knows Coulomb's law, shows what that costs.
 *
 * Nesterov's method with weights w (one over the mean response of the rows that are projected together), the step 1/L
 * found by backtracking on L, and restarts by the gradient (O'Donoghue & Candes 2015). Everything is linear in lambda
 * until the projection, so that one pass of J^T and one of J per trial give both the test of L and the next gradient.
 * The best iterate, by the natural map of the relaxed problem in m/s, is the result. */
#include "solve/sweeps/sweep.h"

#define REFRESH 10   /* iterations after which speeds are rebuilt from impulses; also those between judgements */
#define EASE    0.97 /* of L after each step, so that it can become smaller again */

typedef struct descent {
    ashi_sweep_state sweep;                   /* its impulses are lambda, its motion that of a change */
    double *weight;                           /* by row */
    double *ahead;                            /* y: lambda with momentum */
    double *next;                             /* lambda of the next iteration */
    double *speed, *speed_ahead, *speed_next; /* u of each */
    double *change;                           /* N (next - ahead) */
    double curvature;                         /* L */
    double momentum;                          /* theta */
    double relaxed;                           /* natural map of lambda, m/s */
    double *best, best_relaxed;
} descent;

static bool take_vectors(descent *d, ashi_arena *scratch)
{
    double **vectors[] = {&d->weight,      &d->ahead,      &d->next,   &d->speed,
                          &d->speed_ahead, &d->speed_next, &d->change, &d->best};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if ((*vectors[i] = ashi_arena_take_array(scratch, d->sweep.row_count, sizeof **vectors[i])) == NULL)
            return false;
    return true;
}

/* One weight for rows that are projected together: normal and tangents, rollings, spin, each plain row. */
static void weigh_rows(descent *d)
{
    for (uint32_t k = 0; k < d->sweep.block_count; k++) {
        const ashi_sweep_block *block = &d->sweep.blocks[k];
        const ashi_block *source = d->sweep.links[k].source;
        bool contact = source->kind == ASHI_CONTACT_BLOCK;
        uint32_t ends[] = {1u + source->tangents, 1u + source->tangents + source->rollings, block->count};
        uint32_t group = 0, end;
        for (uint32_t first = 0; first < block->count; first = end) {
            while (contact && ends[group] <= first)
                group++;
            end = contact ? ends[group] : first + 1;
            double sum = 0;
            for (uint32_t i = first; i < end; i++)
                sum += d->sweep.links[k].matrix[ASHI_PACKED(i, i)];
            for (uint32_t i = first; i < end; i++)
                d->weight[block->first + i] = sum > 0 ? (end - first) / sum : 1;
        }
    }
}

/* ---- passes over all rows ---- */

/* The speeds of the first guess, whose velocities the sweep holds. */
static void find_speeds(descent *d, double *speed)
{
    ashi_sweep_state *s = &d->sweep;
    for (uint32_t k = 0; k < s->block_count; k++) {
        const ashi_sweep_block *block = &s->blocks[k];
        const double *a = &s->motion[block->a], *b = &s->motion[block->b];
        for (uint32_t i = block->first; i < block->first + block->count; i++)
            speed[i] = ashi_sweep_speed(&s->rows[i], a, b, s->impulse[i]);
    }
}

/* change = N (next - ahead); the velocities it makes use the target as their place. */
static void respond(descent *d)
{
    ashi_sweep_state *s = &d->sweep;
    memset(s->target, 0, s->motion_count * sizeof *s->target);
    for (uint32_t k = 0; k < s->block_count; k++) {
        const ashi_sweep_block *block = &s->blocks[k];
        double *a = &s->target[block->a], *b = &s->target[block->b];
        for (uint32_t i = block->first; i < block->first + block->count; i++)
            ashi_sweep_push(&s->rows[i], a, b, d->next[i] - d->ahead[i]);
    }
    for (uint32_t k = 0; k < s->block_count; k++) {
        const ashi_sweep_block *block = &s->blocks[k];
        const double *a = &s->target[block->a], *b = &s->target[block->b];
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const ashi_sweep_row *row = &s->rows[i];
            d->change[i] = ashi_sweep_speed(row, a, b, d->next[i] - d->ahead[i]) - row->bias;
        }
    }
}

/* to = P_K(from - step w u). */
static void step_and_project(const descent *d, const double *from, const double *speed, double step, double *to)
{
    const ashi_sweep_state *s = &d->sweep;
    for (uint32_t k = 0; k < s->block_count; k++) {
        const ashi_sweep_block *block = &s->blocks[k];
        uint32_t end = block->first + block->count;
        for (uint32_t i = block->first; i < end; i++)
            to[i] = from[i] - step * d->weight[i] * speed[i];
        if (block->kind != ASHI_SWEEP_ROWS)
            ashi_law_project(s->solve->law, s->links[k].source, &d->weight[block->first], &to[block->first]);
        for (uint32_t i = block->first; block->kind == ASHI_SWEEP_ROWS && i < end; i++)
            to[i] = ashi_clamped(to[i], s->bounds[i].lower, s->bounds[i].upper);
    }
}

/* ---- the iteration ---- */

/* The largest velocity error of the relaxed problem's conditions. `room` is overwritten. */
static double natural_map(const descent *d, double *room)
{
    const ashi_sweep_state *s = &d->sweep;
    double largest = 0;
    step_and_project(d, s->impulse, d->speed, 1, room);
    for (uint32_t i = 0; i < s->row_count; i++) {
        double off = isnan(d->speed[i]) ? d->speed[i] : fabs(room[i] - s->impulse[i]) / d->weight[i];
        largest = off > largest || isnan(off) ? off : largest;
    }
    return largest;
}

/* From `ahead` downhill: L grows until the quadratic with L is above the function. */
static void descend(descent *d)
{
    for (;;) {
        double bent = 0, allowed = 0;
        step_and_project(d, d->ahead, d->speed_ahead, 1 / d->curvature, d->next);
        respond(d);
        for (uint32_t i = 0; i < d->sweep.row_count; i++) {
            double way = d->next[i] - d->ahead[i];
            bent += way * d->change[i];
            allowed += way * way / d->weight[i];
        }
        if (!(bent > d->curvature * allowed * (1 + 1e-12)))
            return;
        d->curvature *= 2;
    }
}

/* Takes the step, and looks ahead by Nesterov's momentum; uphill the momentum is dropped. */
static void advance(descent *d)
{
    ashi_sweep_state *s = &d->sweep;
    double theta = d->momentum, uphill = 0;
    double next_theta = (sqrt(theta * theta + 4) - theta) * theta / 2;
    double beta = theta * (1 - theta) / (theta * theta + next_theta);
    for (uint32_t i = 0; i < s->row_count; i++) {
        d->speed_next[i] = d->speed_ahead[i] + d->change[i];
        uphill += d->speed_ahead[i] * (d->next[i] - s->impulse[i]);
    }
    if (uphill > 0) {
        beta = 0;
        next_theta = 1;
    }
    for (uint32_t i = 0; i < s->row_count; i++) {
        d->ahead[i] = d->next[i] + beta * (d->next[i] - s->impulse[i]);
        d->speed_ahead[i] = d->speed_next[i] + beta * (d->speed_next[i] - d->speed[i]);
        s->impulse[i] = d->next[i];
        d->speed[i] = d->speed_next[i];
    }
    d->momentum = next_theta;
    d->curvature *= EASE;
}

static void keep_best(descent *d)
{
    d->relaxed = natural_map(d, d->change);
    if (!(d->relaxed < d->best_relaxed))
        return;
    d->best_relaxed = d->relaxed;
    memcpy(d->best, d->sweep.impulse, d->sweep.row_count * sizeof *d->best);
}

/* Recomputes speeds from the published impulses: sums over many steps have accumulated rounding. */
static void refresh(descent *d)
{
    double *fresh = d->change;
    find_speeds(d, fresh);
    for (uint32_t i = 0; i < d->sweep.row_count; i++) {
        d->speed_ahead[i] += fresh[i] - d->speed[i];
        d->speed[i] = fresh[i];
    }
}

static bool begin(descent *d, ashi_solve *solve)
{
    if (!ashi_sweep_prepare(&d->sweep, solve, 1, solve->settings->regularization, false) ||
        !take_vectors(d, solve->scratch))
        return false;
    d->sweep.target = ashi_arena_take_array(solve->scratch, d->sweep.motion_count, sizeof *d->sweep.target);
    if (d->sweep.target == NULL)
        return false;
    size_t size = d->sweep.row_count * sizeof(double);
    weigh_rows(d);
    find_speeds(d, d->speed);
    memcpy(d->ahead, d->sweep.impulse, size);
    memcpy(d->speed_ahead, d->speed, size);
    memcpy(d->best, d->sweep.impulse, size);
    d->curvature = d->momentum = 1;
    d->best_relaxed = INFINITY;
    keep_best(d);
    return true;
}

static bool has_converged(const descent *d)
{
    double tolerance = d->sweep.solve->settings->tolerance;
    return tolerance > 0 && d->best_relaxed <= tolerance;
}

bool ashi_solve_apgd(ashi_solve *solve)
{
    descent d;
    if (!begin(&d, solve))
        return false;
    solve->flags |= ASH_SOLVE_RELAXED;
    while (!has_converged(&d) && isfinite(d.relaxed) && ashi_sweep_goes_on(&d.sweep, REFRESH)) {
        if (solve->iterations % REFRESH == 1 && solve->iterations > 1) {
            if (!ashi_sweep_publish(&d.sweep))
                break;
            refresh(&d);
        }
        descend(&d);
        advance(&d);
        keep_best(&d);
    }
    if (!isfinite(d.relaxed))
        solve->flags |= ASH_SOLVE_FAILED;
    memcpy(d.sweep.impulse, d.best, d.sweep.row_count * sizeof *d.best);
    ashi_sweep_publish(&d.sweep);
    if (has_converged(&d)) {
        solve->flags |= ASH_SOLVE_CONVERGED;
        return solve->trace == NULL || ashi_solve_judge(solve);
    }
    return true;
}
