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
 * Impulses in the rows are totals of the step: velocity = v* + M^-1 J^T impulse holds. What it judges itself by is the
 * last sweep: the largest change of a contact's velocity, |lambda' - lambda| / mass, one of the yardstick's two terms
 * as seen when the sweep came by. */
#include "solve/soft_step.h"

#define SWEEPS   2   /* over velocities, in a sub-step: even, so that as many go back as there */
#define LEAD     0.3 /* of the last change of an impulse, by which the next sub-step begins ahead */
#define REBOUNDS 4   /* times that contacts and joints take turns then */
#define CARRIED  4   /* times the speed that forces give in a sub-step: faster stops are impacts */

/* ---- rows ---- */

static inline double speed_of(const ashi_soft_row *row, const ash_motion *a, const ash_motion *b)
{
    return v3_dot(row->linear, v3_sub(b->linear, a->linear)) + v3_dot(row->angular_a, a->angular) +
           v3_dot(row->angular_b, b->angular);
}

static inline void push(const ashi_soft_row *row, const ashi_soft_body *a, const ashi_soft_body *b, double impulse,
                        ash_motion *motion_a, ash_motion *motion_b)
{
    motion_a->linear = v3_add_scaled(motion_a->linear, v3_mul(a->inverse_mass, row->linear), -impulse);
    motion_a->angular = v3_add_scaled(motion_a->angular, row->turn_a, impulse);
    motion_b->linear = v3_add_scaled(motion_b->linear, v3_mul(b->inverse_mass, row->linear), impulse);
    motion_b->angular = v3_add_scaled(motion_b->angular, row->turn_b, impulse);
}

/* Changes the velocities. */
static inline void kick(const ashi_soft_row *row, ashi_soft_body *a, ashi_soft_body *b, double impulse)
{
    push(row, a, b, impulse, &a->change, &b->change);
}

/* ---- velocities ---- */

/* The first sub-step begins with the problem's impulses; later ones with what blocks did in the last, body by body. */
static void warm_start(ashi_soft_step *s)
{
    const ashi_soft_friction *friction = s->frictions;
    for (uint32_t i = 0; i < s->contact_count; i++) {
        const ashi_soft_normal *normal = &s->normals[i];
        ashi_soft_body *a = &s->bodies[normal->a], *b = &s->bodies[normal->b];
        kick(&normal->row, a, b, normal->row.impulse);
        for (uint32_t k = 0; k < normal->frictions; k++, friction++)
            kick(&friction->row, a, b, friction->row.impulse);
    }
    ashi_soft_plain_warm_start(s);
}

static void act(ashi_soft_step *s, bool first)
{
    for (uint32_t i = 0; i < s->body_count; i++) {
        ashi_soft_forces *f = &s->forces[i];
        ash_motion *change = &s->bodies[i].change;
        f->begin = *change;
        change->linear = v3_add(change->linear, v3_add(f->push.linear, f->held.linear));
        change->angular = v3_add(change->angular, v3_add(f->push.angular, f->held.angular));
    }
    if (first)
        warm_start(s);
}

/* Signorini's condition at one visit; returns the change of the contact's velocity that it took. */
static inline double visit_normal(const ashi_soft_step *s, ashi_soft_normal *normal, double elapsed, double inverse_h)
{
    ashi_soft_row *row = &normal->row;
    ashi_soft_body *a = &s->bodies[normal->a], *b = &s->bodies[normal->b];
    double speed = row->speed + speed_of(row, &a->change, &b->change);
    double open = normal->gap + row->speed * elapsed + speed_of(row, &a->shift, &b->shift) - normal->slack;
    if (open > 0)
        speed += open * inverse_h;
    double impulse = row->impulse - row->mass * speed;
    impulse = impulse > 0 ? impulse : 0;
    double more = impulse - row->impulse;
    row->impulse = impulse;
    kick(row, a, b, more);
    return row->mass > 0 ? more / row->mass : 0;
}

/* Friction at one visit, all rows together; returns the square of the change of velocity. */
static double visit_friction(const ashi_soft_step *s, const ashi_soft_contact *contact, const ashi_soft_normal *normal)
{
    const ash_problem_block *block = &s->problem->blocks[contact->block];
    ashi_soft_body *a = &s->bodies[normal->a], *b = &s->bodies[normal->b];
    ashi_soft_friction *friction = &s->frictions[contact->first_friction];
    double impulse[ASHI_CONTACT_ROWS - 1], bound = contact->limit >= 0 ? contact->limit : normal->row.impulse;
    double change2 = 0;
    for (uint32_t i = 0; i < normal->frictions; i++) {
        ashi_soft_row *row = &friction[i].row;
        double slip = row->speed + speed_of(row, &a->change, &b->change);
        friction[i].slip = slip;
        impulse[i] = row->impulse - row->mass * (slip + friction[i].bias);
    }
    if (s->simple_friction) {
        double most = block->friction * bound, square = impulse[0] * impulse[0] + impulse[1] * impulse[1];
        if (square > most * most) {
            double scale = most / sqrt(square);
            impulse[0] *= scale;
            impulse[1] *= scale;
        }
    } else
        ashi_law_clamp(s->law, block, bound, impulse);
    for (uint32_t i = 0; i < normal->frictions; i++) {
        ashi_soft_row *row = &friction[i].row;
        double more = impulse[i] - row->impulse, change = row->mass > 0 ? more / row->mass : 0;
        row->impulse = impulse[i];
        kick(row, a, b, more);
        friction[i].slip += change;
        change2 += change * change;
    }
    return change2;
}

static void visit_contact(const ashi_soft_step *s, uint32_t i, double elapsed, double inverse_h, ashi_soft_verdict *v)
{
    ashi_soft_normal *normal = &s->normals[i];
    double change = visit_normal(s, normal, elapsed, inverse_h), change2 = 0;
    if (normal->frictions > 0)
        change2 = visit_friction(s, &s->contacts[i], normal);
    if (!v->wanted)
        return;
    change = sqrt(change * change + change2);
    v->sum += change;
    if (!(change <= v->largest) || v->worst == UINT32_MAX) {
        v->largest = change >= 0 ? change : HUGE_VAL; /* what is not a number is infinitely wrong */
        v->worst = s->contacts[i].block;
    }
}

static void sweep(ashi_soft_step *s, bool back, ashi_soft_time time, ashi_soft_verdict *v)
{
    double inverse_h = s->h > 0 ? 1 / s->h : 0;
    bool knows_reach = ashi_soft_plain_knows_reach(s);
    if (knows_reach)
        ashi_soft_plain_hold(s, time, false, v);
    ashi_soft_plain_sweep(s, back, time, v);
    if (back)
        for (uint32_t i = s->contact_count; i > 0; i--)
            visit_contact(s, i - 1, time.elapsed, inverse_h, v);
    else
        for (uint32_t i = 0; i < s->contact_count; i++)
            visit_contact(s, i, time.elapsed, inverse_h, v);
    if (!knows_reach || s->contact_count > 0)
        ashi_soft_plain_hold(s, time, false, v);
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
static void place_contacts(ashi_soft_step *s, double elapsed)
{
    double most = s->settings->push_out * s->h;
    for (uint32_t i = 0; i < s->contact_count; i++) {
        const ashi_soft_normal *normal = &s->normals[i];
        ashi_soft_body *a = &s->bodies[normal->a], *b = &s->bodies[normal->b];
        double gap = normal->gap + normal->row.speed * elapsed + speed_of(&normal->row, &a->shift, &b->shift);
        if (gap >= 0)
            continue;
        const ashi_softness *soft = normal->stiff ? &s->stiff : &s->soft;
        double way = -gap * soft->rate * s->h;
        way = way < most ? way : most;
        push(&normal->row, a, b, way * soft->mass_scale * normal->row.mass, &a->shift, &b->shift);
    }
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

static void add_totals(ashi_soft_step *s)
{
    for (uint32_t i = 0; i < s->contact_count; i++)
        s->contacts[i].total += s->normals[i].row.impulse;
    for (uint32_t i = 0; i < s->friction_count; i++)
        s->frictions[i].total += s->frictions[i].row.impulse;
    for (uint32_t i = 0; i < s->plain_count; i++)
        s->plains[i].total += s->plains[i].row.impulse;
}

static double work_of_friction(const ashi_soft_step *s, double *before)
{
    double work = 0;
    for (uint32_t i = 0; i < s->friction_count; i++) {
        const ashi_soft_friction *friction = &s->frictions[i];
        work += friction->row.impulse * (before[i] + friction->slip) / 2;
        before[i] = friction->slip;
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

static double led(double now, double before)
{
    return now + LEAD * (now - before);
}

static ash_vec3 led3(ash_vec3 now, ash_vec3 before)
{
    return v3_add_scaled(now, v3_sub(now, before), LEAD);
}

static void lead_row(ashi_soft_row *row, bool first)
{
    double now = row->impulse;
    row->impulse = first ? now : led(now, row->before);
    row->before = now;
}

/* Takes a part of a row's impulse out of what the next sub-step begins with. */
static void drop(ashi_soft_step *s, const ashi_soft_normal *normal, ashi_soft_row *row, double part)
{
    push(row, &s->bodies[normal->a], &s->bodies[normal->b], -part, &s->forces[normal->a].held,
         &s->forces[normal->b].held);
    row->impulse -= part;
}

/* What stops an impact does not act again: a normal impulse is carried over as far as it has grown by no more than a
 * few times what forces can do in a sub-step, friction in proportion. */
static void leave_impacts(ashi_soft_step *s)
{
    double inverse_h = s->h > 0 ? 1 / s->h : 0;
    for (uint32_t i = 0; i < s->contact_count; i++) {
        ashi_soft_normal *normal = &s->normals[i];
        double now = normal->row.impulse;
        double most = normal->row.before + CARRIED * normal->slack * inverse_h * normal->row.mass;
        if (now <= most || now <= 0)
            continue;
        most = most > 0 ? most : 0;
        ashi_soft_friction *friction = &s->frictions[s->contacts[i].first_friction];
        for (uint32_t k = 0; k < normal->frictions; k++)
            drop(s, normal, &friction[k].row, friction[k].row.impulse * (1 - most / now));
        drop(s, normal, &normal->row, now - most);
    }
}

/* Impulses, and what they do to bodies, go on a little in the way they have changed since the sub-step before: slow
 * modes of a pile, in which impulses lag behind velocities, are damped by it. */
static void look_ahead(ashi_soft_step *s, bool first)
{
    for (uint32_t i = 0; i < s->body_count; i++) {
        ashi_soft_forces *f = &s->forces[i];
        ash_motion now = f->held;
        if (!first)
            f->held = (ash_motion){led3(now.linear, f->before.linear), led3(now.angular, f->before.angular)};
        f->before = now;
    }
    for (uint32_t i = 0; i < s->contact_count; i++)
        lead_row(&s->normals[i].row, first);
    for (uint32_t i = 0; i < s->friction_count; i++)
        lead_row(&s->frictions[i].row, first);
    for (uint32_t i = 0; i < s->plain_count; i++)
        lead_row(&s->plains[i].row, first);
}

/* ---- restitution ---- */

/* Forces make approaches faster until contacts close. */
static void watch_approaches(ashi_soft_step *s)
{
    for (uint32_t i = 0; i < s->contact_count; i++) {
        ashi_soft_contact *contact = &s->contacts[i];
        const ashi_soft_normal *normal = &s->normals[i];
        if (contact->rebound <= 0 || contact->total > 0)
            continue;
        const ash_motion *a = &s->bodies[normal->a].change, *b = &s->bodies[normal->b].change;
        contact->approach = -normal->row.speed - speed_of(&normal->row, a, b);
    }
}

/* Contacts that bore something and should rebound part at their share of the approach. */
static void rebound(ashi_soft_step *s)
{
    for (uint32_t i = 0; i < s->contact_count; i++) {
        ashi_soft_contact *contact = &s->contacts[i];
        ashi_soft_normal *normal = &s->normals[i];
        if (contact->rebound <= 0 || contact->total <= 0)
            continue;
        ashi_soft_body *a = &s->bodies[normal->a], *b = &s->bodies[normal->b];
        double speed = normal->row.speed + speed_of(&normal->row, &a->change, &b->change);
        double wanted = contact->approach > 0 ? contact->rebound * contact->approach : 0;
        double total = contact->total - normal->row.mass * (speed - wanted);
        total = total > 0 ? total : 0;
        kick(&normal->row, a, b, total - contact->total);
        contact->total = total;
    }
}

/* All of them, and the joints between; returns the contacts' work. */
static double rebound_all(ashi_soft_step *s, ashi_soft_verdict *v)
{
    double joints = 0;
    ashi_soft_time end = {s->h * s->substeps, s->h * (s->substeps - 0.5)};
    v->wanted = false;
    for (uint32_t i = 0; i < s->body_count; i++)
        s->forces[i].begin = s->bodies[i].change;
    for (uint32_t i = 0; i < (s->exact_count > 0 ? REBOUNDS : 1); i++) {
        rebound(s);
        joints += ashi_soft_plain_hold(s, end, true, v);
    }
    return work_of_blocks(s, false) - joints;
}

/* ---- the whole ---- */

static void store(const ashi_soft_step *s, ash_problem *p)
{
    for (uint32_t i = 0; i < s->contact_count; i++) {
        const ashi_soft_contact *contact = &s->contacts[i];
        ash_problem_row *rows = &p->rows[p->blocks[contact->block].first_row];
        const ashi_soft_friction *friction = &s->frictions[contact->first_friction];
        rows[0].impulse = contact->total;
        rows[0].lasting = s->normals[i].row.impulse * s->substeps;
        for (uint32_t k = 0; k < s->normals[i].frictions; k++) {
            rows[1 + k].impulse = friction[k].total;
            rows[1 + k].lasting = friction[k].row.impulse * s->substeps;
        }
    }
    for (uint32_t i = 0; i < s->plain_count; i++) {
        p->rows[s->plains[i].source].impulse = s->plains[i].total;
        p->rows[s->plains[i].source].work = s->plains[i].work;
        p->rows[s->plains[i].source].lasting = s->plains[i].row.impulse * s->substeps;
    }
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

/* Nothing bears anything yet, and a guess is wanted. */
static bool is_cold(const ash_problem *p, const ash_problem_island *island)
{
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++)
        if (p->rows[p->blocks[k].first_row].impulse != 0)
            return false;
    return true;
}

static void substep(ashi_soft_step *s, uint32_t number, ashi_soft_verdict *v)
{
    if (s->rebounds)
        watch_approaches(s);
    act(s, number == 0);
    ashi_soft_time begin = {s->h * number, s->h * (number + 0.5)};
    ashi_soft_time end = {s->h * (number + 1), s->h * (number + 1)};
    uint32_t sweeps = s->exact_count > 0 && s->exact_count == s->plain_count && s->contact_count == 0 ? 1 : SWEEPS;
    for (uint32_t i = 0; i < sweeps; i++) {
        v->wanted = s->settings->quick_error && number + 1 == s->substeps && i + 1 == sweeps;
        sweep(s, (number + i) & 1, begin, v);
    }
    move_bodies(s);
    place_contacts(s, end.elapsed);
    ashi_soft_plain_mend(s, end);
    add_totals(s);
}

bool ashi_solve_soft_step(ashi_solve *solve)
{
    ashi_soft_step s;
    ashi_soft_verdict v = {.worst = UINT32_MAX};
    if (solve->settings->warm_start && is_cold(solve->problem, solve->island) &&
        !ashi_soft_step_load(solve->problem, solve->island, solve->scratch))
        return false;
    if (!ashi_soft_step_prepare(&s, solve))
        return false;
    double *slips = ashi_arena_take_array(solve->scratch, s.friction_count, sizeof *slips);
    if (slips == NULL)
        return false;
    for (uint32_t i = 0; i < s.friction_count; i++)
        slips[i] = s.frictions[i].slip;
    double work = 0, friction_work = 0;
    for (uint32_t i = 0; i < s.substeps; i++) {
        substep(&s, i, &v);
        work -= ashi_soft_plain_work(&s);
        work += work_of_blocks(&s, true);
        friction_work += work_of_friction(&s, slips);
        leave_impacts(&s);
        if (i + 1 < s.substeps)
            look_ahead(&s, i == 0);
    }
    if (s.rebounds)
        work += rebound_all(&s, &v);
    store(&s, solve->problem);
    solve->iterations = s.substeps * SWEEPS;
    solve->contact_work = work - friction_work;
    solve->friction_work = friction_work;
    solve->placing_work = work_of_placing(&s);
    solve->own_error = (ash_yardstick){v.largest, s.contact_count > 0 ? v.sum / s.contact_count : 0, v.worst, 0};
    if (solve->settings->quick_error && v.largest <= solve->settings->tolerance)
        solve->flags |= ASH_SOLVE_CONVERGED;
    return true;
}
