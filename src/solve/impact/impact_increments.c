/* Impacts of several points, followed in increments, each one solve with Coulomb friction.
 *
 * Compression: contacts that approach at a_i are slowed down together, u_n >= -(1 - k / K) a_i in increment k of K;
 * others may not close. So are joints' rows that do not hold yet. Restitution: the contacts of two bodies give back
 * what they took, by the energetic law (k / K)^2 of the sum of e_i^2 W_i up to increment k, by Poisson's k / K of e_i
 * times their impulses. The rebound that does so, u_n >= r e_i a_i, has one unknown r for every two bodies: how several
 * points of two bodies share a load is not unique. Without friction and with one coefficient r is k / K, for both laws:
 * Newton's.
 *
 * Friction of an increment acts against the slip at its end. Where this would do positive work, since slip turned
 * around within the increment, it acts against the mean of the slips: with half the impulse x the problem of the
 * velocities half way is of the same kind, and lambda = 2 x does the work 2 x u(1/2) <= 0. So friction never gives
 * energy, whatever the number of increments, and neither does the normal force. Increments are doubled until the end of
 * the impact stays the same.
 */
#include "solve/impact/impact_increments.h"

#include <math.h>

#define SAME            1e-3  /* of the fastest approach: velocities that differ less are the same */
#define EVEN            1e-6  /* the same, of changes from increment to increment */
#define FEWEST          8     /* increments from which on ends are compared */
#define MOST_INCREMENTS 32    /* of a phase, ... */
#define MOST_SOLVES     2048  /* ... and this many times the blocks */
#define FASTEST         100   /* times e times the approach: no rebound is faster */
#define TRIALS          24    /* of the rebound of an increment */
#define EXACT           1e-9  /* of what is to be given back */
#define NEARLY          1e-3  /* the same, or the impact is not solved */
#define NOTHING         1e-12 /* of the energies of the approach: rounding */
#define HALVINGS        16    /* of coefficients that make energy */
#define GAIN            1e-9  /* of the energies of the approach, and ... */
#define LEFT            10    /* ... of the solver's tolerance, times the impulses: what solves leave open */

typedef struct increments {
    ashi_gradual_impact *m;
    uint32_t count;
    double share; /* of the coefficients of restitution: 1, or less where they make energy */
} increments;

static const ashi_block *block_at(const ashi_gradual_impact *m, uint32_t k)
{
    return &m->problem->blocks[m->island->first_block + k];
}

static uint32_t row_of(const ashi_gradual_impact *m, const ashi_block *block)
{
    return block->first_row - m->first_row;
}

/* ---- one increment ---- */

static double row_speed(const ashi_gradual_impact *m, const ashi_block *block, uint32_t i)
{
    const ash_motion *v = m->problem->velocity;
    return ashi_row_speed(&m->problem->rows[block->first_row + i], &v[block->body_a], &v[block->body_b]);
}

/* Speeds at the start of an increment. */
static void begin_increment(ashi_gradual_impact *m)
{
    for (uint32_t i = 0; i < m->island->body_count; i++)
        m->problem->velocity[m->island->first_body + i] = m->now[i];
    for (uint32_t k = 0; k < m->island->block_count; k++) {
        const ashi_block *block = block_at(m, k);
        for (uint32_t i = 0; i < block->row_count; i++)
            m->before[row_of(m, block) + i] = row_speed(m, block, i);
    }
}

/* Whether friction of a contact gave energy in the solve of an increment. */
static bool friction_gives(const ashi_gradual_impact *m)
{
    for (uint32_t k = 0; k < m->island->block_count; k++) {
        const ashi_block *block = block_at(m, k);
        double work = 0, size = 0;
        for (uint32_t i = 1; block->kind == ASHI_CONTACT_BLOCK && i < block->row_count; i++) {
            double impulse = m->problem->rows[block->first_row + i].impulse;
            double slip =
                0.5 * (m->before[row_of(m, block) + i] + row_speed(m, block, i)) + m->bias[row_of(m, block) + i];
            work += impulse * slip;
            size += fabs(impulse) * m->fastest;
        }
        if (work > NOTHING * size)
            return true;
    }
    return false;
}

/* Normals and plain rows ask for speeds at the end; friction looks at slip half way. */
static void halve_biases(ashi_gradual_impact *m)
{
    for (uint32_t k = 0; k < m->island->block_count; k++) {
        const ashi_block *block = block_at(m, k);
        uint32_t count = block->kind == ASHI_CONTACT_BLOCK ? 1 : block->row_count;
        for (uint32_t i = 0; i < count; i++) {
            ashi_row *row = &m->problem->rows[block->first_row + i];
            row->bias = 0.5 * (row->bias - m->before[row_of(m, block) + i]);
        }
    }
}

static void double_solution(ashi_gradual_impact *m)
{
    ashi_system *p = m->problem;
    for (uint32_t i = 0; i < m->island->body_count; i++) {
        ash_motion *v = &p->velocity[m->island->first_body + i];
        v->linear = v3_sub(v3_scale(v->linear, 2), m->now[i].linear);
        v->angular = v3_sub(v3_scale(v->angular, 2), m->now[i].angular);
    }
    for (uint32_t r = 0; r < m->row_count; r++)
        p->rows[m->first_row + r].impulse *= 2;
}

/* Solves an increment with the biases that the rows have. False when memory ran out. */
static bool solve_increment(ashi_gradual_impact *m)
{
    if (!ashi_impact_run(m))
        return false;
    if (!friction_gives(m))
        return true;
    halve_biases(m);
    if (!ashi_impact_run(m))
        return false;
    double_solution(m);
    return true;
}

static void accept_increment(ashi_gradual_impact *m, bool first)
{
    const ashi_system *p = m->problem;
    for (uint32_t k = 0; k < m->island->block_count; k++) {
        const ashi_block *block = block_at(m, k);
        for (uint32_t i = 0; i < block->row_count; i++) {
            uint32_t r = row_of(m, block) + i;
            double impulse = p->rows[block->first_row + i].impulse;
            double after = row_speed(m, block, i), change = after - m->before[r];
            m->impulse[r] += impulse;
            m->work[r] += 0.5 * impulse * (m->before[r] + after);
            m->bent = first ? m->bent : fmax(m->bent, fabs(change - m->change[r]));
            m->change[r] = change;
        }
    }
    for (uint32_t i = 0; i < m->island->body_count; i++)
        m->now[i] = p->velocity[m->island->first_body + i];
}

/* ---- compression ---- */

/* How much of its error at the start a row may still have. */
static double open_error(const ashi_gradual_impact *m, const ashi_row *row, uint32_t r, double open)
{
    double error = m->speed[r] + m->bias[r];
    bool equality = row->lower == -HUGE_VAL && row->upper == HUGE_VAL;
    bool limit = row->lower == 0 && row->upper == HUGE_VAL;
    return equality || (limit && error < 0) ? open * error : 0;
}

static void ask_compression(ashi_gradual_impact *m, double open)
{
    for (uint32_t k = 0; k < m->island->block_count; k++) {
        const ashi_block *block = block_at(m, k);
        for (uint32_t i = 0; i < block->row_count; i++) {
            ashi_row *row = &m->problem->rows[block->first_row + i];
            uint32_t r = row_of(m, block) + i;
            if (block->kind == ASHI_CONTACT_BLOCK)
                row->bias = i == 0 ? open * fmax(-m->speed[r], 0) : m->bias[r];
            else
                row->bias = m->bias[r] - open_error(m, row, r, open);
        }
    }
}

static bool compress(const increments *s)
{
    ashi_gradual_impact *m = s->m;
    for (uint32_t increment = 1; increment <= s->count && !m->lost; increment++) {
        begin_increment(m);
        ask_compression(m, 1 - (double)increment / s->count);
        if (!solve_increment(m))
            return false;
        accept_increment(m, increment == 1);
    }
    for (uint32_t k = 0; k < m->island->block_count; k++) {
        const ashi_block *block = block_at(m, k);
        uint32_t r = row_of(m, block);
        bool poisson = m->problem->restitution_law == ASH_RESTITUTION_POISSON;
        m->compressed[k] = block->kind == ASHI_CONTACT_BLOCK ? fmax(poisson ? m->impulse[r] : -m->work[r], 0) : 0;
    }
    return true;
}

/* ---- restitution ---- */

/* The blocks from k on that are contacts of the same two bodies; 1 of other kinds. */
static uint32_t count_together(const ashi_gradual_impact *m, uint32_t k)
{
    const ashi_block *first = block_at(m, k);
    uint32_t end = k + 1;
    while (first->kind == ASHI_CONTACT_BLOCK && end < m->island->block_count &&
           block_at(m, end)->kind == ASHI_CONTACT_BLOCK && block_at(m, end)->body_a == first->body_a &&
           block_at(m, end)->body_b == first->body_b)
        end++;
    return end - k;
}

/* What contacts of two bodies are to give back in all, ... */
static double wanted(const increments *s, uint32_t first, uint32_t count)
{
    const ashi_gradual_impact *m = s->m;
    bool poisson = m->problem->restitution_law == ASH_RESTITUTION_POISSON;
    double sum = 0;
    for (uint32_t k = first; k < first + count; k++) {
        double e = s->share * m->coefficient[k];
        sum += (poisson ? e : e * e) * m->compressed[k];
    }
    return sum;
}

/* ... and what they have given: before this increment, and in it. Contacts that do not rebound count, too: only so is
 * the work of all of them known. */
static void given(const ashi_gradual_impact *m, uint32_t first, uint32_t count, double *before, double *here)
{
    bool poisson = m->problem->restitution_law == ASH_RESTITUTION_POISSON;
    *before = *here = 0;
    for (uint32_t k = first; k < first + count; k++) {
        const ashi_block *block = block_at(m, k);
        uint32_t r = row_of(m, block);
        double impulse = m->problem->rows[block->first_row].impulse;
        if (!(m->coefficient[k] > 0))
            continue;
        *before += poisson ? m->impulse[r] - m->compressed[k] : m->work[r] + m->compressed[k];
        *here += poisson ? impulse : 0.5 * impulse * (m->before[r] + row_speed(m, block, 0));
    }
}

static void ask_restitution(const increments *s, uint32_t first, uint32_t count)
{
    const ashi_gradual_impact *m = s->m;
    for (uint32_t k = first; k < first + count; k++) {
        const ashi_block *block = block_at(m, k);
        for (uint32_t i = 0; i < block->row_count; i++) {
            uint32_t r = row_of(m, block) + i;
            double rebound = m->ratio[first] * m->coefficient[k] * fmax(-m->speed[r], 0);
            m->problem->rows[block->first_row + i].bias =
                block->kind == ASHI_CONTACT_BLOCK && i == 0 ? -rebound : m->bias[r];
        }
    }
}

/* The next guess of a rebound by what the last one gave; how far that is from what is wanted, as a share. */
static double improve(const increments *s, uint32_t first, uint32_t count, double part)
{
    const ashi_gradual_impact *m = s->m;
    bool poisson = m->problem->restitution_law == ASH_RESTITUTION_POISSON;
    double all = wanted(s, first, count), before, here, last = m->from[first], ratio = m->ratio[first];
    if (!(all > 0))
        return 0;
    given(m, first, count, &before, &here);
    double missing = (poisson ? part : part * part) * all - before;
    double error = fabs(here - missing) / all;
    if (error <= EXACT)
        return 0;
    /* Impulses are linear in the rebound where nothing changes, works are of its square. */
    double from = poisson ? last : last * last, at = poisson ? ratio : ratio * ratio, next;
    if (here > 0 && at > from)
        next = from + (at - from) * fmin(fmax(missing / here, 0), 4);
    else
        next = at + (missing > 0 ? part / s->count : 0);
    m->ratio[first] = fmin(poisson ? next : sqrt(next), FASTEST);
    return error;
}

static bool restitute_increment(const increments *s, uint32_t increment)
{
    double part = (double)increment / s->count;
    ashi_gradual_impact *m = s->m;
    double worst = 1, best = HUGE_VAL;
    begin_increment(m);
    for (uint32_t k = 0; k < m->island->block_count; k++)
        m->from[k] = m->ratio[k];
    for (uint32_t k = 0, count; k < m->island->block_count; k += count) {
        count = count_together(m, k);
        m->ratio[k] = increment == 1 ? part * s->share : m->from[k] * increment / (increment - 1);
    }
    for (int trial = 0; trial < TRIALS && worst > 0 && !m->lost; trial++) {
        for (uint32_t k = 0, count; k < m->island->block_count; k += count)
            ask_restitution(s, k, count = count_together(m, k));
        if (!solve_increment(m))
            return false;
        worst = 0;
        for (uint32_t k = 0, count; k < m->island->block_count; k += count)
            worst = fmax(worst, improve(s, k, count = count_together(m, k), part));
        double reached = fmax(EXACT, 4 * m->residual / m->fastest);
        if (worst <= reached || (trial > 8 && worst <= NEARLY && worst >= best))
            worst = fmin(worst, 0);
        best = fmin(best, worst);
    }
    if (worst > NEARLY && increment == s->count) /* what an earlier one leaves, the next one makes good */
        m->flags &= ~(uint32_t)ASH_SOLVE_CONVERGED;
    accept_increment(m, increment == 1);
    return true;
}

static bool restitute(const increments *s)
{
    ashi_gradual_impact *m = s->m;
    double most = 0;
    for (uint32_t k = 0; k < m->island->block_count; k++) {
        m->ratio[k] = 0;
        most = fmax(most, s->share * m->coefficient[k]);
    }
    for (uint32_t increment = 1; increment <= s->count && most > 0 && !m->lost; increment++)
        if (!restitute_increment(s, increment))
            return false;
    return true;
}

/* ---- all ---- */

static bool follow(const increments *s)
{
    ashi_impact_rewind(s->m);
    s->m->bent = 0;
    return compress(s) && restitute(s);
}

/* By how much the velocities of contacts differ from those with other increments, which are replaced. */
static double difference(ashi_gradual_impact *m)
{
    ashi_system *p = m->problem;
    double largest = 0;
    for (uint32_t i = 0; i < m->island->body_count; i++) {
        ash_motion *v = &p->velocity[m->island->first_body + i];
        v->linear = v3_sub(m->now[i].linear, m->other[i].linear);
        v->angular = v3_sub(m->now[i].angular, m->other[i].angular);
        m->other[i] = m->now[i];
    }
    static const ash_motion none = {{0, 0, 0}, {0, 0, 0}};
    for (uint32_t k = 0; k < m->island->block_count; k++) {
        const ashi_block *block = block_at(m, k);
        const ash_motion *a = block->body_a < p->fixed_count ? &none : &p->velocity[block->body_a];
        const ash_motion *b = block->body_b < p->fixed_count ? &none : &p->velocity[block->body_b];
        for (uint32_t i = 0; block->kind == ASHI_CONTACT_BLOCK && i < 1u + block->tangents; i++)
            largest = fmax(largest, fabs(ashi_row_speed(&p->rows[block->first_row + i], a, b)));
    }
    return largest;
}

/* Whether more increments would lead to the same end: velocities change evenly, or no longer with the increments. */
static bool is_enough(ashi_gradual_impact *m, uint32_t count)
{
    double other = difference(m);
    return m->bent <= EVEN * m->fastest || (count >= FEWEST && other <= SAME * m->fastest);
}

/* Coefficients as they are, or the largest share of them that makes no energy. */
static bool limit_work(increments *s)
{
    ashi_gradual_impact *m = s->m;
    double low = 0, high = 1, nothing = 0, tolerance = LEFT * m->solve->settings->tolerance;
    for (uint32_t k = 0; k < m->island->block_count; k++) {
        uint32_t r = row_of(m, block_at(m, k));
        bool contact = block_at(m, k)->kind == ASHI_CONTACT_BLOCK;
        nothing += contact ? fabs(m->impulse[r]) * (GAIN * fabs(m->speed[r]) + tolerance) : 0;
    }
    for (int i = 0; i <= HALVINGS; i++) {
        if (ashi_impact_work(m) > nothing)
            high = s->share;
        else if (i == 0)
            return true;
        else
            low = s->share;
        s->share = i + 1 < HALVINGS ? 0.5 * (low + high) : low;
        if (!follow(s))
            return false;
    }
    return true;
}

bool ashi_impact_by_increments(ashi_gradual_impact *m)
{
    increments s = {m, 1, 1};
    uint32_t most = MOST_SOLVES / m->island->block_count;
    most = most > MOST_INCREMENTS ? MOST_INCREMENTS : most < 2 ? 2 : most;
    if (!follow(&s))
        return false;
    difference(m);
    do {
        s.count *= 2;
        m->flags = m->iterations = 0;
        if (!follow(&s))
            return false;
    } while (!m->lost && 2 * s.count <= most && !is_enough(m, s.count) && !ashi_solve_is_spent(m->solve));
    return m->lost || limit_work(&s);
}
