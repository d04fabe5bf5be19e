/* The real-time solver: sub-steps with soft removal of overlap (docs/soft-step.md).
 *
 * With fixed Jacobians, n times: forces change the velocities and the impulses of the last sub-step act again (the warm
 * start, in body space, with a little lead); two sweeps over all blocks, there and back, for the velocities, each
 * followed by one exact solution of the equalities if that is wanted; positions move; one pass removes overlap by soft
 * contacts, by moving positions only. Last, contacts that should rebound do. Bodies come out with a displacement
 * (`shift`) as well as a velocity.
 *
 * Overlap is removed beside the velocities, not through them: an error of position in a warm-started velocity row is
 * summed twice, and every mode of a pile that the sweeps reduce by less than rate times h a sub-step then oscillates
 * with growing amplitude. For the same reason a gap is closed at no more than the forces' own pace (`slack`).
 *
 * Impulses in the rows are totals of the step: velocity = v* + M^-1 J^T impulse holds. By these the solution is judged,
 * as they are stored. */
#include "solve/soft_step.h"

#define SWEEPS   2   /* over velocities, in a sub-step: even, so that as many go back as there */
#define LEAD     0.3 /* of the last change of an impulse, by which the next sub-step begins ahead */
#define REBOUNDS 4   /* times that contacts and joints take turns then */
#define WILD     10  /* times as fast as before, or as TRIFLE: more than any sensible warm start makes bodies */
#define TRIFLE   1.0 /* m/s */

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

/* ---- velocities ---- */

/* The first sub-step begins with the problem's impulses; later ones with what blocks did in the last, body by body. */
static void warm_start(ashi_soft_step *s)
{
    for (uint32_t i = 0; i < s->contact_count; i++) {
        const ashi_soft_contact *contact = &s->contacts[i];
        ashi_soft_body *a = &s->bodies[contact->a], *b = &s->bodies[contact->b];
        shove sum = shove_of(&s->rows[contact->first_row], s->impulse[contact->first_row]);
        for (uint32_t k = contact->first_row + 1; k < contact->first_row + contact->rows; k++)
            add_row(&sum, &s->rows[k], s->impulse[k]);
        push(&sum, a, b, &a->change, &b->change);
    }
    ashi_soft_plain_warm_start(s);
}

static double energy_of(const ashi_soft_forces *body, ash_vec3 velocity, ash_vec3 spin)
{
    return 0.5 * (v3_dot(velocity, v3_mul(body->mass, velocity)) + v3_dot(spin, s3_apply(body->inertia, spin)));
}

/* Joints that contradict each other may bear anything as long as it cancels; where they have turned since, it does not.
 * Whether the warm start so makes the island absurdly fast, or the numbers broke down. */
static bool is_wild(const ashi_soft_step *s)
{
    double won = 0, most = 0;
    for (uint32_t i = 0; i < s->body_count; i++) {
        const ashi_soft_forces *f = &s->forces[i];
        const ash_vec3 slow = {TRIFLE, TRIFLE, TRIFLE};
        won += energy_of(f, s->bodies[i].change.linear, s->bodies[i].change.angular);
        most += energy_of(f, f->start_velocity, f->start_spin) + energy_of(f, slow, v3(0, 0, 0));
    }
    return !(won <= WILD * WILD * most);
}

static void forget_impulses(ashi_soft_step *s)
{
    for (uint32_t i = 0; i < s->row_count; i++)
        s->impulse[i] = 0;
    for (uint32_t i = 0; i < s->plain_count; i++)
        s->plains[i].impulse = 0;
}

static void push_bodies(ashi_soft_step *s)
{
    for (uint32_t i = 0; i < s->body_count; i++) {
        const ashi_soft_forces *f = &s->forces[i];
        s->bodies[i].change = (ash_motion){v3_add(f->begin.linear, v3_add(f->push.linear, f->held.linear)),
                                           v3_add(f->begin.angular, v3_add(f->push.angular, f->held.angular))};
    }
}

static void act(ashi_soft_step *s, bool first)
{
    for (uint32_t i = 0; i < s->body_count; i++)
        s->forces[i].begin = s->bodies[i].change;
    push_bodies(s);
    if (!first)
        return;
    warm_start(s);
    if (s->plain_count > 0 && is_wild(s)) {
        forget_impulses(s);
        push_bodies(s);
    }
}

/* Where a sweep stands in its sub-step. */
typedef struct sweep_place {
    bool first, last;
    double elapsed, inverse_h;
} sweep_place;

/* A gap may close within the sub-step, no more: displacements do not change between its sweeps. */
static inline double closing_speed(const ashi_soft_contact *contact, const ashi_soft_row *normal,
                                   const ashi_soft_body *a, const ashi_soft_body *b, const sweep_place *place)
{
    double open =
        contact->gap + normal->speed * place->elapsed + speed_of(normal, &a->shift, &b->shift) - contact->slack;
    return open > 0 ? open * place->inverse_h : 0;
}

static inline void clamp_friction(const ashi_soft_step *s, uint32_t i, bool simple, double bound, double *impulse)
{
    if (!simple) {
        ashi_law_clamp(s->law, &s->problem->blocks[s->accounts[i].block], bound, impulse);
        return;
    }
    double most = s->contacts[i].friction * bound, square = impulse[0] * impulse[0] + impulse[1] * impulse[1];
    if (square > most * most) {
        double scale = most / sqrt(square);
        impulse[0] *= scale;
        impulse[1] *= scale;
    }
}

/* Signorini's condition, then friction, all its rows together, within what the normal bears; both bodies are read and
 * written once. `rows` and `simple` are constants where it is called, so that the usual case is straight. */
static inline void visit(const ashi_soft_step *s, uint32_t i, uint32_t rows, bool simple, const sweep_place *place)
{
    ashi_soft_contact *contact = &s->contacts[i];
    const ashi_soft_row *row = &s->rows[contact->first_row];
    double *impulse = &s->impulse[contact->first_row], speed[ASHI_CONTACT_ROWS], wanted[ASHI_CONTACT_ROWS];
    ashi_soft_body *a = &s->bodies[contact->a], *b = &s->bodies[contact->b];
    for (uint32_t k = 0; k < rows; k++)
        speed[k] = row[k].speed + speed_of(&row[k], &a->change, &b->change);
    if (place->first)
        contact->closing = closing_speed(contact, row, a, b, place);
    wanted[0] = impulse[0] - row[0].mass * (speed[0] + contact->closing);
    wanted[0] = wanted[0] > 0 ? wanted[0] : 0;
    double more = wanted[0] - impulse[0];
    shove sum = shove_of(&row[0], more);
    for (uint32_t k = 1; k < rows; k++) {
        speed[k] += row[k].coupling * more;
        wanted[k] = impulse[k] - row[k].mass * (speed[k] + row[k].bias);
    }
    if (rows > 1)
        clamp_friction(s, i, simple, contact->limit >= 0 ? contact->limit : wanted[0], &wanted[1]);
    for (uint32_t k = 1; k < rows; k++)
        add_row(&sum, &row[k], wanted[k] - impulse[k]);
    push(&sum, a, b, &a->change, &b->change);
    for (uint32_t k = 0; k < rows; k++) {
        if (place->last && k > 0)
            s->impulses[contact->first_row + k].slip =
                speed[k] + (row[k].mass > 0 ? (wanted[k] - impulse[k]) / row[k].mass : 0);
        impulse[k] = wanted[k];
    }
}

static void visit_contact(const ashi_soft_step *s, uint32_t i, const sweep_place *place)
{
    uint32_t rows = s->contacts[i].rows;
    if (rows == 3 && s->simple_friction)
        visit(s, i, 3, true, place);
    else
        visit(s, i, rows, false, place);
}

static void sweep(ashi_soft_step *s, bool back, ashi_soft_time time, sweep_place place)
{
    bool knows_reach = ashi_soft_plain_knows_reach(s);
    if (knows_reach)
        ashi_soft_plain_hold(s, time, false);
    ashi_soft_plain_sweep(s, back, time);
    if (back)
        for (uint32_t i = s->contact_count; i > 0; i--)
            visit_contact(s, i - 1, &place);
    else
        for (uint32_t i = 0; i < s->contact_count; i++)
            visit_contact(s, i, &place);
    if (!knows_reach || s->contact_count > 0)
        ashi_soft_plain_hold(s, time, false);
}

/* ---- positions ---- */

static void move_bodies(ashi_soft_step *s)
{
    for (uint32_t i = 0; i < s->body_count; i++) {
        ashi_soft_body *body = &s->bodies[i];
        s->forces[i].way = v3_add_scaled(s->forces[i].way, body->change.linear, s->h);
        body->shift.linear = v3_add_scaled(body->shift.linear, body->change.linear, s->h);
        body->shift.angular = v3_add_scaled(body->shift.angular, body->change.angular, s->h);
    }
}

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

/* ---- the end of a sub-step ---- */

/* The blocks' work on all bodies in what has changed since `begin` but by forces: their impulses on mean velocities,
 * exactly; what friction did of it from its slips before and after, as the sweeps saw them. */
static double work_of_blocks(ashi_soft_step *s, bool forces)
{
    double work = 0;
    for (uint32_t i = 0; i < s->body_count; i++) {
        ashi_soft_forces *f = &s->forces[i];
        const ash_motion *change = &s->bodies[i].change, *begin = &f->begin;
        ash_vec3 push_linear = forces ? f->push.linear : v3(0, 0, 0);
        ash_vec3 push_angular = forces ? f->push.angular : v3(0, 0, 0);
        ash_motion held = {v3_sub(v3_sub(change->linear, begin->linear), push_linear),
                           v3_sub(v3_sub(change->angular, begin->angular), push_angular)};
        ash_vec3 velocity = v3_add_scaled(f->start_velocity, v3_add(change->linear, begin->linear), 0.5);
        ash_vec3 spin = v3_add_scaled(f->start_spin, v3_add(change->angular, begin->angular), 0.5);
        work += v3_dot(v3_mul(f->mass, held.linear), velocity) + v3_dot(s3_apply(f->inertia, held.angular), spin);
        f->held = held;
    }
    return work;
}

/* What the placing of contacts did against the forces: the stored energy that it added. */
static double work_of_placing(const ashi_soft_step *s)
{
    double work = 0;
    for (uint32_t i = 0; i < s->body_count && s->h > 0; i++) {
        const ashi_soft_forces *f = &s->forces[i];
        ash_vec3 placed = v3_sub(s->bodies[i].shift.linear, f->way);
        work -= v3_dot(v3_mul(f->mass, f->push.linear), placed) / s->h;
    }
    return work;
}

/* ---- the next sub-step's start ---- */

static double led(double now, double before, double lead)
{
    return now + lead * (now - before);
}

static ash_vec3 led3(ash_vec3 now, ash_vec3 before, double lead)
{
    return v3_add_scaled(now, v3_sub(now, before), lead);
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

/* Places contacts, adds their impulses up and leaves what the next sub-step begins with: they go on a little in the way
 * they have changed since the sub-step before; slow modes of a pile, in which impulses lag behind velocities, are
 * damped by it. Both in one pass: a large island is read from memory each time. Returns the work of friction in the
 * sub-step. */
static double end_contacts(ashi_soft_step *s, double elapsed, double lead)
{
    double work = 0;
    for (uint32_t i = 0; i < s->contact_count; i++) {
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
            s->impulse[k] = led(now, s->impulses[k].before, lead);
            s->impulses[k].before = now;
        }
    }
    return work;
}

static void end_plains(ashi_soft_step *s, double lead)
{
    for (uint32_t i = 0; i < s->plain_count; i++) {
        ashi_soft_plain *plain = &s->plains[i];
        double now = plain->impulse;
        plain->total += now;
        plain->impulse = led(now, plain->before, lead);
        plain->before = now;
    }
}

/* What rows do to bodies goes on in the same way. */
static void lead_bodies(ashi_soft_step *s, double lead)
{
    for (uint32_t i = 0; i < s->body_count; i++) {
        ashi_soft_forces *f = &s->forces[i];
        ash_motion now = f->held;
        f->held = (ash_motion){led3(now.linear, f->before.linear, lead), led3(now.angular, f->before.angular, lead)};
        f->before = now;
    }
}

/* ---- restitution ---- */

/* Forces make approaches faster until contacts close. */
static void watch_approaches(ashi_soft_step *s)
{
    for (uint32_t i = 0; i < s->contact_count; i++) {
        ashi_soft_account *account = &s->accounts[i];
        const ashi_soft_contact *contact = &s->contacts[i];
        if (account->rebound <= 0 || s->impulses[contact->first_row].total > 0)
            continue;
        const ash_motion *a = &s->bodies[contact->a].change, *b = &s->bodies[contact->b].change;
        const ashi_soft_row *normal = &s->rows[contact->first_row];
        account->approach = -normal->speed - speed_of(normal, a, b);
    }
}

/* Contacts that bore something and should rebound part at their share of the approach. */
static void rebound(ashi_soft_step *s)
{
    for (uint32_t i = 0; i < s->contact_count; i++) {
        const ashi_soft_account *account = &s->accounts[i];
        const ashi_soft_contact *contact = &s->contacts[i];
        double *total = &s->impulses[contact->first_row].total;
        if (account->rebound <= 0 || *total <= 0)
            continue;
        const ashi_soft_row *normal = &s->rows[contact->first_row];
        ashi_soft_body *a = &s->bodies[contact->a], *b = &s->bodies[contact->b];
        double speed = normal->speed + speed_of(normal, &a->change, &b->change);
        double wanted = account->approach > 0 ? account->rebound * account->approach : 0;
        double after = *total - normal->mass * (speed - wanted);
        after = after > 0 ? after : 0;
        shove more = shove_of(normal, after - *total);
        push(&more, a, b, &a->change, &b->change);
        *total = after;
    }
}

/* All of them, and the joints between; returns the contacts' work. */
static double rebound_all(ashi_soft_step *s)
{
    double joints = 0;
    ashi_soft_time end = {s->h * s->substeps, s->h * (s->substeps - 0.5)};
    for (uint32_t i = 0; i < s->body_count; i++)
        s->forces[i].begin = s->bodies[i].change;
    for (uint32_t i = 0; i < (s->exact_count > 0 ? REBOUNDS : 1); i++) {
        rebound(s);
        joints += ashi_soft_plain_hold(s, end, true);
    }
    return work_of_blocks(s, false) - joints;
}

/* ---- the whole ---- */

static void store_bodies(const ashi_soft_step *s, ash_problem *p)
{
    for (uint32_t i = 0; i < s->body_count; i++) {
        const ashi_soft_body *body = &s->bodies[i];
        const ashi_soft_forces *f = &s->forces[i];
        uint32_t number = s->island->first_body + i;
        p->velocity[number] =
            (ash_motion){v3_add(f->start_velocity, body->change.linear), v3_add(f->start_spin, body->change.angular)};
        p->shift[number] = (ash_motion){v3_add_scaled(body->shift.linear, f->start_velocity, p->h),
                                        v3_add_scaled(body->shift.angular, f->start_spin, p->h)};
    }
}

static void store_plains(const ashi_soft_step *s, ash_problem *p)
{
    for (uint32_t i = 0; i < s->plain_count; i++) {
        p->rows[s->plains[i].source].impulse = s->plains[i].total;
        p->rows[s->plains[i].source].work = s->plains[i].work;
        p->rows[s->plains[i].source].lasting = s->plains[i].impulse * s->substeps;
    }
}

static void store_contact(const ashi_soft_step *s, uint32_t i, ash_problem_block *block, ash_problem_row *rows)
{
    block->placed = s->contacts[i].placed;
    uint32_t first = s->contacts[i].first_row;
    for (uint32_t k = 0; k < s->contacts[i].rows; k++) {
        rows[k].impulse = s->impulses[first + k].total;
        rows[k].lasting = s->impulse[first + k] * s->substeps;
    }
}

/* What acts at a point, for the judgement. */
static void note_impulse(const ashi_soft_step *s, uint32_t i)
{
    const ashi_soft_impulse *row = &s->impulses[s->contacts[i].first_row];
    if (s->contacts[i].rows >= 2)
        s->measuring.patches.impulses[s->accounts[i].block - s->island->first_block].impulse =
            v3(row[0].total, row[1].total, s->contacts[i].rows > 2 ? row[2].total : 0);
}

static void store(ashi_soft_step *s, ash_problem *p)
{
    store_bodies(s, p);
    store_plains(s, p);
    for (uint32_t i = 0; i < s->contact_count; i++) {
        ash_problem_block *block = &p->blocks[s->accounts[i].block];
        store_contact(s, i, block, &p->rows[block->first_row]);
        if (!s->settings->unjudged)
            note_impulse(s, i);
    }
}

/* Nothing bears anything yet, and a guess is wanted. */
static bool is_cold(const ash_problem *p, const ash_problem_island *island)
{
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++)
        if (p->rows[p->blocks[k].first_row].impulse != 0)
            return false;
    return true;
}

static void substep(ashi_soft_step *s, uint32_t number)
{
    if (s->rebounds)
        watch_approaches(s);
    act(s, number == 0);
    ashi_soft_time begin = {s->h * number, s->h * (number + 0.5)};
    uint32_t sweeps = s->exact_count > 0 && s->exact_count == s->plain_count && s->contact_count == 0 ? 1 : SWEEPS;
    for (uint32_t i = 0; i < sweeps; i++) {
        sweep_place place = {i == 0, i + 1 == sweeps, begin.elapsed, s->h > 0 ? 1 / s->h : 0};
        sweep(s, (number + i) & 1, begin, place);
    }
    move_bodies(s);
}

/* Errors of positions go, impulses are added up, and their works: `work` of all blocks, `friction` what it did of that.
 */
static void end_substep(ashi_soft_step *s, uint32_t number, double *work, double *friction)
{
    double lead = number > 0 && number + 1 < s->substeps ? LEAD : 0; /* after the first, `before` is the last step's */
    ashi_soft_time end = {s->h * (number + 1), s->h * (number + 1)};
    *work -= ashi_soft_plain_work(s);
    *work += work_of_blocks(s, true);
    *friction += end_contacts(s, end.elapsed, lead);
    ashi_soft_plain_mend(s, end);
    end_plains(s, lead);
    lead_bodies(s, lead);
}

bool ashi_solve_soft_step(ashi_solve *solve)
{
    ashi_soft_step s;
    if (solve->settings->warm_start && is_cold(solve->problem, solve->island) &&
        !ashi_soft_step_load(solve->problem, solve->island, solve->scratch))
        return false;
    if (!ashi_soft_step_prepare(&s, solve))
        return false;
    double work = 0, friction_work = 0;
    for (uint32_t i = 0; i < s.substeps; i++) {
        substep(&s, i);
        end_substep(&s, i, &work, &friction_work);
    }
    if (s.rebounds)
        work += rebound_all(&s);
    store(&s, solve->problem);
    solve->iterations = s.substeps * SWEEPS;
    solve->contact_work = work - friction_work;
    solve->friction_work = friction_work;
    solve->placing_work = work_of_placing(&s);
    if (!solve->settings->unjudged)
        solve->judged_blocks = ashi_yardstick_end(&s.measuring, &solve->error);
    return true;
}
