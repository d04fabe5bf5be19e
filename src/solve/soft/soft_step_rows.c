/* Contacts that are in no patch, in the real-time solver (docs/soft-step.md): rows that are anything, rolling and
 * spinning resistance, polygons, two coefficients of friction. Held and visited row by row, all rows of a contact
 * together. */
#include "solve/soft/soft_step.h"

#include <string.h>

#define SMALL 1e-9 /* of an impulse: less than friction that would hold, so that only its direction counts */

/* ---- rows ---- */

static inline double speed_of(const ashi_soft_row *row, const ash_motion *a, const ash_motion *b)
{
    return v3_dot(row->linear, v3_sub(b->linear, a->linear)) + v3_dot(row->angular_a, a->angular) +
           v3_dot(row->angular_b, b->angular);
}

/* Impulses of one or more rows of a contact together. */
typedef struct shove {
    ash_vec3 linear, angular_a, angular_b;
} shove;

static inline shove shove_of(const ashi_soft_row *row, double impulse)
{
    return (shove){v3_scale(row->linear, impulse), v3_scale(row->angular_a, impulse),
                   v3_scale(row->angular_b, impulse)};
}

static inline void add_row(shove *sum, const ashi_soft_row *row, double impulse)
{
    sum->linear = v3_add_scaled(sum->linear, row->linear, impulse);
    sum->angular_a = v3_add_scaled(sum->angular_a, row->angular_a, impulse);
    sum->angular_b = v3_add_scaled(sum->angular_b, row->angular_b, impulse);
}

/* What the impulses change in two motions: velocities, displacements, or sums of either. */
static inline void push(const shove *by, const ashi_soft_body *a, const ashi_soft_body *b, ash_motion *motion_a,
                        ash_motion *motion_b)
{
    motion_a->linear = v3_sub(motion_a->linear, v3_mul(a->inverse_mass, by->linear));
    motion_a->angular = v3_add(motion_a->angular, s3_apply(a->inverse_inertia, by->angular_a));
    motion_b->linear = v3_add(motion_b->linear, v3_mul(b->inverse_mass, by->linear));
    motion_b->angular = v3_add(motion_b->angular, s3_apply(b->inverse_inertia, by->angular_b));
}

/* ---- preparation ---- */

static double inverse_of(double value)
{
    return value > 0 ? 1 / value : 0;
}

/* A contact's row; `turn` receives I^-1 of its angular parts. */
static void prepare_row(const ashi_soft_step *s, const ashi_block *block, const ashi_row *from,
                        const ash_motion start[2], ashi_soft_row *row, ash_vec3 turn[2])
{
    const ash_problem_body *a = &s->problem->bodies[block->body_a], *b = &s->problem->bodies[block->body_b];
    turn[0] = s3_apply(a->inverse_inertia, from->angular_a);
    turn[1] = s3_apply(b->inverse_inertia, from->angular_b);
    double response = v3_dot(from->linear_b, v3_mul(v3_add(a->inverse_mass, b->inverse_mass), from->linear_b)) +
                      v3_dot(from->angular_a, turn[0]) + v3_dot(from->angular_b, turn[1]);
    *row = (ashi_soft_row){.linear = from->linear_b,
                           .angular_a = from->angular_a,
                           .angular_b = from->angular_b,
                           .mass = inverse_of(response),
                           .speed = ashi_row_speed(from, &start[0], &start[1]),
                           .bias = from->bias};
}

/* What a unit of the normal impulse changes in the speed of a row of friction. */
static double coupling_of(const ashi_soft_step *s, const ashi_block *block, const ashi_soft_row *normal,
                          const ashi_soft_row *row, const ash_vec3 turn[2])
{
    const ash_problem_body *a = &s->problem->bodies[block->body_a], *b = &s->problem->bodies[block->body_b];
    return v3_dot(normal->linear, v3_mul(v3_add(a->inverse_mass, b->inverse_mass), row->linear)) +
           v3_dot(normal->angular_a, turn[0]) + v3_dot(normal->angular_b, turn[1]);
}

static void prepare_rows(ashi_soft_step *s, const ashi_block *block, const ashi_row *from, double share)
{
    const ash_motion start[2] = {ashi_soft_start(s->problem, block->body_a),
                                 ashi_soft_start(s->problem, block->body_b)};
    ashi_soft_row *rows = &s->rows[s->row_count];
    for (uint32_t i = 0; i < block->row_count; i++) {
        ash_vec3 turn[2];
        double impulse = from[i].impulse * share, slip = 0;
        prepare_row(s, block, &from[i], start, &rows[i], turn);
        if (i > 0) {
            rows[i].coupling = coupling_of(s, block, &rows[0], &rows[i], turn);
            slip = rows[i].speed;
        }
        s->impulse[s->row_count] = impulse;
        s->impulses[s->row_count++] = (ashi_soft_impulse){.before = impulse, .slip = slip, .slip_before = slip};
    }
}

void ashi_soft_rows_prepare(ashi_soft_step *s, const ashi_block *block, const ashi_row *rows, uint32_t source)
{
    double share = 1.0 / s->substeps;
    ashi_soft_contact *contact = &s->contacts[s->contact_count];
    *contact =
        (ashi_soft_contact){.a = ashi_soft_pass_of(s, block->body_a),
                            .b = ashi_soft_pass_of(s, block->body_b),
                            .first_row = s->row_count,
                            .rows = (uint8_t)block->row_count,
                            .stiff = block->body_a < s->problem->fixed_count || block->body_b < s->problem->fixed_count,
                            .gap = rows[0].error,
                            .friction = block->friction,
                            .limit = block->friction_limit >= 0 ? block->friction_limit * share : -1};
    contact->slack = ashi_soft_slack(s, contact->a, contact->b);
    prepare_rows(s, block, rows, share);
    const ashi_soft_row *normal = &s->rows[contact->first_row];
    bool known = block->point != UINT32_MAX && block->contact < s->problem->contact_count;
    double restitution = known ? s->problem->contacts[block->contact].restitution : 0;
    ashi_soft_rebound rebound = ashi_soft_rebound_of(s, block->rebound, normal->speed, restitution);
    s->accounts[s->contact_count++] =
        (ashi_soft_account){.block = *block,
                            .source = source,
                            .carried = s->h > 0 ? ASHI_CARRIED * contact->slack / s->h * normal->mass : 0,
                            .rebound = rebound};
    s->rebounds = s->rebounds || rebound.share > 0;
}

/* ---- velocities ---- */

void ashi_soft_rows_warm_start(ashi_soft_step *s, const ashi_soft_run *run)
{
    for (uint32_t i = run->first; i < run->first + run->count; i++) {
        const ashi_soft_contact *contact = &s->contacts[i];
        ashi_soft_body *a = &s->bodies[contact->a], *b = &s->bodies[contact->b];
        shove sum = shove_of(&s->rows[contact->first_row], s->impulse[contact->first_row]);
        for (uint32_t k = contact->first_row + 1; k < contact->first_row + contact->rows; k++)
            add_row(&sum, &s->rows[k], s->impulse[k]);
        push(&sum, a, b, &a->change, &b->change);
    }
}

/* A gap may close within the sub-step, no more: displacements do not change between its sweeps. */
static inline double closing_speed(const ashi_soft_contact *contact, const ashi_soft_row *normal,
                                   const ashi_soft_body *a, const ashi_soft_body *b, const ashi_soft_pass *place)
{
    double open =
        contact->gap + normal->speed * place->elapsed + speed_of(normal, &a->shift, &b->shift) - contact->slack;
    return open > 0 ? open * place->inverse_h : 0;
}

/* Friction within its bound. Where it cannot hold, both tangents answer the slip by the smaller mass, as in patches. */
static void limit_friction(const ashi_soft_step *s, const ashi_block *block, const ashi_soft_row *row,
                           const double *impulse, double bound, double *wanted)
{
    double y = wanted[1], z = block->tangents > 1 ? wanted[2] : 0;
    ashi_law_clamp(s->law, block, bound, &wanted[1]);
    if (block->tangents < 2 || (wanted[1] == y && wanted[2] == z) || !(row[1].mass > 0) || !(row[2].mass > 0))
        return;
    double smaller = fmin(row[1].mass, row[2].mass);
    wanted[1] = impulse[1] + (y - impulse[1]) * smaller / row[1].mass;
    wanted[2] = impulse[2] + (z - impulse[2]) * smaller / row[2].mass;
    ashi_law_clamp(s->law, block, bound, &wanted[1]);
}

/* A contact whose friction cannot hold: its normal impulse together with its friction, as in patches. `free` is the
 * normal impulse without friction's part in it, `held` the friction that would hold beside wanted[0]. */
static void slide(const ashi_soft_step *s, const ashi_block *block, const ashi_soft_row *row, const double *impulse,
                  double free, const double *held, double *wanted)
{
    double alone = free, together = 1, onwards = 0, square = 0, share[ASHI_CONTACT_ROWS];
    for (uint32_t k = 1; k <= block->tangents; k++)
        alone += row[0].mass * row[k].coupling * impulse[k];
    if (alone <= 0) {
        memset(wanted, 0, block->row_count * sizeof *wanted);
        return;
    }
    double bound = wanted[0] > 0 ? wanted[0] : SMALL * alone;
    memcpy(share, held, block->row_count * sizeof *share);
    limit_friction(s, block, row, impulse, bound, share);
    for (uint32_t k = 1; k <= block->tangents; k++) {
        share[k] /= bound;
        together += row[0].mass * row[k].coupling * share[k];
        square += share[k] * share[k];
    }
    double normal = alone / together, less = normal - wanted[0];
    for (uint32_t k = 1; k <= block->tangents; k++)
        onwards += share[k] * (held[k] - row[k].mass * row[k].coupling * less);
    if (!(together > ASHI_LEAST_TOGETHER) || onwards < normal * square)
        return;
    wanted[0] = normal;
    for (uint32_t k = 1; k <= block->tangents; k++)
        wanted[k] = normal * share[k];
    ashi_law_clamp(s->law, block, normal, &wanted[1]);
}

/* Friction within what the normal carries, or within a bound of its own. */
static void find_friction(const ashi_soft_step *s, uint32_t i, const ashi_soft_row *row, const double *impulse,
                          double free, double *wanted)
{
    const ashi_block *block = &s->accounts[i].block;
    const ashi_soft_contact *contact = &s->contacts[i];
    bool bounded = contact->limit >= 0, slides = false;
    double held[ASHI_CONTACT_ROWS];
    memcpy(held, wanted, contact->rows * sizeof *held);
    limit_friction(s, block, row, impulse, bounded ? contact->limit : wanted[0], wanted);
    for (uint32_t k = 1; k <= block->tangents; k++)
        slides = slides || wanted[k] != held[k];
    if (slides && !bounded)
        slide(s, block, row, impulse, free, held, wanted);
}

/* Signorini's condition, then friction, all its rows together, within what the normal carries; both bodies are read and
 * written once. */
static void visit(const ashi_soft_step *s, uint32_t i, const ashi_soft_pass *place)
{
    ashi_soft_contact *contact = &s->contacts[i];
    uint32_t rows = contact->rows;
    const ashi_soft_row *row = &s->rows[contact->first_row];
    double *impulse = &s->impulse[contact->first_row], speed[ASHI_CONTACT_ROWS], wanted[ASHI_CONTACT_ROWS];
    ashi_soft_body *a = &s->bodies[contact->a], *b = &s->bodies[contact->b];
    for (uint32_t k = 0; k < rows; k++)
        speed[k] = row[k].speed + speed_of(&row[k], &a->change, &b->change);
    if (place->first)
        contact->closing = closing_speed(contact, row, a, b, place);
    double free = impulse[0] - row[0].mass * (speed[0] + contact->closing);
    wanted[0] = free > 0 ? free : 0;
    for (uint32_t k = 1; k < rows; k++)
        wanted[k] = impulse[k] - row[k].mass * (speed[k] + row[k].coupling * (wanted[0] - impulse[0]) + row[k].bias);
    if (rows > 1)
        find_friction(s, i, row, impulse, free, wanted);
    double more = wanted[0] - impulse[0];
    shove sum = shove_of(&row[0], more);
    for (uint32_t k = 1; k < rows; k++)
        add_row(&sum, &row[k], wanted[k] - impulse[k]);
    push(&sum, a, b, &a->change, &b->change);
    for (uint32_t k = 0; k < rows; k++) {
        if (!place->first && k > 0)
            s->impulses[contact->first_row + k].slip =
                speed[k] + row[k].coupling * more + (row[k].mass > 0 ? (wanted[k] - impulse[k]) / row[k].mass : 0);
        impulse[k] = wanted[k];
    }
}

void ashi_soft_rows_sweep(ashi_soft_step *s, const ashi_soft_run *run, const ashi_soft_pass *place)
{
    for (uint32_t i = 0; i < run->count; i++)
        visit(s, place->back ? run->first + run->count - 1 - i : run->first + i, place);
}

/* ---- the end of a sub-step ---- */

/* Overlap goes by a share, at no more than the push-out speed; bodies are only ever pushed apart. */
static void place_contact(ashi_soft_step *s, uint32_t i, double elapsed)
{
    double most = s->settings->push_out * s->h;
    ashi_soft_contact *contact = &s->contacts[i];
    const ashi_soft_row *normal = &s->rows[contact->first_row];
    ashi_soft_body *a = &s->bodies[contact->a], *b = &s->bodies[contact->b];
    double gap = contact->gap + normal->speed * elapsed + speed_of(normal, &a->shift, &b->shift);
    if (gap >= 0)
        return;
    contact->placed = true;
    const ashi_softness *soft = contact->stiff ? &s->stiff : &s->soft;
    double way = -gap * soft->rate * s->h;
    way = way < most ? way : most;
    shove apart = shove_of(normal, way * soft->mass_scale * normal->mass);
    push(&apart, a, b, &a->shift, &b->shift);
}

/* What stops an impact does not act again: a normal impulse is carried over as far as it has grown by no more than a
 * few times what forces can do in a sub-step, friction in proportion. */
static void leave_impact(ashi_soft_step *s, uint32_t i)
{
    const ashi_soft_contact *contact = &s->contacts[i];
    double *impulse = &s->impulse[contact->first_row], now = impulse[0];
    double most = s->impulses[contact->first_row].before + s->accounts[i].carried;
    if (now <= most || now <= 0)
        return;
    double dropped = most > 0 ? 1 - most / now : 1;
    const ashi_soft_row *row = &s->rows[contact->first_row];
    shove sum = shove_of(&row[0], -dropped * now);
    impulse[0] -= dropped * now;
    for (uint32_t k = 1; k < contact->rows; k++) {
        add_row(&sum, &row[k], -dropped * impulse[k]);
        impulse[k] -= dropped * impulse[k];
    }
    push(&sum, &s->bodies[contact->a], &s->bodies[contact->b], &s->forces[contact->a].held,
         &s->forces[contact->b].held);
}

double ashi_soft_rows_end(ashi_soft_step *s, const ashi_soft_run *run, double elapsed, double lead)
{
    double work = 0;
    for (uint32_t i = run->first; i < run->first + run->count; i++) {
        uint32_t first = s->contacts[i].first_row, end = first + s->contacts[i].rows;
        place_contact(s, i, elapsed);
        for (uint32_t k = first; k < end; k++) {
            ashi_soft_impulse *row = &s->impulses[k];
            row->total += s->impulse[k];
            work += s->impulse[k] * (row->slip_before + row->slip) / 2;
            row->slip_before = row->slip;
        }
        leave_impact(s, i);
        for (uint32_t k = first; k < end; k++) {
            double now = s->impulse[k];
            s->impulse[k] = now + lead * (now - s->impulses[k].before);
            s->impulses[k].before = now;
        }
    }
    return work;
}

/* ---- restitution ---- */

void ashi_soft_rows_watch(ashi_soft_step *s, const ashi_soft_run *run)
{
    for (uint32_t i = run->first; i < run->first + run->count; i++) {
        ashi_soft_rebound *rebound = &s->accounts[i].rebound;
        const ashi_soft_contact *contact = &s->contacts[i];
        if (rebound->share <= 0 || s->impulses[contact->first_row].total > 0)
            continue;
        const ash_motion *a = &s->bodies[contact->a].change, *b = &s->bodies[contact->b].change;
        const ashi_soft_row *normal = &s->rows[contact->first_row];
        rebound->approach = -normal->speed - speed_of(normal, a, b);
    }
}

bool ashi_soft_rows_bounce(const ashi_soft_step *s, const ashi_soft_run *run)
{
    for (uint32_t i = run->first; i < run->first + run->count; i++)
        if (s->impulses[s->contacts[i].first_row].total > 0 && ashi_soft_parting(&s->accounts[i].rebound) > 0)
            return true;
    return false;
}

bool ashi_soft_rows_rebound(ashi_soft_step *s, const ashi_soft_run *run)
{
    bool changed = false;
    for (uint32_t i = run->first; i < run->first + run->count; i++) {
        const ashi_soft_rebound *rebound = &s->accounts[i].rebound;
        const ashi_soft_contact *contact = &s->contacts[i];
        double *total = &s->impulses[contact->first_row].total;
        if (*total <= 0)
            continue;
        const ashi_soft_row *normal = &s->rows[contact->first_row];
        ashi_soft_body *a = &s->bodies[contact->a], *b = &s->bodies[contact->b];
        double speed = normal->speed + speed_of(normal, &a->change, &b->change);
        double after = ashi_soft_rebound_impulse(rebound, *total, normal->mass, speed);
        changed |= fabs(after - *total) > ASHI_SETTLED * *total;
        shove more = shove_of(normal, after - *total);
        push(&more, a, b, &a->change, &b->change);
        *total = after;
    }
    return changed;
}

/* ---- the solution ---- */

/* A point's impulses, and those that last. */
static void store_point(ashi_soft_step *s, ashi_system *p, const ashi_block *block, const double *impulse,
                        const double *lasting)
{
    const ash_problem_contact *contact = &p->contacts[block->contact];
    uint32_t tangents = block->tangents, turn = contact->first_turn + block->point - contact->first_point;
    bool first = tangents > 0, second = tangents > 1;
    p->points[block->point].impulse = v3(impulse[0], first ? impulse[1] : 0, second ? impulse[2] : 0);
    s->trail->lasting[block->point] = v3(lasting[0], first ? lasting[1] : 0, second ? lasting[2] : 0);
    if (block->rollings == 0 && block->spins == 0)
        return;
    uint32_t about = 1 + tangents, spin = about + block->rollings;
    bool one = block->rollings > 0, two = block->rollings > 1, spins = block->spins > 0;
    p->turns[turn] = v3(one ? impulse[about] : 0, two ? impulse[about + 1] : 0, spins ? impulse[spin] : 0);
    s->trail->lasting_turns[turn] =
        v3(one ? lasting[about] : 0, two ? lasting[about + 1] : 0, spins ? lasting[spin] : 0);
}

void ashi_soft_rows_store(ashi_soft_step *s, ashi_system *p, uint32_t number)
{
    const ashi_soft_contact *contact = &s->contacts[number];
    const ashi_soft_account *account = &s->accounts[number];
    double impulse[ASHI_CONTACT_ROWS], lasting[ASHI_CONTACT_ROWS];
    for (uint32_t k = 0; k < contact->rows; k++) {
        impulse[k] = s->impulses[contact->first_row + k].total;
        lasting[k] = s->impulse[contact->first_row + k] * s->substeps;
    }
    for (uint32_t k = 0; k < contact->rows && account->source != UINT32_MAX; k++)
        p->rows[p->blocks[account->source].first_row + k].impulse = impulse[k];
    bool of_point = account->source == UINT32_MAX || (p->expanded && account->block.point != UINT32_MAX);
    if (!of_point)
        return;
    store_point(s, p, &account->block, impulse, lasting);
    ash_problem_point *point = &p->points[account->block.point];
    if (ashi_soft_rebound_store(&account->rebound, point) && account->source != UINT32_MAX)
        p->rows[p->blocks[account->source].first_row].bias = point->bias;
    s->trail->placed[account->block.point] = contact->placed;
}
